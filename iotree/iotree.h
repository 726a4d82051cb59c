// SPDX-License-Identifier: MIT
//
// iotree: the dependency model of a traced run and every analysis on it. It neither draws nor
// prints. The model has reductions (activities), inputs, outputs, modules, processes and two
// clocks, and no language; only findings distinguish Fleng programs from measured ones. After
// Tatemura, Shiraki, Koike, Tanaka: "Performance Debugging for Parallel Logic Programs".
//
// Layers, each computed from the one before and none changed afterwards:
//
//   trace  ->  partition  ->  analysis (modules, processes, profiles, critical path,
//                                       dependencies, unneeded)  ->  tree of one process
//
// Changing the partition makes a new analysis of the same trace. All results are owned by the
// object they are asked from and live as long as it does. Times are the trace's own.
#ifndef IOTREE_H
#define IOTREE_H

#include "profiler/trace_reader.h"

#define IOT_NONE     UINT32_MAX
#define IOT_NO_WORDS UINT64_MAX // of an overview, which does not know them

// ---------------------------------------------------------------------------------------------
// Partition: which goals start a process of which module

typedef struct iot_partition iot_partition;

// "NAME=p/2,q/3 NAME2=r/1 x=#1234" separated by blanks or newlines; `m:p/2` where p/2 is in
// several modules; `%` and `#`-at-line-start comments to end of line. NULL and *ret_error
// (malloc'ed; says which entry and why) if malformed or naming a predicate the trace lacks.
iot_partition *iot_partition_parse(const trace *t, const char *text, char **ret_error);
// The same for one of two traces that are compared: an entry that only the other one has is left
// out. other may be NULL.
iot_partition *iot_partition_parse_among(const trace *t, const trace *other, const char *text,
                                         char **ret_error);
// Several source modules: each with all its predicates. One: each user predicate called in the
// body of main (or in -e), under its own name.
iot_partition *iot_partition_default(const trace *t);
char *iot_partition_text(const trace *t, const iot_partition *p); // malloc'ed; parses back
void iot_partition_destroy(iot_partition *p);

// ---------------------------------------------------------------------------------------------
// Analysis

typedef struct iot iot;

// Returning false cancels. fraction: 0..1.
typedef bool (*iot_progress)(void *data, double fraction);

// The trace must outlive the result; the partition is copied. NULL if cancelled.
iot *iot_analyse(const trace *t, const iot_partition *p, iot_progress progress, void *data);
// The same with the dependencies between modules and the late aliases, which are made beside the rest.
iot *iot_analyse_with_tables(const trace *t, const iot_partition *p, iot_progress progress, void *data);
void iot_destroy(iot *a);

const trace *iot_trace(const iot *a);
// Reductions; of a measured run (trace_cost()) what they cost, in nanoseconds. So is all that is
// called work or critical below, and a step is a nanosecond.
uint64_t iot_work(const iot *a);
int64_t iot_span(const iot *a);
uint32_t iot_suspended(const iot *a); // goals never reduced
// Whether the run did all that its program does: only then its span compares with another's.
bool iot_ran_to_end(const trace *t);

// Modules: 0 is `main`, then the partition's in its order. (main may be empty.)
typedef struct {
    const char *name;
    uint64_t work;       // reductions
    int64_t first, last; // time of its first and last reduction; 0, 0 if none
    uint64_t peak;       // largest P_m(t)
    uint64_t waiting;    // sum over t of W_m(t)
    uint64_t critical;   // its reductions on the critical path
    uint32_t processes;
    uint64_t busy;      // by real time only: nanoseconds that its reductions took together
    double parallelism; // work / (last - first + 1); of a real run by real time: busy / that
} iot_module;

// A measured run has two clocks: the replay with unlimited processors, and real time. A real run of
// Fleng has virtual time, in steps, and real time. Every other run has only the first. Steps of real
// time are nanoseconds.
typedef enum { IOT_VIRTUAL_TIME, IOT_REAL_TIME } iot_clock;
bool iot_has_real_time(const trace *t);
int64_t iot_end(const iot *a, iot_clock clock); // the last step: the span, or how long it took

