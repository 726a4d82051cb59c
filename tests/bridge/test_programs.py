#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records OpenMP programs of many compilers and habits: constructs that are seldom used, Fortran, C++,
programs that fork, that become others, that close all files.

usage: test_programs.py [--claims] KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    HERE, OpenMP, RUNTIME, check, claim, modules, need, present, run_tests)

TRACE = r'kpx-bridge: \S+\.paf: \d+ places?, \d+ activities\n' # where it is, nothing else


def line_of(text, source):
    with open(source, encoding='utf-8') as lines:
        return next(n for n, line in enumerate(lines, 1) if text in line)


def arrows(report):
    return {(d['from'], d['to']): d['count'] for d in report['dependencies']}


def constructs_that_are_seldom_used(tools):
    source = os.path.join(HERE, 'kinds.c')
    for compiler in present(tools.compiler, 'gcc'):
        tools.compile_with(compiler, source, 'kinds', RUNTIME)
        done, trace = tools.record('kinds')
        by = ' (%s)' % os.path.basename(compiler)
        check(done.returncode == 0 and done.stdout == 'done\n', 'kinds' + by, done.stderr)
        report = tools.report(trace)
        names, leads = modules(report), arrows(report)
        first, second, third = ('task kinds.c:%d' % line_of(text, source) for text in
                                ('depend(out : a)', 'depend(out : b)', 'depend(out : c)'))
        check(leads.get((first, second)) == 1 and leads.get((first, third)) == 1,
              'dependences of tasks' + by, leads)
        ordered = [k for k in leads if k[0] == k[1] and k[0].startswith('ordered kinds.c')]
        check(len(ordered) == 1 and leads[ordered[0]] == 7, 'the order of iterations' + by, leads)
        critical = [n for (n, m), count in leads.items() if n == m and count == 5
                    and n.startswith('critical kinds.c')]
        check(critical, 'the order of a critical section' + by, leads)
        check(sum(n.startswith('region') for n in names) >= 9, 'nested regions' + by, names)
        check(any(n.startswith('taskloop') for n in names) and
              any(n.startswith('taskgroup') for n in names), 'loops and groups of tasks' + by, names)
        check(not any('kmp' in n.lower() or 'gomp' in n.lower() for n in names),
              'no names of the runtime' + by, names)


def what_llvm_tells_of_seldom_used_constructs(tools):
    source = os.path.join(HERE, 'kinds.c')
    tools.compile_with(tools.compiler, source, 'kinds', RUNTIME)
    _, trace = tools.record('kinds')
    leads = arrows(tools.report(trace))
    loop = 'loop kinds.c:%d' % line_of('for ordered(1)', source)
    check(leads.get((loop, loop)) == 7, 'iterations that depend on each other', loop, leads)
    info = tools.run(tools.paf, 'info', trace).stdout
    check(re.search(r'distribute/[3-9]', info), 'who got what of a distribute', info)


# Examples in Fortran: what they print, and a construct that does work.
FORTRAN = {'heat': ('0.750', r'loop (in )?heat\.f90:\d+'), 'tasks': ('14930352', r'task tasks\.f90:\d+'),
           'locks': ('4836.058', r'critical locks\.f90:\d+'),
           'mandelbrot': ('8124', r'loop (in )?mandelbrot\.f90:\d+')}


def in_fortran(tools, compiler, name):
    tools.compile_with(compiler, os.path.join(tools.apps, name + '.f90'), name, '-J', tools.folder)


def work_in(report, kind):
    return sum(m['work'] for n, m in modules(report).items() if re.match(kind, n))


def construct_of(compiler, name):
    static = compiler == 'gfortran' and name in ('heat', 'mandelbrot') # gcc does not tell of its loops
    return 'region ' + name if static else FORTRAN[name][1]


def fortran_has_the_same_answers(tools):
    for compiler in present('gfortran', 'flang-new-19'):
        for name, (answer, _) in FORTRAN.items():
            by = '%s (%s)' % (name, compiler)
            in_fortran(tools, compiler, name)
            done, trace = tools.record(name)
            check(done.returncode == 0 and done.stdout.split() == [answer], by, done.stdout, done.stderr)
            report = tools.report(trace)
            check(work_in(report, construct_of(compiler, name)) > 0, 'what does the work of ' + by,
                  modules(report).keys())


