// SPDX-License-Identifier: MIT
//
// Binary search in sorted arrays. `at` and `below` say what is looked for:
//
//     size_t first;                                      // at[0 .. n - 1] is sorted
//     FIRST_NOT(first, n, i, at[i].time < time)          // the first i whose time is not below
//
// The condition is a function of the index that is true up to some index and false from there on;
// the result is that index, n if it is true everywhere.
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

#define FIRST_NOT(result, n, i, condition)                                                         \
    do {                                                                                           \
        size_t first_not_from = 0, first_not_to = (n);                                             \
        while (first_not_from < first_not_to) {                                                    \
            size_t i = first_not_from + (first_not_to - first_not_from) / 2;                       \
            if (condition)                                                                         \
                first_not_from = i + 1;                                                            \
            else                                                                                   \
                first_not_to = i;                                                                  \
        }                                                                                          \
        (result) = first_not_from;                                                                 \
    } while (0)

#endif
