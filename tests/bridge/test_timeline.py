#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline of routines, loops and I/O: records programs that were compiled by `kpx-bridge build`
and asks for what follows from their text.

usage: test_timeline.py [--claims] KPX-BRIDGE PRINT-TOTALS PRINT-TIMELINE GFORTRAN APPS
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    ALL, Measured, check, claim, of, run_tests, skip, source, values)


class Stretch:
    """A line of print_timeline."""

    def __init__(self, line):
        self.place, start, end, self.module, self.name, values = line.split('|')
        self.start, self.end = int(start), int(end)
        self.values = dict(v.split('=') for v in values.split())
        self.depth = int(self.values.get('depth', 0))


class Recorder(Measured):
    """Gives the timeline beside the totals."""

    def __init__(self, folder, bridge, printer, lister, *rest):
        super().__init__(folder, bridge, printer, *rest)
        self.lister = os.path.abspath(lister)

    def timeline(self, *command, options=ALL):
        done, totals = self.record(*command, options=options)
        listed = self.run(self.lister, 'out.paf')
        check(listed.returncode == 0, 'the timeline of ' + ' '.join(command), listed.stderr)
        stretches = [Stretch(line) for line in listed.stdout.splitlines()]
        stretches.sort(key=lambda s: (s.place, s.start, s.end))
        return done, totals, stretches


def modules(stretches, place=None):
    return [s.module for s in stretches if place in (None, s.place)]


NEST = """program nest
  implicit none
  real(8) :: x = 1
  integer :: k
  do k = 1, 2
    call outer(x)
  end do
  open (11, file='nest.out')
  write (11, *) x
  close (11)
end program
subroutine outer(x)
  real(8) :: x
  integer :: i
  call inner(x)
  do i = 1, 3
    x = x + 1
    if (i == 2) call inner(x)
  end do
end subroutine
subroutine inner(x)
  real(8) :: x
  integer :: i
  do i = 1, 7
    x = x + 1 / x
  end do
end subroutine
"""
PROGRAM, OUTER, INNER = 'nest nest.f90:1', 'outer nest.f90:12', 'inner nest.f90:21'
IN_PROGRAM, IN_OUTER, IN_INNER = 'loop nest.f90:5', 'loop nest.f90:16', 'loop nest.f90:24'


def call_of_inner(depth):
    return [(INNER, depth), (IN_INNER, depth + 1), (INNER, depth)]


CALL_OF_OUTER = [(OUTER, 3), *call_of_inner(4), (OUTER, 3), (IN_OUTER, 4), *call_of_inner(5),
                 (IN_OUTER, 4), (OUTER, 3)]
EXPECTED = [('computation', 0), (PROGRAM, 1), (IN_PROGRAM, 2), *CALL_OF_OUTER, (IN_PROGRAM, 2),
            *CALL_OF_OUTER, (IN_PROGRAM, 2), (PROGRAM, 1), ('unit 11', 2), (PROGRAM, 1),
            ('unit 11', 2), (PROGRAM, 1), ('unit 11', 2), (PROGRAM, 1), ('computation', 0)]


def are_in_order(parts, whole):
    """Whether they are some of the whole, in its order."""
    rest = iter(whole)
    return all(part in rest for part in parts)


def build_nest(tools):
    tools.write('nest.f90', NEST)
    tools.build('-O0', '-o', 'nest', 'nest.f90')


def every_part_of_a_call(tools):
    build_nest(tools)
    claim('a call leads to what it calls, and that to the rest', lambda: tools.timeline('./nest'),
          lambda made: [(s.module, s.depth) for s in made[2]] == EXPECTED)


def nesting(tools):
    build_nest(tools)
    done, totals, stretches = tools.timeline('./nest')
    check(done.returncode == 0, 'nest', done.stderr)
    # Now and then the clock does not tell a part of a call from none.
    check(are_in_order([(s.module, s.depth) for s in stretches], EXPECTED) and len(stretches) >= 20,
          'a call leads to what it calls, and that to the rest', modules(stretches))
    check(all(a.end == b.start for a, b in zip(stretches, stretches[1:])), 'there are no gaps')
    check({s.name for s in stretches if s.depth > 0} ==
          {'call', 'loop', 'open nest.f90:8', 'write nest.f90:9', 'close nest.f90:10'},
          'activities are calls, loops and statements', {s.name for s in stretches})
    ended = [(s.module, s.values['iterations']) for s in stretches if 'iterations' in s.values]
    once = [(IN_INNER, '7'), (IN_INNER, '7'), (IN_OUTER, '3')]
    check(len(ended) >= 4 and are_in_order(ended, [*once, *once, (IN_PROGRAM, '2')]),
          'the end of a loop tells its iterations', ended)
    for loop in of(totals, 'loop'):
        time = sum(s.end - s.start for s in stretches if s.module == 'loop nest.f90:' + loop.line)
        check(abs(time - loop.time) <= loop.time / 10 + 20000, 'stretches add up to the totals', time,
              loop.time)


