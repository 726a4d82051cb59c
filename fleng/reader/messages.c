// SPDX-License-Identifier: MIT
//
// Messages are kept as texts, with their source lines, so they may outlive the sources.
#include "fleng/reader/messages.h"

#include "base/text.h"
#include "base/utf8.h"
#include "fleng/reader/terms.h"

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

// In plain memory: messages hold no terms.
struct fl_messages {
    ARRAY_OF(message) list;
    uint32_t count[FL_SEVERITIES]; // of all, also those not kept
    uint32_t most;                 // that are kept
};

fl_messages *fl_messages_create(void)
{
    fl_messages *m = base_allocate(1, sizeof *m);
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
    for (uint32_t i = 0; i < m->list.n; i++) {
        free(m->list.at[i].file);
        free(m->list.at[i].named);
        free(m->list.at[i].text);
        free(m->list.at[i].excerpt);
    }
    free(m->list.at);
    free(m);
}

uint32_t fl_error_count(const fl_messages *m)
{
    return m->count[FL_ERROR];
}

bool fl_error_within(const fl_messages *m, const fl_source *source, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < m->list.n; i++)
        if (m->list.at[i].severity == FL_ERROR && m->list.at[i].line >= first &&
            m->list.at[i].line <= last && m->list.at[i].file &&
            strcmp(m->list.at[i].file, source->name) == 0)
            return true;
    return false;
}

