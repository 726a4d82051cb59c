// SPDX-License-Identifier: MIT
//
// The change that removes an early read. It leaves the wait out and gives it to whoever looks at a
// part of the value: a built-in or a clause that has a pattern or a guard where the part is, at
// once or after the part was handed on as an argument; a goal that gets the part inside a new term;
// readers of a binding with the part in it. A clause that takes the next part apart by the same
// pattern hands the wait on in turn: so do loops over a list.
#include "iotree/findings/early_reads.h"
#include "iotree/terms/values.h"

enum { MANY_ARGUMENTS = 63 };

// What a goal has among its arguments that is not known yet.
typedef struct {
    uint64_t arguments; // bits; the last one: wherever it looks
    uint32_t maker;     // latest of what the parts come from
} held;

typedef struct {
    early_search *s;
    uint32_t group;
    held *goals;     // by goal
    uint32_t *bound; // by binding: its term has a part that comes from this maker; 0: none
    uint8_t *parts;  // scratch: by hole of the clause in hand, then by unused variable
    size_t nparts;
    uint32_t nholes;
    bool found;     // scratch
    uint32_t maker; // of the parts of the reduction in hand
    bool taken;     // it has them from reads of the group
    ARRAY_OF(wait_edit) waits;
    ARRAY_OF(wait_added) added;
} move;

static void add_wait(move *m, uint32_t reader, uint32_t maker)
{
    if (maker != 0 && maker < reader)
        ARRAY_PUSH(m->added, (wait_added){reader, maker});
}

static void mark_part(void *data, head_variable v)
{
    move *m = data;
    m->parts[v.used ? v.index : m->nholes + v.index] = 1;
}

static void clear_parts(move *m, const trace_clause *c)
{
    size_t n = (size_t)c->nholes + c->nunused;
    if (n > m->nparts) {
        m->parts = base_resize(m->parts, n, 1);
        m->nparts = n;
    }
    if (n)
        memset(m->parts, 0, n);
    m->nholes = c->nholes;
    m->maker = 0;
}

static bool has_part(const move *m, const trace_clause *c, uint32_t root)
{
    return node_has_hole_of(c, root, m->parts);
}

static bool item_has_part(const move *m, const trace_clause *c, const trace_item *item)
{
    return item_has_hole_of(c, item, m->parts);
}

// The reads of the reduction that belong to the group are left out; what they read the parts need.
static bool take_reads(move *m, uint32_t r, uint32_t clause)
{
    early_search *s = m->s;
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads);
    uint64_t next = s->g->first[r], first;
    bool taken = false;
    if (s->by_clause[clause].by_pattern && n > 0)
        read_tests(&s->reader, r, clause, &s->by_clause[clause]);
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
            continue;
        uint32_t binding = trace_cell_binding(s->t, reads[i]), test = NO_TEST;
        if (s->by_clause[clause].by_pattern)
            test = test_of_read(&s->reader, r, reads[i]);
        bool ours = test != NO_TEST && s->group_of.at[test] == m->group;
        if (ours) {
            taken = true;
            for (uint64_t w = first; w < next; w++) {
                ARRAY_PUSH(m->waits, (wait_edit){w, IOT_NONE});
                m->maker = s->g->makers[w] > m->maker ? s->g->makers[w] : m->maker;
            }
            m->maker = m->bound[binding] > m->maker ? m->bound[binding] : m->maker;
        } else {
            add_wait(m, r, m->bound[binding]);
        }
    }
    return taken;
}

uint32_t test_in(const early_search *s, uint32_t clause, bool guard, uint32_t at)
{
    const clause_tests *tests = &s->by_clause[clause];
    return !tests->by_pattern ? NO_TEST : guard ? tests->by_guard[at] : tests->by_pattern[at];
}

