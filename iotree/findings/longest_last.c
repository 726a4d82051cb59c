// SPDX-License-Identifier: MIT
//
// A dealer (dealers.h) that gives the longest job among the last ones, so that the others have nothing
// to do meanwhile. The price is the time that the same jobs take on as many workers if the longest begin
// first. That is an edit only if a number of the job tells beforehand how long it will take.
#include "iotree/findings/dealers.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 6,
    FEWEST_JOBS = 6,
    LONG = 2,      // times the mean: the longest job
    COMPARED = 48, // jobs whose numbers are compared with what they took
    NEAR = 3,      // goals of a job in which its numbers are looked for
    NUMBERS = 6,   // of one goal
    DEEPEST = 3,   // terms in which they are
    SHOWN_CELLS = 12,
};
static const double concordant = 0.8; // of the pairs of jobs

// ---------------------------------------------------------------------------------------------
// Is it known beforehand how long a job takes?

typedef struct {
    bool has[NEAR][NUMBERS];
    int64_t numbers[NEAR][NUMBERS];
} job_numbers;

static void add_numbers(const dealer *s, trace_value v, int64_t time, int depth, bool *has, int64_t *numbers,
                        uint32_t *n)
{
    const trace *t = s->l->t;
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE || binding_time(t, binding) > time)
            return;
        v = trace_binding_value(t, binding);
    }
    if (v.kind == TV_INT && *n < NUMBERS) {
        has[*n] = true;
        numbers[(*n)++] = v.i;
    }
    if (!is_cell_kind(t, v, TC_STRUCT) || depth == DEEPEST)
        return;
    for (uint32_t i = 0; i < trace_cell_arity(t, v.id) && *n < NUMBERS; i++)
        add_numbers(s, trace_cell_arg(t, v.id, i), time, depth + 1, has, numbers, n);
}

// The numbers of the first goals of the job.
static job_numbers numbers_of(const dealer *s, const job *x)
{
    const trace *t = s->l->t;
    job_numbers ret = {0};
    uint32_t first[NEAR] = {0};
    for (uint32_t r = x->freed; r && s->l->chain_of[r] != s->chain; r = iot_latest_before(s, r)) {
        memmove(first + 1, first, sizeof first - sizeof *first);
        first[0] = r;
    }
    for (uint32_t k = 0; k < NEAR && first[k]; k++) {
        uint32_t goal = trace_reduction_goal(t, first[k]), n = 0;
        uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
        for (uint32_t i = 0; i < arity; i++)
            add_numbers(s, trace_goal_arg(t, goal, i), trace_time(t, first[k]), 0, ret.has[k], ret.numbers[k],
                        &n);
    }
    return ret;
}

// Of pairs of jobs of which one takes clearly longer, how often has that one the larger number?
static bool tells_length(const job *const *jobs, const job_numbers *numbers, uint32_t n, uint32_t goal,
                         uint32_t number)
{
    uint32_t pairs = 0, larger = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (10 * jobs[i]->steps <= 11 * jobs[j]->steps || !numbers[i].has[goal][number] ||
                !numbers[j].has[goal][number])
                continue;
            pairs++;
            larger += numbers[i].numbers[goal][number] > numbers[j].numbers[goal][number];
        }
    return pairs > 0 && ((double)larger >= concordant * pairs || (double)larger <= (1 - concordant) * pairs);
}

static bool is_known_before(const dealer *s, const job *longest)
{
    const job *jobs[COMPARED];
    job_numbers numbers[COMPARED];
    uint32_t n = 0, step = (uint32_t)s->jobs.n / COMPARED + 1;
    bool known = false;
    for (size_t i = 0; i < s->jobs.n && n < COMPARED; i++)
        if (s->jobs.at[i].freed && (i % step == 0 || &s->jobs.at[i] == longest)) {
            jobs[n] = &s->jobs.at[i];
            numbers[n++] = numbers_of(s, &s->jobs.at[i]);
        }
    for (uint32_t k = 0; k < NEAR * NUMBERS && n >= FEWEST_JOBS && !known; k++)
        known = tells_length(jobs, numbers, n, k / NUMBERS, k % NUMBERS);
    return known;
}

// ---------------------------------------------------------------------------------------------
// The longest first

static int by_steps(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return a > b ? -1 : a < b;
}

// When all is done, if the longest job begins first, and who is free takes the next one.
static int64_t end_of_sorted(const dealer *s)
{
    int64_t *steps = base_allocate(s->jobs.n, sizeof *steps), free_at[MOST_WORKERS], end = 0;
    memcpy(free_at, s->begins, sizeof free_at);
    for (size_t i = 0; i < s->jobs.n; i++)
        steps[i] = s->jobs.at[i].steps;
    qsort(steps, s->jobs.n, sizeof *steps, by_steps);
    for (size_t i = 0; i < s->jobs.n; i++) {
        uint32_t next = 0;
        for (uint32_t w = 1; w < s->workers; w++)
            next = free_at[w] < free_at[next] ? w : next;
        free_at[next] += steps[i];
        end = free_at[next] > end ? free_at[next] : end;
    }
    free(steps);
    return end;
}

