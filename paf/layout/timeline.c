// SPDX-License-Identifier: MIT
//
// A measured run over real time, with a row for each location. An activity that is wide enough is
// drawn as it was: a bar if it ran, dashes if it waited. Narrow ones are drawn as shares of each
// pixel, and so is all of a row that several locations share.
#include "paf/layout/timeline_rows.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdlib.h>

#define NARROW   2.0  // pixels below which an activity is part of a share
#define TEXT_ROW 17.0 // height of a bar that holds text

// ---------------------------------------------------------------------------------------------
// What is wide enough

typedef struct {
    uint32_t reduction, place, module;
    paf_interval_kind kind;
    double x0, x1;
} item;

static int by_look(gconstpointer x, gconstpointer y)
{
    const item *a = x, *b = y;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->module < b->module ? -1 : a->module > b->module;
}

void paf_draw_dashes(paf_drawing *d, paf_interval_kind s, double x0, double x1, double y, bool thin)
{
    static const struct {
        double on, off, thick;
    } looks[] = {[PAF_INTERVAL_USER] = {8, 4, 2},
                 [PAF_INTERVAL_IMPLIED] = {2, 3, 2},
                 [PAF_INTERVAL_MUTEX] = {4, 3, 1},
                 [PAF_INTERVAL_OTHER] = {1, 3, 1}};
    double on = looks[s].on, step = on + looks[s].off, h = thin ? 1 : looks[s].thick;
    double left = d->f.plot_x - step, right = d->f.plot_x + d->f.plot_w;
    x0 = x0 < left ? left - fmod(left - x0, step) : x0;
    y = paf_snap(d->pic, y - h / 2);
    for (double x = x0; x < x1 && x < right; x += step)
        paf_box(d->pic, x, y, fmin(on, x1 - x), h);
}

paf_colour paf_dash_colour(const paf_drawing *d, paf_interval_kind s)
{
    return s == PAF_INTERVAL_USER || s == PAF_INTERVAL_MUTEX ? d->theme->ink : d->theme->quiet;
}

static void add_boxes(paf_drawing *d, const paf_rows *p, const item *items, guint n)
{
    double part = items[0].kind == PAF_INTERVAL_BASE  ? 0.36
                  : paf_interval_waits(items[0].kind) ? 0.6
                                                        : 1;
    double h = fmax(round(p->bar * part), 2), gap = 1 / d->v->scale;
    for (guint i = 0; i < n; i++) {
        double y = paf_snap(d->pic, paf_row_y(p, items[i].place) - h / 2);
        double w = items[i].x1 - items[i].x0;
        paf_box(d->pic, items[i].x0, y, w > 4 ? w - gap : w, h);
    }
}

// Items of one look.
static void draw_items(paf_drawing *d, const paf_rows *p, const item *items, guint n)
{
    paf_interval_kind s = items[0].kind;
    uint32_t module = items[0].module;
    paf_colour colour = paf_colour_of(d, module);
    bool waits = paf_interval_waits(s);
    add_boxes(d, p, items, n);
    paf_fill(d->pic, waits ? paf_alpha(colour, d->theme->dark ? 0.26 : 0.2) : colour,
             waits ? 0 : paf_pattern_of(d, module));
    if (waits) {
        for (guint i = 0; i < n; i++)
            paf_draw_dashes(d, s, items[i].x0, items[i].x1, paf_row_y(p, items[i].place),
                            p->bar < 8);
        // In low rows dashes are faint: waiting must not outshine work.
        paf_fill(d->pic, paf_alpha(paf_dash_colour(d, s), p->bar < 8 ? 0.4 : 1), 0);
    } else if (s == PAF_INTERVAL_INNER && p->bar >= 8) {
        for (guint i = 0; i < n; i++)
            paf_box(d->pic, items[i].x0, paf_snap(d->pic, paf_row_y(p, items[i].place) - 1),
                    items[i].x1 - items[i].x0, 2);
        paf_fill(d->pic, d->theme->ink, 0);
    }
}

// What the bar says of itself.
static char *item_text(const paf_drawing *d, const item *x)
{
    const paf_timeline *l = paf_timeline_by(d->m, d->v->clock);
    const paf_chunk *c = paf_timeline_chunk(l, x->reduction);
    if (c) {
        int64_t last;
        if (__builtin_add_overflow(c->first, c->n - 1, &last))
            return NULL;
        GString *s = g_string_new(NULL);
        g_string_printf(s, "%" G_GINT64_FORMAT, c->first);
        if (last > c->first)
            g_string_append_printf(s, "–%" G_GINT64_FORMAT, last);
        if (c->every > 0)
            g_string_append_printf(s, ", every %" G_GINT64_FORMAT, c->every);
        return g_string_free(s, FALSE);
    }
    return x->kind == PAF_INTERVAL_WORK ? g_strdup(iot_get_module(d->m->a, x->module)->name)
                                          : NULL;
}

