// SPDX-License-Identifier: MIT
//
// A process that answers one request after the other because it keeps the state of all keys in one
// vector, map or list of pairs: a loop that takes requests from a merge, or from a list, and looks up
// and replaces what one key of each request has there. The price is the run in which a request waits
// only for the one before it with the same key; those of a list are handed out, one step for each.
#include "base/table.h"
#include "iotree/findings/servers.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_REQUESTS = 8,
    MOST_LOOPS = 6,
    MOST_FIELDS = 8,
    MOST_ARGUMENTS = 16,
    SHORT_TURN = 2, // steps: who hands requests out takes as many
    SHORT_WORK = 3, // reductions
};
static const double worth_it = 0.2; // share of the critical path

// Predicates that look at the state of one key, and the argument that the key is.
static const struct {
    const char *name;
    uint32_t arity, key;
} accesses[] = {
    {"vector_element", 3, 1}, {"set_vector_element", 5, 1},
    {"map_get", 3, 0},        {"map_get", 4, 0},
    {"map_put", 4, 0},        {"map_has", 3, 0},
    {"map_remove", 3, 0},     {"map_update", 5, 1},
};

// What the loop does for one request.
typedef struct {
    uint32_t chain, first, last; // members
    trace_value request;
    uint64_t key;    // 0: none
    uint32_t before; // the turn before with the same key, from 1; 0: none
} turn;

typedef struct {
    const loops *l;
    uint32_t loop;
    uint8_t *access;   // by predicate: the argument of the key, from 1; 0: no access
    uint32_t *turn_of; // by reduction: from 1; 0: none
    ARRAY_OF(turn) turns;
    uint32_t field; // of the request: its key; IOT_NONE: of no single one
    uint32_t keys;
    bool map, pairs; // it keeps a map, a list of pairs; else a vector
    bool merged;     // the requests come from a merge
} server_study;

// ---------------------------------------------------------------------------------------------
// Turns

static bool is_hole(const trace_node *n, uint32_t hole)
{
    return n->kind == TN_HOLE && n->index == hole;
}

// Does the head have the key in the first item of a list: find(K, [acc(K, Old)|Accounts], ...)?
static bool finds_key(const trace_clause *c, uint32_t key, uint32_t list)
{
    const trace_node *k = &c->patterns[c->head[key]], *l = &c->patterns[c->head[list]];
    if (k->kind != TN_HOLE || l->kind != TN_CONS)
        return false;
    const trace_node *item = &c->patterns[c->pattern_children[l->first]];
    for (uint32_t i = 0; item->kind == TN_STRUCT && i < item->n; i++)
        if (is_hole(&c->patterns[c->pattern_children[item->first + i]], k->index))
            return true;
    return false;
}

// Does the clause go on with the same key in the rest of the list?
static bool goes_on_with_key(const trace_clause *c, uint32_t key, uint32_t list)
{
    const trace_node *k = &c->patterns[c->head[key]], *l = &c->patterns[c->head[list]];
    for (uint32_t i = 0; k->kind == TN_HOLE && l->kind == TN_CONS && i < c->nitems; i++) {
        const trace_node *rest = &c->patterns[c->pattern_children[l->first + 1]];
        const trace_item *item = &c->items[i];
        if (item->kind == TI_GOAL && item->predicate == c->predicate &&
            is_hole(&c->nodes[c->children[item->first + key]], k->index) &&
            rest->kind == TN_HOLE &&
            is_hole(&c->nodes[c->children[item->first + list]], rest->index))
            return true;
    }
    return false;
}

static bool makes_cell(const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nnodes; i++)
        if (c->nodes[i].kind == TN_CONS)
            return true;
    return false;
}

// Of a predicate: where its clauses look for a key in a list of pairs. They make that list again, with
// another state of the key.
typedef struct {
    uint8_t key, list; // arguments, from 1; 0: it does not look for one
    bool goes_on, makes_none;
} list_access;

static void find_place_of_key(const trace_clause *c, list_access *x)
{
    uint32_t n = c->nhead < MOST_ARGUMENTS ? c->nhead : 0;
    for (uint32_t key = 0; key < n && !x->key; key++)
        for (uint32_t list = 0; list < n && !x->key; list++)
            if (key != list && finds_key(c, key, list))
                *x = (list_access){(uint8_t)(key + 1), (uint8_t)(list + 1), false, false};
}

