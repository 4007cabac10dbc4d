"""The shared gateway: one Jupyter server for all Cellwrights of one user. Started by the first, used by all, and gone with the last.

Nobody owns it, so it looks after itself: it holds a lock of the operating system, which makes it the only one, and looks for its users, whose
files name a process and the kernels started for it. The hard thing is that a user may be killed at any time: its kernels are then ended here.

Arguments: the folder of its files, and the server's root folder. Exit codes: 3 there is no Jupyter server to import, 4 another one runs.
"""

import inspect
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

NO_SERVER = 3
ANOTHER_RUNS = 4

# Between looks for users. A Cellwright that closes waits for one of them.
LOOK_MS = 500

# Without users for this long it ends: one that is just being started again finds it still there.
GRACE_SECONDS = 1.0

# Cells may be longer than the 10 MB that websockets usually take.
MAX_MESSAGE_BYTES = 1 << 30

# Where users lay down what they want started: the very command and variables that they would start themselves.
KERNELSPECS = "kernels"

# What a session gives its kernel.
SESSION_VARIABLES = ["PI_SESSION_FILE", "ARTIFACTS"]


def main():
    folder, root = Path(sys.argv[1]), sys.argv[2]
    lock = take_lock(folder / "gateway.lock")
    # What an earlier one wrote is of no interest any more.
    os.ftruncate(2, 0)
    shutil.rmtree(folder / KERNELSPECS, ignore_errors=True)
    token = secrets.token_hex(32)
    app = make_app(root, token)
    app.web_app.settings["websocket_max_message_size"] = MAX_MESSAGE_BYTES
    app.kernel_spec_manager.kernel_dirs = [str(folder / KERNELSPECS), *app.kernel_spec_manager.kernel_dirs]
    state = folder / "gateway.json"
    process = {"pid": os.getpid(), "start": process_start(os.getpid())}
    write_private(state, {**process, "port": app.port, "token": token})
    # In one piece: whoever reads it closes the pipe at the first byte.
    os.write(1, b"ready")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    watch(app, folder / "users")
    try:
        app.start()
    finally:
        state.unlink(missing_ok=True)
        shutil.rmtree(folder / KERNELSPECS, ignore_errors=True)
        lock.close()


def take_lock(file):
    """Opens the file and locks it until this process ends, however it ends."""
    lock = open(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(ANOTHER_RUNS)
    return lock


def make_app(root, token):
    """A Kernel Gateway, or else a Jupyter Server; both listen from here on. The person's own settings for servers are not for this one."""
    from traitlets.config import Config

    config = Config()
    # Its only clients are on this machine, and lose nothing of a flood.
    config.ZMQChannelsWebsocketConnection.limit_rate = False
    config.MappingKernelManager.root_dir = root
    # A kernel that died is dead, as everywhere in Cellwright: whoever uses it decides on another, and hears of it at once.
    config.KernelRestarter.update(restart_limit=0, time_to_dead=0.5)
    try:
        from kernel_gateway.gatewayapp import KernelGatewayApp as App

        config.KernelGatewayApp.update(ip="127.0.0.1", port=free_port(), auth_token=token, log_level="ERROR")
        # Who gives variables of its own would lose all others here.
        config.KernelGatewayApp.env_process_whitelist = list(os.environ)
        config.JupyterWebsocketPersonality.update(list_kernels=True, env_whitelist=SESSION_VARIABLES)
        own, how = {}, {}
    except ImportError:
        try:
            from jupyter_server.serverapp import ServerApp as App
        except ImportError:
            sys.exit(NO_SERVER)
        config.ServerApp.update(ip="127.0.0.1", port=free_port(), root_dir=root, allow_root=True, open_browser=False, log_level="ERROR")
        config.IdentityProvider.token = token
        # They would write the token to other places.
        own = {"write_server_info_file": nothing, "write_browser_open_files": nothing}
        how = {"find_extensions": False}
    app = type("SharedGateway", (App,), {"load_config_file": nothing, **own}).instance(config=config)
    app.initialize(argv=[], **how)
    return app


def nothing(*_args, **_kwargs):
    pass


def free_port():
    """Where to begin looking: the server takes another one when this was taken meanwhile."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def watch(app, users):
    from tornado.ioloop import PeriodicCallback

    alone_since = None

    async def look():
        nonlocal alone_since
        for file in list(users.glob("*.json")):
            user = read_user(file)
            if user and not is_running(user):
                await end_kernels(app, user.get("kernels", []))
                file.unlink(missing_ok=True)
        # From here to the end nothing is awaited: whoever comes after this sees no server any more, and never one that is about to end.
        if any(users.glob("*.json")):
            alone_since = None
            return
        alone_since = alone_since or time.monotonic()
        if time.monotonic() - alone_since > GRACE_SECONDS:
            app.stop()

    app.users_watch = PeriodicCallback(look, LOOK_MS)
    app.users_watch.start()


def read_user(file):
    """None for a file that went away meanwhile; files are never half written."""
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


async def end_kernels(app, ids):
    for kernel_id in ids:
        if kernel_id not in app.kernel_manager:
            continue
        try:
            ended = app.kernel_manager.shutdown_kernel(kernel_id, now=True)
            if inspect.isawaitable(ended):
                await ended
        except Exception as error:
            print(f"kernel {kernel_id} could not be ended: {error!r}", file=sys.stderr, flush=True)


def write_private(file, value):
    new = file.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        json.dump(value, stream)
    os.replace(new, file)


def is_running(user):
    """Whether the very process that wrote the file still runs; where its start can't be read quickly, whether there is one of its number."""
    pid = user.get("pid")
    if not isinstance(pid, int):
        return False
    if sys.platform == "linux":
        return process_start(pid) == user.get("start")
    if os.name == "nt":
        return windows_process_runs(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def process_start(pid):
    """The same text that Cellwright makes of a process's start; None when there is no such process."""
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return None
        return None if fields[0] in "ZX" else f"{boot}/{fields[19]}"
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    if os.name == "nt":
        command = ["powershell.exe", "-NoProfile", "-Command", f"(Get-Process -Id {pid}).StartTime.ToFileTimeUtc()"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return found.stdout.strip() or None


def windows_process_runs(pid):
    import ctypes

    query, still_active = 0x1000, 259
    handle = ctypes.windll.kernel32.OpenProcess(query, False, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
    ctypes.windll.kernel32.CloseHandle(handle)
    return code.value == still_active


main()
