// SPDX-License-Identifier: MIT
//
// Finds program units, DO loops, I/O statements and calls of MPI among the statements of a source.
#include "kpx-bridge/fortran/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/fortran/lines.h"

#define NOWHERE UINT32_MAX

// A jump. Its target is found when all labels of the unit are known.
typedef struct {
    uint32_t label, loop;
} kpx_jump;

typedef struct {
    uint32_t label, loop; // the innermost loop around the statement with that label, or NOWHERE
} kpx_labelled;

// A BLOCK, IF or other construct with a name, which EXIT may leave.
typedef struct {
    char name[KPX_NAME_SIZE];
    uint32_t loop; // the innermost around it, or NOWHERE
} kpx_construct_name;

typedef struct {
    kpx_scan *scan;
    ARRAY_OF(uint32_t) units; // that are open, innermost last
    ARRAY_OF(uint32_t) loops; // likewise, of the innermost unit
    ARRAY_OF(kpx_jump) jumps; // of the innermost unit that has executable statements
    ARRAY_OF(kpx_labelled) labels;
    ARRAY_OF(kpx_construct_name) names; // likewise; also those that have ended
    uint32_t interfaces; // open ones
    const kpx_statement *st;
} kpx_scanner;

// Room for all that one statement can add, so that nothing fails in the middle of it. A statement
// opens one unit at most, or an implied main program. False without memory.
static bool has_room(kpx_scanner *s, const kpx_statement *st)
{
    return ARRAY_RESERVE(s->scan->units, 1) && ARRAY_RESERVE(s->scan->loops, 1) &&
           ARRAY_RESERVE(s->scan->ios, 1) && ARRAY_RESERVE(s->scan->calls, st->text.n) &&
           ARRAY_RESERVE(s->units, 1) && ARRAY_RESERVE(s->loops, 1) &&
           ARRAY_RESERVE(s->jumps, st->text.n) && ARRAY_RESERVE(s->labels, 1) &&
           ARRAY_RESERVE(s->names, 1);
}

// Appends a value where has_room() has made room.
#define PUT(array, value) ((array).at[(array).n++] = (value))

// ---- Texts ----------------------------------------------------------------------------------

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

// What follows `word`, or NULL.
static const char *after(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 ? text + n : NULL;
}

// What follows a name, which is copied; NULL if there is none.
static const char *after_name(const char *text, char name[KPX_NAME_SIZE])
{
    size_t n = 0;
    if (!isalpha((unsigned char)*text) && *text != '_')
        return NULL;
    for (; is_name_char(*text); text++)
        if (n + 1 < KPX_NAME_SIZE)
            name[n++] = *text;
    name[n] = 0;
    return text;
}

// What follows the parenthesis that closes the one at `text`; NULL if there is none. Strings are
// empty by now.
static const char *after_parentheses(const char *text)
{
    int depth = 0;
    if (*text != '(')
        return NULL;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0)
            return text + 1;
    }
    return NULL;
}

static uint32_t number_at(const char *text, const char **ret_end)
{
    uint32_t number = 0;
    for (; isdigit((unsigned char)*text) && number < 1000000; text++)
        number = number * 10 + (uint32_t)(*text - '0');
    *ret_end = text;
    return number;
}

// The first place of a character outside of parentheses, or NULL.
static const char *outside(const char *text, char wanted)
{
    int depth = 0;
    for (; *text; text++) {
        if (depth == 0 && *text == wanted)
            return text;
        depth += (*text == '(') - (*text == ')');
    }
    return NULL;
}

// ---- Units ----------------------------------------------------------------------------------

static uint32_t line_of(const kpx_scanner *s)
{
    return s->st->at.at[0].line;
}

static uint32_t last_line_of(const kpx_scanner *s)
{
    return s->st->at.at[s->st->at.n - 1].line;
}

static uint32_t innermost(const kpx_scanner *s)
{
    return s->loops.n ? s->loops.at[s->loops.n - 1] : NOWHERE;
}

