// SPDX-License-Identifier: MIT
//
// Executions of routines, loops and I/O statements are frames of their threads. The top frame is
// the one entered last, whichever recorder has recorded it. Each activity of a thread is made by
// the one before, so the caller's activity makes the callee's, and that one makes the rest of the
// caller.
//
// The timeline has only what was executed less often than the log's limit. A recorder notices that
// a site exceeds the limit when the log has events of it already, so the site is left out here, in
// all threads and processes.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/timeline/converter.h"

// ---- What a site is called ------------------------------------------------------------------

typedef struct {
    char *module, *name, *path; // path: of the source, or NULL
    uint32_t line;
    trace_kind kind;
} site_name;

static void free_name(site_name *n)
{
    free(n->module);
    free(n->name);
    free(n->path);
}

static site_name name_of_site(const kpx_listed_site *s)
{
    const char *file = kpx_base_name(s->file);
    trace_kind kind = s->kind == KPX_SITE_ROUTINE ? TRACE_KIND_ROUTINE : TRACE_KIND_DO_LOOP;
    const char *name = trace_kind_name(kind);
    return (site_name){.module = base_format("%s %s:%" PRIu32,
                                             kind == TRACE_KIND_ROUTINE ? s->routine : name, file,
                                             s->line),
                       .name = base_copy(name),
                       .kind = kind,
                       .path = kpx_site_path(s),
                       .line = s->line};
}

static site_name name_of_row(const kpx_process_counters *p, const kpx_io_row *row)
{
    const kpx_listed_site *s = kpx_statement_of(p, row);
    const char *file = kpx_base_name(row->file);
    uint32_t line = s ? s->line : row->line;
    // A number chosen by NEWUNIT means nothing to the user.
    return (site_name){
        .module = row->unit == KPX_INTERNAL     ? base_copy("internal unit")
                  : row->unit < 0 && *row->name ? base_format("unit of %s", row->name)
                                                : base_format("unit %" PRId32, row->unit),
        .name = base_format("%s %s:%" PRIu32, kpx_io_name((kpx_io_kind)row->kind), file, line),
        .path = s            ? kpx_site_path(s)
                : *row->file ? base_copy(row->file)
                             : NULL,
        .line = line,
        .kind = TRACE_KIND_IO};
}

// Equal names have equal hashes in all processes.
static uint64_t hash_of(const site_name *n)
{
    return kpx_hash_text(kpx_hash_text(kpx_hash_text(n->line, n->module), n->name), n->path);
}

// ---- What is executed too often -------------------------------------------------------------

const kpx_process_counters *kpx_counters_of(const kpx_counters *measured, const kpx_process_log *p)
{
    for (uint32_t i = 0; measured && p->sites != KPX_NO_SITES && i < measured->processes.n; i++)
        if (measured->processes.at[i].id == p->sites)
            return &measured->processes.at[i];
    return NULL;
}

// The sites that are left out, by name. The message names the one with most executions in one
// thread.
typedef struct {
    base_map names;
    uint32_t n;
    uint64_t most, limit;
    char *example; // the one with `most`, or NULL
} left_out;

static void leave_out(left_out *l, site_name n, uint64_t times)
{
    uint64_t hash = hash_of(&n);
    l->n += map_get(&l->names, hash) == MAP_ABSENT;
    map_set(&l->names, hash, 1);
    if (times > l->most) {
        l->most = times;
        free(l->example);
        l->example = n.kind == TRACE_KIND_IO ? base_format("%s of %s", n.name, n.module)
                                             : base_copy(n.module);
    }
    free_name(&n);
}

static void leave_out_of(left_out *l, const kpx_process_counters *m, uint64_t limit)
{
    l->limit = limit > l->limit ? limit : l->limit;
    for (uint32_t k = 0; k < m->threads.n; k++) {
        const kpx_thread_counters *t = &m->threads.at[k];
        for (uint32_t i = 0; i < t->counters.n && i < m->list.sites.n; i++)
            if (m->list.sites.at[i].state == KPX_SITE_TIMED && t->counters.at[i].count >= limit)
                leave_out(l, name_of_site(&m->list.sites.at[i]), t->counters.at[i].count);
        for (uint32_t i = 0; i < t->ios.n; i++)
            if (t->ios.at[i].state != KPX_SITE_SUPPRESSED && t->ios.at[i].counter.count >= limit)
                leave_out(l, name_of_row(m, &t->ios.at[i]), t->ios.at[i].counter.count);
    }
}

static left_out find_left_out(const kpx_logs *logs, const kpx_counters *measured)
{
    left_out l = {0};
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        const kpx_process_log *p = &logs->processes.at[i];
        const kpx_process_counters *m = kpx_counters_of(measured, p);
        if (m && p->limit > 0)
            leave_out_of(&l, m, p->limit);
    }
    return l;
}

