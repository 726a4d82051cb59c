#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An interrupted run flushes its output, says what waits, completes its trace and ends with 130.

usage: interrupt.py FLENG
"""

import os
import signal
import subprocess
import sys
import tempfile

ENDLESS = """
main :- stdout([writeln(begun), flush|S]), forever(0), waits(X), tell(X, S).
forever(N) :- N1 := N + 1, forever(N1).
waits(go).
tell(done, S) :- S = [].
"""
READS = """
main :- stdout([writeln(begun), flush(D)]), go(D).
go(ok) :- stdin(S), waits(S).
waits([]).
"""


def interrupted(fleng, source, options, message):
    """What is wrong with the run of a program that is interrupted once it has begun."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program.fl')
        trace = os.path.join(folder, 'program.paf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(source)
        with subprocess.Popen([fleng] + options + [path], cwd=folder, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            begun = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            try:
                status = process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                return 'does not end'
            stderr = process.stderr.read().decode()
        if begun != b'begun\n':
            return 'wrote %r' % begun
        if status != 130:
            return 'exit status %d, %s' % (status, stderr)
        if message not in stderr:
            return 'standard error: %s' % stderr
        if '-trace' in options and not os.path.getsize(trace):
            return 'the trace is empty'
    return None


def lost_output(fleng, goal):
    """What is wrong with a run whose output cannot be written."""
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([fleng, '-e', goal], stdout=full, stderr=subprocess.PIPE,
                              timeout=60, check=False)
    if done.returncode != 1 or b'cannot write to standard output' not in done.stderr:
        return '%s to a full device: status %d, %r' % (goal, done.returncode, done.stderr)
    return None


def main():
    fleng = os.path.abspath(sys.argv[1])
    runs = [(ENDLESS, options, 'waits for X') for options in ([], ['-time=ideal'], ['-trace'])]
    runs.append((READS, [], 'interrupted after'))
    faults = [interrupted(fleng, *run) for run in runs]
    faults += [lost_output(fleng, goal) for goal in ('writeln(a)', 'stdout([nl])', 'X = 1')]
    failures = [fault for fault in faults if fault]
    for failure in failures:
        print('FAILED ' + failure)
    print('%d passed, %d failed' % (len(faults) - len(failures), len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
