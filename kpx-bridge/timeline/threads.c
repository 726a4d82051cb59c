// SPDX-License-Identifier: MIT
//
// What a thread is in: the stack, its open interval, and the construct at an address.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/demangle.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/timeline/converter.h"
#include "kpx-bridge/timeline/directives.h"

// ---- Constructs -----------------------------------------------------------------------------

#define KPX_AT_ENCLOSING (KPX_NONE - 1)

// gcc does not tell where a taskloop is: the next one after the line of the construct around it.
static uint32_t taskloop_after(const kpx_converter *c, const kpx_frame *outer, const char *called,
                               kpx_doing doing)
{
    const char *file;
    size_t length;
    uint32_t line = kpx_construct_line(c->m, outer->construct, &file);
    if (!file || line == 0)
        return KPX_NONE;
    trace_kind kind = TRACE_KIND_TASKLOOP;
    uint32_t source = kpx_add_source(c->m, file);
    const char *text = kpx_source_text(c->m, source, &length);
    line = text ? kpx_directive_line(text, length, line, &kind) : 0;
    if (line == 0)
        return KPX_NONE;
    char *module = base_format("%s %s:%u", called, kpx_base_name(file), line);
    uint32_t construct = kpx_add_construct(c->m, module, kind, doing, source, line);
    free(module);
    return construct;
}

// Of gcc a region with a loop that is not static is one call, in which the runtime begins the loop for
// the thread that calls, and within itself for the others. It is one loop, at the region's place.
static bool is_loop_of_region(const kpx_converter *c, const kpx_thread_state *t, trace_kind of,
                              uint64_t code)
{
    const kpx_frame *outer = kpx_top_construct(t);
    return of == TRACE_KIND_LOOP && outer && outer->begun_by == KPX_IMPLICIT_BEGIN &&
           t->region != KPX_NONE && c->logs->processes.at[t->process].by_gcc &&
           ((code == 0 && t->loops == 0) || code == c->openmp.regions.at[t->region].code);
}

static uint32_t loop_of_region(kpx_converter *c, const kpx_thread_state *t, const char *called,
                               kpx_doing doing)
{
    uint32_t region = c->openmp.regions.at[t->region].construct;
    const char *place = strchr(kpx_construct_module(c->m, region), ' ');
    const char *file;
    uint32_t line = kpx_construct_line(c->m, region, &file);
    char *module = base_format("%s%s", called, place ? place : "");
    uint32_t construct = kpx_add_construct(c->m, module, TRACE_KIND_LOOP, doing,
                                           kpx_add_source(c->m, file), line);
    free(module);
    return construct;
}

// The address is the runtime's own, so only the enclosing construct is known.
static uint32_t construct_within(kpx_converter *c, const kpx_thread_state *t, trace_kind of,
                                 const char *called, kpx_doing doing)
{
    const kpx_frame *outer = kpx_top_construct(t);
    uint32_t found = outer && of == TRACE_KIND_TASKLOOP ? taskloop_after(c, outer, called, doing)
                                                        : KPX_NONE;
    if (found != KPX_NONE)
        return found;
    return outer ? kpx_add_within(c->m, outer->construct, of, called, doing)
                 : kpx_add_construct(c->m, called, of, doing, KPX_NONE, 0);
}

// Whether flang made the function of the body of a construct.
static bool is_outlined(const kpx_source_place *place)
{
    return place->function && strstr(place->function, "..omp_par");
}

// The line of the enclosing region or task, if it is in the same source; else 0.
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

// flang's lines are near the construct. Code outlined from a region or a task comes after its line.
static void find_directive(const kpx_converter *c, const kpx_thread_state *t, uint32_t source,
                           kpx_source_place *place, trace_kind *kind)
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

// Whether the file is a header of the C++ library, whose functions are inlined into the program's.
static bool is_of_library(const char *file)
{
    const char *include = file ? strstr(file, "/include/") : NULL;
    return include && strstr(include, "/c++/");
}

// The directive of that kind at the place, if there is one.
static bool take_directive(const kpx_converter *c, kpx_source_place *place, trace_kind kind)
{
    size_t length;
    if (!place->file || is_of_library(place->file))
        return false;
    const char *text = kpx_source_text(c->m, kpx_add_source(c->m, place->file), &length);
    uint32_t line = text ? kpx_directive_of(text, length, place->line, kind) : 0;
    place->line = line ? line : place->line;
    return line > 0;
}

