// SPDX-License-Identifier: MIT
#include "fleng/select.h"

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

fl_selection fl_select(const fl_procedure *q)
{
    fl_selection s = {.argument = FL_NO_REGISTER};
    if (q->nclauses > 0)
        s.argument = deciding_argument(q);
    if (s.argument != FL_NO_REGISTER)
        s.alone = decides_alone(q, s.argument);
    return s;
}

// ---- Chains ---------------------------------------------------------------------------------

// What SWITCH found, for which a chain is made.
typedef enum { FOUND_NOTHING, FOUND_CONS, FOUND_KEY, FOUND_OTHER } found_kind;

typedef struct {
    found_kind kind;
    vm_word key; // FOUND_KEY: constant, or functor
    bool functor;
} found;

typedef struct {
    vm_word key;
    bool functor;
    uint32_t label;
} entry;

typedef FL_ARRAY(entry) entries;

static bool is_small(vm_word w)
{
    return vm_tag(w) == TAG_INT || vm_tag(w) == TAG_ATOM;
}

static bool may_match(const fl_term *t, found f)
{
    if (f.kind == FOUND_NOTHING || t->kind == FL_VAR)
        return true;
    switch (t->kind) {
    case FL_CONS:
        return f.kind == FOUND_CONS;
    case FL_STRUCT:
        return f.kind == FOUND_KEY && f.functor && f.key == fl_functor_of(t);
    case FL_VECTOR:
        return f.kind == FOUND_OTHER;
    default: {
        vm_word k = fl_constant_of(t);
        return is_small(k) ? f.kind == FOUND_KEY && !f.functor && f.key == k
                           : f.kind == FOUND_OTHER;
    }
    }
}

static uint32_t emit_chain(fl_emitter *e, const fl_procedure *q, const fl_selection *s, found f)
{
    uint32_t label = e->code.n, tried = 0;
    bool barrier = false;
    for (uint32_t i = 0; i < q->nclauses; i++) {
        barrier |= q->clauses[i]->after_otherwise;
        if (s->argument != FL_NO_REGISTER && !may_match(q->clauses[i]->head[s->argument], f))
            continue;
        if (barrier && tried > 0)
            FL_EMIT(e, OP_OTHERWISE);
        barrier = false;
        tried++;
        const vm_clause *v = q->predicate->clauses[i];
        FL_EMIT(e, OP_TRY, v->id, f.kind == FOUND_NOTHING ? v->code : s->known[i]);
    }
    FL_EMIT(e, OP_LAST, q->predicate->id);
    return label;
}

static int by_key(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->functor != y->functor)
        return x->functor ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

// A chain for each constant and functor that some clause names.
static entries emit_key_chains(fl_emitter *e, const fl_procedure *q, const fl_selection *s)
{
    entries keys = {0};
    for (uint32_t i = 0; i < q->nclauses; i++) {
        const fl_term *t = q->clauses[i]->head[s->argument];
        bool functor = t->kind == FL_STRUCT;
        vm_word key = functor ? fl_functor_of(t) : fl_constant_of(t);
        if (functor || (key != 0 && is_small(key)))
            FL_PUSH(keys, (entry){.key = key, .functor = functor});
    }
    if (keys.n == 0)
        return keys;
    qsort(keys.at, keys.n, sizeof *keys.at, by_key);
    uint32_t n = 0;
    for (uint32_t i = 0; i < keys.n; i++)
        if (i == 0 || by_key(&keys.at[i], &keys.at[i - 1]) != 0)
            keys.at[n++] = keys.at[i];
    keys.n = n;
    for (uint32_t i = 0; i < keys.n; i++)
        keys.at[i].label = emit_chain(
            e, q, s,
            (found){.kind = FOUND_KEY, .key = keys.at[i].key, .functor = keys.at[i].functor});
    return keys;
}

static void emit_table(fl_emitter *e, const entries *keys, bool functor)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < keys->n; i++)
        n += keys->at[i].functor == functor;
    fl_emit(e, n);
    for (uint32_t i = 0; i < keys->n; i++)
        if (keys->at[i].functor == functor)
            FL_EMIT(e, fl_constant(e, keys->at[i].key), keys->at[i].label);
}

void fl_emit_selection(fl_emitter *e, const fl_procedure *q, const fl_selection *s)
{
    if (s->argument == FL_NO_REGISTER) {
        q->predicate->code = emit_chain(e, q, s, (found){.kind = FOUND_NOTHING});
        return;
    }
    uint32_t unbound = e->code.n;
    if (s->alone)
        FL_EMIT(e, OP_WAIT, s->argument);
    else
        emit_chain(e, q, s, (found){.kind = FOUND_NOTHING});
    uint32_t cons = emit_chain(e, q, s, (found){.kind = FOUND_CONS});
    uint32_t other = emit_chain(e, q, s, (found){.kind = FOUND_OTHER});
    entries keys = emit_key_chains(e, q, s);
    q->predicate->code = e->code.n;
    FL_EMIT(e, OP_SWITCH, s->argument, unbound, cons, other);
    emit_table(e, &keys, false);
    emit_table(e, &keys, true);
}
