// SPDX-License-Identifier: MIT
//
// The processes of a run of Fleng, by modules: boxes, one for each node of an IO-Tree, and arrows from an
// output to the inputs that read it. A process with too many of them has its reductions counted instead; of
// processes and arrows there may be too many, too: those are kept that reduced, or were waited for, most.
#include "paf/model/real_times.h"
#include "paf/page/page_private.h"

#include <stdlib.h>

#define MOST_ROWS    1500
#define MOST_NODES   40000 // of all processes
#define MOST_ARROWS  20000
#define MOST_TEXTS   6000 // arrows and boxes that are named
#define MOST_COUNTED 300  // stretches of one process whose reductions are counted
#define MOST_ALL_COUNTED 60000 // of all processes
#define GOAL_CELLS   12

typedef struct {
    paf_page_maker *p;
    iot_clock clock;
    uint32_t nrows;
    uint32_t *rows;    // processes
    uint32_t *row_of;  // by process, or IOT_NONE
    paf_tree **trees;  // by row; NULL: none
    uint32_t nodes, counted, named;
} picture;

// ---- Which processes ------------------------------------------------------------------------

typedef struct {
    uint32_t process;
    uint64_t key;
} ranked;

static int by_key(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? 1 : -1;
    return (a->process > b->process) - (a->process < b->process);
}

// The processes that are shown, those of most reductions first.
static ranked *rank_processes(const paf_page_maker *p, uint32_t *ret_n)
{
    uint32_t n = p->m->nmodules ? p->m->first_process[p->m->nmodules] : 0;
    ranked *all = g_new(ranked, MAX(n, 1));
    for (uint32_t i = 0; i < n; i++)
        all[i] = (ranked){p->m->processes[i], iot_get_process(p->a, p->m->processes[i])->members};
    qsort(all, n, sizeof *all, by_key);
    *ret_n = n;
    return all;
}

static paf_tree *build_tree(picture *s, uint32_t process)
{
    const iot_output *outputs;
    uint32_t n = iot_outputs(s->p->a, process, &outputs);
    if (n == 0 || n > MOST_NODES - s->nodes)
        return NULL;
    paf_want want = {process, INT64_MIN, INT64_MAX};
    paf_tree *tree = paf_tree_build(s->p->m, &want);
    if (!tree->tree || tree->nnodes > MOST_NODES - s->nodes) {
        paf_tree_destroy(tree);
        return NULL;
    }
    s->nodes += tree->nnodes;
    return tree;
}

// Rows are in the order of modules and, within one, of creation.
static void choose_rows(picture *s)
{
    const paf_model *m = s->p->m;
    uint32_t n, kept;
    ranked *all = rank_processes(s->p, &n);
    kept = MIN(n, MOST_ROWS);
    s->row_of = g_new(uint32_t, iot_nprocesses(s->p->a) + 1);
    memset(s->row_of, 0xff, (iot_nprocesses(s->p->a) + 1) * sizeof *s->row_of);
    for (uint32_t i = 0; i < kept; i++)
        s->row_of[all[i].process] = 0;
    s->rows = g_new(uint32_t, MAX(kept, 1));
    for (uint32_t rank = 0; rank < m->nmodules; rank++) {
        uint32_t module = m->order[rank];
        for (uint32_t i = m->first_process[module]; i < m->first_process[module + 1]; i++)
            if (s->row_of[m->processes[i]] != IOT_NONE) {
                s->row_of[m->processes[i]] = s->nrows;
                s->rows[s->nrows++] = m->processes[i];
            }
    }
    s->trees = g_new0(paf_tree *, MAX(kept, 1));
    for (uint32_t i = 0; i < kept; i++)
        s->trees[s->row_of[all[i].process]] = build_tree(s, all[i].process);
    if (kept < n) {
        char *some = paf_number(kept), *whole = paf_number(n);
        paf_page_remark(s->p, "%s of %s processes have rows, those of most reductions.", some, whole);
        g_free(some);
        g_free(whole);
    }
    g_free(all);
}

// ---- Rows -----------------------------------------------------------------------------------

