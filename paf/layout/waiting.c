// SPDX-License-Identifier: MIT
//
// Goals that wait for ever: hatched boxes without an end, in the section of their module, each with what
// it waits for. An arrow comes from the one that could bind that and waits itself.
#include "paf/layout/lanes.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LEAST_W    26.0 // of a box, at the right edge
#define ARROW_STEP 14.0 // between arrows
#define LEAST_TEXT 11.0 // height of a lane with text

static paf_rect box_of(const paf_drawing *d, const paf_lane *lane)
{
    double right = d->f.plot_x + d->f.plot_w + 8;
    int64_t since = paf_goal_created(d->m, d->v->clock, d->m->waiting->groups[lane->waiting].goal);
    double left = fmax(paf_x(d, (double)since), d->f.plot_x - 8), pad = lane->h > 16 ? 3 : 1;
    left = fmin(left, right - LEAST_W);
    return (paf_rect){left, lane->y + pad, right - left, lane->h - 2 * pad};
}

// Round on the left, open on the right.
static void outline(paf_drawing *d, const paf_rect *r)
{
    paf_move(d->pic, r->x + r->w, r->y);
    paf_line(d->pic, r->x, r->y);
    paf_line(d->pic, r->x, r->y + r->h);
    paf_line(d->pic, r->x + r->w, r->y + r->h);
}

// "total(S1,6,T) waits for S1", and how many groups there are besides.
static char *label_of(const paf_drawing *d, const paf_lane *lane)
{
    const paf_waiting_goals *w = d->m->waiting;
    const paf_waiting *g = &w->groups[lane->waiting];
    char *goal = paf_waiting_goal(w, lane->waiting), *what = paf_waiting_variables(w, lane->waiting);
    GString *s = g_string_new(g->circle ? "↻ " : "");
    g_string_append(s, goal);
    if (g->count > 1) {
        char *more = paf_number(g->count - 1);
        g_string_append_printf(s, " and %s more", more);
        g_free(more);
    }
    g_string_append_printf(s, g->count > 1 ? " wait for %s" : " waits for %s", what);
    if (lane->nmore) {
        char *more = paf_count(lane->nmore, "more group", "more groups");
        g_string_append_printf(s, " · +%s", more);
        g_free(more);
    }
    g_free(goal);
    g_free(what);
    return g_string_free(s, FALSE);
}

// In the box, or, where that is narrow, before it.
static void write_label(paf_drawing *d, const paf_lane *lane, const paf_rect *r)
{
    char *text = label_of(d, lane);
    double right = d->f.plot_x + d->f.plot_w - 6, left = fmax(r->x + 6, d->f.plot_x + 6);
    double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_TINY, text);
    bool inside = right - left >= fmin(w, 160);
    double x = inside ? left : r->x - 6, room = inside ? right - left : r->x - 12 - d->f.plot_x;
    w = fmin(w, room);
    if (room > 40) {
        paf_round_box(d->pic, inside ? x - 3 : x - w - 3, r->y + r->h / 2 - 7, w + 6, 14, 3);
        paf_fill(d->pic, paf_alpha(d->theme->card, 0.9), 0);
        paf_write(d->pic, PAF_TEXT_TINY, d->theme->ink, x, r->y + r->h / 2 + 3.5, room, inside ? 0 : 1,
                  text);
    }
    g_free(text);
}

static void draw_box(paf_drawing *d, const paf_lane *lane)
{
    paf_rect r = box_of(d, lane);
    const paf_waiting *g = &d->m->waiting->groups[lane->waiting];
    paf_colour pale = paf_mix(paf_colour_of(d, lane->module), d->theme->lane, d->theme->dark ? 0.34 : 0.22);
    bool chosen = d->v->waiting == lane->waiting;
    paf_box(d->pic, r.x, r.y, r.w, r.h);
    paf_fill(d->pic, pale, 1);
    outline(d, &r);
    paf_stroke(d->pic,
               chosen      ? d->theme->amber
               : g->circle ? d->theme->bad
                           : paf_colour_of(d, lane->module),
               chosen ? 2 : 1.2);
    if (lane->h >= LEAST_TEXT)
        write_label(d, lane, &r);
    paf_add_hit(d->pic, r, PAF_HIT_WAITING, lane->waiting, 0);
}

