// SPDX-License-Identifier: MIT
//
// The characters of strings.
#include "vm/term/text.h"

#include "base/utf8.h"
#include "vm/memory.h"
#include "vm/term/heap.h"

#include <stddef.h>
#include <string.h>

int vm_string_order(vm_word a, vm_word b)
{
    const vm_string *x = (const vm_string *)vm_as_box(a), *y = (const vm_string *)vm_as_box(b);
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? (order > 0) - (order < 0) : (x->length > y->length) - (x->length < y->length);
}

// ---- Strings that grow ---------------------------------------------------------------------------
//
// What is appended to a long string goes into a buffer behind it where there is room, and the longer
// string uses the same buffer. So a text of N bytes made of small pieces costs N bytes, not their square.
//
//     a  "..."     length 300 ---+--> buffer [ text of a | text that b has beyond it | room ]
//     b  a + "..." length 310 ---+            used: 310
//
// Who moves `used` from the end of its string owns the bytes behind it; who comes later makes a new
// buffer.

typedef struct {
    size_t capacity, used; // bytes
    char text[];
} buffer;

// Behind a growing string.
typedef struct {
    size_t characters;
    uint32_t *index; // of an INDEXED one
} growth;

static growth *growth_of(const vm_string *s)
{
    return (growth *)(s + 1);
}

enum {
    NARROW = 1, WIDE = 2, INDEXED = 3, // every character has one byte; not so; with places of characters
    KINDS = 3, GROWING = 4,            // vm_string.kind: one of these, perhaps with GROWING
};

enum { GROWS_FROM = 256 }; // bytes

static bool is_growing(const vm_string *s)
{
    return (__atomic_load_n(&s->kind, __ATOMIC_RELAXED) & GROWING) != 0;
}

static buffer *new_buffer(const vm_string *begin, size_t used, size_t capacity)
{
    buffer *made = vm_alloc_atomic(sizeof *made + capacity);
    made->capacity = capacity;
    made->used = used;
    memcpy(made->text, begin->text, begin->length);
    return made;
}

// With room for n bytes, those behind the string not used by others.
static buffer *buffer_for(const vm_string *s, size_t n)
{
    if (!is_growing(s))
        return new_buffer(s, n, n); // it may be the only time
    buffer *b = (buffer *)(s->text - offsetof(buffer, text));
    size_t end = s->length;
    if (n <= b->capacity && __atomic_compare_exchange_n(&b->used, &end, n, false, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
        return b;
    return new_buffer(s, n, 2 * n);
}

// Does a character begin there? Bytes that are no UTF-8 might become a character otherwise.
static bool begins_character(const vm_string *s)
{
    return ((unsigned char)s->text[0] & 0xc0) != 0x80;
}

vm_word vm_string_append(const vm_string *a, const vm_string *b)
{
    size_t n = a->length + b->length;
    if (n < GROWS_FROM || a->length < b->length || b->length == 0 || !begins_character(b)) {
        vm_string *both = vm_heap_string(n);
        memcpy(both->text, a->text, a->length);
        memcpy(both->text + a->length, b->text, b->length);
        return vm_heap_box(both);
    }
    size_t characters = vm_string_count(a) + vm_string_count(b);
    buffer *into = buffer_for(a, n);
    memcpy(into->text + a->length, b->text, b->length);
    vm_string *made = vm_heap_object(sizeof *made + sizeof(growth));
    made->box.kind = BOX_STRING;
    made->length = n;
    made->text = into->text;
    made->kind = GROWING | (characters == n ? NARROW : WIDE);
    growth_of(made)->characters = characters;
    return vm_heap_box(made);
}

const char *vm_string_terminated(const vm_string *s)
{
    if (!is_growing(s))
        return s->text;
    char *copy = vm_alloc_atomic(s->length + 1);
    memcpy(copy, s->text, s->length);
    copy[s->length] = '\0';
    return copy;
}

// ---- Places of characters -----------------------------------------------------------------------
//
// Behind the text of a string that is not short there is room for the places of every 64th character,
// in bytes, for the case that some characters have several bytes. A growing one has them elsewhere.
//
//     text ... NUL, padding, [number of characters, place of character 64, of character 128, ...]

enum {
    STEP = 64,   // characters
    SHORT = 256, // bytes: such texts are searched from the beginning
};

static bool has_room(size_t length)
{
    return length >= SHORT && length < UINT32_MAX;
}

static size_t bytes_before_index(size_t length)
{
    size_t bytes = offsetof(vm_string, own) + length + 1;
    return (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t);
}

size_t vm_string_size(size_t length)
{
    if (!has_room(length))
        return offsetof(vm_string, own) + length + 1;
    return bytes_before_index(length) + (length / STEP + 1) * sizeof(uint32_t);
}

static uint32_t *index_of(vm_string *s)
{
    if (is_growing(s))
        return __atomic_load_n(&growth_of(s)->index, __ATOMIC_ACQUIRE);
    return (uint32_t *)((char *)s + bytes_before_index(s->length));
}

static void make_index(vm_string *s)
{
    uint32_t *index = is_growing(s) ? vm_alloc_atomic((s->length / STEP + 1) * sizeof *index)
                                    : index_of(s);
    uint32_t n = 0;
    for (size_t at = 0; at < s->length; n++) {
        if (n > 0 && n % STEP == 0)
            __atomic_store_n(&index[n / STEP], (uint32_t)at, __ATOMIC_RELAXED);
        utf8_next(s->text, s->length, &at);
    }
    __atomic_store_n(&index[0], n, __ATOMIC_RELAXED);
    if (is_growing(s))
        __atomic_store_n(&growth_of(s)->index, index, __ATOMIC_RELEASE);
}

static uint8_t look(const vm_string *s)
{
    for (size_t i = 0; i < s->length; i++)
        if ((unsigned char)s->text[i] >= 0x80)
            return WIDE;
    return NARROW;
}

// `places`: of a wide string that is not short they are wanted. The first caller finds out; several
// workers may do so at the same time, since all find the same.
static uint8_t kind_of(const vm_string *string, bool places)
{
    vm_string *s = (vm_string *)string;
    uint8_t all = __atomic_load_n(&s->kind, __ATOMIC_ACQUIRE), kind = all & KINDS;
    bool grows = (all & GROWING) != 0;
    if (kind != 0 && !(kind == WIDE && grows && places && has_room(s->length)))
        return kind;
    kind = kind ? kind : look(s);
    if (kind == WIDE && has_room(s->length)) {
        make_index(s);
        kind = INDEXED;
    }
    __atomic_store_n(&s->kind, kind | (all & GROWING), __ATOMIC_RELEASE);
    return kind;
}

size_t vm_string_count(const vm_string *s)
{
    uint8_t kind = kind_of(s, false);
    if (kind == NARROW)
        return s->length;
    if (is_growing(s))
        return growth_of(s)->characters;
    return kind == INDEXED ? index_of((vm_string *)s)[0] : utf8_count(s->text, s->length);
}

size_t vm_string_offset(const vm_string *s, size_t i)
{
    uint8_t kind = kind_of(s, true);
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
