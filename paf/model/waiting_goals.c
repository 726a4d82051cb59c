// SPDX-License-Identifier: MIT
//
// Which variables goals wait for, and which other waiting goal holds them: causes and consequences.
#include "paf/model/waiting_goals.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_ALONE   20u      // as many goals stand one by one, more in groups
#define SEARCHED      8000000u // cells looked at for who else holds a variable
#define SEARCHED_EACH 50000u   // in the arguments of one goal
#define TEXT_CELLS    14u
#define MOST_LINES    6u       // variables told of one goal

typedef struct {
    uint32_t goal, clause, item; // where it stands; TRACE_NONE: the beginning made it
    uint32_t cause;              // index of another one, or IOT_NONE
    uint32_t depth;
    bool circle;
} waiter;

typedef struct {
    const trace *t;
    GArray *waiters;     // waiter, in the order of the text
    GHashTable *holders; // variable -> index of its holder + 1; 0: nobody
    bool searched_all;
} search;

static waiter *at(const search *s, uint32_t i)
{
    return &g_array_index(s->waiters, waiter, i);
}

// ---------------------------------------------------------------------------------------------
// The goals

static const trace_item *item_of(const trace *t, const waiter *w)
{
    return w->item == TRACE_NONE || w->clause == TRACE_NONE
               ? NULL
               : &trace_get_clause(t, w->clause)->items[w->item];
}

static waiter make_waiter(const trace *t, uint32_t goal)
{
    waiter w = {.goal = goal, .clause = TRACE_NONE, .item = TRACE_NONE, .cause = IOT_NONE};
    uint32_t origin = trace_goal_origin(t, goal), parent = trace_goal_parent(t, origin);
    uint32_t clause = parent == TRACE_NONE ? TRACE_NONE : trace_reduction_clause(t, parent);
    if (clause == TRACE_NONE)
        return w;
    w.clause = clause;
    w.item = trace_goal_item(t, origin);
    if (w.item != TRACE_NONE && w.item >= trace_get_clause(t, clause)->nitems)
        w.item = TRACE_NONE;
    return w;
}

static int compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

// By place, then by age.
static int by_place(const void *x, const void *y, void *data)
{
    const waiter *a = x, *b = y;
    const trace *t = data;
    const trace_item *i = item_of(t, a), *k = item_of(t, b);
    uint32_t from = a->clause == TRACE_NONE ? 0 : trace_get_clause(t, a->clause)->source;
    uint32_t to = b->clause == TRACE_NONE ? 0 : trace_get_clause(t, b->clause)->source;
    int order = compare(from, to);
    order = order ? order : compare(i ? i->line : 0, k ? k->line : 0);
    order = order ? order : compare(i ? i->column : 0, k ? k->column : 0);
    return order ? order : compare(a->goal, b->goal);
}

static void find_waiters(search *s)
{
    s->waiters = g_array_new(FALSE, FALSE, sizeof(waiter));
    for (uint32_t g = 0; g < trace_ngoals(s->t); g++) {
        const uint32_t *variables;
        if (trace_goal_reduction(s->t, g) != TRACE_NONE || trace_waits(s->t, g, &variables) == 0)
            continue;
        waiter w = make_waiter(s->t, g);
        g_array_append_val(s->waiters, w);
    }
    g_array_sort_with_data(s->waiters, by_place, (gpointer)s->t);
}

// ---------------------------------------------------------------------------------------------
// Who else holds what they wait for

static bool waits_for(const trace *t, uint32_t goal, uint32_t variable)
{
    const uint32_t *variables;
    uint32_t n = trace_waits(t, goal, &variables);
    for (uint32_t i = 0; i < n; i++)
        if (variables[i] == variable)
            return true;
    return false;
}

