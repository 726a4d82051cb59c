// SPDX-License-Identifier: MIT
//
// The options of `paf export --view table`: which rows, of which nodes, and the scale.
#include "paf/commands/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *choose_kind(const trace_totals *totals, const char *text, paf_bars_view *view)
{
    static const char *const names[] = {"units", "loops", "io", "calls"};
    static const char *const of_fleng[] = {"predicates", "", "", "modules"};
    bool fleng = paf_is_fleng_history(totals);
    if (text && strcmp(text, "ignored") == 0) {
        view->show_ignored = true;
        return NULL;
    }
    for (int k = 0; text && k < TRACE_TOTAL_KINDS; k++)
        if (strcmp(text, names[k]) == 0 || (fleng && *text && strcmp(text, of_fleng[k]) == 0)) {
            view->table = (trace_total_kind)k;
            return totals->tables[k].observed ? NULL
                                              : g_strdup_printf("%s were not observed", names[k]);
        }
    return text ? g_strdup_printf(fleng ? "no such table: %s (predicates, modules, ignored)"
                                        : "no such table: %s (units, loops, io, calls, ignored)",
                                  text)
                : NULL;
}

static char *choose_group(const char *text, paf_bars_view *view)
{
    static const char *const names[] = {"statements", "units", "files"};
    for (int k = 0; text && k < PAF_IO_GROUPS; k++)
        if (strcmp(text, names[k]) == 0) {
            view->group = (paf_io_group)k;
            return NULL;
        }
    return text ? g_strdup_printf("no such group: %s (statements, units, files)", text) : NULL;
}

static char *choose_nodes(const trace_totals *totals, const char *text, paf_bars_view *view)
{
    static const char *const names[] = {"mean", "min", "max", "sum"};
    char *end;
    if (!text)
        return NULL;
    for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(text, names[i]) == 0) {
            view->nodes = PAF_NODES_MEAN + i;
            return NULL;
        }
    errno = 0;
    long long number = strtoll(text, &end, 10);
    uint32_t node = errno || end == text || *end ? TRACE_NONE : trace_find_node(totals, number);
    if (node == TRACE_NONE) {
        char there[160];
        trace_describe_nodes(totals, there, sizeof there);
        return g_strdup_printf("no such process: %s (%s; or sum, max, min, mean)", text, there);
    }
    view->nodes = node;
    return NULL;
}

static char *choose_unit(const trace *t, const trace_totals *totals, const char *text,
                         paf_bars_view *view)
{
    for (uint32_t i = 0; text && i < totals->ntotals; i++) {
        const trace_total *p = &totals->totals[i];
        const char *name = paf_total_text(t, p->name);
        if (p->kind == TT_UNIT && name && g_ascii_strcasecmp(name, text) == 0) {
            view->unit = i;
            view->table = view->table == TT_UNIT ? TT_LOOP : view->table;
            return NULL;
        }
    }
    return text ? g_strdup_printf("no unit of that name: %s", text) : NULL;
}

static char *choose_selected(const trace *t, const trace_totals *totals, const char *text,
                             paf_bars_view *view)
{
    for (uint32_t i = 0; text && i < totals->ntotals; i++) {
        char *place = paf_total_place(t, &totals->totals[i]);
        bool found = place && strcmp(place, text) == 0;
        g_free(place);
        if (found && (view->selected == TRACE_NONE || totals->totals[i].kind == view->table))
            view->selected = i;
    }
    return text && view->selected == TRACE_NONE ? g_strdup_printf("nothing is at %s", text) : NULL;
}

// Whole names: `SRC`, `loop 20 of PSH2`. Fortran does not tell cases apart.
static char *choose_ignored(const trace *t, const trace_totals *totals, const char *text,
                            paf_bars_view *view, uint8_t *ignored)
{
    char **names = g_strsplit(text ? text : "", ",", 0), *wrong = NULL;
    for (char **name = names; *name && !wrong; name++) {
        bool found = false;
        for (uint32_t i = 0; i < totals->ntotals; i++) {
            char *own = paf_total_name(t, totals, &totals->totals[i]);
            if (g_ascii_strcasecmp(own, g_strstrip(*name)) == 0)
                ignored[i] = found = true;
            g_free(own);
        }
        if (!found)
            wrong = g_strdup_printf("nothing is named %s", *name);
    }
    view->ignored = ignored;
    g_strfreev(names);
    return wrong;
}

char *paf_choose_table(const trace *t, const trace_totals *totals, const paf_table_options *o,
                       paf_bars_view *view, uint8_t *ignored)
{
    char *wrong = choose_kind(totals, o->table, view);
    if (!wrong)
        wrong = choose_group(o->group, view);
    if (!wrong)
        wrong = choose_nodes(totals, o->node, view);
    if (!wrong)
        wrong = choose_unit(t, totals, o->unit, view);
    if (!wrong)
        wrong = choose_selected(t, totals, o->selected, view);
    if (!wrong)
        wrong = choose_ignored(t, totals, o->ignored, view, ignored);
    view->counts = o->counts;
    view->figure = o->figure;
    view->maximum = o->maximum;
    return wrong;
}
