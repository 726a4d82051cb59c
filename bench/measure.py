# SPDX-License-Identifier: MIT
"""Running a command, and what the operating system says it took."""

import os
import resource
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

ADDRESS_SPACE = 8 << 30  # bytes
TIME_LIMIT = 300         # seconds


@dataclass
class Run:
    status: int
    output: str
    errors: str
    cpu: float   # seconds, user and system, of all threads
    wall: float  # seconds
    rss: int     # bytes, the most that was resident


class WrongAnswer(Exception):
    pass


def limit_memory():
    """What is started from now on ends rather than to fill the machine."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, most))


def run(command, folder):
    """Runs a command in a folder, and kills it when it takes too long. Its memory is at least what
    this process has, some 20 MB: the operating system counts from before the command replaces
    it."""
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as errors:
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=errors)
        patience = threading.Timer(TIME_LIMIT, process.kill)
        patience.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        patience.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return Run(process.returncode, out.read(), errors.read(), usage.ru_utime + usage.ru_stime,
                   wall, usage.ru_maxrss * 1024)


def checked_run(command, folder, answer):
    """A run that must print the answer; else WrongAnswer says what it did instead."""
    result = run(command, folder)
    if result.status != 0 or result.output.strip() != str(answer):
        raise WrongAnswer('%s\n  status %d, wrote %.200r %.500r, expected %r' % (
            ' '.join(command), result.status, result.output, result.errors, str(answer)))
    return result


def alternate(ways, rounds):
    """ways: name -> function that makes one Run. All ways take turns; gives name -> list of Run.
    What fails is reported once and left out: name -> str."""
    results = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            if isinstance(results[name], str):
                continue
            try:
                results[name].append(way())
            except (WrongAnswer, OSError) as error:
                results[name] = str(error)
    return results


@dataclass
class Summary:
    """Medians of several runs, and how far apart they lie: (largest - smallest) / median."""
    cpu: float
    wall: float
    rss: float
    runs: int
    spread: float       # of processor times
    wall_spread: float


def spread(values):
    middle = statistics.median(values)
    return (max(values) - min(values)) / middle if middle > 0 else 0.0


def summary(runs):
    cpu, wall = [r.cpu for r in runs], [r.wall for r in runs]
    return Summary(statistics.median(cpu), statistics.median(wall),
                   statistics.median(r.rss for r in runs), len(runs), spread(cpu), spread(wall))
