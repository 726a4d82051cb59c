// SPDX-License-Identifier: MIT
//
// What may be a cause in a measured run, and roughly how much. measured_causes.c prices those with
// the largest weights.
#include "iotree/findings/measured_run.h"

enum {
    SMALL = 1000,        // nanoseconds: what is shorter costs little more than its construct
    SMALL_TASK = 4000,
    SMALL_REGION = 100000,
    MANY = 500,          // executions
    MANY_REGIONS = 50,
    SHORT = 4            // a chunk of less than one part in so many of what a thread does
};
static const double least_ratio = 1.15; // longest rank to the next one, by the clock

static cause *cause_at(measured_run *m, cause_kind kind, uint32_t clause, uint32_t other)
{
    uint64_t hash = hash_word(hash_word((uint64_t)kind, clause), other);
    uint32_t found;
    INDEX_FIND(found, &m->index, hash, i,
               m->causes.at[i].kind == kind && m->causes.at[i].clause == clause &&
                   m->causes.at[i].other == other);
    if (found == INDEX_NONE) {
        found = (uint32_t)m->causes.n;
        index_add(&m->index, hash, found);
        ARRAY_PUSH(m->causes, ((cause){.kind = kind,
                                       .clause = clause,
                                       .other = other,
                                       .later = IOT_NONE,
                                       .example = IOT_NONE,
                                       .source = IOT_NONE,
                                       .place = IOT_NONE}));
    }
    return &m->causes.at[found];
}

// The place that has most weight in more than half of all cases is known in the end.
static void vote(cause *c, uint32_t place, int64_t weight)
{
    if (c->place == place) {
        c->vote += weight;
    } else if ((c->vote -= weight) < 0) {
        c->place = place;
        c->vote = -c->vote;
    }
}

static void longer_example(const measured_run *m, cause *c, uint32_t activity)
{
    int64_t took = replay_end(m->r, activity) - replay_start(m->r, activity);
    if (c->example == IOT_NONE ||
        took > replay_end(m->r, c->example) - replay_start(m->r, c->example))
        c->example = activity;
}

// ---------------------------------------------------------------------------------------------
// Balance

typedef struct {
    int64_t here, total, most; // of the segment; of the phase; of its longest segment
    uint32_t place, example, places; // where it is
} share_of_phase;

typedef struct {
    measured_run *m;
    share_of_phase *of; // by clause
    ARRAY_OF(uint32_t) touched, here;
} balance;

static bool is_shared(const measured_run *m, uint32_t x)
{
    if (m->r->waits[x])
        return false;
    switch (kind_of(m, x)) {
    case TRACE_KIND_LOOP:
    case TRACE_KIND_SECTIONS:
    case TRACE_KIND_SINGLE:
    case TRACE_KIND_WORKSHARE:
    case TRACE_KIND_DISTRIBUTE:
    case TRACE_KIND_TASKLOOP:
    case TRACE_KIND_SCOPE:
    case TRACE_KIND_MASTER:
    case TRACE_KIND_TASK:
    case TRACE_KIND_REGION:
    case TRACE_KIND_THREAD:
        return true;
    default:
        return false;
    }
}

static void add_segment(balance *b, const segment *s)
{
    const replay *r = b->m->r;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = r->by_place[i], clause = clause_of(b->m, x);
        if (!is_shared(b->m, x))
            continue;
        share_of_phase *of = &b->of[clause];
        if (of->here == 0)
            ARRAY_PUSH(b->here, clause);
        if (of->total == 0 && of->here == 0)
            ARRAY_PUSH(b->touched, clause);
        of->here += r->costs[x] + 1;
        if (of->example == IOT_NONE || r->costs[x] > r->costs[of->example])
            of->example = x;
    }
    for (size_t i = 0; i < b->here.n; i++) {
        share_of_phase *of = &b->of[b->here.at[i]];
        of->total += of->here;
        of->places++;
        if (of->here > of->most) {
            of->most = of->here;
            of->place = s->place;
        }
        of->here = 0;
    }
    b->here.n = 0;
}

