"""Changes in text files: replace, sed, rsed, insert_at, delete_lines, delete_matching; and looking before and after: lines, diff.

The hard thing is what stays: bytes that are no text, line endings and a missing last newline are as before wherever nothing was changed,
and a file in which nothing was found is not written at all.
"""

import re

from .events import preview, reporting
from .results import FileCount, Found
from .search import pattern_of, shown_pattern
from .storage import UnsuitableFile, as_path, edit, ending_of, in_range, in_style_of, load, open_text, split_lines, without_ending
from .walking import files_under


def replace(path, old, new, *, regex=False, ignore_case=False, count=None, expect=None, encoding='utf-8'):
    """Replaces text in a file, at most count times, and returns how often; 0 leaves the file alone. regex=True takes old as a regular
    expression over the whole text and new as its replacement, with \\1 and \\g<name>. new may be a function of the match.
    expect=1 raises ValueError and changes nothing unless there is exactly one place. In a file with \\r\\n endings \\n means \\r\\n.
    """
    with reporting('replace', path=path, old=shown_pattern(old), count=0) as event:
        if old == '':
            raise ValueError('The text to replace is empty.')

        def change(text):
            wanted = pattern_of(in_style_of(text, old) if isinstance(old, str) else old, ignore_case, literal=not regex)
            changed, event['count'] = _substituted(text, wanted, _replacement(new, text, literal=not regex), count)
            _require(expect, event['count'], path)
            return changed

        edit(as_path(path), change, encoding)
        return event['count']


def sed(path, pattern, repl, *, ignore_case=False, literal=False, count=None, expect=None, encoding='utf-8'):
    """Replaces a regular expression in each line of a file, at most count times in all, and returns how often. ^ and $ are the ends of
    a line, whose line ending stays. repl has \\1 and \\g<name>, or is a function of the match; literal=True takes both as they are.
    expect=1 raises ValueError and changes nothing unless there is exactly one place.
    """
    with reporting('sed', path=path, pattern=shown_pattern(pattern), count=0) as event:
        wanted = pattern_of(pattern, ignore_case, literal)

        def change(text):
            changed, event['count'] = _substituted_by_line(text, wanted, _replacement(repl, text, literal), count)
            _require(expect, event['count'], path)
            return changed

        edit(as_path(path), change, encoding)
        return event['count']


def rsed(pattern, repl, path='.', *, glob='*', ignore_case=False, literal=False, hidden=False, dry_run=False, encoding='utf-8'):
    """Does what sed does in all files under a folder; glob='*.py' or 'src/**/*.py' chooses them, dry_run=True only counts.
    Returns a list of (path, count) of the files with changes. Links, binary and unreadable files are left out, hidden ones as in find().
    """
    with reporting('rsed', pattern=shown_pattern(pattern), path=path, dry_run=dry_run, count=0, skipped=0) as event:
        wanted = pattern_of(pattern, ignore_case, literal)
        changed = Found()

        def change(text):
            return _substituted_by_line(text, wanted, _replacement(repl, text, literal), None)

        for file in list(files_under(path, glob, hidden)):
            if file.is_symlink():
                continue
            try:
                found = change(load(file, encoding))[1]
            except (OSError, UnsuitableFile, UnicodeError):
                event['skipped'] += 1
                continue
            if found and not dry_run:
                edit(file, lambda text: change(text)[0], encoding)
            if found:
                changed.append(FileCount(file, found))
                event.update(count=event['count'] + found, files=len(changed), preview=changed)
        return changed


def _replacement(new, text, literal):
    """What goes to re.sub: a function as it is, a template in the text's line endings, a literal as a function that gives it."""
    if callable(new):
        return new
    if not isinstance(new, str):
        raise TypeError(f'The replacement must be text or a function, not {type(new).__name__}.')
    put = in_style_of(text, new)
    return (lambda match: put) if literal else put


def _substituted(text, wanted, put, count):
    """(text, how often). A count of None is every place."""
    if count is not None and count <= 0:
        return text, 0
    if callable(put):
        return wanted.subn(put, text, count or 0)
    try:
        return wanted.subn(put, text, count or 0)
    except (re.error, IndexError) as error:
        raise ValueError(f'The replacement {put!r} is not valid: {error}. Write \\\\ for a backslash.') from None