uint32_t iot_nmodules(const iot *a);
// first, last, peak and waiting by the other clock; waiting: time of its waits, of a real run that of
// goals from when they were created until they began.
iot_module iot_module_by(const iot *a, iot_clock clock, uint32_t module);
const iot_module *iot_get_module(const iot *a, uint32_t module);

// What a place did while it worked, in nanoseconds.
typedef struct {
    uint64_t work, ran, queued, slept; // all; with a processor, ready without one, neither
} iot_processor_row;

// By place of a measured run, and the sums of all behind them. malloc'ed.
iot_processor_row *iot_processor_time(const iot *a);
// From now on the work of a measured run, and of each module, is the time with a processor.
void iot_count_processor_time(iot *a);

// What each worker of a run did, by real time: for each module how many reductions it made and how long
// they took together. Rows are those with reductions, by worker, then by module. A worker that made
// none has one row, of the module IOT_NONE.
typedef struct {
    uint32_t place, module;
    uint64_t reductions, time; // nanoseconds
} iot_worker_row;
uint32_t iot_nworker_rows(const iot *a);
const iot_worker_row *iot_get_worker_row(const iot *a, uint32_t i);

// Why a real run of Fleng took as long as it did, in nanoseconds:
//
//     elapsed = chain + few + retried + start + without
//
// chain: its longest chain of reductions, with what each took: the run on as many workers as it can use;
// few: the workers had more to reduce than the chain is long; retried: attempts to reduce that had to
// wait for a variable; start: the first goal was made; without: workers had no goal. Each is the share of one
// worker. The collector stopped all workers, and locks stopped some, within reductions.
typedef struct {
    uint32_t workers; // threads
    int64_t elapsed, chain, few, retried, start, without;
    uint64_t retries, collections, locks;
    int64_t collecting, longest, locked; // longest: of the collections
    int64_t not_given; // of `without`: another worker had goals ready, and did not give them
    bool complete; // the trace tells of attempts, collector and locks
    bool states;   // and of what each worker did when, and of ready goals
} iot_real_costs;
// Nanoseconds that a worker was busy, looked for a goal, was idle, was stopped while garbage was
// collected, by trace_state. False: the trace does not tell.
bool iot_get_worker_states(const iot *a, uint32_t worker, uint64_t ret[4]);
iot_real_costs iot_get_real_costs(const iot *a); // of a trace with the clock TRACE_REAL

// When a part of the work was done, in nanoseconds: in the longest chains of reductions, on as many
// workers as they can use; on as many workers as there were, without anything between reductions; and as
// it ran. What lies between the first two is that workers were too few, what lies behind them is
// scheduling and overhead. Each is as late as the one before, or later.
typedef struct {
    int64_t chain, few, real;
} iot_work_done;
// ret[i]: when (i + 1) / n of the reductions were done. The last one is that of iot_real_costs.
void iot_get_work_done(const iot *a, uint32_t n, iot_work_done *ret);

// What a real run did more than the ideal machine, or waited for and the ideal machine does not. A price is
// what the run took for it, in nanoseconds of one worker's time; -1: the trace does not tell it.
typedef enum {
    IOT_COST_WORKERS,   // workers were too few
    IOT_COST_NO_GOAL,   // a worker had no goal
    IOT_COST_START,     // there was no goal yet
    IOT_COST_RETRIES,   // attempts to reduce had to wait for a variable
    IOT_COST_COLLECTOR, // all workers were stopped, within the others
    IOT_COST_LOCKS,     // likewise some workers
    IOT_COST_ORDER,     // reductions that raced: the work depended on the order
    IOT_REAL_CAUSES,
} iot_real_cause;
typedef struct {
    iot_real_cause cause;
    int64_t price;
    uint64_t count;   // of goals, attempts, collections ...; 0: not counted
    const char *name; // in JSON
    char *text;       // a sentence without its price; malloc'ed
} iot_real_finding;
// All causes with a price or a count, most expensive first; at most IOT_REAL_CAUSES. Returns their number;
// the caller frees the texts.
uint32_t iot_get_real_findings(const iot *a, iot_real_finding *ret);

