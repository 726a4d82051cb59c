// SPDX-License-Identifier: MIT
//
// The switch at the entry of a predicate, and the chains of clauses it leads to.
#include "fleng/compile/comparisons.h"

#include "vm/code.h"

#include <stdlib.h>

// ---- Which argument -------------------------------------------------------------------------

static bool is_pattern(const fl_clause *c, const fl_term *t)
{
    return t->kind != FL_VAR || c->variables[t->var].head > 1;
}

// The first of the arguments at which most clauses have something other than a variable.
static uint32_t deciding_argument(const fl_procedure *q)
{
    uint32_t best = FL_NO_REGISTER, most = 0;
    for (uint32_t i = 0; i < q->predicate->arity; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < q->nclauses; k++)
            n += q->clauses[k]->head[i]->kind != FL_VAR;
        if (n > most) {
            best = i;
            most = n;
        }
    }
    return best;
}

// Every clause has a pattern at this argument and none has one elsewhere.
static bool decides_alone(const fl_procedure *q, uint32_t argument)
{
    for (uint32_t k = 0; k < q->nclauses; k++)
        for (uint32_t i = 0; i < q->predicate->arity; i++) {
            const fl_clause *c = q->clauses[k];
            if (i == argument ? c->head[i]->kind == FL_VAR : is_pattern(c, c->head[i]))
                return false;
        }
    return true;
}

fl_clause_selection fl_select_clauses(const fl_procedure *q)
{
    fl_clause_selection s = {.argument = FL_NO_REGISTER};
    if (q->nclauses > 0)
        s.argument = deciding_argument(q);
    if (s.argument != FL_NO_REGISTER)
        s.alone = decides_alone(q, s.argument);
    return s;
}

// ---- Chains ---------------------------------------------------------------------------------

// What a clause wants the deciding argument to be.
typedef enum { WANTS_ANY, WANTS_CONS, WANTS_KEY, WANTS_OTHER } want_kind;

// The tables of SWITCH.
typedef enum { TABLE_CONSTANTS, TABLE_FUNCTORS, TABLE_STRINGS, TABLES } table;

typedef struct {
    want_kind kind;
    table table; // WANTS_KEY: where the key stands
    vm_word key;
} want;

typedef struct {
    fl_emitter *e;
    const fl_procedure *q;
    const fl_clause_selection *s;
    want *wants;        // by clause; NULL: no argument decides
    uint32_t *barriers; // by clause: how many `otherwise` stand above it
} selector;

typedef struct {
    vm_word key;
    table table;
    uint32_t clause;
    uint32_t label;
} entry;

typedef ARRAY_OF(entry) entries;

static bool is_small(vm_word w)
{
    return vm_tag(w) == TAG_INT || vm_tag(w) == TAG_ATOM;
}

static want want_of(const fl_term *t)
{
    switch (t->kind) {
    case FL_VAR:
        return (want){.kind = WANTS_ANY};
    case FL_CONS:
        return (want){.kind = WANTS_CONS};
    case FL_STRUCT:
        return (want){.kind = WANTS_KEY, .table = TABLE_FUNCTORS, .key = fl_functor_of(t)};
    case FL_VECTOR:
        return (want){.kind = WANTS_OTHER};
    default: {
        vm_word key = fl_constant_of(t);
        if (t->kind == FL_STRING)
            return (want){.kind = WANTS_KEY, .table = TABLE_STRINGS, .key = key};
        return is_small(key) ? (want){.kind = WANTS_KEY, .key = key} : (want){.kind = WANTS_OTHER};
    }
    }
}

static selector prepare(fl_emitter *e, const fl_procedure *q, const fl_clause_selection *s)
{
    selector made = {.e = e, .q = q, .s = s};
    made.barriers = vm_alloc_atomic((q->nclauses + 1) * sizeof *made.barriers);
    if (s->argument != FL_NO_REGISTER)
        made.wants = vm_alloc((q->nclauses + 1) * sizeof *made.wants);
    uint32_t barriers = 0;
    for (uint32_t i = 0; i < q->nclauses; i++) {
        barriers += q->clauses[i]->after_otherwise;
        made.barriers[i] = barriers;
        if (made.wants)
            made.wants[i] = want_of(q->clauses[i]->head[s->argument]);
    }
    return made;
}

