// SPDX-License-Identifier: MIT
//
// Some facts are not available through the tool interface (OMPT): it has only the address that a
// call of the runtime returns to.
//
// - clang and flang pass the right line to the runtime (`ident_t`, the first argument), but the debug
//   information often has no line for the return address, or another statement's. It is none of the
//   construct's if the call is a jump, or one call for two constructs.
// - gcc gives a region the line of the statement before it, but the function that it makes of the
//   region's body begins with the directive's line. Without debug information that function tells
//   regions apart, of all compilers.
//
// libkpx-idents.so is loaded before libomp.so. It interposes the entry points of the runtime, notes
// the arguments for the calling thread and tail-jumps to the real function, with all registers and
// the stack unchanged. So it works for any number of arguments.
//
//   program --call--> here: notes kpx_omp_call --jump--> runtime --> OMPT callback
//
// Calls by the runtime itself, in which it does the work of gcc's functions, are not noted.
//
// The real functions are looked up at the first call of any of them: constructors of libraries may
// call the runtime before the constructor of this library runs.
//
// This exists for x86-64 only. On other machines nothing is interposed, and places are those of the
// debug information.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "kpx-bridge/recorder/recorder.h"

void kpx_find_runtime(void);

#ifdef __x86_64__

// The functions during which the tool gets callbacks with their return address.
#define CALLS(CALL)                                                                                \
    CALL(__kmpc_serialized_parallel)                                                               \
    CALL(__kmpc_for_static_init_4)                                                                 \
    CALL(__kmpc_for_static_init_4u)                                                                \
    CALL(__kmpc_for_static_init_8)                                                                 \
    CALL(__kmpc_for_static_init_8u)                                                                \
    CALL(__kmpc_dist_for_static_init_4)                                                            \
    CALL(__kmpc_dist_for_static_init_4u)                                                           \
    CALL(__kmpc_dist_for_static_init_8)                                                            \
    CALL(__kmpc_dist_for_static_init_8u)                                                           \
    CALL(__kmpc_dispatch_init_4)                                                                   \
    CALL(__kmpc_dispatch_init_4u)                                                                  \
    CALL(__kmpc_dispatch_init_8)                                                                   \
    CALL(__kmpc_dispatch_init_8u)                                                                  \
    CALL(__kmpc_dist_dispatch_init_4)                                                              \
    CALL(__kmpc_dist_dispatch_init_4u)                                                             \
    CALL(__kmpc_dist_dispatch_init_8)                                                              \
    CALL(__kmpc_dist_dispatch_init_8u)                                                             \
    CALL(__kmpc_sections_init)                                                                     \
    CALL(__kmpc_single)                                                                            \
    CALL(__kmpc_master)                                                                            \
    CALL(__kmpc_masked)                                                                            \
    CALL(__kmpc_scope)                                                                             \
    CALL(__kmpc_critical)                                                                          \
    CALL(__kmpc_critical_with_hint)                                                                \
    CALL(__kmpc_ordered)                                                                           \
    CALL(__kmpc_barrier)                                                                           \
    CALL(__kmpc_cancel)                                                                            \
    CALL(__kmpc_reduce)                                                                            \
    CALL(__kmpc_reduce_nowait)                                                                     \
    CALL(__kmpc_omp_taskwait)                                                                      \
    CALL(__kmpc_omp_taskwait_51)                                                                   \
    CALL(__kmpc_omp_taskwait_deps_51)                                                              \
    CALL(__kmpc_omp_wait_deps)                                                                     \
    CALL(__kmpc_cancel_barrier)                                                                    \
    CALL(__kmpc_taskgroup)                                                                         \
    CALL(__kmpc_end_taskgroup)

// Those whose third argument is the function that the compiler made of the region's body.
#define CALLS_WITH_BODY(CALL)                                                                      \
    CALL(__kmpc_fork_call)                                                                         \
    CALL(__kmpc_fork_call_if)                                                                      \
    CALL(__kmpc_fork_teams)

// Those whose third argument is a task; its second word is the function of its body.
#define CALLS_WITH_TASK(CALL)                                                                      \
    CALL(__kmpc_omp_task)                                                                          \
    CALL(__kmpc_omp_task_with_deps)                                                                \
    CALL(__kmpc_taskloop)                                                                          \
    CALL(__kmpc_taskloop_5)

