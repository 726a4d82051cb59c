// SPDX-License-Identifier: MIT
//
// The text of terms. What remains to be written is a stack of items, so that depth and length are
// limited by memory alone.
#include "vm/term/names.h"
#include "vm/term/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    ITEM_TERM,      // word, where an operator of at most `priority` needs no parentheses
    ITEM_TEXT,      // text
    ITEM_ARGUMENTS, // those of the compound word from number `next` on, and the closing text
    ITEM_TAIL,      // what follows in a list
    ITEM_INFIX,     // the operator with atom number `next`
} item_kind;

typedef struct {
    item_kind kind;
    int priority;
    uint32_t next;
    vm_word word;
    const char *text;
} item;

// What stands before the token to be written, as far as it matters for a space between.
typedef enum { AFTER_OTHER, AFTER_INFIX, AFTER_PREFIX } context;

typedef struct {
    const vm_var *variable;
    uint32_t number;
} numbered;

typedef struct {
    vm_text *out;
    size_t start; // of this term in out
    vm_print_options options;
    ARRAY_OF(item) todo;
    uint32_t cells;
    context context;
    numbered *variables; // open addressing; a power of two places, at most half full
    uint32_t nvariables, nplaces;
} printer;

// ---- Operators ------------------------------------------------------------------------------

typedef struct {
    int priority;    // 0: none
    int left, right; // greatest priorities of the operands
} operator_type;

// clang-format off
#define XFX(p) {p, p - 1, p - 1}
#define XFY(p) {p, p - 1, p}
#define YFX(p) {p, p, p - 1}
#define FX(p) {p, 0, p - 1}
#define FY(p) {p, 0, p}
// clang-format on

static const operator_type infix[ATOM_NAMES_END] = {
    [ATOM_NECK] = XFX(1200),
    [ATOM_ARROW_RULE] = XFX(1200),
    [ATOM_SEMICOLON] = XFY(1100),
    [ATOM_BAR] = XFY(1100),
    [ATOM_ARROW] = XFY(1050),
    [ATOM_COMMA] = XFY(1000),
    [ATOM_AT] = YFX(950),
    [ATOM_EQUALS] = XFX(700),
    [ATOM_DIFFERS] = XFX(700),
    [ATOM_SAME] = XFX(700),
    [ATOM_NOT_SAME] = XFX(700),
    [ATOM_BEFORE] = XFX(700),
    [ATOM_AFTER] = XFX(700),
    [ATOM_NOT_AFTER] = XFX(700),
    [ATOM_NOT_BEFORE] = XFX(700),
    [ATOM_UNIV] = XFX(700),
    [ATOM_IS] = XFX(700),
    [ATOM_NUMBER_SAME] = XFX(700),
    [ATOM_NUMBER_DIFFERS] = XFX(700),
    [ATOM_LESS] = XFX(700),
    [ATOM_LESS_EQUAL] = XFX(700),
    [ATOM_GREATER] = XFX(700),
    [ATOM_GREATER_EQUAL] = XFX(700),
    [ATOM_ASSIGN] = XFX(700),
    [ATOM_FLOAT_ASSIGN] = XFX(700),
    [ATOM_FLOAT_SAME] = XFX(700),
    [ATOM_FLOAT_DIFFERS] = XFX(700),
    [ATOM_FLOAT_LESS] = XFX(700),
    [ATOM_FLOAT_GREATER] = XFX(700),
    [ATOM_FLOAT_LESS_EQUAL] = XFX(700),
    [ATOM_FLOAT_GREATER_EQUAL] = XFX(700),
    [ATOM_PLUS] = YFX(500),
    [ATOM_MINUS] = YFX(500),
    [ATOM_AND] = YFX(500),
    [ATOM_OR] = YFX(500),
    [ATOM_XOR] = YFX(500),
    [ATOM_TIMES] = YFX(400),
    [ATOM_SLASH] = YFX(400),
    [ATOM_INT_DIVIDE] = YFX(400),
    [ATOM_MOD] = YFX(400),
    [ATOM_REM] = YFX(400),
    [ATOM_DIV] = YFX(400),
    [ATOM_SHIFT_LEFT] = YFX(400),
    [ATOM_SHIFT_RIGHT] = YFX(400),
    [ATOM_POWER] = XFX(200),
    [ATOM_CARET] = XFY(200),
    [ATOM_COLON] = XFY(200),
};

