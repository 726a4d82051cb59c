// SPDX-License-Identifier: MIT
//
// A text file, line by line, and errors that name file and line.
#ifndef STORE_LINES_H
#define STORE_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "store/store.h"

typedef struct {
    const char *path;
    FILE *file;
    char *text; // of the line, without its end
    size_t capacity, number;
    char *error; // malloc'ed; NULL: all is well
} lines;

bool lines_open(lines *l, const char *path);
bool lines_next(lines *l); // false: no more lines, or an error
// The first error counts. Always false.
bool lines_fail(lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Closes the file. False, and *ret_error, if there was an error.
bool lines_close(lines *l, char **ret_error);

// Moves `at` behind a number and the blanks before it. False: there is none, or it is no finite one.
bool lines_number(char **at, double *ret);
// Moves `at` behind a text in double quotes and blanks before it; the text, ended, without quotes. NULL:
// none.
char *lines_quoted(char **at);

#endif
