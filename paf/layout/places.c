// SPDX-License-Identifier: MIT
//
// Where a real run ran: a row for each worker over real time, filled in proportion to how busy the
// worker was, in the colours of the modules. Of a simulated run: a row for each processor over its
// steps, in which a processor may also wait.
#include "iotree/simulate.h"
#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LAYERS 12 // modules with a colour of their own; the rest make one grey layer
#define LEGEND 28.0
#define AXIS   28.0
#define LABELS 96.0
#define LEAST  10.0 // height of a row
#define MOST   44.0

// Busy time by row, column of a pixel and layer, as a share of the column. In the last layer
// processors wait; the one before has the modules without a colour of their own.
typedef struct {
    paf_rect plot;
    uint32_t rows, columns, layers;
    float *busy;
    double *sums; // by row, in the window's unit of time, without waiting
} places;

static uint32_t count_rows(const paf_drawing *d)
{
    const iot_schedule *s = d->v->schedule;
    return s ? iot_schedule_processors(s) : trace_nplaces(d->m->t);
}

static uint32_t layer_of(const places *p, const paf_model *m, uint32_t module)
{
    uint32_t rank = m->rank[module];
    return rank < p->layers - 2 ? rank : p->layers - 2;
}

static void add(const paf_drawing *d, places *p, uint32_t row, double start, double end,
                uint32_t layer)
{
    start = fmax(start, d->v->from);
    end = fmin(end, d->v->to);
    if (row >= p->rows || end <= start)
        return;
    float *busy = p->busy + (size_t)row * p->columns * p->layers + layer;
    double zoom = p->plot.w / (d->v->to - d->v->from);
    double x0 = (start - d->v->from) * zoom, x1 = (end - d->v->from) * zoom;
    for (uint32_t c = (uint32_t)x0; c < p->columns && (double)c < x1; c++)
        busy[(size_t)c * p->layers] += (float)(fmin(x1, (double)c + 1) - fmax(x0, (double)c));
    if (layer < p->layers - 1)
        p->sums[row] += end - start;
}

static void add_reduction(const paf_drawing *d, places *p, uint32_t r)
{
    const trace *t = d->m->t;
    const iot_schedule *s = d->v->schedule;
    uint32_t goal = trace_reduction_goal(t, r);
    uint32_t layer =
        layer_of(p, d->m, goal == TRACE_NONE ? 0 : iot_module_of_goal(d->m->a, goal));
    if (!s) {
        add(d, p, trace_place(t, r), (double)trace_start(t, r), (double)trace_end(t, r), layer);
        return;
    }
    add(d, p, s->places[r], (double)s->waited[r], (double)s->starts[r], p->layers - 1);
    add(d, p, s->places[r], (double)s->starts[r], (double)iot_schedule_end(s, r), layer);
}

// The columns of one row and layer: equal neighbours make one box.
static void draw_layer(const paf_drawing *d, const places *p, uint32_t row, uint32_t layer,
                       double y, double h)
{
    const float *busy = p->busy + (size_t)row * p->columns * p->layers;
    double from = 0, bottom = 0, height = 0;
    for (uint32_t c = 0; c <= p->columns; c++) {
        double below = 0, here = 0;
        for (uint32_t l = 0; c < p->columns && l < layer; l++)
            below += busy[(size_t)c * p->layers + l];
        if (c < p->columns)
            here = fmin(busy[(size_t)c * p->layers + layer], fmax(1 - below, 0));
        if (fabs(here - height) < 0.01 && fabs(below - bottom) < 0.01)
            continue;
        if (height > 0)
            paf_box(d->pic, p->plot.x + from, y + h * (1 - bottom - height), (double)c - from,
                    h * height);
        from = c;
        bottom = below;
        height = here;
    }
    bool waits = layer == p->layers - 1, rest = layer == p->layers - 2;
    uint32_t module = waits || rest ? 0 : d->m->order[layer];
    paf_fill(d->pic,
             waits  ? paf_alpha(d->theme->faint, d->theme->dark ? 0.45 : 0.35)
             : rest ? d->theme->bars
                    : paf_colour_of(d, module),
             waits || rest ? 0 : paf_pattern_of(d, module));
}

