// SPDX-License-Identifier: MIT
//
// Built-in predicates: vectors. An update of the newest version takes constant time (term/make.c).
#include "vm/builtins/arguments.h"
#include "vm/engine/builtin.h"
#include "vm/memory.h"

enum { MAX_LENGTH = 1 << 30 };

vm_result vm_new_vector(vm_machine *m, vm_word *args)
{
    vm_word size;
    vm_items items;
    NEED(vm_need(m, args[1], &size));
    if (vm_tag(size) == TAG_CONS || size == VM_NIL) {
        NEED(vm_need_list(m, vm_progress(m), args[1], &items));
        return vm_return(m, args[0], vm_make_vector(m, items.at, items.n));
    }
    if (vm_tag(size) != TAG_INT || vm_int_value(size) < 0 || vm_int_value(size) > MAX_LENGTH)
        return vm_error(m, size, "a length or a list of elements is expected");
    return vm_return(m, args[0], vm_make_vector_of(m, (size_t)vm_int_value(size), vm_int(0)));
}

vm_result vm_vector_length(vm_machine *m, vm_word *args)
{
    vm_vector *v;
    NEED(vm_need_vector(m, args[0], &v));
    return vm_return(m, args[1], vm_int((int64_t)v->length));
}

static vm_result need_element(vm_machine *m, vm_word *args, vm_vector **ret_v, size_t *ret_index)
{
    int64_t index;
    NEED(vm_need_vector(m, args[0], ret_v));
    NEED(vm_need_small(m, args[1], &index));
    if (index < 0 || (uint64_t)index >= (*ret_v)->length)
        return vm_error(m, vm_int(index), "an index from 0 to %lld is expected",
                        (long long)(*ret_v)->length - 1);
    *ret_index = (size_t)index;
    return VM_DONE;
}

vm_result vm_vector_element(vm_machine *m, vm_word *args)
{
    vm_vector *v;
    size_t index;
    NEED(need_element(m, args, &v, &index));
    if (!vm_unify(m, args[2], vm_vector_get(v, index)))
        return VM_FAIL;
    return m->reduction.goal->predicate->arity != 4 ? VM_DONE
                                                    : vm_return(m, args[3], vm_heap_box(v));
}

// set_vector_element(V, I, New, V2)
vm_result vm_set_vector_element_new(vm_machine *m, vm_word *args)
{
    vm_vector *v;
    size_t index;
    NEED(need_element(m, args, &v, &index));
    return vm_return(m, args[3], vm_update_vector(m, v, index, args[2]));
}

void vm_vector_split(vm_machine *m, vm_vector *v, size_t at, vm_word *ret_lower,
                     vm_word *ret_upper)
{
    vm_word *all = vm_alloc((v->length + 1) * sizeof *all);
    for (size_t i = 0; i < v->length; i++)
        all[i] = vm_vector_get(v, i);
    *ret_lower = vm_make_vector(m, all, at);
    *ret_upper = vm_make_vector(m, all + at, v->length - at);
}

vm_word vm_vector_join(vm_machine *m, vm_vector *a, vm_vector *b)
{
    vm_word *all = vm_alloc((a->length + b->length + 1) * sizeof *all);
    for (size_t i = 0; i < a->length; i++)
        all[i] = vm_vector_get(a, i);
    for (size_t i = 0; i < b->length; i++)
        all[a->length + i] = vm_vector_get(b, i);
    return vm_make_vector(m, all, a->length + b->length);
}

vm_result vm_set_vector_element(vm_machine *m, vm_word *args)
{
    vm_vector *v;
    size_t index;
    NEED(need_element(m, args, &v, &index));
    vm_word old = vm_vector_get(v, index);
    vm_word newer = vm_update_vector(m, v, index, args[3]);
    if (!vm_unify(m, args[2], old))
        return VM_FAIL;
    return vm_return(m, args[4], newer);
}
