// SPDX-License-Identifier: MIT
//
// The events of all threads are read in order of time. Each thread has a stack of what it is in;
// whenever an event changes that, the stretch since the last change becomes an activity.
//
//   thread:   outside -> region -> loop | single | sections | master | critical | task | wait ...
//
// A wait (barrier, lock, critical, ordered, taskwait) is an activity of its own, with an arrow from
// what it waited for: from the stretch of the thread that came last to a barrier, from what held
// the lock before. A task that a thread carries out while it waits interrupts its wait, and leads to
// the end of the barrier like a thread that comes there.
#include "kpx-bridge/openmp.h"

#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/map.h"
#include "kpx-bridge/openmp_kinds.h"

// What a thread is in.
typedef struct {
    uint32_t construct;
    kpx_kind begun_by; // the kind of event that began it
    uint64_t key;      // mutex, task or region: what its end names
    kpx_row_kind row;  // where its time counts, or KPX_ROWS
    bool waits;
    uint32_t resume;   // of a task: the thread's last activity before it
    const char *schedule;      // of a loop, else NULL
    int64_t iterations;        // of all threads
    int64_t first, count;      // the chunk; count 0: none yet
} frame;

typedef struct {
    uint32_t from;
    const char *text;
} need;

typedef struct {
    uint32_t place;
    uint32_t last;   // its last activity; KPX_NONE
    uint64_t since;  // when the open stretch began
    uint32_t maker;  // of the open stretch
    KPX_ARRAY(frame) stack;
    KPX_ARRAY(need) needs;      // arrows to the open stretch
    uint32_t region;            // innermost, KPX_NONE: outside of all
    uint32_t barriers;          // it has been to in that region
    uint32_t last_work;         // construct of the work-sharing construct it left last
    uint64_t task;              // that it is in
    uint32_t index, next;       // in log->threads; its next event
} thread;

typedef struct {
    uint32_t region, number;
    uint32_t last; // the activity that came last
} barrier;

typedef struct {
    uint32_t construct;
    uint32_t outer;   // region of its master before, KPX_NONE
    uint32_t outer_barriers;
    uint32_t fork;    // activity
    uint64_t began;
    uint32_t threads;
    uint32_t row;     // of statistics->regions
    char *where;      // "heat.c:41"
} region;

typedef struct {
    uint32_t construct;
    uint32_t creator; // activity
    uint32_t last;    // activity, KPX_NONE: it has not run
    uint64_t parent;  // task
    KPX_ARRAY(uint32_t) after; // tasks
} task;

typedef struct {
    kpx_model *m;
    const kpx_process_log *log;
    const char *prefix;
    kpx_statistics *statistics;
    thread *threads;
    uint32_t nthreads;
    KPX_ARRAY(uint32_t) heap; // threads with events left, earliest event first
    KPX_ARRAY(barrier) barriers;
    KPX_ARRAY(region) regions;
    KPX_ARRAY(task) tasks;
    kpx_map region_of, task_of; // by number in the log
    kpx_map barrier_of;         // region << 32 | number
    kpx_map holder_of;          // mutex: the activity that held it last
    kpx_map child_of;           // task: the activity that ended the last of its children
    uint64_t now;
} converter;

// ---- Constructs -----------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *where_is(const kpx_source_place *place)
{
    if (place->file && place->line)
        return kpx_text("%s:%u", base_name(place->file), place->line);
    return kpx_copy(place->function ? place->function : "unknown");
}

// The construct `name` of the module "kind file:line".
static uint32_t construct_at(converter *c, const char *kind, const char *name, bool waits,
                             uint64_t code)
{
    kpx_source_place place = kpx_symbols_find(c->log->symbols, code);
    char *where = where_is(&place), *module = kpx_text("%s %s", kind, where);
    uint32_t source = kpx_add_source(c->m, place.file);
    uint32_t construct = kpx_add_construct(c->m, module, name, waits, source, place.line);
    free(where);
    free(module);
    return construct;
}

// ---- Stretches ------------------------------------------------------------------------------

static frame *top_of(thread *t)
{
    return t->stack.n > 0 ? &t->stack.at[t->stack.n - 1] : NULL;
}

