// SPDX-License-Identifier: MIT
//
// What the analyses share. `struct iot` is filled in stages, each in its own file:
//
//   process.c      module and process of every goal, members, sums per module and predicate
//   profile.c      multi-level sums over time
//   measured.c     the same where reductions take time
//   critical.c     the critical path
//   visible.c      which variables are visible outside
//   external.c     inputs and outputs of a process, and the graph of its causes
//   dependency.c   who waits for whom
//   words.c        sizes of what is passed on
//   unneeded.c     aliases that come late for no reason
//   findings.c     sentences
//   real.c         a measured run by the clock: figures of modules, who was waited for
//
// The stages up to the critical path are made by iot_analyse(); the others on first demand, under
// `lock`, and then never change, so that what a caller holds stays valid.
#ifndef IOTREE_MODEL_H
#define IOTREE_MODEL_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "iotree/iotree.h"

typedef struct {
    uint32_t module;
    uint32_t predicate; // or IOT_NONE: then
    uint32_t goal;      // this one goal is the entry
} partition_entry;

// Module 0 is main; a module that the text calls `main` is the same one.
struct iot_partition {
    uint32_t nmodules;
    char **names;
    uint32_t nentries;
    partition_entry *entries; // in the order of the text
};

// Sums over time of one quantity: row m is module m, the last row all of them. Level 0 has buckets
// of `width` steps, each further level buckets twice as wide.
typedef struct {
    iot_bucket **levels; // levels[l][row * count(l) + bucket]
} summary;

typedef struct {
    iot_clock clock;
    int64_t end; // the last step
    int64_t width;
    uint32_t nrows, nbase, nlevels;
    summary of[2]; // by iot_quantity
    // Goals of a row created before a base bucket begins and not reduced before it does.
    uint64_t *standing; // [row * nbase + bucket]
    // Of a measured run: not begun before it does; those that have begun and not ended; and the
    // reductions in order of their begins and of their ends (NULL: that of their numbers).
    uint64_t *running; // [row * nbase + bucket]
    uint32_t *begins, *ends;
} profile;

// Inputs and outputs of one process.
typedef struct {
    uint32_t ninputs, noutputs;
    iot_input *inputs;
    iot_output *outputs;
    uint32_t *makers; // by output: rank of the member that made it
    uint32_t maker_capacity;
} process_io;

// See graph.h. links[first[i] .. first[i + 1]): of the member of rank i, its parent first.
typedef struct {
    uint32_t process, n;
    size_t *first;
    uint32_t *links;
} causal_graph;

struct iot {
    const trace *t;
    iot_partition *partition;
    uint32_t n; // reductions, the beginning included
    int64_t span;
    uint64_t work; // reductions; of a measured run what they cost
    uint32_t nsuspended;

    uint32_t *entry_module;        // by predicate, IOT_NONE if it is no entry
    partition_entry *goal_entries; // by goal
    uint32_t ngoal_entries;

    iot_module *modules;
    uint32_t nmodules;

    iot_process *processes;
    uint32_t nprocesses;
    // By reduction, its process (process_of()): the first list, or, once a number did not fit in
    // there, the second.
    uint16_t *few_processes;
    uint32_t *many_processes;

    iot_predicate_row *predicate_rows;
    uint32_t npredicate_rows;

    profile profile;
    profile real; // of a measured run, by its other clock; on demand
    bool have_real;

    uint32_t *critical; // reductions, the last first
    uint32_t ncritical;
    uint64_t critical_cost; // of all of them
    uint8_t *data_bits;     // by step: reached its predecessor through a binding
    uint8_t *creation_bits; // by step: it went into making a process
    uint32_t ncreation;
    iot_critical_row *critical_rows;
    uint32_t ncritical_rows;

