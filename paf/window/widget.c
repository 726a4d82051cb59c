// SPDX-License-Identifier: MIT
//
// The plumbing of a page: signals of GTK to functions of the page.
#include "paf/window/widget.h"

#include <math.h>
#include <string.h>

struct paf_widget {
    GtkWidget *area;
    const paf_page *page;
    void *data;
    paf_noted *noted; // may be NULL
    void *noted_data;
    guint idle;  // a new picture is due
    int waiting; // see paf_widget_wait()
    bool pressed, dragged;
    paf_hit ring;  // what the keyboard's ring is around; kind 0: nothing
    paf_things things;
    double press_x, press_y;
    double x, y; // of the pointer
    // The picture, painted: it is drawn again whenever the pointer moves. NULL: not yet.
    cairo_surface_t *painted;
    const paf_picture *painted_of;
};

static const paf_hit *hit_at(const paf_widget *w, double x, double y)
{
    const paf_picture *picture = w->page->picture(w->data);
    return picture ? paf_hit_at(picture, x, y) : NULL;
}

// ---------------------------------------------------------------------------------------------
// The picture

static const paf_hit *ring_in(const paf_widget *w, const paf_picture *picture)
{
    for (uint32_t i = 0; w->ring.kind && i < paf_picture_nhits(picture); i++) {
        const paf_hit *hit = paf_picture_hit(picture, i);
        if (hit->kind == w->ring.kind && hit->a == w->ring.a && hit->b == w->ring.b && !hit->curved &&
            w->page->stops(w->data, hit))
            return hit;
    }
    return NULL;
}