// For these kinds gcc gives the line of the directive, of a statement near it, or of an inlined
// function.
static bool has_lines_near(trace_kind kind)
{
    return kind == TRACE_KIND_LOOP || kind == TRACE_KIND_SINGLE || kind == TRACE_KIND_TASKWAIT ||
           kind == TRACE_KIND_TASKGROUP || kind == TRACE_KIND_CRITICAL ||
           kind == TRACE_KIND_ORDERED;
}

static void find_directive_of_gcc(const kpx_converter *c, kpx_symbols *symbols, uint64_t code,
                                  kpx_source_place *place, trace_kind kind)
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

// Locks of C++ are taken in functions of the library, which compilers put into the program's.
static void leave_library(kpx_symbols *symbols, uint64_t code, kpx_source_place *place)
{
    enum { DEPTH = 16 };
    kpx_source_place callers[DEPTH];
    uint32_t n = is_of_library(place->file) ? kpx_symbols_callers(symbols, code, callers, DEPTH) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (callers[i].line && !is_of_library(callers[i].file)) {
            place->file = callers[i].file;
            place->line = callers[i].line;
            return;
        }
    // A function of the library that runs the program's, as that of std::thread.
    if (is_of_library(place->file))
        kpx_symbols_within(symbols, code, is_of_library, place);
}

// Of gcc the end of a loop or a single is a barrier, too, with the line of a statement in it.
static void find_barrier_of_gcc(const kpx_converter *c, kpx_source_place *place)
{
    size_t length;
    if (!place->file || is_of_library(place->file))
        return;
    const char *text = kpx_source_text(c->m, kpx_add_source(c->m, place->file), &length);
    if (!text || kpx_directive_before(text, length, place->line, TRACE_KIND_BARRIER) == place->line)
        return;
    uint32_t loop = kpx_directive_before(text, length, place->line, TRACE_KIND_LOOP);
    uint32_t single = kpx_directive_before(text, length, place->line, TRACE_KIND_SINGLE);
    if (loop > 0 || single > 0)
        place->line = loop > single ? loop : single;
}

// flang has loops and sections by the same calls: what is told as a loop may be sections in the
// text.
static void become(trace_kind found, trace_kind *of, const char **called, kpx_doing *doing)
{
    if (found == *of)
        return;
    if (doing->kind == *of)
        *doing = kpx_doing_of(found);
    *of = found;
    *called = trace_kind_name(found);
}

// What stands for the place: file and line, else the function and the distance from its beginning, else
// the file that has the code and the address in it.
static char *name_of_place(const kpx_source_place *place)
{
    if (place->file && place->line)
        return base_format("%s:%u", kpx_base_name(place->file), place->line);
    if (place->function && place->offset == 0)
        return kpx_demangle(place->function);
    if (!place->function && !place->image)
        return base_copy("unknown");
    char *name = place->function ? kpx_demangle(place->function) : base_copy(kpx_base_name(place->image));
    char *both = base_format("%s+0x%" PRIx64, name, place->offset);
    free(name);
    return both;
}

uint32_t kpx_construct_at(kpx_converter *c, const kpx_thread_state *t, trace_kind of,
                          const char *called, kpx_doing doing, uint64_t code)
{
    uint64_t key = kpx_hash_text(kpx_hash_text(kpx_own(t, code) + doing.waits, called), doing.name);
    uint64_t construct = map_get(&c->construct_of, key);
    if (is_loop_of_region(c, t, of, construct == KPX_AT_ENCLOSING ? 0 : code))
        return loop_of_region(c, t, called, doing);
    if (construct == KPX_AT_ENCLOSING)
        return construct_within(c, t, of, called, doing);
    if (construct != MAP_ABSENT)
        return construct;
    kpx_symbols *symbols = c->logs->processes.at[t->process].symbols;
    kpx_source_place place = kpx_symbols_find(symbols, code);
    if (place.until && !place.in_runtime && has_lines_near(of))
        find_directive_of_gcc(c, symbols, code, &place, of);
    if (place.until && (of == TRACE_KIND_REGION || of == TRACE_KIND_TASK))
        take_directive(c, &place, of);
    if (place.until && !place.in_runtime && of == TRACE_KIND_BARRIER)
        find_barrier_of_gcc(c, &place);
    leave_library(symbols, code, &place);
    if (of == TRACE_KIND_THREAD && place.offset == 1)
        place.offset = 0; // the recorder tells the address behind that of the function
    uint32_t source = code ? kpx_add_source(c->m, place.file) : KPX_NONE;
    if (place.near && source != KPX_NONE && !place.in_runtime) {
        trace_kind found = of;
        find_directive(c, t, source, &place, &found);
        become(found, &of, &called, &doing);
    }
    if (place.in_runtime || code == 0 || (is_outlined(&place) && !place.line)) {
        map_set(&c->construct_of, key, KPX_AT_ENCLOSING);
        return is_loop_of_region(c, t, of, 0) ? loop_of_region(c, t, called, doing)
                                              : construct_within(c, t, of, called, doing);
    }
    char *name = name_of_place(&place);
    char *module = base_format("%s %s", called, name);
    construct = kpx_add_construct(c->m, module, of, doing, source, place.line);
    free(module);
    free(name);
    map_set(&c->construct_of, key, construct);
    return construct;
}

