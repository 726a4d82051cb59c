// SPDX-License-Identifier: MIT
//
// How a measured run changes without each cause: which waits nobody has, and what takes how long.
// Edits are made one after another in the same arrays, so two causes at once are two edits.
#include "iotree/findings/measured_run.h"

typedef struct {
    const measured_run *m;
    const replay *r;
    const cause *c;
    replay_edit *edit;
    uint8_t *marks; // bits by activity
} editing;

// What is work of an activity whose construct costs more than what is in it. Larger ones cost no
// more than the usual ones do.
static int64_t work_in(const editing *e, uint32_t activity)
{
    int64_t cost = e->edit->costs[activity], share = (int64_t)((double)cost * e->c->share);
    return cost - share > e->c->overhead ? cost - e->c->overhead : share;
}

static void free_wait(const editing *e, uint32_t activity)
{
    e->edit->free[activity / 8] |= (uint8_t)(1 << activity % 8);
}

static int64_t without(int64_t cost, int64_t part)
{
    return cost > part ? cost - part : 0;
}

// ---------------------------------------------------------------------------------------------
// The same for all

// Scales the activities of the segment that `is` picks, from `sum` to `mean` together.
static void scale(const editing *e, const segment *s, bool (*is)(const editing *, uint32_t),
                  double sum, double mean)
{
    if (sum <= 0)
        return;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = e->r->by_place[i];
        if (is(e, x))
            e->edit->costs[x] = (int64_t)((double)e->edit->costs[x] * (mean / sum));
    }
}

static void make_even(const editing *e, const phases *all, uint32_t phase,
                      bool (*is)(const editing *, uint32_t))
{
    uint32_t first = all->first[phase], n = all->first[phase + 1] - first;
    double *sums = base_allocate((size_t)n + 1, sizeof *sums), total = 0;
    for (uint32_t k = 0; k < n; k++) {
        const segment *s = &all->list.at[first + k];
        for (uint32_t i = s->from; i < s->to; i++)
            if (is(e, e->r->by_place[i]))
                sums[k] += (double)e->edit->costs[e->r->by_place[i]];
        total += sums[k];
    }
    for (uint32_t k = 0; k < n && total > 0; k++)
        scale(e, &all->list.at[first + k], is, sums[k], total / n);
    free(sums);
}

static bool is_of_clause(const editing *e, uint32_t x)
{
    uint32_t clause = clause_of(e->m, x);
    if (e->r->waits[x])
        return false;
    if (e->c->kind == NO_TASKWAIT)
        return clause == e->c->other || clause == e->c->later;
    return (e->c->kind == NO_DEPENDENCE ? e->m->task_group[clause] : clause) == e->c->clause;
}

static bool is_marked(const editing *e, uint32_t x)
{
    return e->marks[x / 8] >> x % 8 & 1;
}

// While tasks wait to be done, a thread that has none takes one at once.
static void no_idling(const editing *e, uint32_t phase)
{
    const phases *all = &e->m->threads;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++)
        for (uint32_t i = all->list.at[k].from; i < all->list.at[k].to; i++) {
            uint32_t x = e->r->by_place[i];
            if (e->r->waits[x] && e->r->meetings[x] == IOT_NONE)
                e->edit->costs[x] = 0;
        }
}

// Of the code of a region itself, only what is done before one of its barriers.
static bool has_clause(const editing *e, uint32_t phase)
{
    const phases *all = &e->m->threads;
    if (e->c->kind == EVEN_THREADS && e->c->other != iot_end_of_phase(e->m, e->c->clause, phase))
        return false;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++)
        for (uint32_t i = all->list.at[k].from; i < all->list.at[k].to; i++)
            if (is_of_clause(e, e->r->by_place[i]))
                return true;
    return false;
}

