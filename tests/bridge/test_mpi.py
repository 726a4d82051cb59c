#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records MPI programs under mpirun and asks the report for what is known of them.

usage: test_mpi.py KPX-BRIDGE PAF MPICC APPS
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import HERE, MPI, check, need, run_tests, source, values  # noqa: E402 - beside this file

LOADING = '''#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int n, char **words)
{
    int level, rank;
    MPI_Init_thread(&n, &words, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (level == MPI_THREAD_MULTIPLE && !dlopen("./while_loading.so", RTLD_NOW))
        puts(dlerror());
    MPI_Finalize();
    puts("done");
}
'''

# The constructor holds the lock of the dynamic linker until its thread has called MPI for the first time.
WHILE_LOADING = '''#include <mpi.h>
#include <pthread.h>
static void *call(void *nothing)
{
    int size, flag;
    MPI_Comm_size(MPI_COMM_SELF, &size);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return nothing;
}
__attribute__((constructor)) static void begin(void)
{
    pthread_t t;
    pthread_create(&t, 0, call, 0);
    pthread_join(t, 0);
}
'''


def a_pipeline_waits_for_its_slow_stage(tools):
    name = tools.build(os.path.join(tools.apps, 'pipeline.c'))
    done, trace = tools.record(name, 4)
    check(done.returncode == 0 and done.stdout == '160.000\n', 'the pipeline', done.stdout,
          done.stderr)
    report = tools.report(trace)
    check(values(report, 'computation', r'MPI_Recv pipeline\.c:\d+') == 120,
          'every message leads to its receive', report['dependencies'])
    info = tools.run(tools.paf, 'info', trace).stdout
    check(re.search(r'on 4 places', info), 'four ranks', info)
    check(re.fullmatch(r'kpx-bridge: \S+pipeline\.paf: 4 places, \d+ activities, \d+ totals\n',
                       done.stderr), 'where it is, and nothing to complain of', done.stderr)


def every_kind_of_message_is_matched(tools):
    name = tools.build(os.path.join(HERE, 'exchanges.c'))
    done, trace = tools.record(name, 2)
    check(done.returncode == 0 and done.stdout == 'done\n', 'exchanges', done.stdout, done.stderr)
    report = tools.report(trace)
    for routine, least in (('Recv', 5), ('Waitall', 4), ('Sendrecv', 2), ('Wait', 5), ('Test', 1),
                           ('Barrier', 1)):
        count = values(report, '', 'MPI_%s exchanges' % routine)
        check(count >= least, 'messages to MPI_' + routine, count, report['dependencies'])


def seldom_used_routines_are_matched(tools):
    name = tools.build(os.path.join(HERE, 'routines.c'))
    done, trace = tools.record(name, 4)
    check(done.returncode == 0 and done.stdout == 'done\n', 'routines', done.stdout, done.stderr)
    check('no recorded send' not in done.stderr, 'every receive has its send', done.stderr)
    report = tools.report(trace)
    for line, most in (('Recv routines.c:38', 3), ('Mrecv routines.c:43', 3),
                       ('Mrecv routines.c:47', 3), ('Wait routines.c:41', 3),
                       ('Sendrecv routines.c:99', 4), ('Recv routines.c:110', 4),
                       ('Sendrecv routines.c:122', 2), ('Sendrecv routines.c:155', 40)):
        check(values(report, '', 'MPI_' + line) == most, 'messages to ' + line, most,
              report['dependencies'])
    ring = values(report, '', r'MPI_Wait(any|some) routines\.c')
    check(ring == 20, 'requests that are waited for one by one', ring)
    check(values(report, '', r'MPI_Gatherv routines') <= 1, 'only the root of a gather waits')
    check(values(report, '', r'MPI_Waitall routines') >= 6, 'collectives that were only started')
    names = [m['name'] for m in report['modules']]
    for routine in ('Put', 'Get', 'Win_fence', 'Win_lock', 'Neighbor_allgather', 'Cart_sub'):
        check(any(n.startswith('MPI_%s ' % routine) for n in names), routine + ' is a call', names)


