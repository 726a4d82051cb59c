// SPDX-License-Identifier: MIT
//
// From candidates to findings: all detectors propose, the recomputation prices what they propose,
// candidates of one cause are joined, and the ones that save most come first.
#include <math.h>

#include "iotree/findings/findings.h"
#include "iotree/findings/pairs.h"
#include "iotree/findings/shapes.h"
#include "iotree/graph/jobs.h"
#include "iotree/graph/stage.h"
#include "iotree/prices/replay.h"
#include "iotree/processors/simulation.h"

typedef void detector(const iot *a, candidates *c);
static detector *const of_fleng[] = {
    iot_find_late_outputs,
    iot_find_late_flows,
    iot_find_late_parts,
    iot_find_guard_order,
    iot_find_tests_in_turn,
    iot_find_short_circuits,
    iot_find_mere_waits,
    iot_find_early_reads,
    iot_find_started_late,
    iot_find_made_again,
};
static detector *const of_measured[] = {
    iot_find_measured,
};

enum {
    SHOWN = 5,   // findings, unless all are asked for
    WEIGHED = 12 // candidates that are compared with each other: they save most
};
static const double shown_saving = 0.05;
// What a second change must save beyond the first one to be a cause of its own.
static const double own_saving = 0.01;
// Of two repairs of which one is enough, one with an exact price comes first even if it saves so much less.
static const double as_good = 0.03;
// The part of what two repairs save together that one of them saves alone, if that is enough.
static const double of_both = 0.45;

// What a sure cause must save of what a less sure one saves to be the cause of both.
static const double similar = 0.7;
// A loop may wait for its state, and within it for something that the state does not need: both
// changes spare the second wait, but the first one also lets the loop go ahead of itself. Of what
// the sure one saves, it saves at least this share beside the other one if it is a cause of its
// own.
static const double own_of_likely = 0.3;
// The part of the span that a change must save more where merges take what is there first.
static const double by_arrival = 0.05;

struct iot_causes {
    ARRAY_OF(iot_finding) all; // most saving first, doubtful ones last
    uint32_t shown;
    ARRAY_OF(iot_together) together; // of those that are shown
    notes notes;
    bool searched; // for findings; the notes are there from the beginning
};

typedef struct {
    const iot *a;
    const wait_graph *g; // NULL of a measured run
    candidates c;
    loops l;          // of a Fleng program
    uint32_t nshapes; // detectors of loops; 0: none
    wait_change arrivals; // merges take what is there first (arrivals.c)
    double by_arrivals;   // what these save by themselves
    time_slots *slots; // for all changes of candidates and of pairs of them
    stage proposing, pricing;
    // By pair of the candidates that are weighed: what the run takes without both; -1: not known.
    int64_t both[WEIGHED][WEIGHED];
} search;

int64_t iot_whole(const iot *a)
{
    if (!trace_is_measured(a->t))
        return run_time(a);
    return iot_is_disturbed(a) ? iot_replay(a, NULL, NULL)->elapsed : trace_elapsed(a->t);
}

bool iot_is_disturbed(const iot *a)
{
    const replay *r =
        trace_is_measured(a->t) && !a->overview ? iot_replay(a, NULL, NULL) : NULL;
    return r && r->disturbed;
}

static double saving_of(const iot *a, int64_t without)
{
    int64_t whole = iot_whole(a);
    return whole > 0 && without < whole ? (double)(whole - without) / (double)whole : 0;
}

// ---------------------------------------------------------------------------------------------
// Prices

// The detector knew the span without; on processors that says how long the run takes at most.
static void bound_price(const search *s, candidate *c)
{
    if (s->a->processors.number == 0)
        return;
    c->span_without = iot_longest_on_processors(s->a, c->span_without);
    c->estimate = true;
}

