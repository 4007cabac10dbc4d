"""Puts the helpers into a kernel's namespace from their sources, without a file on the kernel's disk.

The hard thing is to leave nothing else behind. The package is importable only while it is loaded. Its functions then say they are of
`__main__`, as if the user had written them: pickle finds them there, and a worker process that lacks them gets their code.
"""

import importlib
import importlib.abc
import importlib.util
import linecache
import sys

PACKAGE = 'cellwright_prelude'


class Loader(importlib.abc.MetaPathFinder, importlib.abc.ExecutionLoader):
    """Finds and loads the package's modules in a dict of sources by module name ('' is the package itself)."""

    def __init__(self, sources):
        self._sources = {f'{PACKAGE}.{name}' if name else PACKAGE: source for name, source in sources.items()}

    def find_spec(self, fullname, path, target=None):
        if fullname not in self._sources:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self.get_filename(fullname))

    def is_package(self, fullname):
        return fullname == PACKAGE

    def get_source(self, fullname):
        return self._sources[fullname]

    def get_filename(self, fullname):
        # Brackets, as in <stdin>: no file that tools should look for.
        return f'<cellwright>/{fullname.partition(".")[2] or "prelude"}.py'

    def exec_module(self, module):
        """Also gives the source to tracebacks and to `read??`."""
        source, file = self.get_source(module.__name__), self.get_filename(module.__name__)
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        super().exec_module(module)


def load(sources):
    """The helpers by name."""
    loader = Loader(sources)
    sys.meta_path.insert(0, loader)
    try:
        package = importlib.import_module(PACKAGE)
    finally:
        sys.meta_path.remove(loader)
        for name in loader._sources:
            sys.modules.pop(name, None)
    helpers = {name: getattr(package, name) for name in package.__all__}
    for helper in helpers.values():
        helper.__module__ = '__main__'
    return helpers, package


def install(sources, namespace):
    """Adds the helpers to a namespace in which a name that is there already wins."""
    helpers, package = load(sources)
    added = {name: helper for name, helper in helpers.items() if namespace.setdefault(name, helper) is helper}
    module = sys.modules.get('IPython')
    shell = module.get_ipython() if module is not None else None
    if shell is not None:
        # Like IPython's own names: `%who` lists only what the user has made.
        shell.user_ns_hidden.update(added)
        package.automagic.keep_magics(shell, added)