static kpx_row *row_of(converter *c, const thread *t, kpx_row_kind row)
{
    if (!c->statistics || t->region == KPX_NONE)
        return NULL;
    return &c->statistics->regions.at[c->regions.at[t->region].row].rows[row];
}

static void count_time(converter *c, const thread *t, const frame *f, uint64_t time)
{
    if (!c->statistics || f->row == KPX_ROWS)
        return;
    kpx_row *rows[] = {&c->statistics->rows[f->row], row_of(c, t, f->row)};
    for (int i = 0; i < 2; i++)
        if (rows[i] && f->waits)
            rows[i]->waiting += time;
        else if (rows[i])
            rows[i]->running += time;
}

static void count_one(converter *c, const thread *t, kpx_row_kind row)
{
    if (!c->statistics || row == KPX_ROWS)
        return;
    c->statistics->rows[row].count++;
    kpx_row *own = row_of(c, t, row);
    if (own)
        own->count++;
}

// What is known of a chunk. Of a static loop with chunks the runtime tells a thread's first one; the
// others follow at the distance of all threads' chunks.
static void add_chunk(converter *c, const thread *t, const frame *f, uint32_t activity)
{
    kpx_add_text(c->m, activity, "schedule", f->schedule);
    kpx_add_value(c->m, activity, "first", f->first);
    kpx_add_value(c->m, activity, "iterations", f->count);
    int64_t threads = t->region == KPX_NONE ? 1 : c->regions.at[t->region].threads;
    if (strcmp(f->schedule, "static") == 0 && f->count * threads <= f->iterations - threads)
        kpx_add_value(c->m, activity, "every", f->count * threads);
}

// Ends the open stretch. One of no length that says nothing is left out.
static void close_stretch(converter *c, thread *t)
{
    const frame *f = top_of(t);
    bool says = t->needs.n > 0 || (f && f->count > 0);
    if (f && (c->now > t->since || says)) {
        uint32_t a = kpx_add_activity(c->m, f->construct, t->place, t->maker, t->since, c->now);
        if (f->count > 0)
            add_chunk(c, t, f, a);
        for (uint32_t i = 0; i < t->needs.n; i++)
            kpx_add_arrow(c->m, t->needs.at[i].from, a, t->needs.at[i].text);
        count_time(c, t, f, c->now - t->since);
        t->last = t->maker = a;
    }
    t->needs.n = 0;
    t->since = c->now;
}

static void needs(thread *t, uint32_t from, const char *text)
{
    if (from != KPX_NOT_THERE && from != t->last)
        KPX_PUSH(t->needs, ((need){from, text}));
}

static void push(converter *c, thread *t, frame f)
{
    close_stretch(c, t);
    KPX_PUSH(t->stack, f);
}

// The innermost frame that an event of this kind began (with that key), or NULL.
static frame *find_frame(thread *t, kpx_kind begun_by, uint64_t key)
{
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by == begun_by && t->stack.at[i - 1].key == key)
            return &t->stack.at[i - 1];
    return NULL;
}

// Ends it; what was begun within and has not ended goes on (locks need not nest).
static bool pop(converter *c, thread *t, kpx_kind begun_by, uint64_t key)
{
    frame *f = find_frame(t, begun_by, key);
    if (!f)
        return false;
    close_stretch(c, t);
    size_t above = (size_t)(&t->stack.at[t->stack.n] - (f + 1));
    memmove(f, f + 1, above * sizeof *f);
    t->stack.n--;
    return true;
}

// ---- Regions --------------------------------------------------------------------------------

static uint32_t statistics_row(converter *c, const kpx_source_place *place)
{
    kpx_statistics *s = c->statistics;
    const char *file = place->file ? base_name(place->file) : NULL;
    if (!s)
        return 0;
    for (uint32_t i = 0; i < s->regions.n; i++) {
        const char *other = s->regions.at[i].file;
        if (s->regions.at[i].line == place->line &&
            (file == other || (file && other && strcmp(file, other) == 0)))
            return i;
    }
    KPX_PUSH(s->regions, ((kpx_region){.file = file ? kpx_copy(file) : NULL, .line = place->line}));
    return s->regions.n - 1;
}

