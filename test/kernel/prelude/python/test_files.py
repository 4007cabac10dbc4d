"""read, write, append."""

import os
import stat as modes
import threading
import unittest
from pathlib import Path
from unittest import mock

from support import HelperTest

from prelude import append, read, write


def without_rights(action):
    """Does something in a child that is not the superuser, and gives 'done' or the name of its error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            action()
            os.write(writer, b'done')
        except BaseException as error:
            os.write(writer, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as result:
        return result.read()


class Read(HelperTest):
    def test_gives_the_text_exactly(self):
        for content in (b'', b'one', b'a\nb\n', b'a\r\nb\r\n', b'a\rb', 'ünï 😀\u2028x'.encode(), b'\xef\xbb\xbfwith mark\n'):
            self.make('a.txt', content)
            self.assertEqual(read('a.txt').encode(), content)

    def test_invalid_bytes_come_back_when_written(self):
        content = b'caf\xe9 \xff\xfe latin\r\n'
        self.make('a.txt', content)
        write('b.txt', read('a.txt'))
        self.assertEqual(self.bytes_of('b.txt'), content)

    def test_can_replace_invalid_bytes(self):
        self.make('a.txt', b'caf\xe9')
        self.assertEqual(read('a.txt', errors='replace'), 'caf\ufffd')

    def test_reads_other_encodings(self):
        self.make('a.txt', 'grün\n'.encode('utf-16'))
        self.make('b.txt', 'grün\n'.encode('cp1252'))
        self.assertEqual(read('a.txt', encoding='utf-16'), 'grün\n')
        self.assertEqual(read('b.txt', encoding='cp1252'), 'grün\n')

    def test_refuses_binary_files(self):
        self.make('a.png', b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
        self.make('b.bin', bytes(range(1, 60)))
        for name in ('a.png', 'b.bin'):
            with self.assertRaisesRegex(ValueError, f'{name} is a binary file'):
                read(name)

    def test_says_that_a_file_is_utf16(self):
        self.make('a.txt', 'text'.encode('utf-16'))
        with self.assertRaisesRegex(ValueError, "pass encoding='utf-16'"):
            read('a.txt')

    def test_text_with_escape_sequences_is_text(self):
        self.make('a.log', '\x1b[31mred\x1b[0m\n\f\n')
        self.assertEqual(read('a.log'), '\x1b[31mred\x1b[0m\n\f\n')

    def test_refuses_a_whole_file_over_the_limit_but_not_a_part(self):
        self.make('a.txt', 'line\n' * 1000)
        with self.assertRaisesRegex(ValueError, 'has 5,000 bytes, more than max_bytes=4,999'):
            read('a.txt', max_bytes=4999)
        self.assertEqual(len(read('a.txt', max_bytes=5000)), 5000)
        self.assertEqual(len(read('a.txt', max_bytes=None)), 5000)
        self.assertEqual(read('a.txt', end=2, max_bytes=1), 'line\nline\n')

    def test_gives_a_range_of_lines(self):
        self.make('a.txt', '1\n2\r\n3\n4')
        cases = {
            (1, 1): '1\n',
            (2, 3): '2\r\n3\n',
            (4, None): '4',
            (5, None): '',
            (3, 2): '',
            (-2, None): '3\n4',
            (-9, None): '1\n2\r\n3\n4',
            (-3, -2): '2\r\n3\n',
            (2, -2): '2\r\n3\n',
            (1, -9): '',
            (1, 99): '1\n2\r\n3\n4',
        }
        for (start, end), expected in cases.items():
            self.assertEqual(read('a.txt', start=start, end=end), expected, (start, end))

    def test_only_newline_ends_a_line(self):
        self.make('a.txt', 'a\x0bb\x0cc\u2028d\x85e\rf\ng')
        self.assertEqual(read('a.txt', start=2), 'g')

    def test_refuses_a_range_that_is_none(self):
        self.make('a.txt', 'x')
        for arguments in ({'start': 0}, {'end': 0}, {'start': None}, {'start': '2'}, {'end': 1.5}):
            with self.assertRaisesRegex(ValueError, 'is a line number from 1'):
                read('a.txt', **arguments)

    def test_expands_the_home_folder(self):
        self.make('a.txt', 'home')
        with mock.patch.dict(os.environ, {'HOME': str(self.folder), 'USERPROFILE': str(self.folder)}):
            self.assertEqual(read('~/a.txt'), 'home')
            self.assertEqual(read(Path('~/a.txt')), 'home')

    def test_ordinary_errors(self):
        self.make('folder/x')
        with self.assertRaises(FileNotFoundError):
            read('nothing')
        with self.assertRaises((IsADirectoryError, PermissionError)):
            read('folder')
        with self.assertRaisesRegex(ValueError, 'empty'):
            read('')
        with self.assertRaises(TypeError):
            read(None)

    def test_reports_once_with_a_bounded_preview(self):
        self.make('a.txt', 'x' * 100_000 + '\nlast')
        read('a.txt')
        event = self.only_event()
        self.assertEqual((event['op'], event['path'], event['chars'], event['lines']), ('read', 'a.txt', 100_005, 2))
        self.assertLessEqual(len(event['preview']), 400)

    def test_reports_a_failure_once(self):
        with self.assertRaises(FileNotFoundError):
            read('nothing')
        self.assertRegex(self.only_event()['error'], '^FileNotFoundError: ')

    def test_reads_files_whose_size_the_system_does_not_know(self):
        if not os.path.exists('/proc/self/status'):
            self.skipTest('there is no /proc')
        self.assertIn('Name:', read('/proc/self/status'))


class Write(HelperTest):
    def test_writes_text_exactly_and_gives_the_path(self):
        self.assertEqual(write('a.txt', 'a\r\nb\nü'), Path('a.txt'))
        self.assertEqual(self.bytes_of('a.txt'), 'a\r\nb\nü'.encode())
        self.assertEqual(self.names(), ['a.txt'])

    def test_writes_bytes(self):
        write('a.bin', bytearray(b'\0\xff'))
        self.assertEqual(self.bytes_of('a.bin'), b'\0\xff')

    def test_makes_folders(self):
        write('x/y/z.txt', 'z')
        self.assertEqual(self.bytes_of('x/y/z.txt'), b'z')

    def test_refuses_other_content_and_leaves_the_file(self):
        self.make('a.txt', 'old')
        with self.assertRaisesRegex(TypeError, 'must be text or bytes, not dict'):
            write('a.txt', {})
        with self.assertRaises(UnicodeEncodeError):
            write('a.txt', 'ü', encoding='ascii')
        self.assertEqual(self.bytes_of('a.txt'), b'old')

    @unittest.skipIf(os.name == 'nt', 'modes are of Unix')
    def test_keeps_the_mode_and_gives_new_files_the_usual_one(self):
        self.make('script.sh', 'old').chmod(0o754)
        write('script.sh', 'new')
        self.assertEqual(modes.S_IMODE(os.stat('script.sh').st_mode), 0o754)
        open('usual', 'w').close()
        write('made', 'x')
        self.assertEqual(os.stat('made').st_mode, os.stat('usual').st_mode)

    @unittest.skipIf(os.name == 'nt', 'links need a right on Windows')
    def test_writes_through_a_link_and_keeps_it(self):
        self.make('real/a.txt', 'old')
        os.symlink('real/a.txt', 'link')
        write('link', 'new')
        self.assertTrue(os.path.islink('link'))
        self.assertEqual(self.bytes_of('real/a.txt'), b'new')

    @unittest.skipIf(os.name == 'nt', 'devices of Unix')
    def test_writes_to_a_device(self):
        write('/dev/null', 'gone')
        self.assertTrue(modes.S_ISCHR(os.stat('/dev/null').st_mode))

    def test_a_reader_never_sees_half_a_file(self):
        self.make('a.txt', 'A' * 500_000)
        seen = set()
        done = threading.Event()

        def look():
            while not done.is_set():
                content = self.bytes_of('a.txt')
                seen.add((len(content), content[:1], content[-1:]))

        reader = threading.Thread(target=look)
        reader.start()
        for index in range(40):
            write('a.txt', 'AB'[index % 2] * 500_000)
        done.set()
        reader.join()
        self.assertLessEqual(seen, {(500_000, b'A', b'A'), (500_000, b'B', b'B')})

    def test_a_failing_write_leaves_the_old_file_and_nothing_else(self):
        self.make('a.txt', 'old')
        with mock.patch('os.replace', side_effect=OSError(28, 'No space left on device')), self.assertRaises(OSError):
            write('a.txt', 'new')
        self.assertEqual((self.bytes_of('a.txt'), self.names()), (b'old', ['a.txt']))

    def test_an_interrupt_leaves_the_old_file_and_passes_through(self):
        self.make('a.txt', 'old')
        with mock.patch('os.replace', side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            write('a.txt', 'new')
        self.assertEqual((self.bytes_of('a.txt'), self.names()), (b'old', ['a.txt']))
        self.assertEqual(self.only_event()['error'], 'KeyboardInterrupt')

    @unittest.skipIf(os.name == 'nt', 'modes are of Unix')
    def test_overwrites_in_place_where_the_folder_takes_no_new_file(self):
        self.make('folder/a.txt', 'old content').chmod(0o666)
        os.chmod(self.folder, 0o755)
        os.chmod('folder', 0o555)
        self.assertEqual(without_rights(lambda: write('folder/a.txt', 'new')), 'done')
        self.assertEqual(self.bytes_of('folder/a.txt'), b'new')
        self.assertEqual(without_rights(lambda: write('folder/b.txt', 'new')), 'PermissionError')
        self.assertEqual(self.names(), ['folder', 'folder/a.txt'])
        os.chmod('folder', 0o755)

    @unittest.skipIf(os.name == 'nt', 'modes are of Unix')
    def test_respects_write_protection(self):
        os.chmod(self.folder, 0o777)
        self.make('a.txt', 'old').chmod(0o444)
        self.assertEqual(without_rights(lambda: write('a.txt', 'new')), 'PermissionError')
        self.assertEqual(self.bytes_of('a.txt'), b'old')

    def test_refuses_a_folder(self):
        self.make('folder/x')
        with self.assertRaises(IsADirectoryError):
            write('folder', 'text')

    def test_reports_once(self):
        write('a.txt', 'a\nb')
        self.assertEqual(self.only_event(), {'op': 'write', 'path': 'a.txt', 'bytes': 3, 'lines': 2, 'preview': 'a\nb'})
        write('a.bin', b'\0')
        self.assertEqual(self.only_event(), {'op': 'write', 'path': 'a.bin', 'bytes': 1})

    def test_an_event_never_has_lone_surrogates(self):
        write('a.txt', 'caf\udce9')
        self.assertEqual(self.only_event()['preview'], 'caf\ufffd')
        self.assertEqual(self.bytes_of('a.txt'), b'caf\xe9')


class Append(HelperTest):
    def test_adds_exactly_what_it_is_given(self):
        append('x/a.txt', 'one')
        append('x/a.txt', b' two\r\n')
        self.assertEqual(self.bytes_of('x/a.txt'), b'one two\r\n')
        self.assertEqual([event['op'] for event in self.events], ['append', 'append'])

    def test_threads_do_not_cut_each_others_pieces(self):
        pieces = [f'{index % 10}' * 50_000 + '\n' for index in range(40)]
        threads = [threading.Thread(target=append, args=('a.txt', piece)) for piece in pieces]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(read('a.txt').splitlines(True)), sorted(pieces))
