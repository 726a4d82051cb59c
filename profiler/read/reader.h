// SPDX-License-Identifier: MIT
//
// The trace in memory, and what the parts of the reader share.
//
//   input.c     the file: header, chunks, checksums
//   reader.c    opening, closing, verifying
//   tables.c    table chunks, checked
//   steps.c     a chunk of reductions by itself, decoded and checked as far as that goes; by several
//               threads at once
//   pool.c      these threads
//   history.c   reductions, checked against all before and appended; places; waiting goals
//   figures.c   a profile
//   totals.c    totals
//   regions.c   parallel regions, events that were not kept
//   terms.c     the terms column of blocks, decoded again when asked for
//   meanings.c  what strings mean in a measured run
//   version3.c  what files of version 3 lack, found out from names
//   access.c    the public questions
#ifndef PROFILER_READER_H
#define PROFILER_READER_H

#include <pthread.h>

#include "profiler/format/column.h"
#include "profiler/profile.h"
#include "profiler/read/input.h"
#include "profiler/read/sequence.h"
#include "profiler/regions.h"
#include "profiler/totals.h"

// ---------------------------------------------------------------------------------------------
// The trace

enum { DIGITS_UNKNOWN, DIGITS_YES, DIGITS_NO };

typedef struct {
    const char *text; // NUL-terminated
    size_t length;
    uint8_t digits; // whether it is a decimal integer, once asked
    trace_number means[MEANINGS]; // in a measured run, by table
} string_entry;

// A vector that was made; ascending by cell.
typedef struct {
    uint32_t cell, n;
} vector_entry;

// A version of a vector that was updated: what differs from `base` (see access.c).
typedef struct {
    uint32_t index;
    trace_value value;
} vector_change;

typedef struct {
    bool set;
    trace_value value;
} vector_element;

typedef struct {
    pthread_mutex_t lock; // of all below
    uint32_t cell;        // TRACE_NONE: none is remembered
    uint32_t base;
    ARRAY_OF(vector_element) changed; // by index
    ARRAY_OF(vector_change) changes;  // on the way back
} vector_version;

typedef struct {
    uint32_t goal, n;
    size_t first; // in waiting_variables
} waiting_entry;

// A block's column of terms, as stored, and what of it fits in a slot.
typedef struct {
    uint32_t first, n; // reductions
    uint8_t *stored;
    uint32_t stored_size, raw_size;
    int slot; // that holds it decoded, or -1
} term_block;

// What a block needs once its terms are decoded (see term_slot), and while they are.
typedef struct {
    size_t steps, values, longs, dynamics, cells, goals, raw; // decoded
    size_t made_cells, elements, made_goals, arguments, scratch; // while it is decoded
} slot_size;

typedef struct term_slot term_slot;

// Goals: the reduction, or GOAL_OPEN | predicate while it is not reduced.
#define GOAL_OPEN (REDUCTION_LIMIT + 1)

// Cells: the binding of a variable, or one of these.
#define CELL_UNBOUND TRACE_NONE
#define CELL_STRUCT  (TRACE_NONE - 1)
#define CELL_VECTOR  (TRACE_NONE - 2)
#define CELL_CONS    (TRACE_NONE - 3)
#define CELL_MARKS   CELL_CONS // the least of them: bindings are below

struct trace {
    arena tables; // texts and everything of clauses
    ARRAY_OF(string_entry) strings;
    ARRAY_OF(trace_source) sources;
    ARRAY_OF(trace_module) modules;
    ARRAY_OF(uint32_t) place_names;
    ARRAY_OF(trace_predicate) predicates;
    ARRAY_OF(clause_entry) clauses;
    run_record run;
    end_record end;
    uint64_t file_size;
    uint32_t format; // version of the file
    trace_profile *profile; // of `tables`; else there are reductions
    trace_totals *totals;   // of `tables`, or NULL
    trace_regions *regions; // of `tables`, or NULL
    trace_dropped *dropped; // of `tables`, or NULL
    uint32_t ndropped;

