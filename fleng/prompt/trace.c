// SPDX-License-Identifier: MIT
//
// Runs a goal by itself and records it, as `fleng -trace=OUT -e GOAL FILE...` does. Unifications
// before it bind its variables to their values in the session.
#include "fleng/prompt/prompt.h"

#include "fleng/compile/compile.h"
#include "fleng/record/record.h"
#include "vm/print.h"
#include "vm/session.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    fl_prompt *prompt;
    const char *path;
    fl_program *program;
    vm_program *code;
    vm_machine *machine;
    fl_recorder *recorder;
} recording;

// ---- The goal ---------------------------------------------------------------------------------

static bool mentions(const fl_sentence *goal, const char *name)
{
    for (uint32_t i = 0; i < goal->nvariables; i++)
        if (strcmp(goal->variables[i].name, name) == 0)
            return true;
    return false;
}

// "X = [1,2], p(X, Y)", malloc'ed.
static char *with_values(fl_prompt *p, const fl_sentence *goal, const char *text, size_t length)
{
    base_text whole = {0};
    for (uint32_t i = 0; i < p->session->variables.n; i++) {
        const fl_session_variable *v = &p->session->variables.at[i];
        if (!fl_session_is_bound(v) || !mentions(goal, v->name))
            continue;
        char *value = fl_session_text(p->session, v->variable, 0);
        text_add_format(&whole, "%s = (%s), ", v->name, value);
        free(value);
    }
    while (length > 0 && strchr(" \t\r\n.", text[length - 1]))
        length--;
    text_add(&whole, text, length);
    return text_finish(&whole);
}

// ---- The run ----------------------------------------------------------------------------------

static bool compile(recording *r, const char *goal)
{
    const fl_session *s = r->prompt->session;
    fl_messages *messages = fl_messages_create();
    r->program = fl_analyse_layers(s->files.at, s->layers.at, s->files.n, goal, messages);
    if (fl_error_count(messages) == 0)
        r->code = fl_compile(r->program, true, messages);
    bool good = fl_error_count(messages) == 0;
    if (!good)
        fl_prompt_complain(r->prompt, messages);
    fl_messages_destroy(messages);
    return good;
}

static bool create(recording *r)
{
    char *error = NULL;
    r->recorder =
        fl_recorder_create(r->path, r->program, r->code, 0, 0, &(fl_record_options){0}, &error);
    if (!r->recorder)
        fl_prompt_error(r->prompt, "%s", error ? error : "the file cannot be created");
    free(error);
    return r->recorder != NULL;
}

static void print_results(const recording *r)
{
    const fl_clause *beginning = r->program->beginning;
    const vm_word *results = vm_results(r->machine);
    fl_namer namer = {.code = r->code, .plain = true};
    vm_print_options options = {.quoted = true, .variable_name = fl_name_variable, .data = &namer};
    for (uint32_t i = 0; i < beginning->nvariables; i++) {
        if (*beginning->variables[i].name == '_')
            continue;
        char *text = vm_term_text(results[i], &options, NULL);
        printf("%s = %s\n", beginning->variables[i].name, text);
        free(text);
    }
}

static void finish(recording *r, vm_ending ending)
{
    char *error = NULL;
    const char *message;
    if (vm_flush_output(r->machine))
        putchar('\n');
    if (ending == END_NORMAL)
        print_results(r);
    fflush(stdout);
    fl_report_context report = {.machine = r->machine,
                                .program = r->program,
                                .code = r->code,
                                .colour = r->prompt->colour,
                                .out = stderr};
    int status = fl_report_run_end(&report, ending, &message);
    if (ending == END_FAILED)
        fl_prompt_fails(r->prompt, status);
    uint64_t n = vm_reductions(r->machine);
    int64_t steps = n > 0 ? vm_now(r->machine) : 0; // time may go on before a goal fails
    if (fl_recorder_finish(r->recorder, r->machine, ending, status, message, &error))
        printf("recorded in %s: %" PRIu64 " reduction%s in %" PRId64 " step%s\n", r->path, n,
               n == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
    else
        fl_prompt_error(r->prompt, "the trace is not complete: %s",
                        error ? error : "unknown error");
    free(error);
}

static void run(recording *r, const char *goal)
{
    if (!compile(r, goal) || !create(r))
        return;
    vm_options options = {.stamped = true,
                          .recorder = fl_recorder_interface(r->recorder),
                          .result_registers = r->program->beginning->nvariables};
    r->machine = vm_create(r->code, &options);
    finish(r, vm_run(r->machine));
    vm_destroy(r->machine);
    vm_clear_interrupt();
}

void fl_prompt_record(fl_prompt *p, const char *path, const fl_sentence *goal, const char *text,
                      size_t length)
{
    recording r = {.prompt = p, .path = path};
    char *whole = with_values(p, goal, text, length);
    run(&r, whole);
    free(whole);
}
