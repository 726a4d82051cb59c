#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every guard, every built-in predicate and every construct: what it gives when its arguments are there from the
start and when they are bound later, in every order; that it waits while one that it needs is
missing; and what is said when it fails, where and why.

usage: builtins.py FLENG [BUILTINS.DEF]

The tables stand in builtins_table.py. Cases that succeed are batched: one program for all of them.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

import builtins_table as table

WAYS = [['-j', '1'], ['-j', '2'], ['-j', '16'], ['-time=ideal'], ['-seed', '1'], ['-seed', '2']]
FEW_WAYS = [['-j', '1'], ['-time=ideal']]

# Binds variables one after the other, each some time after the one before.
LATER = """
later([bind(V,T)|L]) :- pause(2, D), later(D, V, T, L).
later([]).
later(done, V, T, L) :- V = T, later(L).
pause(0, D) :- D = done.
pause(N, D) :- N > 0 | N1 := N - 1, pause(N1, D).
""" + table.EXTRA


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED: %s%s' % (what, '\n  ' + detail[:1500] if detail else ''))


def run(fleng, way, folder, program, arguments=(), stdin=''):
    with open(os.path.join(folder, 'case.fl'), 'w', encoding='utf-8') as file:
        file.write(program)
    return subprocess.run([fleng] + way + ['case.fl'] + (['--'] + list(arguments)
                                                         if arguments else []),
                          cwd=folder, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False)


def bindings(inputs, order):
    return 'later([%s])' % ','.join('bind(%s,%s)' % (name, inputs[name]) for name in order)


def ways_to_bind(inputs):
    """Goals that bind the inputs: at once, and later in every order."""
    yield ', '.join('%s = %s' % pair for pair in inputs.items()) or 'true'
    if inputs:
        for order in itertools.permutations(inputs):
            yield bindings(inputs, order)


# ---- Results -------------------------------------------------------------------------------------

class Batch:
    """Goals with what they are to give, in one program that prints a line for each."""

    def __init__(self):
        self.clauses = []
        self.expected = []
        self.names = []

    def add(self, name, goals, outputs, extra=''):
        n = len(self.expected)
        self.clauses.append('c%d(Whole) :- Whole = r(%s), %s.\n%s'
                            % (n, ','.join(outputs) or 'done', goals, extra))
        self.expected.append('r(%s)' % (','.join(outputs.values()) or 'done'))
        self.names.append(name)

    def program(self):
        n = len(self.expected)
        text = ['main :- stdout(Ms), m0(Ms).\n']
        for i in range(n):
            text.append('m%d(Ms) :- Ms = [format("~q~n",[R])|Ms1], c%d(R), m%d(Ms1).\n'
                        % (i, i, i + 1))
        text.append('m%d(Ms) :- Ms = [].\n' % n)
        return ''.join(text + self.clauses) + LATER

    def check(self, tally, fleng, folder):
        for way in WAYS:
            done = run(fleng, way, folder, self.program())
            lines = done.stdout.splitlines()
            if done.returncode == 2:
                tally.check('%s: the cases compile' % ' '.join(way), False, done.stderr)
                continue
            for i, (name, wanted) in enumerate(zip(self.names, self.expected)):
                got = lines[i] if i < len(lines) else 'nothing: ' + done.stderr
                tally.check('%s, %s: %s' % (' '.join(way), name, wanted), got == wanted, got)
            tally.check('%s: the cases end well' % ' '.join(way), done.returncode == 0,
                        done.stderr)


def guarded(n, guard, inputs, answer):
    """A goal that binds Z to what the guard decides or computes, and its clauses. U is unbound."""
    names = ','.join(list(inputs) + ['U', 'Z'])
    value = answer[0] if isinstance(answer, tuple) else 'yes'
    return ('g%d(%s)' % (n, names),
            'g%d(%s) :- %s | Z = %s.\notherwise.\ng%d(%sZ) :- Z = no.\n'
            % (n, names, guard, value, n, '_,' * (len(inputs) + 1)))


def construct(n, clauses, goal):
    """Goal and clauses with predicates of their own."""
    own = re.sub(r'\b([pq])\(', r'\g<1>%d(' % n, clauses)
    return re.sub(r'\bp\(', 'p%d(' % n, goal), re.sub(r'\. ', '.\n', own) + '\n'


