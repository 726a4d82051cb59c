// SPDX-License-Identifier: MIT
//
// Loops whose next step waits for a word that the step before was carried out: rounds with an
// acknowledgement, priced with a window; and loops that take replies in the order in which they
// were asked for, priced in the order in which the replies come.
#include "iotree/findings/combine.h"
#include "iotree/findings/rounds.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_ROUNDS = 5,
    MOST_LOOPS = 12,
    LARGEST_WINDOW = 8,
    FLOW_WINDOW = 3, // rounds under way: the waits bound how many there may be
    WIDEST_WINDOW = 64,
    MOST_PARTS = 16, // arguments of an answer that are looked at
    MOST_CALLERS = 3, // that are named of who opens places
};
static const double near_enough = 0.03; // of the span: a larger window brings no more than that

static bool leads_on(const trace *t, uint32_t from, uint32_t to)
{
    uint32_t binding = trace_cell_binding(t, from);
    trace_value v =
        binding == TRACE_NONE ? (trace_value){.kind = TV_INT} : trace_binding_value(t, binding);
    return v.kind == TV_CELL && v.id == to;
}

// Is the variable an argument of the structure that the other one is bound to?
static bool is_part(const trace *t, uint32_t whole, uint32_t variable)
{
    trace_value v = iot_end_value(t, (trace_value){.kind = TV_CELL, .id = whole});
    if (!is_cell_kind(t, v, TC_STRUCT))
        return false;
    uint32_t n = trace_cell_arity(t, v.id);
    for (uint32_t i = 0; i < n && i < MOST_PARTS; i++)
        if (iot_leads_to(t, trace_cell_arg(t, v.id, i), variable))
            return true;
    return false;
}

static void study_read(round_study *s, uint32_t r, uint64_t first, uint64_t end)
{
    const loops *l = s->l;
    uint32_t variable = iot_variable_from(l, r, l->g->makers[first]), maker = l->g->makers[first];
    if (variable == TRACE_NONE || iot_is_list(l->t, variable) || bit_get(s->counters, maker))
        return;
    for (uint64_t i = first; i < end; i++)
        maker = l->g->makers[i] > maker ? l->g->makers[i] : maker;
    chain_read *last = s->reads.n ? &s->reads.at[s->reads.n - 1] : NULL;
    bool on = last && last->reader == r && last->end == first;
    if (on && (leads_on(l->t, last->last, variable) || is_part(l->t, last->variable, variable))) {
        last->last = leads_on(l->t, last->last, variable) ? variable : last->last;
        last->end = end;
        last->maker = maker > last->maker ? maker : last->maker;
        return;
    }
    ARRAY_PUSH(s->reads, (chain_read){.chain = l->chain_of[r],
                                      .position = l->position[r],
                                      .predicate = loops_predicate(l, r),
                                      .clause = trace_reduction_clause(l->t, r),
                                      .reader = r,
                                      .variable = variable,
                                      .last = variable,
                                      .maker = maker,
                                      .maker_site = l->g->sites[l->g->makers[first]],
                                      .first = first,
                                      .end = end});
}

static int by_step(const void *x, const void *y)
{
    const chain_read *a = x, *b = y;
    if (a->predicate != b->predicate)
        return a->predicate < b->predicate ? -1 : 1;
    if (a->chain != b->chain)
        return a->chain < b->chain ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static round_study study_rounds(const loops *l, uint32_t loop)
{
    round_study s = {.l = l, .loop = loop};
    s.side = iot_side_goals(l, loop);
    s.counters = iot_counters(l, loop);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain == IOT_NONE || l->chains.at[chain].loop != loop)
            continue;
        for (uint64_t i = l->g->first[r], end = l->g->first[r + 1], next; i < end; i = next) {
            for (next = i + 1; next < end && !bit_get(l->g->begins, (uint32_t)next); next++)
                ;
            study_read(&s, r, i, next);
        }
    }
    if (s.reads.n)
        qsort(s.reads.at, s.reads.n, sizeof *s.reads.at, by_step);
    return s;
}

static void end_rounds(round_study *s)
{
    free(s->side);
    free(s->counters);
    free(s->reads.at);
}

// ---------------------------------------------------------------------------------------------
// Rounds

bool iot_loop_makes(const round_study *s, uint32_t maker)
{
    uint32_t chain = s->l->chain_of[maker];
    return s->side[maker] || (chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop);
}

