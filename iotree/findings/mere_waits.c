// SPDX-License-Identifier: MIT
//
// Waits for values that decide nothing: a token that only keeps an order, a guard that waits for
// what the body only hands on. They are grouped by predicate and argument, since the clauses of a
// loop thread one token; and all of a predicate together, since it may wait for two things at once.
#include "base/table.h"
#include "iotree/findings/barriers.h"
#include "iotree/findings/findings.h"
#include "iotree/findings/test_reads.h"
#include "iotree/findings/through_aliases.h"
#include "iotree/terms/values.h"

enum {
    PROPOSED = 24,    // groups
    MOST_AT_ONCE = 8, // groups of one reduction that are told apart
    MOST_ACTS = 1000, // that are looked at
    FLOW_WINDOW = 4,  // steps of a loop that may be ahead of answers: it bounds what is under way
    FOLLOWED = 256    // parents from a reader up to the step that asked
};

typedef struct {
    uint32_t predicate, argument; // argument IOT_NONE: all of the predicate's
    ARRAY_OF(wait_edit) waits;
    ARRAY_OF(clause_test) tests;
    uint64_t gained; // steps that its readers could have gone on sooner
    uint64_t nreads;
    uint64_t meant;  // reads that are no mere waits: checks, bounds of what is under way
    uint32_t makers, last_maker; // different ones in sequence, of waits that cost something
    int64_t longest;             // of one wait: its example
    uint32_t example, variable, maker;
    uint32_t test; // of the example
} wait_group;

typedef struct {
    const iot *a;
    const wait_graph *g;
    clause_facts *facts;
    test_reader reader;
    clause_tests *by_clause; // by_pattern NULL: no test of interest
    ARRAY_OF(clause_test) tests;
    ARRAY_OF(uint32_t) group_of; // by test
    ARRAY_OF(wait_group) groups;
    uint32_t *all_of;        // by predicate: the group of all its tests, plus one; 0: none
    uint32_t *mere_reader;   // by binding: a reduction that merely waited for it; 0: none
    uint8_t *bounds;         // bits by binding: a wait for it bounds what is under way
    ARRAY_OF(uint32_t) acts; // reductions that write, read or halt
    alias_bindings through;
} search;

// ---------------------------------------------------------------------------------------------
// Tests

static uint32_t group_of(search *s, uint32_t predicate, uint32_t argument)
{
    for (size_t i = s->groups.n; i-- > 0 && s->groups.at[i].predicate == predicate;)
        if (s->groups.at[i].argument == argument)
            return (uint32_t)i;
    ARRAY_PUSH(s->groups, (wait_group){.predicate = predicate,
                                       .argument = argument,
                                       .longest = -1,
                                       .example = IOT_NONE});
    return (uint32_t)s->groups.n - 1;
}

static void add_test(search *s, clause_test test)
{
    uint32_t argument = test_argument(s->a->t, test);
    if (argument == IOT_NONE)
        return;
    clause_tests *tests = &s->by_clause[test.clause];
    const trace_clause *c = trace_get_clause(s->a->t, test.clause);
    if (!tests->by_pattern) {
        tests->by_pattern = base_allocate((size_t)c->npatterns + 1, sizeof(uint32_t));
        tests->by_guard = base_allocate((size_t)c->nguards + 1, sizeof(uint32_t));
        memset(tests->by_pattern, 0xff, c->npatterns * sizeof(uint32_t));
        memset(tests->by_guard, 0xff, c->nguards * sizeof(uint32_t));
    }
    (test.guard ? tests->by_guard : tests->by_pattern)[test.at] = (uint32_t)s->tests.n;
    ARRAY_PUSH(s->tests, test);
    ARRAY_PUSH(s->group_of, group_of(s, c->predicate, argument));
}

