// SPDX-License-Identifier: MIT
//
// Which predicates lead to which; what only tells; which clauses act on the world.
#include "iotree/findings/clauses.h"

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

bool item_is_token(const trace_clause *c, const trace_item *item)
{
    return item->kind == TI_UNIFY && (c->nodes[c->children[item->first]].kind == TN_CONST ||
                                      c->nodes[c->children[item->first + 1]].kind == TN_CONST);
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
    } while (
        !predicate_reaches(f, predicate, trace_goal_predicate(t, trace_reduction_goal(t, above))));
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
        "write",      "writeln",   "print",          "nl",        "format",     "halt",
        "putc",       "klicio",    "unix",           "stream",    "stdout",     "stderr",
        "instream",   "outstream", "stdin",          "errstream", "write_file", "read_lines",
        "read_terms", "time",      "get_time_of_day"};
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