// Was the variable made by an earlier step of the reader's chain, and bound by somebody else?
static bool is_answer(const round_study *s, const chain_read *read)
{
    const loops *l = s->l;
    uint32_t asked = trace_cell_maker(l->t, read->variable);
    return l->chain_of[asked] == read->chain && l->position[asked] < read->position;
}

// Whether the answers say nothing: each is the same constant, or the clause does not use it.
static bool is_mere_word(const round_study *s, size_t first, size_t end)
{
    const trace *t = s->l->t;
    trace_value word = {0};
    for (size_t i = first; i < end; i++) {
        trace_value v =
            iot_end_value(t, (trace_value){.kind = TV_CELL, .id = s->reads.at[i].variable});
        if (v.kind != TV_ATOM || (i > first && v.id != word.id))
            return false;
        word = v;
    }
    return true;
}

// The k-th read of a chain is replaced by the one `window` - 1 before; 0: by none.
static void draft_window(const round_study *s, size_t first, size_t end, uint32_t window,
                         change_draft *d)
{
    for (size_t i = first, begin = first; i < end; i++) {
        const chain_read *read = &s->reads.at[i];
        begin = s->reads.at[begin].chain == read->chain ? begin : i;
        for (uint64_t w = read->first; w < read->end; w++)
            draft_wait(d, w, IOT_NONE);
        if (window && i >= begin + window - 1) {
            const chain_read *other = &s->reads.at[i - window + 1];
            for (uint64_t w = other->first; w < other->end; w++)
                draft_add(d, read->reader, s->l->g->makers[w]);
        }
    }
}

static double price_window(const round_study *s, size_t first, size_t end, uint32_t window)
{
    change_draft d = {0};
    draft_window(s, first, end, window, &d);
    wait_change change = draft_finish(&d);
    double span = iot_span_beside(s->l, &change);
    iot_free_change(&change);
    return span;
}

static void say_rounds(const round_study *s, size_t first, size_t end, uint32_t window,
                       candidates *c)
{
    const loops *l = s->l;
    const chain_read *read = &s->reads.at[first + (end - first) / 2];
    change_draft d = {0};
    draft_window(s, first, end, window, &d);
    candidate *x = candidate_at(l->a, c, FINDING_ROUNDS, read->clause, read->reader);
    x->change = draft_finish(&d);
    const wait_site *maker = &l->g->all_sites[read->maker_site];
    uint32_t asked = trace_reduction_clause(l->t, trace_cell_maker(l->t, read->variable));
    candidate_also(x, iot_clause_location(l->a, asked));
    candidate_also(x, iot_site_location(maker, IOT_NONE));
    uint32_t name = trace_cell_name(l->t, read->variable);
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[read->reader]]);
    char *from = iot_site_text(l->a, maker);
    x->text = base_format("%s begins the next round when %s has bound %s, which says only that the "
                          "last one is done: %zu rounds of %.1f steps",
                          reader, from, name == TRACE_NONE ? "the answer" : trace_name(l->t, name),
                          end - first, (double)l->a->span / (double)(end - first));
    x->advice = window
                    ? base_format("let %u rounds be under way: wait for the answer to the one %u "
                                  "before",
                                  window, window - 1)
                    : base_format("begin the next round without waiting for the answer");
    x->condition =
        window ? base_format("with %u rounds under way", window) : base_copy("without that wait");
    free(reader);
    free(from);
}

// Who hands on what is there hands on the value itself, so a term tells who made it.
uint32_t iot_answered(const round_study *s, const chain_read *read, uint32_t *ret_asked)
{
    const trace *t = s->l->t;
    uint32_t variable = read->variable, binding = trace_cell_binding(t, variable);
    trace_value v = trace_binding_value(t, binding);
    while (is_variable(t, v) && trace_cell_binding(t, v.id) != TRACE_NONE) {
        variable = v.id;
        binding = trace_cell_binding(t, variable);
        v = trace_binding_value(t, binding);
    }
    uint32_t made = v.kind == TV_CELL ? trace_cell_maker(t, v.id) : trace_binding_maker(t, binding);
    *ret_asked = s->side[made] ? s->l->g->parents[s->side[made]] : trace_cell_maker(t, variable);
    return made;
}

// How many reads of its chain there are since the member that asked for what is read, at most one more than
// the widest window; 0: none of it did.
static uint32_t rounds_ahead(const round_study *s, size_t first, size_t read)
{
    const loops *l = s->l;
    const chain_read *x = &s->reads.at[read];
    uint32_t asked, rounds = 0;
    iot_answered(s, x, &asked);
    for (size_t k = read + 1; rounds <= WIDEST_WINDOW && k-- > first; rounds++)
        if (s->reads.at[k].chain != x->chain || s->reads.at[k].position <= l->position[asked])
            break;
    return l->chain_of[asked] == x->chain ? rounds : 0;
}

