#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library in Fleng: what it computes, against Python; what it costs in virtual time; and that
only programs that use it have it in their dumps, traces and partitions.

usage: library.py FLENG PAF
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile

WAYS = [['-j', '1'], ['-j', '2'], ['-time=ideal'], ['-seed', '3'], ['-j', '1', '-gc-stress', '211']]


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED: %s%s' % (what, '\n  ' + str(detail)[:2000] if detail else ''))


def run(command, folder, **rest):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False, **rest)


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        file.write(text)


# ---- What it computes ----------------------------------------------------------------------------

CHECK = """
% Is a map a balanced search tree with right sizes? Answer: its keys in order, or `bad`.
ordered([A,B|L], R) :- compare(O, A, B), ordered(O, [B|L], R).
ordered([_], R) :- R = true.
ordered([], R) :- R = true.
ordered(<, L, R) :- ordered(L, R).
otherwise.
ordered(_, _, R) :- R = false.
balanced(leaf, N, R) :- N = 0, R = true.
balanced(t(S,_,_,A,B), N, R) :- balanced(A, I, P), balanced(B, J, Q), sizes(I, J, S, P, Q, N, R).
sizes(I, J, S, true, true, N, R) :- S =:= I + J + 1, 3 * (I + 1) >= J + 1, 3 * (J + 1) >= I + 1 |
    N = S, R = true.
otherwise.
sizes(_, _, S, _, _, N, R) :- wait(S) | N = S, R = false.
sound(M, R) :- map_keys(M, L), ordered(L, A), balanced(M, _, B), both(A, B, R).
both(true, true, R) :- R = true.
otherwise.
both(_, _, R) :- R = false.
"""


def map_case(rng):
    """A program that changes two maps, and what it prints."""
    maps, goals = [{}, {}], ['map_empty(A0)', 'map_empty(B0)']
    names = ['A0', 'B0']
    for i in range(1, rng.randrange(4, 60)):
        which = rng.randrange(2)
        key, new = rng.randrange(25), '%s%d' % ('AB'[which], i)
        if rng.random() < 0.65:
            goals.append('map_put(%d, %d, %s, %s)' % (key, i, names[which], new))
            maps[which][key] = i
        else:
            goals.append('map_remove(%d, %s, %s)' % (key, names[which], new))
            maps[which].pop(key, None)
        names[which] = new
    rng.shuffle(goals)
    a, b = maps
    expected = []
    text = ['main :- %s' % ',\n    '.join(goals)]
    for name, result in (('map_union', {**b, **a}),
                         ('map_intersection', {k: v for k, v in a.items() if k in b}),
                         ('map_difference', {k: v for k, v in a.items() if k not in b})):
        text.append('%s(%s, %s, M%s), map_pairs(M%s, L%s), sound(M%s, S%s)'
                    % (name, *names, *[name] * 5))
        expected.append(('[%s]' % ','.join('%d-%d' % p for p in sorted(result.items())), 'true'))
    text.append('map_pairs(%s, LA), sound(%s, SA)' % (names[0], names[0]))
    expected.append(('[%s]' % ','.join('%d-%d' % p for p in sorted(a.items())), 'true'))
    text.append('print_lines([Lmap_union,Smap_union,Lmap_intersection,Smap_intersection,'
                'Lmap_difference,Smap_difference,LA,SA]).')
    return ',\n    '.join(text) + CHECK, ''.join(l + '\n' + s + '\n' for l, s in expected)


