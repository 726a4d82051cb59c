// SPDX-License-Identifier: MIT
//
// source_card: a part of a source as a picture has it - numbered lines, some of them marked, and
// beside them how often something happened there. A window puts a text widget over the lines.
#ifndef PAF_SOURCE_CARD_H
#define PAF_SOURCE_CARD_H

#include "paf/draw/picture.h"
#include "profiler/trace.h"

#include <glib.h>

typedef struct {
    bool begins; // something that is counted stands in the line
    uint64_t count;
} paf_line_count;

typedef struct {
    bool there;         // else there is no text to be shown
    paf_rect text;      // where the lines are
    uint32_t source;    // of the trace
    uint32_t line, end; // what it is about
    paf_colour mark;    // behind that
    GArray *counts;     // paf_line_count by line, from 0; NULL: none
} paf_source_view;

// Lines of the source, all of them 0; a number for each.
GArray *paf_line_counts(const trace *t, uint32_t source);
void paf_count_line(GArray *counts, uint32_t line, uint64_t count); // line from 1, or nowhere

// An empty card, with a text in its middle (NULL: none).
void paf_draw_empty_card(paf_picture *pic, const paf_theme *theme, paf_rect card,
                         const char *text);
// Draws what `view` says, from `scroll` lines below those marked; `counted` says what the counts
// are of. Sets view->there and view->text.
void paf_draw_source_card(paf_picture *pic, const paf_theme *theme, paf_rect card, const trace *t,
                          double scroll, const char *counted, paf_source_view *view);

#endif
