// SPDX-License-Identifier: MIT
//
// Does a term contain itself, with the bindings that its variables had at a time?
#include "iotree/terms/terms.h"

// A term that can be walked through in this many steps needs no closer look.
enum { SHORT_WALK = 1 << 20 };

typedef struct {
    uint32_t cell, next; // argument
} place;

typedef struct {
    const trace *t;
    int64_t at;
    ARRAY_OF(place) path;
    uint8_t *met,
        *left; // bits by cell: it was looked at; so was all that it contains. NULL: not noted
} walk;

// The compound that a value stands for; TRACE_NONE if it is none.
static uint32_t compound_of(const walk *w, trace_value v)
{
    while (is_variable(w->t, v)) {
        uint32_t binding = trace_cell_binding(w->t, v.id);
        if (binding == TRACE_NONE || binding_time(w->t, binding) > w->at)
            return TRACE_NONE;
        v = trace_binding_value(w->t, binding);
    }
    return v.kind == TV_CELL && trace_cell_arity(w->t, v.id) > 0 ? v.id : TRACE_NONE;
}

static void enter(walk *w, uint32_t cell)
{
    if (w->met)
        bit_set(w->met, cell);
    ARRAY_PUSH(w->path, (place){cell, 0});
}

// Depth first, for at most so many steps. True: a compound was met again before it was left, or,
// where that is not noted, there were more steps.
static bool goes_on(walk *w, trace_value v, uint64_t steps)
{
    uint32_t cell = compound_of(w, v);
    w->path.n = 0;
    if (cell != TRACE_NONE)
        enter(w, cell);
    while (w->path.n > 0) {
        place *top = &w->path.at[w->path.n - 1];
        if (top->next == trace_cell_arity(w->t, top->cell)) {
            if (w->left)
                bit_set(w->left, top->cell);
            w->path.n--;
            continue;
        }
        if (!w->met && steps-- == 0)
            return true;
        cell = compound_of(w, trace_cell_arg(w->t, top->cell, top->next++));
        if (cell == TRACE_NONE)
            continue;
        if (!w->met || !bit_get(w->met, cell))
            enter(w, cell);
        else if (!bit_get(w->left, cell))
            return true;
    }
    return false;
}

bool iot_is_cyclic(const trace *t, trace_value v, int64_t at)
{
    walk w = {.t = t, .at = at};
    bool cyclic = goes_on(&w, v, SHORT_WALK);
    if (cyclic) {
        w.met = bits_allocate(trace_ncells(t));
        w.left = bits_allocate(trace_ncells(t));
        cyclic = goes_on(&w, v, 0);
        free(w.met);
        free(w.left);
    }
    free(w.path.at);
    return cyclic;
}
