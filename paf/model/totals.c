// SPDX-License-Identifier: MIT
//
// Flat profiles: sums over nodes, rows, shares, names, and the finding.
#include "paf/model/totals.h"
#include "base/search.h"
#include "paf/model/hues.h"
#include "paf/say/numbers.h"

#include <stdlib.h>
#include <string.h>

// files_reported of the totals of a history, which have no files.
#define OF_FLENG    INT64_MIN
#define OF_MEASURED (INT64_MIN + 1)

// ---------------------------------------------------------------------------------------------
// Nodes

static void add(int64_t *sum, int64_t number)
{
    if (number < 0)
        return;
    if (*sum < 0)
        *sum = number;
    else if (__builtin_add_overflow(*sum, number, sum))
        *sum = INT64_MAX;
}

static void combine(int64_t *so_far, int64_t number, uint32_t nodes, uint32_t *count)
{
    if (number < 0)
        return;
    bool first = *so_far < 0;
    ++*count;
    if (nodes == PAF_NODES_MAX)
        *so_far = first || number > *so_far ? number : *so_far;
    else if (nodes == PAF_NODES_MIN)
        *so_far = first || number < *so_far ? number : *so_far;
    else
        add(so_far, number);
}

trace_measure paf_total_measure(const trace_totals *t, uint32_t total, uint32_t nodes)
{
    if (nodes < PAF_NODES_MEAN)
        return trace_total_at(t, total, nodes);
    trace_measure sum = trace_total_at(t, total, t->nnodes); // nothing was observed there
    int64_t *to[] = {&sum.times, &sum.time, &sum.inclusive, &sum.rotation, &sum.bytes};
    uint32_t counts[5] = {0};
    size_t i; // the place's measures follow each other
    FIRST_NOT(i, t->nmeasures, k, t->measures[k].total < total);
    for (; i < t->nmeasures && t->measures[i].total == total; i++) {
        const trace_measure *m = &t->measures[i];
        const int64_t from[] = {m->times, m->time, m->inclusive, m->rotation, m->bytes};
        for (int k = 0; k < 5; k++)
            combine(to[k], from[k], nodes, &counts[k]);
    }
    for (int k = 0; k < 5 && nodes == PAF_NODES_MEAN; k++)
        if (counts[k] > 0)
            *to[k] /= counts[k];
    return sum;
}

char *paf_process_name(const trace_totals *t, uint32_t node)
{
    return g_strdup_printf("%s %" G_GINT64_FORMAT, t->nodes[node].rank >= 0 ? "rank" : "process",
                           (gint64)trace_node_number(t, node));
}

uint32_t paf_count_processes(const trace_totals *t, uint32_t *ret)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->nnodes; i++) {
        const trace_total_node *a = &t->nodes[i], *b = i > 0 ? a - 1 : NULL;
        n += !b || a->thread < 0 || a->rank != b->rank || a->pid != b->pid;
        if (ret)
            ret[i] = n - 1;
    }
    return n;
}

char *paf_node_name(const trace_totals *t, uint32_t node)
{
    static const char *const choices[] = {"mean", "minimum", "maximum", "sum"};
    if (node >= PAF_NODES_MEAN)
        return g_strdup(choices[node - PAF_NODES_MEAN]);
    char *process = paf_process_name(t, node);
    if (t->nodes[node].thread < 0)
        return process;
    char *name = g_strdup_printf("%s thread %" G_GINT64_FORMAT, process,
                                 (gint64)t->nodes[node].thread);
    g_free(process);
    return name;
}

// ---------------------------------------------------------------------------------------------
// Rows

static int by_value(const void *x, const void *y)
{
    const paf_total_row *a = x, *b = y;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->total < b->total ? -1 : a->total > b->total;
}

static bool is_measured(const trace_measure *m)
{
    return m->times >= 0 || m->time >= 0 || m->inclusive >= 0 || m->rotation >= 0;
}

static void add_measure(trace_measure *sum, const trace_measure *m)
{
    add(&sum->times, m->times);
    add(&sum->time, m->time);
    add(&sum->inclusive, m->inclusive);
    add(&sum->rotation, m->rotation);
    add(&sum->bytes, m->bytes);
}

// Puts together what `at` says of a thing at each node, as `nodes` says.
typedef trace_measure measure_at(const trace_totals *t, uint32_t thing, uint32_t node);

