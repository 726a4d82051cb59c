// SPDX-License-Identifier: MIT
#include "kpx-bridge/timeline/converter.h"
#include "kpx-bridge/timeline/directives.h"
#include "kpx-bridge/log/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// ---- Constructs -----------------------------------------------------------------------------

#define KPX_AT_ENCLOSING (KPX_NONE - 1)

// The runtime tells an address of its own: all that is known is what the thread is in.
static uint32_t construct_within(kpx_converter *c, const kpx_thread_state *t, const char *kind,
                                 const char *name, bool waits)
{
    const kpx_frame *outer = kpx_top_construct(t);
    if (!outer)
        return kpx_add_construct(c->m, kind, name, waits, KPX_NONE, 0);
    char *within = base_format("%s in", kind);
    uint32_t construct = kpx_add_at_place_of(c->m, outer->construct, within, name, waits);
    free(within);
    return construct;
}

// What flang makes of the inside of a construct has a name of its own.
static bool is_outlined(const kpx_source_place *place)
{
    return place->function && strstr(place->function, "..omp_par");
}

// The line of the region or task that the thread is in, if that is in the same source; else 0.
static uint32_t line_around(const kpx_converter *c, const kpx_thread_state *t, const char *file)
{
    for (uint32_t i = t->stack.n; i > 0; i--) {
        const kpx_frame *f = &t->stack.at[i - 1];
        const char *around;
        uint32_t line = kpx_construct_line(c->m, f->construct, &around);
        if (f->begun_by == KPX_IMPLICIT_BEGIN || f->begun_by == KPX_TASK_CREATE)
            return around && strcmp(around, file) == 0 ? line : 0;
    }
    return 0;
}

// The lines that flang gives are near the construct. Code that was taken out of a region or a task
// stands behind the line of that.
static void find_directive(const kpx_converter *c, const kpx_thread_state *t, uint32_t source,
                           kpx_source_place *place, const char **kind)
{
    size_t length;
    const char *text = kpx_source_text(c->m, source, &length);
    uint32_t least = is_outlined(place) ? line_around(c, t, place->file) : 0;
    uint32_t line = text ? kpx_directive_line(text, length, place->near > least ? place->near : least,
                                              kind)
                         : 0;
    if (line)
        place->line = line;
}

// A header of the library of C++: its functions are written into those of the program.
static bool is_of_library(const char *file)
{
    return file && strstr(file, "/include/c++/");
}

// The directive of that kind at the place, if there is one.
static bool take_directive(const kpx_converter *c, kpx_source_place *place, const char *kind)
{
    size_t length;
    if (!place->file || is_of_library(place->file))
        return false;
    const char *text = kpx_source_text(c->m, kpx_add_source(c->m, place->file), &length);
    uint32_t line = text ? kpx_directive_of(text, length, place->line, kind) : 0;
    place->line = line ? line : place->line;
    return line > 0;
}