static void draw_row(const paf_drawing *d, const places *p, uint32_t row, double pitch)
{
    double y = p->plot.y + row * pitch, h = round(pitch * 0.8);
    paf_box(d->pic, p->plot.x, y, p->plot.w, h);
    paf_fill(d->pic, d->theme->track, 0);
    for (uint32_t l = 0; l < p->layers; l++)
        draw_layer(d, p, row, l, y, h);
    const char *named = d->v->schedule ? NULL : trace_place_name(d->m->t, row);
    char *name = named ? g_strdup(named)
                       : g_strdup_printf(d->v->schedule ? "processor %u" : "worker %u", row);
    char *share = paf_percent(p->sums[row], d->v->to - d->v->from);
    paf_write_name(d->pic, PAF_TEXT_SMALL, d->theme->ink, p->plot.x - 10, y + h / 2 + 4,
                   LABELS - 14, 1, name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x + p->plot.w + 8, y + h / 2 + 4, 0,
              0, share);
    g_free(name);
    g_free(share);
}

// "2.5 ms"
static char *moment(double nanoseconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(units); i++)
        if (nanoseconds >= units[i].unit)
            return g_strdup_printf("%.6g %s", nanoseconds / units[i].unit, units[i].name);
    return g_strdup_printf("%.0f ns", nanoseconds);
}

static void draw_axis(const paf_drawing *d, const places *p, double bottom)
{
    bool simulated = d->v->schedule != NULL;
    double zoom = p->plot.w / (d->v->to - d->v->from), step = paf_tick_step(84 / zoom);
    if (simulated)
        step = fmax(step, 1);
    for (double t = ceil(d->v->from / step) * step; t <= d->v->to; t += step)
        paf_box(d->pic, paf_snap(d->pic, p->plot.x + (t - d->v->from) * zoom), p->plot.y - 6,
                1 / d->v->scale, bottom - p->plot.y + 6);
    paf_fill(d->pic, d->theme->grid, 0);
    for (double t = ceil(d->v->from / step) * step; t <= d->v->to; t += step) {
        char *label = simulated ? paf_number((uint64_t)t) : moment(t);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x + (t - d->v->from) * zoom,
                  p->plot.y - 12, 0, 0.5, label);
        g_free(label);
    }
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x - LABELS, p->plot.y - 12,
              LABELS - 40, 0, simulated ? "steps" : "real time");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x + p->plot.w + 8, p->plot.y - 12, 0,
              0, "busy");
}

static void draw_legend(const paf_drawing *d, const places *p, double y)
{
    double x = p->plot.x, right = p->plot.x + p->plot.w;
    for (uint32_t i = 0; i < d->m->nmodules; i++) {
        bool rest = i == p->layers - 2 && d->m->nmodules > p->layers - 1;
        uint32_t module = d->m->order[i];
        const char *name = rest ? "others" : iot_get_module(d->m->a, module)->name;
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, name);
        if (x + 16 + w > right)
            break;
        paf_draw_swatch((paf_drawing *)d, x, y - 9, 10, rest ? IOT_NONE : module);
        x += 16 + paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, x + 16, y, 0, 0, name) + 20;
        if (rest)
            break;
    }
    if (d->v->schedule && d->v->schedule->sums.waiting > 0 && x + 16 < right) {
        paf_box(d->pic, x, y - 9, 10, 10);
        paf_fill(d->pic, paf_alpha(d->theme->faint, d->theme->dark ? 0.45 : 0.35), 0);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + 16, y, right - x - 16, 0,
                  "waiting for what another processor made");
    }
}

void paf_draw_places(paf_drawing *d, paf_rect place)
{
    uint32_t n = count_rows(d);
    places p = {.plot = {place.x + LABELS, place.y + AXIS, place.w - LABELS - 56,
                         place.h - AXIS - LEGEND}};
    double pitch = CLAMP(floor(p.plot.h / fmax(n, 1)), LEAST, MOST);
    p.rows = MIN(n, (uint32_t)fmax(floor(p.plot.h / pitch), 1));
    p.columns = (uint32_t)fmax(floor(p.plot.w), 1);
    p.plot.w = p.columns;
    p.layers = MIN(d->m->nmodules, LAYERS) + 2;
    p.busy = g_new0(float, (size_t)p.rows * p.columns * p.layers);
    p.sums = g_new0(double, p.rows);
    for (uint32_t r = 0; r < trace_nreductions(d->m->t); r++)
        add_reduction(d, &p, r);
    double bottom = p.plot.y + p.rows * pitch;
    draw_axis(d, &p, bottom);
    for (uint32_t i = 0; i < p.rows; i++)
        draw_row(d, &p, i, pitch);
    draw_legend(d, &p, bottom + LEGEND - 8);
    if (p.rows < n) {
        char *rest = d->v->schedule
                         ? paf_count(n - p.rows, "more processor", "more processors")
                         : paf_count(n - p.rows, "more worker", "more workers");
        char *text = g_strdup_printf("+%s", rest);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, bottom + LEGEND - 8, LABELS, 0,
                  text);
        g_free(text);
        g_free(rest);
    }
    g_free(p.busy);
    g_free(p.sums);
}
