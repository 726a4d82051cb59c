// SPDX-License-Identifier: MIT
#include "kpx-bridge/imports/json.h"

#include <string.h>

enum {
    LONGEST = 1 << 20,
    DEEPEST = 512
}; // of a string in bytes, of objects and arrays in each other

static int peek(kpx_json *j)
{
    if (j->at == j->n) {
        j->offset += j->n;
        j->at = 0;
        j->n = fread(j->block, 1, sizeof j->block, j->file);
        if (j->n == 0)
            return -1;
    }
    return j->block[j->at];
}

static int take(kpx_json *j)
{
    int c = peek(j);
    if (c >= 0)
        j->at++;
    if (c == '\n')
        j->line++;
    return c;
}

bool kpx_json_fail(kpx_json *j, const char *reason)
{
    if (!j->error)
        j->error = reason;
    return false;
}

static kpx_json_token wrong(kpx_json *j, const char *reason)
{
    j->token = j->offset + j->at;
    j->token_line = j->line;
    kpx_json_fail(j, reason);
    return JSON_WRONG;
}

static bool hex(kpx_json *j, uint32_t *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++) {
        int c = take(j);
        const char *digits = "0123456789abcdef", *at = c > 0 ? strchr(digits, c | 0x20) : NULL;
        if (!at || (c < '0') || (c > '9' && (c | 0x20) < 'a'))
            return kpx_json_fail(j, "four hexadecimal digits belong after \\u");
        *ret = *ret << 4 | (uint32_t)(at - digits);
    }
    return true;
}

static bool take_escape(kpx_json *j);

// A character that \u names, maybe by two of them. One of a pair alone, and 0, become the sign for
// what cannot be shown. What follows a backslash is taken by take_escape(), which never comes back
// here from this one.
static bool take_code(kpx_json *j)
{
    enum { UNKNOWN = 0xfffd };
    uint32_t code, low;
    if (!hex(j, &code))
        return false;
    while (code >= 0xd800 && code < 0xdc00) {
        if (peek(j) != '\\') {
            code = UNKNOWN;
            break;
        }
        take(j);
        if (peek(j) != 'u') {
            text_add_code(&j->text, UNKNOWN);
            return take_escape(j);
        }
        take(j);
        if (!hex(j, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            break;
        }
        text_add_code(&j->text, UNKNOWN);
        code = low;
    }
    text_add_code(&j->text, code == 0 || (code >= 0xd800 && code < 0xe000) ? UNKNOWN : code);
    return true;
}

static bool take_escape(kpx_json *j)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = take(j);
    const char *at = c > 0 ? strchr(from, c) : NULL;
    if (c == 'u')
        return take_code(j);
    if (!at)
        return kpx_json_fail(j, "an escape that JSON does not have");
    text_add_char(&j->text, to[at - from]);
    return true;
}

static kpx_json_token take_string(kpx_json *j)
{
    for (;;) {
        int c = take(j);
        if (c < 0)
            return wrong(j, "the file ends within a string");
        if (c == '"')
            break;
        if (c < ' ' && c != '\t')
            return wrong(j, "a control character in a string");
        if (j->text.n > LONGEST)
            return wrong(j, "a string of more than 1 MB");
        if (c != '\\')
            text_add_char(&j->text, (char)c);
        else if (!take_escape(j))
            return wrong(j, j->error);
    }
    text_add_char(&j->text, 0);
    return JSON_STRING;
}

// A number or a word: what consists of their characters.
static kpx_json_token take_plain(kpx_json *j, int first)
{
    enum { MOST = 64 };
    bool number = first == '-' || (first >= '0' && first <= '9');
    const char *in = number ? "0123456789+-.eE" : "abcdefghijklmnopqrstuvwxyz";
    text_add_char(&j->text, (char)first);
    for (int c; (c = peek(j)) > 0 && strchr(in, c); take(j)) {
        if (j->text.n > MOST)
            return wrong(j, "a number or a word of more than 64 characters");
        text_add_char(&j->text, (char)c);
    }
    text_add_char(&j->text, 0);
    if (number)
        return JSON_NUMBER;
    if (!strcmp(j->text.at, "true") || !strcmp(j->text.at, "false") || !strcmp(j->text.at, "null"))
        return JSON_WORD;
    return wrong(j, "neither a value nor a sign of JSON");
}

kpx_json_token kpx_json_next(kpx_json *j)
{
    static const char signs[] = "{}[],:";
    static const kpx_json_token tokens[] = {JSON_OPEN,        JSON_CLOSE, JSON_ARRAY,
                                            JSON_ARRAY_CLOSE, JSON_COMMA, JSON_COLON};
    if (j->error)
        return JSON_WRONG;
    while (peek(j) == ' ' || peek(j) == '\t' || peek(j) == '\n' || peek(j) == '\r')
        take(j);
    j->token = j->offset + j->at;
    j->token_line = j->line;
    int c = peek(j);
    if (c < 0 && ferror(j->file))
        return wrong(j, "cannot read");
    if (c < 0)
        return JSON_END;
    const char *sign = c ? strchr(signs, c) : NULL;
    j->text.n = 0;
    if (c != '"' && c != '-' && !sign && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z'))
        return wrong(j, "neither a value nor a sign of JSON");
    take(j);
    return sign ? tokens[sign - signs] : c == '"' ? take_string(j) : take_plain(j, c);
}

bool kpx_json_skip(kpx_json *j, kpx_json_token first)
{
    int depth = 0;
    for (kpx_json_token t = first;; t = kpx_json_next(j)) {
        if (t == JSON_END)
            wrong(j, "the file ends within a value");
        if (t == JSON_END || t == JSON_WRONG)
            return false;
        depth += (t == JSON_OPEN || t == JSON_ARRAY) - (t == JSON_CLOSE || t == JSON_ARRAY_CLOSE);
        if (depth < 0 || (depth == 0 && (t == JSON_COMMA || t == JSON_COLON))) {
            wrong(j, "a value is expected");
            return false;
        }
        if (depth > DEEPEST) {
            wrong(j, "objects and arrays are nested more than 512 deep");
            return false;
        }
        if (depth == 0)
            return true;
    }
}
