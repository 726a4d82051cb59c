// SPDX-License-Identifier: MIT
//
// Traces whose bytes are in order but whose contents cannot be: the reader refuses the first
// record that is wrong and keeps what is before it. What the writer can see it refuses itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

// A run made wrong: predicates 0 p/0 and 1 q/1 (static) and 2 b/0 (built-in); clauses 0 and 1 of
// p and 2 of b. The beginning is by clause 0 and makes cells 0 and 1 (X, Y) and 2 ({X}), goals 0
// (p) and 1 (b) and binds X to Y; reduction 1, of goal 0, binds nothing.
typedef struct {
    tw *w;
    uint32_t atom;
} world;

static uint32_t add_p(world *k, const trace_node *nodes, uint32_t nnodes)
{
    uint32_t names[] = {k->atom, k->atom}, children[] = {0, 0, 1};
    trace_item items[] = {
        {TI_UNIFY, 0, 1, 1, 1, 2}, {TI_GOAL, 0, 1, 1, 0, 0}, {TI_GOAL, 2, 1, 1, 0, 0}};
    return tw_clause(k->w, &(trace_clause){.predicate = 0,
                                           .source = TRACE_NONE,
                                           .nfresh = 2,
                                           .nstructs = nnodes > 2,
                                           .names = names,
                                           .nnodes = nnodes,
                                           .nchildren = 3,
                                           .nitems = 3,
                                           .nodes = nodes,
                                           .children = children,
                                           .items = items});
}

static const trace_node p_nodes[] = {{.kind = TN_FRESH, .index = 0},
                                     {.kind = TN_FRESH, .index = 1},
                                     {.kind = TN_VECTOR, .index = 2, .first = 0, .n = 1}};

static void begin_world(world *k, const char *path)
{
    char *error = NULL;
    k->w = tw_create(path, &(trace_run){0}, "world", &error);
    k->atom = tw_string(k->w, "atom", 4);
    tw_module(k->w, "m");
    tw_predicate(k->w, 0, "p", 0, TRACE_PROGRAM);
    tw_predicate(k->w, 0, "q", 1, TRACE_PROGRAM);
    tw_predicate(k->w, 0, "b", 0, TRACE_BUILTIN);
    add_p(k, p_nodes, 3);
    add_p(k, p_nodes, 2);
    tw_clause(k->w, &(trace_clause){.predicate = 2, .source = TRACE_NONE, .dynamic = true});
    trace_binding b = {0, 0, {.kind = TV_CELL, .id = 1}};
    tw_reduction(k->w, &(trace_reduction){.nbindings = 1, .bindings = &b});
    tw_reduction(k->w, &(trace_reduction){.goal = 0, .clause = 0, .time = 1});
}

// ---------------------------------------------------------------------------------------------
// Wrong reductions, each number 2

static void reduce_p(world *k, trace_reduction r)
{
    r.time = 2;
    tw_reduction(k->w, &r);
}

static void bind(world *k, uint32_t goal, uint32_t variable, uint32_t item, trace_value value)
{
    trace_binding b = {variable, item, value};
    reduce_p(k, (trace_reduction){
                    .goal = goal, .clause = goal == 1 ? 2 : 0, .nbindings = 1, .bindings = &b});
}

static void make(world *k, trace_cell_kind kind, uint32_t n, const trace_value *args,
                 uint32_t nargs)
{
    trace_cell c = {.kind = kind, .name = TRACE_NONE, .n = n, .nargs = nargs, .args = args};
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 2, .ncells = 1, .cells = &c});
}

static void goal_twice(world *k)
{
    reduce_p(k, (trace_reduction){.goal = 0, .clause = 0});
}

static void other_clause(world *k)
{
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 0});
}

static void bound_twice(world *k)
{
    bind(k, 1, 0, 0, (trace_value){.kind = TV_INT});
}

static void bound_twice_at_once(world *k)
{
    trace_binding b[] = {{3, 0, {.kind = TV_INT}}, {3, 0, {.kind = TV_INT}}};
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 2, .nbindings = 2, .bindings = b});
}

static void bound_structure(world *k)
{
    bind(k, 1, 2, 0, (trace_value){.kind = TV_INT});
}

static void bound_in_ring(world *k)
{
    bind(k, 1, 1, 0, (trace_value){.kind = TV_CELL, .id = 0});
}

