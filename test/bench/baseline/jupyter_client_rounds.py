"""The same measurements through Python's jupyter_client, one JSON line on standard output.

Arguments: number of cold starts, number of `pass` round trips, number of printed lines.
Times are milliseconds; `lost` counts printed lines that never arrived.
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
    begun = time.perf_counter()
    manager = KernelManager()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    run(client, "1+1")
    return (time.perf_counter() - begun) * 1000, manager, client


def stop(manager, client):
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def main():
    starts, rounds, lines = (int(argument) for argument in sys.argv[1:4])
    cold = []
    for _ in range(starts):
        elapsed, manager, client = start()
        cold.append(elapsed)
        stop(manager, client)
    _, manager, client = start()
    trips = [timed(lambda: run(client, "pass"))[0] for _ in range(rounds)]
    flood, received = timed(lambda: run(client, f"for i in range({lines}): print(i)"))
    stop(manager, client)
    print(json.dumps({"cold": cold, "trips": trips, "flood": flood, "lost": lines - received}))


main()
