// SPDX-License-Identifier: MIT
//
// The analysis of programs that grow: it continues the tables of the program before.
#include "fleng/analyse/additions.h"

#include "fleng/analyse/analyse.h"
#include "fleng/analyse/analysis.h"
#include "vm/memory.h"

// While goals run, only compiled predicates of the library are found.
static void finish(fl_analysis *a)
{
    a->names->analysis = NULL;
    fl_finish_tables(a);
}

fl_program *fl_add_files(const fl_program *before, const char *const *files,
                          const uint32_t *layers, uint32_t nfiles, fl_messages *messages)
{
    fl_analysis *a = vm_alloc(sizeof *a);
    a->messages = messages;
    a->program = vm_alloc(sizeof *a->program);
    a->program->analysis = a;
    a->names = a->program->names = vm_alloc(sizeof *a->names);
    a->program->find = fl_find;
    for (uint32_t i = 0; before && i < before->npredicates; i++)
        FL_PUSH(a->predicates, before->predicates[i]);
    for (uint32_t i = 0; before && i < before->nsources; i++)
        FL_PUSH(a->sources, before->analysis->sources.at[i]);
    a->names->analysis = a;
    fl_add_builtins(a);
    fl_analyse_files(a, files, layers, nfiles);
    fl_build_procedures(a, NULL);
    finish(a);
    return a->program;
}

static void make_head(fl_clause *c)
{
    c->head = vm_alloc((c->nvariables + 1) * sizeof *c->head);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nvariables; i++) {
        const fl_variable *v = &c->variables[i];
        if (*v->name == '_')
            continue;
        fl_term *t = vm_alloc(sizeof *t);
        *t = (fl_term){.kind = FL_VAR, .line = v->line, .column = v->column, .var = i};
        fl_count_variables(c, t, SECTION_HEAD);
        c->head[n++] = t;
    }
    c->predicate->arity = n;
}

bool fl_add_goal(fl_program *p, fl_source *source, const fl_sentence *goal, fl_messages *messages)
{
    fl_analysis *a = p->analysis;
    fl_clause *c = vm_alloc(sizeof *c);
    c->predicate = vm_alloc(sizeof *c->predicate);
    *c->predicate = (vm_predicate){
        .module = a->names->start ? a->names->start->name : "main", .name = "$goal", .cost = 1};
    c->source = a->sources.n;
    FL_PUSH(a->sources, source);
    fl_term_start(goal->term, &c->line, &c->column);
    c->end_line = goal->end_line;
    c->nvariables = goal->nvariables;
    c->variables = goal->variables;
    make_head(c);
    fl_building b = {
        .analysis = a, .module = a->names->start, .source = source, .start = true, .clause = c};
    a->messages = messages;
    a->names->analysis = a;
    fl_build_body(&b, goal->term);
    fl_build_procedures(a, c);
    bool good = fl_error_count(messages) == 0;
    if (good) {
        c->predicate->id = a->predicates.n;
        FL_PUSH(a->predicates, c->predicate);
        p->beginning = c;
    }
    finish(a);
    return good;
}

void fl_add_library_predicate(fl_program *p, const char *name, uint32_t arity)
{
    fl_analysis *a = p->analysis;
    fl_messages *messages = fl_messages_create();
    a->messages = messages;
    a->names->analysis = a;
    fl_library_predicate(a->names, fl_key(name, arity));
    fl_build_procedures(a, NULL);
    finish(a);
    fl_messages_destroy(messages);
}