uint32_t kpx_openmp_at(kpx_converter *c, const kpx_thread_state *t, trace_kind of, trace_kind kind,
                       uint64_t code)
{
    return kpx_construct_at(c, t, of, trace_kind_name(of), kpx_doing_of(kind), code);
}

// ---- Statistics -----------------------------------------------------------------------------

// The statistics of the thread's region.
static uint32_t row_of_region(const kpx_converter *c, const kpx_thread_state *t)
{
    return t->region == KPX_NONE ? KPX_NONE : c->openmp.regions.at[t->region].row;
}

// Adds to a figure of the whole program and of the region, if it is in any.
static void add_to(kpx_converter *c, uint32_t region, trace_figure_kind row, trace_figure more)
{
    kpx_statistics *s = c->statistics;
    trace_figure *own = region == KPX_NONE ? NULL : &s->regions.at[region].figures[row];
    trace_figure *figures[] = {&s->figures[row], own};
    for (int i = 0; i < 2 && figures[i]; i++) {
        figures[i]->count += more.count;
        figures[i]->running += more.running;
        figures[i]->waiting += more.waiting;
        figures[i]->ran += more.ran;
        figures[i]->spun += more.spun;
    }
}

static kpx_idle idle_in(kpx_thread_state *t, const kpx_frame *f, uint64_t end)
{
    return kpx_idle_in(&t->windows, t->since, end, f->waits || f->begun_by == KPX_MPI_BEGIN);
}

// The open interval counts as waiting, or as running in all constructs of the stack down to the current
// task.
static void count_time(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_frame *top = &t->stack.at[t->stack.n - 1];
    kpx_idle idle = idle_in(t, top, c->now);
    uint64_t time = c->now - t->since, without = idle.slept + idle.queued;
    uint64_t had = time > without ? time - without : 0;
    if (top->waits && top->row != TRACE_FIGURES)
        add_to(c, top->counts_for, top->row, (trace_figure){.waiting = time, .spun = had});
    for (uint32_t i = t->stack.n; i > 0 && t->stack.at[i - 1].begun_by != KPX_TASK_CREATE; i--) {
        const kpx_frame *f = &t->stack.at[i - 1];
        if (!f->waits && f->row != TRACE_FIGURES)
            add_to(c, f->counts_for, f->row, (trace_figure){.running = time, .ran = had});
    }
}

void kpx_count(kpx_converter *c, const kpx_thread_state *t, trace_figure_kind row)
{
    if (row != TRACE_FIGURES && !c->paused.at[t->process])
        add_to(c, row_of_region(c, t), row, (trace_figure){.count = 1});
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

// The depths of executions increase from the bottom of the stack to its top.
uint32_t kpx_open_executions(const kpx_thread_state *t)
{
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by == KPX_SITE_BEGIN)
            return t->stack.at[i - 1].open;
    return 0;
}

