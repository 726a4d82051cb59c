// SPDX-License-Identifier: MIT
//
// Findings of a Fleng program, in steps: the critical path and the creation of processes, modules
// that wait for others, late aliases, and the parallelism of the whole.
#include "iotree/findings/findings.h"
#include "iotree/terms/values.h"
#include "iotree/time/profile.h"

static char *steps_text(uint64_t n) // malloc'ed
{
    return base_format("%llu step%s", (unsigned long long)n, n == 1 ? "" : "s");
}

// " (file:line)" of a source, or nothing if it is not known. malloc'ed.
static char *location(const trace *t, uint32_t source, uint32_t line)
{
    if (source == TRACE_NONE)
        return base_copy("");
    const char *name = trace_string(t, trace_get_source(t, source)->name, NULL);
    return base_format(" (%s:%u)", name, line);
}

static char *location_of(const trace *t, uint32_t reduction)
{
    uint32_t source, line = iot_reduction_line(t, reduction, &source);
    return location(t, source, line);
}

// ---------------------------------------------------------------------------------------------
// The critical path

typedef struct {
    uint32_t clause;
    uint32_t n;
    uint32_t reduction; // the latest of those at the place where most of them are
} clause_count;

// Which steps of the critical path are counted.
typedef struct {
    uint32_t module; // of the steps, or IOT_NONE
    bool created;    // only steps that waited for their parent, by the clause that created them
} choice;

// The clause that step i counts for; IOT_NONE: it is not counted.
static uint32_t counted_clause(const iot *a, choice c, uint32_t i)
{
    uint32_t r = a->path.steps[i];
    if ((c.module != IOT_NONE && a->processes[process_of(a, r)].module != c.module) ||
        (c.created && !bit_get(a->path.creation_bits, i)))
        return IOT_NONE;
    uint32_t parent = trace_goal_parent(a->t, trace_reduction_goal(a->t, r));
    return trace_reduction_clause(a->t, c.created ? parent : r);
}

// Where the step is in the source: the item that created it, or the line, of the call for a
// built-in.
static uint64_t place_of(const iot *a, choice c, uint32_t reduction)
{
    uint32_t source = 0, line;
    if (c.created)
        return trace_goal_item(a->t, trace_reduction_goal(a->t, reduction));
    line = iot_reduction_line(a->t, reduction, &source);
    return (uint64_t)source << 32 | line;
}

typedef struct {
    uint64_t place;
    uint32_t step;
} placed;