static void look_at_clause(const trace_clause *c, list_access *x)
{
    bool next = goes_on_with_key(c, x->key - 1, x->list - 1);
    x->goes_on |= next;
    x->makes_none |= (next || finds_key(c, x->key - 1, x->list - 1)) && !makes_cell(c);
}

// Adds the predicates of the program that do so.
static void find_list_accesses(const loops *l, uint8_t *access)
{
    const trace *t = l->t;
    list_access *all = base_allocate(trace_npredicates(t), sizeof *all);
    for (uint32_t i = 0; i < 2 * trace_nclauses(t); i++) { // twice
        const trace_clause *c = trace_get_clause(t, i % trace_nclauses(t));
        uint32_t p = c->predicate;
        if (l->loop_of[p] == IOT_NONE || trace_get_predicate(t, p)->origin != TRACE_PROGRAM)
            continue;
        if (i < trace_nclauses(t))
            find_place_of_key(c, &all[p]);
        else if (all[p].key)
            look_at_clause(c, &all[p]);
    }
    for (uint32_t p = 0; p < trace_npredicates(t); p++)
        if (all[p].goes_on && !all[p].makes_none)
            access[p] = all[p].key;
    free(all);
}

// By predicate; malloc'ed.
static uint8_t *find_accesses(const loops *l)
{
    const trace *t = l->t;
    uint8_t *access = base_allocate(trace_npredicates(t), 1);
    for (uint32_t p = 0; p < trace_npredicates(t); p++) {
        const trace_predicate *x = trace_get_predicate(t, p);
        for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
            if (x->origin != TRACE_PROGRAM && x->arity == accesses[i].arity &&
                loops_is_named(t, p, accesses[i].name))
                access[p] = (uint8_t)(accesses[i].key + 1);
    }
    find_list_accesses(l, access);
    return access;
}

// Did a merge bind what leads to this cell?
static bool comes_from_merge(const loops *l, uint32_t cell)
{
    uint32_t maker = trace_cell_maker(l->t, cell), p = loops_predicate(l, maker);
    return maker && trace_get_predicate(l->t, p)->origin == TRACE_BUILTIN &&
           loops_is_named(l->t, p, "merge");
}

static void find_turns(server_study *s)
{
    const loops *l = s->l;
    s->turn_of = base_allocate(l->g->n, sizeof *s->turn_of);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], parent = l->g->parents[r];
        s->turn_of[r] = s->turn_of[parent];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop)
            continue;
        uint32_t cell = l->taken[r];
        if (cell != IOT_NONE) {
            trace_value request = iot_end_value(l->t, trace_cell_arg(l->t, cell, 0));
            ARRAY_PUSH(s->turns, (turn){.chain = chain, .first = r, .request = request});
            s->turn_of[r] = (uint32_t)s->turns.n;
            s->merged |= comes_from_merge(l, cell);
        }
        if (s->turn_of[r] && s->turns.at[s->turn_of[r] - 1].chain == chain)
            s->turns.at[s->turn_of[r] - 1].last = r;
    }
}

// ---------------------------------------------------------------------------------------------
// Keys

// A number, an atom or a string as a word; 0: it is none.
static uint64_t word_of(const trace *t, trace_value v)
{
    v = iot_end_value(t, v);
    bool known = v.kind == TV_INT || v.kind == TV_ATOM || v.kind == TV_STRING;
    return known ? hash_word(v.kind + 1, v.kind == TV_INT ? (uint64_t)v.i : v.id) | 1 : 0;
}

// The key of each turn, which all of its accesses must have. Returns whether most turns have one.
static bool find_keys(server_study *s)
{
    const loops *l = s->l;
    uint64_t with = 0;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t p = loops_predicate(l, r);
        if (!s->turn_of[r] || !s->access[p])
            continue;
        turn *x = &s->turns.at[s->turn_of[r] - 1];
        uint32_t goal = trace_reduction_goal(l->t, r);
        uint64_t key = word_of(l->t, trace_goal_arg(l->t, goal, s->access[p] - 1));
        if (!key || (x->key && x->key != key))
            return false;
        with += x->key == 0;
        x->key = key;
        s->map |= trace_get_predicate(l->t, p)->origin == TRACE_LIBRARY;
        s->pairs |= trace_get_predicate(l->t, p)->origin == TRACE_PROGRAM;
    }
    return 2 * with >= s->turns.n;
}

