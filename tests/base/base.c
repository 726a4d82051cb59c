// SPDX-License-Identifier: MIT
//
// base/: arrays, texts, tables, search, UTF-8 and near names, against what they must give; also on a
// heap that is not the C heap, and without memory.
#include "base/array.h"
#include "base/nearest.h"
#include "base/search.h"
#include "base/table.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/varint.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned passed, failed;

#define CHECK(condition) check_at(condition, #condition, __LINE__)

static void check_at(bool good, const char *what, int line)
{
    passed += good;
    failed += !good;
    if (!good)
        fprintf(stderr, "base.c:%d: %s\n", line, what);
}

static size_t allocated;

static void *counted(size_t bytes)
{
    allocated++;
    void *at = malloc(bytes);
    if (at)
        memset(at, 0xa5, bytes); // contents are not given
    return at;
}

static void released(void *at)
{
    allocated -= at != NULL;
    free(at);
}

static const base_heap counting = {.allocate = counted, .release = released, .first = 4};

static void arrays(void)
{
    ARRAY_OF(uint32_t) a = {0};
    for (uint32_t i = 0; i < 1000; i++)
        ARRAY_PUSH(a, i == 0 ? 7 : a.at[a.n - 1] + 1); // reads the array's own n
    CHECK(a.n == 1000 && a.at[0] == 7 && a.at[999] == 1006 && a.capacity >= 1000);
    CHECK(ARRAY_RESERVE(a, 5000) && a.capacity >= 6000 && a.at[999] == 1006);
    size_t before = a.capacity;
    volatile size_t too_many = SIZE_MAX / 8; // not known to the compiler, which would warn
    CHECK(!ARRAY_RESERVE(a, too_many) && a.capacity == before && a.at[999] == 1006);
    free(a.at);

    ARRAY_OF(char) none = {0};
    size_t nothing = 0;
    CHECK(ARRAY_RESERVE(none, nothing) && none.at);
    free(none.at);

    ARRAY_OF(uint64_t) own = {0};
    for (uint64_t i = 0; i < 100; i++)
        ARRAY_PUSH_ON(&counting, own, i * i);
    CHECK(own.n == 100 && own.at[99] == 99 * 99 && allocated == 1);
    CHECK(own.capacity == 100 || own.at[100] == 0); // room beyond the last is zero
    released(own.at);
}

static void texts(const base_heap *heap)
{
    base_text t = {.heap = heap};
    text_add_string(&t, "");
    CHECK(t.at && t.n == 0);
    for (int i = 0; i < 100; i++)
        text_add_format(&t, "%d,", i);
    CHECK(t.n == 290 && memcmp(t.at + 281, "97,98,99,", 9) == 0);
    t.n = 0;
    text_add(&t, "ab\0c", 4);
    text_add_char(&t, '-');
    text_add_code(&t, 0x20ac);
    text_add_string(&t, "");
    CHECK(t.n == 8 && strlen(text_finish(&t)) == 2 && t.n == 8);
    CHECK(memcmp(t.at + 4, "-\xe2\x82\xac", 5) == 0);
    if (heap)
        heap->release(t.at);
    else
        free(t.at);
    CHECK(allocated == 0);
}

static void maps(const base_heap *heap)
{
    enum { MANY = 20000 };
    base_map map = {.heap = heap};
    CHECK(map_get(&map, 1) == MAP_ABSENT);
    for (uint64_t i = 0; i < MANY; i++)
        map_set(&map, i << 32, i);
    for (uint64_t i = 0; i < MANY; i++)
        *map_at(&map, i << 32) += 1;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < MANY; i++)
        wrong += map_get(&map, i << 32) != i + 1;
    CHECK(wrong == 0 && map.n == MANY);
    CHECK(map_get(&map, 3) == MAP_ABSENT && map_get(&map, UINT64_MAX) == MAP_ABSENT);
    map_set(&map, UINT64_MAX, 5); // any key may be one
    CHECK(map_get(&map, UINT64_MAX) == 5);
    map_free(&map);
    CHECK(map.n == 0 && map_get(&map, 0) == MAP_ABSENT && allocated == 0);
}

static void indices(const base_heap *heap)
{
    static const char *const names[] = {"append", "nrev", "fib", "", "gen"};
    base_index index = {.heap = heap};
    uint32_t found;
    INDEX_FIND(found, &index, hash_bytes(0, "fib", 3), i, true);
    CHECK(found == INDEX_NONE);
    for (uint32_t n = 0; n < 5; n++)
        index_add(&index, hash_bytes(0, names[n], strlen(names[n])), n);
    for (uint32_t n = 0; n < 5; n++) {
        INDEX_FIND(found, &index, hash_bytes(0, names[n], strlen(names[n])), i,
                   strcmp(names[i], names[n]) == 0);
        CHECK(found == n);
    }
    INDEX_FIND(found, &index, hash_bytes(0, "x", 1), i, strcmp(names[i], "x") == 0);
    CHECK(found == INDEX_NONE);
    index_clear(&index);
    size_t room = index.size / 2;
    while (index.n < room)
        index_add(&index, 7, (uint32_t)index.n);
    CHECK(index.size == 2 * room && index_reserve(&index) && index.size == 4 * room);
    index_add(&index, 7, 0);
    CHECK(index.size == 4 * room);
    index_clear(&index);
    for (uint32_t n = 0; n < 3000; n++) // one hash for all: found by what they are
        index_add(&index, 42, n);
    INDEX_FIND(found, &index, 42, i, i == 2999);
    CHECK(found == 2999 && index.n == 3000);
    index_free(&index);
    CHECK(allocated == 0);
}