// P_m(t) and W_m(t) summarised over equal intervals of time, at any zoom, in time proportional to
// n (multi-level summaries): bucket i covers [from + i*width, from + (i+1)*width).
typedef struct {
    uint64_t sum;  // over the steps of the bucket
    uint64_t peak; // largest single step
} iot_bucket;
typedef enum { IOT_REDUCTIONS, IOT_WAITING } iot_quantity; // measured: what runs, what waits
// module IOT_NONE: all modules together. width >= 1 steps.
void iot_profile(const iot *a, iot_quantity quantity, uint32_t module, int64_t from, int64_t width,
                 uint32_t n, iot_bucket *ret_buckets);

// The same by a clock.
void iot_profile_by(const iot *a, iot_clock clock, iot_quantity quantity, uint32_t module,
                    int64_t from, int64_t width, uint32_t n, iot_bucket *ret_buckets);
// The same of every module, n buckets each, and then those of all together; in one pass if that is less.
void iot_profiles_by(const iot *a, iot_clock clock, iot_quantity quantity, int64_t from, int64_t width,
                     uint32_t n, iot_bucket *ret_buckets);

// The reductions of a run with real time, but for the beginning, in the order in which they began.
uint32_t iot_in_order_of_start(const iot *a, const uint32_t **ret_reductions);

// Computes the parts that take long and would otherwise be computed when they are first asked for:
// inputs and outputs of all processes, dependencies, unneeded aliases, findings. Meanwhile other
// threads may ask for any other part. Only one call at a time. False if cancelled; the missing
// parts are then computed on demand.
bool iot_prepare(const iot *a, iot_progress progress, void *data);

// Of these, dependencies, unneeded aliases and, if asked for (not of measured runs), slack: on several
// processors at once. False if cancelled.
bool iot_prepare_tables(const iot *a, bool slack, iot_progress progress, void *data);

// Questions that take long tell this function how far they are, from now on; NULL: none does. It has
// to return true. Of a question that has a function of its own, that one is told.
void iot_watch(const iot *a, iot_progress progress, void *data);

// Per predicate of each module (built-ins under the module they occur in), most work first.
typedef struct {
    uint32_t module, predicate; // predicate: trace index
    uint64_t reductions, work, waiting, critical;
} iot_predicate_row;
uint32_t iot_npredicate_rows(const iot *a);
const iot_predicate_row *iot_get_predicate_row(const iot *a, uint32_t i);

// ---------------------------------------------------------------------------------------------
// Critical path: oldest goal of the last step first, back to a first goal

typedef struct {
    uint32_t reduction;
    bool data; // reached its predecessor through a binding (else through its parent: control)
} iot_step;
uint32_t iot_critical_length(const iot *a);
uint64_t iot_critical_cost(const iot *a); // of all steps together
iot_step iot_critical_step(const iot *a, uint32_t i); // 0: the last reduction of the run
// Steps that went into creating processes: chains of steps that were reached by their parents
// alone, up to the first goal of a process. A path is creation-bound if they are half of it or
// more.
uint32_t iot_creation_length(const iot *a);
bool iot_is_creation_bound(const iot *a);

typedef struct {
    uint32_t module, predicate;
    uint64_t control, data;
} iot_critical_row;
uint32_t iot_ncritical_rows(const iot *a); // most reductions first
const iot_critical_row *iot_get_critical_row(const iot *a, uint32_t i);

// A cycle of modules on the critical path: it goes from the first module to the second ... and back
// to the first, so many times. Of a measured run there are none.
typedef struct {
    const uint32_t *modules; // each once, at least two
    uint32_t nmodules;
    uint64_t rounds; // at least two
    uint64_t cost;   // of the critical path in these rounds
} iot_cycle;
uint32_t iot_ncycles(const iot *a); // most of the critical path first
const iot_cycle *iot_get_cycle(const iot *a, uint32_t i);
const iot_cycle *iot_cycle_with(const iot *a, uint32_t module); // the first one; NULL: none
char *iot_cycle_text(const iot *a, const iot_cycle *c); // "a, b and c"; malloc'ed

// ---------------------------------------------------------------------------------------------
// Processes, in order of creation of their first goal; only those whose first goal reduced

