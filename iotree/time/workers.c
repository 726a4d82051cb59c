// SPDX-License-Identifier: MIT
//
// What each worker did, by real time.
#include "base/array.h"
#include "base/table.h"
#include "iotree/time/profile.h"
#include "profiler/workers.h"

#include <stdlib.h>

static uint32_t module_of(const iot *a, uint32_t reduction)
{
    return a->processes[process_of(a, reduction)].module;
}

static int by_place(const void *x, const void *y)
{
    const iot_worker_row *a = x, *b = y;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->module < b->module ? -1 : a->module > b->module;
}

typedef ARRAY_OF(iot_worker_row) row_list;

// Workers that made no reduction have a row each, too.
static void add_idle_workers(const iot *a, row_list *rows)
{
    const trace_worker *workers;
    uint32_t threads = trace_get_workers(a->t, &workers), places = trace_nplaces(a->t);
    uint32_t n = threads > places ? threads : places;
    bool *seen = base_allocate(n, sizeof *seen);
    for (uint32_t i = 0; i < rows->n; i++)
        if (rows->at[i].place < n)
            seen[rows->at[i].place] = true;
    for (uint32_t i = 0; i < n; i++)
        if (!seen[i])
            ARRAY_PUSH(*rows, (iot_worker_row){.place = i, .module = IOT_NONE});
    free(seen);
}

// A damaged trace may name many places, so only pairs of a worker and a module that occur have rows.
static void ensure_workers(iot *a)
{
    if (a->workers.known)
        return;
    base_map known = {0};
    row_list rows = {0};
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t place = trace_place(a->t, r), module = module_of(a, r);
        uint64_t *index = map_at(&known, (uint64_t)place << 32 | module);
        if (*index == MAP_ABSENT) {
            *index = rows.n;
            ARRAY_PUSH(rows, (iot_worker_row){.place = place, .module = module});
        }
        iot_worker_row *row = &rows.at[*index];
        row->reductions++;
        row->time += (uint64_t)(trace_end(a->t, r) - trace_start(a->t, r));
    }
    map_free(&known);
    add_idle_workers(a, &rows);
    if (rows.n > 0)
        qsort(rows.at, rows.n, sizeof *rows.at, by_place);
    a->workers.rows = rows.at;
    a->workers.n = (uint32_t)rows.n;
    a->workers.known = true;
}

uint32_t iot_nworker_rows(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    ensure_workers(a);
    pthread_mutex_unlock(&a->lock);
    return a->workers.n;
}

const iot_worker_row *iot_get_worker_row(const iot *a, uint32_t i)
{
    return &a->workers.rows[i];
}