static trace_measure over_nodes(const trace_totals *t, uint32_t nodes, measure_at *at,
                                uint32_t thing)
{
    if (nodes < PAF_NODES_MEAN)
        return at(t, thing, nodes);
    trace_measure sum = trace_total_at(t, t->ntotals, 0); // nothing was observed there
    int64_t *to[] = {&sum.times, &sum.time, &sum.inclusive, &sum.rotation, &sum.bytes};
    uint32_t counts[5] = {0};
    for (uint32_t i = 0; i < t->nnodes; i++) {
        trace_measure m = at(t, thing, i);
        const int64_t from[] = {m.times, m.time, m.inclusive, m.rotation, m.bytes};
        for (int k = 0; k < 5; k++)
            combine(to[k], from[k], nodes, &counts[k]);
    }
    for (int k = 0; k < 5 && nodes == PAF_NODES_MEAN; k++)
        if (counts[k] > 0)
            *to[k] /= counts[k];
    return sum;
}

static void sort_rows(GArray *rows)
{
    g_array_sort(rows, by_value);
}

GArray *paf_total_rows(const trace_totals *t, trace_total_kind kind, uint32_t unit, uint32_t nodes,
                       bool counts)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(paf_total_row));
    for (uint32_t i = 0; i < t->ntotals; i++) {
        if (t->totals[i].kind != kind || (unit != TRACE_NONE && t->totals[i].unit != unit))
            continue;
        paf_total_row row = {.total = i, .m = paf_total_measure(t, i, nodes)};
        row.value = counts ? row.m.times : paf_own_time(&row.m);
        if (is_measured(&row.m))
            g_array_append_val(rows, row);
    }
    g_array_sort(rows, by_value);
    return rows;
}

int64_t paf_totals_sum(const trace_totals *t, trace_total_kind kind, uint32_t nodes)
{
    int64_t sum = TRACE_UNOBSERVED, reported = t->tables[kind].reported;
    for (uint32_t i = 0; i < t->ntotals; i++) {
        if (t->totals[i].kind != kind)
            continue;
        trace_measure m = paf_total_measure(t, i, nodes);
        add(&sum, paf_own_time(&m));
    }
    return reported >= 0 && kind != TT_CALL && t->nnodes == 1 ? reported : sum;
}

double paf_total_share(const trace_totals *t, uint32_t total, const trace_measure *m, int64_t sum)
{
    int64_t time = paf_own_time(m), reported = t->totals[total].share;
    if (t->nnodes == 1 && t->totals[total].kind != TT_CALL && reported >= 0)
        return (double)reported / 1e5;
    return time < 0 || sum < 0 ? -1 : sum == 0 ? 0 : (double)time / (double)sum;
}

paf_total_split paf_split_of(const trace_totals *t, uint32_t unit, uint32_t nodes)
{
    trace_measure own = paf_total_measure(t, unit, nodes);
    paf_total_split s = {TRACE_UNOBSERVED, TRACE_UNOBSERVED, TRACE_UNOBSERVED, TRACE_UNOBSERVED,
                         TRACE_UNOBSERVED};
    int64_t *parts[TRACE_TOTAL_KINDS] = {
        [TT_LOOP] = &s.loops, [TT_IO] = &s.io, [TT_CALL] = &s.communication};
    for (int k = TT_LOOP; k <= TT_CALL; k++)
        if (t->tables[k].observed)
            *parts[k] = 0;
    for (uint32_t i = 0; i < t->ntotals; i++) {
        if (t->totals[i].unit != unit)
            continue;
        trace_measure m = paf_total_measure(t, i, nodes);
        add(parts[t->totals[i].kind], m.time);
    }
    if (own.inclusive >= own.time && own.time >= 0)
        s.calls = own.inclusive - own.time;
    if (own.time >= 0) {
        int64_t known = 0;
        add(&known, s.loops);
        add(&known, s.io);
        add(&known, s.communication);
        s.rest = own.time > known ? own.time - known : 0;
    }
    return s;
}

// ---------------------------------------------------------------------------------------------
// Input and output put together: by the program unit of its statements, or by file

