// SPDX-License-Identifier: MIT
//
// Union-find over compounds, after Huet's unification of terms that may contain themselves.
#include "vm/term/pairs.h"

#include "vm/term/heap.h"

enum { ONE_IN = 8 };

// The representative of the compound's class; shortens the path to it. A compound that was never
// noted is a class of its own, and this does not note it.
static vm_word class_of(vm_pairs *p, vm_word compound)
{
    uint64_t parent = map_get(&p->parents, compound);
    if (parent == MAP_ABSENT)
        return compound;
    while (parent != compound) {
        uint64_t up = map_get(&p->parents, parent);
        map_set(&p->parents, compound, up);
        compound = parent;
        parent = up;
    }
    return compound;
}

bool vm_met_before(vm_pairs *p, vm_word a, vm_word b)
{
    p->parents.heap = &vm_unscanned; // the terms are the caller's
    vm_word x = class_of(p, a), y = class_of(p, b);
    if (x == y)
        return true;
    p->draw = p->draw * 6364136223846793005u + 1442695040888963407u;
    if ((p->draw >> 33 & (ONE_IN - 1)) == 0) {
        map_set(&p->parents, x, y);
        map_set(&p->parents, y, y);
    }
    return false;
}
