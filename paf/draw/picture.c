// SPDX-License-Identifier: MIT
//
// Recording drawing steps and replaying them.
#include "paf/draw/picture.h"

#include <math.h>
#include <string.h>

struct paf_picture {
    paf_shaped_text *text;
    double scale;
    GArray *steps;                       // paf_step
    GByteArray *verbs;                   // paf_verb
    GArray *coordinates;                 // double
    GArray *hits;                        // paf_hit
    uint32_t path_verb, path_coordinate; // where the path under construction begins
    bool curved;                         // it has curves
};

static void clear_step(gpointer step)
{
    paf_step *s = step;
    if (s->text)
        g_object_unref(s->text);
}

static void clear_hit(gpointer hit)
{
    paf_hit *h = hit;
    g_free(h->tip);
}

paf_picture *paf_picture_create(paf_shaped_text *text, double scale)
{
    paf_picture *p = g_new0(paf_picture, 1);
    p->text = text;
    p->scale = scale;
    p->steps = g_array_new(FALSE, FALSE, sizeof(paf_step));
    g_array_set_clear_func(p->steps, clear_step);
    p->verbs = g_byte_array_new();
    p->coordinates = g_array_new(FALSE, FALSE, sizeof(double));
    p->hits = g_array_new(FALSE, FALSE, sizeof(paf_hit));
    g_array_set_clear_func(p->hits, clear_hit);
    return p;
}

void paf_picture_destroy(paf_picture *p)
{
    if (!p)
        return;
    g_array_unref(p->steps);
    g_byte_array_unref(p->verbs);
    g_array_unref(p->coordinates);
    g_array_unref(p->hits);
    g_free(p);
}

double paf_snap(const paf_picture *p, double v)
{
    return round(v * p->scale) / p->scale;
}

// ---------------------------------------------------------------------------------------------
// Paths

static void add_verb(paf_picture *p, paf_verb verb, const double *coordinates, unsigned n)
{
    guint8 byte = verb;
    g_byte_array_append(p->verbs, &byte, 1);
    g_array_append_vals(p->coordinates, coordinates, n);
}

void paf_move(paf_picture *p, double x, double y)
{
    add_verb(p, PAF_MOVE, (double[]){x, y}, 2);
}

void paf_line(paf_picture *p, double x, double y)
{
    add_verb(p, PAF_LINE, (double[]){x, y}, 2);
}

void paf_curve(paf_picture *p, double x1, double y1, double x2, double y2, double x, double y)
{
    add_verb(p, PAF_CURVE, (double[]){x1, y1, x2, y2, x, y}, 6);
    p->curved = true;
}

void paf_close(paf_picture *p)
{
    add_verb(p, PAF_CLOSE, NULL, 0);
}

void paf_box(paf_picture *p, double x, double y, double w, double h)
{
    add_verb(p, PAF_BOX, (double[]){x, y, w, h}, 4);
}

void paf_round_box(paf_picture *p, double x, double y, double w, double h, double radius)
{
    double most = fmin(w, h) / 2;
    add_verb(p, PAF_ROUND_BOX, (double[]){x, y, w, h, fmin(radius, most)}, 5);
}

// The step that draws the path under construction; NULL if there is none.
static paf_step *add_path_step(paf_picture *p, paf_step_kind kind, paf_colour colour)
{
    if (p->verbs->len == p->path_verb)
        return NULL;
    paf_step step = {.kind = kind,
                     .colour = colour,
                     .curved = p->curved,
                     .verb = p->path_verb,
                     .nverbs = p->verbs->len - p->path_verb,
                     .coordinate = p->path_coordinate};
    g_array_append_val(p->steps, step);
    return &g_array_index(p->steps, paf_step, p->steps->len - 1);
}

static void end_path(paf_picture *p)
{
    p->path_verb = p->verbs->len;
    p->path_coordinate = p->coordinates->len;
    p->curved = false;
}

void paf_fill(paf_picture *p, paf_colour colour, unsigned pattern)
{
    paf_step *step = add_path_step(p, PAF_STEP_FILL, colour);
    if (step)
        step->pattern = pattern;
    end_path(p);
}

static void add_stroke(paf_picture *p, paf_colour colour, double width, bool dashed)
{
    paf_step *step = add_path_step(p, PAF_STEP_STROKE, colour);
    if (step) {
        step->width = width;
        step->dashed = dashed;
    }
}

