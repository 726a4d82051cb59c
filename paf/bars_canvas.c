// SPDX-License-Identifier: MIT
#include "paf/bars_canvas.h"

#include <stdlib.h>
#include <string.h>

struct paf_bars_canvas {
    GtkWidget *widget;
    paf_session *session; // a reference
    paf_totals *own;      // of a trace without totals, or NULL
    const trace_totals *totals;
    paf_text *text;
    paf_bars_view view;
    uint8_t *ignored; // by total
    GArray *order;    // guint32: what was ignored, latest last
    paf_bars *bars;
    double scrolled;  // parts of rows
};

// ---------------------------------------------------------------------------------------------
// The picture

static void update(paf_bars_canvas *c)
{
    paf_bars_destroy(c->bars);
    c->bars = NULL;
    c->view.width = gtk_widget_get_allocated_width(c->widget);
    c->view.height = gtk_widget_get_allocated_height(c->widget);
    c->view.scale = gtk_widget_get_scale_factor(c->widget);
    if (c->totals)
        c->bars = paf_bars_create(c->session->t, c->totals, &c->view, c->text);
    gtk_widget_queue_draw(c->widget);
}

static gboolean on_draw(GtkWidget *widget, cairo_t *cr, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    if (c->bars)
        paf_picture_draw(c->bars->picture, cr);
    return TRUE;
}

static void on_size(GtkWidget *widget, GdkRectangle *allocation, gpointer data)
{
    (void)widget, (void)allocation;
    update(data);
}

static void on_scale_factor(GObject *object, GParamSpec *what, gpointer data)
{
    (void)object, (void)what;
    update(data);
}

paf_bars *paf_bars_canvas_picture(const paf_bars_canvas *c, double width, double height,
                                  double scale, const char *title, paf_text *text)
{
    paf_bars_view view = c->view;
    view.width = width;
    view.height = height;
    view.scale = scale;
    view.header = true;
    view.title = title;
    return paf_bars_create(c->session->t, c->totals, &view, text);
}

// ---------------------------------------------------------------------------------------------
// State

static void forget(paf_bars_canvas *c)
{
    paf_bars_destroy(c->bars);
    c->bars = NULL;
    paf_totals_free(c->own);
    c->own = NULL;
    c->totals = NULL;
    g_free(c->ignored);
    c->ignored = NULL;
    g_array_set_size(c->order, 0);
    paf_session_unref(c->session);
    c->session = NULL;
}

void paf_bars_canvas_show(paf_bars_canvas *c, paf_session *s)
{
    bool dark = c->view.dark;
    if (s)
        paf_session_ref(s);
    forget(c);
    c->session = s;
    if (!s)
        return;
    g_mutex_lock(&s->lock);
    c->totals = trace_get_totals(s->t);
    c->own = c->totals ? NULL : paf_totals_of_history(s->t);
    if (c->own)
        c->totals = paf_totals_get(c->own);
    g_mutex_unlock(&s->lock);
    if (!c->totals)
        return;
    c->ignored = g_new0(uint8_t, c->totals->ntotals + 1);
    c->view = paf_bars_fit(c->totals, 1, 1);
    c->view.dark = dark;
    c->view.ignored = c->ignored;
    update(c);
}

void paf_bars_canvas_set_dark(paf_bars_canvas *c, bool dark)
{
    c->view.dark = dark;
    update(c);
}

static void scroll_to(paf_bars_canvas *c, int64_t first)
{
    uint32_t n = c->bars ? c->bars->nrows : 0, room = c->bars ? c->bars->room : 1;
    int64_t last = n > room ? n - room : 0;
    c->view.first = (uint32_t)CLAMP(first, 0, last);
    update(c);
}

static void show_table(paf_bars_canvas *c, trace_total_kind table, uint32_t unit)
{
    c->view.table = table;
    c->view.unit = unit;
    c->view.first = 0;
    c->view.show_ignored = false;
    update(c);
}

