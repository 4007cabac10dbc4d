"""What the tests of the helpers share: a folder of their own to work in, and a record of the status events."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), *['..'] * 4, 'main', 'execution')
sys.path.insert(0, SOURCES)

from prelude import events  # noqa: E402


class HelperTest(unittest.TestCase):
    """Each test works in an empty folder. `events` has what was reported, as it would be sent."""

    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(os.path.realpath(holder.name))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.events = []
        recorder = mock.patch.object(events, 'publish', lambda event: self.events.append(json.loads(json.dumps(events.bounded(event)))))
        recorder.start()
        self.addCleanup(recorder.stop)

    def make(self, name, content=b''):
        """Makes a file with these bytes, or with this text, and the folders to it."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode('utf-8') if isinstance(content, str) else content)
        return file

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def names(self):
        """All names in the folder, hidden ones too: nothing temporary may be left."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob('*'))

    def only_event(self):
        """The one event since the last look."""
        self.assertEqual(len(self.events), 1, self.events)
        return self.events.pop()
