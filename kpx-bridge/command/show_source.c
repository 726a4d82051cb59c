// SPDX-License-Identifier: MIT
//
// kpx-bridge build --source: a source in Fortran with remarks where it would be measured.
#include "kpx-bridge/command/show_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "kpx-bridge/fortran/scan.h"
#include "kpx-bridge/log/file.h"
#include "kpx-bridge/log/names.h"

// Stands before the line, or behind it. Of those at one place the order is that in which they were added, of
// ends the other way round: what began last ends first.
typedef struct {
    uint32_t line, order;
    bool behind;
    char *text;
} remark;

typedef ARRAY_OF(remark) remarks;

static void add(remarks *r, uint32_t line, bool behind, char *text)
{
    ARRAY_PUSH(*r, ((remark){line, (uint32_t)r->n, behind, text}));
}

static int by_place(const void *a, const void *b)
{
    const remark *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->behind != y->behind)
        return x->behind ? 1 : -1;
    int order = x->order < y->order ? -1 : 1;
    return x->behind ? -order : order;
}

static bool is_executed(const kpx_unit *u)
{
    return u->kind != KPX_UNIT_OTHER && u->kind != KPX_UNIT_ENTRY;
}

static void add_units(remarks *r, const kpx_scan *s)
{
    for (uint32_t i = 0; i < s->units.n; i++) {
        const kpx_unit *u = &s->units.at[i];
        if (!is_executed(u))
            continue;
        add(r, u->line, false, base_format("%s: counted and timed from its first executable statement", u->name));
        add(r, u->last_line, true, base_format("%s: until here, or until it returns or stops", u->name));
    }
}

static void add_loops(remarks *r, const kpx_scan *s)
{
    for (uint32_t i = 0; i < s->loops.n; i++) {
        const kpx_do_loop *d = &s->loops.at[i];
        const char *unit = s->units.at[d->unit].name;
        if (d->kind == KPX_DO_CONCURRENT)
            continue;
        const char *how = d->definite ? "its iterations are known here" : "its iterations are counted in it";
        char *label = d->label ? base_format(" (%u)", d->label) : base_copy("");
        add(r, d->line, false, base_format("%s: loop %u%s begins, %s", unit, d->seq, label, how));
        add(r, d->last_line, true, base_format("%s: loop %u%s ends%s", unit, d->seq, label,
                                               d->definite ? "" : ", if nothing left it before"));
        free(label);
    }
}

static void add_statements(remarks *r, const kpx_scan *s)
{
    for (uint32_t i = 0; i < s->ios.n; i++) {
        const kpx_io_statement *io = &s->ios.at[i];
        const char *unit = s->units.at[io->unit].name;
        add(r, io->line, false, base_format("%s: %s %u begins, unit %s", unit, io->kind, io->seq,
                                            *io->number ? io->number : "-"));
        add(r, io->last_line, true, base_format("%s: %s %u ends", unit, io->kind, io->seq));
    }
}

static void put_remarks(const remarks *r, size_t *at, uint32_t line, bool behind, const char *begin, FILE *out)
{
    for (; *at < r->n && r->at[*at].line == line && r->at[*at].behind == behind; ++*at)
        fprintf(out, "%s kpx: %s\n", begin, r->at[*at].text);
}

static void put_lines(const remarks *r, const char *text, size_t length, bool fixed, FILE *out)
{
    size_t next = 0;
    uint32_t line = 1;
    for (const char *at = text, *end = text + length; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = stop ? (size_t)(stop - at) + 1 : (size_t)(end - at);
        put_remarks(r, &next, line, false, fixed ? "C" : "!", out);
        fwrite(at, 1, n, out);
        if (!stop)
            fputc('\n', out);
        put_remarks(r, &next, line, true, fixed ? "C" : "!", out);
        at += n;
    }
}

bool kpx_show_source(const kpx_build_options *o, const char *path, FILE *out, char **ret_error)
{
    size_t length;
    errno = 0;
    char *text = kpx_read_source(path, &length);
    bool is_fortran = kpx_is_fortran(path);
    kpx_scan_form form = kpx_fortran_form(path);
    kpx_scan *scan = text && is_fortran ? kpx_scan_fortran(text, length, form) : NULL;
    if (!scan) {
        *ret_error = base_format("%s: %s", path, !text          ? errno ? strerror(errno) : "it is not a file"
                                                 : !is_fortran ? "it is no source in Fortran"
                                                               : strerror(ENOMEM));
        free(text);
        return false;
    }
    remarks r = {0};
    if (!o->no_routines)
        add_units(&r, scan);
    if (!o->no_loops)
        add_loops(&r, scan);
    if (!o->no_io)
        add_statements(&r, scan);
    if (r.n > 0)
        qsort(r.at, r.n, sizeof *r.at, by_place);
    put_lines(&r, text, length, form.fixed, out);
    for (size_t i = 0; i < r.n; i++)
        free(r.at[i].text);
    free(r.at);
    kpx_scan_destroy(scan);
    free(text);
    return true;
}
