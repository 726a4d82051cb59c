// SPDX-License-Identifier: MIT
//
// A model of a trace: what was given to a writer, kept beside it, to compare with what a reader
// says. Also makers of traces: a small one with every kind of thing in it, and random ones.
#ifndef PROFILER_TEST_MODEL_H
#define PROFILER_TEST_MODEL_H

#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"

typedef struct {
    const char *text;
    size_t length;
} model_string;

typedef struct {
    uint32_t parent, item, reduction, predicate;
} model_goal;

typedef struct {
    uint32_t maker, place, binding;
} model_cell;

typedef struct {
    uint32_t maker;
    trace_binding b;
} model_binding;

typedef struct {
    uint32_t first_cell, first_goal, first_binding;
    trace_reduction r;
} model_reduction;

typedef struct {
    uint32_t goal, n;
    const uint32_t *variables;
} model_waiting;

#define MODEL_LIST(type)                                                                           \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t n, capacity;                                                                      \
    }

typedef struct {
    tw *w;
    MODEL_LIST(model_string) strings;
    MODEL_LIST(trace_source) sources;
    MODEL_LIST(const char *) modules;
    MODEL_LIST(trace_predicate) predicates;
    MODEL_LIST(trace_clause) clauses;
    MODEL_LIST(model_reduction) reductions;
    MODEL_LIST(model_goal) goals;
    MODEL_LIST(model_cell) cells;
    MODEL_LIST(model_binding) bindings;
    MODEL_LIST(model_waiting) waiting;
    MODEL_LIST(void *) memory;
    trace_ending ending;
    int status;
    uint32_t failed_goal;
    const char *message;
    trace_clock clock;
    uint32_t raced;
} model;

// These write and remember; the calls of the writer's interface.
void model_create(model *m, const char *path, trace_clock clock);
void model_raced(model *m, uint32_t n);
uint32_t model_add_string(model *m, const char *text, size_t length);
uint32_t model_text(model *m, const char *text);
uint32_t model_source(model *m, const char *name, const char *text);
uint32_t model_module(model *m, const char *name);
uint32_t model_predicate(model *m, uint32_t module, const char *name, uint32_t arity, bool builtin);
uint32_t model_clause(model *m, const trace_clause *clause);
void model_reduce(model *m, const trace_reduction *r);
void model_wait(model *m, uint32_t goal, const uint32_t *variables, uint32_t n);
bool model_finish(model *m, trace_ending ending, int status, uint32_t failed_goal,
                  const char *message);
void model_destroy(model *m);

// Compares everything a trace says with the model; the trace may hold less if not `whole`.
// True if all is equal; the first difference is told as a failed check.
bool model_matches(const model *m, const trace *t, bool whole);

// Asks a trace everything there is to ask, as a printer of it would, with no model at hand; the
// answers are checked to lie in range. False if one does not.
bool traverse(const trace *t);

// A trace with every kind of node, value, cell and record, of about 1 kB.
void model_small(model *m, const char *path, trace_clock clock);
// About n random reductions (fewer if they run out of goals).
void model_random(model *m, const char *path, uint64_t seed, uint32_t n);

#endif