static int by_place(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

// Of the n steps that count for the clause, one at the place with most of them.
static uint32_t reduction_at_most_frequent_place(const iot *a, choice c, uint32_t clause,
                                                 uint32_t n)
{
    placed *all = base_allocate(n, sizeof *all);
    uint32_t found = 0, most = 0, best = 0;
    for (uint32_t i = 0; i < a->path.n && found < n; i++) {
        if (counted_clause(a, c, i) == clause)
            all[found++] = (placed){place_of(a, c, a->path.steps[i]), i};
    }
    qsort(all, found, sizeof *all, by_place);
    for (uint32_t i = 0, start = 0; i < found; i++) {
        start = all[i].place == all[start].place ? start : i;
        if (i - start + 1 > most) {
            most = i - start + 1;
            best = start;
        }
    }
    uint32_t reduction = a->path.steps[all[best].step];
    free(all);
    return reduction;
}

// The clause with most of the chosen steps, of which there must be some.
static clause_count most_frequent(const iot *a, choice c)
{
    uint32_t *counts = base_allocate(trace_nclauses(a->t), sizeof *counts);
    clause_count best = {.clause = IOT_NONE};
    for (uint32_t i = 0; i < a->path.n; i++) {
        uint32_t clause = counted_clause(a, c, i);
        if (clause != IOT_NONE && ++counts[clause] > best.n) {
            best.n = counts[clause];
            best.clause = clause;
        }
    }
    free(counts);
    best.reduction = reduction_at_most_frequent_place(a, c, best.clause, best.n);
    return best;
}

static void say_creation(iot *a)
{
    if (!iot_is_creation_bound(a))
        return;
    clause_count c = most_frequent(a, (choice){IOT_NONE, true});
    const trace_clause *clause = trace_get_clause(a->t, c.clause);
    uint32_t goal = trace_reduction_goal(a->t, c.reduction);
    char *name = iot_predicate_text(a->t, trace_goal_predicate(a->t, goal));
    uint32_t item = trace_goal_item(a->t, goal);
    uint32_t line = item == TRACE_NONE ? clause->line : clause->items[item].line;
    char *where = location(a->t, clause->source, line);
    iot_add_finding(a, (iot_finding){
               .title = base_format("process creation is %d %% of the critical path",
                                   iot_percent(a->path.ncreation, a->path.n)),
               .detail = base_format("%u of its %u reductions lead by creation alone to the first "
                                    "goal of a process; %u by the clause that creates %s%s",
                                    a->path.ncreation, a->path.n, c.n, name, where),
               .module = IOT_NONE,
               .reduction = c.reduction,
               .clause = c.clause,
           });
    free(name);
    free(where);
}

static void say_critical_module(iot *a)
{
    uint32_t working = 0, most = 0;
    for (uint32_t m = 0; m < a->nmodules; m++) {
        working += a->modules[m].work > 0;
        if (a->modules[m].critical > a->modules[most].critical)
            most = m;
    }
    const iot_module *m = &a->modules[most];
    if (working < 2 || a->path.n < 4 || 5 * m->critical < 2 * (uint64_t)a->path.n)
        return;
    clause_count c = most_frequent(a, (choice){most, false});
    uint64_t work = 0;
    uint32_t predicate = trace_get_clause(a->t, c.clause)->predicate;
    for (uint32_t i = 0; i < a->predicates.n; i++) {
        const iot_predicate_row *row = &a->predicates.rows[i];
        work += row->module == most && row->predicate == predicate ? row->work : 0;
    }
    char *name = iot_predicate_text(a->t, predicate);
    char *where = location_of(a->t, c.reduction);
    iot_add_finding(a, (iot_finding){
               .title = base_format("%s: %d %% of the critical path", m->name,
                                   iot_percent(m->critical, a->path.n)),
               .detail = base_format("%s%s is %u of its %llu reductions there and %llu of all "
                                    "%llu",
                                    name, where, c.n, (unsigned long long)m->critical,
                                    (unsigned long long)work, (unsigned long long)a->work),
               .module = most,
               .reduction = c.reduction,
               .clause = c.clause,
           });
    free(name);
    free(where);
}

// ---------------------------------------------------------------------------------------------
// Waiting for another module: the steps at which some goal of the one waits for something that the
// other has not made yet

typedef struct {
    int64_t from, to; // steps from+1 .. to
} interval;

typedef struct {
    const iot *a;
    const iot_dependency *d;
    uint8_t *seen; // bits by binding, of one process
    ARRAY_OF(interval) all;
    int64_t longest;
    uint32_t reader, binding; // of the longest wait
} waits;

static void gather_waits(waits *w, uint32_t process, uint32_t reader, uint32_t n,
                         const uint32_t *variables, bool clear)
{
    const iot *a = w->a;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, variables[i]);
        if (binding == TRACE_NONE)
            continue;
        if (clear) {
            w->seen[binding >> 3] = 0;
            continue;
        }
        uint32_t maker = trace_binding_maker(a->t, binding), from = process_of(a, maker);
        if (from == IOT_NONE || from == process || a->processes[from].module != w->d->from ||
            bit_get(w->seen, binding))
            continue;
        bit_set(w->seen, binding);
        interval x = {reduction_created(a->t, reader), trace_time(a->t, maker)};
        if (x.to <= x.from)
            continue;
        ARRAY_PUSH(w->all, x);
        if (x.to - x.from > w->longest) {
            w->longest = x.to - x.from;
            w->reader = reader;
            w->binding = binding;
        }
    }
}

static void gather_process(waits *w, uint32_t process, bool clear)
{
    const uint32_t *members, *variables;
    uint32_t n = iot_members(w->a, process, &members);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t nread = trace_reads(w->a->t, members[i], &variables);
        gather_waits(w, process, members[i], nread, variables, clear);
        nread = trace_followed(w->a->t, members[i], &variables);
        gather_waits(w, process, members[i], nread, variables, clear);
    }
}

static int by_start(const void *x, const void *y)
{
    const interval *a = x, *b = y;
    return a->from < b->from ? -1 : a->from > b->from;
}

static uint64_t covered(interval *all, size_t n)
{
    uint64_t sum = 0;
    int64_t end = INT64_MIN;
    if (n)
        qsort(all, n, sizeof *all, by_start);
    for (size_t i = 0; i < n; i++) {
        int64_t from = all[i].from > end ? all[i].from : end;
        if (all[i].to > from) {
            sum += (uint64_t)(all[i].to - from);
            end = all[i].to;
        }
    }
    return sum;
}