void paf_stroke(paf_picture *p, paf_colour colour, double width)
{
    add_stroke(p, colour, width, false);
    end_path(p);
}

void paf_fill_and_stroke(paf_picture *p, paf_colour fill, unsigned pattern, paf_colour stroke,
                         double width)
{
    paf_step *step = add_path_step(p, PAF_STEP_FILL, fill);
    if (step)
        step->pattern = pattern;
    add_stroke(p, stroke, width, false);
    end_path(p);
}

void paf_clip(paf_picture *p, paf_rect place)
{
    paf_step step = {.kind = PAF_STEP_CLIP, .place = place};
    g_array_append_val(p->steps, step);
}

void paf_unclip(paf_picture *p)
{
    paf_step step = {.kind = PAF_STEP_UNCLIP};
    g_array_append_val(p->steps, step);
}

// ---------------------------------------------------------------------------------------------
// Text

static void add_text(paf_picture *p, PangoLayout *piece, paf_colour colour, paf_rect place)
{
    paf_step step = {
        .kind = PAF_STEP_TEXT, .colour = colour, .text = g_object_ref(piece), .place = place};
    g_array_append_val(p->steps, step);
}

static void add_tip(paf_picture *p, paf_rect place, const char *tip)
{
    paf_hit hit = {.place = place, .tip = g_strdup(tip)};
    g_array_append_val(p->hits, hit);
}

static double write_piece(paf_picture *p, PangoLayout *piece, paf_colour colour, double x, double y,
                          double width, double align, const char *string)
{
    // With a width set, the layout's own extents tell how much of it the text takes.
    PangoRectangle used;
    pango_layout_get_extents(piece, NULL, &used);
    double w = used.width / (double)PANGO_SCALE, h = used.height / (double)PANGO_SCALE;
    double top = y - pango_layout_get_baseline(piece) / (double)PANGO_SCALE;
    paf_rect place = {x - align * w, top, w, h};
    add_text(p, piece, colour, place);
    if (width > 0 && pango_layout_is_ellipsized(piece))
        add_tip(p, place, string);
    return w;
}

double paf_write(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                 double width, double align, const char *string)
{
    if (!*string)
        return 0;
    PangoLayout *piece = paf_shaped_text_piece(p->text, style, string, width);
    return write_piece(p, piece, colour, x, y, width, align, string);
}

double paf_write_name(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                      double width, double align, const char *string)
{
    if (!*string)
        return 0;
    PangoLayout *piece = paf_shaped_text_name(p->text, style, string, width);
    return write_piece(p, piece, colour, x, y, width, align, string);
}

// The longest beginning of whole parts that fits, with an ellipsis; g_free(). NULL: not even one part does.
static char *first_parts(paf_picture *p, paf_text_style style, double width, const char *string)
{
    static const char separator[] = " · ", inner[] = ", ", cut[] = " …";
    char *text = g_strdup(string), *end;
    while ((end = g_strrstr(text, separator)) || (end = g_strrstr(text, inner))) {
        *end = 0;
        char *shorter = g_strconcat(text, cut, NULL);
        if (paf_shaped_text_width(p->text, style, shorter) <= width) {
            g_free(text);
            return shorter;
        }
        g_free(shorter);
    }
    g_free(text);
    return NULL;
}

double paf_write_parts(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                       double width, double align, const char *string)
{
    bool fits = width <= 0 || paf_shaped_text_width(p->text, style, string) <= width;
    char *parts = fits ? NULL : first_parts(p, style, width, string);
    double used = fits || parts ? paf_write(p, style, colour, x, y, 0, align, parts ? parts : string)
                                : paf_write_name(p, style, colour, x, y, width, align, string);
    if (parts)
        add_tip(p, (paf_rect){x - align * used, y - 14, used, 18}, string);
    g_free(parts);
    return used;
}

double paf_write_paragraph(paf_picture *p, paf_text_style style, paf_colour colour, double x,
                           double y, double width, int lines, const char *string)
{
    if (!*string)
        return 0;
    PangoLayout *piece = paf_shaped_text_paragraph(p->text, style, string, width, lines);
    PangoRectangle used;
    pango_layout_get_extents(piece, NULL, &used);
    paf_rect place = {x, y, used.width / (double)PANGO_SCALE, used.height / (double)PANGO_SCALE};
    add_text(p, piece, colour, place);
    if (pango_layout_is_ellipsized(piece))
        add_tip(p, place, string);
    return place.h;
}

// ---------------------------------------------------------------------------------------------
// Places