static void label_item(paf_drawing *d, const paf_rows *p, const item *x)
{
    double x0 = fmax(x->x0, d->f.plot_x), x1 = fmin(x->x1, d->f.plot_x + d->f.plot_w);
    if (x1 - x0 < 28 || paf_interval_waits(x->kind) || x->kind == PAF_INTERVAL_INNER)
        return;
    char *text = item_text(d, x);
    paf_shaped_text *texts = paf_picture_text(d->pic);
    double w = text ? paf_shaped_text_width(texts, PAF_TEXT_TINY, text) + 8 : 0;
    if (text && w <= x1 - x0) {
        paf_colour fill = paf_colour_of(d, x->module);
        if (paf_pattern_of(d, x->module)) { // no text on hatching
            paf_box(d->pic, (x0 + x1 - w) / 2, paf_row_y(p, x->place) - 7, w, 14);
            paf_fill(d->pic, fill, 0);
        }
        bool light = 0.3 * fill.r + 0.59 * fill.g + 0.11 * fill.b > 0.55;
        paf_colour ink = light ? (paf_colour){0.07, 0.08, 0.1, 1} : (paf_colour){1, 1, 1, 1};
        paf_write(d->pic, PAF_TEXT_TINY, ink, (x0 + x1) / 2, paf_row_y(p, x->place) + 3.5, 0, 0.5,
                  text);
    }
    g_free(text);
}

static void draw_all_items(paf_drawing *d, const paf_rows *p, GArray *items)
{
    g_array_sort(items, by_look);
    const item *all = (const item *)(const void *)items->data;
    for (guint i = 0; i < items->len;) {
        guint end = i + 1;
        while (end < items->len && by_look(&all[i], &all[end]) == 0)
            end++;
        draw_items(d, p, &all[i], end - i);
        i = end;
    }
    for (guint i = 0; i < items->len; i++) {
        if (p->bar >= TEXT_ROW)
            label_item(d, p, &all[i]);
        double w = fmax(all[i].x1 - all[i].x0, 1);
        paf_rect place = {all[i].x0, paf_row_y(p, all[i].place) - p->pitch / 2, w, p->pitch};
        paf_add_hit(d->pic, place, PAF_HIT_NODE, iot_process_of(d->m->a, all[i].reduction),
                    all[i].reduction);
    }
}

// ---------------------------------------------------------------------------------------------
// Shares

// Of each pixel of a row, by layer: modules, the rest of them, waiting.
typedef struct {
    uint32_t columns, layers;
    float *part; // [(row * columns + column) * layers + layer]; rows are counted from the first in sight
    bool *used;  // by row
} shares;

// The row that a place is looked at for, from the first in sight, and how many places it has.
typedef struct {
    uint32_t index, places;
    bool items; // what is wide enough is drawn as it was
} share_row;

static void add_share(const paf_drawing *d, share_row row, shares *s, const item *x)
{
    double x0 = fmax(x->x0 - d->f.plot_x, 0), x1 = fmin(x->x1 - d->f.plot_x, s->columns);
    uint32_t rank = d->m->rank[x->module];
    uint32_t layer = paf_interval_waits(x->kind) ? s->layers - 1 : MIN(rank, s->layers - 2);
    float *part = s->part + (size_t)row.index * s->columns * s->layers + layer;
    for (uint32_t c = (uint32_t)x0; c < s->columns && (double)c < x1; c++)
        part[(size_t)c * s->layers] +=
            (float)((fmin(x1, (double)c + 1) - fmax(x0, (double)c)) / row.places);
    s->used[row.index] = true;
}

// The columns of one row and layer, on those below: equal neighbours make one box.
static void add_layer(const paf_drawing *d, const paf_rows *p, const shares *s, uint32_t row,
                      uint32_t layer)
{
    const float *part = s->part + (size_t)row * s->columns * s->layers;
    double bottom = paf_row_middle(p, p->first + row) + p->bar / 2, x = d->f.plot_x;
    double from = 0, under = 0, height = 0;
    for (uint32_t c = 0; c <= s->columns; c++) {
        double below = 0, here = 0;
        for (uint32_t k = 0; c < s->columns && k < layer; k++)
            below += part[(size_t)c * s->layers + k];
        if (c < s->columns)
            here = fmin(part[(size_t)c * s->layers + layer], fmax(1 - below, 0));
        if (fabs(here - height) < 0.01 && fabs(below - under) < 0.01)
            continue;
        if (height > 0)
            paf_box(d->pic, x + from, bottom - p->bar * (under + height), (double)c - from,
                    p->bar * height);
        from = c;
        under = below;
        height = here;
    }
}