// Does the clause look at this argument, other than by a test of the group?
static bool looks_at(const move *m, uint32_t clause, const trace_clause *c, uint32_t argument)
{
    const early_search *s = m->s;
    const trace_node *n = &c->patterns[c->head[argument]];
    uint32_t test = test_in(s, clause, false, c->head[argument]);
    if (test != NO_TEST && s->group_of.at[test] == m->group)
        return false;
    if (n->kind != TN_HOLE && n->kind != TN_FRESH)
        return true;
    bool looked = false, ours = false; // by a guard
    for (uint32_t g = 0; g < c->nguards; g++) {
        if (!test_has_variable(s->t, (clause_test){clause, true, g}, n))
            continue;
        test = test_in(s, clause, true, g);
        bool in_group = test != NO_TEST && s->group_of.at[test] == m->group;
        ours |= in_group;
        looked |= !in_group;
    }
    if (looked || ours)
        return looked;
    for (uint32_t i = 0; i < c->nlooks; i++) // a variable that is repeated in the head
        looked |= c->looks[i] == argument;
    return looked;
}

// What the goal holds goes on to the variables of the clause, or is waited for.
static void take_held(move *m, uint32_t r, uint32_t clause)
{
    early_search *s = m->s;
    const held *h = &m->goals[trace_reduction_goal(s->t, r)];
    const trace_clause *c = trace_get_clause(s->t, clause);
    if (!h->arguments)
        return;
    bool looked = c->dynamic || !clause_is_told(s->facts, clause) || h->arguments >> MANY_ARGUMENTS;
    for (uint32_t i = 0; !looked && i < c->nhead && i < MANY_ARGUMENTS; i++)
        looked = (h->arguments >> i & 1) && looks_at(m, clause, c, i);
    if (looked) {
        add_wait(m, r, h->maker);
        return;
    }
    for (uint32_t i = 0; i < c->nhead && i < MANY_ARGUMENTS; i++)
        if (h->arguments >> i & 1)
            test_variables(s->t, (clause_test){clause, false, c->head[i]}, mark_part, m);
    m->maker = h->maker > m->maker ? h->maker : m->maker;
}

// Does the clause's choice follow from a test of the group?
static bool is_chosen(const move *m, uint32_t clause)
{
    return m->s->groups.at[m->group].decides && m->s->by_clause[clause].by_pattern &&
           trace_get_clause(m->s->t, clause)->predicate == m->s->groups.at[m->group].predicate;
}

// Is the item made whatever the group's tests find? *ret_differs: bits of the arguments that follow
// from what they find.
static bool is_common(const move *m, uint32_t clause, uint32_t item, uint64_t *ret_differs)
{
    const early_search *s = m->s;
    const trace_clause *c = trace_get_clause(s->t, clause);
    *ret_differs = 0;
    if (!is_chosen(m, clause))
        return true;
    for (uint32_t i = 0; i < c->npatterns + c->nguards; i++) {
        bool guard = i >= c->npatterns;
        uint32_t test = test_in(s, clause, guard, guard ? i - c->npatterns : i);
        uint64_t differs = 0;
        if (test == NO_TEST || s->group_of.at[test] != m->group)
            continue;
        if (!item_is_common(s->facts, s->tests.at[test], item, &differs))
            return false;
        *ret_differs |= differs;
    }
    return true;
}

// A signal comes when its clause has waited for all that it waits for: it says that.
static bool is_signal(const move *m, uint32_t clause, uint32_t item)
{
    return m->taken && item_is_signal(m->s->facts, clause, item);
}

static void hold_bindings(move *m, uint32_t r, const trace_clause *c)
{
    uint32_t clause = trace_reduction_clause(m->s->t, r);
    uint64_t differs;
    const trace *t = m->s->t;
    uint32_t end = trace_first_binding(t, r + 1);
    for (uint32_t b = trace_first_binding(t, r); b < end; b++) {
        const uint32_t *passed;
        uint32_t n = trace_passed(t, b, &passed);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t from = trace_cell_binding(t, passed[i]);
            if (from != TRACE_NONE && m->bound[from] > m->bound[b])
                m->bound[b] = m->bound[from];
        }
        uint32_t item = trace_binding_item(t, b);
        if (m->maker > m->bound[b] && !c->dynamic &&
            (item_has_part(m, c, &c->items[item]) || is_signal(m, clause, item) ||
             !is_common(m, clause, item, &differs)))
            m->bound[b] = m->maker;
    }
}

