// SPDX-License-Identifier: MIT
//
// From the events of MPI to totals: one item for each place of a call, with those never executed.
#include "kpx-bridge/totals/mpi_totals.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/fortran/sources.h"
#include "kpx-bridge/log/communicators.h"
#include "kpx-bridge/log/names.h"

static const char *const routines[] = {
#define ROUTINE(name, ...) "MPI_" #name,
#include "kpx-bridge/log/mpi_routines.def"
};

enum { RUNS, ASKS, WAITS };

static const uint8_t kinds[] = {
#define ROUTINE(name, kind, ...) kind,
#include "kpx-bridge/log/mpi_routines.def"
};

enum { ROUTINES = sizeof routines / sizeof *routines };

// A call in the text, the same for all processes. Its function is the one in the text, even if the
// compiler inlined or renamed it.
typedef struct {
    uint32_t routine, line;      // ROUTINES: one that is not recorded
    const char *file, *function; // or NULL
    const char *name;            // of the routine
    uint32_t item;
} site;

// The counts of one process at one place.
typedef struct {
    uint32_t site, process;
    int64_t times, time, bytes;
} count;

typedef struct {
    const kpx_logs *logs;
    kpx_totals *t;
    ARRAY_OF(site) sites;
    ARRAY_OF(count) counts;
    kpx_scanned_sources sources;
    uint32_t *nodes;       // by process
    base_map site_of_code; // by process, address and routine
    base_map site_of_place; // by hash of what it is
    base_map count_of;      // site << 32 | process
    base_map process_of;    // by communicator's identity and rank in it
} filling;

bool kpx_has_ranks(const kpx_logs *logs)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        if (logs->processes.at[i].rank >= 0)
            return true;
    return false;
}

// ---- Places of calls --------------------------------------------------------------------------

static uint32_t find_site(filling *f, const site *s)
{
    uint64_t key = kpx_hash_text(kpx_hash_text(s->routine * 0x9e3779b9u + s->line, s->file), s->function);
    for (;; key++) {
        uint64_t known = map_get(&f->site_of_place, key);
        if (known == MAP_ABSENT)
            break;
        const site *k = &f->sites.at[known];
        if (kpx_same_name(k->name, s->name) && k->line == s->line &&
            kpx_same_text(k->file, s->file) && kpx_same_text(k->function, s->function))
            return known;
    }
    map_set(&f->site_of_place, key, f->sites.n);
    ARRAY_PUSH(f->sites, *s);
    return f->sites.n - 1;
}

static uint32_t site_at(filling *f, uint32_t process, uint32_t routine, uint64_t code)
{
    uint64_t key = (code * ROUTINES + routine) ^ ((uint64_t)process + 1) * 0x9e3779b97f4a7c15u;
    uint64_t known = map_get(&f->site_of_code, key);
    if (known != MAP_ABSENT)
        return known;
    kpx_symbols *symbols = f->logs->processes.at[process].symbols;
    kpx_source_place place = kpx_symbols_find(symbols, code);
    const char *function = NULL;
    kpx_symbols_functions(symbols, code, &function, 1);
    known = find_site(f, &(site){routine, place.line, place.file, function, routines[routine],
                                 KPX_NO_ITEM});
    map_set(&f->site_of_code, key, known);
    return known;
}

static count *count_at(filling *f, uint32_t where, uint32_t process)
{
    uint64_t key = (uint64_t)where << 32 | process;
    uint64_t known = map_get(&f->count_of, key);
    if (known == MAP_ABSENT) {
        known = f->counts.n;
        map_set(&f->count_of, key, known);
        ARRAY_PUSH(f->counts, ((count){where, process, 0, 0, 0}));
    }
    return &f->counts.at[known];
}

// ---- Messages ---------------------------------------------------------------------------------

// side: the group of the rank in an intercommunicator.
static uint64_t rank_key(uint64_t identity, uint32_t side, uint32_t rank)
{
    return (identity + 1) * 0x9e3779b97f4a7c15u + ((uint64_t)side << 32 | rank);
}

// Finds the process of each rank of each communicator.
static void find_processes(filling *f, kpx_communicators *communicators)
{
    for (uint32_t i = 0; i < f->logs->processes.n; i++) {
        communicators[i] = kpx_find_communicators(&f->logs->processes.at[i]);
        for (uint32_t k = 0; k < communicators[i].list.n; k++) {
            const kpx_communicator *c = &communicators[i].list.at[k];
            map_set(&f->process_of, rank_key(c->identity, c->side, c->rank), i);
        }
    }
}

static void take_send(filling *f, const kpx_communicators *known, uint32_t process,
                      const kpx_event *e)
{
    const kpx_communicator *c = kpx_communicator_of(known, e->value);
    if (!c)
        return;
    // A message goes to the other group.
    uint64_t key = rank_key(c->identity, c->side ? 3 - c->side : 0, (uint32_t)(e->a >> 32));
    uint64_t to = map_get(&f->process_of, key);
    if (to != MAP_ABSENT)
        kpx_totals_message(f->t, f->nodes[process], f->nodes[to], 1,
                           e->b > INT64_MAX ? INT64_MAX : (int64_t)e->b);
}

