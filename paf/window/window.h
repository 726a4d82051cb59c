// SPDX-License-Identifier: MIT
//
// window: the viewer's window, with its header bar, its pages, and the hint while nothing is open.
#ifndef PAF_WINDOW_H
#define PAF_WINDOW_H

#include <gtk/gtk.h>
#include "paf/window/what_if.h"

#include <stdbool.h>

typedef struct paf_window paf_window;

typedef struct {
    const char *partitions[2]; // for the files opened from the command line, or NULL
    const char *screenshot;    // a PNG to write once all is drawn; the window closes afterwards
    bool dark, light;          // the theme that was asked for; neither: as the desktop
    int width, height;
    const char *bookmark; // of a .view file: how the note begins of what is shown; NULL: the first
    paf_what_if_options what_if;
    const char *clock; // real, virtual, or NULL: the first one of each run
} paf_window_options;

paf_window *paf_window_create(GtkApplication *application, const paf_window_options *options);
// One file: shown; two: compared.
void paf_window_open(paf_window *w, const char *const *paths, int n);
// True if something went wrong that the exit status should tell: a screenshot, or what it was to
// show.
bool paf_window_failed(void);

#endif
