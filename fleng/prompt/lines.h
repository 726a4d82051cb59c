// SPDX-License-Identifier: MIT
//
// Lines that a user types, or that come from a file or pipe (private to fleng/).
#ifndef FLENG_LINES_H
#define FLENG_LINES_H

#include <stdbool.h>
#include <stddef.h>

// Candidates for what stands before the cursor: texts that may take the place of what follows
// *ret_begin, sorted, NULL at the end, all malloc'ed.
typedef char **(*fl_completer)(void *data, const char *line, size_t cursor, size_t *ret_begin);

typedef struct fl_lines fl_lines;

// terminal: somebody is there: prompts are shown and, where there is a line editor, lines can be
// edited, recalled and completed.
fl_lines *fl_lines_create(bool terminal, fl_completer complete, void *data);
void fl_lines_destroy(fl_lines *l);
bool fl_lines_can_edit(const fl_lines *l);

typedef enum { LINE_READ, LINE_END, LINE_INTERRUPTED } fl_line_result;
// The next line, without its end; valid until the next call. Nothing behind it is read where lines
// come from a pipe, so that goals can read on. An interrupted line is dropped.
fl_line_result fl_lines_read(fl_lines *l, const char *prompt, const char **ret_line,
                             size_t *ret_length);

// Breaks off the reading of the line under way, or of the next one. A signal handler may call it.
void fl_lines_interrupt(void);
void fl_lines_clear_interrupt(void); // forgets that it was called

// ---- The editor (editor.c on libedit, or editor_none.c) ---------------------------------------

typedef struct fl_editor fl_editor;
// file: of the lines of sessions before; NULL: none. NULL: there is no editor.
fl_editor *fl_editor_create(const char *file, fl_completer complete, void *data);
void fl_editor_destroy(fl_editor *e);
// Waits until a byte can be read. False, with errno: fl_lines_interrupt() was called.
bool fl_lines_wait(int fd);
fl_line_result fl_editor_read(fl_editor *e, const char *prompt, const char **ret_line,
                              size_t *ret_length);

#endif
