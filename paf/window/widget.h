// SPDX-License-Identifier: MIT
//
// widget: the plumbing of a page. A page has a state and shows a picture of it; the widget draws
// the picture and hands on what the pointer does to it. It keeps track of drags, sets the cursor,
// shows tips, and has the picture made anew before the next frame. The page says what these things
// mean.
#ifndef PAF_WIDGET_H
#define PAF_WIDGET_H

#include "paf/window/accessible.h"

#include <gtk/gtk.h>

typedef struct paf_widget paf_widget;

// What a page answers. `page` is its state; `hit` is the topmost place of the picture at the
// pointer, or NULL. Functions that say "optional" may be NULL.
typedef struct {
    // The picture to be drawn, or NULL.
    const paf_picture *(*picture)(void *page);
    // Draws over it what moves with the pointer, so that no other picture is needed. Optional.
    void (*draw_over)(void *page, cairo_t *cr);
    // False: the page ignores the pointer for now.
    bool (*answers)(void *page);
    // Makes a new picture. The state, the size or the scale has changed.
    void (*refresh)(void *page);
    // A button is pressed (e->type tells double clicks). True: it begins a drag.
    bool (*press)(void *page, const paf_hit *hit, const GdkEventButton *e);
    // The pointer has moved during a drag, more than `slop` pixels from its beginning.
    void (*drag)(void *page, double x, double y);
    double slop;
    // A button is released. dragged: the drag went further than `slop`.
    void (*release)(void *page, const paf_hit *hit, const GdkEventButton *e, bool dragged);
    // The release of a button will not come. Optional.
    void (*give_up)(void *page);
    // The pointer has moved; or it has left: x and y are NAN.
    void (*hover)(void *page, const paf_hit *hit, double x, double y);
    // The cursor's name in CSS.
    const char *(*cursor)(void *page, const paf_hit *hit);
    // What is shown if the pointer rests (g_free), or NULL. A text that had to be cut goes first.
    char *(*tip)(void *page, const paf_hit *hit, double x, double y);
    // The wheel has turned by so many clicks, or a smooth device by parts of one.
    void (*wheel)(void *page, const paf_hit *hit, const GdkEventScroll *e, double dx, double dy);
    // What a place is called and what it is, NULL: it is nothing by itself; and what a click on it does.
    char *(*name)(void *page, const paf_hit *hit, AtkRole *ret_role);
    void (*activate)(void *page, const paf_hit *hit);
    // Does the ring of the keyboard stop there? Optional: it has none.
    bool (*stops)(void *page, const paf_hit *hit);
    // The GTK widget is gone. The paf_widget is freed afterwards.
    void (*gone)(void *page);
} paf_page;

// Called with a few words for the user, mostly why a key does nothing.
typedef void paf_noted(void *data, const char *text);

// page: static. Freed with the GTK widget.
paf_widget *paf_widget_create(const paf_page *page, void *data);
GtkWidget *paf_widget_area(const paf_widget *w);
void paf_widget_on_note(paf_widget *w, paf_noted *noted, void *data);
void paf_widget_note(paf_widget *w, const char *text);

// Has the picture made anew before the next frame is painted, after the events that led to it.
void paf_widget_invalidate(paf_widget *w);
bool paf_widget_is_invalid(const paf_widget *w);
bool paf_widget_is_dragged(const paf_widget *w);
// There is another picture now.
void paf_widget_drawn(paf_widget *w);
// The ring of the keyboard: around the next place (1), or the one before (-1). False: there is none.
bool paf_widget_move_ring(paf_widget *w, int step);
bool paf_widget_has_ring(const paf_widget *w);
void paf_widget_drop_ring(paf_widget *w);
void paf_widget_press_ring(paf_widget *w);
// The texts of the picture within a place, one after the other; g_free().
char *paf_widget_texts(const paf_picture *picture, const paf_rect *place);
// Counts what the user has asked for and what waits for a worker, by 1 or -1; the cursor shows it.
void paf_widget_wait(paf_widget *w, int change);

// A popover that points at a place of the picture. When it is closed it is destroyed, and keys go
// to the page again.
GtkWidget *paf_widget_popover(paf_widget *w, const GdkRectangle *at, GtkWidget *content);

#endif
