// SPDX-License-Identifier: MIT
//
// Where findings are, chains of causes, and what is lit.
#include "paf/model/focus.h"
#include "paf/model/details.h"
#include "paf/model/real_times.h"
#include "base/search.h"
#include "iotree/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOOKED (1u << 16) // reductions that are looked at to find a stretch; of more, every so many
#define FEW_LOOKED  (1u << 15) // the same, of each of several findings
#define GOOD_PART   4          // one of so many
#define MOST_OF_IT  0.8        // share of a finding that its stretch holds
#define MOST_OF_NODE 200u      // inputs and outputs of a node that are asked whether they are lit
#define MOST_STEPS  50000u     // of a chain, found at once
#define MOST_LINKS  8u         // of a pair, listed
#define MOST_ASKED  400000u    // links of a pair among which these are looked for

static paf_focus *create(const paf_model *m, paf_focus_kind kind, iot_clock clock)
{
    paf_focus *f = g_new0(paf_focus, 1);
    f->references = 1;
    f->kind = kind;
    f->model = m;
    f->clock = clock;
    f->finding = f->longest = f->asked = f->link = f->from_module = f->to_module = IOT_NONE;
    return f;
}

paf_focus *paf_focus_ref(paf_focus *f)
{
    g_atomic_int_inc(&f->references);
    return f;
}

void paf_focus_unref(paf_focus *f)
{
    if (!f || !g_atomic_int_dec_and_test(&f->references))
        return;
    g_free(f->clauses);
    g_free(f->places);
    if (f->rows)
        g_array_unref(f->rows);
    if (f->members)
        g_array_unref(f->members);
    if (f->links)
        g_array_unref(f->links);
    if (f->findings)
        g_array_unref(f->findings);
    if (f->waits)
        g_array_unref(f->waits);
    g_free(f->path_of);
    g_free(f);
}

// ---------------------------------------------------------------------------------------------
// Which reductions a finding is about

// How surely the reductions of a clause are meant by a location.
enum { NOT_MEANT, MEANT, BY_LINE }; // BY_LINE: of a built-in, those whose goals stand there

static uint8_t meaning(const trace *t, const iot_location *l, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    if (l->predicate != IOT_NONE && c->predicate != l->predicate)
        return NOT_MEANT;
    if (l->line == 0)
        return l->predicate == IOT_NONE ? NOT_MEANT : MEANT;
    if (c->source == TRACE_NONE)
        return l->predicate == IOT_NONE ? NOT_MEANT : BY_LINE;
    bool there = c->source == l->source && c->line <= l->line && l->line <= MAX(c->end_line, c->line);
    return there ? MEANT : NOT_MEANT;
}

static uint32_t mark_clauses(paf_focus *f, const trace *t)
{
    uint32_t marked = 0;
    for (uint32_t c = 0; c < trace_nclauses(t); c++)
        for (uint32_t i = 0; i < f->nplaces && !f->clauses[c]; i++) {
            f->clauses[c] = meaning(t, &f->places[i], c);
            marked += f->clauses[c] != NOT_MEANT;
        }
    return marked;
}

static bool is_at(const paf_model *m, const iot_location *l, uint32_t reduction, uint8_t how)
{
    uint32_t process = l->module == IOT_NONE ? IOT_NONE : iot_process_of(m->a, reduction);
    if (l->module != IOT_NONE &&
        (process == IOT_NONE || iot_get_process(m->a, process)->module != l->module))
        return false;
    if (how != BY_LINE || l->line == 0)
        return true;
    uint32_t source;
    return iot_reduction_line(m->t, reduction, &source) == l->line && source == l->source;
}

