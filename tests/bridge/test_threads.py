#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records programs with threads of their own: what they wait for, where, and who ended the wait.

usage: test_threads.py KPX-BRIDGE PAF COMPILER APPS PRINT-TRACE
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from support import HERE, RUNTIME, OpenMP, check, need, run_tests, source  # noqa: E402 - beside this file

CPP = '''#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include "asleep.h"
static std::mutex m;
static std::condition_variable ready;
static bool go;
static int for_lock, for_signal;
int main()
{
    m.lock();
    std::thread other([] {
        about_to_wait(&for_lock);
        m.lock(); // lock
        about_to_wait(&for_signal);
        std::unique_lock<std::mutex> lock(m, std::adopt_lock);
        ready.wait(lock, [] { return go; }); // condition
    });
    until_asleep(&for_lock);
    m.unlock();
    until_asleep(&for_signal);
    m.lock();
    go = true;
    m.unlock();
    ready.notify_all();
    other.join(); // join
    std::puts("done");
}
'''

FUTURE = '''#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include "asleep.h"
static std::once_flag flag;
static int for_value, for_once;
int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([&] {
        about_to_wait(&for_value);
        future.get(); // condition
    });
    until_asleep(&for_value);
    promise.set_value(1);
    other.join();
    std::thread late;
    std::call_once(flag, [&] {
        late = std::thread([] {
            about_to_wait(&for_once);
            std::call_once(flag, [] {}); // condition
        });
        until_asleep(&for_once);
    });
    late.join();
    std::puts("done");
}
'''

C11 = '''#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include "asleep.h"
static mtx_t m;
static cnd_t c;
static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ready, for_lock, for_signal, for_clock, for_once;
static void nothing(void)
{
}
static int late(void *unused)
{
    about_to_wait(&for_once);
    pthread_once(&once, nothing); // condition
    return unused != 0;
}
static void first(void)
{
    thrd_t t;
    thrd_create(&t, late, 0);
    until_asleep(&for_once);
    thrd_detach(t);
}
static int worker(void *unused)
{
    struct timespec until = {0, 0};
    about_to_wait(&for_lock);
    mtx_lock(&m); // lock
    about_to_wait(&for_signal);
    while (!ready)
        cnd_wait(&c, &m); // condition
    mtx_unlock(&m);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1000;
    about_to_wait(&for_clock);
    pthread_mutex_clocklock(&p, CLOCK_MONOTONIC, &until); // lock
    pthread_mutex_unlock(&p);
    return unused != 0;
}
int main(void)
{
    thrd_t t;
    int status;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    pthread_mutex_lock(&p);
    mtx_lock(&m);
    thrd_create(&t, worker, 0);
    until_asleep(&for_lock);
    mtx_unlock(&m);
    until_asleep(&for_signal);
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    until_asleep(&for_clock);
    pthread_mutex_unlock(&p);
    thrd_join(t, &status); // join
    pthread_once(&once, first);
    pid_t child = fork();
    if (child == 0) {
        usleep(300000);
        _exit(0);
    }
    waitpid(child, &status, 0); // I/O wait
    puts("done");
    return system("sleep 0.3"); // I/O wait
}
'''

HYBRID = '''#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include "asleep.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int for_lock[2];
int main(void)
{
#pragma omp parallel num_threads(2)
    {
        about_to_wait(&for_lock[omp_get_thread_num()]);
        pthread_mutex_lock(&m); // lock
#pragma omp single nowait
        until_asleep(&for_lock[1 - omp_get_thread_num()]);
        pthread_mutex_unlock(&m);
    }
    puts("done");
}
'''

# Plugins: libraries that a program in C loads for itself.
HOST = '''#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **names)
{
    void *library = dlopen(names[n - 1], RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = (int (*)(void))(library ? dlsym(library, "run") : NULL);
    puts(run && run() == 42 ? "done" : dlerror());
}
'''

