// SPDX-License-Identifier: MIT
//
// Cells are kept as texts until the widths of all columns are known.
#include "kpx-bridge/reports/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/fortran/scan.h"

static void add_cell(kpx_table *t, char *text)
{
    uint32_t column = t->cells.n % t->ncolumns, width = (uint32_t)strlen(text);
    if (width > t->widths[column])
        t->widths[column] = width;
    ARRAY_PUSH(t->cells, text);
}

kpx_table kpx_table_of(uint32_t ncolumns, const char *alignment, const char *const *headings,
                       const uint32_t *widths)
{
    kpx_table t = {.ncolumns = ncolumns, .alignment = alignment};
    memcpy(t.widths, widths, ncolumns * sizeof *widths);
    for (uint32_t i = 0; i < ncolumns; i++)
        add_cell(&t, base_copy(headings[i]));
    return t;
}

void kpx_cell(kpx_table *t, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cell(t, base_copy(text));
}

void kpx_cell_name(kpx_table *t, const char *name)
{
    char *text = base_copy(name && *name ? name : "-");
    for (char *at = text; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f)
            *at = '_';
    add_cell(t, text);
}

void kpx_cell_first(kpx_table *t, const char *name)
{
    char *text = base_copy(name && *name ? name : "-");
    if (strcmp(text, "-") != 0 && (strchr("(.<-=*+#", *text) || (unsigned char)*text >= 0x80))
        *text = '_';
    kpx_cell_name(t, text);
    free(text);
}

void kpx_cell_unit(kpx_table *t, const kpx_totals *totals, uint32_t unit)
{
    const kpx_item *item = unit == KPX_NO_ITEM ? NULL : kpx_totals_get_item(totals, unit);
    char *name = item && item->name ? base_copy(item->name) : NULL;
    bool capitals = item && item->file != KPX_NO_ITEM &&
                    kpx_is_fortran(kpx_totals_get_file(totals, item->file));
    for (char *at = name; at && *at && capitals; at++)
        *at = (char)toupper((unsigned char)*at);
    kpx_cell_first(t, name);
    free(name);
}

void kpx_cell_count(kpx_table *t, int64_t number)
{
    if (number < 0)
        kpx_cell(t, "-");
    else
        kpx_cell(t, "%" PRId64, number);
}

void kpx_cell_line(kpx_table *t, uint32_t number)
{
    kpx_cell_count(t, number > 0 ? (int64_t)number : -1);
}

void kpx_cell_time(kpx_table *t, int64_t nanoseconds, int decimals)
{
    int64_t scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    int64_t rounded = kpx_round(nanoseconds, decimals);
    if (nanoseconds < 0)
        kpx_cell(t, "-");
    else
        kpx_cell(t, "%" PRId64 ".%0*" PRId64, rounded / scale, decimals, rounded % scale);
}

// ---- Printing ---------------------------------------------------------------------------------

void kpx_table_print(const kpx_table *t, FILE *out, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to; row++) {
        char *const *cells = &t->cells.at[row * t->ncolumns];
        uint32_t last = t->ncolumns;
        while (last > 0 && cells[last - 1][0] == '\0')
            last--; // no blanks at the end of a line
        for (uint32_t i = 0; i < last; i++) {
            int width = (int)t->widths[i];
            if (t->alignment[i] == 'r')
                fprintf(out, " %*s", width, cells[i]);
            else
                fprintf(out, " %-*s", i + 1 < last ? width : 0, cells[i]);
        }
        fputc('\n', out);
    }
}

uint32_t kpx_table_rows(const kpx_table *t)
{
    return t->cells.n / t->ncolumns;
}

uint32_t kpx_table_end(const kpx_table *t, uint32_t column)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i <= column; i++)
        end += 1 + t->widths[i];
    return end;
}

uint32_t kpx_table_width(const kpx_table *t)
{
    return kpx_table_end(t, t->ncolumns - 1);
}

void kpx_table_free(kpx_table *t)
{
    for (uint32_t i = 0; i < t->cells.n; i++)
        free(t->cells.at[i]);
    free(t->cells.at);
}

// ---- Numbers ----------------------------------------------------------------------------------

int64_t kpx_round(int64_t nanoseconds, int decimals)
{
    int64_t unit = 1;
    for (int i = decimals; i < 9; i++)
        unit *= 10;
    return nanoseconds / unit + (nanoseconds % unit * 2 >= unit);
}

int64_t kpx_share(int64_t part, int64_t whole, int64_t scale)
{
    if (whole <= 0 || part <= 0)
        return 0;
    __int128 share = ((__int128)part * scale * 2 + whole) / ((__int128)whole * 2);
    return share > INT64_MAX ? INT64_MAX : (int64_t)share;
}
