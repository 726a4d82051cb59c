# SPDX-License-Identifier: MIT
"""What tests of totals share: checks that are counted, commands whose status is checked."""

import subprocess

failures = []


def check(right, what):
    if not right:
        failures.append(what)
        print('not so:', what)


def run(*words, status=0):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    check(done.returncode == status,
          f'{words[1:]} ends with {status}, not {done.returncode}: {done.stderr}')
    return done
