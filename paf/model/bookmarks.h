// SPDX-License-Identifier: MIT
//
// bookmarks: what somebody wants to find again in a trace, with a note each, as a text file that the window
// writes beside the trace and that commands replay:
//
//     paf-view 1
//     trace a.paf                     relative to this file
//     partition x=p/2                 if it is not the default one
//     bookmark why it waits here      the note; the lines that follow are its view
//     clock virtual
//     window 17 80
//     select 123                      a reduction
//     focus finding 1
//     fold graph                      a module shown as one band
//
// Lines that begin with # are comments.
#ifndef PAF_BOOKMARKS_H
#define PAF_BOOKMARKS_H

#include "paf/model/focus.h"

typedef struct {
    char *note;
    iot_clock clock;
    double from, to;   // from == to: the whole run
    uint32_t selected; // reduction, or IOT_NONE
    char *focus;       // as text (paf_focus_text), or NULL
    GPtrArray *folded; // names of modules
} paf_bookmark;

typedef struct {
    char *trace;     // as in the file
    char *partition; // as text, or NULL
    GPtrArray *all;  // paf_bookmark
} paf_bookmarks;

bool paf_is_bookmarks(const char *path); // by its name
char *paf_bookmarks_beside(const char *path); // "a.view" for "a.paf"; g_free()
paf_bookmarks *paf_bookmarks_create(const char *path); // of a trace
// NULL and *ret_error (g_free) with file, line and reason if it cannot be read.
paf_bookmarks *paf_bookmarks_read(const char *path, char **ret_error);
bool paf_bookmarks_write(const paf_bookmarks *b, const char *path, char **ret_error);
void paf_bookmarks_free(paf_bookmarks *b); // NULL: nothing
// The trace of bookmarks that were read from the path; g_free().
char *paf_bookmarks_trace(const paf_bookmarks *b, const char *path);
// The first one whose note begins so; NULL: the first one of all. NULL: none.
const paf_bookmark *paf_bookmarks_find(const paf_bookmarks *b, const char *note);
// The view is filled in by the caller. It is the last one then.
paf_bookmark *paf_bookmarks_add(paf_bookmarks *b, const char *note);

#endif
