// SPDX-License-Identifier: MIT
//
// The state of the samples' page, and what the pointer and keys do to it. The samples of an open trace never
// change, and nothing else is asked of it here, so no lock is taken.
#include "paf/window/samples_canvas.h"

#include <math.h>

#define ZOOM_STEP  1.25
#define LEAST_TIME 16.0 // samples of a window

struct paf_samples_canvas {
    paf_widget *widget;
    paf_session *session; // of samples, a reference; or NULL
    const trace_samples *samples;
    paf_shaped_text *text;
    paf_samples_view view;
    paf_samples_picture *shown;
    double drag_x, drag_from; // where a drag began, and the window then
};

// ---------------------------------------------------------------------------------------------
// State

static void refresh(void *page)
{
    paf_samples_canvas *c = page;
    GtkWidget *area = paf_widget_area(c->widget);
    paf_samples_destroy(c->shown);
    c->shown = NULL;
    c->view.width = gtk_widget_get_allocated_width(area);
    c->view.height = gtk_widget_get_allocated_height(area);
    c->view.scale = gtk_widget_get_scale_factor(area);
    c->view.title = c->session ? c->session->name : "";
    if (c->samples)
        c->shown = paf_samples_create(c->session->t, &c->view, c->text);
    paf_widget_drawn(c->widget);
    gtk_widget_queue_draw(area);
}

static void show_window(paf_samples_canvas *c, double from, double to)
{
    double end = paf_samples_end(c->samples), least = LEAST_TIME * (double)c->samples->every;
    double length = CLAMP(to - from, fmin(least, end), end);
    from = CLAMP(from, 0, end - length);
    c->view.from = from;
    c->view.to = from + length;
    paf_widget_invalidate(c->widget);
}

static double time_at(const paf_samples_canvas *c, double x)
{
    return c->view.from + (x - c->shown->plot.x) * (c->view.to - c->view.from) / c->shown->plot.w;
}

// What is at `time` stays where it is.
static void zoom(paf_samples_canvas *c, double time, double factor)
{
    show_window(c, time - (time - c->view.from) / factor, time + (c->view.to - time) / factor);
}

static void pan(paf_samples_canvas *c, double part)
{
    double by = part * (c->view.to - c->view.from);
    show_window(c, c->view.from + by, c->view.to + by);
}

void paf_samples_canvas_fit(paf_samples_canvas *c)
{
    if (c->samples)
        show_window(c, 0, paf_samples_end(c->samples));
}

// ---------------------------------------------------------------------------------------------
// Pointer

static const paf_picture *picture(void *page)
{
    const paf_samples_canvas *c = page;
    return c->shown ? c->shown->picture : NULL;
}

static bool answers(void *page)
{
    return ((paf_samples_canvas *)page)->shown != NULL;
}

static bool press(void *page, const paf_hit *hit, const GdkEventButton *e)
{
    paf_samples_canvas *c = page;
    if (!hit || e->button != GDK_BUTTON_PRIMARY)
        return false;
    c->drag_x = e->x;
    c->drag_from = c->view.from;
    return true;
}

static void drag(void *page, double x, double y)
{
    (void)y;
    paf_samples_canvas *c = page;
    double length = c->view.to - c->view.from;
    double from = c->drag_from - (x - c->drag_x) * length / c->shown->plot.w;
    show_window(c, from, from + length);
}

static void release(void *page, const paf_hit *hit, const GdkEventButton *e, bool dragged)
{
    (void)page, (void)hit, (void)e, (void)dragged;
}

static void hover(void *page, const paf_hit *hit, double x, double y)
{
    (void)page, (void)hit, (void)x, (void)y;
}

static const char *cursor(void *page, const paf_hit *hit)
{
    (void)page;
    return hit && hit->kind != 0 ? "grab" : "default";
}

static char *tip(void *page, const paf_hit *hit, double x, double y)
{
    (void)y;
    const paf_samples_canvas *c = page;
    if (hit->kind != PAF_SAMPLES_ROW || x < c->shown->plot.x)
        return NULL;
    return paf_samples_tell(c->session->t, hit->a, time_at(c, floor(x)), time_at(c, floor(x) + 1));
}

