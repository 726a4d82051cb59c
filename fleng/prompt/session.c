// SPDX-License-Identifier: MIT
//
// The session: what is loaded, its names and variables, and the current entry.
#include "fleng/prompt/session.h"

#include "fleng/command/progress.h"
#include "fleng/compile/compile.h"
#include "fleng/reader/parse.h"
#include "fleng/reader/source.h"
#include "vm/code.h"
#include "vm/look.h"
#include "vm/print.h"
#include "vm/session.h"

#include <stdlib.h>

enum { GOAL_CELLS = 60 }; // shown of a goal

// ---- Names ------------------------------------------------------------------------------------

static void new_names(fl_session *s)
{
    s->namer = (fl_namer){.code = s->code, .plain = true};
    s->nnamed = 0;
}

static void index_names(fl_session *s)
{
    fl_forget_all(&s->names);
    for (uint32_t i = 0; i < s->variables.n; i++)
        fl_enter(&s->names, s->variables.at[i].name, strlen(s->variables.at[i].name), i + 1);
}

const fl_session_variable *fl_session_find(const fl_session *s, const char *name)
{
    uintptr_t known = fl_look_up(&s->names, name, strlen(name));
    return known ? &s->variables.at[known - 1] : NULL;
}

// ---- Code -------------------------------------------------------------------------------------

// Compiles what the program has and the code has not. False: it is in error.
static bool extend(fl_session *s, fl_program *p, uint32_t first, fl_messages *messages)
{
    vm_program *made = fl_compile_behind(s->code, p, first, true, messages);
    if (fl_error_count(messages) > 0)
        return false;
    char *wrong = vm_verify(made);
    if (wrong) {
        fl_error(messages, NULL, 0, 0, "internal error: the compiler made invalid code: %s", wrong);
        free(wrong);
        return false;
    }
    s->code = made;
    s->program = p;
    s->ncompiled = p->nprocedures;
    if (s->machine)
        vm_extend(s->machine, made);
    return true;
}

// ---- The machine ------------------------------------------------------------------------------

static void note_reduction(void *data, const vm_event *event)
{
    fl_session *s = data;
    for (uint32_t i = 0; i < event->nbindings; i++) {
        const vm_binding *b = &event->bindings[i];
        if (b->variable->cell < s->first_cell)
            FL_PUSH(s->bound, b->variable);
        if (s->log.wanted)
            FL_PUSH(s->log.bindings, *b);
    }
    if (s->log.wanted && event->goal)
        FL_PUSH(s->log.reductions, (fl_step_reduction){event->goal->id, event->clause});
}

static void create_machine(fl_session *s, int argc, char **argv)
{
    s->recorder = (vm_recorder){.data = s, .reduction = note_reduction};
    vm_options options = {
        .stamped = true, .recorder = &s->recorder, .argc = argc, .argv = argv};
    s->machine = vm_create(s->code, &options);
    fl_tell_progress_of(s->machine);
}

fl_session *fl_session_create(int argc, char **argv)
{
    fl_session *s = vm_alloc(sizeof *s);
    fl_messages *messages = fl_messages_create();
    fl_program *p = fl_add_files(NULL, NULL, NULL, 0, messages);
    fl_sentence nothing = {.term = fl_new_atom("true", 1, 1), .end_line = 1};
    fl_add_goal(p, fl_source_from_text("", "", 0), &nothing, messages);
    extend(s, p, 0, messages);
    fl_messages_destroy(messages);
    create_machine(s, argc, argv);
    vm_ending ending;
    while (vm_go_on(s->machine, &ending))
        continue;
    new_names(s);
    return s;
}

void fl_session_destroy(fl_session *s)
{
    free(vm_finish_output(s->machine));
    vm_destroy(s->machine);
}

static void begin_entry(fl_session *s)
{
    s->entered = true;
    s->saved = vm_save(s->machine);
    s->first_cell = vm_cells_made(s->machine);
    s->first_goal = vm_goals_made(s->machine);
    s->nvariables = s->variables.n;
    s->nentries++;
    s->bound.n = s->mentioned.n = 0;
    new_names(s);
}

// ---- Loading ----------------------------------------------------------------------------------

