// SPDX-License-Identifier: MIT
//
// Reads @@k_tool.f66. Tables are read in a fixed order wherever they are in the file: sources,
// units, then the tables that name them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/reports/import_private.h"

typedef enum { NO_TABLE, UNITS, STATEMENTS, FILES, LOOPS, SOURCES } section;

typedef struct {
    kpx_reading *r;
    uint32_t node;
    ARRAY_OF(char *) names; // of files that were read or written
    base_map name_of;       // by logical unit: into names, or SEVERAL
} ktool;

enum { SEVERAL = UINT32_MAX - 1 };

static section title_of(const kpx_reading *r)
{
    static const struct {
        const char *title;
        section table;
    } titles[] = {
        {"PROGRAM UNIT RESULTS", UNITS}, {"I/O PROCESS RESULTS", STATEMENTS},
        {"I/O FILE RESULTS", FILES},     {"DO LOOP RESULTS", LOOPS},
        {"SOURCE FILE NAME(S)", SOURCES},
    };
    for (size_t i = 0; kpx_is_title(r) && i < sizeof titles / sizeof *titles; i++)
        if (kpx_has(r, titles[i].title))
            return titles[i].table;
    return NO_TABLE;
}

// A heading may be spread over lines.
static bool is_heading(const kpx_reading *r)
{
    static const char *const first[] = {"PROGRAM", "LINE", "FILE/*.f", "FILE", "UNIT"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (strcmp(r->words[0], first[i]) == 0)
            return r->n == 1 || kpx_has(r, "TIMES") || kpx_has(r, "SOURCE") ||
                   kpx_has(r, "FILE/*.f") || kpx_has(r, ":");
    return false;
}

// ---- Rows -------------------------------------------------------------------------------------

// `12345.678100.0`: a time that fills its column up to the share.
static void split_time(kpx_reading *r, uint32_t i)
{
    char *dot = i < r->n ? strchr(r->words[i], '.') : NULL;
    if (!dot || r->n == KPX_MOST_WORDS || strlen(dot) < 6 || !strchr(dot + 1, '.'))
        return;
    size_t n = (size_t)(dot + 4 - r->words[i]);
    if (n >= sizeof r->half)
        return;
    memcpy(r->half, r->words[i], n); // the two halves touch: the first is copied
    r->half[n] = '\0';
    memmove(&r->words[i + 2], &r->words[i + 1], (r->n - i - 1) * sizeof *r->words);
    r->words[i + 1] = r->words[i] + n;
    r->words[i] = r->half;
    r->n++;
}

static bool is_behind_row(const char *word)
{
    return *word == '.' || *word == '(' || (unsigned char)*word >= 0x80;
}

// TIMES, TIME:SEC, % and, if they are there, LINE and FILE/*.f, from the i-th word on.
static bool get_rest(kpx_reading *r, uint32_t i, kpx_item *item, kpx_measure *m)
{
    split_time(r, i + 1);
    if (r->n < i + 3)
        return kpx_bad_line(r, "fewer columns than the table has");
    if (!kpx_get_count(r, r->words[i], "TIMES", &m->times) ||
        !kpx_get_decimal(r, r->words[i + 1], "TIME:SEC", 9, &m->time) ||
        !kpx_get_decimal(r, r->words[i + 2], "%", 3, &item->reported.share))
        return false;
    if (r->n > i + 3 && is_behind_row(r->words[i + 3]))
        return true;
    if (r->n > i + 3 && !kpx_get_small(r, r->words[i + 3], "LINE", &item->line))
        return false;
    if (r->n > i + 4 && !is_behind_row(r->words[i + 4]))
        item->file = kpx_totals_file(r->totals, kpx_get_file(r->words[i + 4]));
    if (r->n > i + 5 && !is_behind_row(r->words[i + 5]))
        return kpx_bad_line(r, "more columns than the table has");
    return true;
}

static void add(ktool *k, const kpx_item *item, const kpx_measure *m)
{
    uint32_t index = kpx_totals_add_item(k->r->totals, item);
    *kpx_totals_measure(k->r->totals, index, k->node) = *m;
}

static const kpx_measure nothing = {KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED,
                                    KPX_UNOBSERVED};

static bool get_unit(ktool *k)
{
    kpx_item item = kpx_item_of(KPX_UNIT);
    kpx_measure m = nothing;
    if (!get_rest(k->r, 1, &item, &m))
        return false;
    item.name = kpx_get_name(k->r->words[0]);
    add(k, &item, &m);
    return true;
}

// The unit of that name. If no table has it, it was not measured.
static uint32_t unit_named(kpx_totals *t, const char *name)
{
    if (!name)
        return KPX_NO_ITEM;
    uint32_t unit = kpx_totals_find_unit(t, name);
    kpx_item item = kpx_item_of(KPX_UNIT);
    item.name = name;
    return unit == KPX_NO_ITEM ? kpx_totals_add_item(t, &item) : unit;
}

// Where TIMES stands: a number, followed by two with decimals.
static uint32_t find_times(const kpx_reading *r, uint32_t least)
{
    static const char digits[] = "-*0123456789.";
    for (uint32_t i = least; i + 2 < r->n; i++)
        if (!r->words[i][strspn(r->words[i], "-*0123456789")] &&
            !r->words[i + 1][strspn(r->words[i + 1], digits)] &&
            !r->words[i + 2][strspn(r->words[i + 2], digits)] && !strchr(r->words[i], '.'))
            return i;
    return r->n;
}

// UNIT NO.: a number, or words, which are joined in `text`.
static void get_unit_number(kpx_reading *r, uint32_t from, uint32_t to, char *text, size_t size,
                            kpx_item *item)
{
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = from; i < to && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i > from ? " " : "", r->words[i]);
    if (*text && !text[strspn(text, "0123456789")] && strlen(text) < 10)
        item->number = atoll(text);
    else if (*text)
        item->label = kpx_get_name(text);
}

