// SPDX-License-Identifier: MIT
//
// Clauses that wait for a value before they do anything, though only some goals of the body need it: a
// pattern takes it apart and few use the parts; or a test decides between clauses that all make a goal of
// one predicate. The wait could move to the goals that need the value, with what follows from it as
// variables that are bound when it comes.
//
// The change leaves the wait out and gives it to whoever looks at a part: a built-in or a clause that
// has a pattern or a guard where the part is, at once or after the part was handed on as an argument;
// a goal that gets the part inside a new term; readers of a binding with the part in it. A clause that
// takes the next part apart by the same pattern hands the wait on in turn: so do loops over a list.
#include "iotree/findings/findings.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum { PROPOSED = 8, MANY_ARGUMENTS = 63 };

typedef struct {
    uint32_t predicate, argument;
    bool decides;
    bool guard; // a guard that decides nothing: goals that get the value wait for it, others need not
    uint64_t gained, nreads;
    int64_t longest;
    uint32_t example, variable, maker, test;
    uint32_t makers, last_maker;
} read_group;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    test_reader reader;
    clause_tests *by_clause;
    ARRAY_OF(clause_test) tests;
    ARRAY_OF(uint32_t) group_of; // by test
    ARRAY_OF(read_group) groups;
} search;

// ---------------------------------------------------------------------------------------------
// Items

static bool node_has_hole_of(const trace_clause *c, uint32_t root, const uint8_t *holes)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool found = false;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        found |= n->kind == TN_HOLE && holes[n->index];
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return found;
}

static bool item_has_hole_of(const trace_clause *c, const trace_item *item, const uint8_t *holes)
{
    for (uint32_t i = 0; i < item->n; i++)
        if (node_has_hole_of(c, c->children[item->first + i], holes))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// Tests: patterns that decide nothing, and whose parts the body uses

static uint32_t group_of(search *s, uint32_t predicate, uint32_t argument, bool decides)
{
    for (size_t i = s->groups.n; i-- > 0;)
        if (s->groups.at[i].predicate == predicate && s->groups.at[i].argument == argument &&
            s->groups.at[i].decides == decides)
            return (uint32_t)i;
    ARRAY_PUSH(s->groups, (read_group){.predicate = predicate,
                                       .argument = argument,
                                       .decides = decides,
                                       .longest = -1,
                                       .example = IOT_NONE});
    return (uint32_t)s->groups.n - 1;
}

static void add_test(search *s, clause_test test, uint32_t argument, bool decides)
{
    clause_tests *tests = &s->by_clause[test.clause];
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    if (!tests->by_pattern) {
        tests->by_pattern = base_allocate((size_t)c->npatterns + 1, sizeof(uint32_t));
        tests->by_guard = base_allocate((size_t)c->nguards + 1, sizeof(uint32_t));
        memset(tests->by_pattern, 0xff, c->npatterns * sizeof(uint32_t));
        memset(tests->by_guard, 0xff, c->nguards * sizeof(uint32_t));
    }
    (test.guard ? tests->by_guard : tests->by_pattern)[test.at] = (uint32_t)s->tests.n;
    ARRAY_PUSH(s->tests, test);
    ARRAY_PUSH(s->group_of, group_of(s, c->predicate, argument, decides));
    s->groups.at[s->group_of.at[s->tests.n - 1]].guard |= test.guard && !decides;
}

// The first item, but for tokens, that comes whatever the test decides; IOT_NONE if there is none.
static uint32_t common_item(search *s, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (!item_is_token(c, &c->items[i]) && item_is_common(s->facts, test, i, NULL))
            return i;
    return IOT_NONE;
}

static void mark_variable(void *data, head_variable v)
{
    if (v.used)
        ((uint8_t *)data)[v.index] = 1;
}

// The first item of the body that does more than bind a token, and does not need what the guard waits for;
// IOT_NONE if there is none, or if no other item needs it.
static uint32_t free_item(const trace *t, clause_test guard)
{
    const trace_clause *c = trace_get_clause(t, guard.clause);
    uint8_t *parts = base_allocate(c->nholes, 1);
    uint32_t found = IOT_NONE, needing = 0;
    test_variables(t, guard, mark_variable, parts);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        bool needs = item_has_hole_of(c, item, parts);
        needing += needs;
        if (!needs && !item_is_token(c, item) && found == IOT_NONE)
            found = i;
    }
    free(parts);
    return needing > 0 ? found : IOT_NONE;
}

