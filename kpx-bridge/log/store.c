// SPDX-License-Identifier: MIT
//
// Stores are in a list, so that a look finds their mappings.
#include "kpx-bridge/log/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"

#define IN_MEMORY ((size_t)192 << 20) // bytes of all stores together
#define RESIDENT (KPX_STORE_MEMORY - IN_MEMORY) // of files: more is given back
#define LEAST_FILE ((size_t)4 << 20)

enum { LEAST_CAPACITY = 64 }; // elements

// A store in memory has no mapping.
struct kpx_store {
    void *at;
    size_t bytes;   // reserved
    size_t mapped;  // of a file, from the beginning
    size_t counted; // in memory
    int file;       // or -1
    kpx_store *before, *next;
};

static struct {
    kpx_store *first;
    size_t in_memory;
    bool maps; // there was a mapping
    char *folder;
} all;

void kpx_store_beside(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    free(all.folder);
    all.folder = !path ? NULL : slash ? base_copy_bytes(path, (size_t)(slash - path) + 1) : base_copy(".");
}

uint64_t kpx_store_disk(void)
{
    struct statvfs about;
    return all.folder && statvfs(all.folder, &about) == 0 ? (uint64_t)about.f_bavail * about.f_frsize : 0;
}

// ---- Pages that are given back ------------------------------------------------------------------

static size_t resident_of_files(void)
{
    static int file = -1; // stays open: there are many looks
    char text[128];
    size_t pages = 0;
    if (file < 0)
        file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? pread(file, text, sizeof text - 1, 0) : -1;
    if (n > 0) {
        text[n] = 0;
        if (sscanf(text, "%*u %*u %zu", &pages) != 1)
            pages = 0;
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void kpx_store_look(void)
{
    if (!all.maps || resident_of_files() <= RESIDENT)
        return;
    for (const kpx_store *s = all.first; s; s = s->next)
        if (s->mapped > 0)
            madvise(s->at, s->mapped, MADV_DONTNEED);
}

// ---- The list -----------------------------------------------------------------------------------

static kpx_store *add_store(void)
{
    kpx_store *s = base_allocate(1, sizeof *s);
    s->file = -1;
    s->next = all.first;
    if (all.first)
        all.first->before = s;
    all.first = s;
    return s;
}

static void count_memory(kpx_store *s, size_t bytes)
{
    all.in_memory += bytes - s->counted;
    s->counted = bytes;
}

void kpx_store_free(kpx_store *s)
{
    if (!s)
        return;
    *(s->before ? &s->before->next : &all.first) = s->next;
    if (s->next)
        s->next->before = s->before;
    count_memory(s, 0);
    if (s->mapped > 0)
        munmap(s->at, s->bytes);
    else
        free(s->at);
    if (s->file >= 0)
        close(s->file);
    free(s);
}

// ---- Files --------------------------------------------------------------------------------------

// It has no name as soon as it exists: nothing is left of it, however the process ends.
static int create_file(void)
{
    if (!all.folder)
        return -1;
    int file = open(all.folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    char *name = base_format("%s/kpx-XXXXXX", all.folder);
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    free(name);
    return file;
}

// A multiple of the size of a page.
static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

// Without this advice the system keeps the file in pages of megabytes, and an access makes all of one
// resident.
static void map_small_pages(void *at, size_t bytes)
{
    madvise(at, bytes, MADV_RANDOM);
}

// Disk space is taken first: a full disk is told here, not where memory is written to.
static bool move_to_file(kpx_store *s, size_t used, size_t bytes)
{
    int file = create_file();
    void *at = MAP_FAILED;
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes) == 0)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        if (file >= 0)
            close(file);
        return false;
    }
    map_small_pages(at, bytes);
    if (used > 0)
        memcpy(at, s->at, used);
    free(s->at);
    s->at = at;
    s->mapped = s->bytes = bytes;
    s->file = file;
    count_memory(s, 0);
    all.maps = true;
    return true;
}

static bool grow_file(kpx_store *s, size_t bytes)
{
    if (posix_fallocate(s->file, (off_t)s->bytes, (off_t)(bytes - s->bytes)) != 0)
        return false;
    void *at = mremap(s->at, s->bytes, bytes, MREMAP_MAYMOVE);
    if (at != MAP_FAILED) {
        s->at = at;
        s->mapped = s->bytes = bytes;
    }
    return at != MAP_FAILED;
}

