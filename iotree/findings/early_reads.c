// SPDX-License-Identifier: MIT
//
// Clauses that wait for a value before they do anything, though only some goals of the body need
// it: a pattern takes it apart and few use the parts; or a test decides between clauses that all
// make a goal of one predicate. The wait could move to the goals that need the value, with what
// follows from it as variables that are bound when it comes.
#include "iotree/findings/early_reads.h"
#include "iotree/findings/late_items.h"
#include "iotree/findings/loops.h"
#include "iotree/terms/values.h"

enum { PROPOSED = 8 };

// ---------------------------------------------------------------------------------------------
// Tests: patterns that decide nothing, and whose parts the body uses

static uint32_t group_of(early_search *s, read_group x)
{
    for (size_t i = s->groups.n; i-- > 0 && s->groups.at[i].predicate == x.predicate;)
        if (s->groups.at[i].argument == x.argument && s->groups.at[i].decides == x.decides &&
            s->groups.at[i].handed_on == x.handed_on)
            return (uint32_t)i;
    x.longest = -1;
    x.example = IOT_NONE;
    ARRAY_PUSH(s->groups, x);
    return (uint32_t)s->groups.n - 1;
}

typedef struct {
    uint8_t *marks; // by hole of the clause, then by unused variable
    uint32_t nholes;
    bool found, others;
} variable_marks;

static void mark_any(void *data, head_variable v)
{
    variable_marks *m = data;
    m->marks[v.used ? v.index : m->nholes + v.index] = 1;
}

// Marks: 0 computed by the guard itself, 1 of the test, 2 of another place of the head.
static void find_any(void *data, head_variable v)
{
    variable_marks *m = data;
    uint8_t mark = m->marks[v.used ? v.index : m->nholes + v.index];
    m->found |= mark == 1;
    m->others |= mark == 2;
}

static void mark_others(void *data, head_variable v)
{
    variable_marks *m = data;
    uint8_t *mark = &m->marks[v.used ? v.index : m->nholes + v.index];
    *mark = *mark ? *mark : 2;
}

// Does a guard only compute, or ask what kind of value there is, so that the clause would do the
// same without it?
static bool guard_is_idle(early_search *s, clause_test guard)
{
    const trace_guard *g = &trace_get_clause(s->t, guard.clause)->guards[guard.at];
    return guard_computes(s->t, guard.clause, guard.at) ||
           (iot_is_type_test(trace_string(s->t, g->name, NULL)) && !test_decides(s->facts, guard));
}

// What guards compute from what a pattern takes apart, and from nothing else, the body can compute:
// they belong to the pattern's test, as do guards that ask what kind of value a part is.
static void attach_guards(early_search *s, clause_test test, uint32_t number)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    variable_marks m = {base_allocate((size_t)c->nholes + c->nunused, 1), c->nholes, false, false};
    test_variables(s->t, test, mark_any, &m);
    for (uint32_t i = 0; i < c->nhead; i++)
        test_variables(s->t, (clause_test){test.clause, false, c->head[i]}, mark_others, &m);
    for (uint32_t g = 0; g < c->nguards && !test.guard; g++) {
        clause_test guard = {test.clause, true, g};
        if (!guard_is_idle(s, guard))
            continue;
        m.found = m.others = false;
        test_variables(s->t, guard, find_any, &m);
        if (!m.found || m.others) {
            test_variables(s->t, guard, mark_others, &m);
            continue;
        }
        s->by_clause[test.clause].by_guard[g] = number;
        test_variables(s->t, guard, mark_any, &m);
    }
    free(m.marks);
}

static void mark_variable(void *data, head_variable v)
{
    if (v.used)
        ((uint8_t *)data)[v.index] = 1;
}

static void find_marked(void *data, head_variable v)
{
    variable_marks *m = data;
    m->found |= v.used && m->marks[v.index];
}

bool guards_look_at(const trace *t, uint32_t clause, uint8_t *parts)
{
    const trace_clause *c = trace_get_clause(t, clause);
    variable_marks m = {parts, c->nholes, false, false};
    for (uint32_t g = 0; g < c->nguards; g++)
        test_variables(t, (clause_test){clause, true, g}, find_marked, &m);
    return m.found;
}

