// SPDX-License-Identifier: MIT
//
// Traces by hand. A story is told reduction by reduction: which goal, by which clause, when, what
// its head took apart and read. The body's work - cells, bindings, goals - follows from the
// clause's text. What heads and guards decide is for the teller to say.
#ifndef TESTS_IOTREE_STORY_H
#define TESTS_IOTREE_STORY_H

#include "profiler/trace.h"

typedef struct story story;

story *story_begin(void);
// Completes the file, reads it back and frees the story. Stops the program if that fails.
trace *story_end(story *s);

trace_value integer(int64_t i);
trace_value atom(story *s, const char *name);
trace_value cell(uint32_t id);

uint32_t predicate(story *s, const char *name, uint32_t arity, bool builtin);
uint32_t predicate_in(story *s, const char *module, const char *name, uint32_t arity);

// holes: names of the head's variables that the body uses, separated by blanks. body: goals and
// `X=T`, separated by commas; infix operators only as `op(A,B)`. looks: argument positions from 0
// as digits ("02").
uint32_t clause(story *s, uint32_t predicate, uint32_t number, uint32_t line, const char *looks,
                const char *holes, const char *body);

// Reads are variables (cells); holes in the order of the clause. Returns the reduction.
typedef struct {
    uint32_t n;
    uint32_t v[8];
} cells;
typedef struct {
    trace_value v[8];
} values;
uint32_t reduce(story *s, uint32_t goal, uint32_t clause, int64_t time, cells reads, values holes);
// A clause whose reductions are described whole.
uint32_t dynamic_clause(story *s, uint32_t predicate);
// A reduction that is described whole (dynamic clauses).
uint32_t reduce_raw(story *s, const trace_reduction *r);
// A built-in that binds one variable.
uint32_t compute(story *s, uint32_t goal, uint32_t predicate, int64_t time, cells reads,
                 uint32_t variable, trace_value result);

// Of a reduction: its i-th cell, its i-th goal.
uint32_t cell_of(const story *s, uint32_t reduction, uint32_t i);
uint32_t goal_of(const story *s, uint32_t reduction, uint32_t i);
uint32_t ngoals_so_far(const story *s);
uint32_t ncells_so_far(const story *s);
void waits(story *s, uint32_t goal, uint32_t variable);

#endif
