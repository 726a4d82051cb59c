# SPDX-License-Identifier: MIT
"""Output that cannot be written reaches the exit status of every command.

Each command that prints runs with a standard output that takes nothing, or that is closed. It says so
and ends with status 1. `words` are checked to print something at all.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from attack import check, finish, write

PROGRAM = b'main :- writeln(hello).\n'


def make_commands(tools, folder):
    program, trace = os.path.join(folder, 'p.fl'), os.path.join(folder, 'p.paf')
    write(program, PROGRAM)
    subprocess.run([tools.fleng, '-trace=' + trace, program], stdout=subprocess.DEVNULL, check=True)
    profile = os.path.join(folder, 'profile.paf')
    subprocess.run([tools.fleng, '-profile=' + profile, program], stdout=subprocess.DEVNULL, check=True)
    report = os.path.join(os.path.dirname(__file__), '..', 'bridge', 'reports', 'k_tool.f66')
    totals = os.path.join(folder, 'totals.paf')
    subprocess.run([tools.bridge, 'import', '-o', totals, report], stderr=subprocess.DEVNULL, check=True)
    for words in (['-help'], ['-version'], ['-library'], ['-library=lists'], ['-e', 'X = 1'], [program],
                  ['-dump=ast', program], ['-dump=ir', program], ['-dump=code', program],
                  ['-check=json', program]):
        yield [tools.fleng] + words
    for command in ('report', 'iotree', 'compare', 'export', 'info', 'whatif', 'simulate'):
        yield [tools.paf, command, '--help']
    yield [tools.paf, '--help']
    yield [tools.paf, '--version']
    for words in ('info', 'info --json', 'info --verify', 'report', 'report --json', 'report --csv',
                  'report --classes', 'iotree', 'iotree --json', 'whatif --speed-up main=2',
                  'whatif --json --speed-up main=2', 'simulate --processors 1,2',
                  'simulate --json --processors 1,2'):
        yield [tools.paf] + words.split() + [trace]
    for words in ('compare', 'compare --json'):
        yield [tools.paf] + words.split() + [trace, trace]
    for file in (profile, totals):
        for words in ('info', 'report', 'report --json', 'report --csv'):
            yield [tools.paf] + words.split() + [file]
    yield [tools.bridge, '--help']
    yield [tools.bridge, 'report', '--help']
    yield [tools.bridge, 'report', '--ktool', totals]


def endless(words):
    """A device without an end is no input."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    check('a device without an end', done.returncode in (1, 2) and done.stderr, words, done.returncode, done.stderr)


def attack(words):
    name = ' '.join([os.path.basename(words[0])] + [os.path.basename(word) for word in words[1:]])
    plain = subprocess.run(words, capture_output=True, timeout=600)
    check('commands print', plain.returncode == 0 and plain.stdout, name, plain.returncode, plain.stderr)
    with open('/dev/full', 'wb') as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, timeout=600)
    said = b'standard output: cannot write: No space left on device\n' in done.stderr
    check('a full device', done.returncode == 1 and said, name, done.returncode, done.stderr)
    done = subprocess.run(words, stderr=subprocess.PIPE, timeout=600, preexec_fn=lambda: os.close(1))
    said = b'standard output: cannot write' in done.stderr
    check('a closed output', done.returncode == 1 and said, name, done.returncode, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    for name in ('fleng', 'paf', 'bridge'):
        parser.add_argument('--' + name, required=True)
    tools = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fleng-full-') as folder:
        for words in make_commands(tools, folder):
            attack(words)
        trace = os.path.join(folder, 'p.paf')
        for words in ([tools.fleng, '/dev/zero'], [tools.paf, 'report', '/dev/zero'],
                      [tools.paf, 'report', '-p', '/dev/zero', trace],
                      [tools.bridge, 'import', '-o', os.path.join(folder, 'i.paf'), '/dev/zero'],
                      [tools.bridge, 'report', '--ktool', '/dev/zero']):
            endless(words)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
