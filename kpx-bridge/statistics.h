// SPDX-License-Identifier: MIT
//
// The statistics of an OpenMP program and of each of its parallel regions, with the rows of fig. 17
// of Uejima, Kohata, Kaneda: "A Parallel Program Visualization Tool for Omni OpenMP Compiler"
// (IPSJ Transactions on Advanced Computing Systems, 2005).
#ifndef KPX_STATISTICS_H
#define KPX_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kpx-bridge/array.h"

typedef enum {
    KPX_MASTER,
    KPX_SINGLE,
    KPX_ATOMIC,
    KPX_CRITICAL,
    KPX_ORDERED,
    KPX_USER_BARRIER,
    KPX_IMPLIED_BARRIER,
    KPX_DISTRIBUTED_BARRIER,
    KPX_DATA_SETUP,
    KPX_DATA_UPDATE,
    KPX_REDUCTION,
    KPX_ROWS,
} kpx_row_kind;

typedef struct {
    bool observed;           // else the runtime does not tell of it
    uint64_t count;          // executions; barriers: of the region, not of each thread
    uint64_t running, waiting; // nanoseconds, of all threads
} kpx_row;

// Region 0..n-1 in order of their source and line; executions of one region are added up.
typedef struct {
    char *file;        // base name, or NULL
    uint32_t line;
    uint64_t times;    // executions
    uint64_t elapsed;  // nanoseconds from fork to join
    uint64_t threads;  // of its largest team
    uint64_t thread_time; // threads x elapsed, of all executions
    kpx_row rows[KPX_ROWS];
} kpx_region;

typedef struct {
    const char *program;
    uint32_t nodes;
    uint64_t elapsed;       // of the program
    kpx_row rows[KPX_ROWS]; // all of it
    KPX_ARRAY(kpx_region) regions;
} kpx_statistics;

void kpx_statistics_print(const kpx_statistics *s, FILE *out);
void kpx_statistics_free(kpx_statistics *s);

#endif
