# SPDX-License-Identifier: MIT
"""The window takes mutants of traces: it opens each, draws it, and ends well or says why not.

Half of them it shows as usual, and keys go through its views (the list, the clock, zoom, why); of the
others it makes a screenshot. Needs a virtual display, and is skipped (77) without one: run it by
tests/support/display.py.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

from attack import check, finish, is_over
from commands import SANITIZED
from mutants import seeds

TIMEOUT = 120
KEYS = 'Tab n p Return plus minus f l c F1 Escape Left Right BackSpace Escape'.split()
ATTACK = 'mutants in the window'


def complaints(said):
    return [line for line in said.splitlines()
            if any(word in line for word in ('CRITICAL', 'Gtk-WARNING', 'Sanitizer', 'runtime error'))]


def judge(mutant, status, said):
    found = complaints(said)
    check(ATTACK, status in (0, 1) and not found and (status == 0 or said), 'mutant', mutant, 'status', status,
          said[-1500:])


def take_picture(paf, path, mutant):
    try:
        done = subprocess.run([paf, '--screenshot', path + '.png', path], capture_output=True, timeout=TIMEOUT,
                              env=SANITIZED)
        judge(mutant, done.returncode, done.stderr.decode('utf-8', 'replace'))
    except subprocess.TimeoutExpired:
        check(ATTACK, False, 'mutant', mutant, 'no picture')


def window_of(process):
    """The number of its window; None: it ended without one."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end and process.poll() is None:
        found = subprocess.run(['xdotool', 'search', '--onlyvisible', '--pid', str(process.pid)],
                               capture_output=True).stdout.split()
        if found:
            return found[-1].decode()
        time.sleep(0.05)
    return None


def press_keys(paf, path, mutant):
    with open(path + '.err', 'w+b') as said:
        process = subprocess.Popen([paf, path], stderr=said, env=SANITIZED)
        window = window_of(process)
        if window:
            for key in KEYS:
                subprocess.run(['xdotool', 'key', '--delay', '10', key], stderr=subprocess.DEVNULL)
            end = time.monotonic() + TIMEOUT
            while process.poll() is None and time.monotonic() < end:
                subprocess.run(['xdotool', 'key', 'ctrl+q'], stderr=subprocess.DEVNULL)
                time.sleep(0.05)
        if process.poll() is None:
            process.kill()
        status = process.wait()
        said.seek(0)
        judge(mutant, status, said.read().decode('utf-8', 'replace'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--paf', required=True, type=os.path.abspath)
    parser.add_argument('program', type=os.path.abspath, help='mutants-trace')
    parser.add_argument('--tries', type=int, default=20)
    parser.add_argument('--first', type=int, default=0)
    tools = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fleng-window-') as folder:
        subprocess.run([tools.program, str(tools.first), str(tools.tries), '--into', folder] + seeds('trace'),
                       check=True, stdout=subprocess.DEVNULL)
        for i in range(tools.tries):
            if is_over():
                break
            path = os.path.join(folder, '%d.paf' % i)
            os.rename(os.path.join(folder, str(i)), path)
            (press_keys if i % 2 else take_picture)(tools.paf, path, tools.first + i)
            os.unlink(path)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