static vm_predicate *successor(void *data, vm_predicate *old)
{
    if (!old->module)
        return NULL;
    vm_predicate *new = fl_find(data, old->module, old->name, old->arity);
    return new ? new : fl_find(data, NULL, old->name, old->arity);
}

static bool load(fl_session *s, const char *const *files, const uint32_t *layers, uint32_t n,
                 fl_messages *messages)
{
    fl_program *p = fl_add_files(s->program, files, layers, n, messages);
    if (fl_error_count(messages) > 0 || !extend(s, p, 0, messages))
        return false;
    size_t waiting;
    vm_suspended(s->machine, &waiting);
    if (waiting > 0)
        begin_entry(s);
    vm_redirect(s->machine, successor, p);
    return true;
}

static bool is_among(const char *file, const char *const *files, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(files[i], file) == 0)
            return true;
    return false;
}

bool fl_session_load(fl_session *s, const char *const *files, uint32_t n, fl_messages *messages)
{
    ARRAY_OF(const char *) all = {0};
    ARRAY_OF(uint32_t) layers = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (is_among(files[i], all.at, all.n))
            continue;
        FL_PUSH(all, fl_copy_text(files[i], strlen(files[i])));
        FL_PUSH(layers, s->nloads + 1);
    }
    uint32_t new = all.n;
    for (uint32_t i = 0; i < s->files.n; i++) {
        if (is_among(s->files.at[i], all.at, new))
            continue;
        FL_PUSH(all, s->files.at[i]);
        FL_PUSH(layers, s->layers.at[i]);
    }
    if (!load(s, all.at, layers.at, all.n, messages))
        return false;
    s->files.at = all.at;
    s->files.n = all.n;
    s->files.capacity = all.capacity;
    s->layers.at = layers.at;
    s->layers.n = layers.n;
    s->layers.capacity = layers.capacity;
    s->nloads++;
    return true;
}

bool fl_session_reload(fl_session *s, fl_messages *messages)
{
    return load(s, s->files.at, s->layers.at, s->files.n, messages);
}

// ---- Entries ----------------------------------------------------------------------------------

static void end_entry(fl_session *s)
{
    s->entered = false;
    s->saved = NULL;
    s->bound.at = NULL; // it holds variables
    s->bound.n = s->bound.capacity = 0;
}

static uint32_t variable_named(fl_session *s, const char *name, vm_origin origin)
{
    uintptr_t known = fl_look_up(&s->names, name, strlen(name));
    if (known)
        return (uint32_t)known - 1;
    FL_PUSH(s->variables,
            (fl_session_variable){.name = name,
                                  .variable = vm_session_variable(s->machine, origin)});
    fl_enter(&s->names, name, strlen(name), s->variables.n);
    return s->variables.n - 1;
}

static void mention(fl_session *s, uint32_t index)
{
    fl_session_variable *v = &s->variables.at[index];
    if (v->entry != s->nentries)
        FL_PUSH(s->mentioned, index);
    v->entry = s->nentries;
}

bool fl_session_enter(fl_session *s, fl_source *source, const fl_sentence *goal,
                      fl_messages *messages)
{
    fl_program *p = s->program;
    bool good = fl_add_goal(p, source, goal, messages) && extend(s, p, s->ncompiled, messages);
    const fl_clause *c = p->beginning;
    p->beginning = NULL;
    if (!good)
        return false;
    if (!s->entered)
        begin_entry(s);
    const vm_clause *made = c->predicate->clauses[0];
    vm_word *values = vm_alloc((c->predicate->arity + 1) * sizeof *values);
    for (uint32_t i = 0; i < c->predicate->arity; i++) {
        uint32_t var = c->head[i]->var;
        uint32_t index = variable_named(s, c->variables[var].name, (vm_origin){made->id, var});
        mention(s, index);
        values[i] = s->variables.at[index].variable;
    }
    vm_begin(s->machine, made, values);
    return true;
}

bool fl_session_step(fl_session *s, vm_ending *ret_ending)
{
    s->log.reductions.n = s->log.bindings.n = 0;
    if (vm_go_on(s->machine, ret_ending))
        return true;
    if (*ret_ending == END_NORMAL || *ret_ending == END_DEADLOCK)
        end_entry(s);
    return false;
}

