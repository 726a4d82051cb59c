// SPDX-License-Identifier: MIT
//
// Which built-ins of a body can run before its goals do: those that wait for nothing which only a
// later goal of the body binds. A variable of the head may be unbound, too; then the built-in waits.
#include "fleng/compile/emit.h"

// Does a variable of the term wait for a goal of the body? top: its arguments do not matter.
static bool is_pending(const fl_emitter *e, const fl_term *t, bool top)
{
    ARRAY_OF(const fl_term *) todo = {0};
    if (top && t->kind != FL_VAR)
        return false;
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        if (t->kind == FL_VAR && (!e->known[t->var] || e->pending[t->var]))
            return true;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
    return false;
}

// A built-in of which nothing says what it waits for, such as `=..`, waits for one of several arguments.
bool fl_is_ready(const fl_emitter *e, const fl_item *item)
{
    const char *modes = item->predicate->entry->modes;
    uint32_t open = 0, there = 0;
    for (uint32_t i = 0; i < item->n; i++) {
        bool pending = is_pending(e, item->args[i], modes[i] != 'i');
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

// The variables of the term have what the built-in gave them.
static void note_given(fl_emitter *e, const fl_term *t)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        if (t->kind == FL_VAR)
            e->pending[t->var] = false;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
}

// Arguments that it does not wait for are its results: of an output all that it consists of, as in
// `argv([A])`.
void fl_note_run(fl_emitter *e, const fl_item *item)
{
    const char *modes = item->predicate->entry->modes;
    for (uint32_t i = 0; i < item->n; i++)
        if (modes[i] == 'o' || (modes[i] == '?' && item->args[i]->kind == FL_VAR))
            note_given(e, item->args[i]);
}