// The disk is full: what was in the file is in memory from now on.
static void move_to_memory(kpx_store *s, size_t bytes)
{
    void *at = base_resize(NULL, bytes, 1);
    memcpy(at, s->at, s->bytes);
    munmap(s->at, s->bytes);
    close(s->file);
    s->at = at;
    s->file = -1;
    s->mapped = 0;
}

// ---- Room ---------------------------------------------------------------------------------------

static bool is_too_much(const kpx_store *s, size_t bytes)
{
    return bytes >= LEAST_FILE && all.in_memory - s->counted + bytes > IN_MEMORY;
}

static void grow_memory(kpx_store *s, size_t bytes)
{
    s->at = base_resize(s->at, bytes, 1);
    s->bytes = bytes;
    count_memory(s, bytes);
}

void *kpx_store_grow(kpx_store **store, size_t *capacity, size_t size)
{
    kpx_store *s = *store = *store ? *store : add_store();
    size_t more = *capacity < LEAST_CAPACITY ? LEAST_CAPACITY : s->mapped > 0 ? *capacity / 4 : *capacity;
    size_t used = *capacity * size, bytes = (*capacity + more) * size;
    if (s->mapped == 0 && is_too_much(s, bytes) && move_to_file(s, used, whole_pages(bytes)))
        bytes = s->bytes;
    else if (s->mapped > 0 && grow_file(s, whole_pages(bytes)))
        bytes = s->bytes;
    else if (s->mapped > 0)
        move_to_memory(s, bytes), count_memory(s, s->bytes = bytes);
    else
        grow_memory(s, bytes);
    *capacity = bytes / size;
    return s->at;
}

void *kpx_store_take(kpx_store **store, size_t n, size_t size)
{
    kpx_store *s = *store = add_store();
    size_t bytes = (n > 0 ? n : 1) * size;
    if (is_too_much(s, bytes) && move_to_file(s, 0, whole_pages(bytes)))
        return s->at;
    s->at = base_allocate(bytes, 1);
    s->bytes = bytes;
    count_memory(s, bytes);
    return s->at;
}

const void *kpx_store_map(kpx_store **store, int file, uint64_t offset, size_t length, const void *tail,
                          size_t tail_length)
{
    size_t bytes = length + whole_pages(tail_length);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (mmap(at, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, (off_t)offset) == MAP_FAILED) {
        munmap(at, bytes);
        return NULL;
    }
    memcpy((uint8_t *)at + length, tail, tail_length);
    kpx_store *s = *store = add_store();
    s->at = at;
    s->bytes = bytes;
    s->mapped = length;
    all.maps = true;
    return at;
}

// ---- Sorting ------------------------------------------------------------------------------------

#define RUN_BYTES ((size_t)8 << 20)

// Merges two neighbours, of which the first is copied aside as far as it is not in place yet.
typedef struct {
    size_t size;
    kpx_compare *compare;
    kpx_store *store;
    uint8_t *aside;
} merging;

static void merge(merging *m, uint8_t *at, size_t left, size_t right)
{
    size_t size = m->size;
    while (left > 0 && right > 0 && m->compare(at, at + left * size) <= 0) {
        kpx_store_at(left);
        at += size;
        left--;
    }
    if (left == 0 || right == 0)
        return;
    memcpy(m->aside, at, left * size);
    const uint8_t *a = m->aside, *b = at + left * size;
    while (left > 0 && right > 0) {
        bool first = m->compare(a, b) <= 0;
        kpx_store_at(left + right);
        memcpy(at, first ? a : b, size);
        at += size;
        a += first ? size : 0;
        b += first ? 0 : size;
        left -= first;
        right -= !first;
    }
    memcpy(at, a, left * size);
}

void kpx_store_sort(void *at, size_t n, size_t size, kpx_compare *compare)
{
    size_t run = RUN_BYTES / size;
    uint8_t *bytes = at;
    for (size_t i = 0; i < n; i += run) {
        kpx_store_look();
        qsort(bytes + i * size, n - i < run ? n - i : run, size, compare);
    }
    if (n <= run)
        return;
    merging m = {.size = size, .compare = compare};
    m.aside = kpx_store_take(&m.store, n, size);
    for (; run < n; run *= 2)
        for (size_t i = 0; i + run < n; i += 2 * run)
            merge(&m, bytes + i * size, run, n - i - run < run ? n - i - run : run);
    kpx_store_free(m.store);
}
