// SPDX-License-Identifier: MIT
//
// format/2: writes a text and replaces its directives `~Nd` by the items of a list. Callers make
// sure that the list is ground. N is a number, `*` (the next item) or a backquote and a character
// (its code).
//
// ~w ~p ~q ~a ~s   a term as write/1 does; as print/1 does (two names); an atom or a string; a
//                  string or a list of codes
// ~d ~D            an integer, the last N digits behind a point; ~D: commas between thousands
// ~e ~f ~g         a number, N digits behind the point (6)
// ~r ~R            an integer to base N; upper case
// ~c ~n ~~ ~i      a character code N times; N ends of line; a tilde; nothing for an argument
// ~N| ~N+ ~t       column N; N columns (8) behind the last stop; where blanks (or the character
//                  with code N) go to get there, at the end of what stands there if nowhere else
#include "base/utf8.h"
#include "vm/builtins/arguments.h"
#include "vm/code.h"
#include "vm/code/arithmetic.h"
#include "vm/engine/arith.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    size_t at; // in the output
    uint32_t code;
} fill_point;

typedef struct {
    vm_machine *m;
    base_text *out;
    vm_word arguments;          // that are left
    size_t line;                // where the line begins in out
    size_t stop;                // where the last column stop is in out
    ARRAY_OF(fill_point) fills; // since then
    bool has_count;
    int64_t count;
} formatter;

static vm_result next_argument(formatter *f, vm_word *ret)
{
    vm_word list = vm_end_of(f->arguments);
    if (vm_tag(list) != TAG_CONS)
        return vm_error(f->m, 0, "format: too few arguments");
    *ret = vm_end_of(vm_head(list));
    f->arguments = vm_tail(list);
    return VM_DONE;
}

// ---- Numbers --------------------------------------------------------------------------------

static vm_result next_integer(formatter *f, int base, char **ret_digits)
{
    vm_word w;
    NEED(next_argument(f, &w));
    if (vm_tag(w) != TAG_INT && !vm_is_box(w, BOX_BIG))
        return vm_error(f->m, w, "format: an integer is expected");
    *ret_digits = vm_integer_digits(w, base);
    return VM_DONE;
}

static vm_result put_integer(formatter *f, bool group)
{
    char *digits;
    NEED(next_integer(f, 10, &digits));
    if (*digits == '-')
        text_add_char(f->out, *digits++);
    size_t n = strlen(digits), behind = f->has_count ? (size_t)f->count : 0;
    size_t zeros = n <= behind ? behind + 1 - n : 0, total = n + zeros;
    for (size_t i = 0; i < total; i++) {
        size_t left = total - i;
        if (left == behind)
            text_add_char(f->out, '.');
        else if (group && i > 0 && left > behind && (left - behind) % 3 == 0)
            text_add_char(f->out, ',');
        text_add_char(f->out, i < zeros ? '0' : digits[i - zeros]);
    }
    return VM_DONE;
}

static vm_result put_radix(formatter *f, bool upper)
{
    char *digits;
    if (!f->has_count || f->count < 2 || f->count > 36)
        return vm_error(f->m, 0, "format: ~r needs a base from 2 to 36");
    NEED(next_integer(f, upper ? -(int)f->count : (int)f->count, &digits));
    text_add_string(f->out, digits);
    return VM_DONE;
}

static vm_result put_real(formatter *f, char directive)
{
    vm_word w, value;
    const char *reason;
    int digits = f->has_count ? (int)f->count : 6;
    NEED(next_argument(f, &w));
    if (!vm_is_number(w))
        return vm_error(f->m, w, "format: a number is expected");
    if (!vm_is_box(w, BOX_FLOAT) && directive == 'f') { // exactly
        vm_text_add_term(f->out, w, &vm_write_options);
        for (int i = 0; i < digits; i++)
            text_add_string(f->out, i == 0 ? ".0" : "0");
        return VM_DONE;
    }
    if (vm_arith_apply(vm_arith_operator(vm_functor(ATOM_FLOAT, 1)), &w, &value, &reason) !=
        ARITH_OK)
        return vm_error(f->m, w, "format: %s", reason);
    char pattern[] = {'%', '.', '*', directive, '\0'};
    double d = ((const vm_float *)vm_as_box(value))->value;
    char *text;
    if (asprintf(&text, pattern, digits, d) < 0)
        return vm_error(f->m, 0, "format: out of memory");
    text_add_string(f->out, text);
    free(text);
    return VM_DONE;
}

