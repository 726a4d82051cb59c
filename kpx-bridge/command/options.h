// SPDX-License-Identifier: MIT
//
// The words after `kpx-bridge record`, `build` and `convert` (private to the command).
#ifndef KPX_COMMAND_OPTIONS_H
#define KPX_COMMAND_OPTIONS_H

#include "kpx-bridge/command/build.h"
#include "kpx-bridge/command/record.h"

typedef struct {
    kpx_record_options record;
    kpx_build_options build;
    bool two_pass;
    const char *counts;
    int64_t limit;
    const char *output, *statistics, *keep;
    char *regions; // that record.regions points to
} kpx_command_options;

extern const char kpx_usage[];

// Says what is wrong with the usage. Returns the exit status.
int kpx_fail_usage(const char *message);

// getopt_long(), whose letters begin with `:` (behind a `+`). Says what is wrong with an option
// that is none: '?' then.
struct option;
int kpx_next_option(int argc, char **argv, const char *letters, const struct option *options);

// in_order: the first word that is no option begins a command.
// optind is the first word after the options. 0: go on; else the exit status + 1.
int kpx_read_options(int argc, char **argv, bool in_order, kpx_command_options *o);

// The command that was probably meant by a word that is none, or NULL.
const char *kpx_similar_command(const char *word);

#endif
