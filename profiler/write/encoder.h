// SPDX-License-Identifier: MIT
//
// The encoder, which the writer's thread runs. It codes records into pending chunks; when a block
// of reductions is full, it compresses and writes the block, after the tables that the block refers
// to. Nothing depends on clock, host or path, so equal calls give equal bytes.
#ifndef PROFILER_ENCODER_H
#define PROFILER_ENCODER_H

#include <stdatomic.h>
#include <zstd.h>

#include "base/output.h"
#include "profiler/format/column.h"
#include "profiler/profile.h"
#include "profiler/regions.h"
#include "profiler/samples.h"
#include "profiler/workers.h"
#include "profiler/totals.h"
#include "profiler/sums/sums.h"

typedef struct {
    column_out columns[COLUMNS];
    bool is_regular[COLUMNS]; // see chunks.c
    uint32_t count;           // records
} pending;

// ---------------------------------------------------------------------------------------------
// Records of the stream, in words of 8 bytes

typedef enum { RAW_STRING, RAW_REDUCTION = TW_REDUCTION } raw_kind;

typedef struct {
    uint64_t kind, size; // words, of the whole record
    const char *text;    // that stays where it is
    uint64_t length;
} raw_string;

// As the caller may write it (trace_writer.h). Followed by: of a real run its times; reads, followed;
// bindings; what they passed on; of a static clause its holes, of a dynamic one for each cell a raw_made and
// its arguments, and the same for each goal; long values, where the payload of a value that is one counts
// from the first of them.
typedef tw_record raw_reduction;
typedef tw_counts raw_counts;

typedef struct {
    uint32_t kind, name; // of a goal: its predicate in `name`
    uint32_t n, nargs;
} raw_made;

// ---------------------------------------------------------------------------------------------

typedef struct limiter limiter; // limit.h

// Most reductions of a clause have all values where they were guessed, and are coded by the same bytes as
// one before. So these are kept, by column; but goal, clause and time are coded each time.
#define KEPT_BYTES    24 // of a column, at most; less than the slack of a column
#define KEPT_READS    4
#define KEPT_HOLES    12
#define KEPT_BINDINGS 4
#define KEPT_VARIANTS 3 // of a clause, by the number of reads: often a variable is bound in some only

typedef struct {
    bool known;
    uint32_t size;
    uint8_t bytes[KEPT_BYTES];
} kept_bytes;

typedef struct {
    uint32_t hole, address;
} kept_hole;

// A binding of one side of a `=` to the other. Sides as in clause_entry.
typedef struct {
    uint32_t item;
    uint64_t variable, value;
} kept_binding;

typedef struct {
    kept_bytes reads, holes, bindings;
    uint32_t nreads, read_addresses[KEPT_READS];
    uint32_t ninherited, nelements, nfound;
    uint32_t narguments, least;      // the goal has at least so many arguments, the structure elements
    uint32_t structure;              // its address
    kept_hole inherited[KEPT_HOLES]; // address: which argument
    kept_hole elements[KEPT_HOLES];  // which element of the structure
    kept_hole found[KEPT_HOLES];     // all others
    uint32_t nfollowed, nbindings;
    uint32_t variable_address; // of all that is followed
    // The only binding is of no `=`: its variable has this address, too, and its value is coded each time.
    bool is_open;
    kept_binding sides[KEPT_BINDINGS];
} kept_codes;

typedef struct {
    uint32_t ncoded; // reductions, up to a few
    kept_codes *variants[KEPT_VARIANTS];
} kept_clause;

typedef struct {
    base_output *out; // NULL before the run's record, and once the file is closed
    base_output_kind kind;
    char *path, *error;
    atomic_bool failed; // there is an error, or none could be kept
    uint64_t bytes;
    limiter *limit;   // of a file that may grow to a certain size only; else NULL
    sums *sums;       // of a file that may get a summary; else NULL
    bool is_standing; // what stands before the block is told
    ARRAY_OF(uint32_t) older; // modules of goals that stood there and were reduced in the block
    ZSTD_CCtx *zstd;
    uint8_t *chunk; // the chunk being assembled
    size_t chunk_capacity;

    pending chunks[CHUNK_KINDS]; // by kind
    uint32_t block_size;         // reductions in the block that is being filled, at most
    bool is_roomy;               // no total reaches its limit within the block
    ARRAY_OF(clause_entry) clauses;
    ARRAY_OF(kept_clause) kept; // by clause
    kept_codes once;            // of clauses that are rare
    arena kept_memory;
    ARRAY_OF(guess) guesses; // of the clauses, where they are not the writer's

    coding k;
    predictor p;
    block b; // the reductions of the block that is being filled
    step_record r;
    bool coded; // a part of it was not coded by kept bytes
    ARRAY_OF(step_cell) cells; // of the reduction
    ARRAY_OF(step_goal) goals;
    bool real;
    ARRAY_OF(int64_t) place_ends; // the last reduction at each place
    uint32_t waiting_goal;       // predicted for the next waiting goal
    uint32_t nstrings, nreductions, ngoals, nbindings;
} encoder;

// False without memory. Then, too, trace_encoder_finish() is due.
bool trace_encoder_init(encoder *e, const char *path, base_output_kind kind);
// Frees everything but e->error. A file that is still open is abandoned.
void trace_encoder_finish(encoder *e);

// Keeps the first.
void trace_encoder_fail(encoder *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Records of the stream; data is the encoder.
void trace_encode_records(void *data, uint64_t *words, size_t n); // changes them

void trace_encode_run(encoder *e, const run_record *r);
void trace_encode_source(encoder *e, const trace_source *r);
void trace_encode_module(encoder *e, const trace_module *r);
void trace_encode_meaning(encoder *e, const meaning_record *r);
void trace_encode_place_name(encoder *e, const place_name_record *r);
void trace_encode_predicate(encoder *e, const trace_predicate *r);
// `c` must be prepared and stay valid, with guesses; `r` is the same clause with all its lists.
void trace_encode_clause(encoder *e, const clause_entry *c, const trace_clause *r);
// Asks for a summary; names: strings, by module.
void trace_encode_summed(encoder *e, const trace_sum_modules *m, const uint32_t *names, uint32_t least);
void trace_encode_profile(encoder *e, const trace_profile *p);
void trace_encode_totals(encoder *e, const trace_totals *t);
void trace_encode_regions(encoder *e, const trace_regions *r);
void trace_encode_dropped(encoder *e, const trace_dropped *dropped, uint32_t n);
void trace_encode_machine(encoder *e, const trace_machine *machine);
void trace_encode_workers(encoder *e, const trace_collector *collector, const trace_worker *workers,
                          uint32_t n);
void trace_encode_samples(encoder *e, const trace_samples *s);
void trace_encode_ready(encoder *e, const trace_ready *ready, uint32_t nworkers);
void trace_encode_waiting(encoder *e, const waiting_record *r);
void trace_encode_end(encoder *e, end_record *r);  // fills the totals; the file is complete
void trace_encode_last(encoder *e, end_record *r); // only that record
void trace_close_file(encoder *e);
void trace_flush_block(encoder *e); // pending tables and reductions

// chunks.c
bool trace_chunks_init(encoder *e);
void trace_chunks_finish(encoder *e);
void trace_flush_chunk(encoder *e, enum chunk_kind kind);
void trace_write_file_header(encoder *e, uint32_t version);

#endif
