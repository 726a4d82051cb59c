// SPDX-License-Identifier: MIT
//
// What an iteration hands on to the next one, and what an iteration does without it; which clauses
// act on the world.
#include "base/array.h"
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

// What the body of a clause does with the state of its loop, which some of its holes hold.
typedef struct {
    uint32_t predicate;
    uint64_t arguments; // bits: the state is there; the last one for all further ones
} loop_step;

typedef struct {
    clause_facts *f;
    uint32_t loop;  // predicate
    uint8_t *state; // scratch: by hole, then by new variable of the body
    size_t nstate;
    ARRAY_OF(loop_step) steps; // those looked at, and those to look at
    bool found;                // scratch
    bool works;                // a goal of the program without the state
} loop_search;

enum { MOST_STEPS = 64 };

static void clear_state(loop_search *s, const trace_clause *c)
{
    size_t n = (size_t)c->nholes + c->nfresh;
    if (n > s->nstate) {
        s->state = base_resize(s->state, n, 1);
        s->nstate = n;
    }
    if (n)
        memset(s->state, 0, n);
}

static void mark_state(void *data, head_variable v)
{
    loop_search *s = data;
    if (v.used)
        s->state[v.index] = 1;
}

static bool node_has_state(const loop_search *s, const trace_clause *c, uint32_t root)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool found = false;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        found |= (n->kind == TN_HOLE && s->state[n->index]) ||
                 (n->kind == TN_FRESH && s->state[c->nholes + n->index]);
        for (uint32_t k = 0; k < n->n; k++)
            ARRAY_PUSH(stack, c->children[n->first + k]);
    }
    free(stack.at);
    return found;
}

static bool item_has_state(const loop_search *s, const trace_clause *c, const trace_item *item)
{
    for (uint32_t k = 0; k < item->n; k++)
        if (node_has_state(s, c, c->children[item->first + k]))
            return true;
    return false;
}

// A new variable is taken to be made by the first item that it is an argument of: from the state,
// if that item has it.
static void spread_state(loop_search *s, const trace_clause *c)
{
    uint8_t *met = base_allocate((size_t)c->nfresh + 1, 1);
    for (uint32_t i = 0; i < c->nitems; i++) {
        bool state = item_has_state(s, c, &c->items[i]);
        for (uint32_t k = 0; k < c->items[i].n; k++) {
            const trace_node *n = &c->nodes[c->children[c->items[i].first + k]];
            if (n->kind != TN_FRESH || met[n->index])
                continue;
            met[n->index] = 1;
            s->state[c->nholes + n->index] = state;
        }
    }
    free(met);
}

static void add_step(loop_search *s, loop_step step)
{
    for (size_t i = 0; i < s->steps.n; i++)
        if (s->steps.at[i].predicate == step.predicate &&
            s->steps.at[i].arguments == step.arguments)
            return;
    if (s->steps.n < MOST_STEPS)
        ARRAY_PUSH(s->steps, step);
}

static void look_for_state(void *data, head_variable v)
{
    loop_search *s = data;
    s->found |= v.used && s->state[v.index];
}

// What guards compute from the state.
static void spread_in_guards(loop_search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->f->t, clause);
    for (uint32_t g = 0; g < c->nguards; g++) {
        clause_test guard = {clause, true, g};
        s->found = false;
        if (guard_computes(s->f->t, clause, g))
            test_variables(s->f->t, guard, look_for_state, s);
        if (s->found)
            test_variables(s->f->t, guard, mark_state, s);
    }
}

// What a goal of the program gets of the state: bits of its arguments.
static uint64_t state_of_goal(const loop_search *s, const trace_clause *c, const trace_item *item)
{
    uint64_t arguments = 0;
    for (uint32_t k = 0; k < item->n; k++)
        if (node_has_state(s, c, c->children[item->first + k]))
            arguments |= 1ull << (k < 63 ? k : 63);
    return arguments;
}

// Goals of the loop take steps; others work, with the state or without.
static void add_goal(loop_search *s, const trace_item *item, uint64_t state)
{
    if (trace_get_predicate(s->f->t, item->predicate)->origin != TRACE_PROGRAM)
        return;
    if (!predicate_reaches(s->f, item->predicate, s->loop))
        s->works |= !state;
    else if (state)
        add_step(s, (loop_step){item->predicate, state});
}

static void look_at_body(loop_search *s, const trace_clause *c)
{
    spread_state(s, c);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL)
            add_goal(s, &c->items[i], state_of_goal(s, c, &c->items[i]));
}

bool item_is_token(const trace_clause *c, const trace_item *item)
{
    return item->kind == TI_UNIFY && (c->nodes[c->children[item->first]].kind == TN_CONST ||
                                      c->nodes[c->children[item->first + 1]].kind == TN_CONST);
}

// Of a test that decides the state is what differs between the clauses.
static void look_at_common_items(loop_search *s, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->f->t, test.clause);
    for (uint32_t i = 0; i < c->nitems; i++) {
        uint64_t differs = 0;
        if (!item_is_common(s->f, test, i, &differs))
            continue;
        if (c->items[i].kind == TI_GOAL)
            add_goal(s, &c->items[i], differs | state_of_goal(s, c, &c->items[i]));
        else
            s->works |= !item_is_token(c, &c->items[i]) && !state_of_goal(s, c, &c->items[i]);
    }
}

static bool clause_looks_at(const loop_search *s, const trace_clause *c, uint32_t argument)
{
    bool looks = false;
    for (uint32_t i = 0; i < c->nlooks; i++)
        looks |= c->looks[i] == argument && c->predicate != s->loop;
    return looks;
}

// A clause that looks at the state does nothing without it.
static void take_step(loop_search *s, loop_step step, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->f->t, clause);
    if (!clause_is_told(s->f, clause))
        return;
    clear_state(s, c);
    for (uint32_t i = 0; i < c->nhead && i < 63; i++) {
        if (!(step.arguments >> i & 1))
            continue;
        if (clause_looks_at(s, c, i))
            return;
        test_variables(s->f->t, (clause_test){clause, false, c->head[i]}, mark_state, s);
    }
    look_at_body(s, c);
}

candidate_doubt doubt_of_loop_state(clause_facts *f, clause_test test, const uint8_t *awaited,
                                    bool chain)
{
    const trace_clause *c = trace_get_clause(f->t, test.clause);
    loop_search s = {.f = f, .loop = c->predicate};
    bool decides = test_decides(f, test);
    clear_state(&s, c);
    if (awaited && c->nholes)
        memcpy(s.state, awaited, c->nholes);
    else
        test_variables(f->t, test, mark_state, &s);
    spread_in_guards(&s, test.clause);
    if (decides)
        look_at_common_items(&s, test);
    else
        look_at_body(&s, c);
    for (size_t i = 0; i < s.steps.n && !s.works; i++) {
        uint32_t p = s.steps.at[i].predicate;
        for (uint32_t k = f->first[p]; k < f->first[p + 1]; k++)
            take_step(&s, s.steps.at[i], f->clauses[k]);
    }
    candidate_doubt doubt = s.steps.n == 0 && !decides && !chain ? SURE
                            : s.works                            ? LIKELY
                                                                 : DOUBTFUL;
    free(s.state);
    free(s.steps.at);
    return doubt;
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
