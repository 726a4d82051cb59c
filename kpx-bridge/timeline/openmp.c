// SPDX-License-Identifier: MIT
//
// OpenMP: regions, work-sharing, barriers, mutexes, tasks. A barrier has edges from the activity
// of the thread that came last to all others. A lock has an edge from the activity that held it
// before. A task that a thread runs while it waits interrupts the wait; an edge leads from the
// task to the end of the barrier, as from a thread that comes there.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/log/openmp_kinds.h"
#include "kpx-bridge/timeline/converter.h"

// ---- Tasks that are forgotten -----------------------------------------------------------------

// One less needs to know of the task.
static void leave_task(kpx_converter *c, uint32_t task)
{
    kpx_task *k = &c->openmp.tasks.at[task];
    if (--k->users > 0)
        return;
    if (kpx_number_of(&c->openmp.task_of, k->key) == task)
        map_remove(&c->openmp.task_of, k->key);
    free(k->after.at);
    k->after.at = NULL;
    k->after.n = k->after.capacity = 0;
    ARRAY_PUSH(c->openmp.no_tasks, task);
}

static void leave_tasks(kpx_converter *c, const uint32_t *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        leave_task(c, tasks[i]);
}

// A task has ended: it makes no more children. `parent` is its number, unique among all.
static void forget_parent(kpx_converter *c, uint64_t parent)
{
    uint32_t i = kpx_number_of(&c->openmp.last_use_of, parent);
    map_remove(&c->openmp.last_use_of, parent);
    map_remove(&c->openmp.child_of, parent);
    while (i != KPX_NONE) {
        kpx_use *use = &c->openmp.uses.at[i];
        map_remove(&c->openmp.use_of, use->key);
        leave_tasks(c, &use->writer, use->writer != KPX_NONE);
        leave_tasks(c, use->readers.at, use->readers.n);
        free(use->readers.at);
        use->readers.at = NULL;
        ARRAY_PUSH(c->openmp.no_uses, i);
        i = use->older;
    }
}

// ---- Regions --------------------------------------------------------------------------------

static void forget_barrier(kpx_converter *c, kpx_region_state *r, uint32_t index)
{
    kpx_barrier *all = c->openmp.barriers.at;
    const kpx_barrier *b = &all[index];
    map_remove(&c->openmp.barrier_of, b->key);
    *(b->before == KPX_NONE ? &r->barriers : &all[b->before].next) = b->next;
    if (b->next != KPX_NONE)
        all[b->next].before = b->before;
    ARRAY_PUSH(c->openmp.no_barriers, index);
}

// Forgets the region, and those around it, if they have ended and nobody is in them.
static void forget_regions(kpx_converter *c, uint32_t region)
{
    while (region != KPX_NONE) {
        kpx_region_state *r = &c->openmp.regions.at[region];
        if (!r->used || !r->ended || r->inside > 0)
            return;
        if (kpx_number_of(&c->openmp.region_of, r->key) == region)
            map_remove(&c->openmp.region_of, r->key);
        while (r->barriers != KPX_NONE)
            forget_barrier(c, r, r->barriers);
        free(r->places.at);
        r->places.at = NULL;
        r->used = false;
        ARRAY_PUSH(c->openmp.no_regions, region);
        region = r->outer;
        if (region != KPX_NONE)
            c->openmp.regions.at[region].inside--;
    }
}

void kpx_enter_region(kpx_converter *c, kpx_thread_state *t, uint32_t region)
{
    uint32_t before = t->region;
    if (region != KPX_NONE)
        c->openmp.regions.at[region].inside++;
    t->region = region;
    if (before == KPX_NONE)
        return;
    c->openmp.regions.at[before].inside--;
    forget_regions(c, before);
}

static void add_region(kpx_converter *c, kpx_region_state r)
{
    uint32_t place = kpx_place_for(&c->openmp.no_regions, c->openmp.regions.n);
    r.serial = c->openmp.serials++;
    r.barriers = r.master = KPX_NONE;
    r.used = true;
    if (r.outer != KPX_NONE)
        c->openmp.regions.at[r.outer].inside++;
    map_set(&c->openmp.region_of, r.key, place);
    KPX_PUT_AT(c->openmp.regions, place, r);
}

// KPX_NONE: the region is not counted.
static uint32_t statistics_row(kpx_converter *c, uint32_t process, uint32_t construct)
{
    kpx_statistics *s = c->statistics;
    const char *file;
    if (c->paused.at[process])
        return KPX_NONE;
    uint64_t row = map_get(&c->openmp.row_of, construct);
    if (row != MAP_ABSENT)
        return row;
    uint32_t line = kpx_construct_line(c->m, construct, &file);
    const char *name = strchr(kpx_construct_module(c->m, construct), ' ');
    bool is_named = (!file || line == 0) && name; // by its function
    ARRAY_PUSH(s->regions, ((kpx_region){.file = is_named ? base_copy(name + 1)
                                                 : file   ? base_copy(kpx_base_name(file))
                                                          : NULL,
                                         .line = line,
                                         .construct = construct}));
    map_set(&c->openmp.row_of, construct, s->regions.n - 1);
    return s->regions.n - 1;
}

static void begin_outermost(kpx_converter *c, uint32_t process)
{
    kpx_parallel_time *p = &c->openmp.parallel[process];
    p->since = p->open == 0 ? c->now : p->since;
    p->open++;
}

