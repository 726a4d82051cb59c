// SPDX-License-Identifier: MIT
//
// Finds where the program calls the library, for messages about goals in the library's own clauses.
#include "fleng/explain/report.h"

#include "fleng/reader/collected.h"

#include <stdlib.h>

enum { SHOWN_CALLERS = 3 };

typedef ARRAY_OF(const fl_item *) items;

typedef struct {
    const fl_program *program;
    bool *within; // by predicate: of the library, and may have led there
    items found;  // goals of the program that call one of these
    ARRAY_OF(const fl_clause *) clauses; // of these goals
} search;

// True if a library predicate was added.
static bool look_into(search *s, const fl_clause *c)
{
    bool library = s->program->sources[c->source].library, more = false;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const vm_predicate *p = c->items[i].predicate;
        if (!p || !s->within[p->id])
            continue;
        if (!library) {
            FL_PUSH(s->found, &c->items[i]);
            FL_PUSH(s->clauses, c);
        } else if (!s->within[c->predicate->id]) {
            more = s->within[c->predicate->id] = true;
        }
    }
    return more;
}

// All clauses are gone through again until nothing is new: libraries are shallow.
static void find_callers(search *s)
{
    const fl_program *p = s->program;
    for (bool more = true; more;) {
        more = false;
        s->found.n = s->clauses.n = 0;
        for (uint32_t i = 0; i < p->nprocedures; i++)
            for (uint32_t k = 0; k < p->procedures[i].nclauses; k++)
                more |= look_into(s, p->procedures[i].clauses[k]);
        if (p->beginning)
            more |= look_into(s, p->beginning);
    }
}

void fl_report_library_callers(const fl_report_context *c, vm_origin place, const char *indent)
{
    fl_place at;
    if (!fl_find_place(c, place, &at) || !at.source->library)
        return;
    const vm_predicate *called = c->code->clauses[place.clause]->predicate;
    search s = {.program = c->program};
    s.within = vm_alloc_atomic(c->program->npredicates + 1);
    memset(s.within, 0, c->program->npredicates + 1);
    s.within[called->id] = true;
    find_callers(&s);
    for (uint32_t i = 0; i < s.found.n && i < SHOWN_CALLERS; i++) {
        const fl_item *item = s.found.at[i];
        fl_place call = {.source = &c->program->sources[s.clauses.at[i]->source],
                         .line = item->line,
                         .column = item->column};
        fprintf(c->out, "%s%s in %s:%u:%u:\n", indent, i ? "or" : "called from the program",
                call.source->name, call.line, call.column);
        char *text = fl_excerpt(&call, c->colour, fl_format("%s  ", indent));
        fputs(text, c->out);
        free(text);
    }
    if (s.found.n > SHOWN_CALLERS)
        fprintf(c->out, "%sor in %zu more places\n", indent, s.found.n - SHOWN_CALLERS);
}
