// SPDX-License-Identifier: MIT
//
// Head of line: loops that take values in the order of a list, though others are there before. The
// price is the run in which they take them in the order in which they come.
#include "base/table.h"
#include "iotree/findings/clauses.h"
#include "iotree/findings/combine.h"
#include "iotree/findings/rounds.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    PARTS_LATE = 4,       // steps after an item that its parts may come
    FEWEST_BLOCKED = 3,   // values behind one that is late
    MOST_PATTERNS = 1024, // nodes of a head and guards that are compared with each other
    MOST_COPIES = 64,     // times that a list is copied
    MOST_COPIERS = 8,     // loops that copy it, and are named
    MOST_LOOPS = 12,
    MOST_STAGES = 4, // loops that hand a list on to each other
    FEWEST_ITEMS = 4,
};

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

bool iot_order_matters(const trace *t, const trace_clause *c)
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

typedef struct {
    size_t blocked;  // values that were there while the reader waited for an earlier one
    int64_t longest; // wait of a reader for its value, while others were there
    const chain_read *for_which;
} line_figures;

static void count_blocked(const round_study *s, size_t first, size_t end, line_figures *f)
{
    const trace *t = s->l->t;
    int64_t latest = 0, earliest = INT64_MAX;
    for (size_t i = first; i < end; i++) {
        int64_t came = trace_time(t, s->reads.at[i].maker);
        f->blocked += came < latest;
        latest = came > latest ? came : latest;
    }
    for (size_t i = end; i-- > first;) {
        const chain_read *read = &s->reads.at[i];
        int64_t came = trace_time(t, read->maker),
                waited = came - reduction_created(t, read->reader);
        if (earliest < came && waited > f->longest) {
            f->longest = waited;
            f->for_which = read;
        }
        earliest = came < earliest ? came : earliest;
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
        bool member = iot_loop_makes(s, r) && !s->side[r];
        if (!member && !s->side[r])
            continue;
        const chain_read *turn = turn_of(s, first, end, member ? r : g->parents[s->side[r]]);
        if (!turn || turn < &s->reads.at[first] || turn->reader == r)
            continue;
        int64_t there = trace_time(s->l->t, turn->maker) + PARTS_LATE;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (!iot_loop_makes(s, g->makers[i]) && trace_time(s->l->t, g->makers[i]) <= there)
                draft_wait(d, i, IOT_NONE);
    }
}

enum { ACTS = 1, HANDS_ON = 2 };

// Bits of what a loop does with its items: its goals print or read, more than once at its end; its steps
// hand on a list.
static int uses_of(const loops *l, uint32_t loop)
{
    uint32_t *side = iot_side_goals(l, loop), members = 0, lists = 0, acts = 0, chains = 0;
    for (size_t i = 0; i < l->chains.n; i++)
        chains += l->chains.at[i].loop == loop;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        acts += side[r] && predicate_acts(l->t, loops_predicate(l, r));
        if (chain == IOT_NONE || l->chains.at[chain].loop != loop || l->taken[r] == IOT_NONE)
            continue;
        members++;
        lists += iot_makes_list(l->t, r);
    }
    free(side);
    return (acts > chains ? ACTS : 0) | (2 * lists > members ? HANDS_ON : 0);
}

// A loop that takes most of what this one hands on; IOT_NONE: none does.
static uint32_t loop_behind(const loops *l, uint32_t loop)
{
    uint32_t behind = IOT_NONE, sure = 0;
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (l->taken[r] == IOT_NONE)
            continue;
        uint32_t from = l->chain_of[trace_cell_maker(l->t, l->taken[r])];
        uint32_t to = l->chains.at[l->chain_of[r]].loop;
        if (from == IOT_NONE || l->chains.at[from].loop != loop || to == loop)
            continue;
        behind = sure ? behind : to;
        sure += behind == to ? 1 : (uint32_t)-1;
    }
    return sure ? behind : IOT_NONE;
}

bool iot_order_is_seen(const round_study *s)
{
    uint32_t loop = s->loop;
    for (int i = 0; i < MOST_STAGES && loop != IOT_NONE; i++) {
        int uses = uses_of(s->l, loop);
        if (!(uses & HANDS_ON) || (uses & ACTS))
            return uses & ACTS;
        loop = loop_behind(s->l, loop);
    }
    return true;
}

