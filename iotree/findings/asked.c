// SPDX-License-Identifier: MIT
//
// Rounds whose answers are used, but not by the next question: a loop asks, waits for the answer
// and asks again, though what it asks does not depend on what was answered. The price is the run in
// which the loop goes on, and whatever uses an answer waits for it. *Tries* are questions to goals
// of the loop itself whose answers only decide whether it goes on; there the end waits for all of
// them.
//
// Which questions depend on answers is read in the text of the loop: an argument of one of its
// predicates *tells* if it may hold something that an answer decided.
#include "iotree/findings/clauses.h"
#include "iotree/findings/rounds.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_ROUNDS = 5,
    MOST_ANSWERS = 32,   // that a value may come from
    MOST_ARGUMENTS = 63, // further ones count as telling
    FARTHEST = 64,       // goals above the one that answers
    SAMPLE = 256,        // questions of which the variables are looked at one by one
};
static const double near_enough = 0.03; // of the span

typedef struct {
    const round_study *s;
    size_t first, end; // reads
    clause_facts *facts;
    uint64_t *tells; // bits by predicate: arguments
    uint64_t asked;  // the argument of the answer, as a bit, of
    uint32_t reader; // predicate
    // Bits by clause of the loop: items that get something that tells, or that answers before the
    // last one have told.
    uint64_t *items, *by_state;
    uint64_t *seen;     // bits by clause: variables of questions that were looked at
    bool tries;         // an answer may end the loop
    bool depends;       // a question depends on an answer
    uint32_t *upto;     // by member: the last read before its goals, from 1; 0: none
    uint32_t *begin_of; // by member: the first read of its chain
} asked_study;

static bool in_loop(const asked_study *x, uint32_t predicate)
{
    return x->s->l->loop_of[predicate] == x->s->loop;
}

static uint64_t argument_bit(uint32_t argument)
{
    return 1ull << (argument < MOST_ARGUMENTS ? argument : MOST_ARGUMENTS);
}

// ---------------------------------------------------------------------------------------------
// What tells, in the text

// Bytes by variable of a clause: the holes', then the fresh ones', then those that the body does
// not use.
typedef struct {
    const trace_clause *c;
    uint32_t clause;
    uint8_t *tells;
    ARRAY_OF(clause_test) tests; // that look at what tells
} clause_view;

static uint8_t *of_node(const clause_view *v, const trace_node *n)
{
    return n->kind == TN_HOLE    ? &v->tells[n->index]
           : n->kind == TN_FRESH ? &v->tells[v->c->nholes + n->index]
                                 : NULL;
}

static bool node_tells(const clause_view *v, uint32_t root)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool found = false;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &v->c->nodes[stack.at[--stack.n]];
        uint8_t *at = of_node(v, n);
        found |= at && *at;
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, v->c->children[n->first + i]);
    }
    free(stack.at);
    return found;
}

static bool item_tells(const clause_view *v, const trace_item *item)
{
    for (uint32_t i = 0; i < item->n; i++)
        if (node_tells(v, v->c->children[item->first + i]))
            return true;
    return false;
}

// Marks what the head has below these arguments; adds the patterns that look at it to the tests.
static void mark_head(clause_view *v, uint64_t arguments)
{
    const trace_clause *c = v->c;
    uint8_t *below = base_allocate(c->npatterns, 1);
    for (uint32_t i = 0; i < c->nhead; i++)
        if (arguments & argument_bit(i)) {
            below[c->head[i]] = 1;
            trace_node_kind kind = c->patterns[c->head[i]].kind;
            if (kind != TN_HOLE && kind != TN_FRESH)
                ARRAY_PUSH(v->tests, (clause_test){v->clause, false, c->head[i]});
        }
    for (uint32_t i = c->npatterns; i-- > 0;) {
        if (!below[i])
            continue;
        if (c->patterns[i].kind == TN_HOLE)
            v->tells[c->patterns[i].index] = 1;
        if (c->patterns[i].kind == TN_FRESH)
            v->tells[c->nholes + c->nfresh + c->patterns[i].index] = 1;
        for (uint32_t k = 0; k < c->patterns[i].n; k++)
            below[c->pattern_children[c->patterns[i].first + k]] = 1;
    }
    free(below);
}

