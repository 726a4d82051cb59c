// SPDX-License-Identifier: MIT
//
// The analysis of a trace, `struct iot`, and the stages that need no more than processes and edges.
//
// iot_analyse() makes the parts that are marked so. The others are made when they are first asked
// for, under `lock` or the one in `locks`. No part changes after it is made, so what a caller holds
// stays valid.
#ifndef IOTREE_MODEL_H
#define IOTREE_MODEL_H

#include <pthread.h>

#include "iotree/simulate.h"
#include "iotree/terms/values.h"

typedef struct {
    uint32_t module;
    uint32_t predicate; // IOT_NONE: the entry is the goal
    uint32_t goal;
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
    // Goals of a row that were created before a base bucket begins and are reduced later.
    uint64_t *standing; // [row * nbase + bucket]
    // Of a measured run: `standing` counts reductions that have not begun, `running` those that
    // have begun and not ended. Then the reductions in order of their begins and of their ends
    // (NULL: the order of their numbers).
    uint64_t *running; // [row * nbase + bucket]
    uint32_t *begins, *ends;
    uint32_t *makes; // likewise, of a real run by real time: goals in order of their creation
} profile;

// What the run takes under each of n changes (prices/waits.h). False if cancelled.
struct wait_graph;
struct wait_change;
typedef bool iot_pricer(const iot *a, const struct wait_graph *g, const struct wait_change *changes,
                        uint32_t n, double *ret_spans, iot_progress progress, void *data);

struct iot {
    // iot_analyse()
    const trace *t;
    iot_partition *partition;
    bool overview; // made of a summary: of no reductions (overview.h)
    uint32_t n; // reductions, the beginning included
    int64_t span;
    pthread_mutex_t lock; // recursive
    // Recursive, too: of parts that are made beside each other. Who makes the causes or the slack takes
    // the other ones, nobody takes these two then.
    struct {
        pthread_mutex_t causes, slack, graph, visible, dependencies, unneeded, classes;
    } locks;

    // iot_analyse(), by graph/processes.c
    uint64_t work; // reductions; of a measured run what they cost
    uint32_t nsuspended;
    iot_module *modules;
    uint32_t nmodules;
    iot_process *processes;
    uint32_t nprocesses;
    struct {
        uint32_t *module_of;    // by predicate, IOT_NONE if it is no entry
        partition_entry *goals; // by goal
        uint32_t ngoals;
    } entries;
    struct { // process_of() reads it: the first list, or the second once a number is too large
        uint16_t *few;
        uint32_t *many;
    } process_by_reduction;
    struct {
        iot_predicate_row *rows;
        uint32_t n;
    } predicates;

    // time/profile.c: the first by iot_analyse(), the second when it is asked for
    struct {
        profile virtual_time;
        profile real_time; // of a measured or real run
        bool have_real_time;
    } profiles;

    // iot_analyse(), by graph/critical_path.c
    struct {
        uint32_t *steps; // reductions, the last first
        uint32_t n;
        uint64_t cost;          // of all steps
        uint8_t *data_bits;     // by step: reached its predecessor through a binding
        uint8_t *creation_bits; // by step: it went into making a process
        uint32_t ncreation;
        iot_critical_row *rows;
        uint32_t nrows;
    } path;
    struct { // iot_analyse(), by graph/cycles.c
        iot_cycle *rows;
        uint32_t n;
    } cycles;

