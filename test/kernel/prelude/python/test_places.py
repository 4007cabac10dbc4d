"""rm, mv, cp, stat."""

import os
import stat as modes
import unittest
from pathlib import Path
from unittest import mock

from support import HelperTest

from prelude import cp, mv, rm, stat


class Remove(HelperTest):
    def test_removes_files_and_empty_folders(self):
        self.make('a')
        self.make('b')
        os.mkdir('empty')
        self.assertEqual(rm('a', Path('b'), 'empty'), 3)
        self.assertEqual(self.names(), [])
        self.assertEqual(self.only_event(), {'op': 'rm', 'paths': ['a', 'b', 'empty'], 'recursive': False, 'removed': 3})

    def test_a_full_folder_needs_recursive(self):
        self.make('folder/a/b')
        with self.assertRaisesRegex(OSError, 'pass recursive=True'):
            rm('folder')
        self.assertEqual(self.bytes_of('folder/a/b'), b'')
        self.assertEqual(rm('folder', recursive=True), 1)
        self.assertEqual(self.names(), [])

    def test_missing(self):
        with self.assertRaises(FileNotFoundError):
            rm('nothing')
        self.assertEqual(rm('nothing', missing_ok=True), 0)
        with self.assertRaises(TypeError):
            rm()

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_never_follows_links(self):
        self.make('kept/file', 'precious')
        self.make('folder/x')
        for link, target in (('to_folder', 'kept'), ('to_file', 'kept/file'), ('to_nothing', 'absent'), ('folder/inner', '../kept')):
            os.symlink(target, link)
        rm('to_folder', recursive=True)
        rm('to_file', 'to_nothing')
        rm('folder', recursive=True)
        self.assertEqual(self.names(), ['kept', 'kept/file'])
        os.symlink('kept', 'again')
        rm('again/')
        self.assertEqual(self.names(), ['kept', 'kept/file'])

    def test_refuses_the_folders_that_a_slip_would_empty(self):
        self.make('home/file')
        self.make('work/inner/file')
        os.chdir('work/inner')
        with mock.patch.dict(os.environ, {'HOME': str(self.folder / 'home'), 'USERPROFILE': str(self.folder / 'home')}):
            for path in ('/', '~', '.', '..', '../..', str(self.folder), self.folder / 'home'):
                with self.assertRaisesRegex(ValueError, 'home or the working folder'):
                    rm(path, recursive=True)
        self.assertEqual(self.names(), ['home', 'home/file', 'work', 'work/inner', 'work/inner/file'])


class MoveAndCopy(HelperTest):
    def test_move_renames_and_makes_folders(self):
        self.make('a.txt', 'a')
        self.assertEqual(mv('a.txt', 'x/y/b.txt'), Path('x/y/b.txt'))
        self.assertEqual(self.names(), ['x', 'x/y', 'x/y/b.txt'])
        self.assertEqual(self.only_event(), {'op': 'mv', 'src': 'a.txt', 'dst': os.path.join('x', 'y', 'b.txt')})

    def test_into_a_folder(self):
        self.make('a.txt', 'a')
        os.mkdir('folder')
        self.assertEqual(cp('a.txt', 'folder'), Path('folder/a.txt'))
        self.assertEqual(cp('a.txt', 'new/'), Path('new/a.txt'))
        self.assertEqual(mv('a.txt', 'other/'), Path('other/a.txt'))
        self.assertEqual(mv('folder', 'other'), Path('other/folder'))
        self.assertEqual(self.names(), ['new', 'new/a.txt', 'other', 'other/a.txt', 'other/folder', 'other/folder/a.txt'])

    def test_replaces_a_file_unless_told_not_to(self):
        for action in (cp, mv):
            self.make('a.txt', 'new')
            self.make('b.txt', 'old')
            with self.assertRaises(FileExistsError):
                action('a.txt', 'b.txt', overwrite=False)
            self.assertEqual(self.bytes_of('b.txt'), b'old')
            action('a.txt', 'b.txt')
            self.assertEqual(self.bytes_of('b.txt'), b'new')

    def test_never_replaces_a_folder_nor_a_file_by_a_folder(self):
        self.make('file', 'x')
        self.make('folder/file/inner', 'y')
        for action in (cp, mv):
            with self.assertRaises(FileExistsError):
                action('file', 'folder')
            with self.assertRaises(FileExistsError):
                action('folder', 'file')
        self.assertEqual(self.names(), ['file', 'folder', 'folder/file', 'folder/file/inner'])

    def test_refuses_itself(self):
        self.make('a.txt', 'a')
        self.make('folder/inner/x')
        os.link('a.txt', 'same.txt')
        for action in (cp, mv):
            for target in ('a.txt', './a.txt', 'same.txt'):
                with self.assertRaisesRegex(ValueError, 'same file'):
                    action('a.txt', target)
            with self.assertRaisesRegex(ValueError, 'into itself'):
                action('folder', 'folder/inner')
        self.assertEqual(self.bytes_of('a.txt'), b'a')

    def test_missing_source(self):
        for action in (cp, mv):
            with self.assertRaises(FileNotFoundError):
                action('nothing', 'x/y')
        self.assertEqual(self.names(), [])

    @unittest.skipIf(os.name == 'nt', 'modes are of Unix')
    def test_copy_keeps_mode_and_times(self):
        self.make('a.sh', 'a').chmod(0o750)
        os.utime('a.sh', (1_000_000_000, 1_000_000_000))
        cp('a.sh', 'b.sh')
        found = os.stat('b.sh')
        self.assertEqual((modes.S_IMODE(found.st_mode), found.st_mtime), (0o750, 1_000_000_000))

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_links(self):
        self.make('real', 'x')
        self.make('folder/inner')
        os.symlink('real', 'link')
        os.symlink('../real', 'folder/link')
        cp('folder', 'copied')
        self.assertEqual(os.readlink('copied/link'), '../real')
        cp('link', 'a-copy')
        self.assertFalse(os.path.islink('a-copy'))
        mv('link', 'moved')
        self.assertEqual(os.readlink('moved'), 'real')

    def test_moves_to_another_file_system(self):
        self.make('a.txt', 'a')
        self.make('folder/b.txt', 'b')
        with mock.patch('os.replace', side_effect=OSError(18, 'Invalid cross-device link')):
            with mock.patch('os.rename', side_effect=OSError(18, 'Invalid cross-device link')):
                mv('a.txt', 'x/a.txt')
                mv('folder', 'x/folder')
        self.assertEqual(self.names(), ['x', 'x/a.txt', 'x/folder', 'x/folder/b.txt'])


class Stat(HelperTest):
    def test_describes_files_and_folders(self):
        self.make('a.txt', 'four').chmod(0o644)
        info = stat('a.txt')
        self.assertEqual((info.path, info.kind, info.size, info.target), (Path('a.txt'), 'file', 4, None))
        self.assertAlmostEqual(info.modified.timestamp(), os.stat('a.txt').st_mtime, places=5)
        self.assertIsNotNone(info.modified.tzinfo)
        self.assertEqual(stat('.').kind, 'folder')
        self.assertRegex(str(info), r'^a\.txt: file, 4 bytes, -rw-')

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_links(self):
        self.make('a.txt', 'four')
        os.symlink('a.txt', 'link')
        self.assertEqual((stat('link').kind, stat('link').size, stat('link').target), ('file', 4, 'a.txt'))
        self.assertEqual(stat('link', follow=False).kind, 'link')
        os.symlink('absent', 'dangling')
        with self.assertRaises(FileNotFoundError):
            stat('dangling')
        self.assertEqual(stat('dangling', follow=False).target, 'absent')