def sort_case(rng):
    items = [rng.choice([rng.randrange(-9, 9), float(rng.randrange(5)), rng.choice('abc'),
                         '"%s"' % rng.choice('abc'), 'f(%d)' % rng.randrange(3),
                         '[%d]' % rng.randrange(3), 'g(a,%d)' % rng.randrange(2), '{1}', '[]'])
             for _ in range(rng.randrange(40))]

    def key(x):
        if isinstance(x, (int, float)):
            return (0, x, isinstance(x, int) and -1 or 0)
        if x.startswith('"'):
            return (2, x)
        if x.isalpha() or x == '[]':
            return (1, x)
        arity = {'f': 1, '[': 2, 'g': 2, '{': 1}[x[0]]
        return (3, arity, {'f': 'f', '[': '.', 'g': 'g', '{': '{}'}[x[0]], x)

    def shown(xs):
        return '[%s]' % ','.join(str(x).strip('"') for x in xs)
    ordered = sorted(items, key=key)
    distinct = [x for i, x in enumerate(ordered) if i == 0 or key(x) != key(ordered[i - 1])]
    program = ('main :- X = [%s], msort(X, Y), sort(X, Z), length(X, N), reverse(X, R), '
               'reverse(R, RR), concat([X,[],X], C), length(C, NN), array_from_list(X, A), array_sort(A, B), '
               'array_items(B, V), print_lines([Y,Z,N,RR,NN,V]).\n'
               % ','.join(str(x) for x in items))
    return program, '%s\n%s\n%d\n%s\n%d\n%s\n' % (shown(ordered), shown(distinct), len(items),
                                                  shown(items), 2 * len(items),
                                                  shown(ordered))


def array_case(rng):
    n = rng.randrange(1, 30)
    values = [rng.randrange(100) for _ in range(n)]
    i = rng.randrange(n)
    k = rng.randrange(n - i + 1)
    changed = values[:i] + [-1] + values[i + 1:]
    program = """main :- array_from_list([%s], A), array_put(%d, -1, A, B), array_items(B, L),
    array_fold(compute(+), A, 0, S), array_slice(%d, %d, A, C), array_items(C, M),
    array_map(double, A, D), array_items(D, N), array_generate(double, %d, E), array_items(E, O),
    array_new(%d, x, F), array_items(F, P), print_lines([L,S,M,N,O,P]).
double(X, Y) :- Y := 2 * X.
""" % (','.join(map(str, values)), i, i, k, n, n)
    rows = [changed, sum(values), values[i:i + k], [2 * v for v in values],
            [2 * j for j in range(n)], ['x'] * n]
    return program, ''.join(str(r).replace(' ', '').replace("'", '') + '\n' for r in rows)


def stream_case(rng):
    items = [rng.randrange(50) for _ in range(rng.randrange(1, 40))]
    n = rng.randrange(1, 6)
    program = """main :- S = [%s], filter(even, S, E), partition(even, S, Y, N), chunks(%d, S, C),
    distribute(%d, S, Ds), distribute_by(rest(%d), %d, S, Rs), scan(compute(+), S, 0, Sc),
    merge_all(Ds, M1), msort(M1, O1), merge_tree(Rs, M2), msort(M2, O2),
    farm(double, %d, S, F), msort(F, O3), take(%d, S, T), drop(%d, S, U), append(T, U, V),
    last(Sc, Sum), foldl(compute(max), S, 0, Max),
    print_lines([E,Y,N,C,Ds,Rs,Sc,O1,O2,O3,V,Sum,Max]).
even(X, A) :- X mod 2 =:= 0 | A = true.
even(X, A) :- X mod 2 =\\= 0 | A = false.
rest(N, X, R) :- R := X mod N.
double(X, Y) :- Y := 2 * X.
""" % (','.join(map(str, items)), n, n, n, n, n, n, n)
    even = [x for x in items if x % 2 == 0]
    sums = [sum(items[:i + 1]) for i in range(len(items))]
    rows = [even, even, [x for x in items if x % 2],
            [items[i:i + n] for i in range(0, len(items), n)],
            [items[i::n] for i in range(n)],
            [[x for x in items if x % n == i] for i in range(n)],
            sums, sorted(items), sorted(items), sorted(2 * x for x in items), items,
            sums[-1], max(items)]
    return program, ''.join(str(r).replace(' ', '') + '\n' for r in rows)