// Merges may take things in another order once a change is made. That is said of a change if it
// brings much more with it: its price is an estimate then. False: cancelled.
static bool price_arrivals(search *s)
{
    ARRAY_OF(wait_change) changes = {0};
    ARRAY_OF(uint32_t) of = {0};
    if (s->arrivals.nreductions == 0)
        return true;
    for (uint32_t i = 0; i < s->c.list.n; i++)
        if (!s->c.list.at[i].has_span) {
            ARRAY_PUSH(changes, change_of_both(s->g, &s->c.list.at[i].change, &s->arrivals));
            ARRAY_PUSH(of, i);
        }
    ARRAY_PUSH(changes, s->arrivals);
    double *spans = base_allocate(changes.n, sizeof *spans);
    bool done = iot_price_changes(s->a, s->g, s->slots, changes.at, (uint32_t)changes.n, spans,
                                  tell_stage, &s->pricing);
    double whole = (double)iot_whole(s->a);
    s->by_arrivals = whole - spans[of.n];
    for (size_t i = 0; i < of.n; i++) {
        candidate *c = &s->c.list.at[of.at[i]];
        int64_t without = llround(spans[i] + s->by_arrivals);
        bool better = done && (double)(c->span_without - without) > by_arrival * whole;
        if (better) {
            iot_free_change(&c->change);
            c->change = changes.at[i];
            c->span_without = without;
            c->by_arrival = true;
            c->estimate = true;
        } else {
            iot_free_change(&changes.at[i]);
        }
    }
    free(spans);
    free(changes.at);
    free(of.at);
    return done;
}

// False: cancelled.
static bool price(search *s)
{
    ARRAY_OF(wait_change) changes = {0};
    for (size_t i = 0; i < s->c.list.n; i++)
        if (!s->c.list.at[i].has_span)
            ARRAY_PUSH(changes, s->c.list.at[i].change);
    uint32_t n = (uint32_t)changes.n;
    double *spans = base_allocate(n, sizeof *spans);
    ARRAY_PUSH(changes, s->arrivals); // it is priced with others, and by itself
    if (n > 0 && !s->a->processors.price)
        s->slots = iot_make_slots(s->g, changes.at, n + 1);
    bool done = n == 0 || iot_price_changes(s->a, s->g, s->slots, changes.at, n, spans,
                                            tell_stage, &s->pricing);
    for (size_t i = 0, next = 0; done && i < s->c.list.n; i++)
        if (!s->c.list.at[i].has_span)
            s->c.list.at[i].span_without = llround(spans[next++]);
        else
            bound_price(s, &s->c.list.at[i]);
    free(spans);
    free(changes.at);
    return done && price_arrivals(s);
}

// One of a pair stands where the pair does.
static int64_t ranked_span(const candidate *c)
{
    return c->partner != IOT_NONE && c->pair_span < c->span_without ? c->pair_span : c->span_without;
}

static bool comes_first(const candidate *x, const candidate *y)
{
    int64_t a = ranked_span(x), b = ranked_span(y);
    return a != b ? a < b : x->span_without < y->span_without;
}

// Sure ones first. Stable: of two equal ones the detector that comes first in the table wins.
static bool comes_before(const candidate *x, const candidate *y)
{
    return x->doubt != y->doubt ? x->doubt < y->doubt : comes_first(x, y);
}

static void sort_by_span(search *s)
{
    for (size_t i = 1; i < s->c.list.n; i++) {
        candidate x = s->c.list.at[i];
        size_t j = i;
        for (; j > 0 && comes_before(&x, &s->c.list.at[j - 1]); j--)
            s->c.list.at[j] = s->c.list.at[j - 1];
        s->c.list.at[j] = x;
    }
}

static bool is_one_of(const iot_location *places, size_t n, iot_location x)
{
    for (size_t i = 0; i < n; i++)
        if (places[i].source == x.source && places[i].line == x.line)
            return true;
    return false;
}

static bool is_meant(const search *s, const candidate *c)
{
    bool waits = c->kind == FINDING_ORDER || c->kind == FINDING_WAIT || c->kind == FINDING_ROUNDS ||
                 c->kind == FINDING_SERVER || c->kind == FINDING_LATE_OUTPUT;
    bool reads = waits || c->kind == FINDING_EARLY_READ || c->kind == FINDING_ALIAS;
    return (waits && is_one_of(s->c.meant.at, s->c.meant.n, c->place)) ||
           (reads && is_one_of(s->c.lent.at, s->c.lent.n, c->place));
}

static bool is_place_of(const candidate *c, iot_location place)
{
    bool is = c->place.source == place.source && c->place.line == place.line;
    for (size_t i = 0; i < c->also.n; i++)
        is |= c->also.at[i].source == place.source && c->also.at[i].line == place.line;
    return is && place.line != 0;
}

