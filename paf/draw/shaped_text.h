// SPDX-License-Identifier: MIT
//
// shaped_text: a cache of shaped text. Shaping is the expensive part of drawing text, so each piece
// of text is shaped once for each style and width.
#ifndef PAF_SHAPED_TEXT_H
#define PAF_SHAPED_TEXT_H

#include <pango/pangocairo.h>
#include <stdbool.h>

typedef enum {
    PAF_TEXT_TITLE,  // the file's name
    PAF_TEXT_HEAD,   // module names, goal titles in words
    PAF_TEXT_BODY,   // sentences
    PAF_TEXT_STRONG, // body, bold
    PAF_TEXT_SMALL,  // labels, numbers on axes
    PAF_TEXT_CAPS,   // headings of a group
    PAF_TEXT_MONO,   // terms and source
    PAF_TEXT_MONO_BOLD,
    PAF_TEXT_TINY, // terms inside boxes
    PAF_TEXT_STYLES,
} paf_text_style;

typedef struct paf_shaped_text paf_shaped_text;

// ui, mono: font families; NULL: the defaults. Sizes are in pixels of the view, before its scale
// factor.
paf_shaped_text *paf_shaped_text_create(const char *ui, const char *mono);
void paf_shaped_text_destroy(paf_shaped_text *text);

// A piece of text, ellipsized to `width` unless that is <= 0. The cache owns it: take a reference
// to keep it beyond the next call.
PangoLayout *paf_shaped_text_piece(paf_shaped_text *text, paf_text_style style, const char *string,
                                   double width);
// The same for a name, cut in its middle: its end ("heat.c:25") tells it from others.
PangoLayout *paf_shaped_text_name(paf_shaped_text *text, paf_text_style style, const char *string,
                                  double width);
// The piece wrapped to `width`, at most `lines` lines, the last ellipsized.
PangoLayout *paf_shaped_text_paragraph(paf_shaped_text *text, paf_text_style style,
                                       const char *string, double width, int lines);
double paf_shaped_text_width(paf_shaped_text *text, paf_text_style style, const char *string);

#endif
