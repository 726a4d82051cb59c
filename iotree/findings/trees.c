// SPDX-License-Identifier: MIT
//
// What is done step by step and could be done as a tree: processes that a loop creates one after
// another, and an associative operation that takes the result of the step before, or of the step
// inside. (A step that needs a state of the step before is neither.)
#include "iotree/findings/combine.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    SHORTEST = 4,       // chains of an operation that are worth a tree
    FEWEST = 20,        // processes that are worth one
    MOST_LOOPS = 24,    // that are looked at: those with most of the critical path
    LOPSIDED = 2,       // a chain longer than a tree's by that
    SAMPLE = 256,       // members whose arguments are looked at
    ODD_STEPS = 2,      // steps that may differ from the others, at the beginning and at the end
};
static const double worth_creating = 0.10; // share of the critical path

// A wait of one side goal for the like side goal of a neighbouring step.
typedef struct {
    uint32_t predicate; // of the side goals
    bool inward;        // the step waits for the next one, which its own goal created
    uint32_t chain, step; // position of the reader's member
    uint32_t goal;        // the reader's side goal, as a reduction
    uint32_t reader, maker, variable;
    uint64_t wait;
} fold_link;

typedef struct {
    size_t first, n; // links
    bool associative;
    bool copies; // it only copies a list: append
    const char *verb;
    uint64_t goals;
} fold;

typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *side;
    uint8_t *counters;
    bool sequential; // a step needs a state of the one before
    bool has_state;  // goals of a step take what those of the step before made, and are no tree
    bool walks;      // a step takes an item of a list
    bool waits;      // a step waits for what others make meanwhile
    uint32_t worker; // the predicate of the goals it creates; IOT_NONE: none
    uint64_t workers;
    ARRAY_OF(fold_link) links;
    ARRAY_OF(fold) folds;
} loop_study;

// ---------------------------------------------------------------------------------------------
// What a step hands to the next one

typedef struct {
    bool known, moved;
    trace_value last;
    int64_t by;
    uint32_t odd;
} argument_study;

static bool same_value(trace_value x, trace_value y)
{
    if (x.kind != y.kind)
        return false;
    return x.kind == TV_INT || x.kind == TV_FLOAT ? x.i == y.i : x.id == y.id;
}

static void study_argument(loop_study *s, argument_study *a, trace_value v, uint32_t chain)
{
    const trace *t = s->l->t;
    bool first = !a->known, same = !first && same_value(a->last, v);
    trace_value before = a->last;
    a->known = true;
    a->last = v;
    if (first || same || is_variable(t, v))
        return;
    if (v.kind == TV_INT && before.kind == TV_INT) {
        int64_t by;
        if (__builtin_sub_overflow(v.i, before.i, &by))
            by = 0;
        a->odd += a->moved && by != a->by;
        a->moved = true;
        a->by = by;
    } else if (v.kind == TV_CELL) {
        uint32_t maker = trace_cell_maker(t, v.id);
        bool own = s->l->chain_of[maker] == chain;
        s->walks |= !own && trace_cell_get_kind(t, v.id) == TC_CONS;
        a->odd += own;
    } else if (!(v.kind == TV_ATOM && strcmp(trace_string(t, v.id, NULL), "[]") == 0) &&
               !is_variable(t, before))
        a->odd++;
}

// Sets `sequential` and `walks` by the arguments of the loop's longest chain.
static void study_arguments(loop_study *s)
{
    const loops *l = s->l;
    uint32_t chain = l->biggest[s->loop], n = 0, most = 0;
    uint32_t p = loops_predicate(l, l->chains.at[chain].first);
    uint32_t arity = trace_get_predicate(l->t, p)->arity;
    argument_study *all = base_allocate(arity, sizeof *all);
    trace_value *args = base_allocate(arity, sizeof *args);
    for (uint32_t r = l->chains.at[chain].first; r && n < SAMPLE; r = l->next[r], n++) {
        if (loops_predicate(l, r) != p)
            continue;
        trace_goal_args(l->t, trace_reduction_goal(l->t, r), args);
        for (uint32_t i = 0; i < arity; i++)
            study_argument(s, &all[i], args[i], chain);
    }
    for (uint32_t i = 0; i < arity; i++)
        most = all[i].odd > most ? all[i].odd : most;
    s->sequential = most > ODD_STEPS;
    free(all);
    free(args);
}

