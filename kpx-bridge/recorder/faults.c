// SPDX-License-Identifier: MIT
//
// A fault that ends the program: which, when and where is noted in the log. What the program, a library or the
// system does about it comes afterwards, as if there were no recorder: the action that was there before is put
// back, and the fault happens again.
#include "kpx-bridge/recorder/faults.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "kpx-bridge/recorder/recorder.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAULTS = sizeof faults / sizeof *faults, STACK = 1 << 16 };

static struct sigaction before[FAULTS];
static char stack[STACK]; // of the first thread, whose own one may be what is full

// Where the program was, and the top of its stack; 0: not known on this machine.
static uintptr_t place_in(const ucontext_t *context, uintptr_t *ret_stack)
{
#if defined __x86_64__
    *ret_stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    *ret_stack = (uintptr_t)context->uc_mcontext.sp;
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return *ret_stack = 0;
#endif
}

// The stack may be what is broken: it is read as that of another process, which fails instead.
static void note(int number, const ucontext_t *context)
{
    uintptr_t top, words[KPX_FAULT_WORDS];
    uintptr_t at = place_in(context, &top);
    struct iovec to = {words, sizeof words}, from = {(void *)top, sizeof words};
    ssize_t n = top ? process_vm_readv(getpid(), &to, 1, &from, 1, 0) : 0;
    kpx_note_fault(number, at, words, n > 0 ? (size_t)n / sizeof *words : 0);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int error = errno, i = 0;
    while (i + 1 < FAULTS && faults[i] != number)
        i++;
    note(number, context);
    sigaction(number, &before[i], NULL);
    if (info->si_code <= 0) // somebody sent it
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    errno = error;
}

void kpx_watch_faults(void)
{
    for (int i = 0; i < FAULTS; i++) {
        struct sigaction old, own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigfillset(&own.sa_mask);
        bool is_own = sigaction(faults[i], NULL, &old) != 0 ||
                      ((old.sa_flags & SA_SIGINFO) && old.sa_sigaction == on_fault);
        if (is_own || (!(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN))
            continue;
        before[i] = old;
        sigaction(faults[i], &own, NULL);
    }
    stack_t there;
    if (sigaltstack(NULL, &there) == 0 && (there.ss_flags & SS_DISABLE))
        sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
}

void kpx_ignore_faults(void)
{
    struct sigaction now;
    for (int i = 0; i < FAULTS; i++)
        if (sigaction(faults[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault)
            sigaction(faults[i], &before[i], NULL);
}
