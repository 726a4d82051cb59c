#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that a signal ends: which, and where they were.

usage: test_faults.py KPX-BRIDGE PAF COMPILER APPS
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import RUNTIME, OpenMP, check, need, run_tests  # noqa: E402 - beside this file

HERE = os.path.dirname(os.path.abspath(__file__))


def line_of(word):
    with open(os.path.join(HERE, 'crashes.c'), encoding='utf-8') as source:
        return next(n for n, line in enumerate(source, 1) if line.rstrip().endswith('// ' + word))


def build(tools):
    done = tools.run(tools.compiler, '-g', '-O1', '-fopenmp', '-o', 'crashes', os.path.join(HERE, 'crashes.c'),
                     RUNTIME)
    check(done.returncode == 0, 'building the program', done.stderr)


def record(tools, *words):
    return tools.run(tools.bridge, 'record', '--openmp', '-o', 'out.paf', '--', *words)


def faults():
    segv, abort = 'SIGSEGV (Segmentation fault)', 'SIGABRT (Aborted)'
    return (('write', 139, r'%s in crashes\.c:%d' % (re.escape(segv), line_of('write'))),
            ('copy', 139, r'%s in .*libc\S*, probably called by crashes\.c:%d' % (re.escape(segv), line_of('copy'))),
            ('abort', 134, r'%s in .*libc\S*, probably called by crashes\.c:%d' % (re.escape(abort),
                                                                                  line_of('abort'))),
            ('deep', 139, r'%s in crashes\.c:\d+' % re.escape(segv)),
            ('ask', 143, r'SIGTERM \(Terminated\)'))


def what_ended_a_program_is_told(tools):
    for how, status, text in faults():
        done = record(tools, './crashes', how, 'work')
        check(done.returncode == status and re.search('ended abnormally, by %s after' % text, done.stderr),
              'its end is told: ' + how, done.returncode, done.stderr)
        info = tools.run(tools.paf, 'info', 'out.paf').stdout
        check(re.search(r'message +process \d+ was ended by %s\n' % text, info), 'by the trace, too: ' + how, info)
        os.remove(tools.path('out.paf'))


def likewise_before_the_first_event(tools):
    for how, status, text in faults():
        done = record(tools, './crashes', how)
        check(done.returncode == status and re.search('was ended by %s before it did' % text, done.stderr) and
              not os.path.exists(tools.path('out.paf')), 'before anything: ' + how, done.returncode, done.stderr)


def the_program_sees_to_its_faults(tools):
    for more in ((), ('work',)):
        done = record(tools, './crashes', 'own', *more)
        check(done.returncode == 7 and done.stdout == 'seen\n' and 'SIGSEGV' not in done.stderr,
              'its handler runs', done.returncode, done.stdout, done.stderr)


FORTRAN = '''program fails
  real, pointer :: p(:)
  integer :: i
  real :: x(64)
  nullify(p)
  !$omp parallel do num_threads(2)
  do i = 1, 64
    x(i) = i
  end do
  p(3) = x(7)
end program
'''


def gfortran_tells_it_as_well(tools):
    need('gfortran')
    done = tools.run('gfortran', '-g', '-fopenmp', '-o', 'fails', tools.write('fails.f90', FORTRAN))
    check(done.returncode == 0, 'building in Fortran', done.stderr)
    done = record(tools, './fails')
    check('Backtrace for this error' in done.stderr and
          re.search(r'by SIGSEGV \(Segmentation fault\) in fails\.f90:10 after', done.stderr), 'both tell it', done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:5]), build, what_ended_a_program_is_told,
              likewise_before_the_first_event, the_program_sees_to_its_faults, gfortran_tells_it_as_well)