// The lines that gcc gives to these calls are those of the directive, of what stands behind it or
// before it, or of a function in it that was written into the code.
static bool has_lines_near(const char *kind)
{
    static const char *const kinds[] = {"loop",     "single",   "taskwait",
                                        "taskgroup", "critical", "ordered"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

static void find_directive_of_gcc(const kpx_converter *c, kpx_symbols *symbols, uint64_t code,
                                  kpx_source_place *place, const char *kind)
{
    enum { DEPTH = 16 };
    kpx_source_place callers[DEPTH];
    if (take_directive(c, place, kind))
        return;
    uint32_t n = kpx_symbols_callers(symbols, code, callers, DEPTH);
    for (uint32_t i = 0; i < n; i++)
        if (callers[i].line && (take_directive(c, &callers[i], kind) ||
                                (is_of_library(place->file) && !is_of_library(callers[i].file)))) {
            place->file = callers[i].file;
            place->line = callers[i].line;
            return;
        }
    size_t length;
    const char *text = kpx_source_text(c->m, kpx_add_source(c->m, place->file), &length);
    uint32_t line = text ? kpx_directive_line(text, length, place->line, &kind) : 0;
    if (line && line <= place->until)
        place->line = line;
}

uint32_t kpx_construct_at(kpx_converter *c, const kpx_thread_state *t, const char *kind,
                          const char *name, bool waits, uint64_t code)
{
    uint64_t key = kpx_hash_text(kpx_hash_text(kpx_own(t, code) + waits, kind), name);
    uint64_t construct = map_get(&c->construct_of, key);
    if (construct == KPX_AT_ENCLOSING)
        return construct_within(c, t, kind, name, waits);
    if (construct != MAP_ABSENT)
        return construct;
    kpx_symbols *symbols = c->logs->processes.at[t->process].symbols;
    kpx_source_place place = kpx_symbols_find(symbols, code);
    if (place.until && !place.in_runtime && has_lines_near(kind))
        find_directive_of_gcc(c, symbols, code, &place, kind);
    uint32_t source = code ? kpx_add_source(c->m, place.file) : KPX_NONE;
    if (place.near && source != KPX_NONE && !place.in_runtime) {
        const char *told = kind;
        find_directive(c, t, source, &place, &kind);
        name = strcmp(name, told) == 0 ? kind : name;
    }
    if (place.in_runtime || code == 0 || (is_outlined(&place) && !place.line)) {
        map_set(&c->construct_of, key, KPX_AT_ENCLOSING);
        return construct_within(c, t, kind, name, waits);
    }
    char *module = place.file && place.line
                       ? base_format("%s %s:%u", kind, kpx_base_name(place.file), place.line)
                       : base_format("%s %s", kind, place.function ? place.function : "unknown");
    construct = kpx_add_construct(c->m, module, name, waits, source, place.line);
    free(module);
    map_set(&c->construct_of, key, construct);
    return construct;
}

// ---- Statistics -----------------------------------------------------------------------------

// Adds to a figure of the whole program and of the region.
static void add_to(kpx_converter *c, uint32_t region, trace_figure_kind row, trace_figure more)
{
    kpx_statistics *s = c->statistics;
    trace_figure *own = NULL;
    if (region != KPX_NONE && c->regions.at[region].row != KPX_NONE)
        own = &s->regions.at[c->regions.at[region].row].figures[row];
    trace_figure *figures[] = {&s->figures[row], own};
    for (int i = 0; i < 2 && figures[i]; i++) {
        figures[i]->count += more.count;
        figures[i]->running += more.running;
        figures[i]->waiting += more.waiting;
    }
}

// The thread waits, or runs in all constructs that it is in, down to the task it carries out.
static void count_time(kpx_converter *c, const kpx_thread_state *t, uint64_t time)
{
    const kpx_frame *top = &t->stack.at[t->stack.n - 1];
    if (top->waits && top->row != TRACE_FIGURES)
        add_to(c, top->region, top->row, (trace_figure){.waiting = time});
    for (uint32_t i = t->stack.n; i > 0 && t->stack.at[i - 1].begun_by != KPX_TASK_CREATE; i--) {
        const kpx_frame *f = &t->stack.at[i - 1];
        if (!f->waits && f->row != TRACE_FIGURES)
            add_to(c, f->region, f->row, (trace_figure){.running = time});
    }
}

void kpx_count(kpx_converter *c, const kpx_thread_state *t, trace_figure_kind row)
{
    if (row != TRACE_FIGURES && !c->paused.at[t->process])
        add_to(c, t->region, row, (trace_figure){.count = 1});
}

// ---- Stretches ------------------------------------------------------------------------------

kpx_frame *kpx_top(kpx_thread_state *t)
{
    return t->stack.n > 0 ? &t->stack.at[t->stack.n - 1] : NULL;
}

kpx_frame *kpx_top_construct(const kpx_thread_state *t)
{
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by != KPX_SITE_BEGIN)
            return &t->stack.at[i - 1];
    return NULL;
}

// What is known of a chunk. Of a static loop with chunks the runtime tells a thread's first one;
// the others follow at the distance of all threads' chunks.
static void add_chunk(kpx_converter *c, const kpx_thread_state *t, const kpx_frame *f,
                      uint32_t activity)
{
    kpx_add_text(c->m, activity, "schedule", f->schedule);
    kpx_add_value(c->m, activity, "first", f->first);
    kpx_add_value(c->m, activity, "iterations", f->count);
    kpx_add_value(c->m, activity, "loop", f->loop);
    kpx_add_value(c->m, activity, "of", f->iterations);
    int64_t threads = t->region == KPX_NONE ? 1 : c->regions.at[t->region].threads;
    int64_t every;
    if (strcmp(f->schedule, "static") == 0 && !__builtin_mul_overflow(f->count, threads, &every) &&
        f->iterations > threads && every <= f->iterations - threads)
        kpx_add_value(c->m, activity, "every", every);
}

// When the last of what the open stretch needs came; 0: it needs nothing.
static uint64_t last_needed(const kpx_converter *c, const kpx_thread_state *t)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < t->needs.n; i++) {
        uint64_t end = kpx_activity_end(c->m, t->needs.at[i].from);
        last = end > last ? end : last;
    }
    return last;
}

