// SPDX-License-Identifier: MIT
//
// The readers of formats. Each fills a run; false and *ret_error (malloc'ed): place and reason.
#ifndef STORE_FORMATS_H
#define STORE_FORMATS_H

#include "store/store.h"

bool store_read_tau(store_run *r, const char *path, char **ret_error);
bool store_read_ninja(store_run *r, const char *path, char **ret_error);
bool store_read_slurm(store_run *r, const char *path, char **ret_error);
bool store_read_strace(store_run *r, const char *path, char **ret_error);

// head: the beginning of the file; "" for a folder.
bool store_looks_like_tau(const char *path, const char *head);

#endif
