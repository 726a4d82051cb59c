// SPDX-License-Identifier: MIT
//
// Invariants of layouts: shapes of a row do not overlap, lanes stand below each other inside their
// place, text stays inside the picture and does not run into other text, no figure is cut, and a picture is
// never made of more than a few thousand pieces, however large the run. So in small pictures, too.
//
//   check_layout FILE.paf...
#include "paf/layout/bars.h"
#include "paf/layout/compare_picture.h"
#include "paf/layout/lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static const char *about;

static void fail(const char *what, double a, double b)
{
    if (failures++ < 20)
        fprintf(stderr, "%s: %s (%g, %g)\n", about, what, a, b);
}

static bool cross(const paf_rect *a, const paf_rect *b, double slack)
{
    return a->x + slack < b->x + b->w && b->x + slack < a->x + a->w && a->y + slack < b->y + b->h &&
           b->y + slack < a->y + a->h;
}

static void check_shapes(const paf_lanes *l)
{
    for (guint i = 0; i < l->shapes->len; i++) {
        const paf_shape *a = paf_shape_at(l, i);
        const paf_lane *lane = paf_lane_at(l, a->lane);
        if (a->y < lane->y - 0.01 || a->y + a->h > lane->y + lane->h + 0.01)
            fail("a shape leaves its lane", a->y, lane->y);
        if (a->s1 <= a->s0)
            fail("a solid part without width", a->s0, a->s1);
        for (guint k = i + 1; k < l->shapes->len && k < i + 400; k++) {
            const paf_shape *b = paf_shape_at(l, k);
            if (b->lane != a->lane || a->merged || b->merged)
                continue;
            paf_rect ra = {paf_shape_left(a), a->y, a->s1 - paf_shape_left(a), a->h};
            paf_rect rb = {paf_shape_left(b), b->y, b->s1 - paf_shape_left(b), b->h};
            if (cross(&ra, &rb, 0.01))
                fail("two shapes overlap", ra.x, rb.x);
        }
    }
}

static void check_lanes(const paf_drawing *d, const paf_lanes *l)
{
    double y = d->f.lanes.y;
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        if (s->y < y - 0.01)
            fail("sections overlap", s->y, y);
        double inner = s->y;
        for (uint32_t k = 0; k < s->nlanes; k++) {
            const paf_lane *lane = paf_lane_at(l, s->first_lane + k);
            if (lane->y < inner - 0.01 || lane->y + lane->h > s->y + s->h + 0.01)
                fail("a lane leaves its section", lane->y, inner);
            inner = lane->y + lane->h;
        }
        y = s->y + s->h;
    }
    if (y > d->f.lanes.y + d->f.lanes.h + 0.01)
        fail("the lanes are higher than their place", y, d->f.lanes.y + d->f.lanes.h);
}

// Terms and names may be cut, in one line what holds a figure may not.
static void check_cut(PangoLayout *text)
{
    const char *whole = pango_layout_get_text(text);
    const char *family =
        pango_font_description_get_family(pango_layout_get_font_description(text));
    if (pango_layout_is_ellipsized(text) && pango_layout_get_height(text) >= -1 &&
        pango_layout_get_ellipsize(text) == PANGO_ELLIPSIZE_END && !strstr(family, "Mono") &&
        strpbrk(whole, "0123456789"))
        fail(whole, pango_layout_get_width(text) / (double)PANGO_SCALE, 0);
}