// Does the loop take the values from a list?
static bool takes_items(const round_study *s, size_t first, size_t end)
{
    const loops *l = s->l;
    size_t taken = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t r = s->reads.at[i].reader, before = l->g->parents[r];
        taken += l->taken[r] != IOT_NONE ||
                 (l->chain_of[before] == l->chain_of[r] && l->taken[before] != IOT_NONE);
    }
    return 2 * taken >= end - first;
}

// The reads of values that are read once: what a loop reads at every step is no item.
static round_study items_of(const round_study *s, size_t first, size_t end)
{
    round_study items = *s;
    base_map counts = {0}; // by variable
    memset(&items.reads, 0, sizeof items.reads);
    for (size_t i = first; i < end; i++) {
        uint64_t *n = map_at(&counts, s->reads.at[i].variable);
        *n = *n == MAP_ABSENT ? 1 : *n + 1;
    }
    for (size_t i = first; i < end; i++)
        if (map_get(&counts, s->reads.at[i].variable) == 1)
            ARRAY_PUSH(items.reads, s->reads.at[i]);
    map_free(&counts);
    return items;
}

static void propose_order(const round_study *s, size_t first, size_t end, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    line_figures f = {0};
    if (iot_order_matters(l->t, trace_get_clause(l->t, s->reads.at[first].clause)) ||
        !takes_items(s, first, end))
        return;
    each_chain(s, first, end, &d, &f);
    if (!f.for_which || f.blocked < FEWEST_BLOCKED) {
        draft_free(&d);
        return;
    }
    const chain_read *read = f.for_which;
    draft_parts(s, first, end, &d);
    candidate *x = candidate_at(l->a, c, FINDING_HEAD_OF_LINE, read->clause, read->reader);
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

void iot_propose_order(const round_study *s, size_t first, size_t end, candidates *c)
{
    round_study items = items_of(s, first, end);
    if (items.reads.n > 0)
        propose_order(&items, 0, items.reads.n, c);
    free(items.reads.at);
}

// ---------------------------------------------------------------------------------------------
// Streams one behind the other

typedef struct {
    const loops *l;
    uint8_t *copies; // by clause: COPIES or DOES_NOT; 0: not known yet
    round_study s;
    uint32_t appended; // the chain that copied most of what the reader takes; IOT_NONE: none
    bool several;      // lists that the items come from
    struct {
        uint32_t chain, items;
    } copiers[MOST_COPIERS]; // chains that did; the first ones
    uint32_t ncopiers;
} stream_study;

enum { COPIES = 1, DOES_NOT };

// A clause that takes an item and hands it on in a list, whatever it is: `p([X|Xs], ...) :-
// Y = [X|Y1], ...`. One that compares items may put them in order.
static bool passes_items(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    uint32_t lists = 0, passed = 0;
    for (uint32_t i = 0; i < c->nhead; i++)
        lists += c->patterns[c->head[i]].kind == TN_CONS;
    for (uint32_t i = 0; i < 2 * c->nitems; i++) {
        const trace_item *item = &c->items[i / 2];
        if (item->kind != TI_UNIFY)
            continue;
        const trace_node *n = &c->nodes[c->children[item->first + i % 2]];
        passed += n->kind == TN_CONS && c->nodes[c->children[n->first]].kind == TN_HOLE &&
                  c->nodes[c->children[n->first + 1]].kind == TN_FRESH;
    }
    for (uint32_t i = 0; i < c->nguards; i++)
        if (!iot_is_type_test(trace_string(t, c->guards[i].name, NULL)))
            return false;
    return lists == 1 && passed > 0;
}

static bool same_item(const trace *t, uint32_t x, uint32_t y)
{
    trace_value a = iot_end_value(t, trace_cell_arg(t, x, 0));
    trace_value b = iot_end_value(t, trace_cell_arg(t, y, 0));
    return is_same_value(a, b);
}

static bool is_copied(stream_study *x, uint32_t cell)
{
    const loops *l = x->l;
    uint32_t maker = trace_cell_maker(l->t, cell);
    if (!maker || l->chain_of[maker] == IOT_NONE || l->taken[maker] == IOT_NONE)
        return false;
    uint32_t clause = trace_reduction_clause(l->t, maker);
    if (!x->copies[clause])
        x->copies[clause] = passes_items(l->t, clause) ? COPIES : DOES_NOT;
    return x->copies[clause] == COPIES && same_item(l->t, cell, l->taken[maker]);
}

static void note_copier(stream_study *x, uint32_t chain)
{
    uint32_t i = 0;
    while (i < x->ncopiers && x->copiers[i].chain != chain)
        i++;
    if (i == MOST_COPIERS)
        return;
    x->ncopiers += i == x->ncopiers;
    x->copiers[i].chain = chain;
    x->copiers[i].items++;
}

// The cell that this one is a copy of, maybe of a copy.
static uint32_t original_of(stream_study *x, uint32_t cell)
{
    const loops *l = x->l;
    for (int i = 0; i < MOST_COPIES && is_copied(x, cell); i++) {
        note_copier(x, l->chain_of[trace_cell_maker(l->t, cell)]);
        cell = l->taken[trace_cell_maker(l->t, cell)];
    }
    return cell;
}

static bool is_of_one_list(const loops *l, uint32_t maker, uint32_t other)
{
    uint32_t chain = l->chain_of[maker];
    return maker == other || (chain != IOT_NONE && chain == l->chain_of[other]);
}

// Makes the reads those by which a chain takes its items, each of the reduction that made the
// item's cell first.
static void study_items(stream_study *x, uint32_t chain)
{
    const loops *l = x->l;
    x->s.reads.n = 0;
    x->appended = IOT_NONE;
    x->several = false;
    x->ncopiers = 0;
    memset(x->copiers, 0, sizeof x->copiers);
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r]) {
        if (l->taken[r] == IOT_NONE)
            continue;
        uint32_t maker = trace_cell_maker(l->t, original_of(x, l->taken[r]));
        x->several |= x->s.reads.n > 0 && !is_of_one_list(l, maker, x->s.reads.at[0].maker);
        ARRAY_PUSH(x->s.reads, (chain_read){.chain = chain,
                                            .position = l->position[r],
                                            .predicate = loops_predicate(l, r),
                                            .clause = trace_reduction_clause(l->t, r),
                                            .reader = r,
                                            .maker = maker,
                                            .maker_site = l->g->sites[maker]});
    }
    for (uint32_t i = 0, most = 0; i < x->ncopiers; i++)
        if (x->copiers[i].items > most) {
            most = x->copiers[i].items;
            x->appended = x->copiers[i].chain;
        }
}

