// SPDX-License-Identifier: MIT
//
// Loops that give jobs to whoever is free (dealers.h).
#include "iotree/findings/dealers.h"
#include "iotree/terms/values.h"

enum {
    MOST_ARGUMENTS = 8,
    FEWEST_JOBS = 6,
    BEFORE_ALL = UINT32_MAX,
};

uint32_t iot_latest_before(const dealer *s, uint32_t r)
{
    const wait_graph *g = s->l->g;
    uint32_t latest = g->parents[r];
    for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
        if (trace_time(s->l->t, g->makers[w]) >= trace_time(s->l->t, latest))
            latest = g->makers[w];
    return latest;
}

uint32_t iot_dealt_by(dealer *s, uint32_t r)
{
    s->way.n = 0;
    while (r && !s->from[r] && s->l->chain_of[r] != s->chain) {
        ARRAY_PUSH(s->way, r);
        r = iot_latest_before(s, r);
    }
    uint32_t found = !r ? BEFORE_ALL : s->from[r] ? s->from[r] : s->l->position[r] + 1;
    for (size_t i = 0; i < s->way.n; i++)
        s->from[s->way.at[i]] = found;
    return found == BEFORE_ALL ? 0 : found;
}

static void find_ends_below(dealer *s)
{
    const wait_graph *g = s->l->g;
    for (uint32_t r = 0; r < g->n; r++)
        s->below[r] = trace_time(s->l->t, r);
    for (uint32_t r = g->n; r-- > 1;)
        if (s->l->chain_of[r] != s->chain && s->below[r] > s->below[g->parents[r]])
            s->below[g->parents[r]] = s->below[r];
}

// What the step waited for that follows from an earlier step, the last of these; 0: nothing. *ret_of: from
// which step, plus one.
static uint32_t who_was_freed(dealer *s, uint32_t r, uint32_t *ret_of)
{
    const wait_graph *g = s->l->g;
    uint32_t freed = 0;
    for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
        uint32_t maker = g->makers[w];
        uint32_t of = s->l->chain_of[maker] == s->chain ? 0 : iot_dealt_by(s, maker);
        if (of && (!freed || trace_time(s->l->t, maker) > trace_time(s->l->t, freed))) {
            freed = maker;
            *ret_of = of;
        }
    }
    return freed;
}

// Who, or what, is freed by the job before, gets this one; who had none before is one more worker.
static void add_job(dealer *s, job x, uint32_t freed)
{
    if (x.before) {
        job *done = &s->jobs.at[x.before - 1];
        done->freed = done->freed ? done->freed : freed;
    } else {
        if (s->workers < MOST_WORKERS)
            s->begins[s->workers] = x.time;
        s->workers++;
    }
}

static void add_step(dealer *s, uint32_t r)
{
    uint32_t of = 0, freed = who_was_freed(s, r, &of);
    ARRAY_PUSH(s->jobs, (job){.dealt = r, .before = of, .time = trace_time(s->l->t, r)});
    add_job(s, s->jobs.at[s->jobs.n - 1], freed);
}

// What the step takes from the list in the argument, if it was there before.
static bool taken_item(const dealer *s, const job *x, uint32_t argument, trace_value *ret)
{
    const trace *t = s->l->t;
    uint32_t goal = trace_reduction_goal(t, x->dealt);
    if (argument >= trace_get_predicate(t, trace_goal_predicate(t, goal))->arity)
        return false;
    trace_value v = iot_end_value(t, trace_goal_arg(t, goal, argument));
    if (!is_cell_kind(t, v, TC_CONS) || trace_time(t, trace_cell_maker(t, v.id)) >= x->time)
        return false;
    *ret = iot_end_value(t, trace_cell_arg(t, v.id, 0));
    return true;
}

// Which of the n things it is, of which last[i] is the last step that had thing i, plus one; n: none.
static uint32_t thing_of(const dealer *s, const uint32_t *last, uint32_t n, uint32_t argument,
                         trace_value v)
{
    trace_value w;
    for (uint32_t i = 0; i < n; i++)
        if (taken_item(s, &s->jobs.at[last[i] - 1], argument, &w) && iot_is_same_item(s->l->t, v, w))
            return i;
    return n;
}

// Does the list consist of a few things, each of which comes again when the job has ended that had it before?
static bool find_lent_by(dealer *s, uint32_t argument, uint32_t *ret_before)
{
    uint32_t last[MOST_WORKERS], n = 0, again = 0, others = 0;
    for (uint32_t i = 0; i < s->jobs.n; i++) {
        trace_value v;
        ret_before[i] = s->jobs.at[i].before;
        if (!taken_item(s, &s->jobs.at[i], argument, &v))
            continue;
        uint32_t k = thing_of(s, last, n, argument, v);
        if (k == MOST_WORKERS)
            return false;
        again += k < n && s->jobs.at[i].before == last[k];
        others += k < n && s->jobs.at[i].before != last[k];
        ret_before[i] = k < n ? last[k] : 0;
        n += k == n;
        last[k] = i + 1;
    }
    return n >= 2 && again >= n && 2 * again > s->jobs.n && others * 10 < again;
}

// Then who waits for a thing waits for the job that has it.
static void find_lent(dealer *s)
{
    uint32_t *before = base_allocate(s->jobs.n, sizeof *before);
    s->lends = false;
    for (uint32_t k = 0; k < MOST_ARGUMENTS && !s->lends; k++)
        s->lends = find_lent_by(s, k, before);
    if (s->lends) {
        s->workers = 0;
        for (size_t i = 0; i < s->jobs.n; i++) {
            s->jobs.at[i].before = before[i];
            s->jobs.at[i].freed = 0;
        }
        for (size_t i = 0; i < s->jobs.n; i++) {
            uint32_t of = 0, freed = who_was_freed(s, s->jobs.at[i].dealt, &of);
            add_job(s, s->jobs.at[i], freed);
        }
    }
    free(before);
}

static void find_steps(dealer *s)
{
    find_ends_below(s);
    for (size_t i = 0; i < s->jobs.n; i++) {
        job *x = &s->jobs.at[i];
        int64_t end = x->freed ? trace_time(s->l->t, x->freed) : s->below[x->dealt];
        x->steps = end > x->time ? end - x->time : 0;
    }
}

bool iot_study_dealer(dealer *s, uint32_t chain)
{
    const loop_chain *c = &s->l->chains.at[chain];
    if (c->n < FEWEST_JOBS)
        return false;
    s->chain = chain;
    s->jobs.n = 0;
    s->workers = 0;
    memset(s->from, 0, s->l->g->n * sizeof *s->from);
    for (uint32_t r = c->first; r; r = s->l->next[r])
        add_step(s, r);
    find_lent(s);
    if (s->workers < 2 || s->jobs.n < 2 * s->workers)
        return false;
    find_steps(s);
    return true;
}

void iot_begin_dealer(dealer *s, const loops *l)
{
    *s = (dealer){.l = l};
    s->from = base_allocate(l->g->n, sizeof *s->from);
    s->below = base_allocate(l->g->n, sizeof *s->below);
}

void iot_end_dealer(dealer *s)
{
    free(s->from);
    free(s->below);
    free(s->jobs.at);
    free(s->way.at);
}
