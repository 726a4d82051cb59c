// SPDX-License-Identifier: MIT
//
// Checks of names: variables that occur once, predicates that are never called, and imports and
// exports without a use.
#include "fleng/check/check.h"

#include "base/text.h"
#include "fleng/reader/parse.h"

#include <stdarg.h>
#include <stdlib.h>

bool fl_is_checked(const vm_predicate *p)
{
    return !p->builtin && !p->library && !strchr(p->name, '$');
}

bool fl_is_in_error(const fl_check *k, const fl_clause *c)
{
    return k->in_error &&
           fl_error_within(k->messages, &k->program->sources[c->source], c->line, c->end_line);
}

void fl_warn(const fl_check *k, const fl_clause *c, fl_severity severity, const char *code,
             uint32_t line, uint32_t column, uint32_t width, const char *format, ...)
{
    base_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_add_arguments(&text, format, arguments);
    va_end(arguments);
    fl_place place = {.severity = severity,
                      .code = code,
                      .source = &k->program->sources[c->source],
                      .line = line,
                      .column = column,
                      .end_column = width ? column + width : 0};
    fl_message(k->messages, &place, "%s", text_finish(&text));
    free(text.at);
}

// ---- Variables that occur once ------------------------------------------------------------------

enum { MOST_NAMES = 200 }; // of a clause; beyond, none is looked for that may be meant

static const char *near_variable(const fl_clause *c, uint32_t variable)
{
    if (c->nvariables > MOST_NAMES)
        return NULL;
    const char **others = vm_alloc((c->nvariables + 1) * sizeof *others);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nvariables; i++)
        if (i != variable && *c->variables[i].name != '_')
            others[n++] = c->variables[i].name;
    return fl_nearest_variable(c->variables[variable].name, others, n);
}

static void check_variables(const fl_check *k, const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nvariables; i++) {
        const fl_variable *v = &c->variables[i];
        if (v->head + v->guard + v->body != 1 || *v->name == '_' || v->line == 0)
            continue;
        const char *near = near_variable(c, i);
        uint32_t width = fl_text_width(v->name, strlen(v->name));
        if (near)
            fl_warn(k, c, FL_WARNING, "singleton", v->line, v->column, width,
                    "%s occurs only once in this clause; is %s meant?", v->name, near);
        else
            fl_warn(k, c, FL_WARNING, "singleton", v->line, v->column, width,
                    "%s occurs only once in this clause; write _%s if that is meant", v->name,
                    v->name);
    }
}

// ---- What is reached ----------------------------------------------------------------------------

// Names in the arguments of goals may be called while the program runs, with up to so many more
// arguments.
enum { MOST_EXTRA = 7 };

typedef struct {
    const fl_check *check;
    bool *reached; // by predicate number
    ARRAY_OF(const fl_procedure *) todo;
    fl_procedure_names names;
} reaching;

static void reach(reaching *r, const vm_predicate *p)
{
    if (r->reached[p->id])
        return;
    r->reached[p->id] = true;
    if (r->check->procedure_of[p->id])
        FL_PUSH(r->todo, r->check->procedure_of[p->id]);
}

fl_procedure_names fl_list_names(const fl_program *p)
{
    fl_procedure_names names = {.next = vm_alloc_atomic((p->nprocedures + 1) * sizeof *names.next)};
    for (uint32_t i = p->nprocedures; i > 0; i--) {
        const char *name = p->procedures[i - 1].predicate->name;
        names.next[i - 1] = (uint32_t)fl_look_up(&names.first, name, strlen(name));
        fl_enter(&names.first, name, strlen(name), i);
    }
    return names;
}

// Calls `found` for each predicate that a name in the term may mean.
static void find_named(const fl_program *program, const fl_procedure_names *names, const fl_term *t,
                       void (*found)(void *data, const vm_predicate *p), void *data)
{
    ARRAY_OF(const fl_term *) stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        t = stack.at[--stack.n];
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(stack, t->args[i]);
        uintptr_t same = fl_is_goal(t) ? fl_look_up(&names->first, t->text, t->length) : 0;
        for (; same; same = names->next[same - 1]) {
            const vm_predicate *p = program->procedures[same - 1].predicate;
            if (p->arity >= t->n && p->arity <= t->n + MOST_EXTRA)
                found(data, p);
        }
    }
}

void fl_find_named_in(const fl_program *program, const fl_procedure_names *names, const fl_clause *c,
                      void (*found)(void *data, const vm_predicate *p), void *data)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; k < c->items[i].n; k++)
            find_named(program, names, c->items[i].args[k], found, data);
}

static void reach_found(void *data, const vm_predicate *p)
{
    reach(data, p);
}

static void reach_clause(reaching *r, const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].predicate)
            reach(r, c->items[i].predicate);
    fl_find_named_in(r->check->program, &r->names, c, reach_found, r);
}

