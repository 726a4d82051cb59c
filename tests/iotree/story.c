// SPDX-License-Identifier: MIT
//
// Writes a story (story.h) as a trace.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "story.h"

#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"

#define MAX_CLAUSES    64
#define MAX_NODES      64
#define MAX_PREDICATES 64

// Of a cell: what `=` needs to follow it.
typedef struct {
    bool variable, bound;
    trace_value value;
} cell_state;

typedef struct {
    trace_clause c;
    trace_node nodes[MAX_NODES];
    uint32_t children[4 * MAX_NODES], looks[16], names[32];
    trace_item items[16];
    char *variables[32]; // names: fresh ones, in the second half holes
} told_clause;

typedef struct {
    char name[32];
    uint32_t arity, module;
} declared;

struct story {
    tw *w;
    char path[64];
    uint32_t module, npredicates, nmodules;
    declared predicates[MAX_PREDICATES];
    const char *modules[8];
    told_clause *clauses[MAX_CLAUSES];
    uint32_t nclauses, ncells, ngoals, nreductions;
    cell_state *cells;
    uint32_t *first_cell, *first_goal;
    size_t room_cells, room_reductions;
};

static void die(const char *what)
{
    fprintf(stderr, "story: %s\n", what);
    exit(1);
}

story *story_begin(void)
{
    story *s = calloc(1, sizeof *s);
    strcpy(s->path, "/tmp/iotree-XXXXXX");
    int fd = mkstemp(s->path);
    if (fd < 0)
        die("no temporary file");
    close(fd);
    trace_run run = {0};
    char *error = NULL;
    s->w = tw_create(s->path, &run, "story.fl", &error);
    if (!s->w)
        die(error);
    s->module = tw_module(s->w, "user");
    s->modules[s->nmodules++] = "user";
    tw_source(s->w, "story.fl", "", 0);
    return s;
}

trace *story_end(story *s)
{
    char *error = NULL;
    if (!tw_finish(s->w, TRACE_NORMAL, 0, TRACE_NONE, "", &error))
        die(error);
    trace *t = trace_open(s->path, NULL, NULL, &error);
    if (!t || error)
        die(error);
    unlink(s->path);
    for (uint32_t i = 0; i < s->nclauses; i++) {
        for (int j = 0; j < 32; j++)
            free(s->clauses[i]->variables[j]);
        free(s->clauses[i]);
    }
    free(s->cells);
    free(s->first_cell);
    free(s->first_goal);
    free(s);
    return t;
}

trace_value integer(int64_t i)
{
    return (trace_value){.kind = TV_INT, .i = i};
}

trace_value atom(story *s, const char *name)
{
    return (trace_value){.kind = TV_ATOM, .id = tw_string(s->w, name, strlen(name))};
}

trace_value cell(uint32_t id)
{
    return (trace_value){.kind = TV_CELL, .id = id};
}

static uint32_t declare(story *s, uint32_t module, const char *name, uint32_t arity, bool builtin)
{
    for (uint32_t i = 0; i < s->npredicates; i++) {
        const declared *d = &s->predicates[i];
        if (d->module == module && d->arity == arity && !strcmp(d->name, name))
            return i;
    }
    if (s->npredicates == MAX_PREDICATES || strlen(name) > 31)
        die("too many predicates");
    declared *d = &s->predicates[s->npredicates++];
    *d = (declared){.arity = arity, .module = module};
    strcpy(d->name, name);
    return tw_predicate(s->w, module, name, arity, builtin ? TRACE_BUILTIN : TRACE_PROGRAM);
}

uint32_t predicate(story *s, const char *name, uint32_t arity, bool builtin)
{
    return declare(s, s->module, name, arity, builtin);
}

uint32_t predicate_in(story *s, const char *module, const char *name, uint32_t arity)
{
    uint32_t m = 0;
    while (m < s->nmodules && strcmp(s->modules[m], module))
        m++;
    if (m == s->nmodules) {
        s->modules[s->nmodules++] = module;
        tw_module(s->w, module);
    }
    return declare(s, m, name, arity, false);
}

// ---------------------------------------------------------------------------------------------
// Clauses from text

