#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The text commands of paf on traces that fleng makes: the figures the specification gives, the
forms of the answers, exit statuses.

usage: test_commands.py FLENG PAF
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

PROGRAM = """\
append([H|X],Y,Z) :- Z=[H|Z1], append(X,Y,Z1).
append([],Y,Z) :- Z=Y.
nrev([H|T],R) :- nrev(T,R1), append(R1,[H],R).
nrev([],R) :- R=[].
gen(N,M,S) :- N=<M | S=[N|S1], N1:=N+1, gen(N1,M,S1).
gen(N,M,S) :- N>M | S=[].
fib(N,R) :- N<2 | R=N.
fib(N,R) :- N>=2 | N1:=N-1, N2:=N-2, fib(N1,R1), fib(N2,R2), R:=R1+R2.
t1(A,_,C) :- a1(A,A,B,D), b(D,[],C).
a1([X|A],B,C,D) :- C=[X|C1], a1(A,B,C1,D).
a1([],B,C,D) :- C=[], B=D.
t2(A,_,C) :- a2(A,B), b(A,[],C).
a2([X|A],B) :- B=[X|B1], a2(A,B1).
a2([],B) :- B=[].
b([X|A],B,C) :- b(A,[X|B],C).
b([],B,C) :- C=B.
"""

TREE = """\
append(S,[x],Z) created @1
{[S=[1|S1] @3 (available 2)], [Z=[1|Z1] @3]}
  {[S1=[2|S2] @5 (available 4)], [Z1=[2|Z2] @5]}
    {[S2=[3|S3] @7 (available 6)], [Z2=[3|Z3] @7]}
      {[S3=[] @9 (available 8)], [Z3=[x] @9]}
"""

# A built-in called from two clauses, more often from the second.
CALLS = """\
main(R) :- few(2,0,X), many(9,X,R).
few(0,A,R) :- R=A.
few(N,A,R) :- N>0 | A1:=A+1,
    N1:=N-1, next(few,N1,A1,R).
many(0,A,R) :- R:=A+1.
many(N,A,R) :- N>0 | N1:=N-1, wait(N1,A,R).
wait(N,A,R) :- A>=0 |
    A1:=A+1, A2:=A1*2, many(N,A2,R).
next(few,N,A,R) :- A>0 | few(N,A,R).
"""

# X is passed on 40 times, each time late, before q looks at it.
PASSED = """\
main(R) :- g(10,X), s(20,X,L), q(L,R).
g(0,X) :- X=[1].
g(N,X) :- N>0 | N1:=N-1, g(N1,X).
s(0,X,L) :- p(%d,X,L).
s(N,X,L) :- N>0 | N1:=N-1, s(N1,X,L).
p(0,X,L) :- L=X.
p(N,X,L) :- N>0 | Y=X, N1:=N-1, p(N1,Y,L).
q([_|_],R) :- w(100,R).
w(0,R) :- R=done.
w(N,R) :- N>0 | N1:=N-1, w(N1,R).
"""

# name, what `main` does (or None), -e, work, span
RUNS = [
    ('append3', None, 'append([a,b],[c],Z)', 3, 3),
    ('nrev', None, 'nrev([1,2,3,4,5],R)', 21, 15),
    ('fib', None, 'fib(10,R)', 441, 28),
    ('append', 'main(Z) :- gen(1,3,S), append(S,[x],Z).', 'main(Z)', 12, 9),
    ('t1', 'main(C) :- gen(1,4,S), t1(S,[],C).', 'main(C)', 21, 16),
    ('t2', 'main(C) :- gen(1,4,S), t2(S,[],C).', 'main(C)', 21, 11),
    ('stuck', None, 'append([a|T],[c],Z)', 1, 1),
    ('wrong', None, 'append(a,[c],Z)', 0, 0),
    ('nothing', None, 'X=1', 0, 0),
]


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def same(self, what, got, wanted):
        if got == wanted:
            self.passed += 1
        else:
            self.failed += 1
            print('%s: got\n%s\nwanted\n%s' % (what, got, wanted))

    def has(self, what, text, part):
        self.same(what, part in text or text, True)


