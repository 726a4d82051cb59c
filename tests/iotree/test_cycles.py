#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cycles of modules on the critical path: which modules, how many rounds, how much of the path.

usage: test_cycles.py FLENG PAF

The report lists them, with --json under "cycles", and a finding of rounds tells the one of its module.
"""

import json
import os
import subprocess
import sys
import tempfile

# Asks twelve times: desk -> tube -> desk. The tube takes one step, a search three.
ASKING = """
main :- desk(12, Qs, As), tube(Qs, Out), search(Out), count(As, 0).
desk(0, Qs, As) :- Qs = [], As = [].
desk(N, Qs, As) :- N > 0, N1 := N - 1 | Qs = [q(N, A)|Qs1], As = [X|As1], got(A, X, N1, Qs1, As1).
got(a(Y), X, N, Qs, As) :- X = Y, desk(N, Qs, As).
tube([], Out) :- Out = [].
tube([Q|Qs], Out) :- Out = [Q|Out1], tube(Qs, Out1).
search([]).
search([q(N, A)|Qs]) :- look(2, N, A), search(Qs).
look(0, N, A) :- A = a(N).
look(K, N, A) :- K > 0, K1 := K - 1 | look(K1, N, A).
count([], N) :- writeln(N).
count([_|As], N) :- N1 := N + 1 | count(As, N1).
"""
# Nobody comes back.
STRAIGHT = """
main :- first(20, X), second(X, Y), writeln(Y).
first(0, X) :- X = done.
first(N, X) :- N > 0, N1 := N - 1 | first(N1, X).
second(done, Y) :- Y = over.
"""


def report(fleng, paf, text, *options):
    with tempfile.TemporaryDirectory() as scratch:
        source, trace = os.path.join(scratch, 'p.fl'), os.path.join(scratch, 'p.paf')
        with open(source, 'w', encoding='utf-8') as out:
            out.write(text)
        subprocess.run([fleng, '-time=ideal', '-trace=' + trace, source], check=True,
                       stdout=subprocess.DEVNULL)
        return subprocess.run([paf, 'report', *options, trace], check=True, text=True,
                              stdout=subprocess.PIPE).stdout


def main():
    fleng, paf = sys.argv[1:3]
    run = json.loads(report(fleng, paf, ASKING, '--json'))
    found = [sorted(c['modules']) for c in run['cycles']]
    assert found == [['desk', 'search', 'tube']], found
    cycle = run['cycles'][0]
    assert cycle['modules'] in (['desk', 'tube', 'search'], ['tube', 'search', 'desk'],
                                ['search', 'desk', 'tube']), 'in the order of the path'
    assert cycle['rounds'] == 12, cycle
    assert 0.8 * run['span'] <= cycle['critical'] <= run['span'], (cycle, run['span'])
    rounds = [f for f in run['findings'] if f['kind'] == 'rounds']
    assert rounds and 'goes round' in rounds[0]['text'] and '12 times' in rounds[0]['text'], rounds
    assert '  12 rounds of ' in report(fleng, paf, ASKING)
    assert json.loads(report(fleng, paf, STRAIGHT, '--json'))['cycles'] == []
    assert ' rounds of ' not in report(fleng, paf, STRAIGHT)


if __name__ == '__main__':
    main()
