// SPDX-License-Identifier: MIT
//
// The study of a loop's steps.
#include "iotree/findings/steps.h"

#include "iotree/findings/clauses.h"
#include "iotree/terms/values.h"

enum {
    LOPSIDED = 2,  // a chain longer than a tree's by that
    SAMPLE = 256,  // members whose arguments are looked at
    MOST_BETWEEN = 4, // steps between two that combine
    ODD_STEPS = 2, // steps that may differ from the others, at the beginning and at the end
};

// ---------------------------------------------------------------------------------------------
// What a step hands to the next one

typedef struct {
    bool known, moved;
    bool collects; // the steps put items in front of a list that they do not look at
    trace_value last;
    int64_t by;
    uint32_t odd;
} argument_study;

static bool goes_on(const loop_study *s, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL && s->l->loop_of[c->items[i].predicate] == s->loop)
            return true;
    return false;
}

// Does nothing but the goals of its loop get this variable of the head?
static bool is_for_the_loop(const loop_study *s, uint32_t clause, const trace_node *variable)
{
    const trace *t = s->l->t;
    const trace_clause *c = trace_get_clause(t, clause);
    uint8_t *holes = base_allocate((size_t)c->nholes + 1, 1);
    bool only = true;
    for (uint32_t g = 0; g < c->nguards; g++)
        only &= !test_has_variable(t, (clause_test){clause, true, g}, variable);
    holes[variable->index] = 1;
    for (uint32_t i = 0; i < c->nitems; i++)
        only &= (c->items[i].kind == TI_GOAL && s->l->loop_of[c->items[i].predicate] == s->loop) ||
                !item_has_hole_of(c, &c->items[i], holes);
    free(holes);
    return only;
}

// Does no step of the predicate look at what it has in this argument?
static bool is_not_looked_at(const loop_study *s, uint32_t predicate, uint32_t argument)
{
    const trace *t = s->l->t;
    for (uint32_t k = 0; k < trace_nclauses(t); k++) {
        const trace_clause *c = trace_get_clause(t, k);
        if (c->predicate != predicate || c->dynamic || !goes_on(s, c))
            continue;
        const trace_node *n = argument < c->nhead ? &c->patterns[c->head[argument]] : NULL;
        if (!n || n->kind != TN_HOLE || !is_for_the_loop(s, k, n))
            return false;
    }
    return true;
}

// Is it the list of the step before with items in front?
static bool is_longer(const trace *t, trace_value list, trace_value before)
{
    return is_cell_kind(t, list, TC_CONS) && is_same_value(trace_cell_arg(t, list.id, 1), before);
}

static void study_argument(loop_study *s, argument_study *a, trace_value v, uint32_t chain)
{
    const trace *t = s->l->t;
    bool first = !a->known, same = !first && is_same_value(a->last, v);
    trace_value before = a->last;
    a->known = true;
    a->last = v;
    if (first || same || is_variable(t, v))
        return;
    if (v.kind == TV_INT && before.kind == TV_INT) {
        int64_t by;
        if (__builtin_sub_overflow(v.i, before.i, &by))
            by = 0;
        a->odd += a->moved && by != a->by;
        a->moved = true;
        a->by = by;
    } else if (v.kind == TV_CELL) {
        uint32_t maker = trace_cell_maker(t, v.id);
        bool own = s->l->chain_of[maker] == chain;
        s->walks |= !own && trace_cell_get_kind(t, v.id) == TC_CONS;
        a->odd += own && !(a->collects && is_longer(t, v, before));
    } else if (!(v.kind == TV_ATOM && strcmp(trace_string(t, v.id, NULL), "[]") == 0) &&
               !is_variable(t, before))
        a->odd++;
}

// Sets `sequential` and `walks` by the arguments of the loop's longest chain.
static void study_arguments(loop_study *s)
{
    const loops *l = s->l;
    uint32_t chain = l->biggest[s->loop], n = 0, most = 0;
    uint32_t p = loops_predicate(l, l->chains.at[chain].first);
    uint32_t arity = trace_get_predicate(l->t, p)->arity;
    argument_study *all = base_allocate(arity, sizeof *all);
    trace_value *args = base_allocate(arity, sizeof *args);
    for (uint32_t i = 0; i < arity && l->predicates[s->loop] == 1; i++)
        all[i].collects = is_not_looked_at(s, p, i);
    for (uint32_t r = l->chains.at[chain].first; r && n < SAMPLE; r = l->next[r], n++) {
        if (loops_predicate(l, r) != p)
            continue;
        trace_goal_args(l->t, trace_reduction_goal(l->t, r), args);
        for (uint32_t i = 0; i < arity; i++)
            study_argument(s, &all[i], args[i], chain);
    }
    for (uint32_t i = 0; i < arity; i++)
        most = all[i].odd > most ? all[i].odd : most;
    s->sequential = most > ODD_STEPS;
    free(all);
    free(args);
}

