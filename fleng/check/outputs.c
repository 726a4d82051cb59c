// SPDX-License-Identifier: MIT
//
// Arguments that nobody but the predicate itself would bind: a clause that looks for a value there never fits, and
// one that ignores it leaves it unbound.
//
//     main :- len([a], N), print(N).
//     len([], 0).                             % waits for the second argument
//     len([_|T], N) :- len(T, M), N := M + 1.
//
// An argument may be *given* if in some call it is no variable, or a variable that another goal may bind, or
// one that may be given to the caller. This is found from below: nothing is given until some call does it.
#include "fleng/check/modes.h"

#include "fleng/reader/parse.h"

typedef struct {
    const fl_check *check;
    const fl_modes *modes;
    bool **given;                          // by predicate number and argument
    bool *called, *waiting;                // by predicate number; waiting: in the work list
    ARRAY_OF(const fl_procedure *) todo;
} giving;

static void put_off(giving *g, const fl_procedure *q)
{
    if (!g->waiting[q->predicate->id])
        FL_PUSH(g->todo, q);
    g->waiting[q->predicate->id] = true;
}

// All arguments of a predicate that somebody calls whom nobody sees.
static void give_all(void *data, const vm_predicate *p)
{
    giving *g = data;
    for (uint32_t k = 0; g->given[p->id] && k < p->arity; k++)
        g->given[p->id][k] = true;
}

// The argument of the clause's own goal that is this variable and nothing else, from 0; arity: none is.
static uint32_t own_argument(const fl_clause *c, uint32_t variable)
{
    uint32_t k = 0;
    while (k < c->predicate->arity && !(c->head[k]->kind == FL_VAR && c->head[k]->var == variable))
        k++;
    return k;
}

// binders: by variable, arguments of the body that may bind it.
static bool is_given(const giving *g, const fl_clause *c, const fl_item *item, uint32_t k,
                     const uint32_t *binders)
{
    const fl_term *t = item->args[k];
    if (t->kind != FL_VAR)
        return true;
    const fl_variable *v = &c->variables[t->var];
    if (binders[t->var] > (fl_may_bind(g->modes, item->predicate, k) ? 1 : 0) || v->guard > 0 || v->head > 1)
        return true;
    uint32_t own = v->head == 1 ? own_argument(c, t->var) : 0;
    return v->head == 1 && (own == c->predicate->arity || g->given[c->predicate->id][own]);
}

static void take_clause(giving *g, const fl_clause *c)
{
    uint32_t *binders = vm_alloc_atomic((c->nvariables + 1) * sizeof *binders);
    memset(binders, 0, (c->nvariables + 1) * sizeof *binders);
    for (uint32_t i = 0; i < c->nitems; i++)
        fl_count_binders(g->modes, &c->items[i], binders);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const fl_item *item = &c->items[i];
        const fl_procedure *q = item->unify ? NULL : g->check->procedure_of[item->predicate->id];
        for (uint32_t k = 0; q && k < item->n; k++) {
            bool *given = &g->given[q->predicate->id][k];
            if (*given || !is_given(g, c, item, k, binders))
                continue;
            *given = true;
            put_off(g, q);
        }
        if (q)
            g->called[q->predicate->id] = true;
    }
}

// What names in terms mean is called by somebody whom nobody sees; without a main/0 everything is.
static void find_unseen(giving *g)
{
    const fl_program *p = g->check->program;
    fl_procedure_names names = fl_list_names(p);
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        const fl_procedure *q = &p->procedures[i];
        for (uint32_t j = 0; j < q->nclauses; j++)
            fl_find_named_in(p, &names, q->clauses[j], give_all, g);
    }
    fl_find_named_in(p, &names, p->beginning, give_all, g);
}

static void settle(giving *g)
{
    const fl_program *p = g->check->program;
    take_clause(g, p->beginning);
    for (uint32_t i = 0; i < p->nprocedures; i++)
        put_off(g, &p->procedures[i]);
    while (g->todo.n > 0) {
        const fl_procedure *q = g->todo.at[--g->todo.n];
        g->waiting[q->predicate->id] = false;
        for (uint32_t j = 0; j < q->nclauses; j++)
            take_clause(g, q->clauses[j]);
    }
}

enum { SHOWN_CELLS = 12 }; // of a term in a message

static bool is_ignored(const fl_clause *c, const fl_term *t)
{
    const fl_variable *v = t->kind == FL_VAR ? &c->variables[t->var] : NULL;
    return v && v->head == 1 && v->guard == 0 && v->body == 0;
}

static void check_head(const giving *g, const fl_clause *c)
{
    const vm_predicate *p = c->predicate;
    for (uint32_t k = 0; k < p->arity; k++) {
        const fl_term *t = c->head[k];
        if (g->given[p->id][k] || !fl_may_bind(g->modes, p, k))
            continue;
        if (is_ignored(c, t) && c->nitems == 0) // others may end the run on purpose
            fl_warn(g->check, c, FL_NOTE, "left-open", t->line, t->column, 0,
                    "this clause leaves argument %u unbound, and nobody but %s/%u would bind it: who reads it waits "
                    "for ever",
                    k + 1, p->name, p->arity);
        if (t->kind == FL_VAR)
            continue;
        const char *value = fl_term_text(t, c->variables, SHOWN_CELLS);
        fl_warn(g->check, c, FL_WARNING, "head-output", t->line, t->column, 0,
                "a head only looks, and nobody but %s/%u would bind argument %u: this clause never fits; write "
                "a variable here, as X, and X = %s in the body",
                p->name, p->arity, k + 1, value);
        return;
    }
}

void fl_check_outputs(const fl_check *k, const fl_modes *a)
{
    const fl_program *p = k->program;
    giving g = {.check = k, .modes = a};
    if (!fl_has_start(p))
        return;
    g.given = vm_alloc((p->npredicates + 1) * sizeof *g.given);
    g.called = vm_alloc(p->npredicates + 1);
    g.waiting = vm_alloc(p->npredicates + 1);
    for (uint32_t i = 0; i < p->nprocedures; i++)
        g.given[p->procedures[i].predicate->id] = vm_alloc(p->procedures[i].predicate->arity + 1);
    find_unseen(&g);
    settle(&g);
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        const fl_procedure *q = &p->procedures[i];
        for (uint32_t j = 0; j < q->nclauses && fl_is_checked(q->predicate) && g.called[q->predicate->id]; j++)
            check_head(&g, q->clauses[j]);
    }
}