static void begin_parallel(converter *c, thread *t, const kpx_event *e)
{
    close_stretch(c, t);
    kpx_source_place place = kpx_symbols_find(c->log->symbols, e->b);
    KPX_PUSH(c->regions,
             ((region){.construct = construct_at(c, "region", "region", false, e->b),
                       .outer = t->region,
                       .outer_barriers = t->barriers,
                       .fork = t->last,
                       .began = c->now,
                       .threads = e->value,
                       .row = statistics_row(c, &place),
                       .where = where_is(&place)}));
    kpx_map_set(&c->region_of, e->a, c->regions.n - 1);
}

static void end_parallel(converter *c, thread *t, const kpx_event *e)
{
    uint32_t number = kpx_map_get(&c->region_of, e->a);
    if (number == KPX_NOT_THERE)
        return;
    const region *r = &c->regions.at[number];
    uint64_t elapsed = c->now - r->began;
    if (c->statistics) {
        kpx_region *row = &c->statistics->regions.at[r->row];
        row->times++;
        row->elapsed += elapsed;
        row->thread_time += elapsed * r->threads;
        row->threads = row->threads > r->threads ? row->threads : r->threads;
    }
    t->region = r->outer;
    t->barriers = r->outer_barriers;
}

static void begin_implicit(converter *c, thread *t, const kpx_event *e)
{
    uint32_t number = kpx_map_get(&c->region_of, e->a);
    t->task = e->b;
    if (e->flags & 1) { // the program's first thread
        uint32_t construct =
            kpx_add_construct(c->m, "serial", "serial", false, KPX_NONE, 0);
        if (t->index == 0 && c->log->begin && c->log->begin <= c->now && t->stack.n == 0)
            t->since = c->log->begin;
        else
            close_stretch(c, t);
        KPX_PUSH(t->stack, ((frame){construct, KPX_IMPLICIT_BEGIN, e->b, KPX_ROWS, .resume = 0}));
        return;
    }
    if (number == KPX_NOT_THERE)
        return;
    region *r = &c->regions.at[number];
    r->threads = e->value & 0xffff;
    close_stretch(c, t);
    if (e->value >> 16 != 0 || t->stack.n == 0) { // forked
        t->last = KPX_NONE;
        t->maker = r->fork;
        t->since = c->now;
        t->stack.n = 0;
    }
    t->region = number;
    t->barriers = 0;
    KPX_PUSH(t->stack, ((frame){r->construct, KPX_IMPLICIT_BEGIN, e->b, KPX_ROWS, .resume = 0}));
}

static void end_implicit(converter *c, thread *t, const kpx_event *e)
{
    pop(c, t, KPX_IMPLICIT_BEGIN, e->b);
    if (t->stack.n == 0)
        t->region = KPX_NONE;
}

// ---- Barriers and other waits ---------------------------------------------------------------

static bool is_barrier(unsigned kind)
{
    return kind != KPX_SYNC_TASKWAIT && kind != KPX_SYNC_TASKGROUP &&
           kind != KPX_SYNC_REDUCTION;
}

static bool is_user_barrier(unsigned kind)
{
    return kind == KPX_SYNC_BARRIER || kind == KPX_SYNC_BARRIER_EXPLICIT;
}

// The barrier that the thread is at, in its region.
static barrier *barrier_at(converter *c, const thread *t, uint32_t number)
{
    uint64_t key = (uint64_t)t->region << 32 | number;
    uint32_t index = kpx_map_get(&c->barrier_of, key);
    if (index == KPX_NOT_THERE) {
        index = c->barriers.n;
        KPX_PUSH(c->barriers, ((barrier){t->region, number, KPX_NOT_THERE}));
        kpx_map_set(&c->barrier_of, key, index);
    }
    return &c->barriers.at[index];
}

