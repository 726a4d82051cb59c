// SPDX-License-Identifier: MIT
//
// Room for the records of a real run, which may not fit in memory.
//
// The first part of the room is memory. The rest is a mapped file without a name, beside the trace:
// the system writes its pages out and drops them when it needs memory. Several threads may take
// room.
#ifndef FLENG_SPILL_FILE_H
#define FLENG_SPILL_FILE_H

#include <stddef.h>

typedef struct fl_spill fl_spill;

// path: the trace's. NULL without memory.
fl_spill *fl_spill_create(const char *path);
// Zeroed, aligned to 16 bytes, kept to the end of the process. NULL: there is no more.
void *fl_spill_take(fl_spill *s, size_t bytes);

#endif
