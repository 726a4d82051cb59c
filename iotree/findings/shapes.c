// SPDX-License-Identifier: MIT
//
// The detectors that look at loops: all use one study of the program's loops.
#include "iotree/findings/loops.h"

#include "iotree/findings/shapes.h"

void iot_find_shapes(const iot *a, candidates *c)
{
    loops l;
    const wait_graph *g = iot_waits(a, NULL, NULL);
    if (!g || g->n < 2)
        return;
    iot_begin_loops(&l, a, g);
    iot_find_trees(&l, c);
    iot_find_fills(&l, c);
    iot_find_tree_copies(&l, c);
    iot_find_threaded(&l, c);
    iot_find_rounds(&l, c);
    iot_find_round_trips(&l, c);
    iot_find_head_of_line(&l, c);
    iot_find_turns(&l, c);
    iot_find_accumulations(&l, c);
    iot_find_uneven(&l, c);
    iot_find_batches(&l, c);
    iot_find_gathered(&l, c);
    iot_find_again(&l, c);
    iot_find_degenerate(&l, c);
    iot_find_servers(&l, c);
    iot_find_registers(&l, c);
    iot_find_rings(&l, c);
    iot_find_counts(&l, c);
    iot_end_loops(&l);
}
