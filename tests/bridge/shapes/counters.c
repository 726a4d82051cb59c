// SPDX-License-Identifier: MIT
//
// Counters in front of an OpenMP runtime, for the comparison with recordings: a library that is loaded
// first, counts the calls that begin a construct, and jumps to the runtime with all registers and the
// stack unchanged. At the end it writes a line `KIND COUNT` of each kind, and `body COUNT` of each
// function that is a region's body, to the file that COUNTERS names.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 1024, SERIAL = 5 };

static uint64_t counts[8];
static struct {
    uint64_t body, count;
} bodies[BODIES];
static const char *const kinds[] = {"region", "loop", "critical", "single", "task", "serial"};

static bool is_in_runtime(void *address)
{
    Dl_info info;
    return dladdr(address, &info) && strstr(info.dli_fname, "/libomp");
}

// kind: an index of `kinds`; body: of a region. Calls by the runtime itself do not count.
__attribute__((visibility("hidden"), used)) void count_call(uint64_t kind, uint64_t body, void *address)
{
    if (kind == SERIAL && is_in_runtime(address))
        return;
    __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
    for (int i = 0; kind == 0 && i < BODIES; i++) {
        uint64_t none = 0;
        if (bodies[i].body == body ||
            __atomic_compare_exchange_n(&bodies[i].body, &none, body, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            none == body) {
            __atomic_add_fetch(&bodies[i].count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

#define COUNT(name, kind, BODY)                                                                    \
    __attribute__((visibility("hidden"))) void *next_##name;                                       \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                    \
            "    pushq %rbp\n    movq %rsp, %rbp\n    andq $-16, %rsp\n"                           \
            "    pushq %rax\n    pushq %rdi\n    pushq %rsi\n    pushq %rdx\n"                     \
            "    pushq %rcx\n    pushq %r8\n    pushq %r9\n    pushq %r10\n"                       \
            "    movq " BODY ", %rsi\n    movq $" #kind ", %rdi\n"                                 \
            "    movq 8(%rbp), %rdx\n    call count_call\n"                                      \
            "    popq %r10\n    popq %r9\n    popq %r8\n    popq %rcx\n"                           \
            "    popq %rdx\n    popq %rsi\n    popq %rdi\n    popq %rax\n"                         \
            "    movq %rbp, %rsp\n    popq %rbp\n"                                                 \
            "    movq next_" #name "(%rip), %r11\n    jmp *%r11\n.size " #name ", . - " #name "\n");

#define CALLS(CALL)                                                                                \
    CALL(__kmpc_fork_call, 0, "%rdx")                                                              \
    CALL(__kmpc_fork_call_if, 0, "%rdx")                                                           \
    CALL(__kmpc_serialized_parallel, 5, "%rdi")                                                    \
    CALL(__kmpc_dispatch_init_4, 1, "%rdi")                                                        \
    CALL(__kmpc_dispatch_init_8, 1, "%rdi")                                                        \
    CALL(__kmpc_critical, 2, "%rdi")                                                               \
    CALL(__kmpc_omp_task, 4, "%rdi")                                                               \
    CALL(GOMP_parallel, 0, "%rdi")                                                                 \
    CALL(GOMP_parallel_loop_dynamic, 0, "%rdi")                                                    \
    CALL(GOMP_parallel_loop_guided, 0, "%rdi")                                                     \
    CALL(GOMP_parallel_loop_runtime, 0, "%rdi")                                                    \
    CALL(GOMP_parallel_loop_nonmonotonic_dynamic, 0, "%rdi")                                       \
    CALL(GOMP_parallel_loop_nonmonotonic_guided, 0, "%rdi")                                        \
    CALL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, 0, "%rdi")                                 \
    CALL(GOMP_parallel_sections, 0, "%rdi")                                                        \
    CALL(GOMP_critical_name_start, 2, "%rdi")                                                      \
    CALL(GOMP_task, 4, "%rdi")
CALLS(COUNT)

__attribute__((constructor)) static void find_next(void)
{
#define FIND(name, kind, BODY) next_##name = dlsym(RTLD_NEXT, #name);
    CALLS(FIND)
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("COUNTERS");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fprintf(out, "%s %llu\n", kinds[i], (unsigned long long)counts[i]);
    for (int i = 0; i < BODIES && bodies[i].body; i++)
        fprintf(out, "body %llu\n", (unsigned long long)bodies[i].count);
    fclose(out);
}