typedef struct {
    clause_view *v;
    bool any;
} guard_view;

static uint8_t *of_head(const clause_view *v, head_variable h)
{
    return &v->tells[h.used ? h.index : v->c->nholes + v->c->nfresh + h.index];
}

static void see_guard(void *data, head_variable h)
{
    guard_view *g = data;
    g->any |= *of_head(g->v, h);
}

static void mark_guard(void *data, head_variable h)
{
    guard_view *g = data;
    *of_head(g->v, h) = 1;
}

// A guard that computes from what tells makes more of it, one that compares it is a test.
static void mark_guards(const trace *t, clause_view *v)
{
    const trace_clause *c = v->c;
    for (uint32_t i = 0; i < c->nguards; i++) {
        clause_test test = {v->clause, true, i};
        guard_view g = {.v = v};
        test_variables(t, test, see_guard, &g);
        if (!g.any)
            continue;
        if (guard_computes(t, v->clause, i))
            test_variables(t, test, mark_guard, &g);
        else if (!iot_is_type_test(trace_string(t, c->guards[i].name, NULL)))
            ARRAY_PUSH(v->tests, test);
    }
}

static bool mark(uint8_t *tells)
{
    bool before = *tells;
    *tells = 1;
    return !before;
}

// What a goal gets that tells, its new variables may hold; of `X = Y`, each side may hold the
// other.
static bool mark_item(const asked_study *x, const clause_view *v, const trace_item *item)
{
    const trace_clause *c = v->c;
    bool changed = false;
    if (item->kind == TI_GOAL && in_loop(x, item->predicate))
        return false;
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *n = &c->nodes[c->children[item->first + i]];
        if (n->kind != TN_FRESH)
            continue;
        bool tells = item->kind == TI_GOAL ? item_tells(v, item)
                                           : node_tells(v, c->children[item->first + 1 - i]);
        if (tells)
            changed |= mark(of_node(v, n));
    }
    return changed;
}

// Does a clause of the predicate above `otherwise` look at one of these arguments, or at anything
// in its guards?
static bool looks_before(const asked_study *x, uint32_t clause, uint64_t arguments)
{
    const trace *t = x->s->l->t;
    uint32_t p = trace_get_clause(t, clause)->predicate;
    for (uint32_t i = x->facts->first[p]; i < x->facts->first[p + 1]; i++) {
        const trace_clause *c = trace_get_clause(t, x->facts->clauses[i]);
        if (x->facts->clauses[i] >= clause)
            continue;
        if (c->nguards)
            return true;
        for (uint32_t k = 0; k < c->nhead; k++)
            if ((arguments & argument_bit(k)) && c->patterns[c->head[k]].kind != TN_HOLE &&
                c->patterns[c->head[k]].kind != TN_FRESH)
                return true;
    }
    return false;
}

static clause_view view_clause(const asked_study *x, uint32_t clause, uint64_t arguments)
{
    const trace *t = x->s->l->t;
    const trace_clause *c = trace_get_clause(t, clause);
    clause_view v = {.c = c, .clause = clause};
    v.tells = base_allocate((size_t)c->nholes + c->nfresh + c->nunused + 1, 1);
    mark_head(&v, arguments);
    mark_guards(t, &v);
    if (arguments && c->nguards && looks_before(x, clause, arguments) &&
        strcmp(trace_string(t, c->guards[0].name, NULL), "otherwise") == 0)
        ARRAY_PUSH(v.tests, (clause_test){clause, true, 0});
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < c->nitems; i++)
            changed |= mark_item(x, &v, &c->items[i]);
    }
    return v;
}

static void end_view(clause_view *v)
{
    free(v->tells);
    free(v->tests.at);
}

static bool goes_on(const asked_study *x, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL && in_loop(x, c->items[i].predicate))
            return true;
    return false;
}

