// SPDX-License-Identifier: MIT
//
// Looking through modules, waiting goals and reductions.
#include "paf/model/search.h"
#include "paf/say/numbers.h"

#include <stdlib.h>
#include <string.h>

#define CELLS      14u     // of a goal or a value that is looked at, as views show them
#define SLICE      64u     // reductions between two looks at the clock
#define MOST_FOUND 1000000u

enum { UNKNOWN, HIDES, SHOWS };

bool paf_search_shows(const paf_search *s, const char *name)
{
    char *folded = g_utf8_casefold(name, -1);
    bool shows = strstr(folded, s->folded) != NULL;
    g_free(folded);
    return shows;
}

static void add(paf_search *s, paf_found_kind kind, uint32_t index)
{
    paf_found found = {kind, index};
    g_array_append_val(s->found, found);
}

// "#123": nothing but this goal.
static void find_goal(paf_search *s)
{
    const paf_model *m = s->model;
    char *end;
    guint64 goal = g_ascii_strtoull(s->text + 1, &end, 10);
    s->next = trace_nreductions(m->t);
    if (!s->text[1] || *end || goal >= trace_ngoals(m->t))
        return;
    uint32_t r = trace_goal_reduction(m->t, (uint32_t)goal);
    uint32_t group =
        r == TRACE_NONE && m->complete ? paf_waiting_group_of(m->waiting, (uint32_t)goal) : IOT_NONE;
    if (r != TRACE_NONE)
        add(s, PAF_FOUND_REDUCTION, r);
    else if (group != IOT_NONE)
        add(s, PAF_FOUND_WAITING, group);
}

static void find_names(paf_search *s)
{
    const paf_model *m = s->model;
    for (uint32_t i = 0; i < m->nmodules; i++)
        if (paf_search_shows(s, iot_get_module(m->a, i)->name))
            add(s, PAF_FOUND_MODULE, i);
    for (uint32_t i = 0; m->complete && i < m->waiting->n; i++) {
        char *goal = paf_waiting_goal(m->waiting, i), *what = paf_waiting_variables(m->waiting, i);
        if (strstr(goal, s->text) || strstr(what, s->text))
            add(s, PAF_FOUND_WAITING, i);
        g_free(what);
        g_free(goal);
    }
}

paf_search *paf_search_create(const paf_model *m, const char *text)
{
    paf_search *s = g_new0(paf_search, 1);
    s->model = m;
    s->text = g_strdup(text);
    s->folded = g_utf8_casefold(text, -1);
    s->found = g_array_new(FALSE, FALSE, sizeof(paf_found));
    s->names = g_hash_table_new(g_direct_hash, g_direct_equal);
    s->predicates = g_new0(uint8_t, trace_npredicates(m->t));
    s->next = 1;
    if (!*text)
        s->next = trace_nreductions(m->t);
    else if (*text == '#')
        find_goal(s);
    else
        find_names(s);
    return s;
}

void paf_search_free(paf_search *s)
{
    if (!s)
        return;
    g_array_unref(s->found);
    g_hash_table_destroy(s->names);
    g_free(s->predicates);
    g_free(s->folded);
    g_free(s->text);
    g_free(s);
}

static bool predicate_shows(paf_search *s, uint32_t predicate)
{
    if (s->predicates[predicate] == UNKNOWN) {
        char *name = paf_predicate_name(s->model->t, predicate);
        s->predicates[predicate] = paf_search_shows(s, name) ? SHOWS : HIDES;
        g_free(name);
    }
    return s->predicates[predicate] == SHOWS;
}

// Of a name the case counts: variables are told by it.
static bool name_shows(paf_search *s, uint32_t name)
{
    gpointer known = g_hash_table_lookup(s->names, GUINT_TO_POINTER(name));
    if (!known) {
        bool shows = strstr(trace_name(s->model->t, name), s->text) != NULL;
        known = GUINT_TO_POINTER(shows ? SHOWS : HIDES);
        g_hash_table_insert(s->names, GUINT_TO_POINTER(name), known);
    }
    return GPOINTER_TO_UINT(known) == SHOWS;
}

static bool binding_shows(paf_search *s, uint32_t binding, int64_t time)
{
    const trace *t = s->model->t;
    uint32_t name = trace_cell_name(t, trace_binding_variable(t, binding));
    if (name != TRACE_NONE && name_shows(s, name))
        return true;
    char *value = iot_term(t, NULL, trace_binding_value(t, binding), time, CELLS);
    bool shows = strstr(value, s->text) != NULL;
    free(value);
    return shows;
}

static bool reduction_shows(paf_search *s, uint32_t reduction)
{
    const trace *t = s->model->t;
    uint32_t goal = trace_reduction_goal(t, reduction), end = trace_first_binding(t, reduction + 1);
    if (predicate_shows(s, trace_goal_predicate(t, goal)))
        return true;
    char *text = iot_goal_text(t, NULL, goal, trace_time(t, reduction), CELLS);
    bool shows = strstr(text, s->text) != NULL;
    free(text);
    for (uint32_t b = trace_first_binding(t, reduction); b < end && !shows; b++)
        shows = binding_shows(s, b, trace_time(t, reduction));
    return shows;
}

bool paf_search_continue(paf_search *s, int64_t microseconds)
{
    gint64 until = g_get_monotonic_time() + microseconds;
    uint32_t n = trace_nreductions(s->model->t);
    while (s->next < n && s->found->len < MOST_FOUND) {
        uint32_t end = MIN(s->next + SLICE, n);
        for (; s->next < end; s->next++)
            if (reduction_shows(s, s->next))
                add(s, PAF_FOUND_REDUCTION, s->next);
        if (g_get_monotonic_time() > until)
            break;
    }
    return s->next < n && s->found->len < MOST_FOUND;
}

double paf_search_done(const paf_search *s)
{
    return (double)s->next / (double)trace_nreductions(s->model->t);
}
