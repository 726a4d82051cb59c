// SPDX-License-Identifier: MIT
//
// The pass over the run that computes the times of several changes at once, side by side in the
// lanes of a vector. batches.c includes it once for each type of time, with
//
//     LANE, LANES       the type and how many are in a vector of 64 bytes
//     LANE_MASK         an integer type of its size
//     LANE_EDITS        whether changes may have more than kinds that are left out
//     LANE_PASS         the name of the function
#define VECTOR LANE_NAME(vector)
#define MASK   LANE_NAME(mask)
#define LATER  LANE_NAME(later)
#define KEEP   LANE_NAME(keep)
#define EDIT   LANE_NAME(edit)
#define FAR    LANE_NAME(far)
#define RELAYS LANE_NAME(relays)
#define WAIT   LANE_NAME(wait)

typedef LANE VECTOR __attribute__((vector_size(64)));
typedef LANE_MASK MASK __attribute__((vector_size(64)));

static inline void LATER(VECTOR *a, const VECTOR *b)
{
    MASK less = (MASK)(*a < *b);
    *a = (VECTOR)(((MASK)*b & less) | ((MASK)*a & ~less));
}

// Sets the times of the lanes that leave the wait out to 0, which is nobody's maximum.
static inline void KEEP(VECTOR *times, uint32_t out)
{
    MASK bits;
    for (int i = 0; i < LANES; i++)
        bits[i] = (LANE_MASK)1 << i;
    *times = (VECTOR)((MASK)*times & (MASK)((bits & (LANE_MASK)out) == 0));
}

// One wait, for what was made at these times; `out`: the lanes that leave it out.
static inline void WAIT(VECTOR *latest, const VECTOR *times, uint32_t out, uint32_t all)
{
    if (out == all)
        return;
    VECTOR made = *times;
    if (out != 0)
        KEEP(&made, out);
    LATER(latest, &made);
}

static void FAR(const batch *b, uint32_t r, const VECTOR *times, VECTOR *latest, uint32_t all)
{
    const wait_graph *g = b->g;
    for (uint32_t f = b->far; f < g->nfar_waits && g->far_waits[f].reader == r; f++)
        WAIT(latest, &times[b->slots->of[g->n + g->far_waits[f].relay]],
             b->out[g->far_waits[f].kind], all);
}

static void RELAYS(batch *b, uint32_t r, VECTOR *times)
{
    const wait_graph *g = b->g;
    for (; b->far < g->nfar_waits && g->far_waits[b->far].reader == r; b->far++)
        ;
    for (; b->relay < g->nrelays && g->relays[b->relay].at == r; b->relay++) {
        VECTOR latest = {0};
        for (uint32_t i = g->relays[b->relay].first; i < g->relays[b->relay + 1].first; i++)
            LATER(&latest, &times[b->slots->of[g->inputs[i]]]);
        times[b->slots->of[g->n + b->relay]] = latest;
    }
}

#if LANE_EDITS
// Lanes in which this reduction is not as it was: their times are computed one by one.
static void EDIT(batch *b, uint32_t r, VECTOR *times, VECTOR *ret_latest, VECTOR *ret_cost)
{
    const LANE *all = (const LANE *)times;
    for (uint32_t i = 0; i < b->n; i++) {
        lane *l = &b->lanes[i];
        if (l->change->costs)
            (*ret_cost)[i] = l->change->costs[r];
        if (!is_edited(b->g, l, r))
            continue;
        lane_edit edit = take_edit(b, l, r);
        if (edit.cost >= 0)
            (*ret_cost)[i] = edit.cost;
        LANE latest = all[(size_t)b->slots->of[edit.parent] * LANES + i];
        for (size_t k = 0; k < b->makers.n; k++) {
            LANE time = all[(size_t)b->slots->of[b->makers.at[k]] * LANES + i];
            latest = time > latest ? time : latest;
        }
        (*ret_latest)[i] = latest;
    }
}
#endif

static void LANE_PASS(batch *b, uint32_t from, uint32_t to)
{
    const wait_graph *g = b->g;
    const uint32_t *slots = b->slots->of, *parents = b->slots->parents, *makers = b->slots->makers;
    VECTOR *times = b->times, span = *(VECTOR *)b->spans;
    uint32_t all = (1u << b->n) - 1;
    for (uint32_t r = from; r < to; r++) {
        VECTOR latest = times[parents[r]];
        __builtin_prefetch(&times[parents[r + FETCHED_AHEAD]]);
        for (uint64_t w = g->first[r], end = g->first[r + 1]; w < end; w++) {
            __builtin_prefetch(&times[makers[w + FETCHED_AHEAD]]);
            WAIT(&latest, &times[makers[w]], b->out[g->kinds[w]], all);
        }
        if (g->nrelays)
            FAR(b, r, times, &latest, all);
        LANE cost = (LANE)wait_cost(g, r);
#if LANE_EDITS
        VECTOR costs = cost - (VECTOR){0};
        EDIT(b, r, times, &latest, &costs);
        latest += costs;
#else
        latest += cost;
#endif
        times[slots[r]] = latest;
        if (g->nrelays)
            RELAYS(b, r, times);
        LATER(&span, &latest);
    }
    *(VECTOR *)b->spans = span;
}

#undef VECTOR
#undef MASK
#undef LATER
#undef KEEP
#undef EDIT
#undef FAR
#undef RELAYS
#undef WAIT
#undef LANE
#undef LANES
#undef LANE_MASK
#undef LANE_EDITS
#undef LANE_PASS
#undef LANE_NAME
