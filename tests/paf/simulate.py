#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`paf simulate`, the simulated places of `paf export`, and prices on P processors: figures that
are known, forms of answers, statuses, a measured run.

usage: simulate.py FLENG PAF MEASURED      (-: there is no MEASURED)
"""

import json
import os
import subprocess
import sys
import tempfile

PROGRAM = """\
fib(N,R) :- N<2 | R=N.
fib(N,R) :- N>=2 | N1:=N-1, N2:=N-2, fib(N1,R1), fib(N2,R2), R:=R1+R2.
gen(N,M,S) :- N=<M | S=[N|S1], N1:=N+1, gen(N1,M,S1).
gen(N,M,S) :- N>M | S=[].
wait([X|S],R) :- M:=X+3, fib(M,Y), then(Y,S,R).
wait([],R) :- R=[].
then(Y,S,R) :- Y>0 | R=[Y|R1], wait(S,R1).
pairs(0,S) :- S=[].
pairs(N,S) :- N>0 | S=[A|S1], A=B, B:=N*2, N1:=N-1, pairs(N1,S1).
"""

# name, goal, work, span, times on 1, 2, 3, ... processors (by hand; None: only bounds)
RUNS = [
    ('fib', 'fib(10,R)', 441, 28, None),
    ('one', 'fib(1,R)', 1, 1, [1, 1, 1]),
    # fib(2): 1 | N1, N2 | fib(1), fib(0) | R. The two pairs take two steps on one processor.
    ('two', 'fib(2,R)', 6, 4, [6, 4, 4]),
    ('gen', 'gen(1,3,S)', 7, 7, [7, 7]),
]


class Bench:
    def __init__(self, fleng, paf, folder):
        self.fleng, self.paf_path = os.path.abspath(fleng), os.path.abspath(paf)
        self.folder = folder
        self.passed = self.failed = 0

    def same(self, what, got, wanted):
        if got == wanted:
            self.passed += 1
        else:
            self.failed += 1
            print('%s: got %r, wanted %r' % (what, got, wanted))

    def run(self, *words):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                              cwd=self.folder, universal_newlines=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def paf(self, *words):
        return self.run(self.paf_path, *words)

    def json(self, *words):
        status, out, err = self.paf(*words)
        self.same(' '.join(words), (status, err), (0, ''))
        return json.loads(out)

    def trace(self, name, goal):
        with open(os.path.join(self.folder, name + '.fl'), 'w', encoding='utf-8') as source:
            source.write(PROGRAM)
        self.run(self.fleng, '-trace=%s.paf' % name, '-e', goal, name + '.fl')
        return name + '.paf'


def check_figures(bench):
    for name, goal, work, span, times in RUNS:
        path = bench.trace(name, goal)
        got = bench.json('simulate', '--json', '--processors', '1-6,unlimited', path)
        bench.same(name + ' head', [got[k] for k in ('format', 'work', 'span', 'delay', 'grain')],
                   [1, work, span, 0, 0])
        bench.same(name + ' processors', [r['processors'] for r in got['runs']],
                   [1, 2, 3, 4, 5, 6, None])
        bench.same(name + ' one', got['runs'][0]['span'], work)
        bench.same(name + ' unlimited', got['runs'][-1]['span'], span)
        if times:
            bench.same(name + ' times', [r['span'] for r in got['runs'][:len(times)]], times)
        for run in got['runs']:
            p = run['processors'] or run['used']
            bench.same(name + ' busy', run['busy'], work)
            bench.same(name + ' no waiting', run['waiting'], 0)
            bench.same(name + ' sum', run['busy'] + run['idle'], p * run['span'])
            bench.same(name + ' bounds', max(work, p * span) <= p * run['span'] <= work + p * span,
                       True)


def check_delay_and_grain(bench):
    # Two generators: what either needs it made itself, so only one goal has to travel.
    path = bench.trace('both', 'gen(1,9,S), gen(1,9,T)')
    for delay in (0, 5):
        got = bench.json('simulate', '--json', '--processors', '2', '--delay', str(delay), path)
        bench.same('two streams, delay %d' % delay, got['runs'][0]['span'], 19)
    # All of it is below the grain: it stays where it began.
    got = bench.json('simulate', '--json', '--processors', '4', '--grain', '1000', 'fib.paf')
    bench.same('grain', [got['runs'][0][k] for k in ('span', 'used')], [441, 1])
    got = bench.json('simulate', '--json', '--processors', '4', '--grain', '1', 'fib.paf')
    bench.same('no grain', got['runs'][0]['span'], 117)
    # With a delay one processor loses nothing, and of two some wait.
    got = bench.json('simulate', '--json', '--processors', '1,2', '--delay', '3', 'fib.paf')
    bench.same('one with delay', [got['runs'][0][k] for k in ('span', 'waiting')], [441, 0])
    bench.same('two with delay', got['runs'][1]['waiting'] > 0, True)


def check_places(bench):
    """What the timeline shows is what the sums say."""
    machine = ('--processors', '3', '--delay', '4')
    got = bench.json('simulate', '--json', *machine, 'fib.paf')['runs'][0]
    words = ('export', '--view', 'places') + machine
    bench.same('export', bench.paf(*words, '-o', 'places.json', 'fib.paf'), (0, '', ''))
    with open(os.path.join(bench.folder, 'places.json'), encoding='utf-8') as file:
        events = [e for e in json.load(file)['traceEvents'] if e['ph'] == 'X']
    waits = [e for e in events if e['name'] == 'waiting']
    work = [e for e in events if e['name'] != 'waiting']
    bench.same('busy', sum(e['dur'] for e in work), got['busy'])
    bench.same('waiting', sum(e['dur'] for e in waits), got['waiting'])
    bench.same('end', max(e['ts'] + e['dur'] for e in events), got['span'])
    taken = [(e['tid'], t) for e in events for t in range(e['ts'], e['ts'] + e['dur'])]
    bench.same('one thing at a time', len(taken), len(set(taken)))
    for kind in ('png', 'svg', 'pdf'):
        for name in ('one', 'two'):
            bench.same(kind, bench.paf(*words, '-o', name + '.' + kind, 'fib.paf'), (0, '', ''))
        with open(os.path.join(bench.folder, 'one.' + kind), 'rb') as one, \
                open(os.path.join(bench.folder, 'two.' + kind), 'rb') as two:
            bench.same(kind + ', the same bytes', one.read() == two.read(), True)
    with open(os.path.join(bench.folder, 'one.svg'), encoding='utf-8') as file:
        bench.same('a picture', '<svg' in file.read(), True)


def check_prices(bench):
    """On P processors the price is of the time there."""
    path = bench.trace('wait', 'gen(1,6,S), wait(S,R)')
    ideal = bench.json('whatif', '--json', '--without', 'then/3<-:=/2', path)
    work = bench.json('report', '--json', path)['work']
    for processors in (1, 2, 4):
        p = str(processors)
        took = bench.json('simulate', '--json', '--processors', p, path)['runs'][0]['span']
        got = bench.json('whatif', '--json', '--processors', p, '--without', 'then/3<-:=/2', path)
        bench.same('whatif %s span' % p, got['span'], took)
        least = max(ideal['span_without'], work / processors)
        bench.same('whatif %s' % p, least <= got['span_without'] <= took, True)
        report = bench.json('report', '--json', '--processors', p, path)
        bench.same('report %s' % p, (report['processors'], report['simulated']), (processors, took))
        for finding in report['findings']:
            bench.same('saving', abs(finding['saving'] - 1 + finding['span_without'] / took) < 1e-9,
                       True)
        classes = bench.json('report', '--json', '--classes', '--processors', p, path)['classes']
        bench.same('classes', len(classes) > 0, True)
        for row in classes[:4]:
            asked = bench.json('whatif', '--json', '--processors', p, '--without', row['class'],
                               path)
            bench.same('class on %s' % p, row['span_without'], asked['span_without'])
    alone = bench.json('report', '--json', '--processors', '1', path)
    bench.same('nothing to save on one', alone['findings'], [])


def check_hasten(bench):
    path = bench.trace('pairs', 'pairs(5,S), wait(S,R)')
    rows = bench.json('report', '--json', path)['hasten']
    span = bench.json('report', '--json', path)['span']
    bench.same('rows', len(rows) > 0, True)
    for row in rows:
        bench.same('keys', list(row), ['module', 'process', 'clause', 'file', 'line', 'variable',
                                       'time', 'outputs', 'critical', 'slack', 'span_without',
                                       'saving'])
        bench.same('saving', abs(row['saving'] - 1 + row['span_without'] / span) < 1e-9, True)
        bench.same('slack within the run', 0 <= row['slack'] <= span - row['time'], True)
        bench.same('what has slack brings nothing', row['slack'] > 0 and row['saving'] > 0, False)


def check_text(bench):
    status, out, _ = bench.paf('simulate', 'two.paf')
    bench.same('text', (status, out), (0, """\
