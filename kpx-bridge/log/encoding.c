// SPDX-License-Identifier: MIT
#include "kpx-bridge/log/encoding.h"

#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

enum { LARGEST = 3 }; // bytes in UTF-8 for one of these encodings

// The system takes some bytes that lead a character of Shift-JIS for control characters of EUC-JP.
static bool has_controls(const char *utf8, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (utf8[i] == '\xc2' && (unsigned char)utf8[i + 1] < 0xa0)
            return true;
    return false;
}

// NULL: it is not in this encoding, or the system does not know it.
static char *convert(const char *encoding, const char *text, size_t length, size_t *ret_length)
{
    iconv_t way = iconv_open("UTF-8", encoding);
    if (way == (iconv_t)-1)
        return NULL;
    size_t room = LARGEST * length + 1, left = length;
    char *made = base_allocate(room, 1), *to = made, *from = (char *)text;
    size_t wrong = iconv(way, &from, &left, &to, &room);
    iconv_close(way);
    if (wrong == 0 && left == 0 && !has_controls(made, (size_t)(to - made))) {
        *ret_length = (size_t)(to - made);
        return made;
    }
    free(made);
    return NULL;
}

// Text in EUC-JP is always valid Shift-JIS, too, but hardly ever the other way round: each of its characters
// is two of half width there.
char *kpx_as_utf8(char *text, size_t *length)
{
    static const char *const encodings[] = {"EUC-JP", "CP932"};
    if (!text || utf8_valid(text, *length))
        return text;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        size_t n;
        char *made = convert(encodings[i], text, *length, &n);
        if (!made)
            continue;
        free(text);
        *length = n;
        return made;
    }
    return text;
}
