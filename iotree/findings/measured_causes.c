// SPDX-License-Identifier: MIT
//
// The causes of a measured run, with prices: what the run takes on its own processors without each,
// by replay (iotree/prices/replay.h). Causes, not symptoms: a wait at a barrier is named by what
// the last thread did before it.
#include "iotree/findings/measured_run.h"

enum { MOST_CAUSES = 24 }; // that are priced
static const double least_weight = 0.02; // of the elapsed time
static const double least_ratio = 1.15;  // longest to mean; less is chance
static const double sure_ratio = 1.3;
static const double least_saving = 0.005;

uint32_t iot_last_source(const measured_run *m, uint32_t wait)
{
    uint32_t last = IOT_NONE;
    for (uint64_t k = m->r->first[wait]; k < m->r->first[wait + 1]; k++) {
        uint32_t from = m->r->sources[k];
        if (from != IOT_NONE && (last == IOT_NONE || replay_end(m->r, from) > replay_end(m->r, last)))
            last = from;
    }
    return last;
}

// ---------------------------------------------------------------------------------------------
// Chance

static int by_size(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// What the longest has beyond the mean is chance if a few phases have most of it, or if it is
// little and another place has it each time.
static bool is_by_chance(cause *c)
{
    if (c->mean <= 0 || c->most / c->mean < least_ratio)
        return true;
    if (c->most / c->mean < sure_ratio && c->count >= 3 && c->vote < c->weight / 2)
        return true;
    if (c->rests.n < 8)
        return false;
    qsort(c->rests.at, c->rests.n, sizeof *c->rests.at, by_size);
    size_t usual = c->rests.n - (c->rests.n + 9) / 10;
    double sum = 0;
    for (size_t i = 0; i < usual; i++)
        sum += c->rests.at[i];
    return sum * (double)c->rests.n / (double)usual < 0.5 * (double)c->weight;
}

static bool is_balance(const cause *c)
{
    return c->kind == EVEN_THREADS || c->kind == EVEN_RANKS;
}

static int by_weight(const void *a, const void *b)
{
    const cause *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void remove_cause(measured_run *m, size_t i)
{
    free(m->causes.at[i].rests.at);
    m->causes.at[i] = m->causes.at[--m->causes.n];
}

static void keep_heavy(measured_run *m)
{
    double least = least_weight * (double)m->r->elapsed;
    for (size_t i = m->causes.n; i-- > 0;) {
        cause *c = &m->causes.at[i];
        if ((double)c->weight < least || (is_balance(c) && is_by_chance(c)))
            remove_cause(m, i);
    }
    if (m->causes.n > 0)
        qsort(m->causes.at, m->causes.n, sizeof *m->causes.at, by_weight);
    while (m->causes.n > MOST_CAUSES)
        remove_cause(m, m->causes.n - 1);
}

// ---------------------------------------------------------------------------------------------
// Prices

enum { MOST_SAMPLED = 4096, LONG_WAY = 16 }; // times as long as usual

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// What tasks take with all that belongs to them: from one at a place to the next one. Where that is much
// longer than usual the thread found none, which is no matter of their size.
static int64_t time_of_tasks(const measured_run *m)
{
    int64_t sample[MOST_SAMPLED];
    uint32_t n = 0, every = m->r->n / MOST_SAMPLED + 1, tasks = 0;
    for (uint32_t p = 0; p < m->r->nplaces; p++) {
        uint32_t last = IOT_NONE;
        for (uint32_t k = m->r->at_place[p]; k < m->r->at_place[p + 1]; k++) {
            uint32_t x = m->r->by_place[k];
            if (kind_of(m, x) != TRACE_KIND_TASK || m->r->waits[x])
                continue;
            if (last != IOT_NONE && tasks % every == 0 && n < MOST_SAMPLED)
                sample[n++] = replay_start(m->r, x) - replay_start(m->r, last);
            tasks++;
            last = x;
        }
    }
    if (n == 0)
        return 0;
    qsort(sample, n, sizeof *sample, by_number);
    double sum = 0, most = (double)LONG_WAY * (double)sample[n / 2];
    for (uint32_t i = 0; i < n; i++)
        sum += (double)sample[i] < most ? (double)sample[i] : most;
    return (int64_t)(sum / n * tasks / (m->largest_team > 0 ? m->largest_team : 1));
}

static int64_t bounded_by_tasks(const measured_run *m, int64_t elapsed)
{
    int64_t least = m->r->elapsed - time_of_tasks(m);
    return elapsed > least ? elapsed : least;
}

static bool price(measured_run *m)
{
    uint32_t n = (uint32_t)m->causes.n;
    int64_t *elapsed = base_allocate((size_t)n + 1, sizeof *elapsed);
    bool done = iot_elapsed_under_each(m->r, iot_edit_cause, m, n, elapsed,
                                       m->a->preparing.progress, m->a->preparing.data);
    for (uint32_t i = 0; i < n; i++)
        m->causes.at[i].elapsed_without = done ? elapsed[i] : m->r->elapsed;
    for (uint32_t i = 0; i < n; i++)
        if (m->causes.at[i].kind == LARGER_TASKS)
            m->causes.at[i].elapsed_without =
                bounded_by_tasks(m, m->causes.at[i].elapsed_without);
    free(elapsed);
    return done;
}

typedef struct {
    const measured_run *m;
    uint32_t x, y;
} editing_pair;

static void edit_both(const void *data, uint32_t number, const replay *r, replay_edit *edit)
{
    const editing_pair *p = data;
    (void)number;
    iot_edit_cause(p->m, p->x, r, edit);
    iot_edit_cause(p->m, p->y, r, edit);
}

static double saving(const measured_run *m, int64_t without)
{
    return m->r->elapsed > 0 ? (double)(m->r->elapsed - without) / (double)m->r->elapsed : 0;
}

// Of both at once; -1: not computed, since one of them is gone.
static int64_t without_both(const measured_run *m, uint32_t x, uint32_t y)
{
    uint32_t n = (uint32_t)m->causes.n;
    int64_t *known = &m->both[(size_t)(x < y ? x : y) * n + (x < y ? y : x)];
    if (*known < 0) {
        editing_pair pair = {m, x, y};
        iot_elapsed_under_each(m->r, edit_both, &pair, 1, known, NULL, NULL);
        if (m->causes.at[x].kind == LARGER_TASKS && m->causes.at[y].kind == LARGER_TASKS)
            *known = bounded_by_tasks(m, *known);
    }
    return *known;
}

// ---------------------------------------------------------------------------------------------
// One cause, one finding

static bool is_always_the_same_place(const cause *c)
{
    return 5 * c->vote > 4 * c->weight;
}

// How directly the change follows from the cause: of two changes that remove the same waits the
// one with the higher number is named, if it brings nearly as much. A barrier at which one place is
// always the last one is not to blame: that place is.
static int directness(const cause *c)
{
    switch (c->kind) {
    case EVEN_RANKS:
        return is_always_the_same_place(c) ? 3 : 0;
    case EVEN_THREADS:
        return is_always_the_same_place(c) ? 3 : 1;
    case NO_BARRIER:
        return c->implied ? 4 : 2;
    case SENT_EARLIER:
    case POSTED_EARLIER:
    case ROOT_EARLIER:
    case ROOT_LATER:
        return 4;
    default:
        return 5;
    }
}

static double share_wanted(const cause *c)
{
    bool order = c->kind == ANY_ORDER || c->kind == SERVED_AS_THEY_COME || c->kind == SENT_AS_TREE;
    return order ? 0.3 : is_balance(c) ? 0.6 : 0.8;
}

// Is y another view of what x says more directly?
static bool says_the_same(const measured_run *m, uint32_t i, uint32_t j)
{
    const cause *x = &m->causes.at[i], *y = &m->causes.at[j];
    double sx = saving(m, x->elapsed_without), sy = saving(m, y->elapsed_without);
    bool tasks = x->kind == LARGER_TASKS && y->kind == LARGER_TASKS && i < j; // two of one recursion
    if (tasks && sx < 0.8 * sy)
        return false;
    if (!tasks && (directness(x) <= directness(y) || sx < share_wanted(x) * sy))
        return false;
    double larger = sx > sy ? sx : sy, smaller = sx > sy ? sy : sx;
    return saving(m, without_both(m, i, j)) < larger + 0.25 * smaller;
}

static void keep_direct(measured_run *m)
{
    for (uint32_t i = 0; i < m->causes.n; i++)
        for (uint32_t j = 0; j < m->causes.n && !m->causes.at[i].gone; j++)
            if (i != j && !m->causes.at[j].gone && says_the_same(m, i, j)) {
                m->causes.at[j].gone = true;
                if (m->causes.at[j].kind == LARGER_TASKS && m->causes.at[i].kind == LARGER_TASKS)
                    m->causes.at[i].later = m->causes.at[j].clause;
            }
}

static void keep_savers(measured_run *m)
{
    for (size_t i = 0; i < m->causes.n; i++)
        m->causes.at[i].gone = saving(m, m->causes.at[i].elapsed_without) < least_saving;
}

static int by_elapsed(const void *a, const void *b)
{
    const cause *x = a, *y = b;
    return x->elapsed_without < y->elapsed_without ? -1 : x->elapsed_without > y->elapsed_without;
}

enum { MOST_PAIRED = 6 }; // findings with prices of two at once

static void give_candidates(measured_run *m, candidates *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->causes.n; i++) {
        if (m->causes.at[i].gone)
            continue;
        candidate *to = candidate_add(c, FINDING_IMBALANCE);
        to->has_span = true;
        to->span_without = m->causes.at[i].elapsed_without;
        to->number = i;
        if (!iot_describe_cause(m, &m->causes.at[i], to)) {
            candidate_free(to);
            c->list.n--;
            continue;
        }
        for (uint32_t j = 0; j < i && n < MOST_PAIRED; j++)
            if (!m->causes.at[j].gone)
                without_both(m, j, i);
        n++;
    }
    c->both = m->both;
    c->nboth = (uint32_t)m->causes.n;
    m->both = NULL;
}

// ---------------------------------------------------------------------------------------------
// All

static void free_run(measured_run *m)
{
    iot_free_phases(m);
    iot_free_rows(m);
    for (size_t i = 0; i < m->causes.n; i++)
        free(m->causes.at[i].rests.at);
    for (uint32_t i = 0; i < trace_nsources(m->t); i++)
        iot_source_text_free(&m->texts[i]);
    free(m->causes.at);
    free(m->texts);
    free(m->have_text);
    free(m->after);
    free(m->tasks_made);
    free(m->threads_made);
    free(m->made_last);
    free(m->same);
    free(m->clauses);
    free(m->task_group);
    free(m->region_group);
    free(m->lock_group);
    free(m->both);
    free(m->barriers);
    index_free(&m->index);
}

static bool is_same(const measured_run *m, uint32_t a, uint32_t b)
{
    const trace_clause *x = trace_get_clause(m->t, a), *y = trace_get_clause(m->t, b);
    const trace_predicate *p = trace_get_predicate(m->t, x->predicate);
    const trace_predicate *q = trace_get_predicate(m->t, y->predicate);
    return x->source == y->source && x->line == y->line && x->waits == y->waits &&
           p->kind == q->kind && p->name == q->name;
}

// The runtime tells of one construct sometimes where it is, and sometimes only where the region is:
// of a line that both have it is one construct.
static void find_same(measured_run *m)
{
    base_index index = {0};
    m->same = base_allocate((size_t)trace_nclauses(m->t) + 1, sizeof *m->same);
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++) {
        const trace_clause *c = trace_get_clause(m->t, i);
        uint64_t hash = hash_word(c->source, c->line);
        uint32_t found = INDEX_NONE;
        if (c->source != TRACE_NONE && c->line > 0)
            INDEX_FIND(found, &index, hash, k, is_same(m, k, i));
        if (found == INDEX_NONE)
            index_add(&index, hash, i);
        m->same[i] = found == INDEX_NONE ? i : found;
    }
    index_free(&index);
}

