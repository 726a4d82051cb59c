#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What reports say of real runs of Fleng: all workers, their names, and no more than there is to say.

usage: real_runs.py FLENG PAF
"""

import json
import os
import re
import subprocess
import sys
import tempfile

FIB = '''
main :- fib(12, F), writeln(F).
fib(N, R) :- N < 2 | R = N.
fib(N, R) :- N >= 2 | N1 := N-1, N2 := N-2, fib(N1, R1), fib(N2, R2), R := R1+R2.
'''
FIVE = '''
main :- X := 1+2, Y := X+3, p(Y).
p(_).
'''
failures = 0


def check(holds, text):
    global failures
    if not holds:
        failures += 1
        print('FAILED:', text, file=sys.stderr)


def main():
    fleng, paf = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            return subprocess.run(command, cwd=folder, text=True, capture_output=True, check=True).stdout

        for name, text in (('fib', FIB), ('five', FIVE)):
            with open(os.path.join(folder, name + '.fl'), 'w', encoding='utf-8') as out:
                out.write(text)
        run(fleng, '-time=real', '-j', '16', '-trace=wide.paf', 'fib.fl')
        run(fleng, '-time=real', '-seed', '3', '-trace=seed.paf', 'fib.fl')
        run(fleng, '-time=real', '-j', '2', '-trace=five.paf', 'five.fl')
        run(fleng, '-trace=ideal.paf', 'five.fl')

        wide = run(paf, 'report', '--clock', 'real', 'wide.paf')
        for worker in range(16):
            check(len(re.findall(r'\bworker %d\b' % worker, wide)) >= 2,
                  'worker %d of 16 has no row, or no column of modules' % worker)
        head = re.search(r'\n +worker +reductions.*\n', wide).group(0).split()
        check('without' not in head or 'collecting' not in head, 'columns of workers overlap: %s' % head)

        seed = run(paf, 'report', '--clock', 'real', 'seed.paf')
        check('4 virtual workers on one thread took' in seed, 'the workers of -seed: ' + seed)
        check(not re.search(r'on (1|4) workers?;|^ +4 workers took', seed, re.M), 'workers of two sorts: ' + seed)

        report = run(paf, 'report', '--json', '--clock', 'real', 'five.paf')
        check(len(report) < 100000, 'a run of five reductions has %d bytes of JSON' % len(report))
        profile = json.loads(report)
        check(sum(profile['profile']) > 0 and profile.get('bucket', 1) >= 1, 'its profile is empty')

        # Times between which IO-Trees are asked for are those that they show.
        whole = json.loads(run(paf, 'iotree', '--of', 'fib/2', '--clock', 'real', '--json', 'wide.paf'))
        made = sorted(o['time'] for p in whole['processes'] for n in p['nodes'] for o in n['outputs'])
        part = json.loads(run(paf, 'iotree', '--of', 'fib/2', '--clock', 'real', '--json', '--from',
                              str(made[len(made) // 2]), 'wide.paf'))
        left = [o['time'] for p in part['processes'] for n in p['nodes'] for o in n['outputs']]
        check(made[-1] in left and made[-1] > 1000, 'the last output is not shown by real time')
        done = subprocess.run([paf, 'iotree', '--clock', 'real', '--from', str(made[-1] + 10**12), 'wide.paf'],
                              cwd=folder, text=True, capture_output=True, check=False)
        check(done.returncode == 1 and 'the run ends at' in done.stderr, 'a window behind the run')

        other = run(paf, 'compare', 'ideal.paf', 'wide.paf')
        check('more than the ideal machine' in other and 'depended on the order' not in other,
              'different programs differ by their order: ' + other)
    sys.exit(1 if failures else 0)


main()