// Do most reads wait for the answer to what was asked some rounds before, always as many? Then that is how
// much may be under way.
static bool has_window(const round_study *s, size_t first, size_t end)
{
    uint32_t counts[WIDEST_WINDOW + 2] = {0}, most = 0;
    for (size_t i = first; i < end; i++)
        counts[rounds_ahead(s, first, i)]++;
    for (uint32_t i = FLOW_WINDOW; i <= WIDEST_WINDOW; i++)
        most = counts[i] > most ? counts[i] : most;
    return 2 * (size_t)most > end - first;
}

// Do most reads wait for the answer to what was asked some rounds before, be it as many or not?
static bool goes_ahead(const round_study *s, size_t first, size_t end)
{
    size_t ahead = 0;
    for (size_t i = first; i < end; i++)
        ahead += rounds_ahead(s, first, i) > FLOW_WINDOW;
    return 2 * ahead > end - first;
}

static void propose_rounds(const round_study *s, size_t first, size_t end, candidates *c)
{
    if (end - first < FEWEST_ROUNDS || goes_ahead(s, first, end))
        return;
    double span = s->l->span, all = price_window(s, first, end, 0);
    uint32_t window = 2;
    if (all > (1 - near_enough) * span)
        return;
    while (window <= LARGEST_WINDOW &&
           price_window(s, first, end, window) > all + near_enough * span)
        window *= 2;
    say_rounds(s, first, end, window <= LARGEST_WINDOW ? window : 0, c);
}

// ---------------------------------------------------------------------------------------------
// All reads

// The reads of a chain that goes ahead of the answers wait for one of those that are under way. No other
// finding may name that wait.
static void propose_windows(const round_study *s, size_t first, size_t end, candidates *c)
{
    for (size_t i = first, begin = first; i < end; i++) {
        const chain_read *read = &s->reads.at[i];
        if (i == first || read->clause != s->reads.at[i - 1].clause)
            ARRAY_PUSH(c->lent, iot_clause_location(s->l->a, read->clause));
        if (i + 1 < end && s->reads.at[i + 1].chain == read->chain)
            continue;
        if (read->chain == s->l->biggest[s->loop])
            iot_propose_window(s, begin, i + 1, c);
        begin = i + 1;
    }
}

// Does the reduction make `[_|Rest]`, an empty place that another loop fills?
static bool opens_place(const loops *l, uint32_t r)
{
    const trace *t = l->t;
    uint32_t loop = l->loop_of[loops_predicate(l, r)], end = trace_first_cell(t, r + 1);
    for (uint32_t i = trace_first_cell(t, r); i < end && loop != IOT_NONE; i++) {
        if (!is_cell_kind(t, (trace_value){.kind = TV_CELL, .id = i}, TC_CONS))
            continue;
        trace_value place = trace_cell_arg(t, i, 0);
        uint32_t binding = is_variable(t, place) && trace_cell_maker(t, place.id) == r
                               ? trace_cell_binding(t, place.id)
                               : TRACE_NONE;
        if (binding != TRACE_NONE && l->loop_of[loops_predicate(l, trace_binding_maker(t, binding))] != loop)
            return true;
    }
    return false;
}

// Do most answers come out of a buffer, that is, from a loop that gives who asks what is in a place which it
// opened before, and opens another one? Then the waits bound how many things are under way. What may be
// changed is how many places there are (propose_places); no other finding may name these waits.
static bool comes_from_buffer(const round_study *s, size_t first, size_t end)
{
    const trace *t = s->l->t;
    size_t places = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t binding = trace_cell_binding(t, s->reads.at[i].variable);
        uint32_t buffer = trace_binding_maker(t, binding);
        trace_value v = trace_binding_value(t, binding);
        bool before = v.kind == TV_CELL && trace_cell_maker(t, v.id) != buffer;
        places += before && !iot_loop_makes(s, buffer) && opens_place(s->l, buffer);
    }
    return 2 * places > end - first;
}

static void bound_reads(const round_study *s, size_t first, size_t end, candidates *c)
{
    for (size_t i = first; i < end; i++)
        if (i == first || s->reads.at[i].clause != s->reads.at[i - 1].clause)
            ARRAY_PUSH(c->lent, iot_clause_location(s->l->a, s->reads.at[i].clause));
}

