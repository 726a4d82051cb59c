// SPDX-License-Identifier: MIT
//
// Appending again and again: a loop whose every step copies the list that the step before, or
// inside, has made. The price is the run with a difference list. A loop that calls itself several
// times, down a tree, copies at each level what the levels below have copied. Or goals of several
// predicates hand a list on from one to the next, and each of them copies it to put something at
// its end. To turn a list round twice copies it, too.
#include "iotree/findings/shapes.h"
#include "iotree/findings/steps.h"

#include "iotree/terms/values.h"

// The goals of the copying predicate that the members of each chain created, in order.
typedef struct {
    const loop_study *s;
    uint32_t predicate;
    ARRAY_OF(uint32_t) calls; // reductions, those of one chain together
    uint32_t *first, *n;      // by chain of the loop: where its calls are
} copy_calls;

static copy_calls find_calls(const loop_study *s, uint32_t predicate)
{
    const loops *l = s->l;
    copy_calls x = {.s = s, .predicate = predicate};
    x.first = base_allocate(l->chains.n, sizeof *x.first);
    x.n = base_allocate(l->chains.n, sizeof *x.n);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate)
            x.n[l->chain_of[l->g->parents[r]]]++;
    for (uint32_t i = 0, sum = 0; i < l->chains.n; i++) {
        x.first[i] = sum;
        sum += x.n[i];
        x.n[i] = 0;
    }
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate)
            ARRAY_PUSH(x.calls, 0);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate) {
            uint32_t chain = l->chain_of[l->g->parents[r]];
            x.calls.at[x.first[chain] + x.n[chain]++] = r;
        }
    return x;
}

// Where a list grows at its end from step to step, the cell at a place of it is there since the
// step that added it: the reduction after which it could be read. IOT_NONE: where it is made now.
static uint32_t added_by(const copy_calls *x, uint32_t r)
{
    const loops *l = x->s->l;
    uint32_t side = x->s->side[r], chain = l->chain_of[l->g->parents[side]];
    if (l->chain_of[side] != l->chain_of[r] || x->n[chain] == 0)
        return IOT_NONE;
    uint32_t first = x->calls.at[x->first[chain]];
    uint32_t before = l->chain_of[first] == IOT_NONE ? 0 : l->chains.at[l->chain_of[first]].n - 1;
    uint32_t place = l->position[r];
    if (place < before)
        return l->g->parents[l->chains.at[chain].first];
    if (place - before >= x->n[chain])
        return IOT_NONE;
    return l->g->parents[x->calls.at[x->first[chain] + place - before]];
}

// With a difference list nothing is copied, and who reads the list need not wait for its end.
static uint64_t draft_no_copies(const loop_study *s, const fold *f, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    copy_calls x = find_calls(s, s->links.at[f->first].predicate);
    bool grows = !s->links.at[f->first].inward;
    uint64_t copied = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        if (s->side[r] && loops_predicate(l, r) == x.predicate) {
            draft_reduction(d, r, grows ? added_by(&x, r) : IOT_NONE, 0);
            copied++;
        }
        for (uint64_t i = g->first[r]; grows && i < g->first[r + 1]; i++) {
            uint32_t chain = l->chain_of[g->makers[i]];
            if (chain != IOT_NONE && l->chains.at[chain].loop == s->loop && x.n[chain] &&
                !l->next[g->makers[i]])
                draft_wait(d, i, IOT_NONE);
        }
    }
    free(x.calls.at);
    free(x.first);
    free(x.n);
    return copied;
}

// The steps walk along the growing list, too: a list that is made once still is walked.
static void say_walker(const loops *l, candidate *x, uint32_t predicate, uint64_t steps)
{
    char *walker = iot_predicate_text(l->t, predicate), *text = x->text, *advice = x->advice;
    x->text = base_format("%s, and %s walks along %llu of its cells again", text, walker,
                          (unsigned long long)steps);
    x->advice = base_format("%s; and hand what %s finds to the next step, instead of the list",
                            advice, walker);
    free(x->condition);
    x->condition = base_copy("without both");
    free(walker);
    free(text);
    free(advice);
}

