// SPDX-License-Identifier: MIT
//
// The hues of modules by name. The names of a trace's default partition come first, in its order: they
// have the same hues in every run of the command, with whatever partition.
#include "paf/model/hues.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN 10u // hues without a pattern

static GMutex lock;
static GHashTable *hues; // name -> hue
static GHashTable *used; // hues that some name has
static uint32_t lowest = 1; // that no name has

static void note(const char *name, uint32_t hue)
{
    g_hash_table_insert(hues, g_strdup(name), GUINT_TO_POINTER(hue));
    g_hash_table_add(used, GUINT_TO_POINTER(hue));
    while (g_hash_table_contains(used, GUINT_TO_POINTER(lowest)))
        lowest++;
}

// "a=p/1,q/2 b=r/3": a, b.
static void note_defaults(const trace *t)
{
    iot_partition *p = iot_partition_default(t);
    char *text = iot_partition_text(t, p);
    char **parts = g_strsplit_set(text ? text : "", " \n", -1);
    for (char **part = parts; *part; part++) {
        char *end = strchr(*part, '=');
        if (!end || end == *part || g_str_has_prefix(*part, "main=")) // which is grey
            continue;
        *end = 0;
        if (!g_hash_table_contains(hues, *part))
            note(*part, lowest);
    }
    g_strfreev(parts);
    free(text);
    iot_partition_destroy(p);
}

// Of a new name: one that nobody has, or if that has a pattern, one that no module of this analysis has.
static uint32_t choose(const iot *a)
{
    uint32_t hue = lowest, n = iot_nmodules(a);
    if (hue <= PLAIN)
        return hue;
    bool *taken = g_new0(bool, n + 2);
    for (uint32_t i = 1; i < n; i++) {
        gpointer had = g_hash_table_lookup(hues, iot_get_module(a, i)->name);
        if (GPOINTER_TO_UINT(had) <= n)
            taken[GPOINTER_TO_UINT(had)] = true;
    }
    for (hue = 1; taken[hue];)
        hue++;
    g_free(taken);
    return hue;
}

static void begin(void)
{
    g_mutex_lock(&lock);
    if (!hues) {
        used = g_hash_table_new(NULL, NULL);
        hues = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
}

void paf_hues_expect(const trace *t)
{
    begin();
    note_defaults(t);
    g_mutex_unlock(&lock);
}

uint32_t *paf_hues_of(const iot *a)
{
    uint32_t n = iot_nmodules(a), *of = g_new0(uint32_t, n + 1);
    begin();
    note_defaults(iot_trace(a));
    for (uint32_t i = 1; i < n; i++) { // 0, what is above all entries, is grey
        const char *name = iot_get_module(a, i)->name;
        if (!g_hash_table_contains(hues, name))
            note(name, choose(a));
        of[i] = GPOINTER_TO_UINT(g_hash_table_lookup(hues, name));
    }
    g_mutex_unlock(&lock);
    return of;
}