def check_results(tally, fleng, folder):
    batch = Batch()
    for key, goal, inputs, outputs in table.RESULTS:
        for how in ways_to_bind(inputs):
            batch.add('%s with %s' % (goal, how), '%s, %s' % (goal, how), outputs)
    for guard, inputs, answer in table.GUARDS:
        for how in ways_to_bind(inputs):
            goal, clauses = guarded(len(batch.expected), guard, inputs, answer)
            value = answer[1] if isinstance(answer, tuple) else answer
            batch.add('guard %s with %s' % (guard, how), '%s, %s' % (goal, how), {'Z': value},
                      clauses)
    for clauses, goal, inputs, outputs, _ in table.CONSTRUCTS:
        for how in ways_to_bind(inputs):
            here, own = construct(len(batch.expected), clauses, goal)
            batch.add('%s with %s' % (clauses, how), '%s, %s' % (here, how), outputs, own)
    batch.check(tally, fleng, folder)


# ---- Waiting -------------------------------------------------------------------------------------

def check_waits(tally, fleng, folder):
    """With one needed input missing nothing comes: all of them in one run, which is a deadlock."""
    text, names, n = ['main :- w0.\n'], [], 0

    def add(name, goal, outputs, how, extra=''):
        nonlocal n
        tell = ', '.join('tell(%d,%s)' % (n, v) for v in outputs) or 'true'
        text.append('w%d :- %s, %s, %s, w%d.\n%s' % (n, goal, how, tell, n + 1, extra))
        names.append(name)
        n += 1

    for key, goal, inputs, outputs in table.RESULTS:
        for missing in inputs:
            if (goal, missing) in table.NOT_NEEDED or not outputs:
                continue
            rest = {k: v for k, v in inputs.items() if k != missing}
            how = bindings(rest, rest)
            add('%s without %s' % (goal, missing), goal, outputs, how)
    for guard, inputs, answer in table.GUARDS:
        for missing in inputs:
            if (guard, missing) in table.NOT_NEEDED:
                continue
            rest = {k: v for k, v in inputs.items() if k != missing}
            goal, clauses = guarded(n, guard, inputs, answer)
            add('guard %s without %s' % (guard, missing), goal, ['Z'], bindings(rest, rest),
                clauses)
    for clauses, goal, inputs, outputs, not_needed in table.CONSTRUCTS:
        for missing in inputs:
            if missing in not_needed:
                continue
            rest = {k: v for k, v in inputs.items() if k != missing}
            here, own = construct(n, clauses, goal)
            add('%s without %s' % (clauses, missing), here, outputs, bindings(rest, rest), own)
    text.append('w%d.\ntell(I, V) :- wait(V) | writeln(I).\n' % n)
    for way in WAYS:
        done = run(fleng, way, folder, ''.join(text) + LATER)
        tally.check('%s: goals that miss an argument wait' % ' '.join(way), done.returncode == 3,
                    done.stderr)
        for line in done.stdout.split():
            tally.check('%s: it waits: %s' % (' '.join(way), names[int(line)]), False)
        tally.passed += n


# ---- Output --------------------------------------------------------------------------------------

def check_output(tally, fleng, folder):
    for key, goal, inputs, wanted in table.OUTPUT:
        for how in ways_to_bind(inputs):
            for way in FEW_WAYS:
                done = run(fleng, way, folder, 'main :- %s, %s.\n%s' % (goal, how, LATER),
                           ['one', '2'], 'first\nlast')
                tally.check('%s, %s with %s' % (' '.join(way), goal, how),
                            done.returncode == 0 and done.stdout == wanted,
                            'exit status %d\n%s%s' % (done.returncode, done.stdout, done.stderr))
        for missing in inputs:
            rest = {k: v for k, v in inputs.items() if k != missing}
            done = run(fleng, ['-j', '1'], folder,
                       'main :- %s, %s.\n%s' % (goal, bindings(rest, rest), LATER))
            tally.check('%s without %s' % (goal, missing),
                        done.returncode == 3 and done.stdout != wanted and
                        wanted.startswith(done.stdout if key == 'stdout/1' else done.stdout + '\0'
                                          if done.stdout else ''),
                        'exit status %d\n%s%s' % (done.returncode, done.stdout, done.stderr))


