#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`paf store`: adding, importing, comparing and asking, in a file and on a server of PostgreSQL.

usage: store.py FLENG PAF INJECT      (INJECT: tests/hard/inject, or -)
"""

import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import postgres
import samples

PROGRAM = '''main :- argv([A]), number_string(N, A), count(N, R), writeln(R).
count(0, R) :- R = done.
count(N, R) :- N > 0 | N1 := N - 1, count(N1, R).
'''
OTHER = 'main :- writeln(other).\n'


class Bench:
    """`where` is the store that paf is told; `folder` what is written to."""

    def __init__(self, fleng, paf, folder, where):
        self.fleng, self.paf_path = os.path.abspath(fleng), os.path.abspath(paf)
        self.folder, self.where = folder, where
        self.passed = self.failed = 0

    def check(self, what, good, seen=''):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print('%s: %s: %s' % (self.where, what, seen))

    def same(self, what, got, wanted):
        self.check(what, got == wanted, 'got %r, wanted %r' % (got, wanted))

    def run(self, *words, **options):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, cwd=self.folder,
                              universal_newlines=True, check=False, **options)
        return done.returncode, done.stdout, done.stderr

    def store(self, word, *words):
        return self.run(self.paf_path, 'store', word, '--store', self.where, *words)

    def good(self, word, *words):
        status, out, err = self.store(word, *words)
        self.same('%s %s' % (word, ' '.join(words)), (status, err), (0, ''))
        return out

    def bad(self, status, text, word, *words):
        got, out, err = self.store(word, *words)
        self.check('%s %s' % (word, ' '.join(words)), got == status and text in err, (got, out, err))

    def rows(self, question, *words):
        return json.loads(self.good('sql', '--json', question, *words))['rows']

    def trace(self, name, *words, program=PROGRAM):
        source = os.path.join(self.folder, 'p.fl')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(program)
        status, _, err = self.run(self.fleng, '-trace=' + name, *words)
        self.same('trace', (status, err), (0, ''))
        return name


def check_traces(b):
    for n in (10, 30):
        b.trace('%d.paf' % n, 'p.fl', '--', str(n))
        b.good('add', '--condition', 'n=%d' % n, '%d.paf' % n)
    status, _, err = b.store('add', '10.paf')
    b.check('the same file again', status == 0 and 'already' in err, err)
    listed = json.loads(b.good('list', '--json'))['runs']
    b.same('runs', [(r['application'], r['condition'], r['trial'], r['ending']) for r in listed],
           [('p', 'machine=ideal,n=10', 1, 'normal'), ('p', 'machine=ideal,n=30', 1, 'normal')])
    answer = json.loads(b.good('compare', '--json', 'n=10', 'n=30'))
    spans = [r['span'] for r in listed]
    b.same('slower', (answer['slower'], answer['faster']), (1, 0))
    b.same('spans', [c['span']['mean'] for c in answer['conditions']], spans)
    b.same('steps are no noise', answer['test']['verdict'], 'untested')
    report = json.loads(b.run(b.paf_path, 'report', '--json', '30.paf')[1])
    count = [f for f in answer['functions'] if f['name'] == 'count/2'][0]
    rows = [r for r in report['critical_path'] if r['predicate'] == 'count/2']
    b.same('critical steps', count['figures'][1]['mean'], sum(r['control'] + r['data'] for r in rows))
    b.trace('other.paf', 'p.fl', program=OTHER)
    b.good('add', '--application', 'other', 'other.paf')
    b.bad(1, 'no runs of nothing', 'compare', 'n=10', 'n=30', '--application', 'nothing')
    b.bad(1, 'no condition is n=11', 'compare', 'n=11', 'n=30')
    b.bad(1, 'several conditions', 'compare', '--application', 'p', 'machine=ideal', 'n=30')
    b.bad(1, 'different applications', 'compare', 'machine=ideal', 'n=30')
    b.bad(1, 'named twice', 'compare', 'n=10', 'n=10')
    b.bad(1, 'no metric', 'compare', 'n=10', 'n=30', '--metric', 'nothing')
    b.bad(2, 'no such column', 'compare', 'n=10', 'n=30', '--order', 'nowhere')
    b.bad(2, 'no list like', 'add', '--condition', 'n', '10.paf')
    b.bad(1, 'cannot read', 'add', 'none.paf')
    b.bad(1, 'run 1, 10.paf of p under machine=ideal,n=10', 'add', '--condition', 'n=11', '10.paf')
    b.trace('40.paf', 'p.fl', '--', '40')
    b.bad(1, 'machine has another value already', 'add', '--condition', 'machine=cray', '40.paf')
    b.bad(2, 'n has another value already', 'add', '--condition', 'n=1,n=2', '40.paf')
    b.bad(2, 'the word comes first', '-x')
    b.bad(1, 'no function is of the kind', 'compare', 'n=10', 'n=30', '--kind', 'bogus')


def check_tau(b):
    """Trials of two conditions; figures by Python's own arithmetic."""
    slow = [[1000 + 10 * i, 2000 + 7 * i] for i in range(5)]
    fast = [[800 + 9 * i, 600 + 5 * i] for i in range(5)]
    for name, runs in (('slow', slow), ('fast', fast)):
        for i, solve in enumerate(runs):
            folder = os.path.join(b.folder, '%s%d' % (name, i))
            samples.tau(folder, solve)
            b.good('import', '--application', 'heat', '--condition', 'code=' + name, folder)
    answer = json.loads(b.good('compare', '--json', '--application', 'heat', 'code=slow', 'code=fast'))
    by_name = {(f['kind'], f['name']): f for f in answer['functions']}
    f = by_name['routine', 'solve(double *, int)']
    sums = [[1000.0 * sum(r) for r in runs] for runs in (slow, fast)]
    for figure, trials in zip(f['figures'], sums):
        b.same('trials', figure['trials'], trials)
        b.check('mean', abs(figure['mean'] - statistics.mean(trials)) < 1e-6, figure)
        b.check('deviation', abs(figure['deviation'] - statistics.stdev(trials)) < 1e-6, figure)
    b.same('verdict', f['test']['verdict'], 'different')
    b.check('p', abs(f['test']['p'] - 2 / 252) < 1e-12, f['test'])
    b.same('first', answer['functions'][0]['name'], 'solve(double *, int)')
    b.check('call paths repeat routines', ('call path', 'main => solve(double *, int)') not in by_name)
    send = by_name['mpi', 'MPI_Send()']
    b.same('no difference', (send['difference'], send['test']['verdict']), (0, 'noise'))
    elapsed = [[1000.0 * (max(r) + 300) for r in runs] for runs in (slow, fast)]
    b.same('elapsed', [c['elapsed']['trials'] for c in answer['conditions']], elapsed)
    # The views say the same.
    rows = b.rows("SELECT exclusive_time, deviation, trials FROM function_of_condition WHERE application = 'heat' AND "
                  "name = 'solve(double *, int)' AND kind = 'routine' AND condition LIKE '%slow%'")
    b.check('view', abs(rows[0][0] - statistics.mean(sums[0])) < 1e-3 and
            abs(rows[0][1] - statistics.stdev(sums[0])) < 1e-3 and rows[0][2] == 5, rows)
    place = b.rows("SELECT DISTINCT file, line FROM function_place p JOIN function f ON f.id = p.function "
                   "WHERE f.name = 'main'")
    b.same('place', place, [['heat.c', 12]])
    check_switches(b)
    check_metrics(b)
    check_columns(b)


