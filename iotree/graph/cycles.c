// SPDX-License-Identifier: MIT
//
// Cycles of modules on the critical path of a history. profiler/path_cycles.h says what a round is and counts
// them; here they get names and an order.
#include "base/array.h"
#include "base/text.h"
#include "iotree/graph/model.h"
#include "profiler/path_cycles.h"

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

static iot_cycle cycle_of(const path_cycles *c, const path_cycle *x)
{
    uint32_t *modules = base_allocate(x->n, sizeof *modules);
    memcpy(modules, c->modules.at + x->first, x->n * sizeof *modules);
    return (iot_cycle){.modules = modules, .nmodules = x->n, .rounds = x->rounds, .cost = x->steps};
}

void iot_build_cycles(iot *a)
{
    path_cycles c = {0};
    ARRAY_OF(iot_cycle) cycles = {0};
    if (trace_is_measured(a->t))
        return;
    for (uint32_t i = a->path.n; i-- > 0;) { // oldest first
        uint32_t r = a->path.steps[i];
        path_cycles_step(&c, a->processes[process_of(a, r)].module, (uint64_t)trace_cost(a->t, r));
    }
    for (size_t i = 0; i < c.list.n; i++)
        if (c.list.at[i].rounds >= IOT_FEWEST_ROUNDS)
            ARRAY_PUSH(cycles, cycle_of(&c, &c.list.at[i]));
    path_cycles_finish(&c);
    iot_sort_cycles(cycles.at, (uint32_t)cycles.n);
    a->cycles.rows = cycles.at;
    a->cycles.n = (uint32_t)cycles.n;
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
