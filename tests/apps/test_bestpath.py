#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Best path, all four algorithms, against a plain Dijkstra.

usage: test_bestpath.py [--graphs N] [--seed N] [--all-ways] [--no-figures] FLENG PAF
       test_bestpath.py --flights [--all-ways] FLENG PAF
       test_bestpath.py --seeds FIRST-LAST FLENG PAF

Random graphs in every way there is to run them, bad input, and what Paf finds in them; or, where the flights graph lies
beside the checkout, its figures (exit status 77, which means skipped, where it does not). Ways go by turns, with
--all-ways each input is run in each of them. --no-figures leaves out the larger graph and what Paf finds in it.
"""

import argparse
import heapq
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
APPS = os.path.join(ROOT, 'apps', 'bestpath')
FLIGHTS = os.environ.get('FLENG_FLIGHTS') or os.path.join(os.path.dirname(ROOT), 'shared', 'data',
                                                          'flights.gr')
SKIPPED = 77
PROGRAMS = ['a.fl', 'b.fl', 'c.fl', 'd.fl']
WAYS = {
    'plain': ['-j', '1'],
    'workers-2': ['-j', '2'],
    'workers-5': ['-j', '5'],
    'ideal': ['-time=ideal'],
    'traced': ['-trace=out.paf'],
    'plain, GC stress': ['-j', '1', '-gc-stress', '37'],
    'workers-2, GC stress': ['-j', '2', '-gc-stress', '37'],
    'ideal, GC stress': ['-time=ideal', '-gc-stress', '37'],
    'traced, GC stress': ['-trace=out.paf', '-gc-stress', '53'],
}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED: %s%s' % (what, '\n  ' + detail if detail else ''))

    def equal(self, what, found, expected):
        self.check(what, found == expected, 'found    %r\n  expected %r' % (found, expected))


class Graph:
    def __init__(self, nodes, arcs):
        self.nodes = nodes
        self.arcs = arcs

    def text(self, rng):
        """As a file, with comments, blank lines and blanks where the format allows them."""
        lines = ['c a random graph', '', 'p sp %d %d' % (self.nodes, len(self.arcs))]
        for arc in self.arcs:
            if rng.random() < 0.1:
                lines.append(rng.choice(['c', '', 'c a 1 1 0', '  ']))
            gap = rng.choice([' ', ' ', '  ', '\t'])
            lines.append('a' + ''.join(gap + str(n) for n in arc) + rng.choice(['', '', ' ', '\r']))
        return '\n'.join(lines) + rng.choice(['\n', ''])

    def costs(self, source):
        """Plain Dijkstra: {node: cost}."""
        outs = {}
        for u, v, w in self.arcs:
            outs.setdefault(u, []).append((v, w))
        costs = {}
        heap = [(0, source)]
        while heap:
            cost, node = heapq.heappop(heap)
            if node in costs:
                continue
            costs[node] = cost
            for to, weight in outs.get(node, []):
                if to not in costs:
                    heapq.heappush(heap, (cost + weight, to))
        return costs

    def way_cost(self, way):
        """The least that a way through these nodes costs; None if an arc is missing."""
        total = 0
        for u, v in zip(way, way[1:]):
            weights = [w for a, b, w in self.arcs if (a, b) == (u, v)]
            if not weights:
                return None
            total += min(weights)
        return total


def random_graph(rng):
    nodes = rng.choice([1, 2, 3, 5, 8, 13, 21])
    count = rng.choice([0, nodes // 2, nodes, 2 * nodes, 4 * nodes])
    heaviest = rng.choice([0, 1, 9, 1000, 10**20])
    arcs = [(rng.randint(1, nodes), rng.randint(1, nodes), rng.randint(0, heaviest))
            for _ in range(count)]
    arcs += rng.sample(arcs, len(arcs) // 5)                    # parallel arcs
    arcs += [(u, v, w + 1) for u, v, w in rng.sample(arcs, len(arcs) // 5)]
    if rng.random() < 0.3:
        arcs.append((nodes, nodes, 0))                          # a loop
    return Graph(nodes, arcs)


class Tester:
    def __init__(self, fleng, paf, folder, all_ways):
        self.fleng = fleng
        self.paf = paf
        self.folder = folder
        self.all_ways, self.turn = all_ways, 0
        self.tally = Tally()

    def ways(self, *names):
        """The options of each of these ways, or of the next of them."""
        self.turn += 1
        chosen = names if self.all_ways else [names[self.turn % len(names)]]
        return [WAYS[name] for name in chosen]

    def run(self, program, options, arguments, timeout=600, cwd=None):
        command = [self.fleng] + options + [os.path.join(APPS, program)]
        return subprocess.run(command + (['--'] + arguments if arguments else []),
                              cwd=cwd or self.folder, timeout=timeout, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8', newline='') as out:
            out.write(text)
        return path

    # ---- right answers ---------------------------------------------------------------------------

    def clean(self, what, done):
        self.tally.check(what + ': ends well', done.returncode == 0 and not done.stderr,
                         'status %d, %s' % (done.returncode, done.stderr[:2000]))

    def one_graph(self, what, graph, source, target, path, program, options):
        costs = graph.costs(source)
        done = self.run(program, options, [path, str(source)])
        self.clean(what, done)
        self.tally.equal(what + ': costs', done.stdout,
                         ''.join('%d %d\n' % item for item in sorted(costs.items())))
        done = self.run(program, options, [path, str(source), 'sum'])
        self.clean(what + ', sum', done)
        self.tally.equal(what + ': sum', done.stdout,
                         '%d %d\n' % (len(costs), sum(costs.values())))
        done = self.run(program, options, [path, str(source), 'route', str(target)])
        if target in costs:
            self.clean(what + ', route', done)
            self.route(what + ': route', done.stdout, graph, source, target, costs)
        else:
            self.refused(what + ': no route', done, 1, r'^bestpath: node %d cannot be reached '
                         r'from node %d$' % (target, source))

    def route(self, what, text, graph, source, target, costs):
        try:
            first, last = text.splitlines()
            way, cost = [int(word) for word in first.split(' ')], int(last)
        except ValueError:
            self.tally.check(what, False, repr(text))
            return
        self.tally.equal(what + ' ends', (way[0], way[-1]), (source, target))
        self.tally.equal(what + ' cost', (cost, graph.way_cost(way)),
                         (costs[target], costs[target]))

    def random_graphs(self, count, seed):
        ways = list(WAYS.items())
        for i in range(count):
            rng = random.Random(seed * 1000003 + i)
            graph = random_graph(rng)
            source, target = rng.randint(1, graph.nodes), rng.randint(1, graph.nodes)
            path = self.file('random%d.gr' % i, graph.text(rng))
            for j, program in enumerate(PROGRAMS):
                way, options = ways[(i + j) % len(ways)]
                what = '%s, %s, seed %d, graph %d' % (program, way, seed, i)
                self.one_graph(what, graph, source, target, path, program, options)

    def checked(self):
        """-check has nothing to say of the example."""
        for program in PROGRAMS + ['graph.fl', 'answer.fl']:
            done = self.run(program, ['-check'], [])
            self.clean('-check ' + program, done)

    def shipped(self):
        """The example as it comes: no arguments, seen from the root of the checkout."""
        expected = None
        for program in PROGRAMS:
            for way, options in WAYS.items():
                options = [o.replace('out.paf', os.path.join(self.folder, 'out.paf'))
                           for o in options]
                done = self.run(program, options, [], cwd=ROOT)
                what = '%s, %s, as shipped' % (program, way)
                self.clean(what, done)
                expected = expected or done.stdout
                self.tally.equal(what, done.stdout, expected)
        self.tally.check('as shipped: every node is reached',
                         expected.startswith('1 0\n') and expected.count('\n') >= 8, expected)

    def seeded(self, first, last):
        """The example as it comes under every one of these seeds, the first of them twice."""
        expected = self.run(PROGRAMS[0], WAYS['plain'], [], cwd=ROOT).stdout
        for program in PROGRAMS:
            for seed in [first] + list(range(first, last + 1)):
                options = ['-seed', str(seed), '-j', str(seed % 4 + 1)]
                done = self.run(program, options, [], cwd=ROOT)
                what = 'fleng %s apps/bestpath/%s' % (' '.join(options), program)
                self.clean(what, done)
                self.tally.equal(what, done.stdout, expected)

    # ---- bad input -------------------------------------------------------------------------------

    def refused(self, what, done, status, pattern):
        self.tally.check(what, done.returncode == status and done.stdout == '' and
                         re.search(pattern, done.stderr.strip(), re.M),
                         'status %d for %d, %r for %r, output %r' % (
                             done.returncode, status, done.stderr, pattern, done.stdout))

    def bad_file(self, text, status, reason):
        path = self.file('bad.gr', text)
        for i, program in enumerate(PROGRAMS):
            for options in self.ways('plain', 'workers-2', 'ideal'):
                done = self.run(program, options, [path, '1'])
                self.refused('%s: %r' % (program, text), done, status,
                             '^' + re.escape(path) + reason + '$')

    def bad_files(self):
        self.bad_file('', 1, ':1: the file ends before a problem line, .*')
        self.bad_file('c only\nc comments\n', 1, ':3: the file ends before a problem line, .*')
        self.bad_file('c\na 1 2 3\n', 1, ':2: the problem line comes first: .*')
        self.bad_file('p max 2 1\n', 1, ':1: the problem line comes first: .*')
        self.bad_file('p sp two 1\n', 1, ':1: two numbers are expected: .*')
        self.bad_file('p sp 2\n', 1, ':1: two numbers are expected: .*')
        self.bad_file('p sp 2 1\na 1 2\n', 1, ':2: three natural numbers are expected: .*')
        self.bad_file('p sp 2 1\na 1 2 3 4\n', 1, ':2: three natural numbers are expected: .*')
        self.bad_file('p sp 2 1\na 1 2 -3\n', 1, ':2: three natural numbers are expected: .*')
        self.bad_file('p sp 2 1\na 1 2 3.5\n', 1, ':2: three natural numbers are expected: .*')
        self.bad_file('p sp 2 1\na 1 two 3\n', 1, ':2: three natural numbers are expected: .*')
        self.bad_file('p sp 2 2\na 1 2 3\na 1 3 3\n', 1, ':3: no such node: they are 1 to 2')
        self.bad_file('p sp 2 1\na 0 2 3\n', 1, ':2: no such node: they are 1 to 2')
        self.bad_file('p sp 2 2\na 1 2 3\n\nhello\na x\n', 1, ':4: an arc .* is expected')
        self.bad_file('p sp 2 1\np sp 2 1\n', 1, ':2: an arc .* is expected')
        self.bad_file('p sp 2 1\n\u00e9\n', 1, ':2: an arc .* is expected')
        self.bad_file('p sp 2 2\na 1 2 3\n', 1, ':1: 2 arcs are announced, but 1 follow')

    def bad_arguments(self):
        path = self.file('good.gr', 'p sp 2 1\na 1 2 3\n')
        missing = os.path.join(self.folder, 'missing.gr')
        usage = '^bestpath: the arguments are GRAPH SOURCE '
        for program in PROGRAMS:
            self.turn += 1
            for arguments, status, pattern in (
                    ([missing, '1'], 1, '^%s: No such file' % re.escape(missing)),
                    ([self.folder, '1'], 1, '^%s: Is a directory' % re.escape(self.folder)),
                    ([path], 2, usage), ([path, '1', 'all'], 2, usage),
                    ([path, '1', 'route'], 2, usage), ([path, '1', 'sum', 'x'], 2, usage),
                    ([path, '3'], 2, 'there is no node 3: the nodes are 1 to 2'),
                    ([path, '0'], 2, 'there is no node 0: the nodes are 1 to 2'),
                    ([path, 'one'], 2, 'there is no node one: '),
                    ([path, '1 2'], 2, 'there is no node 1 2: '),
                    ([path, '1', 'route', 'x'], 2, 'there is no node x: '),
                    ([path, '2', 'route', '1'], 1, 'node 1 cannot be reached from node 2')):
                for options in self.ways('plain', 'workers-5', 'ideal', 'traced'):
                    done = self.run(program, options, arguments)
                    self.refused('%s %s' % (program, arguments[1:]), done, status, pattern)

    # ---- what Paf finds --------------------------------------------------------------------------

    def asked(self, *arguments):
        done = subprocess.run([self.paf] + list(arguments), cwd=self.folder, timeout=600, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.clean('paf ' + ' '.join(arguments), done)
        return done.stdout

    def report(self, program, arguments, trace, told=None):
        """paf report of a traced run, after a look at the file. told: what the run has to write."""
        done = self.run(program, ['-trace=' + trace], arguments, timeout=600, cwd=ROOT)
        self.clean('%s, traced for Paf' % program, done)
        if told:
            self.tally.equal('%s, traced for Paf' % program, done.stdout, told)
        self.asked('info', '--verify', trace)
        return json.loads(self.asked('report', '--json', trace))

    @staticmethod
    def critical(report):
        return {m['name']: m['critical'] for m in report['modules']}

    def narrowest(self, what, report, module, share):
        """The module has the largest part of the critical path, and at least that share."""
        critical = self.critical(report)
        self.tally.equal(what + ': the bottleneck', max(critical, key=critical.get), module)
        self.tally.check('%s: %s has %d %%' % (what, module, 100 * share),
                         critical[module] >= share * report['span'], repr(critical))

    def cause(self, what, slow, kind, program, predicate):
        """The first finding, which is to be this one."""
        first = slow['findings'][0] if slow['findings'] else {}
        found = tuple(first.get(key) for key in ('kind', 'file', 'predicate'))
        self.tally.equal(what + ': the first finding', found, (kind, program, predicate))
        return first

    def repaired(self, what, finding, slow, fixed):
        """The repaired program shows what was predicted, and does not have the cause any more."""
        saving = 1 - fixed['span'] / slow['span']
        self.tally.check('%s: %.1f %% predicted, %.1f %% achieved' % (
            what, 100 * finding.get('saving', 0), 100 * saving),
                         abs(finding.get('saving', 0) - saving) <= 0.1)
        self.tally.check(what + ': the cause is gone', not any(
            f['kind'] == finding.get('kind') and f['predicate'] == finding.get('predicate')
            for f in fixed['findings']), repr(fixed['findings']))

    def findings(self):
        a, b = [os.path.join(self.folder, name) for name in ('a.paf', 'b.paf')]
        first = self.report('a.fl', [], a)
        self.narrowest('A as shipped', first, 'evaluator', 0.5)
        second = self.report('b.fl', [], b)
        self.tally.check('as shipped, B has the shorter span', second['span'] < first['span'])
        self.tally.check('as shipped, paf compare names the evaluator',
                         'evaluator' in self.asked('compare', a, b))

    def findings_in_400_nodes(self):
        a, b, c = [os.path.join(self.folder, name) for name in ('a.paf', 'b.paf', 'c.paf')]
        rng = random.Random(1)
        arcs = [(rng.randint(1, 400), rng.randint(1, 400), rng.randint(0, 99)) for _ in range(1600)]
        graph = self.file('wide.gr', Graph(400, arcs).text(rng))
        first = self.report('a.fl', [graph, '1', 'sum'], a)
        self.narrowest('A, 400 nodes', first, 'evaluator', 0.9)
        second = self.report('b.fl', [graph, '1', 'sum'], b)
        self.narrowest('B, 400 nodes', second, 'creator', 0.5)
        self.tally.check('400 nodes: B has a fifth of the span', 5 * second['span'] < first['span'])
        evaluator = self.cause('A, 400 nodes', first, 'server', 'a.fl', 'evaluate/3')
        self.repaired('A, 400 nodes', evaluator, first, second)
        self.cause('B, 400 nodes', second, 'creation', 'b.fl', 'create/7')
        third = self.report('c.fl', [graph, '1', 'sum'], c)
        self.tally.check('400 nodes: C has nothing of 5 %', not third['findings'],
                         repr(third['findings']))
        self.tally.check('400 nodes: C has three quarters of the span of B',
                         4 * third['span'] < 3 * second['span'],
                         '%d of %d' % (third['span'], second['span']))
        self.tally.check('400 nodes: C makes its network in few steps',
                         self.critical(third)['creator'] < 20, repr(self.critical(third)))

    # ---- the flights graph -----------------------------------------------------------------------

    def flights(self):
        told = '3210 30631656\n'
        arguments = [FLIGHTS, '1954', 'sum']
        for program in PROGRAMS if self.all_ways else []:
            done = self.run(program, WAYS['ideal'], arguments, timeout=600)
            self.clean(program + ', ideal, flights', done)
            self.tally.equal(program + ', ideal, flights', done.stdout, told)
        trace = os.path.join(self.folder, 'flights.paf')
        first = self.report('a.fl', arguments, trace, told)
        self.narrowest('A, flights', first, 'evaluator', 0.95)
        self.cause('A, flights', first, 'server', 'a.fl', 'evaluate/3')
        second = self.report('b.fl', arguments, trace, told)
        self.narrowest('B, flights', second, 'creator', 0.5)
        creator = self.cause('B, flights', second, 'creation', 'b.fl', 'create/7')
        third = self.report('c.fl', arguments, trace, told)
        self.repaired('B, flights', creator, second, third)
        self.narrowest('C, flights', third, 'node', 0.9)
        self.tally.check('flights: C has three quarters of the span of B',
                         4 * third['span'] < 3 * second['span'],
                         '%d of %d' % (third['span'], second['span']))
        fourth = self.report('d.fl', arguments, trace, told)
        self.tally.check('flights: D has a quarter of the span of C',
                         4 * fourth['span'] < third['span'],
                         '%d of %d' % (fourth['span'], third['span']))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--graphs', type=int, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--all-ways', action='store_true')
    parser.add_argument('--no-figures', action='store_true')
    parser.add_argument('--flights', action='store_true')
    parser.add_argument('--seeds', metavar='FIRST-LAST')
    parser.add_argument('fleng')
    parser.add_argument('paf')
    options = parser.parse_args()
    if options.flights and not os.path.exists(FLIGHTS):
        print('SKIPPED: FLENG_FLIGHTS does not name a copy of the flights graph (flights.gr)')
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(os.path.abspath(options.fleng), os.path.abspath(options.paf), folder,
                        options.all_ways)
        if options.flights:
            tester.flights()
        elif options.seeds:
            tester.seeded(*[int(number) for number in options.seeds.split('-')])
        else:
            tester.checked()
            tester.shipped()
            tester.seeded(1, 20 if options.all_ways else 4)
            tester.random_graphs(options.graphs, options.seed)
            tester.bad_files()
            tester.bad_arguments()
            tester.findings()
            if not options.no_figures:
                tester.findings_in_400_nodes()
    tally = tester.tally
    print('%d passed, %d failed' % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == '__main__':
    sys.exit(main())