enum { TAKE_CONS_LENGTH = 3, OPEN_CONS_LENGTH = 3 }; // words

// Does the code of the clause, behind SWITCH, begin by taking a cons apart, into the registers that
// follow the arguments?
static bool takes_cons(const selector *c, uint32_t clause)
{
    return c->e->plain && c->wants && c->wants[clause].kind == WANTS_CONS;
}

// Where the code of the clause at place k begins, if the clauses before it were tried. *taken: is
// the cons taken apart already?  Clauses that take it apart use the same registers, others any.
static uint32_t begin_clause(const selector *c, uint32_t clause, bool looked, bool *taken)
{
    bool behind = looked && *taken && takes_cons(c, clause);
    *taken = looked && takes_cons(c, clause);
    if (!looked)
        return c->q->predicate->clauses[clause]->code;
    return c->s->known[clause] + (behind ? TAKE_CONS_LENGTH : 0);
}

// TRY for each clause. Returns where they begin, by place in the chain; last LAST.
static uint32_t *emit_tries(const selector *c, const fl_words *chain, bool looked, bool taken)
{
    uint32_t *at = vm_alloc_atomic((chain->n + 1) * sizeof *at);
    for (uint32_t k = 0; k < chain->n; k++) {
        uint32_t i = chain->at[k];
        at[k] = c->e->code.n;
        if (k > 0 && c->barriers[i] > c->barriers[chain->at[k - 1]])
            FL_EMIT(c->e, OP_OTHERWISE);
        uint32_t code = begin_clause(c, i, looked, &taken);
        FL_EMIT(c->e, OP_TRY, c->q->predicate->clauses[i]->id, code);
    }
    at[chain->n] = c->e->code.n;
    FL_EMIT(c->e, OP_LAST, c->q->predicate->id);
    return at;
}

static void point_to(const selector *c, const fl_words *operands, uint32_t target)
{
    for (uint32_t i = 0; i < operands->n; i++)
        c->e->code.at[operands->at[i]] = target;
}

// The chain behind a choice, if that leads there.
static void emit_tries_of(const selector *c, const fl_words *chain, bool looked, bool taken,
                          const fl_comparisons *choice)
{
    bool needed = choice->slow.n + choice->none.n > 0;
    for (uint32_t k = 0; k < choice->n; k++)
        needed = needed || choice->tests[k].n > 0;
    if (!needed)
        return;
    const uint32_t *at = emit_tries(c, chain, looked, taken);
    point_to(c, &choice->slow, at[0]);
    point_to(c, &choice->none, at[choice->n]);
    for (uint32_t k = 0; k < choice->n; k++) {
        uint32_t i = chain->at[k];
        if (choice->tests[k].n == 0)
            continue;
        point_to(c, &choice->tests[k], c->e->code.n);
        FL_EMIT(c->e, OP_TRY, c->q->predicate->clauses[i]->id, c->s->tested[i].rest);
        FL_EMIT(c->e, OP_GOTO, at[k + 1]);
    }
}

// The clauses of the chain in the order of the text. looked: SWITCH has seen the argument. Returns
// the entry.
static uint32_t emit_chain(const selector *c, const fl_words *chain, bool looked)
{
    uint32_t label = c->e->code.n;
    bool opened = looked && chain->n > 0 && takes_cons(c, chain->at[0]);
    if (opened)
        FL_EMIT(c->e, OP_OPEN_CONS, c->q->predicate->arity, label + OPEN_CONS_LENGTH);
    fl_candidates candidates = {c->q, c->s, chain, opened, looked};
    fl_comparisons choice;
    if (!c->e->plain || (c->wants && !looked) || !fl_emit_comparisons(c->e, &candidates, &choice)) {
        emit_tries(c, chain, looked, opened);
        return label;
    }
    emit_tries_of(c, chain, looked, opened, &choice);
    if (!opened)
        return choice.entry;
    c->e->code.at[label + OPEN_CONS_LENGTH - 1] = choice.entry;
    return label;
}