def check_results(tally, fleng, folder):
    rng = random.Random(1)
    for kind in (map_case, sort_case, array_case, stream_case):
        for number in range(8):
            program, expected = kind(rng)
            write(folder, 'case.fl', program)
            for way in WAYS:
                done = run([fleng] + way + ['case.fl'], folder)
                tally.check('%s %d, %s' % (kind.__name__, number, ' '.join(way)),
                            done.returncode == 0 and done.stdout == expected,
                            '%s%s--- expected:\n%s--- program:\n%s'
                            % (done.stdout, done.stderr, expected, program))


# ---- What it costs -------------------------------------------------------------------------------

def figures(fleng, paf, folder, goal, program='p.\n'):
    write(folder, 'cost.fl', program)
    run([fleng, '-trace=cost.paf', '-e', goal, 'cost.fl'], folder)
    return json.loads(run([paf, 'report', '--json', 'cost.paf'], folder).stdout)


def check_costs(tally, fleng, paf, folder):
    double = 'double(X, Y) :- Y := 2 * X.\n'
    for n in (64, 1024):
        log = math.log2(n)
        report = figures(fleng, paf, folder, 'array_generate(double, %d, A)' % n, double)
        tally.check('array_generate of %d: span in the order of log N' % n,
                    report['span'] <= 2 * log + 6, report['span'])
        report = figures(fleng, paf, folder,
                         'array_generate(double, %d, A), array_fold(compute(+), A, 0, R)' % n,
                         double)
        tally.check('array_fold of %d: span in the order of log N' % n,
                    report['span'] <= 6 * log + 12, report['span'])
        items = '[%s]' % ','.join(str((7919 * i) % n) for i in range(n))
        report = figures(fleng, paf, folder, 'msort(%s, Y)' % items)
        tally.check('msort of %d: span in the order of N' % n, report['span'] <= 5 * n + 20 * log,
                    report['span'])
        tally.check('msort of %d: work in the order of N log N' % n,
                    report['work'] <= 3 * n * log + 4 * n, report['work'])
        report = figures(fleng, paf, folder, 'array_sort({%s}, Y)' % items[1:-1])
        tally.check('array_sort of %d: two reductions' % n,
                    report['span'] == report['work'] == 2, (report['span'], report['work']))
        put = figures(fleng, paf, folder, 'numlist(1, %d, L), zip(L, L, P), map_from_list(P, M)' % n)
        more = figures(fleng, paf, folder, 'numlist(1, %d, L), zip(L, L, P), map_from_list(P, M), '
                       'go(M, X)' % n,
                       'go(t(N,K,V,L,R), X) :- map_get(%d, t(N,K,V,L,R), X).\n' % n)
        tally.check('map_get of %d: in the order of log N' % n,
                    more['work'] - put['work'] <= 3 * 1.5 * log + 8,
                    more['work'] - put['work'])


# ---- What the checker says ------------------------------------------------------------------------

def check_sources(tally, fleng):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'fleng', 'library')
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.fl'):
            continue
        done = run([fleng, '-check', name], folder)
        found = [line for line in (done.stdout + done.stderr).splitlines() if ' warning: ' in line]
        found = [line for line in found if 'merge_two/3' not in line]     # timing decides, there
        tally.check('-check finds nothing in ' + name, not found, '\n'.join(found))


# ---- Who has it ----------------------------------------------------------------------------------

def check_unused(tally, fleng, paf, folder):
    write(folder, 'own.fl', 'main :- append([a], [b], Z), print(Z), nl.\n'
          'append([H|X], Y, Z) :- Z = [H|Z1], append(X, Y, Z1).\nappend([], Y, Z) :- Z = Y.\n')
    for kind in ('ast', 'ir', 'code'):
        done = run([fleng, '-dump=' + kind, 'own.fl'], folder)
        tally.check('-dump=%s of a program without the library' % kind,
                    'lists' not in done.stdout and 'append' in done.stdout, done.stdout)
    run([fleng, '-trace=own.paf', 'own.fl'], folder)
    info = json.loads(run([paf, 'info', '--json', 'own.paf'], folder).stdout)
    tally.check('its trace has one source', [s['name'] for s in info['sources']] == ['own.fl'],
                info['sources'])


