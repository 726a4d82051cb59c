// SPDX-License-Identifier: MIT
//
// How built-in predicates look at their arguments and make terms.
#include "vm/builtins/arguments.h"

#include "base/utf8.h"
#include "vm/engine/builtin.h"
#include "vm/look.h"
#include "vm/memory.h"

const vm_print_options vm_write_options = {.quoted = false};
const vm_print_options vm_quote_options = {.quoted = true};

// ---- Looking --------------------------------------------------------------------------------

vm_result vm_need(vm_machine *m, vm_word w, vm_word *ret)
{
    *ret = vm_deref(m, w);
    return vm_is_var(*ret) ? vm_wait(m, *ret) : VM_DONE;
}

vm_result vm_need_atom(vm_machine *m, vm_word w, uint32_t *ret_number)
{
    vm_word value;
    NEED(vm_need(m, w, &value));
    if (vm_tag(value) != TAG_ATOM)
        return vm_error(m, value, "an atom is expected");
    *ret_number = vm_atom_number(value);
    return VM_DONE;
}

vm_result vm_need_string(vm_machine *m, vm_word w, const vm_string **ret)
{
    vm_word value;
    NEED(vm_need(m, w, &value));
    if (!vm_is_box(value, BOX_STRING))
        return vm_error(m, value, "a string is expected");
    *ret = (const vm_string *)vm_as_box(value);
    return VM_DONE;
}

vm_result vm_need_integer(vm_machine *m, vm_word w, vm_word *ret)
{
    NEED(vm_need(m, w, ret));
    if (vm_tag(*ret) != TAG_INT && !vm_is_box(*ret, BOX_BIG))
        return vm_error(m, *ret, "an integer is expected");
    return VM_DONE;
}

vm_result vm_need_small(vm_machine *m, vm_word w, int64_t *ret)
{
    vm_word value;
    NEED(vm_need_integer(m, w, &value));
    if (vm_tag(value) != TAG_INT)
        return vm_error(m, value, "a smaller integer is expected");
    *ret = vm_int_value(value);
    return VM_DONE;
}

vm_result vm_need_vector(vm_machine *m, vm_word w, vm_vector **ret)
{
    vm_word value;
    NEED(vm_need(m, w, &value));
    if (!vm_is_box(value, BOX_VECTOR))
        return vm_error(m, value, "a vector is expected");
    *ret = (vm_vector *)vm_as_box(value);
    return VM_DONE;
}

vm_result vm_need_name(vm_machine *m, vm_word w, const char **ret)
{
    vm_word value;
    NEED(vm_need(m, w, &value));
    if (vm_is_box(value, BOX_STRING))
        *ret = vm_string_terminated((const vm_string *)vm_as_box(value));
    else if (vm_tag(value) == TAG_ATOM && value != VM_NIL)
        *ret = vm_atom_text(vm_atom_number(value));
    else
        return vm_error(m, value, "the name of a file (a string or an atom) is expected");
    return VM_DONE;
}

bool vm_stream_is_open(const vm_goal *goal)
{
    return vm_is_var(vm_end_of(goal->args[0]));
}

// ---- Terms that grow ------------------------------------------------------------------------

typedef struct {
    vm_word compound;
    uint32_t next;
} place;

// Where the search for variables stands: at `at`, then the rest of the compounds in `todo`.
typedef struct {
    vm_word term, at;
    ARRAY_OF(place) todo;
    uint64_t steps, check; // after how many steps the term is checked for being cyclic
} search;

enum { FIRST_CHECK = 1 << 24 };

