// SPDX-License-Identifier: MIT
//
// Clauses as the reader and the analysis understood them: -dump=ast and -dump=ir.
#include "fleng/compile/dump.h"

#include "base/memory.h"
#include "base/term_tokens.h"
#include "fleng/reader/parse.h"
#include "fleng/reader/source.h"

// ---- AST: clauses as the reader understood them -----------------------------------------------

static const char *text_of(const fl_clause *c, const fl_term *t)
{
    return fl_term_text(t, c->variables, 0);
}

static void print_name(const char *name, FILE *out)
{
    bool quotes = term_atom_needs_quotes(name, strlen(name));
    fprintf(out, quotes ? "'%s'" : "%s", name);
}

static void print_goal(const fl_clause *c, const char *name, uint32_t n, fl_term *const *args,
                       FILE *out)
{
    fl_term t = {.kind = n > 0 ? FL_STRUCT : FL_ATOM,
                 .text = name,
                 .length = strlen(name),
                 .n = n,
                 .args = (fl_term **)args};
    fputs(text_of(c, &t), out);
}

static void print_guards(const fl_clause *c, const fl_guards *guards, FILE *out);

static void print_guard(const fl_clause *c, const fl_guard *g, FILE *out)
{
    if (g->kind != GUARD_OR) {
        print_goal(c, g->name, g->n, g->args, out);
        return;
    }
    for (uint32_t i = 0; i < g->nalternatives; i++) {
        fputs(i == 0 ? "(" : " ; ", out);
        print_guards(c, &g->alternatives[i], out);
    }
    fputs(")", out);
}

static void print_guards(const fl_clause *c, const fl_guards *guards, FILE *out)
{
    if (guards->n == 0)
        fputs("true", out);
    for (uint32_t i = 0; i < guards->n; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_guard(c, guards->at[i], out);
    }
}

static const char *written(const fl_clause *c, const fl_guards *guards)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        base_out_of_memory(sizeof *stream, __FILE__, __LINE__);
    print_guards(c, guards, stream);
    fclose(stream);
    return fl_shorten(text, length);
}

const char *fl_guards_text(const fl_clause *c)
{
    return written(c, &c->guards);
}

const char *fl_guard_text(const fl_clause *c, const fl_guard *g)
{
    return written(c, &(fl_guards){1, (fl_guard **)&g});
}

static void print_priority(const fl_clause *c, const fl_priority *p, FILE *out)
{
    if (p->kind == PRIORITY_INHERITED)
        return;
    fputs("@", out);
    print_goal(c, p->kind == PRIORITY_LOWER ? "lower_priority" : "priority", 1,
               (fl_term *[]){p->value}, out);
}

static void print_item(const fl_clause *c, const fl_item *item, FILE *out)
{
    if (item->unify) {
        print_goal(c, "=", 2, item->args, out);
        return;
    }
    const char *own = c->predicate->module, *module = item->predicate->module;
    if (module && (!own || strcmp(module, own) != 0)) {
        print_name(module, out);
        fputs(":", out);
    }
    print_goal(c, item->predicate->name, item->n, item->args, out);
    print_priority(c, &item->priority, out);
}

void fl_print_clause(const fl_clause *c, const char *indent, FILE *out)
{
    if (c->after_otherwise || c->after_alternatively)
        fprintf(out, "%s%s.\n", indent, c->after_otherwise ? "otherwise" : "alternatively");
    fputs(indent, out);
    print_goal(c, c->predicate->name, c->predicate->arity, c->head, out);
    if (c->guards.n > 0 || c->nitems > 0)
        fputs(" :-", out);
    if (c->guards.n > 0) {
        fputs(" ", out);
        print_guards(c, &c->guards, out);
        fputs(c->nitems > 0 ? " |" : " | true", out);
    }
    for (uint32_t i = 0; i < c->nitems; i++) {
        fprintf(out, "%s\n%s    ", i > 0 ? "," : "", indent);
        print_item(c, &c->items[i], out);
    }
    fputs(".\n", out);
}

static void print_place(const fl_program *p, const fl_clause *c, FILE *out)
{
    fprintf(out, "%s:%u:%u", p->sources[c->source].name, c->line, c->column);
}

