#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`paf simulate`, slack and the outputs to hasten, against the definitions: random programs run on
the reference machine, then step by step on P processors; delays of one output, one by one.

usage: processors.py FLENG PAF FIRST[-LAST]
"""

import collections
import os
import random
import re
import sys
import tempfile

from compare import Case, Tools, differences, stamped_options
from core import CompileError
from iotree import Analysis, parse_partition
from machine import Machine, Program
from oracle import in_deep_thread

MOST_REDUCTIONS = 150
# An alias of an alias ... of a value, more of them than a read has waits of its own for. On few
# processors the value comes after all aliases, since its maker is younger than theirs.
LINKS = 24
CHAIN = """\
main(R) :- long(W), longer(_), %s, use(X%d,R), value(X0).
long(W) :- W=1.
longer(W) :- W=1.
link(1,X,Y) :- Y=X.
use(v(A),R) :- R=A.
value(X) :- X=v(1).
""" % (', '.join('link(W,X%d,X%d)' % (i, i + 1) for i in range(LINKS)), LINKS)
CHAIN_COSTS = {'long/1': 40, 'longer/1': 60}
PLAIN = re.compile(r'([a-z]\w*|:=)/\d+$')   # what the command line takes as it is


# ---- the recorded graph --------------------------------------------------------------------------

class Graph:
    """Reductions with what each waits for: its parent, and the bindings that its commit read."""

    def __init__(self, machine):
        self.machine = machine
        self.without = None         # predicates: the first does not wait for the second's values
        self.order = machine.reductions()
        self.cost = {r: r.t - max([r.parent.t] + [self.there(v) for v in r.reads])
                     for r in self.order}

    def passed(self, var):
        """What the `=` that bound the variable passed on."""
        return getattr(var, 'passed', ())

    def there(self, var):
        return max([var.maker.t] + [self.there(other) for other in self.passed(var)])

    def makers(self, var):
        yield var.maker
        for other in self.passed(var):
            yield from self.makers(other)

    def needs(self, reduction):
        """Reductions that this one waits for; what `-e` made is there from the beginning."""
        found = {reduction.parent}
        for var in reduction.reads:
            found.update(maker for maker in self.makers(var)
                         if self.without != (reduction.pred, maker.pred))
        found.discard(self.machine.root)
        return found

    def span(self, late=None, early=()):
        """The last time if each variable of `late` is there so much later than its maker, and
        nobody waits for those in `early`."""
        late = late or {}
        time = {self.machine.root: 0}

        def there(var):
            own = 0 if var in early else time[var.maker] + late.get(var, 0)
            return max([own] + [there(other) for other in self.passed(var)])

        for r in self.order:
            time[r] = self.cost[r] + max([time[r.parent]] + [there(v) for v in r.reads])
        return max(time.values())


# ---- P processors --------------------------------------------------------------------------------

class Simulation:
    """Every step every goal is looked at."""

    def __init__(self, graph, processors, delay, grain, cost=None):
        self.graph, self.processors = graph, processors
        self.cost = cost or graph.cost
        self.delay, self.grain = delay, grain
        self.goals = sorted(graph.order, key=lambda r: r.number)
        self.needs = {r: graph.needs(r) for r in self.goals}
        self.place, self.start = {}, {}
        self.busy_until = collections.defaultdict(int)
        self.waiting = self.now = 0
        children = collections.defaultdict(list)
        for r in self.goals:
            children[r.parent].append(r)
        self.subtree = {}
        for r in reversed(self.goals):
            self.subtree[r] = self.cost[r] + sum(self.subtree[c] for c in children[r])
        while len(self.start) < len(self.goals):
            while self.begin_one():
                pass
            self.now += 1

    def end(self, r):
        return self.start[r] + self.cost[r]

    def has_ended(self, r):
        return r in self.start and self.end(r) <= self.now

    def latest(self, r):
        """The latest of what it needs; of several the oldest goal."""
        return max(self.needs[r], key=lambda n: (self.end(n), -n.number), default=None)

    def ready_at(self, r, place):
        return max((self.end(n) + (0 if self.place[n] == place else self.delay)
                    for n in self.needs[r]), default=0)

    def stays(self, r):
        return r.parent is not self.graph.machine.root and self.subtree[r] < self.grain

    def is_free(self, place):
        return self.busy_until[place] <= self.now

    def places_of(self, r):
        """Where the goal might begin, the best place first."""
        latest = self.latest(r)
        home = [] if latest is None else [self.place[latest]]
        if self.stays(r):
            return [self.place[r.parent]]
        return home + list(range(min(self.processors, len(self.goals))))

    def begin_one(self):
        waiting = [r for r in self.goals if r not in self.start
                   and all(self.has_ended(n) for n in self.needs[r])]
        for r in sorted(waiting, key=lambda r: (not self.stays(r), r.number)):
            for place in self.places_of(r):
                if self.is_free(place) and self.ready_at(r, place) <= self.now:
                    self.begin(r, place)
                    return True
        return False

    def begin(self, r, place):
        latest = self.latest(r)
        made = 0 if latest is None else self.end(latest)
        self.waiting += self.now - max(made, self.busy_until[place])
        self.start[r], self.place[r] = self.now, place
        self.busy_until[place] = self.end(r)

    def answer(self, analysis):
        span = max((self.end(r) for r in self.goals), default=0)
        busy = sum(self.graph.cost.values())
        modules = collections.defaultdict(lambda: [0, 0])
        for r in self.goals:
            row = modules[analysis.process_of[r].module]
            row[0] += self.graph.cost[r]
            row[1] = max(row[1], self.end(r))
        return {'processors': self.processors, 'span': span, 'busy': busy,
                'waiting': self.waiting,
                'idle': self.processors * span - busy - self.waiting,
                'used': len(set(self.place.values())),
                'modules': {name: row for name, row in modules.items()}}


def compare_simulations(graph, analysis, words, tools, rng, out, machines=None):
    """machines: pairs of a delay and a grain; None: some at random."""
    for _ in range(3):
        lists = sorted({rng.randint(1, 4), rng.randint(1, 12), len(graph.order) + 1})
        delay, grain = rng.choice([0, 0, 1, 2, 5]), rng.choice([0, 0, 2, 5, 20])
        if machines:
            delay, grain = rng.choice(machines)
        status, got = tools.json('simulate', '--json', '--processors',
                                 ','.join(str(p) for p in lists), '--delay', str(delay),
                                 '--grain', str(grain), *(words + [tools.trace]))
        if not isinstance(got, dict):
            out.append('simulate: status %s, %s' % (status, got))
            return
        for run in got['runs']:
            run['modules'] = {m['name']: [m['busy'], m['last']] for m in run['modules']}
        wanted = [Simulation(graph, p, delay, grain).answer(analysis) for p in lists]
        differences(got['runs'], wanted, 'simulate delay %d grain %d' % (delay, grain), out)
        work, span = sum(graph.cost.values()), graph.span()
        for run in got['runs'] if delay == grain == 0 else ():
            p = run['processors']
            if not max(work, p * span) <= p * run['span'] <= work + p * span:
                out.append('Brent: %r' % run)


def compare_prices(graph, words, tools, rng, out):
    """A class of reads left out, on P processors."""
    classes = sorted({(r.pred, maker.pred) for r in graph.order for var in r.reads
                      for maker in graph.makers(var) if maker is not graph.machine.root})
    classes = [names for names in classes if all(PLAIN.match(name) for name in names)]
    if not classes:
        return
    processors, without = rng.randint(1, 6), rng.choice(classes)
    _, got = tools.json('whatif', '--json', '--processors', str(processors), '--without',
                        '%s<-%s' % without, *(words + [tools.trace]))
    wanted = []
    for graph.without in (None, without):
        simulation = Simulation(graph, processors, 0, 0)
        wanted.append(max(simulation.end(r) for r in simulation.goals))
    graph.without = None
    if not isinstance(got, dict):
        out.append('whatif: %s' % got)
    elif [got['span'], got['span_without']] != wanted:
        out.append('whatif --processors %d --without %s<-%s: got %r, wanted %r' % (
            (processors,) + without + (got, wanted)))


def compare_speed_up(graph, analysis, words, tools, rng, out):
    """The costs of a module divided by K: here all others are K times as long."""
    module = analysis.process_of[rng.choice(graph.order)].module
    processors, divisor = rng.randint(1, 5), rng.randint(2, 5)
    cost = {r: c if analysis.process_of[r].module == module else c * divisor
            for r, c in graph.cost.items()}
    simulation = Simulation(graph, processors, 0, 0, cost)
    wanted = max(simulation.end(r) for r in simulation.goals) / divisor
    _, got = tools.json('whatif', '--json', '--processors', str(processors), '--speed-up',
                        '%s=%d' % (module, divisor), *(words + [tools.trace]))
    if not isinstance(got, dict) or abs(got['span_without'] - wanted) > 1e-9 * wanted:
        out.append('whatif --processors %d --speed-up %s=%d: got %r, wanted %r' % (
            processors, module, divisor, got, wanted))


# ---- slack ---------------------------------------------------------------------------------------

def slack(graph, var, span):
    """How much later the variable could be bound: one step more is too much."""
    later = 0
    while var.time + later < span and graph.span(late={var: later + 1}) <= span:
        later += 1
    return later


def site(goal):
    """Where a reduction stands in the text: a clause, or the body's goal of a built-in."""
    if goal.clause is not None:
        return ('clause', goal.clause, goal.pred)
    if goal.item is not None:
        return ('goal', goal.item, goal.pred)
    above = site(goal.parent)
    return above if above[-1] == goal.pred else ('made', above, goal.pred)


