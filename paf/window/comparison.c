// SPDX-License-Identifier: MIT
//
// The page of two runs. Both are moved and zoomed together; they are aligned by a click in each, or by one
// on a module. The picture is made with both sessions locked.
#include "paf/window/window_private.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define SMALL_TREE 600 // outputs of a process whose tree is built at once

// ---------------------------------------------------------------------------------------------
// The picture

static bool is_complete(const paf_window *w)
{
    return w->session->m->complete && w->other->m->complete;
}

// Until both models are complete the picture says how far they are.
static gboolean on_progress(gpointer data)
{
    paf_window *w = data;
    paf_window_update_comparison(w);
    if (w->other && !is_complete(w))
        return G_SOURCE_CONTINUE;
    w->compare_awaiting = 0;
    return G_SOURCE_REMOVE;
}

typedef struct {
    paf_window *window; // alive until its jobs have ended
    int run;
} tree_job;

static void on_built(void *data)
{
    tree_job *job = data;
    paf_window *w = job->window;
    w->compare_building[job->run] = false;
    paf_window_update_comparison(w);
    paf_window_end_export(w);
    g_free(job);
}

// Small trees at once, so that boxes are there without a flicker; a worker builds the others. True: the
// picture is out of date.
static bool build_trees(paf_window *w, int run)
{
    paf_session *s = run == 0 ? w->session : w->other;
    GArray *wants = w->comparison->wants[run];
    bool built = false;
    for (guint i = 0; i < wants->len;) {
        const paf_want *want = &g_array_index(wants, paf_want, i);
        if (iot_get_process(s->a, want->process)->members > 20 * SMALL_TREE) {
            i++;
            continue;
        }
        paf_model_take(s->m, paf_tree_build(s->m, want));
        g_array_remove_index_fast(wants, i);
        built = true;
    }
    if (wants->len && !w->compare_building[run]) {
        tree_job *job = g_new(tree_job, 1);
        *job = (tree_job){w, run};
        w->compare_building[run] = true;
        paf_window_begin_export(w);
        paf_job_build(s, wants, on_built, job);
    }
    return built;
}

static void make_picture(paf_window *w)
{
    if (!w->compare_text)
        w->compare_text = paf_shaped_text_create(NULL, NULL);
    const paf_model *models[2] = {w->session->m, w->other->m};
    const char *titles[2] = {w->session->name, w->other->name};
    paf_compare_view *v = &w->compare_view;
    v->width = gtk_widget_get_allocated_width(w->compare);
    v->height = gtk_widget_get_allocated_height(w->compare);
    v->scale = gtk_widget_get_scale_factor(w->compare);
    v->dark = w->dark;
    bool built = true;
    for (int round = 0; round < 3 && built; round++) {
        paf_comparison_destroy(w->comparison);
        w->comparison = paf_comparison_create(models, titles, v, w->compare_text);
        bool first = build_trees(w, 0);
        built = build_trees(w, 1) || first;
    }
    paf_widget_drawn(w->compare_page);
    gtk_widget_queue_draw(w->compare);
}

// With the second session locked; the first one is, too, unless this had to wait.
static void with_other(void *data)
{
    paf_window *w = data;
    if (w->other && w->compare_locked)
        make_picture(w);
    else if (w->other)
        paf_widget_invalidate(w->compare_page);
}

static void with_first(void *data)
{
    paf_window *w = data;
    if (!w->other)
        return;
    w->compare_locked = true;
    paf_session_call(w->other, w, with_other, w, NULL);
    w->compare_locked = false;
}

static void refresh(void *page)
{
    paf_window *w = page;
    if (w->session && w->other && !w->closed)
        paf_session_call(w->session, w, with_first, w, NULL);
}

void paf_window_update_comparison(paf_window *w)
{
    if (w->other && !w->closed)
        paf_widget_invalidate(w->compare_page);
}

static void release_focus(paf_window *w)
{
    for (int i = 0; i < 2; i++) {
        paf_focus_unref((paf_focus *)w->compare_view.focus[i]);
        w->compare_view.focus[i] = NULL;
    }
}

static void completed(void *data)
{
    paf_window_end_export(data);
}

void paf_window_begin_comparison(paf_window *w, paf_session *other)
{
    bool real = w->options.clock && !strcmp(w->options.clock, "real") && paf_has_clocks(w->session->m) &&
                paf_has_clocks(other->m);
    paf_window_end_comparison(w);
    w->other = other;
    w->compare_view = paf_compare_fit(IOT_VIRTUAL_TIME, 1, 1);
    if (real)
        paf_window_change_comparison_clock(w);
    if (!other->m->complete && !other->completing) {
        paf_window_begin_export(w);
        paf_job_complete(other, completed, w);
    }
    w->compare_awaiting = g_timeout_add(120, on_progress, w);
    paf_window_update_comparison(w);
}

