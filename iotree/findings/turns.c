// SPDX-License-Identifier: MIT
//
// Loops that take from several streams in strict turns, one item from each:
//
//     left([X|Xs], Ys, Sum, End) :- Sum1 := Sum + X, right(Xs, Ys, Sum1, End).
//     right(Xs, [Y|Ys], Sum, End) :- Sum1 := Sum + Y, left(Xs, Ys, Sum1, End).
//
// An item of one stream waits until the other one has an item, too. The price is the run in which
// an item waits only for those before it in its own stream.
#include "base/table.h"
#include "iotree/findings/combine.h"
#include "iotree/findings/rounds.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 12,
    MOST_STREAMS = 16,
    FEWEST_ITEMS = 4,   // of each stream
    FEWEST_BLOCKED = 3, // items that were there while the loop waited for one of another stream
    MOST_PARTS = 16,    // of an item that are looked at
    LONGEST_TURN = 2,   // members, on average: what takes longer is no mere taking
};

typedef struct {
    uint32_t next; // the cell that is to be taken next; IOT_NONE: the stream has ended
    uint32_t items;
    uint32_t predicate, argument; // of the loop, where its items are taken
} stream;

typedef struct {
    uint32_t reader, maker; // of the cell
    uint32_t stream;
} take;

typedef struct {
    round_study s;
    stream streams[MOST_STREAMS];
    uint32_t nstreams;
    ARRAY_OF(take) takes;
    uint32_t *turn_of; // by reduction: the take, from 1, whose turn it is in; 0: none
    size_t blocked;
    int64_t longest;
    const take *example; // waits longest while items of other streams are there
} turn_study;

// ---------------------------------------------------------------------------------------------
// Takes

// The argument in which the clause takes a list apart; IOT_NONE: none, or several.
static uint32_t only_list(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    uint32_t found = IOT_NONE;
    for (uint32_t i = 0; i < c->nhead; i++) {
        if (c->patterns[c->head[i]].kind != TN_CONS)
            continue;
        if (found != IOT_NONE)
            return IOT_NONE;
        found = i;
    }
    return found;
}

// The stream whose next cell this is, or a new one; IOT_NONE: there are too many.
static uint32_t stream_of(turn_study *x, uint32_t cell)
{
    for (uint32_t i = 0; i < x->nstreams; i++)
        if (x->streams[i].next == cell)
            return i;
    if (x->nstreams == MOST_STREAMS)
        return IOT_NONE;
    x->streams[x->nstreams] = (stream){.next = cell, .predicate = IOT_NONE};
    return x->nstreams++;
}

// Does one predicate take now from this and now from that argument? Then it is by what it finds
// that the loop chooses the stream.
static bool chooses(const turn_study *x)
{
    for (uint32_t i = 0; i < x->nstreams; i++)
        for (uint32_t k = 0; k < i; k++)
            if (x->streams[i].predicate == x->streams[k].predicate &&
                x->streams[i].argument != x->streams[k].argument)
                return true;
    return false;
}

static bool study_takes(turn_study *x)
{
    const loops *l = x->s.l;
    uint32_t chain = l->biggest[x->s.loop];
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r]) {
        uint32_t cell = l->taken[r];
        x->turn_of[r] = (uint32_t)x->takes.n;
        if (cell == IOT_NONE)
            continue;
        uint32_t argument = only_list(l->t, trace_reduction_clause(l->t, r));
        uint32_t i = argument == IOT_NONE ? IOT_NONE : stream_of(x, cell);
        if (i == IOT_NONE)
            return false;
        trace_value rest = iot_end_value(l->t, trace_cell_arg(l->t, cell, 1));
        stream *from = &x->streams[i];
        from->next = is_cell_kind(l->t, rest, TC_CONS) ? rest.id : IOT_NONE;
        from->items++;
        if (from->predicate == IOT_NONE) {
            from->predicate = loops_predicate(l, r);
            from->argument = argument;
        }
        ARRAY_PUSH(x->takes, (take){r, trace_cell_maker(l->t, cell), i});
        x->turn_of[r] = (uint32_t)x->takes.n;
    }
    for (uint32_t i = 0; i < x->nstreams; i++)
        if (x->streams[i].items < FEWEST_ITEMS)
            return false;
    return x->nstreams > 1 && !chooses(x) && l->chains.at[chain].n <= LONGEST_TURN * x->takes.n;
}