// Does the body's goal of the loop get what this argument of the head holds, or does the clause decide
// or compute by it? A test of its type, such as integer(X), decides nothing.
static bool carries_argument(const loop_study *s, const trace_clause *c, uint32_t argument)
{
    uint8_t *from = base_allocate(c->npatterns, 1); // patterns below the argument
    uint32_t root = c->head[argument];
    bool carries = false;
    from[root] = 1;
    for (uint32_t i = root + 1; i-- > 0;)
        for (uint32_t k = 0; from[i] && k < c->patterns[i].n; k++)
            from[c->pattern_children[c->patterns[i].first + k]] = 1;
    for (uint32_t i = 0; i <= root; i++)
        carries |= from[i] && (c->patterns[i].kind == TN_HOLE || c->patterns[i].kind == TN_FRESH) &&
                   iot_is_carried(s->l, s->loop, c, &c->patterns[i]);
    free(from);
    return carries;
}

// Of a read by a member, of a variable that an earlier step of its chain made: is it a state that the
// next step needs?
static bool is_state(const loop_study *s, uint32_t r, uint32_t variable)
{
    const trace *t = s->l->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
    uint32_t goal = trace_reduction_goal(t, r);
    for (uint32_t i = 0; i < c->nhead; i++)
        if (iot_leads_to(t, trace_goal_arg(t, goal, i), variable))
            return c->patterns[c->head[i]].kind != TN_CONST && carries_argument(s, c, i);
    return true;
}

// Is it a value that an earlier step of the chain asked for, or that its goals made? No counter.
static bool is_own(const loop_study *s, uint32_t chain, uint32_t variable, uint32_t maker)
{
    const loops *l = s->l;
    uint32_t side = s->side[maker];
    return !bit_get(s->counters, maker) &&
           (l->chain_of[trace_cell_maker(l->t, variable)] == chain ||
            (side && l->chain_of[l->g->parents[side]] == chain));
}

// Do members wait for what others make meanwhile? For a state of the step before, which is what an
// earlier step asked for? (Who takes items of a list one at a time may have to.)
static void study_waits(loop_study *s)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t chain = l->biggest[s->loop], first = l->chains.at[chain].first, waiting = 0, states = 0;
    bool takes = l->taken[first] != IOT_NONE || (l->next[first] && l->taken[l->next[first]] != IOT_NONE);
    for (uint32_t r = first, n = 0; r; r = l->next[r], n++) {
        const uint32_t *reads;
        uint32_t nreads = trace_reads(l->t, r, &reads);
        bool waits = false, state = false;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            waits |= g->makers[i] >= first && !bit_get(s->counters, g->makers[i]);
        for (uint32_t i = 0; n < SAMPLE && i < nreads; i++) {
            uint32_t binding = trace_cell_binding(l->t, reads[i]);
            if (binding != TRACE_NONE && is_own(s, chain, reads[i], trace_binding_maker(l->t, binding)))
                state |= takes || is_state(s, r, reads[i]);
        }
        waiting += waits;
        states += state;
    }
    s->waits = waiting > ODD_STEPS;
    s->sequential |= states > ODD_STEPS;
}

// ---------------------------------------------------------------------------------------------
// Side goals: workers and folds

// A chain that is long for what hangs on it. What halves its work has short chains.
static bool is_lopsided(const loops *l, uint32_t chain)
{
    const loop_chain *c = &l->chains.at[chain];
    return c->n >= SHORTEST && c->n >= LOPSIDED * loops_levels(c->total);
}

static uint32_t distance(uint32_t x, uint32_t y)
{
    return x < y ? y - x : x - y;
}

