// SPDX-License-Identifier: MIT
//
// The texts of the library: modules in Fleng that are part of the command (private to fleng/).
#ifndef FLENG_LIBRARY_H
#define FLENG_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    const char *name; // of the module
    const char *file; // what diagnostics and traces call its source
    const char *text; // NUL-terminated
    size_t length;
} fl_library_text;

extern const fl_library_text fl_library_texts[];
extern const uint32_t fl_library_ntexts;

// Prints the names of all modules and what they export, or the source of one of them. False: there
// is no such module.
bool fl_library_print(const char *module, FILE *out);
// Hands on every predicate that the library exports.
void fl_library_visit(void (*visit)(void *data, const char *module, const char *name,
                                    uint32_t arity),
                      void *data);

#endif
