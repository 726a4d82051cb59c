// SPDX-License-Identifier: MIT
//
// surface: writing a picture to a file. The same picture gives the same bytes: files contain no
// dates and no names.
#ifndef PAF_SURFACE_H
#define PAF_SURFACE_H

#include "paf/draw/picture.h"

typedef enum {
    PAF_FILE_PNG,
    PAF_FILE_SVG,
    PAF_FILE_PDF,
    PAF_FILE_JSON,
    PAF_FILE_HTML,
    PAF_FILE_UNKNOWN
} paf_file_kind;

// By the ending of the name. JSON and HTML files are no pictures.
paf_file_kind paf_file_kind_of(const char *path);

// width, height: of the view. scale: device pixels per pixel of a PNG; vector files keep the size
// of the view. False, with *ret_error (g_free), if the file cannot be written.
bool paf_picture_save(const paf_picture *p, const char *path, double width, double height,
                      double scale, char **ret_error);

#endif