static uint32_t wait_construct(converter *c, const thread *t, const kpx_event *e)
{
    if (e->flags == KPX_SYNC_TASKWAIT)
        return construct_at(c, "taskwait", "taskwait", true, e->b);
    if (e->flags == KPX_SYNC_TASKGROUP)
        return construct_at(c, "taskgroup", "taskgroup", true, e->b);
    if (is_user_barrier(e->flags))
        return construct_at(c, "barrier", "barrier", true, e->b);
    uint32_t of = e->flags == KPX_SYNC_BARRIER_IMPLICIT_PARALLEL && t->region != KPX_NONE
                      ? c->regions.at[t->region].construct
                  : t->last_work != KPX_NONE ? t->last_work
                                             : KPX_NONE;
    const char *name = e->flags == KPX_SYNC_BARRIER_IMPLEMENTATION ? "reduction_barrier"
                                                                           : "implied_barrier";
    if (of == KPX_NONE)
        return construct_at(c, "barrier", name, true, e->b);
    return kpx_add_sibling(c->m, of, name, true);
}

static kpx_row_kind row_of_barrier(unsigned kind)
{
    if (!is_barrier(kind))
        return KPX_ROWS;
    if (kind == KPX_SYNC_BARRIER_IMPLEMENTATION)
        return KPX_REDUCTION;
    return is_user_barrier(kind) ? KPX_USER_BARRIER : KPX_IMPLIED_BARRIER;
}

static void begin_wait(converter *c, thread *t, const kpx_event *e)
{
    kpx_row_kind row = row_of_barrier(e->flags);
    push(c, t, (frame){wait_construct(c, t, e), KPX_WAIT_BEGIN, e->flags, row, .waits = true});
    if (!is_barrier(e->flags) || t->region == KPX_NONE)
        return;
    barrier *b = barrier_at(c, t, t->barriers++);
    if (b->last == KPX_NOT_THERE && row != KPX_REDUCTION)
        count_one(c, t, row);
    b->last = t->last;
}

// The master leaves the barrier at the end of a region: for the others this is the end of the wait,
// too, though their runtime may keep them in it until the next region.
static void join_team(converter *c, const thread *master)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        thread *t = &c->threads[i];
        if (t == master || t->region != master->region || t->stack.n == 0)
            continue;
        const barrier *b = barrier_at(c, t, t->barriers - 1);
        needs(t, b->last, "join");
        close_stretch(c, t);
        t->stack.n = 0;
        t->region = KPX_NONE;
    }
}

static void end_wait(converter *c, thread *t, const kpx_event *e)
{
    if (!find_frame(t, KPX_WAIT_BEGIN, e->flags))
        return;
    bool joins = e->flags == KPX_SYNC_BARRIER_IMPLICIT_PARALLEL;
    if (is_barrier(e->flags) && t->region != KPX_NONE)
        needs(t, barrier_at(c, t, t->barriers - 1)->last, joins ? "join" : "barrier");
    else if (!is_barrier(e->flags))
        needs(t, kpx_map_get(&c->child_of, t->task), "task");
    pop(c, t, KPX_WAIT_BEGIN, e->flags);
    frame *f = top_of(t);
    if (joins && f && f->begun_by == KPX_IMPLICIT_BEGIN && t->stack.n > 1)
        join_team(c, t); // it has been in something before the region: the master
}

// ---- Mutexes --------------------------------------------------------------------------------

static const char *mutex_name(unsigned kind)
{
    return kind == KPX_MUTEX_CRITICAL ? "critical"
           : kind == KPX_MUTEX_ORDERED ? "ordered"
           : kind == KPX_MUTEX_ATOMIC  ? "atomic"
                                        : "lock";
}

static kpx_row_kind row_of_mutex(unsigned kind)
{
    return kind == KPX_MUTEX_CRITICAL ? KPX_CRITICAL
           : kind == KPX_MUTEX_ORDERED ? KPX_ORDERED
           : kind == KPX_MUTEX_ATOMIC  ? KPX_ATOMIC
                                        : KPX_ROWS;
}

static void begin_acquire(converter *c, thread *t, const kpx_event *e)
{
    const char *kind = mutex_name(e->flags);
    char *name = kpx_text("%s_wait", kind);
    push(c, t, (frame){construct_at(c, kind, name, true, e->b), KPX_MUTEX_ACQUIRE, e->a,
                       row_of_mutex(e->flags), .waits = true});
    free(name);
}

