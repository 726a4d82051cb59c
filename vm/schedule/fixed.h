// SPDX-License-Identifier: MIT
//
// Fixed orders of ready goals, with which the worker's own order (order.h) is compared (private to
// vm/). They use its queues, but nothing of how it decides.
#ifndef VM_FIXED_H
#define VM_FIXED_H

#include "vm/order.h"
#include "vm/schedule/order.h"

// Is the next goal chosen anew after every reduction?
static inline bool vm_fixed_steps(vm_order_kind kind)
{
    return kind == ORDER_OLDEST || kind == ORDER_TIME;
}

struct vm_worker;
// The next goal; `over`: a quantum is. `running`: the goal that gave way; NULL: there is none.
vm_goal *vm_fixed_next(struct vm_worker *w, bool over, vm_goal *running);

#endif
