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

#include "base/table.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/term/big.h"
#include "vm/term/pairs.h"

#include <string.h>

typedef struct {
    vm_word a, b;
    uint32_t next, n; // arguments
    uint32_t mark;    // reads when the comparison came here
} frame;

typedef struct {
    vm_word a, b;
} open_pair;

typedef ARRAY_OF(open_pair) open_pairs;

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
        m->attempt.identity = true;
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

enum { FEW_OPEN = 32 };

// Terms that share parts have the same pair open in many places.
static void drop_copies(open_pairs *open)
{
    base_map places = {.heap = &vm_unscanned};
    uint32_t n = 0;
    for (uint32_t i = 0; i < open->n; i++) {
        const open_pair *p = &open->at[i];
        uint64_t *place = map_at(&places, p->a * 31 + p->b); // of one of the pairs with this key
        if (*place != MAP_ABSENT && open->at[*place].a == p->a && open->at[*place].b == p->b)
            continue;
        *place = n;
        open->at[n++] = *p;
    }
    open->n = n;
}

// What a comparison came to: the pairs that are undecided, and how many it looked at (at most
// VM_MANY_PAIRS are counted).
typedef struct {
    open_pairs open;
    uint32_t many; // open pairs, among which copies are looked for
    uint32_t pairs;
} outcome;

static void add_open(outcome *o, vm_word a, vm_word b)
{
    VM_PUSH(o->open, (open_pair){a, b});
    if (o->open.n < FEW_OPEN || o->open.n < o->many)
        return;
    drop_copies(&o->open);
    o->many = 2 * (uint32_t)o->open.n;
}

// path: keep only the reads on the way to the present position of the comparison. Adds to *ret, which
// may be NULL.
static vm_equality walk(vm_machine *m, vm_word a, vm_word b, bool path, outcome *ret)
{
    ARRAY_OF(frame) stack = {0};
    vm_pairs met = {0};
    uint32_t npairs = 0;
    vm_equality result = VM_EQUAL;
    for (;;) {
        bool inside;
        vm_equality c = compare_pair(m, &a, &b, &inside);
        npairs += npairs < VM_MANY_PAIRS;
        if (ret)
            ret->pairs = npairs;
        if (c == VM_DIFFERENT)
            return c;
        if (c == VM_UNDECIDED) {
            result = c;
            if (ret)
                add_open(ret, a, b);
        }
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

// ---- Comparisons of terms that grow -----------------------------------------------------------

// What an attempt of the goal found of two compounds, or of two terms of which one is an unbound variable at
// the end of a chain. They are equal but for the open pairs, or they differ. This stays true, so the
// next attempt looks at the open pairs only: else a comparison of two terms, or chains, that grow would
// begin anew with each part of them.
typedef struct {
    vm_word a, b;
    int64_t limit; // stamped: of the attempt
    bool differ;
    open_pairs open;
} compared;

struct vm_compared {
    ARRAY_OF(compared) at;
};

// A goal that goes on in registers keeps those of its steps: more than this are of no use. A comparison
// that is decided at once is kept where it was long: the goal may wait for something else.
enum { MOST_COMPARED = 16, LONG = 64 };

static compared *find_compared(const vm_machine *m, vm_word a, vm_word b)
{
    struct vm_compared *kept = m->attempt.compared;
    for (uint32_t i = 0; kept && i < kept->at.n; i++)
        if (kept->at.at[i].a == a && kept->at.at[i].b == b &&
            (!m->stamped || kept->at.at[i].limit <= m->attempt.limit))
            return &kept->at.at[i];
    return NULL;
}

static void keep(vm_machine *m, vm_word a, vm_word b, bool differ, open_pairs open)
{
    if (!m->attempt.compared || m->attempt.compared->at.n >= MOST_COMPARED)
        m->attempt.compared = vm_alloc(sizeof *m->attempt.compared);
    VM_PUSH(m->attempt.compared->at, (compared){a, b, m->attempt.limit, differ, open});
    m->attempt.compares = true;
}

static vm_equality compare_open(vm_machine *m, compared *c)
{
    outcome now = {0};
    vm_equality result = c->differ ? VM_DIFFERENT : VM_EQUAL;
    for (uint32_t i = 0; i < c->open.n && result != VM_DIFFERENT; i++) {
        vm_equality one = walk(m, c->open.at[i].a, c->open.at[i].b, false, &now);
        if (one != VM_EQUAL)
            result = one;
    }
    c->open = now.open;
    c->differ = result == VM_DIFFERENT;
    c->limit = m->attempt.limit;
    m->attempt.compares = true;
    return result;
}

// Where reads have times, an attempt that went on with a comparison may not commit: it did not read all
// that decides. Then the loop makes one more attempt, which compares all.
static vm_equality compare(vm_machine *m, vm_word a, vm_word b)
{
    uint32_t reads = m->attempt.reads.n;
    if (m->attempt.dry || m->attempt.whole)
        return walk(m, a, b, false, NULL);
    compared *before = find_compared(m, a, b);
    vm_word left = before ? a : vm_deref(m, a), right = before ? b : vm_deref(m, b);
    m->attempt.reads.n = reads;
    if (!before)
        before = find_compared(m, left, right);
    if (before) {
        vm_equality result = compare_open(m, before);
        m->attempt.reads.n = reads;
        m->attempt.partial = true;
        return result;
    }
    outcome found = {0};
    vm_equality result = walk(m, a, b, false, &found);
    if (result != VM_UNDECIDED && found.pairs < LONG)
        return result;
    if (vm_arguments(left) > 0 && vm_arguments(right) > 0)
        keep(m, left, right, result == VM_DIFFERENT, found.open);
    else if ((vm_is_var(left) && left != a) || (vm_is_var(right) && right != b))
        keep(m, a, b, false, found.open);
    return result;
}

vm_equality vm_test_equal(vm_machine *m, vm_word a, vm_word b)
{
    uint32_t reads = m->attempt.reads.n, waits = m->attempt.waits.n;
    vm_equality c = compare(m, a, b);
    if (c != VM_DIFFERENT)
        return c;
    m->attempt.waits.n = waits;
    if (m->stamped) {
        m->attempt.reads.n = reads;
        if (!m->attempt.partial)
            walk(m, a, b, true, NULL);
        m->attempt.waits.n = waits;
    }
    return c;
}