def check_switches(b):
    runs = [r for r in json.loads(b.good('list', '--json', '--application', 'heat'))['runs'] if 'slow' in r['condition']]
    b.good('disable', str(runs[0]['run']))
    answer = json.loads(b.good('compare', '--json', '--application', 'heat', 'code=slow', 'code=fast'))
    b.same('a run is off', answer['conditions'][0]['trials'], 4)
    b.good('enable', str(runs[0]['run']))
    b.bad(1, 'no run 9999', 'remove', '9999')
    b.bad(2, 'not the number', 'remove', 'x')
    before = b.rows('SELECT COUNT(*) FROM profile')[0][0]
    folder = os.path.join(b.folder, 'extra')
    samples.tau(folder, [5, 6])
    b.good('import', '--application', 'heat', '--condition', 'code=extra', folder)
    added = json.loads(b.good('list', '--json', '--application', 'heat'))['runs']
    number = [r['run'] for r in added if 'extra' in r['condition']][0]
    b.good('remove', str(number))
    b.same('removed', b.rows('SELECT COUNT(*) FROM profile')[0][0], before)


def check_metrics(b):
    folder = os.path.join(b.folder, 'metrics')
    samples.tau(folder + '/MULTI__PAPI_TOT_CYC', [70, 80], metric='PAPI_TOT_CYC')
    samples.tau(folder + '/MULTI__TIME', [1000, 1100])
    b.good('import', '--application', 'heat', '--condition', 'code=counted', folder)
    rows = b.rows("SELECT SUM(m.exclusive) FROM measurement m JOIN metric ON metric.id = m.metric JOIN function f ON "
                  "f.id = m.function WHERE metric.name = 'PAPI_TOT_CYC' AND f.name LIKE 'solve%'")
    b.same('cycles', rows[0][0], 150)
    answer = json.loads(b.good('compare', '--json', '--application', 'heat', 'code=counted', 'code=fast', '--metric',
                               'PAPI_TOT_CYC'))
    b.same('unit', answer['unit'], 'count')


