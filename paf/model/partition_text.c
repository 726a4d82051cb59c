// SPDX-License-Identifier: MIT
//
// Editing the text of a partition.
#include "paf/model/partition_text.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <string.h>

#define MOST_INSIDE 12 // modules that going inside a process makes

// The "NAME=ENTRY,ENTRY" words of a partition. Its text form has no comments.
static char **split_words(const char *text)
{
    return g_strsplit_set(text, " \t\n", -1);
}

static bool word_has_entry(const char *word, const char *entry)
{
    const char *entries = strchr(word, '=');
    if (!entries)
        return false;
    char **list = g_strsplit(entries + 1, ",", -1);
    bool found = g_strv_contains((const char *const *)list, entry);
    g_strfreev(list);
    return found;
}

static bool word_is_module(const char *word, const char *module)
{
    size_t n = strlen(module);
    return !strncmp(word, module, n) && word[n] == '=';
}

bool paf_partition_has_entry(const char *text, const char *entry)
{
    char **words = split_words(text);
    bool found = false;
    for (char **w = words; *w; w++)
        found = found || word_has_entry(*w, entry);
    g_strfreev(words);
    return found;
}

static bool has_module(const char *text, const char *module)
{
    char **words = split_words(text);
    bool found = !strcmp(module, "main");
    for (char **w = words; *w; w++)
        found = found || word_is_module(*w, module);
    g_strfreev(words);
    return found;
}

// A module name for the entry: the predicate's name as far as it is plain, "goal_123" for a goal.
static char *name_for(const char *text, const char *entry)
{
    GString *name = g_string_new(entry[0] == '#' ? "goal_" : NULL);
    const char *colon = strchr(entry, ':');
    for (const char *c = colon ? colon + 1 : entry; *c && *c != '/'; c++)
        if (g_ascii_isalnum(*c) || *c == '_')
            g_string_append_c(name, *c);
    if (name->len == 0)
        g_string_append(name, "module");
    char *made = g_strdup(name->str);
    for (int i = 2; has_module(text, made); i++) {
        g_free(made);
        made = g_strdup_printf("%s_%d", name->str, i);
    }
    g_string_free(name, TRUE);
    return made;
}

char *paf_partition_add(const char *text, const char *entry)
{
    if (paf_partition_has_entry(text, entry))
        return g_strdup(text);
    char *name = name_for(text, entry);
    char *made = g_strdup_printf("%s%s%s=%s", text, *text ? " " : "", name, entry);
    g_free(name);
    return made;
}

char *paf_partition_without(const char *text, const char *module)
{
    char **words = split_words(text);
    GString *made = g_string_new(NULL);
    for (char **w = words; *w; w++) {
        if (!**w || word_is_module(*w, module))
            continue;
        if (made->len)
            g_string_append_c(made, ' ');
        g_string_append(made, *w);
    }
    g_strfreev(words);
    return g_string_free(made, FALSE);
}

char *paf_entry_name(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    char *name = paf_predicate_name(t, predicate);
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *q = trace_get_predicate(t, i);
        if (i == predicate || q->name != p->name || q->arity != p->arity ||
            q->origin == TRACE_BUILTIN)
            continue;
        char *full = g_strdup_printf("%s:%s", trace_module_name(t, p->module), name);
        g_free(name);
        return full;
    }
    return name;
}

char *paf_partition_inside(const char *text, const iot *a, uint32_t process)
{
    const trace *t = iot_trace(a);
    uint32_t module = iot_get_process(a, process)->module;
    char *made = g_strdup(text);
    uint32_t added = 0;
    // Rows come with most work first: those of the process's module are what its members call.
    for (uint32_t i = 0; i < iot_npredicate_rows(a) && added < MOST_INSIDE; i++) {
        const iot_predicate_row *row = iot_get_predicate_row(a, i);
        if (row->module != module ||
            trace_get_predicate(t, row->predicate)->origin == TRACE_BUILTIN)
            continue;
        char *entry = paf_entry_name(t, row->predicate);
        if (!paf_partition_has_entry(made, entry)) {
            char *more = paf_partition_add(made, entry);
            g_free(made);
            made = more;
            added++;
        }
        g_free(entry);
    }
    if (added)
        return made;
    g_free(made);
    return NULL;
}