char *kpx_left_out(const kpx_logs *logs, const kpx_counters *measured)
{
    left_out l = find_left_out(logs, measured);
    char *others = l.n > 1 ? base_format(" and %" PRIu32 " more", l.n - 1) : base_copy("");
    char *text = l.n == 0
                     ? NULL
                     : base_format("the timeline leaves out all that was executed %" PRIu64
                                   " times or more: %s (%" PRIu64 " times)%s; the time is part of "
                                   "the enclosing activity (--limit)",
                                   l.limit, l.example, l.most, others);
    map_free(&l.names);
    free(l.example);
    free(others);
    return text;
}

void kpx_begin_executions(kpx_converter *c)
{
    left_out l = find_left_out(c->logs, c->measured);
    c->executions.left_out = l.names;
    free(l.example);
}

// ---- Events ---------------------------------------------------------------------------------

#define LEFT_OUT (KPX_NONE - 1)

static bool find_name(const kpx_process_counters *m, const kpx_event *e, site_name *ret)
{
    if ((e->flags & 0xff) != KPX_SITE_IO) {
        if (e->a >= m->list.sites.n)
            return false;
        *ret = name_of_site(&m->list.sites.at[e->a]);
        return true;
    }
    for (uint32_t k = 0; k < m->threads.n; k++)
        for (uint32_t i = 0; i < m->threads.at[k].ios.n; i++)
            if (m->threads.at[k].ios.at[i].key == e->a) {
                *ret = name_of_row(m, &m->threads.at[k].ios.at[i]);
                return true;
            }
    return false;
}

// LEFT_OUT: the site is not on the timeline, or not in the list.
static uint32_t construct_of(kpx_converter *c, const kpx_thread_state *t, const kpx_event *e)
{
    uint64_t key = kpx_own(t, e->a) * 2 + ((e->flags & 0xff) == KPX_SITE_IO);
    uint64_t construct = map_get(&c->executions.construct_of_site, key);
    if (construct != MAP_ABSENT)
        return construct;
    const kpx_process_counters *m =
        kpx_counters_of(c->measured, &c->logs->processes.at[t->process]);
    site_name n;
    construct = LEFT_OUT;
    if (m && find_name(m, e, &n)) {
        if (map_get(&c->executions.left_out, hash_of(&n)) == MAP_ABSENT)
            construct = kpx_add_construct(c->m, n.module, n.kind, (kpx_doing){n.kind, n.name, false},
                                          kpx_add_source(c->m, n.path), n.line);
        free_name(&n);
    }
    map_set(&c->executions.construct_of_site, key, construct);
    return construct;
}

static bool is_execution(const kpx_frame *f)
{
    return f->begun_by == KPX_SITE_BEGIN;
}

// Ends the executions that are as deep or deeper. Other frames within them stay.
static void end_from(kpx_converter *c, kpx_thread_state *t, uint64_t depth)
{
    uint32_t first = t->stack.n; // that ends
    for (uint32_t i = t->stack.n; i > 0; i--) {
        const kpx_frame *f = &t->stack.at[i - 1];
        if (is_execution(f) && f->key < depth)
            break;
        first = is_execution(f) ? i - 1 : first;
    }
    if (first == t->stack.n)
        return;
    kpx_close(c, t);
    uint32_t kept = first;
    for (uint32_t i = first; i < t->stack.n; i++)
        if (!is_execution(&t->stack.at[i]))
            t->stack.at[kept++] = t->stack.at[i];
    t->stack.n = kept;
}

static void begin(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    end_from(c, t, e->value);
    uint32_t construct = construct_of(c, t, e);
    if (construct != LEFT_OUT)
        kpx_push(c, t, (kpx_frame){.construct = construct,
                                   .begun_by = KPX_SITE_BEGIN,
                                   .key = e->value,
                                   .row = TRACE_FIGURES,
                                   .open = kpx_open_executions(t) + 1});
}

static void end(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top(t);
    bool ends = f && is_execution(f) && f->key == e->value;
    if (ends) // it has an activity even if it took less than a tick
        f->brief = !f->seen;
    if (ends && e->b > 0 && e->b <= INT64_MAX)
        ARRAY_PUSH(t->values, ((kpx_note_value){TRACE_KEY_ITERATIONS, (int64_t)e->b}));
    end_from(c, t, e->value);
}

// From now on executions are unknown. OpenMP's events and later calls of MPI are still known.
static void become_unknown(kpx_converter *c, kpx_thread_state *t)
{
    end_from(c, t, 0);
    if (c->logs->processes.at[t->process].openmp)
        return;
    kpx_close(c, t);
    if (t->stack.n == 1 && t->stack.at[0].begun_by == KPX_THREAD_BEGIN)
        t->stack.n = 0;
}

void kpx_take_execution(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    switch ((kpx_kind)e->kind) {
    case KPX_SITE_BEGIN:
        begin(c, t, e);
        break;
    case KPX_SITE_END:
        end(c, t, e);
        break;
    case KPX_SITES_FULL:
        become_unknown(c, t);
        break;
    default:
        break;
    }
}

void kpx_free_executions(kpx_converter *c)
{
    map_free(&c->executions.construct_of_site);
    map_free(&c->executions.left_out);
}