typedef struct {
    story *s;
    told_clause *k;
    const char *at;
} clause_parser;

static uint32_t node(told_clause *k, trace_node n)
{
    if (k->c.nnodes == MAX_NODES)
        die("clause too large");
    k->nodes[k->c.nnodes] = n;
    return k->c.nnodes++;
}

static uint32_t variable_node(told_clause *k, const char *name)
{
    for (uint32_t i = 0; i < k->c.nholes; i++) {
        if (!strcmp(k->variables[16 + i], name))
            return node(k, (trace_node){.kind = TN_HOLE, .index = i});
    }
    uint32_t i = 0;
    while (i < k->c.nfresh && strcmp(k->variables[i], name))
        i++;
    if (i == k->c.nfresh) {
        k->variables[i] = strdup(name);
        k->c.nfresh++;
    }
    return node(k, (trace_node){.kind = TN_FRESH, .index = i});
}

static const char *word(clause_parser *p, char *out)
{
    size_t n = 0;
    while (*p->at && !strchr("(),[]|= \n", *p->at) && n < 30)
        out[n++] = *p->at++;
    if (n == 1 && *out == ':')
        out[n++] = *p->at++; // the rest of :=
    out[n] = 0;
    return out;
}

static uint32_t term(clause_parser *p);

static void put_children(told_clause *k, const uint32_t *nodes, uint32_t n, uint32_t *ret_first)
{
    *ret_first = k->c.nchildren;
    for (uint32_t i = 0; i < n; i++)
        k->children[k->c.nchildren++] = nodes[i];
}

static uint32_t compound(clause_parser *p, trace_node_kind kind, const char *name,
                         const uint32_t *args, uint32_t n)
{
    trace_node x = {.kind = kind, .index = p->k->c.nstructs++, .n = n};
    if (kind == TN_STRUCT)
        x.value = atom(p->s, name);
    put_children(p->k, args, n, &x.first);
    return node(p->k, x);
}

static uint32_t list_term(clause_parser *p)
{
    if (*p->at == ']') {
        p->at++;
        return node(p->k, (trace_node){.kind = TN_CONST, .value = atom(p->s, "[]")});
    }
    uint32_t args[2] = {term(p)};
    if (*p->at == '|') {
        p->at++;
        args[1] = term(p);
        p->at++;
    } else {
        if (*p->at == ',')
            p->at++;
        args[1] = list_term(p);
    }
    return compound(p, TN_CONS, NULL, args, 2);
}

static uint32_t arguments(clause_parser *p, uint32_t *args)
{
    uint32_t n = 0;
    if (*p->at != '(')
        return 0;
    do {
        p->at++;
        args[n++] = term(p);
    } while (*p->at == ',');
    p->at++;
    return n;
}

static uint32_t term(clause_parser *p)
{
    char name[32];
    uint32_t args[8];
    if (*p->at == '[') {
        p->at++;
        return list_term(p);
    }
    word(p, name);
    if (isupper((unsigned char)*name) || *name == '_')
        return variable_node(p->k, name);
    if (isdigit((unsigned char)*name))
        return node(p->k, (trace_node){.kind = TN_CONST, .value = integer(atoi(name))});
    uint32_t n = arguments(p, args);
    return n ? compound(p, TN_STRUCT, name, args, n)
             : node(p->k, (trace_node){.kind = TN_CONST, .value = atom(p->s, name)});
}

static void item(clause_parser *p)
{
    trace_item *i = &p->k->items[p->k->c.nitems++];
    uint32_t args[8];
    char name[32];
    const char *start = p->at;
    *i = (trace_item){.line = p->k->c.line, .column = 1};
    word(p, name);
    if (isupper((unsigned char)*name) || *name == '_') {
        p->at = start;
        args[0] = term(p);
        p->at++;
        args[1] = term(p);
        i->kind = TI_UNIFY;
        i->n = 2;
    } else {
        i->n = arguments(p, args);
        i->kind = TI_GOAL;
        i->predicate = predicate(p->s, name, i->n, !strcmp(name, ":="));
    }
    put_children(p->k, args, i->n, &i->first);
}

