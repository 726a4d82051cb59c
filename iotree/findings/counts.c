// SPDX-License-Identifier: MIT
//
// Values that are found by counting a list, though the loop that made the list counted its items
// off from a number that was there when it began:
//
//     main :- expose(24, 71, Strips), length(Strips, N), profile(N, P), ...
//
// N comes when the list is complete; it is 24. The same holds of a list that was made item by item
// from another one. The price is the run in which those who read N wait for the number instead.
#include "base/table.h"
#include "iotree/findings/shapes.h"
#include "iotree/findings/test_reads.h"

#include "iotree/terms/values.h"

enum {
    SHORTEST_LIST = 4,
    MOST_LISTS = 8,      // made from each other item by item
    MOST_ARGUMENTS = 16, // of a goal that are looked at
    PROPOSED = 4,        // counts
};

// A chain that does nothing but count the cells of a list.
typedef struct {
    uint32_t chain;
    uint32_t list;     // its first cell
    int64_t n;         // cells
    uint32_t variable; // the number
    uint32_t known;    // the reduction that had the number; 0: nobody had
    bool has_source;   // then: `source` is the first cell of a list from which this
                       // one comes, item by item
    uint32_t source;
    uint32_t maker; // one of the chain that counted the items off
    bool used;      // the number is no mere count for that chain
    uint64_t gained;
    uint64_t readers;
    uint32_t reader; // one of them
} list_count;

typedef struct {
    const loops *l;
    base_map count_of; // by variable that is bound to a count: its number
    ARRAY_OF(list_count) counts;
} count_study;

// ---------------------------------------------------------------------------------------------
// Counts

// Does the clause take a list apart and not look at the item?
static bool drops_item(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind == TN_CONS)
            return c->patterns[c->pattern_children[n->first]].kind == TN_FRESH;
    }
    return false;
}

// The variable among the arguments of the chain's first goal that got the number n; TRACE_NONE.
static uint32_t counted_variable(const loops *l, uint32_t chain, int64_t n)
{
    const trace *t = l->t;
    uint32_t first = l->chains.at[chain].first, goal = trace_reduction_goal(t, first);
    uint32_t arity = trace_get_predicate(t, loops_predicate(l, first))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        trace_value v = trace_goal_arg(t, goal, i), end = iot_end_value(t, v);
        if (is_variable(t, v) && end.kind == TV_INT && end.i == n &&
            trace_cell_binding(t, v.id) != TRACE_NONE &&
            trace_binding_maker(t, trace_cell_binding(t, v.id)) > first)
            return v.id;
    }
    return TRACE_NONE;
}

static void look_at_chain(count_study *s, uint32_t chain)
{
    const loops *l = s->l;
    uint32_t first = l->chains.at[chain].first, list = l->taken[first];
    int64_t n = 0;
    if (l->chains.at[chain].n <= SHORTEST_LIST || list == IOT_NONE)
        return;
    for (uint32_t r = first; r && l->taken[r] != IOT_NONE; r = l->next[r], n++)
        if (!drops_item(l->t, trace_reduction_clause(l->t, r)))
            return;
    uint32_t variable = n + 1 == l->chains.at[chain].n ? counted_variable(l, chain, n) : TRACE_NONE;
    if (variable == TRACE_NONE)
        return;
    ARRAY_PUSH(s->counts, (list_count){.chain = chain, .list = list, .n = n, .variable = variable});
}

// ---------------------------------------------------------------------------------------------
// The number

// The number in argument i of the reduction's goal; false: there is none.
static bool number_in(const loops *l, uint32_t r, uint32_t i, int64_t *ret)
{
    if (i >= trace_get_predicate(l->t, loops_predicate(l, r))->arity)
        return false;
    trace_value v = iot_end_value(l->t, trace_goal_arg(l->t, trace_reduction_goal(l->t, r), i));
    *ret = v.i;
    return v.kind == TV_INT;
}

