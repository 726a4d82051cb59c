// SPDX-License-Identifier: MIT
//
// Does a term contain itself? `X = [1|X]` makes such a term; it is ground, but has no end.
#include "vm/memory.h"
#include "vm/term/text.h"

typedef struct {
    vm_word compound;
    uint32_t next; // argument
} place;

typedef ARRAY_OF(place) path;

// A term that can be walked through in this many steps needs no closer look.
enum { SHORT_WALK = 1 << 22 };

// False: the walk did not end.
static bool short_walk(vm_word w)
{
    path todo = {0};
    for (uint32_t steps = 0; steps < SHORT_WALK; steps++) {
        w = vm_end_of(w);
        int64_t n = vm_arguments(w);
        if (n > 1)
            VM_PUSH(todo, (place){w, 1});
        if (n > 0) {
            w = vm_argument(w, 0);
            continue;
        }
        if (todo.n == 0)
            return true;
        place *top = &todo.at[todo.n - 1];
        w = vm_argument(top->compound, top->next++);
        if (top->next == vm_arguments(top->compound))
            todo.n--;
    }
    return false;
}

// What is known of each compound: open addressing, a power of two places, at most half full.
typedef struct {
    vm_word compound;
    bool left; // all that it contains was looked at
} visit;

typedef struct {
    visit *at;
    size_t n, places;
} visits;

static visit *find(const visits *v, vm_word compound)
{
    size_t at = (compound >> 3) * 0x9e3779b97f4a7c15u >> 20 & (v->places - 1);
    while (v->at[at].compound && v->at[at].compound != compound)
        at = (at + 1) & (v->places - 1);
    return &v->at[at];
}

static visit *enter(visits *v, vm_word compound)
{
    if (2 * v->n >= v->places) {
        visits old = *v;
        v->places = old.places ? 2 * old.places : 1024;
        v->at = vm_alloc(v->places * sizeof *v->at);
        for (size_t i = 0; i < old.places; i++)
            if (old.at[i].compound)
                *find(v, old.at[i].compound) = old.at[i];
    }
    return find(v, compound);
}

// Depth first: a compound that is met again before it was left contains itself.
static bool contains_itself(vm_word w)
{
    visits known = {0};
    path todo = {0};
    for (;;) {
        w = vm_end_of(w);
        if (vm_arguments(w) > 0) {
            visit *v = enter(&known, w);
            if (v->compound && !v->left)
                return true;
            if (!v->compound) {
                *v = (visit){.compound = w};
                known.n++;
                VM_PUSH(todo, (place){w, 0});
            }
        }
        while (todo.n > 0) {
            place *top = &todo.at[todo.n - 1];
            if (top->next < vm_arguments(top->compound))
                break;
            find(&known, top->compound)->left = true;
            todo.n--;
        }
        if (todo.n == 0)
            return false;
        place *top = &todo.at[todo.n - 1];
        w = vm_argument(top->compound, top->next++);
    }
}

bool vm_is_cyclic(vm_word w)
{
    return !short_walk(w) && contains_itself(w);
}