static uint32_t emit_all(const selector *c)
{
    fl_words chain = {0};
    for (uint32_t i = 0; i < c->q->nclauses; i++)
        FL_PUSH(chain, i);
    return emit_chain(c, &chain, false);
}

static uint32_t emit_kind(const selector *c, want_kind kind)
{
    fl_words chain = {0};
    for (uint32_t i = 0; i < c->q->nclauses; i++)
        if (c->wants[i].kind == WANTS_ANY || c->wants[i].kind == kind)
            FL_PUSH(chain, i);
    return emit_chain(c, &chain, true);
}

static int compare_keys(const entry *x, const entry *y)
{
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    if (x->table == TABLE_STRINGS)
        return vm_string_order(x->key, y->key);
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_key(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = compare_keys(x, y);
    return order ? order : x->clause < y->clause ? -1 : x->clause > y->clause;
}

// The chain of the n clauses that want one key, merged with those that want any.
static uint32_t emit_key_chain(const selector *c, const entry *same, uint32_t n,
                               const fl_words *any)
{
    fl_words chain = {0};
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (k < any->n && any->at[k] < same[i].clause)
            FL_PUSH(chain, any->at[k++]);
        FL_PUSH(chain, same[i].clause);
    }
    while (k < any->n)
        FL_PUSH(chain, any->at[k++]);
    return emit_chain(c, &chain, true);
}

enum { MOST_IN_CHAINS = 64 }; // places for each clause; longer ones would have as many as its square

// A chain for each constant, functor and string that some clause names.
static entries emit_key_chains(const selector *c)
{
    entries keys = {0};
    fl_words any = {0};
    for (uint32_t i = 0; i < c->q->nclauses; i++) {
        const want *w = &c->wants[i];
        if (w->kind == WANTS_KEY)
            FL_PUSH(keys, (entry){.key = w->key, .table = w->table, .clause = i});
        else if (w->kind == WANTS_ANY)
            FL_PUSH(any, i);
    }
    if (keys.n == 0)
        return keys;
    qsort(keys.at, keys.n, sizeof *keys.at, by_key);
    bool long_chains = (uint64_t)keys.n * any.n > MOST_IN_CHAINS * (uint64_t)c->q->nclauses;
    uint32_t all = long_chains ? emit_all(c) : 0;
    uint32_t n = 0;
    for (uint32_t i = 0, end; i < keys.n; i = end) {
        for (end = i + 1; end < keys.n && compare_keys(&keys.at[i], &keys.at[end]) == 0; end++)
            continue;
        uint32_t label = long_chains ? all : emit_key_chain(c, &keys.at[i], end - i, &any);
        keys.at[n] = keys.at[i];
        keys.at[n++].label = label;
    }
    keys.n = n;
    return keys;
}

static void emit_table(fl_emitter *e, const entries *keys, table which)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < keys->n; i++)
        n += keys->at[i].table == which;
    fl_emit(e, n);
    for (uint32_t i = 0; i < keys->n; i++)
        if (keys->at[i].table == which)
            FL_EMIT(e, fl_constant(e, keys->at[i].key), keys->at[i].label);
}

void fl_emit_clause_selection(fl_emitter *e, const fl_procedure *q, const fl_clause_selection *s)
{
    selector c = prepare(e, q, s);
    if (!c.wants) {
        q->predicate->code = emit_all(&c);
        return;
    }
    uint32_t unbound = e->code.n;
    if (s->alone)
        FL_EMIT(e, OP_WAIT, s->argument);
    else
        emit_all(&c);
    uint32_t cons = emit_kind(&c, WANTS_CONS);
    uint32_t other = emit_kind(&c, WANTS_OTHER);
    entries keys = emit_key_chains(&c);
    q->predicate->code = e->code.n;
    bool first = e->plain && s->argument == 0;
    FL_EMIT(e, first ? OP_SWITCH_FIRST : OP_SWITCH, s->argument, unbound, cons, other);
    for (table t = 0; t < TABLES; t++)
        emit_table(e, &keys, t);
}
