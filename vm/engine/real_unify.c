// SPDX-License-Identifier: MIT
//
// `X = T` in real stamped runs. On the ideal machine a reduction r follows the bindings made so
// far: its own, and those of reductions earlier in order than r (vm_stamp_compare). In a real run
// there may be other bindings, which were made before r by the clock but are later in virtual time.
// r must not follow these:
//
//  - An unbound end is bound to the other end. If the other end is a variable that is bound later, the
//    unbound end is bound to the variable itself, as on the ideal machine, where it is still unbound.
//  - If no end is unbound, r has nothing to bind. The ideal machine would have bound the variable now,
//    and the reduction that binds it later would have continued from there with the other end. So the
//    rest is done on behalf of that later reduction and has its time: it is a *late* act of it.
//
// Everything followed and bound on behalf of a reduction belongs to reductions earlier in order, so
// the resulting history is a possible one of the ideal machine. A reduction has *met* a later
// binding if the ideal machine would have bound the variable here, or bound it the other way round.
// Such a reduction counts as a race.
#include "vm/engine/bind.h"
#include "vm/engine/equal.h"
#include "vm/engine/real.h"
#include "vm/look.h"
#include "vm/term/heap.h"
#include "vm/term/pairs.h"

// On whose behalf something is done: the reduction under way, or a later one.
typedef struct {
    vm_stamp *maker;
    uint32_t item;
} party;

typedef struct {
    vm_word left, right; // compounds of the same shape
    uint32_t next, n;    // arguments
    party by;
} pair;

static uint32_t joining; // lock: held to bind a variable to a variable

static bool is_late(const vm_var *v, party by)
{
    return v->maker != by.maker && vm_stamp_compare(v->maker, by.maker) > 0;
}

static void read(vm_machine *m, const vm_chain *c, party by)
{
    bool own = by.maker == m->real->stamp;
    for (size_t i = 0; i < c->n; i++) {
        if (own)
            VM_PUSH(m->reduction.followed, c->at[i]);
        else if (c->at[i]->maker != by.maker)
            VM_PUSH(m->real->late,
                    (vm_late){.maker = by.maker, .variable = c->at[i], .kind = LATE_READS});
    }
}

// Before the binding that passes it on.
static void pass_on(vm_machine *m, const vm_chain *c, party by)
{
    bool own = by.maker == m->real->stamp;
    for (size_t i = 0; i < c->n; i++) {
        if (own)
            VM_PUSH(m->reduction.passed, c->at[i]);
        else
            VM_PUSH(m->real->late,
                    (vm_late){.maker = by.maker, .variable = c->at[i], .kind = LATE_PASSES});
    }
}

static bool sides_meet(const vm_chain *left, const vm_chain *right)
{
    return left->n > 0 && right->n > 0 && left->at[left->n - 1] == right->at[right->n - 1];
}

// The end of a chain, as far as it may be followed.
static vm_word follow(vm_word w, party by, vm_chain *c)
{
    while (vm_tag(w) == TAG_REF) {
        vm_var *v = vm_as_var(w);
        vm_word value = vm_load(&v->value);
        if (vm_tag(value) == TAG_UNBOUND || is_late(v, by))
            return w;
        VM_PUSH(*c, v);
        w = value;
    }
    return w;
}