// Regions that several threads have open at the same time count once.
static void end_outermost(kpx_converter *c, uint32_t process)
{
    kpx_parallel_time *p = &c->openmp.parallel[process];
    if (p->open > 0 && --p->open == 0)
        c->statistics->parallel += c->now - p->since;
}

static void begin_parallel(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_close(c, t);
    // The runtime begins an inner region in each of several teams.
    bool inner = e->b == 0 && t->region != KPX_NONE;
    uint32_t construct = inner ? c->openmp.regions.at[t->region].construct
                               : kpx_openmp_at(c, t, TRACE_KIND_REGION, TRACE_KIND_REGION, e->b);
    uint32_t row = inner ? KPX_NONE : statistics_row(c, t->process, construct);
    add_region(c, (kpx_region_state){.key = kpx_own(t, e->a),
                                     .construct = construct,
                                     .code = e->b,
                                     .process = t->process,
                                     .outer = t->region,
                                     .outer_barrier = t->barrier,
                                     .outer_loops = t->loops,
                                     .outer_task = t->task,
                                     .fork = t->last,
                                     .began = c->now,
                                     .threads = e->value,
                                     .row = row});
    if (t->region == KPX_NONE && row != KPX_NONE)
        begin_outermost(c, t->process);
    if (!c->paused.at[t->process])
        kpx_push(c, t, (kpx_frame){kpx_openmp_at(c, t, TRACE_KIND_FORK, TRACE_KIND_FORK, e->b),
                                   KPX_PARALLEL_BEGIN, e->a, TRACE_FIGURES, .waits = false});
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The team of the region, which is mostly the one of the region's last execution. It takes the places.
static void add_team(kpx_region *row, kpx_region_state *r, uint64_t end)
{
    const kpx_team *last = row->teams.n > 0 ? &row->teams.at[row->teams.n - 1] : NULL;
    bool again = last && last->nplaces == r->places.n && r->places.n > 0 &&
                 memcmp(last->places, r->places.at, r->places.n * sizeof *r->places.at) == 0;
    kpx_team team = {r->began, end, (uint32_t)r->places.n, again, again ? last->places : r->places.at};
    if (again)
        free(r->places.at);
    r->places.at = NULL; // a damaged log may go on with the region
    r->places.n = r->places.capacity = 0;
    ARRAY_PUSH(row->teams, team);
}

// The region ends now, and its team keeps the places. The time of all threads is that of outermost
// regions plus that of the additional threads in nested teams.
static void count_execution(kpx_converter *c, kpx_region_state *r, uint32_t process)
{
    kpx_statistics *s = c->statistics;
    uint64_t elapsed = c->now - r->began;
    r->ended = true;
    if (r->outer != KPX_NONE && r->threads > 0)
        s->thread_time += elapsed * (r->threads - 1);
    if (r->row == KPX_NONE)
        return;
    kpx_region *row = &s->regions.at[r->row];
    row->elapsed += elapsed;
    row->thread_time += elapsed * r->threads;
    row->threads = row->threads > r->threads ? row->threads : r->threads;
    if (r->outer == KPX_NONE) {
        end_outermost(c, process);
        s->thread_time += elapsed * r->threads;
    }
    if (r->places.n > 2) // places are in the order of threads; the master's is the first
        qsort(r->places.at + 1, r->places.n - 1, sizeof *r->places.at, by_number);
    add_team(row, r, c->now);
}

// A thread of the region's team.
static void add_place(kpx_region_state *r, uint32_t place, bool is_master)
{
    ARRAY_PUSH(r->places, place);
    if (is_master) {
        r->places.at[r->places.n - 1] = r->places.at[0];
        r->places.at[0] = place;
    }
}

static void end_parallel(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    uint32_t number = kpx_number_of(&c->openmp.region_of, kpx_own(t, e->a));
    if (number == KPX_NONE)
        return;
    kpx_region_state *r = &c->openmp.regions.at[number];
    kpx_pop(c, t, KPX_PARALLEL_BEGIN, e->a); // it had no team
    count_execution(c, r, t->process);
    t->barrier = r->outer_barrier;
    t->loops = r->outer_loops;
    t->task = r->outer_task;
    kpx_enter_region(c, t, r->outer);
    forget_regions(c, number);
}

static void begin_implicit(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    uint32_t number = kpx_number_of(&c->openmp.region_of, kpx_own(t, e->a));
    t->task = e->b;
    if (number == KPX_NONE) // the program's first thread is in its serial part already
        return;
    kpx_region_state *r = &c->openmp.regions.at[number];
    r->threads = e->value & 0xffff;
    if (e->value >> 16 == 0)
        r->master = (uint32_t)(t - c->threads);
    if (!r->ended)
        add_place(r, t->place, e->value >> 16 == 0);
    if (!kpx_pop(c, t, KPX_PARALLEL_BEGIN, e->a))
        kpx_close(c, t);
    if (e->value >> 16 != 0 || t->stack.n == 0) { // forked
        t->last = KPX_NONE;
        t->maker = r->fork;
        t->since = c->now;
        t->stack.n = 0;
    }
    kpx_frame f = {r->construct, KPX_IMPLICIT_BEGIN, e->b, TRACE_FIGURES, .counts_for = r->row};
    kpx_enter_region(c, t, number);
    t->loops = 0;
    ARRAY_PUSH(t->stack, f);
}

// The runtime does not report the end of a single by gcc: it ends when its thread comes to a
// barrier of the team or to the next work-sharing, or leaves the region.
static void end_single(kpx_converter *c, kpx_thread_state *t)
{
    for (uint32_t i = t->stack.n; i > 0; i--) {
        const kpx_frame *f = &t->stack.at[i - 1];
        if (f->begun_by == KPX_IMPLICIT_BEGIN || f->begun_by == KPX_TASK_CREATE)
            return;
        if (f->begun_by == KPX_WORK_BEGIN && f->key == KPX_WORK_SINGLE_EXECUTOR) {
            t->last_work = f->construct;
            kpx_pop(c, t, KPX_WORK_BEGIN, KPX_WORK_SINGLE_EXECUTOR);
            return;
        }
    }
}

static void end_implicit(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    end_single(c, t);
    kpx_pop(c, t, KPX_IMPLICIT_BEGIN, e->b);
    forget_parent(c, kpx_own(t, e->b));
    if (t->stack.n == 0)
        kpx_enter_region(c, t, KPX_NONE);
}

// ---- Barriers and other waits ---------------------------------------------------------------

static bool is_barrier(unsigned kind)
{
    return kind != KPX_SYNC_TASKWAIT && kind != KPX_SYNC_TASKGROUP &&
           kind != KPX_SYNC_REDUCTION;
}

// The barrier at the end of a region, or of a league of teams.
static bool joins(unsigned kind)
{
    return kind == KPX_SYNC_BARRIER_IMPLICIT_PARALLEL || kind == KPX_SYNC_BARRIER_TEAMS;
}

static bool is_user_barrier(unsigned kind)
{
    return kind == KPX_SYNC_BARRIER || kind == KPX_SYNC_BARRIER_EXPLICIT;
}

// The barrier that the thread is at, in its region.
static kpx_barrier *barrier_at(kpx_converter *c, const kpx_thread_state *t, uint32_t number)
{
    kpx_region_state *r = &c->openmp.regions.at[t->region];
    uint64_t key = (uint64_t)r->serial << 32 | number;
    uint32_t index = kpx_number_of(&c->openmp.barrier_of, key);
    if (index == KPX_NONE) {
        index = kpx_place_for(&c->openmp.no_barriers, c->openmp.barriers.n);
        KPX_PUT_AT(c->openmp.barriers, index,
               (kpx_barrier){.key = key, .last = KPX_NONE, .before = KPX_NONE, .next = r->barriers});
        if (r->barriers != KPX_NONE)
            c->openmp.barriers.at[r->barriers].before = index;
        r->barriers = index;
        map_set(&c->openmp.barrier_of, key, index);
    }
    return &c->openmp.barriers.at[index];
}

// The thread leaves its barrier. Once all have left it, nobody asks for the one before.
static void leave_barrier(kpx_converter *c, const kpx_thread_state *t)
{
    kpx_region_state *r = &c->openmp.regions.at[t->region];
    if (++barrier_at(c, t, t->barrier)->left < r->threads || t->barrier == 0)
        return;
    uint64_t key = (uint64_t)r->serial << 32 | (t->barrier - 1);
    uint32_t before = kpx_number_of(&c->openmp.barrier_of, key);
    if (before != KPX_NONE)
        forget_barrier(c, r, before);
}

static bool is_by_gcc(const kpx_converter *c, const kpx_thread_state *t)
{
    return c->logs->processes.at[t->process].by_gcc;
}

// Whether the thread comes to two barriers of the same call, one after the other.
static bool is_first_of_two(const kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    const kpx_thread_log *log = &c->logs->processes.at[t->process].threads.at[t->index];
    uint32_t i = t->wait_end > t->next ? t->wait_end : t->next;
    while (i < log->n && log->events[i].kind != KPX_WAIT_END) // tasks that it carries out there
        i++;
    t->wait_end = i;
    return i + 1 < log->n && log->events[i + 1].kind == KPX_WAIT_BEGIN &&
           log->events[i + 1].flags == e->flags && log->events[i + 1].b == e->b;
}

// clang copies the values of a single's `copyprivate` between two barriers of a kind that otherwise
// belongs to reductions.
static bool is_copyprivate(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags != KPX_SYNC_BARRIER_IMPLEMENTATION || is_by_gcc(c, t) || t->region == KPX_NONE ||
        t->last_work == KPX_NONE ||
        kpx_construct_kind(c->m, t->last_work) != TRACE_KIND_SINGLE)
        return false;
    return (e->value > 0 && barrier_at(c, t, e->value - 1)->copies) || is_first_of_two(c, t, e);
}

