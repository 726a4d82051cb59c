// SPDX-License-Identifier: MIT
//
// Like siblings of which one has more to do than the others: processes of one predicate that one
// reduction or one loop created. The length of a sibling is its longest chain of reductions, waits
// for others left out; the price is the run in which those longer than the mean take the mean.
#include "iotree/findings/combine.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    MOST_KINDS = 12, // predicates that are looked at
    FARTHEST = 64,   // ancestors of a step of the critical path
    SHOWN_CELLS = 12,
    ITEM_STEPS = 32, // an item that takes longer is no share of something,
    ITEM_PART = 4,   // unless it is a small part of what the longest has to do
    MOST_ARGUMENTS = 16,
    PLACES = 5, // of an argument: it is a number, or a part of it is
    MOST_RANGES = 256, // that are compared with each other
    FEW_NUMBERS = 4,   // of a range, which somebody could divide in another way
    FEWEST_EMPTY = 2,  // that get nothing, beside one that gets all
    NEAR_KEY = 4,      // parents above the maker of a key
    ANSWERED = 8,      // one item in so many, of which each may be two cells
};
static const double much_longer = 1.45; // than the mean
static const double tied = 0.5;         // waits for siblings, for each sibling

typedef struct {
    uint32_t first; // the reduction of its goal
    uint64_t group; // the chain, or the reduction, that created it
    uint32_t length;
    uint32_t items;    // cells of lists that it took from outside
    uint32_t shared;   // of these, cells that another one took before
    uint32_t supplier; // a reduction that made such a cell
    bool own_supplier; // the sibling's predicate itself took that cell
    uint32_t listed;   // cells that it took of a list that was there as a whole
    uint32_t lister;   // the reduction that made that list; IOT_NONE: there are several
    uint32_t longest_item, last_item; // of such a cell: depth
    uint32_t longest_got, last_got;   // of a cell that it took from outside
} sibling;

typedef struct {
    const loops *l;
    uint32_t predicate;
    uint32_t *owner; // by reduction: sibling, from 1; 0: none
    ARRAY_OF(sibling) siblings;
    uint32_t *taken_by; // by reduction that made a cell: the sibling that took it last
    uint8_t *makes;     // by reduction: does it make a list? Of the enum below
    uint64_t ties;      // waits of siblings for others of their group
} sibling_study;

// ---------------------------------------------------------------------------------------------
// Which predicates

// Counts a step for the predicates of the goals above it, each once; loops are stepped over.
static void count_above(const loops *l, uint32_t r, uint32_t *counts, uint32_t *stamps,
                        uint32_t stamp)
{
    for (int up = 0; up < FARTHEST && r; up++) {
        uint32_t chain = l->chain_of[r];
        if (chain != IOT_NONE)
            r = l->chains.at[chain].first;
        uint32_t p = loops_predicate(l, r);
        if (stamps[p] != stamp && trace_get_predicate(l->t, p)->origin == TRACE_PROGRAM) {
            stamps[p] = stamp;
            counts[p]++;
        }
        r = l->g->parents[r];
    }
}

static uint32_t critical_predicates(const loops *l, uint32_t ret[MOST_KINDS])
{
    uint32_t n = trace_npredicates(l->t), found = 0;
    uint32_t *counts = base_allocate(n, sizeof *counts), *stamps = base_allocate(n, sizeof *stamps);
    for (uint32_t i = 0; i < l->path.n; i++)
        count_above(l, l->path.steps[i], counts, stamps, i + 1);
    for (uint32_t p = 0; p < n; p++) {
        if (!counts[p])
            continue;
        uint32_t i = found < MOST_KINDS ? found++ : MOST_KINDS;
        for (; i > 0 && counts[ret[i - 1]] < counts[p]; i--)
            if (i < MOST_KINDS)
                ret[i] = ret[i - 1];
        if (i < MOST_KINDS)
            ret[i] = p;
    }
    free(counts);
    free(stamps);
    return found;
}

// ---------------------------------------------------------------------------------------------
// Siblings

enum { NOT_KNOWN, MAKES_LIST, MAKES_NONE };

