// SPDX-License-Identifier: MIT
//
// The timeline as activities.c fills it and write.c replays and writes it.
#ifndef KPX_ACTIVITIES_PRIVATE_H
#define KPX_ACTIVITIES_PRIVATE_H

#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/log/store.h"
#include "profiler/regions.h"
#include "profiler/trace_writer.h"

typedef struct {
    char *path; // as the compiler was given it
    char *text; // NULL: not there (any more)
    size_t length;
} kpx_source;

typedef struct {
    char *module, *name;
    trace_kind of, kind; // of the module, of what is done in it
    bool waits;
    uint32_t source, line;
    uint32_t nvalues; // most that one of its activities has
} kpx_construct;

typedef struct {
    uint64_t start, end;
    uint64_t first_value; // byte of `values`; those of one activity are consecutive
    uint32_t construct, place, maker, nvalues;
} kpx_activity;

typedef struct {
    uint32_t from, to;
    trace_edge edge;
} kpx_arrow;

typedef struct {
    trace_key key;
    int64_t number; // of TRACE_KEY_SCHEDULE: a trace_schedule
} kpx_stored_value;

// Takes the value at *at, of packed ones, and moves *at behind it.
kpx_stored_value kpx_take_value(const uint8_t **at);

struct kpx_activities {
    ARRAY_OF(kpx_source) sources;
    ARRAY_OF(char *) places;
    ARRAY_OF(kpx_construct) constructs;
    STORE_OF(kpx_activity) activities; // by end, once they are written
    STORE_OF(kpx_arrow) arrows;
    STORE_OF(uint8_t) values; // packed: the key, and the number by base/varint.h
    ARRAY_OF(trace_dropped) dropped; // ascending by place
    trace_machine machine;
    kpx_totals *totals; // or NULL
    char *open; // kpx_open_calls()
    uint32_t clock_faults;
    kpx_progress progress;
};

#endif