// ---- Events -----------------------------------------------------------------------------------

typedef struct {
    uint32_t routine, site;
    uint64_t since; // by the clock of the figures
    int64_t bytes; // sent
} open_call;

// Calls within the library belong to the program's call.
static void scan_thread(filling *f, const kpx_communicators *c, uint32_t process, uint32_t thread)
{
    const kpx_thread_log *log = &f->logs->processes.at[process].threads.at[thread];
    bool cpu = kpx_logs_by_cpu(f->logs);
    uint64_t ran = 0;
    open_call open = {.site = KPX_NO_ITEM};
    for (uint32_t i = 0; i < log->n; i++) {
        const kpx_event *e = &log->events[i];
        kpx_store_at(i);
        ran = e->kind == KPX_PROCESSOR_TIME ? e->a : ran;
        uint64_t now = cpu ? ran : e->time;
        if (e->kind == KPX_MPI_BEGIN && e->flags < ROUTINES && open.site == KPX_NO_ITEM)
            open = (open_call){e->flags, site_at(f, process, e->flags, e->b), now, 0};
        if (e->kind == KPX_MPI_SEND) {
            kpx_add_amount(&open.bytes, e->b > INT64_MAX ? INT64_MAX : (int64_t)e->b);
            take_send(f, c, process, e);
        }
        if (e->kind == KPX_MPI_END && open.site != KPX_NO_ITEM && e->flags == open.routine) {
            count *to = count_at(f, open.site, process);
            uint64_t spent = e->b ? e->b : now - open.since;
            kpx_add_amount(&to->times, (int64_t)(1 + e->a / KPX_REPEATED % INT32_MAX));
            kpx_add_amount(&to->time, spent > INT64_MAX ? INT64_MAX : (int64_t)spent);
            kpx_add_amount(&to->bytes, open.bytes);
            open.site = KPX_NO_ITEM;
        }
    }
}

// ---- Calls that were never executed -----------------------------------------------------------

// Also true if the compiler gave a call only the line of its routine: it may be this one.
static bool is_known(const filling *f, const char *path, const kpx_unit *unit,
                     const kpx_mpi_statement *c)
{
    for (uint32_t i = 0; i < f->sites.n; i++) {
        const site *s = &f->sites.at[i];
        if (kpx_same_text(s->file, path) && kpx_same_name(s->name, c->name) &&
            (s->line == c->line || (s->line == unit->line && kpx_same_name(s->function, unit->name))))
            return true;
    }
    return false;
}

static uint32_t routine_named(const char *name)
{
    uint32_t i = 0;
    while (i < ROUTINES && !kpx_same_name(routines[i], name))
        i++;
    return i;
}

static void add_unexecuted(filling *f)
{
    for (uint32_t i = 0; i < f->logs->processes.n; i++)
        kpx_scan_sources_of(&f->sources, f->logs->processes.at[i].symbols);
    for (uint32_t i = 0; i < f->sources.files.n; i++) {
        const kpx_scan *scan = f->sources.files.at[i].scan;
        for (uint32_t k = 0; scan && k < scan->calls.n; k++) {
            const kpx_mpi_statement *c = &scan->calls.at[k];
            const kpx_unit *unit = &scan->units.at[c->unit];
            const char *path = f->sources.files.at[i].path;
            uint32_t routine = routine_named(c->name);
            if (!is_known(f, path, unit, c))
                find_site(f, &(site){routine, c->line, path, unit->name,
                                     routine < ROUTINES ? routines[routine] : c->name, KPX_NO_ITEM});
        }
    }
}

// Whether the process would have recorded the routine.
static bool would_be_told(const kpx_process_log *p, uint32_t routine)
{
    if (routine == ROUTINES)
        return false;
    bool poll = kinds[routine] == ASKS || strncmp(routines[routine], "MPI_Test", 8) == 0 ||
                strncmp(routines[routine], "MPI_Iprobe", 10) == 0 ||
                strncmp(routines[routine], "MPI_Improbe", 11) == 0;
    for (uint32_t i = 0; i < p->threads.n; i++)
        if (p->threads.at[i].seen > p->threads.at[i].n + p->threads.at[i].lost)
            return false;
    return !poll || !p->no_polls;
}

// ---- Result -----------------------------------------------------------------------------------

static uint32_t node_of(kpx_totals *t, const kpx_process_log *p)
{
    for (uint32_t i = 0; i < kpx_totals_nnodes(t); i++)
        if (p->rank >= 0 && kpx_totals_get_node(t, i)->rank == p->rank)
            return i;
    return kpx_totals_add_node(
        t, &(kpx_node){.rank = p->rank >= 0 ? p->rank : KPX_UNOBSERVED,
                       .pid = p->pid,
                       .thread = KPX_UNOBSERVED,
                       .elapsed = p->end > p->begin && p->begin > 0 ? (int64_t)(p->end - p->begin)
                                                                    : KPX_UNOBSERVED,
                       .overhead = KPX_UNOBSERVED});
}

