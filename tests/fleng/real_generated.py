#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generated programs (tests/oracle/generate.py) in real runs: each trace is sound, and where it says
that nothing raced it has the stamps of the ideal run (real.py).

usage: real_generated.py FLENG PAF FIRST[-LAST]
"""

import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'oracle'))

from compare import Case                # noqa: E402 (the path comes first)
from core import CompileError           # noqa: E402
from oracle import in_deep_thread       # noqa: E402
from real import COMMENT, EXEMPT, Comparison # noqa: E402

# Nearly all use `otherwise`, which hardly ever makes a difference: they are compared under schedules
# that are the same each time.
DECIDED = re.compile(r'\\=|;|\bunbound\b|\bmerge\b|\btime\(')


class Wanted:
    """What the generator and the reference need to be told."""
    merges = faults = True
    only_normal = False
    merge_order, merge_tail = 'stream', 'Out'


def command():
    fleng, paf, seeds = sys.argv[1:]
    first, _, last = seeds.partition('-')
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(fleng, paf, folder, [])
        path = os.path.join(folder, 'test.fl')
        for seed in range(int(first), int(last or first) + 1):
            case = Case(seed, Wanted)
            case.costs, case.stop = {}, None
            try:
                if case.expected(Wanted) is None:
                    continue
            except CompileError:
                continue
            text = case.program.source_text()
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            start = [] if case.program.start() is None else ['-e', case.program.start()]
            text = COMMENT.sub('', text) + ' '.join(start)
            for ways, decided in (([['-j', '2'], ['-j', '16']], EXEMPT),
                                  ([['-j', '1'], ['-j', '3', '-seed', str(seed)]], DECIDED)):
                c.ways = ways
                c.figures('seed %d' % seed, lambda options, start=start: (
                    [c.fleng] + options + start + [path], b'', folder), not decided.search(text))
        print('%d passed, %d failed; %d runs compared' % (c.passed, c.failed, c.compared))
        return 1 if c.failed else 0


def main():
    status = []
    in_deep_thread(lambda: status.append(command()))
    return status[0] if status else 70


if __name__ == '__main__':
    sys.exit(main())
