"""A kernel that lies: before each true message it sends ones that a client must drop. Usage: lying_kernel.py <connection file>"""

import json
import sys

import zmq
from jupyter_client.session import Session

with open(sys.argv[1]) as file:
    info = json.load(file)

context = zmq.Context.instance()


def bind(kind, port):
    socket = context.socket(kind)
    socket.bind(f"tcp://{info['ip']}:{port}")
    return socket


shell = bind(zmq.ROUTER, info["shell_port"])
control = bind(zmq.ROUTER, info["control_port"])
stdin = bind(zmq.ROUTER, info["stdin_port"])
iopub = bind(zmq.PUB, info["iopub_port"])
heartbeat = bind(zmq.REP, info["hb_port"])

true = Session(key=info["key"].encode(), signature_scheme=info["signature_scheme"])
false = Session(key=b"another key", signature_scheme=info["signature_scheme"])
DELIMITER = b"<IDS|MSG>"


def signed(*parts):
    return [DELIMITER, true.sign(list(parts)), *parts]


def lies(parent):
    """Frames that are wrong in one way each."""
    header = json.dumps(true.msg_header("stream"), default=str).encode()
    parent_header = json.dumps(parent["header"], default=str).encode()
    yield [b"no delimiter", b"at all"]
    yield [DELIMITER]
    yield [DELIMITER, true.sign([header]), header]
    yield [DELIMITER, b"", header, parent_header, b"{}", b'{"name": "stdout", "text": "lie"}']
    yield signed(header, parent_header, b"{}", b"{not json")
    yield signed(header, parent_header, b"{}", b"\xff\xfe\x00")
    yield signed(b"{}", parent_header, b"{}", b"{}")
    yield signed(b"[]", parent_header, b"{}", b"{}")
    yield signed(header, b"null", b"{}", b'"text"')


def publish(kind, content, parent):
    for frames in lies(parent):
        iopub.send_multipart([b"topic", *frames])
    false.send(iopub, kind, content, parent=parent, ident=b"topic")
    true.send(iopub, kind, content, parent=parent, ident=b"topic")


def answer(socket, kind, content, parent, ident):
    for frames in lies(parent):
        socket.send_multipart([*ident, *frames])
    false.send(socket, kind, content, parent=parent, ident=ident)
    true.send(socket, kind, content, parent=parent, ident=ident)


def info_reply():
    language = {"name": "lies", "version": "1", "mimetype": "text/plain", "file_extension": ".txt"}
    return {"status": "ok", "protocol_version": "5.3", "implementation": "liar", "language_info": language, "banner": "", "help_links": []}


poller = zmq.Poller()
for socket in (shell, control, heartbeat):
    poller.register(socket, zmq.POLLIN)

count = 0
while True:
    for socket, _ in poller.poll():
        if socket is heartbeat:
            heartbeat.send(heartbeat.recv())
            continue
        ident, message = true.recv(socket, mode=0)
        kind = message["header"]["msg_type"]
        publish("status", {"execution_state": "busy"}, message)
        if kind == "kernel_info_request":
            answer(socket, "kernel_info_reply", info_reply(), message, ident)
        elif kind == "execute_request":
            count += 1
            publish("stream", {"name": "stdout", "text": f"truth {count}\n"}, message)
            # Python's own way to say that there is no number.
            raw = json.dumps({"nan": float("nan"), "text": "NaN", "infinite": [float("inf"), -float("inf")]}).encode()
            parts = [
                json.dumps(true.msg_header("display_data"), default=str).encode(),
                json.dumps(message["header"], default=str).encode(),
                b"{}",
                b'{"metadata": {}, "data": {"application/json": ' + raw + b"}}",
            ]
            iopub.send_multipart([b"topic", *signed(*parts)])
            answer(socket, "execute_reply", {"status": "ok", "execution_count": count}, message, ident)
        elif kind == "shutdown_request":
            answer(socket, "shutdown_reply", {"status": "ok", "restart": False}, message, ident)
            sys.exit(0)
        publish("status", {"execution_state": "idle"}, message)
