// SPDX-License-Identifier: MIT
//
// The text of a term of any depth and length. What remains to be written is a stack of items on the
// caller's heap, so memory alone limits the term.
//
// The writer sees terms through a `term_view`. Conventions are those of SWI-Prolog's print/1: the
// smallest number of parentheses and spaces with which the reader reads the same term again.
#ifndef BASE_TERM_WRITER_H
#define BASE_TERM_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/operators.h"
#include "base/text.h"

// A term, in the view's own terms.
typedef struct {
    uint64_t word, kind;
} term_ref;

typedef enum {
    TERM_VARIABLE, // text: its name
    TERM_INTEGER,  // integer
    TERM_DIGITS,   // text: a number that is written as it is
    TERM_FLOAT,    // number
    TERM_ATOM,     // text
    TERM_STRING,   // text: its bytes
    TERM_CONS,     // arguments 0 and 1: head and tail
    TERM_STRUCT,   // text: the name; arity arguments
    TERM_VECTOR,   // arity elements
} term_kind;

typedef struct {
    term_kind kind;
    bool uncounted; // a compound that costs no cell, and of which no argument is left out
    uint32_t arity;
    const char *text; // good until the next look()
    size_t length;
    int64_t integer;
    double number;
} term_node;

typedef struct {
    // What the term is. Follows bindings and sets *term to their end. Sets `kind` and the fields
    // that belong to it; `uncounted` is false before.
    void (*look)(void *data, term_ref *term, term_node *ret);
    // Argument number i, from 0, of a compound that look() has seen.
    term_ref (*argument)(void *data, term_ref term, uint32_t i);
    void *data;
} term_view;

#define TERM_WHOLE UINT32_MAX

typedef struct {
    bool quoted; // atoms and strings as the reader reads them
    bool spaced; // `A = f(b, c)` instead of `A=f(b,c)`
    term_dialect dialect;
    // Compounds that are written; `...` stands for further ones. TERM_WHOLE: all.
    uint32_t max_cells;
    // Where the limit leaves out arguments. False: those from number max_cells on. True: all but
    // the first, once max_cells compounds are written.
    bool cut_when_spent;
    uint32_t max_bytes; // of one string or number; `...` stands for the rest. TERM_WHOLE: all
    // The subterm that is written between the characters \1 and \2; NULL: none.
    const term_ref *marked;
    const base_heap *heap; // of the stack: it holds term_refs
} term_options;

// Appends a term; one whose operator has a higher priority is put in parentheses.
void term_write(base_text *out, const term_view *view, term_ref term, unsigned priority,
                const term_options *options);

#endif
