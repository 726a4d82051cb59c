// SPDX-License-Identifier: MIT
//
// A measured run with activities of every kind of kinds.def, running and waiting, with every key, schedule
// and edge, goes through iotree and the timeline. What is expected of each is said here once more, so an
// entry of kinds.def that has none here fails.
//
//   check_kinds FILE.paf (it is written)
#include "iotree/findings.h"
#include "paf/model/timeline.h"
#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEVER = -1 };

// How activities of a kind are drawn: running, waiting. A kind that does only one of the two is drawn as
// work or as another wait where a file claims the other.
static const struct {
    const char *name;
    int running, waiting; // paf_interval_kind, or NEVER
} expected[TRACE_KINDS] = {
    [TRACE_KIND_SERIAL] = {"serial", PAF_INTERVAL_BASE, NEVER},
    [TRACE_KIND_REGION] = {"region", PAF_INTERVAL_BASE, NEVER},
    [TRACE_KIND_FORK] = {"fork", PAF_INTERVAL_BASE, NEVER},
    [TRACE_KIND_LOOP] = {"loop", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_SECTIONS] = {"sections", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_SINGLE] = {"single", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_WORKSHARE] = {"workshare", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_DISTRIBUTE] = {"distribute", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_TASKLOOP] = {"taskloop", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_SCOPE] = {"scope", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_MASTER] = {"master", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_REDUCTION] = {"reduction", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_TASK] = {"task", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_CRITICAL] = {"critical", PAF_INTERVAL_INNER, NEVER},
    [TRACE_KIND_ORDERED] = {"ordered", PAF_INTERVAL_INNER, NEVER},
    [TRACE_KIND_ATOMIC] = {"atomic", PAF_INTERVAL_INNER, NEVER},
    [TRACE_KIND_LOCK] = {"lock", PAF_INTERVAL_INNER, NEVER},
    [TRACE_KIND_CRITICAL_WAIT] = {"critical_wait", NEVER, PAF_INTERVAL_MUTEX},
    [TRACE_KIND_ORDERED_WAIT] = {"ordered_wait", NEVER, PAF_INTERVAL_MUTEX},
    [TRACE_KIND_ATOMIC_WAIT] = {"atomic_wait", NEVER, PAF_INTERVAL_MUTEX},
    [TRACE_KIND_LOCK_WAIT] = {"lock_wait", NEVER, PAF_INTERVAL_MUTEX},
    [TRACE_KIND_BARRIER] = {"barrier", NEVER, PAF_INTERVAL_USER},
    [TRACE_KIND_IMPLIED_BARRIER] = {"implied_barrier", NEVER, PAF_INTERVAL_IMPLIED},
    [TRACE_KIND_REDUCTION_BARRIER] = {"reduction_barrier", NEVER, PAF_INTERVAL_IMPLIED},
    [TRACE_KIND_TASKWAIT] = {"taskwait", NEVER, PAF_INTERVAL_OTHER},
    [TRACE_KIND_TASKGROUP] = {"taskgroup", NEVER, PAF_INTERVAL_OTHER},
    [TRACE_KIND_COMPUTATION] = {"computation", PAF_INTERVAL_BASE, NEVER},
    [TRACE_KIND_COMPUTATION_BEFORE] = {"computation before", PAF_INTERVAL_BASE, NEVER},
    [TRACE_KIND_MPI_CALL] = {"MPI call", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_MPI_SEND] = {"MPI send", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_MPI_RECEIVE] = {"MPI receive", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_MPI_WAIT] = {"MPI wait", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_MPI_COLLECTIVE] = {"MPI collective", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_MPI_REMOTE] = {"MPI remote access", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_MPI_FILE] = {"MPI file", PAF_INTERVAL_WORK, PAF_INTERVAL_OTHER},
    [TRACE_KIND_TRANSFER] = {"transfer", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_ROUTINE] = {"call", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_DO_LOOP] = {"loop", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_IO] = {"I/O", PAF_INTERVAL_WORK, NEVER},
    [TRACE_KIND_THREAD] = {"thread", PAF_INTERVAL_BASE, NEVER},
    [TRACE_KIND_CONDITION] = {"condition", NEVER, PAF_INTERVAL_OTHER},
    [TRACE_KIND_SEMAPHORE] = {"semaphore", NEVER, PAF_INTERVAL_OTHER},
    [TRACE_KIND_THREAD_JOIN] = {"join", NEVER, PAF_INTERVAL_OTHER},
    [TRACE_KIND_SLEEP] = {"sleep", NEVER, PAF_INTERVAL_OTHER},
    [TRACE_KIND_IO_WAIT] = {"I/O wait", NEVER, PAF_INTERVAL_OTHER},
};

