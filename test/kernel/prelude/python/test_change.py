"""replace, sed, rsed, insert_at, delete_lines, delete_matching, lines, diff."""

import os
import re
import threading
import unittest

from support import HelperTest

from prelude import delete_lines, delete_matching, diff, insert_at, lines, replace, rsed, sed

# Everything that a careless reader or writer would change: invalid bytes, a mark, mixed endings, odd separators, no newline at the end.
ODD = b'\xef\xbb\xbfone\r\ntwo \xff\xfe\nthree\x0c\xe2\x80\xa8\rend\n\nlast'


class ChangeTest(HelperTest):
    def unwritten(self, name, action):
        """Does something and checks that the file was not written, not even with the same bytes."""
        before = os.stat(name)
        result = action()
        after = os.stat(name)
        self.assertEqual((before.st_mtime_ns, before.st_ino), (after.st_mtime_ns, after.st_ino))
        return result


class Replace(ChangeTest):
    def test_replaces_everywhere_and_counts(self):
        self.make('a.txt', 'x.x.x')
        self.assertEqual(replace('a.txt', '.', '--'), 2)
        self.assertEqual(self.bytes_of('a.txt'), b'x--x--x')
        self.assertEqual(self.only_event(), {'op': 'replace', 'path': 'a.txt', 'old': '.', 'count': 2})

    def test_leaves_all_other_bytes(self):
        self.make('a.txt', ODD)
        self.assertEqual(replace('a.txt', 'three', '3'), 1)
        self.assertEqual(self.bytes_of('a.txt'), ODD.replace(b'three', b'3'))

    def test_nothing_found_writes_nothing(self):
        self.make('a.txt', ODD)
        self.assertEqual(self.unwritten('a.txt', lambda: replace('a.txt', 'absent', 'x')), 0)

    def test_what_is_taken_literally(self):
        self.make('a.txt', r'a\1b(c')
        replace('a.txt', r'\1b(', r'\g<0>\n')
        self.assertEqual(self.bytes_of('a.txt'), rb'a\g<0>\nc')

    def test_count_and_expect(self):
        self.make('a.txt', 'x x x')
        for expected in (0, 1, 2):
            with self.assertRaisesRegex(ValueError, rf'3 places were found where {expected} were expected; nothing was changed'):
                self.unwritten('a.txt', lambda: replace('a.txt', 'x', 'y', expect=expected))
        self.assertEqual(replace('a.txt', 'x', 'y', count=2, expect=2), 2)
        self.assertEqual(replace('a.txt', 'x', 'y', count=0), 0)
        self.assertEqual(self.bytes_of('a.txt'), b'y y x')

    def test_regular_expressions_over_lines(self):
        self.make('a.txt', 'def f():\n    pass\n')
        self.assertEqual(replace('a.txt', r'def (\w+)\(\):\n\s+pass', r'\1 = None', regex=True), 1)
        self.assertEqual(self.bytes_of('a.txt'), b'f = None\n')
        self.assertEqual(replace('a.txt', re.compile('NONE', re.I), lambda match: match[0].lower(), regex=True), 1)
        self.assertEqual(self.bytes_of('a.txt'), b'f = none\n')

    def test_newlines_in_a_file_with_carriage_returns(self):
        self.make('a.txt', 'a\r\nb\r\nc\r\n')
        self.assertEqual(replace('a.txt', 'a\nb', 'x\ny\nz'), 1)
        self.assertEqual(self.bytes_of('a.txt'), b'x\r\ny\r\nz\r\nc\r\n')
        self.make('mixed.txt', 'a\r\nb\nc')
        self.assertEqual(replace('mixed.txt', 'b\n', 'd\n'), 1)
        self.assertEqual(self.bytes_of('mixed.txt'), b'a\r\nd\nc')

    def test_errors(self):
        self.make('a.txt', 'x')
        with self.assertRaisesRegex(ValueError, 'empty'):
            replace('a.txt', '', 'y')
        with self.assertRaisesRegex(ValueError, r"replacement '\\\\2' is not valid"):
            replace('a.txt', 'x', r'\2', regex=True)
        with self.assertRaisesRegex(TypeError, 'replacement must be text or a function, not NoneType'):
            replace('a.txt', 'x', None)
        with self.assertRaises(FileNotFoundError):
            replace('absent', 'x', 'y')
        self.assertEqual(self.bytes_of('a.txt'), b'x')
        self.assertEqual(len(self.events), 4)

    def test_an_error_of_a_replacing_function_passes_through(self):
        self.make('a.txt', 'x')

        def fail(match):
            raise LookupError('mine')

        with self.assertRaisesRegex(LookupError, 'mine'):
            replace('a.txt', 'x', fail)

    def test_edits_of_threads_are_not_lost(self):
        self.make('a.txt', '\n'.join(f'<{index}>' for index in range(30)))
        threads = [threading.Thread(target=replace, args=('a.txt', f'<{index}>', f'done {index}')) for index in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.bytes_of('a.txt').decode(), '\n'.join(f'done {index}' for index in range(30)))

    def test_other_encodings(self):
        self.make('a.txt', 'grün'.encode('cp1252'))
        replace('a.txt', 'ü', 'öö', encoding='cp1252')
        self.assertEqual(self.bytes_of('a.txt'), 'gröön'.encode('cp1252'))