CPP_PLUGIN = '''#include <condition_variable>
#include <mutex>
#include <thread>
extern "C" int run()
{
    std::mutex m;
    std::condition_variable ready;
    int n = 0;
    std::thread other([&] {
        std::unique_lock<std::mutex> lock(m);
        n = 42;
        ready.notify_all();
    });
    {
        std::unique_lock<std::mutex> lock(m);
        ready.wait(lock, [&] { return n == 42; });
    }
    other.join(); // join
    return n;
}
'''

CONSTRUCTOR = '''#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t ready;
static int n;
static void *body(void *nothing)
{
    usleep(1000); // sleep
    n = 42;
    sem_post(&ready);
    return nothing;
}
__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, body, 0);
    sem_wait(&ready);
    pthread_detach(thread);
}
int run(void)
{
    return n;
}
'''

CPP_CONSTRUCTOR = CPP_PLUGIN.replace('int run()', 'int begin()') + '''
static int result = begin();
extern "C" int run() { return result; }
'''


MANY = '''#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t all;
static void *body(void *nothing)
{
    pthread_barrier_wait(&all);
    return nothing;
}
int main(int n, char **words)
{
    int rounds = atoi(words[n - 2]), at_once = atoi(words[n - 1]);
    pthread_t t[200];
    pthread_barrier_init(&all, NULL, (unsigned)at_once);
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < at_once; k++)
            pthread_create(&t[k], NULL, body, NULL);
        for (int k = 0; k < at_once; k++)
            pthread_join(t[k], NULL); // join
    }
    puts("done");
}
'''

OWNERS = '''#include <pthread.h>
#include <stdio.h>
static int sum;
static void *body(void *nothing)
{
    for (int i = 0; i < 3; i++)
#pragma omp parallel num_threads(2)
#pragma omp critical
        sum++;
    return nothing;
}
int main(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, NULL);
        pthread_join(t, NULL);
    }
    puts(sum == 600 ? "done" : "wrong");
}
'''


def marks(text):
    """The lines that a comment says a wait is at: `// lock`."""
    return {'%s %d' % (m.group(1), n) for n, line in enumerate(text.splitlines(), 1)
            for m in [re.search(r'// (barrier|lock|condition|semaphore|sleep|join|I/O wait)$', line)] if m}


def record(tools, name, *arguments):
    """Without options: the bridge decides by itself."""
    trace = tools.path(name + '.paf')
    done = tools.run(tools.bridge, 'record', '-o', trace, '--', tools.path(name), *arguments)
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


def check_waits(history, text, name):
    """On a machine under load any input or output may take long."""
    found, wanted = waits_of(history), marks(text) | marks(source('asleep.h'))
    more = {wait for wait in set(found) - wanted if not wait.startswith('I/O wait')}
    check(wanted <= set(found) and not more, 'waits of ' + name, sorted(wanted - set(found)), sorted(more))
    return found


def waits_have_places_and_holders(tools):
    for level in ('-O0', '-O2'):
        done = tools.run('cc', '-g', level, '-pthread', '-o', tools.path('threads'),
                         os.path.join(HERE, 'threads.c'))
        check(done.returncode == 0, 'building threads.c', done.stderr)
        said, history = record(tools, 'threads')
        check('recording threads\n' in said, 'the bridge decides', said)
        found = check_waits(history, source('threads.c'), 'threads.c ' + level)
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
    done = tools.run('g++', '-g', '-O2', '-pthread', '-I', HERE, '-o', tools.path('cpp'),
                     tools.write('cpp.cpp', CPP))
    check(done.returncode == 0, 'building cpp.cpp', done.stderr)
    check_waits(record(tools, 'cpp')[1], CPP, 'cpp.cpp')


def futures_are_waited_for(tools):
    need('g++')
    done = tools.run('g++', '-g', '-O2', '-pthread', '-I', HERE, '-o', tools.path('future'),
                     tools.write('future.cpp', FUTURE))
    check(done.returncode == 0, 'building future.cpp', done.stderr)
    history = record(tools, 'future')[1]
    found = waits_of(history)
    check(marks(FUTURE) <= set(found), 'waits of future.cpp', sorted(found))
    by = {a['number']: a for a in history['activities']}
    for a in [a for name in marks(FUTURE) for a in found.get(name, [])]:
        check(any(by[n]['place'] != a['place'] for n, _ in a['needs']), 'who ended ' + a['module'], a)


