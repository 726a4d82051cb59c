// SPDX-License-Identifier: MIT
//
// Clause selection: searches the table of a SWITCH instruction.
#ifndef VM_SWITCH_H
#define VM_SWITCH_H

#include "vm/term.h"

// Where `key` leads by a table of n pairs (constant, code position), sorted by constant; or other.
static inline uint32_t vm_switch_find(const vm_word *constants, const uint32_t *pairs, uint32_t n,
                                      vm_word key, uint32_t other)
{
    while (n > 4) {
        uint32_t half = n / 2;
        if (constants[pairs[2 * half]] <= key) {
            pairs += 2 * half;
            n -= half;
        } else {
            n = half;
        }
    }
    for (; n > 0; n--, pairs += 2)
        if (constants[pairs[0]] == key)
            return pairs[1];
    return other;
}

// The same for a table of strings, in their order.
static __attribute__((noinline, unused)) uint32_t
vm_switch_find_string(const vm_word *constants, const uint32_t *pairs, uint32_t n, vm_word key,
                      uint32_t other)
{
    while (n > 0) {
        uint32_t half = n / 2;
        int order = vm_string_order(key, constants[pairs[2 * half]]);
        if (order == 0)
            return pairs[2 * half + 1];
        pairs += order > 0 ? 2 * (half + 1) : 0;
        n = order > 0 ? n - half - 1 : half;
    }
    return other;
}

// pc: the SWITCH; w: the end of its register's chain, bound.
static inline uint32_t vm_switch(const vm_word *constants, const uint32_t *pc, vm_word w)
{
    switch (vm_tag(w)) {
    case TAG_CONS:
        return pc[3];
    case TAG_STRUCT: {
        const uint32_t *table = pc + 6 + 2 * pc[5];
        return vm_switch_find(constants, table + 1, table[0], vm_words(w)[0], pc[4]);
    }
    case TAG_INT:
    case TAG_ATOM:
        return vm_switch_find(constants, pc + 6, pc[5], w, pc[4]);
    case TAG_BOX: {
        const uint32_t *table = pc + 6 + 2 * pc[5];
        table += 1 + 2 * table[0];
        return vm_is_box(w, BOX_STRING)
                   ? vm_switch_find_string(constants, table + 1, table[0], w, pc[4])
                   : pc[4];
    }
    default:
        return pc[4];
    }
}

#endif
