// SPDX-License-Identifier: MIT
//
// Terms as text. A stack of frames takes the place of recursion: a term may be as deep as memory.
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "iotree/text/names.h"
#include "iotree/text/text.h"

// ---------------------------------------------------------------------------------------------
// Operators

typedef struct {
    const char *name;
    int priority, left, right; // of the operator and the highest of its operands; left 0: prefix
} operator_entry;

static const operator_entry operators[] = {
    {":-", 1200, 1199, 1199}, {"-->", 1200, 1199, 1199}, {";", 1100, 1099, 1100},
    {"|", 1100, 1099, 1100},  {"->", 1050, 1049, 1050},  {",", 1000, 999, 1000},
    {"@", 950, 950, 949},     {"=", 700, 699, 699},      {"\\=", 700, 699, 699},
    {"==", 700, 699, 699},    {"\\==", 700, 699, 699},   {"@<", 700, 699, 699},
    {"@>", 700, 699, 699},    {"@=<", 700, 699, 699},    {"@>=", 700, 699, 699},
    {"=..", 700, 699, 699},   {"is", 700, 699, 699},     {"=:=", 700, 699, 699},
    {"=\\=", 700, 699, 699},  {"<", 700, 699, 699},      {"=<", 700, 699, 699},
    {">", 700, 699, 699},     {">=", 700, 699, 699},     {":=", 700, 699, 699},
    {"+", 500, 500, 499},     {"-", 500, 500, 499},      {"/\\", 500, 500, 499},
    {"\\/", 500, 500, 499},   {"xor", 500, 500, 499},    {"*", 400, 400, 399},
    {"/", 400, 400, 399},     {"//", 400, 400, 399},     {"mod", 400, 400, 399},
    {"rem", 400, 400, 399},   {"<<", 400, 400, 399},     {">>", 400, 400, 399},
    {"div", 400, 400, 399},   {"**", 200, 199, 199},     {"^", 200, 199, 200},
    {":", 200, 199, 200},     {":-", 1200, 0, 1199},     {"?-", 1200, 0, 1199},
    {"\\+", 900, 0, 900},     {"-", 200, 0, 200},        {"+", 200, 0, 200},
    {"\\", 200, 0, 200},
};

static const operator_entry *find_operator(const char *name, bool prefix)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!operators[i].left == prefix && !strcmp(operators[i].name, name))
            return &operators[i];
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Printing

typedef enum {
    F_TERM,  // value, no higher than limit
    F_ARGS,  // arguments of cell from `next` on, then `close`
    F_TAIL,  // the rest of a list
    F_INFIX, // the operator
    F_CLOSE, // `close`
} frame_kind;

typedef struct {
    frame_kind kind;
    int limit;
    uint32_t cell, next;
    trace_value value;
    const char *string;
} frame;

typedef struct {
    const trace *t;
    const iot_names *names;
    iot_names *collect; // variables shown are registered here, or NULL
    int64_t at;
    uint32_t cells_left;
    bool after_prefix; // operator: what follows must not grow together with it
    text out;
    frame *stack;
    size_t n, capacity;
} printer;

static bool is_symbol(char c)
{
    return c && strchr("+-*/\\^<>=~:.?@#&$", c);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

// Appends a token, apart from the one before where the two would be read as one.
static void put(printer *p, const char *s, size_t length)
{
    if (!length)
        return;
    char before = p->out.n ? p->out.text[p->out.n - 1] : 0, first = s[0];
    bool join = (is_word(before) && is_word(first)) || (is_symbol(before) && is_symbol(first)) ||
                (p->after_prefix && (first == '(' || isdigit((unsigned char)first)));
    if (join)
        text_add(&p->out, " ", 1);
    text_add(&p->out, s, length);
    p->after_prefix = false;
}

static void put_string(printer *p, const char *s)
{
    put(p, s, strlen(s));
}

static void put_quoted(printer *p, const char *s, size_t length, char mark)
{
    text quoted = {0};
    text_add(&quoted, &mark, 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)s[i];
        char code[8];
        if (c == (unsigned char)mark || c == '\\')
            snprintf(code, sizeof code, "\\%c", c);
        else if (c == '\n')
            strcpy(code, "\\n");
        else if (c == '\t')
            strcpy(code, "\\t");
        else if (c < 32 || c == 127)
            snprintf(code, sizeof code, "\\x%x\\", c);
        else
            snprintf(code, sizeof code, "%c", c);
        text_add_string(&quoted, code);
    }
    text_add(&quoted, &mark, 1);
    put(p, quoted.text, quoted.n);
    free(quoted.text);
}

