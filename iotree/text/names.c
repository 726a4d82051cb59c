// SPDX-License-Identifier: MIT
//
// Names of variables, unique within one output. In order of age a variable keeps its source name
// while that is free; else it gets the name without its trailing digits and the first free number.
#include <ctype.h>
#include <stdio.h>

#include "iotree/text/names.h"

typedef struct {
    uint32_t variable;
    char *name;
} named;

// Open addressing over texts; value is what the caller keeps with a text.
typedef struct {
    char *key; // NULL: free
    uint32_t value;
} slot;

typedef struct {
    slot *slots;
    uint32_t n, size; // size: a power of two
} text_map;

struct iot_names {
    const trace *t;
    uint32_t *variables; // registered, with repetitions until finished
    size_t nvariables, capacity;
    uint8_t *registered; // bits by cell
    named *names;        // by variable
    size_t n;
};

// ---------------------------------------------------------------------------------------------
// The map of texts

static uint64_t hash_text(const char *s)
{
    uint64_t h = 14695981039346656037u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h ^ h >> 32;
}

static slot *find_slot(const text_map *m, const char *key)
{
    uint32_t i = (uint32_t)hash_text(key) & (m->size - 1);
    while (m->slots[i].key && strcmp(m->slots[i].key, key))
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

static void grow_map(text_map *m)
{
    text_map bigger = {.size = m->size ? 2 * m->size : 64, .n = m->n};
    bigger.slots = iot_alloc(bigger.size, sizeof *bigger.slots);
    for (uint32_t i = 0; i < m->size; i++) {
        if (m->slots[i].key)
            *find_slot(&bigger, m->slots[i].key) = m->slots[i];
    }
    free(m->slots);
    *m = bigger;
}

// The value kept with the text, 0 at first. The text is copied.
static uint32_t *map_at(text_map *m, const char *key)
{
    if (2 * (m->n + 1) > m->size)
        grow_map(m);
    slot *s = find_slot(m, key);
    if (!s->key) {
        s->key = iot_format("%s", key);
        m->n++;
    }
    return &s->value;
}

static void free_map(text_map *m)
{
    for (uint32_t i = 0; i < m->size; i++)
        free(m->slots[i].key);
    free(m->slots);
}

// ---------------------------------------------------------------------------------------------
// Registering

iot_names *iot_names_create(const trace *t)
{
    iot_names *n = iot_alloc(1, sizeof *n);
    n->t = t;
    n->registered = iot_alloc((size_t)trace_ncells(t) / 8 + 1, 1);
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
    ROOM(n->variables, n->nvariables, n->capacity);
    n->variables[n->nvariables++] = variable;
}

void iot_names_destroy(iot_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->n; i++)
        free(n->names[i].name);
    free(n->names);
    free(n->variables);
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

// The source name if it is free, else its stem with the next free number greater than its own: S,
// S, S1, S1 are shown as S, S1, S2, S3. `taken` keeps 1 with every name given away; `numbers`, by
// source name, the last number tried.
static char *choose_name(text_map *taken, text_map *numbers, const char *source)
{
    if (!source || !*source)
        source = "_";
    if (!*map_at(taken, source))
        return iot_format("%s", source);
    size_t length = strlen(source), stem = length;
    while (stem && isdigit((unsigned char)source[stem - 1]))
        stem--;
    if (length - stem > MOST_DIGITS)
        stem = length;
    uint32_t *number = map_at(numbers, source);
    if (!*number)
        *number = (uint32_t)strtoul(source + stem, NULL, 10);
    char *name = NULL;
    do {
        free(name);
        name = iot_format("%.*s%u", (int)stem, source, ++*number);
    } while (*map_at(taken, name));
    return name;
}

void iot_names_finish(iot_names *n)
{
    text_map taken = {0}, numbers = {0};
    if (n->nvariables)
        qsort(n->variables, n->nvariables, sizeof *n->variables, by_age);
    n->names = iot_alloc(n->nvariables, sizeof *n->names);
    for (size_t i = 0; i < n->nvariables; i++) {
        uint32_t source = trace_cell_name(n->t, n->variables[i]);
        const char *s = source == TRACE_NONE ? NULL : trace_string(n->t, source, NULL);
        named *v = &n->names[n->n++];
        v->variable = n->variables[i];
        v->name = choose_name(&taken, &numbers, s);
        *map_at(&taken, v->name) = 1;
    }
    free_map(&taken);
    free_map(&numbers);
}

const char *iot_name(const iot_names *n, uint32_t variable)
{
    size_t low = 0, high = n->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->names[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n->n && n->names[low].variable == variable ? n->names[low].name : NULL;
}