static const char *const keys[TRACE_KEYS] = {
    [TRACE_KEY_SCHEDULE] = "schedule", [TRACE_KEY_FIRST] = "first",
    [TRACE_KEY_ITERATIONS] = "iterations", [TRACE_KEY_LOOP] = "loop",
    [TRACE_KEY_OF] = "of", [TRACE_KEY_EVERY] = "every",
    [TRACE_KEY_DEPTH] = "depth", [TRACE_KEY_WITHIN] = "within", [TRACE_KEY_SLEPT] = "slept", [TRACE_KEY_QUEUED] = "queued",
    [TRACE_KEY_TO] = "to", [TRACE_KEY_FROM] = "from",
    [TRACE_KEY_TAG] = "tag", [TRACE_KEY_BYTES] = "bytes",
    [TRACE_KEY_CANCELLED] = "cancelled",
};

static const char *const schedules[TRACE_SCHEDULES] = {
    [TRACE_SCHEDULE_STATIC] = "static", [TRACE_SCHEDULE_DYNAMIC] = "dynamic",
    [TRACE_SCHEDULE_GUIDED] = "guided", [TRACE_SCHEDULE_DISTRIBUTE] = "distribute",
    [TRACE_SCHEDULE_OTHER] = "other", [TRACE_SCHEDULE_NOT_OBSERVED] = "not observed",
    [TRACE_SCHEDULE_SECTIONS] = "sections", [TRACE_SCHEDULE_TASKLOOP] = "taskloop",
};

static const struct {
    const char *name;
    int hand; // paf_hand_kind, or NEVER
} edges[TRACE_EDGES] = {
    [TRACE_EDGE_BARRIER] = {"barrier", NEVER},
    [TRACE_EDGE_JOIN] = {"join", NEVER},
    [TRACE_EDGE_CRITICAL] = {"critical", PAF_HAND_MUTEX},
    [TRACE_EDGE_ORDERED] = {"ordered", PAF_HAND_MUTEX},
    [TRACE_EDGE_LOCK] = {"lock", PAF_HAND_MUTEX},
    [TRACE_EDGE_ATOMIC] = {"atomic", PAF_HAND_MUTEX},
    [TRACE_EDGE_TASK] = {"task", PAF_HAND_TASK},
    [TRACE_EDGE_DEPENDENCE] = {"dependence", PAF_HAND_TASK},
    [TRACE_EDGE_MESSAGE] = {"message", PAF_HAND_MESSAGE},
    [TRACE_EDGE_COLLECTIVE] = {"collective", PAF_HAND_COLLECTIVE},
    [TRACE_EDGE_RECEIVE] = {"receive", NEVER},
    [TRACE_EDGE_SIGNAL] = {"signal", NEVER},
};

static int failures;

