// SPDX-License-Identifier: MIT
//
// Writes the timeline as a trace. An activity becomes a goal that its maker creates, and one
// reduction of it. A construct becomes a predicate of its module with one clause, which has its
// place in the source. An edge becomes a variable: the first activity binds it at its end, the
// second reads it. Values become arguments of the goal, name(value).
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/timeline/activities_private.h"
#include "kpx-bridge/timeline/heap.h"

typedef struct {
    kpx_activities *m;
    tw *w;
    int64_t *times;         // by activity: its end in the replay
    uint32_t *sources;      // by source of the model
    uint32_t *first_child;  // by activity + 1 (0: the beginning): index into children
    uint32_t *children;     // activities by their makers, in order of their ends
    uint32_t *first_arrow;  // by activity: index into incoming
    uint32_t *incoming;     // edges by where they lead to
    uint32_t *missing;      // by activity: maker and sources that are not written yet
    uint32_t *first_taker;  // by activity: index into takers
    uint32_t *takers;       // edges by where they come from
    uint32_t *goals;        // by activity, once its maker is written
    uint32_t *cells;        // by activity that gives, once written: its variable
    uint32_t *clauses, *predicates; // by construct
    kpx_heap heap; // activities that may be written: earliest time, then oldest goal, first
    uint32_t ngoals, ncells;
} writing;

// ---- Order ----------------------------------------------------------------------------------

static int by_end(const void *a, const void *b, void *activities)
{
    const kpx_activity *all = activities;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    if (all[i].end != all[k].end)
        return all[i].end < all[k].end ? -1 : 1;
    return i < k ? -1 : i > k;
}

// By activity: its number in the order of ends.
static uint32_t *number_activities(const kpx_activities *m)
{
    uint32_t n = m->activities.n;
    uint32_t *order = base_allocate(n, sizeof *order), *number = base_allocate(n, sizeof *number);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (n > 0)
        qsort_r(order, n, sizeof *order, by_end, m->activities.at);
    for (uint32_t i = 0; i < n; i++)
        number[order[i]] = i;
    free(order);
    return number;
}

// Puts each where its number says, in place: there are many. Leaves each number where it belongs.
static void move_activities(kpx_activity *all, uint32_t *number, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t to = number[i]; to != i; to = number[i]) {
            kpx_activity moved = all[i];
            all[i] = all[to];
            all[to] = moved;
            number[i] = number[to];
            number[to] = to;
        }
}

// Numbers activities in the order of their ends, makers before what they make.
static void sort_activities(kpx_activities *m)
{
    uint32_t n = m->activities.n, kept = 0, *number = number_activities(m);
    for (uint32_t i = 0; i < n; i++) {
        kpx_activity *a = &m->activities.at[i];
        a->maker = a->maker == KPX_NONE ? KPX_NONE : number[a->maker];
    }
    for (uint32_t i = 0; i < m->arrows.n; i++) {
        kpx_arrow a = m->arrows.at[i];
        a.from = number[a.from];
        a.to = number[a.to];
        if (a.from < a.to)
            m->arrows.at[kept++] = a;
    }
    m->clock_faults += m->arrows.n - kept;
    m->arrows.n = kept;
    move_activities(m->activities.at, number, n);
    free(number);
}

// ---- Replay ---------------------------------------------------------------------------------