// A clause may bind thousands of variables, and as many siblings wait for them.
static bool makes_list(sibling_study *s, uint32_t maker)
{
    if (s->makes[maker] == NOT_KNOWN)
        s->makes[maker] = iot_makes_list(s->l->t, maker) ? MAKES_LIST : MAKES_NONE;
    return s->makes[maker] == MAKES_LIST;
}

static bool same_loop(const loops *l, uint32_t x, uint32_t y)
{
    uint32_t a = l->chain_of[x], b = l->chain_of[y];
    return a != IOT_NONE && b != IOT_NONE && l->chains.at[a].loop == l->chains.at[b].loop;
}

static void begin_sibling(sibling_study *s, uint32_t r)
{
    const loops *l = s->l;
    uint32_t parent = loops_creator(l, r), chain = l->chain_of[parent];
    bool in_chain = chain != IOT_NONE && l->chains.at[chain].n > 1;
    ARRAY_PUSH(s->siblings,
               (sibling){.first = r, .group = in_chain ? (uint64_t)chain << 32 : parent});
    s->owner[r] = (uint32_t)s->siblings.n;
}

static void study_wait(sibling_study *s, uint32_t r, uint32_t maker, uint32_t *depth)
{
    sibling *mine = &s->siblings.at[s->owner[r] - 1];
    if (s->owner[maker] == s->owner[r])
        depth[r] = depth[maker] > depth[r] ? depth[maker] : depth[r];
    else if (s->owner[maker])
        s->ties += s->siblings.at[s->owner[maker] - 1].group == mine->group;
    else if (makes_list(s, maker)) {
        if (mine->items++ && depth[r] - mine->last_got > mine->longest_got)
            mine->longest_got = depth[r] - mine->last_got;
        mine->last_got = depth[r];
        mine->shared += s->taken_by[maker] && s->taken_by[maker] != s->owner[r];
        s->taken_by[maker] = s->owner[r];
        // Its own items, not those of what it does with one.
        bool own = loops_predicate(s->l, r) == s->predicate;
        if (own || !mine->own_supplier)
            mine->supplier = maker;
        mine->own_supplier |= own;
    }
}

// A step that takes the next item of a list in the text.
static void study_listed(sibling_study *s, uint32_t r, uint32_t depth)
{
    const loops *l = s->l;
    sibling *mine = &s->siblings.at[s->owner[r] - 1];
    if (l->chain_of[r] == IOT_NONE || l->taken[r] == IOT_NONE ||
        l->loop_of[loops_predicate(l, r)] != l->loop_of[s->predicate])
        return;
    uint32_t maker = trace_cell_maker(l->t, l->taken[r]);
    if (s->owner[maker])
        return;
    mine->lister = mine->listed && mine->lister != maker ? IOT_NONE : maker;
    if (mine->listed++ && depth - mine->last_item > mine->longest_item)
        mine->longest_item = depth - mine->last_item;
    mine->last_item = depth;
}

static void study_siblings(sibling_study *s)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t *depth = base_allocate(g->n, sizeof *depth);
    s->owner = base_allocate(g->n, sizeof *s->owner);
    s->taken_by = base_allocate(g->n, sizeof *s->taken_by);
    s->makes = base_allocate(g->n, 1);
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t parent = g->parents[r];
        s->owner[r] = s->owner[parent];
        if (loops_predicate(l, r) == s->predicate && !s->owner[r] && !same_loop(l, r, parent))
            begin_sibling(s, r);
        if (!s->owner[r])
            continue;
        depth[r] = s->owner[parent] == s->owner[r] ? depth[parent] : 0;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            study_wait(s, r, g->makers[i], depth);
        depth[r] += (uint32_t)wait_cost(g, r);
        study_listed(s, r, depth[r]);
        sibling *mine = &s->siblings.at[s->owner[r] - 1];
        mine->length = depth[r] > mine->length ? depth[r] : mine->length;
    }
    free(depth);
    free(s->taken_by);
    free(s->makes);
}