def threads_of_c11_are_recorded(tools):
    done = tools.run('cc', '-g', '-O1', '-pthread', '-I', HERE, '-o', tools.path('c11'), tools.write('c11.c', C11))
    check(done.returncode == 0, 'building c11.c', done.stderr)
    history = record(tools, 'c11')[1]
    found = waits_of(history)
    check(marks(C11) <= set(found), 'waits of c11.c', sorted(marks(C11) - set(found)), sorted(found))
    names = {a['module'] for a in history['activities'] if a['module'].startswith('thread c11.c:')}
    check(len(names) == 2, 'threads of C11 have places', names)
    by = {a['number']: a for a in history['activities']}
    for a in [a for name in marks(C11) if not name.startswith('I/O') for a in found.get(name, [])]:
        check(any(by[n]['place'] != a['place'] for n, _ in a['needs']), 'who ended ' + a['module'], a)


BUSY = '''#include <pthread.h>
#include <time.h>
static void *body(void *unused)
{
    struct timespec now;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < 300000000);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    body(NULL);
    pthread_join(t, NULL);
}
'''

SIGNALS = '''#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void got(int number)
{
    (void)number;
}
static void later(void)
{
    if (fork() == 0) {
        usleep(300000); // sleep
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
}
static void wait_for_a_lock(void)
{
    int ready[2], file = open("/proc/self/exe", O_RDONLY);
    char byte = 0;
    if (pipe(ready) == 0 && fork() == 0) {
        int own = open("/proc/self/exe", O_RDONLY);
        flock(own, LOCK_EX);
        byte = (char)write(ready[1], &byte, 1);
        usleep(300000); // sleep
        _exit(0);
    }
    byte = (char)read(ready[0], &byte, 1);
    flock(file, LOCK_EX); // I/O wait
}
static void wait_for_a_part(int by_fcntl)
{
    char name[] = "./part-XXXXXX", byte = 0;
    int ready[2], file = mkstemp(name);
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    unlink(name);
    if (pipe(ready) == 0 && fork() == 0) {
        byte = (char)(lockf(file, F_LOCK, 0) + write(ready[1], &byte, 1));
        usleep(300000); // sleep
        _exit(0);
    }
    byte = (char)read(ready[0], &byte, 1);
    if (by_fcntl)
        byte = (char)fcntl(file, F_SETLKW, &all); // I/O wait
    else
        byte = (char)lockf(file, F_LOCK, 0); // I/O wait
}
int main(void)
{
    int number;
    sigset_t set, none;
    siginfo_t info;
    struct timespec limit = {1000, 0};
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, got);
    sigprocmask(SIG_BLOCK, &set, NULL);
    later();
    sigsuspend(&none); // I/O wait
    later();
    sigwait(&set, &number); // I/O wait
    later();
    sigwaitinfo(&set, &info); // I/O wait
    later();
    sigtimedwait(&set, &info, &limit); // I/O wait
    later();
    ppoll(NULL, 0, NULL, &none); // I/O wait
    later();
    pselect(0, NULL, NULL, NULL, NULL, &none); // I/O wait
    later();
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    pause(); // I/O wait
    while (wait(NULL) > 0)
        ;
    wait_for_a_lock();
    wait_for_a_part(0);
    wait_for_a_part(1);
    puts("done");
}
'''


def waits_for_signals_are_no_work(tools):
    tools.compile_with('cc', tools.write('signals.c', SIGNALS), 'signals')
    found = waits_of(record(tools, 'signals')[1])
    check(marks(SIGNALS) <= set(found), 'waits of signals.c', sorted(marks(SIGNALS) - set(found)), sorted(found))


def who_only_waits_for_the_program_is_not_it(tools):
    """The trace has the program's name, and what the other one waits is no work."""
    tools.compile_with('cc', tools.write('busy.c', BUSY), 'busy', '-pthread')
    for words in (['timeout', '60', './busy'], ['sh', '-c', './busy; true'], ['env', 'A=b', './busy'],
                  ['nice', './busy']):
        done = tools.run(tools.bridge, 'record', '--', *words)
        check(': busy.paf: ' in done.stderr, 'the name of the trace of %r' % words, done.stderr)
        if os.path.exists(tools.path('busy.paf')):
            report = tools.report('busy.paf')
            elapsed = max(a['end'] for a in tools.history('busy.paf')['activities'])
            check(report['work'] < 2.3 * elapsed, 'two threads work, run by %r' % words, report['work'], elapsed)
            os.remove(tools.path('busy.paf'))