// Does one of two repairs bring, alone, a good part of what both bring, or do both bring little?
static bool needs_no_pair(const search *s, const candidate *both)
{
    double saving = saving_of(s->a, both->span_without);
    if (saving < both->at_least)
        return true;
    for (size_t i = 0; i < s->c.list.n; i++) {
        const candidate *c = &s->c.list.at[i];
        if (c->at_least <= 0 && is_place_of(both, c->place) && saving_of(s->a, c->span_without) > of_both * saving)
            return true;
    }
    return false;
}

static void drop_needless(search *s)
{
    int64_t whole = iot_whole(s->a);
    for (size_t i = 0; i < s->c.list.n; i++) {
        candidate *c = &s->c.list.at[i];
        c->out = is_meant(s, c) ||
                 (c->joint && iot_one_saves_as_much(&s->c, c, own_saving * (double)whole)) ||
                 (c->at_least > 0 && !iot_is_little(s->a, c->span_without) && needs_no_pair(s, c));
    }
}

static void keep_savers(search *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->c.list.n; i++) {
        candidate *c = &s->c.list.at[i];
        bool saves = saving_of(s->a, c->span_without) > 0 && !(c->at_least > 0 && needs_no_pair(s, c));
        if (!c->out && (saves || c->partner != IOT_NONE))
            s->c.list.at[n++] = *c;
        else
            candidate_free(c);
    }
    s->c.list.n = n;
}

static bool price_some(void *data, const wait_change *changes, uint32_t n, double *ret_spans)
{
    search *s = data;
    return iot_price_changes(s->a, s->g, s->slots, changes, n, ret_spans, tell_stage, &s->pricing);
}

static void look_again(void *data)
{
    search *s = data;
    size_t from = s->c.list.n;
    for (uint32_t i = 0; i < s->nshapes; i++)
        iot_find_shapes(&s->l, i, &s->c);
    for (size_t i = from; i < s->c.list.n; i++)
        s->c.list.at[i].out = is_meant(s, &s->c.list.at[i]);
    if (s->a->processors.price)
        return;
    ARRAY_OF(wait_change) changes = {0};
    for (size_t i = 0; i < s->c.list.n; i++)
        ARRAY_PUSH(changes, s->c.list.at[i].change);
    ARRAY_PUSH(changes, s->arrivals);
    iot_free_slots(s->slots);
    s->slots = iot_make_slots(s->g, changes.at, (uint32_t)changes.n);
    free(changes.at);
}

// False: cancelled.
static bool find_pairs(search *s)
{
    pair_study study = {.a = s->a, .g = s->g, .c = &s->c, .l = &s->l, .by_arrivals = s->by_arrivals,
                        .price = price_some, .look_again = look_again, .data = s};
    return !s->g || iot_find_pairs(&study);
}

// ---------------------------------------------------------------------------------------------
// Candidates of one cause

static int64_t both_of(const candidates *c, uint32_t x, uint32_t y)
{
    return c->both[(size_t)(x < y ? x : y) * c->nboth + (x < y ? y : x)];
}

static bool price_pairs(search *s, uint32_t i, const uint32_t *kept, uint32_t nkept)
{
    wait_change changes[WEIGHED];
    double spans[WEIGHED], by_arrivals[WEIGHED];
    uint32_t of[WEIGHED], n = 0;
    candidate *x = &s->c.list.at[i];
    for (uint32_t k = 0; k < nkept; k++) {
        candidate *y = &s->c.list.at[kept[k]];
        s->both[i][kept[k]] = s->both[kept[k]][i] = -1;
        if (s->c.both)
            s->both[i][kept[k]] = s->both[kept[k]][i] = both_of(&s->c, y->number, x->number);
        else if (!x->has_span && !y->has_span) {
            changes[n] = change_of_both(s->g, &y->change, &x->change);
            by_arrivals[n] = x->by_arrival || y->by_arrival ? s->by_arrivals : 0;
            of[n++] = kept[k];
        }
    }
    bool done = n == 0 || iot_price_changes(s->a, s->g, s->slots, changes, n, spans, tell_stage, &s->pricing);
    for (uint32_t k = 0; k < n; k++) {
        iot_free_change(&changes[k]);
        if (done)
            s->both[i][of[k]] = s->both[of[k]][i] = llround(spans[k] + by_arrivals[k]);
    }
    return done;
}