void iot_say_copying(const loop_study *s, const fold *f, candidates *c)
{
    const loops *l = s->l;
    uint32_t predicate = s->links.at[f->first].predicate;
    change_draft d = {0};
    uint64_t copied = draft_no_copies(s, f, &d), walked;
    uint32_t walker = iot_draft_walks_of_copies(s, predicate, &d, &walked);
    candidate *x = iot_add_loop_candidate(s, c, FINDING_COPYING, &d);
    char *loop = iot_loop_text(s, x->clause);
    char *copier = iot_predicate_text(l->t, predicate);
    x->text =
        base_format("%s calls %s on a list that %s has made the step %s: it copies %llu cells "
                    "in %llu calls",
                    loop, copier, copier, s->links.at[f->first].inward ? "inside" : "before",
                    (unsigned long long)copied, (unsigned long long)f->goals + 1);
    x->advice = base_format("build the list once: hand its open end to the next step (a difference "
                            "list), or add at the front, instead of %s",
                            copier);
    x->condition = base_copy("with a difference list");
    if (walker)
        say_walker(l, x, loops_predicate(l, walker), walked);
    free(loop);
    free(copier);
}

// ---------------------------------------------------------------------------------------------
// Copies at each level of a tree

enum {
    MOST_LOOPS = 16,             // that are looked at
    FEWEST_COPIES_OF_COPIES = 8, // cells
};
static const double worth_copying = 0.05; // share of the critical path

// What the goals of a loop copy.
typedef struct {
    const loops *l;
    uint32_t loop, *side;
    uint8_t *copiers; // by predicate: it only copies
    uint8_t *copying; // bits by reduction: it copies a cell for a goal of the loop
    uint32_t example; // a reduction that copies a copy
    uint64_t cells, copies_of_copies, calls;
} tree_copies;

// Was the cell that the reduction copies itself copied, for another goal of the loop?
static bool copies_a_copy(const tree_copies *x, uint32_t r)
{
    const wait_graph *g = x->l->g;
    uint32_t caller = g->parents[x->side[r]];
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t maker = g->makers[i];
        if (bit_get(x->copying, maker) && g->parents[x->side[maker]] != caller)
            return true;
    }
    return false;
}

static void find_tree_copies(tree_copies *x)
{
    const loops *l = x->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (!x->side[r] || !x->copiers[loops_predicate(l, r)])
            continue;
        bit_set(x->copying, r);
        x->cells++;
        x->calls += l->chain_of[r] != IOT_NONE && l->chains.at[l->chain_of[r]].first == r;
        if (copies_a_copy(x, r)) {
            x->copies_of_copies++;
            x->example = r;
        }
    }
}

// Is enough of the critical path spent on copies?
static bool copies_are_critical(const tree_copies *x)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < x->l->path.n; i++)
        steps += bit_get(x->copying, x->l->path.steps[i]);
    return steps >= worth_copying * x->l->path.n;
}

static void say_tree_copies(const tree_copies *x, candidates *c)
{
    const loops *l = x->l;
    change_draft d = {0};
    for (uint32_t r = 1; r < l->g->n; r++)
        if (bit_get(x->copying, r))
            draft_reduction(&d, r, IOT_NONE, 0);
    uint32_t caller = l->g->parents[x->side[x->example]];
    candidate *y =
        candidate_at(l->a, c, FINDING_COPYING, trace_reduction_clause(l->t, caller), caller);
    uint32_t near = iot_caller_clause(l, x->example);
    if (near != IOT_NONE)
        candidate_also(y, iot_clause_location(l->a, near));
    y->estimate = true;
    y->change = draft_finish(&d);
    char *by = iot_site_text(l->a, &l->g->all_sites[l->g->sites[y->reduction]]);
    char *copier = iot_predicate_text(l->t, loops_predicate(l, x->example));
    y->text = base_format("%s calls %s on a list that %s has made a level below: it copies %llu "
                          "cells in %llu calls, and %llu of these cells are copies",
                          by, copier, copier, (unsigned long long)x->cells,
                          (unsigned long long)x->calls, (unsigned long long)x->copies_of_copies);
    y->advice = base_format("build the list once: give %s the list that follows as an argument (a "
                            "difference list), instead of %s",
                            by, copier);
    y->condition = base_copy("with a difference list");
    free(by);
    free(copier);
}

