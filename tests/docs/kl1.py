#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of docs/kl1.md print what is shown below them, in every way of running.

usage: kl1.py FLENG
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAYS = [['-j', '1'], ['-j', '4'], ['-time=ideal'], ['-seed', '7']]


def main():
    fleng = os.path.abspath(sys.argv[1])
    with open(os.path.join(ROOT, 'docs', 'kl1.md'), encoding='utf-8') as file:
        examples = re.findall(r'^```kl1\n(.*?)^```\n```\n(.*?)^```$', file.read(), re.S | re.M)
    failed = 0
    if len(examples) < 4:
        print('FAILED: docs/kl1.md has examples')
        failed += 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'example.kl1')
        for program, shown in examples:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(program)
            for way in WAYS:
                done = subprocess.run([fleng] + way + [path], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                if done.returncode or done.stdout != shown:
                    failed += 1
                    print('FAILED (%s): %s--- printed %d: %s' % (
                        ' '.join(way), program, done.returncode, done.stdout))
    print('%d examples, %d failed' % (len(examples), failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
