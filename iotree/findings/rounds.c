// SPDX-License-Identifier: MIT
//
// Loops whose next step waits for a word that the step before was carried out: rounds with an
// acknowledgement, priced with a window; and loops that take replies in the order in which they
// were asked for, priced in the order in which the replies come.
#include "iotree/findings/combine.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_ROUNDS = 5,
    MOST_LOOPS = 12,
    LARGEST_WINDOW = 8,
    PARTS_LATE = 4,       // steps after an item that its parts may come
    FEWEST_BLOCKED = 3,   // values behind one that is late
    MOST_PATTERNS = 1024, // nodes of a head and guards that are compared with each other
};
static const double near_enough = 0.03; // of the span: a larger window brings no more than that

// One read by a member of a chain.
typedef struct {
    uint32_t chain, position;
    uint32_t predicate, clause; // of the reader
    uint32_t reader, variable;
    uint32_t last;       // variable, of those that `variable` leads to
    uint32_t maker;      // the latest of those that the read waits for
    uint64_t first, end; // its waits
    uint32_t maker_site;
} chain_read;

typedef ARRAY_OF(chain_read) read_list;

// The reads by the loop's members of what is no list, in order of chains and steps.
typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *side;
    uint8_t *counters;
    ARRAY_OF(chain_read) reads;
} round_study;