// The functions of gcc's runtime, which libomp.so has as well, that are given a body.
#define CALLS_OF_GCC(CALL)                                                                         \
    CALL(GOMP_parallel)                                                                            \
    CALL(GOMP_parallel_loop_static)                                                                \
    CALL(GOMP_parallel_loop_dynamic)                                                               \
    CALL(GOMP_parallel_loop_guided)                                                                \
    CALL(GOMP_parallel_loop_runtime)                                                               \
    CALL(GOMP_parallel_loop_nonmonotonic_dynamic)                                                  \
    CALL(GOMP_parallel_loop_nonmonotonic_guided)                                                   \
    CALL(GOMP_parallel_loop_nonmonotonic_runtime)                                                  \
    CALL(GOMP_parallel_loop_maybe_nonmonotonic_runtime)                                            \
    CALL(GOMP_parallel_sections)                                                                   \
    CALL(GOMP_parallel_reductions)                                                                 \
    CALL(GOMP_teams_reg)                                                                           \
    CALL(GOMP_task)                                                                                \
    CALL(GOMP_taskloop)                                                                            \
    CALL(GOMP_taskloop_ull)

// The others of gcc's runtime that begin or wait for something.
#define PLAIN_CALLS_OF_GCC(CALL)                                                                   \
    CALL(GOMP_atomic_start)                                                                        \
    CALL(GOMP_critical_name_start)                                                                 \
    CALL(GOMP_critical_start)                                                                      \
    CALL(GOMP_loop_doacross_dynamic_start)                                                         \
    CALL(GOMP_loop_doacross_guided_start)                                                          \
    CALL(GOMP_loop_doacross_runtime_start)                                                         \
    CALL(GOMP_loop_doacross_start)                                                                 \
    CALL(GOMP_loop_dynamic_start)                                                                  \
    CALL(GOMP_loop_guided_start)                                                                   \
    CALL(GOMP_loop_maybe_nonmonotonic_runtime_start)                                               \
    CALL(GOMP_loop_nonmonotonic_dynamic_start)                                                     \
    CALL(GOMP_loop_nonmonotonic_guided_start)                                                      \
    CALL(GOMP_loop_nonmonotonic_runtime_start)                                                     \
    CALL(GOMP_loop_ordered_dynamic_start)                                                          \
    CALL(GOMP_loop_ordered_guided_start)                                                           \
    CALL(GOMP_loop_ordered_runtime_start)                                                          \
    CALL(GOMP_loop_ordered_start)                                                                  \
    CALL(GOMP_loop_runtime_start)                                                                  \
    CALL(GOMP_loop_start)                                                                          \
    CALL(GOMP_loop_static_start)                                                                   \
    CALL(GOMP_loop_ull_doacross_dynamic_start)                                                     \
    CALL(GOMP_loop_ull_doacross_guided_start)                                                      \
    CALL(GOMP_loop_ull_doacross_runtime_start)                                                     \
    CALL(GOMP_loop_ull_doacross_start)                                                             \
    CALL(GOMP_loop_ull_doacross_static_start)                                                      \
    CALL(GOMP_loop_ull_dynamic_start)                                                              \
    CALL(GOMP_loop_ull_guided_start)                                                               \
    CALL(GOMP_loop_ull_maybe_nonmonotonic_runtime_start)                                           \
    CALL(GOMP_loop_ull_nonmonotonic_dynamic_start)                                                 \
    CALL(GOMP_loop_ull_nonmonotonic_guided_start)                                                  \
    CALL(GOMP_loop_ull_nonmonotonic_runtime_start)                                                 \
    CALL(GOMP_loop_ull_ordered_dynamic_start)                                                      \
    CALL(GOMP_loop_ull_ordered_guided_start)                                                       \
    CALL(GOMP_loop_ull_ordered_runtime_start)                                                      \
    CALL(GOMP_loop_ull_ordered_start)                                                              \
    CALL(GOMP_loop_ull_runtime_start)                                                              \
    CALL(GOMP_loop_ull_start)                                                                      \
    CALL(GOMP_loop_ull_static_start)                                                               \
    CALL(GOMP_ordered_start)                                                                       \
    CALL(GOMP_sections2_start)                                                                     \
    CALL(GOMP_sections_start)                                                                      \
    CALL(GOMP_single_copy_start)                                                                   \
    CALL(GOMP_single_start)                                                                        \
    CALL(GOMP_taskgroup_start)                                                                     \
    CALL(GOMP_barrier)                                                                             \
    CALL(GOMP_barrier_cancel)                                                                      \
    CALL(GOMP_taskwait)                                                                            \
    CALL(GOMP_taskgroup_end)

#define FOUND(name) __attribute__((visibility("hidden"))) void *kpx_runtime_##name;
#define ALL_CALLS(CALL)                                                                            \
    CALLS(CALL)                                                                                    \
    CALLS_WITH_BODY(CALL)                                                                          \
    CALLS_WITH_TASK(CALL)                                                                          \
    CALLS_OF_GCC(CALL)                                                                             \
    PLAIN_CALLS_OF_GCC(CALL)
