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

// The present value without zeros that say nothing.
static char *maximum_text(const paf_bars_canvas *c)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double now = c->bars ? c->bars->largest : 0;
    return g_strdup(g_ascii_formatd(number, sizeof number, c->view.counts ? "%.0f" : "%.9g", now));
}

static void ask_maximum(paf_bars_canvas *c, const paf_rect *place)
{
    GtkWidget *entry = gtk_entry_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GdkRectangle at = {(int)place->x, (int)place->y, (int)place->w, (int)place->h};
    char *now = maximum_text(c);
    gtk_entry_set_text(GTK_ENTRY(entry), now);
    gtk_entry_set_width_chars(GTK_ENTRY(entry), 14);
    g_signal_connect(entry, "activate", G_CALLBACK(on_maximum), c);
    g_signal_connect(entry, "changed", G_CALLBACK(on_typed), c);
    gtk_box_pack_start(GTK_BOX(box), gtk_label_new("A full bar is"), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), entry, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(box), gtk_label_new(c->view.counts ? "executions" : "seconds"),
                       FALSE, FALSE, 0);
    gtk_popover_popup(GTK_POPOVER(paf_widget_popover(c->widget, &at, box)));
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

static void press_hit(paf_bars_canvas *c, const paf_hit *hit)
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
    c->drag_y = y;
    c->drag_first = c->bars->first;
}

static void go_on_scrolling(void *page, double x, double y)
{
    (void)x;
    paf_bars_canvas *c = page;
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
    if (is_second_of_switch(c, e))
        return;
    press_hit(c, hit);
    c->switched = c->view.table != table || c->view.unit != unit ? e->time : 0;
    c->switched_x = e->x;
    c->switched_y = e->y;
}

static bool is_loop(const paf_bars_canvas *c, uint32_t row)
{
    const trace_total *p = paf_bars_total(c->totals, row);
    return p && p->kind == TT_LOOP;
}

static bool press(void *page, const paf_hit *hit, const GdkEventButton *e)
{
    paf_bars_canvas *c = page;
    if (!hit || e->type != GDK_BUTTON_PRESS)
        return false;
    if (e->button == GDK_BUTTON_PRIMARY && hit->kind == PAF_BARS_SCROLLBAR) {
        begin_scrolling(c, e->y);
        return true;
    }
    if (e->button == GDK_BUTTON_PRIMARY) {
        click(c, e, hit);
    } else if (e->button == GDK_BUTTON_SECONDARY &&
               (hit->kind == PAF_BARS_ROW || hit->kind == PAF_BARS_IGNORE) &&
               is_loop(c, hit->a)) {
        c->view.trips = hit->a;
        paf_bars_update(c);
    }
    return false;
}

static void hide_trips(paf_bars_canvas *c)
{
    if (c->view.trips == TRACE_NONE)
        return;
    c->view.trips = TRACE_NONE;
    paf_bars_update(c);
}

// Trip counts are shown while the button is held.
static void release(void *page, const paf_hit *hit, const GdkEventButton *e, bool dragged)
{
    (void)hit, (void)dragged;
    if (e->button == GDK_BUTTON_SECONDARY)
        hide_trips(page);
}

static void give_up(void *page)
{
    hide_trips(page);
}

static const char *cursor_of(void *page, const paf_hit *hit)
{
    (void)page;
    bool acts = hit && hit->kind != PAF_BARS_NOTHING && hit->kind != PAF_BARS_SOURCE &&
                hit->kind != PAF_BARS_SCROLLBAR;
    return acts ? "pointer" : "default";
}

static void hover(void *page, const paf_hit *hit, double x, double y)
{
    (void)y;
    paf_bars_canvas *c = page;
    bool row = hit && (hit->kind == PAF_BARS_ROW || hit->kind == PAF_BARS_IGNORE);
    uint32_t total = row ? hit->a : TRACE_NONE;
    if (!c->bars || paf_widget_is_dragged(c->widget) || c->view.hover == total ||
        (!isnan(x) && c->view.trips != TRACE_NONE))
        return;
    c->view.hover = total;
    paf_bars_update(c);
}

static void turn_wheel(void *page, const paf_hit *hit, const GdkEventScroll *e, double dx,
                       double dy)
{
    (void)e, (void)dx;
    paf_bars_canvas *c = page;
    if (hit && hit->kind == PAF_BARS_SOURCE) {
        c->view.source_scroll = CLAMP(c->view.source_scroll + 3 * dy, -100000, 100000);
        paf_bars_update(c);
        return;
    }
    c->scrolled += 3 * dy;
    int rows = (int)c->scrolled;
    c->scrolled -= rows;
    if (rows != 0)
        paf_bars_scroll_to(c, (int64_t)c->view.first + rows);
}