static bool leads_on(const trace *t, uint32_t from, uint32_t to)
{
    uint32_t binding = trace_cell_binding(t, from);
    trace_value v =
        binding == TRACE_NONE ? (trace_value){.kind = TV_INT} : trace_binding_value(t, binding);
    return v.kind == TV_CELL && v.id == to;
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
    if (last && last->reader == r && last->end == first && leads_on(l->t, last->last, variable)) {
        last->last = variable;
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
    double span = iot_span_under(s->l->g, &change, NULL);
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
    candidate *x = candidate_add(c, FINDING_ROUNDS);
    x->reduction = read->reader;
    x->clause = read->clause;
    x->place = iot_clause_location(l->a, read->clause);
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
                          reader, from,
                          name == TRACE_NONE ? "the answer" : trace_string(l->t, name, NULL),
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

static void propose_rounds(const round_study *s, size_t first, size_t end, candidates *c)
{
    if (end - first < FEWEST_ROUNDS || !is_mere_word(s, first, end))
        return;
    double span = (double)s->l->g->span, all = price_window(s, first, end, 0);
    uint32_t window = 2;
    if (all > (1 - near_enough) * span)
        return;
    while (window <= LARGEST_WINDOW &&
           price_window(s, first, end, window) > all + near_enough * span)
        window *= 2;
    say_rounds(s, first, end, window <= LARGEST_WINDOW ? window : 0, c);
}

// ---------------------------------------------------------------------------------------------
// Where the order matters

// What the nodes of an expression hold, as bits.
enum {
    HAS_STATE = 1, // an argument of the head
    HAS_ITEM = 2,  // a variable of the item that the head takes
    SCALES = 4,    // multiplies or divides such an argument
};

static bool same_variable(const trace_node *x, const trace_node *y)
{
    return (x->kind == TN_HOLE || x->kind == TN_FRESH) && x->kind == y->kind &&
           x->index == y->index;
}

// Bits by pattern: below the list that the head takes apart. Parents come after their children.
static uint8_t *patterns_of_items(const trace_clause *c)
{
    uint8_t *below = base_allocate(c->npatterns, 1);
    for (uint32_t i = 0; i < c->nhead; i++)
        below[c->head[i]] = c->patterns[c->head[i]].kind == TN_CONS;
    for (uint32_t i = c->npatterns; i-- > 0;)
        for (uint32_t k = 0; below[i] && k < c->patterns[i].n; k++)
            below[c->pattern_children[c->patterns[i].first + k]] = 1;
    return below;
}

static uint8_t variable_bits(const trace_clause *c, const uint8_t *items, const trace_node *v)
{
    uint8_t bits = 0;
    for (uint32_t i = 0; i < c->nhead; i++)
        bits |= same_variable(&c->patterns[c->head[i]], v) ? HAS_STATE : 0;
    for (uint32_t i = 0; i < c->npatterns; i++)
        bits |= items[i] && same_variable(&c->patterns[i], v) ? HAS_ITEM : 0;
    return bits;
}

// Does an expression among these nodes take an argument times something plus something of the item,
// as S * 3 + X does? Then the items in another order give another result.
static bool order_matters_among(const trace *t, const trace_clause *c, const uint8_t *items,
                                const trace_node *nodes, const uint32_t *children, uint32_t n)
{
    uint8_t *bits = base_allocate(n, 1);
    bool matters = false;
    for (uint32_t i = 0; i < n && !matters; i++) {
        const trace_node *node = &nodes[i];
        if (node->kind == TN_HOLE || node->kind == TN_FRESH)
            bits[i] = variable_bits(c, items, node);
        if (node->kind != TN_STRUCT || node->n != 2)
            continue;
        const char *op = trace_string(t, node->value.id, NULL);
        uint8_t x = bits[children[node->first]], y = bits[children[node->first + 1]];
        bool adds = strcmp(op, "+") == 0 || strcmp(op, "-") == 0;
        bits[i] = x | y;
        if ((strcmp(op, "*") == 0 || strcmp(op, "//") == 0) && (bits[i] & HAS_STATE))
            bits[i] |= SCALES;
        matters = adds && (((x & SCALES) && (y & HAS_ITEM)) || ((y & SCALES) && (x & HAS_ITEM)));
    }
    free(bits);
    return matters;
}

static bool order_matters(const trace *t, const trace_clause *c)
{
    if (c->npatterns > MOST_PATTERNS)
        return false;
    uint8_t *items = patterns_of_items(c);
    bool matters = order_matters_among(t, c, items, c->patterns, c->pattern_children, c->npatterns);
    free(items);
    return matters;
}

// ---------------------------------------------------------------------------------------------
// Head of line

static int by_arrival(const void *x, const void *y)
{
    const chain_read *a = *(chain_read *const *)x, *b = *(chain_read *const *)y;
    return a->maker < b->maker ? -1 : a->maker > b->maker; // makers are numbered in order of time
}

// The reads of one chain take the values in the order in which they come.
static void draft_arrivals(const round_study *s, size_t first, size_t end, change_draft *d)
{
    size_t n = end - first;
    const chain_read **order = base_allocate(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &s->reads.at[first + i];
    qsort(order, n, sizeof *order, by_arrival);
    for (size_t i = 0; i < n; i++) {
        const chain_read *read = &s->reads.at[first + i];
        if (order[i] == read)
            continue;
        for (uint64_t w = read->first; w < read->end; w++)
            draft_wait(d, w, IOT_NONE);
        for (uint64_t w = order[i]->first; w < order[i]->end; w++)
            draft_add(d, read->reader, s->l->g->makers[w]);
    }
    free(order);
}

// Does the loop make the value itself?
static bool is_own(const round_study *s, uint32_t maker)
{
    uint32_t chain = s->l->chain_of[maker];
    return s->side[maker] || (chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop);
}

typedef struct {
    size_t blocked;  // values that were there while the reader waited for an earlier one
    int64_t longest; // wait of a reader for its value, while others were there
    const chain_read *for_which;
} line_figures;

static void count_blocked(const round_study *s, size_t first, size_t end, line_figures *f)
{
    const trace *t = s->l->t;
    int64_t latest = 0;
    for (size_t i = first; i < end; i++) {
        const chain_read *read = &s->reads.at[i];
        int64_t came = trace_time(t, read->maker),
                waited = came - reduction_created(t, read->reader);
        f->blocked += came < latest;
        latest = came > latest ? came : latest;
        if (i + 1 < end && trace_time(t, s->reads.at[i + 1].maker) < came && waited > f->longest) {
            f->longest = waited;
            f->for_which = read;
        }
    }
}

static void each_chain(const round_study *s, size_t first, size_t end, change_draft *d,
                       line_figures *f)
{
    for (size_t i = first, begin = first; i < end; i++) {
        if (i + 1 < end && s->reads.at[i + 1].chain == s->reads.at[i].chain)
            continue;
        draft_arrivals(s, begin, i + 1, d);
        count_blocked(s, begin, i + 1, f);
        begin = i + 1;
    }
}

// The read that begins the turn in which a member of a chain stands; NULL: none.
static const chain_read *turn_of(const round_study *s, size_t first, size_t end, uint32_t member)
{
    uint32_t chain = s->l->chain_of[member], position = s->l->position[member];
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const chain_read *read = &s->reads.at[middle];
        if (read->chain < chain || (read->chain == chain && read->position <= position))
            first = middle + 1;
        else
            end = middle;
    }
    const chain_read *read = first ? &s->reads.at[first - 1] : NULL;
    return read && read->chain == chain ? read : NULL;
}

// Whoever takes another item first needs nothing of the items that come later: parts of an item
// that are there when the item is are not waited for beside it.
static void draft_parts(const round_study *s, size_t first, size_t end, change_draft *d)
{
    const wait_graph *g = s->l->g;
    for (uint32_t r = 1; r < g->n; r++) {
        bool member = is_own(s, r) && !s->side[r];
        if (!member && !s->side[r])
            continue;
        const chain_read *turn = turn_of(s, first, end, member ? r : g->parents[s->side[r]]);
        if (!turn || turn < &s->reads.at[first] || turn->reader == r)
            continue;
        int64_t there = trace_time(s->l->t, turn->maker) + PARTS_LATE;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (!is_own(s, g->makers[i]) && trace_time(s->l->t, g->makers[i]) <= there)
                draft_wait(d, i, IOT_NONE);
    }
}

static void propose_order(const round_study *s, size_t first, size_t end, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    line_figures f = {0};
    each_chain(s, first, end, &d, &f);
    if (!f.for_which || f.blocked < FEWEST_BLOCKED) {
        draft_free(&d);
        return;
    }
    const chain_read *read = f.for_which;
    draft_parts(s, first, end, &d);
    candidate *x = candidate_add(c, FINDING_HEAD_OF_LINE);
    x->reduction = read->reader;
    x->clause = read->clause;
    x->place = iot_clause_location(l->a, read->clause);
    x->change = draft_finish(&d);
    x->estimate = true;
    const wait_site *maker = &l->g->all_sites[read->maker_site];
    candidate_also(x, iot_site_location(maker, IOT_NONE));
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[read->reader]]);
    char *from = iot_site_text(l->a, maker);
    x->text = base_format("%s takes the values of %s in the order of the list: it waits up to %lld "
                          "steps for one, and %zu of %zu are there before an earlier one is",
                          reader, from, (long long)f.longest, f.blocked, end - first);
    x->advice =
        base_format("take the values in the order in which they come: let each maker send its "
                    "value into a merge");
    x->condition = base_copy("in the order of arrival");
    free(reader);
    free(from);
}

