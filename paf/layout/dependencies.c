// SPDX-License-Identifier: MIT
//
// Who waits for whom, as a table with bars.
#include "paf/layout/layout_private.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"

#include <math.h>

#define ROW        20.0
#define GAP        14.0
#define LEAST_NAME 84.0 // of a module
#define LEAST_BAR  40.0
#define MOST_BAR   220.0

typedef enum { WAITED, TIMES, UNREAD, WORDS, FIGURES } figure;

// Right borders of the columns of figures; 0: there is no room for the column.
typedef struct {
    double from, to, name_w;
    double bar, bar_w;
    double right[FIGURES];
    bool brief; // large numbers are shortened
} columns;

static bool has_times(const paf_drawing *d)
{
    return trace_is_measured(d->m->t) || d->v->clock == IOT_REAL_TIME;
}

static uint64_t value_of(const paf_drawing *d, const iot_dependency *row, figure f)
{
    switch (f) {
    case WAITED:
        return paf_wait_by(d->v->clock, d->m, row);
    case TIMES:
        return row->count;
    case UNREAD:
        return (uint64_t)MAX(paf_lag_by(d->v->clock, d->m, row), 0);
    default:
        return row->words;
    }
}

// Steps; of a measured run, or by real time, a time.
static char *cell_text(const paf_drawing *d, const iot_dependency *row, figure f, bool brief)
{
    uint64_t n = value_of(d, row, f);
    if (n && has_times(d) && (f == WAITED || f == UNREAD))
        return paf_duration_by(d->m->t, d->v->clock, (int64_t)n);
    return brief ? paf_short_number(n) : paf_number(n);
}

static const char *const heads[FIGURES] = {"waited", "times", "unread", "words"};
static const char *const legends[FIGURES] = {
    "How long its goals waited for what the other one made, all of them together",
    "How many values were read",
    "How long they were there before they were read, all of them together",
    "How much was read, in words of memory",
};

static double width_of(paf_drawing *d, uint32_t rows, figure f, bool brief)
{
    paf_shaped_text *text = paf_picture_text(d->pic);
    double widest = paf_shaped_text_width(text, PAF_TEXT_SMALL, heads[f]);
    for (uint32_t i = 0; i < rows; i++) {
        char *cell = cell_text(d, iot_get_dependency(d->m->a, i), f, brief);
        widest = fmax(widest, paf_shaped_text_width(text, PAF_TEXT_SMALL, cell));
        g_free(cell);
    }
    return widest;
}

// Of both columns of names, if none is cut.
static double names_width(paf_drawing *d, uint32_t rows)
{
    double widest = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const iot_dependency *row = iot_get_dependency(d->m->a, i);
        const char *const both[] = {iot_get_module(d->m->a, row->from)->name,
                                    iot_get_module(d->m->a, row->to)->name};
        for (int k = 0; k < 2; k++)
            widest = fmax(widest, paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_BODY, both[k]));
    }
    return 2 * (widest + 24);
}

// Every figure has the width that it needs. Narrow places leave out what matters least: the bar, the
// words, what lay unread; then large numbers are shortened, and names are cut.
static columns make_columns(paf_drawing *d, paf_rect place, uint32_t rows)
{
    columns c = {.from = place.x};
    double width[FIGURES], all = 0, names = 2 * LEAST_NAME;
    int shown = place.w > 640 ? FIGURES : WORDS;
    for (int brief = 0; brief < 2; brief++) {
        c.brief = brief;
        all = 0;
        for (int f = 0; f < FIGURES; f++)
            width[f] = width_of(d, rows, (figure)f, brief);
        for (int f = 0; f < shown; f++)
            all += width[f] + GAP;
        if (names + all <= place.w)
            break;
    }
    for (; shown > UNREAD && names + all > place.w; shown--)
        all -= width[shown - 1] + GAP;
    double right = place.x + place.w;
    for (int f = shown - 1; f >= 0; f--) {
        c.right[f] = right;
        right -= width[f] + GAP;
    }
    double spare = right - place.x - names, whole = names_width(d, rows);
    c.bar_w = spare > LEAST_BAR + GAP ? fmin(spare * 0.4, MOST_BAR) : 0;
    // Names come before the bar.
    if (c.bar_w > 0 && right - place.x - c.bar_w - GAP < whole) {
        double left = right - place.x - whole - GAP;
        c.bar_w = left >= LEAST_BAR / 2 ? fmin(c.bar_w, left) : 0;
    }
    c.bar = right - c.bar_w;
    c.name_w = (c.bar - (c.bar_w > 0 ? GAP : 0) - place.x) / 2;
    c.to = place.x + c.name_w;
    return c;
}

static void write_head(paf_drawing *d, const columns *c, double y)
{
    paf_colour quiet = d->theme->quiet;
    paf_write_head(d->pic, PAF_TEXT_CAPS, quiet, c->from, y, 0, "GIVES",
                   "The module that made what was read");
    paf_write_head(d->pic, PAF_TEXT_CAPS, quiet, c->to, y, 0, "WAITS", "The module that read it");
    for (int f = 0; f < FIGURES; f++)
        if (c->right[f] > 0)
            paf_write_head(d->pic, PAF_TEXT_SMALL, quiet, c->right[f], y, 1, heads[f], legends[f]);
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
    uint64_t wait = value_of(d, row, WAITED);
    write_module(d, c->from, y, c->name_w, row->from);
    write_module(d, c->to, y, c->name_w, row->to);
    if (c->bar_w > 0 && most) {
        paf_round_box(d->pic, c->bar, y - 7, c->bar_w, 5, 2.5);
        paf_fill(d->pic, d->theme->track, 0);
        double part = (double)wait / (double)most * c->bar_w;
        if (wait) {
            paf_round_box(d->pic, c->bar, y - 7, fmax(part, 5), 5, 2.5);
            paf_fill(d->pic, paf_colour_of(d, row->from), 0);
        }
    }
    double right = c->from;
    for (int f = 0; f < FIGURES; f++) {
        if (c->right[f] <= 0)
            continue;
        char *text = cell_text(d, row, (figure)f, c->brief);
        paf_colour ink = value_of(d, row, (figure)f) ? d->theme->ink : d->theme->quiet;
        paf_write(d->pic, PAF_TEXT_SMALL, ink, c->right[f], y, 0, 1, text);
        right = c->right[f];
        g_free(text);
    }
    paf_add_hit(d->pic, (paf_rect){c->from, y - 14, right - c->from, ROW}, PAF_HIT_BUNDLE,
                row->from, row->to);
}

void paf_draw_dependencies(paf_drawing *d, paf_rect place)
{
    double y = place.y + 22;
    uint32_t n = d->m->complete ? iot_ndependencies(d->m->a) : 0;
    uint32_t room = (uint32_t)fmax((place.y + place.h - y - ROW - 4) / ROW + 1, 1);
    uint32_t shown = n <= room ? n : room - 1;
    columns c = make_columns(d, place, shown);
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
