// SPDX-License-Identifier: MIT
//
// "Did you mean ...?" (private to fleng/).
#ifndef FLENG_NEAREST_H
#define FLENG_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#define FL_FAR 99u

// Edits (insert, remove, replace a character, swap neighbours) that make b of a; FL_FAR if one of
// them is too long to try.
unsigned fl_edits(const char *a, const char *b);
// Can a name that many edits away be what was meant by `name`?
bool fl_is_near(unsigned edits, const char *name);
// The nearest of names[0..n) to name, or NULL if none is near.
const char *fl_nearest(const char *name, const char *const *names, uint32_t n);

// The same for variables, where also a different case of letters is near.
const char *fl_nearest_variable(const char *name, const char *const *names, uint32_t n);

#endif
