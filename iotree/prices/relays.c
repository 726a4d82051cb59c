// SPDX-License-Identifier: MIT
//
// Relays: a chain of aliases that each passed on the one before would give every reader as many
// waits as the chain is long. A relay for each binding and site of makers says the same in one
// wait.
#include "iotree/prices/relays.h"

#include "iotree/terms/values.h"

#define MOST_SITES 64u // of one binding; makers of further sites count for the last

static uint32_t binding_of(const trace *t, uint32_t variable)
{
    return trace_cell_binding(t, variable);
}

static uint32_t site_of(const relay_table *r, uint32_t binding, uint32_t maker)
{
    return r->kinds ? r->kinds[binding] : r->sites[maker];
}

// A group's relay for a site, made if there is none.
static uint32_t relay_for(relay_table *r, relay_group *group, uint32_t at, uint32_t site)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (r->list.at[group->first + i].site == site || i + 1 == MOST_SITES)
            return group->first + i;
    ARRAY_PUSH(r->list, (relay){.at = at, .site = site});
    return group->first + group->n++;
}

typedef struct {
    uint32_t relay;
    uint64_t input;
} relay_input;

static int by_relay(const void *x, const void *y)
{
    const relay_input *a = x, *b = y;
    if (a->relay != b->relay)
        return a->relay < b->relay ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

// All groups below are there already.
static void make_group(relay_table *r, uint32_t binding)
{
    const uint32_t *passed;
    uint32_t n = trace_passed(r->t, binding, &passed), at = trace_binding_maker(r->t, binding);
    relay_group group = {(uint32_t)r->list.n, 0};
    ARRAY_OF(relay_input) inputs = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = binding_of(r->t, passed[i]);
        uint64_t below = next == TRACE_NONE ? MAP_ABSENT : map_get(&r->of_binding, next);
        uint32_t maker = next == TRACE_NONE ? 0 : trace_binding_maker(r->t, next);
        if (maker != 0 && maker <= at)
            ARRAY_PUSH(inputs,
                       (relay_input){relay_for(r, &group, at, site_of(r, next, maker)), maker});
        relay_group g = below == MAP_ABSENT ? (relay_group){0} : r->groups.at[below];
        for (uint32_t k = g.first; k < g.first + g.n; k++)
            if (r->list.at[k].at <= at)
                ARRAY_PUSH(inputs, (relay_input){relay_for(r, &group, at, r->list.at[k].site),
                                                 RELAY_INPUT + k});
    }
    if (inputs.n)
        qsort(inputs.at, inputs.n, sizeof *inputs.at, by_relay);
    for (size_t i = 0; i < inputs.n; i++) {
        relay *of = &r->list.at[inputs.at[i].relay];
        if (of->n++ == 0)
            of->first = r->inputs.n;
        ARRAY_PUSH(r->inputs, inputs.at[i].input);
    }
    free(inputs.at);
    map_set(&r->of_binding, binding, r->groups.n);
    ARRAY_PUSH(r->groups, group);
}

// Whether a binding needs no other group; those that it needs and that are not there go to `open`.
static bool is_ready(relay_table *r, uint32_t binding)
{
    const uint32_t *passed;
    uint32_t n = trace_passed(r->t, binding, &passed);
    size_t before = r->open.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = binding_of(r->t, passed[i]);
        // Only what is older was passed on.
        if (next < binding && map_get(&r->of_binding, next) == MAP_ABSENT)
            ARRAY_PUSH(r->open, next);
    }
    return r->open.n == before;
}

relay_group iot_relays_of(relay_table *r, uint32_t binding)
{
    r->open.n = 0;
    ARRAY_PUSH(r->open, binding);
    while (r->open.n > 0) {
        uint32_t next = r->open.at[r->open.n - 1];
        if (map_get(&r->of_binding, next) != MAP_ABSENT) {
            r->open.n--;
        } else if (is_ready(r, next)) {
            r->open.n--;
            make_group(r, next);
        }
    }
    return r->groups.at[map_get(&r->of_binding, binding)];
}

// ---------------------------------------------------------------------------------------------
// In order

typedef struct {
    uint32_t at, number;
} relay_order;

static int by_at(const void *x, const void *y)
{
    const relay_order *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void iot_end_relays(relay_table *r, wait_graph *g)
{
    uint32_t n = (uint32_t)r->list.n, next = 0;
    relay_order *order = base_allocate(n, sizeof *order);
    uint32_t *numbers = base_allocate(n, sizeof *numbers);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (relay_order){r->list.at[i].at, i};
    if (n)
        qsort(order, n, sizeof *order, by_at);
    for (uint32_t i = 0; i < n; i++)
        numbers[order[i].number] = i;
    g->nrelays = n;
    g->relays = base_allocate((size_t)n + 1, sizeof *g->relays);
    g->inputs = base_allocate(r->inputs.n, sizeof *g->inputs);
    for (uint32_t i = 0; i < n; i++) {
        const relay *from = &r->list.at[order[i].number];
        g->relays[i] = (wait_relay){from->at, next};
        for (size_t k = from->first; k < from->first + from->n; k++) {
            uint64_t input = r->inputs.at[k];
            g->inputs[next++] =
                input < RELAY_INPUT ? (uint32_t)input : g->n + numbers[input - RELAY_INPUT];
        }
    }
    g->relays[n].first = next;
    for (uint32_t i = 0; i < g->nfar_waits; i++)
        g->far_waits[i].relay = numbers[g->far_waits[i].relay];
    free(order);
    free(numbers);
    free(r->list.at);
    free(r->inputs.at);
    free(r->groups.at);
    free(r->open.at);
    map_free(&r->of_binding);
}
