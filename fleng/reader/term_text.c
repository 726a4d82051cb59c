// SPDX-License-Identifier: MIT
//
// Terms as read, as a view for the writer of terms: for dumps and messages.
#include "base/term_writer.h"
#include "fleng/reader/collected.h"
#include "fleng/reader/parse.h"

#include <math.h>


enum { SHOWN_BYTES = 200 }; // of a string or number, where a term is abbreviated

typedef struct {
    const fl_variable *variables;
    bool plain; // a variable without a name is `_`
    char name[24];
} writer;

static const char *variable_name(writer *w, uint32_t number)
{
    const char *name = w->variables ? w->variables[number].name : "_";
    if (strcmp(name, "_") != 0 || w->plain)
        return name;
    snprintf(w->name, sizeof w->name, "_%u", number + 1);
    return w->name;
}

static void set_text(term_node *node, term_kind kind, const char *text, size_t length)
{
    node->kind = kind;
    node->text = text;
    node->length = length;
}

static void look_at_float(double number, term_node *node)
{
    node->kind = TERM_FLOAT;
    node->number = number;
    if (isfinite(number))
        return;
    const char *text = isnan(number) ? "1.5NaN" : number < 0 ? "-1.0Inf" : "1.0Inf";
    set_text(node, TERM_DIGITS, text, strlen(text));
}

static void look(void *data, term_ref *term, term_node *node)
{
    static const term_kind kinds[] = {
        [FL_VAR] = TERM_VARIABLE, [FL_INT] = TERM_DIGITS,    [FL_FLOAT] = TERM_FLOAT,
        [FL_ATOM] = TERM_ATOM,    [FL_STRING] = TERM_STRING, [FL_CONS] = TERM_CONS,
        [FL_STRUCT] = TERM_STRUCT, [FL_VECTOR] = TERM_VECTOR,
    };
    const fl_term *t = (const fl_term *)(uintptr_t)term->word;
    set_text(node, kinds[t->kind], t->text, t->length);
    node->arity = t->n;
    if (t->kind == FL_FLOAT) {
        look_at_float(t->number, node);
    } else if (t->kind == FL_VAR) {
        const char *name = variable_name(data, t->var);
        set_text(node, TERM_VARIABLE, name, strlen(name));
    }
}

static term_ref ref(const fl_term *t)
{
    return (term_ref){.word = (uintptr_t)t};
}

static term_ref argument(void *data, term_ref term, uint32_t i)
{
    (void)data;
    return ref(((const fl_term *)(uintptr_t)term.word)->args[i]);
}

const char *fl_term_text(const fl_term *t, const fl_variable *variables, uint32_t max_cells)
{
    return fl_term_text_marked(t, variables, max_cells, NULL);
}

const char *fl_term_text_marked(const fl_term *t, const fl_variable *variables, uint32_t max_cells,
                                const fl_term *marked)
{
    writer w = {.variables = variables, .plain = marked != NULL};
    term_view view = {.look = look, .argument = argument, .data = &w};
    term_ref mark = ref(marked);
    term_options options = {.quoted = true,
                            .spaced = true,
                            .dialect = TERM_FLENG,
                            .max_cells = max_cells ? max_cells : TERM_WHOLE,
                            .max_bytes = max_cells ? SHOWN_BYTES : TERM_WHOLE,
                            .marked = marked ? &mark : NULL,
                            .heap = &fl_heap};
    base_text text = {.heap = &fl_unscanned_heap};
    term_write(&text, &view, ref(t), TERM_CLAUSE, &options);
    return text_finish(&text);
}
