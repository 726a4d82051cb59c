#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A trace with -trace-modules of one module of several is smaller; each has every figure of all
modules, and of the modules named the dependencies and IO-Trees, too.

usage: trace_modules.py FLENG PAF
"""

import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True

from traces import Checks  # noqa: E402 - beside this file

FILES = {
    'main.fl': ':- module(main, [main/0]).\n'
               ':- use_module(squares).\n'
               ':- use_module(sums).\n'
               'main :- squares:squares(300, S), sums:sums(S, R, T), sums:both(R, T, B), show(B).\n'
               'show(B) :- integer(B) | writeln(B).\n',
    'squares.fl': ':- module(squares, [squares/2]).\n'
                  'squares(N, S) :- squares(N, 7, S).\n'
                  'squares(N, A, S) :- N > 0, A > 0 | X := N * N + A, Y = X, S = [item(Y, A)|S1],\n'
                  '    N1 := N - 1, A1 := X mod 11 + 1, squares(N1, A1, S1).\n'
                  'squares(0, _, S) :- S = [].\n',
    'sums.fl': ':- module(sums, [sums/3, both/3]).\n'
               'sums(S, R, T) :- items(S, 0, R), length(S, T).\n'
               'items([item(X, Y)|S], A, R) :- X > Y | A1 := A + X - Y, items(S, A1, R).\n'
               'items([item(X, Y)|S], A, R) :- X =< Y | items(S, A, R).\n'
               'items([], A, R) :- R = A.\n'
               'both(R, T, B) :- B := R + T.\n',
}


class Parts(Checks):
    def trace(self, name, *options):
        done = self.run(f'-trace={name}', *options, 'main.fl')
        self.check(str(options), done.returncode == 0 and done.stdout, done.stderr)
        return self.report(name)

    def trees(self, name, module):
        return json.loads(self.command(self.paf, 'iotree', '--module', module, '--json', name).stdout)

    def compare(self, options, modules):
        full = self.trace('full.paf', *options)
        part = self.trace('part.paf', *options, '-trace-modules', ','.join(modules))
        name = f'{modules} {options}'
        self.check(name, part.pop('recorded', '') == ','.join(modules), 'the report does not say it')
        for key in ('work', 'span', 'parallelism', 'suspended', 'profile', 'modules',
                    'critical_path'):
            self.check(f'{name}: {key}', part[key] == full[key], f'{part[key]} is not {full[key]}')
        to_them = [[d for d in x['dependencies'] if d['to'] in modules] for x in (full, part)]
        self.check(f'{name}: dependencies', to_them[0] == to_them[1], to_them)
        for module in modules:
            self.check(f'{name}: trees of {module}',
                       self.trees('full.paf', module) == self.trees('part.paf', module))
        if len(modules) == 1 and not options:
            self.check(name, len(self.bytes('part.paf')) < len(self.bytes('full.paf')),
                       'as large as the whole')

    def trees_of_others(self):
        self.trace('part.paf', '-trace-modules', 'sums')
        for module, said in (('sums', False), ('squares', True)):
            done = self.command(self.paf, 'iotree', '--module', module, 'part.paf')
            self.check(f'trees of {module}', ('may lack inputs' in done.stderr) == said, done.stderr)

    def refusals(self):
        for options, words in ((['-trace', '-trace-modules', 'sum'], 'did you mean sums?'),
                               (['-trace', '-trace-modules', 'sums,x'], 'its modules are'),
                               (['-trace-modules', 'sums'], 'needs -trace')):
            done = self.run(*options, 'main.fl')
            self.check(str(options), done.returncode == 2 and words in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
                f.write(text)
        c = Parts(sys.argv[1], sys.argv[2], folder)
        for modules in (['sums'], ['main'], ['squares'], ['main', 'sums']):
            c.compare([], modules)
            c.compare(['-cost', 'items/3=3', '-cost', ':=/2=2'], modules)
            c.compare(['-time=real', '-seed', '3'], modules)
        c.trees_of_others()
        c.refusals()
        return c.told()


sys.exit(main())