static void study_link(loop_study *s, uint32_t r, uint64_t wait)
{
    const loops *l = s->l;
    uint32_t maker = l->g->makers[wait], mine = s->side[r], other = s->side[maker];
    if (!mine || !other || mine == other || loops_predicate(l, mine) != loops_predicate(l, other))
        return;
    uint32_t x = l->g->parents[mine], y = l->g->parents[other];
    if (l->chain_of[x] != l->chain_of[y] || x == y || !is_lopsided(l, l->chain_of[x]) ||
        distance(l->position[x], l->position[y]) > l->predicates[s->loop] ||
        bit_get(s->counters, mine) || bit_get(s->counters, other))
        return;
    ARRAY_PUSH(s->links, (fold_link){.predicate = loops_predicate(l, mine),
                                     .inward = l->position[y] > l->position[x],
                                     .chain = l->chain_of[x],
                                     .step = l->position[x],
                                     .goal = mine,
                                     .reader = r,
                                     .maker = maker,
                                     .wait = wait});
}

static int by_fold(const void *x, const void *y)
{
    const fold_link *a = x, *b = y;
    if (a->predicate != b->predicate)
        return a->predicate < b->predicate ? -1 : 1;
    if (a->inward != b->inward)
        return a->inward - b->inward;
    if (a->chain != b->chain)
        return a->chain < b->chain ? -1 : 1;
    if (a->goal != b->goal)
        return a->goal < b->goal ? -1 : 1; // in the order in which they wait for each other
    return a->wait < b->wait ? -1 : a->wait > b->wait;
}

// The variable that the reader has of this maker.
static uint32_t variable_of(const loops *l, uint32_t reader, uint32_t maker)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, reader, &reads);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(l->t, reads[i]);
        if (binding != TRACE_NONE && trace_binding_maker(l->t, binding) == maker)
            return reads[i];
    }
    return TRACE_NONE;
}

// By site of a built-in: whether its goals were seen to combine, and how.
enum { SITE_UNKNOWN, SITE_COMBINES, SITE_DOES_NOT };

// The first wait of a goal for the goal before. Of a built-in, both must combine, each at its place in
// the text.
static bool combines(const loop_study *s, const fold_link *link, uint8_t *sites, const char **verb)
{
    const loops *l = s->l;
    bool arithmetic = l->g->parents[link->reader] == link->goal &&
                      trace_get_predicate(l->t, loops_predicate(l, link->reader))->origin ==
                          TRACE_BUILTIN;
    uint32_t reader = arithmetic ? link->reader : link->goal;
    uint8_t *site = &sites[l->g->sites[reader]];
    if (*site == SITE_UNKNOWN) {
        uint32_t variable = variable_of(l, link->reader, link->maker);
        *site = variable != TRACE_NONE && iot_is_associative(l, reader, variable, verb)
                    ? SITE_COMBINES
                    : SITE_DOES_NOT;
    }
    return *site == SITE_COMBINES;
}

// Is every goal that the others wait for one of them? In each chain one is the first.
static bool links_up(const loop_study *s, const fold *f)
{
    uint8_t *readers = bits_allocate(s->l->g->n);
    const fold_link *links = &s->links.at[f->first];
    uint64_t firsts = 0, chains = 0;
    for (size_t i = 0; i < f->n; i++) {
        bit_set(readers, links[i].goal);
        chains += i == 0 || links[i].chain != links[i - 1].chain;
    }
    for (size_t i = 0; i < f->n; i++)
        if (i == 0 || links[i].goal != links[i - 1].goal)
            firsts += !bit_get(readers, s->side[links[i].maker]);
    free(readers);
    return firsts <= chains;
}

static bool all_combine(const loop_study *s, fold *f)
{
    uint8_t *sites = base_allocate(s->l->g->nsites, 1);
    bool all = true;
    for (size_t i = f->first; all && i < f->first + f->n; i++)
        if (i == f->first || s->links.at[i].goal != s->links.at[i - 1].goal)
            all = combines(s, &s->links.at[i], sites, &f->verb);
    all = all && links_up(s, f);
    free(sites);
    return all;
}

