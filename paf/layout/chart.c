// SPDX-License-Identifier: MIT
//
// The time axis (overview, ruler, grid) and the chart of parallelism: steps stacked by module.
#include "iotree/overview.h"
#include "paf/layout/path.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LAYERS 12 // modules stacked on their own; the rest make one grey layer
#define LEGEND      14 // height of the names above the curve
#define TURN_ROOM   5  // pixels for each turn of the critical path's line
#define TICK_ROOM   70 // pixels a label of the time axis may take
// A burst this many times higher than nearly all the rest is cut off and labelled, since all else
// would lie flat on the axis.
#define BURST      8
#define NEARLY_ALL 0.97

int64_t paf_stretch(const paf_model *m, double zoom)
{
    int64_t width = iot_finest(m->a);
    while ((double)width * zoom < 1)
        width *= 2;
    return width;
}

// Equal stretches of time that cover the window, each at least a pixel wide. Their borders do not
// depend on where the window begins, so that they stand still while the window moves.
typedef struct {
    int64_t from, width;
    uint32_t n;
} stretches;

static stretches cover(const paf_drawing *d, double from, double to, double zoom)
{
    int64_t width = paf_stretch(d->m, zoom);
    int64_t first = (int64_t)floor(fmax(from, 0) / (double)width) * width;
    return (stretches){first, width, (uint32_t)((to - (double)first) / (double)width) + 2};
}

static void means(const paf_drawing *d, const stretches *s, uint32_t module, double *ret)
{
    uint64_t *sums = g_new(uint64_t, s->n);
    paf_profiles_sums(d->m->profiles, d->v->clock, module, s->from, s->width, s->n, sums);
    for (uint32_t i = 0; i < s->n; i++)
        ret[i] = (double)sums[i] / (double)s->width;
    g_free(sums);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double paf_usual_top(const double *totals, uint32_t n, double most)
{
    double *sorted = g_memdup2(totals, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double usual = fmax(sorted[(uint32_t)((n - 1) * NEARLY_ALL)], 1);
    g_free(sorted);
    return n >= 50 && most > BURST * usual ? 1.6 * usual : most;
}

// ---------------------------------------------------------------------------------------------
// Axis

// The closer one looks, the more digits a label has: the ticks leave room for those of a place that
// is no round number.
static int64_t tick_distance(const paf_drawing *d)
{
    int64_t step = (int64_t)fmax(paf_tick_step(TICK_ROOM / d->zoom), 1);
    for (int i = 0; i < 3; i++) {
        double widest = 0;
        int64_t first = (int64_t)ceil(d->v->from / (double)step) * step;
        for (int64_t t = first; (double)t <= d->v->to && t < first + 12 * step; t += step) {
            char *label = paf_tick_by(d->m->t, d->v->clock, t);
            double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, label);
            widest = fmax(widest, w + 14);
            g_free(label);
        }
        if (widest <= (double)step * d->zoom)
            break;
        step = (int64_t)fmax(paf_tick_step(widest / d->zoom), (double)step + 1);
    }
    return step;
}

void paf_draw_grid(paf_drawing *d, paf_rect place)
{
    int64_t step = tick_distance(d);
    for (int64_t t = (int64_t)ceil(d->v->from / (double)step) * step; (double)t <= d->v->to;
         t += step)
        paf_box(d->pic, paf_snap(d->pic, paf_x(d, (double)t)), place.y, 1 / d->v->scale, place.h);
    paf_fill(d->pic, d->theme->grid, 0);
}

// Which clock the axis has, and the way to the other one.
// Returns where that ends.
static double draw_clock(paf_drawing *d, double y)
{
    double x = d->f.side.x + d->f.side.w + 14, gutter = d->f.plot_x - x - 26;
    const char *name = d->v->clock == IOT_REAL_TIME ? "real time" : "virtual time";
    bool both = paf_has_clocks(d->m);
    double w = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y, gutter, 0, name);
    if (d->v->kind != PAF_VIEW_ALL)
        return x + w;
    w += 8 + paf_write(d->pic, PAF_TEXT_STRONG, both ? d->theme->amber : d->theme->faint, x + w + 8,
                       y, 0, 0, "⇄");
    paf_add_hit(d->pic, (paf_rect){x - 4, y - 15, w + 8, 22}, PAF_HIT_CLOCK, both, 0);
    return x + w;
}

