// SPDX-License-Identifier: MIT
//
// palette: the colours of the light and the dark theme. A hue means a module and nothing else;
// amber means "selected" or "last-arriving"; everything else is grey.
#ifndef PAF_PALETTE_H
#define PAF_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double r, g, b, a;
} paf_colour;

typedef struct {
    bool dark;
    paf_colour window;   // behind the charts
    paf_colour panel;    // header and side bar
    paf_colour lane;     // behind the processes
    paf_colour card;     // cards and panes
    paf_colour border;   // of cards
    paf_colour line;     // between regions
    paf_colour grid;     // of the charts
    paf_colour track;    // empty part of a bar
    paf_colour ink;      // text
    paf_colour quiet;    // secondary text
    paf_colour faint;    // unimportant marks
    paf_colour bars;     // overview: all modules together
    paf_colour tree;     // arrows inside a tree
    paf_colour amber;    // selected, last-arriving
    paf_colour on_amber; // text on amber
    paf_colour bad;      // errors
} paf_theme;

const paf_theme *paf_theme_get(bool dark);

// Module 0 (main) is grey. The others take ten hues in order, which colour-blind eyes can tell
// apart. From the eleventh module on the hues repeat, and a pattern tells the modules apart.
paf_colour paf_module_colour(const paf_theme *theme, uint32_t module);
// The same hue for text: dark or light enough to be read on a card.
paf_colour paf_module_ink(const paf_theme *theme, uint32_t module);
// 0: plain; 1, 2, ...: hatched in that direction.
unsigned paf_module_pattern(uint32_t module);

// From 1 to 21; text needs 4.5.
double paf_contrast(paf_colour a, paf_colour b);
paf_colour paf_mix(paf_colour over, paf_colour under, double share); // share of `over`
paf_colour paf_alpha(paf_colour c, double alpha);

#endif
