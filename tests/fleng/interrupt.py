#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An interrupted run flushes its output, says what runs and what waits, completes its trace and
ends with 128 and the signal's number, whatever it is doing; a second interrupt kills it; SIGUSR1 tells
how far it is. What a busy program writes is seen while it runs.

usage: interrupt.py FLENG PAF
"""

import os
import re
import select
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
PROGRESS = re.compile(r'fleng: (\d+) reductions?, \d+ goals? ready, (\d+) waiting, \d+\.\d MB'
                      r'(, virtual time \d+)?\n')
TIME_LIMIT = 600    # seconds: nothing here takes long unless it hangs


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

    def progress(self, reductions, waiting):
        """Asks how far it is until it has made that many reductions and that many goals wait (or
        more). What is wrong with an answer."""
        end = time.monotonic() + TIME_LIMIT
        while time.monotonic() < end:
            self.process.send_signal(signal.SIGUSR1)
            line = self.process.stderr.readline().decode()
            told = PROGRESS.fullmatch(line)
            if not told:
                return 'no report of progress: %r' % line
            if int(told.group(1)) >= reductions and int(told.group(2)) >= waiting:
                return None
            time.sleep(0.01)
        return 'it makes no progress: %s' % line

    def compute(self, seconds):
        """Waits until it has computed for that long."""
        def computed():
            with open('/proc/%d/stat' % self.process.pid, encoding='ascii') as file:
                return int(file.read().rpartition(')')[2].split()[11]) / os.sysconf('SC_CLK_TCK')
        begin, end = computed(), time.monotonic() + TIME_LIMIT
        while computed() - begin < seconds and time.monotonic() < end:
            time.sleep(0.01)

    def interrupt(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def interrupt_until_it_ends(self):
        end = time.monotonic() + TIME_LIMIT
        while self.process.poll() is None and time.monotonic() < end:
            self.interrupt()
            time.sleep(0.1)

    def end(self):
        """Its exit status (None: it does not end) and what it wrote to standard error."""
        try:
            status = self.process.wait(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = None
        text = self.process.stderr.read().decode()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return status, text


def interrupted(commands, source, options, so_far, messages, number=signal.SIGINT):
    """What is wrong with the run of a program that is interrupted when it is as far as that."""
    fleng, paf = commands
    with tempfile.TemporaryDirectory() as folder:
        run = Run(fleng, folder, source, options)
        fault = run.progress(*so_far)
        run.interrupt(number)
        status, stderr = run.end()
        if run.begun != b'begun\n':
            return 'wrote %r' % run.begun
        if fault:
            return fault
        if status != 128 + number:
            return 'exit status %r, %s' % (status, stderr)
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
        run.compute(0.3)
        run.interrupt_until_it_ends()
        status, stderr = run.end()
    return None if status == -signal.SIGINT else 'killed: status %r, %s' % (status, stderr)


def lost_output(fleng, goal):
    """What is wrong with a run whose output cannot be written."""
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([fleng, '-e', goal], stdout=full, stderr=subprocess.PIPE,
                              timeout=TIME_LIMIT, check=False)
    told = b'standard output: cannot write: No space left on device\n'
    if done.returncode != 1 or done.stderr.count(told) != 1:
        return '%s to a full device: status %d, %r' % (goal, done.returncode, done.stderr)
    return None


MEANWHILE = '''
main :- reads, count(1000, R), says(R).
reads :- stdin(S), waits(S).
waits([]).
count(0, R) :- R = done.
count(N, R) :- N > 0 | N1 := N - 1, count(N1, R).
says(done) :- write(hello), nl.
'''


def hears_meanwhile(fleng, options):
    """While one worker waits for a line of input, what others write on a terminal is seen."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'meanwhile.fl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(MEANWHILE)
        terminal, output = os.openpty()
        with subprocess.Popen([fleng, *options, path], stdin=subprocess.PIPE,
                              stdout=output) as process:
            heard = select.select([terminal], [], [], TIME_LIMIT)[0]
            process.stdin.close()
            process.wait()
        os.close(output)
        os.close(terminal)
        return None if heard else 'nothing was written before the input came: %s' % options


