// SPDX-License-Identifier: MIT
//
// Why a real run took as long as it did: when each part of the work was done, as the data flow allows it
// and as it ran, over one axis of work. What lies between the two curves is what too few workers,
// scheduling and overhead cost; a list says how much each.
#include "paf/layout/layout_private.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"

#include <math.h>

#define ROW        18.0
#define AXIS       54.0 // labels left of the large chart
#define CHART      92.0 // height of the chart of a card
#define LIST       400.0
#define PARTS      7    // rows of the list
#define AXES       46.0 // what stands below the large chart
#define LEAST_BESIDE 560.0
#define LEAST_CHART  80.0
#define MOST_CHART 720.0

// START: until the first reduction begins; it comes before all work. What attempts that had to wait took is
// known as a sum only, and lies within REST.
typedef enum { CHAIN, FEW, START, REST, BANDS } band;

static paf_colour band_colour(const paf_drawing *d, band b)
{
    static const double parts[BANDS] = {[CHAIN] = 0.16, [FEW] = 0.34, [START] = 0.84, [REST] = 0.56};
    return paf_mix(d->theme->ink, d->theme->card, parts[b]);
}

static int64_t value_of(const paf_costs *costs, uint32_t part, band b)
{
    const iot_work_done *done = &costs->done[part];
    switch (b) {
    case CHAIN:
        return done->chain;
    case FEW:
        return done->few;
    case START:
        return MIN(done->few + costs->sums.start, done->real);
    case REST:
    case BANDS:
        break;
    }
    return done->real;
}

// ---------------------------------------------------------------------------------------------
// The curves

typedef struct {
    paf_rect plot;
    const paf_costs *costs;
    double unit; // pixels of a nanosecond
} chart;

static double y_of(const chart *c, int64_t time)
{
    return c->plot.y + c->plot.h - (double)time * c->unit;
}

static double x_of(const chart *c, uint32_t i) // after i parts of the work
{
    return c->plot.x + c->plot.w * i / PAF_WORK_PARTS;
}

// From the curve below to this one.
static void draw_band(paf_drawing *d, const chart *c, band b)
{
    paf_move(d->pic, x_of(c, 0), y_of(c, 0));
    for (uint32_t i = 0; i < PAF_WORK_PARTS; i++)
        paf_line(d->pic, x_of(c, i + 1), y_of(c, value_of(c->costs, i, b)));
    for (uint32_t i = PAF_WORK_PARTS; b > CHAIN && i-- > 0;)
        paf_line(d->pic, x_of(c, i + 1), y_of(c, value_of(c->costs, i, b - 1)));
    if (b == CHAIN)
        paf_line(d->pic, x_of(c, PAF_WORK_PARTS), y_of(c, 0));
    paf_close(d->pic);
    paf_fill(d->pic, band_colour(d, b), 0);
}

static void draw_curve(paf_drawing *d, const chart *c, band b, paf_colour colour, double width)
{
    paf_move(d->pic, x_of(c, 0), y_of(c, 0));
    for (uint32_t i = 0; i < PAF_WORK_PARTS; i++)
        paf_line(d->pic, x_of(c, i + 1), y_of(c, value_of(c->costs, i, b)));
    paf_stroke(d->pic, colour, width);
}

static void draw_curves(paf_drawing *d, chart *c)
{
    c->unit = c->plot.h / (double)MAX(c->costs->sums.elapsed, 1);
    for (int b = CHAIN; b < BANDS; b++)
        draw_band(d, c, (band)b);
    draw_curve(d, c, CHAIN, d->theme->quiet, 1.2);
    draw_curve(d, c, REST, d->theme->ink, 1.6);
}

static void draw_axes(paf_drawing *d, const chart *c)
{
    const paf_rect *r = &c->plot;
    double step = paf_tick_step(36 / c->unit), work = (double)iot_work(d->m->a);
    for (double t = 0; t <= (double)c->costs->sums.elapsed; t += step) {
        char *label = paf_tick_by(d->m->t, IOT_REAL_TIME, (int64_t)t);
        paf_box(d->pic, r->x, paf_snap(d->pic, y_of(c, (int64_t)t)), r->w, 1 / d->v->scale);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, r->x - 8, y_of(c, (int64_t)t) + 4, 0, 1,
                  label);
        g_free(label);
    }
    paf_fill(d->pic, d->theme->grid, 0);
    double part = paf_tick_step(work * 110 / r->w);
    for (double w = 0; w <= work; w += fmax(part, 1)) {
        char *label = paf_number((uint64_t)w);
        double x = r->x + w / fmax(work, 1) * r->w;
        paf_box(d->pic, paf_snap(d->pic, x), r->y + r->h, 1 / d->v->scale, 4);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, r->y + r->h + 18, 0, 0.5, label);
        g_free(label);
    }
    paf_fill(d->pic, d->theme->faint, 0);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, r->x + r->w, r->y + r->h + 36, 0, 1,
              "reductions done");
}

// ---------------------------------------------------------------------------------------------
// The list

typedef struct {
    const char *name, *brief;
    int64_t time;
    uint64_t count;
    band shade;  // BANDS: part of an area that another one names
    bool counts; // a trace may not tell it
} part;

