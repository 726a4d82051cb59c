// SPDX-License-Identifier: MIT
//
// surface: a picture as a file. The same picture gives the same bytes: no dates, no names.
#ifndef PAF_SURFACE_H
#define PAF_SURFACE_H

#include "paf/draw/picture.h"

typedef enum { PAF_FILE_PNG, PAF_FILE_SVG, PAF_FILE_PDF, PAF_FILE_JSON, PAF_FILE_UNKNOWN } paf_file_kind;

// By the name's ending. JSON is no file of a picture.
paf_file_kind paf_file_kind_of(const char *path);

// width, height: of the view; scale: device pixels per pixel (PNG; vector files keep the view's
// size). False with *ret_error (to be freed with g_free) if it cannot be written.
bool paf_picture_save(const paf_picture *p, const char *path, double width, double height,
                      double scale, char **ret_error);

#endif
