// SPDX-License-Identifier: MIT
//
// Built-in predicates by their quick ways. Each gives the result if its inputs are there and in order,
// and otherwise leaves all to the predicate itself: waiting, large results, and saying what is wrong.
#include "vm/builtins/quick.h"

#include "vm/code/arithmetic.h"
#include "vm/engine/arith.h"
#include "vm/engine/compare.h"
#include "vm/engine/loop_entry.h"
#include "vm/engine/machine.h"
#include "vm/term/names.h"
#include "vm/term/text.h"

#include <stdio.h>

enum { SHORT_TEXT = 4096 }; // bytes

static bool take_index(vm_word w, size_t below, size_t *ret)
{
    w = vm_end_of(w);
    if (vm_tag(w) != TAG_INT || (uint64_t)vm_int_value(w) >= below)
        return false;
    *ret = (size_t)vm_int_value(w);
    return true;
}

static const vm_string *string_in(vm_word w)
{
    w = vm_end_of(w);
    return vm_is_box(w, BOX_STRING) ? (const vm_string *)vm_as_box(w) : NULL;
}

static vm_vector *vector_in(vm_word w)
{
    w = vm_end_of(w);
    return vm_is_box(w, BOX_VECTOR) ? (vm_vector *)vm_as_box(w) : NULL;
}

// ---- Numbers and terms --------------------------------------------------------------------------

bool vm_quick_compute(vm_machine *m, const vm_word *in, vm_word *ret)
{
    vm_word name = vm_end_of(in[0]);
    int op = vm_tag(name) == TAG_ATOM ? vm_arith_operator(vm_functor(vm_atom_number(name), 2)) : -1;
    *ret = op < 0 ? 0 : vm_calculate((uint32_t)op, in + 1, 2);
    (void)m;
    return *ret != 0;
}

bool vm_quick_order(vm_machine *m, const vm_word *in, vm_word *ret)
{
    int order;
    (void)m;
    if (!vm_order_of_constants(vm_end_of(in[0]), vm_end_of(in[1]), &order))
        return false;
    *ret = vm_atom(order < 0 ? ATOM_LESS : order > 0 ? ATOM_GREATER : ATOM_EQUALS);
    return true;
}

bool vm_quick_arg(vm_machine *m, const vm_word *in, vm_word *ret)
{
    vm_word term = vm_end_of(in[1]);
    int64_t n = vm_is_var(term) ? -1 : vm_arguments(term);
    size_t i;
    (void)m;
    if (n < 1 || !take_index(in[0], (size_t)n + 1, &i) || i == 0)
        return false;
    *ret = vm_argument(term, (uint32_t)i - 1);
    return true;
}

// ---- Strings ------------------------------------------------------------------------------------

bool vm_quick_number_string(vm_machine *m, const vm_word *in, vm_word *ret)
{
    vm_word number = vm_end_of(in[0]);
    char digits[32];
    (void)m;
    if (vm_tag(number) != TAG_INT)
        return false;
    int n = snprintf(digits, sizeof digits, "%lld", (long long)vm_int_value(number));
    *ret = vm_make_string(digits, (size_t)n);
    return true;
}

bool vm_quick_string_concat(vm_machine *m, const vm_word *in, vm_word *ret)
{
    const vm_string *a = string_in(in[0]), *b = a ? string_in(in[1]) : NULL;
    (void)m;
    if (!b || a->length + b->length > SHORT_TEXT)
        return false;
    *ret = vm_string_append(a, b);
    return true;
}

bool vm_quick_string_length(vm_machine *m, const vm_word *in, vm_word *ret)
{
    const vm_string *s = string_in(in[0]);
    (void)m;
    if (s)
        *ret = vm_int((int64_t)vm_string_count(s));
    return s != NULL;
}

bool vm_quick_string_element(vm_machine *m, const vm_word *in, vm_word *ret)
{
    const vm_string *s = string_in(in[0]);
    uint32_t code;
    size_t i;
    (void)m;
    if (!s || !take_index(in[1], s->length, &i) || !vm_string_code(s, i, &code))
        return false;
    *ret = vm_int(code);
    return true;
}

bool vm_quick_sub_string(vm_machine *m, const vm_word *in, vm_word *ret)
{
    const vm_string *s = string_in(in[0]);
    size_t begin, length;
    (void)m;
    if (!s)
        return false;
    size_t count = vm_string_count(s);
    if (!take_index(in[1], count + 1, &begin) || !take_index(in[2], count - begin + 1, &length) ||
        length > SHORT_TEXT / 4)
        return false;
    size_t from = vm_string_offset(s, begin), to = vm_string_offset(s, begin + length);
    *ret = vm_make_string(s->text + from, to - from);
    return true;
}

// ---- Vectors ------------------------------------------------------------------------------------

bool vm_quick_vector_length(vm_machine *m, const vm_word *in, vm_word *ret)
{
    const vm_vector *v = vector_in(in[0]);
    (void)m;
    if (v)
        *ret = vm_int((int64_t)v->length);
    return v != NULL;
}

bool vm_quick_vector_element(vm_machine *m, const vm_word *in, vm_word *ret)
{
    const vm_vector *v = vector_in(in[0]);
    size_t i;
    (void)m;
    if (!v || !take_index(in[1], v->length, &i))
        return false;
    *ret = vm_vector_get(v, i);
    return true;
}

// Without the old element.
bool vm_quick_set_vector_element(vm_machine *m, const vm_word *in, vm_word *ret)
{
    vm_vector *v = vector_in(in[0]);
    size_t i;
    if (!v || !take_index(in[1], v->length, &i))
        return false;
    *ret = vm_update_vector(m, v, i, vm_end_of(in[2])); // who reads it need not follow it
    return true;
}
