// SPDX-License-Identifier: MIT
//
// Several runs of the same command line, each recorded and added to the store (docs/store.md). With several
// conditions they alternate, so that what disturbs the machine for a while disturbs all conditions:
//
//     n=1  n=2  n=4   n=1  n=2  n=4   ...
//
// Each run is a process of the same program, with the options of trials left out and an output added;
// `paf store add` adds its trace.
#ifndef BASE_TRIALS_H
#define BASE_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The options that ask for trials. All zero: nothing was asked for.
typedef struct {
    int64_t n;               // of each condition
    bool stored;             // --store was given
    const char *store;       // which one; NULL: the default
    const char **conditions; // "OMP_NUM_THREADS=2,size=B"
    size_t nconditions;
} base_trials;

// Keeps a condition. NULL, or what is wrong with it (a text that stays).
const char *base_trials_add_condition(base_trials *t, const char *text);
// What is wrong with the options together; NULL: nothing.
const char *base_trials_check(const base_trials *t);

// Runs argv, of which the options are argv[begin] to argv[end - 1], again and again. A key of a condition
// that is all capitals is set in the environment of its runs; one that begins with a dash, -j=2, is an
// option of theirs. `output` is the option that names the trace, with its dashes: "--output". Tells
// progress on standard error if that is a terminal. Returns the exit status: that of the first run that
// does not end with 0.
int base_trials_run(const base_trials *t, const char *command, int argc, char **argv, int begin, int end,
                    const char *output);

#endif
