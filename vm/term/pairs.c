// SPDX-License-Identifier: MIT
//
// Union-find over compounds, after Huet's unification of terms that may contain themselves.
#include "vm/term/pairs.h"

#include "vm/memory.h"

enum { FIRST_PLACES = 1024, ONE_IN = 8 };

static vm_class *find_place(const vm_pairs *p, vm_word compound)
{
    size_t at = (compound >> 3) * 0x9e3779b97f4a7c15u >> 20 & (p->places - 1);
    while (p->at[at].compound && p->at[at].compound != compound)
        at = (at + 1) & (p->places - 1);
    return &p->at[at];
}

static void make_room(vm_pairs *p)
{
    if (2 * (p->n + 2) < p->places)
        return;
    vm_pairs old = *p;
    p->places = old.places ? 2 * old.places : FIRST_PLACES;
    p->at = vm_alloc(p->places * sizeof *p->at);
    for (size_t i = 0; i < old.places; i++)
        if (old.at[i].compound)
            *find_place(p, old.at[i].compound) = old.at[i];
}

// The compound that stands for the class of this one; the way there is shortened. A compound that
// was never noted is a class of its own, not noted by this.
static vm_word class_of(const vm_pairs *p, vm_word compound)
{
    vm_class *c = find_place(p, compound);
    if (!c->compound)
        return compound;
    while (c->parent != c->compound) {
        vm_class *up = find_place(p, c->parent);
        c->parent = up->parent;
        c = up;
    }
    return c->compound;
}

static void join(vm_pairs *p, vm_word compound, vm_word into)
{
    vm_class *c = find_place(p, compound);
    p->n += !c->compound;
    *c = (vm_class){compound, into};
    c = find_place(p, into);
    p->n += !c->compound;
    *c = (vm_class){into, into};
}

bool vm_met_before(vm_pairs *p, vm_word a, vm_word b)
{
    make_room(p);
    vm_word x = class_of(p, a), y = class_of(p, b);
    if (x == y)
        return true;
    p->draw = p->draw * 6364136223846793005u + 1442695040888963407u;
    if ((p->draw >> 33 & (ONE_IN - 1)) == 0)
        join(p, x, y);
    return false;
}