static bool finding_lights(const paf_focus *f, const paf_model *m, uint32_t reduction)
{
    if (reduction == f->longest)
        return true;
    uint32_t clause = trace_reduction_clause(m->t, reduction);
    if (reduction == 0 || f->clauses[clause] == NOT_MEANT)
        return false;
    for (uint32_t i = 0; i < f->nplaces; i++)
        if (meaning(m->t, &f->places[i], clause) && is_at(m, &f->places[i], reduction, f->clauses[clause]))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// The stretch that holds most of a finding

// From when the goal was created until it was reduced; of a measured activity all of it.
typedef struct {
    int64_t from, to;
    uint32_t reduction;
} moment;

static moment moment_of(const paf_model *m, iot_clock clock, uint32_t reduction)
{
    if (trace_is_measured(m->t)) {
        int64_t end = clock == IOT_REAL_TIME ? trace_end(m->t, reduction) : trace_time(m->t, reduction);
        int64_t took = clock == IOT_REAL_TIME ? end - trace_start(m->t, reduction)
                                              : trace_cost(m->t, reduction);
        return (moment){end - took, end, reduction};
    }
    int64_t to = paf_reduced(m, clock, reduction);
    int64_t from = paf_goal_created(m, clock, trace_reduction_goal(m->t, reduction));
    return (moment){MIN(from, to), to, reduction};
}

static double weight(const moment *x)
{
    return (double)(x->to - x->from) + 1;
}

static int by_end(const void *x, const void *y)
{
    const moment *a = x, *b = y;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->reduction < b->reduction ? -1 : a->reduction > b->reduction;
}

static void add_moment(const paf_focus *f, const paf_model *m, GArray *found, uint32_t reduction)
{
    if (!finding_lights(f, m, reduction))
        return;
    moment x = moment_of(m, f->clock, reduction);
    g_array_append_val(found, x);
}

// Those on the critical path, if a good part of all is there; else all.
static GArray *find_moments(paf_focus *f, const paf_model *m, uint32_t most)
{
    GArray *path = g_array_new(FALSE, FALSE, sizeof(moment));
    GArray *all = g_array_new(FALSE, FALSE, sizeof(moment));
    uint32_t n = iot_critical_length(m->a), step = n / most + 1;
    for (uint32_t i = 0; i < n; i += step)
        add_moment(f, m, path, iot_critical_step(m->a, i).reduction);
    n = trace_nreductions(m->t);
    step = n / most + 1;
    for (uint32_t r = 1; r < n; r += step)
        add_moment(f, m, all, r);
    f->on_path = path->len > 0 && path->len >= all->len / GOOD_PART;
    GArray *found = f->on_path ? path : all;
    g_array_unref(f->on_path ? all : path);
    f->count = found->len;
    if (found->len)
        qsort(found->data, found->len, sizeof(moment), by_end);
    return found;
}

// The shortest stretch whose moments weigh most of all, with the whole of its heaviest one.
static void find_stretch(paf_focus *f, const GArray *found)
{
    const moment *all = (const moment *)found->data;
    double sum = 0, held = 0;
    guint first = 0, best_first = 0, best_last = found->len - 1;
    int64_t best = INT64_MAX;
    for (guint i = 0; i < found->len; i++)
        sum += weight(&all[i]);
    for (guint last = 0; last < found->len; last++) {
        held += weight(&all[last]);
        while (first < last && held - weight(&all[first]) >= sum * MOST_OF_IT)
            held -= weight(&all[first++]);
        if (held >= sum * MOST_OF_IT && all[last].to - all[first].to < best) {
            best = all[last].to - all[first].to;
            best_first = first;
            best_last = last;
        }
    }
    guint longest = best_first;
    for (guint i = best_first; i <= best_last; i++)
        if (weight(&all[i]) > weight(&all[longest]))
            longest = i;
    f->from = MIN(all[best_first].to, all[longest].from);
    f->to = all[best_last].to;
    f->longest = all[longest].reduction;
}

static void add_place(paf_focus *f, iot_location place)
{
    f->places = g_renew(iot_location, f->places, f->nplaces + 1);
    f->places[f->nplaces++] = place;
}

static iot_location place_of_clause(const trace *t, uint32_t clause, uint32_t module)
{
    const trace_clause *c = trace_get_clause(t, clause);
    return (iot_location){c->source, c->source == TRACE_NONE ? 0 : c->line, c->predicate, module};
}

// Of a note its reduction and clause are known, of a finding its places, too. *ret: its example.
static void take_places(paf_focus *f, const paf_model *m, uint32_t index, uint32_t *ret)
{
    uint32_t notes = iot_nnotes(m->a), clause, module;
    if (index < notes) {
        const iot_note *note = iot_get_note(m->a, index);
        *ret = note->reduction;
        clause = note->clause;
        module = note->module;
    } else {
        const iot_finding *x = iot_get_finding(m->a, false, index - notes);
        *ret = x->reduction;
        clause = x->clause;
        module = x->place.module;
        if (clause == IOT_NONE && x->place.predicate != IOT_NONE)
            add_place(f, x->place);
        for (uint32_t i = 0; i < x->nalso; i++)
            add_place(f, x->also[i]);
    }
    if (clause != IOT_NONE)
        add_place(f, place_of_clause(m->t, clause, module));
    else if (f->nplaces == 0 && *ret != IOT_NONE && *ret != 0)
        add_place(f, place_of_clause(m->t, trace_reduction_clause(m->t, *ret), module));
}

// What it is about, with nothing said yet about when. *ret_moments: in order of time, found among `most`
// reductions at most.
static paf_focus *locate(const paf_model *m, iot_clock clock, uint32_t finding, uint32_t most,
                         GArray **ret_moments)
{
    paf_focus *f = create(m, PAF_FOCUS_FINDING, clock);
    uint32_t example;
    f->finding = finding;
    f->clauses = g_new0(uint8_t, trace_nclauses(m->t));
    take_places(f, m, finding, &example);
    mark_clauses(f, m->t);
    *ret_moments = find_moments(f, m, most);
    if ((*ret_moments)->len == 0 && example != IOT_NONE && example != 0 &&
        example < trace_nreductions(m->t)) {
        moment x = moment_of(m, clock, example);
        f->count = 1;
        g_array_append_val(*ret_moments, x);
    }
    return f;
}

static uint32_t count_findings(const paf_model *m)
{
    return m->complete ? iot_nnotes(m->a) + iot_nfindings(m->a, false) : 0;
}

paf_focus *paf_focus_on_finding(const paf_model *m, iot_clock clock, uint32_t finding)
{
    GArray *found;
    if (finding >= count_findings(m))
        return NULL;
    paf_focus *f = locate(m, clock, finding, MOST_LOOKED, &found);
    bool none = found->len == 0;
    if (!none)
        find_stretch(f, found);
    g_array_unref(found);
    if (!none)
        return f;
    paf_focus_unref(f);
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Chains of causes

static bool continues(const paf_model *m, const paf_chain_row *row, uint32_t reduction)
{
    uint32_t last = row->first;
    return iot_process_of(m->a, last) == iot_process_of(m->a, reduction) &&
           trace_goal_predicate(m->t, trace_reduction_goal(m->t, last)) ==
               trace_goal_predicate(m->t, trace_reduction_goal(m->t, reduction));
}

// `variable`: what the reduction gave to the one that it decided.
static void append(const paf_model *m, paf_focus *f, uint32_t reduction, uint32_t variable, int64_t before)
{
    int64_t time = paf_reduced(m, f->clock, reduction);
    paf_chain_row *end = f->rows->len ? &g_array_index(f->rows, paf_chain_row, f->rows->len - 1) : NULL;
    g_array_append_val(f->members, reduction);
    if (end && continues(m, end, reduction)) {
        end->first = reduction;
        end->from = before;
        end->n++;
        return;
    }
    paf_chain_row row = {reduction, reduction, 1, variable, before, time};
    g_array_append_val(f->rows, row);
}

void paf_focus_extend(const paf_model *m, paf_focus *f)
{
    uint32_t variable = TRACE_NONE, r = f->asked;
    if (f->ended)
        return;
    if (f->members->len) // from its end on
        r = paf_decider(m, g_array_index(f->members, uint32_t, f->members->len - 1), &variable);
    for (uint32_t i = 0; i < MOST_STEPS && r != IOT_NONE && r != 0; i++) {
        uint32_t next_variable, next = paf_decider(m, r, &next_variable);
        bool more = next != IOT_NONE && next != 0 && next < r;
        append(m, f, r, variable, more ? paf_reduced(m, f->clock, next) : 0);
        r = more ? next : IOT_NONE;
        variable = next_variable;
    }
    f->ended = r == IOT_NONE || r == 0;
}

paf_focus *paf_focus_on_chain(const paf_model *m, iot_clock clock, uint32_t reduction)
{
    paf_focus *f = create(m, PAF_FOCUS_CHAIN, clock);
    f->asked = reduction;
    f->rows = g_array_new(FALSE, FALSE, sizeof(paf_chain_row));
    f->members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    paf_focus_extend(m, f);
    return f;
}

static bool is_member(const paf_focus *f, uint32_t reduction)
{
    size_t first;
    FIRST_NOT(first, f->members->len, i, g_array_index(f->members, uint32_t, i) > reduction);
    return first < f->members->len && g_array_index(f->members, uint32_t, first) == reduction;
}

uint32_t paf_focus_row_of(const paf_focus *f, uint32_t reduction)
{
    if (f->kind != PAF_FOCUS_CHAIN || !is_member(f, reduction))
        return IOT_NONE;
    size_t first;
    FIRST_NOT(first, f->rows->len, i, g_array_index(f->rows, paf_chain_row, i).first > reduction);
    return (uint32_t)first;
}

// ---------------------------------------------------------------------------------------------
// Arrows, pairs, stretches

paf_focus *paf_focus_on_arrow(const paf_model *m, iot_clock clock, uint32_t link)
{
    paf_focus *f = create(m, PAF_FOCUS_ARROW, clock);
    f->link = link;
    return f;
}

// The longest waits of a pair. Of very many links every so many are looked at.
static void find_longest(const paf_model *m, paf_focus *f, const paf_pair *pair)
{
    int64_t waits[MOST_LINKS];
    uint32_t step = pair->n / MOST_ASKED + 1;
    f->links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t i = 0; i < pair->n; i += step) {
        uint32_t link = pair->links[i], at = f->links->len;
        int64_t wait = paf_input_wait(m, f->clock, paf_link_input(m, link));
        if (at == MOST_LINKS && wait <= waits[at - 1])
            continue;
        if (at == MOST_LINKS)
            g_array_set_size(f->links, --at);
        while (at > 0 && waits[at - 1] < wait)
            at--;
        for (uint32_t k = f->links->len; k > at; k--)
            waits[k] = waits[k - 1];
        waits[at] = wait;
        g_array_insert_val(f->links, at, link);
    }
}

paf_focus *paf_focus_on_pair(const paf_model *m, iot_clock clock, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < m->npairs; i++) {
        if (m->pairs[i].from != from || m->pairs[i].to != to)
            continue;
        paf_focus *f = create(m, PAF_FOCUS_PAIR, clock);
        f->from_module = from;
        f->to_module = to;
        find_longest(m, f, &m->pairs[i]);
        return f;
    }
    return NULL;
}

