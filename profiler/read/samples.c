// SPDX-License-Identifier: MIT
//
// Loads samples: those of the chunks one after the other, and when all are there by worker.
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"

// The totals so far and those of one more chunk. Times of all workers together fit in 62 bits.
static bool add_samples(trace_samples *all, const trace_samples *more)
{
    uint64_t n, last;
    return more->every == all->every && more->n > 0 && more->nworkers == all->nworkers &&
           !__builtin_add_overflow(all->n, more->n, &n) &&
           !__builtin_mul_overflow(n, all->every, &last) &&
           !__builtin_mul_overflow(last, (uint64_t)all->nworkers, &last) && last >> 62 == 0 &&
           (all->n = n, true);
}

// The runs of one worker have as many samples as the chunk says.
static bool load_worker(loader *l, uint32_t worker, uint64_t n)
{
    trace *t = l->t;
    trace_sampled r = {0};
    uint64_t sum = 0;
    get_sampled(&l->columns[0], &l->k, &r);
    if (!trace_column_sound(l, &l->columns[0]))
        return false;
    if (r.nruns > INDEX_LIMIT - t->sample_runs.n || !ARRAY_RESERVE(t->sample_runs, r.nruns))
        return trace_refuse(l, trace_no_memory);
    for (uint32_t i = 0; i < r.nruns; i++) {
        if (r.runs[i] >> 2 == 0 || __builtin_add_overflow(sum, r.runs[i] >> 2, &sum))
            return trace_refuse(l, "samples that cannot be");
        t->sample_runs.at[t->sample_runs.n++] = (sample_entry){worker, r.runs[i]};
    }
    return sum == n || trace_refuse(l, "samples that do not add up");
}

// What a chunk that was refused has added is taken back.
static bool load_workers(loader *l, uint32_t count, uint64_t n)
{
    size_t before = l->t->sample_runs.n;
    for (l->record = 0; l->record < count; l->record++)
        if (!load_worker(l, l->record, n)) {
            l->t->sample_runs.n = before;
            return false;
        }
    return true;
}

bool trace_load_samples(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_REAL || t->profile)
        return trace_refuse(l, "samples of a run that was not real");
    trace_samples more = {.nworkers = count};
    get_samples(&l->columns[0], &l->k, &more);
    if (!trace_column_sound(l, &l->columns[0]))
        return false;
    // A record takes two bytes at least.
    if (count == 0 || count > TRACE_PLACES || count > column_left(&l->columns[0]))
        return trace_refuse(l, "a record is cut short");
    trace_samples all = {.every = more.every, .nworkers = count};
    if (t->samples)
        all = *t->samples;
    if (more.every == 0 || !add_samples(&all, &more))
        return trace_refuse(l, "samples that do not follow those before");
    trace_samples *kept = t->samples ? t->samples : trace_arena_take(&t->tables, sizeof *kept);
    if (!kept)
        return trace_refuse(l, trace_no_memory);
    if (!load_workers(l, count, more.n))
        return false;
    *kept = all;
    t->samples = kept;
    return true;
}

// Distances become times, which fit in 62 bits.
static bool load_ready(loader *l, trace_ready *r)
{
    get_ready(&l->columns[0], &l->k, r);
    if (!trace_column_sound(l, &l->columns[0]))
        return false;
    trace_ready_count *counts = (trace_ready_count *)(uintptr_t)r->counts;
    uint64_t time = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (__builtin_add_overflow(time, counts[i].time, &time) || time >> 62 > 0 ||
            counts[i].goals > UINT32_MAX)
            return trace_refuse(l, "ready goals that cannot be");
        counts[i].time = time;
    }
    return true;
}

bool trace_load_ready(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_REAL || t->profile || t->ready)
        return trace_refuse(l, "ready goals of a run that was not real, or twice");
    // A record takes a byte at least.
    if (count == 0 || count > TRACE_PLACES || count > column_left(&l->columns[0]))
        return trace_refuse(l, "a record is cut short");
    trace_ready *ready = trace_arena_take(&t->tables, count * sizeof *ready);
    if (!ready)
        return trace_refuse(l, trace_no_memory);
    memset(ready, 0, count * sizeof *ready);
    for (l->record = 0; l->record < count; l->record++)
        if (!load_ready(l, &ready[l->record]))
            return false;
    t->ready = ready;
    t->nready = count;
    return true;
}

bool trace_finish_samples(trace *t)
{
    if (!t->samples)
        return true;
    uint32_t n = t->samples->nworkers;
    trace_sampled *workers = trace_arena_take(&t->tables, n * sizeof *workers);
    uint64_t *runs = trace_arena_take(&t->tables, t->sample_runs.n * sizeof *runs);
    if (!workers || !runs)
        return false;
    memset(workers, 0, n * sizeof *workers);
    for (size_t i = 0; i < t->sample_runs.n; i++)
        workers[t->sample_runs.at[i].worker].nruns++;
    for (uint32_t i = 0; i < n; i++) {
        workers[i].runs = runs;
        runs += workers[i].nruns;
        workers[i].nruns = 0;
    }
    for (size_t i = 0; i < t->sample_runs.n; i++) {
        trace_sampled *w = &workers[t->sample_runs.at[i].worker];
        ((uint64_t *)(uintptr_t)w->runs)[w->nruns++] = t->sample_runs.at[i].run;
    }
    t->samples->workers = workers;
    free(t->sample_runs.at);
    t->sample_runs.at = NULL;
    t->sample_runs.n = t->sample_runs.capacity = 0;
    return true;
}
