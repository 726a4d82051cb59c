// SPDX-License-Identifier: MIT
//
// From the counters of threads to totals, with units, lines and columns that only the source has.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/fortran/sources.h"
#include "kpx-bridge/log/file.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/totals/counters.h"

typedef struct {
    kpx_totals *t;
    const kpx_counters *log;
    kpx_scanned_sources sources;
    const kpx_suppressed_list *suppressed;
    bool several; // nodes
    const kpx_process_counters *p;
    uint32_t *items; // by site, or KPX_NO_ITEM
} filling;

// ---- Items ----------------------------------------------------------------------------------

char *kpx_site_path(const kpx_listed_site *s)
{
    bool whole = *s->file == '/' || !*s->folder;
    return whole ? base_copy(s->file) : base_format("%s/%s", s->folder, s->file);
}

static uint32_t file_of(kpx_totals *t, const kpx_listed_site *s)
{
    char *path = kpx_site_path(s);
    uint32_t file = kpx_totals_file(t, path);
    free(path);
    return file;
}

// The routine at this line, whether the routine itself or something in it is measured.
static uint32_t unit_of(kpx_totals *t, const kpx_process_counters *p, const kpx_listed_site *s)
{
    kpx_item item = kpx_item_of(KPX_UNIT);
    item.name = s->routine;
    item.file = file_of(t, s);
    item.line = s->routine_line;
    const kpx_listed_site *routine = NULL;
    for (uint32_t i = 0; i < p->list.sites.n; i++) {
        const kpx_listed_site *r = &p->list.sites.at[i];
        if (r->kind != KPX_SITE_ROUTINE || r->line != s->routine_line || !*r->extra ||
            strcmp(r->routine, s->routine) != 0)
            continue;
        bool same = strcmp(r->file, s->file) == 0;
        routine = same || !routine ? r : routine;
        if (same)
            break;
    }
    if (routine) { // of another file: an INCLUDE line brings the site into it
        item.type = routine->extra;
        item.file = file_of(t, routine);
    }
    return kpx_totals_item(t, &item);
}

static uint32_t loop_of(kpx_totals *t, const kpx_listed_site *s, uint32_t unit)
{
    char label[16];
    kpx_item item = kpx_item_of(KPX_LOOP);
    snprintf(label, sizeof label, "%" PRIu32, s->label);
    item.label = s->label ? label : NULL;
    item.unit = unit;
    item.file = file_of(t, s);
    item.line = s->line;
    item.seq = s->seq;
    item.definite = (s->flags & KPX_SITE_DEFINITE) ? 1 : 0;
    return kpx_totals_item(t, &item);
}

// The statement with this unit number; KPX_UNOBSERVED: with the unit as the source has it. name:
// the file, or NULL.
static uint32_t io_of(kpx_totals *t, const kpx_listed_site *s, uint32_t unit, int64_t number,
                      const char *name)
{
    char kind[32] = "";
    kpx_item item = kpx_item_of(KPX_IO);
    const char *blank = strchr(s->extra, ' '), *text = blank ? blank + 1 : "";
    snprintf(kind, sizeof kind, "%.*s", (int)(blank ? blank - s->extra : 0), s->extra);
    char *end;
    long written = strtol(text, &end, 10);
    if (*text && !*end)
        number = number == KPX_UNOBSERVED ? written : number;
    else if (*text)
        item.label = text;
    item.name = name;
    item.type = *kind ? kind : NULL;
    item.unit = unit;
    item.file = file_of(t, s);
    item.line = s->line;
    item.seq = s->seq;
    item.number = number;
    return kpx_totals_item(t, &item);
}

// ---- Measures -------------------------------------------------------------------------------

// Begins at 0. A figure that was not observed stays so.
static void add(int64_t *to, uint64_t what)
{
    if (__builtin_add_overflow(*to == KPX_UNOBSERVED ? 0 : *to, (int64_t)(what & INT64_MAX), to))
        *to = INT64_MAX; // of a damaged table
}

static void add_counter(filling *f, uint32_t item, uint32_t node, const kpx_counter *c,
                        kpx_site_kind kind, bool timed)
{
    kpx_measure *m = kpx_totals_measure(f->t, item, node);
    add(&m->times, c->count);
    if (kind == KPX_SITE_LOOP)
        add(&m->rotation, c->rotation);
    if (timed) {
        add(&m->time, kind == KPX_SITE_ROUTINE ? c->exclusive : c->self);
        add(&m->inclusive, c->inclusive);
    }
}

