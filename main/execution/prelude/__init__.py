"""Helpers that agents find in the namespace of their Python: files, search, changes, texts, the shell, artifacts.

Each works as ordinary Python does and reports one status event; none changes anything of the code around it.
"""

from . import automagic as automagic
from .artifacts import output, save_artifact
from .change import delete_lines, delete_matching, diff, insert_at, lines, replace, rsed, sed
from .files import append, cp, mv, read, rm, stat, write
from .listing import find, glob_files, tree
from .search import grep, rgrep
from .shell import env, run
from .text import cols, counter, sort_lines, uniq

__all__ = [
    'read',
    'write',
    'append',
    'rm',
    'mv',
    'cp',
    'stat',
    'tree',
    'find',
    'glob_files',
    'grep',
    'rgrep',
    'replace',
    'sed',
    'rsed',
    'insert_at',
    'delete_lines',
    'delete_matching',
    'lines',
    'diff',
    'sort_lines',
    'uniq',
    'counter',
    'cols',
    'run',
    'env',
    'output',
    'save_artifact',
]