// Does the clause only hand on what the pattern took apart, as it was, to a goal of its own
// predicate? Then the pattern can go, whatever the clause does that uses the parts in the end.
static bool is_for_the_next(const trace *t, clause_test test, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(t, test.clause);
    if (test.guard || c->head[argument] != test.at)
        return false;
    uint8_t *parts = base_allocate(c->nholes, 1);
    test_variables(t, test, mark_variable, parts);
    bool handed_on = false, used = guards_look_at(t, test.clause, parts);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        bool own = item->kind == TI_GOAL && item->predicate == c->predicate &&
                   iot_is_made_again(c, test.at, c->children[item->first + argument]);
        for (uint32_t k = 0; k < item->n; k++)
            used |= !(own && k == argument) &&
                    node_has_hole_of(c, c->children[item->first + k], parts);
        handed_on |= own;
    }
    free(parts);
    return handed_on && !used;
}

static void add_test(early_search *s, clause_test test, uint32_t argument, bool decides)
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
    bool handed_on = !decides && is_for_the_next(s->t, test, argument);
    read_group key = {c->predicate, argument, decides, .handed_on = handed_on};
    ARRAY_PUSH(s->group_of, group_of(s, key));
    s->groups.at[s->group_of.at[s->tests.n - 1]].guard |= test.guard && !decides;
    attach_guards(s, test, (uint32_t)s->tests.n - 1);
}

// The first item, but for tokens, that comes whatever the test decides; IOT_NONE if there is none.
static uint32_t common_item(early_search *s, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (!item_is_token(c, &c->items[i]) && item_is_common(s->facts, test, i, NULL))
            return i;
    return IOT_NONE;
}

// The first item of the body that does more than bind a token, and does not need what the guard
// waits for; IOT_NONE if there is none, or if no other item needs it.
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

// Does the goal get a variable of the pattern as an argument of its own?
static bool gets_part(const trace *t, clause_test test, const trace_item *item)
{
    const trace_clause *c = trace_get_clause(t, test.clause);
    uint8_t *parts = base_allocate((size_t)c->nholes + 1, 1);
    bool gets = false;
    test_variables(t, test, mark_variable, parts);
    for (uint32_t i = 0; i < item->n && !gets; i++) {
        const trace_node *n = &c->nodes[c->children[item->first + i]];
        gets = n->kind == TN_HOLE && parts[n->index];
    }
    free(parts);
    return gets;
}

// Does the clause do nothing but make a goal of the program that gets what the pattern took apart, as
// it was or in parts?
static bool is_handed_on(const trace *t, clause_test test)
{
    const trace_clause *c = trace_get_clause(t, test.clause);
    const trace_item *item = &c->items[0];
    if (test.guard || c->nitems != 1 || item->kind != TI_GOAL ||
        trace_get_predicate(t, item->predicate)->origin != TRACE_PROGRAM)
        return false;
    for (uint32_t i = 0; i < item->n; i++)
        if (iot_is_made_again(c, test.at, c->children[item->first + i]))
            return true;
    return gets_part(t, test, item);
}

// Whether it was added.
static bool look_at_test(early_search *s, clause_test test, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    bool used, decides = test_decides(s->facts, test), good;
    if (decides)
        good = common_item(s, test) != IOT_NONE;
    else if (test.guard)
        good = free_item(s->t, test) != IOT_NONE;
    else
        good = (c->nitems > 1 || is_handed_on(s->t, test)) &&
               !test_is_mere_wait(s->facts, test, &used);
    if (good)
        add_test(s, test, argument, decides);
    return good;
}

// The tests inside a pattern, from the innermost one on. Whether one of them was added.
static bool find_inside(early_search *s, uint32_t clause, uint32_t pattern, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    ARRAY_OF(uint32_t) order = {0};
    bool found = false;
    ARRAY_PUSH(order, pattern);
    for (size_t i = 0; i < order.n; i++) {
        const trace_node *n = &c->patterns[order.at[i]];
        for (uint32_t k = 0; k < n->n; k++)
            if (c->patterns[c->pattern_children[n->first + k]].kind != TN_HOLE &&
                c->patterns[c->pattern_children[n->first + k]].kind != TN_FRESH)
                ARRAY_PUSH(order, c->pattern_children[n->first + k]);
    }
    while (order.n > 1 && !found)
        found = look_at_test(s, (clause_test){clause, false, order.at[--order.n]}, argument);
    free(order.at);
    return found;
}

