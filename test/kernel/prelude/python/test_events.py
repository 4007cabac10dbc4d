"""Status events: bounded and clean, sent once, never in the way. That they arrive is shown with real kernels."""

import json
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401

import prelude
from prelude import events


class Bounded(unittest.TestCase):
    def test_long_values_are_cut(self):
        event = events.bounded({'text': 'x' * 10_000, 'list': list(range(1000)), 'deep': [['y' * 10_000] * 1000] * 1000})
        self.assertEqual((len(event['text']), event['text'][-1]), (400, '…'))
        self.assertEqual(event['list'], [*range(10), '… 990 more'])
        self.assertLess(len(json.dumps(event)), 60_000)

    def test_every_value_becomes_json(self):
        class Odd:
            def __str__(self):
                return 'odd \ud800'

        event = events.bounded({'path': Path('a'), 'odd': Odd(), 'nan': float('nan'), 'flag': True, 'none': None, 'bytes': b'x', 5: {6: 7}})
        self.assertEqual(
            json.loads(json.dumps(event).encode('utf-8')),
            {'path': 'a', 'odd': 'odd \ufffd', 'nan': 'nan', 'flag': True, 'none': None, 'bytes': "b'x'", '5': {'6': 7}},
        )

    def test_a_preview_is_the_first_lines(self):
        self.assertEqual(events.preview('\n'.join('abcdefgh')), 'a\nb\nc\nd\ne')


class Publish(unittest.TestCase):
    """With a stand-in for IPython, for what a real one can't be made to do."""

    def shell(self, publisher, pid):
        publisher.session = types.SimpleNamespace(pid=pid)
        shell = types.SimpleNamespace(configurables=[object(), publisher], display_pub_class=type(publisher), display_pub=None)
        return mock.patch.dict(sys.modules, {'IPython': types.SimpleNamespace(get_ipython=lambda: shell)})

    def test_a_failing_channel_does_not_fail_the_helper(self):
        class Publisher:
            def publish(self, data, metadata):
                raise OSError('closed')

        with self.shell(Publisher(), events.os.getpid()):
            self.assertEqual(prelude.uniq('a\na'), 'a')

    def test_a_forked_child_sends_nothing(self):
        sent = []

        class Publisher:
            def publish(self, data, metadata):
                sent.append(data)

        with self.shell(Publisher(), events.os.getpid() + 1):
            prelude.uniq('a')
        self.assertEqual(sent, [])
        with self.shell(Publisher(), events.os.getpid()):
            prelude.uniq('a')
        self.assertEqual([event[events.MIME]['op'] for event in sent], ['uniq'])

    def test_without_ipython_nothing_happens(self):
        with mock.patch.dict(sys.modules):
            sys.modules.pop('IPython', None)
            self.assertEqual(prelude.uniq('a\na'), 'a')


class Documentation(unittest.TestCase):
    def test_every_helper_says_what_it_does_in_a_few_lines(self):
        for name in prelude.__all__:
            text = getattr(prelude, name).__doc__.strip().split('\n')
            self.assertLessEqual(len(text), 6, name)
            self.assertLessEqual(max(map(len, text)), 140, name)

    def test_no_name_is_a_builtin(self):
        import builtins

        self.assertEqual([name for name in prelude.__all__ if hasattr(builtins, name)], [])
