#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recorders and the compiler plugin are guests in somebody else's process: they neither print there nor
end it. What the user should know they leave in the log, and the bridge says it.

usage: test_guests.py KPX-BRIDGE PAF COMPILER APPS
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from support import RUNTIME, OpenMP, check, run_tests  # noqa: E402 - beside this file

LIBRARIES = ['libkpx-log.so', 'libkpx-openmp.so', 'libkpx-places.so', 'libkpx-idents.so', 'libkpx-mpi.so',
             'libkpx-routines.so', 'libkpx-threads.so', 'kpx_hooks.so']
# What ends a process or prints. Functions that write to a stream of their own (fprintf, fputc) need
# `stdout` or `stderr` to print.
ENDS = re.compile(r'base_(out_of_memory|internal_error|\w+_at)|_?_?exit|_Exit|quick_exit|abort|'
                  r'__assert(_perror)?_fail|__stack_chk_fail_local|_Z\d+fancy_abort\w*|xmalloc_failed')
PRINTS = re.compile(r'(__)?v?printf(_chk)?|puts|putchar|perror|psignal|psiginfo|v?(err|warn)x?|error|'
                    r'stdout|stderr|_ZSt4c(out|err)')
ALLOWED = {
    # The runtime lacks a function that the program calls: the dynamic linker would end it here.
    ('libkpx-idents.so', 'abort'),
    # GCC's own checks of its own trees, compiled into its headers.
    ('kpx_hooks.so', '_Z11fancy_abortPKciS0_'),
}
PROGRAM = '''int main(void)
{
    volatile int sink = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 100; i++)
        sink = i;
    return 7;
}
'''


def libraries_neither_print_nor_exit(tools):
    folder = os.path.dirname(tools.bridge)
    there = [name for name in LIBRARIES if os.path.exists(os.path.join(folder, name))]
    check('libkpx-log.so' in there and 'libkpx-places.so' in there, 'libraries are looked at', there)
    for name in there:
        done = subprocess.run(['nm', '-D', '--undefined-only', '--format=posix',
                               os.path.join(folder, name)], capture_output=True, text=True, check=True)
        used = {line.split()[0].partition('@')[0] for line in done.stdout.splitlines()}
        bad = [s for s in sorted(used) if ENDS.fullmatch(s) or PRINTS.fullmatch(s)]
        check(len(used) > 5, name + ' is read', sorted(used))
        check([s for s in bad if (name, s) not in ALLOWED] == [], name + ' neither prints nor exits', bad)


def what_is_looked_for_would_be_found(tools):
    with open(os.path.join(tools.folder, 'guest.c'), 'w', encoding='utf-8') as file:
        file.write(PROGRAM)
    done = tools.run(tools.compiler, '-g', '-O1', '-fopenmp', '-o', 'guest', 'guest.c', RUNTIME)
    check(done.returncode == 0, 'building the program', done.stderr)
    for name in ('exit', 'abort', 'base_out_of_memory', 'base_allocate_at'):
        check(ENDS.fullmatch(name), name + ' would be found')
    for name in ('printf', '__printf_chk', 'puts', 'perror', 'stderr'):
        check(PRINTS.fullmatch(name), name + ' would be found')
    for name in ('snprintf', 'fprintf', 'at_quick_exit', 'strerror', 'pthread_exit_hook'):
        check(not ENDS.fullmatch(name) and not PRINTS.fullmatch(name), name + ' is allowed')


def record(tools, *words, **environment):
    logs = os.path.join(tools.folder, 'logs')
    os.makedirs(logs, exist_ok=True)
    return tools.run(tools.bridge, 'record', '--openmp', '-o', 'out.paf', *words,
                     env=dict(os.environ, TMPDIR=logs, **environment))


def threads_that_cannot_be_recorded_are_told(tools):
    """Files may have no more than 8 KB, and a thread's log has more."""
    limited = 'trap "" XFSZ; ulimit -f 8; ./guest 2> guest.stderr'
    done = record(tools, '--', 'bash', '-c', limited)
    with open(os.path.join(tools.folder, 'guest.stderr'), encoding='utf-8') as file:
        said = file.read()
    check(done.returncode == 7 and said == '', 'the recorder says nothing', done.returncode, said)
    check(re.search(r'threads of process \d+ were not recorded: File too large', done.stderr),
          'the bridge says it', done.stderr)


def folders_that_vanish_are_told(tools):
    done = record(tools, '--keep-log', 'gone', '--', 'sh', '-c', 'rmdir gone; ./guest')
    check(done.returncode == 7 and re.search(r'gone: cannot read: No such file', done.stderr),
          'a folder that is gone', done.returncode, done.stderr)


def paths_that_are_too_long_are_refused(tools):
    """A folder may have a path that leaves no room for the names of files in it."""
    here = os.getcwd()
    os.chdir(tools.folder)
    depth = 0
    try:
        while len(os.getcwd()) < 4096 - 256:
            os.mkdir('x' * 200)
            os.chdir('x' * 200)
            depth += 1
        last = 'y' * (4096 - 1 - 8 - len(os.getcwd()))
        done = subprocess.run([tools.bridge, 'record', '--openmp', '--keep-log', last, '--', 'true'],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 1 and 'cannot create: File name too long' in done.stderr,
              'a path that is too long', done.returncode, done.stderr[-200:])
        check(os.listdir('.') == [], 'nothing is left', os.listdir('.'))
    finally:
        os.chdir(here)
        subprocess.run(['rm', '-r', os.path.join(tools.folder, 'x' * 200)], check=True)
    done = record(tools, '--', './guest', KPX_LOG='z' * 5000)
    check(done.returncode == 7 and 'activities' in done.stderr, 'the bridge sets the folder itself',
          done.returncode, done.stderr)


def numbers_in_the_environment_are_checked(tools):
    """Who sets it by hand, for the recorders, has no command that checks it."""
    record(tools, '--keep-log', 'first', '--', './guest')
    script = 'export KPX_EVENTS=%s; exec ./guest'
    for value, told in (('abc', True), ('12abc', True), ('-1', True), ('1' * 30, True), ('5000', False)):
        done = record(tools, '--', 'sh', '-c', script % value)
        says = 'KPX_EVENTS=%s is not a number and was ignored' % value
        check(done.returncode == 7 and (says in done.stderr) == told and
              re.search(r'[1-9]\d* activities', done.stderr), 'KPX_EVENTS=' + value, done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:5]),
              what_is_looked_for_would_be_found, libraries_neither_print_nor_exit,
              threads_that_cannot_be_recorded_are_told, folders_that_vanish_are_told,
              paths_that_are_too_long_are_refused, numbers_in_the_environment_are_checked)