// Of all statements of a unit at one node.
static trace_measure io_of_unit(const trace_totals *t, uint32_t unit, uint32_t node)
{
    trace_measure sum = trace_total_at(t, t->ntotals, 0); // nothing was observed there
    for (uint32_t i = 0; i < t->ntotals; i++) {
        if (t->totals[i].kind != TT_IO || t->totals[i].unit != unit)
            continue;
        trace_measure m = trace_total_at(t, i, node);
        add_measure(&sum, &m);
    }
    return sum;
}

static void append_row(GArray *rows, uint32_t total, trace_measure m, bool counts)
{
    paf_total_row row = {.total = total, .m = m, .value = counts ? m.times : paf_own_time(&m)};
    if (m.times >= 0 || m.time >= 0 || m.inclusive >= 0)
        g_array_append_val(rows, row);
}

GArray *paf_io_rows(const trace_totals *t, paf_io_group group, uint32_t nodes, bool counts)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(paf_total_row));
    for (uint32_t i = 0; i < t->ntotals && group == PAF_IO_UNITS; i++)
        if (t->totals[i].kind == TT_UNIT)
            append_row(rows, i, over_nodes(t, nodes, io_of_unit, i), counts);
    for (uint32_t i = 0; i < t->nfiles && group == PAF_IO_FILES; i++)
        append_row(rows, t->ntotals + i, over_nodes(t, nodes, trace_file_at, i), counts);
    sort_rows(rows);
    return rows;
}

char *paf_file_name(const trace *t, const trace_totals *all, uint32_t file)
{
    const trace_data_file *f = &all->files[file];
    const char *name = paf_total_text(t, f->name), *label = paf_total_text(t, f->label);
    if (name)
        return g_strdup(name);
    if (f->number >= 0)
        return g_strdup_printf("unit %" G_GINT64_FORMAT, (gint64)f->number);
    // The words that ktool's report has where a number should stand.
    return g_strdup(label && strcmp(label, "UNIT NO.") != 0 ? label : "unit not known");
}

bool paf_is_of_file(const trace *t, const trace_totals *all, uint32_t total, uint32_t file)
{
    const trace_data_file *f = &all->files[file];
    const trace_total *p = &all->totals[total];
    if (p->kind != TT_IO)
        return false;
    const char *name = paf_total_text(t, f->name), *own = paf_total_text(t, p->name);
    if (name || own)
        return name && own && strcmp(name, own) == 0;
    return f->number == p->number &&
           g_strcmp0(paf_total_text(t, f->label), paf_total_text(t, p->label)) == 0;
}

// ---------------------------------------------------------------------------------------------
// Words

const char *paf_total_text(const trace *t, uint32_t string)
{
    return string == TRACE_NONE ? NULL : trace_name(t, string);
}

// "evaluator:judge/7", or the name of a module; NULL: not of a history of Fleng.
static char *history_name(const trace_totals *all, const trace_total *place);

static char *name_of_io(const trace *t, const trace_total *p)
{
    const char *type = paf_total_text(t, p->type), *label = paf_total_text(t, p->label);
    const char *file = paf_total_text(t, p->name), *to = "of";
    type = type ? type : "input or output";
    if (g_ascii_strcasecmp(type, "write") == 0)
        to = "to";
    else if (g_ascii_strcasecmp(type, "read") == 0)
        to = "from";
    if (p->number >= 0)
        return g_strdup_printf("%s %s unit %" G_GINT64_FORMAT, type, to, (gint64)p->number);
    if (file || (label && strcmp(label, "UNIT NO.") != 0))
        return g_strdup_printf("%s %s %s", type, to, file ? file : label);
    return p->seq > 0 ? g_strdup_printf("%s %u", type, p->seq) : g_strdup(type);
}

char *paf_total_name(const trace *t, const trace_totals *all, const trace_total *place)
{
    char *own = history_name(all, place);
    if (own)
        return own;
    const char *name = paf_total_text(t, place->name), *label = paf_total_text(t, place->label);
    const char *unit = place->unit == TRACE_NONE ? NULL
                                                 : paf_total_text(t, all->totals[place->unit].name);
    char *what = NULL, *whole;
    if (place->kind == TT_UNIT)
        return g_strdup(name ? name : "unnamed unit");
    if (place->kind == TT_IO)
        what = name_of_io(t, place);
    else if (place->kind == TT_CALL)
        what = g_strdup(name ? name : "a call of MPI");
    else if (label)
        what = g_strdup_printf("loop %s", label);
    else
        what = place->line > 0 ? g_strdup_printf("the loop in line %u", place->line)
                               : g_strdup_printf("loop number %u", place->seq);
    whole = unit ? g_strdup_printf("%s of %s", what, unit) : g_strdup(what);
    g_free(what);
    return whole;
}