def the_work_of_fortran_is_where_it_should_be(tools):
    for compiler in present('gfortran', 'flang-new-19'):
        for name, least in (('heat', 0.6), ('tasks', 0.8)):
            in_fortran(tools, compiler, name)
            kind = construct_of(compiler, name)

            def has_its_share(report):
                parallel = report['work'] - work_in(report, 'serial|fork')
                return work_in(report, kind) > least * parallel
            claim('%s do the work (%s)' % (kind, compiler), lambda: tools.report(tools.record(name)[1]),
                  has_its_share)


def what_fortran_waits_for(tools):
    for compiler in present('gfortran', 'flang-new-19'):
        in_fortran(tools, compiler, 'locks')
        claim('no parallelism through a critical section (%s)' % compiler,
              lambda: tools.report(tools.record('locks')[1]), lambda report: report['parallelism'] < 1.2)
    for compiler in present('flang-new-19'):
        in_fortran(tools, compiler, 'mandelbrot')
        claim('static is unbalanced', lambda: tools.findings(tools.record('mandelbrot')[1]),
              lambda text: re.search(r'(all work|the mean of the team) (of|in) the loop at mandelbrot\.f90', text))


def a_program_in_cxx(tools):
    source = tools.write('sum.cpp', '''#include <cstdio>
#include <vector>
template <class T> struct Summer {
    T operator()(const std::vector<T> &v) const
    {
        T sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum) schedule(guided)
        for (size_t i = 0; i < v.size(); i++)
            sum += v[i];
        return sum;
    }
};
int main()
{
    std::printf("%.0f\\n", Summer<double>()(std::vector<double>(100000, 2.0)));
}
''')
    for compiler in present('clang++-19', 'g++'):
        tools.compile_with(compiler, source, 'sum', '-lstdc++', RUNTIME)
        done, trace = tools.record('sum')
        check(done.stdout == '200000\n', 'a template, by ' + compiler, done.stdout, done.stderr)
        check('region sum.cpp:7' in modules(tools.report(trace)), 'its line, by ' + compiler,
              modules(tools.report(trace)).keys())


HABITS = '''#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void loop(int rounds)
{
    for (int r = 0; r < rounds; r++) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 100; i++)
            sink = i;
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    loop(10);
    if (strcmp(how, "closes") == 0) {
        FILE *other = NULL;
        for (int file = 3; file < 256; file++)
            close(file);
        other = fopen("other.txt", "w"); // gets the number of one that was closed
        fputs("untouched\\n", other);
        fflush(other);
        loop(20000);
        return 0;
    }
    if (strcmp(how, "moves") == 0) {
        if (chdir("/") != 0 || setenv("TMPDIR", "/nowhere", 1) != 0 || clearenv() != 0)
            return 1;
        omp_set_num_threads(3);
        loop(20000);
    }
    if (strcmp(how, "forks") == 0) {
        pid_t child = fork();
        if (child == 0)
            execl("/proc/self/exe", argv[0], "child", (char *)NULL);
        waitpid(child, NULL, 0);
        loop(10);
    }
    if (strcmp(how, "becomes") == 0)
        execl("/proc/self/exe", argv[0], "child", (char *)NULL);
    if (strcmp(how, "leaves") == 0)
        _exit(4);
    if (strcmp(how, "dies") == 0) {
        loop(20000);
        raise(SIGKILL);
    }
    return 0;
}
'''


def habits_of_programs(tools):
    name = 'habits'
    tools.compile_with(tools.compiler, tools.write(name + '.c', HABITS), name, RUNTIME)

    def regions(text):
        return [int(n) for n in re.findall(r', (\d+) executions', text)]

    for how, status, executions in (('closes', 0, 20010), ('moves', 0, 20010), ('forks', 0, 30),
                                    ('becomes', 0, 20), ('leaves', 4, 10), ('dies', 137, 20010)):
        done, trace = tools.record(name, how, options=['--statistics', '-'])
        check(done.returncode == status, how, done.returncode, done.stderr)
        check(sum(regions(done.stdout)) == executions, 'all regions of one that ' + how,
              regions(done.stdout), done.stderr)
        check(('ended abnormally' in done.stderr) == (how == 'dies'), 'complaint of one that ' + how,
              done.stderr)
        check(tools.run(tools.paf, 'info', '--verify', trace).returncode == 0, 'verified: ' + how)
    with open(os.path.join(tools.folder, 'other.txt'), encoding='utf-8') as file:
        check(file.read() == 'untouched\n', 'files of the program are left alone')


