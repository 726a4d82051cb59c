// SPDX-License-Identifier: MIT
//
// Reading and writing bookmarks.
#include "paf/model/bookmarks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "paf-view 1"

bool paf_is_bookmarks(const char *path)
{
    return g_str_has_suffix(path, ".view");
}

char *paf_bookmarks_beside(const char *path)
{
    size_t n = strlen(path) - (g_str_has_suffix(path, ".paf") ? 4 : 0);
    return g_strdup_printf("%.*s.view", (int)n, path);
}

static void free_bookmark(gpointer data)
{
    paf_bookmark *b = data;
    g_ptr_array_unref(b->folded);
    g_free(b->focus);
    g_free(b->note);
    g_free(b);
}

paf_bookmarks *paf_bookmarks_create(const char *path)
{
    paf_bookmarks *b = g_new0(paf_bookmarks, 1);
    b->trace = g_strdup(path);
    b->all = g_ptr_array_new_with_free_func(free_bookmark);
    return b;
}

void paf_bookmarks_free(paf_bookmarks *b)
{
    if (!b)
        return;
    g_ptr_array_unref(b->all);
    g_free(b->partition);
    g_free(b->trace);
    g_free(b);
}

// A note is one line.
paf_bookmark *paf_bookmarks_add(paf_bookmarks *b, const char *note)
{
    paf_bookmark *made = g_new0(paf_bookmark, 1);
    made->note = g_strstrip(g_strdelimit(g_strdup(note), "\r\n", ' '));
    made->selected = IOT_NONE;
    made->folded = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(b->all, made);
    return made;
}

const paf_bookmark *paf_bookmarks_find(const paf_bookmarks *b, const char *note)
{
    for (guint i = 0; i < b->all->len; i++) {
        const paf_bookmark *one = b->all->pdata[i];
        if (!note || g_str_has_prefix(one->note, note))
            return one;
    }
    return NULL;
}

char *paf_bookmarks_trace(const paf_bookmarks *b, const char *path)
{
    if (g_path_is_absolute(b->trace))
        return g_strdup(b->trace);
    char *folder = g_path_get_dirname(path);
    char *found = strcmp(folder, ".") ? g_build_filename(folder, b->trace, NULL) : g_strdup(b->trace);
    g_free(folder);
    return found;
}

// ---------------------------------------------------------------------------------------------
// Reading

static bool read_window(paf_bookmark *b, const char *text)
{
    char *end;
    b->from = g_ascii_strtod(text, &end);
    if (end == text || *end != ' ')
        return false;
    text = end + 1;
    b->to = g_ascii_strtod(text, &end);
    return end != text && !*end && isfinite(b->from) && isfinite(b->to) && b->from < b->to;
}

static bool read_number(const char *text, uint32_t *ret)
{
    guint64 n;
    if (!g_ascii_string_to_unsigned(text, 10, 0, IOT_NONE - 1, &n, NULL))
        return false;
    *ret = (uint32_t)n;
    return true;
}

// What is wrong, or NULL.
static const char *read_line(paf_bookmarks *all, const char *key, const char *value)
{
    paf_bookmark *b = all->all->len ? all->all->pdata[all->all->len - 1] : NULL;
    if (!strcmp(key, "trace") && !all->trace && *value) {
        all->trace = g_strdup(value);
    } else if (!strcmp(key, "partition") && !all->partition) {
        all->partition = g_strdup(value);
    } else if (!strcmp(key, "bookmark")) {
        paf_bookmarks_add(all, value);
    } else if (!b) {
        return "a bookmark is expected";
    } else if (!strcmp(key, "clock")) {
        b->clock = !strcmp(value, "real") ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
        return strcmp(value, "real") && strcmp(value, "virtual") ? "the clock is real or virtual" : NULL;
    } else if (!strcmp(key, "window")) {
        return read_window(b, value) ? NULL : "a window has two times";
    } else if (!strcmp(key, "select")) {
        return read_number(value, &b->selected) ? NULL : "a reduction has a number";
    } else if (!strcmp(key, "focus") && !b->focus) {
        b->focus = g_strdup(value);
    } else if (!strcmp(key, "fold")) {
        g_ptr_array_add(b->folded, g_strdup(value));
    } else {
        return "this line has no meaning here";
    }
    return NULL;
}

static const char *read_lines(paf_bookmarks *b, char **lines, guint *ret_line)
{
    *ret_line = 1;
    if (!lines[0] || strcmp(g_strchomp(lines[0]), HEAD))
        return "it does not begin with `" HEAD "`";
    for (guint i = 1; lines[i]; i++) {
        char *line = g_strstrip(lines[i]), *space = strchr(line, ' ');
        *ret_line = i + 1;
        if (!*line || *line == '#')
            continue;
        if (space)
            *space = 0;
        const char *wrong = read_line(b, line, space ? g_strchug(space + 1) : "");
        if (wrong)
            return wrong;
    }
    return b->trace ? NULL : "it names no trace";
}

paf_bookmarks *paf_bookmarks_read(const char *path, char **ret_error)
{
    char *text;
    GError *error = NULL;
    guint line;
    if (!g_file_get_contents(path, &text, NULL, &error)) {
        *ret_error = g_strdup(error->message);
        g_error_free(error);
        return NULL;
    }
    paf_bookmarks *b = paf_bookmarks_create(NULL);
    char **lines = g_strsplit(text, "\n", -1);
    const char *wrong = g_utf8_validate(text, -1, NULL) ? read_lines(b, lines, &line) : NULL;
    if (!wrong && !b->trace) {
        line = 1;
        wrong = "it is no text in UTF-8";
    }
    if (wrong) {
        *ret_error = g_strdup_printf("%s:%u: %s", path, line, wrong);
        paf_bookmarks_free(b);
        b = NULL;
    }
    g_strfreev(lines);
    g_free(text);
    return b;
}

// ---------------------------------------------------------------------------------------------
// Writing

static void write_bookmark(const paf_bookmark *b, GString *s)
{
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(s, "\nbookmark %s\nclock %s\n", b->note,
                           b->clock == IOT_REAL_TIME ? "real" : "virtual");
    if (b->from < b->to)
        g_string_append_printf(s, "window %s %s\n", g_ascii_dtostr(from, sizeof from, b->from),
                               g_ascii_dtostr(to, sizeof to, b->to));
    if (b->selected != IOT_NONE)
        g_string_append_printf(s, "select %" PRIu32 "\n", b->selected);
    if (b->focus)
        g_string_append_printf(s, "focus %s\n", b->focus);
    for (guint i = 0; i < b->folded->len; i++)
        g_string_append_printf(s, "fold %s\n", (char *)b->folded->pdata[i]);
}

bool paf_bookmarks_write(const paf_bookmarks *b, const char *path, char **ret_error)
{
    GError *error = NULL;
    GString *s = g_string_new(HEAD "\n");
    g_string_append_printf(s, "trace %s\n", b->trace);
    if (b->partition)
        g_string_append_printf(s, "partition %s\n", b->partition);
    for (guint i = 0; i < b->all->len; i++)
        write_bookmark(b->all->pdata[i], s);
    bool written = g_file_set_contents(path, s->str, (gssize)s->len, &error);
    if (!written) {
        *ret_error = g_strdup(error->message);
        g_error_free(error);
    }
    g_string_free(s, TRUE);
    return written;
}