// Where a chain takes items from streams: of one that appends, the clause that calls it.
static uint32_t clause_of_copier(const loops *l, uint32_t chain)
{
    uint32_t first = l->chains.at[chain].first;
    bool appends = iot_only_copies(l->t, loops_predicate(l, first));
    return iot_clause_near(l, appends ? l->g->parents[first] : first);
}

// Does the clause that appends a list get it from a goal of its own loop, as quicksort does? Then
// the order is what the loop is for.
static bool appends_its_own(const loops *l, uint32_t first)
{
    const trace *t = l->t;
    uint32_t parent = l->g->parents[first], item = loops_item(l, first);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, parent));
    if (!parent || item == TRACE_NONE || item >= c->nitems || c->items[item].n == 0)
        return true;
    const trace_node *list = &c->nodes[c->children[c->items[item].first]];
    if (list->kind != TN_FRESH)
        return false;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *other = &c->items[i];
        bool own = other->kind == TI_GOAL && l->loop_of[c->predicate] != IOT_NONE &&
                   l->loop_of[other->predicate] == l->loop_of[c->predicate];
        for (uint32_t k = 0; own && k < other->n; k++) {
            const trace_node *node = &c->nodes[c->children[other->first + k]];
            if (node->kind == TN_FRESH && node->index == list->index)
                return true;
        }
    }
    return false;
}

static void draft_streams(const round_study *s, change_draft *d)
{
    const loops *l = s->l;
    const chain_read **order = base_allocate(s->reads.n, sizeof *order);
    for (size_t i = 0; i < s->reads.n; i++)
        order[i] = &s->reads.at[i];
    qsort(order, s->reads.n, sizeof *order, by_arrival);
    for (size_t i = 0; i < s->reads.n; i++) {
        uint32_t r = s->reads.at[i].reader;
        for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1]; w++) {
            uint32_t variable = iot_variable_of_wait(l, r, w);
            if (variable == TRACE_NONE || iot_is_list(l->t, variable))
                draft_wait(d, w, IOT_NONE);
        }
        draft_add(d, r, order[i]->maker);
    }
    free(order);
}

// Leaves out what a step waits for but the item that it takes, and the step before.
static void draft_alone(const loops *l, uint32_t r, change_draft *d)
{
    uint32_t own = trace_cell_maker(l->t, l->taken[r]);
    for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1]; w++) {
        uint32_t variable = iot_variable_of_wait(l, r, w);
        if (l->g->makers[w] != own && (variable == TRACE_NONE || iot_is_list(l->t, variable)))
            draft_wait(d, w, IOT_NONE);
    }
    draft_reduction(d, r, l->g->parents[l->chains.at[l->chain_of[r]].first], -1);
}