// Whether it was added.
static bool look_at_test(search *s, clause_test test, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    bool used, decides = test_decides(s->facts, test), good;
    if (decides)
        good = common_item(s, test) != IOT_NONE;
    else if (test.guard)
        good = free_item(s->t, test) != IOT_NONE;
    else
        good = c->nitems > 1 && !test_is_mere_wait(s->facts, test, &used);
    if (good)
        add_test(s, test, argument, decides);
    return good;
}

// Of patterns inside each other that decide, those inside; of others the one around them.
static void find_in_argument(search *s, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    ARRAY_OF(uint32_t) stack = {0}, order = {0};
    ARRAY_PUSH(stack, c->head[argument]);
    while (stack.n > 0) {
        uint32_t node = stack.at[--stack.n];
        const trace_node *n = &c->patterns[node];
        clause_test test = {clause, false, node};
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            continue;
        if (!test_decides(s->facts, test) && look_at_test(s, test, argument))
            continue;
        ARRAY_PUSH(order, node);
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->pattern_children[n->first + i]);
    }
    bool found = false;
    while (order.n > 0) { // what is inside comes after what is around it
        clause_test test = {clause, false, order.at[--order.n]};
        if (!found && test_decides(s->facts, test))
            found = look_at_test(s, test, argument);
    }
    free(stack.at);
    free(order.at);
}

static void find_tests(search *s)
{
    s->by_clause = base_allocate(trace_nclauses(s->t), sizeof *s->by_clause);
    for (uint32_t k = 0; k < trace_nclauses(s->t); k++) {
        const trace_clause *c = trace_get_clause(s->t, k);
        if (!clause_is_told(s->facts, k) || clause_acts(s->t, k))
            continue;
        for (uint32_t i = 0; i < c->nhead; i++)
            find_in_argument(s, k, i);
        for (uint32_t g = 0; g < c->nguards; g++) {
            clause_test test = {k, true, g};
            bool tests = c->guards[g].n > 0 && !guard_computes(s->t, k, g);
            uint32_t argument = tests ? test_argument(s->t, test) : IOT_NONE;
            if (argument != IOT_NONE)
                look_at_test(s, test, argument);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// What waiting costs

static int64_t latest_of(const search *s, uint64_t first, uint64_t end)
{
    int64_t latest = 0;
    for (uint64_t w = first; w < end; w++) {
        int64_t time = trace_time(s->t, s->g->makers[w]);
        latest = time > latest ? time : latest;
    }
    return latest;
}

static void count_gain(read_group *g, uint32_t test, uint32_t variable, uint32_t maker, int64_t gain,
                       uint32_t reduction)
{
    g->nreads++;
    if (gain <= 0)
        return;
    g->gained += (uint64_t)gain;
    g->makers += g->last_maker != maker;
    g->last_maker = maker;
    if (gain > g->longest) {
        g->longest = gain;
        g->example = reduction;
        g->variable = variable;
        g->maker = maker;
        g->test = test;
    }
}

// Only the latest read of a reduction costs anything.
static void weigh_reduction(search *s, uint32_t r, uint32_t clause)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads), test = NO_TEST, variable = 0, maker = 0;
    uint64_t next = s->g->first[r], first;
    int64_t kept = trace_time(s->t, s->g->parents[r]), latest = -1;
    if (next == s->g->first[r + 1])
        return;
    read_tests(&s->reader, r, clause, &s->by_clause[clause]);
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
            continue;
        uint32_t found = test_of_read(&s->reader, r, reads[i]);
        int64_t time = latest_of(s, first, next);
        if (time <= latest) {
            kept = time > kept ? time : kept;
            continue;
        }
        bool same = found != NO_TEST && test != NO_TEST && s->group_of.at[found] == s->group_of.at[test];
        if (latest > kept && !same)
            kept = latest;
        latest = time;
        test = found;
        variable = reads[i];
        maker = s->g->makers[first];
    }
    if (test != NO_TEST)
        count_gain(&s->groups.at[s->group_of.at[test]], test, variable, maker, latest - kept, r);
}