// As much of the name as fits beside its figures: with the count, whole, brief.
static char *part_name(paf_drawing *d, const part *p, bool large, double room)
{
    char *count = p->count > 0 ? paf_number(p->count) : NULL;
    char *name = large && count ? g_strdup_printf("%s (%s)", p->name, count)
                                : g_strdup(large ? p->name : p->brief);
    const char *const shorter[] = {p->name, p->brief};
    paf_shaped_text *text = paf_picture_text(d->pic);
    for (int i = 0; i < 2 && paf_shaped_text_width(text, PAF_TEXT_SMALL, name) > room; i++) {
        g_free(name);
        name = g_strdup(shorter[i]);
    }
    g_free(count);
    return name;
}

static double write_part(paf_drawing *d, double x, double y, double w, const part *p, bool large)
{
    const paf_costs *costs = paf_costs_of(d->m);
    char *time = paf_nanoseconds(p->time);
    char *share = paf_percent((double)p->time, (double)costs->sums.elapsed);
    if (p->shade < BANDS) {
        paf_round_box(d->pic, x, y - 9, 10, 10, 2);
        paf_fill(d->pic, band_colour(d, p->shade), 0);
    }
    double right = x + w, room = large ? 52 : 0;
    if (large)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right, y, 0, 1, share);
    double used = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, right - room, y, 0, 1, time);
    char *name = part_name(d, p, large, w - 16 - room - used - 8);
    paf_write(d->pic, PAF_TEXT_SMALL, p->shade < BANDS ? d->theme->ink : d->theme->quiet, x + 16, y,
              w - 16 - room - used - 8, 0, name);
    g_free(name);
    g_free(share);
    g_free(time);
    return y + ROW;
}

// As many as fit above the bottom: the last ones are within others.
static double write_parts(paf_drawing *d, double x, double y, double w, double bottom, bool large)
{
    const iot_real_costs *c = &paf_costs_of(d->m)->sums;
    const part parts[] = {
        {"the longest chain of reductions", "longest chain", c->chain, 0, CHAIN, false},
        {"too few workers", "too few workers", c->few, 0, FEW, false},
        {"the start of the program", "the start", c->start, 0, START, false},
        {"workers without a goal", "without a goal", c->without, 0, REST, false},
        {"and attempts that had to wait", "and vain attempts", c->retried, c->retries, BANDS, true},
        {"within these: the collector", "collector, within", c->collecting, c->collections, BANDS, true},
        {"within these: locks", "locks, within", c->locked, c->locks, BANDS, true},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
        if (y <= bottom && (!parts[i].counts || (c->complete && (large || parts[i].time > 0))))
            y = write_part(d, x, y, w, &parts[i], large);
    return y;
}

// "6.25 s instead of 2.09 s"
static char *title_of(const paf_drawing *d)
{
    const iot_real_costs *c = &paf_costs_of(d->m)->sums;
    char *took = paf_nanoseconds(c->elapsed), *chain = paf_nanoseconds(c->chain);
    char *text = g_strdup_printf("%s instead of %s", took, chain);
    g_free(took);
    g_free(chain);
    return text;
}

// ---------------------------------------------------------------------------------------------

double paf_costs_height(const paf_drawing *d)
{
    const iot_real_costs *c = &paf_costs_of(d->m)->sums;
    int rows = 4 + (c->complete ? (c->retried > 0) + (c->collecting > 0) + (c->locked > 0) : 0);
    return 30 + CHART + 24 + rows * ROW;
}

void paf_draw_costs_card(paf_drawing *d, paf_rect place)
{
    paf_draw_card(d, place);
    paf_add_hit(d->pic, place, PAF_HIT_COSTS, 0, 0);
    double x = place.x + 12, w = place.w - 24;
    char *title = title_of(d);
    paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, x, place.y + 20, w, 0, title);
    g_free(title);
    chart c = {{x, place.y + 32, w, CHART}, paf_costs_of(d->m), 0};
    draw_curves(d, &c);
    write_parts(d, x, place.y + 32 + CHART + 22, w, place.y + place.h, false);
}

// The list is beside the chart; in a narrow place below it, or alone.
static void place_parts(paf_rect place, paf_rect *ret_plot, paf_rect *ret_list)
{
    double top = place.y + 44, rest = place.y + place.h - top;
    bool beside = place.w >= LEAST_BESIDE && rest >= AXES + LEAST_CHART;
    double list = beside ? fmin(LIST, place.w * 0.42) : place.w;
    double h = beside ? fmin(rest - AXES, MOST_CHART) : rest - AXES - PARTS * ROW - 16;
    *ret_plot = (paf_rect){0};
    if (beside || h >= LEAST_CHART)
        *ret_plot = (paf_rect){place.x + AXIS, top + 10, place.w - AXIS - (beside ? list + 40 : 8), h};
    double y = beside || ret_plot->w <= 0 ? top + 20 : top + h + AXES + 16;
    *ret_list = (paf_rect){place.x + place.w - list, y, list, place.y + place.h - y};
}

void paf_draw_costs(paf_drawing *d, paf_rect place)
{
    paf_rect list;
    chart c = {.costs = paf_costs_of(d->m)};
    place_parts(place, &c.plot, &list);
    char *title = title_of(d);
    paf_write(d->pic, PAF_TEXT_HEAD, d->theme->ink, place.x, place.y + 16, 0, 0, title);
    g_free(title);
    if (c.plot.w > 0) {
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, place.y + 34, place.w, 0,
                  "when each part of the work was done: as the data flow allows it (below) and as it ran "
                  "(above)");
        c.unit = c.plot.h / (double)MAX(c.costs->sums.elapsed, 1);
        draw_axes(d, &c);
        draw_curves(d, &c);
    }
    write_parts(d, list.x, list.y, list.w, list.y + list.h, true);
}