static bool needs_quotes(const char *s, size_t length)
{
    if (!strcmp(s, "[]") || !strcmp(s, "!") || !strcmp(s, ";")) // {} is the empty vector
        return false;
    bool word = islower((unsigned char)s[0]), symbols = length > 0;
    for (size_t i = 0; i < length; i++) {
        word = word && is_word(s[i]);
        symbols = symbols && is_symbol(s[i]);
    }
    return !word && (!symbols || !strcmp(s, ".") || !strncmp(s, "/*", 2));
}

static void put_atom(printer *p, const char *s, size_t length)
{
    if (needs_quotes(s, length))
        put_quoted(p, s, length, '\'');
    else
        put(p, s, length);
}

// The shortest digits that read back as the same number, always with a point.
static void put_float(printer *p, double d)
{
    char digits[40], out[64];
    if (!isfinite(d)) {
        put_string(p, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    int precision = 0;
    do
        snprintf(digits, sizeof digits, "%.*e", precision, d);
    while (strtod(digits, NULL) != d && ++precision <= 17);
    int exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent >= -4 && exponent < 16) {
        int decimals = precision - exponent;
        snprintf(out, sizeof out, "%.*f", decimals > 1 ? decimals : 1, d);
    } else {
        snprintf(out, sizeof out, "%.*s%s%s", (int)strcspn(digits, "e"), digits,
                 strchr(digits, '.') ? "" : ".0", strchr(digits, 'e'));
    }
    put_string(p, out);
}

static void put_variable(printer *p, uint32_t variable)
{
    if (p->collect)
        iot_names_add_variable(p->collect, variable);
    const char *name = p->names ? iot_name(p->names, variable) : NULL;
    uint32_t source = trace_cell_name(p->t, variable);
    if (name) {
        put_string(p, name);
    } else if (source != TRACE_NONE) {
        put_string(p, trace_string(p->t, source, NULL));
    } else {
        char number[16];
        snprintf(number, sizeof number, "_%u", variable);
        put_string(p, number);
    }
}

static void push(printer *p, frame f)
{
    ROOM(p->stack, p->n, p->capacity);
    p->stack[p->n++] = f;
}

static void push_term(printer *p, trace_value v, int limit)
{
    push(p, (frame){.kind = F_TERM, .value = v, .limit = limit});
}

static void push_close(printer *p, const char *close)
{
    push(p, (frame){.kind = F_CLOSE, .string = close});
}

static trace_value resolve(const printer *p, trace_value v)
{
    while (is_variable(p->t, v)) {
        uint32_t binding = trace_cell_binding(p->t, v.id);
        if (binding == TRACE_NONE || binding_time(p->t, binding) > p->at)
            break;
        v = trace_binding_value(p->t, binding);
    }
    return v;
}

static bool spend_cell(printer *p)
{
    if (!p->cells_left) {
        put_string(p, "...");
        return false;
    }
    if (p->cells_left != UINT32_MAX)
        p->cells_left--;
    return true;
}

static void open_parens(printer *p, int priority, int limit)
{
    if (priority > limit) {
        put_string(p, "(");
        push_close(p, ")");
    }
}

// NULL and no operator: written as name(...).
static bool print_operator(printer *p, uint32_t cell, const char *name, uint32_t arity, int limit)
{
    const operator_entry *op = arity == 2   ? find_operator(name, false)
                               : arity == 1 ? find_operator(name, true)
                                            : NULL;
    if (!op)
        return false;
    open_parens(p, op->priority, limit);
    push_term(p, trace_cell_arg(p->t, cell, arity - 1), op->right);
    if (arity == 2) {
        push(p, (frame){.kind = F_INFIX, .string = op->name});
        push_term(p, trace_cell_arg(p->t, cell, 0), op->left);
    } else {
        put_string(p, op->name);
        p->after_prefix = true;
    }
    return true;
}

static void print_struct(printer *p, uint32_t cell, int limit)
{
    size_t length;
    uint32_t name = trace_cell_name(p->t, cell), arity = trace_cell_arity(p->t, cell);
    const char *s = trace_string(p->t, name, &length);
    if (print_operator(p, cell, s, arity, limit))
        return;
    put_atom(p, s, length);
    text_add(&p->out, "(", 1);
    p->after_prefix = false;
    push(p, (frame){.kind = F_ARGS, .cell = cell, .string = ")"});
}

static void print_cell(printer *p, uint32_t cell, int limit)
{
    switch (trace_cell_get_kind(p->t, cell)) {
    case TC_VARIABLE:
        put_variable(p, cell);
        return;
    case TC_CONS:
        if (spend_cell(p)) {
            put_string(p, "[");
            push(p, (frame){.kind = F_TAIL, .value = trace_cell_arg(p->t, cell, 1)});
            push_term(p, trace_cell_arg(p->t, cell, 0), 999);
        }
        return;
    case TC_STRUCT:
        if (spend_cell(p))
            print_struct(p, cell, limit);
        return;
    case TC_VECTOR:
    case TC_VECTOR_UPDATE:
        if (spend_cell(p)) {
            put_string(p, "{");
            push(p, (frame){.kind = F_ARGS, .cell = cell, .string = "}"});
        }
        return;
    }
}

static void print_atom(printer *p, uint32_t name, int limit)
{
    size_t length;
    const char *s = trace_string(p->t, name, &length);
    bool operand = limit < 1200 && limit != 999;
    bool parens = operand && (find_operator(s, false) || find_operator(s, true));
    if (parens)
        put_string(p, "(");
    put_atom(p, s, length);
    if (parens)
        put_string(p, ")");
}

static void print_term(printer *p, trace_value v, int limit)
{
    size_t length;
    char number[24];
    v = resolve(p, v);
    switch (v.kind) {
    case TV_CELL:
        print_cell(p, v.id, limit);
        break;
    case TV_INT:
        snprintf(number, sizeof number, "%lld", (long long)v.i);
        put_string(p, number);
        break;
    case TV_ATOM:
        print_atom(p, v.id, limit);
        break;
    case TV_STRING: {
        const char *s = trace_string(p->t, v.id, &length);
        put_quoted(p, s, length, '"');
        break;
    }
    case TV_BIG:
        put_string(p, trace_string(p->t, v.id, NULL));
        break;
    case TV_FLOAT:
        put_float(p, v.d);
        break;
    case TV_NODE: // stands only in templates
        break;
    }
}

static bool is_nil(const trace *t, trace_value v)
{
    return v.kind == TV_ATOM && !strcmp(trace_string(t, v.id, NULL), "[]");
}

static void print_tail(printer *p, trace_value v)
{
    v = resolve(p, v);
    if (is_cell_kind(p->t, v, TC_CONS) && p->cells_left) {
        spend_cell(p);
        put_string(p, ",");
        push(p, (frame){.kind = F_TAIL, .value = trace_cell_arg(p->t, v.id, 1)});
        push_term(p, trace_cell_arg(p->t, v.id, 0), 999);
        return;
    }
    if (is_nil(p->t, v)) {
        put_string(p, "]");
        return;
    }
    put_string(p, "|");
    push_close(p, "]");
    push_term(p, v, 999);
}

// One argument at a time, so that the stack does not grow with the arity.
static void print_args(printer *p, frame f)
{
    uint32_t arity = trace_cell_arity(p->t, f.cell);
    if (f.next == arity) {
        put_string(p, f.string);
        return;
    }
    if (f.next > 0)
        put_string(p, ",");
    if (f.next > 0 && !p->cells_left) {
        put_string(p, "...");
        put_string(p, f.string);
        return;
    }
    trace_value v = trace_cell_arg(p->t, f.cell, f.next++);
    push(p, f);
    push_term(p, v, 999);
}

static void print_infix(printer *p, const char *name)
{
    if (is_word(name[0])) {
        text_add(&p->out, " ", 1);
        text_add_string(&p->out, name);
        text_add(&p->out, " ", 1);
    } else {
        put_string(p, name);
    }
    p->after_prefix = false;
}

static void run(printer *p)
{
    while (p->n) {
        frame f = p->stack[--p->n];
        switch (f.kind) {
        case F_TERM:
            print_term(p, f.value, f.limit);
            break;
        case F_ARGS:
            print_args(p, f);
            break;
        case F_TAIL:
            print_tail(p, f.value);
            break;
        case F_INFIX:
            print_infix(p, f.string);
            break;
        case F_CLOSE:
            put_string(p, f.string);
            break;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The ways in

enum { CYCLIC_CELLS = 20 }; // shown of a term without end

// The term is shown whole: as far as that is possible.
static void bound(printer *p, trace_value v)
{
    if (p->cells_left == UINT32_MAX && iot_is_cyclic(p->t, v, p->at))
        p->cells_left = CYCLIC_CELLS;
}

// A term that is operators at the top is put in parentheses where it follows a `=`.
static void print_value(printer *p, trace_value v)
{
    bound(p, v);
    push_term(p, v, 999);
    run(p);
    free(p->stack);
    p->stack = NULL;
}

char *iot_term(const trace *t, const iot_names *names, trace_value v, int64_t at,
               uint32_t max_cells)
{
    printer p = {.t = t, .names = names, .at = at, .cells_left = max_cells};
    print_value(&p, v);
    return text_finish(&p.out);
}

void iot_names_add(iot_names *n, trace_value v, int64_t at, uint32_t max_cells)
{
    printer p = {.t = iot_names_trace(n), .collect = n, .at = at, .cells_left = max_cells};
    print_value(&p, v);
    free(p.out.text);
}

char *iot_goal_text(const trace *t, const iot_names *names, uint32_t goal, int64_t at,
                    uint32_t max_cells)
{
    const trace_predicate *predicate = trace_get_predicate(t, trace_goal_predicate(t, goal));
    size_t length;
    const char *name = trace_string(t, predicate->name, &length);
    const operator_entry *op = predicate->arity == 2 ? find_operator(name, false) : NULL;
    printer p = {.t = t, .names = names, .at = at, .cells_left = max_cells};
    for (uint32_t i = 0; i < predicate->arity; i++)
        bound(&p, trace_goal_arg(t, goal, i));
    if (op) { // `R:=A+B`
        push_term(&p, trace_goal_arg(t, goal, 1), op->right);
        push(&p, (frame){.kind = F_INFIX, .string = op->name});
        push_term(&p, trace_goal_arg(t, goal, 0), op->left);
        run(&p);
        free(p.stack);
        return text_finish(&p.out);
    }
    put_atom(&p, name, length);
    for (uint32_t i = 0; i < predicate->arity; i++) {
        text_add(&p.out, i ? "," : "(", 1);
        push_term(&p, trace_goal_arg(t, goal, i), 999);
        run(&p);
    }
    if (predicate->arity)
        text_add(&p.out, ")", 1);
    free(p.stack);
    return text_finish(&p.out);
}