static int by_group(const void *x, const void *y)
{
    const sibling *a = *(sibling *const *)x, *b = *(sibling *const *)y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// ---------------------------------------------------------------------------------------------
// Groups

typedef struct {
    double *mean;         // by sibling: what it is to take; 0: as it is
    const sibling *most;  // of the group in which one is longest
    const sibling *other; // one there that is not that one
    double of_mean;       // the mean there
    uint32_t n;           // siblings there
} even_plan;

// Were they all created before the longest could have ended? Else they are steps, not shares.
static bool run_together(const sibling_study *s, const sibling **group, size_t n, uint32_t longest)
{
    const trace *t = s->l->t;
    int64_t first = INT64_MAX, last = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t created = reduction_created(t, group[i]->first);
        first = created < first ? created : first;
        last = created > last ? created : last;
    }
    return last - first <= longest;
}

// Each of two took several items of a list that the same reduction made: the list is in the text.
static bool are_listed(const sibling *x, const sibling *y)
{
    return x->listed > 1 && y->listed && x->lister != IOT_NONE && x->lister == y->lister;
}

static void plan_group(const sibling_study *s, const sibling **group, size_t n, even_plan *plan)
{
    double sum = 0;
    const sibling *most = group[0];
    for (size_t i = 0; i < n; i++) {
        sum += group[i]->length;
        most = group[i]->length > most->length ? group[i] : most;
    }
    double mean = sum / (double)n;
    const sibling *other = group[0] == most ? group[n > 1] : group[0];
    if (are_listed(most, other) && most->longest_item > mean)
        mean = most->longest_item;
    if (n < 2 || most->length < much_longer * mean ||
        (most->items && 2 * most->shared > most->items) || !run_together(s, group, n, most->length))
        return;
    for (size_t i = 0; i < n; i++)
        if (group[i]->length > mean)
            plan->mean[group[i] - s->siblings.at] = mean;
    if (!plan->most || most->length > plan->most->length) {
        plan->most = most;
        plan->of_mean = mean;
        plan->other = other;
        plan->n = (uint32_t)n;
    }
}

static even_plan plan_groups(const sibling_study *s)
{
    size_t n = s->siblings.n;
    even_plan plan = {.mean = base_allocate(n, sizeof *plan.mean)};
    const sibling **order = base_allocate(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &s->siblings.at[i];
    if (n)
        qsort(order, n, sizeof *order, by_group);
    for (size_t i = 0, first = 0; i < n; i++)
        if (i + 1 == n || order[i + 1]->group != order[first]->group) {
            plan_group(s, &order[first], i + 1 - first, &plan);
            first = i + 1;
        }
    free(order);
    return plan;
}

static void draft_even(const sibling_study *s, const even_plan *plan, change_draft *d)
{
    const wait_graph *g = s->l->g;
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t owner = s->owner[r];
        if (owner && plan->mean[owner - 1] > 0)
            draft_reduction(d, r, IOT_NONE,
                            (double)wait_cost(g, r) * plan->mean[owner - 1] /
                                s->siblings.at[owner - 1].length);
    }
}

// ---------------------------------------------------------------------------------------------
// Where the work was shared out

static bool is_library(const loops *l, uint32_t r)
{
    return trace_get_predicate(l->t, loops_predicate(l, r))->origin == TRACE_LIBRARY;
}

static bool descends_from_chain(const loops *l, uint32_t r, uint32_t chain)
{
    for (int up = 0; up < NEAR_KEY && r; up++, r = l->g->parents[r])
        if (l->chain_of[r] == chain)
            return true;
    return false;
}

// The maker of a value, no list, that the reduction waited for; 0: none that this chain's goals
// made, or (of a library's chain) that the program made.
static uint32_t key_maker(const loops *l, uint32_t r, uint32_t chain)
{
    const wait_graph *g = l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t maker = g->makers[i];
        if (l->chain_of[maker] != IOT_NONE || iot_makes_list(l->t, maker))
            continue;
        if (descends_from_chain(l, maker, chain) ||
            (is_library(l, l->chains.at[chain].first) && !is_library(l, maker)))
            return maker;
    }
    return 0;
}

