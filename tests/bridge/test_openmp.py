#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records the OpenMP examples and asks the report for what is known of them.

usage: test_openmp.py [--claims] KPX-BRIDGE PAF COMPILER APPS
"""

import json
import os
import re
import signal
import struct
import subprocess
import sys

sys.dont_write_bytecode = True

from support import (  # noqa: E402 - beside this file
    HERE, OpenMP, RUNTIME, check, claim, modules, need, present, run_tests)

def loops_of_heat(report):
    return [m for n, m in modules(report).items() if re.fullmatch(r'loop heat\.c:\d+', n)]


def one_loop_does_the_work(tools):
    tools.build('heat')

    def is_the_work(trace):
        report = tools.report(trace)
        return (sum(m['work'] for m in loops_of_heat(report)) > 0.6 * report['work']
                and max(report['modules'], key=lambda m: m['critical'])['name'] == 'loop heat.c:20')
    claim('the loop of heat is the work', lambda: tools.record('heat'), lambda made: is_the_work(made[1]))


def heat_has_its_loop_and_its_barriers(tools):
    tools.build('heat')
    done, trace = tools.record('heat', options=['--statistics', '-'])
    check(done.returncode == 0 and done.stdout.startswith('0.750\n'), 'heat', done.stdout[:200],
          done.stderr)
    report = tools.report(trace)
    check(report['clock'] == 'real', 'the clock of heat', report['clock'])
    virtual = json.loads(tools.run(tools.paf, 'report', '--json', '--clock', 'virtual', trace).stdout)
    check(virtual['clock'] == 'virtual' and sum(virtual['profile']) == sum(report['profile'])
          == report['work'], 'the same work by both clocks', sum(report['profile']), report['work'])
    check(any(w['module'] == 'loop heat.c:20' and w['wait'] == 'implied_barrier' and w['cause']
              for w in report['waiting']), 'the waits of heat have causes', report['waiting'][:3])
    loop = loops_of_heat(report)
    check(len(loop) == 1 and loop[0]['work'] > 0, 'the one loop of heat', loop)
    check(re.search(r'Single: +2000 ', done.stdout), 'single is counted', done.stdout)
    check(re.search(r'Implied Barrier: +4001 ', done.stdout), 'implied barriers are counted',
          done.stdout)
    check(re.search(r'Atomic: not observed', done.stdout), 'what is not observed says so')
    verified = tools.run(tools.paf, 'info', '--verify', trace)
    check(verified.returncode == 0, 'the trace verifies', verified.stdout, verified.stderr)


def static_is_unbalanced_dynamic_is_not(tools):
    tools.build('mandelbrot')
    def imbalance(made):
        found = tools.report(made[1])['findings']
        return [f for f in found if f['kind'] == 'imbalance']

    def is_named(made):
        first = tools.report(made[1])['findings'][:1]
        return (first == imbalance(made)[:1] and first and first[0]['line'] == 33
                and 0.3 < first[0]['saving'] < 0.5 and 'schedule(dynamic)' in first[0]['advice'])
    claim('static is unbalanced', lambda: tools.record('mandelbrot', 'bad'), is_named)
    claim('dynamic is balanced', lambda: tools.record('mandelbrot', 'good'), lambda made: not imbalance(made))


def every_chunk_is_an_activity(tools):
    tools.build('mandelbrot')
    _, good = tools.record('mandelbrot', 'good')
    chunks = tools.run(tools.paf, 'info', good).stdout
    check(re.search(r'loop/\d +60 ', chunks), 'every chunk is an activity', chunks)


def what_gcc_does_not_tell_is_not_observed(tools):
    need('gcc')
    compiler, tools.compiler = tools.compiler, 'gcc'
    tools.build('heat')
    tools.compiler = compiler
    done, _ = tools.record('heat', options=['--statistics', '-'])
    check(done.returncode == 0 and done.stdout.startswith('0.750\n'), 'heat, by gcc', done.stderr)
    for row in ('Master', 'Single', 'User Barrier', 'Reduction'):
        check(re.search(row + r': not observed', done.stdout), row + ' of gcc', done.stdout)
    check(re.search(r'Implied Barrier: +\d{4} ', done.stdout), 'barriers of gcc', done.stdout)


def tasks_are_the_work(tools):
    tools.build('tasks')

    def work(report):
        return sum(m['work'] for n, m in modules(report).items() if n.startswith('task '))

    def is_parallel(trace):
        report = tools.report(trace)
        return work(report) > 0.8 * report['work'] and report['parallelism'] > 2
    claim('tasks do the work, in parallel', lambda: tools.record('tasks'), lambda made: is_parallel(made[1]))


def every_task_is_recorded(tools):
    tools.build('tasks')
    done, trace = tools.record('tasks')
    check(done.stdout == '39088169\n', 'tasks', done.stdout, done.stderr)
    tasks = {a['number'] for a in tools.history(trace)['activities'] if a['name'] == 'task'}
    check(len(tasks) >= 62, 'each of the 62 tasks of a tree of depth 5', len(tasks))


def a_critical_section_serialises(tools):
    tools.build('locks')
    def is_serial(trace):
        return (tools.report(trace)['parallelism'] < 1.2
                and 'critical section at locks.c' in tools.report(trace)['findings'][0]['text'])
    claim('no parallelism through a critical section', lambda: tools.record('locks'),
          lambda made: is_serial(made[1]))


def a_release_leads_to_the_next_acquire(tools):
    tools.build('locks')
    _, trace = tools.record('locks')
    report = tools.report(trace)
    depends = {(d['from'], d['to']) for d in report['dependencies']}
    check(any(a == b and a.startswith('critical locks.c') for a, b in depends),
          'release leads to acquire', depends)

# Rows of a part of the statistics: what stands behind each title.
def figures(text):
    rows = {}
    for line in text.splitlines():
        title, colon, rest = line.strip().partition(':')
        if colon and re.fullmatch(r'[A-Z][A-Za-z. ]+', title):
            rows[title] = rest
    return rows


def every_row_of_the_statistics_is_right(tools):
    apps, tools.apps = tools.apps, HERE
    tools.build('constructs')
    tools.apps = apps
    done, trace = tools.record('constructs', options=['--statistics', '-'])
    text = done.stdout[done.stdout.find('****'):]
    later = tools.run(tools.paf, 'report', '--statistics', trace)
    check(done.returncode == 0 and later.stdout == text, 'a trace alone suffices', done.stderr,
          later.stdout[:500], later.stderr)
    parts = [figures(part) for part in re.split(r'\*+ (?:Total|Parallel Region .*) \*+', text)[1:]]
    check(len(parts) == 5, 'four regions and the whole', text)
    titles = ['Master', 'Single', 'Atomic', 'Critical', 'Ordered', 'User Barrier', 'Implied Barrier',
              'Data Setup', 'Data Update', 'Reduction']
    for part in parts:
        check([t for t in part if t in titles] == titles, 'the rows, in their order', part)
    # What the program does, counted by hand: of the whole, then region by region.
    expected = {'Master': (1, 1, 0, 0, 0), 'Single': (2, 1, 0, 1, 0), 'Critical': (5, 5, 0, 0, 0),
                'Ordered': (16, 0, 16, 0, 0), 'User Barrier': (2, 2, 0, 0, 0),
                'Implied Barrier': (17, 2, 12, 2, 1)}
    for title, counts in expected.items():
        got = tuple(int(part[title].split()[0]) for part in parts)
        check(got == counts, 'how often there is a ' + title, got, counts)
    for title in ('Atomic', 'Data Setup', 'Data Update'):
        check(all(part.get(title, 'not observed').strip() == 'not observed' for part in parts),
              title + ' is not observed')
    for title, columns in (('Master', 1), ('Single', 1), ('Critical', 2), ('Ordered', 2),
                           ('User Barrier', 1), ('Implied Barrier', 1), ('Reduction', 1)):
        for part in parts:
            check(part[title].count('s(') == columns, 'the columns of ' + title, part[title])
    # Who holds something sleeps: times are not less (a single with a critical in it holds both).
    least = {'Master': 0.002, 'Single': 0.006, 'Critical': 0.010}
    for title, time in least.items():
        took = float(re.search(r'([\d.]+)s', parts[1][title]).group(1))
        check(took >= time, 'the time of ' + title, parts[1][title])
    check(float(re.search(r'([\d.]+)s', parts[2]['Ordered']).group(1)) >= 0.008, 'ordered')
    # Shares are of threads x time of the region, a region's of the program's.
    program = float(re.search(r'Program Exec. Time: ([\d.]+)s', text).group(1))
    for region in re.finditer(r'Region Exec. Time\(%\): ([\d.]+)s\( *([\d.]+)\)\n *Number of Threads: (\d+)'
                              r'(?:.*\n)*? +Implied Barrier: +\d+ +([\d.]+)s\( *([\d.]+)\)', text):
        took, share, threads, waited, of = (float(x) for x in region.groups())
        check(abs(100 * took / program - share) < 0.01, 'the share of a region', region.group(0))
        check(abs(100 * waited / (took * threads) - of) < 0.1 or took < 0.001,
              'the share of a construct', region.group(0))


def runs_are_compared_in_seconds(tools):
    tools.build('mandelbrot')
    traces = []
    for kind in ('bad', 'good'):
        _, trace = tools.record('mandelbrot', kind)
        os.rename(trace, trace + '.' + kind)
        traces.append(trace + '.' + kind)
    first = tools.run(tools.paf, 'compare', *traces).stdout.split('\n')[0]
    # Of runs that others kept from the processors, times with the processors are told first.
    check(re.search(r'(elapsed|about) [0-9.]+ .?s instead of [0-9.]+ .?s', first) and 'reduction' not in first,
          'what runs took are times', first)


# Each run has the same events: nothing is for the thread that comes first.
STEPS = """int main(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2)
        for (int step = 0; step < 1000; step++) {
#pragma omp barrier
        }
    }
    return 0;
}
"""


def build_text(tools, name, text):
    done = tools.run(tools.compiler, '-g', '-fopenmp', '-o', name, tools.write(name + '.c', text), RUNTIME)
    check(done.returncode == 0, 'building ' + name, done.stderr)


def losses_are_told(tools):
    build_text(tools, 'steps', STEPS)
    done, trace = tools.record('steps', options=['--events', '1000'])
    needed = re.search(r'(\d+) events were dropped; --events (\d+) would have kept them',
                       done.stderr)
    check(done.returncode == 0 and needed, 'events that were not kept', done.stderr)
    if needed:
        done, _ = tools.record('steps', options=['--events', needed.group(2)])
        check('dropped' not in done.stderr, 'the cap that was told is enough', done.stderr)
    check(os.path.exists(trace), 'what was kept is used')


def a_trace_tells_its_losses(tools):
    build_text(tools, 'steps', STEPS)
    done, trace = tools.record('steps', options=['--events', '1000', '--statistics', '-'])
    lost, enough = re.search(r'(\d+) events were dropped; --events (\d+)', done.stderr).groups()
    told = r'(thread \d kept 1000 of \d+, thread \d kept 1000 of \d+); --events %s would' % enough
    lines = tools.findings(trace).split('\n')
    check(lines[0].startswith(lost + ' events of the run were not kept') and re.search(told, lines[1]),
          'the first finding is what is not known', lines[:3])
    check(re.search('not kept +%s events: %s' % (lost, told), tools.run(tools.paf, 'info', trace).stdout),
          'info tells it, too')
    losses = tools.report(trace)['losses']
    check([x['kept'] for x in losses] == [1000, 1000] and all(x['capped'] for x in losses)
          and sum(x['events'] - x['kept'] for x in losses) == int(lost)
          and max(x['events'] for x in losses) == int(enough), 'in JSON', losses)
    text = tools.run(tools.paf, 'report', '--statistics', trace)
    check(lost + ' events of the run were not kept' in text.stderr, 'beside the statistics', text.stderr)
    done, trace = tools.record('steps', options=['--events', enough])
    check('losses' not in tools.report(trace) and 'not kept' not in tools.findings(trace),
          'nothing is lost, nothing is told')


LATE = """#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 100; i++) {
#pragma omp parallel num_threads(2)
#pragma omp critical
        ;
    }
    usleep(300000);
    return 0;
}
"""


def what_comes_behind_the_cap_is_nobodys_time(tools):
    build_text(tools, 'late', LATE)
    done, trace = tools.record('late', options=['--events', '100', '--statistics', '-'])
    ran = re.search(r'Program Exec. Time: ([0-9.]+)s', done.stdout)
    check(done.returncode == 0 and ran, 'recorded with a cap', done.stdout, done.stderr)
    last = max(m['last'] for m in tools.report(trace)['modules'])
    check(float(ran.group(1)) - last / 1e9 >= 0.3, 'the last kept event ends what is known', last)


PART = """#include <omp.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    {
        int n = omp_get_thread_num() == 1 ? 300 : 5;
        for (int i = 0; i < n; i++) {
#pragma omp critical
            usleep(100);
        }
    }
    return 0;
}
"""


def one_thread_may_be_known_in_part(tools):
    build_text(tools, 'part', PART)
    done, trace = tools.record('part', options=['--events', '100'])
    losses = tools.report(trace)['losses']
    check([x['name'] for x in losses] == ['thread 1'], 'who has lost events', losses)
    events = tools.run(tools.paf, 'export', '--view', 'places', '-o', trace + '.json', trace)
    check(events.returncode == 0, 'events of each place', events.stderr)
    with open(trace + '.json', encoding='utf-8') as file:
        rows = [e for e in json.load(file)['traceEvents'] if e['ph'] == 'X']
    end = max(e['ts'] + e['dur'] for e in rows)
    known = max(e['ts'] + e['dur'] for e in rows if e['tid'] == 1)
    check(end - known > 15000, 'nothing is known of it until its team joins', known, end)


def a_trace_that_cannot_be_written_is_told_first(tools):
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', 'none/told.paf', '--', 'echo', 'ran')
    check(done.returncode == 1 and 'none/told.paf: cannot create: No such file' in done.stderr, 'the reason',
          done.stderr)
    check(done.stdout == '', 'the command does not run', done.stdout)


SOURCES = {
    'exits': '#include <stdlib.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n'
             '#pragma omp single\nexit(7);\nreturn 0; }\n',
    'crashes': '#include <stdlib.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n'
               '{\n#pragma omp barrier\n#pragma omp single\nabort();\n}\nreturn 0; }\n',
    'hangs': '#include <unistd.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n'
             '{\n#pragma omp barrier\n#pragma omp single\n'
             'for (write(1, "begun\\n", 6);;) sleep(1);\n}\nreturn 0; }\n',
    'quiet': 'int main(void) { return 3; }\n',
}


def bad_ends_keep_what_was_recorded(tools):
    apps, tools.apps = tools.apps, tools.folder
    for name, text in SOURCES.items():
        with open(os.path.join(tools.folder, name + '.c'), 'w', encoding='utf-8') as file:
            file.write(text)
        tools.build(name)
    tools.apps = apps
    done, trace = tools.record('exits')
    check(done.returncode == 7 and os.path.exists(trace), 'exit within a region', done.stderr)
    done, trace = tools.record('crashes')
    check(done.returncode == 128 + signal.SIGABRT and os.path.exists(trace)
          and 'ended abnormally' in done.stderr, 'abort within a region', done.stderr)
    check('interrupted' in tools.findings(trace), 'the trace of a crash says so')
    done, trace = tools.record('quiet')
    check(done.returncode == 3 and 'nothing was recorded' in done.stderr,
          'a program without OpenMP', done.returncode, done.stderr)
    trace = os.path.join(tools.folder, 'hangs.paf')
    process = subprocess.Popen([tools.bridge, 'record', '--openmp', '-o', trace, '--',
                                os.path.join(tools.folder, 'hangs')], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    check(process.stdout.readline() == b'begun\n', 'a program that hangs begins')
    subprocess.run(['pkill', '-9', '-x', '-P', str(process.pid), 'hangs'], check=False)
    _, errors = process.communicate(timeout=600)
    check(process.returncode == 137 and os.path.exists(trace), 'a program that is killed',
          process.returncode, errors)


def bad_logs_are_refused_or_used_in_part(tools):
    log = os.path.join(tools.folder, 'log')
    done, _ = tools.record('heat', options=['--keep-log', log])
    events = sorted(f for f in os.listdir(log) if f.endswith('.events'))
    check(done.returncode == 0 and len(events) == 2, 'a log is kept', events, done.stderr)
    path = os.path.join(log, events[1])
    whole = open(path, 'rb').read()
    out = os.path.join(tools.folder, 'cut.paf')
    for size in (0, 100, 4096, 4096 + 32 * 10 + 7, 4096 + 32 * 500):
        with open(path, 'wb') as file:
            file.write(whole[:size])
        done = tools.run(tools.bridge, 'convert', '-o', out, log)
        check(done.returncode == (size < 4096) and events[1] in done.stderr, 'a log cut at %d' % size,
              done.returncode, done.stderr)
        check(tools.run(tools.paf, 'info', '--verify', out).returncode == 0, 'its trace verifies')
    kept, _, moved, window = struct.unpack_from('<4Q', whole, 32)
    check(kept >= moved > 100, 'events that have left the window', kept, moved)
    at = 4096 + 32 * (window + 20)
    with open(path, 'wb') as file:
        file.write(whole[:at] + b'\xff' * 64 + whole[at + 64:])
    done = tools.run(tools.bridge, 'convert', '-o', out, log)
    check(done.returncode == 0 and 'unknown kind' in done.stderr, 'an unknown event', done.stderr)
    with open(path, 'wb') as file: # clocks that go backwards
        file.write(whole[:at] + b'\0' * 8 + whole[at + 8:])
    done = tools.run(tools.bridge, 'convert', '-o', out, log)
    check(done.returncode == 0 and 'clock went backwards' in done.stderr, 'clocks', done.stderr)
    done = tools.run(tools.bridge, 'convert', '-o', out, os.path.join(tools.folder, 'nothing'))
    check(done.returncode == 1 and 'No such file' in done.stderr, 'no log', done.stderr)


def usage(tools):
    for words in ([], ['fly'], ['record'], ['record', '--openmp'], ['convert'],
                  ['record', '--count', '--', 'true'], ['record', '--no-such']):
        done = tools.run(tools.bridge, *words)
        check(done.returncode == 2 and done.stderr, 'usage of %r' % words, done.stderr)
    done = tools.run(tools.bridge, 'record', '--openmp', '--', './no-such-program')
    check(done.returncode == 127 and 'no-such-program' in done.stderr, 'no such program',
          done.stderr)
    check(tools.run(tools.bridge, '--help').returncode == 0, 'help')


BARRIER = """#include <omp.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < TIMES; i++) {
        usleep(omp_get_thread_num() == i % 2 ? 150000 : 20000);
