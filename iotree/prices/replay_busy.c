// SPDX-License-Identifier: MIT
//
// Replay of a run on a busy machine: other programs had its processors for a part of the time. Then
// times of activities tell what the machine did, not what the program did, and so do all waits for
// them. The replay takes the run as it would have been with its processors:
//
//   - work takes the time in which it had a processor, or slept;
//   - what a wait takes once all is there, and what comes before a beginning, is as long as usual;
//   - chunks and tasks that are handed out are shared evenly, since a thread without a processor gets
//     few of them. Who has the longest one has no less than that.
//
// From these all beginnings and ends follow, and with them who waits for whom how long.
#include "iotree/prices/replay_private.h"
#include "profiler/regions.h"

static const double notable = 0.05; // as much as such a part of the work; less changes no finding

enum {
    WAKING = 20000, // nanoseconds: waking a thread takes no longer, if it has a processor
    MOST_SCALED = 4, // times as long as they were
    FREE_TURN = 100, // nanoseconds: entering a section that nobody is in
    SELDOM = 5       // a section that is occupied for less than one part in so many
};

// ---------------------------------------------------------------------------------------------
// Without a processor

// Nanoseconds in which the activity was ready and had no processor.
static int64_t queued(const replay *r, uint32_t i)
{
    int64_t took = trace_end(r->t, i) - trace_start(r->t, i), without = 0;
    if (!iot_activity_value(r->t, i, TRACE_KEY_QUEUED, &without) || without <= 0)
        return 0;
    return without < took ? without : took;
}

// What the activity takes with a processor. Where threads are more than processors, costs are without
// what they took from each other already.
static int64_t cost_with_processor(const replay *r, uint32_t i)
{
    int64_t without = queued(r, i), took = trace_end(r->t, i) - trace_start(r->t, i);
    int64_t cost = r->costs[i];
    if (r->waits[i])
        return cost > without ? cost - without : 0;
    return cost < took - without ? cost : took - without;
}

// By activity. *ret_lost: what others had of the processors, in parts of the work. The caller frees it.
static int64_t *find_costs(const replay *r, double *ret_lost)
{
    int64_t *costs = base_allocate((size_t)r->n + 1, sizeof *costs);
    double work = 0, lost = 0;
    for (uint32_t i = 1; i < r->n; i++) {
        costs[i] = cost_with_processor(r, i);
        work += r->waits[i] ? 0 : (double)r->costs[i];
        lost += (double)(r->costs[i] - costs[i]);
    }
    *ret_lost = work > 0 ? lost / work : 0;
    return costs;
}

// ---------------------------------------------------------------------------------------------
// Before activities, and after waits. A thread that is woken, or a rank that asks again and again, may find
// no processor, which no activity tells. So none of these times is longer than is usual at its clause.

typedef struct {
    uint32_t clause;
    int64_t time;
} time_of_clause;

static int by_clause_and_time(const void *a, const void *b)
{
    const time_of_clause *x = a, *y = b;
    if (x->clause != y->clause)
        return x->clause < y->clause ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

// By clause: the usual one of the times before or after activities that are chosen. malloc'ed.
static int64_t *usual_times(const replay *r, const int64_t *times, bool (*is)(const replay *, uint32_t))
{
    time_of_clause *list = base_allocate((size_t)r->n + 1, sizeof *list);
    int64_t *usual = base_allocate((size_t)trace_nclauses(r->t) + 1, sizeof *usual);
    uint32_t n = 0;
    for (uint32_t i = 1; i < r->n; i++)
        if (is(r, i))
            list[n++] = (time_of_clause){trace_reduction_clause(r->t, i), times[i]};
    if (n > 0)
        qsort(list, n, sizeof *list, by_clause_and_time);
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && list[end].clause == list[first].clause;)
            end++;
        usual[list[first].clause] = list[first + (end - first) / 2].time;
    }
    free(list);
    return usual;
}

static void limit(const replay *r, int64_t *times, bool (*is)(const replay *, uint32_t))
{
    int64_t *usual = usual_times(r, times, is);
    for (uint32_t i = 1; i < r->n; i++) {
        int64_t most = usual[trace_reduction_clause(r->t, i)];
        most = most > WAKING ? most : WAKING;
        if (is(r, i) && times[i] > most)
            times[i] = most;
    }
    free(usual);
}