uint32_t clause(story *s, uint32_t pred, uint32_t number, uint32_t line, const char *looks,
                const char *holes, const char *body)
{
    told_clause *k = calloc(1, sizeof *k);
    clause_parser p = {.s = s, .k = k, .at = holes};
    k->c = (trace_clause){.predicate = pred,
                          .number = number,
                          .line = line,
                          .column = 1,
                          .end_line = line,
                          .looks = k->looks,
                          .names = k->names,
                          .nodes = k->nodes,
                          .children = k->children,
                          .items = k->items};
    char name[32];
    while (*p.at) {
        k->variables[16 + k->c.nholes++] = strdup(word(&p, name));
        p.at += *p.at == ' ';
    }
    for (; *looks; looks++)
        k->looks[k->c.nlooks++] = (uint32_t)(*looks - '0');
    for (p.at = body; *p.at; p.at += strspn(p.at, ", \n"))
        item(&p);
    for (uint32_t i = 0; i < k->c.nfresh + k->c.nholes; i++) {
        const char *v = i < k->c.nfresh ? k->variables[i] : k->variables[16 + i - k->c.nfresh];
        k->names[i] = tw_string(s->w, v, strlen(v));
    }
    // Structures are numbered behind the variables.
    for (uint32_t i = 0; i < k->c.nnodes; i++) {
        if (k->nodes[i].kind >= TN_CONS)
            k->nodes[i].index += k->c.nfresh;
    }
    s->clauses[s->nclauses++] = k;
    uint32_t id = tw_clause(s->w, &k->c);
    if (id != s->nclauses - 1)
        die("clauses are numbered otherwise");
    return id;
}

// ---------------------------------------------------------------------------------------------
// Reductions

static void grow(story *s, uint32_t more_cells)
{
    while (s->ncells + more_cells + 1 > s->room_cells) {
        s->room_cells = 2 * s->room_cells + 64;
        s->cells = realloc(s->cells, s->room_cells * sizeof *s->cells);
    }
    if (s->nreductions + 1 >= s->room_reductions) {
        s->room_reductions = 2 * s->room_reductions + 64;
        s->first_cell = realloc(s->first_cell, s->room_reductions * sizeof *s->first_cell);
        s->first_goal = realloc(s->first_goal, s->room_reductions * sizeof *s->first_goal);
    }
}

static uint32_t told(story *s, const trace_reduction *r, uint32_t ngoals)
{
    s->first_goal[s->nreductions] = s->ngoals;
    s->ngoals += ngoals;
    tw_reduction(s->w, r);
    return s->nreductions++;
}

// One side of a `=`: the bound variables on the way to its end.
typedef struct {
    trace_value end;
    uint32_t passed[16], n;
} side;

static side follow(const story *s, trace_value v)
{
    side x = {.end = v};
    while (x.end.kind == TV_CELL && s->cells[x.end.id].variable && s->cells[x.end.id].bound) {
        x.passed[x.n++] = x.end.id;
        x.end = s->cells[x.end.id].value;
    }
    return x;
}

static bool meet(const side *x, const side *y)
{
    return x->n > 0 && y->n > 0 && x->passed[x->n - 1] == y->passed[y->n - 1];
}

static void list_side(uint32_t *list, uint32_t *n, const side *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        list[(*n)++] = x->passed[i];
}

// What a reduction's unifications read, bind and pass on.
typedef struct {
    uint32_t followed[64], nfollowed, passed[64], npassed, passed_ends[16], nbindings;
    trace_binding bindings[16];
} unified;

static bool is_open(const story *s, trace_value v)
{
    return v.kind == TV_CELL && s->cells[v.id].variable;
}

static trace_value node_value(const told_clause *k, uint32_t n, uint32_t base, const values *holes)
{
    const trace_node *x = &k->nodes[n];
    if (x->kind == TN_HOLE)
        return holes->v[x->index];
    return x->kind == TN_CONST ? x->value : cell(base + x->index);
}

