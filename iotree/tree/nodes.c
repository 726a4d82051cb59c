// SPDX-License-Identifier: MIT
//
// One pass over the members of a process, and the bundles among them. Each gets the set of inputs that it needs, and the
// greatest node of its causal past, from the reductions directly before it. Its outputs go to a
// node.
#include "iotree/tree/nodes.h"

// ---------------------------------------------------------------------------------------------
// Greatest node

static bool greater(const node_builder *b, uint32_t x, uint32_t y)
{
    if (x == y || x == IOT_NONE)
        return false;
    if (y == IOT_NONE)
        return true;
    const tree_node *p = &b->nodes.at[x], *q = &b->nodes.at[y];
    if (p->size != q->size)
        return p->size > q->size;
    if (p->time != q->time)
        return p->time > q->time;
    return p->reduction < q->reduction;
}

// ---------------------------------------------------------------------------------------------
// Children by what they need: first by the map, which is at hand, then by the listed inputs

static uint64_t scramble(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static uint64_t child_key(uint32_t parent, uint64_t what, bool by_map)
{
    return scramble(what + 0x9e3779b97f4a7c15u * (2 * (uint64_t)parent + by_map));
}

static uint64_t mark_of(const input_list *list)
{
    uint64_t mark = list->n;
    for (size_t i = 0; i < list->n; i++)
        mark += scramble(list->at[i] + 0x100000001u);
    return mark;
}

static void add_child(node_builder *b, uint64_t key, uint32_t node, input_set req)
{
    index_add(&b->children, key, (uint32_t)b->entries.n);
    ARRAY_PUSH(b->entries, (child_entry){key, node, req});
}

static input_set parent_req(const node_builder *b, uint32_t parent)
{
    return parent == IOT_NONE ? 0 : b->nodes.at[parent].req;
}

// Is b->list what the node adds to its parent?
static bool adds_listed(node_builder *b, uint32_t node)
{
    const tree_node *n = &b->nodes.at[node];
    uint32_t above = n->parent == IOT_NONE ? 0 : b->nodes.at[n->parent].size;
    if (n->size - above != b->list.n)
        return false;
    b->other.n = 0;
    uint64_t steps = b->other.steps;
    iot_set_difference(&b->store, n->req, parent_req(b, n->parent), &b->other);
    b->list.steps += b->other.steps - steps;
    b->store.now++;
    for (size_t i = 0; i < b->list.n; i++)
        b->store.stamp[b->list.at[i]] = b->store.now;
    for (size_t i = 0; i < b->other.n; i++) {
        if (b->store.stamp[b->other.at[i]] != b->store.now)
            return false;
    }
    return true;
}

// Does the entry lead to a child of this parent with this map, or, by inputs, with those listed?
static bool leads(node_builder *b, uint32_t number, uint32_t parent, uint64_t key, input_set req,
                  bool by_map)
{
    const child_entry *e = &b->entries.at[number];
    if (e->key != key || b->nodes.at[e->node].parent != parent || (e->req != 0) != (by_map && req))
        return false;
    return by_map ? iot_set_same(&b->store, e->req, req) : adds_listed(b, e->node);
}

static uint32_t find_child(node_builder *b, uint32_t parent, uint64_t key, input_set req,
                           bool by_map)
{
    uint32_t found;
    INDEX_FIND(found, &b->children, key, i, leads(b, i, parent, key, req, by_map));
    return found == INDEX_NONE ? IOT_NONE : b->entries.at[found].node;
}

// ---------------------------------------------------------------------------------------------
// Placing

static tree_node *node_at(node_builder *b, uint32_t node)
{
    return node == IOT_NONE ? &b->root : &b->nodes.at[node];
}

static uint32_t new_tree_node(node_builder *b, uint32_t parent, uint32_t reduction, input_set req)
{
    tree_node node = {
        .parent = parent,
        .reduction = reduction,
        .time = trace_time(b->a->t, reduction),
        .req = req,
        .size = node_at(b, parent)->size + (uint32_t)b->list.n,
        .child = IOT_NONE,
    };
    ARRAY_PUSH(b->nodes, node);
    for (size_t i = 0; i < b->list.n; i++) {
        uint8_t *standing = &b->standing[b->list.at[i]];
        *standing = *standing < 2 ? (uint8_t)(*standing + 1) : 2;
    }
    return (uint32_t)b->nodes.n - 1;
}

static void put_in_table(node_builder *b, uint32_t parent, uint32_t child, uint64_t by_inputs)
{
    input_set req = b->nodes.at[child].req;
    add_child(b, by_inputs, child, 0);
    if (req)
        add_child(b, child_key(parent, iot_set_hash(&b->store, req), true), child, req);
}

// The parent's first child goes into the table when it no longer answers alone.
static void open_table(node_builder *b, uint32_t parent)
{
    tree_node *p = node_at(b, parent);
    if (p->in_table)
        return;
    p->in_table = true;
    b->other.n = 0;
    iot_set_difference(&b->store, b->nodes.at[p->child].req, p->req, &b->other);
    put_in_table(b, parent, p->child, child_key(parent, mark_of(&b->other), false));
}

// A child that adds the listed inputs. No map led to it before.
static uint32_t child_by_inputs(node_builder *b, uint32_t parent, input_set req, uint64_t by_inputs)
{
    const tree_node *p = node_at(b, parent);
    uint32_t child = IOT_NONE;
    if (p->in_table)
        child = find_child(b, parent, by_inputs, req, false);
    else if (p->child != IOT_NONE && adds_listed(b, p->child))
        child = p->child;
    if (child == IOT_NONE || !req)
        return child;
    open_table(b, parent);
    add_child(b, child_key(parent, iot_set_hash(&b->store, req), true), child, req);
    return child;
}

static uint32_t child_by_map(node_builder *b, uint32_t parent, input_set req)
{
    const tree_node *p = node_at(b, parent);
    if (p->in_table)
        return find_child(b, parent, child_key(parent, iot_set_hash(&b->store, req), true), req,
                          true);
    return p->child != IOT_NONE && iot_set_same(&b->store, b->nodes.at[p->child].req, req)
               ? p->child
               : IOT_NONE;
}

// The node for the outputs of a reduction whose causal past has this greatest node.
static uint32_t place(node_builder *b, uint32_t parent, uint32_t reduction, input_set req)
{
    if (parent != IOT_NONE && req == b->nodes.at[parent].req)
        return parent;
    uint32_t node = child_by_map(b, parent, req);
    if (node != IOT_NONE)
        return node;
    b->list.n = 0;
    iot_set_difference(&b->store, req, node_at(b, parent)->req, &b->list);
    if (parent != IOT_NONE && !b->list.n)
        return parent;
    uint64_t by_inputs = child_key(parent, mark_of(&b->list), false);
    node = child_by_inputs(b, parent, req, by_inputs);
    if (node != IOT_NONE)
        return node;
    node = new_tree_node(b, parent, reduction, req);
    if (node_at(b, parent)->child == IOT_NONE) {
        node_at(b, parent)->child = node;
        return node;
    }
    open_table(b, parent);
    put_in_table(b, parent, node, by_inputs);
    return node;
}

// ---------------------------------------------------------------------------------------------
// The pass

// First the needs of its causes, so that its set is as large as possible before its own inputs look
// for a chain to extend.
static void need(node_builder *b, uint32_t i)
{
    const process_causes *g = b->graph;
    const trace *t = b->a->t;
    input_set req = 0;
    uint32_t best = IOT_NONE, hint = IOT_NONE, predicate = IOT_NONE;
    for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
        uint32_t before = g->links[j];
        if (before & LINK_INPUT)
            continue;
        req = iot_set_merge(&b->store, req, b->req[before]);
        if (greater(b, b->best[before], best))
            best = b->best[before];
        hint = hint == IOT_NONE ? b->hint[before] : hint;
    }
    for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
        if (!(g->links[j] & LINK_INPUT))
            continue;
        uint32_t rank = rank_of_node(g, i);
        if (predicate == IOT_NONE && rank != IOT_NONE)
            predicate = trace_goal_predicate(t, trace_reduction_goal(t, b->members[rank]));
        req = iot_set_add(&b->store, req, g->links[j] & ~LINK_INPUT, predicate, &hint);
    }
    b->req[i] = req;
    b->best[i] = best;
    b->hint[i] = hint;
}

