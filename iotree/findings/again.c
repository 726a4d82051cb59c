// SPDX-License-Identifier: MIT
//
// Work that is done again: a list that is walked from its front in every step of a loop, and a goal
// that every step calls with the same inputs. The price is the run in which only the first time
// costs anything.
#include "base/table.h"
#include "iotree/findings/late_items.h"
#include "iotree/findings/shapes.h"
#include "iotree/findings/steps.h"

#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 16,
    FEWEST_WALKS = 4,
    FEWEST_CALLS = 4,
    SHORTEST_WALK = 6, // steps, on the mean: what replaces the walk takes some, too
    SHORTEST_COUNT = 3, // the same of walks that count: the next count is known without one
    MOST_NEW = 2,       // cells that were put in front since the last count
    MOST_ARGUMENTS = 32,
    MOST_CALLS = 1 << 16, // of one loop
};
static const double worth_it = 0.05; // share of the critical path

// ---------------------------------------------------------------------------------------------
// Walks

typedef struct {
    const loops *l;
    uint32_t loop;
    const uint8_t *takes;
    uint32_t *origins; // by cell: the cell of which it is a copy, plus one; 0: of none
    uint8_t *walked;   // bits by cell
    uint8_t *starts;   // bits by cell: walks began there
    uint8_t *again;    // bits by reduction: members of the loop that walk where one walked before
    uint32_t *copied;  // by chain: members that made a copy of the cell that they took
    uint64_t nagain;
    bool asks; // for something: else all walks along one list find the same, as its length
} walk_study;

// Does a clause of a loop do nothing but go on: no goals but the loop's and counters?
static bool only_walks(const loops *l, uint32_t loop, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_GOAL && l->loop_of[item->predicate] != loop &&
            !iot_is_counter(l->t, c, i))
            return false;
    }
    return iot_guards_only_count(l->t, c);
}

static bool is_in_head(const trace_clause *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->npatterns; i++)
        if (c->patterns[i].kind == TN_CONS && iot_is_made_again(c, i, node))
            return true;
    return false;
}

// A cell that is not one of the head's.
static bool makes_a_cell(const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nnodes; i++)
        if (c->nodes[i].kind == TN_CONS && !is_in_head(c, i))
            return true;
    return false;
}

static bool is_variable_pattern(const trace_node *p)
{
    return p->kind == TN_HOLE || p->kind == TN_FRESH;
}

