// SPDX-License-Identifier: MIT
//
// The KL1 dialect (private to fleng/): what KL1 writes shorter is written out before the clauses
// are collected, so that nothing behind the reader knows of it.
//
//   kl1.c            constants (string#"s", #"c", 16#"ff"), arithmetic in arguments (~(X+1)),
//                    conditionals in bodies, which become predicates of their own
//   kl1_pairs.c      argument pairs: p(X)-S :- q-S, S <= m, N += 1, r(S).
//   kl1_names.c      guards and goals in functional form, generic:method(...) in guards
#ifndef FLENG_KL1_H
#define FLENG_KL1_H

#include "fleng/analyse/analyse.h"

// ---- Before collecting ------------------------------------------------------------------------

typedef FL_ARRAY(fl_sentence) fl_sentences;

// Writes out a sentence. The clauses of predicates that it needs beside it go to `extra`.
void fl_kl1_expand(fl_analysis *a, const fl_source *source, fl_sentence *s, fl_sentences *extra);

// A clause under way.
typedef struct {
    fl_analysis *analysis;
    const fl_source *source;
    fl_sentence *sentence;
    FL_ARRAY(fl_variable) variables; // of the clause, more being added
    fl_term *head, *guard, *body;    // guard: `true` if there is none
} fl_kl1_clause;

enum { FL_KL1_DEEPEST = 200 }; // conditionals within conditionals
void fl_kl1_report_depth(const fl_kl1_clause *c, const fl_term *at);

fl_term *fl_kl1_struct(const char *name, const fl_term *at, uint32_t n, fl_term **args);
fl_term *fl_kl1_binary(const char *name, const fl_term *at, fl_term *left, fl_term *right);
fl_term *fl_kl1_variable(uint32_t var, const fl_term *at);
uint32_t fl_kl1_new_variable(fl_kl1_clause *c, const char *name, const fl_term *at);
// The conjunction of parts; `true` if there are none.
fl_term *fl_kl1_conjunction(const fl_terms *parts, const fl_term *at);

void fl_kl1_expand_pairs(fl_kl1_clause *c);

// ---- In guards and bodies (kl1_names.c) -------------------------------------------------------

// A guard of KL1 alone, appended to guards. False: t is none.
bool fl_kl1_guard(fl_building *b, fl_term *t, fl_guards *guards);
// A goal in functional form as the goal that it stands for, or t itself: add(X, Y, Z) is Z := X +
// Y.
fl_term *fl_kl1_goal(fl_term *t);
// Of `$:=` and `$<`: all operations on floats.
fl_term *fl_kl1_float_expression(fl_term *t);
// The built-in predicate that KL1 calls name/arity without a module; NULL: none.
vm_predicate *fl_kl1_builtin(const struct fl_names *names, const char *name, uint32_t arity);
// Names that KL1 itself has and that a program cannot define.
bool fl_kl1_reserves(const char *name, uint32_t arity);
// A directive of KL1 systems that changes nothing here. An error is reported.
bool fl_kl1_directive(fl_analysis *a, const fl_source *source, const fl_term *d);

#endif