class Bench:
    def __init__(self, fleng, paf, folder):
        self.fleng = os.path.abspath(fleng)
        self.paf_path = os.path.abspath(paf)
        self.folder = folder
        self.tally = Tally()

    def run(self, *words):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, cwd=self.folder, timeout=600)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def paf(self, *words):
        return self.run(self.paf_path, *words)

    def json(self, *words):
        status, out, err = self.paf(*words)
        self.tally.same(' '.join(words), (status, err), (0, ''))
        return json.loads(out)

    def trace_all(self):
        for name, body, goal, _, _ in RUNS:
            with open(os.path.join(self.folder, name + '.fl'), 'w') as source:
                source.write(PROGRAM + (body + '\n' if body else ''))
            self.run(self.fleng, '-trace=%s.paf' % name, '-e', goal, name + '.fl')


def check_figures(bench):
    same = bench.tally.same
    reports = {}
    for name, _, _, work, span in RUNS:
        report = reports[name] = bench.json('report', '--json', name + '.paf')
        same(name + ' work', report['work'], work)
        same(name + ' span', report['span'], span)
        same(name + ' profile', (len(report['profile']), sum(report['profile'])), (span, work))
        same(name + ' modules', sum(m['work'] for m in report['modules']), work)
        same(name + ' critical path',
             sum(row['control'] + row['data'] for row in report['critical_path']), span)
    same('nrev profile', reports['nrev']['profile'],
         [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 2, 2, 1, 1])
    same('fib peak', reports['fib']['profile'][13], 54)
    same('fib peak', max(reports['fib']['profile']), 54)
    same('t1 unneeded', reports['t1']['unneeded'],
         [{'clause': 'a1/4:2', 'line': 11, 'output': 'D', 'input': 'B', 'span_without': 11}])
    for name in ('append3', 'nrev', 'fib', 'append', 't2'):
        same(name + ' unneeded', reports[name]['unneeded'], [])
    same('append dependencies', reports['append']['dependencies'],
         [{'from': 'gen', 'to': 'append', 'count': 4, 'wait': 4, 'lag': 0}])
    same('keys', list(reports['t1']),
         ['format', 'program', 'clock', 'work', 'span', 'parallelism', 'suspended', 'profile', 'modules',
          'dependencies', 'critical_path', 'cycles', 'unneeded', 'findings',
          'together', 'notes', 'hasten'])
    same('keys of a module', list(reports['t1']['modules'][0]),
         ['name', 'work', 'first', 'last', 'peak', 'waiting', 'critical', 'profile'])
    same('stuck', reports['stuck']['suspended'], 1)


def check_trees(bench):
    same = bench.tally.same
    same('tree', bench.paf('iotree', '--of', 'append/3', 'append.paf')[1], TREE)
    same('tree by partition', bench.paf('iotree', '--module', 'x', '--partition', 'x=append/3',
                                        'append.paf')[1], TREE)
    wanted = [('S', '[1|S1]', 3, 2), ('S1', '[2|S2]', 5, 4), ('S2', '[3|S3]', 7, 6),
              ('S3', '[4|S4]', 9, 8), ('S4', '[]', 11, 10)]
    for name, time in (('t1', 16), ('t2', 11)):
        answer = bench.json('iotree', '--json', '--of', name + '/3', name + '.paf')
        process = answer['processes'][0]
        same(name + ' goal', process['goal'], name + '(S,[],C)')
        same(name + ' nodes', len(process['nodes']), 1)
        node = process['nodes'][0]
        same(name + ' inputs',
             [(i['variable'], i['term'], i['time'], i['available']) for i in node['inputs']], wanted)
        same(name + ' outputs', node['outputs'],
             [{'variable': 'C', 'term': '[4,3,2,1]', 'time': time}])
    answer = bench.json('iotree', '--json', '--of', 'append/3', 'append.paf')
    process = answer['processes'][0]
    same('keys of a process', list(process),
         ['module', 'goal', 'created', 'members', 'nodes', 'unused_inputs'])
    same('parents', [node['parent'] for node in process['nodes']], [None, 0, 1, 2])
    same('arguments', bench.json('iotree', '--json', '--module', 'gen', 'append.paf')
         ['processes'][0]['nodes'][0]['inputs'][0],
         {'variable': 'arg1', 'term': '1', 'time': 2, 'available': 1})
    verbose = bench.paf('iotree', '--of', 'append/3', '--verbose', 'append.paf')[1]
    bench.tally.has('verbose', verbose, 'append(S,[x],Z) created @1, 4 members')
    bench.tally.has('verbose', verbose, '[Z3=[x] @9]} clause append/3:2 line 2')
    window = bench.paf('iotree', '--of', 'append/3', '--from', '4', '--to', '6', 'append.paf')[1]
    same('window', window, ''.join(TREE.splitlines(True)[:3]))


