// SPDX-License-Identifier: MIT
//
// Loops of the text and chains of the run.
#include "iotree/findings/late_items.h"
#include "iotree/findings/loops.h"

#include "iotree/terms/values.h"

enum {
    NEAR = 8,             // parents above a step of the critical path that it is counted for
    FARTHEST_CALLER = 64, // ancestors of a reduction of the library
    MOST_READS = 256,     // of one commit that are looked through for the one of a wait
    LONGEST_ALIAS = 64,   // links of a chain of bound variables that are followed
};

// ---------------------------------------------------------------------------------------------
// Cycles of the calls in the text, by Tarjan's algorithm with a stack of its own

typedef struct {
    const trace *t;
    uint32_t *first_clause, *next_clause; // clauses by predicate, as lists
    uint32_t *index, *low;                // from 1; 0: not visited
    uint32_t *clause, *item;              // where the visit of a predicate goes on
    bool *open, *calls_itself;
    ARRAY_OF(uint32_t) path; // predicates that are being visited
    ARRAY_OF(uint32_t) stack;
    uint32_t visited;
} cycle_search;

// The next predicate that p calls; IOT_NONE: no more.
static uint32_t next_call(cycle_search *s, uint32_t p)
{
    while (s->clause[p] != IOT_NONE) {
        const trace_clause *c = trace_get_clause(s->t, s->clause[p]);
        while (s->item[p] < c->nitems) {
            const trace_item *item = &c->items[s->item[p]++];
            if (item->kind == TI_GOAL)
                return item->predicate;
        }
        s->clause[p] = s->next_clause[s->clause[p]];
        s->item[p] = 0;
    }
    return IOT_NONE;
}

static void enter(cycle_search *s, uint32_t p)
{
    s->index[p] = s->low[p] = ++s->visited;
    s->clause[p] = s->first_clause[p];
    s->open[p] = true;
    ARRAY_PUSH(s->path, p);
    ARRAY_PUSH(s->stack, p);
}

// All that p calls was visited. Takes its cycle from the stack if p is the first of it.
static void leave(cycle_search *s, loops *l, uint32_t p)
{
    s->path.n--;
    if (s->path.n) {
        uint32_t above = s->path.at[s->path.n - 1];
        s->low[above] = s->low[p] < s->low[above] ? s->low[p] : s->low[above];
    }
    if (s->low[p] != s->index[p])
        return;
    bool cycle = s->stack.at[s->stack.n - 1] != p || s->calls_itself[p];
    for (uint32_t q = IOT_NONE; q != p;) {
        q = s->stack.at[--s->stack.n];
        s->open[q] = false;
        l->loop_of[q] = cycle ? l->nloops : IOT_NONE;
    }
    l->nloops += cycle;
}

static void visit(cycle_search *s, loops *l, uint32_t root)
{
    enter(s, root);
    while (s->path.n) {
        uint32_t p = s->path.at[s->path.n - 1], q = next_call(s, p);
        if (q == IOT_NONE)
            leave(s, l, p);
        else if (!s->index[q])
            enter(s, q);
        else if (s->open[q]) {
            s->calls_itself[p] |= q == p;
            s->low[p] = s->index[q] < s->low[p] ? s->index[q] : s->low[p];
        }
    }
}

