// SPDX-License-Identifier: MIT
//
// Which built-ins of a body can run before its goals do: those that wait for nothing which only a
// later goal of the body binds. A variable of the head may be unbound, too; then the built-in waits.
#include "fleng/compile/emit.h"

// Is it a variable that waits for a goal of the body?
static bool is_pending(void *data, const fl_term *t)
{
    const fl_emitter *e = data;
    return t->kind == FL_VAR && (!e->known[t->var] || e->pending[t->var]);
}

// A built-in of which nothing says what it waits for, such as `=..`, waits for one of several arguments.
bool fl_is_ready(fl_emitter *e, const fl_item *item)
{
    const char *modes = item->predicate->entry->modes;
    uint32_t open = 0, there = 0;
    for (uint32_t i = 0; i < item->n; i++) {
        bool pending = modes[i] == 'i' ? fl_any_part(item->args[i], is_pending, e)
                                       : is_pending(e, item->args[i]);
        if (modes[i] == '?' || modes[i] == 'o') {
            open += modes[i] == '?';
            there += modes[i] == '?' && !pending;
        } else if (pending) {
            return false;
        } else {
            there++;
        }
    }
    return open == 0 || there > 0;
}

// A variable has what the built-in gave it.
static bool note_given(void *data, const fl_term *t)
{
    fl_emitter *e = data;
    if (t->kind == FL_VAR)
        e->pending[t->var] = false;
    return false;
}

// Arguments that it does not wait for are its results: of an output all that it consists of, as in
// `argv([A])`.
void fl_note_run(fl_emitter *e, const fl_item *item)
{
    const char *modes = item->predicate->entry->modes;
    for (uint32_t i = 0; i < item->n; i++)
        if (modes[i] == 'o' || (modes[i] == '?' && item->args[i]->kind == FL_VAR))
            fl_any_part(item->args[i], note_given, e);
}
