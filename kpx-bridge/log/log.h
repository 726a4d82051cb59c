// SPDX-License-Identifier: MIT
//
// The log of a recorded program: a folder of files. The recorders write it from within the program;
// the bridge reads it when the program has ended, however it ended.
//
//   ID.process       text, one `key value` per line. It is begun with the first event.
//                      program, command, pid, host
//                      boot       names the system; its processes share a clock
//                      processors that it may use: words of bits in base 16, the lowest first
//                      threads    that the environment wants teams to have
//                      clock      picoseconds that reading it takes
//                      begin, end times; `end` is written when the process ends normally
//                      exec       when the process became another program; 0: it did not, after all
//                      stopped    written by the bridge: when a command that was ended by a signal was
//                                 gone, of a process without `end`
//                      fault      NUMBER TIME ADDRESS WORD...: of a signal for a fault, where the program was
//                                 and the top of its stack in base 16. It may have gone on
//                      paused     recording was off at the beginning
//                      cpu        each event has its thread's processor time
//                      chosen     only chosen regions are recorded
//                      openmp     the name of the runtime
//                      rank, ranks
//                      launched   the rank that the launcher announced
//                      sites      ID of the list of sites (sites.h)
//                      limit      a site on the timeline has fewer executions
//                      ident      IDENT ADDRESS BODY ;FILE;FUNCTION;LINE;COLUMN;; of a call of the OpenMP
//                                 runtime that passes IDENT, returns to ADDRESS and runs the function
//                                 BODY (0: none); of clang and flang
//                      body       BODY ADDRESS of another call, which runs the function BODY
//                      map        a line of /proc/PID/maps with code
//                      complaint  something that the user should know; recorders do not print
//   ID-N.events      the events of the N-th thread (from 0) that recorded any, and of threads that began
//                    after it had ended (THREAD_NEXT): a header of one page, the last events (at most
//                    `window`), then the earlier ones in order
//
// ID is the number of the process. If a log of this name exists (the process became another
// program, or is on another host), a multiple of KPX_PIDS is added.
//
// Header and window are mapped and shared, so the system keeps them when the process is killed. An
// event is written before the header counts it; a reader believes the count and nothing after it. A
// full window is appended to the file, counted as `moved`, and used again: its pages stay in the
// cache, which costs a third of writing to new ones. Only the thread itself writes. There are no
// locks.
//
//   state of a log:  none -> open -> full (events are counted, not kept)
//                    open -> resting (its thread has ended) -> open (of another thread)
#ifndef KPX_LOG_H
#define KPX_LOG_H

#include <stdint.h>

#define KPX_MAGIC "KPXLOG1"
#define KPX_HEADER_SIZE 4096u
#define KPX_OPEN_ALREADY 0x100 // of SITE_BEGIN: it began while recording was off
#define KPX_LOOK_EVERY 1000000u // nanoseconds between two PROCESSOR_TIME, at least
#define KPX_QUEUED_BEFORE 1 // of PROCESSOR_TIME: `b` is that of an earlier look
#define KPX_PIDS 4194304u // a process number is less

#define KPX_REPEATED 2u // added to `a` of MPI_END for each repetition
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
    uint64_t cap;     // how many events may be kept
    uint64_t kept;    // events in the file
    uint64_t seen;    // all events, if some were dropped; else 0
    uint64_t moved;   // events after the window
    uint64_t window;  // capacity of the window; 0: there is none, events follow in order
    uint64_t lost;    // events of executions after SITES_FULL
    uint64_t looks;   // of `kept`: the recorder's own (PROCESSOR_TIME, THREAD_NEXT), which raised the cap
    uint64_t numbers; // of regions and tasks that were given
} kpx_header;

_Static_assert(sizeof(kpx_event) == 32, "events are packed in files");
_Static_assert(sizeof(kpx_header) <= KPX_HEADER_SIZE, "the header is one page");

#endif