static void add_phase(cause *c, int64_t most, double mean, uint32_t place, uint32_t team)
{
    int64_t rest = most - (int64_t)mean;
    c->weight += rest;
    c->count++;
    c->most += (double)most;
    c->mean += mean;
    c->team = team;
    vote(c, place, rest);
    ARRAY_PUSH(c->rests, (float)rest);
}

// Of what is handed out on a busy machine a thread without a processor gets little. All have as much, but
// where one chunk is long.
static void limit_share(const measured_run *m, share_of_phase *of)
{
    int64_t longest = m->r->costs[of->example], mean = of->total / of->places;
    int64_t most = SHORT * longest < mean ? mean : mean + longest;
    of->most = of->most < most ? of->most : most;
}

static void propose_thread_balance(measured_run *m)
{
    balance b = {.m = m, .of = base_allocate((size_t)trace_nclauses(m->t) + 1, sizeof *b.of)};
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++)
        b.of[i].example = IOT_NONE;
    for (uint32_t p = 0; p < m->threads.n; p++) {
        uint32_t first = m->threads.first[p], n = m->threads.first[p + 1] - first;
        if (iot_is_group(m, p) && !iot_is_alone_in_group(m, p))
            continue;
        for (uint32_t k = 0; k < n; k++)
            add_segment(&b, &m->threads.list.at[first + k]);
        for (size_t i = 0; i < b.touched.n; i++) {
            share_of_phase *of = &b.of[b.touched.at[i]];
            uint32_t clause = b.touched.at[i];
            bool all = !m->r->disturbed || !iot_is_handed_out(m->r, of->example);
            cause *c = cause_at(m, EVEN_THREADS, clause, iot_end_of_phase(m, clause, p));
            if (!all)
                limit_share(m, of);
            add_phase(c, of->most, (double)of->total / (all ? n : of->places), of->place, n);
            longer_example(m, c, of->example);
            *of = (share_of_phase){.example = IOT_NONE};
        }
        b.touched.n = 0;
    }
    free(b.of);
    free(b.touched.at);
    free(b.here.at);
}

// What the rank computes in its part of a phase, as it was measured.
static int64_t measured_work(const measured_run *m, const segment *s)
{
    int64_t sum = 0;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = m->r->by_place[i];
        sum += computes(m, x) ? trace_end(m->t, x) - trace_start(m->t, x) : 0;
    }
    return sum;
}

// Of a busy machine: another rank was at work nearly as long by the clock, without a processor. The longest
// one may have taken over what that did not come to.
static bool took_over(const measured_run *m, uint32_t phase, const segment *longest)
{
    double most = (double)measured_work(m, longest);
    bool did = false;
    for (uint32_t k = m->ranks.first[phase]; m->r->disturbed && k < m->ranks.first[phase + 1]; k++) {
        const segment *s = &m->ranks.list.at[k];
        did = did || (s != longest && least_ratio * (double)measured_work(m, s) > most);
    }
    return did;
}

static void propose_rank_balance(measured_run *m)
{
    const replay *r = m->r;
    for (uint32_t p = 0; p < m->ranks.n; p++) {
        uint32_t first = m->ranks.first[p], n = m->ranks.first[p + 1] - first;
        uint32_t example = IOT_NONE;
        const segment *longest = NULL;
        int64_t most = 0, total = 0;
        for (uint32_t k = first; k < first + n; k++) {
            const segment *s = &m->ranks.list.at[k];
            int64_t here = 0;
            for (uint32_t i = s->from; i < s->to; i++) {
                uint32_t x = r->by_place[i];
                here += computes(m, x) ? r->costs[x] : 0;
                if (computes(m, x) && clause_of(m, x) == m->rank_clauses[p] &&
                    (example == IOT_NONE || r->costs[x] > r->costs[example]))
                    example = x;
            }
            total += here;
            if (here > most) {
                most = here;
                longest = s;
            }
        }
        if (n < 2 || m->rank_clauses[p] == IOT_NONE || example == IOT_NONE || !longest ||
            took_over(m, p, longest))
            continue;
        cause *c = cause_at(m, EVEN_RANKS, m->rank_clauses[p], IOT_NONE);
        add_phase(c, most, (double)total / n, longest->place, n);
        longer_example(m, c, example);
    }
}

