// SPDX-License-Identifier: MIT
//
// Making compounds and variables. The reducing loop and the built-in predicates use these.
//
// Every maker takes the machine. In a stamped run it writes the longer form: a cell number, taken
// from m->reduction.next_cell, in a compound's extra word or in the variable. While a built-in
// reduces (m->reduction.dynamic), each cell is also listed in m->reduction.cells, in order of creation.
// Without a machine (constants of a program) the longer form is made with cell number 0, so that
// either kind of run may use it.
#ifndef VM_MAKE_H
#define VM_MAKE_H

#include "vm/engine/machine.h"
#include "vm/term/big.h"
#include "vm/term/heap.h"

// Has a new object its longer form?
static inline bool vm_heap_long(const vm_machine *m)
{
    return !m || m->stamped;
}

static inline uint64_t vm_heap_cell(vm_machine *m)
{
    return m && m->stamped ? m->reduction.next_cell++ : 0;
}

static inline vm_word vm_heap_listed(vm_machine *m, vm_word object)
{
    if (m && m->reduction.dynamic)
        VM_PUSH(m->reduction.cells, (vm_cell){.object = object});
    return object;
}

static inline vm_word vm_heap_cons(vm_machine *m, vm_word head, vm_word tail)
{
    bool is_long = vm_heap_long(m);
    vm_word *words = vm_heap_object((is_long ? 3 : 2) * sizeof *words);
    words[0] = head;
    words[1] = tail;
    if (is_long)
        words[2] = vm_heap_cell(m);
    return vm_heap_listed(m, (vm_word)words | TAG_CONS);
}

// Plain runs: a cons whose tail is a variable that lives there.
static inline vm_word vm_heap_open_cons(vm_word head, vm_word *ret_tail)
{
    vm_word *words = vm_heap_object(2 * sizeof *words);
    words[0] = head;
    words[1] = TAG_HOOK;
    *ret_tail = (vm_word)(words + 1);
    return (vm_word)words | TAG_CONS;
}

// A structure whose arguments (vm_words(result)[1..arity]) the caller fills in at once.
static inline vm_word vm_heap_struct(vm_machine *m, vm_word functor)
{
    size_t arity = vm_functor_arity(functor);
    bool is_long = vm_heap_long(m);
    vm_word *words = vm_heap_object((arity + (is_long ? 2 : 1)) * sizeof *words);
    words[0] = functor;
    if (is_long)
        words[arity + 1] = vm_heap_cell(m);
    return vm_heap_listed(m, (vm_word)words | TAG_STRUCT);
}

static inline vm_word vm_heap_variable(vm_machine *m, vm_origin origin)
{
    bool is_long = vm_heap_long(m);
    bool is_real = m && m->real;
    vm_var *v = vm_heap_object(is_real ? sizeof *v : is_long ? VM_IDEAL_VAR_SIZE : VM_PLAIN_VAR_SIZE);
    v->value = TAG_HOOK;
    v->origin = origin;
    if (is_real)
        v->number = vm_heap_cell(m);
    else if (is_long)
        v->cell = (uint32_t)vm_heap_cell(m);
    return vm_heap_listed(m, vm_ref(v));
}

// A vector whose elements (n zero words, at *ret_elements) the caller fills in at once.
vm_word vm_heap_vector(vm_machine *m, size_t n, vm_word **ret_elements);

#endif
