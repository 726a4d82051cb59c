// SPDX-License-Identifier: MIT
//
// Error messages with their place in the source:
//
//     graph.fl:7:12: error: undefined predicate apend/3; did you mean append/3?
//         7 |     main :- apend([a], [b], X), print(X).
//           |             ^
#include "ir.h"
#include "text.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXCERPT_BEFORE = 72, // characters shown of a long line on either side of the place
    EXCERPT_AFTER = 48,
};

typedef struct {
    char *file;
    char *text;
    char *excerpt; // the line and below it the caret; NULL without a place
    uint32_t line, column;
    uint32_t group; // messages of one file stand together, files in the order of their first one
} message;

struct fl_messages {
    message *at;
    uint32_t n, capacity;
    uint32_t count; // of all, also those not kept
};

// Text that grows, in plain memory: messages outlive no collection and hold no terms.
typedef struct {
    char *at;
    size_t n, capacity;
} buffer;

static void put(buffer *b, const char *text, size_t length)
{
    if (b->n + length + 1 > b->capacity) {
        b->capacity = (b->n + length + 1) * 2;
        b->at = realloc(b->at, b->capacity);
        if (!b->at)
            abort();
    }
    if (length)
        memcpy(b->at + b->n, text, length);
    b->n += length;
    b->at[b->n] = '\0';
}

static void put_text(buffer *b, const char *text)
{
    put(b, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void put_format(buffer *b, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort();
    put(b, text, (size_t)length);
    free(text);
}

fl_messages *fl_messages_create(void)
{
    fl_messages *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    return m;
}

void fl_messages_destroy(fl_messages *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->n; i++) {
        free(m->at[i].file);
        free(m->at[i].text);
        free(m->at[i].excerpt);
    }
    free(m->at);
    free(m);
}

uint32_t fl_error_count(const fl_messages *m)
{
    return m->count;
}

// ---- The line with the caret ------------------------------------------------------------------

// Columns of a terminal that a character takes.
static unsigned width(uint32_t c)
{
    bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
                (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
                (c >= 0x20000 && c <= 0x3fffd);
    return wide ? 2 : 1;
}

static const char *find_line(const fl_source *source, uint32_t line, const char **ret_end)
{
    const char *at = source->text, *end = at + source->length;
    for (uint32_t i = 1; i < line; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break;
        at = newline + 1;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *ret_end = newline ? newline : end;
    return at;
}

// Appends the characters of the line from column `from` up to `to`; control characters and what is
// no UTF-8 as `?`, so that a message never upsets a terminal. Returns the width of what stands
// before `column`; the tabs in it are kept in *padding.
static void put_excerpt(buffer *out, buffer *padding, const char *at, const char *end,
                        uint32_t from, uint32_t to, uint32_t column)
{
    for (uint32_t i = 1; at < end && i < to; i++) {
        unsigned length;
        uint32_t c = fl_utf8_decode(at, end, &length);
        if (i >= from) {
            bool plain = c == '\t' || (c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) &&
                                       c != FL_BAD_CHARACTER);
            put(out, plain ? at : "?", plain ? length : 1);
            if (i < column)
                put(padding, c == '\t' ? "\t" : "  ", plain ? width(c) : 1);
        }
        at += length;
    }
}

static char *make_excerpt(const fl_source *source, uint32_t line, uint32_t column)
{
    const char *end, *at = find_line(source, line, &end);
    if (end > at && end[-1] == '\r')
        end--;
    uint32_t from = column > EXCERPT_BEFORE ? column - EXCERPT_BEFORE : 1;
    buffer out = {0}, padding = {0};
    put_format(&out, "%5u | %s", line, from > 1 ? "..." : "");
    put_text(&padding, from > 1 ? "   " : "");
    put_excerpt(&out, &padding, at, end, from, column + EXCERPT_AFTER, column);
    put_format(&out, "\n      | %s^\n", padding.at ? padding.at : "");
    free(padding.at);
    return out.at;
}

// ---- Collecting -------------------------------------------------------------------------------

static uint32_t group_of(const fl_messages *m, const char *file)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (strcmp(m->at[i].file, file) == 0)
            return m->at[i].group;
    return m->n;
}

static message *add(fl_messages *m)
{
    if (m->n == m->capacity) {
        m->capacity = m->capacity ? m->capacity * 2 : 8;
        m->at = realloc(m->at, m->capacity * sizeof *m->at);
        if (!m->at)
            abort();
    }
    return &m->at[m->n++];
}

void fl_error(fl_messages *m, const fl_source *source, uint32_t line, uint32_t column,
              const char *format, ...)
{
    if (!m || ++m->count > FL_MOST_MESSAGES)
        return;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort();
    const char *file = source ? source->name : "fleng";
    uint32_t group = group_of(m, file);
    message *new = add(m);
    *new = (message){.file = strdup(file), .text = text, .line = line, .column = column,
                     .group = group};
    if (source && line > 0)
        new->excerpt = make_excerpt(source, line, column);
}

// ---- The text of all --------------------------------------------------------------------------

static int by_place(const void *left, const void *right)
{
    const message *a = *(const message *const *)left, *b = *(const message *const *)right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void put_message(buffer *out, const message *m, bool colour)
{
    if (colour)
        put_text(out, "\033[1m");
    put_text(out, m->file);
    if (m->line > 0)
        put_format(out, ":%u:%u", m->line, m->column);
    put_text(out, colour ? ": \033[31merror:\033[0m " : ": error: ");
    put_text(out, m->text);
    put_text(out, "\n");
    if (m->excerpt)
        put_text(out, m->excerpt);
}

char *fl_messages_text(const fl_messages *m, bool colour)
{
    const message **sorted = calloc(m->n + 1, sizeof *sorted);
    if (!sorted)
        abort();
    for (uint32_t i = 0; i < m->n; i++)
        sorted[i] = &m->at[i];
    qsort(sorted, m->n, sizeof *sorted, by_place);
    buffer out = {0};
    put_text(&out, "");
    for (uint32_t i = 0; i < m->n; i++)
        put_message(&out, sorted[i], colour);
    if (m->count > m->n)
        put_format(&out, "fleng: %u more errors\n", m->count - m->n);
    free(sorted);
    return out.at;
}
