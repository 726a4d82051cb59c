// SPDX-License-Identifier: MIT
//
// Error messages with their place in the source:
//
//     graph.fl:7:12: error: undefined predicate apend/3; did you mean append/3?
//         7 |     main :- apend([a], [b], X), print(X).
//           |             ^
#include "fleng/ir.h"
#include "fleng/reader/source.h"
#include "fleng/reader/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXCERPT_BEFORE = 72, // characters shown of a long line on either side of the place
    EXCERPT_AFTER = 48,
};

typedef struct {
    fl_severity severity;
    const char *code;
    char *file;
    char *named; // the file that the text names instead, or NULL
    char *text;
    char *excerpt; // the line and below it the caret; NULL without a place
    uint32_t line, column, end_column;
    uint32_t group; // messages of one file stand together, files in the order of their first one
} message;

struct fl_messages {
    message *at;
    uint32_t n, capacity;
    uint32_t count[FL_SEVERITIES]; // of all, also those not kept
    uint32_t most;                 // that are kept
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
    m->most = FL_MOST_MESSAGES;
    return m;
}

void fl_messages_keep(fl_messages *m, uint32_t most)
{
    m->most = most;
}

void fl_messages_destroy(fl_messages *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->n; i++) {
        free(m->at[i].file);
        free(m->at[i].named);
        free(m->at[i].text);
        free(m->at[i].excerpt);
    }
    free(m->at);
    free(m);
}

uint32_t fl_error_count(const fl_messages *m)
{
    return m->count[FL_ERROR];
}

bool fl_error_within(const fl_messages *m, const fl_source *source, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->at[i].severity == FL_ERROR && m->at[i].line >= first && m->at[i].line <= last &&
            m->at[i].file && strcmp(m->at[i].file, source->name) == 0)
            return true;
    return false;
}

char *fl_first_message(const fl_messages *m, uint32_t lines, uint32_t columns)
{
    buffer b = {0};
    if (m->n == 0) {
        put_text(&b, "syntax error");
        return b.at;
    }
    const message *first = &m->at[0];
    put_format(&b, "%u:%u: %s", first->line + lines,
               first->column + (first->line == 1 ? columns : 0), first->text);
    return b.at;
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

const char *fl_source_at(const fl_source *source, uint32_t line, uint32_t column, size_t *ret_left)
{
    const char *end, *at = find_line(source, line, &end);
    for (uint32_t i = 1; i < column && at < end; i++)
        do
            at++;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80);
    *ret_left = (size_t)(end - at);
    return at;
}

unsigned fl_text_width(const char *text, size_t length)
{
    unsigned columns = 0;
    for (const char *end = text + length; text < end;) {
        unsigned bytes;
        columns += width(fl_utf8_decode(text, end, &bytes));
        text += bytes;
    }
    return columns;
}

// What stands below a character of the line: the caret below the place, `~` below the rest of what
// is meant and below the other part.
static char mark_below(const fl_place *p, uint32_t column)
{
    if (column == p->column)
        return '^';
    bool meant = column > p->column && column < p->end_column;
    bool other = p->other_line == p->line && column >= p->other_column &&
                 column < p->other_column + (p->other_width ? p->other_width : 1);
    return meant || other ? '~' : ' ';
}

// Appends the characters of the line from column `from` up to `to`, and what stands below them;
// control characters and what is no UTF-8 as `?`, so that a message never upsets a terminal.
static void put_excerpt(buffer *out, buffer *below, const char *at, const char *end, uint32_t from,
                        uint32_t to, const fl_place *place)
{
    for (uint32_t i = 1; at < end && i < to; i++) {
        unsigned length;
        uint32_t c = fl_utf8_decode(at, end, &length);
        if (i >= from) {
            bool plain = c == '\t' || (c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) &&
                                       c != FL_BAD_CHARACTER);
            char mark = mark_below(place, i);
            put(out, plain ? at : "?", plain ? length : 1);
            if (c == '\t' && mark == ' ')
                mark = '\t';
            put(below, &mark, 1);
            if (plain && width(c) == 2)
                put(below, mark == ' ' ? " " : "~", 1);
        }
        at += length;
    }
}

static char *make_excerpt(const fl_source *source, const fl_place *place)
{
    const char *end, *at = find_line(source, place->line, &end);
    if (end > at && end[-1] == '\r')
        end--;
    uint32_t column = place->column, first = column;
    if (place->other_line == place->line && place->other_column < first)
        first = place->other_column;
    uint32_t from = first > EXCERPT_BEFORE ? first - EXCERPT_BEFORE : 1;
    buffer out = {0}, below = {0};
    put_format(&out, "%5u | %s", place->line, from > 1 ? "..." : "");
    put_text(&below, from > 1 ? "   " : "");
    put_excerpt(&out, &below, at, end, from, column + EXCERPT_AFTER, place);
    if (!memchr(below.at, '^', below.n)) // behind the end of the line
        put_text(&below, "^");
    while (below.n > 0 && strchr(" \t", below.at[below.n - 1]))
        below.n--;
    put_format(&out, "\n      | %.*s\n", (int)below.n, below.at);
    free(below.at);
    return out.at;
}

// ---- Collecting -------------------------------------------------------------------------------

