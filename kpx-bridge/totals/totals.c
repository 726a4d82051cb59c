// SPDX-License-Identifier: MIT
//
// Indices of items by all that they agree in, and measures by item and node.
#include "kpx-bridge/totals/totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "kpx-bridge/log/names.h"

struct kpx_totals {
    char *program;
    kpx_totals_clock clock;
    bool observed[KPX_ITEM_KINDS], messages_observed;
    int64_t reported[KPX_ITEM_KINDS];
    ARRAY_OF(kpx_node) nodes;
    ARRAY_OF(char *) files;
    ARRAY_OF(kpx_item) items; // texts are their own
    ARRAY_OF(kpx_measure) measures;
    ARRAY_OF(kpx_traffic) traffic;
    ARRAY_OF(kpx_data_file) data_files;
    ARRAY_OF(kpx_measure) data_measures;
    int64_t data_reported;
    base_map data_measure_of;  // file << 32 | node
    base_map file_of, item_of; // by hash of what they are
    base_map unit_of;          // the first of each name
    base_map measure_of;       // item << 32 | node
    base_map traffic_of;       // from << 32 | to
};

kpx_totals *kpx_totals_create(const char *program, kpx_totals_clock clock)
{
    kpx_totals *t = base_allocate(1, sizeof *t);
    t->program = base_copy(program);
    t->clock = clock;
    for (int i = 0; i < KPX_ITEM_KINDS; i++)
        t->reported[i] = KPX_UNOBSERVED;
    t->data_reported = KPX_UNOBSERVED;
    return t;
}

void kpx_totals_destroy(kpx_totals *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->files.n; i++)
        free(t->files.at[i]);
    for (uint32_t i = 0; i < t->items.n; i++) {
        free((char *)t->items.at[i].name);
        free((char *)t->items.at[i].type);
        free((char *)t->items.at[i].label);
    }
    for (uint32_t i = 0; i < t->data_files.n; i++) {
        free((char *)t->data_files.at[i].name);
        free((char *)t->data_files.at[i].label);
    }
    map_free(&t->data_measure_of);
    free(t->data_files.at);
    free(t->data_measures.at);
    map_free(&t->file_of);
    map_free(&t->item_of);
    map_free(&t->unit_of);
    map_free(&t->measure_of);
    map_free(&t->traffic_of);
    free(t->program);
    free(t->nodes.at);
    free(t->files.at);
    free(t->items.at);
    free(t->measures.at);
    free(t->traffic.at);
    free(t);
}

void kpx_totals_observe(kpx_totals *t, kpx_item_kind kind)
{
    t->observed[kind] = true;
}

void kpx_totals_observe_messages(kpx_totals *t)
{
    t->messages_observed = true;
}

void kpx_totals_report_total(kpx_totals *t, kpx_item_kind kind, int64_t nanoseconds)
{
    t->reported[kind] = nanoseconds;
}

uint32_t kpx_totals_add_node(kpx_totals *t, const kpx_node *node)
{
    ARRAY_PUSH(t->nodes, *node);
    return t->nodes.n - 1;
}

// ---- Files and items: found again by what they are --------------------------------------------

// The file, or KPX_NO_ITEM and the key for a new one.
static uint32_t find_file(const kpx_totals *t, const char *path, uint64_t *ret_key)
{
    for (*ret_key = kpx_hash_text(0, path);; ++*ret_key) {
        uint64_t known = map_get(&t->file_of, *ret_key);
        if (known == MAP_ABSENT)
            return KPX_NO_ITEM;
        if (strcmp(t->files.at[known], path) == 0)
            return known;
    }
}

uint32_t kpx_totals_add_file(kpx_totals *t, const char *path)
{
    uint64_t key;
    if (find_file(t, path, &key) == KPX_NO_ITEM)
        map_set(&t->file_of, key, t->files.n);
    ARRAY_PUSH(t->files, base_copy(path));
    return t->files.n - 1;
}

uint32_t kpx_totals_file(kpx_totals *t, const char *path)
{
    uint64_t key;
    uint32_t known = path ? find_file(t, path, &key) : KPX_NO_ITEM;
    return path && known == KPX_NO_ITEM ? kpx_totals_add_file(t, path) : known;
}

