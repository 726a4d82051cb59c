// SPDX-License-Identifier: MIT
//
// The simulation goes from one moment at which something happens to the next. At a moment, first
// the tasks that end then hand on what they made; next, what was on its way arrives; then free
// processors get tasks. The order within the first two does not matter.
//
// A task whose last need is met at L may begin at its home, where the latest need was made, as soon
// as what it needs of other processors has come there, and anywhere at L + delay. Until that moment
// it stands in the queue of its home, from then on in the set of all that may run anywhere.
//
// What is kept: after each moment, either no processor is free or none of the tasks that are ready
// may run on a free one. So only processors that became free, or got a task, have to be looked at.
#include "iotree/processors/simulation.h"
#include "iotree/processors/ordered_set.h"
#include "iotree/processors/queues.h"

#define TELL_EVERY 0x10000u // tasks

typedef struct {
    int64_t last;  // end of its last task
    queue pinned;  // tasks that stay here
    queue at_home; // tasks that may begin here and not yet elsewhere, or that have left since
} processor;

typedef struct {
    const task_graph *g;
    uint32_t nprocessors;
    int64_t delay, now;
    uint8_t *pinned;    // bits by task; NULL: none
    uint32_t *missing;  // by task: needs that are not met
    uint32_t *latest;   // by task: the latest of what it needs, so far
    int64_t *others;    // by task: end of the latest need of another place; NULL: no delay
    int64_t *starts;    // by task: -1 before
    int64_t *waited;    // by task: since when its processor waits for it; NULL: not asked for
    uint32_t *places;   // by task
    ordered_set ready;  // tasks that may run anywhere
    ordered_set free;   // processors
    ARRAY_OF(processor) processors; // those that have been used
    ARRAY_OF(uint32_t) units;   // running tasks of one step, in the order of their ends:
    size_t first_unit;          // from this one on
    queue ends;                 // the other running tasks, by their end
    ARRAY_OF(uint32_t) instant; // tasks that take no time and end now
    queue arrivals;             // tasks by a moment at which they may run somewhere
    ARRAY_OF(uint32_t) touched; // processors to be looked at
    queue heads;                // the oldest task of each of them
    iot_simulated sums;
    uint32_t done;
} simulation;

// ---------------------------------------------------------------------------------------------
// What a task needs, and when that is where

static int64_t cost_of(const simulation *s, uint32_t task)
{
    return s->g->costs ? s->g->costs[task] : s->g->unit;
}

static int64_t end_of(const simulation *s, uint32_t task)
{
    return s->starts[task] + cost_of(s, task);
}

static int64_t rest_of(const simulation *s, uint32_t task)
{
    return s->g->rests ? s->g->rests[task] : 0;
}

// When all was made that it needs, and it has rested.
static int64_t made_at(const simulation *s, uint32_t task)
{
    int64_t latest = s->latest[task] == IOT_NONE ? 0 : end_of(s, s->latest[task]);
    return latest + rest_of(s, task);
}

static uint32_t home_of(const simulation *s, uint32_t task)
{
    return s->latest[task] == IOT_NONE ? IOT_NONE : s->places[s->latest[task]];
}

static int64_t anywhere_at(const simulation *s, uint32_t task)
{
    return made_at(s, task) + (s->latest[task] == IOT_NONE ? 0 : s->delay);
}

static int64_t home_at(const simulation *s, uint32_t task)
{
    int64_t made = made_at(s, task);
    if (!s->others || s->others[task] < 0)
        return made;
    int64_t came = s->others[task] + s->delay + rest_of(s, task);
    return came > made ? came : made;
}

static bool is_pinned(const simulation *s, uint32_t task)
{
    return s->pinned && bit_get(s->pinned, task);
}

static int64_t pinned_at(const simulation *s, uint32_t task)
{
    uint32_t place = s->places[s->g->parents[task]];
    return place == home_of(s, task) ? home_at(s, task) : anywhere_at(s, task);
}

// One more need is met: `by` ended now. Needs are met in order of time.
static void meet(simulation *s, uint32_t task, uint32_t by)
{
    uint32_t latest = s->latest[task];
    if (latest == IOT_NONE) {
        s->latest[task] = by;
        return;
    }
    int64_t end = end_of(s, latest);
    bool elsewhere = s->places[by] != s->places[latest];
    if (end < s->now || by < latest) {
        s->latest[task] = by;
        if (elsewhere && s->others)
            s->others[task] = end;
    } else if (elsewhere && s->others) {
        s->others[task] = end;
    }
}

// ---------------------------------------------------------------------------------------------
// Running

static processor *processor_at(simulation *s, uint32_t place)
{
    while (place >= s->processors.n)
        ARRAY_PUSH(s->processors, (processor){0});
    return &s->processors.at[place];
}

