#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A seed decides a schedule: the same number gives the same one, different numbers different ones.

usage: replay.py FLENG
"""

import os
import subprocess
import sys
import tempfile

# What comes out is the order in which the streams are merged.
RACE = """
main :- p(a, 6, A), p(b, 6, B), p(c, 6, C), merge([merge(A), merge(B), merge(C)], S), show(S).
p(X, N, S) :- N > 0 | S = [X|S1], N1 := N - 1, p(X, N1, S1).
p(_, 0, S) :- S = [].
show(S) :- print(S).
"""
# Only where the endless goals leave it its share does the third one come to its end.
SHARED = """
main :- forever(0), forever(1), last(100000).
forever(N) :- N1 := N + 2, forever(N1).
last(N) :- N > 0 | N1 := N - 1, last(N1).
last(0) :- halt(7).
"""


def run(fleng, path, seed, workers):
    done = subprocess.run([fleng, '-seed', str(seed), '-j', str(workers), path], timeout=600,
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    fleng = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        race, shared = os.path.join(folder, 'race.fl'), os.path.join(folder, 'shared.fl')
        for path, text in ((race, RACE), (shared, SHARED)):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        for workers in (1, 2, 3, 4):
            answers = [run(fleng, race, seed, workers) for seed in range(20)]
            if any(status != 0 for status, _, _ in answers):
                failures.append('%d workers: %r' % (workers, answers))
            if len(set(answers)) < (10 if workers > 1 else 2):
                failures.append('%d workers: only %d different answers under 20 seeds'
                                % (workers, len(set(answers))))
            if [run(fleng, race, seed, workers) for seed in range(20)] != answers:
                failures.append('%d workers: a seed gives different answers' % workers)
            if run(fleng, shared, workers, workers)[0] != 7:
                failures.append('%d workers: endless goals do not share' % workers)
    for failure in failures:
        print('FAILED ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