def unsuccessful_polls_are_left_out_if_asked(tools):
    def polls(*options):
        _, trace = tools.record('routines', 4, *options)
        info = tools.run(tools.paf, 'info', trace).stdout
        return int(re.search(r'MPI_Improbe\S* +(\d+) ', info).group(1)), trace
    few, trace = polls('--without', 'polls')
    check(few == 3, 'those that found something', few)
    check(values(tools.report(trace), '', 'MPI_Mrecv') == 6, 'their messages are matched')


def modules_and_headers_of_fortran(tools):
    compiler = need('mpif90')
    for source, routines in (('exchanges_f08.f90', (('Waitall', 4), ('Wait', 3))),
                             ('exchanges77.f', (('RECV', 5), ('WAITALL', 2), ('SENDRECV', 2)))):
        name = tools.build(os.path.join(HERE, source), compiler)
        done, trace = tools.record(name, 2)
        check(done.returncode == 0 and 'done' in done.stdout, source, done.stdout, done.stderr)
        check('no recorded send' not in done.stderr, 'every receive has its send', done.stderr)
        report = tools.report(trace)
        for routine, count in routines:
            routine = 'MPI_%s %s:' % (routine.capitalize(), source)
            found = values(report, '', re.escape(routine))
            check(found == count, routine, found, report['dependencies'])


def bad_ends_keep_what_was_recorded(tools):
    ends = {'killed': ('kill(getpid(), SIGKILL);', 'rank 1, process'),
            'aborted': ('MPI_Abort(MPI_COMM_WORLD, 5);', 'called MPI_Abort'),
            'left': ('exit(3);', '')}
    for name, (ending, told) in ends.items():
        source = os.path.join(tools.folder, name + '.c')
        with open(source, 'w', encoding='utf-8') as file:
            file.write('#include <mpi.h>\n#include <signal.h>\n#include <stdlib.h>\n'
                       '#include <unistd.h>\nint main(int n, char **v)\n{\n  int rank, x = 0;\n'
                       '  MPI_Init(&n, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n'
                       '  for (int i = 0; i < 20; i++)\n    if (rank == 0)\n'
                       '      MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);\n'
                       '    else if (rank == 1)\n      MPI_Recv(&x, 1, MPI_INT, 0, i, '
                       'MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n'
                       '  if (rank == 1)\n    ' + ending + '\n'
                       '  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n')
        tools.build(source)
        done, trace = tools.record(name, 3)
        check(done.returncode != 0, 'the status of one that is ' + name, done.returncode)
        check('ended abnormally' in done.stderr, 'it is told of ' + name, done.stderr)
        check(told in done.stderr, 'how it ended: ' + name, done.stderr)
        report = tools.report(trace)
        check(values(report, '', 'MPI_Recv') == 20, 'what was recorded is kept: ' + name,
              report['dependencies'])
        text = tools.run(tools.paf, 'report', trace).stdout
        check(re.match(r'the run was interrupted\n +after [0-9.]+ (s|ms|us)\n', text),
              'when it was ' + name, text[:200])


def totals_of_calls_and_messages(tools):
    name = tools.build(os.path.join(HERE, 'exchanges.c'))
    done, trace = tools.record(name, 2)
    totals = tools.report(trace)['totals']
    pairs = {(m['from'], m['to']): (m['messages'], m['bytes']) for m in totals['messages']}
    check(pairs == {(0, 1): (14, 56), (1, 0): (3, 12)}, 'messages between ranks', pairs)
    sends = [c for c in totals['calls'] if c['name'] == 'MPI_Send' and c['times'] == 5]
    check(len(sends) == 1 and sends[0]['bytes'] == 20 and
          [n['times'] for n in sends[0]['nodes']] == [5, 0], 'calls by place and rank', sends)
    check([n['rank'] for n in totals['nodes']] == [0, 1], 'ranks', totals['nodes'])
    check(totals['loops'] is None, 'loops were not observed', totals['loops'])
    written, again = os.path.join(tools.folder, 'm1'), os.path.join(tools.folder, 'm2')
    for source, output in (trace, written), (written + '.paf', again):
        done = tools.run(tools.bridge, 'report', '--mtool', '-o', output, source)
        check(done.returncode == 0, 'the report of mtool', done.stderr)
        done = tools.run(tools.bridge, 'import', '-o', output + '.paf', output)
        check(done.returncode == 0, 'the report is read again', done.stderr)
    check(open(written).read() == open(again).read(), 'and written with the same bytes')
    check(' MPI_SEND ' in open(written).read(), 'routines in capitals', open(written).read())