// Through all bindings; a cell that is no variable, or is unbound, or a constant. A damaged file may
// have a chain without an end.
static trace_value end_of(const trace *t, trace_value v)
{
    for (uint32_t i = 0; i < SEARCHED_EACH && v.kind == TV_CELL &&
                         trace_cell_get_kind(t, v.id) == TC_VARIABLE;
         i++) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            break;
        v = trace_binding_value(t, binding);
    }
    return v;
}

static void hold(search *s, uint32_t index, uint32_t variable)
{
    gpointer held;
    if (g_hash_table_lookup_extended(s->holders, GUINT_TO_POINTER(variable), NULL, &held) && !held &&
        !waits_for(s->t, at(s, index)->goal, variable))
        g_hash_table_insert(s->holders, GUINT_TO_POINTER(variable), GUINT_TO_POINTER(index + 1));
}

// Looks through the arguments of one goal; returns how many cells that took.
static uint32_t search_goal(search *s, uint32_t index, GArray *stack)
{
    uint32_t goal = at(s, index)->goal, seen = 0;
    uint32_t n = trace_get_predicate(s->t, trace_goal_predicate(s->t, goal))->arity;
    g_array_set_size(stack, 0);
    for (uint32_t i = n; i-- > 0;) {
        trace_value v = trace_goal_arg(s->t, goal, i);
        g_array_append_val(stack, v);
    }
    while (stack->len > 0 && seen++ < SEARCHED_EACH) {
        trace_value v = end_of(s->t, g_array_index(stack, trace_value, stack->len - 1));
        g_array_set_size(stack, stack->len - 1);
        if (v.kind != TV_CELL)
            continue;
        if (trace_cell_get_kind(s->t, v.id) == TC_VARIABLE) {
            hold(s, index, v.id);
            continue;
        }
        for (uint32_t i = trace_cell_arity(s->t, v.id); i-- > 0;) {
            trace_value part = trace_cell_arg(s->t, v.id, i);
            g_array_append_val(stack, part);
        }
    }
    s->searched_all = s->searched_all && stack->len == 0;
    return seen;
}

static void search_holders(search *s)
{
    s->holders = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < s->waiters->len; i++) {
        const uint32_t *variables;
        uint32_t n = trace_waits(s->t, at(s, i)->goal, &variables);
        for (uint32_t k = 0; k < n; k++)
            g_hash_table_insert(s->holders, GUINT_TO_POINTER(variables[k]), NULL);
    }
    GArray *stack = g_array_new(FALSE, FALSE, sizeof(trace_value));
    uint32_t left = SEARCHED;
    s->searched_all = true;
    for (uint32_t i = 0; i < s->waiters->len && s->searched_all; i++) {
        uint32_t seen = search_goal(s, i, stack);
        s->searched_all = s->searched_all && seen <= left;
        left -= MIN(seen, left);
    }
    g_array_unref(stack);
}

static uint32_t holder_of(const search *s, uint32_t variable)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(s->holders, GUINT_TO_POINTER(variable))) - 1;
}

