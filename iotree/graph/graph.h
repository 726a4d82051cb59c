// SPDX-License-Identifier: MIT
//
// The causes of each member of a process (private to iotree/): its parent and the makers of what it
// read, if they are members too, and the inputs that it read itself.
#ifndef IOTREE_GRAPH_H
#define IOTREE_GRAPH_H

#include "iotree/graph/model.h"

// A link is the rank of an earlier member, or an input.
#define LINK_INPUT 0x80000000u

// Of the process asked about last; made anew when another one is. The caller holds the lock.
const causal_graph *ensure_graph(iot *a, uint32_t process);

#endif