BUSY = """
main :- write('begun'), nl, forever(0).
forever(N) :- N1 := N + 1, forever(N1).
"""


def seen_while_busy(fleng, options, number):
    """What is wrong with a program that never flushes: its line must come, or this hangs."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(fleng, folder, BUSY, options)
        run.interrupt(number)
        status, stderr = run.end()
    if run.begun == b'begun\n' and status == 128 + number and 'interrupted' in stderr:
        return None
    return 'busy %s: wrote %r, status %r, %s' % (options, run.begun, status, stderr)


def bindings_so_far(fleng):
    """What is wrong with what an interrupted goal of -e says of its variables."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(fleng, folder, BUSY, ['-e', 'X = f(Y), main, Z = X'])
        run.interrupt(signal.SIGTERM)
        told = run.process.stdout.read()
        run.end()
    return None if told == b'X = f(_1)\nY = _1\nZ = f(_1)\n' else 'interrupted goal: %r' % told


def cases():
    """Program, options; reductions and goals that wait when it is interrupted; what it says."""
    for options in WAYS:
        # On the ideal machine all that waits for nothing is done at every step.
        yield (ENDLESS, options, (100_000, 3),
               [r'error: interrupted after \d+ reductions; \d goals? runs?, 3 goals wait\n',
                r'(?m)^  runs: program.fl:\d+:\d+: forever\(', r'waits for X'])
        yield (CROWD, options, (100_000, 1001),
               [r'interrupted after \d+ reductions; \d goals run, 1001 goals wait',
                r'runs: program.fl:8:\d+: ', r'waits\(X,\w+\), and 999 more goals'])
        yield (READS, options, (3, 1),
               [r'interrupted after', r'runs: program.fl:3:14: stdin\(S\)', r'waits for S'])
    for options in WAYS[:3] + WAYS[4:5]:
        yield (LONG_BUILTINS, options, (0, 1),
               [r'interrupted after \d+ reductions; \d goals? runs?, '])
    for options in WAYS[:2]:
        yield GROWS, options, (100_000, 1), [r'interrupted after \d+ reductions; 1 goal runs, ']
        yield (PENDING, options, (10_000, 1),
               [r'runs: program.fl:\d+:\d+: \w+:=\w+\+1\*1, and \d+ more goals of :=/2'])


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:]]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
        if signal.getsignal(number) == signal.SIG_IGN:  # under nohup; programs would inherit that
            signal.signal(number, signal.SIG_DFL)
    faults = []
    for source, options, so_far, messages in cases():
        fault = interrupted((fleng, paf), source, options, so_far, messages)
        faults.append(fault and ' '.join(options) + source + fault)
    for number, told in ((signal.SIGTERM, 'SIGTERM'), (signal.SIGHUP, 'SIGHUP'),
                         (signal.SIGXCPU, 'SIGXCPU')):
        for options in WAYS:
            fault = interrupted((fleng, paf), ENDLESS, options, (100_000, 3),
                                [r'error: interrupted by %s[^;]* after \d+ reductions; ' % told],
                                number)
            faults.append(fault and '%s %s: %s' % (' '.join(options), told, fault))
    faults += [seen_while_busy(fleng, options, signal.SIGTERM)
               for options in WAYS + [['-j', '2', '-together'], ['-time=real']]]
    faults.append(bindings_so_far(fleng))
    faults.append(killed(fleng))
    faults += [lost_output(fleng, goal) for goal in ('writeln(a)', 'stdout([nl])', 'X = 1')]
    faults += [hears_meanwhile(fleng, way) for way in (['-j', '2'], ['-j', '4', '-time=real'])]
    failures = [fault for fault in faults if fault]
    for failure in failures:
        print('FAILED ' + failure)
    print('%d passed, %d failed' % (len(faults) - len(failures), len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
