#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_summary.py FLENG PAF CHECKER: the summaries of traces. Small programs of all kinds are recorded,
and CHECKER sums them; longer ones have a summary in the file, which `paf info --verify` compares with
their reductions, which gives the same picture, and whose damage does not change what else is read."""

import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(ROOT, 'bench', 'programs')
# name, argument, options: from 65,536 reductions on, wide and narrow, with waiting goals and processes
LONG = [('nrev', '1', []), ('fib', '1', []), ('queens', '20', []), ('stream', '17000', []),
        ('merge', '7000', []), ('suspended', '25000', []), ('pipeline', '1000', []),
        ('qsort', '2', ['-time=real', '-j', '2'])]
SUMMARY, DEPENDENCIES, STANDING, HEADER, CHUNK = 22, 24, 25, 16, 64
# name, argument: long enough for a summary that is fine enough for the strip of the whole run above a window
WINDOWS = [('nrev', '7'), ('queens', '40'), ('merge', '30000')]
ALIASES = """main :- loop(530000, X, Y), Y = 1, done(X).
loop(N, X, Y) :- N > 0 | N1 := N - 1, loop(N1, X, Y).
loop(0, X, Y) :- X = Y.
done(X) :- X > 0 | true.
"""
FAILURES = []


def expect(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=120)


def record(fleng, trace, *command):
    try:
        subprocess.run([fleng, '-trace=' + trace, '-limit', '20000', *command],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False, timeout=20)
    except subprocess.TimeoutExpired:
        return False
    return os.path.exists(trace)


def check_small(fleng, checker, work):
    traces = []
    sources = sorted(glob.glob(os.path.join(ROOT, 'tests', 'fleng', 'programs', '*.fl')))
    for i, source in enumerate(sources[::5]):
        for way in ([], ['-cost', 'append/3=3'], ['-time=real', '-j', '2']) if i % 4 == 0 else ([],):
            name = os.path.basename(source) + ''.join(way).replace('/', '_')
            trace = os.path.join(work, name + '.paf')
            if record(fleng, trace, *way, source):
                traces.append(trace)
    expect(len(traces) > 20, 'only %d small programs leave a trace' % len(traces))
    done = run(checker, *traces)
    expect(done.returncode == 0, 'small programs: ' + done.stdout + done.stderr)


def chunks(data):
    """Offset, kind and size of each chunk."""
    at = HEADER
    while at < len(data):
        head = struct.unpack_from('<14I', data, at)
        size = CHUNK + sum(head[8:14])
        yield at, head[0], size
        at += size


def without(data, *kinds):
    return data[:HEADER] + b''.join(data[at:at + size] for at, kind, size in chunks(data)
                                    if kind not in kinds)


def without_summary(data):
    """The file as if it had been too short for a summary."""
    return without(data, SUMMARY, DEPENDENCIES, STANDING)


def check_long(fleng, paf, work):
    os.mkdir(os.path.join(work, 'other'))
    for name, argument, options in LONG:
        trace, other = os.path.join(work, name + '.paf'), os.path.join(work, 'other', name + '.paf')
        done = run(fleng, '-trace=' + trace, *options, os.path.join(PROGRAMS, name + '.fl'), '--', argument)
        expect(done.returncode in (0, 1), '%s: %s' % (name, done.stderr))
        done = run(paf, 'info', '--verify', trace)
        expect(done.returncode == 0 and 'the summary has the figures' in done.stdout,
               '%s: %s %s' % (name, done.stdout, done.stderr))
        with open(trace, 'rb') as file:
            data = file.read()
        with open(other, 'wb') as file:
            file.write(without_summary(data))
        expect(len(data) - os.path.getsize(other) < max(len(data) / 20, 8192),
               '%s: the summary takes %d of %d bytes' % (name, len(data) - os.path.getsize(other), len(data)))
        same_picture(paf, name, trace, other)
        check_limit(fleng, paf, name, argument, options, len(data), other)
        if name in ('nrev', 'pipeline'):
            check_damage(paf, name, data, other)


def same_picture(paf, name, trace, other):
    pictures = []
    for path in trace, other:
        picture = path + '.svg'
        run(paf, 'export', '--view', 'parallelism', '--size', '500x300', '-o', picture, path)
        with open(picture, encoding='utf-8') as file:
            pictures.append(file.read())
    expect(pictures[0] == pictures[1], name + ': the picture depends on the summary')


def check_limit(fleng, paf, name, argument, options, size, path):
    """A trace that is cut has no summary; one that fits is as without a limit."""
    for limit in size // 2, 2 * size:
        run(fleng, '-trace=' + path, '-trace-limit=%dk' % (limit // 1024), *options,
            os.path.join(PROGRAMS, name + '.fl'), '--', argument)
        done = run(paf, 'info', '--verify', path)
        expect(done.returncode == 0 and ('the summary has' in done.stdout) == (limit > size),
               '%s, limit %d: %s %s' % (name, limit, done.stdout, done.stderr))


def check_damage(paf, name, data, path):
    """Bytes of the summary that are wrong are told, and change no answer."""
    with open(path, 'wb') as file:
        file.write(without_summary(data))
    sound = run(paf, 'report', '--no-what-if', '--json', path).stdout
    found = {kind: (at, size) for at, kind, size in chunks(data)}
    expect(DEPENDENCIES in found, name + ': there are no dependencies')
    for place in [at + i for at, size in (found[SUMMARY], found.get(DEPENDENCIES, found[SUMMARY]))
                  for i in (4, CHUNK, size // 2, size - 1)]:
        damaged = bytearray(data)
        damaged[place] ^= 1
        with open(path, 'wb') as file:
            file.write(damaged)
        done = run(paf, 'info', '--verify', path)
        expect(done.returncode == 1 and done.stderr, '%s: damage at %d is not told' % (name, place))
        done = run(paf, 'report', '--no-what-if', '--json', path)
        expect(done.returncode == 1 and done.stdout == sound,
               '%s: damage of the summary at %d changes a report' % (name, place))
        done = run(paf, 'export', '--view', 'parallelism', '-o', path + '.png', path)
        expect(done.returncode == 1, '%s: damage at %d is not told by a picture' % (name, place))


def check_streamed(fleng, paf, work):
    """The figures of a run of a million reductions are summed while it is read: those of a full report. A run
    that has what is not summed, here an alias of two arguments that were handed down, is read in full."""
    trace = os.path.join(work, 'streamed.paf')
    source = os.path.join(work, 'aliases.fl')
    with open(source, 'w', encoding='ascii') as file:
        file.write(ALIASES)
    for name, command in (('stream', [os.path.join(PROGRAMS, 'stream.fl'), '--', '263000']),
                          ('merge', [os.path.join(PROGRAMS, 'merge.fl'), '--', '27000']),
                          ('aliases', [source])):
        done = run(fleng, '-trace=' + trace, *command)
        expect(done.returncode == 0, '%s: %s' % (name, done.stderr))
        whole = json.loads(run(paf, 'report', '--json', trace).stdout)
        figures = json.loads(run(paf, 'report', '--no-what-if', '--json', trace).stdout)
        expect(whole['work'] > 1 << 20, '%s: %d reductions are too few' % (name, whole['work']))
        differ = [key for key in figures if figures[key] != whole[key]]
        expect(not differ and 'unneeded' in figures, '%s: figures differ: %s' % (name, differ))
        expect((figures['unneeded'] != []) == (name == 'aliases'), name + ': aliases')
        text = run(paf, 'report', '--no-what-if', trace).stdout
        expect((' -\n' in text) == (name != 'aliases'), name + ': is it summed while it is read?')


def picture_of_window(paf, trace, window):
    """With less memory than all reductions take; None: that is not enough."""
    picture = trace + '.svg'
    done = run(paf, 'export', '--view', 'parallelism', '--size', '500x300', '--from', str(window[0]),
               '--to', str(window[1]), '--memory', '48M', '-o', picture, trace)
    if done.returncode != 0:
        return None
    with open(picture, encoding='utf-8') as file:
        return file.read()


def check_windows(fleng, paf, work):
    """A stretch of a long run has the same picture if only its chunks are read, for which there is less memory
    than all reductions need; a chunk that is damaged is told, whether it is shown or not."""
    for name, argument in WINDOWS:
        trace, other = os.path.join(work, name + '.paf'), os.path.join(work, 'other', name + '.paf')
        run(fleng, '-trace=' + trace, os.path.join(PROGRAMS, name + '.fl'), '--', argument)
        span = json.loads(run(paf, 'report', '--no-what-if', '--json', trace).stdout)['span']
        with open(trace, 'rb') as file:
            data = file.read()
        told = [(at, size) for at, kind, size in chunks(data) if kind == STANDING]
        expect(len(told) > 4, '%s: what stands is told before %d chunks' % (name, len(told)))
        with open(other, 'wb') as file:
            file.write(without(data, STANDING))
        expect(len(data) - os.path.getsize(other) < len(data) / 100, name + ': what stands takes too much')
        for window in (0, 90), (span // 3, span // 3 + 200), (span // 2, span), (span - 40, span):
            full = other + '.svg'
            run(paf, 'export', '--view', 'parallelism', '--size', '500x300', '--from', str(window[0]), '--to',
                str(window[1]), '-o', full, other)
            with open(full, encoding='utf-8') as file:
                expect(picture_of_window(paf, trace, window) == file.read(),
                       '%s: the picture of %s depends on how it is read' % (name, window))
        damaged = bytearray(data)
        damaged[told[2][0] + CHUNK] ^= 1
        with open(trace, 'wb') as file:
            file.write(damaged)
        done = run(paf, 'export', '--view', 'parallelism', '--from', '5', '--to', '90', '-o', full, trace)
        expect(done.returncode == 1 and done.stderr, name + ': damage is not told by a picture of a window')


def main():
    fleng, paf, checker = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix='fleng-summary-') as work:
        check_small(fleng, checker, work)
        check_long(fleng, paf, work)
        check_windows(fleng, paf, work)
        check_streamed(fleng, paf, work)
    sys.exit('%d failures' % len(FAILURES) if FAILURES else 0)


if __name__ == '__main__':
    main()