bool paf_rect_holds(const paf_rect *r, double x, double y)
{
    return x >= r->x && y >= r->y && x < r->x + r->w && y < r->y + r->h;
}

void paf_add_hit(paf_picture *p, paf_rect place, int kind, uint32_t a, uint32_t b)
{
    paf_hit hit = {.place = place, .kind = kind, .a = a, .b = b};
    g_array_append_val(p->hits, hit);
}

double paf_write_head(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                      double align, const char *string, const char *legend)
{
    double w = paf_write(p, style, colour, x, y, 0, align, string);
    paf_hit hit = {.place = {x - align * w - 3, y - 13, w + 6, 18},
                   .kind = PAF_HEAD,
                   .tip = g_strdup_printf("%s\n%s", string, legend)};
    g_array_append_val(p->hits, hit);
    return w;
}

#define NEAR 3.5 // pixels from a curve

void paf_add_curve_hit(paf_picture *p, double x0, double y0, double x1, double y1, int kind, uint32_t a,
                       uint32_t b)
{
    paf_rect place = {fmin(x0, x1) - NEAR, fmin(y0, y1), fabs(x1 - x0) + 2 * NEAR, fabs(y1 - y0)};
    paf_hit hit = {.place = place, .kind = kind, .a = a, .b = b, .curved = true, .curve = {x0, y0, x1, y1}};
    g_array_append_val(p->hits, hit);
}

// The curve's x at a height: y is a cubic with both inner points in the middle, so the part is found by
// halving.
static bool is_near(const paf_hit *hit, double x, double y)
{
    const double *c = hit->curve;
    double dy = c[3] - c[1], from = 0, to = 1;
    if (fabs(dy) < 1)
        return true;
    double want = (y - c[1]) / dy;
    for (int i = 0; i < 20; i++) {
        double t = (from + to) / 2, u = 1 - t;
        if (1.5 * t * u * u + 1.5 * t * t * u + t * t * t < want)
            from = t;
        else
            to = t;
    }
    double part = from * from * (3 - 2 * from), slope = (c[2] - c[0]) * 6 * from * (1 - from);
    double rise = 3 * dy * (0.5 * (1 - from) * (1 - from) + 0.5 * from * from);
    double across = fabs(x - c[0] - (c[2] - c[0]) * part);
    return across * fabs(rise) <= NEAR * hypot(rise, slope);
}

static const paf_hit *find_hit(const paf_picture *p, double x, double y, bool want_tip)
{
    for (guint i = p->hits->len; i-- > 0;) {
        const paf_hit *hit = &g_array_index(p->hits, paf_hit, i);
        if ((hit->tip != NULL) == want_tip && paf_rect_holds(&hit->place, x, y) &&
            (!hit->curved || is_near(hit, x, y)))
            return hit;
    }
    return NULL;
}

const paf_hit *paf_hit_at(const paf_picture *p, double x, double y)
{
    return find_hit(p, x, y, false);
}

const char *paf_tip_at(const paf_picture *p, double x, double y)
{
    const paf_hit *hit = find_hit(p, x, y, true);
    return hit ? hit->tip : NULL;
}

uint32_t paf_picture_nhits(const paf_picture *p)
{
    return p->hits->len;
}

const paf_hit *paf_picture_hit(const paf_picture *p, uint32_t i)
{
    return &g_array_index(p->hits, paf_hit, i);
}

uint32_t paf_picture_nsteps(const paf_picture *p)
{
    return p->steps->len;
}

const paf_step *paf_picture_step(const paf_picture *p, uint32_t i)
{
    return &g_array_index(p->steps, paf_step, i);
}

paf_shaped_text *paf_picture_text(const paf_picture *p)
{
    return p->text;
}

// ---------------------------------------------------------------------------------------------
// Drawing

static void round_box_path(cairo_t *cr, const double *c)
{
    double x = c[0], y = c[1], w = c[2], h = c[3], r = c[4];
    if (r < 0.75) { // not to be told from a square corner, and far cheaper
        cairo_rectangle(cr, x, y, w, h);
        return;
    }
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + w - r, y + r, r, -G_PI_2, 0);
    cairo_arc(cr, x + w - r, y + h - r, r, 0, G_PI_2);
    cairo_arc(cr, x + r, y + h - r, r, G_PI_2, G_PI);
    cairo_arc(cr, x + r, y + r, r, G_PI, 3 * G_PI_2);
    cairo_close_path(cr);
}