bool iot_nodes_build(node_builder *b, const iot *a, const process_causes *graph,
                     const process_io *io, int64_t to, uint64_t budget)
{
    uint32_t n = graph->n, output = 0;
    *b = (node_builder){.a = a, .io = io, .graph = graph, .root = {.child = IOT_NONE}};
    iot_members(a, graph->process, &b->members);
    iot_sets_init(&b->store, io->ninputs);
    b->node_of_output = base_allocate(io->noutputs, sizeof *b->node_of_output);
    memset(b->node_of_output, 0xff, io->noutputs * sizeof *b->node_of_output);
    b->standing = base_allocate(io->ninputs, 1);
    b->req = base_allocate(n, sizeof *b->req);
    b->best = base_allocate(n, sizeof *b->best);
    b->hint = base_allocate(n, sizeof *b->hint);
    for (uint32_t i = 0; i < n && output < io->noutputs; i++) {
        if (io->outputs[output].time > to)
            break;
        need(b, i);
        uint32_t rank = rank_of_node(graph, i);
        if (io->makers[output] != rank)
            continue;
        if (b->list.steps > budget)
            return false;
        uint32_t node = place(b, b->best[i], b->members[rank], b->req[i]);
        if (greater(b, node, b->best[i]))
            b->best[i] = node;
        for (; output < io->noutputs && io->makers[output] == rank; output++)
            b->node_of_output[output] = node;
    }
    return true;
}

void iot_nodes_free(node_builder *b)
{
    iot_sets_free(&b->store);
    free(b->nodes.at);
    free(b->node_of_output);
    free(b->standing);
    free(b->req);
    free(b->best);
    free(b->hint);
    index_free(&b->children);
    free(b->entries.at);
    free(b->list.at);
    free(b->other.at);
}

static int by_index(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

void iot_nodes_list_inputs(node_builder *b, uint32_t node)
{
    const tree_node *n = &b->nodes.at[node];
    b->list.n = 0;
    iot_set_difference(&b->store, n->req, parent_req(b, n->parent), &b->list);
    if (b->list.n > 1)
        qsort(b->list.at, b->list.n, sizeof *b->list.at, by_index);
}
