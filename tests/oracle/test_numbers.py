#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures and trees of the definitions, from `fleng -trace`, `paf report` and `paf iotree`.

usage: test_numbers.py FLENG PAF
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

EXAMPLES = """\
append([H|X],Y,Z) :- Z=[H|Z1], append(X,Y,Z1).
append([],Y,Z) :- Z=Y.
nrev([H|T],R) :- nrev(T,R1), append(R1,[H],R).
nrev([],R) :- R=[].
gen(N,M,S) :- N=<M | S=[N|S1], N1:=N+1, gen(N1,M,S1).
gen(N,M,S) :- N>M | S=[].
fib(N,R) :- N<2 | R=N.
fib(N,R) :- N>=2 | N1:=N-1, N2:=N-2, fib(N1,R1), fib(N2,R2), R:=R1+R2.
t1(A,_,C) :- a1(A,A,B,D), b(D,[],C).
t2(A,_,C) :- a2(A,B), b(A,[],C).
a1([X|A],B,C,D) :- C=[X|C1], a1(A,B,C1,D).
a1([],B,C,D) :- C=[], B=D.
a2([X|A],B) :- B=[X|B1], a2(A,B1).
a2([],B) :- B=[].
b([X|A],B,C) :- b(A,[X|B],C).
b([],B,C) :- C=B.
"""
APPEND = 'main(Z) :- gen(1,3,S), append(S,[x],Z).\n'
T1 = 'main(C) :- gen(1,4,S), t1(S,[],C).\n'
T2 = 'main(C) :- gen(1,4,S), t2(S,[],C).\n'

APPEND_TREE = """\
append(S,[x],Z) created @1
{[S=[1|S1] @3 (available 2)], [Z=[1|Z1] @3]}
  {[S1=[2|S2] @5 (available 4)], [Z1=[2|Z2] @5]}
    {[S2=[3|S3] @7 (available 6)], [Z2=[3|Z3] @7]}
      {[S3=[] @9 (available 8)], [Z3=[x] @9]}
"""
REVERSE_TREE = """\
%s(S,[],C) created @1
{[S=[1|S1] @3 (available 2), S1=[2|S2] @5 (available 4), S2=[3|S3] @7 (available 6), \
S3=[4|S4] @9 (available 8), S4=[] @11 (available 10)], [C=[4,3,2,1] @%d]}
"""

counts = {'passed': 0, 'failed': 0}


def check(what, got, wanted):
    if got == wanted:
        counts['passed'] += 1
    else:
        counts['failed'] += 1
        print('FAILED %s\n   got    %r\n   wanted %r' % (what, got, wanted))


class Tools:
    def __init__(self, fleng, paf, folder):
        self.fleng = os.path.abspath(fleng)
        self.paf = os.path.abspath(paf)
        self.folder = folder
        self.runs = 0

    def run(self, *words, status=0, cwd=None):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
                              stdin=subprocess.DEVNULL, cwd=cwd or self.folder)
        if done.returncode != status:
            check('status of ' + ' '.join(words), (done.returncode, done.stderr), (status, b''))
        return done.stdout.decode()

    def trace(self, goal, more='', status=0):
        """A trace of the goal with the examples and `more`."""
        self.runs += 1
        source = os.path.join(self.folder, 'run%d.fl' % self.runs)
        with open(source, 'w') as file:
            file.write(EXAMPLES + more)
        start = ['-e', goal] if goal else []
        self.run(self.fleng, '-trace', *start, source, status=status)
        return source[:-3] + '.paf'

    def report(self, trace, *options):
        return json.loads(self.run(self.paf, 'report', '--json', *options, trace))

    def tree(self, trace, *options, status=0):
        return self.run(self.paf, 'iotree', *options, trace, status=status)


# ---- the table -----------------------------------------------------------------------------------