// ---------------------------------------------------------------------------------------------
// Does the order matter?

// Is the variable the item of the take, or a part of it?
static bool is_of_item(const loops *l, const take *y, uint32_t variable)
{
    trace_value item = trace_cell_arg(l->t, l->taken[y->reader], 0), v = iot_end_value(l->t, item);
    bool is = iot_leads_to(l->t, item, variable);
    uint32_t n = is_cell_kind(l->t, v, TC_STRUCT) ? trace_cell_arity(l->t, v.id) : 0;
    for (uint32_t i = 0; i < n && i < MOST_PARTS && !is; i++)
        is = iot_leads_to(l->t, trace_cell_arg(l->t, v.id, i), variable);
    return is;
}

// The turn in which a goal of the loop, or one below it, stands; 0: none.
static uint32_t turn_with(const turn_study *x, uint32_t r)
{
    uint32_t side = x->s.side[r];
    return x->turn_of[side ? x->s.l->g->parents[side] : r];
}

// Does a goal of a turn wait here for what a goal of another turn made, be it not the item itself?
// *ret_variable: what it reads.
static bool takes_state(const turn_study *x, uint32_t r, uint64_t wait, uint32_t *ret_variable)
{
    const loops *l = x->s.l;
    uint32_t mine = turn_with(x, r), maker = l->g->makers[wait];
    uint32_t before = x->s.side[maker] ? turn_with(x, maker) : 0;
    if (!mine || !before || mine == before)
        return false;
    *ret_variable = iot_variable_of_wait(l, r, wait);
    return *ret_variable != TRACE_NONE && !is_of_item(l, &x->takes.at[mine - 1], *ret_variable);
}

// Goals of a turn may take what another turn's goals have made only to add to it.
static bool combines_only(const turn_study *x)
{
    const loops *l = x->s.l;
    uint32_t variable;
    const char *verb;
    base_map tried = {0};
    bool only = true;
    for (uint32_t r = 1; r < l->g->n && only; r++)
        for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1] && only; w++)
            only = !takes_state(x, r, w, &variable) ||
                   iot_is_associative(l, r, variable, &tried, &verb);
    map_free(&tried);
    return only;
}

static bool order_counts(const turn_study *x)
{
    const loops *l = x->s.l;
    for (size_t i = 0; i < x->takes.n; i++) {
        uint32_t clause = trace_reduction_clause(l->t, x->takes.at[i].reader);
        if (iot_order_matters(l->t, trace_get_clause(l->t, clause)))
            return true;
    }
    return iot_order_is_seen(&x->s) || !combines_only(x);
}

// ---------------------------------------------------------------------------------------------
// The price

static void count_blocked(turn_study *x)
{
    const trace *t = x->s.l->t;
    int64_t latest[MOST_STREAMS] = {0}, earliest[MOST_STREAMS];
    for (uint32_t i = 0; i < MOST_STREAMS; i++)
        earliest[i] = INT64_MAX;
    for (size_t i = 0; i < x->takes.n; i++) {
        const take *y = &x->takes.at[i];
        int64_t came = trace_time(t, y->maker);
        bool blocked = false;
        for (uint32_t k = 0; k < x->nstreams; k++)
            blocked |= k != y->stream && latest[k] > came;
        x->blocked += blocked;
        latest[y->stream] = came > latest[y->stream] ? came : latest[y->stream];
    }
    for (size_t i = x->takes.n; i-- > 0;) {
        const take *y = &x->takes.at[i];
        int64_t came = trace_time(t, y->maker), waited = came - reduction_created(t, y->reader);
        bool blocks = false;
        for (uint32_t k = 0; k < x->nstreams; k++)
            blocks |= k != y->stream && earliest[k] < came;
        if (blocks && waited > x->longest) {
            x->longest = waited;
            x->example = y;
        }
        earliest[y->stream] = came < earliest[y->stream] ? came : earliest[y->stream];
    }
}