static void find_in_head(search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->a->t, clause);
    ARRAY_OF(uint32_t) stack = {0};
    for (uint32_t i = 0; i < c->nhead; i++)
        ARRAY_PUSH(stack, c->head[i]);
    while (stack.n > 0) {
        uint32_t node = stack.at[--stack.n];
        const trace_node *n = &c->patterns[node];
        clause_test test = {clause, false, node};
        bool used;
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            continue;
        if (test_is_mere_wait(s->facts, test, &used)) {
            add_test(s, test);
            continue;
        }
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->pattern_children[n->first + i]);
    }
    free(stack.at);
}

static void find_in_guards(search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->a->t, clause);
    bool used;
    for (uint32_t g = 0; g < c->nguards; g++) {
        clause_test test = {clause, true, g};
        if (c->guards[g].n > 0 && test_is_mere_wait(s->facts, test, &used))
            add_test(s, test);
    }
}

// A predicate that waits for several values: also all of them together.
static void add_groups_of_all(search *s)
{
    size_t n = s->groups.n;
    uint32_t *counts = base_allocate(trace_npredicates(s->a->t), sizeof *counts);
    s->all_of = base_allocate(trace_npredicates(s->a->t), sizeof *s->all_of);
    for (size_t i = 0; i < n; i++)
        if (++counts[s->groups.at[i].predicate] == 2)
            s->all_of[s->groups.at[i].predicate] =
                group_of(s, s->groups.at[i].predicate, IOT_NONE) + 1;
    free(counts);
}

static void find_tests(search *s)
{
    uint32_t n = trace_nclauses(s->a->t);
    s->by_clause = base_allocate(n, sizeof *s->by_clause);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = s->facts->clauses[i]; // predicate by predicate
        if (!clause_is_told(s->facts, c) || clause_acts(s->a->t, c))
            continue;
        find_in_head(s, c);
        find_in_guards(s, c);
    }
    add_groups_of_all(s);
}

// ---------------------------------------------------------------------------------------------
// Waits

typedef struct {
    uint32_t group, test, variable, maker;
    int64_t latest; // of its waits
} group_read;

typedef struct {
    group_read of[MOST_AT_ONCE];
    uint32_t n;
    int64_t kept; // the latest of all that is in no group: the parent, other reads
} reduction_reads;

// Could the value be one that the test refuses?
static bool is_checked(search *s, clause_test test, uint32_t variable)
{
    const trace_clause *c = trace_get_clause(s->a->t, test.clause);
    return !test.guard && c->patterns[test.at].kind == TN_CONST &&
           binding_is_chosen(s->facts, trace_cell_binding(s->a->t, variable));
}

// Is it the answer to what the reader's loop asked some steps before? Then the loop goes ahead of
// the answers, and the wait bounds by how much.
static bool is_flow_control(const search *s, uint32_t reader, uint32_t variable)
{
    const wait_graph *g = s->g;
    uint32_t asked = trace_cell_maker(s->a->t, variable), steps = 1, r = g->parents[reader];
    for (int up = 0; up < FOLLOWED && r > asked; up++, r = g->parents[r])
        steps += g->sites[r] == g->sites[reader];
    return r == asked && r != 0 && g->sites[r] == g->sites[reader] && steps >= FLOW_WINDOW;
}

static wait_group *group_of_all(search *s, uint32_t predicate)
{
    return s->all_of[predicate] ? &s->groups.at[s->all_of[predicate] - 1] : NULL;
}