class Outputs:
    def __init__(self, graph, analysis):
        self.graph, self.span = graph, graph.span()
        self.of_process = {}
        self.places = collections.defaultdict(set)
        for process in analysis.processes:
            if process.listed():
                self.of_process[process] = analysis.find_outputs(process)
        for process, found in self.of_process.items():
            for var in found:
                item = getattr(var, 'item', None)
                self.places[(process.module, site(var.maker), item)].add(var)
        self.slack = {var: slack(graph, var, self.span)
                      for found in self.of_process.values() for var in found}

    def rows(self):
        found = []
        for (module, _, _), variables in self.places.items():
            slacks = [self.slack[var] for var in variables]
            found.append((self.graph.span(early=variables), min(slacks), module, len(variables),
                          slacks.count(0), min(v.time for v in variables
                                               if self.slack[v] == min(slacks))))
        return sorted(found)


def note_items(machine):
    """Lets every variable know the `=` of the body that bound it."""
    inner = machine.unify_item

    def unify_item(goal, item, env):
        before = len(goal.bindings)
        inner(goal, item, env)
        for var in goal.bindings[before:]:
            var.item = item

    machine.unify_item = unify_item


def compare_slack(graph, analysis, words, tools, out):
    outputs = Outputs(graph, analysis)
    _, got = tools.json('iotree', '--json', '--slack', *(words + [tools.trace]))
    wanted = sorted((var.time, outputs.slack[var]) for var in outputs.slack)
    if not isinstance(got, dict):
        if wanted:
            out.append('iotree: %s' % got)
        return
    found = sorted((o['time'], o['slack']) for process in got['processes']
                   for node in process['nodes'] for o in node['outputs'])
    differences(found, wanted, 'slack', out)
    _, report = tools.json('report', '--json', *(words + [tools.trace]))
    keys = ('span_without', 'slack', 'module', 'outputs', 'critical', 'time')
    rows = sorted(tuple(r[key] for key in keys) for r in report['hasten'])
    differences([list(row) for row in rows], [list(row) for row in outputs.rows()], 'hasten', out)
    order = [(r['span_without'], r['slack']) for r in report['hasten']]
    if order != sorted(order):
        out.append('hasten: not in order: %s' % order)


