// SPDX-License-Identifier: MIT
//
// What a failed run says: where, which goal, and why.
#include "ending.h"

#include "array.h"
#include "template.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
    SHOWN_CELLS = 24, // of a term
    SHOWN_BYTES = 400,
    SHOWN_CLAUSES = 12,
};

// ---- Text -------------------------------------------------------------------------------------

__attribute__((format(printf, 1, 2))) static const char *format(const char *text, ...)
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

const char *fl_name_variable(void *data, const vm_var *v)
{
    fl_namer *namer = data;
    const char *known = (const char *)fl_map_get(&namer->by_variable, (const char *)&v, sizeof v);
    if (known)
        return known;
    const char *name = "_";
    vm_origin origin;
    if (!vm_get_origin(v, &origin))
        origin = (vm_origin){.clause = VM_NO_CLAUSE - 1};
    if (origin.clause == VM_NO_CLAUSE)
        name = vm_atom_text(origin.index);
    else if (origin.clause < namer->code->nclauses &&
             origin.index < namer->code->clauses[origin.clause]->nnames)
        name = namer->code->clauses[origin.clause]->names[origin.index];
    uintptr_t same = fl_map_get(&namer->counts, name, strlen(name)) + 1;
    fl_map_put(&namer->counts, name, strlen(name), same);
    if (namer->plain)
        name = format("_%u", ++namer->n);
    else if (strcmp(name, "_") == 0)
        name = format("_%u", (unsigned)same);
    else if (same > 1)
        name = format("%s_%u", name, (unsigned)same);
    const vm_var **key = vm_alloc(sizeof *key); // holds the variable, so that it stays
    *key = v;
    fl_map_put(&namer->by_variable, (const char *)key, sizeof v, (uintptr_t)name);
    return name;
}

// Cuts at a character boundary.
static const char *shorten(char *text, size_t length)
{
    const char *copy;
    if (length > SHOWN_BYTES) {
        size_t n = SHOWN_BYTES;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        copy = format("%.*s...", (int)n, text);
    } else {
        copy = fl_copy_text(text, length);
    }
    free(text);
    return copy;
}

const char *fl_value_text(fl_report_context *c, vm_word term)
{
    vm_print_options options = {.quoted = true,
                                .max_cells = SHOWN_CELLS,
                                .variable_name = fl_name_variable,
                                .data = &c->namer};
    size_t length;
    char *text = vm_term_text(c->machine, term, &options, &length);
    return shorten(text, length);
}

const char *fl_goal_text(fl_report_context *c, const vm_goal *goal)
{
    const vm_predicate *p = goal->predicate;
    uint32_t name = vm_atom_intern(p->name, strlen(p->name));
    if (p->arity == 0)
        return fl_value_text(c, vm_atom(name));
    return fl_value_text(c, vm_make_struct(NULL, vm_functor(name, p->arity), goal->args));
}

const char *fl_predicate_text(const vm_predicate *p)
{
    return format("%s/%u", p->name, p->arity);
}

// ---- Places -----------------------------------------------------------------------------------

static bool find_place(const fl_report_context *c, vm_origin place, const fl_source **ret_source,
                       vm_site *ret_site)
{
    if (place.clause >= c->code->nclauses)
        return false;
    const vm_clause *clause = c->code->clauses[place.clause];
    *ret_source = &c->program->sources[clause->source];
    *ret_site = (vm_site){.line = clause->line, .column = clause->column};
    if (place.index < clause->nitems)
        *ret_site = clause->sites[place.index];
    return true;
}

const char *fl_place_text(const fl_report_context *c, vm_origin place)
{
    const fl_source *source;
    vm_site site;
    if (!find_place(c, place, &source, &site))
        return "a built-in";
    return format("%s:%u:%u", source->name, site.line, site.column);
}

void fl_report_at(fl_report_context *c, vm_origin place, const char *message)
{
    const fl_source *source = NULL;
    vm_site site = {0};
    find_place(c, place, &source, &site);
    fl_messages *m = fl_messages_create();
    fl_error(m, source, site.line, site.column, "%s", message);
    char *text = fl_messages_text(m, c->colour);
    fputs(text, c->out);
    free(text);
    fl_messages_destroy(m);
}