// gcc has one call for explicit and implied barriers, which the runtime reports as its own kind.
// clang uses that kind in reductions.
static trace_figure_kind row_of_barrier(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    unsigned kind = e->flags;
    if (!is_barrier(kind))
        return TRACE_FIGURES;
    if (kind == KPX_SYNC_BARRIER_IMPLEMENTATION)
        return is_by_gcc(c, t) || is_copyprivate(c, t, e) ? TRACE_IMPLIED_BARRIER : TRACE_REDUCTION;
    return is_user_barrier(kind) ? TRACE_USER_BARRIER : TRACE_IMPLIED_BARRIER;
}

static uint32_t wait_construct(kpx_converter *c, const kpx_thread_state *t, const kpx_event *e,
                               trace_figure_kind row)
{
    if (e->flags == KPX_SYNC_TASKWAIT)
        return kpx_openmp_at(c, t, TRACE_KIND_TASKWAIT, TRACE_KIND_TASKWAIT, e->b);
    if (e->flags == KPX_SYNC_TASKGROUP)
        return kpx_openmp_at(c, t, TRACE_KIND_TASKGROUP, TRACE_KIND_TASKGROUP, e->b);
    if (is_user_barrier(e->flags))
        return kpx_openmp_at(c, t, TRACE_KIND_BARRIER, TRACE_KIND_BARRIER, e->b);
    uint32_t of = joins(e->flags) && t->region != KPX_NONE
                      ? c->openmp.regions.at[t->region].construct
                  : t->last_work != KPX_NONE ? t->last_work
                                             : KPX_NONE;
    trace_kind kind = row == TRACE_REDUCTION ? TRACE_KIND_REDUCTION_BARRIER
                                             : TRACE_KIND_IMPLIED_BARRIER;
    if (of == KPX_NONE)
        return kpx_openmp_at(c, t, TRACE_KIND_BARRIER, kind, e->b);
    return kpx_add_sibling(c->m, of, kpx_doing_of(kind));
}

