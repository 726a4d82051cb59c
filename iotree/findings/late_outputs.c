// SPDX-License-Identifier: MIT
//
// Items of a body that come late: all they need is handed down from goal to goal, and whatever the
// goals on the way find out, the item comes in the end. So it could have come before the first of
// them.
//
//     loop([X|Xs], Limit, Out) :- work(X), loop(Xs, Limit, Out).
//     loop([], Limit, Out) :- Out = Limit.
//
// What an item needs may also be part of a state, which the goals hand down as a whole:
//
//     scan([seen(R)|Xs], none, Out) :- scan(Xs, some(R), Out).
//     scan([], some(R), Out) :- Out = R.
//
// Or a clause on the way finds it, which happens once, and no clause looks at what was found:
//
//     scan([it(R)|Xs], _, Out) :- scan(Xs, R, Out).
//     scan([_|Xs], Found, Out) :- scan(Xs, Found, Out).
//     scan([], Found, Out) :- Out = Found.
//
// Or what the loop comes to is decided before its end, whatever else it finds (decided.h).
#include "base/table.h"
#include "iotree/findings/decided.h"
#include "iotree/findings/findings.h"
#include "iotree/findings/late_items.h"
#include "iotree/findings/late_use.h"
#include "iotree/findings/late_ways.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum {
    PROPOSED = 12,
    // At clauses, for what loops come to: in all, and by reduction on top
    LOOKS = 1 << 20,
    LOOKS_EACH = 32
};

typedef struct {
    uint32_t reduction, sooner; // it could follow from this earlier reduction
} late_case;

typedef struct {
    late_item item;
    ARRAY_OF(late_case) cases;
    uint64_t gained;
    int64_t longest;
    uint32_t example, sooner;
    uint8_t *setters; // bits by clause: that find what it needs; NULL: nobody has to
    bool refused;     // something was found more than once
    bool decided;     // what the item binds is decided on the way
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    ARRAY_OF(subject) subjects;
    uint32_t *first; // of clause c: subjects [first[c], first[c + 1])
    late_ways ways;
    uint64_t looks;
} search;

static void find_subjects(search *s)
{
    uint32_t n = trace_nclauses(s->t);
    s->first = base_allocate((size_t)n + 1, sizeof *s->first);
    for (uint32_t k = 0; k < n; k++) {
        const trace_clause *c = trace_get_clause(s->t, k);
        s->first[k] = (uint32_t)s->subjects.n;
        for (uint32_t i = 0; clause_is_told(s->facts, k) && i < c->nitems; i++) {
            late_item x;
            subject late = {.longest = -1, .example = IOT_NONE};
            if (iot_late_item(s->facts, k, i, &x)) {
                late.item = x;
                ARRAY_PUSH(s->subjects, late);
                if (!x.open && x.n > 0) {
                    late.setters = bits_allocate(n);
                    ARRAY_PUSH(s->subjects, late);
                }
            }
            if (iot_may_be_decided(s->facts, k, i, &s->looks)) {
                late = (subject){.longest = -1, .example = IOT_NONE, .decided = true};
                late.item = (late_item){.clause = k, .item = i};
                ARRAY_PUSH(s->subjects, late);
            }
        }
    }
    s->first[n] = (uint32_t)s->subjects.n;
}

// ---------------------------------------------------------------------------------------------
// From the goal upwards

// Arguments that its loop can begin without, but which are there as soon as the others, are needs.
static void settle(search *s, late_item *x, uint32_t r)
{
    const trace_clause *c = trace_get_clause(s->t, x->clause);
    uint32_t sooner = late_soonest(&s->ways, x, r);
    if (sooner == IOT_NONE || sooner == s->g->parents[r])
        return;
    for (uint32_t i = 0; i < c->items[x->item].n && i < MOST_OPEN; i++) {
        late_item y = *x;
        y.open &= ~(1ull << i);
        if (y.open == x->open)
            continue;
        uint32_t hole = c->nodes[c->children[c->items[x->item].first + i]].index;
        if (iot_add_need(&y, c, hole) && late_soonest(&s->ways, &y, r) == sooner)
            *x = y;
    }
    x->settled = true;
}