// The chain that a reduction is of, or descends from; IOT_NONE: none near.
static uint32_t chain_near(const loops *l, uint32_t r)
{
    for (int up = 0; up < NEAR_KEY && r; up++, r = l->g->parents[r])
        if (l->chain_of[r] != IOT_NONE)
            return l->chain_of[r];
    return IOT_NONE;
}

// Does the reduction take an item of a list and put it into a list that it makes?
static bool passes_item_on(const loops *l, uint32_t r)
{
    const trace *t = l->t;
    uint32_t taken = l->chain_of[r] == IOT_NONE ? IOT_NONE : l->taken[r];
    uint32_t end = trace_first_cell(t, r + 1);
    for (uint32_t cell = trace_first_cell(t, r); taken != IOT_NONE && cell < end; cell++)
        if (trace_cell_get_kind(t, cell) == TC_CONS &&
            iot_is_same_item(t, trace_cell_arg(t, cell, 0), trace_cell_arg(t, taken, 0)))
            return true;
    return false;
}

// The chain that made the list of which the supplier, or the step before it, only passes an item
// on; IOT_NONE: none.
static uint32_t source_of(const loops *l, uint32_t supplier)
{
    for (uint32_t r = supplier, i = 0; r && i < 2; r = l->g->parents[r], i++)
        if (passes_item_on(l, r))
            return chain_near(l, trace_cell_maker(l->t, l->taken[r]));
    return IOT_NONE;
}

// The clause that computed what the supplier of a list's cell decided by; IOT_NONE: it did so
// itself. Where the supplier only picks items out, the key may have come with the items.
static uint32_t key_clause(const loops *l, uint32_t supplier)
{
    uint32_t maker = 0, chain = l->chain_of[supplier], source = source_of(l, supplier);
    if (chain == IOT_NONE)
        chain = l->chain_of[l->g->parents[supplier]];
    if (chain == IOT_NONE)
        return IOT_NONE;
    for (uint32_t r = supplier, up = 0; up < 2 && r && !maker; r = l->g->parents[r], up++) {
        maker = key_maker(l, r, chain);
        if (!maker && source != IOT_NONE)
            maker = key_maker(l, r, source);
    }
    return maker ? iot_clause_near(l, maker) : IOT_NONE;
}

static bool same_share(double x, double y)
{
    return x > 0 && y > 0 && x / y < 1.3 && y / x < 1.3;
}

// Two ranges, each from its lower end to its upper one, which may be part of it.
static bool are_disjoint(int64_t from, int64_t to, int64_t other_from, int64_t other_to)
{
    return from <= to && other_from <= other_to && (to <= other_from || other_to <= from);
}

// How many places for numbers the goals of a predicate have.
static uint32_t count_places(const trace *t, uint32_t predicate)
{
    uint32_t arity = trace_get_predicate(t, predicate)->arity;
    return (arity < MOST_ARGUMENTS ? arity : MOST_ARGUMENTS) * PLACES;
}

// The number that an argument is, or that a part of it is where it is a structure, range(From, To).
static bool number_at(const trace *t, uint32_t goal, uint32_t place, int64_t *ret)
{
    trace_value v = iot_end_value(t, trace_goal_arg(t, goal, place / PLACES));
    uint32_t part = place % PLACES;
    if (part > 0) {
        *ret = 0;
        if (!is_cell_kind(t, v, TC_STRUCT) || trace_cell_arity(t, v.id) < part)
            return false;
        v = iot_end_value(t, trace_cell_arg(t, v.id, part - 1));
    }
    *ret = v.i;
    return v.kind == TV_INT;
}

// Did the sibling bind the argument itself? Then it is no number that it got.
static bool came_to_itself(const sibling_study *s, const sibling *x, uint32_t argument)
{
    const trace *t = s->l->t;
    trace_value v = trace_goal_arg(t, trace_reduction_goal(t, x->first), argument);
    return is_variable(t, v) && trace_cell_binding(t, v.id) != TRACE_NONE &&
           s->owner[trace_binding_maker(t, trace_cell_binding(t, v.id))] == s->owner[x->first];
}

