// SPDX-License-Identifier: MIT
//
// Terms, goals and places in the words of the source.
#include "fleng/explain/report.h"

#include "fleng/compile/template.h"
#include "vm/look.h"
#include "vm/print.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_CELLS = 24 }; // of a term

// ---- Text -------------------------------------------------------------------------------------

const char *fl_short_text(fl_report_context *c, vm_word term, uint32_t max_cells)
{
    vm_print_options options = {.quoted = true,
                                .max_cells = max_cells,
                                .variable_name = fl_name_variable,
                                .data = &c->namer};
    size_t length;
    char *text = vm_term_text(term, &options, &length);
    return fl_shorten(text, length);
}

const char *fl_value_text(fl_report_context *c, vm_word term)
{
    return fl_short_text(c, term, SHOWN_CELLS);
}

const char fl_the_beginning[] = "the goal that the run began with";

bool fl_is_conditional(const vm_predicate *p)
{
    return !p->builtin && !p->library && strchr(p->name, '$') > p->name;
}

// `the conditional of main, with X = 1, Y = a`: the arguments are the variables that it shares with
// the rest of its clause. Those that have no value yet are left out.
static const char *conditional_text(fl_report_context *c, const vm_goal *goal)
{
    const vm_predicate *p = goal->predicate;
    const fl_template *branch = p->nclauses > 0 ? p->clauses[0]->info : NULL;
    const char *text =
        fl_format("the conditional of %.*s", (int)strcspn(p->name, "$"), p->name);
    bool any = false;
    for (uint32_t i = 0; branch && i < p->arity; i++) {
        const fl_term *shared = branch->clause->head[i];
        vm_word value = vm_value(goal->args[i]);
        if (shared->kind != FL_VAR || vm_tag(value) == TAG_REF)
            continue;
        text = fl_format("%s%s%s = %s", text, any ? ", " : ", with ",
                         branch->clause->variables[shared->var].name, fl_value_text(c, value));
        any = true;
    }
    return text;
}

// The arithmetic of KL1 that is written as a goal, such as add(X, Y, Z), has become `Z := X + Y`.
// The name at its place in the source; NULL: it is written as it is.
static const char *written_name(const fl_report_context *c, const vm_goal *goal)
{
    static const char *const names[] = {"add", "subtract", "multiply", "divide", "modulo"};
    fl_place at;
    vm_word sum = goal->nargs == 2 ? vm_value(goal->args[1]) : 0;
    if (strcmp(goal->predicate->name, ":=") != 0 || vm_tag(sum) != TAG_STRUCT ||
        vm_arguments(sum) != 2 || !fl_find_place(c, goal->site, &at))
        return NULL;
    size_t left;
    const char *text = fl_source_at(at.source, at.line, at.column, &left);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (n < left && memcmp(text, names[i], n) == 0 && text[n] == '(')
            return names[i];
    }
    return NULL;
}

const char *fl_called_text(const fl_report_context *c, const vm_goal *goal)
{
    const char *written = written_name(c, goal);
    return written ? fl_format("%s/3", written) : fl_predicate_text(goal->predicate);
}

const char *fl_goal_text(fl_report_context *c, const vm_goal *goal)
{
    const vm_predicate *p = goal->predicate;
    const char *written = written_name(c, goal);
    if (fl_is_conditional(p))
        return conditional_text(c, goal);
    uint32_t name = vm_atom_intern(p->name, strlen(p->name));
    if (strcmp(p->name, "$goal") == 0)
        return fl_the_beginning;
    if (p->arity == 0)
        return fl_value_text(c, vm_atom(name));
    if (written) {
        vm_word sum = vm_value(goal->args[1]);
        vm_word args[] = {vm_argument(sum, 0), vm_argument(sum, 1), goal->args[0]};
        uint32_t atom = vm_atom_intern(written, strlen(written));
        return fl_value_text(c, vm_make_struct(NULL, vm_functor(atom, 3), args));
    }
    const char *colon = p->builtin && *p->name != ':' ? strchr(p->name, ':') : NULL;
    if (!colon)
        return fl_value_text(c, vm_make_struct(NULL, vm_functor(name, p->arity), goal->args));
    vm_word module = vm_atom(vm_atom_intern(p->name, (size_t)(colon - p->name)));
    name = vm_atom_intern(colon + 1, strlen(colon + 1));
    vm_word within = vm_make_struct(NULL, vm_functor(name, p->arity), goal->args);
    vm_word path[2] = {module, within};
    uint32_t of = vm_atom_intern(":", 1);
    return fl_value_text(c, vm_make_struct(NULL, vm_functor(of, 2), path));
}

const char *fl_predicate_text(const vm_predicate *p)
{
    if (fl_is_conditional(p))
        return fl_format("a conditional of %.*s", (int)strcspn(p->name, "$"), p->name);
    return fl_format("%s/%u", p->name, p->arity);
}

// ---- Places -----------------------------------------------------------------------------------

bool fl_find_place(const fl_report_context *c, vm_origin place, fl_place *ret_place)
{
    if (place.clause >= c->code->nclauses)
        return false;
    const vm_clause *clause = c->code->clauses[place.clause];
    *ret_place = (fl_place){.source = &c->program->sources[clause->source],
                            .line = clause->line,
                            .column = clause->column};
    if (place.index < clause->nitems) {
        ret_place->line = clause->sites[place.index].line;
        ret_place->column = clause->sites[place.index].column;
    }
    return true;
}

const fl_item *fl_item_of(const fl_report_context *c, const vm_goal *goal,
                          const fl_clause **ret_clause)
{
    if (goal->site.clause >= c->code->nclauses)
        return NULL;
    const fl_template *made = c->code->clauses[goal->site.clause]->info;
    if (goal->site.index >= made->clause->nitems)
        return NULL;
    *ret_clause = made->clause;
    const fl_item *item = &made->clause->items[goal->site.index];
    return item->predicate == goal->predicate ? item : NULL;
}

const char *fl_place_text(const fl_report_context *c, vm_origin place)
{
    fl_place found;
    if (!fl_find_place(c, place, &found))
        return "a built-in";
    return fl_format("%s:%u:%u", found.source->name, found.line, found.column);
}

void fl_report_at(fl_report_context *c, vm_origin place, const fl_place *other,
                  const char *message)
{
    fl_place found = {0};
    fl_find_place(c, place, &found);
    if (other) {
        found.other_line = other->other_line;
        found.other_column = other->other_column;
        found.other_width = other->other_width;
    }
    fl_messages *m = fl_messages_create();
    fl_message(m, &found, "%s", message);
    char *text = fl_messages_text(m, c->colour);
    fputs(text, c->out);
    free(text);
    fl_messages_destroy(m);
}

void fl_report_excerpt(const fl_report_context *c, vm_origin place, const char *indent)
{
    fl_place found;
    if (!fl_find_place(c, place, &found))
        return;
    char *text = fl_excerpt(&found, c->colour, indent);
    fputs(text, c->out);
    free(text);
}
