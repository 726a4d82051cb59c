// SPDX-License-Identifier: MIT
//
// Running a command so that it is recorded (private to kpx-bridge/).
#ifndef KPX_RECORD_H
#define KPX_RECORD_H

#include <stdbool.h>

#include "base/array.h"

// Routines, loops and I/O statements of programs that `kpx-bridge build` has compiled.
typedef struct {
    bool routines, loops, io;
    bool count;               // only
    bool cpu;                 // times are those of the thread's processor
    int64_t limit;            // what is executed less often is on the timeline; 0: the default
    const char *only, *except; // patterns for routines and files, commas between; or NULL
} kpx_measure_choice;

typedef struct {
    bool openmp, mpi;
    kpx_measure_choice measure;
    bool paused;         // until the program calls kpx_start()
    const char *events;  // kept per thread; NULL: the default
    const char *without; // kinds of events that are left out, or NULL
    const char *regions; // chosen ones, a line each, or NULL: all
} kpx_record_options;

// Whether a list of kinds of events, parted by commas, names only what `without` may name.
bool kpx_knows_kinds(const char *list);

// The path of a library or plugin of the bridge. NULL and *ret_error.
char *kpx_find_recorder(const char *name, char **ret_error);

// A new folder for a log, below $TMPDIR or /tmp. NULL and *ret_error.
char *kpx_log_folder(char **ret_error);
// Makes the folder, if it is not there. False and *ret_error: nothing can be written to it, or it
// has a log.
bool kpx_make_log(const char *folder, char **ret_error);
void kpx_remove_log(const char *folder);

// Runs it to its end and returns its exit status (128 + signal if it was killed by one).
// *ret_error is set if it could not be started; the status is 127 then, 2 if a recorder is missing.
// SIGTERM and SIGHUP go on to the command, and end this process no more: what was recorded until
// then is to be converted, and the log removed.
int kpx_record(const kpx_record_options *o, const char *folder, char **command, char **ret_error);

#endif