def wrappers(tools):
    script = tools.write('wrapper.sh', '#!/bin/sh\ncd / && exec env X=1 "$@" >/dev/null\n')
    os.chmod(script, 0o755)
    tools.write('Makefile', 'run:\n\t@./habits\n\t@./habits\n')
    trace = os.path.join(tools.folder, 'wrapped.paf')
    for words in (['./wrapper.sh', os.path.join(tools.folder, 'habits')], ['make', '-s', 'run'],
                  ['sh', '-c', './habits; exit 5']):
        if not words[0].startswith('./'):
            need(words[0])
        done = tools.run(tools.bridge, 'record', '--openmp', '-o', trace, '--', *words)
        check(done.returncode == (5 if words[-1].endswith('5') else 0) and re.fullmatch(TRACE, done.stderr),
              'run by %r' % words, done.returncode, done.stderr)
        check('region habits.c:14' in modules(tools.report(trace)), 'recorded by %r' % words)


# Twelve iterations in chunks of two: who does which, with ordered parts and in a doacross loop.
CHUNKS = r'''
#include <omp.h>
#include <stddef.h>
#include <stdio.h>

enum { N = 12 };
static int who[3][N];

int main(void)
{
    int sum = 0;
    #pragma omp parallel num_threads(2)
    {
        #pragma omp for ordered schedule(static, 2)
        for (int i = 0; i < N; i++) {
            #pragma omp ordered
            who[0][i] = omp_get_thread_num(), sum = sum * 3 % 101 + i;
        }
        #pragma omp for ordered schedule(static, 2)
        for (size_t i = N; i > 0; i--) {
            #pragma omp ordered
            who[1][N - i] = omp_get_thread_num(), sum = sum * 3 % 101 + (int)i;
        }
        #pragma omp for ordered(1) schedule(static, 2)
        for (int i = 0; i < N; i++) {
            #pragma omp ordered depend(sink: i - 1)
            who[2][i] = omp_get_thread_num(), sum = sum * 3 % 101 + i;
            #pragma omp ordered depend(source)
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            printf("%d", who[k][i]);
        printf("\n");
    }
    printf("%d\n", sum);
    return 0;
}
'''


def iterations_are_handed_out_as_the_text_says(tools):
    name = 'chunks'
    tools.compile_with('gcc', tools.write(name + '.c', CHUNKS), name)
    done, trace = tools.record(name)
    check(done.stdout == 3 * '001100110011\n' + '23\n', 'chunks of two', done.stdout, done.stderr)
    names = modules(tools.report(trace))
    check({'loop chunks.c:%d' % n for n in (14, 19, 24)} <= set(names), 'the loops have their lines', list(names))


# Fewer chunks than threads, again and again.
FEW = r'''
int main(void)
{
    int bad = 0;
    for (int round = 0; round < 40; round++) {
        int sum[5] = {1};
        #pragma omp parallel for num_threads(4) ordered(1) schedule(static, 2)
        for (int i = 1; i < 5; i++) {
            #pragma omp ordered depend(sink: i - 1)
            sum[i] = sum[i - 1] + i;
            #pragma omp ordered depend(source)
        }
        bad += sum[4] != 11;
    }
    return bad;
}
'''


def threads_without_a_chunk_end_the_loop(tools):
    name = 'few'
    tools.compile_with('gcc', tools.write(name + '.c', FEW), name)
    done, _ = tools.record(name)
    check(done.returncode == 0, name, done.returncode, done.stderr)