// Is this the only clause of its predicate by which the loop goes on?
static bool only_goes_on(const asked_study *x, uint32_t clause)
{
    const trace *t = x->s->l->t;
    uint32_t p = trace_get_clause(t, clause)->predicate;
    for (uint32_t i = x->facts->first[p]; i < x->facts->first[p + 1]; i++) {
        uint32_t other = x->facts->clauses[i];
        if (other != clause && goes_on(x, trace_get_clause(t, other)))
            return false;
    }
    return true;
}

// The arguments of goals of the loop that get what tells, or that differ by what tells.
static bool spread_clause(asked_study *x, clause_view *v)
{
    bool changed = false;
    for (uint32_t i = 0; i < v->c->nitems; i++) {
        const trace_item *item = &v->c->items[i];
        if (item->kind != TI_GOAL || !in_loop(x, item->predicate))
            continue;
        uint64_t tells = 0;
        for (uint32_t k = 0; k < item->n; k++)
            tells |= node_tells(v, v->c->children[item->first + k]) ? argument_bit(k) : 0;
        for (size_t k = 0; k < v->tests.n; k++)
            x->depends |= !item_is_common(x->facts, v->tests.at[k], i, &tells) &&
                          !(x->tries && only_goes_on(x, v->clause));
        changed |= (tells & ~x->tells[item->predicate]) != 0;
        x->tells[item->predicate] |= tells;
    }
    return changed;
}

static void spread(asked_study *x)
{
    const trace *t = x->s->l->t;
    for (bool changed = true; changed && !x->depends;) {
        changed = false;
        for (uint32_t i = 0; i < trace_nclauses(t); i++) {
            uint32_t p = trace_get_clause(t, i)->predicate;
            if (!in_loop(x, p) || !x->tells[p])
                continue;
            clause_view v = view_clause(x, i, x->tells[p]);
            changed |= spread_clause(x, &v);
            end_view(&v);
        }
    }
}

static uint64_t items_that_tell(const asked_study *x, uint32_t clause, uint64_t arguments)
{
    clause_view v = view_clause(x, clause, arguments);
    uint64_t items = 0;
    for (uint32_t i = 0; i < v.c->nitems; i++)
        items |= item_tells(&v, &v.c->items[i]) ? argument_bit(i) : 0;
    end_view(&v);
    return items;
}

static void list_items(asked_study *x)
{
    const trace *t = x->s->l->t;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        uint32_t p = trace_get_clause(t, i)->predicate;
        if (!in_loop(x, p) || !x->tells[p])
            continue;
        x->items[i] = items_that_tell(x, i, x->tells[p]);
        x->by_state[i] =
            items_that_tell(x, i, p == x->reader ? x->tells[p] & ~x->asked : x->tells[p]);
    }
}

// ---------------------------------------------------------------------------------------------
// Questions

static uint64_t argument_with(const asked_study *x, const chain_read *read)
{
    const trace *t = x->s->l->t;
    uint32_t goal = trace_reduction_goal(t, read->reader);
    uint32_t n = trace_get_predicate(t, read->predicate)->arity;
    for (uint32_t i = 0; i < n && i < MOST_ARGUMENTS; i++)
        if (iot_leads_to(t, trace_goal_arg(t, goal, i), read->variable))
            return argument_bit(i);
    return 0;
}

static bool has_fresh(const trace_clause *c, const trace_item *item, uint32_t index)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool found = false;
    for (uint32_t i = 0; i < item->n; i++)
        ARRAY_PUSH(stack, c->children[item->first + i]);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        found |= n->kind == TN_FRESH && n->index == index;
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return found;
}

// Does an answer decide whether the clause, with this item, is chosen?
static bool answer_decides(const asked_study *x, uint32_t clause, uint32_t item)
{
    uint32_t p = trace_get_clause(x->s->l->t, clause)->predicate;
    clause_view v = view_clause(x, clause, x->tells[p]);
    bool decides = false;
    for (size_t k = 0; k < v.tests.n; k++)
        decides |= !item_is_common(x->facts, v.tests.at[k], item, NULL);
    end_view(&v);
    return decides;
}

