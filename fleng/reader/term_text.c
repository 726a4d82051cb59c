// SPDX-License-Identifier: MIT
//
// Terms of the text written again, for dumps and messages.
#include "fleng/reader/parse.h"

#include <math.h>
#include <stdlib.h>

typedef enum { WRITE_TERM, WRITE_TEXT, WRITE_TAIL, WRITE_ARGUMENTS } write_kind;

typedef struct {
    write_kind kind;
    const fl_term *term;
    const char *text;
    unsigned most; // WRITE_TERM: priority that needs no parentheses
    uint32_t next; // WRITE_ARGUMENTS: the next one
} write_work;

typedef struct {
    char *at;
    size_t n, capacity;
    ARRAY_OF(write_work) todo;
    const fl_variable *variables;
    uint32_t cells, max_cells;
    const fl_term *marked;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    if (w->n + length + 1 > w->capacity) {
        w->capacity = (w->n + length + 1) * 2;
        char *larger = vm_alloc_atomic(w->capacity);
        memcpy(larger, w->at, w->n);
        w->at = larger;
    }
    memcpy(w->at + w->n, text, length);
    w->n += length;
    w->at[w->n] = '\0';
}

static void put_text(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_quoted(writer *w, const char *text, size_t length, char quote)
{
    put(w, &quote, 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escape[8];
        if (c == (unsigned char)quote || c == '\\') {
            put(w, "\\", 1);
            put(w, text + i, 1);
        } else if (c == '\n' || c == '\t') {
            put_text(w, c == '\n' ? "\\n" : "\\t");
        } else if (c < ' ' || c == 0x7f) {
            put(w, escape, (size_t)snprintf(escape, sizeof escape, "\\x%x\\", c));
        } else {
            put(w, text + i, 1);
        }
    }
    put(w, &quote, 1);
}

static void put_atom(writer *w, const char *text, size_t length)
{
    if (fl_atom_needs_quotes(text, length))
        put_quoted(w, text, length, '\'');
    else
        put(w, text, length);
}

static void put_float(writer *w, double number)
{
    char text[40];
    if (!isfinite(number)) {
        put_text(w, isnan(number) ? "1.5NaN" : number < 0 ? "-1.0Inf" : "1.0Inf");
        return;
    }
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.17g", number);
    put_text(w, text);
    if (strspn(text, "-0123456789") == strlen(text))
        put_text(w, ".0");
}

static void put_variable(writer *w, uint32_t number)
{
    char text[24];
    const char *name = w->variables ? w->variables[number].name : "_";
    if (strcmp(name, "_") == 0 && !w->marked) {
        snprintf(text, sizeof text, "_%u", number + 1);
        name = text;
    }
    put_text(w, name);
}

static void later(writer *w, write_work work)
{
    FL_PUSH(w->todo, work);
}

static void later_text(writer *w, const char *text)
{
    later(w, (write_work){.kind = WRITE_TEXT, .text = text});
}

static void later_term(writer *w, const fl_term *t, unsigned most)
{
    later(w, (write_work){.kind = WRITE_TERM, .term = t, .most = most});
}

// An operand: an atom that is an operator itself stands in parentheses.
static void later_operand(writer *w, const fl_term *t, unsigned most)
{
    bool bare = t->kind == FL_ATOM && (fl_infix_operator(t->text).priority > 0 ||
                                       fl_prefix_operator(t->text).priority > 0);
    if (bare)
        later_text(w, ")");
    later_term(w, t, most);
    if (bare)
        later_text(w, "(");
}

// What comes last is pushed first.
static void put_infix(writer *w, const fl_term *t, fl_operator op, bool parentheses)
{
    bool comma = strcmp(t->text, ",") == 0;
    if (parentheses)
        later_text(w, ")");
    later_operand(w, t->args[1], op.right);
    later_text(w, " ");
    later_text(w, t->text);
    later_text(w, comma ? "" : " ");
    later_operand(w, t->args[0], op.left);
    if (parentheses)
        later_text(w, "(");
}

static void put_prefix(writer *w, const fl_term *t, fl_operator op, bool parentheses)
{
    if (parentheses)
        later_text(w, ")");
    later_operand(w, t->args[0], op.right);
    later_text(w, " ");
    later_text(w, t->text);
    if (parentheses)
        later_text(w, "(");
}

static void put_struct(writer *w, const fl_term *t, unsigned most)
{
    fl_operator op = {0};
    if (t->n == 2 && (op = fl_infix_operator(t->text)).priority > 0) {
        put_infix(w, t, op, op.priority > most);
    } else if (t->n == 1 && (op = fl_prefix_operator(t->text)).priority > 0) {
        put_prefix(w, t, op, op.priority > most);
    } else {
        put_atom(w, t->text, t->length);
        put(w, "(", 1);
        later(w, (write_work){.kind = WRITE_ARGUMENTS, .term = t, .text = ")"});
    }
}

static void put_term(writer *w, const fl_term *t, unsigned most)
{
    if (w->max_cells && ++w->cells > w->max_cells) {
        put_text(w, "...");
        return;
    }
    if (t == w->marked) {
        put_text(w, "\001");
        later_text(w, "\002");
    }
    switch (t->kind) {
    case FL_VAR:
        put_variable(w, t->var);
        break;
    case FL_INT:
        put(w, t->text, t->length);
        break;
    case FL_FLOAT:
        put_float(w, t->number);
        break;
    case FL_ATOM:
        put_atom(w, t->text, t->length);
        break;
    case FL_STRING:
        put_quoted(w, t->text, t->length, '"');
        break;
    case FL_CONS:
        put(w, "[", 1);
        later(w, (write_work){.kind = WRITE_TAIL, .term = t->args[1]});
        later_term(w, t->args[0], PRIORITY_ARGUMENT);
        break;
    case FL_STRUCT:
        put_struct(w, t, most);
        break;
    case FL_VECTOR:
        put(w, "{", 1);
        later(w, (write_work){.kind = WRITE_ARGUMENTS, .term = t, .text = "}"});
        break;
    }
}

static void put_tail(writer *w, const fl_term *t)
{
    if (t->kind == FL_CONS && w->max_cells && w->cells >= w->max_cells) {
        put_text(w, ", ...]");
    } else if (t->kind == FL_CONS) {
        put_text(w, t == w->marked ? ", \001" : ", ");
        later(w, (write_work){.kind = WRITE_TAIL, .term = t->args[1]});
        later_text(w, t == w->marked ? "\002" : "");
        later_term(w, t->args[0], PRIORITY_ARGUMENT);
    } else if (fl_is_atom(t, "[]")) {
        put_text(w, t == w->marked ? "\001]\002" : "]");
    } else {
        put(w, "|", 1);
        later_text(w, "]");
        later_term(w, t, PRIORITY_ARGUMENT);
    }
}

static void put_arguments(writer *w, write_work work)
{
    if (work.next == work.term->n) {
        put_text(w, work.text);
        return;
    }
    if (work.next > 0)
        put_text(w, ", ");
    const fl_term *argument = work.term->args[work.next++];
    later(w, work);
    later_term(w, argument, PRIORITY_ARGUMENT);
}

const char *fl_term_text(const fl_term *t, const fl_variable *variables, uint32_t max_cells)
{
    return fl_term_text_marked(t, variables, max_cells, NULL);
}

const char *fl_term_text_marked(const fl_term *t, const fl_variable *variables, uint32_t max_cells,
                                const fl_term *marked)
{
    writer w = {
        .variables = variables, .max_cells = max_cells, .marked = marked, .capacity = 64};
    w.at = vm_alloc_atomic(w.capacity);
    later_term(&w, t, PRIORITY_CLAUSE);
    while (w.todo.n > 0) {
        write_work work = w.todo.at[--w.todo.n];
        switch (work.kind) {
        case WRITE_TERM:
            put_term(&w, work.term, work.most);
            break;
        case WRITE_TEXT:
            put_text(&w, work.text);
            break;
        case WRITE_TAIL:
            put_tail(&w, work.term);
            break;
        case WRITE_ARGUMENTS:
            put_arguments(&w, work);
            break;
        }
    }
    w.at[w.n] = '\0';
    return w.at;
}