def check_columns(b):
    out = b.good('compare', '--csv', '--application', 'heat', 'code=slow', 'code=fast', '--column',
                 'twice=2 * difference', '--order', '-m')
    lines = list(csv.reader(out.splitlines()))
    b.check('a column', lines[0][-1] == 'twice' and
            all(abs(float(x[-1]) - 2 * float(x[lines[0].index('difference')])) < 1 for x in lines[1:]), lines)
    orders = [float(x[lines[0].index('m')]) for x in lines[1:]]
    b.same('order', orders, sorted(orders))
    b.bad(2, 'names: kind', 'compare', '--application', 'heat', 'code=slow', 'code=fast', '--column', 'x=nothing')
    b.bad(2, 'NAME=EXPRESSION', 'compare', '--application', 'heat', 'code=slow', 'code=fast', '--column', 'x')
    text = b.good('compare', '--application', 'heat', 'code=slow', 'code=fast')
    b.check('the sentence', text.startswith('code=slow takes') and 'times as long (p = 0.0079)' in text, text)
    b.check('what differs most', 'solve(double *, int) differs most' in text, text)


def check_derived(b):
    """Mean, difference and merge are runs again, with the figures that Python computes."""
    question = ("SELECT f.exclusive_time FROM function_of_run f JOIN function ON function.id = f.function JOIN runs "
                "ON runs.run = f.run WHERE runs.condition LIKE 'derived=%s%%' AND name = 'solve(double *, int)'")
    solve = {'slow': [1000.0 * (3000 + 17 * i) for i in range(5)],
             'fast': [1000.0 * (1400 + 14 * i) for i in range(5)]}
    b.good('derive', '--application', 'heat', 'mean', 'code=slow')
    got = b.rows(question % 'mean')
    b.check('mean', len(got) == 1 and abs(got[0][0] - statistics.mean(solve['slow'])) < 1e-3, got)
    b.good('derive', '--application', 'heat', 'difference', 'code=slow', 'code=fast')
    got = b.rows(question % 'difference')
    wanted = statistics.mean(solve['slow']) - statistics.mean(solve['fast'])
    b.check('difference', len(got) == 1 and abs(got[0][0] - wanted) < 1e-3, got)
    b.good('derive', '--application', 'heat', 'merge', 'code=fast', 'code=counted')
    got = b.rows(question % 'merge')
    b.check('merge: the first counts', abs(got[0][0] - statistics.mean(solve['fast'])) < 1e-3, got)
    rows = b.rows("SELECT SUM(m.exclusive) FROM measurement m JOIN metric ON metric.id = m.metric JOIN runs ON runs.run "
                  "= m.run JOIN function f ON f.id = m.function WHERE runs.condition LIKE 'derived=merge%' AND "
                  "metric.name = 'PAPI_TOT_CYC' AND f.kind = 'routine' AND f.name LIKE 'solve%'")
    b.check('merge: the other metric', rows == [[150]], rows)
    answer = json.loads(b.good('compare', '--json', '--application', 'heat', 'derived=mean of code=slow', 'code=fast'))
    b.same('derived runs compare', answer['conditions'][0]['trials'], 1)
    b.bad(1, 'already', 'derive', '--application', 'heat', 'mean', 'code=slow')
    b.bad(2, 'two conditions', 'derive', 'difference', 'code=slow')
    b.bad(2, 'none of mean', 'derive', 'median', 'code=slow')
    b.bad(1, 'no condition is', 'derive', '--application', 'heat', 'mean', 'code=none')