// Does the body's goal of the loop get what this argument of the head holds, or does the clause
// decide or compute by it? A test of its type, such as integer(X), decides nothing.
static bool carries_argument(const loop_study *s, const trace_clause *c, uint32_t argument)
{
    uint8_t *from = base_allocate(c->npatterns, 1); // patterns below the argument
    uint32_t root = c->head[argument];
    bool carries = false;
    from[root] = 1;
    for (uint32_t i = root + 1; i-- > 0;)
        for (uint32_t k = 0; from[i] && k < c->patterns[i].n; k++)
            from[c->pattern_children[c->patterns[i].first + k]] = 1;
    for (uint32_t i = 0; i <= root; i++)
        carries |= from[i] && (c->patterns[i].kind == TN_HOLE || c->patterns[i].kind == TN_FRESH) &&
                   iot_is_carried(s->l, s->loop, c, &c->patterns[i]);
    free(from);
    return carries;
}

static bool other_matches(const trace_node *x, const trace_node *y)
{
    if (x->kind == TN_HOLE || x->kind == TN_FRESH || y->kind == TN_HOLE || y->kind == TN_FRESH)
        return true;
    return x->kind == y->kind && x->n == y->n &&
           (x->kind == TN_CONS || is_same_value(x->value, y->value));
}

// The head has a constant or a structure there. Does another clause that goes on with the loop have
// another one? Then it chooses how the loop goes on; else it only says that something was done.
static bool pattern_chooses(const loop_study *s, const trace_clause *c, uint32_t argument)
{
    const trace *t = s->l->t;
    const trace_node *mine = &c->patterns[c->head[argument]];
    for (uint32_t k = 0; k < trace_nclauses(t); k++) {
        const trace_clause *d = trace_get_clause(t, k);
        if (d->predicate == c->predicate && !d->dynamic && d->nhead > argument &&
            !other_matches(mine, &d->patterns[d->head[argument]]) && goes_on(s, d))
            return true;
    }
    return false;
}

// Of a read by a member, of a variable that an earlier step of its chain made: is it a state that
// the next step needs?
static bool is_state(const loop_study *s, uint32_t r, uint32_t variable)
{
    const trace *t = s->l->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
    uint32_t goal = trace_reduction_goal(t, r);
    for (uint32_t i = 0; i < c->nhead; i++)
        if (iot_leads_to(t, trace_goal_arg(t, goal, i), variable))
            return pattern_chooses(s, c, i) || (c->patterns[c->head[i]].kind != TN_CONST &&
                                                carries_argument(s, c, i));
    return true;
}

// Is it a value that an earlier step of the chain asked for, or that its goals made? No counter.
static bool is_own(const loop_study *s, uint32_t chain, uint32_t variable, uint32_t maker)
{
    const loops *l = s->l;
    uint32_t side = s->side[maker];
    return !bit_get(s->counters, maker) &&
           (l->chain_of[trace_cell_maker(l->t, variable)] == chain ||
            (side && l->chain_of[l->g->parents[side]] == chain));
}

bool iot_is_member(const loop_study *s, uint32_t r)
{
    uint32_t chain = s->l->chain_of[r];
    return chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop;
}

bool iot_is_own_wait(const loop_study *s, uint32_t member, uint64_t wait)
{
    uint32_t side = s->side[s->l->g->makers[wait]];
    return side && s->l->chain_of[s->l->g->parents[side]] == s->l->chain_of[member];
}

