// SPDX-License-Identifier: MIT
//
// The statistics of regions in the form of the trace.
#include "kpx-bridge/timeline/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/statistics.h"

static trace_team *teams_of(const kpx_region *r, uint64_t zero)
{
    trace_team *teams = base_allocate((r->teams.n + (size_t)1), sizeof *teams);
    for (uint32_t i = 0; i < r->teams.n; i++) {
        const kpx_team *team = &r->teams.at[i];
        uint64_t start = team->start > zero ? team->start : zero;
        uint64_t end = team->end > start ? team->end : start;
        teams[i] = (trace_team){.start = (int64_t)(start - zero),
                                .took = (int64_t)(end - start),
                                .nplaces = team->nplaces,
                                .places = team->places};
    }
    return teams;
}

trace_regions *kpx_statistics_regions(const kpx_statistics *s, const uint32_t *clauses,
                                      uint64_t zero)
{
    trace_regions *all = base_allocate(1, sizeof *all);
    trace_region *regions = base_allocate((s->regions.n + (size_t)1), sizeof *regions);
    for (uint32_t i = 0; i < s->regions.n; i++) {
        const kpx_region *r = &s->regions.at[i];
        regions[i] = (trace_region){.file = r->file ? r->file : "",
                                    .length = r->file ? strlen(r->file) : 0,
                                    .line = r->line,
                                    .clause = clauses ? clauses[r->construct] : TRACE_NONE,
                                    .threads = r->threads,
                                    .elapsed = r->elapsed,
                                    .thread_time = r->thread_time,
                                    .figures = r->figures,
                                    .nteams = r->teams.n,
                                    .teams = teams_of(r, zero)};
    }
    regions[s->regions.n] = (trace_region){.file = "",
                                           .clause = TRACE_NONE,
                                           .elapsed = s->parallel,
                                           .thread_time = s->thread_time,
                                           .figures = s->figures};
    *all = (trace_regions){s->nodes, s->elapsed, s->regions.n, regions};
    return all;
}

void kpx_regions_free(trace_regions *r)
{
    for (uint32_t i = 0; i < r->nregions; i++)
        free((void *)r->regions[i].teams);
    free((void *)r->regions);
    free(r);
}

char *kpx_statistics_text(const kpx_statistics *s, const char *program, bool cpu)
{
    trace_regions *r = kpx_statistics_regions(s, NULL, 0);
    char *text = trace_statistics_text(r, program, cpu);
    kpx_regions_free(r);
    return text;
}

void kpx_statistics_free(kpx_statistics *s)
{
    for (uint32_t i = 0; i < s->regions.n; i++) {
        kpx_region *r = &s->regions.at[i];
        for (uint32_t k = 0; k < r->teams.n; k++)
            if (!r->teams.at[k].again)
                free(r->teams.at[k].places);
        free(r->teams.at);
        free(r->file);
    }
    free(s->regions.at);
}