// ---------------------------------------------------------------------------------------------
// Routines, loops and I/O statements that are measured, too

bool iot_is_execution(const measured_run *m, uint32_t activity)
{
    uint32_t clause = trace_reduction_clause(m->t, activity);
    trace_kind kind = kind_of_clause(m, clause);
    return kind == TRACE_KIND_ROUTINE || kind == TRACE_KIND_DO_LOOP || kind == TRACE_KIND_IO;
}

// A construct that a place is in, and how many executions were open when it began.
typedef struct {
    uint32_t clause;
    int64_t within;
} open_construct;

typedef struct {
    measured_run *m;
    uint32_t serial; // a clause of what no region does, or IOT_NONE
    ARRAY_OF(open_construct) open;
} owner_search;

static int64_t value_of(const measured_run *m, uint32_t activity, trace_key key)
{
    int64_t value;
    return iot_activity_value(m->t, activity, key, &value) ? value : 0;
}

// What the construct was in is left if it had not fewer executions around it.
static void enter_construct(owner_search *s, uint32_t activity)
{
    int64_t within = value_of(s->m, activity, TRACE_KEY_WITHIN);
    bool serial = kind_of(s->m, activity) == TRACE_KIND_SERIAL;
    while (s->open.n > 0 && (serial || s->open.at[s->open.n - 1].within >= within))
        s->open.n--;
    ARRAY_PUSH(s->open, ((open_construct){clause_of(s->m, activity), within}));
}

