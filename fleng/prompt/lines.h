// SPDX-License-Identifier: MIT
//
// Lines from a terminal, a file or a pipe.
#ifndef FLENG_LINES_H
#define FLENG_LINES_H

#include <stdbool.h>
#include <stddef.h>

// Completions of the text before the cursor: candidates to replace the text from *ret_begin on,
// sorted, NULL at the end, all malloc'ed.
typedef char **(*fl_completer)(void *data, const char *line, size_t cursor, size_t *ret_begin);

typedef struct fl_lines fl_lines;

// terminal: a user reads and types. Then prompts are shown and, with a line editor, lines can be
// edited, recalled and completed.
fl_lines *fl_lines_create(bool terminal, fl_completer complete, void *data);
void fl_lines_destroy(fl_lines *l);
bool fl_lines_can_edit(const fl_lines *l);

typedef enum { LINE_READ, LINE_END, LINE_INTERRUPTED } fl_line_result;
// The next line, without its end; valid until the next call. From a pipe no byte after the line is
// read, so that goals can read on. An interrupted line is dropped.
fl_line_result fl_lines_read(fl_lines *l, const char *prompt, const char **ret_line,
                             size_t *ret_length);

// Interrupts the reading of the current line, or of the next one. A signal handler may call it.
void fl_lines_interrupt(void);
void fl_lines_clear_interrupt(void); // for lines that are read from now on

// ---- The editor (editor.c on libedit, or editor_none.c) ---------------------------------------

typedef struct fl_editor fl_editor;
// file: keeps the lines of earlier sessions; NULL: none. Returns NULL if there is no editor.
fl_editor *fl_editor_create(const char *file, fl_completer complete, void *data);
void fl_editor_destroy(fl_editor *e);
// Waits until a byte can be read. False, with errno: fl_lines_interrupt() was called.
bool fl_lines_wait(int fd);
fl_line_result fl_editor_read(fl_editor *e, const char *prompt, const char **ret_line,
                              size_t *ret_length);

#endif