kpx_item kpx_item_of(kpx_item_kind kind)
{
    return (kpx_item){.kind = kind,
                      .unit = KPX_NO_ITEM,
                      .file = KPX_NO_ITEM,
                      .number = KPX_UNOBSERVED,
                      .definite = -1,
                      .reported = {KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED}};
}

static uint64_t hash_item(const kpx_item *item)
{
    uint64_t numbers[] = {item->kind, item->unit,   item->file,
                          item->line, item->seq, (uint64_t)item->number, (uint64_t)item->definite};
    uint64_t hash = hash_bytes(0, numbers, sizeof numbers);
    return kpx_hash_text(kpx_hash_text(kpx_hash_text(hash, item->name), item->type), item->label);
}

static bool same_item(const kpx_item *x, const kpx_item *y)
{
    return x->kind == y->kind && x->unit == y->unit && x->file == y->file && x->line == y->line &&
           x->seq == y->seq && x->number == y->number && x->definite == y->definite &&
           kpx_same_text(x->name, y->name) && kpx_same_text(x->type, y->type) &&
           kpx_same_text(x->label, y->label);
}

static char *copy_or_null(const char *text)
{
    return text ? base_copy(text) : NULL;
}

// The first unit of that name, or KPX_NO_ITEM and the key for a new one.
static uint32_t find_unit(const kpx_totals *t, const char *name, uint64_t *ret_key)
{
    for (*ret_key = kpx_hash_text(0, name);; ++*ret_key) {
        uint64_t known = map_get(&t->unit_of, *ret_key);
        if (known == MAP_ABSENT)
            return KPX_NO_ITEM;
        if (kpx_same_text(t->items.at[known].name, name))
            return known;
    }
}

uint32_t kpx_totals_find_unit(const kpx_totals *t, const char *name)
{
    uint64_t key;
    return find_unit(t, name, &key);
}

uint32_t kpx_totals_add_item(kpx_totals *t, const kpx_item *item)
{
    uint64_t key;
    if (item->kind == KPX_UNIT && find_unit(t, item->name, &key) == KPX_NO_ITEM)
        map_set(&t->unit_of, key, t->items.n);
    kpx_item copy = *item;
    copy.name = copy_or_null(item->name);
    copy.type = copy_or_null(item->type);
    copy.label = copy_or_null(item->label);
    ARRAY_PUSH(t->items, copy);
    return t->items.n - 1;
}

uint32_t kpx_totals_item(kpx_totals *t, const kpx_item *item)
{
    uint64_t key = hash_item(item);
    for (;; key++) {
        uint64_t known = map_get(&t->item_of, key);
        if (known == MAP_ABSENT)
            break;
        if (same_item(&t->items.at[known], item))
            return known;
    }
    map_set(&t->item_of, key, t->items.n);
    return kpx_totals_add_item(t, item);
}

// ---- Measures ---------------------------------------------------------------------------------

static const kpx_measure nothing = {KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED,
                                    KPX_UNOBSERVED};

kpx_measure *kpx_totals_measure(kpx_totals *t, uint32_t item, uint32_t node)
{
    uint64_t key = (uint64_t)item << 32 | node;
    uint64_t known = map_get(&t->measure_of, key);
    if (known == MAP_ABSENT) {
        known = t->measures.n;
        map_set(&t->measure_of, key, known);
        ARRAY_PUSH(t->measures, nothing);
        t->observed[t->items.at[item].kind] = true;
    }
    return &t->measures.at[known];
}

kpx_measure *kpx_totals_data_measure(kpx_totals *t, uint32_t file, uint32_t node)
{
    uint64_t key = (uint64_t)file << 32 | node;
    uint64_t known = map_get(&t->data_measure_of, key);
    if (known == MAP_ABSENT) {
        known = t->data_measures.n;
        map_set(&t->data_measure_of, key, known);
        ARRAY_PUSH(t->data_measures, nothing);
    }
    return &t->data_measures.at[known];
}

kpx_measure kpx_totals_get_data(const kpx_totals *t, uint32_t file, uint32_t node)
{
    uint64_t known = map_get(&t->data_measure_of, (uint64_t)file << 32 | node);
    return known == MAP_ABSENT ? nothing : t->data_measures.at[known];
}

