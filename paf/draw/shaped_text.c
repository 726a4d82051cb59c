// SPDX-License-Identifier: MIT
//
// The cache of shaped text, by style, width and string.
#include "paf/draw/shaped_text.h"

#include <string.h>

// Pieces kept; when there are more the cache starts afresh. Far above what one picture shows.
#define MOST_PIECES 6000

struct paf_shaped_text {
    PangoContext *context;
    PangoFontDescription *fonts[PAF_TEXT_STYLES];
    double heights[PAF_TEXT_STYLES];
    GHashTable *pieces; // key text -> PangoLayout
    GString *key;
};

typedef struct {
    double size;
    PangoWeight weight;
    bool mono;
} font_spec;

static const font_spec specs[PAF_TEXT_STYLES] = {
    [PAF_TEXT_TITLE] = {14, PANGO_WEIGHT_BOLD, false},
    [PAF_TEXT_HEAD] = {13, PANGO_WEIGHT_BOLD, false},
    [PAF_TEXT_BODY] = {12, PANGO_WEIGHT_NORMAL, false},
    [PAF_TEXT_STRONG] = {12, PANGO_WEIGHT_BOLD, false},
    [PAF_TEXT_SMALL] = {11, PANGO_WEIGHT_NORMAL, false},
    [PAF_TEXT_CAPS] = {11, PANGO_WEIGHT_SEMIBOLD, false},
    [PAF_TEXT_MONO] = {12, PANGO_WEIGHT_NORMAL, true},
    [PAF_TEXT_MONO_BOLD] = {13, PANGO_WEIGHT_BOLD, true},
    [PAF_TEXT_TINY] = {10, PANGO_WEIGHT_NORMAL, true},
};

static void measure_lines(paf_shaped_text *text)
{
    for (int i = 0; i < PAF_TEXT_STYLES; i++) {
        PangoFontMetrics *m = pango_context_get_metrics(text->context, text->fonts[i], NULL);
        text->heights[i] = (pango_font_metrics_get_ascent(m) + pango_font_metrics_get_descent(m)) /
                           (double)PANGO_SCALE;
        pango_font_metrics_unref(m);
    }
}

paf_shaped_text *paf_shaped_text_create(const char *ui, const char *mono)
{
    paf_shaped_text *text = g_new0(paf_shaped_text, 1);
    text->context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    // Unhinted metrics: text has the same width on screen, on paper and at any scale factor.
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(text->context, options);
    cairo_font_options_destroy(options);
    pango_cairo_context_set_resolution(text->context, 96);
    pango_context_set_round_glyph_positions(text->context, FALSE);
    for (int i = 0; i < PAF_TEXT_STYLES; i++) {
        PangoFontDescription *font = pango_font_description_new();
        const char *family = specs[i].mono ? (mono ? mono
                                                   : "JetBrains Mono, Noto Sans Mono, "
                                                     "DejaVu Sans Mono, monospace")
                                           : (ui ? ui
                                                 : "Noto Sans, Cantarell, DejaVu Sans, "
                                                   "sans-serif");
        pango_font_description_set_family(font, family);
        pango_font_description_set_absolute_size(font, specs[i].size * PANGO_SCALE);
        pango_font_description_set_weight(font, specs[i].weight);
        text->fonts[i] = font;
    }
    measure_lines(text);
    text->pieces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
    text->key = g_string_new(NULL);
    return text;
}

void paf_shaped_text_destroy(paf_shaped_text *text)
{
    if (!text)
        return;
    g_hash_table_destroy(text->pieces);
    g_string_free(text->key, TRUE);
    for (int i = 0; i < PAF_TEXT_STYLES; i++)
        pango_font_description_free(text->fonts[i]);
    g_object_unref(text->context);
    g_free(text);
}

// Control characters (a string constant may hold any) would break lines or shape as nothing.
static char *printable(const char *string)
{
    char *valid = g_utf8_make_valid(string, -1);
    for (char *c = valid; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    return valid;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// What belongs to a number stays in its line: "7 %" and "heat.c:25".
static char *unbroken(const char *string)
{
    static const char space[] = "\u00a0", joiner[] = "\u2060";
    GString *s = g_string_new(NULL);
    for (const char *c = string; *c; c++) {
        bool number = c > string && is_digit(c[-1]);
        if (c[0] == ' ' && c[1] == '%' && number) {
            g_string_append(s, space);
            continue;
        }
        g_string_append_c(s, *c);
        if (c[0] == ':' && c > string && c[-1] != ' ' && is_digit(c[1]))
            g_string_append(s, joiner);
    }
    return g_string_free(s, FALSE);
}

static PangoLayout *shape(paf_shaped_text *text, paf_text_style style, const char *string,
                          double width, int lines, PangoEllipsizeMode cut)
{
    PangoLayout *piece = pango_layout_new(text->context);
    pango_layout_set_font_description(piece, text->fonts[style]);
    if (lines <= 1)
        pango_layout_set_single_paragraph_mode(piece, TRUE);
    char *clean = printable(string), *whole = lines > 1 ? unbroken(clean) : NULL;
    pango_layout_set_text(piece, whole ? whole : clean, -1);
    g_free(whole);
    g_free(clean);
    if (width > 0) {
        pango_layout_set_width(piece, (int)(width * PANGO_SCALE));
        pango_layout_set_ellipsize(piece, cut);
        pango_layout_set_height(piece, -(lines < 1 ? 1 : lines));
        pango_layout_set_wrap(piece, PANGO_WRAP_WORD_CHAR);
    }
    // Figures of one width, so that columns of numbers stand under each other.
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes,
                           pango_attr_font_features_new(specs[style].mono ? "calt=0" : "tnum=1"));
    if (style == PAF_TEXT_CAPS)
        pango_attr_list_insert(attributes, pango_attr_letter_spacing_new(PANGO_SCALE * 3 / 10));
    pango_layout_set_attributes(piece, attributes);
    pango_attr_list_unref(attributes);
    return piece;
}

static PangoLayout *find_piece(paf_shaped_text *text, paf_text_style style, const char *string,
                               double width, int lines, PangoEllipsizeMode cut)
{
    g_string_printf(text->key, "%d %d %d %.1f ", (int)style, lines, (int)cut,
                    width > 0 ? width : 0.0);
    g_string_append(text->key, string);
    PangoLayout *piece = g_hash_table_lookup(text->pieces, text->key->str);
    if (piece)
        return piece;
    if (g_hash_table_size(text->pieces) >= MOST_PIECES)
        g_hash_table_remove_all(text->pieces);
    piece = shape(text, style, string, width, lines, cut);
    g_hash_table_insert(text->pieces, g_strdup(text->key->str), piece);
    return piece;
}

PangoLayout *paf_shaped_text_piece(paf_shaped_text *text, paf_text_style style, const char *string,
                                   double width)
{
    return find_piece(text, style, string, width, 1, PANGO_ELLIPSIZE_END);
}

PangoLayout *paf_shaped_text_name(paf_shaped_text *text, paf_text_style style, const char *string,
                                  double width)
{
    return find_piece(text, style, string, width, 1, PANGO_ELLIPSIZE_MIDDLE);
}

PangoLayout *paf_shaped_text_paragraph(paf_shaped_text *text, paf_text_style style,
                                       const char *string, double width, int lines)
{
    return find_piece(text, style, string, width, lines, PANGO_ELLIPSIZE_END);
}

double paf_shaped_text_width(paf_shaped_text *text, paf_text_style style, const char *string)
{
    int width;
    pango_layout_get_size(paf_shaped_text_piece(text, style, string, 0), &width, NULL);
    return width / (double)PANGO_SCALE;
}