static void draw_ring(paf_widget *w, const paf_picture *picture, cairo_t *cr)
{
    const paf_hit *hit = ring_in(w, picture);
    if (!hit)
        return;
    GdkRGBA colour;
    gtk_style_context_get_color(gtk_widget_get_style_context(w->area), GTK_STATE_FLAG_NORMAL, &colour);
    gdk_cairo_set_source_rgba(cr, &colour);
    cairo_set_line_width(cr, 1.5);
    cairo_set_dash(cr, (double[]){4, 2}, 2, 0);
    cairo_rectangle(cr, hit->place.x - 1, hit->place.y - 1, hit->place.w + 2, hit->place.h + 2);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

static void forget_painted(paf_widget *w)
{
    g_clear_pointer(&w->painted, cairo_surface_destroy);
    w->painted_of = NULL;
}

static void paint(paf_widget *w, const paf_picture *picture)
{
    GdkWindow *window = gtk_widget_get_window(w->area);
    int width = gtk_widget_get_allocated_width(w->area), height = gtk_widget_get_allocated_height(w->area);
    forget_painted(w);
    if (!window)
        return;
    w->painted = gdk_window_create_similar_surface(window, CAIRO_CONTENT_COLOR_ALPHA, width, height);
    cairo_t *cr = cairo_create(w->painted);
    paf_picture_draw(picture, cr);
    cairo_destroy(cr);
    w->painted_of = picture;
}

static void draw_picture(paf_widget *w, const paf_picture *picture, cairo_t *cr)
{
    if (w->painted_of != picture)
        paint(w, picture);
    if (!w->painted) {
        paf_picture_draw(picture, cr);
        return;
    }
    cairo_set_source_surface(cr, w->painted, 0, 0);
    cairo_paint(cr);
}

static gboolean on_draw(GtkWidget *area, cairo_t *cr, gpointer data)
{
    (void)area;
    paf_widget *w = data;
    const paf_picture *picture = w->page->picture(w->data);
    if (!picture)
        forget_painted(w);
    if (picture) {
        draw_picture(w, picture, cr);
        if (w->page->draw_over)
            w->page->draw_over(w->data, cr);
        draw_ring(w, picture, cr);
    }
    return TRUE;
}

static gboolean on_idle(gpointer data)
{
    paf_widget *w = data;
    w->idle = 0;
    w->page->refresh(w->data);
    return G_SOURCE_REMOVE;
}

void paf_widget_invalidate(paf_widget *w)
{
    if (!w->idle)
        w->idle = g_idle_add_full(GDK_PRIORITY_REDRAW - 5, on_idle, w, NULL);
}

bool paf_widget_is_invalid(const paf_widget *w)
{
    return w->idle != 0;
}

// Not at once: a source pane over the page gets another place then, which it must not get while
// widgets are getting theirs.
static void on_size(GtkWidget *area, GdkRectangle *allocation, gpointer data)
{
    (void)area, (void)allocation;
    paf_widget_invalidate(data);
}

static void on_scale_factor(GObject *object, GParamSpec *what, gpointer data)
{
    (void)object, (void)what;
    paf_widget_invalidate(data);
}

// ---------------------------------------------------------------------------------------------
// The pointer

static void set_cursor(paf_widget *w, const paf_hit *hit)
{
    GdkWindow *window = gtk_widget_get_window(w->area);
    if (!window)
        return;
    const char *name = w->waiting > 0 ? "progress" : w->page->cursor(w->data, hit);
    GdkCursor *cursor = gdk_cursor_new_from_name(gdk_window_get_display(window), name);
    gdk_window_set_cursor(window, cursor);
    if (cursor)
        g_object_unref(cursor);
}

void paf_widget_wait(paf_widget *w, int change)
{
    w->waiting += change;
    set_cursor(w, hit_at(w, w->x, w->y));
}

bool paf_widget_is_dragged(const paf_widget *w)
{
    return w->dragged;
}

static gboolean on_press(GtkWidget *area, GdkEventButton *e, gpointer data)
{
    paf_widget *w = data;
    gtk_widget_grab_focus(area);
    if (!w->page->answers(w->data))
        return FALSE;
    if (w->page->press(w->data, hit_at(w, e->x, e->y), e)) {
        w->pressed = true;
        w->dragged = false;
        w->press_x = e->x;
        w->press_y = e->y;
    }
    return TRUE;
}

static gboolean on_release(GtkWidget *area, GdkEventButton *e, gpointer data)
{
    (void)area;
    paf_widget *w = data;
    bool dragged = w->dragged;
    if (e->button == GDK_BUTTON_PRIMARY)
        w->pressed = w->dragged = false;
    if (!w->page->answers(w->data))
        return FALSE;
    w->page->release(w->data, hit_at(w, e->x, e->y), e, dragged);
    return TRUE;
}

static gboolean on_broken_grab(GtkWidget *area, GdkEvent *e, gpointer data)
{
    (void)area, (void)e;
    paf_widget *w = data;
    w->pressed = w->dragged = false;
    if (w->page->give_up)
        w->page->give_up(w->data);
    return FALSE;
}

static gboolean on_motion(GtkWidget *area, GdkEventMotion *e, gpointer data)
{
    (void)area;
    paf_widget *w = data;
    w->x = e->x;
    w->y = e->y;
    if (!w->page->answers(w->data))
        return FALSE;
    if (w->pressed && (e->state & GDK_BUTTON1_MASK)) {
        w->dragged = w->dragged || hypot(e->x - w->press_x, e->y - w->press_y) > w->page->slop;
        if (w->dragged)
            w->page->drag(w->data, e->x, e->y);
    }
    const paf_hit *hit = hit_at(w, e->x, e->y);
    set_cursor(w, hit);
    w->page->hover(w->data, hit, e->x, e->y);
    return TRUE;
}

static gboolean on_leave(GtkWidget *area, GdkEventCrossing *e, gpointer data)
{
    (void)area, (void)e;
    paf_widget *w = data;
    w->page->hover(w->data, NULL, NAN, NAN);
    return FALSE;
}

static gboolean on_scroll(GtkWidget *area, GdkEventScroll *e, gpointer data)
{
    (void)area;
    paf_widget *w = data;
    double dx = 0, dy = 0;
    if (!w->page->answers(w->data))
        return FALSE;
    if (!gdk_event_get_scroll_deltas((const GdkEvent *)e, &dx, &dy)) {
        dx = e->direction == GDK_SCROLL_LEFT ? -1 : e->direction == GDK_SCROLL_RIGHT;
        dy = e->direction == GDK_SCROLL_UP ? -1 : e->direction == GDK_SCROLL_DOWN;
    }
    w->page->wheel(w->data, hit_at(w, e->x, e->y), e, dx, dy);
    return TRUE;
}

// ---------------------------------------------------------------------------------------------
// Tips and notes

// The first of several lines is the thing itself.
static char *markup_of(const char *text)
{
    const char *end = strchr(text, '\n');
    if (!end)
        return g_markup_escape_text(text, -1);
    char *first = g_strndup(text, (gsize)(end - text));
    char *markup = g_markup_printf_escaped("<b>%s</b>%s", first, end);
    g_free(first);
    return markup;
}

static gboolean on_tip(GtkWidget *area, gint x, gint y, gboolean keyboard, GtkTooltip *tip,
                       gpointer data)
{
    (void)area;
    paf_widget *w = data;
    const paf_picture *picture = w->page->picture(w->data);
    if (keyboard || w->dragged || !picture || !w->page->answers(w->data))
        return FALSE;
    char *text = g_strdup(paf_tip_at(picture, x, y));
    const paf_hit *hit = paf_hit_at(picture, x, y);
    if (!text && hit)
        text = w->page->tip(w->data, hit, x, y);
    if (!text)
        return FALSE;
    char *markup = markup_of(text);
    gtk_tooltip_set_markup(tip, markup);
    g_free(markup);
    g_free(text);
    return TRUE;
}

void paf_widget_on_note(paf_widget *w, paf_noted *noted, void *data)
{
    w->noted = noted;
    w->noted_data = data;
}

void paf_widget_note(paf_widget *w, const char *text)
{
    if (w->noted)
        w->noted(w->noted_data, text);
}

// ---------------------------------------------------------------------------------------------
// The ring of the keyboard

void paf_widget_drawn(paf_widget *w)
{
    forget_painted(w);
    paf_area_renew(w->area);
}

bool paf_widget_has_ring(const paf_widget *w)
{
    const paf_picture *picture = w->page->picture(w->data);
    return picture && w->page->stops && ring_in(w, picture);
}

void paf_widget_drop_ring(paf_widget *w)
{
    w->ring.kind = 0;
    gtk_widget_queue_draw(w->area);
}

bool paf_widget_move_ring(paf_widget *w, int step)
{
    const paf_picture *picture = w->page->picture(w->data);
    if (!picture || !w->page->stops)
        return false;
    const paf_hit *now = ring_in(w, picture), *found = NULL, *first = NULL, *before = NULL;
    bool passed = false;
    for (uint32_t i = 0; i < paf_picture_nhits(picture); i++) {
        const paf_hit *hit = paf_picture_hit(picture, i);
        if (!hit->kind || hit->curved || !w->page->stops(w->data, hit))
            continue;
        first = first ? first : hit;
        if (passed && !found)
            found = hit;
        passed = passed || hit == now;
        if (!passed || !now)
            before = hit;
    }
    const paf_hit *to = step > 0 ? (found ? found : first) : before;
    if (!to)
        return false;
    w->ring = *to;
    w->ring.tip = NULL;
    paf_area_point_at(w->area, to);
    gtk_widget_queue_draw(w->area);
    return true;
}

void paf_widget_press_ring(paf_widget *w)
{
    const paf_picture *picture = w->page->picture(w->data);
    const paf_hit *hit = picture ? ring_in(w, picture) : NULL;
    if (hit && w->page->answers(w->data))
        w->page->activate(w->data, hit);
}

char *paf_widget_texts(const paf_picture *picture, const paf_rect *place)
{
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < paf_picture_nsteps(picture); i++) {
        const paf_step *step = paf_picture_step(picture, i);
        double x = step->place.x + step->place.w / 2, y = step->place.y + step->place.h / 2;
        if (step->kind == PAF_STEP_TEXT && paf_rect_holds(place, x, y))
            g_string_append_printf(s, "%s%s", s->len ? " " : "", pango_layout_get_text(step->text));
    }
    return g_string_free(s, FALSE);
}

