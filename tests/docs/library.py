#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library's comments hold: every predicate that a module exports is described, every example
prints what it says, in every way of running and with its arguments bound later, lists piece by piece,
and docs/library.md is made of these comments.

usage: library.py FLENG            tests
       library.py --write          makes docs/library.md
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, 'fleng', 'library')
ORDER = ['lists', 'streams', 'sets', 'maps', 'queues', 'arrays', 'strings', 'io']
WAYS = [['-j', '1'], ['-time=ideal'], ['-seed', '7']]

# Binds variables one after the other, each some time after the one before, lists cell by cell.
LATER = """
later_([late(V,T)|L]) :- pause_(2, D), later_(D, V, T, L).
later_([]).
later_(done, V, T, L) :- give_(T, V), later_(L).
give_([H|T], V) :- V = [H|V1], pause_(1, D), give_(D, T, V1).
otherwise.
give_(T, V) :- V = T.
give_(done, T, V) :- give_(T, V).
pause_(0, D) :- D = done.
pause_(N, D) :- N > 0 | N1 := N - 1, pause_(N1, D).
"""

INTRODUCTION = """# The library

Predicates written in Fleng that are part of the `fleng` command. They need no import: a goal that
the program does not define itself, and that is not built in, is looked for here. `lists:append(...)`
names the module, too, and `:- use_module(lists).` is accepted where there is no such file, and
`:- use_module(library(lists)).` always. A predicate of the same name and number of arguments in the
program takes the place of the library's; the library itself goes on with its own.

Only what a program can reach becomes part of it. A goal that is made while the program runs (by
`call/N`) finds the predicates of the library whose names the text of the program mentions, and all
those of modules that it names by `use_module`. In a trace the library is source like the rest; its
goals belong to the process they occur in, unless a partition names them.

In the headings `+` marks an argument that is waited for, `-` one that is bound, and `?` one that
is only passed on. `fleng -library` lists the modules, `fleng -library=lists` prints the source of
one.

(This page is made from the comments of the modules by `tests/docs/library.py --write`; every example
is run by the tests.)
"""


class Predicate:
    def __init__(self, module, heading):
        self.module = module
        self.heading = heading
        self.text = []          # lines
        self.examples = []      # (program lines, goal, output lines)
        match = re.match(r"([a-z]\w*)\((.*)\)$", heading)
        self.key = '%s/%d' % (match.group(1), len(match.group(2).split(',')))


def paragraphs(lines):
    return '\n'.join(line[2:] if line.startswith('% ') else '' for line in lines).strip()


def parse(name):
    """(introduction, exports, predicates)"""
    with open(os.path.join(FOLDER, name + '.fl'), encoding='utf-8') as file:
        text = file.read()
    introduction, _, rest = text.partition(':- module(')
    exports = re.findall(r'([a-z]\w*/\d+)', rest[:rest.index(').\n')])
    predicates = []
    for block in re.findall(r'^%! .*(?:\n%.*)*', text, re.M):
        lines = block.split('\n')
        p = Predicate(name, lines[0][3:])
        program, goal, output = [], None, []
        for line in lines[1:] + ['% ?- ']:
            if line.startswith('%     '):
                if goal:
                    p.examples.append((program, goal, output))
                    program, goal, output = [], None, []
                program.append(line[6:])
            elif line.startswith('% ?- '):
                if goal:
                    p.examples.append((program, goal, output))
                    program, output = [], []
                goal = line[5:].rstrip().removesuffix('.')
            elif goal:
                output.append(line[2:])
            else:
                p.text.append(line[2:])
        predicates.append(p)
    return paragraphs(introduction.split('\n')[1:]), exports, predicates


def page():
    contents = ['- [%s](#%s): %s' % (name, name, ', '.join('`%s`' % key for key in parse(name)[1]))
                for name in ORDER]
    parts = [INTRODUCTION, '\n'.join(contents) + '\n']
    for name in ORDER:
        introduction, _, predicates = parse(name)
        first, _, rest = introduction.partition('\n\n')
        parts.append('## %s\n\n%s\n' % (name, rest if first == name.capitalize() + '.' else
                                       introduction))
        for p in predicates:
            parts.append('### `%s`\n\n%s\n' % (p.heading, '\n'.join(p.text)))
            for program, goal, output in p.examples:
                lines = program + ['?- %s.' % goal] + output
                parts.append('```\n%s\n```\n' % '\n'.join(lines))
    return '\n'.join(parts)


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED: %s%s' % (what, '\n' + detail if detail else ''))


