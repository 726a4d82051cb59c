// SPDX-License-Identifier: MIT
//
// window: the viewer's window - header bar, canvas, what is shown while there is nothing to show.
#ifndef PAF_WINDOW_H
#define PAF_WINDOW_H

#include <gtk/gtk.h>
#include <stdbool.h>

typedef struct paf_window paf_window;

typedef struct {
    const char *partitions[2]; // for the files opened from the command line, or NULL
    const char *screenshot;    // PNG to write once all is drawn, after which the window closes
    bool dark, light;          // asked for; neither: as the desktop
    int width, height;
} paf_window_options;

paf_window *paf_window_create(GtkApplication *application, const paf_window_options *options);
// One file: shown; two: compared.
void paf_window_open(paf_window *w, const char *const *paths, int n);
// What went wrong, for the exit status: a screenshot that could not be written.
bool paf_window_failed(void);

#endif
