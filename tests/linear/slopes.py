#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of an operation grows no faster than its input: by counts, not by the clock.

Each operation runs at N/8, N/4, N/2 and N with a command that counts its own steps (basic blocks that
run, and bytes that functions of the C library go through) and the bytes that it allocates. Less
the count at N/64, the counts lie on a line of some slope, log to log.

usage: slopes.py [--show] [--only TEXT] FLENG-COUNTED

--show prints all slopes. A slope above 1.15, or what the operation names, is a failure.
"""

import argparse
import concurrent.futures
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from operations import ALL  # noqa: E402 - beside this file

SIZES = (8, 4, 2, 1)  # parts of N
BASE = 64
TIME_LIMIT = 600      # seconds, for what hangs


class Failed(Exception):
    pass


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def counts(fleng, operation, way, n):
    """(steps, bytes) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        source = write(folder, 'program.fl', operation.text(n) if operation.text else
                       operation.program)
        if operation.file:
            write(folder, 'input', operation.file(n))
        goal = ['-e', operation.goal(n)] if operation.goal else []
        command = [fleng] + list(way) + list(operation.options) + goal + [source]
        command += [] if operation.options else ['--', str(n)]
        reader, writer = os.pipe()
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  pass_fds=[writer], timeout=TIME_LIMIT, check=False,
                                  env={**os.environ, 'COUNTS': str(writer)})
        except subprocess.TimeoutExpired:
            raise Failed('%s: not done in %d s' % (' '.join(command), TIME_LIMIT)) from None
        finally:
            os.close(writer)
        with os.fdopen(reader) as told:
            numbers = told.read().split()
        if done.returncode != operation.status or len(numbers) != 2:
            raise Failed('%s: status %d, counts %s, %s' % (
                ' '.join(command), done.returncode, numbers, done.stderr.decode()[:300]))
        return int(numbers[0]), int(numbers[1])


def slope(sizes, values):
    """Of the line through the points, log to log, least squares."""
    x = [math.log(size) for size in sizes]
    y = [math.log(max(value, 1)) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) /
            sum((a - mean_x) ** 2 for a in x))


def measure(fleng, operation, way):
    """The slopes of steps and of bytes. Of costs that do not grow, the slope is small."""
    sizes = [operation.n // part for part in SIZES]
    base = counts(fleng, operation, way, max(operation.n // BASE, 1))
    runs = [counts(fleng, operation, way, n) for n in sizes]
    slopes = []
    for which in (0, 1):
        grown = [run[which] - base[which] for run in runs]
        small = grown[-1] < base[which] // 20  # the same at all sizes, but for noise
        slopes.append(0.0 if small else slope([n - operation.n / BASE for n in sizes], grown))
    return slopes, runs


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--only', default='')
    parser.add_argument('fleng', type=os.path.abspath)
    options = parser.parse_args()
    tasks = [(o, w) for o in ALL for w in o.ways if options.only in o.name]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [(o, w, pool.submit(measure, options.fleng, o, w)) for o, w in tasks]
        for operation, way, future in found:
            name = '%s (%s)' % (operation.name, ' '.join(way))
            try:
                slopes, runs = future.result()
            except Failed as failed:
                print('FAILED %s\n    %s' % (name, failed))
                failures += 1
                continue
            bad = max(slopes) > operation.slope
            failures += bad
            if bad or options.show:
                print('%s %s\n    slope %.2f of steps, %.2f of bytes; at N = %d: %d steps, %d bytes' % (
                    'FAILED' if bad else 'ok', name, slopes[0], slopes[1], operation.n, *runs[-1]))
    print('%d operations in all their ways, %d failures' % (len(tasks), failures))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
