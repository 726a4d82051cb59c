// SPDX-License-Identifier: MIT
//
// what_if: the pane beside the history that asks what the run would take if something were different. It
// has a switch for each class of reads that the span depends on, a factor for each module, and a slider
// for processors; what comes of them is shown by the canvas (paf_canvas_set_ghost()).
#ifndef PAF_WHAT_IF_H
#define PAF_WHAT_IF_H

#include "iotree/prices.h"
#include "paf/window/canvas.h"

// What the pane begins with, once.
typedef struct {
    bool open; // asked for on the command line
    const iot_operation *operations; // IOT_WITHOUT and IOT_SPEED_UP
    uint32_t n, processors;
} paf_what_if_options;

typedef struct paf_what_if paf_what_if;

// Freed with its widget.
paf_what_if *paf_what_if_create(paf_canvas *canvas, const paf_what_if_options *options);
GtkWidget *paf_what_if_widget(const paf_what_if *p);
// Asks about this session from now on, about nothing (NULL), or about its new analysis, where what is chosen
// stays chosen.
void paf_what_if_show(paf_what_if *p, paf_session *s);
// Called when something was changed there, which can be undone.
typedef void paf_what_if_changed(void *data);
void paf_what_if_on_change(paf_what_if *p, paf_what_if_changed *changed, void *data);
// Along the history of changes: step -1 or 1. False: it ends there. What is undone while the lists are being
// made is chosen once they are there.
bool paf_what_if_undo(paf_what_if *p, int step);
// While it is closed the run is shown as it was.
void paf_what_if_open(paf_what_if *p, bool open);
void paf_what_if_set_dark(paf_what_if *p, bool dark);
bool paf_what_if_settled(const paf_what_if *p); // all that was asked is answered

#endif
