// SPDX-License-Identifier: MIT
//
// Two causes that hide each other (pairs.h).
//
// Who saves something beside a first change must do so on the critical path that this change leaves. So
// beside each of a few candidates only those are tried that spare something there, and only as many pairs
// are priced as few passes take. Where the path that is left is another one, as of a second branch, the
// detectors of loops look along it, too: along the first one they have seen nothing of it.
#include "iotree/findings/pairs.h"

#include <math.h>

#include "iotree/findings/clauses.h"
#include "iotree/prices/spared.h"

enum {
    MOST_BASES = 8,  // candidates beside which others are tried
    MOST_BESIDE = 8, // others, for each
    MOST_LOOKS = 2,  // paths along which detectors look again
    AT_ONCE = 8,     // pairs that are priced in one pass
    MOST_TRIED = 6,  // pairs that are looked at closely
    MOST_PAIRS = 2,
    MOST_SINGLES = 3 // findings beside which a pair must save something
};
// Of reductions in all paths that are computed.
static const uint64_t most_steps = 40000000;
static const double worth_a_pair = 0.10, worth_alone = 0.05; // shares of the run
// What a further change must save to be no other sentence of a cause.
static const double own_saving = 0.01;
static const int64_t fewest_steps = 5;
// The share of a path that must lie beside the critical one to be worth a look.
static const double other_path = 0.2;
// Of what two repairs in one candidate save, a part that one of them alone may not save.
static const double of_both = 0.45;
// What a less sure pair counts of what it saves.
static const double of_likely = 0.7;

typedef struct {
    uint32_t first, second; // candidates
    int64_t span;
    candidate_doubt doubt;
} pair;

typedef struct {
    uint32_t of;
    double spared;
} rank;

typedef struct {
    uint32_t n;
    rank best[MOST_BASES > MOST_BESIDE ? MOST_BASES : MOST_BESIDE];
} ranking;

typedef struct {
    const pair_study *s;
    int64_t whole;
    double *times;      // under the change in hand
    uint8_t *critical;  // bits by reduction: on the critical path of the run as it is
    ARRAY_OF(pair) pairs;
    clause_facts *facts; // NULL: not yet needed
    uint32_t nown; // candidates that were there before detectors looked again
    bool cancelled;
} search;

static double saving(const search *s, int64_t without)
{
    return without < s->whole ? (double)(s->whole - without) / (double)s->whole : 0;
}

bool iot_is_little(const iot *a, int64_t span_without)
{
    int64_t whole = iot_whole(a), saved = whole - span_without;
    return saved < fewest_steps || (double)saved < worth_alone * (double)whole;
}

static candidate *at(const search *s, uint32_t i)
{
    return &s->s->c->list.at[i];
}

static bool fits(const search *s, uint32_t i)
{
    const candidate *c = at(s, i);
    return !c->out && !c->has_span && (c->doubt != DOUBTFUL || c->waiting_loop != IOT_NONE);
}

static void put_in(ranking *best, uint32_t most, uint32_t of, double spared)
{
    uint32_t i = best->n < most ? best->n++ : most;
    for (; i > 0 && best->best[i - 1].spared < spared; i--)
        if (i < most)
            best->best[i] = best->best[i - 1];
    if (i < most)
        best->best[i] = (rank){of, spared};
}

// ---------------------------------------------------------------------------------------------
// What may be a pair

static const wait_change no_change;

// The path that the change leaves; the times are in s->times. malloc'ed.
static uint32_t *path_without(const search *s, const wait_change *change, uint32_t *ret_n)
{
    iot_times_under(s->s->g, change, s->times);
    return iot_path_under(s->s->g, change, s->times, ret_n);
}

// The candidates that save most by themselves, or on the critical path if nothing else were as long.
static void find_bases(search *s, ranking *ret)
{
    uint32_t n;
    uint32_t *path = path_without(s, &no_change, &n);
    for (uint32_t i = 0; i < n; i++)
        bit_set(s->critical, path[i]);
    for (uint32_t i = 0; i < s->s->c->list.n; i++) {
        const candidate *c = at(s, i);
        if (!fits(s, i))
            continue;
        double spared = iot_spared_on_path(s->s->g, NULL, &c->change, s->times, path, n);
        double saved = saving(s, c->span_without) * (double)s->whole;
        spared = spared > (double)s->whole ? (double)s->whole : spared;
        spared = saved > spared ? saved : spared;
        if (spared >= worth_alone * (double)s->whole)
            put_in(ret, MOST_BASES, i, spared);
    }
    free(path);
}

