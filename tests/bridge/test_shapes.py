#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shapes of OpenMP regions (shapes/), compiled by four compilers at four levels: each region, loop, critical
section and task is at the line of its directive, as often as the program executes it and as counters in
front of the runtime say. Without debug information, and stripped, regions are told apart.

`test_shapes.py BRIDGE PAF CLANG APPS PRINT_TRACE` makes a part of them; with --all in front all."""

import collections
import os
import re
import sys

sys.dont_write_bytecode = True

from support import HERE, OpenMP, RUNTIME, check, need, present, run_tests  # noqa: E402 - beside this file

SHAPES = os.path.join(HERE, 'shapes')
KINDS = ('region', 'loop', 'critical', 'task', 'ordered')
MARK = re.compile(r'(?://|!) ((?:[a-z]+ \d+ ?)+)$')
ALL = sys.argv[1:2] == ['--all']
if ALL:
    del sys.argv[1]
LEVELS = ('-O0', '-O1', '-O2', '-O3') if ALL else ('-O0', '-O2')


def marks(path):
    """How often the program executes the construct of each kind and line."""
    wanted = collections.Counter()
    with open(path, encoding='utf-8') as text:
        for number, line in enumerate(text, 1):
            words = MARK.search(line.rstrip())
            words = words.group(1).split() if words else []
            for kind, times in zip(words[::2], words[1::2]):
                if kind in KINDS:
                    wanted[kind, number] = int(times)
    return wanted


def recorded(history):
    """The same, of a recording."""
    found = collections.Counter()
    loops = collections.defaultdict(set)
    for region in history['regions'][:-1]:
        found['region', region['line']] += len(region['teams'])
    for a in history['activities']:
        named = re.match(r'(\w+) .*:(\d+)$', a['module'])
        if not named or a['name'] != named.group(1):
            continue
        kind, line = named.group(1), int(named.group(2))
        if kind == 'loop' and 'loop' in a['values']:
            loops[line].add(a['values']['loop'])
        elif kind in ('critical', 'task', 'ordered'):
            found[kind, line] += 1
    for line, numbers in loops.items():
        found['loop', line] = len(numbers)
    return found


def compile_shapes(tools, compiler, name, *options):
    source = os.path.join(SHAPES, 'shapes.f90' if 'fortran' in compiler or 'flang' in compiler else 'shapes.c')
    need(compiler)
    modules = ('-J', tools.folder) if source.endswith('90') else ()
    done = tools.run(compiler, '-fopenmp', '-w', *options, '-o', tools.path(name), source, RUNTIME, *modules)
    check(done.returncode == 0, 'building %s %s' % (name, options), done.stderr)
    return source


def counted(tools, name):
    """What the counters in front of the runtime say, of a run without a recorder: forks of each body."""
    path = tools.path('counts')
    tools.environment.update(COUNTERS=path, LD_PRELOAD=tools.path('counters.so'))
    done = tools.run(tools.path(name))
    del tools.environment['LD_PRELOAD']
    check(done.returncode == 0, 'the counters run', done.stderr)
    counts = collections.defaultdict(list)
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            kind, number = line.split()
            counts[kind].append(int(number))
    return counts


def history_of(tools, name):
    done, trace = tools.record(name)
    check(done.returncode == 0, 'recording ' + name, done.stderr)
    return tools.history(trace)


def each_construct_is_at_its_directive(tools):
    for compiler in present('clang-19', 'gcc', 'flang-new-19', 'gfortran'):
        for level in LEVELS if ALL or compiler in ('clang-19', 'gcc') else ('-O2',):
            name = 'shapes.%s%s' % (compiler, level)
            source = compile_shapes(tools, compiler, name, '-g', level)
            wanted, found = marks(source), recorded(history_of(tools, name))
            if (compiler, level) == ('gfortran', '-O3'):
                # The loop of a procedure that was put into its caller has the line of the call.
                wanted = {k: n for k, n in wanted.items() if k[0] != 'loop' or n != 24}
            wrong = {k: (n, found[k]) for k, n in wanted.items() if found[k] != n}
            extra = {k for k in found if k[0] == 'region' and k not in wanted}
            check(not wrong and not extra, 'the lines of ' + name, wrong, extra)
            counts = counted(tools, name)
            regions = sum(n for (kind, _), n in wanted.items() if kind == 'region')
            check(counts['region'][0] + counts['serial'][0] == regions, 'counters of ' + name, counts)


def without_lines_regions_are_told_apart(tools):
    for compiler in present('clang-19', 'gcc'):
        for level in LEVELS if ALL else ('-O2',):
            name = 'bare.%s%s' % (compiler, level)
            compile_shapes(tools, compiler, name, level)
            bodies = sorted(counted(tools, name)['body'])
            for stripped in (False, True):
                if stripped:
                    tools.run('strip', tools.path(name))
                history = history_of(tools, name)
                found = sorted(len(r['teams']) for r in history['regions'][:-1])
                # clang runs a region whose condition is false without a fork
                serial = compiler == 'clang-19'
                missing = collections.Counter(bodies) - collections.Counter(found)
                check(serial or found == bodies, 'regions of ' + name, found, bodies)
                check(not missing, 'bodies of ' + name, missing)
                names = {a['module'] for a in history['activities'] if a['module'].startswith('region ')}
                check(len(names) == len(found), 'names of ' + name, names)
                pattern = r'region %s\+0x[0-9a-f]+' % re.escape(name) if stripped else \
                    r'region [a-z_]+([.+][\w.+]+)?'
                check(all(re.fullmatch(pattern, n) for n in names), 'forms of names', sorted(names))


def make_tools(folder):
    tools = OpenMP(folder, *sys.argv[1:6])
    tools.environment['OMP_NUM_THREADS'] = '2'
    done = tools.run('cc', '-shared', '-fPIC', '-O1', '-D_GNU_SOURCE', '-o',
                     tools.path('counters.so'),
                     os.path.join(SHAPES, 'counters.c'), '-ldl')
    check(done.returncode == 0, 'building the counters', done.stderr)
    return tools


if __name__ == '__main__':
    run_tests(make_tools, each_construct_is_at_its_directive, without_lines_regions_are_told_apart)
