// SPDX-License-Identifier: MIT
//
// A clause of KL1 while it is written out (kl1.c, argument_pairs.c).
#ifndef FLENG_KL1_CLAUSE_H
#define FLENG_KL1_CLAUSE_H

#include "fleng/kl1/kl1.h"

typedef struct {
    const fl_kl1_file *file;
    fl_sentence *sentence;
    ARRAY_OF(fl_variable) variables; // of the clause, more being added
    fl_term *head, *guard, *body;    // guard: `true` if there is none
} fl_kl1_clause;

enum { FL_KL1_DEEPEST = 200 }; // conditionals within conditionals
void fl_kl1_report_depth(const fl_kl1_clause *c, const fl_term *at);

uint32_t fl_kl1_new_variable(fl_kl1_clause *c, const char *name, const fl_term *at);
// The conjunction of parts; `true` if there are none.
fl_term *fl_kl1_conjunction(const fl_terms *parts, const fl_term *at);

void fl_kl1_expand_pairs(fl_kl1_clause *c);

#endif
