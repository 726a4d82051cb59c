// SPDX-License-Identifier: MIT
#include "fleng/record/guard.h"

#include "base/output.h"
#include "vm/run.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ECHO = 200 };  // ms in which a second signal of a kind means the first one
enum { WAKING = 10 }; // ms from one time that threads are woken to the next

static bool guarded;
static const char *volatile trace_path;
static volatile sig_atomic_t is_orphan;
static pid_t first_process;

// ---- The second process -------------------------------------------------------------------------

// A thread may wait for somebody who reads its output.
static void wake_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        pid_t thread = (pid_t)atol(entry->d_name);
        if (thread > 0 && thread != gettid())
            syscall(SYS_tgkill, getpid(), thread, VM_NOBODY_READS);
    }
    if (folder)
        closedir(folder);
}

static void end_run(void)
{
    is_orphan = 1;
    if (!trace_path)
        _exit(128 + SIGKILL);
    vm_interrupt(SIGKILL);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; nowhere >= 0 && fd <= 2; fd++)
        dup2(nowhere, fd);
}

// A thread may begin to wait just after it was woken, so this one goes on until the process ends.
static void *watch(void *unused)
{
    sigset_t continued;
    (void)unused;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    while (getppid() == first_process)
        sigwaitinfo(&continued, NULL);
    end_run();
    for (;;) {
        wake_threads();
        nanosleep(&(struct timespec){.tv_nsec = WAKING * 1000000}, NULL);
    }
    return NULL;
}

static void ignore(int signal)
{
    (void)signal;
}

// The death of the first process is told by SIGCONT, as the terminal may have stopped this one. The thread
// that watches is the only one that takes it.
static void begin_second(pid_t first, const sigset_t *before)
{
    struct sigaction action = {.sa_handler = ignore};
    sigset_t mask = *before;
    pthread_t watcher;
    sigemptyset(&action.sa_mask);
    sigaction(VM_NOBODY_READS, &action, NULL);
    guarded = true;
    first_process = first;
    bool watched = pthread_create(&watcher, NULL, watch, NULL) == 0;
    prctl(PR_SET_PDEATHSIG, watched ? SIGCONT : SIGKILL);
    if (getppid() != first)
        _exit(128 + SIGKILL);
    sigaddset(&mask, SIGCONT);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

// ---- The first process --------------------------------------------------------------------------

static void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        sigset_t set;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0}); // the other one has left one
        signal(number, SIG_DFL);
        sigemptyset(&set);
        sigaddset(&set, number);
        raise(number);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    // As process 1 of a container it does not end by a signal that it sends to itself.
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

// It ended, or the terminal stopped it; then this process stops, too, and its shell sees that. If
// somebody stopped the second process alone, by SIGSTOP, they continue it as well.
static void follow(pid_t second)
{
    int status;
    while (waitpid(second, &status, WNOHANG | WUNTRACED) == second) {
        if (!WIFSTOPPED(status))
            end_as(status);
        if (WSTOPSIG(status) != SIGSTOP) {
            raise(SIGSTOP);
            kill(second, SIGCONT);
        }
    }
}

// What comes from the terminal comes to both processes; only that the terminal is gone may come to
// the first one alone, as the leader of the session.
static void be_first(pid_t second, const sigset_t *all)
{
    for (;;) {
        siginfo_t info;
        int number = sigwaitinfo(all, &info);
        if (number == SIGCHLD)
            follow(second);
        else if (number > 0 && (info.si_code != SI_KERNEL || number == SIGHUP))
            kill(second, number);
    }
}

void fl_guard_begin(void)
{
    sigset_t all, before;
    struct sigaction of_children, usual = {.sa_handler = SIG_DFL};
    pid_t first = getpid();
    sigemptyset(&usual.sa_mask);
    sigaction(SIGCHLD, &usual, &of_children); // one who ignores it is not told of an end
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t second = fork();
    if (second > 0)
        be_first(second, &all);
    sigaction(SIGCHLD, &of_children, NULL);
    if (second == 0)
        begin_second(first, &before);
    else
        sigprocmask(SIG_SETMASK, &before, NULL);
}

void fl_guard_trace(const char *path)
{
    if (guarded)
        base_output_for(first_process, path);
    trace_path = path;
}

bool fl_guard_is_orphan(void)
{
    return is_orphan;
}

bool fl_guard_is_echo(int number)
{
    static int64_t firsts[NSIG];
    int64_t *first = &firsts[number > 0 && number < NSIG ? number : 0];
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000, none = 0;
    return guarded && !__atomic_compare_exchange_n(first, &none, now, false, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED) && now - none < ECHO;
}