// Does the item by which the clause asks for this variable get something that tells?
static bool question_tells(const asked_study *x, uint32_t clause, uint32_t index)
{
    const trace_clause *c = trace_get_clause(x->s->l->t, clause);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_GOAL && in_loop(x, item->predicate))
            continue;
        if (has_fresh(c, item, index) &&
            ((x->items[clause] & argument_bit(i)) || answer_decides(x, clause, i)))
            return true;
    }
    return false;
}

// Does the question hold a variable that the loop itself binds after the answer, to no list? So a
// lock is given back, and to ask before that means something else.
static bool is_bound_later(const asked_study *x, const chain_read *read)
{
    const trace *t = x->s->l->t;
    uint32_t by = trace_cell_maker(t, read->variable), base = trace_first_cell(t, by);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, by));
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; has_fresh(c, &c->items[i], read->variable - base) && k < c->nfresh;
             k++) {
            bool other = c->items[i].kind == TI_UNIFY && base + k != read->variable &&
                         has_fresh(c, &c->items[i], k) && !iot_is_list(t, base + k);
            uint32_t binding = other ? trace_cell_binding(t, base + k) : TRACE_NONE;
            if (binding != TRACE_NONE && iot_loop_makes(x->s, trace_binding_maker(t, binding)) &&
                trace_binding_maker(t, binding) >= read->reader)
                return true;
        }
    return false;
}

// Does the loop end where an answer decides, and at the latest where none does?
static bool may_end(const asked_study *x)
{
    const trace *t = x->s->l->t;
    bool by_answer = false, anyway = false;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (!in_loop(x, c->predicate) || goes_on(x, c))
            continue;
        clause_view v = view_clause(x, i, x->tells[c->predicate]);
        by_answer |= v.tests.n > 0;
        anyway |= v.tests.n == 0 && (c->nguards || c->nlooks);
        end_view(&v);
    }
    return by_answer && anyway;
}

// Does a clause of the loop make several goals of it? Then to go on before the answers are known
// may make a whole tree of goals that nobody wants.
static bool branches(const asked_study *x)
{
    const trace *t = x->s->l->t;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        uint32_t own = 0;
        for (uint32_t k = 0; in_loop(x, c->predicate) && k < c->nitems; k++)
            own += c->items[k].kind == TI_GOAL && in_loop(x, c->items[k].predicate);
        if (own > 1)
            return true;
    }
    return false;
}

// Who answers is another process, or of tries the loop's own goals, and each reader gets the answer
// in one and the same argument.
static bool are_questions(asked_study *x)
{
    const round_study *s = x->s;
    const trace *t = s->l->t;
    x->asked = argument_with(x, &s->reads.at[x->first]);
    x->reader = s->reads.at[x->first].predicate;
    for (size_t i = x->first; i < x->end; i++)
        if (iot_loop_makes(s, s->reads.at[i].maker) != x->tries ||
            (i - x->first < SAMPLE && is_bound_later(x, &s->reads.at[i])) ||
            argument_with(x, &s->reads.at[i]) != x->asked)
            return false;
    if (!x->asked)
        return false;
    x->tells[x->reader] = x->asked;
    spread(x);
    list_items(x);
    for (size_t i = x->first; i < x->end && !x->depends; i++) {
        uint32_t variable = s->reads.at[i].variable, by = trace_cell_maker(t, variable);
        uint32_t clause = trace_reduction_clause(t, by), index = variable - trace_first_cell(t, by);
        if (x->seen[clause] & argument_bit(index))
            continue;
        x->depends |= question_tells(x, clause, index);
        x->seen[clause] |= index < MOST_ARGUMENTS ? argument_bit(index) : 0;
    }
    return !x->depends && (!x->tries || (may_end(x) && !branches(x)));
}

// ---------------------------------------------------------------------------------------------
// The price

