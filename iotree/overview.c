// SPDX-License-Identifier: MIT
//
// An analysis made of a summary; and a summary compared with an analysis made of the reductions.
#include "iotree/overview.h"

#include "base/text.h"
#include "iotree/time/profile.h"

#include <inttypes.h>

// ---------------------------------------------------------------------------------------------
// Making one

static iot_partition *partition_of(const trace *t, const trace_summary *s)
{
    iot_partition *p = base_allocate(1, sizeof *p);
    p->nmodules = s->nmodules;
    p->names = base_allocate(s->nmodules, sizeof *p->names);
    for (uint32_t m = 0; m < s->nmodules; m++)
        p->names[m] = base_copy(trace_name(t, s->rows[m].name));
    p->nentries = s->nentries;
    p->entries = base_allocate(s->nentries, sizeof *p->entries);
    for (uint32_t i = 0; i < s->nentries; i++)
        p->entries[i] =
            (partition_entry){s->entries[i].module, s->entries[i].predicate, IOT_NONE};
    return p;
}

static void copy_modules(iot *a, const trace_summary *s)
{
    a->nmodules = s->nmodules;
    a->modules = base_allocate(s->nmodules, sizeof *a->modules);
    for (uint32_t m = 0; m < s->nmodules; m++) {
        const trace_sum_row *row = &s->rows[m];
        iot_module *module = &a->modules[m];
        *module = (iot_module){.name = a->partition->names[m],
                               .first = row->first,
                               .last = row->last,
                               .processes = row->processes};
        for (uint32_t i = 0; i < s->nbuckets; i++) {
            module->work += row->reduced[i];
            module->waiting += row->waiting[i];
            if (row->most_reduced[i] > module->peak)
                module->peak = row->most_reduced[i];
        }
        a->work += module->work;
        if (module->last > 0)
            module->parallelism =
                (double)module->work / (double)(module->last - module->first + 1);
    }
    a->nsuspended = s->rows[s->nmodules].suspended;
}

static void copy_pairs(iot *a, const trace_summary *s)
{
    a->predicates.rows = base_allocate(s->npairs, sizeof *a->predicates.rows);
    a->path.rows = base_allocate(s->npairs, sizeof *a->path.rows);
    for (uint32_t i = 0; i < s->npairs; i++) {
        const trace_sum_pair *p = &s->pairs[i];
        uint64_t critical = p->control + p->data;
        if (p->work > 0 || p->waiting > 0)
            a->predicates.rows[a->predicates.n++] = (iot_predicate_row){
                p->module, p->predicate, p->work, p->work, p->waiting, critical};
        if (critical > 0)
            a->path.rows[a->path.nrows++] =
                (iot_critical_row){p->module, p->predicate, p->control, p->data};
        a->modules[p->module].critical += critical;
        a->path.cost += critical;
    }
    a->path.ncreation = (uint32_t)s->creation;
    iot_sort_predicate_rows(a->predicates.rows, a->predicates.n);
    iot_sort_critical_rows(a->path.rows, a->path.nrows);
}

static void copy_dependencies(iot *a, const trace_summary *s)
{
    a->dependencies.rows = base_allocate(s->ndependencies, sizeof *a->dependencies.rows);
    a->dependencies.n = s->ndependencies;
    a->dependencies.known = true; // without them nobody may ask
    for (uint32_t i = 0; i < s->ndependencies; i++) {
        const trace_sum_dependency *d = &s->dependencies[i];
        a->dependencies.rows[i] = (iot_dependency){.from = d->from,
                                                   .to = d->to,
                                                   .count = d->all.count,
                                                   .wait = d->all.wait,
                                                   .lag = d->all.lag,
                                                   .words = IOT_NO_WORDS};
    }
    iot_sort_dependencies(a->dependencies.rows, a->dependencies.n);
}