# A term that contains itself is shown as far as it goes, and one that is only deep is shown whole.
def check_cyclic(bench):
    for name, body, shown in (('cyclic', 'X=f(X,Y), pass(X,Z), look(Z).', 'f(f('),
                              ('circle', 'X=[1,2|X], pass(X,Z), look(Z).', '[1,2,1,2,'),
                              ('deep', 'X=%s, pass(X,Z), look(Z).' % list(range(1, 301)), '299,300]')):
        with open(os.path.join(bench.folder, name + '.fl'), 'w') as source:
            source.write('main :- %s\npass(X,Z) :- Z=X.\nlook(f(_,_)).\nlook([_|_]).\n'
                         % body)
        bench.run(bench.fleng, '-trace=%s.paf' % name, name + '.fl')
        status, text, _ = bench.paf('iotree', '--of', 'pass/2', name + '.paf')
        bench.tally.same(name, status, 0)
        bench.tally.has(name, bench.paf('iotree', '--of', 'look/1', name + '.paf')[1] + text, shown)
        bench.tally.same(name + ' ends early', '...' in text, name != 'deep')


def check_places(bench):
    with open(os.path.join(bench.folder, 'calls.fl'), 'w') as source:
        source.write(CALLS)
    bench.run(bench.fleng, '-trace=calls.paf', '-e', 'main(R)', 'calls.fl')
    rows = bench.json('report', '--json', '-p', 'x=many/3', 'calls.paf')['critical_path']
    bench.tally.has('rows of the critical path', str(rows), 'wait/3')


def check_rest(bench):
    same, has = bench.tally.same, bench.tally.has
    first = bench.paf('compare', 't1.paf', 't2.paf')[1].splitlines()[0]
    has('compare', first, 't2.paf is 1.45 times as fast as t1.paf: span 11 instead of 16')
    same('compare the other way', bench.paf('compare', 't2.paf', 't1.paf')[1].splitlines()[0],
         first)
    both = bench.json('compare', '--json', 't1.paf', 't2.paf')
    same('faster', both['faster'], 'b')
    same('difference', both['difference']['span'], -5)
    same('no difference', bench.json('compare', '--json', 't1.paf', 't1.paf')['faster'], None)
    info = bench.json('info', '--verify', '--json', 'fib.paf')
    same('info', (info['reductions'], info['span'], info['ending']), (441, 28, 'normal'))
    text = bench.paf('report', 't1.paf')[1]
    has('finding', text, 'makes B = D 9 steps later than t1/3 (t1.fl:9) could: goals only hand B and D down to it '
        '(1 time); without it 11 steps instead of 16 (−31 %)')
    has('advice', text, 'make B = D in t1/3 (t1.fl:9)')
    finding = bench.json('report', '--json', 't1.paf')['findings'][0]
    same('finding as JSON', (finding['kind'], finding['file'], finding['line'], finding['predicate'],
                             finding['module'], finding['span_without'], finding['saving']),
         ('alias', 't1.fl', 11, 'a1/4', 't1', 11, 0.3125))
    same('no finding without a cause', bench.json('report', '--json', 't2.paf')['findings'], [])
    has('deadlock', bench.paf('report', 'stuck.paf')[1], 'a goal of append/3 was never reduced')
    has('failure', bench.paf('report', 'wrong.paf')[1], 'the run failed')
    same('csv', bench.paf('report', '--csv', 't1.paf')[1].splitlines()[1],
         't1.fl,virtual,21,16,1.3125,0')


