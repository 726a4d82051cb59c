#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is done step by step is found, and its price is what the repaired program shows.

usage: test_shapes.py FLENG PAF [-v] [NAME...]

shapes/NAME.slow.fl and shapes/NAME.fixed.fl are a program with one cause and the same without it. The
slow one says in its first line which finding is expected: `% cause: KIND PREDICATE`, several with ` | `
between them; a line `% says: TEXT` what its text must have. Some finding must be that, and it must be the first one; its saving must be within 10
points of what the repaired program saves, and the repaired program must not have a finding of that kind.
shapes/nothing_NAME.fl has nothing to remove: no finding of the kinds of this file may save 5 %.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'shapes')
NEAR = 0.10
PROMISE = 0.05
KINDS = ('creation', 'chain', 'copying', 'batch', 'uneven', 'degenerate', 'head-of-line', 'rounds', 'server')


def report(fleng, paf, source, scratch):
    trace = os.path.join(scratch, 'run.paf')
    subprocess.run([fleng, '-trace=' + trace, source], check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run([paf, 'report', '--json', trace], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)


def priced(run):
    return [f for f in run['findings'] if f.get('saving') is not None and f['kind'] != 'note']


def is_expected(finding, causes):
    return any(finding['kind'] == kind.lower().replace('_', '-') and
               (finding['predicate'] or '').split(':')[-1] == predicate for kind, predicate in causes)


def read_expected(path):
    """(kinds and predicates, what the text says or '') by the program's first lines."""
    with open(path, encoding='utf-8') as source:
        causes = [c.split() for c in source.readline().split(':', 1)[1].split('|')]
        says = source.readline()
    return causes, says.split(':', 1)[1].strip() if says.startswith('% says:') else ''


def check_pair(name, slow, fixed, expected, verbose):
    """What is wrong with the findings of the pair, as lines."""
    causes, says = expected
    wrong = []
    saving = 1 - fixed['span'] / slow['span']
    findings = priced(slow)
    rank = next((i for i, f in enumerate(findings) if is_expected(f, causes)), None)
    if rank is None:
        wrong.append('no finding is %s' % ' or '.join(' '.join(c) for c in causes))
    else:
        error = findings[rank]['saving'] - saving
        if rank:
            wrong.append('finding %d is the expected one' % (rank + 1))
        if says not in findings[rank]['text']:
            wrong.append('it does not say "%s": %s' % (says, findings[rank]['text']))
        if abs(error) > NEAR:
            wrong.append('it saves %.0f %%, not %.0f %%' % (100 * findings[rank]['saving'], 100 * saving))
    for f in priced(fixed):
        if is_expected(f, causes) and f['saving'] >= PROMISE:
            wrong.append('the repaired program has it, too: ' + f['text'])
    if verbose or wrong:
        print('%-20s %5d -> %5d  %2.0f %%' % (name, slow['span'], fixed['span'], 100 * saving))
        for f in findings:
            print('      %-12s %3.0f %%  %s\n%24s%s' % (f['kind'], 100 * f['saving'], f['text'], '', f['advice']))
        for f in priced(fixed):
            print('      fixed: %-12s %3.0f %%  %s' % (f['kind'], 100 * f['saving'], f['text']))
    return wrong


def check_sound(name, run, verbose):
    wrong = ['promises: ' + f['text'] for f in priced(run) if f['kind'] in KINDS and f['saving'] >= PROMISE]
    if verbose:
        print('%-20s %5d' % (name, run['span']))
        for f in priced(run):
            print('      %-12s %3.0f %%  %s' % (f['kind'], 100 * f['saving'], f['text']))
    return wrong


def main():
    args = [a for a in sys.argv[1:] if a != '-v']
    verbose = '-v' in sys.argv
    fleng, paf, only = args[0], args[1], args[2:]
    failures = checked = 0
    with tempfile.TemporaryDirectory() as scratch:
        for slow in sorted(glob.glob(HERE + '/*.slow.fl') + glob.glob(HERE + '/nothing_*.fl')):
            name = os.path.basename(slow).split('.')[0]
            if only and name not in only:
                continue
            run = report(fleng, paf, slow, scratch)
            if name.startswith('nothing_'):
                wrong = check_sound(name, run, verbose)
            else:
                fixed = report(fleng, paf, slow.replace('.slow.', '.fixed.'), scratch)
                wrong = check_pair(name, run, fixed, read_expected(slow), verbose)
            for line in wrong:
                print('%s: %s' % (name, line))
            failures += bool(wrong)
            checked += 1
    print('%d programs, %d as they should be' % (checked, checked - failures))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