static void acquired(converter *c, thread *t, const kpx_event *e)
{
    const char *kind = mutex_name(e->flags);
    if (find_frame(t, KPX_MUTEX_ACQUIRE, e->a)) {
        needs(t, kpx_map_get(&c->holder_of, e->a), kind);
        pop(c, t, KPX_MUTEX_ACQUIRE, e->a);
    }
    count_one(c, t, row_of_mutex(e->flags));
    push(c, t, (frame){construct_at(c, kind, kind, false, e->b), KPX_MUTEX_ACQUIRED, e->a,
                       row_of_mutex(e->flags), .waits = false});
}

static void released(converter *c, thread *t, const kpx_event *e)
{
    if (pop(c, t, KPX_MUTEX_ACQUIRED, e->a) && t->last != KPX_NONE)
        kpx_map_set(&c->holder_of, e->a, t->last);
}

// ---- Work-sharing ---------------------------------------------------------------------------

static const char *schedule_name(unsigned kind)
{
    return kind == KPX_WORK_LOOP_STATIC    ? "static"
           : kind == KPX_WORK_LOOP_DYNAMIC ? "dynamic"
           : kind == KPX_WORK_LOOP_GUIDED  ? "guided"
                                            : "other";
}

static const char *work_name(unsigned kind)
{
    switch (kind) {
    case KPX_WORK_SECTIONS:
        return "sections";
    case KPX_WORK_SINGLE_EXECUTOR:
        return "single";
    case KPX_WORK_WORKSHARE:
        return "workshare";
    case KPX_WORK_DISTRIBUTE:
        return "distribute";
    case KPX_WORK_TASKLOOP:
        return "taskloop";
    case KPX_WORK_SCOPE:
        return "scope";
    default:
        return "loop";
    }
}

static void begin_work(converter *c, thread *t, const kpx_event *e)
{
    if (e->flags == KPX_WORK_SINGLE_OTHER)
        return;
    bool loops = e->flags == KPX_WORK_LOOP || e->flags >= KPX_WORK_LOOP_STATIC;
    const char *name = work_name(e->flags);
    kpx_row_kind row = e->flags == KPX_WORK_SINGLE_EXECUTOR ? KPX_SINGLE : KPX_ROWS;
    count_one(c, t, row);
    push(c, t, (frame){construct_at(c, name, name, false, e->b), KPX_WORK_BEGIN, e->flags, row,
                       .schedule = loops ? schedule_name(e->flags) : NULL,
                       .iterations = (int64_t)e->a});
}

static void end_work(converter *c, thread *t, const kpx_event *e)
{
    const frame *f = find_frame(t, KPX_WORK_BEGIN, e->flags);
    if (f)
        t->last_work = f->construct;
    pop(c, t, KPX_WORK_BEGIN, e->flags);
}

static void begin_chunk(converter *c, thread *t, const kpx_event *e)
{
    frame *f = top_of(t);
    if (!f || f->begun_by != KPX_WORK_BEGIN || !f->schedule || e->b == 0)
        return;
    if (f->count > 0)
        close_stretch(c, t);
    f->first = (int64_t)e->a;
    f->count = (int64_t)e->b;
}

static void begin_masked(converter *c, thread *t, const kpx_event *e)
{
    count_one(c, t, KPX_MASTER);
    push(c, t, (frame){construct_at(c, "master", "master", false, e->b), KPX_MASKED_BEGIN, 0,
                       KPX_MASTER, .waits = false});
}

static void begin_reduction(converter *c, thread *t, const kpx_event *e)
{
    push(c, t, (frame){construct_at(c, "reduction", "reduction", false, e->b),
                       KPX_REDUCTION_BEGIN, 0, KPX_REDUCTION, .waits = false});
}

// ---- Tasks ----------------------------------------------------------------------------------

