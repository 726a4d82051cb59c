// SPDX-License-Identifier: MIT
//
// Details of a measured activity: where and when it ran, what it waited for, and who waited for it.
#include "paf/model/details.h"
#include "paf/say/numbers.h"

#include <inttypes.h>

#define MOST_FACTS 8  // listed of each kind
#define GOAL_CELLS 24 // of a tip's first line

static const char *module_name(const paf_model *m, uint32_t reduction)
{
    return iot_get_module(m->a, iot_module_of_goal(m->a, trace_reduction_goal(m->t, reduction)))
        ->name;
}

static char *place_name(const trace *t, uint32_t reduction)
{
    const char *name = trace_place_name(t, trace_place(t, reduction));
    return name ? g_strdup(name) : g_strdup_printf("place %" PRIu32, trace_place(t, reduction));
}

static bool waits(const trace *t, uint32_t reduction)
{
    return trace_get_clause(t, trace_reduction_clause(t, reduction))->waits;
}

// What it and the other one have to do with each other: `barrier`, `critical`, `created` ...
static void add_fact(GArray *facts, uint32_t *more, const paf_model *m, const char *what,
                     uint32_t other, int64_t time, bool last)
{
    if (facts->len >= MOST_FACTS) {
        (*more)++;
        return;
    }
    char *place = place_name(m->t, other), *when = paf_moment(m->t, time);
    paf_fact fact = {.term = g_strdup(what),
                     .whom = g_strdup_printf("%s · %s", place, module_name(m, other)),
                     .when = g_strdup_printf("at %s", when),
                     .brief = g_strdup(when),
                     .last = last,
                     .go = other};
    g_array_append_val(facts, fact);
    g_free(place);
    g_free(when);
}

static const char *arrow_name(const trace *t, uint32_t variable)
{
    uint32_t name = trace_cell_name(t, variable);
    return name == TRACE_NONE ? "needs" : trace_name(t, name);
}

static uint32_t maker_of(const trace *t, uint32_t variable)
{
    uint32_t binding = trace_cell_binding(t, variable);
    return binding == TRACE_NONE ? 0 : trace_binding_maker(t, binding);
}

// What ended last of what it reads, by the clock; IOT_NONE: it reads nothing.
static uint32_t last_needed(const trace *t, uint32_t reduction)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(t, reduction, &reads), last = IOT_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t maker = maker_of(t, reads[i]);
        if (maker > 0 && (last == IOT_NONE || trace_end(t, maker) > trace_end(t, last)))
            last = maker;
    }
    return last;
}

static void add_needs(paf_details *details, const paf_model *m, uint32_t reduction, uint32_t last)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(m->t, reduction, &reads);
    uint32_t parent = trace_goal_parent(m->t, trace_reduction_goal(m->t, reduction));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t maker = maker_of(m->t, reads[i]);
        if (maker > 0)
            add_fact(details->needs, &details->more_needs, m, arrow_name(m->t, reads[i]), maker,
                     trace_end(m->t, maker), maker == last && n > 1);
    }
    if (parent > 0)
        add_fact(details->needs, &details->more_needs, m,
                 trace_place(m->t, parent) == trace_place(m->t, reduction) ? "after" : "created by",
                 parent, trace_end(m->t, parent), false);
}

static void add_gives(paf_details *details, const paf_model *m, uint32_t reduction)
{
    uint32_t first, end = trace_first_binding(m->t, reduction + 1);
    for (uint32_t b = trace_first_binding(m->t, reduction); b < end; b++) {
        uint32_t n = paf_links_of_binding(m, b, &first);
        for (uint32_t i = first; i < first + n; i++) {
            uint32_t reader = paf_link_input(m, m->by_binding[i])->reader;
            add_fact(details->gives, &details->more_gives, m,
                     arrow_name(m->t, trace_binding_variable(m->t, b)), reader,
                     trace_end(m->t, reader), false);
        }
    }
    end = trace_first_goal(m->t, reduction + 1);
    for (uint32_t g = trace_first_goal(m->t, reduction); g < end; g++) {
        uint32_t made = trace_goal_reduction(m->t, g);
        if (made != TRACE_NONE && trace_place(m->t, made) != trace_place(m->t, reduction))
            add_fact(details->gives, &details->more_gives, m, "creates", made,
                     trace_start(m->t, made), false);
    }
}

