// SPDX-License-Identifier: MIT
//
// Splits a Fortran source into statements: comments, continued lines, labels, strings, Hollerith
// constants, lines of the preprocessor.
#include "kpx-bridge/fortran/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// How a line's part of a statement ended.
typedef enum { ENDED, SEMICOLON, AMPERSAND } kpx_line_end;

kpx_statements kpx_statements_begin(const char *text, size_t length, kpx_scan_form form)
{
    if (form.line_length == 0)
        form.line_length = 72;
    return (kpx_statements){.text = text, .length = length, .form = form, .line = 1};
}

static bool at_line_end(const kpx_statements *s)
{
    return s->at >= s->length || s->text[s->at] == '\n';
}

static void next_line(kpx_statements *s)
{
    const char *end = memchr(s->text + s->at, '\n', s->length - s->at);
    s->at = end ? (size_t)(end - s->text) + 1 : s->length;
    s->line++;
    s->column = 1;
}

// `# 12 "file"` gives the number of the next line. Other lines of the preprocessor are ignored.
static void skip_directive(kpx_statements *s)
{
    size_t i = s->at + 1;
    while (i < s->length && s->text[i] == ' ')
        i++;
    uint32_t number = 0;
    bool digits = false;
    for (; i < s->length && isdigit((unsigned char)s->text[i]) && number < 100000000; i++) {
        number = number * 10 + (uint32_t)(s->text[i] - '0');
        digits = true;
    }
    bool goes_on;
    do {
        const char *end = memchr(s->text + s->at, '\n', s->length - s->at);
        goes_on = end && end > s->text + s->at && end[-1] == '\\';
        next_line(s);
    } while (goes_on && s->at < s->length && !digits);
    if (digits)
        s->line = number;
}

// Whether the line is blank or a comment.
static bool is_comment(const kpx_statements *s)
{
    size_t i = s->at;
    if (s->form.fixed && i < s->length && strchr("cCdD*!", s->text[i]) && s->text[i])
        return true;
    uint32_t column = 1;
    while (i < s->length && (s->text[i] == ' ' || s->text[i] == '\t' || s->text[i] == '\r')) {
        i++;
        column++;
    }
    if (i >= s->length || s->text[i] == '\n')
        return true;
    return s->text[i] == '!' && !(s->form.fixed && column == 6);
}

static bool skip_comments(kpx_statements *s)
{
    while (s->at < s->length) {
        if (s->text[s->at] == '#')
            skip_directive(s);
        else if (is_comment(s))
            next_line(s);
        else
            return true;
    }
    return false;
}

// ---- Characters -----------------------------------------------------------------------------

// A character of the statement. The terminating 0 has room, too.
static void put(kpx_statement *st, kpx_statements *s, char c)
{
    if (!ARRAY_RESERVE(st->text, 2) || !ARRAY_RESERVE(st->at, 1)) {
        s->failed = true;
        return;
    }
    st->text.at[st->text.n++] = (char)tolower((unsigned char)c);
    st->at.at[st->at.n++] = (kpx_source_position){s->line, s->column};
}

static void advance(kpx_statements *s)
{
    s->at++;
    s->column++;
}

// Whether the `h` that comes belongs to a Hollerith constant: after digits that follow an operator.
// Returns how many characters it has.
static uint32_t hollerith(const kpx_statement *st)
{
    uint32_t i = st->text.n, number = 0;
    while (i > 0 && isdigit((unsigned char)st->text.at[i - 1]))
        i--;
    if (i == st->text.n || i == 0 || !strchr("(,/=*+-", st->text.at[i - 1]))
        return 0;
    for (uint32_t k = i; k < st->text.n && number < 10000; k++)
        number = number * 10 + (uint32_t)(st->text.at[k] - '0');
    return number;
}

// Whether nothing but a comment follows the `&` at this place.
static bool continues(const kpx_statements *s)
{
    size_t i = s->at + 1;
    while (i < s->length && (s->text[i] == ' ' || s->text[i] == '\t' || s->text[i] == '\r'))
        i++;
    return i >= s->length || s->text[i] == '\n' || (s->text[i] == '!' && !s->quote);
}

// A character within a string. Only its quotes are kept.
static kpx_line_end take_in_string(kpx_statements *s, kpx_statement *st)
{
    char c = s->text[s->at];
    if (c == '&' && !s->form.fixed && continues(s))
        return AMPERSAND;
    if (c == s->quote) {
        if (s->at + 1 < s->length && s->text[s->at + 1] == c) {
            advance(s);
        } else {
            put(st, s, c);
            s->quote = 0;
        }
    }
    advance(s);
    return ENDED;
}

