// SPDX-License-Identifier: MIT
//
// Decoding and encoding. Everything else here counts characters by decoding them.
#include "base/utf8.h"

bool utf8_allowed(int64_t code)
{
    return code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

size_t utf8_decode(const char *text, size_t length, uint32_t *ret_code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // by length: less is overlong
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) {
        *ret_code = at[0];
        return 1;
    }
    size_t n = utf8_length(text[0]);
    if (at[0] < 0xc2 || at[0] > 0xf4 || length < n)
        return 0;
    uint32_t code = at[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (!utf8_continues(text[i]))
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (code < least[n] || !utf8_allowed(code))
        return 0;
    *ret_code = code;
    return n;
}

size_t utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (char)((0xf00u >> n & 0xf0) | code);
    return n;
}

uint32_t utf8_next(const char *text, size_t length, size_t *at)
{
    uint32_t code = UTF8_REPLACEMENT;
    size_t n = utf8_decode(text + *at, length - *at, &code);
    *at += n ? n : 1;
    return code;
}

size_t utf8_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t at = 0; at < length; count++)
        utf8_next(text, length, &at);
    return count;
}

size_t utf8_offset(const char *text, size_t length, size_t n)
{
    size_t at = 0;
    while (at < length && n-- > 0)
        utf8_next(text, length, &at);
    return at;
}

bool utf8_valid(const char *text, size_t length)
{
    uint32_t code;
    for (size_t at = 0, n; at < length; at += n) {
        n = utf8_decode(text + at, length - at, &code);
        if (n == 0)
            return false;
    }
    return true;
}

size_t utf8_cut(const char *text, size_t n)
{
    while (n > 0 && utf8_continues(text[n]))
        n--;
    return n;
}
