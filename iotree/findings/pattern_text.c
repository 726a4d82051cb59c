// SPDX-License-Identifier: MIT
//
// Patterns of heads and guards, and items of bodies, as text.
#include "base/term_writer.h"
#include "iotree/findings/clauses.h"

enum { PATTERN_CELLS = 4, PATTERN_BYTES = 24 };
enum { PATTERN, GUARD, BODY, ITEM };

typedef struct {
    const trace *t;
    const trace_clause *c;
} pattern_view;

static void set_string(const pattern_view *x, term_node *node, term_kind kind, uint32_t string)
{
    node->kind = kind;
    node->text = trace_string(x->t, string, &node->length);
}

static void look_at_constant(const pattern_view *x, trace_value v, term_node *node)
{
    switch (v.kind) {
    case TV_INT:
        node->kind = TERM_INTEGER;
        node->integer = v.i;
        return;
    case TV_FLOAT:
        node->kind = TERM_FLOAT;
        node->number = v.d;
        return;
    case TV_STRING:
        set_string(x, node, TERM_STRING, v.id);
        return;
    case TV_BIG:
        set_string(x, node, TERM_DIGITS, v.id);
        return;
    default:
        set_string(x, node, TERM_ATOM, v.id);
        return;
    }
}

static void look_at_variable(const pattern_view *x, const trace_node *n, term_node *node)
{
    node->kind = TERM_VARIABLE;
    node->text = head_variable_name(x->c, x->t, (head_variable){n->kind == TN_HOLE, n->index});
    node->length = strlen(node->text);
}

static void look_at_body_variable(const pattern_view *x, const trace_node *n, term_node *node)
{
    uint32_t name = x->c->names[n->kind == TN_HOLE ? x->c->nfresh + n->index : n->index];
    node->kind = TERM_VARIABLE;
    node->text = "_";
    node->length = 1;
    if (name != TRACE_NONE)
        node->text = trace_string(x->t, name, &node->length);
}

// Guards and items: a structure, or an atom.
static bool look_at_whole(const pattern_view *x, term_ref term, term_node *node)
{
    const trace_item *item = &x->c->items[term.word];
    if (term.kind == GUARD) {
        const trace_guard *g = &x->c->guards[term.word];
        set_string(x, node, g->n > 0 ? TERM_STRUCT : TERM_ATOM, g->name);
        node->arity = g->n;
    } else if (term.kind == ITEM && item->kind == TI_UNIFY) {
        node->kind = TERM_STRUCT;
        node->text = "=";
        node->length = 1;
        node->arity = 2;
    } else if (term.kind == ITEM) {
        set_string(x, node, item->n > 0 ? TERM_STRUCT : TERM_ATOM,
                   trace_get_predicate(x->t, item->predicate)->name);
        node->arity = item->n;
    }
    return term.kind == GUARD || term.kind == ITEM;
}

static void look(void *data, term_ref *term, term_node *node)
{
    const pattern_view *x = data;
    if (look_at_whole(x, *term, node))
        return;
    const trace_node *n =
        term->kind == BODY ? &x->c->nodes[term->word] : &x->c->patterns[term->word];
    node->arity = n->n;
    switch (n->kind) {
    case TN_CONS:
        node->kind = TERM_CONS;
        return;
    case TN_STRUCT:
        set_string(x, node, TERM_STRUCT, n->value.id);
        return;
    case TN_VECTOR:
        node->kind = TERM_VECTOR;
        return;
    case TN_CONST:
        look_at_constant(x, n->value, node);
        return;
    default:
        if (term->kind == BODY)
            look_at_body_variable(x, n, node);
        else
            look_at_variable(x, n, node);
        return;
    }
}

static term_ref argument(void *data, term_ref term, uint32_t i)
{
    const pattern_view *x = data;
    const trace_clause *c = x->c;
    switch (term.kind) {
    case GUARD:
        return (term_ref){.kind = PATTERN,
                          .word = c->pattern_children[c->guards[term.word].first + i]};
    case ITEM:
        return (term_ref){.kind = BODY, .word = c->children[c->items[term.word].first + i]};
    case BODY:
        return (term_ref){.kind = BODY, .word = c->children[c->nodes[term.word].first + i]};
    default:
        return (term_ref){.kind = PATTERN,
                          .word = c->pattern_children[c->patterns[term.word].first + i]};
    }
}

static char *write_text(const trace *t, uint32_t clause, term_ref term, unsigned priority)
{
    pattern_view x = {t, trace_get_clause(t, clause)};
    term_view view = {.look = look, .argument = argument, .data = &x};
    term_options options = {.quoted = true,
                            .spaced = term.kind == ITEM,
                            .dialect = TERM_FLENG,
                            .max_cells = PATTERN_CELLS,
                            .cut_when_spent = true,
                            .max_bytes = PATTERN_BYTES};
    base_text out = {0};
    term_write(&out, &view, term, priority, &options);
    return text_finish(&out);
}

char *test_text(const trace *t, clause_test test)
{
    return write_text(t, test.clause,
                      (term_ref){.kind = test.guard ? GUARD : PATTERN, .word = test.at},
                      TERM_ARGUMENT);
}

char *item_text(const trace *t, uint32_t clause, uint32_t item)
{
    return write_text(t, clause, (term_ref){.kind = ITEM, .word = item}, TERM_CLAUSE);
}
