#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes logs of one program on a machine of its own and on one where other programs take its processors,
and asks what the findings tell.

usage: test_busy.py KPX-BRIDGE PAF
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from support import check, run_tests  # noqa: E402 - beside this file
from test_clocks import MILLISECOND, Rank  # noqa: E402 - likewise

STEPS = 100
SLICE = 4 * MILLISECOND


class Process(Rank):
    """A rank that loses its processor, and whose recorder looks at its processor time."""

    def __init__(self, number, ranks):
        super().__init__(number, ranks, 'one', lambda t: t)
        self.queued = 0

    def compute(self, time, lost):
        """The look is at the first event after the loss."""
        self.look()
        self.now += time + lost
        self.queued += lost
        self.look()

    def look(self):
        self.put('PROCESSOR_TIME', 0, 0, self.now - self.queued, self.queued)


def steps(work, lost):
    """Ranks compute and meet; lost(step, rank) is what other programs take."""
    ranks = [Process(i, len(work)) for i in range(len(work))]
    for step in range(STEPS):
        for rank in ranks:
            rank.compute(work[rank.number], lost(step, rank.number))
            rank.come()
        last = max(rank.now for rank in ranks)
        for rank in ranks:
            rank.leave(last + 5000)
    return ranks


def items(work, lost):
    """Rank 0 hands out items, and who answers gets the next one."""
    ranks = [Process(i, 3) for i in range(3)]
    first, others = ranks[0], ranks[1:]
    sent = {r.number: first.send(r.number, 0) for r in others}
    left = STEPS
    while any(sent.values()):
        answers = {}
        for r in others:
            if sent[r.number]:
                r.now = max(r.now, sent[r.number])
        r = min((r for r in others if sent[r.number]), key=lambda x: x.now)
        r.receive(0, 0, sent[r.number], 2000)
        r.compute(work, lost(STEPS - left, r.number))
        answers[r.number] = r.send(0, 0)
        first.receive(r.number, 0, answers[r.number], 2000)
        left -= 1
        sent[r.number] = first.send(r.number, 0) if left > 0 else None
    for r in ranks:
        r.come()
    last = max(r.now for r in ranks)
    for r in ranks:
        r.leave(last + 5000)
    return ranks


def report(tools, ranks):
    bridge, paf = tools
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        log, trace = os.path.join(folder, 'log'), os.path.join(folder, 'out.paf')
        os.mkdir(log)
        for rank in ranks:
            rank.write(log)
        subprocess.run([bridge, 'convert', '-o', trace, log], check=True, capture_output=True)
        done = subprocess.run([paf, 'report', '--json', trace], check=True, capture_output=True, text=True)
        said = subprocess.run([paf, 'report', trace], check=True, capture_output=True, text=True).stdout
        return dict(json.loads(done.stdout), said=said)


def compared(tools, *runs):
    """The sentence of `paf compare`, of two runs by their ranks."""
    bridge, paf = tools
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        for name, ranks in zip('ab', runs):
            os.mkdir(os.path.join(folder, name))
            for rank in ranks:
                rank.write(os.path.join(folder, name))
            subprocess.run([bridge, 'convert', '-o', name + '.paf', name], check=True, capture_output=True,
                           cwd=folder)
        done = subprocess.run([paf, 'compare', '--json', 'a.paf', 'b.paf'], check=True, capture_output=True,
                              text=True, cwd=folder)
        return json.loads(done.stdout)


def nothing(_step, _rank):
    return 0


def near(a, b, part):
    return abs(a - b) <= part * max(a, b)


def a_rank_without_processor_is_no_longer_than_others(tools):
    quiet = report(tools, steps([2 * MILLISECOND] * 2, nothing))
    busy = report(tools, steps([2 * MILLISECOND] * 2, lambda step, rank: SLICE if (step + rank) % 3 == 0 else 0))
    check(quiet['findings'] == [] and 'undisturbed' not in quiet, 'a machine of its own', quiet['findings'])
    check(busy['elapsed'] > 1.8 * quiet['elapsed'], 'the machine was busy', busy['elapsed'], quiet['elapsed'])
    check(near(busy['undisturbed'], quiet['elapsed'], 0.02), 'what it takes with its processors',
          busy['undisturbed'], quiet['elapsed'])
    check(busy['findings'] == [], 'nothing to remove', busy['findings'])
    check('the machine was busy: with its processors the run takes about' in busy['said'], 'it is told',
          busy['said'])


def the_clock_comes_first(tools):
    """What anybody waited for is on top, what a quiet machine would have done after it."""
    said = compared(tools, steps([2 * MILLISECOND] * 2, lambda step, rank: SLICE if (step + rank) % 3 == 0 else 0),
                    steps([2 * MILLISECOND] * 2, nothing))
    text, ratio = said['sentence'], '%.2f' % (said['a']['span'] / said['b']['span'])
    check(text.startswith('b.paf is %s times as fast as a.paf: elapsed ' % ratio), 'elapsed time', text)
    check('; the machine was busy: with its processors a.paf would take about' in text, 'then without that', text)


def one_rank_alone_without_processor(tools):
    busy = report(tools, steps([2 * MILLISECOND] * 2, lambda step, rank: SLICE if rank == 1 else 0))
    check(busy['findings'] == [], 'nothing to remove', busy['findings'])


def uneven_ranks_stay_uneven(tools):
    """By the clock all are even: the machine takes from the short one what the long one has more."""
    work = [3 * MILLISECOND, MILLISECOND]
    quiet = report(tools, steps(work, nothing))
    busy = report(tools, steps(work, lambda step, rank: SLICE if step % 2 == rank else 0))
    check(busy['findings'] and quiet['findings'], 'both have the finding', quiet['findings'], busy['findings'])
    a, b = quiet['findings'][0], busy['findings'][0]
    check(a['kind'] == b['kind'] == 'imbalance' and near(a['saving'], b['saving'], 0.05), 'with the same price',
          a, b)


def who_takes_over_is_no_imbalance(tools):
    """Who has a processor does most of the items."""
    chance = random.Random(3)
    busy = report(tools, items(MILLISECOND, lambda step, rank: SLICE if rank == 1 and chance.random() < 0.9
                               else 0))
    check(not any(f['kind'] in ('imbalance', 'serial') for f in busy['findings']), 'no imbalance',
          busy['findings'])


if __name__ == '__main__':
    run_tests(lambda _: [os.path.abspath(path) for path in sys.argv[1:3]], the_clock_comes_first,
              a_rank_without_processor_is_no_longer_than_others,
              one_rank_alone_without_processor, uneven_ranks_stay_uneven, who_takes_over_is_no_imbalance)
