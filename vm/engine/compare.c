// SPDX-License-Identifier: MIT
//
// The standard order of terms. The library's sorting, sets and maps use it. First come numbers by
// value (an integer before an equal float), then atoms, then strings, both by their characters, then
// lists, structures and vectors by number of arguments, name and arguments. A comparison goes from
// left to right, waits for the variables it needs, and reads no further than the first difference.
#include "vm/engine/compare.h"

#include "vm/engine/arith.h"
#include "vm/engine/builtin.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/term/names.h"
#include "vm/term/text.h"

typedef struct {
    vm_word a, b;
    uint32_t next, n; // arguments
} pair;

enum { FIRST_CHECK = 1 << 24 };

static int sign(int64_t n)
{
    return (n > 0) - (n < 0);
}

static int compare_texts(const char *a, size_t na, const char *b, size_t nb)
{
    int order = memcmp(a, b, na < nb ? na : nb);
    return order ? sign(order) : (na > nb) - (na < nb);
}

// Place of a term's kind in the order.
static int rank(vm_word w)
{
    if (vm_is_number(w))
        return 0;
    if (vm_tag(w) == TAG_ATOM)
        return 1;
    return vm_is_box(w, BOX_STRING) ? 2 : 3;
}

static int compare_numbers(vm_word a, vm_word b)
{
    int order = vm_number_compare(a, b);
    if (order == -1 || order == 1)
        return order;
    // Equal, or one of them is no number (a NaN): those stand first, after them the integers.
    bool float_a = vm_is_box(a, BOX_FLOAT), float_b = vm_is_box(b, BOX_FLOAT);
    if (order == 0)
        return float_a - float_b;
    bool nan_a = vm_number_compare(a, a) == 2, nan_b = vm_number_compare(b, b) == 2;
    return nan_b - nan_a;
}

static int compare_constants(vm_word a, vm_word b, int kind)
{
    if (kind == 0)
        return compare_numbers(a, b);
    if (kind == 1) {
        uint32_t x = vm_atom_number(a), y = vm_atom_number(b);
        return compare_texts(vm_atom_text(x), vm_atom_length(x), vm_atom_text(y),
                             vm_atom_length(y));
    }
    return vm_string_order(a, b);
}

bool vm_order_of_constants(vm_word a, vm_word b, int *ret_order)
{
    if (vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT) {
        *ret_order = ((intptr_t)a > (intptr_t)b) - ((intptr_t)a < (intptr_t)b);
        return true;
    }
    if (vm_is_var(a) || vm_is_var(b))
        return false;
    int kind = rank(a), order = sign(kind - rank(b));
    if (kind == 3 && order == 0)
        return false;
    *ret_order = order ? order : compare_constants(a, b, kind);
    return true;
}

static uint32_t name_of(vm_word w)
{
    if (vm_tag(w) == TAG_CONS)
        return ATOM_DOT;
    return vm_tag(w) == TAG_STRUCT ? vm_functor_name(vm_words(w)[0]) : ATOM_CURLY;
}

// Without the arguments.
static int compare_bound(vm_word a, vm_word b)
{
    int kind = rank(a), order = sign(kind - rank(b));
    if (order || kind < 3)
        return order ? order : compare_constants(a, b, kind);
    order = sign(vm_arguments(a) - vm_arguments(b));
    uint32_t x = name_of(a), y = name_of(b);
    return order ? order
                 : compare_texts(vm_atom_text(x), vm_atom_length(x), vm_atom_text(y),
                                 vm_atom_length(y));
}

// The comparison of two terms that may be unbound; `inside`: their arguments remain.
static vm_result compare_pair(vm_machine *m, vm_word *a, vm_word *b, int *ret_order,
                              bool *ret_inside)
{
    *a = vm_deref(m, *a);
    *b = vm_deref(m, *b);
    *ret_order = 0;
    *ret_inside = false;
    if (*a == *b)
        return VM_DONE;
    if (vm_is_var(*a) || vm_is_var(*b)) {
        m->attempt.identity = true;
        if (vm_is_var(*a))
            vm_wait(m, *a);
        return vm_is_var(*b) ? vm_wait(m, *b) : VM_WAIT;
    }
    *ret_order = compare_bound(*a, *b);
    *ret_inside = *ret_order == 0 && vm_arguments(*a) > 0;
    return VM_DONE;
}

// Where a comparison stands: at a and b, then what is left of the compounds on the stack.
typedef struct {
    vm_word a, b, first, second;
    ARRAY_OF(pair) stack;
    uint64_t steps, check;
} position;

static vm_result compare_on(vm_machine *m, position *p, int *ret_order)
{
    for (;; p->steps++) {
        bool inside;
        NEED(compare_pair(m, &p->a, &p->b, ret_order, &inside));
        if (*ret_order)
            return VM_DONE;
        if (inside)
            VM_PUSH(p->stack, (pair){.a = p->a, .b = p->b, .n = (uint32_t)vm_arguments(p->a)});
        if (p->stack.n == 0)
            return VM_DONE;
        pair *top = &p->stack.at[p->stack.n - 1];
        p->a = vm_argument(top->a, top->next);
        p->b = vm_argument(top->b, top->next++);
        if (top->next == top->n) // so lists take no stack
            p->stack.n--;
        if (p->steps < p->check)
            continue;
        p->check *= 2;
        if (vm_is_cyclic(p->first) && vm_is_cyclic(p->second))
            return vm_error(m, p->first, "a term that does not contain itself is expected");
    }
}

vm_result vm_compare_terms(vm_machine *m, void **progress, vm_word a, vm_word b, int *ret_order)
{
    uint32_t reads = m->attempt.reads.n;
    position fresh = {.a = a, .b = b, .first = a, .second = b, .check = FIRST_CHECK};
    position *kept = *progress;
    vm_result result = compare_on(m, kept ? kept : &fresh, ret_order);
    if (result == VM_WAIT && !kept) {
        kept = vm_alloc(sizeof *kept);
        *kept = fresh;
        *progress = kept;
    } else if (result == VM_DONE && kept && m->stamped) { // once more, to record all that is read
        m->attempt.reads.n = reads;
        compare_on(m, &fresh, ret_order);
    }
    return result;
}
