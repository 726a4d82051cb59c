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
// The partition with another name for the module. NULL: the name cannot be one, or is taken.
char *paf_partition_rename(const char *text, const char *module, const char *name);
// The partition with the entries of `module` in the module `into`; if that is main, without the module.
char *paf_partition_merge(const char *text, const char *module, const char *into);
// The partition with a module for each entry of the module, whose first one keeps its name. NULL: it has one.
char *paf_partition_split(const char *text, const char *module);
// The partition with the entry in the module `into` and nowhere else; a module that has none then is gone.
char *paf_partition_move(const char *text, const char *entry, const char *into);
bool paf_partition_has_entry(const char *text, const char *entry);
// The partition with a module for each user predicate that the members of the process call, which
// shows what happens inside the process. NULL if they call none but the module's entries.
char *paf_partition_inside(const char *text, const iot *a, uint32_t process);
// How the partition names a predicate: "upd/5", or "m:upd/5" where several modules have one.
char *paf_entry_name(const trace *t, uint32_t predicate);

#endif