def check_example(tally, fleng, folder, p, example):
    program, goal, output = example
    command = [fleng]
    if program:
        with open(os.path.join(folder, 'example.fl'), 'w', encoding='utf-8') as file:
            file.write('\n'.join(program) + '\n')
        command.append('example.fl')
    for way in WAYS:
        if way[0] != '-time=ideal' and re.match('merge_(all|tree|two)|farm', p.key):
            continue                                  # any order is right there
        done = subprocess.run(command[:1] + way + ['-e', goal] + command[1:], cwd=folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT if p.key != 'watch/2' else None,
                              timeout=600, check=False)
        shown = ''.join(line + '\n' for line in output)
        printed = re.sub(r'(?m)^\w+ = (t\(|leaf).*\n', '', done.stdout)       # maps and sets
        tally.check('%s:%s, %s: %s' % (p.module, p.key, ' '.join(way), goal),
                    done.returncode == 0 and printed == shown,
                    'exit status %d, output:\n%s--- expected:\n%s'
                    % (done.returncode, done.stdout, shown))


def parts(text):
    """Text between commas that stand in no brackets, strings or quotes."""
    found, depth, quote = [''], 0, ''
    for c in text:
        if quote:
            quote = '' if c == quote else quote
        elif c in '"\'':
            quote = c
        elif c in '([{':
            depth += 1
        elif c in ')]}':
            depth -= 1
        elif c == ',' and depth == 0:
            found.append('')
            continue
        found[-1] += c
    return [part.strip() for part in found]


def is_ground(term):
    return not re.search(r'(?<!\w)[A-Z_]', re.sub(r'"[^"]*"|\'[^\']*\'', '', term))


def later(goal, backwards):
    """The goals with arguments that are ground replaced by variables that are bound later."""
    goals, bound = [], []
    for one in parts(goal):
        name, _, rest = one.partition('(')
        arguments = parts(rest[:-1]) if rest.endswith(')') else []
        if not re.match(r'[a-z]\w*$', name) or not arguments:
            goals.append(one)
            continue
        for i, term in enumerate(arguments):
            if is_ground(term):
                bound.append('late(Late%d,%s)' % (len(bound), term))
                arguments[i] = 'Late%d' % (len(bound) - 1)
        goals.append('%s(%s)' % (name, ', '.join(arguments)))
    if backwards:
        bound.reverse()
    return '%s, later_([%s])' % (', '.join(goals), ','.join(bound))


def check_later(tally, fleng, folder, p, example):
    program, goal, output = example
    if re.match('merge_(all|tree|two)|farm', p.key):
        return                                        # any order is right there
    with open(os.path.join(folder, 'later.fl'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(program) + LATER)
    for backwards in (False, True):
        for way in WAYS:
            goals = later(goal, backwards)
            done = subprocess.run([fleng] + way + ['-e', goals, 'later.fl'], cwd=folder, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=600, check=False)
            printed = re.sub(r'(?m)^(\w+ = (t\(|leaf)|Late\d+ = ).*\n', '', done.stdout)
            tally.check('%s:%s, %s: %s' % (p.module, p.key, ' '.join(way), goals),
                        done.returncode == 0 and sorted(printed.splitlines()) == sorted(output),
                        'exit status %d, output:\n%s%s--- expected:\n%s'
                        % (done.returncode, done.stdout, done.stderr, '\n'.join(output)))


def check_module(tally, fleng, folder, name, owners):
    introduction, exports, predicates = parse(name)
    tally.check(name + ': says what it is for', len(introduction) > 40)
    documented = [p.key for p in predicates]
    for key in exports:
        tally.check('%s:%s is described' % (name, key), key in documented)
        tally.check('%s:%s: no other module exports it' % (name, key), key not in owners)
        owners[key] = name
    for p in predicates:
        tally.check('%s:%s is exported' % (name, p.key), p.key in exports)
        tally.check('%s:%s has an example' % (name, p.key), p.examples)
        for example in p.examples:
            check_example(tally, fleng, folder, p, example)
            check_later(tally, fleng, folder, p, example)


def check_command(tally, fleng):
    done = subprocess.run([fleng, '-library'], stdout=subprocess.PIPE, text=True, check=False)
    for name in ORDER:
        exports = parse(name)[1]
        tally.check('fleng -library lists ' + name,
                    all(key in done.stdout for key in exports + [name]))
        with open(os.path.join(FOLDER, name + '.fl'), encoding='utf-8') as file:
            text = file.read()
        shown = subprocess.run([fleng, '-library=' + name], stdout=subprocess.PIPE, text=True,
                               check=False)
        tally.check('fleng -library=%s prints it' % name, shown.stdout == text)


def main():
    path = os.path.join(ROOT, 'docs', 'library.md')
    if sys.argv[1:] == ['--write']:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(page())
        return 0
    fleng = os.path.abspath(sys.argv[1])
    tally = Tally()
    found = sorted(name.removesuffix('.fl') for name in os.listdir(FOLDER) if name.endswith('.fl'))
    tally.check('every module is on the page', found == sorted(ORDER), str(found))
    owners = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ORDER:
            check_module(tally, fleng, folder, name, owners)
    check_command(tally, fleng)
    with open(path, encoding='utf-8') as file:
        tally.check('docs/library.md is made of the comments (library.py --write makes it)',
                    file.read() == page())
    print('%d passed, %d failed' % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == '__main__':
    sys.exit(main())
