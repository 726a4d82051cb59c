// SPDX-License-Identifier: MIT
//
// The analysis as an object: made, prepared and destroyed by the stages of all rooms; and the
// answers that iot_analyse() has computed.
#include "iotree/findings/findings.h"
#include "iotree/graph/jobs.h"
#include "iotree/graph/stage.h"
#include "iotree/prices/replay.h"
#include "iotree/prices/waits.h"
#include "iotree/processors/slack.h"
#include "iotree/time/profile.h"
#include "iotree/tree/causes.h"

static iot_partition *copy_partition(const iot_partition *p)
{
    iot_partition *c = base_allocate(1, sizeof *c);
    c->nmodules = p->nmodules;
    c->names = base_allocate(p->nmodules, sizeof *c->names);
    for (uint32_t i = 0; i < p->nmodules; i++)
        c->names[i] = base_copy(p->names[i]);
    c->nentries = p->nentries;
    c->entries = base_allocate(p->nentries, sizeof *c->entries);
    if (p->nentries)
        memcpy(c->entries, p->entries, p->nentries * sizeof *c->entries);
    return c;
}

#define ALL_LOCKS(a)                                                                               \
    {                                                                                              \
        &(a)->lock, &(a)->locks.causes, &(a)->locks.slack, &(a)->locks.graph, &(a)->locks.visible, \
            &(a)->locks.dependencies, &(a)->locks.unneeded, &(a)->locks.classes                  \
    }

static void make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

iot *iot_new(const trace *t)
{
    iot *a = base_allocate(1, sizeof *a);
    a->t = t;
    pthread_mutex_t *const locks[] = ALL_LOCKS(a);
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        make_lock(locks[i]);
    return a;
}

// What does not need each other once processes are known. The longest two begin; the last two are tables that
// not everybody wants at once.
enum { STAGE_PROFILE, STAGE_DEPENDENCIES, STAGE_PATH, STAGE_UNNEEDED, STAGES };

typedef struct {
    iot *a;
    iot_progress progress;
    void *data;
    bool tables, done;
} first_stages;

static void make_stage(void *data, uint32_t job)
{
    first_stages *s = data;
    if (job == STAGE_PROFILE)
        s->done = iot_build_profile(s->a, s->progress, s->data);
    else if (job == STAGE_DEPENDENCIES && s->tables)
        iot_ndependencies(s->a);
    else if (job == STAGE_UNNEEDED && s->tables)
        iot_nunneeded(s->a);
    if (job != STAGE_PATH)
        return;
    iot_build_critical_path(s->a);
    iot_build_cycles(s->a);
}

static iot *analyse(const trace *t, const iot_partition *p, bool tables, iot_progress progress, void *data)
{
    iot *a = iot_new(t);
    a->n = trace_nreductions(t);
    a->span = a->n > 1 ? trace_time(t, a->n - 1) : 0;
    a->partition = copy_partition(p);
    first_stages s = {a, progress, data, tables, false};
    if (iot_build_processes(a, progress, data))
        iot_run_jobs(STAGES, make_stage, NULL, &s);
    if (!s.done || (progress && !progress(data, 1))) {
        iot_destroy(a);
        return NULL;
    }
    return a;
}

iot *iot_analyse(const trace *t, const iot_partition *p, iot_progress progress, void *data)
{
    return analyse(t, p, false, progress, data);
}

iot *iot_analyse_with_tables(const trace *t, const iot_partition *p, iot_progress progress, void *data)
{
    return analyse(t, p, true, progress, data);
}

// What does not need each other: slack, for which the graph of waits is made, and the rest.
enum { TABLE_SLACK, TABLE_DEPENDENCIES, TABLE_UNNEEDED, TABLES };

typedef struct {
    iot *a;
    bool slack;
    iot_progress progress;
    void *data;
    bool done;
} table_search;

static bool find_graph_and_slack(table_search *s)
{
    stage graph = {s->progress, s->data, 0, 0.5}, slack = {s->progress, s->data, 0.5, 1};
    return iot_waits(s->a, tell_stage, &graph) && iot_find_slack(s->a, tell_stage, &slack);
}

static void make_table(void *data, uint32_t job)
{
    table_search *s = data;
    job += s->slack ? 0 : 1;
    if (job == TABLE_SLACK)
        s->done = find_graph_and_slack(s);
    else if (job == TABLE_DEPENDENCIES)
        iot_ndependencies(s->a);
    else
        iot_nunneeded(s->a);
}

