// SPDX-License-Identifier: MIT
//
// Goal records: slabs, and new goals of the reduction under way.
#include "vm/engine/goal.h"

#include "vm/engine/profile.h"
#include "vm/engine/real.h"
#include "vm/memory.h"

#include <stddef.h>
#include <string.h>

// Bytes. The collector rounds up to the first, and has a header of its own for each slab. So many goals have
// larger slabs, each a sixteenth of those before.
enum { FIRST_SLAB = 1 << 12, NEXT_SLABS = 1 << 15, LARGEST_SLAB = 1 << 20, SHARE = 16 };

_Static_assert(offsetof(vm_goal, waiting) % 16 == 0 && sizeof(vm_goal) % 16 == 8,
               "suspension records are at addresses that 16 divides (vm/term.h)");

static uint32_t class_capacity(uint32_t class)
{
    return 1 + (class <= 16 ? class * 2 : 64u << (class - 17));
}

static size_t room_of_slab(size_t made)
{
    if (made == 0)
        return FIRST_SLAB;
    size_t room = made / SHARE & ~(size_t)(FIRST_SLAB - 1);
    return room < NEXT_SLABS ? NEXT_SLABS : room < LARGEST_SLAB ? room : LARGEST_SLAB;
}

vm_goal *vm_slabs_refill(vm_slabs *s, uint32_t class)
{
    uint32_t capacity = class_capacity(class);
    size_t size = sizeof(vm_goal) + capacity * sizeof(vm_word);
    size_t room = room_of_slab(s->made[class]);
    uint32_t count = size < room / 4 ? (uint32_t)((room - sizeof(vm_slab)) / size) : 1;
    vm_slab *slab = vm_alloc(sizeof *slab + count * size);
    s->made[class] += room;
    slab->goal_size = size;
    slab->count = count;
    slab->next = s->all;
    s->all = slab;
    for (uint32_t i = count; i > 0; i--) {
        vm_goal *goal = (vm_goal *)(slab->goals + (i - 1) * size);
        goal->next = s->free[class];
        s->free[class] = goal;
    }
    return s->free[class];
}

void vm_goals_visit(vm_slabs *s, uint32_t state, void (*visit)(void *data, vm_goal *goal),
                    void *data)
{
    for (vm_slab *slab = s->all; slab; slab = slab->next)
        for (uint32_t i = 0; i < slab->count; i++) {
            vm_goal *goal = (vm_goal *)(slab->goals + i * slab->goal_size);
            if (vm_goal_state(goal) == state)
                visit(data, goal);
        }
}

vm_goal *vm_goal_create(vm_machine *m, vm_predicate *p, vm_origin site)
{
    vm_goal *goal = vm_goal_take(m, p);
    goal->site = site;
    if (m->real) {
        goal->parent = vm_real_stamp(m);
        goal->id = m->reduction.next_goal++;
    } else if (m->stamped) {
        goal->id = m->reduction.next_goal++;
        goal->created = m->reduction.now;
        if (m->options.profile)
            vm_profile_create_goal(m->options.profile, goal);
    }
    return goal;
}

vm_goal *vm_goal_copy(const vm_goal *goal)
{
    size_t begin = offsetof(vm_goal, nargs);
    size_t size = sizeof *goal + goal->nargs * sizeof *goal->args;
    vm_goal *copy = vm_alloc(size);
    copy->predicate = goal->predicate;
    copy->site = goal->site;
    copy->parent = goal->parent;
    copy->id = goal->id;
    copy->module = goal->module;
    memcpy((char *)copy + begin, (const char *)goal + begin, size - begin);
    return copy;
}

void vm_goal_launch(vm_machine *m, vm_goal *goal, int32_t priority)
{
    if (!m->ideal) {
        goal->priority = priority;
        if (m->real)
            vm_real_launch(m, goal);
        else
            vm_push(&m->worker, goal);
        return;
    }
    vm_schedule(&m->calendar, goal, m->reduction.now + goal->predicate->cost, true);
    if (m->cells.listing && m->options.recorder)
        VM_PUSH(m->reduction.goals, goal);
}
