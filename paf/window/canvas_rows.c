// SPDX-License-Identifier: MIT
//
// Rows of places on the canvas: scrolled, higher and lower, in another order, groups open and closed.
#include "paf/window/canvas_private.h"

#include <math.h>

#define LOWEST  10.0 // height of a row; lower: all are in sight
#define HIGHEST 240.0

static const paf_timeline *timeline_of(const paf_canvas *c)
{
    return c->layout && c->layout->nrows > 0 ? paf_timeline_by(c->session->m, c->view.clock) : NULL;
}

// The page has rows of places; else it says that it has none.
static bool has_rows(paf_canvas *c)
{
    if (timeline_of(c))
        return true;
    paf_widget_note(c->widget, "Rows are of measured runs, and of real runs by the clock (C)");
    return false;
}

const uint8_t *paf_canvas_shut(const paf_canvas *c)
{
    const paf_timeline *l = paf_timeline_by(c->session->m, c->view.clock);
    bool known = l && c->shut->len == l->groups->ngroups && c->shut->len > 0;
    return known ? (const uint8_t *)c->shut->data : NULL;
}

void paf_canvas_scroll_rows(paf_canvas *c, double rows)
{
    const paf_layout *l = c->layout;
    double last = l->nrows > l->rows_shown ? l->nrows - l->rows_shown : 0;
    c->view.first_row = (uint32_t)CLAMP(round(l->first_row + rows), 0, last);
    paf_canvas_invalidate(c);
}

void paf_canvas_show_place(paf_canvas *c, uint32_t place)
{
    const paf_layout *l = c->layout;
    c->reveal = l && l->row_of->len > 0 ? IOT_NONE : place;
    if (!l || place >= l->row_of->len)
        return;
    uint32_t row = g_array_index(l->row_of, uint32_t, place);
    if (row < l->first_row || row >= l->first_row + l->rows_shown)
        paf_canvas_scroll_rows(c, (double)row - l->rows_shown / 2 - l->first_row);
}

static GArray *groups_of(paf_canvas *c)
{
    uint32_t n = timeline_of(c)->groups->ngroups;
    if (c->shut->len != n)
        g_array_set_size(c->shut, 0);
    g_array_set_size(c->shut, n);
    return c->shut;
}

void paf_canvas_toggle_group(paf_canvas *c, uint32_t group)
{
    if (timeline_of(c) && group < groups_of(c)->len)
        g_array_index(c->shut, guint8, group) ^= 1;
    paf_canvas_invalidate(c);
}

// Closes all, unless all are closed.
static void toggle_groups(paf_canvas *c)
{
    guint8 open = 0;
    GArray *shut = groups_of(c);
    if (shut->len == 0)
        paf_widget_note(c->widget, "These places are of one process: there is nothing to fold");
    for (guint i = 0; i < shut->len; i++)
        open |= !g_array_index(shut, guint8, i);
    for (guint i = 0; i < shut->len; i++)
        g_array_index(shut, guint8, i) = open;
    c->view.first_row = 0;
}

// From the height that they have.
static void change_height(paf_canvas *c, bool higher)
{
    double now = c->layout->row_step, height = higher ? fmin(now * 1.25 + 1, HIGHEST) : now / 1.25;
    c->view.all_rows = !higher && height < LOWEST;
    c->view.row_height = c->view.all_rows ? 0 : fmax(round(height), LOWEST);
}

void paf_canvas_order(paf_canvas *c)
{
    bool rows = timeline_of(c) && trace_is_measured(c->session->t);
    c->view.by_wait = !c->view.by_wait;
    c->view.first_process = c->view.first_row = 0;
    paf_widget_note(c->widget, c->view.by_wait ? (rows ? "What waited longest comes first"
                                                       : "Processes that waited longest come first")
                                               : (rows ? "In order of their numbers"
                                                       : "Processes of most reductions have lanes"));
    paf_canvas_invalidate(c);
}

