"""What is where: tree, find, glob_files.

The hard thing is size: a limit ends the walk itself, not only the list, and the result says so.
"""

import os
from itertools import islice
from pathlib import Path

from .events import preview, reporting
from .results import Found
from .storage import as_path
from .walking import entries_of, is_real_folder, matcher, names_hidden, relative, start_of, walk

_KINDS = {'file': 'file', 'f': 'file', 'folder': 'folder', 'dir': 'folder', 'd': 'folder', 'any': 'any'}
_WILD = frozenset('*?[{')


def tree(path='.', *, depth=3, hidden=False, sizes=False, limit=500):
    """A folder as an indented text, folders with a / behind the name, at most limit entries. Print it.
    Hidden entries, node_modules and __pycache__ are left out, unless hidden=True. Links are shown, not followed.
    """
    with reporting('tree', path=path) as event:
        top = start_of(path)
        lines = _tree_lines(top, depth, hidden, sizes, '  ')
        shown = [f'{top}/', *islice(lines, limit)]
        if next(lines, None) is not None:
            shown.append(f'… more than {limit} entries; pass a larger limit= or a smaller depth=')
        text = '\n'.join(shown)
        event.update(entries=len(shown) - 1, preview=preview(text))
        return text


def _tree_lines(folder, depth, hidden, sizes, indent):
    entries = entries_of(folder, hidden)
    if depth < 1:
        if entries:
            yield f'{indent}… {len(entries)} inside'
        return
    for entry in entries:
        if is_real_folder(entry):
            yield f'{indent}{entry.name}/'
            yield from _tree_lines(folder / entry.name, depth - 1, hidden, sizes, indent + '  ')
        elif entry.is_symlink():
            yield f'{indent}{entry.name} -> {os.readlink(entry.path)}'
        else:
            yield f'{indent}{entry.name}' + (f'  {entry.stat(follow_symlinks=False).st_size:,}' if sizes else '')


def find(pattern='*', path='.', *, kind='file', hidden=False, depth=None, newest=False, limit=1000):
    """The files under a folder whose name fits a glob pattern ('*.py'), or whose path below it does ('src/**/test_*.py').
    kind is 'file', 'folder' or 'any'; newest=True puts the last modified first, else by name. Returns a list of paths.
    Hidden entries, node_modules and __pycache__ are left out, unless hidden=True. Links to folders are not followed.
    """
    with reporting('find', pattern=pattern, path=path) as event:
        if kind not in _KINDS:
            raise ValueError(f"kind is 'file', 'folder' or 'any', not {kind!r}.")
        top, fits = start_of(path), matcher(pattern)
        found = (
            file
            for file, entry in walk(top, hidden or names_hidden(pattern), depth)
            if _KINDS[kind] in ('any', 'folder' if is_real_folder(entry) else 'file') and fits(relative(file, top))
        )
        if newest:
            found = iter(sorted(found, key=_modified, reverse=True))
        return _listed(found, limit, event)


def _modified(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def _listed(found, limit, event):
    paths = list(islice(found, limit))
    complete = limit is None or next(found, None) is None
    event.update(found=len(paths), complete=complete, preview=paths)
    return Found(paths, complete)


def glob_files(pattern, path='.', *, hidden=False, limit=1000):
    """The files that fit a glob pattern below a folder: '*.csv' (in the folder itself), '**/*.csv' (anywhere below), 'data/{a,b}/*'.
    The pattern may be absolute or begin with ~. Returns a list of paths by name; hidden entries as in find().
    """
    with reporting('glob_files', pattern=pattern, path=path) as event:
        fixed, rest = _fixed_part(os.path.expanduser(pattern))
        top = as_path(path) / fixed
        if not top.is_dir():
            return _listed(iter(()), limit, event)
        fits = matcher(rest)
        deepest = None if '**' in rest else rest.count('/') + 1
        found = (
            file
            for file, entry in walk(top, hidden or names_hidden(rest), deepest)
            if not is_real_folder(entry) and fits(relative(file, top))
        )
        return _listed(found, limit, event)


def _fixed_part(pattern):
    """The folder that a pattern's names without wildcards lead to, and what remains of the pattern."""
    parts = Path(pattern).parts
    fixed = next((index for index, part in enumerate(parts) if _WILD & set(part)), len(parts) - 1)
    return Path(*parts[:fixed]), '/'.join(parts[fixed:])
