// SPDX-License-Identifier: MIT
//
// PNG, SVG and PDF by way of cairo.
#include "paf/draw/surface.h"
#include "base/output.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

paf_file_kind paf_file_kind_of(const char *path)
{
    static const struct {
        const char *ending;
        paf_file_kind kind;
    } kinds[] = {{".png", PAF_FILE_PNG},
                 {".svg", PAF_FILE_SVG},
                 {".pdf", PAF_FILE_PDF},
                 {".json", PAF_FILE_JSON},
                 {".html", PAF_FILE_HTML},
                 {".htm", PAF_FILE_HTML}};
    size_t length = strlen(path);
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        size_t n = strlen(kinds[i].ending);
        if (length > n && !g_ascii_strcasecmp(path + length - n, kinds[i].ending))
            return kinds[i].kind;
    }
    return PAF_FILE_UNKNOWN;
}

static cairo_status_t write_file(void *file, const unsigned char *data, unsigned length)
{
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS
                                                   : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_surface(paf_file_kind kind, FILE *file, double width, double height,
                                     double scale)
{
    if (kind == PAF_FILE_PNG) {
        cairo_surface_t *image = cairo_image_surface_create(
            CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
        cairo_surface_set_device_scale(image, scale, scale);
        return image;
    }
    if (kind == PAF_FILE_SVG) {
        cairo_surface_t *svg = cairo_svg_surface_create_for_stream(write_file, file, width, height);
        cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
        return svg;
    }
    // A PDF point is 1/72 inch, a pixel 1/96.
    cairo_surface_t *pdf =
        cairo_pdf_surface_create_for_stream(write_file, file, width * 0.75, height * 0.75);
    cairo_surface_set_device_scale(pdf, 0.75, 0.75);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "paf");
    return pdf;
}

static cairo_status_t finish_surface(cairo_surface_t *surface, paf_file_kind kind, FILE *file)
{
    cairo_status_t status = cairo_surface_status(surface);
    if (status == CAIRO_STATUS_SUCCESS && kind == PAF_FILE_PNG)
        status = cairo_surface_write_to_png_stream(surface, write_file, file);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

// False, and the error becomes one of GLib's.
static bool end_save(base_output *out, char *error, char **ret_error)
{
    base_output_abandon(out);
    *ret_error = g_strdup(error ? error : "out of memory");
    free(error);
    return false;
}

bool paf_picture_save(const paf_picture *p, const char *path, double width, double height,
                      double scale, char **ret_error)
{
    paf_file_kind kind = paf_file_kind_of(path);
    if (kind == PAF_FILE_UNKNOWN || kind == PAF_FILE_JSON || kind == PAF_FILE_HTML) {
        *ret_error = g_strdup_printf("%s: the name must end in .png, .svg or .pdf", path);
        return false;
    }
    char *error = NULL;
    base_output *out = base_output_open(path, BASE_OUTPUT_WHOLE, NULL, &error);
    FILE *file = out ? base_output_stream(out) : NULL;
    if (!file)
        return end_save(out, error, ret_error);
    cairo_surface_t *surface = make_surface(kind, file, width, height, scale);
    cairo_t *cr = cairo_create(surface);
    paf_picture_draw(p, cr);
    cairo_show_page(cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_status_t end = finish_surface(surface, kind, file);
    if (status == CAIRO_STATUS_SUCCESS)
        status = end;
    if (status == CAIRO_STATUS_SUCCESS && base_output_close(out, &error))
        return true;
    if (status == CAIRO_STATUS_SUCCESS)
        return end_save(NULL, error, ret_error);
    *ret_error = g_strdup_printf("%s: cannot write: %s", path, cairo_status_to_string(status));
    base_output_abandon(out);
    return false;
}
