// SPDX-License-Identifier: MIT
//
// Finds which variables goals wait for and which other waiting goal could bind them. This separates
// causes from consequences.
#include "fleng/explain/waiting_goals.h"

#include "vm/look.h"

#include <stdlib.h>

enum {
    SEARCHED = 8000000,    // cells looked at for who else holds a variable
    SEARCHED_EACH = 50000, // in the arguments of one goal
    ASKED = 2000000,       // goals that are asked what they wait for
    FAR = 1 << 30,         // depth of the others: they are not shown before those
    TOLD_APART = 4096,     // goals that are ordered by their text where nothing else does
};

// ---- Order --------------------------------------------------------------------------------------

typedef struct {
    vm_goal *goal;
    uint32_t source, line, column, number;
    const char *text;
} ordered;

static int by_place(const void *left, const void *right)
{
    const ordered *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->text, b->text);
}

// By place, then by age; plain runs know no age, and there the text decides, so that the order is
// the same for any number of workers.
static void put_in_order(fl_waiting_goals *w)
{
    fl_report_context *c = w->context;
    ordered *all = vm_alloc((w->ngoals + 1) * sizeof *all);
    for (size_t i = 0; i < w->ngoals; i++) {
        vm_goal *goal = w->goals[i];
        all[i] = (ordered){.goal = goal, .text = "", .number = vm_goal_number(c->machine, goal)};
        if (goal->site.clause < c->code->nclauses) {
            const vm_clause *clause = c->code->clauses[goal->site.clause];
            bool item = goal->site.index < clause->nitems;
            all[i].source = clause->source;
            all[i].line = item ? clause->sites[goal->site.index].line : clause->line;
            all[i].column = item ? clause->sites[goal->site.index].column : clause->column;
        }
        if (w->ngoals > TOLD_APART)
            continue;
        fl_report_context alone = *c;
        alone.namer = (fl_namer){.code = c->code, .plain = true};
        all[i].text = fl_goal_text(&alone, goal);
    }
    qsort(all, w->ngoals, sizeof *all, by_place);
    for (size_t i = 0; i < w->ngoals; i++)
        w->goals[i] = all[i].goal;
}

// ---- What the goals wait for --------------------------------------------------------------------

static uint32_t number_of(fl_waiting_goals *w, const vm_var *v)
{
    uintptr_t known = fl_look_up_address(&w->numbers, v);
    if (known)
        return (uint32_t)known - 1;
    FL_PUSH(w->awaited, (fl_awaited){.variable = v, .holder = FL_NOBODY});
    fl_enter_address(&w->numbers, v, w->awaited.n);
    return w->awaited.n - 1;
}

static void ask(fl_waiting_goals *w, uint32_t goal)
{
    fl_wait_state *state = &w->states[goal];
    size_t n;
    vm_var **variables = vm_goal_waits(w->context->machine, w->goals[goal], &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = number_of(w, variables[i]);
        bool listed = false;
        for (uint32_t k = 0; k < state->nwaits; k++)
            listed |= state->waits[k] == number;
        if (!listed && state->nwaits < FL_MOST_WAITS)
            state->waits[state->nwaits++] = number;
        else
            state->more += !listed;
    }
}

// ---- Who else holds the variables ---------------------------------------------------------------

static bool waits_for(fl_waiting_goals *w, uint32_t goal, uint32_t number)
{
    const fl_wait_state *state = &w->states[goal];
    for (uint32_t k = 0; k < state->nwaits; k++)
        if (state->waits[k] == number)
            return true;
    if (state->more == 0 && goal < ASKED)
        return false;
    size_t n;
    vm_var **variables = vm_goal_waits(w->context->machine, w->goals[goal], &n);
    for (size_t i = 0; i < n; i++)
        if (variables[i] == w->awaited.at[number].variable)
            return true;
    return false;
}

typedef ARRAY_OF(vm_word) word_stack;

static void push_parts(word_stack *stack, vm_word t)
{
    for (int64_t i = vm_arguments(t); i > 0; i--)
        FL_PUSH(*stack, vm_argument(t, (uint32_t)i - 1));
}

// Looks through the arguments of one goal; returns how many cells that took.
static size_t search_goal(fl_waiting_goals *w, uint32_t goal, word_stack *stack)
{
    size_t seen = 0;
    stack->n = 0;
    for (uint32_t i = w->goals[goal]->nargs; i > 0; i--)
        FL_PUSH(*stack, w->goals[goal]->args[i - 1]);
    while (stack->n > 0 && seen++ < SEARCHED_EACH) {
        vm_word t = vm_value(stack->at[--stack->n]);
        if (vm_tag(t) != TAG_REF) {
            push_parts(stack, t);
            continue;
        }
        const vm_var *v = vm_as_var(t);
        uintptr_t number = fl_look_up_address(&w->numbers, v);
        if (number && w->awaited.at[number - 1].holder == FL_NOBODY &&
            !waits_for(w, goal, (uint32_t)number - 1))
            w->awaited.at[number - 1].holder = goal;
    }
    w->searched_all &= stack->n == 0;
    return seen;
}

