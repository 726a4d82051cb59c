// SPDX-License-Identifier: MIT
//
// CRC-64, eight bytes at a time: table[k][b] is the remainder of byte b followed by k zero bytes,
// so the remainders of eight consecutive bytes can be looked up independently and added.
#include "profiler/format/layout.h"

#include <pthread.h>

#define POLYNOMIAL 0xC96C5795D7870F42u // x^64 + x^62 + ... + 1, lowest coefficient first

static uint64_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (unsigned b = 0; b < 256; b++) {
        uint64_t r = b;
        for (int i = 0; i < 8; i++)
            r = r & 1 ? r >> 1 ^ POLYNOMIAL : r >> 1;
        table[0][b] = r;
    }
    for (int k = 1; k < 8; k++)
        for (unsigned b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

uint64_t trace_checksum(uint64_t sum, const void *data, size_t size)
{
    pthread_once(&table_once, make_table);
    const uint8_t *p = data;
    sum = ~sum;
    for (; size >= 8; p += 8, size -= 8) {
        uint64_t x = sum ^ load64(p);
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum ^= table[7 - k][x >> (8 * k) & 0xff];
    }
    while (size-- > 0)
        sum = sum >> 8 ^ table[0][(sum ^ *p++) & 0xff];
    return ~sum;
}
