// SPDX-License-Identifier: MIT
//
// The runs of examples.h, reduction by reduction.
#include "examples.h"

#include "story.h"

// A generator gen(I,N,S) whose next reduction may be told.
typedef struct {
    uint32_t next, done, assign; // clauses and the predicate of `:=`
    uint32_t goal;               // gen's
    uint32_t add;                // the goal of the `:=` told next
    trace_value i, stream;
    uint32_t i_variable; // what the next reduction reads, or TRACE_NONE
    int64_t value, limit;
    uint32_t stream_variable, sum;
} generator;

static generator define_gen(story *s)
{
    uint32_t gen = predicate(s, "gen", 3, false);
    generator g = {.assign = predicate(s, ":=", 2, true), .i_variable = TRACE_NONE};
    g.next = clause(s, gen, 1, 2, "01", "N M S", "S=[N|S1], :=(N1,+(N,1)), gen(N1,M,S1)");
    g.done = clause(s, gen, 2, 3, "01", "S", "S=[]");
    return g;
}

// Tells gen's reduction at time.
static void step_gen(story *s, generator *g, int64_t time)
{
    cells reads = {0};
    if (g->i_variable != TRACE_NONE)
        reads = (cells){1, {g->i_variable}};
    if (g->value > g->limit) {
        reduce(s, g->goal, g->done, time, reads, (values){{g->stream}});
        g->goal = TRACE_NONE;
        return;
    }
    uint32_t r =
        reduce(s, g->goal, g->next, time, reads, (values){{g->i, integer(g->limit), g->stream}});
    g->stream_variable = cell_of(s, r, 0);
    g->stream = cell(g->stream_variable);
    g->sum = cell_of(s, r, 1);
    g->add = goal_of(s, r, 0);
    g->goal = goal_of(s, r, 1);
}

static void step_add(story *s, generator *g, int64_t time)
{
    cells reads = {0};
    if (g->i_variable != TRACE_NONE)
        reads = (cells){1, {g->i_variable}};
    compute(s, g->add, g->assign, time, reads, g->sum, integer(++g->value));
    g->i_variable = g->sum;
    g->i = cell(g->sum);
}

trace *append_run(void)
{
    story *s = story_begin();
    uint32_t main_predicate = predicate(s, "main", 1, false);
    uint32_t append = predicate(s, "append", 3, false);
    uint32_t begin = clause(s, main_predicate, 0, 1, "", "", "main(Z)");
    uint32_t body = clause(s, main_predicate, 1, 1, "", "Z", "gen(1,3,S), append(S,[x],Z)");
    generator g = define_gen(s);
    uint32_t more = clause(s, append, 1, 12, "0", "H X Y Z", "Z=[H|Z1], append(X,Y,Z1)");
    uint32_t end = clause(s, append, 2, 13, "0", "Y Z", "Z=Y");

    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    uint32_t r = reduce(s, 0, body, 1, (cells){0}, (values){{cell(0)}});
    trace_value z = cell(0), y = cell(cell_of(s, r, 1));
    uint32_t stream = cell_of(s, r, 0), appending = goal_of(s, r, 1);
    g.goal = goal_of(s, r, 0);
    g.i = integer(1);
    g.value = 1;
    g.limit = 3;
    g.stream = cell(stream);
    for (int64_t time = 2; time <= 9; time++) {
        if (time % 2 == 0 && time <= 8) {
            step_gen(s, &g, time);
        } else if (time == 9) {
            reduce(s, appending, end, time, (cells){1, {stream}}, (values){{y, z}});
        } else {
            trace_value item = g.i;
            r = reduce(s, appending, more, time, (cells){1, {stream}},
                       (values){{item, g.stream, y, z}});
            stream = g.stream_variable;
            z = cell(cell_of(s, r, 0));
            appending = goal_of(s, r, 0);
            step_add(s, &g, time);
        }
    }
    return story_end(s);
}

// ---------------------------------------------------------------------------------------------

typedef struct {
    uint32_t variable; // bound to a list
    trace_value item, rest;
} link;

// One of a1, a2: copies the list while it arrives.
typedef struct {
    uint32_t goal, more, end;
    trace_value b, out, d;
} copier;

