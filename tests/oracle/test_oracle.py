#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the reference implementation against figures that are known: plain python, no runner."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from core import CompileError                                       # noqa: E402
from iotree import Analysis, iotree_json, parse_partition           # noqa: E402
from machine import Machine, Program                                # noqa: E402
from oracle import in_deep_thread, output_of, variable_label        # noqa: E402
from reader import Parser, SyntaxFault, Writer                      # noqa: E402
from report import report_json                                      # noqa: E402

EXAMPLES = """
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

counts = {'passed': 0, 'failed': 0}


def check(what, got, wanted):
    if got == wanted:
        counts['passed'] += 1
    else:
        counts['failed'] += 1
        print('FAILED %s\n   got    %r\n   wanted %r' % (what, got, wanted))


def run(text, goal=None, **options):
    machine = Machine(Program(text), goal, **options)
    machine.run()
    return machine


def report(text, goal=None, partition=None):
    machine = run(text, goal)
    modules = None if partition is None else parse_partition(partition)
    return report_json(machine, Analysis(machine, modules), 'x')


def tree_lines(text, goal, module, partition=None):
    machine = run(text, goal)
    modules = None if partition is None else parse_partition(partition)
    lines = []
    for process in iotree_json(Analysis(machine, modules), module)['processes']:
        lines.append('%s created @%d' % (process['goal'], process['created']))
        depth = {}
        for i, node in enumerate(process['nodes']):
            depth[i] = 0 if node['parent'] is None else depth[node['parent']] + 1
            inputs = ['%(variable)s=%(term)s @%(time)d (%(available)d)' % x
                      for x in node['inputs']]
            outputs = ['%(variable)s=%(term)s @%(time)d' % x for x in node['outputs']]
            lines.append('  ' * depth[i] + '{[%s], [%s]}%s' % (', '.join(inputs),
                                                              ', '.join(outputs),
                                                              ' join' if node['join'] else ''))
        if process['unused_inputs']:
            lines.append('unused %d' % process['unused_inputs'])
    return lines


def reduction(machine, pred, nth=0):
    return [r for r in machine.reductions() if r.pred == pred][nth]


def reads(machine, pred, nth=0):
    return sorted(variable_label(v) for v in reduction(machine, pred, nth).reads)


# ---- the table and the trees of the definitions --------------------------------------------------

def test_figures():
    table = [
        ('append([a,b],[c],Z)', 3, 3, [1, 1, 1]),
        ('nrev([1,2,3,4,5],R)', 21, 15, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 2, 2, 1, 1]),
        ('fib(10,R)', 441, 28, None),
    ]
    for goal, work, span, profile in table:
        got = report(EXAMPLES, goal)
        check(goal, (got['work'], got['span']), (work, span))
        if profile is not None:
            check(goal + ' profile', got['profile'], profile)
    profile = report(EXAMPLES, 'fib(10,R)')['profile']
    check('fib(10,R) peak', (max(profile), profile.index(54) + 1), (54, 14))
    rows = [('main(Z) :- gen(1,3,S), append(S,[x],Z).', 'main(Z)', 12, 9),
            ('main(C) :- gen(1,4,S), t1(S,[],C).', 'main(C)', 21, 16),
            ('main(C) :- gen(1,4,S), t2(S,[],C).', 'main(C)', 21, 11)]
    for main, goal, work, span in rows:
        got = report(EXAMPLES + main, goal)
        check(main, (got['work'], got['span']), (work, span))


def test_trees():
    check('append/3', tree_lines(EXAMPLES + 'main(Z) :- gen(1,3,S), append(S,[x],Z).', 'main(Z)',
                                 'append'),
          ['append(S,[x],Z) created @1',
           '{[S=[1|S1] @3 (2)], [Z=[1|Z1] @3]}',
           '  {[S1=[2|S2] @5 (4)], [Z1=[2|Z2] @5]}',
           '    {[S2=[3|S3] @7 (6)], [Z2=[3|Z3] @7]}',
           '      {[S3=[] @9 (8)], [Z3=[x] @9]}'])
    inputs = ('{[S=[1|S1] @3 (2), S1=[2|S2] @5 (4), S2=[3|S3] @7 (6), S3=[4|S4] @9 (8), '
              'S4=[] @11 (10)], [C=[4,3,2,1] @%d]}')
    for pred, time in (('t1', 16), ('t2', 11)):
        main = 'main(C) :- gen(1,4,S), %s(S,[],C).' % pred
        check(pred, tree_lines(EXAMPLES + main, 'main(C)', pred),
              ['%s(S,[],C) created @1' % pred, inputs % time])
    check('argument inputs', tree_lines(EXAMPLES, 'append([a],[c],Z)', 'append'),
          ['append([a],[c],Z) created @0',
           '{[arg1=[a] @1 (0)], [Z=[a|Z1] @1, Z1=[c] @2]}'])


def test_report():
    main = EXAMPLES + 'main(C) :- gen(1,4,S), t1(S,[],C).'
    got = report(main, 'main(C)')
    check('unneeded', got['unneeded'], [{'clause': 'a1/4#2', 'line': 13, 'output': 'D',
                                         'input': 'B', 'span_without': 11}])
    check('dependencies', got['dependencies'],
          [{'from': 'gen', 'to': 't1', 'count': 5, 'wait': 4, 'lag': 0}])
    check('modules', [m['name'] for m in got['modules']], ['main', 'gen', 't1'])
    check('no alias delay in t2', report(EXAMPLES + 'main(C) :- gen(1,4,S), t2(S,[],C).',
                                         'main(C)')['unneeded'], [])
    check('no alias delay in append', report(EXAMPLES, 'nrev([1,2,3],R)')['unneeded'], [])
    got = report(EXAMPLES, 'append(X,[],Z)')
    check('deadlock report', (got['work'], got['span'], got['suspended'], got['modules']),
          (0, 0, 1, [{'name': 'append', 'work': 0, 'first': 0, 'last': 0, 'peak': 0,
                      'waiting': 0, 'critical': 0, 'profile': []}]))


# ---- what a commit reads -------------------------------------------------------------------------

def test_commit_reads():
    machine = run('p(A) :- q(A), r(A). q(X) :- X > 0 | true. r(_).', 'X = 1, p(X)')
    check('guard read', reads(machine, 'q/1'), ['0:X.0'])
    check('no read', reads(machine, 'r/1'), [])
    check('time of -e', [r.t for r in machine.reductions()], [1, 2, 2])

    machine = run('p(f(_)).', 'X = Y, Y := 1 + 1, Z = f(Y), p(Z)')
    check('inner not read', reads(machine, 'p/1'), ['0:Z.2'])

    machine = run('eq(X,X).', 'A = f(B), C = A, eq(A, C)')
    check('chains that meet', reads(machine, 'eq/2'), ['0:A.0', '0:C.2'])
    machine = run('eq(X,X).', 'C = A, D = A, A := 1+2, eq(C, D)')
    check('meeting variable', reads(machine, 'eq/2'), ['0:C.0', '0:D.2'])
    check('its time', reduction(machine, 'eq/2').t, 1)
    machine = run('eq(X,X).', 'A = f(B), eq(A, f(B))')
    check('same inner variable', reads(machine, 'eq/2'), ['0:A.0'])
    machine = run('eq(X,X).', 'eq(B, B)')
    check('one variable twice', (reads(machine, 'eq/2'), machine.end), ([], 'normal'))

    text = "ne(X,Y) :- X \\= Y | true."
    machine = run(text, 'A = 1, B = 2, ne(f(A,B,C), f(1,3,D))')
    check('path to the difference', reads(machine, 'ne/2'), ['0:B.1'])
    machine = run(text, 'C := 1+1, B := 1+1, ne(f(C,B), f(3,3))')
    check('first difference', (reads(machine, 'ne/2'), reduction(machine, 'ne/2').t),
          (['0:C.0'], 2))

    text = 'p(a,_) :- true. p(_,b) :- true. otherwise. p(_,_).'
    machine = run(text, 'X = c, Y = d, p(X,Y)')
    check('otherwise reads', reads(machine, 'p/2'), ['0:X.0', '0:Y.1'])
    text = 'p(X,N) :- X > 3, N > 3 | true. otherwise. p(_,_).'
    machine = run(text, 'X = 2, N := 1+1, p(X,N)')
    check('failed guard', (reads(machine, 'p/2'), reduction(machine, 'p/2').t), (['0:X.0'], 1))
    machine = run(text, 'X = 4, N := 1+1, p(X,N)')
    check('second guard failed', (reads(machine, 'p/2'), reduction(machine, 'p/2').t),
          (['0:N.1', '0:X.0'], 2))
    check('otherwise waits', run(text, 'p(X,N)').end, 'deadlock')
    machine = run('p(X,X) :- true. otherwise. p(_,_).', 'A = f(1), B = f(2), p(A,B)')
    check('both occurrences', reads(machine, 'p/2'), ['0:A.0', '0:B.1'])
    check('mismatch beats wait', run('p(a,b).', 'p(X,c)').end, 'failure')


def test_alias_times():
    machine = run('p(X) :- q(X,Y), r(Y). q(X,Y) :- Y = X. r(Z) :- Z > 0 | true.',
                  'X := 1+1, p(X)')
    check('alias to a term', [(r.pred, r.t) for r in machine.reductions()],
          [(':=/2', 1), ('p/1', 1), ('q/2', 2), ('r/1', 3)])
    passer = reduction(machine, 'q/2')
    check('passed on', (passer.unify_reads, [variable_label(v) for v in passer.bindings[0].passed]),
          ([], ['0:X.0']))
    machine = run('w(X,Y) :- X = Y. r(Z) :- Z > 0 | true.', 'w(A,B), w(B,1), r(A)')
    check('seen in the same step', (reads(machine, 'r/1'), reduction(machine, 'r/1').t),
          (['0:A.0', '0:B.1'], 2))


def unified(text, goal):
    """What the `=` of q read, and what each of its bindings passed on."""
    passer = next(r for r in run(text, goal).reductions() if r.name == 'q')
    return ([variable_label(v) for v in passer.unify_reads],
            [[variable_label(v) for v in var.passed] for var in passer.bindings])


def test_unified():
    rows = [
        # who        goal                              read, passed on by binding
        ('Z = Y', 'Y = 1, q(Y,Z)', ([], [['0:Y.0']])),
        ('Z = Y', 'q(Y,Z), Y = 1', ([], [['0:Y.0']])),
        ('Y = Z', 'Y = 1, q(Y,Z)', ([], [['0:Y.0']])),
        ('Z = Y', 'Z = W, Y = 1, q(Y,Z)', (['0:Z.0'], [['0:Y.2']])),
        ('Z = Y', 'Z = W, q(Y,Z)', (['0:Z.0'], [[]])),
        ('Z = Y', 'Y = W, q(Y,Z)', ([], [['0:Y.0']])),
        ('Z = Y', 'Z = 1, Y = 1, q(Y,Z)', (['0:Z.0', '0:Y.1'], [])),
        ('Z = Y', 'Z = Y, Y = 1, q(Y,Z)', ([], [])),
        ('Z = Y', 'Y = W, Z = W, q(Y,Z)', ([], [])),
        ('Z = f(Y)', 'Y = 1, q(Y,Z)', ([], [[]])),
        ('Z = f(Y)', 'Y = 1, Z = f(A), A = B, q(Y,Z)', (['0:Z.1', '0:A.2'], [['0:Y.0']])),
        ('Z = Y, W = Z', 'Y = 1, q(Y,Z)', ([], [['0:Y.0'], ['0:Z.1']])),
    ]
    for body, goal, wanted in rows:
        check('%s after %s' % (body, goal), unified('q(Y,Z) :- %s.' % body, goal), wanted)


# ---- ends, builtins, syntax ----------------------------------------------------------------------

def test_ends():
    ends = [
        ('p(a).', 'p(a)', 'normal', 0), ('p(a).', 'p(b)', 'failure', 1),
        ('p(a).', 'p(X)', 'deadlock', 3), ('p(a).', 'halt(7)', 'halted', 7),
        ('p(a).', 'X = 1, X = 2', 'failure', 1), ('p(a).', 'X := a + 1', 'failure', 1),
        ('p(a).', 'X = foo, Y := X + 1', 'failure', 1), ('p(a).', 'X := 1 / 0', 'failure', 1),
        ('p(N) :- N > 1 | true. p(_).', 'p(a)', 'normal', 0),
    ]
    for text, goal, end, status in ends:
        machine = run(text, goal)
        check(goal, (machine.end, machine.exit_status), (end, status))
    for text in ('p :- q.', 'write(X) :- true.', 'p(X) :- X.q'):
        try:
            run(text, 'true')
            check(text, 'accepted', 'refused')
        except (CompileError, SyntaxFault):
            check(text, 'refused', 'refused')


def test_runs():
    machine = run(EXAMPLES, 'append([a,b],[c],Z)', costs={'append/3': 3})
    check('costs', [r.t for r in machine.reductions()], [3, 6, 9])
    machine = run('p(1).', 'X := 1 + 1, Y := X - 1, p(Y)', costs={':=/2': 2})
    check('costs of what is read', [(r.pred, r.t) for r in machine.reductions()],
          [(':=/2', 2), (':=/2', 4), ('p/1', 5)])
    machine = run(EXAMPLES, 'fib(6,_)', until=4)
    check('until', (machine.end, machine.reductions()[-1].t), ('stopped', 4))
    machine = run(EXAMPLES, 'fib(6,_)', max_reductions=7)
    check('limit', (machine.end, len(machine.reductions())), ('stopped', 7))
    for seed in range(5):
        machine = run(EXAMPLES, 'nrev([1,2,3],R)', shuffle=random.Random(seed))
        check('any order', (machine.end, machine.answers()), ('normal', ['R = [3,2,1]']))
    machine = run('p(X) :- q(X), X = 1, X = 2. q(_).', 'p(X)')
    check('what fails is no reduction', (len(machine.reductions()), len(machine.waiting()),
                                         machine.failed_goal.pred), (0, 1, 'p/1'))
    machine = run('p(a).', 'X = 1, p(X), X = 2')
    check('-e fails', (machine.end, len(machine.reductions()), len(machine.waiting())),
          ('failure', 0, 1))


def test_repeated_variables():
    ends = [('p(A,1,2)', 'failure'), ('p(A,1,1)', 'deadlock'), ('q(A,f(1),g(1))', 'failure'),
            ('q(A,1,1)', 'deadlock'), ('q(f(1),1,1)', 'normal')]
    for goal, end in ends:
        check(goal, run('p(X,X,X). q(f(X),X,X).', goal).end, end)
    machine = run('p(f(X),X) :- q(X). q(1).', 'A = 1, B = 1, p(f(A),B)')
    check('the first occurrence', reads(machine, 'q/1'), ['0:A.0'])


def test_guards():
    ends = [('p(_,1)', 'failure'), ('p(_,4)', 'normal'), ('p(_,_)', 'deadlock'),
            ('u(X,_), X := 1+1', 'failure'), ('u(_,1)', 'normal'), ('f(1+2)', 'failure'),
            ('g(1+2)', 'normal')]
    for goal, end in ends:
        check(goal, run('p(X,Y) :- (X > 1 ; true), Y > 3 | true. u(X,Y) :- unbound(X), wait(Y) | '
                        'true. f(X) :- _ := X*2. g(X) :- call(_ := X*2).', goal).end, end)


def test_builtins():
    answers = [
        ('X := 7 // -2', 'X = -3'), ('X := -7 mod 3', 'X = 2'), ('X := -7 rem 3', 'X = -1'),
        ('X := 7 / 2', 'X = 3'), ('X := 1.0 / 4', 'X = 0.25'), ('X := 2 ** 70', 'X = %d' % 2**70),
        ('X := max(3, 2) - abs(-4)', 'X = -1'), ("compute('*', 6, 7, X)", 'X = 42'),
        ('functor(f(a,b), X, 2)', 'X = f'), ('functor(X, f, 2)', 'X = f(_1,_2)'),
        ('arg(2, f(a,b), X)', 'X = b'), ('f(a) =.. X', 'X = [f,a]'), ('X =.. [g,1]', 'X = g(1)'),
        ('atom_string(X, "ab c")', "X = 'ab c'"), ('number_string(X, "12")', 'X = 12'),
        ('string_concat("a", "b", X)', 'X = "ab"'), ('split("a b", " ", X)', 'X = ["a","b"]'),
        ('string_codes("ab", X)', 'X = [97,98]'), ('string_length("abc", X)', 'X = 3'),
        ('new_vector(V, 2), set_vector_element(V, 0, _, a, W), X = W', None),
        ('call(f, X)', 'X = 1'), ('G = f(X), call(G)', None),
        ('merge([1,2], X)', 'X = [1,2]'), ('merge([merge([b]),a], X)', None),
    ]
    for goal, wanted in answers:
        machine = run('f(X) :- X = 1.', goal)
        got = output_of(machine).split('\n')
        if wanted is not None:
            check(goal, got[0], wanted)
        else:
            check(goal, machine.end, 'normal')
    machine = run('f(_).', 'new_vector(V, 2), set_vector_element(V, 1, A, x, W)')
    check('vectors', output_of(machine), 'V = {0,0}\nA = 0\nW = {0,x}\n')
    machine = run('p(X) :- write(f(X)), X := 1 + 1, writeln(b), nl.', 'p(X)')
    check('order of output', output_of(machine), 'b\n\nf(2)X = 2\n')
    machine = run('f(_).', 'merge([a,merge([x,y]),b,c], Out)')
    check('merge', output_of(machine), 'Out = [a,b,x,c,y]\n')
    check('merge does not wait for items', output_of(run('f(_).', 'merge([X,1],Y)')),
          'X = _1\nY = [_1,1]\n')


def test_syntax():
    texts = ['1-(2-3)', '1-2-3', '-(1)', '- a', '[a,b|T]', '{a,"s"}', "'A b'",
             '(a,b)', 'f((a,b))', 'X mod 2', '1 - -1', 'f(:-)', '2*(3+4)', 'm:p(1)']
    wanted = ['1-(2-3)', '1-2-3', '- 1', '-a', '[a,b|T]', '{a,"s"}', "'A b'",
              'a,b', 'f((a,b))', 'X mod 2', '1- -1', 'f(:-)', '2*(3+4)', 'm:p(1)']
    writer = Writer(True, lambda term: term, lambda var: var.key)
    for text, shown in zip(texts, wanted):
        check(text, writer.write(Parser(text + '.').read_goal()), shown)
    check("0'c", Parser("0'c").read_goal(), 99)
    check('comment', run('/* a */ p(a). % b\n', 'p(a)').end, 'normal')


def main():
    for name, test in sorted(globals().items()):
        if name.startswith('test_'):
            try:
                test()
            except Exception as fault:      # a test that dies is a failure, the others still run
                counts['failed'] += 1
                print('FAILED %s: %s: %s' % (name, type(fault).__name__, fault))


if __name__ == '__main__':
    in_deep_thread(main)
    print('%d passed, %d failed' % (counts['passed'], counts['failed']))
    sys.exit(1 if counts['failed'] else 0)