static uint32_t group_of(const fl_messages *m, const char *file)
{
    if (m->n > 0 && strcmp(m->at[m->n - 1].file, file) == 0)
        return m->at[m->n - 1].group;
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

static void collect(fl_messages *m, const fl_place *place, const char *format, va_list arguments)
{
    if (!m || ++m->count[place->severity] > m->most)
        return;
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    const char *file = place->source ? place->source->name : "fleng";
    uint32_t group = group_of(m, file);
    message *new = add(m);
    *new = (message){.severity = place->severity,
                     .code = place->code,
                     .file = strdup(file),
                     .named = place->file ? strdup(place->file) : NULL,
                     .text = text,
                     .line = place->line,
                     .column = place->column,
                     .end_column = place->end_column,
                     .group = group};
    if (place->source && place->line > 0)
        new->excerpt = make_excerpt(place->source, place);
}

void fl_message(fl_messages *m, const fl_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    collect(m, place, format, arguments);
    va_end(arguments);
}

void fl_error(fl_messages *m, const fl_source *source, uint32_t line, uint32_t column,
              const char *format, ...)
{
    fl_place place = {.severity = FL_ERROR, .source = source, .line = line, .column = column};
    va_list arguments;
    va_start(arguments, format);
    collect(m, &place, format, arguments);
    va_end(arguments);
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

static void put_marked_excerpt(buffer *out, const char *excerpt, bool colour, const char *indent)
{
    const char *below = strchr(excerpt, '\n'), *marks = below ? strchr(below, '|') : NULL;
    if (!marks)
        return;
    put_format(out, "%s%.*s%s%.*s", indent, (int)(below + 1 - excerpt), excerpt, indent,
               (int)(marks - below), below + 1);
    put_format(out, colour ? "\033[1;32m%.*s\033[0m\n" : "%.*s\n",
               (int)strcspn(marks + 1, "\n"), marks + 1);
}

char *fl_excerpt(const fl_place *place, bool colour, const char *indent)
{
    char *excerpt = make_excerpt(place->source, place);
    buffer out = {0};
    put_marked_excerpt(&out, excerpt, colour, indent);
    free(excerpt);
    return out.at;
}

static void put_message(buffer *out, const message *m, bool colour)
{
    if (colour)
        put_text(out, "\033[1m");
    put_text(out, m->file);
    if (m->line > 0)
        put_format(out, ":%u:%u", m->line, m->column);
    static const char *const severities[] = {"error", "warning", "note"};
    static const char *const colours[] = {"\033[31m", "\033[35m", "\033[36m"};
    put_format(out, ": %s%s:%s ", colour ? colours[m->severity] : "", severities[m->severity],
               colour ? "\033[0m" : "");
    put_text(out, m->text);
    if (m->code)
        put_format(out, " [%s]", m->code);
    put_text(out, "\n");
    if (m->excerpt)
        put_marked_excerpt(out, m->excerpt, colour, "");
}

static const message **sort(const fl_messages *m)
{
    const message **sorted = calloc(m->n + 1, sizeof *sorted);
    if (!sorted)
        abort();
    for (uint32_t i = 0; i < m->n; i++)
        sorted[i] = &m->at[i];
    qsort(sorted, m->n, sizeof *sorted, by_place);
    return sorted;
}

char *fl_messages_text(const fl_messages *m, bool colour)
{
    const message **sorted = sort(m);
    buffer out = {0};
    put_text(&out, "");
    for (uint32_t i = 0; i < m->n; i++)
        put_message(&out, sorted[i], colour);
    static const char *const many[] = {"errors", "warnings", "notes"};
    for (int i = 0; i < FL_SEVERITIES; i++)
        if (m->count[i] > m->most)
            put_format(&out, "fleng: %u more %s\n", m->count[i] - m->most, many[i]);
    free(sorted);
    return out.at;
}

// ---- For editors --------------------------------------------------------------------------------

static void put_json_string(buffer *out, const char *text)
{
    put_text(out, "\"");
    for (const char *end = text + strlen(text); text < end;) {
        unsigned length;
        uint32_t c = fl_utf8_decode(text, end, &length);
        if (c == FL_BAD_CHARACTER)
            put_text(out, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            put_format(out, "\\%c", (int)c);
        else if (c < 0x20 || c == 0x7f)
            put_format(out, "\\u%04x", c);
        else
            put(out, text, length);
        text += length;
    }
    put_text(out, "\"");
}

static void put_json(buffer *out, const message *m)
{
    static const char *const severities[] = {"error", "warning", "information"};
    put_text(out, "{\"file\": ");
    put_json_string(out, m->named ? m->named : m->file);
    uint32_t end = m->end_column > m->column ? m->end_column : m->column + (m->line > 0);
    put_format(out, ", \"line\": %u, \"column\": %u, \"endLine\": %u, \"endColumn\": %u", m->line,
               m->column, m->line, end);
    put_format(out, ", \"severity\": \"%s\", \"code\": \"%s\", \"message\": ",
               severities[m->severity], m->code ? m->code : "error");
    put_json_string(out, m->text);
    put_text(out, "}");
}

char *fl_messages_json(const fl_messages *m)
{
    const message **sorted = sort(m);
    buffer out = {0};
    put_text(&out, "[");
    for (uint32_t i = 0; i < m->n; i++) {
        put_text(&out, i > 0 ? ",\n " : "");
        put_json(&out, sorted[i]);
    }
    put_text(&out, "]\n");
    free(sorted);
    return out.at;
}