static const fl_definition *find_main(const struct fl_names *names)
{
    const fl_module *m = names->start;
    return m ? (const fl_definition *)fl_look_up(&m->defined, "main/0", 6) : NULL;
}

bool fl_has_start(const fl_program *p)
{
    return p->beginning->nitems > 0 || find_main(p->names);
}

// Is the module there for others, as far as one can see?  Then all that it exports is called.
static bool serves_others(const struct fl_names *names, const fl_module *m)
{
    return m->has_exports || !find_main(names);
}

static void reach_exports(reaching *r, const fl_module *m)
{
    for (uint32_t i = 0; i < m->definitions.n; i++) {
        const vm_predicate *p = m->definitions.at[i]->predicate;
        const char *key = p ? fl_key(p->name, p->arity) : NULL;
        if (p && (!m->has_exports || fl_look_up(&m->exported, key, strlen(key))))
            reach(r, p);
    }
}

static bool *find_reached(const fl_check *k)
{
    const fl_program *p = k->program;
    const struct fl_names *names = p->names;
    reaching r = {.check = k};
    r.reached = vm_alloc(p->npredicates + 1);
    r.names = fl_list_names(p);
    reach_clause(&r, p->beginning);
    const fl_definition *start = find_main(names);
    if (start)
        reach(&r, start->predicate);
    for (uint32_t i = 0; i < names->module_list.n; i++)
        if (serves_others(names, names->module_list.at[i]))
            reach_exports(&r, names->module_list.at[i]);
    while (r.todo.n > 0) {
        const fl_procedure *q = r.todo.at[--r.todo.n];
        for (uint32_t i = 0; i < q->nclauses; i++)
            reach_clause(&r, q->clauses[i]);
    }
    return r.reached;
}

static void check_reached(const fl_check *k, const fl_procedure *q, const bool *reached)
{
    const vm_predicate *p = q->predicate;
    if (reached[p->id] || q->nclauses == 0)
        return;
    const fl_clause *c = q->clauses[0];
    const fl_program *program = k->program;
    bool goal = strcmp(program->sources[program->beginning->source].name, "-e") == 0;
    const char *from = goal                        ? "the goal"
                       : find_main(program->names) ? "main/0"
                                                   : "an exported predicate";
    fl_warn(k, c, FL_WARNING, "unreachable", c->line, c->column,
            fl_text_width(p->name, strlen(p->name)), "%s/%u is never called from %s", p->name,
            p->arity, from);
}

// ---- Terms that look like arithmetic ------------------------------------------------------------

// Is it N-1, X+1, A*2? X-Y and X+Y, of two variables, may well be terms that are meant.
static bool is_sum(const fl_term *t)
{
    static const char *const names[] = {"+", "*", "/", "//", "mod", "-"};
    bool numbers = false, found = false;
    if (t->kind != FL_STRUCT || t->n != 2)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= strcmp(t->text, names[i]) == 0;
    for (uint32_t k = 0; k < 2; k++) {
        const fl_term *part = t->args[k];
        if (part->kind != FL_VAR && part->kind != FL_INT && part->kind != FL_FLOAT)
            return false;
        numbers |= part->kind != FL_VAR;
    }
    return found && numbers && t->args[0]->kind == FL_VAR;
}

enum { SHOWN_CELLS = 12 }; // of a term in a message

static void note_sum(const fl_check *k, const fl_clause *c, const fl_term *t, const char *advice)
{
    const char *text = fl_term_text(t, c->variables, SHOWN_CELLS);
    uint32_t line, column;
    fl_term_start(t, &line, &column);
    fl_warn(k, c, FL_NOTE, "term", line, column, 0, "%s is a term here and no number: %s", text, advice);
}

// `X = Y+1` and loop(N-1) do not compute.
static void check_sums(const fl_check *k, const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const fl_item *item = &c->items[i];
        if (item->unify && item->args[0]->kind == FL_VAR && is_sum(item->args[1]))
            note_sum(k, c, item->args[1], "`:=` computes");
        for (uint32_t n = 0; n < item->n && !item->unify && !item->predicate->builtin; n++)
            if (is_sum(item->args[n]))
                note_sum(k, c, item->args[n], "compute it before, as in `M := N-1`, and pass M");
    }
}

static void check_hiding(const fl_check *k, const fl_procedure *q)
{
    const vm_predicate *p = q->predicate;
    const char *key = fl_key(p->name, p->arity);
    if (q->nclauses == 0 || !fl_look_up(&k->program->names->builtins, key, strlen(key)))
        return;
    const fl_clause *c = q->clauses[0];
    fl_warn(k, c, FL_NOTE, "hides", c->line, c->column, fl_text_width(p->name, strlen(p->name)),
            "%s hides the built-in predicate of this name in the module %s", key, p->module);
}

// ---- Imports and exports ------------------------------------------------------------------------

