"""The same measurements through Python's jupyter_client, asked for one at a time.

Each line on standard input is a command, answered by one line of JSON on standard output. Times are milliseconds.
    start        -> time from the process's start to a first result; the kernel is stopped again
    open         -> null; a kernel for the commands below, stopped at the end of the input
    trips COUNT  -> list of round trips of `pass`
    flood LINES  -> [time, printed lines that never arrived]
"""

import json
import sys
import time

from jupyter_client.manager import KernelManager


def run(client, code):
    """Runs code; returns the number of line feeds received on stdout."""
    lines = 0
    msg_id = client.execute(code, store_history=False)
    client.get_shell_msg(timeout=120)
    while True:
        message = client.get_iopub_msg(timeout=120)
        if message["parent_header"].get("msg_id") != msg_id:
            continue
        content = message["content"]
        if message["msg_type"] == "stream":
            lines += content["text"].count("\n")
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            return lines


def timed(action):
    start = time.perf_counter()
    value = action()
    return (time.perf_counter() - start) * 1000, value


def start():
    manager = KernelManager()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    run(client, "1+1")
    return manager, client


def stop(manager, client):
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def main():
    manager = client = None
    for command in sys.stdin:
        action, *arguments = command.split()
        answer = None
        if action == "start":
            answer, started = timed(start)
            stop(*started)
        elif action == "open":
            manager, client = start()
        elif action == "trips":
            answer = [timed(lambda: run(client, "pass"))[0] for _ in range(int(arguments[0]))]
        elif action == "flood":
            lines = int(arguments[0])
            elapsed, received = timed(lambda: run(client, f"for i in range({lines}): print(i)"))
            answer = [elapsed, lines - received]
        print(json.dumps(answer), flush=True)
    if manager:
        stop(manager, client)


main()
