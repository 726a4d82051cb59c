// SPDX-License-Identifier: MIT
//
// From tokens to terms (private to fleng/).
#ifndef FLENG_PARSE_H
#define FLENG_PARSE_H

#include "base/operators.h"
#include "fleng/reader/lex.h"
#include "fleng/reader/terms.h"

// One clause (or term) as read.
typedef struct {
    fl_term *term;
    uint32_t nvariables;
    fl_variable *variables; // in order of first occurrence
    uint32_t end_line;
} fl_sentence;

typedef struct fl_reader {
    fl_lexer lexer;
    fl_token token;                  // the one looked at
    bool stop_optional;              // the text may end without a full stop
    bool unfinished;                 // the clause in error is good as far as the text goes
    bool started;                    // token holds the first token of the next clause
    uint32_t last_line, last_column; // behind the token before
    fl_dictionary variable_numbers;
    ARRAY_OF(fl_variable) variables;
    ARRAY_OF(struct fl_frame) frames;
    ARRAY_OF(struct fl_operand) operands;
    fl_dictionary *skipped; // names in clauses that could not be read; NULL: not wanted
} fl_reader;

void fl_reader_begin(fl_reader *r, const fl_source *source, const char *at, const char *end,
                     fl_messages *messages);
// 1 and *ret_sentence, 0 at the end of the text, -1 if the clause was in error: it was reported and
// skipped.
int fl_reader_next(fl_reader *r, fl_sentence *ret_sentence);

// Reads one term from [*text, end): 1 and *ret_term (and its variables), 0 at the end of the text,
// -1 on an error (in messages). Moves *text behind the full stop (or to the end).
int fl_read_term(const fl_source *source, const char **text, const char *end, fl_term **ret_term,
                 uint32_t *ret_nvariables, fl_variable **ret_variables, fl_messages *messages);

// ---- Terms as text -----------------------------------------------------------------------------------

// Text of t, abbreviated beyond max_cells (0: whole), in the collected heap. Names of variables
// from variables (NULL: _1, _2, ...). Like print/1, with spaces; numbers without digits are written
// as the reader takes them (1.0Inf, 1.5NaN).
const char *fl_term_text(const fl_term *t, const fl_variable *variables, uint32_t max_cells);
// The same with the characters \1 and \2 around a part of it.
const char *fl_term_text_marked(const fl_term *t, const fl_variable *variables, uint32_t max_cells,
                                const fl_term *marked);

#endif
