// SPDX-License-Identifier: MIT
//
// The IO-Tree of a process as the caller gets it: the requested nodes depth first, with their
// lists.
#include "iotree/tree/nodes.h"

// Steps of listing that are spent before the number of inputs an output needs is left unsaid; for
// processes that read streams it is a few per member.
#define COUNT_BUDGET (1u << 24)
#define WORK_FACTOR  64u // steps allowed for each input that may be listed

struct iot_tree {
    iot_node *nodes;
    uint32_t nnodes;
    uint32_t *inputs, *outputs, *unused;
    uint32_t ninputs, noutputs, nunused;
};

void iot_count_needed(const iot *a, const process_causes *causes, process_io *io)
{
    node_builder b;
    iot_nodes_build(&b, a, causes, io, INT64_MAX, COUNT_BUDGET);
    for (uint32_t i = 0; i < io->noutputs; i++) {
        if (b.node_of_output[i] != IOT_NONE)
            io->outputs[i].needed = b.nodes.at[b.node_of_output[i]].size;
    }
    iot_nodes_free(&b);
}

// ---------------------------------------------------------------------------------------------
// Choosing

typedef struct {
    node_builder b;
    uint8_t *chosen;  // by node
    uint32_t *number; // by node: its index in the tree
    uint64_t listed;
} chooser;

static uint32_t added(const node_builder *b, uint32_t node)
{
    uint32_t parent = b->nodes.at[node].parent;
    return b->nodes.at[node].size - (parent == IOT_NONE ? 0 : b->nodes.at[parent].size);
}

// Chooses the node and those above it, unless they list too much.
static bool choose(chooser *c, uint32_t node, uint64_t limit)
{
    uint64_t more = 0;
    for (uint32_t n = node; n != IOT_NONE && !c->chosen[n]; n = c->b.nodes.at[n].parent)
        more += added(&c->b, n);
    if (c->listed + more > limit)
        return false;
    c->listed += more;
    for (uint32_t n = node; n != IOT_NONE && !c->chosen[n]; n = c->b.nodes.at[n].parent)
        c->chosen[n] = 1;
    return true;
}

static bool choose_nodes(chooser *c, int64_t from, uint64_t limit)
{
    c->chosen = base_allocate((uint32_t)c->b.nodes.n, 1);
    for (uint32_t i = 0; i < c->b.io->noutputs; i++) {
        uint32_t node = c->b.node_of_output[i];
        if (node != IOT_NONE && c->b.io->outputs[i].time >= from && !choose(c, node, limit))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Laying out

// Numbers the chosen nodes depth first. Nodes were made in the order in which children stand.
static void number_nodes(chooser *c, iot_tree *tree)
{
    uint32_t n = (uint32_t)c->b.nodes.n, depth = 0;
    uint32_t *first = base_allocate((size_t)n + 1, sizeof *first),
             *next = base_allocate(n, sizeof *next);
    memset(first, 0xff, ((size_t)n + 1) * sizeof *first);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t parent = c->b.nodes.at[i].parent;
        uint32_t *list = &first[parent == IOT_NONE ? n : parent];
        if (c->chosen[i]) {
            next[i] = *list;
            *list = i;
            tree->nnodes++;
        }
    }
    tree->nodes = base_allocate(tree->nnodes, sizeof *tree->nodes);
    c->number = base_allocate(n, sizeof *c->number);
    uint32_t at = first[n], done = 0;
    while (at != IOT_NONE) {
        uint32_t parent = c->b.nodes.at[at].parent;
        c->number[at] = done;
        tree->nodes[done++] = (iot_node){
            .parent = parent == IOT_NONE ? IOT_NONE : c->number[parent],
            .reduction = c->b.nodes.at[at].reduction,
            .depth = depth,
            .last_input = IOT_NONE,
        };
        if (first[at] != IOT_NONE) {
            at = first[at];
            depth++;
            continue;
        }
        while (at != IOT_NONE && next[at] == IOT_NONE) {
            at = c->b.nodes.at[at].parent;
            depth--;
        }
        at = at == IOT_NONE ? IOT_NONE : next[at];
    }
    free(first);
    free(next);
}

static void lay_inputs(chooser *c, iot_tree *tree)
{
    tree->inputs = base_allocate(c->listed, sizeof *tree->inputs);
    uint32_t *node_at = base_allocate(tree->nnodes, sizeof *node_at);
    for (uint32_t i = 0; i < (uint32_t)c->b.nodes.n; i++) {
        if (c->chosen[i])
            node_at[c->number[i]] = i;
    }
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        iot_node *node = &tree->nodes[i];
        iot_nodes_list_inputs(&c->b, node_at[i]);
        node->first_input = tree->ninputs;
        node->ninputs = (uint32_t)c->b.list.n;
        for (uint32_t j = 0; j < node->ninputs; j++) {
            uint32_t input = c->b.list.at[j];
            tree->inputs[tree->ninputs++] = input;
            node->join |= c->b.standing[input] > 1;
        }
        if (node->ninputs) {
            node->input_from = c->b.io->inputs[c->b.list.at[0]].time;
            node->input_to = c->b.io->inputs[c->b.list.at[node->ninputs - 1]].time;
        }
    }
    free(node_at);
}