static void check_text(const paf_picture *picture, double width, double height)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(paf_rect));
    GPtrArray *texts = g_ptr_array_new();
    for (uint32_t i = 0; i < paf_picture_nsteps(picture); i++) {
        const paf_step *step = paf_picture_step(picture, i);
        if (step->kind != PAF_STEP_TEXT)
            continue;
        const paf_rect *r = &step->place;
        check_cut(step->text);
        if (r->x < -1 || r->y < -1 || r->x + r->w > width + 1 || r->y + r->h > height + 1)
            fail(pango_layout_get_text(step->text), r->x, r->x + r->w - width);
        g_array_append_val(places, *r);
        g_ptr_array_add(texts, (void *)pango_layout_get_text(step->text));
    }
    for (guint i = 0; i < places->len; i++)
        for (guint k = i + 1; k < places->len; k++) {
            const paf_rect *a = &g_array_index(places, paf_rect, i);
            const paf_rect *b = &g_array_index(places, paf_rect, k);
            // Line spacing is part of a text's height; letters only meet beyond it.
            paf_rect ta = {a->x, a->y + a->h * 0.22, a->w, a->h * 0.56};
            paf_rect tb = {b->x, b->y + b->h * 0.22, b->w, b->h * 0.56};
            if (cross(&ta, &tb, 0.5)) {
                char *what = g_strdup_printf("`%s` runs into `%s` in %.0fx%.0f",
                                             (char *)texts->pdata[i], (char *)texts->pdata[k],
                                             width, height);
                fail(what, a->x, a->y);
                g_free(what);
            }
        }
    g_array_unref(places);
    g_ptr_array_unref(texts);
}

static void check_view(paf_model *m, const paf_view *view, paf_shaped_text *text)
{
    paf_model_prepare(m, view, text);
    paf_layout *layout = paf_layout_create(m, view, text);
    check_text(layout->picture, view->width, view->height);
    if (paf_picture_nsteps(layout->picture) > 4000)
        fail("too many steps", paf_picture_nsteps(layout->picture), 4000);
    if (paf_picture_nhits(layout->picture) > 8000)
        fail("too many places", paf_picture_nhits(layout->picture), 8000);
    if (layout->frame.lanes.w > 0 && view->kind < PAF_VIEW_DEPENDENCIES) {
        paf_drawing d = {.m = m,
                         .v = view,
                         .theme = paf_theme_get(view->dark),
                         .pic = layout->picture,
                         .out = layout,
                         .f = layout->frame,
                         .zoom = layout->frame.plot_w / (view->to - view->from)};
        paf_lanes *l = paf_lanes_plan(&d);
        check_lanes(&d, l);
        check_shapes(l);
        paf_lanes_free(l);
    }
    paf_layout_destroy(layout);
}

static void check_model(paf_model *m, paf_shaped_text *text)
{
    static const double sizes[][2] = {{1440, 900},  {1100, 656}, {1000, 700},
                                      {1920, 1080}, {820, 560},  {760, 440}};
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (int kind = PAF_VIEW_ALL; kind <= PAF_VIEW_DEPENDENCIES; kind++) {
            paf_view view = paf_view_fit(m, sizes[i][0], sizes[i][1]);
            view.kind = (paf_view_kind)kind;
            view.header = true;
            view.title = "a-trace-with-a-long-name.paf";
            double width = view.to - view.from;
            for (double part = 1; width * part > 5; part /= 4) {
                view.from = width * 0.37 * (1 - part);
                view.to = view.from + width * part;
                view.selected = part < 1 ? trace_nreductions(m->t) / 2 : IOT_NONE;
                check_view(m, &view, text);
            }
        }
}

// Small pictures leave parts out.
static const double small[][2] = {{300, 200}, {320, 302}, {400, 330}, {480, 360}, {640, 400}, {700, 520}};

static void check_small(paf_model *m, paf_shaped_text *text)
{
    static const paf_view_kind kinds[] = {PAF_VIEW_ALL, PAF_VIEW_PARALLELISM, PAF_VIEW_DEPENDENCIES,
                                          PAF_VIEW_CALLS};
    bool there[3] = {false};
    for (unsigned i = 0; i < G_N_ELEMENTS(small); i++)
        for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
            paf_view view = paf_view_fit(m, small[i][0], small[i][1]);
            view.kind = kinds[k];
            view.header = true;
            view.title = "short.paf";
            if (view.kind == PAF_VIEW_CALLS && !paf_lanes_there(m, view.clock, there))
                continue;
            check_view(m, &view, text);
        }
}

