#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that fail: what KL1's I/O streams answer when a disk is full (/dev/full) or no more files can
be opened. A message with a result answers -1, a request that opens answers `abnormal`. A trace for which
there is no more room has what there was room for, of each kind of run.

usage: failing_files.py FLENG
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile

WAYS = [['-j', '1'], ['-j', '2'], ['-time=ideal'], ['-seed', '3']]

SHOW = """show(X) :- wait(X) | klicio:klicio([stdout(normal([putt(X),nl]))]).
"""

# (what, messages of a stream that is open for writing on a full disk, what A is then)
FULL = [
    ('sync', 'fwrite("x"),sync(A)', '-1'),
    ('sync, after one that failed', 'fwrite("x"),sync(_),sync(A)', '-1'),
    ('sync, nothing was written', 'sync(A)', '0'),
    ('fflush', 'fwrite("x"),fflush(A)', '-1'),
    ('fflush without a result, then sync', 'fwrite("x"),fflush,sync(A)', '-1'),
    ('fseek', 'fwrite("x"),fseek(0,0,A)', '-1'),
    ('ftell', 'fwrite("x"),ftell(A)', '-1'),
    ('fclose', 'fwrite("x"),fclose(A)', '-1'),
]

# The second request comes when the first has written.
ALL_FILES = """:- module main.
main :- klicio:klicio([write_open("/dev/full", normal([fwrite("x"),linecount(L)|S]))|R]),
        next(L, R, A), show(A).
next(L, R, A) :- integer(L) | R = [sync(A)].
"""

UPDATE = """:- module main.
main :- klicio:klicio([update_open("there", R)]), answer(R, A), show(A).
answer(normal(_), A) :- A = opened.
answer(abnormal, A) :- A = abnormal.
"""


def run(fleng, way, folder, program, files=None):
    with open(os.path.join(folder, 'case.kl1'), 'w', encoding='utf-8') as file:
        file.write(program + SHOW)

    def limit():
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    return subprocess.run([fleng] + way + ['case.kl1'], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600,
                          preexec_fn=limit, check=False)


def cases(fleng, folder):
    """(what, result of the run, what it has to print)"""
    for way in WAYS:
        for what, messages, answer in FULL:
            program = (':- module main.\nmain :- klicio:klicio([write_open("/dev/full", '
                       'normal([%s|_]))]), show(A).\n' % messages)
            yield '%s: %s' % (way, what), run(fleng, way, folder, program), answer
        yield '%s: sync of all files' % way, run(fleng, way, folder, ALL_FILES), '-1'
    way = WAYS[0]
    with open(os.path.join(folder, 'there'), 'w', encoding='utf-8') as file:
        file.write('text\n')
    yield 'update_open', run(fleng, way, folder, UPDATE), 'opened'
    # An update takes two descriptors; the limit leaves one beside the standard files.
    yield 'update_open, one descriptor is left', run(fleng, way, folder, UPDATE, 4), 'abnormal'


# Some 10,000 reductions, whose trace has more than ROOM bytes.
LONG = """:- module main.
main :- a(5000, L), show(L).
a(N, L) :- N > 0 | M := N * 7919 mod 5003, L = [M|T], N1 := N - 1, a(N1, T).
a(0, L) :- L = [].
show(L) :- wait(L) | true.
"""
ROOM = 9000


def cut_trace(fleng, folder, way, former):
    """What is wrong with a trace that finds no room; `former`: what the file has before, or None."""
    path = os.path.join(folder, 'cut.paf')
    with open(os.path.join(folder, 'long.fl'), 'w', encoding='utf-8') as file:
        file.write(LONG)
    if former is not None:
        with open(path, 'wb') as file:
            file.write(former)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))

    done = subprocess.run([fleng, '-trace=cut.paf'] + way + ['long.fl'], cwd=folder, preexec_fn=limit,
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == 0 or 'cut.paf: cannot write: File too large' not in done.stderr:
        return 'status %d, %s' % (done.returncode, done.stderr)
    if [name for name in os.listdir(folder) if name.startswith('cut.paf.')]:
        return 'a part is left'
    if not os.path.exists(path):
        return 'no file'
    with open(path, 'rb') as file:
        found = file.read()
    os.remove(path)
    # The former file stays until a complete part of the new one is there (docs/reliability.md).
    if found == former:
        return None
    return None if 1000 < len(found) <= ROOM else '%d bytes' % len(found)


def main():
    fleng = os.path.abspath(sys.argv[1])
    n = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for way, former in ((['-time=ideal'], None), (['-time=real'], None), (['-time=real'], b'mine')):
            n += 1
            problem = cut_trace(fleng, folder, way, former)
            if problem:
                failed += 1
                print('FAILED a trace without room, %s: %s' % (way, problem))
    with tempfile.TemporaryDirectory() as folder:
        for what, done, answer in cases(fleng, folder):
            n += 1
            if done.stdout != answer + '\n':
                failed += 1
                print('FAILED %s: %r, not %s\n%s' % (what, done.stdout, answer, done.stderr))
    print('%d cases, %d failed' % (n, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
