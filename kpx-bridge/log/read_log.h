// SPDX-License-Identifier: MIT
//
// The log of a recorded program in memory (private to kpx-bridge/).
#ifndef KPX_READ_LOG_H
#define KPX_READ_LOG_H

#include <stdbool.h>

#include "base/array.h"
#include "kpx-bridge/log/log.h"
#include "kpx-bridge/log/store.h"
#include "kpx-bridge/log/symbols.h"

typedef struct {
    uint32_t number, tid, pid;
    const kpx_event *events; // times never decrease
    kpx_store *store;        // where they are; NULL: somewhere else
    bool is_mapped;          // the pages of the file
    uint32_t n;
    uint64_t seen; // all events, including dropped ones
    uint64_t looks; // of n: the recorder's own, which do not count when losses are told
    uint64_t lost; // of these: executions after SITES_FULL
    bool cut;      // later events are missing
    bool capped, unwritten; // they exceeded the limit, or there was no room for them
} kpx_thread_log;

enum { KPX_MOST_WORDS = 64 };

// The signal that ended a process for a fault: where it was, and the top of its stack.
typedef struct {
    int number; // 0: none was noted
    uint32_t nwords;
    uint64_t time, address, words[KPX_MOST_WORDS];
} kpx_fault;

#define KPX_NO_SITES UINT32_MAX
#define KPX_PROCESSOR_WORDS 16 // of 64 processors each
#define KPX_MOST_LOGS 65536u // processes of a log, and threads of a process, that are read

typedef struct {
    uint32_t id, pid;  // of the log, and of the process
    int rank, ranks;   // of MPI, or -1; the size of the world, or 0
    char *program;     // path, or NULL
    char *command;     // or NULL
    char *openmp;      // the runtime's name, or NULL
    char *host, *boot; // the machine, and the system whose processes share a clock, or NULL
    // How many bytes MPI sends before a receive is posted, within this machine and to others; 0:
    // unknown.
    uint64_t eager_near, eager_far;
    uint64_t processors[KPX_PROCESSOR_WORDS]; // bits: that it might use; 0: not known
    int wanted;        // threads that the environment wants teams to have; 0: not known
    uint64_t clock;    // picoseconds that reading the clock takes; 0: not known
    uint64_t begin;    // time
    uint64_t end;      // time of a normal end, else 0
    uint64_t became;   // when it became another program, which is a normal end, too; else 0
    uint64_t stopped;  // if it has no normal end: its fault, or when the recorded command had ended, or 0
    kpx_fault fault;   // noted before it ended, or before it went on
    uint32_t sites;    // ID of its list of sites, or KPX_NO_SITES
    int launched;      // the rank that the launcher announced, or -1
    uint64_t limit;    // a site on the timeline has fewer executions; 0: no limit
    bool described;    // there is a file ID.process
    bool paused;       // recording was off at the beginning
    bool chosen;       // only chosen regions were recorded
    bool by_cpu;       // each event has the processor time of its thread
    bool no_polls;     // calls of MPI that find nothing, or only ask, were not recorded
    kpx_symbols *symbols;
    bool by_gcc;       // compiled for the runtime of gcc, whose calls have less information
    ARRAY_OF(char *) complaints; // of its recorders
    ARRAY_OF(kpx_thread_log) threads; // by number
} kpx_process_log;

typedef struct {
    ARRAY_OF(kpx_process_log) processes; // by rank, then number
    ARRAY_OF(char *) complaints;         // faults of the log; everything else is used
    uint32_t unusable;                   // files that are missing, or of which nothing can be used
} kpx_logs;

// Reads a folder. NULL if there is no log in it. *ret_error is set then if the folder is missing,
// if it has damaged files only, or if a recorder complained.
kpx_logs *kpx_logs_read(const char *folder, char **ret_error);
void kpx_logs_destroy(kpx_logs *logs);
// Frees the events of all threads, which are most of a log. What else is known of them stays.
void kpx_logs_drop_events(kpx_logs *logs);
// How many events the files of a folder say that they hold; no file holds more than it has room for.
uint64_t kpx_logs_count_events(const char *folder);
// The process that the trace is named after (worker.c).
const kpx_process_log *kpx_logs_worker(const kpx_logs *logs);
// How many processors all processes together might use; 0: not known.
uint32_t kpx_logs_processors(const kpx_logs *logs);
// How many threads teams have unless the program says something else; 0: not known.
uint32_t kpx_logs_threads(const kpx_logs *logs);

// Whether processor time is the clock of the figures.
bool kpx_logs_by_cpu(const kpx_logs *logs);

bool kpx_same_machine(const kpx_process_log *a, const kpx_process_log *b); // they share a clock

// Parses a thread's file. False with a reason (malloc'ed) if it is unusable; else the usable part,
// with a complaint or NULL. *ret does not refer to `bytes`. (The fuzzer begins here.)
bool kpx_thread_log_parse(const uint8_t *bytes, size_t size, kpx_thread_log *ret,
                          char **ret_complaint);
void kpx_thread_log_free(kpx_thread_log *log); // its events
// The same events, to be changed: of a log that is mapped they become a copy.
kpx_event *kpx_own_events(kpx_thread_log *log);
// Parses the text of ID.process: one `key value` per line. Unknown keys are ignored.
void kpx_process_parse(kpx_process_log *p, const char *text, size_t length);
void kpx_process_free(kpx_process_log *p); // frees its parts, not *p

#endif
