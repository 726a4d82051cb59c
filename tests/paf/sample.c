// SPDX-License-Identifier: MIT
//
// sample: writes traces to look at, of any size and shape. Actors of several modules stand in a
// ring; each reads the stream of the one before it, works a while, puts an item on its own stream
// and now and then hands a job to a helper process whose answer it needs later.
//
//   sample MODULES ACTORS STEPS OUT.paf [quiet]
//
// `quiet`: nobody gives anything to anybody. STEPS 0: nothing is reduced.
#include "profiler/trace_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { READS, WORKS, GIVES, NEEDS_ANSWER, HELPS } phase;

typedef struct {
    phase phase;
    uint32_t module, goal;
    uint32_t in, out; // streams: the variables read and bound next
    uint32_t answer;  // variable a helper will bind, or the one this helper binds
    uint32_t left;    // reductions of the present phase
    uint32_t count;
} actor;

typedef struct {
    actor *items;
    uint32_t n, room;
} actors;

typedef struct {
    tw *w;
    uint32_t nmodules;
    uint32_t *actor_predicates, *helper_predicates, *actor_clauses, *helper_clauses;
    uint32_t ncells, ngoals;
    int64_t *bound; // time a variable was bound, or -1
    uint32_t *tail; // variable at the end of what it was bound to
    uint32_t room;
    bool quiet;
} sample;

static uint32_t random_state = 12345;

static uint32_t roll(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 10) % n;
}

static void push(actors *list, actor a)
{
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->items = realloc(list->items, list->room * sizeof *list->items);
    }
    list->items[list->n++] = a;
}

static uint32_t new_cells(sample *s, uint32_t n)
{
    while (s->ncells + n > s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->bound = realloc(s->bound, s->room * sizeof *s->bound);
        s->tail = realloc(s->tail, s->room * sizeof *s->tail);
    }
    for (uint32_t i = 0; i < n; i++)
        s->bound[s->ncells + i] = -1;
    s->ncells += n;
    return s->ncells - n;
}

static trace_value cell(uint32_t id)
{
    return (trace_value){.kind = TV_CELL, .id = id};
}

static trace_value integer(int64_t i)
{
    return (trace_value){.kind = TV_INT, .i = i};
}

static uint32_t add_clause(sample *s, uint32_t predicate, uint32_t line)
{
    trace_clause c = {.predicate = predicate,
                      .number = 1,
                      .line = line,
                      .column = 1,
                      .end_line = line + 1,
                      .dynamic = true};
    return tw_clause(s->w, &c);
}

static void name_module(const sample *s, uint32_t i, char *name, size_t size)
{
    static const char *const names[] = {"evaluator", "searcher", "router", "cache", "parser"};
    if (s->nmodules <= 5)
        snprintf(name, size, "%s", names[i]);
    else
        snprintf(name, size, i % 7 ? "stage_%" PRIu32 : "a_stage_with_quite_a_long_name_%" PRIu32,
                 i);
}

static void write_tables(sample *s)
{
    char *source = malloc(s->nmodules * 250 + 1), name[64], helper[80];
    size_t length = 0;
    for (uint32_t i = 0; i < s->nmodules; i++) {
        name_module(s, i, name, sizeof name);
        length += (size_t)sprintf(source + length,
                                  "%s([Item|In], Out, N) :-\n    work(Item, X), Out = [X|Out1], "
                                  "%s(In, Out1, N).\nhelp_%s(N, R) :- N > 0 |\n    R = done.\n",
                                  name, name, name);
    }
    tw_source(s->w, "ring.fl", source, length);
    free(source);
    for (uint32_t i = 0; i < s->nmodules; i++) {
        name_module(s, i, name, sizeof name);
        uint32_t module = tw_module(s->w, name);
        s->actor_predicates[i] = tw_predicate(s->w, module, name, 3, TRACE_PROGRAM);
        snprintf(helper, sizeof helper, "help_%s", name);
        s->helper_predicates[i] = tw_predicate(s->w, module, helper, 2, TRACE_PROGRAM);
        s->actor_clauses[i] = add_clause(s, s->actor_predicates[i], 4 * i + 1);
        s->helper_clauses[i] = add_clause(s, s->helper_predicates[i], 4 * i + 3);
    }
}

