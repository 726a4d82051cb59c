// SPDX-License-Identifier: MIT
//
// The kinds that OpenMP's tool interface numbers (OpenMP 5.2, chapter 19), as logs hold them.
#ifndef KPX_OPENMP_KINDS_H
#define KPX_OPENMP_KINDS_H

enum { KPX_THREAD_INITIAL = 1 }; // kind of thread: made by the program, not by the runtime

typedef enum {
    KPX_WORK_LOOP = 1,
    KPX_WORK_SECTIONS = 2,
    KPX_WORK_SINGLE_EXECUTOR = 3,
    KPX_WORK_SINGLE_OTHER = 4,
    KPX_WORK_WORKSHARE = 5,
    KPX_WORK_DISTRIBUTE = 6,
    KPX_WORK_TASKLOOP = 7,
    KPX_WORK_SCOPE = 8,
    KPX_WORK_LOOP_STATIC = 10,
    KPX_WORK_LOOP_DYNAMIC = 11,
    KPX_WORK_LOOP_GUIDED = 12,
    KPX_WORK_LOOP_OTHER = 13,
} kpx_work_kind;

typedef enum {
    KPX_SYNC_BARRIER = 1,
    KPX_SYNC_BARRIER_EXPLICIT = 3,
    KPX_SYNC_BARRIER_IMPLEMENTATION = 4,
    KPX_SYNC_TASKWAIT = 5,
    KPX_SYNC_TASKGROUP = 6,
    KPX_SYNC_REDUCTION = 7,
    KPX_SYNC_BARRIER_IMPLICIT_PARALLEL = 9,
    KPX_SYNC_BARRIER_TEAMS = 10,
} kpx_sync_kind;

enum { KPX_HELD_ALREADY = 1 }; // the thread has the nest lock

typedef enum {
    KPX_MUTEX_TEST_LOCK = 2,
    KPX_MUTEX_NEST_LOCK = 3,
    KPX_MUTEX_TEST_NEST_LOCK = 4,
    KPX_MUTEX_CRITICAL = 5,
    KPX_MUTEX_ATOMIC = 6,
    KPX_MUTEX_ORDERED = 7,
} kpx_mutex_kind; // all others are locks

typedef enum {
    KPX_TASK_COMPLETE = 1,
    KPX_TASK_CANCEL = 3,
    KPX_TASK_DETACH = 4, // its code has ended, the task has not
} kpx_task_status;

typedef enum {
    KPX_DEPENDS_IN = 1,
    KPX_DEPENDS_SOURCE = 5,
    KPX_DEPENDS_SINK = 6,
} kpx_depends_kind; // the last two are of iterations of an ordered loop; the others of tasks write

#endif
