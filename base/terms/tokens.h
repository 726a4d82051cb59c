// SPDX-License-Identifier: MIT
//
// Atoms, floats and quoted texts as the reader reads them. Each is appended to a text.
#ifndef BASE_TERMS_TOKENS_H
#define BASE_TERMS_TOKENS_H

#include <stdbool.h>

#include "base/text.h"

// A character of an operator or another atom of symbols.
bool term_is_symbol(char c);
// Must an atom of this text be quoted for the reader to take it as one atom?
bool term_atom_needs_quotes(const char *text, size_t length);
void term_add_atom(base_text *t, const char *text, size_t length); // in quotes where needed
// The bytes between two marks (' or "), with escapes.
void term_add_quoted(base_text *t, const char *text, size_t length, char mark);
// The fewest digits, of 15 to 17, that read back as the same number, always with a point; else
// `inf`, `-inf` or `nan`.
void term_add_float(base_text *t, double d);
void term_add_integer(base_text *t, int64_t i);

#endif
