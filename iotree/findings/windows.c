// SPDX-License-Identifier: MIT
//
// Loops that keep several things under way, and begin the next one when the oldest of them is done:
//
//     under_way(slab(K), Saws, [B|Blocks], Slabs) :- Slabs = [slab(K)|Slabs1],
//         saw(B, S), append(Saws, [S], [First|Saws1]), under_way(First, Saws1, Blocks, Slabs1).
//
// That there are no more of them at once is what the program is about: the wait bounds it. But one that
// takes long keeps the places of those behind it, which are done. The price is the run in which whichever is
// done makes room for the next one, as with workers that share what there is to do.
#include "iotree/findings/rounds.h"

enum {
    FEWEST_WINDOWS = 3, // as many things one after the other for each that may be under way
    FEWEST_BLOCKED = 3, // things that are done while an older one is waited for
    HANDING_OVER = 4,   // steps that workers take, beside the work, to ask for a thing and to get it
};

// Of one chain: its reads, and what the steps would be.
typedef struct {
    const round_study *s;
    const chain_read *reads;
    size_t n;
    int64_t step;       // of a round that waits for nothing
    int64_t *durations; // by read: of what is waited for
    int64_t *done;      // by read: when it is done
    int64_t *times;     // by read: when that round would come
    uint32_t *begun_by; // by read: the round, from 1, that began it; 0: it was there before
    size_t blocked;
    uint32_t window; // things under way
    const chain_read *longest; // that holds up those behind it
    uint32_t maker;            // of what it waits for
    int64_t held;
} pool;

static int64_t time_of_read(const pool *p, size_t i)
{
    return trace_time(p->s->l->t, p->reads[i].reader);
}

// How many reads of the chain there are up to the one of the member that asked.
static uint32_t rounds_until(const pool *p, size_t read, uint32_t asked)
{
    const loops *l = p->s->l;
    size_t k = read;
    while (l->chain_of[asked] == p->reads[read].chain && k > 0 &&
           p->reads[k - 1].position > l->position[asked])
        k--;
    return l->chain_of[asked] == p->reads[read].chain ? (uint32_t)k : 0;
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

// By how many rounds the chain mostly goes ahead.
static uint32_t usual_window(const pool *p)
{
    uint32_t *ahead = base_allocate(p->n, sizeof *ahead);
    for (size_t i = 0; i < p->n; i++)
        ahead[i] = (uint32_t)i + 1 - p->begun_by[i];
    qsort(ahead, p->n, sizeof *ahead, by_number);
    uint32_t usual = ahead[p->n / 2];
    free(ahead);
    return usual;
}

static void study_pool(pool *p)
{
    const loops *l = p->s->l;
    int64_t latest = 0;
    p->step = INT64_MAX;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t asked, made = iot_answered(p->s, &p->reads[i], &asked);
        int64_t came = trace_time(l->t, made), begun = trace_time(l->t, asked);
        p->begun_by[i] = rounds_until(p, i, asked);
        p->durations[i] = came > begun ? came - begun : 0;
        p->done[i] = came;
        p->blocked += came < latest;
        if (i > 0 && time_of_read(p, i) - time_of_read(p, i - 1) < p->step)
            p->step = time_of_read(p, i) - time_of_read(p, i - 1);
        int64_t held = came - reduction_created(l->t, p->reads[i].reader);
        if (held > p->held) {
            p->held = held;
            p->longest = &p->reads[i];
            p->maker = made;
        }
        latest = came > latest ? came : latest;
    }
    p->window = usual_window(p);
    for (size_t i = 0; i < p->n; i++)
        if (i < p->window || i + 1 - p->begun_by[i] < p->window)
            p->begun_by[i] = 0; // it was handed round before
}

