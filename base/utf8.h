// SPDX-License-Identifier: MIT
//
// UTF-8. Bytes that are no valid UTF-8 (overlong forms and surrogates are none) count as one character
// each, U+FFFD where a character is wanted.
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

bool utf8_allowed(int64_t code); // a character that UTF-8 has
// The character at text[0], whose length in bytes is returned; 0 if there is none. length: how many
// bytes there are, at least 1.
size_t utf8_decode(const char *text, size_t length, uint32_t *ret_code);
// Writes a character that is allowed; returns its length in bytes.
size_t utf8_encode(uint32_t code, char out[4]);
// The character at *at, and moves on. Needs *at < length.
uint32_t utf8_next(const char *text, size_t length, size_t *at);
size_t utf8_count(const char *text, size_t length);
// The offset of character number n, or of the end of the text.
size_t utf8_offset(const char *text, size_t length, size_t n);
bool utf8_valid(const char *text, size_t length);
// The most of the first n bytes that ends with a whole character. text[n] must exist.
size_t utf8_cut(const char *text, size_t n);

// Not to be seen, but able to change what is seen after it: controls (C0, DEL, C1), separators of lines,
// and marks of direction.
static inline bool utf8_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// A byte that is not a character's first.
static inline bool utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

// Bytes of the character that begins with `lead`, 1 where none does.
static inline size_t utf8_length(char lead)
{
    unsigned char byte = (unsigned char)lead;
    return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

#endif
