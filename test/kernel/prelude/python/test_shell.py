"""run, env."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import psutil
from support import HelperTest

from prelude import env, run
from prelude.processes import MARK


def python(code):
    return [sys.executable, '-c', code]


class ShellTest(HelperTest):
    def running(self, pid):
        """Whether a process runs; a zombie has ended."""
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        try:
            return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
        except FileNotFoundError:
            return not Path('/proc/self').exists()

    def eventually(self, condition, what):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def pids_in(self, name, count):
        """The process ids that a command has written to a file, once there are so many."""
        self.eventually(lambda: Path(name).exists() and len(Path(name).read_text().split()) >= count, 'no process ids')
        return [int(pid) for pid in Path(name).read_text().split()]

    def interrupting(self, action, name, count):
        """Runs an action and interrupts this process once the file has so many process ids, which it returns."""
        found = []

        def interrupt():
            found.extend(self.pids_in(name, count))
            os.kill(os.getpid(), signal.SIGINT)

        watcher = threading.Thread(target=interrupt)
        watcher.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                action()
                time.sleep(20)
        finally:
            watcher.join()
        return found


@unittest.skipIf(os.name == 'nt', 'commands of Unix')
class Run(ShellTest):
    def test_gives_code_and_both_outputs(self):
        result = run('echo out; echo err >&2; exit 3')
        self.assertEqual(result, (3, 'out\n', 'err\n'))
        self.assertEqual((result.code, result.stdout, result.stderr, result.ok), (3, 'out\n', 'err\n', False))
        self.assertEqual(
            self.only_event(),
            {'op': 'run', 'command': 'echo out; echo err >&2; exit 3', 'code': 3, 'stdout': 'out\n', 'stderr': 'err\n'},
        )

    def test_a_list_needs_no_shell(self):
        self.assertEqual(run(['echo', '$HOME; *', Path('x')]).stdout, '$HOME; * x\n')
        self.assertEqual(self.only_event()['command'], shlex.join(['echo', '$HOME; *', 'x']))

    @unittest.skipUnless(os.path.exists('/bin/bash'), 'there is no bash')
    def test_a_text_runs_in_bash(self):
        self.assertEqual(run('set -o pipefail; false | true; echo $? ${BASH_VERSION:+bash}').stdout, '1 bash\n')

    def test_folder_and_variables(self):
        self.make('x/file')
        self.assertEqual(run('ls; echo $A', cwd='x', env={'A': 5}).stdout, 'file\n5\n')
        with mock.patch.dict(os.environ, {'GONE': '1', 'KEPT': '2'}):
            self.assertEqual(run('echo [$GONE$KEPT]', env={'GONE': None}).stdout, '[2]\n')
        with self.assertRaises(FileNotFoundError):
            run('true', cwd='nothing')

    def test_input(self):
        self.assertEqual(run('cat', input='täxt').stdout, 'täxt')
        self.assertEqual(run('wc -c', input=b'\0' * 1_000_000).stdout.strip(), '1000000')
        self.assertEqual(run('head -c 1', input='y' * 10_000_000).stdout, 'y')
        self.assertEqual(run('cat').stdout, '')

    def test_output_that_is_no_utf8_can_be_printed(self):
        self.assertEqual(run("printf 'caf\\351'").stdout, 'caf\ufffd')
        self.assertEqual(run("printf 'a\\r\\nb'").stdout, 'a\r\nb')

    def test_a_missing_program(self):
        with self.assertRaises(FileNotFoundError):
            run(['no-such-program'])
        self.assertEqual(run('no-such-program').code, 127)

    def test_check(self):
        self.assertTrue(run('true', check=True).ok)
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            run('echo why >&2; exit 4', check=True)
        self.assertEqual((caught.exception.returncode, caught.exception.stderr), (4, 'why\n'))
        if sys.version_info >= (3, 11):
            self.assertEqual(caught.exception.__notes__, ['why'])

    def test_a_signal_is_a_negative_code(self):
        self.assertEqual(run('kill -9 $$').code, -9)

    def test_huge_outputs_are_bounded(self):
        result = run(python("import sys; sys.stdout.write('first' + 'x' * 50_000_000 + 'last')"), limit=1000)
        self.assertTrue(result.stdout.startswith('firstx'))
        self.assertTrue(result.stdout.endswith('xlast'))
        self.assertIn('\n… 49,999,009 bytes left out …\n', result.stdout)
        self.assertLess(len(result.stdout), 1100)
        self.assertLess(len(str(self.only_event())), 2000)

    def test_output_up_to_the_limit_is_complete(self):
        for length in (0, 1, 499, 500, 501, 999, 1000):
            self.assertEqual(run(python(f"print('é' * {length // 2}, end='')"), limit=1000).stdout, 'é' * (length // 2))

    def test_both_outputs_at_once_do_not_block(self):
        result = run(python("import sys\nfor _ in range(300): print('o' * 999); print('e' * 999, file=sys.stderr)"))
        self.assertEqual((len(result.stdout), len(result.stderr)), (300_000, 300_000))

    def test_a_timeout_ends_all_and_tells_the_output(self):
        with self.assertRaises(subprocess.TimeoutExpired) as caught:
            run('echo early; sleep 100 & echo $! > pids; (sleep 100 & echo $! >> pids; wait); wait', timeout=1)
        self.assertEqual((caught.exception.output, caught.exception.timeout), ('early\n', 1))
        for pid in self.pids_in('pids', 2):
            self.assertFalse(self.running(pid))
        event = self.only_event()
        self.assertEqual(event['stdout'], 'early\n')
        self.assertRegex(event['error'], '^TimeoutExpired: .* timed out after 1 seconds')

    def test_an_interrupt_ends_all(self):
        pids = self.interrupting(lambda: run('echo $$ > pids; sleep 100 & echo $! >> pids; sleep 100'), 'pids', 2)
        for pid in pids:
            self.assertFalse(self.running(pid))
        self.assertEqual(self.only_event()['error'], 'KeyboardInterrupt')

    def test_an_interrupt_ends_what_has_lost_its_parents(self):
        command = '(setsid bash -c "(sleep 100 & echo \\$! >> pids)" &) ; echo $$ >> pids; exec sleep 100'
        for pid in self.interrupting(lambda: run(command), 'pids', 2):
            self.assertFalse(self.running(pid))

    def test_an_interrupt_at_any_moment_leaves_nothing(self):
        started = time.monotonic()
        run('true')
        usual = time.monotonic() - started
        for part in range(30):
            timer = threading.Timer(usual * part / 20, os.kill, (os.getpid(), signal.SIGINT))
            try:
                timer.start()
                run('sleep 100')
            except KeyboardInterrupt:
                pass
            timer.join()
            self.eventually(lambda: self.marked() == [], 'a command is left')

    def marked(self):
        """The processes that carry a mark of this process."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get(MARK, '').startswith(f'{os.getpid()}-'):
                    found.append(process)
        return found

    def test_what_ignores_the_polite_signal_is_killed(self):
        code = (
            'import os, signal, time\n'
            'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
            "print(os.getpid(), file=open('pids', 'w'), flush=True)\n"
            'time.sleep(100)'
        )
        with mock.patch('prelude.processes.TERM_SECONDS', 0.3):
            pids = self.interrupting(lambda: run(python(code)), 'pids', 1)
        self.assertFalse(self.running(pids[0]))

    def test_what_ends_by_itself_may_finish_its_work(self):
        code = (
            'import signal, sys, time\n'
            "def end(*_): time.sleep(0.3); open('saved', 'w').close(); sys.exit()\n"
            "signal.signal(signal.SIGTERM, end); print('1', file=open('pids', 'w'), flush=True); time.sleep(100)"
        )
        self.interrupting(lambda: run(python(code)), 'pids', 1)
        self.assertTrue(os.path.exists('saved'))

    def test_a_command_left_in_the_background_goes_on(self):
        result = run('sleep 100 & echo $!')
        pid = int(result.stdout)
        try:
            self.assertTrue(self.running(pid))
        finally:
            os.kill(pid, signal.SIGKILL)

    def test_the_command_stays_in_the_process_group(self):
        self.assertEqual(run(['ps', '-o', 'pgid=', '-p', str(os.getpid())]).stdout.strip(), str(os.getpgrp()))
        self.assertEqual(run(python('import os; print(os.getpgrp())')).stdout.strip(), str(os.getpgrp()))

    def test_threads_run_commands_side_by_side(self):
        results = {}

        def start(index):
            results[index] = run(f'sleep 0.05; echo {index}').stdout

        threads = [threading.Thread(target=start, args=(index,)) for index in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {index: f'{index}\n' for index in range(12)})

    def test_no_descriptor_is_left(self):
        folder = next((path for path in ('/proc/self/fd', '/dev/fd') if os.path.exists(path)), None)
        before = len(os.listdir(folder))
        for _ in range(5):
            run('echo x', input='y')
        self.eventually(lambda: len(os.listdir(folder)) <= before, 'descriptors are left open')

    def test_two_commands_have_two_marks(self):
        marks = {run(f'echo ${MARK}').stdout for _ in range(2)}
        self.assertEqual(len(marks), 2)
        self.assertNotIn(MARK, os.environ)


