// SPDX-License-Identifier: MIT
//
// Below the row of each location: which routine was called within which, a line for each level, the
// outermost level on top. Narrow calls are drawn as shares of a pixel, in the colour of the routine
// with the largest share.
#include "paf/layout/timeline_rows.h"

#include <math.h>

#define NARROW 2.0  // pixels
#define LABEL  28.0 // pixels that a name needs at least
#define TEXT   11.0 // height of a line that holds text

// Of each pixel of a line: how much of it is covered, and by which module mostly.
typedef struct {
    uint32_t n;
    float *part, *most;
    uint32_t *module;
} shares;

static paf_colour colour_of(const paf_drawing *d, uint32_t module)
{
    return module == IOT_NONE ? d->theme->bars : paf_colour_of(d, module);
}

static void add_share(shares *s, double x0, double x1, uint32_t module)
{
    x0 = fmax(x0, 0);
    for (uint32_t c = (uint32_t)x0; c < s->n && (double)c < x1; c++) {
        float part = (float)(fmin(x1, (double)c + 1) - fmax(x0, (double)c));
        s->part[c] += part;
        if (part > s->most[c]) {
            s->most[c] = part;
            s->module[c] = module;
        }
    }
}

static void draw_shares(paf_drawing *d, const shares *s, double y, double h)
{
    for (uint32_t c = 0; c < s->n;) {
        uint32_t end = c + 1;
        while (end < s->n && s->module[end] == s->module[c] &&
               fabsf(s->part[end] - s->part[c]) < 0.1f)
            end++;
        if (s->part[c] > 0.01f) {
            paf_box(d->pic, d->f.plot_x + c, y, end - c, h);
            paf_fill(d->pic, paf_alpha(colour_of(d, s->module[c]), fmin(s->part[c], 1)), 0);
        }
        c = end;
    }
}

static void draw_execution(paf_drawing *d, const paf_execution *x, double x0, double x1, double y,
                           double h)
{
    paf_colour fill = colour_of(d, x->module);
    double left = fmax(x0, d->f.plot_x), right = fmin(x1, d->f.plot_x + d->f.plot_w);
    paf_box(d->pic, x0, y, fmax(x1 - x0 - 1 / d->v->scale, 1), h);
    paf_fill(d->pic, fill, x->module == IOT_NONE ? 0 : paf_pattern_of(d, x->module));
    paf_add_hit(d->pic, (paf_rect){x0, y, x1 - x0, h}, PAF_HIT_NODE,
                iot_process_of(d->m->a, x->reduction), x->reduction);
    if (h < TEXT || right - left < LABEL || x->module == IOT_NONE)
        return;
    const char *name = iot_get_module(d->m->a, x->module)->name;
    if (paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_TINY, name) + 8 > right - left)
        return;
    bool light = 0.3 * fill.r + 0.59 * fill.g + 0.11 * fill.b > 0.55;
    paf_colour ink = light ? (paf_colour){0.07, 0.08, 0.1, 1} : (paf_colour){1, 1, 1, 1};
    paf_write(d->pic, PAF_TEXT_TINY, ink, (left + right) / 2, y + h / 2 + 3.5, 0, 0.5, name);
}

static void draw_level(paf_drawing *d, const paf_rows *p, uint32_t place, uint32_t level, shares *s)
{
    const paf_timeline *l = p->l;
    double y = paf_snap(d->pic, paf_row_y(p, place) + p->pitch / 2 + level * p->level);
    double h = fmax(p->level - 1, 2);
    uint32_t end = l->first_execution[(size_t)place * l->nlevels + level + 1];
    for (uint32_t c = 0; c < s->n; c++)
        s->part[c] = s->most[c] = 0;
    for (uint32_t i = paf_timeline_execution(l, place, level, d->v->from); i < end; i++) {
        const paf_execution *x = &l->executions[i];
        if ((double)x->start >= d->v->to)
            break;
        double x0 = paf_x(d, (double)x->start), x1 = paf_x(d, (double)x->end);
        if (x1 - x0 >= NARROW)
            draw_execution(d, x, x0, x1, y, h);
        else
            add_share(s, x0 - d->f.plot_x, x1 - d->f.plot_x, x->module);
    }
    draw_shares(d, s, y, h);
}

void paf_draw_executions(paf_drawing *d, const paf_rows *p)
{
    shares s = {.n = p->columns};
    if (p->levels == 0)
        return;
    s.part = g_new(float, s.n);
    s.most = g_new(float, s.n);
    s.module = g_new0(uint32_t, s.n);
    for (uint32_t place = 0; place < p->l->nplaces; place++)
        for (uint32_t level = 0; level < p->levels && paf_row_is_own(p, place); level++)
            draw_level(d, p, place, level, &s);
    g_free(s.part);
    g_free(s.most);
    g_free(s.module);
}