static void even_threads(const editing *e)
{
    bool tasks = kind_of_clause(e->m, e->c->clause) == TRACE_KIND_TASK;
    for (uint32_t p = 0; p < e->m->threads.n; p++) {
        if (!has_clause(e, p))
            continue;
        if (tasks)
            no_idling(e, p);
        make_even(e, &e->m->threads, p, is_of_clause);
    }
}

// A thread that waits for a task that it can do waits for what the task depends on.
static void no_dependence(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++) {
        if (!is_of_clause(e, i))
            continue;
        uint32_t idle = e->r->before[i];
        free_wait(e, i);
        if (idle != IOT_NONE && e->r->waits[idle] && e->r->meetings[idle] == IOT_NONE)
            free_wait(e, idle);
    }
    even_threads(e);
}

static bool is_computation(const editing *e, uint32_t x)
{
    return computes(e->m, x);
}

static void even_ranks(const editing *e)
{
    for (uint32_t p = 0; p < e->m->ranks.n; p++)
        if (e->m->rank_clauses[p] == e->c->clause)
            make_even(e, &e->m->ranks, p, is_computation);
}

// ---------------------------------------------------------------------------------------------
// One thread

static void divide(const editing *e, uint32_t from, uint32_t to, uint32_t by)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t x = e->r->by_place[i];
        if (computes(e->m, x))
            e->edit->costs[x] /= by > 0 ? by : 1;
    }
}

static void share(void *data, const stretch *s)
{
    const editing *e = data;
    int64_t left = loading_in(e->m, s); // that stays
    if (s->before != e->c->clause || s->after != e->c->other)
        return;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = e->r->by_place[i];
        int64_t cost = e->edit->costs[x], stays = cost < left ? cost : left;
        if (!computes(e->m, x))
            continue;
        e->edit->costs[x] = stays + (cost - stays) / s->team;
        left -= stays;
    }
}

static bool has_marked(const editing *e, uint32_t phase)
{
    const phases *all = &e->m->threads;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++)
        for (uint32_t i = all->list.at[k].from; i < all->list.at[k].to; i++)
            if (is_marked(e, e->r->by_place[i]))
                return true;
    return false;
}

// A region of one thread within another region can share its work only with threads that are free.
static void share_regions(editing *e)
{
    const measured_run *m = e->m;
    e->marks = base_allocate((size_t)m->r->n / 8 + 1, 1);
    bool nested = false;
    for (size_t k = 0; k < m->lone.n; k++) {
        const stretch *s = &m->lone.at[k];
        if (s->before != e->c->clause)
            continue;
        if (!s->nested)
            divide(e, s->from, s->to, m->largest_team);
        for (uint32_t i = s->from; s->nested && i < s->to; i++)
            e->marks[m->r->by_place[i] / 8] |= (uint8_t)(1 << m->r->by_place[i] % 8);
        nested = nested || s->nested;
    }
    for (uint32_t p = 0; nested && p < m->threads.n; p++)
        if (has_marked(e, p))
            make_even(e, &m->threads, p, is_marked);
    free(e->marks);
    e->marks = NULL;
}

// ---------------------------------------------------------------------------------------------
// Waits

static void no_waits(const editing *e, bool gone)
{
    for (uint32_t i = 1; i < e->r->n; i++)
        if (e->r->waits[i] && lock_of(e->m, i) == e->c->clause) {
            free_wait(e, i);
            if (gone)
                e->edit->costs[i] = 0;
        }
}

// The part of the time of a phase's threads, from the first task to the end of the last one, in which
// they do tasks. 1: there is none.
static double busy_with_tasks(const editing *e, uint32_t phase)
{
    const phases *all = &e->m->threads;
    int64_t begin = INT64_MAX, end = 0, total = 0;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++)
        for (uint32_t i = all->list.at[k].from; i < all->list.at[k].to; i++) {
            uint32_t x = e->r->by_place[i];
            if (!is_of_clause(e, x))
                continue;
            begin = replay_start(e->m->r, x) < begin ? replay_start(e->m->r, x) : begin;
            end = replay_end(e->m->r, x) > end ? replay_end(e->m->r, x) : end;
            total += e->edit->costs[x];
        }
    double time = (double)(end - begin) * (all->first[phase + 1] - all->first[phase]);
    return total > 0 && (double)total < time ? (double)total / time : 1;
}