static void start(simulation *s, uint32_t task, uint32_t place)
{
    int64_t cost = cost_of(s, task), made = made_at(s, task);
    processor *p = processor_at(s, place);
    int64_t since = cost == 0 ? s->now : made > p->last ? made : p->last;
    s->starts[task] = s->now;
    s->places[task] = place;
    s->sums.busy += cost;
    s->sums.waiting += s->now - since;
    if (s->waited)
        s->waited[task] = since;
    if (cost == 0) {
        ARRAY_PUSH(s->instant, task);
        return;
    }
    p->last = s->now + cost;
    set_remove(&s->free, place);
    if (cost == s->g->unit)
        ARRAY_PUSH(s->units, task);
    else
        queue_push(&s->ends, p->last, task);
}

static void put_at_home(simulation *s, uint32_t task, uint32_t place, bool pinned)
{
    processor *p = processor_at(s, place);
    queue_push(pinned ? &p->pinned : &p->at_home, task, task);
    ARRAY_PUSH(s->touched, place);
}

// A task may run somewhere now. What takes no time runs at once, beside what the processor does.
static void arrive(simulation *s, uint32_t task)
{
    bool pinned = is_pinned(s, task);
    uint32_t home = pinned ? s->places[s->g->parents[task]] : home_of(s, task);
    if (s->starts[task] >= 0)
        return;
    if (cost_of(s, task) == 0)
        start(s, task, home == IOT_NONE ? 0 : home);
    else if (!pinned && anywhere_at(s, task) <= s->now)
        set_insert(&s->ready, task);
    else
        put_at_home(s, task, home, pinned);
}

static void complete(simulation *s, uint32_t task)
{
    bool pinned = is_pinned(s, task);
    int64_t first = pinned ? pinned_at(s, task) : home_at(s, task);
    if (first <= s->now)
        arrive(s, task);
    else
        queue_push(&s->arrivals, first, task);
    if (pinned || cost_of(s, task) == 0)
        return;
    int64_t anywhere = anywhere_at(s, task);
    if (anywhere > first)
        queue_push(&s->arrivals, anywhere, task);
}

static void finish(simulation *s, uint32_t task)
{
    if (cost_of(s, task) > 0) {
        set_insert(&s->free, s->places[task]);
        ARRAY_PUSH(s->touched, s->places[task]);
    }
    s->done++;
    s->sums.span = s->now;
    for (uint64_t i = s->g->first[task]; i < s->g->first[task + 1]; i++) {
        uint32_t other = s->g->needed_by[i];
        meet(s, other, task);
        if (--s->missing[other] == 0)
            complete(s, other);
    }
}

// ---------------------------------------------------------------------------------------------
// Who runs what

static void run_pinned(simulation *s)
{
    for (size_t i = 0; i < s->touched.n; i++) {
        uint32_t place = s->touched.at[i];
        processor *p = processor_at(s, place);
        if (p->pinned.of.n > 0 && set_has(&s->free, place))
            start(s, queue_pop(&p->pinned).value, place);
    }
}

// The oldest tasks that may run on a free processor, but not everywhere.
static void find_heads(simulation *s)
{
    s->heads.of.n = 0;
    for (size_t i = 0; i < s->touched.n; i++) {
        uint32_t place = s->touched.at[i];
        queue *q = &processor_at(s, place)->at_home;
        while (q->of.n > 0 && anywhere_at(s, q->of.at[0].value) <= s->now)
            queue_pop(q); // it stands in `ready`, or has run
        if (q->of.n > 0 && set_has(&s->free, place))
            queue_push(&s->heads, q->of.at[0].key, place);
    }
    s->touched.n = 0;
}

static void run_anywhere(simulation *s, uint32_t task)
{
    uint32_t home = home_of(s, task);
    set_remove(&s->ready, task);
    bool at_home = home != IOT_NONE && set_has(&s->free, home);
    start(s, task, at_home ? home : set_smallest(&s->free));
}

