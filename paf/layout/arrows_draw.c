// SPDX-License-Identifier: MIT
//
// Drawing arrows and bundles, and what the foot of the processes says of them.
#include "paf/layout/lanes.h"
#include "paf/say/numbers.h"

#include <math.h>

#define HEAD 6.0 // length of an arrow's head

static char *bundle_words(const paf_arrows *a, const char *count)
{
    char *in_bundles = paf_number(a->bundled), *hidden = paf_number(a->hidden);
    char *note = a->hidden ? g_strdup_printf("%s · the largest bundles are drawn, of %s arrows there is "
                                             "no room for any",
                                             count, hidden)
                 : a->bundled < a->total
                     ? g_strdup_printf("%s, %s of them in bundles · zoom in to see each", count,
                                       in_bundles)
                     : g_strdup_printf("%s in bundles · zoom in to see each", count);
    g_free(in_bundles);
    g_free(hidden);
    return note;
}

char *paf_arrows_note(const paf_arrows *a)
{
    if (a->total == 0 && !a->arrows->len)
        return g_strdup("nothing passes between processes here");
    char *n = paf_count(a->total, "arrow", "arrows");
    char *note = a->bundled
                     ? bundle_words(a, n)
                     : g_strdup_printf("%s · strong: came last after the longest waits, the rest faint "
                                       "until selected",
                                       n);
    g_free(n);
    return note;
}

// ---------------------------------------------------------------------------------------------
// Drawing

// Between neighbouring rows there is little room for a head.
static double head_size(double y0, double y1)
{
    return CLAMP(fabs(y1 - y0) * 0.5, 3.5, HEAD);
}

// Leaves and arrives upright; the head is drawn apart, the line ends inside it.
static void line_path(paf_drawing *d, double x0, double y0, double x1, double y1)
{
    double dy = y1 - y0, head = head_size(y0, y1), tail = dy > 0 ? -head + 1 : head - 1;
    double reach = dy * 0.5;
    paf_move(d->pic, x0, y0);
    paf_curve(d->pic, x0, y0 + reach, x1, y1 + tail - reach, x1, y1 + tail);
}

static void head_path(paf_drawing *d, double x, double y, double from_y, double size)
{
    double back = y > from_y ? -size : size;
    paf_move(d->pic, x, y);
    paf_line(d->pic, x - size * 0.5, y + back);
    paf_line(d->pic, x + size * 0.5, y + back);
    paf_close(d->pic);
}

// Which arrows: of one kind, of one module (IOT_NONE: of any), lit or not.
typedef struct {
    paf_arrow_kind kind;
    uint32_t module;
    bool lit;
} choice;

static bool is_chosen(const paf_arrow *w, const choice *c)
{
    return w->kind == c->kind && w->lit == c->lit && (c->module == IOT_NONE || w->module == c->module);
}

static void arrow_path(paf_drawing *d, const paf_arrow *w, bool head)
{
    if (head)
        head_path(d, w->x1, w->y1, w->y0, head_size(w->y0, w->y1));
    else
        line_path(d, w->x0, w->y0, w->x1, w->y1);
}

// All of them as two paths: lines and heads.
static void draw_arrows(paf_drawing *d, const paf_arrows *a, choice c, paf_colour colour, double width)
{
    for (int head = 0; head < 2; head++) {
        for (guint i = 0; i < a->arrows->len; i++) {
            const paf_arrow *w = &g_array_index(a->arrows, paf_arrow, i);
            if (is_chosen(w, &c))
                arrow_path(d, w, head);
        }
        if (head)
            paf_fill(d->pic, colour, 0);
        else
            paf_stroke(d->pic, colour, width);
    }
}

// One link, however it is drawn.
static void draw_link(paf_drawing *d, const paf_arrows *a, uint32_t link, paf_colour colour, double width)
{
    for (int head = 0; head < 2; head++) {
        for (guint i = 0; i < a->arrows->len; i++) {
            const paf_arrow *w = &g_array_index(a->arrows, paf_arrow, i);
            if (w->link == link)
                arrow_path(d, w, head);
        }
        if (head)
            paf_fill(d->pic, colour, 0);
        else
            paf_stroke(d->pic, colour, width);
    }
}

static bool is_lit_bundle(const paf_drawing *d, const paf_bundle *b)
{
    const paf_focus *f = paf_lighting(d);
    return !paf_focus_dims(f) ||
           (f->kind == PAF_FOCUS_PAIR && b->from == f->from_module && b->to == f->to_module);
}

static void draw_bundles(paf_drawing *d, const paf_arrows *a)
{
    for (guint i = 0; i < a->bundles->len; i++) {
        const paf_bundle *b = &g_array_index(a->bundles, paf_bundle, i);
        paf_colour colour = paf_alpha(paf_colour_of(d, b->from), is_lit_bundle(d, b) ? 0.6 : 0.15);
        line_path(d, b->x0, b->y0, b->x1, b->y1);
        paf_stroke(d->pic, colour, b->width);
        head_path(d, b->x1, b->y1, b->y0, HEAD + b->width);
        paf_fill(d->pic, colour, 0);
    }
}