static bool begins(const replay *r, uint32_t i)
{
    return i < r->n;
}

// Does it only take what is there? The end of a wait, or of a receive.
static bool only_takes(const replay *r, uint32_t i)
{
    bool needs = r->first[i] < r->first[i + 1] || r->meetings[i] != IOT_NONE;
    return r->waits[i] ? needs : iot_kind_of(r->t, i) == TRACE_KIND_TRANSFER;
}

// ---------------------------------------------------------------------------------------------
// Chunks and tasks

static bool is_chunk(const replay *r, uint32_t loop)
{
    int64_t schedule;
    uint32_t before = r->before[loop];
    if (!iot_activity_value(r->t, loop, TRACE_KEY_SCHEDULE, &schedule))
        return before != IOT_NONE &&
               trace_reduction_clause(r->t, before) == trace_reduction_clause(r->t, loop);
    trace_schedule s = trace_string_schedule(r->t, (uint32_t)schedule);
    return s == TRACE_SCHEDULE_DYNAMIC || s == TRACE_SCHEDULE_GUIDED;
}

bool iot_is_handed_out(const replay *r, uint32_t i)
{
    trace_kind kind = iot_kind_of(r->t, i);
    return !r->waits[i] &&
           (kind == TRACE_KIND_TASK || (kind == TRACE_KIND_LOOP && is_chunk(r, i)));
}

// What a place does for a meeting from the first thing that is handed out to the last one.
typedef struct {
    uint32_t meeting, from, to; // activities r->by_place[from .. to]
    int64_t cost, longest;
} share_of_place;

typedef ARRAY_OF(share_of_place) shares;

// By clause: is it handed out? Of who comes when all is gone, no chunk tells that.
static bool *find_handed_out(const replay *r)
{
    bool *clauses = base_allocate((size_t)trace_nclauses(r->t) + 1, sizeof *clauses);
    for (uint32_t i = 1; i < r->n; i++)
        clauses[trace_reduction_clause(r->t, i)] |= iot_is_handed_out(r, i);
    return clauses;
}

static share_of_place share_before(const replay *r, const bool *clauses, uint32_t since, uint32_t end)
{
    share_of_place p = {.meeting = r->meetings[r->by_place[end]], .from = end, .to = end};
    for (uint32_t k = since; k < end; k++)
        if (!r->waits[r->by_place[k]] && clauses[trace_reduction_clause(r->t, r->by_place[k])]) {
            p.from = p.from == end ? k : p.from;
            p.to = k;
        }
    return p;
}

static void find_shares(const replay *r, const int64_t *costs, shares *all)
{
    bool *clauses = find_handed_out(r);
    for (uint32_t place = 0; place < r->nplaces; place++)
        for (uint32_t k = r->at_place[place], since = k; k < r->at_place[place + 1]; k++) {
            if (!r->waits[r->by_place[k]] || r->meetings[r->by_place[k]] == IOT_NONE)
                continue;
            share_of_place p = share_before(r, clauses, since, k);
            since = k + 1;
            if (p.from == k)
                continue;
            for (uint32_t j = p.from; j <= p.to; j++) {
                uint32_t i = r->by_place[j];
                p.cost += r->waits[i] ? 0 : costs[i];
                p.longest = !r->waits[i] && costs[i] > p.longest ? costs[i] : p.longest;
            }
            ARRAY_PUSH(*all, p);
        }
    free(clauses);
}

static int by_meeting(const void *a, const void *b)
{
    const share_of_place *x = a, *y = b;
    if (x->meeting != y->meeting)
        return x->meeting < y->meeting ? -1 : 1;
    return x->longest > y->longest ? -1 : x->longest < y->longest;
}