// Two numbers among the arguments that the sibling got; false: one is no number.
static bool range_at(const sibling_study *s, const sibling *x, uint32_t i, uint32_t k,
                     int64_t ret[2])
{
    uint32_t goal = trace_reduction_goal(s->l->t, x->first);
    bool from = number_at(s->l->t, goal, i, &ret[0]), to = number_at(s->l->t, goal, k, &ret[1]);
    return from && to && !came_to_itself(s, x, i / PLACES) && !came_to_itself(s, x, k / PLACES);
}

// Are these two arguments the ends of ranges, none of which overlaps that of the longest sibling?
static bool all_are_ranges(const sibling_study *s, const sibling *most, uint32_t i, uint32_t k)
{
    int64_t x[2], y[2];
    for (size_t n = 0; n < s->siblings.n; n++) {
        const sibling *other = &s->siblings.at[n];
        if (other != most && other->group == most->group &&
            (!range_at(s, most, i, k, x) || !range_at(s, other, i, k, y) ||
             !are_disjoint(x[0], x[1], y[0], y[1])))
            return false;
    }
    return true;
}

// Does one begin where another one ends, except for one of them? Then somebody divided one range,
// whatever its numbers take.
static bool follow_each_other(const sibling_study *s, const sibling *most, uint32_t i, uint32_t k)
{
    int64_t x[2], y[2];
    uint32_t n = 0, following = 0;
    for (size_t a = 0; a < s->siblings.n && n <= MOST_RANGES; a++) {
        if (s->siblings.at[a].group != most->group)
            continue;
        bool follows = false;
        range_at(s, &s->siblings.at[a], i, k, x);
        for (size_t b = 0; b < s->siblings.n && !follows; b++)
            follows = a != b && s->siblings.at[b].group == most->group &&
                      range_at(s, &s->siblings.at[b], i, k, y) &&
                      (y[1] == x[0] || (x[0] > INT64_MIN && y[1] == x[0] - 1));
        following += follows;
        n++;
    }
    range_at(s, most, i, k, x);
    return n <= MOST_RANGES && following + 1 >= n && (double)x[1] - (double)x[0] >= FEW_NUMBERS;
}

// Do two numbers among the arguments, the ends of a range, say how long each sibling takes, or that
// they are parts of one?
static bool has_ranges(const sibling_study *s, const sibling *x, const sibling *y)
{
    const trace *t = s->l->t;
    uint32_t n = count_places(t, s->predicate);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            int64_t a[2], b[2];
            if (range_at(s, x, i, k, a) && range_at(s, y, i, k, b) &&
                are_disjoint(a[0], a[1], b[0], b[1]) && all_are_ranges(s, x, i, k) &&
                (same_share(((double)a[1] - (double)a[0]) / ((double)b[1] - (double)b[0]),
                            (double)x->length / (double)y->length) ||
                 follow_each_other(s, x, i, k)))
                return true;
        }
    return false;
}

// Did one chain deal the items out to the longest sibling and to another of its group?
static bool have_one_dealer(const sibling_study *s, const sibling *most)
{
    uint32_t dealer = chain_near(s->l, most->supplier);
    for (size_t i = 0; dealer != IOT_NONE && i < s->siblings.n; i++) {
        const sibling *x = &s->siblings.at[i];
        if (x != most && x->group == most->group && x->items &&
            chain_near(s->l, x->supplier) == dealer)
            return true;
    }
    return false;
}

// Does another of the group get items of the same list? Then somebody divided the list. So it is,
// too, where one gets items that were picked out of a list and all others get none.
static bool have_one_source(const sibling_study *s, const sibling *most)
{
    uint32_t source = source_of(s->l, most->supplier), others = 0, empty = 0;
    for (size_t i = 0; source != IOT_NONE && i < s->siblings.n; i++) {
        const sibling *x = &s->siblings.at[i];
        if (x == most || x->group != most->group)
            continue;
        if (x->items && source_of(s->l, x->supplier) == source)
            return true;
        others++;
        empty += x->items == 0;
    }
    return others >= FEWEST_EMPTY && empty == others;
}

