// SPDX-License-Identifier: MIT
//
// Counts what a program does whose sources were compiled with -fsanitize-coverage=trace-pc: each basic
// block is a step, and so are 16 bytes that a function of the C library goes through. At the end the
// counts go to the file descriptor in the environment variable COUNTS. Of one thread: the first.
#include <gc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_PER_STEP = 16 };

static __thread uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    steps++;
}

static void went_through(size_t bytes)
{
    steps += 1 + bytes / BYTES_PER_STEP;
}

#define WRAP(result, name, parameters, arguments, bytes)                                           \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        went_through(bytes);                                                                       \
        return __real_##name arguments;                                                            \
    }

WRAP(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), n)
WRAP(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), n)
WRAP(void *, memset, (void *to, int byte, size_t n), (to, byte, n), n)

// These may stop early, so they count up to where they did.
size_t __real_strlen(const char *text);
size_t __wrap_strlen(const char *text);
size_t __wrap_strlen(const char *text)
{
    size_t n = __real_strlen(text);
    went_through(n);
    return n;
}

int __wrap_memcmp(const void *a, const void *b, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    size_t i = 0;
    while (i < n && x[i] == y[i])
        i++;
    went_through(i);
    return i < n ? x[i] - y[i] : 0;
}

void *__real_memchr(const void *text, int byte, size_t n);
void *__wrap_memchr(const void *text, int byte, size_t n);
void *__wrap_memchr(const void *text, int byte, size_t n)
{
    const char *found = __real_memchr(text, byte, n);
    went_through(found ? (size_t)(found - (const char *)text) : n);
    return (void *)found;
}

void *__real_memmem(const void *text, size_t n, const void *part, size_t length);
void *__wrap_memmem(const void *text, size_t n, const void *part, size_t length);
void *__wrap_memmem(const void *text, size_t n, const void *part, size_t length)
{
    const char *found = __real_memmem(text, n, part, length);
    went_through(found ? (size_t)(found - (const char *)text) : n);
    return (void *)found;
}

__attribute__((destructor)) static void tell(void)
{
    const char *descriptor = getenv("COUNTS");
    if (descriptor)
        dprintf(atoi(descriptor), "%llu %llu\n", (unsigned long long)steps,
                (unsigned long long)GC_get_total_bytes());
}
