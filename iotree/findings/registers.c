// SPDX-License-Identifier: MIT
//
// A process that works on one item after the other and keeps the states of all in arguments, though
// each item changes only one of them:
//
//     market([order(0, Q)|Os], Gold, Lead, End) :- gold(12, Q, Gold, Lead, Os, End).
//     market([order(1, Q)|Os], Gold, Lead, End) :- lead(12, Q, Gold, Lead, Os, End).
//
// A *turn* is what the loop does for one item. A *slot* is an argument of the goal that takes an
// item, or a part of it where that is a structure. A turn uses a slot if it does more than hand it
// on to the next turn. Slots that one turn uses are in one group. The price is the run in which one
// process takes the items, and a turn waits for the one before of its own group.
#include "base/table.h"
#include "iotree/findings/servers.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_TURNS = 8,
    MOST_LOOPS = 6,
    ARGUMENTS = 24, // of a goal that are looked at
    PARTS = 8,      // of a structure
    SLOTS = ARGUMENTS * PARTS,
    NOTHING = 255, // no slot
};
static const double worth_it = 0.2; // share of the critical path

typedef struct {
    uint32_t first, last, n; // members
    uint32_t group;          // a slot; NOTHING: it uses none
    uint8_t used[SLOTS / 8];
} turn;

// Which slot each argument, and each part of one, holds: part 0 is the whole argument.
typedef struct {
    uint8_t at[SLOTS];
    uint8_t parts[ARGUMENTS]; // how many the argument has
} holding;

typedef struct {
    const loops *l;
    uint32_t loop, chain;
    uint32_t end; // the member after the last turn; 0: none
    ARRAY_OF(turn) turns;
    uint8_t changed[SLOTS / 8]; // bits by slot: by any turn
    uint8_t group[SLOTS];       // union-find
    uint8_t lists[SLOTS / 8];   // the arguments from which items are taken
} register_study;

// ---------------------------------------------------------------------------------------------
// What a turn does with the slots

static void clear(holding *h)
{
    memset(h->at, NOTHING, sizeof h->at);
    memset(h->parts, 0, sizeof h->parts);
}

static uint32_t place(uint32_t argument, uint32_t part)
{
    return argument * PARTS + part;
}

// Holes of the clause: by hole the slot that it holds.
typedef struct {
    uint8_t *slots;
    uint32_t n;
} clause_holes;

static void use(turn *x, uint8_t slot)
{
    if (slot != NOTHING)
        bit_set(x->used, slot);
}

static bool guard_looks_at(const trace_clause *c, uint32_t node)
{
    bool found = false;
    const trace_node *v = &c->patterns[node];
    ARRAY_OF(uint32_t) stack = {0};
    for (uint32_t g = 0; g < c->nguards; g++)
        for (uint32_t k = 0; k < c->guards[g].n; k++)
            ARRAY_PUSH(stack, c->pattern_children[c->guards[g].first + k]);
    while (stack.n > 0 && !found) {
        const trace_node *n = &c->patterns[stack.at[--stack.n]];
        found = n->kind == v->kind && n->index == v->index &&
                (n->kind == TN_HOLE || n->kind == TN_FRESH);
        for (uint32_t k = 0; k < n->n; k++)
            ARRAY_PUSH(stack, c->pattern_children[n->first + k]);
    }
    free(stack.at);
    return found;
}

// A variable of the head gets the slot, unless a guard looks at it: then it is used.
static void hold_variable(turn *x, const trace_clause *c, uint32_t node, uint8_t slot,
                          clause_holes *h)
{
    const trace_node *n = &c->patterns[node];
    if (n->kind == TN_HOLE)
        h->slots[n->index] = slot;
    if ((n->kind != TN_HOLE && n->kind != TN_FRESH) || guard_looks_at(c, node))
        use(x, slot);
}

static void take_head(turn *x, const trace_clause *c, const holding *held, clause_holes *h)
{
    memset(h->slots, NOTHING, h->n);
    for (uint32_t i = 0; i < c->nhead && i < ARGUMENTS; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        uint8_t whole = held->at[place(i, 0)];
        bool parts = n->kind == TN_STRUCT && n->n < PARTS;
        bool known = whole == NOTHING || whole % PARTS == 0;
        if (!parts || !known) {
            hold_variable(x, c, c->head[i], whole, h);
            for (uint32_t k = 1; k < PARTS; k++)
                if (n->kind != TN_HOLE)
                    use(x, held->at[place(i, k)]);
            continue;
        }
        for (uint32_t k = 0; k < n->n; k++) {
            uint8_t slot = whole != NOTHING ? (uint8_t)(whole + k + 1) : held->at[place(i, k + 1)];
            hold_variable(x, c, c->pattern_children[n->first + k], slot, h);
        }
    }
}