static void ignore(paf_bars_canvas *c, uint32_t total, bool on)
{
    if (c->ignored[total] == on)
        return;
    c->ignored[total] = on;
    if (on) {
        g_array_append_val(c->order, total);
    } else {
        for (guint i = c->order->len; i > 0; i--)
            if (g_array_index(c->order, guint32, i - 1) == total)
                g_array_remove_index(c->order, i - 1);
    }
    if (c->view.selected == total)
        c->view.selected = TRACE_NONE;
    update(c);
    scroll_to(c, c->view.first);
}

static void undo(paf_bars_canvas *c)
{
    if (c->order->len > 0)
        ignore(c, g_array_index(c->order, guint32, c->order->len - 1), false);
}

// A unit leads to its loops; whatever it is its source is shown.
static void choose(paf_bars_canvas *c, uint32_t total)
{
    c->view.selected = total;
    if (c->view.show_ignored)
        ignore(c, total, false);
    else if (c->totals->totals[total].kind == TT_UNIT && c->totals->tables[TT_LOOP].observed)
        show_table(c, TT_LOOP, total);
    else
        update(c);
}

static void next_nodes(paf_bars_canvas *c, int step)
{
    uint32_t n = c->totals->nnodes;
    if (n < 2)
        return;
    // sum, maximum, minimum, mean, then the nodes
    int64_t at = c->view.nodes >= PAF_NODES_MEAN ? PAF_NODES_SUM - c->view.nodes
                                                 : (int64_t)c->view.nodes + 4;
    int64_t all = (int64_t)n + 4;
    at = (at + step + all) % all;
    c->view.nodes = at < 4 ? PAF_NODES_SUM - (uint32_t)at : (uint32_t)(at - 4);
    update(c);
}

// ---------------------------------------------------------------------------------------------
// The manual scale

static void on_maximum(GtkEntry *entry, gpointer data)
{
    paf_bars_canvas *c = data;
    char *end;
    const char *text = gtk_entry_get_text(entry);
    double maximum = g_ascii_strtod(text, &end);
    bool good = end > text && !*end && maximum > 0 && maximum < 1e18;
    if (good) {
        c->view.maximum = maximum;
        update(c);
        gtk_popover_popdown(GTK_POPOVER(gtk_widget_get_parent(GTK_WIDGET(entry))));
    } else {
        gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(entry)), "error");
    }
}

static void ask_maximum(paf_bars_canvas *c, const paf_rect *place)
{
    GtkWidget *popover = gtk_popover_new(c->widget), *entry = gtk_entry_new();
    GdkRectangle at = {(int)place->x, (int)place->y, (int)place->w, (int)place->h};
    char *now = c->view.counts ? g_strdup_printf("%.0f", c->bars ? c->bars->largest : 0)
                               : g_strdup_printf("%.3f", c->bars ? c->bars->largest : 0);
    gtk_entry_set_text(GTK_ENTRY(entry), now);
    gtk_entry_set_placeholder_text(GTK_ENTRY(entry), c->view.counts ? "executions" : "seconds");
    gtk_widget_set_tooltip_text(entry, "What a full bar stands for");
    g_signal_connect(entry, "activate", G_CALLBACK(on_maximum), c);
    g_signal_connect(popover, "closed", G_CALLBACK(gtk_widget_destroy), NULL);
    gtk_container_add(GTK_CONTAINER(popover), entry);
    gtk_popover_set_pointing_to(GTK_POPOVER(popover), &at);
    gtk_widget_show(entry);
    gtk_popover_popup(GTK_POPOVER(popover));
    gtk_widget_grab_focus(entry);
    g_free(now);
}

static void scale_automatically(paf_bars_canvas *c)
{
    c->view.maximum = 0;
    update(c);
}