static void weigh(search *s)
{
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(s->t, r);
        if (s->by_clause[clause].by_pattern)
            weigh_reduction(s, r, clause);
    }
}

// ---------------------------------------------------------------------------------------------
// The change

// What a goal has among its arguments that is not known yet.
typedef struct {
    uint64_t arguments; // bits; the last one: wherever it looks
    uint32_t maker;     // latest of what the parts come from
} held;

typedef struct {
    search *s;
    uint32_t group;
    held *goals;           // by goal
    uint32_t *bound;       // by binding: its term has a part that comes from this maker; 0: none
    uint8_t *parts;        // scratch: by hole of the clause in hand
    size_t nparts;
    uint32_t maker;        // of the parts of the reduction in hand
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
    if (v.used)
        m->parts[v.index] = 1;
}

static void clear_parts(move *m, const trace_clause *c)
{
    if (c->nholes > m->nparts) {
        m->parts = base_resize(m->parts, c->nholes, 1);
        m->nparts = c->nholes;
    }
    if (c->nholes)
        memset(m->parts, 0, c->nholes);
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
    search *s = m->s;
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

static uint32_t test_in(const search *s, uint32_t clause, bool guard, uint32_t at)
{
    const clause_tests *tests = &s->by_clause[clause];
    return !tests->by_pattern ? NO_TEST : guard ? tests->by_guard[at] : tests->by_pattern[at];
}

// Does the clause look at this argument, other than by a test of the group?
static bool looks_at(const move *m, uint32_t clause, const trace_clause *c, uint32_t argument)
{
    const search *s = m->s;
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
    search *s = m->s;
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

// Is the item made whatever the group's tests find? *ret_differs: bits of the arguments that follow from
// what they find.
static bool is_common(const move *m, uint32_t clause, uint32_t item, uint64_t *ret_differs)
{
    const search *s = m->s;
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
            (item_has_part(m, c, &c->items[item]) || !is_common(m, clause, item, &differs)))
            m->bound[b] = m->maker;
    }
}

// Bits of the arguments of an item that are not known until the value comes.
static uint64_t unknown_arguments(const move *m, uint32_t clause, const trace_clause *c, uint32_t item)
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

static void move_reduction(move *m, uint32_t r)
{
    search *s = m->s;
    uint32_t clause = trace_reduction_clause(s->t, r);
    const trace_clause *c = trace_get_clause(s->t, clause);
    clear_parts(m, c);
    if (take_reads(m, r, clause)) {
        bool guards = s->groups.at[m->group].guard;
        for (uint32_t i = 0; i < (guards ? c->nguards : c->npatterns); i++) {
            uint32_t test = test_in(s, clause, guards, i);
            if (test != NO_TEST && s->group_of.at[test] == m->group)
                test_variables(s->t, s->tests.at[test], mark_part, m);
        }
    }
    take_held(m, r, clause);
    hold_bindings(m, r, c);
    if (m->maker && !c->dynamic)
        hold_goals(m, r, c);
}

// The added waits of a reader are found in order of readers, since every reduction adds only its own.
static move move_waits(search *s, uint32_t group)
{
    move m = {.s = s, .group = group};
    m.goals = base_allocate(trace_ngoals(s->t), sizeof *m.goals);
    m.bound = base_allocate(trace_nbindings(s->t), sizeof *m.bound);
    for (uint32_t r = 1; r < s->a->n; r++)
        move_reduction(&m, r);
    free(m.goals);
    free(m.bound);
    free(m.parts);
    return m;
}

// ---------------------------------------------------------------------------------------------
// Candidates

