#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the statistics of OpenMP programs, and the replay, against computations of its own: figures from
the events as they stand in the log, times of the replay along the longest paths of the trace.

usage: test_figures.py KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import json
import os
import re
import shutil
import struct
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    HERE, OpenMP, ROOT, RUNTIME, check, run_tests, source)


with open(os.path.join(ROOT, 'kpx-bridge', 'log', 'events.def'), encoding='utf-8') as table:
    KINDS = re.findall(r'^EVENT\((\w+),', table.read(), re.MULTILINE)

BARRIERS = {1: 'User Barrier', 3: 'User Barrier', 2: 'Implied Barrier', 4: 'Reduction',
            8: 'Implied Barrier', 9: 'Implied Barrier', 10: 'Implied Barrier'}
MUTEXES = {5: 'Critical', 6: 'Atomic', 7: 'Ordered'}
JOINS = (9, 10)  # the barrier at the end of a region, of a league
ENDS = (1, 3, 4)  # how a task is left that is over


def read_threads(log):
    """The events of each thread: [(time, kind, flags, value, a, b)]."""
    threads = []
    names = sorted((n for n in os.listdir(log) if n.endswith('.events')),
                   key=lambda n: int(n.split('-')[1].split('.')[0]))
    for name in names:
        with open(os.path.join(log, name), 'rb') as file:
            data = file.read()
        kept, _, moved, window = struct.unpack_from('<4Q', data, 32)
        events = [struct.unpack_from('<QHHIQQ', data, 4096 + 32 * i)
                  for i in range((len(data) - 4096) // 32)]
        events = events[window:window + moved] + events[:kept - moved]
        threads.append([(t, KINDS[kind], flags, value, a, b) for t, kind, flags, value, a, b in events])
    return threads


class Span:
    """A stretch of a thread in a construct: [start, end), of a region."""

    def __init__(self, row, waits, region, start):
        self.row, self.waits, self.region, self.start, self.end = row, waits, region, start, None
        self.interrupted = 0  # by tasks, and of a wait by reductions
        self.tasks, self.since = 0, 0  # that interrupt it, since when


class Thread:
    """Spans of one thread, from its events alone."""

    def __init__(self, events):
        self.open, self.spans, self.regions = [], [], []
        self.tasks = {}  # the spans that a task interrupts
        self.joins = {}  # region: span of the wait at its end
        self.waits = []  # at barriers and for tasks, in order
        for event in events:
            self.take(*event)

    def begin(self, row, waits, time, key):
        region = self.regions[-1] if self.regions else 0
        self.open.append((key, Span(row, waits, region, time)))
        return self.open[-1][1]

    def finish(self, key, time):
        for i in range(len(self.open) - 1, -1, -1):
            if self.open[i][0] == key:
                span = self.open.pop(i)[1]
                span.end = time
                self.spans.append(span)
                for _, outer in self.open[:i]:
                    if span.row == 'Reduction' and not span.waits and outer.waits:
                        outer.interrupted += time - span.start
                return span
        return None

    def take(self, time, kind, flags, value, a, b):
        if kind == 'IMPLICIT_BEGIN' and not flags & 1:
            self.regions.append(a)
        elif kind == 'IMPLICIT_END' and not flags & 1:
            if self.regions:
                self.regions.pop()
        elif kind == 'WORK_BEGIN' and flags == 3:
            self.begin('Single', False, time, ('work', flags))
        elif kind == 'WORK_END' and flags == 3:
            self.finish(('work', flags), time)
        elif kind == 'MASKED_BEGIN':
            self.begin('Master', False, time, ('master', 0))
        elif kind == 'MASKED_END':
            self.finish(('master', 0), time)
        elif kind == 'REDUCTION_BEGIN':
            self.begin('Reduction', False, time, ('reduction', 0))
        elif kind == 'REDUCTION_END':
            self.finish(('reduction', 0), time)
        elif kind == 'WAIT_BEGIN':
            span = self.begin(BARRIERS.get(flags), True, time, ('wait', flags))
            span.number, span.kind = value, flags
            last = self.waits[-1] if self.waits else None
            if flags == 4 and last and last.kind == 4 and last.code == b and last.number == value - 1:
                last.row, span.row = 'Implied Barrier', 'Implied Barrier'  # copyprivate: they are one
                span.number = value - 1
            span.code = b
            self.waits.append(span)
            if flags in JOINS and self.regions:
                self.joins[self.regions[-1]] = span
        elif kind == 'WAIT_END':
            self.finish(('wait', flags), time)
        elif kind == 'MUTEX_ACQUIRE' and flags not in (2, 4):
            self.begin(MUTEXES.get(flags), True, time, ('acquire', a))
        elif kind == 'MUTEX_ACQUIRED':
            self.finish(('acquire', a), time)
            if value == 0:
                self.begin(MUTEXES.get(flags), False, time, ('hold', a))
        elif kind == 'MUTEX_RELEASED':
            self.finish(('hold', a), time)
        elif kind == 'TASK_SWITCH':
            self.switch(time, flags, a, b)

    def switch(self, time, flags, left, begun):
        """A task that is not over stays where it is while another one runs."""
        if flags in ENDS and left in self.tasks:
            for span in self.tasks.pop(left):
                span.tasks -= 1
                if span.tasks == 0:
                    span.interrupted += time - span.since
        elif begun in self.created and begun not in self.tasks:
            self.tasks[begun] = [span for _, span in self.open]
            for span in self.tasks[begun]:
                span.since = time if span.tasks == 0 else span.since
                span.tasks += 1

    created = set()


class Figures:
    def __init__(self, log):
        events = read_threads(log)
        Thread.created = {a for thread in events for _, kind, _, _, a, _ in thread if kind == 'TASK_CREATE'}
        self.threads = [Thread(e) for e in events]
        self.forks = {}   # region: (thread, start, line's address)
        self.ends = {}
        for thread in events:
            for time, kind, _, value, a, b in thread:
                if kind == 'PARALLEL_BEGIN':
                    self.forks[a] = (time, b, value)
                elif kind == 'PARALLEL_END':
                    self.ends[a] = time
        self.sizes = {a: value & 0xffff for thread in events for _, kind, flags, value, a, _ in thread
                      if kind == 'IMPLICIT_BEGIN' and not flags & 1}
        self.masters = {a: i for i, thread in enumerate(events) for _, kind, flags, value, a, _ in thread
                        if kind == 'IMPLICIT_BEGIN' and not flags & 1 and value >> 16 == 0}

    def rows(self):
        """{region: {row: [count, running, waiting]}} of each execution of a region."""
        all_rows = {}
        for region in self.forks:
            joined = self.threads[self.masters[region]].joins.get(region)
            over = joined.end if joined else None
            rows, barriers = {}, set()
            for thread in self.threads:
                spans = thread.spans + [s for _, s in thread.open if s.end is None]
                for span in spans:
                    if span.region == region and span.row:
                        self.add(rows, barriers, span, over)
            for row, _ in barriers:
                rows.setdefault(row, [0, 0, 0])[0] += 1
            all_rows[region] = rows
        return all_rows

    @staticmethod
    def add(rows, barriers, span, over):
        end = span.end
        if span.waits and getattr(span, 'kind', 0) in JOINS and over and (end is None or end > over):
            end = over
        if end is None:
            return
        row = rows.setdefault(span.row, [0, 0, 0])
        row[2 if span.waits else 1] += max(end - span.start - span.interrupted, 0)
        if span.waits and span.row.endswith('Barrier'):
            barriers.add((span.row, span.number))
        elif not span.waits and span.row != 'Reduction':
            row[0] += 1


# Titles of rows by what the trace and the report have.
OBSERVED = ('Master', 'Single', 'Critical', 'Ordered', 'User Barrier', 'Implied Barrier', 'Reduction')


def sum_of(figures, regions, title):
    rows = figures.rows()
    total = [0, 0, 0]
    for region in regions:
        for k, n in enumerate(rows[region].get(title, [0, 0, 0])):
            total[k] += n
    return total


def every_row_follows_from_the_events(tools, got, figures):
    """Regions of the trace and of the log meet in their executions: when they were forked."""
    rows = figures.rows()
    zero = min(start for start, _, _ in figures.forks.values())
    first = min(t['start'] for r in got['regions'][:-1] for t in r['teams'])
    by_start = {start - zero: region for region, (start, _, _) in figures.forks.items()}
    whole = {title: [0, 0, 0] for title in OBSERVED}
    for r in got['regions'][:-1]:
        mine = [by_start[t['start'] - first] for t in r['teams']]
        check(r['elapsed'] == sum(figures.ends[m] - figures.forks[m][0] for m in mine),
              'time of the region in line %d' % r['line'], r['elapsed'])
        check(r['thread_time'] == sum((figures.ends[m] - figures.forks[m][0]) * figures.sizes[m]
                                      for m in mine), 'threads x time of line %d' % r['line'])
        for title in OBSERVED:
            wanted = [sum(rows[m].get(title, [0, 0, 0])[k] for m in mine) for k in range(3)]
            if title == 'Reduction':
                wanted[0] = r['figures'][title][0]
            check(r['figures'][title] == wanted, '%s of line %d' % (title, r['line']),
                  r['figures'][title], wanted)
            whole[title] = [x + y for x, y in zip(whole[title], wanted)]
    for title in OBSERVED:
        got_whole = got['regions'][-1]['figures'][title]
        check(got_whole[1:] == whole[title][1:] and (title == 'Reduction' or got_whole[0] == whole[title][0]),
              title + ' of the whole', got_whole, whole[title])


def what_the_program_counts_is_counted(got, told):
    counts = {}
    for line in told.splitlines():
        row, place, n = line.split()
        key = (row.replace('_', ' '), int(place))
        counts[key] = counts.get(key, 0) + int(n)
    lines = {r['line']: r['figures'] for r in got['regions'][:-1]}
    for (row, line), n in counts.items():
        check(line in lines and lines[line][row][0] == n, 'how often %s in line %d' % (row, line),
              lines.get(line, {}).get(row), n)


def times_add_up(got):
    """A thread of a team is in some activity from when it begins until its master goes on."""
    by_place = {}
    for a in got['activities']:
        by_place.setdefault(a['place'], []).append(a)
    for p, activities in by_place.items():
        activities.sort(key=lambda a: (a['start'], a['end']))
        for a, b in zip(activities, activities[1:]):
            check(a['end'] <= b['start'], 'one thing at a time at a place', a, b)
    for r in got['regions'][:-1]:
        for team in r['teams']:
            if len(team['places']) > 8:
                continue
            start, end = team['start'], team['start'] + team['took']
            inside = sum(max(min(a['end'], end) - max(a['start'], start), 0)
                         for a in by_place[team['places'][0]])
            check(inside == team['took'], 'work and waits of the master of line %d' % r['line'], inside,
                  team['took'])
            for place in team['places'][1:]:
                mine = [a for a in by_place[place] if a['end'] > start and a['start'] < end]
                covered = sum(min(a['end'], end) - max(a['start'], start) for a in mine)
                gaps = (min(a['start'] for a in mine) - start) + (end - max(a['end'] for a in mine))
                check(covered + max(gaps, 0) == team['took'], 'work and waits of a thread of line %d'
                      % r['line'], covered, gaps, team['took'])


def shares_are_parts(got):
    """No thread waits for two things at a time."""
    for r in got['regions']:
        waited = sum(f[2] for f in r['figures'].values() if f)
        check(waited <= r['thread_time'], 'waits in line %d' % r['line'], waited, r['thread_time'])


def replay(tools, got, trace):
    """Longest paths, found from what needs nothing on, in any order."""
    cost = {0: 0}
    needs, takers = {}, {}
    for a in got['activities']:
        cost[a['number']] = 0 if a['waits'] else a['end'] - a['start']
        needs[a['number']] = [a['maker']] + [n for n, _ in a['needs']]
        for n in needs[a['number']]:
            takers.setdefault(n, []).append(a['number'])
    ready, ends, missing = [0], {}, {n: len(list_) for n, list_ in needs.items()}
    while ready:
        n = ready.pop()
        ends[n] = cost[n] + max((ends[k] for k in needs.get(n, [])), default=0)
        for k in takers.get(n, []):
            missing[k] -= 1
            if missing[k] == 0:
                ready.append(k)
    check(len(ends) == len(got['activities']) + 1, 'no activity waits for itself')
    check(all(ends[a['number']] == a['time'] for a in got['activities']), 'times of the replay')
    real = {a['number']: a['end'] for a in got['activities']}
    check(all(real.get(n, 0) <= a['end'] for a in got['activities'] for n in needs[a['number']]),
          'causes end before effects do')
    report = json.loads(tools.run(tools.paf, 'report', '--json', '--clock', 'virtual', trace).stdout)
    check(report['span'] == max(ends.values()), 'the span', report['span'], max(ends.values()))
    check(report['work'] == sum(cost.values()), 'the work', report['work'], sum(cost.values()))
    width = report.get('bucket', 1)
    profile = [0] * len(report['profile'])
    for a in got['activities']:
        at, end = a['time'] - cost[a['number']], a['time']
        while at < end:
            step = min(end, (at // width + 1) * width)
            profile[at // width] += step - at
            at = step
    check(profile == report['profile'], 'P(t)', len(profile), sum(profile), sum(report['profile']))


def figures_of(tools, name, *arguments):
    log = os.path.join(tools.folder, name + '.log')
    shutil.rmtree(log, ignore_errors=True)
    done, trace = tools.record(name, *arguments, options=['--keep-log', log])
    check(done.returncode == 0, name, done.stdout, done.stderr)
    return done, trace, tools.history(trace), Figures(log)


def by_clang(tools):
    source = os.path.join(HERE, 'figures.c')
    for level in ('-O0', '-O2'):
        tools.compile_with(tools.compiler, source, 'figures', level, RUNTIME)
        done, trace, got, figures = figures_of(tools, 'figures')
        what_the_program_counts_is_counted(got, done.stdout)
        every_row_follows_from_the_events(tools, got, figures)
        times_add_up(got)
        shares_are_parts(got)
        replay(tools, got, trace)


def examples(tools):
    for folder, name, arguments in ((tools.apps, 'heat', []), (tools.apps, 'mandelbrot', ['good']),
                                    (tools.apps, 'tasks', []), (tools.apps, 'locks', []),
                                    (HERE, 'constructs', []), (HERE, 'kinds', [])):
        source = os.path.join(folder, name + '.c')
        tools.compile_with(tools.compiler, source, name, RUNTIME, '-lm')
        _, trace, got, figures = figures_of(tools, name, *arguments)
        every_row_follows_from_the_events(tools, got, figures)
        times_add_up(got)
        shares_are_parts(got)
        replay(tools, got, trace)


ATOMICS = '''program atomics
  real(16) :: q
  integer :: i, k
  q = 0
  k = 0
!$omp parallel do num_threads(2)
  do i = 1, 10
!$omp atomic
    q = q + i
  end do
!$omp parallel do num_threads(2)
  do i = 1, 10
!$omp atomic
    k = k + i
  end do
  print *, q, k
end program
'''


def atomics_of_the_runtime_are_counted(tools):
    """Those that are instructions are not told."""
    tools.compile_with('gfortran', tools.write('atomics.f90', ATOMICS), 'atomics')
    done, _ = tools.record('atomics', options=['--statistics', '-'])
    rows = re.findall(r'Atomic: +(.*)', done.stdout)
    check(len(rows) == 3 and [r.split()[0] for r in rows] == ['10', '10', 'not'], 'atomics', done.stdout, done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]),
              by_clang, examples, atomics_of_the_runtime_are_counted)