static void check_table(const trace *t, const iot *a, paf_shaped_text *text)
{
    paf_totals *own = trace_get_totals(t) ? NULL : paf_totals_of_history(t, a);
    const trace_totals *totals = own ? paf_totals_get(own) : trace_get_totals(t);
    for (unsigned i = 0; totals && i < G_N_ELEMENTS(small); i++) {
        paf_bars_view view = paf_bars_fit(totals, small[i][0], small[i][1]);
        view.header = true;
        view.title = "short.paf";
        paf_bars *bars = paf_bars_create(t, totals, &view, text);
        check_text(bars->picture, view.width, view.height);
        paf_bars_destroy(bars);
    }
    paf_totals_free(own);
}

// A run beside itself: in a small picture fewer things are said of both, in a tiny one that it is too small.
static void check_comparison(paf_model *m, paf_shaped_text *text)
{
    paf_model *both[2] = {m, m};
    const paf_model *models[2] = {m, m};
    const char *titles[2] = {"before.paf", "after.paf"};
    iot_clock clock = trace_is_measured(m->t) ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
    for (unsigned i = 0; i <= G_N_ELEMENTS(small); i++) {
        bool large = i == G_N_ELEMENTS(small);
        paf_compare_view view = paf_compare_fit(clock, large ? 1280 : small[i][0], large ? 800 : small[i][1]);
        paf_compare_prepare(both, &view, text);
        paf_comparison *c = paf_comparison_create(models, titles, &view, text);
        check_text(c->picture, view.width, view.height);
        for (int run = 0; run < 2 && paf_compare_has_room(view.width, view.height); run++)
            if (c->runs[run].h < 100 || c->runs[run].y + c->runs[run].h > view.height)
                fail("a run has no room", view.width, view.height);
        view.pointer = (c->from + c->to) / 2;
        paf_picture *over = paf_comparison_pointer(c, (const trace *const[2]){m->t, m->t}, &view, text);
        if (m->complete && paf_end(m, clock) > 0 && paf_picture_nsteps(over) != 6)
            fail("the pointer is not in both runs", paf_picture_nsteps(over), 6);
        paf_picture_destroy(over);
        paf_comparison_destroy(c);
    }
}

// What is still being computed is not shown, but that it is is said; nobody waits for it.
static void check_incomplete(paf_model *m, paf_shaped_text *text)
{
    paf_view view = paf_view_fit(m, 1440, 900);
    view.computed = 0.42;
    paf_layout *layout = paf_layout_create(m, &view, text);
    unsigned said = 0;
    for (uint32_t i = 0; i < paf_picture_nsteps(layout->picture); i++) {
        const paf_step *step = paf_picture_step(layout->picture, i);
        if (step->kind == PAF_STEP_TEXT &&
            strstr(pango_layout_get_text(step->text), "being computed, 42 %"))
            said++;
    }
    // Else there is no time to show, or the rows of a measured run, which are there at once.
    bool lanes = paf_end(m, view.clock) > 0 && !m->timeline;
    if (said != (lanes ? 3u : 2u))
        fail("says so often that something is being computed", said, 0);
    for (uint32_t i = 0; i < paf_picture_nhits(layout->picture); i++) {
        int kind = paf_picture_hit(layout->picture, i)->kind;
        if (kind == PAF_HIT_FINDING || (kind == PAF_HIT_NODE && lanes) || kind == PAF_HIT_BUNDLE)
            fail("shows what is not there yet", kind, 0);
    }
    if (m->complete || layout->wants->len > 0)
        fail("wants trees before it is complete", layout->wants->len, 0);
    paf_layout_destroy(layout);
}