// Is the second, which comes after the first, only another sentence of the first one's cause? Then
// without the first it saves nothing more; or it is less sure and has the first one in it.
static bool is_same_cause(const search *s, uint32_t first, uint32_t second)
{
    const candidate *x = &s->c.list.at[first], *y = &s->c.list.at[second];
    if (x->place.line != 0 && x->place.source == y->place.source && x->place.line == y->place.line)
        return true;
    if (x->partner != IOT_NONE || y->partner != IOT_NONE) // what it saves is not seen without the other one
        return false;
    int64_t both = s->both[first][second];
    double most = saving_of(s->a, x->span_without), second_saves = saving_of(s->a, y->span_without);
    double own = own_saving;
    if (most >= shown_saving && most >= similar * second_saves && x->doubt < y->doubt &&
        second_saves > most) {
        own = own_of_likely * most > own ? own_of_likely * most : own;
        most = second_saves;
    }
    return both >= 0 && saving_of(s->a, both) < most + own;
}

static void join(candidate *first, const candidate *second)
{
    candidate_also(first, second->place);
    for (size_t i = 0; i < second->also.n; i++)
        candidate_also(first, second->also.at[i]);
}

// Most saving first, doubtful ones last.
static void sort_kept(const search *s, uint32_t *kept, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = kept[i], j = i;
        const candidate *c = &s->c.list.at[x];
        for (; j > 0; j--) {
            const candidate *d = &s->c.list.at[kept[j - 1]];
            bool same = (c->doubt == DOUBTFUL) == (d->doubt == DOUBTFUL);
            if (same ? !comes_first(c, d) : c->doubt == DOUBTFUL)
                break;
            kept[j] = kept[j - 1];
        }
        kept[j] = x;
    }
}

// Are both repairs ways to remove the same waits, as good as each other, and is only the second price exact?
static bool is_surer_way(const search *s, uint32_t first, uint32_t second)
{
    const candidate *x = &s->c.list.at[first], *y = &s->c.list.at[second];
    if (!x->estimate || y->estimate || x->doubt < y->doubt || y->partner != IOT_NONE ||
        iot_is_little(s->a, x->span_without))
        return false;
    double saves = saving_of(s->a, x->span_without), both = saving_of(s->a, s->both[first][second]);
    return s->both[first][second] >= 0 && saving_of(s->a, y->span_without) >= saves - as_good &&
           both < saves + as_good;
}

// Of several ways to remove what saves most the one whose price is exact comes first: its edit is less, too.
static void prefer_exact(const search *s, uint32_t *kept, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && !is_surer_way(s, kept[0], kept[i]))
        i++;
    if (i >= n)
        return;
    uint32_t surer = kept[i];
    memmove(kept + 1, kept, i * sizeof *kept);
    kept[0] = surer;
}

// Leaves one candidate of each cause. False: cancelled.
static bool join_causes(search *s, uint32_t *kept, uint32_t *ret_nkept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->c.list.n && i < WEIGHED; i++) {
        if (!price_pairs(s, i, kept, n))
            return false;
        uint32_t k = 0;
        while (k < n && !is_same_cause(s, kept[k], i))
            k++;
        if (k < n)
            join(&s->c.list.at[kept[k]], &s->c.list.at[i]);
        else
            kept[n++] = i;
    }
    *ret_nkept = n;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Findings

char *iot_amount_text(const iot *a, int64_t amount)
{
    if (trace_is_measured(a->t))
        return iot_time_text((uint64_t)amount);
    return base_format("%lld step%s", (long long)amount, amount == 1 ? "" : "s");
}

// "without it about 120 steps instead of 600 (−80 %)". malloc'ed.
static char *price_text(const iot *a, const candidate *c)
{
    int64_t whole = iot_whole(a);
    char *without = iot_amount_text(a, c->span_without);
    char *now =
        trace_is_measured(a->t) ? iot_amount_text(a, whole) : base_format("%lld", (long long)whole);
    char *text =
        base_format("%s %s%s instead of %s (−%d %%)", c->condition ? c->condition : "without it",
                    c->estimate ? "about " : "", without, now,
                    iot_percent((uint64_t)(whole - c->span_without), (uint64_t)whole));
    free(without);
    free(now);
    return text;
}