static uint32_t path_before(const paf_model *m, iot_clock clock, int64_t time)
{
    size_t first;
    FIRST_NOT(first, iot_critical_length(m->a), i,
              paf_reduced(m, clock, iot_critical_step(m->a, (uint32_t)i).reduction) >= time);
    return (uint32_t)first;
}

// Of a long part of the path every so many steps stand for those beside them.
static void count_path(const paf_model *m, paf_focus *f)
{
    uint32_t to = path_before(m, f->clock, f->to + 1), from = path_before(m, f->clock, f->from);
    uint32_t every = (from - to) / MOST_STEPS + 1;
    f->path_of = g_new0(uint64_t, m->nmodules);
    for (uint32_t i = to; i < from; i += every) {
        uint32_t process = iot_process_of(m->a, iot_critical_step(m->a, i).reduction);
        f->path_steps += every;
        if (process != IOT_NONE)
            f->path_of[iot_get_process(m->a, process)->module] += every;
    }
}

static double share_of(const GArray *found, int64_t from, int64_t to)
{
    double all = 0, there = 0;
    for (guint i = 0; i < found->len; i++) {
        const moment *x = &g_array_index(found, moment, i);
        all += weight(x);
        there += x->to >= from && x->to <= to ? weight(x) : 0;
    }
    return all > 0 ? there / all : 0;
}