static void add_read(search *s, reduction_reads *x, uint32_t reduction, uint32_t test,
                     uint32_t variable, uint64_t first, uint64_t end)
{
    int64_t latest = 0;
    for (uint64_t w = first; w < end; w++) {
        int64_t time = trace_time(s->a->t, s->g->makers[w]);
        latest = time > latest ? time : latest;
    }
    uint32_t group = test == NO_TEST ? IOT_NONE : s->group_of.at[test], i = 0;
    while (i < x->n && x->of[i].group != group)
        i++;
    if (group == IOT_NONE || i == MOST_AT_ONCE) {
        x->kept = latest > x->kept ? latest : x->kept;
        return;
    }
    if (i == x->n)
        x->of[x->n++] = (group_read){.group = group, .latest = -1};
    if (latest > x->of[i].latest)
        x->of[i] = (group_read){group, test, variable, s->g->makers[first], latest};
    wait_group *to = &s->groups.at[group];
    s->mere_reader[trace_cell_binding(s->a->t, variable)] = reduction;
    for (uint64_t w = first; w < end; w++)
        ARRAY_PUSH(to->waits, (wait_edit){w, IOT_NONE});
    to->nreads++;
    bool bounds = is_flow_control(s, reduction, variable);
    bool meant = bounds || is_checked(s, s->tests.at[test], variable);
    if (bounds)
        bit_set(s->bounds, trace_cell_binding(s->a->t, variable));
    to->meant += meant;
    wait_group *all = group_of_all(s, to->predicate);
    for (uint64_t w = first; w < end && all; w++)
        ARRAY_PUSH(all->waits, (wait_edit){w, IOT_NONE});
    if (all) {
        all->nreads++;
        all->meant += meant;
    }
}

// What the reduction gains where these reads are left out and what is `kept` is not.
static void count_gain(wait_group *g, const group_read *read, int64_t kept, uint32_t reduction)
{
    int64_t gain = read->latest - kept;
    if (gain <= 0)
        return;
    g->gained += (uint64_t)gain;
    g->makers += g->last_maker != read->maker;
    g->last_maker = read->maker;
    if (gain > g->longest) {
        g->longest = gain;
        g->example = reduction;
        g->variable = read->variable;
        g->maker = read->maker;
        g->test = read->test;
    }
}

// All groups of the reduction at once, which are of its predicate.
static void count_gain_of_all(search *s, const reduction_reads *x, uint32_t reduction)
{
    uint32_t latest = 0;
    for (uint32_t i = 1; i < x->n; i++)
        latest = x->of[i].latest > x->of[latest].latest ? i : latest;
    wait_group *all = group_of_all(s, s->groups.at[x->of[0].group].predicate);
    if (all)
        count_gain(all, &x->of[latest], x->kept, reduction);
}

static void count_gains(search *s, const reduction_reads *x, uint32_t reduction)
{
    if (x->n > 0)
        count_gain_of_all(s, x, reduction);
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t kept = x->kept;
        for (uint32_t k = 0; k < x->n; k++)
            if (k != i && x->of[k].latest > kept)
                kept = x->of[k].latest;
        count_gain(&s->groups.at[x->of[i].group], &x->of[i], kept, reduction);
    }
}

static void gather_reduction(search *s, uint32_t r, uint32_t clause)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(s->a->t, r, &reads);
    reduction_reads x = {.kept = trace_time(s->a->t, s->g->parents[r])};
    uint64_t next = s->g->first[r], first;
    if (next == s->g->first[r + 1])
        return;
    read_tests(&s->reader, r, clause, &s->by_clause[clause]);
    for (uint32_t i = 0; i < n; i++)
        if (waits_of_read(s->a->t, s->g, r, reads[i], &next, &first))
            add_read(s, &x, r, test_of_read(&s->reader, r, reads[i]), reads[i], first, next);
    count_gains(s, &x, r);
}

static void gather(search *s)
{
    const trace *t = s->a->t;
    test_reader_begin(&s->reader, t);
    s->mere_reader = base_allocate(trace_nbindings(t), sizeof *s->mere_reader);
    s->bounds = bits_allocate(trace_nbindings(t));
    uint8_t *acts = base_allocate(trace_npredicates(t), 1);
    for (uint32_t p = 0; p < trace_npredicates(t); p++)
        acts[p] = predicate_acts(t, p);
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(t, r);
        if (s->acts.n < MOST_ACTS && acts[trace_get_clause(t, clause)->predicate])
            ARRAY_PUSH(s->acts, r);
        if (s->by_clause[clause].by_pattern)
            gather_reduction(s, r, clause);
    }
    free(acts);
    test_reader_end(&s->reader);
}

// ---------------------------------------------------------------------------------------------
// Candidates

// "Fee": the variable of the guard, else the one that was read. NULL: it has no name.
static const char *awaited_name(const search *s, const wait_group *g)
{
    uint32_t name = trace_cell_name(s->a->t, g->variable);
    return name == TRACE_NONE ? NULL : trace_name(s->a->t, name);
}