// VM_WAIT: s->at is unbound. Lists take no stack: a compound is left when its last argument is
// entered.
static vm_result search_on(vm_machine *m, search *s)
{
    for (;; s->steps++) {
        s->at = vm_deref(m, s->at);
        if (vm_is_var(s->at))
            return vm_wait(m, s->at);
        if (s->steps == s->check) {
            s->check *= 2;
            if (vm_is_cyclic(s->term))
                return vm_error(m, s->term, "a term that does not contain itself is expected");
        }
        int64_t n = vm_arguments(s->at);
        if (n > 1)
            VM_PUSH(s->todo, (place){s->at, 1});
        if (n > 0) {
            s->at = vm_argument(s->at, 0);
            continue;
        }
        if (s->todo.n == 0)
            return VM_DONE;
        place *top = &s->todo.at[s->todo.n - 1];
        s->at = vm_argument(top->compound, top->next++);
        if (top->next == vm_arguments(top->compound))
            s->todo.n--;
    }
}

vm_result vm_need_ground(vm_machine *m, void **progress, vm_word w)
{
    uint32_t reads = m->attempt.reads.n;
    search *kept = *progress;
    search fresh = {.term = w, .at = w, .check = FIRST_CHECK};
    vm_result ground = search_on(m, kept ? kept : &fresh);
    if (ground == VM_WAIT && !kept) {
        kept = vm_alloc(sizeof *kept);
        *kept = fresh;
        *progress = kept;
    }
    if (ground != VM_DONE)
        return ground;
    *progress = NULL;
    if (kept && m->stamped) { // once more from the start, to record all that is read
        m->attempt.reads.n = reads;
        search_on(m, &fresh);
    }
    return VM_DONE;
}

typedef struct {
    vm_word rest;
    vm_items items;
    vm_word marker; // a cell passed at a power of two: met again, the list has no end
} spine;

// VM_DONE: the end of the list was reached.
static vm_result follow_spine(vm_machine *m, spine *s)
{
    for (;;) {
        s->rest = vm_deref(m, s->rest);
        if (vm_tag(s->rest) != TAG_CONS)
            break;
        if (s->rest == s->marker)
            return vm_error(m, s->rest, "a list with an end is expected");
        VM_PUSH(s->items, vm_head(s->rest));
        if ((s->items.n & (s->items.n - 1)) == 0)
            s->marker = s->rest;
        s->rest = vm_tail(s->rest);
    }
    if (vm_is_var(s->rest))
        return vm_wait(m, s->rest);
    return s->rest == VM_NIL ? VM_DONE : vm_error(m, s->rest, "a list is expected");
}

vm_result vm_need_list(vm_machine *m, void **progress, vm_word w, vm_items *ret)
{
    uint32_t reads = m->attempt.reads.n;
    spine *kept = *progress;
    if (!kept) {
        kept = vm_alloc(sizeof *kept);
        kept->rest = w;
        NEED((*progress = kept, follow_spine(m, kept)));
    } else {
        NEED(follow_spine(m, kept));
        spine again = {.rest = w};
        if (m->stamped) { // records all that is read
            m->attempt.reads.n = reads;
            follow_spine(m, &again);
        }
    }
    *ret = kept->items;
    return VM_DONE;
}

// ---- Making ---------------------------------------------------------------------------------

vm_word vm_list_from(vm_machine *m, const vm_word *items, size_t n, vm_word tail)
{
    while (n-- > 0)
        tail = vm_heap_cons(m, items[n], tail);
    return tail;
}

vm_word vm_compound_from(vm_machine *m, uint32_t name, const vm_word *args, size_t n)
{
    if (n == 0)
        return vm_atom(name);
    if (n == 2 && name == ATOM_DOT)
        return vm_heap_cons(m, args[0], args[1]);
    return vm_make_struct(m, vm_functor(name, (uint32_t)n), args);
}

vm_word vm_string_from(const char *bytes, size_t n)
{
    if (utf8_valid(bytes, n))
        return vm_make_string(bytes, n);
    base_text t = VM_TEXT;
    for (size_t at = 0; at < n;)
        text_add_code(&t, utf8_next(bytes, n, &at));
    return vm_make_string(t.at, t.n);
}