// The next cell of a list; IOT_NONE: none.
static uint32_t next_cell(const trace *t, uint32_t cell)
{
    trace_value v = iot_end_value(t, trace_cell_arg(t, cell, 1));
    return is_cell_kind(t, v, TC_CONS) ? v.id : IOT_NONE;
}

// Does the argument go up or down by one from each maker of a cell to the next?
static bool counts_cells(const loops *l, uint32_t cell, uint32_t argument)
{
    int64_t before = 0, now, step = 0;
    for (uint32_t n = 0; cell != IOT_NONE; cell = next_cell(l->t, cell), n++) {
        if (!number_in(l, trace_cell_maker(l->t, cell), argument, &now))
            return false;
        if ((n == 1 && now != before + 1 && now != before - 1) || (n > 1 && now != before + step))
            return false;
        step = n ? now - before : 0;
        before = now;
    }
    return true;
}

// The reduction that knew the number n, an argument of the goal; 0: none of the arguments is n.
static uint32_t knows(const loops *l, uint32_t r, int64_t n)
{
    const trace *t = l->t;
    uint32_t arity = trace_get_predicate(t, loops_predicate(l, r))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        int64_t value;
        if (!number_in(l, r, i, &value) || value != n)
            continue;
        uint32_t latest = l->g->parents[r];
        trace_value v = trace_goal_arg(t, trace_reduction_goal(t, r), i);
        while (is_variable(t, v)) {
            uint32_t binding = trace_cell_binding(t, v.id), maker = trace_binding_maker(t, binding);
            latest = maker > latest ? maker : latest;
            v = trace_binding_value(t, binding);
        }
        return latest;
    }
    return 0;
}

// The chain whose members made all cells of the list; IOT_NONE: not one alone.
static uint32_t maker_chain(const loops *l, uint32_t cell)
{
    uint32_t chain = l->chain_of[trace_cell_maker(l->t, cell)];
    for (; cell != IOT_NONE && chain != IOT_NONE; cell = next_cell(l->t, cell))
        if (l->chain_of[trace_cell_maker(l->t, cell)] != chain)
            chain = IOT_NONE;
    return chain;
}

static bool counts_off(const loops *l, const list_count *x, uint32_t list)
{
    uint32_t maker = trace_cell_maker(l->t, list);
    uint32_t arity = trace_get_predicate(l->t, loops_predicate(l, maker))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++)
        if (counts_cells(l, list, i))
            return knows(l, l->chains.at[x->maker].first, x->n) != 0;
    return false;
}

// The list from whose cells the chain made its own, one from each; IOT_NONE: none. A chain may take each cell
// from another list, as a sieve does.
static uint32_t source_list(const loops *l, const list_count *x)
{
    uint32_t first = IOT_NONE, last = IOT_NONE;
    int64_t n = 0;
    for (uint32_t r = l->chains.at[x->maker].first; r; r = l->next[r]) {
        uint32_t cell = l->taken[r];
        if (cell == IOT_NONE)
            continue;
        if (last != IOT_NONE && next_cell(l->t, last) != cell)
            return IOT_NONE;
        first = first == IOT_NONE ? cell : first;
        last = cell;
        n++;
    }
    return n == x->n && next_cell(l->t, last) == IOT_NONE ? first : IOT_NONE;
}

// Was the number of cells known before, or can it be counted in an earlier list?
static void find_number(const loops *l, list_count *x)
{
    uint32_t list = x->list, chain;
    for (int i = 0; i < MOST_LISTS; i++) {
        chain = maker_chain(l, list);
        if (chain == IOT_NONE)
            break;
        x->maker = chain;
        if (counts_off(l, x, list)) {
            x->known = knows(l, l->chains.at[chain].first, x->n);
            return;
        }
        uint32_t source = source_list(l, x);
        if (source == IOT_NONE)
            break;
        list = source;
    }
    x->source = list;
    x->has_source = list != x->list;
}

// ---------------------------------------------------------------------------------------------
// Who reads it

