// SPDX-License-Identifier: MIT
//
// The curve of busy workers and their rows. Each pixel has the shares of the states in its time, one on the
// other, so a picture costs its pixels and one look at each run of equal samples.
#include "paf/layout/samples_picture.h"

#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"

#include <math.h>

#define GUTTER    132.0
#define MARGIN    24.0
#define HEADER    46.0
#define CHART     0.4 // of the height, for the curve at least
#define MOST_ROW  34.0
#define LEAST_ROW 15.0 // that has a name

const char *const paf_state_names[TRACE_STATES] = {
    [TRACE_BUSY] = "busy",
    [TRACE_LOOKING] = "looking for a goal",
    [TRACE_IDLE] = "idle",
    [TRACE_COLLECTING] = "collecting garbage",
};

// From the bottom of a row to its top.
static const trace_state order[TRACE_STATES] = {TRACE_BUSY, TRACE_COLLECTING, TRACE_LOOKING, TRACE_IDLE};

typedef struct {
    const trace *t;
    const trace_samples *s;
    const paf_samples_view *v;
    const paf_theme *theme;
    paf_picture *pic;
    paf_rect plot, rows;
    uint32_t columns; // pixels
    float *shares;    // by worker, state and column
} drawing;

paf_colour paf_state_colour(const paf_theme *theme, trace_state state)
{
    return state == TRACE_BUSY         ? theme->bars
           : state == TRACE_COLLECTING ? theme->ink
           : state == TRACE_LOOKING    ? theme->faint
                                       : theme->track;
}

double paf_samples_end(const trace_samples *s)
{
    return fmax((double)s->n * (double)s->every, 1);
}

paf_samples_view paf_samples_fit(const trace_samples *s, double width, double height)
{
    return (paf_samples_view){.width = width, .height = height, .scale = 1, .to = paf_samples_end(s)};
}

// ---------------------------------------------------------------------------------------------
// Shares

void paf_add_samples(const trace_samples *s, uint32_t worker, double from, double to, uint32_t n,
                     float *shares)
{
    double at = 0, zoom = n / (to - from);
    const trace_sampled *w = &s->workers[worker];
    for (uint32_t i = 0; i < w->nruns && at < to; i++) {
        double end = at + (double)(w->runs[i] >> 2) * (double)s->every;
        double x0 = fmax((at - from) * zoom, 0), x1 = fmin((end - from) * zoom, n);
        float *share = shares + (size_t)(w->runs[i] & 3) * n;
        for (uint32_t c = (uint32_t)x0; c < n && (double)c < x1; c++)
            share[c] += (float)(fmin(x1, (double)c + 1) - fmax(x0, (double)c));
        at = end;
    }
}

static const float *shares_of(const drawing *d, uint32_t worker, trace_state state)
{
    return d->shares + ((size_t)worker * TRACE_STATES + state) * d->columns;
}

char *paf_samples_tell(const trace *t, uint32_t worker, double from, double to)
{
    const trace_samples *s = trace_get_samples(t);
    float shares[TRACE_STATES] = {0};
    char *first = paf_nanoseconds((int64_t)fmax(from, 0)), *last = paf_nanoseconds((int64_t)to);
    GString *text = g_string_new(NULL);
    g_string_printf(text, "worker %u, %s to %s", worker, first, last);
    paf_add_samples(s, worker, from, to, 1, shares);
    for (int k = 0, n = 0; k < TRACE_STATES; k++) {
        if (shares[order[k]] <= 0)
            continue;
        char *share = paf_percent(shares[order[k]], 1);
        g_string_append_printf(text, "%s %s %s", n++ ? "," : ":", paf_state_names[order[k]], share);
        g_free(share);
    }
    g_free(first);
    g_free(last);
    return g_string_free(text, FALSE);
}

// The samples of the whole run by state, of one worker or of all (IOT_NONE).
static void count_samples(const trace_samples *s, uint32_t worker, double ret[TRACE_STATES])
{
    for (int k = 0; k < TRACE_STATES; k++)
        ret[k] = 0;
    for (uint32_t w = 0; w < s->nworkers; w++)
        for (uint32_t i = 0; i < s->workers[w].nruns && (worker == IOT_NONE || worker == w); i++)
            ret[s->workers[w].runs[i] & 3] += (double)(s->workers[w].runs[i] >> 2);
}

