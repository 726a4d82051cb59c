// SPDX-License-Identifier: MIT
//
// What was read and written, by file: sums of statements for input and output.
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/totals/totals.h"

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

// By unit, then name; a unit that is no number by how the source has it.
static int by_file(const void *x, const void *y, void *data)
{
    const kpx_item *a = kpx_totals_get_item(data, *(const uint32_t *)x);
    const kpx_item *b = kpx_totals_get_item(data, *(const uint32_t *)y);
    int names = compare_texts(a->name, b->name), labels = compare_texts(a->label, b->label);
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return names ? names : labels;
}

static bool same_file(const kpx_item *a, const kpx_item *b)
{
    return a->number == b->number && compare_texts(a->name, b->name) == 0 &&
           (a->name || compare_texts(a->label, b->label) == 0);
}

static void add_statement(kpx_totals *t, uint32_t file, uint32_t item)
{
    for (uint32_t node = 0; node < kpx_totals_nnodes(t); node++) {
        kpx_measure m = kpx_totals_get(t, item, node);
        if (m.times < 0 && m.time < 0)
            continue;
        kpx_measure *sum = kpx_totals_data_measure(t, file, node);
        kpx_add_amount(&sum->times, m.times);
        kpx_add_amount(&sum->time, m.time);
        kpx_add_amount(&sum->bytes, m.bytes);
    }
}

void kpx_totals_sum_data_files(kpx_totals *t)
{
    ARRAY_OF(uint32_t) items = {0};
    uint32_t file = 0;
    for (uint32_t i = 0; i < kpx_totals_nitems(t) && kpx_totals_ndata_files(t) == 0; i++)
        if (kpx_totals_get_item(t, i)->kind == KPX_IO)
            ARRAY_PUSH(items, i);
    if (items.n > 0)
        qsort_r(items.at, items.n, sizeof *items.at, by_file, t);
    for (uint32_t i = 0; i < items.n; i++) {
        const kpx_item *item = kpx_totals_get_item(t, items.at[i]);
        if (i == 0 || !same_file(kpx_totals_get_item(t, items.at[i - 1]), item))
            file = kpx_totals_add_data_file(
                t, &(kpx_data_file){item->name, item->label, item->number, KPX_UNOBSERVED});
        add_statement(t, file, items.at[i]);
    }
    free(items.at);
}
