// SPDX-License-Identifier: MIT
//
// Pairs of compounds that a walk over two terms has met (private to vm/), so that it ends where
// terms contain themselves, and soon where they share parts many times over.
#ifndef VM_PAIRS_H
#define VM_PAIRS_H

#include "vm/term/heap.h"

enum { VM_MANY_PAIRS = 1 << 20 }; // after as many a walk begins to note pairs

typedef struct {
    vm_word compound, parent; // of its class; itself: it stands for the class
} vm_class;

// Classes of compounds that were found, or are taken, to be equal. Open addressing; a power of two
// places, at most half full. All zero is empty.
typedef struct {
    vm_class *at;
    size_t n, places;
    uint64_t draw;
} vm_pairs;

// Notes some of the pairs it is asked about, drawn by lot, which saves memory: a pair that is met
// again and again is noted in the end. True: this pair need not be walked, for the walk over others
// that it has done, or is doing, decides about it. (That of a difference: two terms that only might
// be equal may then pass for such although a difference between them could be found by looking
// again.)
bool vm_met_before(vm_pairs *p, vm_word a, vm_word b);

#endif