// Where a bookmark is: at what it has chosen, else in the middle of its window.
static double time_of(const paf_drawing *d, const paf_bookmark *b)
{
    if (b->selected < trace_nreductions(d->m->t))
        return d->v->clock == IOT_REAL_TIME ? (double)trace_start(d->m->t, b->selected)
                                            : (double)trace_time(d->m->t, b->selected);
    return b->from < b->to ? (b->from + b->to) / 2 : paf_end(d->m, d->v->clock) / 2;
}

// Flags that hang from the overview, with their notes as tips.
static void draw_bookmarks(paf_drawing *d)
{
    double top = d->f.ruler.y - 1, right = d->f.plot_x + d->f.plot_w;
    for (guint i = 0; d->v->bookmarks && i < d->v->bookmarks->len; i++) {
        const paf_bookmark *b = d->v->bookmarks->pdata[i];
        double x = paf_x(d, time_of(d, b));
        if (b->clock != d->v->clock || x < d->f.plot_x || x > right)
            continue;
        paf_move(d->pic, x - 5, top);
        paf_line(d->pic, x + 5, top);
        paf_line(d->pic, x + 5, top + 9);
        paf_line(d->pic, x, top + 5);
        paf_line(d->pic, x - 5, top + 9);
        paf_close(d->pic);
        paf_fill(d->pic, d->theme->amber, 0);
        paf_add_hit(d->pic, (paf_rect){x - 7, top - 1, 14, 12}, PAF_HIT_MARK, i, 0);
    }
}

void paf_draw_ruler(paf_drawing *d)
{
    int64_t step = tick_distance(d);
    double y = d->f.ruler.y + 17, right = d->f.plot_x + d->f.plot_w, left = draw_clock(d, y) + 6;
    for (int64_t t = (int64_t)ceil(d->v->from / (double)step) * step; (double)t <= d->v->to;
         t += step) {
        char *label = paf_tick_by(d->m->t, d->v->clock, t);
        double x = paf_x(d, (double)t);
        double half = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, label) / 2;
        if (x - half >= left && x + half <= right + 24)
            paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y, 0, 0.5, label);
        g_free(label);
    }
    draw_bookmarks(d);
}

void paf_draw_moment(paf_picture *pic, const paf_theme *theme, paf_moment_place at, const char *label)
{
    paf_box(pic, paf_snap(pic, at.x), at.ruler + 22, 1 / at.scale, at.bottom - at.ruler - 22);
    paf_fill(pic, paf_alpha(theme->ink, 0.28), 0);
    double w = paf_shaped_text_width(paf_picture_text(pic), PAF_TEXT_SMALL, label) + 12;
    double x = CLAMP(at.x, w / 2, at.width - w / 2);
    paf_round_box(pic, x - w / 2, at.ruler + 4, w, 18, 4);
    paf_fill(pic, theme->ink, 0);
    paf_write(pic, PAF_TEXT_SMALL, theme->window, x, at.ruler + 17, 0, 0.5, label);
}

paf_picture *paf_pointer_picture(const trace *t, const paf_view *v, const paf_layout *layout,
                                 paf_shaped_text *text)
{
    const paf_frame *f = &layout->frame;
    paf_picture *pic = paf_picture_create(text, v->scale);
    double time = round(v->pointer), x = f->plot_x + (time - v->from) * f->plot_w / (v->to - v->from);
    if (isnan(v->pointer) || f->ruler.w <= 0 || x < f->plot_x || x > f->plot_x + f->plot_w)
        return pic;
    char *label = paf_moment_by(t, v->clock, (int64_t)time);
    paf_draw_moment(pic, paf_theme_get(v->dark),
                    (paf_moment_place){x, f->ruler.y, f->time_bottom, v->width, v->scale}, label);
    g_free(label);
    return pic;
}

