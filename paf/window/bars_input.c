// SPDX-License-Identifier: MIT
//
// Pointer, wheel and keys on the bars.
#include "paf/window/bars_canvas_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The manual scale

static void on_maximum(GtkEntry *entry, gpointer data)
{
    paf_bars_canvas *c = data;
    char *end, *text = g_strstrip(g_strdup(gtk_entry_get_text(entry)));
    double maximum = g_ascii_strtod(text, &end);
    bool good = end > text && !*end && maximum > 0 && maximum < 1e18;
    g_free(text);
    if (good) {
        paf_bars_set_maximum(c, maximum);
        gtk_popover_popdown(GTK_POPOVER(gtk_widget_get_ancestor(GTK_WIDGET(entry),
                                                                GTK_TYPE_POPOVER)));
    } else {
        gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(entry)), "error");
    }
}

static void on_typed(GtkEditable *entry, gpointer data)
{
    (void)data;
    gtk_style_context_remove_class(gtk_widget_get_style_context(GTK_WIDGET(entry)), "error");
}

// Keys are the bars' again.
static void on_closed(GtkPopover *popover, gpointer data)
{
    paf_bars_canvas *c = data;
    gtk_widget_grab_focus(c->widget);
    gtk_widget_destroy(GTK_WIDGET(popover));
}

// The present value without zeros that say nothing.
static char *maximum_text(const paf_bars_canvas *c)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double now = c->bars ? c->bars->largest : 0;
    return g_strdup(g_ascii_formatd(number, sizeof number, c->view.counts ? "%.0f" : "%.9g", now));
}

static void ask_maximum(paf_bars_canvas *c, const paf_rect *place)
{
    GtkWidget *popover = gtk_popover_new(c->widget), *entry = gtk_entry_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GdkRectangle at = {(int)place->x, (int)place->y, (int)place->w, (int)place->h};
    char *now = maximum_text(c);
    gtk_entry_set_text(GTK_ENTRY(entry), now);
    gtk_entry_set_width_chars(GTK_ENTRY(entry), 14);
    g_signal_connect(entry, "activate", G_CALLBACK(on_maximum), c);
    g_signal_connect(entry, "changed", G_CALLBACK(on_typed), c);
    g_signal_connect(popover, "closed", G_CALLBACK(on_closed), c);
    gtk_container_set_border_width(GTK_CONTAINER(box), 8);
    gtk_box_pack_start(GTK_BOX(box), gtk_label_new("A full bar is"), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), entry, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(box), gtk_label_new(c->view.counts ? "executions" : "seconds"),
                       FALSE, FALSE, 0);
    gtk_container_add(GTK_CONTAINER(popover), box);
    gtk_popover_set_pointing_to(GTK_POPOVER(popover), &at);
    gtk_widget_show_all(box);
    gtk_popover_popup(GTK_POPOVER(popover));
    gtk_widget_grab_focus(entry);
    g_free(now);
}

static void ask_maximum_by_key(paf_bars_canvas *c)
{
    for (uint32_t i = 0; i < paf_picture_nhits(c->bars->picture); i++) {
        const paf_hit *hit = paf_picture_hit(c->bars->picture, i);
        if (hit->kind == PAF_BARS_SCALE && hit->a == 1) {
            paf_rect place = hit->place;
            ask_maximum(c, &place);
            return;
        }
    }
}

// Bars `factor` times as long.
static void stretch(paf_bars_canvas *c, double factor)
{
    double largest = c->bars->largest;
    if (largest > 0)
        paf_bars_set_maximum(c, CLAMP(largest / factor, 1e-9, 1e17));
}

// ---------------------------------------------------------------------------------------------
// Pointer