// ---------------------------------------------------------------------------------------------
// Parts of the picture

static double x_of(const drawing *d, double time)
{
    return d->plot.x + (time - d->v->from) * d->plot.w / (d->v->to - d->v->from);
}

char *paf_samples_summary(const trace *t)
{
    const trace_samples *s = trace_get_samples(t);
    double sums[TRACE_STATES], all = (double)s->n * s->nworkers;
    char *workers = paf_count(s->nworkers, "worker", "workers");
    char *elapsed = paf_nanoseconds((int64_t)paf_samples_end(s)), *every = paf_nanoseconds((int64_t)s->every);
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s · %s, a sample every %s", workers, elapsed, every);
    count_samples(s, IOT_NONE, sums);
    for (int k = 0; k < TRACE_STATES; k++) {
        char *share = paf_percent(sums[order[k]], all);
        g_string_append_printf(text, " · %s %s", paf_state_names[order[k]], share);
        g_free(share);
    }
    g_free(workers);
    g_free(elapsed);
    g_free(every);
    return g_string_free(text, FALSE);
}

static void draw_header(const drawing *d)
{
    char *text = paf_samples_summary(d->t);
    paf_box(d->pic, 0, 0, d->v->width, HEADER);
    paf_fill(d->pic, d->theme->panel, 0);
    paf_box(d->pic, 0, HEADER - 1, d->v->width, 1);
    paf_fill(d->pic, d->theme->line, 0);
    double x = 20 + paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, 20, 28, d->v->width / 3, 0,
                              d->v->title);
    paf_write_parts(d->pic, PAF_TEXT_BODY, d->theme->quiet, x + 20, 28, d->v->width - x - 40, 0, text);
    g_free(text);
}

static void draw_axis(const drawing *d)
{
    double zoom = d->plot.w / (d->v->to - d->v->from), step = fmax(paf_tick_step(96 / zoom), 1);
    double bottom = d->rows.y + d->rows.h, y = d->plot.y + d->plot.h + 18;
    for (double t = ceil(d->v->from / step) * step; t <= d->v->to; t += step)
        paf_box(d->pic, paf_snap(d->pic, x_of(d, t)), d->plot.y, 1 / d->v->scale, bottom - d->plot.y);
    paf_fill(d->pic, d->theme->grid, 0);
    for (double t = ceil(d->v->from / step) * step; t <= d->v->to; t += step) {
        char *label = paf_tick_of((int64_t)paf_samples_end(d->s), (int64_t)t);
        double half = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, label) / 2;
        double x = fmin(x_of(d, t), d->v->width - 4 - half); // the last one has not all of its room
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y, 0, 0.5, label);
        g_free(label);
    }
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, 20, y, GUTTER - 24, 0, "real time");
}

static void draw_curve(const drawing *d)
{
    double most = d->s->nworkers, unit = d->plot.h / most, bottom = d->plot.y + d->plot.h;
    double step = fmax(paf_tick_step(most * 26 / d->plot.h), 1);
    for (double v = 0; v <= most; v += step)
        paf_box(d->pic, d->plot.x, paf_snap(d->pic, bottom - v * unit), d->plot.w, 1 / d->v->scale);
    paf_fill(d->pic, d->theme->grid, 0);
    for (double v = 0; v <= most; v += step) {
        char *label = paf_number((uint64_t)v);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->plot.x - 8, bottom - v * unit + 4, 0, 1, label);
        g_free(label);
    }
    for (uint32_t c = 0; c < d->columns; c++) {
        double busy = 0;
        for (uint32_t w = 0; w < d->s->nworkers; w++)
            busy += shares_of(d, w, TRACE_BUSY)[c];
        if (busy > 0)
            paf_box(d->pic, d->plot.x + c, bottom - busy * unit, 1, busy * unit);
    }
    paf_fill(d->pic, paf_state_colour(d->theme, TRACE_BUSY), 0);
    paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, 20, d->plot.y - 10, GUTTER + 60, 0, "workers busy");
    paf_add_hit(d->pic, d->plot, PAF_SAMPLES_CHART, 0, 0);
}

