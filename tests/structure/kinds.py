#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the recipes of HACKING.md for constructs of measured programs and for the trace true: each has at
most ten lines, the files and tables that it names are there, and every entry of kinds.def and
mpi_routines.def is in each of them. Nobody but the reader of version 3 compares the names.

usage: kinds.py ROOT
       kinds.py --planted ROOT    comparisons written for this, each of which must be found
"""

import glob
import os
import re
import sys
import tempfile

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


# Where nobody may compare names of kinds; the one file there that reads words of a program's text.
NO_NAMES = ('iotree', 'paf', 'profiler/write', 'profiler/report', 'kpx-bridge/timeline',
            'kpx-bridge/totals', 'kpx-bridge/reports')
DIRECTIVES = 'kpx-bridge/timeline/directives.c'
COMPARE = re.compile(r'\b(?:(?:g_)?(?:ascii_)?str(?:n|case|ncase|coll)?cmp0?|memcmp|memmem'
                     r'|strn?(?:case)?str|g_str_equal|g_str_has_(?:prefix|suffix)'
                     r'|g_strstr_len|fnmatch)\s*\(')
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"|//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\])*\'', re.S)


def names_of(kinds):
    return set(re.findall(r'^(?:KIND|KEY|SCHEDULE|EDGE)\(\w+,\s*"([^"]+)"', kinds, re.M))


def literals_compared(text):
    """The string literals among the arguments of calls that compare, and their lines."""
    code = LITERAL.sub(lambda it: it[0] if it[0].startswith('"') else ' ' * len(it[0]), text)
    blank = LITERAL.sub(lambda it: '"%s"' % ('.' * (len(it[0]) - 2)), code)
    for call in COMPARE.finditer(blank):
        depth, end = 1, call.end()
        while depth and end < len(blank):
            depth += {'(': 1, ')': -1}.get(blank[end], 0)
            end += 1
        for found in LITERAL.finditer(code, call.end(), end):
            if found[1] is not None:
                yield text.count('\n', 0, found.start()) + 1, found[1]


def compared_names(root, names):
    """PATH:LINE and the name, for names in calls that compare."""
    for folder in NO_NAMES:
        for path in sorted(glob.glob(os.path.join(root, folder, '**', '*.[ch]'), recursive=True)):
            where = os.path.relpath(path, root)
            if where == DIRECTIVES:
                continue
            with open(path, encoding='utf-8') as file:
                for line, literal in literals_compared(file.read()):
                    if literal.strip() in names:
                        yield '%s:%d' % (where, line), literal


def names_are_not_compared(root, kinds):
    for folder in NO_NAMES:
        check(glob.glob(os.path.join(root, folder, '**', '*.c'), recursive=True), 'no', folder)
    for where, name in compared_names(root, names_of(kinds)):
        check(False, where, 'compares with "%s"' % name)


# ---- Planted comparisons --------------------------------------------------------------------------

# By file: its text, a line for each that must be found; a line with `fine` must not.
PLANTED = {
    'iotree/graph/plain.c': 'int a = strcmp(name, "loop") == 0;\n'
                            'int b = !strncmp("barrier", name, 7);\n'
                            'int c = strcasecmp(f(g(x), y), "single");\n'
                            'int d = strcmp(name, "loops"); // fine\n'
                            '// fine: strcmp(name, "loop")\n'
                            'const char *fine = "strcmp(name, loop)", *e = "loop";\n'
                            'int f = strcmp(name, module) ? "loop" : 0; // fine\n',
    'paf/model/glib.c': 'int a = g_str_equal(name, "MPI send");\n'
                        'int b = g_str_has_prefix(name, "MPI ") ? 1 : 0; // fine\n'
                        'int c = g_str_has_prefix(name, "computation before ");\n'
                        'int d = g_strcmp0(name,\n/* over lines */ "critical");\n',
    'profiler/report/search.c': 'char *a = strstr(name, "implied_barrier");\n'
                                'char *b = strcasestr (text, "task");\n',
    'profiler/write/bytes.c': 'int a = memcmp(name, "lock", sizeof "lock") == 0;\n'
                              'int b = memcmp(name, text, length); // fine\n',
    'kpx-bridge/totals/x.c': 'int a = strncmp(label, "not observed", 12);\n',
    'kpx-bridge/reports/x.c': 'int a = strcmp(r->words[0], "schedule");\n',
    'kpx-bridge/timeline/x.h': 'int a = strcmp(")", x) || strcmp(name, "dependence");\n',
    'kpx-bridge/timeline/directives.c': 'int a = strcmp(word, "single"); // fine\n',
    'kpx-bridge/fortran/x.c': 'int a = strcmp(word, "call"); // fine\n',
}


def planted(root):
    names = names_of(read(root, 'profiler/kinds.def'))
    wanted = set()
    with tempfile.TemporaryDirectory() as place:
        for path, text in PLANTED.items():
            os.makedirs(os.path.dirname(os.path.join(place, path)), exist_ok=True)
            with open(os.path.join(place, path), 'w', encoding='utf-8') as file:
                file.write(text)
            for number, line in enumerate(text.split('\n'), 1):
                if line and 'fine' not in line and not line.endswith('name,'):
                    wanted.add('%s:%d' % (path, number))
        found = {where for where, _ in compared_names(place, names)}
    for where in sorted(wanted ^ found):
        check(False, where, 'is not found' if where in wanted else 'is found')


def main():
    root = sys.argv[-1]
    if sys.argv[1] == '--planted':
        planted(root)
        sys.exit(1 if failures else 0)
    kinds = read(root, 'profiler/kinds.def')
    recipes_are_short_and_name_what_is_there(root)
    numbers_are_known(root, kinds)
    routines_are_wrapped(root)
    names_are_not_compared(root, kinds)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
