// SPDX-License-Identifier: MIT
//
// The wait states of a measured run, and classes of waits as the command line names them.
#include "base/table.h"
#include "base/text.h"
#include "iotree/prices/replay_private.h"

const char *iot_wait_state_name(wait_state state)
{
    static const char *const names[] = {
#define WAIT_STATE(id, name, text) name,
#include "iotree/prices/wait_states.def"
    };
    return names[state];
}

static wait_state state_of_collective(const char *routine)
{
    if (strcmp(routine, "MPI_Barrier") == 0)
        return WAIT_MPI_BARRIER;
    switch (iot_flow_of(routine)) {
    case TO_ROOT:
        return WAIT_EARLY_REDUCE;
    case FROM_ROOT:
        return WAIT_LATE_BROADCAST;
    default:
        return WAIT_N_BY_N;
    }
}

// A call that completes requests waits for a message, for a receive, or for others of a collective.
static wait_state state_of_requests(const trace *t, uint32_t activity)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(t, activity, &reads);
    for (uint32_t i = 0; i < n; i++) {
        trace_edge edge = trace_string_edge(t, trace_cell_name(t, reads[i]));
        if (edge == TRACE_EDGE_RECEIVE)
            return WAIT_LATE_RECEIVER;
        if (edge == TRACE_EDGE_COLLECTIVE)
            return WAIT_N_BY_N;
    }
    return WAIT_LATE_SENDER;
}

wait_state iot_wait_state_of(const iot *a, const replay *r, uint32_t activity)
{
    const uint32_t *reads;
    bool meets = r->meetings[activity] != IOT_NONE;
    if (!meets && r->first[activity] == r->first[activity + 1])
        return WAIT_STATES;
    uint32_t predicate = trace_get_clause(a->t, trace_reduction_clause(a->t, activity))->predicate;
    const trace_predicate *p = trace_get_predicate(a->t, predicate);
    bool idle = !meets && trace_reads(a->t, activity, &reads) == 0;
    switch (p->kind) {
    case TRACE_KIND_MPI_SEND:
        return WAIT_LATE_RECEIVER;
    case TRACE_KIND_MPI_RECEIVE:
        return WAIT_LATE_SENDER;
    case TRACE_KIND_MPI_WAIT:
        return state_of_requests(a->t, activity);
    case TRACE_KIND_MPI_COLLECTIVE:
        return state_of_collective(trace_string(a->t, p->name, NULL));
    case TRACE_KIND_CRITICAL_WAIT:
        return WAIT_CRITICAL;
    case TRACE_KIND_LOCK_WAIT:
        return WAIT_LOCK;
    case TRACE_KIND_ATOMIC_WAIT:
        return WAIT_ATOMIC;
    case TRACE_KIND_ORDERED_WAIT:
        return WAIT_ORDERED;
    case TRACE_KIND_BARRIER:
        return idle ? WAIT_IDLE : WAIT_BARRIER;
    case TRACE_KIND_IMPLIED_BARRIER:
    case TRACE_KIND_REDUCTION_BARRIER:
        return idle ? WAIT_IDLE : WAIT_IMPLIED_BARRIER;
    case TRACE_KIND_TASKWAIT:
    case TRACE_KIND_TASKGROUP:
        return WAIT_TASKWAIT;
    case TRACE_KIND_TASK:
        return WAIT_DEPENDENCE;
    case TRACE_KIND_ORDERED:
    case TRACE_KIND_LOOP:
        return r->waits[activity] ? WAIT_STATES : WAIT_ORDERED;
    default:
        return WAIT_STATES;
    }
}

// ---------------------------------------------------------------------------------------------
// Classes

static int64_t waited(const replay *r, uint32_t activity)
{
    int64_t took = replay_end(r, activity) - replay_start(r, activity);
    return r->waits[activity] && took > r->costs[activity] ? took - r->costs[activity] : 0;
}

static wait_class class_of(const iot *a, wait_state state, uint32_t activity)
{
    const trace_clause *c = trace_get_clause(a->t, trace_reduction_clause(a->t, activity));
    return (wait_class){.state = state,
                        .source = c->source,
                        .line = c->source == TRACE_NONE ? 0 : c->line};
}