def left_out(tools):
    done, totals, stretches = tools.timeline('./nest', options=(*ALL, '--limit', '4'))
    check(not {INNER, IN_INNER} & set(modules(stretches)) and OUTER in modules(stretches),
          'what is executed often is not on the timeline', modules(stretches))
    check('4 times or more' in done.stderr and '(4 times)' in done.stderr, 'which is told', done.stderr)
    times = {l.unit: (l.times, l.time is not None) for l in of(totals, 'unit')}
    check(times == {'nest': (1, True), 'outer': (2, True), 'inner': (4, True)}, 'totals have it', times)
    done, _, stretches = tools.timeline('./nest', options=(*ALL, '--limit', '5'))
    # four calls, each in up to two parts: what took less than the clock can tell is no part
    check(4 <= modules(stretches).count(INNER) <= 8 and 'leaves out' not in done.stderr,
          'the limit is what has to be reached', done.stderr)
    done, totals, stretches = tools.timeline('./nest', options=(*ALL, '--two-pass', '--limit', '4'))
    check(not {INNER, IN_INNER} & set(modules(stretches)) and OUTER in modules(stretches),
          'what is not timed is not on the timeline', modules(stretches))
    for options in ('--without', 'timeline'), ('--count',):
        done, totals, stretches = tools.timeline('./nest', options=(*ALL, *options))
        check(not stretches and len(of(totals, 'unit')) == 3, 'totals alone', modules(stretches))
    done, totals, stretches = tools.timeline('./nest', options=(*ALL, '--clock', 'cpu'))
    check(not stretches and 'no timeline' in done.stderr, "none by the processor's clock", done.stderr)


def cap(tools):
    _, whole, _ = tools.timeline('./nest')
    done, totals, stretches = tools.timeline('./nest', options=(*ALL, '--events', '12'))
    enough = re.search(r'--events (\d+) would have kept them', done.stderr)
    check(enough and 'ends after' in done.stderr, 'a timeline that ends early is told', done.stderr)
    check(are_in_order(modules(stretches), [m for m, _ in EXPECTED[:12]]) and len(stretches) >= 6,
          'the beginning is kept', modules(stretches))
    check([(l.kind, l.line, l.times, l.rotation) for l in totals] ==
          [(l.kind, l.line, l.times, l.rotation) for l in whole], 'totals are of the whole run')
    done, _, stretches = tools.timeline('./nest', options=(*ALL, '--events', enough.group(1)))
    check(20 <= len(stretches) <= len(EXPECTED) and 'dropped' not in done.stderr,
          'as many events as told are enough', done.stderr, len(stretches))

SWITCH = """#include "kpx-bridge/kpx.h"
void one(void) {}
void two(void) {}
void three(void) { kpx_start(); two(); }
int main(void) { one(); kpx_start(); two(); kpx_stop(); one(); three(); return 0; }
"""


def chosen(tools):
    tools.write('switch.c', SWITCH)
    root = os.path.dirname(os.path.dirname(tools.apps))
    tools.build('-o', 'switch', '-I' + root, 'switch.c', compiler='gcc')
    _, _, stretches = tools.timeline('./switch', options=('--routines', '--paused'))
    names = [m.split()[0] for m in modules(stretches)]
    names = [n for n in names if n != 'computation']
    check(are_in_order(names, ['main', 'two', 'main', 'three', 'two', 'three', 'main'])
          and {'main', 'three'} <= set(names), 'calls that were open when recording began are known', names)
    _, _, stretches = tools.timeline('./nest', options=(*ALL, '--except', 'inner'))
    check(INNER not in modules(stretches) and 2 <= modules(stretches).count(OUTER) <= 4,
          '--except', modules(stretches))


STOPS = """
subroutine last(how)
  character(*) :: how
  interface
    subroutine abort() bind(c)
    end subroutine
  end interface
  if (how == 'abort') call abort
  stop 3
end subroutine
program stops
  character(10) :: how
  call get_command_argument(1, how)
  call last(how)
end program
"""


def ends(tools):
    tools.write('stops.f90', STOPS)
    tools.build('-o', 'stops', 'stops.f90')
    for how, status in (('abort', 128 + 6), ('stop', 3)):
        done, _, stretches = tools.timeline('./stops', how)
        names = [m.split()[0] for m in modules(stretches)]
        check(done.returncode == status and names[:3] == ['computation', 'stops', 'last'],
              'a program that ends within a routine: ' + how, done.returncode, names)
        check(('ended abnormally' in done.stderr) == (how == 'abort') and done.stderr.count('ended abnormally') < 2,
              'and how it ended is told once', done.stderr)