def fortran_calls_are_seen_at_their_lines(tools):
    compiler = need('mpif90')
    name = tools.build(os.path.join(tools.apps, 'ring.f90'), compiler)
    done, trace = tools.record(name, 3)
    check(done.returncode == 0 and re.search(r'^ *3 *$', done.stdout, re.M), 'the ring',
          done.stdout, done.stderr)
    report = tools.report(trace)
    names = [m['name'] for m in report['modules']]
    check(any(re.fullmatch(r'MPI_Recv ring\.f90:\d+', n) for n in names), 'lines of Fortran', names)
    check(values(report, 'computation', r'MPI_Recv ring\.f90') == 3, 'messages of the ring',
          report['dependencies'])


LOCAL = {'loc.f90': """program loc
  use mpi
  implicit none
  external add
  integer :: ierr, rank, n, op, i, a, b
  double precision :: t
  call MPI_INIT(ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_OP_CREATE(add, .true., op, ierr)
  do i = 1, 100
    t = MPI_WTIME()
  end do
  a = rank
  call MPI_ALLREDUCE(a, b, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  if (b /= n * (n - 1) / 2) stop 1
  call MPI_FINALIZE(ierr)
end program
subroutine add(x, y, n, t)
  integer :: n, t, x(n), y(n)
  y = y + x
end subroutine
""", 'loc.c': """#include <mpi.h>
static void add(void *x, void *y, int *n, MPI_Datatype *t)
{
    for (int i = 0; i < *n && *t != MPI_DATATYPE_NULL; i++)
        ((int *)y)[i] += ((int *)x)[i];
}
int main(void)
{
    int rank, n, sum;
    MPI_Op op;
    MPI_Init(0, 0);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    double t = 0;
    for (int i = 0; i < 100; i++)
        t = MPI_Wtime();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != n * (n - 1) / 2 || t < 0;
}
"""}


def local_calls_are_counted_and_stay_off_the_timeline(tools):
    for source, compiler in (('loc.f90', need('mpif90')), ('loc.c', None)):
        with open(os.path.join(tools.folder, source), 'w', encoding='utf-8') as out:
            out.write(LOCAL[source])
        name = tools.build(source, compiler)
        done, trace = tools.record(name, 2)
        check(done.returncode == 0, source + ' gets right results', done.stdout, done.stderr)
        report = tools.report(trace)
        calls = {c['name']: (c['type'], [n['times'] for n in c['nodes']])
                 for c in report['totals']['calls']}
        kind = 'Subroutine' if compiler else 'Function'
        for routine in ('MPI_Comm_size', 'MPI_Comm_rank', 'MPI_Op_create'):
            check(calls.get(routine) == (kind, [1, 1]), routine + ' in ' + source, calls)
        check(calls.get('MPI_Wtime') == ('Function', [100, 100]), 'the clock in ' + source, calls)
        check(not any(re.match('MPI_(Wtime|Comm_|Op_)', m['name']) for m in report['modules']),
              'no constructs of local calls', report['modules'])
        done, trace = tools.record(name, 2, '--without', 'polls')
        calls = [c['name'] for c in tools.report(trace)['totals']['calls']]
        check('MPI_Wtime' not in calls and 'MPI_Allreduce' in calls, 'local calls left out', calls)