def check_logs(b):
    samples.write(b.folder + '/.ninja_log', samples.NINJA)
    b.good('import', '.ninja_log', '--application', 'build')
    b.same('jobs of ninja', b.rows("SELECT name, begin_time, end_time FROM job JOIN runs ON runs.run = job.run "
                                   "WHERE application = 'build' ORDER BY number"),
           [['b.o', 0, 120000000], ['a.o', 5000000, 900000000], ['prog', 900000000, 1400000000]])
    samples.write(b.folder + '/rebuilt', samples.REBUILT)
    b.good('import', 'rebuilt')
    b.same('jobs that were done again', b.rows("SELECT name, begin_time, end_time FROM job JOIN runs ON runs.run = "
                                               "job.run WHERE application = 'rebuilt' ORDER BY number"),
           [['b.o', 0, 120000000], ['a.o', 10000000, 700000000], ['prog', 700000000, 800000000]])
    samples.write(b.folder + '/jobs.txt', samples.SACCT)
    b.good('import', 'jobs.txt')
    b.same('jobs of a cluster',
           b.rows("SELECT name, host, begin_time, end_time, job.user_time FROM job JOIN runs ON runs.run = job.run "
                  "WHERE application = 'jobs' ORDER BY number"),
           [['prepare', 'n1', 0, 20 * 10**9, 15500000000],
            ['count', 'n[1-2]', 20 * 10**9, 3620 * 10**9, (26 * 3600 + 184) * 10**9],
            ['runs', 'n3', 30 * 10**9, None, None]])
    samples.write(b.folder + '/trace.txt', samples.STRACE)
    b.good('import', 'trace.txt')
    b.same('accesses', b.rows("SELECT job, file, access, calls, bytes, time_spent FROM file_access ORDER BY number"),
           [[1, '/home/a.txt', 'openat', 1, 0, 20000], [2, 'pipe', 'write', 1, 6, 10000],
            [1, '/home/a.txt', 'read', 2, 120, 305000], [1, 'none', 'openat', 1, 0, 15000]])
    b.same('processes', b.rows("SELECT job.name FROM job JOIN runs ON runs.run = job.run WHERE application = 'trace' "
                               "ORDER BY number"), [['wc'], ['process 813']])


# Files and jobs of two conditions: the second one reads more, and has a job that the first one has not.
READS = '1 1700000000.5 read(3</in>, "", 1) = %d <%s>\n1 1700000001.5 exit_group(0) = ?\n'


def check_details(b):
    for name, text in (('few', READS % (100, '0.1')), ('many', READS % (300, '0.4') +
                                                       '2 1700000001.0 write(4</out>, "", 1) = 7 <0.2>\n')):
        samples.write(b.folder + '/' + name, text)
        b.good('import', '--format', 'strace', '--application', 'io', '--condition', 'case=' + name, name)
    answer = json.loads(b.good('compare', '--json', '--application', 'io', 'case=few', 'case=many'))
    sign = 1 if answer['slower'] == 1 else -1
    files = {f['name']: f for f in answer['files']}
    b.same('bytes read', files['read /in']['bytes'], [100, 300])
    b.same('time of files', files['read /in']['difference'], sign * 300000000)
    b.same('only one writes', files['write /out']['bytes'], [0, 7])
    b.same('largest first', answer['files'][0]['name'], 'read /in')
    b.same('jobs', [j['jobs'] for j in answer['jobs'] if j['name'] == 'process 2'], [[0, 1]])
    b.same('no messages', answer['messages'], [])
    out = b.good('compare', '--application', 'io', 'case=few', 'case=many')
    b.check('as text', 'Files by the difference in time' in out and 'read /in' in out, out)
    out = b.good('compare', '--csv', '--of', 'files', '--application', 'io', 'case=few', 'case=many')
    b.check('as CSV', out.startswith('name,calls of case=few,') and '\nread /in,1,1,100,300,' in out, out)
    b.bad(2, 'functions, messages, files or jobs', 'compare', '--of', 'x', '--application', 'io', 'case=few',
          'case=many')


# A name, its text, and what must be said of it.
BAD = [
    ('profile.0.0.0', '1 templated_functions\n"main" 1 2 3\n', 'profile.0.0.0:2: five numbers'),
    ('profile.0.0.0', '2 templated_functions\n"main" 1 0 1 1 0 GROUP=""\n', 'ends after 1 of 2 rows'),
    ('profile.0.0.0', 'x templated_functions\n', 'profile.0.0.0:1: `NUMBER templated_functions`'),
    ('log', '# ninja log v5\n0\t5\tx\n', 'log:2: five fields'),
    ('log', '# ninja log v5\n9\t5\t0\tx\ty\n', 'log:2: `9` and `5`'),
    ('jobs', 'JobID|JobName|State\n1|x|y\n', 'jobs:1: columns JobID, Start'),
    ('jobs', 'JobID|Start|End|State\n1|yesterday|now|y\n', 'jobs:2: Start `yesterday`'),
    ('st', '1 1700000000.5 read(3</a>, "", 1) = 0 <0.1>\nrubbish\n', 'st:2: a process and a time'),
    ('st', '1 1700000000.5 read(3</a>, "", 1) = 0 <0.1>\n\0\n', 'st:2: a byte 0'),
    ('st', '1 1700000000.5 read(3</a>, "", 1) = 0 <0.1>\n1 1e300 read(3</a>, "", 1) = 0 <0.1>\n',
     'st:2: a process and a time'),
    ('jobs', 'JobID|Start|End\n1|2026-01-31T23:59:50|9999-01-01T00:00:00\n', 'jobs:2: Start `2026-01-31T23:59:50`'),
    ('what', 'rubbish\n', 'looks like no format'),
    ('log', '# ninja log v99\n0\t5\t0\tx\ty\n', 'log:1: version 99'),
    ('log', '# ninja log v5\n', 'nothing is in it'),
    ('profile.0.0.0', '1 templated_functions\n"main" 1 2 1e30 300 0 GROUP=""\n', 'main has 1e+30 exclusive'),
]

