// SPDX-License-Identifier: MIT
//
// The two-pass rule: which sites the counts of an earlier run exclude from timing.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/totals/counters.h"

// ---- Writing --------------------------------------------------------------------------------

static const char *unit_name(const kpx_totals *t, const kpx_item *item)
{
    const char *name = item->kind == KPX_UNIT       ? item->name
                       : item->unit == KPX_NO_ITEM ? NULL
                                                   : kpx_totals_get_item(t, item->unit)->name;
    return name ? name : "";
}

// The file of an item, or else of its unit.
static const char *file_name(const kpx_totals *t, const kpx_item *item)
{
    uint32_t file = item->file;
    if (file == KPX_NO_ITEM && item->kind == KPX_LOOP && item->unit != KPX_NO_ITEM)
        file = kpx_totals_get_item(t, item->unit)->file;
    return file == KPX_NO_ITEM ? "" : kpx_base_name(kpx_totals_get_file(t, file));
}

static void write_count(FILE *out, int64_t count)
{
    if (count < 0)
        fputs("\t-", out);
    else
        fprintf(out, "\t%" PRId64, count);
}

// I/O statements are counted again: that costs little and gives units and files.
static void write_item(FILE *out, const kpx_totals *counts, uint32_t i)
{
    static const kpx_site_kind kinds[] = {
        [KPX_UNIT] = KPX_SITE_ROUTINE, [KPX_LOOP] = KPX_SITE_LOOP, [KPX_IO] = KPX_SITE_IO};
    const kpx_item *item = kpx_totals_get_item(counts, i);
    fprintf(out, "%d\t%" PRIu32 "\t%" PRIu32 "\t%s\t%s", kinds[item->kind], item->line, item->seq,
            unit_name(counts, item), file_name(counts, item));
    for (uint32_t node = 0; item->kind != KPX_IO && node < kpx_totals_nnodes(counts); node++) {
        kpx_measure m = kpx_totals_get(counts, i, node);
        write_count(out, m.times);
        write_count(out, m.rotation);
    }
    fputc('\n', out);
}

// A statement is an item for each unit and file that it reads or writes.
static bool is_same_statement(const kpx_item *a, const kpx_item *b)
{
    return a->kind == KPX_IO && b->kind == KPX_IO && a->unit == b->unit && a->file == b->file &&
           a->line == b->line && a->seq == b->seq && (a->line || a->seq);
}

// A report with narrow columns has stars for a large number. If the time is known and TIMES is not,
// the number did not fit.
static bool is_hot(const kpx_totals *counts, uint32_t i, int64_t limit)
{
    const kpx_item *item = kpx_totals_get_item(counts, i);
    if (item->kind == KPX_CALL)
        return false;
    for (uint32_t node = 0; node < kpx_totals_nnodes(counts); node++) {
        kpx_measure m = kpx_totals_get(counts, i, node);
        int64_t times = m.times;
        for (uint32_t k = 0; item->kind == KPX_IO && k < kpx_totals_nitems(counts); k++)
            if (k != i && is_same_statement(item, kpx_totals_get_item(counts, k)))
                kpx_add_amount(&times, kpx_totals_get(counts, k, node).times);
        if (times >= limit || (m.times < 0 && m.time >= 0))
            return true;
    }
    return false;
}

// Whether the known parts of the name identify one routine or loop.
static bool has_place(const kpx_totals *t, const kpx_item *item)
{
    bool named = *unit_name(t, item) != 0;
    return (item->line && (named || *file_name(t, item))) ||
           (named && (item->kind == KPX_UNIT || item->seq));
}

static bool write_items(FILE *out, const kpx_totals *counts, int64_t limit, char **ret_error)
{
    for (uint32_t i = 0; i < kpx_totals_nitems(counts); i++) {
        const kpx_item *item = kpx_totals_get_item(counts, i);
        if (!is_hot(counts, i, limit))
            continue;
        if (!has_place(counts, item)) {
            const char *unit = unit_name(counts, item);
            *ret_error =
                item->kind == KPX_UNIT
                    ? base_format("a routine that is executed often has no name")
                    : base_format("%s of %s that is executed often has neither LINE nor SEQ.",
                                  item->kind == KPX_LOOP ? "a loop" : "a statement for I/O",
                                  *unit ? unit : "no routine");
            return false;
        }
        write_item(out, counts, i);
    }
    return true;
}

