// SPDX-License-Identifier: MIT
//
// From characters to tokens. An error is reported here and becomes TOKEN_ERROR; the parser then
// continues after the clause.
#include "fleng/reader/lex.h"

#include "base/utf8.h"
#include "fleng/reader/collected.h"

#include <gmp.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <wctype.h>

#define END_OF_TEXT (UINT32_MAX - 1)
#define BAD_CHARACTER UINT32_MAX // no UTF-8

// ---- Characters -------------------------------------------------------------------------------

typedef enum {
    CLASS_LAYOUT,
    CLASS_UPPER, // begins a variable
    CLASS_LOWER, // begins an atom
    CLASS_DIGIT,
    CLASS_SYMBOL, // a run of them is an atom
    CLASS_MARK,
    CLASS_SOLO, // an atom by itself
    CLASS_QUOTE,
    CLASS_PERCENT,
    CLASS_END,
    CLASS_OTHER, // has no place in a program
} character_class;

// Classes of other scripts, independent of the user's locale.
static locale_t unicode(void)
{
    static locale_t locale;
    if (!locale)
        locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return locale;
}

static character_class classify_other_script(uint32_t c)
{
    if (c == END_OF_TEXT)
        return CLASS_END;
    if (c == BAD_CHARACTER || !unicode())
        return CLASS_OTHER;
    if (c == 0xa0 || c == 0xfeff || iswspace_l((wint_t)c, unicode()))
        return CLASS_LAYOUT;
    if (iswupper_l((wint_t)c, unicode()))
        return CLASS_UPPER;
    if (iswalnum_l((wint_t)c, unicode()))
        return CLASS_LOWER;
    return iswpunct_l((wint_t)c, unicode()) ? CLASS_SYMBOL : CLASS_OTHER;
}

static character_class classify(uint32_t c)
{
    if (c >= 0x80)
        return classify_other_script(c);
    if (c >= 'a' && c <= 'z')
        return CLASS_LOWER;
    if ((c >= 'A' && c <= 'Z') || c == '_')
        return CLASS_UPPER;
    if (c >= '0' && c <= '9')
        return CLASS_DIGIT;
    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return CLASS_LAYOUT;
    if (c == 0 || c < ' ' || c == 0x7f)
        return CLASS_OTHER;
    if (strchr("()[]{},|", (int)c))
        return CLASS_MARK;
    if (strchr("+-*/\\^<>=~:.?@#&$", (int)c))
        return CLASS_SYMBOL;
    if (c == '!' || c == ';')
        return CLASS_SOLO;
    if (c == '\'' || c == '"')
        return CLASS_QUOTE;
    return c == '%' ? CLASS_PERCENT : CLASS_OTHER; // the rest is the back quote
}

static uint32_t decode_long(const fl_lexer *l, size_t *ret_length)
{
    uint32_t c;
    size_t length = utf8_decode(l->at, (size_t)(l->end - l->at), &c);
    *ret_length = length ? length : 1;
    return length ? c : BAD_CHARACTER;
}

// The character at the lexer's position, which is not the end.
static inline uint32_t decode(const fl_lexer *l, size_t *ret_length)
{
    *ret_length = 1;
    unsigned char first = (unsigned char)*l->at;
    return first < 0x80 ? first : decode_long(l, ret_length);
}

static uint32_t peek(const fl_lexer *l)
{
    size_t length;
    return l->at < l->end ? decode(l, &length) : END_OF_TEXT;
}

// The byte that many bytes on; 0 beyond the end.
static char peek_byte(const fl_lexer *l, size_t distance)
{
    return (size_t)(l->end - l->at) > distance ? l->at[distance] : '\0';
}

static uint32_t advance(fl_lexer *l)
{
    if (l->at >= l->end)
        return END_OF_TEXT;
    size_t length;
    uint32_t c = decode(l, &length);
    l->at += length;
    if (c == '\n') {
        l->line++;
        l->column = 1;
    } else {
        l->column++;
    }
    return c;
}

static bool is_name_character(uint32_t c)
{
    character_class class = classify(c);
    return class == CLASS_LOWER || class == CLASS_UPPER || class == CLASS_DIGIT;
}

// ---- Errors -----------------------------------------------------------------------------------

__attribute__((format(printf, 5, 6))) static void fail_at(fl_lexer *l, fl_token *t, uint32_t line,
                                                          uint32_t column, const char *format, ...)
{
    t->kind = TOKEN_ERROR;
    if (l->quiet)
        return;
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fl_error(l->messages, l->source, line, column, "%s", text);
}

// ---- Layout -----------------------------------------------------------------------------------

static void skip_line(fl_lexer *l)
{
    while (l->at < l->end && *l->at != '\n')
        advance(l);
}