def _substituted_by_line(text, wanted, put, count):
    done, lines = 0, []
    for line in split_lines(text):
        changed, times = _substituted(without_ending(line), wanted, put, None if count is None else count - done)
        lines.append(changed + ending_of(line))
        done += times
    return ''.join(lines), done


def _require(expect, found, path):
    if expect is not None and found != expect:
        raise ValueError(f'{path}: {found} places were found where {expect} were expected; nothing was changed.')


def insert_at(path, line, text, *, after=False, encoding='utf-8'):
    """Inserts text as whole lines before the line with this number (from 1), or after it with after=True. One past the last line, or
    after=True with 0 for an empty file, adds at the end. The file's own line endings are used. Returns the number of lines inserted.
    """
    with reporting('insert_at', path=path, line=line, preview=preview(text)) as event:

        def change(content):
            kept = split_lines(content)
            index = line if after else line - 1
            if not 0 <= index <= len(kept):
                raise ValueError(f'{path} has {len(kept)} lines; line {line} is not a place to insert at.')
            added = split_lines(in_style_of(content, text))
            newline = in_style_of(content, '\n')
            if added and index < len(kept) and not ending_of(added[-1]):
                added[-1] += newline
            if added and index == len(kept) > 0 and not ending_of(kept[-1]):
                kept[-1] += newline
                added[-1] = without_ending(added[-1])
            event['inserted'] = len(added)
            return ''.join([*kept[:index], *added, *kept[index:]])

        edit(as_path(path), change, encoding)
        return event['inserted']


def delete_lines(path, start, end=None, *, encoding='utf-8'):
    """Removes the line with the number start, or the lines from start to end, both included (from 1, negative from the end).
    Returns how many; lines that aren't there raise ValueError.
    """
    with reporting('delete_lines', path=path, start=start, end=end) as event:

        def change(text):
            kept = split_lines(text)
            doomed = list(in_range(range(len(kept)), start, start if end is None else end))
            if not doomed:
                raise ValueError(f'{path} has {len(kept)} lines; there are none from {start} to {start if end is None else end}.')
            event.update(deleted=len(doomed), preview=preview(''.join(kept[doomed[0] : doomed[-1] + 1])))
            return ''.join(kept[: doomed[0]] + kept[doomed[-1] + 1 :])

        edit(as_path(path), change, encoding)
        return event['deleted']


def delete_matching(path, pattern, *, ignore_case=False, literal=False, invert=False, encoding='utf-8'):
    """Removes the lines in which a regular expression is found; invert=True removes the others, literal=True takes it as it is.
    Returns how many; 0 leaves the file alone.
    """
    with reporting('delete_matching', path=path, pattern=shown_pattern(pattern)) as event:
        wanted = pattern_of(pattern, ignore_case, literal)

        def change(text):
            every = split_lines(text)
            kept = [line for line in every if (wanted.search(without_ending(line)) is None) != invert]
            event['deleted'] = len(every) - len(kept)
            return ''.join(kept)

        edit(as_path(path), change, encoding)
        return event['deleted']


def lines(path, start=1, end=None, *, numbers=False, encoding='utf-8'):
    """The text of the lines from start to end, both included (from 1, negative from the end: lines(path, -20) is the last 20).
    numbers=True puts each line's number before it, for looking at. Works on files of any size.
    """
    with reporting('lines', path=path, start=start, end=end) as event:
        with open_text(as_path(path), encoding) as every:
            chosen = list(in_range(enumerate(every, 1), start, end))
        width = len(str(chosen[-1][0])) if chosen else 0
        text = ''.join(f'{number:>{width}}  {line}' if numbers else line for number, line in chosen)
        event.update(lines=len(chosen), preview=preview(text))
        return text


def diff(a, b, *, context=3, text=False, encoding='utf-8'):
    """What turns file a into file b, as a unified diff; '' when they are equal. text=True compares the two texts themselves."""
    with reporting('diff', a='text' if text else a, b='text' if text else b) as event:
        import difflib  # Slow to load and rarely needed: a kernel's start doesn't wait for it.

        old, new = (a, b) if text else (load(as_path(a), encoding), load(as_path(b), encoding))
        names = ('a', 'b') if text else (str(a), str(b))
        found = difflib.unified_diff(split_lines(old), split_lines(new), *names, n=context)
        result = ''.join(line if line.endswith('\n') else f'{line}\n\\ No newline at end of file\n' for line in found)
        event.update(equal=old == new, preview=preview(result))
        return result
