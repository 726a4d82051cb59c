// SPDX-License-Identifier: MIT
//
// The time shown of two runs at once: both move and zoom together.
#include "paf/window/window_private.h"

#include <math.h>

#define NARROWEST 8.0 // steps

static void set_window(paf_window *w, double from, double to)
{
    double end = w->compare_end, width = CLAMP(to - from, fmin(NARROWEST, end), end);
    if (width >= end) {
        w->compare_window = (paf_compare_window){0};
    } else {
        from = CLAMP((from + to - width) / 2, 0, end - width);
        w->compare_window = (paf_compare_window){from, from + width};
    }
    paf_window_update_comparison(w);
}

static paf_compare_window shown(const paf_window *w)
{
    return w->compare_window.to > 0 ? w->compare_window : (paf_compare_window){0, w->compare_end};
}

static void zoom(paf_window *w, double factor, double around)
{
    paf_compare_window s = shown(w);
    set_window(w, around - (around - s.from) / factor, around + (s.to - around) / factor);
}

bool paf_window_move_comparison(paf_window *w, guint key)
{
    paf_compare_window s = shown(w);
    double width = s.to - s.from;
    if (w->compare_end <= 0)
        return false;
    switch (key) {
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
        zoom(w, 1.5, s.from + width / 2);
        return true;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
        zoom(w, 1 / 1.5, s.from + width / 2);
        return true;
    case GDK_KEY_Left:
    case GDK_KEY_Right: {
        double by = key == GDK_KEY_Left ? -width / 8 : width / 8;
        by = CLAMP(by, -s.from, w->compare_end - s.to);
        set_window(w, s.from + by, s.to + by);
        return true;
    }
    case GDK_KEY_Home:
        set_window(w, 0, width);
        return true;
    case GDK_KEY_End:
        set_window(w, w->compare_end - width, w->compare_end);
        return true;
    case GDK_KEY_f:
    case GDK_KEY_F:
        set_window(w, 0, w->compare_end);
        return true;
    default:
        return false;
    }
}

gboolean paf_window_scroll_comparison(GtkWidget *widget, GdkEventScroll *e, gpointer data)
{
    paf_window *w = data;
    double dx = 0, dy = 0, x, plot;
    if (w->compare_end <= 0)
        return FALSE;
    if (!gdk_event_get_scroll_deltas((const GdkEvent *)e, &dx, &dy))
        dy = e->direction == GDK_SCROLL_UP ? -1 : e->direction == GDK_SCROLL_DOWN ? 1 : 0;
    paf_compare_plot(gtk_widget_get_allocated_width(widget), &x, &plot);
    paf_compare_window s = shown(w);
    double part = CLAMP((e->x - x) / plot, 0, 1);
    if (dy != 0)
        zoom(w, pow(1.25, -dy), s.from + part * (s.to - s.from));
    return TRUE;
}
