// SPDX-License-Identifier: MIT
//
// Below the row of a worker of a real run: what it did beside reducing, and how many goals it had ready.
#include "paf/layout/samples_picture.h"
#include "paf/layout/timeline_rows.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"
#include "profiler/samples.h"

#include <math.h>

#define STRIP 5.0 // height of the line of states
#define GAP   2.0

bool paf_has_worker_states(const paf_drawing *d)
{
    const trace_ready *ready;
    return !trace_is_measured(d->m->t) && (trace_get_samples(d->m->t) || trace_get_ready(d->m->t, &ready));
}

// ---------------------------------------------------------------------------------------------
// States

// As high as its share of the pixel, one state on the other.
static void draw_state(paf_drawing *d, const paf_rows *p, const float *shares, trace_state state,
                       double bottom)
{
    static const trace_state below[TRACE_STATES][2] = {
        [TRACE_COLLECTING] = {TRACE_BUSY, TRACE_BUSY},
        [TRACE_LOOKING] = {TRACE_COLLECTING, TRACE_BUSY},
        [TRACE_IDLE] = {TRACE_COLLECTING, TRACE_LOOKING},
    };
    for (uint32_t c = 0; c < p->columns; c++) {
        double share = shares[state * p->columns + c], under = 0;
        for (int k = 0; k < 2; k++)
            under += below[state][k] == TRACE_BUSY ? 0 : shares[below[state][k] * p->columns + c];
        if (share > 0.02)
            paf_box(d->pic, d->f.plot_x + c, bottom - STRIP * fmin(under + share, 1), 1,
                    STRIP * fmin(share, 1));
    }
    paf_fill(d->pic, paf_state_colour(d->theme, state), 0);
}

static void draw_states(paf_drawing *d, const paf_rows *p, uint32_t worker, double top)
{
    const trace_samples *s = trace_get_samples(d->m->t);
    if (!s || worker >= s->nworkers)
        return;
    float *shares = g_new0(float, (gsize)TRACE_STATES * p->columns);
    paf_add_samples(s, worker, d->v->from, d->v->from + p->columns / d->zoom, p->columns, shares);
    draw_state(d, p, shares, TRACE_COLLECTING, top + STRIP);
    draw_state(d, p, shares, TRACE_LOOKING, top + STRIP);
    draw_state(d, p, shares, TRACE_IDLE, top + STRIP);
    g_free(shares);
}

// ---------------------------------------------------------------------------------------------
// Ready goals

static uint64_t most_ready(const paf_drawing *d)
{
    const trace_ready *ready;
    uint32_t n = trace_get_ready(d->m->t, &ready);
    uint64_t most = 1;
    for (uint32_t w = 0; w < n; w++)
        for (uint32_t i = 0; i < ready[w].n; i++)
            if ((double)ready[w].counts[i].time <= d->v->to &&
                (i + 1 == ready[w].n || (double)ready[w].counts[i + 1].time >= d->v->from))
                most = MAX(most, ready[w].counts[i].goals);
    return most;
}

// Steps: a number holds until the next one is noted. The largest of each pixel.
static void draw_ready(paf_drawing *d, const paf_rows *p, uint32_t worker, uint64_t most, double top,
                       double height)
{
    const trace_ready *ready;
    if (worker >= trace_get_ready(d->m->t, &ready) || height < 4)
        return;
    const trace_ready *r = &ready[worker];
    float *highs = g_new0(float, p->columns + 1);
    for (uint32_t i = 0; i < r->n; i++) {
        double end = i + 1 < r->n ? (double)r->counts[i + 1].time : paf_end(d->m, d->v->clock);
        double x0 = fmax(paf_x(d, (double)r->counts[i].time) - d->f.plot_x, 0);
        if (x0 >= p->columns)
            break;
        double x1 = fmin(paf_x(d, end) - d->f.plot_x, p->columns);
        float high = (float)((double)r->counts[i].goals / (double)most * height);
        for (uint32_t c = (uint32_t)x0; c < p->columns && (double)c < fmax(x1, x0 + 1e-9); c++)
            highs[c] = fmaxf(highs[c], high);
    }
    for (uint32_t c = 0; c < p->columns; c++)
        if (highs[c] > 0)
            paf_box(d->pic, d->f.plot_x + c, top + height - fmaxf(highs[c], 1), 1, fmaxf(highs[c], 1));
    paf_fill(d->pic, d->theme->bars, 0);
    g_free(highs);
}

void paf_draw_worker_states(paf_drawing *d, const paf_rows *p)
{
    if (p->levels == 0 || !paf_has_worker_states(d))
        return;
    double room = p->levels * p->level - STRIP - 2 * GAP - 3;
    uint64_t most = most_ready(d);
    for (uint32_t worker = 0; worker < p->l->nplaces; worker++) {
        double top = paf_row_y(p, worker) + p->bar / 2 + GAP;
        if (!paf_row_is_own(p, worker))
            continue;
        draw_states(d, p, worker, top);
        draw_ready(d, p, worker, most, top + STRIP + GAP, room + (p->pitch - p->bar) / 2);
    }
}

char *paf_ready_label(const paf_drawing *d)
{
    const trace_ready *ready;
    if (trace_get_ready(d->m->t, &ready) == 0)
        return NULL;
    char *most = paf_number(most_ready(d)), *text = g_strdup_printf("ready, up to %s", most);
    g_free(most);
    return text;
}

double paf_draw_states_legend(paf_drawing *d, double x, double y)
{
    static const trace_state states[] = {TRACE_LOOKING, TRACE_IDLE, TRACE_COLLECTING};
    if (!trace_get_samples(d->m->t))
        return x;
    for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
        paf_box(d->pic, x, y - 7, 16, STRIP);
        paf_fill(d->pic, paf_state_colour(d->theme, states[i]), 0);
        x += 22 + 16;
        x += paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x - 16, y, 0, 0, paf_state_names[states[i]]);
    }
    return x;
}