    // By reduction; the sequences have one number more, the total.
    ARRAY_OF(uint32_t) goals_reduced; // its goal
    // Its clause: the narrow list; the other one as soon as there is one, since some did not fit.
    ARRAY_OF(uint16_t) clauses_used;
    ARRAY_OF(uint32_t) wide_clauses;
    sequence times, first_read, first_followed, first_binding, first_cell, first_goal;
    // By reduction, of a real run; there may be more of them while the trace is opened.
    ARRAY_OF(uint16_t) places;
    ARRAY_OF(int64_t) starts;
    ARRAY_OF(int64_t) ends;
    uint32_t nplaces;
    int64_t elapsed;
    ARRAY_OF(uint32_t) reads;
    ARRAY_OF(uint32_t) followed;
    ARRAY_OF(uint32_t) goals;             // see GOAL_OPEN
    ARRAY_OF(uint32_t) cells;             // see CELL_UNBOUND
    ARRAY_OF(uint32_t) binding_variables; // by binding
    ARRAY_OF(uint32_t) binding_values;    // by binding, see binding_packed()
    ARRAY_OF(uint64_t) binding_wide;
    ARRAY_OF(uint64_t) binding_longs;
    ARRAY_OF(vector_entry) vectors;
    ARRAY_OF(waiting_entry) waiting; // ascending by goal
    ARRAY_OF(uint32_t) waiting_variables;

    vector_version version;

    ARRAY_OF(term_block) blocks;
    slot_size largest; // of any block
    // The slots, and all below, belong to who holds the lock.
    pthread_mutex_t lock;
    ZSTD_DCtx *zstd;
    arena scratch; // of a single reduction's or another record's lists
    block work;    // the block being decoded
    uint8_t *raw;
    term_slot *slots;
    int nslots;
    uint64_t uses;
};

// ---------------------------------------------------------------------------------------------
// Loading

// How long the tables were when a chunk was reached: what it may refer to.
typedef struct {
    uint32_t strings, sources, modules, place_names, predicates, clauses, totals;
} table_sizes;

// A chunk of reductions, decoded for itself.
typedef struct {
    const trace *t; // its tables
    table_sizes tables;
    unpacked columns;
    ZSTD_DCtx *zstd;
    arena scratch; // of a single reduction's lists
    block work;
    coding k;
    predictor p;

    before_record before;
    uint32_t n;         // reductions that are sound by themselves;
    const char *reason; // what is wrong with the next, or NULL
    bool broken;        // the chunk itself could not be read
    uint8_t *stored_terms;
    uint32_t stored_size;
    slot_size size;
    // By reduction; of lists the ends.
    ARRAY_OF(uint32_t) goals;
    ARRAY_OF(uint32_t) clauses;
    ARRAY_OF(int64_t) times;
    ARRAY_OF(uint32_t) read_ends, followed_ends, binding_ends, cell_ends, goal_ends;
    ARRAY_OF(uint32_t) vector_ends, update_ends;
    ARRAY_OF(uint32_t) reads, followed;
    ARRAY_OF(step_binding) bindings; // long values in work.longs
    ARRAY_OF(uint32_t) cells;        // marks, see CELL_UNBOUND
    ARRAY_OF(uint32_t) predicates;   // of the goals that are made
    ARRAY_OF(vector_entry) vectors;
    ARRAY_OF(vector_entry) updates; // lengths and older vectors of updates
} steps;

bool trace_steps_init(steps *s,
                      const trace *t); // false without memory; trace_steps_finish() is due even so
void trace_steps_finish(steps *s);
// Decodes the chunk, whose columns must not be unpacked yet. Whatever is wrong is in s->reason.
void trace_steps_decode(steps *s, const chunk *c, table_sizes tables);
// Nothing of a chunk could be read.
void trace_steps_refuse(steps *s, const char *reason);

// What is needed only while a file is read.
typedef struct {
    trace *t;
    coding k;
    uint32_t waiting_goal; // predicted for the next waiting record
    bool begun, ended;     // RUN and END were read
    bool lost_terms;       // of reductions that are loaded: no memory to keep them
    uint32_t record;       // being read
    const char *reason;    // what is wrong with it
    column_in columns[COLUMNS];
    ARRAY_OF(uint32_t) skips;     // see history.c
    ARRAY_OF(int64_t) place_ends; // the last reduction at each place
} loader;