typedef struct {
    uint32_t module;
    uint32_t goal; // first goal; for main of several -e goals the oldest
    int64_t created;
    int64_t first, last; // time of its first and last member
    uint32_t members;    // reductions
} iot_process;
uint32_t iot_nprocesses(const iot *a);
const iot_process *iot_get_process(const iot *a, uint32_t process);
uint32_t iot_process_of(const iot *a, uint32_t reduction); // IOT_NONE for the beginning
uint32_t iot_module_of_goal(const iot *a, uint32_t goal);  // also of goals never reduced
bool iot_starts_process(const iot *a, uint32_t goal);      // is it a first goal? (main's are not)
// Members in order of time.
uint32_t iot_members(const iot *a, uint32_t process, const uint32_t **ret_reductions);

// External inputs of a process in order of first read, and its external outputs in order made.
typedef struct {
    uint32_t binding;  // trace binding, or IOT_NONE for an argument position
    uint32_t argument; // position from 1 in the process's first goal where binding == IOT_NONE
    uint32_t reader;   // first reduction that reads it
    uint32_t from;     // process that made the binding; IOT_NONE: -e itself, or an argument
    int64_t time;      // reader's time
    int64_t available; // when the binding was made, or the goal created
    int64_t wait, lag; // wait = max(0, available - reader's creation), lag = time - 1 - available
} iot_input;
typedef struct {
    uint32_t binding;
    int64_t time;
    uint32_t needed;     // how many inputs its Req holds; IOT_NONE: too many sets to count
    uint32_t last_input; // the last-arriving of them (index into iot_inputs), or IOT_NONE
} iot_output;
uint32_t iot_inputs(const iot *a, uint32_t process, const iot_input **ret_inputs);
uint32_t iot_outputs(const iot *a, uint32_t process, const iot_output **ret_outputs);

// Whether bindings passed on so much, through so many processes, that not all of it was listed as
// inputs of the processes that were asked about so far.
bool iot_is_cut(const iot *a);

// Data dependencies between modules, from the producing to the reading one.
typedef struct {
    uint32_t from, to;
    uint64_t count, wait; // sums
    int64_t lag;
    // Of a run with real time, by that: waiting from the reader's creation until the maker ended; from
    // then until the reader began. Nanoseconds.
    uint64_t real_wait;
    int64_t real_lag;
    uint64_t words; // size of what was passed: cells reachable by the reader's binding alone; or IOT_NO_WORDS
} iot_dependency;
uint32_t iot_ndependencies(const iot *a);
const iot_dependency *iot_get_dependency(const iot *a, uint32_t i); // largest wait first

// A late alias: the variable and the term that it passes on both existed before (the paper's t1).
// One row per clause and body item, largest saving first.
typedef struct {
    uint32_t clause, item;  // trace indices
    uint32_t count;         // how many bindings
    uint32_t output, input; // strings: names of the bound variable and of what it passes on
    uint64_t delay;         // sum of (made - available)
    int64_t span_without;   // exact: all times recomputed without these delays
} iot_unneeded;
uint32_t iot_nunneeded(const iot *a);
const iot_unneeded *iot_get_unneeded(const iot *a, uint32_t i);

// ---------------------------------------------------------------------------------------------
// IO-Tree of one process

typedef struct {
    uint32_t parent;                 // node index, or IOT_NONE below the root
    uint32_t first_input, ninputs;   // iot_tree_inputs[...]
    uint32_t first_output, noutputs; // iot_tree_outputs[...]
    uint32_t reduction;              // that began it: its clause and line
    uint32_t depth;                  // 0 below the root
    uint32_t last_input;             // last-arriving of all it needs (path included): input index
    int64_t input_from, input_to;    // times of its first and last input; both 0 if none
    int64_t output_from, output_to;
    bool join;
} iot_node;

typedef struct iot_tree iot_tree;

// Nodes depth first, children by time of first output then by the older reduction. Exact for
// the outputs made in [from, to]; nodes above them are included. limit: inputs it may list;
// *ret_complete false (and the tree holds the earlier outputs) when that was not enough.
iot_tree *iot_tree_build(const iot *a, uint32_t process, int64_t from, int64_t to, uint64_t limit,
                         bool *ret_complete);
