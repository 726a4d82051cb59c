// SPDX-License-Identifier: MIT
//
// JSON, read token by token in bounded memory (private to imports/): a text of any size is never
// held. Objects and arrays are tokens, so the reader of a file keeps its own place in them.
#ifndef KPX_JSON_H
#define KPX_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

typedef enum {
    JSON_END,         // of the text
    JSON_WRONG,       // kpx_json.error says what
    JSON_OPEN,        // {
    JSON_CLOSE,       // }
    JSON_ARRAY,       // [
    JSON_ARRAY_CLOSE, // ]
    JSON_COMMA,
    JSON_COLON,
    JSON_STRING, // text
    JSON_NUMBER, // text
    JSON_WORD,   // true, false, null: text
} kpx_json_token;

typedef struct {
    FILE *file;
    unsigned char block[1 << 16];
    size_t at, n;
    uint64_t offset; // of block
    uint64_t line;
    uint64_t token;      // offset of the last token
    uint64_t token_line; // and its line
    base_text text;      // of the last string, number or word; ends with 0
    const char *error;   // or NULL; the first one counts
} kpx_json;

// A caller sets `file` and line 1.
kpx_json_token kpx_json_next(kpx_json *j);
// Skips the rest of a value whose first token was taken. False: JSON_WRONG.
bool kpx_json_skip(kpx_json *j, kpx_json_token first);
// Sets the error. Always false.
bool kpx_json_fail(kpx_json *j, const char *reason);

#endif