static bool is_known(const search *s, uint32_t x, uint32_t y)
{
    for (size_t i = 0; i < s->pairs.n; i++)
        if ((s->pairs.at[i].first == x && s->pairs.at[i].second == y) ||
            (s->pairs.at[i].first == y && s->pairs.at[i].second == x))
            return true;
    return false;
}

static bool same_line(const candidate *x, const candidate *y)
{
    return x->place.source == y->place.source && x->place.line == y->place.line;
}

static void find_beside(search *s, uint32_t base, uint32_t from, const uint32_t *path, uint32_t n)
{
    ranking best = {0};
    const candidate *x = at(s, base);
    for (uint32_t i = from; i < s->s->c->list.n; i++) {
        const candidate *y = at(s, i);
        if (i == base || !fits(s, i) || same_line(x, y) || is_known(s, base, i) ||
            !(iot_is_little(s->s->a, x->span_without) || iot_is_little(s->s->a, y->span_without)))
            continue;
        double spared = iot_spared_on_path(s->s->g, &x->change, &y->change, s->times, path, n);
        if (iot_may_save(s->s->a, (uint64_t)spared))
            put_in(&best, MOST_BESIDE, i, spared);
    }
    for (uint32_t i = 0; i < best.n; i++) {
        uint32_t y = best.best[i].of;
        candidate_doubt doubt = at(s, y)->doubt > x->doubt ? at(s, y)->doubt : x->doubt;
        ARRAY_PUSH(s->pairs, (pair){base, y, s->whole, doubt});
    }
}

static bool is_other_path(const search *s, const uint32_t *path, uint32_t n)
{
    uint32_t other = 0;
    for (uint32_t i = 0; i < n; i++)
        other += !bit_get(s->critical, path[i]);
    return other >= other_path * n;
}

// New candidates have no price of their own yet; those that are there already are dropped.
static bool price_new(search *s, uint32_t from)
{
    candidates *c = s->s->c;
    uint32_t n = (uint32_t)c->list.n - from;
    wait_change *changes = base_allocate(n + 1, sizeof *changes);
    double *spans = base_allocate(n + 1, sizeof *spans);
    for (uint32_t i = 0; i < n; i++)
        changes[i] = c->list.at[from + i].change;
    bool done = n == 0 || s->s->price(s->s->data, changes, n, spans);
    for (uint32_t i = 0; i < n && done; i++)
        c->list.at[from + i].span_without = llround(spans[i]);
    free(changes);
    free(spans);
    return done;
}

static bool is_there(const search *s, uint32_t before, const candidate *x)
{
    for (uint32_t i = 0; i < before; i++) {
        const candidate *y = at(s, i);
        if (y->kind == x->kind && same_line(x, y) && strcmp(x->text, y->text) == 0)
            return true;
    }
    return false;
}

static bool look_along(search *s, const wait_change *beside, const uint32_t *path, uint32_t n)
{
    loops *l = s->s->l;
    uint32_t from = (uint32_t)s->s->c->list.n;
    iot_look_along(l, beside, path, n);
    s->s->look_again(s->s->data);
    iot_look_along(l, NULL, s->s->a->path.steps, s->s->a->path.n);
    for (uint32_t i = from; i < s->s->c->list.n; i++) {
        candidate *x = at(s, i);
        x->number = i;
        x->out |= x->has_span || is_there(s, from, x);
    }
    return price_new(s, from);
}