// ---------------------------------------------------------------------------------------------
// Alone

static void propose_stretch(void *data, const stretch *s)
{
    measured_run *m = data;
    int64_t time = s->time - loading_in(m, s);
    if (s->team < 2 || time <= 0)
        return;
    cause *c = cause_at(m, SHARE_SERIAL, s->before, s->after);
    c->weight += time - time / s->team;
    c->count++;
    c->team = s->team;
    c->place = s->place;
    c->most += (double)time;
    longer_example(m, c, m->r->by_place[s->from]);
}

static void propose_lone_region(measured_run *m, const stretch *s)
{
    cause *c = cause_at(m, SHARE_REGION, s->before, IOT_NONE);
    c->weight += s->time - s->time / m->largest_team;
    c->count++;
    c->team = m->largest_team;
    c->place = s->place;
    c->most += (double)s->time;
    if (s->from < s->to)
        longer_example(m, c, m->r->by_place[s->from]);
}

// ---------------------------------------------------------------------------------------------
// Waits

static void propose_turn(measured_run *m, uint32_t x)
{
    uint32_t held = held_after(m, x);
    cause *c = cause_at(m, NO_TURNS, lock_of(m, x), IOT_NONE);
    c->weight += waited(m, x) + TURN_COST;
    c->count++;
    c->mean += held != IOT_NONE ? (double)m->r->costs[held] : 0;
    int64_t start = replay_start(m->r, x), end = replay_end(m->r, held != IOT_NONE ? held : x);
    c->since = c->count == 1 || start < c->since ? start : c->since;
    c->until = end > c->until ? end : c->until;
    c->place = trace_place(m->t, x);
    c->team = m->r->nplaces;
    longer_example(m, c, x);
}

enum { NOT_KNOWN, IS_BARRIER, IS_END_OF_LOOP, IS_EARLY_RESULT, IS_NONE };

static bool is_line_of_fork(const measured_run *m, const trace_clause *c)
{
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++) {
        const trace_clause *other = trace_get_clause(m->t, i);
        if (kind_of_clause(m, i) == TRACE_KIND_FORK && other->source == c->source &&
            other->line == c->line)
            return true;
    }
    return false;
}

// A barrier of the text, or the end of a loop within a region, which gcc does not tell apart; or a
// collective call whose result is not needed yet.
static uint8_t sort_of_barrier(measured_run *m, uint32_t x)
{
    const trace_clause *c = trace_get_clause(m->t, clause_of(m, x));
    uint32_t module = trace_get_predicate(m->t, c->predicate)->module;
    trace_kind kind = kind_of(m, x), within = trace_get_module(m->t, module)->kind;
    if (kind == TRACE_KIND_BARRIER)
        return IS_BARRIER;
    if (kind == TRACE_KIND_MPI_COLLECTIVE &&
        strcmp(name_of_clause(m, clause_of(m, x)), "MPI_Allreduce") == 0) {
        iot_location call = iot_clause_location(m->a, clause_of(m, x));
        return iot_needs_result(m, &call) ? IS_NONE : IS_EARLY_RESULT;
    }
    if (kind != TRACE_KIND_IMPLIED_BARRIER || c->source == TRACE_NONE)
        return IS_NONE;
    if (within == TRACE_KIND_BARRIER && iot_line_has(m->t, c->source, c->line, "barrier"))
        return IS_BARRIER;
    bool loop = within == TRACE_KIND_LOOP || within == TRACE_KIND_SECTIONS ||
                (within == TRACE_KIND_BARRIER && (iot_line_has(m->t, c->source, c->line, "for") ||
                                                  iot_line_has(m->t, c->source, c->line, "do")));
    return loop && !is_line_of_fork(m, c) ? IS_END_OF_LOOP : IS_NONE;
}

static uint8_t barrier_at(measured_run *m, uint32_t x)
{
    uint32_t clause = clause_of(m, x);
    if (m->barriers[clause] == NOT_KNOWN)
        m->barriers[clause] = sort_of_barrier(m, x);
    return m->barriers[clause];
}

