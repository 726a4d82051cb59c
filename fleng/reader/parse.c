// SPDX-License-Identifier: MIT
//
// Operator precedence parsing with explicit stacks, so that deep terms need no C stack.
//
// `frames` holds open brackets, and operators that wait for their right operand; `operands` holds
// finished terms. Reading `f(a, b - c * d` leaves
//
//     frames    TOP  ARGUMENTS f  INFIX -  INFIX *
//     operands       a            b        c        d
//
// An operator first reduces the operators above its bracket that bind at least as tightly. A
// closing bracket reduces all of them; the enclosed term becomes an operand.
#include "fleng/reader/parse.h"

#include "vm/memory.h"

#include <stdarg.h>

typedef enum {
    FRAME_TOP,
    FRAME_PAREN,
    FRAME_ARGUMENTS,
    FRAME_LIST,
    FRAME_TAIL, // of a list, behind its `|`
    FRAME_VECTOR,
    FRAME_PREFIX,
    FRAME_INFIX,
} frame_kind;

typedef struct fl_frame {
    frame_kind kind;
    unsigned priority; // of an operator
    unsigned right;    // most that what follows may have
    const char *name;  // of an operator or structure
    size_t length;
    uint32_t line, column;
    uint32_t base;    // operands below
    uint32_t bracket; // the innermost frame that is no operator
} frame;

struct fl_operand {
    fl_term *term;
};

typedef enum { STEP_OPERAND, STEP_OPERATOR, STEP_DONE, STEP_ERROR } step;

// ---- Tokens -----------------------------------------------------------------------------------

static void next_token(fl_reader *r)
{
    r->last_line = r->lexer.line;
    r->last_column = r->lexer.column;
    fl_lexer_next(&r->lexer, &r->token);
}

static bool at_mark(const fl_reader *r, char mark)
{
    return r->token.kind == TOKEN_MARK && r->token.mark == mark;
}

static const char *describe(const fl_token *t, char *buffer, size_t size)
{
    switch (t->kind) {
    case TOKEN_STOP:
        return "the full stop";
    case TOKEN_END:
        return "the end of the text";
    case TOKEN_STRING:
        return "this string";
    case TOKEN_MARK:
        snprintf(buffer, size, "`%c`", t->mark);
        return buffer;
    case TOKEN_ERROR:
        return "this";
    default:
        if (t->length > 40)
            return t->kind == TOKEN_INTEGER ? "this number" : "this name";
        snprintf(buffer, size, "`%s`", t->text);
        return buffer;
    }
}

