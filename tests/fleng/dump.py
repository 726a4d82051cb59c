#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-dump=code: the text of every clause above its code, registers with the names of variables, what
each instruction does behind it with the operands put in, and nothing that is not explained.

usage: dump.py FLENG
"""

import os
import re
import subprocess
import sys
import tempfile

PROGRAM = """\
main :- app([1,2], [3], Z), len(Z, N), writeln(N), both(N, 4, _).
app([H|X], Y, Z) :- Z = [H|Z1], app(X, Y, Z1).
app([], Y, Z) :- Z = Y.
len(L, N) :- len(L, 0, N).
len([], A, N) :- N = A.
len([_|T], A, N) :- A >= 0, ( A < 5 ; A > 7 ) | B := A * 2 mod 3, len(T, B, N).
otherwise.
len(X, _, N) :- N = bad(X, {X}, "text").
both(X, X, R) :- integer(X), Y := X // 2 | R = f(Y, _), call(len, [], S), R1 := S + Y, show(R1, R).
alternatively.
both(foo(X), Y, R) :- Y \\= X | R = X.
show(X, _) :- writeln(X).
"""
LINE = re.compile(r'^([> ]) *(\d+)  ([A-Z_0-9]+) (.*?)  ; (.+)$')


def dump(fleng, path, options):
    done = subprocess.run([fleng, '-dump=code', *options, path], capture_output=True, timeout=600,
                          check=True)
    return done.stdout.decode().split('\n')


def faults(lines):
    found, text, instructions, targets, marked = [], '\n'.join(lines), {}, set(), set()
    for line in lines:
        if line.startswith('%') or line.startswith('  %') or not line.strip():
            continue
        match = LINE.match(line)
        if not match:
            if not re.match(r'^\S+:\S+/\d+$', line):
                found.append('a line of no kind: %r' % line)
            continue
        mark, at, name, operands, meaning = match.groups()
        instructions[int(at)] = name
        targets |= {int(l) for l in re.findall(r'->(\d+)', operands)}
        if mark == '>':
            marked.add(int(at))
        if re.search(r"(?<![\w'])r'*(?![\w'])", meaning):
            found.append('an operand is not put in: %r' % line)
    if targets != marked:
        found.append('targets %s, marked %s' % (sorted(targets), sorted(marked)))
    if not targets <= set(instructions):
        found.append('targets that are no instructions: %s' % sorted(targets - set(instructions)))
    for part in ('  % app([H|X], Y, Z) :-\n  %     Z = [H|Z1],\n  %     app(X, Y, Z1).',
                 '  % otherwise.\n  % len(X, _2, N) :-', '  % alternatively.\n', ' len/3\n',
                 '% entry of app/3', '% selection', '  % registers r'):
        if part not in text:
            found.append('not there: %r' % part)
    for name in ('H', 'Z1', 'T', 'B', 'R'):
        if not re.search(r' r\d+:%s\b' % name, text):
            found.append('no register is called %s' % name)
    return found


# Built-ins whose inputs the ones before them give, also within a term, run before the goals.
READY = """\
main :- argv([A]), number_string(N, A), run(N).
run(_).
"""


def begins_late(lines):
    code = [m[3] + ' ' + m[4] for m in map(LINE.match, lines) if m]
    calls = [i for i, c in enumerate(code) if c.startswith('CALL') and 'number_string/2' in c]
    runs = [i for i, c in enumerate(code) if c.startswith('EXEC') and ' run/1 ' in c]
    return [] if calls and runs and calls[0] < runs[0] else ['number_string/2 does not run at once']


def main():
    fleng = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'source.fl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(PROGRAM)
        for options, kind in ((['-j', '1'], 'plain'), (['-time=ideal'], 'stamped')):
            lines = dump(fleng, path, options)
            if not lines[0].startswith('%% Code for %s' % kind):
                failures.append('%s: the legend says %r' % (kind, lines[0]))
            failures += ['%s: %s' % (kind, fault) for fault in faults(lines)]
        with open(path, 'w', encoding='utf-8') as file:
            file.write(READY)
        failures += begins_late(dump(fleng, path, ['-j', '1']))
    for failure in failures:
        print('FAILED ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