def check_files(tally, fleng, folder):
    for keys, program, files, status, wanted in table.FILES:
        for way in FEW_WAYS + [['-j', '2']]:
            done = run(fleng, way, folder, program + LATER)
            found = {}
            for path in files:
                full = os.path.join(folder, path)
                if os.path.exists(full):
                    with open(full, encoding='utf-8') as file:
                        found[path] = file.read()
                    os.unlink(full)
            tally.check('%s, %s' % (' '.join(way), ', '.join(keys)),
                        (done.returncode, done.stdout, found) == (status, wanted, files),
                        'exit status %d, %s\n%s%s' % (done.returncode, found, done.stdout,
                                                      done.stderr))


# ---- Failure -------------------------------------------------------------------------------------

def check_failures(tally, fleng, folder):
    for key, goal, inputs, reason in table.FAILURES:
        for how in ways_to_bind(inputs):
            program = 'main :- before,\n    %s, %s.\nbefore.\n%s' % (goal, how, LATER)
            for way in FEW_WAYS:
                what = '%s, %s with %s fails' % (' '.join(way), goal, how)
                done = run(fleng, way, folder, program)
                tally.check(what + ' with status 1', done.returncode == 1,
                            'exit status %d\n%s' % (done.returncode, done.stderr))
                tally.check(what + ' and says where', 'case.fl:2:5: error: ' in done.stderr,
                            done.stderr)
                tally.check(what + ' and says why', re.search(reason, done.stderr),
                            'no %s in\n%s' % (reason, done.stderr))
                name = key.rpartition('/')[0]
                tally.check(what + ' and says what', name in done.stderr, done.stderr)


def check_mismatches(tally, fleng, folder):
    """A result that is bound to something else beforehand."""
    for _, goal, inputs, outputs in table.RESULTS:
        for name in outputs:
            how = ', '.join('%s = %s' % pair for pair in inputs.items()) or 'true'
            program = 'main :- %s = something_else, %s, %s.\n%s' % (name, goal, how, LATER)
            done = run(fleng, ['-j', '1'], folder, program)
            tally.check('%s: %s is bound to something else' % (goal, name),
                        done.returncode == 1 and 'something_else' in done.stderr and
                        re.search(r'(case|library/\w+)\.fl:\d+:\d+: error', done.stderr),
                        'exit status %d\n%s' % (done.returncode, done.stderr))


def check_misuse(tally, fleng, folder):
    for text, reason in table.MISUSE:
        done = run(fleng, ['-j', '1'], folder, text + '\n')
        tally.check('%s does not compile' % text, done.returncode == 2 and not done.stdout,
                    'exit status %d' % done.returncode)
        tally.check('%s: says where and why' % text,
                    re.search(r'case\.fl:1:\d+: error: ' + reason, done.stderr), done.stderr)


# ---- All of them ---------------------------------------------------------------------------------

def check_complete(tally, path):
    with open(path, encoding='utf-8') as file:
        keys = ['%s/%s' % found for found in
                re.findall(r'^BUILTIN\("([^$":][^":]*|:=)", (\d+),', file.read(), re.M)]
    tally.check('builtins.def has predicates', len(keys) > 50)
    tried = {key for key, *_ in table.RESULTS + table.OUTPUT}
    tried.update(key for keys, *_ in table.FILES for key in keys)
    failing = {key for key, *_ in table.FAILURES} | table.CANNOT_FAIL
    for key in keys:
        tally.check('%s: its results are tried' % key, key in tried)
        tally.check('%s: its failures are tried' % key, key in failing)


def main():
    fleng = os.path.abspath(sys.argv[1])
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        check_results(tally, fleng, folder)
        check_waits(tally, fleng, folder)
        check_output(tally, fleng, folder)
        check_files(tally, fleng, folder)
        check_failures(tally, fleng, folder)
        check_mismatches(tally, fleng, folder)
        check_misuse(tally, fleng, folder)
    if len(sys.argv) > 2:
        check_complete(tally, sys.argv[2])
    print('%d passed, %d failed' % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == '__main__':
    sys.exit(main())