def check_unfinished(bench):
    same, has = bench.tally.same, bench.tally.has
    for name, ending in (('stuck', 'deadlock'), ('wrong', 'failed')):
        text = bench.paf('compare', 'append3.paf', name + '.paf')[1]
        has('comparing ' + name, text,
            '%s.paf did not run to its end (%s): the spans do not compare' % (name, ending))
        same('no factor', 'times as fast' in text, False)
        both = bench.json('compare', '--json', 'append3.paf', name + '.paf')
        same('neither is faster', both['faster'], None)
    has('both', bench.paf('compare', 'stuck.paf', 'wrong.paf')[1],
        'stuck.paf did not run to its end (deadlock), nor did wrong.paf (failed)')


def check_partitions(bench):
    same, has = bench.tally.same, bench.tally.has
    both = bench.json('compare', '--json', '-p', 'x=next/4,append/3', 'calls.paf', 't1.paf')
    same('entries of one run each',
         [(bool(m['a']), bool(m['b'])) for m in both['modules'] if m['name'] == 'x'],
         [(True, False)])
    status, _, err = bench.paf('compare', '-p', 'x=append/4', 'calls.paf', 't1.paf')
    has('entry of neither', err, 'neither trace has a predicate append/4 (but append/3)')
    same('entry of neither', status, 2)
    for text, wanted in (
            ('x=', 'module x: expected an entry PREDICATE/N or #GOAL at the end'),
            ('x=b', 'expected an entry PREDICATE/N or #GOAL at `b`'),
            ('x=b/3 y', 'expected NAME=PREDICATE/N,... at `y`'),
            ('x=b/3, =', 'PREDICATE/N or #GOAL at `=`'),
            ('x=#', 'after `#` at `#`'),
            ('x=b/99999999999', 'the trace has no predicate b/99999999999 (it has b/3)'),
            ('x=#99999999999', 'the trace has no goal #99999999999 (it has')):
        status, _, err = bench.paf('report', '-p', text, 't1.paf')
        same(text, status, 2)
        has(text, err, wanted)


def without(bench, name):
    status, out, err = bench.paf('whatif', '--json', '--without', name, 'fib.paf')
    return status, json.loads(out)['span_without'] if out else err


