// SPDX-License-Identifier: MIT
//
// One pass over the members of a process: each gets its set of needed inputs and the greatest node
// of its causal past from the reductions directly before it, and its outputs go to a node.
#include "iotree/tree/nodes.h"

// ---------------------------------------------------------------------------------------------
// Greatest node

static bool greater(const node_builder *b, uint32_t x, uint32_t y)
{
    if (x == y || x == IOT_NONE)
        return false;
    if (y == IOT_NONE)
        return true;
    const tree_node *p = &b->nodes[x], *q = &b->nodes[y];
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
    uint64_t key = scramble(what + 0x9e3779b97f4a7c15u * (2 * (uint64_t)parent + by_map));
    return key ? key : 1;
}

static uint64_t mark_of(const req_list *list)
{
    uint64_t mark = list->n;
    for (size_t i = 0; i < list->n; i++)
        mark += scramble(list->inputs[i] + 0x100000001u);
    return mark;
}

static void put_slot(node_builder *b, node_slot s)
{
    uint32_t i = (uint32_t)s.key & (b->nslots - 1);
    while (b->slots[i].key)
        i = (i + 1) & (b->nslots - 1);
    b->slots[i] = s;
}

static void add_slot(node_builder *b, uint64_t key, uint32_t node, req_set req)
{
    if (2 * (b->slots_used + 1) > b->nslots) {
        node_slot *old = b->slots;
        uint32_t n = b->nslots;
        b->nslots = n ? 2 * n : 64;
        b->slots = iot_alloc(b->nslots, sizeof *b->slots);
        for (uint32_t i = 0; i < n; i++) {
            if (old[i].key)
                put_slot(b, old[i]);
        }
        free(old);
    }
    put_slot(b, (node_slot){key, node, req});
    b->slots_used++;
}

static req_set parent_req(const node_builder *b, uint32_t parent)
{
    return parent == IOT_NONE ? 0 : b->nodes[parent].req;
}

// Is b->list what the node adds to its parent?
static bool adds_listed(node_builder *b, uint32_t node)
{
    const tree_node *n = &b->nodes[node];
    uint32_t above = n->parent == IOT_NONE ? 0 : b->nodes[n->parent].size;
    if (n->size - above != b->list.n)
        return false;
    b->other.n = 0;
    uint64_t steps = b->other.steps;
    req_difference(&b->store, n->req, parent_req(b, n->parent), &b->other);
    b->list.steps += b->other.steps - steps;
    b->store.now++;
    for (size_t i = 0; i < b->list.n; i++)
        b->store.stamp[b->list.inputs[i]] = b->store.now;
    for (size_t i = 0; i < b->other.n; i++) {
        if (b->store.stamp[b->other.inputs[i]] != b->store.now)
            return false;
    }
    return true;
}

static uint32_t find_child(node_builder *b, uint32_t parent, uint64_t key, req_set req, bool by_map)
{
    if (!b->nslots)
        return IOT_NONE;
    for (uint32_t i = (uint32_t)key & (b->nslots - 1); b->slots[i].key;
         i = (i + 1) & (b->nslots - 1)) {
        const node_slot *s = &b->slots[i];
        if (s->key != key || b->nodes[s->node].parent != parent || (s->req != 0) != (by_map && req))
            continue;
        if (by_map ? req_same(&b->store, s->req, req) : adds_listed(b, s->node))
            return s->node;
    }
    return IOT_NONE;
}

// ---------------------------------------------------------------------------------------------
// Placing

static tree_node *node_at(node_builder *b, uint32_t node)
{
    return node == IOT_NONE ? &b->root : &b->nodes[node];
}

static uint32_t new_tree_node(node_builder *b, uint32_t parent, uint32_t reduction, req_set req)
{
    ROOM(b->nodes, b->nnodes, b->node_capacity);
    b->nodes[b->nnodes] = (tree_node){
        .parent = parent,
        .reduction = reduction,
        .time = trace_time(b->a->t, reduction),
        .req = req,
        .size = node_at(b, parent)->size + (uint32_t)b->list.n,
        .child = IOT_NONE,
    };
    for (size_t i = 0; i < b->list.n; i++) {
        uint8_t *standing = &b->standing[b->list.inputs[i]];
        *standing = *standing < 2 ? (uint8_t)(*standing + 1) : 2;
    }
    return b->nnodes++;
}

static void put_in_table(node_builder *b, uint32_t parent, uint32_t child, uint64_t by_inputs)
{
    req_set req = b->nodes[child].req;
    add_slot(b, by_inputs, child, 0);
    if (req)
        add_slot(b, child_key(parent, req_hash(&b->store, req), true), child, req);
}

