// SPDX-License-Identifier: MIT
//
// Line editing, history and completion by libedit.
#include "fleng/prompt/lines.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { REMEMBERED = 1000, DEFAULT_WIDTH = 80 }; // lines, columns

struct fl_editor {
    EditLine *edit;
    History *history;
    char *file; // of the history; NULL: it is not kept
    const char *prompt;
    fl_completer complete;
    void *data;
    char *line;
};

static const char *show_prompt(EditLine *edit)
{
    fl_editor *e;
    el_get(edit, EL_CLIENTDATA, &e);
    return e->prompt;
}

// ---- Completion -------------------------------------------------------------------------------

static size_t common_length(char **candidates)
{
    size_t n = strlen(candidates[0]);
    for (size_t i = 1; candidates[i]; i++)
        for (size_t k = 0; k < n; k++)
            if (candidates[0][k] != candidates[i][k])
                n = k;
    return utf8_cut(candidates[0], n);
}

static void list(char **candidates)
{
    struct winsize size;
    size_t width = DEFAULT_WIDTH, column = 1;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    for (size_t i = 0; candidates[i]; i++)
        if (strlen(candidates[i]) + 2 > column)
            column = strlen(candidates[i]) + 2;
    size_t columns = column < width ? width / column : 1;
    putchar('\n');
    for (size_t i = 0; candidates[i]; i++) {
        bool last = (i + 1) % columns == 0 || !candidates[i + 1];
        printf("%-*s%s", last ? 0 : (int)column, candidates[i], last ? "\n" : "");
    }
    fflush(stdout);
}

static void free_all(char **candidates)
{
    for (size_t i = 0; candidates && candidates[i]; i++)
        free(candidates[i]);
    free(candidates);
}

static unsigned char on_tab(EditLine *edit, int key)
{
    (void)key;
    fl_editor *e;
    el_get(edit, EL_CLIENTDATA, &e);
    const LineInfo *info = el_line(edit);
    size_t cursor = (size_t)(info->cursor - info->buffer), begin = cursor;
    char *line = strndup(info->buffer, (size_t)(info->lastchar - info->buffer));
    char **candidates = line ? e->complete(e->data, line, cursor, &begin) : NULL;
    unsigned char result = CC_ERROR;
    if (candidates && candidates[0]) {
        size_t n = common_length(candidates), typed = cursor - begin;
        result = CC_REDISPLAY;
        if (n > typed || !candidates[1]) {
            char *rest = strndup(candidates[0] + typed, n - typed);
            if (rest && *rest)
                el_insertstr(edit, rest);
            free(rest);
            result = CC_REFRESH;
        } else {
            list(candidates);
        }
    }
    free_all(candidates);
    free(line);
    return result;
}

// ---- Characters -------------------------------------------------------------------------------

// What is no text in the user's encoding is passed over, and so is NUL: what the terminal makes of
// a ^D that came before the editor was there.
static int read_character(EditLine *edit, wchar_t *ret_character)
{
    (void)edit;
    mbstate_t state = {0};
    for (;;) {
        char byte;
        if (!fl_lines_wait(STDIN_FILENO))
            return -1;
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        size_t length = mbrtowc(ret_character, &byte, 1, &state);
        if (length == 1)
            return 1;
        if (length == (size_t)-1)
            state = (mbstate_t){0};
    }
}

// ---- The editor -------------------------------------------------------------------------------

static void set_keys(EditLine *edit)
{
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_ADDFN, "fleng-complete", "complete a name", on_tab);
    el_set(edit, EL_BIND, "^I", "fleng-complete", NULL);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(edit, NULL);
}

fl_editor *fl_editor_create(const char *file, fl_completer complete, void *data)
{
    setlocale(LC_CTYPE, "");
    fl_editor *e = base_allocate(1, sizeof *e);
    e->complete = complete;
    e->data = data;
    e->prompt = "";
    e->edit = el_init("fleng", stdin, stdout, stderr);
    e->history = history_init();
    if (!e->edit || !e->history) {
        fl_editor_destroy(e);
        return NULL;
    }
    HistEvent event;
    history(e->history, &event, H_SETSIZE, REMEMBERED);
    history(e->history, &event, H_SETUNIQUE, 1);
    if (file) {
        e->file = strdup(file);
        history(e->history, &event, H_LOAD, e->file);
    }
    el_set(e->edit, EL_CLIENTDATA, e);
    el_set(e->edit, EL_PROMPT, show_prompt);
    el_set(e->edit, EL_GETCFN, read_character);
    el_set(e->edit, EL_HIST, history, e->history);
    set_keys(e->edit);
    return e;
}

void fl_editor_destroy(fl_editor *e)
{
    if (!e)
        return;
    if (e->history)
        history_end(e->history);
    if (e->edit)
        el_end(e->edit);
    free(e->file);
    free(e->line);
    free(e);
}

// A file that cannot be written is no reason to complain at every line.
static void remember(fl_editor *e, const char *line)
{
    HistEvent event;
    if (line[strspn(line, " \t")] == '\0')
        return;
    history(e->history, &event, H_ENTER, line);
    if (e->file)
        history(e->history, &event, H_SAVE, e->file);
}

fl_line_result fl_editor_read(fl_editor *e, const char *prompt, const char **ret_line,
                              size_t *ret_length)
{
    int n = 0;
    e->prompt = prompt;
    errno = 0;
    const char *line = el_gets(e->edit, &n);
    if (!line) {
        bool interrupted = n < 0 && errno == EINTR;
        putchar('\n');
        return interrupted ? LINE_INTERRUPTED : LINE_END;
    }
    free(e->line);
    e->line = base_copy(line);
    size_t length = strlen(e->line);
    if (length > 0 && e->line[length - 1] == '\n')
        e->line[--length] = '\0';
    remember(e, e->line);
    *ret_line = e->line;
    *ret_length = length;
    return LINE_READ;
}
