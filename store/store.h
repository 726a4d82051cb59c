// SPDX-License-Identifier: MIT
//
// The store: runs of applications under conditions, several trials each, in a database (docs/store.md).
// It neither prints nor draws. The tables and the comparison follow PARP, relative profiling of parallel
// programs.
//
//     trace, profile, log  --->  store_run  --->  database  --->  comparison, answers of SQL
//                        imports/           runs/           compare/
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

typedef struct store store;
struct trace;

typedef enum { STORE_CREATE, STORE_WRITE, STORE_READ } store_mode;

// where: a file of SQLite, or a connection string of PostgreSQL. NULL and *ret_error (malloc'ed).
// STORE_READ changes nothing, whatever is asked.
store *store_open(const char *where, store_mode mode, char **ret_error);
void store_close(store *s); // may be NULL
// An older store gets this version's tables; others stay as they are. False and *ret_error (malloc'ed).
bool store_bring_up(const char *where, char **ret_error);
// Counts what was added, switched, removed or kept. Negative, and store_error(), if the store cannot be read.
int64_t store_changes(store *s);
// Questions and comparisons end with an error when `stop` says so, which is asked often. NULL: nobody is asked.
void store_stop_when(store *s, bool (*stop)(void *data), void *data);
// Until the next call comparisons take these runs for disabled; they stay the caller's.
void store_leave_out(store *s, const int64_t *runs, size_t n);
// The file that is taken where none is named: $PAF_STORE, or paf/store.db in the folder of the user's data,
// which is made. malloc'ed.
char *store_default_path(void);
const char *store_error(const store *s); // of the last call that failed; one line

// ---------------------------------------------------------------------------------------------
// A run as it is added. Texts are malloc'ed and the run's. A number that nobody observed is negative.

typedef struct {
    char *key, *value;
} store_key;

typedef struct {
    int64_t number;
    char *name; // "rank 0", "worker 3"
} store_place;

typedef struct {
    char *kind, *name, *signature;
    int64_t ordinal; // from 1 among those of one kind, name and signature
    char *file;      // "": unknown
    int64_t line;
} store_function;

typedef struct {
    uint32_t function, place; // indices
    double calls, subcalls, inclusive, exclusive;
} store_profile;

typedef struct {
    char *name, *unit;
} store_metric;

typedef struct {
    uint32_t function, place, metric;
    double inclusive, exclusive;
} store_measurement;

typedef struct {
    uint32_t from, to;
    int64_t messages, bytes;
} store_message;

typedef struct {
    char *name, *host, *status; // host, status: NULL if unknown
    int64_t begins, ends, user, system;
} store_job;

typedef struct {
    int64_t job; // or -1
    char *file, *access;
    int64_t calls, bytes, time;
} store_access;

typedef struct {
    char *application, *source, *origin, *digest;
    char *date, *machine, *command, *ending; // NULL: unknown
    char *path;                              // of the trace, absolute; NULL: unknown
    const char *unit;                        // "ns" or "steps"
    int64_t elapsed, user, system, work, span;
    ARRAY_OF(store_key) keys;
    ARRAY_OF(store_place) places;
    ARRAY_OF(store_function) functions;
    ARRAY_OF(store_profile) profiles;
    ARRAY_OF(store_metric) metrics;
    ARRAY_OF(store_measurement) measurements;
    ARRAY_OF(store_message) messages;
    ARRAY_OF(store_job) jobs;
    ARRAY_OF(store_access) accesses;
    struct store_lookup *lookup; // where things lie in the arrays; runs/run.c
} store_run;

// All that is not known yet is unobserved.
store_run *store_run_create(const char *source, const char *origin);
void store_run_destroy(store_run *r); // may be NULL
// Sets a key of the condition, or replaces its value.
void store_run_set_key(store_run *r, const char *key, const char *value);
// Indices of a place, function or metric, which is added if it is new.
uint32_t store_run_place(store_run *r, int64_t number, const char *name);
uint32_t store_run_function(store_run *r, const char *kind, const char *name, const char *signature,
                            int64_t ordinal, const char *file, int64_t line);
uint32_t store_run_metric(store_run *r, const char *name, const char *unit);
// Adds to a function at a place. NaN is unobserved.
void store_run_profile(store_run *r, uint32_t function, uint32_t place, double calls, double subcalls,
                       double inclusive, double exclusive);

// The same of a metric.
void store_run_measurement(store_run *r, uint32_t function, uint32_t place, uint32_t metric,
                           double inclusive, double exclusive);

// What a trace tells: application, how it ended, places, functions, messages, file accesses, and as keys of
// the condition how many ranks, threads or workers there were. NULL: cancelled by progress (may be NULL).
store_run *store_run_from_trace(const char *path, const struct trace *t,
                                bool (*progress)(void *data, double fraction), void *data);
// Sets the digest and the date of a run from a file or a folder. False and *ret_error (malloc'ed) if it
// cannot be read.
bool store_run_stamp(store_run *r, const char *path, char **ret_error);

// Adds a run in one transaction: all of it, or nothing. False and store_error(); *ret_known is set if the
// store has the run already.
bool store_add(store *s, const store_run *r, int64_t *ret_trial, bool *ret_known);

typedef enum { STORE_MEAN, STORE_DIFFERENCE, STORE_MERGE } store_derivation;

// A run made of the enabled trials of conditions (named as in comparison.h), to be added with store_add():
// the mean of one; the mean of the first less that of the second, in which what is below zero for the
// whole run is unobserved; or all functions and metrics of several, where the first that has a figure counts.
// False and store_error().
bool store_derive(store *s, const char *application, store_derivation how, const char *const *conditions,
                  size_t n, store_run **ret);

// ---------------------------------------------------------------------------------------------
// What is there

typedef struct {
    int64_t id, condition_id, trial;
    int64_t elapsed, span, cpu, work; // cpu: user and system time
    char *application, *condition, *unit, *source;
    char *date, *ending, *machine; // NULL if unknown
    bool enabled;
} store_listed;

// All runs, or those of an application, by application, condition and trial. False and store_error().
bool store_list(store *s, const char *application, store_listed **ret, size_t *ret_n);
void store_listed_free(store_listed *runs, size_t n);
// Comparisons leave a run out, or take it again. False and store_error() if there is none of that number.
bool store_enable(store *s, int64_t run, bool enabled);
bool store_remove(store *s, int64_t run);

#endif