static void find_loops(loops *l)
{
    uint32_t n = trace_npredicates(l->t), nclauses = trace_nclauses(l->t);
    cycle_search s = {.t = l->t};
    uint32_t **arrays[] = {&s.first_clause, &s.index, &s.low, &s.clause, &s.item, &l->loop_of};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = base_allocate(n, sizeof **arrays[i]);
    s.next_clause = base_allocate(nclauses, sizeof *s.next_clause);
    s.open = base_allocate(n, sizeof *s.open);
    s.calls_itself = base_allocate(n, sizeof *s.calls_itself);
    memset(s.first_clause, 0xff, n * sizeof *s.first_clause);
    for (uint32_t i = nclauses; i-- > 0;) {
        const trace_clause *c = trace_get_clause(l->t, i);
        s.next_clause[i] = s.first_clause[c->predicate];
        s.first_clause[c->predicate] = i;
    }
    for (uint32_t p = 0; p < n; p++)
        if (!s.index[p])
            visit(&s, l, p);
    for (size_t i = 0; i + 1 < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
    free(s.next_clause);
    free(s.open);
    free(s.calls_itself);
    free(s.path.at);
    free(s.stack.at);
}

// ---------------------------------------------------------------------------------------------
// Chains of the run

static uint32_t loop_of_reduction(const loops *l, uint32_t r)
{
    return r ? l->loop_of[loops_predicate(l, r)] : IOT_NONE;
}

// next[r]: the child in the same loop that has most reductions of the loop below it.
// Returns how many reductions of its loop descend from each, itself included.
static uint32_t *find_next(loops *l)
{
    uint32_t n = l->g->n, *below = base_allocate(n, sizeof *below);
    for (uint32_t r = n; r-- > 1;) {
        uint32_t loop = loop_of_reduction(l, r), parent = l->g->parents[r];
        if (loop == IOT_NONE)
            continue;
        below[r]++;
        if (loop_of_reduction(l, parent) != loop)
            continue;
        below[parent] += below[r];
        if (!l->next[parent] || below[r] >= below[l->next[parent]])
            l->next[parent] = r;
    }
    return below;
}

static void find_chains(loops *l, const uint32_t *below)
{
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t loop = loop_of_reduction(l, r), parent = l->g->parents[r];
        l->chain_of[r] = IOT_NONE;
        if (loop == IOT_NONE)
            continue;
        if (parent && l->next[parent] == r) {
            l->chain_of[r] = l->chain_of[parent];
            l->position[r] = l->position[parent] + 1;
        } else {
            l->chain_of[r] = (uint32_t)l->chains.n;
            ARRAY_PUSH(l->chains, (loop_chain){.loop = loop, .first = r, .total = below[r]});
        }
        l->chains.at[l->chain_of[r]].n++;
    }
    l->chain_of[0] = IOT_NONE;
}

// Does the clause make the rest of the list that it takes apart again, last([_, Y|Ys]) :- last([Y|Ys])?
static bool makes_rest_again(const trace *t, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(t, clause);
    if (!argument)
        return false;
    uint32_t rest = c->pattern_children[c->patterns[c->head[argument - 1]].first + 1];
    for (uint32_t i = 0; c->patterns[rest].kind == TN_CONS && i < c->nnodes; i++)
        if (c->nodes[i].kind == TN_CONS && iot_is_made_again(c, rest, i))
            return true;
    return false;
}

// Of a cell that the step before made again, the one that stood in its list.
static uint32_t cell_before(const loops *l, uint32_t cell)
{
    uint32_t maker = trace_cell_maker(l->t, cell);
    if (l->chain_of[maker] == IOT_NONE || l->taken[maker] == IOT_NONE)
        return cell;
    trace_value rest = iot_end_value(l->t, trace_cell_arg(l->t, l->taken[maker], 1));
    return is_cell_kind(l->t, rest, TC_CONS) ? rest.id : cell;
}

// Goals are asked for their arguments in the order in which they were made: so the trace decodes
// each part of itself only once.
static void find_taken(loops *l)
{
    const trace *t = l->t;
    uint8_t *arguments = iot_list_arguments(t), *again = bits_allocate(trace_nclauses(t));
    for (uint32_t i = 0; i < trace_nclauses(t); i++)
        if (makes_rest_again(t, i, arguments[i]))
            bit_set(again, i);
    l->taken = base_allocate(l->g->n, sizeof *l->taken);
    memset(l->taken, 0xff, l->g->n * sizeof *l->taken);
    for (uint32_t goal = 0; goal < trace_ngoals(t); goal++) {
        uint32_t r = trace_goal_reduction(t, goal), argument;
        if (r == TRACE_NONE || l->chain_of[r] == IOT_NONE ||
            !(argument = arguments[trace_reduction_clause(t, r)]))
            continue;
        trace_value v = iot_end_value(t, trace_goal_arg(t, goal, argument - 1));
        if (!is_cell_kind(t, v, TC_CONS))
            continue;
        uint32_t maker = trace_cell_maker(t, v.id);
        bool made_again = maker && bit_get(again, trace_reduction_clause(t, maker));
        l->taken[r] = made_again ? cell_before(l, v.id) : v.id;
    }
    free(arguments);
    free(again);
}

static bool is_call(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    return p->origin == TRACE_BUILTIN && loops_is_named(t, predicate, "call");
}