static void find_causes(search *s)
{
    for (uint32_t i = 0; i < s->waiters->len; i++) {
        waiter *w = at(s, i);
        const uint32_t *variables;
        uint32_t n = trace_waits(s->t, w->goal, &variables);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t holder = holder_of(s, variables[k]);
            if (w->cause == IOT_NONE && holder != i)
                w->cause = holder;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Circles and depths: causes are one way out of each goal, so a way up ends or comes round

enum { UNSEEN, ON_THE_WAY, DONE };

// Marks the goals of the circle that `first` lies on and cuts it there, so that it can be shown as a tree.
static void cut_circle(search *s, uint32_t first)
{
    uint32_t least = first;
    for (uint32_t i = at(s, first)->cause; i != first; i = at(s, i)->cause) {
        at(s, i)->circle = true;
        least = MIN(least, i);
    }
    at(s, first)->circle = true;
    at(s, least)->cause = IOT_NONE;
}

static void find_depths(search *s)
{
    uint8_t *state = g_new0(uint8_t, s->waiters->len + 1);
    GArray *way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t start = 0; start < s->waiters->len; start++) {
        uint32_t i = start;
        for (; i != IOT_NONE && state[i] == UNSEEN; i = at(s, i)->cause) {
            state[i] = ON_THE_WAY;
            g_array_append_val(way, i);
        }
        bool round = i != IOT_NONE && state[i] == ON_THE_WAY;
        if (round)
            cut_circle(s, i);
        uint32_t depth = round || i == IOT_NONE ? 0 : at(s, i)->depth + 1;
        while (way->len > 0) {
            uint32_t top = g_array_index(way, uint32_t, way->len - 1);
            g_array_set_size(way, way->len - 1);
            state[top] = round ? UNSEEN : DONE;
            at(s, top)->depth = depth++;
        }
        start -= round; // once more, now without the circle
    }
    g_array_unref(way);
    g_free(state);
}

// ---------------------------------------------------------------------------------------------
// Groups, in the order of the tree of causes

static uint32_t *make_groups(const search *s, const iot *a, GArray *groups)
{
    GHashTable *known = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref,
                                              NULL);
    uint32_t *group_of = g_new(uint32_t, s->waiters->len + 1);
    for (uint32_t i = 0; i < s->waiters->len; i++) {
        const waiter *w = at(s, i);
        uint32_t key[] = {trace_goal_predicate(s->t, w->goal), w->clause, w->item};
        GBytes *bytes = g_bytes_new(key, sizeof key);
        uint32_t number = s->waiters->len > SHOWN_ALONE
                              ? GPOINTER_TO_UINT(g_hash_table_lookup(known, bytes))
                              : 0;
        if (number == 0) {
            paf_waiting g = {.goal = i, .cause = IOT_NONE};
            g_array_append_val(groups, g);
            number = groups->len;
            g_hash_table_insert(known, g_bytes_ref(bytes), GUINT_TO_POINTER(number));
        }
        g_bytes_unref(bytes);
        group_of[i] = number - 1;
        paf_waiting *g = &g_array_index(groups, paf_waiting, number - 1);
        g->count++;
        if (w->depth < at(s, g->goal)->depth)
            g->goal = i;
        g->module = iot_module_of_goal(a, at(s, g->goal)->goal);
    }
    g_hash_table_destroy(known);
    return group_of;
}

// Depth first, roots in order; `goal` and `cause` become what the header says.
static void order_groups(const search *s, paf_waiting_goals *w, const GArray *groups,
                         const uint32_t *group_of)
{
    uint32_t n = groups->len, *first = g_new(uint32_t, n + 1), *next = g_new(uint32_t, n + 1);
    uint32_t *placed = g_new(uint32_t, n + 1), roots = IOT_NONE;
    GArray *stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    memset(first, 0xff, (n + 1) * sizeof *first);
    for (uint32_t g = n; g-- > 0;) {
        uint32_t cause = at(s, g_array_index(groups, paf_waiting, g).goal)->cause;
        uint32_t *list = cause == IOT_NONE ? &roots : &first[group_of[cause]];
        next[g] = *list;
        *list = g;
    }
    for (uint32_t g = roots; g != IOT_NONE || stack->len > 0;) {
        if (g == IOT_NONE) {
            g = next[g_array_index(stack, uint32_t, stack->len - 1)];
            g_array_set_size(stack, stack->len - 1);
            continue;
        }
        const paf_waiting *from = &g_array_index(groups, paf_waiting, g);
        const waiter *shown = at(s, from->goal);
        paf_waiting *to = &w->groups[w->n];
        placed[g] = w->n++;
        *to = *from;
        to->goal = shown->goal;
        to->cause = shown->cause == IOT_NONE ? IOT_NONE : placed[group_of[shown->cause]];
        to->level = stack->len;
        to->circle = shown->circle;
        g_array_append_val(stack, g);
        g = first[g];
    }
    g_array_unref(stack);
    g_free(placed);
    g_free(next);
    g_free(first);
}