// ---------------------------------------------------------------------------------------------
// Popovers

static void destroy_popover(gpointer popover)
{
    gtk_widget_destroy(popover);
    g_object_unref(popover);
}

// GTK is not done with the popover yet.
static void on_closed(GtkPopover *popover, gpointer data)
{
    (void)data;
    if (gtk_popover_get_relative_to(popover))
        gtk_widget_grab_focus(gtk_popover_get_relative_to(popover));
    g_idle_add_once(destroy_popover, g_object_ref(popover));
}

GtkWidget *paf_widget_popover(paf_widget *w, const GdkRectangle *at, GtkWidget *content)
{
    GtkWidget *popover = gtk_popover_new(w->area);
    g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
    gtk_container_set_border_width(GTK_CONTAINER(content), 8);
    gtk_container_add(GTK_CONTAINER(popover), content);
    gtk_popover_set_pointing_to(GTK_POPOVER(popover), at);
    gtk_widget_show_all(content);
    return popover;
}

// ---------------------------------------------------------------------------------------------

static void on_destroy(GtkWidget *area, gpointer data)
{
    paf_widget *w = data;
    if (w->idle)
        g_source_remove(w->idle);
    w->noted = NULL;
    paf_area_forget(area);
    w->page->gone(w->data);
    forget_painted(w);
    g_free(w);
}

paf_widget *paf_widget_create(const paf_page *page, void *data)
{
    paf_widget *w = g_new0(paf_widget, 1);
    w->page = page;
    w->data = data;
    w->things = (paf_things){page->picture, page->name, page->activate};
    w->area = paf_area_new(&w->things, data);
    gtk_widget_set_can_focus(w->area, TRUE);
    gtk_widget_set_has_tooltip(w->area, TRUE);
    gtk_widget_add_events(w->area, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                       GDK_POINTER_MOTION_MASK | GDK_LEAVE_NOTIFY_MASK |
                                       GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK |
                                       GDK_KEY_PRESS_MASK);
    g_signal_connect(w->area, "draw", G_CALLBACK(on_draw), w);
    g_signal_connect(w->area, "size-allocate", G_CALLBACK(on_size), w);
    g_signal_connect(w->area, "notify::scale-factor", G_CALLBACK(on_scale_factor), w);
    g_signal_connect(w->area, "button-press-event", G_CALLBACK(on_press), w);
    g_signal_connect(w->area, "button-release-event", G_CALLBACK(on_release), w);
    g_signal_connect(w->area, "grab-broken-event", G_CALLBACK(on_broken_grab), w);
    g_signal_connect(w->area, "motion-notify-event", G_CALLBACK(on_motion), w);
    g_signal_connect(w->area, "leave-notify-event", G_CALLBACK(on_leave), w);
    g_signal_connect(w->area, "scroll-event", G_CALLBACK(on_scroll), w);
    g_signal_connect(w->area, "query-tooltip", G_CALLBACK(on_tip), w);
    g_signal_connect(w->area, "destroy", G_CALLBACK(on_destroy), w);
    return w;
}

GtkWidget *paf_widget_area(const paf_widget *w)
{
    return w->area;
}
