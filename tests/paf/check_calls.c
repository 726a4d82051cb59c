// SPDX-License-Identifier: MIT
//
// Where places were and who sent to whom. Two ranks run main, which calls solve, which calls inner and, on
// rank 1 only, itself; solve sends and receives. All times are known.
//
//   check_calls OUT.paf
#include "kpx-bridge/timeline/activities.h"
#include "paf/layout/layout.h"
#include "paf/model/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2 };

static int failures;

static void check(bool good, const char *what, double a, double b)
{
    if (!good && failures++ < 20)
        fprintf(stderr, "%s: %g, not %g\n", what, a, b);
}

typedef struct {
    kpx_activities *m;
    uint32_t main, solve, inner, send, receive;
} program;

static uint32_t routine(program *p, const char *name)
{
    return kpx_add_construct(p->m, name, TRACE_KIND_ROUTINE, kpx_doing_of(TRACE_KIND_ROUTINE), KPX_NONE, 0);
}

// One stretch of a rank, with a value of what is open there.
static uint32_t stretch(program *p, uint32_t construct, uint32_t place, uint32_t after, trace_key key,
                        int open, uint64_t from, uint64_t to)
{
    uint32_t a = kpx_add_activity(p->m, construct, place, after, from, to);
    kpx_add_value(p->m, a, key, open);
    return a;
}

// main 0-10, solve -20, inner -30 (rank 1: solve within solve), the message, solve -60, main -70.
static void run_rank(program *p, uint32_t place, int rank, uint32_t *sent)
{
    uint32_t a = stretch(p, p->main, place, KPX_NONE, TRACE_KEY_DEPTH, 1, 0, 10);
    a = stretch(p, p->solve, place, a, TRACE_KEY_DEPTH, 2, 10, 20);
    a = stretch(p, rank == 0 ? p->inner : p->solve, place, a, TRACE_KEY_DEPTH, 3, 20, 30);
    if (rank == 0) {
        *sent = a;
        a = stretch(p, p->send, place, a, TRACE_KEY_WITHIN, 2, 30, 32);
        for (int i = 0; i < 2; i++) { // two messages of one call
            kpx_add_value(p->m, a, TRACE_KEY_TO, 1);
            kpx_add_value(p->m, a, TRACE_KEY_TAG, 7);
            kpx_add_value(p->m, a, TRACE_KEY_BYTES, 100 + i);
        }
        a = stretch(p, p->solve, place, a, TRACE_KEY_DEPTH, 2, 32, 60);
    } else {
        a = stretch(p, p->receive, place, a, TRACE_KEY_WITHIN, 2, 30, 50);
        kpx_add_value(p->m, a, TRACE_KEY_FROM, 0);
        kpx_add_value(p->m, a, TRACE_KEY_TAG, 7);
        kpx_add_value(p->m, a, TRACE_KEY_BYTES, 100);
        kpx_add_arrow(p->m, *sent, a, TRACE_EDGE_MESSAGE);
        a = stretch(p, p->solve, place, a, TRACE_KEY_DEPTH, 2, 50, 60);
    }
    stretch(p, p->main, place, a, TRACE_KEY_DEPTH, 1, 60, 70);
}

static bool write_trace(const char *path)
{
    program p = {.m = kpx_activities_create()};
    uint32_t sent = KPX_NONE;
    p.main = routine(&p, "main");
    p.solve = routine(&p, "solve");
    p.inner = routine(&p, "inner");
    const kpx_doing sends = kpx_doing_of(TRACE_KIND_MPI_SEND);
    const kpx_doing waits = {TRACE_KIND_MPI_RECEIVE, "MPI_Recv", true};
    p.send = kpx_add_construct(p.m, "MPI_Send", TRACE_KIND_MPI_SEND, sends, KPX_NONE, 0);
    p.receive = kpx_add_construct(p.m, "MPI_Recv", TRACE_KIND_MPI_RECEIVE, waits, KPX_NONE, 0);
    for (int rank = 0; rank < RANKS; rank++) {
        char name[32];
        snprintf(name, sizeof name, "rank %d", rank);
        run_rank(&p, kpx_add_place(p.m, name), rank, &sent);
    }
    char *error = NULL;
    bool good = kpx_write(p.m, path, "program", NULL, true, 0, "", &error);
    if (!good)
        fprintf(stderr, "%s\n", error);
    free(error);
    kpx_activities_destroy(p.m);
    return good;
}

static const paf_called *named(const paf_calls *calls, const iot *a, const char *name)
{
    for (uint32_t i = 0; i < calls->n; i++)
        if (!strcmp(iot_get_module(a, calls->calls[i].module)->name, name))
            return &calls->calls[i];
    return NULL;
}

