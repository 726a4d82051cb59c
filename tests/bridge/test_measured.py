#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles programs by `kpx-bridge build`, measures them and asks for what follows from their text.

usage: test_measured.py KPX-BRIDGE PRINT-TOTALS GFORTRAN APPS
"""

import os
import shutil
import subprocess
import sys
import tempfile

failures = []
ALL = ('--routines', '--loops', '--io')


def check(right, what, *details):
    if not right:
        failures.append(what)
        print('FAILED: ' + what, *details, sep='\n  ')


class Line:
    """A line of print_totals."""

    def __init__(self, text):
        words = text.split()
        (self.kind, self.unit, self.seq, self.label, self.line, self.file, self.definite, self.type,
         self.number) = words[:9]
        (self.rank, self.thread, self.times, self.rotation, self.time,
         self.inclusive) = [None if w == '-' else int(w) for w in words[10:]]


class Tools:
    def __init__(self, bridge, printer, compiler, apps, folder):
        self.bridge, self.printer = os.path.abspath(bridge), os.path.abspath(printer)
        self.compiler, self.apps, self.folder = compiler, os.path.abspath(apps), folder

    def run(self, *words, **options):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=240,
                              check=False, **options)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as out:
            out.write(text)

    def build(self, *arguments, compiler=None):
        done = self.run(self.bridge, 'build', '--', compiler or self.compiler, *arguments)
        check(done.returncode == 0, 'building ' + ' '.join(arguments), done.stderr)
        return done

    def example(self, name, *options):
        self.build('-O2', '-o', name.split('.')[0], os.path.join(self.apps, name), *options)

    def record(self, *command, options=ALL):
        trace = os.path.join(self.folder, 'out.paf')
        if os.path.exists(trace):
            os.remove(trace)
        done = self.run(self.bridge, 'record', '-o', trace, *options, '--', *command)
        return done, self.totals(trace)

    def totals(self, trace):
        done = self.run(self.printer, trace)
        check(done.returncode == 0, 'totals of ' + trace, done.stderr)
        return [Line(line) for line in done.stdout.splitlines()]


def of(lines, kind, unit=None):
    return [l for l in lines if l.kind == kind and unit in (None, l.unit)]


def loops_as(lines):
    return {(l.unit, int(l.seq)): (l.label, l.definite, l.times, l.rotation) for l in of(lines, 'loop')}


SWEEP_LOOPS = {
    ('sweep', 1): ('10', '1', 1, 64),
    ('sweep', 2): ('10', '1', 64, 4096),
    ('sweep', 3): ('20', '1', 1, 50),
    ('sweep', 4): ('30', '0', 1, 7),
    ('sweep', 5): ('-', '0', 1, 10),
    ('relax', 1): ('100', '1', 50, 3100),
    ('relax', 2): ('100', '1', 3100, 192200),
    ('relax', 3): ('110', '1', 1, 8),
    ('search', 1): ('210', '0', 1, 1),
    ('search', 2): ('200', '0', 1, 30),
    ('store', 1): ('300', '1', 1, 64),
}
SWEEP_UNITS = {'sweep': 1, 'relax': 50, 'again': 1, 'search': 1, 'check': 1, 'store': 1}


def fortran_77(tools):
    for level in ('-O0', '-O2', '-O3'):
        tools.build(level, '-o', 'sweep', os.path.join(tools.apps, 'sweep.f'))
        done, lines = tools.record('./sweep')
        check(done.returncode == 0 and '30          10           4' in done.stdout,
              'sweep at ' + level, done.stdout, done.stderr)
        check(loops_as(lines) == SWEEP_LOOPS, 'the loops of sweep at ' + level, loops_as(lines))
        units = {l.unit: l.times for l in of(lines, 'unit')}
        check(units == SWEEP_UNITS, 'the routines of sweep at ' + level, units)
    statements = [(l.unit, l.seq, l.type, l.number, l.times) for l in of(lines, 'io')]
    check(sorted(statements) == [('store', '1', 'open', '12', 1), ('store', '2', 'write', '12', 64),
                                 ('store', '3', 'rewind', '12', 1), ('store', '4', 'read', '12', 65),
                                 ('store', '5', 'close', '12', 1), ('store', '6', 'write', '6', 1),
                                 ('sweep', '1', 'write', '-', 0), ('sweep', '2', 'print', '6', 1)],
          'the I/O of sweep', sorted(statements))


def fortran_90(tools):
    tools.example('grains.f90')
    done, lines = tools.record('./grains')
    check(done.returncode == 0 and '100   64  12' in done.stdout, 'grains', done.stdout, done.stderr)
    loops = {k: v[1:] for k, v in loops_as(lines).items()}
    check(loops == {('start', 1): ('1', 1, 200), ('move', 1): ('1', 1, 25), ('move', 2): ('1', 25, 5000),
                    ('pairs', 1): ('0', 1, 1), ('pairs', 2): ('0', 1, 101), ('tree', 1): ('1', 63, 126),
                    ('main', 1): ('0', 1, 12)}, 'the loops of grains', loops)
    units = {l.unit: l.times for l in of(lines, 'unit')}
    check(units == {'main': 1, 'start': 1, 'move': 1, 'reflect': 25, 'pairs': 1, 'tree': 127},
          'the routines of grains', units)


def times_add_up(tools):
    done, lines = tools.record('./sweep')
    check(done.returncode == 0, 'sweep', done.stderr)
    for unit in of(lines, 'unit'):
        parts = sum(l.time for l in lines if l.kind != 'unit' and l.unit == unit.unit)
        if unit.unit != 'relax':  # has an entry whose loop counts for it
            check(parts <= unit.time, 'the parts of %s are no more than it' % unit.unit, parts, unit.time)
    main = of(lines, 'unit', 'sweep')[0]
    total = sum(l.time for l in of(lines, 'unit'))
    check(abs(total - main.inclusive) <= 100, 'own times of routines make the time of all', total,
          main.inclusive)
    outer, inner = of(lines, 'loop', 'relax')[0:2]
    check(inner.inclusive < outer.inclusive and outer.time < outer.inclusive, 'loops nest')
    tree = of(tools.record('./grains')[1], 'unit', 'tree')[0]
    check(tree.inclusive == tree.time, 'a routine that calls itself counts once', tree.time,
          tree.inclusive)


def run_by_itself(tools):
    done = tools.run('./sweep')
    check(done.returncode == 0 and done.stderr == '' and '30          10           4' in done.stdout,
          'a built program runs by itself', done.stdout, done.stderr)
    done = tools.run(tools.bridge, 'build', '--', tools.compiler, '-c', 'no_such.f')
    check(done.returncode == 1 and 'no_such.f' in done.stderr, "the compiler's status is passed on",
          done.returncode, done.stderr)
    tools.write('false.c', 'int main(void) { return 3; }\n')
    tools.build('-o', 'false', 'false.c', compiler='gcc')
    done, lines = tools.record('./false')
    check(done.returncode == 3, "the program's status is passed on", done.returncode)
    check([(l.unit, l.times) for l in lines] == [('main', 1)], 'a program in C')


def main():
    folder = tempfile.mkdtemp()
    tools = Tools(*sys.argv[1:], folder)
    try:
        for test in (fortran_77, fortran_90, times_add_up, run_by_itself):
            test(tools)
    finally:
        shutil.rmtree(folder)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