// Goes up to the reduction that found what the item needs; IOT_NONE: none did, or it is not known
// that nothing else would be found.
static uint32_t found_by(search *s, subject *x, uint32_t r)
{
    uint32_t arguments[MOST_NEEDS], goal = trace_reduction_goal(s->t, r), parent;
    memcpy(arguments, x->item.arguments, sizeof arguments);
    for (;;) {
        if (s->ways.budget == 0 || !late_follows(&s->ways, &x->item, goal, arguments, x->setters))
            return IOT_NONE;
        s->ways.budget--;
        parent = trace_goal_parent(s->t, goal);
        if (late_is_above_loop(&s->ways, &x->item, parent))
            return IOT_NONE;
        if (bit_get(x->setters, trace_reduction_clause(s->t, parent)))
            break;
        if (!late_go_up(&s->ways, &x->item, goal, arguments))
            return IOT_NONE;
        goal = trace_reduction_goal(s->t, parent);
    }
    for (uint32_t above = s->g->parents[parent]; !late_is_above_loop(&s->ways, &x->item, above);
         above = s->g->parents[above]) {
        x->refused |= s->ways.budget == 0 || bit_get(x->setters, trace_reduction_clause(s->t, above));
        s->ways.budget -= s->ways.budget > 0;
    }
    return parent;
}

static void add_case(search *s, subject *x, uint32_t r, uint32_t sooner)
{
    int64_t gain = trace_time(s->t, r) - trace_time(s->t, sooner);
    ARRAY_PUSH(x->cases, (late_case){r, sooner});
    x->gained += (uint64_t)gain;
    if (gain > x->longest) {
        x->longest = gain;
        x->example = r;
        x->sooner = sooner;
    }
}

static void gather_reduction(search *s, uint32_t r, uint32_t clause)
{
    uint32_t sooner = IOT_NONE;
    for (uint32_t i = s->first[clause]; i < s->first[clause + 1]; i++) {
        subject *x = &s->subjects.at[i];
        bool sooner_known = x->decided ? sooner != IOT_NONE && sooner != s->g->parents[r]
                                       : x->setters && (sooner != IOT_NONE || x->refused);
        if (sooner_known)
            continue;
        if (x->item.open && !x->item.settled)
            settle(s, &x->item, r);
        sooner = x->decided   ? iot_decided_by(s->facts, r, x->item.item, &s->looks)
                 : x->setters ? found_by(s, x, r)
                              : late_soonest(&s->ways, &x->item, r);
        if (sooner != IOT_NONE && sooner != s->g->parents[r])
            add_case(s, x, r, sooner); // what its own clause waits for, other detectors look at
    }
}

// ---------------------------------------------------------------------------------------------
// The change

static void move_goals(const search *s, const subject *x, wait_change *change)
{
    change_draft d = {0};
    ARRAY_OF(late_goal) late = {0};
    for (size_t i = 0; i < x->cases.n; i++) {
        uint32_t r = x->cases.at[i].reduction, end = trace_first_goal(s->t, r + 1);
        for (uint32_t g = trace_first_goal(s->t, r); g < end; g++) {
            uint32_t child = trace_goal_reduction(s->t, g);
            if (trace_goal_item(s->t, g) != x->item.item || child == TRACE_NONE)
                continue;
            draft_reduction(&d, child, x->cases.at[i].sooner, -1);
            ARRAY_PUSH(late, (late_goal){g, r});
        }
    }
    if (x->item.open)
        iot_wait_where_used(s->a, late.at, late.n, x->item.open, &d);
    free(late.at);
    *change = draft_finish(&d);
}

// The item's bindings, while the change is made.
typedef struct {
    uint32_t *sooner; // by binding: the earlier reduction, plus one; 0: it is none of them
    base_map moved;   // maker -> the earlier one, of the bindings that the read in hand passes on
    uint8_t *without_kinds;
    bool decided; // also what the item would pass on is not waited for
    change_draft draft;
} moved_bindings;