static void press(paf_bars_canvas *c, const paf_hit *hit)
{
    paf_rect place = hit->place;
    uint32_t a = hit->a;
    switch ((paf_bars_hit)hit->kind) {
    case PAF_BARS_TABLE:
        paf_bars_show_table(c, (trace_total_kind)a, TRACE_NONE);
        break;
    case PAF_BARS_ROW:
        paf_bars_choose(c, a);
        break;
    case PAF_BARS_BACK:
        paf_bars_go_back(c);
        break;
    case PAF_BARS_GROUP:
        paf_bars_show_group(c, (paf_io_group)a);
        break;
    case PAF_BARS_BY:
        paf_bars_show_by(c, a);
        break;
    case PAF_BARS_NODES:
        paf_bars_next_nodes(c, 1);
        break;
    case PAF_BARS_SCALE:
        if (a)
            ask_maximum(c, &place);
        else
            paf_bars_set_maximum(c, 0);
        break;
    case PAF_BARS_IGNORED:
        paf_bars_show_ignored(c, !c->view.show_ignored);
        break;
    case PAF_BARS_IGNORE:
        paf_bars_ignore(c, a, !c->view.show_ignored);
        break;
    case PAF_BARS_SCROLLBAR:
    case PAF_BARS_SOURCE:
    case PAF_BARS_NOTHING:
        break;
    }
}

// The bar is taken, or, beside it, comes to the pointer.
static void begin_scrolling(paf_bars_canvas *c, double y)
{
    const paf_rect *r = &c->bars->scrollbar;
    double n = c->bars->nrows, at = (y - r->y) / r->h * n;
    if (at < c->bars->first || at > c->bars->first + (double)c->bars->visible)
        paf_bars_scroll_to(c, (int64_t)(at - c->bars->visible / 2.0));
    c->dragging = true;
    c->drag_y = y;
    c->drag_first = c->bars->first;
}

static void go_on_scrolling(paf_bars_canvas *c, double y)
{
    double rows = (y - c->drag_y) / c->bars->scrollbar.h * c->bars->nrows;
    int64_t first = (int64_t)round(c->drag_first + rows);
    if (first != c->bars->first)
        paf_bars_scroll_to(c, first);
}

// The second click of a double click is not for the table that the first one led to.
static bool is_second_of_switch(paf_bars_canvas *c, const GdkEventButton *e)
{
    gint within = 400, distance = 5;
    g_object_get(gtk_settings_get_default(), "gtk-double-click-time", &within,
                 "gtk-double-click-distance", &distance, NULL);
    return c->switched != 0 && e->time - c->switched < (guint32)within &&
           fabs(e->x - c->switched_x) <= distance && fabs(e->y - c->switched_y) <= distance;
}

static void click(paf_bars_canvas *c, const GdkEventButton *e, const paf_hit *hit)
{
    trace_total_kind table = c->view.table;
    uint32_t unit = c->view.unit;
    if (hit->kind == PAF_BARS_SCROLLBAR) {
        begin_scrolling(c, e->y);
        return;
    }
    if (is_second_of_switch(c, e))
        return;
    press(c, hit);
    c->switched = c->view.table != table || c->view.unit != unit ? e->time : 0;
    c->switched_x = e->x;
    c->switched_y = e->y;
}

static bool is_loop(const paf_bars_canvas *c, uint32_t row)
{
    const trace_total *p = paf_bars_total(c->totals, row);
    return p && p->kind == TT_LOOP;
}

static gboolean on_press(GtkWidget *widget, GdkEventButton *e, gpointer data)
{
    paf_bars_canvas *c = data;
    const paf_hit *hit = c->bars ? paf_hit_at(c->bars->picture, e->x, e->y) : NULL;
    gtk_widget_grab_focus(widget);
    if (!hit || e->type != GDK_BUTTON_PRESS)
        return TRUE;
    if (e->button == GDK_BUTTON_PRIMARY) {
        click(c, e, hit);
    } else if (e->button == GDK_BUTTON_SECONDARY &&
               (hit->kind == PAF_BARS_ROW || hit->kind == PAF_BARS_IGNORE) &&
               is_loop(c, hit->a)) {
        c->view.trips = hit->a;
        paf_bars_update(c);
    }
    return TRUE;
}

static void hide_trips(paf_bars_canvas *c)
{
    if (c->view.trips == TRACE_NONE)
        return;
    c->view.trips = TRACE_NONE;
    paf_bars_update(c);
}

