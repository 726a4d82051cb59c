// SPDX-License-Identifier: MIT
//
// See path_cycles.h; the reader's summaries and iotree/graph/cycles.c count their rounds here.
#include "profiler/path_cycles.h"

void path_cycles_finish(path_cycles *c)
{
    if (!c)
        return;
    free(c->stack.at);
    free(c->place.at);
    free(c->list.at);
    free(c->modules.at);
    free(c->touched.at);
    index_free(&c->index);
}

static void push(path_cycles *c, path_visit visit)
{
    while (c->place.n <= visit.module)
        ARRAY_PUSH(c->place, 0);
    ARRAY_PUSH(c->stack, visit);
    c->place.at[visit.module] = (uint32_t)c->stack.n;
}

void path_cycles_begin(path_cycles *c, const path_visit *visits, uint32_t n)
{
    while (c->stack.n > 0)
        c->place.at[c->stack.at[--c->stack.n].module] = 0;
    for (size_t i = 0; i < c->touched.n; i++)
        c->list.at[c->touched.at[i]].rounds = c->list.at[c->touched.at[i]].steps = 0;
    c->touched.n = 0;
    for (uint32_t i = 0; i < n; i++)
        push(c, visits[i]);
}

// The modules of the stack from `first` on, beginning with the smallest, behind those of all cycles.
// Returns the steps in them.
static uint64_t list_modules(path_cycles *c, size_t first)
{
    size_t n = c->stack.n - first, smallest = 0;
    uint64_t steps = 0;
    for (size_t i = 0; i < n; i++) {
        steps += c->stack.at[first + i].steps;
        if (c->stack.at[first + i].module < c->stack.at[first + smallest].module)
            smallest = i;
    }
    for (size_t i = 0; i < n; i++)
        ARRAY_PUSH(c->modules, c->stack.at[first + (smallest + i) % n].module);
    return steps;
}

static bool is_cycle(const path_cycles *c, uint32_t number, const uint32_t *modules, size_t n)
{
    const path_cycle *x = &c->list.at[number];
    return x->n == n && memcmp(c->modules.at + x->first, modules, n * sizeof *modules) == 0;
}

// The cycle that goes through the modules behind those of the `before` first ones; INDEX_NONE: there are too many.
static uint32_t find_cycle(path_cycles *c, size_t before)
{
    size_t n = c->modules.n - before;
    const uint32_t *modules = c->modules.at + before;
    uint64_t hash = hash_bytes(0, modules, n * sizeof *modules);
    uint32_t found;
    INDEX_FIND(found, &c->index, hash, i, is_cycle(c, i, modules, n));
    if (found != INDEX_NONE) {
        c->modules.n = before;
        return found;
    }
    if (c->list.n == MOST_CYCLES || c->modules.n > MOST_CYCLES_MODULES) {
        c->modules.n = before;
        c->too_many = true;
        return INDEX_NONE;
    }
    ARRAY_PUSH(c->list, ((path_cycle){.first = (uint32_t)before, .n = (uint32_t)n}));
    index_add(&c->index, hash, (uint32_t)c->list.n - 1);
    return (uint32_t)c->list.n - 1;
}

static void close_round(path_cycles *c, size_t first)
{
    size_t before = c->modules.n;
    uint64_t steps = list_modules(c, first);
    uint32_t found = find_cycle(c, before);
    if (found != INDEX_NONE) {
        if (c->list.at[found].rounds == 0)
            ARRAY_PUSH(c->touched, found);
        c->list.at[found].rounds++;
        c->list.at[found].steps += steps;
    }
    while (c->stack.n > first + 1)
        c->place.at[c->stack.at[--c->stack.n].module] = 0;
    c->stack.at[first].steps = 0;
}

void path_cycles_step(path_cycles *c, uint32_t module, uint64_t n)
{
    uint32_t place = module < c->place.n ? c->place.at[module] : 0;
    if (place == 0)
        push(c, (path_visit){.module = module});
    else if (place != c->stack.n)
        close_round(c, place - 1);
    c->stack.at[c->stack.n - 1].steps += n;
}