static void search_holders(fl_waiting_goals *w)
{
    word_stack stack = {0};
    size_t budget = SEARCHED;
    w->searched_all = true;
    for (uint32_t i = 0; i < w->ngoals; i++) {
        size_t seen = search_goal(w, i, &stack);
        if (seen >= budget) {
            w->searched_all &= i + 1 == w->ngoals;
            return;
        }
        budget -= seen;
    }
}

// ---- Causes -------------------------------------------------------------------------------------

static uint32_t cause_of(const fl_waiting_goals *w, uint32_t goal)
{
    const fl_wait_state *state = &w->states[goal];
    for (uint32_t k = 0; k < state->nwaits; k++) {
        uint32_t holder = w->awaited.at[state->waits[k]].holder;
        if (holder != FL_NOBODY && holder != goal)
            return holder;
    }
    return FL_NOBODY;
}

typedef enum { UNSEEN, ON_THE_WAY, DONE } visit;

// Follows the causes of a goal up to one whose depth is known, to one without a cause, or round a
// circle, which is cut at the first of its goals.
static void find_depth(fl_waiting_goals *w, visit *visits, uint32_t goal)
{
    ARRAY_OF(uint32_t) way = {0};
    uint32_t at = goal;
    for (; at != FL_NOBODY && visits[at] == UNSEEN; at = w->states[at].cause) {
        visits[at] = ON_THE_WAY;
        FL_PUSH(way, at);
    }
    if (at != FL_NOBODY && visits[at] == ON_THE_WAY) {
        uint32_t first = at;
        for (uint32_t i = way.n; i > 0 && way.at[i - 1] != at; i--)
            first = way.at[i - 1] < first ? way.at[i - 1] : first;
        w->states[first].circle = true;
        w->states[first].cause = FL_NOBODY;
        for (uint32_t i = 0; i < way.n; i++)
            visits[way.at[i]] = UNSEEN;
        find_depth(w, visits, first); // now without a circle: no further recursion
        find_depth(w, visits, goal);
        return;
    }
    uint32_t depth = at == FL_NOBODY ? 0 : w->states[at].depth + 1;
    for (; way.n > 0; depth++) {
        w->states[way.at[--way.n]].depth = depth;
        visits[way.at[way.n]] = DONE;
    }
}

static void find_depths(fl_waiting_goals *w)
{
    visit *visits = vm_alloc((w->ngoals + 1) * sizeof *visits);
    for (uint32_t i = 0; i < w->ngoals; i++) {
        w->states[i].cause = cause_of(w, i);
        w->states[i].depth = i < ASKED ? 0 : FAR;
        visits[i] = i < ASKED ? UNSEEN : DONE;
    }
    for (uint32_t i = 0; i < w->ngoals; i++)
        find_depth(w, visits, i);
}

// ---- Groups -------------------------------------------------------------------------------------

typedef struct {
    const vm_predicate *predicate;
    vm_origin site;
} group_key;

static uint32_t *make_groups(fl_waiting_goals *w, bool grouped)
{
    fl_dictionary known = {0};
    uint32_t *group_of = vm_alloc_atomic((w->ngoals + 1) * sizeof *group_of);
    for (uint32_t i = 0; i < w->ngoals; i++) {
        group_key *key = vm_alloc(sizeof *key);
        *key = (group_key){w->goals[i]->predicate, w->goals[i]->site};
        uintptr_t number = grouped ? fl_look_up(&known, (char *)key, sizeof *key) : 0;
        if (number) {
            fl_wait_group *g = &w->groups.at[number - 1];
            g->count++;
            if (w->states[i].depth < w->states[g->goal].depth)
                g->goal = i;
            group_of[i] = (uint32_t)number - 1;
            continue;
        }
        group_of[i] = w->groups.n;
        FL_PUSH(w->groups, (fl_wait_group){.goal = i, .count = 1, .last_below = FL_NOBODY});
        if (grouped)
            fl_enter(&known, (char *)key, sizeof *key, w->groups.n);
    }
    return group_of;
}

// The goal shown of a group is the one with the fewest causes above it, so its cause is in another
// group, and that one's goal has fewer still: the groups make a forest.
static void link_groups(fl_waiting_goals *w, const uint32_t *group_of)
{
    w->last_root = FL_NOBODY;
    for (uint32_t i = 0; i < w->groups.n; i++) {
        fl_wait_group *g = &w->groups.at[i];
        const fl_wait_state *state = &w->states[g->goal];
        uint32_t *last = state->cause == FL_NOBODY
                             ? &w->last_root
                             : &w->groups.at[group_of[state->cause]].last_below;
        g->circle = state->circle;
        g->before = *last;
        *last = i;
    }
}

void fl_find_causes(fl_waiting_goals *w, bool grouped)
{
    put_in_order(w);
    w->states = vm_alloc((w->ngoals + 1) * sizeof *w->states);
    for (uint32_t i = 0; i < w->ngoals && i < ASKED; i++)
        ask(w, i);
    search_holders(w);
    find_depths(w);
    link_groups(w, make_groups(w, grouped));
}
