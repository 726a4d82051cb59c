// SPDX-License-Identifier: MIT
//
// The detectors that look at loops: all use one study of the program's loops.
#include "iotree/findings/shapes.h"

enum { MOST_OF_GROUP = 5 };

// Those of one group see each other's candidates: a chain is none where the order of a list is.
typedef void shape_detector(const loops *l, candidates *c);
static shape_detector *const groups[][MOST_OF_GROUP] = {
    {iot_find_trees, iot_find_fills, iot_find_tree_copies},
    {iot_find_threaded},
    {iot_find_rounds, iot_find_round_trips, iot_find_head_of_line, iot_find_turns,
     iot_find_accumulations},
    {iot_find_uneven},
    {iot_find_batches, iot_find_gathered},
    {iot_find_again, iot_find_same_calls},
    {iot_find_conversions},
    {iot_find_degenerate, iot_find_servers, iot_find_registers, iot_find_numbers},
    {iot_find_rings},
    {iot_find_asked_for},
    {iot_find_farms},
    {iot_find_long_steps},
    {iot_find_longest_last, iot_find_lent},
    {iot_find_settled},
    {iot_find_counters},
    {iot_find_ticks},
    {iot_find_handlers},
    {iot_find_counts},
};

uint32_t iot_nshapes(void)
{
    return sizeof groups / sizeof *groups;
}

void iot_find_shapes(const loops *l, uint32_t group, candidates *c)
{
    for (int i = 0; i < MOST_OF_GROUP && groups[group][i]; i++)
        groups[group][i](l, c);
}
