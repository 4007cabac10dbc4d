"""Search in files: grep, rgrep. Files are read a line at a time, so their size doesn't matter; what is binary is no text to search."""

import re
from collections import deque
from itertools import islice

from .events import reporting
from .results import FileMatch, Found, LineMatch
from .storage import UnsuitableFile, as_path, open_text, without_ending
from .walking import files_under


def pattern_of(pattern, ignore_case=False, literal=False):
    """A compiled regular expression. Raises ValueError that says what is wrong with the pattern, and how to mean it literally."""
    if isinstance(pattern, re.Pattern):
        return pattern
    if not isinstance(pattern, str):
        raise TypeError(f'The pattern must be text or a compiled pattern, not {type(pattern).__name__}.')
    try:
        return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise ValueError(
            f'The regular expression {pattern!r} is not valid: {error}. Pass literal=True to search for it as it is.'
        ) from None


def shown_pattern(pattern):
    """The source of a pattern, compiled or not."""
    return getattr(pattern, 'pattern', pattern)


def grep(pattern, path, *, ignore_case=False, literal=False, invert=False, context=0, limit=1000, encoding='utf-8'):
    """The lines of a file in which a regular expression is found, as a list of (line, text): number from 1, text without its ending.
    literal=True takes the pattern as it is; invert=True gives the other lines. With context=2 the text has two lines before and after.
    """
    with reporting('grep', pattern=shown_pattern(pattern), path=path) as event:
        wanted = pattern_of(pattern, ignore_case, literal)
        with open_text(as_path(path), encoding) as lines:
            matches = _matches(lines, wanted, invert, context)
            found = [LineMatch(*match) for match in islice(matches, limit)]
            complete = limit is None or next(matches, None) is None
        event.update(found=len(found), complete=complete, preview=found)
        return Found(found, complete)


def rgrep(pattern, path='.', *, glob='*', ignore_case=False, literal=False, hidden=False, context=0, limit=1000, encoding='utf-8'):
    """The lines in all files under a folder in which a regular expression is found, as a list of (path, line, text).
    glob='*.py' or 'src/**/*.py' chooses files. Binary and unreadable files are left out, hidden ones as in find().
    """
    with reporting('rgrep', pattern=shown_pattern(pattern), path=path) as event:
        wanted = pattern_of(pattern, ignore_case, literal)
        event.update(files=0, skipped=0)
        matches = _matches_under(files_under(path, glob, hidden), wanted, context, encoding, event)
        found = [FileMatch(*match) for match in islice(matches, limit)]
        complete = limit is None or next(matches, None) is None
        event.update(found=len(found), complete=complete, preview=found)
        return Found(found, complete)


def _matches_under(files, wanted, context, encoding, event):
    for file in files:
        try:
            with open_text(file, encoding) as lines:
                event['files'] += 1
                for line, text in _matches(lines, wanted, False, context):
                    yield file, line, text
        except (OSError, UnsuitableFile, UnicodeError):  # Unreadable, gone meanwhile, or binary.
            event['skipped'] += 1


def _matches(lines, wanted, invert, context):
    """(number, text) of each line that fits; the text has `context` lines around it."""
    before = deque(maxlen=context)
    waiting = deque()  # Matches whose lines after them have not all come: [number, lines, how many are missing].
    for number, line in enumerate(lines, 1):
        text = without_ending(line)
        for match in waiting:
            match[1].append(text)
            match[2] -= 1
        if (wanted.search(text) is None) == invert:
            waiting.append([number, [*before, text], context])
        before.append(text)
        while waiting and waiting[0][2] <= 0:
            number_found, block, _ = waiting.popleft()
            yield number_found, '\n'.join(block)
    for number_found, block, _ in waiting:
        yield number_found, '\n'.join(block)