// Each round takes what is done first. The things under way are few: they are looked through.
static void play(pool *p)
{
    ARRAY_OF(uint32_t) under_way = {0}; // reads
    size_t next = 0;
    int64_t now = reduction_created(p->s->l->t, p->reads[0].reader);
    for (size_t round = 0; round < p->n; round++) {
        while (next < p->n && p->begun_by[next] <= round) {
            if (p->begun_by[next])
                p->done[next] = p->times[p->begun_by[next] - 1] + p->durations[next] + HANDING_OVER;
            ARRAY_PUSH(under_way, (uint32_t)next++);
        }
        size_t first = 0;
        for (size_t i = 1; i < under_way.n; i++)
            if (p->done[under_way.at[i]] < p->done[under_way.at[first]])
                first = i;
        if (under_way.n > 0) {
            int64_t done = p->done[under_way.at[first]] + 1, free = now + (round ? p->step : 1);
            now = done > free ? done : free;
            under_way.at[first] = under_way.at[--under_way.n];
        }
        p->times[round] = now;
    }
    free(under_way.at);
}

// The rounds come when they would, and wait for nothing.
static void draft_times(const pool *p, change_draft *d)
{
    const loops *l = p->s->l;
    int64_t before = reduction_created(l->t, p->reads[0].reader);
    for (size_t i = 0; i < p->n; i++) {
        const chain_read *read = &p->reads[i];
        int64_t late = p->times[i] - before - (i ? p->step : 1);
        for (uint64_t w = read->first; w < read->end; w++)
            draft_wait(d, w, IOT_NONE);
        if (late > 0)
            draft_reduction(d, read->reader, IOT_NONE,
                            (double)wait_cost(l->g, read->reader) + (double)late);
        before = p->times[i];
    }
}

static void say_pool(const pool *p, wait_change change, candidates *c)
{
    const loops *l = p->s->l;
    const chain_read *read = p->longest;
    candidate *x = candidate_at(l->a, c, FINDING_HEAD_OF_LINE, read->clause, read->reader);
    x->change = change;
    x->estimate = true;
    const wait_site *maker = &l->g->all_sites[l->g->sites[p->maker]];
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[read->reader]]);
    char *from = iot_site_text(l->a, maker);
    uint32_t before = l->g->parents[l->chains.at[read->chain].first]; // who begins the first ones
    if (before)
        candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, before)));
    candidate_also(x, iot_site_location(maker, IOT_NONE));
    x->text = base_format("%s keeps %u things under way, and begins the next one only when the oldest of "
                          "them is done: it waits up to %lld steps for %s, and %zu of %zu are done before "
                          "an older one is",
                          reader, p->window, (long long)p->held, from, p->blocked, p->n);
    x->advice = base_format("begin the next one when any of the %u is done: let %u workers share what "
                            "there is to do, as farm/4 does",
                            p->window, p->window);
    x->condition = base_format("with %u workers", p->window);
    free(reader);
    free(from);
}

// One read of each member: of several the one that was asked first.
static size_t one_each(const round_study *s, size_t first, size_t end, chain_read *ret)
{
    size_t n = 0;
    uint32_t asked_before = 0, asked;
    for (size_t i = first; i < end; i++) {
        iot_answered(s, &s->reads.at[i], &asked);
        bool again = n > 0 && ret[n - 1].reader == s->reads.at[i].reader;
        if (again && asked >= asked_before)
            continue;
        ret[again ? n - 1 : n++] = s->reads.at[i];
        asked_before = asked;
    }
    return n;
}

void iot_propose_window(const round_study *s, size_t first, size_t end, candidates *c)
{
    chain_read *reads = base_allocate(end - first, sizeof *reads);
    pool p = {.s = s, .reads = reads, .n = one_each(s, first, end, reads)};
    p.durations = base_allocate(p.n, sizeof *p.durations);
    p.done = base_allocate(p.n, sizeof *p.done);
    p.times = base_allocate(p.n, sizeof *p.times);
    p.begun_by = base_allocate(p.n, sizeof *p.begun_by);
    study_pool(&p);
    bool often = p.n >= (size_t)FEWEST_WINDOWS * p.window && p.blocked >= FEWEST_BLOCKED;
    if (p.longest && p.window > 1 && often) {
        change_draft d = {0};
        play(&p);
        draft_times(&p, &d);
        say_pool(&p, draft_finish(&d), c);
    }
    free(reads);
    free(p.durations);
    free(p.done);
    free(p.times);
    free(p.begun_by);
}