static void copy_cycles(iot *a, const trace_summary *s)
{
    a->cycles.rows = base_allocate(s->ncycles, sizeof *a->cycles.rows);
    for (uint32_t i = 0; i < s->ncycles; i++) {
        const trace_sum_cycle *c = &s->cycles[i];
        if (c->rounds < IOT_FEWEST_ROUNDS)
            continue;
        uint32_t *modules = base_allocate(c->nmodules, sizeof *modules);
        memcpy(modules, c->modules, c->nmodules * sizeof *modules);
        a->cycles.rows[a->cycles.n++] = (iot_cycle){modules, c->nmodules, c->rounds, c->steps};
    }
    iot_sort_cycles(a->cycles.rows, a->cycles.n);
}

static iot *make_overview(const trace *t, const trace_summary *s)
{
    iot *a = iot_new(t);
    a->overview = true;
    a->span = s->span;
    a->partition = partition_of(t, s);
    copy_modules(a, s);
    copy_pairs(a, s);
    copy_dependencies(a, s);
    copy_cycles(a, s);
    a->unneeded.known = true;
    iot_copy_profile(a, s);
    return a;
}

// By predicate: whose processes its goals start. NULL: an entry is a goal.
static uint32_t *entries_of(const trace *t, const iot_partition *p)
{
    uint32_t n = trace_npredicates(t), *module_of = base_allocate(n + (size_t)1, sizeof *module_of);
    memset(module_of, 0xff, n * sizeof *module_of); // IOT_NONE
    for (uint32_t i = 0; i < p->nentries; i++) {
        if (p->entries[i].goal != IOT_NONE) {
            free(module_of);
            return NULL;
        }
        module_of[p->entries[i].predicate] = p->entries[i].module;
    }
    return module_of;
}

typedef struct {
    iot_progress progress;
    void *data;
} watched;

static bool tell_share(void *data, uint64_t done, uint64_t total)
{
    const watched *w = data;
    return !w->progress || w->progress(w->data, total > 0 ? (double)done / (double)total : 1);
}

iot *iot_sum_up(const char *path, const trace *tables, const iot_partition *p, bool more,
                iot_progress progress, void *data, trace **ret_trace)
{
    uint32_t *module_of = entries_of(tables, p);
    trace_sum_modules modules = {p->nmodules, (const char *const *)p->names, trace_npredicates(tables),
                                 module_of};
    watched w = {progress, data};
    trace *t = module_of ? trace_sum_up(path, &modules, more, tell_share, &w) : NULL;
    free(module_of);
    iot *a = t ? iot_overview(t) : NULL;
    if (!a && t)
        trace_close(t);
    else
        *ret_trace = t;
    return a;
}

iot *iot_overview(const trace *t)
{
    const trace_summary *s = trace_get_summary(t);
    bool enough = s && s->has_path && trace_get_clock(t) == TRACE_VIRTUAL;
    return enough ? make_overview(t, s) : NULL;
}

bool iot_is_overview(const iot *a)
{
    return a->overview;
}

bool iot_is_full_overview(const iot *a)
{
    const trace_summary *s = a->overview ? trace_get_summary(a->t) : NULL;
    return s && s->has_more && s->has_dependencies && !s->has_aliases && a->nsuspended == 0 &&
           trace_get_ending(a->t) == TRACE_NORMAL;
}

int64_t iot_finest(const iot *a)
{
    const trace_sum_stretch *s = a->overview ? trace_get_stretch(a->t) : NULL;
    return s ? s->width : a->overview ? a->profiles.virtual_time.width : 1;
}

int64_t iot_finest_of_run(const iot *a)
{
    return a->overview ? a->profiles.virtual_time.width : 1;
}

// ---------------------------------------------------------------------------------------------
// Comparing

typedef struct {
    const iot *a;
    const trace_summary *s;
    char *difference; // the first
} comparison;

static void compare(comparison *c, const char *what, uint32_t m, int64_t step, uint64_t is, uint64_t told)
{
    if (is == told || c->difference)
        return;
    const char *name = m < c->s->nmodules ? c->a->modules[m].name : "all modules";
    char *place = step < 0 ? base_copy("") : base_format(" from step %" PRId64 " on", step);
    c->difference = base_format("%s of %s%s: the summary tells %" PRIu64 ", the reductions %" PRIu64,
                                what, name, place, told, is);
    free(place);
}

