"""output, save_artifact."""

import json
import os
import stat
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

    def note(self, id, file, content=None, name=None):
        """An artifact as the app makes it."""
        note = {'kind': 'stream', 'mime': 'text/plain', 'file': file, 'createdAt': 1, 'source': {'name': name} if name else {}}
        self.make(f'art/{id}.json', json.dumps(note))
        if content is not None:
            self.make(f'art/{file}', content)

    def saved(self):
        return sorted(os.listdir('art'))


class Output(ArtifactTest):
    def setUp(self):
        super().setUp()
        self.note(0, '0.txt', 'zero\n')
        self.note(1, '1.log', b'one\r\ntwo \xff\nthree')
        self.note(10, '10.txt', 'ten\n', name='tens.txt')
        self.note(2, '2.png', b'\x89PNG\r\n\x1a\n\0')
        self.make('art/report.csv', 'a,b\n')

    def test_by_id(self):
        self.assertEqual(output(0), 'zero\n')
        self.assertEqual(output('10'), 'ten\n')
        self.assertEqual(output('artifact://1'), 'one\r\ntwo \ufffd\nthree')

    def test_by_name(self):
        self.assertEqual(output('report.csv'), 'a,b\n')
        self.assertEqual(output('tens.txt'), 'ten\n')
        self.note(11, '11.txt', 'newer', name='tens.txt')
        self.assertEqual(output('tens.txt'), 'newer')

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
        for id in (5, 'x', '', '.', '..', '../outside.txt', str(self.folder / 'outside.txt'), '1/../../outside.txt', '00', '-1', '1.json'):
            with self.assertRaisesRegex(FileNotFoundError, r'no artifact .*; there are 0, 1, 2, 10 \(tens\.txt\)'):
                output(id)
        os.environ['ARTIFACTS'] = str(self.folder / 'not made yet')
        with self.assertRaisesRegex(FileNotFoundError, 'there are none'):
            output(0)

    def test_notes_that_lead_elsewhere(self):
        for file in ('../outside.txt', '/etc/hostname', '4.txt', '3', '', None, 5, '3.\0'):
            self.note(3, file)
            self.make('art/4.txt', 'of another')
            with self.assertRaises(FileNotFoundError):
                output(3)
        for note in (b'', b'{}', b'[]', b'null', b'\xff', b'{"file": "3.txt", "source": 1}'):
            self.make('art/3.json', note)
            self.make('art/3.txt', 'x')
            with self.assertRaises(FileNotFoundError):
                output(3)

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_links_are_refused(self):
        self.note(3, '3.txt')
        os.symlink('../outside.txt', 'art/3.txt')
        os.symlink('../outside.txt', 'art/link.txt')
        for id in (3, '3.txt', 'link.txt'):
            with self.assertRaises(FileNotFoundError):
                output(id)

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
        made = save_artifact('täxt\r\n', 'a.txt')
        self.assertEqual(made, (0, self.folder / 'art' / '0.txt', 'a.txt'))
        self.assertEqual(repr(made), 'artifact://0 (a.txt)')
        for data, name in (
            (b'\0\xff', 'b.bin'),
            ({'k': ['ü', 1]}, 'c.json'),
            (Path('outside.txt'), None),
            (Path('outside.txt'), 'renamed.md'),
        ):
            save_artifact(data, name)
        self.assertEqual(self.bytes_of('art/0.txt'), 'täxt\r\n'.encode())
        self.assertEqual(self.bytes_of('art/1.bin'), b'\0\xff')
        self.assertEqual(json.loads(self.bytes_of('art/2.data')), {'k': ['ü', 1]})
        self.assertEqual((self.bytes_of('art/3.txt'), self.bytes_of('art/4.md')), (b'secret', b'secret'))
        self.assertEqual(self.events[0], {'op': 'save_artifact', 'name': 'a.txt', 'id': 0, 'bytes': 7})
        self.assertEqual(len(self.events), 5)
        self.assertEqual(output('c.json'), output(2))

    def test_the_note_says_what_it_is(self):
        types = {'a.txt': 'text/plain', 'b.png': 'image/png', 'c.json': 'application/json', 'd': 'text/plain', 'e.csv.gz': 'text/plain'}
        for id, (name, mime) in enumerate(types.items()):
            save_artifact('x', name)
            note = json.loads(self.bytes_of(f'art/{id}.json'))
            self.assertIn(note.pop('createdAt') // 10**12, (1, 2))
            self.assertEqual((note['kind'], note['mime'], note['source']), ('file', mime, {'name': name}))
        save_artifact(b'x', 'f')
        self.assertEqual(json.loads(self.bytes_of('art/5.json'))['mime'], 'application/octet-stream')

    def test_ids_go_on_after_those_that_are_there(self):
        self.note(6, '6.txt', 'six')
        self.make('art/900.txt', 'no note')
        self.assertEqual([save_artifact('x', 'a.txt').id for _ in range(3)], [7, 8, 9])
        self.assertEqual(self.bytes_of('art/6.txt'), b'six')

    def test_threads_get_different_ids(self):
        threads = [threading.Thread(target=save_artifact, args=(str(index), 'a.txt')) for index in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(output(id) for id in range(20)), sorted(map(str, range(20))))

    def test_makes_the_folder(self):
        os.environ['ARTIFACTS'] = str(self.folder / 'x' / 'y')
        self.assertEqual(save_artifact('x', 'a.txt').id, 0)
        if os.name != 'nt':
            self.assertEqual(stat.S_IMODE(os.stat('x/y').st_mode), 0o700)

    def test_names_stay_in_the_folder(self):
        bad = [
            '',
            '.',
            '..',
            '../x',
            'a/b',
            'a\\b',
            '/etc/x',
            'C:x',
            'a:b',
            'a\0b',
            'a\nb',
            '.hidden',
            'x.',
            'x ',
            'NUL',
            'con.txt',
            'com1.log',
        ]
        for name in bad:
            with self.assertRaisesRegex(ValueError, 'not a plain file name'):
                save_artifact('x', name)
        for name in (None, 5, b'x'):
            with self.assertRaises(TypeError):
                save_artifact('x', name)
        self.assertEqual((self.saved(), self.bytes_of('outside.txt')), ([], b'secret'))

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_links_in_the_folder_are_not_followed(self):
        os.symlink('../outside.txt', 'art/0.txt')
        os.symlink('../absent.json', 'art/1.json')
        save_artifact('x', 'a.txt')
        self.assertEqual(save_artifact('x', 'a.txt').id, 3)
        self.assertEqual(
            self.names(), ['art', 'art/0.txt', 'art/1.json', 'art/2.json', 'art/2.txt', 'art/3.json', 'art/3.txt', 'outside.txt']
        )
        self.assertEqual(self.bytes_of('outside.txt'), b'secret')

    def test_refused_data_leaves_nothing(self):
        with self.assertRaisesRegex(TypeError, 'object is neither text'):
            save_artifact(object(), 'a.txt')
        with self.assertRaises(TypeError):
            save_artifact({'k': object()}, 'a.json')
        with self.assertRaises(FileNotFoundError):
            save_artifact(Path('absent'))
        self.assertEqual((self.saved(), len(self.events)), ([], 3))

    def test_a_failing_write_leaves_only_the_note(self):
        with mock.patch('os.replace', side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            save_artifact('x', 'a.txt')
        self.assertEqual(self.saved(), ['0.json'])
        with self.assertRaises(FileNotFoundError):
            output(0)
        self.assertEqual(save_artifact('x', 'a.txt').id, 1)