// Tasks that were made one at a time are made at once, and all threads work on them: no thread is
// without one from the first to the last. They keep their order, and take less each.
static void no_taskwait(const editing *e)
{
    const phases *all = &e->m->threads;
    for (uint32_t p = 0; p < all->n; p++) {
        double busy = busy_with_tasks(e, p);
        for (uint32_t k = all->first[p]; k < all->first[p + 1]; k++)
            for (uint32_t i = all->list.at[k].from; i < all->list.at[k].to; i++) {
                uint32_t x = e->r->by_place[i];
                if (is_of_clause(e, x))
                    e->edit->costs[x] = (int64_t)((double)e->edit->costs[x] * busy);
                else if (e->r->waits[x] && clause_of(e->m, x) == e->c->clause)
                    e->edit->costs[x] = 0;
            }
    }
}

// Marks what the place does from its first chunk or task of the segment to its last one. False:
// nobody waits there for the cause.
static bool mark_handed_out(const editing *e, const segment *s, bool all)
{
    uint32_t first = all ? s->from : s->to, last = s->to;
    bool waits = false;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = e->r->by_place[i];
        waits = waits || (e->r->waits[x] && lock_of(e->m, x) == e->c->clause);
        if (all || !iot_is_handed_out(e->r, x))
            continue;
        first = first == s->to ? i : first;
        last = i;
    }
    for (uint32_t i = first; i < s->to && i <= last; i++) {
        uint32_t x = e->r->by_place[i];
        if (!e->r->waits[x])
            e->marks[x / 8] |= (uint8_t)(1 << x % 8);
    }
    return waits;
}

// Who gets the lock gets the next chunk, too. Without turns the chunks and tasks are shared again, and so is
// what threads of a group take from a common place.
static void share_chunks_again(editing *e)
{
    const phases *all = &e->m->threads;
    e->marks = base_allocate((size_t)e->r->n / 8 + 1, 1);
    for (uint32_t p = 0; p < all->n; p++) {
        bool waits = false, group = iot_is_group(e->m, p);
        if (group && !iot_takes_over(e->m, p, e->c->clause))
            continue;
        for (uint32_t k = all->first[p]; k < all->first[p + 1]; k++)
            waits = mark_handed_out(e, &all->list.at[k], group) || waits;
        if (waits)
            make_even(e, all, p, is_marked);
    }
    free(e->marks);
    e->marks = NULL;
}

// The order stays, but what is done in the ordered parts is done before them.
static void compute_before(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++) {
        if (!e->r->waits[i] || lock_of(e->m, i) != e->c->clause)
            continue;
        uint32_t held = held_after(e->m, i), made = e->r->before[i];
        if (held == IOT_NONE || made == IOT_NONE || e->r->waits[made])
            continue;
        if (!e->r->shares || e->r->computes[held])
            e->edit->costs[made] += e->edit->costs[held];
        else
            e->edit->gaps[i] += e->edit->costs[held]; // it sleeps, and needs no processor
        e->edit->costs[held] = 0;
    }
}

// Without its turns the work in them is done by all at once; what taking turns costs is gone.
static void no_turns(editing *e)
{
    if (kind_of_clause(e->m, e->c->clause) == TRACE_KIND_ORDERED_WAIT && !e->c->small) {
        compute_before(e);
        return;
    }
    no_waits(e, true);
    for (uint32_t i = 1; i < e->r->n; i++) {
        if (!e->r->waits[i] || lock_of(e->m, i) != e->c->clause)
            continue;
        uint32_t held = held_after(e->m, i), made = e->r->before[i];
        if (held != IOT_NONE)
            e->edit->costs[held] = work_in(e, held);
        if (made != IOT_NONE && !e->r->waits[made])
            e->edit->costs[made] =
                without(e->edit->costs[made], e->c->small ? EDGE_COST : EVENT_COST);
    }
    share_chunks_again(e);
}