// Links each turn to the one before with the same key. Returns how many keys there are.
static uint32_t link_turns(server_study *s)
{
    base_map last = {0};
    uint32_t keys = 0;
    for (uint32_t i = 0; i < s->turns.n; i++) {
        turn *x = &s->turns.at[i];
        if (!x->key)
            continue;
        uint64_t *at = map_at(&last, hash_word(x->key, x->chain));
        keys += *at == MAP_ABSENT;
        x->before = *at == MAP_ABSENT ? 0 : (uint32_t)*at;
        *at = i + 1;
    }
    map_free(&last);
    return keys;
}

// Which field of all requests the key is.
static uint32_t field_of_key(const server_study *s)
{
    const trace *t = s->l->t;
    for (uint32_t field = 0; field < MOST_FIELDS; field++) {
        bool all = true;
        for (size_t i = 0; i < s->turns.n && all; i++) {
            const turn *x = &s->turns.at[i];
            all = is_cell_kind(t, x->request, TC_STRUCT) &&
                  trace_cell_arity(t, x->request.id) > field &&
                  (!x->key || word_of(t, trace_cell_arg(t, x->request.id, field)) == x->key);
        }
        if (all)
            return field;
    }
    return IOT_NONE;
}

// Bits by reduction: it is of a goal that looks at a state. malloc'ed.
static uint8_t *inside_accesses(const server_study *s)
{
    const wait_graph *g = s->l->g;
    uint8_t *inside = bits_allocate(g->n);
    for (uint32_t r = 1; r < g->n; r++)
        if (s->turn_of[r] &&
            (s->access[loops_predicate(s->l, r)] || bit_get(inside, g->parents[r])))
            bit_set(inside, r);
    return inside;
}

// Does the turn bind a variable of its request?
static bool answers(const server_study *s, uint32_t number)
{
    const trace *t = s->l->t;
    trace_value request = s->turns.at[number].request;
    for (uint32_t i = 0; is_cell_kind(t, request, TC_STRUCT) && i < trace_cell_arity(t, request.id); i++) {
        trace_value v = trace_cell_arg(t, request.id, i);
        uint32_t binding = is_variable(t, v) ? trace_cell_binding(t, v.id) : TRACE_NONE;
        if (binding != TRACE_NONE && s->turn_of[trace_binding_maker(t, binding)] == number + 1)
            return true;
    }
    return false;
}

// Does it answer requests, and hand no number on that changes? Such a number, as a sum or the next free
// seat, is a state of all keys.
static bool answers_by_key(const server_study *s)
{
    const trace *t = s->l->t;
    uint64_t answered = 0;
    for (uint32_t i = 0; i < s->turns.n; i++)
        answered += answers(s, i);
    for (size_t i = 1; i < s->turns.n && 2 * answered > s->turns.n; i++) {
        const turn *before = &s->turns.at[i - 1], *now = &s->turns.at[i];
        uint32_t x = trace_reduction_goal(t, before->first), y = trace_reduction_goal(t, now->first);
        uint32_t p = trace_goal_predicate(t, y);
        for (uint32_t k = 0; now->chain == before->chain && p == trace_goal_predicate(t, x) &&
                             k < trace_get_predicate(t, p)->arity;
             k++) {
            trace_value v = iot_end_value(t, trace_goal_arg(t, x, k));
            trace_value w = iot_end_value(t, trace_goal_arg(t, y, k));
            if (w.kind == TV_INT && !is_same_value(v, w))
                return false;
        }
    }
    return 2 * answered > s->turns.n;
}

// Does a turn do more than who would hand the request out? (Where many send requests to one vector, each
// can send its own to the key's process, and nobody hands them out.) What only changes a map by a list,
// as one that counts words, is no server unless it answers: the map is what it makes.
static bool takes_long(const server_study *s)
{
    const trace *t = s->l->t;
    if (s->merged && !s->map)
        return true;
    int64_t n = (int64_t)s->turns.n, end = 0, own = 0;
    uint8_t *inside = inside_accesses(s);
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        if (!s->turn_of[r])
            continue;
        end = trace_time(t, r) > end ? trace_time(t, r) : end;
        own += !bit_get(inside, r);
    }
    free(inside);
    return end - trace_time(t, s->turns.at[0].first) > SHORT_TURN * n + n / 2 &&
           (!s->map || s->merged || own > SHORT_WORK * n || answers_by_key(s));
}

static bool is_list_value(const trace *t, trace_value v)
{
    return is_cell_kind(t, v, TC_CONS) ||
           (v.kind == TV_ATOM && strcmp(trace_string(t, v.id, NULL), "[]") == 0);
}

