#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every operator of base/operators.def is in the manual with its priority and type, and in the
reference implementation; neither has others. Each planted difference is found.

usage: operators.py
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'oracle'))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def defined(text):
    """{(name, priority, type)} by dialect."""
    found = {'FLENG': set(), 'KL1': set()}
    for name, priority, kind, dialect in re.findall(
            r'^OPERATOR\("((?:[^"\\]|\\.)*)", (\d+), (\w+), (\w+)\)', text, re.M):
        found[dialect].add((name.replace('\\\\', '\\'), int(priority), kind.lower()))
    return found


def documented(page):
    """The rows `| 700 | xfx | `=` `<` |` of a page."""
    found = set()
    for priority, kind, names in re.findall(r'^\| (\d+) \| (xfx|xfy|yfx|fy|fx) \| (.*) \|$', page, re.M):
        for name in re.findall(r'`([^`]+)`', names):
            found.add((name.replace('\\|', '|'), int(priority), kind))
    return found


def reference_implementation():
    import reader
    return {(name, priority, kind) for table in (reader.INFIX, reader.PREFIX)
            for name, (priority, kind) in table.items()}


def differences(operators):
    places = {'docs/reference.md': (documented(read('docs', 'reference.md')), operators['FLENG']),
              'docs/kl1.md': (documented(read('docs', 'kl1.md')), operators['KL1']),
              'tests/oracle/reader.py': (reference_implementation(), operators['FLENG'])}
    for place, (there, wanted) in places.items():
        for name, priority, kind in sorted(wanted - there):
            yield '%s lacks `%s` (%d, %s)' % (place, name, priority, kind)
        for name, priority, kind in sorted(there - wanted):
            yield '%s has `%s` (%d, %s), which operators.def lacks' % (place, name, priority, kind)


def main():
    text = read('base', 'operators.def')
    found = list(differences(defined(text)))
    for line in found:
        print(line)
    for planted, expected in (('OPERATOR("<+>", 600, XFX, FLENG)\n', 2), ('OPERATOR("<~", 600, XFX, KL1)\n', 1)):
        if len(list(differences(defined(text + planted)))) != len(found) + expected:
            found.append('not found: ' + planted)
            print(found[-1])
    return 1 if found or len(defined(text)['FLENG']) < 40 else 0


if __name__ == '__main__':
    sys.exit(main())