// Bits of the arguments of an item that are not known until the value comes.
static uint64_t unknown_arguments(const move *m, uint32_t clause, const trace_clause *c,
                                  uint32_t item)
{
    uint64_t unknown;
    if (!is_common(m, clause, item, &unknown))
        return 1ull << MANY_ARGUMENTS;
    for (uint32_t i = 0; i < c->items[item].n; i++) {
        uint32_t root = c->children[c->items[item].first + i];
        bool whole = c->nodes[root].kind == TN_HOLE && i < MANY_ARGUMENTS &&
                     !m->s->groups.at[m->group].guard;
        if (has_part(m, c, root))
            unknown |= 1ull << (whole ? i : MANY_ARGUMENTS);
    }
    return unknown;
}

static void hold_goals(move *m, uint32_t r, const trace_clause *c)
{
    const trace *t = m->s->t;
    uint32_t clause = trace_reduction_clause(t, r), end = trace_first_goal(t, r + 1);
    for (uint32_t g = trace_first_goal(t, r); g < end; g++) {
        uint32_t item = trace_goal_item(t, g);
        uint64_t unknown =
            item == TRACE_NONE ? 1ull << MANY_ARGUMENTS : unknown_arguments(m, clause, c, item);
        if (unknown) {
            m->goals[g].arguments |= unknown;
            m->goals[g].maker = m->maker;
        }
    }
}

static void find_part(void *data, head_variable v)
{
    move *m = data;
    m->found |= m->parts[v.used ? v.index : m->nholes + v.index];
}

// What guards compute from the parts are parts, too.
static void compute_parts(move *m, uint32_t clause, const trace_clause *c)
{
    for (uint32_t g = 0; g < c->nguards; g++) {
        clause_test guard = {clause, true, g};
        m->found = false;
        if (guard_computes(m->s->t, clause, g))
            test_variables(m->s->t, guard, find_part, m);
        if (m->found)
            test_variables(m->s->t, guard, mark_part, m);
    }
}

static void move_reduction(move *m, uint32_t r)
{
    early_search *s = m->s;
    uint32_t clause = trace_reduction_clause(s->t, r);
    const trace_clause *c = trace_get_clause(s->t, clause);
    clear_parts(m, c);
    m->taken = take_reads(m, r, clause);
    if (m->taken) {
        bool guards = s->groups.at[m->group].guard;
        for (uint32_t i = 0; i < (guards ? c->nguards : c->npatterns); i++) {
            uint32_t test = test_in(s, clause, guards, i);
            if (test != NO_TEST && s->group_of.at[test] == m->group)
                test_variables(s->t, s->tests.at[test], mark_part, m);
        }
        compute_parts(m, clause, c);
    }
    take_held(m, r, clause);
    hold_bindings(m, r, c);
    if (m->maker && !c->dynamic)
        hold_goals(m, r, c);
}

// The added waits of a reader are found in order of readers, since every reduction adds only its
// own.
wait_change iot_move_waits(early_search *s, uint32_t group)
{
    move m = {.s = s, .group = group};
    m.goals = base_allocate(trace_ngoals(s->t), sizeof *m.goals);
    m.bound = base_allocate(trace_nbindings(s->t), sizeof *m.bound);
    for (uint32_t r = 1; r < s->a->n; r++)
        move_reduction(&m, r);
    free(m.goals);
    free(m.bound);
    free(m.parts);
    return (wait_change){
        .waits = m.waits.at, .nwaits = m.waits.n, .added = m.added.at, .nadded = m.added.n};
}