// A thread comes to the barrier, which counts once for the team. The two of a copyprivate are one.
static void come_to_barrier(kpx_converter *c, kpx_thread_state *t, uint32_t number,
                            trace_figure_kind row, bool copies)
{
    bool second = copies && number > 0 && barrier_at(c, t, number - 1)->copies;
    kpx_barrier *b = barrier_at(c, t, t->barrier = number);
    if (!b->counted && !second && row != TRACE_REDUCTION)
        kpx_count(c, t, row);
    b->counted = true;
    b->copies = copies && !second;
    b->last = t->last;
}

static void begin_wait(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (is_barrier(e->flags))
        end_single(c, t);
    trace_figure_kind row = row_of_barrier(c, t, e);
    bool copies = is_barrier(e->flags) && is_copyprivate(c, t, e);
    kpx_push(c, t, (kpx_frame){wait_construct(c, t, e, row), KPX_WAIT_BEGIN, e->flags, row, .waits = true});
    if (is_barrier(e->flags) && t->region != KPX_NONE)
        come_to_barrier(c, t, e->value, row, copies);
}

// The master leaves the barrier at the end of a region. This ends the wait of the others, too,
// though the runtime may keep them in it until the next region.
static void join_team(kpx_converter *c, const kpx_thread_state *master)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        kpx_thread_state *t = &c->threads[i];
        if (t == master || t->region != master->region || t->stack.n == 0)
            continue;
        const kpx_barrier *b = barrier_at(c, t, t->barrier);
        kpx_needs(t, b->last, TRACE_EDGE_JOIN);
        kpx_close(c, t);
        t->stack.n = 0;
        kpx_enter_region(c, t, KPX_NONE);
    }
}

static void end_wait(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (!kpx_find_frame(t, KPX_WAIT_BEGIN, e->flags))
        return;
    if (is_barrier(e->flags) && t->region != KPX_NONE)
        kpx_needs(t, barrier_at(c, t, t->barrier)->last,
                  joins(e->flags) ? TRACE_EDGE_JOIN : TRACE_EDGE_BARRIER);
    else if (!is_barrier(e->flags))
        kpx_needs(t, kpx_number_of(&c->openmp.child_of, kpx_own(t, t->task)), TRACE_EDGE_TASK);
    kpx_pop(c, t, KPX_WAIT_BEGIN, e->flags);
    if (is_barrier(e->flags) && t->region != KPX_NONE)
        leave_barrier(c, t);
    const kpx_frame *f = kpx_top_construct(t);
    if (joins(e->flags) && f && f->begun_by == KPX_IMPLICIT_BEGIN && t->region != KPX_NONE &&
        c->openmp.regions.at[t->region].master == (uint32_t)(t - c->threads))
        join_team(c, t);
}

// ---- Mutexes --------------------------------------------------------------------------------

// What is known of each kind of mutex.
typedef struct {
    trace_kind held, waiting;
    trace_edge edge; // from who held it to who waits
    trace_figure_kind row;
} mutex_kind;

static mutex_kind mutex_of(unsigned kind)
{
    switch (kind) {
    case KPX_MUTEX_CRITICAL:
        return (mutex_kind){TRACE_KIND_CRITICAL, TRACE_KIND_CRITICAL_WAIT, TRACE_EDGE_CRITICAL,
                            TRACE_CRITICAL};
    case KPX_MUTEX_ORDERED:
        return (mutex_kind){TRACE_KIND_ORDERED, TRACE_KIND_ORDERED_WAIT, TRACE_EDGE_ORDERED,
                            TRACE_ORDERED};
    case KPX_MUTEX_ATOMIC:
        return (mutex_kind){TRACE_KIND_ATOMIC, TRACE_KIND_ATOMIC_WAIT, TRACE_EDGE_ATOMIC,
                            TRACE_ATOMIC};
    default:
        return (mutex_kind){TRACE_KIND_LOCK, TRACE_KIND_LOCK_WAIT, TRACE_EDGE_LOCK, TRACE_FIGURES};
    }
}

static void begin_acquire(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags == KPX_MUTEX_TEST_LOCK || e->flags == KPX_MUTEX_TEST_NEST_LOCK)
        return; // it does not wait, and may not get the lock
    mutex_kind m = mutex_of(e->flags);
    kpx_push(c, t, (kpx_frame){kpx_openmp_at(c, t, m.held, m.waiting, e->b), KPX_MUTEX_ACQUIRE, e->a,
                               m.row, .waits = true});
}

