// SPDX-License-Identifier: MIT
#include "base/memory_limit.h"

#include "base/machine_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

// The sanitizers reserve far more than there is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HELD_BY_SYSTEM = 0 };
#elif defined(__has_feature)
enum { HELD_BY_SYSTEM = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) };
#else
enum { HELD_BY_SYSTEM = 1 };
#endif

static uint64_t limit; // 0: none

void base_limit_memory(uint64_t bytes)
{
    struct rlimit r;
    size_t there = bytes ? 0 : base_memory_of_machine();
    if (there == SIZE_MAX)
        return;
    bytes = bytes ? bytes : there / 4 * 3;
    rlim_t reserved = bytes < RLIM_INFINITY / 2 ? 2 * bytes : RLIM_INFINITY;
    limit = bytes;
    if (HELD_BY_SYSTEM && getrlimit(RLIMIT_DATA, &r) == 0) {
        r.rlim_cur = reserved < r.rlim_max ? reserved : r.rlim_max;
        setrlimit(RLIMIT_DATA, &r);
    }
}

uint64_t base_read_memory_size(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    int shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift > 0;
    bool good = *text >= '0' && *text <= '9' && !*end && !errno && n <= UINT64_MAX >> shift;
    return good && n << shift >= BASE_LEAST_MEMORY ? n << shift : 0;
}

uint64_t base_memory_limit(void)
{
    return limit;
}
