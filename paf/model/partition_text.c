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

// A word of a partition with another name, or with its own one (NULL).
static void append_word(GString *made, const char *word, const char *name)
{
    if (made->len)
        g_string_append_c(made, ' ');
    g_string_append_printf(made, "%s%s", name ? name : "", name ? strchr(word, '=') : word);
}

char *paf_partition_rename(const char *text, const char *module, const char *name)
{
    bool good = *name && !g_ascii_isdigit(*name);
    for (const char *c = name; *c; c++)
        good = good && (g_ascii_isalnum(*c) || *c == '_');
    if (!good || has_module(text, name))
        return NULL;
    char **words = split_words(text);
    GString *made = g_string_new(NULL);
    for (char **w = words; *w; w++)
        if (**w)
            append_word(made, *w, word_is_module(*w, module) ? name : NULL);
    g_strfreev(words);
    return g_string_free(made, FALSE);
}

// The entries of a module, "p/1,q/2", or NULL. g_free().
static char *entries_of(const char *text, const char *module)
{
    char **words = split_words(text), *entries = NULL;
    for (char **w = words; *w && !entries; w++)
        if (word_is_module(*w, module))
            entries = g_strdup(strchr(*w, '=') + 1);
    g_strfreev(words);
    return entries;
}

char *paf_partition_merge(const char *text, const char *module, const char *into)
{
    char *entries = entries_of(text, module), *rest = paf_partition_without(text, module);
    if (!entries || !strcmp(into, "main")) {
        g_free(entries);
        return rest;
    }
    char **words = split_words(rest);
    GString *made = g_string_new(NULL);
    for (char **w = words; *w; w++) {
        if (made->len && **w)
            g_string_append_c(made, ' ');
        g_string_append(made, *w);
        if (word_is_module(*w, into))
            g_string_append_printf(made, ",%s", entries);
    }
    g_strfreev(words);
    g_free(entries);
    g_free(rest);
    return g_string_free(made, FALSE);
}

char *paf_partition_split(const char *text, const char *module)
{
    char *entries = entries_of(text, module);
    char **each = entries ? g_strsplit(entries, ",", -1) : NULL;
    g_free(entries);
    if (!each || !each[0] || !each[1]) {
        g_strfreev(each);
        return NULL;
    }
    char *rest = paf_partition_without(text, module);
    char *made = g_strdup_printf("%s%s%s=%s", rest, *rest ? " " : "", module, each[0]);
    g_free(rest);
    for (char **e = each + 1; *e; e++) {
        char *more = paf_partition_add(made, *e);
        g_free(made);
        made = more;
    }
    g_strfreev(each);
    return made;
}

// The word without the entry; NULL if it had no other one. g_free().
static char *word_without(const char *word, const char *entry)
{
    const char *entries = strchr(word, '=');
    if (!entries)
        return g_strdup(word);
    char **list = g_strsplit(entries + 1, ",", -1);
    GString *made = g_string_new_len(word, entries - word);
    bool any = false;
    for (char **e = list; *e; e++) {
        if (!strcmp(*e, entry))
            continue;
        g_string_append_printf(made, "%c%s", any ? ',' : '=', *e);
        any = true;
    }
    g_strfreev(list);
    return g_string_free(made, !any);
}

char *paf_partition_move(const char *text, const char *entry, const char *into)
{
    char **words = split_words(text);
    GString *made = g_string_new(NULL);
    for (char **w = words; *w; w++) {
        bool target = word_is_module(*w, into);
        char *word = **w == 0 ? NULL : target ? g_strdup(*w) : word_without(*w, entry);
        if (word)
            g_string_append_printf(made, "%s%s", made->len ? " " : "", word);
        if (target && !word_has_entry(*w, entry))
            g_string_append_printf(made, ",%s", entry);
        g_free(word);
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