static void draw_shares(paf_drawing *d, const paf_rows *p, const shares *s)
{
    for (uint32_t layer = 0; layer < s->layers; layer++) {
        for (uint32_t row = 0; row < p->shown; row++)
            if (s->used[row])
                add_layer(d, p, s, row, layer);
        bool waits = layer == s->layers - 1, rest = layer == s->layers - 2;
        uint32_t module = waits || rest ? 0 : d->m->order[layer];
        paf_fill(d->pic,
                 waits  ? paf_alpha(d->theme->faint, d->theme->dark ? 0.45 : 0.35)
                 : rest ? d->theme->bars
                        : paf_colour_of(d, module),
                 waits || rest ? 0 : paf_pattern_of(d, module));
    }
}

// ---------------------------------------------------------------------------------------------
// One place

// A block that is narrower than a pixel, as a whole: what is in it is shares anyway. False: it is
// wider, or not all in sight.
static bool add_block(const paf_drawing *d, const paf_rows *p, share_row row, uint32_t place, uint32_t i,
                      shares *s, double *ret_waits)
{
    const paf_timeline *l = p->l;
    uint32_t k = i - l->first_of[place];
    if (!l->blocks || k % PAF_BLOCK != 0 || i + PAF_BLOCK > l->first_of[place + 1])
        return false;
    double start = (double)paf_timeline_start(l, l->by_place[i]);
    double end = (double)paf_timeline_end(l, l->by_place[i + PAF_BLOCK - 1]);
    double x0 = paf_x(d, start) - d->f.plot_x, x1 = paf_x(d, end) - d->f.plot_x;
    if (start < d->v->from || end > d->v->to || x1 - x0 >= 1 || x1 <= x0)
        return false;
    const float *sums = l->blocks + (size_t)(l->first_block[place] + k / PAF_BLOCK) * l->layers;
    for (uint32_t c = (uint32_t)fmax(x0, 0); c < s->columns && (double)c < x1; c++) {
        double part = (fmin(x1, (double)c + 1) - fmax(x0, (double)c)) / (x1 - x0);
        float *to = s->part + ((size_t)row.index * s->columns + c) * s->layers;
        for (uint32_t layer = 0; layer < s->layers; layer++)
            to[layer] += (float)(sums[layer] * d->zoom * part / row.places);
    }
    for (uint32_t layer = 0; layer < s->layers; layer++)
        ret_waits[layer + 1 == s->layers] += sums[layer];
    s->used[row.index] = true;
    return true;
}

// ret_waits: how long the place ran in what is shown, and waited.
static void add_activities(const paf_drawing *d, const paf_rows *p, share_row row, uint32_t place,
                           GArray *items, shares *s, double *ret_waits)
{
    const paf_timeline *l = p->l;
    const trace *t = d->m->t;
    for (uint32_t i = paf_timeline_at(l, place, d->v->from); i < l->first_of[place + 1]; i++) {
        if (add_block(d, p, row, place, i, s, ret_waits)) {
            i += PAF_BLOCK - 1;
            continue;
        }
        uint32_t r = l->by_place[i];
        double start = (double)paf_timeline_start(l, r), end = (double)paf_timeline_end(l, r);
        if (start >= d->v->to)
            break;
        item x = {.reduction = r,
                  .place = place,
                  .module = iot_module_of_goal(d->m->a, trace_reduction_goal(t, r)),
                  .kind = paf_interval_of(l, r),
                  .x0 = paf_x(d, start),
                  .x1 = paf_x(d, end)};
        ret_waits[paf_interval_waits(x.kind)] += fmax(fmin(end, d->v->to) - fmax(start, d->v->from), 0);
        if (row.items && x.x1 - x.x0 >= NARROW)
            g_array_append_val(items, x);
        else if (x.x1 > x.x0)
            add_share(d, row, s, &x);
    }
}

static void draw_selection(paf_drawing *d, const paf_rows *p)
{
    uint32_t r = d->v->selected;
    if (r == IOT_NONE || r == 0 || r >= trace_nreductions(d->m->t))
        return;
    double x0 = paf_x(d, (double)paf_timeline_start(p->l, r)),
           x1 = paf_x(d, (double)paf_timeline_end(p->l, r));
    double y = paf_row_y(p, trace_place(d->m->t, r));
    paf_round_box(d->pic, x0 - 1, y - p->bar / 2 - 2, fmax(x1 - x0, 2) + 2, p->bar + 4, 2);
    paf_stroke(d->pic, d->theme->amber, 2);
}

