#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records OpenMP programs and holds the places of their constructs, and who got what of loops and
sections, against the sources.

usage: test_places.py KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    HERE, OpenMP, RUNTIME, check, modules, of, run_tests, source)

# What stands in a directive, by what the construct is called.
WORDS = {'region': ('parallel',), 'loop': ('do',), 'sections': ('sections',), 'single': ('single',),
         'critical': ('critical',), 'ordered': ('ordered',), 'master': ('master',), 'task': ('task',),
         'taskwait': ('taskwait',), 'taskgroup': ('taskgroup',), 'barrier': ('barrier',)}


def directives(source):
    """The lines of each kind of construct."""
    lines = {}
    with open(source, encoding='utf-8') as text:
        for number, line in enumerate(text, 1):
            words = re.match(r'\s*!\$omp((?: +[a-z]+)+)', line)
            words = words.group(1).split() if words else ['end']
            for kind, wanted in WORDS.items():
                if kind == 'ordered': # elsewhere a clause
                    words = words[:1]
                if words[0] != 'end' and any(w in words for w in wanted):
                    lines.setdefault(kind, set()).add(number)
    return lines


def flang_has_the_lines_of_directives(tools):
    source = os.path.join(HERE, 'lines.f90')
    lines = directives(source)
    for level in ('-O0', '-O1', '-O2'):
        tools.compile_with('flang-new-19', source, 'lines', level, '-J', tools.folder)
        seen = {}
        for how in ('this', 'other'):
            done, trace = tools.record('lines', how)
            check(done.returncode == 0 and done.stdout.split()[1] == '2', 'lines ' + level, done.stdout,
                  done.stderr)
            for name in modules(tools.report(trace)):
                found = re.fullmatch(r'(\w+)( in)? lines\.f90:(\d+)', name)
                check(found or name in ('main', 'serial'), 'the name of a construct ' + level, name)
                if found:
                    seen.setdefault(found.group(1), set()).add(int(found.group(3)))
        # The taskwait of a procedure that was put into its caller may have the line of the call.
        seen['taskwait'] -= {105}
        lines['taskwait'] -= {105}
        for kind, wanted in lines.items():
            check(seen.get(kind) == wanted, 'lines of each %s %s' % (kind, level), seen.get(kind), wanted)
    trace = os.path.join(tools.folder, 'part.paf')
    first = min(lines['region'] - {51, 56})
    done = tools.run(tools.bridge, 'record', '--openmp', '--region', 'lines.f90:%d' % first, '-o', trace,
                     '--', os.path.join(tools.folder, 'lines'))
    regions = [n for n in modules(tools.report(trace)) if n.startswith('region')]
    check(regions == ['region lines.f90:%d' % first], 'a region is chosen by its line', regions,
          done.stderr)


def gcc_has_the_lines_of_regions(tools):
    """Where gcc's call of the runtime has the line of what stands before."""
    source = os.path.join(HERE, 'figures.c')
    with open(source, encoding='utf-8') as text:
        wanted = {n for n, line in enumerate(text, 1)
                  if line.startswith('#pragma omp parallel') or line == '    BOTH\n'}
    for level in ('-O0', '-O1', '-O2'):
        tools.compile_with('gcc', source, 'figures', level)
        done, trace = tools.record('figures')
        found = {r['line'] for r in tools.history(trace)['regions'][:-1]}
        check(done.returncode == 0 and found == wanted, 'regions of gcc ' + level, found, wanted)
    trace = os.path.join(tools.folder, 'part.paf')
    one = max(wanted)
    done = tools.run(tools.bridge, 'record', '--openmp', '--region', 'figures.c:%d' % one, '-o', trace,
                     '--', os.path.join(tools.folder, 'figures'))
    found = {r['line'] for r in tools.history(trace)['regions'][:-1]}
    check(found == {one}, 'one of them is chosen', found, done.stderr)
    source = os.path.join(HERE, 'lines.f90')
    tools.compile_with('gfortran', source, 'lines', '-J', tools.folder)
    for how, left_out in (('this', 51), ('other', 56)):
        done, trace = tools.record('lines', how)
        found = {r['line'] for r in tools.history(trace)['regions'][:-1]}
        check(found == directives(source)['region'] - {left_out}, 'regions of gfortran', found)