# ---- the command ---------------------------------------------------------------------------------

class Options:
    """As compare.py has them."""
    merges, faults, only_normal = True, False, False
    merge_order, merge_tail = 'stream', 'Out'


class NotingCase(Case):
    def run(self, options, shuffle=None):
        program = self.program
        limits = {} if shuffle else self.limits
        machine = Machine(Program(program.source_text()), program.start(), (),
                          max_reductions=limits.get('limit', 20000), until=limits.get('until'),
                          shuffle=shuffle, costs=None if shuffle else self.costs)
        note_items(machine)
        machine.run()
        return machine


def compare_one(seed, tools):
    """The differences; None: the program does not compile, or is too large."""
    case = NotingCase(seed, Options)
    try:
        machine = case.expected(Options)
    except CompileError:
        return None
    if machine is None or not 1 <= len(machine.reductions()) <= MOST_REDUCTIONS:
        return None
    out = []
    with open(tools.source, 'w', encoding='utf-8') as source:
        source.write(case.program.source_text())
    if os.path.exists(tools.trace):
        os.unlink(tools.trace)
    tools.run(tools.fleng, '-trace=' + tools.trace, *(stamped_options(case) + [tools.source]))
    partition = case.partition(machine)
    words = [] if partition is None else ['--partition', partition]
    analysis = Analysis(machine, None if partition is None else parse_partition(partition))
    graph = Graph(machine)
    compare_simulations(graph, analysis, words, tools, random.Random(seed), out)
    compare_prices(graph, words, tools, random.Random(seed), out)
    compare_speed_up(graph, analysis, words, tools, random.Random(seed), out)
    compare_slack(graph, analysis, words, tools, out)
    return out


def compare_chain(tools):
    """With a delay the places of what came through so many aliases are another matter."""
    out = []
    machine = Machine(Program(CHAIN), 'main(R)', costs=CHAIN_COSTS)
    note_items(machine)
    machine.run()
    with open(tools.source, 'w', encoding='utf-8') as source:
        source.write(CHAIN)
    costs = ['-cost=%s=%d' % cost for cost in CHAIN_COSTS.items()]
    tools.run(tools.fleng, '-trace=' + tools.trace, '-e', 'main(R)', *(costs + [tools.source]))
    graph, analysis = Graph(machine), Analysis(machine)
    compare_simulations(graph, analysis, [], tools, random.Random(1), out, [(0, 0), (0, 5)])
    compare_slack(graph, analysis, [], tools, out)
    return out


def main():
    fleng, paf, seeds = sys.argv[1:4]
    first, _, last = seeds.partition('-')
    done = bad = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(fleng, paf, folder)
        for difference in compare_chain(tools):
            bad += 1
            print('chain: %s' % difference)
        for seed in range(int(first), int(last or first) + 1):
            found = compare_one(seed, tools)
            if found is None:
                skipped += 1
                continue
            done += 1
            bad += bool(found)
            for difference in found[:6]:
                print('seed %d: %s' % (seed, difference))
    print('%d programs, %d with differences, %d skipped' % (done, bad, skipped))
    return 1 if bad or done == 0 else 0


if __name__ == '__main__':
    answer = []
    in_deep_thread(lambda: answer.append(main()))
    sys.exit(answer[0] if answer else 1)
