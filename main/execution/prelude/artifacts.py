"""Artifacts of this session: output reads one by its id, save_artifact makes one.

The hard thing is to stay in the folder: an id or a name is one plain file name, links that lead out are refused, and a present file is
never overwritten, because an artifact once shown doesn't change.
"""
import errno
import json
import os
import re
import shutil
from pathlib import Path

from .events import preview, reporting
from .search import pattern_of
from .storage import MAX_BYTES, as_path, in_range, load, open_text, replacement, split_lines, without_ending

FOLDER_VARIABLE = 'ARTIFACTS'

# Separators of any system, a drive's or stream's colon, and what no system shows in a name.
_NOT_IN_A_NAME = re.compile(r'[/\\:\x00-\x1f\x7f]')
_DEVICES = re.compile(r'(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)


def output(id, *, start=1, end=None, pattern=None, ignore_case=False, literal=False, max_bytes=MAX_BYTES):
    """The text of an artifact: of a long output that was cut (output(3) is artifact://3), or of a saved one by its name.
    start and end take lines from a part of it (1-based, end included, negative from the end); pattern keeps only the lines of these in
    which the regular expression is found. Read whole, it may have max_bytes. Images and other binary ones raise ValueError.
    """
    with reporting('output', id=id) as event:
        file = _file_of(id)
        wanted = None if pattern is None else pattern_of(pattern, ignore_case, literal)
        if wanted is None and start == 1 and end is None:
            text = load(file, errors='replace', max_bytes=max_bytes)
        else:
            with open_text(file, errors='replace') as every:
                chosen = in_range(every, start, end)
                text = ''.join(line for line in chosen if wanted is None or wanted.search(without_ending(line)))
        event.update(file=file.name, lines=len(split_lines(text)), preview=preview(text))
        return text


def save_artifact(data, name=None):
    """Saves text, bytes, a list or dict (as JSON), or a copy of the file that a Path names, as an artifact of this session.
    name is a plain file name whose ending says what it is ('report.csv'); a Path has its own. If the name is taken, a number is added.
    Returns the path of the new file.
    """
    with reporting('save_artifact', name=name) as event:
        folder = _folder()
        source = as_path(data) if isinstance(data, os.PathLike) else None
        wanted = _plain_name(source.name if name is None and source is not None else name)
        content = None if source is not None else _content(data)
        target = _reserved(folder, wanted)
        try:
            with replacement(os.fspath(target)) as temporary:
                if source is not None:
                    shutil.copyfile(source, temporary)
                else:
                    with open(temporary, 'xb') as file:
                        file.write(content)
        except BaseException:
            target.unlink()
            raise
        event.update(name=target.name, bytes=target.stat().st_size)
        return target


def _folder():
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise RuntimeError(f'This session has no artifact folder: the environment variable {FOLDER_VARIABLE} is not set.')
    return Path(folder)


def _file_of(id):
    folder = _folder()
    name = re.sub(r'^artifact://', '', str(id)).strip('/')
    found = [file for file in _files(folder) if file.name == name or _id_of(file.name) == name]
    if not found:
        raise FileNotFoundError(errno.ENOENT, f'There is no artifact {name} in this session; it has {_names(folder)}', str(folder))
    if not os.path.realpath(found[0]).startswith(os.path.join(os.path.realpath(folder), '')):
        raise PermissionError(errno.EACCES, 'The artifact is a link that leads out of the folder', str(found[0]))
    return found[0]


def _id_of(name):
    """The id in the name of a file of the artifact store."""
    number = re.match(r'(\d+)(?!\d)', name)
    return number[1] if number else None


def _files(folder):
    with os.scandir(folder) as entries:
        return sorted(Path(entry.path) for entry in entries if entry.is_file() and not entry.name.startswith('.'))


def _names(folder):
    names = [file.name for file in _files(folder)]
    return ', '.join(names[:20]) + (f' and {len(names) - 20} more' if len(names) > 20 else '') or 'none'


def _plain_name(name):
    if not isinstance(name, str):
        raise TypeError("save_artifact() needs a file name, such as 'report.csv'.")
    if _NOT_IN_A_NAME.search(name) or name.startswith('.') or name != name.rstrip('. ') or not name or _DEVICES.match(name):
        raise ValueError(f"{name!r} is not a plain file name: give one such as 'report.csv', without a folder.")
    return name


def _content(data):
    if isinstance(data, str):
        return data.encode('utf-8', 'surrogateescape')
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    if isinstance(data, (list, tuple, dict)):
        return json.dumps(data, ensure_ascii=False, indent=2).encode('utf-8', 'surrogateescape')
    raise TypeError(f'{type(data).__name__} is neither text, bytes, list nor dict. Write it to a file and give the path: save_artifact(Path(…)).')


def _reserved(folder, name):
    """Takes the first free name by making an empty file, so that two savers at once get two names."""
    stem, ending = os.path.splitext(name)
    number = 1
    while True:
        target = folder / (name if number == 1 else f'{stem}-{number}{ending}')
        try:
            target.open('xb').close()
            return target
        except FileExistsError:
            number += 1
