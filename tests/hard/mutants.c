// SPDX-License-Identifier: MIT
//
// usage: mutants-TARGET FIRST COUNT [--into FOLDER] SEED-FILE...
//
// Linked with a fuzz target: feeds mutants number FIRST to FIRST + COUNT - 1 of its seeds to it, or writes
// them as files 0, 1, ... into a folder. The number is enough to make a mutant again; the first ones, from 0
// on, are the seeds themselves. The last line on standard output is the number of mutants that were taken.
// Before each one its number is stored at the start of the file that descriptor 3 is, if it is open, so a
// crash can be named. A mutant that takes longer than a minute ends the process by SIGALRM.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

enum { MOST_BYTES = 16384, ROOM = 4096, LONGEST = 60, MOST_MUTATIONS = 4 };

typedef struct {
    uint8_t *data;
    size_t size;
} seed_file;

static uint64_t state;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state >> 11) % n : 0;
}

// What libFuzzer has for mutators: bytes are changed, put in, left out or copied.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity)
{
    size_t at = below(size), n = 1 + below(8);
    switch (size == 0 ? 2 : below(5)) {
    case 0:
        data[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        data[at] = (uint8_t)below(256);
        return size;
    case 2: // a byte more
        if (size == capacity)
            return size;
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)below(256);
        return size + 1;
    case 3:
        n = n < size - at ? n : size - at;
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    default: {
        size_t to = below(size);
        n = n < size - at ? n : size - at;
        n = n < size - to ? n : size - to;
        memmove(data + to, data + at, n);
        return size;
    }
    }
}

static seed_file read_seed(const char *path)
{
    seed_file f = {.data = malloc(MOST_BYTES)};
    FILE *in = fopen(path, "rb");
    if (!in || !f.data) {
        fprintf(stderr, "%s: cannot read\n", path);
        exit(2);
    }
    f.size = fread(f.data, 1, MOST_BYTES, in);
    fclose(in);
    return f;
}

// Mutant `number`, on the heap in as many bytes as it has.
static uint8_t *make_mutant(const seed_file *seeds, size_t nseeds, uint64_t number, size_t *ret_size)
{
    state = (number + 1) * 0x9e3779b97f4a7c15u;
    bool itself = number < nseeds;
    const seed_file *seed = &seeds[itself ? number : below(nseeds)];
    size_t size = seed->size, capacity = size + ROOM;
    uint8_t *data = malloc(capacity);
    memcpy(data, seed->data, size);
    for (size_t n = itself ? 0 : 1 + below(MOST_MUTATIONS); n > 0; n--)
        size = LLVMFuzzerCustomMutator(data, size, capacity, (unsigned)below(UINT32_MAX));
    *ret_size = size;
    uint8_t *exact = malloc(size + (size == 0)); // the sanitizer sees reads behind its end
    memcpy(exact, data, size);
    free(data);
    return exact;
}

static void write_mutant(const char *folder, uint64_t name, const uint8_t *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu", folder, (unsigned long long)name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) {
        fprintf(stderr, "%s: cannot write\n", path);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    const char *folder = NULL;
    if (argc > 5 && strcmp(argv[3], "--into") == 0)
        folder = argv[4];
    int first_seed = folder ? 5 : 3;
    if (argc <= first_seed) {
        fprintf(stderr, "usage: %s FIRST COUNT [--into FOLDER] SEED-FILE...\n", argv[0]);
        return 2;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), taken = 0;
    size_t nseeds = (size_t)(argc - first_seed);
    seed_file *seeds = malloc(nseeds * sizeof *seeds);
    for (size_t i = 0; i < nseeds; i++)
        seeds[i] = read_seed(argv[first_seed + (int)i]);
    for (uint64_t i = first; i < first + count; i++, taken++) {
        size_t size;
        char name[32];
        int length = snprintf(name, sizeof name, "%-20llu\n", (unsigned long long)i);
        ssize_t noted = pwrite(3, name, (size_t)length, 0);
        (void)noted; // there may be nobody to read it
        alarm(LONGEST);
        uint8_t *data = make_mutant(seeds, nseeds, i, &size);
        if (folder)
            write_mutant(folder, i - first, data, size);
        else
            LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%llu\n", (unsigned long long)taken);
    for (size_t i = 0; i < nseeds; i++)
        free(seeds[i].data);
    free(seeds);
    return 0;
}