static void find_called(loops *l)
{
    const wait_graph *g = l->g;
    uint8_t *calls = base_allocate(trace_npredicates(l->t), 1);
    bool any = false;
    for (uint32_t p = 0; p < trace_npredicates(l->t); p++)
        any |= calls[p] = is_call(l->t, p);
    if (any)
        l->called = base_allocate(g->n, sizeof *l->called);
    for (uint32_t r = 1; any && r < g->n; r++)
        if (g->parents[r] && calls[loops_predicate(l, g->parents[r])])
            l->called[g->parents[r]] = r;
    free(calls);
}

// A step of the path counts for its loop, and is near those that its makers are in.
static void count_step(loops *l, uint32_t r)
{
    uint32_t seen[NEAR], n = 0;
    for (int up = 0; up < NEAR && r; up++, r = l->g->parents[r]) {
        uint32_t loop = loop_of_reduction(l, r), k = 0;
        if (loop == IOT_NONE)
            continue;
        l->critical[loop] += up == 0;
        while (k < n && seen[k] != loop)
            k++;
        if (k < n)
            continue;
        seen[n++] = loop;
        l->near[loop]++;
    }
}

void iot_begin_loops(loops *l, const iot *a, const wait_graph *g)
{
    *l = (loops){.a = a, .t = a->t, .g = g};
    find_loops(l);
    l->next = base_allocate(g->n, sizeof *l->next);
    l->chain_of = base_allocate(g->n, sizeof *l->chain_of);
    l->position = base_allocate(g->n, sizeof *l->position);
    uint32_t *below = find_next(l);
    find_chains(l, below);
    free(below);
    find_taken(l);
    find_called(l);
    l->critical = base_allocate(l->nloops, sizeof *l->critical);
    l->biggest = base_allocate(l->nloops, sizeof *l->biggest);
    l->predicates = base_allocate(l->nloops, sizeof *l->predicates);
    for (uint32_t p = 0; p < trace_npredicates(l->t); p++)
        if (l->loop_of[p] != IOT_NONE)
            l->predicates[l->loop_of[p]]++;
    memset(l->biggest, 0xff, l->nloops * sizeof *l->biggest);
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t *best = &l->biggest[l->chains.at[i].loop];
        if (*best == IOT_NONE || l->chains.at[i].n > l->chains.at[*best].n)
            *best = i;
    }
    l->near = base_allocate(l->nloops, sizeof *l->near);
    iot_look_along(l, NULL, a->path.steps, a->path.n);
}

double iot_span_beside(const loops *l, const wait_change *change)
{
    if (!l->beside)
        return iot_span_under(l->g, change, NULL);
    wait_change both = change_of_both(l->g, change, l->beside);
    double span = iot_span_under(l->g, &both, NULL);
    iot_free_change(&both);
    return span;
}

void iot_look_along(loops *l, const wait_change *beside, const uint32_t *steps, uint32_t n)
{
    l->beside = beside;
    l->span = beside ? iot_span_under(l->g, beside, NULL) : (double)l->g->span;
    l->path.steps = steps;
    l->path.n = n;
    memset(l->critical, 0, l->nloops * sizeof *l->critical);
    memset(l->near, 0, l->nloops * sizeof *l->near);
    for (uint32_t i = 0; i < n; i++)
        count_step(l, steps[i]);
}

void iot_end_loops(loops *l)
{
    free(l->loop_of);
    free(l->next);
    free(l->chain_of);
    free(l->position);
    free(l->taken);
    free(l->called);
    free(l->chains.at);
    free(l->critical);
    free(l->near);
    free(l->biggest);
    free(l->predicates);
}

uint32_t iot_caller_clause(const loops *l, uint32_t r)
{
    while (r) {
        uint32_t chain = l->chain_of[r];
        r = l->g->parents[chain == IOT_NONE ? r : l->chains.at[chain].first];
        if (r && trace_get_predicate(l->t, loops_predicate(l, r))->origin == TRACE_PROGRAM)
            return trace_reduction_clause(l->t, r);
    }
    return IOT_NONE;
}

uint32_t *iot_side_goals(const loops *l, uint32_t loop)
{
    uint32_t *side = base_allocate(l->g->n, sizeof *side);
    const uint32_t member = IOT_NONE; // until all are known
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t above = side[l->g->parents[r]];
        side[r] = loop_of_reduction(l, r) == loop ? member : above == member ? r : above;
    }
    for (uint32_t r = 1; r < l->g->n; r++)
        side[r] = side[r] == member ? 0 : side[r];
    return side;
}

