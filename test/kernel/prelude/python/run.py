"""Runs one module of tests and prints a line of JSON for each test: {name, outcome, details}."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class Lines(unittest.TestResult):
    def tell(self, test, outcome, details=''):
        name = test.id().partition('.')[2] or test.id()
        sys.__stdout__.write(json.dumps({'name': name, 'outcome': outcome, 'details': details}) + '\n')

    def addSuccess(self, test):
        self.tell(test, 'passed')

    def addSkip(self, test, reason):
        self.tell(test, 'skipped', reason)

    def addFailure(self, test, error):
        self.tell(test, 'failed', self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.tell(test, 'failed', self._exc_info_to_string(error, test))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.tell(test, 'failed', f'{subtest}\n{self._exc_info_to_string(error, test)}')


unittest.defaultTestLoader.loadTestsFromName(sys.argv[1]).run(Lines())
