// SPDX-License-Identifier: MIT
//
// The KL1 dialect. Two things make it Fleng:
//
//   before clauses are collected   kl1.c and argument_pairs.c write out each sentence: constants,
//                                  argument pairs, arithmetic in arguments, conditionals in bodies
//   while clauses are resolved     names.c translates guards, goals and directives of KL1 only
//
// The checker and the compiler do not know which dialect a clause was written in.
#ifndef FLENG_KL1_H
#define FLENG_KL1_H

#include "fleng/reader/messages.h"
#include "fleng/reader/parse.h"

// ---- Before collecting ------------------------------------------------------------------------

typedef ARRAY_OF(fl_sentence) fl_sentences;

// The file that sentences are read from.
typedef struct {
    const fl_source *source;
    fl_messages *messages;
    uint32_t *conditionals; // of the program that became predicates: they number the names of these
} fl_kl1_file;

// Writes out a sentence. The clauses of the predicates that it needs go to `extra`.
void fl_kl1_expand(const fl_kl1_file *file, fl_sentence *s, fl_sentences *extra);

// ---- In guards and bodies ---------------------------------------------------------------------

// A guard that only KL1 has, appended to guards. False: t is none.
bool fl_kl1_guard(fl_messages *m, const fl_source *source, fl_term *t, fl_guards *guards);
// A goal in functional form as the goal it stands for, or t itself: add(X, Y, Z) is Z := X + Y.
fl_term *fl_kl1_goal(fl_term *t);
// An expression in Fleng's operators: in KL1 files `mod` has the sign of the dividend, and int(X)
// truncates a float. Changes and returns t.
fl_term *fl_kl1_expression(const fl_source *source, fl_term *t);
// Names that KL1 itself has and that a program cannot define.
bool fl_kl1_reserves(const char *name, uint32_t arity);
// A directive of KL1 systems that has no effect here. An error is reported.
bool fl_kl1_directive(fl_messages *m, const fl_source *source, const fl_term *d);

#endif