static void propose_tree_copies(const loops *l, uint32_t loop, uint8_t *copiers, candidates *c)
{
    tree_copies x = {.l = l, .loop = loop, .copiers = copiers};
    x.side = iot_side_goals(l, loop);
    x.copying = bits_allocate(l->g->n);
    find_tree_copies(&x);
    if (x.copies_of_copies >= FEWEST_COPIES_OF_COPIES && copies_are_critical(&x))
        say_tree_copies(&x, c);
    free(x.side);
    free(x.copying);
}

// ---------------------------------------------------------------------------------------------
// A list that goes from goal to goal

enum { FEWEST_GENERATIONS = 8 }; // copies of copies of ...

// Lists that are copies of copies, by chain of a predicate that only copies.
typedef struct {
    const loops *l;
    uint8_t *copiers;
    uint32_t *generation; // by chain: how often what it copies was copied, itself included
    uint32_t deepest, calls;
    uint64_t cells;
    uint8_t *copying; // bits by reduction: it is of a chain that copies a copy
    uint32_t example; // the first of the chain in the middle
} generations;

// The cell with the same item that the reduction made of the one that it took; TRACE_NONE: none.
static uint32_t copy_of(const trace *t, uint32_t r, uint32_t taken)
{
    trace_value item = iot_end_value(t, trace_cell_arg(t, taken, 0));
    uint32_t end = trace_first_cell(t, r + 1);
    for (uint32_t cell = trace_first_cell(t, r); cell < end; cell++)
        if (trace_cell_get_kind(t, cell) == TC_CONS &&
            is_same_value(iot_end_value(t, trace_cell_arg(t, cell, 0)), item))
            return cell;
    return TRACE_NONE;
}

static void find_copies_of_copies(generations *x)
{
    const loops *l = x->l;
    uint32_t *copied = base_allocate(trace_ncells(l->t), sizeof *copied); // by cell: how often
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], taken = l->taken[r];
        if (chain == IOT_NONE || taken == IOT_NONE || !x->copiers[loops_predicate(l, r)])
            continue;
        uint32_t copy = copy_of(l->t, r, taken), own = copied[taken] + 1;
        if (copy == TRACE_NONE)
            continue;
        copied[copy] = own;
        if (own > x->generation[chain])
            x->generation[chain] = own;
        x->deepest = own > x->deepest ? own : x->deepest;
        x->cells += own > 1;
    }
    free(copied);
}

static void find_generations(generations *x)
{
    const loops *l = x->l;
    x->generation = base_allocate(l->chains.n, sizeof *x->generation);
    x->copying = bits_allocate(l->g->n);
    find_copies_of_copies(x);
    for (size_t i = 0; i < l->chains.n; i++) {
        if (x->generation[i] < 2)
            continue;
        x->calls++;
        for (uint32_t r = l->chains.at[i].first; r; r = l->next[r])
            bit_set(x->copying, r);
        if (2 * x->generation[i] <= x->deepest + 1)
            x->example = l->chains.at[i].first;
    }
}

// Steps of the critical path that are in walks or copies which the change leaves out.
static bool is_critical(const loops *l, const change_draft *d)
{
    uint8_t *spared = bits_allocate(l->g->n);
    uint32_t steps = 0;
    for (size_t i = 0; i < d->reductions.n; i++)
        bit_set(spared, d->reductions.at[i].reduction);
    for (uint32_t i = 0; i < l->path.n; i++)
        steps += bit_get(spared, l->path.steps[i]);
    free(spared);
    return steps >= worth_copying * l->path.n;
}