// ---- Texts ----------------------------------------------------------------------------------

static vm_result put_term(formatter *f, const vm_print_options *options)
{
    vm_word w;
    NEED(next_argument(f, &w));
    vm_text_add_term(f->out, w, options);
    return VM_DONE;
}

static vm_result put_atom(formatter *f)
{
    vm_word w;
    NEED(next_argument(f, &w));
    if (vm_tag(w) != TAG_ATOM && !vm_is_box(w, BOX_STRING))
        return vm_error(f->m, w, "format: an atom or a string is expected");
    vm_text_add_term(f->out, w, &vm_write_options);
    return VM_DONE;
}

static bool is_code(vm_word w)
{
    return vm_tag(w) == TAG_INT && utf8_allowed(vm_int_value(w));
}

static vm_result put_codes(formatter *f)
{
    vm_word w;
    NEED(next_argument(f, &w));
    if (vm_is_box(w, BOX_STRING)) {
        vm_text_add_term(f->out, w, &vm_write_options);
        return VM_DONE;
    }
    for (; vm_tag(w) == TAG_CONS; w = vm_end_of(vm_tail(w))) {
        vm_word code = vm_end_of(vm_head(w));
        if (!is_code(code))
            return vm_error(f->m, code, "format: the code of a character is expected");
        text_add_code(f->out, (uint32_t)vm_int_value(code));
    }
    return w == VM_NIL ? VM_DONE
                       : vm_error(f->m, w, "format: a string or a list of codes is expected");
}

static vm_result put_character(formatter *f)
{
    vm_word w;
    NEED(next_argument(f, &w));
    if (!is_code(w))
        return vm_error(f->m, w, "format: the code of a character is expected");
    for (int64_t i = 0; i < (f->has_count ? f->count : 1); i++)
        text_add_code(f->out, (uint32_t)vm_int_value(w));
    return VM_DONE;
}

// ---- Columns --------------------------------------------------------------------------------

static void new_line(formatter *f)
{
    f->line = f->stop = f->out->n;
    f->fills.n = 0;
}

// Puts n fill characters at the fill points, as evenly as possible, the last ones getting more.
static void distribute(formatter *f, size_t n)
{
    size_t points = f->fills.n;
    base_text rest = VM_TEXT;
    size_t from = f->fills.at[0].at;
    text_add(&rest, f->out->at + from, f->out->n - from);
    f->out->n = from;
    for (size_t i = 0; i < points; i++) {
        size_t share = n / points + (i >= points - n % points);
        while (share-- > 0)
            text_add_code(f->out, f->fills.at[i].code);
        size_t end = i + 1 < points ? f->fills.at[i + 1].at : from + rest.n;
        text_add(f->out, rest.at + (f->fills.at[i].at - from), end - f->fills.at[i].at);
    }
}

static size_t columns(const formatter *f, size_t from)
{
    return utf8_count(f->out->at + from, f->out->n - from);
}

static void column_stop(formatter *f, bool relative)
{
    size_t now = columns(f, f->line), wanted = now;
    if (relative)
        wanted = now - columns(f, f->stop) + (f->has_count ? (size_t)f->count : 8);
    else if (f->has_count)
        wanted = (size_t)f->count;
    if (wanted > now) {
        if (f->fills.n == 0)
            VM_PUSH(f->fills, (fill_point){f->out->n, ' '});
        distribute(f, wanted - now);
    }
    f->stop = f->out->n;
    f->fills.n = 0;
}

// ---- Directives -----------------------------------------------------------------------------

