#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records programs whose threads have no processor, or sleep, while they seem to work.

usage: test_processor_time.py KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import os
import re
import resource
import sys

sys.dont_write_bytecode = True

from support import OpenMP, check, need, run_tests, skip  # noqa: E402 - beside this file

# Four threads compute until each of them had a processor for so long.
CROWD = '''#include <omp.h>
#include <stdio.h>
#include <time.h>
static double had(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
int main(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp critical
        for (double end = had() + 0.02; had() < end;)
            ;
        for (int i = 0; i < 20; i++)
#pragma omp for nowait
            for (int k = 0; k < 4; k++)
                for (double end = had() + 0.005; had() < end;)
                    ;
    }
    puts("done");
}
'''

# One thread computes and waits by turns, 3 ms each; what it waits is no sleep of its work.
TURNS = '''#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static void *turns(void *nothing)
{
    for (int i = 0; i < 40; i++) {
        for (double end = now(CLOCK_THREAD_CPUTIME_ID) + 0.003; now(CLOCK_THREAD_CPUTIME_ID) < end;)
            ;
        double end = now(CLOCK_REALTIME) + 0.003;
        struct timespec until = {(time_t)end, (long)((end - (double)(time_t)end) * 1e9)};
        pthread_mutex_lock(&m);
        pthread_cond_timedwait(&never, &m, &until);
        pthread_mutex_unlock(&m);
    }
    return nothing;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, turns, NULL);
    pthread_join(t, NULL);
    puts("done");
}
'''


# A function in the serial part takes three times as long as one in the region.
SAMPLED = '''#include <stdio.h>
#include <time.h>
static double had(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static volatile double sink;
__attribute__((noinline)) static void serial_part(double seconds)
{
    for (double end = had() + seconds; had() < end;)
        for (int i = 0; i < 100000; i++)
            sink += i; // serial
}
__attribute__((noinline)) static void parallel_part(double seconds)
{
    for (double end = had() + seconds; had() < end;)
        for (int i = 0; i < 100000; i++)
            sink += i; // parallel
}
int main(void)
{
    serial_part(0.6);
#pragma omp parallel num_threads(2)
    parallel_part(0.1);
    puts("done");
}
'''


def record(tools, name, *options):
    """On one processor, so that threads must share it. Gives the processor time of the run, too."""
    trace = tools.path(name + '.paf')
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = tools.run('taskset', '-c', str(min(os.sched_getaffinity(0))), tools.bridge, 'record', *options,
                     '-o', trace, '--', tools.path(name))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    check(done.returncode == 0 and 'done\n' in done.stdout, 'recording ' + name, done.stdout, done.stderr)
    return trace, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def sums(report):
    rows = report['processor_time']
    check(all(r['work'] == r['ran'] + r['queued'] + r['slept'] for r in rows), 'parts of work', rows)
    return {key: sum(r[key] for r in rows) / 1e9 for key in ('work', 'ran', 'queued', 'slept')}


def build_crowd(tools):
    need('taskset')
    tools.compile_with('gcc', tools.write('crowd.c', CROWD), 'crowd')


def lack_of_processors_is_told(tools):
    build_crowd(tools)
    for options in (['--openmp'], ['--openmp', '--clock', 'cpu']):
        trace, used, _ = record(tools, 'crowd', *options)
        report = tools.report(trace)
        s = sums(report)
        check(0.4 < s['ran'] < 1.1 * used, 'work with a processor', options, s, used)
        check(s['queued'] > 0.4 * s['work'] and s['slept'] < 0.1 * s['work'], 'work without one', options, s)
        said = [n['title'] for n in report['notes'] if 'waiting for a processor' in n['title']]
        check(len(said) == 1 and re.match(r'1 processor for 4 threads: \d+ % of the work', said[0]), 'it is told',
              report['notes'])
        text = tools.findings(trace)
        check(said[0] in text and '\nProcessor time\n' in text, 'the report tells it', text)


def the_clock_may_be_processor_time(tools):
    build_crowd(tools)
    trace, used, text = record(tools, 'crowd', '--openmp', '--clock', 'cpu', '--statistics', '-')
    report = tools.report(trace, '--clock', 'cpu')
    s = sums(report)
    check(report['clock'] == 'cpu' and abs(report['work'] / 1e9 - s['ran']) < 0.01 * used, 'work is processor time',
          report['clock'], report['work'], s)
    check(abs(sum(m['work'] for m in report['modules']) - report['work']) < 1000, 'that of modules, too',
          report['modules'])
    critical = [float(n) for n in re.findall(r'Critical: +4 +([\d.]+)s', text)]
    check('Times of constructs are processor time' in text and critical and
          all(0.078 < n < 0.12 for n in critical), 'statistics by processor time', text)
    shown = tools.run(tools.paf, 'report', '--statistics', '--clock', 'cpu', trace).stdout
    check(shown == text.replace('done\n', ''), 'the trace has them, too', shown, text)
    elapsed = tools.run(tools.paf, 'report', '--statistics', trace).stdout
    check('processor time' not in elapsed and elapsed != shown, 'beside elapsed time', elapsed)