// Seven numbers for each node: when its first input comes, after the one before; how long until the last one;
// from the first input to the first output; to the last output; how far before it its parent is (0: none);
// its spot; whether it has inputs.
static json_t *nodes_json(picture *s, const paf_tree *tree)
{
    json_t *array = json_array();
    int64_t before = 0;
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        const iot_node *node = iot_tree_node(tree->tree, i);
        paf_node_times t = paf_node_by(s->clock, tree, i);
        bool inputs = node->ninputs > 0;
        int64_t from = inputs ? t.input_from : t.output_from;
        paf_page_add(array, from - before);
        paf_page_add(array, inputs ? t.input_to - from : 0);
        paf_page_add(array, t.output_from - from);
        paf_page_add(array, t.output_to - t.output_from);
        paf_page_add(array, node->parent == IOT_NONE ? 0 : (int64_t)i - node->parent);
        paf_page_add(array, paf_page_spot(s->p, node->reduction));
        paf_page_add(array, inputs);
        before = from;
    }
    return array;
}

// Reductions of equal stretches from the row's beginning to its end; zeros as in curves.
static json_t *counts_json(picture *s, uint32_t process, int64_t from, int64_t to)
{
    uint32_t n = MIN(MOST_COUNTED, (uint32_t)MAX(MOST_ALL_COUNTED / MAX(s->nrows, 1), 16));
    const uint32_t *members;
    uint32_t nmembers = iot_members(s->p->a, process, &members);
    uint64_t *counts = g_new0(uint64_t, n);
    for (uint32_t i = 0; i < nmembers; i++) {
        int64_t at = paf_reduced(s->p->m, s->clock, members[i]);
        double share = to > from ? (double)(at - from) / (double)(to - from) : 0;
        counts[CLAMP((int64_t)(share * n), 0, (int64_t)n - 1)]++;
    }
    json_t *array = json_array();
    int64_t zeros = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] && zeros)
            paf_page_add(array, -zeros);
        zeros = counts[i] ? 0 : zeros + 1;
        if (counts[i])
            paf_page_add(array, (int64_t)counts[i]);
    }
    g_free(counts);
    return array;
}

static json_t *row_json(picture *s, uint32_t row)
{
    const paf_page_maker *p = s->p;
    uint32_t process = s->rows[row];
    const iot_process *of = iot_get_process(p->a, process);
    int64_t from = paf_process_created(p->m, s->clock, process);
    int64_t to = paf_process_last(p->m, s->clock, process);
    json_t *o = json_object();
    json_object_set_new(o, "process", json_integer(process));
    json_object_set_new(o, "module", json_integer(p->rank[of->module]));
    json_object_set_new(o, "name", paf_page_take(paf_goal_text(p->t, of->goal, of->created, GOAL_CELLS)));
    json_object_set_new(o, "from", json_integer(from));
    json_object_set_new(o, "to", json_integer(to));
    json_object_set_new(o, "work", json_integer(of->members));
    if (s->trees[row])
        json_object_set_new(o, "nodes", nodes_json(s, s->trees[row]));
    else
        json_object_set_new(o, "counts", counts_json(s, process, from, to));
    return o;
}

// ---- Arrows ---------------------------------------------------------------------------------

static int64_t wait_of(const picture *s, uint32_t link)
{
    return paf_input_wait(s->p->m, s->clock, paf_link_input(s->p->m, link));
}

static uint32_t producer_node(const picture *s, uint32_t row, uint32_t process, uint32_t binding)
{
    const paf_tree *tree = row == IOT_NONE ? NULL : s->trees[row];
    uint32_t output = tree ? paf_output_of_binding(s->p->a, process, binding) : IOT_NONE;
    return output == IOT_NONE ? IOT_NONE : paf_tree_node_of_output(tree, output);
}

static uint32_t reader_node(const picture *s, uint32_t row, uint32_t input)
{
    const paf_tree *tree = row == IOT_NONE ? NULL : s->trees[row];
    uint32_t first, n = tree ? paf_tree_nodes_of_input(tree, input, &first) : 0;
    return n ? tree->inputs[first].node : IOT_NONE;
}

static void add_index(json_t *array, uint32_t index)
{
    paf_page_add(array, index == IOT_NONE ? -1 : (int64_t)index);
}

