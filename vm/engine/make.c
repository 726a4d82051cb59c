// SPDX-License-Identifier: MIT
//
// The makers of compounds and variables that are no inline functions, and those for other folders.
#include "vm/engine/make.h"

vm_word vm_make_cons(vm_machine *m, vm_word head, vm_word tail)
{
    return vm_heap_cons(m, head, tail);
}

vm_word vm_make_struct(vm_machine *m, vm_word functor, const vm_word *args)
{
    vm_word w = vm_heap_struct(m, functor);
    memcpy(vm_words(w) + 1, args, vm_functor_arity(functor) * sizeof *args);
    return w;
}

vm_word vm_make_variable(vm_machine *m, vm_origin origin)
{
    return vm_heap_variable(m, origin);
}

vm_word vm_new_variable(vm_machine *m, const char *name)
{
    vm_origin origin = {VM_NO_CLAUSE, vm_atom_intern(name, strlen(name))};
    return vm_heap_variable(m, origin);
}

vm_word vm_heap_vector(vm_machine *m, size_t n, vm_word **ret_elements)
{
    vm_vector *v = vm_heap_empty_vector(n);
    v->elements = vm_alloc(n * sizeof *v->elements);
    v->cell = vm_heap_cell(m);
    *ret_elements = v->elements;
    return vm_heap_listed(m, vm_heap_box(v));
}

vm_word vm_make_vector(vm_machine *m, const vm_word *elements, size_t n)
{
    vm_word *place;
    vm_word w = vm_heap_vector(m, n, &place);
    if (n)
        memcpy(place, elements, n * sizeof *place);
    return w;
}

vm_word vm_make_vector_of(vm_machine *m, size_t length, vm_word element)
{
    vm_word *place;
    vm_word w = vm_heap_vector(m, length, &place);
    for (size_t i = 0; i < length; i++)
        place[i] = element;
    return w;
}

vm_word vm_update_vector(vm_machine *m, vm_vector *v, size_t index, vm_word element)
{
    vm_vector *newer = vm_heap_updated_vector(v, index, element);
    newer->cell = vm_heap_cell(m);
    vm_word w = vm_heap_box(newer);
    if (m && m->reduction.dynamic)
        VM_PUSH(m->reduction.cells, (vm_cell){w, v, index, element});
    return w;
}