# A tree of tasks that do next to nothing; more events than are kept.
TWIGS = r'''
static long twigs(int n)
{
    long x = 0, y = 0;
    if (n < 2)
        return 1;
    #pragma omp task shared(x)
    x = twigs(n - 1);
    #pragma omp task shared(y)
    y = twigs(n - 2);
    #pragma omp taskwait
    return x + y;
}

int main(void)
{
    long all = 0;
    #pragma omp parallel num_threads(2)
    #pragma omp single
    all = twigs(18);
    return all != 4181;
}
'''


def events_beyond_the_cap_are_left_out(tools):
    name = 'twigs'
    tools.compile_with('gcc', tools.write(name + '.c', TWIGS), name)
    done, trace = tools.record(name, options=['--events', '8000'])
    check(done.returncode == 0, name, done.stderr)
    losses = tools.report(trace)['losses']
    check(sum(x['kept'] for x in losses) >= 8000, 'as many events as may be are kept', losses)


def small_tasks_are_the_first_finding(tools):
    name = 'twigs'
    tools.compile_with('gcc', tools.write(name + '.c', TWIGS), name)

    def are_first(report):
        first = report['findings'][:1]
        return first and first[0]['kind'] == 'grain' and first[0]['line'] in (7, 9)
    claim('tasks that are too small',
          lambda: tools.report(tools.record(name, options=['--events', '8000'])[1]), are_first)


# The recorder's looks at the processor time are slow, as if another program ran each time, and its
# log takes long to make, as in some file systems.
NAPS = r'''
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t pread64(int file, void *to, size_t size, off_t at)
{
    usleep(5000);
    return syscall(SYS_pread64, file, to, size, at);
}

int posix_fallocate64(int file, off_t from, off_t size)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 50;
    while (clock() < end)
        ;
    return (int)syscall(SYS_fallocate, file, 0, from, size);
}

int main(void)
{
    #pragma omp parallel num_threads(2)
    for (int i = 0; i < 12; i++) {
        usleep(20000);
        #pragma omp barrier
    }
    return 0;
}
'''


def sleep_is_seen_beside_other_programs(tools):
    if not os.path.exists('/proc/thread-self/schedstat'):
        skip('the system does not tell how long a thread waited for a processor')
    name = 'naps'
    tools.compile_with('gcc', tools.write(name + '.c', NAPS), name, '-rdynamic')
    done, trace = tools.record(name)
    check(done.returncode == 0, name, done.stderr)
    naps = [a for a in tools.history(trace)['activities']
            if not a['waits'] and a['end'] - a['start'] > 15000000]
    # A nap is 20 ms of sleep; then the thread may wait for a processor.
    slept = [a for a in naps if a['values'].get('slept', 0) > 5000000]
    check(len(naps) >= 24 and 2 * len(slept) > len(naps), 'naps that are known to be sleep', len(naps),
          len(slept))


# How many files of the recorder are open while a hundred threads are alive.
CROWD = r"""
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    int n = 0;
    #pragma omp parallel num_threads(100)
    for (int i = 0; i < 5; i++) {
        usleep(5000);
        #pragma omp barrier
        #pragma omp master
        if (i == 4) {
            DIR *folder = opendir("/proc/self/fd");
            for (struct dirent *e; (e = readdir(folder));)
                n += atoi(e->d_name) >= 500;
            closedir(folder);
        }
        #pragma omp barrier
    }
    printf("%d\n", n);
    return 0;
}
"""


def files_are_left_for_the_program(tools):
    name = 'crowd'
    tools.compile_with('gcc', tools.write(name + '.c', CROWD), name)
    done, _ = tools.record(name)
    check(done.returncode == 0 and 0 < int(done.stdout) <= 64, 'files of a hundred threads', done.stdout,
          done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]),
              constructs_that_are_seldom_used, what_llvm_tells_of_seldom_used_constructs,
              fortran_has_the_same_answers, a_program_in_cxx, habits_of_programs, wrappers,
              iterations_are_handed_out_as_the_text_says,
              threads_without_a_chunk_end_the_loop,
              events_beyond_the_cap_are_left_out, sleep_is_seen_beside_other_programs,
              files_are_left_for_the_program,
              claims=(the_work_of_fortran_is_where_it_should_be, what_fortran_waits_for,
                      small_tasks_are_the_first_finding))
