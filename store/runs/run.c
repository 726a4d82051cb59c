// SPDX-License-Identifier: MIT
//
// A run in memory, on its way into the store. Whoever reads a trace or a log fills it in any order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "store/store.h"

struct store_lookup {
    base_index places, functions, metrics;
    base_map profiles;       // function << 32 | place -> index
    base_index measurements; // by function, place and metric
};

store_run *store_run_create(const char *source, const char *origin)
{
    store_run *r = base_allocate(1, sizeof *r);
    r->source = base_copy(source);
    r->origin = base_copy(origin);
    r->unit = "ns";
    r->elapsed = r->user = r->system = r->work = r->span = -1;
    r->lookup = base_allocate(1, sizeof *r->lookup);
    return r;
}

static void free_lists(store_run *r)
{
    for (size_t i = 0; i < r->keys.n; i++)
        free(r->keys.at[i].key), free(r->keys.at[i].value);
    for (size_t i = 0; i < r->places.n; i++)
        free(r->places.at[i].name);
    for (size_t i = 0; i < r->functions.n; i++) {
        const store_function *f = &r->functions.at[i];
        free(f->kind), free(f->name), free(f->signature), free(f->file);
    }
    for (size_t i = 0; i < r->metrics.n; i++)
        free(r->metrics.at[i].name), free(r->metrics.at[i].unit);
    for (size_t i = 0; i < r->jobs.n; i++)
        free(r->jobs.at[i].name), free(r->jobs.at[i].host), free(r->jobs.at[i].status);
    for (size_t i = 0; i < r->accesses.n; i++)
        free(r->accesses.at[i].file), free(r->accesses.at[i].access);
}

void store_run_destroy(store_run *r)
{
    if (!r)
        return;
    free_lists(r);
    char *texts[] = {r->application, r->source,  r->origin,  r->digest,
                     r->date,        r->machine, r->command, r->ending, r->path};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    void *arrays[] = {r->keys.at,     r->places.at,       r->functions.at, r->profiles.at, r->metrics.at,
                      r->messages.at, r->measurements.at, r->jobs.at,      r->accesses.at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    index_free(&r->lookup->places);
    index_free(&r->lookup->functions);
    index_free(&r->lookup->metrics);
    map_free(&r->lookup->profiles);
    index_free(&r->lookup->measurements);
    free(r->lookup);
    free(r);
}

void store_run_set_key(store_run *r, const char *key, const char *value)
{
    for (size_t i = 0; i < r->keys.n; i++) {
        if (strcmp(r->keys.at[i].key, key))
            continue;
        free(r->keys.at[i].value);
        r->keys.at[i].value = base_copy(value);
        return;
    }
    ARRAY_PUSH(r->keys, ((store_key){base_copy(key), base_copy(value)}));
}

uint32_t store_run_place(store_run *r, int64_t number, const char *name)
{
    uint64_t hash = hash_word(0, (uint64_t)number);
    uint32_t found;
    INDEX_FIND(found, &r->lookup->places, hash, i, r->places.at[i].number == number);
    if (found != INDEX_NONE)
        return found;
    found = (uint32_t)r->places.n;
    ARRAY_PUSH(r->places, ((store_place){number, base_copy(name)}));
    index_add(&r->lookup->places, hash, found);
    return found;
}

uint32_t store_run_function(store_run *r, const char *kind, const char *name, const char *signature,
                            int64_t ordinal, const char *file, int64_t line)
{
    uint64_t hash = hash_bytes(hash_word(0, (uint64_t)ordinal), name, strlen(name));
    uint32_t found;
    INDEX_FIND(found, &r->lookup->functions, hash, i,
               r->functions.at[i].ordinal == ordinal && !strcmp(r->functions.at[i].name, name) &&
                   !strcmp(r->functions.at[i].kind, kind) &&
                   !strcmp(r->functions.at[i].signature, signature));
    if (found != INDEX_NONE)
        return found;
    found = (uint32_t)r->functions.n;
    ARRAY_PUSH(r->functions, ((store_function){base_copy(kind), base_copy(name), base_copy(signature),
                                               ordinal, base_copy(file), line}));
    index_add(&r->lookup->functions, hash, found);
    return found;
}

uint32_t store_run_metric(store_run *r, const char *name, const char *unit)
{
    uint64_t hash = hash_bytes(0, name, strlen(name));
    uint32_t found;
    INDEX_FIND(found, &r->lookup->metrics, hash, i, !strcmp(r->metrics.at[i].name, name));
    if (found != INDEX_NONE)
        return found;
    found = (uint32_t)r->metrics.n;
    ARRAY_PUSH(r->metrics, ((store_metric){base_copy(name), base_copy(unit)}));
    index_add(&r->lookup->metrics, hash, found);
    return found;
}

static double plus(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

void store_run_profile(store_run *r, uint32_t function, uint32_t place, double calls, double subcalls,
                       double inclusive, double exclusive)
{
    uint64_t *at = map_at(&r->lookup->profiles, (uint64_t)function << 32 | place);
    if (*at == MAP_ABSENT) {
        *at = r->profiles.n;
        ARRAY_PUSH(r->profiles, ((store_profile){function, place, NAN, NAN, NAN, NAN}));
    }
    store_profile *p = &r->profiles.at[*at];
    p->calls = plus(p->calls, calls);
    p->subcalls = plus(p->subcalls, subcalls);
    p->inclusive = plus(p->inclusive, inclusive);
    p->exclusive = plus(p->exclusive, exclusive);
}

void store_run_measurement(store_run *r, uint32_t function, uint32_t place, uint32_t metric,
                           double inclusive, double exclusive)
{
    uint64_t hash = hash_word(hash_word(hash_word(0, function), place), metric);
    store_measurement *all = r->measurements.at;
    uint32_t found;
    INDEX_FIND(found, &r->lookup->measurements, hash, i,
               all[i].function == function && all[i].place == place && all[i].metric == metric);
    if (found == INDEX_NONE) {
        found = (uint32_t)r->measurements.n;
        ARRAY_PUSH(r->measurements, ((store_measurement){function, place, metric, NAN, NAN}));
        index_add(&r->lookup->measurements, hash, found);
    }
    store_measurement *m = &r->measurements.at[found];
    m->inclusive = plus(m->inclusive, inclusive);
    m->exclusive = plus(m->exclusive, exclusive);
}