def test_rows(tools):
    rows = [
        ('append([a,b],[c],Z)', '', 3, 3),
        ('nrev([1,2,3,4,5],R)', '', 21, 15),
        ('fib(10,R)', '', 441, 28),
        ('main(Z)', APPEND, 12, 9),
        ('main(C)', T1, 21, 16),
        ('main(C)', T2, 21, 11),
    ]
    profiles = {
        'append([a,b],[c],Z)': [1, 1, 1],
        'nrev([1,2,3,4,5],R)': [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 2, 2, 1, 1],
    }
    for goal, more, work, span in rows:
        report = tools.report(tools.trace(goal, more))
        what = goal + ' ' + more.strip()
        check(what, (report['work'], report['span']), (work, span))
        check(what + ' profile', (sum(report['profile']), len(report['profile'])), (work, span))
        check(what + ' parallelism', abs(report['parallelism'] - work / span) < 1e-3, True)
        if goal in profiles:
            check(what + ' profile', report['profile'], profiles[goal])
        check(what + ' critical path',
              sum(row['control'] + row['data'] for row in report['critical_path']), span)
        check(what + ' work of modules', sum(m['work'] for m in report['modules']), work)
    profile = tools.report(tools.trace('fib(10,R)'))['profile']
    check('peak of fib', (max(profile), profile[13], profile.count(54)), (54, 54, 1))


def test_results(tools):
    rows = [('append([a,b],[c],Z)', '', 'Z = [a,b,c]\n'),
            ('nrev([1,2,3,4,5],R)', '', 'R = [5,4,3,2,1]\n'), ('fib(10,R)', '', 'R = 55\n'),
            ('main(Z)', APPEND, 'Z = [1,2,3,x]\n'), ('main(C)', T1, 'C = [4,3,2,1]\n'),
            ('main(C)', T2, 'C = [4,3,2,1]\n')]
    source = os.path.join(tools.folder, 'results.fl')
    for goal, more, wanted in rows:
        with open(source, 'w') as file:
            file.write(EXAMPLES + more)
        for options in ([], ['-time=ideal'], ['-trace=results.paf']):
            got = tools.run(tools.fleng, *(options + ['-e', goal, source]))
            check(' '.join(options + [goal]), got, wanted)


def test_prices(tools):
    rows = [
        ('nrev([1,2,3,4,5],R)', '', {'append/3<-append/3': 7, 'append/3<-nrev/2': 14}),
        ('fib(10,R)', '', {'fib/2<-:=/2': 19, ':=/2<-:=/2': 20, ':=/2<-fib/2': 27}),
        ('main(Z)', APPEND, {'gen/3<-:=/2': 6, 'append/3<-gen/3': 8}),
        ('main(C)', T1, {'b/3<-a1/4': 11, 'a1/4<-gen/3': 12}),
    ]
    for goal, more, classes in rows:
        trace = tools.trace(goal, more)
        report = json.loads(tools.run(tools.paf, 'report', '--json', '--classes', trace))
        listed = {row['class']: row['span_without'] for row in report['classes']}
        for name, wanted in classes.items():
            got = json.loads(tools.run(tools.paf, 'whatif', '--json', '--without', name, trace))
            check('%s without %s' % (goal, name),
                  (list(got)[0], got['span'], got['span_without'], got['saving']),
                  ('format', report['span'], wanted, (report['span'] - wanted) / report['span']))
            check('%s, %s listed' % (goal, name), listed.get(name), wanted)
        for name, wanted in listed.items():
            got = json.loads(tools.run(tools.paf, 'whatif', '--json', '--without', name, trace))
            check('%s, %s as listed' % (goal, name), got['span_without'], wanted)


# ---- the trees -----------------------------------------------------------------------------------

def test_trees(tools):
    trace = tools.trace('main(Z)', APPEND)
    check('append/3', tools.tree(trace, '--of', 'append/3'), APPEND_TREE)
    check('append', tools.tree(trace, '--module', 'append'), APPEND_TREE)
    for name, main, time in (('t1', T1, 16), ('t2', T2, 11)):
        trace = tools.trace('main(C)', main)
        check(name, tools.tree(trace, '--of', name + '/3'), REVERSE_TREE % (name, time))
    check('nothing matches', tools.tree(trace, '--module', 'nobody', status=1), '')