// By member of a chain that reads answers: which answers were read before its goals.
static void count_answers(asked_study *x)
{
    const round_study *s = x->s;
    const loops *l = s->l;
    x->upto = base_allocate(l->g->n, sizeof *x->upto);
    x->begin_of = base_allocate(l->g->n, sizeof *x->begin_of);
    for (size_t i = x->first, begin = x->first; i < x->end; i++) {
        const chain_read *read = &s->reads.at[i];
        begin = s->reads.at[begin].chain == read->chain ? begin : i;
        uint32_t stop = i + 1 < x->end && s->reads.at[i + 1].chain == read->chain
                            ? s->reads.at[i + 1].reader
                            : 0;
        for (uint32_t r = read->reader; r && r != stop; r = l->next[r]) {
            x->upto[r] = (uint32_t)(i + 1);
            x->begin_of[r] = (uint32_t)begin;
        }
    }
}

// A reduction that uses what this item of the member gave it waits for the answers in it.
static void draft_use(const asked_study *x, uint32_t reader, uint32_t member, uint32_t item,
                      change_draft *d)
{
    uint32_t clause = trace_reduction_clause(x->s->l->t, member);
    if (!x->upto[member] || !(x->items[clause] & argument_bit(item)))
        return;
    uint32_t last = x->upto[member] - 1, first = last;
    if (x->by_state[clause] & argument_bit(item))
        first =
            last - x->begin_of[member] < MOST_ANSWERS ? x->begin_of[member] : last - MOST_ANSWERS;
    for (uint32_t i = first; i <= last; i++)
        for (uint64_t w = x->s->reads.at[i].first; w < x->s->reads.at[i].end; w++)
            draft_add(d, reader, x->s->l->g->makers[w]);
}

// The goal that somebody who takes this question from a list makes to answer it; 0: not known.
static uint32_t goal_for(const asked_study *x, uint32_t question)
{
    const loops *l = x->s->l;
    uint32_t binding = trace_cell_binding(l->t, question);
    if (binding == TRACE_NONE)
        return 0;
    uint32_t r = trace_binding_maker(l->t, binding);
    for (int up = 0; up < FARTHEST && r && l->taken[l->g->parents[r]] == IOT_NONE; up++) {
        uint32_t chain = l->chain_of[r], first = chain == IOT_NONE ? r : l->chains.at[chain].first;
        r = first == r ? l->g->parents[r] : first;
    }
    bool taker = r && l->taken[l->g->parents[r]] != IOT_NONE;
    return taker && !iot_loop_makes(x->s, r) ? r : 0;
}

// An item that asks further, of a list: not the list waits, but who answers.
static bool draft_further(const asked_study *x, uint32_t member, uint32_t item, change_draft *d)
{
    const trace *t = x->s->l->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, member));
    bool any = false;
    for (uint32_t i = 0; i < c->nfresh; i++) {
        uint32_t goal =
            has_fresh(c, &c->items[item], i) ? goal_for(x, trace_first_cell(t, member) + i) : 0;
        if (goal)
            draft_use(x, goal, member, item, d);
        any |= goal != 0;
    }
    return any;
}

static void draft_reader(const asked_study *x, uint32_t r, change_draft *d)
{
    const loops *l = x->s->l;
    const wait_graph *g = l->g;
    uint32_t parent = g->parents[r], item = loops_item(l, r);
    if (x->s->side[r] == r && x->upto[parent] && item != TRACE_NONE)
        draft_use(x, r, parent, item, d);
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t member = g->makers[i];
        if (!x->upto[member])
            continue;
        uint32_t variable = iot_variable_of_wait(l, r, i);
        if (variable == TRACE_NONE)
            continue;
        item = trace_binding_item(l->t, trace_cell_binding(l->t, variable));
        if (!iot_is_list(l->t, variable) || !draft_further(x, member, item, d))
            draft_use(x, r, member, item, d);
    }
}