static void message_is_there(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++) {
        if (!e->r->waits[i] || clause_of(e->m, i) != e->c->clause)
            continue;
        uint32_t from = iot_last_source(e->m, i);
        if (from != IOT_NONE && (e->c->other == IOT_NONE || clause_of(e->m, from) == e->c->other))
            free_wait(e, i);
    }
}

// ---------------------------------------------------------------------------------------------
// Order of receives

typedef struct {
    uint64_t edge;
    uint32_t source;
    int64_t there;
} arrival;

static int by_arrival(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    return x->there < y->there ? -1 : x->there > y->there;
}

static void in_order_of_arrival(void *data, const uint32_t *receives, uint32_t n)
{
    const editing *e = data;
    ARRAY_OF(arrival) list = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = e->r->first[receives[i]]; k < e->r->first[receives[i] + 1]; k++)
            if (e->r->sources[k] != IOT_NONE)
                ARRAY_PUSH(list, ((arrival){k, e->r->sources[k],
                                            replay_end(e->m->r, e->r->sources[k])}));
    arrival *sorted = base_allocate(list.n + 1, sizeof *sorted);
    memcpy(sorted, list.at, list.n * sizeof *sorted);
    if (list.n > 0)
        qsort(sorted, list.n, sizeof *sorted, by_arrival);
    for (size_t i = 0; i < list.n; i++)
        e->edit->sources[list.at[i].edge] = sorted[i].source;
    free(sorted);
    free(list.at);
}

// A server takes messages in the order in which they come: nobody waits for his turn, and ranks whose
// messages wait no longer take over work of the others, as free ones do.
static void serve_as_they_come(void *data, const uint32_t *receives, uint32_t n)
{
    const editing *e = data;
    const replay *r = e->r;
    bool *served = base_allocate((size_t)r->nplaces + 1, sizeof *served);
    uint32_t place = trace_place(e->m->t, receives[0]), nserved = 0;
    double total = 0, *sums = base_allocate((size_t)r->nplaces + 1, sizeof *sums);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = iot_last_source(e->m, receives[i]);
        free_wait(e, receives[i]);
        if (from != IOT_NONE)
            served[trace_place(e->m->t, from)] = true;
    }
    int64_t since = replay_start(r, receives[0]), until = replay_end(r, receives[n - 1]);
    for (uint32_t i = 1; i < r->n; i++) {
        uint32_t p = trace_place(e->m->t, i), from = served[p] ? iot_last_source(e->m, i) : IOT_NONE;
        bool within = replay_end(r, i) > since && replay_start(r, i) < until;
        if (r->waits[i] && from != IOT_NONE && trace_place(e->m->t, from) == place && within)
            free_wait(e, i);
        if (served[p] && !r->waits[i] && within)
            sums[p] += (double)e->edit->costs[i];
    }
    for (uint32_t p = 0; p < r->nplaces; p++) {
        total += sums[p];
        nserved += served[p];
    }
    for (uint32_t i = 1; i < r->n; i++) {
        uint32_t p = trace_place(e->m->t, i);
        bool within = replay_end(r, i) > since && replay_start(r, i) < until;
        if (served[p] && !r->waits[i] && within && sums[p] > 0)
            e->edit->costs[i] = (int64_t)((double)e->edit->costs[i] * (total / nserved / sums[p]));
    }
    free(served);
    free(sums);
}

static void join_later(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++)
        if (clause_of(e->m, i) == e->c->clause && iot_joins_at_once(e->m, i))
            free_wait(e, i);
}