// Takes the suspension records of an unbound variable that this worker binds now. False: it is
// bound.
static inline bool seize(vm_machine *m, vm_var *v, vm_word *ret_hooks)
{
    vm_word records = vm_load(&v->value);
    for (;;) {
        if (vm_tag(records) != TAG_UNBOUND)
            return false;
        if (!m->worker.team) {
            *ret_hooks = records;
            return true;
        }
        if (records == VM_BUSY) {
            records = vm_await(v);
            continue;
        }
        if (__atomic_compare_exchange_n(&v->value, &records, VM_BUSY, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            *ret_hooks = records;
            return true;
        }
    }
}

// A variable that this worker has seized. Its time is there before its value can be seen.
static inline void set(vm_var *v, vm_word value, party by)
{
    v->time = by.maker->time;
    v->maker = by.maker;
    v->mark = by.item;
    __atomic_store_n(&v->value, value, __ATOMIC_RELEASE);
}

static inline void note_binding(vm_machine *m, vm_var *v, vm_word value, uint32_t item)
{
    VM_PUSH(m->reduction.bindings, (vm_binding){.variable = v,
                                                .value = value,
                                                .item = item,
                                                .passed_end = m->reduction.passed.n});
}

// Binds a variable, to which the side `to` led, to a value, to which the side `from` led.
static bool bind(vm_machine *m, vm_var *v, vm_word value, const vm_chain *to, const vm_chain *from,
                 party by)
{
    vm_word records;
    if (!seize(m, v, &records))
        return false;
    set(v, value, by);
    vm_spin_unlock(); // if the value is a variable
    read(m, to, by);
    pass_on(m, from, by);
    if (by.maker == m->real->stamp)
        note_binding(m, v, value, by.item);
    else
        VM_PUSH(m->real->late, (vm_late){.maker = by.maker,
                                         .variable = v,
                                         .kind = LATE_BINDS,
                                         .value = value,
                                         .item = by.item,
                                         .npassed = (uint32_t)from->n});
    vm_resume(m, records);
    return true;
}

// Binds an unbound variable to the other end. False: it was bound meanwhile. Chains grow only under
// the lock, so a chain that ends elsewhere while the lock is held closes no ring.
static bool join(vm_machine *m, vm_word variable, vm_word other, const vm_chain *to,
                 const vm_chain *from, party by)
{
    if (!vm_is_var(other))
        return bind(m, vm_as_var(variable), other, to, from, by);
    vm_spin_lock(&joining);
    bool done = vm_end_of(other) == variable || bind(m, vm_as_var(variable), other, to, from, by);
    vm_spin_unlock();
    return done;
}

// Both ends are bound, at least one of them too late for this party: continues on behalf of the
// maker of that binding, of two makers the earlier one. (A binding made after its end was found is
// not too late.)
static party later_party(vm_word a, vm_word b, party by)
{
    const vm_var *v = vm_as_var(vm_is_var(a) ? a : b);
    if (vm_is_var(a) && vm_is_var(b) &&
        vm_stamp_compare(vm_as_var(b)->maker, vm_as_var(a)->maker) < 0)
        v = vm_as_var(b);
    return is_late(v, by) ? (party){.maker = v->maker, .item = v->mark} : by;
}

static bool is_unbound(vm_word w)
{
    return vm_is_var(w) && !vm_is_bound(vm_as_var(w));
}

static bool unify_failed(vm_machine *m, vm_word left, vm_word right)
{
    m->end.failure.kind = FAIL_UNIFY;
    m->end.failure.left = left;
    m->end.failure.right = right;
    return false;
}

// Compares two ends that are the same word or no variables. False: they are compounds of the same
// shape, whose arguments remain; *ret_equal: not false for sure.
static bool is_over(vm_machine *m, vm_word a, vm_word b, party by, bool *ret_equal)
{
    vm_chain *left = &m->real->left, *right = &m->real->right;
    *ret_equal = true;
    if ((a == b && vm_is_var(a)) || sides_meet(left, right))
        return true;
    read(m, left, by);
    read(m, right, by);
    if (a == b || vm_equal_constants(a, b))
        return true;
    *ret_equal = vm_same_shape(a, b);
    return !*ret_equal;
}

// Of a pair of which one is a variable and the other another thing: binds it if it is unbound. Else
// somebody else's part begins (*by), as it does not if the variable was bound meanwhile (false).
static bool bind_one(vm_machine *m, vm_word a, vm_word b, party *by)
{
    vm_chain *left = &m->real->left, *right = &m->real->right;
    if (is_unbound(a))
        return join(m, a, b, left, right, *by);
    if (is_unbound(b)) {
        m->real->met |= vm_is_var(a);
        return join(m, b, a, right, left, *by);
    }
    party later = later_party(a, b, *by);
    if (later.maker != by->maker) {
        m->real->met = true;
        read(m, left, *by);
        read(m, right, *by);
        left->n = right->n = 0;
    }
    *by = later;
    return false;
}

// The usual `=`: the reduction under way gives a variable that is unbound itself a value that is none. False:
// it is another one, or the variable was bound meanwhile.
static inline bool is_given(vm_machine *m, vm_word left, vm_word right)
{
    vm_word records;
    if (!vm_is_var(left) || vm_is_var(right))
        return false;
    party by = {.maker = vm_real_stamp(m), .item = m->reduction.item};
    if (!seize(m, vm_as_var(left), &records))
        return false;
    set(vm_as_var(left), right, by);
    note_binding(m, vm_as_var(left), right, by.item);
    if (!vm_is_unawaited(records))
        vm_resume(m, records);
    return true;
}

bool vm_real_unify(vm_machine *m, vm_word left, vm_word right)
{
    if (is_given(m, left, right))
        return true;
    ARRAY_OF(pair) stack = {0};
    vm_pairs met = {0};
    uint32_t npairs = 0;
    vm_chain *chains[] = {&m->real->left, &m->real->right};
    party by = {.maker = vm_real_stamp(m), .item = m->reduction.item};
    chains[0]->n = chains[1]->n = 0;
    for (vm_word a = left, b = right;;) {
        bool equal;
        a = follow(a, by, chains[0]);
        b = follow(b, by, chains[1]);
        if (a != b && (vm_is_var(a) || vm_is_var(b))) {
            if (!bind_one(m, a, b, &by))
                continue;
        } else if (!is_over(m, a, b, by, &equal)) {
            npairs += npairs < VM_MANY_PAIRS;
            if (npairs < VM_MANY_PAIRS || !vm_met_before(&met, a, b))
                VM_PUSH(stack,
                        (pair){.left = a, .right = b, .n = (uint32_t)vm_arguments(a), .by = by});
        } else if (!equal) {
            return unify_failed(m, left, right);
        }
        while (stack.n > 0 && stack.at[stack.n - 1].next == stack.at[stack.n - 1].n)
            stack.n--;
        if (stack.n == 0)
            return true;
        pair *top = &stack.at[stack.n - 1];
        chains[0]->n = chains[1]->n = 0;
        by = top->by;
        a = vm_argument(top->left, top->next);
        b = vm_argument(top->right, top->next++);
    }
}
