// SPDX-License-Identifier: MIT
//
// Atoms, floats and quoted texts as the reader reads them. Each is appended to a text.
#ifndef BASE_TERM_TOKENS_H
#define BASE_TERM_TOKENS_H

#include <stdbool.h>

#include "base/operators.h"
#include "base/text.h"

// A character of an operator or another atom of symbols.
bool term_is_symbol(char c);
// Must an atom of this text be quoted for the reader to take it as one atom?
bool term_atom_needs_quotes(const char *text, size_t length);
// The bytes between two marks (' or "), with the escapes of the dialect: in KL1 the code of a
// character has three octal digits, in Fleng a backslash closes it.
void term_add_quoted(base_text *t, const char *text, size_t length, char mark,
                     term_dialect dialect);
// The fewest digits, of 15 to 17, that read back as the same number, always with a point; else
// `inf`, `-inf` or `nan`.
void term_add_float(base_text *t, double d);
void term_add_integer(base_text *t, int64_t i);

#endif