// Trip counts are shown while the button is held.
static gboolean on_release(GtkWidget *widget, GdkEventButton *e, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    if (e->button == GDK_BUTTON_PRIMARY)
        c->dragging = false;
    else if (e->button == GDK_BUTTON_SECONDARY)
        hide_trips(c);
    return TRUE;
}

// The release goes to somebody else.
static gboolean on_broken_grab(GtkWidget *widget, GdkEvent *e, gpointer data)
{
    (void)widget, (void)e;
    paf_bars_canvas *c = data;
    c->dragging = false;
    hide_trips(c);
    return FALSE;
}

static void set_cursor(paf_bars_canvas *c, const paf_hit *hit)
{
    bool acts = hit && hit->kind != PAF_BARS_NOTHING && hit->kind != PAF_BARS_SOURCE &&
                hit->kind != PAF_BARS_SCROLLBAR;
    GdkWindow *window = gtk_widget_get_window(c->widget);
    GdkCursor *cursor =
        gdk_cursor_new_from_name(gdk_window_get_display(window), acts ? "pointer" : "default");
    gdk_window_set_cursor(window, cursor);
    if (cursor)
        g_object_unref(cursor);
}

static void set_hover(paf_bars_canvas *c, uint32_t total)
{
    if (c->view.hover == total)
        return;
    c->view.hover = total;
    paf_bars_update(c);
}

static gboolean on_motion(GtkWidget *widget, GdkEventMotion *e, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    if (!c->bars)
        return FALSE;
    if (c->dragging) {
        go_on_scrolling(c, e->y);
        return TRUE;
    }
    const paf_hit *hit = paf_hit_at(c->bars->picture, e->x, e->y);
    set_cursor(c, hit);
    if (c->view.trips == TRACE_NONE)
        set_hover(c, hit && (hit->kind == PAF_BARS_ROW || hit->kind == PAF_BARS_IGNORE)
                         ? hit->a
                         : TRACE_NONE);
    return TRUE;
}

static gboolean on_leave(GtkWidget *widget, GdkEventCrossing *e, gpointer data)
{
    (void)widget, (void)e;
    paf_bars_canvas *c = data;
    if (c->bars)
        set_hover(c, TRACE_NONE);
    return FALSE;
}

static gboolean on_scroll(GtkWidget *widget, GdkEventScroll *e, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    const paf_hit *hit = c->bars ? paf_hit_at(c->bars->picture, e->x, e->y) : NULL;
    double x = 0, y = 0;
    if (!gdk_event_get_scroll_deltas((GdkEvent *)e, &x, &y))
        y = e->direction == GDK_SCROLL_UP ? -1 : e->direction == GDK_SCROLL_DOWN ? 1 : 0;
    if (hit && hit->kind == PAF_BARS_SOURCE) {
        c->view.source_scroll = CLAMP(c->view.source_scroll + 3 * y, -100000, 100000);
        paf_bars_update(c);
        return TRUE;
    }
    c->scrolled += 3 * y;
    int rows = (int)c->scrolled;
    c->scrolled -= rows;
    if (rows != 0)
        paf_bars_scroll_to(c, (int64_t)c->view.first + rows);
    return TRUE;
}

static const char *tip_of(const paf_bars_canvas *c, const paf_hit *hit)
{
    bool loop = hit->kind == PAF_BARS_ROW && is_loop(c, hit->a);
    switch ((paf_bars_hit)hit->kind) {
    case PAF_BARS_TABLE:
        return c->totals->tables[hit->a].observed ? NULL : "Not observed in this run";
    case PAF_BARS_ROW:
        return loop ? "Click: its source. The other button, held: how often it turns" : NULL;
    case PAF_BARS_BACK:
        return "Back to all (Backspace)";
    case PAF_BARS_GROUP:
        return hit->a == PAF_IO_FILES && c->totals->nfiles == 0 ? "No file is known"
                                                                : "What a row is (G)";
    case PAF_BARS_NODES:
        return "Sum, largest, smallest, mean, or one process (N, P)";
    case PAF_BARS_SCALE:
        return hit->a ? "A full bar is what you say (M)" : "The topmost bar is full (A)";
    case PAF_BARS_IGNORED:
        return c->view.show_ignored ? "Back to the table (Shift+I)" : "What is left out (Shift+I)";
    case PAF_BARS_IGNORE:
        return c->view.show_ignored ? "Take it back (U)" : "Leave this out (I)";
    default:
        return NULL;
    }
}