static void acquired(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    mutex_kind m = mutex_of(e->flags);
    if (kpx_find_frame(t, KPX_MUTEX_ACQUIRE, e->a)) {
        kpx_needs(t, kpx_number_of(&c->openmp.holder_of, kpx_own(t, e->a)), m.edge);
        kpx_pop(c, t, KPX_MUTEX_ACQUIRE, e->a);
    }
    if (e->value == KPX_HELD_ALREADY)
        return;
    kpx_count(c, t, m.row);
    kpx_push(c, t, (kpx_frame){kpx_openmp_at(c, t, m.held, m.held, e->b), KPX_MUTEX_ACQUIRED, e->a,
                               m.row, .waits = false});
}

static void released(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (kpx_pop(c, t, KPX_MUTEX_ACQUIRED, e->a) && t->last != KPX_NONE)
        map_set(&c->openmp.holder_of, kpx_own(t, e->a), t->last);
}

// ---- Work-sharing ---------------------------------------------------------------------------

static trace_schedule schedule_of(unsigned kind)
{
    return kind == KPX_WORK_LOOP_STATIC    ? TRACE_SCHEDULE_STATIC
           : kind == KPX_WORK_LOOP_DYNAMIC ? TRACE_SCHEDULE_DYNAMIC
           : kind == KPX_WORK_LOOP_GUIDED  ? TRACE_SCHEDULE_GUIDED
           : kind == KPX_WORK_DISTRIBUTE   ? TRACE_SCHEDULE_DISTRIBUTE
           : kind == KPX_WORK_LOOP_OTHER   ? TRACE_SCHEDULE_OTHER
                                           : TRACE_SCHEDULE_NOT_OBSERVED;
}

static trace_kind work_kind(unsigned kind)
{
    switch (kind) {
    case KPX_WORK_SECTIONS:
        return TRACE_KIND_SECTIONS;
    case KPX_WORK_SINGLE_EXECUTOR:
        return TRACE_KIND_SINGLE;
    case KPX_WORK_WORKSHARE:
        return TRACE_KIND_WORKSHARE;
    case KPX_WORK_DISTRIBUTE:
        return TRACE_KIND_DISTRIBUTE;
    case KPX_WORK_TASKLOOP:
        return TRACE_KIND_TASKLOOP;
    case KPX_WORK_SCOPE:
        return TRACE_KIND_SCOPE;
    default:
        return TRACE_KIND_LOOP;
    }
}

// All threads of a team come to its loops in the same order.
static uint32_t number_of_loop(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_region_state *r = t->region == KPX_NONE ? NULL : &c->openmp.regions.at[t->region];
    uint64_t key = kpx_own(t, (uint64_t)(r ? r->serial : KPX_NONE) << 32 | t->loops++);
    uint64_t known = map_get(&c->openmp.loop_of, key), begun = known == MAP_ABSENT ? 1 : (known >> 32) + 1;
    uint32_t number = known == MAP_ABSENT ? c->openmp.loops++ : (uint32_t)known;
    if (r && begun >= r->threads)
        map_remove(&c->openmp.loop_of, key);
    else
        map_set(&c->openmp.loop_of, key, begun << 32 | number);
    return number;
}

static void begin_work(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags != KPX_WORK_TASKLOOP) // which may stand in a single
        end_single(c, t);
    if (e->flags == KPX_WORK_SINGLE_OTHER) { // the barrier behind it is the single's
        t->last_work = kpx_openmp_at(c, t, TRACE_KIND_SINGLE, TRACE_KIND_SINGLE, e->b);
        return;
    }
    bool loops = e->flags == KPX_WORK_LOOP || e->flags == KPX_WORK_DISTRIBUTE ||
                 e->flags >= KPX_WORK_LOOP_STATIC;
    trace_kind kind = work_kind(e->flags);
    trace_figure_kind row = e->flags == KPX_WORK_SINGLE_EXECUTOR ? TRACE_SINGLE : TRACE_FIGURES;
    kpx_count(c, t, row);
    uint32_t construct = kpx_openmp_at(c, t, kind, kind, e->b);
    bool sections = kpx_construct_kind(c->m, construct) == TRACE_KIND_SECTIONS;
    kpx_push(c, t, (kpx_frame){construct, KPX_WORK_BEGIN, e->flags, row,
                       .schedule = sections ? TRACE_SCHEDULE_SECTIONS
                                           : loops  ? schedule_of(e->flags)
                                                    : TRACE_SCHEDULE_NONE,
                       .loop = sections || loops ? number_of_loop(c, t) : 0,
                       .iterations = (int64_t)e->a});
}

static void end_work(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    const kpx_frame *f = kpx_find_frame(t, KPX_WORK_BEGIN, e->flags);
    if (f)
        t->last_work = f->construct;
    kpx_pop(c, t, KPX_WORK_BEGIN, e->flags);
}

static void begin_chunk(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top_construct(t);
    if (!f || e->b == 0)
        return;
    if (f->begun_by == KPX_TASK_CREATE && f->count == 0)
        f->schedule = TRACE_SCHEDULE_TASKLOOP; // the task's part of it
    if (!f->schedule)
        return;
    if (f->count > 0)
        kpx_close(c, t);
    f->first = (int64_t)e->a;
    f->count = (int64_t)e->b;
}

static void begin_masked(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_count(c, t, TRACE_MASTER);
    kpx_push(c, t,
             (kpx_frame){kpx_openmp_at(c, t, TRACE_KIND_MASTER, TRACE_KIND_MASTER, e->b),
                         KPX_MASKED_BEGIN, 0, TRACE_MASTER, .waits = false});
}