static void each_predicate(const round_study *s, candidates *c)
{
    for (size_t i = 0, first = 0; i < s->reads.n; i++) {
        if (i + 1 < s->reads.n && s->reads.at[i + 1].predicate == s->reads.at[i].predicate)
            continue;
        size_t answers = 0, own = 0;
        for (size_t k = first; k <= i; k++) {
            answers += is_answer(s, &s->reads.at[k]);
            own += iot_loop_makes(s, s->reads.at[k].maker);
        }
        if (has_window(s, first, i + 1))
            propose_windows(s, first, i + 1, c);
        else if (answers == i + 1 - first && own < answers && is_mere_word(s, first, i + 1))
            propose_rounds(s, first, i + 1, c);
        else if (answers == i + 1 - first && comes_from_buffer(s, first, i + 1))
            bound_reads(s, first, i + 1, c);
        else if (answers == i + 1 - first)
            iot_propose_asked(s, first, i + 1, own == i + 1 - first, c);
        else if (answers == 0 && own == 0)
            iot_propose_order(s, first, i + 1, c);
        first = i + 1;
    }
}

// ---------------------------------------------------------------------------------------------
// Places that are asked to be filled one at a time

// Is the cell an empty place, `[Place|Rest]` with a variable of the clause that made it, which the
// loop that takes the cell fills?
static bool is_empty_place(const round_study *s, uint32_t cell)
{
    const trace *t = s->l->t;
    trace_value place = trace_cell_arg(t, cell, 0);
    if (!is_variable(t, place))
        return false;
    uint32_t binding = trace_cell_binding(t, place.id);
    return binding != TRACE_NONE && trace_cell_maker(t, place.id) == trace_cell_maker(t, cell) &&
           iot_loop_makes(s, trace_binding_maker(t, binding));
}

// Makes the reads those by which the loop's longest chain gets empty places.
static void study_places(round_study *s)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    s->reads.n = 0;
    for (uint32_t r = l->chains.at[l->biggest[s->loop]].first; r; r = l->next[r]) {
        if (l->taken[r] == IOT_NONE)
            continue;
        uint32_t asker = trace_cell_maker(l->t, l->taken[r]);
        uint64_t i = g->first[r], end = g->first[r + 1];
        while (i < end && g->makers[i] != asker)
            i++;
        if (i == end || !is_empty_place(s, l->taken[r]))
            continue;
        trace_value place = trace_cell_arg(l->t, l->taken[r], 0);
        ARRAY_PUSH(s->reads, (chain_read){.chain = l->chain_of[r],
                                          .position = l->position[r],
                                          .clause = trace_reduction_clause(l->t, r),
                                          .reader = r,
                                          .variable = place.id,
                                          .maker = asker,
                                          .first = i,
                                          .end = i + 1,
                                          .maker_site = g->sites[asker]});
    }
}

// "line/3 (x.fl:7)": the clause of a reduction, of one of the library the clause that calls it.
static char *near_text(const loops *l, uint32_t r)
{
    uint32_t clause = iot_clause_near(l, r);
    const wait_site *site = &l->g->all_sites[l->g->sites[r]];
    if (clause == IOT_NONE)
        return iot_site_text(l->a, site);
    const trace_clause *c = trace_get_clause(l->t, clause);
    return iot_site_text(l->a, &(wait_site){.predicate = c->predicate,
                                            .source = c->source,
                                            .line = c->source == TRACE_NONE ? 0 : c->line});
}

// The last step of the loop that fills the places, if it ends because no more places come.
static uint32_t last_filler(const round_study *s)
{
    const loops *l = s->l;
    uint32_t last = s->reads.at[s->reads.n - 1].reader;
    while (l->next[last])
        last = l->next[last];
    return l->taken[last] == IOT_NONE ? last : 0;
}

// With `window` places ahead. Whoever fills them fills those, too, that nobody wants in the end.
static void draft_places(const round_study *s, uint32_t window, change_draft *d)
{
    const wait_graph *g = s->l->g;
    size_t n = s->reads.n;
    uint32_t first = s->reads.at[0].reader, last = last_filler(s);
    draft_window(s, 0, n, window, d);
    if (!last || last <= first)
        return;
    change_draft without = {0};
    draft_window(s, 0, n, window, &without);
    wait_change change = draft_finish(&without);
    int64_t *times = base_allocate(g->n, sizeof *times);
    iot_span_under(g, &change, times);
    double each = (double)(times[last] - times[first]) / (double)n;
    draft_reduction(d, last, IOT_NONE, (double)wait_cost(g, last) + (window - 1) * each);
    free(times);
    iot_free_change(&change);
}

