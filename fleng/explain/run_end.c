// SPDX-License-Identifier: MIT
//
// Reports a failure: its place, the goal, and the reason.
#include "fleng/explain/run_end.h"

#include "fleng/analyse/analyse.h"
#include "fleng/compile/template.h"
#include "fleng/explain/bad_value.h"
#include "fleng/explain/mismatch.h"
#include "fleng/reader/collected.h"
#include "vm/look.h"
#include "vm/print.h"
#include "vm/run.h"

#include <inttypes.h>
#include <ctype.h>
#include <stdlib.h>

enum {
    SHOWN_CLAUSES = 12,
};

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
        fl_print_mismatch(c, f->goal, p->clauses[i]);
    if (p->nclauses > SHOWN_CLAUSES)
        fprintf(c->out, "  and %u more clauses\n", p->nclauses - SHOWN_CLAUSES);
    fl_report_library_callers(c, f->goal->site, "  ");
}

// ---- Failures ---------------------------------------------------------------------------------

// Where a constant stands on the left of `=` in the source, a variable was meant.
static void hint_at_constant(const fl_report_context *c, const vm_failure *f)
{
    fl_place place;
    size_t left;
    if (!fl_find_place(c, f->where, &place))
        return;
    const char *at = fl_source_at(place.source, place.line, place.column, &left);
    size_t n = 0;
    while (n < left && (isalnum((unsigned char)at[n]) || at[n] == '_'))
        n++;
    size_t behind = n;
    while (behind < left && at[behind] == ' ')
        behind++;
    if (n > 0 && islower((unsigned char)*at) && behind < left && at[behind] == '=')
        fprintf(c->out, "  %.*s is a constant: a variable begins with a capital letter\n", (int)n, at);
}

static void report_unify(fl_report_context *c, const vm_failure *f, const char **ret_message)
{
    *ret_message = fl_format("unification fails: %s is not %s", fl_value_text(c, f->left),
                             fl_value_text(c, f->right));
    fl_report_at(c, f->where, NULL, *ret_message);
    fl_print_difference(c, f->left, f->right);
    hint_at_constant(c, f);
    fprintf(c->out, "  %s %s\n",
            f->goal && f->goal->predicate->builtin ? "in the goal" : "reducing",
            f->goal ? fl_goal_text(c, f->goal) : fl_the_beginning);
    fl_report_library_callers(c, f->where, "  ");
}

// What could not be used, where it stands in the goal, and by what name.
static void print_bad_value(fl_report_context *c, const vm_failure *f, const fl_bad_value *at)
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
    fl_bad_value at;
    bool found = f->left && fl_find_bad_value(c, f->goal, f->left, &at);
    *ret_message = fl_format("%s: %s", fl_called_text(c, f->goal),
                             f->reason ? f->reason : "failed");
    fl_report_at(c, f->goal->site, found ? &at.place : NULL, *ret_message);
    fprintf(c->out, "  in the goal %s\n", fl_goal_text(c, f->goal));
    if (f->left)
        print_bad_value(c, f, found ? &at : NULL);
    print_suggestion(c, f);
    fl_report_library_callers(c, f->goal->site, "  ");
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

int fl_report_run_end(fl_report_context *c, vm_ending ending, const char **ret_message)
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
        return 128 + vm_interrupted_by();
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