static void varints(void)
{
    static const int64_t numbers[] = {0, -1, 1, -2, 63, -64, 64, 8191, INT64_MAX, INT64_MIN};
    uint8_t bytes[2 * VARINT_LONGEST];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint8_t *end = varint_put(bytes, zigzag(numbers[i]));
        const uint8_t *at = bytes;
        CHECK(unzigzag(varint_get(&at)) == numbers[i] && at == end);
        CHECK(end - bytes <= VARINT_LONGEST);
        uint64_t x = 7;
        at = bytes;
        CHECK(varint_get_checked(&at, end, &x) && at == end && unzigzag(x) == numbers[i]);
        at = bytes;
        CHECK(!varint_get_checked(&at, end - 1, &x) && at == end - 1); // cut
    }
    CHECK(zigzag(-1) == 1 && zigzag(1) == 2 && zigzag(-2) == 3);
    memset(bytes, 0xff, sizeof bytes); // more than 64 bits
    uint64_t x = 7;
    const uint8_t *at = bytes;
    CHECK(!varint_get_checked(&at, bytes + VARINT_LONGEST, &x) && x == 7);
    CHECK(at != bytes + VARINT_LONGEST);
}

static void searching(void)
{
    static const int at[] = {1, 3, 3, 3, 9};
    static const struct {
        int value;
        size_t first, past;
    } cases[] = {{0, 0, 0}, {1, 0, 1}, {3, 1, 4}, {4, 4, 4}, {9, 4, 5}, {10, 5, 5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t first, past;
        FIRST_NOT(first, 5, i, at[i] < cases[c].value);
        FIRST_NOT(past, 5, i, at[i] <= cases[c].value);
        CHECK(first == cases[c].first && past == cases[c].past);
    }
    size_t none;
    FIRST_NOT(none, 0, i, at[i] < 1);
    CHECK(none == 0);
}

static void utf8(void)
{
    unsigned wrong = 0;
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char bytes[4];
        uint32_t back = 0;
        if (!utf8_allowed(code))
            continue;
        size_t n = utf8_encode(code, bytes);
        wrong += utf8_decode(bytes, n, &back) != n || back != code || !utf8_valid(bytes, n);
        wrong += n > 1 && utf8_decode(bytes, n - 1, &back) != 0;
    }
    CHECK(wrong == 0 && !utf8_allowed(0xd800) && !utf8_allowed(0x110000) && !utf8_allowed(-1));
    static const char *const bad[] = {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xc3(", "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t at = 0;
        CHECK(!utf8_valid(bad[i], strlen(bad[i])));
        CHECK(utf8_next(bad[i], strlen(bad[i]), &at) == UTF8_REPLACEMENT && at == 1);
    }
    CHECK(utf8_cut("a\xe2\x82\xac", 3) == 1 && utf8_cut("a\xe2\x82\xac", 4) == 4);
    CHECK(utf8_length('a') == 1 && utf8_length('\xe2') == 3 && utf8_continues('\x82'));
    CHECK(utf8_count("a\xe2\x82\xac\xff", 5) == 3 && utf8_offset("a\xe2\x82\xac\xff", 5, 2) == 4);
}

static void near_names(void)
{
    static const char *const names[] = {"append", "length", "reverse"};
    CHECK(nearest_edits("abcd", "abdc") == 1 && nearest_edits("", "ab") == 2);
    CHECK(nearest_of("apend", names, 3) == names[0] && nearest_of("lenght", names, 3) == names[1]);
    CHECK(!nearest_of("write", names, 3) && !nearest_of("re", names, 3));
    char longer[64] = {0};
    memset(longer, 'a', 50);
    CHECK(nearest_edits(longer, longer) == NEAREST_FAR);
}

// In a child: it ends by abort() and says where and how much.
static void clean_up(void)
{
    CHECK(write(STDERR_FILENO, "cleaned up", 10) == 10);
}

static void memory_ends(void)
{
    int to[2];
    CHECK(pipe(to) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(to[1], STDERR_FILENO);
        base_memory_doing("base: this test");
        base_memory_before_end(clean_up);
        base_resize(NULL, SIZE_MAX / 4, 2);
        _exit(0);
    }
    close(to[1]);
    char said[4000] = {0}; // the sanitizer may say something, too
    size_t n = 0;
    for (ssize_t got; n < sizeof said - 1 && (got = read(to[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    close(to[0]);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(strstr(said, "base.c:") && strstr(said, "cleaned up"));
    CHECK(strstr(said, "base: this test: out of memory (9223372036854775806 bytes wanted at"));
}

int main(void)
{
    arrays();
    texts(NULL);
    texts(&counting);
    maps(NULL);
    maps(&counting);
    indices(NULL);
    indices(&counting);
    searching();
    varints();
    utf8();
    near_names();
    memory_ends();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
