#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes logs of machines whose clocks differ, and asks the trace when things happened.

usage: test_clocks.py KPX-BRIDGE PAF
"""

import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from support import ROOT, check, run_tests  # noqa: E402 - beside this file


def numbers(file, macro):
    with open(os.path.join(ROOT, 'kpx-bridge', 'log', file), encoding='utf-8') as lines:
        names = re.findall(r'^%s\((\w+)' % macro, lines.read(), re.M)
    return {name: number for number, name in enumerate(names)}


EVENT = numbers('events.def', 'EVENT')
ROUTINE = numbers('mpi_routines.def', 'ROUTINE')
MILLISECOND = 1000000


class Rank:
    """A process with one thread; `clock` makes its own time of the true one."""

    def __init__(self, number, ranks, host, clock):
        self.number, self.ranks, self.host, self.clock = number, ranks, host, clock
        self.now = 10 * MILLISECOND # true
        self.first = self.now
        self.events = []
        self.collectives = 0
        self.put('MPI_COMM', value=0, a=number << 32 | ranks, b=1)

    def put(self, kind, flags=0, value=0, a=0, b=0):
        self.events.append((int(self.clock(self.now)), EVENT[kind], flags, value, a, b))
        self.now += 200

    def send(self, to, tag):
        self.put('MPI_BEGIN', ROUTINE['Send'])
        sent = self.now
        self.put('MPI_SEND', 0, 0, to << 32 | tag, 8)
        self.put('MPI_END', ROUTINE['Send'])
        return sent

    def receive(self, from_, tag, sent, latency):
        self.put('MPI_BEGIN', ROUTINE['Recv'])
        self.now = max(self.now, sent + latency)
        self.put('MPI_RECV', 0, 0, from_ << 32 | tag, 8)
        self.put('MPI_END', ROUTINE['Recv'])

    def come(self):
        self.put('MPI_BEGIN', ROUTINE['Barrier'])
        self.put('MPI_COLLECTIVE', ROUTINE['Barrier'], 0, self.collectives)
        self.collectives += 1

    def leave(self, when):
        self.now = max(self.now, when)
        self.put('MPI_END', ROUTINE['Barrier'])

    def write(self, folder):
        name = os.path.join(folder, str(1000 + self.number))
        with open(name + '.process', 'w', encoding='utf-8') as file:
            file.write('program /p/exchange\nhost %s\nboot %s\nbegin %d\nrank %d\nranks %d\nend %d\n'
                       % (self.host, self.host, self.clock(self.first), self.number, self.ranks,
                          self.clock(self.now)))
        header = struct.pack('<8sIIIIQQQ', b'KPXLOG1', 32, 1000 + self.number, 1000 + self.number,
                             0, 1 << 22, len(self.events), 0)
        with open(name + '-0.events', 'wb') as file:
            file.write(header.ljust(4096, b'\0'))
            for event in self.events:
                file.write(struct.pack('<QHHIQQ', *event))


def run_program(ranks, steps, chance):
    """Messages around a ring, and a barrier now and then. Returns the true times of leaving it."""
    left = []
    for step in range(steps):
        for rank in ranks:
            rank.now += chance.randrange(MILLISECOND // 2, 2 * MILLISECOND)
        sent = [rank.send((rank.number + 1) % len(ranks), step) for rank in ranks]
        for rank in ranks:
            before = (rank.number - 1) % len(ranks)
            rank.receive(before, step, sent[before], chance.randrange(20000, 60000))
        if step % 10 == 9:
            for rank in ranks:
                rank.come()
            last = max(rank.now for rank in ranks)
            for rank in ranks:
                rank.leave(last + chance.randrange(5000, 30000))
            left.append(last)
    return left


def convert(tools, folder):
    """No trace is written into the log."""
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as other:
        return convert_into(tools, folder, os.path.join(other, 'out.paf'))


def convert_into(tools, folder, trace):
    bridge, paf = tools
    done = subprocess.run([bridge, 'convert', '-o', trace, folder], capture_output=True, text=True,
                          check=False)
    check(done.returncode == 0, 'converting', done.stderr)
    check(subprocess.run([paf, 'info', '--verify', trace], capture_output=True,
                         check=False).returncode == 0, 'the trace verifies')
    places = trace + '.json'
    subprocess.run([paf, 'export', '--view', 'places', '-o', places, trace], check=True,
                   capture_output=True)
    with open(places, encoding='utf-8') as file:
        events = json.load(file)
    events = events if isinstance(events, list) else events['traceEvents']
    names = {e['args']['name'] for e in events if e.get('name') == 'thread_name'}
    check(all('@' in name for name in names), 'a place tells its machine', names)
    return done.stderr, [e for e in events if e.get('ph') == 'X']


def barrier_waits(events):
    """Of each rank, when its waits at barriers ended, in microseconds."""
    ends = {}
    for e in events:
        if e['name'].startswith('MPI_Barrier'):
            ends.setdefault(e['tid'], []).append(e['ts'] + e['dur'])
    return ends


def clocks_that_are_apart_and_drift(tools):
    chance = random.Random(5)
    machines = [('one', lambda t: t + 5 * 10**12), ('two', lambda t: t * (1 + 40e-6) + 3 * 10**9),
                ('three', lambda t: t * (1 - 25e-6) + 70 * 10**12)]
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        ranks = [Rank(i, 6, *machines[i // 2]) for i in range(6)]
        left = run_program(ranks, 400, chance)
        for rank in ranks:
            rank.write(folder)
        told, events = convert(tools, folder)
    check('clocks of 3 machines were synchronised' in told, 'it is told', told)
    check('still arrived' not in told and 'inconsistent' not in told, 'nothing is left to move', told)
    ppm = [float(x) for x in re.findall(r'([-+]\d+\.\d+) ppm', told)]
    check(len(ppm) == 2 and abs(ppm[0] + 40) < 3 and abs(ppm[1] - 25) < 3, 'the drifts', told)
    waits = barrier_waits(events)
    apart = [max(abs(ends[k] - waits[min(waits)][k]) for ends in waits.values())
             for k in range(min(len(ends) for ends in waits.values()))]
    check(len(waits) == 6 and len(left) == 40, 'all ranks meet', len(waits))
    check(max(apart) < 100, 'they leave barriers together', max(apart))


def a_clock_that_jumps(tools):
    chance = random.Random(6)
    machines = [('one', lambda t: t + 10**12),
                ('two', lambda t: t + 2 * 10**12 + (MILLISECOND if t > 300 * MILLISECOND else 0))]
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        ranks = [Rank(i, 4, *machines[i // 2]) for i in range(4)]
        run_program(ranks, 400, chance)
        for rank in ranks:
            rank.write(folder)
        told, events = convert(tools, folder)
    check('were shifted' in told and 'inconsistent' not in told, 'no line fits', told)
    check(len(barrier_waits(events)) == 4, 'all are there')


def machines_that_tell_each_other_nothing(tools):
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        for number, host in enumerate(('one', 'two')):
            rank = Rank(number, 2, host, lambda t, number=number: t + (1 + number) * 10**12)
            for tag in range(5):
                rank.now += MILLISECOND
                rank.send(number, tag) # to itself
            rank.write(folder)
        told, events = convert(tools, folder)
    check('clocks of 2 machines' in told, 'it is told', told)
    check(events and max(e['ts'] + e['dur'] for e in events) < 100000, 'they begin together')


def messages_of_one_direction(tools):
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        one = Rank(0, 2, 'one', lambda t: t + 10**12)
        two = Rank(1, 2, 'two', lambda t: t + 10**9)
        for tag in range(20):
            one.now += MILLISECOND
            two.receive(0, tag, one.send(1, tag), 50000)
        one.write(folder)
        two.write(folder)
        told, events = convert(tools, folder)
    check('still arrived' not in told and 'inconsistent' not in told, 'none comes too early', told)
    check(len({e['tid'] for e in events}) == 2, 'both are there')


if __name__ == '__main__':
    run_tests(lambda _: [os.path.abspath(path) for path in sys.argv[1:3]],
              clocks_that_are_apart_and_drift, a_clock_that_jumps,
              machines_that_tell_each_other_nothing, messages_of_one_direction)
