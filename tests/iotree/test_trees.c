// SPDX-License-Identifier: MIT
//
// IO-Trees of runs made by hand. In most of them the process is started with the input variables
// I1, I2, ... and binds the output variables O1, O2, ...; the beginning binds the inputs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "story.h"

#define NARGS 6

// The beginning makes I1 I2 I3 (bound to 1 2 3) and O1 O2 O3 and starts p with them. All goals of
// the process are p's; the clauses say only what they create and bind.
typedef struct {
    story *s;
    uint32_t p;
    uint32_t clauses[16];
} teller;

enum { I1, I2, I3, O1, O2, O3 };

static teller begin(void)
{
    teller x = {.s = story_begin()};
    uint32_t start = predicate(x.s, "start", 0, false);
    x.p = predicate(x.s, "p", NARGS, false);
    uint32_t b = clause(x.s, start, 0, 1, "", "", "p(I1,I2,I3,O1,O2,O3), I1=1, I2=2, I3=3");
    x.clauses[0] = clause(x.s, x.p, 1, 1, "", "", "");
    const char *args = "I1 I2 I3 O1 O2 O3", *call = "p(I1,I2,I3,O1,O2,O3)";
    char twice[64], bind[64];
    snprintf(twice, sizeof twice, "%s, %s", call, call);
    x.clauses[1] = clause(x.s, x.p, 2, 2, "", args, call);
    x.clauses[2] = clause(x.s, x.p, 3, 3, "", args, twice);
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(bind, sizeof bind, "O%u=%u", i + 1, i + 1);
        x.clauses[3 + i] = clause(x.s, x.p, 4 + i, 4 + i, "", args, bind);
        snprintf(bind, sizeof bind, "O%u=%u, %s", i + 1, i + 1, call);
        x.clauses[6 + i] = clause(x.s, x.p, 7 + i, 7 + i, "", args, bind);
    }
    reduce(x.s, 0, b, 0, (cells){0}, (values){0});
    return x;
}

enum { CALL = 1, CALL_TWICE = 2, BIND = 3, BIND_CALL = 6 };

static void tell(teller *x, uint32_t goal, uint32_t what, int64_t time, cells reads)
{
    values v;
    for (uint32_t i = 0; i < NARGS; i++)
        v.v[i] = cell(i);
    reduce(x->s, goal, x->clauses[what], time, reads, v);
}

static trace *done(teller *x)
{
    return story_end(x->s);
}

static void tree_is(const trace *t, const char *want)
{
    iot *a = analyse(t, "p=p/6");
    char text[1024];
    // The inputs are bound when the goal is created and shown with their values.
    snprintf(text, sizeof text, "p(1,2,3,O1,O2,O3) created @0\n%s", want);
    CHECK_TEXT(trees_text(a, 1), text);
    iot_destroy(a);
}

// Two branches that need different inputs, and one that needs none.
static void test_fork(void)
{
    teller x = begin();
    tell(&x, 0, CALL_TWICE, 1, (cells){0}); // goals 1, 2
    tell(&x, 1, BIND + 0, 2, (cells){1, {I1}});
    tell(&x, 2, CALL_TWICE, 2, (cells){0}); // goals 3, 4
    tell(&x, 3, BIND + 1, 3, (cells){1, {I2}});
    tell(&x, 4, BIND + 2, 3, (cells){0});
    trace *t = done(&x);
    tree_is(t, "{[I1=1 @2 (0)], [O1=1 @2]}\n"
               "{[I2=2 @3 (0)], [O2=2 @3]}\n"
               "{[], [O3=3 @3]}\n");
    trace_close(t);
}

// The same input in two branches: both nodes are joins. I3 is read for nothing.
static void test_join(void)
{
    teller x = begin();
    tell(&x, 0, CALL_TWICE, 1, (cells){0});
    tell(&x, 1, CALL_TWICE, 2, (cells){1, {I1}}); // goals 3, 4
    tell(&x, 2, BIND + 1, 2, (cells){2, {I1, I2}});
    tell(&x, 3, BIND + 0, 3, (cells){0});
    tell(&x, 4, CALL, 3, (cells){1, {I3}}); // its goal 5 never reduces
    waits(x.s, 5, O3);
    trace *t = done(&x);
    tree_is(t, "{[I1=1 @2 (0), I2=2 @2 (0)], [O2=2 @2]} join\n"
               "{[I1=1 @2 (0)], [O1=1 @3]} join\n"
               "unused: 1\n");
    trace_close(t);
}

// What is needed already above does not stand below; outputs that need no more join their node.
static void test_chain(void)
{
    teller x = begin();
    tell(&x, 0, BIND_CALL + 0, 1, (cells){1, {I1}}); // goal 1
    tell(&x, 1, CALL, 2, (cells){1, {I1}});          // goal 2
    tell(&x, 2, BIND_CALL + 1, 3, (cells){0});       // goal 3
    tell(&x, 3, BIND + 2, 4, (cells){2, {I3, I1}});
    trace *t = done(&x);
    tree_is(t, "{[I1=1 @1 (0)], [O1=1 @1, O2=2 @3]}\n"
               "  {[I3=3 @4 (0)], [O3=3 @4]}\n");
    trace_close(t);
}