// Of a place whose detector named none: the module of the reduction that is its example.
static uint32_t module_of(const iot *a, const candidate *c)
{
    if (c->place.module != IOT_NONE || c->reduction == IOT_NONE || c->reduction == 0)
        return c->place.module;
    return a->processes[process_of(a, c->reduction)].module;
}

// Of rounds: how often the critical path goes round the module that the finding is in, with others,
// if that is most of it.
static char *cycle_text(const iot *a, const candidate *c)
{
    const iot_cycle *cycle = c->kind == FINDING_ROUNDS && c->place.module != IOT_NONE
                                 ? iot_cycle_with(a, c->place.module)
                                 : NULL;
    if (!cycle || 2 * cycle->cost < a->path.cost)
        return base_copy("");
    char *modules = iot_cycle_text(a, cycle);
    char *text = base_format(" (the critical path goes round %s %llu times)", modules,
                             (unsigned long long)cycle->rounds);
    free(modules);
    return text;
}

static const candidate *partner_of(const search *s, const candidate *c)
{
    for (size_t i = 0; i < s->c.list.n && c->partner != IOT_NONE; i++)
        if (s->c.list.at[i].number == c->partner)
            return &s->c.list.at[i];
    return NULL;
}

// "without it alone 221 steps instead of 223 (−1 %), together with the change of log/4 (bank.fl:12) 120
// steps (−46 %)". malloc'ed.
static char *pair_text(const iot *a, const candidate *c, const candidate *other)
{
    int64_t whole = iot_whole(a), saved = whole - c->span_without, both = whole - c->pair_span;
    bool estimate = c->estimate || other->estimate;
    char *name = iot_predicate_text(a->t, other->place.predicate);
    char *where = iot_place_text(a->t, other->place.source, other->place.line);
    char *alone = base_format("%lld steps as now", (long long)whole);
    if (saved > 0) {
        free(alone);
        alone = base_format("%s%lld steps instead of %lld (−%d %%)", c->estimate ? "about " : "",
                            (long long)c->span_without, (long long)whole,
                            iot_percent((uint64_t)saved, (uint64_t)whole));
    }
    char *text = base_format("%s alone %s, but together with the change of %s%s %s%lld steps (−%d %%)",
                             c->condition ? c->condition : "without it", alone, name, where,
                             estimate ? "about " : "", (long long)c->pair_span,
                             iot_percent((uint64_t)both, (uint64_t)whole));
    free(name);
    free(where);
    free(alone);
    return text;
}

static void add_finding(struct iot_causes *causes, const search *s, candidate *c)
{
    const iot *a = s->a;
    const candidate *other = partner_of(s, c);
    char *price = other && iot_is_little(a, c->span_without) ? pair_text(a, c, other) : price_text(a, c);
    c->place.module = module_of(a, c);
    char *cycle = cycle_text(a, c);
    ARRAY_PUSH(causes->all, (iot_finding){
                                .kind = c->kind,
                                .place = c->place,
                                .also = c->also.at,
                                .nalso = (uint32_t)c->also.n,
                                .span_without = c->span_without,
                                .saving = saving_of(a, c->span_without),
                                .estimate = c->estimate,
                                .text = base_format("%s%s; %s", c->text, cycle, price),
                                .advice = base_copy(c->advice ? c->advice : ""),
                                .reduction = c->reduction,
                                .clause = c->clause,
                            });
    c->also.at = NULL; // the finding's now
    free(price);
    free(cycle);
}

static void add_together(struct iot_causes *causes, const search *s, const uint32_t *kept)
{
    for (uint32_t j = 1; j < causes->shown; j++)
        for (uint32_t i = 0; i < j; i++) {
            int64_t both = s->both[kept[i]][kept[j]];
            if (both >= 0)
                ARRAY_PUSH(causes->together, (iot_together){i, j, both, saving_of(s->a, both)});
        }
}

static bool is_kept(const search *s, const uint32_t *kept, uint32_t n, uint32_t number)
{
    for (uint32_t i = 0; i < n; i++)
        if (s->c.list.at[kept[i]].number == number)
            return true;
    return false;
}

// One that saves little by itself only beside its partner.
static void part_lonely(search *s, const uint32_t *kept, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        candidate *c = &s->c.list.at[kept[i]];
        if (c->partner != IOT_NONE && !is_kept(s, kept, n, c->partner))
            c->partner = IOT_NONE;
    }
}

