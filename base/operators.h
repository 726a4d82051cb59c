// SPDX-License-Identifier: MIT
//
// Looks operators up. The table is operators.def.
#ifndef BASE_OPERATORS_H
#define BASE_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { TERM_FLENG, TERM_KL1 } term_dialect;

enum {
    TERM_CLAUSE = 1200,  // the highest priority
    TERM_ARGUMENT = 999, // of an argument or an element: below the comma
};

typedef struct {
    const char *name;
    uint16_t priority;
    uint16_t left, right; // the highest priorities of the operands; left is 0 for a prefix operator
    uint8_t length;       // of the name
    bool is_word;         // letters, so it needs a space on either side
} term_operator;

// NULL if the name is no such operator.
const term_operator *term_infix(const char *name, size_t length, term_dialect dialect);
const term_operator *term_prefix(const char *name, size_t length, term_dialect dialect);

// All operators, in the order of operators.def.
size_t term_noperators(void);
const term_operator *term_get_operator(size_t i, term_dialect *ret_dialect);

#endif