// The wait may be there for what it orders: a lock that is given back, lines that are written in turn.
static char *advice_of(const search *s, const wait_group *g)
{
    clause_test test = s->tests.at[g->test];
    const trace_clause *c = trace_get_clause(s->a->t, test.clause);
    char *what = test_text(s->a->t, test), *name = iot_predicate_text(s->a->t, c->predicate);
    char *where = iot_place_text(s->a->t, c->source, c->line);
    char *text = test.guard
                     ? base_format("take %s out of the guard of %s%s, unless something relies on that order",
                                   what, name, where)
                     : base_format("write _ instead of %s in argument %u of the head of %s%s, unless something "
                                   "relies on that order", what,
                                   test_argument(s->a->t, test) + 1, name, where);
    free(what);
    free(name);
    free(where);
    return text;
}

static bool is_of_group(const search *s, const wait_group *g, uint32_t test)
{
    return test != NO_TEST &&
           (g->argument == IOT_NONE || test_argument(s->a->t, s->tests.at[test]) == g->argument);
}

// Would nothing be left of the predicate without this test? It is one clause that tests nothing
// else and calls one goal: whoever takes the test out calls that goal at once.
static bool only_waits(const search *s, const wait_group *g, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->a->t, test.clause);
    const clause_tests *tests = &s->by_clause[test.clause];
    uint32_t calls = 0;
    for (uint32_t i = 0; i < c->nhead; i++) {
        uint32_t node = c->head[i], found = tests->by_pattern[node];
        bool free = c->patterns[node].kind == TN_HOLE || c->patterns[node].kind == TN_FRESH;
        if (!free && !is_of_group(s, g, found))
            return false;
    }
    for (uint32_t i = 0; i < c->nguards; i++)
        if (!is_of_group(s, g, tests->by_guard[i]))
            return false;
    for (uint32_t i = 0; i < c->nitems; i++)
        calls += c->items[i].kind == TI_GOAL;
    return calls == 1 && s->facts->first[c->predicate + 1] - s->facts->first[c->predicate] == 1;
}

// Its reductions take no step.
static void leave_out_steps(const search *s, candidate *x, uint32_t clause)
{
    ARRAY_OF(reduction_edit) edits = {0};
    for (uint32_t r = 1; r < s->a->n; r++)
        if (trace_reduction_clause(s->a->t, r) == clause)
            ARRAY_PUSH(edits, (reduction_edit){r, IOT_NONE, 0});
    x->change.reductions = edits.at;
    x->change.nreductions = edits.n;
    x->estimate = true;
}

static void leave_out_barrier(const search *s, candidate *x, uint32_t predicate)
{
    change_draft d = {0};
    iot_free_change(&x->change);
    iot_leave_out_barrier(s->g, predicate, &d);
    x->change = draft_finish(&d);
    x->estimate = true;
}

static bool is_below(const search *s, uint32_t reduction, uint32_t above)
{
    while (reduction > above)
        reduction = s->g->parents[reduction];
    return reduction == above;
}

// Does whoever let the reader go on wait for the reader in turn, and for no value either? Then it
// lends something that one at a time may have.
static bool is_lent(const search *s, uint32_t reader, uint32_t maker)
{
    const trace *t = s->a->t;
    uint32_t end = trace_first_goal(t, maker + 1);
    for (uint32_t g = trace_first_goal(t, maker); g < end; g++) {
        const uint32_t *reads;
        uint32_t next = trace_goal_reduction(t, g);
        uint32_t n = next == TRACE_NONE ? 0 : trace_reads(t, next, &reads);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t binding = trace_cell_binding(t, reads[i]);
            if (binding != TRACE_NONE && s->mere_reader[binding] == next &&
                is_below(s, trace_binding_maker(t, binding), reader))
                return true;
        }
    }
    return false;
}