// An earlier run counted the suppressed sites. A count without nodes is a sum; if this run has
// several nodes, it belongs to none of them.
static void take_counts(filling *f, const kpx_listed_site *s, uint32_t item, uint32_t node)
{
    for (uint32_t i = 0; i < f->suppressed->n; i++) {
        const kpx_suppressed *e = &f->suppressed->at[i];
        if (!kpx_is_keyed(&e->key, s->kind, s->line, s->seq, s->routine, s->file))
            continue;
        kpx_measure *m = kpx_totals_measure(f->t, item, node);
        if (2 * node + 1 >= e->counts.n || (e->counts.n == 2 && f->several))
            return;
        m->times = e->counts.at[2 * node]; // of all sites that are this item
        if (s->kind == KPX_SITE_LOOP)
            m->rotation = e->counts.at[2 * node + 1];
        return;
    }
}

// Also for a process without threads: if everything that it executes is suppressed, it has none.
static void fill_suppressed(filling *f, uint32_t node)
{
    for (uint32_t i = 0; i < f->p->list.sites.n; i++) {
        const kpx_listed_site *s = &f->p->list.sites.at[i];
        if (f->items[i] != KPX_NO_ITEM && s->state == KPX_SITE_SUPPRESSED &&
            s->kind != KPX_SITE_IO) // which are counted nevertheless
            take_counts(f, s, f->items[i], node);
    }
}

static void fill_sites(filling *f, const kpx_thread_counters *c, uint32_t node)
{
    for (uint32_t i = 0; i < f->p->list.sites.n; i++) {
        const kpx_listed_site *s = &f->p->list.sites.at[i];
        if (f->items[i] == KPX_NO_ITEM || s->kind == KPX_SITE_IO)
            continue;
        if ((s->state == KPX_SITE_COUNTED || s->state == KPX_SITE_TIMED) && i < c->counters.n)
            add_counter(f, f->items[i], node, &c->counters.at[i], s->kind,
                        s->state == KPX_SITE_TIMED);
    }
}

// ---- Statements -----------------------------------------------------------------------------

static bool is_statement(const kpx_listed_site *s, const kpx_io_row *row)
{
    size_t n = strlen(row->file), m = strlen(s->file);
    const char *end = m > n ? s->file + m - n : s->file;
    return s->kind == KPX_SITE_IO && row->line >= s->line && row->line <= s->last_line &&
           strcmp(end, row->file) == 0 && kpx_is_io_kind(s->extra, row->kind);
}

const kpx_listed_site *kpx_statement_of(const kpx_process_counters *p, const kpx_io_row *row)
{
    for (uint32_t i = 0; i < p->list.sites.n; i++)
        if (is_statement(&p->list.sites.at[i], row))
            return &p->list.sites.at[i];
    return NULL;
}

// The routine as it was measured, or else as the source has it.
static uint32_t scanned_unit(filling *f, kpx_item *item, const kpx_unit *u)
{
    const char *name = kpx_base_name(kpx_totals_get_file(f->t, item->file));
    for (uint32_t i = 0; i < f->p->list.sites.n; i++) {
        const kpx_listed_site *s = &f->p->list.sites.at[i];
        if (s->kind != KPX_SITE_ROUTINE || s->line != u->line || strcmp(s->routine, u->name) != 0 ||
            strcmp(kpx_base_name(s->file), name) != 0)
            continue;
        item->file = file_of(f->t, s);
        return unit_of(f->t, f->p, s);
    }
    kpx_item unit = kpx_item_of(KPX_UNIT);
    unit.name = u->name;
    unit.file = item->file;
    unit.line = u->line;
    return kpx_totals_item(f->t, &unit);
}

// Completes the item of a statement from its source, if that still exists.
static void ask_source(filling *f, kpx_item *item, const kpx_io_row *row)
{
    const kpx_scan *scan = kpx_scan_source(&f->sources, row->file);
    if (!scan || item->file == KPX_NO_ITEM)
        return;
    for (uint32_t i = 0; i < scan->ios.n; i++) {
        const kpx_io_statement *io = &scan->ios.at[i];
        if (row->line < io->line || row->line > io->last_line)
            continue;
        item->unit = scanned_unit(f, item, &scan->units.at[io->unit]);
        item->type = io->kind;
        item->label = item->number < 0 && *io->number ? io->number : NULL;
        item->line = io->line;
        item->seq = io->seq;
        return;
    }
}