uint32_t iot_critical_loops(const loops *l, uint32_t *ret_loops, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t loop = 0; loop < l->nloops; loop++) {
        if (!l->near[loop] || l->biggest[loop] == IOT_NONE)
            continue;
        uint32_t i = n < most ? n++ : most;
        for (; i > 0 && l->near[ret_loops[i - 1]] < l->near[loop]; i--)
            if (i < most)
                ret_loops[i] = ret_loops[i - 1];
        if (i < most)
            ret_loops[i] = loop;
    }
    return n;
}

uint32_t iot_clause_near(const loops *l, uint32_t r)
{
    for (int up = 0; up < FARTHEST_CALLER && r; up++) {
        if (trace_get_predicate(l->t, loops_predicate(l, r))->origin == TRACE_PROGRAM)
            return trace_reduction_clause(l->t, r);
        uint32_t chain = l->chain_of[r];
        r = l->g->parents[chain == IOT_NONE ? r : l->chains.at[chain].first];
    }
    return IOT_NONE;
}

uint32_t iot_loop_clause(const loops *l, uint32_t loop, uint32_t *ret_reduction)
{
    uint32_t *counts = base_allocate(trace_nclauses(l->t), sizeof *counts), best = IOT_NONE;
    for (uint32_t r = l->chains.at[l->biggest[loop]].first; r; r = l->next[r]) {
        uint32_t clause = trace_reduction_clause(l->t, r);
        if (++counts[clause] > (best == IOT_NONE ? 0 : counts[best])) {
            best = clause;
            *ret_reduction = r;
        }
    }
    free(counts);
    return best;
}

// ---------------------------------------------------------------------------------------------
// Lists

trace_value iot_end_value(const trace *t, trace_value v)
{
    for (int i = 0; i < LONGEST_ALIAS && is_variable(t, v); i++) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            break;
        v = trace_binding_value(t, binding);
    }
    return v;
}

bool iot_makes_list(const trace *t, uint32_t maker)
{
    uint32_t first = trace_first_binding(t, maker), end = trace_first_binding(t, maker + 1);
    for (uint32_t b = first; b < end; b++)
        if (is_cell_kind(t, trace_binding_value(t, b), TC_CONS))
            return true;
    return false;
}

bool iot_leads_to(const trace *t, trace_value v, uint32_t variable)
{
    for (int i = 0; i < LONGEST_ALIAS && is_variable(t, v); i++) {
        if (v.id == variable)
            return true;
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            return false;
        v = trace_binding_value(t, binding);
    }
    return false;
}

static bool end_alike(const trace *t, trace_value x, trace_value y)
{
    return is_same_value(iot_end_value(t, x), iot_end_value(t, y));
}

bool iot_is_same_item(const trace *t, trace_value x, trace_value y)
{
    x = iot_end_value(t, x);
    y = iot_end_value(t, y);
    if (is_same_value(x, y))
        return true;
    if (!is_cell_kind(t, x, TC_STRUCT) || !is_cell_kind(t, y, TC_STRUCT) ||
        trace_cell_name(t, x.id) != trace_cell_name(t, y.id) ||
        trace_cell_arity(t, x.id) != trace_cell_arity(t, y.id))
        return false;
    for (uint32_t i = 0; i < trace_cell_arity(t, x.id); i++)
        if (!end_alike(t, trace_cell_arg(t, x.id, i), trace_cell_arg(t, y.id, i)))
            return false;
    return true;
}

bool iot_is_list(const trace *t, uint32_t variable)
{
    trace_value v = iot_end_value(t, (trace_value){.kind = TV_CELL, .id = variable});
    return is_cell_kind(t, v, TC_CONS) ||
           (v.kind == TV_ATOM && strcmp(trace_string(t, v.id, NULL), "[]") == 0);
}

uint32_t iot_variable_from(const loops *l, uint32_t reader, uint32_t maker)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, reader, &reads);
    uint32_t first = trace_first_binding(l->t, maker), end = trace_first_binding(l->t, maker + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(l->t, reads[i]);
        if (binding != TRACE_NONE && binding >= first && binding < end)
            return reads[i];
    }
    return TRACE_NONE;
}

