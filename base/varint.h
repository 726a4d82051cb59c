// SPDX-License-Identifier: MIT
//
// Numbers of variable length: 7 bits a byte, the lowest first; the high bit says that more follow.
// Zigzag maps signed numbers to unsigned ones so that small ones stay small: 0, -1, 1, -2 ...
// become 0, 1, 2, 3 ...
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#define VARINT_LONGEST 10 // bytes

static inline uint64_t zigzag(int64_t x)
{
    return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static inline int64_t unzigzag(uint64_t x)
{
    return (int64_t)(x >> 1 ^ -(x & 1));
}

// Writes x; returns where it ends.
static inline uint8_t *varint_put(uint8_t *at, uint64_t x)
{
    for (; x >= 0x80; x >>= 7)
        *at++ = (uint8_t)(x | 0x80);
    *at++ = (uint8_t)x;
    return at;
}

// Reads what varint_put() wrote, and moves on.
static inline uint64_t varint_get(const uint8_t **at)
{
    uint64_t x = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return x;
    }
}

// The same where the bytes may be anything. False if they end within the number (then *at is `end`)
// or if it has more than 64 bits.
static inline bool varint_get_checked(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    uint64_t x = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1) {
            *at -= 1;
            return false;
        }
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = x;
            return true;
        }
    }
    return false;
}

#endif