static void bound_to_itself(world *k)
{
    bind(k, 1, 1, 0, (trace_value){.kind = TV_CELL, .id = 1});
}

static void no_such_item(world *k)
{
    bind(k, 1, 1, 1, (trace_value){.kind = TV_INT});
}

static void no_such_item_of_clause(world *k)
{
    bind(k, 2, 1, 3, (trace_value){.kind = TV_INT});
}

static void no_such_string(world *k)
{
    bind(k, 1, 1, 0, (trace_value){.kind = TV_ATOM, .id = 99});
}

static void no_number(world *k)
{
    bind(k, 1, 1, 0, (trace_value){.kind = TV_BIG, .id = k->atom});
}

static void read_unbound(world *k)
{
    uint32_t reads[] = {0, 1};
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 2, .nreads = 2, .reads = reads});
}

static void followed_structure(world *k)
{
    uint32_t followed[] = {2};
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 2, .nfollowed = 1, .followed = followed});
}

// Binds Y (in vain: `of` was not bound before).
static void pass_on(world *k, uint32_t of)
{
    trace_binding b = {1, 0, {.kind = TV_INT}};
    uint32_t passed[] = {0, of}, ends[] = {2};
    reduce_p(k, (trace_reduction){.goal = 1,
                                  .clause = 2,
                                  .nbindings = 1,
                                  .bindings = &b,
                                  .npassed = 2,
                                  .passed = passed,
                                  .passed_ends = ends});
}

static void passed_structure(world *k)
{
    pass_on(k, 2);
}

static void passed_itself(world *k)
{
    pass_on(k, 1);
}

static void passed_unbound(world *k)
{
    pass_on(k, 3);
}

static void short_list_cell(world *k)
{
    trace_value v = {.kind = TV_INT};
    make(k, TC_CONS, 1, &v, 1);
}

static void variable_with_arguments(world *k)
{
    trace_value v = {.kind = TV_INT};
    make(k, TC_VARIABLE, 1, &v, 1);
}

static void structure_without_name(world *k)
{
    trace_value v = {.kind = TV_INT};
    make(k, TC_STRUCT, 1, &v, 1);
}

static void vector_of_few(world *k)
{
    trace_value v[2] = {{.kind = TV_INT}, {.kind = TV_INT}};
    make(k, TC_VECTOR, 3, v, 2);
}

static void update_of_variable(world *k)
{
    trace_value v[3] = {{.kind = TV_CELL, .id = 1}, {.kind = TV_INT}, {.kind = TV_INT}};
    make(k, TC_VECTOR_UPDATE, 1, v, 3);
}

static void update_of_itself(world *k)
{
    trace_value v[3] = {{.kind = TV_CELL, .id = 6}, {.kind = TV_INT}, {.kind = TV_INT}};
    make(k, TC_VECTOR_UPDATE, 1, v, 3);
}

static void update_with_other_length(world *k)
{
    trace_value v[3] = {{.kind = TV_CELL, .id = 2}, {.kind = TV_INT}, {.kind = TV_INT}};
    make(k, TC_VECTOR_UPDATE, 2, v, 3);
}

static void update_outside(world *k)
{
    trace_value v[3] = {{.kind = TV_CELL, .id = 2}, {.kind = TV_INT, .i = 1}, {.kind = TV_INT}};
    make(k, TC_VECTOR_UPDATE, 1, v, 3);
}

static void update_of_two(world *k)
{
    trace_value v[2] = {{.kind = TV_CELL, .id = 2}, {.kind = TV_INT}};
    make(k, TC_VECTOR_UPDATE, 1, v, 2);
}

static void made_goal(world *k, trace_goal goal)
{
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 2, .ngoals = 1, .goals = &goal});
}

static void goal_of_no_predicate(world *k)
{
    made_goal(k, (trace_goal){.predicate = 3});
}

static void goal_without_argument(world *k)
{
    made_goal(k, (trace_goal){.predicate = 1});
}

// ---------------------------------------------------------------------------------------------
// Wrong tables

