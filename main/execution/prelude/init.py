"""The first code in a kernel: its working folder, environment variables and module path. It leaves no name in the namespace."""

import os
import sys


def prepare(cwd, env):
    """Changes to `cwd`, sets the variables and puts `cwd` first on `sys.path` when it isn't there. When the folder can't be entered,
    raises the system's error in plain words and leaves everything as it was."""
    try:
        os.chdir(cwd)
    except OSError as error:
        raise type(error)(error.errno, f"The working folder can't be entered ({error.strerror})", cwd) from None
    os.environ.update(env)
    if cwd not in sys.path:
        sys.path.insert(0, cwd)