# Of calls like no system makes, the sums stay numbers.
HUGE = '1 1700000000.5 read(3</a>, "", 1) = 9223372036854775807 <%s>\n'


def check_bad_files(b):
    before = b.rows('SELECT COUNT(*) FROM run')
    for name, text, said in BAD:
        samples.write(b.folder + '/bad/' + name, text)
        b.bad(1, said, 'import', 'bad/' + name)
        os.remove(b.folder + '/bad/' + name)
    os.mkfifo(b.folder + '/fifo')
    b.bad(1, 'neither a file nor a folder', 'import', 'fifo')
    b.bad(1, 'no profile.N.C.T', 'import', '--format', 'tau', 'bad')
    b.bad(1, 'no format gmon', 'import', '--format', 'gmon', 'p.fl')
    b.same('nothing was added', b.rows('SELECT COUNT(*) FROM run'), before)


def check_odd_files(b):
    samples.write(b.folder + '/huge', HUGE % '0.1' + HUGE % '0.2' + HUGE % '1e300')
    b.good('import', 'huge', '--format', 'strace')
    b.same('huge', b.rows("SELECT calls, bytes, time_spent FROM file_access JOIN runs ON runs.run = file_access.run "
                          "WHERE application = 'huge'"), [[2, 2**63 - 1, 300000000]])
    for i in range(2):  # cycles were counted, and no time
        samples.tau('%s/idle%d' % (b.folder, i), [5 + i, 6], metric='PAPI_TOT_CYC')
        b.good('import', '--application', 'idle', '--condition', 'k=%d' % i, 'idle%d' % i)
    answer = json.loads(b.good('compare', '--json', '--application', 'idle', 'k=0', 'k=1'))
    b.same('without times', (answer['test']['verdict'], answer['functions']), ('untested', []))
    text = b.good('compare', '--application', 'idle', 'k=0', 'k=1')
    b.check('what is not known is said', text.startswith('how long k=0 takes is not known'), text)


def check_questions(b):
    for text in ('DELETE FROM run', 'DROP TABLE run', 'UPDATE run SET enabled = 0', "ATTACH 'x.db' AS x", 'VACUUM',
                 'CREATE TABLE x (y BIGINT)', 'SELECT 1; DELETE FROM run', ''):
        status, _, err = b.store('sql', text)
        b.check('refused: ' + text, status == 1 and err.startswith('paf store sql: '), (status, err))
    b.check('nothing is gone', b.rows('SELECT COUNT(*) FROM run')[0][0] > 10)
    b.check('no other file', not os.path.exists(b.folder + '/x.db'))
    slow = ('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) '
            'SELECT COUNT(*) FROM n')
    begun = time.monotonic()
    status, _, err = b.store('sql', '--seconds', '1', slow)
    b.check('too slow', status == 1 and err and time.monotonic() - begun < 60, (status, err))
    b.good('sql', '--keep', 'of', 'SELECT COUNT(*) FROM runs WHERE application = :what')
    b.same('a kept question', b.good('sql', '--query', 'of', '--with', 'what=heat', '--csv').split()[1], '14')
    b.same('hostile values are data',
           b.good('sql', '--query', 'of', '--with', "what=x' OR '1'='1", '--csv').split()[1], '0')
    b.bad(1, 'parameter :what', 'sql', '--query', 'of')
    b.bad(1, 'no parameter :other', 'sql', '--query', 'of', '--with', 'what=1', '--with', 'other=2')
    b.good('sql', '--forget', 'of')
    b.bad(1, 'no question is kept', 'sql', '--query', 'of', '--with', 'what=1')
    b.bad(2, 'either a question', 'sql')


HOSTILE = ["x'); DROP TABLE run; --", '=cmd|calc', '<script>alert(1)</script>', '\x1b[31mred', 'a"b', '\u202egnp']