static void add_unit(kpx_scanner *s, kpx_unit_kind kind, const char *name)
{
    kpx_unit unit = {.kind = kind, .line = line_of(s), .last_line = line_of(s)};
    snprintf(unit.name, sizeof unit.name, "%s", name);
    PUT(s->scan->units, unit);
}

static void open_unit(kpx_scanner *s, kpx_unit_kind kind, const char *name)
{
    add_unit(s, kind, name);
    PUT(s->units, s->scan->units.n - 1);
    s->loops.n = 0;
}

// The unit that a statement is in. A main program need not begin with a PROGRAM statement.
static uint32_t current_unit(kpx_scanner *s)
{
    if (s->units.n == 0)
        open_unit(s, KPX_UNIT_PROGRAM, "main");
    return s->units.at[s->units.n - 1];
}

static bool is_around(const kpx_scan *scan, uint32_t outer, uint32_t inner)
{
    while (inner != NOWHERE && inner != outer)
        inner = scan->loops.at[inner].parent;
    return inner == outer;
}

// The loops that a jump leaves are not definite.
static void resolve(kpx_scanner *s)
{
    for (uint32_t i = 0; i < s->jumps.n; i++) {
        const kpx_jump *j = &s->jumps.at[i];
        uint32_t target = NOWHERE;
        for (uint32_t k = 0; k < s->labels.n; k++)
            if (s->labels.at[k].label == j->label)
                target = s->labels.at[k].loop;
        for (uint32_t l = j->loop; l != NOWHERE && !is_around(s->scan, l, target);
             l = s->scan->loops.at[l].parent)
            s->scan->loops.at[l].definite = false;
    }
    s->jumps.n = s->labels.n = s->names.n = 0;
}

static void close_loops(kpx_scanner *s, uint32_t down_to)
{
    for (; s->loops.n > down_to; s->loops.n--)
        s->scan->loops.at[s->loops.at[s->loops.n - 1]].last_line = last_line_of(s);
}

static void close_unit(kpx_scanner *s)
{
    close_loops(s, 0);
    resolve(s);
    if (s->units.n > 0)
        s->scan->units.at[s->units.at[--s->units.n]].last_line = last_line_of(s);
}

// Skips the words that may precede FUNCTION and SUBROUTINE.
static const char *after_prefixes(const char *text)
{
    static const char *const words[] = {
        "recursive", "non_recursive", "pure",    "elemental", "impure",          "module",
        "integer",   "real",          "complex", "logical",   "doubleprecision", "doublecomplex",
        "character", "type",          "class",   NULL};
    for (bool found = true; found;) {
        found = false;
        for (const char *const *w = words; *w && !found; w++) {
            const char *rest = after(text, *w);
            if (!rest)
                continue;
            const char *star = after(rest, "*"), *end;
            if (star && isdigit((unsigned char)*star)) {
                number_at(star, &end);
                rest = end;
            } else if (star) {
                rest = star;
            }
            if (*rest == '(')
                rest = after_parentheses(rest);
            if (!rest || !*rest)
                continue;
            text = rest;
            found = true;
        }
    }
    return text;
}

// `function f(a, b)`: its arguments are names, or it would declare an array.
static bool are_arguments(const char *text)
{
    if (*text == 0)
        return true;
    const char *end = after_parentheses(text);
    if (!end || (*end && !after(end, "result(") && !after(end, "bind(")))
        return false;
    for (const char *c = text + 1; c < end - 1; c++)
        if (!is_name_char(*c) && *c != ',' && *c != '*' && *c != '&')
            return false;
    return !isdigit((unsigned char)text[1]);
}

static bool take_procedure(kpx_scanner *s, const char *text)
{
    char name[KPX_NAME_SIZE];
    const char *rest = after_prefixes(text), *end;
    if ((end = after(rest, "subroutine")) && (end = after_name(end, name)) && are_arguments(end)) {
        open_unit(s, KPX_UNIT_SUBROUTINE, name);
        return true;
    }
    if ((end = after(rest, "function")) && (end = after_name(end, name)) && *end == '(' &&
        are_arguments(end)) {
        open_unit(s, KPX_UNIT_FUNCTION, name);
        return true;
    }
    if ((end = after(text, "moduleprocedure")) && s->units.n > 0 && (end = after_name(end, name)) &&
        *end == 0) {
        open_unit(s, KPX_UNIT_SUBROUTINE, name);
        return true;
    }
    if ((end = after(text, "entry")) && s->units.n > 0 && (end = after_name(end, name)) &&
        are_arguments(end)) {
        add_unit(s, KPX_UNIT_ENTRY, name);
        return true;
    }
    return false;
}