    // On demand
    pthread_mutex_t lock; // recursive
    uint32_t *rank;       // by reduction: its place among the members of its process
    uint32_t *members;    // [member_start[p], member_start[p + 1])
    uint32_t *member_start;
    uint8_t *visible;           // by cell: bits; variables seen outside the process that made them
    process_io **io;            // by process
    uint32_t *input_of_binding; // scratch: see external.c
    causal_graph graph;         // of the process asked about last
    iot_dependency *dependencies;
    uint32_t ndependencies;
    bool have_dependencies;
    iot_unneeded *unneeded;
    uint32_t nunneeded;
    bool have_unneeded;
    iot_finding *findings;
    uint32_t nfindings;
    bool have_findings;
    iot_waiting *waits;
    uint32_t nwaits;
    bool have_waits;
    // While iot_prepare() runs: whom stages tell how far they are, and the reductions of processes
    // that are done. Only the stages' callers heed the answer.
    iot_progress progress;
    void *progress_data;
    uint64_t prepared;
};

static inline void tell_progress(const iot *a, double fraction)
{
    if (a->progress)
        a->progress(a->progress_data, fraction);
}

// Never NULL: a process that has no memory left for an index cannot answer at all.
void *iot_alloc(size_t n, size_t size); // zeroed
void *iot_grow(void *p, size_t n, size_t size);
char *iot_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline bool bit_get(const uint8_t *bits, uint32_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

static inline void bit_set(uint8_t *bits, uint32_t i)
{
    bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

// Makes room for one more element of a growing array.
#define ROOM(array, n, capacity)                                                                   \
    do {                                                                                           \
        if ((n) == (capacity)) {                                                                   \
            (capacity) = (capacity) ? 2 * (capacity) : 16;                                         \
            (array) = iot_grow((array), (capacity), sizeof *(array));                              \
        }                                                                                          \
    } while (0)

#define FEW_PROCESSES UINT16_MAX // they have smaller numbers; it stands for IOT_NONE

// IOT_NONE of the beginning.
static inline uint32_t process_of(const iot *a, uint32_t reduction)
{
    if (__builtin_expect(a->many_processes != NULL, 0))
        return a->many_processes[reduction];
    uint32_t process = a->few_processes[reduction];
    return process == FEW_PROCESSES ? IOT_NONE : process;
}

static inline bool is_cell_kind(const trace *t, trace_value v, trace_cell_kind kind)
{
    return v.kind == TV_CELL && trace_cell_get_kind(t, v.id) == kind;
}

static inline bool is_variable(const trace *t, trace_value v)
{
    return is_cell_kind(t, v, TC_VARIABLE);
}

// Whether the partition left the predicate in the module of the trace that it belongs to.
bool iot_keeps_module(const iot *a, uint32_t module, uint32_t predicate);

static inline bool is_measured(const trace *t)
{
    return trace_get_clock(t) == TRACE_MEASURED;
}

static inline int64_t reduction_created(const trace *t, uint32_t reduction)
{
    return trace_time(t, trace_goal_parent(t, trace_reduction_goal(t, reduction)));
}

static inline int64_t binding_time(const trace *t, uint32_t binding)
{
    return trace_time(t, trace_binding_maker(t, binding));
}

// The binding of the variable, latest of those a reduction's commit read, that was not made by the
// beginning; the older maker among equals. IOT_NONE if there is none.
uint32_t latest_commit_read(const trace *t, uint32_t reduction, int64_t *ret_time);

// Stages. progress may be NULL; false: cancelled.
bool build_processes(iot *a, iot_progress progress, void *data);
bool build_profile(iot *a, iot_progress progress, void *data);
// The parts of it that differ where reductions take time (measured.c). The first fills base buckets,
// the second adds steps [from, to) of one base bucket.
void build_measured(const iot *a, profile *p);
void sum_measured(const iot *a, const profile *p, iot_quantity q, uint32_t row, int64_t from,
                  int64_t to, iot_bucket *ret);
void destroy_profile(iot *a);
const profile *ensure_profile(iot *a, iot_clock clock);
void build_critical(iot *a);

void ensure_members(iot *a);
void ensure_visible(iot *a);
// Is this binding, by its maker, an external output of the maker's process? After ensure_visible.
bool is_output(const iot *a, uint32_t binding, uint32_t maker);
const process_io *ensure_io(iot *a, uint32_t process);
void ensure_dependencies(iot *a);
void ensure_unneeded(iot *a);
void ensure_findings(iot *a);

// Sizes of Req for the outputs of a process, written into io->outputs[].needed.
void count_needed(const iot *a, process_io *io); // a->graph is of the process

#endif