// Lists pairs; looks again along at most MOST_LOOKS paths.
static bool find_partners(search *s)
{
    ranking bases = {0};
    uint32_t looks = 0;
    uint64_t steps = 0;
    find_bases(s, &bases);
    for (uint32_t b = 0; b < bases.n && (steps += s->s->g->n) <= most_steps; b++) {
        uint32_t n, base = bases.best[b].of;
        wait_change change = change_of_both(s->s->g, &at(s, base)->change, &no_change);
        uint32_t *path = path_without(s, &change, &n);
        bool done = true;
        if (looks < MOST_LOOKS && is_other_path(s, path, n)) {
            looks++;
            done = look_along(s, &change, path, n);
        }
        if (done)
            find_beside(s, base, 0, path, n);
        iot_free_change(&change);
        free(path);
        if (!done)
            return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Prices

static bool price_pairs(search *s)
{
    for (size_t from = 0; from < s->pairs.n; from += AT_ONCE) {
        wait_change changes[AT_ONCE];
        double spans[AT_ONCE];
        uint32_t n = s->pairs.n - from < AT_ONCE ? (uint32_t)(s->pairs.n - from) : AT_ONCE;
        for (uint32_t i = 0; i < n; i++) {
            const pair *p = &s->pairs.at[from + i];
            changes[i] = change_of_both(s->s->g, &at(s, p->first)->change, &at(s, p->second)->change);
        }
        bool done = s->s->price(s->s->data, changes, n, spans);
        for (uint32_t i = 0; i < n; i++) {
            pair *p = &s->pairs.at[from + i];
            bool arrival = at(s, p->first)->by_arrival || at(s, p->second)->by_arrival;
            iot_free_change(&changes[i]);
            if (done)
                p->span = llround(spans[i] + (arrival ? s->s->by_arrivals : 0));
        }
        if (!done)
            return false;
    }
    return true;
}

static uint32_t other_than(const pair *p, uint32_t one)
{
    return p->first == one ? p->second : p->second == one ? p->first : IOT_NONE;
}

// Two repairs in one candidate (list and fold) must be worth it beside the partner, too: none of the two
// alone brings a good part of that there.
static bool is_enough(const search *s, uint32_t one, const pair *p)
{
    const candidate *c = at(s, one);
    uint32_t partner = other_than(p, one);
    if (c->at_least <= 0)
        return true;
    for (size_t i = 0; i < s->pairs.n; i++) {
        uint32_t other = other_than(&s->pairs.at[i], partner);
        if (other != IOT_NONE && other != one && at(s, other)->at_least <= 0 &&
            same_line(at(s, other), c) && saving(s, s->pairs.at[i].span) > of_both * saving(s, p->span))
            return false;
    }
    return saving(s, p->span) >= c->at_least;
}

static bool is_worth_it(const search *s, const pair *p)
{
    double x = saving(s, at(s, p->first)->span_without), y = saving(s, at(s, p->second)->span_without);
    double both = saving(s, p->span);
    return both >= worth_a_pair && both >= (x > y ? x : y) + worth_alone &&
           s->whole - p->span >= fewest_steps && is_enough(s, p->first, p) &&
           is_enough(s, p->second, p);
}

// Sure ones count more; of two equal ones that comes first whose parts do.
static bool comes_before(const search *s, const pair *x, const pair *y)
{
    double a = saving(s, x->span) * (x->doubt == SURE ? 1 : of_likely);
    double b = saving(s, y->span) * (y->doubt == SURE ? 1 : of_likely);
    return a != b ? a > b : x->first + x->second < y->first + y->second;
}

static void sort_pairs(search *s)
{
    for (size_t i = 1; i < s->pairs.n; i++) {
        pair x = s->pairs.at[i];
        size_t j = i;
        for (; j > 0 && comes_before(s, &x, &s->pairs.at[j - 1]); j--)
            s->pairs.at[j] = s->pairs.at[j - 1];
        s->pairs.at[j] = x;
    }
}

// ---------------------------------------------------------------------------------------------
// Which are pairs

// What the run takes without the pair and a third candidate.
static int64_t span_of_all(search *s, const pair *p, uint32_t third)
{
    const candidate *z = at(s, third);
    double span = (double)s->whole;
    wait_change both = change_of_both(s->s->g, &at(s, p->first)->change, &at(s, p->second)->change);
    wait_change all = change_of_both(s->s->g, &both, &z->change);
    s->cancelled |= !s->s->price(s->s->data, &all, 1, &span);
    iot_free_change(&both);
    iot_free_change(&all);
    return s->cancelled ? s->whole : llround(span);
}

// Beside a repair that saves much by itself the pair saves something more: it is no other sentence of that
// one's cause.
static bool is_own_cause(search *s, const pair *p)
{
    for (uint32_t i = 0, n = 0; i < s->s->c->list.n && n < MOST_SINGLES; i++) {
        const candidate *z = at(s, i);
        if (!fits(s, i) || z->doubt == DOUBTFUL || i == p->first || i == p->second ||
            (iot_is_little(s->s->a, z->span_without) && z->partner == IOT_NONE))
            continue;
        n++;
        if (saving(s, span_of_all(s, p, i)) < saving(s, z->span_without) + worth_alone)
            return false;
    }
    return true;
}

// A loop that waits for its state saves nothing by itself where another branch is longer; beside the
// repair of that one it is seen whether work begins sooner, or only the loop's own steps.
static bool begins_work(search *s, uint32_t one, uint32_t other)
{
    const candidate *x = at(s, one), *y = at(s, other);
    if (x->waiting_loop == IOT_NONE)
        return true;
    if (!s->facts)
        s->facts = clause_facts_create(s->s->a->t);
    return change_overlaps_work(s->facts, s->s->g, &x->change, &y->change, x->waiting_loop, x->mean_wait);
}

// Does the candidate's example need anything that the predicate of the other one did?
static bool needs(const search *s, const candidate *x, const candidate *other)
{
    const wait_graph *g = s->s->g;
    if (x->reduction == IOT_NONE)
        return false;
    uint8_t *needed = bits_allocate(g->n);
    bool found = false;
    bit_set(needed, x->reduction);
    for (uint32_t r = x->reduction; r > 0 && !found; r--) {
        if (!bit_get(needed, r))
            continue;
        found = g->all_sites[g->sites[r]].predicate == other->place.predicate;
        bit_set(needed, g->parents[r]);
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            bit_set(needed, g->makers[w]);
    }
    free(needed);
    return found;
}

// What a loop lists one by one and another one combines (listed_folds.c): a list is as good as a tree, unless
// nothing else is done.
static bool lists_what_is_combined(const search *s, const pair *p)
{
    const candidate *x = at(s, p->first), *y = at(s, p->second);
    bool list_and_fold = (x->kind == FINDING_CREATION && y->kind == FINDING_CHAIN) ||
                         (x->kind == FINDING_CHAIN && y->kind == FINDING_CREATION);
    return list_and_fold && (needs(s, x, y) || needs(s, y, x));
}

static void mark(search *s, const pair *p)
{
    candidate *x = at(s, p->first), *y = at(s, p->second);
    x->partner = y->number;
    y->partner = x->number;
    x->pair_span = y->pair_span = p->span;
    x->doubt = x->doubt == DOUBTFUL ? LIKELY : x->doubt; // begins_work() has said so
    y->doubt = y->doubt == DOUBTFUL ? LIKELY : y->doubt;
}

// Others that save as much in the place of one of the pair, and nothing beside it, are other sentences of
// its cause.
static void absorb(search *s, const pair *p)
{
    for (size_t i = 0, tried = 0; i < s->pairs.n && tried < AT_ONCE && !s->cancelled; i++) {
        const pair *q = &s->pairs.at[i];
        bool first = other_than(p, q->first) != IOT_NONE, second = other_than(p, q->second) != IOT_NONE;
        uint32_t shared = first ? q->first : q->second, other = other_than(q, shared);
        if (first == second)
            continue;
        candidate *z = at(s, other), *y = at(s, other_than(p, shared));
        if (z->out || z->partner != IOT_NONE || !is_worth_it(s, q) ||
            !iot_is_little(s->s->a, z->span_without))
            continue;
        tried++;
        if (saving(s, span_of_all(s, p, other)) >= saving(s, p->span) + own_saving)
            continue;
        candidate_also(y, z->place);
        for (size_t k = 0; k < z->also.n; k++)
            candidate_also(y, z->also.at[k]);
        z->out = true;
    }
}

static void choose(search *s)
{
    uint32_t tried = 0, chosen = 0;
    sort_pairs(s);
    for (size_t i = 0; i < s->pairs.n && tried < MOST_TRIED && chosen < MOST_PAIRS && !s->cancelled; i++) {
        const pair *p = &s->pairs.at[i];
        if (!is_worth_it(s, p) || at(s, p->first)->partner != IOT_NONE ||
            at(s, p->second)->partner != IOT_NONE)
            continue;
        tried++;
        if (!begins_work(s, p->first, p->second) || !begins_work(s, p->second, p->first) ||
            lists_what_is_combined(s, p) || !is_own_cause(s, p))
            continue;
        mark(s, p);
        absorb(s, p);
        chosen++;
    }
}

bool iot_find_pairs(const pair_study *study)
{
    search s = {.s = study, .whole = iot_whole(study->a), .nown = (uint32_t)study->c->list.n};
    const wait_graph *g = study->g;
    for (uint32_t i = 0; i < study->c->list.n; i++)
        study->c->list.at[i].number = i;
    s.times = base_allocate((size_t)g->n + g->nrelays, sizeof *s.times);
    s.critical = bits_allocate(g->n);
    bool done = find_partners(&s) && price_pairs(&s);
    if (done)
        choose(&s);
    for (uint32_t i = s.nown; i < study->c->list.n; i++) // they are there for the sake of pairs
        study->c->list.at[i].out |= study->c->list.at[i].partner == IOT_NONE;
    if (s.facts)
        clause_facts_destroy(s.facts);
    free(s.times);
    free(s.critical);
    free(s.pairs.at);
    return done && !s.cancelled;
}