two.fl: 6 reductions, span 4 steps
  processors  time  speed-up  efficiency  busy  waiting  idle  used
           1     6      1.00       100 %     6      0 %   0 %     1
   unlimited     4      1.50        75 %     6      0 %  25 %     2

Speed-up (dots: the most that so many processors can give)
           1 ################################# 1.00
   unlimited ################################################## 1.50
"""))
    _, out, _ = bench.paf('simulate', '-p', 'all=fib/2', '--processors', '1', '--delay', '1',
                          '--grain', '2', 'two.paf')
    for line in ('  what another processor made comes 1 step later',
                 '  goals that cost less than 2 steps stay with their parents',
                 '  all     6'):
        bench.same(line, line in out.splitlines(), True)


def check_statuses(bench):
    for wrong in ('0', '-1', '1x', '3-1', '1,,2', '1,', '', '2-unlimited', 'unlimited-2', '1-2000',
                  '99999999999', '5-', 'many'):
        status, out, err = bench.paf('simulate', '--processors=' + wrong, 'two.paf')
        bench.same('list ' + wrong, (status, out, 'is no list like' in err), (2, '', True))
    for words in (['--delay', '-1'], ['--grain', 'x'], ['--delay', '99999999999'], ['--speed'],
                  ['--partition', 'x=nobody/7']):
        bench.same(' '.join(words), bench.paf('simulate', *words, 'two.paf')[:2], (2, ''))
    bench.same('no file', bench.paf('simulate', 'none.paf')[:2], (1, ''))
    for words, wanted in ((['--processors', '2', '-o', 'a.png'], 2),
                          (['--view', 'places', '--delay', '2', '-o', 'a.png'], 2),
                          (['--view', 'places', '--processors', '0', '-o', 'a.png'], 2),
                          (['--view', 'places', '--processors', '2', '--from', '99', '-o', 'a.png'],
                           1)):
        bench.same(' '.join(words), bench.paf('export', *words, 'two.paf')[:2], (wanted, ''))
    bench.run(bench.fleng, '-profile=profile.paf', '-e', 'fib(2,R)', 'two.fl')
    bench.same('a profile', bench.paf('simulate', 'profile.paf')[:2], (1, ''))


def check_measured(bench, measured):
    bench.run(measured, '3', '4', 'measured.paf')
    elapsed = bench.json('report', '--json', 'measured.paf')['elapsed']
    for words in ([], ['--processors', '3']):
        got = bench.json('simulate', '--json', *words, 'measured.paf')['runs']
        bench.same('measured', [(r['processors'], r['span']) for r in got], [(3, elapsed)])
        bench.same('measured: sum', sum(got[0][k] for k in ('busy', 'waiting', 'idle')),
                   3 * elapsed)
        bench.same('measured: all of it', min(got[0][k] for k in ('busy', 'waiting', 'idle')) >= 0,
                   True)
    for words in (['--processors', '2'], ['--processors', '1-4'], ['--delay', '1'],
                  ['--grain', '9']):
        status, out, err = bench.paf('simulate', *words, 'measured.paf')
        bench.same('measured ' + ' '.join(words), (status, out, 'keeps its work' in err),
                   (2, '', True))
    bench.same('measured report', bench.paf('report', '--processors', '2', 'measured.paf')[0], 2)
    bench.same('measured report', bench.paf('report', '--processors', '3', 'measured.paf')[0], 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], sys.argv[2], folder)
        check_figures(bench)
        check_delay_and_grain(bench)
        check_places(bench)
        check_prices(bench)
        check_hasten(bench)
        check_text(bench)
        check_statuses(bench)
        if sys.argv[3] != '-':
            check_measured(bench, os.path.abspath(sys.argv[3]))
    print('%d passed, %d failed' % (bench.passed, bench.failed))
    return bench.failed != 0


if __name__ == '__main__':
    sys.exit(main())
