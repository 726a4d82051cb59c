// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as a report of ktool or mtool. What is read is written as a report,
// which must be readable again.
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/reports/import.h"
#include "kpx-bridge/reports/report.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

static void again(const kpx_totals *t)
{
    size_t size;
    char *error = NULL, *text = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    if (kpx_totals_observed(t, KPX_CALL))
        kpx_write_mtool(t, out);
    else
        kpx_write_ktool(t, KPX_ALL_NODES, out);
    if (fclose(out) != 0)
        abort();
    kpx_totals *back = kpx_import(text, size, "input", &error);
    if (!back || kpx_totals_nnodes(back) != kpx_totals_nnodes(t))
        abort();
    free(text);
    kpx_totals_destroy(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    kpx_totals *t = kpx_import((const char *)data, size, "input", &error);
    if (!t && (!error || strncmp(error, "line ", 5) != 0))
        abort();
    free(error);
    if (!t)
        return 0;
    if (kpx_totals_nnodes(t) < 64)
        again(t);
    kpx_totals_destroy(t);
    return 0;
}