// Adds the values of a chunk. For a static loop with chunks the runtime reports a thread's first
// chunk; the next ones follow at the distance of all threads' chunks.
static void add_chunk(kpx_converter *c, const kpx_thread_state *t, const kpx_frame *f,
                      uint32_t activity)
{
    kpx_add_schedule(c->m, activity, f->schedule);
    kpx_add_value(c->m, activity, TRACE_KEY_FIRST, f->first);
    kpx_add_value(c->m, activity, TRACE_KEY_ITERATIONS, f->count);
    kpx_add_value(c->m, activity, TRACE_KEY_LOOP, f->loop);
    kpx_add_value(c->m, activity, TRACE_KEY_OF, f->iterations);
    int64_t threads = t->region == KPX_NONE ? 1 : c->openmp.regions.at[t->region].threads;
    int64_t every;
    if (f->schedule == TRACE_SCHEDULE_STATIC && !__builtin_mul_overflow(f->count, threads, &every) &&
        f->iterations > threads && every <= f->iterations - threads)
        kpx_add_value(c->m, activity, TRACE_KEY_EVERY, every);
}

// When the last source of the open interval's edges ended; 0: it has no edges.
static uint64_t last_needed(const kpx_converter *c, const kpx_thread_state *t)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < t->needs.n; i++) {
        uint64_t end = kpx_activity_end(c->m, t->needs.at[i].from);
        last = end > last ? end : last;
    }
    return last;
}

// Of what only waits it goes without saying that it slept. It may be over, and have no processor to go on.
static void add_idle(kpx_converter *c, kpx_thread_state *t, const kpx_frame *f, uint32_t activity,
                     uint64_t end)
{
    kpx_idle idle = idle_in(t, f, end);
    if (idle.slept > 0 && !f->waits)
        kpx_add_value(c->m, activity, TRACE_KEY_SLEPT, (int64_t)idle.slept);
    if (idle.queued > 0)
        kpx_add_value(c->m, activity, TRACE_KEY_QUEUED, (int64_t)idle.queued);
}

static void add_interval(kpx_converter *c, kpx_thread_state *t, kpx_frame *f, uint32_t construct,
                         uint64_t end, bool takes_all)
{
    f->seen = true;
    uint32_t a = kpx_add_activity(c->m, construct, t->place, t->maker, t->since, end);
    uint32_t depth = kpx_open_executions(t);
    if (depth > 0)
        kpx_add_value(c->m, a, f->begun_by == KPX_SITE_BEGIN ? TRACE_KEY_DEPTH : TRACE_KEY_WITHIN,
                      depth);
    if (takes_all && f->count > 0)
        add_chunk(c, t, f, a);
    add_idle(c, t, f, a, end);
    for (uint32_t i = 0; takes_all && i < t->values.n; i++)
        kpx_add_value(c->m, a, t->values.at[i].key, t->values.at[i].number);
    for (uint32_t i = 0; takes_all && i < t->needs.n; i++)
        kpx_add_arrow(c->m, t->needs.at[i].from, a, t->needs.at[i].edge);
    t->last = t->maker = a;
    t->since = end;
}

// A wait in a call of MPI ends when the last source of its edges has ended. The rest of the call
// is the library's work.
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
        count_time(c, t);
        came = came < t->since ? t->since : came;
        if (is_call(f) && t->needs.n > 0 && came < c->now) {
            add_interval(c, t, f, f->construct, came, true);
            uint32_t rest = kpx_add_sibling(c->m, f->construct, kpx_doing_of(TRACE_KIND_TRANSFER));
            add_interval(c, t, f, rest, c->now, false);
        } else {
            add_interval(c, t, f, f->construct, c->now, true);
        }
    }
    t->needs.n = t->values.n = 0;
    t->since = c->now;
}

void kpx_needs(kpx_thread_state *t, uint32_t from, trace_edge edge)
{
    if (from != KPX_NONE && from != t->last)
        ARRAY_PUSH(t->needs, ((kpx_need){from, edge}));
}

void kpx_push(kpx_converter *c, kpx_thread_state *t, kpx_frame f)
{
    kpx_close(c, t);
    f.counts_for = row_of_region(c, t);
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

void kpx_begin_serial(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_process_log *p = &c->logs->processes.at[t->process];
    trace_kind kind = p->rank >= 0 || !p->openmp ? TRACE_KIND_COMPUTATION : TRACE_KIND_SERIAL;
    if (t->stack.n > 0)
        return;
    uint32_t serial = kpx_add_construct(c->m, trace_kind_name(kind), kind, kpx_doing_of(kind),
                                        KPX_NONE, 0);
    kpx_push(c, t, (kpx_frame){serial, KPX_THREAD_BEGIN, 0, TRACE_FIGURES, .waits = false});
}
