// SPDX-License-Identifier: MIT
//
// Equality without binding: `==`, `\=`, repeated head variables. The bindings it reads are part of
// the language's definition of virtual time:
//
//  - two occurrences of one variable, or of one term, are equal without looking inside;
//  - where two chains of bound variables meet, only the bindings before the meeting are read;
//  - arguments are compared from left to right, and a difference anywhere decides, even beside an
//    argument that waits;
//  - if a difference decides, only the path to the first one is read.
#include "vm/engine/equal.h"

#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/look.h"
#include "vm/term/big.h"
#include "vm/term/pairs.h"

#include <string.h>

typedef struct {
    vm_word a, b;
    uint32_t next, n; // arguments
    uint32_t mark;    // reads when the comparison came here
} frame;

bool vm_equal_constants(vm_word a, vm_word b)
{
    if (a == b)
        return true;
    if (vm_tag(a) != TAG_BOX || vm_tag(b) != TAG_BOX)
        return false;
    const vm_box *x = vm_as_box(a), *y = vm_as_box(b);
    if (x->kind != y->kind)
        return false;
    switch (x->kind) {
    case BOX_BIG:
        return mpz_cmp(((const vm_big *)x)->value, ((const vm_big *)y)->value) == 0;
    case BOX_FLOAT:
        return memcmp(&((const vm_float *)x)->value, &((const vm_float *)y)->value,
                      sizeof(double)) == 0;
    case BOX_STRING: {
        const vm_string *s = (const vm_string *)x, *t = (const vm_string *)y;
        return s->length == t->length && memcmp(s->text, t->text, s->length) == 0;
    }
    case BOX_VECTOR:
        return false;
    }
    return false;
}

bool vm_same_shape(vm_word a, vm_word b)
{
    if (vm_tag(a) != vm_tag(b))
        return false;
    if (vm_tag(a) == TAG_STRUCT)
        return vm_words(a)[0] == vm_words(b)[0];
    return vm_arguments(a) >= 0 && vm_arguments(a) == vm_arguments(b);
}

// Follows both chains. Of the bindings read, only those before the chains meet are kept.
static void follow_both(vm_machine *m, vm_word *a, vm_word *b)
{
    uint32_t from = m->attempt.reads.n;
    *a = vm_deref(m, *a);
    uint32_t middle = m->attempt.reads.n;
    *b = vm_deref(m, *b);
    uint32_t to = m->attempt.reads.n, common = 0;
    while (common < middle - from && common < to - middle &&
           m->attempt.reads.at[middle - 1 - common] == m->attempt.reads.at[to - 1 - common])
        common++;
    if (common == 0)
        return;
    uint32_t kept = to - middle - common;
    memmove(&m->attempt.reads.at[middle - common], &m->attempt.reads.at[middle],
            kept * sizeof *m->attempt.reads.at);
    m->attempt.reads.n = middle - common + kept;
}

// One pair: VM_EQUAL also where its arguments remain to be compared (then *ret_inside).
static vm_equality compare_pair(vm_machine *m, vm_word *a, vm_word *b, bool *ret_inside)
{
    *ret_inside = false;
    follow_both(m, a, b);
    if (*a == *b)
        return VM_EQUAL;
    if (vm_is_var(*a) || vm_is_var(*b)) {
        if (vm_is_var(*a))
            vm_wait(m, *a);
        if (vm_is_var(*b))
            vm_wait(m, *b);
        return VM_UNDECIDED;
    }
    if (vm_equal_constants(*a, *b))
        return VM_EQUAL;
    *ret_inside = vm_same_shape(*a, *b);
    return *ret_inside ? VM_EQUAL : VM_DIFFERENT;
}

// path: keep only the reads on the way to the present position of the comparison.
static vm_equality walk(vm_machine *m, vm_word a, vm_word b, bool path)
{
    ARRAY_OF(frame) stack = {0};
    vm_pairs met = {0};
    uint32_t npairs = 0;
    vm_equality result = VM_EQUAL;
    for (;;) {
        bool inside;
        vm_equality c = compare_pair(m, &a, &b, &inside);
        if (c == VM_DIFFERENT)
            return c;
        if (c == VM_UNDECIDED)
            result = c;
        npairs += npairs < VM_MANY_PAIRS;
        if (inside && (npairs < VM_MANY_PAIRS || !vm_met_before(&met, a, b)))
            VM_PUSH(stack, (frame){.a = a, .b = b, .n = (uint32_t)vm_arguments(a),
                                   .mark = m->attempt.reads.n});
        while (stack.n > 0 && stack.at[stack.n - 1].next == stack.at[stack.n - 1].n)
            stack.n--;
        if (stack.n == 0)
            return result;
        frame *top = &stack.at[stack.n - 1];
        if (path)
            m->attempt.reads.n = top->mark;
        a = vm_argument(top->a, top->next);
        b = vm_argument(top->b, top->next++);
    }
}

vm_equality vm_test_equal(vm_machine *m, vm_word a, vm_word b)
{
    uint32_t reads = m->attempt.reads.n, waits = m->attempt.waits.n;
    vm_equality c = walk(m, a, b, false);
    if (c != VM_DIFFERENT)
        return c;
    m->attempt.waits.n = waits;
    if (m->stamped) {
        m->attempt.reads.n = reads;
        walk(m, a, b, true);
        m->attempt.waits.n = waits;
    }
    return c;
}
