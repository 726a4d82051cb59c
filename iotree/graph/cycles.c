// SPDX-License-Identifier: MIT
//
// Cycles of modules on the critical path: the path leaves a module, goes through others and comes
// back. Each return closes a *round* of the modules that it went through since, each once; what is
// left of the path has no cycle.
#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "iotree/graph/model.h"

typedef struct {
    uint32_t module;
    uint64_t cost; // of the path in it, since the last round was closed
} visit;

typedef struct {
    iot *a;
    ARRAY_OF(visit) stack;
    uint32_t *place; // by module: in the stack, from 1; 0: it is not there
    ARRAY_OF(iot_cycle) cycles;
    ARRAY_OF(uint32_t) modules; // of one cycle, the smallest first
    base_index index;
} cycle_walk;

static bool is_cycle(const iot_cycle *c, const uint32_t *modules, size_t n)
{
    return c->nmodules == n && memcmp(c->modules, modules, n * sizeof *modules) == 0;
}

// The modules of the stack from `first` on, beginning with the smallest. Returns their cost.
static uint64_t list_modules(cycle_walk *w, size_t first)
{
    size_t n = w->stack.n - first, smallest = 0;
    uint64_t cost = 0;
    for (size_t i = 0; i < n; i++) {
        cost += w->stack.at[first + i].cost;
        if (w->stack.at[first + i].module < w->stack.at[first + smallest].module)
            smallest = i;
    }
    w->modules.n = 0;
    for (size_t i = 0; i < n; i++)
        ARRAY_PUSH(w->modules, w->stack.at[first + (smallest + i) % n].module);
    return cost;
}

static void close_round(cycle_walk *w, size_t first)
{
    uint64_t cost = list_modules(w, first);
    const uint32_t *modules = w->modules.at;
    size_t n = w->modules.n;
    uint64_t hash = hash_bytes(0, modules, n * sizeof *modules);
    uint32_t found;
    INDEX_FIND(found, &w->index, hash, i, is_cycle(&w->cycles.at[i], modules, n));
    if (found == INDEX_NONE) {
        found = (uint32_t)w->cycles.n;
        uint32_t *copy = base_allocate(n, sizeof *copy);
        memcpy(copy, modules, n * sizeof *copy);
        ARRAY_PUSH(w->cycles, (iot_cycle){.modules = copy, .nmodules = (uint32_t)n});
        index_add(&w->index, hash, found);
    }
    w->cycles.at[found].rounds++;
    w->cycles.at[found].cost += cost;
    while (w->stack.n > first + 1)
        w->place[w->stack.at[--w->stack.n].module] = 0;
    w->stack.at[first].cost = 0;
}

static void take_step(cycle_walk *w, uint32_t r)
{
    uint32_t module = w->a->processes[process_of(w->a, r)].module;
    if (!w->place[module]) {
        ARRAY_PUSH(w->stack, (visit){.module = module});
        w->place[module] = (uint32_t)w->stack.n;
    } else if (w->place[module] != w->stack.n) {
        close_round(w, w->place[module] - 1);
    }
    w->stack.at[w->stack.n - 1].cost += (uint64_t)trace_cost(w->a->t, r);
}

static int by_cost(const void *x, const void *y)
{
    const iot_cycle *a = x, *b = y;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->modules[0] < b->modules[0] ? -1 : a->modules[0] > b->modules[0];
}

void iot_sort_cycles(iot_cycle *cycles, uint32_t n)
{
    if (n > 0)
        qsort(cycles, n, sizeof *cycles, by_cost);
}

void iot_build_cycles(iot *a)
{
    cycle_walk w = {.a = a};
    if (trace_is_measured(a->t))
        return;
    w.place = base_allocate(a->nmodules, sizeof *w.place);
    for (uint32_t i = a->path.n; i-- > 0;) // oldest first
        take_step(&w, a->path.steps[i]);
    size_t n = 0;
    for (size_t i = 0; i < w.cycles.n; i++) {
        if (w.cycles.at[i].rounds >= IOT_FEWEST_ROUNDS)
            w.cycles.at[n++] = w.cycles.at[i];
        else
            free((void *)w.cycles.at[i].modules);
    }
    iot_sort_cycles(w.cycles.at, (uint32_t)n);
    a->cycles.rows = w.cycles.at;
    a->cycles.n = (uint32_t)n;
    free(w.stack.at);
    free(w.place);
    free(w.modules.at);
    index_free(&w.index);
}

void iot_destroy_cycles(iot *a)
{
    for (uint32_t i = 0; i < a->cycles.n; i++)
        free((void *)a->cycles.rows[i].modules);
    free(a->cycles.rows);
}

uint32_t iot_ncycles(const iot *a)
{
    return a->cycles.n;
}

const iot_cycle *iot_get_cycle(const iot *a, uint32_t i)
{
    return &a->cycles.rows[i];
}

const iot_cycle *iot_cycle_with(const iot *a, uint32_t module)
{
    for (uint32_t i = 0; i < a->cycles.n; i++)
        for (uint32_t k = 0; k < a->cycles.rows[i].nmodules; k++)
            if (a->cycles.rows[i].modules[k] == module)
                return &a->cycles.rows[i];
    return NULL;
}

char *iot_cycle_text(const iot *a, const iot_cycle *c)
{
    base_text text = {0};
    for (uint32_t i = 0; i < c->nmodules; i++) {
        const char *before = i == 0 ? "" : i + 1 < c->nmodules ? ", " : " and ";
        text_add_format(&text, "%s%s", before, a->modules[c->modules[i]].name);
    }
    return text_finish(&text);
}