// "charge/3, log/4": the goals of the clause that use a part. malloc'ed, "" if none does.
static char *users_text(search *s, const read_group *g, bool using, uint32_t *ret_n)
{
    clause_test test = s->tests.at[g->test];
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    move m = {.s = s};
    base_text text = {0};
    uint32_t n = 0;
    clear_parts(&m, c);
    test_variables(s->t, test, mark_part, &m);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        bool own = item->kind == TI_GOAL && item->predicate == c->predicate;
        if (item->kind != TI_GOAL || own || item_has_part(&m, c, item) != using || n++ > 1)
            continue;
        char *name = iot_predicate_text(s->t, item->predicate);
        text_add_format(&text, "%s%s (line %u)", n > 1 ? " and " : "", name, item->line);
        free(name);
    }
    free(m.parts);
    *ret_n = n;
    return text_finish(&text);
}

static void set_texts(search *s, candidate *x, const read_group *g)
{
    const iot *a = s->a;
    iot_location made;
    uint32_t nusers, nothers;
    char *maker = iot_maker_text(a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *pattern = test_text(s->t, s->tests.at[g->test]);
    char *users = users_text(s, g, true, &nusers), *others = users_text(s, g, false, &nothers);
    char *steps = iot_amount_text(a, (int64_t)g->gained);
    x->text = base_format("%s%s waits for %s from %s before it does anything, though %s%s%s "
                          "(%s in %llu wait%s)",
                          reader, where, pattern, maker, nusers > 0 ? "only " : "it does not need ",
                          nusers > 0 ? users : pattern,
                          nusers > 1 ? " need it" : nusers == 1 ? " needs it" : " at once",
                          steps, (unsigned long long)g->nreads, g->nreads == 1 ? "" : "s");
    x->advice = base_format("take %s out of the head of %s%s and give it to a process of its own%s%s",
                            pattern, reader, where,
                            nothers > 0 ? ", so that nothing holds up " : "",
                            nothers > 0 ? others : "");
    candidate_also(x, made);
    free(maker);
    free(reader);
    free(where);
    free(pattern);
    free(users);
    free(others);
    free(steps);
}

static void set_texts_of_decision(search *s, candidate *x, const read_group *g)
{
    clause_test test = s->tests.at[g->test];
    iot_location made;
    char *maker = iot_maker_text(s->a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *what = test_text(s->t, test);
    char *item = item_text(s->t, test.clause, common_item(s, test));
    char *steps = iot_amount_text(s->a, (int64_t)g->gained);
    x->text = base_format("%s%s tests %s, for which it waits for %s, before it comes to %s, which comes "
                          "whatever that value is (%s in %llu wait%s)",
                          reader, where, what, maker, item, steps, (unsigned long long)g->nreads,
                          g->nreads == 1 ? "" : "s");
    x->advice = base_format("come to %s before %s is tested, and let a process of its own make what "
                            "depends on the test",
                            item, what);
    candidate_also(x, made);
    uint32_t parent = s->g->parents[g->example];
    if (parent != 0)
        candidate_also(x, iot_clause_location(s->a, trace_reduction_clause(s->t, parent)));
    free(maker);
    free(reader);
    free(where);
    free(what);
    free(item);
    free(steps);
}

static void set_texts_of_guard(search *s, candidate *x, const read_group *g)
{
    clause_test test = s->tests.at[g->test];
    iot_location made;
    char *maker = iot_maker_text(s->a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *what = test_text(s->t, test);
    char *item = item_text(s->t, test.clause, free_item(s->t, test));
    char *steps = iot_amount_text(s->a, (int64_t)g->gained);
    uint32_t parent = s->g->parents[g->example];
    x->text = base_format("%s%s tests %s, for which it waits for %s, before it comes to %s, which does not "
                          "need that (%llu waits, %s)",
                          reader, where, what, maker, item, (unsigned long long)g->nreads, steps);
    if (parent != 0) {
        iot_location above;
        char *caller = iot_maker_text(s->a, s->g, parent, &above);
        x->advice = base_format("move %s up to %s, which calls %s", item, caller, reader);
        candidate_also(x, above);
        free(caller);
    } else {
        x->advice = base_format("move %s up to the call of %s", item, reader);
    }
    candidate_also(x, made);
    free(maker);
    free(reader);
    free(where);
    free(what);
    free(item);
    free(steps);
}

typedef struct {
    search *s;
    const read_group *g;
    uint8_t *awaited; // by hole
} awaited_search;

static void look_for_awaited(void *data, head_variable v)
{
    awaited_search *x = data;
    const trace *t = x->s->t;
    if (!v.used || !x->s->reader.known[v.index])
        return;
    for (trace_value value = x->s->reader.values[v.index]; is_variable(t, value);) {
        uint32_t binding = trace_cell_binding(t, value.id);
        x->awaited[v.index] |= value.id == x->g->variable;
        if (binding == TRACE_NONE || trace_binding_maker(t, binding) >= x->g->example)
            return;
        value = trace_binding_value(t, binding);
    }
}

// By hole of the clause, whether it was what the example waited for. The caller frees it.
static uint8_t *find_awaited(search *s, const read_group *g, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    awaited_search x = {s, g, base_allocate((size_t)c->nholes + 1, 1)};
    read_tests(&s->reader, g->example, test.clause, &s->by_clause[test.clause]);
    test_variables(s->t, test, look_for_awaited, &x);
    return x.awaited;
}

static candidate_doubt doubt_of(search *s, const read_group *g, clause_test test)
{
    if (g->guard)
        return SURE;
    uint8_t *awaited = find_awaited(s, g, test);
    bool loop = g->makers > 1 && maker_is_in_loop(s->facts, g->example, g->maker);
    candidate_doubt doubt =
        loop || g->decides ? doubt_of_loop_state(s->facts, test, g->decides ? awaited : NULL) : SURE;
    free(awaited);
    return doubt == LIKELY && !loop ? SURE : doubt;
}

static void add_candidate(search *s, candidates *list, uint32_t group)
{
    const read_group *g = &s->groups.at[group];
    clause_test test = s->tests.at[g->test];
    move m = move_waits(s, group);
    candidate *x = candidate_add(list, g->guard ? FINDING_LATE_OUTPUT : FINDING_EARLY_READ);
    x->place = iot_clause_location(s->a, test.clause);
    x->clause = test.clause;
    x->reduction = g->example;
    x->estimate = true;
    x->doubt = doubt_of(s, g, test);
    x->change = (wait_change){.waits = m.waits.at,
                              .nwaits = m.waits.n,
                              .added = m.added.at,
                              .nadded = m.added.n};
    if (g->guard)
        set_texts_of_guard(s, x, g);
    else if (g->decides)
        set_texts_of_decision(s, x, g);
    else
        set_texts(s, x, g);
}

static uint32_t best_group(const search *s, const uint8_t *taken)
{
    uint32_t best = IOT_NONE;
    for (uint32_t i = 0; i < s->groups.n; i++)
        if (!taken[i] && iot_may_save(s->a, s->groups.at[i].gained) &&
            (best == IOT_NONE || s->groups.at[i].gained > s->groups.at[best].gained))
            best = i;
    return best;
}

void iot_find_early_reads(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    test_reader_begin(&s.reader, a->t);
    find_tests(&s);
    if (s.tests.n > 0)
        weigh(&s);
    uint8_t *taken = base_allocate(s.groups.n, 1);
    for (uint32_t i = 0, best; i < PROPOSED && (best = best_group(&s, taken)) != IOT_NONE; i++) {
        taken[best] = 1;
        add_candidate(&s, c, best);
    }
    free(taken);
    for (uint32_t i = 0; i < trace_nclauses(a->t); i++) {
        free(s.by_clause[i].by_pattern);
        free(s.by_clause[i].by_guard);
    }
    free(s.by_clause);
    free(s.tests.at);
    free(s.group_of.at);
    free(s.groups.at);
    test_reader_end(&s.reader);
    clause_facts_destroy(s.facts);
}