// Instead of places in the list, the goals.
static void keep_holders(search *s, paf_waiting_goals *w)
{
    GHashTableIter variables;
    gpointer holder;
    g_hash_table_iter_init(&variables, s->holders);
    while (g_hash_table_iter_next(&variables, NULL, &holder))
        if (holder)
            g_hash_table_iter_replace(&variables,
                                      GUINT_TO_POINTER(at(s, GPOINTER_TO_UINT(holder) - 1)->goal + 1));
    w->holders = s->holders;
    w->searched_all = s->searched_all;
}

paf_waiting_goals *paf_waiting_goals_find(const iot *a)
{
    paf_waiting_goals *w = g_new0(paf_waiting_goals, 1);
    w->t = iot_trace(a);
    if (iot_suspended(a) == 0 || trace_is_measured(w->t))
        return w;
    search s = {.t = w->t};
    find_waiters(&s);
    search_holders(&s);
    find_causes(&s);
    find_depths(&s);
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(paf_waiting));
    uint32_t *group_of = make_groups(&s, a, groups);
    w->ngoals = s.waiters->len;
    w->groups = g_new0(paf_waiting, groups->len + 1);
    order_groups(&s, w, groups, group_of);
    g_free(group_of);
    g_array_unref(groups);
    keep_holders(&s, w);
    g_array_unref(s.waiters);
    return w;
}

void paf_waiting_goals_free(paf_waiting_goals *w)
{
    if (!w)
        return;
    if (w->holders)
        g_hash_table_destroy(w->holders);
    g_free(w->groups);
    g_free(w);
}

uint32_t paf_waiting_group_of(const paf_waiting_goals *w, uint32_t goal)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->groups[i].goal == goal)
            return i;
    return IOT_NONE;
}

uint32_t paf_waiting_binder(const paf_waiting_goals *w, uint32_t group)
{
    const uint32_t *variables;
    uint32_t n = trace_waits(w->t, w->groups[group].goal, &variables);
    for (uint32_t i = 0; i < n; i++) {
        gpointer holder = g_hash_table_lookup(w->holders, GUINT_TO_POINTER(variables[i]));
        uint32_t binder =
            holder ? paf_waiting_group_of(w, GPOINTER_TO_UINT(holder) - 1) : IOT_NONE;
        if (binder != IOT_NONE)
            return binder;
    }
    return w->groups[group].cause;
}

// ---------------------------------------------------------------------------------------------
// As text

// Names of the goal's variables and of what it waits for, together.
static iot_names *names_of(const trace *t, uint32_t goal)
{
    iot_names *names = iot_names_create(t);
    const uint32_t *variables;
    uint32_t n = trace_waits(t, goal, &variables);
    uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < arity && i < TEXT_CELLS; i++)
        iot_names_add(names, trace_goal_arg(t, goal, i), INT64_MAX, TEXT_CELLS);
    for (uint32_t i = 0; i < n && i < MOST_LINES; i++)
        iot_names_add_variable(names, variables[i]);
    iot_names_finish(names);
    return names;
}

char *paf_waiting_goal(const paf_waiting_goals *w, uint32_t group)
{
    uint32_t goal = w->groups[group].goal;
    iot_names *names = names_of(w->t, goal);
    char *made = iot_goal_text(w->t, names, goal, INT64_MAX, TEXT_CELLS), *text = g_strdup(made);
    free(made);
    iot_names_destroy(names);
    return text;
}

char *paf_waiting_title(const paf_waiting_goals *w, uint32_t group)
{
    const paf_waiting *g = &w->groups[group];
    char *goal = paf_waiting_goal(w, group);
    if (g->count == 1)
        return goal;
    char *more = paf_number(g->count - 1);
    char *name = paf_predicate_name(w->t, trace_goal_predicate(w->t, g->goal));
    char *text = g_strdup_printf("%s, and %s more goal%s of %s from there", goal, more,
                                 g->count > 2 ? "s" : "", name);
    g_free(name);
    g_free(more);
    g_free(goal);
    return text;
}

