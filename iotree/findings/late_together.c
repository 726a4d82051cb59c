// SPDX-License-Identifier: MIT
//
// Items of one clause that come late together, as what a loop hands on and binds at its end:
//
//     read([], W, D, Width, Depth) :- Width = W, Depth = D.
//
// Who waits for both gains nothing if one of them comes sooner. So each clause of which several
// items are candidates has a further candidate: all of them. It is dropped if one saves as much.
#include "iotree/findings/clauses.h"
#include "iotree/findings/findings.h"

enum {
    MOST_ITEMS = 8, // of one clause
    PROPOSED = 4    // clauses
};

typedef struct {
    uint32_t of[MOST_ITEMS]; // candidates, one for each item
    uint32_t n;
} late_items_of;

static bool has_item(const candidates *c, const late_items_of *x, uint32_t item)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (c->list.at[x->of[i]].item == item)
            return true;
    return false;
}

static bool is_part(const candidate *x, uint32_t clause)
{
    return x->item != IOT_NONE && !x->joint && !x->has_span && x->clause == clause;
}

static late_items_of items_of(const candidates *c, size_t first)
{
    late_items_of all = {0};
    uint32_t clause = c->list.at[first].clause;
    for (size_t i = first; i < c->list.n && all.n < MOST_ITEMS; i++) {
        const candidate *x = &c->list.at[i];
        if (is_part(x, clause) && !has_item(c, &all, x->item))
            all.of[all.n++] = (uint32_t)i;
    }
    return all;
}

static wait_change change_of_all(const wait_graph *g, const candidates *c, const late_items_of *x)
{
    const wait_change nothing = {0};
    wait_change all = change_of_both(g, &c->list.at[x->of[0]].change, &nothing);
    for (uint32_t i = 1; i < x->n; i++) {
        wait_change more = change_of_both(g, &all, &c->list.at[x->of[i]].change);
        iot_free_change(&all);
        all = more;
    }
    return all;
}

// "Depth = D and Size := W * D": all items but the first one. malloc'ed.
static char *others_text(const iot *a, const candidates *c, const late_items_of *x)
{
    base_text text = {0};
    for (uint32_t i = 1; i < x->n; i++) {
        const candidate *part = &c->list.at[x->of[i]];
        char *item = item_text(a->t, part->clause, part->item);
        text_add_format(&text, "%s%s", i == 1 ? "" : i + 1 == x->n ? " and " : ", ", item);
        free(item);
    }
    return text_finish(&text);
}

static char *advice_of_all(const candidates *c, const late_items_of *x)
{
    base_text text = {0};
    for (uint32_t i = 0; i < x->n; i++)
        text_add_format(&text, "%s%s", i ? "; " : "", c->list.at[x->of[i]].advice);
    return text_finish(&text);
}

static void add_joint(const iot *a, const wait_graph *g, candidates *c, const late_items_of *x)
{
    char *others = others_text(a, c, x);
    wait_change change = change_of_all(g, c, x);
    candidate *y = candidate_add(c, c->list.at[x->of[0]].kind);
    const candidate *first = &c->list.at[x->of[0]];
    y->place = first->place;
    y->clause = first->clause;
    y->reduction = first->reduction;
    y->item = first->item;
    y->joint = true;
    y->change = change;
    for (uint32_t i = 0; i < x->n; i++) {
        const candidate *part = &c->list.at[x->of[i]];
        y->estimate |= part->estimate;
        y->doubt = part->doubt > y->doubt ? part->doubt : y->doubt;
        for (size_t k = 0; k < part->also.n; k++)
            candidate_also(y, part->also.at[k]);
    }
    y->text = base_format("%s; %s in the same way", first->text, others);
    y->advice = advice_of_all(c, x);
    y->condition = base_copy(x->n == 2 ? "with both sooner" : "with all of them sooner");
    free(others);
}

void iot_find_late_together(const iot *a, const wait_graph *g, candidates *c)
{
    size_t n = c->list.n;
    uint32_t proposed = 0;
    for (size_t i = 0; i < n && proposed < PROPOSED; i++) {
        size_t before = 0;
        if (c->list.at[i].item == IOT_NONE)
            continue;
        while (!is_part(&c->list.at[before], c->list.at[i].clause) && before < i)
            before++;
        late_items_of all = items_of(c, i);
        if (before < i || all.n < 2)
            continue;
        add_joint(a, g, c, &all);
        proposed++;
    }
}

bool iot_one_saves_as_much(const candidates *c, const candidate *joint, double own)
{
    for (size_t i = 0; i < c->list.n; i++)
        if (is_part(&c->list.at[i], joint->clause) &&
            (double)c->list.at[i].span_without <= (double)joint->span_without + own)
            return true;
    return false;
}