// The beginning makes the streams, the first reduction the actors.
static void write_start(sample *s, uint32_t nactors, uint32_t steps, actors *list)
{
    uint32_t main_0 = tw_predicate(s->w, tw_module(s->w, "user"), "main", 0, TRACE_PROGRAM);
    uint32_t clause = add_clause(s, main_0, 1);
    tw_reduction(s->w, &(trace_reduction){.clause = clause,
                                          .ngoals = 1,
                                          .goals = &(trace_goal){.predicate = main_0}});
    s->ngoals = 1;
    if (steps == 0)
        return;
    trace_cell *cells = calloc(nactors, sizeof *cells);
    trace_goal *goals = calloc(nactors, sizeof *goals);
    trace_value *args = calloc(3 * nactors, sizeof *args);
    uint32_t first = new_cells(s, nactors);
    uint32_t stream = tw_string(s->w, "S", 1);
    for (uint32_t i = 0; i < nactors; i++) {
        cells[i] = (trace_cell){.kind = TC_VARIABLE, .name = stream};
        uint32_t in = first + (i + nactors - 1) % nactors, out = first + i;
        args[3 * i] = cell(in);
        args[3 * i + 1] = cell(out);
        args[3 * i + 2] = integer(i);
        goals[i] = (trace_goal){s->actor_predicates[i % s->nmodules], 3, &args[3 * i]};
        push(list, (actor){.phase = i % 3 == 0 ? GIVES : READS,
                           .module = i % s->nmodules,
                           .goal = s->ngoals++,
                           .in = in,
                           .out = out,
                           .left = 1});
    }
    tw_reduction(s->w, &(trace_reduction){.goal = 0,
                                          .clause = clause,
                                          .time = 1,
                                          .ncells = nactors,
                                          .cells = cells,
                                          .ngoals = nactors,
                                          .goals = goals});
    free(cells);
    free(goals);
    free(args);
}

// What a reduction does, collected before it is written.
typedef struct {
    uint32_t nreads, ncells, nbindings, ngoals, reads[2];
    trace_cell cells[4];
    trace_binding bindings[2];
    trace_goal goals[2];
    trace_value args[8];
    trace_value list[2];
} action;

static void give(sample *s, actor *a, action *act, int64_t time)
{
    uint32_t first = new_cells(s, 2);
    uint32_t name = tw_string(s->w, "Out", 3);
    act->cells[act->ncells++] = (trace_cell){.kind = TC_VARIABLE, .name = name};
    act->list[0] = integer(a->count++);
    act->list[1] = cell(first);
    act->cells[act->ncells++] =
        (trace_cell){.kind = TC_CONS, .name = TRACE_NONE, .n = 2, .nargs = 2, .args = act->list};
    act->bindings[act->nbindings++] = (trace_binding){a->out, 0, cell(first + 1)};
    s->bound[a->out] = time;
    s->tail[a->out] = first;
    a->out = first;
    a->phase = READS;
}

// Hands a job to a helper of some module; the answer is needed three reductions later.
static void hire(sample *s, actor *a, action *act, actor *ret_helper)
{
    uint32_t module = roll(s->nmodules), answer = new_cells(s, 1);
    act->cells[act->ncells++] = (trace_cell){.kind = TC_VARIABLE, .name = tw_string(s->w, "R", 1)};
    act->args[4] = integer(a->count);
    act->args[5] = cell(answer);
    act->goals[act->ngoals++] = (trace_goal){s->helper_predicates[module], 2, &act->args[4]};
    *ret_helper = (actor){.phase = HELPS,
                          .module = module,
                          .answer = answer,
                          .left = 2 + roll(9),
                          .goal = s->ngoals++};
    a->answer = answer;
    a->phase = NEEDS_ANSWER;
}