// Both threads work at the same time; a wait of the other one is over as soon as there is an item.
static void not_in_step(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++) {
        uint32_t other;
        int64_t work;
        if (clause_of(e->m, i) != e->c->clause || !iot_is_in_step(e->m, i, &other, &work) ||
            clause_of(e->m, other) != e->c->other)
            continue;
        free_wait(e, i);
        e->edit->costs[i] = 0;
        e->edit->costs[other] = 0;
    }
}

static void as_tree(void *data, const uint32_t *sends, uint32_t n)
{
    const editing *e = data;
    uint32_t steps = 0, ranks = 0;
    int64_t to;
    for (uint32_t i = 0; i < n; i++)
        ranks += iot_activity_value(e->m->t, sends[i], TRACE_KEY_TO, &to);
    while (ranks >> steps)
        steps++; // the least with 2^steps > ranks
    for (uint32_t i = 0; i < n; i++)
        e->edit->costs[sends[i]] = e->edit->costs[sends[i]] * steps / (ranks > 0 ? ranks : 1);
}

// ---------------------------------------------------------------------------------------------
// Rows of calls

// A call that is not made: nobody waits in it, and the transfer after it does not happen.
static void leave_out(const editing *e, uint32_t call)
{
    uint32_t before = e->r->before[call], after = e->m->after[call];
    free_wait(e, call);
    e->edit->costs[call] = 0;
    if (after != IOT_NONE && kind_of(e->m, after) == TRACE_KIND_TRANSFER)
        e->edit->costs[after] = 0;
    if (before != IOT_NONE && computes(e->m, before))
        e->edit->costs[before] = without(e->edit->costs[before], EVENT_COST);
}

// Of each row and clause the first call stays.
static void one_call(const editing *e)
{
    for (size_t k = 0; k < e->m->rows.n; k++) {
        const row *w = &e->m->rows.at[k];
        bool made[2] = {false, false};
        if (!w->with_rows || iot_row_group(e->m, w->clauses[0]) != e->c->clause)
            continue;
        for (uint32_t i = w->from; i < w->to; i++) {
            uint32_t x = e->r->by_place[i], which = clause_of(e->m, x) == w->clauses[1];
            if (!iot_is_call_of_group(e->m, x, e->c->clause))
                continue;
            if (made[which])
                leave_out(e, x);
            made[which] = true;
        }
    }
}

static void no_barrier(const editing *e)
{
    bool call = kind_of_clause(e->m, e->c->clause) == TRACE_KIND_MPI_COLLECTIVE;
    if (!call)
        no_waits(e, true);
    for (uint32_t i = 1; call && i < e->r->n; i++)
        if (e->r->waits[i] && clause_of(e->m, i) == e->c->clause)
            leave_out(e, i);
}

// Each rank gets all of its items with the first message.
static void more_at_once(const editing *e)
{
    bool *made = base_allocate((size_t)trace_nclauses(e->m->t) + 1, sizeof *made);
    for (uint32_t p = 0; p < e->r->nplaces; p++) {
        memset(made, 0, trace_nclauses(e->m->t) * sizeof *made);
        for (uint32_t i = e->r->at_place[p]; i < e->r->at_place[p + 1]; i++) {
            uint32_t x = e->r->by_place[i];
            if (!iot_is_call_of_group(e->m, x, e->c->clause))
                continue;
            if (made[clause_of(e->m, x)])
                leave_out(e, x);
            made[clause_of(e->m, x)] = true;
        }
    }
    free(made);
}

// ---------------------------------------------------------------------------------------------
// Grain

enum { MAKING = 20000 }; // nanoseconds: what is done between making two tasks is no work

