#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with several workers, by an engine built with the thread sanitizer.

usage: races.py FLENG FILE...          none may have a data race; all answer as one worker does
       races.py --find FLENG FILE      a race that was planted must be reported

Collection is off: the collector stops threads by signals, which the sanitizer holds back.
"""

import argparse
import os
import subprocess
import sys

ENVIRONMENT = dict(os.environ, GC_DONT_GC='1', TSAN_OPTIONS='halt_on_error=1:exitcode=66')
TIME_LIMIT = 600


def run(fleng, workers, path):
    done = subprocess.run([fleng, '-j', str(workers), '-together', path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIME_LIMIT, env=ENVIRONMENT, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode('utf-8', 'replace')


def find(fleng, path):
    """What races is reported whenever two workers meet there in a run; in one of many they do."""
    for attempt in range(1, 201):
        try:
            if 'data race' in run(fleng, (4, 16)[attempt % 2], path)[2]:
                print('reported at attempt %d' % attempt)
                return True
        except subprocess.TimeoutExpired:  # the fault may do that, too
            pass
    print('the planted race was not reported')
    return False


def is_sound(fleng, path):
    wanted = run(fleng, 1, path)
    sound = True
    for workers in (2, 4, 16):
        status, out, err = run(fleng, workers, path)
        if 'ThreadSanitizer' in err or (status, sorted(out)) != (wanted[0], sorted(wanted[1])):
            print('%s -j %d: status %d\n%s%s' % (path, workers, status, out[:2000], err[:4000]))
            sound = False
    return sound


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('fleng', type=os.path.abspath)
    parser.add_argument('files', nargs='+')
    parser.add_argument('--find', action='store_true')
    options = parser.parse_args()
    check = find if options.find else is_sound
    return 0 if all([check(options.fleng, path) for path in options.files]) else 1


if __name__ == '__main__':
    sys.exit(main())
