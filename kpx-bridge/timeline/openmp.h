// SPDX-License-Identifier: MIT
//
// What the converter keeps for OpenMP: regions, barriers, tasks, and who held a lock last (private
// to timeline/).
#ifndef KPX_TIMELINE_OPENMP_H
#define KPX_TIMELINE_OPENMP_H

#include <stdbool.h>

#include "base/array.h"
#include "base/table.h"
#include "kpx-bridge/log/log.h"
#include "kpx-bridge/timeline/unused.h"

typedef struct kpx_converter kpx_converter;
typedef struct kpx_thread_state kpx_thread_state;

typedef struct {
    uint64_t key;  // of barrier_of
    uint32_t last; // the activity of the thread that came last
    uint32_t left; // threads
    bool counted;  // the statistics have it
    bool copies;   // the first of the two barriers of a copyprivate
    uint32_t before, next; // of the region, or KPX_NONE
} kpx_barrier;

// One execution of a parallel region. `outer` is what its master was in before.
typedef struct {
    uint64_t key;    // of region_of
    uint32_t serial; // no other one has it
    uint32_t inside; // threads and inner regions that know of it
    uint32_t barriers; // the first one, or KPX_NONE
    bool used;
    uint32_t construct;
    uint64_t code; // that stands for it
    uint32_t process;
    uint32_t outer; // region, or KPX_NONE
    uint32_t outer_barrier, outer_loops;
    uint64_t outer_task;
    uint32_t fork; // activity
    uint64_t began;
    uint32_t threads;
    uint32_t master; // index of a thread, KPX_NONE: not known yet
    uint32_t row;    // of statistics->regions, or KPX_NONE
    bool ended;
    ARRAY_OF(uint32_t) places; // of its threads, the master's first
} kpx_region_state;

typedef struct {
    uint64_t key;             // of task_of
    uint32_t construct;
    uint32_t creator;         // activity
    uint32_t last;            // activity, KPX_NONE: it has not run
    uint32_t users;           // itself until it ends; what depends on it, and uses that name it
    uint64_t parent;          // task
    bool of_task;             // the parent is no implicit task
    bool ended;
    ARRAY_OF(uint32_t) after; // tasks that must end before it begins
} kpx_task;

// The outermost regions that are open in a process: its threads may open several at a time.
typedef struct {
    uint32_t open;
    uint64_t since; // when the first of them began
} kpx_parallel_time;

// The tasks of one parent that name an address in their dependences: the last one that writes it,
// or KPX_NONE, and the tasks that have read it since.
typedef struct {
    uint64_t key;   // of use_of
    uint32_t older; // of the same parent, or KPX_NONE
    uint32_t writer;
    ARRAY_OF(uint32_t) readers;
} kpx_use;

typedef struct {
    ARRAY_OF(kpx_barrier) barriers;
    ARRAY_OF(kpx_region_state) regions;
    kpx_parallel_time *parallel; // by process
    ARRAY_OF(kpx_task) tasks;
    ARRAY_OF(kpx_use) uses;
    // What is over is forgotten.
    kpx_unused no_barriers, no_regions, no_tasks, no_uses;
    uint32_t serials; // of regions, given so far
    uint32_t loops;   // numbers of loops, given so far
    base_map region_of, task_of; // by their numbers in the log
    base_map row_of;             // construct of a region: its row of the statistics
    base_map use_of;             // by parent task and address
    base_map last_use_of;        // by parent task
    base_map barrier_of;         // serial of the region << 32 | number
    // By serial of the region << 32 | number in it, until all threads have begun it: how many have << 32 |
    // its number in the program.
    base_map loop_of;
    base_map holder_of;          // mutex: the activity that held it last
    base_map iteration_of;       // of an ordered loop: the activity that ended with its `source`
    base_map child_of;           // task: the activity that ended the last of its children
} kpx_openmp;

void kpx_begin_openmp(kpx_converter *c);
void kpx_enter_region(kpx_converter *c, kpx_thread_state *t, uint32_t region); // KPX_NONE: it is in none
// Takes an event that is OpenMP's and ignores others.
void kpx_take_openmp(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
// Ends the regions that are still open and completes the statistics.
void kpx_finish_openmp(kpx_converter *c);
void kpx_free_openmp(kpx_converter *c);

#endif
