// SPDX-License-Identifier: MIT
//
// Pairs of compounds that a walk over two terms has met. With them the walk ends where terms
// contain themselves, and ends soon where terms share parts many times over.
#ifndef VM_PAIRS_H
#define VM_PAIRS_H

#include "base/table.h"
#include "vm/term.h"

enum { VM_MANY_PAIRS = 1 << 20 }; // after as many a walk begins to note pairs

// Classes of compounds that were found, or are taken, to be equal. All zero is empty.
typedef struct {
    base_map parents; // of each compound in its class; its own parent: it stands for the class
    uint64_t draw;
} vm_pairs;

// Notes some of the pairs that it is asked about. They are drawn by lot, which saves memory: a pair
// that is met again and again is noted in the end. True: the walk need not go into this pair,
// because another pair that it has finished, or is in, decides the same. Caveat: two terms that
// only might be equal may then pass as undecided where a second walk would have found a difference.
bool vm_met_before(vm_pairs *p, vm_word a, vm_word b);

#endif