static bool get_statement(ktool *k)
{
    kpx_reading *r = k->r;
    char text[128];
    kpx_item item = kpx_item_of(KPX_IO);
    kpx_measure m = nothing;
    uint32_t times = r->n == 9 ? 4 : find_times(r, 3);
    if (times < 3 || times == r->n)
        return kpx_bad_line(r, "fewer columns than the table has");
    if (!kpx_get_small(r, r->words[1], "SEQ.", &item.seq) || !get_rest(r, times, &item, &m))
        return false;
    item.unit = unit_named(r->totals, kpx_get_name(r->words[0]));
    item.type = kpx_get_name(r->words[times - 1]);
    get_unit_number(r, 2, times - 1, text, sizeof text, &item);
    uint64_t name = item.number >= 0 ? map_get(&k->name_of, (uint64_t)item.number) : SEVERAL;
    if (name != MAP_ABSENT && name != SEVERAL)
        item.name = k->names.at[name];
    add(k, &item, &m);
    return true;
}

static bool add_file(ktool *k, const kpx_item *item, uint32_t times, const char *name)
{
    kpx_reading *r = k->r;
    kpx_data_file file = {name, item->label, item->number, KPX_UNOBSERVED};
    kpx_measure m = nothing;
    if (!kpx_get_count(r, r->words[times], "TIMES", &m.times) ||
        !kpx_get_decimal(r, r->words[times + 1], "TIME:SEC", 9, &m.time) ||
        !kpx_get_decimal(r, r->words[times + 2], "%", 3, &file.share))
        return false;
    uint32_t index = kpx_totals_add_data_file(r->totals, &file);
    *kpx_totals_data_measure(r->totals, index, k->node) = m;
    return true;
}

// Names of files by logical unit. If a unit had several files, its name is unknown.
static bool get_file(ktool *k)
{
    kpx_reading *r = k->r;
    kpx_item item = kpx_item_of(KPX_IO);
    char text[128];
    uint32_t times = r->n == 5 ? 1 : find_times(r, 1);
    if (times == r->n)
        return kpx_bad_line(r, "fewer columns than the table has");
    get_unit_number(r, 0, times, text, sizeof text, &item);
    const char *name = times + 3 < r->n ? kpx_get_name(r->words[times + 3]) : NULL;
    if (!add_file(k, &item, times, name))
        return false;
    if (item.number < 0)
        return true;
    uint64_t key = (uint64_t)item.number;
    if (map_get(&k->name_of, key) != MAP_ABSENT || !name) {
        map_set(&k->name_of, key, SEVERAL);
    } else {
        map_set(&k->name_of, key, k->names.n);
        ARRAY_PUSH(k->names, base_copy(name));
    }
    return true;
}

