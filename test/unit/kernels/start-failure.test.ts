import { describe, expect, test } from 'vitest';
import { exitMessage } from '../../../main/kernels/direct/exit-message.ts';
import { peakIn } from '../../../main/kernels/direct/peak-memory.ts';
import { type StartEvidence, startError } from '../../../main/kernels/direct/start-failure.ts';
import type { StartFailure } from '../../../main/kernels/errors.ts';

const evidence = (change: Partial<StartEvidence>): StartEvidence => ({
  argv: ['/env/bin/python', '-m', 'ipykernel_launcher'],
  cwd: '/home/ada/project',
  stderr: '',
  exit: { code: 1, signal: null },
  ...change,
});

const trace = (file: string, error: string): string =>
  `Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n  File "/usr/lib/python3.12/site-packages/ipykernel/kernelapp.py", line 4, in <module>\n    import tempfile\n  File "/usr/lib/python3.12/tempfile.py", line 45, in <module>\n    from random import Random\n  File "${file}", line 1, in <module>\n${error}\n`;

describe('from what the kernel said', () => {
  test.each<[StartFailure, string, string, RegExp]>([
    [
      'no-ipykernel',
      'without ipykernel',
      '/env/bin/python: No module named ipykernel_launcher',
      /\/env\/bin\/python -m pip install ipykernel/,
    ],
    [
      'no-ipykernel',
      'older wording',
      "/env/bin/python: Error while finding module specification for 'ipykernel_launcher' (ModuleNotFoundError: No module named 'ipykernel')",
      /install ipykernel/,
    ],
    ['missing-module', 'a broken install', "ModuleNotFoundError: No module named 'zmq'", /lacks the module `zmq`/],
    ['missing-module', 'a part of a module', "ModuleNotFoundError: No module named 'tornado.ioloop'", /`tornado`/],
    [
      'missing-module',
      'the last of several',
      "ModuleNotFoundError: No module named 'ipykernel'\n\nDuring handling …\n\nModuleNotFoundError: No module named 'traitlets'",
      /`traitlets`/,
    ],
    [
      'shadowed-module',
      'a file of the project',
      trace(
        '/home/ada/project/random.py',
        "ImportError: cannot import name 'Random' from partially initialized module 'random' (most likely due to a circular import) (/home/ada/project/random.py)",
      ),
      /\/home\/ada\/project\/random\.py hides/,
    ],
    [
      'shadowed-module',
      'as Python 3.13 says it',
      "Traceback (most recent call last):\nAttributeError: module 'random' has no attribute 'randint' (consider renaming '/home/ada/project/random.py' since it has the same name as the standard library module named 'random' and prevents importing that standard library module)",
      /Rename the file/,
    ],
    [
      'shadowed-module',
      'on Windows',
      trace('C:\\Users\\ada\\project\\logging.py', 'AttributeError: no attribute'),
      /logging\.py hides the standard library’s module `logging`/,
    ],
    [
      'shadowed-module',
      'a package',
      trace('/home/ada/project/email/__init__.py', 'ImportError: no name'),
      /hides the standard library’s module `email`/,
    ],
    [
      'unknown',
      'a trace through the library alone is no shadow',
      trace('/usr/lib/python3.12/random.py', 'ValueError: bad'),
      /ValueError: bad/,
    ],
    [
      'wrong-architecture',
      'macOS',
      "ImportError: dlopen(/env/zmq.so, 0x0002): tried: '/env/zmq.so' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
      /processor/,
    ],
    ['wrong-architecture', 'Linux', 'ImportError: /env/zmq.so: wrong ELF class: ELFCLASS32', /processor/],
    [
      'wrong-architecture',
      'Windows',
      'ImportError: DLL load failed while importing _zmq: %1 is not a valid Win32 application.',
      /processor/,
    ],
    ['wrong-architecture', 'a program given to the shell', '/env/bin/python: 1: \x7fELF\x02\x01: not found', /processor/],
    ['missing-library', 'libc', "ImportError: /lib/libc.so.6: version `GLIBC_2.34' not found", /GLIBC_2\.34/],
    [
      'missing-library',
      'a library',
      'python: error while loading shared libraries: libpython3.12.so.1.0: cannot open shared object file',
      /libpython3\.12/,
    ],
    [
      'broken-python',
      'PYTHONHOME',
      "Fatal Python error: init_fs_encoding: failed to get the Python codec of the filesystem encoding\nPython runtime state: core initialized\nModuleNotFoundError: No module named 'encodings'",
      /PYTHONHOME/,
    ],
    ['port-taken', 'Linux', "zmq.error.ZMQError: Address already in use (addr='tcp://127.0.0.1:5555')", /Start it again/],
    ['port-taken', 'Windows', 'OSError: [WinError 10048] Only one usage of each socket address is normally permitted', /Start it again/],
    [
      'permission',
      'a file',
      "PermissionError: [Errno 13] Permission denied: '/home/ada/.ipython/profile_default'",
      /\/home\/ada\/\.ipython/,
    ],
    ['too-many-files', 'the limit', 'OSError: [Errno 24] Too many open files', /ulimit/],
    ['no-space', 'a full disk', 'OSError: [Errno 28] No space left on device', /Free some space/],
    ['unknown', 'another error', 'RuntimeError: something else', /RuntimeError: something else/],
    ['unknown', 'nothing', '', /said nothing/],
  ])('%s: %s', (failure, _name, stderr, words) => {
    const error = startError(evidence({ stderr }));
    expect(error.failure).toBe(failure);
    expect(error.message).toMatch(words);
    expect(error.stderrTail).toBe(stderr);
  });

  test('a folder of the project that is called lib does not hide the file in it', () => {
    const error = startError(evidence({ stderr: trace('/home/ada/project/lib/random.py', 'ImportError: x') }));
    expect(error.failure).toBe('shadowed-module');
  });

  test('a program with spaces in its path is quoted in the command', () => {
    const argv = ['/my env/bin/python', '-m', 'ipykernel_launcher'];
    expect(startError(evidence({ argv, stderr: '/my env/bin/python: No module named ipykernel' })).hint).toContain(
      '"/my env/bin/python" -m pip',
    );
  });
});

