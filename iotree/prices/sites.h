// SPDX-License-Identifier: MIT
//
// Where reductions stand in the text (`wait_site`), numbered as they are met.
#ifndef IOTREE_PRICES_SITES_H
#define IOTREE_PRICES_SITES_H

#include "base/table.h"
#include "iotree/prices/waits.h"

typedef struct {
    const trace *t;
    ARRAY_OF(wait_site) list;
    uint32_t *of_clause;  // the site of a clause
    size_t *first_item;   // of a clause's items in `of_item`
    uint32_t *of_item;    // the site of a body's goal, if it is a built-in's
    base_map of_made;     // (site of the maker, predicate): the site of a goal that a built-in made
} site_table;

void iot_begin_sites(site_table *s, const trace *t);
// The site of a reduction whose goal was made by a reduction at parent_site.
uint32_t iot_site_of(site_table *s, uint32_t reduction, uint32_t parent_site);
// Numbers the sites of one predicate on one line; frees all but the list.
void iot_end_sites(site_table *s);

#endif
