# SPDX-License-Identifier: MIT
"""Parallel runs give the right answers whatever signals come.

Golden programs run with 1 to 16 workers, plain, sharing from the beginning, or traced in real time. Each gets
signals at random moments: it is stopped and continued, or gets one that nobody waits for; one in ten is
interrupted in the end. What was not interrupted has the output and exit status that the program states; what
was ends so, or with the signal's status. A trace of what ended well is verified.
`--sanitized` is for an engine built with the thread sanitizer: no signals, no collection, no report.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from attack import check, finish, is_over

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'fleng'))
import run as golden  # noqa: E402

TIMEOUT = 300
LONGEST = 0.02 # seconds until the first signal, at most
HARMLESS = (signal.SIGWINCH, signal.SIGCHLD, signal.SIGURG, signal.SIGCONT)
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TSAN = dict(os.environ, GC_DONT_GC='1', TSAN_OPTIONS='halt_on_error=1:exitcode=66')


def send(process, number):
    if process.poll() is None:
        process.send_signal(number)


def disturb(process, dice):
    """Whether it was interrupted."""
    for _ in range(dice.randint(0, 4)):
        time.sleep(dice.uniform(0, LONGEST))
        if dice.random() < .5:
            send(process, dice.choice(HARMLESS))
            continue
        send(process, signal.SIGSTOP)
        time.sleep(dice.uniform(0, LONGEST / 4))
        send(process, signal.SIGCONT)
    if dice.random() >= .1:
        return None
    number = dice.choice(ENDING)
    send(process, number)
    return number


def options_of(tools, dice, trace):
    workers = ['-j', str(dice.randint(1, 16))]
    if tools.sanitized:
        return workers + ['-together']
    return workers + dice.choice(([], ['-together'], ['-together'], ['-time=real', '-trace=' + trace]))


def one(tools, program, dice):
    if is_over():
        return
    attack = 'runs without a race' if tools.sanitized else 'parallel runs with signals'
    with tempfile.TemporaryDirectory(dir=tools.folder) as folder:
        trace = os.path.join(folder, 't.paf')
        options = options_of(tools, dice, trace)
        words = program.command(tools.fleng, options)
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=os.path.dirname(program.path), env=TSAN if tools.sanitized else None)
        interrupted = []
        teaser = threading.Thread(target=lambda: interrupted.append(disturb(process, dice)))
        if not tools.sanitized:
            teaser.start()
        try:
            out, err = process.communicate(''.join(line + '\n' for line in program.stdin).encode(), TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            check(attack, False, ' '.join(words), 'does not end')
            return
        finally:
            if not tools.sanitized:
                teaser.join()
        found = golden.unexpected(program, (process.returncode, out.decode('utf-8', 'replace'),
                                            err.decode('utf-8', 'replace')))
        number = interrupted[0] if interrupted else None
        if number and process.returncode in (128 + number, -number):
            found = []
        check(attack, not found, ' '.join(words), number, *found)
        if '-time=real' in options and not number and not found and os.path.exists(trace):
            done = subprocess.run([tools.paf, 'info', '--verify', trace], capture_output=True)
            check('their traces', done.returncode == 0, ' '.join(words), done.stderr)


def has_workers(program):
    taken = ('-time', '-trace', '-profile', '-until', '-cost', '-seed', '-j', '-limit', '-order', '-gc-stress', '-m',
             '-time-limit', '-dump', '-check', '-together')
    return program.exit != 2 and 'workers-4' in program.ways and 'real-2' in program.ways and \
        not any(word.startswith(taken) for word in program.run)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--fleng', required=True, type=os.path.abspath)
    parser.add_argument('--paf', type=os.path.abspath)
    parser.add_argument('--tries', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--sanitized', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    tools = parser.parse_args()
    dice = random.Random(tools.seed)
    files = golden.collect([os.path.join(HERE, '..', 'fleng', 'programs')])
    programs = [program for program in map(golden.Program, files) if has_workers(program)]
    with tempfile.TemporaryDirectory(prefix='fleng-parallel-') as tools.folder:
        tries = [(dice.choice(programs), random.Random(dice.random())) for _ in range(tools.tries)]
        with ThreadPoolExecutor(tools.jobs) as side_by_side:
            list(side_by_side.map(lambda t: one(tools, *t), tries))
    return finish()


if __name__ == '__main__':
    sys.exit(main())
