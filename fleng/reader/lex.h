// SPDX-License-Identifier: MIT
//
// From characters to tokens.
#ifndef FLENG_LEX_H
#define FLENG_LEX_H

#include "fleng/reader/messages.h"

typedef enum {
    TOKEN_ATOM, // text; also ! and ;
    TOKEN_VARIABLE,
    TOKEN_INTEGER, // text: decimal digits
    TOKEN_FLOAT,
    TOKEN_STRING,
    TOKEN_MARK,  // mark: one of ( ) [ ] { } , |
    TOKEN_STOP,  // the full stop that ends a clause
    TOKEN_END,   // of the text
    TOKEN_ERROR, // already reported
} fl_token_kind;

typedef struct {
    fl_token_kind kind;
    char mark;
    bool quoted;       // 'atom'
    bool after_layout; // blank or comment before it
    bool before_paren; // a `(` follows directly
    uint32_t line, column;
    const char *text; // in the collected heap, NUL-terminated
    size_t length;
    double number;
} fl_token;

typedef struct {
    const fl_source *source;
    const char *at, *end;
    uint32_t line, column;
    fl_messages *messages;
    bool open_comment; // the text ends within a comment
    bool quiet; // errors are not reported, since the clause is being skipped
} fl_lexer;

void fl_lexer_begin(fl_lexer *l, const fl_source *source, const char *at, const char *end,
                    fl_messages *messages);
void fl_lexer_next(fl_lexer *l, fl_token *ret_token);
// The decimal digits of a number that is written in a base from 2 to 36, in the collected heap.
const char *fl_decimal(const char *digits, int base);

#endif
