// SPDX-License-Identifier: MIT
//
// samples_picture: what the workers of a run did at regular times, where there is no history: how many were
// busy, and below that a row for each worker with what it did.
#ifndef PAF_SAMPLES_PICTURE_H
#define PAF_SAMPLES_PICTURE_H

#include "paf/draw/picture.h"
#include "profiler/samples.h"

typedef struct {
    double width, height; // before the scale factor
    double scale;         // device pixels per pixel
    bool dark;
    bool header;       // draw the line with the file's name and the figures
    const char *title; // the file's name
    double from, to;   // the window of time shown, in nanoseconds
} paf_samples_view;

typedef struct {
    paf_picture *picture;
    paf_rect plot; // its width is the window of time
} paf_samples_picture;

enum { PAF_SAMPLES_ROW = 1, PAF_SAMPLES_CHART }; // what answers: row of worker a; the curve

paf_samples_view paf_samples_fit(const trace_samples *s, double width, double height); // the whole run
double paf_samples_end(const trace_samples *s);                                        // nanoseconds
paf_samples_picture *paf_samples_create(const trace *t, const paf_samples_view *view,
                                        paf_shaped_text *text);
void paf_samples_destroy(paf_samples_picture *p); // NULL: nothing

// The shares of time that the worker spent in each state, in each of n equal parts of [from, to): those of
// state k begin at shares + k * n, where zeros are.
void paf_add_samples(const trace_samples *s, uint32_t worker, double from, double to, uint32_t n,
                     float *shares);
char *paf_samples_summary(const trace *t); // "2 workers · 12.5 ms, ... busy 48 % ..."; g_free()
// "worker 1, 1.2 ms to 1.3 ms: busy 80 %, idle 20 %"; g_free().
char *paf_samples_tell(const trace *t, uint32_t worker, double from, double to);

// Colour means module: states are told by grey. Collecting is the strongest: nobody works then.
paf_colour paf_state_colour(const paf_theme *theme, trace_state state);
extern const char *const paf_state_names[TRACE_STATES];

#endif
