// SPDX-License-Identifier: MIT
//
// The default partition of a program into modules, known before the run.
#ifndef FLENG_DEFAULT_PARTITION_H
#define FLENG_DEFAULT_PARTITION_H

#include "fleng/ir.h"

typedef struct {
    uint32_t nmodules; // the first is `main`
    const char **names;
    uint32_t *entries; // by predicate id: the module it is an entry of, or VM_NO_MODULE
} fl_partition;

// Several source modules: each with all its predicates. One: each user predicate called in the body
// of main, or in the goal of -e, under its own name. The order is the one in which the predicates
// occur in the clauses, as in a trace.
fl_partition fl_default_partition(const vm_program *code);

#endif
