// SPDX-License-Identifier: MIT
//
// Appending again and again: a loop whose every step copies the list that the step before, or
// inside, has made. The price is the run with a difference list.
#include "iotree/findings/steps.h"

#include "iotree/terms/values.h"

// The goals of the copying predicate that the members of each chain created, in order.
typedef struct {
    const loop_study *s;
    uint32_t predicate;
    ARRAY_OF(uint32_t) calls; // reductions, those of one chain together
    uint32_t *first, *n;      // by chain of the loop: where its calls are
} copy_calls;

static copy_calls find_calls(const loop_study *s, uint32_t predicate)
{
    const loops *l = s->l;
    copy_calls x = {.s = s, .predicate = predicate};
    x.first = base_allocate(l->chains.n, sizeof *x.first);
    x.n = base_allocate(l->chains.n, sizeof *x.n);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate)
            x.n[l->chain_of[l->g->parents[r]]]++;
    for (uint32_t i = 0, sum = 0; i < l->chains.n; i++) {
        x.first[i] = sum;
        sum += x.n[i];
        x.n[i] = 0;
    }
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate)
            ARRAY_PUSH(x.calls, 0);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r && loops_predicate(l, r) == predicate) {
            uint32_t chain = l->chain_of[l->g->parents[r]];
            x.calls.at[x.first[chain] + x.n[chain]++] = r;
        }
    return x;
}

// Where a list grows at its end from step to step, the cell at a place of it is there since the
// step that added it: the reduction after which it could be read. IOT_NONE: where it is made now.
static uint32_t added_by(const copy_calls *x, uint32_t r)
{
    const loops *l = x->s->l;
    uint32_t side = x->s->side[r], chain = l->chain_of[l->g->parents[side]];
    if (l->chain_of[side] != l->chain_of[r] || x->n[chain] == 0)
        return IOT_NONE;
    uint32_t first = x->calls.at[x->first[chain]];
    uint32_t before = l->chain_of[first] == IOT_NONE ? 0 : l->chains.at[l->chain_of[first]].n - 1;
    uint32_t place = l->position[r];
    if (place < before)
        return l->g->parents[l->chains.at[chain].first];
    if (place - before >= x->n[chain])
        return IOT_NONE;
    return l->g->parents[x->calls.at[x->first[chain] + place - before]];
}

// With a difference list nothing is copied, and who reads the list need not wait for its end.
static uint64_t draft_no_copies(const loop_study *s, const fold *f, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    copy_calls x = find_calls(s, s->links.at[f->first].predicate);
    bool grows = !s->links.at[f->first].inward;
    uint64_t copied = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        if (s->side[r] && loops_predicate(l, r) == x.predicate) {
            draft_reduction(d, r, grows ? added_by(&x, r) : IOT_NONE, 0);
            copied++;
        }
        for (uint64_t i = g->first[r]; grows && i < g->first[r + 1]; i++) {
            uint32_t chain = l->chain_of[g->makers[i]];
            if (chain != IOT_NONE && l->chains.at[chain].loop == s->loop && x.n[chain] &&
                !l->next[g->makers[i]])
                draft_wait(d, i, IOT_NONE);
        }
    }
    free(x.calls.at);
    free(x.first);
    free(x.n);
    return copied;
}

void iot_say_copying(const loop_study *s, const fold *f, candidates *c)
{
    const loops *l = s->l;
    uint32_t predicate = s->links.at[f->first].predicate;
    change_draft d = {0};
    uint64_t copied = draft_no_copies(s, f, &d);
    candidate *x = iot_add_loop_candidate(s, c, FINDING_COPYING, &d);
    char *loop = iot_loop_text(s, x->clause);
    char *copier = iot_predicate_text(l->t, predicate);
    x->text =
        base_format("%s calls %s on a list that %s has made the step %s: it copies %llu cells "
                    "in %llu calls",
                    loop, copier, copier, s->links.at[f->first].inward ? "inside" : "before",
                    (unsigned long long)copied, (unsigned long long)f->goals + 1);
    x->advice = base_format("build the list once: hand its open end to the next step (a difference "
                            "list), or add at the front, instead of %s",
                            copier);
    x->condition = base_copy("with a difference list");
    free(loop);
    free(copier);
}