// Row and node at both ends (a row that is not shown: -2 less the module's rank), when it was made, how long
// until it was read, how long its reader had waited; and what it is, if that is named.
static void add_arrow(picture *s, json_t *array, json_t *names, uint32_t link)
{
    const paf_model *m = s->p->m;
    const paf_link *l = &m->links[link];
    const iot_input *input = paf_link_input(m, link);
    uint32_t processes[2] = {input->from, l->process};
    uint32_t rows[2] = {s->row_of[processes[0]], s->row_of[processes[1]]};
    uint32_t nodes[2] = {producer_node(s, rows[0], processes[0], input->binding),
                         reader_node(s, rows[1], l->input)};
    int64_t made = paf_input_available(m, s->clock, l->process, input);
    for (int i = 0; i < 2; i++) {
        uint32_t module = iot_get_process(s->p->a, processes[i])->module;
        paf_page_add(array, rows[i] == IOT_NONE ? -2 - (int64_t)s->p->rank[module] : (int64_t)rows[i]);
        add_index(array, nodes[i]);
    }
    paf_page_add(array, made);
    paf_page_add(array, paf_input_read(m, s->clock, input) - made);
    paf_page_add(array, wait_of(s, link));
    paf_page_add(array, s->named < MOST_TEXTS ? (int64_t)json_array_size(names) : -1);
    if (s->named++ < MOST_TEXTS)
        json_array_append_new(
            names, paf_page_take(paf_binding_text(s->p->t, input->binding, input->time, GOAL_CELLS)));
}

// The links that are shown, in order of time.
static uint32_t *choose_links(picture *s, uint32_t *ret_n)
{
    const paf_model *m = s->p->m;
    uint32_t n = m->nlinks, kept = MIN(n, MOST_ARROWS);
    ranked *all = g_new(ranked, MAX(n, 1));
    for (uint32_t i = 0; i < n; i++)
        all[i] = (ranked){i, (uint64_t)MAX(wait_of(s, i), 0)};
    if (kept < n) {
        qsort(all, n, sizeof *all, by_key);
        char *some = paf_number(kept), *whole = paf_number(n);
        paf_page_remark(s->p, "%s of %s arrows are drawn, those that were waited for longest.", some, whole);
        g_free(some);
        g_free(whole);
    }
    uint8_t *is_kept = g_new0(uint8_t, MAX(n, 1));
    for (uint32_t i = 0; i < kept; i++)
        is_kept[all[i].process] = 1;
    uint32_t *links = g_new(uint32_t, MAX(kept, 1));
    *ret_n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_kept[i])
            links[(*ret_n)++] = i;
    g_free(is_kept);
    g_free(all);
    return links;
}

static void set_arrows(picture *s, json_t *view)
{
    json_t *arrows = json_array(), *names = json_array();
    uint32_t n, *links = choose_links(s, &n);
    for (uint32_t i = 0; i < n; i++)
        add_arrow(s, arrows, names, links[i]);
    json_object_set_new(view, "arrows", arrows);
    json_object_set_new(view, "names", names);
    g_free(links);
}

// Goals that wait for ever: module, since when, what they are, what they wait for.
static json_t *waiting_json(picture *s)
{
    const paf_waiting_goals *w = s->p->m->waiting;
    json_t *array = json_array();
    for (uint32_t i = 0; i < w->n && i < MOST_ROWS; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "module", json_integer(s->p->rank[w->groups[i].module]));
        json_object_set_new(o, "from", json_integer(paf_goal_created(s->p->m, s->clock, w->groups[i].goal)));
        json_object_set_new(o, "name", paf_page_take(paf_waiting_title(w, i)));
        json_object_set_new(o, "text", paf_page_take(paf_waiting_lines(w, i)));
        json_array_append_new(array, o);
    }
    return array;
}

void paf_page_processes(paf_page_maker *p, iot_clock clock, json_t *view)
{
    picture s = {.p = p, .clock = clock};
    json_t *rows = json_array();
    choose_rows(&s);
    for (uint32_t row = 0; row < s.nrows; row++)
        json_array_append_new(rows, row_json(&s, row));
    json_object_set_new(view, "kind", json_string("processes"));
    json_object_set_new(view, "rows", rows);
    set_arrows(&s, view);
    json_object_set_new(view, "goals", waiting_json(&s));
    for (uint32_t row = 0; row < s.nrows; row++)
        paf_tree_destroy(s.trees[row]);
    g_free(s.trees);
    g_free(s.rows);
    g_free(s.row_of);
}
