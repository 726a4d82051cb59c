// SPDX-License-Identifier: MIT
//
// Idle arguments: the greatest set of argument positions such that clauses only wait for what
// stands there and hand it on to positions of the set. Found by striking out what does more.
#include "base/array.h"
#include "iotree/findings/clauses.h"

enum { MOST_ARGUMENTS = 1 << 14 }; // larger programs: no argument counts as idle

typedef struct {
    clause_facts *f;
    const trace_clause *c;
    bool idle;
    bool used;
} use_search;

// Does the body hand the hole on to idle arguments only?
static bool hole_is_idle(const clause_facts *f, const trace_clause *c, uint32_t hole)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool idle = true;
    for (uint32_t i = 0; i < c->nitems && idle; i++) {
        const trace_item *item = &c->items[i];
        for (uint32_t k = 0; k < item->n && idle; k++) {
            const trace_node *n = &c->nodes[c->children[item->first + k]];
            if (item->kind == TI_GOAL && n->kind == TN_HOLE) {
                if (n->index == hole)
                    idle = f->idle[f->first_argument[item->predicate] + k];
                continue;
            }
            ARRAY_PUSH(stack, c->children[item->first + k]);
        }
        while (stack.n > 0) {
            const trace_node *n = &c->nodes[stack.at[--stack.n]];
            idle &= !(n->kind == TN_HOLE && n->index == hole);
            for (uint32_t k = 0; k < n->n; k++)
                ARRAY_PUSH(stack, c->children[n->first + k]);
        }
    }
    free(stack.at);
    return idle;
}

static void look_at_variable(void *data, head_variable v)
{
    use_search *s = data;
    s->used |= v.used;
    s->idle &= !v.used || hole_is_idle(s->f, s->c, v.index);
}

typedef struct {
    const trace_node *variable;
    bool found;
} variable_search;

static void find_variable(void *data, head_variable v)
{
    variable_search *s = data;
    s->found |= v.used == (s->variable->kind == TN_HOLE) && v.index == s->variable->index;
}

bool test_has_variable(const trace *t, clause_test test, const trace_node *variable)
{
    variable_search s = {variable, false};
    test_variables(t, test, find_variable, &s);
    return s.found;
}

// Does a guard that looks at the variable decide?
static bool guards_decide(clause_facts *f, uint32_t clause, const trace_node *variable)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    for (uint32_t g = 0; g < c->nguards; g++) {
        clause_test guard = {clause, true, g};
        if (test_has_variable(f->t, guard, variable) && test_decides(f, guard))
            return true;
    }
    return false;
}

typedef struct {
    const trace_clause *c;
    uint8_t *times; // by variable: in the head; 2: or more
    bool again;     // one that is there again was found
} repeat_search;

static uint8_t *times_of(const repeat_search *s, head_variable v)
{
    return &s->times[v.used ? v.index : s->c->nholes + v.index];
}

static void count_variable(void *data, head_variable v)
{
    uint8_t *times = times_of(data, v);
    *times += *times < 2;
}

static void find_again(void *data, head_variable v)
{
    repeat_search *s = data;
    s->again |= *times_of(s, v) == 2;
}

// A variable that the head has twice compares what is there: check([X|A], [X|B]).
static bool compares_in_head(const clause_facts *f, clause_test test)
{
    const trace_clause *c = trace_get_clause(f->t, test.clause);
    repeat_search s = {.c = c, .times = base_allocate((size_t)c->nholes + c->nunused + 1, 1)};
    for (uint32_t i = 0; i < c->nhead; i++)
        test_variables(f->t, (clause_test){test.clause, false, c->head[i]}, count_variable, &s);
    test_variables(f->t, test, find_again, &s);
    free(s.times);
    return s.again && !test.guard;
}

static bool waits_only(clause_facts *f, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    const trace_node *n = &c->patterns[c->head[argument]];
    clause_test test = {clause, false, c->head[argument]};
    if (compares_in_head(f, test))
        return false;
    if (n->kind == TN_HOLE || n->kind == TN_FRESH) {
        if (guards_decide(f, clause, n))
            return false;
    } else if (test_decides(f, test)) {
        return false;
    }
    use_search s = {.f = f, .c = c, .idle = true};
    test_variables(f->t, test, look_at_variable, &s);
    return s.idle;
}

static bool is_idle(clause_facts *f, uint32_t predicate, uint32_t argument)
{
    bool any = false;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        uint32_t clause = f->clauses[i];
        if (!clause_is_told(f, clause) || trace_get_clause(f->t, clause)->nhead <= argument ||
            !waits_only(f, clause, argument))
            return false;
        any = true;
    }
    return any;
}

static void strike_out(clause_facts *f)
{
    const uint32_t *order = predicates_called_first(f);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < trace_npredicates(f->t); k++)
            for (uint32_t i = 0; i < trace_get_predicate(f->t, order[k])->arity; i++) {
                uint8_t *idle = &f->idle[f->first_argument[order[k]] + i];
                if (*idle && !is_idle(f, order[k], i)) {
                    *idle = 0;
                    again = true;
                }
            }
    }
}

static void find_idle(clause_facts *f)
{
    uint32_t n = trace_npredicates(f->t), arguments = 0;
    f->first_argument = base_allocate((size_t)n + 1, sizeof *f->first_argument);
    for (uint32_t p = 0; p < n; p++) {
        f->first_argument[p] = arguments;
        arguments += trace_get_predicate(f->t, p)->arity;
    }
    f->idle = base_allocate((size_t)arguments + 1, 1);
    if (arguments > MOST_ARGUMENTS)
        return;
    memset(f->idle, 1, arguments);
    strike_out(f);
}

bool argument_is_idle(clause_facts *f, uint32_t predicate, uint32_t argument)
{
    if (!f->idle)
        find_idle(f);
    return f->idle[f->first_argument[predicate] + argument];
}

// A comparison in the only clause of a predicate is there to check something.
static bool is_check(const clause_facts *f, clause_test test)
{
    uint32_t p = trace_get_clause(f->t, test.clause)->predicate;
    return test.guard && f->first[p + 1] - f->first[p] == 1 &&
           guard_compares(f->t, test.clause, test.at);
}

bool test_is_mere_wait(clause_facts *f, clause_test test, bool *ret_used)
{
    if (!f->idle)
        find_idle(f);
    if (test_decides(f, test) || is_check(f, test) || compares_in_head(f, test))
        return false;
    use_search s = {.f = f, .c = trace_get_clause(f->t, test.clause), .idle = true};
    test_variables(f->t, test, look_at_variable, &s);
    *ret_used = test.guard && !s.idle;
    return test.guard || s.idle;
}