static void wheel(void *page, const paf_hit *hit, const GdkEventScroll *e, double dx, double dy)
{
    paf_samples_canvas *c = page;
    if (!hit)
        return;
    if (dx != 0 || (e->state & GDK_SHIFT_MASK))
        pan(c, 0.1 * (dx + ((e->state & GDK_SHIFT_MASK) ? dy : 0)));
    else
        zoom(c, time_at(c, e->x), pow(ZOOM_STEP, -dy));
}

static char *name(void *page, const paf_hit *hit, AtkRole *ret_role)
{
    const paf_samples_canvas *c = page;
    *ret_role = ATK_ROLE_IMAGE;
    if (hit->kind == PAF_SAMPLES_ROW)
        return paf_samples_tell(c->session->t, hit->a, c->view.from, c->view.to);
    return hit->kind == PAF_SAMPLES_CHART ? g_strdup("how many workers were busy") : NULL;
}

static void activate(void *page, const paf_hit *hit)
{
    (void)page, (void)hit;
}

bool paf_samples_canvas_key(paf_samples_canvas *c, const GdkEventKey *e)
{
    double middle = (c->view.from + c->view.to) / 2;
    if (!c->samples || (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)))
        return false;
    switch (e->keyval) {
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
    case GDK_KEY_w:
        zoom(c, middle, ZOOM_STEP);
        return true;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
    case GDK_KEY_s:
        zoom(c, middle, 1 / ZOOM_STEP);
        return true;
    case GDK_KEY_Left:
    case GDK_KEY_a:
        pan(c, -0.1);
        return true;
    case GDK_KEY_Right:
    case GDK_KEY_d:
        pan(c, 0.1);
        return true;
    case GDK_KEY_Home:
    case GDK_KEY_0:
        paf_samples_canvas_fit(c);
        return true;
    default:
        if (!e->is_modifier)
            paf_widget_note(c->widget, "Samples: +, − and arrows zoom and move, 0 shows the whole run");
        return false;
    }
}

// ---------------------------------------------------------------------------------------------

static void forget(paf_samples_canvas *c)
{
    paf_samples_destroy(c->shown);
    c->shown = NULL;
    c->samples = NULL;
    paf_session_unref(c->session);
    c->session = NULL;
}

static void gone(void *page)
{
    paf_samples_canvas *c = page;
    forget(c);
    paf_shaped_text_destroy(c->text);
    g_free(c);
}

static const paf_page samples_page = {
    .picture = picture,
    .answers = answers,
    .refresh = refresh,
    .press = press,
    .drag = drag,
    .slop = 3,
    .release = release,
    .hover = hover,
    .cursor = cursor,
    .tip = tip,
    .wheel = wheel,
    .name = name,
    .activate = activate,
    .gone = gone,
};

paf_samples_canvas *paf_samples_canvas_create(void)
{
    paf_samples_canvas *c = g_new0(paf_samples_canvas, 1);
    c->widget = paf_widget_create(&samples_page, c);
    c->text = paf_shaped_text_create(NULL, NULL);
    return c;
}

paf_widget *paf_samples_canvas_widget(const paf_samples_canvas *c)
{
    return c->widget;
}

bool paf_is_of_samples(const paf_session *s)
{
    return s && trace_get_samples(s->t) && trace_nreductions(s->t) == 0;
}

void paf_samples_canvas_show(paf_samples_canvas *c, paf_session *s)
{
    bool dark = c->view.dark;
    forget(c);
    if (paf_is_of_samples(s)) {
        c->session = paf_session_ref(s);
        c->samples = trace_get_samples(s->t);
        c->view = paf_samples_fit(c->samples, 1, 1);
        c->view.dark = dark;
    }
    paf_widget_invalidate(c->widget);
}

void paf_samples_canvas_set_dark(paf_samples_canvas *c, bool dark)
{
    c->view.dark = dark;
    paf_widget_invalidate(c->widget);
}

paf_samples_view paf_samples_canvas_view(const paf_samples_canvas *c)
{
    return c->view;
}