static void create_task(converter *c, thread *t, const kpx_event *e)
{
    close_stretch(c, t);
    kpx_map_set(&c->task_of, e->a, c->tasks.n);
    KPX_PUSH(c->tasks, ((task){.construct = construct_at(c, "task", "task", false, e->b),
                               .creator = t->last,
                               .last = KPX_NONE,
                               .parent = t->task}));
}

static task *task_of(converter *c, uint64_t number)
{
    uint32_t index = number ? kpx_map_get(&c->task_of, number) : KPX_NOT_THERE;
    return index == KPX_NOT_THERE ? NULL : &c->tasks.at[index];
}

static void task_after(converter *c, const kpx_event *e)
{
    uint32_t before = kpx_map_get(&c->task_of, e->a);
    task *after = task_of(c, e->b);
    if (before != KPX_NOT_THERE && after)
        KPX_PUSH(after->after, before);
}

// A task is over: its thread goes on with what it did before.
static void end_task(converter *c, thread *t, uint64_t number, task *k)
{
    const frame *f = find_frame(t, KPX_TASK_CREATE, number);
    if (!f)
        return;
    uint32_t resume = f->resume;
    pop(c, t, KPX_TASK_CREATE, number);
    k->last = t->last;
    kpx_map_set(&c->child_of, k->parent, t->last);
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by == KPX_WAIT_BEGIN && is_barrier((unsigned)t->stack.at[i - 1].key) &&
            t->region != KPX_NONE)
            barrier_at(c, t, t->barriers - 1)->last = t->last;
    t->last = t->maker = resume;
}

static void begin_task(converter *c, thread *t, uint64_t number, task *k)
{
    if (find_frame(t, KPX_TASK_CREATE, number))
        return; // it goes on
    uint32_t resume = t->last;
    push(c, t, (frame){k->construct, KPX_TASK_CREATE, number, KPX_ROWS, .resume = resume});
    t->maker = k->last == KPX_NONE ? k->creator : k->last;
    t->last = KPX_NONE;
    for (uint32_t i = 0; i < k->after.n; i++)
        needs(t, c->tasks.at[k->after.at[i]].last, "dependence");
}

static void switch_task(converter *c, thread *t, const kpx_event *e)
{
    task *left = task_of(c, e->a), *begun = task_of(c, e->b);
    close_stretch(c, t);
    if (left && (e->flags == KPX_TASK_COMPLETE || e->flags == KPX_TASK_CANCEL))
        end_task(c, t, e->a, left);
    if (begun)
        begin_task(c, t, e->b, begun);
    if (e->b)
        t->task = e->b;
}

// ---- All events -----------------------------------------------------------------------------

static void take_event(converter *c, thread *t, const kpx_event *e)
{
    switch ((kpx_kind)e->kind) {
    case KPX_PARALLEL_BEGIN:
        begin_parallel(c, t, e);
        break;
    case KPX_PARALLEL_END:
        end_parallel(c, t, e);
        break;
    case KPX_IMPLICIT_BEGIN:
        begin_implicit(c, t, e);
        break;
    case KPX_IMPLICIT_END:
        end_implicit(c, t, e);
        break;
    case KPX_WORK_BEGIN:
        begin_work(c, t, e);
        break;
    case KPX_WORK_END:
        end_work(c, t, e);
        break;
    case KPX_CHUNK:
        begin_chunk(c, t, e);
        break;
    case KPX_WAIT_BEGIN:
        begin_wait(c, t, e);
        break;
    case KPX_WAIT_END:
        end_wait(c, t, e);
        break;
    case KPX_MUTEX_ACQUIRE:
        begin_acquire(c, t, e);
        break;
    case KPX_MUTEX_ACQUIRED:
        acquired(c, t, e);
        break;
    case KPX_MUTEX_RELEASED:
        released(c, t, e);
        break;
    case KPX_MASKED_BEGIN:
        begin_masked(c, t, e);
        break;
    case KPX_MASKED_END:
        pop(c, t, KPX_MASKED_BEGIN, 0);
        break;
    case KPX_REDUCTION_BEGIN:
        begin_reduction(c, t, e);
        break;
    case KPX_REDUCTION_END:
        pop(c, t, KPX_REDUCTION_BEGIN, 0);
        break;
    case KPX_TASK_CREATE:
        create_task(c, t, e);
        break;
    case KPX_TASK_SWITCH:
        switch_task(c, t, e);
        break;
    case KPX_TASK_AFTER:
        task_after(c, e);
        break;
    default: // of other recorders
        break;
    }
}