static bool is_shown(const search *s, const candidate *c)
{
    return c->doubt != DOUBTFUL && (c->partner != IOT_NONE || !iot_is_little(s->a, c->span_without));
}

static void make_findings(struct iot_causes *causes, search *s, uint32_t *kept, uint32_t n)
{
    part_lonely(s, kept, n);
    sort_kept(s, kept, n);
    prefer_exact(s, kept, n);
    for (uint32_t i = 0; i < n; i++)
        add_finding(causes, s, &s->c.list.at[kept[i]]);
    for (size_t i = WEIGHED; i < s->c.list.n; i++)
        add_finding(causes, s, &s->c.list.at[i]);
    while (causes->shown < n && causes->shown < SHOWN &&
           is_shown(s, &s->c.list.at[kept[causes->shown]]))
        causes->shown++;
    add_together(causes, s, kept);
}

// All detectors, each group of those of loops and each other one with a list of its own.
typedef struct {
    search *s;
    const loops *l;
    uint32_t n; // jobs: those of loops, then the others
    detector *const *others;
    candidates *of;
} proposals;

// The last ones of the table take longest, so they begin first.
static void propose_some(void *data, uint32_t job)
{
    proposals *p = data;
    uint32_t i = p->n - 1 - job;
    if (i < p->s->nshapes)
        iot_find_shapes(p->l, i, &p->of[i]);
    else
        p->others[i - p->s->nshapes](p->s->a, &p->of[i]);
}

static bool tell_proposals(void *data, uint32_t begun)
{
    proposals *p = data;
    return tell_stage(&p->s->proposing, (double)begun / (double)p->n);
}

// In the order of the table.
static void gather(candidates *all, candidates *some)
{
    for (size_t i = 0; i < some->list.n; i++)
        ARRAY_PUSH(all->list, some->list.at[i]);
    for (size_t i = 0; i < some->meant.n; i++)
        ARRAY_PUSH(all->meant, some->meant.at[i]);
    for (size_t i = 0; i < some->lent.n; i++)
        ARRAY_PUSH(all->lent, some->lent.at[i]);
    if (some->both) {
        all->both = some->both;
        all->nboth = some->nboth;
    }
    free(some->list.at);
    free(some->meant.at);
    free(some->lent.at);
}

// Has every clause its head? Those of older files have none, and damaged files may lack some.
static bool has_heads(const trace *t)
{
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (!c->dynamic && c->nhead < trace_get_predicate(t, c->predicate)->arity)
            return false;
    }
    return true;
}

// False: cancelled. What is about loops needs heads.
static bool propose(search *s)
{
    bool measured = trace_is_measured(s->a->t);
    proposals p = {.s = s, .l = &s->l, .others = measured ? of_measured : of_fleng};
    s->nshapes = measured || !has_heads(s->a->t) ? 0 : iot_nshapes();
    p.n = s->nshapes + (uint32_t)(measured ? sizeof of_measured / sizeof *of_measured
                                          : sizeof of_fleng / sizeof *of_fleng);
    p.of = base_allocate(p.n, sizeof *p.of);
    if (!measured)
        iot_begin_loops(&s->l, s->a, s->g);
    bool done = iot_run_jobs(p.n, propose_some, tell_proposals, &p);
    if (!measured) {
        change_draft d = {0};
        iot_draft_arrivals(&s->l, &d);
        s->arrivals = draft_finish(&d);
    }
    for (uint32_t i = 0; i < p.n; i++)
        gather(&s->c, &p.of[i]);
    free(p.of);
    return done;
}

