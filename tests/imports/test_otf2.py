#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An archive whose every event is known, written with libotf2 (write_otf2.c), and its figures as a trace;
then the same with a byte changed, and with files missing or cut."""

import json
import os
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

from imports import check, imported, refused, report, run, slices  # noqa: E402 - beside this file

BRIDGE, PAF, WRITE = sys.argv[1:4]
MS = 1000000


def has_figures(folder):
    told = imported(BRIDGE, folder + '/a/traces.otf2', folder + '/a.paf')
    check('4 places' in told, told)
    r = report(PAF, folder + '/a.paf')
    waits = {w['module']: w['time'] for w in r['waiting']}
    check(waits == {'!$omp implicit barrier @code.c:30': 38 * MS, 'MPI_Allreduce': 30 * MS,
                    '!$omp taskwait @code.c:28': 24 * MS, 'MPI_Recv': 20 * MS,
                    '!$omp critical @code.c:24': 2 * MS}, waits)
    found = [s for s in slices(PAF, folder + '/a.paf', folder + '/a.json') if s[2] > s[1]]
    for expected in (('rank 0 Master thread', 0, 30 * MS, 'main code.c:5', 'main code.c:5'),
                     ('rank 0 Master thread', 60 * MS, 90 * MS, 'MPI_Allreduce', 'MPI_Allreduce'),
                     ('rank 1 Master thread', 10 * MS, 30 * MS, 'MPI_Recv', 'MPI_Recv'),
                     ('rank 1 Master thread', 30 * MS, 40 * MS, 'MPI_Recv', 'MPI_Recv'),
                     ('rank 0 OMP thread 1', 116 * MS, 118 * MS, 'critical_wait',
                      '!$omp critical @code.c:24'),
                     ('rank 1 OMP thread 1', 115 * MS, 140 * MS, 'task', '!$omp task @code.c:26'),
                     ('rank 1 Master thread', 116 * MS, 140 * MS, 'taskwait', '!$omp taskwait @code.c:28'),
                     ('rank 0 Master thread', 120 * MS, 150 * MS, 'implied_barrier',
                      '!$omp implicit barrier @code.c:30')):
        check(expected in found, 'missing', expected, *found)


def has_messages(folder):
    done = run(PAF, 'export', '--view', 'messages', '-o', folder + '/m.svg', folder + '/a.paf')
    check(done.returncode == 0, done.stderr)
    done = run(PAF, 'whatif', folder + '/a.paf', '--help')
    check(done.returncode == 0, 'whatif')


def is_added_to_a_store(folder):
    store = folder + '/runs.db'
    done = run(PAF, 'store', 'import', '--store', store, folder + '/a/traces.otf2')
    check(done.returncode == 0 and '4 places' in done.stdout, done.stdout, done.stderr)
    done = run(PAF, 'store', 'sql', '--json', '--store', store,
               'SELECT a.name, b.name, messages, bytes FROM message JOIN place a ON a.id = from_place '
               'JOIN place b ON b.id = to_place')
    check(json.loads(done.stdout)['rows'] == [['rank 0 Master thread', 'rank 1 Master thread', 1, 4096]],
          done.stdout)
    shutil.copytree(folder + '/a', folder + '/c')
    with open(folder + '/c/traces.def', 'wb'):
        pass
    done = run(PAF, 'store', 'import', '--store', store, folder + '/c/traces.otf2')
    check(done.returncode == 1 and 'traces.otf2: ' in done.stderr, done.stderr)
    done = run(PAF, 'store', 'sql', '--json', '--store', store, 'SELECT COUNT(*) FROM run')
    check(json.loads(done.stdout)['rows'] == [[1]], 'nothing is added of a damaged archive', done.stdout)


def is_written(folder):
    """The archive that Paf writes is one, and has the trace's messages and what each place did."""
    os.mkdir(folder + '/o')
    done = run(PAF, 'export', '-o', folder + '/o/run.otf2', folder + '/a.paf')
    check(done.returncode == 0 and sorted(os.listdir(folder + '/o')) == ['run', 'run.def', 'run.otf2'],
          done.stderr, os.listdir(folder + '/o'))
    done = run(PAF, 'export', '-o', folder + '/o/run.otf2', folder + '/a.paf')
    check(done.returncode == 1 and 'is there already' in done.stderr, done.stderr)
    done = run(PAF, 'export', '--view', 'places', '-o', folder + '/o/x.otf2', folder + '/a.paf')
    check(done.returncode == 2, done.stderr)
    if shutil.which('otf2-print'):
        out = run('otf2-print', folder + '/o/run.otf2').stdout
        check(out.count('\nMPI_SEND ') == out.count('\nMPI_RECV ') == 1, out)
        check('Tag: 7, Length: 4096' in out, out)
        check(out.count('\nENTER ') == out.count('\nLEAVE ') > 40, out)
    else:
        print('otf2-print is not installed')
    imported(BRIDGE, folder + '/o/run.otf2', folder + '/again.paf')
    busy = {}
    for trace in 'a', 'again':
        parts = slices(PAF, folder + '/%s.paf' % trace, folder + '/%s.json' % trace)
        busy[trace] = {p: sum(s[2] - s[1] for s in parts if s[0] == p) for p in {s[0] for s in parts}}
    check(busy['a'] == busy['again'], busy)
    waits = {w['module']: w['time'] for w in report(PAF, folder + '/again.paf')['waiting']}
    check(waits == {'MPI_Recv': 20 * MS}, waits)