// ---- No clause --------------------------------------------------------------------------------

static const char *pattern_text(fl_report_context *c, const vm_clause *clause, const vm_pattern *p)
{
    switch (p->kind) {
    case PATTERN_CONST:
        return fl_value_text(c, p->constant);
    case PATTERN_CONS:
        return "a list [_|_]";
    case PATTERN_STRUCT:
        return format("%s/%u", vm_atom_text(vm_functor_name(p->constant)),
                      vm_functor_arity(p->constant));
    case PATTERN_VECTOR:
        return format("a vector of %u element%s", p->n, p->n == 1 ? "" : "s");
    case PATTERN_AGAIN:
        return format("what %s is elsewhere in the head",
                      p->reg < clause->nnames ? clause->names[p->reg] : "it");
    default:
        return "anything";
    }
}

static const char *guards_text(const vm_clause *clause)
{
    const fl_template *made = clause->info;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return "";
    fl_print_guards(made->clause, stream);
    fclose(stream);
    return shorten(text, length);
}

static void explain_clause(fl_report_context *c, const vm_goal *goal, const vm_clause *clause)
{
    vm_mismatch mismatch;
    vm_explain(c->machine, goal, clause, &mismatch);
    fprintf(c->out, "  clause %u, line %u: ", clause->number, clause->line);
    if (mismatch.argument > 0 && mismatch.wanted)
        fprintf(c->out, "argument %u wants %s, found %s\n", mismatch.argument,
                pattern_text(c, clause, mismatch.wanted), fl_value_text(c, mismatch.found));
    else
        fprintf(c->out, "the head fits, the guard fails: %s\n", guards_text(clause));
}

static void report_no_clause(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    const vm_predicate *p = f->goal->predicate;
    *ret_message =
        format("no clause of %s fits the goal %s", fl_predicate_text(p), fl_goal_text(c, f->goal));
    fl_report_at(c, f->goal->site, *ret_message);
    for (uint32_t i = 0; i < p->nclauses && i < SHOWN_CLAUSES; i++)
        explain_clause(c, f->goal, p->clauses[i]);
    if (p->nclauses > SHOWN_CLAUSES)
        fprintf(c->out, "  and %u more clauses\n", p->nclauses - SHOWN_CLAUSES);
}

// ---- Failures ---------------------------------------------------------------------------------

static void report_unify(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    *ret_message = format("unification fails: %s is not %s", fl_value_text(c, f->left),
                          fl_value_text(c, f->right));
    fl_report_at(c, f->where, *ret_message);
    if (f->goal)
        fprintf(c->out, "  %s %s\n", f->goal->predicate->builtin ? "in the goal" : "reducing",
                fl_goal_text(c, f->goal));
}

static void report_builtin(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    *ret_message =
        format("%s: %s", fl_predicate_text(f->goal->predicate), f->reason ? f->reason : "failed");
    fl_report_at(c, f->goal->site, *ret_message);
    fprintf(c->out, "  in the goal %s\n", fl_goal_text(c, f->goal));
    if (f->left)
        fprintf(c->out, "  because of %s\n", fl_value_text(c, f->left));
}

static void report_memory(fl_report_context *c, const char **ret_message)
{
    size_t waiting;
    vm_suspended(c->machine, &waiting);
    *ret_message = format("the memory limit is reached (see -m) after %" PRIu64
                          " reductions, with %zu goals waiting",
                          vm_reductions(c->machine), waiting);
    fprintf(c->out, "fleng: %s\n", *ret_message);
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
        report_builtin(c, f, ret_message);
        break;
    case FAIL_MEMORY:
        report_memory(c, ret_message);
        break;
    case FAIL_NONE:
        break;
    }
}

static void report_stop(fl_report_context *c, const char **ret_message)
{
    int64_t now = vm_now(c->machine);
    const char *time = now > 0 ? format(", at virtual time %" PRId64, now) : "";
    *ret_message =
        format("stopped after %" PRIu64 " reductions%s", vm_reductions(c->machine), time);
    fprintf(c->out, "fleng: %s\n", *ret_message);
}

int fl_report_ending(fl_report_context *c, vm_ending ending, const char **ret_message)
{
    *ret_message = NULL;
    c->namer = (fl_namer){.code = c->code};
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