static int by_time(const void *a, const void *b)
{
    const wait_class *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static bool same_class(const wait_class *x, const wait_class *y)
{
    return x->state == y->state && x->source == y->source && x->line == y->line;
}

typedef struct {
    const iot *a;
    const wait_class *classes;
} freeing;

static void free_one(const void *data, uint32_t number, const replay *r, replay_edit *edit)
{
    const freeing *f = data;
    for (uint32_t i = 1; i < r->n; i++) {
        wait_state state = iot_wait_state_of(f->a, r, i);
        wait_class c = class_of(f->a, state, i);
        if (state != WAIT_STATES && same_class(&c, &f->classes[number]))
            edit->free[i / 8] |= (uint8_t)(1 << i % 8);
    }
}

wait_class *iot_wait_classes(const iot *a, uint32_t most, uint32_t *ret_n, iot_progress progress,
                             void *data)
{
    const replay *r = iot_replay(a, progress, data);
    ARRAY_OF(wait_class) list = {0};
    base_index index = {0};
    for (uint32_t i = 1; r && i < r->n; i++) {
        wait_state state = iot_wait_state_of(a, r, i);
        if (state == WAIT_STATES)
            continue;
        wait_class c = class_of(a, state, i);
        uint64_t hash = hash_word(state, (uint64_t)c.source << 32 | c.line);
        uint32_t found;
        INDEX_FIND(found, &index, hash, k, same_class(&list.at[k], &c));
        if (found == INDEX_NONE) {
            found = (uint32_t)list.n;
            index_add(&index, hash, found);
            ARRAY_PUSH(list, c);
        }
        list.at[found].waits++;
        list.at[found].time += waited(r, i);
    }
    index_free(&index);
    if (list.n > 0)
        qsort(list.at, list.n, sizeof *list.at, by_time);
    uint32_t n = list.n < most ? (uint32_t)list.n : most;
    int64_t *without = base_allocate((size_t)n + 1, sizeof *without);
    bool done = r && iot_elapsed_under_each(r, free_one, &(freeing){a, list.at}, n, without,
                                            progress, data);
    for (uint32_t i = 0; done && i < n; i++)
        list.at[i].elapsed_without = without[i];
    free(without);
    *ret_n = done ? n : 0;
    if (done && !list.at)
        list.at = base_allocate(1, sizeof *list.at);
    if (!done) {
        free(list.at);
        return NULL;
    }
    return list.at;
}

char *iot_wait_class_text(const iot *a, const wait_class *c)
{
    if (c->line == 0)
        return base_copy(iot_wait_state_name(c->state));
    const char *file = trace_name(a->t, trace_get_source(a->t, c->source)->name);
    return base_format("%s@%s:%u", iot_wait_state_name(c->state), file, c->line);
}

typedef struct {
    int state; // -1: any
    const char *file; // NULL: any
    size_t length;
    uint32_t line;
} pattern;

static bool read_pattern(const char *text, pattern *p)
{
    const char *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    *p = (pattern){.state = -1};
    for (int s = 0; s < (int)WAIT_STATES; s++) {
        const char *name = iot_wait_state_name((wait_state)s);
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            p->state = s;
    }
    if ((length > 0 && p->state < 0) || (length == 0 && !at))
        return false;
    if (!at)
        return true;
    const char *colon = strrchr(at, ':');
    char *end;
    if (!colon)
        return false;
    unsigned long line = strtoul(colon + 1, &end, 10);
    p->file = at + 1;
    p->length = (size_t)(colon - at) - 1;
    p->line = (uint32_t)line;
    return end > colon + 1 && *end == 0 && line > 0 && line < UINT32_MAX;
}

static bool fits(const iot *a, const pattern *p, const wait_class *c)
{
    if (p->state >= 0 && (wait_state)p->state != c->state)
        return false;
    if (!p->file)
        return true;
    if (c->line != p->line)
        return false;
    const char *file = trace_name(a->t, trace_get_source(a->t, c->source)->name);
    return strlen(file) == p->length && strncmp(file, p->file, p->length) == 0;
}

bool iot_is_wait_class(const char *text)
{
    pattern p;
    return read_pattern(text, &p);
}

bool iot_free_class(const iot *a, const replay *r, const char *text, uint8_t *bits,
                    char **ret_error)
{
    pattern p;
    uint32_t n = 0;
    if (!read_pattern(text, &p)) {
        *ret_error = base_format("'%s' is no class of waits: write STATE, STATE@FILE:LINE or "
                                 "@FILE:LINE, as `paf report --classes` does", text);
        return false;
    }
    for (uint32_t i = 1; i < r->n; i++) {
        wait_state state = iot_wait_state_of(a, r, i);
        wait_class c = class_of(a, state, i);
        if (state == WAIT_STATES || !fits(a, &p, &c))
            continue;
        bits[i / 8] |= (uint8_t)(1 << i % 8);
        n++;
    }
    if (n == 0)
        *ret_error = base_format("nothing waits in '%s'; `paf report --classes` lists what does",
                                 text);
    return n > 0;
}