// Pairs of modules of which one calls the other, and of predicates called from other modules, or
// named there: they may be called by `call`.
typedef struct {
    fl_dictionary calls;    // "from\nto"
    fl_dictionary outside;  // "module:name/arity"
    const char *own; // the module that is looked at
    fl_procedure_names names;
} traffic;

static const char *two(const char *a, const char *b)
{
    return fl_format("%s\n%s", a, b);
}

static void note_call(void *data, const vm_predicate *p)
{
    traffic *t = data;
    if (!p->module || !t->own || strcmp(p->module, t->own) == 0)
        return;
    const char *key = two(t->own, p->module);
    fl_enter(&t->calls, key, strlen(key), 1);
    key = two(p->module, fl_key(p->name, p->arity));
    fl_enter(&t->outside, key, strlen(key), 1);
}

static void note_calls(const fl_program *program, traffic *t, const fl_clause *c)
{
    t->own = c->predicate->module;
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].predicate)
            note_call(t, c->items[i].predicate);
    fl_find_named_in(program, &t->names, c, note_call, t);
}

static void report_at(const fl_check *k, const fl_source *source, uint32_t line, uint32_t column,
                      fl_severity severity, const char *code, const char *text)
{
    fl_place place = {
        .severity = severity, .code = code, .source = source, .line = line, .column = column};
    fl_message(k->messages, &place, "%s", text);
}

static void check_imports(const fl_check *k, const traffic *t, const fl_module *m)
{
    for (uint32_t i = 0; i < m->uses.n; i++) {
        const fl_use *use = &m->uses.at[i];
        bool used = use->unit->modules.n == 0;
        for (uint32_t j = 0; j < use->unit->modules.n; j++) {
            const char *key = two(m->name, use->unit->modules.at[j]->name);
            used |= fl_look_up(&t->calls, key, strlen(key)) != 0;
        }
        if (!used)
            report_at(k, use->source, use->line, use->column, FL_WARNING, "unused-import",
                      fl_format("no predicate of the module %s is called in %s",
                                use->unit->modules.at[0]->name, m->name));
    }
}

// Of a program that is whole: what a module exports and no other calls.
static void check_exports(const fl_check *k, const traffic *t, const fl_module *m)
{
    for (uint32_t i = 0; i < m->exports.n; i++) {
        const fl_export *e = &m->exports.at[i];
        const char *key = fl_key(e->name, e->arity);
        const fl_definition *d = (const fl_definition *)fl_look_up(&m->defined, key, strlen(key));
        const char *outside = two(m->name, key);
        bool begins = m == k->program->names->start && strcmp(key, "main/0") == 0;
        if (!d || !d->predicate || begins || fl_look_up(&t->outside, outside, strlen(outside)))
            continue;
        report_at(k, e->source, e->line, e->column, FL_NOTE, "unused-export",
                  fl_format("%s is exported by %s and called in no other module", key, m->name));
    }
}

static void check_modules(const fl_check *k)
{
    const struct fl_names *names = k->program->names;
    traffic t = {.names = fl_list_names(k->program)};
    note_calls(k->program, &t, k->program->beginning);
    for (uint32_t i = 0; i < k->program->nprocedures; i++)
        for (uint32_t j = 0; j < k->program->procedures[i].nclauses; j++)
            note_calls(k->program, &t, k->program->procedures[i].clauses[j]);
    for (uint32_t i = 0; i < names->module_list.n; i++) {
        const fl_module *m = names->module_list.at[i];
        if (m->library)
            continue;
        check_imports(k, &t, m);
        if (find_main(names) && names->module_list.n > 1)
            check_exports(k, &t, m);
    }
}

static void check_clause(const fl_check *k, const fl_clause *c)
{
    check_variables(k, c);
    if (!k->in_error)
        check_sums(k, c);
}

// ---- All ----------------------------------------------------------------------------------------

void fl_check_program(const fl_program *p, fl_messages *messages)
{
    fl_check k = {.program = p, .messages = messages};
    k.procedure_of = vm_alloc((p->npredicates + 1) * sizeof *k.procedure_of);
    for (uint32_t i = 0; i < p->nprocedures; i++)
        k.procedure_of[p->procedures[i].predicate->id] = &p->procedures[i];
    // Where something is in error it is not known what is called or bound there.
    bool whole = fl_error_count(messages) == 0;
    k.in_error = !whole;
    bool *reached = whole ? find_reached(&k) : NULL;
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        const fl_procedure *q = &p->procedures[i];
        if (!fl_is_checked(q->predicate))
            continue;
        for (uint32_t j = 0; j < q->nclauses; j++)
            if (!fl_is_in_error(&k, q->clauses[j]))
                check_clause(&k, q->clauses[j]);
        if (whole)
            check_reached(&k, q, reached);
        check_hiding(&k, q);
        fl_check_clauses(&k, q);
    }
    if (whole) {
        fl_check_modes(&k);
        check_modules(&k);
    }
}
