// SPDX-License-Identifier: MIT
#include "paf/http/html.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static void add_code(base_text *t, uint32_t code)
{
    switch (code) {
    case '<':
        text_add_string(t, "&lt;");
        return;
    case '>':
        text_add_string(t, "&gt;");
        return;
    case '&':
        text_add_string(t, "&amp;");
        return;
    case '"':
        text_add_string(t, "&quot;");
        return;
    case '\'':
        text_add_string(t, "&#39;");
        return;
    }
    bool shown = code == '\n' || code == '\t' || !utf8_hidden(code);
    text_add_code(t, shown ? code : UTF8_REPLACEMENT);
}

void html_add_text(base_text *t, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    for (size_t at = 0; at < n;)
        add_code(t, utf8_next(text, n, &at));
}

// One number, by the conversion that ends at `end`.
static void add_number(base_text *t, const char *conversion, size_t n, va_list *arguments)
{
    char one[32], out[512];
    const char kind = conversion[n - 1];
    snprintf(one, sizeof one, "%.*s", (int)n, conversion);
    if (strchr("feg", kind))
        snprintf(out, sizeof out, one, va_arg(*arguments, double));
    else if (strstr(one, "ll"))
        snprintf(out, sizeof out, one, va_arg(*arguments, long long));
    else if (strchr(one, 'z'))
        snprintf(out, sizeof out, one, va_arg(*arguments, size_t));
    else
        snprintf(out, sizeof out, one, va_arg(*arguments, int));
    text_add_string(t, out);
}

void html_add(base_text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format) {
        size_t plain = strcspn(format, "%");
        text_add(t, format, plain);
        format += plain;
        if (!*format)
            break;
        size_t n = 1 + strcspn(format + 1, "sdufeg%") + 1;
        if (format[n - 1] == '%')
            text_add_char(t, '%');
        else if (format[n - 1] == 's')
            html_add_text(t, va_arg(arguments, const char *));
        else
            add_number(t, format, n, &arguments);
        format += n;
    }
    va_end(arguments);
}

void html_add_part(base_text *t, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
                     (*at >= 'A' && *at <= 'Z') || strchr("-_.~", *at);
        if (plain)
            text_add_char(t, (char)*at);
        else
            text_add_format(t, "%%%02X", *at);
    }
}
