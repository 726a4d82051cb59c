#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where memory is exhausted the run fails, in every mode: it says which goal reduced and where, after
how many reductions; what was written stays, and the trace is complete. The limit may be met anywhere.

usage: exhausted.py FLENG PAF
"""

import json
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT = 600
WAYS = [['-j', '1'], ['-j', '2'], ['-j', '2', '-together'], ['-seed', '3', '-j', '2'],
        ['-time=ideal'], ['-trace=out.paf'], ['-time=real', '-j', '1', '-trace=out.paf'],
        ['-time=real', '-j', '2', '-trace=out.paf']]

# Name: the program, and what is said.
PROGRAMS = {
    'clauses': ('''main :- writeln(begun), grow(0, []).
grow(N, L) :- N1 := N + 1, grow(N1, [f(N1, L)|L]).
''', r'clauses.fl:2:28: error: .*\n(.*\n)*  reducing grow\(\d+,\[f\('),
    'built-in': ('''main :- writeln(begun), grow("ab", 0).
grow(S, N) :- string_concat(S, S, T), next(T, N).
next(T, N) :- wait(T) | N1 := N + 1, grow(T, N1).
''', r'built-in.fl:2:15: error: .*\n(.*\n)*  reducing string_concat\("abab'),
    'numbers': ('''main :- writeln(begun), square(3, 0).
square(X, N) :- Y := X * X, N1 := N + 1, square(Y, N1).
''', r'numbers.fl:2:17: error: .*\n(.*\n)*  reducing .*:='),
}
MESSAGE = re.compile(r'the memory limit is reached \(see -m\) after (\d+) reductions, with (\d+) goals? waiting')

# Goals beside each other, of several workers: some push, some take, some wait.
CROWD = '''main :- writeln(begun), go(14, S), keep(S, []).
go(N, S) :- N > 0 | N1 := N - 1, go(N1, A), go(N1, B), join(A, B, S).
go(0, S) :- S = [x|S1], go(14, S1).
join([X|A], B, S) :- S = [X|S1], join(B, A, S1).
keep([X|S], L) :- keep(S, [f(X, S)|L]).
'''


def run(fleng, folder, name, options):
    return subprocess.run([fleng, *options, name + '.fl'], cwd=folder, capture_output=True,
                          timeout=TIMEOUT, check=False, text=True)


def fault_of(done):
    if done.returncode != 1 or done.stdout != 'begun\n':
        return 'status %d, %r' % (done.returncode, done.stdout)
    if not MESSAGE.search(done.stderr):
        return 'standard error: %s' % done.stderr
    return None


def exact(commands, folder, name, way):
    """The goal is named, and the count is that of the trace."""
    fleng, paf = commands
    done = run(fleng, folder, name, ['-m', '24M', *way])
    fault = fault_of(done)
    if fault:
        return fault
    if not re.search(PROGRAMS[name][1], done.stderr):
        return 'standard error: %s' % done.stderr
    reductions = int(MESSAGE.search(done.stderr)[1])
    if reductions == 0:
        return 'no reductions are counted'
    if '-trace=out.paf' in way:
        info = subprocess.run([paf, 'info', '--json', '--verify', os.path.join(folder, 'out.paf')],
                              capture_output=True, check=False)
        found = json.loads(info.stdout)
        if info.returncode != 0 or found['ending'] != 'failed' or found['reductions'] != reductions:
            return 'the trace: %s %s, not %d reductions' % (info.stderr, found, reductions)
    return None


def anywhere(fleng, folder, way, size):
    """Several workers change queues, steal and sleep when the limit is met."""
    return fault_of(run(fleng, folder, 'crowd', ['-m', '%dk' % size, *way]))


def main():
    commands = [os.path.abspath(path) for path in sys.argv[1:]]
    failures, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [(n, p[0]) for n, p in PROGRAMS.items()] + [('crowd', CROWD)]:
            with open(os.path.join(folder, name + '.fl'), 'w', encoding='utf-8') as file:
                file.write(text)
        for name in PROGRAMS:
            for way in WAYS:
                tried += 1
                fault = exact(commands, folder, name, way)
                failures += ['%s %s: %s' % (name, ' '.join(way), fault)] if fault else []
        for way in WAYS:
            for size in range(8000, 9000, 100):
                tried += 1
                fault = anywhere(commands[0], folder, way, size)
                failures += ['crowd %dk %s: %s' % (size, ' '.join(way), fault)] if fault else []
    for failure in failures:
        print('FAILED ' + failure)
    print('%d passed, %d failed' % (tried - len(failures), len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
