// SPDX-License-Identifier: MIT
//
// Errors, warnings and notes about positions in source files. They are collected, so that one run
// reports several, and are written as text or as JSON:
//
//     graph.fl:7:12: error: undefined predicate apend/3; did you mean append/3?
//         7 |     main :- apend([a], [b], X), print(X).
//           |             ^
#ifndef FLENG_MESSAGES_H
#define FLENG_MESSAGES_H

#include "fleng/reader/source.h"

typedef struct fl_messages fl_messages;
typedef enum { FL_ERROR, FL_WARNING, FL_NOTE, FL_SEVERITIES } fl_severity;

// What a message is about.
typedef struct {
    fl_severity severity;
    const char *code; // short name of the kind of warning, or NULL
    const fl_source *source;
    const char *file; // without a source: the file that the text names, for editors; or NULL
    uint32_t line, column;
    uint32_t end_column; // behind the marked text, on the same line; 0: its end is not known
    uint32_t other_line, other_column, other_width; // another part to be underlined; line 0: none
} fl_place;

enum { FL_MOST_MESSAGES = 50 }; // kept of each severity unless fl_messages_keep says otherwise

fl_messages *fl_messages_create(void);
void fl_messages_destroy(fl_messages *m);
// How many of each severity are kept; the rest are only counted.
void fl_messages_keep(fl_messages *m, uint32_t most);

// Adds a message. Without a collection (NULL) it is dropped.
void fl_message(fl_messages *m, const fl_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fl_error(fl_messages *m, const fl_source *source, uint32_t line, uint32_t column,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
// An error where the text of a term begins (NULL: in the file as a whole).
void fl_report(fl_messages *m, const fl_source *source, const fl_term *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

uint32_t fl_error_count(const fl_messages *m);
// Is there an error in these lines?
bool fl_error_within(const fl_messages *m, const fl_source *source, uint32_t first, uint32_t last);

char *fl_messages_text(const fl_messages *m, bool colour); // malloc'ed, sorted by place
char *fl_messages_json(const fl_messages *m);              // the same as an array of objects
// The first message as LINE:COLUMN: TEXT (malloc'ed). `lines` is added to its line and, if it is
// about the first line, `columns` to its column.
char *fl_first_message(const fl_messages *m, uint32_t lines, uint32_t columns);
// The source line of a place and the caret below it, each after the indentation; malloc'ed.
char *fl_excerpt(const fl_place *place, bool colour, const char *indent);

// How many columns the text takes on a terminal.
unsigned fl_text_width(const char *text, size_t length);

#endif
