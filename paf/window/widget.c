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
    double press_x, press_y;
    double x, y; // of the pointer
};

static const paf_hit *hit_at(const paf_widget *w, double x, double y)
{
    const paf_picture *picture = w->page->picture(w->data);
    return picture ? paf_hit_at(picture, x, y) : NULL;
}

// ---------------------------------------------------------------------------------------------
// The picture

static gboolean on_draw(GtkWidget *area, cairo_t *cr, gpointer data)
{
    (void)area;
    paf_widget *w = data;
    const paf_picture *picture = w->page->picture(w->data);
    if (picture)
        paf_picture_draw(picture, cr);
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
    (void)area;
    paf_widget *w = data;
    if (w->idle)
        g_source_remove(w->idle);
    w->noted = NULL;
    w->page->gone(w->data);
    g_free(w);
}

paf_widget *paf_widget_create(const paf_page *page, void *data)
{
    paf_widget *w = g_new0(paf_widget, 1);
    w->page = page;
    w->data = data;
    w->area = gtk_drawing_area_new();
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
