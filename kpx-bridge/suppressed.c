// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/measured.h"

static const char *unit_name(const kpx_totals *t, const kpx_item *item)
{
    return item->kind == KPX_UNIT       ? item->name
           : item->unit == KPX_NO_ITEM ? NULL
                                       : kpx_totals_get_item(t, item->unit)->name;
}

static void write_counts(FILE *out, const kpx_totals *counts, uint32_t item)
{
    for (uint32_t node = 0; node < kpx_totals_nnodes(counts); node++) {
        kpx_measure m = kpx_totals_get(counts, item, node);
        fprintf(out, "\t%" PRId64 "\t%" PRId64, m.times < 0 ? 0 : m.times,
                m.rotation < 0 ? 0 : m.rotation);
    }
    fputc('\n', out);
}

bool kpx_write_suppressed(const kpx_totals *counts, int64_t limit, const char *folder)
{
    char *path = kpx_text("%s/" KPX_SUPPRESSED, folder);
    FILE *out = fopen(path, "we");
    free(path);
    if (!out)
        return false;
    for (uint32_t i = 0; i < kpx_totals_nitems(counts); i++) {
        const kpx_item *item = kpx_totals_get_item(counts, i);
        const char *unit = unit_name(counts, item);
        bool hot = false;
        for (uint32_t node = 0; node < kpx_totals_nnodes(counts) && !hot; node++)
            hot = kpx_totals_get(counts, i, node).times >= limit;
        if (!hot || !unit || item->file == KPX_NO_ITEM ||
            (item->kind != KPX_UNIT && item->kind != KPX_LOOP))
            continue;
        fprintf(out, "%d\t%" PRIu32 "\t%s\t%s",
                item->kind == KPX_UNIT ? KPX_SITE_ROUTINE : KPX_SITE_LOOP, item->line, unit,
                kpx_base_name(kpx_totals_get_file(counts, item->file)));
        write_counts(out, counts, i);
    }
    return fclose(out) == 0;
}

static char *take_text(const char **at, const char *end)
{
    size_t n;
    const char *field = kpx_take_field(at, end, &n);
    if (!field)
        return NULL;
    char *copy = kpx_allocate(n + 1);
    memcpy(copy, field, n);
    return copy;
}

void kpx_parse_suppressed(const char *text, size_t length, kpx_suppressed_list *ret)
{
    const char *end = text + length;
    *ret = (kpx_suppressed_list){0};
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        const char *at = text;
        uint64_t kind = 0, line = 0, count;
        kpx_suppressed e = {0};
        if (kpx_take_number(&at, stop, &kind) && kpx_take_number(&at, stop, &line) &&
            kind < KPX_SITE_KINDS && (e.unit = take_text(&at, stop)) &&
            (e.file = take_text(&at, stop))) {
            e.kind = (kpx_site_kind)kind;
            e.line = (uint32_t)line;
            while (kpx_take_number(&at, stop, &count))
                KPX_PUSH(e.counts, count);
            KPX_PUSH(*ret, e);
        } else {
            free(e.unit);
        }
        text = stop + 1;
    }
}

void kpx_suppressed_free(kpx_suppressed_list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        free(list->at[i].unit);
        free(list->at[i].file);
        free(list->at[i].counts.at);
    }
    free(list->at);
    *list = (kpx_suppressed_list){0};
}