char *paf_total_place(const trace *t, const trace_total *place)
{
    if (place->source == TRACE_NONE)
        return NULL;
    const char *file = trace_name(t, trace_get_source(t, place->source)->name);
    return place->line > 0 ? g_strdup_printf("%s:%u", file, place->line) : g_strdup(file);
}

// ---------------------------------------------------------------------------------------------
// The finding

typedef struct {
    uint32_t total;
    int64_t time;
} most;

// The places of a kind that took longest; times over all nodes.
static most longest(const trace_totals *t, trace_total_kind kind)
{
    most m = {TRACE_NONE, 0};
    for (uint32_t i = 0; i < t->ntotals; i++) {
        if (t->totals[i].kind != kind)
            continue;
        trace_measure sum = paf_total_measure(t, i, PAF_NODES_SUM);
        if (paf_own_time(&sum) > m.time)
            m = (most){i, paf_own_time(&sum)};
    }
    return m;
}

// What shares are of, and in words: the units' times, or how long the processes ran, or at least
// what was measured.
static int64_t whole_time(const trace_totals *t, const char **ret_words)
{
    int64_t elapsed = 0;
    *ret_words = "the time";
    if (t->tables[TT_UNIT].observed && paf_totals_sum(t, TT_UNIT, PAF_NODES_SUM) > 0)
        return paf_totals_sum(t, TT_UNIT, PAF_NODES_SUM);
    for (uint32_t i = 0; i < t->nnodes; i++) {
        if (t->nodes[i].elapsed < 0)
            elapsed = INT64_MIN / 2;
        else if (elapsed >= 0)
            add(&elapsed, t->nodes[i].elapsed);
    }
    if (elapsed > 0)
        return elapsed;
    static const char *const words[] = {"", "the time in loops", "the time of input and output",
                                        "the time of calls of MPI"};
    for (int k = TT_LOOP; k <= TT_CALL; k++)
        if (t->tables[k].observed && paf_totals_sum(t, k, PAF_NODES_SUM) > 0) {
            *ret_words = words[k];
            return paf_totals_sum(t, k, PAF_NODES_SUM);
        }
    return 0;
}

// "58 % of the critical path is evaluator:judge/7", of Fleng.
static char *history_finding(const trace_totals *all)
{
    uint32_t best = TRACE_NONE;
    uint64_t highest = 0, path = 0;
    for (uint32_t i = 0; i < all->ntotals; i++) {
        const paf_history_figures *f = paf_history_of(all, i, &path);
        if (all->totals[i].kind == TT_UNIT && f->critical > highest) {
            highest = f->critical;
            best = i;
        }
    }
    if (best == TRACE_NONE)
        return g_strdup("reductions of each predicate");
    char *share = paf_percent((double)highest, (double)path);
    char *name = history_name(all, &all->totals[best]);
    char *text = g_strdup_printf("%s of the critical path is %s", share, name);
    g_free(share);
    g_free(name);
    return text;
}

// A loop, statement or call says more than its unit, if it has at least half of what the largest
// unit has.
char *paf_totals_finding(const trace *t, const trace_totals *all)
{
    if (paf_is_fleng_history(all))
        return history_finding(all);
    const char *words;
    int64_t whole = whole_time(all, &words);
    most unit = longest(all, TT_UNIT), inner = {TRACE_NONE, 0};
    for (int k = TT_LOOP; k <= TT_CALL; k++) {
        most m = longest(all, k);
        inner = m.time > inner.time ? m : inner;
    }
    most best = inner.total != TRACE_NONE && inner.time >= unit.time / 2 ? inner : unit;
    if (best.total == TRACE_NONE || whole <= 0)
        return g_strdup("no times were observed");
    char *share = paf_percent((double)MIN(best.time, whole), (double)whole);
    char *name = paf_total_name(t, all, &all->totals[best.total]);
    char *place = paf_total_place(t, &all->totals[best.total]);
    char *text = g_strdup_printf("%s of %s is %s%s%s", share, words, name, place ? " at " : "",
                                 place ? place : "");
    g_free(share);
    g_free(name);
    g_free(place);
    return text;
}

