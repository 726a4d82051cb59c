// SPDX-License-Identifier: MIT
//
// What a failed run says: where, which goal, and why.
#include "fleng/explain/run_end.h"

#include "fleng/reader/array.h"
#include "fleng/explain/bad_value.h"
#include "fleng/explain/mismatch.h"
#include "fleng/compile/template.h"
#include "vm/look.h"
#include "vm/print.h"
#include "vm/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
    SHOWN_CELLS = 24, // of a term
    SHOWN_BYTES = 400,
    SHOWN_CLAUSES = 12,
};

// ---- Text -------------------------------------------------------------------------------------

const char *fl_format(const char *text, ...)
{
    char *made = NULL;
    va_list arguments;
    va_start(arguments, text);
    int length = vasprintf(&made, text, arguments);
    va_end(arguments);
    if (length < 0)
        return text;
    const char *copy = fl_copy_text(made, (size_t)length);
    free(made);
    return copy;
}

const char *fl_shorten(char *text, size_t length)
{
    const char *copy;
    if (length > SHOWN_BYTES) {
        size_t n = SHOWN_BYTES;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        copy = fl_format("%.*s...", (int)n, text);
    } else {
        copy = fl_copy_text(text, length);
    }
    free(text);
    return copy;
}

const char *fl_short_text(fl_report_context *c, vm_word term, uint32_t max_cells)
{
    vm_print_options options = {.quoted = true,
                                .max_cells = max_cells,
                                .variable_name = fl_name_variable,
                                .data = &c->namer};
    size_t length;
    char *text = vm_term_text(c->machine, term, &options, &length);
    return fl_shorten(text, length);
}

const char *fl_value_text(fl_report_context *c, vm_word term)
{
    return fl_short_text(c, term, SHOWN_CELLS);
}

static const char the_beginning[] = "the goal that the run began with";

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
        return the_beginning;
    if (p->arity == 0)
        return fl_value_text(c, vm_atom(name));
    fl_note_goal(&c->namer, goal);
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

// ---- No clause --------------------------------------------------------------------------------

static void report_no_clause(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    const vm_predicate *p = f->goal->predicate;
    *ret_message = fl_is_conditional(p)
                       ? fl_format("no condition holds in %s", fl_goal_text(c, f->goal))
                       : fl_format("no clause of %s fits the goal %s", fl_predicate_text(p),
                                   fl_goal_text(c, f->goal));
    fl_report_at(c, f->goal->site, NULL, *ret_message);
    for (uint32_t i = 0; i < p->nclauses && i < SHOWN_CLAUSES; i++)
        fl_explain_clause(c, f->goal, p->clauses[i]);
    if (p->nclauses > SHOWN_CLAUSES)
        fprintf(c->out, "  and %u more clauses\n", p->nclauses - SHOWN_CLAUSES);
    fl_report_callers(c, f->goal->site);
}

// ---- Failures ---------------------------------------------------------------------------------

static void report_unify(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    if (f->goal)
        fl_note_goal(&c->namer, f->goal);
    *ret_message = fl_format("unification fails: %s is not %s", fl_value_text(c, f->left),
                             fl_value_text(c, f->right));
    fl_report_at(c, f->where, NULL, *ret_message);
    fl_print_difference(c, f->left, f->right);
    fprintf(c->out, "  %s %s\n",
            f->goal && f->goal->predicate->builtin ? "in the goal" : "reducing",
            f->goal ? fl_goal_text(c, f->goal) : the_beginning);
    fl_report_callers(c, f->where);
}

// What could not be used, where it stands in the goal, and by what name.
static void print_culprit(fl_report_context *c, const vm_failure *f, const fl_culprit *at)
{
    fprintf(c->out, "  because of %s", fl_value_text(c, f->left));
    if (at && f->goal->nargs > 1 && strcmp(f->goal->predicate->name, ":=") != 0)
        fprintf(c->out, at->whole ? ", argument %u" : " in argument %u", at->argument);
    if (at && at->variable)
        fprintf(c->out, ", the value of %s", at->variable);
    fputs("\n", c->out);
}

// A goal called a predicate that does not exist: the one that may be meant.
static void print_suggestion(fl_report_context *c, const vm_failure *f)
{
    const char *near =
        f->kind == FAIL_UNDEFINED ? fl_suggest(c->program, f->name, f->arity) : NULL;
    if (near)
        fprintf(c->out, "  did you mean %s?\n", near);
}

static void report_builtin(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    fl_culprit at;
    bool found = f->left && fl_find_culprit(c, f->goal, f->left, &at);
    *ret_message = fl_format("%s: %s", fl_called_text(c, f->goal),
                             f->reason ? f->reason : "failed");
    fl_report_at(c, f->goal->site, found ? &at.place : NULL, *ret_message);
    fprintf(c->out, "  in the goal %s\n", fl_goal_text(c, f->goal));
    if (f->left)
        print_culprit(c, f, found ? &at : NULL);
    print_suggestion(c, f);
    fl_report_callers(c, f->goal->site);
}

static void report_memory(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    size_t waiting;
    vm_suspended(c->machine, &waiting);
    *ret_message = fl_format("the memory limit is reached (see -m) after %" PRIu64
                          " reductions, with %zu goals waiting",
                          vm_reductions(c->machine), waiting);
    if (!f->goal) {
        fprintf(c->out, "fleng: %s\n", *ret_message);
        return;
    }
    fl_report_at(c, f->goal->site, NULL, *ret_message);
    fprintf(c->out, "  reducing %s\n", fl_goal_text(c, f->goal));
}

static void report_failure(fl_report_context *c, const char **ret_message)
{
    const vm_failure *f = vm_get_failure(c->machine);
    switch (f->kind) {
    case FAIL_NO_CLAUSE:
        report_no_clause(c, f, ret_message);
        break;
    case FAIL_UNIFY:
        report_unify(c, f, ret_message);
        break;
    case FAIL_BUILTIN:
    case FAIL_UNDEFINED:
        report_builtin(c, f, ret_message);
        break;
    case FAIL_MEMORY:
        report_memory(c, f, ret_message);
        break;
    case FAIL_NONE:
        break;
    }
}

static void report_stop(fl_report_context *c, const char **ret_message)
{
    int64_t now = vm_now(c->machine);
    const char *time = now > 0 ? fl_format(", at virtual time %" PRId64, now) : "";
    *ret_message =
        fl_format("stopped after %" PRIu64 " reduction%s%s", vm_reductions(c->machine),
                  vm_reductions(c->machine) == 1 ? "" : "s", time);
    fprintf(c->out, "fleng: %s\n", *ret_message);
}

int fl_report_ending(fl_report_context *c, vm_ending ending, const char **ret_message)
{
    *ret_message = NULL;
    c->namer = (fl_namer){.code = c->code, .program = c->program};
    switch (ending) {
    case END_FAILED:
        report_failure(c, ret_message);
        return 1;
    case END_DEADLOCK:
        fl_report_waiting(c, false, ret_message);
        return 3;
    case END_INTERRUPTED:
        fl_report_waiting(c, true, ret_message);
        return 130;
    case END_HALTED:
        return vm_halt_status(c->machine);
    case END_STOPPED:
        report_stop(c, ret_message);
        return 0;
    case END_NORMAL:
        break;
    }
    return 0;
}
