// SPDX-License-Identifier: MIT
//
// A run of the store from a trace. A Fleng program has modules and predicates; a measured one routines,
// loops, files and messages from its totals, constructs and calls from its timeline.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "iotree/iotree.h"
#include "profiler/regions.h"
#include "profiler/totals.h"
#include "store/runs/from_messages.h"
#include "store/store.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// "a.fl" and "a": the application is "a".
static char *application_of(const trace *t)
{
    const char *name = base_name(trace_program(t)), *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return n ? base_copy_bytes(name, n) : base_copy("unnamed");
}

static const char *ending_of(const trace *t)
{
    static const char *const names[] = {
        [TRACE_NORMAL] = "normal",           [TRACE_FAILED] = "failed",
        [TRACE_HALTED] = "halted",           [TRACE_STOPPED] = "stopped",
        [TRACE_INTERRUPTED] = "interrupted", [TRACE_DEADLOCK] = "deadlock",
        [TRACE_UNFINISHED] = "unfinished",
    };
    return trace_get_cut(t) ? "cut" : names[trace_get_ending(t)];
}

static void set_number(store_run *r, const char *key, uint64_t n)
{
    char *text = base_format("%llu", (unsigned long long)n);
    store_run_set_key(r, key, text);
    free(text);
}

// ---------------------------------------------------------------------------------------------
// Fleng programs

static void add_measurement(store_run *r, uint32_t function, uint32_t place, const char *metric,
                            const char *unit, double value)
{
    if (isnan(value) || value < 0)
        return;
    uint32_t m = store_run_metric(r, metric, unit);
    store_run_measurement(r, function, place, m, value, value);
}

// Modules and predicates by virtual time: how much they reduced, how much of it on the critical path.
static void add_steps(store_run *r, const iot *a)
{
    const trace *t = iot_trace(a);
    uint32_t place = store_run_place(r, 0, "ideal machine");
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        const iot_module *m = iot_get_module(a, i);
        if (!m->work)
            continue;
        uint32_t f = store_run_function(r, "module", m->name, "", 1, "", 0);
        store_run_profile(r, f, place, m->processes, NAN, (double)m->work, (double)m->work);
        add_measurement(r, f, place, "critical", "steps", (double)m->critical);
        add_measurement(r, f, place, "waiting", "steps", (double)m->waiting);
    }
    for (uint32_t i = 0; i < iot_npredicate_rows(a); i++) {
        const iot_predicate_row *row = iot_get_predicate_row(a, i);
        char *name = iot_predicate_text(t, row->predicate);
        const char *module = iot_get_module(a, row->module)->name;
        uint32_t f = store_run_function(r, "predicate", name, module, 1, "", 0);
        store_run_profile(r, f, place, (double)row->reductions, NAN, (double)row->work, (double)row->work);
        add_measurement(r, f, place, "critical", "steps", (double)row->critical);
        add_measurement(r, f, place, "waiting", "steps", (double)row->waiting);
        free(name);
    }
    r->unit = "steps";
}

// Modules by worker and clock.
static void add_workers(store_run *r, const iot *a)
{
    for (uint32_t i = 0; i < iot_nworker_rows(a); i++) {
        const iot_worker_row *row = iot_get_worker_row(a, i);
        char *name = base_format("worker %u", row->place);
        uint32_t place = store_run_place(r, row->place, name);
        free(name);
        if (row->module == IOT_NONE)
            continue;
        const char *module = iot_get_module(a, row->module)->name;
        uint32_t f = store_run_function(r, "module", module, "", 1, "", 0);
        store_run_profile(r, f, place, (double)row->reductions, NAN, (double)row->time, (double)row->time);
    }
    set_number(r, "workers", r->places.n);
}

// ---------------------------------------------------------------------------------------------
// Measured programs: totals

static const char *const total_kinds[TRACE_TOTAL_KINDS] = {
    [TT_UNIT] = "routine", [TT_LOOP] = "loop", [TT_IO] = "io", [TT_CALL] = "mpi"};

static double observed(int64_t n)
{
    return n == TRACE_UNOBSERVED ? NAN : (double)n;
}

static uint32_t node_place(store_run *r, const trace_totals *totals, uint32_t node)
{
    const trace_total_node *n = &totals->nodes[node];
    char *name = base_format("%s %lld", n->rank != TRACE_UNOBSERVED ? "rank" : "process",
                             (long long)trace_node_number(totals, node));
    uint32_t place = store_run_place(r, trace_node_number(totals, node), name);
    free(name);
    return place;
}