static bool is_arithmetic(const char *name)
{
    static const char *const names[] = {"+",   "-",   "*",   "/",   "//",  "mod", "rem",
                                        "min", "max", "abs", "/\\", "\\/", "xor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

// Where the variables of a guard come from, and whether it computes with them.
typedef struct {
    bool item, query, computes;
} guard_look;

static void look_at_guard(const trace *t, const trace_clause *c, const trace_guard *g,
                          const uint8_t *of_item, guard_look *look)
{
    ARRAY_OF(uint32_t) stack = {0};
    for (uint32_t k = 0; k < g->n; k++)
        ARRAY_PUSH(stack, c->pattern_children[g->first + k]);
    while (stack.n) {
        uint32_t p = stack.at[--stack.n];
        const trace_node *node = &c->patterns[p];
        look->item |= is_variable_pattern(node) && of_item[p];
        look->query |= is_variable_pattern(node) && !of_item[p];
        look->computes |=
            node->kind == TN_STRUCT && is_arithmetic(trace_string(t, node->value.id, NULL));
        for (uint32_t k = 0; k < node->n; k++)
            ARRAY_PUSH(stack, c->pattern_children[node->first + k]);
    }
    free(stack.at);
}

// Bytes by pattern: it is a variable that is in the first item of the argument's list.
static uint8_t *variables_of_item(const trace_clause *c, uint32_t argument)
{
    uint8_t *of = base_allocate(c->npatterns, 1);
    uint32_t list = c->head[argument];
    of[c->pattern_children[c->patterns[list].first]] = 1;
    for (uint32_t i = list; i-- > 0;)
        for (uint32_t k = 0; of[i] && k < c->patterns[i].n; k++)
            of[c->pattern_children[c->patterns[i].first + k]] = 1;
    for (uint32_t k = 0; k < list; k++)
        for (uint32_t i = 0; of[k] && is_variable_pattern(&c->patterns[k]) && i < c->npatterns; i++)
            of[i] |= c->patterns[i].kind == c->patterns[k].kind &&
                     c->patterns[i].index == c->patterns[k].index;
    return of;
}

// Does a guard compute with the item and with what the walk asks for (N mod P, P - Q)? Then every
// item has to be looked at, whatever it is kept in: the walk is work, no search for a place.
static bool computes_with_items(const trace *t, const trace_clause *c, uint32_t argument)
{
    uint8_t *of_item = variables_of_item(c, argument);
    bool computes = false;
    for (uint32_t i = 0; i < c->nguards && !computes; i++) {
        guard_look look = {0};
        look_at_guard(t, c, &c->guards[i], of_item, &look);
        computes = look.item && look.query && look.computes;
    }
    free(of_item);
    return computes;
}

// Does the clause decide by anything but the list?
static bool asks_for_something(const walk_study *w, const trace_clause *c, uint32_t list)
{
    for (uint32_t i = 0; i < c->nguards; i++) {
        const char *name = trace_string(w->l->t, c->guards[i].name, NULL);
        if (strcmp(name, ":=") != 0 && !iot_is_type_test(name))
            return true;
    }
    for (uint32_t i = 0; i < c->nhead; i++)
        if (i != list && !is_variable_pattern(&c->patterns[c->head[i]]))
            return true;
    return false;
}

// A loop that looks for something in a list. What passes all items on as they come is none.
static bool is_walker(walk_study *w)
{
    const trace *t = w->l->t;
    bool walks = false, searches = false, makes = false;
    w->asks = false;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (w->l->loop_of[c->predicate] != w->loop)
            continue;
        bool goes_on = false;
        if (w->takes[i] && computes_with_items(t, c, w->takes[i] - 1))
            return false;
        for (uint32_t k = 0; k < c->nitems; k++)
            goes_on |=
                c->items[k].kind == TI_GOAL && w->l->loop_of[c->items[k].predicate] == w->loop;
        if (goes_on && (!w->takes[i] || !only_walks(w->l, w->loop, c)))
            return false;
        walks |= goes_on;
        searches |= goes_on && c->nguards > 0;
        w->asks |= goes_on && asks_for_something(w, c, w->takes[i] - 1);
        makes |= goes_on && makes_a_cell(c);
    }
    return walks && (searches || !makes);
}

static uint32_t origin_of(const walk_study *w, uint32_t cell)
{
    return w->origins[cell] ? w->origins[cell] - 1 : cell;
}

// The one cell of a list that a reduction made; IOT_NONE: none, or several.
static uint32_t cell_made(const trace *t, uint32_t r)
{
    uint32_t found = IOT_NONE, end = trace_first_cell(t, r + 1);
    for (uint32_t cell = trace_first_cell(t, r); cell < end; cell++) {
        if (trace_cell_get_kind(t, cell) != TC_CONS)
            continue;
        if (found != IOT_NONE)
            return IOT_NONE;
        found = cell;
    }
    return found;
}

// Does the body make again what the head took: the same variable, or a structure of the same ones?
static bool same_text(const trace_clause *c, uint32_t pattern, uint32_t node)
{
    const trace_node *p = &c->patterns[pattern], *n = &c->nodes[node];
    if (p->kind != n->kind || p->n != n->n || (p->kind == TN_HOLE && p->index != n->index))
        return false;
    if (p->kind != TN_STRUCT)
        return p->kind == TN_HOLE;
    if (p->value.id != n->value.id)
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        const trace_node *x = &c->patterns[c->pattern_children[p->first + i]];
        const trace_node *y = &c->nodes[c->children[n->first + i]];
        if (x->kind != TN_HOLE || y->kind != TN_HOLE || x->index != y->index)
            return false;
    }
    return true;
}

static bool is_same_hole(const trace_node *x, const trace_node *y)
{
    return x->kind == TN_HOLE && y->kind == TN_HOLE && x->index == y->index;
}

// Does the clause put the item before into the new cell, and hand this one to the next step? So does
// who takes the last item off: p(W, [V|Vs], ...) :- Rest = [W|Rest1], p(V, Vs, ...).
static bool copies_item_before(const trace_clause *c, uint32_t item, const trace_node *made)
{
    for (uint32_t i = 0; i < c->nhead; i++) {
        if (!is_same_hole(&c->patterns[c->head[i]], made))
            continue;
        for (uint32_t k = 0; k < c->nitems; k++)
            if (c->items[k].kind == TI_GOAL && c->items[k].predicate == c->predicate &&
                i < c->items[k].n &&
                is_same_hole(&c->patterns[item], &c->nodes[c->children[c->items[k].first + i]]))
                return true;
    }
    return false;
}