// By clause: does it make tasks of this cause that make such tasks again? They become larger
// together, as where a recursion makes two tasks.
static bool *find_family(const editing *e)
{
    bool *made_by = base_allocate((size_t)trace_nclauses(e->m->t) + 1, sizeof *made_by);
    bool *makes = base_allocate((size_t)trace_nclauses(e->m->t) + 1, sizeof *makes);
    for (uint32_t i = 1; i < e->r->n; i++) {
        uint32_t maker = e->r->makers[i];
        if (maker == 0 || kind_of(e->m, i) != TRACE_KIND_TASK ||
            kind_of(e->m, maker) != TRACE_KIND_TASK)
            continue;
        makes[clause_of(e->m, maker)] |= clause_of(e->m, i) == e->c->clause;
        made_by[clause_of(e->m, i)] |= clause_of(e->m, maker) == e->c->clause;
    }
    for (uint32_t i = 0; i < trace_nclauses(e->m->t); i++)
        makes[i] = i == e->c->clause || (makes[i] && made_by[i]);
    free(made_by);
    return makes;
}

static void make_larger(const editing *e, const segment *s, const uint8_t *makes,
                        const bool *family)
{
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = e->r->by_place[i];
        bool made = makes[x / 8] >> x % 8 & 1;
        if (e->r->waits[x])
            continue;
        if (kind_of(e->m, x) == TRACE_KIND_TASK)
            e->edit->costs[x] =
                without(family[clause_of(e->m, x)] ? work_in(e, x) : e->edit->costs[x],
                        made ? TASK_COST : 0);
        else if (made || e->edit->costs[x] < MAKING)
            e->edit->costs[x] = without(e->edit->costs[x], MAKING);
    }
}

static void larger_tasks(const editing *e)
{
    const phases *all = &e->m->threads;
    uint8_t *makes = base_allocate((size_t)e->r->n / 8 + 1, 1);
    bool *family = find_family(e);
    for (uint32_t i = 1; i < e->r->n; i++)
        if (family[clause_of(e->m, i)] && kind_of(e->m, i) == TRACE_KIND_TASK)
            makes[e->r->makers[i] / 8] |= (uint8_t)(1 << e->r->makers[i] % 8);
    for (uint32_t p = 0; p < all->n; p++) {
        if (!has_clause(e, p))
            continue;
        no_idling(e, p);
        for (uint32_t k = all->first[p]; k < all->first[p + 1]; k++)
            make_larger(e, &all->list.at[k], makes, family);
        make_even(e, all, p, is_of_clause);
    }
    free(makes);
    free(family);
}

static void larger_chunks(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++)
        if (is_of_clause(e, i))
            e->edit->costs[i] = work_in(e, i);
}

static bool is_of_regions(const editing *e, uint32_t x)
{
    return e->m->region_group[clause_of(e->m, x)] == e->c->clause;
}

// Whether loops of the region are activities of their own: some compilers tell no loops.
static bool has_loop(const editing *e)
{
    for (uint32_t i = 1; i < e->r->n; i++)
        if (kind_of(e->m, i) == TRACE_KIND_LOOP && is_of_regions(e, i))
            return true;
    return false;
}

// Is it the work of the regions that are too small? `inner`: a loop, else the region itself.
static bool is_work_of_region(const editing *e, uint32_t x, trace_kind inner)
{
    return !e->r->waits[x] && kind_of(e->m, x) == inner && is_of_regions(e, x);
}

static int64_t work_of(const editing *e, const segment *s, trace_kind inner)
{
    int64_t sum = 0;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = e->r->by_place[i];
        sum += is_work_of_region(e, x, inner) ? e->edit->costs[x] : 0;
    }
    return sum;
}

// A thread that has just been woken is slower in its first loop than the one that woke it. In regions that are
// begun one after the other the threads have not slept since the last one.
static void no_slow_beginning(const editing *e, const segment *s, trace_kind inner, int64_t least)
{
    int64_t more = work_of(e, s, inner) - least;
    if (more > TEAM_COST)
        more = TEAM_COST;
    for (uint32_t i = s->from; i < s->to && more > 0; i++) {
        uint32_t x = e->r->by_place[i];
        if (!is_work_of_region(e, x, inner))
            continue;
        int64_t cost = e->edit->costs[x];
        e->edit->costs[x] = without(cost, more);
        more -= cost - e->edit->costs[x];
    }
}