static const operator_type prefix[ATOM_NAMES_END] = {
    [ATOM_NECK] = FX(1200), [ATOM_QUERY] = FX(1200), [ATOM_NOT] = FY(900),
    [ATOM_MINUS] = FY(200), [ATOM_PLUS] = FY(200),   [ATOM_COMPLEMENT] = FY(200),
};

static bool is_operator(uint32_t atom)
{
    return atom < ATOM_NAMES_END && (infix[atom].priority || prefix[atom].priority);
}

// ---- Tokens ---------------------------------------------------------------------------------

static bool is_symbol(char c)
{
    return c && strchr("+-*/\\^<>=~:.?@#&$", c);
}

// A space where the token that begins with c would run into what stands before it.
static void begin_token(printer *p, char c)
{
    bool space = false;
    if (p->context != AFTER_OTHER && is_symbol(c))
        space = true;
    if (p->context == AFTER_PREFIX && (isdigit((unsigned char)c) || c == '('))
        space = true;
    if (space)
        vm_text_add_char(p->out, ' ');
    p->context = AFTER_OTHER;
}

static void put(printer *p, const char *text, size_t length)
{
    begin_token(p, length ? text[0] : ' ');
    vm_text_add(p->out, text, length);
}

static void put_string(printer *p, const char *text)
{
    put(p, text, strlen(text));
}

static bool is_word(const char *text, size_t length)
{
    if (!islower((unsigned char)text[0]))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && !(text[i] & 0x80))
            return false;
    return true;
}

static bool is_symbol_atom(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_symbol(text[i]))
            return false;
    return length > 0 && strcmp(text, ".") != 0 && strncmp(text, "/*", 2) != 0;
}

static bool needs_quotes(const char *text, size_t length)
{
    if (strcmp(text, "[]") == 0 || strcmp(text, "!") == 0 || strcmp(text, ";") == 0)
        return false;
    return !is_word(text, length) && !is_symbol_atom(text, length);
}

static void put_quoted(printer *p, const char *text, size_t length, char mark)
{
    begin_token(p, mark);
    vm_text_add_char(p->out, mark);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escaped[8];
        if (c == (unsigned char)mark || c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c == '\n')
            strcpy(escaped, "\\n");
        else if (c == '\t')
            strcpy(escaped, "\\t");
        else if (c < ' ' || c == 0x7f)
            snprintf(escaped, sizeof escaped, "\\x%x\\", c);
        else
            snprintf(escaped, sizeof escaped, "%c", c);
        vm_text_add_string(p->out, escaped);
    }
    vm_text_add_char(p->out, mark);
}

static void put_atom(printer *p, uint32_t atom)
{
    const char *text = vm_atom_text(atom);
    size_t length = vm_atom_length(atom);
    if (p->options.quoted && needs_quotes(text, length))
        put_quoted(p, text, length, '\'');
    else
        put(p, text, length);
}

// Abbreviated terms show the beginning of long texts only.
enum { SHOWN_BYTES = 200 };

static void put_text(printer *p, const char *text, size_t length, bool quoted)
{
    bool cut = p->options.max_cells && length > SHOWN_BYTES;
    if (cut)
        for (length = SHOWN_BYTES; length > 0 && (text[length] & 0xc0) == 0x80; length--)
            continue;
    if (quoted)
        put_quoted(p, text, length, '"');
    else
        put(p, text, length);
    if (cut)
        vm_text_add_string(p->out, "...");
}

