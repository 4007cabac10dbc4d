"""Files: read, write, append, rm, mv, cp, stat.

The hard thing is what a path may hide: links are never followed where something is removed, and the folders that a slip of one word
would empty are refused.
"""

import datetime
import errno
import os
import shutil
import stat as modes
from pathlib import Path

from .events import preview, reporting
from .results import FileInfo
from .storage import MAX_BYTES, as_path, in_range, load, open_text, replacement, store


def read(path, *, start=1, end=None, encoding='utf-8', errors='surrogateescape', max_bytes=MAX_BYTES):
    """The text of a file, exactly: line endings and a byte order mark stay, invalid bytes become surrogate escapes.
    start and end take lines from a part of it (1-based, end included, negative from the end); then the size doesn't matter.
    errors='replace' gives text that is safe to print. Binary files and, read whole, files over max_bytes raise ValueError.
    """
    with reporting('read', path=path) as event:
        file = as_path(path)
        if start == 1 and end is None:
            text = load(file, encoding, errors, max_bytes)
        else:
            with open_text(file, encoding, errors) as lines:
                text = ''.join(in_range(lines, start, end))
        event.update(chars=len(text), lines=count_lines(text), preview=preview(text))
        return text


def count_lines(text):
    """The number of lines, an unfinished last one included."""
    return text.count('\n') + (not text.endswith('\n') and text != '')


def write(path, content, *, encoding='utf-8'):
    """Writes text or bytes to a file, replacing what it had at once; makes missing folders. Line endings are written as given.
    Returns the path.
    """
    with reporting('write', path=path) as event:
        file, data = as_path(path), as_bytes(content, encoding)
        store(file, data)
        event.update(bytes=len(data), **shown(content))
        return file


def append(path, content, *, encoding='utf-8'):
    """Adds text or bytes at the end of a file, exactly as given (no newline is added); makes the file and its folders.
    Returns the path.
    """
    with reporting('append', path=path) as event:
        file, data = as_path(path), as_bytes(content, encoding)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, 'ab', buffering=0) as stream:  # One write for all: pieces of other threads and processes stay whole.
            rest = memoryview(data)
            while rest:
                rest = rest[stream.write(rest) :]
        event.update(bytes=len(data), **shown(content))
        return file


def as_bytes(content, encoding):
    """Content as it goes to a file. Raises TypeError for what is neither text nor bytes."""
    if isinstance(content, str):
        return content.encode(encoding, 'surrogateescape')
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    raise TypeError(f'The content must be text or bytes, not {type(content).__name__}. Convert it first, e.g. with json.dumps().')


def shown(content):
    """What an event tells of the content."""
    return {'lines': count_lines(content), 'preview': preview(content)} if isinstance(content, str) else {}


def rm(*paths, recursive=False, missing_ok=False):
    """Removes files, links (never what they point to) and empty folders; recursive=True also removes folders with all they hold.
    The file system's root, the home folder, and the working folder with its parents are refused. Returns how many were removed.
    """
    with reporting('rm', paths=paths, recursive=recursive) as event:
        if not paths:
            raise TypeError('rm() needs at least one path.')
        event['removed'] = 0
        for file in map(as_path, paths):
            event['removed'] += _remove(file, recursive, missing_ok)
        return event['removed']


def _remove(file, recursive, missing_ok):
    if not os.path.lexists(file):
        if missing_ok:
            return 0
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
    if not _is_folder(file):
        file.unlink()
        return 1
    _refuse_needed(file)
    if recursive:
        shutil.rmtree(file)
        return 1
    try:
        file.rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise OSError(error.errno, 'The folder is not empty; pass recursive=True to remove all it holds', str(file)) from None
    return 1


def _is_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


def _refuse_needed(folder):
    real = os.path.realpath(folder)
    here = os.path.realpath(os.curdir)
    kept = [os.path.realpath(os.path.expanduser('~')), here]
    if os.path.dirname(real) == real or any(os.path.commonpath([real, path]) == real for path in kept if _same_drive(real, path)):
        raise ValueError(f'{real} is or holds the home or the working folder: remove what is in it by name instead.')


def _same_drive(one, other):
    return os.path.splitdrive(one)[0] == os.path.splitdrive(other)[0]


def mv(src, dst, *, overwrite=True):
    """Moves or renames a file or folder; into dst when that is a folder. Makes missing folders. A link is moved as a link.
    A file at the new place is replaced, unless overwrite=False; a folder never is. Returns the new path.
    """
    with reporting('mv', src=src, dst=dst) as event:
        source, target = _source_and_target(src, dst)
        if not _only_case_differs(source, target):
            _refuse_clash(source, target, overwrite)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.replace(source, target)
        except OSError as error:
            if error.errno != errno.EXDEV:  # Another file system: copied, then removed.
                raise
            shutil.move(os.fspath(source), os.fspath(target))
        event['dst'] = target
        return target


def cp(src, dst, *, overwrite=True):
    """Copies a file with its mode and times, or a folder with all it holds; into dst when that is a folder. Makes missing folders.
    Links inside a folder stay links. A file at the new place is replaced at once, unless overwrite=False; a folder never is.
    Returns the new path.
    """
    with reporting('cp', src=src, dst=dst) as event:
        source, target = _source_and_target(src, dst)
        _refuse_clash(source, target, overwrite)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        else:
            with replacement(os.path.realpath(target)) as temporary:
                shutil.copy2(source, temporary)
        event['dst'] = target
        return target


def _source_and_target(src, dst):
    source, target = as_path(src), as_path(dst)
    if not os.path.lexists(source):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(source))
    if target.is_dir() and not _only_case_differs(source, target) or os.fsdecode(dst).endswith(('/', os.sep)):
        target = target / os.path.basename(os.path.abspath(source))
    if _is_folder(source) and Path(os.path.realpath(source)) in Path(os.path.realpath(target)).parents:
        raise ValueError(f'{source} cannot be put into itself.')
    return source, target


def _only_case_differs(source, target):
    """Whether both name one file on a file system that ignores case, so that moving renames it."""
    names = source.name, target.name
    return names[0] != names[1] and names[0].casefold() == names[1].casefold() and _same(source, target)


def _refuse_clash(source, target, overwrite):
    if not os.path.lexists(target):
        return
    if _same(source, target):
        raise ValueError(f'{source} and {target} are the same file.')
    if _is_folder(target) or _is_folder(source) or not overwrite:
        raise FileExistsError(errno.EEXIST, 'There is something at the new place', str(target))


def _same(one, other):
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def stat(path, *, follow=True):
    """What the system knows of a path: path, kind (file, folder, link, other), size in bytes, modified (a datetime with zone), mode
    such as '-rw-r--r--', and target of a link. follow=False describes a link itself.
    """
    with reporting('stat', path=path) as event:
        file = as_path(path)
        found = os.stat(file) if follow else os.lstat(file)
        info = FileInfo(
            path=file,
            kind=_kind(found.st_mode),
            size=found.st_size,
            modified=datetime.datetime.fromtimestamp(found.st_mtime, datetime.timezone.utc).astimezone(),
            mode=modes.filemode(found.st_mode),
            target=os.readlink(file) if os.path.islink(file) else None,
        )
        event.update(kind=info.kind, size=info.size)
        return info


def _kind(mode):
    if modes.S_ISREG(mode):
        return 'file'
    if modes.S_ISDIR(mode):
        return 'folder'
    return 'link' if modes.S_ISLNK(mode) else 'other'
