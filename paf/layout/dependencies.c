// SPDX-License-Identifier: MIT
//
// Who waits for whom, as a table with bars.
#include "paf/layout/layout_private.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"

#include <math.h>

#define ROW 20.0

// Right borders of the columns of figures; 0: there is no room for the column.
typedef struct {
    double from, to, name_w;
    double bar, bar_w;
    double wait, count, lag, words;
} columns;

static bool has_times(const paf_drawing *d)
{
    return trace_is_measured(d->m->t) || d->v->clock == IOT_REAL_TIME;
}

// Narrow places leave out what matters least: first the words, then the bar and what lay unread. Times
// are wider than counts.
static columns make_columns(const paf_drawing *d, paf_rect place)
{
    double w = place.w;
    bool wide = w > 640;
    columns c = {.from = place.x,
                 .to = place.x + w * (wide ? 0.26 : 0.31),
                 .name_w = w * (wide ? 0.25 : 0.3)};
    if (w < 380) {
        c.to = place.x + w * 0.33;
        c.name_w = w * 0.31;
        c.wait = place.x + w * 0.84;
        c.count = place.x + w;
        return c;
    }
    c.bar = place.x + w * (wide ? 0.52 : 0.62);
    c.wait = place.x + w * (wide ? 0.73 : 0.78);
    c.count = place.x + w * (wide ? 0.82 : 0.88);
    if (has_times(d) && !wide) {
        c.wait = place.x + w * 0.71;
        c.count = place.x + w * 0.82;
    }
    c.bar_w = c.wait - c.bar - 70;
    c.lag = place.x + w * (wide ? 0.91 : 1);
    c.words = wide ? place.x + w : 0;
    return c;
}

static void write_head(paf_drawing *d, const columns *c, double y)
{
    paf_colour quiet = d->theme->quiet;
    paf_write(d->pic, PAF_TEXT_CAPS, quiet, c->from, y, 0, 0, "GIVES");
    paf_write(d->pic, PAF_TEXT_CAPS, quiet, c->to, y, 0, 0, "WAITS");
    const struct {
        double right;
        const char *name;
    } figures[] = {
        {c->wait, "waited"}, {c->count, "times"}, {c->lag, "unread"}, {c->words, "words"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(figures); i++)
        if (figures[i].right > 0)
            paf_write(d->pic, PAF_TEXT_SMALL, quiet, figures[i].right, y, 0, 1, figures[i].name);
}

// Beside times there is less room.
static void write_cell(paf_drawing *d, double right, double y, uint64_t n)
{
    if (right <= 0)
        return;
    char *text = n < (has_times(d) ? 100000u : 10000000u) ? paf_number(n) : paf_short_number(n);
    paf_write(d->pic, PAF_TEXT_SMALL, n ? d->theme->ink : d->theme->faint, right, y, 0, 1, text);
    g_free(text);
}

// Steps; of a measured run, or by real time, a time.
static void write_time(paf_drawing *d, double right, double y, uint64_t n)
{
    if (right <= 0)
        return;
    if (!has_times(d)) {
        write_cell(d, right, y, n);
        return;
    }
    char *text = n ? paf_duration_by(d->m->t, d->v->clock, (int64_t)n) : g_strdup("0");
    paf_write(d->pic, PAF_TEXT_SMALL, n ? d->theme->ink : d->theme->faint, right, y, 0, 1, text);
    g_free(text);
}

static void write_module(paf_drawing *d, double x, double y, double w, uint32_t module)
{
    paf_draw_swatch(d, x, y - 9, 10, module);
    paf_write_name(d->pic, PAF_TEXT_BODY, d->theme->ink, x + 16, y, w - 22, 0,
              iot_get_module(d->m->a, module)->name);
}

static void write_row(paf_drawing *d, const columns *c, double y, const iot_dependency *row,
                      uint64_t most)
{
    uint64_t wait = paf_wait_by(d->v->clock, d->m, row);
    int64_t lag = paf_lag_by(d->v->clock, d->m, row);
    write_module(d, c->from, y, c->name_w, row->from);
    write_module(d, c->to, y, c->name_w, row->to);
    if (c->bar_w > 20 && most) {
        paf_round_box(d->pic, c->bar, y - 7, c->bar_w, 5, 2.5);
        paf_fill(d->pic, d->theme->track, 0);
        double part = (double)wait / (double)most * c->bar_w;
        if (wait) {
            paf_round_box(d->pic, c->bar, y - 7, fmax(part, 5), 5, 2.5);
            paf_fill(d->pic, paf_module_colour(d->theme, row->from), 0);
        }
    }
    write_time(d, c->wait, y, wait);
    write_cell(d, c->count, y, row->count);
    write_time(d, c->lag, y, (uint64_t)MAX(lag, 0));
    write_cell(d, c->words, y, row->words);
    double right = MAX(MAX(c->count, c->lag), c->words);
    paf_add_hit(d->pic, (paf_rect){c->from, y - 14, right - c->from, ROW}, PAF_HIT_BUNDLE,
                row->from, row->to);
}

void paf_draw_dependencies(paf_drawing *d, paf_rect place)
{
    columns c = make_columns(d, place);
    double y = place.y + 22;
    uint32_t n = d->m->complete ? iot_ndependencies(d->m->a) : 0;
    write_head(d, &c, y);
    y += ROW + 4;
    if (!d->m->complete) {
        paf_draw_computing(d, place.x, y, place.w, "Who waits for whom");
        return;
    }
    if (n == 0) {
        paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, place.x, y, place.w, 0,
                  "No module gives anything to another.");
        return;
    }
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = MAX(most, paf_wait_by(d->v->clock, d->m, iot_get_dependency(d->m->a, i)));
    uint32_t room = (uint32_t)fmax((place.y + place.h - y) / ROW + 1, 1);
    uint32_t shown = n <= room ? n : room - 1;
    for (uint32_t i = 0; i < shown; i++, y += ROW)
        write_row(d, &c, y, iot_get_dependency(d->m->a, i), most);
    if (shown < n) {
        char *rest = paf_count(n - shown, "more pair", "more pairs");
        char *text = g_strdup_printf("+%s", rest);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, y, place.w, 0, text);
        g_free(text);
        g_free(rest);
    }
}