// Two goals with the same needs but no node in common above: one child for both.
static void test_same_inputs(void)
{
    teller x = begin();
    tell(&x, 0, CALL_TWICE, 1, (cells){0});
    tell(&x, 1, BIND + 0, 2, (cells){2, {I1, I2}});
    tell(&x, 2, CALL, 2, (cells){1, {I2}}); // goal 3
    tell(&x, 3, BIND + 1, 3, (cells){1, {I1}});
    trace *t = done(&x);
    tree_is(t, "{[I1=1 @2 (0), I2=2 @2 (0)], [O1=1 @2, O2=2 @3]}\n");
    trace_close(t);
}

// ---------------------------------------------------------------------------------------------

// A long stream: a window shows what was made in it and all above; a limit keeps the beginning.
static void test_window(void)
{
    enum { N = 1000 };
    story *s = story_begin();
    uint32_t start = predicate(s, "start", 0, false), p = predicate(s, "p", 2, false);
    uint32_t q = predicate(s, "q", 1, false);
    uint32_t b = clause(s, start, 0, 1, "", "", "q(S), p(S,R)");
    uint32_t make = clause(s, q, 1, 2, "", "S", "S=[a|S1], q(S1)");
    uint32_t copy = clause(s, p, 1, 3, "0", "X S R", "R=[X|R1], p(S,R1)");
    reduce(s, 0, b, 0, (cells){0}, (values){0});
    uint32_t in = 0, maker = 0, copier = 1;
    trace_value out = cell(1);
    for (int64_t time = 1; time <= N; time++) {
        uint32_t old = in;
        uint32_t r = reduce(s, maker, make, 2 * time - 1, (cells){0}, (values){{cell(in)}});
        maker = goal_of(s, r, 0);
        in = cell_of(s, r, 0);
        r = reduce(s, copier, copy, 2 * time, (cells){1, {old}},
                   (values){{atom(s, "a"), cell(in), out}});
        out = cell(cell_of(s, r, 0));
        copier = goal_of(s, r, 0);
    }
    trace *t = story_end(s);
    iot *a = analyse(t, "p=p/2");
    const iot_output *outputs;
    uint32_t process = 1;
    CHECK_IS(iot_get_process(a, process)->members, N);
    CHECK_IS(iot_outputs(a, process, &outputs), N);
    CHECK_IS(outputs[N - 1].needed, N);
    CHECK_IS(outputs[N - 1].last_input, N - 1);
    bool complete;
    iot_tree *tree = iot_tree_build(a, process, 100, 200, 1u << 20, &complete);
    CHECK(complete);
    CHECK_IS(iot_tree_nnodes(tree), 100); // outputs at 2, 4, ... 200: above those from 100 on
    CHECK_IS(iot_tree_node(tree, 99)->output_from, 200);
    CHECK_IS(iot_tree_node(tree, 99)->depth, 99);
    iot_tree_destroy(tree);
    tree = iot_tree_build(a, process, 0, INT64_MAX, 10, &complete);
    CHECK(!complete);
    CHECK_IS(iot_tree_nnodes(tree), 10);
    CHECK_IS(iot_tree_node(tree, 9)->output_to, 20);
    iot_tree_destroy(tree);
    tree = iot_tree_build(a, process, 5000, 6000, 10, &complete);
    CHECK(complete);
    CHECK_IS(iot_tree_nnodes(tree), 0);
    iot_tree_destroy(tree);
    iot_destroy(a);
    trace_close(t);
}

// Two readers of one stream, each with a private input between: the second needs other chains.
static void test_two_readers(void)
{
    teller x = begin();
    tell(&x, 0, CALL_TWICE, 1, (cells){0});
    tell(&x, 1, CALL, 2, (cells){2, {I1, I2}});      // goal 3: I1 I2 I3 on one chain
    tell(&x, 2, BIND_CALL + 1, 3, (cells){1, {I2}}); // goal 4
    tell(&x, 3, BIND_CALL + 0, 3, (cells){1, {I3}}); // goal 5
    tell(&x, 4, BIND + 2, 4, (cells){1, {I3}});
    trace *t = done(&x);
    tree_is(t, "{[I2=2 @2 (0)], [O2=2 @3]} join\n"
               "  {[I3=3 @3 (0)], [O3=3 @4]} join\n"
               "{[I1=1 @2 (0), I2=2 @2 (0), I3=3 @3 (0)], [O1=1 @3]} join\n");
    trace_close(t);
}

// Of equally large nodes in the causal past the one made later is built upon.
static void test_ties(void)
{
    teller x = begin();
    tell(&x, 0, CALL_TWICE, 1, (cells){0});
    tell(&x, 1, BIND + 0, 2, (cells){1, {I1}});
    tell(&x, 2, BIND_CALL + 1, 3, (cells){1, {I2}}); // goal 3
    tell(&x, 3, BIND + 2, 4, (cells){1, {O1}});      // needs both
    trace *t = done(&x);
    tree_is(t, "{[I1=1 @2 (0)], [O1=1 @2]} join\n"
               "{[I2=2 @3 (0)], [O2=2 @3]}\n"
               "  {[I1=1 @2 (0)], [O3=3 @4]} join\n");
    trace_close(t);
}

void test_trees(void)
{
    test_fork();
    test_join();
    test_chain();
    test_same_inputs();
    test_window();
    test_two_readers();
    test_ties();
}
