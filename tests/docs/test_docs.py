#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents say is so: the README's tour shows what the commands print, its links lead
somewhere, the man pages have every option of --help.

usage: test_docs.py FLENG PAF
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAF_COMMANDS = ['report', 'iotree', 'whatif', 'simulate', 'compare', 'export', 'info', 'serve']


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED: %s%s' % (what, '\n  ' + detail if detail else ''))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def squeezed(text):
    return ' '.join(text.split())


def tour(text):
    """[(command, what is shown of its output)] of the blocks that show a shell."""
    found = []
    for block in re.findall(r'^```\n(.*?)^```', text, re.S | re.M):
        for part in re.split(r'^\$ ', block, flags=re.M)[1:]:
            command, _, shown = part.partition('\n')
            found.append((command, shown))
    return found


def pieces_in_order(shown, output):
    """The first piece between `...` that does not follow the others in the output, or None."""
    output = squeezed(output)
    at = 0
    for piece in re.split(r'\.\.\.', shown):
        piece = squeezed(piece)
        at = output.find(piece, at)
        if at < 0:
            return piece
        at += len(piece)
    return None


def check_tour(tally, fleng, paf):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(ROOT, 'apps'), os.path.join(folder, 'apps'))
        env = dict(os.environ, PATH=os.pathsep.join(
            [os.path.dirname(fleng), os.path.dirname(paf), os.environ['PATH']]))
        commands = tour(read('README.md'))
        tally.check('the tour has commands', len(commands) > 4)
        for command, shown in commands:
            if not shown.strip() and command.startswith('paf '):
                continue                                        # opens a window
            done = subprocess.run(['sh', '-c', command], cwd=folder, env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            tally.check('README: %s: ends well' % command, done.returncode == 0, done.stdout)
            missing = pieces_in_order(shown, done.stdout)
            tally.check('README: %s: prints what is shown' % command, missing is None,
                        'not there: %s\n  output: %s' % (missing, done.stdout[:3000]))


def check_prompt(tally, fleng):
    """The sessions in docs/prompt.md, one after the other in one."""
    text = read('docs', 'prompt.md')
    program = re.search(r'in `(\S+)`:\n\n```\n(.*?)^```', text, re.S | re.M)
    blocks = re.findall(r'^```prompt\n(.*?)^```', text, re.S | re.M)
    tally.check('docs/prompt.md has sessions', len(blocks) > 3 and program)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, program.group(1)), 'w', encoding='utf-8') as file:
            file.write(program.group(2))
        for block in blocks:
            setup = '' if ':load' in block else ':load lists.fl\n'
            setup += 'M = [1,2].\n' if 'M,' in block and ':trace' in block else ''
            typed = ''.join(line[3:] + '\n' for line in block.splitlines()
                            if line.startswith('?- '))
            shown = ''.join(line + '\n' for line in block.splitlines()
                            if not line.startswith('?- '))
            done = subprocess.run([fleng], input=setup + typed, cwd=folder, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            missing = pieces_in_order(shown, done.stdout)
            tally.check('docs/prompt.md: %s prints what is shown' % typed.splitlines()[0],
                        missing is None, 'not there: %s\n  output: %s' % (missing, done.stdout))


def check_links(tally):
    for name in ('README.md', 'ARCHITECTURE.md', 'HACKING.md', 'CHANGELOG.md'):
        for link in re.findall(r'\]\(([^)#]+)\)', read(name)):
            if '://' not in link:
                tally.check('%s: link to %s' % (name, link),
                            os.path.exists(os.path.join(ROOT, link)))


def options_of(text):
    """The options that begin a line of a help text."""
    found = set()
    for line in text.splitlines():
        begin = re.match(r' {2,8}(-.*?)(  |$)', line)
        if begin:
            found.update(re.findall(r'(?:^|[ ,])(--?[a-z][a-z-]*)', begin.group(1)))
    return found


def check_page(tally, page, command, arguments):
    done = subprocess.run([command] + arguments + ['--help'], stdout=subprocess.PIPE, text=True,
                          check=False)
    name = ' '.join([os.path.basename(command)] + arguments)
    tally.check(name + ' --help ends well', done.returncode == 0)
    options = options_of(done.stdout)
    tally.check(name + ' --help lists options', options)
    text = read('docs', page).replace('\\-', '-').replace('\\fI', '').replace('\\fB', '')
    for option in sorted(options):
        tally.check('docs/%s: %s of %s' % (page, option, name),
                    re.search(r'(?<![a-z-])%s(?![a-z-])' % re.escape(option), text))


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:3]]
    tally = Tally()
    check_tour(tally, fleng, paf)
    check_prompt(tally, fleng)
    check_links(tally)
    check_page(tally, 'fleng.1', fleng, [])
    check_page(tally, 'paf.1', paf, [])
    for command in PAF_COMMANDS:
        check_page(tally, 'paf.1', paf, [command])
    print('%d passed, %d failed' % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == '__main__':
    sys.exit(main())