// Does an argument of the chain's goals count from n down to the list's end?
static bool counts_down(const loops *l, uint32_t chain, int64_t n)
{
    uint32_t first = l->chains.at[chain].first;
    uint32_t arity = trace_get_predicate(l->t, loops_predicate(l, first))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        int64_t left = n, now;
        bool is = number_in(l, first, i, &now) && now == n;
        for (uint32_t r = first; is && r; r = l->next[r])
            if (l->taken[r] != IOT_NONE)
                is = number_in(l, r, i, &now) && now == left--;
        if (is && left == 0)
            return true;
    }
    return false;
}

// Is it the first goal of a chain that takes the list, and counts its items off again, or the
// counter that this goal makes? Then the end of the list says the same as the number.
static bool reads_to_count(const count_study *s, list_count *x, uint32_t r)
{
    const loops *l = s->l;
    uint32_t first = l->chain_of[r] == IOT_NONE ? l->g->parents[r] : r;
    uint32_t chain = l->chain_of[first], item = loops_item(l, r);
    if (chain == IOT_NONE || l->chains.at[chain].first != first || l->taken[first] != x->list)
        return false;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, first));
    if (first != r && (item == TRACE_NONE || !iot_is_counter(l->t, c, item)))
        return false;
    return counts_down(l, chain, x->n);
}

static void gather_reader(count_study *s, uint32_t r)
{
    const loops *l = s->l;
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, r, &reads);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t number = map_get(&s->count_of, reads[i]);
        if (number == MAP_ABSENT || l->chain_of[r] == s->counts.at[number].chain)
            continue;
        list_count *x = &s->counts.at[number];
        if (!x->known && !x->has_source && !reads_to_count(s, x, r)) {
            x->used = true;
            continue;
        }
        int64_t gain = trace_time(l->t, r) - trace_time(l->t, x->known);
        x->gained += gain > 0 ? (uint64_t)gain : 0;
        x->reader = x->readers++ ? x->reader : r;
    }
}

static void draft_reader(const count_study *s, const list_count *x, uint32_t r, change_draft *d)
{
    const loops *l = s->l;
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, r, &reads);
    uint64_t next = l->g->first[r], first;
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(l->t, l->g, r, reads[i], &next, &first) || reads[i] != x->variable)
            continue;
        for (uint64_t w = first; w < next; w++)
            draft_wait(d, w, IOT_NONE);
        if (x->known)
            draft_add(d, r, x->known);
    }
}

// The chain counts the list from which the other one comes.
static void draft_source(const loops *l, const list_count *x, change_draft *d)
{
    uint32_t cell = x->source;
    for (uint32_t r = l->chains.at[x->chain].first; r; r = l->next[r]) {
        uint32_t before = l->g->parents[r];
        for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1]; w++)
            if (l->g->parents[l->g->makers[w]] != before)
                draft_wait(d, w, IOT_NONE);
        if (cell == IOT_NONE)
            continue;
        draft_add(d, r, trace_cell_maker(l->t, cell));
        cell = next_cell(l->t, cell);
    }
}

static void draft_count(const count_study *s, const list_count *x, change_draft *d)
{
    const loops *l = s->l;
    if (x->has_source)
        draft_source(l, x, d);
    for (uint32_t r = x->known + 1; !x->has_source && r < l->g->n; r++)
        if (l->chain_of[r] != x->chain)
            draft_reader(s, x, r, d);
}

static char *site_text(const loops *l, uint32_t reduction)
{
    return iot_site_text(l->a, &l->g->all_sites[l->g->sites[reduction]]);
}

// What makes the wait for the number needless, and the edit.
static void set_reason(const loops *l, const list_count *x, candidate *y, const char *counter,
                       base_text *text)
{
    char *reader = site_text(l, x->reader);
    if (x->known) {
        char *maker = site_text(l, l->chains.at[x->maker].first);
        text_add_format(text, "%s had the number %lld when it began", maker, (long long)x->n);
        y->advice = base_format("hand the number that %s gets to %s, too, instead of counting the "
                                "list",
                                maker, reader);
        free(maker);
    } else if (x->has_source) {
        char *maker = site_text(l, l->chains.at[x->maker].first);
        text_add_format(text, "%s makes each of them from one item of a list that is there before",
                        maker);
        y->advice =
            base_format("let %s count the list that %s takes: it is as long", counter, maker);
        free(maker);
    } else {
        char *name = iot_predicate_text(l->t, loops_predicate(l, x->reader));
        text_add_format(text,
                        "%s takes the same list and needs the number only to know where it "
                        "ends",
                        name);
        y->advice =
            base_format("let %s go on until the list ends, and take the number away", reader);
        free(name);
    }
    free(reader);
}