SINGLES = '''#include <stdio.h>
static volatile double x;
static void work(void)
{
    for (int i = 0; i < 20000; i++)
        x += i;
}
int main(void)
{
    for (int k = 0; k < 3; k++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp single
            work();
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 4; i++)
                work();
#pragma omp single nowait
            work();
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 4; i++)
                work();
#pragma omp single
            work();
        }
        work();
    }
    work();
}
'''


def singles_of_gcc_end(tools):
    """The runtime does not tell when."""
    tools.compile_with('gcc', tools.write('singles.c', SINGLES), 'singles')
    done, trace = tools.record('singles')
    ran = {}
    for a in tools.history(trace)['activities']:
        if not a['waits']:
            ran.setdefault(a['module'], []).append(a)
    check(done.returncode == 0 and sorted(m for m in ran if not m.startswith(('region', 'fork'))) ==
          ['loop singles.c:15', 'loop singles.c:20', 'serial', 'single singles.c:13',
           'single singles.c:18', 'single singles.c:23'], 'what ran', sorted(ran), done.stderr)
    for module in ran:
        if module.startswith('single'):
            check(len(ran[module]) == 3, 'once in each region: ' + module, ran[module])
    last = max((a for of in ran.values() for a in of), key=lambda a: a['end'])
    check(len(ran['serial']) >= 4 and last['module'] == 'serial', 'what is behind a region is serial', last)


HEADS = '''#include <cstdio>
#include <vector>
struct Row {
    std::vector<double> v;
    int length() const
    {
        return (int)v.size() / 2;
    }
    double first = 0;
    void scale()
    {
#pragma omp parallel num_threads(2)
        {
            double by = 2;
#pragma omp for \\
    schedule(dynamic)
            for (int i = 0; i < (int)v.size();
                 i++)
                v[i] *= by;
#pragma omp single
            first = v[0];
#pragma omp barrier
            // and once more
#pragma omp for schedule(guided)
            for (int i = 0; i < length(); i++) {
#pragma omp critical
                first += v[i];
            }
        }
    }
    void halve()
    {
#pragma omp parallel for schedule(dynamic, 2) num_threads(2)
        for (int i = 0; i < length(); i++)
            v[i] /= 2;
    }
};
int main()
{
    Row r{std::vector<double>(64, 1.0)};
    r.scale();
    r.halve();
    std::printf("%g\\n", r.first);
}
'''


INNER = '''int main(void)
{
    int s = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2) reduction(+ : s)
        {
#pragma omp sections
            {
#pragma omp section
                s += 1;
#pragma omp section
                s += 2;
            }
        }
#pragma omp critical
        s += 10;
    }
    return s < 0;
}
'''


def gcc_has_the_line_of_a_region_around_another(tools):
    """The code of the outer one begins where that of the inner one ends."""
    for level in ('-O0', '-O1', '-O2'):
        tools.compile_with('gcc', tools.write('inner.c', INNER), 'inner', level)
        done, trace = tools.record('inner')
        found = sorted(r['line'] for r in tools.history(trace)['regions'][:-1])
        check(done.returncode == 0 and found == [4, 6], 'regions of gcc ' + level, found, done.stderr)


