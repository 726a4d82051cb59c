#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A profile tells what `paf report` tells of a trace of the same run: every golden program, the
examples, and programs that run for so many steps that figures are sums over several of them. With
--quick one golden program in five, and one of those that run long.

usage: profiles.py [--quick] FLENG PAF APPS
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from run import Program, collect

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 600

MODULES = {
    'main.fl': ':- module(main, [main/0]).\n'
               ':- use_module(squares).\n'
               'main :- squares:squares(40, S), sum(S, 0, R), show(R).\n'
               'sum([X|S], A, R) :- A1 := A + X, sum(S, A1, R).\n'
               'sum([], A, R) :- R = A.\n'
               'show(R) :- integer(R) | writeln(R).\n',
    'squares.fl': ':- module(squares, [squares/2]).\n'
                  'squares(N, S) :- N > 0 | X := N * N, S = [X|S1], N1 := N - 1, squares(N1, S1).\n'
                  'squares(0, S) :- S = [].\n',
}

# main/0 calls three predicates, one of which waits long for the others and one is slow.
LONG = '''
main :- argv([A]), number_string(N, A), count(N, S), sum(S, 0, R), late(R, X, Y), Y = X.
count(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, count(N1, S1).
count(0, S) :- S = [].
sum([X|S], A, R) :- A1 := A + X, sum(S, A1, R).
sum([], A, R) :- R = A.
late(R, X, Y) :- integer(R) | X = R, fan(12, Y), fan(9, Y).
fan(N, Y) :- N > 0, integer(Y) | N1 := N - 1, fan(N1, Y), fan(N1, Y).
fan(0, _).
'''


def run(*command, cwd=None):
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT, cwd=cwd, check=False,
                          stdin=subprocess.DEVNULL)


class Comparison:
    def __init__(self, fleng, paf, folder):
        self.fleng, self.paf = os.path.abspath(fleng), os.path.abspath(paf)
        self.trace = os.path.join(folder, 'trace.paf')
        self.profile = os.path.join(folder, 'profile.paf')
        self.passed = self.failed = 0

    def say(self, name, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED %s: %s' % (name, text))
        return good

    def report(self, name, path):
        done = run(self.paf, 'report', '--json', path)
        if self.say(name, done.returncode == 0, done.stderr.decode()):
            return json.loads(done.stdout)
        return None

    def figures(self, name, command):
        """command(options): the command line with these options."""
        for path in (self.trace, self.profile):
            if os.path.exists(path):
                os.unlink(path)
        traced, profiled = (
            subprocess.run(line, input=stdin, capture_output=True, timeout=TIMEOUT, cwd=cwd,
                           check=False)
            for line, stdin, cwd in (command(['-trace=' + self.trace]),
                                     command(['-profile=' + self.profile])))
        self.say(name, traced.stdout == profiled.stdout, 'other output')
        self.say(name, traced.returncode == profiled.returncode,
                 'exit status %d, not %d' % (profiled.returncode, traced.returncode))
        if not os.path.exists(self.trace): # it was not compiled
            self.say(name, not os.path.exists(self.profile), 'a profile without a run')
            return
        wanted, got = self.report(name, self.trace), self.report(name, self.profile)
        if wanted and got:
            self.compare(name, wanted, got)

    def compare(self, name, wanted, got):
        for key in ('dependencies', 'critical_path', 'cycles', 'unneeded', 'findings', 'together', 'notes',
                    'hasten'):
            self.say(name, got.pop(key, '') is None and wanted.pop(key) is not None,
                     '%s is not null' % key)
        for module in got['modules']:
            self.say(name, module.pop('critical', '') is None, 'critical is not null')
        for module in wanted['modules']:
            del module['critical']
        for key in wanted.keys() | got.keys():
            self.say(name, wanted.get(key) == got.get(key),
                     '%s: %.300s, not %.300s' % (key, got.get(key), wanted.get(key)))


def golden(c, path):
    program = Program(path)
    if 'traced' not in program.ways or any(word.startswith(('-dump', '-time=real')) for word in program.run):
        return
    with open(path, 'rb') as source:
        if b'timer:' in source.read(): # its reductions depend on the time of day
            return
    stdin = ''.join(line + '\n' for line in program.stdin).encode()
    folder = os.path.dirname(os.path.abspath(path))
    c.figures(os.path.basename(path),
              lambda options: (program.command(c.fleng, options), stdin, folder))


def of_file(c, name, path, *arguments):
    c.figures(name, lambda options: ([c.fleng] + options + [path, '--'] + list(arguments), b'',
                                     os.path.dirname(path)))


def refusals(c, folder):
    path = os.path.join(folder, 'long.fl')
    both = run(c.fleng, '-profile=' + c.profile, '-trace=' + c.trace, path, '--', '1')
    c.say('-profile -trace', both.returncode == 2 and b'not both' in both.stderr,
          both.stderr.decode())
    nowhere = run(c.fleng, '-profile=' + os.path.join(folder, 'no', 'x.paf'), path, '--', '1')
    c.say('-profile=no/x.paf', nowhere.returncode == 2 and b'cannot create' in nowhere.stderr,
          nowhere.stderr.decode())


def main():
    parser = argparse.ArgumentParser(description='Compares profiles with traces.')
    parser.add_argument('--quick', action='store_true')
    for name in ('fleng', 'paf', 'apps'):
        parser.add_argument(name)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(options.fleng, options.paf, folder)
        for path in collect([os.path.join(HERE, 'programs')])[::5 if options.quick else 1]:
            golden(c, path)
        best = os.path.join(os.path.abspath(options.apps), 'bestpath')
        for name in ('a.fl', 'b.fl'):
            of_file(c, 'bestpath ' + name, os.path.join(best, name),
                    os.path.join(best, 'small.gr'), '1')
        for name, text in dict(MODULES, **{'long.fl': LONG}).items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        c.figures('two modules', lambda options: (
            [c.fleng] + options + ['main.fl'], b'', folder))
        for n in (49000,) if options.quick else (49000, 70000, 130000, 260000):
            of_file(c, 'long %d' % n, os.path.join(folder, 'long.fl'), str(n))
        path = os.path.join(folder, 'long.fl')
        for more in (['-limit', '1000'], ['-until', '777'], ['-cost', 'sum/3=7'],
                     ['-cost', 'sum/3=40', '-cost', 'fan/2=3', '-limit', '150001']):
            c.figures('long ' + ' '.join(more),
                      lambda options, more=more: ([c.fleng] + options + more + [path, '--', '5000'],
                                                  b'', folder))
        refusals(c, folder)
        print('%d passed, %d failed' % (c.passed, c.failed))
        return 1 if c.failed else 0


if __name__ == '__main__':
    sys.exit(main())
