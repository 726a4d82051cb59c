#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the first finding of a recorded run name the cause, and is its price right?

usage: run.py --paf PAF [--bridge KPX-BRIDGE] [--only NAME]... [--times N] [--keep]
              [--named N] [--near N] [--promises N] [--two N]

Every folder with a file `cause` is a pair: a slow program, a fixed one, and the cause. The file has the
lines

  run: openmp COMPILER | threads COMPILER | mpi RANKS | hybrid RANKS    how it is compiled and run
  at: TEXT                            a line of the slow source that has TEXT is the place to change;
  at: TEXT$ NEXT                      only if one of the next two lines has NEXT
  why: SENTENCE
  kind: KIND...                       which kinds of findings say so

Every folder with a file `causes` has two causes in one program: slow, first without the first cause,
second without the second one, fixed without both; its two blocks of lines are like those of a file
`cause`. Both must be findings with the savings that first and second show, and `together` must say what
fixed shows.

Every folder with a file `sound` has one program, sound.c or sound.f90, with nothing to remove.

Without --bridge the recordings in recordings/ are priced: NAME-slow.paf, NAME-fixed.paf, NAME-sound.paf.
NAME-busy.paf is the slow program on a busy machine, NAME-routines.paf with its routines and loops measured,
too: their first findings name the cause as well.
With it all programs are compiled and recorded N times, the shortest run of each counts, and --keep puts
these recordings into recordings/. A busy machine disturbs the prices; the shortest of several short runs
is disturbed least.

  saving     1 - elapsed(fixed) / elapsed(slow), in percent
  predicted  the saving of the first finding of the slow run
  error      predicted - saving, in percentage points

A finding names the cause if its kind is one of the cause's, and its line one of the cause's lines.
A promise is a finding of 5 % or more on a sound program. --named, --near and --promises decide the exit
status: at least so many causes are named first, at least so many errors are below 10, at most so many
promises are made, at least so many programs with two causes are told right.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, 'recordings')
NEAR = 10.0
PROMISE = 0.05
LIMIT = 600  # seconds
OTHERWISE = ['busy', 'routines']
PARTS = {'hybrid': ['--mpi', '--openmp']}


def read_causes(folder, name):
    """One for each block of lines."""
    with open(os.path.join(folder, name), encoding='utf-8') as file:
        return [fields_of(block.split('\n')) for block in file.read().strip().split('\n\n')]


def fields_of(lines):
    cause = {'at': []}
    for line in lines:
        key, _, value = line.partition(': ')
        if key == 'at':
            cause['at'].append(value)
        elif key:
            cause[key] = value
    return cause


def source_of(folder, name):
    return next(os.path.join(folder, f) for f in sorted(os.listdir(folder))
                if f.startswith(name + '.') and not f.endswith('.paf'))


def lines_of(cause, source):
    """The numbers of the lines that the cause names."""
    with open(source, encoding='utf-8') as file:
        text = file.read().split('\n')
    found = set()
    for pattern in cause['at']:
        here, _, after = pattern.partition('$ ')
        hits = {i + 1 for i, line in enumerate(text)
                if here in line and (not after or any(after in t for t in text[i + 1:i + 3]))}
        assert hits, (source, pattern)
        found |= hits
    return found


def whole(report):
    """What the run took; of a busy machine what it takes with its processors."""
    return report.get('undisturbed', report['elapsed'])


