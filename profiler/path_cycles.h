// SPDX-License-Identifier: MIT
//
// Cycles of modules on a path that comes step by step: it leaves a module, goes through others and comes
// back. Each return closes a round of the modules that it went through since, each once. Where a path is
// are the modules that it went through and has not come back to, with its steps in them since.
#ifndef PROFILER_PATH_CYCLES_H
#define PROFILER_PATH_CYCLES_H

#include "base/array.h"
#include "base/table.h"

// As many modules can have more cycles than there is memory for: beyond this number, or if all of them together
// go through more modules than that, no more rounds are counted.
#define MOST_CYCLES         (1u << 14)
#define MOST_CYCLES_MODULES (1u << 18)

typedef struct {
    uint32_t module;
    uint64_t steps;
} path_visit;

typedef struct {
    uint32_t first, n; // modules, the smallest first
    uint64_t rounds, steps; // since path_cycles_begin()
} path_cycle;

typedef struct {
    ARRAY_OF(path_visit) stack;
    ARRAY_OF(uint32_t) place; // by module: in the stack, from 1; 0: it is not there
    ARRAY_OF(path_cycle) list;
    ARRAY_OF(uint32_t) modules; // of one cycle after the other
    ARRAY_OF(uint32_t) touched; // cycles with rounds
    base_index index;
    bool too_many; // the counts are not those of all rounds
} path_cycles;

void path_cycles_finish(path_cycles *c); // may be NULL
// Goes on from there; rounds and steps are counted from 0.
void path_cycles_begin(path_cycles *c, const path_visit *visits, uint32_t n);
// n steps in the module.
void path_cycles_step(path_cycles *c, uint32_t module, uint64_t n);

#endif