def plugin(tools, compiler, file, text, *options):
    """Records a program that loads the plugin with this text. Gives the waits."""
    need(compiler)
    done = tools.run('cc', '-g', '-o', tools.path('host'), tools.write('host.c', HOST))
    check(done.returncode == 0, 'building host.c', done.stderr)
    library = tools.path(file + '.so')
    done = tools.run(compiler, '-g', '-shared', '-fPIC', '-pthread', *options, '-o', library,
                     tools.write(file, text))
    check(done.returncode == 0, 'building ' + file, done.stderr)
    return set(waits_of(record(tools, 'host', library)[1]))


def the_cpp_library_may_come_with_a_plugin(tools):
    """Then only the plugin sees it."""
    found = plugin(tools, 'g++', 'plugin.cpp', CPP_PLUGIN)
    check(marks(CPP_PLUGIN) <= found, 'waits of plugin.cpp', sorted(found))
    plugin(tools, 'g++', 'plugin.cpp', CPP_PLUGIN, '-static-libstdc++')


def threads_run_while_a_library_is_loaded(tools):
    """Its constructor waits for a thread, and holds the lock of the dynamic linker."""
    found = plugin(tools, 'cc', 'constructor.c', CONSTRUCTOR)
    check(marks(CONSTRUCTOR) <= found, 'waits of constructor.c', sorted(found))
    plugin(tools, 'g++', 'constructor.cpp', CPP_CONSTRUCTOR)


def threads_one_after_the_other_share_a_row(tools):
    """Making a log for each takes many times as long as such a thread."""
    done = tools.run('cc', '-g', '-O1', '-pthread', '-o', tools.path('many'), tools.write('many.c', MANY))
    check(done.returncode == 0, 'building many.c', done.stderr)
    said, history = record(tools, 'many', '1500', '1')
    check('backwards' not in said and history['places'] == ['thread 0', 'thread 1'],
          'places of threads in sequence', said, history['places'])
    bodies = [a for a in history['activities'] if a['module'].startswith('thread many.c:')]
    joins = [a for a in history['activities'] if a['module'].startswith('join many.c:')]
    check(len({a['end'] for a in bodies}) >= 1490 and len(joins) == 1500, 'each thread is there', len(bodies),
          len(joins))
    _, history = record(tools, 'many', '3', '200')
    check(len(history['places']) == 201, 'as many places as threads at once', len(history['places']))


SLEEPERS = '''#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *nothing)
{
    for (int i = 0; i < 100; i++)
        usleep(1);
    return nothing;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 30; i++) {
        pthread_create(&thread, NULL, sleeps, NULL);
        pthread_join(thread, NULL);
    }
}
'''


def threads_in_sequence_have_a_limit_each(tools):
    """What a pilot run says of events counts threads, not their logs."""
    done = tools.run('cc', '-g', '-O1', '-pthread', '-o', tools.path('sleepers'),
                     tools.write('sleepers.c', SLEEPERS))
    check(done.returncode == 0, 'building sleepers.c', done.stderr)
    log = tools.path('pilot')
    tools.run(tools.bridge, 'record', '--threads', '--keep-log', log, '-o', os.devnull, '--',
              tools.path('sleepers'))
    said = tools.run(tools.bridge, 'advise', '--times', '1', '--events', '1000', log).stdout
    check(' of 31 threads in' in said and 'keeps all events' not in said, 'advice', said)


# Threads that the recorder does not see begin: the first that it sees of each is that it has read.
READERS = '''#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static void *reads(void *nothing)
{
    char byte;
    return read(ends[0], &byte, 1) == 1 ? ends : nothing; // read
}
int main(void)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "pthread_create");
    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        create(&thread, NULL, reads, NULL);
        usleep(10000);
        if (write(ends[1], "x", 1) != 1)
            return 1;
        pthread_join(thread, NULL);
    }
    puts("done");
}
'''