static bool take_other_unit(kpx_scanner *s, const char *text)
{
    char name[KPX_NAME_SIZE] = "";
    const char *end;
    if ((end = after(text, "program")) && (end = after_name(end, name)) && *end == 0) {
        open_unit(s, KPX_UNIT_PROGRAM, name);
        return true;
    }
    if ((end = after(text, "submodule(")) && (end = after_parentheses(end - 1)) &&
        (end = after_name(end, name)) && *end == 0) {
        open_unit(s, KPX_UNIT_OTHER, name);
        return true;
    }
    if (s->units.n > 0)
        return false;
    if (((end = after(text, "module")) && (end = after_name(end, name)) && *end == 0) ||
        ((end = after(text, "blockdata")) && (!*end || after_name(end, name)))) {
        open_unit(s, KPX_UNIT_OTHER, name);
        return true;
    }
    return false;
}

static bool ends_unit(const char *text)
{
    static const char *const words[] = {"program",   "subroutine", "function",  "module",
                                        "submodule", "procedure",  "blockdata", NULL};
    const char *rest = after(text, "end");
    if (!rest || outside(text, '='))
        return false;
    if (!*rest)
        return true;
    for (const char *const *w = words; *w; w++) {
        char name[KPX_NAME_SIZE];
        const char *end = after(rest, *w);
        if (end && (!*end || ((end = after_name(end, name)) && !*end)))
            return true;
    }
    return false;
}

// ---- Loops ----------------------------------------------------------------------------------

static void begin_loop(kpx_scanner *s, kpx_do_kind kind, uint32_t label, const char *name)
{
    const kpx_statement *st = s->st;
    uint32_t unit = current_unit(s);
    kpx_do_loop loop = {.kind = kind,
                        .definite = kind == KPX_DO_COUNTED,
                        .unit = unit,
                        .parent = innermost(s),
                        .label = label,
                        .line = st->at.at[0].line,
                        .column = st->at.at[0].column,
                        .header_line = st->at.at[st->at.n - 1].line,
                        .header_column = st->at.at[st->at.n - 1].column,
                        .last_line = last_line_of(s)};
    snprintf(loop.name, sizeof loop.name, "%s", name);
    if (kind != KPX_DO_CONCURRENT)
        loop.seq = ++s->scan->units.at[unit].nloops;
    PUT(s->scan->loops, loop);
    PUT(s->loops, s->scan->loops.n - 1);
}

// [name:] DO [label [,]] [I = 1, N | WHILE (...) | CONCURRENT (...)]
static bool take_do(kpx_scanner *s, const char *text)
{
    char name[KPX_NAME_SIZE] = "";
    const char *rest = after_name(text, name), *end;
    if (rest && *rest == ':' && rest[1] != ':')
        text = rest + 1;
    else
        name[0] = 0;
    rest = after(text, "do");
    if (!rest)
        return false;
    uint32_t label = number_at(rest, &rest);
    if (label && *rest == ',')
        rest++;
    if (*rest == 0) {
        begin_loop(s, KPX_DO_FOREVER, label, name);
        return true;
    }
    if (((end = after(rest, "while(")) || (end = after(rest, "concurrent("))) &&
        (end = after_parentheses(end - 1))) {
        bool is_while = *rest == 'w';
        if (is_while ? *end == 0 : *end != '=') {
            begin_loop(s, is_while ? KPX_DO_WHILE : KPX_DO_CONCURRENT, label, name);
            return true;
        }
    }
    char variable[KPX_NAME_SIZE];
    end = after_name(rest, variable);
    if (!end || *end != '=' || end[1] == '=' || !outside(end, ','))
        return false;
    begin_loop(s, KPX_DO_COUNTED, label, name);
    return true;
}

