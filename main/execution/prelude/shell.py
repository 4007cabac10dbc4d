"""The shell and the environment: run, env. No value of a variable ever is in a status event: it may be a key."""

import os
import shlex
import subprocess

from .events import preview, reporting
from .processes import Command
from .results import CommandResult, middle_cut
from .storage import as_path

# Kept of each output stream, in bytes: enough for code to work with, and no more memory than that.
OUTPUT_LIMIT = 10_000_000


def run(command, *, cwd=None, env=None, input=None, timeout=None, check=False, limit=OUTPUT_LIMIT):
    """Runs a command to its end: a text in bash (or the system's shell), a list directly. Returns code, stdout, stderr and ok.
    env adds variables (None removes one); input is text or bytes for its stdin, else empty. limit bytes of each output are kept, its
    first and last. check=True raises subprocess.CalledProcessError unless the code is 0, timeout (seconds) subprocess.TimeoutExpired.
    A timeout or an interrupt ends the command and all it started; what it leaves in the background goes on.
    """
    arguments = command if isinstance(command, str) else [os.fspath(part) for part in command]
    shown = command if isinstance(command, str) else shlex.join(arguments)
    with reporting('run', command=shown) as event:
        data = input.encode('utf-8', 'surrogateescape') if isinstance(input, str) else input
        folder = None if cwd is None else as_path(cwd)
        running = Command(limit)
        try:
            running.start(arguments, folder, _variables(env), data)
            event['code'] = running.wait(timeout)
        except BaseException as error:
            running.stop()
            if isinstance(error, subprocess.TimeoutExpired):
                error.cmd, error.output, error.stderr = shown, *running.output()
            raise
        finally:
            stdout, stderr = running.output()
            event.update(stdout=preview(stdout), stderr=preview(stderr))
        if check and event['code'] != 0:
            raise _failure(event['code'], shown, stdout, stderr)
        return CommandResult(event['code'], stdout, stderr)


def _variables(changes):
    variables = dict(os.environ)
    for name, value in (changes or {}).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = str(value)
    return variables


def _failure(code, shown, stdout, stderr):
    error = subprocess.CalledProcessError(code, shown, stdout, stderr)
    if hasattr(error, 'add_note'):  # From Python 3.11 on: the traceback then says why the command failed.
        error.add_note(middle_cut(stderr or stdout))
    return error


def env(name=None, value=..., *, default=None):
    """Environment variables of the kernel: env() is a dict of all, env('A') the value or default, env('A', 'x') sets it for this kernel
    and what it starts, env('A', None) removes it. Returns the value.
    """
    with reporting('env', name=name, action=_action(name, value)):
        if name is None:
            return dict(sorted(os.environ.items()))
        if value is ...:
            return os.environ.get(name, default)
        if value is None:
            os.environ.pop(name, None)
            return None
        os.environ[name] = str(value)
        return os.environ[name]


def _action(name, value):
    if name is None:
        return 'list'
    if value is ...:
        return 'get'
    return 'remove' if value is None else 'set'
