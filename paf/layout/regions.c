// SPDX-License-Identifier: MIT
//
// The parallel regions of an OpenMP run. The side bar has a row for each region, with its time and
// its share of the program's time. The details pane has the statistics of the chosen region, with
// the same rows as profiler/report/statistics.c.
#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"
#include "profiler/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define PAD  10.0
#define ROW  24.0
#define LINE 16.0

// ---------------------------------------------------------------------------------------------
// Rows

char *paf_region_name(const trace_regions *all, uint32_t region)
{
    const trace_region *r = &all->regions[region];
    if (region == all->nregions)
        return g_strdup("whole program");
    return r->line    ? g_strdup_printf("%s:%" PRIu32, r->file, r->line)
           : *r->file ? g_strdup(r->file)
                      : g_strdup_printf("region %" PRIu32, region);
}

static double nodes_of(const trace_regions *all)
{
    return MAX(all->nodes, 1);
}

// Of all processes.
static double program_time(const trace_regions *all)
{
    return (double)all->elapsed * nodes_of(all);
}

static int by_time(const void *x, const void *y)
{
    const trace_region *const *a = x, *const *b = y;
    if ((*a)->elapsed != (*b)->elapsed)
        return (*a)->elapsed > (*b)->elapsed ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

uint32_t paf_region_rank(const trace_regions *all, uint32_t region)
{
    const trace_region *r = &all->regions[region];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < all->nregions; i++) {
        const trace_region *other = &all->regions[i];
        rank += by_time(&other, &r) < 0;
    }
    return rank;
}

static void draw_row(paf_drawing *d, const trace_regions *all, uint32_t region, double y)
{
    const trace_region *r = &all->regions[region];
    bool whole = region == all->nregions;
    paf_rect place = {d->f.side.x + PAD, y, d->f.side.w - 2 * PAD, ROW - 2};
    uint32_t module = r->clause == TRACE_NONE ? IOT_NONE : paf_module_of_clause(d->m, r->clause);
    double part = program_time(all) > 0 ? (double)r->elapsed / program_time(all) : 0;
    double right = place.x + place.w - 8, base = y + 15;
    paf_round_box(d->pic, place.x, place.y, place.w, place.h, 4);
    paf_fill_and_stroke(d->pic, d->theme->card, 0,
                        d->v->region == region ? d->theme->amber : d->theme->border, 1);
    if (!whole) {
        paf_round_box(d->pic, place.x + 1, place.y + place.h - 3,
                      fmax(fmin(part, 1) * (place.w - 2), 2), 2, 1);
        paf_fill(d->pic, module == IOT_NONE ? d->theme->bars : paf_colour_of(d, module),
                 0);
    }
    char *title = paf_region_name(all, region),
         *share = paf_percent((double)r->elapsed, program_time(all));
    // Of several processes the mean, as the program's time is that of one.
    double took = whole ? (double)all->elapsed : (double)r->elapsed / nodes_of(all);
    char *time = paf_duration(d->m->t, (int64_t)took);
    double w =
        paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, right, base, 0, 1, whole ? time : share);
    if (!whole)
        w +=
            8 + paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right - w - 8, base, 0, 1, time);
    paf_write_name(d->pic, PAF_TEXT_BODY, d->theme->ink, place.x + 8, base,
                   right - w - 8 - place.x - 8, 0, title);
    paf_add_hit(d->pic, place, PAF_HIT_REGION, region, 0);
    g_free(title);
    g_free(share);
    g_free(time);
}

double paf_draw_regions(paf_drawing *d, double y)
{
    const trace_regions *all = trace_get_regions(d->m->t);
    double start = y;
    if (!all)
        return 0;
    const trace_region **order = g_new(const trace_region *, all->nregions + 1);
    for (uint32_t i = 0; i < all->nregions; i++)
        order[i] = &all->regions[i];
    qsort(order, all->nregions, sizeof *order, by_time);
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, d->f.side.x + 16, y, 0, 0,
              "PARALLEL REGIONS");
    y += 8;
    draw_row(d, all, all->nregions, y);
    y += ROW;
    uint32_t first =
        MIN(d->v->first_region,
            all->nregions > PAF_REGIONS_SHOWN ? all->nregions - PAF_REGIONS_SHOWN : 0);
    uint32_t shown = MIN(all->nregions - first, PAF_REGIONS_SHOWN);
    for (uint32_t i = first; i < first + shown; i++, y += ROW)
        draw_row(d, all, (uint32_t)(order[i] - all->regions), y);
    d->out->more_regions = first + shown < all->nregions;
    if (shown < all->nregions) {
        char *text =
            g_strdup_printf("%" PRIu32 " of %" PRIu32 " · scroll, R, / to search", shown,
                            all->nregions);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->f.side.x + 18, y + 11, 0, 0, text);
        g_free(text);
        y += 16;
    }
    g_free(order);
    d->out->regions = (paf_rect){d->f.side.x, start - 16, d->f.side.w, y - start + 16};
    return y - start + 22;
}