SUBPROGRAMS = """
program flow
  use mpi
  implicit none
  integer :: error, rank
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call step
  call MPI_FINALIZE(error)
contains
  subroutine step
    integer :: i
    !$omp parallel do
    do i = 1, 1
      call MPI_BARRIER(MPI_COMM_WORLD, error)
    end do
    call MPI_BCAST(rank, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  end subroutine
end program
"""


def calls_belong_to_the_subprograms_of_the_text(tools):
    compiler = need('mpif90')
    source = os.path.join(tools.folder, 'flow.f90')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(SUBPROGRAMS)
    expected = [('FLOW', 'MPI_COMM_RANK'), ('FLOW', 'MPI_FINALIZE'), ('FLOW', 'MPI_INIT'),
                ('STEP', 'MPI_BARRIER'), ('STEP', 'MPI_BCAST')]
    for options in (['-O0', '-fopenmp'], ['-O2']):
        done, trace = tools.record(tools.build(source, compiler, *options), 2)
        check(done.returncode == 0, 'subprograms', done.stderr)
        done = tools.run(tools.bridge, 'report', '--mtool', trace)
        calls = re.findall(r'^ +\d+ (\S+) +\d+ (\S+) +Subroutine', done.stdout, re.M)
        check(sorted(calls) == expected, 'they have the names of the text', options, calls)


NEVER = """program never
  use mpi
  integer :: error, rank
  external mpi_own_routine
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank > 99) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  if (rank == 1) &
    call MPI_Send(rank, 1, MPI_INTEGER, &
                  MPI_PROC_NULL, 0, MPI_COMM_WORLD, error)
  if (rank > 98) call mpi_own_routine(error)
  if (rank > 97) print *, MPI_Wtime()
  call MPI_Finalize(error)
end program
subroutine unused
  use mpi
  integer :: error
  call MPI_Barrier(MPI_COMM_WORLD, error) ! call MPI_Bcast
  print *, 'call MPI_Recv(x)'
end subroutine
subroutine mpi_own_routine(error)
  integer :: error
end subroutine
"""
# Subprogram, call, line: counts by node, None: not observed.
NEVER_EXECUTED = {
    ('NEVER', 'MPI_INIT', 5): [1, 1], ('NEVER', 'MPI_COMM_RANK', 6): [1, 1],
    ('NEVER', 'MPI_ABORT', 7): [0, 0], ('NEVER', 'MPI_SEND', 8): [0, 1],
    ('NEVER', 'MPI_OWN_ROUTINE', 11): None, ('NEVER', 'MPI_WTIME', 12): [0, 0],
    ('NEVER', 'MPI_FINALIZE', 13): [1, 1], ('UNUSED', 'MPI_BARRIER', 18): [0, 0]}


def counts_of_calls(report):
    counts, key = {}, None
    for line in report.split('TOTAL Elapsed')[0].splitlines():
        row = re.match(r' +\d+ (\S+) +\d+ (MPI_\S+) +(?:Subroutine|Function) +(\d+) ', line)
        if row:
            counts[row[1], row[2], int(row[3])] = None
        row = re.match(r' +\d+ (\S+) +\d+ (MPI_\S+) +\d+ +(\d+) +\d+ +\S+ \(Max', line)
        if row:
            key = row[1], row[2], int(row[3])
            counts[key] = []
        row = re.match(r' +\d+ +\S+ \((\d+)\)$', line)
        if row:
            counts[key].append(int(row[1]))
    return counts