def check_prices(bench):
    same, has = bench.tally.same, bench.tally.has
    for name, wanted in (('fib/2<-:=/2', 19), ('fib/2.guard1<-:=/2', 19), (':=/2<-:=/2', 20),
                         (':=/2.arg2<-:=/2', 20), ('fib/2@fib.fl:8<-:=/2', 20),
                         ('fib/2@fib.fl:8.guard1<-:=/2', 20), ('fib/2.guard1@fib.fl:8<-:=/2', 20),
                         ('fib/2<-:=/2@fib.fl:8', 19), ('fib/2<-:=/2@fib.fl:8#1', 20),
                         ('fib/2<-:=/2@fib.fl:8#2', 28), (':=/2@fib.fl:8#3<-:=/2@fib.fl:8#3', 20),
                         ('fib:fib/2<-:=/2', 19)):
        same(name, without(bench, name), (0, wanted))
    for name, status, says in (
            ('fib/2<-fbi/2', 1, 'the run has no fbi/2; did you mean fib/2?'),
            ('fib/3<-:=/2', 1, 'the run has no fib/3; did you mean fib/2?'),
            ('fib/2<-fib/2', 1, 'nothing was read there that was made there'),
            ('fib/2.arg1<-:=/2', 1, 'nothing was read there that was made there'),
            ('fib/2@fib.fl:99<-:=/2', 1, 'nothing of that name is there at fib.fl:99; there are '
                                         'fib.fl:7, fib.fl:8'),
            ('fib/2@fob.fl:8<-:=/2', 1, 'the run has no source fob.fl'),
            ('fib/2', 2, '`fib/2` is not READER<-MAKER'),
            ('fib<-:=/2', 2, '`fib` is not PREDICATE/N'),
            ('fib/2<-:=/2.arg1', 2, '.arg and .guard belong to the reader'),
            ('fib/2@fib.fl<-:=/2', 2, '`fib/2@fib.fl` is not PREDICATE/N'),
            ('fib/2.arg<-:=/2', 2, '`fib/2.arg` is not PREDICATE/N')):
        got = without(bench, name)
        same(name, got[0], status)
        has(name, got[1], says)
    words = ['whatif', '--json', '--without', 'fib/2<-:=/2', '--speed-up', 'fib=4', 'fib.paf']
    same('together', bench.json(*words)['span_without'], 4.75)
    same('a tree', bench.json('whatif', '--json', '--tree', 'nrev/2', 'nrev.paf')['span_without'], 12)
    for option, status, says in (('--speed-up fib', 2, 'is not MODULE=K'),
                                 ('--speed-up fib=0', 2, 'with a number K of at least 0.001'),
                                 ('--speed-up fib=1e-30', 2, 'with a number K of at least 0.001'),
                                 ('--speed-up fob=2', 1, 'no module fob: there are main, fib'),
                                 ('--window fib/2<-:=/2=0', 2, 'a whole number N from 1 on'),
                                 ('--window fib/2<-:=/2=1.5', 2, 'a whole number N from 1 on'),
                                 ('--tree fbi/2', 1, 'did you mean fib/2?'),
                                 ('--even fib', 2, '`fib` is not PREDICATE/N'),
                                 ('--unordered fib/2@fib.fl:8', 2, 'without a line or a place')):
        got, _, err = bench.paf('whatif', *option.split(' ', 1), 'fib.paf')
        same(option, got, status)
        has(option, err, says)
    _, text, _ = bench.paf('whatif', '--without', 'fib/2<-:=/2', 'fib.paf')
    same('text', text, 'without fib/2<-:=/2: 176 waits left out\n'
                       '19 steps instead of 28 steps (-32.1 %)\n')
    _, text, _ = bench.paf('report', '--classes', 'fib.paf')
    has('classes', text, '            19  32.1 %    176  fib/2<-:=/2\n')
    _, table, _ = bench.paf('report', '--classes', '--csv', 'fib.paf')
    has('classes', table, '\nclass,reads,span_without\nfib/2<-:=/2,176,19\n')


def check_passed(bench):
    """A read waits for what a long chain of aliases passed on, in time linear in the chain."""
    for links, whole, direct, far in ((3, 251, 224, 203), (40, 325, 224, 203),
                                      (30000, 60245, 60043, 60043)):
        with open(os.path.join(bench.folder, 'passed.fl'), 'w') as source:
            source.write(PASSED % links)
        bench.run(bench.fleng, '-trace=passed.paf', '-e', 'main(R)', 'passed.fl')
        for words, wanted in (([], whole), (['q/2<-p/3'], direct), (['q/2<-g/2'], whole),
                              (['q/2<-p/3', 'q/2<-g/2'], far)):
            options = [word for name in words for word in ('--without', name)]
            got = bench.json('whatif', '--json', *options, 'passed.paf')
            bench.tally.same('%d links, without %s' % (links, words),
                             (got['span'], got['span_without']), (whole, wanted))


HANDED = """
main :- note(5, M), hand(%d, M, Out), read(Out).
note(X, M) :- M = note(X).
hand(N, X, Y) :- N > 0, N1 := N - 1 | Y = Y1, hand(N1, X, Y1).
hand(0, X, Y) :- X = Y.
read(note(X)) :- writeln(X).
"""


def check_handed_on(bench):
    """What could be bound sooner is found in time linear in a loop that binds its output at each step."""
    with open(os.path.join(bench.folder, 'handed.fl'), 'w') as source:
        source.write(HANDED % 200000)
    bench.run(bench.fleng, '-trace=handed.paf', 'handed.fl')
    before = os.times().children_user
    bench.json('report', '--json', 'handed.paf')
    used = os.times().children_user - before
    bench.tally.same('an output bound at each step: %.1f s' % used, used < 30, True)


