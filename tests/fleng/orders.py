#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The order of goals on one worker: how much work there is, how much lives, and that nothing starves.
What workers exchange. All by counts: reductions and letters (-report, -limit), bytes of the heap (-m).

usage: orders.py FLENG SHAPES       SHAPES: the folder bench/shapes
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ORDERS = ['newest', 'oldest', 'turns', 'long-turns', 'time']

# Programs of bench/shapes: (argument, MB of heap in which it runs). Each of them needs several times
# as much if goals are begun long before what they wait for is made, or if consumers come too late.
SPACE = {
    'msort': (100_000, 24),
    'matrix': (120, 16),
    'knapsack': (5_000, 10),
    'words': (30_000, 10),
    'pieces': (400_000, 16),
    'pipeline': (500_000, 8),
    'consumers_first': (500_000, 8),
    'slow_consumer': (200_000, 10),
    'dfs_server': (15, 16),
    'broadcast': (100_000, 12),
    'meta': (15_000, 4),
}

# Programs whose goals exchange much, and letters per 1,000 reductions that are allowed.
EXCHANGE = {'knapsack': 10_000, 'pipeline': 1_000_000, 'broadcast': 200_000, 'pieces': 1_000_000,
            'bank': 300, 'stencil': 10_000, 'demand': 500_000,
            'retreat': 30_000}
MOST_LETTERS = 50

# Programs in which what one worker could give another one is small: no thread begins.
ALONE = {'parser': 2_000, 'meta': 3_000, 'words': 20_000, 'pieces': 200_000, 'demand': 100_000,
         'knapsack': 5_000}
# Programs whose large parts are independent of each other.
SHARED = {'msort': 100_000, 'fib_large': 24, 'matrix': 200, 'loops': 20_000, 'tree_fold': 16}

# (program, argument, the order that does least work; ideal: the ideal machine)
WORK = [
    ('flood', 2_000, 'ideal'),
    ('bound', 9, 'newest'),
    ('speculative', 3_000_000, 'turns'),
]

# Goals that never end beside one that ends the run: within so many reductions it does.
FAIR = {
    'one beside': """
main :- forever(0), count(100000, D), stop(D).
""",
    'three before': """
main :- forever(0), forever(1), forever(2), count(100000, D), stop(D).
""",
    'with short goals': """
main :- busy(0), count(100000, D), stop(D).
busy(N) :- short(N, M), busy(M).
short(N, M) :- M := N + 1.
""",
    'two that talk': """
main :- ping([1|A], B), pong(B, A), count(100000, D), stop(D).
ping([X|A], B) :- B = [X|B1], ping(A, B1).
pong([X|A], B) :- B = [X|B1], pong(A, B1).
""",
    'ever more': """
main :- more(0), count(100000, D), stop(D).
more(N) :- N1 := N + 1, sleeper(_, N), more(N1).
sleeper(go, _).
""",
    'behind a deep recursion': """
main :- deep(0, _), count(100000, D), stop(D).
deep(N, S) :- N1 := N + 1, deep(N1, T), add(T, S).
add(T, S) :- integer(T) | S := T + 1.
""",
}
FAIR_REST = """
forever(N) :- forever(N).
count(0, D) :- D = done.
count(N, D) :- N > 0 | N1 := N - 1, count(N1, D).
stop(done) :- halt.
"""


def run(fleng, options, path, argument=None):
    command = [fleng] + options + [path] + ([] if argument is None else ['--', str(argument)])
    done = subprocess.run(command, capture_output=True, timeout=600, check=False)
    return ' '.join(command), done


def shown(command, done):
    return f'{command}\n    status {done.returncode}, {done.stdout!r} {done.stderr.decode()[:500]}'


def space(fleng, shapes):
    for name, (n, limit) in SPACE.items():
        command, done = run(fleng, ['-j', '1', '-m', f'{limit}M'], os.path.join(shapes, name + '.fl'), n)
        if done.returncode != 0:
            yield shown(command, done)


def reductions(done):
    return int(re.search(rb'fleng: (\d+) reduction', done.stderr)[1])