static void begin_reduction(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_push(c, t, (kpx_frame){kpx_openmp_at(c, t, TRACE_KIND_REDUCTION, TRACE_KIND_REDUCTION, e->b),
                       KPX_REDUCTION_BEGIN, 0, TRACE_REDUCTION, .waits = false});
}

// ---- Tasks ----------------------------------------------------------------------------------

static void create_task(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_close(c, t);
    uint32_t place = kpx_place_for(&c->openmp.no_tasks, c->openmp.tasks.n);
    kpx_task task = {.key = kpx_own(t, e->a),
                     .construct = kpx_openmp_at(c, t, TRACE_KIND_TASK, TRACE_KIND_TASK, e->b),
                     .creator = t->last,
                     .last = KPX_NONE,
                     .users = 1,
                     .parent = t->task,
                     .of_task = map_get(&c->openmp.task_of, kpx_own(t, t->task)) != MAP_ABSENT};
    map_set(&c->openmp.task_of, task.key, place);
    KPX_PUT_AT(c->openmp.tasks, place, task);
}

static kpx_task *task_of(kpx_converter *c, const kpx_thread_state *t, uint64_t number)
{
    uint32_t index = number ? kpx_number_of(&c->openmp.task_of, kpx_own(t, number)) : KPX_NONE;
    return index == KPX_NONE ? NULL : &c->openmp.tasks.at[index];
}

// `before` and `after` are indices of tasks.
static void add_dependence(kpx_converter *c, uint32_t before, uint32_t after)
{
    kpx_task *k = &c->openmp.tasks.at[after];
    uint32_t looked = k->after.n > 64 ? k->after.n - 64 : 0; // one that is there twice does no harm
    for (uint32_t i = looked; i < k->after.n; i++)
        if (k->after.at[i] == before)
            return;
    if (before != after) {
        ARRAY_PUSH(k->after, before);
        c->openmp.tasks.at[before].users++;
    }
}

static void task_after(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    uint64_t before = map_get(&c->openmp.task_of, kpx_own(t, e->a));
    uint64_t after = map_get(&c->openmp.task_of, kpx_own(t, e->b));
    if (before != MAP_ABSENT && after != MAP_ABSENT)
        add_dependence(c, before, after);
}

static kpx_use *use_at(kpx_converter *c, const kpx_thread_state *t, uint64_t parent, uint64_t address)
{
    uint64_t key = kpx_own(t, address * 0x9e3779b97f4a7c15u ^ parent);
    uint64_t index = map_get(&c->openmp.use_of, key);
    if (index == MAP_ABSENT) {
        index = kpx_place_for(&c->openmp.no_uses, c->openmp.uses.n);
        uint32_t older = kpx_number_of(&c->openmp.last_use_of, kpx_own(t, parent));
        KPX_PUT_AT(c->openmp.uses, index, (kpx_use){.key = key, .older = older, .writer = KPX_NONE});
        map_set(&c->openmp.use_of, key, index);
        map_set(&c->openmp.last_use_of, kpx_own(t, parent), index);
    }
    return &c->openmp.uses.at[index];
}

// The runtime reports that a task waits for another only if that one has not ended yet. The order
// follows from the addresses that both name.
static void uses(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    uint64_t task = map_get(&c->openmp.task_of, kpx_own(t, e->a));
    if (task == MAP_ABSENT)
        return;
    kpx_use *use = use_at(c, t, c->openmp.tasks.at[task].parent, e->b);
    if (use->writer != KPX_NONE)
        add_dependence(c, use->writer, task);
    c->openmp.tasks.at[task].users++;
    if (e->flags == KPX_DEPENDS_IN) {
        ARRAY_PUSH(use->readers, task);
        return;
    }
    for (uint32_t i = 0; i < use->readers.n; i++)
        add_dependence(c, use->readers.at[i], task);
    leave_tasks(c, &use->writer, use->writer != KPX_NONE);
    leave_tasks(c, use->readers.at, use->readers.n);
    use->readers.n = 0;
    use->writer = task;
}

// A task ends: its thread continues with what it did before.
static void end_task(kpx_converter *c, kpx_thread_state *t, uint64_t number, kpx_task *k)
{
    const kpx_frame *f = kpx_find_frame(t, KPX_TASK_CREATE, number);
    if (!f)
        return;
    uint32_t resume = f->resume;
    kpx_pop(c, t, KPX_TASK_CREATE, number);
    k->last = t->last;
    if (!k->of_task || map_get(&c->openmp.task_of, kpx_own(t, k->parent)) != MAP_ABSENT)
        map_set(&c->openmp.child_of, kpx_own(t, k->parent), t->last);
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by == KPX_WAIT_BEGIN && is_barrier((unsigned)t->stack.at[i - 1].key) &&
            t->region != KPX_NONE)
            barrier_at(c, t, t->barrier)->last = t->last;
    t->last = t->maker = resume;
}

