"""Work on texts and lists of lines in memory: sort_lines, uniq, counter, cols. Each takes a text, whose lines are meant, or any items."""

import re
from collections import Counter

from .events import preview, reporting
from .results import Found
from .storage import ending_of, split_lines, without_ending


def sort_lines(text, *, reverse=False, unique=False, numeric=False, ignore_case=False, key=None):
    """The lines of a text in order; a list gives a list. numeric=True sorts by the first number in each line, lines without one last.
    key is a function of a line, as for sorted(). unique=True leaves repeated lines out.
    """
    with reporting('sort_lines') as event:
        items = _items(text)
        items = list(dict.fromkeys(items)) if unique else items
        ordered = sorted(items, key=key or _sort_key(numeric, ignore_case), reverse=reverse)
        event['lines'] = len(ordered)
        return _like(text, ordered, event)


def _sort_key(numeric, ignore_case):
    def by_number(item):
        number = re.search(r'-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?', str(item))
        return (number is None, float(number[0]) if number else 0.0, str(item))

    if numeric:
        return by_number
    return (lambda item: str(item).casefold()) if ignore_case else None


def uniq(text, *, count=False, adjacent=False):
    """The lines of a text without repeated ones, the first of each kept in its place; a list gives a list. adjacent=True leaves out
    only what repeats the line before. count=True returns a list of (how often, line) instead.
    """
    with reporting('uniq') as event:
        items = _items(text)
        groups = _runs(items) if adjacent else Counter(items).items()
        event.update(lines=len(items), kept=len(groups))
        if count:
            result = Found((times, item) for item, times in groups)
            event['preview'] = result
            return result
        return _like(text, [item for item, _ in groups], event)


def _runs(items):
    groups = []
    for item in items:
        if groups and groups[-1][0] == item:
            groups[-1][1] += 1
        else:
            groups.append([item, 1])
    return groups


def counter(items, *, limit=None, reverse=False):
    """How often each line of a text, or each item, comes: a list of (item, how often), the most frequent first (reverse=True: last);
    dict(counter(…)) looks one up.
    """
    with reporting('counter') as event:
        counts = Counter(_items(items)).most_common()
        if reverse:
            counts.reverse()
        result = Found(counts if limit is None else counts[:limit])
        event.update(distinct=len(counts), preview=result)
        return result


def cols(text, *columns, sep=None):
    """Columns of each line, counted from 0, negative from the end: cols(text, 0, -1). One column gives a list of texts, several or
    none (then all) a list of lists. sep is what stands between them, by default any white space; a missing column is ''.
    """
    with reporting('cols', columns=columns) as event:
        rows = Found()
        for item in _items(text):
            parts = item.split(sep)
            chosen = [parts[column] if -len(parts) <= column < len(parts) else '' for column in columns] if columns else parts
            rows.append(chosen[0] if len(columns) == 1 else chosen)
        event.update(lines=len(rows), preview=rows)
        return rows


def _items(source):
    return [without_ending(line) for line in split_lines(source)] if isinstance(source, str) else list(source)


def _like(source, items, event):
    """The items as what they came from: a text with the line ending of the first line and, if it had one, at the end; or a list."""
    if not isinstance(source, str):
        event['preview'] = items
        return Found(items)
    every = split_lines(source)
    newline = ending_of(every[0]) or '\n' if every else '\n'
    result = newline.join(items) + (newline if items and ending_of(every[-1]) else '')
    event['preview'] = preview(result)
    return result