def work(fleng, shapes):
    for name, n, best in WORK:
        path = os.path.join(shapes, name + '.fl')
        least = ['-time=ideal'] if best == 'ideal' else [f'-order={best}']
        _, fixed = run(fleng, least + ['-report'], path, n)
        command, own = run(fleng, ['-j', '1', '-report'], path, n)
        if own.stdout != fixed.stdout or reductions(own) > 1.3 * reductions(fixed):
            yield shown(command, own) + f'    {least}: {reductions(fixed)} reductions'


def searchers(fleng, bench):
    """Best path A: searchers that ask one server must not follow bad ways to their ends."""
    program = os.path.join(os.path.dirname(bench), 'apps', 'bestpath', 'a.fl')
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, 'graph.gr')
        with open(graph, 'wb') as file:
            subprocess.run([sys.executable, os.path.join(bench, 'graph.py'), '2000', '20000', '1'],
                           stdout=file, check=True)
        runs = {options: subprocess.run([fleng, options, '-report', program, '--', graph, '1', 'sum'],
                                        capture_output=True, timeout=600, check=False)
                for options in ('-j=1', '-order=newest', '-order=oldest')}
    own = runs.pop('-j=1')
    best = min(runs.values(), key=reductions)
    if own.stdout != best.stdout or reductions(own) > 1.3 * reductions(best):
        yield shown(program, own) + f'    in the best order {reductions(best)} reductions'


def exchange(fleng, shapes):
    """Workers exchange little, whatever the program: who exchanges much retreats."""
    for name, n in EXCHANGE.items():
        path = os.path.join(shapes, name + '.fl')
        _, alone = run(fleng, ['-j', '1'], path, n)
        for workers in ('2', '4'):
            command, done = run(fleng, ['-j', workers, '-report'], path, n)
            found = re.search(rb'workers \((\S+) per 1,000 reductions', done.stderr)
            if done.stdout != alone.stdout or not found or float(found[1]) > MOST_LETTERS:
                yield shown(command, done)


def gifts(fleng, shapes):
    """Goals are given if they are worth a thread, and only then."""
    for expected, programs in ((False, ALONE), (True, SHARED)):
        for name, n in programs.items():
            command, done = run(fleng, ['-j', '2', '-report'], os.path.join(shapes, name + '.fl'), n)
            found = re.search(rb'(\d+) of them with goals', done.stderr)
            if done.returncode != 0 or not found or (int(found[1]) > 0) != expected:
                yield shown(command, done)


def answers(fleng, shapes):
    """All orders compute the same."""
    for name, n in (('msort', 300), ('knapsack', 30), ('flood', 30), ('bank', 2)):
        path = os.path.join(shapes, name + '.fl')
        _, own = run(fleng, ['-j', '1'], path, n)
        for order in ORDERS:
            command, done = run(fleng, [f'-order={order}'], path, n)
            if done.returncode != 0 or done.stdout != own.stdout:
                yield shown(command, done)


def fairness(fleng, folder):
    for name, text in FAIR.items():
        path = os.path.join(folder, 'fair.fl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text + FAIR_REST)
        # Stopped by the limit, a run says so.
        command, done = run(fleng, ['-j', '1', '-report', '-limit', '20M'], path)
        if done.returncode != 0 or reductions(done) >= 20_000_000:
            yield f'{name}: ' + shown(command, done)


def misuse(fleng, shapes):
    path = os.path.join(shapes, 'bank.fl')
    for options, said in ((['-order=best'], b'-order takes newest'),
                          (['-order=time', '-j', '2'], b'one worker'),
                          (['-order=time', '-seed', '1'], b'one worker')):
        command, done = run(fleng, options, path, 1)
        if done.returncode != 2 or said not in done.stderr:
            yield shown(command, done)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('fleng', type=os.path.abspath)
    parser.add_argument('shapes')
    options = parser.parse_args()
    failures = []
    for part in (space, work, exchange, gifts, answers, misuse):
        failures += part(options.fleng, options.shapes)
    failures += searchers(options.fleng, os.path.dirname(os.path.abspath(options.shapes)))
    with tempfile.TemporaryDirectory() as folder:
        failures += fairness(options.fleng, folder)
    for failure in failures:
        print('FAILED ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
