// SPDX-License-Identifier: MIT
//
// Arrays that are larger than the memory of all stores: what is in them stays, whatever is given back, and
// they can be sorted. Without a folder for files they stay in memory.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kpx-bridge/log/store.h"

enum { LARGE = 48 << 20 }; // numbers of 8 bytes

typedef STORE_OF(uint64_t) numbers;

static int failures;

static void check(bool right, const char *what)
{
    if (!right)
        printf("FAILED: %s\n", what), failures++;
}

static uint64_t mixed(uint64_t i)
{
    return i * 0x9e3779b97f4a7c15u;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t resident(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void check_large(const char *path, bool bounded)
{
    numbers a = {0}, zeros = {0};
    uint64_t most = 0;
    bool same = true, zero = true, sorted = true;
    kpx_store_beside(path);
    STORE_ALLOCATE(zeros, LARGE / 4);
    for (uint64_t i = 0; i < LARGE; i++) {
        kpx_store_at(i);
        STORE_PUSH(a, mixed(i));
        if (i % (1 << 20) == 0)
            most = resident() > most ? resident() : most;
    }
    for (uint64_t i = 0; i < LARGE; i++) {
        kpx_store_at(i);
        same = same && a.at[i] == mixed(i);
        zero = zero && zeros.at[i / 4] == 0;
    }
    check(same, "what was put is there");
    check(zero, "what was allocated is zero");
    check(!bounded || most < KPX_STORE_MEMORY + (64u << 20), "memory is bounded");
    kpx_store_sort(a.at, LARGE / 8, sizeof *a.at, by_number);
    for (uint64_t i = 1; i < LARGE / 8; i++)
        sorted = sorted && a.at[i - 1] < a.at[i];
    check(sorted, "sorted");
    STORE_FREE(a);
    STORE_FREE(zeros);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_BOUNDED = 0 }; // they have memory of their own
#else
enum { IS_BOUNDED = 1 };
#endif

int main(int argc, char **argv)
{
    check_large(argc > 1 ? argv[1] : "/var/tmp/trace.paf", IS_BOUNDED);
    check_large("/no/such/folder/trace.paf", false);
    kpx_store_beside(NULL);
    return failures > 0;
}
