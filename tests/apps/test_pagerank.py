#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""apps/pagerank: the same ranks in both ways, those of a plain computation; and what the store tells of
both."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

BRIDGE, PAF = (os.path.abspath(path) for path in sys.argv[1:3])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
SOURCE = os.path.join(ROOT, 'apps', 'pagerank', 'pagerank.c')
ENVIRONMENT = dict(os.environ, HWLOC_COMPONENTS='-gl', OMPI_ALLOW_RUN_AS_ROOT='1',
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMP_NUM_THREADS='1')


def check(good, *what):
    if not good:
        sys.exit('FAILED: ' + ' '.join(map(str, what)))


def skip(why):
    print('SKIPPED: ' + why)
    sys.exit(77)


def run(folder, *words):
    return subprocess.run(words, capture_output=True, text=True, timeout=250, cwd=folder, env=ENVIRONMENT,
                          check=False)


def good(folder, *words):
    done = run(folder, *words)
    check(done.returncode == 0, words, done.stdout, done.stderr)
    return done.stdout


def plain(links, pages, steps):
    out = [0] * pages
    for source, _ in links:
        out[source] += 1
    ranks = [1 / pages] * pages
    for _ in range(steps):
        shared = sum(r for r, n in zip(ranks, out) if n == 0)
        new = [(0.15 + 0.85 * shared) / pages] * pages
        for source, target in links:
            new[target] += 0.85 * ranks[source] / out[source]
        ranks = new
    best = sorted(range(pages), key=lambda page: (-ranks[page], page))[:3]
    return 'sum %.6f\n' % sum(ranks) + ''.join('page %d %.6f\n' % (p, ranks[p]) for p in best)


def is_right(folder, start):
    """A graph that is given, with pages without links, on any number of processes."""
    choose = random.Random(3)
    links = [(choose.randrange(37), int(choose.random() ** 3 * 40)) for _ in range(200)] + [(3, 39)]
    with open(folder + '/graph', 'w', encoding='utf-8') as file:
        file.write(''.join('%d %d\n' % link for link in links))
    expected = plain(links, 40, 20)
    for processes in 1, 3, 4:
        for way in 'all', 'needed':
            out = good(folder, *start, str(processes), './pagerank', way, 'graph', '20')
            check(out == expected, processes, way, out, expected)


def is_compared(folder, start):
    """The routine whose calls and bytes differ is the one that exchanges ranks."""
    for way in 'all', 'needed':
        good(folder, BRIDGE, 'record', '--mpi', '-o', way + '.paf', '--', *start, '4', './pagerank', way,
             '4000')
        good(folder, PAF, 'store', 'add', '--store', 'runs.db', '--condition', 'way=' + way, way + '.paf')
    out = good(folder, PAF, 'store', 'compare', '--json', '--metric', 'calls', '--store', 'runs.db',
               'way=all', 'way=needed')
    calls = {}
    for f in json.loads(out)['functions']:
        name = f['name'].split()[0]
        before = calls.get(name, [0, 0])
        calls[name] = [a + b['mean'] for a, b in zip(before, f['figures'])]
    check(calls['MPI_Allgather'][0] > 10 * calls['MPI_Allgather'][1], calls)
    check(calls['MPI_Alltoallv'][0] == 0 < calls['MPI_Alltoallv'][1], calls)
    out = good(folder, PAF, 'store', 'compare', '--store', 'runs.db', 'way=all', 'way=needed')
    check('differs most' in out and 'MPI_Allgather' in out, out)


def main():
    if not shutil.which('mpicc') or not shutil.which('mpirun'):
        skip('Open MPI is not installed')
    start = ['mpirun', '--oversubscribe', '-n']
    with tempfile.TemporaryDirectory() as folder:
        probe = run(folder, *start, '2', 'true')
        if probe.returncode:
            skip('mpirun does not run here: ' + probe.stderr[:200])
        good(folder, 'mpicc', '-g', '-O1', '-Wall', '-Wextra', '-Werror', '-o', 'pagerank', SOURCE)
        is_right(folder, start)
        is_compared(folder, start)
        check(run(folder, *start, '2', './pagerank', 'neither').returncode != 0, 'a wrong way')


main()
