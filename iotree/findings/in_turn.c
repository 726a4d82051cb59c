// SPDX-License-Identifier: MIT
//
// Values that are waited for in turn, each by a clause that the one before calls:
//
//     ask(Q, Out) :- Q = [name(N)|Q1], named(N, Q1, Out).
//     named(known(N), Q, Out) :- Q = [age(A)|Q1], aged(A, N, Q1, Out).
//     aged(known(A), N, Q, Out) :- Q = [], out(N, A, Out).
//
// Each wait is an early read of its own, but to spare one of them brings only its share. So what such
// clauses do in a row has a further candidate: all of them together.
#include "iotree/findings/findings.h"

enum {
    MOST_IN_ROW = 8,
    MOST_READS = 64
};

typedef struct {
    uint32_t of[MOST_READS]; // candidates
    uint32_t n;
} early_read_list;

typedef struct {
    uint32_t of[MOST_IN_ROW]; // candidates, in the order in which they call each other
    uint32_t n;
} wait_row;

static bool is_early_read(const candidate *x)
{
    return x->kind == FINDING_EARLY_READ && !x->has_span && x->clause != IOT_NONE;
}

static bool calls(const trace *t, uint32_t clause, uint32_t predicate)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t i = 0; i < c->nitems && c->predicate != predicate; i++)
        if (c->items[i].kind == TI_GOAL && c->items[i].predicate == predicate)
            return true;
    return false;
}

static bool is_in_row(const candidates *c, const wait_row *row, const candidate *x)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (c->list.at[row->of[i]].place.predicate == x->place.predicate)
            return true;
    return false;
}

static early_read_list early_reads_of(const candidates *c)
{
    early_read_list all = {0};
    for (size_t i = 0; i < c->list.n && all.n < MOST_READS; i++)
        if (is_early_read(&c->list.at[i]))
            all.of[all.n++] = (uint32_t)i;
    return all;
}

// The early read by a predicate that the clause of this one calls; IOT_NONE: none, or it is in the row,
// or less sure.
static uint32_t next_of(const trace *t, const candidates *c, const early_read_list *reads,
                        const wait_row *row)
{
    uint32_t clause = c->list.at[row->of[row->n - 1]].clause;
    for (uint32_t i = 0; i < reads->n; i++) {
        const candidate *x = &c->list.at[reads->of[i]];
        if (calls(t, clause, x->place.predicate) && x->doubt <= c->list.at[row->of[0]].doubt)
            return is_in_row(c, row, x) ? IOT_NONE : reads->of[i];
    }
    return IOT_NONE;
}

static bool is_called(const trace *t, const candidates *c, const early_read_list *reads, uint32_t read)
{
    for (uint32_t i = 0; i < reads->n; i++)
        if (calls(t, c->list.at[reads->of[i]].clause, c->list.at[read].place.predicate))
            return true;
    return false;
}

static wait_change change_of_row(const wait_graph *g, const candidates *c, const wait_row *row)
{
    const wait_change nothing = {0};
    wait_change all = change_of_both(g, &c->list.at[row->of[0]].change, &nothing);
    for (uint32_t i = 1; i < row->n; i++) {
        wait_change more = change_of_both(g, &all, &c->list.at[row->of[i]].change);
        iot_free_change(&all);
        all = more;
    }
    return all;
}

// "aged/4 (ask.fl:3) and dated/5 (ask.fl:4)": all but the first one. malloc'ed.
static char *others_text(const iot *a, const candidates *c, const wait_row *row)
{
    base_text text = {0};
    for (uint32_t i = 1; i < row->n; i++) {
        const iot_location *place = &c->list.at[row->of[i]].place;
        char *name = iot_predicate_text(a->t, place->predicate);
        char *where = iot_place_text(a->t, place->source, place->line);
        text_add_format(&text, "%s%s%s", i == 1 ? "" : i + 1 == row->n ? " and " : ", ", name, where);
        free(name);
        free(where);
    }
    return text_finish(&text);
}

static char *advice_of_row(const candidates *c, const wait_row *row)
{
    base_text text = {0};
    for (uint32_t i = 0; i < row->n; i++)
        text_add_format(&text, "%s%s", i ? "; " : "", c->list.at[row->of[i]].advice);
    return text_finish(&text);
}

static void add_row(const iot *a, const wait_graph *g, candidates *c, const wait_row *row)
{
    wait_change change = change_of_row(g, c, row);
    char *others = others_text(a, c, row);
    candidate *y = candidate_add(c, FINDING_EARLY_READ);
    const candidate *first = &c->list.at[row->of[0]];
    y->place = first->place;
    y->clause = first->clause;
    y->reduction = first->reduction;
    y->estimate = true;
    y->change = change;
    y->doubt = first->doubt;
    y->waiting_loop = first->waiting_loop;
    y->mean_wait = first->mean_wait;
    for (uint32_t i = 0; i < row->n; i++) {
        const candidate *part = &c->list.at[row->of[i]];
        candidate_also(y, part->place);
        for (size_t k = 0; k < part->also.n; k++)
            candidate_also(y, part->also.at[k]);
    }
    y->text = base_format("%s; %s wait%s after it in the same way, each for a value of its own",
                          first->text, others, row->n == 2 ? "s" : "");
    y->advice = advice_of_row(c, row);
    y->condition = base_copy("with all these waits at once");
    free(others);
}

void iot_find_in_turn(const iot *a, const wait_graph *g, candidates *c)
{
    early_read_list reads = early_reads_of(c);
    for (uint32_t i = 0; i < reads.n; i++) {
        wait_row row = {{reads.of[i]}, 1};
        if (is_called(a->t, c, &reads, reads.of[i]))
            continue;
        for (uint32_t next; row.n < MOST_IN_ROW && (next = next_of(a->t, c, &reads, &row)) != IOT_NONE;)
            row.of[row.n++] = next;
        if (row.n > 1)
            add_row(a, g, c, &row);
    }
}