bool iot_is_type_test(const char *name)
{
    static const char *const names[] = {"wait", "integer", "float", "number", "string",
                                        "atom", "atomic",  "list",  "vector", "compound"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

// Bytes by node of a tree in which children come first: the variable is there, or below.
static uint8_t *nodes_with(const trace_node *nodes, const uint32_t *children, uint32_t n,
                           const trace_node *variable)
{
    uint8_t *with = base_allocate(n, 1);
    for (uint32_t i = 0; i < n; i++) {
        with[i] = nodes[i].kind == variable->kind && nodes[i].index == variable->index &&
                  (nodes[i].kind == TN_HOLE || nodes[i].kind == TN_FRESH);
        for (uint32_t k = 0; !with[i] && k < nodes[i].n; k++)
            with[i] = with[children[nodes[i].first + k]];
    }
    return with;
}

bool iot_is_carried(const loops *l, uint32_t loop, const trace_clause *c,
                    const trace_node *variable)
{
    uint8_t *guard = nodes_with(c->patterns, c->pattern_children, c->npatterns, variable);
    uint8_t *body = nodes_with(c->nodes, c->children, c->nnodes, variable);
    bool is = false;
    for (uint32_t i = 0; i < c->nguards && !is; i++)
        for (uint32_t k = 0; k < c->guards[i].n; k++)
            is |= guard[c->pattern_children[c->guards[i].first + k]] &&
                  !iot_is_type_test(trace_string(l->t, c->guards[i].name, NULL));
    for (uint32_t i = 0; i < c->nitems && !is && variable->kind == TN_HOLE; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_GOAL && l->loop_of[item->predicate] != loop)
            continue;
        for (uint32_t k = 0; k < item->n; k++)
            is |= item->kind == TI_GOAL && body[c->children[item->first + k]];
    }
    free(guard);
    free(body);
    return is;
}

uint8_t *iot_list_arguments(const trace *t)
{
    uint32_t n = trace_nclauses(t);
    uint8_t *takes = base_allocate(n, 1);
    for (uint32_t i = 0; i < n; i++) {
        const trace_clause *c = trace_get_clause(t, i);
        for (uint32_t k = 0; k < c->nhead && k < UINT8_MAX - 1 && !takes[i]; k++)
            if (c->patterns[c->head[k]].kind == TN_CONS)
                takes[i] = (uint8_t)(k + 1);
    }
    return takes;
}

// ---------------------------------------------------------------------------------------------
// Counters

static bool is_leaf(const trace_clause *c, uint32_t node)
{
    trace_node_kind kind = c->nodes[node].kind;
    return kind == TN_CONST || kind == TN_HOLE || kind == TN_FRESH;
}

bool iot_is_counter(const trace *t, const trace_clause *c, uint32_t item)
{
    const trace_item *i = &c->items[item];
    if (i->kind != TI_GOAL || i->n != 2)
        return false;
    const trace_node *e = &c->nodes[c->children[i->first + 1]];
    if (e->kind != TN_STRUCT || e->n != 2 || !is_leaf(c, c->children[e->first]) ||
        !is_leaf(c, c->children[e->first + 1]))
        return false;
    const char *op = trace_string(t, e->value.id, NULL);
    const char *name = trace_string(t, trace_get_predicate(t, i->predicate)->name, NULL);
    return strcmp(name, ":=") == 0 && (strcmp(op, "+") == 0 || strcmp(op, "-") == 0);
}

static bool counts_only(const trace *t, const trace_clause *c, const trace_node *e)
{
    if (e->kind != TN_STRUCT || e->n != 2)
        return false;
    const char *op = trace_string(t, e->value.id, NULL);
    const trace_node *nodes = c->patterns;
    const uint32_t *children = c->pattern_children;
    bool constant = nodes[children[e->first]].kind == TN_CONST ||
                    nodes[children[e->first + 1]].kind == TN_CONST;
    return constant && (strcmp(op, "+") == 0 || strcmp(op, "-") == 0);
}

bool iot_guards_only_count(const trace *t, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nguards; i++) {
        const trace_guard *g = &c->guards[i];
        if (g->n == 2 && strcmp(trace_string(t, g->name, NULL), ":=") == 0 &&
            !counts_only(t, c, &c->patterns[c->pattern_children[g->first + 1]]))
            return false;
    }
    return true;
}

