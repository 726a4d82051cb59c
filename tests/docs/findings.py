#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/findings.md is complete and true.

It has every mechanism of mechanisms.def, in its order, with the words that stand there. Of each example
the first finding is of that mechanism, names a place in the program, and predicts what the repaired
program shows, to 10 percentage points, as exactly as the page says; both programs answer the same and pass -check; the repaired one
has no finding of that mechanism that promises as much.

usage: findings.py FLENG PAF
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MECHANISM = re.compile(r'^MECHANISM\(\w+,\s*"([^"]+)",\s*"([^"]+)"\)', re.M)
BLOCK = re.compile(r'^```([^\n]*)\n(.*?)^```$', re.S | re.M)
NEAR = 0.10


class Page:
    def __init__(self, fleng, paf, folder):
        self.folder = folder
        self.env = dict(os.environ, LC_ALL='C.UTF-8', PATH=os.pathsep.join(
            [os.path.dirname(fleng), os.path.dirname(paf), os.environ['PATH']]))
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        self.passed += bool(condition)
        self.failed += not condition
        if not condition:
            print('FAILED: %s%s' % (what, '\n  ' + str(detail) if detail else ''))

    def run(self, command):
        return subprocess.run(['sh', '-c', command], cwd=self.folder, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
                              check=False)

    def write(self, text):
        """The programs of a text, and those that it makes of them with sed."""
        for block in BLOCK.finditer(text):
            kind = block.group(1).split()
            if len(kind) == 2 and kind[0] == 'fleng':
                with open(os.path.join(self.folder, kind[1]), 'w', encoding='utf-8') as file:
                    file.write(block.group(2))
            for command in re.findall(r'^\$ (sed .*)$', block.group(2), re.M):
                self.check(command, not self.run(command).stdout)

    def report(self, name):
        """(answer, report) of a program."""
        checked = self.run('fleng -check %s.fl' % name)
        self.check('-check %s.fl' % name, checked.returncode == 0 and not checked.stdout,
                   checked.stdout)
        done = self.run('fleng -trace %s.fl' % name)
        self.check(name + '.fl ends well', done.returncode == 0, done.stdout)
        return done.stdout, json.loads(self.run('paf report --json %s.paf' % name).stdout)

    def example(self, name, text):
        answer, slow = self.report(name)
        answer2, fixed = self.report(name + '2')
        saving = 1 - fixed['span'] / slow['span']
        self.check(name + ': the edit changes no answer',
                   sorted(answer.splitlines()) == sorted(answer2.splitlines()), (answer, answer2))
        self.check(name + ': there is a finding', slow['findings'])
        first = slow['findings'][0] if slow['findings'] else {'kind': '', 'file': '', 'saving': 0}
        self.check(name + ': the first finding', first['kind'] == name, slow['findings'])
        self.check(name + ': names a place in the program', first['file'] == name + '.fl', first)
        self.check('%s: predicted %.1f %%, achieved %.1f %%' % (
            name, 100 * first['saving'], 100 * saving), abs(first['saving'] - saving) <= NEAR)
        for words, estimate in (('price is exact:', False), ('price is an estimate:', True)):
            if words in ' '.join(text.split()):
                self.check(name + ': the ' + words, first.get('estimate', False) == estimate, first)
        self.check(name + ': the repaired program lacks it', not any(
            f['kind'] == name and f['saving'] >= first['saving'] for f in fixed['findings']),
                   fixed['findings'])


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:3]]
    with open(os.path.join(ROOT, 'iotree', 'mechanisms.def'), encoding='utf-8') as file:
        mechanisms = MECHANISM.findall(file.read())
    with open(os.path.join(ROOT, 'docs', 'findings.md'), encoding='utf-8') as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        page = Page(fleng, paf, folder)
        page.check('mechanisms.def has mechanisms', len(mechanisms) > 20)
        found = re.findall(r'^### `([^`]+)`: (.*)$', text, re.M)
        page.check('the page has all mechanisms in their order', found == mechanisms,
                   set(found) ^ set(mechanisms))
        examples = 0
        for part in re.split(r'^### ', text, flags=re.M):
            name = re.match(r'`([^`]+)`', part)
            page.write(part)
            if name and '```fleng %s.fl' % name.group(1) in part:
                examples += 1
                page.example(name.group(1), part)
        page.check('the page has examples', examples >= 14, examples)
    print('%d passed, %d failed' % (page.passed, page.failed))
    return 1 if page.failed else 0


if __name__ == '__main__':
    sys.exit(main())