def threads_and_processes(tools):
    tools.write('jumps.c', source('long_jumps.c'))
    tools.build('-O1', '-pthread', '-o', 'jumps', 'jumps.c', compiler='gcc')
    _, _, stretches = tools.timeline('./jumps')
    calls = {}
    for s in stretches:
        if s.module.startswith('other '):
            calls[s.place] = calls.get(s.place, 0) + 1
    check(sorted(calls.values()) == [1, 5, 1000, 1000, 1000], 'threads and children have places', calls)
    top = {s.module.split()[0] for s in stretches if s.depth == 1}
    check(top == {'main', 'thread', 'other'}, 'longjmp() ends what it leaves', top)


CHILD = """#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) int other(int a) { return a + 1; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) sum = other(sum);
    if (fork() == 0) pthread_exit(0);
    wait(0);
    for (int i = 0; i < 5000; i++) sum = other(sum);
    return sum != 5010;
}
"""


def ends_of_children(tools):
    tools.write('child.c', CHILD)
    tools.build('-O1', '-pthread', '-o', 'child', 'child.c', compiler='gcc')
    done, _, stretches = tools.timeline('./child')
    check(done.returncode == 0, 'the thread of a child ends, which has the log of none', done.stderr)
    calls = sum(s.module.startswith('other ') for s in stretches)
    check(calls == 5010, "its parent's log goes on", calls, done.stderr)


CROWD = """#include <pthread.h>
static void *thread(void *a) { return a; }
int main(void)
{
    for (int i = 0; i < 1100; i++) {
        pthread_t t;
        if (pthread_create(&t, 0, thread, 0) != 0) return 1;
        pthread_join(t, 0);
    }
    return 0;
}
"""


def very_many_threads(tools):
    tools.write('crowd.c', CROWD)
    tools.build('-O1', '-pthread', '-o', 'crowd', 'crowd.c', compiler='gcc')
    log = os.path.join(tools.folder, 'crowd.log')
    done, totals, stretches = tools.timeline('./crowd', options=('--routines', '--keep-log', log))
    check(done.returncode == 0 and '77 threads are not on the timeline' in done.stderr,
          'threads beyond 1024 are told', done.stderr)
    check(len({s.place for s in stretches}) == 1024, 'and the others have places')
    check(sum(l.times for l in of(totals, 'unit', 'thread')) == 1100, 'totals are of all')
    size = sum(os.path.getsize(os.path.join(log, name)) for name in os.listdir(log)
               if name.endswith('.events'))
    check(size < 1024 * 6000, 'the log of a thread that did little is short', size)


TEAM = """subroutine part(x)
  real(8) :: x
  integer :: i
  do i = 1, 2000
    x = x + 1 / x
  end do
end subroutine
program team
  real(8) :: x(40) = 1
  integer :: i
  !$omp parallel do schedule(dynamic, 5)
  do i = 1, 40
    call part(x(i))
  end do
  print *, x(1)
end program
"""


def openmp(tools):
    tools.write('team.f90', TEAM)
    tools.build('-fopenmp', '-O1', '-g', '-o', 'team', 'team.f90')
    tools.environment['OMP_NUM_THREADS'] = '2'
    done, _, stretches = tools.timeline('./team', options=('--openmp', *ALL))
    if 'no such recorder' in done.stderr:
        skip('there is no recorder for OpenMP')
    part = [s for s in stretches if s.module.startswith('part ')]
    inner = [s for s in stretches if s.module == 'loop team.f90:4']
    check(len(inner) == 40 and {s.depth for s in part} <= {2, 3}, 'calls stand within loops of OpenMP',
          len(inner), {s.depth for s in part})
    chunks = {s.values['first'] for s in stretches if 'first' in s.values}
    check(len(chunks) == 8, 'chunks are known', chunks)
    barrier = [s for s in stretches if s.name == 'implied_barrier']
    check(barrier and all(s.module.startswith('region ') for s in barrier), 'and so is the barrier')
    check({s.values.get('within') for s in barrier} == {'1', None},
          'which is within the program on the first thread', [s.values for s in barrier])


def ranks(tools):
    tools.need_mpi('ranks', source('ranks.f90'))
    command = ('mpirun', '--oversubscribe', '-n', '2', './ranks')
    for options in ALL, ('--mpi', *ALL):
        done, _, stretches = tools.timeline(*command, options=options)
        calls = [sum(m.startswith('work ') for m in modules(stretches, 'rank %d' % r))
                 for r in range(2)]
        check(calls == [10, 20] and {s.place for s in stretches} == {'rank 0', 'rank 1'},
              'each rank is a place', done.stderr, calls)
    waits = {s.values.get('within') for s in stretches if s.module.startswith('MPI_Finalize ')}
    check(waits == {'1'}, 'calls of MPI stand within routines', waits)


if __name__ == '__main__':
    run_tests(lambda folder: Recorder(folder, *sys.argv[1:]),
              nesting, left_out, cap, chosen, ends, threads_and_processes, ends_of_children,
              very_many_threads, openmp, ranks, claims=(every_part_of_a_call,))
