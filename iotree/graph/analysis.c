// SPDX-License-Identifier: MIT
//
// The analysis as an object: making it, and asking for what is made at once.
#include "iotree/graph/model.h"

static iot_partition *copy_partition(const iot_partition *p)
{
    iot_partition *c = iot_alloc(1, sizeof *c);
    c->nmodules = p->nmodules;
    c->names = iot_alloc(p->nmodules, sizeof *c->names);
    for (uint32_t i = 0; i < p->nmodules; i++)
        c->names[i] = iot_format("%s", p->names[i]);
    c->nentries = p->nentries;
    c->entries = iot_alloc(p->nentries, sizeof *c->entries);
    if (p->nentries)
        memcpy(c->entries, p->entries, p->nentries * sizeof *c->entries);
    return c;
}

static void make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

iot *iot_analyse(const trace *t, const iot_partition *p, iot_progress progress, void *data)
{
    iot *a = iot_alloc(1, sizeof *a);
    a->t = t;
    a->n = trace_nreductions(t);
    a->span = a->n > 1 ? trace_time(t, a->n - 1) : 0;
    a->partition = copy_partition(p);
    make_lock(&a->lock);
    if (!build_processes(a, progress, data) || !build_profile(a, progress, data)) {
        iot_destroy(a);
        return NULL;
    }
    build_critical(a);
    if (progress && !progress(data, 1)) {
        iot_destroy(a);
        return NULL;
    }
    return a;
}

static bool prepare_stages(iot *a)
{
    const iot_input *inputs;
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        iot_inputs(a, p, &inputs);
        a->prepared += a->processes[p].members;
        if (!(p & 0xff) && !a->progress(a->progress_data, 0.6 * (double)a->prepared / a->n))
            return false;
    }
    if (!a->progress(a->progress_data, 0.6))
        return false;
    iot_ndependencies(a);
    if (!a->progress(a->progress_data, 0.8))
        return false;
    iot_nunneeded(a);
    if (!a->progress(a->progress_data, 0.9))
        return false;
    iot_nfindings(a);
    return a->progress(a->progress_data, 1);
}

static bool no_progress(void *data, double fraction)
{
    (void)data, (void)fraction;
    return true;
}

bool iot_prepare(const iot *analysis, iot_progress progress, void *data)
{
    iot *a = (iot *)analysis;
    a->progress = progress ? progress : no_progress;
    a->progress_data = data;
    a->prepared = 0;
    bool done = prepare_stages(a);
    a->progress = NULL;
    return done;
}

static void destroy_demanded(iot *a)
{
    free(a->visible);
    free(a->input_of_binding);
    free(a->graph.first);
    free(a->graph.links);
    for (uint32_t i = 0; a->io && i < a->nprocesses; i++) {
        if (a->io[i]) {
            free(a->io[i]->inputs);
            free(a->io[i]->outputs);
            free(a->io[i]->makers);
            free(a->io[i]);
        }
    }
    free(a->io);
    free(a->dependencies);
    free(a->unneeded);
    for (uint32_t i = 0; i < a->nfindings; i++) {
        free(a->findings[i].title);
        free(a->findings[i].detail);
    }
    free(a->findings);
    free(a->waits);
}

void iot_destroy(iot *a)
{
    if (!a)
        return;
    destroy_demanded(a);
    destroy_profile(a);
    free(a->critical);
    free(a->data_bits);
    free(a->creation_bits);
    free(a->critical_rows);
    free(a->entry_module);
    free(a->goal_entries);
    free(a->modules);
    free(a->processes);
    free(a->few_processes);
    free(a->many_processes);
    free(a->rank);
    free(a->members);
    free(a->member_start);
    free(a->predicate_rows);
    iot_partition_destroy(a->partition);
    pthread_mutex_destroy(&a->lock);
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
    return a->npredicate_rows;
}

const iot_predicate_row *iot_get_predicate_row(const iot *a, uint32_t i)
{
    return &a->predicate_rows[i];
}

uint32_t iot_critical_length(const iot *a)
{
    return a->ncritical;
}

uint64_t iot_critical_cost(const iot *a)
{
    return a->critical_cost;
}

iot_step iot_critical_step(const iot *a, uint32_t i)
{
    return (iot_step){a->critical[i], bit_get(a->data_bits, i)};
}

uint32_t iot_creation_length(const iot *a)
{
    return a->ncreation;
}

bool iot_is_creation_bound(const iot *a)
{
    return !is_measured(a->t) && a->ncritical >= 4 && 2 * (uint64_t)a->ncreation >= a->ncritical;
}

uint32_t iot_ncritical_rows(const iot *a)
{
    return a->ncritical_rows;
}

const iot_critical_row *iot_get_critical_row(const iot *a, uint32_t i)
{
    return &a->critical_rows[i];
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