// The same, seen from the lender, whose reader waits for what it lent to come back.
static bool is_given_back(const search *s, uint32_t reader, uint32_t maker)
{
    const trace *t = s->a->t;
    uint32_t parent = s->g->parents[reader], end = trace_first_binding(t, parent + 1);
    for (uint32_t b = trace_first_binding(t, parent); b < end; b++)
        if (s->mere_reader[b] && is_below(s, maker, s->mere_reader[b]))
            return true;
    return false;
}

// Does the wait keep the order of what is written? Something is, before the reader goes on, and
// something below it.
static bool keeps_acts(const search *s, uint32_t reader)
{
    int64_t time = trace_time(s->a->t, reader);
    bool before = false, below = false;
    for (size_t i = 0; i < s->acts.n; i++) {
        bool is = s->acts.at[i] > reader && is_below(s, s->acts.at[i], reader);
        below |= is;
        before |= !is && trace_time(s->a->t, s->acts.at[i]) <= time + 1;
    }
    return before && below;
}

// Is what is waited for the answer of something that writes or reads?
static bool is_answer_of_act(const search *s, uint32_t maker)
{
    const trace *t = s->a->t;
    return predicate_acts(t, trace_goal_predicate(t, trace_reduction_goal(t, maker)));
}

// Does the reader say that something is done, to who waits for that so that not too much is begun?
static bool says_done(const search *s, uint32_t reader)
{
    const trace *t = s->a->t;
    uint32_t end = trace_first_binding(t, reader + 1);
    for (uint32_t b = trace_first_binding(t, reader); b < end; b++)
        if (bit_get(s->bounds, b))
            return true;
    return false;
}

static bool is_order_of_the_program(const search *s, const wait_group *g)
{
    return says_done(s, g->example) || is_answer_of_act(s, g->maker) || is_lent(s, g->example, g->maker) ||
           is_given_back(s, g->example, g->maker) || keeps_acts(s, g->example);
}

// What a clause signals must come when it has waited: whoever reads that waits instead. So must an
// answer that somebody merely waits for.
static void keep_signals(search *s, candidate *x)
{
    const trace *t = s->a->t;
    uint32_t *late = base_allocate(trace_nbindings(t), sizeof *late); // by binding; 0: none
    ARRAY_OF(wait_added) added = {0};
    size_t edit = 0;
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(t, r), end = trace_first_binding(t, r + 1), n;
        const uint32_t *reads;
        uint32_t latest = 0;
        for (; edit < x->change.nwaits && x->change.waits[edit].wait < s->g->first[r + 1]; edit++)
            latest = s->g->makers[x->change.waits[edit].wait] > latest
                         ? s->g->makers[x->change.waits[edit].wait]
                         : latest;
        for (uint32_t b = trace_first_binding(t, r); b < end && latest; b++)
            if (s->mere_reader[b] || item_is_signal(s->facts, clause, trace_binding_item(t, b)))
                late[b] = latest;
        n = trace_reads(t, r, &reads);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t b = trace_cell_binding(t, reads[i]);
            if (b != TRACE_NONE && late[b])
                ARRAY_PUSH(added, (wait_added){r, late[b]});
        }
    }
    free(late);
    x->change.added = added.at;
    x->change.nadded = added.n;
}

