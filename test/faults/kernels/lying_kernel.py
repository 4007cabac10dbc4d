"""A kernel that breaks the protocol in one way. Usage: lying_kernel.py <lie> <connection file>

An execute_request is answered with the stream `truth`, the reply and idle, except for what the lie changes.
"""

import json
import sys
import time

import zmq
from jupyter_client.session import Session

lie = sys.argv[1]
with open(sys.argv[2]) as file:
    info = json.load(file)

context = zmq.Context.instance()


def bind(kind, port):
    socket = context.socket(kind)
    socket.sndhwm = 0
    socket.bind(f"tcp://{info['ip']}:{port}")
    return socket


shell = bind(zmq.ROUTER, info["shell_port"])
control = bind(zmq.ROUTER, info["control_port"])
stdin = bind(zmq.ROUTER, info["stdin_port"])
iopub = bind(zmq.XPUB, info["iopub_port"])
heartbeat = bind(zmq.REP, info["hb_port"])

session = Session(key=info["key"].encode(), signature_scheme=info["signature_scheme"])
stranger = Session(key=b"another key", signature_scheme=info["signature_scheme"])
DELIMITER = b"<IDS|MSG>"
LANGUAGE = {"name": "lies", "version": "1", "mimetype": "text/plain", "file_extension": ".txt"}


def packed(value):
    return json.dumps(value, default=str).encode()


def raw(socket, ident, kind, parent, content):
    """Sends a message with these bytes as its content, rightly signed."""
    parts = [packed(session.msg_header(kind)), packed(parent["header"]), b"{}", content]
    socket.send_multipart([*ident, DELIMITER, session.sign(parts), *parts])


def publish(kind, content, parent):
    session.send(iopub, kind, content, parent=parent, ident=b"topic")


def nonsense(socket, ident, kind, content, parent):
    """What the lie sends before each true message."""
    if lie == "bad-signature":
        stranger.send(socket, kind, {**content, "text": "lie\n"}, parent=parent, ident=ident)
    elif lie == "bad-json":
        raw(socket, ident, kind, parent, b'{"text": "lie')
        raw(socket, ident, kind, parent, b"\xff\xfe\x00")
        raw(socket, ident, kind, parent, b"[1, 2]")
    elif lie == "missing-fields":
        raw(socket, ident, kind, parent, b"{}")
        raw(socket, ident, "display_data", parent, b'{"data": null}')
        raw(socket, ident, "error", parent, b"{}")
        raw(socket, ident, "update_display_data", parent, b'{"data": {}, "transient": 7}')
        raw(socket, ident, "", parent, b"{}")
    elif lie == "wrong-types":
        raw(socket, ident, kind, parent, packed({key: [value] for key, value in content.items()}))
        raw(socket, ident, "stream", parent, b'{"name": 5, "text": {"a": 1}}')
    elif lie == "short-frames":
        socket.send_multipart([*ident, DELIMITER])
        socket.send_multipart([*ident, b"", b""])
        socket.send_multipart([*ident, DELIMITER, b"", b"{}"])
    elif lie == "huge-frames":
        socket.send_multipart([*ident, bytes(20_000_000)])
        socket.send_multipart([*ident, DELIMITER, b"0" * 64, *[bytes(5_000_000)] * 4])
        socket.send_multipart([*ident, *[b"x"] * 2_000])


def say(socket, ident, kind, content, parent):
    nonsense(socket, ident, kind, content, parent)
    session.send(socket, kind, content, parent=parent, ident=ident)


def status(state, parent):
    if lie == "no-status" and served:
        return
    say(iopub, [b"topic"], "status", {"execution_state": state}, parent)


def other(parent):
    return {"header": {**parent["header"], "msg_id": "somebody-else"}}


def execute(ident, message, count):
    parent = other(message) if lie == "wrong-parent" else message
    reply = {"status": "ok", "execution_count": count, "payload": [], "user_expressions": {}}
    idles = lie not in ("never-idle", "never-idle-again")
    replies = lie != "never-replies"
    if lie == "replies-first":
        say(shell, ident, "execute_reply", reply, parent)
    if lie == "idle-first":
        status("idle", parent)
        time.sleep(0.2)
    status("busy", parent)
    say(iopub, [b"topic"], "execute_input", {"code": message["content"]["code"], "execution_count": count}, parent)
    say(iopub, [b"topic"], "stream", {"name": "stdout", "text": "truth\n"}, parent)
    if lie == "unknown-messages":
        say(iopub, [b"topic"], "no_such_message", {"anything": [1, 2, 3]}, parent)
        say(shell, ident, "no_such_reply", {"status": "ok"}, parent)
    if lie == "replies-twice":
        say(shell, ident, "execute_reply", {**reply, "status": "error", "ename": "First", "evalue": "", "traceback": []}, parent)
        say(shell, ident, "execute_reply", reply, parent)
        status("idle", parent)
    if replies and lie != "replies-first":
        say(shell, ident, "execute_reply", reply, parent)
    if idles and lie != "idle-first":
        status("idle", parent)
    if lie == "idle-twice":
        status("idle", parent)


served = 0


def serve():
    global served
    poller = zmq.Poller()
    for socket in (shell, control, heartbeat):
        poller.register(socket, zmq.POLLIN)
    while True:
        for socket, _ in poller.poll():
            if socket is heartbeat:
                if lie != "no-heartbeat":
                    heartbeat.send(heartbeat.recv())
                continue
            ident, message = session.recv(socket, mode=0)
            kind = message["header"]["msg_type"]
            if kind == "execute_request":
                served += 1
                execute(ident, message, served)
                continue
            if lie == "silent-start":
                continue
            status("busy", message)
            if kind == "kernel_info_request":
                content = {"status": "ok", "protocol_version": "5.3", "implementation": "liar", "language_info": LANGUAGE, "banner": ""}
                say(socket, ident, "kernel_info_reply", content, message)
            elif kind == "shutdown_request":
                say(socket, ident, "shutdown_reply", {"status": "ok", "restart": False}, message)
                if lie != "never-leaves":
                    sys.exit(0)
            elif kind == "interrupt_request":
                say(socket, ident, "interrupt_reply", {"status": "ok"}, message)
            if lie != "never-idle" or served == 0:
                status("idle", message)


serve()