// ---------------------------------------------------------------------------------------------
// Overview

void paf_draw_overview(paf_drawing *d)
{
    const paf_rect *r = &d->f.overview;
    paf_round_box(d->pic, r->x, r->y, r->w, r->h, 4);
    paf_fill(d->pic, paf_mix(d->theme->track, d->theme->window, 0.45), 0);
    double end = paf_axis_end(d->m, d->v) + 1, zoom = r->w / end;
    stretches s = cover(d, 0, end, zoom);
    double *totals = g_new(double, s.n), most = 1e-9;
    means(d, &s, IOT_NONE, totals);
    for (uint32_t i = 0; i < s.n; i++)
        most = fmax(most, totals[i]);
    most = paf_usual_top(totals, s.n, most);
    paf_clip(d->pic, (paf_rect){r->x + 1, r->y + 1, r->w - 2, r->h - 2});
    for (uint32_t i = 0; i < s.n; i++) {
        double from = (double)s.from + (double)i * (double)s.width - 0.5;
        double x0 = paf_snap(d->pic, r->x + from * zoom);
        double x1 = paf_snap(d->pic, r->x + (from + (double)s.width) * zoom);
        double h = paf_snap(d->pic, fmin(totals[i] / most, 1) * (r->h - 4));
        if (totals[i] > 0)
            paf_box(d->pic, x0, r->y + r->h - 1 - fmax(h, 1), fmax(x1 - x0, 1), fmax(h, 1));
    }
    paf_fill(d->pic, d->theme->bars, 0);
    g_free(totals);
    double left = CLAMP(r->x + d->v->from * zoom, r->x, r->x + r->w);
    double right = CLAMP(r->x + d->v->to * zoom, r->x, r->x + r->w);
    paf_box(d->pic, r->x, r->y, left - r->x, r->h);
    paf_box(d->pic, right, r->y, r->x + r->w - right, r->h);
    paf_fill(d->pic, paf_alpha(d->theme->window, 0.6), 0);
    paf_unclip(d->pic);
    double w = fmax(right - left, 6);
    paf_round_box(d->pic, fmin(left, r->x + r->w - w), r->y, w, r->h, 4);
    paf_stroke(d->pic, d->theme->amber, 1.5);
    double x = d->f.side.x + d->f.side.w + 14;
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, r->y + 17, d->f.plot_x - x - 8, 0,
              "overview");
    paf_add_hit(d->pic, *r, PAF_HIT_OVERVIEW, 0, 0);
}

// ---------------------------------------------------------------------------------------------
// Chart

typedef struct {
    double *heights;                   // nlayers * n: mean of a stretch
    uint32_t modules[MOST_LAYERS + 1]; // IOT_NONE: the rest
    unsigned nlayers;
    double *base;     // n: what is drawn so far
    double most;      // the highest stack
    uint32_t highest; // where it is
    double top;       // that the axis must show: the highest, or less if that is a mere burst
    stretches s;
} stack;

static void add_layer(stack *st, uint32_t module, const double *heights)
{
    for (uint32_t i = 0; i < st->s.n; i++)
        if (heights[i] > 0) {
            st->modules[st->nlayers] = module;
            memcpy(&st->heights[(size_t)st->nlayers * st->s.n], heights, st->s.n * sizeof(double));
            st->nlayers++;
            return;
        }
}