// Of patterns inside each other that decide, those inside; of others the one around them, or what
// costs more inside.
static void find_in_argument(early_search *s, uint32_t clause, uint32_t argument)
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
        if (!test_decides(s->facts, test) &&
            ((iot_waits_inside(s, clause, node) && find_inside(s, clause, node, argument)) ||
             look_at_test(s, test, argument)))
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

static void find_tests(early_search *s)
{
    s->by_clause = base_allocate(trace_nclauses(s->t), sizeof *s->by_clause);
    for (uint32_t n = 0; n < trace_nclauses(s->t); n++) {
        uint32_t k = s->facts->clauses[n]; // predicate by predicate
        const trace_clause *c = trace_get_clause(s->t, k);
        if (!clause_is_told(s->facts, k) || clause_acts(s->t, k))
            continue;
        for (uint32_t i = 0; i < c->nhead; i++)
            find_in_argument(s, k, i);
        for (uint32_t g = 0; g < c->nguards; g++) {
            clause_test test = {k, true, g};
            bool tests = c->guards[g].n > 0 && !guard_computes(s->t, k, g) &&
                         !(s->by_clause[k].by_guard && s->by_clause[k].by_guard[g] != NO_TEST);
            uint32_t argument = tests ? test_argument(s->t, test) : IOT_NONE;
            if (argument != IOT_NONE)
                look_at_test(s, test, argument);
        }
    }
}

// A predicate may wait for several values at once: all of its groups that are of one sort.
static void join_groups(early_search *s)
{
    size_t n = s->groups.n;
    for (size_t i = 0; i < n; i++) {
        read_group *x = &s->groups.at[i];
        for (size_t k = i + 1; k < n && s->groups.at[k].predicate == x->predicate; k++) {
            read_group *y = &s->groups.at[k];
            if (x->guard || y->guard || x->decides != y->decides || x->handed_on != y->handed_on)
                continue;
            if (x->all == 0) {
                read_group all = *x;
                all.joined = true;
                ARRAY_PUSH(s->groups, all);
                x = &s->groups.at[i];
                x->all = (uint32_t)s->groups.n;
            }
            s->groups.at[k].all = x->all;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// What waiting costs

int64_t iot_latest_maker(const early_search *s, uint64_t first, uint64_t end)
{
    int64_t latest = 0;
    for (uint64_t w = first; w < end; w++) {
        int64_t time = trace_time(s->t, s->g->makers[w]);
        latest = time > latest ? time : latest;
    }
    return latest;
}

static void count_gain(read_group *g, uint32_t test, uint32_t variable, uint32_t maker,
                       int64_t gain, uint32_t reduction)
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

bool iot_is_in_group(const early_search *s, uint32_t test, uint32_t group)
{
    return test != NO_TEST &&
           (s->group_of.at[test] == group || s->groups.at[s->group_of.at[test]].all == group + 1);
}

// The test's group, or that of all such tests of the predicate, plus one; 0: none.
static uint32_t number_of(const early_search *s, uint32_t test, bool all)
{
    if (test == NO_TEST)
        return 0;
    return all ? s->groups.at[s->group_of.at[test]].all : s->group_of.at[test] + 1;
}

// Only the latest read of a reduction costs anything.
static void weigh_reduction(early_search *s, uint32_t r, bool all)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads), test = NO_TEST, group = 0, variable = 0, maker = 0;
    uint64_t next = s->g->first[r], first;
    int64_t kept = trace_time(s->t, s->g->parents[r]), latest = -1;
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
            continue;
        uint32_t found = test_of_read(&s->reader, r, reads[i]), number = number_of(s, found, all);
        int64_t time = iot_latest_maker(s, first, next);
        bool same = number != 0 && number == group;
        if (time <= latest) {
            kept = time > kept && !same ? time : kept;
            continue;
        }
        if (latest > kept && !same)
            kept = latest;
        latest = time;
        test = found;
        group = number;
        variable = reads[i];
        maker = s->g->makers[first];
    }
    if (group != 0)
        count_gain(&s->groups.at[group - 1], test, variable, maker, latest - kept, r);
}

