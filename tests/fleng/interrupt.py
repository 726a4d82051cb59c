#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An interrupted run flushes its output, says what runs and what waits, completes its trace and
ends with 130, whatever it is doing; a second interrupt kills it; SIGUSR1 tells how far it is.

usage: interrupt.py FLENG PAF
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

BEGUN = 'main :- stdout([writeln(begun), flush(D)|S]), go(D, S).\n'
ENDLESS = BEGUN + """
go(ok, S) :- forever(0), waits(X), tell(X, S).
forever(N) :- N1 := N + 1, forever(N1).
waits(go).
tell(done, S) :- S = [].
"""
CROWD = BEGUN + """
go(ok, _) :- crowd(1000, X, Y), all(Y).
crowd(N, X, Y) :- N > 0 | waits(X, Y), N1 := N - 1, crowd(N1, X, Y).
crowd(0, _, Y) :- Y = made.
waits(go, _).
all(made) :- forever(0), crowd(0, _, _), forever(1), forever(2).
forever(N) :- N1 := N + 1, forever(N1).
"""
READS = BEGUN + """
go(ok, _) :- stdin(S), waits(S).
waits([]).
"""
# Each takes a tenth of a second or so: a turn of thousands would take minutes.
LONG_BUILTINS = BEGUN + """
go(ok, _) :- powers(200000).
powers(N) :- wait(N) | X := 7 ** N, even(X, E), N1 := N + E + 1, powers(N1).
even(X, E) :- E := X mod 2.
"""
ONE_LONG_BUILTIN = BEGUN + """
go(ok, _) :- X := 7 ** 200000000, Y := X mod 2, waits(Y).
waits(go).
"""
GROWS = BEGUN + """
go(ok, _) :- grow(0, []).
grow(N, L) :- N1 := N + 1, grow(N1, [f(N1, L)|L]).
"""

PENDING = BEGUN + """
go(ok, X) :- sum(1, X).
sum(N, R) :- sum(N, R1), R := R1 + N * N.
"""

WAYS = [['-j', '1'], ['-j', '2'], ['-j', '8'], ['-seed', '5'], ['-time=ideal'], ['-trace'],
        ['-profile']]
PROGRESS = re.compile(r'^fleng: \d+ reductions, \d+ goals ready, \d+ waiting, \d+\.\d MB'
                      r'(, virtual time \d+)?$', re.M)


class Run:
    """A program that has begun, as its output says."""

    def __init__(self, fleng, folder, source, options):
        path = os.path.join(folder, 'program.fl')
        self.trace = os.path.join(folder, 'program.paf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(source)
        self.process = subprocess.Popen([fleng] + options + ['program.fl'], cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.begun = self.process.stdout.readline()

    def signal(self, *numbers):
        for number in numbers:
            time.sleep(0.3)
            self.process.send_signal(number)

    def end(self):
        """Its exit status (None: it does not end) and what it wrote to standard error."""
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = None
        text = self.process.stderr.read().decode()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return status, text


def interrupted(commands, source, options, messages):
    """What is wrong with the run of a program that is interrupted once it has begun."""
    fleng, paf = commands
    with tempfile.TemporaryDirectory() as folder:
        run = Run(fleng, folder, source, options)
        run.signal(signal.SIGUSR1, signal.SIGINT)
        status, stderr = run.end()
        if run.begun != b'begun\n':
            return 'wrote %r' % run.begun
        if status != 130:
            return 'exit status %r, %s' % (status, stderr)
        if not PROGRESS.search(stderr):
            return 'no report of progress: %s' % stderr
        for message in messages:
            if not re.search(message, stderr):
                return 'not in standard error: %s\n%s' % (message, stderr)
        if '-trace' in options or '-profile' in options:
            done = subprocess.run([paf, 'info', '--verify', run.trace], capture_output=True,
                                  check=False)
            if done.returncode != 0 or b'every checksum is right' not in done.stdout:
                return 'the trace: %r %r' % (done.stdout, done.stderr)
    return None


def killed(fleng):
    """What is wrong if a second interrupt does not end a built-in that takes long."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(fleng, folder, ONE_LONG_BUILTIN, ['-j', '1'])
        run.signal(signal.SIGINT, signal.SIGINT)
        status, stderr = run.end()
    return None if status == -signal.SIGINT else 'killed: status %r, %s' % (status, stderr)


def lost_output(fleng, goal):
    """What is wrong with a run whose output cannot be written."""
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([fleng, '-e', goal], stdout=full, stderr=subprocess.PIPE,
                              timeout=60, check=False)
    if done.returncode != 1 or b'cannot write to standard output' not in done.stderr:
        return '%s to a full device: status %d, %r' % (goal, done.returncode, done.stderr)
    return None


def cases():
    for options in WAYS:
        # On the ideal machine all that waits for nothing is done at every step.
        yield ENDLESS, options, [r'error: interrupted after \d+ reductions; \d goals? runs?, '
                                 r'3 goals wait\n', r'(?m)^  runs: program.fl:\d+:\d+: forever\(',
                                 r'waits for X']
        yield CROWD, options, [r'interrupted after \d+ reductions; \d goals run, 1001 goals wait',
                               r'runs: program.fl:8:\d+: ', r'waits\(X,\w+\), and 999 more goals']
        yield READS, options, [r'interrupted after', r'runs: program.fl:3:14: stdin\(S\)',
                               r'waits for S']
    for options in WAYS[:3] + WAYS[4:5]:
        yield LONG_BUILTINS, options, [r'interrupted after \d+ reductions; \d goals? runs?, ']
    for options in WAYS[:2]:
        yield GROWS, options, [r'interrupted after \d+ reductions; 1 goal runs, ']
        yield PENDING, options, [r'runs: program.fl:\d+:\d+: \w+:=\w+\+1\*1, '
                                 r'and \d+ more goals of :=/2']


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:]]
    faults = []
    for source, options, messages in cases():
        fault = interrupted((fleng, paf), source, options, messages)
        faults.append(fault and ' '.join(options) + source + fault)
    faults.append(killed(fleng))
    faults += [lost_output(fleng, goal) for goal in ('writeln(a)', 'stdout([nl])', 'X = 1')]
    failures = [fault for fault in faults if fault]
    for failure in failures:
        print('FAILED ' + failure)
    print('%d passed, %d failed' % (len(faults) - len(failures), len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
