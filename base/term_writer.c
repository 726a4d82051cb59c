// SPDX-License-Identifier: MIT
//
// The loop takes the top item of the stack, writes a token and pushes what follows. Spaces depend on
// the operator before a token and on the token's first character.
#include "base/term_writer.h"

#include "base/array.h"
#include "base/term_tokens.h"

typedef enum {
    ITEM_TERM,      // a term, where an operator of at most `priority` needs no parentheses
    ITEM_TEXT,      // text
    ITEM_ARGUMENTS, // the arguments of a compound from number `next` on, and what closes it
    ITEM_TAIL,      // the tail of a list
    ITEM_INFIX,     // operator
} item_kind;

typedef struct {
    uint8_t kind;
    bool uncounted;    // ITEM_ARGUMENTS
    uint16_t priority; // ITEM_TERM
    uint32_t next;     // ITEM_ARGUMENTS
    uint32_t arity;    // ITEM_ARGUMENTS
    char close;        // ITEM_ARGUMENTS
    union {
        term_ref term;
        const char *text;
        const term_operator *operator;
    };
} item;

// What precedes the token to be written, as far as it matters for a space between.
typedef enum { AFTER_OTHER, AFTER_INFIX, AFTER_PREFIX } context;

typedef struct {
    const term_view *view;
    term_options options;
    base_text *out;
    size_t start; // of this term in out
    ARRAY_OF(item) todo;
    uint32_t cells;
    context context;
} writer;

// ---- Tokens ---------------------------------------------------------------------------------

static inline void add_char(writer *w, char c)
{
    if (w->out->n == w->out->capacity)
        text_reserve(w->out, 1);
    w->out->at[w->out->n++] = c;
}

// A space where the token that begins with c would run into the operator before it.
static void begin_token(writer *w, char c)
{
    if (w->context == AFTER_OTHER)
        return;
    bool touches = w->context == AFTER_PREFIX && ((c >= '0' && c <= '9') || c == '(');
    if (touches || term_is_symbol(c))
        add_char(w, ' ');
    w->context = AFTER_OTHER;
}

static void put(writer *w, const char *text, size_t length)
{
    begin_token(w, length ? text[0] : ' ');
    text_add(w->out, text, length);
}

