// SPDX-License-Identifier: MIT
//
// What the text of clauses says about a wait: whether the value that is waited for decides which
// clause is chosen, and where the body uses it.
//
// A *test* of a clause is a place at which its commit reads: a pattern of the head that is not a
// variable, with all that is inside it, or a guard. A test *decides* against another clause of the
// predicate if nothing else tells the two apart: no other pattern, no other guard. A test that
// decides against no clause is a mere wait: the clause would do the same without it.
#ifndef IOTREE_FINDINGS_CLAUSES_H
#define IOTREE_FINDINGS_CLAUSES_H

#include "base/table.h"
#include "iotree/findings/candidate.h"

typedef struct {
    uint32_t clause;
    bool guard;
    uint32_t at; // pattern, or index of the guard
} clause_test;

// A variable of head and guards: a hole, which the body uses, or one that it does not use.
typedef struct {
    bool used;
    uint32_t index; // hole, or index into `unused`
} head_variable;

typedef struct call_graph call_graph;

// A constant or term that a clause binds a place of its head to; does another clause bind it to another one?
typedef struct {
    const trace_node *node;
    bool differs;
} clause_token;

typedef struct {
    const trace *t;
    uint32_t *first, *clauses; // of predicate p: clauses[first[p] .. first[p + 1])
    uint64_t **paths; // by clause, NULL until asked for: by pattern, where it is in the head
    // Of predicate p, argument i: idle[first_argument[p] + i]. NULL until asked for.
    uint32_t *first_argument;
    uint8_t *idle;
    call_graph *calls; // NULL until asked for (reached.c)
    // What clauses bind places of their heads to, by predicate and place; of predicates that were asked for.
    base_map tokens;
    ARRAY_OF(clause_token) token_list;
    uint8_t *has_tokens; // by predicate
    uint8_t *one_loop;   // by predicate: what is known of it (late_items.c)
} clause_facts;

clause_facts *clause_facts_create(const trace *t);
void clause_facts_destroy(clause_facts *f);
void call_graph_destroy(call_graph *g); // NULL: nothing

// Does the clause say what its head and guards look like, and is it the program's own?
bool clause_is_told(const clause_facts *f, uint32_t clause);

// Is it the first clause below `otherwise`? Does it stand below one that the other clause (IOT_NONE:
// any) stands above?
bool clause_has_otherwise(const clause_facts *f, uint32_t clause);
bool clause_is_below_otherwise(const clause_facts *f, uint32_t clause, uint32_t other);

// Does it decide against this other clause of the predicate, or against any?
bool test_decides_against(clause_facts *f, clause_test test, uint32_t other);
bool test_decides(clause_facts *f, clause_test test);

// Is one of the holes (by number, not 0) in a term of the body, or in an item?
bool node_has_hole_of(const trace_clause *c, uint32_t root, const uint8_t *holes);
bool item_has_hole_of(const trace_clause *c, const trace_item *item, const uint8_t *holes);

// Does the item bind a variable to a constant, and nothing else?
bool item_is_token(const trace_clause *c, const trace_item *item);

// Does the item only say that the clause was chosen? It binds a variable of the head to an atom,
// and no other clause of the predicate binds that to anything else.
bool item_is_signal(clause_facts *f, uint32_t clause, uint32_t item);

// Is it bound to a constant by a clause, and another clause of that predicate binds such a variable
// to something else? Then who reads it may look which of them it was.
bool binding_is_chosen(clause_facts *f, uint32_t binding);

// Does the reduction go on only if what it waited for is as it should be? Its clause is the only one
// of its predicate; it compares, or is for one constant of several that there could be.
bool reduction_checks(clause_facts *f, uint32_t reduction);

// Have all clauses that the test decides against the item, too, or at least a goal of its
// predicate? *ret_differs (NULL: not wanted) gets the bits of the arguments that differ, from 0;
// the last one stands for all further ones.
bool item_is_common(clause_facts *f, clause_test test, uint32_t item, uint64_t *ret_differs);