def check_figures_only(bench):
    """--no-what-if: the same report without what a change would bring."""
    for name in ['t1', 'fib', 'stuck', 'wrong']:
        full = json.loads(bench.paf('report', '--json', name + '.paf')[1])
        for key in ['findings', 'together', 'hasten']:
            del full[key]
        only = json.loads(bench.paf('report', '--json', '--no-what-if', name + '.paf')[1])
        bench.tally.same(name + ' without what-if', only, full)
    text = bench.paf('report', '--no-what-if', 'wrong.paf')[1]
    bench.tally.has('notes without what-if', text, 'the run failed')
    bench.tally.same('no findings', 'no change was found' in text, False)


def without_reductions(content):
    """The tables of a trace, as a run that goes on writes them first."""
    at = 16
    while struct.unpack_from('<I', content, at)[0] != 7:
        at += 64 + sum(struct.unpack_from('<6I', content, at + 32))
    return content[:at]


def check_statuses(bench):
    with open(os.path.join(bench.folder, 'fib.paf'), 'rb') as whole:
        content = whole.read()
    with open(os.path.join(bench.folder, 'cut.paf'), 'wb') as cut:
        cut.write(content[:-20])
    status, out, err = bench.paf('report', '--json', 'cut.paf')
    bench.tally.same('cut', (status, bool(err)), (1, True))
    bench.tally.same('cut is reported', json.loads(out)['work'], 441)
    for name, piece, says in (('head', content[:64], 'nothing is readable: head.paf'),
                              ('begun', without_reductions(content), 'which has only begun'),
                              ('tail', content + b'more', 'something follows the end')):
        with open(os.path.join(bench.folder, name + '.paf'), 'wb') as damaged:
            damaged.write(piece)
        status, out, err = bench.paf('info', '--verify', name + '.paf')
        bench.tally.same(name, (status, len(err.splitlines())), (1, 1))
        bench.tally.has(name, err, says)
    wanted = {
        'report': 2, 'report --help': 0, 'report --nonsense t1.paf': 2, 'report -z t1.paf': 2,
        'report --no-what-if --classes t1.paf': 2, 'report --no-what-if --csv t1.paf': 0,
        'report --json --csv t1.paf': 2, 'report t1.paf t2.paf': 2, 'report missing.paf': 1,
        'report t1.fl': 1, 'report --partition x=none/9 t1.paf': 2, 'report --partition x t1.paf': 2,
        'iotree --help': 0, 'iotree --of none/9 t1.paf': 1, 'iotree --of none t1.paf': 2,
        'iotree --module none t1.paf': 1, 'iotree --limit many t1.paf': 2,
        'iotree --from 6 --to 4 t1.paf': 2, 'iotree --from 17 t1.paf': 1,
        'iotree nothing.paf': 1, 'compare t1.paf': 2, 'compare --help': 0,
        'compare t1.paf missing.paf': 1, 'info --help': 0, 'info missing.paf': 1, 'info': 2,
    }
    for words, status in wanted.items():
        got, out, err = bench.paf(*words.split())
        bench.tally.same(words, got, status)
        bench.tally.same(words + ': says why', bool(err), status != 0)
    bench.tally.has('unknown option', bench.paf('report', '--nonsense', 't1.paf')[2], '--nonsense')


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], sys.argv[2], folder)
        bench.trace_all()
        check_figures(bench)
        check_trees(bench)
        check_cyclic(bench)
        check_places(bench)
        check_rest(bench)
        check_unfinished(bench)
        check_partitions(bench)
        check_prices(bench)
        check_passed(bench)
        check_handed_on(bench)
        check_figures_only(bench)
        check_statuses(bench)
    print('%d passed, %d failed' % (bench.tally.passed, bench.tally.failed))
    return bench.tally.failed != 0


if __name__ == '__main__':
    sys.exit(main())
