// SPDX-License-Identifier: MIT
//
// The trace of a real run during the run.
//
// The reductions can only be put in order when the run is over. A run that is killed should leave a
// trace as well, so a thread now and then writes the run so far, in order and without an end, to a
// file beside the trace, and renames it to the trace. The thread rests three times as long as it
// works, and has a lower priority than the workers. Each time it begins from the start, so the
// trace of a killed run may be short if all processors were busy.
#ifndef FLENG_SNAPSHOTS_H
#define FLENG_SNAPSHOTS_H

#include "vm/run.h"

struct fl_recorder;
typedef struct fl_keeper fl_keeper;

// NULL: the trace is no file that can be replaced, or there is no thread. Path: the trace's.
fl_keeper *fl_keeper_create(struct fl_recorder *r, const vm_machine *m, const char *path);
// Ends the thread. Where the trace was replaced the final one has to take its place: the path that
// it is to be written to, else NULL.
const char *fl_keeper_stop(fl_keeper *k);
// The file of that path takes the place of the trace. False and *ret_error (malloc'ed) if it
// cannot.
bool fl_keeper_replace(fl_keeper *k, char **ret_error);

#endif