// Ends the loops that this statement is the last one of.
static void end_loops(kpx_scanner *s, const char *text)
{
    uint32_t label = s->st->label;
    uint32_t top = innermost(s);
    if (top == NOWHERE)
        return;
    if (label && s->scan->loops.at[top].label == label) {
        while (s->loops.n > 0 && s->scan->loops.at[innermost(s)].label == label)
            close_loops(s, s->loops.n - 1);
        return;
    }
    char name[KPX_NAME_SIZE];
    const char *rest = after(text, "enddo");
    if (rest && (!*rest || ((rest = after_name(rest, name)) && !*rest)))
        close_loops(s, s->loops.n - 1);
}

// ---- Jumps ----------------------------------------------------------------------------------

static void leave(kpx_scanner *s, uint32_t from, uint32_t up_to)
{
    for (; from != NOWHERE; from = s->scan->loops.at[from].parent) {
        s->scan->loops.at[from].definite = false;
        if (from == up_to)
            return;
    }
}

static void jump_to(kpx_scanner *s, uint32_t label)
{
    if (label && innermost(s) != NOWHERE)
        PUT(s->jumps, ((kpx_jump){label, innermost(s)}));
}

static void jump_to_list(kpx_scanner *s, const char *text)
{
    for (; *text && *text != ')'; text += *text ? 1 : 0)
        if (isdigit((unsigned char)*text)) {
            jump_to(s, number_at(text, &text));
            if (!*text || *text == ')')
                return;
        }
}

// EXIT leaves a loop; CYCLE leaves the loops within the loop that it continues.
static void take_exit(kpx_scanner *s, const char *name, bool cycle)
{
    uint32_t loop = innermost(s);
    if (!*name) {
        if (!cycle)
            leave(s, loop, loop);
        return;
    }
    for (uint32_t i = s->names.n; i-- > 0 && !cycle;)
        if (strcmp(s->names.at[i].name, name) == 0) {
            for (uint32_t l = loop; l != NOWHERE && l != s->names.at[i].loop;
                 l = s->scan->loops.at[l].parent)
                s->scan->loops.at[l].definite = false;
            return;
        }
    uint32_t inner = NOWHERE;
    for (uint32_t l = loop; l != NOWHERE; l = s->scan->loops.at[l].parent) {
        if (strcmp(s->scan->loops.at[l].name, name) == 0) {
            if (!cycle)
                leave(s, loop, l);
            else if (inner != NOWHERE)
                leave(s, loop, inner);
            return;
        }
        inner = l;
    }
}

// ERR=, END= and EOR= of an I/O statement.
static void take_branches(kpx_scanner *s, const char *list)
{
    static const char *const keys[] = {"err=", "end=", "eor=", NULL};
    for (const char *const *k = keys; *k; k++)
        for (const char *at = strstr(list, *k); at; at = strstr(at + 1, *k))
            if ((at[-1] == ',' || at[-1] == '(') && isdigit((unsigned char)at[4]))
                jump_to(s, number_at(at + 4, &(const char *){NULL}));
}

// CALL S(X, *10): an alternate return.
static void take_call(kpx_scanner *s, const char *text)
{
    for (const char *at = strchr(text, '*'); at; at = strchr(at + 1, '*'))
        if ((at[-1] == ',' || at[-1] == '(') && isdigit((unsigned char)at[1]))
            jump_to(s, number_at(at + 1, &(const char *){NULL}));
}

static bool take_goto(kpx_scanner *s, const char *text)
{
    const char *rest = after(text, "goto");
    if (!rest || outside(rest, '='))
        return false;
    if (isdigit((unsigned char)*rest)) {
        jump_to(s, number_at(rest, &rest));
    } else if (*rest == '(') {
        jump_to_list(s, rest + 1);
    } else if (*rest) { // assigned: to one of a list, or to anywhere
        const char *list = strchr(rest, '(');
        if (list)
            jump_to_list(s, list + 1);
        else
            leave(s, innermost(s), NOWHERE);
    }
    return true;
}

