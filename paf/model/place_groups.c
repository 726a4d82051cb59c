// SPDX-License-Identifier: MIT
//
// Groups from names of places, and their order.
#include "paf/model/place_groups.h"

#include <glib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Names

// What a name says; each of g_malloc'ed text, or NULL.
typedef struct {
    char *process, *node, *rest;
} parts;

static size_t length_of_process(const char *name)
{
    static const char *const words[] = {"rank ", "process ", "team "};
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t n = strlen(words[i]), digits;
        if (strncmp(name, words[i], n))
            continue;
        digits = strspn(name + n, "0123456789");
        return digits > 0 && strchr(" @", name[n + digits]) ? n + digits : 0;
    }
    return 0;
}

static parts split(const char *name)
{
    parts p = {0};
    size_t n = name ? length_of_process(name) : 0;
    if (n == 0)
        return p;
    p.process = g_strndup(name, n);
    name += n;
    if (*name == '@') {
        size_t node = strcspn(++name, " ");
        p.node = g_strndup(name, node);
        name += node;
    }
    p.rest = *name ? g_strdup(name + 1) : NULL;
    return p;
}

static void free_parts(parts *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_free(all[i].process);
        g_free(all[i].node);
        g_free(all[i].rest);
    }
    g_free(all);
}

// ---------------------------------------------------------------------------------------------
// Groups

// By place: the number of what it is in, in order of first places. key: NULL if it is in nothing.
static uint32_t number_all(const paf_place_groups *g, char **keys, uint32_t *ret, uint32_t **ret_sizes)
{
    GHashTable *known = g_hash_table_new(g_str_hash, g_str_equal);
    uint32_t n = 0;
    *ret_sizes = g_new0(uint32_t, g->nplaces + 1);
    for (uint32_t i = 0; i < g->nplaces; i++) {
        ret[i] = TRACE_NONE;
        if (!keys[i])
            continue;
        gpointer number = g_hash_table_lookup(known, keys[i]);
        if (!number) {
            number = GUINT_TO_POINTER(++n);
            g_hash_table_insert(known, keys[i], number);
        }
        ret[i] = GPOINTER_TO_UINT(number) - 1;
        (*ret_sizes)[ret[i]]++;
    }
    g_hash_table_unref(known);
    return n;
}

// Makes a group of each number that has two places, if there are two numbers.
static void add_groups(paf_place_groups *g, char **keys, bool nodes)
{
    uint32_t *number = g_new(uint32_t, g->nplaces + 1), *sizes;
    uint32_t n = number_all(g, keys, number, &sizes), *group = g_new(uint32_t, n + 1);
    memset(group, 0xff, n * sizeof *group);
    for (uint32_t i = 0; i < g->nplaces && n > 1; i++) {
        if (number[i] == TRACE_NONE || sizes[number[i]] < 2)
            continue;
        if (group[number[i]] == TRACE_NONE) {
            g->groups = g_renew(paf_place_group, g->groups, g->ngroups + 1);
            g->groups[g->ngroups] = (paf_place_group){g_strdup(keys[i]), nodes, g->group_of[i], i, 0, 0};
            group[number[i]] = g->ngroups++;
        }
        paf_place_group *of = &g->groups[group[number[i]]];
        of->n++;
        of->waited += g->waited[i];
        g->group_of[i] = group[number[i]];
    }
    g_free(group);
    g_free(sizes);
    g_free(number);
}

// The node is said once, by its group; the process by its own, if that has one.
static char *name_within(const trace *t, const paf_place_groups *g, uint32_t place, const parts *p)
{
    const char *name = trace_place_name(t, place);
    uint32_t group = g->group_of[place];
    if (!name)
        return g_strdup_printf(trace_is_measured(t) ? "place %u" : "worker %u", place);
    if (group == TRACE_NONE)
        return g_strdup(name);
    if (!g->groups[group].node)
        return g_strdup(p->rest ? p->rest : name);
    return p->rest ? g_strdup_printf("%s %s", p->process, p->rest) : g_strdup(p->process);
}

paf_place_groups *paf_place_groups_create(const trace *t, int64_t *waited)
{
    paf_place_groups *g = g_new0(paf_place_groups, 1);
    uint32_t n = g->nplaces = trace_nplaces(t);
    parts *all = g_new0(parts, n + 1);
    char **nodes = g_new0(char *, n + 1), **processes = g_new0(char *, n + 1);
    g->waited = waited;
    g->group_of = g_new(uint32_t, n + 1);
    memset(g->group_of, 0xff, n * sizeof *g->group_of);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = split(trace_place_name(t, i));
        nodes[i] = all[i].node;
        processes[i] = all[i].process;
    }
    add_groups(g, nodes, true);
    add_groups(g, processes, false);
    g->names = g_new0(char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        g->names[i] = name_within(t, g, i, &all[i]);
    g_free(processes);
    g_free(nodes);
    free_parts(all, n);
    return g;
}

void paf_place_groups_destroy(paf_place_groups *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; i < g->ngroups; i++)
        g_free(g->groups[i].name);
    for (uint32_t i = 0; i < g->nplaces; i++)
        g_free(g->names[i]);
    g_free(g->groups);
    g_free(g->group_of);
    g_free(g->names);
    g_free(g->waited);
    g_free(g);
}

uint32_t paf_place_group_named(const paf_place_groups *g, const char *name)
{
    for (uint32_t i = 0; i < g->ngroups; i++)
        if (!strcmp(g->groups[i].name, name))
            return i;
    return TRACE_NONE;
}

// ---------------------------------------------------------------------------------------------
// Order

// Where a place stands: its node, its process, itself.
typedef struct {
    struct {
        int64_t waited;
        uint32_t first;
    } level[3];
} standing;

static int by_standing(const void *x, const void *y, void *data)
{
    const standing *all = data, *a = &all[*(const uint32_t *)x], *b = &all[*(const uint32_t *)y];
    for (int i = 0; i < 3; i++) {
        if (a->level[i].waited != b->level[i].waited)
            return a->level[i].waited > b->level[i].waited ? -1 : 1;
        if (a->level[i].first != b->level[i].first)
            return a->level[i].first < b->level[i].first ? -1 : 1;
    }
    return 0;
}

// A place without a node or a process stands in their place.
static standing standing_of(const paf_place_groups *g, uint32_t place, bool by_wait)
{
    standing s;
    uint32_t group = g->group_of[place];
    bool node = group != TRACE_NONE && g->groups[group].node, process = group != TRACE_NONE && !node;
    const uint32_t levels[] = {process ? g->groups[group].parent : group, process ? group : TRACE_NONE};
    for (int i = 0; i < 3; i++) {
        const paf_place_group *of = i < 2 && levels[i] != TRACE_NONE ? &g->groups[levels[i]] : NULL;
        s.level[i].waited = !by_wait ? 0 : of ? of->waited : g->waited[place];
        s.level[i].first = of ? of->first : place;
    }
    return s;
}

uint32_t *paf_places_in_order(const paf_place_groups *g, bool by_wait)
{
    standing *all = g_new(standing, g->nplaces + 1);
    uint32_t *order = g_new(uint32_t, g->nplaces + 1);
    for (uint32_t i = 0; i < g->nplaces; i++) {
        all[i] = standing_of(g, i, by_wait);
        order[i] = i;
    }
    g_qsort_with_data(order, (gint)g->nplaces, sizeof *order, by_standing, all);
    g_free(all);
    return order;
}
