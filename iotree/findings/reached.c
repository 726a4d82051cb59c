// SPDX-License-Identifier: MIT
//
// Which predicates lead to which; what only tells; which clauses act on the world.
#include "iotree/findings/clauses.h"

// The calls between predicates, and their *components*: sets of predicates whose goals lead to goals of
// all of them (Tarjan: Depth-first search and linear graph algorithms, 1972). A component has a lower number
// than those that lead to it.
struct call_graph {
    uint32_t n;               // predicates
    uint32_t *first, *called; // of p: called[first[p] .. first[p + 1]), with repetitions
    uint32_t *component;      // by predicate
    uint32_t *order;          // the predicates, by component
    uint32_t *first_of;       // of component k: order[first_of[k] .. first_of[k + 1])
    uint32_t ncomponents;
    uint8_t *acts;            // by component: a goal leads to one that acts on the world
    // The last question to predicate_reaches() that the numbers did not answer; from: IOT_NONE if none.
    uint8_t *reached; // by component
    uint32_t from;    // component
};

typedef struct {
    call_graph *g;
    uint32_t *number, *low; // by predicate: when it was seen first, from 1; see Tarjan
    uint32_t *path, *open;  // stacks: where the search is; what has no component yet
    uint32_t *edge;         // by predicate: the next of its calls
    uint32_t npath, nopen, seen;
} component_search;

static void count_calls(const clause_facts *f, call_graph *g, bool fill)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < g->n; p++) {
        g->first[p] = n;
        for (uint32_t i = f->first[p]; i < f->first[p + 1]; i++) {
            const trace_clause *c = trace_get_clause(f->t, f->clauses[i]);
            for (uint32_t k = 0; k < c->nitems; k++) {
                if (c->items[k].kind == TI_GOAL && fill)
                    g->called[n] = c->items[k].predicate;
                n += c->items[k].kind == TI_GOAL;
            }
        }
    }
    g->first[g->n] = n;
}

static void enter(component_search *s, uint32_t p)
{
    s->number[p] = s->low[p] = ++s->seen;
    s->edge[p] = s->g->first[p];
    s->path[s->npath++] = s->open[s->nopen++] = p;
}

// All calls of p were followed. The first predicate of a component that was seen closes it.
static void leave(component_search *s, uint32_t p, uint32_t *placed)
{
    call_graph *g = s->g;
    s->npath--;
    if (s->npath > 0 && s->low[p] < s->low[s->path[s->npath - 1]])
        s->low[s->path[s->npath - 1]] = s->low[p];
    if (s->low[p] < s->number[p])
        return;
    uint32_t q;
    g->first_of[g->ncomponents] = *placed;
    do {
        q = s->open[--s->nopen];
        g->component[q] = g->ncomponents;
        g->order[(*placed)++] = q;
    } while (q != p);
    g->first_of[++g->ncomponents] = *placed;
}

static void find_components(call_graph *g)
{
    component_search s = {.g = g};
    uint32_t **arrays[] = {&s.number, &s.low, &s.path, &s.open, &s.edge}, placed = 0;
    for (int i = 0; i < 5; i++)
        *arrays[i] = base_allocate((size_t)g->n + 1, sizeof **arrays[i]);
    for (uint32_t p = 0; p < g->n; p++)
        g->component[p] = IOT_NONE;
    for (uint32_t root = 0; root < g->n; root++) {
        if (!s.number[root])
            enter(&s, root);
        while (s.npath > 0) {
            uint32_t p = s.path[s.npath - 1];
            if (s.edge[p] == g->first[p + 1]) {
                leave(&s, p, &placed);
                continue;
            }
            uint32_t q = g->called[s.edge[p]++];
            if (!s.number[q])
                enter(&s, q);
            else if (g->component[q] == IOT_NONE && s.number[q] < s.low[p])
                s.low[p] = s.number[q];
        }
    }
    for (int i = 0; i < 5; i++)
        free(*arrays[i]);
}

static void find_acts(const trace *t, call_graph *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t p = g->order[i], k = g->component[p];
        g->acts[k] |= predicate_acts(t, p);
        for (uint32_t e = g->first[p]; e < g->first[p + 1] && !g->acts[k]; e++)
            g->acts[k] = g->acts[g->component[g->called[e]]];
    }
}