// False: it waits. Otherwise what it does is in *act; *ret_done: it leaves no goal.
static bool act_once(sample *s, actor *a, int64_t time, action *act, actor *ret_helper,
                     bool *ret_done)
{
    *ret_done = false;
    switch (a->phase) {
    case READS:
        if (s->bound[a->in] < 0 || s->bound[a->in] >= time)
            return false;
        act->reads[act->nreads++] = a->in;
        a->in = s->tail[a->in];
        a->phase = WORKS;
        a->left = 1 + roll(4) + (a->module == 0 ? 3 : 0);
        return true;
    case WORKS:
        if (--a->left == 0)
            a->phase = GIVES;
        else if (roll(4) == 0)
            hire(s, a, act, ret_helper);
        return true;
    case NEEDS_ANSWER:
        if (s->bound[a->answer] < 0 || s->bound[a->answer] >= time)
            return false;
        act->reads[act->nreads++] = a->answer;
        a->phase = GIVES;
        return true;
    case GIVES:
        if (s->quiet)
            a->left = 2;
        else
            give(s, a, act, time);
        return true;
    case HELPS:
        if (--a->left > 0)
            return true;
        act->bindings[act->nbindings++] = (trace_binding){a->answer, 0, integer(a->count)};
        s->bound[a->answer] = time;
        *ret_done = true;
        return true;
    }
    return false;
}

static void write_action(sample *s, const actor *before, actor *after, action *act, int64_t time,
                         bool done)
{
    bool helper = before->phase == HELPS;
    if (!done) {
        // The goal it goes on as comes last in the body.
        act->args[0] = helper ? integer(after->left) : cell(after->in);
        act->args[1] = cell(helper ? after->answer : after->out);
        act->args[2] = integer(after->count);
        uint32_t predicate =
            helper ? s->helper_predicates[after->module] : s->actor_predicates[after->module];
        act->goals[act->ngoals++] = (trace_goal){predicate, helper ? 2 : 3, act->args};
        after->goal = s->ngoals++;
    }
    tw_reduction(s->w, &(trace_reduction){.goal = before->goal,
                                          .clause = helper ? s->helper_clauses[before->module]
                                                           : s->actor_clauses[before->module],
                                          .time = time,
                                          .nreads = act->nreads,
                                          .reads = act->reads,
                                          .nbindings = act->nbindings,
                                          .bindings = act->bindings,
                                          .ncells = act->ncells,
                                          .cells = act->cells,
                                          .ngoals = act->ngoals,
                                          .goals = act->goals});
}

static void run(sample *s, actors *list, uint32_t steps)
{
    for (int64_t time = 2; time <= (int64_t)steps; time++) {
        actors waiting = {0}, next = {0};
        for (uint32_t i = 0; i < list->n; i++) {
            actor before = list->items[i], after = before, helper = {.goal = TRACE_NONE};
            action act = {0};
            bool done;
            if (!act_once(s, &after, time, &act, &helper, &done)) {
                push(&waiting, before);
                continue;
            }
            write_action(s, &before, &after, &act, time, done);
            if (helper.goal != TRACE_NONE)
                push(&next, helper);
            if (!done)
                push(&next, after);
        }
        // Those that waited have the older goals.
        for (uint32_t i = 0; i < next.n; i++)
            push(&waiting, next.items[i]);
        free(next.items);
        free(list->items);
        *list = waiting;
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: sample MODULES ACTORS STEPS OUT.paf [quiet]\n");
        return 2;
    }
    sample s = {.nmodules = (uint32_t)atoi(argv[1]), .quiet = argc > 5};
    uint32_t nactors = (uint32_t)atoi(argv[2]), steps = (uint32_t)atoi(argv[3]);
    char *error = NULL;
    trace_run about = {.clock = TRACE_VIRTUAL};
    s.w = tw_create(argv[4], &about, "ring.fl", &error);
    if (!s.w) {
        fprintf(stderr, "sample: %s\n", error);
        return 1;
    }
    uint32_t *tables = calloc(4 * s.nmodules, sizeof *tables);
    s.actor_predicates = tables;
    s.helper_predicates = tables + s.nmodules;
    s.actor_clauses = tables + 2 * s.nmodules;
    s.helper_clauses = tables + 3 * s.nmodules;
    write_tables(&s);
    actors list = {0};
    write_start(&s, nactors, steps, &list);
    run(&s, &list, steps);
    if (!tw_finish(s.w, TRACE_STOPPED, 0, TRACE_NONE, "", &error)) {
        fprintf(stderr, "sample: %s\n", error);
        return 1;
    }
    free(list.items);
    free(s.bound);
    free(s.tail);
    free(tables);
    return 0;
}
