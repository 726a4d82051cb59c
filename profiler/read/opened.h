// SPDX-License-Identifier: MIT
//
// An opened trace in memory: columns of numbers, each as narrow as its numbers allow, and the terms
// column of each block, which stays compressed. Once the trace is open only caches change (terms.c,
// access.c); they have locks.
#ifndef PROFILER_OPENED_H
#define PROFILER_OPENED_H

#include <pthread.h>
#include <zstd.h>

#include "base/array.h"
#include "profiler/format/column.h"
#include "profiler/profile.h"
#include "profiler/read/sequence.h"
#include "profiler/regions.h"
#include "profiler/samples.h"
#include "profiler/summary.h"
#include "profiler/workers.h"
#include "profiler/totals.h"

enum { DIGITS_UNKNOWN, DIGITS_YES, DIGITS_NO };

typedef struct {
    const char *text; // NUL-terminated
    size_t length;
    uint8_t digits; // whether it is a decimal integer, once asked
    char *printable; // once asked for, where that is another text; released with the trace
    trace_number means[MEANINGS]; // in a measured run, by table
} string_entry;

// A binding that passed something on, and where that ends in `passed`; it begins where that of the
// entry before ends.
typedef struct {
    uint32_t binding, end;
} passing_entry;

// Of 64 bindings: a bit for each that passed something on, and how many entries there are before.
typedef struct {
    uint64_t bits;
    uint32_t before;
} passing_word;

// A reduction of a built-in that made goals, and the origin of its own goal.
typedef struct {
    uint32_t reduction, origin;
} origin_entry;

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

// Successive samples of a worker, as trace_sampled has them.
typedef struct {
    uint32_t worker;
    uint64_t run;
} sample_entry;

// What of a block a slot holds once its terms are decoded (see term_slot).
typedef struct {
    uint32_t steps, values, wide, longs, dynamics, cells, goals;
} slot_size;

// And what else they need while they are decoded.
typedef struct {
    size_t made_cells, made_goals, values, scratch, raw;
} work_size;

// A block's column of terms, as stored, and what of it fits in a slot.
typedef struct {
    uint32_t first, n; // reductions
    uint8_t *stored;   // NULL once its own slot has it
    uint32_t stored_size, raw_size;
    slot_size size;
    int own;  // the slot that is the block's alone, or -1
    int slot; // that holds it decoded, or -1
} term_block;

typedef struct term_slot term_slot;

// Values of terms, packed, are kept in 4 bytes if they fit. The others are in a list of their own,
// their kind is NARROW_ELSEWHERE and the rest the place there.
static inline bool term_is_narrow(uint64_t packed)
{
    return packed >> 32 == 0 && packed_kind(packed) != TV_NODE;
}

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
    run_record run;
    char *program; // its name without control characters, if it has any
    end_record end;
    uint64_t file_size;
    uint32_t format; // version of the file
    trace_profile *profile; // of `tables`; else there are reductions
    trace_totals *totals;   // of `tables`, or NULL
    trace_regions *regions; // of `tables`, or NULL
    trace_dropped *dropped; // of `tables`, or NULL
    uint32_t ndropped;
    trace_machine machine;
    bool processor_times; // of regions
    trace_collector collector;
    trace_worker *workers; // of `tables`, or NULL
    uint32_t nworkers;
    trace_samples *samples; // of `tables`, or NULL
    trace_ready *ready;     // likewise, by worker
    trace_summary *summary; // of `tables`, or NULL
    trace_sum_stretch *stretch; // of a trace that was opened for one, or NULL
    struct sums *sums;      // if it was made of the reductions: what the summary belongs to
    uint32_t nready;
    uint32_t nplaces; // of a real run
    int64_t elapsed;  // of a real run

#define LIST(type, name)             ARRAY_OF(type) name;
#define CHUNK_LIST(type, name, most) ARRAY_OF(type) name;
#define SEQUENCE(name, append)       sequence name;
#include "profiler/read/lists.def"
    sequence goal_parents, cell_makers, binding_makers; // reductions, once the trace is open

    vector_version version;

    slot_size largest; // of any block
    work_size work_size; // likewise
    // The slots, and all below, belong to the thread that holds the lock, except for what a block's
    // own slot has once it is filled, and `block`.
    pthread_mutex_t lock;
    ZSTD_DCtx *zstd;
    arena scratch; // of a single reduction's or another record's lists
    block work;    // the block being decoded
    uint8_t *raw;
    term_slot *slots;
    int nslots, nshared; // the shared ones come first
    uint64_t uses;
    size_t block; // that was asked for last
    bool has_origins; // `origins` were asked for
};

// ---------------------------------------------------------------------------------------------
// Shared looks at it

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

// Whether a value's strings exist and hold a number where it must be one; the first `n` of them are
// there. Several threads may ask.
bool trace_value_is_sound(const trace *t, const trace_value *v, uint32_t n);

#endif