static gboolean on_tip(GtkWidget *widget, gint x, gint y, gboolean keyboard, GtkTooltip *tip,
                       gpointer data)
{
    (void)widget, (void)keyboard;
    paf_bars_canvas *c = data;
    const char *text = c->bars ? paf_tip_at(c->bars->picture, x, y) : NULL; // what was cut
    const paf_hit *hit = c->bars ? paf_hit_at(c->bars->picture, x, y) : NULL;
    if (!text && hit)
        text = tip_of(c, hit);
    if (text)
        gtk_tooltip_set_text(tip, text);
    return text != NULL;
}

// ---------------------------------------------------------------------------------------------
// Keys

static void step(paf_bars_canvas *c, int64_t rows)
{
    const paf_bars *b = c->bars;
    int64_t at = -1;
    if (b->nrows == 0)
        return;
    for (uint32_t i = 0; i < b->nrows && at < 0; i++)
        if (b->rows[i] == c->view.selected)
            at = i;
    int64_t last = (int64_t)b->nrows - 1;
    if (at < 0)
        at = rows > 0 ? -1 : last + 1; // the first step leads to the first row or to the last
    at = CLAMP(at + rows, 0, last);
    int64_t first = b->first;
    int64_t room = b->room;
    paf_bars_select(c, b->rows[at]);
    paf_bars_scroll_to(c, at < first ? at : at >= first + room ? at - room + 1 : first);
}

static bool is_shown(const paf_bars_canvas *c)
{
    for (uint32_t i = 0; i < c->bars->nrows; i++)
        if (c->bars->rows[i] == c->view.selected)
            return true;
    return false;
}

// To the next table that there is.
static void step_table(paf_bars_canvas *c, int by)
{
    int at = c->view.table;
    for (int i = 0; i < TRACE_TOTAL_KINDS; i++) {
        at = (at + by + TRACE_TOTAL_KINDS) % TRACE_TOTAL_KINDS;
        if (c->totals->tables[at].observed)
            break;
    }
    paf_bars_show_table(c, (trace_total_kind)at, TRACE_NONE);
}

static bool move_by_key(paf_bars_canvas *c, guint key, bool shift)
{
    int64_t page = MAX(c->bars->room, 2) - 1, all = c->bars->nrows;
    switch (key) {
    case GDK_KEY_Down:
        step(c, 1);
        return true;
    case GDK_KEY_Up:
    case GDK_KEY_ISO_Left_Tab:
        step(c, -1);
        return true;
    case GDK_KEY_Tab:
        step(c, shift ? -1 : 1);
        return true;
    case GDK_KEY_Page_Down:
        step(c, page);
        return true;
    case GDK_KEY_Page_Up:
        step(c, -page);
        return true;
    case GDK_KEY_Home:
        step(c, -all);
        return true;
    case GDK_KEY_End:
        step(c, all);
        return true;
    case GDK_KEY_Left:
        step_table(c, -1);
        return true;
    case GDK_KEY_Right:
        step_table(c, 1);
        return true;
    default:
        return false;
    }
}

static bool scale_by_key(paf_bars_canvas *c, guint key)
{
    switch (key) {
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
        stretch(c, 1.25);
        return true;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
        stretch(c, 0.8);
        return true;
    case GDK_KEY_f:
    case GDK_KEY_F:
        paf_bars_canvas_fit(c);
        return true;
    case GDK_KEY_a:
        paf_bars_set_maximum(c, 0);
        return true;
    case GDK_KEY_m:
        ask_maximum_by_key(c);
        return true;
    default:
        return false;
    }
}

