// SPDX-License-Identifier: MIT
//
// The counters of routines, loops and I/O statements that recorder/routines.c left in a log, and
// totals of them (private to kpx-bridge/).
#ifndef KPX_COUNTERS_H
#define KPX_COUNTERS_H

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
    bool routines, loops, io;         // whether they were measured
} kpx_site_list;

// The counters of a thread, converted to nanoseconds, with open executions ended.
typedef struct {
    kpx_table head;
    ARRAY_OF(kpx_counter) counters; // by site
    ARRAY_OF(kpx_io_row) ios;       // rows in use, in the order of the source
} kpx_thread_counters;

typedef struct {
    uint32_t id;
    bool listed; // there is a file ID.sites
    kpx_site_list list;
    ARRAY_OF(kpx_thread_counters) threads; // by number
} kpx_process_counters;

// A site that was not timed, and how often the counting run executed it.
typedef struct {
    kpx_site_key key;
    ARRAY_OF(int64_t) counts; // by node: executions, iterations
} kpx_suppressed;

typedef ARRAY_OF(kpx_suppressed) kpx_suppressed_list;

typedef struct {
    kpx_suppressed_list suppressed;
    ARRAY_OF(kpx_process_counters) processes; // by rank, then ID
    ARRAY_OF(char *) complaints;
    uint32_t unusable; // files that are missing, or of which nothing can be used
} kpx_counters;

// Parse files. False with a reason (malloc'ed) if a file is unusable; else the usable part, with a
// complaint or NULL.
bool kpx_sites_parse(const char *text, size_t length, kpx_site_list *ret, char **ret_complaint);
bool kpx_table_parse(const uint8_t *bytes, size_t size, kpx_thread_counters *ret,
                     char **ret_complaint);
// The next field of a line, which ends at a tab or at the end of the line, or NULL.
const char *kpx_take_field(const char **at, const char *end, size_t *ret_length);
bool kpx_take_number(const char **at, const char *end, uint64_t *ret);

void kpx_sites_free(kpx_site_list *list);
void kpx_thread_counters_free(kpx_thread_counters *c);

// Reads the folder of a log. NULL: nothing was measured.
kpx_counters *kpx_counters_read(const char *folder);
void kpx_counters_destroy(kpx_counters *log);

kpx_totals *kpx_counter_totals(const kpx_counters *log);

// The path of a site's source, malloc'ed.
char *kpx_site_path(const kpx_listed_site *s);
// The site of the row's statement, or NULL if its file was not built by kpx-bridge.
const kpx_listed_site *kpx_statement_of(const kpx_process_counters *p, const kpx_io_row *row);

// ---- The two-pass rule (suppressed.c) -------------------------------------------------------

// Writes the list of sites that the next run does not time into the folder of its log: the sites
// that some node executed `limit` times or more. Where only sums over several nodes are known (a
// report), the sum counts. False with a reason (malloc'ed).
bool kpx_write_suppressed(const kpx_totals *counts, int64_t limit, const char *folder,
                          char **ret_error);
// A message about suppressed sites that no process has: malloc'ed, or NULL if there are none.
char *kpx_suppressed_strangers(const kpx_counters *log);
void kpx_parse_suppressed(const char *text, size_t length, kpx_suppressed_list *ret);
void kpx_suppressed_free(kpx_suppressed_list *list);

#endif