static const char *string_or_empty(const trace *t, uint32_t string)
{
    return string == TRACE_NONE ? "" : trace_name(t, string);
}

// A loop, a statement or a call belongs to its routine and has a number in it, so lines may move.
static uint32_t total_function(store_run *r, const trace *t, const trace_totals *totals, uint32_t i)
{
    const trace_total *f = &totals->totals[i];
    const char *unit = f->unit != TRACE_NONE ? string_or_empty(t, totals->totals[f->unit].name) : "";
    const char *file =
        f->source != TRACE_NONE ? string_or_empty(t, trace_get_source(t, f->source)->name) : "";
    const char *name = string_or_empty(t, f->name);
    char *signature =
        base_format("%s%s%s", *unit ? "in " : "", unit, *unit || !*file ? "" : base_name(file));
    int64_t ordinal = f->kind == TT_UNIT ? 1 : f->seq ? f->seq : f->number > 0 ? f->number : 1;
    if (!*name)
        name = f->kind == TT_LOOP ? "loop" : string_or_empty(t, f->type);
    uint32_t result = store_run_function(r, total_kinds[f->kind], name, signature, ordinal, file, f->line);
    free(signature);
    return result;
}

static void add_traffic(store_run *r, const trace_totals *totals)
{
    for (uint32_t i = 0; i < totals->ntraffic; i++) {
        const trace_traffic *m = &totals->traffic[i];
        uint32_t from = node_place(r, totals, m->from), to = node_place(r, totals, m->to);
        ARRAY_PUSH(r->messages, ((store_message){from, to, m->messages, m->bytes}));
    }
}

static void add_data_files(store_run *r, const trace *t, const trace_totals *totals)
{
    for (uint32_t i = 0; i < totals->nfile_measures; i++) {
        const trace_measure *m = &totals->file_measures[i];
        const trace_data_file *f = &totals->files[m->total];
        char *name = f->name != TRACE_NONE ? base_copy(trace_name(t, f->name))
                                           : base_format("unit %lld", (long long)f->number);
        ARRAY_PUSH(r->accesses,
                   ((store_access){-1, name, base_copy("statements"), m->times, m->bytes, m->time}));
    }
}

static void add_totals(store_run *r, const trace *t, const trace_totals *totals)
{
    uint32_t *functions = base_allocate(totals->ntotals, sizeof *functions);
    for (uint32_t i = 0; i < totals->nnodes; i++)
        node_place(r, totals, i);
    for (uint32_t i = 0; i < totals->ntotals; i++)
        functions[i] = total_function(r, t, totals, i);
    for (uint32_t i = 0; i < totals->nmeasures; i++) {
        const trace_measure *m = &totals->measures[i];
        uint32_t place = node_place(r, totals, m->node);
        double inclusive = observed(m->inclusive), exclusive = observed(m->time);
        store_run_profile(r, functions[m->total], place, observed(m->times), NAN,
                          isnan(inclusive) ? exclusive : inclusive, exclusive);
        if (m->bytes != TRACE_UNOBSERVED)
            add_measurement(r, functions[m->total], place, "bytes", "bytes", (double)m->bytes);
        if (m->rotation != TRACE_UNOBSERVED && totals->totals[m->total].kind == TT_LOOP)
            add_measurement(r, functions[m->total], place, "iterations", "iterations", (double)m->rotation);
    }
    add_traffic(r, totals);
    add_data_files(r, t, totals);
    free(functions);
}

// ---------------------------------------------------------------------------------------------
// Measured programs: the timeline

// Whether totals tell of it already.
static bool is_in_totals(const trace_totals *totals, trace_kind kind)
{
    if (!totals)
        return false;
    switch (trace_kind_role(kind, false)) {
    case TRACE_ROLE_BASE:
    case TRACE_ROLE_CALL:
        return kind != TRACE_KIND_REGION;
    default:
        return kind == TRACE_KIND_NONE;
    }
}

// The function of a predicate: its construct; of what waits in a construct, "implied_barrier in region
// heat.c".
static uint32_t construct_function(store_run *r, const trace *t, const iot_lasting *constructs,
                                   uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    const trace_module *m = trace_get_module(t, p->module);
    const iot_lasting *c = &constructs[p->module];
    const char *file = m->source != TRACE_NONE ? trace_name(t, trace_get_source(t, m->source)->name) : "";
    const char *kind = p->kind ? trace_kind_name(p->kind) : trace_kind_name(m->kind);
    bool own = !p->kind || p->kind == m->kind;
    char *name = own ? base_copy(c->name) : base_format("%s in %s", kind ? kind : "?", c->name);
    uint32_t f = store_run_function(r, kind ? kind : "activity", name, "", c->ordinal, file, m->line);
    free(name);
    return f;
}

