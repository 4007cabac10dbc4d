"""tree, find, glob_files."""

import os
import unittest
from pathlib import Path
from unittest import mock

from support import HelperTest

from prelude import find, glob_files, tree


class ListingTest(HelperTest):
    def setUp(self):
        super().setUp()
        for name in ('b.py', 'a.txt', 'src/main.py', 'src/deep/er/test_x.py', '.git/config', 'node_modules/p/index.py', '.hidden.py'):
            self.make(name, 'x' * 1234)

    def paths(self, found):
        return [path.as_posix() for path in found]


class Tree(ListingTest):
    def test_shows_folders_and_files_in_order(self):
        self.assertEqual(
            tree(),
            './\n  a.txt\n  b.py\n  src/\n    deep/\n      er/\n        … 1 inside\n    main.py',
        )

    def test_depth_sizes_and_hidden(self):
        self.assertEqual(tree('src', depth=1), 'src/\n  deep/\n    … 1 inside\n  main.py')
        self.assertIn('\n  main.py  1,234', tree('src', sizes=True))
        self.assertIn('.git/\n    config', tree(hidden=True))

    def test_the_limit_is_said(self):
        shown = tree(limit=2)
        self.assertEqual(shown.split('\n')[:3], ['./', '  a.txt', '  b.py'])
        self.assertIn('more than 2 entries', shown)

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_links_are_shown_not_followed(self):
        os.symlink('..', 'src/deep/loop')
        os.symlink('absent', 'src/dangling')
        shown = tree('src', depth=9)
        self.assertIn('loop -> ..', shown)
        self.assertIn('dangling -> absent', shown)

    def test_errors(self):
        with self.assertRaises(FileNotFoundError):
            tree('nothing')
        with self.assertRaises(NotADirectoryError):
            tree('a.txt')

    def test_reports_once_and_bounded(self):
        for index in range(600):
            self.make(f'many/{index:03}-{"n" * 150}')
        tree(depth=9, limit=10_000)
        event = self.only_event()
        self.assertEqual((event['op'], event['entries']), ('tree', 600 + 8))
        self.assertLessEqual(len(event['preview']), 400)


class Find(ListingTest):
    def test_by_name(self):
        self.assertEqual(self.paths(find('*.py')), ['b.py', 'src/deep/er/test_x.py', 'src/main.py'])
        self.assertEqual(self.paths(find('main.*', 'src')), ['src/main.py'])
        self.assertEqual(self.paths(find()), ['a.txt', 'b.py', 'src/deep/er/test_x.py', 'src/main.py'])

    def test_by_path(self):
        self.assertEqual(self.paths(find('src/**/test_*.py')), ['src/deep/er/test_x.py'])
        self.assertEqual(self.paths(find('src/*.py')), ['src/main.py'])
        self.assertEqual(self.paths(find('./src/*.py')), ['src/main.py'])

    def test_hidden(self):
        everything = ['.hidden.py', 'b.py', 'node_modules/p/index.py', 'src/deep/er/test_x.py', 'src/main.py']
        self.assertEqual(self.paths(find('*.py', hidden=True)), everything)
        self.assertEqual(self.paths(find('.hidden*')), ['.hidden.py'])
        self.assertEqual(self.paths(find('*.py', 'node_modules')), ['node_modules/p/index.py'])

    def test_kinds(self):
        self.assertEqual(self.paths(find('*', kind='folder')), ['src', 'src/deep', 'src/deep/er'])
        self.assertEqual(self.paths(find('*e*', kind='any')), ['src/deep', 'src/deep/er', 'src/deep/er/test_x.py'])
        with self.assertRaisesRegex(ValueError, "not 'socket'"):
            find(kind='socket')

    def test_depth_and_newest(self):
        self.assertEqual(self.paths(find(depth=1)), ['a.txt', 'b.py'])
        os.utime('a.txt', (1, 1))
        os.utime('src/main.py', (9_999_999_999, 9_999_999_999))
        found = self.paths(find(newest=True))
        self.assertEqual((found[0], found[-1]), ('src/main.py', 'a.txt'))

    def test_the_limit_ends_the_walk(self):
        looked = []
        scandir = os.scandir
        with mock.patch('os.scandir', lambda path: looked.append(str(path)) or scandir(path)):
            found = find(limit=1)
        self.assertEqual(self.paths(found), ['a.txt'])
        self.assertFalse(found.complete)
        self.assertIn('pass a larger limit=', repr(found))
        self.assertNotIn('src', looked)
        self.assertTrue(find(limit=4).complete)
        self.assertTrue(find(limit=None).complete)

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_a_loop_of_links_ends(self):
        os.symlink('..', 'src/up')
        os.symlink('b.py', 'link.py')
        self.assertEqual(self.paths(find('*.py')), ['b.py', 'link.py', 'src/deep/er/test_x.py', 'src/main.py'])

    def test_a_folder_that_cannot_be_read_is_left_out(self):
        scandir = os.scandir

        def refusing(path):
            if str(path).endswith('deep'):
                raise PermissionError(13, 'Permission denied')
            return scandir(path)

        with mock.patch('os.scandir', refusing):
            self.assertEqual(self.paths(find('*.py')), ['b.py', 'src/main.py'])

    def test_errors(self):
        with self.assertRaises(FileNotFoundError):
            find('*', 'nothing')
        with self.assertRaisesRegex(ValueError, 'not valid'):
            find('[z-a]')

    def test_reports_once_and_bounded(self):
        for index in range(100):
            self.make(f'many/{index}')
        self.assertEqual(len(find('*', 'many')), 100)
        event = self.only_event()
        self.assertEqual((event['found'], event['complete'], len(event['preview'])), (100, True, 11))

    def test_patterns(self):
        for name in ('x[1].md', 'x1.md', 'y.md', 'z.rst', 'q}.md'):
            self.make(f'p/{name}')
        cases = {
            'x?.md': ['x1.md'],
            '[xy]*.md': ['x1.md', 'x[1].md', 'y.md'],
            '[!x]*': ['q}.md', 'y.md', 'z.rst'],
            '{y,z}.*': ['y.md', 'z.rst'],
            'x[[]1].md': ['x[1].md'],
            'q}.md': ['q}.md'],
            'X1.MD': [],
            '*.{md,rst}': ['q}.md', 'x1.md', 'x[1].md', 'y.md', 'z.rst'],
        }
        for pattern, expected in cases.items():
            self.assertEqual([path.name for path in find(pattern, 'p')], expected, pattern)