static void propose_barrier(measured_run *m, uint32_t x, bool implied)
{
    cause *c = cause_at(m, NO_BARRIER, clause_of(m, x), IOT_NONE);
    c->weight += replay_end(m->r, x) - replay_start(m->r, x);
    c->meeting = c->count++ == 0 ? m->r->meetings[x] : c->meeting;
    c->again = c->again || m->r->meetings[x] != c->meeting;
    c->implied = implied;
    uint32_t last = iot_last_source(m, x);
    if (last != IOT_NONE)
        vote(c, trace_place(m->t, last), waited(m, x));
    longer_example(m, c, x);
}

enum { MOST_STEPS = 4096 }; // of a place that are looked back at

// Did the thread make just one task since it waited for tasks last? Those that it does itself while
// it waits have no edges to the wait.
static bool waits_for_one(const measured_run *m, uint32_t wait)
{
    uint32_t made = 0;
    uint32_t x = m->r->before[wait];
    for (int i = 0; i < MOST_STEPS && x != IOT_NONE && made <= 1; i++, x = m->r->before[x]) {
        if (made > 0 && m->r->waits[x] && kind_of(m, x) == TRACE_KIND_TASKWAIT)
            break;
        made += m->tasks_made[x];
    }
    return made == 1;
}

// A thread that makes one task, waits for it at once and makes the next one does everything one after
// the other. A wait before the result is used is followed by no other task.
static void propose_taskwait(measured_run *m, uint32_t x)
{
    uint32_t task = iot_last_source(m, x), next = m->after[x];
    if (next == IOT_NONE || m->r->makers[next] != x || m->made_last[next] == IOT_NONE)
        return;
    if (m->r->first[x + 1] != m->r->first[x] + 1 || task == IOT_NONE ||
        kind_of(m, task) != TRACE_KIND_TASK || replay_start(m->r, x) > replay_start(m->r, task) ||
        !waits_for_one(m, x))
        return;
    cause *c = cause_at(m, NO_TASKWAIT, clause_of(m, x), clause_of(m, task));
    c->later = m->made_last[next];
    c->weight += m->r->costs[task];
    c->count++;
    longer_example(m, c, x);
}

static void propose_late(measured_run *m, uint32_t x, cause_kind kind, uint32_t other,
                         uint32_t from)
{
    cause *c = cause_at(m, kind, clause_of(m, x), other);
    c->weight += waited(m, x);
    c->most += (double)m->r->costs[from];
    c->count++;
    vote(c, trace_place(m->t, x), waited(m, x));
    uint32_t before = c->example;
    longer_example(m, c, x);
    if (c->example != before)
        c->source = from;
}

// Is it the wait for requests that were made just before, with something to do after it?
static bool waits_at_once(const measured_run *m, uint32_t x)
{
    uint32_t before = m->r->before[x], next = m->after[x];
    int64_t between = 0;
    if (kind_of(m, x) != TRACE_KIND_MPI_WAIT)
        return false;
    for (int i = 0; i < 4 && before != IOT_NONE && computes(m, before); i++) {
        between += m->r->costs[before];
        before = m->r->before[before];
    }
    while (next != IOT_NONE && kind_of(m, next) == TRACE_KIND_TRANSFER)
        next = m->after[next];
    return before != IOT_NONE && between < SMALL && next != IOT_NONE && computes(m, next) &&
           strncmp(name_of_clause(m, clause_of(m, before)), "MPI_I", 5) == 0 &&
           m->r->costs[next] >= waited(m, x);
}

static void propose_message(measured_run *m, uint32_t x, wait_state state)
{
    uint32_t from = iot_last_source(m, x);
    if (from == IOT_NONE || waited(m, x) == 0)
        return;
    switch (state) {
    case WAIT_LATE_SENDER:
        propose_late(m, x, SENT_EARLIER, clause_of(m, from), from);
        if (waits_at_once(m, x))
            propose_late(m, x, WAITED_LATER, IOT_NONE, from);
        break;
    case WAIT_LATE_RECEIVER:
        propose_late(m, x, POSTED_EARLIER, clause_of(m, from), from);
        break;
    case WAIT_LATE_BROADCAST:
        propose_late(m, x, ROOT_EARLIER, IOT_NONE, from);
        break;
    case WAIT_EARLY_REDUCE:
        propose_late(m, x, ROOT_LATER, IOT_NONE, from);
        break;
    default:
        break;
    }
}

