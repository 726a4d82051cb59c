// SPDX-License-Identifier: MIT
//
// Routines, loops and I/O statements that were measured (private to kpx-bridge/): what
// recorder/routines.c left in a log, and totals of it.
#ifndef KPX_MEASURED_H
#define KPX_MEASURED_H

#include "kpx-bridge/log/site_key.h"
#include "kpx-bridge/log/sites.h"
#include "kpx-bridge/totals/totals.h"

// A site of the program.
typedef struct {
    kpx_site_kind kind;
    kpx_site_state state;
    uint32_t flags, seq, line, last_line, label, routine_line;
    char *routine, *file, *folder, *extra; // the last three may be empty
} kpx_listed_site;

typedef struct {
    ARRAY_OF(kpx_listed_site) sites; // by number
    int64_t pid, rank, ranks;         // or KPX_UNOBSERVED
    char *program;                    // or NULL
    bool routines, loops, io;         // were looked for
} kpx_site_list;

// The counters of a thread. Times are nanoseconds by now, and nothing is open any more.
typedef struct {
    kpx_table head;
    ARRAY_OF(kpx_counter) counters; // by site
    ARRAY_OF(kpx_io_row) ios;       // those that are used, in the order of the source
} kpx_thread_counters;

typedef struct {
    uint32_t id;
    bool listed; // there is a file for the list
    kpx_site_list list;
    ARRAY_OF(kpx_thread_counters) threads; // by number
} kpx_measured_process;

// What was not to be timed, and how often it was executed when it was counted.
typedef struct {
    kpx_site_key key;
    ARRAY_OF(int64_t) counts; // by node: executions, iterations
} kpx_suppressed;

typedef ARRAY_OF(kpx_suppressed) kpx_suppressed_list;

typedef struct {
    kpx_suppressed_list suppressed;
    ARRAY_OF(kpx_measured_process) processes; // by rank, then ID
    ARRAY_OF(char *) complaints;
} kpx_measured_log;

// Files as bytes. False with a reason (malloc'ed) if nothing of it can be used, else what can be,
// with a complaint or NULL.
bool kpx_sites_parse(const char *text, size_t length, kpx_site_list *ret, char **ret_complaint);
bool kpx_table_parse(const uint8_t *bytes, size_t size, kpx_thread_counters *ret,
                     char **ret_complaint);
// The next field of a line, ended by a tab or by the line's end. NULL: there is none.
const char *kpx_take_field(const char **at, const char *end, size_t *ret_length);
bool kpx_take_number(const char **at, const char *end, uint64_t *ret);

void kpx_sites_free(kpx_site_list *list);
void kpx_counters_free(kpx_thread_counters *c);

// Of a log's folder. NULL: nothing was measured in it.
kpx_measured_log *kpx_measured_read(const char *folder);
void kpx_measured_destroy(kpx_measured_log *log);

kpx_totals *kpx_measured_totals(const kpx_measured_log *log);

// The path of a site's source, malloc'ed.
char *kpx_site_path(const kpx_listed_site *s);
// The statement that a row is of, or NULL: it is in a file that was not built by kpx-bridge.
const kpx_listed_site *kpx_statement_of(const kpx_measured_process *p, const kpx_io_row *row);

// ---- The two-pass rule (suppressed.c) -------------------------------------------------------

// Writes into a log's folder what a program is not to time: what some node executed `limit` times
// or more. Of a sum over several nodes (a report's) that is the sum. False with a reason
// (malloc'ed).
bool kpx_write_suppressed(const kpx_totals *counts, int64_t limit, const char *folder,
                          char **ret_error);
// What of it fits no site of the processes: malloc'ed, or NULL if there is none.
char *kpx_suppressed_strangers(const kpx_measured_log *log);
void kpx_parse_suppressed(const char *text, size_t length, kpx_suppressed_list *ret);
void kpx_suppressed_free(kpx_suppressed_list *list);

#endif