// Bytes by clause: it takes a list apart and makes a cell with the same item, or with the one before.
static uint8_t *copying_clauses(const trace *t, const uint8_t *takes)
{
    uint8_t *copies = base_allocate(trace_nclauses(t), 1);
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (!takes[i])
            continue;
        uint32_t item = c->pattern_children[c->patterns[c->head[takes[i] - 1]].first];
        for (uint32_t k = 0; k < c->nnodes; k++)
            copies[i] |= c->nodes[k].kind == TN_CONS &&
                         (same_text(c, item, c->children[c->nodes[k].first]) ||
                          copies_item_before(c, item, &c->nodes[c->children[c->nodes[k].first]]));
    }
    return copies;
}

// Follows the cells through all loops that copy a list, be it that they change some of its items.
static void find_origins(walk_study *w)
{
    const loops *l = w->l;
    w->origins = base_allocate(trace_ncells(l->t), sizeof *w->origins);
    w->copied = base_allocate(l->chains.n, sizeof *w->copied);
    uint8_t *copies = copying_clauses(l->t, w->takes);
    uint8_t *copiers = bits_allocate(trace_npredicates(l->t));
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++)
        if (copies[i])
            bit_set(copiers, trace_get_clause(l->t, i)->predicate);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t taken, made;
        if (l->chain_of[r] == IOT_NONE || (taken = l->taken[r]) == IOT_NONE ||
            (made = cell_made(l->t, r)) == IOT_NONE)
            continue;
        if (bit_get(copiers, loops_predicate(l, r)))
            w->origins[made] = origin_of(w, taken) + 1;
        w->copied[l->chain_of[r]] += copies[trace_reduction_clause(l->t, r)];
    }
    free(copiers);
    free(copies);
}

// Whether this walk of a loop that makes a new list is like one before: it begins at the same
// place, and most of the new list is a copy.
static bool is_like_before(walk_study *w, uint32_t chain, uint32_t start)
{
    const trace *t = w->l->t;
    bool before = bit_get(w->starts, start);
    bit_set(w->starts, start);
    uint32_t first = w->l->chains.at[chain].first;
    if (cell_made(t, first) == IOT_NONE ||
        !makes_a_cell(trace_get_clause(t, trace_reduction_clause(t, first))))
        return true;
    return before && 2 * (uint64_t)w->copied[chain] >= w->l->chains.at[chain].n;
}

static void walk_chain(walk_study *w, uint32_t chain)
{
    const loops *l = w->l;
    uint32_t first = l->chains.at[chain].first, cell = l->taken[first];
    if (cell == IOT_NONE)
        return;
    bool like = is_like_before(w, chain, origin_of(w, cell)), all = like && !w->asks;
    uint32_t new = 0, old = 0;
    for (uint32_t r = first; r; r = l->next[r]) {
        cell = l->taken[r];
        if (cell == IOT_NONE)
            continue;
        cell = origin_of(w, cell);
        bool known = bit_get(w->walked, cell);
        all = all && (known || old == 0);
        new += !known;
        old += known;
        if (like && r != first && bit_get(w->walked, cell)) {
            bit_set(w->again, r);
            w->nagain++;
        }
        bit_set(w->walked, cell);
    }
    // From the first step to the end of the list, also where items were put in front.
    for (uint32_t r = first; all && old > 0 && new <= MOST_NEW && r; r = l->next[r])
        bit_set(w->again, r);
}

// Steps of the critical path that walk again, and how many walks they are of.
static uint32_t critical_again(const walk_study *w, uint32_t *ret_walks, uint32_t *ret_example)
{
    const loops *l = w->l;
    uint32_t steps = 0, walks = 0, last = IOT_NONE;
    for (uint32_t i = 0; i < l->path.n; i++) {
        uint32_t r = l->path.steps[i];
        if (l->chain_of[r] == IOT_NONE && r)
            r = l->g->parents[r];
        if (!r || !bit_get(w->again, r))
            continue;
        steps++;
        walks += l->chain_of[r] != last;
        last = l->chain_of[r];
        *ret_example = r;
    }
    *ret_walks = walks;
    return steps;
}

