// SPDX-License-Identifier: MIT
//
// Integers that do not fit into a word (GMP). GMP allocates on the collected heap.
#ifndef VM_BIG_H
#define VM_BIG_H

#include "vm/term.h"

#include <gmp.h>

typedef struct {
    vm_box box;
    mpz_t value; // outside VM_INT_MIN..VM_INT_MAX
    mp_limb_t limbs[]; // of the value, if they are part of this
} vm_big;

// An integer of any size: the immediate form where it fits, else a box with a copy.
vm_word vm_heap_big(const mpz_t value);
vm_word vm_heap_big_of(const mpz_t value); // a box that takes the value over, which does not fit
static inline vm_word vm_heap_integer(int64_t i)
{
    if (__builtin_expect(i >= VM_INT_MIN && i <= VM_INT_MAX, 1))
        return vm_int(i);
    mpz_t value;
    mpz_init_set_si(value, i);
    return vm_heap_big(value);
}

#endif