static void ask_maximum_by_key(paf_bars_canvas *c)
{
    for (uint32_t i = 0; i < paf_picture_nhits(c->bars->picture); i++) {
        const paf_hit *hit = paf_picture_hit(c->bars->picture, i);
        if (hit->kind == PAF_BARS_SCALE && hit->a == 1) {
            ask_maximum(c, &hit->place);
            return;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Pointer

static void press(paf_bars_canvas *c, const paf_hit *hit)
{
    paf_rect place = hit->place;
    uint32_t a = hit->a;
    switch ((paf_bars_hit)hit->kind) {
    case PAF_BARS_TABLE:
        show_table(c, (trace_total_kind)a, TRACE_NONE);
        break;
    case PAF_BARS_ROW:
        choose(c, a);
        break;
    case PAF_BARS_BACK:
        show_table(c, TT_UNIT, TRACE_NONE);
        break;
    case PAF_BARS_BY:
        c->view.counts = a;
        c->view.first = 0;
        scale_automatically(c);
        break;
    case PAF_BARS_NODES:
        next_nodes(c, 1);
        break;
    case PAF_BARS_SCALE:
        if (a)
            ask_maximum(c, &place);
        else
            scale_automatically(c);
        break;
    case PAF_BARS_IGNORED:
        c->view.show_ignored = !c->view.show_ignored;
        c->view.first = 0;
        update(c);
        break;
    case PAF_BARS_IGNORE:
        ignore(c, a, !c->view.show_ignored);
        break;
    case PAF_BARS_NOTHING:
        break;
    }
}

static gboolean on_press(GtkWidget *widget, GdkEventButton *e, gpointer data)
{
    paf_bars_canvas *c = data;
    const paf_hit *hit = c->bars ? paf_hit_at(c->bars->picture, e->x, e->y) : NULL;
    gtk_widget_grab_focus(widget);
    if (!hit || e->type != GDK_BUTTON_PRESS)
        return TRUE;
    if (e->button == GDK_BUTTON_PRIMARY) {
        press(c, hit);
    } else if (e->button == GDK_BUTTON_SECONDARY && hit->kind == PAF_BARS_ROW &&
               c->totals->totals[hit->a].kind == TT_LOOP) {
        c->view.trips = hit->a;
        update(c);
    }
    return TRUE;
}

// Trip counts are shown while the button is held.
static gboolean on_release(GtkWidget *widget, GdkEventButton *e, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    if (e->button == GDK_BUTTON_SECONDARY && c->view.trips != TRACE_NONE) {
        c->view.trips = TRACE_NONE;
        update(c);
    }
    return TRUE;
}

static gboolean on_scroll(GtkWidget *widget, GdkEventScroll *e, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    double x = 0, y = 0;
    if (!gdk_event_get_scroll_deltas((GdkEvent *)e, &x, &y))
        y = e->direction == GDK_SCROLL_UP ? -1 : e->direction == GDK_SCROLL_DOWN ? 1 : 0;
    c->scrolled += 3 * y;
    int rows = (int)c->scrolled;
    c->scrolled -= rows;
    if (rows != 0)
        scroll_to(c, (int64_t)c->view.first + rows);
    return TRUE;
}

static gboolean on_tip(GtkWidget *widget, gint x, gint y, gboolean keyboard, GtkTooltip *tip,
                       gpointer data)
{
    (void)widget, (void)keyboard;
    paf_bars_canvas *c = data;
    const char *text = c->bars ? paf_tip_at(c->bars->picture, x, y) : NULL;
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
    at = at < 0 ? (rows > 0 ? 0 : last) : CLAMP(at + rows, 0, last);
    c->view.selected = b->rows[at];
    int64_t first = c->view.first, room = b->room;
    scroll_to(c, at < first ? at : at >= first + room ? at - room + 1 : first);
}

static bool is_shown(const paf_bars_canvas *c)
{
    for (uint32_t i = 0; i < c->bars->nrows; i++)
        if (c->bars->rows[i] == c->view.selected)
            return true;
    return false;
}

static bool move_by_key(paf_bars_canvas *c, guint key)
{
    int64_t page = MAX(c->bars->room, 2) - 1, all = c->bars->nrows;
    switch (key) {
    case GDK_KEY_Down:
        step(c, 1);
        return true;
    case GDK_KEY_Up:
        step(c, -1);
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
    default:
        return false;
    }
}

static bool act_by_key(paf_bars_canvas *c, guint key)
{
    bool chosen = c->view.selected != TRACE_NONE && is_shown(c);
    switch (key) {
    case GDK_KEY_1:
    case GDK_KEY_2:
    case GDK_KEY_3:
    case GDK_KEY_4:
        show_table(c, (trace_total_kind)(key - GDK_KEY_1), TRACE_NONE);
        return true;
    case GDK_KEY_e:
        c->view.counts = !c->view.counts;
        scale_automatically(c);
        return true;
    case GDK_KEY_n:
        next_nodes(c, 1);
        return true;
    case GDK_KEY_p:
        next_nodes(c, -1);
        return true;
    case GDK_KEY_a:
        scale_automatically(c);
        return true;
    case GDK_KEY_m:
        ask_maximum_by_key(c);
        return true;
    case GDK_KEY_i:
    case GDK_KEY_Delete:
        if (chosen)
            ignore(c, c->view.selected, !c->view.show_ignored);
        return true;
    case GDK_KEY_u:
        undo(c);
        return true;
    case GDK_KEY_I:
        c->view.show_ignored = !c->view.show_ignored;
        c->view.first = 0;
        update(c);
        return true;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        if (chosen)
            choose(c, c->view.selected);
        return true;
    case GDK_KEY_BackSpace:
        show_table(c, c->view.unit == TRACE_NONE ? c->view.table : TT_UNIT, TRACE_NONE);
        return true;
    case GDK_KEY_space:
        c->view.trips = c->view.trips == TRACE_NONE && chosen &&
                                c->totals->totals[c->view.selected].kind == TT_LOOP
                            ? c->view.selected
                            : TRACE_NONE;
        update(c);
        return true;
    case GDK_KEY_Escape:
        c->view.selected = c->view.trips = TRACE_NONE;
        update(c);
        return true;
    default:
        return false;
    }
}

bool paf_bars_canvas_key(paf_bars_canvas *c, const GdkEventKey *e)
{
    if (!c->bars || (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)))
        return false;
    return move_by_key(c, e->keyval) || act_by_key(c, e->keyval);
}

// ---------------------------------------------------------------------------------------------

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    paf_bars_canvas *c = data;
    forget(c);
    g_array_unref(c->order);
    paf_text_destroy(c->text);
    g_free(c);
}

paf_bars_canvas *paf_bars_canvas_create(void)
{
    paf_bars_canvas *c = g_new0(paf_bars_canvas, 1);
    c->widget = gtk_drawing_area_new();
    c->text = paf_text_create(NULL, NULL);
    c->order = g_array_new(FALSE, FALSE, sizeof(guint32));
    c->view.selected = c->view.trips = c->view.unit = TRACE_NONE;
    gtk_widget_set_can_focus(c->widget, TRUE);
    gtk_widget_set_has_tooltip(c->widget, TRUE);
    gtk_widget_add_events(c->widget, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                         GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK |
                                         GDK_KEY_PRESS_MASK);
    g_signal_connect(c->widget, "draw", G_CALLBACK(on_draw), c);
    g_signal_connect(c->widget, "size-allocate", G_CALLBACK(on_size), c);
    g_signal_connect(c->widget, "notify::scale-factor", G_CALLBACK(on_scale_factor), c);
    g_signal_connect(c->widget, "button-press-event", G_CALLBACK(on_press), c);
    g_signal_connect(c->widget, "button-release-event", G_CALLBACK(on_release), c);
    g_signal_connect(c->widget, "scroll-event", G_CALLBACK(on_scroll), c);
    g_signal_connect(c->widget, "query-tooltip", G_CALLBACK(on_tip), c);
    g_signal_connect(c->widget, "destroy", G_CALLBACK(on_destroy), c);
    return c;
}

GtkWidget *paf_bars_canvas_widget(const paf_bars_canvas *c)
{
    return c->widget;
}