// Does the operation take nothing but the counters of its loop and what the loop began with? Then the
// loop may well stand for one process's work.
static bool is_busy_work(const loop_study *s, const fold *f)
{
    const wait_graph *g = s->l->g;
    uint64_t others = 0;
    for (size_t i = f->first; i < f->first + f->n; i++) {
        const fold_link *link = &s->links.at[i];
        uint32_t first = s->l->chains.at[link->chain].first;
        for (uint64_t k = g->first[link->reader]; k < g->first[link->reader + 1]; k++)
            others += k != link->wait && g->makers[k] >= first &&
                      !bit_get(s->counters, g->makers[k]) && s->side[g->makers[k]];
    }
    return !s->walks && !s->waits && 2 * others < f->n;
}

// Does nearly all of the loop happen in one chain?
static bool is_only_chain(const loop_study *s)
{
    uint64_t members = 0;
    for (uint32_t i = 0; i < s->l->chains.n; i++)
        members += s->l->chains.at[i].loop == s->loop ? s->l->chains.at[i].n : 0;
    return 10 * (uint64_t)s->l->chains.at[s->l->biggest[s->loop]].n >= 9 * members;
}

static void add_fold(loop_study *s, size_t first, size_t end)
{
    fold f = {.first = first, .n = end - first, .verb = "combines"};
    for (size_t i = first; i < end; i++)
        f.goals += i == first || s->links.at[i].goal != s->links.at[i - 1].goal;
    f.copies = iot_only_copies(s->l->t, s->links.at[first].predicate);
    f.associative = !f.copies && f.goals >= SHORTEST && all_combine(s, &f);
    s->has_state |= !f.associative && f.goals >= SHORTEST;
    f.associative = f.associative && (!is_busy_work(s, &f) || is_only_chain(s));
    ARRAY_PUSH(s->folds, f);
}

static void study_folds(loop_study *s)
{
    for (uint32_t r = 1; r < s->l->g->n; r++)
        for (uint64_t i = s->l->g->first[r]; s->side[r] && i < s->l->g->first[r + 1]; i++)
            study_link(s, r, i);
    if (s->links.n)
        qsort(s->links.at, s->links.n, sizeof *s->links.at, by_fold);
    for (size_t i = 0, first = 0; i < s->links.n; i++) {
        const fold_link *x = &s->links.at[i], *next = x + 1;
        if (i + 1 < s->links.n && next->predicate == x->predicate && next->inward == x->inward)
            continue;
        add_fold(s, first, i + 1);
        first = i + 1;
    }
}

static bool is_fold(const loop_study *s, uint32_t predicate)
{
    for (size_t i = 0; i < s->folds.n; i++)
        if ((s->folds.at[i].associative || s->folds.at[i].copies) &&
            s->links.at[s->folds.at[i].first].predicate == predicate)
            return true;
    return false;
}

// The user's predicate that most side goals are of, folds left out.
static void study_workers(loop_study *s)
{
    const loops *l = s->l;
    uint64_t *counts = base_allocate(trace_npredicates(l->t), sizeof *counts);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r)
            counts[loops_predicate(l, r)]++;
    s->worker = IOT_NONE;
    for (uint32_t p = 0; p < trace_npredicates(l->t); p++) {
        bool works = trace_get_predicate(l->t, p)->origin != TRACE_BUILTIN && !is_fold(s, p);
        if (works && counts[p] > s->workers) {
            s->worker = p;
            s->workers = counts[p];
        }
    }
    free(counts);
}

static void end_study(loop_study *s)
{
    free(s->side);
    free(s->counters);
    free(s->links.at);
    free(s->folds.at);
}

static loop_study study_loop(const loops *l, uint32_t loop)
{
    loop_study s = {.l = l, .loop = loop};
    s.side = iot_side_goals(l, loop);
    s.counters = iot_counters(l, loop);
    study_arguments(&s);
    study_waits(&s);
    study_folds(&s);
    study_workers(&s);
    return s;
}

// ---------------------------------------------------------------------------------------------
// As a tree

