// SPDX-License-Identifier: MIT
//
// The state of the bars' widget, and its changes.
#include "paf/window/bars_canvas_private.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// The picture

static void tell(paf_bars_canvas *c)
{
    if (c->drawn)
        c->drawn(c->drawn_data, c->bars, c->session);
}

void paf_bars_update(paf_bars_canvas *c)
{
    paf_bars_destroy(c->bars);
    c->bars = NULL;
    GtkWidget *area = paf_widget_area(c->widget);
    c->view.width = gtk_widget_get_allocated_width(area);
    c->view.height = gtk_widget_get_allocated_height(area);
    c->view.scale = gtk_widget_get_scale_factor(area);
    if (c->totals)
        c->bars = paf_bars_create(c->session->t, c->totals, &c->view, c->text);
    if (c->bars)
        c->view.first = c->bars->first; // there may be room for more rows
    tell(c);
    paf_widget_drawn(c->widget);
    gtk_widget_queue_draw(area);
}

bool paf_bars_canvas_copy_view(const paf_bars_canvas *c, paf_bars_view *ret)
{
    *ret = c->view;
    if (!c->totals)
        return false;
    ret->ignored = g_memdup2(c->ignored, c->totals->ntotals + 1);
    return true;
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
    g_array_set_size(c->undone, 0);
    if (c->session)
        paf_session_drop_calls(c->session, c);
    paf_session_unref(c->session);
    c->session = NULL;
}

// With the session locked.
static void take_totals(void *data)
{
    paf_bars_canvas *c = data;
    c->totals = trace_get_totals(c->session->t);
    c->own = c->totals ? NULL : paf_totals_of_history(c->session->t, c->session->a);
    if (c->own)
        c->totals = paf_totals_get(c->own);
    if (!c->totals)
        return;
    bool dark = c->view.dark;
    c->ignored = g_new0(uint8_t, c->totals->ntotals + 1);
    c->view = paf_bars_fit(c->totals, 1, 1);
    c->view.dark = dark;
    c->view.ignored = c->ignored;
    paf_bars_update(c);
}

void paf_bars_canvas_show(paf_bars_canvas *c, paf_session *s)
{
    if (s)
        paf_session_ref(s);
    forget(c);
    tell(c);
    c->session = s;
    if (s)
        paf_session_call(s, c, take_totals, c, NULL);
}

void paf_bars_canvas_set_dark(paf_bars_canvas *c, bool dark)
{
    c->view.dark = dark;
    paf_bars_update(c);
}

// A new choice of rows begins at the top.
static void show_from_top(paf_bars_canvas *c)
{
    c->view.first = 0;
    c->view.source_scroll = 0;
    c->view.hover = c->view.trips = TRACE_NONE;
    paf_bars_update(c);
}

void paf_bars_scroll_to(paf_bars_canvas *c, int64_t first)
{
    uint32_t n = c->bars ? c->bars->nrows : 0, room = c->bars ? c->bars->room : 1;
    int64_t last = n > room ? n - room : 0;
    c->view.first = (uint32_t)CLAMP(first, 0, last);
    paf_bars_update(c);
}

void paf_bars_show_table(paf_bars_canvas *c, trace_total_kind table, uint32_t unit)
{
    c->view.table = table;
    c->view.unit = unit;
    c->view.file = TRACE_NONE;
    c->view.show_ignored = false;
    show_from_top(c);
}

void paf_bars_show_by(paf_bars_canvas *c, uint32_t by)
{
    bool fleng = paf_is_fleng_history(c->totals);
    if (by != (fleng ? (uint32_t)c->view.figure : (uint32_t)c->view.counts))
        c->view.maximum = 0; // it was of the other quantity
    if (fleng)
        c->view.figure = (paf_figure)MIN(by, PAF_FIGURES - 1);
    else
        c->view.counts = by;
    show_from_top(c);
}

void paf_bars_show_ignored(paf_bars_canvas *c, bool on)
{
    c->view.show_ignored = on;
    show_from_top(c);
}

void paf_bars_set_maximum(paf_bars_canvas *c, double maximum)
{
    c->view.maximum = maximum;
    paf_bars_update(c);
}