class GlobFiles(ListingTest):
    def test_stays_where_the_pattern_says(self):
        self.assertEqual(self.paths(glob_files('*.py')), ['b.py'])
        self.assertEqual(self.paths(glob_files('**/*.py')), ['b.py', 'src/deep/er/test_x.py', 'src/main.py'])
        self.assertEqual(self.paths(glob_files('*/*.py')), ['src/main.py'])
        self.assertEqual(self.paths(glob_files('s{r,x}c/main.py')), ['src/main.py'])
        self.assertEqual(self.paths(glob_files('src/deep/**')), ['src/deep/er/test_x.py'])
        self.assertEqual(self.paths(glob_files('a.txt')), ['a.txt'])

    def test_from_another_folder_and_absolute(self):
        self.assertEqual(self.paths(glob_files('*.py', 'src')), ['src/main.py'])
        self.assertEqual(glob_files(f'{self.folder}/*.txt'), [self.folder / 'a.txt'])
        with mock.patch.dict(os.environ, {'HOME': str(self.folder), 'USERPROFILE': str(self.folder)}):
            self.assertEqual(glob_files('~/*.txt'), [self.folder / 'a.txt'])

    def test_wildcard_characters_in_the_folder_are_meant(self):
        self.make('odd[1]/x.py')
        self.assertEqual(self.paths(glob_files('*.py', 'odd[1]')), ['odd[1]/x.py'])

    def test_hidden_when_named_or_asked_for(self):
        self.assertEqual(self.paths(glob_files('.git/*')), ['.git/config'])
        self.assertEqual(self.paths(glob_files('.*.py')), ['.hidden.py'])
        self.assertEqual(self.paths(glob_files('*.py', hidden=True)), ['.hidden.py', 'b.py'])

    def test_nothing_is_an_empty_list(self):
        self.assertEqual(glob_files('nothing/*.py'), [])
        self.assertEqual(glob_files('*.none'), [])
        self.assertEqual(glob_files(''), [])

    def test_reports_once(self):
        glob_files('*.py')
        self.assertEqual(self.only_event()['op'], 'glob_files')

    def test_gives_paths(self):
        self.assertIsInstance(glob_files('*.py')[0], Path)