static bool meets_text(const paf_drawing *d, const paf_rect *place)
{
    for (uint32_t i = 0; i < paf_picture_nsteps(d->pic); i++) {
        const paf_step *step = paf_picture_step(d->pic, i);
        const paf_rect *r = &step->place;
        if (step->kind == PAF_STEP_TEXT && r->x < place->x + place->w && place->x < r->x + r->w &&
            r->y < place->y + place->h && place->y < r->y + r->h)
            return true;
    }
    return false;
}

// In the middle of the bundle, or a bit off where names or other counts are. False: nowhere.
static bool place_count(const paf_drawing *d, const paf_bundle *b, double w, paf_rect *ret)
{
    static const double parts[] = {0.5, 0.6, 0.4, 0.72, 0.28, 0.85, 0.15};
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        double x = b->x0 + (b->x1 - b->x0) * parts[i], y = b->y0 + (b->y1 - b->y0) * parts[i];
        *ret = (paf_rect){x - w / 2, y - 8, w, 16};
        bool inside = ret->x >= d->f.plot_x - 8 && ret->x + w <= d->f.plot_x + d->f.plot_w + 8;
        if (inside && !meets_text(d, ret))
            return true;
    }
    return false;
}

void paf_arrows_draw_counts(paf_drawing *d, const paf_arrows *a)
{
    for (guint i = 0; i < a->bundles->len; i++) {
        const paf_bundle *b = &g_array_index(a->bundles, paf_bundle, i);
        char *label = paf_short_number(b->n);
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, label) + 8;
        paf_rect place;
        if (place_count(d, b, w, &place)) {
            paf_round_box(d->pic, place.x, place.y, place.w, place.h, 4);
            paf_fill(d->pic, paf_alpha(d->theme->card, 0.92), 0);
            paf_write(d->pic, PAF_TEXT_SMALL, paf_ink_of(d, b->from), place.x + w / 2,
                      place.y + 12, 0, 0.5, label);
            paf_add_hit(d->pic, place, PAF_HIT_BUNDLE, b->from, b->to);
        }
        g_free(label);
    }
}

static paf_colour dimmed(const paf_drawing *d, uint32_t module, double share)
{
    return paf_mix(paf_colour_of(d, module), d->theme->lane, share);
}

void paf_arrows_draw_faint(paf_drawing *d, const paf_arrows *a)
{
    bool dims = paf_focus_dims(paf_lighting(d));
    double share = dims ? 0.13 : d->theme->dark ? 0.36 : 0.3;
    for (uint32_t i = 0; i < d->m->nmodules && a->arrows->len; i++) {
        draw_arrows(d, a, (choice){PAF_ARROW_FAINT, i, !dims}, dimmed(d, i, share), 0.9);
        if (dims)
            draw_arrows(d, a, (choice){PAF_ARROW_STRONG, i, false}, dimmed(d, i, share + 0.1), 1);
    }
}

void paf_arrows_draw_strong(paf_drawing *d, const paf_arrows *a)
{
    draw_bundles(d, a);
    bool selection = d->v->selected != IOT_NONE, dims = paf_focus_dims(paf_lighting(d));
    for (uint32_t i = 0; i < d->m->nmodules && a->arrows->len; i++) {
        paf_colour colour = paf_colour_of(d, i);
        double alpha = dims ? 0.95 : selection ? 0.55 : 0.88;
        draw_arrows(d, a, (choice){PAF_ARROW_STRONG, i, true}, paf_alpha(colour, alpha), 1.3);
        if (dims)
            draw_arrows(d, a, (choice){PAF_ARROW_FAINT, i, true}, paf_alpha(colour, 0.8), 1.2);
    }
    for (uint32_t i = 0; i < d->m->nmodules && a->arrows->len && selection; i++)
        for (int lit = 0; lit < 2; lit++)
            draw_arrows(d, a, (choice){PAF_ARROW_SELECTED, i, lit}, paf_colour_of(d, i), 1.8);
    for (int lit = 0; lit < 2; lit++)
        draw_arrows(d, a, (choice){PAF_ARROW_SELECTED_LAST, IOT_NONE, lit}, d->theme->amber, 2.2);
    if (d->v->focus && d->v->focus->kind == PAF_FOCUS_ARROW)
        draw_link(d, a, d->v->focus->link, d->theme->amber, 2.4);
    if (d->v->hover_link != IOT_NONE)
        draw_link(d, a, d->v->hover_link, d->theme->ink, 1.8);
}

// Lit ones lie above the others.
void paf_arrows_add_hits(paf_drawing *d, const paf_arrows *a)
{
    bool dims = paf_focus_dims(paf_lighting(d));
    for (int lit = dims ? 0 : 1; lit < 2; lit++)
        for (guint i = 0; i < a->arrows->len; i++) {
            const paf_arrow *w = &g_array_index(a->arrows, paf_arrow, i);
            if (w->link != IOT_NONE && w->lit == lit)
                paf_add_curve_hit(d->pic, w->x0, w->y0, w->x1, w->y1, PAF_HIT_ARROW, w->link, 0);
        }
}
