// SPDX-License-Identifier: MIT
//
// Drawing lines of a source file with their counts.
#include "paf/layout/source_card.h"

#include "paf/say/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LINE 21.0
#define TOP  28.0 // of the first line
#define REST 34.0 // of the card's height that is not for lines

static const char *find_line(const char *text, uint32_t line)
{
    for (uint32_t i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

static uint32_t count_lines(const char *text)
{
    uint32_t n = 0;
    for (const char *c = text; *c; n++) {
        const char *end = strchr(c, '\n');
        if (!end)
            return n + 1;
        c = end + 1;
    }
    return n;
}

GArray *paf_line_counts(const trace *t, uint32_t source)
{
    GArray *counts = g_array_new(FALSE, TRUE, sizeof(paf_line_count));
    g_array_set_size(counts, count_lines(trace_string(t, trace_get_source(t, source)->text, NULL)));
    return counts;
}

void paf_count_line(GArray *counts, uint32_t line, uint64_t count)
{
    if (line == 0 || line > counts->len)
        return;
    paf_line_count *c = &g_array_index(counts, paf_line_count, line - 1);
    c->begins = true;
    c->count += count;
}

void paf_draw_empty_card(paf_picture *pic, const paf_theme *theme, paf_rect card, const char *text)
{
    paf_round_box(pic, card.x + 0.5, card.y + 0.5, card.w - 1, card.h - 1, 6);
    paf_fill_and_stroke(pic, theme->dark ? theme->lane : theme->card, 0, theme->border, 1);
    if (text)
        paf_write(pic, PAF_TEXT_BODY, theme->quiet, card.x + card.w / 2, card.y + card.h / 2 + 4,
                  card.w - 28, 0.5, text);
}

// The number beside the line, if there is one; returns its width.
static double write_count(paf_picture *pic, const paf_theme *theme, double right, double y,
                          const GArray *counts, uint32_t line)
{
    if (!counts || line > counts->len || !g_array_index(counts, paf_line_count, line - 1).begins)
        return 0;
    uint64_t n = g_array_index(counts, paf_line_count, line - 1).count;
    char *count = paf_number(n);
    double used = paf_write(pic, PAF_TEXT_SMALL, n ? theme->quiet : theme->faint, right, y, 0, 1,
                            count);
    g_free(count);
    return used;
}

static void write_line(paf_picture *pic, const paf_theme *theme, paf_rect card, double y,
                       const GArray *counts, uint32_t line, const char *text)
{
    char *number = g_strdup_printf("%" PRIu32, line);
    paf_write(pic, PAF_TEXT_MONO, theme->faint, card.x + 36, y, 0, 1, number);
    g_free(number);
    double right = card.x + card.w - 14, used = write_count(pic, theme, right, y, counts, line);
    char *cut = g_strndup(text, MIN(strcspn(text, "\r\n"), 400));
    GString *spaces = g_string_new(cut);
    g_string_replace(spaces, "\t", "    ", 0);
    paf_write(pic, PAF_TEXT_MONO, theme->ink, card.x + 48, y, right - used - 16 - (card.x + 48), 0,
              spaces->str);
    g_string_free(spaces, TRUE);
    g_free(cut);
}

// What it is about stands a quarter down, so that what is above it can be read too.
static uint32_t first_line(uint32_t line, double scroll, uint32_t rows, uint32_t nlines)
{
    double first = (double)line - floor(rows / 4.0) + scroll;
    double last = (double)nlines - rows + 1;
    return (uint32_t)fmax(fmin(first, last), 1);
}

void paf_draw_source_card(paf_picture *pic, const paf_theme *theme, paf_rect card, const trace *t,
                          double scroll, const char *counted, paf_source_view *view)
{
    const trace_source *source = trace_get_source(t, view->source);
    const char *text = trace_string(t, source->text, NULL);
    paf_draw_empty_card(pic, theme, card,
                        *text ? NULL : "The source was not found when the run was recorded.");
    char *name = g_path_get_basename(trace_name(t, source->name));
    paf_write(pic, PAF_TEXT_SMALL, theme->quiet, card.x + 14, card.y + 19, card.w * 0.6, 0, name);
    g_free(name);
    paf_write(pic, PAF_TEXT_SMALL, theme->faint, card.x + card.w - 14, card.y + 19, card.w * 0.3, 1,
              counted);
    view->there = *text != 0;
    uint32_t rows = (uint32_t)fmax((card.h - REST) / LINE, 0), nlines = count_lines(text);
    view->text = (paf_rect){card.x + 1, card.y + TOP, card.w - 2, rows * LINE};
    uint32_t line = first_line(view->line, scroll, rows, nlines);
    text = find_line(text, line);
    for (uint32_t i = 0; i < rows && text && *text; i++, line++) {
        double y = card.y + TOP + 16 + i * LINE;
        if (line >= view->line && line <= view->end) {
            paf_box(pic, card.x + 1, y - 14.5, card.w - 2, LINE);
            paf_fill(pic, view->mark, 0);
        }
        write_line(pic, theme, card, y, view->counts, line, text);
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
}
