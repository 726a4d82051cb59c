#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An alias made early or late: the IO-Trees are the same, but for their times.

usage: test_aliases.py FLENG PAF FIRST[-LAST]

From each seed a network of processes is made, whose variables are aliases of others, through any number of
aliases. The same network runs several times, with other delays before each alias is made; both
implementations give the trees. What makes an alias, or waits to do so, belongs to the process main. Streams
are taken by one process only, so that nothing depends on which of two comes first.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

from iotree import Analysis, iotree_json
from machine import Machine, Program
from oracle import in_deep_thread

PROGRAM = """\
alias(N,Z,Y) :- N > 0 | N1 := N-1, alias(N1,Z,Y).
alias(0,Z,Y) :- Z = Y.
gen(N,M,S) :- N =< M | S = [N|S1], N1 := N+1, gen(N1,M,S1).
gen(N,M,S) :- N > M | S = [].
map([X|S],K,R) :- Y := X*K, R = [Y|R1], map(S,K,R1).
map([],_,R) :- R = [].
copy([X|S],R) :- R = [X|R1], copy(S,R1).
copy([],R) :- R = [].
renew([X|S],R) :- R = [Y|R1], Y = X, renew(S,R1).
renew([],R) :- R = [].
rev(A,C) :- r(A,[],C).
r([X|A],B,C) :- r(A,[X|B],C).
r([],B,C) :- C = B.
join([X|A],B,C) :- C = [X|C1], join(A,B,C1).
join([],B,C) :- C = B.
sum([X|S],A,R) :- B := A+X, sum(S,B,R).
sum([],A,R) :- R = A.
most([X|S],M,R) :- X > M | most(S,X,R).
most([X|S],M,R) :- X =< M | most(S,M,R).
most([],M,R) :- R = M.
pair(X,Y,R) :- R = p(X,Y).
first(p(X,_),R) :- R = X.
"""
ENTRIES = ['gen/3', 'map/3', 'copy/2', 'renew/2', 'rev/2', 'join/3', 'sum/3', 'most/3', 'pair/3', 'first/2']
PARTITION = ' '.join('%s=%s' % (entry.split('/')[0], entry) for entry in ENTRIES)


class Network:
    def __init__(self, rng):
        self.rng = rng
        self.goals = []             # texts, with a number for each delay
        self.streams, self.numbers, self.pairs = [], [], []
        self.naliases = self.n = 0
        self.add(self.streams, 'gen(1,%d,{})' % rng.randint(0, 5))
        for _ in range(rng.randint(3, 8)):
            self.step()

    def variable(self):
        self.n += 1
        return 'V%d' % self.n

    def add(self, kind, text):
        var = self.variable()
        self.goals.append(text.replace('{}', var))
        kind.append(var)
        for _ in range(self.rng.choice([0, 1, 1, 2, 3])):   # only the last alias is used
            other = self.variable()
            self.goals.append('alias(@%d@,%s,%s)' % (self.naliases, other, kind[-1]))
            self.naliases += 1
            kind[-1] = other

    def take(self, kind):
        return kind.pop(self.rng.randrange(len(kind)))

    def step(self):
        rng, kinds = self.rng, ['gen']
        if self.streams:
            kinds += ['map', 'copy', 'renew', 'rev', 'sum', 'most']
        if len(self.streams) > 1:
            kinds += ['join']
        if self.numbers:
            kinds += ['pair']
        if self.pairs:
            kinds += ['first']
        kind = rng.choice(kinds)
        if kind == 'gen':
            self.add(self.streams, 'gen(1,%d,{})' % rng.randint(0, 4))
        elif kind == 'map':
            self.add(self.streams, 'map(%s,%d,{})' % (self.take(self.streams), rng.randint(2, 9)))
        elif kind in ('copy', 'renew', 'rev'):
            self.add(self.streams, '%s(%s,{})' % (kind, self.take(self.streams)))
        elif kind in ('sum', 'most'):
            self.add(self.numbers, '%s(%s,0,{})' % (kind, self.take(self.streams)))
        elif kind == 'join':
            self.add(self.streams, 'join(%s,%s,{})' % (self.take(self.streams), self.take(self.streams)))
        elif kind == 'pair':
            self.add(self.pairs, 'pair(%s,%s,{})' % (self.take(self.numbers), rng.choice(['1', 'x'])))
        else:
            self.add(self.numbers, 'first(%s,{})' % self.take(self.pairs))

    def goal(self, delays):
        text = ', '.join(self.goals)
        for i, delay in enumerate(delays):
            text = text.replace('@%d@' % i, str(delay))
        return text


def names(rows):
    """Of the variables of the network; how many of others: those are numbered by age."""
    return sorted(row['variable'] if row['variable'][0] in 'Va' else row['variable'].rstrip('0123456789')
                  for row in rows)


def timeless(answer):
    """Of each process but main its nodes: what is above each, what each adds, what it makes."""
    found = []
    for process in answer['processes']:
        if process['module'] == 'main':
            continue
        nodes = []
        for node in process['nodes']:
            above = [] if node['parent'] is None else nodes[node['parent']][0]
            nodes.append((sorted(above + names(node['inputs'])), names(node['outputs'])))
        found.append((process['module'], process['goal'].split('(')[0], process['unused_inputs'],
                      sorted(nodes)))
    return found


def by_reference(goal):
    machine = Machine(Program(PROGRAM), goal)
    machine.run()
    partition = [(word.split('=')[0], word.split('=')[1].split(',')) for word in PARTITION.split()]
    return timeless(iotree_json(Analysis(machine, partition)))


def by_paf(fleng, paf, folder, goal, options):
    source, trace = os.path.join(folder, 'a.fl'), os.path.join(folder, 'a.paf')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(PROGRAM)
    subprocess.run([fleng, '-trace=' + trace, *options, '-e', goal, source], check=True,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([paf, 'iotree', '--json', '--partition', PARTITION, trace], check=True,
                          stdout=subprocess.PIPE)
    return timeless(json.loads(done.stdout))


def check_seed(seed, fleng, paf, folder):
    rng = random.Random(seed)
    network = Network(rng)
    results = {}
    for delays in ([0] * network.naliases, [30] * network.naliases,
                   [rng.randint(0, 12) for _ in range(network.naliases)]):
        goal = network.goal(delays)
        results['reference, ' + goal] = by_reference(goal)
        results['paf, ' + goal] = by_paf(fleng, paf, folder, goal, [])
    results['real run, ' + goal] = by_paf(fleng, paf, folder, goal, ['-time=real', '-j', '2', '-seed', '1'])
    first = next(iter(results.values()))
    for what, trees in results.items():
        if trees != first:
            print('seed %d: other trees: %s' % (seed, what))
            for one, other in zip(first, trees):
                if one != other:
                    print('   %r\n   %r' % (one, other))
            return False
    return True


def main():
    fleng, paf, seeds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    first, _, last = seeds.partition('-')
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            wrong += not check_seed(seed, fleng, paf, folder)
    print('%d networks, %d with other trees' % (int(last or first) + 1 - int(first), wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    status = []
    in_deep_thread(lambda: status.append(main()))
    sys.exit(status[0] if status else 1)
