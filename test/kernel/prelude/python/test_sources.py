"""The sources themselves: old Pythons can read them, and loading them is cheap and without effect."""

import ast
import subprocess
import sys
import unittest
from pathlib import Path

import support

FOLDER = Path(support.SOURCES) / 'prelude'


class Sources(unittest.TestCase):
    def test_python_3_8_can_read_them(self):
        files = sorted(FOLDER.glob('*.py'))
        self.assertGreater(len(files), 10)
        for file in files:
            ast.parse(file.read_text(encoding='utf-8'), str(file), feature_version=(3, 8))

    def test_loading_starts_nothing(self):
        slow = '{"psutil", "difflib", "mimetypes", "IPython"}'
        code = f'import sys, threading, prelude; print(threading.active_count(), *{slow} & set(sys.modules))'
        found = subprocess.run([sys.executable, '-c', code], cwd=FOLDER.parent, stdout=subprocess.PIPE, check=True)
        self.assertEqual(found.stdout.decode().split(), ['1'])