void paf_bars_select(paf_bars_canvas *c, uint32_t total)
{
    c->view.selected = total;
    c->view.source_scroll = 0;
    paf_bars_update(c);
}

static void set_ignored(paf_bars_canvas *c, uint32_t total, bool on)
{
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
    paf_bars_update(c);
}

void paf_bars_ignore(paf_bars_canvas *c, uint32_t total, bool on)
{
    if (total >= c->totals->ntotals || c->ignored[total] == on)
        return;
    g_array_set_size(c->undone, 0);
    set_ignored(c, total, on);
}

static uint32_t last_of(const GArray *totals)
{
    return totals->len > 0 ? g_array_index(totals, guint32, totals->len - 1) : TRACE_NONE;
}

bool paf_bars_canvas_undo(paf_bars_canvas *c)
{
    uint32_t total = last_of(c->order);
    if (total == TRACE_NONE)
        return false;
    g_array_append_val(c->undone, total);
    set_ignored(c, total, false);
    return true;
}

bool paf_bars_canvas_redo(paf_bars_canvas *c)
{
    uint32_t total = last_of(c->undone);
    if (total == TRACE_NONE)
        return false;
    g_array_set_size(c->undone, c->undone->len - 1);
    set_ignored(c, total, true);
    return true;
}

void paf_bars_canvas_fit(paf_bars_canvas *c)
{
    c->view.maximum = 0;
    show_from_top(c);
}

// A unit leads to its loops or, like a file, to its statements for input and output; whatever it is
// its source is shown.
void paf_bars_choose(paf_bars_canvas *c, uint32_t total)
{
    if (c->view.show_ignored) {
        if (total < c->totals->ntotals && !c->ignored[total])
            paf_widget_note(c->widget, "The recording left it out: it has no figures that could come back");
        paf_bars_ignore(c, total, false);
        return;
    }
    bool grouped = paf_bars_is_grouped(&c->view);
    const trace_total *p = paf_bars_total(c->totals, total);
    paf_bars_select(c, total);
    if (grouped && p)
        paf_bars_show_table(c, TT_IO, total);
    else if (!p) {
        c->view.file = total - c->totals->ntotals;
        show_from_top(c);
    } else if (p->kind == TT_UNIT && c->totals->tables[TT_LOOP].observed)
        paf_bars_show_table(c, TT_LOOP, total);
}

void paf_bars_show_group(paf_bars_canvas *c, paf_io_group group)
{
    c->view.group = group;
    paf_bars_show_table(c, TT_IO, TRACE_NONE);
}

// From a part of a table to what led there.
void paf_bars_go_back(paf_bars_canvas *c)
{
    bool part = c->view.unit != TRACE_NONE || c->view.file != TRACE_NONE;
    paf_bars_show_table(c, part && c->view.table != TT_IO ? TT_UNIT : c->view.table, TRACE_NONE);
}

void paf_bars_next_nodes(paf_bars_canvas *c, int step)
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
    paf_bars_update(c);
}

// ---------------------------------------------------------------------------------------------

void paf_bars_gone(paf_bars_canvas *c)
{
    c->drawn = NULL;
    forget(c);
    g_array_unref(c->order);
    g_array_unref(c->undone);
    paf_shaped_text_destroy(c->text);
    g_free(c);
}

paf_bars_canvas *paf_bars_canvas_create(void)
{
    paf_bars_canvas *c = g_new0(paf_bars_canvas, 1);
    c->widget = paf_widget_create(&paf_bars_page, c);
    c->text = paf_shaped_text_create(NULL, NULL);
    c->order = g_array_new(FALSE, FALSE, sizeof(guint32));
    c->undone = g_array_new(FALSE, FALSE, sizeof(guint32));
    c->view.selected = c->view.hover = c->view.trips = c->view.unit = TRACE_NONE;
    return c;
}

paf_widget *paf_bars_canvas_widget(const paf_bars_canvas *c)
{
    return c->widget;
}

void paf_bars_canvas_on_drawn(paf_bars_canvas *c, paf_bars_drawn *drawn, void *data)
{
    c->drawn = drawn;
    c->drawn_data = data;
}

bool paf_bars_canvas_dark(const paf_bars_canvas *c)
{
    return c->view.dark;
}
