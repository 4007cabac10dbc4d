"""What helpers return: ordinary lists and tuples whose display is short.

They pickle as plain lists and tuples, because a reader of the pickle has no helpers.
"""

from collections import namedtuple

from .events import shortened

SHOWN_ITEMS = 30
SHOWN_WIDTH = 200
SHOWN_TEXT = 2_000


class Found(list):
    """A list that shows one item a line, and only the first of many. `complete` is False when a limit ended the search."""

    def __init__(self, items=(), complete=True):
        super().__init__(items)
        self.complete = complete

    def __repr__(self):
        shown = [shortened(str(item), SHOWN_WIDTH) for item in self[:SHOWN_ITEMS]]
        if len(self) > SHOWN_ITEMS:
            shown.append(f'… {len(self) - SHOWN_ITEMS} more')
        if not self.complete:
            shown.append('… ended at the limit; pass a larger limit= for more')
        return '\n'.join(shown) if shown else '[]'

    def __reduce__(self):
        return list, (list(self),)


class Record:
    """The manner of all records here, before a named tuple among the bases."""

    __slots__ = ()

    def __repr__(self):
        return shortened(str(self), SHOWN_WIDTH)

    def __reduce__(self):
        return tuple, (tuple(self),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class LineMatch(Record, namedtuple('LineMatch', 'line text')):
    """A line that grep found: its number from 1, its text without line ending."""

    __slots__ = ()

    def __str__(self):
        return f'{self.line}: {self.text}'


class FileMatch(Record, namedtuple('FileMatch', 'path line text')):
    """A line that rgrep found: the file, its number from 1, its text without line ending."""

    __slots__ = ()

    def __str__(self):
        return f'{self.path}:{self.line}: {self.text}'


class FileCount(Record, namedtuple('FileCount', 'path count')):
    """A file that rsed changed and the number of substitutions in it."""

    __slots__ = ()

    def __str__(self):
        return f'{self.path}: {self.count}'


class FileInfo(Record, namedtuple('FileInfo', 'path kind size modified mode target')):
    """What stat tells: kind is file, folder, link or other; target is where a link points, else None."""

    __slots__ = ()

    def __str__(self):
        target = f' -> {self.target}' if self.target else ''
        return f'{self.path}{target}: {self.kind}, {self.size:,} bytes, {self.mode}, {self.modified:%Y-%m-%d %H:%M:%S}'


class Artifact(Record, namedtuple('Artifact', 'id path name')):
    """What save_artifact made."""

    __slots__ = ()

    def __str__(self):
        return f'artifact://{self.id} ({self.name})'


class CommandResult(Record, namedtuple('CommandResult', 'code stdout stderr')):
    """What run returns. `ok` is True for exit code 0; a negative code is the signal that ended the command."""

    __slots__ = ()

    @property
    def ok(self):
        return self.code == 0

    def __str__(self):
        parts = [f'exit {self.code}', middle_cut(self.stdout), middle_cut(self.stderr)]
        return '\n'.join(part for part in parts if part)

    def __repr__(self):
        return str(self)


def middle_cut(text):
    """A text whose middle is left out when it is long."""
    text = text.rstrip('\n')
    if len(text) <= SHOWN_TEXT:
        return text
    half = SHOWN_TEXT // 2
    return f'{text[:half]}\n… {len(text) - 2 * half:,} characters not shown …\n{text[-half:]}'