// Steps that nobody was freed by are no jobs, but for the last ones.
static void drop_short_ones(dealer *s)
{
    int64_t sum = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < s->jobs.n; i++)
        if (s->jobs.at[i].freed) {
            sum += s->jobs.at[i].steps;
            n++;
        }
    for (size_t i = 0; i < s->jobs.n; i++)
        if (!s->jobs.at[i].freed && s->jobs.at[i].steps * n < sum)
            s->jobs.at[i].steps = 0;
}

// The longest job, if it waited and ends after all others that began before its end; NULL: it is not so.
static const job *longest_last(const dealer *s, double *ret_mean)
{
    const job *longest = NULL;
    int64_t sum = 0;
    uint32_t n = 0, waiting = 0;
    for (size_t i = 0; i < s->jobs.n; i++) {
        const job *x = &s->jobs.at[i];
        longest = !longest || x->steps > longest->steps ? x : longest;
        sum += x->steps;
        n += x->steps > 0;
        waiting += x->before && x->steps > 0;
    }
    bool last = n >= FEWEST_JOBS && s->workers >= 2 && s->workers <= MOST_WORKERS && n >= 2 * s->workers &&
                2 * waiting >= n && longest->before && longest->steps * n >= LONG * sum;
    for (size_t i = 0; i < s->jobs.n && last; i++) {
        const job *x = &s->jobs.at[i];
        last = x->time >= end_of_job(longest) || end_of_job(x) <= end_of_job(longest);
    }
    *ret_mean = last ? (double)sum / n : 0;
    return last ? longest : NULL;
}

// Does the end of the run wait for the job, or for a step of the dealer after it?
static bool is_at_the_end(dealer *s, const job *x)
{
    uint32_t last = 0;
    for (uint32_t r = 1; r < s->l->g->n; r++)
        last = trace_time(s->l->t, r) > trace_time(s->l->t, last) ? r : last;
    uint32_t by = iot_dealt_by(s, last);
    return by && (&s->jobs.at[by - 1] == x || s->jobs.at[by - 1].time >= end_of_job(x));
}

// ---------------------------------------------------------------------------------------------
// The candidate

// The clause that made the term, or the goal, of the job; IOT_NONE: the dealer's own.
static uint32_t maker_clause(const dealer *s, const job *x)
{
    const trace *t = s->l->t;
    uint32_t goal = trace_reduction_goal(t, x->dealt);
    uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < arity; i++) {
        trace_value v = iot_end_value(t, trace_goal_arg(t, goal, i));
        if (!is_cell_kind(t, v, TC_CONS) || trace_time(t, trace_cell_maker(t, v.id)) >= x->time)
            continue;
        v = iot_end_value(t, trace_cell_arg(t, v.id, 0));
        if (v.kind == TV_CELL && trace_time(t, trace_cell_maker(t, v.id)) < x->time)
            return iot_clause_near(s->l, trace_cell_maker(t, v.id));
    }
    return IOT_NONE;
}

// The first goal of the job that the dealer did not take himself.
static uint32_t first_goal(const dealer *s, const job *x)
{
    const trace *t = s->l->t;
    uint32_t first = x->dealt, end = trace_first_goal(t, x->dealt + 1);
    for (uint32_t r = x->freed; r && s->l->chain_of[r] != s->chain; r = iot_latest_before(s, r))
        first = r;
    for (uint32_t goal = trace_first_goal(t, x->dealt); goal < end && !x->freed; goal++) {
        uint32_t r = trace_goal_reduction(t, goal);
        if (r != TRACE_NONE && s->l->chain_of[r] != s->chain && s->below[r] >= end_of_job(x))
            first = r;
    }
    return trace_reduction_goal(t, first);
}

static void add_candidate(const dealer *s, const job *x, int64_t sorted, double mean, candidates *c)
{
    const loops *l = s->l;
    uint32_t clause = iot_clause_near(l, x->dealt), maker = maker_clause(s, x);
    if (clause == IOT_NONE)
        return;
    candidate *y = candidate_at(l->a, c, FINDING_UNEVEN, clause, x->dealt);
    y->has_span = true;
    y->span_without = l->g->span - (end_of_job(x) - sorted);
    y->estimate = true;
    if (maker != IOT_NONE)
        candidate_also(y, iot_clause_location(l->a, maker));
    char *name = iot_predicate_text(l->t, y->place.predicate);
    char *where = iot_place_text(l->t, y->place.source, y->place.line);
    char *what = iot_goal_text(l->t, NULL, first_goal(s, x), x->time, SHOWN_CELLS);
    y->text = base_format("%s%s gives jobs to %u workers, and the longest of them, %s, among the last: it "
                          "takes %lld steps, the mean is %.0f, and others have nothing left to do",
                          name, where, s->workers, what, (long long)x->steps, mean);
    y->advice = base_format("put the longest jobs first in what %s takes", name);
    y->condition = base_copy("with the longest first");
    free(name);
    free(where);
    free(what);
}

void iot_find_longest_last(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    dealer s;
    iot_begin_dealer(&s, l);
    for (uint32_t i = 0; i < n; i++) {
        double mean;
        if (!iot_study_dealer(&s, l->biggest[looked[i]]))
            continue;
        drop_short_ones(&s);
        const job *last = longest_last(&s, &mean);
        if (!last || !is_at_the_end(&s, last) || !is_known_before(&s, last))
            continue;
        int64_t sorted = end_of_sorted(&s);
        if (sorted < end_of_job(last))
            add_candidate(&s, last, sorted, mean, c);
    }
    iot_end_dealer(&s);
}