// Behind `/*`. False if the comment is not closed (reported where it begins).
static bool skip_comment(fl_lexer *l, fl_token *t)
{
    uint32_t line = l->line, column = l->column;
    advance(l);
    advance(l);
    while (l->at < l->end) {
        if (peek_byte(l, 0) == '*' && peek_byte(l, 1) == '/') {
            advance(l);
            advance(l);
            return true;
        }
        advance(l);
    }
    l->open_comment = true;
    bool quiet = l->quiet;
    l->quiet = false; // all that follows is lost: say so even within a bad clause
    fail_at(l, t, line, column, "this comment is not closed");
    l->quiet = quiet;
    return false;
}

static bool skip_layout(fl_lexer *l, fl_token *t)
{
    for (;;) {
        character_class class = classify(peek(l));
        if (class == CLASS_LAYOUT)
            advance(l);
        else if (class == CLASS_PERCENT)
            skip_line(l);
        else if (peek_byte(l, 0) != '/' || peek_byte(l, 1) != '*')
            return true;
        else if (!skip_comment(l, t))
            return false;
        t->after_layout = true;
    }
}

// ---- Escapes ----------------------------------------------------------------------------------

static int digit_value(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return (int)c - '0';
    if (c >= 'a' && c <= 'f')
        return (int)c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? (int)c - 'A' + 10 : 99;
}

// Digits of a character code, as many as there are or `most`; BAD_CHARACTER if none or no
// character has the code.
static uint32_t read_code(fl_lexer *l, int base, int most)
{
    uint32_t code = 0;
    int n = 0;
    for (; n < most && digit_value(peek(l)) < base; n++) {
        uint32_t digit = (uint32_t)digit_value(advance(l));
        code = code > 0x10ffff ? code : code * (uint32_t)base + digit;
    }
    return n > 0 && utf8_allowed(code) ? code : BAD_CHARACTER;
}

// `\xHH\`, `\OOO\`: the closing backslash may be left out. In KL1 there is none, and an octal code
// has three digits at most.
static uint32_t read_closed_code(fl_lexer *l, int base)
{
    if (l->source->kl1)
        return read_code(l, base, base == 8 ? 3 : 1000);
    uint32_t code = read_code(l, base, 1000);
    if (code != BAD_CHARACTER && peek(l) == '\\')
        advance(l);
    return code;
}

// Behind the backslash. BAD_CHARACTER if it is no escape.
static uint32_t read_escape(fl_lexer *l)
{
    static const char letters[] = "abefnrstv0", codes[] = "\a\b\033\f\n\r \t\v";
    uint32_t c = peek(l);
    if (c >= '0' && c <= '7')
        return read_closed_code(l, 8);
    advance(l);
    if (c == 'x')
        return read_closed_code(l, 16);
    if (c == 'u')
        return read_code(l, 16, 4);
    if (c == 'U')
        return read_code(l, 16, 8);
    if (c == '\\' || c == '\'' || c == '"' || c == '`' || (c == '?' && l->source->kl1))
        return c;
    const char *letter = c > 0 && c < 0x80 ? strchr(letters, (int)c) : NULL;
    return letter ? (uint32_t)(unsigned char)codes[letter - letters] : BAD_CHARACTER;
}

// ---- Quoted atoms and strings -------------------------------------------------------------------

// The result of one step through a quoted text.
typedef enum { QUOTED_CHARACTER, QUOTED_NOTHING, QUOTED_CLOSED, QUOTED_BAD } quoted_step;

static quoted_step read_quoted_character(fl_lexer *l, fl_token *t, uint32_t quote,
                                         uint32_t *ret_character)
{
    uint32_t line = l->line, column = l->column, c = peek(l);
    if (c == '\n' || c == END_OF_TEXT) {
        fail_at(l, t, t->line, t->column,
                "this %s is not closed on its line (`\\n` stands for a line break)",
                quote == '"' ? "string" : "quoted atom");
        return QUOTED_BAD;
    }
    advance(l);
    *ret_character = c;
    if (c == quote) {
        if (peek(l) != quote)
            return QUOTED_CLOSED;
        advance(l);
        return QUOTED_CHARACTER;
    }
    if (c == '\\' && peek(l) == '\n') {
        advance(l);
        return QUOTED_NOTHING;
    }
    if (c == '\\') {
        *ret_character = read_escape(l);
        if (*ret_character == BAD_CHARACTER)
            fail_at(l, t, line, column,
                    "this is not an escape sequence (write `\\\\` for a backslash)");
    } else if (c == BAD_CHARACTER) {
        fail_at(l, t, line, column, "this byte is not UTF-8");
    }
    return QUOTED_CHARACTER; // go on to the closing quote even if it was bad
}

