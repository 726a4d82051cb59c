// SPDX-License-Identifier: MIT
//
// What code compiled with -fsanitize=thread calls, in place of that sanitizer's own library: plain
// accesses are checked for races, atomic operations are points where another thread may go on.
#include "model_private.h"

#define HERE model_code(__builtin_return_address(0))

// ---- Plain accesses -----------------------------------------------------------------------------

static void plain(const void *place, size_t size, bool write, uintptr_t from)
{
    if (!model_is_running() || size == 0 || model_is_local((uintptr_t)place))
        return;
    uint64_t own;
    if (model_buffered((uintptr_t)place, &own))
        model_fail("a plain access at [%#zx] to what the thread stored atomically before",
                   (size_t)from);
    memory_access a = {(uintptr_t)place, (unsigned)size, !write, write, false, 0, from};
    race_access(model_thread(), &a);
}

#define PLAIN(name, size)                                                                          \
    void __tsan_read##name(void *place);                                                           \
    void __tsan_write##name(void *place);                                                          \
    void __tsan_unaligned_read##name(void *place);                                                 \
    void __tsan_unaligned_write##name(void *place);                                                \
    void __tsan_read##name(void *place)                                                            \
    {                                                                                              \
        plain(place, size, false, HERE);                                                           \
    }                                                                                              \
    void __tsan_write##name(void *place)                                                           \
    {                                                                                              \
        plain(place, size, true, HERE);                                                            \
    }                                                                                              \
    void __tsan_unaligned_read##name(void *place)                                                  \
    {                                                                                              \
        plain(place, size, false, HERE);                                                           \
    }                                                                                              \
    void __tsan_unaligned_write##name(void *place)                                                 \
    {                                                                                              \
        plain(place, size, true, HERE);                                                            \
    }

PLAIN(1, 1)
PLAIN(2, 2)
PLAIN(4, 4)
PLAIN(8, 8)
PLAIN(16, 16)

void __tsan_read_range(void *place, size_t size);
void __tsan_write_range(void *place, size_t size);
void __tsan_init(void);
void __tsan_func_entry(void *from);
void __tsan_func_exit(void);

void __tsan_read_range(void *place, size_t size)
{
    plain(place, size, false, HERE);
}

void __tsan_write_range(void *place, size_t size)
{
    plain(place, size, true, HERE);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *from)
{
    (void)from;
}

void __tsan_func_exit(void)
{
}

// ---- Atomic operations --------------------------------------------------------------------------

static void stop(op_kind kind, const volatile void *place, unsigned size, uintptr_t from)
{
    if (!model_is_running())
        return;
    if ((uintptr_t)place % size)
        model_fail("an atomic operation at [%#zx] on no word, %#zx", (size_t)from, (size_t)place);
    model_stop_at((operation){.kind = kind, .place = (uintptr_t)place, .from = from});
}

static void note(const volatile void *place, unsigned size, bool reads, bool writes, int order,
                 uintptr_t from)
{
    if (!model_is_running())
        return;
    memory_access a = {(uintptr_t)place, size, reads, writes, true, order, from};
    race_access(model_thread(), &a);
}

// Is the store one that a buffer may hold back? Then it is there.
static bool held_back(const volatile void *place, unsigned size, uint64_t value, int order,
                      uintptr_t from)
{
    memory_access a = {(uintptr_t)place, size, false, true, true, order, from};
    return model_is_running() && order != __ATOMIC_SEQ_CST && model_buffer(&a, value);
}

// A change that compares is noted as what it turned out to be: a read, if it changed nothing.
#define ATOMIC(bits)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *place, int order);    \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *place, uint##bits##_t value,         \
                                     int order);                                                   \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *place,                  \
                                                  uint##bits##_t value, int order);                \
    uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile uint##bits##_t *place,                 \
                                                   uint##bits##_t value, int order);               \
    uint##bits##_t __tsan_atomic##bits##_fetch_sub(volatile uint##bits##_t *place,                 \
                                                   uint##bits##_t value, int order);               \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile uint##bits##_t *place,              \
                                                      uint##bits##_t *expected,                    \
                                                      uint##bits##_t value, int order, int other); \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile uint##bits##_t *place,                \
                                                    uint##bits##_t *expected,                      \
                                                    uint##bits##_t value, int order, int other);   \
                                                                                                   \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *place, int order)     \
    {                                                                                              \
        uint64_t own;                                                                              \
        stop(AT_LOAD, place, sizeof *place, HERE);                                                 \
        if (model_is_running() && model_buffered((uintptr_t)place, &own))                          \
            return (uint##bits##_t)own;                                                            \
        note(place, sizeof *place, true, false, order, HERE);                                      \
        if (model_is_running())                                                                    \
            model_saw(place, sizeof *place, *place);                                               \
        return *place;                                                                             \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *place, uint##bits##_t value,         \
                                     int order)                                                    \
    {                                                                                              \
        if (held_back(place, sizeof *place, value, order, HERE))                                   \
            return;                                                                                \
        stop(AT_STORE, place, sizeof *place, HERE);                                                \
        note(place, sizeof *place, false, true, order, HERE);                                      \
        *place = value;                                                                            \
    }                                                                                              \
    static uint##bits##_t change##bits(volatile uint##bits##_t *place, uint##bits##_t add,         \
                                       uint##bits##_t value, int order, uintptr_t from)            \
    {                                                                                              \
        stop(AT_CHANGE, place, sizeof *place, from);                                               \
        note(place, sizeof *place, true, true, order, from);                                       \
        uint##bits##_t old = *place;                                                               \
        *place = (uint##bits##_t)(old * add + value);                                              \
        return old;                                                                                \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *place,                  \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        return change##bits(place, 0, value, order, HERE);                                         \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile uint##bits##_t *place,                 \
                                                   uint##bits##_t value, int order)                \
    {                                                                                              \
        return change##bits(place, 1, value, order, HERE);                                         \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_fetch_sub(volatile uint##bits##_t *place,                 \
                                                   uint##bits##_t value, int order)                \
    {                                                                                              \
        return change##bits(place, 1, (uint##bits##_t)-value, order, HERE);                        \
    }                                                                                              \
    static int swap##bits(volatile uint##bits##_t *place, uint##bits##_t *expected,                \
                          uint##bits##_t value, int order, int other, uintptr_t from)              \
    {                                                                                              \
        stop(AT_CHANGE, place, sizeof *place, from);                                               \
        bool same = *place == *expected;                                                           \
        note(place, sizeof *place, true, same, same ? order : other, from);                        \
        if (same)                                                                                  \
            *place = value;                                                                        \
        else                                                                                       \
            *expected = *place;                                                                    \
        return same;                                                                               \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile uint##bits##_t *place,              \
                                                      uint##bits##_t *expected,                    \
                                                      uint##bits##_t value, int order, int other)  \
    {                                                                                              \
        return swap##bits(place, expected, value, order, other, HERE);                             \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile uint##bits##_t *place,                \
                                                    uint##bits##_t *expected,                      \
                                                    uint##bits##_t value, int order, int other)    \
    {                                                                                              \
        return swap##bits(place, expected, value, order, other, HERE);                             \
    }

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