// The same as a model that was made in one go.
static void check_complete(const paf_model *m)
{
    paf_model *whole = paf_model_create(m->a, NULL, NULL);
    if (!m->complete || !whole->complete || m->nlinks != whole->nlinks ||
        m->npairs != whole->npairs)
        fail("a completed model differs", m->nlinks, whole->nlinks);
    for (uint32_t i = 0; i < m->nlinks; i++)
        if (m->links[i].process != whole->links[i].process ||
            m->links[i].input != whole->links[i].input ||
            m->by_binding[i] != whole->by_binding[i])
            fail("a link differs", i, m->nlinks);
    for (uint32_t i = 0; i <= m->nmodules; i++)
        if (m->first_process[i] != whole->first_process[i])
            fail("a module's processes differ", i, m->first_process[i]);
    paf_model_destroy(whole);
}

// Blocks of activities have the sums of their activities, layer by layer.
static void check_blocks(const paf_model *m)
{
    const paf_timeline *l = m->timeline;
    for (uint32_t p = 0; l && p < l->nplaces; p++)
        for (uint32_t layer = 0; layer < l->layers; layer++) {
            double blocks = 0, sum = 0;
            uint32_t n = l->first_block[p + 1] - l->first_block[p];
            for (uint32_t k = 0; k < n; k++)
                blocks += l->blocks[(size_t)(l->first_block[p] + k) * l->layers + layer];
            for (uint32_t i = l->first_of[p]; i < l->first_of[p] + n * PAF_BLOCK; i++)
                if (paf_timeline_layer(l, m->a, m->rank, m->nmodules, l->by_place[i]) == layer)
                    sum += (double)(trace_end(m->t, l->by_place[i]) -
                                    trace_start(m->t, l->by_place[i]));
            if (fabs(blocks - sum) > 1e-4 * (sum + 1))
                fail("a place's blocks are not its activities", blocks, sum);
        }
}

// Names in the colours of their modules can be read.
static void check_inks(void)
{
    about = "colours";
    for (int dark = 0; dark < 2; dark++)
        for (uint32_t module = 0; module < 45; module++) {
            const paf_theme *theme = paf_theme_get(dark);
            double contrast = paf_contrast(paf_module_ink(theme, module), theme->card);
            if (contrast < 4.5)
                fail("a name too pale to be read", module, contrast);
        }
}

// Whatever the width, no line ends within a share or a place in a source.
static void check_lines(paf_shaped_text *text)
{
    static const char sentence[] = "with equal shares 421 µs instead of 453 µs (−7 %), that is 12.5 % less: "
                                   "remove the barrier at heat.c:118";
    about = "lines";
    for (double width = 60; width < 640; width += 7) {
        PangoLayout *piece = paf_shaped_text_paragraph(text, PAF_TEXT_SMALL, sentence, width, 20);
        const char *all = pango_layout_get_text(piece);
        for (int i = 0; i < pango_layout_get_line_count(piece); i++) {
            const char *begin = all + pango_layout_get_line_readonly(piece, i)->start_index;
            bool digit = begin[0] >= '0' && begin[0] <= '9';
            if (i > 0 && (*begin == '%' || (digit && strstr(all, "heat") < begin)))
                fail("a figure is broken over lines", width, i);
        }
    }
}

int main(int argc, char **argv)
{
    check_inks();
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    check_lines(text);
    for (int i = 1; i < argc; i++) {
        about = argv[i];
        char *error = NULL;
        trace *t = trace_open(argv[i], NULL, NULL, &error);
        if (!t || error) {
            fprintf(stderr, "%s: %s\n", argv[i], error ? error : "cannot be read");
            return 1;
        }
        iot_partition *p = iot_partition_default(t);
        iot *a = iot_analyse(t, p, NULL, NULL);
        iot_partition_destroy(p);
        paf_model *m = paf_model_begin(a, NULL, NULL);
        check_blocks(m);
        check_model(m, text);
        check_incomplete(m, text);
        paf_model_join(m, paf_model_rest(a, NULL, NULL));
        check_model(m, text);
        check_small(m, text);
        check_table(t, a, text);
        check_comparison(m, text);
        check_complete(m);
        paf_model_destroy(m);
        iot_destroy(a);
        trace_close(t);
    }
    paf_shaped_text_destroy(text);
    if (failures)
        fprintf(stderr, "%d failures\n", failures);
    return failures ? 1 : 0;
}