// Every member is created at its level of a tree; the counters of the steps are known there.
static void draft_creation(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t chain = l->chain_of[r];
        bool counter = bit_get(s->counters, r);
        bool member = chain != IOT_NONE && l->chains.at[chain].loop == s->loop;
        if (!member && !counter)
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
            uint32_t maker = g->makers[i], side = s->side[maker];
            bool own = member && side && l->chain_of[g->parents[side]] == chain;
            if (own || bit_get(s->counters, maker))
                draft_wait(d, i, IOT_NONE);
        }
        if (!member || !is_lopsided(l, chain))
            continue;
        double levels = loops_levels(l->chains.at[chain].total);
        draft_reduction(d, r, g->parents[l->chains.at[chain].first],
                        levels * (double)wait_cost(g, r));
    }
}

// How long one combination takes: from one that waited for the one before to the next such one.
static double time_of_one(const loop_study *s, const fold *f)
{
    const fold_link *links = &s->links.at[f->first];
    int64_t least = INT64_MAX, last = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (i && links[i].goal == links[i - 1].goal)
            continue;
        int64_t time = trace_time(s->l->t, links[i].reader);
        if (i && links[i].chain == links[i - 1].chain && time > last && time - last < least)
            least = time - last;
        last = time;
    }
    return least == INT64_MAX ? 1 : (double)least;
}

// The goals of one chain: each takes the time of all levels, the last one waits for all others.
static void draft_fold_chain(const loop_study *s, const fold_link *links, size_t n, double one,
                             change_draft *d)
{
    uint64_t goals = 1;
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        goals += i == 0 || links[i].goal != links[i - 1].goal;
        last = links[i].goal > links[last].goal ? (uint32_t)i : last;
    }
    if (goals < SHORTEST)
        return;
    while (last > 0 && links[last - 1].goal == links[last].goal)
        last--;
    for (size_t i = 0; i < n; i++) {
        draft_wait(d, links[i].wait, IOT_NONE);
        if (i && links[i].goal == links[i - 1].goal)
            continue;
        draft_add(d, links[last].reader, links[i].maker);
        if (i != last)
            draft_reduction(d, links[i].reader, IOT_NONE,
                            one * (loops_levels(goals) - 1) +
                                (double)wait_cost(s->l->g, links[i].reader));
    }
}

static void draft_fold(const loop_study *s, const fold *f, change_draft *d)
{
    double one = time_of_one(s, f);
    size_t first = f->first, end = f->first + f->n;
    for (size_t i = first; i < end; i++) {
        if (i + 1 < end && s->links.at[i + 1].chain == s->links.at[i].chain)
            continue;
        draft_fold_chain(s, &s->links.at[first], i + 1 - first, one, d);
        first = i + 1;
    }
}

// ---------------------------------------------------------------------------------------------
// Candidates

static candidate *add_candidate(const loop_study *s, candidates *c, iot_finding_kind kind,
                                change_draft *d)
{
    candidate *x = candidate_add(c, kind);
    x->clause = iot_loop_clause(s->l, s->loop, &x->reduction);
    x->place = iot_clause_location(s->l->a, x->clause);
    x->estimate = true;
    x->change = draft_finish(d);
    return x;
}

static char *loop_text(const loop_study *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->l->t, clause);
    char *name = iot_predicate_text(s->l->t, c->predicate);
    char *place = iot_place_text(s->l->t, c->source, c->line);
    char *text = base_format("%s%s", name, place);
    free(name);
    free(place);
    return text;
}

