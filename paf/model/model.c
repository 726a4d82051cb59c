// SPDX-License-Identifier: MIT
//
// Making a model, in two steps, and looking things up in it.
#include "paf/model/model.h"
#include "paf/model/hues.h"
#include "paf/model/real_times.h"
#include "base/search.h"
#include "iotree/overview.h"

#include <stdlib.h>
#include <string.h>

// A process is drawn as boxes only while a window holds no more outputs of it than this.
#define MOST_OUTPUTS 3000
// Up to this many outputs its tree is built whole, so that panning never waits.
#define WHOLE_OUTPUTS 6000
// Inputs that a tree may list, or a few times what the process takes and gives if that is more: a tree
// whose joins list inputs again and again is not built, one that lists each a few times is.
#define MOST_INPUTS    200000
#define INPUTS_TO_LIST 4

// ---------------------------------------------------------------------------------------------
// Modules and processes

typedef struct {
    uint32_t module;
    uint64_t critical, work;
    bool idle;
} ranked;

static int by_share(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->idle != b->idle)
        return a->idle ? 1 : -1;
    if (a->critical != b->critical)
        return a->critical > b->critical ? -1 : 1;
    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    return a->module < b->module ? -1 : a->module > b->module;
}

static void rank_modules(paf_model *m)
{
    ranked *r = g_new(ranked, m->nmodules);
    for (uint32_t i = 0; i < m->nmodules; i++) {
        const iot_module *module = iot_get_module(m->a, i);
        // What is measured is of no module `main`; reports leave it out, too.
        bool idle = i == 0 && trace_is_measured(m->t) && !module->work &&
                    !module->waiting && !module->critical;
        r[i] = (ranked){i, module->critical, module->work, idle};
        m->ncards += !idle;
    }
    qsort(r, m->nmodules, sizeof *r, by_share);
    m->order = g_new(uint32_t, m->nmodules);
    m->rank = g_new(uint32_t, m->nmodules);
    for (uint32_t i = 0; i < m->nmodules; i++) {
        m->order[i] = r[i].module;
        m->rank[r[i].module] = i;
    }
    g_free(r);
}

// True if the process takes or gives anything: others have nothing to show.
static bool has_traffic(const iot *a, uint32_t process)
{
    const iot_input *inputs;
    const iot_output *outputs;
    return iot_outputs(a, process, &outputs) > 0 || iot_inputs(a, process, &inputs) > 0;
}

static void group_processes(paf_model *m)
{
    uint32_t n = iot_nprocesses(m->a);
    m->first_process = g_new0(uint32_t, m->nmodules + 1);
    m->processes = g_new(uint32_t, n);
    for (uint32_t p = 0; p < n; p++)
        if (has_traffic(m->a, p))
            m->first_process[iot_get_process(m->a, p)->module + 1]++;
    for (uint32_t i = 0; i < m->nmodules; i++)
        m->first_process[i + 1] += m->first_process[i];
    uint32_t *next = g_memdup2(m->first_process, m->nmodules * sizeof *next);
    for (uint32_t p = 0; p < n; p++)
        if (has_traffic(m->a, p))
            m->processes[next[iot_get_process(m->a, p)->module]++] = p;
    g_free(next);
}

static void sum_waits(paf_model *m)
{
    m->waits = g_new0(uint64_t, m->nmodules);
    m->awaited = g_new0(uint64_t, m->nmodules);
    for (uint32_t i = 0; i < iot_ndependencies(m->a); i++) {
        const iot_dependency *d = iot_get_dependency(m->a, i);
        if (d->from == d->to)
            continue;
        m->waits[d->to] += d->wait;
        m->awaited[d->from] += d->wait;
    }
}

static void copy_clauses(paf_model *m, const trace_summary *s)
{
    for (uint32_t c = 0; c < s->nclauses; c++) {
        m->clause_work[c] = s->clauses[c].work;
        m->clause_module[c] = s->clauses[c].module;
    }
}