def calls_never_executed_are_listed(tools):
    compiler = need('mpif90')
    source = os.path.join(tools.folder, 'never.f90')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(NEVER)
    name = tools.build(source, compiler)
    done, trace = tools.record(name, 2)
    report = tools.run(tools.bridge, 'report', '--mtool', trace).stdout
    counts = counts_of_calls(report)
    check(counts == NEVER_EXECUTED, 'what was never executed was executed 0 times', counts)
    names = {m['name'] for m in tools.report(trace)['modules']}
    check({'MPI_Init never.f90:5', 'MPI_Send never.f90:8'} <= names, 'the timeline has the same lines',
          names)
    own = os.path.join(tools.folder, 'never.f66')
    with open(own, 'w', encoding='utf-8') as file:
        file.write(report)
    tools.run(tools.bridge, 'import', own, '-o', own + '.paf')
    again = tools.run(tools.bridge, 'report', '--mtool', own + '.paf').stdout
    check(again == report, 'a report is written as it was read', report, again)
    done, trace = tools.record(name, 2, '--without', 'polls')
    counts = counts_of_calls(tools.run(tools.bridge, 'report', '--mtool', trace).stdout)
    asks = {('NEVER', 'MPI_WTIME', 12): None, ('NEVER', 'MPI_COMM_RANK', 6): None}
    check(counts == {**NEVER_EXECUTED, **asks}, 'what is left out was not observed', counts)


def threads_and_ranks_together(tools):
    """OpenMP and MPI in one run; the compiler is that of the library, so libomp is put in its place."""
    for source, compiler in (('hybrid.f90', need('mpif90')), ('hybrid.c', tools.compiler)):
        name = tools.build(os.path.join(tools.apps, source), compiler, '-fopenmp')
        done, trace = tools.record(name, 2, '--openmp')
        check(done.returncode == 0 and done.stdout.split() == ['640.000'], source, done.stdout,
              done.stderr)
        report = tools.report(trace)
        work = sum(m['work'] for m in report['modules'] if re.match('(loop|region)', m['name']))
        check(work > 0, 'loops do work in ' + source, report['modules'])
        check(any(d['to'].startswith('MPI_Allreduce ' + source) for d in report['dependencies']),
              'who waits for whom', source, report['dependencies'])
        names = [m['name'] for m in report['modules']]
        check(any(n.startswith('region ' + source) for n in names), 'regions of ' + source, names)
        places = tools.run(tools.paf, 'export', '--view', 'places', '-o', trace + '.json', trace)
        check(places.returncode == 0, 'places', places.stderr)
        with open(trace + '.json', encoding='utf-8') as file:
            text = file.read()
        for rank in (0, 1):
            for thread in (0, 1):
                check('rank %d thread %d' % (rank, thread) in text, 'places are named')


def the_pipeline_in_fortran(tools):
    compiler = need('mpif90')
    name = tools.build(os.path.join(tools.apps, 'pipeline.f90'), compiler)
    done, trace = tools.record(name, 4)
    check(done.stdout.split() == ['160.000'], 'the pipeline in Fortran', done.stdout, done.stderr)
    check(values(tools.report(trace), 'computation', r'MPI_Recv pipeline\.f90:\d+') == 120,
          'every message leads to its receive')


def a_rank_without_a_log_is_told(tools):
    log = os.path.join(tools.folder, 'log')
    done, trace = tools.record('pipeline', 3, '--keep-log', log)
    check(done.returncode == 0, 'a log is kept', done.stderr)
    events = sorted(f for f in os.listdir(log) if f.endswith('.events'))
    check(len(events) == 3, 'a log for each rank', events)
    os.unlink(os.path.join(log, events[1]))
    os.unlink(os.path.join(log, events[1].split('-')[0] + '.process'))
    done = tools.run(tools.bridge, 'convert', log, '-o', trace)
    check(done.returncode == 0 and '1 of 3 ranks left no log' in done.stderr, 'a missing rank',
          done.stderr)
    tools.report(trace)


def what_a_run_was_in_when_it_ended_lasts_until_then(tools):
    """A deadlock, ended by a signal."""
    tools.build(os.path.join(HERE, 'deadlock.c'))
    done, trace = tools.record('deadlock', 2)
    check(done.returncode >= 128, 'a signal ends the deadlock', done.returncode, done.stderr)
    check(re.search(r'rank 1 was still in MPI_Recv deadlock\.c:\d+, for a message of any rank with tag 9 that '
                    r'did not come', done.stderr), 'what rank 1 waited for', done.stderr)
    waits = {m['name']: m['waiting'] for m in tools.report(trace)['modules'] if 'MPI_Recv' in m['name']}
    check(max(waits.values(), default=0) > 2e9, 'the wait lasts until the end', waits)
    said = tools.run(tools.paf, 'report', trace).stdout
    check('was still in MPI_Recv' in said, 'the report says so', said)


