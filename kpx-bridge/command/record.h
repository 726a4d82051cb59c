// SPDX-License-Identifier: MIT
//
// Runs a command with recorders in its programs (private to command/).
#ifndef KPX_RECORD_H
#define KPX_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

// Routines, loops and I/O statements of programs that `kpx-bridge build` has compiled.
typedef struct {
    bool routines, loops, io;
    bool count;               // count only
    bool cpu;                 // measure processor time of the thread
    int64_t limit;            // sites with fewer executions are on the timeline; 0: the default
    const char *only, *except; // patterns for routines and files, separated by commas; or NULL
} kpx_measure_choice;

typedef struct {
    bool openmp, mpi, threads;
    kpx_measure_choice measure;
    uint32_t hertz;      // samples in a second of a thread's processor time; 0: none
    bool paused;         // record nothing until the program calls kpx_start()
    const char *events;  // kept per thread; NULL: the default
    const char *without; // kinds of events to leave out, or NULL
    const char *regions; // chosen regions, one per line; NULL: all
} kpx_record_options;

// Whether a list, separated by commas, has only kinds of events that `without` may name.
bool kpx_knows_kinds(const char *list);

// The path of a library or plugin of the bridge. NULL and *ret_error.
char *kpx_find_recorder(const char *name, char **ret_error);

// A new folder for a log, below $TMPDIR or /tmp. NULL and *ret_error.
char *kpx_log_folder(char **ret_error);
// Makes the folder if it does not exist. False and *ret_error: recorders could not write to it, or
// it already holds a log.
bool kpx_make_log(const char *folder, char **ret_error);
void kpx_remove_log(const char *folder);

// Runs the command to its end and returns its exit status (128 + the number of the signal that
// killed it). *ret_error is set if the command could not be started: the status is 127 then, or 2
// if a recorder is missing. SIGTERM and SIGHUP are passed on to the command and no longer end this
// process, so that the caller can convert the log and remove it.
int kpx_record(const kpx_record_options *o, const char *folder, char **command, char **ret_error);
// What kpx_record() returned for this log; 0 if it is not known.
int kpx_recorded_status(const char *folder);

#endif