static void expect(const paf_calls *calls, const iot *a, const char *name, int64_t inclusive,
                   int64_t exclusive, int64_t waiting)
{
    const paf_called *call = named(calls, a, name);
    check(call != NULL, name, 0, 1);
    if (!call)
        return;
    check(call->inclusive == inclusive, "inclusive", (double)call->inclusive, (double)inclusive);
    check(call->exclusive == exclusive, "exclusive", (double)call->exclusive, (double)exclusive);
    check(call->waiting == waiting, "waiting", (double)call->waiting, (double)waiting);
}

static int64_t called_by(const paf_calls *calls, const iot *a, const char *caller, const char *callee)
{
    const paf_called *call = named(calls, a, caller);
    for (uint32_t i = 0; call && i < call->ncallees; i++) {
        const paf_callee *row = &calls->callees[call->first_callee + i];
        if (!strcmp(iot_get_module(a, row->callee)->name, callee))
            return row->time;
    }
    return 0;
}

static void check_calls(paf_timeline *l, const iot *a)
{
    const paf_calls *calls = paf_calls_within(l, a, 0, 70);
    uint32_t cell;
    expect(calls, a, "main", 140, 40, 20);
    expect(calls, a, "solve", 100, 10 + 28 + 20 + 10, 20); // within itself it counts once
    expect(calls, a, "inner", 10, 10, 0);
    expect(calls, a, "MPI_Recv", 20, 20, 20);
    check(called_by(calls, a, "main", "solve") == 100, "main calls solve",
          (double)called_by(calls, a, "main", "solve"), 100);
    check(called_by(calls, a, "solve", "inner") == 10, "solve calls inner", 0, 10);
    check(called_by(calls, a, "solve", "solve") == 0, "solve calls itself", 1, 0);
    check(called_by(calls, a, "solve", "MPI_Recv") == 20, "solve receives", 0, 20);
    const paf_called *inner = named(calls, a, "inner");
    double even = inner ? paf_call_imbalance(calls, inner, &cell) : 0;
    check(even == 2 && cell == 0, "only one rank calls inner", even, 2);
    calls = paf_calls_within(l, a, 15, 25);
    expect(calls, a, "solve", 20, 15, 0);
    expect(calls, a, "inner", 5, 5, 0);
    check(named(calls, a, "MPI_Recv") == NULL, "what is outside of the stretch", 1, 0);
}

static void check_messages(paf_timeline *l)
{
    const paf_messages *m = paf_messages_within(l, 0, 70);
    check(m && m->n == RANKS, "ranks", m ? m->n : 0, RANKS);
    if (!m)
        return;
    check(m->cells[PAF_MESSAGES_COUNT][1] == 2 && m->sums[PAF_MESSAGES_COUNT] == 2, "messages",
          m->cells[PAF_MESSAGES_COUNT][1], 2);
    check(m->cells[PAF_MESSAGES_BYTES][1] == 201, "bytes", m->cells[PAF_MESSAGES_BYTES][1], 201);
    check(m->cells[PAF_MESSAGES_WAITED][1] == 20 && m->sums[PAF_MESSAGES_WAITED] == 20, "waited",
          m->cells[PAF_MESSAGES_WAITED][1], 20);
    m = paf_messages_within(l, 40, 70);
    check(m->sums[PAF_MESSAGES_COUNT] == 0 && m->sums[PAF_MESSAGES_WAITED] == 10, "messages of a stretch",
          m->sums[PAF_MESSAGES_WAITED], 10);
}

static void check_views(const paf_model *m, paf_shaped_text *text)
{
    const int kinds[] = {PAF_HIT_ROW, PAF_HIT_CALL_PLACE, PAF_HIT_MESSAGES};
    for (int lanes = 0; lanes < 3; lanes++) {
        paf_view view = paf_view_fit(m, 1280, 800);
        uint32_t tabs = 0, own = 0;
        view.lanes_kind = (paf_lanes_kind)lanes;
        paf_layout *l = paf_layout_create(m, &view, text);
        for (uint32_t i = 0; i < paf_picture_nhits(l->picture); i++) {
            const paf_hit *hit = paf_picture_hit(l->picture, i);
            tabs += hit->kind == PAF_HIT_LANES_KIND;
            own += (int)hit->kind == kinds[lanes];
        }
        check(tabs == 3, "ways to the other views", tabs, 3);
        check(own >= (lanes == 2 ? 1 : RANKS), "what the view has", own, RANKS);
        paf_layout_destroy(l);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2 || !write_trace(argv[1]))
        return 2;
    trace *t = trace_open(argv[1], NULL, NULL, NULL);
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    paf_model *m = paf_model_create(a, NULL, NULL);
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    check_calls(m->timeline, a);
    check_messages(m->timeline);
    check_views(m, text);
    paf_shaped_text_destroy(text);
    paf_model_destroy(m);
    iot_destroy(a);
    iot_partition_destroy(p);
    trace_close(t);
    return failures > 0;
}