// Each takes `count` records from the columns, checks them and appends them; false with a reason
// after those before the wrong one.
bool trace_load_strings(loader *l, uint32_t count);
bool trace_load_sources(loader *l, uint32_t count);
bool trace_load_meanings(loader *l, uint32_t count);
bool trace_load_modules(loader *l, uint32_t count);
bool trace_load_place_names(loader *l, uint32_t count);
bool trace_load_predicates(loader *l, uint32_t count);
bool trace_load_clauses(loader *l, uint32_t count);
bool trace_load_steps(loader *l, steps *s); // takes the stored terms
bool trace_load_profile(loader *l, uint32_t count);
bool trace_load_totals(loader *l, uint32_t count);
bool trace_load_data_files(loader *l, uint32_t count);
bool trace_load_regions(loader *l, uint32_t count);
bool trace_load_dropped(loader *l, uint32_t count);
bool trace_load_places(loader *l, uint32_t count);
bool trace_load_waiting(loader *l, uint32_t count);
bool trace_finish_waiting(loader *l); // after the last
void trace_finish_places(trace *t);

// Whether a value's strings exist and hold a number where it must be one; the first `n` of them are
// there. Several threads may ask.
bool trace_value_is_sound(const trace *t, const trace_value *v, uint32_t n);

bool trace_refuse(loader *l, const char *reason); // false
bool trace_column_sound(loader *l, const column_in *in);

// ---------------------------------------------------------------------------------------------
// Terms (the reduction must be one of a block)

bool trace_terms_prepare(trace *t); // once everything is loaded
void trace_terms_finish(trace *t);

trace_value trace_terms_hole(const trace *t, uint32_t reduction, uint32_t hole);
// Cells and goals of a dynamic reduction, counted from its first.
trace_cell trace_terms_cell(const trace *t, uint32_t reduction, uint32_t cell); // args is NULL
trace_value trace_terms_cell_arg(const trace *t, uint32_t reduction, uint32_t cell,
                                 uint32_t argument);
trace_value trace_terms_goal_arg(const trace *t, uint32_t reduction, uint32_t goal,
                                 uint32_t argument);
void trace_terms_goal_args(const trace *t, uint32_t reduction, uint32_t goal, uint32_t n,
                           trace_value *ret); // the first n
bool trace_terms_pair(const trace *t, uint32_t reduction, uint32_t cell, uint32_t *ret_name,
                      trace_value *ret_arg); // see trace_cell_pair()

// ---------------------------------------------------------------------------------------------
// Shared looks at what is loaded

static inline uint32_t clause_number(const trace *t, uint32_t reduction)
{
    return t->wide_clauses.at ? t->wide_clauses.at[reduction] : t->clauses_used.at[reduction];
}

static inline const clause_entry *clause_of(const trace *t, uint32_t reduction)
{
    return &t->clauses.at[clause_number(t, reduction)];
}

// Bindings' values, packed, are kept in 4 bytes where that is enough: 3 bits kind, 5 bits item, and
// the payload, of a cell its distance to the variable (zigzag). The others are in a list of their
// own, their kind is NARROW_ELSEWHERE and the rest the place there.
#define NARROW_ELSEWHERE ((uint32_t)TV_NODE) // no binding has such a value
#define NARROW_ITEM      5
#define NARROW_PAYLOAD   24

// False if it has to go elsewhere.
static inline bool binding_narrow(uint64_t packed, uint32_t variable, uint32_t *ret)
{
    uint64_t payload = packed_payload(packed), item = packed >> PACKED_ITEM;
    if (packed_kind(packed) == TV_CELL)
        payload = zigzag((int64_t)payload - (int64_t)variable);
    *ret = (uint32_t)(packed_kind(packed) | item << 3 | payload << (3 + NARROW_ITEM));
    return payload >> NARROW_PAYLOAD == 0 && item >> NARROW_ITEM == 0;
}

static inline uint64_t binding_packed(const trace *t, uint32_t binding)
{
    uint32_t narrow = t->binding_values.at[binding], kind = narrow & 7;
    if (kind == NARROW_ELSEWHERE)
        return t->binding_wide.at[narrow >> 3];
    uint64_t payload = narrow >> (3 + NARROW_ITEM);
    uint64_t item = narrow >> 3 & ((1u << NARROW_ITEM) - 1);
    if (kind == TV_CELL)
        payload = (uint64_t)(unzigzag(payload) + (int64_t)t->binding_variables.at[binding]);
    return kind | payload << 3 | item << PACKED_ITEM;
}

uint32_t trace_vector_length(const trace *t, uint32_t cell); // of a CELL_VECTOR

#endif
