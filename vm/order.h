// SPDX-License-Identifier: MIT
//
// The orders in which one worker may run its ready goals. All but the first are for comparison.
#ifndef VM_PUBLIC_ORDER_H
#define VM_PUBLIC_ORDER_H

typedef enum {
    ORDER_OWN,        // the engine's: see ARCHITECTURE.md
    ORDER_NEWEST,     // the goal that was created or woken last
    ORDER_OLDEST,     // first
    ORDER_TURNS,      // the newest; after 4,096 reductions it becomes the oldest
    ORDER_LONG_TURNS, // likewise after 65,536
    ORDER_TIME,       // by virtual time
} vm_order_kind;

#endif
