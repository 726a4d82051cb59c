// SPDX-License-Identifier: MIT
#include "vm/term/text.h"

#include "vm/memory.h"

#include <string.h>

void vm_text_reserve(vm_text *t, size_t bytes)
{
    if (t->capacity - t->n >= bytes)
        return;
    size_t capacity = t->capacity ? 2 * t->capacity : 64;
    while (capacity - t->n < bytes)
        capacity *= 2;
    char *at = vm_alloc_atomic(capacity);
    if (t->n)
        memcpy(at, t->at, t->n);
    t->at = at;
    t->capacity = capacity;
}

void vm_text_add(vm_text *t, const char *bytes, size_t n)
{
    vm_text_reserve(t, n);
    if (n)
        memcpy(t->at + t->n, bytes, n);
    t->n += n;
}

void vm_text_add_string(vm_text *t, const char *s)
{
    vm_text_add(t, s, strlen(s));
}

void vm_text_add_char(vm_text *t, char c)
{
    vm_text_add(t, &c, 1);
}

void vm_text_add_code(vm_text *t, uint32_t code)
{
    char bytes[4];
    size_t n = 0;
    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xc0 | code >> 6);
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xe0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    }
    vm_text_add(t, bytes, n);
}

// ---- UTF-8 ----------------------------------------------------------------------------------

bool vm_is_character(int64_t code)
{
    return code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
}

// Length of the valid sequence at text; 0: there is none.
static size_t sequence(const unsigned char *text, size_t left, uint32_t *ret_code)
{
    unsigned char c = text[0];
    if (c < 0x80) {
        *ret_code = c;
        return 1;
    }
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || n > left)
        return 0;
    uint32_t code = c & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    if ((n == 3 && code < 0x800) || (n == 4 && code < 0x10000) || !vm_is_character(code))
        return 0;
    *ret_code = code;
    return n;
}

uint32_t vm_utf8_next(const char *text, size_t length, size_t *at)
{
    uint32_t code = 0xfffd;
    size_t n = sequence((const unsigned char *)text + *at, length - *at, &code);
    *at += n ? n : 1;
    return code;
}

size_t vm_utf8_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t at = 0; at < length; count++)
        vm_utf8_next(text, length, &at);
    return count;
}

size_t vm_utf8_offset(const char *text, size_t length, size_t n)
{
    size_t at = 0;
    while (at < length && n-- > 0)
        vm_utf8_next(text, length, &at);
    return at;
}

bool vm_utf8_valid(const char *text, size_t length)
{
    uint32_t code;
    for (size_t at = 0; at < length;) {
        size_t n = sequence((const unsigned char *)text + at, length - at, &code);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

// ---- Characters of strings -----------------------------------------------------------------------

// Looked at once. Several workers may look at the same time: they find the same.
static bool is_narrow(const vm_string *string)
{
    vm_string *s = (vm_string *)string;
    uint8_t known = __atomic_load_n(&s->narrow, __ATOMIC_RELAXED);
    if (known == 0) {
        known = 1;
        for (size_t i = 0; i < s->length && known == 1; i++)
            known = (unsigned char)s->text[i] < 0x80 ? 1 : 2;
        __atomic_store_n(&s->narrow, known, __ATOMIC_RELAXED);
    }
    return known == 1;
}

size_t vm_string_count(const vm_string *s)
{
    return is_narrow(s) ? s->length : vm_utf8_count(s->text, s->length);
}

size_t vm_string_offset(const vm_string *s, size_t i)
{
    if (is_narrow(s))
        return i < s->length ? i : s->length;
    return vm_utf8_offset(s->text, s->length, i);
}

bool vm_string_code(const vm_string *s, size_t i, uint32_t *ret)
{
    size_t at = vm_string_offset(s, i);
    if (at == s->length)
        return false;
    *ret = vm_utf8_next(s->text, s->length, &at);
    return true;
}