// Keys that need a selected row.
static bool act_on_row(paf_bars_canvas *c, guint key, const char **ret_why)
{
    bool chosen = c->view.selected != TRACE_NONE && is_shown(c);
    bool loop = chosen && is_loop(c, c->view.selected);
    switch (key) {
    case GDK_KEY_i:
    case GDK_KEY_Delete:
        if (chosen && !paf_bars_is_grouped(&c->view))
            paf_bars_ignore(c, c->view.selected, !c->view.show_ignored);
        else if (chosen)
            *ret_why = "Its statements can be ignored: Enter leads to them";
        break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        if (chosen)
            paf_bars_choose(c, c->view.selected);
        break;
    case GDK_KEY_space:
        c->view.trips = c->view.trips == TRACE_NONE && loop ? c->view.selected : TRACE_NONE;
        paf_bars_update(c);
        if (chosen && !loop)
            *ret_why = "Only loops turn";
        break;
    default:
        return false;
    }
    if (!chosen)
        *ret_why = "No row is chosen: ↓ chooses one";
    return true;
}

static bool act_by_key(paf_bars_canvas *c, guint key, const char **ret_why)
{
    trace_total_kind table = (trace_total_kind)(key - GDK_KEY_1);
    switch (key) {
    case GDK_KEY_1:
    case GDK_KEY_2:
    case GDK_KEY_3:
    case GDK_KEY_4:
        paf_bars_show_table(c, table, TRACE_NONE);
        return true;
    case GDK_KEY_e:
        paf_bars_show_by(c, !c->view.counts);
        return true;
    case GDK_KEY_n:
    case GDK_KEY_p:
        paf_bars_next_nodes(c, key == GDK_KEY_n ? 1 : -1);
        if (c->totals->nnodes < 2)
            *ret_why = "There is one process";
        return true;
    case GDK_KEY_g:
        if (c->view.table == TT_IO)
            paf_bars_show_group(c, (paf_io_group)((c->view.group + 1) % PAF_IO_GROUPS));
        else
            *ret_why = "Only input and output is put together: 3 shows it";
        return true;
    case GDK_KEY_u:
        if (!paf_bars_canvas_undo(c))
            *ret_why = "Nothing is ignored";
        return true;
    case GDK_KEY_I:
        paf_bars_show_ignored(c, !c->view.show_ignored);
        return true;
    case GDK_KEY_BackSpace:
        paf_bars_go_back(c);
        return true;
    case GDK_KEY_Escape:
        c->view.trips = TRACE_NONE;
        paf_bars_select(c, TRACE_NONE);
        return true;
    case GDK_KEY_c:
    case GDK_KEY_C:
        *ret_why = "Totals have the clock they were measured with";
        return true;
    case GDK_KEY_r:
    case GDK_KEY_R:
    case GDK_KEY_slash:
        *ret_why = "Parallel regions are shown, and found, beside the timeline";
        return true;
    default:
        return false;
    }
}

bool paf_bars_canvas_key(paf_bars_canvas *c, const GdkEventKey *e, const char **ret_why)
{
    *ret_why = NULL;
    if (!c->bars || (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)))
        return false;
    return move_by_key(c, e->keyval, e->state & GDK_SHIFT_MASK) || scale_by_key(c, e->keyval) ||
           act_on_row(c, e->keyval, ret_why) || act_by_key(c, e->keyval, ret_why);
}

void paf_bars_connect_input(paf_bars_canvas *c)
{
    gtk_widget_set_can_focus(c->widget, TRUE);
    gtk_widget_set_has_tooltip(c->widget, TRUE);
    gtk_widget_add_events(c->widget, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                         GDK_POINTER_MOTION_MASK | GDK_LEAVE_NOTIFY_MASK |
                                         GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK |
                                         GDK_KEY_PRESS_MASK);
    g_signal_connect(c->widget, "button-press-event", G_CALLBACK(on_press), c);
    g_signal_connect(c->widget, "button-release-event", G_CALLBACK(on_release), c);
    g_signal_connect(c->widget, "grab-broken-event", G_CALLBACK(on_broken_grab), c);
    g_signal_connect(c->widget, "motion-notify-event", G_CALLBACK(on_motion), c);
    g_signal_connect(c->widget, "leave-notify-event", G_CALLBACK(on_leave), c);
    g_signal_connect(c->widget, "scroll-event", G_CALLBACK(on_scroll), c);
    g_signal_connect(c->widget, "query-tooltip", G_CALLBACK(on_tip), c);
}
