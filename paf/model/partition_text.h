// SPDX-License-Identifier: MIT
//
// partition_text: changes to a partition, as text to text. All results are to be freed (g_free).
#ifndef PAF_PARTITION_TEXT_H
#define PAF_PARTITION_TEXT_H

#include "iotree/iotree.h"

#include <stdbool.h>

// With a further module of one entry ("upd/5", "m:upd/5" or "#123"). An entry that is there
// already changes nothing. The module's name is the entry's, made unique.
char *paf_partition_add(const char *text, const char *entry);
// Without the module.
char *paf_partition_without(const char *text, const char *module);
bool paf_partition_has_entry(const char *text, const char *entry);
// With each user predicate that the process's members call as a module of its own: what happens
// inside the process comes to view. NULL if there is none besides its entries.
char *paf_partition_inside(const char *text, const iot *a, uint32_t process);
// How the partition names a predicate: "upd/5", or "m:upd/5" where several modules have one.
char *paf_entry_name(const trace *t, uint32_t predicate);

#endif