// The goal of the program that counts: of one in the library the one that the program calls.
static uint32_t counting_goal(const loops *l, uint32_t r)
{
    while (l->g->parents[r] &&
           trace_get_predicate(l->t, loops_predicate(l, r))->origin != TRACE_PROGRAM &&
           trace_get_predicate(l->t, loops_predicate(l, l->g->parents[r]))->origin != TRACE_PROGRAM)
        r = l->g->parents[r];
    return r;
}

static void set_texts(const count_study *s, const list_count *x, candidate *y)
{
    const loops *l = s->l;
    uint32_t counter = counting_goal(l, l->chains.at[x->chain].first);
    char *where = iot_site_text(l->a, &(wait_site){.predicate = y->place.predicate,
                                                   .source = y->place.source,
                                                   .line = y->place.line});
    char *reader = site_text(l, x->reader);
    char *counts = iot_predicate_text(l->t, loops_predicate(l, counter));
    uint32_t name = trace_cell_name(l->t, x->variable);
    base_text text = {0};
    text_add_format(&text,
                    "%s counts a list with %s, so %s gets %s only when all %lld items are "
                    "there, though ",
                    where, counts, reader,
                    name == TRACE_NONE ? "the number" : trace_name(l->t, name), (long long)x->n);
    set_reason(l, x, y, where, &text);
    y->text = text_finish(&text);
    y->condition = base_copy(x->known        ? "with that number"
                             : x->has_source ? "counting that list"
                                             : "without that wait");
    free(where);
    free(reader);
    free(counts);
}

static void say_count(const count_study *s, const list_count *x, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    draft_count(s, x, &d);
    uint32_t counter = l->chains.at[x->chain].first;
    uint32_t caller = iot_clause_near(l, l->g->parents[counter]);
    candidate *y = candidate_at(l->a, c, FINDING_LATE_OUTPUT,
                                caller == IOT_NONE ? trace_reduction_clause(l->t, counter) : caller,
                                x->reader);
    y->estimate = true;
    y->change = draft_finish(&d);
    candidate_also(y, iot_clause_location(l->a, trace_reduction_clause(l->t, x->reader)));
    if (x->known || x->has_source)
        candidate_also(y, iot_clause_location(
                              l->a, trace_reduction_clause(l->t, l->chains.at[x->maker].first)));
    set_texts(s, x, y);
}

static void study_counts(count_study *s)
{
    const loops *l = s->l;
    for (uint32_t i = 0; i < l->chains.n; i++)
        look_at_chain(s, i);
    for (size_t i = 0; i < s->counts.n; i++) {
        find_number(l, &s->counts.at[i]);
        map_set(&s->count_of, s->counts.at[i].variable, i);
    }
    for (uint32_t r = 1; r < l->g->n && s->counts.n > 0; r++)
        gather_reader(s, r);
}

void iot_find_counts(const loops *l, candidates *c)
{
    count_study s = {.l = l};
    study_counts(&s);
    uint64_t *gained = base_allocate(s.counts.n, sizeof *gained);
    uint32_t best[PROPOSED];
    for (size_t i = 0; i < s.counts.n; i++)
        gained[i] = s.counts.at[i].readers && !s.counts.at[i].used ? s.counts.at[i].gained : 0;
    uint32_t n = iot_most_gained(l->a, gained, s.counts.n, PROPOSED, best);
    for (uint32_t i = 0; i < n; i++)
        say_count(&s, &s.counts.at[best[i]], c);
    free(gained);
    map_free(&s.count_of);
    free(s.counts.at);
}
