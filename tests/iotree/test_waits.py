#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings about waits: each program has one cause, which the first finding must name, with the span that
the program has once the lines after `fixed` take the place of those before; programs whose waits are meant, of
which nothing is promised; and programs that must not have a finding of one kind.

usage: test_waits.py FLENG PAF
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from wait_programs import early_reads, guards, late_values, waits  # noqa: E402 - beside this file
from wait_programs.meant import MEANT, NOT_NAMED  # noqa: E402

NEAR = 0.04  # of the span, by which a price may err

WORK = """\
work(0,X,Y) :- Y = X.
work(K,X,Y) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | work(K1,X1,Y).
"""

# name, kind, line of the clause, what the text must say, main and what both programs share, slow, fixed
CAUSES = waits.CAUSES + early_reads.CAUSES + late_values.CAUSES + guards.CAUSES

# Tasks that pass on one variable: a report of twice as many must not take four times as long.
TASKS = 15000
CHAIN = '''\
main :- tasks(%d,X,Z), count(%d,Z), done(X).
tasks(N,L,R) :- N > 0, N1 := N-1 | task(N,L,M), tasks(N1,M,R).
tasks(0,L,R) :- L = R.
task(_,L,M) :- L = M.
count(N,Z) :- N > 0, N1 := N-1 | count(N1,Z).
count(0,Z) :- Z = done.
done(done) :- writeln(done).
'''

failures = 0


def check(good, *what):
    global failures
    if not good:
        failures += 1
        print('FAILED:', *what, file=sys.stderr)


def report(fleng, paf, folder, text):
    source, trace = os.path.join(folder, 'p.fl'), os.path.join(folder, 'p.paf')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(text)
    run = subprocess.run([fleng, '-trace=' + trace, source], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    check(run.returncode == 0, run.stdout.decode(), text)
    told = subprocess.run([paf, 'report', '--json', trace], stdout=subprocess.PIPE, check=True)
    return json.loads(told.stdout), run.stdout


def check_cause(fleng, paf, folder, cause):
    name, kind, line, says, shared, slow, fixed = cause
    before, answer = report(fleng, paf, folder, shared + slow + WORK)
    after, same = report(fleng, paf, folder, shared + fixed + WORK)
    check(answer == same, name, 'the two programs answer differently', answer, same)
    if not before['findings']:
        return check(False, name, 'has no finding')
    first = before['findings'][0]
    check((first['kind'], first['line']) == (kind, line), name, first['kind'], first['line'], first['text'])
    check(says in first['text'], name, first['text'])
    check('p.fl' == first['file'] and 'p.fl:' in first['text'] and first['advice'], name, first)
    error = abs(first['span_without'] - after['span']) / before['span']
    check(error <= NEAR, name, 'without it', first['span_without'], 'and it is', after['span'])
    check(abs(first['saving'] - (1 - first['span_without'] / before['span'])) < 1e-9, name, first['saving'])
    check(not any(f['line'] == line and f['kind'] == kind for f in after['findings']), name,
          'is still named', after['findings'])


def check_growth(fleng, paf, folder):
    source, trace = os.path.join(folder, 'p.fl'), os.path.join(folder, 'p.paf')
    took = []
    for n in (TASKS, 2 * TASKS):
        with open(source, 'w', encoding='utf-8') as file:
            file.write(CHAIN % (n, n))
        subprocess.run([fleng, '-trace=' + trace, source], stdout=subprocess.DEVNULL, check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([paf, 'report', '--json', trace], stdout=subprocess.DEVNULL, check=True)
        took.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    check(took[1] < 2.5 * took[0] + 0.5, 'a report of a chain of aliases', took)


def main():
    fleng, paf = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        for cause in CAUSES:
            check_cause(fleng, paf, folder, cause)
        for name, text in MEANT:
            told, _ = report(fleng, paf, folder, text + WORK)
            check(not told['findings'], name, [f['text'] for f in told['findings']])
        for name, kind, text in NOT_NAMED:
            told, _ = report(fleng, paf, folder, text + WORK)
            check(not any(f['kind'] == kind for f in told['findings']), name,
                  [f['text'] for f in told['findings']])
        check_growth(fleng, paf, folder)
    print('%d causes, %d programs without one' % (len(CAUSES), len(MEANT)))
    return failures > 0


sys.exit(main())
