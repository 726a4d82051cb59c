// SPDX-License-Identifier: MIT
//
// The log of a recorded program in memory (private to kpx-bridge/).
#ifndef KPX_READ_LOG_H
#define KPX_READ_LOG_H

#include <stdbool.h>

#include "base/array.h"
#include "kpx-bridge/log/log.h"
#include "kpx-bridge/log/symbols.h"

typedef struct {
    uint32_t number, tid, pid;
    kpx_event *events; // times never decrease
    uint32_t n;
    uint64_t seen; // that there were
    uint64_t lost; // of them, of executions: those behind SITES_FULL
    bool cut;      // there were others behind them
    bool capped, unwritten; // which were not to be kept, or for which there was no room
} kpx_thread_log;

#define KPX_NO_SITES UINT32_MAX
#define KPX_MOST_LOGS 65536u // processes of a log, and threads of a process, that are read

typedef struct {
    uint32_t id, pid;  // of the log, and the process
    int rank, ranks;   // of MPI, or -1; how many the world has, or 0
    char *program;     // path, or NULL
    char *command;     // or NULL
    char *openmp;      // the runtime's name, or NULL
    char *host, *boot; // names of the machine and of what shares a clock, or NULL
    // Bytes that MPI sends before a receive is posted, on this machine and to others; 0: not known.
    uint64_t eager_near, eager_far;
    uint64_t begin;    // clock
    uint64_t end;      // when the process ended in good order, else 0
    uint32_t sites;    // ID of its list of sites, KPX_NO_SITES: it has none
    int launched;      // as which rank, or -1
    uint64_t limit;    // executions that a site on the timeline has less of; 0: any number
    bool described;    // there is a file that tells all this
    bool paused;       // at its beginning it does not want to be recorded
    bool chosen;       // regions were
    bool no_polls;     // calls of MPI that find nothing, or only ask, were left out
    kpx_symbols *symbols;
    bool by_gcc;       // compiled for the runtime of gcc, whose calls tell less
    ARRAY_OF(char *) complaints; // of its recorders
    ARRAY_OF(kpx_thread_log) threads; // by number
} kpx_process_log;

typedef struct {
    ARRAY_OF(kpx_process_log) processes; // by rank, then number
    ARRAY_OF(char *) complaints;         // what is wrong with the log; the rest is used
} kpx_logs;

// Reads a folder. NULL if there is no log in it, with *ret_error if there should be: the folder is
// missing, or damaged files are all it has.
kpx_logs *kpx_logs_read(const char *folder, char **ret_error);
void kpx_logs_destroy(kpx_logs *logs);

bool kpx_same_machine(const kpx_process_log *a, const kpx_process_log *b); // they share a clock

// A thread's file as bytes (the fuzzer's way in): false with a reason (malloc'ed) if nothing of it
// can be used, else what can be, with a complaint or NULL. *ret keeps pointing to nothing of bytes.
bool kpx_thread_log_parse(const uint8_t *bytes, size_t size, kpx_thread_log *ret,
                          char **ret_complaint);
// What a process tells of itself, as text (likewise): a `key value` a line. What is strange is
// passed over.
void kpx_process_parse(kpx_process_log *p, const char *text, size_t length);
void kpx_process_free(kpx_process_log *p); // what it points to

#endif
