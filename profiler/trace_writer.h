// SPDX-License-Identifier: MIT
//
// Writing a history. The first failure is kept; tw_error() and tw_finish() tell it. After a failure
// all calls do nothing, so a caller may check only at the end. One thread at a time may use a writer.
#ifndef PROFILER_TRACE_WRITER_H
#define PROFILER_TRACE_WRITER_H

#include "base/output.h"
#include "profiler/trace.h"

// Creates the file. NULL with *ret_error set (malloc'ed) if it cannot be created. Of `program`, the
// path of the first source file, the base name is kept; run->program is ignored. The file has its
// name when it is complete; until then, and after a failure, a former file of that name is untouched.
tw *tw_create(const char *path, const trace_run *run, const char *program, char **ret_error);
// The same; `kind` says when the file has its name (base/output.h). One that grows is worth more
// than the former one when it has its first reductions.
tw *tw_create_as(const char *path, base_output_kind kind, const trace_run *run, const char *program,
                 char **ret_error);

// Limits the file to `bytes`; to be called before anything else is written. The trace then ends
// with the last step that fits. The file of a run that fits is the same as without a limit. ret_cut
// stays the caller's; tw_finish() fills it, with zeros if the whole run was recorded.
void tw_limit(tw *w, uint64_t bytes, trace_cut *ret_cut);
// The least limit with which a trace can have the tables so far and the beginning of the run.
uint64_t tw_least(tw *w);

// Tables. Indices count from 0 in order of the calls. tw_string interns.
uint32_t tw_string(tw *w, const char *text, size_t length);
uint32_t tw_source(tw *w, const char *name, const char *text, size_t length);
uint32_t tw_module(tw *w, const char *name);
uint32_t tw_place(tw *w, const char *name); // a place has a number where it has no name
uint32_t tw_predicate(tw *w, uint32_t module, const char *name, uint32_t arity,
                      trace_origin origin);
uint32_t tw_clause(tw *w, const trace_clause *clause);

// The same tables in a measured run: a construct of the program (module->name is not used), and a
// predicate whose goals are activities in a construct.
uint32_t tw_construct(tw *w, const char *name, const trace_module *module);
uint32_t tw_activities(tw *w, uint32_t module, const char *name, uint32_t arity, trace_kind kind);
// The strings that these numbers are shown as. The file keeps what they mean.
uint32_t tw_key(tw *w, trace_key key);
uint32_t tw_schedule(tw *w, trace_schedule schedule);
uint32_t tw_edge(tw *w, trace_edge edge);

// One reduction, in order of (virtual) time. The first call writes the beginning (goal is ignored).
// The writer numbers goals and cells as the reader will: a static clause creates its template's
// cells and its TI_GOAL items in order, a dynamic one its `cells` and `goals`. The cells that it
// reads and that are in its holes belong to earlier reductions; the others may be the reduction's
// own.
void tw_reduction(tw *w, const trace_reduction *r);

// A faster way for most reductions: those of static clauses, and those of dynamic ones that make neither
// cells nor goals. The caller writes a record of words into the writer's room. Values are
// words that the functions below make. A reduction with any other value (an integer of more than 39 bits, a
// float, ...) has to go through tw_reduction().
typedef struct {
    uint32_t variable, item;
    uint64_t value;
} tw_binding;

typedef struct {
    uint32_t nreads, nfollowed, nbindings, npassed;
    uint32_t nlongs, ncells, ngoals; // 0
    uint32_t unused;                 // 0
} tw_counts;

// Followed by, each filled up to a word: of a real run the times; reads and followed variables (4 bytes
// each); bindings; if npassed is not 0, for each binding the end of what it passed on, and the variables that
// were passed on (4 bytes each); the holes of the clause.
typedef struct {
    uint32_t kind, goal; // TW_REDUCTION; of the beginning TRACE_NONE
    uint64_t size;       // words, of the whole record
    int64_t time;
    uint32_t clause, place; // of a virtual run 0
    tw_counts n;
} tw_record;

typedef struct {
    int64_t start, end; // ns
} tw_times;

#define TW_REDUCTION 1u

typedef struct {
    uint64_t *at, *end;
} tw_room;

tw_room *tw_get_room(tw *w);
uint64_t *tw_make_room(tw *w, size_t n); // n words; NULL without memory

// Room for a record of n words, which counts when room->at is moved behind it.
static inline uint64_t *tw_take_room(tw *w, const tw_room *room, size_t n)
{
    return __builtin_expect(n <= (size_t)(room->end - room->at), 1) ? room->at : tw_make_room(w, n);
}

static inline size_t tw_words(size_t size)
{
    return (size + 7) / 8;
}

static inline uint64_t tw_cell(uint32_t cell)
{
    return (uint64_t)cell << 3 | TV_CELL;
}

static inline uint64_t tw_atom(uint32_t string)
{
    return (uint64_t)string << 3 | TV_ATOM;
}

static inline bool tw_fits(int64_t i)
{
    return i >= -(INT64_C(1) << 39) && i < INT64_C(1) << 39;
}

static inline uint64_t tw_integer(int64_t i) // that fits
{
    return ((uint64_t)i << 1 ^ (uint64_t)(i >> 63)) << 3 | TV_INT;
}

// n more reductions raced: with the bindings that were visible at the reduction's virtual time
// another clause could have committed, too, or an `=` found a binding that was made later in
// virtual time. A different schedule may give a different answer or different times.
void tw_raced(tw *w, uint32_t n);

// A goal still suspended at the end and the variables it waits for.
void tw_waiting(tw *w, uint32_t goal, const uint32_t *variables, uint32_t n);

// Completes the file: how it ended, exit status, the goal that failed (or TRACE_NONE), message.
// False (and *ret_error) if anything could not be written. Frees w.
bool tw_finish(tw *w, trace_ending ending, int status, uint32_t failed_goal, const char *message,
               char **ret_error);
// Completes the file without an end: it holds the run so far. To a reader the run was killed.
bool tw_leave(tw *w, char **ret_error);

void tw_abandon(tw *w); // there will be no file. Frees w

bool tw_has_name(const tw *w); // else it is written to a pipe or a device

uint64_t tw_bytes(const tw *w);    // written so far
const char *tw_error(const tw *w); // what went wrong first, NULL while all is well

#endif
