// SPDX-License-Identifier: MIT
#include "fleng/record/guard.h"

#include "base/output.h"
#include "vm/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ECHO = 200 }; // ms in which a second signal of a kind means the first one

static bool guarded;
static const char *volatile trace_path;
static volatile sig_atomic_t is_orphan;

// A thread may wait for somebody who reads its output. System calls only.
static void wake_threads(void)
{
    struct {
        uint64_t inode, next;
        unsigned short length;
        unsigned char type;
        char name[];
    } *entry;
    _Alignas(8) char entries[4096];
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long n; folder >= 0 && (n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < n; at += entry->length) {
            pid_t thread = 0;
            entry = (void *)(entries + at);
            for (const char *c = entry->name; *c >= '0' && *c <= '9'; c++)
                thread = thread * 10 + *c - '0';
            if (thread > 0 && thread != gettid())
                syscall(SYS_tgkill, getpid(), thread, VM_NOBODY_READS);
        }
    close(folder);
}

static void on_orphaned(int signal)
{
    int reason = errno, nowhere;
    (void)signal;
    if (is_orphan)
        return;
    is_orphan = 1;
    if (!trace_path)
        _exit(128 + SIGKILL);
    base_output_finishing(trace_path);
    vm_interrupt(SIGKILL);
    nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; nowhere >= 0 && fd <= 2; fd++)
        dup2(nowhere, fd);
    wake_threads();
    errno = reason;
}

static void begin_second(pid_t first)
{
    struct sigaction action = {.sa_handler = on_orphaned};
    sigemptyset(&action.sa_mask);
    guarded = true;
    sigaction(VM_NOBODY_READS, &action, NULL);
    prctl(PR_SET_PDEATHSIG, VM_NOBODY_READS);
    if (getppid() != first)
        _exit(128 + SIGKILL);
}

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
    if (second == 0)
        begin_second(first);
    sigaction(SIGCHLD, &of_children, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void fl_guard_trace(const char *path)
{
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