class Recorder:
    """Compiles and records programs in a folder of its own."""

    def __init__(self, bridge, times, folder):
        self.bridge, self.times, self.folder = os.path.abspath(bridge), times, folder

    def compile(self, source, how, program):
        fortran = source.endswith('.f90')
        if how[0] == 'openmp':
            compiler = {'clang': 'clang-19', 'flang': 'flang-new-19'}.get(how[1], how[1])
            words = [compiler, '-g', '-O1', '-fopenmp']
        elif how[0] == 'threads':
            words = [how[1], '-g', '-O1', '-pthread']
        else:
            words = ['mpif90' if fortran else 'mpicc', '-g', '-O1']
            words += ['-fopenmp'] if how[0] == 'hybrid' else []
        if not shutil.which(words[0]):
            return False
        words += [source, '-o', program] + ([] if fortran else ['-lm'])
        subprocess.run(words, check=True, cwd=self.folder, timeout=LIMIT)
        return True

    def record(self, source, how, name, elapsed):
        """The path of the shortest of several recordings, or None if a tool is missing."""
        program = os.path.join(self.folder, name)
        if not self.compile(source, how, program):
            return None
        environment = dict(os.environ, OMP_NUM_THREADS='2', OMPI_ALLOW_RUN_AS_ROOT='1',
                           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
        run = [program]
        if how[0] in ('mpi', 'hybrid'):
            if not shutil.which('mpirun'):
                return None
            run = ['mpirun', '--oversubscribe', '-n', how[1], program]
            if how[0] == 'hybrid': # a rank has the processors of its threads
                run[1:1] = ['--bind-to', 'none']
        best = program + '.paf'
        least = None
        for _ in range(self.times):
            new = program + '.new.paf'
            parts = PARTS.get(how[0], ['--' + how[0]])
            subprocess.run([self.bridge, 'record'] + parts + ['-o', new, '--'] + run, check=True,
                           cwd=self.folder, env=environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=LIMIT)
            took = elapsed(new)
            if least is None or took < least:
                least = took
                os.replace(new, best)
        return best


class Table:
    """Rows as they are known, and what is counted."""

    def __init__(self, paf):
        self.paf, self.named, self.near, self.promises, self.pairs = paf, 0, 0, 0, 0
        self.two = self.lost = 0
        print('%-12s %-14s %7s %9s %6s  %s' % ('program', 'first finding', 'saving', 'predicted',
                                               'error', 'at'))

    def report(self, trace):
        done = subprocess.run([self.paf, 'report', '--json', trace], check=True,
                              capture_output=True, text=True, timeout=LIMIT)
        return json.loads(done.stdout)

    def elapsed(self, trace):
        return self.report(trace)['elapsed']

    def pair(self, name, cause, lines, slow, fixed):
        before, after = self.report(slow), self.report(fixed)
        first = before['findings'][0] if before['findings'] else None
        saving = 100 * (1 - whole(after) / whole(before))
        predicted = 100 * first['saving'] if first else 0
        named = bool(first) and first['kind'] in cause['kind'].split() and first['line'] in lines
        near = named and abs(predicted - saving) < NEAR
        self.pairs += 1
        self.named += named
        self.near += near
        where = '%s:%s' % (first['file'], first['line']) if first else '-'
        print('%-12s %-14s %6.1f%% %8.1f%% %6.1f  %s%s' % (
            name, first['kind'] if first else '-', saving, predicted, predicted - saving, where,
            '' if named else '  NOT THE CAUSE' if first else '  NOTHING FOUND'))
        for finding in before['findings']:
            check_text(name, finding)

    def again(self, name, variant, cause, lines, trace):
        """The slow program, recorded otherwise: its first finding is the same."""
        findings = self.report(trace)['findings']
        kinds = cause['kind'].split()
        named = bool(findings) and findings[0]['kind'] in kinds and findings[0]['line'] in lines
        self.lost += not named
        print('%-12s %-9s %s' % (name, variant, 'named' if named else 'NOT NAMED'))

    def two_causes(self, name, causes, source, traces):
        """Both are findings, each with its saving, and what both save together is said."""
        reports = {variant: self.report(trace) for variant, trace in traces.items()}
        slow = reports['slow']
        shown = [100 * (1 - reports[v]['elapsed'] / slow['elapsed'])
                 for v in ('first', 'second', 'fixed')]
        numbers = []
        for cause in causes:
            lines = lines_of(cause, source)
            numbers += [i for i, f in enumerate(slow['findings'])
                        if f['kind'] in cause['kind'].split() and f['line'] in lines][:1]
        predicted = [100 * slow['findings'][i]['saving'] for i in numbers]
        predicted += [100 * row['saving'] for row in slow['together']
                      if sorted(row['findings']) == sorted(numbers)]
        right = len(set(numbers)) == 2 and len(predicted) == 3 and all(
            abs(p - s) < NEAR for p, s in zip(predicted, shown))
        self.two += right
        print('%-12s %s' % (name, '  '.join('%s %.1f%% (said: %.1f%%)' % row for row in zip(
            ('first', 'second', 'both'), shown, predicted)) if right else 'NOT BOTH CAUSES'))
        for finding in slow['findings']:
            check_text(name, finding)

    def sound(self, name, trace):
        found = [f for f in self.report(trace)['findings'] if f['saving'] >= PROMISE]
        self.promises += len(found)
        print('%-12s %s' % (name, 'nothing to remove' if not found else
                            'PROMISES ' + '; '.join(f['text'] for f in found)))


def check_text(name, finding):
    """Every finding has a place, a price and an edit that names a place."""
    place = '%s:%s' % (finding['file'], finding['line'])
    assert finding['file'] and finding['line'], (name, finding)
    assert ' instead of ' in finding['text'] and '%' in finding['text'], (name, finding['text'])
    assert place in finding['text'] + finding['advice'], (name, finding)
    assert finding['file'] + ':' in finding['advice'], (name, finding['advice'])


def find(kind, only):
    for name in sorted(os.listdir(HERE)):
        folder = os.path.join(HERE, name)
        if os.path.exists(os.path.join(folder, kind)) and (not only or name in only):
            yield name, folder


def trace_of(o, recorder, table, folder, name, variant, how):
    kept = os.path.join(KEPT, '%s-%s.paf' % (name, variant))
    if not recorder:
        return kept if os.path.exists(kept) else None
    made = recorder.record(source_of(folder, variant), how, '%s-%s' % (name, variant),
                           table.elapsed)
    if made and o.keep:
        shutil.copy(made, kept)
    return made


def run_pairs(o, recorder, table):
    for name, folder in find('cause', o.only):
        cause = read_causes(folder, 'cause')[0]
        how = cause['run'].split()
        slow = trace_of(o, recorder, table, folder, name, 'slow', how)
        fixed = slow and trace_of(o, recorder, table, folder, name, 'fixed', how)
        if not fixed:
            print('%-12s no recording, or no tool to make one' % name)
            continue
        lines = lines_of(cause, source_of(folder, 'slow'))
        table.pair(name, cause, lines, slow, fixed)
        for variant in OTHERWISE:
            kept = os.path.join(KEPT, '%s-%s.paf' % (name, variant))
            if not recorder and os.path.exists(kept):
                table.again(name, variant, cause, lines, kept)


def run_two(o, recorder, table):
    for name, folder in find('causes', o.only):
        causes = read_causes(folder, 'causes')
        how = causes[0]['run'].split()
        traces = {v: trace_of(o, recorder, table, folder, name, v, how)
                  for v in ('slow', 'first', 'second', 'fixed')}
        if all(traces.values()):
            table.two_causes(name, causes, source_of(folder, 'slow'), traces)


def run(o, recorder):
    table = Table(o.paf)
    run_pairs(o, recorder, table)
    run_two(o, recorder, table)
    for name, folder in find('sound', o.only):
        with open(os.path.join(folder, 'sound'), encoding='utf-8') as file:
            how = file.readline().partition(': ')[2].split()
        trace = trace_of(o, recorder, table, folder, name, 'sound', how)
        if trace:
            table.sound(name, trace)
    print('%d of %d causes named first, %d of them with an error below %d points, %d promises, %d with '
          'two causes' % (table.named, table.pairs, table.near, NEAR, table.promises, table.two))
    return (table.named >= o.named and table.near >= o.near and table.promises <= o.promises and
            table.two >= o.two and table.lost == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--paf', required=True)
    parser.add_argument('--bridge')
    parser.add_argument('--only', action='append')
    parser.add_argument('--times', type=int, default=3)
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--named', type=int, default=0)
    parser.add_argument('--near', type=int, default=0)
    parser.add_argument('--promises', type=int, default=1 << 30)
    parser.add_argument('--two', type=int, default=0)
    o = parser.parse_args()
    o.paf = os.path.abspath(o.paf)
    if not o.bridge:
        return not run(o, None)
    with tempfile.TemporaryDirectory() as folder:
        return not run(o, Recorder(o.bridge, o.times, folder))


if __name__ == '__main__':
    sys.exit(main())