// Does it read nothing that the chain's run made, except the counters of earlier steps?
static bool reads_counters_only(const loops *l, const uint8_t *counters, uint32_t r)
{
    const wait_graph *g = l->g;
    uint32_t chain = l->chain_of[g->parents[r]], first = l->chains.at[chain].first;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t maker = g->makers[i];
        if (maker >= first &&
            !(bit_get(counters, maker) && l->chain_of[g->parents[maker]] == chain))
            return false;
    }
    return true;
}

uint8_t *iot_counters(const loops *l, uint32_t loop)
{
    uint8_t *bits = bits_allocate(l->g->n);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t parent = l->g->parents[r], chain = l->chain_of[parent];
        if (chain == IOT_NONE || l->chains.at[chain].loop != loop || l->chain_of[r] != IOT_NONE)
            continue;
        uint32_t item = loops_item(l, r);
        const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, parent));
        if (item != TRACE_NONE && iot_is_counter(l->t, c, item) && reads_counters_only(l, bits, r))
            bit_set(bits, r);
    }
    return bits;
}

// ---------------------------------------------------------------------------------------------
// Drafts

void draft_wait(change_draft *d, uint64_t wait, uint32_t maker)
{
    ARRAY_PUSH(d->waits, (wait_edit){wait, maker});
}

void draft_add(change_draft *d, uint32_t reader, uint32_t maker)
{
    if (maker < reader)
        ARRAY_PUSH(d->added, (wait_added){reader, maker});
}

void draft_kind(change_draft *d, const wait_graph *g, uint32_t kind)
{
    if (!d->without_kinds)
        d->without_kinds = bits_allocate(g->nkinds);
    bit_set(d->without_kinds, kind);
}

void draft_reduction(change_draft *d, uint32_t reduction, uint32_t parent, double cost)
{
    ARRAY_PUSH(d->reductions, (reduction_edit){reduction, parent, cost});
}

// Sorts by key, of two with one key the one that was added later stays.
#define SORT_EDITS(list, key)                                                                      \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < (list).n; i++) {                                                    \
            bool replaced = i + 1 < (list).n && (list).at[i].key == (list).at[i + 1].key;          \
            if (!replaced)                                                                         \
                (list).at[kept++] = (list).at[i];                                                  \
        }                                                                                          \
        (list).n = kept;                                                                           \
    } while (0)

typedef struct {
    uint64_t key;
    size_t index;
} sort_entry;

static int by_key(const void *x, const void *y)
{
    const sort_entry *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_stably(void *at, size_t n, size_t size, uint64_t (*key)(const void *))
{
    if (n < 2)
        return;
    sort_entry *order = base_allocate(n, sizeof *order);
    char *old = base_allocate(n, size), *list = at;
    for (size_t i = 0; i < n; i++)
        order[i] = (sort_entry){key(list + i * size), i};
    qsort(order, n, sizeof *order, by_key);
    memcpy(old, list, n * size);
    for (size_t i = 0; i < n; i++)
        memcpy(list + i * size, old + order[i].index * size, size);
    free(order);
    free(old);
}

static uint64_t wait_key(const void *x)
{
    return ((const wait_edit *)x)->wait;
}

static uint64_t added_key(const void *x)
{
    return ((const wait_added *)x)->reader;
}

static uint64_t reduction_key(const void *x)
{
    return ((const reduction_edit *)x)->reduction;
}

wait_change draft_finish(change_draft *d)
{
    sort_stably(d->waits.at, d->waits.n, sizeof *d->waits.at, wait_key);
    sort_stably(d->added.at, d->added.n, sizeof *d->added.at, added_key);
    sort_stably(d->reductions.at, d->reductions.n, sizeof *d->reductions.at, reduction_key);
    SORT_EDITS(d->waits, wait);
    SORT_EDITS(d->reductions, reduction);
    wait_change c = {.waits = d->waits.at,
                     .nwaits = d->waits.n,
                     .added = d->added.at,
                     .nadded = d->added.n,
                     .reductions = d->reductions.at,
                     .nreductions = d->reductions.n,
                     .without_kinds = d->without_kinds};
    *d = (change_draft){0};
    return c;
}

void draft_free(change_draft *d)
{
    free(d->waits.at);
    free(d->added.at);
    free(d->reductions.at);
    free(d->without_kinds);
    *d = (change_draft){0};
}
