// SPDX-License-Identifier: MIT
#include "paf/model/omissions.h"

#include "paf/model/totals.h"

static bool is_reported(const trace_totals *t)
{
    return t->clock == TRACE_NO_CLOCK || paf_is_fleng_history(t);
}

// Whether the table has times at all: else nothing was to be timed.
static void find_timed(const trace_totals *t, bool *timed)
{
    for (uint32_t i = 0; i < t->nmeasures; i++)
        if (t->measures[i].time >= 0)
            timed[t->totals[t->measures[i].total].kind] = true;
}

static paf_omission omission_of(const trace_total *p, const trace_measure *m, bool timed)
{
    bool known = m->times >= 0 || paf_own_time(m) >= 0 || m->rotation >= 0;
    if (!known) // what was built says what kind of routine it is
        return p->kind == TT_UNIT && p->type == TRACE_NONE ? PAF_NOT_BUILT : PAF_NOT_CHOSEN;
    return timed && m->times > 0 && paf_own_time(m) < 0 ? PAF_NOT_TIMED : PAF_MEASURED;
}

uint8_t *paf_find_omissions(const trace_totals *t)
{
    uint8_t *why = g_new0(uint8_t, t->ntotals + 1);
    bool timed[TRACE_TOTAL_KINDS] = {false};
    if (is_reported(t))
        return why;
    find_timed(t, timed);
    for (uint32_t i = 0; i < t->ntotals; i++) {
        const trace_total *p = &t->totals[i];
        trace_measure m = paf_total_measure(t, i, PAF_NODES_SUM);
        if (p->kind != TT_CALL && t->tables[p->kind].observed)
            why[i] = (uint8_t)omission_of(p, &m, timed[p->kind]);
    }
    return why;
}

const char *paf_omission_text(paf_omission why)
{
    static const char *const texts[] = {
        [PAF_NOT_BUILT] = "not compiled by kpx-bridge build",
        [PAF_NOT_CHOSEN] = "not measured (--only, --except)",
        [PAF_NOT_TIMED] = "not timed (--two-pass, --counts)",
    };
    return texts[why];
}