// What the place computes from the activity on until it waits, or makes a thread, as much as `enough`.
static int64_t computed_from(const measured_run *m, uint32_t x, int64_t enough)
{
    int64_t sum = 0;
    for (int i = 0; i < MOST_STEPS && x != IOT_NONE && sum < enough && computes(m, x); i++) {
        sum += m->r->costs[x];
        if (m->threads_made[x] > 0)
            break;
        x = m->after[x];
    }
    return sum < enough ? sum : enough;
}

// Of a join: what made the thread that it waits for, if that was done at its place, and nothing was waited
// for or computed since, and no other thread was made; else IOT_NONE.
static uint32_t just_made(const measured_run *m, uint32_t join)
{
    uint32_t thread = iot_last_source(m, join), before = m->r->before[join];
    uint32_t place = thread == IOT_NONE ? IOT_NONE : trace_place(m->t, thread);
    int64_t between = 0;
    while (thread != IOT_NONE && trace_place(m->t, m->r->makers[thread]) == place &&
           m->r->makers[thread] != 0)
        thread = m->r->before[thread];
    uint32_t made = thread == IOT_NONE ? IOT_NONE : m->r->makers[thread];
    if (made == IOT_NONE || made == 0 || kind_of(m, thread) != TRACE_KIND_THREAD)
        return IOT_NONE;
    for (int i = 0; i < MOST_STEPS && before != IOT_NONE && before != made; i++) {
        if (m->r->waits[before] || m->threads_made[before] > 0)
            return IOT_NONE;
        between += m->r->costs[before];
        before = m->r->before[before];
    }
    if (before != made || m->threads_made[made] != 1 || 10 * between > waited(m, join))
        return IOT_NONE;
    uint32_t earlier = m->r->before[made];
    bool alone = earlier == IOT_NONE || m->r->waits[earlier] || m->threads_made[earlier] == 0;
    return alone ? made : IOT_NONE;
}

bool iot_joins_at_once(const measured_run *m, uint32_t x)
{
    return kind_of(m, x) == TRACE_KIND_THREAD_JOIN && m->r->waits[x] && waited(m, x) > 0 &&
           just_made(m, x) != IOT_NONE;
}

// The place waits for the only thread that it has made, and computes afterwards.
static void propose_join(measured_run *m, uint32_t x)
{
    int64_t beside = iot_joins_at_once(m, x) ? computed_from(m, m->after[x], waited(m, x)) : 0;
    if (beside == 0)
        return;
    cause *c = cause_at(m, JOINED_LATER, clause_of(m, x), IOT_NONE);
    c->weight += beside;
    c->count++;
    c->place = trace_place(m->t, x);
    longer_example(m, c, x);
}

// Of two threads that work in turn either could go on; the one that began is that which makes the items.
static void propose_step(measured_run *m, uint32_t x)
{
    uint32_t other;
    int64_t work;
    if (!iot_is_in_step(m, x, &other, &work))
        return;
    cause *c = cause_at(m, NOT_IN_STEP, clause_of(m, x), clause_of(m, other));
    c->weight += work;
    c->count++;
    c->since = c->count == 1 || replay_end(m->r, x) < c->since ? replay_end(m->r, x) : c->since;
    c->until = c->count == 1 || replay_end(m->r, other) < c->until ? replay_end(m->r, other) : c->until;
    c->place = trace_place(m->t, x);
    uint32_t before = c->example;
    longer_example(m, c, x);
    if (c->example != before)
        c->source = other;
}

