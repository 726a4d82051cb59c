// SPDX-License-Identifier: MIT
//
// From files to the program: the steps in their order, and the beginning of the run.
#include "fleng/analyse/analyse.h"

#include "fleng/analyse/additions.h"
#include "fleng/analyse/analysis.h"
#include "vm/memory.h"

static void load_files(fl_analysis *a, const char *const *files, const uint32_t *layers,
                       uint32_t nfiles)
{
    for (uint32_t i = 0; i < nfiles; i++) {
        const char *reason = NULL;
        fl_unit *unit = fl_load(a, files[i], &reason);
        if (unit) {
            unit->named = true;
            unit->layer = layers ? layers[i] : 0;
        } else {
            fl_place place = {.severity = FL_ERROR, .file = files[i]};
            fl_message(a->messages, &place, "%s: cannot read: %s", files[i], reason);
        }
    }
}

// ---- The beginning ----------------------------------------------------------------------------

static fl_module *start_module(const struct fl_names *names)
{
    for (uint32_t i = 0; i < names->units.n; i++)
        for (uint32_t j = 0; names->units.at[i]->named && j < names->units.at[i]->modules.n; j++)
            if (strcmp(names->units.at[i]->modules.at[j]->name, "main") == 0)
                return names->units.at[i]->modules.at[j];
    for (uint32_t i = 0; i < names->units.n; i++)
        if (names->units.at[i]->modules.n > 0)
            return names->units.at[i]->modules.at[0];
    return NULL;
}

static void begin_with_goal(fl_building *b, const char *text)
{
    fl_analysis *a = b->analysis;
    fl_source *source = fl_source_from_text("-e", text, strlen(text));
    source->kl1 = a->names->units.n > 0 && a->names->units.at[0]->source->kl1;
    b->source = source;
    b->clause->source = a->sources.n;
    FL_PUSH(a->sources, source);
    const char *at = source->text, *end = at + source->length;
    fl_term *goal, *more;
    uint32_t nmore;
    fl_variable *variables;
    int result = fl_read_term(source, &at, end, &goal, &b->clause->nvariables,
                              &b->clause->variables, a->messages);
    if (result == 0)
        fl_error(a->messages, source, 1, 1, "a goal is expected here");
    if (result <= 0)
        return;
    if (fl_read_term(source, &at, end, &more, &nmore, &variables, NULL) != 0) {
        fl_error(a->messages, source, 1, 1, "-e takes one goal, or several with `,` between them");
        return;
    }
    b->clause->end_line = 1;
    fl_build_body(b, goal);
}

const char fl_main_if_any[] = "main";

// wanted: it is an error if there is none.
static void begin_with_main(fl_building *b, bool wanted)
{
    fl_analysis *a = b->analysis;
    const fl_module *m = b->module;
    const fl_definition *d = m ? (fl_definition *)fl_look_up(&m->defined, "main/0", 6) : NULL;
    if (!d) {
        if (m && wanted && !fl_look_up(&a->skipped, "main", 4))
            fl_error(a->messages, NULL, 0, 0,
                     "the module %s defines no main/0 to begin with; the option -e names another "
                     "goal to run",
                     m->name);
        return;
    }
    const fl_raw_clause *first = &d->clauses.at[0];
    b->clause->source = first->source_number;
    b->clause->end_line = first->sentence.end_line;
    fl_item item = {.predicate = d->predicate};
    fl_term_start(first->head, &item.line, &item.column);
    b->clause->line = item.line;
    b->clause->column = item.column;
    FL_PUSH(b->items, item);
    b->clause->nitems = 1;
    b->clause->items = b->items.at;
}

static fl_clause *build_beginning(fl_analysis *a, vm_predicate *start, const char *goal)
{
    fl_clause *c = vm_alloc(sizeof *c);
    c->predicate = start;
    c->line = c->column = 1;
    fl_building b = {.analysis = a, .module = a->names->start, .start = true, .clause = c};
    if (goal && goal != fl_main_if_any)
        begin_with_goal(&b, goal);
    else
        begin_with_main(&b, !goal);
    return c;
}