static void begin_task(kpx_converter *c, kpx_thread_state *t, uint64_t number, kpx_task *k)
{
    if (kpx_find_frame(t, KPX_TASK_CREATE, number))
        return; // it goes on
    uint32_t resume = t->last;
    kpx_push(c, t, (kpx_frame){k->construct, KPX_TASK_CREATE, number, TRACE_FIGURES, .resume = resume});
    t->maker = k->last == KPX_NONE ? k->creator : k->last;
    t->last = KPX_NONE;
    for (uint32_t i = 0; i < k->after.n; i++)
        kpx_needs(t, c->openmp.tasks.at[k->after.at[i]].last, TRACE_EDGE_DEPENDENCE);
    leave_tasks(c, k->after.at, k->after.n);
    k->after.n = 0; // its first activity needs them; later ones come after it
}

// An untied task stops: its thread goes back to what it did before, and another thread may continue
// the task. That thread does not know the constructs that the task was in.
static void set_aside(kpx_thread_state *t, uint64_t number, kpx_task *k)
{
    const kpx_frame *f = kpx_find_frame(t, KPX_TASK_CREATE, number);
    if (!f || t->last == KPX_NONE)
        return;
    uint32_t resume = f->resume;
    k->last = t->last;
    t->stack.n = (uint32_t)(f - t->stack.at);
    t->last = t->maker = resume;
}

// The task is over. What depends on it may still ask for its last activity.
static void forget_task(kpx_converter *c, const kpx_thread_state *t, uint64_t number, kpx_task *k)
{
    if (k->ended)
        return;
    k->ended = true;
    forget_parent(c, kpx_own(t, number));
    leave_task(c, (uint32_t)(k - c->openmp.tasks.at));
}

// A thread that waits at a barrier or for tasks goes on with a task: it waited for what came last of that which
// the task needs, the one that makes it and those before it.
static void wait_for_task(kpx_converter *c, kpx_thread_state *t, const kpx_task *k)
{
    const kpx_frame *top = kpx_top(t);
    if (!top || !top->waits || top->begun_by != KPX_WAIT_BEGIN || k->last != KPX_NONE || k->creator == KPX_NONE)
        return;
    uint32_t cause = k->creator;
    for (uint32_t i = 0; i < k->after.n; i++) {
        uint32_t before = c->openmp.tasks.at[k->after.at[i]].last;
        if (before != KPX_NONE && kpx_activity_end(c->m, before) > kpx_activity_end(c->m, cause))
            cause = before;
    }
    if (kpx_activity_end(c->m, cause) > t->since)
        kpx_needs(t, cause, cause == k->creator ? TRACE_EDGE_TASK : TRACE_EDGE_DEPENDENCE);
}

static void switch_task(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_task *left = task_of(c, t, e->a), *begun = task_of(c, t, e->b);
    if (begun)
        wait_for_task(c, t, begun);
    kpx_close(c, t);
    bool ends = e->flags == KPX_TASK_COMPLETE || e->flags == KPX_TASK_CANCEL ||
                e->flags == KPX_TASK_DETACH;
    if (left && ends)
        end_task(c, t, e->a, left);
    else if (left && (!begun || kpx_find_frame(t, KPX_TASK_CREATE, e->b)))
        set_aside(t, e->a, left);
    if (begun)
        begin_task(c, t, e->b, begun);
    if (left && ends && e->flags != KPX_TASK_DETACH)
        forget_task(c, t, e->a, left);
    if (e->b)
        t->task = e->b;
}

// ---- Iterations that depend on each other ---------------------------------------------------

static const kpx_frame *innermost_work(const kpx_thread_state *t)
{
    for (uint32_t i = t->stack.n; i > 0; i--)
        if (t->stack.at[i - 1].begun_by == KPX_WORK_BEGIN)
            return &t->stack.at[i - 1];
    return NULL;
}

// The runtime reports a `sink` after the wait for it, so the wait itself is unknown. The activity
// that follows needs the one that ended with the `source`.
static void depends(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (t->region == KPX_NONE)
        return;
    const kpx_frame *f = innermost_work(t);
    uint64_t loop = f ? f->construct : KPX_NONE;
    uint64_t key = (e->b * 0x9e3779b97f4a7c15u ^ loop) * 0x9e3779b97f4a7c15u ^
                   c->openmp.regions.at[t->region].serial;
    kpx_close(c, t);
    if (e->flags == KPX_DEPENDS_SINK)
        kpx_needs(t, kpx_number_of(&c->openmp.iteration_of, key), TRACE_EDGE_ORDERED);
    else if (t->last != KPX_NONE)
        map_set(&c->openmp.iteration_of, key, t->last);
}

static void cancel(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    (void)e;
    ARRAY_PUSH(t->values, ((kpx_note_value){TRACE_KEY_CANCELLED, 1}));
    kpx_close(c, t);
}

// ---- All ------------------------------------------------------------------------------------

static void begin_thread(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags == KPX_THREAD_INITIAL)
        kpx_begin_serial(c, t);
}

static void end_thread(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    (void)e;
    if (t->index > 0) // the first one goes on until its process ends
        kpx_pop(c, t, KPX_THREAD_BEGIN, 0);
}

static void end_masked(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    (void)e;
    kpx_pop(c, t, KPX_MASKED_BEGIN, 0);
}

static void end_reduction(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    (void)e;
    kpx_pop(c, t, KPX_REDUCTION_BEGIN, 0);
}

static void task_depends(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags == KPX_DEPENDS_SOURCE || e->flags == KPX_DEPENDS_SINK)
        depends(c, t, e);
    else
        uses(c, t, e);
}

