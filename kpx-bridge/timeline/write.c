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

typedef STORE_OF(uint32_t) number_list;

// Things by activity: those of activity i begin at first.at[i] of the list, and end where the next one's
// begin.
typedef struct {
    number_list first, list;
} grouping;

typedef struct {
    kpx_activities *m;
    tw *w;
    STORE_OF(int64_t) times; // by activity: its end in the replay
    grouping children;       // activities by their makers + 1 (0: the beginning), in order of their ends
    grouping incoming;       // edges by where they lead to
    grouping takers;         // edges by where they come from
    number_list missing;     // by activity: maker and sources that are not written yet
    number_list goals;       // by activity, once its maker is written
    number_list cells;       // by activity that gives, once written: its variable
    uint32_t *sources;       // by source of the model
    uint32_t *clauses, *predicates; // by construct
    kpx_heap heap; // activities that may be written: earliest time, then oldest goal, first
    uint32_t ngoals, ncells;
} writing;

// ---- Order ----------------------------------------------------------------------------------

// An activity that was added after one that ended later.
typedef struct {
    uint64_t end;
    uint32_t activity;
} displaced;

typedef STORE_OF(displaced) displaced_list;

static int by_end(const void *a, const void *b)
{
    const displaced *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->activity < y->activity ? -1 : x->activity > y->activity;
}

static displaced_list find_displaced(const kpx_activities *m)
{
    displaced_list list = {0};
    uint64_t last = 0;
    for (uint32_t i = 0; i < m->activities.n; i++) {
        uint64_t end = m->activities.at[i].end;
        kpx_store_at(i);
        if (end < last)
            STORE_PUSH(list, ((displaced){end, i}));
        last = end > last ? end : last;
    }
    kpx_store_sort(list.at, list.n, sizeof *list.at, by_end);
    return list;
}

// By activity: its number in the order of ends. Most activities are added in this order: the others are
// merged into them.
static number_list number_activities(const kpx_activities *m, const displaced_list *list)
{
    number_list number = {0};
    uint32_t next = 0, at = 0;
    uint64_t last = 0;
    STORE_ALLOCATE(number, m->activities.n);
    for (uint32_t i = 0; i < m->activities.n; i++) {
        displaced one = {m->activities.at[i].end, i};
        kpx_store_at(i);
        if (one.end < last)
            continue;
        last = one.end;
        for (; at < list->n && by_end(&list->at[at], &one) < 0; at++)
            number.at[list->at[at].activity] = next++;
        number.at[i] = next++;
    }
    for (; at < list->n; at++)
        number.at[list->at[at].activity] = next++;
    return number;
}

static void renumber(kpx_activities *m, number_list *number)
{
    STORE_OF(kpx_activity) sorted = {0};
    STORE_ALLOCATE(sorted, m->activities.n);
    for (uint32_t i = 0; i < m->activities.n; i++) {
        kpx_activity *a = &sorted.at[number->at[i]];
        kpx_store_at(i);
        *a = m->activities.at[i];
        a->maker = a->maker == KPX_NONE ? KPX_NONE : number->at[a->maker];
    }
    for (size_t i = 0; i < m->arrows.n; i++) {
        kpx_store_at(i);
        m->arrows.at[i].from = number->at[m->arrows.at[i].from];
        m->arrows.at[i].to = number->at[m->arrows.at[i].to];
    }
    STORE_FREE(m->activities);
    memcpy(&m->activities, &sorted, sizeof sorted);
}

// Numbers activities in the order of their ends, makers before what they make.
static void sort_activities(kpx_activities *m)
{
    size_t kept = 0;
    displaced_list list = find_displaced(m);
    if (list.n > 0) {
        number_list number = number_activities(m, &list);
        renumber(m, &number);
        STORE_FREE(number);
    }
    STORE_FREE(list);
    for (size_t i = 0; i < m->arrows.n; i++) {
        kpx_store_at(i);
        if (m->arrows.at[i].from < m->arrows.at[i].to)
            m->arrows.at[kept++] = m->arrows.at[i];
    }
    m->clock_faults += (uint32_t)(m->arrows.n - kept);
    m->arrows.n = kept;
}