// Do the turns hand nothing on but lists, and what stays as it is? A sum is a state of all keys.
static bool hands_lists_on(const server_study *s)
{
    const trace *t = s->l->t;
    for (size_t i = 1; i < s->turns.n; i++) {
        uint32_t x = trace_reduction_goal(t, s->turns.at[i - 1].first);
        uint32_t y = trace_reduction_goal(t, s->turns.at[i].first);
        uint32_t p = trace_goal_predicate(t, y);
        if (s->turns.at[i].chain != s->turns.at[i - 1].chain || p != trace_goal_predicate(t, x))
            continue;
        for (uint32_t k = 0; k < trace_get_predicate(t, p)->arity; k++) {
            trace_value v = iot_end_value(t, trace_goal_arg(t, x, k));
            trace_value w = iot_end_value(t, trace_goal_arg(t, y, k));
            if (!is_same_value(v, w) && !(is_list_value(t, v) && is_list_value(t, w)))
                return false;
        }
    }
    return true;
}

static bool have_keys(server_study *s)
{
    if (s->turns.n < FEWEST_REQUESTS || !find_keys(s) || !takes_long(s) ||
        (s->pairs && !hands_lists_on(s)))
        return false;
    s->keys = link_turns(s);
    s->field = field_of_key(s);
    return s->keys >= 2 && 2 * (uint64_t)s->keys <= s->turns.n;
}

// ---------------------------------------------------------------------------------------------
// The price

// The youngest reduction of a turn at the same place of the text; 0: none.
static uint32_t like_maker(const server_study *s, const base_map *makers, uint32_t number,
                           uint32_t maker)
{
    uint64_t found = map_get(makers, (uint64_t)number << 32 | s->l->g->sites[maker]);
    return found == MAP_ABSENT ? 0 : (uint32_t)found;
}

static void draft_wait_of(const server_study *s, const base_map *makers, uint32_t r, uint64_t wait,
                          change_draft *d)
{
    const wait_graph *g = s->l->g;
    uint32_t mine = s->turn_of[r], maker = g->makers[wait], other = s->turn_of[maker];
    if (!mine || !other || mine == other ||
        s->turns.at[mine - 1].chain != s->turns.at[other - 1].chain)
        return;
    uint32_t before = s->turns.at[mine - 1].before;
    uint32_t like = before ? like_maker(s, makers, before, maker) : 0;
    draft_wait(d, wait, like ? like : IOT_NONE);
}

// How many nodes of a balanced tree a way goes by, on the mean.
static double mean_depth(uint32_t keys)
{
    double sum = 0;
    for (uint32_t i = 1; i <= keys; i++)
        sum += loops_levels((uint64_t)i + 1);
    return sum / keys;
}

// The map of a process for one key has one node, the list of pairs one item.
static void draft_accesses(const server_study *s, change_draft *d)
{
    const wait_graph *g = s->l->g;
    double depth = mean_depth(s->keys);
    uint8_t *inside = inside_accesses(s);
    for (uint32_t r = 1; r < g->n; r++)
        if (bit_get(inside, r) && s->map)
            draft_reduction(d, r, IOT_NONE, (double)wait_cost(g, r) / depth);
        else if (bit_get(inside, r) && bit_get(inside, g->parents[r]))
            draft_reduction(d, r, IOT_NONE, 0);
    free(inside);
}

// Of a list of pairs: did both requests come at one time? Then handing them out takes a step for each;
// else they wait for what makes them, and none stands behind one whose key is busy.
static bool came_together(const server_study *s, uint32_t x, uint32_t y)
{
    const loops *l = s->l;
    uint32_t before = trace_cell_maker(l->t, l->taken[s->turns.at[x].first]);
    uint32_t after = trace_cell_maker(l->t, l->taken[s->turns.at[y].first]);
    return trace_time(l->t, before) >= trace_time(l->t, after);
}

