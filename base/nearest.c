// SPDX-License-Identifier: MIT
//
// The distance between two names, by the table of distances between their beginnings, row by row.
#include "base/nearest.h"

#include <string.h>

enum { LONGEST_NAME = 40 };

// Three rows of the table of distances between beginnings of a and of b, for the ones before.
unsigned nearest_edits(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_NAME || m > LONGEST_NAME)
        return NEAREST_FAR;
    unsigned rows[3][LONGEST_NAME + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        unsigned *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

bool nearest_is_near(unsigned edits, const char *name)
{
    return edits <= 2 && edits * 3 <= strlen(name);
}

const char *nearest_of(const char *name, const char *const *names, size_t n)
{
    const char *nearest = NULL;
    unsigned least = NEAREST_FAR;
    for (size_t i = 0; i < n; i++) {
        unsigned edits = nearest_edits(name, names[i]);
        if (edits < least && nearest_is_near(edits, name)) {
            least = edits;
            nearest = names[i];
        }
    }
    return nearest;
}