void paf_window_end_comparison(paf_window *w)
{
    if (w->compare_awaiting)
        g_source_remove(w->compare_awaiting);
    w->compare_awaiting = 0;
    release_focus(w);
    g_clear_pointer(&w->compare_module, g_free);
    paf_comparison_destroy(w->comparison);
    w->comparison = NULL;
    if (!w->other)
        return;
    if (w->other->completing)
        paf_job_cancel(w->other->completing);
    paf_session_drop_calls(w->other, w);
    paf_session_unref(w->other);
    w->other = NULL;
}

bool paf_window_comparison_settled(const paf_window *w)
{
    return w->comparison && is_complete(w) && !w->compare_awaiting && !w->compare_building[0] &&
           !w->compare_building[1] && !w->compare_timing && !paf_widget_is_invalid(w->compare_page);
}

// ---------------------------------------------------------------------------------------------
// Clocks

static void on_real(void *data)
{
    paf_window *w = data;
    w->compare_timing--;
    paf_window_update_comparison(w);
    paf_window_end_export(w);
}

void paf_window_change_comparison_clock(paf_window *w)
{
    if (!w->session || !w->other)
        return;
    if (!paf_has_clocks(w->session->m) || !paf_has_clocks(w->other->m)) {
        paf_window_note(w, "One of the runs has virtual time only: fleng -time=real -trace records "
                           "both clocks");
        return;
    }
    bool real = w->compare_view.clock != IOT_REAL_TIME;
    release_focus(w); // no interval of the one clock is one of the other
    w->compare_view = paf_compare_fit(real ? IOT_REAL_TIME : IOT_VIRTUAL_TIME, 1, 1);
    paf_session *const both[2] = {w->session, w->other};
    for (int i = 0; i < 2 && real; i++) {
        if (paf_model_has_real(both[i]->m))
            continue;
        w->compare_timing++;
        paf_window_begin_export(w);
        paf_job_make_real(both[i], on_real, w);
    }
    paf_window_update_comparison(w);
}

// ---------------------------------------------------------------------------------------------
// Moving

static void set_window(paf_window *w, double from, double to)
{
    const paf_comparison *c = w->comparison;
    double whole = c->end - c->start, width = fmin(to - from, whole);
    from = CLAMP((from + to - width) / 2, c->start, c->end - width);
    w->compare_view.from = width >= whole ? 0 : from;
    w->compare_view.to = width >= whole ? 0 : from + width;
    paf_window_update_comparison(w);
}

static void zoom(paf_window *w, double factor, double around)
{
    const paf_comparison *c = w->comparison;
    set_window(w, around - (around - c->from) / factor, around + (c->to - around) / factor);
}

static void align_starts(paf_window *w)
{
    iot_clock clock = w->compare_view.clock;
    release_focus(w);
    w->compare_view = paf_compare_fit(clock, 1, 1);
    paf_window_update_comparison(w);
}

bool paf_window_move_comparison(paf_window *w, guint key)
{
    const paf_comparison *c = w->comparison;
    if (!c)
        return false;
    double width = c->to - c->from;
    switch (gdk_keyval_to_lower(key)) {
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
    case GDK_KEY_w:
        zoom(w, 1.5, isnan(w->compare_view.pointer) ? c->from + width / 2 : w->compare_view.pointer);
        return true;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
    case GDK_KEY_s:
        zoom(w, 1 / 1.5, c->from + width / 2);
        return true;
    case GDK_KEY_Left:
    case GDK_KEY_Right:
    case GDK_KEY_a:
    case GDK_KEY_d: {
        bool left = key == GDK_KEY_Left || key == GDK_KEY_a || key == GDK_KEY_A;
        double by = CLAMP(left ? -width / 8 : width / 8, c->start - c->from, c->end - c->to);
        set_window(w, c->from + by, c->to + by);
        return true;
    }
    case GDK_KEY_Home:
        set_window(w, c->start, c->start + width);
        return true;
    case GDK_KEY_End:
        set_window(w, c->end - width, c->end);
        return true;
    case GDK_KEY_f:
        set_window(w, c->start, c->end);
        return true;
    case GDK_KEY_0:
    case GDK_KEY_KP_0:
        align_starts(w);
        return true;
    case GDK_KEY_Down:
    case GDK_KEY_Up:
        return paf_widget_move_ring(w->compare_page, key == GDK_KEY_Down ? 1 : -1);
    case GDK_KEY_Return:
        paf_widget_press_ring(w->compare_page);
        return true;
    default:
        return false;
    }
}