static void unify(story *s, unified *u, uint32_t item, trace_value left, trace_value right)
{
    side x = follow(s, left), y = follow(s, right);
    bool open = is_open(s, x.end);
    const side *to = open ? &x : &y, *from = open ? &y : &x;
    if ((open && y.end.kind == TV_CELL && x.end.id == y.end.id) || meet(&x, &y))
        return;
    list_side(u->followed, &u->nfollowed, to);
    if (!is_open(s, to->end)) { // equal
        list_side(u->followed, &u->nfollowed, from);
        return;
    }
    list_side(u->passed, &u->npassed, from);
    s->cells[to->end.id].bound = true;
    s->cells[to->end.id].value = from->end;
    u->passed_ends[u->nbindings] = u->npassed;
    u->bindings[u->nbindings++] =
        (trace_binding){.variable = to->end.id, .item = item, .value = from->end};
}

uint32_t reduce(story *s, uint32_t goal, uint32_t id, int64_t time, cells reads, values holes)
{
    told_clause *k = s->clauses[id];
    uint32_t base = s->ncells, ngoals = 0;
    unified u = {0};
    grow(s, k->c.nfresh + k->c.nstructs);
    s->first_cell[s->nreductions] = base;
    for (uint32_t i = 0; i < k->c.nfresh + k->c.nstructs; i++)
        s->cells[s->ncells++] = (cell_state){.variable = i < k->c.nfresh};
    for (uint32_t i = 0; i < k->c.nitems; i++) {
        const trace_item *it = &k->items[i];
        ngoals += it->kind == TI_GOAL;
        if (it->kind == TI_GOAL)
            continue;
        unify(s, &u, i, node_value(k, k->children[it->first], base, &holes),
              node_value(k, k->children[it->first + 1], base, &holes));
    }
    trace_reduction r = {.goal = goal,
                         .clause = id,
                         .time = time,
                         .nreads = reads.n,
                         .reads = reads.v,
                         .nfollowed = u.nfollowed,
                         .followed = u.followed,
                         .nbindings = u.nbindings,
                         .bindings = u.bindings,
                         .npassed = u.npassed,
                         .passed = u.passed,
                         .passed_ends = u.passed_ends,
                         .holes = holes.v};
    return told(s, &r, ngoals);
}

uint32_t reduce_raw(story *s, const trace_reduction *r)
{
    grow(s, r->ncells);
    s->first_cell[s->nreductions] = s->ncells;
    for (uint32_t i = 0; i < r->ncells; i++)
        s->cells[s->ncells++] = (cell_state){.variable = r->cells[i].kind == TC_VARIABLE};
    for (uint32_t i = 0; i < r->nbindings; i++) {
        s->cells[r->bindings[i].variable].bound = true;
        s->cells[r->bindings[i].variable].value = r->bindings[i].value;
    }
    return told(s, r, r->ngoals);
}

uint32_t dynamic_clause(story *s, uint32_t pred)
{
    told_clause *k = calloc(1, sizeof *k);
    k->c = (trace_clause){.predicate = pred, .dynamic = true, .source = TRACE_NONE};
    s->clauses[s->nclauses++] = k;
    return tw_clause(s->w, &k->c);
}

uint32_t compute(story *s, uint32_t goal, uint32_t pred, int64_t time, cells reads,
                 uint32_t variable, trace_value result)
{
    uint32_t id = 0;
    while (id < s->nclauses && !(s->clauses[id]->c.dynamic && s->clauses[id]->c.predicate == pred))
        id++;
    if (id == s->nclauses)
        dynamic_clause(s, pred);
    trace_binding b = {.variable = variable, .value = result};
    trace_reduction r = {.goal = goal,
                         .clause = id,
                         .time = time,
                         .nreads = reads.n,
                         .reads = reads.v,
                         .nbindings = 1,
                         .bindings = &b};
    return reduce_raw(s, &r);
}

uint32_t cell_of(const story *s, uint32_t reduction, uint32_t i)
{
    return s->first_cell[reduction] + i;
}

uint32_t goal_of(const story *s, uint32_t reduction, uint32_t i)
{
    return s->first_goal[reduction] + i;
}

uint32_t ngoals_so_far(const story *s)
{
    return s->ngoals;
}

uint32_t ncells_so_far(const story *s)
{
    return s->ncells;
}

void waits(story *s, uint32_t goal, uint32_t variable)
{
    tw_waiting(s->w, goal, &variable, 1);
}
