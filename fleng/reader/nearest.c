// SPDX-License-Identifier: MIT
#include "fleng/reader/nearest.h"

#include <string.h>
#include <strings.h>

enum { LONGEST_NAME = 40 };

unsigned fl_edits(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_NAME || m > LONGEST_NAME)
        return FL_FAR;
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

// At most a third of the name, and never more than 2 edits.
bool fl_is_near(unsigned edits, const char *name)
{
    return edits <= 2 && edits * 3 <= strlen(name);
}

const char *fl_nearest(const char *name, const char *const *names, uint32_t n)
{
    const char *nearest = NULL;
    unsigned least = FL_FAR;
    for (uint32_t i = 0; i < n; i++) {
        unsigned edits = fl_edits(name, names[i]);
        if (edits < least && fl_is_near(edits, name)) {
            least = edits;
            nearest = names[i];
        }
    }
    return nearest;
}

// Names of one or two letters are all alike, and X1 is meant beside X2.
const char *fl_nearest_variable(const char *name, const char *const *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcasecmp(name, names[i]) == 0)
            return names[i];
    size_t digits = strcspn(name, "0123456789");
    return name[digits] || strlen(name) < 4 ? NULL : fl_nearest(name, names, n);
}
