// SPDX-License-Identifier: MIT
//
// Atoms are interned texts. They are numbered from 0 in order of first use and live as long as the
// process.
// Beside the array of texts is a hash table with open addressing of their numbers (plus one; 0 is a
// free place). It is not a base_index because it must be whole at every allocation: where memory is
// exhausted the run leaves from there, and other runs go on with the table.
#include "vm/memory.h"
#include "vm/term/heap.h"
#include "vm/term/names.h"

// Workers make atoms under this lock. Reading needs no lock: whoever has a number also sees a table
// of entries that contains it, since later tables contain all entries of earlier ones.
static uint32_t making;

typedef struct {
    const char *text;
    size_t length;
    uint64_t hash;
} atom_entry;

static struct {
    atom_entry *entries;
    uint32_t n, capacity;
    uint32_t *places; // capacity_places of them, a power of two, at most half full
    uint32_t nplaces;
} atoms;

static const char *const fixed_names[] = {
    "[]",
    "true",
    ".",
#define NAME(identifier, text) text,
#include "vm/term/names.def"
#undef NAME
};

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static void place(uint32_t number)
{
    uint32_t at = (uint32_t)atoms.entries[number].hash & (atoms.nplaces - 1);
    while (atoms.places[at])
        at = (at + 1) & (atoms.nplaces - 1);
    atoms.places[at] = number + 1;
}

static void grow(void)
{
    uint32_t capacity = atoms.capacity ? atoms.capacity * 2 : 512;
    atom_entry *entries = vm_alloc(capacity * sizeof *entries);
    uint32_t *places = vm_alloc_atomic(2 * capacity * sizeof *places);
    if (atoms.n)
        memcpy(entries, atoms.entries, atoms.n * sizeof *entries);
    memset(places, 0, 2 * capacity * sizeof *places);
    __atomic_store_n(&atoms.entries, entries, __ATOMIC_RELEASE);
    atoms.capacity = capacity;
    atoms.places = places;
    atoms.nplaces = capacity * 2;
    for (uint32_t i = 0; i < atoms.n; i++)
        place(i);
}

static uint32_t intern(const char *text, size_t length)
{
    uint64_t hash = hash_text(text, length);
    if (atoms.n) {
        uint32_t at = (uint32_t)hash & (atoms.nplaces - 1);
        for (; atoms.places[at]; at = (at + 1) & (atoms.nplaces - 1)) {
            uint32_t number = atoms.places[at] - 1;
            const atom_entry *e = &atoms.entries[number];
            if (e->hash == hash && e->length == length && !memcmp(e->text, text, length))
                return number;
        }
    }
    if (atoms.n == atoms.capacity)
        grow();
    char *copy = vm_alloc_atomic(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    atoms.entries[atoms.n] = (atom_entry){copy, length, hash};
    place(atoms.n);
    return atoms.n++;
}

static void ensure_fixed(void)
{
    if (atoms.n)
        return;
    vm_memory_init();
    for (size_t i = 0; i < sizeof fixed_names / sizeof *fixed_names; i++)
        intern(fixed_names[i], strlen(fixed_names[i]));
}

uint32_t vm_atom_intern(const char *text, size_t length)
{
    vm_spin_lock(&making);
    ensure_fixed();
    uint32_t number = intern(text, length);
    vm_spin_unlock();
    return number;
}

vm_word vm_atom_from(const char *text)
{
    return vm_atom(vm_atom_intern(text, strlen(text)));
}

static const atom_entry *entry(uint32_t number)
{
    const atom_entry *entries = __atomic_load_n(&atoms.entries, __ATOMIC_ACQUIRE);
    if (!entries) {
        vm_atom_intern("", 0); // makes the fixed ones
        entries = atoms.entries;
    }
    return &entries[number];
}

const char *vm_atom_text(uint32_t number)
{
    return entry(number)->text;
}

size_t vm_atom_length(uint32_t number)
{
    return entry(number)->length;
}
