// SPDX-License-Identifier: MIT
//
// The curve of a run that was not, over the chart of the one that was. It is a line in ink, so that it
// cannot be taken for a module; where it ends a line marks how much sooner.
#include "paf/layout/ghost.h"
#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LINE 1.5

static int by_start(const void *a, const void *b, void *starts)
{
    const int64_t *start = starts;
    int64_t x = start[*(const uint32_t *)a], y = start[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static bool is_sorted(const iot_schedule *s, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (s->starts[order[i]] < s->starts[order[i - 1]])
            return false;
    return true;
}

static void index_schedule(paf_ghost *ghost)
{
    const iot_schedule *s = &ghost->run.schedule;
    if (s->n == 0)
        return;
    ghost->by_start = g_new(uint32_t, s->n);
    for (uint32_t r = 1; r < s->n; r++) {
        ghost->by_start[r - 1] = r;
        ghost->longest = MAX(ghost->longest, iot_schedule_end(s, r) - s->waited[r]);
    }
    if (!is_sorted(s, ghost->by_start, s->n - 1))
        g_qsort_with_data(ghost->by_start, (gint)s->n - 1, sizeof *ghost->by_start, by_start,
                          s->starts);
}

paf_ghost *paf_ghost_create(iot_rerun *run)
{
    paf_ghost *ghost = g_new0(paf_ghost, 1);
    ghost->references = 1;
    ghost->run = *run;
    *run = (iot_rerun){0};
    index_schedule(ghost);
    return ghost;
}

paf_ghost *paf_ghost_ref(paf_ghost *ghost)
{
    if (ghost)
        ghost->references++;
    return ghost;
}

void paf_ghost_unref(paf_ghost *ghost)
{
    if (!ghost || --ghost->references > 0)
        return;
    iot_free_rerun(&ghost->run);
    g_free(ghost->by_start);
    g_free(ghost->cache.busy);
    g_free(ghost->cache.sums);
    g_free(ghost->cache.waited);
    g_free(ghost);
}

double paf_ghost_end(const paf_ghost *ghost)
{
    return ceil(ghost->run.price.span_without);
}

// ---------------------------------------------------------------------------------------------
// In words

char *paf_change_text(double before, double after)
{
    double share = before > 0 ? 100 * (after - before) / before : 0;
    const char *sign = share < 0 ? "−" : "+";
    double size = fabs(share);
    if (after == before)
        return g_strdup("±0");
    if (size < 0.1)
        return g_strdup("< 0.1 %");
    return g_strdup_printf(size < 10 ? "%s%.1f %%" : "%s%.0f %%", sign, size);
}

static char *time_text(const trace *t, double time)
{
    if (trace_is_measured(t) || time == floor(time))
        return paf_duration(t, llround(time));
    char *whole = paf_number((uint64_t)time);
    char *text = g_strdup_printf("%s.%d steps", whole, (int)((time - floor(time)) * 10));
    g_free(whole);
    return text;
}

char *paf_ghost_text(const trace *t, const paf_ghost *ghost)
{
    const iot_price_answer *price = &ghost->run.price;
    char *after = time_text(t, price->span_without);
    char *before = trace_is_measured(t) ? paf_duration(t, llround(price->span))
                                        : paf_number((uint64_t)llround(price->span));
    char *change = paf_change_text(price->span, price->span_without);
    uint32_t n = ghost->by_start ? iot_schedule_processors(&ghost->run.schedule) : 0;
    char *on = n ? paf_count(n, "processor", "processors") : NULL;
    char *text = price->span == price->span_without && n
                     ? g_strdup_printf("%s on %s", after, on)
                 : price->span == price->span_without
                     ? g_strdup_printf("%s, as it was", after)
                     : g_strdup_printf("%s instead of %s (%s)", after, before, change);
    g_free(after);
    g_free(before);
    g_free(change);
    g_free(on);
    return text;
}

// ---------------------------------------------------------------------------------------------
// On the chart

bool paf_shows_ghost(const paf_drawing *d)
{
    return d->v->ghost && d->v->ghost->run.clock == d->v->clock;
}

// Stretches as those of the chart: from stretch `first` on, `n` of this width.
typedef struct {
    int64_t from, width;
    uint32_t n;
} ghost_window;

static ghost_window window_of(const paf_drawing *d)
{
    ghost_window w = {.width = MAX(paf_stretch(d->m, d->zoom), 1)};
    w.from = (int64_t)floor(fmax(d->v->from, 0) / (double)w.width) * w.width;
    w.n = (uint32_t)((d->v->to - (double)w.from) / (double)w.width) + 2;
    return w;
}

static double height_at(const paf_drawing *d, const ghost_window *w, uint32_t i)
{
    double from = (double)(w->from + (int64_t)i * w->width);
    return iot_curve_mean(&d->v->ghost->run.curve, from, from + (double)w->width);
}

double paf_ghost_top(const paf_drawing *d)
{
    if (!paf_shows_ghost(d))
        return 0;
    ghost_window w = window_of(d);
    double *heights = g_new(double, w.n), most = 0;
    for (uint32_t i = 0; i < w.n; i++)
        most = fmax(most, heights[i] = height_at(d, &w, i));
    double top = paf_usual_top(heights, w.n, most);
    g_free(heights);
    return top;
}

static void mark_end(paf_drawing *d)
{
    const iot_price_answer *price = &d->v->ghost->run.price;
    const paf_rect *r = &d->f.chart;
    double x = paf_x(d, price->span_without + 0.5), left = d->f.plot_x, right = left + d->f.plot_w;
    if (x < left || x > right)
        return;
    for (double y = r->y; y < r->y + r->h; y += 7)
        paf_box(d->pic, paf_snap(d->pic, x), y, LINE, fmin(4, r->y + r->h - y));
    paf_fill(d->pic, d->theme->ink, 0);
    char *text = paf_ghost_text(d->m->t, d->v->ghost);
    double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, text) + 14;
    double at = x + 6 + w <= right ? x + 6 : fmax(x - 6 - w, left);
    paf_round_box(d->pic, at, r->y + 2, w, 18, 4);
    paf_fill(d->pic, d->theme->ink, 0);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->window, at + 7, r->y + 15, w - 8, 0, text);
    g_free(text);
}

void paf_draw_ghost(paf_drawing *d, double bottom, double unit)
{
    if (!paf_shows_ghost(d))
        return;
    ghost_window w = window_of(d);
    double before = 0, line = LINE, top = d->f.chart.y + 1;
    for (uint32_t i = 0; i < w.n; i++) {
        double time = (double)w.from + (double)i * (double)w.width - 0.5;
        double x0 = paf_snap(d->pic, paf_x(d, time));
        double x1 = paf_snap(d->pic, paf_x(d, time + (double)w.width));
        double height = height_at(d, &w, i);
        double y = paf_snap(d->pic, fmax(bottom - height * unit, top));
        double y0 = paf_snap(d->pic, fmax(bottom - before * unit, top));
        if (height > 0)
            paf_box(d->pic, x0, y, x1 - x0 + line, line);
        if (i > 0 && y != y0)
            paf_box(d->pic, x0, fmin(y, y0), line, fabs(y - y0) + line);
        before = height;
    }
    paf_fill(d->pic, d->theme->ink, 0);
    mark_end(d);
}