static void each_predicate(const round_study *s, candidates *c)
{
    for (size_t i = 0, first = 0; i < s->reads.n; i++) {
        if (i + 1 < s->reads.n && s->reads.at[i + 1].predicate == s->reads.at[i].predicate)
            continue;
        size_t answers = 0, own = 0;
        for (size_t k = first; k <= i; k++) {
            answers += is_answer(s, &s->reads.at[k]);
            own += is_own(s, s->reads.at[k].maker);
        }
        if (answers == i + 1 - first)
            propose_rounds(s, first, i + 1, c);
        else if (answers == 0 && own == 0 &&
                 !order_matters(s->l->t, trace_get_clause(s->l->t, s->reads.at[first].clause)))
            propose_order(s, first, i + 1, c);
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
           is_own(s, trace_binding_maker(t, binding));
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

static void say_places(const round_study *s, uint32_t window, candidates *c)
{
    const loops *l = s->l;
    size_t n = s->reads.n;
    const chain_read *read = &s->reads.at[n / 2];
    change_draft d = {0};
    draft_window(s, 0, n, window, &d);
    candidate *x = candidate_add(c, FINDING_ROUNDS);
    x->reduction = read->maker;
    x->clause = trace_reduction_clause(l->t, read->maker);
    x->place = iot_clause_location(l->a, x->clause);
    x->estimate = true;
    x->change = draft_finish(&d);
    candidate_also(x, iot_clause_location(l->a, read->clause));
    char *asks = iot_site_text(l->a, &l->g->all_sites[read->maker_site]);
    char *fills = iot_site_text(l->a, &l->g->all_sites[l->g->sites[read->reader]]);
    x->text =
        base_format("%s gives %s one empty place at a time, so that only one of the two works: "
                    "%zu places, one every %.1f steps",
                    asks, fills, n, (double)l->a->span / (double)n);
    x->advice =
        base_format("give %u empty places before the first one is needed, and a new one for "
                    "each that was filled",
                    window);
    x->condition = base_format("with %u places ahead", window);
    free(asks);
    free(fills);
}

static void propose_places(round_study *s, candidates *c)
{
    study_places(s);
    size_t n = s->reads.n;
    if (n < FEWEST_ROUNDS)
        return;
    double span = (double)s->l->g->span, two = price_window(s, 0, n, 2);
    double eight = price_window(s, 0, n, LARGEST_WINDOW);
    if (eight > (1 - near_enough) * span)
        return;
    uint32_t window = two <= eight + near_enough * span                        ? 2
                      : price_window(s, 0, n, 4) <= eight + near_enough * span ? 4
                                                                               : LARGEST_WINDOW;
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
