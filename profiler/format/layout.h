// SPDX-License-Identifier: MIT
//
// What writer and reader share: the layout of the file, the records that have no public type, and
// the state that the codings predict from.
#ifndef PROFILER_LAYOUT_H
#define PROFILER_LAYOUT_H

#include "profiler/trace.h"

// File header: magic, version, its complement (before version 5 zero). The magic has a byte that is not text
// and both kinds of line end, so that a transfer that changes them is noticed.
#define FILE_MAGIC      "\x89PAF\r\n\x1a\n"
#define FILE_MAGIC_SIZE 8
#define FILE_HEADER     16
#define FILE_VERSION    10 // the newest
#define FILE_SUMMED     10 // that may have a summary, with dependencies since version 9, what stands since 10
#define FILE_MEASURED   8 // of a measured run: regions may have processor times
#define FILE_REAL       6 // what a file of a real run says that has nothing newer
#define FILE_IDEAL      5 // the same of an ideal run
#define FILE_OLDEST     3 // version that is still read, see version3.c
#define FILE_PASSES     5 // from this version on it tells what `=` passed on, and heads and guards

// Chunk header, little-endian: kind u32, count of records u32, raw length u32 of each column,
// stored length u32 of each column, checksum u64 over what is before and the payload. The payload
// is the columns one after the other; a column whose lengths agree is stored plain, else a zstd
// frame.
#define COLUMNS      6
#define CHUNK_RAW    8
#define CHUNK_STORED (CHUNK_RAW + 4 * COLUMNS)
#define CHUNK_SUM    (CHUNK_STORED + 4 * COLUMNS)
#define CHUNK_HEADER (CHUNK_SUM + 8)

enum chunk_kind {
#define CHUNK(number, name, columns, text) CHUNK_##name = number,
#include "profiler/format/events.def"
    CHUNK_KINDS, // numbers are below
};

#define BLOCK_REDUCTIONS 65536u // at most so many in a chunk

// The columns of a REDUCTIONS chunk.
enum reductions_column {
    COLUMN_GOAL,
    COLUMN_CLAUSE,
    COLUMN_TIME,
    COLUMN_READS,
    COLUMN_TERMS,
    COLUMN_BINDINGS,
};

enum profile_column {
    COLUMN_ROWS,
    COLUMN_REDUCED,
    COLUMN_WAITED,
};

enum totals_column {
    COLUMN_HEAD,
    COLUMN_TOTALS,
    COLUMN_MEASURES,
    COLUMN_MESSAGES,
};

enum regions_column { COLUMN_REGIONS, COLUMN_TEAMS };

enum places_column { COLUMN_PLACE, COLUMN_START, COLUMN_END };

enum run_column { COLUMN_RUN, COLUMN_WORKERS, COLUMN_PART };

enum end_column { COLUMN_ENDING, COLUMN_RACES, COLUMN_CUT };

enum summary_column {
    COLUMN_SUMS,
    COLUMN_SUM_REDUCED,
    COLUMN_SUM_MOST_REDUCED,
    COLUMN_SUM_WAITING,
    COLUMN_SUM_MOST_WAITING,
};

enum standing_column { COLUMN_STANDING, COLUMN_OLDER };

enum dependencies_column { COLUMN_FLOWS, COLUMN_FLOW_COUNT, COLUMN_FLOW_WAIT, COLUMN_FLOW_LAG };

// Totals stay below: the highest numbers have other meanings (TRACE_NONE and the marks of
// `struct trace`).
#define INDEX_LIMIT     (UINT32_MAX - 16)
#define REDUCTION_LIMIT 0x7fffffffu
#define ITEM_LIMIT      (1u << 20) // items of a clause's body

typedef struct {
    const char *program;
    uint64_t length;
    trace_clock clock;
    uint32_t places;
    const char *part; // NULL: all
    uint64_t part_length;
    bool summed; // it may get a summary
} run_record;

typedef struct {
    const char *text;
    uint64_t length;
} string_record;

// Which table of kinds.def a string's number is of.
typedef enum { MEANS_KEY, MEANS_SCHEDULE, MEANS_EDGE, MEANINGS } meaning_table;

typedef struct {
    uint32_t string;
    meaning_table table;
    trace_number number;
} meaning_record;

typedef struct {
    uint32_t name;
} place_name_record;

typedef struct {
    uint32_t goal;
    uint32_t n;
    const uint32_t *variables;
} waiting_record;

typedef struct {
    trace_ending ending;
    int32_t status;
    uint32_t failed_goal;
    const char *message;
    uint64_t length;
    uint32_t reductions, goals, cells, bindings;
    uint32_t raced;
    bool cut; // the trace ends before the run; `whole` has the figures of the run
    trace_cut whole;
} end_record;

// The counts before a chunk of reductions, with which it can be decoded without the earlier chunks.
typedef struct {
    uint32_t reductions, goals, cells, bindings;
    int64_t time;
    uint32_t goal;
} before_record;

// What the figures by module are before a chunk of reductions: with it they can be counted on without the
// earlier chunks.
typedef struct {
    int64_t time;
} stands_record;
typedef struct {
    uint64_t standing;
    uint32_t reduced, created;
} standing_record;
typedef struct {
    uint32_t n;
    const uint32_t *modules;
} older_record;

// What both sides know when they code a record.
typedef struct {
    uint32_t goal;             // expected next
    int64_t time;              // of the reduction before
    int64_t ended;             // the reduction before at the same place
    int64_t start;             // of this one
    uint32_t old_cells;        // cells of the reductions before
    uint32_t cells;            // and of this one
    uint32_t nholes;           // of this reduction's clause
    uint32_t nbuckets;         // of a profile's rows
    uint32_t nfigures;         // of a region
    const struct predictor *p; // of reductions; see predict.h
} coding;

// CRC-64 (ECMA-182 polynomial, reflected) of `sum` continued by `data`; begin with 0.
uint64_t trace_checksum(uint64_t sum, const void *data, size_t size);

static inline uint32_t load32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load64(const uint8_t *p)
{
    return load32(p) | (uint64_t)load32(p + 4) << 32;
}

static inline void store32(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (8 * i));
}

static inline void store64(uint8_t *p, uint64_t x)
{
    store32(p, (uint32_t)x);
    store32(p + 4, (uint32_t)(x >> 32));
}

#endif
