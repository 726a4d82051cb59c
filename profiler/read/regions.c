// SPDX-License-Identifier: MIT
//
// Loads parallel regions, dropped events and workers, which are kept in the tables' memory, and the machine.
#include "profiler/format/decode.h"
#include "profiler/read/version3.h"

// No sum that anybody makes of these overflows.
static bool check_figures(loader *l, const trace_region *r)
{
    const uint64_t most = INT64_MAX >> 8;
    bool good = r->elapsed <= most && r->thread_time <= most;
    for (int i = 0; i < TRACE_FIGURES && good; i++)
        good = r->figures[i].count <= most && r->figures[i].running <= most &&
               r->figures[i].waiting <= most;
    return good || trace_refuse(l, "sums that cannot be");
}

static bool check_teams(loader *l, const trace_region *r)
{
    for (uint32_t i = 0; i < r->nteams; i++) {
        const trace_team *team = &r->teams[i];
        int64_t end;
        if (__builtin_add_overflow(team->start, team->took, &end))
            return trace_refuse(l, "a team that ends too late");
        for (uint32_t k = 0; k < team->nplaces; k++)
            if (team->places[k] >= l->t->run.places)
                return trace_refuse(l, "a place that does not exist");
    }
    return true;
}

static bool load_region(loader *l, trace_region *r)
{
    *r = (trace_region){0};
    get_region(&l->columns[COLUMN_REGIONS], &l->k, r);
    get_teams(&l->columns[COLUMN_TEAMS], &l->k, r);
    if (!trace_column_sound(l, &l->columns[COLUMN_REGIONS]) ||
        !trace_column_sound(l, &l->columns[COLUMN_TEAMS]))
        return false;
    if (l->t->format == 3)
        trace_version3_region(r);
    if (r->clause != TRACE_NONE && r->clause >= l->t->clauses.n)
        return trace_refuse(l, "a clause that does not exist");
    for (int i = 0; i < TRACE_FIGURES; i++) { // until another chunk tells more
        trace_figure *f = (trace_figure *)(uintptr_t)&r->figures[i];
        f->ran = f->running;
        f->spun = f->waiting;
    }
    return check_figures(l, r) && check_teams(l, r);
}

bool trace_load_regions(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_MEASURED || t->regions)
        return trace_refuse(l, "regions of a run that was not measured, or twice");
    trace_regions *all = trace_arena_take(&t->tables, sizeof *all);
    if (!all)
        return trace_refuse(l, trace_no_memory);
    *all = (trace_regions){0};
    get_regions(&l->columns[COLUMN_REGIONS], &l->k, all);
    if (!trace_column_sound(l, &l->columns[COLUMN_REGIONS]))
        return false;
    // A record takes four bytes at least.
    if (count == 0 || count > column_left(&l->columns[COLUMN_REGIONS]) ||
        all->elapsed > INT64_MAX >> 8)
        return trace_refuse(l, "a record is cut short");
    trace_region *regions = trace_arena_take(&t->tables, count * sizeof *regions);
    if (!regions)
        return trace_refuse(l, trace_no_memory);
    for (l->record = 0; l->record < count; l->record++)
        if (!load_region(l, &regions[l->record]))
            return false;
    all->nregions = count - 1;
    all->regions = regions;
    t->regions = all;
    return true;
}

static bool load_region_ran(loader *l, const trace_region *of)
{
    trace_region r = {0};
    get_region_ran(&l->columns[0], &l->k, &r);
    if (!trace_column_sound(l, &l->columns[0]))
        return false;
    for (int i = 0; i < TRACE_FIGURES; i++) {
        trace_figure *f = (trace_figure *)(uintptr_t)&of->figures[i];
        if (r.figures[i].ran > f->running || r.figures[i].spun > f->waiting)
            return trace_refuse(l, "more processor time than time");
        f->ran = r.figures[i].ran;
        f->spun = r.figures[i].spun;
    }
    return true;
}

bool trace_load_figures_ran(loader *l, uint32_t count)
{
    const trace_regions *all = l->t->regions;
    if (!all || count != all->nregions + 1 || l->t->processor_times)
        return trace_refuse(l, "processor times of other regions, or twice");
    for (l->record = 0; l->record < count; l->record++)
        if (!load_region_ran(l, &all->regions[l->record]))
            return false;
    l->t->processor_times = true;
    return true;
}

// Sums over all places do not overflow, either.
static bool load_dropped_at(loader *l, const trace_dropped *before, trace_dropped *r)
{
    *r = (trace_dropped){0};
    get_dropped(&l->columns[0], &l->k, r);
    if (!trace_column_sound(l, &l->columns[0]))
        return false;
    if (r->place >= l->t->run.places || (before && r->place <= before->place))
        return trace_refuse(l, "a place that does not exist, or out of order");
    if (r->kept >= r->seen || r->seen > TRACE_MOST_EVENTS)
        return trace_refuse(l, "sums that cannot be");
    return true;
}

bool trace_load_dropped(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_MEASURED || t->dropped)
        return trace_refuse(l, "dropped events of a run that was not measured, or twice");
    // A record takes four bytes at least.
    if (count == 0 || count > column_left(&l->columns[0]))
        return trace_refuse(l, "a record is cut short");
    trace_dropped *dropped = trace_arena_take(&t->tables, count * sizeof *dropped);
    if (!dropped)
        return trace_refuse(l, trace_no_memory);
    for (l->record = 0; l->record < count; l->record++)
        if (!load_dropped_at(l, l->record > 0 ? &dropped[l->record - 1] : NULL, &dropped[l->record]))
            return false;
    t->dropped = dropped;
    t->ndropped = count;
    return true;
}

bool trace_load_machine(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_MEASURED || t->machine.processors > 0 || t->machine.clock > 0)
        return trace_refuse(l, "the machine of a run that was not measured, or twice");
    trace_machine machine = {0};
    get_machine(&l->columns[0], &l->k, &machine);
    if (count != 1 || !trace_column_sound(l, &l->columns[0]))
        return count != 1 ? trace_refuse(l, "a machine is one record") : false;
    t->machine = machine;
    return true;
}

static bool load_worker(loader *l, trace_worker *w)
{
    get_worker(&l->columns[1], &l->k, w);
    if (!trace_column_sound(l, &l->columns[1]))
        return false;
    if (w->waiting > TRACE_MOST_TIME || w->locked > TRACE_MOST_TIME)
        return trace_refuse(l, "sums that cannot be");
    return true;
}

bool trace_load_workers(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_REAL || t->workers)
        return trace_refuse(l, "workers of a run that was not real, or twice");
    // A record takes four bytes at least.
    if (count == 0 || count > TRACE_PLACES || count > column_left(&l->columns[1]))
        return trace_refuse(l, "a record is cut short");
    get_collector(&l->columns[0], &l->k, &t->collector);
    if (!trace_column_sound(l, &l->columns[0]))
        return false;
    if (t->collector.time > TRACE_MOST_TIME)
        return trace_refuse(l, "sums that cannot be");
    trace_worker *workers = trace_arena_take(&t->tables, count * sizeof *workers);
    if (!workers)
        return trace_refuse(l, trace_no_memory);
    for (l->record = 0; l->record < count; l->record++)
        if (!load_worker(l, &workers[l->record]))
            return false;
    t->workers = workers;
    t->nworkers = count;
    return true;
}
