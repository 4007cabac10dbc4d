"""IPython's `rm build.log`, `run script.py`, `env` and the like without a %: a helper of the same name doesn't take them away.

IPython leaves such a line to Python when its first word is a name in the namespace. For our own helpers alone, a line that is no Python,
or is the bare word, stays the magic command it was before.
"""


def keep_magics(shell, helpers):
    """Registers the rule with IPython's own line checkers."""
    from IPython.core.prefilter import PrefilterChecker
    from traitlets import Integer

    class HelperChecker(PrefilterChecker):
        # Just before IPython's checker of these commands (700), whose rule it refines.
        priority = Integer(690).tag(config=True)

        def check(self, line_info):
            name = line_info.ifun
            is_helper = name in helpers and self.shell.user_ns.get(name) is helpers[name]
            if not is_helper or not self.shell.automagic or line_info.pre.strip() or not self.shell.find_magic(name):
                return None
            line = line_info.line.strip()
            return self.prefilter_manager.get_handler_by_name('magic') if line == name or not _is_python(line) else None

    HelperChecker(shell=shell, prefilter_manager=shell.prefilter_manager, parent=shell.prefilter_manager)


def _is_python(line):
    try:
        compile(line, '<line>', 'exec')
    except (SyntaxError, ValueError):
        return False
    return True