// Have both clauses the same body?
bool clauses_do_the_same(clause_facts *f, uint32_t clause, uint32_t other);

// An argument is idle if no clause does more with it than wait for it and hand it, or parts of it,
// on to idle arguments: a token that only keeps an order.
bool argument_is_idle(clause_facts *f, uint32_t predicate, uint32_t argument);

// A wait that the clause could do without: it decides nothing, and what a pattern takes apart goes
// to idle arguments only. A comparison in the only clause of a predicate is a check, no mere wait.
// *ret_used: the body uses what a guard waits for.
bool test_is_mere_wait(clause_facts *f, clause_test test, bool *ret_used);

// Does a guard compute a variable, which then is in neither the head nor a guard before it?
bool guard_computes(const trace *t, uint32_t clause, uint32_t guard);

// Does a guard compare two values, X >= 0 or X == Y?
bool guard_compares(const trace *t, uint32_t clause, uint32_t guard);

// Marks also the variables (of head and guards, holes first) that the guards compute from marked
// ones: P of a guard P := A + B if A is marked.
void guards_spread(const trace *t, uint32_t clause, uint8_t *variables);

// Is the variable, a pattern of the clause, in the test?
bool test_has_variable(const trace *t, clause_test test, const trace_node *variable);

// Can a goal of the one predicate lead to a goal of the other (or are they the same)? Each new `from` may
// take as long as the program's text.
bool predicate_reaches(clause_facts *f, uint32_t from, uint32_t to);
// As predicate_reaches() in both directions, and at once. So of a goal in a clause of p this asks whether it
// leads back to p.
bool predicates_call_each_other(clause_facts *f, uint32_t p, uint32_t q);
// The predicate and all that it and they lead to and that lead back; *ret_n of them.
const uint32_t *predicates_of_loop(clause_facts *f, uint32_t predicate, uint32_t *ret_n);
// All predicates, such that a predicate is behind those that it leads to unless they lead back.
const uint32_t *predicates_called_first(clause_facts *f);
// Can a goal of the predicate lead to one that acts on the world?
bool predicate_leads_to_act(clause_facts *f, uint32_t predicate);

// Of a change that leaves out waits of a loop for values: does it save anything by work that goes on
// while a value is made, or only the steps that the loop takes from one value to the next? `loop`:
// the predicate that waits; `wait`: how long, on average. beside: another change, which is made in any case,
// or NULL.
bool change_overlaps_work(clause_facts *f, const wait_graph *g, const wait_change *change,
                          const wait_change *beside, uint32_t loop, double wait);

// Was what the reader waited for made within the loop that the reader belongs to, at any depth?
bool maker_is_in_loop(clause_facts *f, uint32_t reader, uint32_t maker);

// Does the body write, read or halt? Then waiting for a token keeps the order of such acts.
bool clause_acts(const trace *t, uint32_t clause);
bool predicate_acts(const trace *t, uint32_t predicate); // a built-in that does

// Calls `see` for each occurrence of a variable inside the test.
void test_variables(const trace *t, clause_test test, void (*see)(void *data, head_variable v),
                    void *data);

// Marks them, by number: holes first, then those that the body does not use.
void test_mark_variables(const trace *t, clause_test test, uint8_t *variables);

// The name of a variable in the source; "_" if it has none.
const char *head_variable_name(const trace_clause *c, const trace *t, head_variable v);

// "[done|_]", "integer(Fee)". malloc'ed.
char *test_text(const trace *t, clause_test test);
// "Winner = Best", "report(Log, Sum)": an item of the body. malloc'ed.
char *item_text(const trace *t, uint32_t clause, uint32_t item);

// The argument of the head in which the test looks, from 0: of a guard the one in which its first
// variable is; IOT_NONE if there is none.
uint32_t test_argument(const trace *t, clause_test test);

#endif