// Everything below the node is used.
static void use_below(turn *x, const trace_clause *c, uint32_t node, const clause_holes *h)
{
    ARRAY_OF(uint32_t) stack = {0};
    ARRAY_PUSH(stack, node);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        if (n->kind == TN_HOLE)
            use(x, h->slots[n->index]);
        for (uint32_t k = 0; k < n->n; k++)
            ARRAY_PUSH(stack, c->children[n->first + k]);
    }
    free(stack.at);
}

static uint8_t slot_of(const trace_clause *c, uint32_t node, const clause_holes *h)
{
    return c->nodes[node].kind == TN_HOLE ? h->slots[c->nodes[node].index] : NOTHING;
}

// What the next member holds.
static void hand_on(turn *x, const trace_clause *c, const trace_item *item, const clause_holes *h,
                    holding *ret)
{
    clear(ret);
    for (uint32_t i = 0; i < item->n; i++) {
        uint32_t node = c->children[item->first + i];
        const trace_node *n = &c->nodes[node];
        if (i >= ARGUMENTS || n->kind == TN_CONS || n->n >= PARTS) {
            use_below(x, c, node, h);
            continue;
        }
        ret->at[place(i, 0)] = slot_of(c, node, h);
        ret->parts[i] = (uint8_t)n->n;
        for (uint32_t k = 0; k < n->n; k++) {
            uint32_t part = c->children[n->first + k];
            ret->at[place(i, k + 1)] = slot_of(c, part, h);
            if (c->nodes[part].kind != TN_HOLE)
                use_below(x, c, part, h);
        }
    }
}

// A member of the turn: *held is what its goal holds, then what the next one does.
static void follow_member(const register_study *s, turn *x, uint32_t r, holding *held)
{
    const loops *l = s->l;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, r));
    uint32_t next = l->next[r], item = next ? loops_item(l, next) : TRACE_NONE;
    clause_holes h = {base_allocate((size_t)c->nholes + 1, 1), c->nholes};
    take_head(x, c, held, &h);
    clear(held);
    for (uint32_t i = 0; i < c->nitems; i++) {
        if (i == item)
            hand_on(x, c, &c->items[i], &h, held);
        else
            for (uint32_t k = 0; k < c->items[i].n; k++)
                use_below(x, c, c->children[c->items[i].first + k], &h);
    }
    free(h.slots);
}

static void begin_turn(register_study *s, uint32_t r, holding *held)
{
    const loops *l = s->l;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, r));
    clear(held);
    for (uint32_t i = 0; i < c->nhead && i < ARGUMENTS; i++) {
        held->at[place(i, 0)] = (uint8_t)place(i, 0);
        if (c->patterns[c->head[i]].kind == TN_CONS)
            bit_set(s->lists, place(i, 0));
    }
    ARRAY_PUSH(s->turns, (turn){.first = r, .last = r, .group = NOTHING});
}

// What the next turn gets that is not what this one got has been changed.
static void end_turn(register_study *s, const holding *held)
{
    turn *x = &s->turns.at[s->turns.n - 1];
    uint32_t arity = trace_get_predicate(s->l->t, loops_predicate(s->l, x->first))->arity;
    for (uint32_t i = 0; i < arity && i < ARGUMENTS; i++) {
        uint32_t first = held->parts[i] ? 1 : 0;
        for (uint32_t k = first; k <= held->parts[i]; k++) {
            uint32_t slot = place(i, k);
            if (held->at[slot] == slot)
                continue;
            use(x, held->at[slot]);
            bit_set(x->used, slot);
            bit_set(s->changed, slot);
        }
    }
}

static bool find_turns(register_study *s)
{
    const loops *l = s->l;
    uint32_t taker = IOT_NONE;
    holding held;
    for (uint32_t r = l->chains.at[s->chain].first; r; r = l->next[r]) {
        uint32_t predicate = loops_predicate(l, r);
        if (l->taken[r] != IOT_NONE) {
            if (taker != IOT_NONE && predicate != taker)
                return false;
            taker = predicate;
            if (s->turns.n)
                end_turn(s, &held);
            begin_turn(s, r, &held);
        } else if (predicate == taker) {
            end_turn(s, &held);
            s->end = r;
            break;
        }
        if (s->turns.n == 0)
            continue;
        turn *x = &s->turns.at[s->turns.n - 1];
        x->last = r;
        x->n++;
        follow_member(s, x, r, &held);
    }
    return s->turns.n >= FEWEST_TURNS;
}