// The module with the largest share of the critical path lies at the bottom, where its height can
// be read off the axis.
static stack stack_modules(const paf_drawing *d)
{
    stack st = {.s = cover(d, d->v->from, d->v->to, d->zoom)};
    uint32_t n = st.s.n;
    st.heights = g_new0(double, (size_t)(MOST_LAYERS + 1) * n);
    st.base = g_new0(double, n);
    double *total = g_new(double, n), *layer = g_new(double, n);
    means(d, &st.s, IOT_NONE, total);
    for (uint32_t i = 0; i < n; i++)
        if (total[i] > st.most) {
            st.most = total[i];
            st.highest = i;
        }
    st.top = paf_usual_top(total, n, st.most);
    uint32_t own = d->m->nmodules <= MOST_LAYERS + 1 ? d->m->nmodules : MOST_LAYERS;
    for (uint32_t rank = 0; rank < own; rank++) {
        means(d, &st.s, d->m->order[rank], layer);
        for (uint32_t i = 0; i < n; i++)
            total[i] -= layer[i];
        add_layer(&st, d->m->order[rank], layer);
    }
    if (own < d->m->nmodules) {
        for (uint32_t i = 0; i < n; i++)
            total[i] = fmax(total[i], 0);
        add_layer(&st, IOT_NONE, total);
    }
    g_free(total);
    g_free(layer);
    return st;
}

typedef struct {
    double bottom, unit; // pixels: of zero, and per reduction
} y_axis;

static double level(const paf_drawing *d, const y_axis *y, double value)
{
    // Bursts end a little above the axis' last tick.
    return paf_snap(d->pic, fmax(y->bottom - value * y->unit, d->f.chart.y + 1));
}

static double border(const paf_drawing *d, const stretches *s, uint32_t i)
{
    double time = (double)s->from + (double)i * (double)s->width - 0.5;
    return paf_snap(d->pic, CLAMP(paf_x(d, time), d->f.plot_x - 4, d->f.plot_x + d->f.plot_w + 4));
}

// One stretch without a break: along the tops, and back along the bases.
static void outline_run(paf_drawing *d, const stack *st, const double *layer, const y_axis *y,
                        uint32_t from, uint32_t to)
{
    paf_move(d->pic, border(d, &st->s, from), level(d, y, st->base[from]));
    for (uint32_t i = from; i < to; i++) {
        double top = level(d, y, st->base[i] + layer[i]);
        paf_line(d->pic, border(d, &st->s, i), top);
        paf_line(d->pic, border(d, &st->s, i + 1), top);
    }
    for (uint32_t i = to; i-- > from;) {
        double base = level(d, y, st->base[i]);
        paf_line(d->pic, border(d, &st->s, i + 1), base);
        paf_line(d->pic, border(d, &st->s, i), base);
    }
    paf_close(d->pic);
}

// A line along the tops, made of boxes on whole pixels: a stroke along a thousand steps would take
// most of the time of a frame.
static void draw_tops(paf_drawing *d, const stack *st, const double *layer, const y_axis *y)
{
    double pixel = 1 / d->v->scale, before = NAN;
    for (uint32_t i = 0; i < st->s.n; i++) {
        if (layer[i] <= 0) {
            before = NAN;
            continue;
        }
        double x0 = border(d, &st->s, i), x1 = border(d, &st->s, i + 1);
        double top = level(d, y, st->base[i] + layer[i]);
        paf_box(d->pic, x0, top, x1 - x0, pixel);
        if (!isnan(before) && before != top)
            paf_box(d->pic, x0, fmin(before, top), pixel, fabs(before - top) + pixel);
        before = top;
    }
}

static void draw_layer(paf_drawing *d, stack *st, unsigned k, const y_axis *y)
{
    const double *layer = &st->heights[(size_t)k * st->s.n];
    for (uint32_t i = 0; i < st->s.n;) {
        uint32_t end = i;
        while (end < st->s.n && layer[end] > 0)
            end++;
        if (end > i)
            outline_run(d, st, layer, y, i, end);
        i = end + (end == i);
    }
    uint32_t module = st->modules[k];
    paf_colour colour = module == IOT_NONE ? d->theme->bars : paf_colour_of(d, module);
    // Opaque, but a little towards the background: strong colour is for the boxes below.
    paf_colour fill = paf_mix(colour, d->theme->window, d->theme->dark ? 0.82 : 0.78);
    paf_fill(d->pic, fill, module == IOT_NONE ? 0 : paf_pattern_of(d, module));
    draw_tops(d, st, layer, y);
    paf_fill(d->pic, colour, 0);
    for (uint32_t i = 0; i < st->s.n; i++)
        st->base[i] += layer[i];
}