// Marks what the member's clause makes of the value that this wait is for: parts that it takes out of
// it, as Ref of found(Ref), and what guards compute of it.
static void mark_taken(const loops *l, uint32_t member, uint64_t wait, uint8_t *variables)
{
    uint32_t clause = trace_reduction_clause(l->t, member), goal = trace_reduction_goal(l->t, member);
    const trace_clause *c = trace_get_clause(l->t, clause);
    uint32_t variable = iot_variable_from(l, member, l->g->makers[wait]);
    for (uint32_t i = 0; i < c->nhead && variable != TRACE_NONE; i++)
        if (iot_leads_to(l->t, trace_goal_arg(l->t, goal, i), variable))
            test_mark_variables(l->t, (clause_test){clause, false, c->head[i]}, variables);
    guards_spread(l->t, clause, variables);
    for (uint32_t i = 0; i < c->nhead; i++) // a goal that gets all of it reads it where it needs it
        if (c->patterns[c->head[i]].kind == TN_HOLE)
            variables[c->patterns[c->head[i]].index] = 0;
}

bool iot_takes_of_wait(const loop_study *s, uint32_t goal, uint64_t wait)
{
    const loops *l = s->l;
    uint32_t member = l->g->parents[goal], item = loops_item(l, goal);
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, member));
    if (item == TRACE_NONE || !iot_is_own_wait(s, member, wait) ||
        bit_get(s->counters, l->g->makers[wait]))
        return false;
    uint8_t *variables = base_allocate((size_t)c->nholes + c->nunused + 1, 1);
    mark_taken(l, member, wait, variables);
    bool takes = item_has_hole_of(c, &c->items[item], variables);
    free(variables);
    return takes;
}

// Does the goal need what a goal of its chain made, and not only to count?
static bool follows_own(const loop_study *s, uint32_t r)
{
    const wait_graph *g = s->l->g;
    uint32_t member = g->parents[r];
    for (uint64_t i = g->first[member]; i < g->first[member + 1]; i++)
        if (iot_takes_of_wait(s, r, i))
            return true;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (iot_is_own_wait(s, member, i) && !bit_get(s->counters, g->makers[i]))
            return true;
    return false;
}

// A sum of a part of what a goal of the step before made, as of L in there(L), counts nothing, though
// the part itself was there at once.
static void drop_counters(loop_study *s)
{
    for (uint32_t r = 1; r < s->l->g->n; r++)
        if (bit_get(s->counters, r) && follows_own(s, r))
            bit_clear(s->counters, r);
}

// Do members wait for what others make meanwhile? For a state of the step before, which is what an
// earlier step asked for? (Who takes items of a list one at a time may have to.)
static void study_waits(loop_study *s)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t chain = l->biggest[s->loop], first = l->chains.at[chain].first, waiting = 0,
             states = 0;
    bool takes =
        l->taken[first] != IOT_NONE || (l->next[first] && l->taken[l->next[first]] != IOT_NONE);
    for (uint32_t r = first, n = 0; r; r = l->next[r], n++) {
        const uint32_t *reads;
        uint32_t nreads = trace_reads(l->t, r, &reads);
        bool waits = false, state = false;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            waits |= g->makers[i] >= first && !bit_get(s->counters, g->makers[i]);
        for (uint32_t i = 0; n < SAMPLE && i < nreads; i++) {
            uint32_t binding = trace_cell_binding(l->t, reads[i]);
            if (binding != TRACE_NONE &&
                is_own(s, chain, reads[i], trace_binding_maker(l->t, binding)))
                state |= takes || is_state(s, r, reads[i]);
        }
        waiting += waits;
        states += state;
    }
    s->waits = waiting > ODD_STEPS;
    s->sequential |= states > ODD_STEPS;
}

// ---------------------------------------------------------------------------------------------
// Side goals: workers and folds

// A chain that is long for what hangs on it. What halves its work has short chains.
bool iot_is_lopsided(const loops *l, uint32_t chain)
{
    const loop_chain *c = &l->chains.at[chain];
    return c->n >= SHORTEST && c->n >= LOPSIDED * loops_levels(c->total);
}

static uint32_t distance(uint32_t x, uint32_t y)
{
    return x < y ? y - x : x - y;
}

static uint32_t goal_predicate(const loops *l, uint32_t goal)
{
    return loops_predicate(l, loops_called(l, goal));
}

// A goal that does more than count?
static bool creates(const loop_study *s, uint32_t member, uint32_t predicate)
{
    const loops *l = s->l;
    uint32_t end = trace_first_goal(l->t, member + 1);
    for (uint32_t goal = trace_first_goal(l->t, member); goal < end; goal++) {
        uint32_t r = trace_goal_reduction(l->t, goal);
        if (r != TRACE_NONE && !bit_get(s->counters, r) && goal_predicate(l, r) == predicate)
            return true;
    }
    return false;
}