// ---------------------------------------------------------------------------------------------
// Statistics

static void write_time(paf_drawing *d, double right, double y, double width, uint64_t time,
                       double whole)
{
    double nodes = nodes_of(trace_get_regions(d->m->t));
    char *text = g_strdup_printf("%.6fs(%7.3f)", (double)time / 1e9 / nodes,
                                 whole > 0 ? 100 * (double)time / whole : 0);
    paf_write(d->pic, width < 132 ? PAF_TEXT_TINY : PAF_TEXT_MONO, d->theme->ink, right, y, width,
              1, text);
    g_free(text);
}

static void write_figure(paf_drawing *d, paf_rect place, double y, const trace_region *r,
                         trace_figure_kind kind)
{
    const trace_figure *f = &r->figures[kind];
    const trace_figure_row *row = trace_get_figure_row(kind);
    double title = place.x + place.w * 0.25, count = place.x + place.w * 0.34;
    double runs = place.x + place.w * 0.67, waits = place.x + place.w, w = place.w * 0.33;
    paf_write(d->pic, PAF_TEXT_BODY, f->observed ? d->theme->ink : d->theme->quiet, title, y,
              place.w * 0.25, 1, row->title);
    if (!f->observed) {
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, title + 16, y, 0, 0, "not observed");
        return;
    }
    if (row->counts) {
        char *text = paf_number(f->count);
        paf_write(d->pic, PAF_TEXT_MONO, d->theme->ink, count, y, place.w * 0.1, 1, text);
        g_free(text);
    }
    if (row->runs)
        write_time(d, runs, y, w, f->running, (double)r->thread_time);
    if (row->waits)
        write_time(d, waits, y, w, trace_figure_waiting(kind, f), (double)r->thread_time);
}

static void write_heads(paf_drawing *d, paf_rect place, const trace_regions *all, uint32_t region)
{
    const trace_region *r = &all->regions[region];
    bool whole = region == all->nregions;
    char *name = paf_region_name(all, region);
    char *title = whole ? g_strdup_printf("Program: %s", trace_program(d->m->t))
                        : g_strdup_printf("Parallel Region %" PRIu32 " (%s)", region, name);
    paf_write(d->pic, PAF_TEXT_HEAD, d->theme->ink, place.x, place.y + 16, place.w, 0, title);
    double share = program_time(all) > 0 ? 100 * (double)r->elapsed / program_time(all) : 0;
    double seconds = (double)r->elapsed / 1e9 / nodes_of(all);
    char *times = paf_count(r->nteams, "time", "times");
    char *lines[] = {
        whole
            ? g_strdup_printf("Number of Nodes: %" PRIu32 " · Number of Parallel Regions: %" PRIu32,
                              all->nodes, all->nregions)
            : g_strdup_printf("Region Exec. Time: %.6fs (%.3f %%) · Number of Threads: %" PRIu32,
                              seconds, share, r->threads),
        whole ? g_strdup_printf("Program Exec. Time: %.6fs · Parallel Exec. Time: %.6fs (%.2f %%)",
                                (double)all->elapsed / 1e9, seconds, share)
        : all->nodes > 1
            ? g_strdup_printf("executed %s · times are means of %" PRIu32 " processes", times, all->nodes)
            : g_strdup_printf("executed %s", times)};
    for (int i = 0; i < 2; i++) {
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, place.y + 33 + 14 * i, place.w,
                  0, lines[i]);
        g_free(lines[i]);
    }
    g_free(times);
    g_free(title);
    g_free(name);
}

void paf_draw_statistics(paf_drawing *d, paf_rect place)
{
    const trace_regions *all = trace_get_regions(d->m->t);
    if (!all || d->v->region > all->nregions)
        return;
    write_heads(d, place, all, d->v->region);
    double y = place.y + 62, line = fmin(LINE, (place.y + place.h - 8 - y) / TRACE_FIGURES);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x + place.w * 0.34, y, 0, 1, "Count");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x + place.w * 0.67, y, 0, 1,
              "Exec. Time(%)");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x + place.w, y, 0, 1, "Wait. Time(%)");
    for (int k = 0; k < TRACE_FIGURES; k++)
        write_figure(d, place, y + (k + 1) * line, &all->regions[d->v->region],
                     (trace_figure_kind)k);
}
