// SPDX-License-Identifier: MIT
//
// source_card: a part of a source file in a picture: numbered lines, some of them marked, each with
// a count of how often something happened there. The window puts a text widget over the lines.
#ifndef PAF_SOURCE_CARD_H
#define PAF_SOURCE_CARD_H

#include "paf/draw/picture.h"
#include "profiler/trace.h"

#include <glib.h>

typedef struct {
    bool begins; // the line has something that is counted
    uint64_t count;
} paf_line_count;

typedef struct {
    bool there;         // false: there is no text to show
    paf_rect text;      // where the lines are
    uint32_t source;    // of the trace
    uint32_t line, end; // the lines that it is about
    paf_colour mark;    // behind these lines
    GArray *counts;     // paf_line_count by line, from 0; NULL: none
} paf_source_view;

// An array with a count of 0 for each line of the source.
GArray *paf_line_counts(const trace *t, uint32_t source);
void paf_count_line(GArray *counts, uint32_t line, uint64_t count); // line from 1, or nowhere

// An empty card, with a text in its middle (NULL: none).
void paf_draw_empty_card(paf_picture *pic, const paf_theme *theme, paf_rect card,
                         const char *text);
// Draws the source that `view` names, scrolled by `scroll` lines from the marked ones. `counted`
// says what the counts mean. Sets view->there and view->text.
void paf_draw_source_card(paf_picture *pic, const paf_theme *theme, paf_rect card, const trace *t,
                          double scroll, const char *counted, paf_source_view *view);

#endif