static const char *tip_of(const paf_bars_canvas *c, const paf_hit *hit)
{
    bool loop = hit->kind == PAF_BARS_ROW && is_loop(c, hit->a);
    switch ((paf_bars_hit)hit->kind) {
    case PAF_BARS_TABLE:
        return c->totals->tables[hit->a].observed ? NULL : "Not observed in this run";
    case PAF_BARS_ROW:
        return loop ? "Click: its source. Hold the right button for trip counts" : NULL;
    case PAF_BARS_BACK:
        return "Back to all (Backspace)";
    case PAF_BARS_GROUP:
        return hit->a == PAF_IO_FILES && c->totals->nfiles == 0 ? "No file is known"
                                                                : "What a row is (G)";
    case PAF_BARS_NODES:
        return "Sum, largest, smallest, mean, or one process (N, P)";
    case PAF_BARS_SCALE:
        return hit->a ? "Set the full-scale value (M)" : "The topmost bar is full (A)";
    case PAF_BARS_IGNORED:
        return c->view.show_ignored ? "Back to the table (Shift+I)" : "What is left out (Shift+I)";
    case PAF_BARS_IGNORE:
        return c->view.show_ignored ? "Take it back (U)" : "Leave this out (I)";
    default:
        return NULL;
    }
}

static char *tip(void *page, const paf_hit *hit, double x, double y)
{
    (void)x, (void)y;
    return g_strdup(tip_of(page, hit));
}

// ---------------------------------------------------------------------------------------------
// Without a pointer

// A row is what stands in it.
static char *name(void *page, const paf_hit *hit, AtkRole *ret_role)
{
    const paf_bars_canvas *c = page;
    bool row = hit->kind == PAF_BARS_ROW;
    if (!c->bars || hit->kind == PAF_BARS_SCROLLBAR || hit->kind == PAF_BARS_SOURCE)
        return NULL;
    char *text = paf_widget_texts(c->bars->picture, &hit->place);
    if (*text) {
        *ret_role = row ? ATK_ROLE_TABLE_CELL : ATK_ROLE_PUSH_BUTTON;
        return text;
    }
    g_free(text);
    return g_strdup(tip_of(c, hit));
}

static void activate(void *page, const paf_hit *hit)
{
    press_hit(page, hit);
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
    case GDK_KEY_a:
        step_table(c, -1);
        return true;
    case GDK_KEY_Right:
    case GDK_KEY_d:
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
    case GDK_KEY_w:
        stretch(c, 1.25);
        return true;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
    case GDK_KEY_s:
        stretch(c, 0.8);
        return true;
    case GDK_KEY_f:
    case GDK_KEY_F:
        paf_bars_canvas_fit(c);
        return true;
    case GDK_KEY_z:
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
static bool act_on_row(paf_bars_canvas *c, guint key)
{
    bool chosen = c->view.selected != TRACE_NONE && is_shown(c);
    bool loop = chosen && is_loop(c, c->view.selected);
    switch (key) {
    case GDK_KEY_i:
    case GDK_KEY_Delete:
        if (chosen && !paf_bars_is_grouped(&c->view))
            paf_bars_ignore(c, c->view.selected, !c->view.show_ignored);
        else if (chosen)
            paf_widget_note(c->widget, "Its statements can be ignored: Enter leads to them");
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
            paf_widget_note(c->widget, "Only loops turn");
        break;
    default:
        return false;
    }
    if (!chosen)
        paf_widget_note(c->widget, "No row is chosen: ↓ chooses one");
    return true;
}

static bool act_by_key(paf_bars_canvas *c, guint key)
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
        paf_bars_show_by(c, paf_is_fleng_history(c->totals) ? (c->view.figure + 1) % PAF_FIGURES
                                                            : !c->view.counts);
        return true;
    case GDK_KEY_n:
    case GDK_KEY_p:
        paf_bars_next_nodes(c, key == GDK_KEY_n ? 1 : -1);
        if (c->totals->nnodes < 2)
            paf_widget_note(c->widget, "There is one process");
        return true;
    case GDK_KEY_g:
        if (c->view.table == TT_IO)
            paf_bars_show_group(c, (paf_io_group)((c->view.group + 1) % PAF_IO_GROUPS));
        else
            paf_widget_note(c->widget, "Only input and output is put together: 3 shows it");
        return true;
    case GDK_KEY_u:
        if (!paf_bars_canvas_undo(c))
            paf_widget_note(c->widget, "Nothing is ignored");
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
        paf_widget_note(c->widget, "Totals have the clock they were measured with");
        return true;
    case GDK_KEY_r:
    case GDK_KEY_R:
    case GDK_KEY_slash:
        paf_widget_note(c->widget, "Parallel regions are shown, and found, beside the timeline");
        return true;
    default:
        return false;
    }
}

bool paf_bars_canvas_key(paf_bars_canvas *c, const GdkEventKey *e)
{
    if (!c->bars || (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)))
        return false;
    return move_by_key(c, e->keyval, e->state & GDK_SHIFT_MASK) || scale_by_key(c, e->keyval) ||
           act_on_row(c, e->keyval) || act_by_key(c, e->keyval);
}

// ---------------------------------------------------------------------------------------------

static const paf_picture *picture(void *page)
{
    const paf_bars_canvas *c = page;
    return c->bars ? c->bars->picture : NULL;
}

static bool answers(void *page)
{
    return picture(page) != NULL;
}

static void refresh(void *page)
{
    paf_bars_update(page);
}

static void gone(void *page)
{
    paf_bars_gone(page);
}

const paf_page paf_bars_page = {
    .picture = picture,
    .answers = answers,
    .refresh = refresh,
    .press = press,
    .drag = go_on_scrolling,
    .release = release,
    .give_up = give_up,
    .hover = hover,
    .cursor = cursor_of,
    .tip = tip,
    .wheel = turn_wheel,
    .name = name,
    .activate = activate,
    .gone = gone,
};
