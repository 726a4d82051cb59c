// SPDX-License-Identifier: MIT
//
// What must hold of every reduction of a real stamped run, whatever the schedule. Compiled as the
// engine is: it sees memory as the worker does.
#include "real_check.h"

#include "model.h"

static void must_be(bool holds, const char *what)
{
    if (!holds)
        model_fail("%s", what);
}

static void check(void *data, const vm_event *event)
{
    (void)data;
    int64_t last = event->goal ? event->goal->parent->time : 0;
    for (uint32_t i = 0; i < event->nreads; i++) {
        const vm_var *v = event->reads[i];
        must_be(v->maker && v->time == v->maker->time, "a binding was seen before its time");
        must_be(vm_stamp_compare(v->maker, event->stamp) < 0, "what was read was bound later");
        if (v->time > last)
            last = v->time;
    }
    int64_t least = event->goal ? last + event->goal->predicate->cost : 0;
    must_be(event->clause ? event->time == least : event->time >= least, // of a merge: later
            "a reduction has the wrong time");
    for (uint32_t i = 0; i < event->nfollowed; i++)
        must_be(vm_stamp_compare(event->followed[i]->maker, event->stamp) <= 0,
                "what was followed was bound later");
    for (uint32_t i = 0; i < event->npassed; i++)
        must_be(vm_stamp_compare(event->passed[i]->maker, event->stamp) <= 0,
                "what was passed on was bound later");
    for (uint32_t i = 0; i < event->nbindings; i++)
        must_be(event->bindings[i].variable->maker == event->stamp, "somebody else's binding");
    for (uint32_t i = 0; i < event->nlate; i++)
        must_be(vm_stamp_compare(event->late[i].maker, event->stamp) > 0,
                "a late act on behalf of an earlier reduction");
}

vm_recorder real_check = {.reduction = check};
