// SPDX-License-Identifier: MIT
//
// The curve of speed-up over processors.
#include "paf/layout/speed_up.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LEFT   40.0
#define BOTTOM 20.0
#define TOP    16.0
#define RIGHT  10.0

typedef struct {
    const paf_speed_up *s;
    const paf_theme *theme;
    paf_picture *pic;
    paf_rect plot;
    double octaves; // of both axes
    double scale;
} drawing;

static double x_of(const drawing *d, double processors)
{
    return d->plot.x + log2(fmax(processors, 1)) / d->octaves * d->plot.w;
}

static double y_of(const drawing *d, double times)
{
    return d->plot.y + d->plot.h - log2(fmax(times, 1)) / d->octaves * d->plot.h;
}

static void draw_axes(const drawing *d)
{
    int every = d->octaves > 6 ? 2 : 1;
    for (int k = 0; k <= (int)d->octaves; k += every) {
        paf_box(d->pic, paf_snap(d->pic, x_of(d, exp2(k))), d->plot.y, 1 / d->scale, d->plot.h);
        paf_box(d->pic, d->plot.x, paf_snap(d->pic, y_of(d, exp2(k))), d->plot.w, 1 / d->scale);
    }
    paf_fill(d->pic, d->theme->grid, 0);
    for (int k = 0; k <= (int)d->octaves; k += every) {
        char *label = paf_short_number(1u << k);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x_of(d, exp2(k)),
                  d->plot.y + d->plot.h + 15, 0, 0.5, label);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->plot.x - 6, y_of(d, exp2(k)) + 4, 0, 1,
                  label);
        g_free(label);
    }
}

// What P processors could do at best, and what unlimited ones do.
static void draw_bounds(const drawing *d)
{
    double most = fmin(d->s->limit, exp2(d->octaves));
    paf_move(d->pic, x_of(d, 1), y_of(d, 1));
    paf_line(d->pic, x_of(d, most), y_of(d, most));
    paf_stroke(d->pic, d->theme->faint, 1);
    for (double x = x_of(d, most); x < d->plot.x + d->plot.w; x += 7)
        paf_box(d->pic, x, paf_snap(d->pic, y_of(d, most)), fmin(4, d->plot.x + d->plot.w - x), 1);
    paf_fill(d->pic, d->theme->faint, 0);
}

static double times_at(const drawing *d, uint32_t i)
{
    return d->s->spans[i] > 0 ? d->s->spans[0] / d->s->spans[i] : 1;
}

static void draw_points(const drawing *d)
{
    for (uint32_t i = 0; i < d->s->n; i++) {
        double x = x_of(d, d->s->processors[i]), y = y_of(d, times_at(d, i));
        if (i == 0)
            paf_move(d->pic, x, y);
        else
            paf_line(d->pic, x, y);
    }
    paf_stroke(d->pic, d->theme->ink, 1.6);
    for (uint32_t i = 0; i < d->s->n; i++)
        if (d->s->processors[i] == d->s->chosen) {
            double x = x_of(d, d->s->processors[i]), y = y_of(d, times_at(d, i));
            paf_round_box(d->pic, x - 4, y - 4, 8, 8, 4);
            paf_fill(d->pic, d->theme->amber, 0);
        }
}

paf_picture *paf_speed_up_picture(const paf_speed_up *s, double width, double height, double scale,
                                  bool dark, paf_shaped_text *text)
{
    drawing d = {.s = s, .theme = paf_theme_get(dark), .scale = scale,
                 .pic = paf_picture_create(text, scale)};
    d.plot = (paf_rect){LEFT, TOP, fmax(width - LEFT - RIGHT, 20), fmax(height - TOP - BOTTOM, 20)};
    d.octaves = fmax(ceil(log2(fmax(s->n ? s->processors[s->n - 1] : 1, 2))), 1);
    paf_box(d.pic, 0, 0, width, height);
    paf_fill(d.pic, d.theme->panel, 0);
    draw_axes(&d);
    draw_bounds(&d);
    if (s->spans) {
        draw_points(&d);
    } else {
        char *done = g_strdup_printf("being computed, %.0f %%", floor(s->computed * 100));
        paf_write(d.pic, PAF_TEXT_SMALL, d.theme->quiet, d.plot.x + 8, d.plot.y + 12, d.plot.w - 8, 0,
                  done);
        g_free(done);
    }
    return d.pic;
}