static void (*const takers[KPX_EVENTS])(kpx_converter *c, kpx_thread_state *t, const kpx_event *e) = {
    [KPX_THREAD_BEGIN] = begin_thread,
    [KPX_THREAD_END] = end_thread,
    [KPX_PARALLEL_BEGIN] = begin_parallel,
    [KPX_PARALLEL_END] = end_parallel,
    [KPX_IMPLICIT_BEGIN] = begin_implicit,
    [KPX_IMPLICIT_END] = end_implicit,
    [KPX_WORK_BEGIN] = begin_work,
    [KPX_WORK_END] = end_work,
    [KPX_CHUNK] = begin_chunk,
    [KPX_WAIT_BEGIN] = begin_wait,
    [KPX_WAIT_END] = end_wait,
    [KPX_MUTEX_ACQUIRE] = begin_acquire,
    [KPX_MUTEX_ACQUIRED] = acquired,
    [KPX_MUTEX_RELEASED] = released,
    [KPX_MASKED_BEGIN] = begin_masked,
    [KPX_MASKED_END] = end_masked,
    [KPX_REDUCTION_BEGIN] = begin_reduction,
    [KPX_REDUCTION_END] = end_reduction,
    [KPX_TASK_CREATE] = create_task,
    [KPX_TASK_SWITCH] = switch_task,
    [KPX_TASK_DEPENDS] = task_depends,
    [KPX_TASK_AFTER] = task_after,
    [KPX_CANCEL] = cancel,
};

// Events of other recorders have no taker.
void kpx_take_openmp(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (takers[e->kind])
        takers[e->kind](c, t, e);
}

// Of atomics only those that call the runtime are told: where there are none, there may be others.
static void mark_atomics(trace_figure *figures)
{
    figures[TRACE_ATOMIC].observed = figures[TRACE_ATOMIC].count > 0;
}

// Marks the figures that the runtime can report at all.
static void mark_observed(kpx_converter *c)
{
    static const trace_figure_kind observed[] = {TRACE_MASTER,          TRACE_SINGLE,
                                                 TRACE_CRITICAL,        TRACE_ORDERED,
                                                 TRACE_USER_BARRIER,    TRACE_IMPLIED_BARRIER,
                                                 TRACE_REDUCTION};
    kpx_statistics *s = c->statistics;
    bool by_gcc = false;
    for (uint32_t i = 0; i < c->logs->processes.n; i++)
        by_gcc = by_gcc || c->logs->processes.at[i].by_gcc;
    for (size_t k = 0; k < sizeof observed / sizeof *observed; k++) {
        if (by_gcc && (observed[k] == TRACE_MASTER || observed[k] == TRACE_SINGLE ||
                       observed[k] == TRACE_USER_BARRIER || observed[k] == TRACE_REDUCTION))
            continue;
        s->figures[observed[k]].observed = true;
        for (uint32_t i = 0; i < s->regions.n; i++)
            s->regions.at[i].figures[observed[k]].observed = true;
    }
    mark_atomics(s->figures);
    for (uint32_t i = 0; i < s->regions.n; i++)
        mark_atomics(s->regions.at[i].figures);
}

static int by_serial(const void *a, const void *b)
{
    const kpx_region_state *const *x = a, *const *y = b;
    return (*x)->serial < (*y)->serial ? -1 : (*x)->serial > (*y)->serial;
}

// The program ended within regions.
static void end_regions(kpx_converter *c)
{
    ARRAY_OF(kpx_region_state *) open = {0};
    for (size_t i = 0; i < c->openmp.regions.n; i++)
        if (c->openmp.regions.at[i].used && !c->openmp.regions.at[i].ended)
            ARRAY_PUSH(open, &c->openmp.regions.at[i]);
    if (open.n > 0)
        qsort(open.at, open.n, sizeof *open.at, by_serial);
    for (size_t i = 0; i < open.n; i++)
        count_execution(c, open.at[i], open.at[i]->process);
    free(open.at);
}

void kpx_finish_openmp(kpx_converter *c)
{
    kpx_statistics *s = c->statistics;
    mark_observed(c);
    end_regions(c);
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        const kpx_process_log *p = &c->logs->processes.at[i];
        s->nodes++;
        if (p->begin && p->end > p->begin && p->end - p->begin > s->elapsed)
            s->elapsed = p->end - p->begin;
    }
    if (s->elapsed == 0 && c->nthreads > 0) // no process ended in good order
        s->elapsed = c->now > c->logs->processes.at[0].begin
                         ? c->now - c->logs->processes.at[0].begin
                         : 0;
}

void kpx_begin_openmp(kpx_converter *c)
{
    c->openmp.parallel = base_allocate(c->logs->processes.n, sizeof *c->openmp.parallel);
}

void kpx_free_openmp(kpx_converter *c)
{
    kpx_openmp *s = &c->openmp;
    base_map *maps[] = {&s->region_of, &s->task_of,   &s->row_of,       &s->use_of,  &s->barrier_of,
                        &s->loop_of,   &s->holder_of, &s->iteration_of, &s->child_of, &s->last_use_of};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    for (size_t i = 0; i < s->tasks.n; i++)
        free(s->tasks.at[i].after.at);
    for (size_t i = 0; i < s->uses.n; i++)
        free(s->uses.at[i].readers.at);
    for (size_t i = 0; i < s->regions.n; i++)
        free(s->regions.at[i].places.at);
    free(s->no_barriers.at);
    free(s->no_regions.at);
    free(s->no_tasks.at);
    free(s->no_uses.at);
    free(s->barriers.at);
    free(s->regions.at);
    free(s->parallel);
    free(s->tasks.at);
    free(s->uses.at);
}