// The loop that is farthest above a reduction, but for the one that copies; IOT_NONE: none.
static uint32_t outermost_loop(const loops *l, uint32_t r)
{
    uint32_t own = l->chains.at[l->chain_of[r]].loop, found = IOT_NONE;
    while (r) {
        uint32_t chain = l->chain_of[r];
        if (chain != IOT_NONE && l->chains.at[chain].loop != own)
            found = l->chains.at[chain].loop;
        r = l->g->parents[chain == IOT_NONE ? r : l->chains.at[chain].first];
    }
    return found;
}

static void say_generations(const generations *x, uint32_t walker, uint64_t walked, change_draft *d,
                            candidates *c)
{
    const loops *l = x->l;
    uint32_t caller = iot_caller_clause(l, x->example);
    candidate *y = candidate_at(
        l->a, c, FINDING_COPYING,
        caller == IOT_NONE ? trace_reduction_clause(l->t, x->example) : caller, x->example);
    y->estimate = true;
    y->change = draft_finish(d);
    char *copier = iot_predicate_text(l->t, loops_predicate(l, x->example));
    char *by = iot_site_text(l->a, &(wait_site){.predicate = y->place.predicate,
                                                .source = y->place.source,
                                                .line = y->place.line});
    y->text = base_format("%s calls %s on a list that an earlier %s has made: it copies %llu cells "
                          "in %u calls, up to %u times the same one",
                          by, copier, copier, (unsigned long long)x->cells, x->calls, x->deepest);
    y->advice = base_format("build the list once: hand its open end on (a difference list), or add "
                            "at the front, instead of %s",
                            copier);
    y->condition = base_copy("with a difference list");
    if (walker) {
        candidate_also(y, iot_clause_location(l->a, iot_caller_clause(l, walker)));
        say_walker(l, y, loops_predicate(l, walker), walked);
    }
    free(copier);
    free(by);
}

static void propose_generations(const loops *l, uint8_t *copiers, candidates *c)
{
    generations x = {.l = l, .copiers = copiers};
    change_draft d = {0};
    find_generations(&x);
    uint32_t loop = x.deepest >= FEWEST_GENERATIONS ? outermost_loop(l, x.example) : IOT_NONE;
    if (loop != IOT_NONE) {
        loop_study s = {.l = l, .loop = loop, .side = iot_side_goals(l, loop)};
        uint64_t walked;
        for (uint32_t r = 1; r < l->g->n; r++)
            if (bit_get(x.copying, r))
                draft_reduction(&d, r, IOT_NONE, 0);
        uint32_t walker = iot_draft_walks_of_copies(&s, loops_predicate(l, x.example), &d, &walked);
        if (is_critical(l, &d))
            say_generations(&x, walker, walked, &d, c);
        free(s.side);
    }
    draft_free(&d);
    free(x.generation);
    free(x.copying);
}

void iot_find_tree_copies(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    uint8_t *copiers = base_allocate(trace_npredicates(l->t), 1);
    uint8_t *turners = base_allocate(trace_npredicates(l->t), 1); // those that turn a list, too
    bool any = false, copied = false;
    for (uint32_t p = 0; p < trace_npredicates(l->t); p++) {
        any |= copiers[p] = l->loop_of[p] != IOT_NONE && iot_only_copies(l->t, p);
        turners[p] = copiers[p] || (l->loop_of[p] != IOT_NONE && iot_only_turns(l->t, p));
    }
    for (uint32_t i = 0; any && i < n; i++)
        if (!iot_is_lopsided(l, l->biggest[looked[i]]))
            propose_tree_copies(l, looked[i], copiers, c);
    for (size_t i = 0; i < c->list.n; i++)
        copied |= c->list.at[i].kind == FINDING_COPYING;
    if (!copied)
        propose_generations(l, turners, c);
    free(copiers);
    free(turners);
}