def without_parts(folder):
    for name in ('traces.def', 'traces/2.evt', 'traces/0.evt'):
        shutil.copytree(folder + '/a', folder + '/b')
        os.unlink(folder + '/b/' + name)
        refused(BRIDGE, folder + '/b/traces.otf2', folder + '/b.paf')
        shutil.rmtree(folder + '/b')
    refused(BRIDGE, folder + '/none.otf2', folder + '/b.paf', 'cannot read')
    with open(folder + '/empty.otf2', 'wb'):
        pass
    refused(BRIDGE, folder + '/empty.otf2', folder + '/b.paf')


def without_end(folder):
    """An anchor of so many properties that libotf2 counts for very long."""
    shutil.copytree(folder + '/a', folder + '/b')
    with open(folder + '/b/traces.otf2', 'r+b') as file:
        for place, byte in ((27, 0o373), (30, 0o265), (48, 0o107)):
            file.seek(place)
            file.write(bytes([byte]))
    refused(BRIDGE, folder + '/b/traces.otf2', folder + '/b.paf')
    shutil.rmtree(folder + '/b')


# A changed byte may still be an archive. Whatever it is, the bridge ends in order.
def damaged(folder, seed, times):
    choose = random.Random(seed)
    names = ['traces.otf2', 'traces.def', 'traces/0.evt', 'traces/2.evt', 'traces/1.def']
    for _ in range(times):
        shutil.copytree(folder + '/a', folder + '/b')
        path = folder + '/b/' + choose.choice(names)
        with open(path, 'rb') as file:
            data = bytearray(file.read())
        used = max(1, len(data.rstrip(b'\0')))
        if choose.random() < 0.3:
            data = data[:choose.randrange(used)]
        else:
            data[choose.randrange(used)] = choose.randrange(256)
        with open(path, 'wb') as file:
            file.write(data)
        done = run(BRIDGE, 'import', '-o', folder + '/b.paf', folder + '/b/traces.otf2')
        there = os.path.exists(folder + '/b.paf')
        check(done.returncode in (0, 1) and there == (done.returncode == 0), path,
              done.returncode, done.stderr)
        check(done.returncode == 0 or done.stderr.startswith('kpx-bridge: '), path, done.stderr)
        if there:
            check(run(PAF, 'info', folder + '/b.paf').returncode == 0, path)
            os.unlink(folder + '/b.paf')
        shutil.rmtree(folder + '/b')


def main():
    with tempfile.TemporaryDirectory() as folder:
        check(run(WRITE, folder + '/a').returncode == 0, 'write_otf2')
        has_figures(folder)
        has_messages(folder)
        is_added_to_a_store(folder)
        is_written(folder)
        without_parts(folder)
        without_end(folder)
        damaged(folder, 1, 60)


main()