test.each<[StartFailure, Partial<StartEvidence>]>([
  ['no-program', { spawnCode: 'ENOENT', cwdExists: true }],
  ['no-folder', { spawnCode: 'ENOENT', cwdExists: false }],
  ['permission', { spawnCode: 'EACCES' }],
  ['wrong-architecture', { spawnCode: 'ENOEXEC' }],
  ['wrong-architecture', { spawnCode: 'EBADARCH' }],
  ['too-many-files', { spawnCode: 'EMFILE' }],
  ['too-many-files', { spawnCode: 'EAGAIN' }],
  ['unknown', { spawnCode: 'EIO' }],
  ['killed', { exit: { code: null, signal: 'SIGKILL' } }],
  ['wrong-architecture', { exit: { code: null, signal: 'SIGILL' } }],
])('%s from how it ended', (failure, change) => {
  const error = startError(evidence(change));
  expect(error.failure).toBe(failure);
  // Every message ends in what to do.
  expect(error.message.endsWith(error.hint)).toBe(true);
  expect(error.hint.length).toBeGreaterThan(10);
});

test.each([
  [{ code: null, signal: 'SIGKILL' }, 'unexpected', 'The kernel ended: killed by signal 9, perhaps out of memory.'],
  [{ code: null, signal: 'SIGSEGV' }, 'unexpected', 'The kernel ended: it crashed in native code (signal 11, segmentation fault).'],
  [{ code: null, signal: 'SIGUSR1' }, 'unexpected', 'The kernel ended: killed by SIGUSR1.'],
  [{ code: 0, signal: null }, 'unexpected', 'The kernel ended by itself, without an error.'],
  [{ code: 3, signal: null }, 'unexpected', 'The kernel ended: it left with code 3.'],
  [{ code: 3221225477, signal: null }, 'unexpected', 'The kernel ended: it crashed in native code (access violation).'],
  [{ code: 0, signal: null }, 'shutdown', 'The kernel was shut down.'],
  [{ code: null, signal: 'SIGKILL' }, 'restart', 'The kernel was restarted.'],
] as const)('an exit in words: %j, %s', (exit, why, words) => {
  expect(exitMessage(exit, why)).toBe(words);
});