static call_graph *calls_of(clause_facts *f)
{
    if (f->calls)
        return f->calls;
    call_graph *g = f->calls = base_allocate(1, sizeof *g);
    size_t n = (g->n = trace_npredicates(f->t)) + (size_t)1;
    g->first = base_allocate(n, sizeof *g->first);
    count_calls(f, g, false);
    g->called = base_allocate((size_t)g->first[g->n] + 1, sizeof *g->called);
    count_calls(f, g, true);
    g->component = base_allocate(n, sizeof *g->component);
    g->order = base_allocate(n, sizeof *g->order);
    g->first_of = base_allocate(n, sizeof *g->first_of);
    find_components(g);
    g->acts = base_allocate((size_t)g->ncomponents + 1, 1);
    find_acts(f->t, g);
    g->from = IOT_NONE;
    return g;
}

void call_graph_destroy(call_graph *g)
{
    if (!g)
        return;
    free(g->first);
    free(g->called);
    free(g->component);
    free(g->order);
    free(g->first_of);
    free(g->acts);
    free(g->reached);
    free(g);
}

// By component. What is called has a lower number, so one walk downwards sees all.
static const uint8_t *reached_from(call_graph *g, uint32_t from)
{
    if (g->from == from)
        return g->reached;
    free(g->reached);
    g->reached = base_allocate(g->ncomponents, 1);
    g->from = from;
    g->reached[from] = 1;
    for (uint32_t i = g->first_of[from + 1]; i-- > 0;) {
        uint32_t p = g->order[i];
        for (uint32_t e = g->first[p]; g->reached[g->component[p]] && e < g->first[p + 1]; e++)
            g->reached[g->component[g->called[e]]] = 1;
    }
    return g->reached;
}

bool predicate_reaches(clause_facts *f, uint32_t from, uint32_t to)
{
    call_graph *g = calls_of(f);
    uint32_t a = g->component[from], b = g->component[to];
    return a == b || (b < a && reached_from(g, a)[b]);
}

bool predicates_call_each_other(clause_facts *f, uint32_t p, uint32_t q)
{
    call_graph *g = calls_of(f);
    return g->component[p] == g->component[q];
}

const uint32_t *predicates_of_loop(clause_facts *f, uint32_t predicate, uint32_t *ret_n)
{
    call_graph *g = calls_of(f);
    uint32_t k = g->component[predicate];
    *ret_n = g->first_of[k + 1] - g->first_of[k];
    return g->order + g->first_of[k];
}

const uint32_t *predicates_called_first(clause_facts *f)
{
    return calls_of(f)->order;
}

bool predicate_leads_to_act(clause_facts *f, uint32_t predicate)
{
    call_graph *g = calls_of(f);
    return g->acts[g->component[predicate]];
}

bool item_is_token(const trace_clause *c, const trace_item *item)
{
    return item->kind == TI_UNIFY && (c->nodes[c->children[item->first]].kind == TN_CONST ||
                                      c->nodes[c->children[item->first + 1]].kind == TN_CONST);
}

// Is the maker below the nearest goal above the reader that belongs to the reader's loop?
bool maker_is_in_loop(clause_facts *f, uint32_t reader, uint32_t maker)
{
    const trace *t = f->t;
    uint32_t predicate = trace_goal_predicate(t, trace_reduction_goal(t, reader)), above = reader;
    do {
        above = trace_goal_parent(t, trace_reduction_goal(t, above));
        if (above == 0)
            return false;
    } while (
        !predicate_reaches(f, predicate, trace_goal_predicate(t, trace_reduction_goal(t, above))));
    while (maker > above)
        maker = trace_goal_parent(t, trace_reduction_goal(t, maker));
    return maker == above;
}

// ---------------------------------------------------------------------------------------------
// Acts

// Does a goal of this predicate act on the world, or look at it? Then waiting for a token keeps the order
// of acts. The names are those without a module: KL1's have one.
bool predicate_acts(const trace *t, uint32_t predicate)
{
    static const char *const names[] = {
        "write",      "writeln",     "print",          "nl",                "format",
        "halt",       "putc",        "klicio",         "unix",              "stream",
        "stdout",     "stderr",      "instream",       "outstream",         "stdin",
        "errstream",  "write_file",  "read_lines",     "read_terms",        "time",
        "times",      "exit",        "instantiate_at", "instantiate_after", "instantiate_every",
        "get_time_of_day"};
    const trace_predicate *p = trace_get_predicate(t, predicate);
    if (p->origin != TRACE_BUILTIN)
        return false;
    const char *name = trace_string(t, p->name, NULL), *colon = strchr(name, ':');
    if (colon && colon[1] && colon != name)
        name = colon + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

bool clause_acts(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL && predicate_acts(t, c->items[i].predicate))
            return true;
    return false;
}
