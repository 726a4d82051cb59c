# SPDX-License-Identifier: MIT
"""The programs that are measured: what they are run with, and what they must answer."""

import os
from dataclasses import dataclass
from typing import Callable, Optional

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

    def size(self, scale):
        return max(1, int(self.n * scale))


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
    small: Optional[int] = None  # for --quick; None: a tenth

    swi = True
    erlang = False

    def answer(self, n):
        return self.result if n == self.n else None  # None: what it answers first

    def size(self, scale):
        return self.n if scale == 1 else self.small or self.n // 10

    @property
    def source(self):
        return os.path.join(PROGRAMS, 'usual', self.name + '.fl')

    @property
    def port(self):
        return os.path.join(HERE, 'swi', 'usual', self.name + '.pl')


USUAL = [
    Usual('matrices', 400, '158799496768', small=120),
    Usual('nbody', 4_000_000, '[71190,2000026964,928809,1999973035]'),
    Usual('words', 400_000, '160733706'),
    Usual('knapsack', 20_000, '10434'),
    Usual('lcs', 5000, '2500', small=1500),
    Usual('parser', 800_000, '289328840'),
    Usual('tree', 400_000, '400000'),
    Usual('events', 900_000, '992979'),
    Usual('mandelbrot', 700, '126470', small=200),
    Usual('big', 40_000, '704115', small=8000),
    Usual('meta', 3500, '105000'),
    Usual('pieces', 2_000_000, '14888896'),
    Usual('folds', 4_000_000, '866000000'),
    Usual('collatz', 300_000, '230631'),
    Usual('tak', 20, '12', small=15),
    Usual('msort', 800_000, '500607'),
    Usual('symbols', 400_000, '1999995'),
    Usual('vectors', 50_000_000, '2475000000'),
    Usual('dijkstra', 40_000, '40000-453258'),
    Usual('life', 1000, '96'),
    Usual('huffman', 120_000, '16344234935'),
    Usual('wrap', 1_000_000, '113304-6660713'),
    Usual('chain', 420, '13551368', small=120),
    Usual('unionfind', 700_000, '113430'),
    Usual('json', 120_000, '5786689-5786689'),
    Usual('factors', 7000, '20792'),
    Usual('permutations', 10, '625191', small=8),
    Usual('runs', 8_000_000, '3000231-8000000'),
]


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def sorted_numbers(n):
    """What shapes/msort.fl prints."""
    x, numbers, total = 12345, [], 0
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        numbers.append(x)
    for x in sorted(numbers):
        total = (total + x) % 65537
    return total


def loops(n):
    total = 0
    for a in range(1, 65):
        for k in range(n, 0, -1):
            a = (a * 31 + k) % 65537
        total += a
    return total


def product(n):
    """The sum of all elements of the product of the matrices of shapes/matrix.fl."""
    sums = lambda c: [sum((i * j + c) % 10 for j in range(1, n + 1)) for i in range(1, n + 1)]
    columns = [sum((i * j + 1) % 10 for i in range(1, n + 1)) for j in range(1, n + 1)]
    return sum(a * b for a, b in zip(columns, sums(7)))


def paid(n):
    return 500500 * n % 65537


@dataclass
class Shape:
    """One of bench/shapes. The wide ones are to be twice as fast with two workers."""
    name: str
    file: str
    n: int
    small: int
    answer: Callable[[int], int]
    swi: bool = False
    erlang: bool = False
    wide: bool = False

    @property
    def source(self):
        return os.path.join(HERE, 'shapes', self.file + '.fl')

    @property
    def port(self):
        return os.path.join(HERE, 'swi', self.file + '.pl')

    def size(self, scale):
        return self.n if scale == 1 else self.small


SHAPES = [
    Shape('merge sort', 'msort', 300_000, 30_000, sorted_numbers, swi=True, wide=True),
    Shape('fib(37)', 'fib_large', 37, 26, fibonacci, wide=True),
    Shape('queens 12', 'queens_all', 12, 8, lambda n: {8: 92, 12: 14200}[n], wide=True),
    Shape('64 loops', 'loops', 1_000_000, 50_000, loops, wide=True),
    Shape('matrices 300', 'matrix', 300, 60, product, wide=True),
    Shape('fold of a tree', 'tree_fold', 22, 17, lambda n: 2 ** n, wide=True),
    Shape('pipeline', 'pipeline', 6_000_000, 400_000, sum_to, erlang=True),
    Shape('ring', 'ring', 50_000, 2000, lambda _: 'done', erlang=True),
    Shape('bank', 'bank', 3000, 200, paid, erlang=True),
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

@dataclass
class Memory:
    """A program whose memory is measured, and the most that it may take (bytes)."""
    name: str
    file: str
    n: int
    answer: Callable[[int], int]
    goal: float

    @property
    def source(self):
        return os.path.join(HERE, self.file + '.fl')


STREAM_LENGTH = 10_000_000  # against a tenth of it
MEMORY = [
    Memory('stream', 'programs/stream', STREAM_LENGTH, sum_to, 12e6),
    Memory('short stream', 'programs/stream', STREAM_LENGTH // 10, sum_to, 12e6),
    Memory('10^6 waiting goals', 'programs/suspended', 1_000_000, lambda n: n, 120e6),
    Memory('merge sort', 'shapes/msort', 300_000, sorted_numbers, 40e6),
    Memory('10^7 deep, a sum', 'shapes/deep', 10_000_000, sum_to, 1.2e9),
    Memory('10^7 deep, a number', 'programs/deep/number', 10_000_000, lambda n: n, 1.2e9),
    Memory('10^7 deep, a goal', 'programs/deep/goal', 10_000_000, lambda n: n, 1.2e9),
    Memory('10^7 deep, a list', 'programs/deep/list', 10_000_000, lambda n: n, 1.2e9),
]