test.each([
  ['SIGKILL', 498_123_456, '; its memory had reached 498 MB'],
  ['SIGKILL', 1_949_000_000, '; its memory had reached 1.9 GB'],
  ['SIGKILL', 200_000_000, ''],
  ['SIGKILL', null, ''],
  ['SIGTERM', 1_949_000_000, ''],
] as const)('the memory of one that was ended by %s with %j bytes', (signal, peakBytes, words) => {
  const bare = exitMessage({ code: null, signal }, 'unexpected');
  expect(exitMessage({ code: null, signal }, 'unexpected', { peakBytes })).toBe(bare.replace(/\.$/, `${words}.`));
});

test('the peak of memory in a process’s status', () => {
  expect(peakIn('Name:\tpython\nVmPeak:\t  900 kB\nVmHWM:\t  486448 kB\nVmRSS:\t  100 kB\n')).toBe(486448 * 1024);
  expect(peakIn('Name:\tpython\nState:\tZ (zombie)\n')).toBeNull();
});

test('the words for what was ended after it', () => {
  const python = (pid: number) => ({ pid, name: 'python' });
  const killed = (left: { pid: number; name: string }[]) => exitMessage({ code: null, signal: 'SIGKILL' }, 'unexpected', { left });
  const end = 'The kernel ended: killed by signal 9, perhaps out of memory';
  expect(killed([python(12)])).toBe(`${end}; 1 process that it had started was ended after it (python 12).`);
  expect(killed([python(12), { pid: 13, name: 'sleep' }, python(14)])).toBe(
    `${end}; 3 processes that it had started were ended after it (python 12, 14; sleep 13).`,
  );
  expect(killed(Array.from({ length: 40 }, (_, n) => python(n + 1)))).toBe(
    `${end}; 40 processes that it had started were ended after it (python 1, 2, 3, 4, 5, 6, 7, 8 and 32 more).`,
  );
});

describe('with a limit of open files that no kernel can start with', () => {
  const warning = '[IPKernelApp] WARNING | Kernel is running over TCP without encryption.\n';

  test('an end without a reason is put down to it', () => {
    const error = startError(evidence({ stderr: warning, fileLimit: 55 }));
    expect(error.failure).toBe('too-many-files');
    expect(error.message).toMatch(/limit of open files of 55; a Python kernel needs about 64/);
    expect(error.message).toMatch(/ulimit -n 4096/);
  });

  test('so is a silence', () => {
    const error = startError(evidence({ stderr: warning, exit: null, fileLimit: 46 }));
    expect(error.failure).toBe('too-many-files');
    expect(error.message).toMatch(/did not get ready, with a limit of open files of 46/);
    expect(startError(evidence({ stderr: warning, exit: null, fileLimit: 1024 })).failure).toBe('unknown');
  });

  test.each([
    ['a reason in its words', { stderr: "ModuleNotFoundError: No module named 'zmq'", fileLimit: 55 }, 'missing-module'],
    ['a usual limit', { stderr: warning, fileLimit: 1024 }, 'unknown'],
    ['no limit known', { stderr: warning, fileLimit: null }, 'unknown'],
  ])('not with %s', (_name, change, failure) => {
    expect(startError(evidence(change)).failure).toBe(failure);
  });
});
