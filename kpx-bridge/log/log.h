// SPDX-License-Identifier: MIT
//
// The log of a recorded program: a folder of files that the recorders within the program write and
// the bridge reads when the program has ended, however it ended.
//
//   ID.process       text, a `key value` a line: program, command, pid, host, boot (of the system,
//                    whose processes share a clock), begin, paused, chosen (regions are), openmp,
//                    rank, ranks, sites (the ID of its list of them, sites.h), launched (as which
//                    rank), limit (executions that a site on the timeline has less of), ident
//                    (ADDRESS ;FILE;FUNCTION;LINE;COLUMN;; of a call of the OpenMP runtime that
//                    returns there, where debug information is not enough), body (ADDRESS and that
//                    of the function that this call carries out, where that is known), map (as in
//                    /proc/PID/maps, of what may be executed), complaint (of a recorder: what the
//                    user should know); begun with the first event, `end` added when the process
//                    ends in good order
//   ID-N.events      the events of the N-th thread (from 0) that recorded any: a header of one page,
//                    the last events, `window` of them at most, then those before them in order
//
// ID is the number of the process, or that and a multiple of KPX_PIDS if there is a log of this
// name: a process may become another program, or be on another host.
//
// Header and window are mapped and shared, so the system keeps what was written when the process is
// killed. An event is written before the header counts it: a reader believes the count and nothing
// behind it. A full window is written behind the others, then counted as `moved`, and used again:
// its pages stay in the cache, which costs a third of writing to new ones. Only the thread itself
// writes; there are no locks.
//
//   state of a thread's log:  none -> open -> full (events are counted, not kept)
#ifndef KPX_LOG_H
#define KPX_LOG_H

#include <stdint.h>

#define KPX_MAGIC "KPXLOG1"
#define KPX_HEADER_SIZE 4096u
#define KPX_OPEN_ALREADY 0x100 // of SITE_BEGIN: it had begun before, unseen
#define KPX_PIDS 4194304u // numbers of processes are below

#define KPX_REPEATED 2u // once more
#define KPX_OTHER_GROUP 0x80000000u
#define KPX_ABSENT 0xffffffffu

typedef enum {
#define EVENT(name, flags, value, a, b) KPX_##name,
#include "kpx-bridge/log/events.def"
    KPX_EVENTS
} kpx_kind;

typedef struct {
    uint64_t time; // CLOCK_MONOTONIC, nanoseconds
    uint16_t kind, flags;
    uint32_t value;
    uint64_t a, b;
} kpx_event;

typedef struct {
    char magic[8];
    uint32_t event_size;
    uint32_t pid, tid;
    uint32_t thread;  // N of the file's name
    uint64_t cap;     // events that are kept at most
    uint64_t kept;    // events that the file has
    uint64_t seen;    // that there were, if some were not kept; else 0
    uint64_t moved;   // events behind the window
    uint64_t window;  // events that it holds; 0: there is none, and events follow in order
    uint64_t lost;    // that there were beyond SITES_FULL
} kpx_header;

_Static_assert(sizeof(kpx_event) == 32, "events are packed in files");
_Static_assert(sizeof(kpx_header) <= KPX_HEADER_SIZE, "the header is one page");

#endif
