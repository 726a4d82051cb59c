// SPDX-License-Identifier: MIT
//
// Names of variables, unique within one output. The oldest variable of a name keeps it. A younger
// one gets the name without its trailing digits, and the first free number.
#include <ctype.h>

#include "base/search.h"
#include "base/table.h"
#include "iotree/terms/terms.h"

typedef struct {
    uint32_t variable;
    char *name;
} named;

// A number with each text, 0 at first.
typedef struct {
    char *key;
    uint32_t value;
} text_entry;

typedef struct {
    base_index index;
    ARRAY_OF(text_entry) entries;
} text_map;

struct iot_names {
    const trace *t;
    ARRAY_OF(uint32_t) variables; // registered
    uint8_t *registered;          // bits by cell
    named *names;                 // by variable
    size_t n;
};

// ---------------------------------------------------------------------------------------------
// The map of texts

// The place of the text among the entries. The text is copied.
static uint32_t place_of(text_map *m, const char *key)
{
    uint64_t hash = hash_bytes(0, key, strlen(key));
    uint32_t found;
    INDEX_FIND(found, &m->index, hash, i, strcmp(m->entries.at[i].key, key) == 0);
    if (found == INDEX_NONE) {
        found = (uint32_t)m->entries.n;
        index_add(&m->index, hash, found);
        ARRAY_PUSH(m->entries, (text_entry){.key = base_copy(key)});
    }
    return found;
}

static void free_map(text_map *m)
{
    for (size_t i = 0; i < m->entries.n; i++)
        free(m->entries.at[i].key);
    free(m->entries.at);
    index_free(&m->index);
}

// ---------------------------------------------------------------------------------------------
// Registering

iot_names *iot_names_create(const trace *t)
{
    iot_names *n = base_allocate(1, sizeof *n);
    n->t = t;
    n->registered = bits_allocate(trace_ncells(t));
    return n;
}

const trace *iot_names_trace(const iot_names *n)
{
    return n->t;
}

void iot_names_add_variable(iot_names *n, uint32_t variable)
{
    if (bit_get(n->registered, variable))
        return;
    bit_set(n->registered, variable);
    ARRAY_PUSH(n->variables, variable);
}

void iot_names_destroy(iot_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->n; i++)
        free(n->names[i].name);
    free(n->names);
    free(n->variables.at);
    free(n->registered);
    free(n);
}

// ---------------------------------------------------------------------------------------------
// Numbering

static int by_age(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

enum { MOST_DIGITS = 8 }; // of a name's number; what has more is all stem

// What is known of a source name: its stem, and the last number tried.
typedef struct {
    uint32_t source, number;
    size_t stem;
    const char *text;
} stem_entry;

typedef struct {
    text_map taken;                // 1 with every name given away
    ARRAY_OF(stem_entry) stems;
    base_map by_source;            // places in `stems`
} naming;

static stem_entry *stem_of(naming *x, const trace *t, uint32_t source)
{
    uint64_t *place = map_at(&x->by_source, source);
    if (*place != MAP_ABSENT)
        return &x->stems.at[*place];
    const char *text = source == TRACE_NONE ? "" : trace_name(t, source);
    text = *text ? text : "_";
    size_t length = strlen(text), stem = length;
    while (stem && isdigit((unsigned char)text[stem - 1]))
        stem--;
    if (length - stem > MOST_DIGITS)
        stem = length;
    *place = x->stems.n;
    ARRAY_PUSH(x->stems, (stem_entry){source, (uint32_t)strtoul(text + stem, NULL, 10), stem, text});
    return &x->stems.at[x->stems.n - 1];
}

static bool take(text_map *taken, const char *name)
{
    uint32_t place = place_of(taken, name); // it may move the entries
    bool is_free = !taken->entries.at[place].value;
    taken->entries.at[place].value = 1;
    return is_free;
}

// The source name if it is free, else its stem with the next free number greater than its own: S,
// S, S1, S1 are shown as S, S1, S2, S3. A source name is free once only, at its first variable.
static char *choose_name(naming *x, const trace *t, uint32_t source)
{
    size_t known = x->stems.n;
    stem_entry *s = stem_of(x, t, source);
    if (x->stems.n > known && take(&x->taken, s->text))
        return base_copy(s->text);
    char *name = NULL;
    do {
        free(name);
        name = base_format("%.*s%u", (int)s->stem, s->text, ++s->number);
    } while (!take(&x->taken, name));
    return name;
}

void iot_names_finish(iot_names *n)
{
    naming x = {0};
    if (n->variables.n)
        qsort(n->variables.at, n->variables.n, sizeof *n->variables.at, by_age);
    n->names = base_allocate(n->variables.n, sizeof *n->names);
    for (size_t i = 0; i < n->variables.n; i++) {
        uint32_t variable = n->variables.at[i];
        n->names[n->n++] = (named){variable, choose_name(&x, n->t, trace_cell_name(n->t, variable))};
    }
    free_map(&x.taken);
    free(x.stems.at);
    map_free(&x.by_source);
}

const char *iot_name(const iot_names *n, uint32_t variable)
{
    size_t first;
    FIRST_NOT(first, n->n, i, n->names[i].variable < variable);
    return first < n->n && n->names[first].variable == variable ? n->names[first].name : NULL;
}