static void add_stretch(kpx_converter *c, kpx_thread_state *t, kpx_frame *f, uint32_t construct,
                        uint64_t end, bool takes_all)
{
    f->seen = true;
    uint32_t a = kpx_add_activity(c->m, construct, t->place, t->maker, t->since, end);
    uint32_t depth = kpx_open_executions(t);
    if (depth > 0)
        kpx_add_value(c->m, a, f->begun_by == KPX_SITE_BEGIN ? "depth" : "within", depth);
    if (takes_all && f->count > 0)
        add_chunk(c, t, f, a);
    for (uint32_t i = 0; takes_all && i < t->values.n; i++)
        kpx_add_value(c->m, a, t->values.at[i].name, t->values.at[i].number);
    for (uint32_t i = 0; takes_all && i < t->needs.n; i++)
        kpx_add_arrow(c->m, t->needs.at[i].from, a, t->needs.at[i].text);
    t->last = t->maker = a;
    t->since = end;
}

// A wait in a call of MPI ends when the last of what it needs is there; the rest of the call is the
// library's work.
static bool is_call(const kpx_frame *f)
{
    return f->begun_by == KPX_MPI_BEGIN && f->waits;
}

void kpx_close(kpx_converter *c, kpx_thread_state *t)
{
    kpx_frame *f = c->paused.at[t->process] ? NULL : kpx_top(t);
    bool says = t->needs.n > 0 || t->values.n > 0 || (f && (f->count > 0 || f->brief));
    if (f && (c->now > t->since || says)) {
        uint64_t came = is_call(f) ? last_needed(c, t) : 0;
        count_time(c, t, c->now - t->since);
        came = came < t->since ? t->since : came;
        if (is_call(f) && t->needs.n > 0 && came < c->now) {
            add_stretch(c, t, f, f->construct, came, true);
            add_stretch(c, t, f, kpx_add_sibling(c->m, f->construct, "transfer", false), c->now,
                        false);
        } else {
            add_stretch(c, t, f, f->construct, c->now, true);
        }
    }
    t->needs.n = t->values.n = 0;
    t->since = c->now;
}

void kpx_needs(kpx_thread_state *t, uint32_t from, const char *text)
{
    if (from != KPX_NONE && from != t->last)
        ARRAY_PUSH(t->needs, ((kpx_need){from, text}));
}

void kpx_push(kpx_converter *c, kpx_thread_state *t, kpx_frame f)
{
    kpx_close(c, t);
    f.region = t->region;
    ARRAY_PUSH(t->stack, f);
}

kpx_frame *kpx_find_frame(kpx_thread_state *t, kpx_kind begun_by, uint64_t key)
{
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by == begun_by && t->stack.at[i - 1].key == key)
            return &t->stack.at[i - 1];
    return NULL;
}

bool kpx_pop(kpx_converter *c, kpx_thread_state *t, kpx_kind begun_by, uint64_t key)
{
    kpx_frame *f = kpx_find_frame(t, begun_by, key);
    if (!f)
        return false;
    kpx_close(c, t);
    size_t above = (size_t)(&t->stack.at[t->stack.n] - (f + 1));
    memmove(f, f + 1, above * sizeof *f);
    t->stack.n--;
    return true;
}

// ---- All events -----------------------------------------------------------------------------

static const kpx_thread_log *log_of(const kpx_converter *c, const kpx_thread_state *t)
{
    return &c->logs->processes.at[t->process].threads.at[t->index];
}

