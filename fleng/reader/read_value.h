// SPDX-License-Identifier: MIT
//
// Terms that a running program reads (term_string, read_terms).
#ifndef FLENG_READ_VALUE_H
#define FLENG_READ_VALUE_H

#include "fleng/ir.h"

// The constant that a number, an atom or a string is; 0 for other terms.
vm_word fl_constant_of(const fl_term *t);
// vm_program.read_term: makes the next term of the text a term of machine m, with new variables.
// Results as those of fl_read_term.
int fl_read_value(vm_machine *m, const char **text, const char *end, vm_word *ret_term);
// vm_program.syntax_error: the first error in the text, malloc'ed, and the term it is in; NULL:
// none.
char *fl_syntax_error(const char *text, const char *end, const char **ret_term);
// A term of the text as a term of machine m (or NULL). `variables` holds the values of its
// variables; 0 stands for a new variable at each occurrence.
vm_word fl_make_value(vm_machine *m, const fl_term *t, const vm_word *variables);

#endif
