#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What should run in constant space does so within a limit that its garbage exceeds many times; what
waits needs no more than it should.

usage: memory.py [--scale N] FLENG

--scale 10: ten times as many items, within the same limits.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

# name: (items, memory limit in MB, ways, program; its argument is the number of items)
PROGRAMS = {
    'stream': (1_000_000, 12, ('-j 1', '-j 2', '-seed 1', '-seed 2 -j 1'), """
main :- argv([A]), number_string(N, A), gen(N, S), sum(S, 0, R), writeln(R).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
sum([X|S], A, R) :- A1 := A + X, sum(S, A1, R).
sum([], A, R) :- R = A.
"""),
    'slow consumer': (300_000, 12, ('-j 1', '-j 2'), """
main :- argv([A]), number_string(N, A), gen(N, S), sum(S, 0, R), writeln(R).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
sum([X|S], A, R) :- work(4, S, A, X, R).
work(N, S, A, X, R) :- N > 0 | N1 := N - 1, work(N1, S, A, X, R).
work(0, S, A, X, R) :- A1 := A + X, sum(S, A1, R).
sum([], A, R) :- R = A.
"""),
    'pipeline': (500_000, 12, ('-j 1', '-seed 1'), """
main :- argv([A]), number_string(N, A), gen(N, S), copy(S, T), copy(T, U), sum(U, 0, R), writeln(R).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
copy([X|S], T) :- T = [X|T1], copy(S, T1).
copy([], T) :- T = [].
sum([X|S], A, R) :- A1 := A + X, sum(S, A1, R).
sum([], A, R) :- R = A.
"""),
    'bounded buffer': (1_000_000, 12, ('-j 1', '-j 2', '-seed 1'), """
main :- argv([A]), number_string(N, A), gen(N, S), S = [_,_,_,_|End], sum(N, S, End, 0, R), writeln(R).
gen(N, [X|S]) :- N > 0 | X = N, N1 := N - 1, gen(N1, S).
gen(0, _).
sum(N, [X|S], End, A, R) :- wait(X), N > 0 |
    A1 := A + X, N1 := N - 1, End = [_|End1], sum(N1, S, End1, A1, R).
sum(0, _, _, A, R) :- R = A.
"""),
    # However the workers share the four processes, at most four items are on their way. A word of
    # a done goal that stays somewhere in a worker would keep the whole stream, 48 bytes an item.
    'bounded pipeline': (1_000_000, 6, ('-j 1', '-j 2', '-j 4 -together', '-seed 1'), """
main :- argv([A]), number_string(N, A),
    gen(N, S), copy(S, T), copy(T, U), U = [_,_,_,_|End], sum(N, U, End, 0, R), writeln(R).
gen(N, [X|S]) :- N > 0 | X = N, N1 := N - 1, gen(N1, S).
gen(0, _).
copy(S, [X|T]) :- S = [X|S1], copy(S1, T).
copy(S, []) :- S = [].
sum(N, [X|S], End, A, R) :- wait(X), N > 0 |
    A1 := A + X, N1 := N - 1, End = [_|End1], sum(N1, S, End1, A1, R).
sum(0, _, End, A, R) :- End = [], R = A.
"""),
    'a variable that is never bound': (1_000_000, 12, ('-j 1', '-j 2', '-seed 1'), """
main :- argv([A]), number_string(N, A), gen(N, S), arbiter(_, S, 0, R), writeln(R).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
arbiter([X|_], _, _, R) :- R = X.
arbiter(E, [X|S], A, R) :- A1 := A + X, arbiter(E, S, A1, R).
arbiter(_, [], A, R) :- R = A.
"""),
    # The goal for the silent stream must not keep what the other one sent, nor the ideal machine's lists.
    'merge with a stream that is silent': (1_000_000, 8, ('-j 1', '-j 2', '-time=ideal', '-seed 1'), """
main :- argv([A]), number_string(N, A), gen(N, S), silent(Last, T), merge([merge(S), merge(T)], L),
    sum(L, 0, R, Last), writeln(R).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
silent(last, T) :- T = [].
sum([X|S], A, R, Last) :- X > 1 | A1 := A + X, sum(S, A1, R, Last).
sum([1|S], A, R, Last) :- Last = last, A1 := A + 1, sum(S, A1, R, Last).
sum([], A, R, _) :- R = A.
"""),
    # A fold makes two goals for each element. The second one waits if it is taken before the first is done.
    'fold of a list': (500_000, 4, ('-j 1', '-j 2'), """
main :- argv([A]), number_string(N, A), numlist(1, N, L), foldl(add, L, 0, R), writeln(R).
add(X, A, B) :- B := A + X.
"""),
    'merge': (200_000, 24, ('-j 1',), """
main :- argv([A]), number_string(N, A), N4 := N // 4,
    gen(N4, S1), gen(N4, S2), gen(N4, S3), gen(N4, S4),
    merge([merge(S1), merge(S2), merge(S3), merge(S4)], S), sum(S, 0, R), tell(R, N, N4).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
sum([X|S], A, R) :- A1 := A + X, sum(S, A1, R).
sum([], A, R) :- R = A.
tell(R, N, N4) :- wait(R) | R1 := R - 2 * N4 * (N4 + 1) + N * (N + 1) // 2, writeln(R1).
"""),
}