static kpx_line_end take_line(kpx_statements *s, kpx_statement *st)
{
    while (!at_line_end(s) && !(s->form.fixed && s->column > s->form.line_length)) {
        char c = s->text[s->at];
        if (s->quote) {
            if (take_in_string(s, st) == AMPERSAND)
                return AMPERSAND;
            continue;
        }
        if (c == '!' && !(s->form.fixed && s->column == 6))
            break;
        if (c == ';') {
            advance(s);
            return SEMICOLON;
        }
        if (c == '&' && !s->form.fixed && continues(s))
            return AMPERSAND;
        if (c == '\'' || c == '"')
            s->quote = c;
        uint32_t skip = c == 'h' || c == 'H' ? hollerith(st) : 0;
        if (!isspace((unsigned char)c))
            put(st, s, c);
        advance(s);
        for (; skip > 0 && !at_line_end(s); skip--)
            advance(s);
    }
    return ENDED;
}

// ---- Lines ----------------------------------------------------------------------------------

// The first six columns of fixed form. Returns whether the line continues the one before.
static bool take_margin(kpx_statements *s, kpx_statement *st, bool want_label)
{
    uint32_t label = 0;
    s->column = 1;
    while (!at_line_end(s) && s->column < 6) {
        char c = s->text[s->at];
        if (c == '\t') { // to column 7
            s->at++;
            s->column = 7;
            break;
        }
        if (isdigit((unsigned char)c) && label < 100000)
            label = label * 10 + (uint32_t)(c - '0');
        advance(s);
    }
    bool goes_on = false;
    if (!at_line_end(s) && s->column == 6) {
        char c = s->text[s->at];
        goes_on = c != ' ' && c != '0' && c != '\t' && c != '\r';
        advance(s);
        s->column = 7;
    }
    if (want_label)
        st->label = label;
    return goes_on;
}

// Moves to where the statement continues in the next line. False: it does not.
static bool continue_fixed(kpx_statements *s)
{
    kpx_statements before = *s;
    kpx_statement unused = {0};
    if (s->at < s->length)
        next_line(s);
    if (skip_comments(s) && take_margin(s, &unused, false))
        return true;
    *s = before;
    return false;
}

static bool continue_free(kpx_statements *s)
{
    next_line(s);
    if (!skip_comments(s))
        return false;
    while (!at_line_end(s) && isspace((unsigned char)s->text[s->at]))
        advance(s);
    if (!at_line_end(s) && s->text[s->at] == '&')
        advance(s);
    return true;
}

static void strip_label(kpx_statement *st)
{
    uint32_t i = 0, label = 0;
    while (i < st->text.n && isdigit((unsigned char)st->text.at[i]) && i < 6)
        label = label * 10 + (uint32_t)(st->text.at[i++] - '0');
    if (i == 0 || i == st->text.n)
        return;
    st->label = label;
    memmove(st->text.at, st->text.at + i, st->text.n - i);
    memmove(st->at.at, st->at.at + i, (st->at.n - i) * sizeof *st->at.at);
    st->text.n -= i;
    st->at.n -= i;
}

static void gather(kpx_statements *s, kpx_statement *st)
{
    s->quote = 0;
    for (;;) {
        kpx_line_end end = take_line(s, st);
        s->rest = end == SEMICOLON;
        if (end == SEMICOLON)
            return;
        if (s->form.fixed ? !continue_fixed(s) : end != AMPERSAND || !continue_free(s))
            break;
    }
    if (s->at < s->length)
        next_line(s);
}

bool kpx_next_statement(kpx_statements *s, kpx_statement *ret)
{
    for (;;) {
        ret->text.n = ret->at.n = 0;
        ret->label = 0;
        if (!s->rest) {
            s->column = 1;
            if (!skip_comments(s))
                return false;
            if (s->form.fixed)
                take_margin(s, ret, true);
        }
        gather(s, ret);
        if (s->failed)
            return false;
        if (ret->label == 0)
            strip_label(ret);
        if (ret->text.n > 0)
            break;
    }
    ret->text.at[ret->text.n] = 0;
    return true;
}

void kpx_statement_free(kpx_statement *s)
{
    free(s->text.at);
    free(s->at.at);
    *s = (kpx_statement){0};
}

// ---- Forms ----------------------------------------------------------------------------------

static bool ends_with(const char *path, const char *const *ends)
{
    const char *dot = strrchr(path, '.');
    for (; dot && *ends; ends++)
        if (strcasecmp(dot, *ends) == 0)
            return true;
    return false;
}

kpx_scan_form kpx_fortran_form(const char *path)
{
    static const char *const fixed[] = {".f", ".for", ".ftn", ".fpp", ".f77", NULL};
    return (kpx_scan_form){.fixed = ends_with(path, fixed)};
}

bool kpx_is_fortran(const char *path)
{
    static const char *const ends[] = {".f",   ".for", ".ftn", ".fpp", ".f77", ".f90",
                                       ".f95", ".f03", ".f08", ".f18", NULL};
    return ends_with(path, ends);
}