static void find_bindings(const search *s, const subject *x, moved_bindings *m)
{
    const trace *t = s->t;
    m->sooner = base_allocate(trace_nbindings(t), sizeof *m->sooner);
    for (size_t i = 0; i < x->cases.n; i++) {
        uint32_t r = x->cases.at[i].reduction, end = trace_first_binding(t, r + 1);
        for (uint32_t b = trace_first_binding(t, r); b < end; b++)
            if (trace_binding_item(t, b) == x->item.item)
                m->sooner[b] = x->cases.at[i].sooner + 1;
    }
}

// A binding, and by what it could be made sooner, as in moved_bindings.
typedef struct {
    uint32_t binding, sooner;
} passed_binding;

// Finds which of the item's bindings a binding passes on: aliases of aliases of ...
static void find_passed_on(const search *s, uint32_t binding, moved_bindings *m)
{
    const trace *t = s->t;
    ARRAY_OF(passed_binding) stack = {0};
    map_free(&m->moved);
    ARRAY_PUSH(stack, (passed_binding){binding, m->decided ? m->sooner[binding] : 0});
    for (uint32_t steps = 0; stack.n > 0 && steps < 2 * MOST_PASSED; steps++) {
        const uint32_t *passed;
        passed_binding from = stack.at[--stack.n];
        uint32_t n = trace_passed(t, from.binding, &passed);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t next = trace_cell_binding(t, passed[i]);
            if (next == TRACE_NONE)
                continue;
            uint32_t sooner = m->sooner[next] ? m->sooner[next] : from.sooner;
            if (sooner)
                map_set(&m->moved, trace_binding_maker(t, next), sooner - 1);
            ARRAY_PUSH(stack, (passed_binding){next, m->decided ? sooner : 0});
        }
    }
    free(stack.at);
}

// A reader that gets the outcome when it is decided waits for nothing that led to it.
static void leave_out_makers(const search *s, uint32_t reader, uint32_t binding, moved_bindings *m)
{
    const wait_graph *g = s->g;
    for (;;) {
        trace_value v = trace_binding_value(s->t, binding);
        binding = is_variable(s->t, v) ? trace_cell_binding(s->t, v.id) : TRACE_NONE;
        if (binding == TRACE_NONE)
            return;
        for (uint64_t w = g->first[reader]; w < g->first[reader + 1]; w++)
            if (g->makers[w] == trace_binding_maker(s->t, binding))
                draft_wait(&m->draft, w, IOT_NONE);
    }
}

static void move_read(const search *s, uint32_t reader, uint32_t binding, uint64_t first,
                      uint64_t end, moved_bindings *m)
{
    const wait_graph *g = s->g;
    if (first + 1 < end)
        find_passed_on(s, binding, m);
    if (m->decided && m->sooner[binding])
        leave_out_makers(s, reader, binding, m);
    for (uint64_t w = first; w < end; w++) {
        bool passed = g->kinds_of[g->kinds[w]].passed; // else read here, as a guard may do again
        uint64_t sooner = passed ? map_get(&m->moved, g->makers[w]) : MAP_ABSENT;
        if (!passed && m->sooner[binding])
            draft_wait(&m->draft, w, m->sooner[binding] - 1);
        else if (sooner != MAP_ABSENT)
            draft_wait(&m->draft, w, (uint32_t)sooner);
        else if (m->without_kinds && bit_get(m->without_kinds, g->kinds[w]))
            draft_wait(&m->draft, w, g->makers[w]);
    }
}

// If the item is moved wherever its clause was chosen, nobody waits for it through a relay.
static void find_far_kinds(const search *s, const subject *x, moved_bindings *m)
{
    const wait_graph *g = s->g;
    uint32_t site = g->sites[x->cases.at[0].reduction], chosen = 0;
    for (uint32_t r = 1; r < g->n; r++)
        chosen += g->sites[r] == site;
    if (g->nfar_waits == 0 || chosen != x->cases.n)
        return;
    m->without_kinds = bits_allocate(g->nkinds);
    for (uint32_t i = 0; i < g->nfar_waits; i++)
        if (g->kinds_of[g->far_waits[i].kind].maker == site)
            bit_set(m->without_kinds, g->far_waits[i].kind);
}