static void wrong_clause(world *k, const trace_node *node, uint32_t child, uint32_t nargs)
{
    uint32_t children[] = {child, 0}, names[] = {0, 0};
    trace_node nodes[] = {{.kind = TN_FRESH, .index = 0}, *node};
    trace_item item = {TI_GOAL, 1, 1, 1, 1, nargs};
    tw_clause(k->w, &(trace_clause){.predicate = 0,
                                    .source = TRACE_NONE,
                                    .nfresh = 1,
                                    .nholes = 1,
                                    .nstructs = node->kind >= TN_CONS,
                                    .names = names,
                                    .nnodes = 2,
                                    .nchildren = 2,
                                    .nitems = 1,
                                    .nodes = nodes,
                                    .children = children,
                                    .items = &item});
}

static void node_of_itself(world *k)
{
    trace_node node = {.kind = TN_VECTOR, .index = 1, .n = 1};
    wrong_clause(k, &node, 1, 1);
}

static void node_without_cell(world *k)
{
    trace_node node = {.kind = TN_VECTOR, .index = 2, .n = 1};
    wrong_clause(k, &node, 0, 1);
}

static void node_of_variable(world *k)
{
    trace_node node = {.kind = TN_VECTOR, .index = 0, .n = 1};
    wrong_clause(k, &node, 0, 1);
}

static void node_shares_children(world *k)
{
    trace_node node = {.kind = TN_VECTOR, .index = 1, .n = 2};
    wrong_clause(k, &node, 0, 1);
}

static void no_such_hole(world *k)
{
    trace_node node = {.kind = TN_HOLE, .index = 1};
    wrong_clause(k, &node, 0, 1);
}

static void no_such_variable(world *k)
{
    trace_node node = {.kind = TN_FRESH, .index = 1};
    wrong_clause(k, &node, 0, 1);
}

static void item_without_argument(world *k)
{
    trace_node node = {.kind = TN_HOLE, .index = 0};
    wrong_clause(k, &node, 0, 0);
}

static void cell_without_node(world *k)
{
    tw_clause(k->w, &(trace_clause){.predicate = 0, .source = TRACE_NONE, .nstructs = 1});
}

static void look_at_nothing(world *k)
{
    uint32_t looks[] = {0};
    tw_clause(k->w,
              &(trace_clause){.predicate = 0, .source = TRACE_NONE, .nlooks = 1, .looks = looks});
}

static void clause_of_nothing(world *k)
{
    tw_clause(k->w, &(trace_clause){.predicate = 3, .source = TRACE_NONE});
}

static void clause_of_no_source(world *k)
{
    tw_clause(k->w, &(trace_clause){.predicate = 0, .source = 0});
}

static void builtin_with_template(world *k)
{
    uint32_t names[] = {0};
    tw_clause(
        k->w,
        &(trace_clause){
            .predicate = 2, .source = TRACE_NONE, .dynamic = true, .nfresh = 1, .names = names});
}

static void head_of_another_arity(world *k)
{
    uint32_t head[] = {0, 0};
    trace_node pattern = {.kind = TN_CONST, .value = {.kind = TV_INT}};
    tw_clause(k->w, &(trace_clause){.predicate = 1,
                                    .source = TRACE_NONE,
                                    .nhead = 2,
                                    .head = head,
                                    .npatterns = 1,
                                    .patterns = &pattern});
}

static void guard_without_name(world *k)
{
    trace_guard guard = {.name = 9};
    tw_clause(k->w, &(trace_clause){
                        .predicate = 1, .source = TRACE_NONE, .nguards = 1, .guards = &guard});
}

static void unused_without_name(world *k)
{
    uint32_t unused = 9;
    tw_clause(k->w, &(trace_clause){
                        .predicate = 1, .source = TRACE_NONE, .nunused = 1, .unused = &unused});
}

static void pattern_without_text(world *k)
{
    trace_node pattern = {.kind = TN_CONST, .value = {.kind = TV_ATOM, .id = 9}};
    tw_clause(k->w, &(trace_clause){
                        .predicate = 1, .source = TRACE_NONE, .npatterns = 1, .patterns = &pattern});
}

static void predicate_of_nothing(world *k)
{
    tw_predicate(k->w, 7, "r", 0, TRACE_PROGRAM);
}

// ---------------------------------------------------------------------------------------------
// Wrong ends

static void wait_of_reduced(world *k)
{
    tw_waiting(k->w, 0, NULL, 0);
}

static void wait_of_nothing(world *k)
{
    tw_waiting(k->w, 4, NULL, 0);
}