static void add_candidate(search *s, candidates *list, wait_group *g)
{
    const iot *a = s->a;
    clause_test test = s->tests.at[g->test];
    bool used = false;
    test_is_mere_wait(s->facts, test, &used);
    candidate *x =
        candidate_at(a, list, used ? FINDING_WAIT : FINDING_ORDER, test.clause, g->example);
    x->change.waits = g->waits.at;
    x->change.nwaits = g->waits.n;
    g->waits.at = NULL;
    if (used)
        keep_signals(s, x);
    if (used) {
        x->waiting_loop = g->predicate;
        x->mean_wait = (double)g->gained / (double)g->nreads;
    }
    if (used && !change_overlaps_work(s->facts, s->g, &x->change, NULL, g->predicate, x->mean_wait))
        x->doubt = DOUBTFUL;
    else if (used && g->makers > 1 && maker_is_in_loop(s->facts, g->example, g->maker))
        x->doubt = LIKELY;
    if (iot_is_barrier(s->facts, g->predicate))
        leave_out_barrier(s, x, g->predicate);
    else if (only_waits(s, g, test))
        leave_out_steps(s, x, test.clause);
    iot_wait_for_aliases(&s->through, a->t, s->g, &x->change);
    iot_location made;
    char *maker = iot_maker_text(a, s->g, g->maker, &made);
    char *reader = iot_predicate_text(a->t, x->place.predicate);
    char *where = iot_place_text(a->t, x->place.source, x->place.line);
    char *what = test_text(a->t, test), *cost = iot_cost_text(a, g->gained, g->nreads, "wait");
    const char *name = awaited_name(s, g);
    char *holder = g->makers > 1 ? iot_holder_text(a, g->predicate) : base_copy("");
    x->text = base_format(
        "%s%s waits for %s%s from %s before it goes on, %s (%s%s)", reader, where,
        name ? name : what, g->argument == IOT_NONE ? " and other values, the last of them" : "",
        maker, used ? "though it only hands that value on" : "and does not use it", cost, holder);
    free(holder);
    x->advice = advice_of(s, g);
    x->condition = base_copy("without that wait");
    candidate_also(x, made);
    uint32_t parent = s->g->parents[g->example];
    if (parent != 0)
        candidate_also(x, iot_clause_location(a, trace_reduction_clause(a->t, parent)));
    free(maker);
    free(reader);
    free(where);
    free(what);
    free(cost);
}

static void propose(search *s, candidates *c, wait_group *g)
{
    const trace *t = s->a->t;
    uint32_t above = s->g->parents[g->example];
    if (!is_order_of_the_program(s, g)) {
        add_candidate(s, c, g);
        return;
    }
    ARRAY_PUSH(c->meant, iot_clause_location(s->a, s->tests.at[g->test].clause));
    if (above != 0 && is_answer_of_act(s, g->maker)) // a loop that acts goes on when it is told
        ARRAY_PUSH(c->meant, iot_clause_location(s->a, trace_reduction_clause(t, above)));
}

static int by_gain(const void *x, const void *y)
{
    const wait_group *a = x, *b = y;
    if ((a->argument == IOT_NONE) != (b->argument == IOT_NONE))
        return a->argument == IOT_NONE ? 1 : -1; // where both save the same, one value is named
    if (a->gained != b->gained)
        return a->gained > b->gained ? -1 : 1;
    if (a->predicate != b->predicate)
        return a->predicate < b->predicate ? -1 : 1;
    return a->argument < b->argument ? -1 : a->argument > b->argument;
}

void iot_find_mere_waits(const iot *a, candidates *c)
{
    search s = {.a = a, .g = iot_waits(a, NULL, NULL), .facts = clause_facts_create(a->t)};
    find_tests(&s);
    if (s.tests.n > 0)
        gather(&s);
    if (s.groups.n > 0)
        iot_find_alias_bindings(a->t, &s.through);
    if (s.groups.n > 0)
        qsort(s.groups.at, s.groups.n, sizeof *s.groups.at, by_gain);
    uint32_t proposed = 0;
    for (size_t i = 0; i < s.groups.n; i++) {
        wait_group *g = &s.groups.at[i];
        if (iot_may_save(a, g->gained) && 2 * g->meant < g->nreads && proposed++ < PROPOSED)
            propose(&s, c, g);
        free(s.groups.at[i].waits.at);
        free(s.groups.at[i].tests.at);
    }
    for (uint32_t i = 0; i < trace_nclauses(a->t); i++) {
        free(s.by_clause[i].by_pattern);
        free(s.by_clause[i].by_guard);
    }
    free(s.by_clause);
    free(s.tests.at);
    free(s.mere_reader);
    free(s.bounds);
    free(s.all_of);
    free(s.acts.at);
    iot_free_alias_bindings(&s.through);
    free(s.group_of.at);
    free(s.groups.at);
    clause_facts_destroy(s.facts);
}
