#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every command of a page on recorded programs (docs/openmp-tutorial.md, docs/case-studies.md), in its
order, in a folder of its own; twice.

First the program is compiled and recorded now: each command must succeed. What stands out in such a run
depends on what else the machine does, so then the recordings in recordings/ take its place: what a
command prints must be as the page shows it but for its figures: numbers with their units are all alike
here, a line `...` stands for any lines.

usage: openmp_tutorial.py KPX-BRIDGE PAF APPS PAGE
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recordings')
BLOCK = re.compile(r'^```([^\n]*)\n(.*?)^```$', re.S | re.M)


def plain(line):
    """The line without what depends on the machine. Names of files keep their lines."""
    line = re.sub(r'(?<![\w.:])\d[\d.]*( (ns|us|ms|s)\b|s\b)?', '#', line)
    return re.sub(r'[ *]+', ' ', line).strip()


def matches(shown, printed):
    if not shown:
        return not printed
    if shown[0] == '...':
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    first = plain(shown[0])
    # `...` at the end of a line: anything may follow.
    same = (printed and (plain(printed[0]).startswith(first[:-3].strip()) if first.endswith('...')
                         else plain(printed[0]) == first))
    return bool(same) and matches(shown[1:], printed[1:])


def commands(text):
    for kind, block in BLOCK.findall(text):
        command, shown = None, []
        if kind:
            continue
        for line in block.splitlines():
            if line.startswith('$ '):
                if command:
                    yield command, shown
                command, shown = line[2:], []
            elif command:
                shown.append(line)
        if command:
            yield command, shown


def run_page(text, apps, env, kept):
    """What is wrong, as lines. kept: with recordings that are there already."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix='fleng-tutorial-') as folder:
        for name in os.listdir(apps):
            if name.endswith('.c'):
                shutil.copy(os.path.join(apps, name), folder)
        for name in os.listdir(KEPT) if kept else []:
            shutil.copy(os.path.join(KEPT, name), folder)
        for command, shown in commands(text):
            if kept and command.startswith(('clang', 'mpicc', 'kpx-bridge record')):
                continue
            done = subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=folder, env=env,
                                  text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=600, check=False)
            same = matches(shown, done.stdout.splitlines())
            if done.returncode != 0 or not (same or not kept):
                wrong.append('FAILED (%d): $ %s\nshown:\n%s\nprinted:\n%s' %
                             (done.returncode, command, '\n'.join(shown), done.stdout))
        for picture in re.findall(r'^\$ paf export .*-o (\S+)', text, re.M):
            if not os.path.exists(os.path.join(folder, picture)):
                wrong.append('FAILED: no ' + picture)
    return wrong


def main():
    bridge, paf, apps, page = (os.path.abspath(x) for x in sys.argv[1:5])
    env = dict(os.environ, LD_LIBRARY_PATH='/usr/lib/llvm-19/lib', HWLOC_COMPONENTS='-gl',
               OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_rmaps_base_oversubscribe='1')
    env['PATH'] = os.pathsep.join([os.path.dirname(bridge), os.path.dirname(paf), env['PATH']])
    with open(page, encoding='utf-8') as file:
        text = file.read()
    count = sum(1 for _ in commands(text))
    wrong = run_page(text, apps, env, False) + run_page(text, apps, env, True)
    print('\n'.join(wrong + ['%d commands, %d wrong' % (count, len(wrong))]))
    return 1 if wrong or count < 10 else 0


if __name__ == '__main__':
    sys.exit(main())
