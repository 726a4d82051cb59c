// SPDX-License-Identifier: MIT
//
// Lines from the editor or byte by byte, the file of the history, and interrupts.
#include "fleng/prompt/lines.h"

#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fl_lines {
    bool terminal;
    fl_editor *editor; // NULL: lines come as the terminal or file gives them
    base_text line;    // else
};

// ---- Where the history is kept ----------------------------------------------------------------

// Makes the folders that a path names, as far as it can.
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

// malloc'ed; NULL: nowhere.
static char *history_file(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    if (state && *state == '/')
        path = base_format("%s/fleng/history", state);
    else if (home && *home == '/')
        path = base_format("%s/.local/state/fleng/history", home);
    if (!path)
        return NULL;
    make_folders(path);
    return path;
}

// ---- Interrupts -------------------------------------------------------------------------------

enum { LOOK_AGAIN = 100 }; // milliseconds

static volatile sig_atomic_t interrupted;

void fl_lines_interrupt(void)
{
    interrupted = 1;
}

void fl_lines_clear_interrupt(void)
{
    interrupted = 0;
}

// A signal that comes just before read() would be missed by waiting in it.
bool fl_lines_wait(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (!interrupted) {
        int n = poll(&input, 1, LOOK_AGAIN);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true;
    }
    errno = EINTR;
    return false;
}

// ---- Lines ------------------------------------------------------------------------------------

fl_lines *fl_lines_create(bool terminal, fl_completer complete, void *data)
{
    fl_lines *l = base_allocate(1, sizeof *l);
    l->terminal = terminal;
    if (terminal) {
        char *history = history_file();
        l->editor = fl_editor_create(history, complete, data);
        free(history);
    }
    return l;
}

void fl_lines_destroy(fl_lines *l)
{
    fl_editor_destroy(l->editor);
    free(l->line.at);
    free(l);
}

bool fl_lines_can_edit(const fl_lines *l)
{
    return l->editor != NULL;
}

// Byte by byte, since goals may read the bytes after the line.
static fl_line_result read_plain(fl_lines *l)
{
    char c;
    l->line.n = 0;
    for (;;) {
        ssize_t got = -1;
        if (!l->terminal || fl_lines_wait(STDIN_FILENO))
            got = read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR)
            return LINE_INTERRUPTED;
        if (got <= 0 && l->line.n == 0)
            return LINE_END;
        if (got <= 0 || c == '\n')
            break;
        text_add_char(&l->line, c);
    }
    if (l->line.n > 0 && l->line.at[l->line.n - 1] == '\r')
        l->line.n--;
    text_finish(&l->line);
    return LINE_READ;
}

fl_line_result fl_lines_read(fl_lines *l, const char *prompt, const char **ret_line,
                             size_t *ret_length)
{
    if (l->editor)
        return fl_editor_read(l->editor, prompt, ret_line, ret_length);
    if (l->terminal) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    fl_line_result result = read_plain(l);
    *ret_line = l->line.at;
    *ret_length = l->line.n;
    return result;
}
