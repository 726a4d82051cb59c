// SPDX-License-Identifier: MIT
//
// The trace of a real run while it goes on (private to fleng/).
//
// Its reductions can be put in order when the run is over. Until then a thread writes now and then
// what there is, in order and without an end, to a file beside the trace, which then takes the
// trace's place at once. So whoever kills the run finds its first part. The thread rests three
// times as long as it works, and gives way to the workers; as it begins anew each time, the part
// may be small where all processors are busy.
#ifndef FLENG_KEEP_H
#define FLENG_KEEP_H

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