static void say_creation(const loop_study *s, candidates *c, change_draft *d)
{
    const loops *l = s->l;
    candidate *x = add_candidate(s, c, FINDING_CREATION, d);
    const loop_chain *chain = &l->chains.at[l->biggest[s->loop]];
    char *loop = loop_text(s, x->clause);
    char *worker = s->worker == IOT_NONE ? base_copy("its goals")
                                         : iot_predicate_text(l->t, s->worker);
    uint32_t last = chain->first;
    while (l->next[last])
        last = l->next[last];
    x->text = base_format("%s creates the goals of %s one after the other, %u in a row: the first at "
                          "step %lld, the last at step %lld",
                          loop, worker, chain->n, (long long)trace_time(l->t, chain->first),
                          (long long)trace_time(l->t, last));
    char *name = iot_predicate_text(l->t, trace_get_clause(l->t, x->clause)->predicate);
    x->advice = s->walks || s->waits
                    ? base_format("give %s its items as a vector and let it call itself for both "
                                  "halves: all are created after %u levels",
                                  name, loops_levels(chain->n))
                    : base_format("let %s halve its range and call itself for both halves: all are "
                                  "created after %u levels",
                                  name, loops_levels(chain->n));
    x->condition = base_copy("created as a tree");
    free(loop);
    free(worker);
    free(name);
}

static const fold *biggest_fold(const loop_study *s)
{
    const fold *best = NULL;
    for (size_t i = 0; i < s->folds.n; i++)
        if (s->folds.at[i].associative && (!best || s->folds.at[i].goals > best->goals))
            best = &s->folds.at[i];
    return best;
}

static void say_chain(const loop_study *s, candidates *c, change_draft *d, bool whole)
{
    const loops *l = s->l;
    const fold *f = biggest_fold(s);
    const fold_link *link = &s->links.at[f->first];
    candidate *x = add_candidate(s, c, FINDING_CHAIN, d);
    char *loop = loop_text(s, x->clause);
    char *by = iot_predicate_text(l->t, link->predicate);
    uint32_t line = iot_reduction_line(l->t, link->goal, NULL);
    char *place = base_format(" (line %u)", line);
    x->text = base_format("%s %s %llu values one after the other: each %s%s waits for the result of "
                          "the %s", loop, f->verb, (unsigned long long)f->goals + 1, by,
                          trace_get_predicate(l->t, link->predicate)->origin == TRACE_BUILTIN ? place : "",
                          link->inward ? "step inside" : "step before");
    x->advice = whole ? base_format("halve the range, and combine the results of both halves (%u "
                                    "levels instead of %llu steps)",
                                    loops_levels(f->goals + 1), (unsigned long long)f->goals)
                      : base_format("combine neighbours in pairs, then the results (%u levels "
                                    "instead of %llu steps)%s",
                                    loops_levels(f->goals + 1), (unsigned long long)f->goals,
                                    link->inward ? ", or hand the result so far to the next step" : "");
    x->condition = base_copy("as a tree");
    free(loop);
    free(by);
    free(place);
}

// The goals of the copying predicate that the members of each chain created, in order.
typedef struct {
    const loop_study *s;
    uint32_t predicate;
    ARRAY_OF(uint32_t) calls; // reductions, those of one chain together
    uint32_t *first, *n;      // by chain of the loop: where its calls are
} copy_calls;

static copy_calls find_calls(const loop_study *s, uint32_t predicate)
{
    const loops *l = s->l;
    copy_calls x = {.s = s, .predicate = predicate};
    x.first = base_allocate(l->chains.n, sizeof *x.first);
    x.n = base_allocate(l->chains.n, sizeof *x.n);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate)
            x.n[l->chain_of[l->g->parents[r]]]++;
    for (uint32_t i = 0, sum = 0; i < l->chains.n; i++) {
        x.first[i] = sum;
        sum += x.n[i];
        x.n[i] = 0;
    }
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate)
            ARRAY_PUSH(x.calls, 0);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate) {
            uint32_t chain = l->chain_of[l->g->parents[r]];
            x.calls.at[x.first[chain] + x.n[chain]++] = r;
        }
    return x;
}

// Where a list grows at its end from step to step, the cell at a place of it is there since the step
// that added it: the reduction after which it could be read. IOT_NONE: where it is made now.
static uint32_t added_by(const copy_calls *x, uint32_t r)
{
    const loops *l = x->s->l;
    uint32_t side = x->s->side[r], chain = l->chain_of[l->g->parents[side]];
    if (l->chain_of[side] != l->chain_of[r] || x->n[chain] == 0)
        return IOT_NONE;
    uint32_t first = x->calls.at[x->first[chain]];
    uint32_t before = l->chain_of[first] == IOT_NONE ? 0 : l->chains.at[l->chain_of[first]].n - 1;
    uint32_t place = l->position[r];
    if (place < before)
        return l->g->parents[l->chains.at[chain].first];
    if (place - before >= x->n[chain])
        return IOT_NONE;
    return l->g->parents[x->calls.at[x->first[chain] + place - before]];
}