static void no_slow_beginnings(const editing *e, trace_kind inner)
{
    const phases *all = &e->m->threads;
    for (uint32_t p = 0; p < all->n; p++) {
        int64_t least = INT64_MAX;
        for (uint32_t k = all->first[p]; k < all->first[p + 1]; k++) {
            int64_t sum = work_of(e, &all->list.at[k], inner);
            least = sum < least ? sum : least;
        }
        for (uint32_t k = all->first[p]; k < all->first[p + 1] && least > 0; k++)
            no_slow_beginning(e, &all->list.at[k], inner, least);
    }
}

// One region around all of them: no forks, no team that has to come together.
static void fewer_regions(const editing *e)
{
    bool loop = has_loop(e);
    int64_t team = loop ? TEAM_COST : TEAM_COST_WITH_WORK;
    if (e->c->later == IOT_NONE)
        no_slow_beginnings(e, loop ? TRACE_KIND_LOOP : TRACE_KIND_REGION);
    for (uint32_t i = 1; i < e->r->n; i++) {
        trace_kind kind = kind_of(e->m, i);
        if (!is_of_regions(e, i))
            continue;
        if (kind == TRACE_KIND_FORK || kind == TRACE_KIND_IMPLIED_BARRIER) {
            e->edit->costs[i] = 0;
            uint32_t before = kind == TRACE_KIND_FORK ? e->r->before[i] : IOT_NONE;
            if (before != IOT_NONE && !e->r->waits[before])
                e->edit->costs[before] = without(e->edit->costs[before], FORK_COST);
        } else if (kind == TRACE_KIND_REGION) {
            e->edit->costs[i] = without(e->edit->costs[i], team);
            e->edit->gaps[i] = 0;
        } else {
            e->edit->costs[i] = without(e->edit->costs[i], LOOP_COST);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// All

void iot_edit_cause(const void *measured, uint32_t number, const replay *r, replay_edit *edit)
{
    const measured_run *m = measured;
    editing e = {m, r, &m->causes.at[number], edit, NULL};
    switch (e.c->kind) {
    case EVEN_THREADS:
        even_threads(&e);
        break;
    case EVEN_RANKS:
        even_ranks(&e);
        break;
    case SHARE_SERIAL:
        iot_each_stretch(m, share, &e);
        break;
    case SHARE_REGION:
        share_regions(&e);
        break;
    case NO_TURNS:
        no_turns(&e);
        break;
    case NO_BARRIER:
        no_barrier(&e);
        break;
    case NO_TASKWAIT:
        no_taskwait(&e);
        break;
    case NO_DEPENDENCE:
        no_dependence(&e);
        break;
    case LARGER_TASKS:
        larger_tasks(&e);
        break;
    case LARGER_CHUNKS:
        larger_chunks(&e);
        break;
    case FEWER_REGIONS:
        fewer_regions(&e);
        break;
    case SENT_EARLIER:
    case POSTED_EARLIER:
    case WAITED_LATER:
    case ROOT_EARLIER:
    case ROOT_LATER:
        message_is_there(&e);
        break;
    case ANY_ORDER:
        iot_each_batch(m, e.c->clause, in_order_of_arrival, &e);
        break;
    case SERVED_AS_THEY_COME:
        iot_each_service(m, e.c->clause, serve_as_they_come, &e);
        break;
    case JOINED_LATER:
        join_later(&e);
        break;
    case NOT_IN_STEP:
        not_in_step(&e);
        break;
    case SENT_AS_TREE:
        iot_each_chain_of_sends(m, e.c->clause, as_tree, &e);
        break;
    case ONE_CALL:
        one_call(&e);
        break;
    case MORE_AT_ONCE:
        more_at_once(&e);
        break;
    default:
        break;
    }
}