// The activities of the place take so long together, as they did to each other; or the last one takes
// what the few that it got did not.
static void set_cost(const replay *r, int64_t *costs, const share_of_place *of, double cost)
{
    double factor = of->cost > 0 ? cost / (double)of->cost : 0, rest = cost;
    factor = factor < MOST_SCALED ? factor : 1;
    uint32_t last = IOT_NONE;
    for (uint32_t k = of->from; k <= of->to; k++) {
        uint32_t i = r->by_place[k];
        if (r->waits[i])
            continue;
        costs[i] = (int64_t)((double)costs[i] * factor);
        rest -= (double)costs[i];
        last = i;
    }
    if (last != IOT_NONE && rest > 0)
        costs[last] += (int64_t)rest;
}

// Those of one meeting, the one with the longest chunk first: each gets the mean of what is left, but not
// less than its longest.
static void make_even(const replay *r, int64_t *costs, const share_of_place *of, uint32_t n)
{
    double left = 0;
    for (uint32_t k = 0; k < n; k++)
        left += (double)of[k].cost;
    for (uint32_t k = 0; k < n; k++) {
        double mean = left / (n - k), longest = (double)of[k].longest;
        double gets = longest > mean ? longest : mean;
        left = left > gets ? left - gets : 0;
        set_cost(r, costs, &of[k], gets);
    }
}

static void share_handed_out(const replay *r, int64_t *costs)
{
    shares all = {0};
    find_shares(r, costs, &all);
    if (all.n > 0)
        qsort(all.at, all.n, sizeof *all.at, by_meeting);
    for (size_t first = 0, end; first < all.n; first = end) {
        for (end = first; end < all.n && all.at[end].meeting == all.at[first].meeting;)
            end++;
        make_even(r, costs, &all.at[first], (uint32_t)(end - first));
    }
    free(all.at);
}

// ---------------------------------------------------------------------------------------------
// Turns

static bool is_critical_wait(const replay *r, uint32_t i)
{
    return r->waits[i] && iot_kind_of(r->t, i) == TRACE_KIND_CRITICAL_WAIT;
}

// By clause of critical sections: how long they are occupied. The caller frees it.
static int64_t *find_occupied(const replay *r)
{
    int64_t *occupied = base_allocate((size_t)trace_nclauses(r->t) + 1, sizeof *occupied);
    for (uint32_t place = 0; place < r->nplaces; place++) {
        uint32_t wait = IOT_NONE; // the last one
        for (uint32_t k = r->at_place[place]; k < r->at_place[place + 1]; k++) {
            uint32_t i = r->by_place[k];
            if (is_critical_wait(r, i))
                wait = i;
            else if (wait != IOT_NONE && !r->waits[i] && iot_kind_of(r->t, i) == TRACE_KIND_CRITICAL)
                occupied[trace_reduction_clause(r->t, wait)] += r->costs[i];
        }
    }
    return occupied;
}

// A thread that has a processor takes a critical section many times in a row, while the others have
// none. That order makes threads wait whose sections seldom meet; a section that is occupied for a good
// part of the run keeps it.
static void forget_order_of_turns(replay *r)
{
    int64_t *occupied = find_occupied(r);
    int64_t elapsed = iot_elapsed_under(r, &(replay_change){0}, NULL);
    for (uint32_t i = 1; i < r->n; i++) {
        if (!is_critical_wait(r, i) ||
            SELDOM * occupied[trace_reduction_clause(r->t, i)] > elapsed)
            continue;
        for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++)
            r->sources[k] = IOT_NONE;
        r->costs[i] = r->costs[i] < FREE_TURN ? r->costs[i] : FREE_TURN;
    }
    free(occupied);
}

// ---------------------------------------------------------------------------------------------
// All

void iot_replay_undisturbed(replay *r)
{
    double lost;
    int64_t *costs = find_costs(r, &lost);
    if (lost < notable) {
        free(costs);
        return;
    }
    r->disturbed = true;
    share_handed_out(r, costs);
    free(r->costs);
    r->costs = costs;
    limit(r, r->gaps, begins);
    limit(r, r->costs, only_takes);
    forget_order_of_turns(r);
    r->starts = base_allocate((size_t)r->n + 1, sizeof *r->starts);
    r->ends = base_allocate((size_t)r->n + 1, sizeof *r->ends);
    iot_replay_times(r, r->starts, r->ends);
}