static void count_clauses(paf_model *m)
{
    uint32_t n = trace_nclauses(m->t);
    m->clause_work = g_new0(uint64_t, n + 1);
    m->clause_module = g_new(uint32_t, n + 1);
    memset(m->clause_module, 0xff, (n + 1) * sizeof *m->clause_module);
    if (iot_is_overview(m->a)) {
        copy_clauses(m, trace_get_summary(m->t));
        return;
    }
    for (uint32_t r = 1; r < trace_nreductions(m->t); r++) {
        uint32_t clause = trace_reduction_clause(m->t, r);
        m->clause_work[clause]++;
        m->clause_module[clause] = iot_get_process(m->a, iot_process_of(m->a, r))->module;
    }
}

static void make_timeline(paf_model *m)
{
    if (!trace_is_measured(m->t))
        return;
    m->timeline = paf_timeline_create(m->a, IOT_REAL_TIME);
    m->replayed = paf_timeline_create(m->a, IOT_VIRTUAL_TIME);
    paf_timeline_make_blocks(m->timeline, m->a, m->rank, m->nmodules);
    iot_bucket any; // a picture by real time is not to wait for these sums
    iot_profile_by(m->a, IOT_REAL_TIME, IOT_REDUCTIONS, IOT_NONE, 0, 1, 1, &any);
}

bool paf_model_has_real(const paf_model *m)
{
    return m->timeline != NULL && (trace_is_measured(m->t) || m->real != NULL);
}

