// SPDX-License-Identifier: MIT
//
// Conditions by name: as many of the keys as tell one from the others.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/runs/store_private.h"

// Whether a condition, "a=1,b=2,c=3", has all keys of `part`, "b=2,a=1".
static bool has_keys(const char *name, const char *part)
{
    while (*part) {
        size_t n = strcspn(part, ",");
        const char *at = name;
        while (*at && (strncmp(at, part, n) || (at[n] && at[n] != ','))) {
            at += strcspn(at, ",");
            at += *at == ',';
        }
        if (!*at)
            return false;
        part += n;
        part += *part == ',';
    }
    return true;
}

static void add_choice(base_text *choices, size_t n, const char *application, const char *name)
{
    text_add_format(choices, "%s%s: %s", n ? "; " : "", application, *name ? name : "(no keys)");
}

bool store_find_condition(store *s, const char *application, const char *wanted, store_found *ret)
{
    base_text all = {0}, matching = {0};
    size_t nall = 0, nmatching = 0;
    bool exact = false;
    db_rows *r = db_ask(s->database,
                        "SELECT condition.id, application.name, condition.name FROM condition "
                        "JOIN application ON application.id = condition.application "
                        "WHERE application.name = $1 OR $2 = 1 ORDER BY application.name, condition.name",
                        "si", application ? application : "", (int64_t)!application);
    while (r && db_next(r)) {
        const char *of = db_text(r, 1), *name = db_text(r, 2);
        bool same = has_keys(name, wanted) && has_keys(wanted, name);
        add_choice(&all, nall++, of, name);
        if (!has_keys(name, wanted) || (exact && !same))
            continue;
        if (same && !exact)
            nmatching = matching.n = 0;
        exact |= same;
        add_choice(&matching, nmatching++, of, name);
        free(ret->application);
        free(ret->name);
        *ret = (store_found){base_copy(of), base_copy(name), db_integer(r, 0)};
    }
    db_end(r);
    text_finish(&all);
    text_finish(&matching);
    db *d = s->database;
    if (nmatching > 1)
        db_fail(d, "%s names several conditions (%s)", wanted, matching.at);
    else if (!nmatching && nall)
        db_fail(d, "no condition is %s (there are %s)", *wanted ? wanted : "\"\"", all.at);
    else if (!nmatching)
        db_fail(d, "the store has no runs of %s", application ? application : "any application");
    free(all.at);
    free(matching.at);
    return !db_error(s->database);
}
