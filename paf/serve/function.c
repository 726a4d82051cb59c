// SPDX-License-Identifier: MIT
//
// A function under the conditions of an address, or all of them up to six: where it stands, by trial, by
// place.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "paf/model/comparison_words.h"
#include "paf/serve/bars.h"
#include "paf/serve/chosen.h"

enum { MOST = 6, MOST_PLACES = 1024 };

// A trial of a condition at a place.
typedef struct {
    int64_t run, place;
    char *name;
    double time, calls;
} sample;

typedef struct {
    page *p;
    compared_conditions of;
    const char *function; // number, as text
    const char *unit;
    ARRAY_OF(sample) samples[MOST];
    size_t ntrials[MOST]; // with the function or without it
    char *units;
} view;

// Without conditions in the address: those that have most of it are not known here, so the first ones.
static void choose(view *v)
{
    store_answer *a =
        page_ask(v->p,
                 "SELECT condition.id, condition.name FROM condition JOIN application ON application.id "
                 "= condition.application WHERE application.name = :application ORDER BY condition.name "
                 "LIMIT 6",
                 "application", v->of.application, NULL);
    free(v->of.names);
    free(v->of.ids);
    v->of.names = base_allocate(MOST, sizeof *v->of.names);
    v->of.ids = base_allocate(MOST, sizeof *v->of.ids);
    while (page_next(v->p, &a)) {
        v->of.ids[v->of.n] = store_answer_integer(a, 0);
        v->of.names[v->of.n++] = base_copy(store_answer_text(a, 1));
    }
}

static void read_samples(view *v, size_t which)
{
    char condition[32];
    snprintf(condition, sizeof condition, "%lld", (long long)v->of.ids[which]);
    store_answer *a =
        page_ask(v->p, "SELECT id, unit FROM run WHERE condition = :condition AND enabled = 1", "condition",
                 condition, NULL);
    while (page_next(v->p, &a)) {
        v->ntrials[which] += !compared_leaves_out(&v->of, store_answer_integer(a, 0));
        if (!v->units)
            v->units = base_copy(store_answer_text(a, 1));
    }
    a = page_ask(
        v->p,
        "SELECT profile.run, place.number, place.name, profile.exclusive_time, profile.calls FROM run "
        "CROSS JOIN profile CROSS JOIN place WHERE profile.run = run.id AND place.id = profile.place AND "
        "run.condition = :condition AND run.enabled = 1 AND profile.function = :function "
        "ORDER BY profile.run, place.number",
        "condition", condition, "function", v->function, NULL);
    while (page_next(v->p, &a))
        if (!compared_leaves_out(&v->of, store_answer_integer(a, 0)))
            ARRAY_PUSH(v->samples[which],
                       ((sample){store_answer_integer(a, 0), store_answer_integer(a, 1),
                                 base_copy(store_answer_text(a, 2)),
                                 store_answer_kind(a, 3) == STORE_NULL ? 0 : store_answer_real(a, 3),
                                 store_answer_kind(a, 4) == STORE_NULL ? 0 : store_answer_real(a, 4)}));
}

// Sums over places, by trial.
static store_figure by_trial(const view *v, size_t which, bool calls, double **ret_trials)
{
    double *trials = *ret_trials = base_allocate(v->ntrials[which] + 1, sizeof *trials);
    int64_t run = -1;
    size_t n = 0;
    for (size_t i = 0; i < v->samples[which].n; i++) {
        const sample *s = &v->samples[which].at[i];
        n += s->run != run && n < v->ntrials[which];
        run = s->run;
        trials[n - 1] += calls ? s->calls : s->time;
    }
    return store_figure_of(trials, v->ntrials[which]);
}

static void add_trials(view *v)
{
    double largest = 0, *trials[MOST], *calls[MOST];
    store_figure times[MOST], called[MOST];
    for (size_t i = 0; i < v->of.n; i++) {
        times[i] = by_trial(v, i, false, &trials[i]);
        called[i] = by_trial(v, i, true, &calls[i]);
        largest = bars_largest(largest, &times[i]);
    }
    text_add_string(v->p->out,
                    "<h2>By condition</h2><div class=\"wide\"><table><thead><tr><th scope=\"col\">Condition"
                    "</th><th scope=\"col\">Exclusive time, all places</th><th scope=\"col\" "
                    "class=\"number\">Mean</th><th scope=\"col\" class=\"number\">Calls</th>"
                    "<th scope=\"col\" class=\"number\">Trials</th></tr></thead><tbody>");
    for (size_t i = 0; i < v->of.n; i++) {
        char *text = paf_mean_text(v->unit, &times[i]);
        html_add(v->p->out, "<tr><th scope=\"row\"><span class=\"swatch c%zu\"></span> %s</th>", i + 1,
                 *v->of.names[i] ? v->of.names[i] : "(no keys)");
        bars_begin(v->p, i + 1, text);
        bars_add(v->p, i, &times[i], largest, NULL, text);
        bars_end(v->p);
        page_figure(v->p, v->unit, &times[i]);
        html_add(v->p->out, "<td class=\"number\">%.6g</td><td class=\"number\">%zu</td></tr>\n",
                 called[i].mean, v->ntrials[i]);
        g_free(text);
        free(trials[i]);
        free(calls[i]);
    }
    text_add_string(v->p->out, "</tbody></table></div>\n");
}

// ---------------------------------------------------------------------------------------------
// By place: means over trials