void fl_dump_ast(const fl_program *p, FILE *out)
{
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        const fl_procedure *q = &p->procedures[i];
        fprintf(out, "%s%% ", i > 0 ? "\n" : "");
        print_name(q->predicate->module, out);
        fputs(":", out);
        print_name(q->predicate->name, out);
        fprintf(out, "/%u\n", q->predicate->arity);
        for (uint32_t k = 0; k < q->nclauses; k++)
            fl_print_clause(q->clauses[k], "", out);
    }
    fputs("\n% the run begins with\n", out);
    fl_print_clause(p->beginning, "", out);
}

// ---- IR: variables, head, guards and items resolved ---------------------------------------------

static void print_variables(const fl_clause *c, FILE *out)
{
    if (c->nvariables == 0)
        return;
    fputs("    variables  ", out);
    for (uint32_t v = 0; v < c->nvariables; v++) {
        const fl_variable *variable = &c->variables[v];
        const char *comes = variable->head ? "argument" : variable->guard ? "guard" : "new";
        bool once = variable->head + variable->guard + variable->body == 1;
        fprintf(out, "%s%s", v > 0 ? ", " : "",
                strcmp(variable->name, "_") == 0
                    ? fl_term_text(&(fl_term){.kind = FL_VAR, .var = v}, c->variables, 0)
                    : variable->name);
        fprintf(out, " (%s%s)", comes, once ? ", once" : "");
    }
    fputs("\n", out);
}

static const char *const guard_kinds[] = {
    [GUARD_COMPARE] = "compare", [GUARD_ASSIGN] = "compute", [GUARD_EQUAL] = "equal",
    [GUARD_DIFFER] = "differ",   [GUARD_TYPE] = "type",      [GUARD_UNBOUND] = "unbound",
    [GUARD_FUNCTOR] = "functor", [GUARD_ARGUMENT] = "arg",   [GUARD_FAIL] = "never",
    [GUARD_OR] = "one of",
};

static void print_ir_clause(const fl_program *p, const fl_clause *c, FILE *out)
{
    fprintf(out, "  clause %u  ", c->number);
    print_place(p, c, out);
    fputs(c->after_otherwise ? "  below otherwise\n" : "\n", out);
    print_variables(c, out);
    for (uint32_t i = 0; i < c->predicate->arity; i++)
        fprintf(out, "    head %-5u %s\n", i + 1, text_of(c, c->head[i]));
    for (uint32_t i = 0; i < c->guards.n; i++) {
        const fl_guard *g = c->guards.at[i];
        fprintf(out, "    guard      %-8s ", guard_kinds[g->kind]);
        print_guard(c, g, out);
        fputs("\n", out);
    }
    for (uint32_t i = 0; i < c->nitems; i++) {
        const fl_item *item = &c->items[i];
        fprintf(out, "    %-10s ",
                item->unify                ? "unify"
                : item->predicate->builtin ? "built-in"
                                           : "goal");
        print_item(c, item, out);
        fprintf(out, "  @ %u:%u\n", item->line, item->column);
    }
}

static void print_ir_procedure(const fl_program *p, const fl_procedure *q, FILE *out)
{
    const vm_predicate *predicate = q->predicate;
    fputs("predicate ", out);
    print_name(predicate->module, out);
    fputs(":", out);
    print_name(predicate->name, out);
    fprintf(out, "/%u\n", predicate->arity);
    for (uint32_t i = 0; i < q->nclauses; i++)
        print_ir_clause(p, q->clauses[i], out);
}

void fl_dump_ir(const fl_program *p, FILE *out)
{
    fl_clause *beginning = p->beginning;
    fputs("% The parts of each clause. Variables: `argument` comes with the goal, `guard` gets its "
          "value\n"
          "% from a guard, `new` is made by the body; `once` occurs nowhere else. A goal of the "
          "body\n"
          "% ends with its place, line:column.\n",
          out);
    print_ir_procedure(p, &(fl_procedure){beginning->predicate, 1, &beginning}, out);
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        fputs("\n", out);
        print_ir_procedure(p, &p->procedures[i], out);
    }
}
