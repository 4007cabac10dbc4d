"""Text files to the byte: how they are read, told from binary ones, and replaced.

Bytes that are no valid text travel as surrogate escapes and every line ending stays, so what a helper doesn't change is written back
as it was. A file is replaced by renaming a finished one over it: a reader, or an interrupt, never meets half of it.
"""

import codecs
import errno
import os
import stat
import threading
from collections import deque
from contextlib import contextmanager
from io import StringIO
from itertools import islice
from pathlib import Path

# A text beyond this is hardly wanted whole in memory; the message names the helpers that read a part.
MAX_BYTES = 100_000_000

# Where binary formats have a zero byte or control characters, if anywhere.
SNIFFED_BYTES = 8_192
_CONTROL = frozenset(range(32)) - frozenset(b'\b\t\n\v\f\r\x1b') | {127}
_UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# What the system says when a folder takes no new file, or a file that is mounted by itself can't be replaced by another.
_NO_SECOND_FILE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)


class UnsuitableFile(ValueError):
    """A file that is not taken as text: binary, or too large. Pickles as what it is to others."""

    def __reduce__(self):
        return ValueError, self.args


def as_path(path):
    """A path object from text, bytes or a path; `~` is the home folder."""
    text = os.fsdecode(path)
    if not text:
        raise ValueError('The path is empty.')
    return Path(os.path.expanduser(text))


def open_text(path, encoding='utf-8', errors='surrogateescape'):
    """Opens a text file for reading; its lines end at \\n alone and keep their endings. Raises UnsuitableFile for a binary one."""
    file = open(path, encoding=encoding, errors=errors, newline='\n')
    try:
        if file.buffer.seekable():
            refuse_binary(path, file.buffer.read(SNIFFED_BYTES), encoding)
            file.buffer.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def load(path, encoding='utf-8', errors='surrogateescape', max_bytes=MAX_BYTES):
    """The whole text of a file. Raises UnsuitableFile for a binary one and for one over `max_bytes` (None: no limit)."""
    with open(path, 'rb') as file:
        data = file.read() if max_bytes is None else file.read(max_bytes + 1)
        if max_bytes is not None and len(data) > max_bytes:
            size = max(os.fstat(file.fileno()).st_size, len(data))
            raise UnsuitableFile(
                f'{path} has {size:,} bytes, more than max_bytes={max_bytes:,}. Take a part with lines() or grep(), or pass max_bytes=None.'
            )
    refuse_binary(path, data[:SNIFFED_BYTES], encoding)
    return data.decode(encoding, errors)


def refuse_binary(path, sample, encoding):
    """Raises UnsuitableFile when the first bytes of a file are not text of an encoding that writes ASCII as one byte."""
    if sample.startswith(_UTF16_BOMS) and _is_ascii_based(encoding):
        raise UnsuitableFile(f"{path} is UTF-16 text: pass encoding='utf-16'.")
    if is_binary(sample) and _is_ascii_based(encoding):
        raise UnsuitableFile(f"{path} is a binary file. Read its bytes with open({str(path)!r}, 'rb').")


def is_binary(sample):
    """Whether the first bytes of a file have a zero byte, or more control characters than text does."""
    return b'\0' in sample or sum(byte in _CONTROL for byte in sample) * 20 > len(sample)


def _is_ascii_based(encoding):
    return 'a'.encode(encoding) == b'a' or encoding.lower().replace('_', '-') == 'utf-8-sig'


def split_lines(text):
    """The lines of a text with their endings. Only \\n ends a line; joined they are the text again."""
    return StringIO(text, newline='\n').readlines()


def in_range(lines, start, end):
    """The lines from number `start` to number `end`, both included: 1-based, negative from the end, None for the last."""
    for name, number in (('start', start), ('end', end)):
        if not (isinstance(number, int) and number != 0 or name == 'end' and number is None):
            raise ValueError(f'{name} is a line number from 1, or from -1 backwards; it was {number!r}.')
    if start > 0 and (end is None or end > 0):
        return islice(lines, start - 1, end)
    if end is None:
        return deque(lines, maxlen=-start)
    kept = list(lines)
    first = start - 1 if start > 0 else max(len(kept) + start, 0)
    return kept[first : end if end > 0 else max(len(kept) + end + 1, 0)]


def without_ending(line):
    """A line without its \\n or \\r\\n."""
    if line.endswith('\r\n'):
        return line[:-2]
    return line[:-1] if line.endswith('\n') else line


def ending_of(line):
    """The \\n or \\r\\n of a line, or nothing."""
    return line[len(without_ending(line)) :]


def in_style_of(text, inserted):
    """The inserted text with the line endings of a text that ends all its lines with \\r\\n; else as it is."""
    ends = text.count('\n')
    if ends == 0 or text.count('\r\n') < ends:
        return inserted
    return inserted.replace('\r\n', '\n').replace('\n', '\r\n')


def store(path, data, follow=True):
    """Replaces a file's content at once, or makes the file with its folders. A link's target is replaced rather than the link,
    unless `follow` is False; mode and owner stay. Where no second file can be made, the old one is overwritten in place."""
    target = os.path.realpath(path) if follow else os.fspath(path)
    old = _file_to_keep(target) if follow else None
    if old is not None and not stat.S_ISREG(old.st_mode):  # A device or a pipe.
        _overwrite(target, data)
        return
    os.makedirs(os.path.dirname(target) or os.curdir, exist_ok=True)
    try:
        with replacement(target) as temporary:
            with open(temporary, 'xb') as file:
                file.write(data)
            if old is not None:
                _take_over(temporary, old)
    except OSError as error:
        if old is None or error.errno not in _NO_SECOND_FILE:
            raise
        _overwrite(target, data)


@contextmanager
def replacement(target):
    """A path beside the target for a file to make; it takes the target's place when the block ends well, else it is removed."""
    temporary = os.path.join(os.path.dirname(target), f'.{os.urandom(8).hex()}.tmp')
    try:
        yield temporary
        os.replace(temporary, target)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:  # Not made yet, or not removable: the first error says more.
            pass
        raise


def _file_to_keep(target):
    """What the system knows of the present file, or None. Renaming would also replace a write-protected one: refused here."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    return old


def _overwrite(target, data):
    with open(target, 'wb') as file:
        file.write(data)


def _take_over(temporary, old):
    made = os.stat(temporary)
    if hasattr(os, 'chown') and (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except PermissionError:  # Only the superuser gives files away; the content matters more than the owner.
            pass
    os.chmod(temporary, stat.S_IMODE(old.st_mode))


class EditLock:
    """Keeps edits of different threads apart. A forked child has a lock of its own, and so has a pickled copy: the thread that may hold
    this one is in neither."""

    def __init__(self):
        self._locks = {}

    def __enter__(self):
        self._locks.setdefault(os.getpid(), threading.RLock()).acquire()

    def __exit__(self, *error):
        self._locks[os.getpid()].release()

    def __reduce__(self):
        return EditLock, ()


_editing = EditLock()


def edit(path, change, encoding='utf-8'):
    """Replaces a file's text by `change(text)`, unless it is the same. No other thread's edit comes between."""
    with _editing:
        text = load(path, encoding)
        changed = change(text)
        if changed != text:
            store(path, changed.encode(encoding, 'surrogateescape'))
