#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A random graph in the DIMACS shortest-path format, the same for the same arguments.

usage: graph.py NODES ARCS SEED

Every node can be reached from node 1: a random tree is part of the graph. Weights are 1 to 1000.
"""

import heapq
import random
import sys


def arcs(nodes, count, seed):
    """A list of (from, to, weight)."""
    rng = random.Random(seed)
    ends = [(rng.randint(1, to - 1), to) for to in range(2, nodes + 1)]
    while len(ends) < count:
        ends.append((rng.randint(1, nodes), rng.randint(1, nodes)))
    rng.shuffle(ends)
    return [(a, b, rng.randint(1, 1000)) for a, b in ends]


def text(nodes, list_of_arcs):
    lines = ['p sp %d %d' % (nodes, len(list_of_arcs))]
    lines += ['a %d %d %d' % arc for arc in list_of_arcs]
    return '\n'.join(lines) + '\n'


def distances(list_of_arcs, source):
    """What the best way from the source to each node that can be reached costs."""
    leaving = {}
    for a, b, weight in list_of_arcs:
        leaving.setdefault(a, []).append((b, weight))
    best = {}
    queue = [(0, source)]
    while queue:
        cost, node = heapq.heappop(queue)
        if node in best:
            continue
        best[node] = cost
        for to, weight in leaving.get(node, []):
            if to not in best:
                heapq.heappush(queue, (cost + weight, to))
    return best


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    nodes, count, seed = map(int, sys.argv[1:])
    sys.stdout.write(text(nodes, arcs(nodes, count, seed)))


if __name__ == '__main__':
    main()
