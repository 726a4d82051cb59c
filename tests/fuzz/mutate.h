// SPDX-License-Identifier: MIT
//
// Mutations that keep the structure of what a reader reads, for the targets that include this:
//
//   text      lines are left out, repeated, exchanged; words and numbers become others of the same
//             text, numbers at the ends of their ranges, many times themselves
//   records   of a fixed size behind a head: fields get numbers at the ends of their ranges, or those
//             of another record; records are left out, repeated, exchanged
//
// A mutation of eight changes bytes, as libFuzzer does.
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

typedef struct {
    size_t at, length;
} mutate_part;

static uint64_t mutate_state;

static size_t mutate_below(size_t n)
{
    mutate_state = mutate_state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(mutate_state >> 33) % n : 0;
}

// Puts `with` in the place of a part; the new size. Nothing changes where there is no room.
static size_t mutate_replace(uint8_t *data, size_t size, size_t capacity, mutate_part part,
                             const void *with, size_t length)
{
    if (size - part.length + length > capacity)
        return size;
    uint8_t *copy = malloc(length + 1); // `with` may be a part of data
    memcpy(copy, with, length);
    memmove(data + part.at + length, data + part.at + part.length,
            size - part.at - part.length);
    memcpy(data + part.at, copy, length);
    free(copy);
    return size - part.length + length;
}

static size_t mutate_exchange(uint8_t *data, size_t size, size_t capacity, mutate_part a, mutate_part b)
{
    if (a.at > b.at) {
        mutate_part c = a;
        a = b;
        b = c;
    }
    if (a.at + a.length > b.at || size + a.length > capacity || size + b.length > capacity)
        return size;
    uint8_t *first = malloc(a.length + 1);
    memcpy(first, data + a.at, a.length);
    size_t now = mutate_replace(data, size, capacity, a, data + b.at, b.length);
    b.at += b.length - a.length;
    now = mutate_replace(data, now, capacity, b, first, a.length);
    free(first);
    return now;
}

// ---- Text ------------------------------------------------------------------------------------

static int mutate_class(uint8_t c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return 1;
    return c >= '0' && c <= '9' ? 2 : c <= ' ' ? 3 : 0;
}

// The word, number, space or sign at about a place.
static mutate_part mutate_token(const uint8_t *data, size_t size)
{
    size_t at = mutate_below(size), end = at;
    int class = mutate_class(data[at]);
    while (class && at > 0 && mutate_class(data[at - 1]) == class)
        at--;
    while (end < size && (end == at || (class && mutate_class(data[end]) == class)))
        end++;
    return (mutate_part){at, end - at};
}

static mutate_part mutate_line(const uint8_t *data, size_t size)
{
    size_t at = mutate_below(size), end;
    while (at > 0 && data[at - 1] != '\n')
        at--;
    for (end = at; end < size && data[end] != '\n'; end++)
        continue;
    return (mutate_part){at, end - at + (end < size)};
}

static inline size_t mutate_text(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    static const char *const words[] = {
        "0", "-1", "1", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e308", "1e999", "0.0", "-0.0",
        "nan", "99999999999999999999999999999999", "", "'", "\"", "\\", "(", ")", "[", "]", "{", "}", "|", ",",
        ".", ". ", "\n", "\t", "%", "/*", "*/", ":", "=", "0'", "\xff", "\xc3", "\xe2\x80\xae", "\x1b[31m", "&",
        "!", "_",
    };
    mutate_state = seed;
    mutate_below(1);
    size_t how = size ? mutate_below(16) : 0;
    if (how < 2)
        return LLVMFuzzerMutate(data, size, capacity);
    mutate_part t = mutate_token(data, size), u = mutate_token(data, size);
    mutate_part l = mutate_line(data, size), k = mutate_line(data, size);
    const char *word = words[mutate_below(sizeof words / sizeof *words)];
    switch (how) {
    case 2:
        return mutate_replace(data, size, capacity, l, "", 0);
    case 3:
        return mutate_replace(data, size, capacity, (mutate_part){k.at, 0}, data + l.at, l.length);
    case 4:
        return mutate_exchange(data, size, capacity, l, k);
    case 5:
        return mutate_exchange(data, size, capacity, t, u);
    case 6:
    case 7:
        return mutate_replace(data, size, capacity, t, data + u.at, u.length);
    case 8:
        return mutate_replace(data, size, capacity, t, "", 0);
    case 9: // many times itself
        for (size_t n = 1 + mutate_below(200); n > 0 && size + t.length <= capacity; n--)
            size = mutate_replace(data, size, capacity, (mutate_part){t.at, 0}, data + t.at, t.length);
        return size;
    case 10:
        return mutate_replace(data, size, capacity, (mutate_part){t.at, 0}, word, strlen(word));
    case 11: // the rest is missing
        return t.at;
    default:
        return mutate_replace(data, size, capacity, t, word, strlen(word));
    }
}

// ---- Records ---------------------------------------------------------------------------------

static void mutate_field(uint8_t *record, size_t length)
{
    static const uint64_t ends[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000,
                                    0xffffffff, 0x100000000, INT64_MAX, INT64_MIN, UINT64_MAX};
    size_t width = (size_t)1 << mutate_below(4);
    if (width > length)
        return;
    size_t at = mutate_below(length / width) * width;
    uint64_t value = 0;
    memcpy(&value, record + at, width);
    if (mutate_below(2))
        value = ends[mutate_below(sizeof ends / sizeof *ends)];
    else
        value += mutate_below(17) - 8;
    memcpy(record + at, &value, width);
}

// Records of `length` bytes behind `head` bytes, which are mutated as one record.
static inline size_t mutate_records(uint8_t *data, size_t size, size_t capacity, unsigned seed, size_t head,
                                    size_t length)
{
    mutate_state = seed;
    mutate_below(1);
    size_t n = size > head ? (size - head) / length : 0, how = mutate_below(16);
    if (how < 2 || size == 0)
        return LLVMFuzzerMutate(data, size, capacity);
    if (n == 0 || (head > 0 && how < 5)) {
        mutate_field(data, size < head || head == 0 ? size : head);
        return size;
    }
    mutate_part a = {head + mutate_below(n) * length, length}, b = {head + mutate_below(n) * length, length};
    switch (how) {
    case 5:
        return mutate_replace(data, size, capacity, a, "", 0);
    case 6:
        return mutate_replace(data, size, capacity, (mutate_part){b.at, 0}, data + a.at, length);
    case 7:
        return mutate_exchange(data, size, capacity, a, b);
    case 8: { // a field of another record
        size_t width = (size_t)1 << mutate_below(4), at = mutate_below(length / width) * width;
        memmove(data + a.at + at, data + b.at + at, width);
        return size;
    }
    case 9:
        return a.at;
    default:
        mutate_field(data + a.at, length);
        return size;
    }
}

#endif