def what_a_thread_waits_is_no_sleep_of_its_work(tools):
    done = tools.run('cc', '-g', '-O1', '-pthread', '-o', tools.path('turns'), tools.write('turns.c', TURNS))
    check(done.returncode == 0, 'building turns.c', done.stderr)
    need('taskset')
    trace, _, _ = record(tools, 'turns', '--threads')
    rows = [r for r in tools.report(trace)['processor_time'] if r['ran'] > 1e8]
    check(len(rows) == 1 and rows[0]['slept'] < 0.1 * rows[0]['ran'], 'sleep of the thread that works', rows)


def other_clocks_are_refused(tools):
    trace, _, _ = record(tools, 'crowd', '--openmp')
    done = tools.run(tools.paf, 'report', '--clock', 'wall', trace)
    check(done.returncode == 2 and 'no such clock' in done.stderr, 'a clock that is none', done.stderr)
    done = tools.run(tools.paf, 'iotree', '--clock', 'cpu', trace)
    check(done.returncode == 2 and 'for paf report' in done.stderr, 'a clock of reports only', done.stderr)


def samples_tell_functions(tools):
    tools.compile_with('gcc', tools.write('sampled.c', SAMPLED), 'sampled')
    trace = tools.path('sampled.paf')
    done = tools.run(tools.bridge, 'record', '--openmp', '--sample', '500', '-o', trace, '--',
                     tools.path('sampled'))
    if done.returncode == 2 and 'the system does not allow it' in done.stderr:
        skip('samples: ' + done.stderr)
    check(done.returncode == 0 and done.stdout == 'done\n', 'recording samples', done.stdout, done.stderr)
    units = {u['name']: u for u in tools.report(trace)['totals']['units']}
    lines = {m.group(1): n for n, line in enumerate(SAMPLED.splitlines(), 1)
             for m in [re.search(r'// (serial|parallel)$', line)] if m}
    for name, seconds in (('serial', 0.6), ('parallel', 0.2)):
        unit = units.get(name + '_part')
        check(unit and 0.6 * seconds < unit['time'] < 1.4 * seconds and unit['times'] is None and
              abs(unit['line'] - lines[name]) <= 1, 'the function of the %s part' % name, units)
    for wrong in ('0', 'x', '-5', '99999'):
        done = tools.run(tools.bridge, 'record', '--openmp', '--sample', wrong, '--', tools.path('sampled'))
        check(done.returncode == 2 and '--sample takes a number' in done.stderr, '--sample ' + wrong, done.stderr)


# Reads and writes, which is measured if nothing else is chosen.
WRITES = '''program writes
  real :: s
  s = work(30000000)
  print *, s > 0
contains
  real function work(n)
    integer :: n, i
    work = 1
    do i = 1, n
      work = work * 0.999 + real(i) / n
    end do
  end function
end program
'''


def samples_stand_beside_input_and_output(tools):
    need('gfortran')
    done = tools.run('gfortran', '-g', '-O1', '-fno-inline', '-o', 'writes', tools.write('writes.f90', WRITES))
    check(done.returncode == 0, 'building writes.f90', done.stderr)
    done = tools.run(tools.bridge, 'record', '--sample', '500', '-o', 'writes.paf', '--', './writes')
    if done.returncode == 2 and 'the system does not allow it' in done.stderr:
        skip('samples: ' + done.stderr)
    check('input and output' in done.stderr and 'samples are not used' not in done.stderr, 'what is recorded',
          done.stderr)
    totals = tools.report(tools.path('writes.paf'))['totals']
    names = [u['name'] for u in totals['units'] if u['time']]
    check(any('work' in name for name in names) and totals['io'], 'functions and statements', totals)


BECOMES = '''#include <pthread.h>
#include <unistd.h>
static volatile long sum;
static void *nothing(void *is)
{
    return is;
}
int main(int argc, char **words)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    for (long i = 0; i < (argc > 1 ? 50000000 : 500000000); i++)
        sum += i;
    if (argc > 1)
        execv(words[1], words + 1);
}
'''


def a_process_that_becomes_another_program_takes_the_time_of_both(tools):
    tools.compile_with('gcc', tools.write('becomes.c', BECOMES), 'becomes', '-pthread')
    trace = tools.path('becomes.paf')
    done = tools.run(tools.bridge, 'record', '--threads', '--sample', '500', '-o', trace, '--',
                     tools.path('becomes'), tools.path('becomes'))
    if done.returncode == 2 and 'the system does not allow it' in done.stderr:
        skip('samples: ' + done.stderr)
    totals = tools.report(trace)['totals']
    time = sum(unit['time'] for unit in totals['units'])
    check(len(totals['nodes']) == 1 and 0 < time < 1.1 * totals['nodes'][0]['elapsed'],
          'time of functions in that of their process', totals)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]), lack_of_processors_is_told,
              the_clock_may_be_processor_time, what_a_thread_waits_is_no_sleep_of_its_work,
              other_clocks_are_refused, samples_tell_functions,
              samples_stand_beside_input_and_output,
              a_process_that_becomes_another_program_takes_the_time_of_both)