uint32_t kpx_totals_add_data_file(kpx_totals *t, const kpx_data_file *file)
{
    kpx_data_file copy = *file;
    copy.name = copy_or_null(file->name);
    copy.label = copy_or_null(file->label);
    ARRAY_PUSH(t->data_files, copy);
    return t->data_files.n - 1;
}

void kpx_totals_report_data_total(kpx_totals *t, int64_t nanoseconds)
{
    t->data_reported = nanoseconds;
}

kpx_measure kpx_totals_get(const kpx_totals *t, uint32_t item, uint32_t node)
{
    uint64_t known = map_get(&t->measure_of, (uint64_t)item << 32 | node);
    return known == MAP_ABSENT ? nothing : t->measures.at[known];
}

void kpx_add_amount(int64_t *sum, int64_t number)
{
    if (number < 0)
        return;
    if (*sum < 0)
        *sum = number;
    else if (__builtin_add_overflow(*sum, number, sum))
        *sum = INT64_MAX;
}

kpx_measure kpx_totals_sum(const kpx_totals *t, uint32_t item)
{
    kpx_measure sum = nothing;
    for (uint32_t i = 0; i < t->nodes.n; i++) {
        kpx_measure m = kpx_totals_get(t, item, i);
        kpx_add_amount(&sum.times, m.times);
        kpx_add_amount(&sum.time, m.time);
        kpx_add_amount(&sum.inclusive, m.inclusive);
        kpx_add_amount(&sum.rotation, m.rotation);
        kpx_add_amount(&sum.bytes, m.bytes);
    }
    return sum;
}

void kpx_totals_message(kpx_totals *t, uint32_t from, uint32_t to, int64_t messages, int64_t bytes)
{
    uint64_t key = (uint64_t)from << 32 | to;
    uint64_t known = map_get(&t->traffic_of, key);
    t->messages_observed = true;
    if (known == MAP_ABSENT) {
        map_set(&t->traffic_of, key, t->traffic.n);
        ARRAY_PUSH(t->traffic, ((kpx_traffic){from, to, messages, bytes}));
        return;
    }
    kpx_add_amount(&t->traffic.at[known].messages, messages);
    kpx_add_amount(&t->traffic.at[known].bytes, bytes);
}

// ---- Asking -----------------------------------------------------------------------------------

const char *kpx_totals_program(const kpx_totals *t)
{
    return t->program;
}

kpx_totals_clock kpx_totals_get_clock(const kpx_totals *t)
{
    return t->clock;
}

uint32_t kpx_totals_nnodes(const kpx_totals *t)
{
    return t->nodes.n;
}

uint32_t kpx_totals_nfiles(const kpx_totals *t)
{
    return t->files.n;
}

uint32_t kpx_totals_nitems(const kpx_totals *t)
{
    return t->items.n;
}

uint32_t kpx_totals_ntraffic(const kpx_totals *t)
{
    return t->traffic.n;
}

const kpx_node *kpx_totals_get_node(const kpx_totals *t, uint32_t node)
{
    return &t->nodes.at[node];
}

const char *kpx_totals_get_file(const kpx_totals *t, uint32_t file)
{
    return t->files.at[file];
}

const kpx_item *kpx_totals_get_item(const kpx_totals *t, uint32_t item)
{
    return &t->items.at[item];
}

uint32_t kpx_totals_ndata_files(const kpx_totals *t)
{
    return t->data_files.n;
}

const kpx_data_file *kpx_totals_get_data_file(const kpx_totals *t, uint32_t file)
{
    return &t->data_files.at[file];
}

int64_t kpx_totals_reported_data_total(const kpx_totals *t)
{
    return t->data_reported;
}

const kpx_traffic *kpx_totals_get_traffic(const kpx_totals *t, uint32_t i)
{
    return &t->traffic.at[i];
}

bool kpx_totals_observed(const kpx_totals *t, kpx_item_kind kind)
{
    return t->observed[kind];
}

bool kpx_totals_messages_observed(const kpx_totals *t)
{
    return t->messages_observed;
}

int64_t kpx_totals_reported_total(const kpx_totals *t, kpx_item_kind kind)
{
    return t->reported[kind];
}

// ---- Files that were read and written: sums of statements ---------------------------------------

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

// By unit number, then name, then the unit as the source has it.
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
