"""sort_lines, uniq, counter, cols; and what helpers return."""

import copy
import json
import pickle
import unittest

from support import HelperTest

from prelude import cols, counter, sort_lines, uniq
from prelude.results import CommandResult, FileCount, FileMatch, Found, LineMatch


class SortLines(HelperTest):
    def test_a_text_stays_a_text_with_its_ending(self):
        self.assertEqual(sort_lines('b\na\nc'), 'a\nb\nc')
        self.assertEqual(sort_lines('b\na\n'), 'a\nb\n')
        self.assertEqual(sort_lines('b\r\na\r\n'), 'a\r\nb\r\n')
        self.assertEqual(sort_lines(''), '')
        self.assertEqual(sort_lines('x'), 'x')

    def test_a_list_stays_a_list(self):
        self.assertEqual(sort_lines(['b', 'a']), ['a', 'b'])
        self.assertEqual(sort_lines({3, 1, 2}), [1, 2, 3])

    def test_options(self):
        self.assertEqual(sort_lines('a\nb\na', unique=True, reverse=True), 'b\na')
        self.assertEqual(sort_lines('x10\nx9\nx-1.5\nnone', numeric=True), 'x-1.5\nx9\nx10\nnone')
        self.assertEqual(sort_lines('b\nA\na\nB', ignore_case=True), 'A\na\nb\nB')
        self.assertEqual(sort_lines('aaa\nb\ncc', key=len), 'b\ncc\naaa')

    def test_reports_once(self):
        sort_lines('b\na')
        self.assertEqual(self.only_event(), {'op': 'sort_lines', 'lines': 2, 'preview': 'a\nb'})


class Uniq(HelperTest):
    def test_keeps_the_first_of_each(self):
        self.assertEqual(uniq('b\na\nb\n'), 'b\na\n')
        self.assertEqual(uniq([2, 1, 2]), [2, 1])
        self.assertEqual(uniq('b\nb\na\nb', adjacent=True), 'b\na\nb')

    def test_counts(self):
        self.assertEqual(uniq('b\na\nb', count=True), [(2, 'b'), (1, 'a')])
        self.assertEqual(uniq('b\nb\na\nb', count=True, adjacent=True), [(2, 'b'), (1, 'a'), (1, 'b')])

    def test_reports_once(self):
        uniq('b\na\nb')
        self.assertEqual(self.only_event(), {'op': 'uniq', 'lines': 3, 'kept': 2, 'preview': 'b\na'})


class CounterHelper(HelperTest):
    def test_counts_lines_or_items(self):
        self.assertEqual(counter('a\nb\na\n'), [('a', 2), ('b', 1)])
        self.assertEqual(counter([3, 3, 1]), [(3, 2), (1, 1)])
        self.assertEqual(dict(counter('a\nb\na'))['a'], 2)

    def test_limit_and_order(self):
        self.assertEqual(counter('abca', limit=1), [('abca', 1)])
        self.assertEqual(counter(list('abcaab'), limit=2), [('a', 3), ('b', 2)])
        self.assertEqual(counter(list('aab'), reverse=True), [('b', 1), ('a', 2)])
        self.only_event_of('counter', 3)

    def only_event_of(self, op, count):
        self.assertEqual([event['op'] for event in self.events], [op] * count)


class Cols(HelperTest):
    def test_columns_of_lines(self):
        text = 'a  b c\nd e\r\n\n'
        self.assertEqual(cols(text, 1), ['b', 'e', ''])
        self.assertEqual(cols(text, 0, -1), [['a', 'c'], ['d', 'e'], ['', '']])
        self.assertEqual(cols(text), [['a', 'b', 'c'], ['d', 'e'], []])
        self.assertEqual(cols('a,b\nc', 1, sep=','), ['b', ''])
        self.assertEqual(cols(['x y'], 5), [''])

    def test_reports_once(self):
        cols('a b', 0)
        self.assertEqual(self.only_event(), {'op': 'cols', 'columns': [0], 'lines': 1, 'preview': ['a']})


class Results(unittest.TestCase):
    def test_long_lists_have_a_short_display(self):
        found = Found(LineMatch(number, 'x' * 5000) for number in range(1000))
        self.assertLess(len(repr(found)), 31 * 202)
        self.assertTrue(repr(found).endswith('… 970 more'))
        self.assertEqual(repr(Found()), '[]')

    def test_records_are_tuples_with_names(self):
        path, line, text = FileMatch('a', 2, 'x')
        self.assertEqual((path, line, text), ('a', 2, 'x'))
        self.assertEqual(str(FileCount('a', 2)), 'a: 2')
        self.assertEqual(json.dumps([LineMatch(1, 'x')]), '[[1, "x"]]')

    def test_pickles_hold_plain_types(self):
        for value in (Found([LineMatch(1, 'x')]), CommandResult(0, 'a', 'b')):
            data = pickle.dumps(value)
            self.assertNotIn(b'prelude', data)
            self.assertEqual(pickle.loads(data), value)

    def test_copies_keep_their_names(self):
        for made in (copy.copy(LineMatch(1, 'x')), copy.deepcopy(LineMatch(1, 'x'))):
            self.assertEqual((made.line, made.text), (1, 'x'))

    def test_a_command_result_shows_both_outputs_bounded(self):
        self.assertEqual(repr(CommandResult(1, 'out\n', 'err\n')), 'exit 1\nout\nerr')
        shown = repr(CommandResult(0, 'x' * 1_000_000, ''))
        self.assertIn('998,000 characters not shown', shown)
        self.assertLess(len(shown), 2200)
        self.assertTrue(CommandResult(0, '', '').ok)
        self.assertFalse(CommandResult(-9, '', '').ok)