static vm_result directive(formatter *f, uint32_t code)
{
    vm_word unused;
    switch (code) {
    case 'w':
        return put_term(f, &vm_write_options);
    case 'p':
    case 'q':
        return put_term(f, &vm_quote_options);
    case 'a':
        return put_atom(f);
    case 's':
        return put_codes(f);
    case 'd':
    case 'D':
        return put_integer(f, code == 'D');
    case 'e':
    case 'f':
    case 'g':
        return put_real(f, (char)code);
    case 'r':
    case 'R':
        return put_radix(f, code == 'R');
    case 'c':
        return put_character(f);
    case 'i':
        return next_argument(f, &unused);
    case 'n':
        for (int64_t i = 0; i < (f->has_count ? f->count : 1); i++)
            text_add_char(f->out, '\n');
        new_line(f);
        return VM_DONE;
    case '~':
        text_add_char(f->out, '~');
        return VM_DONE;
    case 't':
        VM_PUSH(f->fills, (fill_point){f->out->n, f->has_count ? (uint32_t)f->count : ' '});
        return VM_DONE;
    case '|':
    case '+':
        column_stop(f, code == '+');
        return VM_DONE;
    default:
        return vm_error(f->m, 0, "format: there is no directive with character code %u", code);
    }
}

enum { MAX_COUNT = 1 << 20 };

// The N of a directive, if there is one. *at is behind the tilde.
static vm_result read_count(formatter *f, const char *text, size_t length, size_t *at)
{
    f->has_count = false;
    f->count = 0;
    if (*at < length && text[*at] == '*') {
        vm_word w;
        ++*at;
        NEED(next_argument(f, &w));
        f->has_count = true;
        f->count = vm_tag(w) == TAG_INT ? vm_int_value(w) : -1;
    } else if (*at + 1 < length && text[*at] == '`') {
        ++*at;
        f->has_count = true;
        f->count = utf8_next(text, length, at);
        return VM_DONE; // a character code, of any size
    } else {
        for (; *at < length && isdigit((unsigned char)text[*at]); ++*at) {
            f->has_count = true;
            if (f->count <= MAX_COUNT)
                f->count = f->count * 10 + (text[*at] - '0');
        }
    }
    if (f->count < 0 || f->count > MAX_COUNT)
        return vm_error(f->m, 0, "format: a count from 0 to %d is expected", MAX_COUNT);
    return VM_DONE;
}

static vm_result run(formatter *f, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *tilde = memchr(text + at, '~', length - at);
        size_t end = tilde ? (size_t)(tilde - text) : length;
        for (; at < end; at++) {
            text_add_char(f->out, text[at]);
            if (text[at] == '\n')
                new_line(f);
        }
        if (!tilde)
            break;
        at++;
        NEED(read_count(f, text, length, &at));
        if (at == length)
            return vm_error(f->m, 0, "format: the text ends within a directive");
        NEED(directive(f, utf8_next(text, length, &at)));
    }
    if (vm_end_of(f->arguments) != VM_NIL)
        return vm_error(f->m, vm_end_of(f->arguments), "format: too many arguments");
    return VM_DONE;
}

vm_result vm_format(vm_machine *m, base_text *out, vm_word format, vm_word arguments)
{
    formatter f = {.m = m, .out = out, .arguments = arguments, .line = out->n, .stop = out->n};
    vm_word text = vm_end_of(format), list = vm_end_of(arguments), single[2] = {list, VM_NIL};
    if (vm_tag(list) != TAG_CONS && list != VM_NIL) // a single argument needs no list
        f.arguments = (vm_word)single | TAG_CONS;
    if (vm_is_box(text, BOX_STRING)) {
        const vm_string *s = (const vm_string *)vm_as_box(text);
        return run(&f, s->text, s->length);
    }
    if (vm_tag(text) == TAG_ATOM)
        return run(&f, vm_atom_text(vm_atom_number(text)), vm_atom_length(vm_atom_number(text)));
    return vm_error(m, text, "format: the text must be a string or an atom");
}
