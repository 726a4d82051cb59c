#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generated programs (tests/oracle/generate.py) against an interpreter written on the coroutines of
SWI-Prolog (interpreter.pl): the same answers, the same ends, and at a deadlock as many goals that
wait, by any number of workers and under any seed.

usage: differential.py [OPTION...] FLENG PAF FIRST[-LAST]
  --seeds N     schedules by seed, of each of the two (3)
  --stop N      stop after N programs that differ
"""

import argparse
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'oracle'))
sys.dont_write_bytecode = True

import generate                         # noqa: E402 (the path comes first)
from compare import Case                # noqa: E402
from core import CompileError           # noqa: E402
from oracle import in_deep_thread       # noqa: E402

TIME_LIMIT = 600
SKIPPED = 77

# Prolog takes {} and '{}' for the same, {(x,y),(x,y)} for {(x,y),x,y}, and quotes fewer atoms.
generate.ODD = [text for text in generate.ODD if text not in ("'{}'", '{}', '(x,y)', "'é'")]


class Wanted:
    """What the generator and the reference need to be told."""
    merges = False
    faults = True
    only_normal = False
    merge_order, merge_tail = 'stream', 'Out'


class Interpreter:
    """The interpreter as a process that answers requests."""

    def __init__(self):
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ['swipl', os.path.join(HERE, 'interpreter.pl')], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, source, goal, seed):
        if self.process is None:
            self.start()
        quoted = 'main' if goal is None else json.dumps(goal, ensure_ascii=False)
        self.process.stdin.write("run('%s', %s, %d).\n" % (source, quoted, seed))
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], TIME_LIMIT)
        line = self.process.stdout.readline() if ready else ''
        if not line:
            self.stop()
            return {'end': 'broken', 'why': 'no answer'}
        return json.loads(line)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def run(words, folder):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=TIME_LIMIT, cwd=folder,
                              check=False)
    except subprocess.TimeoutExpired:
        return 'timeout', ''
    return done.returncode, done.stdout.decode('utf-8', 'replace')


DEADLOCK = 3  # exit status


def answer_of(status, output):
    """What has to be the same. Goals that write come in any order, so characters are compared; a
    failure or a halt leaves some of them out."""
    return status, ''.join(sorted(output)) if status in (0, DEADLOCK) else None


def without_bindings(output, goal):
    """What a program wrote before its end; at a deadlock fleng then says what the goal's variables are."""
    names = '|'.join(re.findall(r'\b[A-Z]\w*', goal or '')) or 'none'
    return re.sub(r'(?:(?:%s) = [^\n]*\n)+\Z' % names, '', output)


def ways(options):
    yield from (['-j', '1'], ['-j', '2'], ['-j', '5'], ['-time=ideal'])
    for seed in range(1, options.seeds + 1):
        yield ['-seed', str(seed), '-j', str(1 + seed % 4)]


def is_determinate(case, machine):
    """A failure comes whatever the schedule, unless something else may end the run before, or what
    the schedule decides may lead around it."""
    if machine.end != 'failure':
        return case.is_determinate(machine, Wanted)
    text = case.program.source_text()
    return (not machine.raced and 'unbound(' not in text
            and not any(goal.startswith('stop(') for goal in case.program.goals))


def waiting(options, start, source, folder):
    trace = os.path.join(folder, 'test.paf')
    run([options.fleng, '-trace=' + trace] + start + [source], folder)
    _, report = run([options.paf, 'report', '--json', trace], folder)
    try:
        return json.loads(report)['suspended']
    except (ValueError, KeyError):
        return None


def differences(case, options, interpreter, folder):
    source = os.path.join(folder, 'test.fl')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(case.program.source_text())
    goal = case.program.start()
    start = [] if goal is None else ['-e', goal]
    expected = {}
    found = []
    for seed in range(1, options.seeds + 1):
        answer = interpreter.ask(source, goal, seed)
        if answer['end'] in ('broken', 'limit'):
            return ['interpreter, seed %d: %s' % (seed, answer)]
        key = answer_of(answer['status'], answer['output'])
        expected.setdefault(key, (seed, answer))
    if len(expected) > 1:
        return ['interpreter, answers by seed: %r' % list(expected.values())]
    (key, (_, answer)), = expected.items()
    for way in ways(options):
        status, output = run([options.fleng] + way + start + [source], folder)
        if status == DEADLOCK:
            output = without_bindings(output, goal)
        if answer_of(status, output) != key:
            found.append('%s: status %s, %r\n    expected %s' % (' '.join(way), status, output,
                                                                answer))
    if answer['end'] == 'deadlock' and not found:
        suspended = waiting(options, start, source, folder)
        if suspended != answer['waiting']:
            found.append('%s goals wait, expected %d' % (suspended, answer['waiting']))
    return found


def command(options):
    first, _, last = options.programs.partition('-')
    counts = {}
    bad = 0
    interpreter = Interpreter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            case = Case(seed, Wanted)
            case.costs, case.stop = {}, None
            try:
                machine = case.expected(Wanted)
            except CompileError:
                continue
            if machine is None or not is_determinate(case, machine):
                continue
            found = differences(case, options, interpreter, folder)
            counts[machine.end] = counts.get(machine.end, 0) + 1
            if found:
                bad += 1
                print('program %d:\n%s' % (seed, '\n'.join('  ' + text for text in found)))
                sys.stdout.flush()
            if options.stop and bad >= options.stop:
                break
    interpreter.stop()
    total = sum(counts.values())
    print('%d programs (%s); %d differ' % (total, ', '.join(
        '%s: %d' % pair for pair in sorted(counts.items())), bad))
    return 1 if bad or not total else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('fleng', type=os.path.abspath)
    parser.add_argument('paf', type=os.path.abspath)
    parser.add_argument('programs')
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--stop', type=int, default=0)
    options = parser.parse_args()
    if not shutil.which('swipl'):
        print('skipped: SWI-Prolog is not installed')
        return SKIPPED
    status = []
    in_deep_thread(lambda: status.append(command(options)))
    return status[0] if status else 70


if __name__ == '__main__':
    sys.exit(main())
