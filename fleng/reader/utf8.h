// SPDX-License-Identifier: MIT
//
// Characters of UTF-8 text (private to fleng/).
#ifndef FLENG_UTF8_H
#define FLENG_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#define FL_BAD_CHARACTER UINT32_MAX

static inline bool fl_utf8_allowed(uint32_t c)
{
    return c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

// The character at s < end and its length in bytes. FL_BAD_CHARACTER, of length 1, if the bytes are
// no UTF-8 (overlong forms and surrogates are none).
static inline uint32_t fl_utf8_decode(const char *s, const char *end, unsigned *ret_length)
{
    unsigned char lead = (unsigned char)*s;
    *ret_length = 1;
    if (lead < 0x80)
        return lead;
    unsigned n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || end - s < (int)n)
        return FL_BAD_CHARACTER;
    uint32_t c = lead & (0x7fu >> n);
    for (unsigned i = 1; i < n; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return FL_BAD_CHARACTER;
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    }
    if (!fl_utf8_allowed(c) || (n == 3 && c < 0x800) || (n == 4 && c < 0x10000))
        return FL_BAD_CHARACTER;
    *ret_length = n;
    return c;
}

// Writes c to out (up to 4 bytes); returns how many.
static inline unsigned fl_utf8_encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    unsigned n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (unsigned i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((0xf00 >> n & 0xf0) | c);
    return n;
}

#endif