static uint64_t time_of(const kpx_converter *c, uint32_t i)
{
    const kpx_thread_state *t = &c->threads[i];
    return log_of(c, t)->events[t->next].time;
}

static bool comes_before(const kpx_converter *c, uint32_t a, uint32_t b)
{
    uint64_t x = time_of(c, a), y = time_of(c, b);
    return x != y ? x < y : a < b;
}

static void sink(kpx_converter *c, uint32_t at)
{
    uint32_t *heap = c->heap.at, moved = heap[at], child;
    while ((child = 2 * at + 1) < c->heap.n) {
        if (child + 1 < c->heap.n && comes_before(c, heap[child + 1], heap[child]))
            child++;
        if (!comes_before(c, heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

void kpx_begin_serial(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_process_log *p = &c->logs->processes.at[t->process];
    const char *name = p->rank >= 0 || !p->openmp ? "computation" : "serial";
    if (t->stack.n > 0)
        return;
    uint32_t serial = kpx_add_construct(c->m, name, name, false, KPX_NONE, 0);
    kpx_push(c, t, (kpx_frame){serial, KPX_THREAD_BEGIN, 0, TRACE_FIGURES, .waits = false});
}

// Until something else is known a process's first thread is in its serial part.
static void begin_process(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_process_log *p = &c->logs->processes.at[t->process];
    kpx_begin_serial(c, t);
    t->since = p->begin && p->begin <= c->now ? p->begin : c->now;
}

// The program starts or stops being recorded. Of what its threads are in only the regions are known
// later: the ends of other things may come while it is stopped.
static void set_recording(kpx_converter *c, uint32_t process, bool on)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        kpx_thread_state *t = &c->threads[i];
        uint32_t kept = 0;
        if (t->process != process)
            continue;
        kpx_close(c, t);
        for (uint32_t k = 0; k < t->stack.n; k++)
            if (t->stack.at[k].begun_by == KPX_THREAD_BEGIN ||
                t->stack.at[k].begun_by == KPX_IMPLICIT_BEGIN)
                t->stack.at[kept++] = t->stack.at[k];
        t->stack.n = kept;
    }
    c->paused.at[process] = !on;
}

// The thread goes on, but its log ends here: what it did then, also with its team, is not known.
static void lose_sight(kpx_converter *c, kpx_thread_state *t)
{
    kpx_close(c, t);
    t->stack.n = 0;
    t->region = KPX_NONE;
}

enum { TOLD_EVERY = 1 << 16 }; // events

static uint64_t count_events(const kpx_logs *logs)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < logs->processes.n; i++)
        for (uint32_t k = 0; k < logs->processes.at[i].threads.n; k++)
            n += logs->processes.at[i].threads.at[k].n;
    return n;
}

static void take_events(kpx_converter *c)
{
    uint64_t all = count_events(c->logs), taken = 0;
    for (uint32_t i = c->heap.n; i > 0; i--)
        sink(c, i - 1);
    while (c->heap.n > 0) {
        if (++taken % TOLD_EVERY == 0) // writing takes as long
            kpx_tell_progress(c->m, 0.5 * (double)taken / (double)all);
        kpx_thread_state *t = &c->threads[c->heap.at[0]];
        const kpx_thread_log *log = log_of(c, t);
        const kpx_event *e = &log->events[t->next];
        c->now = e->time;
        c->event = kpx_event_key(t->process, t->index, t->next);
        if (!t->begun && t->index == 0 && e->kind != KPX_TICKS)
            begin_process(c, t);
        t->begun = t->begun || e->kind != KPX_TICKS;
        t->next++;
        if (e->kind == KPX_RECORDING)
            set_recording(c, t->process, e->flags & 1);
        kpx_take_openmp(c, t, e);
        kpx_take_mpi(c, t, e);
        kpx_take_execution(c, t, e);
        if (t->next == log->n && log->cut)
            lose_sight(c, t);
        if (t->next == log->n)
            c->heap.at[0] = c->heap.at[--c->heap.n];
        if (c->heap.n > 0)
            sink(c, 0);
    }
}

static bool has_threads(const kpx_logs *logs)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        if (logs->processes.at[i].threads.n > 1)
            return true;
    return false;
}

