// SPDX-License-Identifier: MIT
//
// The values of a trace as a view for the writer of terms, with the bindings that variables had at
// a time and the names that they have in one output.
#include <stdio.h>

#include "base/term_writer.h"
#include "iotree/terms/terms.h"

// A goal is looked at like a structure: its kind, beside those of trace_value.
enum { GOAL = TV_NODE + 1 };

typedef struct {
    const trace *t;
    const iot_names *names;
    iot_names *collect; // variables that are shown are registered here, or NULL
    int64_t at;
    char name[16]; // of the variable looked at last
} viewed;

static term_ref ref_of(trace_value v)
{
    term_ref ref = {.kind = v.kind};
    if (v.kind == TV_INT)
        ref.word = (uint64_t)v.i;
    else if (v.kind == TV_FLOAT)
        memcpy(&ref.word, &v.d, sizeof ref.word);
    else
        ref.word = v.id;
    return ref;
}

static trace_value value_of(term_ref ref)
{
    trace_value v = {.kind = (trace_value_kind)ref.kind};
    if (v.kind == TV_INT)
        v.i = (int64_t)ref.word;
    else if (v.kind == TV_FLOAT)
        memcpy(&v.d, &ref.word, sizeof v.d);
    else
        v.id = (uint32_t)ref.word;
    return v;
}

static trace_value resolve(const viewed *x, trace_value v)
{
    while (is_variable(x->t, v)) {
        uint32_t binding = trace_cell_binding(x->t, v.id);
        if (binding == TRACE_NONE || binding_time(x->t, binding) > x->at)
            break;
        v = trace_binding_value(x->t, binding);
    }
    return v;
}

static void set_text(term_node *node, term_kind kind, const char *text, size_t length)
{
    node->kind = kind;
    node->text = text;
    node->length = length;
}

static void set_string(const viewed *x, term_node *node, term_kind kind, uint32_t string)
{
    size_t length;
    const char *text = trace_string(x->t, string, &length);
    set_text(node, kind, text, length);
}

static void look_at_variable(viewed *x, uint32_t variable, term_node *node)
{
    if (x->collect)
        iot_names_add_variable(x->collect, variable);
    const char *name = x->names ? iot_name(x->names, variable) : NULL;
    uint32_t source = trace_cell_name(x->t, variable);
    if (!name && source != TRACE_NONE) {
        set_string(x, node, TERM_VARIABLE, source);
        return;
    }
    if (!name) {
        snprintf(x->name, sizeof x->name, "_%u", variable);
        name = x->name;
    }
    set_text(node, TERM_VARIABLE, name, strlen(name));
}

static void look_at_cell(viewed *x, uint32_t cell, term_node *node)
{
    switch (trace_cell_get_kind(x->t, cell)) {
    case TC_VARIABLE:
        look_at_variable(x, cell, node);
        return;
    case TC_CONS:
        node->kind = TERM_CONS;
        return;
    case TC_STRUCT:
        set_string(x, node, TERM_STRUCT, trace_cell_name(x->t, cell));
        break;
    case TC_VECTOR:
    case TC_VECTOR_UPDATE:
        node->kind = TERM_VECTOR;
        break;
    }
    node->arity = trace_cell_arity(x->t, cell);
}

// A goal costs no cell, and all of its arguments are shown.
static void look_at_goal(viewed *x, uint32_t goal, term_node *node)
{
    const trace_predicate *p = trace_get_predicate(x->t, trace_goal_predicate(x->t, goal));
    set_string(x, node, p->arity > 0 ? TERM_STRUCT : TERM_ATOM, p->name);
    node->arity = p->arity;
    node->uncounted = true;
}

static void look(void *data, term_ref *term, term_node *node)
{
    viewed *x = data;
    if (term->kind == GOAL) {
        look_at_goal(x, (uint32_t)term->word, node);
        return;
    }
    trace_value v = resolve(x, value_of(*term));
    *term = ref_of(v);
    switch (v.kind) {
    case TV_CELL:
        look_at_cell(x, v.id, node);
        return;
    case TV_INT:
        node->kind = TERM_INTEGER;
        node->integer = v.i;
        return;
    case TV_ATOM:
        set_string(x, node, TERM_ATOM, v.id);
        return;
    case TV_STRING:
        set_string(x, node, TERM_STRING, v.id);
        return;
    case TV_BIG:
        set_string(x, node, TERM_DIGITS, v.id);
        return;
    case TV_FLOAT:
        node->kind = TERM_FLOAT;
        node->number = v.d;
        return;
    case TV_NODE: // only in templates
        set_text(node, TERM_VARIABLE, "", 0);
        return;
    }
}

static term_ref argument(void *data, term_ref term, uint32_t i)
{
    const viewed *x = data;
    uint32_t id = (uint32_t)term.word;
    return ref_of(term.kind == GOAL ? trace_goal_arg(x->t, id, i) : trace_cell_arg(x->t, id, i));
}

static void write_term(viewed *x, base_text *out, term_ref term, unsigned priority,
                       uint32_t max_cells)
{
    term_view view = {.look = look, .argument = argument, .data = x};
    term_options options = {.quoted = true,
                            .dialect = TERM_FLENG,
                            .max_cells = max_cells,
                            .cut_when_spent = true,
                            .max_bytes = TERM_WHOLE};
    term_write(out, &view, term, priority, &options);
}

// ---- The ways in ------------------------------------------------------------------------------

enum { CYCLIC_CELLS = 20 }; // shown of a term without end

static uint32_t bounded(const viewed *x, trace_value v, uint32_t max_cells)
{
    return max_cells == TERM_WHOLE && iot_is_cyclic(x->t, v, x->at) ? CYCLIC_CELLS : max_cells;
}

// It follows a `=`, so an operator like `,` or `:-` needs parentheses.
static void write_value(viewed *x, base_text *out, trace_value v, uint32_t max_cells)
{
    write_term(x, out, ref_of(v), TERM_ARGUMENT, bounded(x, v, max_cells));
}

char *iot_term(const trace *t, const iot_names *names, trace_value v, int64_t at,
               uint32_t max_cells)
{
    viewed x = {.t = t, .names = names, .at = at};
    base_text out = {0};
    write_value(&x, &out, v, max_cells);
    return text_finish(&out);
}

void iot_names_add(iot_names *n, trace_value v, int64_t at, uint32_t max_cells)
{
    viewed x = {.t = iot_names_trace(n), .collect = n, .at = at};
    base_text out = {0};
    write_value(&x, &out, v, max_cells);
    free(out.at);
}

char *iot_goal_text(const trace *t, const iot_names *names, uint32_t goal, int64_t at,
                    uint32_t max_cells)
{
    viewed x = {.t = t, .names = names, .at = at};
    uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < arity; i++)
        max_cells = bounded(&x, trace_goal_arg(t, goal, i), max_cells);
    base_text out = {0};
    write_term(&x, &out, (term_ref){.kind = GOAL, .word = goal}, TERM_CLAUSE, max_cells);
    return text_finish(&out);
}