__attribute__((format(printf, 2, 3))) static void check(bool good, const char *format, ...)
{
    va_list args;
    if (good)
        return;
    failures++;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

// ---- The trace ------------------------------------------------------------------------------

enum { UNKNOWN = 200, MOST = 3 * TRACE_KINDS + TRACE_EDGES, LONG = 100 };

// An activity of the trace; reductions have the same order, from 1.
typedef struct {
    trace_kind kind;
    bool waits;
    trace_edge edge;         // that it binds, or none
    uint32_t needs;          // reduction that binds what it reads, or 0
    trace_schedule schedule; // of a loop, else none
} activity;

typedef struct {
    activity all[MOST];
    uint32_t n;
    uint32_t clauses[MOST], predicates[MOST];
} story;

static void add(story *s, activity a)
{
    s->all[s->n++] = a;
}

static void make_story(story *s)
{
    for (unsigned k = 1; k < TRACE_KINDS; k++) {
        if (expected[k].running != NEVER)
            add(s, (activity){.kind = (trace_kind)k});
        if (expected[k].waiting != NEVER)
            add(s, (activity){.kind = (trace_kind)k, .waits = true});
    }
    add(s, (activity){.kind = UNKNOWN});
    add(s, (activity){.kind = UNKNOWN, .waits = true});
    for (unsigned i = 1; i < TRACE_SCHEDULES; i++)
        add(s, (activity){.kind = TRACE_KIND_LOOP, .schedule = (trace_schedule)i});
    for (unsigned i = 1; i < TRACE_EDGES; i++) {
        add(s, (activity){.kind = TRACE_KIND_REGION, .edge = (trace_edge)i});
        add(s, (activity){.kind = TRACE_KIND_REGION, .needs = s->n});
    }
}

static void write_tables(story *s, tw *w)
{
    uint32_t source = tw_source(w, "a.c", "", 0);
    for (uint32_t i = 0; i < s->n; i++) {
        const activity *a = &s->all[i];
        char name[64];
        trace_module m = {.source = source, .line = i + 1, .kind = a->kind};
        const char *kind = trace_kind_name(a->kind) ? trace_kind_name(a->kind) : "later";
        snprintf(name, sizeof name, "%s a.c:%u", kind, i + 1);
        uint32_t module = tw_construct(w, name, &m);
        s->predicates[i] = tw_activities(w, module, kind, a->schedule ? 4 : 0, a->kind);
        s->clauses[i] = tw_clause(w, &(trace_clause){.predicate = s->predicates[i],
                                                     .number = 1,
                                                     .source = source,
                                                     .line = i + 1,
                                                     .waits = a->waits,
                                                     .dynamic = true});
    }
}

// The beginning makes all goals; a loop's arguments are cells 4 x schedule ... of it.
static void write_beginning(const story *s, tw *w)
{
    static const trace_key said[] = {TRACE_KEY_SCHEDULE, TRACE_KEY_FIRST, TRACE_KEY_ITERATIONS,
                                     TRACE_KEY_LOOP};
    trace_cell cells[4 * TRACE_SCHEDULES];
    trace_value values[4 * TRACE_SCHEDULES], args[4 * TRACE_SCHEDULES];
    trace_goal goals[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        goals[i] = (trace_goal){.predicate = s->predicates[i]};
        if (!s->all[i].schedule)
            continue;
        goals[i].nargs = 4;
        goals[i].args = &args[n];
        for (int k = 0; k < 4; k++, n++) {
            values[n] = k == 0 ? (trace_value){.kind = TV_ATOM, .id = tw_schedule(w, s->all[i].schedule)}
                               : (trace_value){.kind = TV_INT, .i = i};
            cells[n] = (trace_cell){TC_STRUCT, tw_key(w, said[k]), 1, 1, &values[n]};
            args[n] = (trace_value){.kind = TV_CELL, .id = n};
        }
    }
    uint32_t main = tw_predicate(w, tw_module(w, "main"), "main", 0, TRACE_PROGRAM);
    trace_clause clause = {.predicate = main, .number = 1, .source = TRACE_NONE, .dynamic = true};
    tw_reduction(w, &(trace_reduction){.clause = tw_clause(w, &clause),
                                       .ncells = n,
                                       .cells = cells,
                                       .ngoals = s->n,
                                       .goals = goals});
}

static bool write_trace(story *s, const char *path, char **ret_error)
{
    tw *w = tw_create(path, &(trace_run){.clock = TRACE_MEASURED, .places = 2}, "kinds", ret_error);
    if (!w)
        return false;
    write_tables(s, w);
    write_beginning(s, w);
    uint32_t ncells = 4 * (TRACE_SCHEDULES - 1), last = 0;
    int64_t time = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const activity *a = &s->all[i];
        trace_cell variable = {TC_VARIABLE, a->edge ? tw_edge(w, a->edge) : TRACE_NONE, 0, 0, NULL};
        trace_binding b = {.variable = ncells, .value = {.kind = TV_INT, .i = 1}};
        time += a->waits ? 0 : LONG;
        tw_reduction(w, &(trace_reduction){.goal = i,
                                           .clause = s->clauses[i],
                                           .time = time,
                                           .place = a->needs ? 1 : 0,
                                           .start = (int64_t)i * LONG,
                                           .end = (int64_t)(i + 1) * LONG,
                                           .nreads = a->needs > 0,
                                           .reads = &last,
                                           .ncells = a->edge > 0,
                                           .cells = &variable,
                                           .nbindings = a->edge > 0,
                                           .bindings = &b});
        last = a->edge ? ncells++ : last;
    }
    return tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", ret_error);
}

// ---- What becomes of it ---------------------------------------------------------------------