static void assign(simulation *s)
{
    run_pinned(s);
    find_heads(s);
    while (set_smallest(&s->free) != SET_EMPTY) {
        while (s->heads.of.n > 0 && !set_has(&s->free, s->heads.of.at[0].value))
            queue_pop(&s->heads);
        uint32_t oldest = set_smallest(&s->ready);
        if (s->heads.of.n > 0 && s->heads.of.at[0].key < oldest) {
            uint32_t place = queue_pop(&s->heads).value;
            start(s, queue_pop(&processor_at(s, place)->at_home).value, place);
        } else if (oldest != SET_EMPTY) {
            run_anywhere(s, oldest);
        } else {
            return;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// From moment to moment

static bool has_unit(const simulation *s)
{
    return s->first_unit < s->units.n;
}

static int64_t next_unit_end(const simulation *s)
{
    return has_unit(s) ? end_of(s, s->units.at[s->first_unit]) : INT64_MAX;
}

// False if nothing is left.
static bool next_moment(simulation *s)
{
    int64_t next = next_unit_end(s);
    if (s->ends.of.n > 0 && s->ends.of.at[0].key < next)
        next = s->ends.of.at[0].key;
    if (s->arrivals.of.n > 0 && s->arrivals.of.at[0].key < next)
        next = s->arrivals.of.at[0].key;
    if (next == INT64_MAX)
        return false;
    s->now = next;
    return true;
}

static void finish_instants(simulation *s)
{
    while (s->instant.n > 0)
        finish(s, s->instant.at[--s->instant.n]);
}

static void happen(simulation *s)
{
    while (next_unit_end(s) == s->now)
        finish(s, s->units.at[s->first_unit++]);
    if (!has_unit(s))
        s->units.n = s->first_unit = 0;
    while (s->ends.of.n > 0 && s->ends.of.at[0].key == s->now)
        finish(s, queue_pop(&s->ends).value);
    while (s->arrivals.of.n > 0 && s->arrivals.of.at[0].key <= s->now)
        arrive(s, queue_pop(&s->arrivals).value);
    finish_instants(s);
    assign(s);
}

static bool run(simulation *s, iot_progress progress, void *data)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < s->g->n; i++)
        if (s->missing[i] == 0)
            complete(s, i);
    finish_instants(s);
    assign(s);
    while (next_moment(s)) {
        happen(s);
        if (progress && s->done - told >= TELL_EVERY) {
            told = s->done;
            if (!progress(data, (double)s->done / s->g->n))
                return false;
        }
    }
    if (s->done != s->g->n)
        base_bug("goals of a simulation wait for each other");
    return true;
}

// ---------------------------------------------------------------------------------------------
// Beginning and end

// Tasks whose subtrees cost less than the grain. Descendants are younger.
static void pin(simulation *s, int64_t grain)
{
    uint32_t n = s->g->n;
    int64_t *subtree = base_allocate(n, sizeof *subtree);
    s->pinned = bits_allocate(n);
    for (uint32_t i = n; i-- > 0;) {
        subtree[i] += cost_of(s, i);
        if (s->g->parents[i] == IOT_NONE || s->g->parents[i] >= i)
            continue;
        if (subtree[i] < grain)
            bit_set(s->pinned, i);
        subtree[s->g->parents[i]] += subtree[i];
    }
    free(subtree);
}

static void begin(simulation *s, const iot_machine *m)
{
    uint32_t n = s->g->n;
    s->nprocessors = m->processors < n ? m->processors : n ? n : 1;
    s->delay = m->delay;
    if (m->grain > 0)
        pin(s, m->grain);
    s->missing = base_resize(NULL, n, sizeof *s->missing);
    s->latest = base_resize(NULL, n, sizeof *s->latest);
    s->places = base_resize(NULL, n, sizeof *s->places);
    s->starts = base_resize(NULL, n, sizeof *s->starts);
    if (n > 0)
        memcpy(s->missing, s->g->needs, n * sizeof *s->missing);
    for (uint32_t i = 0; i < n; i++) {
        s->latest[i] = IOT_NONE;
        s->starts[i] = -1;
    }
    if (m->delay > 0) {
        s->others = base_resize(NULL, n, sizeof *s->others);
        for (uint32_t i = 0; i < n; i++)
            s->others[i] = -1;
    }
    set_create(&s->ready, n);
    set_create(&s->free, s->nprocessors);
    for (uint32_t i = 0; i < s->nprocessors; i++)
        set_insert(&s->free, i);
}

static void end(simulation *s)
{
    for (size_t i = 0; i < s->processors.n; i++) {
        free(s->processors.at[i].pinned.of.at);
        free(s->processors.at[i].at_home.of.at);
    }
    free(s->processors.at);
    free(s->units.at);
    free(s->instant.at);
    free(s->ends.of.at);
    free(s->arrivals.of.at);
    free(s->touched.at);
    free(s->heads.of.at);
    free(s->pinned);
    free(s->missing);
    free(s->latest);
    free(s->others);
    set_destroy(&s->ready);
    set_destroy(&s->free);
}

// INT64_MAX if that is too small.
static int64_t idle_time(const simulation *s, uint32_t processors)
{
    int64_t all = processors == IOT_UNLIMITED ? s->sums.processors : processors;
    if (__builtin_mul_overflow(all, s->sums.span, &all))
        return INT64_MAX;
    return all - s->sums.busy - s->sums.waiting;
}

bool iot_run_tasks(const task_graph *g, const iot_machine *m, iot_progress progress, void *data,
                   iot_simulated *ret, task_times *ret_times)
{
    simulation s = {.g = g};
    begin(&s, m);
    if (ret_times)
        s.waited = base_resize(NULL, g->n, sizeof *s.waited);
    bool finished = run(&s, progress, data);
    s.sums.processors = (uint32_t)s.processors.n;
    s.sums.idle = idle_time(&s, m->processors);
    end(&s);
    if (finished && ret_times) {
        *ret_times = (task_times){s.places, s.starts, s.waited};
    } else {
        free(s.places);
        free(s.starts);
        free(s.waited);
    }
    if (finished)
        *ret = s.sums;
    return finished;
}