static uint64_t time_of(const converter *c, uint32_t i)
{
    const thread *t = &c->threads[i];
    return c->log->threads.at[t->index].events[t->next].time;
}

static bool comes_before(const converter *c, uint32_t a, uint32_t b)
{
    uint64_t x = time_of(c, a), y = time_of(c, b);
    return x != y ? x < y : a < b;
}

static void sink(converter *c, uint32_t at)
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

static void take_events(converter *c)
{
    for (uint32_t i = c->heap.n; i > 0; i--)
        sink(c, i - 1);
    while (c->heap.n > 0) {
        thread *t = &c->threads[c->heap.at[0]];
        const kpx_thread_log *log = &c->log->threads.at[t->index];
        const kpx_event *e = &log->events[t->next++];
        c->now = e->time;
        take_event(c, t, e);
        if (t->next == log->n)
            c->heap.at[0] = c->heap.at[--c->heap.n];
        if (c->heap.n > 0)
            sink(c, 0);
    }
}

static bool has_openmp(const kpx_thread_log *log)
{
    for (uint32_t i = 0; i < log->n; i++)
        if (log->events[i].kind <= KPX_REDUCTION_END)
            return true;
    return false;
}

static void make_threads(converter *c)
{
    c->threads = kpx_allocate(c->log->threads.n * sizeof *c->threads);
    for (uint32_t i = 0; i < c->log->threads.n; i++) {
        if (!has_openmp(&c->log->threads.at[i]))
            continue;
        char *name = kpx_text("%sthread %u", c->prefix, c->nthreads);
        c->threads[c->nthreads] = (thread){.place = kpx_add_place(c->m, name),
                                           .last = KPX_NONE,
                                           .maker = KPX_NONE,
                                           .region = KPX_NONE,
                                           .last_work = KPX_NONE,
                                           .index = i};
        free(name);
        KPX_PUSH(c->heap, c->nthreads++);
    }
}

static void note_observed(converter *c)
{
    static const kpx_row_kind observed[] = {KPX_MASTER,       KPX_SINGLE,          KPX_CRITICAL,
                                            KPX_ORDERED,      KPX_USER_BARRIER,
                                            KPX_IMPLIED_BARRIER, KPX_REDUCTION};
    kpx_statistics *s = c->statistics;
    for (size_t k = 0; s && k < sizeof observed / sizeof *observed; k++) {
        s->rows[observed[k]].observed = true;
        for (uint32_t i = 0; i < s->regions.n; i++)
            s->regions.at[i].rows[observed[k]].observed = true;
    }
}

static void free_all(converter *c)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        free(c->threads[i].stack.at);
        free(c->threads[i].needs.at);
    }
    for (uint32_t i = 0; i < c->regions.n; i++)
        free(c->regions.at[i].where);
    for (uint32_t i = 0; i < c->tasks.n; i++)
        free(c->tasks.at[i].after.at);
    free(c->threads), free(c->heap.at), free(c->barriers.at), free(c->regions.at);
    free(c->tasks.at);
    kpx_map *maps[] = {&c->region_of, &c->task_of, &c->barrier_of, &c->holder_of, &c->child_of};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        kpx_map_free(maps[i]);
}

void kpx_convert_openmp(kpx_model *m, const kpx_process_log *p, const char *prefix,
                        kpx_statistics *statistics)
{
    converter c = {.m = m, .log = p, .prefix = prefix, .statistics = statistics};
    make_threads(&c);
    take_events(&c);
    if (p->end > c.now)
        c.now = p->end;
    for (uint32_t i = 0; i < c.nthreads; i++) // whatever was open when the program ended
        close_stretch(&c, &c.threads[i]);
    note_observed(&c);
    if (statistics) {
        statistics->nodes++;
        statistics->elapsed += c.now - (p->begin ? p->begin : c.now);
    }
    free_all(&c);
}
