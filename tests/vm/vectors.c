// SPDX-License-Identifier: MIT
//
// Versions of a vector against plain copies.
#include "vm/engine/machine.h"

#include "check.h"

#include <string.h>

enum { LENGTH = 7, VERSIONS = 400 };

typedef struct {
    vm_word vector;
    int64_t elements[LENGTH];
} version;

static vm_vector *vector(vm_word w)
{
    return (vm_vector *)vm_as_box(w);
}

static bool same(const version *v)
{
    for (size_t i = 0; i < LENGTH; i++)
        if (vm_vector_get(vector(v->vector), i) != I(v->elements[i]))
            return false;
    return true;
}

static void test_versions(void)
{
    static version versions[VERSIONS];
    versions[0].vector = vm_make_vector_of(NULL, LENGTH, I(0));
    for (int n = 1; n < VERSIONS; n++) {
        int from = random_below(4) ? n - 1 : (int)random_below((uint64_t)n); // mostly the newest
        size_t index = random_below(LENGTH);
        versions[n] = versions[from];
        versions[n].elements[index] = n;
        versions[n].vector = vm_update_vector(NULL, vector(versions[from].vector), index, I(n));
        CHECK(same(&versions[random_below((uint64_t)n + 1)]));
    }
    for (int n = 0; n < VERSIONS; n++)
        CHECK_SAY(same(&versions[n]), "version %d", n);
}

// A long history stays cheap: the newest is updated in place, an old one gets its own elements.
static void test_history(void)
{
    enum { UPDATES = 1000000 };
    vm_word oldest = vm_make_vector_of(NULL, 3, A("a")), newest = oldest;
    for (int i = 0; i < UPDATES; i++)
        newest = vm_update_vector(NULL, vector(newest), (size_t)i % 2, I(i));
    CHECK_TEXT(quoted(newest), "{999998,999999,a}");
    CHECK_TEXT(quoted(oldest), "{a,a,a}");
    CHECK(vector(oldest)->newer == NULL);
}

void test_vectors(void)
{
    test_versions();
    test_history();
}