static void draft_split(const server_study *s, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    base_map makers = {0};
    if (s->map || s->pairs)
        draft_accesses(s, d);
    for (uint32_t r = 1; r < g->n; r++) {
        for (uint64_t i = g->first[r]; s->turn_of[r] && i < g->first[r + 1]; i++)
            draft_wait_of(s, &makers, r, i, d);
        if (s->turn_of[r])
            map_set(&makers, (uint64_t)s->turn_of[r] << 32 | g->sites[r], r);
    }
    uint32_t before = 0; // the last request that was handed out, as a turn from 1
    for (uint32_t i = 0; i < s->turns.n; i++) {
        const turn *x = &s->turns.at[i];
        uint32_t parent =
            x->before ? s->turns.at[x->before - 1].last : g->parents[l->chains.at[x->chain].first];
        draft_reduction(d, x->first, parent, -1);
        // What a turn put back into the list its own process does next.
        if (s->merged || s->turn_of[trace_cell_maker(l->t, l->taken[x->first])])
            continue;
        if (before && s->turns.at[before - 1].chain == x->chain &&
            (!s->pairs || came_together(s, before - 1, i)))
            draft_add(d, x->first, s->turns.at[before - 1].first);
        before = i + 1;
    }
    map_free(&makers);
}

// Of a server of the library, the clause that calls it.
static uint32_t clause_of_server(const loops *l, uint32_t member)
{
    uint32_t clause = trace_reduction_clause(l->t, member), p = loops_predicate(l, member);
    uint32_t caller = trace_get_predicate(l->t, p)->origin == TRACE_PROGRAM
                          ? IOT_NONE
                          : iot_caller_clause(l, l->chains.at[l->chain_of[member]].first);
    return caller == IOT_NONE ? clause : caller;
}

// The predicate that the program calls: of a server of the library, not its own loop.
static uint32_t called_predicate(const loops *l, uint32_t member)
{
    uint32_t r = l->chains.at[l->chain_of[member]].first, above;
    while ((above = l->g->parents[r]) &&
           trace_get_predicate(l->t, loops_predicate(l, above))->origin == TRACE_LIBRARY)
        r = above;
    return loops_predicate(l, r);
}

// "desk/2 (bank.fl:27)"; of a server of the library "map_process/1, called by main/0 (bank.fl:3),".
static char *server_text(const loops *l, uint32_t member, const iot_location *place)
{
    char *site = iot_site_text(l->a, &(wait_site){.predicate = place->predicate,
                                                  .source = place->source,
                                                  .line = place->line});
    uint32_t called = called_predicate(l, member);
    if (called == place->predicate || trace_get_predicate(l->t, called)->origin == TRACE_PROGRAM)
        return site;
    char *name = iot_predicate_text(l->t, called);
    char *text = base_format("%s, called by %s,", name, site);
    free(name);
    free(site);
    return text;
}

candidate *iot_add_server(const loops *l, candidates *c, uint32_t first, uint32_t last,
                          change_draft *d, char **ret_where)
{
    candidate *x = candidate_at(l->a, c, FINDING_SERVER, clause_of_server(l, first), first);
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, last)));
    x->estimate = true;
    x->change = draft_finish(d);
    *ret_where = server_text(l, first, &x->place);
    return x;
}

static void say_server(const server_study *s, candidates *c)
{
    const loops *l = s->l;
    const turn *example = &s->turns.at[s->turns.n / 2];
    change_draft d = {0};
    char *where;
    draft_split(s, &d);
    candidate *x = iot_add_server(l, c, example->first, example->last, &d, &where);
    char *name = iot_predicate_text(l->t, called_predicate(l, example->first));
    char *field = s->field == IOT_NONE ? base_copy("")
                                       : base_format(" (argument %u of the request)", s->field + 1);
    x->text =
        base_format("%s answers one request after the other because one %s holds the state of "
                    "all keys: %zu requests for %u keys%s",
                    where, s->map     ? "map"
                           : s->pairs ? "list"
                                      : "vector",
                    s->turns.n, s->keys, field);
    x->advice =
        base_format("give each key, or each group of keys, a process of its own in place of %s, "
                    "and send each request to the process of its key",
                    name);
    x->condition = base_copy("with a process for each key");
    free(field);
    free(where);
    free(name);
}

// Does the program look at the state of a key anywhere?
static bool has_access(const trace *t, const uint8_t *access)
{
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        for (uint32_t k = 0; k < c->nitems; k++)
            if (c->items[k].kind == TI_GOAL && access[c->items[k].predicate])
                return true;
    }
    return false;
}

void iot_find_servers(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    uint8_t *access = find_accesses(l);
    bool any = has_access(l->t, access);
    for (uint32_t i = 0; any && i < n; i++) {
        server_study s = {.l = l, .loop = looked[i], .access = access};
        if (l->near[looked[i]] < worth_it * l->path.n)
            continue;
        find_turns(&s);
        if (have_keys(&s))
            say_server(&s, c);
        free(s.turn_of);
        free(s.turns.at);
    }
    free(access);
}
