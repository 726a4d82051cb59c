#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is known of a predicate before it runs (-dump=code shows it): whether its goals take few
reductions, and without which arguments they only wait. Workers give goals away by that.

usage: work.py FLENG
"""

import os
import re
import subprocess
import sys
import tempfile

# Each predicate with what is to be said of it: `few`, or the arguments without which it only waits.
PROGRAM = """\
main :- things(3, 5, V, R), loop(1, 9, 0, S), tree(4, T), flag(3, F, B), chain(2, A, C),
    new_vector(V, 6), work(1, S, U), either(T, R, W), first(3, X, D), apply(B, A, C), pack(F, U, P),
    last(W, X, D, P).

% All rows need the vector; the next vector is made of what they make.
things(0, N, V, R) :- vector_element(V, N, R).                          %% 1 2 3
things(K, N, V, R) :- K > 0 |
    row(0, N, V, L), new_vector(V1, L), K1 := K - 1, things(K1, N, V1, R).
row(I, N, V, L) :- I =< N | L = [X|L1], place(I, V, X), I1 := I + 1, row(I1, N, V, L1). %% 1 2 3
row(I, N, _, L) :- I > N | L = [].
place(I, V, X) :- vector_element(V, I, A), best(A, I, X).               %% few
best(A, I, X) :- A >= I | X = A.                                        %% few
best(A, I, X) :- A < I | X = I.

% An accumulator is not needed where there is other work.
loop(I, N, A, R) :- I =< N | work(I, 0, L), A1 := A + L, I1 := I + 1, loop(I1, N, A1, R). %% 1 2
loop(I, N, A, R) :- I > N | R = A.
work(I, A, R) :- I > 0 | I1 := I - 1, A1 := A + I, work(I1, A1, R).     %% 1 2
work(0, A, R) :- R = A.

tree(0, T) :- T = leaf.                                                 %% 1
tree(N, T) :- N > 0 | T = node(L, R), N1 := N - 1, tree(N1, L), tree(N1, R).

% What only ends a loop is not needed.
flag(_, stop, R) :- R = stopped.                                        %% 1
flag(N, F, R) :- N > 0 | N1 := N - 1, flag(N1, F, R).

% An accumulator from which the rest of the work comes is needed.
chain(0, A, R) :- R = A.                                                %% 1 2
chain(N, A, R) :- N > 0, A >= 0 | A1 := A * 2, N1 := N - 1, chain(N1, A1, R).

% One of two calls has what it needs.
either(T, A, R) :- work(3, 0, X), chain(3, A, Y), last(X, Y, T, R).     %%

% A variable that a goal with all it needs may bind, too, is there.
first(N, V, R) :- row(0, N, V, L), work(N, 0, L), count(L, 0, R).       %% 1
count([], A, R) :- R = A.                                               %% 1 2
count([_|L], A, R) :- A1 := A + 1, count(L, A1, R).

% Nobody knows what is called.
apply(G, A, R) :- call(G, A, R).                                        %%
pack(A, B, R) :- last(A, B, B, R).                                      %% few
last(A, B, C, R) :- R = f(A, B, C).                                     %% few
"""


def expected():
    found = {}
    for name, head, says in re.findall(r'^(\w+)\((.*?)\) :- .*?%%(.*)$', PROGRAM, re.M):
        found['%s/%d' % (name, head.count(',') + 1)] = says.split()
    return found


def said(dump):
    found, predicate = {}, None
    for line in dump.split('\n'):
        if re.match(r'\w+:\w+/\d+$', line):
            predicate = line.split(':')[1]
            found[predicate] = []
        elif line == '  % takes few reductions':
            found[predicate].append('few')
        elif match := re.match(r'  % waits for argument (\d+)$', line):
            found[predicate].append(match.group(1))
    return found


def long_chain(n):
    """n predicates, each of which calls the next one: what holds for the last holds for all."""
    lines = ['main :- p0(3, X, R), writeln(X), writeln(R).']
    lines += ['p%d(N, X, R) :- p%d(N, X, R).' % (i, i + 1) for i in range(n)]
    lines += ['p%d(N, X, R) :- N > 0, X > 0 | N1 := N - 1, p%d(N1, X, R).' % (n, n)]
    return '\n'.join(lines) + '\n'


def dump(fleng, folder, text):
    path = os.path.join(folder, 'source.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    done = subprocess.run([fleng, '-dump=code', path], capture_output=True, timeout=600, check=True)
    return said(done.stdout.decode())


def main():
    fleng = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        got = dump(fleng, folder, PROGRAM)
        for predicate, says in expected().items():
            if got.get(predicate) != says:
                failures.append('%s: %s instead of %s' % (predicate, got.get(predicate), says))
        got = dump(fleng, folder, long_chain(20_000))
        if got['p0/3'] != ['1', '2']:
            failures.append('p0/3: %s at the end of a long chain' % got['p0/3'])
    for failure in failures:
        print('FAILED ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