static uint32_t owner_of(owner_search *s, uint32_t execution)
{
    int64_t depth = value_of(s->m, execution, TRACE_KEY_DEPTH);
    while (s->open.n > 0 && s->open.at[s->open.n - 1].within >= depth)
        s->open.n--;
    return s->open.n > 0 ? s->open.at[s->open.n - 1].clause : s->serial;
}

// What is executed in a construct of OpenMP is work of that construct: its activities get the construct's
// clause.
static void give_to_constructs(measured_run *m)
{
    owner_search s = {.m = m, .serial = IOT_NONE};
    bool regions = false;
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++) {
        regions = regions || kind_of_clause(m, i) == TRACE_KIND_REGION;
        s.serial = kind_of_clause(m, i) == TRACE_KIND_SERIAL ? m->same[i] : s.serial;
    }
    for (uint32_t p = 0; regions && p < m->r->nplaces; p++) {
        s.open.n = 0;
        for (uint32_t k = m->r->at_place[p]; k < m->r->at_place[p + 1]; k++) {
            uint32_t x = m->r->by_place[k], owner = IOT_NONE;
            trace_role role = trace_kind_role(kind_of(m, x), m->r->waits[x]);
            if (iot_is_execution(m, x)) {
                m->executions = true;
                owner = owner_of(&s, x);
            } else if (!m->r->waits[x] && role != TRACE_ROLE_CALL) {
                enter_construct(&s, x);
            }
            m->clauses[x] = owner != IOT_NONE ? owner : m->clauses[x];
        }
    }
    free(s.open.at);
}