static double price_places(const round_study *s, uint32_t window)
{
    change_draft d = {0};
    draft_places(s, window, &d);
    wait_change change = draft_finish(&d);
    double span = iot_span_beside(s->l, &change);
    iot_free_change(&change);
    return span;
}

// How many places there were at the beginning: those that another loop opened, or the same one at once.
static uint32_t places_at_first(const round_study *s)
{
    const loops *l = s->l;
    uint32_t opens = loops_predicate(l, s->reads.at[s->reads.n / 2].maker), n = 0;
    while (n < s->reads.n && loops_predicate(l, s->reads.at[n].maker) != opens)
        n++;
    return n;
}

// Who made the first places, and who calls that: there the number of places is said.
static void also_first_places(const round_study *s, candidate *x)
{
    const loops *l = s->l;
    uint32_t first = s->reads.at[0].maker, chain = l->chain_of[first];
    for (int up = 0; up < MOST_CALLERS && first; up++) {
        uint32_t clause = iot_clause_near(l, first);
        if (clause != IOT_NONE)
            candidate_also(x, iot_clause_location(l->a, clause));
        first = l->g->parents[chain == IOT_NONE ? first : l->chains.at[chain].first];
        chain = l->chain_of[first];
    }
}

// "line/3 (x.fl:7) keeps 3 places for mill/2 (x.fl:12) to fill"; of one place at a time another sentence.
static char *places_text(const round_study *s, const char *asks, const char *fills)
{
    uint32_t first = places_at_first(s);
    size_t n = s->reads.n;
    double each = (double)s->l->a->span / (double)n;
    if (first < 2)
        return base_format("%s gives %s one empty place at a time, so that only one of the two works: "
                           "%zu places, one every %.1f steps",
                           asks, fills, n, each);
    return base_format("%s has %u places for %s to fill, and opens another one when one is taken, so that no "
                       "more are filled at a time: %zu places, one every %.1f steps",
                       asks, first, fills, n, each);
}

static void say_places(const round_study *s, uint32_t window, candidates *c)
{
    const loops *l = s->l;
    size_t n = s->reads.n;
    const chain_read *read = &s->reads.at[n / 2];
    change_draft d = {0};
    draft_places(s, window, &d);
    candidate *x = candidate_add(c, FINDING_ROUNDS);
    x->reduction = read->maker;
    x->clause = iot_clause_near(l, read->maker);
    x->clause = x->clause == IOT_NONE ? trace_reduction_clause(l->t, read->maker) : x->clause;
    x->place = iot_clause_location(l->a, x->clause);
    x->estimate = true;
    x->change = draft_finish(&d);
    uint32_t filler = iot_clause_near(l, read->reader);
    candidate_also(x, iot_clause_location(l->a, filler == IOT_NONE ? read->clause : filler));
    char *asks = near_text(l, read->maker);
    char *fills = near_text(l, read->reader);
    uint32_t places = places_at_first(s) + window - 1;
    x->text = places_text(s, asks, fills);
    if (places > window) {
        also_first_places(s, x);
        x->advice = base_format("let there be %u places instead of %u", places, places_at_first(s));
        x->condition = base_format("with %u places", places);
    } else {
        x->advice = base_format("give %u empty places before the first one is needed, and a new one for "
                                "each that was filled",
                                window);
        x->condition = base_format("with %u places ahead", window);
    }
    free(asks);
    free(fills);
}

// Is it a buffer that takes the places? It fills them with what is in those that it has opened itself.
static bool is_buffer(const round_study *s)
{
    size_t opens = 0;
    for (size_t i = 0; i < s->reads.n; i++)
        opens += opens_place(s->l, s->reads.at[i].reader);
    return 2 * opens > s->reads.n;
}

static void propose_places(round_study *s, candidates *c)
{
    study_places(s);
    if (s->reads.n < FEWEST_ROUNDS || is_buffer(s))
        return;
    double span = s->l->span, best = span;
    uint32_t window = 0;
    for (uint32_t w = 2; w <= LARGEST_WINDOW; w *= 2) {
        double under = price_places(s, w);
        if (under < best - near_enough * span) {
            best = under;
            window = w;
        }
    }
    if (window)
        say_places(s, window, c);
}

void iot_find_rounds(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        if (l->chains.at[l->biggest[looked[i]]].n < FEWEST_ROUNDS)
            continue;
        round_study s = study_rounds(l, looked[i]);
        each_predicate(&s, c);
        propose_places(&s, c);
        end_rounds(&s);
    }
}