void iot_tree_destroy(iot_tree *tree);
uint32_t iot_tree_nnodes(const iot_tree *tree);
const iot_node *iot_tree_node(const iot_tree *tree, uint32_t node);
const uint32_t *iot_tree_inputs(const iot_tree *tree);  // indices into iot_inputs, in order shown
const uint32_t *iot_tree_outputs(const iot_tree *tree); // indices into iot_outputs
uint32_t iot_tree_unused(const iot_tree *tree, const uint32_t **ret_inputs); // no output needs

// ---------------------------------------------------------------------------------------------
// Names and terms as text

typedef struct iot_names iot_names; // variable cell -> name shown, unique in one output

// Numbering: in order of age over the variables registered; finish before asking.
iot_names *iot_names_create(const trace *t);
// Registers the variables that iot_term() would show for this value.
void iot_names_add(iot_names *n, trace_value v, int64_t at, uint32_t max_cells);
void iot_names_add_variable(iot_names *n, uint32_t variable);
void iot_names_finish(iot_names *n);
void iot_names_destroy(iot_names *n);
const char *iot_name(const iot_names *n, uint32_t variable);

// Term with what its variables were bound to by `at` (bindings made at or before it), quoted as
// the language reads it. max_cells: abbreviates with `...` beyond that many cells (UINT32_MAX:
// whole). names may be NULL: plain source names. malloc'ed. Never recursive.
// Of a term that contains itself not all can be shown, whatever max_cells says.
char *iot_term(const trace *t, const iot_names *names, trace_value v, int64_t at,
               uint32_t max_cells);
char *iot_goal_text(const trace *t, const iot_names *names, uint32_t goal, int64_t at,
                    uint32_t max_cells);

// "append/3", with its module in front where several modules have one; "append/3:1" for its first
// clause (a built-in's has no number). malloc'ed.
char *iot_predicate_text(const trace *t, uint32_t predicate);
char *iot_clause_text(const trace *t, uint32_t clause);
// What a module of the trace is called in any version of its program: of a measured run without its line,
// and with its number, from 1, among modules of that name in the order of their lines.
typedef struct {
    char *name;
    uint32_t ordinal;
} iot_lasting;
iot_lasting *iot_lasting_names(const trace *t); // by module of the trace
void iot_lasting_free(const trace *t, iot_lasting *names); // names may be NULL
// The clause that a reduction is shown under: its own; of a merge, which only passes on what streams
// bring, the clause that called it (unless `-e` did).
uint32_t iot_reduction_clause(const trace *t, uint32_t reduction);
// The place in the source that a reduction comes from: the line of its clause; for a built-in, the
// line of its goal in the clause that made it. *ret_source (may be NULL): trace index, TRACE_NONE
// with line 0 if unknown.
uint32_t iot_reduction_line(const trace *t, uint32_t reduction, uint32_t *ret_source);

// ---------------------------------------------------------------------------------------------
// Waits of a measured run: where, and for which activity of the last one to arrive

typedef struct {
    uint32_t module, predicate; // of the wait
    uint32_t cause; // module in which the last one to arrive was meanwhile; IOT_NONE: none
    uint32_t cause_predicate; // its predicate, if that is more precise than the module; or IOT_NONE
    uint64_t count, time;     // waits, nanoseconds of real time
} iot_waiting;
uint32_t iot_wait_cause(const iot *a, uint32_t reduction); // of one wait: a module, or IOT_NONE
// The reduction's predicate if it is computation before a call, which its name tells and the name
// of its module does not; else IOT_NONE.
uint32_t iot_telling_predicate(const iot *a, uint32_t reduction);
uint32_t iot_nwaiting(const iot *a); // 0 unless it was measured
const iot_waiting *iot_get_waiting(const iot *a, uint32_t i); // most time first
uint64_t iot_place_time(const iot *a); // of all activities: running and waiting
// Dropped events, which the trace lacks. *ret_text (malloc'ed; NULL: not wanted) names the
// locations, and the limit that would have been enough. 0: none.
uint64_t iot_lost_events(const trace *t, char **ret_text);

#endif