// The reduction after which a cell could be there: what is put behind a copy is known when the
// copying begins. IOT_NONE: where it was made.
static uint32_t known_since(const loops *l, const walk_study *w, uint32_t cell)
{
    uint32_t maker = trace_cell_maker(l->t, cell), chain = l->chain_of[maker];
    if (chain != IOT_NONE && !l->next[maker] && w->copied[chain])
        return l->g->parents[l->chains.at[chain].first];
    return IOT_NONE;
}

// A reader that comes to the end of a copy: the end was known when the copying began.
static void draft_copied_end(const loops *l, const walk_study *w, uint32_t r, change_draft *d)
{
    const wait_graph *g = l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t chain = l->chain_of[g->makers[i]];
        if (chain == IOT_NONE || !w->copied[chain])
            continue;
        uint32_t begun = g->parents[l->chains.at[chain].first];
        draft_wait(d, i, begun ? begun : IOT_NONE);
    }
}

// What a walk finds again is known since the first walk: it does not wait for a copy that is made
// meanwhile, but for the cell of which it is a copy.
static void draft_copied_cell(const loops *l, const walk_study *w, uint32_t r, change_draft *d)
{
    const wait_graph *g = l->g;
    uint32_t cell = l->taken[r];
    if (cell == IOT_NONE) {
        draft_copied_end(l, w, r, d);
        return;
    }
    uint32_t copier = trace_cell_maker(l->t, cell), first = origin_of(w, cell);
    uint32_t original = known_since(l, w, first);
    if (original == IOT_NONE && first == cell)
        return;
    original = original == IOT_NONE ? trace_cell_maker(l->t, first) : original;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (g->makers[i] == copier)
            draft_wait(d, i, original ? original : IOT_NONE);
}

static void draft_walks(const walk_study *w, const uint8_t *again, change_draft *d)
{
    const loops *l = w->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        bool after = bit_get(again, l->g->parents[r]);
        if (bit_get(again, r) || (after && l->chain_of[r] == IOT_NONE))
            draft_reduction(d, r, IOT_NONE, 0);
        if (bit_get(again, r) || (after && l->chain_of[r] != IOT_NONE))
            draft_copied_cell(l, w, r, d);
    }
}

// Walks by several loops that are called from one loop are of one cause.
typedef struct {
    uint32_t caller;  // a clause
    uint32_t loop;    // that the caller's predicate is in, or IOT_NONE
    uint32_t example; // a reduction
    uint32_t steps;   // of the critical path
    uint32_t walks;
    uint64_t nagain;
    uint8_t *again;
    bool counts; // some only count
    ARRAY_OF(uint32_t) walkers; // clauses
} walk_group;

typedef ARRAY_OF(walk_group) walk_groups;

// Does the caller do nothing but count and hand the number on to the next goal? Then nothing is left
// for it to do.
static bool only_counts(const walk_study *s, const walk_group *w)
{
    const trace *t = s->l->t;
    const trace_clause *c = trace_get_clause(t, w->caller);
    uint32_t clauses = 0, walks = 0;
    for (uint32_t i = 0; i < trace_nclauses(t); i++)
        clauses += trace_get_clause(t, i)->predicate == c->predicate;
    for (uint32_t i = 0; i < c->nitems; i++)
        for (size_t k = 0; k < w->walkers.n && c->items[i].kind == TI_GOAL; k++)
            walks += trace_get_clause(t, w->walkers.at[k])->predicate == c->items[i].predicate;
    return w->counts && clauses == 1 && c->nguards == 0 && c->nitems == 2 && walks == 1;
}

static void draft_callers(const walk_study *s, const walk_group *w, change_draft *d)
{
    bool nothing_left = only_counts(s, w);
    for (uint32_t r = 1; nothing_left && r < s->l->g->n; r++)
        if (trace_reduction_clause(s->l->t, r) == w->caller)
            draft_reduction(d, r, IOT_NONE, 0);
}