def calls_while_a_library_is_loaded_take_no_lock(tools):
    tools.build(tools.write('loading.c', LOADING), None, '-ldl')
    done = tools.run(tools.compiler, '-g', '-shared', '-fPIC', '-o', tools.path('while_loading.so'),
                     tools.write('while_loading.c', WHILE_LOADING))
    check(done.returncode == 0, 'building a library', done.stderr)
    trace = tools.path('loading.paf')
    done = tools.run(tools.bridge, 'record', '--mpi', '-o', trace, '--', 'timeout', '-k', '1', '60', 'mpirun',
                     '--oversubscribe', '-n', '1', './loading')
    check(done.returncode == 0 and done.stdout == 'done\n', 'calls by a thread of a constructor', done.returncode,
          done.stdout, done.stderr)
    calls = {t['name'] for t in tools.report(trace)['totals']['calls']}
    check({'MPI_Barrier', 'MPI_Comm_size'} <= calls, 'they are recorded', sorted(calls))


NORM = '''#include <mpi.h>
double norm(double x)
{
    double all;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
void meet(double *x)
{
    for (int i = 0; i < 2; i++)
        *x /= 2;
    MPI_Barrier(MPI_COMM_WORLD);
}
'''

STEPS = '''#include <math.h>
#include <mpi.h>
#include <stdio.h>
double norm(double x);
void meet(double *x);
int main(int c, char **v)
{
    int rank;
    double x = 0, meeting = 0;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++)
            for (int j = 0; j < 10; j++)
                x += i * k + j;
    for (int t = 0; t < 5; t++) {
        BEFORE;
        meeting += x;
        for (int i = 0; i < (rank ? 3000000 : 300000); i++) // work
            x += sin(i);
        AFTER;
    }
    printf("%g\\n", x + meeting);
    MPI_Finalize();
}
'''


def what_lies_between_calls_of_two_sources(tools):
    """The work is after the call of the one source and before that of the other one."""
    line = 1 + STEPS[:STEPS.index('// work')].count('\n')
    norm = tools.write('norm.c', NORM)
    for name, before, after in (('steps_in', 'meeting += norm(x)', 'MPI_Barrier(MPI_COMM_WORLD)'),
                                ('steps_out', 'MPI_Barrier(MPI_COMM_WORLD)', 'meet(&x)')):
        tools.write(name + '.c', STEPS.replace('BEFORE', before).replace('AFTER', after))
        tools.build(name + '.c', None, norm, '-lm')
        _, trace = tools.record(name, 2)
        findings = tools.findings(trace)
        check(re.search(r'at %s\.c:%d, before MPI_Barrier' % (name, line), findings),
              'between two sources: ' + name, findings)


if __name__ == '__main__':
    run_tests(lambda folder: MPI(folder, *sys.argv[1:5]),
              what_lies_between_calls_of_two_sources,
              a_pipeline_waits_for_its_slow_stage, every_kind_of_message_is_matched,
              totals_of_calls_and_messages, seldom_used_routines_are_matched,
              unsuccessful_polls_are_left_out_if_asked, modules_and_headers_of_fortran,
              bad_ends_keep_what_was_recorded, fortran_calls_are_seen_at_their_lines,
              local_calls_are_counted_and_stay_off_the_timeline, threads_and_ranks_together,
              the_pipeline_in_fortran, a_rank_without_a_log_is_told,
              calls_belong_to_the_subprograms_of_the_text, calls_never_executed_are_listed,
              what_a_run_was_in_when_it_ended_lasts_until_then,
              calls_while_a_library_is_loaded_take_no_lock)
