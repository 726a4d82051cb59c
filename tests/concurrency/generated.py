#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generated programs (tests/oracle/generate.py) with several workers: what a program answers must not
depend on them where it does not depend on the schedule; no other may crash or hang.

usage: generated.py [OPTION...] FLENG FIRST[-LAST]
  --schedules PROGRAM   also by PROGRAM (schedules.c), which knows more schedules than threads meet
  --repeat N            each way N times (1)
  --stop N              stop after N programs that differ
"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'oracle'))

from compare import Case, any_order     # noqa: E402 (the path comes first)
from core import CompileError           # noqa: E402
from oracle import in_deep_thread       # noqa: E402

WAYS = [['-j', '1'], ['-j', '2'], ['-j', '16'], ['-j', '4', '-gc-stress', '37']]
TIME_LIMIT = 600


class Wanted:
    """What the generator and the reference need to be told."""
    merges = faults = True
    only_normal = False
    merge_order, merge_tail = 'stream', 'Out'


def run(words, folder):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=TIME_LIMIT, cwd=folder,
                              check=False)
    except subprocess.TimeoutExpired:
        return 'timeout', '', ''
    return (done.returncode, done.stdout.decode('utf-8', 'replace'),
            done.stderr.decode('utf-8', 'replace'))


def is_determinate(case, machine):
    try:
        return case.is_determinate(machine, Wanted)
    except AssertionError as error:     # the reference takes it for determinate, and is wrong
        print(error)
        return False


def unhealthy(status, err):
    """A crash, a hang, a race: what no schedule may lead to."""
    return (status == 'timeout' or status < 0 or status > 128 or status == 70
            or 'ThreadSanitizer' in err)


def differences(case, machine, options, folder):
    source = os.path.join(folder, 'test.fl')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(case.program.source_text())
    start = [] if case.program.start() is None else ['-e', case.program.start()]
    determinate = is_determinate(case, machine)
    answers = {}
    found = []
    for way in WAYS:
        for _ in range(1 if way == WAYS[0] else options.repeat):
            status, out, err = run([options.fleng] + way + start + [source], folder)
            if unhealthy(status, err):
                found.append('%s: status %s, %s' % (' '.join(way), status, err[:2000]))
            # Concurrent writes come in any order: the characters are the same.
            answers.setdefault((status, ''.join(sorted(out))), ' '.join(way))
    if determinate and len(answers) > 1:
        found.append('; '.join('%s: %r' % (way, answer) for answer, way in answers.items()))
    if determinate and options.schedules and not found:
        status, out, err = run([options.schedules, '-same', '-seed', str(case.seed + 1),
                                '-limit', '100'] + start + [source], folder)
        if status != 0:
            found.append('schedules: status %s, %s %s' % (status, out[:500], err[-300:]))
    return determinate, found


def command(options):
    first, _, last = options.seeds.partition('-')
    bad = determinate = others = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            case = Case(seed, Wanted)
            case.costs, case.stop = {}, None
            try:
                machine = case.expected(Wanted)
            except CompileError:
                continue
            if machine is None:
                continue
            same, found = differences(case, machine, options, folder)
            determinate += same
            others += not same
            if found:
                bad += 1
                print('seed %d (%s):' % (seed, any_order(machine)[0]))
                print('\n'.join('  ' + text for text in found))
                sys.stdout.flush()
            if options.stop and bad >= options.stop:
                break
    print('%d programs whose answer is determined, %d others; %d failed'
          % (determinate, others, bad))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('fleng', type=os.path.abspath)
    parser.add_argument('seeds')
    parser.add_argument('--schedules', type=os.path.abspath)
    parser.add_argument('--repeat', type=int, default=1)
    parser.add_argument('--stop', type=int, default=0)
    options = parser.parse_args()
    status = []
    in_deep_thread(lambda: status.append(command(options)))
    return status[0] if status else 70


if __name__ == '__main__':
    sys.exit(main())
