// SPDX-License-Identifier: MIT
//
// Relays (waits.h), made as readers ask for them.
#ifndef IOTREE_PRICES_RELAYS_H
#define IOTREE_PRICES_RELAYS_H

#include "base/table.h"
#include "iotree/prices/waits.h"

// A relay while the graph is made; its inputs are relays by their number here, or reductions.
typedef struct {
    uint32_t at, site;
    size_t first, n; // inputs
} relay;

// The relays of one binding: one for each site.
typedef struct {
    uint32_t first, n;
} relay_group;

typedef struct {
    const trace *t;
    const uint32_t *sites; // by reduction; or instead of sites other numbers
    const uint8_t *kinds;  // by binding, unless NULL
    ARRAY_OF(relay) list;
    ARRAY_OF(uint64_t) inputs; // a reduction, or RELAY_INPUT + a relay
    ARRAY_OF(relay_group) groups;
    base_map of_binding; // binding -> group
    ARRAY_OF(uint32_t) open;
} relay_table;

#define RELAY_INPUT ((uint64_t)1 << 32)

// The relays for what a binding passed on.
relay_group iot_relays_of(relay_table *r, uint32_t binding);
// Puts them into the graph, in order, and frees the table. Far waits get the new numbers.
void iot_end_relays(relay_table *r, wait_graph *g);

#endif
