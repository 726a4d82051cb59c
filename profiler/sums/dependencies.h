// SPDX-License-Identifier: MIT
//
// Which module waits for which, while a run goes on: the first read of every binding by another process
// than the one that made it, summed by the modules of the two processes and by the time of the reader. Who
// reads a binding also reads what it passed on; once a process has read a binding it has read all that.
#ifndef PROFILER_DEPENDENCIES_H
#define PROFILER_DEPENDENCIES_H

#include "base/table.h"
#include "profiler/format/predict.h"
#include "profiler/sums/makers.h"
#include "profiler/summary.h"

#define NO_PROCESS UINT32_MAX // of the beginning

// The memory of a writer is bounded: beyond that it gives up.
typedef struct {
    // Of processes and bindings that have met, beyond the first few of each; and likewise what lists beside
    // recent bindings have.
    uint64_t pairs;
    uint32_t processes; // 2 bytes each; 0: as many as there can be
    // Blocks of older bindings are unpacked at most once in so many reductions; 0: any number of times.
    uint32_t unpacks;
} dependency_limits;

typedef struct {
    bool lost;
    dependency_limits limits;
    makers makers;
    base_map further;   // process and binding, of those that have too many readers for a list: 1
    base_map own;       // process and binding by the beginning that passed something on, which it has read: 1
    ARRAY_OF(uint32_t) walk;      // what is read
    uint64_t nread, nbindings;
    uint64_t steps; // all waits and lags together, so that no sum of some of them is too large
    uint32_t nreductions;
    ARRAY_OF(uint16_t) module_of; // by process, as anybody may still read what it made
    uint32_t nmodules, *row_of;   // by modules, from and to: a row + 1
    ARRAY_OF(trace_sum_dependency) rows;
    trace_sum_waits *bins; // by row; room for `capacity` rows
    uint32_t nbins;        // of a row, at most; a power of two
    size_t capacity;
    unsigned shift; // a bin is 2^shift steps wide
} dependencies;

// Who reduces: its process, when its goal was made, and when it is reduced.
typedef struct {
    uint32_t process;
    int64_t created, time;
} dependency_reader;

// False: the modules are too many.
bool trace_dependencies_init(dependencies *d, uint32_t nmodules, dependency_limits limits);
void trace_dependencies_finish(dependencies *d); // it is lost then
uint32_t trace_dependencies_process(dependencies *d, uint32_t module); // a new one
// The next reduction, which makes so many cells.
void trace_dependencies_take(dependencies *d, const dependency_reader *who, const step_record *r,
                             uint32_t ncells);
// Rows in order of their modules, and bins until the last step, which are the caller's.
void trace_dependencies_list(dependencies *d, int64_t span, trace_summary *ret);

#endif
