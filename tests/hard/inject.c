// SPDX-License-Identifier: MIT
//
// usage: inject HOW N ERROR REPORT COMMAND [ARGUMENT...]
//
// Runs a command and disturbs the N-th call (from 1) with which it opens, reads, writes, renames or locks:
//
//   count   nothing is disturbed
//   once    the call fails with errno ERROR
//   from    it fails, and so does each later one
//   short   it reads or writes one byte only, and so does each later one
//   kill    the process is killed instead
//
// REPORT is a file that gets how many such calls there were, and of the first disturbed one its number in
// the kernel's table and the descriptor. Calls count from the command's first fcntl() on, which is the first
// thing in main(); its processes count until they become another program. Removing a file always works. Ends as the
// command does; 77: the kernel does not let it.
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_STRANGERS = 4096, UNABLE = 77 };

static const int disturbed[] = {
    SYS_open,   SYS_openat,    SYS_read,     SYS_pread64,   SYS_readv, SYS_write,     SYS_pwrite64,
    SYS_writev, SYS_fsync,     SYS_fdatasync, SYS_rename,   SYS_renameat, SYS_renameat2, SYS_link,
    SYS_linkat, SYS_ftruncate, SYS_fchmod,   SYS_fchown,    SYS_lseek, SYS_fstat,     SYS_newfstatat,
    SYS_statx,  SYS_flock,     SYS_fcntl,    SYS_fallocate, SYS_mkdir,
    SYS_getdents64,
};

typedef enum { COUNT, ONCE, FROM, SHORT, KILL } how_kind;

typedef struct {
    how_kind how;
    long at, calls;
    int error;
    bool begun;          // main() has
    long long call, fd;  // of the first that was disturbed; -1
    pid_t command;
    pid_t strangers[MOST_STRANGERS]; // processes that the command started, and their threads
    int nstrangers;
} injection;

static bool filter_calls(void)
{
    enum { N = sizeof disturbed / sizeof *disturbed };
    struct sock_filter code[N + 4];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < N; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)disturbed[i],
                                                 (uint8_t)(N - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog program = {n, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool is_stranger(const injection *x, pid_t pid)
{
    for (int i = 0; i < x->nstrangers; i++)
        if (x->strangers[i] == pid)
            return true;
    return false;
}

static void add_stranger(injection *x, pid_t pid)
{
    if (x->nstrangers < MOST_STRANGERS && !is_stranger(x, pid))
        x->strangers[x->nstrangers++] = pid;
}

static void take_call(injection *x, pid_t pid)
{
    struct user_regs_struct r;
    if (is_stranger(x, pid) || ptrace(PTRACE_GETREGS, pid, 0, &r) != 0)
        return;
    x->begun |= r.orig_rax == SYS_fcntl;
    if (!x->begun)
        return;
    x->calls++;
    bool now = x->calls == x->at || (x->calls > x->at && (x->how == FROM || x->how == SHORT));
    if (x->how == COUNT || !now)
        return;
    if (x->call < 0) {
        x->call = (long long)r.orig_rax;
        x->fd = (long long)r.rdi;
    }
    if (x->how == KILL) {
        kill(x->calls % 2 ? x->command : pid, SIGKILL); // the command may have two processes
    } else if (x->how == SHORT) {
        bool moves = r.orig_rax == SYS_read || r.orig_rax == SYS_write || r.orig_rax == SYS_pread64 ||
                     r.orig_rax == SYS_pwrite64;
        if (moves && r.rdx > 1) {
            r.rdx = 1;
            ptrace(PTRACE_SETREGS, pid, 0, &r);
        }
    } else {
        r.orig_rax = (unsigned long long)-1;
        r.rax = (unsigned long long)-x->error;
        ptrace(PTRACE_SETREGS, pid, 0, &r);
    }
}

// A process stopped. The signal to go on with.
static int take_stop(injection *x, pid_t pid, int status)
{
    int event = status >> 16, sig = WSTOPSIG(status);
    unsigned long other;
    if (event == PTRACE_EVENT_SECCOMP) {
        take_call(x, pid);
    } else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
        if (is_stranger(x, pid) && ptrace(PTRACE_GETEVENTMSG, pid, 0, &other) == 0)
            add_stranger(x, (pid_t)other);
    } else if (event == PTRACE_EVENT_EXEC && pid != x->command) {
        add_stranger(x, pid);
    }
    return event || sig == SIGTRAP || sig == SIGSTOP ? 0 : sig;
}

static int follow(injection *x)
{
    int status, result = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, pid, 0, take_stop(x, pid, status));
        else if (pid == x->command)
            result = status;
    }
    return result;
}

static void begin_command(char **argv)
{
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
        _exit(UNABLE);
    raise(SIGSTOP);
    if (!filter_calls())
        _exit(UNABLE);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(UNABLE);
}

static void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(WTERMSIG(status), &plain, NULL);
        raise(WTERMSIG(status));
    }
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(int argc, char **argv)
{
    static const char *const hows[] = {"count", "once", "from", "short", "kill"};
    static injection x = {.call = -1, .fd = -1};
    const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int status;
    if (argc < 6)
        return 2;
    for (x.how = COUNT; x.how < KILL && strcmp(argv[1], hows[x.how]) != 0;)
        x.how++;
    x.at = atol(argv[2]);
    x.error = atoi(argv[3]);
    x.command = fork();
    if (x.command == 0)
        begin_command(argv + 5);
    if (x.command < 0 || waitpid(x.command, &status, 0) < 0 || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, x.command, 0, options) != 0)
        return UNABLE;
    ptrace(PTRACE_CONT, x.command, 0, 0);
    status = follow(&x);
    FILE *report = fopen(argv[4], "w");
    if (!report)
        return 2;
    fprintf(report, "%ld %lld %lld\n", x.calls, x.call, x.fd);
    fclose(report);
    end_as(status);
    return 0;
}
#else
int main(void)
{
    return 77;
}
#endif