static uint32_t item_of_row(filling *f, const kpx_io_row *row)
{
    // No unit, a character variable, or a number chosen by NEWUNIT.
    int64_t number = row->unit < 0 ? KPX_UNOBSERVED : row->unit;
    const char *name = *row->name ? row->name : NULL;
    const kpx_listed_site *s = kpx_statement_of(f->p, row);
    if (s)
        return io_of(f->t, s, unit_of(f->t, f->p, s), number, name);
    // In a file that was not built by kpx-bridge.
    kpx_item item = kpx_item_of(KPX_IO);
    item.name = name;
    item.type = kpx_io_name(row->kind);
    item.file = *row->file ? kpx_totals_file(f->t, row->file) : KPX_NO_ITEM;
    item.line = row->line;
    item.number = number;
    ask_source(f, &item, row);
    return kpx_totals_item(f->t, &item);
}

static bool is_timed(const kpx_thread_counters *c, const kpx_io_row *row)
{
    return c->head.timed && row->state != KPX_SITE_SUPPRESSED;
}

static void fill_ios(filling *f, const kpx_thread_counters *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->ios.n; i++) {
        const kpx_io_row *row = &c->ios.at[i];
        add_counter(f, item_of_row(f, row), node, &row->counter, KPX_SITE_IO, is_timed(c, row));
    }
}

static bool same_program(const kpx_process_counters *a, const kpx_process_counters *b)
{
    return a == b || (a->list.program && b->list.program && a->list.io == b->list.io &&
                      strcmp(a->list.program, b->list.program) == 0);
}

// A statement that this thread did not execute, but others of the program did.
static void fill_others(filling *f, uint32_t node)
{
    const kpx_counter none = {0};
    for (uint32_t p = 0; p < f->log->processes.n; p++) {
        const kpx_process_counters *other = &f->log->processes.at[p];
        for (uint32_t k = 0; k < other->threads.n && same_program(other, f->p); k++) {
            const kpx_thread_counters *c = &other->threads.at[k];
            for (uint32_t i = 0; i < c->ios.n; i++)
                add_counter(f, item_of_row(f, &c->ios.at[i]), node, &none, KPX_SITE_IO,
                            is_timed(c, &c->ios.at[i]));
        }
    }
}

// Makes the items of a statement, one for each unit and file. False: no process executed it.
static bool add_executed(filling *f, const kpx_listed_site *s)
{
    bool executed = false;
    for (uint32_t p = 0; p < f->log->processes.n; p++) {
        const kpx_process_counters *other = &f->log->processes.at[p];
        for (uint32_t k = 0; k < other->threads.n && same_program(other, f->p); k++)
            for (uint32_t i = 0; i < other->threads.at[k].ios.n; i++)
                if (is_statement(s, &other->threads.at[k].ios.at[i])) {
                    item_of_row(f, &other->threads.at[k].ios.at[i]);
                    executed = true;
                }
    }
    return executed;
}

// ---- Processes ------------------------------------------------------------------------------

static uint32_t add_node(kpx_totals *t, const kpx_process_counters *p, uint32_t thread)
{
    const kpx_table *head = p->threads.n ? &p->threads.at[thread].head : NULL;
    kpx_node node = {.rank = p->list.rank,
                     .pid = p->list.pid,
                     .thread = p->threads.n > 1 ? (int64_t)thread : KPX_UNOBSERVED,
                     .elapsed = head && head->ns1 > head->ns0 ? (int64_t)(head->ns1 - head->ns0)
                                                              : KPX_UNOBSERVED,
                     .overhead = KPX_UNOBSERVED};
    return kpx_totals_add_node(t, &node);
}

static int in_source(const void *a, const void *b)
{
    const kpx_listed_site *x = *(kpx_listed_site *const *)a, *y = *(kpx_listed_site *const *)b;
    int files = strcmp(x->file, y->file);
    if (files != 0 || x->line != y->line)
        return files ? files : x->line < y->line ? -1 : 1;
    return x->seq != y->seq ? (x->seq < y->seq ? -1 : 1) : (x > y) - (x < y);
}