char *fl_first_message(const fl_messages *m, uint32_t lines, uint32_t columns)
{
    base_text b = {0};
    if (m->list.n == 0) {
        text_add_string(&b, "syntax error");
        return text_finish(&b);
    }
    const message *first = &m->list.at[0];
    text_add_format(&b, "%u:%u: %s", first->line + lines,
               first->column + (first->line == 1 ? columns : 0), first->text);
    return text_finish(&b);
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

unsigned fl_text_width(const char *text, size_t length)
{
    unsigned columns = 0;
    for (size_t at = 0; at < length;)
        columns += width(utf8_next(text, length, &at));
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
static void put_excerpt(base_text *out, base_text *below, const char *at, const char *end,
                        uint32_t from, uint32_t to, const fl_place *place)
{
    for (uint32_t i = 1; at < end && i < to; i++) {
        uint32_t c = 0;
        size_t length = utf8_decode(at, (size_t)(end - at), &c);
        if (i >= from) {
            bool plain = length > 0 && (c == '\t' || (c >= 0x20 && c != 0x7f &&
                                                      !(c >= 0x80 && c < 0xa0)));
            char mark = mark_below(place, i);
            text_add(out, plain ? at : "?", plain ? length : 1);
            if (c == '\t' && mark == ' ')
                mark = '\t';
            text_add(below, &mark, 1);
            if (plain && width(c) == 2)
                text_add(below, mark == ' ' ? " " : "~", 1);
        }
        at += length ? length : 1;
    }
}

static char *make_excerpt(const fl_source *source, const fl_place *place)
{
    const char *end, *at = fl_source_line(source, place->line, &end);
    if (end > at && end[-1] == '\r')
        end--;
    uint32_t column = place->column, first = column;
    if (place->other_line == place->line && place->other_column < first)
        first = place->other_column;
    uint32_t from = first > EXCERPT_BEFORE ? first - EXCERPT_BEFORE : 1;
    base_text out = {0}, below = {0};
    text_add_format(&out, "%5u | %s", place->line, from > 1 ? "..." : "");
    text_add_string(&below, from > 1 ? "   " : "");
    put_excerpt(&out, &below, at, end, from, column + EXCERPT_AFTER, place);
    if (!memchr(below.at, '^', below.n)) // behind the end of the line
        text_add_string(&below, "^");
    while (below.n > 0 && strchr(" \t", below.at[below.n - 1]))
        below.n--;
    text_add_format(&out, "\n      | %.*s\n", (int)below.n, below.at);
    free(below.at);
    return text_finish(&out);
}

// ---- Collecting -------------------------------------------------------------------------------

static uint32_t group_of(const fl_messages *m, const char *file)
{
    if (m->list.n > 0 && strcmp(m->list.at[m->list.n - 1].file, file) == 0)
        return m->list.at[m->list.n - 1].group;
    for (uint32_t i = 0; i < m->list.n; i++)
        if (strcmp(m->list.at[i].file, file) == 0)
            return m->list.at[i].group;
    return (uint32_t)m->list.n;
}

static void collect(fl_messages *m, const fl_place *place, const char *format, va_list arguments)
{
    if (!m || ++m->count[place->severity] > m->most)
        return;
    base_text text = {0};
    text_add_arguments(&text, format, arguments);
    const char *file = place->source ? place->source->name : "fleng";
    uint32_t group = group_of(m, file);
    message new = {.severity = place->severity,
                   .code = place->code,
                   .file = base_copy(file),
                   .named = place->file ? base_copy(place->file) : NULL,
                   .text = text_finish(&text),
                   .line = place->line,
                   .column = place->column,
                   .end_column = place->end_column,
                   .group = group};
    if (place->source && place->line > 0)
        new.excerpt = make_excerpt(place->source, place);
    ARRAY_PUSH(m->list, new);
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

void fl_report(fl_messages *m, const fl_source *source, const fl_term *at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t line = 0, column = 0;
    if (at)
        fl_term_start(at, &line, &column);
    fl_error(m, source, line, column, "%s", text);
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

static void put_marked_excerpt(base_text *out, const char *excerpt, bool colour, const char *indent)
{
    const char *below = strchr(excerpt, '\n'), *marks = below ? strchr(below, '|') : NULL;
    if (!marks)
        return;
    text_add_format(out, "%s%.*s%s%.*s", indent, (int)(below + 1 - excerpt), excerpt, indent,
               (int)(marks - below), below + 1);
    text_add_format(out, colour ? "\033[1;32m%.*s\033[0m\n" : "%.*s\n",
               (int)strcspn(marks + 1, "\n"), marks + 1);
}

char *fl_excerpt(const fl_place *place, bool colour, const char *indent)
{
    char *excerpt = make_excerpt(place->source, place);
    base_text out = {0};
    put_marked_excerpt(&out, excerpt, colour, indent);
    free(excerpt);
    return text_finish(&out);
}

static void put_message(base_text *out, const message *m, bool colour)
{
    if (colour)
        text_add_string(out, "\033[1m");
    text_add_string(out, m->file);
    if (m->line > 0)
        text_add_format(out, ":%u:%u", m->line, m->column);
    static const char *const severities[] = {"error", "warning", "note"};
    static const char *const colours[] = {"\033[31m", "\033[35m", "\033[36m"};
    text_add_format(out, ": %s%s:%s ", colour ? colours[m->severity] : "", severities[m->severity],
               colour ? "\033[0m" : "");
    text_add_string(out, m->text);
    if (m->code)
        text_add_format(out, " [%s]", m->code);
    text_add_string(out, "\n");
    if (m->excerpt)
        put_marked_excerpt(out, m->excerpt, colour, "");
}

static const message **sort(const fl_messages *m)
{
    const message **sorted = base_allocate(m->list.n + 1, sizeof *sorted);
    for (uint32_t i = 0; i < m->list.n; i++)
        sorted[i] = &m->list.at[i];
    qsort(sorted, m->list.n, sizeof *sorted, by_place);
    return sorted;
}

char *fl_messages_text(const fl_messages *m, bool colour)
{
    const message **sorted = sort(m);
    base_text out = {0};
    for (uint32_t i = 0; i < m->list.n; i++)
        put_message(&out, sorted[i], colour);
    static const char *const many[] = {"errors", "warnings", "notes"};
    for (int i = 0; i < FL_SEVERITIES; i++)
        if (m->count[i] > m->most)
            text_add_format(&out, "fleng: %u more %s\n", m->count[i] - m->most, many[i]);
    free(sorted);
    return text_finish(&out);
}

// ---- For editors --------------------------------------------------------------------------------

// JSON by hand: one flat list of records is not worth a second library in the command.
static void put_json_string(base_text *out, const char *text)
{
    text_add_string(out, "\"");
    for (const char *end = text + strlen(text); text < end;) {
        uint32_t c;
        size_t length = utf8_decode(text, (size_t)(end - text), &c);
        if (length == 0)
            text_add_code(out, UTF8_REPLACEMENT);
        else if (c == '"' || c == '\\')
            text_add_format(out, "\\%c", (int)c);
        else if (c < 0x20 || c == 0x7f)
            text_add_format(out, "\\u%04x", c);
        else
            text_add(out, text, length);
        text += length ? length : 1;
    }
    text_add_string(out, "\"");
}

static void put_json(base_text *out, const message *m)
{
    static const char *const severities[] = {"error", "warning", "information"};
    text_add_string(out, "{\"file\": ");
    put_json_string(out, m->named ? m->named : m->file);
    uint32_t end = m->end_column > m->column ? m->end_column : m->column + (m->line > 0);
    text_add_format(out, ", \"line\": %u, \"column\": %u, \"endLine\": %u, \"endColumn\": %u",
                    m->line, m->column, m->line, end);
    text_add_format(out, ", \"severity\": \"%s\", \"code\": \"%s\", \"message\": ",
               severities[m->severity], m->code ? m->code : "error");
    put_json_string(out, m->text);
    text_add_string(out, "}");
}

char *fl_messages_json(const fl_messages *m)
{
    const message **sorted = sort(m);
    base_text out = {0};
    text_add_string(&out, "[");
    for (uint32_t i = 0; i < m->list.n; i++) {
        text_add_string(&out, i > 0 ? ",\n " : "");
        put_json(&out, sorted[i]);
    }
    text_add_string(&out, "]\n");
    free(sorted);
    return text_finish(&out);
}