// ---- Indices --------------------------------------------------------------------------------

static uint32_t *numbers(size_t n)
{
    return base_allocate(n + 1, sizeof(uint32_t));
}

static uint32_t first_of(const grouping *g, uint32_t key)
{
    return g->first.at[key];
}

// Of n things with keys below nkeys. While they are put into the list, `first` moves to where the next group
// begins.
static grouping group_by(size_t n, uint32_t nkeys, uint32_t (*key)(const kpx_activities *, uint32_t),
                         const kpx_activities *m)
{
    grouping g = {0};
    STORE_ALLOCATE(g.first, nkeys + (size_t)2);
    STORE_ALLOCATE(g.list, n);
    uint32_t *first = g.first.at;
    for (uint32_t i = 0; i < n; i++) {
        kpx_store_at(i);
        first[key(m, i) + 1]++;
    }
    for (uint32_t i = 0; i < nkeys; i++) {
        kpx_store_at(i);
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        kpx_store_at(i);
        g.list.at[first[key(m, i)]++] = i;
    }
    for (uint32_t i = nkeys; i > 0; i--) {
        kpx_store_at(i);
        first[i] = first[i - 1];
    }
    first[0] = 0;
    return g;
}

static void free_grouping(grouping *g)
{
    STORE_FREE(g->first);
    STORE_FREE(g->list);
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
    uint32_t n = (uint32_t)m->activities.n;
    s->children = group_by(n, n + 1, maker_of, m);
    s->incoming = group_by(m->arrows.n, n, target_of, m);
    s->takers = group_by(m->arrows.n, n, source_of, m);
    STORE_ALLOCATE(s->times, n);
    STORE_ALLOCATE(s->missing, n);
    STORE_ALLOCATE(s->goals, n);
    STORE_ALLOCATE(s->cells, n);
    for (uint32_t i = 0; i < n; i++) {
        kpx_store_at(i);
        s->missing.at[i] = 1 + first_of(&s->incoming, i + 1) - first_of(&s->incoming, i);
    }
}

static void free_indices(writing *s)
{
    free_grouping(&s->children);
    free_grouping(&s->incoming);
    free_grouping(&s->takers);
    STORE_FREE(s->times);
    STORE_FREE(s->missing);
    STORE_FREE(s->goals);
    STORE_FREE(s->cells);
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
        kpx_store_at_any(i);
        int64_t ready = a->maker == KPX_NONE ? 0 : s->times.at[a->maker];
        for (uint32_t k = first_of(&s->incoming, i); k < first_of(&s->incoming, i + 1); k++)
            ready = later(ready, s->times.at[m->arrows.at[s->incoming.list.at[k]].from]);
        if (__builtin_add_overflow(ready, cost_of(m, i), &s->times.at[i]))
            s->times.at[i] = INT64_MAX;
    }
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
    if (s->times.at[a] != s->times.at[b])
        return s->times.at[a] < s->times.at[b];
    return s->goals.at[a] < s->goals.at[b];
}

