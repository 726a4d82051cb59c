// SPDX-License-Identifier: MIT
//
// Classes of waits by name: READER<-MAKER, each p/n, m:p/n or p/n@FILE:LINE (#2: the second on that
// line; without a number all of that line), the reader also .arg2 or .guard1.
#ifndef IOTREE_PRICES_CLASSES_H
#define IOTREE_PRICES_CLASSES_H

#include "iotree/prices.h"
#include "iotree/prices/waits.h"

// Sets the bits of the kinds that belong to the class. Otherwise *ret_error (malloc'ed) says what
// is wrong, and why nothing matches.
iot_price_status iot_find_class(const iot *a, const wait_graph *g, const char *text, uint8_t *kinds,
                                char **ret_error);
// Sets the bits of the predicates that `p/n` or `m:p/n` means.
iot_price_status iot_find_predicates(const trace *t, const char *text, uint8_t *predicates,
                                     char **ret_error);

// The name of a class; a site of IOT_NONE gives the predicate alone, place_kind PLACE_UNKNOWN all
// places. malloc'ed.
typedef struct {
    uint32_t reader, maker;           // predicates
    uint32_t reader_site, maker_site; // or IOT_NONE
    wait_place_kind place_kind;
    uint32_t place;
} class_name;
char *iot_class_text(const trace *t, const wait_graph *g, class_name name);

void iot_free_classes(struct class_list *list); // of iot_classes(); may be NULL

#endif