class Env(ShellTest):
    def setUp(self):
        super().setUp()
        patch = mock.patch.dict(os.environ, {'TEST_SECRET': 'hunter2'})
        patch.start()
        self.addCleanup(patch.stop)

    def test_reads_sets_and_removes(self):
        self.assertEqual(env('TEST_SECRET'), 'hunter2')
        self.assertIsNone(env('TEST_ABSENT'))
        self.assertEqual(env('TEST_ABSENT', default='d'), 'd')
        self.assertEqual(env('TEST_NEW', 5), '5')
        self.assertEqual(os.environ['TEST_NEW'], '5')
        self.assertIsNone(env('TEST_NEW', None))
        self.assertIsNone(env('TEST_NEW', None))
        self.assertNotIn('TEST_NEW', os.environ)

    def test_all(self):
        everything = env()
        self.assertEqual(everything, dict(os.environ))
        everything['TEST_OTHER'] = 'x'
        self.assertNotIn('TEST_OTHER', os.environ)

    def test_no_value_is_reported(self):
        env('TEST_SECRET')
        env('TEST_SECRET', 'hunter3')
        env('TEST_SECRET', None)
        env()
        self.assertEqual([event['action'] for event in self.events], ['get', 'set', 'remove', 'list'])
        self.assertNotIn('hunter', str(self.events))
