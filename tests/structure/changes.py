#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table "Where do I change ...?" of HACKING.md answers each question that it must answer, and each
path that it names is there. A bare name belongs to the folder that the row named before it. A function,
`name()`, is in a file that the row names.

usage: changes.py ROOT      prints each question without a row, and each path that nothing has
       changes.py planted   tables written for this, whose mistakes must be found, and no others
"""

import os
import re
import sys
import tempfile

QUESTIONS = [
    'a built-in predicate', 'an operator', 'a guard test', 'an error message', 'a warning of `-check`',
    'an option of `fleng`', 'the order of goals', 'what a worker gives to another one', 'how a variable is bound',
    'a column of the trace', 'how a term is printed', 'a finding', 'the definition of an input',
    'a colour', 'a key of the window', 'an export format', 'an OpenMP construct', 'an MPI routine',
    "a report's column", 'a library predicate',
]
TITLE = '## Where do I change ...?\n'
ROW = re.compile(r'^\| (.*?) \| (.*?) \|$', re.M)


def rows(text):
    """[(question, answer)] of the table, without its head."""
    return [row for row in ROW.findall(text.partition(TITLE)[2].partition('\n## ')[0])
            if row != ('change', 'open')]


def missing_paths(root, answer):
    """The paths of a row that are not there; a row without any path is missing one."""
    folder, text, names = '', '', re.findall(r'`([^`]+)`', answer)
    if not names:
        yield 'path'
    for name in (name for name in names if not name.endswith('()')):
        path = name if '/' in name else folder + name
        folder = path[:path.rfind('/') + 1]
        there = os.path.isdir if path.endswith('/') else os.path.isfile
        if not there(os.path.join(root, path)):
            yield path
        elif not path.endswith('/'):
            with open(os.path.join(root, path), encoding='utf-8') as file:
                text += file.read()
    for name in (name for name in names if name.endswith('()')):
        if not re.search(r'\b%s\(' % re.escape(name[:-2]), text):
            yield name


def wrong(root, questions):
    with open(os.path.join(root, 'HACKING.md'), encoding='utf-8') as file:
        table = rows(file.read())
    asked = [question for question, _ in table]
    for question in questions:
        if asked.count(question) != 1:
            yield '%s: %d rows' % (question, asked.count(question))
    for question, answer in table:
        for path in missing_paths(root, answer):
            yield '%s: there is no %s' % (question, path)


PLANTED = TITLE + '''
| change | open |
|---|---|
| whole | `vm/`, then `vm/code/loop.h`, `bind.h`; `vm/` (`top.def`) |
| gone | `vm/code/loop.h` (`gone.h`), `vm/lost.c`, `vm/none/` |
| elsewhere | `vm/code/`, `top.def` |
| of no kind | `vm/code/loop.h/`, `vm/code` |
| by name | `vm/code/loop.h` (`run()`, `walk()`) |
| twice | `vm/` |
| twice | `vm/` |
| nowhere | vm/ |

## Another

| beyond | `no/such.c` |
'''
WANTED = [
    'gone: there is no vm/code/gone.h', 'gone: there is no vm/lost.c', 'gone: there is no vm/none/',
    'elsewhere: there is no vm/code/top.def', 'of no kind: there is no vm/code/loop.h/',
    'of no kind: there is no vm/code', 'twice: 2 rows', 'nowhere: there is no path',
    'beyond: 0 rows', 'by name: there is no walk()',
]


def planted():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, 'vm', 'code'))
        for name in ('vm/code/loop.h', 'vm/code/bind.h', 'vm/top.def'):
            with open(os.path.join(root, name), 'w', encoding='utf-8') as file:
                file.write('void run(void);\n')
        with open(os.path.join(root, 'HACKING.md'), 'w', encoding='utf-8') as file:
            file.write(PLANTED)
        found = wrong(root, ['whole', 'gone', 'twice', 'beyond'])
        return sorted(set(WANTED) ^ set(found))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = planted() if sys.argv[1] == 'planted' else list(wrong(sys.argv[1], QUESTIONS))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