// ---------------------------------------------------------------------------------------------
// What is shown of places

void paf_canvas_show_lanes(paf_canvas *c, paf_lanes_kind kind)
{
    c->view.lanes_kind = kind;
    c->view.first_row = 0;
    paf_canvas_invalidate(c);
}

static void next_lanes(paf_canvas *c)
{
    bool there[3];
    paf_lanes_kind kind = c->view.lanes_kind;
    if (!paf_lanes_there(c->session->m, c->view.clock, there) || !there[PAF_LANES_CALLS]) {
        paf_widget_note(c->widget, "Calls and messages are of measured runs");
        return;
    }
    do
        kind = (kind + 1) % 3;
    while (!there[kind]);
    paf_canvas_show_lanes(c, kind);
}

static void next_figure(paf_canvas *c)
{
    if (c->view.lanes_kind != PAF_LANES_MESSAGES)
        paf_widget_note(c->widget, "That is a key of messages (V) and of the table (Ctrl+B)");
    else
        c->view.figure = (c->view.figure + 1) % PAF_MESSAGE_FIGURES;
}

void paf_canvas_choose_call(paf_canvas *c, uint32_t module)
{
    c->view.call = module;
    paf_canvas_invalidate(c);
}

// Chosen once more it is no longer chosen.
void paf_canvas_show_messages(paf_canvas *c, uint32_t sender, uint32_t receiver)
{
    bool again = c->view.sender == sender && c->view.receiver == receiver;
    c->view.sender = again ? IOT_NONE : sender;
    c->view.receiver = again ? IOT_NONE : receiver;
    paf_canvas_invalidate(c);
}

void paf_canvas_show_call_at(paf_canvas *c, uint32_t module, uint32_t place)
{
    const paf_timeline *l = paf_timeline_by(c->session->m, c->view.clock);
    uint32_t longest = IOT_NONE;
    int64_t most = -1;
    for (uint32_t i = paf_timeline_at(l, place, c->view.from); i < l->first_of[place + 1]; i++) {
        uint32_t r = l->by_place[i];
        int64_t time = paf_timeline_end(l, r) - paf_timeline_start(l, r);
        if ((double)paf_timeline_start(l, r) > c->view.to)
            break;
        if (time > most && iot_module_of_goal(c->session->a, trace_reduction_goal(l->t, r)) == module) {
            most = time;
            longest = r;
        }
    }
    paf_canvas_show_lanes(c, PAF_LANES_ROWS);
    paf_canvas_select(c, longest);
    if (longest == IOT_NONE)
        paf_widget_note(c->widget, "It was there only within what it called");
}

static void do_scrolling(paf_canvas *c, paf_action action)
{
    double page;
    switch (action) {
    case PAF_DO_ROWS_UP:
    case PAF_DO_ROWS_DOWN:
        page = fmax(c->layout->rows_shown - 1.0, 1);
        paf_canvas_scroll_rows(c, action == PAF_DO_ROWS_UP ? -page : page);
        break;
    case PAF_DO_ROWS_HIGHER:
    case PAF_DO_ROWS_LOWER:
        change_height(c, action == PAF_DO_ROWS_HIGHER);
        break;
    default:
        toggle_groups(c);
    }
}

void paf_canvas_do_rows(paf_canvas *c, paf_action action)
{
    if (action == PAF_DO_LANES)
        next_lanes(c);
    else if (action == PAF_DO_FIGURE)
        next_figure(c);
    else if (has_rows(c))
        do_scrolling(c, action);
    paf_canvas_invalidate(c);
}

// ---------------------------------------------------------------------------------------------
// Dragging the scrollbar

void paf_canvas_drag_rows(paf_canvas *c, double y)
{
    const paf_layout *l = c->layout;
    double part = (y - l->rows_bar.y) / fmax(l->rows_bar.h, 1);
    paf_canvas_scroll_rows(c, part * l->nrows - l->rows_shown / 2.0 - l->first_row);
}