static void propose_wait(measured_run *m, uint32_t x)
{
    wait_state state = iot_wait_state_of(m->a, m->r, x);
    trace_kind kind = kind_of(m, x);
    if (trace_kind_role(kind, true) == TRACE_ROLE_TURN) {
        propose_turn(m, x);
        return;
    }
    uint8_t barrier = barrier_at(m, x);
    if (barrier == IS_BARRIER || barrier == IS_END_OF_LOOP || state == WAIT_MPI_BARRIER)
        propose_barrier(m, x, barrier == IS_END_OF_LOOP);
    else if (state == WAIT_N_BY_N && barrier_at(m, x) == IS_EARLY_RESULT)
        propose_barrier(m, x, false);
    if (kind == TRACE_KIND_TASKWAIT)
        propose_taskwait(m, x);
    if (kind == TRACE_KIND_THREAD_JOIN)
        propose_join(m, x);
    propose_step(m, x);
    propose_message(m, x, state);
}

// ---------------------------------------------------------------------------------------------
// Messages

typedef struct {
    measured_run *m;
    uint32_t clause;
    cause_kind kind;
} messages;

// A receive that waits while the message of a later one is there.
static void propose_order(void *data, const uint32_t *receives, uint32_t n)
{
    messages *x = data;
    measured_run *m = x->m;
    int64_t earliest_after = INT64_MAX, measured_after = INT64_MAX;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t from = iot_last_source(m, receives[i]);
        if (from == IOT_NONE)
            continue;
        int64_t there = replay_end(m->r, from), start = replay_start(m->r, receives[i]);
        // A message of any rank was the first one by the clock, if not in the replay of a busy machine.
        bool in_order = measured_after >= trace_end(m->t, from);
        measured_after = trace_end(m->t, from) < measured_after ? trace_end(m->t, from) : measured_after;
        if (earliest_after < there && there > start && !in_order) {
            cause *c = cause_at(m, x->kind, x->clause, IOT_NONE);
            c->weight += there - (earliest_after > start ? earliest_after : start);
            c->count++;
            c->place = trace_place(m->t, receives[i]);
            uint32_t before = c->example;
            longer_example(m, c, receives[i]);
            if (c->example != before)
                c->source = from;
        }
        earliest_after = there < earliest_after ? there : earliest_after;
    }
}

static void propose_tree(void *data, const uint32_t *sends, uint32_t n)
{
    messages *x = data;
    measured_run *m = x->m;
    int64_t sum = 0, to;
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += m->r->costs[sends[i]];
        ranks += iot_activity_value(m->t, sends[i], TRACE_KEY_TO, &to);
    }
    cause *c = cause_at(m, SENT_AS_TREE, x->clause, IOT_NONE);
    c->weight += sum / 2;
    c->count++;
    c->team = ranks > c->team ? ranks : c->team;
    c->place = trace_place(m->t, sends[0]);
    longer_example(m, c, sends[0]);
}

enum { MOST_CALLS = 64 }; // of sends and receives in the text that are looked at; each takes a pass

static void propose_messages(measured_run *m)
{
    bool *has = base_allocate((size_t)trace_nclauses(m->t) + 1, sizeof *has);
    for (uint32_t i = 1; i < m->r->n; i++)
        has[clause_of(m, i)] = true;
    uint32_t looked = 0;
    for (uint32_t clause = 0; clause < trace_nclauses(m->t) && looked < MOST_CALLS; clause++) {
        trace_kind kind = kind_of_clause(m, clause);
        looked += has[clause] && (kind == TRACE_KIND_MPI_RECEIVE || kind == TRACE_KIND_MPI_SEND);
        messages x = {m, clause, ANY_ORDER};
        if (has[clause] && kind == TRACE_KIND_MPI_RECEIVE) {
            iot_each_batch(m, clause, propose_order, &x);
            x.kind = SERVED_AS_THEY_COME;
            iot_each_service(m, clause, propose_order, &x);
        }
        if (has[clause] && kind == TRACE_KIND_MPI_SEND)
            iot_each_chain_of_sends(m, clause, propose_tree, &x);
    }
    free(has);
}

