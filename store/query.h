// SPDX-License-Identifier: MIT
//
// Questions in SQL about the store: nothing is changed, whatever they say. A question may have parameters,
// `:name`, and may be kept under a name.
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include "store/store.h"

typedef struct store_answer store_answer;

typedef enum { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT } store_kind;

// values: of parameters, by name. seconds: how long it may take, 0 for ever. The store must have been
// opened by STORE_READ. NULL and store_error().
store_answer *store_ask(store *s, const char *text, const store_key *values, size_t nvalues,
                        double seconds);
int store_answer_columns(const store_answer *a);
const char *store_answer_name(const store_answer *a, int column);
bool store_answer_next(store_answer *a); // false: no more rows, or store_answer_error()
store_kind store_answer_kind(const store_answer *a, int column);
int64_t store_answer_integer(const store_answer *a, int column);
double store_answer_real(const store_answer *a, int column);
const char *store_answer_text(const store_answer *a, int column);
const char *store_answer_error(const store_answer *a); // NULL: all is well
void store_answer_end(store_answer *a);

// Keeps a question, or replaces the one of that name; an empty text takes it away. False and store_error().
bool store_keep_query(store *s, const char *name, const char *text);
// The names of the parameters of a question; malloc'ed, as each of them.
char **store_parameters(const char *text, size_t *ret_n);
// The text of a kept question, malloc'ed; NULL and store_error() if there is none of that name.
char *store_kept_query(store *s, const char *name);

#endif
