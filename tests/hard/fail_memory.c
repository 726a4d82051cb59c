// SPDX-License-Identifier: MIT
//
// A library to be loaded before a command (LD_PRELOAD): the FAIL_AT-th request for memory fails, and
// with FAIL_ON every later one, too. FAIL_COUNT names a file in which the number of requests is
// written at the end. Requests of all threads count, from main() on.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);

static _Atomic long requests;
static long fail_at;
static bool fail_on;
static atomic_bool counting;

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

// What other libraries do before main() is nobody's to mend.
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static main_function *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? atol(at) : 0;
    fail_on = getenv("FAIL_ON") != NULL;
    counting = true;
    return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_function *next = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_COUNT");
    counting = false;
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd >= 0)
        dprintf(fd, "%ld\n", atomic_load(&requests));
    if (fd >= 0)
        close(fd);
}

static bool fails(void)
{
    if (!counting)
        return false;
    long n = atomic_fetch_add(&requests, 1) + 1;
    if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_on))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *at, size_t size)
{
    return fails() ? NULL : __libc_realloc(at, size);
}

void *reallocarray(void *at, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(at, bytes);
}
