// SPDX-License-Identifier: MIT
//
// Rows of places: by node and by process, closed and open, in order of number and of waiting, scrolled, all
// in sight. 2 nodes with 3 ranks of 4 threads each; the higher a place's number, the longer it waits.
//
//   check_rows OUT.paf
#include "kpx-bridge/timeline/activities.h"
#include "paf/layout/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 2, RANKS = 3, THREADS = 4, PLACES = NODES * RANKS * THREADS };

static int failures;

static void check(bool good, const char *what, double a, double b)
{
    if (!good && failures++ < 20)
        fprintf(stderr, "%s: %g, not %g\n", what, a, b);
}

static bool write_trace(const char *path)
{
    kpx_activities *m = kpx_activities_create();
    uint32_t work =
        kpx_add_construct(m, "work", TRACE_KIND_SERIAL, kpx_doing_of(TRACE_KIND_SERIAL), KPX_NONE, 0);
    uint32_t wait =
        kpx_add_construct(m, "barrier", TRACE_KIND_BARRIER, kpx_doing_of(TRACE_KIND_BARRIER), KPX_NONE, 0);
    for (int rank = 0; rank < NODES * RANKS; rank++)
        for (int thread = 0; thread < THREADS; thread++) {
            char name[64];
            // Ranks take turns on the nodes.
            snprintf(name, sizeof name, "rank %d@node%d thread %d", rank, rank % NODES, thread);
            uint32_t place = kpx_add_place(m, name);
            uint64_t until = 10000 - 100 * (uint64_t)place;
            uint32_t a = kpx_add_activity(m, work, place, KPX_NONE, 0, until);
            kpx_add_activity(m, wait, place, a, until, 10000);
        }
    char *error = NULL;
    kpx_statistics s = {.elapsed = 10000, .nodes = 1};
    bool good = kpx_write(m, path, "rows", &s, true, 0, "", &error);
    if (!good)
        fprintf(stderr, "%s\n", error);
    free(error);
    kpx_statistics_free(&s);
    kpx_activities_destroy(m);
    return good;
}

static uint32_t count(const paf_layout *l, int kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < paf_picture_nhits(l->picture); i++)
        n += (int)paf_picture_hit(l->picture, i)->kind == kind;
    return n;
}

// The place of the topmost row that has one.
static uint32_t first_place(const paf_layout *l)
{
    double top = 1e9;
    uint32_t place = UINT32_MAX;
    for (uint32_t i = 0; i < paf_picture_nhits(l->picture); i++) {
        const paf_hit *hit = paf_picture_hit(l->picture, i);
        if (hit->kind == PAF_HIT_PLACE && hit->place.y < top) {
            top = hit->place.y;
            place = hit->a;
        }
    }
    return place;
}

static void check_groups(const paf_place_groups *g)
{
    check(g->ngroups == NODES + NODES * RANKS, "groups", g->ngroups, NODES + NODES * RANKS);
    uint32_t node = paf_place_group_named(g, "node1"), rank = paf_place_group_named(g, "rank 3");
    if (node == TRACE_NONE || rank == TRACE_NONE) {
        check(false, "a group without a name", node, rank);
        return;
    }
    check(g->groups[node].n == PLACES / NODES && g->groups[rank].n == THREADS, "places of groups",
          g->groups[node].n, g->groups[rank].n);
    check(g->groups[rank].parent == node, "the node of a rank", g->groups[rank].parent, node);
    check(!strcmp(g->names[THREADS * 3 + 1], "thread 1"), "the name of a thread", 0, 1);
    uint32_t *order = paf_places_in_order(g, false);
    for (uint32_t i = 0; i < PLACES; i++) { // nodes, then their ranks, then threads
        uint32_t rank_of = i / THREADS < RANKS ? i / THREADS * NODES : (i / THREADS - RANKS) * NODES + 1;
        check(order[i] == rank_of * THREADS + i % THREADS, "order by number", order[i], i);
    }
    g_free(order);
    order = paf_places_in_order(g, true);
    check(order[0] == PLACES - 1 && order[PLACES - 1] == 0, "order by waiting", order[0], order[PLACES - 1]);
    g_free(order);
}

static void check_layout(const paf_model *m, paf_shaped_text *text)
{
    paf_view view = paf_view_fit(m, 1280, 800);
    paf_layout *l = paf_layout_create(m, &view, text);
    uint32_t rows = PLACES + NODES + NODES * RANKS, shown = l->rows_shown;
    check(l->nrows == rows && shown < rows, "rows", l->nrows, rows);
    check(count(l, PAF_HIT_PLACE) + count(l, PAF_HIT_GROUP) == shown, "names of rows", shown,
          count(l, PAF_HIT_GROUP));
    check(count(l, PAF_HIT_ROWS_BAR) == 1, "scrollbars", count(l, PAF_HIT_ROWS_BAR), 1);
    check(l->row_step >= 15, "rows are readable", l->row_step, 15);
    check(first_place(l) == 0, "the first place", first_place(l), 0);
    paf_layout_destroy(l);
    view.first_row = 1000; // no further than the end
    l = paf_layout_create(m, &view, text);
    check(l->first_row == rows - shown, "the last rows", l->first_row, rows - shown);
    paf_layout_destroy(l);
    view.first_row = 0;
    view.by_wait = true;
    l = paf_layout_create(m, &view, text);
    check(first_place(l) == PLACES - 1, "what waited longest", first_place(l), PLACES - 1);
    paf_layout_destroy(l);
    view.all_rows = true;
    l = paf_layout_create(m, &view, text);
    check(l->rows_shown == l->nrows, "all in sight", l->rows_shown, l->nrows);
    paf_layout_destroy(l);
}

static void check_folded(const paf_model *m, paf_shaped_text *text)
{
    const paf_place_groups *g = m->timeline->groups;
    uint8_t *shut = g_new0(uint8_t, g->ngroups);
    paf_view view = paf_view_fit(m, 1280, 800);
    memset(shut, 1, g->ngroups);
    view.shut = shut;
    paf_layout *l = paf_layout_create(m, &view, text);
    check(l->nrows == NODES && count(l, PAF_HIT_PLACE) == 0, "closed nodes", l->nrows, NODES);
    paf_layout_destroy(l);
    shut[paf_place_group_named(g, "node0")] = 0;
    l = paf_layout_create(m, &view, text);
    check(l->nrows == NODES + RANKS, "an open node", l->nrows, NODES + RANKS);
    paf_layout_destroy(l);
    g_free(shut);
}

static void check_file(const char *path)
{
    trace *t = trace_open(path, NULL, NULL, NULL);
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    paf_model *m = paf_model_create(a, NULL, NULL);
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    check_groups(m->timeline->groups);
    check_layout(m, text);
    check_folded(m, text);
    paf_shaped_text_destroy(text);
    paf_model_destroy(m);
    iot_destroy(a);
    iot_partition_destroy(p);
    trace_close(t);
}

int main(int argc, char **argv)
{
    if (argc != 2 || !write_trace(argv[1]))
        return 2;
    check_file(argv[1]);
    return failures > 0;
}