static void find_findings(const paf_model *m, paf_focus *f)
{
    for (uint32_t i = iot_nnotes(m->a); m->complete && i < count_findings(m); i++) {
        GArray *found;
        paf_focus *one = locate(m, f->clock, i, FEW_LOOKED, &found);
        paf_share share = {i, share_of(found, f->from, f->to)};
        if (share.share > 0)
            g_array_append_val(f->findings, share);
        paf_focus_unref(one);
        g_array_unref(found);
    }
}

paf_focus *paf_focus_on_stretch(const paf_model *m, iot_clock clock, int64_t from, int64_t to, bool findings)
{
    paf_focus *f = create(m, PAF_FOCUS_STRETCH, clock);
    f->from = from;
    f->to = to;
    f->findings = g_array_new(FALSE, FALSE, sizeof(paf_share));
    count_path(m, f);
    f->waits = m->complete ? paf_waits_within(m, clock, from, to) : NULL;
    if (findings)
        find_findings(m, f);
    return f;
}

// ---------------------------------------------------------------------------------------------
// What is lit

bool paf_focus_dims(const paf_focus *f)
{
    return f && f->kind != PAF_FOCUS_STRETCH;
}

static uint32_t module_of(const paf_model *m, uint32_t process)
{
    return process == IOT_NONE ? IOT_NONE : iot_get_process(m->a, process)->module;
}

