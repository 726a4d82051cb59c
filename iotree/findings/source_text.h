// SPDX-License-Identifier: MIT
//
// What the text of a C or Fortran source says: functions, loops, and calls of functions of the same
// source. The trace of a measured run has the lines of its constructs only; what a thread computes
// between two of them stands between their lines.
#ifndef IOTREE_SOURCE_TEXT_H
#define IOTREE_SOURCE_TEXT_H

#include "base/array.h"
#include "profiler/trace_reader.h"

typedef struct {
    char *name; // in lower case if Fortran
    uint32_t first, last; // lines
    uint32_t nest;        // the deepest nest of loops in it, calls included
} text_function;

typedef struct {
    uint32_t first, last; // lines
    uint32_t inside;      // the loop around it, or TRACE_NONE
    uint32_t depth;       // loops around it and itself
} text_loop;

typedef struct {
    uint32_t line, function; // index into functions
    uint32_t depth;          // loops around it
} text_call;

typedef struct {
    ARRAY_OF(text_function) functions;
    ARRAY_OF(text_loop) loops; // in order of their first lines
    ARRAY_OF(text_call) calls;
    ARRAY_OF(text_loop) blocks; // in braces; of Fortran from `!$omp parallel` to its end
} source_text;

// A place where something is computed; nest 0: none.
typedef struct {
    uint32_t line;
    uint32_t inner; // of a call, the loop in the function in which most is computed; else 0
    uint32_t nest;  // twice the depth of loops, called functions included; 1: a call without any
} text_spot;

source_text iot_source_text(const trace *t, uint32_t source);
// Of a text; the file's name tells the language.
source_text iot_read_source(const char *name, const char *text, size_t length);
void iot_source_text_free(source_text *s);

// Where most is computed in the lines after `after` and before `before`: the outermost loop that
// begins there, or a call of a function; the deepest nest of loops wins. 0: nothing.
// *ret_inner: text_spot's.
uint32_t iot_text_work(const source_text *s, uint32_t after, uint32_t before, uint32_t *ret_inner);
text_spot iot_text_spot(const source_text *s, uint32_t after, uint32_t before); // the same
// The same of what is computed after the line `from` was left and before `to` is reached, which may
// be in another function, further up in the same loop, or in a function that calls both. from 0:
// from the beginning of the program. source_ways.c.
uint32_t iot_text_between(const source_text *s, uint32_t from, uint32_t to, uint32_t *ret_inner);
// The function that contains the line, or NULL.
const text_function *iot_text_function(const source_text *s, uint32_t line);
// The last line of the loops and blocks that begin in this line or the next two.
uint32_t iot_text_end_of_loops(const source_text *s, uint32_t line);
// The line of the innermost loop around the line, or 0.
uint32_t iot_text_loop_around(const source_text *s, uint32_t line);

#endif