// The parent's first child goes into the table when it no longer answers alone.
static void open_table(node_builder *b, uint32_t parent)
{
    tree_node *p = node_at(b, parent);
    if (p->in_table)
        return;
    p->in_table = true;
    b->other.n = 0;
    req_difference(&b->store, b->nodes[p->child].req, p->req, &b->other);
    put_in_table(b, parent, p->child, child_key(parent, mark_of(&b->other), false));
}

// A child that adds what is listed. A map that leads to it was not known before.
static uint32_t child_by_inputs(node_builder *b, uint32_t parent, req_set req, uint64_t by_inputs)
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
    add_slot(b, child_key(parent, req_hash(&b->store, req), true), child, req);
    return child;
}

static uint32_t child_by_map(node_builder *b, uint32_t parent, req_set req)
{
    const tree_node *p = node_at(b, parent);
    if (p->in_table)
        return find_child(b, parent, child_key(parent, req_hash(&b->store, req), true), req, true);
    return p->child != IOT_NONE && req_same(&b->store, b->nodes[p->child].req, req) ? p->child
                                                                                    : IOT_NONE;
}

// The node for the outputs of a reduction whose causal past has this greatest node.
static uint32_t place(node_builder *b, uint32_t parent, uint32_t reduction, req_set req)
{
    if (parent != IOT_NONE && req == b->nodes[parent].req)
        return parent;
    uint32_t node = child_by_map(b, parent, req);
    if (node != IOT_NONE)
        return node;
    b->list.n = 0;
    req_difference(&b->store, req, node_at(b, parent)->req, &b->list);
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

// First what its causes need, so that its set is as large as it gets before its own inputs look for
// a chain to stand on.
static void need(node_builder *b, uint32_t i)
{
    const causal_graph *g = b->graph;
    const trace *t = b->a->t;
    req_set req = 0;
    uint32_t best = IOT_NONE, hint = IOT_NONE, predicate = IOT_NONE;
    for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
        uint32_t before = g->links[j];
        if (before & LINK_INPUT)
            continue;
        req = req_merge(&b->store, req, b->req[before]);
        if (greater(b, b->best[before], best))
            best = b->best[before];
        hint = hint == IOT_NONE ? b->hint[before] : hint;
    }
    for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
        if (!(g->links[j] & LINK_INPUT))
            continue;
        if (predicate == IOT_NONE)
            predicate = trace_goal_predicate(t, trace_reduction_goal(t, b->members[i]));
        req = req_add(&b->store, req, g->links[j] & ~LINK_INPUT, predicate, &hint);
    }
    b->req[i] = req;
    b->best[i] = best;
    b->hint[i] = hint;
}

bool nodes_build(node_builder *b, const iot *a, const causal_graph *graph, const process_io *io,
                 int64_t to, uint64_t budget)
{
    uint32_t n = graph->n, output = 0;
    *b = (node_builder){.a = a, .io = io, .graph = graph, .root = {.child = IOT_NONE}};
    iot_members(a, graph->process, &b->members);
    req_init(&b->store, io->ninputs);
    b->node_of_output = iot_alloc(io->noutputs, sizeof *b->node_of_output);
    memset(b->node_of_output, 0xff, io->noutputs * sizeof *b->node_of_output);
    b->standing = iot_alloc(io->ninputs, 1);
    b->req = iot_alloc(n, sizeof *b->req);
    b->best = iot_alloc(n, sizeof *b->best);
    b->hint = iot_alloc(n, sizeof *b->hint);
    for (uint32_t i = 0; i < n && output < io->noutputs; i++) {
        if (io->outputs[output].time > to)
            break;
        need(b, i);
        if (io->makers[output] != i)
            continue;
        if (b->list.steps > budget)
            return false;
        uint32_t node = place(b, b->best[i], b->members[i], b->req[i]);
        if (greater(b, node, b->best[i]))
            b->best[i] = node;
        for (; output < io->noutputs && io->makers[output] == i; output++)
            b->node_of_output[output] = node;
    }
    return true;
}

void nodes_free(node_builder *b)
{
    req_free(&b->store);
    free(b->nodes);
    free(b->node_of_output);
    free(b->standing);
    free(b->req);
    free(b->best);
    free(b->hint);
    free(b->slots);
    free(b->list.inputs);
    free(b->other.inputs);
}

static int by_index(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

void nodes_list_inputs(node_builder *b, uint32_t node)
{
    const tree_node *n = &b->nodes[node];
    b->list.n = 0;
    req_difference(&b->store, n->req, parent_req(b, n->parent), &b->list);
    if (b->list.n > 1)
        qsort(b->list.inputs, b->list.n, sizeof *b->list.inputs, by_index);
}