bool paf_model_make_real(paf_model *m)
{
    if (paf_model_has_real(m) || !iot_has_real_time(m->t))
        return iot_has_real_time(m->t);
    m->real = paf_real_times_create(m->a);
    m->timeline = paf_timeline_create(m->a, IOT_REAL_TIME);
    paf_timeline_make_blocks(m->timeline, m->a, m->rank, m->nmodules);
    GHashTableIter trees; // built before
    gpointer tree;
    g_hash_table_iter_init(&trees, m->trees);
    while (g_hash_table_iter_next(&trees, NULL, &tree))
        if (((paf_tree *)tree)->tree)
            ((paf_tree *)tree)->real = paf_node_times_make(m, tree);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Links

const iot_input *paf_link_input(const paf_model *m, uint32_t link)
{
    const iot_input *inputs;
    iot_inputs(m->a, m->links[link].process, &inputs);
    return &inputs[m->links[link].input];
}

// Calls for each input that another process made, process by process.
typedef void link_visitor(void *data, uint32_t process, uint32_t index, const iot_input *input);

static void visit_links(const iot *a, link_visitor *visit, void *data)
{
    for (uint32_t p = 0; p < iot_nprocesses(a); p++) {
        const iot_input *inputs;
        uint32_t n = iot_inputs(a, p, &inputs);
        for (uint32_t i = 0; i < n; i++)
            if (inputs[i].binding != IOT_NONE && inputs[i].from != IOT_NONE)
                visit(data, p, i, &inputs[i]);
    }
}

typedef struct {
    paf_model *m;
    uint32_t *next; // by reducer (counting sort): where its next link goes
} link_sort;

static void count_link(void *data, uint32_t process, uint32_t index, const iot_input *input)
{
    (void)index;
    link_sort *s = data;
    s->next[input->reader + 1]++;
    s->m->nlinks++;
    s->m->process_waits[process] += (uint64_t)input->wait;
}

static void place_link(void *data, uint32_t process, uint32_t index, const iot_input *input)
{
    link_sort *s = data;
    s->m->links[s->next[input->reader]++] = (paf_link){process, index};
}

// Reductions are numbered in order of time, so sorting by reader is sorting by time.
static void sort_links(paf_model *m)
{
    uint32_t n = trace_nreductions(m->t);
    link_sort s = {m, g_new0(uint32_t, (gsize)n + 1)};
    m->process_waits = g_new0(uint64_t, iot_nprocesses(m->a) + 1);
    visit_links(m->a, count_link, &s);
    for (uint32_t r = 0; r < n; r++)
        s.next[r + 1] += s.next[r];
    m->links = g_new(paf_link, m->nlinks);
    visit_links(m->a, place_link, &s);
    g_free(s.next);
}

static void index_links_by_binding(paf_model *m)
{
    uint32_t n = trace_nbindings(m->t);
    uint32_t *next = g_new0(uint32_t, (gsize)n + 1);
    for (uint32_t i = 0; i < m->nlinks; i++)
        next[paf_link_input(m, i)->binding + 1]++;
    for (uint32_t b = 0; b < n; b++)
        next[b + 1] += next[b];
    m->by_binding = g_new(uint32_t, m->nlinks);
    for (uint32_t i = 0; i < m->nlinks; i++)
        m->by_binding[next[paf_link_input(m, i)->binding]++] = i;
    g_free(next);
}

static uint64_t pair_key(const paf_model *m, uint32_t link)
{
    uint32_t from = iot_get_process(m->a, paf_link_input(m, link)->from)->module;
    uint32_t to = iot_get_process(m->a, m->links[link].process)->module;
    return (uint64_t)from * m->nmodules + to;
}

static int by_count(const void *x, const void *y)
{
    const paf_pair *a = x, *b = y;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

// The pair of a link; `before` is that of the link before, which mostly is the same.
static paf_pair *pair_of(const paf_model *m, GHashTable *pairs, uint32_t link, paf_pair *before)
{
    gint64 key = (gint64)pair_key(m, link);
    uint32_t from = (uint32_t)(key / m->nmodules), to = (uint32_t)(key % m->nmodules);
    if (before && before->from == from && before->to == to)
        return before;
    paf_pair *pair = g_hash_table_lookup(pairs, &key);
    if (!pair) {
        pair = g_new0(paf_pair, 1);
        pair->from = from;
        pair->to = to;
        g_hash_table_insert(pairs, g_memdup2(&key, sizeof key), pair);
    }
    return pair;
}

static void collect_pairs(paf_model *m)
{
    GHashTable *counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    paf_pair *last = NULL;
    for (uint32_t i = 0; i < m->nlinks; i++) {
        last = pair_of(m, counts, i, last);
        last->n++;
    }
    GHashTableIter iterator;
    gpointer value;
    g_hash_table_iter_init(&iterator, counts);
    while (g_hash_table_iter_next(&iterator, NULL, &value)) {
        paf_pair *pair = value;
        pair->links = g_new(uint32_t, pair->n);
        pair->waited = g_new0(uint64_t, pair->n / PAF_PAIR_BLOCK + 2);
        pair->spans = paf_wait_spans_create(pair->n);
        pair->n = 0;
    }
    for (uint32_t i = 0; i < m->nlinks; i++) {
        last = pair_of(m, counts, i, last);
        uint64_t *block = &last->waited[last->n / PAF_PAIR_BLOCK];
        if (last->n % PAF_PAIR_BLOCK == 0)
            block[1] = block[0];
        block[1] += (uint64_t)paf_link_input(m, i)->wait;
        paf_wait_span_take(m, IOT_VIRTUAL_TIME, &last->spans[last->n / PAF_PAIR_BLOCK], paf_link_input(m, i));
        last->links[last->n++] = i;
    }
    m->pairs = g_new(paf_pair, g_hash_table_size(counts));
    g_hash_table_iter_init(&iterator, counts);
    while (g_hash_table_iter_next(&iterator, NULL, &value))
        m->pairs[m->npairs++] = *(paf_pair *)value;
    if (m->npairs)
        qsort(m->pairs, m->npairs, sizeof *m->pairs, by_count);
    g_hash_table_destroy(counts);
}

static uint32_t first_link_of(const paf_model *m, uint64_t binding)
{
    size_t first;
    FIRST_NOT(first, m->nlinks, i, paf_link_input(m, m->by_binding[i])->binding < binding);
    return (uint32_t)first;
}

uint32_t paf_links_of_binding(const paf_model *m, uint32_t binding, uint32_t *ret_first)
{
    *ret_first = first_link_of(m, binding);
    return first_link_of(m, (uint64_t)binding + 1) - *ret_first;
}

// ---------------------------------------------------------------------------------------------
// Creation

static void free_tree(gpointer tree)
{
    paf_tree_destroy(tree);
}

static bool report(iot_progress progress, void *data, double fraction)
{
    return !progress || progress(data, fraction);
}

static paf_model *new_model(const iot *a)
{
    paf_model *m = g_new0(paf_model, 1);
    m->a = a;
    m->t = iot_trace(a);
    m->span = iot_span(a);
    m->nmodules = iot_nmodules(a);
    m->trees = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_tree);
    m->profiles = paf_profiles_create(m->a);
    return m;
}

// What is there before there are links.
static void make_empty(paf_model *m)
{
    m->first_process = g_new0(uint32_t, m->nmodules + 1);
    m->waits = g_new0(uint64_t, m->nmodules);
    m->awaited = g_new0(uint64_t, m->nmodules);
    m->waiting = g_new0(paf_waiting_goals, 1);
}

paf_model *paf_model_begin(const iot *a, iot_progress progress, void *data)
{
    paf_model *m = new_model(a);
    make_empty(m);
    rank_modules(m);
    m->hue = paf_hues_of(a);
    count_clauses(m);
    bool go_on = report(progress, data, 0.4);
    if (go_on)
        make_timeline(m);
    if (go_on && report(progress, data, 1))
        return m;
    paf_model_destroy(m);
    return NULL;
}

typedef struct {
    iot_progress progress;
    void *data;
} analysing;

// The analysis is most of it.
static bool report_analysis(void *data, double fraction)
{
    analysing *x = data;
    return report(x->progress, x->data, 0.8 * fraction);
}

paf_model *paf_model_rest(const iot *a, iot_progress progress, void *data)
{
    paf_model *m = new_model(a);
    analysing x = {progress, data};
    void (*const stages[])(paf_model *) = {group_processes, sum_waits, sort_links,
                                           index_links_by_binding, collect_pairs};
    bool go_on = iot_prepare(a, report_analysis, &x);
    if (go_on)
        m->waiting = paf_waiting_goals_find(a);
    for (unsigned i = 0; i < G_N_ELEMENTS(stages) && go_on; i++) {
        stages[i](m);
        go_on = report(progress, data, 0.8 + 0.2 * (i + 1) / (double)G_N_ELEMENTS(stages));
    }
    if (go_on)
        return m;
    paf_model_destroy(m);
    return NULL;
}

void paf_model_join(paf_model *m, paf_model *rest)
{
    paf_model both = *m;
    both.complete = true;
    both.first_process = rest->first_process;
    both.processes = rest->processes;
    both.waits = rest->waits;
    both.awaited = rest->awaited;
    both.nlinks = rest->nlinks;
    both.process_waits = rest->process_waits;
    both.links = rest->links;
    both.by_binding = rest->by_binding;
    both.npairs = rest->npairs;
    both.pairs = rest->pairs;
    both.waiting = rest->waiting;
    rest->waiting = m->waiting;
    rest->first_process = m->first_process; // what was empty
    rest->waits = m->waits;
    rest->awaited = m->awaited;
    rest->processes = rest->by_binding = NULL;
    rest->process_waits = NULL;
    rest->links = NULL;
    rest->pairs = NULL;
    rest->npairs = 0;
    *m = both;
    paf_model_destroy(rest);
}

paf_model *paf_model_create(const iot *a, iot_progress progress, void *data)
{
    paf_model *m = paf_model_begin(a, progress, data);
    paf_model *rest = m ? paf_model_rest(a, progress, data) : NULL;
    if (rest) {
        paf_model_join(m, rest);
        return m;
    }
    paf_model_destroy(m);
    return NULL;
}

void paf_model_destroy(paf_model *m)
{
    if (!m)
        return;
    g_hash_table_destroy(m->trees);
    paf_profiles_destroy(m->profiles);
    for (uint32_t i = 0; i < m->npairs; i++) {
        g_free(m->pairs[i].links);
        g_free(m->pairs[i].waited);
        g_free(m->pairs[i].spans);
    }
    g_free(m->pairs);
    g_free(m->by_binding);
    g_free(m->links);
    g_free(m->process_waits);
    paf_waiting_goals_free(m->waiting);
    g_free(m->clause_work);
    g_free(m->clause_module);
    paf_timeline_destroy(m->timeline);
    paf_timeline_destroy(m->replayed);
    paf_real_times_destroy(m->real);
    g_free(m->waits);
    g_free(m->awaited);
    g_free(m->processes);
    g_free(m->first_process);
    g_free(m->rank);
    g_free(m->hue);
    g_free(m->order);
    g_free(m);
}

uint32_t paf_output_of_binding(const iot *a, uint32_t process, uint32_t binding)
{
    const iot_output *outputs;
    uint32_t n = iot_outputs(a, process, &outputs);
    size_t first; // outputs are in the order made, and so are bindings
    FIRST_NOT(first, n, i, outputs[i].binding < binding);
    return first < n && outputs[first].binding == binding ? (uint32_t)first : IOT_NONE;
}

// ---------------------------------------------------------------------------------------------
// Trees

static bool covers(const paf_tree *tree, int64_t from, int64_t to)
{
    return tree->whole || (tree->from <= from && tree->to >= to);
}

// The steps of a window of real time, as far as the process gives anything then.
static bool to_steps(const paf_model *m, uint32_t process, int64_t *from, int64_t *to)
{
    return m->real && paf_steps_of_outputs(m, process, *from, *to, MOST_OUTPUTS, from, to);
}

paf_tree *paf_model_tree(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                         int64_t to)
{
    paf_tree *tree = g_hash_table_lookup(m->trees, GUINT_TO_POINTER(process));
    if (!tree || !tree->tree)
        return NULL;
    if (!tree->whole && clock == IOT_REAL_TIME && !to_steps(m, process, &from, &to))
        return NULL;
    return covers(tree, from, to) ? tree : NULL;
}

bool paf_model_wants(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                     int64_t to, paf_want *ret_want)
{
    const paf_tree *held = g_hash_table_lookup(m->trees, GUINT_TO_POINTER(process));
    const iot_output *outputs;
    uint32_t all = iot_outputs(m->a, process, &outputs);
    if (all == 0 || (held && held->whole && held->tree))
        return false;
    if (all <= WHOLE_OUTPUTS && !(held && covers(held, from, to))) {
        *ret_want = (paf_want){process, INT64_MIN, INT64_MAX};
        return true;
    }
    if (clock == IOT_REAL_TIME && !to_steps(m, process, &from, &to))
        return false;
    bool covered = held && covers(held, from, to);
    if (covered && held->tree)
        return false;
    // Found too large: a part may still do, but only one that is clearly smaller.
    if (covered && !held->whole && (to - from) * 2 > held->to - held->from)
        return false;
    if (paf_outputs_between(m, IOT_VIRTUAL_TIME, process, from, to + 1) > MOST_OUTPUTS)
        return false;
    int64_t margin = to - from; // a window on either side, so that panning rarely waits
    while (margin > 0 && paf_outputs_between(m, IOT_VIRTUAL_TIME, process, from - margin,
                                             to + margin + 1) > 2 * MOST_OUTPUTS)
        margin /= 2;
    *ret_want = (paf_want){process, from - margin, to + margin};
    return true;
}

static int by_index(const void *x, const void *y)
{
    const paf_place *a = x, *b = y;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void index_nodes(paf_tree *tree)
{
    const uint32_t *inputs = iot_tree_inputs(tree->tree), *outputs = iot_tree_outputs(tree->tree);
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        const iot_node *node = iot_tree_node(tree->tree, i);
        tree->ninputs += node->ninputs;
        tree->noutputs += node->noutputs;
    }
    tree->inputs = g_new(paf_place, tree->ninputs);
    tree->outputs = g_new(paf_place, tree->noutputs);
    uint32_t in = 0, out = 0;
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        const iot_node *node = iot_tree_node(tree->tree, i);
        for (uint32_t k = 0; k < node->ninputs; k++)
            tree->inputs[in++] = (paf_place){inputs[node->first_input + k], i};
        for (uint32_t k = 0; k < node->noutputs; k++)
            tree->outputs[out++] = (paf_place){outputs[node->first_output + k], i};
    }
    if (in)
        qsort(tree->inputs, in, sizeof *tree->inputs, by_index);
    if (out)
        qsort(tree->outputs, out, sizeof *tree->outputs, by_index);
}