bool iot_prepare_tables(const iot *analysis, bool slack, iot_progress progress, void *data)
{
    table_search s = {(iot *)analysis, slack, progress, data, true};
    iot_run_jobs(slack ? TABLES : TABLES - 1, make_table, NULL, &s);
    return s.done;
}

static bool prepare_stages(iot *a)
{
    const iot_input *inputs;
    stage tables = {a->preparing.progress, a->preparing.data, 0.6, 0.9};
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        iot_inputs(a, p, &inputs);
        a->preparing.done += a->processes[p].members;
        if (!(p & 0xff) &&
            !a->preparing.progress(a->preparing.data, 0.6 * (double)a->preparing.done / a->n))
            return false;
    }
    if (!iot_prepare_tables(a, !trace_is_measured(a->t), tell_stage, &tables) ||
        !a->preparing.progress(a->preparing.data, 0.9))
        return false;
    iot_nfindings(a, false);
    return a->preparing.progress(a->preparing.data, 1);
}

static bool no_progress(void *data, double fraction)
{
    (void)data, (void)fraction;
    return true;
}

bool iot_prepare(const iot *analysis, iot_progress progress, void *data)
{
    iot *a = (iot *)analysis;
    a->preparing.progress = progress ? progress : no_progress;
    a->preparing.data = data;
    a->preparing.done = 0;
    a->preparing.thread = pthread_self();
    bool done = prepare_stages(a);
    a->preparing.progress = NULL;
    return done;
}

void iot_watch(const iot *analysis, iot_progress progress, void *data)
{
    iot *a = (iot *)analysis;
    a->preparing.progress = progress;
    a->preparing.data = data;
    a->preparing.thread = pthread_self();
}

static void destroy_demanded(iot *a)
{
    free(a->visible);
    iot_destroy_io(a);
    free(a->dependencies.rows);
    free(a->unneeded.rows);
    iot_destroy_causes(a);
    free(a->waits.rows);
    free(a->workers.rows);
    iot_replay_free(a->replay);
    iot_destroy_waits(a);
    iot_destroy_slack(a);
}

void iot_destroy(iot *a)
{
    if (!a)
        return;
    destroy_demanded(a);
    iot_destroy_profiles(a);
    free(a->path.steps);
    free(a->path.data_bits);
    free(a->path.creation_bits);
    free(a->path.rows);
    iot_destroy_cycles(a);
    free(a->entries.module_of);
    free(a->entries.goals);
    free(a->modules);
    free(a->processes);
    free(a->process_by_reduction.few);
    free(a->process_by_reduction.many);
    free(a->members.rank);
    free(a->members.all);
    free(a->members.start);
    free(a->predicates.rows);
    iot_partition_destroy(a->partition);
    pthread_mutex_t *const locks[] = ALL_LOCKS(a);
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        pthread_mutex_destroy(locks[i]);
    free(a);
}

const trace *iot_trace(const iot *a)
{
    return a->t;
}

uint64_t iot_work(const iot *a)
{
    return a->work;
}

int64_t iot_span(const iot *a)
{
    return a->span;
}

uint32_t iot_suspended(const iot *a)
{
    return a->nsuspended;
}

uint32_t iot_nmodules(const iot *a)
{
    return a->nmodules;
}

const iot_module *iot_get_module(const iot *a, uint32_t module)
{
    return &a->modules[module];
}

uint32_t iot_npredicate_rows(const iot *a)
{
    return a->predicates.n;
}

const iot_predicate_row *iot_get_predicate_row(const iot *a, uint32_t i)
{
    return &a->predicates.rows[i];
}

uint32_t iot_critical_length(const iot *a)
{
    return a->path.n;
}

uint64_t iot_critical_cost(const iot *a)
{
    return a->path.cost;
}

iot_step iot_critical_step(const iot *a, uint32_t i)
{
    return (iot_step){a->path.steps[i], bit_get(a->path.data_bits, i)};
}

uint32_t iot_creation_length(const iot *a)
{
    return a->path.ncreation;
}

uint32_t iot_ncritical_rows(const iot *a)
{
    return a->path.nrows;
}

const iot_critical_row *iot_get_critical_row(const iot *a, uint32_t i)
{
    return &a->path.rows[i];
}

uint32_t iot_nprocesses(const iot *a)
{
    return a->nprocesses;
}

const iot_process *iot_get_process(const iot *a, uint32_t process)
{
    return &a->processes[process];
}

uint32_t iot_process_of(const iot *a, uint32_t reduction)
{
    return process_of(a, reduction);
}