static void say_walks(const walk_study *s, walk_group *w, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    draft_walks(s, w->again, &d);
    draft_callers(s, w, &d);
    candidate *x = candidate_at(l->a, c, FINDING_COPYING, w->caller, w->example);
    for (size_t i = 0; i < w->walkers.n; i++)
        candidate_also(x, iot_clause_location(l->a, w->walkers.at[i]));
    x->estimate = true;
    x->change = draft_finish(&d);
    char *by = iot_site_text(l->a, &l->g->all_sites[l->g->sites[w->example]]);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    char *place = iot_place_text(l->t, x->place.source, x->place.line);
    x->text = base_format("%s%s has %s walk the same list again and again: %llu of the steps of %u "
                          "walks go over cells that an earlier walk went over",
                          name, place, by, (unsigned long long)w->nagain, w->walks);
    x->advice =
        base_format("hand on what the last walk found (the rest of the list, or its length), "
                    "or keep the items in a vector, where each is one step away");
    x->condition = base_copy("with one walk");
    free(by);
    free(name);
    free(place);
}

static void join_walks(walk_groups *groups, const walk_study *w, uint32_t example, uint32_t steps)
{
    const loops *l = w->l;
    uint32_t caller = iot_caller_clause(l, example), walker = trace_reduction_clause(l->t, example);
    caller = caller == IOT_NONE ? walker : caller;
    uint32_t loop = l->loop_of[trace_get_clause(l->t, caller)->predicate];
    size_t i = 0, bytes = (size_t)l->g->n / 8 + 1;
    while (i < groups->n && (loop == IOT_NONE || groups->at[i].loop != loop))
        i++;
    if (i == groups->n)
        ARRAY_PUSH(*groups,
                   (walk_group){.caller = caller, .loop = loop, .again = bits_allocate(l->g->n)});
    walk_group *group = &groups->at[i];
    for (size_t k = 0; k < bytes; k++)
        group->again[k] |= w->again[k];
    ARRAY_PUSH(group->walkers, walker);
    group->nagain += w->nagain;
    group->counts |= !w->asks;
    for (uint32_t k = 0; k < l->chains.n; k++)
        group->walks += l->chains.at[k].loop == w->loop;
    if (steps > group->steps) {
        group->steps = steps;
        group->example = example;
        group->caller = caller;
    }
}

// Which members of the loop walk where one walked before.
static void begin_walks(walk_study *w)
{
    const loops *l = w->l;
    w->walked = bits_allocate(trace_ncells(l->t));
    w->starts = bits_allocate(trace_ncells(l->t));
    w->again = bits_allocate(l->g->n);
    w->nagain = 0;
    for (uint32_t i = 0; i < l->chains.n; i++)
        if (l->chains.at[i].loop == w->loop)
            walk_chain(w, i);
}

static void end_walks(walk_study *w)
{
    free(w->walked);
    free(w->starts);
    free(w->again);
}

static void study_walks(walk_study *w, walk_groups *groups)
{
    const loops *l = w->l;
    uint32_t walks = 0, example = 0;
    begin_walks(w);
    uint32_t steps = w->nagain ? critical_again(w, &walks, &example) : 0;
    uint32_t shortest = w->asks ? SHORTEST_WALK : SHORTEST_COUNT;
    if (walks >= FEWEST_WALKS && steps >= shortest * walks && steps >= worth_it * l->path.n)
        join_walks(groups, w, example, steps);
    end_walks(w);
}

static void find_walks(const loops *l, const uint32_t *looked, uint32_t n, candidates *c)
{
    uint8_t *takes = iot_list_arguments(l->t);
    walk_study w = {.l = l, .takes = takes};
    walk_groups groups = {0};
    for (uint32_t i = 0; i < n; i++) {
        w.loop = looked[i];
        if (!is_walker(&w))
            continue;
        if (!w.origins)
            find_origins(&w);
        study_walks(&w, &groups);
    }
    for (size_t i = 0; i < groups.n; i++) {
        say_walks(&w, &groups.at[i], c);
        free(groups.at[i].again);
        free(groups.at[i].walkers.at);
    }
    free(groups.at);
    free(w.origins);
    free(w.copied);
    free(takes);
}

// The members of a walker's loop that walk again in goals of this loop; 0: fewer than half of them
// along copies.
static uint64_t count_walks_of_copies(const walk_study *w, const loop_study *s, uint32_t copier,
                                      uint32_t *ret_example)
{
    const loops *l = w->l;
    uint64_t walks = 0, copies = 0;
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (!s->side[r] || !bit_get(w->again, r) || l->taken[r] == IOT_NONE)
            continue;
        uint32_t maker = trace_cell_maker(l->t, l->taken[r]);
        walks++;
        copies += maker && loops_predicate(l, maker) == copier;
        *ret_example = r;
    }
    return 2 * copies >= walks ? walks : 0;
}

