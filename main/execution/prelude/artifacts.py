"""Artifacts of this session: output reads one, save_artifact makes one.

They lie in the folder that ARTIFACTS names: `<id>.json` is the note that reserves the id and names the file, `<id>.<ending>`. The hard
thing is to stay in there and to share it: an id is a number or one plain name, links are refused, and whoever makes a note first has it.
"""

import errno
import json
import os
import re
import shutil
import stat
import sys
import time
from pathlib import Path

from .events import preview, reporting
from .results import Artifact
from .search import pattern_of
from .storage import MAX_BYTES, as_path, in_range, load, open_text, replacement, split_lines, without_ending

FOLDER_VARIABLE = 'ARTIFACTS'

_ID = re.compile(r'0|[1-9]\d{0,14}')
_NOTE = re.compile(r'(0|[1-9]\d{0,14})\.json')

# Separators of any system, a drive's or stream's colon, and what no system shows in a name; and what Windows takes for a device.
_NOT_IN_A_NAME = re.compile(r'[/\\:\x00-\x1f\x7f]')
_DEVICE = re.compile(r'(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)


def output(id, *, start=1, end=None, pattern=None, ignore_case=False, literal=False, max_bytes=MAX_BYTES):
    """The text of an artifact: output(3) or output('artifact://3') of a long output that was cut, output('report.csv') of a saved one.
    start and end take lines from a part of it (1-based, end included, negative from the end); pattern keeps only the lines of these in
    which the regular expression is found. Read whole, it may have max_bytes. Images and other binary ones raise ValueError.
    """
    with reporting('output', id=id) as event:
        file = _file_of(_folder(), re.sub('^artifact://', '', str(id)))
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
    """Saves text, bytes, a list or dict (as JSON), or a copy of the file that a Path names, as a new artifact of this session.
    name is a plain file name whose ending says what it is ('report.csv'); a Path has its own.
    Returns id, path and name; the person sees it as artifact://<id>, and output(id) reads it.
    """
    with reporting('save_artifact', name=name) as event:
        folder = _folder()
        source = as_path(data) if isinstance(data, os.PathLike) else None
        shown = _plain_name(source.name if name is None and source is not None else name)
        content = _content(data) if source is None else source.open('rb')
        try:
            id, path = _reserve(folder, shown, data)
            with replacement(os.fspath(path)) as temporary, open(temporary, 'xb') as file:
                if source is None:
                    file.write(content)
                else:
                    shutil.copyfileobj(content, file)
        finally:
            if source is not None:
                content.close()
        event.update(id=id, name=shown, bytes=path.stat().st_size)
        return Artifact(id, path, shown)


def _folder():
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise RuntimeError(f'This session has no artifact folder: the environment variable {FOLDER_VARIABLE} is not set.')
    return Path(folder)


def _file_of(folder, name):
    """The file of an artifact by its id, by the name it was saved under, or by its own name if code put it there itself."""
    notes = _notes(folder)
    if _ID.fullmatch(name):
        names = [notes[int(name)]['file']] if int(name) in notes else []
    else:
        saved = [note['file'] for _, note in sorted(notes.items(), reverse=True) if note['source'].get('name') == name]
        names = [name, *saved] if _is_plain_name(name) and not _NOTE.fullmatch(name) else saved
    found = next((folder / each for each in names if _is_plain_file(folder / each)), None)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, f'There is no artifact {name}; there are {_list_of(notes)}', str(folder))
    return found


def _notes(folder):
    """The notes by id, as far as they name a file as they should."""
    notes = {}
    for name in _names(folder):
        match = _NOTE.fullmatch(name)
        if match and _is_plain_file(folder / name):
            try:
                note = json.loads((folder / name).read_bytes())
                if _is_plain_name(note['file']) and note['file'].startswith(f'{match[1]}.') and isinstance(note['source'], dict):
                    notes[int(match[1])] = note
            except (OSError, ValueError, TypeError, KeyError):  # Not a note, or one that is being written.
                pass
    return notes


def _names(folder):
    try:
        return os.listdir(folder)
    except FileNotFoundError:  # It is made with the first artifact.
        return []


def _is_plain_file(path):
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _list_of(notes):
    shown = [f'{id} ({note["source"]["name"]})' if note['source'].get('name') else str(id) for id, note in sorted(notes.items())]
    return ', '.join(shown[-20:]) or 'none'


def _is_plain_name(name):
    return isinstance(name, str) and name == name.strip('. ') != '' and not _NOT_IN_A_NAME.search(name) and not _DEVICE.match(name)


def _plain_name(name):
    if not isinstance(name, str):
        raise TypeError("save_artifact() needs a file name, such as 'report.csv'.")
    if not _is_plain_name(name):
        raise ValueError(f"{name!r} is not a plain file name: give one such as 'report.csv', without a folder.")
    return name


def _content(data):
    if isinstance(data, str):
        return data.encode('utf-8', 'surrogateescape')
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    if isinstance(data, (list, tuple, dict)):
        return json.dumps(data, ensure_ascii=False, indent=2).encode('utf-8', 'surrogateescape')
    raise TypeError(f'{type(data).__name__} is neither text, bytes, list nor dict. Write it to a file, then save_artifact(Path(…)).')


def _reserve(folder, name, data):
    """Takes the next id by making its note; gives it and the path of the file to write. A note stays, so no id is used again."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    ending = os.path.splitext(name)[1][1:].lower()
    if ending == 'json' or not re.fullmatch('[a-z0-9]{1,12}', ending):
        ending = 'data'
    id = max((int(match[1]) for match in map(_NOTE.fullmatch, _names(folder)) if match), default=-1) + 1
    while True:
        try:
            handle = os.open(folder / f'{id}.json', os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
        except FileExistsError:
            id += 1
    file = f'{id}.{ending}'
    note = {'kind': 'file', 'mime': _mime_of(name, data), 'file': file, 'createdAt': int(time.time() * 1000), 'source': _source(name)}
    with open(handle, 'wb') as stream:
        stream.write(json.dumps(note).encode())
    return id, folder / file


def _source(name):
    """What made an artifact: the cell that runs, as the request it came with names it; nothing but the name outside of a kernel."""
    module = sys.modules.get('IPython')
    shell = module.get_ipython() if module is not None else None
    try:
        return {'runId': shell.get_parent()['header']['msg_id'], 'name': name}
    except (AttributeError, LookupError, TypeError):  # No shell, another shell than a kernel's, or nothing was asked yet.
        return {'name': name}


def _mime_of(name, data):
    import mimetypes  # It reads the system's tables: only when needed.

    guessed, packed = mimetypes.guess_type(name)
    if guessed is not None and packed is None:
        return guessed
    if isinstance(data, str):
        return 'text/plain'
    return 'application/json' if isinstance(data, (list, tuple, dict)) else 'application/octet-stream'