// Names above the curve, where no side bar tells them.
static bool has_legend(const paf_drawing *d)
{
    return d->f.side.w == 0 && d->v->kind != PAF_VIEW_RUN && d->f.chart.h >= 72;
}

static y_axis draw_y_axis(paf_drawing *d, double most)
{
    const paf_rect *r = &d->f.chart;
    double room = r->h - 12 - (has_legend(d) ? LEGEND : 0);
    double step = fmax(paf_tick_step(most * 28 / room), 1);
    double top = fmax(ceil(most / step) * step, step);
    y_axis y = {.bottom = paf_snap(d->pic, r->y + r->h - 4), .unit = (room - 2) / top};
    for (double v = 0; v <= top; v += step)
        paf_box(d->pic, d->f.plot_x, level(d, &y, v), d->f.plot_w, 1 / d->v->scale);
    paf_fill(d->pic, d->theme->grid, 0);
    for (double v = 0; v <= top; v += step) {
        char *label = paf_number((uint64_t)v);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->f.plot_x - 8, level(d, &y, v) + 4, 0,
                  1, label);
        g_free(label);
    }
    return y;
}

// Through the layers: at each time in the middle of the one reduction of the path.
static void draw_path(paf_drawing *d, const stack *st, const y_axis *y)
{
    uint32_t n = st->s.n, turns;
    double before = NAN;
    if (!paf_has_path(d))
        return;
    uint32_t *modules =
        paf_path_modules(d, (double)st->s.from - 0.5, (double)st->s.width, n, &turns);
    for (uint32_t i = 0; i < n && turns * TURN_ROOM <= d->f.plot_w; i++) {
        double base = 0, part = 0;
        for (unsigned k = 0; k < st->nlayers && part == 0; k++) {
            double h = st->heights[(size_t)k * n + i];
            if (st->modules[k] == modules[i] || st->modules[k] == IOT_NONE)
                part = h;
            else
                base += h;
        }
        if (modules[i] == IOT_NONE || part <= 0) {
            before = NAN;
            continue;
        }
        double at = y->bottom - (base + fmin(part, 1) / 2) * y->unit;
        at = fmax(at, d->f.chart.y + 1);
        if (isnan(before))
            paf_move(d->pic, border(d, &st->s, i), at);
        else if (before != at)
            paf_line(d->pic, border(d, &st->s, i), at);
        paf_line(d->pic, border(d, &st->s, i + 1), at);
        before = at;
    }
    paf_stroke(d->pic, paf_alpha(d->theme->ink, 0.8), 1.4);
    g_free(modules);
}

static char *mean_of(const paf_drawing *d, int64_t width, bool brief)
{
    if (d->v->clock == IOT_VIRTUAL_TIME && !trace_is_measured(d->m->t)) {
        char *steps = brief ? paf_short_number((uint64_t)width) : paf_count((uint64_t)width, "step", "steps");
        char *mean = g_strdup_printf(brief ? "per %s" : "mean of %s", steps);
        g_free(steps);
        return mean;
    }
    char *time = paf_duration_by(d->m->t, d->v->clock, width);
    char *text = g_strdup_printf(brief ? "per %s" : "mean of %s", time);
    g_free(time);
    return text;
}

// What the chart is, at the lower left, clear of the axis' labels.
static void label_chart(paf_drawing *d, const stretches *s)
{
    const paf_rect *r = &d->f.chart;
    double x = r->x + 14, y = r->y + r->h - (paf_has_path(d) ? 22 : 14), w = d->f.plot_x - x - 26;
    paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, x, y, w + 8, 0, "parallelism");
    char *what = s->width == 1 ? g_strdup("by module") : mean_of(d, s->width, false);
    if (s->width > 1 && paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, what) > w + 8) {
        g_free(what);
        what = mean_of(d, s->width, true);
    }
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y + 15, w + 8, 0, what);
    g_free(what);
}