// What is in sight of a row, and how it and its places are found by the pointer.
static void add_row(paf_drawing *d, const paf_rows *p, uint32_t index, GArray *items, shares *s)
{
    const paf_row *row = &p->row[index];
    double sums[2] = {0, 0};
    share_row of = {index - p->first, row->n, row->n == 1 && row->group == IOT_NONE};
    for (uint32_t i = row->first; i < row->first + row->n; i++)
        add_activities(d, p, of, p->order[i], items, s, sums);
    paf_label_row(d, p, index, (d->v->by_wait ? sums[1] : sums[0]) / ((d->v->to - d->v->from) * row->n));
    paf_rect place = {d->f.plot_x, paf_row_middle(p, index) - p->pitch / 2, d->f.plot_w, p->pitch};
    if (row->group == IOT_NONE)
        paf_add_hit(d->pic, place, PAF_HIT_ROW, p->order[row->first], row->n);
}

static void draw_rows(paf_drawing *d, const paf_rows *p)
{
    GArray *items = g_array_new(FALSE, FALSE, sizeof(item));
    shares s = {.columns = p->columns, .layers = MIN(d->m->nmodules + 2, PAF_LAYERS)};
    s.part = g_new0(float, (size_t)p->shown *s.columns *s.layers);
    s.used = g_new0(bool, p->shown);
    for (uint32_t row = p->first; row < p->first + p->shown; row++)
        add_row(d, p, row, items, &s);
    paf_clip(d->pic, (paf_rect){d->f.plot_x, p->top, d->f.plot_w, p->bottom - p->top});
    draw_shares(d, p, &s);
    if (items->len > 0)
        draw_all_items(d, p, items);
    if (p->l->nlevels > 0)
        paf_draw_executions(d, p);
    paf_draw_worker_states(d, p);
    paf_draw_hands(d, p);
    draw_selection(d, p);
    paf_unclip(d->pic);
    paf_clip(d->pic, (paf_rect){d->f.plot_x, d->f.lanes.y, d->f.plot_w, p->bottom - d->f.lanes.y});
    paf_draw_loops(d, p);
    paf_unclip(d->pic);
    g_array_unref(items);
    g_free(s.part);
    g_free(s.used);
}

// A faint line where a place has nothing to do.
static void draw_tracks(paf_drawing *d, const paf_rows *p)
{
    for (uint32_t row = p->first; row < p->first + p->shown; row++)
        paf_box(d->pic, d->f.plot_x, paf_snap(d->pic, paf_row_middle(p, row)), d->f.plot_w, 1 / d->v->scale);
    paf_fill(d->pic, d->theme->grid, 0);
}

// Behind the last event that a place kept nothing is known of it.
static void draw_unknown(paf_drawing *d, const paf_rows *p)
{
    const trace_dropped *losses;
    uint32_t n = trace_get_dropped(d->m->t, &losses);
    double right = d->f.plot_x + d->f.plot_w;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = losses[i].place, end = p->l->first_of[place + 1];
        if (!paf_row_is_own(p, place))
            continue;
        double known = end > p->l->first_of[place]
                           ? paf_x(d, (double)trace_end(d->m->t, p->l->by_place[end - 1]))
                           : d->f.plot_x;
        known = fmax(known, d->f.plot_x);
        if (known >= right)
            continue;
        double y = paf_row_y(p, place);
        paf_box(d->pic, known, paf_snap(d->pic, y - p->bar / 2), right - known, p->bar);
        paf_fill(d->pic, paf_alpha(d->theme->faint, 0.25), 0);
        if (right - known > 60 && p->bar >= TEXT_ROW)
            paf_write(d->pic, PAF_TEXT_TINY, d->theme->quiet, (known + right) / 2, y + 3.5, 0, 0.5,
                      "not kept");
    }
}

static void draw_timeline(paf_drawing *d)
{
    paf_rows p = paf_plan_rows(d);
    const paf_rect *r = &d->f.lanes;
    paf_clip(d->pic, *r);
    paf_draw_grid(d, (paf_rect){r->x, r->y, r->w, p.bottom - r->y});
    paf_add_hit(d->pic, (paf_rect){d->f.plot_x, r->y, d->f.plot_w, r->h}, PAF_HIT_LANES, 0, 0);
    draw_tracks(d, &p);
    if (p.l->clock == IOT_REAL_TIME) { // of a replay neither is known
        draw_unknown(d, &p);
        paf_draw_teams(d, &p);
    }
    draw_rows(d, &p);
    if (d->f.loops.w > 0)
        paf_draw_iterations(d, &p);
    paf_draw_timeline_legend(d, &p, p.bottom + 17);
    paf_head_rows(d, &p);
    paf_unclip(d->pic);
    paf_free_rows(&p);
}

// All of it draws into d->f.lanes.
void paf_draw_timeline(paf_drawing *d, paf_rect place)
{
    paf_rect lanes = d->f.lanes;
    d->f.lanes = place;
    draw_timeline(d);
    d->f.lanes = lanes;
}
