// SPDX-License-Identifier: MIT
//
// accessible: the places of a picture as objects for assistive technology. Each place that has a name is a
// child of the page's area, with its extents and the action "click".
#ifndef PAF_ACCESSIBLE_H
#define PAF_ACCESSIBLE_H

#include "paf/draw/picture.h"

#include <gtk/gtk.h>

// What the objects ask; `data` is the page's.
typedef struct {
    const paf_picture *(*picture)(void *data);
    // NULL: the place is no object. g_free(); *ret_role: what it is.
    char *(*name)(void *data, const paf_hit *hit, AtkRole *ret_role);
    void (*activate)(void *data, const paf_hit *hit);
} paf_things;

// A drawing area with such children. `things` and `data` have to live as long as it does, or until
// paf_area_forget().
GtkWidget *paf_area_new(const paf_things *things, void *data);
void paf_area_forget(GtkWidget *area);
// There is another picture.
void paf_area_renew(GtkWidget *area);
// Says that the place has the keyboard's focus.
void paf_area_point_at(GtkWidget *area, const paf_hit *hit);

#endif
