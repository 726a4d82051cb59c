# SPDX-License-Identifier: MIT
"""The programs that are measured: what they are run with, and what they must answer."""

import os
from dataclasses import dataclass
from typing import Callable

import graph

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PROGRAMS = os.path.join(HERE, 'programs')


@dataclass
class Program:
    """One of the ten. Its one argument N is how often it does its work, or how much of it there is;
    the number of reductions is a + b N."""
    name: str
    n: int                         # plain runs, and those of the peers
    stamped: int                   # runs of the ideal machine, traced or not
    answer: Callable[[int], int]
    swi: bool = False
    erlang: bool = False

    @property
    def source(self):
        return os.path.join(PROGRAMS, self.name + '.fl')


def cheapest_way(columns):
    """What path.fl looks for, row after row."""
    above = [0] + [10**9] * (columns - 1)
    for i in range(1, 201):
        left = 10**9
        for j in range(columns):
            left = min(above[j], left) + (i * (j + 1) + 1) % 11
            above[j] = left
    return left


def sum_to(n):
    return n * (n + 1) // 2


TEN = [
    Program('nrev', 500, 20, lambda n: 500 * n, swi=True),
    Program('primes', 100, 8, lambda n: 669 * n, swi=True, erlang=True),
    Program('fib', 60, 4, lambda n: 75025 * n, swi=True),
    Program('queens', 400, 24, lambda n: 92 * n, swi=True),
    Program('qsort', 800, 64, lambda n: 2000 * n, swi=True),
    Program('stream', 20_000_000, 400_000, sum_to, erlang=True),
    Program('bounded', 10_000_000, 400_000, sum_to, erlang=True),
    Program('merge', 1_000_000, 60_000, lambda n: 8 * sum_to(n), erlang=True),
    Program('hanoi', 200, 8, lambda n: 65535 * n, swi=True),
    Program('path', 60_000, 10_000, cheapest_way, swi=True, erlang=True),
]


@dataclass
class Usual:
    """A program of a usual kind with a straight port for SWI-Prolog; both must answer the same."""
    name: str
    n: int
    result: str

    swi = True
    erlang = False

    def answer(self, _):
        return self.result

    @property
    def source(self):
        return os.path.join(PROGRAMS, 'usual', self.name + '.fl')

    @property
    def port(self):
        return os.path.join(HERE, 'swi', 'usual', self.name + '.pl')


USUAL = [
    Usual('matrices', 400, '158799496768'),
    Usual('nbody', 4_000_000, '[71190,2000026964,928809,1999973035]'),
    Usual('words', 400_000, '160733706'),
    Usual('knapsack', 20_000, '10434'),
    Usual('lcs', 5000, '2500'),
    Usual('parser', 800_000, '289328840'),
    Usual('tree', 400_000, '400000'),
    Usual('events', 900_000, '992979'),
    Usual('mandelbrot', 700, '126470'),
    Usual('big', 40_000, '704115'),
    Usual('meta', 3500, '105000'),
    Usual('pieces', 2_000_000, '14888896'),
    Usual('folds', 4_000_000, '866000000'),
    Usual('collatz', 300_000, '230631'),
    Usual('tak', 20, '12'),
    Usual('msort', 800_000, '500607'),
    Usual('symbols', 400_000, '1999995'),
    Usual('vectors', 50_000_000, '2475000000'),
    Usual('dijkstra', 40_000, '40000-453258'),
    Usual('life', 1000, '96'),
    Usual('huffman', 120_000, '16344234935'),
    Usual('wrap', 1_000_000, '113304-6660713'),
    Usual('chain', 420, '13551368'),
    Usual('unionfind', 700_000, '113430'),
    Usual('json', 120_000, '5786689-5786689'),
    Usual('factors', 7000, '20792'),
    Usual('permutations', 10, '625191'),
    Usual('runs', 8_000_000, '3000231-8000000'),
]


@dataclass
class BestPath:
    """apps/bestpath. How many reductions there are depends on the schedule."""
    name: str
    file: str
    nodes: int = 2000
    arcs: int = 8000

    @property
    def source(self):
        return os.path.join(ROOT, 'apps', 'bestpath', self.file)

    def write_graph(self, path):
        """Writes the graph; gives what the program must answer, told to sum up."""
        arcs = graph.arcs(self.nodes, self.arcs, 1)
        with open(path, 'w', encoding='ascii') as out:
            out.write(graph.text(self.nodes, arcs))
        best = graph.distances(arcs, 1)
        return '%d %d' % (len(best), sum(best.values()))


BEST_PATHS = [BestPath('bestpath A', 'a.fl'), BestPath('bestpath B', 'b.fl')]

STREAM_LENGTH = 10_000_000  # of the memory measurement, against a tenth of it
SUSPENDED = 1_000_000
