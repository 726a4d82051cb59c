// SPDX-License-Identifier: MIT
//
// The nodes of the IO-Tree of a process while it is built.
#ifndef IOTREE_NODES_H
#define IOTREE_NODES_H

#include "base/table.h"
#include "iotree/tree/causes.h"
#include "iotree/tree/input_sets.h"

typedef struct {
    uint32_t parent;    // node, or IOT_NONE: the root
    uint32_t reduction; // that began it
    int64_t time;       // its time
    input_set req;
    uint32_t size; // inputs in req
    // Children are looked up in the table only once there are several, or several maps for one.
    uint32_t child; // the first, or IOT_NONE
    bool in_table;
} tree_node;

// Leads to a node among the children of its parent.
typedef struct {
    uint64_t key;
    uint32_t node;
    input_set req; // the map it was found by; 0: found by its inputs
} child_entry;

typedef struct {
    const iot *a;
    const process_io *io;
    const process_causes *graph;
    const uint32_t *members;
    input_sets store;
    ARRAY_OF(tree_node) nodes; // in order of their first output
    tree_node root;           // only its children count
    uint32_t *node_of_output; // IOT_NONE: not placed
    uint8_t *standing;        // by input: the number of nodes that list it, up to 2
    // By node of the graph:
    input_set *req;
    uint32_t *best; // greatest node of its causal past and itself
    uint32_t *hint; // chain last continued

    base_index children; // numbers of entries by their keys
    ARRAY_OF(child_entry) entries;
    input_list list, other; // scratch
} node_builder;

// Places the outputs that were made up to time `to` with about `budget` steps of listing inputs at
// most. False if that was not enough; then the earlier outputs are placed.
bool iot_nodes_build(node_builder *b, const iot *a, const process_causes *graph,
                     const process_io *io, int64_t to, uint64_t budget);
void iot_nodes_free(node_builder *b);

// The inputs a node adds to its parent's, in b->list, in the order shown.
void iot_nodes_list_inputs(node_builder *b, uint32_t node);

#endif
