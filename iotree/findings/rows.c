// SPDX-License-Identifier: MIT
//
// Rows of calls: a rank calls MPI many times, each time for little, and computes next to nothing in
// between. One call could carry what all of them do.
//
// Two kinds of rows are causes. In *loops of calls* the partners of the calls are in rows, too. A
// *hand-out* receives from a rank and sends to the same rank, again and again: it gives out items
// one at a time. A rank that only passes messages on from one rank to another is neither, since
// larger messages would come later.
#include "iotree/findings/measured_run.h"

enum {
    NEXT_TO_NOTHING = 1000, // nanoseconds
    SMALL_MESSAGE = 16384,  // bytes: larger ones take longer for what is in them
    SHORTEST_ROW = 16,      // calls
    CALLS_OF_PEER = 8,      // for each rank that the row has to do with
    MOST_PEERS = 64
};

static bool is_call(const measured_run *m, uint32_t x)
{
    trace_kind kind = kind_of(m, x);
    return kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE;
}

static bool is_large(const measured_run *m, uint32_t call)
{
    int64_t bytes;
    return iot_activity_value(m->t, call, TRACE_KEY_BYTES, &bytes) && bytes > SMALL_MESSAGE;
}

// ---------------------------------------------------------------------------------------------
// Rows

typedef struct {
    row row;
    int64_t peers[MOST_PEERS];
    uint32_t npeers, answers; // peers: MOST_PEERS + 1 if there are more
    int64_t last_from;
} open_row;

static void add_peer(open_row *o, int64_t peer)
{
    for (uint32_t i = 0; i < o->npeers && i < MOST_PEERS; i++)
        if (o->peers[i] == peer)
            return;
    if (o->npeers < MOST_PEERS)
        o->peers[o->npeers] = peer;
    o->npeers += o->npeers <= MOST_PEERS;
}

static void add_call(const measured_run *m, open_row *o, uint32_t x)
{
    int64_t peer;
    o->row.calls++;
    if (iot_activity_value(m->t, x, TRACE_KEY_FROM, &peer)) {
        add_peer(o, peer);
        o->last_from = peer;
    }
    if (iot_activity_value(m->t, x, TRACE_KEY_TO, &peer)) {
        add_peer(o, peer);
        o->answers += peer == o->last_from;
        o->last_from = -1;
    }
}

static void end_row(measured_run *m, open_row *o)
{
    row *r = &o->row;
    uint32_t least = o->npeers * CALLS_OF_PEER;
    if (r->calls >= SHORTEST_ROW && r->calls >= least && o->npeers <= MOST_PEERS) {
        r->hands_out = r->clauses[1] != IOT_NONE && o->answers + 1 >= r->calls / 2;
        for (uint32_t i = r->from; i < r->to; i++) {
            uint32_t x = m->r->by_place[i];
            m->in_row[x / 8] |= (uint8_t)(1 << x % 8);
        }
        ARRAY_PUSH(m->rows, *r);
    }
    o->row.calls = 0;
}

// Is this clause of the row, whose calls are all of one clause or of two that take turns?
static bool belongs(open_row *o, uint32_t clause)
{
    row *r = &o->row;
    if (clause == r->clauses[0] || clause == r->clauses[1])
        return true;
    if (r->clauses[1] != IOT_NONE || r->calls > 1)
        return false;
    r->clauses[1] = clause;
    return true;
}

static void find_rows_at(measured_run *m, uint32_t place)
{
    const replay *r = m->r;
    open_row o = {.row.calls = 0};
    for (uint32_t i = r->at_place[place]; i < r->at_place[place + 1]; i++) {
        uint32_t x = r->by_place[i];
        if (!is_call(m, x)) {
            if (kind_of(m, x) != TRACE_KIND_TRANSFER && r->costs[x] > NEXT_TO_NOTHING)
                end_row(m, &o);
            else if (o.row.calls > 0 && kind_of(m, x) == TRACE_KIND_TRANSFER)
                o.row.to = i + 1;
            continue;
        }
        bool large = is_large(m, x);
        if (large || (o.row.calls > 0 && !belongs(&o, clause_of(m, x))))
            end_row(m, &o);
        if (large)
            continue;
        if (o.row.calls == 0)
            o = (open_row){.row = {.from = i, .clauses = {clause_of(m, x), IOT_NONE}},
                           .last_from = -1};
        o.row.to = i + 1;
        add_call(m, &o, x);
    }
    end_row(m, &o);
}

// ---------------------------------------------------------------------------------------------
// Partners

static uint32_t root_of(const measured_run *m, uint32_t clause)
{
    while (m->row_group[clause] != clause)
        clause = m->row_group[clause];
    return clause;
}

static void join(measured_run *m, uint32_t a, uint32_t b)
{
    a = root_of(m, a);
    b = root_of(m, b);
    m->row_group[a > b ? a : b] = a > b ? b : a;
}

// The call that the activity ends with its begin; IOT_NONE if none follows at once.
static uint32_t call_after(const measured_run *m, uint32_t activity)
{
    for (int i = 0; i < 4 && activity != IOT_NONE; i++, activity = m->after[activity])
        if (is_call(m, activity))
            return activity;
    return IOT_NONE;
}

static bool is_in_row(const measured_run *m, uint32_t x)
{
    return m->in_row[x / 8] >> x % 8 & 1;
}

// Joins the row's clauses with those of its partners. Are the partners in rows, too?
static bool join_partners(measured_run *m, const row *w)
{
    uint32_t waits = 0, with_row = 0;
    if (w->clauses[1] != IOT_NONE)
        join(m, w->clauses[0], w->clauses[1]);
    for (uint32_t i = w->from; i < w->to; i++) {
        uint32_t x = m->r->by_place[i], source = IOT_NONE;
        if (m->r->waits[x])
            source = iot_last_source(m, x);
        uint32_t partner = source == IOT_NONE ? IOT_NONE : call_after(m, source);
        if (partner == IOT_NONE)
            continue;
        waits++;
        with_row += is_in_row(m, partner);
        join(m, clause_of(m, x), clause_of(m, partner));
    }
    return 10 * with_row >= 9 * waits;
}

void iot_find_rows(measured_run *m)
{
    m->in_row = base_allocate((size_t)m->r->n / 8 + 1, 1);
    m->row_group = base_allocate((size_t)trace_nclauses(m->t) + 1, sizeof *m->row_group);
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++)
        m->row_group[i] = i;
    for (uint32_t p = 0; p < m->r->nplaces; p++)
        find_rows_at(m, p);
    for (size_t i = 0; i < m->rows.n; i++) {
        row *w = &m->rows.at[i];
        w->with_rows = join_partners(m, w);
    }
}

void iot_free_rows(measured_run *m)
{
    free(m->rows.at);
    free(m->in_row);
    free(m->row_group);
}

uint32_t iot_row_group(const measured_run *m, uint32_t clause)
{
    return root_of(m, clause);
}

bool iot_is_call_of_group(const measured_run *m, uint32_t activity, uint32_t group)
{
    return is_call(m, activity) && root_of(m, clause_of(m, activity)) == group;
}
