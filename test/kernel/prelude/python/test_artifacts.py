"""output, save_artifact."""
import json
import os
import threading
import unittest
from pathlib import Path
from unittest import mock

from support import HelperTest

from prelude import output, save_artifact


class ArtifactTest(HelperTest):
    def setUp(self):
        super().setUp()
        self.make('outside.txt', 'secret')
        os.mkdir('art')
        patch = mock.patch.dict(os.environ, {'ARTIFACTS': str(self.folder / 'art')})
        patch.start()
        self.addCleanup(patch.stop)

    def saved(self):
        return sorted(os.listdir('art'))


class Output(ArtifactTest):
    def setUp(self):
        super().setUp()
        self.make('art/0.txt', 'zero\n')
        self.make('art/1.txt', b'one\r\ntwo \xff\nthree')
        self.make('art/10.txt', 'ten\n')
        self.make('art/2.png', b'\x89PNG\r\n\x1a\n\0')
        self.make('art/report.csv', 'a,b\n')

    def test_by_id(self):
        self.assertEqual(output(0), 'zero\n')
        self.assertEqual(output('10'), 'ten\n')
        self.assertEqual(output('artifact://1'), 'one\r\ntwo \ufffd\nthree')
        self.assertEqual(output('report.csv'), 'a,b\n')

    def test_a_part(self):
        self.assertEqual(output(1, start=2), 'two \ufffd\nthree')
        self.assertEqual(output(1, end=1), 'one\r\n')
        self.assertEqual(output(1, start=-1), 'three')
        self.assertEqual(output(1, pattern='^t'), 'two \ufffd\nthree')
        self.assertEqual(output(1, start=3, pattern='T', ignore_case=True), 'three')
        self.assertEqual(output(1, pattern='.', literal=True), '')
        with self.assertRaises(ValueError):
            output(1, pattern='(')

    def test_missing_ones(self):
        for id in (5, 'x', '', '../outside.txt', str(self.folder / 'outside.txt'), '1/../../outside.txt'):
            with self.assertRaisesRegex(FileNotFoundError, r'no artifact .*; it has 0\.txt, 1\.txt, 10\.txt, 2\.png, report\.csv'):
                output(id)

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_a_link_does_not_lead_out(self):
        os.symlink('../outside.txt', 'art/3.txt')
        with self.assertRaisesRegex(PermissionError, 'leads out'):
            output(3)

    def test_binary_and_large(self):
        with self.assertRaisesRegex(ValueError, 'binary'):
            output(2)
        with self.assertRaisesRegex(ValueError, 'more than max_bytes=2'):
            output(0, max_bytes=2)
        self.assertEqual(output(0, start=1, end=1, max_bytes=2), 'zero\n')

    def test_without_a_folder(self):
        del os.environ['ARTIFACTS']
        for action in (lambda: output(0), lambda: save_artifact('x', 'x.txt')):
            with self.assertRaisesRegex(RuntimeError, 'ARTIFACTS is not set'):
                action()

    def test_reports_once(self):
        output(0)
        self.assertEqual(self.only_event(), {'op': 'output', 'id': 0, 'file': '0.txt', 'lines': 1, 'preview': 'zero\n'})


class SaveArtifact(ArtifactTest):
    def test_what_it_saves(self):
        self.assertEqual(save_artifact('täxt\r\n', 'a.txt'), self.folder / 'art' / 'a.txt')
        save_artifact(b'\0\xff', 'b.bin')
        save_artifact({'k': ['ü', 1]}, 'c.json')
        save_artifact(Path('outside.txt'))
        save_artifact(Path('outside.txt'), 'renamed.txt')
        self.assertEqual(self.bytes_of('art/a.txt'), 'täxt\r\n'.encode())
        self.assertEqual(self.bytes_of('art/b.bin'), b'\0\xff')
        self.assertEqual(json.loads(self.bytes_of('art/c.json')), {'k': ['ü', 1]})
        self.assertEqual(self.saved(), ['a.txt', 'b.bin', 'c.json', 'outside.txt', 'renamed.txt'])
        self.assertEqual(self.events[0], {'op': 'save_artifact', 'name': 'a.txt', 'bytes': 7})

    def test_never_overwrites(self):
        for text in ('1', '2', '3'):
            save_artifact(text, 'a.tar.gz')
        self.assertEqual(self.saved(), ['a.tar-2.gz', 'a.tar-3.gz', 'a.tar.gz'])
        self.assertEqual(self.bytes_of('art/a.tar.gz'), b'1')
        self.assertEqual(output('a.tar-3.gz'), '3')

    def test_threads_get_different_names(self):
        threads = [threading.Thread(target=save_artifact, args=(str(index), 'a.txt')) for index in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(self.saved()), 20)
        self.assertEqual(sorted(self.bytes_of(f'art/{name}').decode() for name in self.saved()), sorted(map(str, range(20))))

    def test_names_stay_in_the_folder(self):
        for name in ('', '.', '..', '../x', 'a/b', 'a\\b', '/etc/x', 'C:x', 'a:b', 'a\0b', 'a\nb', '.hidden', 'x.', 'x ', 'NUL', 'con.txt', 'com1.log'):
            with self.assertRaisesRegex(ValueError, 'not a plain file name'):
                save_artifact('x', name)
        for name in (None, 5, b'x'):
            with self.assertRaises(TypeError):
                save_artifact('x', name)
        self.assertEqual((self.saved(), self.bytes_of('outside.txt')), ([], b'secret'))

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_a_link_of_that_name_is_not_followed(self):
        os.symlink('../outside.txt', 'art/a.txt')
        os.symlink('../absent.txt', 'art/b.txt')
        save_artifact('x', 'a.txt')
        save_artifact('x', 'b.txt')
        self.assertEqual(self.bytes_of('outside.txt'), b'secret')
        self.assertEqual(self.names(), ['art', 'art/a-2.txt', 'art/a.txt', 'art/b-2.txt', 'art/b.txt', 'outside.txt'])

    def test_a_failure_leaves_nothing(self):
        with self.assertRaisesRegex(TypeError, 'object is neither text'):
            save_artifact(object(), 'a.txt')
        with self.assertRaises(TypeError):
            save_artifact({'k': object()}, 'a.json')
        with self.assertRaises(FileNotFoundError):
            save_artifact(Path('absent'))
        with mock.patch('os.replace', side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            save_artifact('x', 'a.txt')
        self.assertEqual(self.saved(), [])
        self.assertEqual(len(self.events), 4)