bool kpx_write_suppressed(const kpx_totals *counts, int64_t limit, const char *folder,
                          char **ret_error)
{
    char *path = base_format("%s/" KPX_SUPPRESSED, folder);
    FILE *out = fopen(path, "we");
    bool good = out && write_items(out, counts, limit, ret_error);
    if ((out && fclose(out) != 0) || !out) {
        if (!*ret_error)
            *ret_error = base_format("%s: cannot write: %s", path, strerror(errno));
        good = false;
    }
    free(path);
    return good;
}

// ---- Reading --------------------------------------------------------------------------------

static char *take_text(const char **at, const char *end)
{
    size_t n;
    const char *field = kpx_take_field(at, end, &n);
    if (!field)
        return NULL;
    char *copy = base_allocate(n + 1, 1);
    memcpy(copy, field, n);
    return copy;
}

static void take_counts(const char *at, const char *end, kpx_suppressed *e)
{
    size_t n;
    const char *field;
    while ((field = kpx_take_field(&at, end, &n))) {
        uint64_t count = 0;
        const char *start = field;
        bool known = kpx_take_number(&start, field + n, &count) && count <= INT64_MAX;
        ARRAY_PUSH(e->counts, known ? (int64_t)count : KPX_UNOBSERVED);
    }
}

static bool take_line(const char *at, const char *end, kpx_suppressed *ret)
{
    uint64_t numbers[3];
    for (int i = 0; i < 3; i++)
        if (!kpx_take_number(&at, end, &numbers[i]) || numbers[i] > UINT32_MAX)
            return false;
    kpx_site_key *k = &ret->key;
    *ret = (kpx_suppressed){.key = {.kind = (uint32_t)numbers[0],
                                    .line = (uint32_t)numbers[1],
                                    .seq = (uint32_t)numbers[2]}};
    if (k->kind >= KPX_SITE_KINDS || !(k->routine = take_text(&at, end)))
        return false;
    if (!(k->file = take_text(&at, end))) {
        free(k->routine);
        return false;
    }
    take_counts(at, end, ret);
    return true;
}

void kpx_parse_suppressed(const char *text, size_t length, kpx_suppressed_list *ret)
{
    const char *end = text + length;
    *ret = (kpx_suppressed_list){0};
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        kpx_suppressed e;
        if (take_line(text, stop, &e))
            ARRAY_PUSH(*ret, e);
        text = stop + 1;
    }
}

// In files that were not built by kpx-bridge only executed statements are known.
static bool is_in(const kpx_counters *log, const kpx_site_key *k)
{
    bool built = k->kind != KPX_SITE_IO;
    for (uint32_t p = 0; p < log->processes.n; p++) {
        const kpx_site_list *list = &log->processes.at[p].list;
        for (uint32_t i = 0; i < list->sites.n; i++) {
            const kpx_listed_site *s = &list->sites.at[i];
            if (kpx_is_keyed(k, s->kind, s->line, s->seq, s->routine, s->file))
                return true;
            built = built || !*k->file || kpx_is_named(k->file, kpx_base_name(s->file));
        }
    }
    return !built;
}

// `loop 2 in PSH2 at psh2.f:34`
static char *place_of(const kpx_site_key *k)
{
    static const char *const kinds[] = {
        [KPX_SITE_ROUTINE] = "routine", [KPX_SITE_LOOP] = "loop", [KPX_SITE_IO] = "statement"};
    char *seq = k->seq ? base_format(" %" PRIu32, k->seq) : base_copy("");
    char *line = k->line ? base_format(":%" PRIu32, k->line) : base_copy("");
    char *place = base_format("%s%s%s%s%s%s%s", kinds[k->kind], seq,
                              k->kind != KPX_SITE_ROUTINE && *k->routine ? " of " : " ", k->routine,
                              *k->file || k->line ? " at " : "", k->file, line);
    free(seq);
    free(line);
    return place;
}

char *kpx_suppressed_strangers(const kpx_counters *log)
{
    uint32_t n = 0;
    const kpx_site_key *first = NULL;
    for (uint32_t i = 0; i < log->suppressed.n; i++) {
        const kpx_site_key *k = &log->suppressed.at[i].key;
        if (is_in(log, k))
            continue;
        first = first ? first : k;
        n++;
    }
    if (!first)
        return NULL;
    char *place = place_of(first);
    char *text = base_format("the counts name %s, which the program does not have%s", place,
                             n > 1 ? ", and others" : "");
    free(place);
    return text;
}

void kpx_suppressed_free(kpx_suppressed_list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        free(list->at[i].key.routine);
        free(list->at[i].key.file);
        free(list->at[i].counts.at);
    }
    free(list->at);
    *list = (kpx_suppressed_list){0};
}