def threads_that_go_on_with_a_log_lose_nothing(tools):
    done = tools.run('cc', '-g', '-O1', '-pthread', '-o', tools.path('readers'),
                     tools.write('readers.c', READERS), '-ldl')
    check(done.returncode == 0, 'building readers.c', done.stderr)
    said, history = record(tools, 'readers')
    line = next(n for n, text in enumerate(READERS.splitlines(), 1) if '// read' in text)
    waits = [a for a in history['activities'] if a['module'].endswith('readers.c:%d' % line)]
    check('backwards' not in said and 'abnormally' not in said and len(waits) >= 10,
          'waits of threads one after the other', said, len(waits))


def regions_of_threads_in_sequence_are_told_apart(tools):
    tools.compile_with(tools.compiler, tools.write('owners.c', OWNERS), 'owners', '-pthread', RUNTIME)
    trace = tools.path('owners.paf')
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', trace, '--', tools.path('owners'))
    check(done.returncode == 0 and done.stdout == 'done\n', 'recording owners.c', done.stdout, done.stderr)
    text = tools.run(tools.paf, 'report', '--statistics', trace).stdout
    check('(owners.c: 7), 300 executions' in text and 'Critical:     600 ' in text, 'regions of threads', text)


ASYNC = '''#include <cstdint>
#include <cstdio>
#include <future>
#include <pthread.h>
#include <unistd.h>
int main()
{
    auto later = std::async(std::launch::async, [] { usleep(2000); return 42; });
    int got = later.get();
    pthread_t thread;
    pthread_create(&thread, nullptr, (void *(*)(void *))(void *)usleep, (void *)1);
    pthread_join(thread, nullptr);
    std::printf("%d\\n", got);
}
'''


def members_and_functions_of_libraries_are_what_threads_run(tools):
    """A pointer to a member function is even, or it means a virtual one."""
    tools.compile_with('g++', tools.write('async.cpp', ASYNC), 'async', '-pthread')
    done = tools.run(tools.bridge, 'record', '--threads', '-o', os.devnull, '--', tools.path('async'))
    check(done.returncode == 0 and done.stdout == '42\n', 'recording async.cpp', done.stdout, done.stderr)
    recorder = os.path.join(os.path.dirname(os.path.abspath(tools.bridge)), 'libkpx-threads.so')
    symbols = tools.run('nm', '-D', '--defined-only', recorder).stdout
    members = re.findall(r'([0-9a-f]+) T (_ZNSt\S+)', symbols)
    odd = [name for address, name in members if int(address, 16) % 2]
    check(len(members) >= 8 and not odd, 'addresses of members', odd, symbols)


GIVEN = '''#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
static double values[3];
static __attribute__((noinline)) void plain(int k) // plain
{
    usleep(1000);
    values[k] = k;
}
static __attribute__((noinline)) void more(double &to, std::string, std::string) // more
{
    usleep(1000);
    to = 2;
}
struct mill {
    double sum = 0;
    __attribute__((noinline)) void grind(int n) noexcept // grind
    {
        usleep(1000);
        sum += n;
    }
};
int main()
{
    mill m;
    std::thread a(plain, 1), b(more, std::ref(values[2]), "one", "two"), c(&mill::grind, &m, 3);
    a.join();
    b.join();
    c.join();
    std::printf("%g\\n", values[1] + values[2] + m.sum);
}
'''