def check_hostile(b):
    for i, name in enumerate(HOSTILE):
        samples.write(b.folder + '/h%d/log' % i, '# ninja log v5\n0\t5\t0\t%s\ty\n' % name)
        b.good('import', '--application', name, '--condition', 'k=' + name.replace(',', ' '), 'h%d/log' % i)
    rows = [r[0] for r in b.rows('SELECT name FROM application')]
    b.check('names are data', all(name in rows for name in HOSTILE), rows)
    text = b.good('list')
    b.check('nothing reaches the terminal', '\x1b' not in text and '\u202e' not in text, text)
    b.check('no formulas', '\n=cmd' not in b.good('sql', '--csv', 'SELECT name FROM application'))


def check_together(b):
    """Two writers at once: both end well."""
    for i in range(8):
        samples.tau('%s/both%d' % (b.folder, i), [i + 1, 2])
    writers = [subprocess.Popen([b.paf_path, 'store', 'import', '--store', b.where, '--application', 'both',
                                 '--condition', 'n=1', 'both%d' % i], cwd=b.folder, stdout=subprocess.DEVNULL)
               for i in range(8)]
    b.same('writers', [w.wait() for w in writers], [0] * 8)
    rows = b.rows("SELECT trial FROM runs WHERE application = 'both' ORDER BY trial")
    b.same('trials', [r[0] for r in rows], list(range(1, 9)))


def check_all(b):
    check_traces(b)
    check_tau(b)
    check_derived(b)
    check_logs(b)
    check_details(b)
    check_bad_files(b)
    check_odd_files(b)
    check_questions(b)
    check_hostile(b)
    check_together(b)


# ---------------------------------------------------------------------------------------------
# Files only

def whole(path):
    """What the store holds: its runs, and that each has all its rows."""
    with sqlite3.connect(path) as db:
        assert db.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
        assert not db.execute('PRAGMA foreign_key_check').fetchall()
        return db.execute('SELECT run.id, (SELECT COUNT(*) FROM profile p WHERE p.run = run.id), '
                          '(SELECT COUNT(*) FROM measurement m WHERE m.run = run.id) FROM run').fetchall()


MANY_RUNS = """
INSERT INTO application VALUES (1, 'many');
INSERT INTO condition VALUES (1, 1, 'k=1'), (2, 1, 'k=2');
INSERT INTO condition_key VALUES (1, 'k', '1'), (2, 'k', '2');
INSERT INTO function VALUES (1, 1, 'routine', 'f', '', 1), (2, 1, 'routine', 'g', '', 1);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO run SELECT i, 1 + i % 2, i, 'x', NULL, 'x', 'digest ' || i, NULL, NULL, NULL, 'normal', 'ns', 1000 + i % 2,
                       NULL, NULL, NULL, NULL, 1 FROM n;
INSERT INTO place SELECT id, id, 0, 'place' FROM run;
INSERT INTO profile SELECT run.id, function.id, run.id, 1, 0, 100 * function.id + run.id % 2,
                           100 * function.id + run.id % 2 FROM run, function;
INSERT INTO function_sum SELECT run, function, COUNT(*), SUM(calls), SUM(subcalls), SUM(inclusive_time),
                                SUM(exclusive_time), MAX(exclusive_time), MIN(exclusive_time)
    FROM profile GROUP BY run, function;
"""


def check_many_runs(b):
    """10,000 runs are listed, compared and added to as one is."""
    path = b.folder + '/many.db'
    samples.tau(b.folder + '/one', [5, 6])
    store = [b.paf_path, 'store']
    b.same('made', b.run(*store, 'list', '--store', path)[0] in (0, 1), True)
    b.run(*store, 'import', '--store', path, '--application', 'one', 'one')
    with sqlite3.connect(path) as db:
        for table in ('condition_key', 'metric_sum', 'function_sum', 'measurement', 'profile', 'function_place',
                      'message', 'place', 'run', 'function', 'condition', 'application'):
            db.execute('DELETE FROM ' + table)
        db.executescript(MANY_RUNS)
    listed = json.loads(b.run(*store, 'list', '--json', '--store', path)[1])['runs']
    b.same('runs', len(listed), 10000)
    answer = json.loads(b.run(*store, 'compare', '--json', '--store', path, 'k=1', 'k=2')[1])
    b.same('means', [[g['mean'] for g in f['figures']] for f in sorted(answer['functions'], key=lambda f: f['name'])],
           [[100, 101], [200, 201]])
    b.same('slower', (answer['slower'], answer['test']['verdict']), (1, 'different'))
    status, out, err = b.run(*store, 'import', '--store', path, '--application', 'one', 'one')
    b.same('one more', (status, err), (0, ''))
    b.same('all are there', len(whole(path)), 10001)