// What all walks along a list find alike (its end, its length) the loop hands on: no walk is left,
// nor the goal that began it. Who asks for something walks along what is new.
static void draft_walks_of_copies(const walk_study *w, const loop_study *s, change_draft *d)
{
    const loops *l = w->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], parent = l->g->parents[r];
        if (!s->side[r] || chain == IOT_NONE || l->chains.at[chain].loop != w->loop ||
            (w->asks && !bit_get(w->again, r)))
            continue;
        draft_reduction(d, r, IOT_NONE, 0);
        if (!w->asks && s->side[parent] == parent)
            draft_reduction(d, parent, IOT_NONE, 0);
    }
}

uint32_t iot_draft_walks_of_copies(const loop_study *s, uint32_t copier, change_draft *d,
                                   uint64_t *ret_steps)
{
    const loops *l = s->l;
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS), example = 0;
    uint8_t *takes = iot_list_arguments(l->t);
    walk_study w = {.l = l, .takes = takes};
    *ret_steps = 0;
    for (uint32_t i = 0; i < n; i++) {
        w.loop = looked[i];
        if (w.loop == s->loop || w.loop == l->loop_of[copier] || !is_walker(&w))
            continue;
        if (!w.origins)
            find_origins(&w);
        begin_walks(&w);
        uint64_t steps = count_walks_of_copies(&w, s, copier, &example);
        if (steps)
            draft_walks_of_copies(&w, s, d);
        *ret_steps += steps;
        end_walks(&w);
    }
    free(w.origins);
    free(w.copied);
    free(takes);
    return *ret_steps ? example : 0;
}

// ---------------------------------------------------------------------------------------------
// Calls

typedef struct {
    uint32_t chain, item, predicate;
    uint32_t goal;   // the reduction of the side goal
    uint64_t inputs; // a hash of what it was called with; 0: none, or no output
} call;

static int by_item(const void *x, const void *y)
{
    const call *a = x, *b = y;
    if (a->predicate != b->predicate)
        return a->predicate < b->predicate ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    if (a->chain != b->chain)
        return a->chain < b->chain ? -1 : 1;
    return a->goal < b->goal ? -1 : a->goal > b->goal;
}

// Is this argument an output: a variable that the goal or what it called bound, or that nobody did?
static bool is_output(const trace *t, const uint32_t *side, uint32_t goal, trace_value v)
{
    if (!is_variable(t, v))
        return false;
    uint32_t binding = trace_cell_binding(t, v.id);
    return binding == TRACE_NONE || side[trace_binding_maker(t, binding)] == goal;
}

// A hash of the inputs: the same variables and constants. What comes anew may only happen to be
// alike.
static uint64_t hash_inputs(const loops *l, const uint32_t *side, uint32_t r)
{
    const trace *t = l->t;
    uint32_t goal = trace_reduction_goal(t, r), outputs = 0, inputs = 0;
    uint32_t n = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    trace_value args[MOST_ARGUMENTS];
    uint64_t hash = 1;
    if (n > MOST_ARGUMENTS)
        return 0;
    trace_goal_args(t, goal, args);
    for (uint32_t i = 0; i < n; i++) {
        trace_value v = args[i];
        if (is_output(t, side, r, v)) {
            outputs++;
            continue;
        }
        inputs++;
        hash = hash_word(hash_word(hash, i << 3 | v.kind), value_word(v));
    }
    return outputs > 0 && inputs > 0 ? hash | 1 : 0;
}

// Bits by side goal: it reads what others put into terms that it made itself, as a worker does who
// asks for the next job. Then its inputs are more than its arguments.
static uint8_t *goals_that_ask(const loops *l, const uint32_t *side)
{
    const trace *t = l->t;
    uint8_t *asks = bits_allocate(l->g->n);
    for (uint32_t r = 1; r < l->g->n; r++) {
        const uint32_t *reads;
        uint32_t n = side[r] ? trace_reads(t, r, &reads) : 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t binding = trace_cell_binding(t, reads[i]);
            if (binding != TRACE_NONE && side[trace_cell_maker(t, reads[i])] == side[r] &&
                side[trace_binding_maker(t, binding)] != side[r])
                bit_set(asks, side[r]);
        }
    }
    return asks;
}