// A row of calls weighs what all of its calls but one take.
static void propose_row(measured_run *m, const row *w)
{
    if (!w->with_rows && !w->hands_out)
        return;
    cause_kind kind = w->with_rows ? ONE_CALL : MORE_AT_ONCE;
    cause *c = cause_at(m, kind, iot_row_group(m, w->clauses[0]), IOT_NONE);
    int64_t took = 0;
    for (uint32_t i = w->from; i < w->to; i++) {
        uint32_t x = m->r->by_place[i];
        took += replay_end(m->r, x) - replay_start(m->r, x);
        if (replay_end(m->r, x) > replay_start(m->r, x) && !computes(m, x) &&
            kind_of(m, x) != TRACE_KIND_TRANSFER && c->example == IOT_NONE)
            c->example = x;
    }
    c->weight += took - took / w->calls;
    c->count += w->calls;
    c->team = w->calls > c->team ? w->calls : c->team;
    c->mean += (double)took;
    c->place = trace_place(m->t, m->r->by_place[w->from]);
}

// ---------------------------------------------------------------------------------------------
// Grain and tasks

// A chunk in which something else is done has several activities; does it begin with this one?
static bool begins_chunk(const measured_run *m, uint32_t x)
{
    uint32_t before = m->r->before[x];
    return before == IOT_NONE || clause_of(m, before) == clause_of(m, x) ||
           kind_of(m, before) == TRACE_KIND_REGION;
}

static void propose_group(void *data, uint32_t group, int64_t weight)
{
    measured_run *m = data;
    const uint32_t *reads;
    if (weight < m->r->elapsed / 100)
        return;
    cause *c = cause_at(m, NO_DEPENDENCE, group, IOT_NONE);
    c->weight = weight;
    for (uint32_t i = 1; i < m->r->n; i++) {
        if (m->task_group[clause_of(m, i)] != group || m->r->waits[i])
            continue;
        c->count += trace_reads(m->t, i, &reads) > 0;
        longer_example(m, c, i);
    }
}

static void propose_work(measured_run *m, uint32_t x)
{
    trace_kind kind = kind_of(m, x);
    uint32_t clause = clause_of(m, x);
    if (kind == TRACE_KIND_TASK) {
        cause *c = cause_at(m, LARGER_TASKS, clause, IOT_NONE);
        c->weight += TASK_COST + m->r->costs[x];
        c->count += !iot_is_execution(m, x);
        c->mean += (double)m->r->costs[x];
        longer_example(m, c, x);
    } else if (kind == TRACE_KIND_LOOP && iot_is_handed_out(m->r, x)) {
        cause *c = cause_at(m, LARGER_CHUNKS, clause, IOT_NONE);
        c->weight += m->r->costs[x] < CHUNK_COST ? m->r->costs[x] : CHUNK_COST;
        c->count += begins_chunk(m, x) && !iot_is_execution(m, x);
        c->mean += (double)m->r->costs[x];
        longer_example(m, c, x);
    } else if (kind == TRACE_KIND_FORK && !iot_is_execution(m, x)) {
        uint32_t next = m->after[x];
        while (next != IOT_NONE && kind_of(m, next) != TRACE_KIND_SERIAL &&
               kind_of(m, next) != TRACE_KIND_FORK)
            next = m->after[next];
        int64_t took = next == IOT_NONE ? 0 : replay_start(m->r, next) - replay_start(m->r, x);
        cause *c = cause_at(m, FEWER_REGIONS, clause, IOT_NONE);
        c->weight += took;
        c->count++;
        c->mean += (double)took;
        longer_example(m, c, x);
    }
}

static bool is_too_small(const cause *c)
{
    double mean = c->count > 0 ? c->mean / c->count : 0;
    switch (c->kind) {
    case LARGER_TASKS:
        return c->count >= MANY && mean < SMALL_TASK;
    case LARGER_CHUNKS:
        return c->count >= MANY && mean < 2 * SMALL;
    case FEWER_REGIONS:
        return c->count >= MANY_REGIONS && mean < SMALL_REGION;
    default:
        return true;
    }
}

