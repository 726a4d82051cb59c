// SPDX-License-Identifier: MIT
//
// Where values go, and what bodies do. Idle arguments are the greatest set of argument positions such that clauses only
// wait for what stands there and hand it on to positions of the set: found by striking out what does
// more. The state of a loop is what an iteration hands on to the next.
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

// Does a guard that looks at the variable decide?
static bool guards_decide(clause_facts *f, uint32_t clause, const trace_node *variable)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    for (uint32_t g = 0; g < c->nguards; g++) {
        variable_search s = {variable, false};
        test_variables(f->t, (clause_test){clause, true, g}, find_variable, &s);
        if (s.found && test_decides(f, (clause_test){clause, true, g}))
            return true;
    }
    return false;
}

static bool waits_only(clause_facts *f, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    const trace_node *n = &c->patterns[c->head[argument]];
    clause_test test = {clause, false, c->head[argument]};
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
    for (bool again = true; again;) {
        again = false;
        for (uint32_t p = 0; p < trace_npredicates(f->t); p++)
            for (uint32_t i = 0; i < trace_get_predicate(f->t, p)->arity; i++) {
                uint8_t *idle = &f->idle[f->first_argument[p] + i];
                if (*idle && !is_idle(f, p, i)) {
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

bool test_is_mere_wait(clause_facts *f, clause_test test, bool *ret_used)
{
    if (!f->idle)
        find_idle(f);
    if (test_decides(f, test))
        return false;
    use_search s = {.f = f, .c = trace_get_clause(f->t, test.clause), .idle = true};
    test_variables(f->t, test, look_at_variable, &s);
    *ret_used = test.guard && !s.idle;
    return test.guard || s.idle;
}

// ---------------------------------------------------------------------------------------------
// Loops

static void push_callees(const clause_facts *f, uint32_t predicate, uint8_t *seen, uint32_t *stack,
                         uint32_t *n)
{
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *c = trace_get_clause(f->t, f->clauses[i]);
        for (uint32_t k = 0; k < c->nitems; k++)
            if (c->items[k].kind == TI_GOAL && !seen[c->items[k].predicate]) {
                seen[c->items[k].predicate] = 1;
                stack[(*n)++] = c->items[k].predicate;
            }
    }
}

// By predicate, whether a goal of `from` leads there; kept for the next question.
static const uint8_t *reached_from(clause_facts *f, uint32_t from)
{
    if (f->reached && f->from == from)
        return f->reached;
    uint32_t npredicates = trace_npredicates(f->t), n = 0;
    uint32_t *stack = base_allocate(npredicates, sizeof *stack);
    free(f->reached);
    f->reached = base_allocate(npredicates, 1);
    f->from = from;
    f->reached[from] = 1;
    stack[n++] = from;
    while (n > 0)
        push_callees(f, stack[--n], f->reached, stack, &n);
    free(stack);
    return f->reached;
}

bool predicate_reaches(clause_facts *f, uint32_t from, uint32_t to)
{
    return reached_from(f, from)[to];
}

// Is the hole somewhere in the item?
static bool item_has_hole(const trace_clause *c, const trace_item *item, uint32_t hole)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool found = false;
    for (uint32_t k = 0; k < item->n; k++)
        ARRAY_PUSH(stack, c->children[item->first + k]);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        found |= n->kind == TN_HOLE && n->index == hole;
        for (uint32_t k = 0; k < n->n; k++)
            ARRAY_PUSH(stack, c->children[n->first + k]);
    }
    free(stack.at);
    return found;
}

typedef struct {
    clause_facts *f;
    const trace_clause *c;
    bool found;
} loop_search;

static void look_for_loop(void *data, head_variable v)
{
    loop_search *s = data;
    for (uint32_t i = 0; i < s->c->nitems && v.used && !s->found; i++) {
        const trace_item *item = &s->c->items[i];
        s->found = item->kind == TI_GOAL && item_has_hole(s->c, item, v.index) &&
                   predicate_reaches(s->f, item->predicate, s->c->predicate);
    }
}

bool test_sees_loop_state(clause_facts *f, clause_test test)
{
    loop_search s = {f, trace_get_clause(f->t, test.clause), false};
    test_variables(f->t, test, look_for_loop, &s);
    return s.found;
}

// Is the maker below the nearest goal above the reader that belongs to the reader's loop?
bool maker_is_in_loop(clause_facts *f, uint32_t reader, uint32_t maker)
{
    const trace *t = f->t;
    uint32_t predicate = trace_goal_predicate(t, trace_reduction_goal(t, reader)), above = reader;
    do {
        above = trace_goal_parent(t, trace_reduction_goal(t, above));
        if (above == 0)
            return false;
    } while (!predicate_reaches(
        f, predicate, trace_goal_predicate(t, trace_reduction_goal(t, above))));
    while (maker > above)
        maker = trace_goal_parent(t, trace_reduction_goal(t, maker));
    return maker == above;
}

// ---------------------------------------------------------------------------------------------
// Acts

// Does a goal of this predicate act on the world? Then waiting for a token keeps the order of acts.
bool predicate_acts(const trace *t, uint32_t predicate)
{
    static const char *const names[] = {
        "write",  "writeln", "print",  "nl",     "format",   "halt",       "putc", "klicio",
        "unix",   "stream",  "stdout", "stderr", "instream", "outstream",  "stdin",
        "errstream", "write_file", "read_lines", "read_terms", "time", "get_time_of_day"};
    const trace_predicate *p = trace_get_predicate(t, predicate);
    if (p->origin != TRACE_BUILTIN)
        return false;
    const char *name = trace_string(t, p->name, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

bool clause_acts(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL && predicate_acts(t, c->items[i].predicate))
            return true;
    return false;
}
