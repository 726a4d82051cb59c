// SPDX-License-Identifier: MIT
//
// Search trees that are lists. A loop goes down a tree: each clause takes a structure apart and
// goes on with one of its parts, some clauses with one part and some with another. Where nearly all
// nodes that it came by have nothing in the other part, the way is as long as there are nodes. The
// price is the run in which every way is as long as in a balanced tree of that many nodes.
#include <math.h>

#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 16,
    DEEPEST = 10, // a way so long in a balanced tree is no cause
    FEWEST_WAYS = 4,
    MOST_PARTS = 16, // of a node
};
static const double list_like = 0.8; // of the nodes, whose other parts are empty

// How the clauses of a loop go down.
typedef struct {
    const loops *l;
    uint32_t loop, predicate, argument;
    uint32_t name;    // of the nodes, a string
    uint32_t parts;   // bits: those with which some clause goes on
    uint8_t *goes_on; // by clause: the part, from 1, with which it goes on; 0: it ends
    uint32_t deepest; // members of the longest way
    uint32_t ways;
    uint64_t nodes, empty; // that were come by; of these, those with empty other parts
    uint32_t example;      // a reduction
} descent;

// ---------------------------------------------------------------------------------------------
// Clauses

// The part of the node in this argument that the loop's own goal gets in the same argument, from 1.
static uint32_t part_handed_on(const descent *x, const trace_clause *c)
{
    const trace_node *node = &c->patterns[c->head[x->argument]];
    uint32_t part = 0;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind != TI_GOAL || item->predicate != x->predicate)
            continue;
        const trace_node *to = &c->nodes[c->children[item->first + x->argument]];
        for (uint32_t k = 0; k < node->n && k < MOST_PARTS && to->kind == TN_HOLE; k++) {
            const trace_node *from = &c->patterns[c->pattern_children[node->first + k]];
            if (from->kind == TN_HOLE && from->index == to->index)
                part = part ? MOST_PARTS + 1 : k + 1; // of two goals both parts: it visits all
        }
    }
    return part;
}

static bool goes_down(descent *x)
{
    const trace *t = x->l->t;
    memset(x->goes_on, 0, trace_nclauses(t));
    x->parts = 0;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (c->predicate != x->predicate || c->nhead <= x->argument)
            continue;
        const trace_node *node = &c->patterns[c->head[x->argument]];
        if (node->kind != TN_STRUCT)
            continue;
        uint32_t part = part_handed_on(x, c);
        if (part > MOST_PARTS || (x->parts && part && x->name != node->value.id))
            return false;
        x->goes_on[i] = (uint8_t)part;
        if (part) {
            x->name = node->value.id;
            x->parts |= 1u << (part - 1);
        }
    }
    return x->parts & (x->parts - 1); // two of them, or more
}

// Finds the argument in which the loop goes down a tree.
static bool is_descent(descent *x)
{
    const loops *l = x->l;
    if (l->predicates[x->loop] != 1 || l->biggest[x->loop] == IOT_NONE)
        return false;
    x->predicate = loops_predicate(l, l->chains.at[l->biggest[x->loop]].first);
    uint32_t arity = trace_get_predicate(l->t, x->predicate)->arity;
    for (x->argument = 0; x->argument < arity; x->argument++)
        if (goes_down(x))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// The run

static trace_value node_of(const descent *x, uint32_t r)
{
    const trace *t = x->l->t;
    return iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, r), x->argument));
}

// A node with which one could go on. What is there in the end counts.
static bool has_part(const descent *x, trace_value node, uint32_t part)
{
    const trace *t = x->l->t;
    trace_value v = iot_end_value(t, trace_cell_arg(t, node.id, part));
    return is_cell_kind(t, v, TC_STRUCT) && trace_cell_name(t, v.id) == x->name;
}

static void come_by(descent *x, uint32_t r)
{
    uint32_t part = x->goes_on[trace_reduction_clause(x->l->t, r)];
    trace_value node = part ? node_of(x, r) : (trace_value){.kind = TV_INT};
    if (!is_cell_kind(x->l->t, node, TC_STRUCT))
        return;
    bool empty = true;
    for (uint32_t k = 0; k < trace_cell_arity(x->l->t, node.id) && k < MOST_PARTS; k++)
        empty = empty && !(k + 1 != part && (x->parts >> k & 1) && has_part(x, node, k));
    x->nodes++;
    x->empty += empty;
}

static bool is_list_like(descent *x)
{
    const loops *l = x->l;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        if (l->chains.at[i].loop != x->loop)
            continue;
        x->ways++;
        x->deepest = l->chains.at[i].n > x->deepest ? l->chains.at[i].n : x->deepest;
        for (uint32_t r = l->chains.at[i].first; r; r = l->next[r])
            come_by(x, r);
    }
    x->example = l->chains.at[l->biggest[x->loop]].first;
    return x->ways >= FEWEST_WAYS && x->deepest > DEEPEST && x->nodes > 0 &&
           (double)x->empty >= list_like * (double)x->nodes;
}

