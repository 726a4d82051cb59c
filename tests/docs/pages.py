#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every program and every command on the pages of the manual is run, and must print what is shown.

A block that begins with ```fleng NAME is written to the file NAME, ```text NAME likewise. In other
blocks a line `$ COMMAND` is a command, and what follows it is all it prints, standard error included;
a line `...` stands for any lines. A block that begins with ```prompt is a session at the prompt: lines
`?- GOAL` are typed, the others are what is printed. Each page has a folder of its own, empty at first.

usage: pages.py FLENG PAF PAGE...            tests
       pages.py FLENG PAF --write PAGE...    writes what is printed into the pages
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r'^```([^\n]*)\n(.*?)^```$', re.S | re.M)


def matches(shown, printed):
    """Are the printed lines those shown, where `...` is any number of lines?"""
    if not shown:
        return not printed
    if shown[0] == '...':
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


class Page:
    def __init__(self, path, env):
        self.path = path
        self.env = env
        self.passed = self.failed = 0

    def run(self, command):
        done = subprocess.run(['sh', '-c', command], cwd=self.folder, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=600, check=False)
        return done.stdout

    def check(self, command, shown, printed):
        if matches(shown.splitlines(), printed.splitlines()):
            self.passed += 1
            return
        self.failed += 1
        print('FAILED: %s: $ %s\nshown:\n%sprinted:\n%s(pages.py --write puts it into the page)'
              % (os.path.basename(self.path), command, shown, printed))

    def session(self, lines):
        typed = ''.join(line[3:] + '\n' for line in lines if line.startswith('?- '))
        shown = ''.join(line + '\n' for line in lines if not line.startswith('?- '))
        done = subprocess.run(['fleng'], cwd=self.folder, env=self.env, text=True, input=typed,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
                              check=False)
        self.check('fleng (a session)', shown, done.stdout)

    def block(self, match):
        """What the block should be."""
        kind, text = match.group(1).split(), match.group(2)
        if len(kind) == 2 and kind[0] in ('fleng', 'text'):
            with open(os.path.join(self.folder, kind[1]), 'w', encoding='utf-8') as file:
                file.write(text)
            return match.group(0)
        if kind == ['prompt']:
            self.session(text.splitlines())
            return match.group(0)
        if kind or not text.startswith('$ '):
            return match.group(0)
        parts = []
        for part in re.split(r'^\$ ', text, flags=re.M)[1:]:
            command, _, shown = part.partition('\n')
            while command.endswith('\\'):
                more, _, shown = shown.partition('\n')
                command += '\n' + more
            printed = self.run(command)
            self.check(command, shown, printed)
            if printed and not printed.endswith('\n'):
                printed += '\n'
            parts.append('$ %s\n%s' % (command, shown if '...\n' in shown else printed))
        return '```\n%s```' % ''.join(parts)

    def check_links(self, text):
        for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', BLOCK.sub('', text)):
            if not os.path.exists(os.path.join(os.path.dirname(self.path), link)):
                self.failed += 1
                print('FAILED: %s: link to %s' % (os.path.basename(self.path), link))

    def process(self):
        with open(self.path, encoding='utf-8') as file:
            text = file.read()
        self.check_links(text)
        with tempfile.TemporaryDirectory() as self.folder:
            return BLOCK.sub(self.block, text)


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:3]]
    env = dict(os.environ, LC_ALL='C.UTF-8', PATH=os.pathsep.join(
        [os.path.dirname(fleng), os.path.dirname(paf), os.environ['PATH']]))
    paths = sys.argv[3:]
    write = paths[:1] == ['--write']
    passed = failed = 0
    for path in paths[write:]:
        page = Page(path, env)
        text = page.process()
        if write:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        passed += page.passed
        failed += page.failed
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed and not write else 0


if __name__ == '__main__':
    sys.exit(main())