static bool same_modules(const iot *a, const trace_summary *s)
{
    if (a->nmodules != s->nmodules || a->partition->nentries != s->nentries || a->entries.ngoals > 0)
        return false;
    for (uint32_t m = 0; m < s->nmodules; m++)
        if (strcmp(a->modules[m].name, trace_name(a->t, s->rows[m].name)) != 0)
            return false;
    for (uint32_t i = 0; i < s->nentries; i++)
        if (a->entries.module_of[s->entries[i].predicate] != s->entries[i].module)
            return false;
    return true;
}

static void compare_quantity(comparison *c, iot_quantity q, uint32_t m)
{
    const trace_summary *s = c->s;
    const trace_sum_row *row = &s->rows[m];
    iot_bucket *b = base_allocate(s->nbuckets, sizeof *b);
    iot_profile(c->a, q, m < s->nmodules ? m : IOT_NONE, 0, s->width, s->nbuckets, b);
    for (uint32_t i = 0; i < s->nbuckets; i++) {
        bool reduced = q == IOT_REDUCTIONS;
        int64_t step = (int64_t)i * s->width;
        compare(c, reduced ? "reductions" : "waiting", m, step, b[i].sum,
                reduced ? row->reduced[i] : row->waiting[i]);
        compare(c, reduced ? "most reductions in a step" : "most goals waiting in a step", m, step,
                b[i].peak, reduced ? row->most_reduced[i] : row->most_waiting[i]);
    }
    free(b);
}

static void compare_modules(comparison *c)
{
    const iot *a = c->a;
    uint64_t suspended = 0;
    for (uint32_t m = 0; m <= a->nmodules; m++) {
        compare_quantity(c, IOT_REDUCTIONS, m);
        compare_quantity(c, IOT_WAITING, m);
        if (m == a->nmodules)
            break;
        const iot_module *module = &a->modules[m];
        const trace_sum_row *row = &c->s->rows[m];
        compare(c, "first reduction", m, -1, (uint64_t)module->first, (uint64_t)row->first);
        compare(c, "last reduction", m, -1, (uint64_t)module->last, (uint64_t)row->last);
        compare(c, "processes", m, -1, module->processes, row->processes);
        suspended += row->suspended;
    }
    compare(c, "goals never reduced", a->nmodules, -1, a->nsuspended, suspended);
}

// Rows of the overview and of the analysis are sorted alike.
static void compare_pairs(comparison *c, const iot *o)
{
    const iot *a = c->a;
    compare(c, "predicates", a->nmodules, -1, a->predicates.n, o->predicates.n);
    for (uint32_t i = 0; i < a->predicates.n && !c->difference; i++) {
        const iot_predicate_row *x = &a->predicates.rows[i], *y = &o->predicates.rows[i];
        compare(c, "a predicate", x->module, -1, x->predicate, y->predicate);
        compare(c, "the module of a predicate", x->module, -1, x->module, y->module);
        compare(c, "a predicate's reductions", x->module, -1, x->work, y->work);
        compare(c, "a predicate's waiting", x->module, -1, x->waiting, y->waiting);
        compare(c, "a predicate's part of the critical path", x->module, -1, x->critical,
                y->critical);
    }
    compare(c, "rows of the critical path", a->nmodules, -1, a->path.nrows, o->path.nrows);
    for (uint32_t i = 0; i < a->path.nrows && !c->difference; i++) {
        const iot_critical_row *x = &a->path.rows[i], *y = &o->path.rows[i];
        compare(c, "a predicate on the critical path", x->module, -1, x->predicate, y->predicate);
        compare(c, "control on the critical path", x->module, -1, x->control, y->control);
        compare(c, "data on the critical path", x->module, -1, x->data, y->data);
    }
    compare(c, "steps that made processes", a->nmodules, -1, a->path.ncreation, o->path.ncreation);
}

