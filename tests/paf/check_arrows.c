// SPDX-License-Identifier: MIT
//
// Arrows and bundles say what happened: a bundle stands where one of its arrows does, in the middle of
// them; no flow is a slab of colour, whatever the zoom; the pair that exchanges most is drawn; few arrows
// are strong; and a process of very many inputs has boxes close in.
//
//   check_arrows FILE.paf...
#include "paf/layout/lanes.h"
#include "paf/model/real_times.h"

#include <math.h>
#include <stdio.h>

static int failures;
static const char *about;

static void fail(const char *what, double a, double b)
{
    if (failures++ < 20)
        fprintf(stderr, "%s: %s (%g, %g)\n", about, what, a, b);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.6;
}

// The link that a bundle stands on, and how many of its pair are read before and after it in reach.
static void check_bundle(const paf_drawing *d, const paf_bundle *b)
{
    uint32_t here = 0, before = 0, after = 0;
    for (uint32_t i = 0; i < d->m->nlinks; i++) {
        const iot_input *in = paf_link_input(d->m, i);
        if (iot_get_process(d->m->a, in->from)->module != b->from ||
            iot_get_process(d->m->a, d->m->links[i].process)->module != b->to)
            continue;
        double read = paf_x(d, (double)paf_input_read(d->m, d->v->clock, in));
        double made = paf_x(d, (double)paf_binding_made(d->m, d->v->clock, in->binding));
        // Ends are drawn within boxes, whose halves are a few pixels wide.
        here += near(read, b->x1) && fabs(made - b->x0) < 3.5;
        before += read <= b->x1 + 0.6;
        after += read >= b->x1 - 0.6;
    }
    if (here == 0)
        fail("a bundle where no arrow is", b->x0, b->x1);
    if (before < b->n / 2 || after < b->n / 2)
        fail("a bundle not in the middle of its arrows", before, after);
}

// No more arrows from one height to another than can be told apart, within each 60 pixels.
static void check_density(const paf_arrows *a)
{
    for (guint i = 0; i < a->arrows->len; i++) {
        const paf_arrow *one = &g_array_index(a->arrows, paf_arrow, i);
        uint32_t beside = 0;
        for (guint k = 0; k < a->arrows->len; k++) {
            const paf_arrow *other = &g_array_index(a->arrows, paf_arrow, k);
            beside += other->kind == PAF_ARROW_FAINT && near(one->y0, other->y0) &&
                      near(one->y1, other->y1) && other->x1 >= one->x1 && other->x1 < one->x1 + 60 &&
                      other->x0 >= one->x0 && other->x0 < one->x0 + 60;
        }
        if (beside > 24) {
            fail("a slab of arrows", beside, one->x1);
            return;
        }
    }
}

// How many links of the pair go from one lane to another.
static uint32_t shown(const paf_drawing *d, const paf_lanes *l, const paf_pair *pair)
{
    uint32_t first, n = paf_pair_between(d->m, d->v->clock, pair, l->from, l->to + 1, &first), found = 0;
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t link = paf_pair_link(d->m, d->v->clock, pair, i);
        uint32_t from = paf_lane_of(d, l, paf_link_input(d->m, link)->from);
        uint32_t to = paf_lane_of(d, l, d->m->links[link].process);
        found += from != to && from != IOT_NONE && to != IOT_NONE;
    }
    return found;
}

static void check_largest(const paf_drawing *d, const paf_lanes *l, const paf_arrows *a)
{
    const paf_pair *largest = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < d->m->npairs; i++) {
        uint32_t n = shown(d, l, &d->m->pairs[i]);
        if (n > most) {
            most = n;
            largest = &d->m->pairs[i];
        }
    }
    bool found = !largest;
    for (guint i = 0; i < a->bundles->len && !found; i++) {
        const paf_bundle *b = &g_array_index(a->bundles, paf_bundle, i);
        found = b->from == largest->from && b->to == largest->to;
    }
    for (guint i = 0; i < a->arrows->len && !found; i++)
        found = g_array_index(a->arrows, paf_arrow, i).module == largest->from;
    if (!found)
        fail("the largest exchange is not drawn", largest->from, largest->to);
}

static void check_strong(const paf_drawing *d, const paf_arrows *a)
{
    uint32_t strong = 0;
    for (guint i = 0; i < a->arrows->len; i++)
        strong += g_array_index(a->arrows, paf_arrow, i).kind == PAF_ARROW_STRONG;
    if (strong > fmax(d->f.plot_w / 24, 8))
        fail("too many strong arrows", strong, d->f.plot_w);
}

// Whatever takes or gives in a window of a few steps has boxes.
static void check_boxes(const paf_lanes *l, const paf_drawing *d)
{
    for (guint i = 0; i < l->lanes->len; i++) {
        const paf_lane *lane = paf_lane_at(l, i);
        const iot_output *outputs;
        if (lane->kind == PAF_LANE_DENSITY && iot_outputs(d->m->a, lane->process, &outputs) > 0 &&
            d->v->to - d->v->from < 30)
            fail("no boxes close in", lane->process, d->v->from);
    }
}

static void check_view(paf_model *m, const paf_view *view, paf_shaped_text *text)
{
    paf_model_prepare(m, view, text);
    paf_layout *layout = paf_layout_create(m, view, text);
    paf_drawing d = {.m = m,
                     .v = view,
                     .theme = paf_theme_get(view->dark),
                     .pic = layout->picture,
                     .out = layout,
                     .f = layout->frame,
                     .zoom = layout->frame.plot_w / (view->to - view->from)};
    paf_lanes *l = paf_lanes_plan(&d);
    paf_arrows *a = paf_arrows_collect(&d, l);
    uint64_t sum = 0;
    for (guint i = 0; i < a->bundles->len; i++) {
        check_bundle(&d, &g_array_index(a->bundles, paf_bundle, i));
        sum += g_array_index(a->bundles, paf_bundle, i).n;
    }
    if (sum + a->hidden != a->bundled || a->bundled > a->total)
        fail("counts of bundles do not fit", (double)sum, (double)a->bundled);
    check_density(a);
    check_largest(&d, l, a);
    check_strong(&d, a);
    check_boxes(l, &d);
    paf_arrows_free(a);
    paf_lanes_free(l);
    paf_layout_destroy(layout);
}

static void check_file(const char *file, paf_shaped_text *text)
{
    char *error = NULL;
    trace *t = trace_open(file, NULL, NULL, &error);
    if (!t || error) {
        fail(error ? error : "cannot be read", 0, 0);
        return;
    }
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    iot_partition_destroy(p);
    paf_model *m = paf_model_create(a, NULL, NULL);
    // A bundle is compared with all links, of a long run only close in and far out.
    for (double width = (double)iot_span(a); width > 12; width /= m->nlinks > 50000 ? 9 : 3) {
        paf_view view = paf_view_fit(m, 1440, 900);
        view.from = floor((double)iot_span(a) * 0.5 - width / 2);
        view.to = view.from + ceil(width);
        check_view(m, &view, text);
    }
    paf_model_destroy(m);
    iot_destroy(a);
    trace_close(t);
}

int main(int argc, char **argv)
{
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    for (int i = 1; i < argc; i++) {
        about = argv[i];
        check_file(argv[i], text);
    }
    paf_shaped_text_destroy(text);
    return failures ? 1 : 0;
}
