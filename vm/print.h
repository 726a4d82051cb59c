// SPDX-License-Identifier: MIT
//
// The text of terms. Terms may have any depth and any length.
#ifndef VM_PRINT_H
#define VM_PRINT_H

#include "vm/term.h"

typedef struct {
    bool quoted;       // as the reader reads it (print), else as write does
    uint32_t max_cells; // abbreviate with ... beyond; 0: whole
    // Name of an unbound variable; NULL: _1, _2, ... in order of occurrence.
    const char *(*variable_name)(void *data, const vm_var *v);
    void *data;
} vm_print_options;

// malloc'ed, NUL-terminated; *ret_length may be NULL.
char *vm_term_text(vm_word term, const vm_print_options *o, size_t *ret_length);

#endif
