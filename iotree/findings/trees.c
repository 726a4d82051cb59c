// SPDX-License-Identifier: MIT
//
// What is done step by step and could be done as a tree: processes that a loop creates one after
// another, and an associative operation that takes the result of the step before, or of the step
// inside. (A step that needs a state of the step before is neither.)
#include "iotree/findings/trees.h"

static void propose(const loop_study *s, candidates *c)
{
    for (size_t i = 0; i < s->folds.n; i++)
        if (s->folds.at[i].copies && s->folds.at[i].goals >= SHORTEST)
            iot_say_copying(s, &s->folds.at[i], c);
    if (iot_propose_even_parts(s, c))
        return;
    const fold *f = iot_long_fold(s);
    bool whole = !s->walks && !s->waits && !s->sequential && !(f && s->has_state);
    list_makers makers = {0};
    bool creates = !s->sequential && iot_steps_create(s, whole);
    if (creates && iot_creates_processes(s))
        iot_find_list_makers(s, &makers);
    creates = creates && iot_creates_one_by_one(s, &makers);
    change_draft d = {0};
    if (whole && (f || creates))
        iot_draft_creation(s, &d);
    for (size_t i = 0; f && i < s->folds.n; i++)
        if (s->folds.at[i].associative)
            iot_draft_fold(s, &s->folds.at[i], &d);
    if (f && !whole)
        iot_draft_pairs(s, &d);
    if (whole && creates)
        iot_say_creation(s, f, NULL, c, &d);
    else if (f)
        iot_say_chain(s, c, &d, whole);
    if (!whole && creates) {
        iot_draft_creation(s, &d);
        for (uint32_t i = 0; i < makers.n; i++)
            iot_draft_creation(&makers.made[i], &d);
        if (makers.n == 0)
            iot_draft_vector(s, &d);
        iot_say_creation(s, NULL, &makers, c, &d);
    }
    iot_free_list_makers(&makers);
    draft_free(&d);
    if (f && !whole)
        iot_propose_listed(s, c);
}

void iot_find_trees(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        if (!iot_is_lopsided(l, l->biggest[looked[i]]))
            continue;
        loop_study s = iot_study_loop(l, looked[i]);
        propose(&s, c);
        iot_end_study(&s);
    }
}