// Reports at the token looked at, unless the lexer has done so.
__attribute__((format(printf, 2, 3))) static step fail(fl_reader *r, const char *format, ...)
{
    if (r->token.kind == TOKEN_ERROR)
        return STEP_ERROR;
    char text[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fl_error(r->lexer.messages, r->lexer.source, r->token.line, r->token.column, "%s", text);
    return STEP_ERROR;
}

// ---- Frames and operands ----------------------------------------------------------------------

static frame *top(fl_reader *r)
{
    return &r->frames.at[r->frames.n - 1];
}

static frame *bracket(fl_reader *r)
{
    return &r->frames.at[top(r)->bracket];
}

static void push_operand(fl_reader *r, fl_term *t)
{
    FL_PUSH(r->operands, (struct fl_operand){t});
}

static void push_bracket(fl_reader *r, frame_kind kind, const fl_token *t)
{
    unsigned right = kind == FRAME_TOP || kind == FRAME_PAREN ? TERM_CLAUSE : TERM_ARGUMENT;
    FL_PUSH(r->frames, (frame){.kind = kind,
                               .right = right,
                               .name = t->text,
                               .length = t->length,
                               .line = t->line,
                               .column = t->column,
                               .base = r->operands.n,
                               .bracket = r->frames.n});
}

static void push_operator(fl_reader *r, frame_kind kind, const fl_token *t,
                          const term_operator *op)
{
    uint32_t inner = top(r)->bracket;
    FL_PUSH(r->frames, (frame){.kind = kind,
                               .priority = op->priority,
                               .right = op->right,
                               .name = t->text,
                               .length = t->length,
                               .line = t->line,
                               .column = t->column,
                               .base = r->operands.n,
                               .bracket = inner});
}

// Makes the last n operands the arguments of a structure or vector.
static void make_compound(fl_reader *r, fl_kind kind, const frame *f, uint32_t n)
{
    fl_term *t = fl_new_term(kind, f->line, f->column, n);
    t->text = f->name;
    t->length = f->length;
    r->operands.n -= n;
    for (uint32_t i = 0; i < n; i++)
        t->args[i] = r->operands.at[r->operands.n + i].term;
    push_operand(r, t);
}

// Applies the operator on top to its operands.
static void reduce(fl_reader *r)
{
    frame f = *top(r);
    r->frames.n--;
    make_compound(r, FL_STRUCT, &f, f.kind == FRAME_PREFIX ? 1 : 2);
}

static void reduce_to_bracket(fl_reader *r)
{
    while (top(r)->kind == FRAME_PREFIX || top(r)->kind == FRAME_INFIX)
        reduce(r);
}

// The operands above the frame's base become a list; with a tail, the last one is it.
static void make_list(fl_reader *r, const frame *f)
{
    uint32_t last = r->operands.n;
    fl_term *list;
    if (f->kind == FRAME_TAIL)
        list = r->operands.at[--last].term;
    else
        list = fl_new_atom("[]", r->token.line, r->token.column);
    for (uint32_t i = last; i-- > f->base;) {
        fl_term *head = r->operands.at[i].term;
        fl_term *cell = fl_new_term(FL_CONS, f->line, f->column, 2);
        if (i > f->base)
            fl_term_start(head, &cell->line, &cell->column);
        cell->args[0] = head;
        cell->args[1] = list;
        list = cell;
    }
    r->operands.n = f->base;
    push_operand(r, list);
}

// ---- Operands ---------------------------------------------------------------------------------

static uint32_t variable_number(fl_reader *r, const fl_token *t)
{
    bool named = strcmp(t->text, "_") != 0;
    uintptr_t known = named ? fl_look_up(&r->variable_numbers, t->text, t->length) : 0;
    if (known)
        return (uint32_t)known - 1;
    FL_PUSH(r->variables, (fl_variable){.name = t->text, .line = t->line, .column = t->column});
    if (named)
        fl_enter(&r->variable_numbers, t->text, t->length, r->variables.n);
    return r->variables.n - 1;
}

static step take_simple(fl_reader *r, fl_kind kind)
{
    const fl_token *t = &r->token;
    fl_term *term = fl_new_term(kind, t->line, t->column, 0);
    term->text = t->text;
    term->length = t->length;
    term->number = t->number;
    if (kind == FL_VAR)
        term->var = variable_number(r, t);
    push_operand(r, term);
    next_token(r);
    return STEP_OPERATOR;
}

// The number behind a minus sign that touches it.
static step take_negative(fl_reader *r, const fl_token *sign)
{
    fl_token *t = &r->token;
    char *text = vm_alloc_atomic(t->length + 2);
    text[0] = '-';
    memcpy(text + 1, t->text, t->length + 1);
    bool zero = t->kind == TOKEN_INTEGER && strspn(t->text, "0") == t->length;
    t->text = zero ? "0" : text;
    t->length = zero ? 1 : t->length + 1;
    t->number = -t->number;
    t->line = sign->line;
    t->column = sign->column;
    return take_simple(r, t->kind == TOKEN_INTEGER ? FL_INT : FL_FLOAT);
}

static bool is_kl1(const fl_reader *r)
{
    return r->lexer.source->kl1;
}

static term_dialect dialect(const fl_reader *r)
{
    return is_kl1(r) ? TERM_KL1 : TERM_FLENG;
}

static const term_operator *infix_operator(const fl_reader *r, const char *name)
{
    return term_infix(name, strlen(name), dialect(r));
}

// Words that are operators at the beginning of a directive and nowhere else: `:- module m.`
static bool is_directive_word(const fl_reader *r, const char *word)
{
    static const char *const kl1[] = {"public",   "publicp",        "with_macro",
                                      "implicit", "local_implicit", "mode"};
    for (size_t i = 0; is_kl1(r) && i < sizeof kl1 / sizeof *kl1; i++)
        if (strcmp(word, kl1[i]) == 0)
            return true;
    return strcmp(word, "module") == 0;
}

static const term_operator *prefix_operator(const fl_reader *r, const fl_token *t)
{
    static const term_operator directive = {.priority = 1150, .right = 1149};
    const frame *f = &r->frames.at[r->frames.n - 1];
    if (r->frames.n == 2 && f->kind == FRAME_PREFIX && strcmp(f->name, ":-") == 0 &&
        is_directive_word(r, t->text))
        return &directive;
    return term_prefix(t->text, strlen(t->text), dialect(r));
}

// Is a prefix operator before this token just an atom?
static bool ends_operand(const fl_reader *r)
{
    const fl_token *t = &r->token;
    if (t->kind == TOKEN_STOP || t->kind == TOKEN_END)
        return true;
    if (t->kind == TOKEN_MARK)
        return strchr(")]},|", t->mark) != NULL;
    return t->kind == TOKEN_ATOM && !t->before_paren && infix_operator(r, t->text) &&
           !term_prefix(t->text, t->length, dialect(r));
}

static step fail_priority(fl_reader *r, const fl_token *t)
{
    bool arrow = strcmp(t->text, ":-") == 0;
    r->token = *t;
    if (arrow && bracket(r)->kind == FRAME_TOP)
        return fail(r, "`:-` inside a clause: is the full stop of the clause before missing?");
    return fail(r, "the operator `%s` does not fit here: put its term in parentheses", t->text);
}

static step take_atom(fl_reader *r)
{
    fl_token t = r->token;
    next_token(r);
    if (t.before_paren) {
        next_token(r);
        if (at_mark(r, ')'))
            return fail(r, "no arguments: write `%s` without parentheses", t.text);
        push_bracket(r, FRAME_ARGUMENTS, &t);
        return STEP_OPERAND;
    }
    bool number = r->token.kind == TOKEN_INTEGER || r->token.kind == TOKEN_FLOAT;
    if (number && !r->token.after_layout && !t.quoted && strcmp(t.text, "-") == 0)
        return take_negative(r, &t);
    const term_operator *op = prefix_operator(r, &t);
    if (op && !ends_operand(r)) {
        if (op->priority > top(r)->right)
            return fail_priority(r, &t);
        push_operator(r, FRAME_PREFIX, &t, op);
        return STEP_OPERAND;
    }
    fl_term *atom = fl_new_atom(t.text, t.line, t.column);
    atom->length = t.length;
    push_operand(r, atom);
    return STEP_OPERATOR;
}

static step take_bracket(fl_reader *r)
{
    fl_token t = r->token;
    next_token(r);
    if (t.mark == '[' && at_mark(r, ']')) {
        next_token(r);
        push_operand(r, fl_new_atom("[]", t.line, t.column));
        return STEP_OPERATOR;
    }
    if (t.mark == '{' && at_mark(r, '}')) {
        next_token(r);
        push_operand(r, fl_new_term(FL_VECTOR, t.line, t.column, 0));
        return STEP_OPERATOR;
    }
    push_bracket(r, t.mark == '(' ? FRAME_PAREN : t.mark == '[' ? FRAME_LIST : FRAME_VECTOR, &t);
    return STEP_OPERAND;
}

// Strings of KL1 that follow each other are one.
static step take_string(fl_reader *r)
{
    take_simple(r, FL_STRING);
    fl_term *t = r->operands.at[r->operands.n - 1].term;
    size_t capacity = 0;
    while (is_kl1(r) && r->token.kind == TOKEN_STRING) {
        size_t n = t->length + r->token.length;
        if (n + 1 > capacity) {
            capacity = 2 * n + 1;
            char *larger = vm_alloc_atomic(capacity);
            memcpy(larger, t->text, t->length);
            t->text = larger;
        }
        memcpy((char *)t->text + t->length, r->token.text, r->token.length + 1);
        t->length = n;
        next_token(r);
    }
    return STEP_OPERATOR;
}

// `(|)` of KL1: the bar as an atom.
static step take_bar_atom(fl_reader *r)
{
    fl_token t = r->token;
    next_token(r);
    if (!at_mark(r, ')'))
        return fail(r, "a term is expected before `|`");
    push_operand(r, fl_new_atom("|", t.line, t.column));
    return STEP_OPERATOR;
}

static step read_operand(fl_reader *r)
{
    char buffer[64];
    switch (r->token.kind) {
    case TOKEN_ATOM:
        return take_atom(r);
    case TOKEN_VARIABLE:
        return take_simple(r, FL_VAR);
    case TOKEN_INTEGER:
        return take_simple(r, FL_INT);
    case TOKEN_FLOAT:
        return take_simple(r, FL_FLOAT);
    case TOKEN_STRING:
        return take_string(r);
    case TOKEN_MARK:
        if (strchr("([{", r->token.mark))
            return take_bracket(r);
        if (r->token.mark == '|' && is_kl1(r) && top(r)->kind == FRAME_PAREN)
            return take_bar_atom(r);
        break;
    default:
        break;
    }
    return fail(r, "a term is expected before %s", describe(&r->token, buffer, sizeof buffer));
}

// ---- Operators --------------------------------------------------------------------------------

static step take_infix(fl_reader *r, const char *name)
{
    fl_token t = r->token;
    t.text = name;
    t.length = strlen(name);
    const term_operator *op = infix_operator(r, name);
    while ((top(r)->kind == FRAME_PREFIX || top(r)->kind == FRAME_INFIX) &&
           top(r)->priority <= op->left)
        reduce(r);
    if (op->priority > top(r)->right)
        return fail_priority(r, &t);
    push_operator(r, FRAME_INFIX, &t, op);
    next_token(r);
    return STEP_OPERAND;
}

static const char *closing(const frame *f)
{
    switch (f->kind) {
    case FRAME_LIST:
    case FRAME_TAIL:
        return "]";
    case FRAME_VECTOR:
        return "}";
    default:
        return ")";
    }
}

static step fail_unclosed(fl_reader *r)
{
    char buffer[64];
    const frame *f = bracket(r);
    if (f->kind == FRAME_TOP)
        return fail(r, "there is no open bracket that %s could close",
                    describe(&r->token, buffer, sizeof buffer));
    return fail(r, "`%s` is expected before %s, to close the bracket in line %u, column %u",
                closing(f), describe(&r->token, buffer, sizeof buffer), f->line, f->column);
}

static step close_bracket(fl_reader *r)
{
    frame f = *bracket(r);
    if (f.kind == FRAME_TOP || *closing(&f) != r->token.mark)
        return fail_unclosed(r);
    reduce_to_bracket(r);
    r->frames.n--;
    switch (f.kind) {
    case FRAME_ARGUMENTS:
        make_compound(r, FL_STRUCT, &f, r->operands.n - f.base);
        break;
    case FRAME_VECTOR:
        make_compound(r, FL_VECTOR, &f, r->operands.n - f.base);
        break;
    case FRAME_LIST:
    case FRAME_TAIL:
        make_list(r, &f);
        break;
    default: // parentheses leave what they enclose
        break;
    }
    next_token(r);
    return STEP_OPERATOR;
}

static step take_comma(fl_reader *r)
{
    frame_kind kind = bracket(r)->kind;
    if (kind == FRAME_TOP || kind == FRAME_PAREN)
        return take_infix(r, ",");
    if (kind == FRAME_TAIL)
        return fail(r, "a list ends after its tail: `]` is expected before `,`");
    reduce_to_bracket(r);
    next_token(r);
    return STEP_OPERAND;
}

static step take_bar(fl_reader *r)
{
    frame_kind kind = bracket(r)->kind;
    if (kind == FRAME_TAIL)
        return fail(r, "a list ends after its tail: `]` is expected before `|`");
    if (kind != FRAME_LIST)
        return take_infix(r, "|");
    reduce_to_bracket(r);
    top(r)->kind = FRAME_TAIL;
    next_token(r);
    return STEP_OPERAND;
}

// Is the previous token this one? It ended at last_line, last_column.
static bool comes_behind(const fl_reader *r, const char *text)
{
    uint32_t n = (uint32_t)strlen(text);
    size_t left;
    if (r->last_column <= n)
        return false;
    const char *at = fl_source_at(r->lexer.source, r->last_line, r->last_column - n, &left);
    return left >= n && strncmp(at, text, n) == 0;
}

// What is meant by an operator of other languages; NULL: nothing is known.
static const char *known_elsewhere(const fl_reader *r)
{
    static const struct {
        const char *text, *advice;
    } table[] = {
        {"<=", "less or equal is `=<`"},
        {"=>", "greater or equal is `>=`"},
        {"!=", "numbers that differ are tested by `=\\=`, terms by `\\=`"},
        {"<>", "numbers that differ are tested by `=\\=`, terms by `\\=`"},
        {"===", "the test for equal terms is `==`"},
        {"&&", "`,` stands between two tests that must hold"},
        {"||", "`;` stands between two tests of which one must hold"},
    };
    size_t left;
    const char *at = fl_source_at(r->lexer.source, r->token.line, r->token.column, &left);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (left >= strlen(table[i].text) && strncmp(at, table[i].text, strlen(table[i].text)) == 0)
            return table[i].advice;
    return comes_behind(r, "//") ? "a comment begins with `%`" : NULL;
}

// A token that cannot follow an operand.
static step fail_unexpected(fl_reader *r)
{
    char buffer[64];
    const fl_token *t = &r->token;
    const frame *f = bracket(r);
    const char *what = describe(t, buffer, sizeof buffer);
    if (t->kind == TOKEN_ERROR)
        return STEP_ERROR;
    if (t->kind == TOKEN_MARK && t->mark == '(' && t->after_layout)
        return fail(r, "unexpected `(`: in a structure it follows the name directly");
    if (f->kind == FRAME_TOP && t->column == 1 && t->kind == TOKEN_ATOM) {
        fl_error(r->lexer.messages, r->lexer.source, r->last_line, r->last_column,
                 "a full stop is missing here, before %s", what);
        r->started = true; // the clause is whole, and what follows is one again
        reduce_to_bracket(r);
        return STEP_DONE;
    }
    const char *advice = known_elsewhere(r);
    if (f->kind == FRAME_TOP)
        return fail(r, "an operator or a full stop is expected before %s%s%s", what, advice ? ": " : "",
                    advice ? advice : "");
    return fail(r, "an operator, `,` or `%s` is expected before %s%s%s", closing(f), what, advice ? ": " : "",
                advice ? advice : "");
}

static step end_clause(fl_reader *r)
{
    if (bracket(r)->kind != FRAME_TOP)
        return fail_unclosed(r);
    if (r->token.kind == TOKEN_END && !r->stop_optional) {
        r->token.line = r->last_line;
        r->token.column = r->last_column;
        return fail(r, "the full stop of the last clause is missing");
    }
    reduce_to_bracket(r);
    return STEP_DONE;
}

static step read_operator(fl_reader *r)
{
    const fl_token *t = &r->token;
    if (t->kind == TOKEN_STOP || t->kind == TOKEN_END)
        return end_clause(r);
    if (t->kind == TOKEN_ATOM && infix_operator(r, t->text))
        return take_infix(r, t->text);
    if (t->kind != TOKEN_MARK)
        return fail_unexpected(r);
    switch (t->mark) {
    case ',':
        return take_comma(r);
    case '|':
        return take_bar(r);
    case ')':
    case ']':
    case '}':
        return close_bracket(r);
    default:
        return fail_unexpected(r);
    }
}

// ---- Clauses ----------------------------------------------------------------------------------

void fl_reader_begin(fl_reader *r, const fl_source *source, const char *at, const char *end,
                     fl_messages *messages)
{
    *r = (fl_reader){0};
    fl_lexer_begin(&r->lexer, source, at, end, messages);
}

static void note_skipped(fl_reader *r)
{
    if (r->skipped && r->token.kind == TOKEN_ATOM)
        fl_enter(r->skipped, r->token.text, r->token.length, 1);
}

// Goes on behind the full stop of a clause in error; or, where a quote was left open (which takes
// the rest of its line, and with it the full stop), before a name at the beginning of a line.
static void skip_clause(fl_reader *r)
{
    bool open_quote = false;
    r->lexer.quiet = true;
    while (r->token.kind != TOKEN_STOP && r->token.kind != TOKEN_END && !r->started) {
        open_quote |= r->token.kind == TOKEN_ERROR;
        next_token(r);
        if (r->token.kind == TOKEN_ATOM && r->token.column == 1) {
            note_skipped(r);
            r->started = open_quote;
        }
    }
    r->lexer.quiet = false;
}

static void begin_clause(fl_reader *r)
{
    r->frames.n = r->operands.n = 0;
    r->variables.at = NULL; // the last clause keeps its own
    r->variables.n = r->variables.capacity = 0;
    fl_forget_all(&r->variable_numbers);
    if (!r->started)
        next_token(r);
    r->started = false;
    push_bracket(r, FRAME_TOP, &r->token);
}

int fl_reader_next(fl_reader *r, fl_sentence *ret_sentence)
{
    begin_clause(r);
    if (r->token.kind == TOKEN_END)
        return 0;
    fl_token first = r->token;
    step state = STEP_OPERAND;
    while (state == STEP_OPERAND || state == STEP_OPERATOR)
        state = state == STEP_OPERAND ? read_operand(r) : read_operator(r);
    if (state == STEP_ERROR) {
        r->unfinished = r->token.kind == TOKEN_END || r->lexer.open_comment;
        fl_token now = r->token;
        r->token = first;
        note_skipped(r);
        r->token = now;
        skip_clause(r);
        return -1;
    }
    *ret_sentence =
        (fl_sentence){r->operands.at[0].term, r->variables.n, r->variables.at, r->token.line};
    return 1;
}

int fl_read_term(const fl_source *source, const char **text, const char *end, fl_term **ret_term,
                 uint32_t *ret_nvariables, fl_variable **ret_variables, fl_messages *messages)
{
    fl_reader reader;
    fl_reader_begin(&reader, source, *text, end, messages);
    reader.stop_optional = true;
    fl_sentence sentence;
    int result = fl_reader_next(&reader, &sentence);
    // A clause that was resumed at the next name has that name as the token looked at.
    *text = reader.lexer.at;
    if (result == 1) {
        *ret_term = sentence.term;
        *ret_nvariables = sentence.nvariables;
        *ret_variables = sentence.variables;
    }
    return result;
}
