// SPDX-License-Identifier: MIT
//
// The trace of a real run during the run.
//
// The reductions can only be put in order when the run is over. A run that is killed should leave a
// trace as well, so a thread now and then writes the run so far, in order and without an end, as a
// version of the trace, which takes the place of the one before when it is complete. The thread rests
// nine times as long as it works, and has a lower priority than the workers. Each time it begins from
// the start, so the trace of a killed run may be short if all processors were busy.
#ifndef FLENG_SNAPSHOTS_H
#define FLENG_SNAPSHOTS_H

#include "vm/run.h"

struct fl_recorder;
typedef struct fl_keeper fl_keeper;

// NULL: there is no thread.
fl_keeper *fl_keeper_create(struct fl_recorder *r, const vm_machine *m);
// Ends the thread. Whether it began a version: then the recorder can no longer write the final one
// (fl_recorder_version()).
bool fl_keeper_stop(fl_keeper *k);

#endif
