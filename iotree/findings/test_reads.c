// SPDX-License-Identifier: MIT
//
// The walk of a commit: the patterns of the head along the arguments of the goal, then the guards.
#include "iotree/findings/test_reads.h"

#include "iotree/terms/values.h"

#define FEW_NOTES 16u // that are searched one by one

void test_reader_begin(test_reader *s, const trace *t)
{
    *s = (test_reader){.t = t};
}

void test_reader_end(test_reader *s)
{
    free(s->notes.at);
    map_free(&s->many);
    free(s->stack.at);
    free(s->arguments);
    free(s->values);
    free(s->known);
    *s = (test_reader){0};
}

// The note about a binding; NULL: it was not followed.
static noted_read *note_of(const test_reader *s, uint32_t binding)
{
    if (s->notes.n > FEW_NOTES) {
        uint64_t found = map_get(&s->many, binding);
        return found == MAP_ABSENT ? NULL : &s->notes.at[found];
    }
    for (size_t i = 0; i < s->notes.n; i++)
        if (s->notes.at[i].binding == binding)
            return &s->notes.at[i];
    return NULL;
}

static void note(test_reader *s, uint32_t binding, uint32_t test)
{
    noted_read *known = note_of(s, binding);
    if (known) {
        known->test = known->test == test ? test : NO_TEST;
        return;
    }
    ARRAY_PUSH(s->notes, (noted_read){binding, test});
    for (size_t i = s->notes.n == FEW_NOTES + 1 ? 0 : s->notes.n - 1;
         s->notes.n > FEW_NOTES && i < s->notes.n; i++)
        map_set(&s->many, s->notes.at[i].binding, i);
}

static void forget_notes(test_reader *s, uint32_t reduction)
{
    s->reduction = reduction;
    s->notes.n = 0;
    map_free(&s->many);
}

// To the end of a chain of bound variables, as far as the reduction could see.
static trace_value follow(test_reader *s, trace_value v, uint32_t test)
{
    while (is_variable(s->t, v)) {
        uint32_t binding = trace_cell_binding(s->t, v.id);
        if (binding == TRACE_NONE || !trace_bound_before(s->t, binding, s->reduction))
            break;
        note(s, binding, test);
        v = trace_binding_value(s->t, binding);
    }
    return v;
}

static void make_room(test_reader *s, const trace_clause *c)
{
    size_t nvariables = (size_t)c->nholes + c->nunused;
    if (c->nhead > s->narguments) {
        s->narguments = c->nhead;
        s->arguments = base_resize(s->arguments, s->narguments, sizeof *s->arguments);
    }
    if (nvariables > s->nvariables) {
        s->nvariables = nvariables;
        s->values = base_resize(s->values, nvariables, sizeof *s->values);
        s->known = base_resize(s->known, nvariables, 1);
    }
    if (nvariables)
        memset(s->known, 0, nvariables);
}

static void walk_head(test_reader *s, const trace_clause *c, const clause_tests *tests)
{
    s->stack.n = 0;
    for (uint32_t i = 0; i < c->nhead; i++)
        ARRAY_PUSH(s->stack, (walk_step){c->head[i], NO_TEST, s->arguments[i]});
    while (s->stack.n > 0) {
        walk_step x = s->stack.at[--s->stack.n];
        const trace_node *n = &c->patterns[x.node];
        if (n->kind == TN_HOLE || n->kind == TN_FRESH) {
            uint32_t variable = n->kind == TN_HOLE ? n->index : c->nholes + n->index;
            s->known[variable] = 1;
            s->values[variable] = x.value;
            continue;
        }
        uint32_t own = tests->by_pattern[x.node], test = x.test;
        if (test == NO_TEST || (s->inner && own != NO_TEST))
            test = own;
        trace_value v = follow(s, x.value, test);
        for (uint32_t i = 0; v.kind == TV_CELL && !is_variable(s->t, v) && i < n->n; i++)
            if (i < trace_cell_arity(s->t, v.id))
                ARRAY_PUSH(s->stack, (walk_step){c->pattern_children[n->first + i], test,
                                                 trace_cell_arg(s->t, v.id, i)});
    }
}

typedef struct {
    test_reader *s;
    const trace_clause *c;
    uint32_t test;
} guard_walk;

static void follow_variable(void *data, head_variable v)
{
    const guard_walk *w = data;
    uint32_t variable = v.used ? v.index : w->c->nholes + v.index;
    if (w->s->known[variable])
        follow(w->s, w->s->values[variable], w->test);
}

void read_tests(test_reader *s, uint32_t reduction, uint32_t clause, const clause_tests *tests)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    make_room(s, c);
    forget_notes(s, reduction);
    if (c->nhead)
        trace_goal_args(s->t, trace_reduction_goal(s->t, reduction), s->arguments);
    walk_head(s, c, tests);
    for (uint32_t g = 0; g < c->nguards; g++) {
        guard_walk w = {s, c, tests->by_guard[g]};
        test_variables(s->t, (clause_test){clause, true, g}, follow_variable, &w);
    }
}

uint32_t test_of_read(const test_reader *s, uint32_t reduction, uint32_t variable)
{
    uint32_t binding = trace_cell_binding(s->t, variable);
    const noted_read *known =
        binding == TRACE_NONE || reduction != s->reduction ? NULL : note_of(s, binding);
    return known ? known->test : NO_TEST;
}

bool waits_of_read(const trace *t, const wait_graph *g, uint32_t reduction, uint32_t variable,
                   uint64_t *next, uint64_t *ret_first)
{
    uint32_t binding = trace_cell_binding(t, variable);
    if (binding == TRACE_NONE)
        return false;
    if (trace_bound_before(t, binding, 1) || !trace_bound_before(t, binding, reduction) ||
        *next >= g->first[reduction + 1])
        return false;
    *ret_first = (*next)++;
    while (*next < g->first[reduction + 1] && !(g->begins[*next / 8] >> *next % 8 & 1))
        (*next)++;
    uint32_t maker = g->makers[*ret_first];
    return !trace_bound_before(t, binding, maker) && trace_bound_before(t, binding, maker + 1);
}
