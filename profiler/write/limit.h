// SPDX-License-Identifier: MIT
//
// A file that may only grow to a certain size.
//
// As long as blocks fit, the file is the same as without a limit; the bytes of a block are held
// back until it is known to fit. The limiter keeps the records of the block being filled, and of
// the last written block in which a step ended. When a block does not fit, the file is cut back to
// the last end of a step that leaves room for the end: another encoder, the *tail*, codes a part of
// one of the two blocks again. From then on the encoder only counts, so at the end the size of the
// whole trace is known.
//
// The bytes depend on the records and their order only, not on the moment when they are encoded.
#ifndef PROFILER_LIMIT_H
#define PROFILER_LIMIT_H

#include "profiler/write/encoder.h"

// Bytes that the end of a trace takes at most.
#define END_BYTES   512u
#define END_MESSAGE 200u // of the message, in a trace that was cut

// The tables of a block that are no part of its records.
typedef struct {
    ARRAY_OF(uint8_t) bytes;
    uint32_t count;
} kept_table;

// A block: what the encoder knew when it began, and all that came.
typedef struct {
    uint64_t offset; // in the file
    coding k;
    uint32_t nstrings, nreductions, ngoals, nbindings;
    ARRAY_OF(int64_t) place_ends;
    ARRAY_OF(uint64_t) words; // records
    kept_table tables[CHUNK_KINDS];
    uint32_t table_strings; // that the tables may name
    int64_t time;           // of the reduction before
    ARRAY_OF(size_t) ends;  // of steps: records up to there, in words
} kept_block;

struct limiter {
    uint64_t limit;
    bool passing; // of a tail: all goes to `held`
    ARRAY_OF(uint8_t) held;
    kept_block now, last;
    bool has_last;
    encoder *tail; // the trace is cut; it has the file
};

// False without memory. The encoder has written the header and the run.
bool trace_limit_create(encoder *e, uint64_t limit);
void trace_limit_destroy(limiter *l);

// Bytes for the file.
void trace_limit_hold(encoder *e, const uint8_t *bytes, size_t size);

void trace_limit_keep_record(encoder *e, const uint64_t *words, size_t n); // before it is encoded
void trace_limit_keep_entry(encoder *e);  // of a table: it may name any string that there is
void trace_limit_keep_tables(encoder *e); // before the pending tables are flushed
void trace_limit_end_block(encoder *e);   // when the block is flushed
void trace_limit_finish(encoder *e, end_record *r); // when the end is flushed

// The least limit with which the file can have the tables so far and the beginning.
uint64_t trace_limit_least(encoder *e);

#endif
