#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""paf --memory: what would be needed is said before it is taken; what is no trace is refused at once.

usage: test_memory.py FLENG PAF [MEASURED], which writes traces of measured runs
"""

import os
import subprocess
import sys
import tempfile

PROGRAM = """main :- gen(%d, S), sum(S, 0, R), writeln(R).
gen(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, gen(N1, S1).
gen(0, S) :- S = [].
sum([X|S], A, R) :- A1 := A + X, sum(S, A1, R).
sum([], A, R) :- R = A.
"""
ITEMS = 150_000  # four reductions each: 39 MB to read, 130 MB to analyse

# arguments, a part of the message, exit status
CASES = [
    (['info', '--memory', '32M'], 'would take about', 1),
    (['report', '--memory', '60M'], 'the analysis of its', 1),
    (['report', '--memory', '100M'], '--no-what-if takes less', 1),
    (['report', '--no-what-if', '--memory', '60M'], 'the analysis of its', 1),
    (['report', '--no-what-if', '--memory', '100M'], '', 0),
    (['iotree', '--memory', '60M'], 'the analysis of its', 1),
    (['simulate', '--memory', '60M'], 'the analysis of its', 1),
    (['export', '--memory', '60M', '-o', 'out.svg'], 'the analysis of its', 1),
    (['compare', '--memory', '200M', 'p.paf'], 'the analysis of its', 1),
    (['info', '--memory', '200M'], '', 0),
    (['report', '--memory', '200M'], '', 0),
    (['simulate', '--memory', '200M'], '', 0),
    (['report', '--memory', '1k'], 'a size of at least 32M', 2),
    (['report', '--memory', 'much'], 'a size of at least 32M', 2),
]
# Of a measured run of 196,001 records.
MEASURED = [
    (['report', '--memory', '100M'], 'the analysis of its', 1),
    (['report', '--memory', '200M'], '', 0),
    (['iotree', '--memory', '150M'], 'the analysis of its', 1),
    (['whatif', '--speed-up', 'serial=2', '--memory', '200M'], '', 0),
    (['export', '--memory', '150M', '-o', 'out.svg'], 'the analysis of its', 1),
]


def spoil(folder):
    """A copy with a wrong byte in its reductions, which only who reads them notices."""
    with open(os.path.join(folder, 'p.paf'), 'rb') as file:
        content = bytearray(file.read())
    content[len(content) // 2] ^= 1
    with open(os.path.join(folder, 'spoilt.paf'), 'wb') as file:
        file.write(content)


def main():
    fleng, paf, *measured = (os.path.abspath(path) for path in sys.argv[1:])
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'p.fl'), 'w', encoding='utf-8') as file:
            file.write(PROGRAM % ITEMS)
        subprocess.run([fleng, '-trace=p.paf', 'p.fl'], cwd=folder, check=True, timeout=600,
                       stdout=subprocess.DEVNULL)
        cases = [(arguments + ['p.paf'], text, status) for arguments, text, status in CASES]
        if measured:
            subprocess.run(measured + ['8', '4000', 'm.paf'], cwd=folder, check=True, timeout=600)
            cases += [(arguments + ['m.paf'], text, status) for arguments, text, status in MEASURED]
        cases += [(['info', '/dev/zero'], 'not a trace', 1), (['info', '--memory', '40M', '/dev/zero'],
                                                              'not a trace', 1)]
        spoil(folder)
        done = subprocess.run([paf, 'report', '--memory', '60M', 'spoilt.paf'], cwd=folder, capture_output=True,
                              text=True, timeout=600, check=False)
        if 'the analysis of its' not in done.stderr or len(done.stderr.splitlines()) != 1:
            failed.append('reductions are read before it is said what they take: ' + done.stderr)
        for arguments, text, status in cases:
            done = subprocess.run([paf] + arguments, cwd=folder, capture_output=True, text=True,
                                  timeout=600, check=False)
            if done.returncode != status or text not in done.stderr:
                failed.append('%s: status %d, %s' % (arguments, done.returncode, done.stderr[:300]))
        if os.path.exists(os.path.join(folder, 'out.svg')):
            failed.append('a picture of a refused trace')
    for failure in failed:
        print('FAILED ' + failure)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
