"""A command and everything it starts: its output in bounded memory, its end when the user interrupts.

The hard thing is to end all of it. The command stays in the kernel's process group, so that it goes with the kernel; so a group can't name
it, and parents that have ended no longer lead to their children. A variable in its environment, inherited by all it starts, does.
"""

import contextlib
import os
import subprocess
import threading
import time

MARK = 'CELLWRIGHT_COMMAND'

# How long a command has to end by itself once told to, in seconds.
TERM_SECONDS = 2.0

# What a command wrote last is still in the pipe when it has ended, and read soon unless the machine is busy. A background process that it
# left keeps the pipe open for ever: it is not waited for.
LAST_OUTPUT_SECONDS = 0.5
BUSY_MACHINE_SECONDS = 10.0

# Between looks at whether all of it has ended.
_LOOK_SECONDS = 0.05

# On Windows waiting without an end can't be interrupted.
_WAIT_SECONDS = 0.1 if os.name == 'nt' else None

_CHUNK = 65_536


class Capture:
    """Reads a pipe to its end in a thread of its own and keeps at most `limit` bytes: the first half and the last."""

    def __init__(self, pipe, limit):
        self._pipe = pipe
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        with self._pipe:
            while True:
                data = os.read(self._pipe.fileno(), _CHUNK)
                if not data:
                    return
                with self._lock:
                    self._take(data)

    def _take(self, data):
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def ended(self, seconds):
        """Whether the pipe has ended, now or within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def text(self):
        """What has come so far. Where bytes were left out, a line says how many."""
        with self._lock:
            tail = self._tail[-self._half :]
            left_out = self._total - len(self._head) - len(tail)
            pieces = [self._head + tail] if left_out == 0 else [self._head, tail]
        notice = f'\n… {left_out:,} bytes left out …\n'
        return notice.join(bytes(piece).decode('utf-8', 'replace') for piece in pieces)


class Command:
    """A command, from its start to its end. All but `output` is for one thread. An interrupt may come at any moment, also while the
    command is being started: `stop` then finds what there is of it."""

    def __init__(self, limit):
        self._limit = limit
        self._mark = f'{os.getpid()}-{os.urandom(8).hex()}'
        self._process = None
        self._captures = []

    def start(self, command, cwd, env, data):
        """Starts a text in a shell or a list directly, with `data` as its input. Raises the system's error."""
        self._process = subprocess.Popen(
            command,
            shell=isinstance(command, str),
            executable=_shell() if isinstance(command, str) else None,
            cwd=cwd,
            env={**env, MARK: self._mark},
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=getattr(subprocess, 'CREATE_NO_WINDOW', 0),
        )
        for pipe in (self._process.stdout, self._process.stderr):
            self._captures.append(Capture(pipe, self._limit))
        if data is not None:
            threading.Thread(target=self._give, args=(data,), daemon=True).start()

    def _give(self, data):
        # A command that doesn't read all of its input is no error.
        with contextlib.suppress(OSError), self._process.stdin as pipe:
            pipe.write(data)

    def output(self):
        """What has come so far from stdout and stderr."""
        texts = [capture.text() for capture in self._captures]
        return tuple(texts + [''] * (2 - len(texts)))

    def wait(self, timeout):
        """Waits for the command's end and gives its exit code. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        if timeout is not None or _WAIT_SECONDS is None:
            code = self._process.wait(timeout)
        else:
            code = self._wait_in_steps()
        self._last_output()
        return code

    def _wait_in_steps(self):
        while True:
            try:
                return self._process.wait(_WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                pass

    def _last_output(self):
        for capture in self._captures:
            if not capture.ended(LAST_OUTPUT_SECONDS) and not self._tree():
                capture.ended(BUSY_MACHINE_SECONDS)

    def stop(self):
        """Ends the command and all it has started: politely first, by force after TERM_SECONDS or at the next interrupt."""
        if self._process is None:
            time.sleep(_LOOK_SECONDS)  # A process that is just being made has its mark in a moment.
        try:
            self._send('terminate')
            end = time.monotonic() + TERM_SECONDS
            while self._tree() and time.monotonic() < end:
                time.sleep(_LOOK_SECONDS)
        finally:
            self._send('kill')
            if self._process is not None:
                self._process.wait()
        self._last_output()

    def _tree(self):
        """The processes of the command that still run."""
        # Once it has been waited for, its process id may be another's.
        own = [self._process] if self._process is not None and self._process.poll() is None else []
        try:
            import psutil  # Slow to load: a kernel's start doesn't wait for it.
        except ImportError:  # It comes with ipykernel; without it only the command itself is found.
            return own
        found = {}
        for process in own:
            with contextlib.suppress(psutil.Error):
                root = psutil.Process(process.pid)
                found = {member.pid: member for member in [root, *root.children(recursive=True)]}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):  # Another user's, or ended meanwhile.
                if process.environ().get(MARK) == self._mark:
                    found.setdefault(process.pid, process)
        return list(found.values())

    def _send(self, name):
        """Calls `terminate` or `kill` of all the processes."""
        for process in self._tree():
            with contextlib.suppress(Exception):  # It has ended meanwhile, or took on another user's rights.
                getattr(process, name)()


def _shell():
    """bash where there is one, because commands are mostly written for it; else the system's own shell."""
    return next((path for path in ('/bin/bash', '/usr/bin/bash') if os.path.exists(path)), None)
