// SPDX-License-Identifier: MIT
//
// Activities that send say to whom and how much; edges of messages say who waited for whom. Both are looked
// for once, in all of the run.
#include "paf/model/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t time;
    uint32_t from, to; // ranks, as numbered below
    int64_t bytes;
} sent;

// The last message that a wait was for.
typedef struct {
    uint32_t reduction, from, to;
    int64_t sent;
} awaited;

struct paf_message_log {
    uint32_t nranks;
    int64_t *numbers;  // by rank
    uint32_t *rank_of; // by place, or IOT_NONE
    GArray *sent;
    GArray *awaited;
};

// ---------------------------------------------------------------------------------------------
// Looking

static int by_number(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static uint32_t rank_numbered(const struct paf_message_log *log, int64_t number)
{
    const int64_t *found = log->nranks == 0 ? NULL
                                            : bsearch(&number, log->numbers, log->nranks,
                                                      sizeof *log->numbers, by_number);
    return found ? (uint32_t)(found - log->numbers) : IOT_NONE;
}

// "rank 12 thread 3" is of rank 12; -1: of none.
static int64_t number_of_place(const trace *t, uint32_t place)
{
    const char *name = trace_place_name(t, place);
    int number;
    return name && sscanf(name, "rank %d", &number) == 1 && number >= 0 ? number : -1;
}

static void find_ranks(struct paf_message_log *log, const paf_timeline *l)
{
    log->numbers = g_new(int64_t, l->nplaces + 1);
    log->rank_of = g_new(uint32_t, l->nplaces + 1);
    for (uint32_t p = 0; p < l->nplaces; p++)
        log->numbers[p] = number_of_place(l->t, p);
    qsort(log->numbers, l->nplaces, sizeof *log->numbers, by_number);
    for (uint32_t p = 0; p < l->nplaces; p++)
        if (log->numbers[p] >= 0 && (log->nranks == 0 || log->numbers[p] != log->numbers[log->nranks - 1]))
            log->numbers[log->nranks++] = log->numbers[p];
    for (uint32_t p = 0; p < l->nplaces; p++)
        log->rank_of[p] = rank_numbered(log, number_of_place(l->t, p));
}

// Arguments to(R), tag(T), bytes(B) of each message, one after the other.
static void find_sent(struct paf_message_log *log, const paf_timeline *l, uint32_t r)
{
    uint32_t goal = trace_reduction_goal(l->t, r);
    uint32_t arity = trace_get_predicate(l->t, trace_goal_predicate(l->t, goal))->arity;
    uint32_t from = log->rank_of[trace_place(l->t, r)], string;
    if (arity < 3 || from == IOT_NONE || (l->chunk_of && l->chunk_of[r] != IOT_NONE))
        return;
    trace_value *args = g_new(trace_value, arity), v;
    int64_t to = -1;
    trace_goal_args(l->t, goal, args);
    for (uint32_t i = 0; i < arity; i++) {
        if (args[i].kind != TV_CELL || !trace_cell_pair(l->t, args[i].id, &string, &v) || v.kind != TV_INT)
            continue;
        trace_key key = trace_string_key(l->t, string);
        if (key == TRACE_KEY_TO)
            to = v.i;
        if (key != TRACE_KEY_BYTES || to < 0)
            continue;
        sent message = {paf_timeline_end(l, r), from, rank_numbered(log, to), MAX(v.i, 0)};
        to = -1;
        if (message.to != IOT_NONE)
            g_array_append_val(log->sent, message);
    }
    g_free(args);
}

// The ranks that one activity received something of.
typedef struct {
    uint32_t reduction; // 0: none yet
    GArray *ranks;      // of int64_t
} sources;

static void find_sources(sources *s, const paf_timeline *l, uint32_t r)
{
    uint32_t goal = trace_reduction_goal(l->t, r), string;
    uint32_t arity = trace_get_predicate(l->t, trace_goal_predicate(l->t, goal))->arity;
    trace_value *args = g_new(trace_value, arity + 1), v;
    s->reduction = r;
    g_array_set_size(s->ranks, 0);
    trace_goal_args(l->t, goal, args);
    for (uint32_t i = 0; i < arity; i++)
        if (args[i].kind == TV_CELL && trace_cell_pair(l->t, args[i].id, &string, &v) && v.kind == TV_INT &&
            trace_string_key(l->t, string) == TRACE_KEY_FROM)
            g_array_append_val(s->ranks, v.i);
    g_free(args);
}

static bool has_source(const sources *s, int64_t rank)
{
    for (guint i = 0; i < s->ranks->len; i++)
        if (g_array_index(s->ranks, int64_t, i) == rank)
            return true;
    return false;
}

// Of the edges that end in one activity the last message to be sent is what was waited for. They follow each
// other in order. An edge alone does not tell that a message came: what a sender waits for, a receive that is
// posted, may be the same result as a message to another rank.
static void find_awaited(struct paf_message_log *log, const paf_timeline *l)
{
    sources received = {.ranks = g_array_new(FALSE, FALSE, sizeof(int64_t))};
    for (uint32_t i = 0; i < l->nhands; i++) {
        const paf_hand *hand = &l->hands[i];
        uint32_t from = log->rank_of[trace_place(l->t, hand->from)];
        uint32_t to = log->rank_of[trace_place(l->t, hand->to)];
        if (hand->kind != PAF_HAND_MESSAGE || from == IOT_NONE || to == IOT_NONE ||
            !paf_interval_waits(paf_interval_of(l, hand->to)))
            continue;
        if (received.reduction != hand->to)
            find_sources(&received, l, hand->to);
        if (!has_source(&received, log->numbers[from]))
            continue;
        awaited *last =
            log->awaited->len ? &g_array_index(log->awaited, awaited, log->awaited->len - 1) : NULL;
        awaited wait = {hand->to, from, to, paf_timeline_end(l, hand->from)};
        if (!last || last->reduction != hand->to)
            g_array_append_val(log->awaited, wait);
        else if (wait.sent > last->sent)
            *last = wait;
    }
    g_array_free(received.ranks, TRUE);
}

static struct paf_message_log *log_of(paf_timeline *l)
{
    if (l->message_log)
        return l->message_log;
    struct paf_message_log *log = l->message_log = g_new0(struct paf_message_log, 1);
    log->sent = g_array_new(FALSE, FALSE, sizeof(sent));
    log->awaited = g_array_new(FALSE, FALSE, sizeof(awaited));
    find_ranks(log, l);
    for (uint32_t r = 1; r < trace_nreductions(l->t) && log->nranks > 0; r++)
        find_sent(log, l, r);
    find_awaited(log, l);
    return log;
}

void paf_message_log_free(struct paf_message_log *log)
{
    if (!log)
        return;
    g_free(log->numbers);
    g_free(log->rank_of);
    g_array_unref(log->sent);
    g_array_unref(log->awaited);
    g_free(log);
}

// ---------------------------------------------------------------------------------------------
// Adding up

static paf_messages *create(uint32_t nranks)
{
    paf_messages *m = g_new0(paf_messages, 1);
    m->nranks = nranks;
    m->each = MAX((nranks + PAF_MESSAGE_CELLS - 1) / PAF_MESSAGE_CELLS, 1);
    m->n = (nranks + m->each - 1) / m->each;
    m->numbers = g_new0(int64_t, m->n + 1);
    for (int f = 0; f < PAF_MESSAGE_FIGURES; f++)
        m->cells[f] = g_new0(double, (size_t)m->n * m->n + 1);
    return m;
}

static size_t cell_of(const paf_messages *m, uint32_t from, uint32_t to)
{
    return (size_t)(from / m->each) * m->n + to / m->each;
}

static void sum_up(paf_messages *m)
{
    for (int f = 0; f < PAF_MESSAGE_FIGURES; f++)
        for (size_t i = 0; i < (size_t)m->n * m->n; i++) {
            m->sums[f] += m->cells[f][i];
            m->most[f] = MAX(m->most[f], m->cells[f][i]);
        }
}

static void add_waits(paf_messages *m, const paf_timeline *l, const struct paf_message_log *log)
{
    double *longest = g_new0(double, (size_t)m->n * m->n + 1);
    m->longest = g_new(uint32_t, (size_t)m->n * m->n + 1);
    memset(m->longest, 0xff, (size_t)m->n * m->n * sizeof *m->longest);
    for (guint i = 0; i < log->awaited->len; i++) {
        const awaited *w = &g_array_index(log->awaited, awaited, i);
        int64_t start = MAX(paf_timeline_start(l, w->reduction), m->from);
        double time = (double)(MIN(paf_timeline_end(l, w->reduction), m->to) - start);
        size_t cell = cell_of(m, w->from, w->to);
        if (time <= 0)
            continue;
        m->cells[PAF_MESSAGES_WAITED][cell] += time;
        if (time > longest[cell]) {
            longest[cell] = time;
            m->longest[cell] = w->reduction;
        }
    }
    g_free(longest);
}

static paf_messages *add_up(const paf_timeline *l, const struct paf_message_log *log, int64_t from,
                            int64_t to)
{
    paf_messages *m = create(log->nranks);
    m->from = from;
    m->to = to;
    m->timed = true;
    for (uint32_t i = 0; i < m->n; i++)
        m->numbers[i] = log->numbers[i * m->each];
    for (guint i = 0; i < log->sent->len; i++) {
        const sent *s = &g_array_index(log->sent, sent, i);
        if (s->time < from || s->time > to)
            continue;
        m->cells[PAF_MESSAGES_COUNT][cell_of(m, s->from, s->to)]++;
        m->cells[PAF_MESSAGES_BYTES][cell_of(m, s->from, s->to)] += (double)s->bytes;
    }
    add_waits(m, l, log);
    sum_up(m);
    return m;
}

bool paf_has_messages(paf_timeline *l, const trace_totals *totals)
{
    return (totals && totals->messages && totals->ntraffic > 0) || (l && log_of(l)->sent->len > 0);
}

const paf_messages *paf_messages_within(paf_timeline *l, int64_t from, int64_t to)
{
    const struct paf_message_log *log = log_of(l);
    if (log->sent->len == 0)
        return NULL;
    if (!l->messages || l->messages->from != from || l->messages->to != to) {
        paf_messages_free(l->messages);
        l->messages = add_up(l, log, from, to);
    }
    return l->messages;
}

paf_messages *paf_messages_of_totals(const trace_totals *totals)
{
    paf_messages *m = create(totals->nnodes);
    m->whole = true;
    for (uint32_t i = 0; i < m->n; i++)
        m->numbers[i] = trace_node_number(totals, i * m->each);
    for (uint32_t i = 0; i < totals->ntraffic; i++) {
        const trace_traffic *x = &totals->traffic[i];
        size_t cell = cell_of(m, x->from, x->to);
        m->cells[PAF_MESSAGES_COUNT][cell] += (double)MAX(x->messages, 0);
        m->cells[PAF_MESSAGES_BYTES][cell] += (double)MAX(x->bytes, 0);
    }
    sum_up(m);
    return m;
}

void paf_messages_free(paf_messages *m)
{
    if (!m)
        return;
    for (int f = 0; f < PAF_MESSAGE_FIGURES; f++)
        g_free(m->cells[f]);
    g_free(m->numbers);
    g_free(m->longest);
    g_free(m);
}
