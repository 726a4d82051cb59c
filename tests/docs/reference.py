#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/reference.md is complete: every guard and every built-in predicate has a heading, and an
example below it.

usage: reference.py
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def builtins():
    return ['%s/%s' % found for found in
            re.findall(r'^BUILTIN\("([^$":][^":]*|:=)", (\d+),', read('vm', 'builtins.def'),
                       re.M)]


def guards():
    """Those of the table that every dialect has."""
    others = re.search(r'\} others\[\] = \{(.*?)\n\};', read('fleng', 'analyse', 'guard.c'), re.S)
    tests = re.findall(r'^TEST\(\w+, "(\w+)"', read('vm', 'code', 'tests.def'), re.M)
    return [name + '/1' for name in tests] + [
        '%s/%s' % (name.replace('\\\\', '\\'), arity) for name, arity in
        re.findall(r'\{"([^$"]+)", (\d), GUARD_\w+\}', others.group(1))]


def described():
    """{heading's predicate: has it an example?}"""
    found = {}
    for part in re.split(r'^#{2,3} ', read('docs', 'reference.md'), flags=re.M)[1:]:
        heading, _, text = part.partition('\n')
        for key in re.findall(r'`([^`]+/\d)`', heading):
            found[key] = found.get(key) or bool(re.search(r'^\$ .*fleng', text, re.M))
    return found


def main():
    found = described()
    failed = 0
    names = builtins(), guards()
    if len(names[0]) < 50 or len(names[1]) < 20:
        print('FAILED: the tables of built-ins and guards were not found')
        failed = 1
    for key in names[0] + names[1]:
        if key not in found:
            failed += 1
            print('FAILED: docs/reference.md says nothing of %s' % key)
        elif not found[key]:
            failed += 1
            print('FAILED: docs/reference.md has no example of %s' % key)
    print('%d described, %d failed' % (len(found), failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
