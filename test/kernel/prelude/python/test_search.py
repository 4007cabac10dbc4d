"""grep, rgrep."""

import re
import threading

from support import HelperTest

from prelude import grep, rgrep


class Grep(HelperTest):
    def setUp(self):
        super().setUp()
        self.make('a.txt', 'alpha\nBeta\r\ngamma alpha\n\nlast (x)')

    def test_gives_numbers_and_text_without_endings(self):
        found = grep('alpha', 'a.txt')
        self.assertEqual(found, [(1, 'alpha'), (3, 'gamma alpha')])
        self.assertEqual((found[1].line, found[1].text), (3, 'gamma alpha'))
        self.assertEqual(grep('a$', 'a.txt'), [(1, 'alpha'), (2, 'Beta'), (3, 'gamma alpha')])
        self.assertEqual(repr(found), '1: alpha\n3: gamma alpha')

    def test_options(self):
        self.assertEqual(grep('beta', 'a.txt', ignore_case=True), [(2, 'Beta')])
        self.assertEqual(grep('(x)', 'a.txt', literal=True), [(5, 'last (x)')])
        self.assertEqual(grep('a', 'a.txt', invert=True), [(4, '')])
        self.assertEqual(grep(re.compile('^G', re.I), 'a.txt'), [(3, 'gamma alpha')])

    def test_context(self):
        self.assertEqual(grep('Beta', 'a.txt', context=1), [(2, 'alpha\nBeta\ngamma alpha')])
        self.assertEqual(grep('alpha', 'a.txt', context=1), [(1, 'alpha\nBeta'), (3, 'Beta\ngamma alpha\n')])
        self.assertEqual(grep('last', 'a.txt', context=9), [(5, 'alpha\nBeta\ngamma alpha\n\nlast (x)')])

    def test_the_limit(self):
        self.make('many.txt', 'x\n' * 50)
        found = grep('x', 'many.txt', limit=10)
        self.assertEqual((len(found), found.complete), (10, False))
        self.assertTrue(grep('x', 'many.txt', limit=50).complete)
        self.assertEqual(len(grep('x', 'many.txt', limit=None)), 50)

    def test_a_bad_pattern_says_what_is_wrong(self):
        for pattern in ('(', '[', '*x', '(?P<n>'):
            with self.assertRaisesRegex(ValueError, re.escape(repr(pattern)) + ' is not valid: .* Pass literal=True'):
                grep(pattern, 'a.txt')
        with self.assertRaisesRegex(TypeError, 'must be text'):
            grep(7, 'a.txt')

    def test_invalid_bytes_and_binary_files(self):
        self.make('latin.txt', b'caf\xe9 one\n')
        self.assertEqual(grep('one', 'latin.txt'), [(1, 'caf\udce9 one')])
        self.make('b.bin', b'\0\1one\n')
        with self.assertRaisesRegex(ValueError, 'binary'):
            grep('one', 'b.bin')

    def test_reports_once_and_bounded(self):
        self.make('long.txt', ('x' * 10_000 + '\n') * 300)
        self.assertEqual(len(grep('x', 'long.txt')), 300)
        event = self.only_event()
        self.assertEqual((event['op'], event['found'], event['pattern']), ('grep', 300, 'x'))
        self.assertLess(len(str(event)), 6000)

    def test_threads(self):
        found = []
        threads = [threading.Thread(target=lambda: found.append(grep('alpha', 'a.txt'))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [[(1, 'alpha'), (3, 'gamma alpha')]] * 20)


class RecursiveGrep(HelperTest):
    def setUp(self):
        super().setUp()
        self.make('a.py', 'needle\n')
        self.make('src/b.py', 'x\nthe Needle\n')
        self.make('src/c.txt', 'needle\n')
        self.make('src/d.bin', b'\0needle\n')
        self.make('.git/x', 'needle')
        self.make('node_modules/y.py', 'needle')

    def places(self, found):
        return [(match.path.as_posix(), match.line) for match in found]

    def test_looks_in_all_text_files(self):
        self.assertEqual(self.places(rgrep('needle')), [('a.py', 1), ('src/c.txt', 1)])
        event = self.only_event()
        self.assertEqual((event['op'], event['found'], event['files'], event['skipped']), ('rgrep', 2, 3, 1))

    def test_options(self):
        self.assertEqual(self.places(rgrep('needle', ignore_case=True, glob='*.py')), [('a.py', 1), ('src/b.py', 2)])
        self.assertEqual(self.places(rgrep('needle', glob='src/**')), [('src/c.txt', 1)])
        self.assertEqual(self.places(rgrep('needle', 'src')), [('src/c.txt', 1)])
        self.assertEqual(self.places(rgrep('needle', 'src/c.txt')), [('src/c.txt', 1)])
        self.assertEqual(len(rgrep('needle', hidden=True)), 4)
        self.assertEqual(rgrep('Needle', context=1)[0].text, 'x\nthe Needle')

    def test_the_limit_and_the_display(self):
        found = rgrep('needle', limit=1)
        self.assertEqual(len(found), 1)
        self.assertEqual(repr(found), 'a.py:1: needle\n… ended at the limit; pass a larger limit= for more')

    def test_errors(self):
        with self.assertRaises(FileNotFoundError):
            rgrep('x', 'nothing')
        with self.assertRaises(ValueError):
            rgrep('(')
        self.assertEqual(len(self.events), 2)