// With a difference list nothing is copied, and who reads the list need not wait for its end.
static uint64_t draft_no_copies(const loop_study *s, const fold *f, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    copy_calls x = find_calls(s, s->links.at[f->first].predicate);
    bool grows = !s->links.at[f->first].inward;
    uint64_t copied = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        if (s->side[r] && loops_predicate(l, r) == x.predicate) {
            draft_reduction(d, r, grows ? added_by(&x, r) : IOT_NONE, 0);
            copied++;
        }
        for (uint64_t i = g->first[r]; grows && i < g->first[r + 1]; i++) {
            uint32_t chain = l->chain_of[g->makers[i]];
            if (chain != IOT_NONE && l->chains.at[chain].loop == s->loop && x.n[chain] &&
                !l->next[g->makers[i]])
                draft_wait(d, i, IOT_NONE);
        }
    }
    free(x.calls.at);
    free(x.first);
    free(x.n);
    return copied;
}

static void say_copying(const loop_study *s, const fold *f, candidates *c)
{
    const loops *l = s->l;
    uint32_t predicate = s->links.at[f->first].predicate;
    change_draft d = {0};
    uint64_t copied = draft_no_copies(s, f, &d);
    candidate *x = add_candidate(s, c, FINDING_COPYING, &d);
    char *loop = loop_text(s, x->clause);
    char *copier = iot_predicate_text(l->t, predicate);
    x->text = base_format("%s calls %s on a list that %s has made the step %s: it copies %llu cells "
                          "in %llu calls", loop, copier, copier,
                          s->links.at[f->first].inward ? "inside" : "before",
                          (unsigned long long)copied, (unsigned long long)f->goals + 1);
    x->advice = base_format("build the list once: hand its open end to the next step (a difference "
                            "list), or add at the front, instead of %s", copier);
    x->condition = base_copy("with a difference list");
    free(loop);
    free(copier);
}

// Do most of the loop's steps create a worker? A loop that only counts and calls a goal at the end
// creates nothing one after the other.
static bool steps_create(const loop_study *s)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < s->l->chains.n; i++)
        if (s->l->chains.at[i].loop == s->loop)
            steps += s->l->chains.at[i].n;
    return s->worker != IOT_NONE && 3 * s->workers >= steps;
}

static void propose(const loop_study *s, candidates *c)
{
    for (size_t i = 0; i < s->folds.n; i++)
        if (s->folds.at[i].copies && s->folds.at[i].goals >= SHORTEST)
            say_copying(s, &s->folds.at[i], c);
    const loops *l = s->l;
    const fold *f = biggest_fold(s);
    bool whole = !s->walks && !s->waits && !s->sequential && !(f && s->has_state);
    bool creates = !s->sequential && steps_create(s) &&
                   l->chains.at[l->biggest[s->loop]].n >= FEWEST &&
                   l->critical[s->loop] >= worth_creating * l->a->path.n;
    change_draft d = {0};
    if (whole && (f || creates))
        draft_creation(s, &d);
    for (size_t i = 0; f && i < s->folds.n; i++)
        if (s->folds.at[i].associative)
            draft_fold(s, &s->folds.at[i], &d);
    if (whole && creates)
        say_creation(s, c, &d);
    else if (f)
        say_chain(s, c, &d, whole);
    if (!whole && creates) {
        draft_creation(s, &d);
        say_creation(s, c, &d);
    }
    draft_free(&d);
}

void iot_find_trees(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_lopsided(l, l->biggest[looked[i]]))
            continue;
        loop_study s = study_loop(l, looked[i]);
        propose(&s, c);
        end_study(&s);
    }
}
