"""Walking folders in a fixed order, and the patterns that name files in them.

The hard thing is where not to go: no link to a folder is followed, so a walk ends; what can't be read is left out, not an error.
"""

import os
import re

from .storage import as_path

# Folders that tools fill by the thousand. Like names that begin with a dot they are left out, unless hidden entries are asked for.
GENERATED = frozenset(['node_modules', '__pycache__'])


def start_of(path):
    """The folder to walk from. Raises the system's error when it isn't there or is no folder."""
    folder = as_path(path)
    with os.scandir(folder):
        return folder


def walk(folder, hidden=False, depth=None):
    """All entries under a folder as (path, os.DirEntry), each folder before what it holds, names in order.
    `depth` 1 is the folder's own entries; None has no end."""
    for entry in entries_of(folder, hidden):
        path = folder / entry.name
        yield path, entry
        if is_real_folder(entry) and (depth is None or depth > 1):
            yield from walk(path, hidden, None if depth is None else depth - 1)


def entries_of(folder, hidden=False):
    """The entries of a folder by name; none when it can't be read."""
    try:
        with os.scandir(folder) as found:
            entries = [entry for entry in found if hidden or not _is_hidden(entry.name)]
    except OSError:
        return []
    return sorted(entries, key=lambda entry: entry.name)


def is_real_folder(entry):
    """Whether an entry is a folder itself, not a link to one."""
    return entry.is_dir(follow_symlinks=False)


def _is_hidden(name):
    return name.startswith('.') or name in GENERATED


def files_under(path, pattern='*', hidden=False):
    """The file itself, or the files under a folder that fit the pattern, links to files included."""
    top = as_path(path)
    if top.is_file():
        yield top
        return
    fits = matcher(pattern)
    for file, entry in walk(start_of(top), hidden or names_hidden(pattern)):
        if not is_real_folder(entry) and file.is_file() and fits(relative(file, top)):
            yield file


def relative(path, top):
    """A path below `top` as patterns see it: with / between the names."""
    return path.relative_to(top).as_posix()


def names_hidden(pattern):
    """Whether a pattern asks for a hidden name by itself, as `.github/*` does."""
    return any(_is_hidden(part) for part in pattern.split('/') if part not in ('.', '..'))


def matcher(pattern):
    """A function that tells whether a relative path fits a pattern. Without a / in it the pattern is about the last name alone."""
    pattern = pattern[2:] if pattern.startswith('./') else pattern
    try:
        expression = re.compile(glob_expression(pattern), re.DOTALL)
    except re.error as error:
        raise ValueError(f'The glob pattern {pattern!r} is not valid: {error}.') from None
    if '/' in pattern:
        return lambda path: expression.fullmatch(path) is not None
    return lambda path: expression.fullmatch(path.rpartition('/')[2]) is not None


_TOKEN = re.compile(r'\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|\{|\}|,|.', re.DOTALL)


def glob_expression(pattern):
    """A glob pattern as a regular expression: `*` and `?` stay in one name, `**` crosses folders, `[a-z]`, `{one,two}`."""
    parts = []
    braces = 0
    for token in _TOKEN.findall(pattern):
        if token == '{' and '}' in pattern:
            braces += 1
            parts.append('(?:')
        elif token == '}' and braces:
            braces -= 1
            parts.append(')')
        elif token == ',' and braces:
            parts.append('|')
        else:
            parts.append(_token_expression(token))
    return ''.join(parts) if braces == 0 else re.escape(pattern)


def _token_expression(token):
    fixed = {'**/': '(?:[^/]*/)*', '**': '.*', '*': '[^/]*', '?': '[^/]'}
    if token in fixed:
        return fixed[token]
    if len(token) > 1:
        negated = token[1] == '!'
        inside = token[2:-1] if negated else token[1:-1]
        return '[' + ('^' if negated else '') + re.sub(r'([\\^\[\]&~|])', r'\\\1', inside) + ']'
    return re.escape(token)