WAITING = """
main :- argv([A]), number_string(N, A), crowd(N, X).
crowd(N, X) :- N > 0 | waits(X, N), N1 := N - 1, crowd(N1, X).
crowd(0, _).
waits(go, _).
"""


def run(fleng, path, arguments, n):
    command = [fleng] + arguments + [path, '--', str(n)]
    return command, subprocess.run(command, capture_output=True, timeout=600, check=False)


def constant_space(fleng, folder, scale):
    for name, (items, limit, ways, text) in PROGRAMS.items():
        path = os.path.join(folder, 'program.fl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        n = items * scale
        for way in ways:
            threads = way.startswith('-j') and way != '-j 1'
            size = limit * 3 if threads else limit  # they may run apart for a while
            command, done = run(fleng, path, way.split() + ['-m', '%dM' % size], n)
            wanted = '%d\n' % (n * (n + 1) // 2)
            if done.returncode != 0 or done.stdout.decode() != wanted:
                yield '%s: %s\n    status %d, %r %s' % (name, ' '.join(command), done.returncode,
                                                       done.stdout, done.stderr.decode()[:500])


def waiting_goals(fleng, folder, scale):
    """300,000 goals (3 million: --scale 10) that wait for one variable, in less than 110 bytes each,
    and what every run needs; reporting them may take more."""
    path = os.path.join(folder, 'waiting.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(WAITING)
    n = 300_000 * scale
    limit = 8 + n * 110 // 1_000_000
    for way in ('-j 1', '-j 2', '-seed 1'):
        command, done = run(fleng, path, way.split() + ['-m', '%dM' % limit], n)
        if done.returncode != 3 or b'%d goals wait' % n not in done.stderr:
            yield '%s\n    status %d, %s' % (' '.join(command), done.returncode,
                                             done.stderr.decode()[:500])


DEEP = """
main :- argv([A]), number_string(N, A), list(N, L), sum(L, K), writeln(K).
list(N, L) :- N > 0 | L = [1|L1], N1 := N - 1, list(N1, L1).
list(0, L) :- L = [].
sum([], S) :- S = 0.
sum([X|L], S) :- sum(L, T), S := T + X.
"""


def deep_recursion(fleng, folder, scale):
    """A recursion that is no loop, 300,000 deep (3 million: --scale 10): 125 bytes a level,
    as the assignment that waits is one goal."""
    path = os.path.join(folder, 'deep.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(DEEP)
    n = 300_000 * scale
    command, done = run(fleng, path, ['-j', '1', '-m', '%dM' % (5 + n * 125 // 1_000_000)], n)
    if done.returncode != 0 or done.stdout.decode() != '%d\n' % n:
        yield '%s\n    status %d, %s' % (' '.join(command), done.returncode, done.stderr.decode()[:500])


CHURN = """
main :- argv([A]), number_string(N, A), list(N, L), turns(50, N, L).
turns(K, N, L) :- K > 0 | M := N // 10, list(M, D), sum(D, 0, S), next(S, K, N, L).
turns(0, _, L) :- sum(L, 0, S), writeln(S).
next(S, K, N, L) :- wait(S) | K1 := K - 1, turns(K1, N, L).
list(N, L) :- N > 0 | L = [N|L1], N1 := N - 1, list(N1, L1).
list(0, L) :- L = [].
sum([X|L], A, S) :- B := A + X, sum(L, B, S).
sum([], A, S) :- S = A.
"""


def collections(fleng, folder, scale):
    """A heap that lives is not collected again for each little more: the run says how often it was."""
    path = os.path.join(folder, 'churn.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(CHURN)
    profile = '-profile=' + os.path.join(folder, 'churn.paf')
    command, done = run(fleng, path, [profile], 50_000 * scale)
    told = re.fullmatch(r'fleng: (\d+) collections? of garbage: \d+\.\d ms in all, '
                        r'\d+\.\d ms the longest\n', done.stderr.decode())
    if not told or int(told.group(1)) > 25:
        yield '%s\n    %s' % (' '.join(command), done.stderr.decode()[:500])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--scale', type=int, default=1)
    parser.add_argument('fleng', type=os.path.abspath)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failures = list(constant_space(options.fleng, folder, options.scale))
        failures += waiting_goals(options.fleng, folder, options.scale)
        failures += deep_recursion(options.fleng, folder, options.scale)
        failures += collections(options.fleng, folder, options.scale)
    for failure in failures:
        print('FAILED ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