class Sed(ChangeTest):
    def test_works_on_lines_and_keeps_their_endings(self):
        self.make('a.txt', ODD)
        self.assertEqual(sed('a.txt', '$', ';'), 5)
        self.assertEqual(self.bytes_of('a.txt'), b'\xef\xbb\xbfone;\r\ntwo \xff\xfe;\nthree\x0c\xe2\x80\xa8\rend;\n;\nlast;')

    def test_groups_functions_and_literals(self):
        self.make('a.txt', 'k=v\n')
        sed('a.txt', r'(\w)=(?P<to>\w)', r'\g<to>=\1')
        self.assertEqual(self.bytes_of('a.txt'), b'v=k\n')
        sed('a.txt', 'V', lambda match: match[0] * 2, ignore_case=True)
        self.assertEqual(self.bytes_of('a.txt'), b'vv=k\n')
        sed('a.txt', '=k', r'\1', literal=True)
        self.assertEqual(self.bytes_of('a.txt'), b'vv\\1\n')

    def test_count_is_for_the_whole_file(self):
        self.make('a.txt', 'xx\nxx\nxx\n')
        self.assertEqual(sed('a.txt', 'x', 'y', count=3), 3)
        self.assertEqual(self.bytes_of('a.txt'), b'yy\nyx\nxx\n')
        with self.assertRaisesRegex(ValueError, '3 places'):
            sed('a.txt', 'x', 'z', expect=1)
        self.assertEqual(self.unwritten('a.txt', lambda: sed('a.txt', 'q', 'z')), 0)

    def test_errors_and_events(self):
        self.make('a.txt', 'x\n')
        with self.assertRaisesRegex(ValueError, 'Pass literal=True'):
            sed('a.txt', '(', 'y')
        with self.assertRaisesRegex(ValueError, 'replacement'):
            sed('a.txt', 'x', r'\g<none>')
        self.assertEqual([(event['op'], 'error' in event) for event in self.events], [('sed', True)] * 2)


class RecursiveSed(ChangeTest):
    def setUp(self):
        super().setUp()
        self.make('a.py', b'old old\r\n\xff\n')
        self.make('src/b.py', 'old')
        self.make('src/c.txt', 'old')
        self.make('src/none.py', 'nothing')
        self.make('src/d.bin', b'\0old')
        self.make('.git/x.py', 'old')

    def test_changes_the_chosen_files(self):
        found = rsed('old', 'new', glob='*.py')
        self.assertEqual([(path.as_posix(), count) for path, count in found], [('a.py', 2), ('src/b.py', 1)])
        self.assertEqual(self.bytes_of('a.py'), b'new new\r\n\xff\n')
        self.assertEqual((self.bytes_of('src/c.txt'), self.bytes_of('src/d.bin'), self.bytes_of('.git/x.py')), (b'old', b'\0old', b'old'))
        event = self.only_event()
        self.assertEqual((event['op'], event['count'], event['files']), ('rsed', 3, 2))

    def test_a_dry_run_only_counts(self):
        self.assertEqual([count for _, count in rsed('old', 'new', dry_run=True)], [2, 1, 1])
        self.assertEqual(self.bytes_of('src/b.py'), b'old')

    def test_leaves_unchanged_files_unwritten(self):
        self.unwritten('src/none.py', lambda: rsed('old', 'new'))

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_does_not_follow_links(self):
        outside = self.make('outside/x.py', 'old')
        os.symlink(outside, 'src/link.py')
        os.symlink('../outside', 'src/folder')
        rsed('old', 'new', 'src')
        self.assertEqual(outside.read_bytes(), b'old')

    def test_a_bad_replacement_changes_nothing(self):
        with self.assertRaisesRegex(ValueError, 'replacement'):
            rsed('old', r'\3')
        self.assertEqual(self.bytes_of('src/b.py'), b'old')