// Are the members neighbours, but for some between them that create no goal of the predicate, as a step
// that only begins the next row?
static bool are_neighbours(const loop_study *s, uint32_t x, uint32_t y, uint32_t predicate)
{
    const loops *l = s->l;
    uint32_t apart = distance(l->position[x], l->position[y]), r = x < y ? x : y;
    for (uint32_t i = 1; i < apart && apart > l->predicates[s->loop]; i++) {
        r = l->next[r];
        if (i > MOST_BETWEEN || creates(s, r, predicate))
            return false;
    }
    return true;
}

static void study_link(loop_study *s, uint32_t r, uint64_t wait)
{
    const loops *l = s->l;
    uint32_t maker = l->g->makers[wait], mine = s->side[r], other = s->side[maker];
    if (!mine || !other || mine == other || goal_predicate(l, mine) != goal_predicate(l, other))
        return;
    uint32_t x = l->g->parents[mine], y = l->g->parents[other];
    if (l->chain_of[x] != l->chain_of[y] || x == y || !iot_is_lopsided(l, l->chain_of[x]) ||
        !are_neighbours(s, x, y, goal_predicate(l, mine)) ||
        bit_get(s->counters, mine) || bit_get(s->counters, other))
        return;
    ARRAY_PUSH(s->links, (fold_link){.predicate = goal_predicate(l, mine),
                                     .inward = l->position[y] > l->position[x],
                                     .chain = l->chain_of[x],
                                     .step = l->position[x],
                                     .goal = mine,
                                     .strand = other, // the goal that it waits for, as yet
                                     .reader = r,
                                     .maker = maker,
                                     .wait = wait});
}

static int by_fold(const void *x, const void *y)
{
    const fold_link *a = x, *b = y;
    if (a->predicate != b->predicate)
        return a->predicate < b->predicate ? -1 : 1;
    if (a->inward != b->inward)
        return a->inward - b->inward;
    if (a->chain != b->chain)
        return a->chain < b->chain ? -1 : 1;
    if (a->strand != b->strand)
        return a->strand < b->strand ? -1 : 1;
    if (a->goal != b->goal)
        return a->goal < b->goal ? -1 : 1; // in the order in which they wait for each other
    return a->wait < b->wait ? -1 : a->wait > b->wait;
}

// By site of a built-in: whether its goals were seen to combine, and how.
enum { SITE_UNKNOWN, SITE_COMBINES, SITE_DOES_NOT };

// Is the text's call that began the chain `p(..., Items, ..., Item, ...)` of a clause that took
// [Item|Items]? Then the loop combines the first item with the next one, and the result with the
// third: it goes on with what an item could be, so the items could be combined in any order.
static bool begins_with_item(const loops *l, uint32_t chain)
{
    uint32_t first = l->chains.at[chain].first, item = loops_item(l, first);
    uint32_t caller = trace_reduction_clause(l->t, l->g->parents[first]);
    const trace_clause *c = item == TRACE_NONE ? NULL : trace_get_clause(l->t, caller);
    for (uint32_t i = 0; c && i < c->nhead; i++) {
        const trace_node *list = &c->patterns[c->head[i]];
        if (list->kind != TN_CONS)
            continue;
        uint32_t found = 0;
        for (uint32_t part = 0; part < 2; part++) {
            const trace_node *of = &c->patterns[c->pattern_children[list->first + part]];
            bool there = false;
            for (uint32_t k = 0; of->kind == TN_HOLE && k < c->items[item].n; k++) {
                const trace_node *to = &c->nodes[c->children[c->items[item].first + k]];
                there |= to->kind == TN_HOLE && to->index == of->index;
            }
            found += there;
        }
        if (found == 2)
            return true;
    }
    return false;
}

