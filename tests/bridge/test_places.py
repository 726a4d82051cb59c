#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records OpenMP programs and holds the places of their constructs, and who got what of loops and
sections, against the sources.

usage: test_places.py KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

from test_openmp import Tools, check, failures, modules  # noqa: E402 - beside this file
from test_programs import RUNTIME, compile_with, write  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# What stands in a directive, by what the construct is called.
WORDS = {'region': ('parallel',), 'loop': ('do',), 'sections': ('sections',), 'single': ('single',),
         'critical': ('critical',), 'ordered': ('ordered',), 'master': ('master',), 'task': ('task',),
         'taskwait': ('taskwait',), 'taskgroup': ('taskgroup',), 'barrier': ('barrier',)}


def history(tools, trace):
    done = tools.run(tools.print_trace, trace)
    check(done.returncode == 0, 'the history of ' + trace, done.stderr)
    return json.loads(done.stdout)


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
        if not compile_with(tools, 'flang-new-19', source, 'lines', level, '-J', tools.folder):
            return
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
        if not compile_with(tools, 'gcc', source, 'figures', level):
            return
        done, trace = tools.record('figures')
        found = {r['line'] for r in history(tools, trace)['regions'][:-1]}
        check(done.returncode == 0 and found == wanted, 'regions of gcc ' + level, found, wanted)
    trace = os.path.join(tools.folder, 'part.paf')
    one = max(wanted)
    done = tools.run(tools.bridge, 'record', '--openmp', '--region', 'figures.c:%d' % one, '-o', trace,
                     '--', os.path.join(tools.folder, 'figures'))
    found = {r['line'] for r in history(tools, trace)['regions'][:-1]}
    check(found == {one}, 'one of them is chosen', found, done.stderr)
    source = os.path.join(HERE, 'lines.f90')
    if not compile_with(tools, 'gfortran', source, 'lines', '-J', tools.folder):
        return
    for how, left_out in (('this', 51), ('other', 56)):
        done, trace = tools.record('lines', how)
        found = {r['line'] for r in history(tools, trace)['regions'][:-1]}
        check(found == directives(source)['region'] - {left_out}, 'regions of gfortran', found)


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
    source = write(tools, 'parts.c', SECTIONS)
    compile_with(tools, tools.compiler, source, 'parts', RUNTIME)
    done, trace = tools.record('parts')
    who = [int(n) for n in done.stdout.split()]
    told = [None] * 7
    got = history(tools, trace)
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


def main():
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        tools = Tools(*sys.argv[1:5], folder)
        tools.print_trace = os.path.abspath(sys.argv[5])
        for test in (flang_has_the_lines_of_directives, gcc_has_the_lines_of_regions,
                     sections_have_numbers):
            test(tools)
    print('%d failed' % len(failures))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
