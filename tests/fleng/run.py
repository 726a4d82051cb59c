#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs that carry what is expected of them, as comments:

    % run: -e 'p(X)' -- one two     arguments (the file is put before `--`, or where FILE stands)
    % expect: a line of standard output   (all lines, in order)
    % expect-error: part of what standard error says   (each must be found; none: it is empty)
    % reject-error: what standard error must not say
    % stdin: a line of standard input
    % exit: 3                       exit status (0 if not given)
    % ways: plain ideal             only in these ways

usage: run.py FLENG [--way WAY]... [--seeds FIRST-LAST] [--every N] [FILE|FOLDER]...

The ways: plain (-j 1), workers-4 (-j 4), workers-2 and workers-16 (-j N -together), ideal
(-time=ideal), traced (-trace), real-1 and real-2 (-time=real -trace -j N), gc-stress (plain,
collecting garbage all the time), seeds (-seed N -j J for each of --seeds, 1-20 if not given; the
number of virtual workers goes by the seed; each program's first seed twice, which has to give the
same). Without --way: all of them. With --every N one program in N is run. What fails is named with the options that replay it.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

WAYS = ('plain', 'workers-2', 'workers-4', 'workers-16', 'ideal', 'traced', 'real-1', 'real-2',
        'gc-stress', 'seeds')
VIRTUAL_WORKERS = (4, 1, 2, 3, 8)
UNSEEDED = ('-time', '-trace', '-profile', '-until', '-cost', '-seed', '-dump', '-check')
SUFFIXES = ('.fl', '.ghc', '.kl1')
DIRECTIVE = re.compile(rb'^%\s*(run|expect|expect-error|reject-error|stdin|exit|ways):[ ]?(.*)$')
TIMEOUT = 600


class Program:
    def __init__(self, path):
        self.path = path
        self.run = []
        self.expected = []
        self.errors = []
        self.rejected = []
        self.stdin = []
        self.exit = 0
        self.ways = WAYS
        with open(path, 'rb') as file:
            for line in file.read().split(b'\n'):
                match = DIRECTIVE.match(line.rstrip(b'\r'))
                if match:
                    self.take(match.group(1).decode(), match.group(2).decode('utf-8', 'replace'))

    def take(self, name, value):
        if name == 'run':
            self.run = shlex.split(value)
        elif name == 'expect':
            self.expected.append(value)
        elif name == 'expect-error':
            self.errors.append(value)
        elif name == 'reject-error':
            self.rejected.append(value)
        elif name == 'stdin':
            self.stdin.append(value)
        elif name == 'exit':
            self.exit = int(value)
        elif name == 'ways':
            self.ways = value.split()

    def command(self, fleng, options):
        name = os.path.basename(self.path)
        if 'FILE' in self.run:
            arguments = [name if word == 'FILE' else word for word in self.run]
        elif '--' in self.run:
            at = self.run.index('--')
            arguments = self.run[:at] + [name] + self.run[at:]
        else:
            arguments = self.run + [name]
        return [fleng] + options + arguments


def options_of(way, folder):
    if way == 'ideal':
        return ['-time=ideal'], None
    if way == 'traced':
        trace = os.path.join(folder, 'trace.paf')
        return ['-trace=' + trace], trace
    if way.startswith('real-'):
        trace = os.path.join(folder, 'trace.paf')
        return ['-time=real', '-j', way.removeprefix('real-'), '-trace=' + trace], trace
    if way == 'gc-stress':
        return ['-j', '1', '-gc-stress', '97'], None
    if way == 'workers-4':
        return ['-j', '4'], None
    if way == 'plain':
        return ['-j', '1'], None
    return ['-j', way.removeprefix('workers-'), '-together'], None


def run(program, options, fleng):
    """What a run wrote and how it ended: status, standard output and error; None: it did not end."""
    stdin = ''.join(line + '\n' for line in program.stdin)
    try:
        done = subprocess.run(program.command(fleng, options), input=stdin.encode(),
                              capture_output=True, timeout=TIMEOUT,
                              cwd=os.path.dirname(os.path.abspath(program.path)), check=False)
    except subprocess.TimeoutExpired:
        return None
    return (done.returncode, done.stdout.decode('utf-8', 'replace'),
            done.stderr.decode('utf-8', 'replace'))