// ---------------------------------------------------------------------------------------------
// The pointer

static double time_at(const paf_comparison *c, double x)
{
    return c->from + (x - c->plot_x) / c->plot_w * (c->to - c->from);
}

static void set_mark(paf_window *w, int run, double at)
{
    const paf_comparison *c = w->comparison;
    paf_compare_view *v = &w->compare_view;
    double end = paf_end((run == 0 ? w->session : w->other)->m, v->clock);
    v->marks[run] = round(CLAMP(c->zero[run] + c->unit[run] * at, 0, end));
    v->from = v->to = 0;
    bool both = !isnan(v->marks[0]) && !isnan(v->marks[1]);
    v->alignment = both ? PAF_ALIGN_MARKS : PAF_ALIGN_START;
    paf_window_update_comparison(w);
}

static void align_module(paf_window *w, const paf_hit *hit)
{
    const paf_model *models[2] = {w->session->m, w->other->m};
    paf_compare_view v = w->compare_view;
    char *name = g_strdup(paf_compare_row_name(models, hit));
    v.alignment = PAF_ALIGN_MODULE;
    v.module = name;
    v.from = v.to = 0;
    const char *why = paf_compare_refuses(models, &v);
    if (why) {
        char *text = g_strdup_printf("%s: %s", name, why);
        paf_window_note(w, text);
        g_free(text);
        g_free(name);
        return;
    }
    g_free(w->compare_module);
    w->compare_module = name;
    w->compare_view = v;
    paf_window_update_comparison(w);
}

// Both zoom to the stretch that holds most of it; it is lit in its own run.
static void show_finding(paf_window *w, int run, uint32_t finding)
{
    const paf_model *m = (run == 0 ? w->session : w->other)->m;
    const paf_comparison *c = w->comparison;
    paf_focus *f = paf_focus_on_finding(m, w->compare_view.clock, finding);
    if (!f) {
        paf_window_note(w, "It has no place in the run");
        return;
    }
    release_focus(w);
    w->compare_view.focus[run] = f;
    double margin = fmax((double)(f->to - f->from) * 0.06, 1.5);
    set_window(w, ((double)f->from - margin - c->zero[run]) / c->unit[run],
               ((double)f->to + margin - c->zero[run]) / c->unit[run]);
}

typedef struct {
    paf_window *window;
    paf_hit hit;
    double x, y;
} click;

// With the first session locked, whose findings and times it asks; those of the other one no worker changes
// once its model is complete.
static void do_click(void *data)
{
    const click *k = data;
    paf_window *w = k->window;
    if (!w->comparison || !w->other || !is_complete(w))
        return;
    int run = paf_comparison_run_at(w->comparison, k->x, k->y);
    if (k->hit.kind == PAF_HIT_MODULE_ROW)
        align_module(w, &k->hit);
    else if (run < 2 && k->hit.kind == PAF_HIT_FINDING)
        show_finding(w, run, k->hit.a);
    else if (run < 2 && paf_rect_holds(&w->comparison->runs[run], k->x, k->y) &&
             k->x >= w->comparison->plot_x && k->x <= w->comparison->plot_x + w->comparison->plot_w)
        set_mark(w, run, time_at(w->comparison, k->x));
}

static void click_at(paf_window *w, const paf_hit *hit, double x, double y)
{
    click *k = g_new0(click, 1);
    *k = (click){.window = w, .x = x, .y = y};
    if (hit)
        k->hit = *hit;
    k->hit.tip = NULL;
    if (w->session)
        paf_session_call(w->session, w, do_click, k, g_free);
    else
        g_free(k);
}

static const paf_picture *picture(void *page)
{
    const paf_window *w = page;
    return w->comparison ? w->comparison->picture : NULL;
}

static bool answers(void *page)
{
    const paf_window *w = page;
    return w->comparison && w->other && !w->job;
}

static bool press(void *page, const paf_hit *hit, const GdkEventButton *e)
{
    (void)hit;
    paf_window *w = page;
    w->compare_drag_x = e->x;
    w->compare_drag_from = w->comparison->from;
    w->compare_drag_to = w->comparison->to;
    return e->button == GDK_BUTTON_PRIMARY && e->type == GDK_BUTTON_PRESS;
}

