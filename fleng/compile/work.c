// SPDX-License-Identifier: MIT
//
// What several workers want to know of a goal before one gives it to another one: is it worth a letter,
// and would it do more than wait? Four questions about each predicate, and each answer depends on those
// for the predicates that it calls:
//
//     most    How many reductions can a goal take, with all that it makes? (LARGE: there is no bound)
//     reads   Which arguments may a goal look at, or a goal that it makes?
//     needs   Without which of these does all its work wait? If X is such an argument, each clause
//             commits by X, or all its large goals wait for X: directly, or for what only goals bind that
//             wait for X.
//
//     things(K, V) :- K > 0 | row(0, V, L), new_vector(V1, L), K1 := K - 1, things(K1, V1).
//
// If row/3 needs its second argument, things/2 needs V: without it row makes no L, so there is no V1.
// An accumulator is not needed where the clause has other work: loop(I, A) :- way(I, L), sum(L, A, A1), ...
//
//     tells   Which arguments does it wait for itself, or through a chain of calls that ends? A loop that
//             only hands an argument on waits for nothing.
//
// All are fixed points. A predicate is looked at again when the answer for one that it calls
// changed; as each answer changes in one direction only, that ends.
#include "fleng/compile/work.h"

#include "base/memory.h"
#include "fleng/reader/terms.h"
#include "vm/builtins.h"

#include <string.h>

enum { LARGE = 512, ARGUMENTS = 64, PASSES = 4 };

typedef struct {
    uint32_t most;
    uint64_t reads, needs, tells; // bit i: argument i, of the first ARGUMENTS
    bool queued;
} answers;

typedef struct {
    const fl_program *program;
    const fl_procedure **procedures; // by number of the predicate; NULL: built-in
    answers *of;                     // by number of the predicate
    uint32_t *first, *callers;       // of predicate i: callers[first[i]] .. callers[first[i + 1] - 1]
    uint32_t *queue, begin, waiting; // of predicates, in a ring
    // Of the clause that is looked at, by variable.
    uint8_t *missing;
    uint32_t *makers, *ready_makers;
} work;

typedef bool (*question)(work *w, const fl_procedure *q); // true: the answer changed

static uint64_t bit(uint32_t argument)
{
    return argument < ARGUMENTS ? (uint64_t)1 << argument : 0;
}

// ---- Who calls whom -----------------------------------------------------------------------------

static bool is_own(const fl_item *item)
{
    return !item->unify && !item->predicate->builtin;
}

// Calls `note` with the predicate of each goal in each body, and the predicate of that clause.
static void each_call(work *w, void (*note)(work *w, uint32_t callee, uint32_t caller))
{
    for (uint32_t i = 0; i < w->program->nprocedures; i++) {
        const fl_procedure *q = &w->program->procedures[i];
        for (uint32_t k = 0; k < q->nclauses; k++)
            for (uint32_t n = 0; n < q->clauses[k]->nitems; n++)
                if (is_own(&q->clauses[k]->items[n]))
                    note(w, q->clauses[k]->items[n].predicate->id, q->predicate->id);
    }
}

static void count_caller(work *w, uint32_t callee, uint32_t caller)
{
    (void)caller;
    w->first[callee + 1]++;
}

// first[i] moves to where the callers of i + 1 begin.
static void put_caller(work *w, uint32_t callee, uint32_t caller)
{
    w->callers[w->first[callee]++] = caller;
}

static void list_callers(work *w)
{
    uint32_t n = w->program->npredicates;
    w->first = base_allocate(n + 1, sizeof *w->first);
    each_call(w, count_caller);
    for (uint32_t i = 0; i < n; i++)
        w->first[i + 1] += w->first[i];
    w->callers = base_allocate(w->first[n], sizeof *w->callers);
    each_call(w, put_caller);
    memmove(w->first + 1, w->first, n * sizeof *w->first);
    w->first[0] = 0;
}

static void put_in_queue(work *w, uint32_t predicate)
{
    if (w->of[predicate].queued)
        return;
    w->of[predicate].queued = true;
    w->queue[(w->begin + w->waiting++) % w->program->npredicates] = predicate;
}

static void settle(work *w, question ask)
{
    for (uint32_t i = 0; i < w->program->nprocedures; i++)
        put_in_queue(w, w->program->procedures[i].predicate->id);
    while (w->waiting > 0) {
        uint32_t predicate = w->queue[w->begin];
        w->begin = (w->begin + 1) % w->program->npredicates;
        w->waiting--;
        w->of[predicate].queued = false;
        if (ask(w, w->procedures[predicate]))
            for (uint32_t i = w->first[predicate]; i < w->first[predicate + 1]; i++)
                put_in_queue(w, w->callers[i]);
    }
}

// ---- How many reductions ------------------------------------------------------------------------

static uint32_t most_of_item(const work *w, const fl_item *item)
{
    if (item->unify)
        return 0;
    if (!item->predicate->builtin)
        return w->of[item->predicate->id].most;
    return item->predicate->entry->calls ? LARGE : 1;
}

