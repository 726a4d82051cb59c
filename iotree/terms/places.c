// SPDX-License-Identifier: MIT
//
// Predicates, clauses and lines of a trace as text.
#include "iotree/terms/values.h"

static bool has_namesake(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *q = trace_get_predicate(t, i);
        if (i != predicate && q->name == p->name && q->arity == p->arity)
            return true;
    }
    return false;
}

char *iot_predicate_text(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    const char *name = trace_name(t, p->name);
    if (p->origin != TRACE_BUILTIN && has_namesake(t, predicate))
        return base_format("%s:%s/%u", trace_module_name(t, p->module), name, p->arity);
    return base_format("%s/%u", name, p->arity);
}

char *iot_clause_text(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    char *predicate = iot_predicate_text(t, c->predicate);
    if (c->dynamic || !c->number)
        return predicate;
    char *text = base_format("%s:%u", predicate, c->number);
    free(predicate);
    return text;
}

// merge/2, and the mergers of KL1: merge:in/3.
static bool is_merge(const char *name)
{
    return strncmp(name, "merge", 5) == 0 && (name[5] == 0 || name[5] == ':');
}

uint32_t iot_reduction_clause(const trace *t, uint32_t reduction)
{
    uint32_t clause = trace_reduction_clause(t, reduction);
    const trace_predicate *p = trace_get_predicate(t, trace_get_clause(t, clause)->predicate);
    if (p->origin != TRACE_BUILTIN || !is_merge(trace_string(t, p->name, NULL)))
        return clause;
    uint32_t caller = trace_goal_parent(t, trace_goal_origin(t, trace_reduction_goal(t, reduction)));
    return caller != 0 ? trace_reduction_clause(t, caller) : clause;
}

uint32_t iot_reduction_line(const trace *t, uint32_t reduction, uint32_t *ret_source)
{
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, reduction));
    uint32_t line = c->line;
    if (c->dynamic && reduction != 0) {
        uint32_t goal = trace_goal_origin(t, trace_reduction_goal(t, reduction));
        uint32_t item = trace_goal_item(t, goal);
        c = trace_get_clause(t, trace_reduction_clause(t, trace_goal_parent(t, goal)));
        line = item == TRACE_NONE ? c->line : c->items[item].line;
    }
    if (ret_source)
        *ret_source = c->source;
    return c->source == TRACE_NONE ? 0 : line;
}
