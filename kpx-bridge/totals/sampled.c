// SPDX-License-Identifier: MIT
#include "kpx-bridge/totals/sampled.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/table.h"
#include "kpx-bridge/log/demangle.h"
#include "kpx-bridge/log/file.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/log/samples.h"

// Samples of one process in one line of a function.
typedef struct {
    uint32_t process, line;
    const char *function, *file; // or NULL
    uint64_t time;
} spot;

typedef struct {
    const kpx_logs *logs;
    ARRAY_OF(spot) spots;
    base_map spot_of_address; // by process and address
    base_map spot_of_place;   // by hash of what it is
} sampling;

static char *path_of(const char *folder)
{
    return base_format("%s/" KPX_SAMPLES, folder);
}

bool kpx_has_samples(const char *folder)
{
    char *path = path_of(folder);
    bool has = access(path, R_OK) == 0;
    free(path);
    return has;
}

// The process that ran then: numbers are used again, and a process may become another program.
static uint32_t process_of(const kpx_logs *logs, const kpx_sample *s)
{
    for (uint32_t i = logs->processes.n; i-- > 0;) {
        const kpx_process_log *p = &logs->processes.at[i];
        if (p->pid == s->pid && p->begin <= s->time && (!p->end || s->time <= p->end))
            return i;
    }
    return UINT32_MAX;
}

static bool is_same(const spot *a, const spot *b)
{
    return a->process == b->process && a->line == b->line && kpx_same_text(a->function, b->function) &&
           kpx_same_text(a->file, b->file);
}

static uint32_t find_spot(sampling *f, const spot *s)
{
    uint64_t key = kpx_hash_text((uint64_t)s->process << 32 | s->line, s->function), at;
    key = kpx_hash_text(key, s->file);
    for (; (at = map_get(&f->spot_of_place, key)) != MAP_ABSENT; key++)
        if (is_same(&f->spots.at[at], s))
            return (uint32_t)at;
    map_set(&f->spot_of_place, key, f->spots.n);
    ARRAY_PUSH(f->spots, *s);
    return f->spots.n - 1;
}

static uint32_t spot_at(sampling *f, uint32_t process, uint64_t address)
{
    uint64_t key = address ^ ((uint64_t)process + 1) * 0x9e3779b97f4a7c15u;
    uint64_t known = map_get(&f->spot_of_address, key);
    if (known != MAP_ABSENT)
        return (uint32_t)known;
    kpx_symbols *symbols = f->logs->processes.at[process].symbols;
    // It is asked for calls, by where they return to.
    kpx_source_place place = kpx_symbols_find(symbols, address + 1);
    const char *function = NULL;
    kpx_symbols_functions(symbols, address + 1, &function, 1);
    function = function ? function : place.function ? place.function : place.image;
    known = find_spot(f, &(spot){process, place.line, function, place.file, 0});
    map_set(&f->spot_of_address, key, known);
    return (uint32_t)known;
}

static int by_function(const void *a, const void *b)
{
    const spot *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    int names = strcmp(x->function ? x->function : "", y->function ? y->function : "");
    int files = names ? names : strcmp(x->file ? x->file : "", y->file ? y->file : "");
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

// Of all programs that the process was one after the other. KPX_UNOBSERVED: of one it is not known.
static int64_t elapsed_of(const kpx_logs *logs, uint32_t pid)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        const kpx_process_log *p = &logs->processes.at[i];
        if (p->pid == pid && (p->begin == 0 || p->end <= p->begin))
            return KPX_UNOBSERVED;
        sum += p->pid == pid ? (int64_t)(p->end - p->begin) : 0;
    }
    return sum;
}

static uint32_t node_of(kpx_totals *t, const kpx_logs *logs, const kpx_process_log *p)
{
    for (uint32_t i = 0; i < kpx_totals_nnodes(t); i++)
        if (kpx_totals_get_node(t, i)->pid == p->pid)
            return i;
    return kpx_totals_add_node(t, &(kpx_node){.rank = p->rank >= 0 ? p->rank : KPX_UNOBSERVED,
                                              .pid = p->pid,
                                              .thread = KPX_UNOBSERVED,
                                              .elapsed = elapsed_of(logs, p->pid),
                                              .overhead = KPX_UNOBSERVED});
}

// The function of the spots from the first one on.
static void add_function(kpx_totals *t, const spot *first, uint32_t n, uint32_t node)
{
    uint64_t time = 0, most = 0;
    char *name = first->function ? kpx_demangle(kpx_base_name(first->function)) : base_copy("unknown");
    kpx_item item = kpx_item_of(KPX_UNIT);
    for (uint32_t i = 0; i < n; i++) {
        time += first[i].time;
        item.line = first[i].time > most ? first[i].line : item.line;
        most = first[i].time > most ? first[i].time : most;
    }
    item.name = name;
    item.type = "function";
    item.file = kpx_totals_file(t, first->file);
    uint32_t known = kpx_totals_find_unit(t, name);
    uint32_t unit = known == KPX_NO_ITEM ? kpx_totals_add_item(t, &item) : known;
    kpx_measure *m = kpx_totals_measure(t, unit, node);
    kpx_add_amount(&m->time, time > INT64_MAX ? INT64_MAX : (int64_t)time);
    free(name);
}

static bool is_one_function(const spot *a, const spot *b)
{
    return a->process == b->process && kpx_same_text(a->function, b->function) &&
           kpx_same_text(a->file, b->file);
}

static void add_functions(kpx_totals *t, const sampling *f)
{
    uint32_t node = 0, process = UINT32_MAX;
    for (uint32_t i = 0, n; i < f->spots.n; i += n) {
        const spot *first = &f->spots.at[i];
        for (n = 1; i + n < f->spots.n && is_one_function(first, &f->spots.at[i + n]);)
            n++;
        if (first->process != process)
            node = node_of(t, f->logs, &f->logs->processes.at[first->process]);
        process = first->process;
        add_function(t, first, n, node);
    }
}

uint64_t kpx_add_samples(kpx_totals *t, const kpx_logs *logs, const char *folder)
{
    sampling f = {.logs = logs};
    char *path = path_of(folder), *complaint = NULL;
    size_t size = 0;
    const uint8_t *bytes = kpx_map_file(path, &size, &complaint);
    uint64_t taken = 0;
    for (size_t at = 0; bytes && at + sizeof(kpx_sample) <= size; at += sizeof(kpx_sample)) {
        kpx_sample s;
        memcpy(&s, bytes + at, sizeof s);
        uint32_t process = process_of(logs, &s);
        if (process == UINT32_MAX)
            continue;
        uint32_t at_spot = spot_at(&f, process, s.address); // which may move the list
        f.spots.at[at_spot].time += s.every;
        taken++;
    }
    if (f.spots.n > 0)
        qsort(f.spots.at, f.spots.n, sizeof *f.spots.at, by_function);
    if (taken > 0)
        kpx_totals_observe(t, KPX_UNIT);
    add_functions(t, &f);
    if (bytes)
        kpx_unmap_file(bytes, size);
    free(complaint);
    free(path);
    free(f.spots.at);
    map_free(&f.spot_of_address), map_free(&f.spot_of_place);
    return taken;
}
