"""
Another client of a running kernel, with a subshell of its own: while the main shell works it asks, runs code and moves a widget there. Arguments: the
connection file, a file whose presence ends it, and a comm's id. Prints a word for each thing that was answered, once it was.
"""

import os
import sys

from jupyter_client import BlockingKernelClient

LIMIT_S = 30

client = BlockingKernelClient(connection_file=sys.argv[1])
client.load_connection_file()
client.start_channels()


def send(channel, kind, content, subshell):
    message = client.session.msg(kind, content)
    message["header"]["subshell_id"] = subshell
    channel.send(message)
    return message["header"]["msg_id"]


def until_answered(parent):
    while client.get_shell_msg(timeout=LIMIT_S)["parent_header"].get("msg_id") != parent:
        pass


control = client.control_channel
request = client.session.msg("create_subshell_request", {})
control.send(request)
while True:
    reply = control.get_msg(timeout=LIMIT_S)
    if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
        break
subshell = reply["content"]["subshell_id"]

shell = client.shell_channel
code = {"code": "print('from the subshell')", "silent": False, "store_history": False, "stop_on_error": False}
for name, kind, content in [
    ("info", "kernel_info_request", {}),
    ("completion", "complete_request", {"code": "pri", "cursor_pos": 3}),
    ("run", "execute_request", code),
    ("comm", "comm_msg", {"comm_id": sys.argv[3], "data": {}}),
    ("inspection", "inspect_request", {"code": "print", "cursor_pos": 3, "detail_level": 0}),
]:
    sent = send(shell, kind, content, subshell)
    # Nobody answers a message to a widget; what is asked after it is answered after it.
    if name != "comm":
        until_answered(sent)
    print(name, flush=True)

while not os.path.exists(sys.argv[2]):
    until_answered(send(shell, "kernel_info_request", {}, subshell))
client.stop_channels()
