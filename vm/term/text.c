// SPDX-License-Identifier: MIT
//
// The characters of strings.
#include "vm/term/text.h"

#include "base/utf8.h"

#include <stddef.h>

// ---- Places of characters -----------------------------------------------------------------------
//
// Behind the text of a string that is not short there is room for the places of every 64th character,
// in bytes, for the case that some characters have several bytes:
//
//     text ... NUL, padding, [number of characters, place of character 64, of character 128, ...]

enum {
    STEP = 64,         // characters
    SHORT = 256,       // bytes: such texts are searched from the beginning
    NARROW = 1, WIDE = 2, INDEXED = 3, // vm_string.narrow
};

static bool has_room(size_t length)
{
    return length >= SHORT && length < UINT32_MAX;
}

static size_t bytes_before_index(size_t length)
{
    size_t bytes = offsetof(vm_string, text) + length + 1;
    return (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t);
}

size_t vm_string_size(size_t length)
{
    if (!has_room(length))
        return sizeof(vm_string) + length + 1;
    return bytes_before_index(length) + (length / STEP + 1) * sizeof(uint32_t);
}

static uint32_t *index_of(vm_string *s)
{
    return (uint32_t *)((char *)s + bytes_before_index(s->length));
}

static void make_index(vm_string *s)
{
    uint32_t *index = index_of(s);
    uint32_t n = 0;
    for (size_t at = 0; at < s->length; n++) {
        if (n > 0 && n % STEP == 0)
            __atomic_store_n(&index[n / STEP], (uint32_t)at, __ATOMIC_RELAXED);
        utf8_next(s->text, s->length, &at);
    }
    __atomic_store_n(&index[0], n, __ATOMIC_RELAXED);
}

// The first caller finds out; several workers may do so at the same time, since all find the same.
static uint8_t kind_of(const vm_string *string)
{
    vm_string *s = (vm_string *)string;
    uint8_t kind = __atomic_load_n(&s->narrow, __ATOMIC_ACQUIRE);
    if (kind != 0)
        return kind;
    kind = NARROW;
    for (size_t i = 0; i < s->length && kind == NARROW; i++)
        kind = (unsigned char)s->text[i] < 0x80 ? NARROW : WIDE;
    if (kind == WIDE && has_room(s->length)) {
        make_index(s);
        kind = INDEXED;
    }
    __atomic_store_n(&s->narrow, kind, __ATOMIC_RELEASE);
    return kind;
}

size_t vm_string_count(const vm_string *s)
{
    switch (kind_of(s)) {
    case NARROW:
        return s->length;
    case INDEXED:
        return index_of((vm_string *)s)[0];
    default:
        return utf8_count(s->text, s->length);
    }
}

size_t vm_string_offset(const vm_string *s, size_t i)
{
    uint8_t kind = kind_of(s);
    if (kind == NARROW)
        return i < s->length ? i : s->length;
    if (kind == WIDE)
        return utf8_offset(s->text, s->length, i);
    const uint32_t *index = index_of((vm_string *)s);
    if (i >= index[0])
        return s->length;
    size_t from = i < STEP ? 0 : index[i / STEP];
    return from + utf8_offset(s->text + from, s->length - from, i % STEP);
}

bool vm_string_code(const vm_string *s, size_t i, uint32_t *ret)
{
    size_t at = vm_string_offset(s, i);
    if (at == s->length)
        return false;
    *ret = utf8_next(s->text, s->length, &at);
    return true;
}