typedef struct {
    double sums[MOST];
    const char *name;
} place_sums;

static void add_places(view *v)
{
    place_sums *places = base_allocate(MOST_PLACES, sizeof *places);
    double largest = 0;
    size_t n = 0;
    for (size_t i = 0; i < v->of.n; i++)
        for (size_t k = 0; k < v->samples[i].n; k++) {
            const sample *s = &v->samples[i].at[k];
            if (s->place < 0 || s->place >= MOST_PLACES)
                continue;
            place_sums *at = &places[s->place];
            at->name = at->name ? at->name : s->name;
            at->sums[i] += s->time / (double)v->ntrials[i];
            largest = fmax(largest, at->sums[i]);
            n = (size_t)s->place >= n ? (size_t)s->place + 1 : n;
        }
    text_add_string(v->p->out,
                    "<h2>By place</h2><div class=\"wide\"><table><thead><tr><th scope=\"col\">Place</th>"
                    "<th scope=\"col\">Exclusive time</th></tr></thead><tbody>\n");
    for (size_t k = 0; k < n; k++) {
        if (!places[k].name)
            continue;
        html_add(v->p->out, "<tr><th scope=\"row\">%s</th>", places[k].name);
        bars_begin(v->p, v->of.n, places[k].name);
        for (size_t i = 0; i < v->of.n; i++) {
            const store_figure f = {1, NULL, places[k].sums[i], NAN};
            char *text = paf_mean_text(v->unit, &f), *title = base_format("%s: %s", v->of.names[i], text);
            bars_add(v->p, i, &f, largest, NULL, title);
            g_free(text);
            free(title);
        }
        bars_end(v->p);
        text_add_string(v->p->out, "</tr>\n");
    }
    text_add_string(v->p->out, "</tbody></table></div>\n");
    free(places);
}

// ---------------------------------------------------------------------------------------------

// Lines of a source can be shown of runs that have a trace.
static void add_source_places(view *v)
{
    store_answer *a =
        page_ask(v->p,
                 "SELECT file, line, MAX(CASE WHEN run.path IS NOT NULL THEN run.id END), COUNT(*) "
                 "FROM function_place JOIN run ON run.id = function_place.run "
                 "WHERE function = :function GROUP BY file, line ORDER BY MAX(run.id) DESC LIMIT 5",
                 "function", v->function, NULL);
    bool any = false;
    for (; page_next(v->p, &a); any = true) {
        const char *file = store_answer_text(a, 0);
        long long line = (long long)store_answer_integer(a, 1);
        char *run = base_format("%lld", (long long)store_answer_integer(a, 2));
        char *link = page_link("source", "run", run, "function", v->function, NULL);
        text_add_string(v->p->out, any ? ", " : "<p>Source: ");
        if (store_answer_kind(a, 2) == STORE_NULL)
            html_add(v->p->out, "%s:%lld", file, line);
        else
            html_add(v->p->out, "<a href=\"%s\">%s:%lld</a>", link, file, line);
        html_add(v->p->out, " (in %lld runs)", (long long)store_answer_integer(a, 3));
        free(link);
        free(run);
    }
    text_add_string(v->p->out, any ? "</p>\n" : "");
}

// The heading; false if there is no such function.
static bool begin(view *v)
{
    char *back = page_link("conditions", "application", v->of.application, NULL), *kind = NULL;
    back = page_keep(v->p, page_keep(v->p, back, "c"), "off");
    store_answer *a =
        page_ask(v->p,
                 "SELECT function.kind, function.name, function.signature, function.ordinal FROM function "
                 "JOIN application ON application.id = function.application WHERE function.id = :function "
                 "AND application.name = :application",
                 "function", v->function, "application", v->of.application, NULL);
    bool found = false;
    for (; page_next(v->p, &a); found = true) {
        store_compared f = {.name = base_copy(store_answer_text(a, 1)),
                            .signature = base_copy(store_answer_text(a, 2)),
                            .ordinal = store_answer_integer(a, 3)};
        char *name = paf_function_text(&f);
        kind = base_copy(store_answer_text(a, 0));
        page_begin(v->p, name, "./", "Applications", back, v->of.application, NULL);
        free(name);
        free(f.name);
        free(f.signature);
    }
    if (found)
        html_add(v->p->out, "<p>%s</p>\n", kind);
    else
        page_fail(v->p, 404, "%s has no such function.", v->of.application);
    free(kind);
    free(back);
    return found && !v->p->status;
}

void page_function(page *p)
{
    view v = {.p = p, .function = http_value(p->r, "function"), .unit = "ns"};
    if (!page_number(p, "function")) {
        page_fail(p, 404, "The address names no function.");
        return;
    }
    if (!compared_find(p, &v.of, 0, MOST))
        return;
    if (!v.of.n)
        choose(&v);
    if (begin(&v)) {
        add_source_places(&v);
        for (size_t i = 0; i < v.of.n; i++)
            read_samples(&v, i);
        v.unit = v.units ? v.units : "ns";
        if (!p->status) {
            add_trials(&v);
            add_places(&v);
        }
        page_end(p);
    }
    for (size_t i = 0; i < v.of.n; i++) {
        for (size_t k = 0; k < v.samples[i].n; k++)
            free(v.samples[i].at[k].name);
        free(v.samples[i].at);
    }
    free(v.units);
    compared_free(&v.of);
}