static void step_copier(story *s, copier *c, const link *l, bool late, int64_t time)
{
    cells reads = {1, {l->variable}};
    uint32_t r;
    if (l->rest.kind == TV_CELL && late)
        r = reduce(s, c->goal, c->more, time, reads,
                   (values){{l->item, l->rest, c->b, c->out, c->d}});
    else if (l->rest.kind == TV_CELL)
        r = reduce(s, c->goal, c->more, time, reads, (values){{l->item, l->rest, c->out}});
    else
        r = reduce(s, c->goal, c->end, time, reads,
                   late ? (values){{c->b, c->out, c->d}} : (values){{c->out}});
    if (l->rest.kind == TV_CELL) {
        c->out = cell(cell_of(s, r, 0));
        c->goal = goal_of(s, r, 0);
    }
}

typedef struct {
    uint32_t goal, more, end;
    trace_value sum, out;
} reverser;

static void step_reverser(story *s, reverser *v, const link *l, uint32_t alias, int64_t time)
{
    cells reads = {1, {l->variable}};
    if (alias != TRACE_NONE)
        reads = (cells){1, {alias}};
    if (l->rest.kind == TV_CELL) {
        uint32_t r =
            reduce(s, v->goal, v->more, time, reads, (values){{l->item, l->rest, v->sum, v->out}});
        v->sum = cell(cell_of(s, r, 0));
        v->goal = goal_of(s, r, 0);
    } else {
        reduce(s, v->goal, v->end, time, reads, (values){{v->sum, v->out}});
    }
}

trace *reverse_run(bool late)
{
    story *s = story_begin();
    generator g = define_gen(s);
    uint32_t main_predicate = predicate(s, "main", 1, false);
    uint32_t t = predicate(s, late ? "t1" : "t2", 3, false);
    uint32_t a = predicate(s, late ? "a1" : "a2", late ? 4 : 2, false);
    uint32_t b = predicate(s, "b", 3, false);
    uint32_t begin = clause(s, main_predicate, 0, 1, "", "", "main(C)");
    uint32_t body = clause(s, main_predicate, 1, 1, "", "C",
                           late ? "gen(1,4,S), t1(S,[],C)" : "gen(1,4,S), t2(S,[],C)");
    uint32_t top =
        clause(s, t, 1, 5, "", "A C", late ? "a1(A,A,B,D), b(D,[],C)" : "a2(A,B), b(A,[],C)");
    copier copy = {0};
    copy.more = late ? clause(s, a, 1, 6, "0", "X A B C D", "C=[X|C1], a1(A,B,C1,D)")
                     : clause(s, a, 1, 6, "0", "X A B", "B=[X|B1], a2(A,B1)");
    copy.end =
        late ? clause(s, a, 2, 7, "0", "B C D", "C=[], B=D") : clause(s, a, 2, 7, "0", "B", "B=[]");
    reverser back = {0};
    back.more = clause(s, b, 1, 8, "0", "X A B C", "b(A,[X|B],C)");
    back.end = clause(s, b, 2, 9, "0", "B C", "C=B");

    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    uint32_t r = reduce(s, 0, body, 1, (cells){0}, (values){{cell(0)}});
    trace_value stream = cell(cell_of(s, r, 0)), out = cell(0);
    uint32_t top_goal = goal_of(s, r, 1), alias = TRACE_NONE;
    g.goal = goal_of(s, r, 0);
    g.i = integer(1);
    g.value = 1;
    g.limit = 4;
    g.stream = stream;
    link links[5];
    uint32_t nlinks = 0, copied = 0, reversed = 0;
    back.sum = atom(s, "[]");
    back.out = out;
    for (int64_t time = 2; time <= 16; time++) {
        // Older goals first: gen, then what t made, then the adders.
        bool gen_step = time % 2 == 0 && time <= 10;
        if (gen_step) {
            links[nlinks] = (link){.variable = g.stream.id, .item = g.i};
            step_gen(s, &g, time);
            links[nlinks].rest = g.goal == TRACE_NONE ? atom(s, "[]") : g.stream;
            nlinks++;
        }
        if (time == 2) {
            r = reduce(s, top_goal, top, time, (cells){0}, (values){{stream, out}});
            copy.goal = goal_of(s, r, 0);
            back.goal = goal_of(s, r, 1);
            copy.b = stream;
            copy.out = cell(cell_of(s, r, 0));
            if (late) {
                alias = cell_of(s, r, 1);
                copy.d = cell(alias);
            }
        }
        if (time % 2 == 1 && time <= 11) {
            step_copier(s, &copy, &links[copied++], late, time);
            if (!late)
                step_reverser(s, &back, &links[reversed++], TRACE_NONE, time);
            if (time < 10)
                step_add(s, &g, time);
        }
        if (late && time >= 12) {
            step_reverser(s, &back, &links[reversed], reversed ? TRACE_NONE : alias, time);
            reversed++;
        }
    }
    return story_end(s);
}