// The mean depth of the nodes of a balanced tree is log2 n - 0.8, if the root's is 1. What is
// further down costs nothing.
static void draft_balanced(const descent *x, change_draft *d)
{
    const loops *l = x->l;
    double mean = log2(x->deepest) - 0.8;
    uint32_t levels = (uint32_t)mean;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain != IOT_NONE && l->chains.at[chain].loop == x->loop && l->position[r] >= levels)
            draft_reduction(d, r, IOT_NONE, l->position[r] == levels ? mean - levels : 0);
    }
}

// Where a loop takes the keys from a list, another order begins with a key from its middle: when the
// list is complete. `example`: begins the way of one key.
static void draft_all_keys(const loops *l, uint32_t example, change_draft *d)
{
    uint32_t chain = l->chain_of[l->g->parents[example]];
    uint32_t first = chain == IOT_NONE ? 0 : l->chains.at[chain].first;
    int64_t complete = 0;
    for (uint32_t r = first; r; r = l->next[r]) {
        uint32_t maker = l->taken[r] == IOT_NONE ? 0 : trace_cell_maker(l->t, l->taken[r]);
        complete = trace_time(l->t, maker) > complete ? trace_time(l->t, maker) : complete;
    }
    int64_t late = complete - trace_time(l->t, first);
    if (first && late > 0)
        draft_reduction(d, first, IOT_NONE, (double)(late + wait_cost(l->g, first)));
}

// ---------------------------------------------------------------------------------------------
// The candidate

// The goal that began the ways of a loop which makes such nodes, and goes down such a tree itself:
// who inserts. IOT_NONE: the nodes were made otherwise.
static uint32_t inserted_by(const loops *l, const descent *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < trace_nclauses(l->t); k++) {
            const trace_clause *c = trace_get_clause(l->t, k);
            for (uint32_t j = 0; c->predicate == x[i].predicate && j < c->nnodes; j++)
                if (c->nodes[j].kind == TN_STRUCT && c->nodes[j].value.id == x[i].name)
                    return i;
        }
    return IOT_NONE;
}

static void say_degenerate(const loops *l, const descent *x, uint32_t n, candidates *c)
{
    change_draft d = {0};
    uint32_t most = 0, inserts = inserted_by(l, x, n);
    for (uint32_t i = 0; i < n; i++) {
        draft_balanced(&x[i], &d);
        most = x[i].nodes > x[most].nodes ? i : most;
    }
    const descent *by = &x[inserts == IOT_NONE ? most : inserts];
    if (inserts != IOT_NONE)
        draft_all_keys(l, by->example, &d);
    uint32_t clause = trace_reduction_clause(l->t, by->example);
    uint32_t caller = iot_caller_clause(l, by->example);
    candidate *y = candidate_at(l->a, c, FINDING_DEGENERATE, caller == IOT_NONE ? clause : caller,
                                by->example);
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++)
        for (uint32_t k = 0; k < n; k++)
            if (x[k].goes_on[i] && trace_get_clause(l->t, i)->predicate == x[k].predicate)
                candidate_also(y, iot_clause_location(l->a, i));
    y->estimate = true;
    y->change = draft_finish(&d);
    char *maker = iot_site_text(l->a, &l->g->all_sites[l->g->sites[by->example]]);
    char *walker = iot_site_text(l->a, &l->g->all_sites[l->g->sites[x[most].example]]);
    y->text =
        base_format("the search tree of %s is a list: %s goes down %u nodes of it, and of %llu "
                    "nodes that it comes by %llu have nothing on the other side",
                    maker, walker, x[most].deepest, (unsigned long long)x[most].nodes,
                    (unsigned long long)x[most].empty);
    y->advice = base_format("enter the keys in another order (the middle one first, then both "
                            "halves), or use a balanced tree: the library's maps (about %u levels)",
                            loops_levels(x[most].deepest));
    y->condition = base_copy("balanced");
    free(maker);
    free(walker);
}

static uint32_t add_descent(const loops *l, uint32_t loop, descent *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (all[i].loop == loop)
            return n;
    descent x = {.l = l, .loop = loop};
    x.goes_on = base_allocate(trace_nclauses(l->t), 1);
    if (n == MOST_LOOPS || !is_descent(&x) || (n && x.name != all[0].name) || !is_list_like(&x)) {
        free(x.goes_on);
        return n;
    }
    all[n] = x;
    return n + 1;
}

void iot_find_degenerate(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS), found = 0;
    descent all[MOST_LOOPS];
    for (uint32_t i = 0; i < n; i++)
        found = add_descent(l, looked[i], all, found);
    for (uint32_t i = 0; found && i < l->nloops; i++) // the others that go down this tree
        found = add_descent(l, i, all, found);
    if (found)
        say_degenerate(l, all, found, c);
    for (uint32_t i = 0; i < found; i++)
        free(all[i].goes_on);
}
