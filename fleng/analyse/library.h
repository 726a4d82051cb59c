// SPDX-License-Identifier: MIT
//
// The modules and predicates of the library, listed.
#ifndef FLENG_ANALYSE_LIBRARY_H
#define FLENG_ANALYSE_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Prints the names of all modules and what they export, or the source of one of them. False: there
// is no such module.
bool fl_library_print(const char *module, FILE *out);
// Calls visit() for every predicate that the library exports.
void fl_library_visit(void (*visit)(void *data, const char *module, const char *name,
                                    uint32_t arity),
                      void *data);

#endif