static void check_names(void)
{
    for (unsigned i = 1; i < TRACE_KINDS; i++)
        check(g_strcmp0(expected[i].name, trace_kind_name((trace_kind)i)) == 0,
              "kind %s (%u of kinds.def) is not in check_kinds.c", trace_kind_name((trace_kind)i), i);
    for (unsigned i = 1; i < TRACE_KEYS; i++)
        check(g_strcmp0(keys[i], trace_key_name((trace_key)i)) == 0,
              "key %s is not in check_kinds.c", trace_key_name((trace_key)i));
    for (unsigned i = 1; i < TRACE_SCHEDULES; i++)
        check(g_strcmp0(schedules[i], trace_schedule_name((trace_schedule)i)) == 0,
              "schedule %s is not in check_kinds.c", trace_schedule_name((trace_schedule)i));
    for (unsigned i = 1; i < TRACE_EDGES; i++)
        check(g_strcmp0(edges[i].name, trace_edge_name((trace_edge)i)) == 0,
              "edge %s is not in check_kinds.c", trace_edge_name((trace_edge)i));
}

static void check_stretches(const story *s, const paf_timeline *l)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const activity *a = &s->all[i];
        int wanted = a->kind == UNKNOWN ? (a->waits ? PAF_INTERVAL_OTHER : PAF_INTERVAL_WORK)
                     : a->waits         ? expected[a->kind].waiting
                                        : expected[a->kind].running;
        paf_interval_kind got = paf_interval_of(l, i + 1);
        check((int)got == wanted && paf_interval_waits(got) == a->waits,
              "%s%s is drawn as %d, wanted: %d", a->waits ? "waiting at " : "",
              trace_kind_name(a->kind) ? trace_kind_name(a->kind) : "a later kind", (int)got, wanted);
    }
}

static void check_chunks(const story *s, const paf_timeline *l)
{
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t chunk = l->chunk_of[i + 1];
        check((chunk != IOT_NONE) == (s->all[i].schedule != 0), "activity %u and its chunk", i);
        if (chunk != IOT_NONE && s->all[i].schedule)
            check(trace_string_schedule(l->t, l->chunks[chunk].schedule) == s->all[i].schedule &&
                      l->chunks[chunk].first == i,
                  "the chunk with schedule %s", schedules[s->all[i].schedule]);
    }
}

static void check_hands(const story *s, const paf_timeline *l)
{
    for (uint32_t i = 0; i < s->n; i++) {
        int got = NEVER;
        if (!s->all[i].needs)
            continue;
        for (uint32_t k = 0; k < l->nhands; k++)
            if (l->hands[k].to == i + 1 && l->hands[k].from == i)
                got = (int)l->hands[k].kind;
        trace_edge edge = s->all[i - 1].edge;
        check(got == edges[edge].hand, "edge %s is drawn as %d", edges[edge].name, got);
    }
}

// Each kind that waits is a row of the waiting, in its own module.
static void check_waiting(const story *s, const iot *a)
{
    uint32_t waits = 0;
    for (uint32_t i = 0; i < s->n; i++)
        waits += s->all[i].waits;
    check(iot_nwaiting(a) == waits, "%u rows of waiting, wanted: %u", iot_nwaiting(a), waits);
    for (uint32_t i = 0; i < iot_nwaiting(a); i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        const trace_predicate *p = trace_get_predicate(iot_trace(a), w->predicate);
        const trace_module *m = trace_get_module(iot_trace(a), p->module);
        check(m->kind == p->kind && m->source == 0 && m->line > 0 && w->time == LONG,
              "the wait in %s", trace_module_name(iot_trace(a), p->module));
    }
    check(iot_nnotes(a) > 0, "no note");
}

static void check_all(const story *s, const trace *t)
{
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    paf_timeline *l = paf_timeline_create(a, IOT_REAL_TIME);
    check(trace_nreductions(t) == s->n + 1, "%u reductions", trace_nreductions(t));
    check_names();
    check_stretches(s, l);
    check_chunks(s, l);
    check_hands(s, l);
    check_waiting(s, a);
    paf_timeline_destroy(l);
    iot_destroy(a);
    iot_partition_destroy(p);
}

int main(int argc, char **argv)
{
    static story s;
    char *error = NULL;
    make_story(&s);
    trace *t = argc == 2 && write_trace(&s, argv[1], &error) ? trace_open(argv[1], NULL, NULL, &error)
                                                             : NULL;
    if (!t || error) {
        fprintf(stderr, "%s\n", error ? error : "usage: check_kinds FILE.paf");
        free(error);
        return 1;
    }
    check_all(&s, t);
    trace_close(t);
    return failures > 0;
}
