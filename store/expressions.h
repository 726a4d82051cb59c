// SPDX-License-Identifier: MIT
//
// Columns and orders of a comparison that somebody writes in SQL: "difference / calls". Each is computed
// once for every function, by SQLite in memory, whatever database the store is in.
#ifndef STORE_EXPRESSIONS_H
#define STORE_EXPRESSIONS_H

#include "store/comparison.h"

// The names that an expression may use, with commas between them: kind, name, signature, ordinal, slower,
// faster, difference, ratio, share, m, p, and c1, c2, ... for the means of the conditions in their order.
// malloc'ed.
char *store_expression_names(const store_comparison *c);
// ret[i]: the value for function i; NaN where it has none. False and *ret_error (malloc'ed).
bool store_evaluate(const store_comparison *c, const char *expression, double *ret, char **ret_error);
// Functions in order of an expression, largest first and those without a value last; NULL: by m, as they are.
// ret: room for all. False and *ret_error (malloc'ed), and then `ret` is undefined.
bool store_order(const store_comparison *c, const char *expression, uint32_t *ret, char **ret_error);

#endif