static void weigh(early_search *s)
{
    bool joined = s->groups.n > 0 && s->groups.at[s->groups.n - 1].joined; // they come last
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(s->t, r);
        if (!s->by_clause[clause].by_pattern || s->g->first[r] == s->g->first[r + 1])
            continue;
        read_tests(&s->reader, r, clause, &s->by_clause[clause]);
        weigh_reduction(s, r, false);
        if (joined)
            weigh_reduction(s, r, true);
    }
}

// ---------------------------------------------------------------------------------------------
// Candidates

// "charge/3, log/4": the goals of the clause that use a part. malloc'ed, "" if none does.
static char *users_text(early_search *s, const read_group *g, bool using, uint32_t *ret_n)
{
    clause_test test = s->tests.at[g->test];
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    base_text text = {0};
    uint32_t n = 0;
    uint8_t *parts = base_allocate((size_t)c->nholes + 1, 1);
    test_variables(s->t, test, mark_variable, parts);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        bool own = item->kind == TI_GOAL && item->predicate == c->predicate;
        if (item->kind != TI_GOAL || own || item_has_hole_of(c, item, parts) != using || n++ > 1)
            continue;
        char *name = iot_predicate_text(s->t, item->predicate);
        text_add_format(&text, "%s%s (line %u)", n > 1 ? " and " : "", name, item->line);
        free(name);
    }
    free(parts);
    *ret_n = n;
    return text_finish(&text);
}

