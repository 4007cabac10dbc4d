"""A real kernel of this Python, driven by lines of JSON: a request on stdin, its result on stdout.

It uses jupyter_client, which comes with ipykernel, so that these tests show what the helpers do and nothing of the app's own transport.
"""

import json
import os
import sys
import tempfile

from jupyter_client import KernelManager


def main():
    manager = KernelManager()
    manager.kernel_spec.argv = [sys.executable, '-m', 'ipykernel_launcher', '-f', '{connection_file}']
    with tempfile.TemporaryDirectory() as folder:
        manager.connection_file = os.path.join(folder, 'kernel.json')
        manager.start_kernel(cwd=folder, stderr=open(os.path.join(folder, 'stderr'), 'w'))
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            say({'ready': True})
            for line in sys.stdin:
                say(handle(manager, client, json.loads(line)))
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def say(message):
    sys.stdout.write(json.dumps(message) + '\n')
    sys.stdout.flush()


def handle(manager, client, request):
    if request['action'] == 'interrupt':
        manager.interrupt_kernel()
        return {}
    if request['action'] == 'complete':
        return client.complete(request['code'], reply=True, timeout=60)['content']
    if request['action'] == 'inspect':
        return client.inspect(request['code'], reply=True, timeout=60)['content']
    return execute(manager, client, request)


def execute(manager, client, request):
    """Runs code; if asked to, interrupts it once a file is there."""
    silent = request.get('silent', False)
    parent = client.execute(request['code'], silent=silent, store_history=not silent)
    waiting = request.get('interruptWhen')
    messages = []
    idle = False
    while not idle:
        if waiting and os.path.exists(waiting):
            waiting = None
            manager.interrupt_kernel()
        if not client.iopub_channel.msg_ready():
            client.iopub_channel.socket.poll(50)
            continue
        message = client.get_iopub_msg(timeout=60)
        if message['parent_header'].get('msg_id') != parent:
            continue
        idle = message['msg_type'] == 'status' and message['content']['execution_state'] == 'idle'
        if message['msg_type'] not in ('status', 'execute_input'):
            messages.append({'type': message['msg_type'], 'content': message['content']})
    reply = client.get_shell_msg(timeout=60)
    while reply['parent_header'].get('msg_id') != parent:
        reply = client.get_shell_msg(timeout=60)
    return {'reply': reply['content'], 'messages': messages}


main()