char *paf_waiting_variables(const paf_waiting_goals *w, uint32_t group)
{
    uint32_t goal = w->groups[group].goal;
    iot_names *names = names_of(w->t, goal);
    const uint32_t *variables;
    uint32_t n = trace_waits(w->t, goal, &variables);
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < n && i < MOST_LINES; i++)
        g_string_append_printf(s, "%s%s", i ? ", " : "", iot_name(names, variables[i]));
    if (n > MOST_LINES)
        g_string_append(s, ", ...");
    iot_names_destroy(names);
    return g_string_free(s, FALSE);
}

// ", made by clause 1 of numbers/3 (stuck.fl:3)"
static void append_maker(const trace *t, GString *s, uint32_t variable)
{
    uint32_t maker = trace_cell_maker(t, variable);
    if (maker == 0 || maker == TRACE_NONE) {
        g_string_append(s, ", of the goal that the run began with");
        return;
    }
    const trace_clause *clause = trace_get_clause(t, trace_reduction_clause(t, maker));
    if (clause->number == 0) {
        g_string_append(s, ", made by a built-in");
        return;
    }
    char *name = paf_predicate_name(t, clause->predicate), *place = paf_reduction_place(t, maker);
    g_string_append_printf(s, ", made by clause %" PRIu32 " of %s (%s)", clause->number, name, place);
    g_free(place);
    g_free(name);
}

char *paf_waiting_lines(const paf_waiting_goals *w, uint32_t group)
{
    const paf_waiting *g = &w->groups[group];
    iot_names *names = names_of(w->t, g->goal);
    const uint32_t *variables;
    uint32_t n = trace_waits(w->t, g->goal, &variables);
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < n && i < MOST_LINES; i++) {
        g_string_append_printf(s, "%swaits for %s", i ? "\n" : "", iot_name(names, variables[i]));
        append_maker(w->t, s, variables[i]);
        gpointer holder = g_hash_table_lookup(w->holders, GUINT_TO_POINTER(variables[i]));
        if (holder) {
            uint32_t other = GPOINTER_TO_UINT(holder) - 1;
            char *name = paf_predicate_name(w->t, trace_goal_predicate(w->t, other));
            g_string_append_printf(s, "; %s could bind it, and waits itself", name);
            g_free(name);
        } else if (w->searched_all) {
            g_string_append(s, "; no writer of it remains");
        }
    }
    if (n > MOST_LINES)
        g_string_append_printf(s, "\nand for %" PRIu32 " more variables", n - MOST_LINES);
    if (g->circle && g->cause == IOT_NONE) // where it is cut
        g_string_append(s, "\nin a circle: each of these waits for the next");
    iot_names_destroy(names);
    return g_string_free(s, FALSE);
}

uint32_t paf_waiting_clause(const paf_waiting_goals *w, uint32_t group)
{
    return make_waiter(w->t, w->groups[group].goal).clause;
}

char *paf_waiting_place(const paf_waiting_goals *w, uint32_t group)
{
    waiter shown = make_waiter(w->t, w->groups[group].goal);
    const trace_item *item = item_of(w->t, &shown);
    if (!item || trace_get_clause(w->t, shown.clause)->source == TRACE_NONE)
        return g_strdup("the goal that the run began with");
    const trace_clause *clause = trace_get_clause(w->t, shown.clause);
    char *file = g_path_get_basename(trace_name(w->t, trace_get_source(w->t, clause->source)->name));
    char *text = g_strdup_printf("%s:%" PRIu32 ":%" PRIu32, file, item->line, item->column);
    g_free(file);
    return text;
}
