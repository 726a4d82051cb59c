// SPDX-License-Identifier: MIT
//
// Which characters make an atom is the same as in fleng/reader/lex.c; tests/fleng/terms.c compares
// the two.
#include "base/term_tokens.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/utf8.h"

bool term_is_symbol(char c)
{
    static const bool symbols[256] = {
        ['+'] = true, ['-'] = true, ['*'] = true, ['/'] = true, ['\\'] = true, ['^'] = true,
        ['<'] = true, ['>'] = true, ['='] = true, ['~'] = true, [':'] = true,  ['.'] = true,
        ['?'] = true, ['@'] = true, ['#'] = true, ['&'] = true, ['$'] = true,
    };
    return symbols[(unsigned char)c];
}

// Letters of all scripts and a decimal point, whatever the user's locale says. Two threads may both
// make it, which is harmless. 0 without memory.
static locale_t plain_locale(void)
{
    static locale_t shared;
    locale_t locale = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    if (locale)
        return locale;
    locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!locale)
        locale = newlocale(LC_CTYPE_MASK, "C", (locale_t)0);
    __atomic_store_n(&shared, locale, __ATOMIC_RELEASE);
    return locale;
}

static bool is_letter_elsewhere(uint32_t code)
{
    locale_t locale = plain_locale();
    return locale && code != UTF8_REPLACEMENT && iswalnum_l((wint_t)code, locale);
}

static bool is_word(const char *text, size_t length)
{
    if (length == 0 || text[0] < 'a' || text[0] > 'z')
        return false;
    for (size_t i = 1; i < length;) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {
            if (!is_letter_elsewhere(utf8_next(text, length, &i)))
                return false;
            continue;
        }
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
        i++;
    }
    return true;
}

static bool is_symbol_atom(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!term_is_symbol(text[i]))
            return false;
    bool stop = length == 1 && text[0] == '.';
    return length > 0 && !stop && !(length > 1 && text[0] == '/' && text[1] == '*');
}

bool term_atom_needs_quotes(const char *text, size_t length)
{
    if (is_word(text, length) || is_symbol_atom(text, length))
        return false;
    if (length == 1)
        return text[0] != '!' && text[0] != ';';
    return length != 2 || text[0] != '[' || text[1] != ']';
}

static void add_escape(base_text *t, uint32_t code, term_dialect dialect)
{
    if (code == '\n' || code == '\t')
        text_add_string(t, code == '\n' ? "\\n" : "\\t");
    else if (utf8_hidden(code))
        text_add_format(t, dialect == TERM_KL1 ? "\\%03o" : "\\x%x\\", code);
    else
        text_add(t, (const char[]){'\\', (char)code}, 2);
}

// The octal escapes of KL1 have three digits: what they cannot say stays as it is.
void term_add_quoted(base_text *t, const char *text, size_t length, char mark,
                     term_dialect dialect)
{
    text_add_char(t, mark);
    size_t plain = 0; // bytes from here on need no escape
    for (size_t i = 0; i < length;) {
        size_t from = i;
        uint32_t code = (unsigned char)text[i] < 0x80 ? (unsigned char)text[i++]
                                                      : utf8_next(text, length, &i);
        bool hidden = utf8_hidden(code) && (dialect != TERM_KL1 || code < 0x80);
        if (!hidden && code != (unsigned char)mark && code != '\\')
            continue;
        text_add(t, text + plain, from - plain);
        plain = i;
        add_escape(t, code, dialect);
    }
    text_add(t, text + plain, length - plain);
    text_add_char(t, mark);
}

// d as "D.DDe+XX" with the fewest digits that read back; precisions below 15 digits differ from it
// in zeros at the end only, but for numbers so small that they have fewer digits.
static void shortest(double d, char *digits, size_t size)
{
    for (int precision = fabs(d) < 1e-290 ? 0 : 14;; precision++) {
        snprintf(digits, size, "%.*e", precision, d);
        if (precision >= 16 || strtod(digits, NULL) == d)
            return;
    }
}

static void finite_text(double d, char *text, size_t size)
{
    char digits[40];
    shortest(d, digits, sizeof digits);
    const char *e = strchr(digits, 'e'), *point = strchr(digits, '.'), *end = e;
    while (point && end[-1] == '0')
        end--;
    int exponent = atoi(e + 1), places = point ? (int)(end - point) - 1 : 0;
    if (exponent >= -4 && exponent < 16) {
        snprintf(text, size, "%.*f", places > exponent ? places - exponent : 1, d);
        return;
    }
    snprintf(digits, sizeof digits, "%.*e", places, d);
    size_t mantissa = strcspn(digits, "e");
    snprintf(text, size, "%.*s%s%s", (int)mantissa, digits, places ? "" : ".0", digits + mantissa);
}

void term_add_float(base_text *t, double d)
{
    if (!isfinite(d)) {
        text_add_string(t, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    char text[64];
    locale_t before = uselocale(plain_locale()); // of 0 changes nothing
    finite_text(d, text, sizeof text);
    uselocale(before);
    text_add_string(t, text);
}

void term_add_integer(base_text *t, int64_t i)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (i < 0)
        digits[--at] = '-';
    text_add(t, digits + at, sizeof digits - at);
}