class InsertAt(ChangeTest):
    def test_places(self):
        cases = [
            (1, False, b'new\na\nb\n'),
            (2, False, b'a\nnew\nb\n'),
            (3, False, b'a\nb\nnew\n'),
            (0, True, b'new\na\nb\n'),
            (1, True, b'a\nnew\nb\n'),
            (2, True, b'a\nb\nnew\n'),
        ]
        for line, after, expected in cases:
            self.make('a.txt', 'a\nb\n')
            self.assertEqual(insert_at('a.txt', line, 'new\n', after=after), 1)
            self.assertEqual(self.bytes_of('a.txt'), expected, (line, after))

    def test_whole_lines_in_the_files_own_endings(self):
        cases = [
            (b'a\nb', 1, 'x', b'x\na\nb'),
            (b'a\nb', 3, 'x', b'a\nb\nx'),
            (b'a\nb', 3, 'x\n', b'a\nb\nx'),
            (b'', 1, 'x', b'x'),
            (b'a\r\nb\r\n', 2, 'x\ny', b'a\r\nx\r\ny\r\nb\r\n'),
            (b'a\r\nb', 3, 'x', b'a\r\nb\r\nx'),
            (b'a\n', 2, 'x', b'a\nx'),
        ]
        for content, line, text, expected in cases:
            self.make('a.txt', content)
            insert_at('a.txt', line, text)
            self.assertEqual(self.bytes_of('a.txt'), expected, (content, line, text))

    def test_refuses_other_places(self):
        self.make('a.txt', 'a\nb\n')
        for line, after in ((0, False), (4, False), (-1, False), (3, True), (-1, True)):
            with self.assertRaisesRegex(ValueError, f'a.txt has 2 lines; line {line} is not a place'):
                self.unwritten('a.txt', lambda: insert_at('a.txt', line, 'x', after=after))

    def test_leaves_all_other_bytes_and_reports(self):
        self.make('a.txt', ODD)
        self.assertEqual(insert_at('a.txt', 2, 'new'), 1)
        self.assertEqual(self.bytes_of('a.txt'), ODD.replace(b'two', b'new\ntwo'))
        self.assertEqual(self.only_event(), {'op': 'insert_at', 'path': 'a.txt', 'line': 2, 'preview': 'new', 'inserted': 1})


class Delete(ChangeTest):
    def test_lines_by_number(self):
        cases = [
            ((1,), b'2\r\n3\n4'),
            ((4,), b'1\n2\r\n3\n'),
            ((2, 3), b'1\n4'),
            ((-1,), b'1\n2\r\n3\n'),
            ((-2, -1), b'1\n2\r\n'),
            ((2, 99), b'1\n'),
        ]
        for arguments, expected in cases:
            self.make('a.txt', b'1\n2\r\n3\n4')
            delete_lines('a.txt', *arguments)
            self.assertEqual(self.bytes_of('a.txt'), expected, arguments)

    def test_lines_that_are_not_there(self):
        self.make('a.txt', '1\n2\n')
        for arguments in ((3,), (2, 1), (5, 9)):
            with self.assertRaisesRegex(ValueError, 'a.txt has 2 lines'):
                self.unwritten('a.txt', lambda: delete_lines('a.txt', *arguments))
        with self.assertRaisesRegex(ValueError, 'line number from 1'):
            delete_lines('a.txt', 0)

    def test_lines_by_pattern(self):
        self.make('a.txt', ODD)
        self.assertEqual(delete_matching('a.txt', '^two|^$'), 2)
        self.assertEqual(self.bytes_of('a.txt'), b'\xef\xbb\xbfone\r\nthree\x0c\xe2\x80\xa8\rend\nlast')
        self.assertEqual(delete_matching('a.txt', 'LAST', ignore_case=True, invert=True), 2)
        self.assertEqual(self.bytes_of('a.txt'), b'last')
        self.assertEqual(self.unwritten('a.txt', lambda: delete_matching('a.txt', '.', literal=True)), 0)

    def test_reports(self):
        self.make('a.txt', 'a\nb\nc\n')
        delete_lines('a.txt', 2)
        self.assertEqual(self.only_event()['preview'], 'b\n')
        delete_matching('a.txt', 'a')
        self.assertEqual(self.only_event()['deleted'], 1)


class Lines(ChangeTest):
    def test_gives_lines_exactly(self):
        self.make('a.txt', 'a\r\nb\nc')
        self.assertEqual(lines('a.txt'), 'a\r\nb\nc')
        self.assertEqual(lines('a.txt', 2), 'b\nc')
        self.assertEqual(lines('a.txt', 1, 2), 'a\r\nb\n')
        self.assertEqual(lines('a.txt', -1), 'c')

    def test_numbers(self):
        self.make('a.txt', 'x\n' * 12)
        self.assertEqual(lines('a.txt', 9, 10, numbers=True), ' 9  x\n10  x\n')
        self.assertEqual(lines('a.txt', -1, numbers=True), '12  x\n')

    def test_reports_once_and_bounded(self):
        self.make('a.txt', 'x' * 99_999)
        lines('a.txt')
        self.assertLessEqual(len(self.only_event()['preview']), 400)


class Diff(ChangeTest):
    def test_files(self):
        self.make('a', 'one\ntwo\n')
        self.make('b', 'one\n2\n')
        self.assertEqual(diff('a', 'b'), '--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
        self.assertEqual(diff('a', 'a'), '')
        self.assertEqual([(event['op'], event['equal']) for event in self.events], [('diff', False), ('diff', True)])

    def test_texts_and_a_missing_last_newline(self):
        self.assertEqual(diff('a\n', 'a', text=True), '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n')
        self.assertEqual(diff('1\n2\n3\n', '1\n2\nx\n', text=True, context=0), '--- a\n+++ b\n@@ -3 +3 @@\n-3\n+x\n')

    def test_sees_line_endings(self):
        self.make('a', 'x\n')
        self.make('b', 'x\r\n')
        self.assertEqual(diff('a', 'b'), '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+x\r\n')
