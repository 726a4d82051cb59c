// SPDX-License-Identifier: MIT
//
// The operations of `paf whatif` as changes of the graph of waits.
#ifndef IOTREE_PRICES_OPERATIONS_H
#define IOTREE_PRICES_OPERATIONS_H

#include "iotree/prices.h"
#include "iotree/prices/waits.h"

// A change while it is put together.
typedef struct {
    const iot *a;
    const wait_graph *g;
    uint8_t *without;  // bits by kind: classes that are left out
    double *costs;     // by reduction; NULL: the graph's
    uint8_t *dropped;  // bits by wait: left out by a tree or a window; NULL: none
    uint32_t *parents; // by reduction, IOT_NONE: as it is; NULL: all are
    double *depths;    // by reduction: its cost is multiplied by it; 0: by 1; NULL: all are
    ARRAY_OF(wait_added) added;
} price_draft;

// Each returns how many goals or reads it changed.
uint64_t iot_draft_speed_up(price_draft *d, const uint8_t *modules, double divisor);
uint64_t iot_draft_even(price_draft *d, const uint8_t *predicates);
uint64_t iot_draft_tree(price_draft *d, const uint8_t *predicates, uint32_t *ret_longest);
uint64_t iot_draft_unordered(price_draft *d, const uint8_t *predicates);
// After the trees and all classes that are left out.
uint64_t iot_draft_window(price_draft *d, const uint8_t *kinds, uint64_t n);
// The change; the draft is empty then.
wait_change iot_finish_draft(price_draft *d);

// The change that all operations make together; said: by operation, malloc'ed, or NULL. Unless it
// is IOT_PRICED, *ret_error is set and *ret is not.
iot_price_status iot_draft_all(const iot *a, const wait_graph *g, const iot_operation *operations,
                               uint32_t n, wait_change *ret, char **said, char **ret_error);

#endif
