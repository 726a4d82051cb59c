// SPDX-License-Identifier: MIT
//
// The part of `paf compare` that has a file of its own: what became of the findings of the first run.
#ifndef PAF_COMPARE_H
#define PAF_COMPARE_H

#include "paf/commands/command.h"

typedef struct {
    const char *path;
    trace *t;
    iot *a;
    iot_module *modules; // by the clock of the comparison
    double work, span, parallelism;
} compared_run;

// Whether the module is named after the file of the program, because that says no other name.
bool paf_is_own_module(const trace *t, const char *module);

// A finding of the first run is gone if its place costs less than 1 % of the second run, smaller if
// it costs at most four fifths of what it did, else still there.
void paf_print_fates(const compared_run runs[2]);
// Sets "findings", "new" and, where the runs compare, "achieved".
void paf_set_fates_json(json_t *root, const compared_run runs[2]);

// What `paf compare --json` says of two runs, by the clock that it chooses by itself.
json_t *paf_comparison_json(const char *const paths[2], trace *const traces[2], iot *const analyses[2]);

#endif
