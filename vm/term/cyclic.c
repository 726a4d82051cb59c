// SPDX-License-Identifier: MIT
//
// Does a term contain itself? `X = [1|X]` makes such a term; it is ground, but has no end.
#include "base/table.h"
#include "vm/term/text.h"
#include "vm/look.h"

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

enum { ENTERED, LEFT }; // what is known of a compound; LEFT: all that it contains was looked at

// Depth first: a compound that is met again before it was left contains itself.
static bool contains_itself(vm_word w)
{
    base_map known = {.heap = &vm_unscanned};
    path todo = {0};
    for (;;) {
        w = vm_end_of(w);
        if (vm_arguments(w) > 0) {
            uint64_t *state = map_at(&known, w);
            if (*state == ENTERED)
                return true;
            if (*state == MAP_ABSENT) {
                *state = ENTERED;
                VM_PUSH(todo, (place){w, 0});
            }
        }
        while (todo.n > 0) {
            place *top = &todo.at[todo.n - 1];
            if (top->next < vm_arguments(top->compound))
                break;
            map_set(&known, top->compound, LEFT);
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