// How high the burst is that the chart cuts off: beside its top.
static void label_burst(paf_drawing *d, const stack *st)
{
    char *number = paf_number((uint64_t)llround(st->most));
    char *text = g_strdup_printf("↑ %s", number);
    double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, text) + 10;
    double x = border(d, &st->s, st->highest + 1) + 4, y = d->f.chart.y + 2;
    if (x + w > d->f.plot_x + d->f.plot_w)
        x = border(d, &st->s, st->highest) - 4 - w;
    paf_round_box(d->pic, x, y, w, 16, 4);
    paf_fill(d->pic, paf_alpha(d->theme->card, 0.92), 0);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, x + 5, y + 12, 0, 0, text);
    g_free(text);
    g_free(number);
}

// As many names of layers as fit.
static void draw_legend(paf_drawing *d, const stack *st)
{
    double x = d->f.plot_x + 4, y = d->f.chart.y + 4, right = d->f.plot_x + d->f.plot_w;
    for (unsigned k = 0; k < st->nlayers; k++) {
        uint32_t module = st->modules[k];
        const char *name = module == IOT_NONE ? "others" : iot_get_module(d->m->a, module)->name;
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, name);
        if (x + w + 16 > right)
            return;
        paf_draw_swatch(d, x, y, 10, module);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, x + 16, y + 9, 0, 0, name);
        x += w + 36;
    }
}

// The grey layer has no card: its name stands beside it, at the top of the chart.
static void name_rest(paf_drawing *d, const stack *st)
{
    if (st->nlayers == 0 || st->modules[st->nlayers - 1] != IOT_NONE)
        return;
    char *rest = paf_count(d->m->nmodules - MOST_LAYERS, "other module", "other modules");
    double right = d->f.plot_x + d->f.plot_w;
    double used =
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right, d->f.chart.y + 1, 0, 1, rest);
    paf_draw_swatch(d, right - used - 15, d->f.chart.y - 8, 10, IOT_NONE);
    g_free(rest);
}

double paf_chart_top(const paf_model *m, const paf_view *v, double zoom)
{
    paf_drawing d = {.m = m, .v = v, .zoom = zoom};
    stretches s = cover(&d, v->from, v->to, zoom);
    double *total = g_new(double, s.n), most = 0;
    means(&d, &s, IOT_NONE, total);
    for (uint32_t i = 0; i < s.n; i++)
        most = fmax(most, total[i]);
    double top = paf_usual_top(total, s.n, most);
    g_free(total);
    return top;
}

void paf_draw_chart(paf_drawing *d)
{
    const paf_rect *r = &d->f.chart;
    paf_draw_grid(d, (paf_rect){r->x, d->f.ruler.y + d->f.ruler.h - 2, r->w,
                                r->y + r->h - d->f.ruler.y - d->f.ruler.h});
    stack st = stack_modules(d);
    y_axis y = draw_y_axis(d, fmax(fmax(fmax(st.top, paf_ghost_top(d)), d->v->least_top), 1));
    paf_clip(d->pic, (paf_rect){d->f.plot_x, r->y, d->f.plot_w, r->h});
    for (unsigned k = 0; k < st.nlayers; k++)
        draw_layer(d, &st, k, &y);
    draw_path(d, &st, &y);
    paf_draw_ghost(d, y.bottom, y.unit);
    paf_unclip(d->pic);
    paf_draw_path_strip(d, r->y + r->h + 5);
    paf_draw_wash(d, (paf_rect){r->x, r->y, r->w, r->h + 13});
    label_chart(d, &st.s);
    if (fmax(st.top, d->v->least_top) < st.most)
        label_burst(d, &st);
    if (has_legend(d))
        draw_legend(d, &st);
    else
        name_rest(d, &st);
    paf_add_hit(d->pic, (paf_rect){d->f.plot_x, r->y, d->f.plot_w, r->h}, PAF_HIT_CHART, 0, 0);
    g_free(st.heights);
    g_free(st.base);
}
