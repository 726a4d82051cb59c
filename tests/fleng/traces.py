# SPDX-License-Identifier: MIT
"""What tests of the command's traces share: checks that are counted, commands in one folder."""

import json
import os
import subprocess

TIMEOUT = 600


class Checks:
    def __init__(self, fleng, paf, folder):
        self.fleng, self.paf = os.path.abspath(fleng), os.path.abspath(paf)
        self.folder = folder
        self.passed = self.failed = 0

    def check(self, name, good, text=''):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f'FAILED {name}: {text}')

    def command(self, *words):
        return subprocess.run(words, capture_output=True, timeout=TIMEOUT, cwd=self.folder,
                              check=False, text=True)

    def run(self, *arguments):
        return self.command(self.fleng, *arguments)

    def report(self, name):
        return json.loads(self.command(self.paf, 'report', '--json', name).stdout)

    def sound(self, name):
        return self.command(self.paf, 'info', '--verify', name).returncode == 0

    def bytes(self, name):
        with open(os.path.join(self.folder, name), 'rb') as f:
            return f.read()

    def told(self):
        """The exit status of the test."""
        print(f'{self.passed} passed, {self.failed} failed')
        return 1 if self.failed else 0
