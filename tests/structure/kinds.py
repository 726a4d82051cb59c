#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the recipes of HACKING.md for constructs of measured programs and for the trace true: each has at
most ten lines, the files and tables that it names are there, and every entry of kinds.def and
mpi_routines.def is in each of them. Nobody but the reader of version 3 compares the names.

usage: kinds.py ROOT
"""

import glob
import os
import re
import sys

MOST_LINES = 10
failures = []


def check(right, *words):
    if not right:
        failures.append(words)
        print('FAILED:', *words)


def read(root, *names):
    text = ''
    for name in names:
        paths = glob.glob(os.path.join(root, name), recursive=True)
        check(paths, 'no file', name)
        for path in paths:
            with open(path, encoding='utf-8') as file:
                text += file.read()
    return text


def entries(table, macro):
    return re.findall(r'^%s\((\w+)' % macro, table, re.M)


def recipes_are_short_and_name_what_is_there(root):
    text = read(root, 'HACKING.md')
    for title in ('Adding an OpenMP construct', 'Adding an MPI routine',
                  'Changing the trace: a column of the trace'):
        recipe = re.search(r'^## %s\n\n(.*?)\n(?=## )' % title, text, re.M | re.S)
        check(recipe, 'no recipe for', title)
        if not recipe:
            continue
        lines = recipe.group(1).strip().split('\n')
        check(len(lines) <= MOST_LINES, 'the recipe for', title, 'has', len(lines), 'lines')
        for name in re.findall(r'`([\w-]+/[\w/.*-]+)`', recipe.group(1)):
            check(glob.glob(os.path.join(root, name)), 'the recipe for', title, 'names', name)


# The bridge writes each number, but for MPI's kinds, which are a column of mpi_routines.def.
def numbers_are_known(root, kinds):
    bridge = read(root, 'kpx-bridge/timeline/*.c')
    oracle = read(root, 'tests/paf/check_kinds.c')
    columns = set(re.findall(r'^ROUTINE\(.*, (\w+)\)$', read(root, 'kpx-bridge/log/mpi_routines.def'), re.M))
    for macro in ('KIND', 'KEY', 'SCHEDULE', 'EDGE'):
        names = entries(kinds, macro)
        check(names, 'no', macro, 'in kinds.def')
        for name in names:
            number = 'TRACE_%s_%s' % (macro, name)
            written = (name[4:] in columns if macro == 'KIND' and name.startswith('MPI_')
                       else re.search(r'\b%s\b' % number, bridge))
            check(written, number, 'is not written by kpx-bridge/timeline/')
            check(re.search(r'\[%s\] =' % number, oracle), number, 'is not in tests/paf/check_kinds.c')
    for column in columns:
        check('MPI_' + column in entries(kinds, 'KIND'), column, 'of mpi_routines.def is no kind')


# A wrapper is the first argument of a macro. That of a collective also makes those that only start it.
def routines_are_wrapped(root):
    wrappers = set(re.findall(r'^\w+\((\w+)', read(root, 'kpx-bridge/recorder/mpi_*.c'), re.M))
    routines = read(root, 'kpx-bridge/log/mpi_routines.def')
    for name in entries(routines, 'ROUTINE'):
        collective = re.search(r'^ROUTINE\(%s, \w+, (?!NONE)' % name, routines, re.M)
        plain = name[:-5] if name.endswith('_init') else name[1:].capitalize()
        check(name in wrappers or (collective and plain in wrappers),
              'MPI_' + name, 'has no wrapper in kpx-bridge/recorder/')


# Names that mean nothing else, in calls that compare.
def names_are_not_compared(root, kinds):
    names = {n for n in re.findall(r'^(?:KIND|KEY|SCHEDULE|EDGE)\(\w+,\s*"([^"]+)"', kinds, re.M)}
    compare = re.compile(r'\b(?:g_)?str(?:n|case|ncase)?cmp0?\([^;{]*?"([^"]*)"')
    for folder in ('iotree', 'paf', 'kpx-bridge/timeline'):
        for path in glob.glob(os.path.join(root, folder, '**', '*.[ch]'), recursive=True):
            if path.endswith('timeline/directives.c'): # words of the text
                continue
            with open(path, encoding='utf-8') as file:
                for found in compare.findall(file.read()):
                    check(found.strip() not in names, path, 'compares with "%s"' % found)


def main():
    root = sys.argv[1]
    kinds = read(root, 'profiler/kinds.def')
    recipes_are_short_and_name_what_is_there(root)
    numbers_are_known(root, kinds)
    routines_are_wrapped(root)
    names_are_not_compared(root, kinds)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