static bool find_most(work *w, const fl_procedure *q)
{
    uint32_t *most = &w->of[q->predicate->id].most, found = 1;
    for (uint32_t i = 0; i < q->nclauses && found < LARGE; i++) {
        uint32_t sum = 1;
        for (uint32_t k = 0; k < q->clauses[i]->nitems && sum < LARGE; k++)
            sum += most_of_item(w, &q->clauses[i]->items[k]);
        found = sum > found ? sum : found;
    }
    found = found < LARGE ? found : LARGE;
    bool changed = found != *most;
    *most = found;
    return changed;
}

// ---- Which arguments are read -------------------------------------------------------------------

// Is the argument read by the head and the guard of the clause?
static bool commits_by(const fl_clause *c, uint32_t argument)
{
    const fl_term *t = c->head[argument];
    return t->kind != FL_VAR || c->variables[t->var].head > 1 || c->variables[t->var].guard > 0;
}

// Does the goal look at its argument i, as far as is known?
static bool reads(const work *w, const fl_item *item, uint32_t i)
{
    if (item->unify)
        return false;
    if (!item->predicate->builtin)
        return (w->of[item->predicate->id].reads & bit(i)) != 0;
    char mode = item->predicate->entry->modes[i];
    return mode == 'i' || mode == 't' || mode == 'e';
}

// Does it look at all of the argument?
static bool reads_whole(const fl_item *item, uint32_t i)
{
    return !item->unify && item->predicate->builtin && item->predicate->entry->modes[i] == 'i';
}

// Looks at the variables of the term, or at the term if it is one, until the test holds.
static bool any_variable(work *w, const fl_term *t, bool whole,
                         bool (*test)(void *w, const fl_term *t))
{
    return whole ? fl_any_part(t, test, w) : test(w, t);
}

static bool mark(void *data, const fl_term *t)
{
    work *w = data;
    if (t->kind == FL_VAR)
        w->missing[t->var] = true;
    return false;
}

static bool find_reads(work *w, const fl_procedure *q)
{
    uint64_t *known = &w->of[q->predicate->id].reads, found = *known;
    uint32_t arity = q->predicate->arity < ARGUMENTS ? q->predicate->arity : ARGUMENTS;
    for (uint32_t i = 0; i < q->nclauses; i++) {
        const fl_clause *c = q->clauses[i];
        memset(w->missing, 0, c->nvariables); // here: those that the body reads
        for (uint32_t k = 0; k < c->nitems; k++)
            for (uint32_t n = 0; n < c->items[k].n; n++)
                if (reads(w, &c->items[k], n))
                    any_variable(w, c->items[k].args[n], reads_whole(&c->items[k], n), mark);
        for (uint32_t n = 0; n < arity; n++)
            if (commits_by(c, n) || w->missing[c->head[n]->var])
                found |= bit(n);
    }
    bool changed = found != *known;
    *known = found;
    return changed;
}

// ---- Which arguments are needed -----------------------------------------------------------------

static bool is_marked(void *data, const fl_term *t)
{
    const work *w = data;
    return t->kind == FL_VAR && w->missing[t->var];
}

static bool is_missing(work *w, const fl_term *t, bool whole)
{
    return any_variable(w, t, whole, is_marked);
}

// Does the goal wait for what is missing? A unification waits for both sides, where both are variables.
static bool is_held_up(work *w, const fl_item *item)
{
    if (item->unify)
        return is_missing(w, item->args[0], false) || is_missing(w, item->args[1], false);
    for (uint32_t i = 0; i < item->n; i++) {
        bool needed = item->predicate->builtin
                          ? reads(w, item, i)
                          : (w->of[item->predicate->id].needs & bit(i)) != 0;
        if (needed && is_missing(w, item->args[i], reads_whole(item, i)))
            return true;
    }
    return false;
}

static bool note_maker(void *data, const fl_term *t)
{
    work *w = data;
    if (t->kind == FL_VAR)
        w->makers[t->var]++;
    return false;
}

static bool note_ready_maker(void *data, const fl_term *t)
{
    work *w = data;
    if (t->kind == FL_VAR)
        w->ready_makers[t->var]++;
    return note_maker(data, t);
}

// What the goals of the body may bind: what they do not read. Of `X = f(Y)` that is X.
static void note_makers(work *w, const fl_clause *c)
{
    memset(w->makers, 0, c->nvariables * sizeof *w->makers);
    memset(w->ready_makers, 0, c->nvariables * sizeof *w->ready_makers);
    for (uint32_t k = 0; k < c->nitems; k++) {
        const fl_item *item = &c->items[k];
        bool ready = !is_held_up(w, item);
        for (uint32_t i = 0; i < item->n; i++)
            if (!reads(w, item, i))
                any_variable(w, item->args[i], !item->unify, ready ? note_ready_maker : note_maker);
    }
}

// Adds the variables that only goals bind which wait for what is missing. False: there are no more.
static bool spread(work *w, const fl_clause *c)
{
    bool found = false;
    note_makers(w, c);
    for (uint32_t v = 0; v < c->nvariables; v++)
        if (!w->missing[v] && c->variables[v].head == 0 && c->variables[v].guard == 0 &&
            w->makers[v] > 0 && w->ready_makers[v] == 0)
            w->missing[v] = found = true;
    return found;
}