static int64_t cost_of(const kpx_activities *m, uint32_t activity)
{
    const kpx_activity *a = &m->activities.at[activity];
    return m->constructs.at[a->construct].waits ? 0 : (int64_t)(a->end - a->start);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void replay(writing *s)
{
    const kpx_activities *m = s->m;
    for (uint32_t i = 0; i < m->activities.n; i++) { // makers and sources come before
        const kpx_activity *a = &m->activities.at[i];
        int64_t ready = a->maker == KPX_NONE ? 0 : s->times[a->maker];
        for (uint32_t k = s->first_arrow[i]; k < s->first_arrow[i + 1]; k++)
            ready = later(ready, s->times[m->arrows.at[s->incoming[k]].from]);
        if (__builtin_add_overflow(ready, cost_of(m, i), &s->times[i]))
            s->times[i] = INT64_MAX;
    }
}

// ---- Indices --------------------------------------------------------------------------------

static uint32_t *numbers(size_t n)
{
    return base_allocate(n + 1, sizeof(uint32_t));
}

// Counting sort: of n things with keys below nkeys; *ret_first has nkeys + 1 entries.
static uint32_t *sorted_by(uint32_t n, uint32_t nkeys,
                           uint32_t (*key)(const kpx_activities *, uint32_t),
                           const kpx_activities *m, uint32_t **ret_first)
{
    uint32_t *first = numbers(nkeys + (size_t)1), *list = numbers(n);
    for (uint32_t i = 0; i < n; i++)
        first[key(m, i) + 1]++;
    for (uint32_t i = 0; i < nkeys; i++)
        first[i + 1] += first[i];
    uint32_t *next = numbers(nkeys);
    memcpy(next, first, nkeys * sizeof *next);
    for (uint32_t i = 0; i < n; i++)
        list[next[key(m, i)]++] = i;
    free(next);
    *ret_first = first;
    return list;
}

static uint32_t maker_of(const kpx_activities *m, uint32_t activity)
{
    uint32_t maker = m->activities.at[activity].maker;
    return maker == KPX_NONE ? 0 : maker + 1;
}

static uint32_t source_of(const kpx_activities *m, uint32_t arrow)
{
    return m->arrows.at[arrow].from;
}

static uint32_t target_of(const kpx_activities *m, uint32_t arrow)
{
    return m->arrows.at[arrow].to;
}

static void make_indices(writing *s)
{
    kpx_activities *m = s->m;
    uint32_t n = m->activities.n;
    s->children = sorted_by(n, n + 1, maker_of, m, &s->first_child);
    s->incoming = sorted_by(m->arrows.n, n, target_of, m, &s->first_arrow);
    s->takers = sorted_by(m->arrows.n, n, source_of, m, &s->first_taker);
    s->times = base_allocate((n + (size_t)1), sizeof *s->times);
    s->missing = numbers(n);
    s->goals = numbers(n);
    s->cells = numbers(n);
    for (uint32_t i = 0; i < n; i++)
        s->missing[i] = 1 + s->first_arrow[i + 1] - s->first_arrow[i];
}

// ---- Tables ---------------------------------------------------------------------------------

static void write_sources(writing *s)
{
    s->sources = numbers(s->m->sources.n);
    for (uint32_t i = 0; i < s->m->sources.n; i++) {
        const kpx_source *source = &s->m->sources.at[i];
        s->sources[i] = tw_source(s->w, kpx_base_name(source->path),
                                  source->text ? source->text : "", source->length);
    }
}

static void write_totals(writing *s)
{
    const kpx_totals *t = s->m->totals;
    uint32_t n = kpx_totals_nfiles(t), *sources = numbers(n);
    for (uint32_t i = 0; i < n; i++)
        sources[i] = s->sources[kpx_add_source(s->m, kpx_totals_get_file(t, i))];
    kpx_put_totals(s->w, t, sources);
    free(sources);
}

static uint32_t module_of(writing *s, uint32_t construct, uint32_t *modules)
{
    const kpx_construct *c = &s->m->constructs.at[construct];
    for (uint32_t i = 0; i < construct; i++)
        if (strcmp(s->m->constructs.at[i].module, c->module) == 0)
            return modules[i];
    trace_module module = {.source = TRACE_NONE, .kind = c->of};
    // A unit for input and output has no place in the text; its statements have.
    if (c->source != KPX_NONE && c->line > 0 && c->of != TRACE_KIND_IO) {
        module.source = s->sources[c->source];
        module.line = c->line;
    }
    return tw_construct(s->w, c->module, &module);
}

static void write_constructs(writing *s)
{
    uint32_t n = s->m->constructs.n;
    uint32_t *modules = numbers(n);
    s->clauses = numbers(n);
    s->predicates = numbers(n);
    for (uint32_t i = 0; i < n; i++) {
        const kpx_construct *c = &s->m->constructs.at[i];
        modules[i] = module_of(s, i, modules);
        s->predicates[i] = tw_activities(s->w, modules[i], c->name, c->nvalues, c->kind);
        trace_clause clause = {.predicate = s->predicates[i],
                               .number = 1,
                               .source = c->source == KPX_NONE ? TRACE_NONE : s->sources[c->source],
                               .line = c->line,
                               .end_line = c->line,
                               .waits = c->waits,
                               .dynamic = true};
        s->clauses[i] = tw_clause(s->w, &clause);
    }
    free(modules);
}

// ---- The heap -------------------------------------------------------------------------------

static bool is_before(const void *data, uint32_t a, uint32_t b)
{
    const writing *s = data;
    if (s->times[a] != s->times[b])
        return s->times[a] < s->times[b];
    return s->goals[a] < s->goals[b];
}

static void is_there(writing *s, uint32_t activity)
{
    if (--s->missing[activity] == 0)
        kpx_heap_put(&s->heap, activity, is_before, s);
}

// ---- Reductions -----------------------------------------------------------------------------

// The parts of one reduction; the arrays are reused.
typedef struct {
    ARRAY_OF(trace_cell) cells;
    ARRAY_OF(trace_goal) goals;
    ARRAY_OF(trace_value) values;
    ARRAY_OF(uint32_t) reads;
} parts;

static trace_value stored_value(writing *s, const kpx_stored_value *v)
{
    if (v->key != TRACE_KEY_SCHEDULE)
        return (trace_value){.kind = TV_INT, .i = v->number};
    return (trace_value){.kind = TV_ATOM, .id = tw_schedule(s->w, (trace_schedule)v->number)};
}

// The goals of all activities made by `maker` (activity + 1), with name(value) for each argument.
// Pointers to values are set after their array has stopped growing.
static void make_goals(writing *s, parts *p, uint32_t maker)
{
    const kpx_activities *m = s->m;
    for (uint32_t k = s->first_child[maker]; k < s->first_child[maker + 1]; k++) {
        uint32_t child = s->children[k];
        const kpx_activity *a = &m->activities.at[child];
        uint32_t n = m->constructs.at[a->construct].nvalues;
        for (uint32_t i = 0; i < n; i++) {
            trace_value v = {.kind = TV_ATOM, .id = tw_string(s->w, "-", 1)};
            if (i < a->nvalues) {
                const kpx_stored_value *stored = &m->values.at[a->first_value + i];
                ARRAY_PUSH(p->values, stored_value(s, stored));
                ARRAY_PUSH(
                    p->cells,
                    ((trace_cell){
                        .kind = TC_STRUCT, .name = tw_key(s->w, stored->key), .n = 1, .nargs = 1}));
                v = (trace_value){.kind = TV_CELL, .id = s->ncells++};
            }
            ARRAY_PUSH(p->values, v);
        }
        ARRAY_PUSH(p->goals, ((trace_goal){.predicate = s->predicates[a->construct], .nargs = n}));
        s->goals[child] = s->ngoals++;
    }
    uint32_t value = 0, cell = p->cells.n > 0 && p->cells.at[0].kind == TC_VARIABLE;
    for (uint32_t g = 0; g < p->goals.n; g++) {
        // the values of a goal stand between those of its cells
        const kpx_activity *a = &m->activities.at[s->children[s->first_child[maker] + g]];
        trace_value *arguments = base_allocate(p->goals.at[g].nargs, sizeof *arguments);
        for (uint32_t i = 0; i < p->goals.at[g].nargs; i++) {
            if (i < a->nvalues)
                p->cells.at[cell++].args = &p->values.at[value++];
            arguments[i] = p->values.at[value++];
        }
        p->goals.at[g].args = arguments;
    }
}

static void finish_reduction(writing *s, parts *p, trace_reduction *r)
{
    r->cells = p->cells.at;
    r->ncells = p->cells.n;
    r->goals = p->goals.at;
    r->ngoals = p->goals.n;
    r->reads = p->reads.at;
    r->nreads = p->reads.n;
    tw_reduction(s->w, r);
    for (uint32_t g = 0; g < p->goals.n; g++)
        free((void *)p->goals.at[g].args);
    p->cells.n = p->goals.n = p->values.n = p->reads.n = 0;
}

static void write_beginning(writing *s, parts *p)
{
    uint32_t module = tw_module(s->w, "main");
    trace_clause clause = {.predicate = tw_predicate(s->w, module, "main", 0,
                                                     TRACE_PROGRAM),
                           .number = 1,
                           .source = TRACE_NONE,
                           .dynamic = true};
    trace_reduction r = {.clause = tw_clause(s->w, &clause)};
    make_goals(s, p, 0);
    finish_reduction(s, p, &r);
    for (uint32_t k = s->first_child[0]; k < s->first_child[1]; k++)
        is_there(s, s->children[k]);
}

static uint64_t beginning_of(const kpx_activities *m)
{
    uint64_t first = m->activities.n > 0 ? m->activities.at[0].start : 0;
    for (uint32_t i = 0; i < m->activities.n; i++)
        if (m->activities.at[i].start < first)
            first = m->activities.at[i].start;
    return first;
}

static void write_activity(writing *s, parts *p, uint32_t activity, uint64_t zero)
{
    kpx_activities *m = s->m;
    const kpx_activity *a = &m->activities.at[activity];
    trace_binding binding = {.variable = s->ncells};
    trace_reduction r = {.goal = s->goals[activity],
                         .clause = s->clauses[a->construct],
                         .time = s->times[activity],
                         .place = a->place,
                         .start = (int64_t)(a->start - zero),
                         .end = (int64_t)(a->end - zero)};
    for (uint32_t k = s->first_arrow[activity]; k < s->first_arrow[activity + 1]; k++)
        ARRAY_PUSH(p->reads, s->cells[m->arrows.at[s->incoming[k]].from]);
    uint32_t takers = s->first_taker[activity + 1] - s->first_taker[activity];
    if (takers > 0) {
        uint32_t name = tw_edge(s->w, m->arrows.at[s->takers[s->first_taker[activity]]].edge);
        s->cells[activity] = s->ncells++;
        ARRAY_PUSH(p->cells, ((trace_cell){.kind = TC_VARIABLE, .name = name}));
        binding.value = (trace_value){.kind = TV_ATOM, .id = name};
        r.bindings = &binding;
        r.nbindings = 1;
    }
    make_goals(s, p, activity + 1);
    finish_reduction(s, p, &r);
    for (uint32_t k = s->first_child[activity + 1]; k < s->first_child[activity + 2]; k++)
        is_there(s, s->children[k]);
    for (uint32_t k = s->first_taker[activity]; k < s->first_taker[activity + 1]; k++)
        is_there(s, m->arrows.at[s->takers[k]].to);
}

static void write_regions(const writing *s, const kpx_statistics *statistics)
{
    if (!statistics || statistics->regions.n == 0 || s->m->activities.n == 0)
        return;
    trace_regions *regions = kpx_statistics_regions(statistics, s->clauses, beginning_of(s->m));
    tw_regions(s->w, regions);
    kpx_regions_free(regions);
}

static void write_losses(const writing *s)
{
    if (s->m->dropped.n > 0)
        tw_dropped(s->w, s->m->dropped.at, s->m->dropped.n);
    if (s->m->machine.processors > 0 && s->m->activities.n > 0)
        tw_machine(s->w, &s->m->machine);
}

enum { TOLD_EVERY = 1 << 16 }; // activities

static void write_activities(writing *s)
{
    parts p = {0};
    write_beginning(s, &p);
    uint64_t zero = beginning_of(s->m);
    for (uint32_t written = 1; s->heap.n > 0; written++) {
        write_activity(s, &p, kpx_heap_take(&s->heap, is_before, s), zero);
        if (written % TOLD_EVERY == 0)
            kpx_tell_progress(s->m, 0.5 + 0.5 * written / s->m->activities.n);
    }
    free(p.cells.at), free(p.goals.at), free(p.values.at), free(p.reads.at);
}

bool kpx_write(kpx_activities *m, const char *path, const char *program,
               const kpx_statistics *statistics, bool ended, int status, const char *message,
               char **ret_error)
{
    trace_run run = {.clock = TRACE_MEASURED, .places = m->places.n};
    writing s = {.m = m, .w = tw_create(path, &run, program, ret_error)};
    if (!s.w)
        return false;
    for (uint32_t i = 0; m->totals && i < kpx_totals_nfiles(m->totals); i++)
        kpx_add_source(m, kpx_totals_get_file(m->totals, i));
    sort_activities(m);
    make_indices(&s);
    replay(&s);
    for (uint32_t i = 0; i < m->places.n; i++)
        tw_place(s.w, m->places.at[i]);
    write_sources(&s);
    write_constructs(&s);
    if (m->totals)
        write_totals(&s);
    if (m->activities.n > 0 || !m->totals)
        write_activities(&s);
    write_regions(&s, statistics);
    write_losses(&s);
    free(s.sources), free(s.times), free(s.first_child), free(s.children), free(s.first_arrow), free(s.incoming);
    free(s.missing), free(s.first_taker), free(s.takers), free(s.goals), free(s.cells);
    free(s.clauses), free(s.predicates), free(s.heap.at);
    return tw_finish(s.w, ended ? TRACE_NORMAL : TRACE_INTERRUPTED, status, TRACE_NONE, message,
                     ret_error);
}