// In the order of the text; compilers and linkers may have changed it.
static void add_items(filling *f)
{
    const kpx_site_list *list = &f->p->list;
    const kpx_listed_site **order = base_allocate(list->sites.n + 1, sizeof *order);
    for (uint32_t i = 0; i < list->sites.n; i++)
        order[i] = &list->sites.at[i];
    if (list->sites.n > 0)
        qsort(order, list->sites.n, sizeof *order, in_source);
    for (uint32_t k = 0; k < list->sites.n; k++) {
        const kpx_listed_site *s = order[k];
        uint32_t i = (uint32_t)(s - list->sites.at);
        f->items[i] = KPX_NO_ITEM;
        if ((s->kind == KPX_SITE_LOOP && !list->loops) || (s->kind == KPX_SITE_IO && !list->io))
            continue; // were not looked for
        uint32_t unit = unit_of(f->t, f->p, s);
        f->items[i] = s->kind == KPX_SITE_ROUTINE ? unit
                      : s->kind == KPX_SITE_LOOP  ? loop_of(f->t, s, unit)
                      : add_executed(f, s)        ? KPX_NO_ITEM
                                                  : io_of(f->t, s, unit, KPX_UNOBSERVED, NULL);
    }
    free(order);
}

// Sites that were measured and never executed.
static void fill_unexecuted(filling *f, uint32_t node)
{
    const kpx_counter none = {0};
    for (uint32_t i = 0; i < f->p->list.sites.n; i++) {
        const kpx_listed_site *s = &f->p->list.sites.at[i];
        if (s->kind == KPX_SITE_IO && f->items[i] != KPX_NO_ITEM && s->state != KPX_SITE_OFF)
            add_counter(f, f->items[i], node, &none, s->kind, s->state == KPX_SITE_TIMED);
        else if (s->kind != KPX_SITE_IO && f->items[i] != KPX_NO_ITEM && f->p->threads.n == 0 &&
                 s->state != KPX_SITE_OFF &&
                 s->state != KPX_SITE_SUPPRESSED)
            add_counter(f, f->items[i], node, &none, s->kind, s->state == KPX_SITE_TIMED);
    }
}

static void fill_process(filling *f)
{
    const kpx_process_counters *p = f->p;
    f->items = base_allocate(p->list.sites.n + 1, sizeof *f->items);
    if (p->list.routines)
        kpx_totals_observe(f->t, KPX_UNIT);
    if (p->list.loops)
        kpx_totals_observe(f->t, KPX_LOOP);
    if (p->list.io)
        kpx_totals_observe(f->t, KPX_IO);
    add_items(f);
    uint32_t first = KPX_NO_ITEM;
    for (uint32_t k = 0; k < p->threads.n || k == 0; k++) {
        uint32_t node = add_node(f->t, p, k);
        first = k == 0 ? node : first;
        fill_suppressed(f, node);
        if (k < p->threads.n) {
            fill_sites(f, &p->threads.at[k], node);
            fill_ios(f, &p->threads.at[k], node);
        }
        if (p->list.io && (p->threads.n > 1 || f->log->processes.n > 1))
            fill_others(f, node);
    }
    fill_unexecuted(f, first);
    free(f->items);
}

kpx_totals *kpx_counter_totals(const kpx_counters *log)
{
    const char *program = NULL;
    kpx_totals_clock clock = KPX_CLOCK_ELAPSED;
    for (uint32_t i = 0; i < log->processes.n; i++) {
        const kpx_process_counters *p = &log->processes.at[i];
        program = program ? program : p->list.program;
        if (p->threads.n > 0 && p->threads.at[0].head.clock)
            clock = KPX_CLOCK_CPU;
    }
    filling f = {.t = kpx_totals_create(program ? kpx_base_name(program) : "program", clock),
                 .log = log,
                 .suppressed = &log->suppressed,
                 .several = log->processes.n > 1 ||
                            (log->processes.n == 1 && log->processes.at[0].threads.n > 1)};
    for (uint32_t i = 0; i < log->processes.n; i++) {
        f.p = &log->processes.at[i];
        fill_process(&f);
    }
    kpx_scanned_sources_free(&f.sources);
    kpx_totals_sum_data_files(f.t);
    return f.t;
}
