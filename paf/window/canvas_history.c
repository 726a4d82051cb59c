// SPDX-License-Identifier: MIT
//
// What was shown before, and going back to it: the window of time, the choice, the focus.
#include "paf/window/canvas_private.h"

#define MOST_STATES 200u

struct paf_state {
    iot_clock clock;
    double from, to;
    uint32_t selected, waiting, region;
    paf_focus *focus; // a reference, or NULL
};

static struct paf_state now(const paf_canvas *c)
{
    return (struct paf_state){c->view.clock,
                              c->view.from,
                              c->view.to,
                              c->view.selected,
                              c->view.waiting,
                              c->view.region,
                              c->focus ? paf_focus_ref(c->focus) : NULL};
}

static void clear(gpointer data)
{
    paf_focus_unref(((struct paf_state *)data)->focus);
}

GArray *paf_canvas_states(void)
{
    GArray *states = g_array_new(FALSE, FALSE, sizeof(struct paf_state));
    g_array_set_clear_func(states, clear);
    return states;
}

static bool same(const struct paf_state *a, const struct paf_state *b)
{
    return a->clock == b->clock && a->from == b->from && a->to == b->to && a->selected == b->selected &&
           a->waiting == b->waiting && a->region == b->region && a->focus == b->focus;
}

static void push(GArray *states, struct paf_state state)
{
    if (states->len && same(&g_array_index(states, struct paf_state, states->len - 1), &state)) {
        paf_focus_unref(state.focus);
        return;
    }
    if (states->len == MOST_STATES)
        g_array_remove_index(states, 0);
    g_array_append_val(states, state);
}

void paf_canvas_remember(paf_canvas *c)
{
    push(c->past, now(c));
    g_array_set_size(c->future, 0);
}

// Takes the last state's focus over.
static struct paf_state pop(GArray *states)
{
    struct paf_state state = g_array_index(states, struct paf_state, states->len - 1);
    if (state.focus)
        paf_focus_ref(state.focus);
    g_array_set_size(states, states->len - 1);
    return state;
}

static void show(paf_canvas *c, struct paf_state state)
{
    bool there = state.clock == c->view.clock || state.clock == IOT_VIRTUAL_TIME ||
                 paf_model_has_real(c->session->m);
    c->view.selected = state.selected;
    c->view.waiting = state.waiting;
    c->view.region = state.region;
    c->view.source_scroll = 0;
    paf_canvas_set_focus(c, state.focus);
    if (there) {
        c->view.clock = state.clock;
        paf_canvas_set_window(c, state.from, state.to);
    }
    paf_canvas_invalidate(c);
}

bool paf_canvas_go(paf_canvas *c, int direction)
{
    GArray *from = direction < 0 ? c->past : c->future, *to = direction < 0 ? c->future : c->past;
    struct paf_state present = now(c);
    // A state that is the one shown is no step.
    while (from->len && same(&g_array_index(from, struct paf_state, from->len - 1), &present))
        g_array_set_size(from, from->len - 1);
    if (from->len == 0) {
        paf_focus_unref(present.focus);
        return false;
    }
    push(to, present);
    show(c, pop(from));
    return true;
}

// To before the focus was set.
void paf_canvas_leave_focus(paf_canvas *c)
{
    guint i = c->past->len;
    while (i > 0 && g_array_index(c->past, struct paf_state, i - 1).focus)
        i--;
    paf_canvas_remember(c);
    if (i == 0) {
        paf_canvas_set_focus(c, NULL);
        return;
    }
    struct paf_state before = g_array_index(c->past, struct paf_state, i - 1);
    show(c, before); // it has no focus to be shared
}

void paf_canvas_forget(paf_canvas *c, bool all)
{
    GArray *const both[] = {c->past, c->future};
    for (int i = 0; i < 2; i++) {
        if (all)
            g_array_set_size(both[i], 0);
        for (guint k = 0; k < both[i]->len; k++) {
            struct paf_state *state = &g_array_index(both[i], struct paf_state, k);
            paf_focus_unref(state->focus); // it was of another analysis
            state->focus = NULL;
        }
    }
    paf_canvas_set_focus(c, NULL);
}
