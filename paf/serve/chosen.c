// SPDX-License-Identifier: MIT
#include "paf/serve/chosen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_name(page *p, compared_conditions *c, int64_t id)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)id);
    store_answer *a =
        page_ask(p,
                 "SELECT condition.name FROM condition JOIN application ON application.id = "
                 "condition.application WHERE condition.id = :id AND application.name = :application",
                 "id", number, "application", c->application, NULL);
    char *name = NULL;
    while (page_next(p, &a)) {
        free(name);
        name = base_copy(store_answer_text(a, 0));
    }
    if (!name) {
        page_fail(p, 404, "%s has no condition of the number %lld.", c->application, (long long)id);
        return false;
    }
    c->names[c->n] = name;
    c->ids[c->n++] = id;
    return true;
}

bool compared_find(page *p, compared_conditions *ret, size_t least, size_t most)
{
    size_t n;
    int64_t *ids = page_numbers(p, "c", &n);
    *ret = (compared_conditions){.application = http_value(p->r, "application")};
    ret->names = base_allocate(n + 1, sizeof *ret->names);
    ret->ids = base_allocate(n + 1, sizeof *ret->ids);
    ret->off = page_numbers(p, "off", &ret->noff);
    if (!ret->application)
        page_fail(p, 404, "The address names no application.");
    else if (n < least || n > most)
        page_fail(p, 400, "Choose %zu to %zu conditions: the address names %zu.", least, most, n);
    for (size_t i = 0; i < n && !p->status; i++)
        read_name(p, ret, ids[i]);
    free(ids);
    if (p->status)
        compared_free(ret);
    return !p->status;
}

void compared_free(compared_conditions *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->names[i]);
    free(c->names);
    free(c->ids);
    free(c->off);
}

bool compared_leaves_out(const compared_conditions *c, int64_t run)
{
    for (size_t i = 0; i < c->noff; i++)
        if (c->off[i] == run)
            return true;
    return false;
}