// Did goals of one predicate make the lists of the two, of ranges that follow each other? Then the
// ranges are shares of one, whatever their items take.
static bool are_neighbours(const loops *l, const sibling *x, const sibling *y)
{
    uint32_t a = chain_near(l, x->supplier), b = chain_near(l, y->supplier);
    if (a == IOT_NONE || b == IOT_NONE || a == b)
        return false;
    uint32_t g = trace_reduction_goal(l->t, l->chains.at[a].first);
    uint32_t h = trace_reduction_goal(l->t, l->chains.at[b].first);
    if (trace_goal_predicate(l->t, g) != trace_goal_predicate(l->t, h))
        return false;
    uint32_t n = count_places(l->t, trace_goal_predicate(l->t, g));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            int64_t lo, hi, low, high;
            bool numbers = number_at(l->t, g, i, &lo) && number_at(l->t, g, k, &hi) &&
                           number_at(l->t, h, i, &low) && number_at(l->t, h, k, &high) && lo < hi &&
                           low < high;
            if (numbers && (hi == low || hi == low - 1 || high == lo || high == lo - 1))
                return true;
        }
    return false;
}

static bool has_neighbour(const sibling_study *s, const sibling *most)
{
    for (size_t i = 0; i < s->siblings.n; i++) {
        const sibling *x = &s->siblings.at[i];
        if (x != most && x->group == most->group && x->items && are_neighbours(s->l, most, x))
            return true;
    }
    return false;
}

// Does who deals the items out wait for answers that the sibling gives to them? Then the items are
// orders to one who has a state, not shares of a work.
static bool answers_dealer(const sibling_study *s, const sibling *most)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t dealer = chain_near(l, most->supplier), number = (uint32_t)(most - s->siblings.at) + 1;
    uint64_t answers = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        if (s->owner[r] || chain_near(l, r) != dealer)
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
            uint32_t variable =
                s->owner[g->makers[i]] == number ? iot_variable_of_wait(l, r, i) : TRACE_NONE;
            answers += variable != TRACE_NONE && !s->owner[trace_cell_maker(l->t, variable)];
        }
    }
    return ANSWERED * answers > most->items;
}

// Have both a name, each another one? Then their lists may belong to what is called so.
static bool have_names(const loops *l, const sibling *x, const sibling *y)
{
    uint32_t a = trace_reduction_goal(l->t, x->first), b = trace_reduction_goal(l->t, y->first);
    uint32_t n = trace_get_predicate(l->t, trace_goal_predicate(l->t, a))->arity;
    for (uint32_t i = 0; i < n; i++) {
        trace_value v = trace_goal_arg(l->t, a, i), w = trace_goal_arg(l->t, b, i);
        if (v.kind == w.kind && (v.kind == TV_ATOM || v.kind == TV_STRING) && v.id != w.id)
            return true;
    }
    return false;
}

static bool has_small_items(const sibling *x)
{
    return x->items * ITEM_STEPS >= x->length ||
           (x->items > ITEM_PART && x->longest_got * ITEM_PART <= x->length);
}

// Whether the program itself decided who gets how much: by the lists that it fills from one source,
// by lists in its text, or by ranges. What one item or one number takes is no share, and goals of
// one body whose inputs have nothing to do with each other are no shares of one work.
static bool is_shared_out(const sibling_study *s, const even_plan *plan)
{
    const sibling *most = plan->most;
    bool in_loop = s->l->chain_of[loops_creator(s->l, most->first)] != IOT_NONE;
    if ((!in_loop || has_small_items(most)) && have_one_dealer(s, most))
        return !answers_dealer(s, most);
    if (most->items > 1 && have_one_source(s, most))
        return !answers_dealer(s, most);
    if (most->items > 1 && has_neighbour(s, most))
        return true;
    return (are_listed(most, plan->other) && !have_names(s->l, most, plan->other)) ||
           has_ranges(s, most, plan->other);
}

// ---------------------------------------------------------------------------------------------
// The candidate