static void add_thread(kpx_converter *c, uint32_t process, uint32_t index)
{
    const kpx_process_log *p = &c->logs->processes.at[process];
    int rank = p->rank >= 0 ? p->rank : p->launched;
    char *name = c->logs->processes.n == 1 && p->ranks <= 1 ? base_format("thread %u", index)
                 : rank >= 0 && !has_threads(c->logs)       ? base_format("rank %d", rank)
                 : rank >= 0 ? base_format("rank %d thread %u", rank, index)
                             : base_format("process %u thread %u", process, index);
    c->threads[c->nthreads] = (kpx_thread_state){.process = process,
                                                 .index = index,
                                                 .place = kpx_add_place(c->m, name),
                                                 .last = KPX_NONE,
                                                 .maker = KPX_NONE,
                                                 .region = KPX_NONE,
                                                 .last_work = KPX_NONE};
    free(name);
    const kpx_thread_log *log = &p->threads.at[index];
    if (log->n < log->seen)
        kpx_add_loss(c->m, c->threads[c->nthreads].place, log->n, log->seen, log->capped);
    if (log->n > 0)
        ARRAY_PUSH(c->heap, c->nthreads);
    c->nthreads++;
}

static void make_threads(kpx_converter *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->logs->processes.n; i++)
        n += c->logs->processes.at[i].threads.n;
    c->threads = base_allocate(n, sizeof *c->threads);
    c->communicators = base_allocate(c->logs->processes.n, sizeof *c->communicators);
    c->parallel = base_allocate(c->logs->processes.n, sizeof *c->parallel);
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        ARRAY_PUSH(c->paused, c->logs->processes.at[i].paused);
        c->communicators[i] = kpx_find_communicators(&c->logs->processes.at[i]);
        for (uint32_t k = 0; k < c->logs->processes.at[i].threads.n; k++)
            add_thread(c, i, k);
    }
}

// Until when it is known what the thread did.
static uint64_t end_of(const kpx_converter *c, const kpx_thread_state *t)
{
    uint64_t end = c->logs->processes.at[t->process].end;
    return end > t->since ? end : c->now;
}

// Whatever was open when the programs ended.
static void end_all(kpx_converter *c)
{
    uint64_t last = c->now;
    for (uint32_t i = 0; i < c->nthreads; i++) {
        c->now = end_of(c, &c->threads[i]);
        kpx_close(c, &c->threads[i]);
        c->now = last;
    }
}

static void free_all(kpx_converter *c)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        free(c->threads[i].stack.at);
        free(c->threads[i].needs.at);
        free(c->threads[i].values.at);
    }
    for (uint32_t i = 0; i < c->tasks.n; i++)
        free(c->tasks.at[i].after.at);
    for (uint32_t i = 0; i < c->logs->processes.n; i++)
        kpx_communicators_free(&c->communicators[i]);
    for (uint32_t i = 0; i < c->uses.n; i++)
        free(c->uses.at[i].readers.at);
    free(c->uses.at);
    for (uint32_t i = 0; i < c->regions.n; i++)
        free(c->regions.at[i].places.at);
    free(c->communicators), free(c->parallel), free(c->threads), free(c->heap.at), free(c->barriers.at);
    free(c->paused.at), free(c->arrivals.at), free(c->givers.at);
    free(c->regions.at), free(c->tasks.at);
    base_map *maps[] = {
        &c->row_of,     &c->construct_of, &c->region_of,   &c->task_of,           &c->use_of,
        &c->barrier_of, &c->loop_of,      &c->holder_of,   &c->child_of,          &c->iteration_of,
        &c->sent_by,    &c->last_giver,   &c->posted_by,   &c->come_by,           &c->come,
        &c->sharing,    &c->arrival_of,   &c->before_call, &c->construct_of_site, &c->left_out};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
}

void kpx_convert_events(kpx_model *m, const kpx_logs *logs, const kpx_measured_log *measured,
                        const kpx_messages *messages, kpx_statistics *statistics)
{
    kpx_converter c = {.m = m,
                       .logs = logs,
                       .measured = measured,
                       .messages = messages,
                       .statistics = statistics};
    make_threads(&c);
    kpx_begin_executions(&c);
    kpx_begin_mpi(&c);
    take_events(&c);
    end_all(&c);
    kpx_finish_openmp(&c);
    free_all(&c);
}