// Marks what is missing if the argument, a variable, is.
static void miss(work *w, const fl_clause *c, uint32_t argument)
{
    memset(w->missing, 0, c->nvariables);
    w->missing[c->head[argument]->var] = true;
    for (uint32_t pass = 0; pass < PASSES && spread(w, c); pass++) {
    }
}

// Does the work of the clause wait where the argument is missing? Of a small predicate: does any goal?
static bool clause_needs(work *w, const fl_clause *c, uint32_t argument, bool is_small)
{
    if (commits_by(c, argument))
        return true;
    miss(w, c, argument);
    for (uint32_t k = 0; k < c->nitems; k++) {
        bool matters = is_small || most_of_item(w, &c->items[k]) >= LARGE;
        if (matters && !c->items[k].unify && is_held_up(w, &c->items[k]) == is_small)
            return is_small;
    }
    return !is_small;
}

static bool find_needs(work *w, const fl_procedure *q)
{
    answers *a = &w->of[q->predicate->id];
    uint64_t found = a->needs;
    for (uint32_t n = 0; n < q->predicate->arity && n < ARGUMENTS; n++)
        for (uint32_t i = 0; i < q->nclauses && (found & bit(n)); i++)
            if (!clause_needs(w, q->clauses[i], n, a->most < LARGE))
                found &= ~bit(n);
    bool changed = found != a->needs;
    a->needs = found;
    return changed;
}

// ---- Which of these a goal waits for --------------------------------------------------------------

// Does the large goal wait for what is missing, by what is known that it waits for?
static bool tells(work *w, const fl_item *item)
{
    for (uint32_t i = 0; i < item->n; i++)
        if ((w->of[item->predicate->id].tells & bit(i)) && is_missing(w, item->args[i], false))
            return true;
    return false;
}

static bool clause_tells(work *w, const fl_clause *c, uint32_t argument)
{
    bool is_large = false;
    for (uint32_t k = 0; k < c->nitems; k++)
        is_large |= most_of_item(w, &c->items[k]) >= LARGE;
    if (!is_large || commits_by(c, argument))
        return is_large;
    miss(w, c, argument);
    for (uint32_t k = 0; k < c->nitems; k++) {
        const fl_item *item = &c->items[k];
        bool small = item->unify || most_of_item(w, item) < LARGE;
        if (small ? !item->unify && is_held_up(w, item) : is_own(item) && tells(w, item))
            return true;
    }
    return false;
}

static bool find_tells(work *w, const fl_procedure *q)
{
    answers *a = &w->of[q->predicate->id];
    uint64_t found = a->tells;
    for (uint32_t n = 0; n < q->predicate->arity && n < ARGUMENTS; n++)
        for (uint32_t i = 0; i < q->nclauses && (a->needs & ~found & bit(n)); i++)
            if (clause_tells(w, q->clauses[i], n))
                found |= bit(n);
    bool changed = found != a->tells;
    a->tells = found;
    return changed;
}

// ---- All predicates -----------------------------------------------------------------------------

static uint32_t most_variables(const fl_program *p)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->nprocedures; i++)
        for (uint32_t k = 0; k < p->procedures[i].nclauses; k++)
            if (p->procedures[i].clauses[k]->nvariables > most)
                most = p->procedures[i].clauses[k]->nvariables;
    return most;
}

static work begin(const fl_program *p)
{
    uint32_t n = p->npredicates, variables = most_variables(p) + 1;
    work w = {.program = p,
              .procedures = base_allocate(n, sizeof *w.procedures),
              .of = base_allocate(n, sizeof *w.of),
              .queue = base_allocate(n, sizeof *w.queue),
              .missing = base_allocate(variables, sizeof *w.missing),
              .makers = base_allocate(variables, sizeof *w.makers),
              .ready_makers = base_allocate(variables, sizeof *w.ready_makers)};
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        const fl_procedure *q = &p->procedures[i];
        w.procedures[q->predicate->id] = q;
        w.of[q->predicate->id] = (answers){.most = LARGE};
    }
    list_callers(&w);
    return w;
}

static void end(work *w)
{
    free(w->procedures);
    free(w->of);
    free(w->first);
    free(w->callers);
    free(w->queue);
    free(w->missing);
    free(w->makers);
    free(w->ready_makers);
}

void fl_note_work(const fl_program *p)
{
    if (p->npredicates == 0)
        return;
    work w = begin(p);
    settle(&w, find_most);
    settle(&w, find_reads);
    for (uint32_t i = 0; i < p->npredicates; i++)
        w.of[i].needs = w.of[i].reads;
    settle(&w, find_needs);
    settle(&w, find_tells);
    for (uint32_t i = 0; i < p->npredicates; i++)
        w.of[i].needs &= w.of[i].most < LARGE ? w.of[i].needs : w.of[i].tells;
    settle(&w, find_needs);
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        vm_predicate *q = p->procedures[i].predicate;
        q->small = w.of[q->id].most < LARGE;
        q->needs = w.of[q->id].needs;
    }
    end(&w);
}