def test_tree_json(tools):
    trace = tools.trace('main(Z)', APPEND)
    for options, module in ((['--of', 'append/3'], 'x'), (['--module', 'append'], 'append')):
        answer = json.loads(tools.tree(trace, '--json', *options))
        check('processes', len(answer['processes']), 1)
        process = answer['processes'][0]
        nodes = process.pop('nodes')
        check('process', process, {'module': module, 'goal': 'append(S,[x],Z)', 'created': 1,
                                   'members': 4, 'unused_inputs': 0})
        heads, ends = ['1', '2', '3'], ['S', 'S1', 'S2', 'S3']
        outs = ['Z', 'Z1', 'Z2', 'Z3']
        for i, node in enumerate(nodes):
            last = i == 3
            term = '[]' if last else '[%s|%s]' % (heads[i], ends[i + 1])
            made = '[x]' if last else '[%s|%s]' % (heads[i], outs[i + 1])
            check('node %d' % i, node, {
                'parent': i - 1 if i else None, 'join': False,
                'inputs': [{'variable': ends[i], 'term': term, 'time': 2 * i + 3,
                            'available': 2 * i + 2}],
                'outputs': [{'variable': outs[i], 'term': made, 'time': 2 * i + 3}],
                'clause': 'append/3:2' if last else 'append/3:1', 'line': 2 if last else 1})
        check('nodes', len(nodes), 4)
    for name, main, time in (('t1', T1, 16), ('t2', T2, 11)):
        process, = json.loads(tools.tree(tools.trace('main(C)', main), '--json', '--of',
                                         name + '/3'))['processes']
        node, = process['nodes']
        check(name + ' outputs', node['outputs'],
              [{'variable': 'C', 'term': '[4,3,2,1]', 'time': time}])
        check(name + ' inputs', [(i['variable'], i['time']) for i in node['inputs']],
              [('S', 3), ('S1', 5), ('S2', 7), ('S3', 9), ('S4', 11)])


def test_unneeded(tools):
    wanted = [{'clause': 'a1/4:2', 'line': 12, 'output': 'D', 'input': 'B', 'span_without': 11}]
    check('alias of t1', tools.report(tools.trace('main(C)', T1))['unneeded'], wanted)
    check('none in t2', tools.report(tools.trace('main(C)', T2))['unneeded'], [])
    later = 'later(N,X,T) :- N>0 | N1:=N-1, later(N1,X,T).\nlater(0,X,T) :- X=T.\n'
    trace = tools.trace('p(a,b,R)', later + 'p(X,Y,R) :- later(1,R,f(X,B)), later(0,R,f(A,Y)).\n')
    check('none inside of terms', tools.report(trace)['unneeded'], [])


WALK = """\
walk(N,T,K,R) :- N>0 | N1:=N-1, walk(N1,T,K,R).
walk(0,T,K,R) :- R=p(A,B), look(T,K,A), wrap(g(K),B).
look(f(_),K,A) :- A:=K+1.
wrap(g(K),B) :- B:=K*2.
"""


def test_arguments(tools):
    """An argument counts from the first member that looks at it, however far it was handed down."""
    trace = tools.trace('walk(3,f(a),7,R)', WALK)
    check('arguments', tools.tree(trace, '--of', 'walk/4'),
          'walk(3,f(a),7,R) created @0\n'
          '{[arg1=3 @1 (available 0)], [R=p(A,B) @7, B=14 @9]}\n'
          '  {[arg2=f(a) @8 (available 0), arg3=7 @9 (available 0)], [A=8 @9]}\n')
    trace = tools.trace('p(7,X), call(p(8),Y)', 'p(N,R) :- q(N,R).\nq(N,R) :- call(R := N*2).\n')
    check('called', tools.tree(trace, '--of', 'p/2'),
          'p(7,X) created @0\n{[], [X=14 @4]}\n\np(8,Y) created @1\n{[], [Y=16 @5]}\n')


def test_passed(tools):
    """`=` does not need what it passes on; who reads the variable needs that, too."""
    more = 'p(Y,Z,W) :- Z=Y, W=done.\nq(1,R) :- R=one.\n'
    for goal in ('Y=1, p(Y,Z,W), q(Z,R)', 'p(Y,Z,W), q(Z,R), Y=1', 'p(Y,Z,W), q(Z,R), Y:=3-2'):
        trace = tools.trace(goal, more)
        check('passes on: ' + goal, tools.tree(trace, '--of', 'p/3').split('\n')[1:],
              ['{[], [Z=1 @1, W=done @1]}', ''])
        process, = json.loads(tools.tree(trace, '--json', '--of', 'q/2'))['processes']
        check('reads both: ' + goal, [i['variable'] for i in process['nodes'][0]['inputs']], ['Y', 'Z'])