#pragma omp barrier
        usleep(omp_get_thread_num() != i % 2 ? 150000 : 20000);
    }
}
"""

SECTIONS = """#include <omp.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            usleep(omp_get_thread_num() == 0 ? 150000 : 20000);
#pragma omp section
            usleep(omp_get_thread_num() == 0 ? 150000 : 20000);
        }
        usleep(omp_get_thread_num() == 1 ? 150000 : 20000);
    }
}
"""


def a_barrier_is_called_what_it_is(tools):
    """What is executed once has no next time, and sections are no loop."""
    cases = (('once', BARRIER, '1', 'at the barrier at once.c:8 all wait for one thread, and for another one '
                                    'after it;'),
             ('thrice', BARRIER, '3', 'at the barrier at thrice.c:8 all wait mostly for one thread, and for '
                                      'another one the next time;'),
             ('sections', SECTIONS, '1',
              'at the end of the sections at sections.c:7 all wait for one thread'))
    for compiler in present('gcc', tools.compiler):
        for name, text, times, finding in cases:
            tools.compile_with(compiler, tools.write(name + '.c', text), name, '-DTIMES=' + times, RUNTIME)
            _, trace = tools.record(name)
            check(finding in tools.findings(trace), '%s by %s' % (name, compiler), tools.findings(trace))
    check('add nowait to the sections at sections.c:7' in tools.findings(trace), 'what to change')


# Both threads are needed for the two tasks that depend on the first one, so the thread that waits at the
# barrier meanwhile goes on with one of them. It must not sleep there: one run in some hundred then never ends,
# without the recorder too, as LLVM's runtime did not wake it.
READY = '''#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int thread[2], begun;
// Ticks of processor time that a thread has used: fields 14 and 15.
static long ticks(int number)
{
    char path[64], text[512];
    long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    FILE *file = fopen(path, "r");
    const char *rest = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (rest)
        sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld %ld", &user, &system);
    if (file)
        fclose(file);
    return user + system;
}
// The other thread has nothing to do but to arrive at the barrier: who uses that much time waits there.
static void until_waiting(const int *other)
{
    while (!__atomic_load_n(other, __ATOMIC_ACQUIRE))
        usleep(1000);
    for (long begin = ticks(*other); ticks(*other) < begin + 10;)
        usleep(1000);
}
static void together(void)
{
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    double end = omp_get_wtime() + 5;
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 2 && omp_get_wtime() < end)
        usleep(1000);
}
int main(void)
{
    int a = 0;
#pragma omp parallel num_threads(2)
    {
        __atomic_store_n(&thread[omp_get_thread_num()], gettid(), __ATOMIC_RELEASE);
#pragma omp single
        {
#pragma omp task depend(out : a) // first
            until_waiting(&thread[1 - omp_get_thread_num()]);
#pragma omp task depend(in : a)
            together();
#pragma omp task depend(in : a)
            together();
        }
    }
    puts("done");
}
'''


def who_waits_for_a_task_waits_for_what_it_needs(tools):
    done = tools.run(tools.compiler, '-g', '-O1', '-fopenmp', '-o', 'ready',
                     tools.write('ready.c', READY), RUNTIME)
    check(done.returncode == 0, 'building ready.c', done.stderr)
    environment = dict(os.environ, OMP_WAIT_POLICY='active')
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', 'ready.paf', '--', './ready', env=environment)
    line = next(n for n, text in enumerate(READY.splitlines(), 1) if text.endswith('// first'))
    text = tools.run(tools.paf, 'report', 'ready.paf').stdout
    check(done.stdout == 'done\n' and re.search(r'implied_barrier .* task ready\.c:%d\n' % line, text),
          'who releases whom', done.stderr, text)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]),
              what_gcc_does_not_tell_is_not_observed, heat_has_its_loop_and_its_barriers,
              every_chunk_is_an_activity, every_task_is_recorded,
              a_release_leads_to_the_next_acquire, every_row_of_the_statistics_is_right,
              runs_are_compared_in_seconds, losses_are_told, a_trace_tells_its_losses,
              what_comes_behind_the_cap_is_nobodys_time, one_thread_may_be_known_in_part,
              a_trace_that_cannot_be_written_is_told_first, bad_ends_keep_what_was_recorded,
              bad_logs_are_refused_or_used_in_part, usage,
              a_barrier_is_called_what_it_is, who_waits_for_a_task_waits_for_what_it_needs,
              claims=(one_loop_does_the_work, static_is_unbalanced_dynamic_is_not, tasks_are_the_work,
                      a_critical_section_serialises))
