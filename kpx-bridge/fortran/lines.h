// SPDX-License-Identifier: MIT
//
// The statements of a Fortran source, one after the other (private to fortran/ and plugin/).
#ifndef KPX_FORTRAN_LINES_H
#define KPX_FORTRAN_LINES_H

#include "kpx-bridge/fortran/scan.h"

typedef struct {
    uint32_t line, column;
} kpx_source_position;

// One statement, in lower case, without blanks and comments. A string keeps only its two quotes.
typedef struct {
    ARRAY_OF(char) text;              // ends with a 0 that n does not count
    ARRAY_OF(kpx_source_position) at; // of each character
    uint32_t label;                    // 0: none
} kpx_statement;

typedef struct {
    const char *text;
    size_t length, at;
    kpx_scan_form form;
    uint32_t line; // of the character at `at`
    // The rest of a line after a `;`
    bool rest;
    uint32_t column;
    char quote; // of the open string, or 0
    bool failed; // there was no memory for a statement
} kpx_statements;

kpx_statements kpx_statements_begin(const char *text, size_t length, kpx_scan_form form);
// False at the end of the source, and without memory (`failed`).
bool kpx_next_statement(kpx_statements *s, kpx_statement *ret);
void kpx_statement_free(kpx_statement *s);

#endif