// When a stream ends, another loop may take what is left of the others.
static void draft_rest(const turn_study *x, const uint32_t *last, uint32_t end, change_draft *d)
{
    const loops *l = x->s.l;
    bool goes_on = false;
    for (size_t i = 0; i < l->chains.n; i++) {
        uint32_t r = l->chains.at[i].first;
        for (uint32_t k = 0; k < x->nstreams && l->g->parents[r] == end; k++)
            if (l->taken[r] != IOT_NONE && l->taken[r] == x->streams[k].next) {
                draft_reduction(d, r, last[k], -1);
                goes_on = true;
            }
    }
    for (uint32_t k = 0; k < x->nstreams && !goes_on; k++)
        draft_add(d, end, last[k]);
}

// What a turn adds to, the turn before in its stream has made.
static void draft_states(const turn_study *x, change_draft *d)
{
    const wait_graph *g = x->s.l->g;
    base_map makers = {0}; // by turn and site
    uint32_t *before = base_allocate(x->takes.n + 1, sizeof *before), last[MOST_STREAMS] = {0};
    for (uint32_t i = 1; i <= x->takes.n; i++) {
        uint32_t of = x->takes.at[i - 1].stream;
        before[i] = last[of];
        last[of] = i;
    }
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t mine = turn_with(x, r), variable;
        for (uint64_t w = g->first[r]; mine && w < g->first[r + 1]; w++) {
            if (!takes_state(x, r, w, &variable))
                continue;
            uint64_t key = (uint64_t)before[mine] << 32 | g->sites[g->makers[w]];
            uint64_t like = before[mine] ? map_get(&makers, key) : MAP_ABSENT;
            draft_wait(d, w, like == MAP_ABSENT ? IOT_NONE : (uint32_t)like);
        }
        if (mine)
            map_set(&makers, (uint64_t)mine << 32 | g->sites[r], r);
    }
    map_free(&makers);
    free(before);
}

static void draft_own_order(const turn_study *x, change_draft *d)
{
    const loops *l = x->s.l;
    uint32_t last[MOST_STREAMS] = {0};
    uint32_t above = l->g->parents[l->chains.at[l->biggest[x->s.loop]].first];
    uint32_t end = x->takes.at[x->takes.n - 1].reader, next;
    while (l->next[end])
        end = l->next[end];
    for (size_t i = 0; i < x->takes.n; i++) {
        const take *y = &x->takes.at[i];
        draft_reduction(d, y->reader, last[y->stream] ? last[y->stream] : above, -1);
        last[y->stream] = y->reader;
        while ((next = l->next[last[y->stream]]) && next != end && l->taken[next] == IOT_NONE)
            last[y->stream] = next;
    }
    draft_rest(x, last, end, d);
}

static void say_turns(const turn_study *x, candidates *c)
{
    const loops *l = x->s.l;
    const take *y = x->example;
    change_draft d = {0};
    draft_own_order(x, &d);
    draft_states(x, &d);
    candidate *z = candidate_at(l->a, c, FINDING_HEAD_OF_LINE,
                                trace_reduction_clause(l->t, y->reader), y->reader);
    z->change = draft_finish(&d);
    z->estimate = true;
    for (size_t i = 0; i < x->takes.n && i < 2 * x->nstreams; i++)
        candidate_also(
            z, iot_clause_location(l->a, trace_reduction_clause(l->t, x->takes.at[i].reader)));
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[y->reader]]);
    char *from = iot_site_text(l->a, &l->g->all_sites[l->g->sites[y->maker]]);
    z->text = base_format("%s takes from %u streams in strict turns: it waits up to %lld steps for "
                          "an item from %s, and %zu of %zu items are there before one that another "
                          "stream has to give first",
                          reader, x->nstreams, (long long)x->longest, from, x->blocked, x->takes.n);
    z->advice = base_copy("merge the streams, and take the items in the order in which they come");
    z->condition = base_copy("in the order of arrival");
    free(reader);
    free(from);
}

void iot_find_turns(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        turn_study x = {.s = {.l = l, .loop = looked[i], .side = iot_side_goals(l, looked[i])}};
        x.turn_of = base_allocate(l->g->n, sizeof *x.turn_of);
        if (study_takes(&x)) {
            count_blocked(&x);
            if (x.example && x.blocked >= FEWEST_BLOCKED && !order_counts(&x))
                say_turns(&x, c);
        }
        free(x.s.side);
        free(x.turn_of);
        free(x.takes.at);
    }
}