// Of one state in the row of a worker: as high as its share, on those below it.
static void draw_state(const drawing *d, uint32_t worker, int at, double bottom, double height)
{
    for (uint32_t c = 0; c < d->columns; c++) {
        double share = shares_of(d, worker, order[at])[c], under = 0;
        for (int k = 0; k < at; k++)
            under += shares_of(d, worker, order[k])[c];
        if (share > 0.005)
            paf_box(d->pic, d->rows.x + c, bottom - height * fmin(under + share, 1), 1,
                    height * fmin(share, 1));
    }
    paf_fill(d->pic, paf_state_colour(d->theme, order[at]), 0);
}

static void draw_name(const drawing *d, uint32_t worker, double y)
{
    double sums[TRACE_STATES];
    count_samples(d->s, worker, sums);
    char *share = paf_percent(sums[TRACE_BUSY], (double)d->s->n);
    char *name = g_strdup_printf("worker %u", worker);
    paf_write(d->pic, PAF_TEXT_BODY, d->theme->ink, 20, y, 66, 0, name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->rows.x - 8, y, 0, 1, share);
    g_free(name);
    g_free(share);
}

// Where there are too many workers for names, each n-th row has one.
static void draw_rows(const drawing *d)
{
    uint32_t n = d->s->nworkers;
    double pitch = fmin(d->rows.h / n, MOST_ROW), height = fmax(pitch - (pitch > 6 ? 5 : 0), 1 / d->v->scale);
    uint32_t named = (uint32_t)fmax(ceil(LEAST_ROW / pitch), 1);
    for (uint32_t w = 0; w < n; w++) {
        double top = d->rows.y + w * pitch;
        for (int k = 0; k < TRACE_STATES; k++)
            draw_state(d, w, k, top + height, height);
        if (w % named == 0)
            draw_name(d, w, top + height / 2 + 4);
        paf_add_hit(d->pic, (paf_rect){d->rows.x, top, d->rows.w, pitch}, PAF_SAMPLES_ROW, w, 0);
    }
}

static void draw_legend(const drawing *d)
{
    double x = d->plot.x, y = d->v->height - 14;
    for (int k = 0; k < TRACE_STATES; k++) {
        paf_box(d->pic, x, y - 9, 12, 10);
        paf_fill(d->pic, paf_state_colour(d->theme, order[k]), 0);
        x += 18 + paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + 18, y, 0, 0,
                            paf_state_names[order[k]]) + 22;
    }
}

// ---------------------------------------------------------------------------------------------

static void lay_out(drawing *d)
{
    double top = (d->v->header ? HEADER : 0) + 34, bottom = d->v->height - 34;
    double width = fmax(d->v->width - GUTTER - MARGIN, 1), height = fmax(bottom - top, 40);
    double rows = fmin((1 - CHART) * height, d->s->nworkers * MOST_ROW);
    d->plot = (paf_rect){GUTTER, top, width, fmax(height - rows - 36, 10)};
    d->rows = (paf_rect){GUTTER, top + height - rows, width, rows};
    d->columns = (uint32_t)ceil(width);
    d->shares = g_new0(float, (gsize)d->columns * TRACE_STATES * d->s->nworkers);
    for (uint32_t w = 0; w < d->s->nworkers; w++)
        paf_add_samples(d->s, w, d->v->from, d->v->from + (d->v->to - d->v->from) * d->columns / width,
                        d->columns, d->shares + (size_t)w * TRACE_STATES * d->columns);
}

paf_samples_picture *paf_samples_create(const trace *t, const paf_samples_view *view,
                                        paf_shaped_text *text)
{
    paf_samples_picture *p = g_new0(paf_samples_picture, 1);
    drawing d = {.t = t,
                 .s = trace_get_samples(t),
                 .v = view,
                 .theme = paf_theme_get(view->dark),
                 .pic = paf_picture_create(text, view->scale)};
    lay_out(&d);
    paf_box(d.pic, 0, 0, view->width, view->height);
    paf_fill(d.pic, d.theme->window, 0);
    if (view->header)
        draw_header(&d);
    draw_axis(&d);
    paf_clip(d.pic, (paf_rect){0, 0, d.plot.x + d.plot.w, view->height});
    draw_curve(&d);
    draw_rows(&d);
    paf_unclip(d.pic);
    draw_legend(&d);
    g_free(d.shares);
    *p = (paf_samples_picture){d.pic, d.plot};
    return p;
}

void paf_samples_destroy(paf_samples_picture *p)
{
    if (p)
        paf_picture_destroy(p->picture);
    g_free(p);
}