// The try that is the last one of its chain waits for all before it: the first that fits is taken.
static void draft_last(const asked_study *x, change_draft *d)
{
    const round_study *s = x->s;
    for (size_t i = x->first, begin = x->first; i < x->end; i++) {
        begin = s->reads.at[begin].chain == s->reads.at[i].chain ? begin : i;
        bool last = i + 1 == x->end || s->reads.at[i + 1].chain != s->reads.at[i].chain;
        for (size_t k = begin; last && k <= i; k++)
            for (uint64_t w = s->reads.at[k].first; w < s->reads.at[k].end; w++)
                draft_add(d, s->reads.at[i].reader, s->l->g->makers[w]);
    }
}

static wait_change draft_asked(const asked_study *x)
{
    const round_study *s = x->s;
    change_draft d = {0};
    for (size_t i = x->first; i < x->end; i++)
        for (uint64_t w = s->reads.at[i].first; w < s->reads.at[i].end; w++)
            draft_wait(&d, w, IOT_NONE);
    for (uint32_t r = 1; r < s->l->g->n; r++)
        draft_reader(x, r, &d);
    if (x->tries)
        draft_last(x, &d);
    return draft_finish(&d);
}

// ---------------------------------------------------------------------------------------------
// The candidate

static void say_asked(const asked_study *x, wait_change change, candidates *c)
{
    const round_study *s = x->s;
    const loops *l = s->l;
    size_t n = x->end - x->first;
    const chain_read *read = &s->reads.at[x->first + n / 2];
    candidate *y = candidate_at(l->a, c, FINDING_ROUNDS, read->clause, read->reader);
    y->estimate = true;
    y->change = change;
    uint32_t asked = trace_reduction_clause(l->t, trace_cell_maker(l->t, read->variable));
    candidate_also(y, iot_clause_location(l->a, asked));
    candidate_also(y, iot_site_location(&l->g->all_sites[read->maker_site], IOT_NONE));
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[read->reader]]);
    char *from = iot_site_text(l->a, &l->g->all_sites[read->maker_site]);
    uint32_t name = trace_cell_name(l->t, read->variable);
    const char *what = name == TRACE_NONE ? "the answer" : trace_name(l->t, name);
    double steps = (double)l->a->span / (double)n;
    if (x->tries) {
        y->text = base_format("%s tries the next one when %s has bound %s, which only decides "
                              "whether to go on: %zu tries, one every %.1f steps",
                              reader, from, what, n, steps);
        y->advice = base_format("make all tries at once, and take the first whose %s fits", what);
        y->condition = base_copy("trying all at once");
    } else {
        y->text = base_format("%s asks again only when %s has bound %s, although no question "
                              "depends on an answer: %zu rounds of %.1f steps",
                              reader, from, what, n, steps);
        y->advice = base_format("ask the next question without waiting for %s, and let a process "
                                "of its own take the answers",
                                what);
        y->condition = base_copy("asking without waiting");
    }
    free(reader);
    free(from);
}

static bool begin_asked(asked_study *x)
{
    const trace *t = x->s->l->t;
    x->facts = clause_facts_create(t);
    x->tells = base_allocate(trace_npredicates(t), sizeof *x->tells);
    x->items = base_allocate(trace_nclauses(t), sizeof *x->items);
    x->by_state = base_allocate(trace_nclauses(t), sizeof *x->by_state);
    x->seen = base_allocate(trace_nclauses(t), sizeof *x->seen);
    return are_questions(x);
}

void iot_propose_asked(const round_study *s, size_t first, size_t end, bool tries, candidates *c)
{
    asked_study x = {.s = s, .first = first, .end = end, .tries = tries};
    if (end - first < FEWEST_ROUNDS)
        return;
    if (begin_asked(&x)) {
        count_answers(&x);
        wait_change change = draft_asked(&x);
        double span = s->l->span;
        if (iot_span_beside(s->l, &change) < (1 - near_enough) * span)
            say_asked(&x, change, c);
        else
            iot_free_change(&change);
    }
    clause_facts_destroy(x.facts);
    free(x.tells);
    free(x.items);
    free(x.by_state);
    free(x.seen);
    free(x.upto);
    free(x.begin_of);
}