// Readers of the item's bindings wait for the earlier reduction instead.
static void move_bindings(const search *s, const subject *x, wait_change *change)
{
    const trace *t = s->t;
    moved_bindings m = {.decided = x->decided};
    find_bindings(s, x, &m);
    find_far_kinds(s, x, &m);
    for (uint32_t r = 1; r < s->a->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(t, r, &reads);
        uint64_t next = s->g->first[r], first;
        for (uint32_t i = 0; i < n; i++)
            if (waits_of_read(t, s->g, r, reads[i], &next, &first))
                move_read(s, r, trace_cell_binding(t, reads[i]), first, next, &m);
    }
    free(m.sooner);
    map_free(&m.moved);
    *change = draft_finish(&m.draft);
    change->without_kinds = m.without_kinds;
}

// ---------------------------------------------------------------------------------------------
// Candidates

static bool is_alias(const trace_clause *c, const trace_item *item)
{
    return item->kind == TI_UNIFY && c->nodes[c->children[item->first]].kind == TN_HOLE &&
           c->nodes[c->children[item->first + 1]].kind == TN_HOLE;
}

// "Limit and Out": what the item needs. malloc'ed.
static char *needs_text(const trace *t, const late_item *x)
{
    const trace_clause *c = trace_get_clause(t, x->clause);
    base_text text = {0};
    for (uint32_t i = 0; i < x->n; i++) {
        if (i > 0)
            text_add_string(&text, i + 1 == x->n ? " and " : ", ");
        bool used = x->holes[i] < c->nholes;
        head_variable v = {used, used ? x->holes[i] : x->holes[i] - c->nholes};
        text_add_string(&text, head_variable_name(c, t, v));
    }
    return text_finish(&text);
}

// "Heat": what the item's loop begins without. malloc'ed, "" if there is nothing of the kind.
static char *open_text(const trace *t, const late_item *x)
{
    const trace_clause *c = trace_get_clause(t, x->clause);
    const trace_item *item = &c->items[x->item];
    base_text text = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < item->n && i < MOST_OPEN; i++)
        if (x->open >> i & 1)
            text_add_format(
                &text, "%s%s", n++ > 0 ? " and " : "",
                head_variable_name(
                    c, t, (head_variable){true, c->nodes[c->children[item->first + i]].index}));
    return text_finish(&text);
}

// "Trees": the variables that the clause makes for the item. malloc'ed.
static char *fresh_text(const trace *t, const late_item *x)
{
    const trace_clause *c = trace_get_clause(t, x->clause);
    const trace_item *item = &c->items[x->item];
    base_text text = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *node = &c->nodes[c->children[item->first + i]];
        if (node->kind == TN_FRESH && c->names[node->index] != TRACE_NONE)
            text_add_format(&text, "%s%s", n++ > 0 ? " and " : "",
                            trace_name(t, c->names[node->index]));
    }
    return text_finish(&text);
}

static void set_texts(const search *s, candidate *x, const subject *late)
{
    const iot *a = s->a;
    iot_location sooner = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    char *what = item_text(s->t, late->item.clause, late->item.item);
    char *name = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *above = late->sooner == 0 ? base_copy("the first goal")
                                    : iot_maker_text(a, s->g, late->sooner, &sooner);
    char *steps = iot_amount_text(a, late->longest), *needs = needs_text(s->t, &late->item);
    uint64_t n = late->cases.n;
    const trace_clause *c = trace_get_clause(s->t, late->item.clause);
    bool call = c->items[late->item.item].kind == TI_GOAL;
    char *open = open_text(s->t, &late->item);
    char *why = late->decided      ? base_copy("whatever comes from there on, it is that")
                : *open            ? base_format("it begins without %s", open)
                : late->item.n > 0 ? base_format("%sgoals only hand %s down to it",
                                                 late->setters ? "from there on " : "", needs)
                                   : base_format("it needs nothing that %s finds out", name);
    char *made = fresh_text(s->t, &late->item);
    x->text = base_format("%s%s %s %s %s later than %s could: %s (%llu time%s)", name, where,
                          call ? "calls" : "makes", what, steps, above, why, (unsigned long long)n,
                          n == 1 ? "" : "s");
    if (*open)
        x->advice = base_format("call %s in %s with a variable for %s, which %s binds", what, above,
                                open, name);
    else if (*made)
        x->advice = base_format("call %s in %s, and hand %s down to %s", what, above, made, name);
    else
        x->advice = base_format("%s %s in %s", call ? "call" : "make", what, above);
    free(why);
    free(open);
    free(made);
    if (sooner.line != 0)
        candidate_also(x, sooner);
    free(what);
    free(name);
    free(where);
    free(above);
    free(steps);
    free(needs);
}