// Tries the goals that are ready because of something else than an entry.
static void settle(fl_session *s)
{
    vm_ending ending;
    while (vm_go_on(s->machine, &ending))
        continue;
}

void fl_session_undo(fl_session *s)
{
    vm_clear_interrupt();
    vm_restore(s->machine, s->saved, s->bound.at, s->bound.n);
    s->variables.n = s->nvariables;
    for (uint32_t i = 0; i < s->variables.n; i++)
        s->variables.at[i].whole = false;
    index_names(s);
    s->mentioned.n = 0;
    s->log.reductions.n = s->log.bindings.n = 0;
    end_entry(s);
    settle(s);
}

// ---- Variables --------------------------------------------------------------------------------

void fl_session_reset(fl_session *s)
{
    vm_restore(s->machine, NULL, NULL, 0);
    s->variables.at = NULL;
    s->variables.n = s->variables.capacity = s->mentioned.n = 0;
    index_names(s);
    new_names(s);
    end_entry(s);
}

bool fl_session_forget(fl_session *s, const char *name)
{
    for (uint32_t i = 0; i < s->variables.n; i++) {
        if (strcmp(s->variables.at[i].name, name) != 0)
            continue;
        memmove(&s->variables.at[i], &s->variables.at[i + 1],
                (s->variables.n - i - 1) * sizeof *s->variables.at);
        s->variables.n--;
        s->mentioned.n = 0;
        index_names(s);
        new_names(s);
        return true;
    }
    return false;
}

// ---- Text -------------------------------------------------------------------------------------

static vm_word end_of(vm_word w)
{
    while (vm_tag(w) == TAG_REF && vm_is_bound(vm_as_var(w)))
        w = vm_as_var(w)->value;
    return w;
}

bool fl_session_is_bound(const fl_session_variable *v)
{
    return end_of(v->variable) != v->variable;
}

// Variables with a name in the session have it wherever they are shown.
static void name_variables(fl_session *s)
{
    s->namer.code = s->code;
    for (; s->nnamed < s->variables.n; s->nnamed++) {
        const fl_session_variable *v = &s->variables.at[s->nnamed];
        if (!fl_look_up_address(&s->namer.by_variable, vm_as_var(v->variable)))
            fl_call_variable(&s->namer, vm_as_var(v->variable), v->name);
    }
}

static const char *name_shown(void *data, const vm_var *v)
{
    fl_session *s = data;
    s->nvariables_shown++;
    return fl_name_variable(&s->namer, v);
}

static const char *name_shape(void *data, const vm_var *v)
{
    const char *name = name_shown(data, v);
    return *name == '_' ? "_" : name;
}

static char *text_of(fl_session *s, vm_word term, uint32_t max_cells, bool shape)
{
    name_variables(s);
    vm_print_options options = {.quoted = true,
                                .max_cells = max_cells,
                                .variable_name = shape ? name_shape : name_shown,
                                .data = s};
    return vm_term_text(term, &options, NULL);
}

char *fl_session_shape(fl_session *s, vm_word term, uint32_t max_cells)
{
    return text_of(s, term, max_cells, true);
}

char *fl_session_text(fl_session *s, vm_word term, uint32_t max_cells)
{
    return text_of(s, term, max_cells, false);
}

const char *fl_session_variable_name(fl_session *s, const vm_var *v)
{
    name_variables(s);
    return fl_name_variable(&s->namer, v);
}

char *fl_session_goal_text(fl_session *s, const vm_goal *goal)
{
    const vm_predicate *p = goal->predicate;
    uint32_t name = vm_atom_intern(p->name, strlen(p->name));
    if (p->arity == 0)
        return fl_session_text(s, vm_atom(name), GOAL_CELLS);
    vm_word term = vm_make_struct(NULL, vm_functor(name, p->arity), goal->args);
    return fl_session_text(s, term, GOAL_CELLS);
}

fl_report_context fl_session_report(fl_session *s, FILE *out, bool colour)
{
    return (fl_report_context){.machine = s->machine,
                               .program = s->program,
                               .code = s->code,
                               .colour = colour,
                               .out = out};
}