static void compare_dependencies(comparison *c, const iot *o)
{
    const iot *a = c->a;
    uint32_t n = iot_ndependencies(a);
    compare(c, "dependencies", a->nmodules, -1, n, o->dependencies.n);
    for (uint32_t i = 0; i < n && !c->difference; i++) {
        const iot_dependency *x = &a->dependencies.rows[i], *y = &o->dependencies.rows[i];
        compare(c, "who waits", x->to, -1, x->to, y->to);
        compare(c, "who is waited for", x->to, -1, x->from, y->from);
        compare(c, "values that are read", x->to, -1, x->count, y->count);
        compare(c, "waiting for values", x->to, -1, x->wait, y->wait);
        compare(c, "delay of values", x->to, -1, (uint64_t)x->lag, (uint64_t)y->lag);
    }
}

static void compare_cycles(comparison *c, const iot *o)
{
    const iot *a = c->a;
    compare(c, "cycles", a->nmodules, -1, a->cycles.n, o->cycles.n);
    for (uint32_t i = 0; i < a->cycles.n && !c->difference; i++) {
        const iot_cycle *x = &a->cycles.rows[i], *y = &o->cycles.rows[i];
        compare(c, "a cycle's first module", x->modules[0], -1, x->modules[0], y->modules[0]);
        compare(c, "a cycle's modules", x->modules[0], -1, x->nmodules, y->nmodules);
        compare(c, "a cycle's rounds", x->modules[0], -1, x->rounds, y->rounds);
        compare(c, "a cycle's steps", x->modules[0], -1, x->cost, y->cost);
    }
}

// P in the stretches of a report.
static void compare_stretches(comparison *c)
{
    const iot *a = c->a;
    const trace_summary *s = c->s;
    uint32_t n = s->nsteps;
    iot_bucket *b = base_allocate(n * (a->nmodules + (size_t)1), sizeof *b);
    iot_profiles_by(a, IOT_VIRTUAL_TIME, IOT_REDUCTIONS, 1, s->step_width, n, b);
    for (size_t i = 0; i < n * (a->nmodules + (size_t)1); i++)
        compare(c, "reductions of a stretch", (uint32_t)(i / n),
                1 + (int64_t)(i % n) * s->step_width, b[i].sum, s->in_steps[i]);
    free(b);
}

static void compare_clauses(comparison *c)
{
    const iot *a = c->a;
    uint32_t n = trace_nclauses(a->t);
    trace_sum_clause *sums = base_allocate(n, sizeof *sums);
    for (uint32_t r = 1; r < a->n; r++) {
        trace_sum_clause *sum = &sums[trace_reduction_clause(a->t, r)];
        sum->work++;
        sum->module = a->processes[process_of(a, r)].module;
    }
    for (uint32_t i = 0; i < n; i++) {
        trace_sum_clause told = {.work = 0};
        if (i < c->s->nclauses)
            told = c->s->clauses[i];
        compare(c, "reductions by a clause", sums[i].module, -1, sums[i].work, told.work);
        if (sums[i].work > 0)
            compare(c, "the last module of a clause", sums[i].module, -1, sums[i].module, told.module);
    }
    free(sums);
}

char *iot_check_summary(const iot *a)
{
    comparison c = {.a = a, .s = trace_get_summary(a->t)};
    if (!c.s)
        return NULL;
    if (!same_modules(a, c.s))
        return base_copy("its modules are not those of the default partition");
    compare(&c, "span", a->nmodules, -1, (uint64_t)a->span, (uint64_t)c.s->span);
    if (!c.difference) {
        compare_modules(&c);
        compare_clauses(&c);
    }
    iot *o = c.difference || !c.s->has_path ? NULL : make_overview(a->t, c.s);
    if (o)
        compare_pairs(&c, o);
    if (o && c.s->has_dependencies)
        compare_dependencies(&c, o);
    if (o && c.s->has_more) {
        compare_cycles(&c, o);
        compare_stretches(&c);
    }
    iot_destroy(o);
    return c.difference;
}
