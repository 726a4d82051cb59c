// SPDX-License-Identifier: MIT
//
// Terms as they are when the run ends (equal_terms.h).
#include "iotree/findings/equal_terms.h"

#include "iotree/findings/loops.h"

typedef struct {
    trace_value x, y;
} value_pair;

static bool has_parts(const trace *t, trace_value v)
{
    return is_cell_kind(t, v, TC_CONS) || is_cell_kind(t, v, TC_STRUCT) ||
           is_cell_kind(t, v, TC_VECTOR);
}

// When the last of the bindings is made that lead from the variable to its value.
static int64_t time_of_value(const trace *t, trace_value v)
{
    int64_t latest = 0;
    while (is_variable(t, v) && trace_cell_binding(t, v.id) != TRACE_NONE) {
        uint32_t binding = trace_cell_binding(t, v.id);
        latest = binding_time(t, binding) > latest ? binding_time(t, binding) : latest;
        v = trace_binding_value(t, binding);
    }
    return latest;
}

bool iot_are_equal(term_walk *w, trace_value x, trace_value y, int64_t *ret_made)
{
    const trace *t = w->t;
    ARRAY_OF(value_pair) stack = {0};
    bool equal = true;
    ARRAY_PUSH(stack, (value_pair){x, y});
    while (stack.n > 0 && equal) {
        value_pair p = stack.at[--stack.n];
        trace_value variable = p.y;
        p.x = iot_end_value(t, p.x);
        p.y = iot_end_value(t, p.y);
        if (is_same_value(p.x, p.y))
            continue;
        equal = w->budget > 0 && has_parts(t, p.x) && has_parts(t, p.y) &&
                trace_cell_get_kind(t, p.x.id) == trace_cell_get_kind(t, p.y.id);
        uint32_t n = !equal ? 0 : is_cell_kind(t, p.x, TC_CONS) ? 2 : trace_cell_arity(t, p.x.id);
        if (equal && !is_cell_kind(t, p.x, TC_CONS))
            equal = n == trace_cell_arity(t, p.y.id) &&
                    (is_cell_kind(t, p.x, TC_VECTOR) ||
                     trace_cell_name(t, p.x.id) == trace_cell_name(t, p.y.id));
        // Only of terms with parts: iot_end_value() goes no further than some aliases, the time
        // does.
        int64_t made = equal ? time_of_value(t, variable) : 0;
        *ret_made = made > *ret_made ? made : *ret_made;
        for (uint32_t i = n; equal && i-- > 0 && w->budget > 0;
             w->budget--) // the first is looked at first
            ARRAY_PUSH(stack,
                       (value_pair){trace_cell_arg(t, p.x.id, i), trace_cell_arg(t, p.y.id, i)});
    }
    free(stack.at);
    return equal && w->budget > 0;
}

term_end iot_end_of_term(term_walk *w, trace_value root)
{
    const trace *t = w->t;
    ARRAY_OF(trace_value) stack = {0};
    term_end end = {0};
    ARRAY_PUSH(stack, root);
    while (stack.n > 0 && w->budget > 0) {
        trace_value v = stack.at[--stack.n];
        for (; is_variable(t, v) && trace_cell_binding(t, v.id) != TRACE_NONE && w->budget > 0;
             w->budget--) {
            uint32_t binding = trace_cell_binding(t, v.id);
            if (binding_time(t, binding) > end.time)
                end = (term_end){binding_time(t, binding), trace_binding_maker(t, binding)};
            v = trace_binding_value(t, binding);
        }
        uint32_t n = !has_parts(t, v)              ? 0
                     : is_cell_kind(t, v, TC_CONS) ? 2
                                                   : trace_cell_arity(t, v.id);
        for (uint32_t i = 0; i < n && w->budget > 0; i++, w->budget--)
            ARRAY_PUSH(stack, trace_cell_arg(t, v.id, i));
    }
    free(stack.at);
    return end;
}