ALL_CALLS(FOUND)

// To 3, if the ident is one of the runtime's.
#define UNLESS_OF_RUNTIME                                                                          \
    "    movq kpx_omp_code@GOTPCREL(%rip), %r11\n"                                                 \
    "    cmpq (%r11), %rdi\n"                                                                      \
    "    jb 2f\n"                                                                                  \
    "    cmpq 8(%r11), %rdi\n"                                                                     \
    "    jb 3f\n"                                                                                  \
    "2:\n"

// What is noted as the ident (at 0) and the body (at 32); what a call does not have is 0.
#define IDENT "    movq %rdi, %fs:(%r11)\n    movq $0, %fs:32(%r11)\n"
#define IDENT_AND_BODY "    movq %rdi, %fs:(%r11)\n    movq %rdx, %fs:32(%r11)\n"
#define IDENT_AND_TASK                                                                             \
    "    movq %rdi, %fs:(%r11)\n    movq 8(%rdx), %rax\n    movq %rax, %fs:32(%r11)\n"
#define BODY  "    movq %rdi, %fs:32(%r11)\n    movq $0, %fs:(%r11)\n"
#define NEITHER "    movq $0, %fs:32(%r11)\n    movq $0, %fs:(%r11)\n"

#define JUMP(name, SKIP, FIRST)                                                                    \
    __asm__(".text\n"                                                                              \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n"                                             \
            "    endbr64\n"                                                                        \
            SKIP                                                                                   \
            "    movq (%rsp), %r10\n"                                                              \
            "    movq kpx_omp_call@gottpoff(%rip), %r11\n"                                         \
            FIRST                                                                                  \
            "    movq %r10, %fs:8(%r11)\n"                                                         \
            "    movq %r8, %fs:16(%r11)\n"                                                         \
            "    movq %r9, %fs:24(%r11)\n"                                                         \
            "3:  movq kpx_runtime_" #name "(%rip), %r11\n"                                         \
            "    testq %r11, %r11\n"                                                               \
            "    jnz 1f\n"                                                                         \
            "    call kpx_look_up\n"                                                               \
            "    movq kpx_runtime_" #name "(%rip), %r11\n"                                         \
            "1:  jmp *%r11\n"                                                                      \
            ".size " #name ", . - " #name "\n");
#define JUMP_WITH_IDENT(name) JUMP(name, UNLESS_OF_RUNTIME, IDENT)
#define JUMP_WITH_BODY(name)  JUMP(name, "", BODY)
#define PLAIN_JUMP(name)      JUMP(name, "", NEITHER)
#define JUMP_WITH_BOTH(name)  JUMP(name, UNLESS_OF_RUNTIME, IDENT_AND_BODY)
#define JUMP_WITH_TASK(name)  JUMP(name, UNLESS_OF_RUNTIME, IDENT_AND_TASK)
CALLS(JUMP_WITH_IDENT)
CALLS_WITH_BODY(JUMP_WITH_BOTH)
CALLS_WITH_TASK(JUMP_WITH_TASK)
CALLS_OF_GCC(JUMP_WITH_BODY)
PLAIN_CALLS_OF_GCC(PLAIN_JUMP)

// Calls kpx_find_runtime() with all registers that arguments are in kept. (The return addresses of
// the program's call and of this one, and eight words, leave the stack aligned as it must be.)
__asm__(".text\n"
        ".type kpx_look_up, @function\n"
        "kpx_look_up:\n"
        "    pushq %rax\n"
        "    pushq %rdi\n"
        "    pushq %rsi\n"
        "    pushq %rdx\n"
        "    pushq %rcx\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    pushq %r10\n"
        "    call kpx_find_runtime@PLT\n"
        "    popq %r10\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rcx\n"
        "    popq %rdx\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    popq %rax\n"
        "    ret\n"
        ".size kpx_look_up, . - kpx_look_up\n");

// The program calls a function that its runtime does not have. Without the recorder the dynamic
// linker ends the process here, since nothing can do the function's work; so it ends with it, too.
static void is_missing(void)
{
    kpx_complain("libomp.so lacks a function that the program calls");
    abort();
}

void kpx_find_runtime(void)
{
#define FIND(name)                                                                                 \
    kpx_runtime_##name = dlsym(RTLD_NEXT, #name);                                                  \
    if (!kpx_runtime_##name)                                                                       \
        kpx_runtime_##name = (void *)is_missing;
    ALL_CALLS(FIND)
}

#else

void kpx_find_runtime(void)
{
}

#endif
