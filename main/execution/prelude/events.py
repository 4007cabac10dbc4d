"""Status events: what a helper did, as one display message with a MIME type of its own and no text.

The hard thing is to be invisible: no output capture of the user's may see an event, no failure to send one may fail the helper, and
nothing in it may grow with the data.
"""

import os
import re
import sys

MIME = 'application/x-xcsh-status'

# An event is shown as one line; more than this would let a loop over large files fill the timeline.
TEXT_LIMIT = 400
LIST_LIMIT = 10
PREVIEW_LINES = 5

_SURROGATES = re.compile('[\ud800-\udfff]')


class reporting:
    """The context of one helper call: gives the event to fill in, and publishes it exactly once, also when the call fails."""

    def __init__(self, op, **details):
        self.event = {'op': op, **details}

    def __enter__(self):
        return self.event

    def __exit__(self, kind, error, trace):
        if error is not None:
            self.event['error'] = ': '.join(filter(None, [kind.__name__, str(error)]))
        publish(self.event)


def publish(event):
    """Sends an event to whoever shows this kernel. Without a kernel, or in a forked child of one, does nothing."""
    publisher = _publisher()
    if publisher is None:
        return
    try:
        publisher.publish(data={MIME: bounded(event)}, metadata={})
    except Exception:  # A closed or full channel is no reason for the helper to fail.
        pass


def _publisher():
    module = sys.modules.get('IPython')
    shell = module.get_ipython() if module is not None else None
    if shell is None:
        return None
    # `%%capture` replaces `shell.display_pub` for a while; the shell's own publisher stays among its configurables.
    own = [part for part in shell.configurables if isinstance(part, shell.display_pub_class)]
    publisher = own[0] if own else shell.display_pub
    session = getattr(publisher, 'session', None)
    return publisher if session is not None and session.pid == os.getpid() else None


def bounded(value):
    """The value as JSON can say it, with long texts and lists cut."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, dict):
        return {str(key): bounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        cut = [bounded(item) for item in value[:LIST_LIMIT]]
        return cut + [f'… {len(value) - LIST_LIMIT} more'] if len(value) > LIST_LIMIT else cut
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return shortened(_SURROGATES.sub('\ufffd', text), TEXT_LIMIT)


def preview(text):
    """The first lines of a text."""
    return '\n'.join(text[: TEXT_LIMIT + 1].split('\n')[:PREVIEW_LINES])


def shortened(text, limit):
    """At most `limit` characters of the text, the last one an ellipsis when it was longer."""
    return text if len(text) <= limit else text[: limit - 1] + '…'