// The clause that made the structure that tells the longest sibling its share, range(From, To); IOT_NONE:
// who called it, or nobody told it so.
static uint32_t share_clause(const sibling_study *s, const even_plan *plan)
{
    const trace *t = s->l->t;
    uint32_t x = trace_reduction_goal(t, plan->most->first);
    uint32_t y = trace_reduction_goal(t, plan->other->first);
    for (uint32_t i = 0; i < trace_get_predicate(t, s->predicate)->arity; i++) {
        trace_value v = iot_end_value(t, trace_goal_arg(t, x, i));
        trace_value w = iot_end_value(t, trace_goal_arg(t, y, i));
        if (!is_cell_kind(t, v, TC_STRUCT) || !is_cell_kind(t, w, TC_STRUCT) || v.id == w.id ||
            came_to_itself(s, plan->most, i))
            continue;
        uint32_t maker = trace_cell_maker(t, v.id), clause = iot_clause_near(s->l, maker);
        if (maker && clause == iot_clause_near(s->l, trace_cell_maker(t, w.id)))
            return clause;
    }
    return IOT_NONE;
}

static void place_uneven(const sibling_study *s, const even_plan *plan, candidate *x)
{
    const loops *l = s->l;
    const sibling *most = plan->most;
    uint32_t creator = iot_clause_near(l, l->g->parents[most->first]);
    bool by_items = has_small_items(most) && most->supplier;
    uint32_t supplier = by_items ? iot_clause_near(l, most->supplier) : IOT_NONE;
    uint32_t key = by_items ? key_clause(l, most->supplier) : IOT_NONE;
    uint32_t above = by_items ? iot_clause_near(l, l->g->parents[most->supplier]) : IOT_NONE;
    uint32_t share = by_items ? IOT_NONE : share_clause(s, plan);
    uint32_t clauses[] = {key, supplier, above, share, creator, trace_reduction_clause(l->t, most->first)};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        if (clauses[i] == IOT_NONE || trace_get_clause(l->t, clauses[i])->source == TRACE_NONE)
            continue;
        iot_location place = iot_clause_location(l->a, clauses[i]);
        if (x->clause == IOT_NONE) {
            x->clause = clauses[i];
            x->place = place;
        } else
            candidate_also(x, place);
    }
}

static void say_uneven(const sibling_study *s, const even_plan *plan, candidates *c)
{
    const loops *l = s->l;
    const sibling *most = plan->most;
    change_draft d = {0};
    draft_even(s, plan, &d);
    candidate *x = candidate_add(c, FINDING_UNEVEN);
    place_uneven(s, plan, x);
    x->reduction = most->first;
    x->change = draft_finish(&d);
    x->estimate = true;
    uint32_t goal = trace_reduction_goal(l->t, most->first);
    char *text = iot_goal_text(l->t, NULL, goal, trace_time(l->t, most->first), SHOWN_CELLS);
    char *site = iot_predicate_text(l->t, s->predicate);
    char *where = x->clause == IOT_NONE
                      ? base_copy("")
                      : iot_site_text(l->a, &(wait_site){.predicate = x->place.predicate,
                                                         .source = x->place.source,
                                                         .line = x->place.line});
    x->text =
        base_format("%s shares the work out unevenly: of %u goals of %s the longest, %s, takes "
                    "%u steps, the mean is %.0f",
                    where, plan->n, site, text, most->length, plan->of_mean);
    x->advice =
        base_format("change how %s shares the work out, so that all goals of %s get about as "
                    "much",
                    where, site);
    x->condition = base_copy("with equal shares");
    free(text);
    free(site);
    free(where);
}

static void study_predicate(const loops *l, uint32_t predicate, candidates *c)
{
    sibling_study s = {.l = l, .predicate = predicate};
    study_siblings(&s);
    if (s.siblings.n >= 2 && (double)s.ties <= tied * (double)s.siblings.n) {
        even_plan plan = plan_groups(&s);
        if (plan.most && is_shared_out(&s, &plan))
            say_uneven(&s, &plan, c);
        free(plan.mean);
    }
    free(s.owner);
    free(s.siblings.at);
}

void iot_find_uneven(const loops *l, candidates *c)
{
    uint32_t predicates[MOST_KINDS], n = critical_predicates(l, predicates);
    for (uint32_t i = 0; i < n; i++)
        study_predicate(l, predicates[i], c);
}