// "waited 13.1 ms, from 35.8 ms to 48.9 ms"
static char *interval_words(const trace *t, uint32_t reduction)
{
    int64_t start = trace_start(t, reduction), end = trace_end(t, reduction);
    char *took = paf_duration(t, end - start), *from = paf_moment(t, start),
         *to = paf_moment(t, end);
    char *text = g_strdup_printf("%s %s, from %s to %s", waits(t, reduction) ? "waited" : "ran",
                                 took, from, to);
    g_free(took);
    g_free(from);
    g_free(to);
    return text;
}

// " for thread 3, which was in critical heat.c:25"; "" if it needed nobody.
static char *reason_words(const paf_model *m, uint32_t reduction, uint32_t last)
{
    if (last == IOT_NONE)
        return g_strdup(waits(m->t, reduction) ? "; nobody came later" : "");
    char *place = place_name(m->t, last), *text;
    uint32_t cause = waits(m->t, reduction) ? iot_wait_cause(m->a, reduction) : IOT_NONE;
    if (cause != IOT_NONE)
        text =
            g_strdup_printf(" for %s, which was in %s", place, iot_get_module(m->a, cause)->name);
    else
        text = g_strdup_printf(", after %s, from %s", place, module_name(m, last));
    g_free(place);
    return text;
}

// " · static: iterations 6 to 7, every 8, of 20"; "" unless it is a chunk of a loop.
static char *chunk_words(const paf_model *m, uint32_t reduction)
{
    const paf_timeline *l = m->timeline;
    const paf_chunk *c = paf_timeline_chunk(l, reduction);
    int64_t last;
    if (!c || __builtin_add_overflow(c->first, c->n - 1, &last))
        return g_strdup("");
    GString *s = g_string_new(NULL);
    g_string_append_printf(s, " · %s: iterations %" PRId64 " to %" PRId64,
                           trace_name(m->t, c->schedule), c->first, last);
    if (c->every > 0)
        g_string_append_printf(s, ", every %" PRId64, c->every);
    if (c->total > 0)
        g_string_append_printf(s, ", of %" PRId64, c->total);
    return g_string_free(s, FALSE);
}

uint32_t paf_decider_measured(const trace *t, uint32_t reduction)
{
    uint32_t goal = trace_reduction_goal(t, reduction);
    if (goal == TRACE_NONE)
        return IOT_NONE;
    uint32_t last = last_needed(t, reduction), parent = trace_goal_parent(t, goal);
    return last != IOT_NONE ? last : parent > 0 ? parent : IOT_NONE;
}

void paf_details_measured(paf_details *details, const paf_model *m, uint32_t reduction)
{
    uint32_t last = last_needed(m->t, reduction);
    char *place = place_name(m->t, reduction), *interval = interval_words(m->t, reduction);
    char *reason = reason_words(m, reduction, last);
    char *chunk = chunk_words(m, reduction);
    details->subtitle = g_strdup_printf("%s · %s%s", module_name(m, reduction), place, chunk);
    g_free(chunk);
    details->sentence = g_strdup_printf("It %s%s.", interval, reason);
    details->why = paf_decider_measured(m->t, reduction);
    add_needs(details, m, reduction, last);
    add_gives(details, m, reduction);
    g_free(place);
    g_free(interval);
    g_free(reason);
}

char *paf_tip_measured(const paf_model *m, uint32_t reduction)
{
    uint32_t last = last_needed(m->t, reduction);
    char *goal = paf_goal_text(m->t, trace_reduction_goal(m->t, reduction),
                               trace_time(m->t, reduction), GOAL_CELLS);
    char *place = place_name(m->t, reduction), *interval = interval_words(m->t, reduction);
    char *reason = reason_words(m, reduction, last);
    char *chunk = chunk_words(m, reduction);
    char *text = g_strdup_printf("%s\n%s · %s%s\n%s%s", goal, module_name(m, reduction), place,
                                 chunk, interval, reason);
    g_free(chunk);
    g_free(goal);
    g_free(place);
    g_free(interval);
    g_free(reason);
    return text;
}