// Tries names of Fortran as they are, in capitals, and without the compiler's underscore. A suffix
// after a dot is the compiler's, too: STEP._omp_fn.0.
static uint32_t unit_of(kpx_totals *t, const char *function, uint32_t file)
{
    if (!function)
        return KPX_NO_ITEM;
    char *name = base_copy(function);
    size_t n = function[0] ? 1 + strcspn(function + 1, ".") : 0;
    name[n] = '\0';
    char *capitals = base_copy(name);
    if (n > 1 && name[n - 1] == '_')
        name[n - 1] = capitals[n - 1] = '\0';
    for (char *at = capitals; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    uint32_t unit = kpx_totals_find_unit(t, function);
    unit = unit == KPX_NO_ITEM ? kpx_totals_find_unit(t, name) : unit;
    unit = unit == KPX_NO_ITEM ? kpx_totals_find_unit(t, capitals) : unit;
    if (unit == KPX_NO_ITEM) {
        kpx_item item = kpx_item_of(KPX_UNIT);
        item.name = name;
        item.file = file;
        unit = kpx_totals_add_item(t, &item);
    }
    free(name);
    free(capitals);
    return unit;
}

// Whether the routine is a function in Fortran.
static bool has_result(const char *name)
{
    return kpx_same_name(name, "MPI_Wtime") || kpx_same_name(name, "MPI_Wtick");
}

static int by_place(const void *x, const void *y, void *data)
{
    const site *sites = data, *a = &sites[*(const uint32_t *)x], *b = &sites[*(const uint32_t *)y];
    int files = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (files != 0)
        return files;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->routine < b->routine ? -1 : a->routine > b->routine;
}

// In the order of the text.
static void add_items(filling *f)
{
    uint32_t *order = base_allocate((f->sites.n + (size_t)1), sizeof *order);
    base_map seqs = {0};
    for (uint32_t i = 0; i < f->sites.n; i++)
        order[i] = i;
    if (f->sites.n > 0)
        qsort_r(order, f->sites.n, sizeof *order, by_place, f->sites.at);
    for (uint32_t i = 0; i < f->sites.n; i++) {
        site *s = &f->sites.at[order[i]];
        kpx_item item = kpx_item_of(KPX_CALL);
        item.name = s->name;
        bool fortran = s->file && kpx_is_fortran(s->file);
        item.type = fortran && !has_result(s->name) ? "Subroutine" : "Function";
        item.file = kpx_totals_file(f->t, s->file);
        item.unit = unit_of(f->t, s->function, item.file);
        item.line = s->line;
        item.number = (int64_t)i + 1;
        uint64_t before = map_get(&seqs, item.unit);
        item.seq = before == MAP_ABSENT ? 1 : before + 1;
        map_set(&seqs, item.unit, item.seq);
        s->item = kpx_totals_add_item(f->t, &item);
    }
    map_free(&seqs);
    free(order);
}

// Every rank has every place, with 0 executions where it was recorded and did not get there.
static void fill(filling *f)
{
    for (uint32_t i = 0; i < f->sites.n; i++)
        for (uint32_t k = 0; k < f->logs->processes.n; k++) {
            const count *from = count_at(f, i, k);
            if (from->times == 0 && !would_be_told(&f->logs->processes.at[k], f->sites.at[i].routine))
                continue;
            kpx_measure *to = kpx_totals_measure(f->t, f->sites.at[i].item, f->nodes[k]);
            kpx_add_amount(&to->times, from->times);
            kpx_add_amount(&to->time, from->time);
            kpx_add_amount(&to->inclusive, from->time);
            kpx_add_amount(&to->bytes, from->bytes);
        }
}

void kpx_add_mpi_totals(kpx_totals *t, const kpx_logs *logs)
{
    filling f = {.logs = logs, .t = t};
    kpx_communicators *communicators = base_allocate(logs->processes.n, sizeof *communicators);
    f.nodes = base_allocate(logs->processes.n, sizeof *f.nodes);
    kpx_totals_observe(t, KPX_CALL);
    kpx_totals_observe_messages(t);
    for (uint32_t i = 0; i < logs->processes.n; i++)
        f.nodes[i] = node_of(t, &logs->processes.at[i]);
    find_processes(&f, communicators);
    for (uint32_t i = 0; i < logs->processes.n; i++)
        for (uint32_t k = 0; k < logs->processes.at[i].threads.n; k++)
            scan_thread(&f, &communicators[i], i, k);
    add_unexecuted(&f);
    add_items(&f);
    fill(&f);
    for (uint32_t i = 0; i < logs->processes.n; i++)
        kpx_communicators_free(&communicators[i]);
    free(communicators), free(f.nodes), free(f.sites.at), free(f.counts.at);
    kpx_scanned_sources_free(&f.sources);
    map_free(&f.site_of_code), map_free(&f.site_of_place);
    map_free(&f.count_of), map_free(&f.process_of);
}