// The column T: it follows a label, or the number before the label. MEAN:ROT is the first with
// decimals.
static uint32_t find_definite(const kpx_reading *r)
{
    for (uint32_t i = 4; i < 6 && i < r->n; i++)
        if (strchr(r->words[i], '.'))
            return i - 2;
    return r->n == 8 || r->n == 10 ? 2 : 3;
}

static bool get_loop(ktool *k)
{
    kpx_reading *r = k->r;
    kpx_item item = kpx_item_of(KPX_LOOP);
    kpx_measure m = nothing;
    int64_t definite, mean;
    uint32_t i = find_definite(r);
    if (r->n < 8)
        return kpx_bad_line(r, "fewer columns than the table has");
    if (!kpx_get_small(r, r->words[1], "SEQ.", &item.seq) ||
        !kpx_get_count(r, r->words[i], "T", &definite) ||
        !kpx_get_count(r, r->words[i + 1], "ROTATION", &m.rotation) ||
        !kpx_get_decimal(r, r->words[i + 2], "MEAN:ROT", 1, &mean) ||
        !get_rest(r, i + 3, &item, &m))
        return false;
    if (definite > 1)
        return kpx_bad_line(r, "T: `%.40s` is neither 0 nor 1", r->words[i]);
    item.unit = unit_named(r->totals, kpx_get_name(r->words[0]));
    item.label = i == 3 ? kpx_get_name(r->words[2]) : NULL;
    item.definite = (int)definite;
    add(k, &item, &m);
    return true;
}

// False also where the table ends.
static bool get_source(ktool *k)
{
    const kpx_reading *r = k->r;
    if (r->n < 2 || r->words[0][strspn(r->words[0], "0123456789")])
        return false;
    kpx_totals_add_file(k->r->totals, kpx_base_name(r->words[1]));
    return true;
}

// ---- Tables -----------------------------------------------------------------------------------

static const kpx_item_kind kinds[] = {
    [UNITS] = KPX_UNIT, [STATEMENTS] = KPX_IO, [FILES] = KPX_IO, [LOOPS] = KPX_LOOP};

// The sum below a table stands alone; it ends the table.
static bool is_total(const kpx_reading *r)
{
    const char *word = r->words[0];
    return (r->n == 1 || is_behind_row(r->words[1])) && !word[strspn(word, "-*0123456789.")];
}

static bool take_total(ktool *k, section table)
{
    int64_t total;
    if (!kpx_get_decimal(k->r, k->r->words[0], "the sum", 9, &total))
        return false;
    if (table == FILES)
        kpx_totals_report_data_total(k->r->totals, total);
    else
        kpx_totals_report_total(k->r->totals, kinds[table], total);
    return true;
}

// Reads the rows of one table and skips others.
static bool read_table(ktool *k, section table, bool (*get)(ktool *))
{
    kpx_reading *r = k->r;
    section now = NO_TABLE;
    kpx_rewind(r);
    while (kpx_next_line(r)) {
        section title = title_of(r);
        if (title != NO_TABLE) {
            now = title;
            if (now == table && table != SOURCES)
                kpx_totals_observe(r->totals, kinds[table]);
        } else if (now != table || kpx_is_remark(r) || is_heading(r)) {
            continue;
        } else if (table == SOURCES) {
            now = get(k) ? now : NO_TABLE;
        } else if (is_total(r)) {
            now = NO_TABLE;
            if (!take_total(k, table))
                return false;
        } else if (!get(k)) {
            return false;
        }
    }
    return true;
}

bool kpx_import_ktool(kpx_reading *r)
{
    ktool k = {.r = r};
    k.node = kpx_totals_add_node(r->totals, &(kpx_node){KPX_UNOBSERVED, KPX_UNOBSERVED,
                                                        KPX_UNOBSERVED, KPX_UNOBSERVED,
                                                        KPX_UNOBSERVED});
    bool good = read_table(&k, SOURCES, get_source) && read_table(&k, UNITS, get_unit) &&
                read_table(&k, FILES, get_file) && read_table(&k, STATEMENTS, get_statement) &&
                read_table(&k, LOOPS, get_loop);
    kpx_totals_sum_data_files(r->totals);
    for (uint32_t i = 0; i < k.names.n; i++)
        free(k.names.at[i]);
    free(k.names.at);
    map_free(&k.name_of);
    return good;
}