// The first wait of a goal for the goal before. Of a built-in, both must combine, each at its place
// in the text.
static bool combines(loop_study *s, const fold_link *link, uint8_t *sites, const char **verb)
{
    const loops *l = s->l;
    uint32_t goal = loops_called(l, link->goal);
    bool arithmetic =
        l->g->parents[link->reader] == goal &&
        trace_get_predicate(l->t, loops_predicate(l, link->reader))->origin == TRACE_BUILTIN;
    uint32_t reader = arithmetic ? link->reader : goal;
    uint8_t *site = &sites[l->g->sites[reader]];
    if (*site == SITE_UNKNOWN) {
        uint32_t variable = iot_variable_from(l, link->reader, link->maker);
        bool is = variable != TRACE_NONE &&
                  (iot_is_associative(l, reader, variable, &s->tried, verb) ||
                   (begins_with_item(l, link->chain) && iot_combines_likes(l, reader, variable)));
        if (variable != TRACE_NONE && arithmetic) // it is only a part of what the goal does
            is = is ? !iot_numbers_keep_order(l, goal, variable, &s->tried)
                    : iot_combines_numbers(l, goal, variable, &s->tried);
        *site = is ? SITE_COMBINES : SITE_DOES_NOT;
    }
    return *site == SITE_COMBINES;
}

// Is every goal that the others wait for one of them? In each strand one is the first.
static bool links_up(const loop_study *s, const fold *f)
{
    uint8_t *readers = bits_allocate(s->l->g->n);
    const fold_link *links = &s->links.at[f->first];
    uint64_t firsts = 0, strands = 0;
    for (size_t i = 0; i < f->n; i++) {
        bit_set(readers, links[i].goal);
        strands += i == 0 || !same_strand(&links[i], &links[i - 1]);
    }
    for (size_t i = 0; i < f->n; i++)
        if (i == 0 || links[i].goal != links[i - 1].goal)
            firsts += !bit_get(readers, s->side[links[i].maker]);
    free(readers);
    return firsts <= strands;
}

// Does a goal of the fold take what another goal made of a result in between, as a score that
// follows from the reserve so far? Then each step is for one state only.
static bool takes_back(const loop_study *s, const fold *f)
{
    const wait_graph *g = s->l->g;
    uint8_t *folds = bits_allocate(g->n), *follows = bits_allocate(g->n);
    bool takes = false;
    for (size_t i = f->first; i < f->first + f->n; i++) {
        bit_set(folds, s->links.at[i].goal);
        bit_set(folds, s->side[s->links.at[i].maker]);
    }
    for (uint32_t r = 1; r < g->n && !takes; r++) {
        uint32_t side = s->side[r];
        bool combines = side && bit_get(folds, side);
        bool after = side && side != r && bit_get(follows, g->parents[r]);
        for (uint64_t i = g->first[r]; side && i < g->first[r + 1]; i++) {
            uint32_t maker = g->makers[i], other = s->side[maker];
            after |= bit_get(follows, maker) || (!combines && other && bit_get(folds, other));
        }
        takes = combines && after;
        if (after)
            bit_set(follows, r);
    }
    free(folds);
    free(follows);
    return takes;
}

static bool all_combine(loop_study *s, fold *f)
{
    uint8_t *sites = base_allocate(s->l->g->nsites, 1);
    bool all = true;
    for (size_t i = f->first; all && i < f->first + f->n; i++)
        if (i == f->first || s->links.at[i].goal != s->links.at[i - 1].goal)
            all = combines(s, &s->links.at[i], sites, &f->verb);
    all = all && links_up(s, f) && !takes_back(s, f);
    free(sites);
    return all;
}

// Does the reader of the link take, besides what the link is, what other goals of the loop made?
static bool takes_more(const loop_study *s, const fold_link *link)
{
    const wait_graph *g = s->l->g;
    uint32_t first = s->l->chains.at[link->chain].first;
    for (uint64_t k = g->first[link->reader]; k < g->first[link->reader + 1]; k++)
        if (k != link->wait && g->makers[k] >= first && !bit_get(s->counters, g->makers[k]) &&
            s->side[g->makers[k]] && s->side[g->makers[k]] != s->side[link->maker])
            return true;
    return false;
}

// Does the operation take nothing but the counters of its loop and what the loop began with? Then
// the loop may well stand for one process's work.
static bool is_busy_work(const loop_study *s, const fold *f)
{
    const fold_link *links = &s->links.at[f->first];
    uint64_t others = 0;
    uint32_t counted = 0; // the last goal that counts in `others`
    for (size_t i = 0; i < f->n; i++)
        if (links[i].goal != counted && takes_more(s, &links[i])) {
            counted = links[i].goal;
            others++;
        }
    return !s->walks && !s->waits && 2 * others < f->goals;
}