static uint64_t most_inputs(const iot *a, uint32_t process)
{
    const iot_input *inputs;
    const iot_output *outputs;
    uint64_t all = (uint64_t)iot_inputs(a, process, &inputs) + iot_outputs(a, process, &outputs);
    return MAX(MOST_INPUTS, all * INPUTS_TO_LIST);
}

paf_tree *paf_tree_build(const paf_model *m, const paf_want *want)
{
    paf_tree *tree = g_new0(paf_tree, 1);
    tree->process = want->process;
    tree->from = want->from;
    tree->to = want->to;
    tree->whole = want->from == INT64_MIN && want->to == INT64_MAX;
    tree->level = INT32_MIN;
    bool complete = false;
    tree->tree = iot_tree_build(m->a, want->process, MAX(want->from, 0), MIN(want->to, m->span),
                                most_inputs(m->a, want->process), &complete);
    if (tree->tree && !complete) {
        iot_tree_destroy(tree->tree);
        tree->tree = NULL;
    }
    if (tree->tree) {
        tree->nnodes = iot_tree_nnodes(tree->tree);
        index_nodes(tree);
        if (m->real)
            tree->real = paf_node_times_make(m, tree);
    }
    return tree;
}

void paf_tree_destroy(paf_tree *tree)
{
    if (!tree)
        return;
    if (tree->tree)
        iot_tree_destroy(tree->tree);
    g_free(tree->inputs);
    g_free(tree->outputs);
    g_free(tree->real);
    g_free(tree->rows);
    g_free(tree);
}