bool paf_focus_lights(const paf_focus *f, const paf_model *m, uint32_t reduction)
{
    switch (f->kind) {
    case PAF_FOCUS_FINDING:
        return finding_lights(f, m, reduction);
    case PAF_FOCUS_CHAIN:
        return is_member(f, reduction);
    case PAF_FOCUS_ARROW: {
        const iot_input *in = paf_link_input(m, f->link);
        return reduction == in->reader || reduction == trace_binding_maker(m->t, in->binding);
    }
    case PAF_FOCUS_PAIR: {
        uint32_t module = module_of(m, iot_process_of(m->a, reduction));
        return module == f->from_module || module == f->to_module;
    }
    case PAF_FOCUS_STRETCH:
        break;
    }
    return true;
}

bool paf_focus_lights_node(const paf_focus *f, const paf_model *m, const paf_tree *tree, uint32_t index)
{
    const iot_node *node = iot_tree_node(tree->tree, index);
    if (paf_focus_lights(f, m, node->reduction))
        return true;
    const iot_input *inputs;
    const iot_output *outputs;
    iot_inputs(m->a, tree->process, &inputs);
    iot_outputs(m->a, tree->process, &outputs);
    for (uint32_t i = 0; i < MIN(node->ninputs, MOST_OF_NODE); i++)
        if (paf_focus_lights(f, m, inputs[iot_tree_inputs(tree->tree)[node->first_input + i]].reader))
            return true;
    for (uint32_t i = 0; i < MIN(node->noutputs, MOST_OF_NODE); i++) {
        uint32_t binding = outputs[iot_tree_outputs(tree->tree)[node->first_output + i]].binding;
        if (paf_focus_lights(f, m, trace_binding_maker(m->t, binding)))
            return true;
    }
    return false;
}