static uint32_t timeline_place(store_run *r, const trace *t, uint32_t place)
{
    const char *own = trace_place_name(t, place);
    char *name = own ? base_copy(own) : base_format("place %u", place);
    uint32_t result = store_run_place(r, place, name);
    free(name);
    return result;
}

static void add_timeline(store_run *r, const trace *t, const trace_totals *totals)
{
    uint32_t n = trace_npredicates(t), nplaces = trace_nplaces(t);
    iot_lasting *constructs = iot_lasting_names(t);
    uint32_t *functions = base_allocate(n, sizeof *functions),
             *places = base_allocate(nplaces, sizeof *places);
    memset(functions, 0xff, n * sizeof *functions);
    for (uint32_t i = 0; i < nplaces; i++)
        places[i] = timeline_place(r, t, i);
    for (uint32_t i = 1; i < trace_nreductions(t); i++) {
        uint32_t predicate = trace_get_clause(t, trace_reduction_clause(t, i))->predicate;
        uint32_t place = trace_place(t, i);
        trace_kind kind = trace_get_predicate(t, predicate)->kind;
        if (is_in_totals(totals, kind) || place >= nplaces)
            continue;
        if (functions[predicate] == UINT32_MAX)
            functions[predicate] = construct_function(r, t, constructs, predicate);
        double took = (double)(trace_end(t, i) - trace_start(t, i));
        store_run_profile(r, functions[predicate], places[place], 1, NAN, took, took);
    }
    iot_lasting_free(t, constructs);
    if (r->messages.n == 0)
        store_run_count_messages(r, t, places);
    free(functions);
    free(places);
}

static int64_t longest_node(const trace_totals *totals)
{
    int64_t longest = -1;
    for (uint32_t i = 0; i < totals->nnodes; i++)
        if (totals->nodes[i].elapsed != TRACE_UNOBSERVED && totals->nodes[i].elapsed > longest)
            longest = totals->nodes[i].elapsed;
    return longest;
}

// How many took part, if that is the same in each trial: ranks, or threads of the largest team. How many
// threads a program with threads of its own was seen to have depends on chance.
static void set_team(store_run *r, const trace *t, const trace_totals *totals)
{
    const trace_regions *regions = trace_get_regions(t);
    uint32_t threads = 0;
    for (uint32_t i = 0; regions && i < regions->nregions; i++)
        threads = regions->regions[i].threads > threads ? regions->regions[i].threads : threads;
    if (totals && totals->nnodes > 1)
        set_number(r, "ranks", totals->nnodes);
    if (threads > 0)
        set_number(r, "threads", threads);
}

static void add_measured(store_run *r, const trace *t)
{
    const trace_totals *totals = trace_get_totals(t);
    r->elapsed = trace_elapsed(t);
    if (totals) {
        add_totals(r, t, totals);
        if (r->elapsed <= 0)
            r->elapsed = longest_node(totals);
    }
    // Places of totals are processes, those of the timeline threads: together they would count twice.
    if (trace_nreductions(t) > 1 && !(totals && totals->nmeasures && totals->nnodes != trace_nplaces(t)))
        add_timeline(r, t, totals);
    set_team(r, t, totals);
}

store_run *store_run_from_trace(const char *path, const trace *t,
                                bool (*progress)(void *data, double fraction), void *data)
{
    store_run *r = store_run_create(base_name(path), "trace");
    r->path = realpath(path, NULL);
    r->application = application_of(t);
    r->ending = base_copy(ending_of(t));
    if (trace_is_measured(t) || trace_nreductions(t) <= 1) {
        add_measured(r, t);
        return r;
    }
    iot_partition *partition = iot_partition_default(t);
    iot *a = iot_analyse(t, partition, progress, data);
    iot_partition_destroy(partition);
    if (!a) {
        store_run_destroy(r);
        return NULL;
    }
    r->work = (int64_t)iot_work(a);
    r->span = iot_span(a);
    if (trace_get_clock(t) == TRACE_REAL) {
        r->elapsed = trace_elapsed(t);
        add_workers(r, a);
    } else {
        add_steps(r, a);
        store_run_set_key(r, "machine", "ideal");
    }
    iot_destroy(a);
    return r;
}