// ---------------------------------------------------------------------------------------------
// Totals of a history

struct paf_totals {
    trace_totals t; // first: of_history() finds the rest by it
    trace_total_table tables[TRACE_TOTAL_KINDS];
    trace_total_node node;
    trace_total *totals;
    trace_measure *measures;
    char **names; // by total, of Fleng; else NULL
    paf_history_figures *figures;
    uint64_t path; // of all figures' critical
    uint64_t *clause_times; // reductions by clause
};

// The totals of a history; NULL: others.
static const paf_totals *of_history(const trace_totals *all)
{
    return all->files_reported <= OF_MEASURED ? (const paf_totals *)(const void *)all : NULL;
}

// The same of Fleng only.
static const paf_totals *own_of(const trace_totals *all)
{
    return all->files_reported == OF_FLENG ? of_history(all) : NULL;
}

const uint64_t *paf_clause_times(const trace_totals *all)
{
    const paf_totals *own = of_history(all);
    return own ? own->clause_times : NULL;
}

bool paf_is_fleng_history(const trace_totals *all)
{
    return own_of(all) != NULL;
}

static char *history_name(const trace_totals *all, const trace_total *place)
{
    const paf_totals *own = own_of(all);
    return own ? g_strdup(own->names[place - own->totals]) : NULL;
}

const paf_history_figures *paf_history_of(const trace_totals *all, uint32_t total, uint64_t *ret_path)
{
    const paf_totals *own = own_of(all);
    if (!own || total >= all->ntotals)
        return NULL;
    if (ret_path)
        *ret_path = own->path;
    return &own->figures[total];
}

// The line of its first clause in the text.
static void place_predicates(const trace *t, trace_total *totals)
{
    for (uint32_t c = 0; c < trace_nclauses(t); c++) {
        const trace_clause *clause = trace_get_clause(t, c);
        trace_total *p = &totals[clause->predicate];
        if (clause->source == TRACE_NONE || (p->line > 0 && p->line <= clause->line))
            continue;
        p->source = clause->source;
        p->line = clause->line;
    }
}

static uint32_t predicate_of(const trace *t, uint32_t reduction)
{
    return trace_get_clause(t, trace_reduction_clause(t, reduction))->predicate;
}

// From the step after the goal was created to the one before it was reduced, as W(t) counts them.
static uint64_t waited_by(const trace *t, uint32_t goal, int64_t end)
{
    uint32_t parent = trace_goal_parent(t, goal);
    int64_t created = parent == TRACE_NONE ? 0 : trace_time(t, parent);
    return (uint64_t)MAX(end - created, 0);
}

// What was never reduced has no row.
static void count_reductions(paf_totals *own, const trace *t)
{
    bool timed = trace_is_measured(t);
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        uint32_t predicate = predicate_of(t, r), goal = trace_reduction_goal(t, r);
        trace_measure *m = &own->measures[predicate];
        own->clause_times[trace_reduction_clause(t, r)]++;
        add(&m->times, 1);
        if (timed)
            add(&m->time, trace_end(t, r) - trace_start(t, r));
        else if (goal != TRACE_NONE)
            own->figures[predicate].waited += waited_by(t, goal, trace_time(t, r) - 1);
    }
}

// A module is where the predicate of its oldest process is.
static void place_modules(paf_totals *own, const trace *t, const iot *a, uint32_t npredicates)
{
    for (uint32_t p = iot_nprocesses(a); p-- > 0;) {
        const iot_process *process = iot_get_process(a, p);
        const trace_total *entry = &own->totals[trace_goal_predicate(t, process->goal)];
        trace_total *module = &own->totals[npredicates + process->module];
        module->source = entry->source;
        module->line = entry->line;
    }
}