def threads_of_cpp_are_named_by_what_they_are_given(tools):
    """All threads with arguments of the same types run one function of the library."""
    need('g++')
    lines = {re.search('// ([a-z]+)', text).group(1): i + 1 for i, text in enumerate(GIVEN.split('\n'))
             if '// ' in text}
    for level in '-O0', '-O2':
        done = tools.run('g++', '-g', level, '-pthread', '-o', tools.path('given'),
                         tools.write('given.cpp', GIVEN))
        check(done.returncode == 0, 'building given.cpp', done.stderr)
        trace = tools.path('given.paf')
        done = tools.run(tools.bridge, 'record', '--threads', '-o', trace, '--', tools.path('given'))
        check(done.returncode == 0 and done.stdout == '6\n', 'recording given.cpp', done.stdout, done.stderr)
        names = {a['module'] for a in tools.history(trace)['activities'] if a['module'].startswith('thread ')}
        near = {name for name, line in lines.items()
                for n in names if n in ['thread given.cpp:%d' % (line + k) for k in range(3)]}
        check(near == set(lines), 'threads at ' + level, names, lines)
    tools.run('g++', '-O2', '-pthread', '-o', tools.path('given'), tools.path('given.cpp'))
    tools.run(tools.bridge, 'record', '--threads', '-o', trace, '--', tools.path('given'))
    names = {a['module'] for a in tools.history(trace)['activities'] if a['module'].startswith('thread ')}
    check({'thread plain(int)', 'thread mill::grind(int)'} <= names, 'names of functions', names)


# A library beside the runtime, with a destructor of its own for what its threads have.
OFFLOAD = '''#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static char mine[1];
static void end(void *value)
{
    if (value != mine)
        abort();
}
void begin_offload(void)
{
    pthread_key_create(&key, end);
    pthread_setspecific(key, mine);
}
'''

OFFLOADS = '''#include <pthread.h>
#include <stdio.h>
void begin_offload(void);
static void *region(void *nothing)
{
#pragma omp parallel num_threads(2)
    ;
    return nothing;
}
int main(void)
{
    pthread_t thread;
    region(NULL);
    begin_offload();
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, region, NULL);
        pthread_join(thread, NULL);
    }
    puts("done");
}
'''


def keys_of_other_libraries_have_their_destructors(tools):
    library = tools.path('libomptarget.so')
    done = tools.run('cc', '-fPIC', '-shared', '-o', library, tools.write('offload.c', OFFLOAD))
    check(done.returncode == 0, 'building offload.c', done.stderr)
    tools.compile_with(tools.compiler, tools.write('offloads.c', OFFLOADS), 'offloads', '-pthread', RUNTIME,
                       library)
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', os.devnull, '--', tools.path('offloads'))
    check(done.returncode == 0 and done.stdout == 'done\n', 'recording offloads.c', done.stdout, done.stderr)


def a_mutex_within_a_region_is_a_wait(tools):
    tools.compile_with('gcc', tools.write('hybrid.c', HYBRID), 'hybrid', '-I', HERE)
    said, history = record(tools, 'hybrid')
    check('recording OpenMP, threads' in said, 'the bridge decides', said)
    line = next(mark.split()[1] for mark in marks(HYBRID))
    waits = [a for a in history['activities']
             if a['name'] == 'lock_wait' and a['module'] == 'lock hybrid.c:' + line]
    check(len(waits) == 1 and waits[0]['needs'], 'the wait for the mutex', waits)


def a_word_of_the_command_decides(tools):
    """A program that another one starts."""
    tools.compile_with('gcc', tools.write('hybrid.c', HYBRID), 'hybrid', '-I', HERE)
    trace = tools.path('started.paf')
    done = tools.run(tools.bridge, 'record', '-o', trace, 'env', 'A=b', tools.path('hybrid'))
    check('recording OpenMP, threads' in done.stderr, 'a program behind another one', done.stderr)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:6]), waits_have_places_and_holders,
              waits_for_signals_are_no_work, who_only_waits_for_the_program_is_not_it,
              cpp_threads_are_at_their_lines, futures_are_waited_for, threads_of_c11_are_recorded,
              the_cpp_library_may_come_with_a_plugin,
              threads_run_while_a_library_is_loaded, threads_one_after_the_other_share_a_row,
              threads_in_sequence_have_a_limit_each, threads_that_go_on_with_a_log_lose_nothing,
              regions_of_threads_in_sequence_are_told_apart,
              members_and_functions_of_libraries_are_what_threads_run,
              threads_of_cpp_are_named_by_what_they_are_given,
              keys_of_other_libraries_have_their_destructors, a_mutex_within_a_region_is_a_wait,
              a_word_of_the_command_decides)
