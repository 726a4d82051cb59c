// SPDX-License-Identifier: MIT
//
// picture: the result of a layout. It is an ordered list of drawing steps, with the places that
// answer to the pointer. Drawing replays the list and computes nothing, so a window, a PNG, an SVG
// and a PDF show the same picture.
//
// Coordinates are pixels of the view before its scale factor, y downwards.
#ifndef PAF_PICTURE_H
#define PAF_PICTURE_H

#include "paf/draw/palette.h"
#include "paf/draw/shaped_text.h"

#include <cairo.h>
#include <stdint.h>

typedef struct {
    double x, y, w, h;
} paf_rect;

bool paf_rect_holds(const paf_rect *r, double x, double y);

typedef enum {
    PAF_STEP_FILL,
    PAF_STEP_STROKE,
    PAF_STEP_TEXT,
    PAF_STEP_CLIP,
    PAF_STEP_UNCLIP
} paf_step_kind;

typedef enum { PAF_MOVE, PAF_LINE, PAF_CURVE, PAF_CLOSE, PAF_BOX, PAF_ROUND_BOX } paf_verb;

// The path of FILL and STROKE: verbs [verb, verb + nverbs), whose coordinates begin at
// `coordinate`.
typedef struct {
    paf_step_kind kind;
    unsigned pattern; // FILL: paf_module_pattern
    bool dashed;      // STROKE
    bool curved;      // STROKE: the path has curves
    paf_colour colour;
    uint32_t verb, nverbs, coordinate;
    double width;      // STROKE
    PangoLayout *text; // TEXT: one reference; its top left corner at (place.x, place.y)
    paf_rect place;    // TEXT: what it covers; CLIP
} paf_step;

// A place that answers to the pointer. The layout says what (kind, a, b) means. `tip` is a text
// that had to be cut and is shown in full when pointed at, or NULL.
typedef struct {
    paf_rect place;
    int kind;
    uint32_t a, b;
    char *tip;
    bool curved;      // it answers near a curve only, which begins and ends at these places
    double curve[4];  // x, y, x, y; upright at both ends
} paf_hit;

typedef struct paf_picture paf_picture;

paf_picture *paf_picture_create(paf_shaped_text *text, double scale);
void paf_picture_destroy(paf_picture *p);

// Rounds to whole device pixels.
double paf_snap(const paf_picture *p, double v);

// Paths. Everything added between two fills or strokes is one path, so many boxes of one colour are
// one step.
void paf_move(paf_picture *p, double x, double y);
void paf_line(paf_picture *p, double x, double y);
void paf_curve(paf_picture *p, double x1, double y1, double x2, double y2, double x, double y);
void paf_close(paf_picture *p);
void paf_box(paf_picture *p, double x, double y, double w, double h);
void paf_round_box(paf_picture *p, double x, double y, double w, double h, double radius);
void paf_fill(paf_picture *p, paf_colour colour, unsigned pattern);
void paf_stroke(paf_picture *p, paf_colour colour, double width);
// Fills and then strokes the same path.
void paf_fill_and_stroke(paf_picture *p, paf_colour fill, unsigned pattern, paf_colour stroke,
                         double width);

void paf_clip(paf_picture *p, paf_rect place); // until paf_unclip; nests
void paf_unclip(paf_picture *p);

// Writes text with its baseline at y. align: 0: it starts at x, 0.5: it is centred there, 1: it
// ends there. It is no wider than `width` if that is > 0; a text that had to be cut gets a hit with
// the whole text. The result is the width that it takes.
double paf_write(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                 double width, double align, const char *string);
// The same for a name, which is cut in its middle: names often differ in their ends ("loop
// heat.c:25").
double paf_write_name(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                      double width, double align, const char *string);
// The same for parts with " · " between them, or, within the first one, ", ": whole parts are left out from
// the end on.
double paf_write_parts(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                       double width, double align, const char *string);
// Wrapped text with its top at y; returns its height.
double paf_write_paragraph(paf_picture *p, paf_text_style style, paf_colour colour, double x,
                           double y, double width, int lines, const char *string);

void paf_add_hit(paf_picture *p, paf_rect place, int kind, uint32_t a, uint32_t b);
// The same of a curve from (x0, y0) to (x1, y1) that leaves and arrives upright: near it.
void paf_add_curve_hit(paf_picture *p, double x0, double y0, double x1, double y1, int kind, uint32_t a,
                       uint32_t b);
// The head of a column, written as by paf_write(), with its legend: what the column has. The hit's kind is
// PAF_HEAD; its tip has the head and below it the legend.
#define PAF_HEAD (-1)
double paf_write_head(paf_picture *p, paf_text_style style, paf_colour colour, double x, double y,
                      double align, const char *string, const char *legend);
// The topmost (last added) hit at the point, or NULL. Hits of kind 0 only carry a tip.
const paf_hit *paf_hit_at(const paf_picture *p, double x, double y);
const char *paf_tip_at(const paf_picture *p, double x, double y);

uint32_t paf_picture_nhits(const paf_picture *p);
const paf_hit *paf_picture_hit(const paf_picture *p, uint32_t i);
uint32_t paf_picture_nsteps(const paf_picture *p);
const paf_step *paf_picture_step(const paf_picture *p, uint32_t i);
paf_shaped_text *paf_picture_text(const paf_picture *p);

// Replays the picture.
void paf_picture_draw(const paf_picture *p, cairo_t *cr);

#endif
