// SPDX-License-Identifier: MIT
//
// Bindings by way of an alias. A goal binds Rest, which another one has made the end of a stream:
//
//     closing(T, Rest) :- Rest = [next(T1)|Rest1], ...
//
// Where a change lets the goal bind Rest before the alias is there, whoever reads the stream waits
// for the alias, which then passes on what was bound.
#ifndef IOTREE_FINDINGS_THROUGH_ALIASES_H
#define IOTREE_FINDINGS_THROUGH_ALIASES_H

#include "base/array.h"
#include "iotree/prices/waits.h"

typedef struct {
    uint32_t binding, maker;
    uint32_t alias; // the reduction that made the latest alias on its way
} alias_binding;

typedef struct {
    ARRAY_OF(alias_binding) list;
} alias_bindings;

void iot_find_alias_bindings(const trace *t, alias_bindings *ret);
void iot_free_alias_bindings(alias_bindings *all);

// Adds what readers wait for under the change: aliases that come after what is bound through them.
void iot_wait_for_aliases(const alias_bindings *all, const trace *t, const wait_graph *g,
                          wait_change *change);

#endif