static void add_analysis(paf_totals *own, const trace *t, const iot *a, uint32_t npredicates)
{
    for (uint32_t g = 0; g < trace_ngoals(t) && iot_suspended(a) > 0; g++)
        if (trace_goal_reduction(t, g) == TRACE_NONE)
            own->figures[trace_goal_predicate(t, g)].waited += waited_by(t, g, iot_span(a));
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        const iot_critical_row *row = iot_get_critical_row(a, i);
        own->figures[row->predicate].critical += row->control + row->data;
    }
    own->path = iot_critical_cost(a);
    uint32_t *hues = paf_hues_of(a);
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        const iot_module *module = iot_get_module(a, i);
        uint32_t total = npredicates + i;
        own->names[total] = g_strdup(module->name);
        own->figures[total] = (paf_history_figures){module->critical, module->waiting, hues[i]};
        own->measures[total].times = module->work || module->waiting ? (int64_t)module->work
                                                                      : TRACE_UNOBSERVED;
    }
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        uint32_t process = iot_process_of(a, r);
        if (process != IOT_NONE)
            own->figures[predicate_of(t, r)].hue = hues[iot_get_process(a, process)->module];
    }
    g_free(hues);
    place_modules(own, t, a, npredicates);
}

// With the module of the text where there are several.
static void name_predicates(paf_totals *own, const trace *t)
{
    bool several = false;
    uint32_t first = TRACE_NONE;
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *p = trace_get_predicate(t, i);
        several |= p->origin == TRACE_PROGRAM && first != TRACE_NONE && p->module != first;
        first = p->origin == TRACE_PROGRAM ? p->module : first;
    }
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *p = trace_get_predicate(t, i);
        char *name = paf_predicate_name(t, i);
        bool with = p->origin == TRACE_LIBRARY || (several && p->origin == TRACE_PROGRAM);
        own->names[i] =
            with ? g_strdup_printf("%s:%s", trace_module_name(t, p->module), name) : g_strdup(name);
        g_free(name);
    }
}

static paf_totals *new_totals(const trace *t, const iot *a)
{
    const int64_t none = TRACE_UNOBSERVED;
    bool timed = trace_is_measured(t);
    uint32_t npredicates = trace_npredicates(t), n = npredicates + (a && !timed ? iot_nmodules(a) : 0);
    paf_totals *own = g_new0(paf_totals, 1);
    own->totals = g_new0(trace_total, n + 1);
    own->measures = g_new0(trace_measure, n + 1);
    own->figures = g_new0(paf_history_figures, n + 1);
    own->clause_times = g_new0(uint64_t, trace_nclauses(t) + 1);
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        own->tables[k] = (trace_total_table){k == TT_UNIT || (k == TT_CALL && n > npredicates), none};
    own->node = (trace_total_node){none, none, none, none, none};
    for (uint32_t i = 0; i < n; i++) {
        bool unit = i < npredicates;
        own->totals[i] = (trace_total){unit ? TT_UNIT : TT_CALL,
                                       unit ? trace_get_predicate(t, i)->name : TRACE_NONE,
                                       TRACE_NONE, TRACE_NONE, TRACE_NONE, TRACE_NONE, 0, 0,
                                       none, none, none, none, none};
        own->measures[i] = (trace_measure){i, 0, none, none, none, none, none};
    }
    own->t = (trace_totals){.clock = timed ? TRACE_ELAPSED : TRACE_NO_CLOCK,
                            .tables = own->tables,
                            .files_reported = timed ? OF_MEASURED : OF_FLENG,
                            .nnodes = 1,
                            .ntotals = n,
                            .nmeasures = n,
                            .nodes = &own->node,
                            .totals = own->totals,
                            .measures = own->measures};
    return own;
}

paf_totals *paf_totals_of_history(const trace *t, const iot *a)
{
    if (trace_nreductions(t) == 0)
        return NULL;
    paf_totals *own = new_totals(t, a);
    place_predicates(t, own->totals);
    count_reductions(own, t);
    if (trace_is_measured(t))
        return own;
    own->names = g_new0(char *, own->t.ntotals + 1);
    name_predicates(own, t);
    if (a)
        add_analysis(own, t, a, trace_npredicates(t));
    return own;
}

const trace_totals *paf_totals_get(const paf_totals *own)
{
    return &own->t;
}

void paf_totals_free(paf_totals *own)
{
    if (!own)
        return;
    for (uint32_t i = 0; own->names && i < own->t.ntotals; i++)
        g_free(own->names[i]);
    g_free(own->names);
    g_free(own->figures);
    g_free(own->clause_times);
    g_free(own->totals);
    g_free(own->measures);
    g_free(own);
}
