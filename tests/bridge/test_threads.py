#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records programs with threads of their own: what they wait for, where, and who ended the wait.

usage: test_threads.py KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import HERE, OpenMP, check, need, run_tests  # noqa: E402 - beside this file

CPP = '''#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::mutex m;
static std::condition_variable ready;
static bool go;
int main()
{
    m.lock();
    std::thread other([] {
        m.lock(); // lock
        m.unlock();
        std::unique_lock<std::mutex> lock(m);
        ready.wait(lock, [] { return go; }); // condition
    });
    usleep(200000); // sleep
    m.unlock();
    usleep(200000); // sleep
    m.lock();
    go = true;
    m.unlock();
    ready.notify_all();
    other.join(); // join
    std::puts("done");
}
'''

HYBRID = '''#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
#pragma omp parallel num_threads(2)
    {
        pthread_mutex_lock(&m);
#pragma omp single nowait
        usleep(200000);
        pthread_mutex_unlock(&m);
    }
    puts("done");
}
'''


def marks(text):
    """The lines that a comment says a wait is at: `// lock`."""
    return {'%s %d' % (m.group(1), n) for n, line in enumerate(text.splitlines(), 1)
            for m in [re.search(r'// (barrier|lock|condition|semaphore|sleep|join|I/O wait)$', line)] if m}


def record(tools, name):
    """Without options: the bridge decides by itself."""
    trace = tools.path(name + '.paf')
    done = tools.run(tools.bridge, 'record', '-o', trace, '--', tools.path(name))
    check(done.returncode == 0 and done.stdout == 'done\n', 'recording ' + name, done.stdout, done.stderr)
    return done.stderr, tools.history(trace)


def waits_of(history):
    """Kind and line of the waits that took a while; their activities. (Output may take long, too.)"""
    found = {}
    for a in history['activities']:
        named = re.match(r'([\w/ ]+) \S+:(\d+)$', a['module'])
        if a['waits'] and named and a['end'] > a['start'] and (named.group(1) != 'I/O wait' or
                                                               a['end'] - a['start'] > 1e8):
            found.setdefault('%s %s' % named.groups(), []).append(a)
    return found


def waits_have_places_and_holders(tools):
    source = os.path.join(HERE, 'threads.c')
    with open(source, encoding='utf-8') as text:
        wanted = marks(text.read())
    for level in ('-O0', '-O2'):
        done = tools.run('cc', '-g', level, '-pthread', '-o', tools.path('threads'), source)
        check(done.returncode == 0, 'building threads.c', done.stderr)
        said, history = record(tools, 'threads')
        check('recording threads\n' in said, 'the bridge decides', said)
        found = waits_of(history)
        check(set(found) == wanted, 'waits of threads.c ' + level, sorted(set(found) ^ wanted))
        by = {a['number']: a for a in history['activities']}
        for kind, edge in (('lock', 'lock'), ('condition', 'signal'), ('semaphore', 'signal'), ('join', 'join')):
            for a in [a for name, all in found.items() if name.startswith(kind) for a in all]:
                sources = [by[n] for n, name in a['needs'] if name == edge]
                check(len(sources) == 1 and sources[0]['place'] != a['place'] and
                      sources[0]['end'] <= a['end'], 'who ended ' + a['module'], a, sources)
        check(len(history['places']) == 4, 'places', history['places'])
        names = {a['module'] for a in history['activities'] if a['module'].startswith('thread ')}
        check(len(names) == 2 and all('threads.c:' in n for n in names), 'threads have places', names)
        locks = [a for a in history['activities'] if a['module'].startswith('lock')]
        check(len(locks) <= 4, 'locks that are free are not recorded', len(locks))


def cpp_threads_are_at_their_lines(tools):
    need('g++')
    done = tools.run('g++', '-g', '-O2', '-pthread', '-o', tools.path('cpp'), tools.write('cpp.cpp', CPP))
    check(done.returncode == 0, 'building cpp.cpp', done.stderr)
    found = waits_of(record(tools, 'cpp')[1])
    check(set(found) == marks(CPP), 'waits of cpp.cpp', sorted(set(found) ^ marks(CPP)))


def a_mutex_within_a_region_is_a_wait(tools):
    tools.compile_with('gcc', tools.write('hybrid.c', HYBRID), 'hybrid')
    said, history = record(tools, 'hybrid')
    check('recording OpenMP, threads' in said, 'the bridge decides', said)
    waits = [a for a in history['activities'] if a['name'] == 'lock_wait' and a['module'] == 'lock hybrid.c:9']
    check(len(waits) == 1 and waits[0]['needs'], 'the wait for the mutex', waits)


def a_word_of_the_command_decides(tools):
    """A program that another one starts."""
    tools.compile_with('gcc', tools.write('hybrid.c', HYBRID), 'hybrid')
    trace = tools.path('started.paf')
    done = tools.run(tools.bridge, 'record', '-o', trace, 'env', 'A=b', tools.path('hybrid'))
    check('recording OpenMP, threads' in done.stderr, 'a program behind another one', done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]), waits_have_places_and_holders,
              cpp_threads_are_at_their_lines, a_mutex_within_a_region_is_a_wait,
              a_word_of_the_command_decides)
