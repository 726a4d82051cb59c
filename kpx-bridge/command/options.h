// SPDX-License-Identifier: MIT
//
// The options of `kpx-bridge record`, `build` and `convert` (private to command/).
#ifndef KPX_COMMAND_OPTIONS_H
#define KPX_COMMAND_OPTIONS_H

#include <stdint.h>

#include "base/trials.h"
#include "kpx-bridge/command/build.h"
#include "kpx-bridge/command/record.h"

typedef struct {
    kpx_record_options record;
    kpx_build_options build;
    bool two_pass;
    const char *counts;
    int64_t times; // advise: how many times as long; 0: the usual
    int64_t limit;
    uint64_t memory; // bytes that making the trace may take; 0: the default
    base_trials trials; // record
    const char *output, *statistics, *keep;
    char *regions; // record.regions points to it
} kpx_command_options;

extern const char kpx_usage[];

// Prints the message and a hint to --help. Returns the exit status.
int kpx_fail_usage(const char *message);

// getopt_long(). `letters` must begin with `:` or `+:`. Prints a message about an invalid option
// and returns '?' then.
struct option;
int kpx_next_option(int argc, char **argv, const char *letters, const struct option *options);

// in_order: options end at the first word that is not an option. Sets optind to the first word
// after the options. Returns 0 to go on, else the exit status + 1.
int kpx_read_options(int argc, char **argv, bool in_order, kpx_command_options *o);

// The command whose name is nearest to an unknown word, or NULL.
const char *kpx_similar_command(const char *word);

#endif