static void read_quoted(fl_lexer *l, fl_token *t)
{
    uint32_t quote = advance(l), c = 0;
    t->kind = quote == '"' ? TOKEN_STRING : TOKEN_ATOM;
    t->quoted = true;
    size_t n = 0, capacity = 32;
    char *text = vm_alloc_atomic(capacity);
    quoted_step step;
    while ((step = read_quoted_character(l, t, quote, &c)) != QUOTED_CLOSED) {
        if (step == QUOTED_BAD)
            return;
        if (step == QUOTED_NOTHING || c == BAD_CHARACTER)
            continue;
        if (n + 5 > capacity) {
            char *larger = vm_alloc_atomic(capacity * 2);
            memcpy(larger, text, n);
            text = larger;
            capacity *= 2;
        }
        n += utf8_encode(c, text + n);
    }
    text[n] = '\0';
    t->text = text;
    t->length = n;
    if (t->kind == TOKEN_ATOM && memchr(text, '\0', n))
        fail_at(l, t, t->line, t->column, "an atom cannot hold the character 0");
}

// ---- Numbers ----------------------------------------------------------------------------------

static int letter_value(uint32_t c)
{
    return c >= 'a' && c <= 'z' ? (int)c - 'a' + 10 : c >= 'A' && c <= 'Z' ? (int)c - 'A' + 10 : 99;
}

static int digit_of_any_base(uint32_t c)
{
    return c >= '0' && c <= '9' ? (int)c - '0' : letter_value(c);
}

const char *fl_decimal(const char *digits, int base)
{
    mpz_t value;
    mpz_init_set_str(value, digits, base);
    char *text = vm_alloc_atomic(mpz_sizeinbase(value, 10) + 2);
    mpz_get_str(text, 10, value);
    mpz_clear(value);
    return text;
}

// After `0x` or `16'`.
static void read_radix(fl_lexer *l, fl_token *t, int base)
{
    const char *digits = l->at;
    while (digit_of_any_base(peek(l)) < base)
        advance(l);
    t->text = fl_decimal(fl_copy_text(digits, (size_t)(l->at - digits)), base);
    t->length = strlen(t->text);
}

// Behind the backslash of `0'\`. In KL1 a backslash that begins no escape is one itself.
static uint32_t read_code_escape(fl_lexer *l)
{
    fl_lexer before = *l;
    uint32_t c = read_escape(l);
    if (c != BAD_CHARACTER || !l->source->kl1)
        return c;
    *l = before;
    return '\\';
}