def gcc_has_the_lines_of_directives(tools):
    """Where its calls have the lines of what is near, or of functions that were written into the code."""
    wanted = {'region heads.cpp:12', 'loop heads.cpp:15', 'single heads.cpp:20', 'loop heads.cpp:24',
              'critical heads.cpp:26', 'region heads.cpp:33', 'loop heads.cpp:33'}
    for level in ('-O0', '-O1', '-O2', '-O3'):
        tools.compile_with('g++', tools.write('heads.cpp', HEADS), 'heads', level)
        done, trace = tools.record('heads')
        found = {m for m in modules(tools.report(trace))
                 if m != 'serial' and not m.startswith('fork')}
        check(done.returncode == 0 and found == wanted, 'lines of g++ ' + level, sorted(found ^ wanted))
    source = os.path.join(HERE, 'lines.f90')
    tools.compile_with('gfortran', source, 'lines', '-J', tools.folder)
    lines = directives(source)
    for how in ('this', 'other'):
        for name in modules(tools.report(tools.record('lines', how)[1])):
            found = re.fullmatch(r'(loop|single|critical|ordered) lines\.f90:(\d+)', name)
            check(not found or int(found.group(2)) in
                  lines[found.group(1)] | (lines['sections'] if found.group(1) == 'loop' else set()),
                  'a line of gfortran', name)


def threads_have_their_numbers(tools):
    """Those that the team's first threads are come last; with a chunk of 1 each iteration is the number."""
    tools.compile_with(tools.compiler, os.path.join(HERE, 'late_threads.c'), 'late_threads', '-rdynamic',
                       RUNTIME)
    tools.environment['OMP_MAX_ACTIVE_LEVELS'] = '2'
    done, trace = tools.record('late_threads')
    del tools.environment['OMP_MAX_ACTIVE_LEVELS']
    check(done.returncode == 0 and done.stdout == '0\n', 'threads that begin late', done.stdout, done.stderr)
    history = tools.history(trace)
    names = history['places']
    check(names == ['thread %d%s' % (n, inner) for n in range(4) for inner in ('', '.1')], 'places', names)
    got = {names[a['place']]: a['values']['first'] for a in history['activities'] if 'first' in a['values']}
    check(got == {'thread %d' % n: n for n in range(4)}, 'the chunk of each thread', got)
    inner = sorted([names[p] for p in team['places']] for team in history['regions'][1]['teams'])
    check(inner == [['thread %d' % n, 'thread %d.1' % n] for n in range(4)], 'inner teams', inner)
    outer = [names[p] for p in history['regions'][0]['teams'][0]['places']]
    check(outer == ['thread %d' % n for n in range(4)], 'the team in order', outer)


SECTIONS = '''#include <omp.h>
#include <stdio.h>
static int who[7];
int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp sections
    {
%s
    }
    for (int i = 0; i < 7; i++)
        printf("%%d ", who[i]);
}
''' % '\n'.join('#pragma omp section\n        who[%d] = omp_get_thread_num();' % i for i in range(7))


def sections_have_numbers(tools):
    source = tools.write('parts.c', SECTIONS)
    tools.compile_with(tools.compiler, source, 'parts', RUNTIME)
    done, trace = tools.record('parts')
    who = [int(n) for n in done.stdout.split()]
    told = [None] * 7
    got = tools.history(trace)
    team = got['regions'][0]['teams'][0]['places']
    for a in got['activities']:
        if a['name'] == 'sections' and 'first' in a['values']:
            check(a['module'] == 'sections parts.c:7' and a['values']['of'] == 7, 'which sections', a)
            for i in range(a['values']['iterations']):
                told[a['values']['first'] + i] = a['place']
    # Thread 0 is the first place of the team; the others come in any order.
    check(len(who) == 7 and None not in told, 'all sections', who, told)
    check([p == team[0] for p in told] == [w == 0 for w in who]
          and len(set(zip(who, told))) == len(set(who)), 'who did which section', who, told)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]),
              flang_has_the_lines_of_directives, gcc_has_the_lines_of_regions,
              gcc_has_the_line_of_a_region_around_another, gcc_has_the_lines_of_directives,
              singles_of_gcc_end, sections_have_numbers, threads_have_their_numbers)