static void begin_run(measured_run *m)
{
    find_same(m);
    iot_find_same_locks(m);
    m->clauses = base_allocate((size_t)m->r->n + 1, sizeof *m->clauses);
    for (uint32_t i = 1; i < m->r->n; i++)
        m->clauses[i] = m->same[trace_reduction_clause(m->t, i)];
    give_to_constructs(m);
    m->after = base_allocate((size_t)m->r->n + 1, sizeof *m->after);
    memset(m->after, 0xff, m->r->n * sizeof *m->after);
    for (uint32_t i = 1; i < m->r->n; i++)
        if (m->r->before[i] != IOT_NONE)
            m->after[m->r->before[i]] = i;
    m->texts = base_allocate((size_t)trace_nsources(m->t) + 1, sizeof *m->texts);
    m->have_text = base_allocate((size_t)trace_nsources(m->t) + 1, sizeof *m->have_text);
    m->barriers = base_allocate((size_t)trace_nclauses(m->t) + 1, 1);
    iot_find_phases(m);
    iot_find_task_groups(m);
    iot_find_rows(m);
}

static bool is_at(const measured_run *m, uint32_t clause, const char *file, uint32_t line)
{
    if (clause == IOT_NONE)
        return false;
    const trace_clause *c = trace_get_clause(m->t, clause);
    return c->source != TRACE_NONE && c->line == line &&
           strcmp(trace_string(m->t, trace_get_source(m->t, c->source)->name, NULL), file) == 0;
}

uint32_t iot_make_even(const iot *a, const replay *r, const char *file, uint32_t line,
                       int64_t *costs)
{
    measured_run m = {.a = a, .t = a->t, .r = r};
    replay_edit edit = {.costs = costs, .free = base_allocate((size_t)r->n / 8 + 1, 1)};
    uint32_t n = 0;
    begin_run(&m);
    iot_propose_causes(&m);
    for (uint32_t i = 0; i < m.causes.n; i++) {
        const cause *c = &m.causes.at[i];
        if (c->kind != EVEN_THREADS || !(is_at(&m, c->clause, file, line) ||
                                         is_at(&m, c->other, file, line)))
            continue;
        iot_edit_cause(&m, i, r, &edit);
        n++;
    }
    free(edit.free);
    free_run(&m);
    return n;
}

void iot_find_measured(const iot *a, candidates *c)
{
    measured_run m = {.a = a, .t = a->t};
    m.r = iot_replay(a, a->preparing.progress, a->preparing.data);
    if (!m.r || m.r->elapsed <= 0)
        return;
    begin_run(&m);
    iot_propose_causes(&m);
    keep_heavy(&m);
    uint32_t n = (uint32_t)m.causes.n;
    m.both = base_allocate((size_t)n * n + 1, sizeof *m.both);
    memset(m.both, 0xff, (size_t)n * n * sizeof *m.both);
    if (price(&m)) {
        keep_savers(&m);
        if (n > 0)
            qsort(m.causes.at, n, sizeof *m.causes.at, by_elapsed);
        keep_direct(&m);
        give_candidates(&m, c);
    }
    free_run(&m);
}