def test_merge(tools):
    """What a merge passes on is shown under the clause that called it."""
    trace = tools.trace('gen(1,2,A), desk(A,[],C)', 'desk(A,B,C) :-\n  merge([merge(A),merge(B)],C).\n')
    process, = json.loads(tools.tree(trace, '--json', '--of', 'desk/3'))['processes']
    check('caller of a merge', {(n['clause'], n['line']) for n in process['nodes']}, {('desk/3:1', 18)})
    trace = tools.trace('gen(1,2,A), merge([merge(A)],C), append(C,[],Z)')
    process, = json.loads(tools.tree(trace, '--json', '--module', 'main'))['processes']
    check('of -e', {n['clause'] for n in process['nodes']}, {'merge/2'})


def test_names(tools):
    """A variable whose name is taken gets the next free number greater than its own."""
    trace = tools.trace('p(3,L)', 'p(N,L) :- N>0 | L=[S5,S|S1], q(S,S5), N1:=N-1, p(N1,S1).\n'
                                  'p(0,L) :- L=[].\nq(_,_).\n')
    check('names', tools.tree(trace, '--of', 'p/2'),
          'p(3,L) created @0\n{[arg1=3 @1 (available 0)], [L=[S5,S|S1] @1, S1=[S6,S2|S3] @3, '
          'S3=[S7,S4|S8] @5, S8=[] @7]}\n')


# ---- other runs with known figures ---------------------------------------------------------------

def test_merge_order(tools):
    """The oldest goal of the last step is not the first to reduce where streams change places."""
    trace = tools.trace('main(_)', """
main(S) :- merge([merge(S),merge(S),3,merge(S)],R), only(R),
           merge([merge([5,5,4]),merge([3]),merge([1,0,5,1])],S).
only([]).
""", status=1)
    report = tools.report(trace)
    rows = {row['predicate']: (row['control'], row['data']) for row in report['critical_path']}
    check('critical path', rows, {'merge/2': (2, 1), 'main/1': (1, 0)})
    check('failed run', (report['work'], report['span'], report['suspended']), (12, 4, 8))


def test_beginning_fails(tools):
    report = tools.report(tools.trace('append(X,[],Y), 1 = 2', status=1))
    check('nothing was reduced', (report['work'], report['span'], report['suspended'],
                                  report['profile']), (0, 0, 1, []))


def test_repeated_variable(tools):
    """The body gets what the first occurrence in the text matched."""
    trace = tools.trace('A = 1, B = 1, p(f(A),B)', 'p(f(X),X) :- q(X).\nq(1).\n')
    text = tools.tree(trace, '--of', 'q/1')
    check('what was read', text, 'q(1) created @1\nneeded by no output: A=1 @2 (available 0)\n')


TERMS = r"""
- 1 | -1 | 1 - -1 | - a | -(-(a)) | -(-(1)) | a- -b | 1-(2-3) | 2*(3+4) | 2*3+4 | (a:b):c | a^b^c
(a^b)^c | f(:-) | [:-] | - | f(-) | \ (\ 1) | + 1 | (a,b) | f((a,b)) | (a;b) | (a->b;c) | (a:-b)
{(a:-b),c} | (:- a) | a=b | (a=b)=c | x:=1+2 | x=..y | a\=b | a@<b | a mod b | 1<<2 | a/\b | (\+ a)
(\+ (a,b)) | 'hello world' | 'it''s' | 'A' | [] | {} | '{}' | '{}'(x) | '.' | '\\' | 'a\nb' | "q\"s"
"" | '' | 'é' | é | "é€" | aB_9 | 'a b'(c) | +(a) | (mod) | [mod|mod] | 1.0 | 0.1 | -0.5 | 1.0e10
1.5e300 | 1.0e-10 | 123456789.125 | 1.0e15 | 1.0e16 | 2.5e-5 | 100000000000000000000 | - 1.0 | 1.0- 2.0
0'a | f(;) | ! | '|' | ',' | ','(a,b) | -(- 1) | (a-1)-b | -(a*b) | (-a)*b | (- 2)^2 | -a^2 | 1*(-1)
a= -1 | [-1|-2] | [a,b|c] | {a,[b],{}} | "a"+'B' | (a@b)@c | (*)=(*) | $ | # | '/*' | 'a%b' | (//)
X | f(X,Y,X) | [X|Y] | {X,_}
"""