// Is it a term that the goal's clause makes with a variable that the goal gets, too, and that could
// come as soon as the goal?
static bool is_companion(const search *s, const subject *goal, const subject *x)
{
    const trace_clause *c = trace_get_clause(s->t, goal->item.clause);
    if (x == goal || x->item.clause != goal->item.clause || x->setters || goal->setters ||
        c->items[x->item.item].kind != TI_UNIFY || x->cases.n != goal->cases.n)
        return false;
    for (size_t i = 0; i < x->cases.n; i++)
        if (x->cases.at[i].reduction != goal->cases.at[i].reduction ||
            x->cases.at[i].sooner > goal->cases.at[i].sooner)
            return false;
    const trace_item *item = &c->items[x->item.item];
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *n = &c->nodes[c->children[item->first + i]];
        for (uint32_t k = 0; k < n->n; k++)
            if (c->nodes[c->children[n->first + k]].kind == TN_FRESH)
                return true;
    }
    return false;
}

static void move_companions(const search *s, const subject *goal, wait_change *change)
{
    for (size_t i = 0; i < s->subjects.n; i++) {
        if (!is_companion(s, goal, &s->subjects.at[i]))
            continue;
        wait_change more = {0}, first = *change;
        move_bindings(s, &s->subjects.at[i], &more);
        *change = change_of_both(s->g, &first, &more);
        iot_free_change(&first);
        iot_free_change(&more);
    }
}

static void add_candidate(const search *s, candidates *list, const subject *late)
{
    const trace_clause *c = trace_get_clause(s->t, late->item.clause);
    const trace_item *item = &c->items[late->item.item];
    candidate *x = candidate_at(s->a, list, is_alias(c, item) ? FINDING_ALIAS : FINDING_LATE_OUTPUT,
                                late->item.clause, late->example);
    x->item = late->item.item;
    x->estimate = x->kind != FINDING_ALIAS;
    if (item->kind == TI_GOAL) {
        move_goals(s, late, &x->change);
        move_companions(s, late, &x->change);
    } else {
        move_bindings(s, late, &x->change);
    }
    set_texts(s, x, late);
}

void iot_find_late_outputs(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    s.ways = late_ways_of(a, s.facts);
    s.looks = LOOKS + (uint64_t)LOOKS_EACH * a->n;
    find_subjects(&s);
    for (uint32_t r = 1; r < a->n && s.subjects.n > 0; r++)
        gather_reduction(&s, r, trace_reduction_clause(a->t, r));
    uint64_t *gained = base_allocate(s.subjects.n, sizeof *gained);
    uint32_t best[PROPOSED];
    for (size_t i = 0; i < s.subjects.n; i++)
        gained[i] = !s.subjects.at[i].refused && s.subjects.at[i].longest > 1 ? s.subjects.at[i].gained : 0;
    uint32_t n = iot_most_gained(a, gained, s.subjects.n, PROPOSED, best);
    for (uint32_t i = 0; i < n; i++)
        add_candidate(&s, c, &s.subjects.at[best[i]]);
    free(gained);
    for (size_t i = 0; i < s.subjects.n; i++) {
        free(s.subjects.at[i].cases.at);
        free(s.subjects.at[i].setters);
    }
    free(s.subjects.at);
    free(s.first);
    clause_facts_destroy(s.facts);
}