static void say_calls(const loops *l, const uint32_t *side, const call *calls, size_t n,
                      uint64_t steps, const uint8_t *repeated, candidates *c)
{
    change_draft d = {0};
    for (uint32_t r = 1; r < l->g->n; r++)
        if (side[r] && bit_get(repeated, side[r]))
            draft_reduction(&d, r, IOT_NONE, 0);
    candidate *x = candidate_add(c, FINDING_REPEATED);
    x->reduction = calls[n / 2].goal;
    x->clause = trace_reduction_clause(l->t, l->g->parents[x->reduction]);
    x->place = iot_clause_location(l->a, x->clause);
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, x->reduction)));
    x->estimate = true;
    x->change = draft_finish(&d);
    char *by = iot_predicate_text(l->t, calls[0].predicate);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    char *place = iot_place_text(l->t, x->place.source, x->place.line);
    x->text = base_format("%s%s calls %s %zu times with the same inputs: %.1f reductions each time",
                          name, place, by, n, (double)steps / (double)n);
    x->advice = base_format(
        "call %s once before the loop, and hand the result to %s as an argument", by, name);
    x->condition = base_copy("called once");
    free(by);
    free(name);
    free(place);
}

// Goals of one item of the loop's clauses.
static void study_calls(const loops *l, const uint32_t *side, const call *calls, size_t n,
                        candidates *c)
{
    uint8_t *repeated = bits_allocate(l->g->n);
    uint64_t times = 0, steps = 0, critical = 0;
    for (size_t i = 1; i < n; i++)
        if (calls[i].chain == calls[i - 1].chain && calls[i].inputs &&
            calls[i].inputs == calls[i - 1].inputs) {
            bit_set(repeated, calls[i].goal);
            times++;
        }
    for (uint32_t r = 1; times && r < l->g->n; r++)
        steps += side[r] && bit_get(repeated, side[r]);
    for (uint32_t i = 0; times && i < l->path.n; i++) {
        uint32_t r = l->path.steps[i];
        critical += side[r] && bit_get(repeated, side[r]);
    }
    if (times >= FEWEST_CALLS && 5 * times >= 4 * (n - 1) && critical >= worth_it * l->path.n)
        say_calls(l, side, calls, n, steps, repeated, c);
    free(repeated);
}

// Could the text alone hand on the same inputs in every step? Its arguments are variables and
// constants, as they are.
static bool may_repeat(const loops *l, uint32_t r)
{
    uint32_t item = loops_item(l, r);
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, l->g->parents[r]));
    if (c->dynamic || item == TRACE_NONE)
        return false;
    const trace_item *i = &c->items[item];
    uint32_t outputs = 0, inputs = 0;
    for (uint32_t k = 0; k < i->n; k++) {
        trace_node_kind kind = c->nodes[c->children[i->first + k]].kind;
        if (kind != TN_HOLE && kind != TN_CONST && kind != TN_FRESH)
            return false;
        outputs += kind == TN_FRESH;
        inputs += kind == TN_HOLE;
    }
    return outputs > 0 && inputs > 0;
}

static void find_calls(const loops *l, uint32_t loop, candidates *c)
{
    uint32_t *side = iot_side_goals(l, loop);
    uint8_t *asks = goals_that_ask(l, side);
    ARRAY_OF(call) calls = {0};
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t p = loops_predicate(l, r), chain = l->chain_of[l->g->parents[r]];
        if (side[r] == r && chain != IOT_NONE &&
            trace_get_predicate(l->t, p)->origin != TRACE_BUILTIN && calls.n < MOST_CALLS &&
            may_repeat(l, r) && !bit_get(asks, r))
            ARRAY_PUSH(calls, (call){chain, loops_item(l, r), p, r, hash_inputs(l, side, r)});
    }
    if (calls.n)
        qsort(calls.at, calls.n, sizeof *calls.at, by_item);
    for (size_t i = 0, first = 0; i < calls.n; i++) {
        const call *x = &calls.at[i];
        if (i + 1 < calls.n && x[1].predicate == x->predicate && x[1].item == x->item)
            continue;
        study_calls(l, side, &calls.at[first], i + 1 - first, c);
        first = i + 1;
    }
    free(calls.at);
    free(asks);
    free(side);
}

void iot_find_again(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    find_walks(l, looked, n, c);
    for (uint32_t i = 0; i < n; i++)
        if (l->chains.at[l->biggest[looked[i]]].n > FEWEST_CALLS)
            find_calls(l, looked[i], c);
}
