#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A deadlock in the views: the same goals, variables, makers and circles as on the command line, and a
picture of it.

usage: deadlocks.py FLENG PAF PRINT_WAITING
"""

import os
import re
import subprocess
import sys
import tempfile

PROGRAMS = {
    # Who waits for whom, and the one whose stream nobody ends.
    'stuck': '''
main :- numbers(1, 3, S), total(S, 0, T), writeln(T).
numbers(N, M, S) :- N =< M | S = [N|S1], N1 := N + 1, numbers(N1, M, S1).
numbers(N, M, _) :- N > M | true.
total([X|S], A, T) :- A1 := A + X, total(S, A1, T).
total([], A, T) :- T = A.
''',
    # A circle of three, fifty that wait for it, and one beside it.
    'circle': '''
main :- a(X, Y), b(Y, Z), c(Z, X), many(50, X), alone(_).
a(1, Y) :- Y = 1.
b(1, Y) :- Y = 1.
c(1, Y) :- Y = 1.
alone(1).
many(0, _).
many(N, X) :- N > 0 | w(X, N), N1 := N-1, many(N1, X).
w(7, _).
''',
    # Several variables of one goal; a goal that waits for what it alone holds; a circle of one and one.
    'several': '''
main :- both(X, Y), one(Y, p(Z)), other(Z, q(X)), self(S, S).
both(1, 2).
one(a, p(B)) :- B = 1.
other(b, q(B)) :- B = 1.
self(1, _).
''',
    # The variable is deep within a term, and bound to another one.
    'deep': '''
main :- make(3, T), take(T, X), give(V, X), hold(f([g(W)|_])), W = V.
make(0, T) :- T = leaf.
make(N, T) :- N > 0 | T = node(L, _), N1 := N-1, make(N1, L).
take(node(_, R), X) :- take(R, X).
take(leaf, X) :- X = 1.
give(1, X) :- X = 2.
hold(f([g(1)|_])).
''',
    # No goal waits.
    'none': '''
main :- X = 1, writeln(X).
''',
}
failures = 0


def fail(text):
    global failures
    failures += 1
    print('FAILED:', text, file=sys.stderr)


def said(text):
    """What is compared of fleng's message: no excerpt of the source, no column of the maker, no guess at a
    name that is misspelt, names that collide without their number, and no warnings that follow."""
    lines = []
    for line in text.splitlines()[1:]:
        if re.match(r'\S+:\d+:\d+: (warning|note): ', line):
            break
        if re.match(r' *\d* \| |  *\|', line):
            continue
        line = re.sub(r'(\(\S+:\d+):\d+\)', r'\1)', line)
        line = re.sub(r' \(\w+ occurs only once there.*\)$', '', line)
        lines.append(plain(line))
    return lines


def plain(line):
    return re.sub(r'\b([A-Z_]\w*?)_?\d*\b', r'\1', line.rstrip())


def check(name, text, fleng, paf, printer, folder):
    source, file = name + '.fl', name + '.paf'
    with open(os.path.join(folder, source), 'w', encoding='utf-8') as out:
        out.write(text)
    run = subprocess.run([fleng, '-color=never', '-trace=' + file, source], cwd=folder, text=True,
                         capture_output=True, check=False)
    got = subprocess.run([printer, file], cwd=folder, text=True, capture_output=True, check=True)
    wanted, found = said(run.stderr), [plain(line) for line in got.stdout.splitlines()]
    if wanted != found:
        fail('%s: fleng says\n%s\nthe views\n%s' % (name, '\n'.join(wanted), '\n'.join(found)))
    pictures = []
    for i, options in enumerate(([], ['--select', 'total/3' if name == 'stuck' else '#1'])):
        if options and name != 'stuck':
            continue
        picture = os.path.join(folder, '%s%d.svg' % (name, i))
        subprocess.run([paf, 'export', '-o', picture, *options, file], cwd=folder, check=True)
        with open(picture, encoding='utf-8') as drawn:
            pictures.append(drawn.read())
    if len(pictures) == 2 and pictures[0] == pictures[1]:
        fail('%s: a goal that waits has no details' % name)


def main():
    fleng, paf, printer = (os.path.abspath(path) for path in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PROGRAMS.items():
            check(name, text, fleng, paf, printer, folder)
    sys.exit(1 if failures else 0)


main()