static void replay_path(const paf_picture *p, const paf_step *step, cairo_t *cr)
{
    const double *c = &g_array_index(p->coordinates, double, step->coordinate);
    for (uint32_t i = 0; i < step->nverbs; i++) {
        switch ((paf_verb)p->verbs->data[step->verb + i]) {
        case PAF_MOVE:
            cairo_move_to(cr, c[0], c[1]);
            c += 2;
            break;
        case PAF_LINE:
            cairo_line_to(cr, c[0], c[1]);
            c += 2;
            break;
        case PAF_CURVE:
            cairo_curve_to(cr, c[0], c[1], c[2], c[3], c[4], c[5]);
            c += 6;
            break;
        case PAF_CLOSE:
            cairo_close_path(cr);
            break;
        case PAF_BOX:
            cairo_rectangle(cr, c[0], c[1], c[2], c[3]);
            c += 4;
            break;
        case PAF_ROUND_BOX:
            round_box_path(cr, c);
            c += 5;
            break;
        }
    }
}

// Hatches the current path: lines 5 px apart, slanted by the pattern's number.
static void hatch(cairo_t *cr, unsigned pattern, paf_colour colour)
{
    double x0, y0, x1, y1;
    cairo_path_extents(cr, &x0, &y0, &x1, &y1);
    cairo_save(cr);
    cairo_clip(cr);
    double rise = pattern == 1 ? 1 : pattern == 2 ? -1 : 0; // down, up, level
    double reach = y1 - y0;
    if (rise == 0) {
        for (double y = floor(y0 / 4) * 4; y < y1; y += 4) {
            cairo_move_to(cr, x0, y + 0.5);
            cairo_line_to(cr, x1, y + 0.5);
        }
    } else {
        for (double x = floor((x0 - reach) / 5) * 5; x < x1 + reach; x += 5) {
            cairo_move_to(cr, x, rise > 0 ? y0 : y1);
            cairo_line_to(cr, x + reach, rise > 0 ? y1 : y0);
        }
    }
    // Lines of the opposite lightness stand out on every hue.
    bool bright = colour.r * 0.3 + colour.g * 0.59 + colour.b * 0.11 > 0.55;
    cairo_set_source_rgba(cr, bright ? 0 : 1, bright ? 0 : 1, bright ? 0 : 1, 0.45 * colour.a);
    cairo_set_line_width(cr, 1.2);
    cairo_stroke(cr);
    cairo_restore(cr);
}

static void draw_step(const paf_picture *p, const paf_step *step, cairo_t *cr)
{
    const paf_colour *c = &step->colour;
    cairo_set_source_rgba(cr, c->r, c->g, c->b, c->a);
    switch (step->kind) {
    case PAF_STEP_FILL:
        replay_path(p, step, cr);
        if (step->pattern) {
            cairo_fill_preserve(cr);
            hatch(cr, step->pattern, *c);
        }
        cairo_fill(cr);
        break;
    case PAF_STEP_STROKE:
        replay_path(p, step, cr);
        cairo_set_line_width(cr, step->width);
        cairo_set_dash(cr, (double[]){3, 3}, step->dashed ? 2 : 0, 0);
        // Hundreds of arrows are redrawn while panning: a coarser grid of samples does for them.
        cairo_set_antialias(cr, step->curved ? CAIRO_ANTIALIAS_FAST : CAIRO_ANTIALIAS_DEFAULT);
        cairo_set_tolerance(cr, step->curved ? 0.3 : 0.1);
        cairo_stroke(cr);
        cairo_set_antialias(cr, CAIRO_ANTIALIAS_DEFAULT);
        cairo_set_tolerance(cr, 0.1);
        break;
    case PAF_STEP_TEXT:
        cairo_move_to(cr, step->place.x, step->place.y);
        pango_cairo_show_layout(cr, step->text);
        break;
    case PAF_STEP_CLIP:
        cairo_save(cr);
        cairo_rectangle(cr, step->place.x, step->place.y, step->place.w, step->place.h);
        cairo_clip(cr);
        break;
    case PAF_STEP_UNCLIP:
        cairo_restore(cr);
        break;
    }
}

void paf_picture_draw(const paf_picture *p, cairo_t *cr)
{
    cairo_save(cr);
    cairo_new_path(cr);
    for (guint i = 0; i < p->steps->len; i++)
        draw_step(p, &g_array_index(p->steps, paf_step, i), cr);
    cairo_restore(cr);
}