static bool is_stop(const char *text)
{
    const char *rest = after(text, "stop");
    rest = rest ? rest : after(text, "errorstop");
    return rest && !outside(rest, '=') && *rest != '(' && *rest != '%';
}

// ---- Statements that read and write ---------------------------------------------------------

// The unit among the controls of a statement: `unit=` (or `newunit=`), or the first control without
// a key. Empty: none, as in INQUIRE (FILE=...).
static void io_unit(char number[KPX_NAME_SIZE], const char *list, const char *end)
{
    static const char *const keys[] = {"unit=", "newunit="};
    const char *at = list;
    for (int k = 0; k < 2; k++)
        for (const char *key = strstr(list - 1, keys[k]); key && key < end;
             key = strstr(key + 1, keys[k]))
            if (key[-1] == '(' || key[-1] == ',')
                at = key + strlen(keys[k]);
    size_t n = 0;
    int depth = 0;
    if (at == list && list[strspn(list, "abcdefghijklmnopqrstuvwxyz")] == '=')
        at = end;
    for (; at < end && n + 1 < KPX_NAME_SIZE && !(depth == 0 && (*at == ',' || *at == ')')); at++) {
        depth += (*at == '(') - (*at == ')');
        number[n++] = *at;
    }
    number[n] = 0;
}

