#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records parts of OpenMP programs: regions that were chosen, and what the program wants itself.

usage: test_choice.py KPX-BRIDGE PAF COMPILER APPS
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    HERE, OpenMP, ROOT, RUNTIME, check, modules, present, run_tests)

FORTRAN = '''program chosen
  implicit none
  integer :: i
  real :: total
  total = 0
  call kpx_stop
  call step
  call kpx_start
  call step
  print '(f8.1)', total
contains
  subroutine step
!$omp parallel do num_threads(2) reduction(+ : total)
    do i = 1, 1000
      total = total + 1
    end do
  end subroutine step
end program chosen
'''


def constructs(tools, trace):
    return {n for n in modules(tools.report(trace)) if ':' in n}


def executions(text):
    """Of each region of the statistics, by its line."""
    return {int(line): int(n or 1) for line, n in
            re.findall(r'Parallel Region \d+ \(\S+: (\d+)\)(?:, (\d+) executions)? ', text)}


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def build(tools):
    tools.apps = HERE
    tools.build('chosen', '-I' + ROOT)


def regions_are_chosen_by_place(tools):
    for place, lines in (('chosen.c:16', {16}), ('chosen.c:24', {24}), ('second', {24}),
                         ('first', {16}), ('chosen.c', {16, 24}),
                         (os.path.join(HERE, 'chosen.c') + ':24', {24})):
        done, trace = tools.record('chosen', options=['--region', place])
        found = {n for n in constructs(tools, trace) if n.startswith('region')}
        check(found == {'region chosen.c:%d' % line for line in lines}, 'region ' + place, found,
              done.stderr)
    done, trace = tools.record('chosen', options=['--region', 'second', '--region', 'chosen.c:16'])
    check({'region chosen.c:16', 'region chosen.c:24'} <= constructs(tools, trace), 'two places')
    before = read(trace)
    done, trace = tools.record('chosen', options=['--region', 'third', '--region', 'chosen.c:1'])
    check(done.returncode == 1 and done.stderr.endswith(
        'none of the chosen regions was entered (--region third, chosen.c:1)\n'), 'no such region',
          done.returncode, done.stderr)
    check(read(trace) == before, 'the trace that was there is left alone')
    done, trace = tools.record('chosen', options=['--region', 'third', '--region', 'first'])
    check(done.returncode == 0 and 'none of' not in done.stderr, 'one of them suffices',
          done.stderr)


def the_program_stops_and_starts(tools):
    done, trace = tools.record('chosen', options=['--statistics', '-'])
    check(executions(done.stdout) == {16: 2}, 'what runs while stopped is not counted', done.stdout)
    check(not any('chosen.c:24' in n or 'chosen.c:30' in n for n in constructs(tools, trace)
                  if not n.startswith('region')), 'nothing of it is in the trace')
    done, trace = tools.record('chosen', options=['--statistics', '-', '--paused'])
    check(executions(done.stdout) == {16: 1}, 'from the first start on', done.stdout)
    alone = tools.run(os.path.join(tools.folder, 'chosen'))
    check(alone.returncode == 0, 'the calls do nothing without a recorder', alone.stderr)
    check(alone.stdout in done.stdout, 'and change nothing', alone.stdout)


def fortran_stops_and_starts(tools):
    path = os.path.join(tools.folder, 'fchosen')
    with open(path + '.f90', 'w', encoding='utf-8') as file:
        file.write(FORTRAN)
    for compiler in present('gfortran', 'flang-new-19'):
        done = tools.run(compiler, '-g', '-fopenmp', '-o', path, path + '.f90',
                         os.path.join(ROOT, 'kpx-bridge', 'kpx.f90'))
        check(done.returncode == 0, 'building with ' + compiler, done.stderr)
        done, _ = tools.record('fchosen', options=['--statistics', '-'])
        check(done.returncode == 0 and executions(done.stdout) == {13: 1},
              'stopped, by ' + compiler, done.stdout, done.stderr)
        done, _ = tools.record('fchosen', options=['--statistics', '-', '--region', 'step'])
        check(executions(done.stdout) == {13: 1}, 'chosen by name, by ' + compiler, done.stdout)


def kinds_are_left_out(tools):
    done, trace = tools.record('chosen', options=['--paused', '--without', 'chunks,tasks'])
    info = tools.run(tools.paf, 'info', trace).stdout
    check(done.returncode == 0 and not re.search(r'loop/[3-9]', info), 'no chunks', info)
    done, _ = tools.record('chosen', options=['--without', 'bread'])
    check(done.returncode == 2 and '--without takes' in done.stderr, 'an unknown kind', done.stderr)


def a_pilot_run_says_what_to_expect(tools):
    done, _ = tools.record('chosen', options=['--keep-log', tools.path('pilot')])
    done = tools.run(tools.bridge, 'advise', '--times', '1000000', tools.path('pilot'))
    head = re.match(r'(\d+) events of 2 threads in', done.stdout)
    check(done.returncode == 0 and head, 'advise', done.stdout, done.stderr)
    rows = [int(n) for n in re.findall(r'^  .{28} +(\d+)  +[\d.]+ %', done.stdout, re.M)]
    check(head and sum(rows) == int(head.group(1)), 'events by kind', done.stdout)
    check('a run of 1000000 times that: about' in done.stdout and 'of memory to make' in done.stdout and
          re.search(r'--events \d+ keeps all events', done.stdout) and '--region FILE:LINE' in done.stdout,
          'what to expect, and what to do', done.stdout)
    done = tools.run(tools.bridge, 'advise', '--times', '0', tools.path('pilot'))
    check(done.returncode == 2 and '--times takes a number' in done.stderr, 'times', done.stderr)
    done = tools.run(tools.bridge, 'advise', tools.path('nowhere'))
    check(done.returncode == 1 and 'nowhere' in done.stderr, 'a log that is not there', done.stderr)


EVENTS = os.path.join(ROOT, 'bench', 'programs', 'events.c')


def what_recording_took_is_told(tools):
    tools.compile_with(tools.compiler, EVENTS, 'events', RUNTIME)
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', os.devnull, '--', tools.path('events'),
                     '1000000')
    share = re.search(r'recording took about (\d+) % of the processor time', done.stderr)
    check(share and 20 <= int(share.group(1)) <= 100, 'of a program that only makes events', done.stderr)


def patterns_are_for_what_has_names(tools):
    trace = tools.path('chosen.paf')
    done = tools.run(tools.bridge, 'record', '--openmp', '--only', 'step', '-o', trace, '--',
                     tools.path('chosen'))
    told = '--only chooses routines, loops and I/O: all of OpenMP is recorded'
    check(done.returncode == 0 and told in done.stderr, '--only beside --openmp', done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:5]),
              build, regions_are_chosen_by_place, the_program_stops_and_starts,
              fortran_stops_and_starts, kinds_are_left_out, a_pilot_run_says_what_to_expect,
              what_recording_took_is_told,
              patterns_are_for_what_has_names)
