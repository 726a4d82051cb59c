// SPDX-License-Identifier: MIT
//
// What a real run recorded is not lost with it.
//
// The reductions of a real run get their order when it is over, so a process that is killed could only
// leave an old version of the trace. So two processes share the work. The first one, which the user knows
// and which may be killed, only passes signals on and ends as the second one does. The second one runs the
// program; when the first one is dead it ends the run, writes what it recorded, without an end, and
// is gone. Meanwhile nobody reads or replaces the trace (base_output_for()).
//
//   first   waits, passes on signals ──── killed
//                                           │
//   second  runs the program ───────────────┴─ stops, sorts, writes, ends
#ifndef FLENG_GUARD_H
#define FLENG_GUARD_H

#include <stdbool.h>

// Before any thread: returns in the second process, or in the first where there cannot be two.
void fl_guard_begin(void);
// From now on the run is worth being kept: its trace will have this name (the caller's), and has no version
// yet.
void fl_guard_trace(const char *path);
bool fl_guard_is_orphan(void); // the first process was killed
// Is this signal the same one once more, which was sent to both processes? A signal handler may call it.
bool fl_guard_is_echo(int number);

#endif