// ---------------------------------------------------------------------------------------------
// Groups

static uint8_t find(register_study *s, uint8_t slot)
{
    while (s->group[slot] != slot)
        slot = s->group[slot] = s->group[s->group[slot]];
    return slot;
}

// Slots that no turn changes are no states; a structure that was used as a whole is one slot.
static void join_slots(register_study *s)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        s->group[i] = (uint8_t)i;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (i % PARTS && bit_get(s->changed, i - i % PARTS))
            s->group[i] = (uint8_t)(i - i % PARTS);
    for (size_t i = 0; i < s->turns.n; i++) {
        turn *x = &s->turns.at[i];
        for (uint32_t k = 0; k < SLOTS; k++) {
            if (!bit_get(x->used, k) || !bit_get(s->changed, k) || bit_get(s->lists, k))
                continue;
            if (x->group == NOTHING)
                x->group = k;
            s->group[find(s, (uint8_t)k)] = find(s, (uint8_t)x->group);
        }
    }
}

// How many groups there are that turns are of; *ret_most: turns of the largest one.
static uint32_t count_groups(register_study *s, size_t *ret_most)
{
    size_t counts[SLOTS] = {0};
    uint32_t n = 0;
    for (size_t i = 0; i < s->turns.n; i++) {
        turn *x = &s->turns.at[i];
        if (x->group == NOTHING)
            continue;
        x->group = find(s, (uint8_t)x->group);
        n += counts[x->group]++ == 0;
        *ret_most = counts[x->group] > *ret_most ? counts[x->group] : *ret_most;
    }
    return n;
}

// ---------------------------------------------------------------------------------------------
// The price

// One process takes the items, and what a turn does after its first step goes on when the turn
// before of its group has ended.
static void draft_groups(const register_study *s, change_draft *d)
{
    const loops *l = s->l;
    uint32_t last[SLOTS] = {0};
    for (size_t i = 0; i < s->turns.n; i++) {
        const turn *x = &s->turns.at[i];
        if (i > 0)
            draft_reduction(d, x->first, s->turns.at[i - 1].first, -1);
        if (x->n < 2 || x->group == NOTHING)
            continue;
        if (last[x->group])
            draft_add(d, l->next[x->first], last[x->group]);
        last[x->group] = x->last;
    }
    for (uint32_t k = 0; k < SLOTS && s->end; k++)
        if (last[k])
            draft_add(d, s->end, last[k]);
}

// "2, 3 and 4": the arguments of the groups. malloc'ed.
static char *arguments_text(register_study *s)
{
    uint8_t of[ARGUMENTS] = {0};
    uint32_t n = 0, said = 0;
    base_text text = {0};
    for (uint32_t k = 0; k < SLOTS; k++)
        if (bit_get(s->changed, k) && !bit_get(s->lists, k))
            of[k / PARTS] = 1;
    for (uint32_t i = 0; i < ARGUMENTS; i++)
        n += of[i];
    for (uint32_t i = 0; i < ARGUMENTS; i++)
        if (of[i])
            text_add_format(&text, "%s%u", said++ == 0 ? "" : said == n ? " and " : ", ", i + 1);
    char *list = text_finish(&text);
    char *all = base_format("argument%s %s", n == 1 ? "" : "s", list);
    free(list);
    return all;
}

static void say_groups(register_study *s, uint32_t groups, candidates *c)
{
    const loops *l = s->l;
    const turn *example = &s->turns.at[s->turns.n / 2];
    change_draft d = {0};
    char *where;
    draft_groups(s, &d);
    candidate *x = iot_add_server(l, c, example->first, example->last, &d, &where);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    char *arguments = arguments_text(s);
    x->text = base_format("%s works on one item after the other because its %s keep the states of "
                          "all: %zu items for %u states, and each item changes one of them",
                          where, arguments, s->turns.n, groups);
    x->advice = base_format("give each state a process of its own, and let %s only hand each item "
                            "to the process of its state",
                            name);
    x->condition = base_copy("with a process for each state");
    free(where);
    free(name);
    free(arguments);
}

void iot_find_registers(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        register_study s = {.l = l, .loop = looked[i], .chain = l->biggest[looked[i]]};
        size_t most = 0;
        if (l->near[looked[i]] >= worth_it * l->path.n && find_turns(&s)) {
            join_slots(&s);
            uint32_t groups = count_groups(&s, &most);
            if (groups > 1)
                say_groups(&s, groups, c);
        }
        free(s.turns.at);
    }
}