def unexpected(program, done):
    """What is wrong with a run: a list of texts, empty if nothing is."""
    if done is None:
        return ['did not end within %d s' % TIMEOUT]
    status, out, err = done
    found = []
    if status != program.exit:
        found.append('exit status %d, not %d' % (status, program.exit))
    expected = ''.join(line + '\n' for line in program.expected)
    if out != expected:
        found.append('standard output:\n%s--- expected:\n%s' % (out, expected))
    missing = [part for part in program.errors if part not in err]
    if missing or (err and not program.errors):
        found.append('standard error:\n%s--- expected in it:\n%s\n'
                     % (err, '\n'.join(missing) or 'nothing'))
    for part in program.rejected:
        if part in err:
            found.append('standard error:\n%s--- should not hold: %s\n' % (err, part))
    return found


def faults(program, way, fleng):
    with tempfile.TemporaryDirectory() as folder:
        options, trace = options_of(way, folder)
        found = unexpected(program, run(program, options, fleng))
        runs = program.exit != 2 and not any(word.startswith(('-dump', '-check')) for word in program.run)
        if trace and runs and not (os.path.exists(trace) and os.path.getsize(trace)):
            found.append('there is no trace')
    return found


def has_schedules(program):
    return program.exit != 2 and not any(word.startswith(UNSEEDED) for word in program.run)


def seed_options(seed):
    return ['-seed', str(seed), '-j', str(VIRTUAL_WORKERS[seed % len(VIRTUAL_WORKERS)])]


def seed_faults(program, seeds, fleng):
    """What is wrong under the first of the seeds that fails, with what replays it."""
    if not has_schedules(program):
        return []
    for seed in seeds:
        done = run(program, seed_options(seed), fleng)
        found = unexpected(program, done)
        if seed == seeds[0] and run(program, seed_options(seed), fleng) != done:
            found.append('a second run with the same seed is another one')
        if found:
            return ['fails: ' + ' '.join(program.command('fleng', seed_options(seed)))] + found
    return []


def collect(arguments):
    files = []
    for argument in arguments:
        if os.path.isdir(argument):
            files += sorted(os.path.join(argument, name) for name in os.listdir(argument)
                            if name.endswith(SUFFIXES))
        else:
            files.append(argument)
    return files


def check(path, ways, seeds, fleng):
    """Ways that a program was run in, and (way, faults) of those where something was wrong."""
    program = Program(path)
    ways = [way for way in ways if way in program.ways]
    wrong = [(way, seed_faults(program, seeds, fleng) if way == 'seeds'
              else faults(program, way, fleng)) for way in ways]
    return len(ways), [(way, found) for way, found in wrong if found]


def number_range(text):
    first, last = text.split('-')
    return range(int(first), int(last) + 1)


def main():
    parser = argparse.ArgumentParser(description='Runs golden programs.')
    parser.add_argument('fleng')
    parser.add_argument('--way', action='append', choices=WAYS)
    parser.add_argument('--seeds', type=number_range, default=range(1, 21), metavar='FIRST-LAST')
    parser.add_argument('--every', type=int, default=1, metavar='N')
    parser.add_argument('--jobs', type=int, default=1, help='programs run beside each other')
    parser.add_argument('files', nargs='*')
    options = parser.parse_intermixed_args()
    here = os.path.dirname(os.path.abspath(__file__))
    files = collect(options.files or [os.path.join(here, 'programs')])[::options.every]
    fleng = os.path.abspath(options.fleng)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        checks = pool.map(lambda path: check(path, options.way or WAYS, options.seeds, fleng), files)
        for path, (tried, wrong) in zip(files, checks):
            passed += tried - len(wrong)
            failed += len(wrong)
            for way, found in wrong:
                print('FAILED %s (%s)' % (path, way))
                for text in found:
                    print('    ' + text.rstrip('\n').replace('\n', '\n    '))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