static void drag(void *page, double x, double y)
{
    (void)y;
    paf_window *w = page;
    double width = w->compare_drag_to - w->compare_drag_from;
    double by = (w->compare_drag_x - x) / w->comparison->plot_w * width;
    by = CLAMP(by, w->comparison->start - w->compare_drag_from, w->comparison->end - w->compare_drag_to);
    set_window(w, w->compare_drag_from + by, w->compare_drag_to + by);
}

static void release(void *page, const paf_hit *hit, const GdkEventButton *e, bool dragged)
{
    if (e->button == GDK_BUTTON_PRIMARY && !dragged)
        click_at(page, hit, e->x, e->y);
}

static void hover(void *page, const paf_hit *hit, double x, double y)
{
    (void)hit;
    paf_window *w = page;
    if (!w->comparison)
        return;
    const paf_comparison *c = w->comparison;
    bool over = !isnan(x) && x >= c->plot_x && x <= c->plot_x + c->plot_w &&
                (paf_rect_holds(&c->runs[0], x, y) || paf_rect_holds(&c->runs[1], x, y));
    double at = over ? time_at(c, x) : NAN;
    if (isnan(at) && isnan(w->compare_view.pointer))
        return;
    w->compare_view.pointer = at;
    gtk_widget_queue_draw(w->compare);
}

static void draw_over(void *page, cairo_t *cr)
{
    paf_window *w = page;
    if (!w->comparison || !w->session || !w->other || isnan(w->compare_view.pointer))
        return;
    const trace *const traces[2] = {w->session->t, w->other->t};
    paf_picture *p = paf_comparison_pointer(w->comparison, traces, &w->compare_view, w->compare_text);
    paf_picture_draw(p, cr);
    paf_picture_destroy(p);
}

static const char *cursor(void *page, const paf_hit *hit)
{
    (void)page;
    bool hand = hit && (hit->kind == PAF_HIT_MODULE_ROW || hit->kind == PAF_HIT_FINDING);
    return hand ? "pointer" : "default";
}

static char *tip(void *page, const paf_hit *hit, double x, double y)
{
    (void)page, (void)x, (void)y;
    if (hit->kind == PAF_HIT_MODULE_ROW)
        return g_strdup("Module\nA click aligns both runs where it begins");
    if (hit->kind == PAF_HIT_FINDING)
        return g_strdup("Finding\nA click zooms both runs to where most of it is");
    return NULL;
}

static void wheel(void *page, const paf_hit *hit, const GdkEventScroll *e, double dx, double dy)
{
    (void)hit;
    paf_window *w = page;
    const paf_comparison *c = w->comparison;
    double width = c->to - c->from, part = CLAMP((e->x - c->plot_x) / c->plot_w, 0, 1);
    if (dx != 0) {
        double by = CLAMP(dx * width / 12, c->start - c->from, c->end - c->to);
        set_window(w, c->from + by, c->to + by);
    }
    if (dy != 0)
        zoom(w, pow(1.25, -dy), c->from + part * width);
}

static char *name(void *page, const paf_hit *hit, AtkRole *ret_role)
{
    const paf_window *w = page;
    const char *what = hit->kind == PAF_HIT_MODULE_ROW ? "module "
                       : hit->kind == PAF_HIT_FINDING  ? "finding "
                       : hit->kind == PAF_HIT_RUN      ? ""
                                                       : NULL;
    if (!what)
        return NULL;
    *ret_role = hit->kind == PAF_HIT_RUN ? ATK_ROLE_LABEL : ATK_ROLE_PUSH_BUTTON;
    char *text = paf_widget_texts(w->comparison->picture, &hit->place);
    char *all = g_strconcat(what, text, NULL);
    g_free(text);
    return all;
}

static void activate(void *page, const paf_hit *hit)
{
    click_at(page, hit, hit->place.x + hit->place.w / 2, hit->place.y + hit->place.h / 2);
}

static bool stops(void *page, const paf_hit *hit)
{
    (void)page;
    return hit->kind == PAF_HIT_MODULE_ROW || hit->kind == PAF_HIT_FINDING;
}

static void gone(void *page)
{
    (void)page; // the window's own end follows
}

const paf_page paf_comparison_page = {
    .picture = picture,
    .draw_over = draw_over,
    .answers = answers,
    .refresh = refresh,
    .press = press,
    .drag = drag,
    .slop = 4,
    .release = release,
    .hover = hover,
    .cursor = cursor,
    .tip = tip,
    .wheel = wheel,
    .name = name,
    .activate = activate,
    .stops = stops,
    .gone = gone,
};
