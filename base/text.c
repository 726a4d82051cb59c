// SPDX-License-Identifier: MIT
//
// Texts that grow, on the C heap or on one that their owner names.
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

void text_reserve(base_text *t, size_t bytes)
{
    if (t->at && t->capacity - t->n >= bytes)
        return;
    size_t capacity = t->capacity ? 2 * t->capacity : 64;
    if (capacity - t->n < bytes)
        capacity = t->n + bytes;
    t->at = base_grow(t->heap, t->at, t->n, capacity, 1);
    t->capacity = capacity;
}

void text_add(base_text *t, const char *bytes, size_t n)
{
    text_reserve(t, n);
    if (n)
        memcpy(t->at + t->n, bytes, n);
    t->n += n;
}

void text_add_string(base_text *t, const char *string)
{
    text_add(t, string, strlen(string));
}

void text_add_char(base_text *t, char c)
{
    text_add(t, &c, 1);
}

void text_add_code(base_text *t, uint32_t code)
{
    char bytes[4];
    text_add(t, bytes, utf8_encode(code, bytes));
}

void text_add_arguments(base_text *t, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        base_bug("a format that vsnprintf() refuses");
    text_reserve(t, (size_t)n + 1);
    vsnprintf(t->at + t->n, (size_t)n + 1, format, arguments);
    t->n += (size_t)n;
}

void text_add_format(base_text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_arguments(t, format, arguments);
    va_end(arguments);
}

char *text_finish(base_text *t)
{
    text_reserve(t, 1);
    t->at[t->n] = '\0';
    return t->at;
}

static bool has_hidden(const char *text, size_t length)
{
    for (size_t at = 0; at < length;)
        if (utf8_hidden(utf8_next(text, length, &at)))
            return true;
    return false;
}

char *base_printable(const char *text)
{
    size_t length = strlen(text);
    base_text out = {0};
    if (!has_hidden(text, length))
        return NULL;
    for (size_t at = 0; at < length;) {
        size_t from = at;
        uint32_t code = utf8_next(text, length, &at);
        if (!utf8_hidden(code))
            text_add(&out, text + from, at - from);
        else if (code == '\n' || code == '\t')
            text_add_string(&out, code == '\n' ? "\\n" : "\\t");
        else
            text_add_format(&out, "\\x%x\\", code);
    }
    return text_finish(&out);
}