static void wait_for_vector(world *k)
{
    uint32_t variables[] = {2};
    tw_waiting(k->w, 1, variables, 1);
}

static void wait_twice(world *k)
{
    tw_waiting(k->w, 1, NULL, 0);
    tw_waiting(k->w, 2, NULL, 0);
    tw_waiting(k->w, 1, NULL, 0);
}

static const struct {
    void (*spoil)(world *);
    const char *reason;
} wrongs[] = {
    {goal_twice, "a goal is reduced twice (REDUCTIONS, record 2)"},
    {other_clause, "a goal is reduced by a clause of another predicate (REDUCTIONS, record 2)"},
    {bound_twice, "binds what is no unbound variable (REDUCTIONS, record 2)"},
    {bound_twice_at_once, "binds what is no unbound variable (REDUCTIONS, record 2)"},
    {bound_structure, "binds what is no unbound variable (REDUCTIONS, record 2)"},
    {bound_in_ring, "variables are bound in a ring (REDUCTIONS, record 2)"},
    {bound_to_itself, "variables are bound in a ring (REDUCTIONS, record 2)"},
    {no_such_item, "a body item that does not exist (REDUCTIONS, record 2)"},
    {no_such_item_of_clause, "a body item that does not exist (REDUCTIONS, record 2)"},
    {no_such_string, "a string that does not exist or is no number (REDUCTIONS, record 2)"},
    {no_number, "a string that does not exist or is no number (REDUCTIONS, record 2)"},
    {read_unbound, "reads what is no bound variable (REDUCTIONS, record 2)"},
    {followed_structure, "reads what is no bound variable (REDUCTIONS, record 2)"},
    {passed_structure, "passes on what was not bound before (REDUCTIONS, record 2)"},
    {passed_itself, "passes on what was not bound before (REDUCTIONS, record 2)"},
    {passed_unbound, "passes on what was not bound before (REDUCTIONS, record 2)"},
    {short_list_cell, "a cell of another form (REDUCTIONS, record 2)"},
    {variable_with_arguments, "a cell of another form (REDUCTIONS, record 2)"},
    {structure_without_name, "a cell of another form (REDUCTIONS, record 2)"},
    {vector_of_few, "a cell of another form (REDUCTIONS, record 2)"},
    {update_of_variable, "an update of what is no older vector (REDUCTIONS, record 2)"},
    {update_of_itself, "an update of what is no older vector (REDUCTIONS, record 2)"},
    {update_with_other_length, "an update changes the length of a vector (REDUCTIONS, record 2)"},
    {update_outside, "an index outside of a vector (REDUCTIONS, record 2)"},
    {update_of_two, "a vector update of another form (REDUCTIONS, record 2)"},
    {goal_of_no_predicate, "a predicate that does not exist (REDUCTIONS, record 2)"},
    {goal_without_argument, "a goal with too few or too many arguments (REDUCTIONS, record 2)"},
    {item_without_argument, "a goal with too few or too many arguments (CLAUSES, record 3)"},
    {look_at_nothing, "an argument that does not exist (CLAUSES, record 3)"},
    {clause_of_nothing, "a predicate that does not exist (CLAUSES, record 3)"},
    {clause_of_no_source, "a source that does not exist (CLAUSES, record 3)"},
    {head_of_another_arity, "a head with too few or too many arguments (CLAUSES, record 3)"},
    {guard_without_name, "a string that does not exist (CLAUSES, record 3)"},
    {unused_without_name, "a string that does not exist (CLAUSES, record 3)"},
    {pattern_without_text, "a string that does not exist or is no number (CLAUSES, record 3)"},
    {predicate_of_nothing, "a module that does not exist (PREDICATES, record 3)"},
    {wait_of_reduced, "a goal that was reduced waits (WAITING, record 0)"},
    {wait_of_nothing, "a goal that does not exist (WAITING, record 0)"},
    {wait_for_vector, "a goal waits for what is no variable (WAITING, record 0)"},
    {wait_twice, "a goal waits twice"},
};

