#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command kpx-bridge says of its words, where traces go, and how it ends.

usage: test_command.py KPX-BRIDGE PAF COMPILER APPS
"""

import os
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True

from support import HERE, OpenMP, check, run_tests  # noqa: E402 - beside this file

FORKS = '''int main(void)
{
#pragma omp parallel
    {
    }
    return 0;
}
'''

HANGS = '''#include <stdio.h>
#include <unistd.h>
int main(void)
{
    volatile int sink = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 100; i++)
        sink = i;
    puts("begun");
    fflush(stdout);
    for (;;)
        pause();
}
'''


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def below(tools, name):
    return os.path.join(tools.folder, name)


def record(tools, *words):
    """In a folder for logs of its own, in which nothing may be left."""
    logs = below(tools, 'logs')
    os.makedirs(logs, exist_ok=True)
    done = tools.run(tools.bridge, 'record', *words, env=dict(os.environ, TMPDIR=logs))
    check(os.listdir(logs) == [], 'no log is left by %r' % (words,), os.listdir(logs))
    return done


def words_are_explained(tools):
    for words in (['-h'], ['--help'], ['record', '-h'], ['convert', '--help'], ['build', '-h'],
                  ['report', '-h'], ['import', '--help']):
        done = tools.run(tools.bridge, *words)
        check(done.returncode == 0 and done.stdout.startswith('usage: kpx-bridge record')
              and not done.stderr, 'help by %r' % words, done.stdout[:200], done.stderr)
    for words, message in ((['recrod'], 'unknown command recrod; did you mean record?'),
                           (['fly'], 'unknown command fly; see kpx-bridge --help\n'),
                           (['record', '--openpm'], 'unknown or ambiguous option --openpm; see kpx-bridge --help'),
                           (['report', '--openmp'], 'unknown or ambiguous option --openmp'),
                           (['record', '--limit', '0'], '--limit takes a number from 1'),
                           (['--openmp', '--', 'true'], 'the command comes first')):
        done = tools.run(tools.bridge, *words)
        check(done.returncode == 2 and done.stderr.startswith('kpx-bridge: ' + message),
              'what is wrong with %r' % words, done.returncode, done.stderr)


def what_cannot_be_written_is_said_first(tools):
    for option in ('-o', '--statistics'):
        done = record(tools, '--openmp', option, '/nonexistent/x.paf', '--', 'touch', 'was-run')
        check(done.returncode == 1 and '/nonexistent/x.paf: cannot create: No such file' in done.stderr,
              option + ' without a folder', done.returncode, done.stderr)
    check(not os.path.exists(below(tools, 'was-run')), 'before the command runs')


def what_was_not_recorded_leaves_no_trace(tools):
    tools.build('heat')
    done = record(tools, '--openmp', '--', './no-such-program')
    check(done.returncode == 127, 'no such program', done.returncode, done.stderr)
    done = record(tools, '--openmp', '--', 'true')
    check(done.returncode == 1 and done.stderr ==
          'kpx-bridge: nothing was recorded: there was no program that begins a parallel region of '
          'OpenMP (one linked with -static cannot be recorded)\n', 'no name of a folder that is gone', done.stderr)
    for option, reason in (('--mpi', 'that calls MPI_Init '), ('--io', 'of gfortran that reads'),
                           ('--loops', 'that `kpx-bridge build` has compiled '),
                           ('--openmp --mpi --io', 'of OpenMP or that calls MPI_Init or of gfortran')):
        done = record(tools, *option.split(), '--', './heat' if option != '--openmp --mpi --io' else 'true')
        check(done.returncode == 1 and reason in done.stderr, 'why nothing was: ' + option, done.stderr)
    with open(below(tools, 'heat.paf'), 'w', encoding='utf-8') as file:
        file.write('of yesterday\n')
    done = record(tools, '--openmp', '--paused', '--', './heat')
    check(done.returncode == 1 and 'never called kpx_start()' in done.stderr, 'never started',
          done.stderr)
    check(read(below(tools, 'heat.paf')) == b'of yesterday\n', 'what is there is left alone')


def traces_are_named_after_the_program(tools):
    os.makedirs(below(tools, 'sub'), exist_ok=True)
    shutil.copy(below(tools, 'heat'), below(tools, 'sub/warm'))
    for words in (['./sub/warm'], ['sh', '-c', 'cd sub && ./warm && exit 0']):
        done = record(tools, '--openmp', '--', *words)
        check(done.returncode == 0 and done.stderr.startswith('kpx-bridge: warm.paf: 2 places, '),
              'where it is, run by %r' % words, done.stderr)
        check(os.path.exists(below(tools, 'warm.paf')), 'named after the program')
        os.remove(below(tools, 'warm.paf'))
    report = os.path.join(HERE, 'reports', 'k_tool.f66')
    shutil.copy(report, below(tools, '@@k_tool.f66'))
    done = tools.run(tools.bridge, 'import', '@@k_tool.f66')
    check(done.returncode == 0 and done.stderr.startswith('kpx-bridge: k_tool.paf: '),
          'of a report', done.stderr)
    check(os.path.exists(below(tools, 'k_tool.paf')), 'without what surrounds its name')
    done = record(tools, '--openmp', '--keep-log', 'kept', '--', './heat')
    done = tools.run(tools.bridge, 'convert', 'kept/')
    check(done.returncode == 0 and os.path.exists(below(tools, 'kept.paf')), 'of a log',
          done.stderr)


def sources_are_not_replaced(tools):
    with open(below(tools, 'own.c'), 'w', encoding='utf-8') as file:
        file.write(FORKS)
    before = read(below(tools, 'own.c'))
    tools.apps = tools.folder
    tools.build('own')
    logs = below(tools, 'unused-log')
    os.makedirs(logs)
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', 'own.c', '--', './own',
                     env=dict(os.environ, TMPDIR=logs))
    check(done.returncode == 1 and 'own.c: it is a source of the program; it is not overwritten' in done.stderr,
          'a trace onto a source', done.returncode, done.stderr)
    check(read(below(tools, 'own.c')) == before, 'the source is as it was')
    check(len(os.listdir(logs)) == 1, 'what was recorded is kept', os.listdir(logs))


def signals_go_on_to_the_command(tools):
    with open(below(tools, 'hangs.c'), 'w', encoding='utf-8') as file:
        file.write(HANGS)
    tools.apps = tools.folder
    tools.build('hangs')
    logs = below(tools, 'logs')
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # what nohup ignores the command would ignore, too
        process = subprocess.Popen([tools.bridge, 'record', '--openmp', '--', './hangs'],
                                   cwd=tools.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=logs))
        check(process.stdout.readline() == b'begun\n', 'a program that hangs begins')
        process.send_signal(number)
        # Ends when the program has, too: it holds the other end of the pipes.
        _, errors = process.communicate(timeout=600)
        check(process.returncode == 128 + number, 'the status of the command', process.returncode,
              errors)
        check(os.path.exists(below(tools, 'hangs.paf')), 'what was recorded is used', errors)
        check(os.listdir(logs) == [], 'and the log is gone', os.listdir(logs))
        os.remove(below(tools, 'hangs.paf'))


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:5]),
              words_are_explained, what_cannot_be_written_is_said_first,
              what_was_not_recorded_leaves_no_trace, traces_are_named_after_the_program,
              sources_are_not_replaced,
              signals_go_on_to_the_command)
