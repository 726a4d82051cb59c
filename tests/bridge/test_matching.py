#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records MPI programs that write down which message each receive got, and compares all of them.

usage: test_matching.py [--claims] KPX-BRIDGE PAF MPICC APPS PRINT_MESSAGES    --claims: more messages
"""

import os
import re
import shutil
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    HERE, MPI, check, need, present, run_tests, skip, source, values)


def matched(tools, name, ranks, *arguments):
    """Of each rank the messages that its receives got, as the log has them; and who waits for whom."""
    log = os.path.join(tools.folder, 'log')
    shutil.rmtree(log, ignore_errors=True)
    trace = os.path.join(tools.folder, name + '.paf')
    done = tools.run(tools.bridge, 'record', '--mpi', '--keep-log', log, '-o', trace, '--', 'mpirun',
                     '--oversubscribe', '-n', str(ranks), './' + name, *arguments)
    check(done.returncode == 0 and done.stdout == '', 'running ' + name, done.stdout, done.stderr)
    found, waits = {rank: [] for rank in range(ranks)}, []
    printed = tools.run(tools.print_messages, log)
    check(re.search('^unmatched 0$', printed.stdout, re.M), 'every receive has its send', printed)
    for line in printed.stdout.splitlines():
        words = line.split()
        numbers = tuple(int(word) for word in words[1:])
        if words[0] == 'message':
            found[numbers[0]].append(numbers[1:])
        elif words[0] == 'waits':
            waits.append(numbers)
    return found, waits, trace, done.stderr


def compare(tools, found, what):
    total = 0
    for rank, got in found.items():
        with open(os.path.join(tools.folder, 'truth.%d' % rank), encoding='utf-8') as file:
            truth = [tuple(int(word) for word in line.split()) for line in file]
        total += len(truth)
        check(len(truth) == len(got), what + ': receives of rank %d' % rank, len(truth), len(got))
        for number, (right, message) in enumerate(zip(truth, got)):
            if right[1] == -1: # a message without bytes does not tell its number
                message = (message[0], -1) + message[2:]
            check(right == message, what + ': receive %d of rank %d' % (number, rank), right, message)
    return total


def random_messages_are_matched(tools, last=2):
    name = tools.build(os.path.join(HERE, 'matching.c'))
    for seed in range(1, last + 1):
        found, _, _, told = matched(tools, name, seed + 1, str(seed), '12')
        total = compare(tools, found, 'seed %d' % seed)
        check(total > 50 and 'not' not in told, 'seed %d has messages' % seed, total, told)


def many_random_messages_are_matched(tools):
    random_messages_are_matched(tools, 8)


def what_is_refused_is_no_message(tools):
    name = tools.build(os.path.join(HERE, 'refusals.c'))
    found, _, trace, told = matched(tools, name, 3)
    check(compare(tools, found, 'refusals') == 14, 'messages beside refusals', found)
    check('not' not in told, 'nothing is missing', told)
    report = tools.report(trace)
    check(values(report, '', r'MPI_Request_free') == 0, 'to give up a receive does not wait')

WAITING = """#include <mpi.h>
#include <stdlib.h>
static void work(int ms)
{
    for (double from = MPI_Wtime(); MPI_Wtime() - from < ms / 1000.0;)
        ;
}
int main(int n, char **v)
{
    static char data[1 << 20];
    int rank, sizes[] = {4, 1 << 20, 100, 4, 1 << 20};
    MPI_Request request;
    MPI_Init(&n, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Ssend(data, sizes[0], MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send(data, sizes[1], MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send(data, sizes[2], MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Issend(data, sizes[3], MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send_init(data, sizes[4], MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        MPI_Request_free(&request);
    } else {
        for (int i = 0; i < 5; i++) {
            MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // the send has begun
            work(30);
            MPI_Recv(data, sizes[i], MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
"""


def sends_wait_for_receives_that_are_late(tools):
    with open(os.path.join(tools.folder, 'waiting.c'), 'w', encoding='utf-8') as file:
        file.write(WAITING)
    name = tools.build('waiting.c')
    _, waits, trace, told = matched(tools, name, 2)
    check(waits == [(0, 1)] * 4, 'sends that wait', waits)
    check('dropped' not in told, 'a program that looks at the clock all the time', told)
    report = tools.report(trace)
    for routine, line in (('Ssend', 17), ('Send', 18), ('Wait', 21), ('Waitall', 24)):
        check(values(report, 'computation', 'MPI_%s waiting.c:%d' % (routine, line)) == 1,
              'MPI_%s needs the receive' % routine, report['dependencies'])
    check(values(report, '', 'MPI_Send waiting.c:19') == 0, 'a short message does not wait')
    calls = {c['name']: c for c in report['totals']['calls']}
    check(calls['MPI_Wtime']['times'] > 10, 'looks at the clock are counted', calls['MPI_Wtime'])
    check({w['cause'] for w in report['waiting'] if w['module'].startswith('MPI_Ssend')} ==
          {'computation before MPI_Recv waiting.c:30'}, 'what a late receiver did',
          report['waiting'])
    # Rank 1 works 150 ms: that is what the run would take with any number of processors.
    check(report['span'] > 140e6, 'the replay waits as well', report['span'])


BEHIND = """#include <mpi.h>
#include <time.h>
int main(int n, char **v)
{
    MPI_Init(&n, &v);
    MPI_Finalize();
    for (clock_t from = clock(); clock() - from < CLOCKS_PER_SEC / 2;)
        ;
    return 0;
}
"""


def what_is_behind_the_last_call_is_before_none(tools):
    with open(os.path.join(tools.folder, 'behind.c'), 'w', encoding='utf-8') as file:
        file.write(BEHIND)
    _, trace = tools.record(tools.build('behind.c'), 1)
    report = tools.report(trace)
    parts = {m['name']: m['critical'] for m in report['modules']}
    check(parts['computation'] > 0.4e9, 'what is on the critical path', parts)
    check(report['critical_path'][0]['predicate'] == 'computation/0', 'computation before nothing',
          report['critical_path'])


def check_places(tools, source, compiler, option, environment):
    """Each call of MPI has the line where its name stands in the text."""
    name = tools.build(source, compiler, option)
    done, trace = tools.record(name, 2)
    check(done.returncode == 0, 'running ' + name, done.stdout, done.stderr)
    with open(os.path.join(tools.folder, source), encoding='utf-8') as file:
        text = [re.sub(r'!.*|//.*', '', line) for line in file]
    right = {(match.group().lower(), number) for number, line in enumerate(text, 1)
             for match in re.finditer(r'\bMPI_[A-Za-z_]+(?=\()', line)}
    found = {(call['name'].lower(), call['line']) for call in tools.report(trace)['totals']['calls']}
    check(found == right, 'lines of %s, %s %s' % (source, environment, option), sorted(found - right),
          sorted(right - found))


def calls_stand_where_the_text_has_them(tools):
    for compiler in present('gcc', 'clang-19'):
        tools.environment['OMPI_CC'] = compiler
        shutil.copy(os.path.join(HERE, 'jumps.c'), tools.folder)
        for option in ('-O0', '-O2'):
            check_places(tools, 'jumps.c', None, option, compiler)
    del tools.environment['OMPI_CC']
    compiler = need('mpif90')
    with open(os.path.join(HERE, 'places.f90'), encoding='utf-8') as file:
        text = file.read()
    for module, handles in (('mpi', 'integer :: req, st(MPI_STATUS_SIZE)'),
                            ('mpi_f08', 'type(MPI_Request) :: req; type(MPI_Status) :: st')):
        source = 'places_%s.f90' % module
        with open(os.path.join(tools.folder, source), 'w', encoding='utf-8') as file:
            file.write(text.replace('use MODULE', 'use ' + module).replace('HANDLES', handles))
        for option in ('-O0', '-O2'):
            check_places(tools, source, compiler, option, 'gfortran')


TURNS = """#include <mpi.h>
int main(int n, char **v)
{
    int rank, ranks, x = 0;
    MPI_Init(&n, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 100 * (ranks - 1); i++) {
        int other = 1 + i % (ranks - 1);
        if (rank == 0) {
            MPI_Send(&x, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
            MPI_Recv(&x, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == other) {
            MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
"""

# A clock and a name of its own for each rank, as on another machine.
APART = """#!/bin/sh
later=$((OMPI_COMM_WORLD_RANK * 1000))
exec unshare -T --monotonic $later --boottime $later --fork unshare -u sh -c \
    'hostname machine$0 && exec "$@"' $OMPI_COMM_WORLD_RANK "$@"
"""


def ranks_with_clocks_of_their_own(tools):
    probe = tools.run('unshare', '-T', '--monotonic', '5', '--boottime', '5', '--fork', 'unshare',
                      '-u', 'hostname', 'other')
    if probe.returncode != 0:
        skip('no clocks and names of their own for processes here: ' + probe.stderr)
    for name, text in (('turns.c', TURNS), ('apart', APART)):
        with open(os.path.join(tools.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)
    os.chmod(os.path.join(tools.folder, 'apart'), 0o755)
    name = tools.build('turns.c')
    trace = os.path.join(tools.folder, 'turns.paf')
    done = tools.run(tools.bridge, 'record', '--mpi', '-o', trace, '--', 'mpirun', '--oversubscribe',
                     '-n', '3', './apart', './' + name)
    told = re.findall(r'machine(\d) ([-+][0-9.]+) s', done.stderr)
    check(done.returncode == 0 and 'clocks of 3 machines' in done.stderr and len(told) == 2,
          'machines are told apart', done.stderr)
    check('still arrived' not in done.stderr and 'inconsistent' not in done.stderr,
          'no message arrives before it was sent', done.stderr)
    # As exact as the quickest answer, which takes long where processes wait for a processor.
    for machine, offset in told:
        check(abs(float(offset) + 1000 * int(machine)) < 0.5, 'the clock of machine ' + machine, done.stderr)
    count = values(tools.report(trace), '', 'MPI_Recv turns.c')
    check(count == 400, 'messages between machines', count)


def a_log_that_is_cut_keeps_the_rest(tools):
    matched(tools, tools.build(os.path.join(HERE, 'matching.c')), 3, '9', '8')
    log, trace = os.path.join(tools.folder, 'log'), os.path.join(tools.folder, 'cut.paf')
    events = sorted(f for f in os.listdir(log) if f.endswith('.events'))
    path = os.path.join(log, events[1])
    os.truncate(path, 4096 + 100 * 32 + 7)
    done = tools.run(tools.bridge, 'convert', log, '-o', trace)
    check(done.returncode == 0 and events[1] + ': it is cut off: it holds ' in
          done.stderr, 'it is told', done.stderr)
    tools.report(trace)
    for name in os.listdir(log): # all of a rank
        if name.startswith(events[1].split('-')[0]):
            os.unlink(os.path.join(log, name))
    done = tools.run(tools.bridge, 'convert', log, '-o', trace)
    check(done.returncode == 0 and '1 of 3 ranks left no log' in done.stderr and
          'have no recorded send' in done.stderr, 'what is missing is told', done.stderr)
    tools.report(trace)


def messages_of_many_threads(tools):
    name = tools.build(os.path.join(HERE, 'threads_mpi.c'), None, '-fopenmp')
    found, waits, _, told = matched(tools, name, 2)
    check([len(found[rank]) for rank in found] == [1200, 1200], 'all are matched', told)
    check(len(waits) == 1200, 'each synchronous one waits', len(waits))
    for rank, messages in found.items():
        for tag in (0, 1, 2, 10, 11, 12):
            numbers = [number for _, number, its_tag, _ in messages if its_tag == tag]
            check(len(numbers) == 200 and numbers == sorted(numbers),
                  'order of tag %d at rank %d' % (tag, rank), numbers)


def who_waits_for_whom_at_collectives(tools):
    name = tools.build(os.path.join(HERE, 'meetings.c'))
    _, _, trace, told = matched(tools, name, 3)
    report = tools.report(trace)
    count = values(report, '', 'MPI_Waitall meetings.c')
    check(count == 0 or count >= 9, 'those that are prepared', count)
    check(values(report, '', 'MPI_Neighbor_alltoall') == 3, 'each needs a neighbour',
          report['dependencies'])
    check(values(report, '', 'MPI_Scan') == 2, 'the first rank needs nobody', report['dependencies'])
    check(values(report, '', 'MPI_(Bcast|Barrier)') == 0, 'nothing is needed of no bytes, or alone',
          report['dependencies'])
    calls = {c['name'] for c in report['totals']['calls']}
    check({'MPI_File_open', 'MPI_File_write_at', 'MPI_File_write_at_all', 'MPI_File_close'} <= calls,
          'calls of a file', calls, told)


if __name__ == '__main__':
    run_tests(lambda folder: MPI(folder, *sys.argv[1:6]),
              random_messages_are_matched, what_is_refused_is_no_message,
              sends_wait_for_receives_that_are_late,
              what_is_behind_the_last_call_is_before_none, calls_stand_where_the_text_has_them,
              ranks_with_clocks_of_their_own, a_log_that_is_cut_keeps_the_rest,
              messages_of_many_threads, who_waits_for_whom_at_collectives,
              claims=(many_random_messages_are_matched,))