static void say_wait(iot *a, const iot_dependency *d)
{
    if (d->from == d->to || !d->wait)
        return;
    waits w = {.a = a, .d = d};
    w.seen = bits_allocate(trace_nbindings(a->t));
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        if (a->processes[p].module == d->to) {
            gather_process(&w, p, false);
            gather_process(&w, p, true);
        }
    }
    uint64_t steps = covered(w.all.at, w.all.n);
    free(w.seen);
    free(w.all.at);
    if (10 * steps < (uint64_t)a->span)
        return;
    uint32_t clause = trace_reduction_clause(a->t, w.reader);
    uint32_t predicate = trace_goal_predicate(a->t, trace_reduction_goal(a->t, w.reader));
    char *name = iot_predicate_text(a->t, predicate);
    char *where = location_of(a->t, w.reader);
    char *all = steps_text((uint64_t)a->span), *longest = steps_text((uint64_t)w.longest);
    iot_add_finding(a, (iot_finding){
               .title = base_format("%s waits %llu of %s for %s", a->modules[d->to].name,
                                    (unsigned long long)steps, all, a->modules[d->from].name),
               .detail = base_format("%llu value%s passed; longest: %s%s, %s",
                                    (unsigned long long)d->count, d->count == 1 ? "" : "s", name,
                                    where, longest),
               .module = d->to,
               .reduction = w.reader,
               .clause = clause,
           });
    free(name);
    free(where);
    free(all);
    free(longest);
}

// ---------------------------------------------------------------------------------------------
// Late aliases, and the whole

static uint32_t reduction_by(const trace *t, uint32_t clause)
{
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        if (trace_reduction_clause(t, r) == clause)
            return r;
    }
    return IOT_NONE;
}

static void say_unneeded(iot *a, const iot_unneeded *u)
{
    if (u->span_without >= a->span)
        return;
    const trace_clause *c = trace_get_clause(a->t, u->clause);
    char *name = iot_clause_text(a->t, u->clause);
    char *where = location(a->t, c->source, c->items[u->item].line);
    char *span = steps_text((uint64_t)u->span_without), *late = steps_text(u->delay);
    uint32_t reduction = reduction_by(a->t, u->clause);
    uint32_t process = reduction == IOT_NONE ? IOT_NONE : process_of(a, reduction);
    iot_add_finding(
        a,
        (iot_finding){
            .title = base_format(
                "%s passes on %s late: span %s without (-%d %%)",
                trace_string(a->t, u->output, NULL), trace_string(a->t, u->input, NULL), span,
                iot_percent((uint64_t)(a->span - u->span_without), (uint64_t)a->span)),
            .detail = base_format("%s%s binds them %s after both were in hand", name, where, late),
            .module = process == IOT_NONE ? IOT_NONE : a->processes[process].module,
            .reduction = reduction,
            .clause = u->clause,
        });
    free(name);
    free(where);
    free(span);
    free(late);
}

static void say_whole(iot *a)
{
    uint64_t work = a->work;
    iot_finding f = {.module = IOT_NONE, .reduction = IOT_NONE, .clause = IOT_NONE};
    if (!work) {
        f.title = base_format("nothing was reduced");
        f.detail = base_format("%u goal%s created", trace_ngoals(a->t),
                              trace_ngoals(a->t) == 1 ? " was" : "s were");
        iot_add_finding(a, f);
        return;
    }
    char *span = steps_text((uint64_t)a->span);
    const profile *p = iot_ensure_profile(a, IOT_VIRTUAL_TIME);
    uint64_t peak = p->of[IOT_REDUCTIONS].levels[p->nlevels - 1][a->nmodules].peak;
    f.title =
        base_format("parallelism %.1f: %llu reduction%s in %s", (double)work / (double)a->span,
                    (unsigned long long)work, work == 1 ? "" : "s", span);
    if (trace_get_clock(a->t) == TRACE_REAL)
        f.detail =
            base_format("at most %llu at once; %u worker%s took %.3g ms", (unsigned long long)peak,
                        trace_nplaces(a->t), trace_nplaces(a->t) == 1 ? "" : "s",
                        (double)trace_elapsed(a->t) / 1e6);
    else
        f.detail = base_format("at most %llu at once", (unsigned long long)peak);
    free(span);
    iot_add_finding(a, f);
}

void iot_say_fleng(iot *a)
{
    if (a->path.n) {
        say_creation(a);
        say_critical_module(a);
        iot_ensure_dependencies(a);
        for (uint32_t i = 0; i < 3 && i < a->dependencies.n; i++)
            say_wait(a, &a->dependencies.rows[i]);
        iot_ensure_unneeded(a);
        for (uint32_t i = 0; i < 3 && i < a->unneeded.n; i++)
            say_unneeded(a, &a->unneeded.rows[i]);
    }
    say_whole(a);
}
