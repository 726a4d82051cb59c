// SPDX-License-Identifier: MIT
//
// The rows of places by real time: threads and ranks of a measured run, workers of a run of Fleng. Activities
// that a screen could not tell apart are taken together, under the name of the longest.
#include "paf/page/page_private.h"

#include <string.h>

#define MOST_PLACES     2000
#define MOST_ACTIVITIES 60000 // of all places
#define MOST_HANDS      4000

typedef struct {
    int64_t start, end;
    int64_t longest; // of those taken together
    uint32_t reduction;
    uint32_t n;
} stretch;

typedef struct {
    paf_page_maker *p;
    const paf_timeline *l;
    int64_t least;  // shorter ones are taken together
    uint64_t taken; // so many were
    json_t *array;
    int64_t before;
} writer;

// When it starts after the one before ended, how long it is, its spot.
static void flush(writer *w, stretch *s)
{
    if (s->n == 0)
        return;
    paf_page_add(w->array, s->start - w->before);
    paf_page_add(w->array, s->end - s->start);
    paf_page_add(w->array, paf_page_spot(w->p, s->reduction));
    w->before = s->end;
    w->taken += s->n - 1;
    s->n = 0;
}

static void take(writer *w, stretch *s, uint32_t reduction)
{
    int64_t start = paf_timeline_start(w->l, reduction), end = paf_timeline_end(w->l, reduction);
    int64_t length = end - start;
    bool small = length < w->least && start - s->end < w->least && s->end - s->start < w->least;
    if (s->n && !small)
        flush(w, s);
    if (s->n == 0)
        *s = (stretch){start, end, length, reduction, 0};
    if (length > s->longest) {
        s->longest = length;
        s->reduction = reduction;
    }
    s->end = MAX(s->end, end);
    s->n++;
}

static json_t *row_json(writer *w, uint32_t place)
{
    const char *name = trace_place_name(w->p->t, place);
    char *own = name ? NULL : g_strdup_printf("worker %u", place);
    json_t *o = json_object();
    stretch s = {0};
    w->array = json_array();
    w->before = 0;
    for (uint32_t i = w->l->first_of[place]; i < w->l->first_of[place + 1]; i++)
        take(w, &s, w->l->by_place[i]);
    flush(w, &s);
    json_object_set_new(o, "name", paf_page_text(name ? name : own));
    json_object_set_new(o, "place", json_integer(place));
    json_object_set_new(o, "acts", w->array);
    g_free(own);
    return o;
}

// Place and time at both ends, and what it is.
static json_t *hands_json(paf_page_maker *p, const paf_timeline *l)
{
    json_t *array = json_array();
    uint32_t every = l->nhands / MOST_HANDS + 1, n = 0;
    for (uint32_t i = 0; i < l->nhands; i += every) {
        const paf_hand *h = &l->hands[i];
        uint32_t places[2] = {trace_place(p->t, h->from), trace_place(p->t, h->to)};
        bool starts = h->kind == PAF_HAND_TASK;
        if (places[0] >= MOST_PLACES || places[1] >= MOST_PLACES)
            continue;
        paf_page_add(array, places[0]);
        paf_page_add(array, paf_timeline_end(l, h->from));
        paf_page_add(array, places[1]);
        paf_page_add(array, starts ? paf_timeline_start(l, h->to) : paf_timeline_end(l, h->to));
        paf_page_add(array, h->kind);
        n++;
    }
    if (every > 1) {
        char *some = paf_number(n), *all = paf_number(l->nhands);
        paf_page_remark(p, "%s of %s hand-overs between places are drawn, one of each %u.", some, all, every);
        g_free(some);
        g_free(all);
    }
    return array;
}

void paf_page_places(paf_page_maker *p, json_t *view)
{
    const paf_timeline *l = p->m->timeline;
    uint32_t n = MIN(l->nplaces, MOST_PLACES);
    uint32_t nactivities = l->first_of[l->nplaces];
    writer w = {.p = p, .l = l};
    json_t *rows = json_array();
    if (nactivities > MOST_ACTIVITIES)
        w.least = MAX(trace_elapsed(p->t) / (MOST_ACTIVITIES / MAX(n, 1) + 1), 1);
    for (uint32_t place = 0; place < n; place++)
        json_array_append_new(rows, row_json(&w, place));
    json_object_set_new(view, "kind", json_string("places"));
    json_object_set_new(view, "rows", rows);
    json_object_set_new(view, "hands", hands_json(p, l));
    if (w.taken) {
        char *taken = paf_number(w.taken), *all = paf_number(nactivities), *least = paf_nanoseconds(w.least);
        paf_page_remark(p, "%s of %s activities, shorter than %s, are drawn together with their neighbours.",
                        taken, all, least);
        g_free(taken);
        g_free(all);
        g_free(least);
    }
    if (n < l->nplaces)
        paf_page_remark(p, "The first %u of %u places have rows.", n, l->nplaces);
}