static const paf_lane *lane_of_group(const paf_lanes *l, uint32_t group)
{
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        for (uint32_t k = s->first_lane; k < s->first_lane + s->nlanes; k++)
            if (paf_lane_at(l, k)->kind == PAF_LANE_WAITING && paf_lane_at(l, k)->waiting == group)
                return paf_lane_at(l, k);
    }
    return NULL;
}

static void draw_binder(paf_drawing *d, const paf_lane *from, const paf_lane *to, double x)
{
    paf_rect a = box_of(d, from), b = box_of(d, to);
    bool down = b.y > a.y;
    double y0 = down ? a.y + a.h : a.y, y1 = down ? b.y : b.y + b.h, back = down ? -5 : 5;
    paf_colour colour = d->m->waiting->groups[to->waiting].circle &&
                                d->m->waiting->groups[from->waiting].circle
                            ? d->theme->bad
                            : d->theme->quiet;
    paf_move(d->pic, x, y0);
    paf_line(d->pic, x, y1 + back);
    paf_stroke(d->pic, colour, 1.3);
    paf_move(d->pic, x, y1);
    paf_line(d->pic, x - 3, y1 + back);
    paf_line(d->pic, x + 3, y1 + back);
    paf_close(d->pic);
    paf_fill(d->pic, colour, 0);
}

void paf_draw_waiting(paf_drawing *d, const paf_lanes *l)
{
    const paf_waiting_goals *w = d->m->waiting;
    double x = d->f.plot_x + d->f.plot_w - 4;
    for (uint32_t i = 0; i < w->n; i++) {
        const paf_lane *lane = lane_of_group(l, i);
        if (lane)
            draw_box(d, lane);
    }
    for (uint32_t i = 0; i < w->n && x > d->f.plot_x + d->f.plot_w * 0.7; i++) {
        const paf_lane *to = lane_of_group(l, i);
        uint32_t binder = to ? paf_waiting_binder(w, i) : IOT_NONE;
        const paf_lane *from = binder == IOT_NONE ? NULL : lane_of_group(l, binder);
        if (!from || from == to)
            continue;
        draw_binder(d, from, to, x);
        x -= ARROW_STEP;
    }
}

// ---------------------------------------------------------------------------------------------
// Details

#define LINE 17.0

// A goal of the tree of causes, as a link.
static double write_link(paf_drawing *d, paf_rect place, double y, const char *head, uint32_t group)
{
    char *title = paf_waiting_title(d->m->waiting, group);
    double used = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, y, 0, 0, head) + 8;
    paf_write(d->pic, PAF_TEXT_MONO, d->theme->amber, place.x + used, y, place.w - used, 0, title);
    paf_add_hit(d->pic, (paf_rect){place.x, y - 13, place.w, LINE}, PAF_HIT_WAITING, group, 0);
    g_free(title);
    return y + LINE;
}

void paf_draw_waiting_details(paf_drawing *d, paf_rect place)
{
    const paf_waiting_goals *w = d->m->waiting;
    uint32_t group = d->v->waiting;
    const paf_waiting *g = &w->groups[group];
    double y = place.y + 22, bottom = place.y + place.h - 10;
    char *title = paf_waiting_title(w, group), *at = paf_waiting_place(w, group);
    char *lines = paf_waiting_lines(w, group);
    char *subtitle = g_strdup_printf("%s · %s · never reduced%s",
                                     iot_get_module(d->m->a, g->module)->name, at,
                                     g->circle ? " · ↻ in a circle" : "");
    paf_write(d->pic, PAF_TEXT_MONO_BOLD, d->theme->ink, place.x, y, place.w, 0, title);
    paf_write_parts(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, y + LINE, place.w, 0, subtitle);
    y += LINE + 10;
    char **each = g_strsplit(lines, "\n", -1);
    for (char **line = each; *line; line++)
        y += paf_write_paragraph(d->pic, PAF_TEXT_BODY, d->theme->ink, place.x, y, place.w, 3, *line) + 3;
    g_strfreev(each);
    y += 20;
    uint32_t binder = paf_waiting_binder(w, group);
    if (binder != IOT_NONE && y <= bottom)
        y = write_link(d, place, y, "could bind it:", binder);
    for (uint32_t i = 0; i < w->n && y <= bottom; i++)
        if (i != group && paf_waiting_binder(w, i) == group)
            y = write_link(d, place, y, "waits for this one:", i);
    g_free(subtitle);
    g_free(lines);
    g_free(at);
    g_free(title);
}
