// SPDX-License-Identifier: MIT
//
// partition_text: changes to a partition, from text to text. All results are freed with g_free().
#ifndef PAF_PARTITION_TEXT_H
#define PAF_PARTITION_TEXT_H

#include "iotree/iotree.h"

#include <stdbool.h>

// The partition with one more module, which has this entry ("upd/5", "m:upd/5" or "#123") and its
// name, made unique. If the entry is there already nothing changes.
char *paf_partition_add(const char *text, const char *entry);
// The partition without the module.
char *paf_partition_without(const char *text, const char *module);
bool paf_partition_has_entry(const char *text, const char *entry);
// The partition with a module for each user predicate that the members of the process call, which
// shows what happens inside the process. NULL if they call none but the module's entries.
char *paf_partition_inside(const char *text, const iot *a, uint32_t process);
// How the partition names a predicate: "upd/5", or "m:upd/5" where several modules have one.
char *paf_entry_name(const trace *t, uint32_t predicate);

#endif
