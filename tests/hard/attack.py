# SPDX-License-Identifier: MIT
"""What the attacks share: tries and failures by attack, and a limit of time."""

import os
import sys
import time

failures = []
tries = {}
end = time.monotonic() + float(os.environ.get('HARD_SECONDS', 'inf'))


def is_over():
    """Whether there is no time for another try."""
    return time.monotonic() > end


def check(attack, right, *what):
    tries[attack] = tries.get(attack, 0) + 1
    if not right:
        failures.append(attack)
        print('FAILED: %s:' % attack, *what, file=sys.stderr)


def finish():
    """Prints the sums; the exit status."""
    for attack, n in tries.items():
        print('%-40s %6d checks %4d failures' % (attack, n, failures.count(attack)))
    return 1 if failures else 0


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data, mode=0o644):
    with open(path, 'wb') as file:
        file.write(data)
    os.chmod(path, mode)