void vm_text_add_float(vm_text *t, double d)
{
    char digits[40], text[400];
    if (!isfinite(d)) {
        vm_text_add_string(t, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    for (int precision = fabs(d) < 1e-290 ? 0 : 14;; precision++) {
        snprintf(digits, sizeof digits, "%.*e", precision, d);
        if (precision >= 16 || strtod(digits, NULL) == d)
            break;
    }
    const char *e = strchr(digits, 'e'), *point = strchr(digits, '.'), *end = e;
    while (point && end[-1] == '0')
        end--;
    int exponent = atoi(e + 1), places = point ? (int)(end - point) - 1 : 0;
    if (exponent >= -4 && exponent < 16) {
        snprintf(text, sizeof text, "%.*f", places > exponent ? places - exponent : 1, d);
    } else {
        const char *fraction = places ? "" : ".0"; // 1.0e+16
        snprintf(digits, sizeof digits, "%.*e", places, d);
        size_t mantissa = strcspn(digits, "e");
        snprintf(text, sizeof text, "%.*s%s%s", (int)mantissa, digits, fraction, digits + mantissa);
    }
    vm_text_add_string(t, text);
}

static void put_number(printer *p, vm_word w)
{
    char text[32];
    if (vm_tag(w) == TAG_INT) {
        snprintf(text, sizeof text, "%lld", (long long)vm_int_value(w));
        put_string(p, text);
    } else if (vm_is_box(w, BOX_BIG)) {
        char *digits = mpz_get_str(NULL, 10, ((const vm_big *)vm_as_box(w))->value);
        put_text(p, digits, strlen(digits), false);
    } else {
        double d = ((const vm_float *)vm_as_box(w))->value;
        begin_token(p, signbit(d) ? '-' : '0');
        vm_text_add_float(p->out, d);
    }
}

// ---- Variables ------------------------------------------------------------------------------

static numbered *variable_place(printer *p, const vm_var *v)
{
    size_t hash = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u >> 20;
    size_t at = hash & (p->nplaces - 1);
    while (p->variables[at].variable && p->variables[at].variable != v)
        at = (at + 1) & (p->nplaces - 1);
    return &p->variables[at];
}

static uint32_t variable_number(printer *p, const vm_var *v)
{
    if (2 * p->nvariables >= p->nplaces) {
        numbered *old = p->variables;
        uint32_t n = p->nplaces;
        p->nplaces = n ? 2 * n : 16;
        p->variables = vm_alloc(p->nplaces * sizeof *p->variables);
        for (uint32_t i = 0; i < n; i++)
            if (old[i].variable)
                *variable_place(p, old[i].variable) = old[i];
    }
    numbered *place = variable_place(p, v);
    if (!place->variable)
        *place = (numbered){v, ++p->nvariables};
    return place->number;
}

static void put_variable(printer *p, const vm_var *v)
{
    const char *name = NULL;
    char text[16];
    if (p->options.variable_name)
        name = p->options.variable_name(p->options.data, v);
    if (!name) {
        snprintf(text, sizeof text, "_%u", variable_number(p, v));
        name = text;
    }
    put_string(p, name);
}

// ---- Compounds ------------------------------------------------------------------------------

static void later(printer *p, item i)
{
    VM_PUSH(p->todo, i);
}

static void later_text(printer *p, const char *text)
{
    later(p, (item){.kind = ITEM_TEXT, .text = text});
}

static void later_term(printer *p, vm_word w, int priority)
{
    later(p, (item){.kind = ITEM_TERM, .word = w, .priority = priority});
}

// Counts a compound; false: it is to be abbreviated.
static bool count_cell(printer *p)
{
    return !p->options.max_cells || p->cells++ < p->options.max_cells;
}

static void open_parenthesis(printer *p)
{
    put_string(p, "(");
    later_text(p, ")");
}

static void put_operator_term(printer *p, vm_word w, uint32_t name, int priority)
{
    bool is_infix = vm_functor_arity(vm_words(w)[0]) == 2;
    operator_type o = is_infix ? infix[name] : prefix[name];
    if (o.priority > priority)
        open_parenthesis(p);
    if (is_infix) {
        later_term(p, vm_struct_arg(w, 1), o.right);
        later(p, (item){.kind = ITEM_INFIX, .next = name});
        later_term(p, vm_struct_arg(w, 0), o.left);
    } else {
        put_atom(p, name);
        p->context = AFTER_PREFIX;
        later_term(p, vm_struct_arg(w, 0), o.right);
    }
}

static void put_infix(printer *p, uint32_t name)
{
    const char *text = vm_atom_text(name);
    if (name == ATOM_COMMA) {
        vm_text_add_char(p->out, ',');
    } else if (isalpha((unsigned char)text[0])) {
        vm_text_add_char(p->out, ' ');
        vm_text_add_string(p->out, text);
        vm_text_add_char(p->out, ' ');
    } else {
        if (p->out->n > p->start && is_symbol(p->out->at[p->out->n - 1]))
            vm_text_add_char(p->out, ' ');
        vm_text_add_string(p->out, text);
        p->context = AFTER_INFIX;
    }
}

static void put_struct(printer *p, vm_word w, int priority)
{
    vm_word functor = vm_words(w)[0];
    uint32_t name = vm_functor_name(functor), arity = vm_functor_arity(functor);
    if (name < ATOM_NAMES_END &&
        ((arity == 2 && infix[name].priority) || (arity == 1 && prefix[name].priority))) {
        put_operator_term(p, w, name, priority);
        return;
    }
    put_atom(p, name);
    vm_text_add_char(p->out, '(');
    later(p, (item){.kind = ITEM_ARGUMENTS, .word = w, .text = ")"});
}

static void put_term(printer *p, vm_word w, int priority)
{
    w = vm_end_of(w);
    if (vm_arguments(w) >= 0 && !count_cell(p)) {
        put_string(p, "...");
        return;
    }
    switch (vm_tag(w)) {
    case TAG_REF:
        put_variable(p, vm_as_var(w));
        return;
    case TAG_ATOM:
        if (is_operator(vm_atom_number(w)) && priority < 1200 && priority != 999)
            open_parenthesis(p);
        put_atom(p, vm_atom_number(w));
        return;
    case TAG_CONS:
        put_string(p, "[");
        later(p, (item){.kind = ITEM_TAIL, .word = vm_tail(w)});
        later_term(p, vm_head(w), 999);
        return;
    case TAG_STRUCT:
        put_struct(p, w, priority);
        return;
    default:
        break;
    }
    if (vm_is_box(w, BOX_STRING)) {
        const vm_string *s = (const vm_string *)vm_as_box(w);
        put_text(p, s->text, s->length, p->options.quoted);
    } else if (vm_is_box(w, BOX_VECTOR)) {
        put_string(p, "{");
        later(p, (item){.kind = ITEM_ARGUMENTS, .word = w, .text = "}"});
    } else {
        put_number(p, w);
    }
}

static void put_arguments(printer *p, item i)
{
    if (i.next == vm_arguments(i.word)) {
        put_string(p, i.text);
        return;
    }
    if (i.next > 0)
        put_string(p, ",");
    if (p->options.max_cells && i.next >= p->options.max_cells) { // a long vector
        put_string(p, "...");
        put_string(p, i.text);
        return;
    }
    vm_word argument = vm_argument(i.word, i.next);
    i.next++;
    later(p, i);
    later_term(p, argument, 999);
}

static void put_tail(printer *p, vm_word w)
{
    w = vm_end_of(w);
    if (vm_tag(w) == TAG_CONS && count_cell(p)) {
        put_string(p, ",");
        later(p, (item){.kind = ITEM_TAIL, .word = vm_tail(w)});
        later_term(p, vm_head(w), 999);
    } else if (w == VM_NIL) {
        put_string(p, "]");
    } else {
        later_text(p, "]");
        if (vm_tag(w) == TAG_CONS)
            later_text(p, "...");
        else
            later_term(p, w, 999);
        put_string(p, "|");
    }
}

void vm_text_add_term(vm_text *t, vm_word term, const vm_print_options *o)
{
    printer p = {.out = t, .start = t->n, .options = *o};
    later_term(&p, term, 1200);
    while (p.todo.n > 0) {
        item i = p.todo.at[--p.todo.n];
        switch (i.kind) {
        case ITEM_TERM:
            put_term(&p, i.word, i.priority);
            break;
        case ITEM_TEXT:
            put_string(&p, i.text);
            break;
        case ITEM_ARGUMENTS:
            put_arguments(&p, i);
            break;
        case ITEM_TAIL:
            put_tail(&p, i.word);
            break;
        case ITEM_INFIX:
            put_infix(&p, i.next);
            break;
        }
    }
}

enum { CYCLIC_CELLS = 100 }; // shown of a term without end

char *vm_term_text(vm_machine *m, vm_word term, const vm_print_options *o, size_t *ret_length)
{
    (void)m;
    vm_text t = {0};
    vm_print_options options = *o;
    if (!options.max_cells && vm_is_cyclic(term))
        options.max_cells = CYCLIC_CELLS;
    vm_text_add_term(&t, term, &options);
    char *text = malloc(t.n + 1);
    if (!text)
        return NULL;
    if (t.n)
        memcpy(text, t.at, t.n);
    text[t.n] = '\0';
    if (ret_length)
        *ret_length = t.n;
    return text;
}