bool paf_focus_lights_link(const paf_focus *f, const paf_model *m, uint32_t link)
{
    const iot_input *in = paf_link_input(m, link);
    switch (f->kind) {
    case PAF_FOCUS_ARROW:
        return link == f->link;
    case PAF_FOCUS_PAIR:
        return module_of(m, in->from) == f->from_module &&
               module_of(m, m->links[link].process) == f->to_module;
    case PAF_FOCUS_CHAIN:
        return is_member(f, in->reader) && is_member(f, trace_binding_maker(m->t, in->binding));
    case PAF_FOCUS_FINDING:
        return finding_lights(f, m, in->reader) ||
               finding_lights(f, m, trace_binding_maker(m->t, in->binding));
    case PAF_FOCUS_STRETCH:
        break;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// As text

char *paf_focus_text(const paf_focus *f, const paf_model *m)
{
    switch (f->kind) {
    case PAF_FOCUS_FINDING:
        return g_strdup_printf("finding %" PRIu32, f->finding + 1);
    case PAF_FOCUS_CHAIN:
        return g_strdup_printf("chain %" PRIu32, f->asked);
    case PAF_FOCUS_ARROW: {
        const iot_input *in = paf_link_input(m, f->link);
        return g_strdup_printf("arrow %" PRIu32 " %" PRIu32, in->binding, in->reader);
    }
    case PAF_FOCUS_PAIR:
        return g_strdup_printf("pair %s > %s", iot_get_module(m->a, f->from_module)->name,
                               iot_get_module(m->a, f->to_module)->name);
    case PAF_FOCUS_STRETCH:
        return g_strdup_printf("stretch %" PRId64 " %" PRId64, f->from, f->to);
    }
    return NULL;
}

static paf_focus *arrow_of(const paf_model *m, iot_clock clock, uint32_t binding, uint32_t reader)
{
    uint32_t first, n = binding < trace_nbindings(m->t) ? paf_links_of_binding(m, binding, &first) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (paf_link_input(m, m->by_binding[first + i])->reader == reader)
            return paf_focus_on_arrow(m, clock, m->by_binding[first + i]);
    return NULL;
}

static uint32_t module_named(const paf_model *m, const char *name, size_t length)
{
    for (uint32_t i = 0; i < m->nmodules; i++)
        if (strlen(iot_get_module(m->a, i)->name) == length &&
            !strncmp(iot_get_module(m->a, i)->name, name, length))
            return i;
    return IOT_NONE;
}

static paf_focus *pair_of(const paf_model *m, iot_clock clock, const char *text)
{
    const char *between = strstr(text, " > ");
    uint32_t from = between ? module_named(m, text, (size_t)(between - text)) : IOT_NONE;
    uint32_t to = between ? module_named(m, between + 3, strlen(between + 3)) : IOT_NONE;
    return from == IOT_NONE || to == IOT_NONE ? NULL : paf_focus_on_pair(m, clock, from, to);
}

paf_focus *paf_focus_of_text(const paf_model *m, iot_clock clock, const char *text)
{
    uint32_t a, b;
    int64_t from, to;
    if (!m->complete)
        return NULL;
    if (sscanf(text, "finding %" SCNu32, &a) == 1)
        return a > 0 ? paf_focus_on_finding(m, clock, a - 1) : NULL;
    if (sscanf(text, "chain %" SCNu32, &a) == 1)
        return a > 0 && a < trace_nreductions(m->t) ? paf_focus_on_chain(m, clock, a) : NULL;
    if (sscanf(text, "arrow %" SCNu32 " %" SCNu32, &a, &b) == 2)
        return arrow_of(m, clock, a, b);
    if (sscanf(text, "stretch %" SCNd64 " %" SCNd64, &from, &to) == 2)
        return from >= 0 && from <= to && to <= iot_end(m->a, clock)
                   ? paf_focus_on_stretch(m, clock, from, to, true)
                   : NULL;
    return g_str_has_prefix(text, "pair ") ? pair_of(m, clock, text + 5) : NULL;
}