// Of a clause that only hands on what it took apart.
static void set_texts_of_handing(early_search *s, candidate *x, const read_group *g)
{
    clause_test test = s->tests.at[g->test];
    const trace_item *item = &trace_get_clause(s->t, test.clause)->items[0];
    iot_location made;
    char *maker = iot_maker_text(s->a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *pattern = test_text(s->t, test);
    char *goal = iot_predicate_text(s->t, item->predicate);
    char *cost = iot_cost_text(s->a, g->gained, g->nreads, "wait");
    x->text = base_format("%s%s waits for %s%s from %s before it calls %s (line %u), which does not need "
                          "that at once (%s)",
                          reader, where, pattern,
                          g->joined ? " and other values, the last of them" : "", maker, goal,
                          item->line, cost);
    x->advice = base_format("hand on to %s what %s%s takes apart as %s, and take it apart where it is needed",
                            goal, reader, where, pattern);
    candidate_also(x, made);
    free(maker);
    free(reader);
    free(where);
    free(pattern);
    free(goal);
    free(cost);
}

static void set_texts(early_search *s, candidate *x, const read_group *g)
{
    const iot *a = s->a;
    iot_location made;
    uint32_t nusers, nothers;
    char *maker = iot_maker_text(a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *pattern = test_text(s->t, s->tests.at[g->test]);
    char *users = users_text(s, g, true, &nusers), *others = users_text(s, g, false, &nothers);
    char *cost = iot_cost_text(a, g->gained, g->nreads, "wait");
    x->text =
        base_format("%s%s waits for %s%s from %s before it does anything, though %s%s%s "
                    "(%s)",
                    reader, where, pattern, g->joined ? " and other values, the last of them" : "",
                    maker, nusers > 0 ? "only " : "it does not need ", nusers > 0 ? users : pattern,
                    nusers > 1    ? " need it"
                    : nusers == 1 ? " needs it"
                                  : " at once",
                    cost);
    x->advice = base_format(
        "take %s%s out of the head of %s%s and give %s to a process of its own%s%s", pattern,
        g->joined ? " and the other values" : "", reader, where, g->joined ? "them" : "it",
        nothers > 0 ? ", so that nothing holds up " : "", nothers > 0 ? others : "");
    candidate_also(x, made);
    free(maker);
    free(reader);
    free(where);
    free(pattern);
    free(users);
    free(others);
    free(cost);
}

// ", but for argument 2": what of the item depends on the test. malloc'ed, "" if nothing does.
static char *differs_text(early_search *s, clause_test test, uint32_t item)
{
    uint64_t differs = 0;
    base_text text = {0};
    item_is_common(s->facts, test, item, &differs);
    for (uint32_t i = 0, n = 0; i < 63; i++)
        if (differs >> i & 1)
            text_add_format(&text, "%s %u", n++ > 0 ? " and" : ", but for its argument", i + 1);
    return text_finish(&text);
}

static void set_texts_of_decision(early_search *s, candidate *x, const read_group *g)
{
    clause_test test = s->tests.at[g->test];
    iot_location made;
    char *maker = iot_maker_text(s->a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *what = test_text(s->t, test);
    char *item = item_text(s->t, test.clause, common_item(s, test));
    char *differs = differs_text(s, test, common_item(s, test));
    char *cost = iot_cost_text(s->a, g->gained, g->nreads, "wait");
    x->text = base_format(
        "%s%s tests %s%s, for which it waits for %s, before it comes to %s, which comes "
        "whatever that value is%s (%s)",
        reader, where, what, g->joined ? " and other values" : "", maker, item, differs, cost);
    free(differs);
    x->advice =
        base_format("come to %s before %s is tested, and let a process of its own make what "
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
    free(cost);
}

static void set_texts_of_guard(early_search *s, candidate *x, const read_group *g)
{
    clause_test test = s->tests.at[g->test];
    iot_location made;
    char *maker = iot_maker_text(s->a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *what = test_text(s->t, test);
    char *item = item_text(s->t, test.clause, free_item(s->t, test));
    char *cost = iot_cost_text(s->a, g->gained, g->nreads, "wait");
    uint32_t parent = s->g->parents[g->example];
    x->text = base_format(
        "%s%s tests %s, for which it waits for %s, before it comes to %s, which does not "
        "need that (%s)",
        reader, where, what, maker, item, cost);
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
    free(cost);
}

static void weigh_doubt(early_search *s, const read_group *g, candidate *x)
{
    if (iot_waits_for_other_parts(s, g))
        return;
    double wait = (double)g->gained / (double)g->nreads;
    if (!g->guard && !g->decides && !iot_begins_something(s, g->example, s->tests.at[g->test])) {
        x->doubt = DOUBTFUL;
        return;
    }
    x->waiting_loop = g->predicate;
    x->mean_wait = wait;
    bool loop = g->makers > 1 && maker_is_in_loop(s->facts, g->example, g->maker);
    x->doubt = loop && !g->guard ? LIKELY : SURE;
    if (!change_overlaps_work(s->facts, s->g, &x->change, NULL, g->predicate, wait))
        x->doubt = DOUBTFUL;
}

static void add_candidate(early_search *s, candidates *list, uint32_t group)
{
    const read_group *g = &s->groups.at[group];
    clause_test test = s->tests.at[g->test];
    candidate *x = candidate_at(s->a, list, g->guard ? FINDING_LATE_OUTPUT : FINDING_EARLY_READ,
                                test.clause, g->example);
    x->estimate = true;
    x->change = iot_move_waits(s, group);
    weigh_doubt(s, g, x);
    if (g->guard)
        set_texts_of_guard(s, x, g);
    else if (g->decides)
        set_texts_of_decision(s, x, g);
    else if (is_handed_on(s->t, test))
        set_texts_of_handing(s, x, g);
    else
        set_texts(s, x, g);
    if (iot_waits_for_other_parts(s, g))
        iot_advise_own_parts(s, x, g);
}

void iot_find_early_reads(const iot *a, candidates *c)
{
    early_search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    iot_weigh_inner_reads(&s);
    test_reader_begin(&s.reader, a->t);
    find_tests(&s);
    join_groups(&s);
    if (s.tests.n > 0)
        weigh(&s);
    uint64_t *gained = base_allocate(s.groups.n, sizeof *gained);
    uint32_t best[PROPOSED];
    for (size_t i = 0; i < s.groups.n; i++)
        gained[i] = s.groups.at[i].gained;
    uint32_t n = iot_most_gained(a, gained, s.groups.n, PROPOSED, best);
    for (uint32_t i = 0; i < n; i++)
        add_candidate(&s, c, best[i]);
    iot_join_own_parts(&s, c, best, n);
    free(gained);
    for (uint32_t i = 0; i < trace_nclauses(a->t); i++) {
        free(s.by_clause[i].by_pattern);
        free(s.by_clause[i].by_guard);
        free(s.costs[i]);
    }
    free(s.by_clause);
    free(s.costs);
    free(s.tests.at);
    free(s.group_of.at);
    free(s.groups.at);
    test_reader_end(&s.reader);
    clause_facts_destroy(s.facts);
}