// Does a step of the longest chain have, in place of what the step before had, a part of a term
// that others made: the rest of a list, or of a plan?
static bool takes_items(const loop_study *s)
{
    const loops *l = s->l;
    const trace *t = l->t;
    uint32_t chain = l->biggest[s->loop], before = l->chains.at[chain].first, n = 0;
    for (uint32_t r = l->next[before]; r && n < SAMPLE; before = r, r = l->next[r], n++) {
        uint32_t x = trace_reduction_goal(t, before), y = trace_reduction_goal(t, r);
        uint32_t p = trace_goal_predicate(t, y);
        for (uint32_t i = 0;
             p == trace_goal_predicate(t, x) && i < trace_get_predicate(t, p)->arity; i++) {
            trace_value v = iot_end_value(t, trace_goal_arg(t, x, i));
            trace_value w = iot_end_value(t, trace_goal_arg(t, y, i));
            if (v.kind != TV_CELL || w.kind != TV_CELL || v.id == w.id || is_variable(t, w))
                continue;
            uint32_t maker = trace_cell_maker(t, w.id);
            if (l->chain_of[maker] != chain && !s->side[maker])
                return true;
        }
    }
    return false;
}

static void add_fold(loop_study *s, size_t first, size_t end)
{
    fold f = {.first = first, .n = end - first, .verb = "combines"};
    uint64_t strand = 0;
    for (size_t i = first; i < end; i++) {
        bool goes_on = i > first && same_strand(&s->links.at[i], &s->links.at[i - 1]);
        bool next = !goes_on || s->links.at[i].goal != s->links.at[i - 1].goal;
        strand = goes_on ? strand + next : 1;
        f.goals += next;
        f.longest = strand > f.longest ? strand : f.longest;
    }
    f.copies = iot_only_copies(s->l->t, s->links.at[first].predicate);
    f.associative = !f.copies && f.goals >= SHORTEST && all_combine(s, &f);
    s->has_state |= !f.associative && f.goals >= SHORTEST;
    f.associative = f.associative && (!is_busy_work(s, &f) || takes_items(s));
    ARRAY_PUSH(s->folds, f);
}

// The first goal of the strand that a goal is of, as far as links joined them.
static uint32_t strand_of(uint32_t *above, uint32_t goal)
{
    while (above[goal] != goal) {
        above[goal] = above[above[goal]];
        goal = above[goal];
    }
    return goal;
}

// Goals that wait for each other are of one strand: a loop may carry several values (a sum and a
// maximum).
static void find_strands(loop_study *s)
{
    uint32_t n = s->links.n ? s->l->g->n : 0, *above = base_allocate(n, sizeof *above);
    for (uint32_t r = 0; r < n; r++)
        above[r] = r;
    for (size_t i = 0; i < s->links.n; i++) {
        uint32_t x = strand_of(above, s->links.at[i].goal);
        uint32_t y = strand_of(above, s->links.at[i].strand);
        above[x < y ? y : x] = x < y ? x : y;
    }
    for (size_t i = 0; i < s->links.n; i++)
        s->links.at[i].strand = strand_of(above, s->links.at[i].goal);
    free(above);
}

// Links of one goal in one direction, which have everything but the wait in common.
typedef struct {
    fold_link first;
    uint32_t bucket, n;
} link_group;

static int by_first(const void *x, const void *y)
{
    return by_fold(&((const link_group *)x)->first, &((const link_group *)y)->first);
}

static uint32_t bucket_of(const fold_link *link)
{
    return 2 * link->goal + link->inward;
}

// By bucket, where the next of its links goes: in the order of by_fold(), in which the waits stay
// as they are.
static uint32_t *places_of_groups(const loop_study *s)
{
    uint32_t *places = base_allocate(2 * (size_t)s->l->g->n, sizeof *places), next = 0;
    ARRAY_OF(link_group) groups = {0};
    for (size_t i = 0; i < s->links.n; i++)
        if (places[bucket_of(&s->links.at[i])]++ == 0)
            ARRAY_PUSH(groups,
                       (link_group){.first = s->links.at[i], .bucket = bucket_of(&s->links.at[i])});
    for (size_t i = 0; i < groups.n; i++)
        groups.at[i].n = places[groups.at[i].bucket];
    if (groups.n)
        qsort(groups.at, groups.n, sizeof *groups.at, by_first);
    for (size_t i = 0; i < groups.n; i++) {
        places[groups.at[i].bucket] = next;
        next += groups.at[i].n;
    }
    free(groups.at);
    return places;
}

