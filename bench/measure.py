# SPDX-License-Identifier: MIT
"""Running a command, and what the operating system says it took."""

import os
import re
import resource
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

ADDRESS_SPACE = 8 << 30  # bytes
TIME_LIMIT = 300         # seconds
PATIENCE = 20, 10        # a way may take so many seconds, and so many times what the first one took

# What fleng -report says.
REPORTED = {'reductions': re.compile(r'^fleng: (\d+) reductions?, ', re.M),
            'letters': re.compile(r'^fleng: (\d+) letters? between ', re.M),
            'locked': re.compile(r'^fleng: about ([\d.]+) locked ', re.M),
            'shared': re.compile(r'^fleng: about [\d.]+ locked instructions and ([\d.]+) ', re.M),
            'megabytes': re.compile(r'^fleng: at most ([\d.]+) MB ', re.M)}


@dataclass
class Run:
    status: int
    output: str
    errors: str
    cpu: float   # seconds, user and system, of all threads
    wall: float  # seconds
    rss: int     # bytes, the most that was resident

    def reported(self, what):
        """A figure of the run's own report; None: it has none."""
        found = REPORTED[what].search(self.errors)
        return float(found[1]) if found else None

    @property
    def memory(self):
        """Bytes. What the system says of a child is at least what this process has, some 20 MB: it
        counts from before the command replaces it. The run's own report is exact."""
        megabytes = self.reported('megabytes')
        return self.rss if megabytes is None else megabytes * 1e6


class WrongAnswer(Exception):
    pass


def limit_memory():
    """What is started from now on ends rather than to fill the machine."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, most))


def run(command, folder, limit=TIME_LIMIT):
    """Runs a command in a folder, and kills it when it takes longer than `limit` seconds."""
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as errors:
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=errors)
        patience = threading.Timer(limit, process.kill)
        patience.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        patience.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return Run(process.returncode, out.read(), errors.read(), usage.ru_utime + usage.ru_stime,
                   wall, usage.ru_maxrss * 1024)


def checked_run(command, folder, answer, limit=TIME_LIMIT):
    """A run that must print the answer; else WrongAnswer says what it did instead."""
    result = run(command, folder, limit)
    if result.status == -9 and result.wall >= limit:
        raise WrongAnswer('%s\n  was given up after %.0f s, with %.0f MB' % (
            ' '.join(command), limit, result.rss / 1e6))
    if result.status != 0 or result.output.strip() != str(answer):
        raise WrongAnswer('%s\n  status %d, wrote %.200r %.500r, expected %r' % (
            ' '.join(command), result.status, result.output, result.errors, str(answer)))
    return result


def alternate(ways, rounds):
    """ways: name -> function that makes one Run within a number of seconds. All ways take turns; gives
    name -> list of Run. What fails is reported once and left out: name -> str."""
    results = {name: [] for name in ways}
    limit = TIME_LIMIT
    for _ in range(rounds):
        for name, way in ways.items():
            if isinstance(results[name], str):
                continue
            try:
                results[name].append(way(limit))
                limit = min(limit, PATIENCE[0] + PATIENCE[1] * results[name][0].wall
                            if name == next(iter(ways)) else limit)
            except (WrongAnswer, OSError) as error:
                results[name] = str(error)
    return results


@dataclass
class Summary:
    """Medians of several runs, and how far apart they lie: (largest - smallest) / median."""
    cpu: float
    wall: float
    memory: float       # bytes
    runs: int
    spread: float       # of processor times
    wall_spread: float
    reductions: float = None  # medians of what the runs report
    letters: float = None
    locked: float = None      # instructions, and writes to shared lines, per 1,000 reductions
    shared: float = None


def spread(values):
    middle = statistics.median(values)
    return (max(values) - min(values)) / middle if middle > 0 else 0.0


def median_reported(runs, what):
    found = [r.reported(what) for r in runs]
    return None if None in found else statistics.median(found)


def summary(runs):
    cpu, wall = [r.cpu for r in runs], [r.wall for r in runs]
    return Summary(statistics.median(cpu), statistics.median(wall),
                   statistics.median(r.memory for r in runs), len(runs), spread(cpu), spread(wall),
                   *(median_reported(runs, what)
                     for what in ('reductions', 'letters', 'locked', 'shared')))