// ---- The program ------------------------------------------------------------------------------

static fl_procedure build_procedure(fl_analysis *a, fl_definition *d)
{
    fl_procedure q = {.predicate = d->predicate, .nclauses = d->clauses.n};
    q.clauses = vm_alloc((d->clauses.n + 1) * sizeof *q.clauses);
    for (uint32_t k = 0; k < d->clauses.n; k++)
        q.clauses[k] = fl_build_clause(a, d, &d->clauses.at[k], k + 1);
    return q;
}

static bool makes_goals(const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const vm_predicate *p = c->items[i].predicate;
        if (p && p->builtin && strcmp(p->name, "call") == 0)
            return true;
    }
    return false;
}

// Definitions grow while their clauses are built, by what these reach of the library.
static void build_definitions(fl_analysis *a)
{
    while (a->built.n < a->definitions.n) {
        fl_procedure q = build_procedure(a, a->definitions.at[a->built.n]);
        for (uint32_t k = 0; k < q.nclauses; k++)
            a->makes_goals |= makes_goals(q.clauses[k]);
        FL_PUSH(a->built, q);
    }
}

// If the program makes goals while it runs, what these may mean is reached, too.
void fl_build_procedures(fl_analysis *a, const fl_clause *beginning)
{
    build_definitions(a);
    a->makes_goals |= beginning && makes_goals(beginning);
    if (a->makes_goals)
        fl_library_reach_used(a);
    if (a->makes_goals && beginning)
        fl_library_reach_named(a, beginning);
    for (; a->makes_goals && a->nreached < a->built.n; a->nreached++) {
        const fl_procedure q = a->built.at[a->nreached];
        for (uint32_t k = 0; k < q.nclauses; k++)
            fl_library_reach_named(a, q.clauses[k]);
        build_definitions(a);
    }
    build_definitions(a);
    a->program->nprocedures = a->built.n;
    a->program->procedures = a->built.at;
}

void fl_analyse_files(fl_analysis *a, const char *const *files, const uint32_t *layers,
                      uint32_t nfiles)
{
    load_files(a, files, layers, nfiles);
    fl_collect(a);
    a->names->start = start_module(a->names);
}

void fl_finish_tables(fl_analysis *a)
{
    fl_program *p = a->program;
    p->nsources = a->sources.n;
    p->sources = vm_alloc((p->nsources + 1) * sizeof *p->sources);
    for (uint32_t i = 0; i < p->nsources; i++)
        p->sources[i] = *a->sources.at[i];
    p->npredicates = a->predicates.n;
    p->predicates = a->predicates.at;
}

fl_program *fl_analyse_layers(const char *const *files, const uint32_t *layers, uint32_t nfiles,
                              const char *goal, fl_messages *messages)
{
    fl_analysis a = {.messages = messages};
    a.program = vm_alloc(sizeof *a.program);
    a.names = a.program->names = vm_alloc(sizeof *a.names);
    a.program->find = fl_find;
    a.names->analysis = &a;
    fl_add_builtins(&a);
    vm_predicate *start = fl_add_predicate(&a, NULL, "$goal", 0);
    fl_analyse_files(&a, files, layers, nfiles);
    start->module = a.names->start ? a.names->start->name : "main";
    build_definitions(&a);
    a.program->beginning = build_beginning(&a, start, goal);
    fl_build_procedures(&a, a.program->beginning);
    fl_finish_tables(&a);
    a.names->analysis = NULL;
    return a.program;
}

fl_program *fl_analyse(const char *const *files, uint32_t nfiles, const char *goal,
                       fl_messages *messages)
{
    return fl_analyse_layers(files, NULL, nfiles, goal, messages);
}