// False: cancelled.
static bool find(struct iot_causes *causes, iot *a)
{
    // Making the graph, proposing, pricing; what follows takes little.
    iot_progress progress = a->preparing.progress;
    void *data = a->preparing.data;
    stage graph = {progress, data, 0, 0.35};
    search s = {.a = a, .proposing = {progress, data, 0.35, 0.75}, .pricing = {progress, data, 0.75, 1}};
    uint32_t kept[WEIGHED], n = 0;
    bool done = a->n > 1;
    if (done && !trace_is_measured(a->t))
        done = (s.g = iot_waits(a, tell_stage, &graph)) != NULL;
    done = done && propose(&s);
    if (done && s.g) {
        iot_find_late_together(a, s.g, &s.c);
        iot_find_in_turn(a, s.g, &s.c);
    }
    done = done && price(&s);
    if (done) {
        drop_needless(&s);
        sort_by_span(&s);
        done = find_pairs(&s);
    }
    if (done) {
        keep_savers(&s);
        sort_by_span(&s);
        done = join_causes(&s, kept, &n);
    }
    if (done)
        make_findings(causes, &s, kept, n);
    for (size_t i = 0; i < s.c.list.n; i++)
        candidate_free(&s.c.list.at[i]);
    iot_free_slots(s.slots);
    if (s.g)
        iot_end_loops(&s.l);
    free(s.c.list.at);
    iot_free_change(&s.arrivals);
    free(s.c.both);
    free(s.c.meant.at);
    free(s.c.lent.at);
    return done || a->n <= 1;
}

// ---------------------------------------------------------------------------------------------
// The list

// With the notes. The caller holds the lock of causes.
static struct iot_causes *begin_causes(iot *a)
{
    if (!a->causes) {
        a->causes = base_allocate(1, sizeof *a->causes);
        iot_note_run(a, &a->causes->notes);
        if (trace_is_measured(a->t))
            iot_note_measured(a, &a->causes->notes);
    }
    return a->causes;
}

// A search that was cancelled leaves no findings; asked again, they are found then.
static const struct iot_causes *causes_of(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->locks.causes);
    struct iot_causes *causes = begin_causes(a);
    if (!causes->searched)
        causes->searched = find(causes, a);
    pthread_mutex_unlock(&a->locks.causes);
    return causes;
}

static const struct iot_causes *notes_of(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->locks.causes);
    const struct iot_causes *causes = begin_causes(a);
    pthread_mutex_unlock(&a->locks.causes);
    return causes;
}

uint32_t iot_nfindings(const iot *a, bool all)
{
    const struct iot_causes *causes = causes_of(a);
    return all ? (uint32_t)causes->all.n : causes->shown;
}

const iot_finding *iot_get_finding(const iot *a, bool all, uint32_t i)
{
    return iot_nfindings(a, all) > i ? &causes_of(a)->all.at[i] : NULL;
}

const char *iot_mechanism_name(iot_finding_kind kind)
{
    static const char *const names[] = {
#define MECHANISM(id, name, text) name,
#include "iotree/mechanisms.def"
    };
    return names[kind];
}

uint32_t iot_ntogether(const iot *a)
{
    return (uint32_t)causes_of(a)->together.n;
}

const iot_together *iot_get_together(const iot *a, uint32_t i)
{
    return iot_ntogether(a) > i ? &causes_of(a)->together.at[i] : NULL;
}

uint32_t iot_nnotes(const iot *a)
{
    return (uint32_t)notes_of(a)->notes.list.n;
}

const iot_note *iot_get_note(const iot *a, uint32_t i)
{
    return iot_nnotes(a) > i ? &notes_of(a)->notes.list.at[i] : NULL;
}

void iot_destroy_causes(iot *a)
{
    struct iot_causes *causes = a->causes;
    if (!causes)
        return;
    for (size_t i = 0; i < causes->all.n; i++) {
        free((void *)causes->all.at[i].also);
        free((void *)causes->all.at[i].text);
        free((void *)causes->all.at[i].advice);
    }
    for (size_t i = 0; i < causes->notes.list.n; i++) {
        free((void *)causes->notes.list.at[i].title);
        free((void *)causes->notes.list.at[i].detail);
    }
    free(causes->all.at);
    free(causes->together.at);
    free(causes->notes.list.at);
    free(causes);
    a->causes = NULL;
}

int iot_percent(uint64_t part, uint64_t whole)
{
    int p = (int)(100.0 * (double)part / (double)whole + 0.5);
    if (p == 100 && part < whole)
        return 99;
    return p == 0 && part > 0 ? 1 : p;
}

char *iot_time_text(uint64_t nanoseconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    double n = (double)nanoseconds;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (n >= units[i].size * 0.9995) // what rounds to 1000 is 1 of the next unit
            return base_format("%.3g %s", n / units[i].size, units[i].name);
    return base_format("%llu ns", (unsigned long long)nanoseconds);
}
