#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_random.py KPX-BRIDGE PRINT-TOTALS GFORTRAN FIRST-LAST: random Fortran programs, built and counted;
# every routine, loop and statement for I/O was executed as often as gcov says, with as many iterations,
# and has the columns that its text gives it.
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import random_fortran  # noqa: E402 - beside this file

FLAGS = ['-std=legacy', '-w']
LIMIT = 300  # seconds of a run


class Failed(Exception):
    pass


def run(words, folder):
    done = subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True,
                          timeout=LIMIT * 4)
    if done.returncode != 0:
        raise Failed('%s: %d\n%s' % (' '.join(str(w) for w in words), done.returncode, done.stderr[:2000]))
    return done.stdout


def by_gcov(tools, folder, sources):
    """How often each line was executed: name of the source -> line -> number."""
    names = [s.name for s in sources]
    run([tools.compiler, '--coverage', '-O0', *FLAGS, '-o', 'covered', *names], folder)
    run(['./covered'], folder)
    counts = {}
    for name in names:
        data = next(folder.glob('*%s.gcda' % name.split('.')[0]))
        found = json.loads(run([tools.gcov, '--json-format', '--stdout', data], folder))
        for file in found['files']:
            if file['file'] == name:
                counts[name] = {l['line_number']: l['count'] for l in file['lines']}
    return counts


def whole(seed):
    """Whether all files are built to be measured, or the first one only."""
    return seed % 5 != 0


def by_bridge(tools, folder, sources, seed):
    """What was measured: kind, name of the source and line -> unit, SEQ., label, T, times, iterations."""
    build = [tools.bridge, 'build', '--', tools.compiler]
    for i, s in enumerate(sources):
        run([*(build if i == 0 or whole(seed) else [tools.compiler]), '-O%d' % (seed % 4), *FLAGS,
             '-c', s.name, '-o', '%d.o' % i], folder)
    run([tools.compiler, '-o', 'built', '0.o', '1.o'], folder)
    options = [[], ['--count'], ['--two-pass', '--limit', '50']][seed % 3]
    run([tools.bridge, 'record', '--routines', '--loops', '--io', *options, '-o', 'out.paf', '--',
         './built'], folder)
    measured = {}
    for line in run([tools.printer, 'out.paf'], folder).splitlines():
        w = re.split(' ', line)
        kind, unit, seq, label, at, file, definite = w[:7]
        times, rotation = w[w.index('|') + 3:][:2]
        key = kind, file, unit if kind == 'unit' else int(at)
        same = measured.setdefault(key, [unit, int(seq), label, int(definite), 0, rotation])
        same[4] = None if times == '-' else same[4] + int(times)  # of a statement: of all its units
    return measured


def expected(sources, counts):
    wanted = {}
    for s in sources:
        lines = counts[s.name]
        for name, line in s.units.items():
            wanted['unit', s.name, name] = [name, 0, '-', -1, lines[line], '-']
        for l in s.loops:
            wanted['loop', s.name, l.line] = [l.unit, l.seq, str(l.label) if l.label else '-', l.definite,
                                              lines[l.before], str(lines[l.first])]
        seqs = {}
        for unit, line, before in s.ios:
            seqs[unit] = seqs.get(unit, 0) + 1
            wanted['io', s.name, line] = [unit, seqs[unit], None, -1, lines[before], '-']
    return wanted


def check(tools, seed):
    sources = random_fortran.program(seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix='random-'))
    try:
        for s in sources:
            (folder / s.name).write_text(s.text())
        wanted = expected(sources, by_gcov(tools, folder, sources))
        got = by_bridge(tools, folder, sources, seed)
    finally:
        shutil.rmtree(folder)
    other = None if whole(seed) else sources[1].name
    wanted = {key: w for key, w in wanted.items() if key[1] != other}
    got = {key: g for key, g in got.items() if key[1] != other}
    wrong = []
    for key in sorted(set(wanted) | set(got), key=str):
        w, g = wanted.get(key), got.get(key)
        if w and g and w[2] is None:
            g[2] = None  # the unit as the text has it
        if w != g:
            wrong.append('%s: wanted %s, got %s' % (key, w, g))
    return len(wanted), sum(w[4] for w in wanted.values()), wrong


class Tools:
    def __init__(self, bridge, printer, compiler):
        self.bridge, self.printer, self.compiler = os.path.abspath(bridge), os.path.abspath(printer), compiler
        self.gcov = shutil.which('gcov')


def main():
    tools = Tools(*sys.argv[1:4])
    first, last = (int(n) for n in sys.argv[4].split('-'))
    if not tools.gcov:
        print('SKIPPED: gcov is not installed', file=sys.stderr)
        sys.exit(77)
    places = executions = failures = 0
    for seed in range(first, last + 1):
        try:
            n, times, wrong = check(tools, seed)
        except (Failed, subprocess.TimeoutExpired) as reason:
            n, times, wrong = 0, 0, [str(reason)]
        places, executions, failures = places + n, executions + times, failures + bool(wrong)
        if wrong:
            print('seed %d:' % seed, *wrong[:20], sep='\n  ')
    print('%d places, executed %d times; %d programs differ' % (places, executions, failures))
    sys.exit(1 if failures or executions == 0 else 0)


if __name__ == '__main__':
    main()