enum { SAMPLE = 1024 };

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// What such an activity takes usually: some were interrupted, and tell nothing.
static int64_t usual_time(const measured_run *m, const cause *c)
{
    int64_t sample[SAMPLE];
    uint32_t n = 0, every = c->count / SAMPLE + 1, seen = 0;
    for (uint32_t i = 1; i < m->r->n && n < SAMPLE; i++) {
        if (lock_of(m, i) != c->clause || seen++ % every != 0)
            continue;
        uint32_t x = c->kind == NO_TURNS ? held_after(m, i) : i;
        if (x != IOT_NONE)
            sample[n++] = m->r->costs[x];
    }
    if (n == 0)
        return 0;
    if (m->executions && c->count > 0) // such an activity is a part of what it is asked of
        return (int64_t)(c->mean / c->count);
    qsort(sample, n, sizeof *sample, by_number);
    return sample[n / 2];
}

// How much of what is too small is work: the rest is what the construct and its events take.
static void finish(const measured_run *m, cause *c)
{
    if (!is_too_small(c))
        c->weight = 0;
    // Who comes last to the end of the loop must be one thread mostly: else it is chance.
    if (c->implied && 2 * c->vote < c->weight)
        c->weight = 0;
    if (c->kind == NOT_IN_STEP && (c->since < c->until || !iot_wait_brings_nothing(m, c->clause)))
        c->weight = 0;
    // Where the same rank waits each time the others are late.
    if (c->kind == WAITED_LATER && 5 * c->vote > 4 * c->weight)
        c->weight = 0;
    bool grain = c->kind == NO_TURNS || c->kind == LARGER_TASKS || c->kind == LARGER_CHUNKS;
    if (!grain || c->weight < m->r->elapsed / 100) // few causes are that heavy
        return;
    int64_t usual = usual_time(m, c);
    int64_t overhead = c->kind == NO_TURNS       ? TURN_COST
                       : c->kind == LARGER_TASKS ? EVENT_COST + 30
                                                 : CHUNK_COST;
    c->share = usual > overhead ? (double)(usual - overhead) / (double)usual : 0;
    double least = c->kind == LARGER_CHUNKS ? 1.0 / 256 : 1.0 / 32; // handing out takes next to all of it
    c->share = c->share < least ? least : c->share;
    c->overhead = overhead;
    c->small = usual < SMALL;
    // Who waits where others are in the ordered part only now and then waits for their iterations.
    if (c->kind == NO_TURNS && !c->small && 2 * c->mean < (double)(c->until - c->since) &&
        kind_of_clause(m, c->clause) == TRACE_KIND_ORDERED_WAIT)
        c->weight = 0;
    c->mean = c->count > 0 ? (double)usual * c->count : 0;
}

void iot_propose_causes(measured_run *m)
{
    m->tasks_made = base_allocate((size_t)m->r->n + 1, sizeof *m->tasks_made);
    m->threads_made = base_allocate((size_t)m->r->n + 1, sizeof *m->threads_made);
    m->made_last = base_allocate((size_t)m->r->n + 1, sizeof *m->made_last);
    memset(m->made_last, 0xff, m->r->n * sizeof *m->made_last);
    for (uint32_t i = 1; i < m->r->n; i++) {
        bool thread = kind_of(m, i) == TRACE_KIND_THREAD && m->r->before[i] != m->r->makers[i];
        m->threads_made[m->r->makers[i]] += thread;
        if (kind_of(m, i) != TRACE_KIND_TASK || m->r->before[i] == m->r->makers[i])
            continue;
        m->tasks_made[m->r->makers[i]]++;
        m->made_last[m->r->makers[i]] = clause_of(m, i);
    }
    propose_thread_balance(m);
    propose_rank_balance(m);
    iot_each_stretch(m, propose_stretch, m);
    if (m->largest_team <= 1) // all teams have one thread: as many as the user asked for
        m->largest_team = trace_get_machine(m->t).threads;
    for (size_t i = 0; m->largest_team > 1 && i < m->lone.n; i++)
        propose_lone_region(m, &m->lone.at[i]);
    for (uint32_t i = 1; i < m->r->n; i++)
        if (m->r->waits[i])
            propose_wait(m, i);
        else
            propose_work(m, i);
    propose_messages(m);
    iot_each_task_group(m, propose_group, m);
    for (size_t i = 0; i < m->rows.n; i++)
        propose_row(m, &m->rows.at[i]);
    for (size_t i = 0; i < m->causes.n; i++)
        finish(m, &m->causes.at[i]);
    iot_join_small_regions(m);
}
