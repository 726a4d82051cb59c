#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prices of generated programs: `paf whatif` against the definitions (prices.py).

usage: compare_prices.py [OPTION...] FLENG PAF FIRST[-LAST]
  --questions N     of each program (default: 6)
  --stop N          stop after N programs that differ
  --no-places       no classes with .arg or .guard
"""

import argparse
import json
import os
import random
import sys
import tempfile
from fractions import Fraction

from compare import Case, Tools, stamped_options
from iotree import Analysis, parse_partition
from oracle import in_deep_thread
from prices import Class, Run, Side, span_under


class Asker:
    """Random questions about a run."""

    def __init__(self, run, rng, places):
        self.run = run
        self.rng = rng
        self.places = places
        self.reads = [read for r in run.reductions for read in run.reads[r] if read.makers]
        self.preds = sorted({r.pred for r in run.reductions})

    def side(self, reduction):
        side = Side(reduction.pred)
        site = self.run.sites.site(reduction)
        if site is not None and self.rng.random() < 0.4:
            side.line, number = site
            if number is not None and self.rng.random() < 0.6:
                side.number = number
        return side

    def some_class(self):
        """A class that holds at least one read."""
        read = self.rng.choice(self.reads)
        maker, place = self.rng.choice(self.run.waits(read))
        given = Class(self.side(read.reader), self.side(maker))
        if self.places and self.rng.random() < 0.4:
            given.place = place
        return given

    def some_predicate(self):
        return self.rng.choice(self.preds)

    def operation(self):
        """(operation of prices.py, words of the command line)"""
        kinds = ['speed-up', 'even', 'tree', 'unordered']
        if self.reads:
            kinds += ['without'] * 5 + ['window'] * 2
        kind = self.rng.choice(kinds)
        if kind == 'without':
            given = self.some_class()
            return (kind, given), given.text('test.fl')
        if kind == 'window':
            given, n = self.some_class(), self.rng.choice([1, 2, 2, 3, 4, 1000])
            return (kind, given, n), '%s=%d' % (given.text('test.fl'), n)
        if kind == 'speed-up':
            modules = sorted({p.module for p in self.run.analysis.processes})
            module, divisor = self.rng.choice(modules), self.rng.choice(['2', '3', '0.5', '10'])
            return (kind, module, Fraction(divisor)), '%s=%s' % (module, divisor)
        pred = self.some_predicate()
        return (kind, pred), pred

    def question(self):
        return [self.operation() for _ in range(self.rng.choice([1, 1, 1, 2, 3]))]


def words_of(question):
    return [word for operation, argument in question for word in ('--' + operation[0], argument)]


def compare_case(case, tools, options, counts):
    """The differences; None if there is nothing to ask."""
    machine = case.expected(options)
    if machine is None or not machine.reductions():
        return None
    with open(tools.source, 'w', encoding='utf-8') as source:
        source.write(case.program.source_text())
    if os.path.exists(tools.trace):
        os.unlink(tools.trace)
    tools.run(tools.fleng, '-trace=' + tools.trace, *(stamped_options(case) + [tools.source]))
    partition = case.partition(machine)
    words = [] if partition is None else ['--partition', partition]
    run = Run(machine, Analysis(machine, None if partition is None else parse_partition(partition)))
    asker = Asker(run, random.Random(case.seed), options.places)
    span, found = span_under(run, []), []
    for _ in range(options.questions):
        question = asker.question()
        wanted = span_under(run, [operation for operation, _ in question])
        asked = words + words_of(question)
        status, got = tools.json('whatif', '--json', *(asked + [tools.trace]))
        counts['asked'] += 1
        counts['changed'] += wanted != span
        if not isinstance(got, dict) or status != 0:
            found.append('%s: %s %s' % (asked, status, got))
        elif got['span'] != span or abs(got['span_without'] - wanted) > 1e-6 * max(1, wanted):
            found.append('%s: span %s, then %s; wanted %s, then %s'
                         % (asked, got['span'], got['span_without'], span, float(wanted)))
    return found


def command(options):
    first, _, last = options.seeds.partition('-')
    bad, counts = 0, {'asked': 0, 'changed': 0}
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.fleng, options.paf, folder)
        for seed in range(int(first), int(last or first) + 1):
            found = compare_case(Case(seed, options), tools, options, counts)
            if found:
                bad += 1
                print('seed %d:\n  %s' % (seed, '\n  '.join(found)), flush=True)
            if options.stop and bad >= options.stop:
                break
    print('%(asked)d questions, %(changed)d of them with another span' % counts)
    print('%d programs differ' % bad)
    return 1 if bad or counts['changed'] < counts['asked'] // 10 else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('fleng')
    parser.add_argument('paf')
    parser.add_argument('seeds')
    parser.add_argument('--questions', type=int, default=6)
    parser.add_argument('--stop', type=int, default=0)
    parser.add_argument('--no-places', dest='places', action='store_false')
    parser.set_defaults(merges=True, faults=True, only_normal=False, merge_order='stream',
                        merge_tail='Out')
    options = parser.parse_args()
    status = []
    in_deep_thread(lambda: status.append(command(options)))
    return status[0] if status else 70


if __name__ == '__main__':
    sys.exit(main())