static void put_string(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_mark(writer *w, char mark)
{
    begin_token(w, mark);
    add_char(w, mark);
}

static void put_comma(writer *w)
{
    add_char(w, ',');
    if (w->options.spaced)
        add_char(w, ' ');
}

static void put_quoted(writer *w, const char *text, size_t length, char mark)
{
    begin_token(w, mark);
    term_add_quoted(w->out, text, length, mark, w->options.dialect);
}

static void put_atom(writer *w, const char *text, size_t length)
{
    if (w->options.quoted && term_atom_needs_quotes(text, length))
        put_quoted(w, text, length, '\'');
    else
        put(w, text, length);
}

// A string or a number. A limit does not split a character.
static void put_text(writer *w, const char *text, size_t length, bool quoted)
{
    bool cut = length > w->options.max_bytes;
    if (cut)
        for (length = w->options.max_bytes; length > 0 && (text[length] & 0xc0) == 0x80; length--)
            continue;
    if (quoted)
        put_quoted(w, text, length, '"');
    else
        put(w, text, length);
    if (cut)
        text_add_string(w->out, "...");
}

// ---- What is to be written ------------------------------------------------------------------

static inline void later(writer *w, item i)
{
    ARRAY_PUSH_ON(w->options.heap, w->todo, i);
}

static void later_text(writer *w, const char *text)
{
    later(w, (item){.kind = ITEM_TEXT, .text = text});
}

static void later_term(writer *w, term_ref t, unsigned priority)
{
    later(w, (item){.kind = ITEM_TERM, .term = t, .priority = (uint16_t)priority});
}

static term_ref argument(const writer *w, term_ref t, uint32_t i)
{
    return w->view->argument(w->view->data, t, i);
}

static void look(const writer *w, term_ref *t, term_node *ret)
{
    ret->uncounted = false;
    w->view->look(w->view->data, t, ret);
}

// Counts a compound; false: `...` stands for it.
static bool count_cell(writer *w)
{
    if (w->cells >= w->options.max_cells)
        return false;
    w->cells += w->options.max_cells != TERM_WHOLE;
    return true;
}

static bool is_marked(const writer *w, term_ref t)
{
    const term_ref *m = w->options.marked;
    return m && m->word == t.word && m->kind == t.kind;
}

// ---- Compounds ------------------------------------------------------------------------------

static void open_parenthesis(writer *w)
{
    put_mark(w, '(');
    later_text(w, ")");
}

// The operator as which a structure is written, or NULL.
static const term_operator *operator_of(const writer *w, const term_node *n)
{
    if (n->arity == 2)
        return term_infix(n->text, n->length, w->options.dialect);
    return n->arity == 1 ? term_prefix(n->text, n->length, w->options.dialect) : NULL;
}

static void put_operator_term(writer *w, term_ref t, const term_operator *o, unsigned priority)
{
    if (o->priority > priority)
        open_parenthesis(w);
    if (o->left > 0) {
        later_term(w, argument(w, t, 1), o->right);
        later(w, (item){.kind = ITEM_INFIX, .operator = o});
        later_term(w, argument(w, t, 0), o->left);
        return;
    }
    put(w, o->name, o->length);
    if (w->options.spaced)
        add_char(w, ' ');
    else
        w->context = AFTER_PREFIX;
    later_term(w, argument(w, t, 0), o->right);
}

static void put_infix(writer *w, const term_operator *o)
{
    if (o->priority == 1000) { // the comma
        put_comma(w);
    } else if (o->is_word || w->options.spaced) {
        add_char(w, ' ');
        text_add(w->out, o->name, o->length);
        add_char(w, ' ');
    } else {
        if (w->out->n > w->start && term_is_symbol(w->out->at[w->out->n - 1]))
            add_char(w, ' ');
        text_add(w->out, o->name, o->length);
        w->context = AFTER_INFIX;
    }
}

static void put_struct(writer *w, term_ref t, const term_node *n, unsigned priority)
{
    const term_operator *o = operator_of(w, n);
    if (o) {
        put_operator_term(w, t, o, priority);
        return;
    }
    if (w->options.quoted && n->length == 2 && memcmp(n->text, "[]", 2) == 0)
        put_quoted(w, n->text, n->length, '\''); // `[](a)` could not be read
    else
        put_atom(w, n->text, n->length);
    add_char(w, '(');
    later(w, (item){.kind = ITEM_ARGUMENTS,
                    .term = t,
                    .arity = n->arity,
                    .uncounted = n->uncounted,
                    .close = ')'});
}

static void put_compound(writer *w, term_ref t, const term_node *n, unsigned priority)
{
    if (n->kind == TERM_STRUCT) {
        put_struct(w, t, n, priority);
    } else if (n->kind == TERM_CONS) {
        put_mark(w, '[');
        later(w, (item){.kind = ITEM_TAIL, .term = argument(w, t, 1)});
        later_term(w, argument(w, t, 0), TERM_ARGUMENT);
    } else {
        put_mark(w, '{');
        later(w, (item){.kind = ITEM_ARGUMENTS, .term = t, .arity = n->arity, .close = '}'});
    }
}

// An atom that is an operator is put in parentheses where it is an operand.
static void put_atom_term(writer *w, const term_node *n, unsigned priority)
{
    bool operand = priority < TERM_CLAUSE && priority != TERM_ARGUMENT;
    if (operand && (term_infix(n->text, n->length, w->options.dialect) ||
                    term_prefix(n->text, n->length, w->options.dialect)))
        open_parenthesis(w);
    put_atom(w, n->text, n->length);
}

static void put_term(writer *w, term_ref t, unsigned priority)
{
    term_node n;
    look(w, &t, &n);
    bool compound = n.kind >= TERM_CONS;
    if (compound && !n.uncounted && !count_cell(w)) {
        put_string(w, "...");
        return;
    }
    if (is_marked(w, t)) {
        put_mark(w, '\1');
        later_text(w, "\2");
    }
    switch (n.kind) {
    case TERM_VARIABLE:
        put(w, n.text, n.length);
        return;
    case TERM_INTEGER:
        begin_token(w, n.integer < 0 ? '-' : '0');
        term_add_integer(w->out, n.integer);
        return;
    case TERM_DIGITS:
        put_text(w, n.text, n.length, false);
        return;
    case TERM_FLOAT:
        begin_token(w, __builtin_signbit(n.number) ? '-' : '0');
        term_add_float(w->out, n.number);
        return;
    case TERM_ATOM:
        put_atom_term(w, &n, priority);
        return;
    case TERM_STRING:
        put_text(w, n.text, n.length, w->options.quoted);
        return;
    case TERM_CONS:
    case TERM_STRUCT:
    case TERM_VECTOR:
        put_compound(w, t, &n, priority);
        return;
    }
}

static bool leaves_out(const writer *w, const item *i)
{
    if (w->options.cut_when_spent)
        return i->next > 0 && !i->uncounted && w->cells >= w->options.max_cells;
    return i->next >= w->options.max_cells;
}

// One argument at a time, so that the stack does not grow with the arity. The item stays on the
// stack until nothing is left of it.
static void put_arguments(writer *w)
{
    item *i = &w->todo.at[w->todo.n - 1];
    bool more = i->next < i->arity;
    if (more && i->next > 0)
        put_comma(w);
    if (more && !leaves_out(w, i)) {
        later_term(w, argument(w, i->term, i->next++), TERM_ARGUMENT);
        return;
    }
    if (more)
        put_string(w, "...");
    put_mark(w, i->close);
    w->todo.n--;
}

static void put_element(writer *w, term_ref list)
{
    bool marked = is_marked(w, list); // the mark is around the element
    put_comma(w);
    if (marked)
        put_mark(w, '\1');
    later(w, (item){.kind = ITEM_TAIL, .term = argument(w, list, 1)});
    if (marked)
        later_text(w, "\2");
    later_term(w, argument(w, list, 0), TERM_ARGUMENT);
}

static void put_tail(writer *w, term_ref t)
{
    term_node n;
    look(w, &t, &n);
    if (n.kind == TERM_CONS && count_cell(w)) {
        put_element(w, t);
    } else if (n.kind == TERM_ATOM && n.length == 2 && memcmp(n.text, "[]", 2) == 0) {
        put_string(w, is_marked(w, t) ? "\1]\2" : "]");
    } else {
        put_mark(w, '|');
        later_text(w, "]");
        if (n.kind == TERM_CONS)
            later_text(w, "...");
        else
            later_term(w, t, TERM_ARGUMENT);
    }
}

static void put_next(writer *w)
{
    if (w->todo.at[w->todo.n - 1].kind == ITEM_ARGUMENTS) {
        put_arguments(w);
        return;
    }
    item i = w->todo.at[--w->todo.n];
    if (i.kind == ITEM_TERM)
        put_term(w, i.term, i.priority);
    else if (i.kind == ITEM_TAIL)
        put_tail(w, i.term);
    else if (i.kind == ITEM_INFIX)
        put_infix(w, i.operator);
    else
        put_string(w, i.text);
}

void term_write(base_text *out, const term_view *view, term_ref term, unsigned priority,
                const term_options *options)
{
    writer w = {.view = view, .options = *options, .out = out, .start = out->n};
    later_term(&w, term, priority);
    while (w.todo.n > 0)
        put_next(&w);
    base_give_back(options->heap, w.todo.at);
}
