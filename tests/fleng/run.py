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

usage: run.py FLENG [--way WAY]... [FILE|FOLDER]...

The ways: plain (-j 1), workers-2 and workers-16 (-j N), ideal (-time=ideal), traced (-trace),
gc-stress (plain, collecting garbage all the time). Without --way: all of them.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

WAYS = ('plain', 'workers-2', 'workers-16', 'ideal', 'traced', 'gc-stress')
SUFFIXES = ('.fl', '.ghc', '.kl1')
DIRECTIVE = re.compile(rb'^%\s*(run|expect|expect-error|reject-error|stdin|exit|ways):[ ]?(.*)$')
TIMEOUT = 120


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
    if way == 'gc-stress':
        return ['-j', '1', '-gc-stress', '97'], None
    return ['-j', way.removeprefix('workers-') if way != 'plain' else '1'], None


def faults(program, way, fleng, folder):
    """What is wrong with a run: a list of texts, empty if nothing is."""
    options, trace = options_of(way, folder)
    command = program.command(fleng, options)
    stdin = ''.join(line + '\n' for line in program.stdin)
    try:
        done = subprocess.run(command, input=stdin.encode(), capture_output=True, timeout=TIMEOUT,
                              cwd=os.path.dirname(os.path.abspath(program.path)), check=False)
    except subprocess.TimeoutExpired:
        return ['did not end within %d s' % TIMEOUT]
    out = done.stdout.decode('utf-8', 'replace')
    err = done.stderr.decode('utf-8', 'replace')
    found = []
    if done.returncode != program.exit:
        found.append('exit status %d, not %d' % (done.returncode, program.exit))
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
    runs = program.exit != 2 and not any(word.startswith('-dump') for word in program.run)
    if trace and runs and not (os.path.exists(trace) and os.path.getsize(trace)):
        found.append('there is no trace')
    return found


def collect(arguments):
    files = []
    for argument in arguments:
        if os.path.isdir(argument):
            files += sorted(os.path.join(argument, name) for name in os.listdir(argument)
                            if name.endswith(SUFFIXES))
        else:
            files.append(argument)
    return files


def main():
    parser = argparse.ArgumentParser(description='Runs golden programs.')
    parser.add_argument('fleng')
    parser.add_argument('--way', action='append', choices=WAYS)
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    files = collect(options.files or [os.path.join(here, 'programs')])
    passed = failed = 0
    for path in files:
        program = Program(path)
        for way in options.way or WAYS:
            if way not in program.ways:
                continue
            with tempfile.TemporaryDirectory() as folder:
                wrong = faults(program, way, os.path.abspath(options.fleng), folder)
            if wrong:
                failed += 1
                print('FAILED %s (%s)' % (path, way))
                for text in wrong:
                    print('    ' + text.rstrip('\n').replace('\n', '\n    '))
            else:
                passed += 1
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