def check_kills(b, tries):
    """Killed at any moment: the run is there as a whole, or not at all."""
    path = b.folder + '/killed.db'
    for i in range(2):
        rows = ['"f%d" 1 0 %d 5 0 GROUP="TAU_USER"' % (j, i) for j in range(1500)]
        samples.write('%s/big%d/profile.0.0.0' % (b.folder, i),
                      '%d templated_functions\n%s\n0 aggregates\n1 userevents\n"e" 1 1 1 1 1\n'
                      % (len(rows), '\n'.join(rows)))
    words = [b.paf_path, 'store', 'import', '--store', path]
    begun = time.monotonic()
    subprocess.run(words + ['big0'], cwd=b.folder, check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - begun
    before = whole(path)
    kept = lost = 0
    for i in range(tries):
        copy = b.folder + '/copy.db'
        shutil.copy(path, copy)
        writer = subprocess.Popen(words[:-1] + [copy, 'big1', '--condition', 'try=%d' % i], cwd=b.folder,
                                  stdout=subprocess.DEVNULL)
        time.sleep(took * random.random() * 1.2)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        now = whole(copy)
        b.check('killed', now == before or (now[:1] == before and len(now) == 2 and now[1][1:] == before[0][1:]), now)
        kept += len(now) == 2
        lost += len(now) == 1
        for rest in (copy, copy + '-journal'):
            if os.path.exists(rest):
                os.remove(rest)
    print('killed %d times: %d runs are there, %d are not' % (tries, kept, lost))


def check_errors(b, inject, tries):
    """The N-th call to the system fails, or all from then on: the run is there as a whole, or not at all, and
    the status says which."""
    path, report = b.folder + '/errors.db', b.folder + '/report'
    for i in range(2):
        samples.tau('%s/err%d' % (b.folder, i), [7 + i, 9])
    words = [b.paf_path, 'store', 'import', '--store', path]
    subprocess.run(words + ['err0'], cwd=b.folder, check=True, stdout=subprocess.DEVNULL)
    before = whole(path)
    shutil.copy(path, path + '.first')

    def disturbed(how, n):
        shutil.copy(path + '.first', path)
        if os.path.exists(path + '-journal'):
            os.remove(path + '-journal')
        status, _, _ = b.run(inject, how, str(n), '28', report, *words, 'err1')
        with open(report, encoding='utf-8') as file:
            return status, int(file.read().split()[0])

    status, calls = disturbed('count', 1)
    if status == 77:
        print('errors: skipped, as the kernel does not let calls fail')
        return
    b.same('undisturbed', (status, len(whole(path))), (0, 2))
    for how in ('once', 'from'):
        for n in sorted(random.sample(range(1, calls + 1), min(tries, calls))):
            status, _ = disturbed(how, n)
            now = whole(path)
            b.check('%s %d' % (how, n), now == before or (len(now) == 2 and now[:1] == before), now)
            b.check('%s %d: status %d' % (how, n, status), status != 0 or len(now) == 2, now)
    print('errors: %d calls, %d tries' % (calls, 2 * min(tries, calls)))


def check_trials(b):
    """Runs that are repeated: conditions take turns, and nothing is left in the folder of traces."""
    os.mkdir(b.folder + '/tmp')
    env = dict(os.environ, TMPDIR=b.folder + '/tmp')
    with open(b.folder + '/real.fl', 'w', encoding='utf-8') as file:
        file.write(PROGRAM)
    status, out, err = b.run(b.fleng, '-time=real', '-trace', '-trials', '3', '-store=' + b.folder + '/trials.db',
                             '-condition', '-j=1', '--condition=-j=2,size=B', 'real.fl', '--', '50', env=env)
    b.same('trials', (status, err, out.count('done')), (0, '', 6))
    listed = json.loads(b.run(b.paf_path, 'store', 'list', '--json', '--store', 'trials.db')[1])['runs']
    listed.sort(key=lambda r: r['run'])
    b.same('turns', [(r['condition'], r['trial']) for r in listed],
           [(c, t) for t in (1, 2, 3) for c in ('-j=1,workers=1', '-j=2,size=B,workers=2')])
    status, out, err = b.run(b.fleng, '-time=real', '-trace', '-trials', '3', '-store=' + b.folder + '/trials.db',
                             'real.fl', '--', 'no number', env=env)
    b.check('a run that fails', status not in (0, 2) and 'trial 1 ended with status' in err, (status, err))
    begun = subprocess.Popen([b.fleng, '-time=real', '-trace', '-trials', '99', '-store=' + b.folder + '/trials.db',
                              'real.fl', '--', '2000000'], cwd=b.folder, env=env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    time.sleep(1)
    begun.terminate()
    b.same('a run that is ended', begun.wait(100), 128 + signal.SIGTERM)
    b.same('nothing is left', os.listdir(b.folder + '/tmp'), [])
    for words, said in ((['-trials', '3'], 'needs --store'), (['-store'], '--trials N'),
                        (['-trials', '0', '-store'], 'a number from 1'), (['-trials', '2', '-store'], 'needs -trace'),
                        (['-trials', '2', '-store', '-trace', '-condition', 'n'], 'takes a list')):
        status, _, err = b.run(b.fleng, *words, 'real.fl')
        b.check('usage: %s' % words, status == 2 and said in err, (status, err))


FIRST_VERSION = '''
DROP VIEW condition_mean; DROP VIEW function_of_condition; DROP VIEW function_of_run;
DROP INDEX function_place_of_function; DROP VIEW runs; ALTER TABLE run DROP COLUMN path;
DROP TABLE function_sum; DROP TABLE metric_sum;
CREATE VIEW function_of_run AS
SELECT profile.run, profile.function, COUNT(*) AS places, SUM(profile.exclusive_time) AS exclusive_time
FROM profile GROUP BY profile.run, profile.function;
CREATE TABLE former (version BIGINT NOT NULL);
INSERT INTO former VALUES (1);
DROP TABLE store_version;
ALTER TABLE former RENAME TO store_version;
'''


def check_first_version(b):
    """A store of version 1 gets sums by being read, and tells the same then."""
    shutil.copy(b.where, b.folder + '/first.db')
    with sqlite3.connect(b.folder + '/first.db') as db:
        db.executescript(FIRST_VERSION)
    questions = ['SELECT run, function, places, calls, exclusive_time, most_time FROM function_of_run ORDER BY 1, 2',
                 'SELECT run, function, metric, inclusive, exclusive FROM metric_sum ORDER BY 1, 2, 3',
                 'SELECT * FROM condition_mean ORDER BY 1, 2', 'SELECT version FROM store_version']
    for question in questions:
        status, out, err = b.run(b.paf_path, 'store', 'sql', '--json', '--store', 'first.db', question)
        b.same('a store of version 1', (status, err), (0, ''))
        b.same(question, json.loads(out)['rows'], b.rows(question))


def check_files(b):
    with open(b.folder + '/text.db', 'w', encoding='utf-8') as file:
        file.write('no database\n' * 100)
    status, _, err = b.run(b.paf_path, 'store', 'add', '--store', 'text.db', '10.paf')
    b.check('no database', status == 1 and 'text.db' in err, err)
    with sqlite3.connect(b.folder + '/others.db') as db:
        db.execute('CREATE TABLE mine (x)')
    status, _, err = b.run(b.paf_path, 'store', 'add', '--store', 'others.db', '10.paf')
    b.check("somebody else's", status == 1 and 'holds no store' in err, err)
    shutil.copy(b.where, b.folder + '/later.db')
    with sqlite3.connect(b.folder + '/later.db') as db:
        db.execute('UPDATE store_version SET version = 99')
    status, _, err = b.run(b.paf_path, 'store', 'list', '--store', 'later.db')
    b.check('a later version', status == 1 and 'version 99' in err, err)
    check_first_version(b)
    status, _, err = b.run(b.paf_path, 'store', 'list', '--store', 'none.db')
    b.check('no store', status == 1 and 'no such store' in err and not os.path.exists(b.folder + '/none.db'), err)
    env = dict(os.environ, HOME=b.folder + '/home', XDG_DATA_HOME='')
    env.pop('PAF_STORE', None)
    status, _, err = b.run(b.paf_path, 'store', 'add', '10.paf', env=env)
    b.check('the default', status == 0 and os.path.exists(b.folder + '/home/.local/share/paf/store.db'), err)
    for words in ([], ['nothing'], ['compare', 'a'], ['list', '--nothing']):
        status, _, err = b.run(b.paf_path, 'store', *words)
        b.same('usage %s' % words, status, 2)
    b.check('did you mean', 'compare' in b.run(b.paf_path, 'store', 'compere')[2])


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], sys.argv[2], folder, os.path.join(folder, 'store.db'))
        check_all(bench)
        check_files(bench)
        check_trials(bench)
        check_many_runs(bench)
        check_kills(bench, 20)
        if sys.argv[3] != '-':
            check_errors(bench, os.path.abspath(sys.argv[3]), 30)
        print('file: %d passed, %d failed' % (bench.passed, bench.failed))
        failed += bench.failed
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
        server = postgres.Server(data)
        if not server.bin:
            print('server: skipped, as PostgreSQL is not installed')
            return failed != 0
        with server as where:
            bench = Bench(sys.argv[1], sys.argv[2], folder, where)
            check_all(bench)
            print('server: %d passed, %d failed' % (bench.passed, bench.failed))
            failed += bench.failed
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
