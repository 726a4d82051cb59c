// SPDX-License-Identifier: MIT
//
// Terms of the text: tests, parts, and new terms at the position of others. All in the collected
// heap.
#ifndef FLENG_TERMS_H
#define FLENG_TERMS_H

#include "fleng/ir.h"
#include "fleng/reader/collected.h"

typedef ARRAY_OF(fl_term *) fl_terms;

bool fl_is_atom(const fl_term *t, const char *name);
bool fl_is_struct(const fl_term *t, const char *name, uint32_t arity);
bool fl_is_goal(const fl_term *t); // an atom (not []) or a structure
// Does the test hold for the term or a part of it, of any depth? It sees them until it holds.
bool fl_any_part(const fl_term *t, bool (*test)(void *data, const fl_term *part), void *data);
// Where the text of t begins. The position of a term with an infix operator is the operator's.
void fl_term_start(const fl_term *t, uint32_t *ret_line, uint32_t *ret_column);

// Appends the parts of a right- or left-nested `name`, left to right.
void fl_flatten(fl_terms *parts, fl_term *t, const char *name);
// Splits the text after `:-` at the guard bar. *ret_guard is NULL without one.
void fl_split_clause(fl_term *rest, fl_term **ret_guard, fl_term **ret_body);

fl_term *fl_new_term(fl_kind kind, uint32_t line, uint32_t column, uint32_t n);
fl_term *fl_new_atom(const char *name, uint32_t line, uint32_t column);
// New terms at the position of `at`. A structure without arguments is an atom.
fl_term *fl_new_struct(const char *name, const fl_term *at, uint32_t n, fl_term **args);
fl_term *fl_new_binary(const char *name, const fl_term *at, fl_term *left, fl_term *right);
fl_term *fl_new_variable(uint32_t var, const fl_term *at);

// The variable that may be meant by a misspelt name, or NULL. Another case of letters is near;
// X1 and X2 are not, since both are common in one clause.
const char *fl_nearest_variable(const char *name, const char *const *names, size_t n);

#endif