static bool take_io(kpx_scanner *s, const char *text)
{
    static const struct {
        const char *word;
        bool list; // it has a list of controls in any case
    } kinds[] = {{"open", true},      {"close", true},    {"write", true},   {"inquire", true},
                 {"read", false},     {"print", false},   {"rewind", false}, {"backspace", false},
                 {"endfile", false},  {"flush", false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *rest = after(text, kinds[i].word);
        if (!rest)
            continue;
        const char *end = after_parentheses(rest);
        if (end ? *end == '=' || *end == '%' : kinds[i].list || !*rest || outside(rest, '='))
            continue;
        uint32_t unit = current_unit(s);
        kpx_io_statement io = {.unit = unit,
                               .seq = ++s->scan->units.at[unit].nio,
                               .line = line_of(s),
                               .last_line = last_line_of(s),
                               .kind = kinds[i].word};
        if (i == 5 || (i == 4 && *rest != '('))
            strcpy(io.number, "*");
        else if (end)
            io_unit(io.number, rest + 1, end);
        else
            snprintf(io.number, sizeof io.number, "%s", rest);
        PUT(s->scan->ios, io);
        if (end)
            take_branches(s, rest);
        return true;
    }
    return false;
}

// ---- Calls of MPI -----------------------------------------------------------------------------

static void add_mpi(kpx_scanner *s, const char *name)
{
    kpx_mpi_statement call = {
        .unit = current_unit(s), .line = line_of(s), .last_line = last_line_of(s)};
    snprintf(call.name, sizeof call.name, "%s", name);
    PUT(s->scan->calls, call);
}

static void take_mpi_functions(kpx_scanner *s, const char *text)
{
    static const char *const names[] = {"mpi_wtime", "mpi_wtick"};
    for (int i = 0; i < 2; i++)
        for (const char *at = strstr(text, names[i]); at; at = strstr(at + 1, names[i]))
            if (at > text && !is_name_char(at[-1]) && after(at + strlen(names[i]), "()"))
                add_mpi(s, names[i]);
}

// ---- All ------------------------------------------------------------------------------------

// A statement that may also follow a logical IF.
static void take_action(kpx_scanner *s, const char *text)
{
    const char *rest;
    if (take_goto(s, text) || take_io(s, text))
        return;
    if ((rest = after(text, "return")) && !outside(rest, '='))
        leave(s, innermost(s), NOWHERE);
    else if (is_stop(text))
        leave(s, innermost(s), NOWHERE);
    else if ((rest = after(text, "exit")) && (!*rest || isalpha((unsigned char)*rest)) &&
             !outside(rest, '='))
        take_exit(s, rest, false);
    else if ((rest = after(text, "cycle")) && (!*rest || isalpha((unsigned char)*rest)) &&
             !outside(rest, '='))
        take_exit(s, rest, true);
    else if ((rest = after(text, "call"))) {
        char name[KPX_NAME_SIZE];
        const char *end = after_name(rest, name);
        take_call(s, rest);
        if (end && after(name, "mpi_") && (*end == '(' || !*end))
            add_mpi(s, name);
    }
}

// The text after `name:` of a construct that is not a loop; else the same text.
static const char *take_construct_name(kpx_scanner *s, const char *text)
{
    kpx_construct_name named = {.loop = innermost(s)};
    const char *rest = after_name(text, named.name);
    if (!rest || *rest != ':' || rest[1] == ':' || after(rest + 1, "do"))
        return text;
    PUT(s->names, named);
    return rest + 1;
}

static void take_executable(kpx_scanner *s, const char *text)
{
    text = take_construct_name(s, text);
    const char *rest = after(text, "if(");
    const char *end = rest ? after_parentheses(rest - 1) : NULL;
    if (end && isdigit((unsigned char)*end)) { // arithmetic
        jump_to_list(s, end);
    } else if (end && *end != '=') {
        if (strcmp(end, "then") != 0)
            take_action(s, end);
    } else if (!take_do(s, text)) {
        take_action(s, text);
    }
}

// False: the statement begins or ends a unit.
static bool is_in_unit(kpx_scanner *s, const char *text)
{
    const char *rest;
    if ((rest = after(text, "endinterface"))) {
        s->interfaces -= s->interfaces > 0;
        return false;
    }
    if (after(text, "interface") || after(text, "abstractinterface")) {
        s->interfaces += !outside(text, '=') && !outside(text, ':');
        return s->interfaces == 0;
    }
    if (s->interfaces > 0)
        return false;
    if (ends_unit(text)) {
        if (s->st->label) // END with the label of a loop
            end_loops(s, text);
        close_unit(s);
        return false;
    }
    if (strcmp(text, "contains") == 0) { // what follows is not in its loops
        close_loops(s, 0);
        resolve(s);
        return false;
    }
    return !take_procedure(s, text) && !take_other_unit(s, text);
}

static void take_statement(kpx_scanner *s, const kpx_statement *st)
{
    const char *text = st->text.at;
    s->st = st;
    if (!is_in_unit(s, text) || (st->label && after(text, "format(")))
        return;
    if (st->label)
        PUT(s->labels, ((kpx_labelled){st->label, innermost(s)}));
    uint32_t before = s->scan->loops.n;
    take_mpi_functions(s, text);
    take_executable(s, text);
    if (s->scan->loops.n == before)
        end_loops(s, text);
}

kpx_scan *kpx_scan_fortran(const char *text, size_t length, kpx_scan_form form)
{
    kpx_scanner s = {.scan = calloc(1, sizeof *s.scan)};
    kpx_statements statements = kpx_statements_begin(text, length, form);
    kpx_statement st = {0};
    bool good = s.scan;
    while (good && kpx_next_statement(&statements, &st))
        if ((good = has_room(&s, &st)))
            take_statement(&s, &st);
    good = good && !statements.failed;
    // A truncated file ends in the middle of units and loops.
    for (; s.units.n > 0; s.units.n--)
        s.scan->units.at[s.units.at[s.units.n - 1]].last_line = statements.line;
    for (; s.loops.n > 0; s.loops.n--)
        s.scan->loops.at[s.loops.at[s.loops.n - 1]].last_line = statements.line;
    if (good)
        resolve(&s);
    kpx_statement_free(&st);
    free(s.units.at);
    free(s.loops.at);
    free(s.jumps.at);
    free(s.labels.at);
    free(s.names.at);
    if (!good)
        kpx_scan_destroy(s.scan);
    return good ? s.scan : NULL;
}

void kpx_scan_destroy(kpx_scan *s)
{
    if (!s)
        return;
    free(s->units.at);
    free(s->loops.at);
    free(s->ios.at);
    free(s->calls.at);
    free(s);
}