// Behind `0'`: the code of one character.
static void read_character_code(fl_lexer *l, fl_token *t)
{
    advance(l);
    advance(l);
    uint32_t c = peek(l);
    bool character = c != '\n' && c != END_OF_TEXT;
    if (character)
        advance(l);
    if (c == '\'' && peek(l) == '\'')
        advance(l); // 0'''
    else if (c == '\\')
        c = read_code_escape(l);
    if (c == BAD_CHARACTER || !character) {
        fail_at(l, t, t->line, t->column, "a character must follow 0'");
        return;
    }
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%u", c);
    t->text = fl_copy_text(digits, (size_t)n);
    t->length = (size_t)n;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_digits(fl_lexer *l)
{
    while (is_digit(peek_byte(l, 0)))
        advance(l);
}

// `.5`, `e10`, `.5e-3` behind the whole digits; false if there is nothing of the kind.
static bool skip_fraction(fl_lexer *l)
{
    bool found = false;
    if (peek_byte(l, 0) == '.' && is_digit(peek_byte(l, 1))) {
        advance(l);
        skip_digits(l);
        found = true;
    }
    if (peek_byte(l, 0) == 'e' || peek_byte(l, 0) == 'E') {
        size_t sign = peek_byte(l, 1) == '+' || peek_byte(l, 1) == '-';
        if (is_digit(peek_byte(l, 1 + sign))) {
            for (size_t i = 0; i < 1 + sign; i++)
                advance(l);
            skip_digits(l);
            found = true;
        }
    }
    return found;
}

// Behind a fraction, `Inf` or `NaN`: how the doubles without digits are written (1.0Inf, 1.5NaN).
static bool read_special_float(fl_lexer *l, fl_token *t)
{
    if (l->end - l->at < 3 || (memcmp(l->at, "Inf", 3) != 0 && memcmp(l->at, "NaN", 3) != 0))
        return false;
    t->number = *l->at == 'I' ? (double)INFINITY : (double)NAN;
    for (int i = 0; i < 3; i++)
        advance(l);
    return true;
}

static double number_from(const char *text)
{
    static locale_t plain; // a decimal point, whatever the user's locale says
    if (!plain)
        plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return plain ? strtod_l(text, NULL, plain) : strtod(text, NULL);
}

static void read_number(fl_lexer *l, fl_token *t)
{
    static const char radix_letters[] = "xob";
    static const int radix[] = {16, 8, 2};
    t->kind = TOKEN_INTEGER;
    char second = peek_byte(l, 0) == '0' ? peek_byte(l, 1) : '\0';
    const char *letter = second ? strchr(radix_letters, second) : NULL;
    if (letter && digit_value((unsigned char)peek_byte(l, 2)) < radix[letter - radix_letters]) {
        advance(l);
        advance(l);
        read_radix(l, t, radix[letter - radix_letters]);
        return;
    }
    if (second == '\'') {
        read_character_code(l, t);
        return;
    }
    const char *begin = l->at;
    skip_digits(l);
    int base = peek_byte(l, 0) == '\'' && l->at - begin <= 2 ? atoi(begin) : 0;
    if (base >= 2 && base <= 36 &&
        digit_of_any_base((unsigned char)peek_byte(l, 1)) < base) {
        advance(l);
        read_radix(l, t, base);
        return;
    }
    bool fraction = skip_fraction(l);
    t->length = (size_t)(l->at - begin);
    t->text = fl_copy_text(begin, t->length);
    if (!fraction)
        return;
    t->kind = TOKEN_FLOAT;
    if (read_special_float(l, t))
        return;
    t->number = number_from(t->text);
    if (isinf(t->number))
        fail_at(l, t, t->line, t->column, "this number is too large for a floating-point number");
}

// ---- Tokens -----------------------------------------------------------------------------------

static void read_name(fl_lexer *l, fl_token *t, fl_token_kind kind)
{
    const char *begin = l->at;
    while (is_name_character(peek(l)))
        advance(l);
    t->kind = kind;
    t->length = (size_t)(l->at - begin);
    t->text = fl_copy_text(begin, t->length);
}

static bool is_stop(const fl_lexer *l)
{
    if (peek_byte(l, 0) != '.')
        return false;
    fl_lexer behind = *l;
    advance(&behind);
    character_class class = classify(peek(&behind));
    return class == CLASS_LAYOUT || class == CLASS_END || class == CLASS_PERCENT;
}

static void read_symbol(fl_lexer *l, fl_token *t)
{
    if (is_stop(l)) {
        advance(l);
        t->kind = TOKEN_STOP;
        return;
    }
    const char *begin = l->at;
    while (classify(peek(l)) == CLASS_SYMBOL)
        advance(l);
    t->kind = TOKEN_ATOM;
    t->length = (size_t)(l->at - begin);
    t->text = fl_copy_text(begin, t->length);
}

static void read_other(fl_lexer *l, fl_token *t)
{
    uint32_t c = advance(l);
    if (c == BAD_CHARACTER)
        fail_at(l, t, t->line, t->column, "this byte is not UTF-8");
    else
        fail_at(l, t, t->line, t->column, "the character U+%04X is not allowed here", c);
}

static void read_token(fl_lexer *l, fl_token *t)
{
    switch (classify(peek(l))) {
    case CLASS_END:
        t->kind = TOKEN_END;
        break;
    case CLASS_UPPER:
        read_name(l, t, TOKEN_VARIABLE);
        break;
    case CLASS_LOWER:
        read_name(l, t, TOKEN_ATOM);
        break;
    case CLASS_DIGIT:
        read_number(l, t);
        break;
    case CLASS_QUOTE:
        read_quoted(l, t);
        break;
    case CLASS_MARK:
        t->kind = TOKEN_MARK;
        t->mark = (char)advance(l);
        break;
    case CLASS_SOLO:
        t->kind = TOKEN_ATOM;
        t->length = 1;
        t->text = fl_copy_text(l->at, 1);
        advance(l);
        break;
    case CLASS_SYMBOL:
        read_symbol(l, t);
        break;
    case CLASS_LAYOUT:
    case CLASS_PERCENT: // skipped before
    case CLASS_OTHER:
        read_other(l, t);
        break;
    }
}

void fl_lexer_begin(fl_lexer *l, const fl_source *source, const char *at, const char *end,
                    fl_messages *messages)
{
    *l = (fl_lexer){
        .source = source, .at = at, .end = end, .line = 1, .column = 1, .messages = messages};
    if (at == source->text && end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        l->at += 3; // byte order mark
}

void fl_lexer_next(fl_lexer *l, fl_token *ret_token)
{
    fl_token t = {.kind = TOKEN_ERROR};
    if (!skip_layout(l, &t)) {
        *ret_token = t;
        return;
    }
    t.line = l->line;
    t.column = l->column;
    read_token(l, &t);
    t.before_paren = t.kind == TOKEN_ATOM && peek_byte(l, 0) == '(';
    *ret_token = t;
}
