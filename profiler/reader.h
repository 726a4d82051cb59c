// SPDX-License-Identifier: MIT
//
// The trace in memory, and what the parts of the reader share.
//
//   reader.c    the file: header, chunks, checksums, opening and closing
//   tables.c    table chunks, checked
//   history.c   reductions, checked one by one and appended; places; waiting goals
//   figures.c   a profile
//   terms.c     the terms column of blocks, decoded again when asked for
//   access.c    the public questions
#ifndef PROFILER_READER_H
#define PROFILER_READER_H

#include <pthread.h>
#include <zstd.h>

#include "profiler/column.h"
#include "profiler/sequence.h"

// ---------------------------------------------------------------------------------------------
// The trace

typedef enum { DIGITS_UNKNOWN, DIGITS_YES, DIGITS_NO } digits_state;

typedef struct {
    const char *text; // NUL-terminated
    size_t length;
    digits_state digits; // whether it is a decimal integer, once asked
} string_entry;

// A vector made by a dynamic reduction; ascending by cell.
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
    LIST_OF(vector_element) changed; // by index
    LIST_OF(vector_change) changes;  // on the way back
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

typedef struct {
    size_t steps, values, longs, dynamics, cells, goals, raw;
} slot_size;

typedef struct term_slot term_slot;

// Goals: the reduction, or GOAL_OPEN | predicate while it is not reduced.
#define GOAL_OPEN (REDUCTION_LIMIT + 1)

// Cells: the binding of a variable, or one of these.
#define CELL_UNBOUND TRACE_NONE
#define CELL_STRUCT  (TRACE_NONE - 1) // a cons or structure
#define CELL_VECTOR  (TRACE_NONE - 2)

struct trace {
    arena tables; // texts and everything of clauses
    LIST_OF(string_entry) strings;
    LIST_OF(trace_source) sources;
    LIST_OF(uint32_t) modules;
    LIST_OF(uint32_t) place_names;
    LIST_OF(trace_predicate) predicates;
    LIST_OF(clause_entry) clauses;
    run_record run;
    end_record end;
    uint64_t file_size;
    trace_profile *profile; // of `tables`; else there are reductions

    // By reduction; the sequences have one number more, the total.
    LIST_OF(uint32_t) goals_reduced; // its goal
    LIST_OF(uint32_t) clauses_used;
    sequence times, first_read, first_followed, first_binding, first_cell, first_goal;
    // By reduction, of a real run; there may be more of them while the trace is opened.
    LIST_OF(uint16_t) places;
    LIST_OF(int64_t) starts;
    LIST_OF(int64_t) ends;
    uint32_t nplaces;
    int64_t elapsed;
    LIST_OF(uint32_t) reads;
    LIST_OF(uint32_t) followed;
    LIST_OF(uint32_t) goals;             // see GOAL_OPEN
    LIST_OF(uint32_t) cells;             // see CELL_UNBOUND
    LIST_OF(uint32_t) binding_variables; // by binding
    LIST_OF(uint64_t) binding_values;    // by binding, packed
    LIST_OF(uint64_t) binding_longs;
    LIST_OF(vector_entry) vectors;
    LIST_OF(waiting_entry) waiting; // ascending by goal
    LIST_OF(uint32_t) waiting_variables;

    vector_version version;

    LIST_OF(term_block) blocks;
    slot_size largest; // of any block
    // The slots, and all below, belong to who holds the lock.
    pthread_mutex_t lock;
    ZSTD_DCtx *zstd;
    arena scratch; // of a single reduction's lists
    block work;    // the block being decoded
    uint8_t *raw;
    term_slot *slots;
    int nslots;
    uint64_t uses;
};

// ---------------------------------------------------------------------------------------------
// Loading

// What is needed only while a file is read.
typedef struct {
    trace *t;
    coding k;
    predictor p;
    uint32_t waiting_goal; // predicted for the next waiting record
    bool begun, ended;     // RUN and END were read
    bool lost_terms;       // of reductions that are loaded: no memory to keep them
    uint32_t record;       // being read
    const char *reason;    // what is wrong with it
    column_in columns[COLUMNS];
    const uint8_t *stored_terms; // the terms column as it is in the file
    uint32_t stored_terms_size, raw_terms_size;
    LIST_OF(uint32_t) skips; // see history.c
    LIST_OF(int64_t) place_ends; // the last reduction at each place
} loader;

// Each takes `count` records from the columns, checks them and appends them; false with a reason
// after those before the wrong one.
bool load_strings(loader *l, uint32_t count);
bool load_sources(loader *l, uint32_t count);
bool load_modules(loader *l, uint32_t count);
bool load_place_names(loader *l, uint32_t count);
bool load_predicates(loader *l, uint32_t count);
bool load_clauses(loader *l, uint32_t count);
bool load_reductions(loader *l, uint32_t count);
bool load_profile(loader *l, uint32_t count);
bool load_places(loader *l, uint32_t count);
bool load_waiting(loader *l, uint32_t count);
bool finish_waiting(loader *l); // after the last
void finish_places(trace *t);

// Whether a value's strings exist (and hold a number where it must be one).
bool value_is_sound(trace *t, const trace_value *v);

bool wrong(loader *l, const char *reason); // false
bool column_sound(loader *l, const column_in *in);

// The bytes of a column; false if they are not what a column is stored as. `ret` has room for
// raw_size.
bool unpack_column(ZSTD_DCtx *zstd, const uint8_t *stored, uint32_t stored_size, uint8_t *ret,
                   uint32_t raw_size);

// ---------------------------------------------------------------------------------------------
// Terms (the reduction must be one of a block)

bool terms_prepare(trace *t); // once everything is loaded
void terms_finish(trace *t);

trace_value terms_hole(const trace *t, uint32_t reduction, uint32_t hole);
// Cells and goals of a dynamic reduction, counted from its first.
trace_cell terms_cell(const trace *t, uint32_t reduction, uint32_t cell); // args is NULL
trace_value terms_cell_arg(const trace *t, uint32_t reduction, uint32_t cell, uint32_t argument);
trace_value terms_goal_arg(const trace *t, uint32_t reduction, uint32_t goal, uint32_t argument);

// ---------------------------------------------------------------------------------------------
// Shared looks at what is loaded

static inline const clause_entry *clause_of(const trace *t, uint32_t reduction)
{
    return &t->clauses.items[t->clauses_used.items[reduction]];
}

// The bindings made so far.
static inline bindings_view bindings_of(const trace *t)
{
    return (bindings_view){.cells = t->cells.items,
                           .n = (uint32_t)t->cells.n,
                           .values = t->binding_values.items,
                           .longs = t->binding_longs.items,
                           .nvalues = t->binding_values.n};
}

uint32_t vector_length(const trace *t, uint32_t cell); // of a CELL_VECTOR

#endif