static void is_there(writing *s, uint32_t activity)
{
    if (--s->missing.at[activity] == 0)
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
    for (uint32_t k = first_of(&s->children, maker); k < first_of(&s->children, maker + 1); k++) {
        uint32_t child = s->children.list.at[k];
        const kpx_activity *a = &m->activities.at[child];
        const uint8_t *packed = a->nvalues > 0 ? m->values.at + a->first_value : NULL;
        uint32_t n = m->constructs.at[a->construct].nvalues;
        for (uint32_t i = 0; i < n; i++) {
            trace_value v = {.kind = TV_ATOM, .id = tw_string(s->w, "-", 1)};
            if (i < a->nvalues) {
                kpx_stored_value stored = kpx_take_value(&packed);
                ARRAY_PUSH(p->values, stored_value(s, &stored));
                ARRAY_PUSH(
                    p->cells,
                    ((trace_cell){
                        .kind = TC_STRUCT, .name = tw_key(s->w, stored.key), .n = 1, .nargs = 1}));
                v = (trace_value){.kind = TV_CELL, .id = s->ncells++};
            }
            ARRAY_PUSH(p->values, v);
        }
        ARRAY_PUSH(p->goals, ((trace_goal){.predicate = s->predicates[a->construct], .nargs = n}));
        s->goals.at[child] = s->ngoals++;
    }
    uint32_t value = 0, cell = p->cells.n > 0 && p->cells.at[0].kind == TC_VARIABLE;
    for (uint32_t g = 0; g < p->goals.n; g++) {
        // the values of a goal stand between those of its cells
        const kpx_activity *a = &m->activities.at[s->children.list.at[first_of(&s->children, maker) + g]];
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
    for (uint32_t k = first_of(&s->children, 0); k < first_of(&s->children, 1); k++)
        is_there(s, s->children.list.at[k]);
}

static uint64_t beginning_of(const kpx_activities *m)
{
    uint64_t first = m->activities.n > 0 ? m->activities.at[0].start : 0;
    for (uint32_t i = 0; i < m->activities.n; i++) {
        kpx_store_at(i);
        if (m->activities.at[i].start < first)
            first = m->activities.at[i].start;
    }
    return first;
}

static void write_activity(writing *s, parts *p, uint32_t activity, uint64_t zero)
{
    kpx_activities *m = s->m;
    const kpx_activity *a = &m->activities.at[activity];
    trace_binding binding = {.variable = s->ncells};
    trace_reduction r = {.goal = s->goals.at[activity],
                         .clause = s->clauses[a->construct],
                         .time = s->times.at[activity],
                         .place = a->place,
                         .start = (int64_t)(a->start - zero),
                         .end = (int64_t)(a->end - zero)};
    for (uint32_t k = first_of(&s->incoming, activity); k < first_of(&s->incoming, activity + 1); k++)
        ARRAY_PUSH(p->reads, s->cells.at[m->arrows.at[s->incoming.list.at[k]].from]);
    uint32_t taker = first_of(&s->takers, activity), end = first_of(&s->takers, activity + 1);
    if (taker < end) {
        uint32_t name = tw_edge(s->w, m->arrows.at[s->takers.list.at[taker]].edge);
        s->cells.at[activity] = s->ncells++;
        ARRAY_PUSH(p->cells, ((trace_cell){.kind = TC_VARIABLE, .name = name}));
        binding.value = (trace_value){.kind = TV_ATOM, .id = name};
        r.bindings = &binding;
        r.nbindings = 1;
    }
    make_goals(s, p, activity + 1);
    finish_reduction(s, p, &r);
    for (uint32_t k = first_of(&s->children, activity + 1); k < first_of(&s->children, activity + 2); k++)
        is_there(s, s->children.list.at[k]);
    for (; taker < end; taker++)
        is_there(s, m->arrows.at[s->takers.list.at[taker]].to);
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
        kpx_store_at_any(written);
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
    // All sources have been read when the output is opened: it is none of them.
    for (uint32_t i = 0; m->totals && i < kpx_totals_nfiles(m->totals); i++)
        kpx_add_source(m, kpx_totals_get_file(m->totals, i));
    writing s = {.m = m, .w = tw_create(path, &run, program, ret_error)};
    if (!s.w)
        return false;
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
    free_indices(&s);
    free(s.sources), free(s.clauses), free(s.predicates), free(s.heap.at);
    return tw_finish(s.w, ended ? TRACE_NORMAL : TRACE_INTERRUPTED, status, TRACE_NONE, message,
                     ret_error);
}
