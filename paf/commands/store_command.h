// SPDX-License-Identifier: MIT
//
// The words of `paf store`, a file each, and what they share.
#ifndef PAF_STORE_COMMAND_H
#define PAF_STORE_COMMAND_H

#include "paf/commands/command.h"
#include "store/store.h"

int paf_store_add(int argc, char **argv);
int paf_store_import(int argc, char **argv);
int paf_store_list(int argc, char **argv);
int paf_store_enable(int argc, char **argv);
int paf_store_disable(int argc, char **argv);
int paf_store_remove(int argc, char **argv);
int paf_store_compare(int argc, char **argv);
int paf_store_derive(int argc, char **argv);
int paf_store_sql(int argc, char **argv);

#define PAF_STORE_HELP                                                                                     \
    "      --store STORE  a file of SQLite, or postgresql://... or \"host=... dbname=...\" (default:\n"    \
    "                     $PAF_STORE, or paf/store.db in the folder of the user's data)\n"

// where: of the option --store; NULL: the default. NULL, with a complaint.
store *paf_open_store(const char *command, const char *where, store_mode mode);
// Complains with the store's error. COMMAND_NOTHING.
int paf_store_failed(const char *command, const store *s);
// Sets keys of the condition from "nodes=4,size=B". False, with a complaint.
bool paf_store_read_keys(const char *command, const char *text, store_run *r);
// Adds the run of a file, and tells it. A run that is there already is no error, unless `named`: somebody asked
// for an application or a condition, which it does not get.
bool paf_store_add_run(const char *command, store *s, store_run *r, const char *path, bool named);

// Tells that a run was added.
void paf_store_tell_run(const store_run *r, const char *path, int64_t trial);

// A cell of a name that somebody else chose: what would move the cursor is escaped. NULL: "-".
void paf_store_add_name(paf_table *table, const char *name);

#endif