def test_terms(tools):
    """Both commands write terms alike, and so that they read back."""
    terms = [term for line in TERMS.strip().split('\n') for term in line.split(' | ')]
    names = 'main(L,X,Y) :- L = [%s].\n'
    shown = None
    for text in (','.join(terms), None):
        source = os.path.join(tools.folder, 'terms.fl')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(names % (text or shown))
        got = tools.run(tools.fleng, '-trace=terms.paf', '-e', 'main(L,X,Y)', source)
        first = got.split('\n')[0].replace('_1', 'X').replace('_2', 'Y').replace('_3', '_')
        if shown is None:
            shown = first[len('L = ['):-1]
        check('read back', first, 'L = [%s]' % shown)
        process, = json.loads(tools.run(tools.paf, 'iotree', '--json', '--of', 'main/3',
                                        'terms.paf'))['processes']
        term = process['nodes'][0]['outputs'][0]['term']
        if term != '[%s]' % shown:
            for one, other in zip(term.split(','), ('[%s]' % shown).split(',')):
                check('a term in both commands', one, other)


# ---- the same bytes ------------------------------------------------------------------------------

def read(path):
    with open(path, 'rb') as file:
        return file.read()


def same_bytes(tools, kind, main, status):
    here = os.path.join(tools.folder, kind)
    there = os.path.join(tools.folder, kind, 'there', 'deep')
    os.makedirs(there)
    for folder in (here, there):
        with open(os.path.join(folder, 'same.fl'), 'w') as file:
            file.write(EXAMPLES + T1 + main)
    trace = os.path.join(here, 'same.paf')
    runs = {
        'first': (['-trace', 'same.fl'], here),
        'again': (['-trace', 'same.fl'], here),
        'after chdir': (['-trace=' + trace, kind + '/same.fl'], tools.folder),
        'elsewhere': (['-trace=' + trace, 'same.fl'], there),
        'full path': (['-trace=same.paf', os.path.join(there, 'same.fl')], here),
        'another name of the trace': (['-trace=other.paf', 'same.fl'], here),
    }
    first = None
    for what, (options, cwd) in runs.items():
        if os.path.exists(trace):
            os.unlink(trace)
        tools.run(tools.fleng, *options, cwd=cwd, status=status)
        other = os.path.join(here, 'other.paf')
        got = read(other if os.path.exists(other) else trace)
        first = first or got
        check('%s, the same bytes: %s' % (kind, what), got == first, True)
        check('%s, no path: %s' % (kind, what), tools.folder.encode() in got, False)
    shutil.copy(os.path.join(here, 'other.paf'), os.path.join(there, 'copy.paf'))
    check(kind + ', the same report', tools.run(tools.paf, 'report', '--json', 'copy.paf',
                                                cwd=there),
          tools.run(tools.paf, 'report', '--json', 'other.paf', cwd=here))


def test_bytes(tools):
    same_bytes(tools, 'normal', 'main :- main(C), fib(9,F), merge([merge(C),F],S), writeln(S), '
                                'random(3,[R]), writeln(R).\n', 0)
    same_bytes(tools, 'failure', 'main :- main(C), fib(9,F), gen(1,F,[0|S]), writeln(S).\n', 1)
    same_bytes(tools, 'deadlock', 'main :- main(C), append(X,C,Y), append(C,Y,_).\n', 3)
    same_bytes(tools, 'halted', 'main :- main(C), stop(C).\nstop([_|_]) :- halt(0).\n', 0)


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(sys.argv[1], sys.argv[2], folder)
        for name, test in sorted(globals().items()):
            if name.startswith('test_'):
                try:
                    test(tools)
                except Exception as fault:  # a test that dies is a failure, the others still run
                    counts['failed'] += 1
                    print('FAILED %s: %s: %s' % (name, type(fault).__name__, fault))
    print('%d passed, %d failed' % (counts['passed'], counts['failed']))
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
