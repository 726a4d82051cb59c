// SPDX-License-Identifier: MIT
//
// Inputs and outputs of one process, and the causes of each of its members: its parent and the
// makers of the bindings that it read, if they are members too, and the inputs that it read itself.
// Who reads a binding also reads what the binding passed on. Where that is much, and several members
// read it, it is a *bundle*: it stands among the members, before the first that reads it, and its
// causes are counted once.
#ifndef IOTREE_CAUSES_H
#define IOTREE_CAUSES_H

#include "iotree/graph/model.h"

typedef struct process_io {
    uint32_t ninputs, noutputs;
    iot_input *inputs;
    iot_output *outputs;
    uint32_t *makers; // by output: rank of the member that made it
} process_io;

// A link is an earlier node, or an input.
#define LINK_INPUT 0x80000000u

// Nodes are the members, in order of time, and bundles. links[first[i] .. first[i + 1]): of node i;
// of a member its parent first.
typedef struct process_causes {
    uint32_t process, n;
    size_t *first;
    uint32_t *links;
    // By node: the rank of the member, or IOT_NONE; by rank: its node. NULL: there are no bundles.
    uint32_t *ranks, *nodes;
} process_causes;

static inline uint32_t rank_of_node(const process_causes *g, uint32_t node)
{
    return g->ranks ? g->ranks[node] : node;
}

static inline uint32_t node_of_rank(const process_causes *g, uint32_t rank)
{
    return g->nodes ? g->nodes[rank] : rank;
}

// The caller holds the lock. The causes are good until those of another process are asked for.
const process_io *iot_ensure_io(iot *a, uint32_t process);
const process_causes *iot_ensure_causes(iot *a, uint32_t process);
void iot_destroy_io(iot *a);

// causes.c: makes the causes of the process and, if they are to be found, its inputs.
void iot_read_process(iot *a, uint32_t process, process_io *io, bool find);
void iot_free_causes(process_causes *g);

// Writes the number of inputs that each output needs into io->outputs[].needed.
void iot_count_needed(const iot *a, const process_causes *causes, process_io *io);

#endif