// Each item goes its way alone: of a loop that does for one item nothing that takes long, and whose
// answers the senders may wait for.
static void draft_unordered(stream_study *x, change_draft *d)
{
    const loops *l = x->l;
    for (size_t i = 0; i < x->s.reads.n; i++) {
        uint32_t r = x->s.reads.at[i].reader;
        for (int k = 0; k < MOST_COPIES && is_copied(x, l->taken[r]); k++) {
            draft_alone(l, r, d);
            r = trace_cell_maker(l->t, l->taken[r]);
        }
        draft_alone(l, r, d);
    }
}

// Do the loop's goals need what its goals for an earlier item have made?
static bool has_state(const round_study *s)
{
    const wait_graph *g = s->l->g;
    size_t needed = 0;
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t w = g->first[r]; iot_loop_makes(s, r) && w < g->first[r + 1]; w++) {
            uint32_t other = s->side[g->makers[w]];
            needed += other && g->parents[other] != (s->side[r] ? g->parents[s->side[r]] : 0);
        }
    return 2 * needed > s->reads.n;
}

static void say_streams(stream_study *x, const line_figures *f, candidates *c)
{
    const loops *l = x->l;
    const round_study *s = &x->s;
    const chain_read *read = f->for_which;
    uint32_t first = l->chains.at[x->appended].first;
    bool appends = iot_only_copies(l->t, loops_predicate(l, first));
    uint32_t caller = clause_of_copier(l, x->appended);
    change_draft d = {0};
    if (has_state(s)) {
        draft_streams(s, &d);
        draft_parts(s, 0, s->reads.n, &d);
    } else {
        draft_unordered(x, &d);
    }
    candidate *y = candidate_at(l->a, c, FINDING_HEAD_OF_LINE,
                                caller == IOT_NONE ? read->clause : caller, read->reader);
    y->change = draft_finish(&d);
    y->estimate = true;
    candidate_also(y, iot_clause_location(l->a, read->clause));
    for (uint32_t i = 0, clause; i < x->ncopiers; i++)
        if ((clause = clause_of_copier(l, x->copiers[i].chain)) != IOT_NONE)
            candidate_also(y, iot_clause_location(l->a, clause));
    char *where = iot_site_text(l->a, &(wait_site){.predicate = y->place.predicate,
                                                   .source = y->place.source,
                                                   .line = y->place.line});
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[read->reader]]);
    y->text = base_format("%s %s, so %s waits up to %lld steps for an item while others are there: "
                          "%zu of %zu come before an item that it takes earlier",
                          where,
                          appends ? "appends streams one behind the other"
                                  : "takes the items of its streams in a fixed order",
                          reader, (long long)f->longest, f->blocked, s->reads.n);
    y->advice = base_format("merge the streams in %s instead of %s", where,
                            appends ? "appending them" : "taking from them in turn");
    y->condition = base_copy("in the order of arrival");
    free(where);
    free(reader);
}

// Do the loops in between only put the items of one list into another order? That order is what
// they are for. (Who appends has several streams.)
static bool orders_one_list(const stream_study *x)
{
    const loops *l = x->l;
    return !x->several &&
           !iot_only_copies(l->t, loops_predicate(l, l->chains.at[x->appended].first));
}

static void propose_streams(stream_study *x, candidates *c)
{
    const loops *l = x->l;
    line_figures f = {0};
    study_items(x, l->biggest[x->s.loop]);
    if (x->s.reads.n < FEWEST_ITEMS || x->appended == IOT_NONE ||
        appends_its_own(l, l->chains.at[x->appended].first) || orders_one_list(x) ||
        iot_order_is_seen(&x->s))
        return;
    count_blocked(&x->s, 0, x->s.reads.n, &f);
    const trace_clause *reader = trace_get_clause(l->t, x->s.reads.at[0].clause);
    if (f.for_which && f.blocked >= FEWEST_BLOCKED && !iot_order_matters(l->t, reader))
        say_streams(x, &f, c);
}

void iot_find_head_of_line(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    stream_study x = {.l = l, .copies = base_allocate(trace_nclauses(l->t), 1)};
    for (uint32_t i = 0; i < n; i++) {
        x.s = (round_study){.l = l, .loop = looked[i], .side = iot_side_goals(l, looked[i])};
        propose_streams(&x, c);
        free(x.s.side);
        free(x.s.reads.at);
    }
    free(x.copies);
}