static void reader_refuses(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "wrong.paf");
    for (uint32_t i = 0; i < COUNT(wrongs); i++) {
        world k;
        char *error = NULL;
        begin_world(&k, path);
        wrongs[i].spoil(&k);
        CHECK_SAY(tw_finish(k.w, TRACE_NORMAL, 0, TRACE_NONE, "", &error), "%u: %s", i,
                  error ? error : "");
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK_SAY(error && strstr(error, wrongs[i].reason), "wanted: %s; got: %s", wrongs[i].reason,
                  error ? error : "no error");
        bool tables = strstr(wrongs[i].reason, "record 3") != NULL;
        CHECK_SAY(tables ? !t : t && trace_nreductions(t) == 2 && traverse(t), "%s",
                  wrongs[i].reason);
        trace_close(t);
        free(error);
    }
}

static void beginning_is_at_zero(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    path_in(path, folder, "late.paf");
    tw *w = tw_create(path, &(trace_run){0}, "late", &error);
    tw_module(w, "m");
    tw_predicate(w, 0, "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.predicate = 0, .source = TRACE_NONE});
    tw_reduction(w, &(trace_reduction){.time = 1});
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    CHECK(!trace_open(path, NULL, NULL, &error));
    CHECK(error && strstr(error, "the beginning is not at time 0 (REDUCTIONS, record 0)"));
    free(error);
}

// ---------------------------------------------------------------------------------------------
// What the writer sees

static void unknown_clause(world *k)
{
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 9});
}

static void unknown_goal(world *k)
{
    reduce_p(k, (trace_reduction){.goal = 9, .clause = 2});
}

static void earlier_time(world *k)
{
    tw_reduction(k->w, &(trace_reduction){.goal = 1, .clause = 2, .time = 0});
}

static void unknown_cell(world *k)
{
    bind(k, 1, 1, 0, (trace_value){.kind = TV_CELL, .id = 6});
}

static void unknown_read(world *k)
{
    uint32_t reads[] = {6};
    reduce_p(k, (trace_reduction){.goal = 1, .clause = 2, .nreads = 1, .reads = reads});
}

static void unknown_wait(world *k)
{
    uint32_t variables[] = {6};
    tw_waiting(k->w, 1, variables, 1);
}

static void after_waiting(world *k)
{
    tw_waiting(k->w, 1, NULL, 0);
    reduce_p(k, (trace_reduction){.goal = 2, .clause = 0});
}

static const struct {
    void (*spoil)(world *);
    const char *reason;
} mistakes[] = {
    {unknown_clause, "reduction 2 is of clause 9, which does not exist"},
    {node_of_itself, "clause 3: a node has children that do not stand before it"},
    {node_without_cell, "clause 3: a node of a cell that does not exist"},
    {node_of_variable, "clause 3: a node of a cell that does not exist"},
    {node_shares_children, "clause 3: nodes share their children"},
    {no_such_hole, "clause 3: a hole that does not exist"},
    {no_such_variable, "clause 3: a variable that does not exist"},
    {cell_without_node, "clause 3: a cell without a node"},
    {builtin_with_template, "clause 3: a built-in with a template"},
    {unknown_goal, "reduction 2 is of goal 9, which does not exist"},
    {earlier_time, "the time of reduction 2 is before that of the one before"},
    {unknown_cell, "reduction 2 (clause 2) names a cell that does not exist"},
    {unknown_read, "reduction 2 (clause 2) names a cell that does not exist"},
    {unknown_wait, "waiting goal 1 names a cell that does not exist"},
    {after_waiting, "a reduction after the end of the run"},
};

static void writer_refuses(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "mistake.paf");
    for (uint32_t i = 0; i < COUNT(mistakes); i++) {
        world k;
        char *error = NULL;
        begin_world(&k, path);
        mistakes[i].spoil(&k);
        tw_string(k.w, "more", 4); // nothing harms any more
        goal_twice(&k);
        tw_waiting(k.w, 1, NULL, 0);
        CHECK_SAY(!tw_finish(k.w, TRACE_NORMAL, 0, TRACE_NONE, "", &error), "%s",
                  mistakes[i].reason);
        CHECK_SAY(error && strstr(error, mistakes[i].reason) && strstr(error, "mistake.paf: "),
                  "wanted: %s; got: %s", mistakes[i].reason, error ? error : "no error");
        free(error);
    }
}

void test_refusals(const char *folder)
{
    reader_refuses(folder);
    beginning_is_at_zero(folder);
    writer_refuses(folder);
}
