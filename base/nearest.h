// SPDX-License-Identifier: MIT
//
// "Did you mean ...?": names that differ by a few edits (Damerau's distance, adjacent letters swapped
// being one edit).
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define NEAREST_FAR UINT_MAX

// How many edits lead from one name to the other; NEAREST_FAR for names of over 40 bytes.
unsigned nearest_edits(const char *a, const char *b);
// Few enough edits that the name may be a slip: at most a third of its letters, and 2.
bool nearest_is_near(unsigned edits, const char *name);
// The nearest of n names, the first of equals; NULL if none is near.
const char *nearest_of(const char *name, const char *const *names, size_t n);

#endif