    // All others on demand.
    struct { // graph/processes.c
        uint32_t *rank;  // by reduction: its place among the members of its process
        uint32_t *all;   // of process p: [start[p], start[p + 1])
        uint32_t *start;
    } members;
    uint8_t *visible; // graph/visibility.c; bits by cell
    struct {          // graph/dependencies.c
        iot_dependency *rows;
        uint32_t n;
        bool known;
    } dependencies;
    struct { // graph/passed.c
        uint8_t *heavy; // bits by binding, or NULL: see passed.h
        bool any;       // some binding passed something on
        bool cut;       // and it was too much to list: see iot_is_cut()
        bool known;
    } passed;
    struct { // tree/inputs.c
        struct process_io **of_process;
        uint64_t ninputs;           // of all processes so far
        uint32_t *input_of_binding; // scratch
        uint32_t *met_at, now;      // likewise, see tree/causes.c
        uint32_t *bundle_of_binding;
        struct process_causes *causes; // of the process that was asked about last, or NULL
        struct argument_moves *moves;  // by clause, arguments.c
    } io;
    struct replay *replay;      // prices/replay.c; of a measured run, NULL until somebody asks
    struct wait_graph *graph;   // prices/waits.c; NULL until somebody asks
    struct class_list *classes; // prices/class_list.c; NULL until somebody asks
    struct { // time/workers.c
        iot_worker_row *rows;
        uint32_t n;
        bool known;
    } workers;
    struct {                  // time/wall_clock.c
        iot_waiting *rows;
        uint32_t n;
        bool known;
    } waits;
    struct { // findings/late_aliases.c
        iot_unneeded *rows;
        uint32_t n;
        bool known;
    } unneeded;
    struct iot_causes *causes; // findings/findings.c

    struct { // processors/answers.c: what findings are priced on
        uint32_t number;    // 0: unlimited ones
        int64_t simulated;  // what the run takes there
        iot_pricer *price;  // NULL: unlimited ones
    } processors;
    struct { // processors/slack.c
        int64_t *of_binding; // NULL: not known yet
        iot_hasten *rows;
        uint32_t n;
    } slack;

    // While iot_prepare() runs, or by iot_watch(): the function that stages tell their progress, and the
    // reductions of the processes that are done. Stages ignore its answer; iot_prepare() obeys it.
    struct {
        iot_progress progress;
        void *data;
        uint64_t done;
        pthread_t thread; // that is to be told
    } preparing;
};

// What a Fleng run takes: the span, or its time on the processors that were chosen.
static inline int64_t run_time(const iot *a)
{
    return a->processors.price ? a->processors.simulated : a->span;
}

static inline void tell_progress(const iot *a, double fraction)
{
    if (a->preparing.progress && pthread_equal(a->preparing.thread, pthread_self()))
        a->preparing.progress(a->preparing.data, fraction);
}

#define FEW_PROCESSES UINT16_MAX // `few` has smaller numbers; this one stands for IOT_NONE

// IOT_NONE of the beginning.
static inline uint32_t process_of(const iot *a, uint32_t reduction)
{
    if (__builtin_expect(a->process_by_reduction.many != NULL, 0))
        return a->process_by_reduction.many[reduction];
    uint32_t process = a->process_by_reduction.few[reduction];
    return process == FEW_PROCESSES ? IOT_NONE : process;
}

// Whether the partition left the predicate in the module of the trace that it belongs to.
bool iot_keeps_module(const iot *a, uint32_t module, uint32_t predicate);

// The binding of the variable, latest of those a reduction's commit read, that was not made by the
// beginning; the older maker among equals. IOT_NONE if there is none.
uint32_t iot_latest_commit_read(const trace *t, uint32_t reduction, int64_t *ret_time);

// An analysis of the trace with nothing in it but locks (analysis.c).
iot *iot_new(const trace *t);
// In the order in which they are shown.
void iot_sort_predicate_rows(iot_predicate_row *rows, uint32_t n);
void iot_sort_critical_rows(iot_critical_row *rows, uint32_t n);
void iot_sort_dependencies(iot_dependency *rows, uint32_t n);
void iot_sort_cycles(iot_cycle *cycles, uint32_t n);
enum { IOT_FEWEST_ROUNDS = 2 }; // of a cycle

// progress may be NULL; false: cancelled.
bool iot_build_processes(iot *a, iot_progress progress, void *data);
void iot_build_critical_path(iot *a);
void iot_build_cycles(iot *a);
void iot_destroy_cycles(iot *a);

void iot_ensure_members(iot *a);
void iot_ensure_visibility(iot *a);
// Is this binding, by its maker, an external output of the maker's process? After
// iot_ensure_visibility().
bool iot_is_output(const iot *a, uint32_t binding, uint32_t maker);
void iot_ensure_dependencies(iot *a);

#endif
