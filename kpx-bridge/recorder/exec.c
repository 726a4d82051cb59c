// SPDX-License-Identifier: MIT
//
// A process that becomes another program ends well, and runs no destructors. Signal handlers and children of
// vfork() may call these functions: nothing here takes memory or a lock.
#include <dlfcn.h>
#include <stdarg.h>
#include <unistd.h>

#include "kpx-bridge/recorder/recorder.h"

#pragma GCC visibility push(default)

#define EACH(x) x(execve) x(execv) x(execvp) x(execvpe) x(fexecve) x(execveat)

#define MEMBER(name) __typeof__(&name) name;
static struct {
    EACH(MEMBER)
} next;

#define FIND(name) next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name);
__attribute__((constructor)) static void find_all(void)
{
    EACH(FIND)
}

#define NEXT(name)                                                                                 \
    ({                                                                                             \
        if (!next.name)                                                                            \
            FIND(name)                                                                             \
        next.name;                                                                                 \
    })

// The function returns only if there is no other program.
#define BECOME(name, parameters, arguments)                                                        \
    int name parameters                                                                            \
    {                                                                                              \
        kpx_becomes_another(true);                                                                 \
        int failed = NEXT(name) arguments;                                                         \
        kpx_becomes_another(false);                                                                \
        return failed;                                                                             \
    }
BECOME(execve, (const char *path, char *const words[], char *const variables[]), (path, words, variables))
BECOME(execv, (const char *path, char *const words[]), (path, words))
BECOME(execvp, (const char *file, char *const words[]), (file, words))
BECOME(execvpe, (const char *file, char *const words[], char *const variables[]), (file, words, variables))
BECOME(fexecve, (int file, char *const words[], char *const variables[]), (file, words, variables))
BECOME(execveat,
       (int folder, const char *path, char *const words[], char *const variables[], int flags),
       (folder, path, words, variables, flags))

// How many words there are, NULL included.
static size_t count(va_list words)
{
    size_t n = 2;
    while (va_arg(words, const char *))
        n++;
    return n;
}

// `all` has the words, and `more` goes on behind them.
#define TAKE_WORDS(first)                                                                          \
    va_list more;                                                                                  \
    va_start(more, first);                                                                         \
    size_t n = count(more);                                                                        \
    va_end(more);                                                                                  \
    char *all[n];                                                                                  \
    all[0] = (char *)first;                                                                        \
    va_start(more, first);                                                                         \
    for (size_t i = 1; i < n; i++)                                                                 \
        all[i] = va_arg(more, char *);

int execl(const char *path, const char *first, ...)
{
    TAKE_WORDS(first)
    va_end(more);
    return execv(path, all);
}

int execlp(const char *file, const char *first, ...)
{
    TAKE_WORDS(first)
    va_end(more);
    return execvp(file, all);
}

int execle(const char *path, const char *first, ...)
{
    TAKE_WORDS(first)
    char *const *variables = va_arg(more, char *const *);
    va_end(more);
    return execve(path, all, variables);
}