def modules(report):
    return {m['name']: m['work'] for m in report['modules']}


def check_partition(tally, fleng, paf, folder):
    write(folder, 'uses.fl', 'main :- part(A), map(next, [1,2], B), other(A, B).\n'
          'part(A) :- append([a], [b], A).\nnext(X, Y) :- Y := X + 1.\nother([_|_], [_|_]).\n')
    run([fleng, '-trace=uses.paf', 'uses.fl'], folder)
    run([fleng, '-profile=uses.prof', 'uses.fl'], folder)
    trace = json.loads(run([paf, 'report', '--json', 'uses.paf'], folder).stdout)
    profile = json.loads(run([paf, 'report', '--json', 'uses.prof'], folder).stdout)
    # main 1, map 3, its calls 2, and next with `:=` 4: of main; part 1 and append 2
    expected = {'main': 10, 'part': 3, 'other': 1}
    tally.check('calls of the library belong to the process they occur in',
                modules(trace) == expected, modules(trace))
    tally.check('in a profile, too', modules(profile) == expected, modules(profile))
    named = json.loads(run([paf, 'report', '--json', '--partition',
                            'list=append/3 stream=streams:map/3', 'uses.paf'], folder).stdout)
    tally.check('a partition may name them',
                modules(named) == {'main': 3, 'list': 2, 'stream': 9}, modules(named))
    info = json.loads(run([paf, 'info', '--json', 'uses.paf'], folder).stdout)
    texts = sorted(s['name'] for s in info['sources'])
    tally.check('a trace has the sources of the library that it needs',
                texts == ['library/lists.fl', 'library/streams.fl', 'uses.fl'], texts)
    write(folder, 'two.fl', ':- module(two, [q/2]).\nq(X, Y) :- append(X, [c], Y).\n')
    write(folder, 'one.fl', ':- module(main, [main/0]).\n:- use_module(two).\n'
          'main :- append([a], [b], X), q(X, _).\n')
    run([fleng, '-trace=several.paf', 'one.fl'], folder)
    run([fleng, '-profile=several.prof', 'one.fl'], folder)
    trace = json.loads(run([paf, 'report', '--json', 'several.paf'], folder).stdout)
    profile = json.loads(run([paf, 'report', '--json', 'several.prof'], folder).stdout)
    expected = {'main': 3, 'two': 4}
    tally.check('with several modules the library is none of them', modules(trace) == expected,
                modules(trace))
    tally.check('nor in a profile', modules(profile) == expected, modules(profile))


def check_same_name(tally, fleng, paf, folder):
    """The program's predicates and modules of the library's names stay apart from those."""
    write(folder, 'lists.fl', ':- module(lists, [append/3, both/2]).\n'
          'append(X, _, Z) :- Z = X.\nboth(A, B) :- append([a], [b], A), concat([[a],[b]], B).\n')
    done = run([fleng, '-trace=same.paf', '-e', 'both(A, B)', 'lists.fl'], folder)
    tally.check('a module of the same name', done.stdout == 'A = [a]\nB = [a,b]\n',
                done.stdout + done.stderr)
    info = json.loads(run([paf, 'info', '--json', 'same.paf'], folder).stdout)
    names = sorted((p['module'], p['predicate']) for p in info['predicates'])
    tally.check('both are in the trace', ('lists', 'lists:append/3') in names and
                ('library/lists', 'library/lists:append/3') in names, names)
    report = json.loads(run([paf, 'report', '--json', '--partition', 'x=append/3', 'same.paf'],
                            folder).stdout)
    tally.check("a name in a partition means the program's own", modules(report)['x'] == 1,
                modules(report))


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:3]]
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        check_results(tally, fleng, folder)
        check_costs(tally, fleng, paf, folder)
        check_sources(tally, fleng)
        check_unused(tally, fleng, paf, folder)
        check_partition(tally, fleng, paf, folder)
        check_same_name(tally, fleng, paf, folder)
    print('%d passed, %d failed' % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == '__main__':
    sys.exit(main())
