// SPDX-License-Identifier: MIT
//
// The values of activities of measured runs.
#include "iotree/terms/values.h"

bool iot_activity_value(const trace *t, uint32_t activity, trace_key key, int64_t *ret)
{
    uint32_t goal = trace_reduction_goal(t, activity), name;
    const trace_predicate *p = trace_get_predicate(t, trace_goal_predicate(t, goal));
    for (uint32_t i = 0; i < p->arity; i++) {
        trace_value v = trace_goal_arg(t, goal, i), value;
        if (v.kind != TV_CELL || !trace_cell_pair(t, v.id, &name, &value) ||
            trace_string_key(t, name) != key)
            continue;
        *ret = value.kind == TV_INT ? value.i : value.kind == TV_ATOM ? (int64_t)value.id : 0;
        return true;
    }
    return false;
}