static void lay_outputs(chooser *c, iot_tree *tree)
{
    const process_io *io = c->b.io;
    for (uint32_t i = 0; i < io->noutputs; i++) {
        uint32_t node = c->b.node_of_output[i];
        if (node != IOT_NONE && c->chosen[node]) {
            tree->nodes[c->number[node]].noutputs++;
            tree->noutputs++;
        }
    }
    tree->outputs = base_allocate(tree->noutputs, sizeof *tree->outputs);
    uint32_t start = 0;
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        tree->nodes[i].first_output = start;
        start += tree->nodes[i].noutputs;
        tree->nodes[i].noutputs = 0;
    }
    for (uint32_t i = 0; i < io->noutputs; i++) {
        uint32_t n = c->b.node_of_output[i];
        if (n == IOT_NONE || !c->chosen[n])
            continue;
        iot_node *node = &tree->nodes[c->number[n]];
        if (!node->noutputs) {
            node->output_from = io->outputs[i].time;
            node->last_input = io->outputs[i].last_input;
        }
        node->output_to = io->outputs[i].time;
        tree->outputs[node->first_output + node->noutputs++] = i;
    }
}

// ---------------------------------------------------------------------------------------------
// Inputs that no output needs: backwards from the members that make outputs

static void list_unused(const process_causes *g, const process_io *io, iot_tree *tree)
{
    uint8_t *needed = bits_allocate(g->n);
    uint8_t *used = bits_allocate(io->ninputs);
    for (uint32_t i = 0; i < io->noutputs; i++)
        bit_set(needed, node_of_rank(g, io->makers[i]));
    for (uint32_t i = g->n; i-- > 0;) {
        for (size_t j = g->first[i]; bit_get(needed, i) && j < g->first[i + 1]; j++) {
            if (g->links[j] & LINK_INPUT)
                bit_set(used, g->links[j] & ~LINK_INPUT);
            else
                bit_set(needed, g->links[j]);
        }
    }
    tree->unused = base_allocate(io->ninputs, sizeof *tree->unused);
    for (uint32_t i = 0; i < io->ninputs; i++) {
        if (!bit_get(used, i))
            tree->unused[tree->nunused++] = i;
    }
    free(needed);
    free(used);
}

// ---------------------------------------------------------------------------------------------

iot_tree *iot_tree_build(const iot *analysis, uint32_t process, int64_t from, int64_t to,
                         uint64_t limit, bool *ret_complete)
{
    iot *a = (iot *)analysis;
    iot_tree *tree = base_allocate(1, sizeof *tree);
    chooser c = {0};
    pthread_mutex_lock(&a->lock);
    const process_io *io = iot_ensure_io(a, process);
    const process_causes *graph = iot_ensure_causes(a, process);
    uint64_t budget = limit > UINT64_MAX / WORK_FACTOR ? UINT64_MAX : limit * WORK_FACTOR;
    bool complete = iot_nodes_build(&c.b, a, graph, io, to, budget < 4096 ? 4096 : budget);
    list_unused(graph, io, tree);
    pthread_mutex_unlock(&a->lock);
    complete &= choose_nodes(&c, from, limit);
    number_nodes(&c, tree);
    lay_inputs(&c, tree);
    lay_outputs(&c, tree);
    iot_nodes_free(&c.b);
    free(c.chosen);
    free(c.number);
    if (ret_complete)
        *ret_complete = complete;
    return tree;
}

void iot_tree_destroy(iot_tree *tree)
{
    if (!tree)
        return;
    free(tree->nodes);
    free(tree->inputs);
    free(tree->outputs);
    free(tree->unused);
    free(tree);
}

uint32_t iot_tree_nnodes(const iot_tree *tree)
{
    return tree->nnodes;
}

const iot_node *iot_tree_node(const iot_tree *tree, uint32_t node)
{
    return &tree->nodes[node];
}

const uint32_t *iot_tree_inputs(const iot_tree *tree)
{
    return tree->inputs;
}

const uint32_t *iot_tree_outputs(const iot_tree *tree)
{
    return tree->outputs;
}

uint32_t iot_tree_unused(const iot_tree *tree, const uint32_t **ret_inputs)
{
    *ret_inputs = tree->unused;
    return tree->nunused;
}