void paf_model_take(paf_model *m, paf_tree *tree)
{
    g_hash_table_replace(m->trees, GUINT_TO_POINTER(tree->process), tree);
}

static uint32_t first_place(const paf_place *places, uint32_t n, uint64_t index)
{
    size_t first;
    FIRST_NOT(first, n, i, places[i].index < index);
    return (uint32_t)first;
}

uint32_t paf_tree_node_of_output(const paf_tree *tree, uint32_t output)
{
    uint32_t i = first_place(tree->outputs, tree->noutputs, output);
    return i < tree->noutputs && tree->outputs[i].index == output ? tree->outputs[i].node
                                                                  : IOT_NONE;
}

uint32_t paf_tree_nodes_of_input(const paf_tree *tree, uint32_t input, uint32_t *ret_first)
{
    *ret_first = first_place(tree->inputs, tree->ninputs, input);
    return first_place(tree->inputs, tree->ninputs, (uint64_t)input + 1) - *ret_first;
}

// Inputs are in the order in which they are read first.
static uint32_t node_that_reads(const paf_model *m, const paf_tree *tree, uint32_t reduction)
{
    const iot_input *inputs;
    uint32_t n = iot_inputs(m->a, tree->process, &inputs), place;
    int64_t time = trace_time(m->t, reduction);
    size_t first;
    FIRST_NOT(first, n, i, inputs[i].time < time);
    for (uint32_t i = (uint32_t)first; i < n && inputs[i].time == time; i++)
        if (inputs[i].reader == reduction && paf_tree_nodes_of_input(tree, i, &place) > 0)
            return tree->inputs[place].node;
    return IOT_NONE;
}

uint32_t paf_tree_node_with(const paf_model *m, const paf_tree *tree, uint32_t reduction)
{
    uint32_t end = trace_first_binding(m->t, reduction + 1);
    for (uint32_t b = trace_first_binding(m->t, reduction); b < end; b++) {
        uint32_t output = paf_output_of_binding(m->a, tree->process, b);
        uint32_t node = output == IOT_NONE ? IOT_NONE : paf_tree_node_of_output(tree, output);
        if (node != IOT_NONE)
            return node;
    }
    return node_that_reads(m, tree, reduction);
}