// Sorts by by_fold(). They are in the order of their waits, and as many as the run has steps: so
// each goes to its place at once, and there is no second list of them.
static void sort_links(loop_study *s)
{
    uint32_t *next = places_of_groups(s), *to = base_allocate(s->links.n, sizeof *to);
    for (size_t i = 0; i < s->links.n; i++)
        to[i] = next[bucket_of(&s->links.at[i])]++;
    free(next);
    for (uint32_t i = 0; i < s->links.n; i++)
        while (to[i] != i) {
            uint32_t place = to[i];
            fold_link link = s->links.at[place];
            s->links.at[place] = s->links.at[i];
            s->links.at[i] = link;
            to[i] = to[place];
            to[place] = place;
        }
    free(to);
}

static void study_folds(loop_study *s)
{
    for (uint32_t r = 1; r < s->l->g->n; r++)
        for (uint64_t i = s->l->g->first[r]; s->side[r] && i < s->l->g->first[r + 1]; i++)
            study_link(s, r, i);
    find_strands(s);
    sort_links(s);
    for (size_t i = 0, first = 0; i < s->links.n; i++) {
        const fold_link *x = &s->links.at[i], *next = x + 1;
        if (i + 1 < s->links.n && next->predicate == x->predicate && next->inward == x->inward)
            continue;
        add_fold(s, first, i + 1);
        first = i + 1;
    }
}

static bool is_fold(const loop_study *s, uint32_t predicate)
{
    for (size_t i = 0; i < s->folds.n; i++)
        if ((s->folds.at[i].associative || s->folds.at[i].copies) &&
            s->links.at[s->folds.at[i].first].predicate == predicate)
            return true;
    return false;
}

// The user's predicate that most side goals are of, folds left out.
static void study_workers(loop_study *s)
{
    const loops *l = s->l;
    uint64_t *counts = base_allocate(trace_npredicates(l->t), sizeof *counts);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r)
            counts[goal_predicate(l, r)]++;
    s->worker = IOT_NONE;
    for (uint32_t p = 0; p < trace_npredicates(l->t); p++) {
        bool works = trace_get_predicate(l->t, p)->origin != TRACE_BUILTIN && !is_fold(s, p);
        if (works && counts[p] > s->workers) {
            s->worker = p;
            s->workers = counts[p];
        }
    }
    free(counts);
}

void iot_end_study(loop_study *s)
{
    free(s->side);
    free(s->counters);
    free(s->links.at);
    free(s->folds.at);
    map_free(&s->tried);
}

loop_study iot_study_loop(const loops *l, uint32_t loop)
{
    loop_study s = {.l = l, .loop = loop};
    s.side = iot_side_goals(l, loop);
    s.counters = iot_counters(l, loop);
    drop_counters(&s);
    study_arguments(&s);
    study_waits(&s);
    study_folds(&s);
    study_workers(&s);
    return s;
}

// ---------------------------------------------------------------------------------------------
// Candidates

candidate *iot_add_loop_candidate(const loop_study *s, candidates *c, iot_finding_kind kind,
                                  change_draft *d)
{
    candidate *x = candidate_add(c, kind);
    x->clause = iot_loop_clause(s->l, s->loop, &x->reduction);
    uint32_t loop = trace_get_clause(s->l->t, x->clause)->predicate, caller = IOT_NONE;
    if (trace_get_predicate(s->l->t, loop)->origin != TRACE_PROGRAM)
        caller = iot_caller_clause(s->l, x->reduction);
    x->clause = caller == IOT_NONE ? x->clause : caller;
    x->place = iot_clause_location(s->l->a, x->clause);
    x->estimate = true;
    x->change = draft_finish(d);
    return x;
}

char *iot_loop_text(const loop_study *s, uint32_t clause)
{
    const loops *l = s->l;
    const trace_clause *c = trace_get_clause(l->t, clause);
    char *name = iot_predicate_text(l->t, c->predicate);
    char *place = iot_place_text(l->t, c->source, c->line);
    uint32_t p = loops_predicate(l, l->chains.at[l->biggest[s->loop]].first);
    char *loop = l->loop_of[c->predicate] == s->loop ? base_copy("") : iot_predicate_text(l->t, p);
    char *text = base_format("%s%s%s%s", name, place, *loop ? " with " : "", loop);
    free(name);
    free(place);
    free(loop);
    return text;
}
