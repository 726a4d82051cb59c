// SPDX-License-Identifier: MIT
//
// What a program of strangers may reach outside itself: files, environment, processes. The process begins
// open, where everything is as the system allows it. A sandbox closes it, and opens doors:
//
//     read=DIR           files below DIR may be read
//     write=DIR          files below DIR may be read, written, made and removed
//     environment        variables of the environment may be read and set
//     run                commands may be run, signals sent
//
// Below DIR no symbolic link is followed, and only regular files are opened: a link leads nowhere else, and
// nobody waits for a pipe or a device. The folders of the doors are opened when the doors are made, so
// renaming a folder moves no door.
//
// For what a program asks for. Files that the command line names are opened without a door; a sandbox reads
// them only if they are regular files themselves.
#ifndef BASE_ACCESS_H
#define BASE_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

typedef enum { ACCESS_ENVIRONMENT = 1, ACCESS_RUN = 2 } base_access_kind;

void base_access_close(void); // from now on doors only
// Makes a door, in the words above. False, and *ret_reason (static, or of strerror), if there can be none.
bool base_access_allow(const char *door, const char **ret_reason);
bool base_access_has(base_access_kind kind);
// Files below the folder may be read until loans end.
bool base_access_lend(const char *folder, const char **ret_reason);
void base_access_end_loans(void);

// As open, unlink, chmod, access and chdir of the C library, by doors only if the process is closed: -1 and
// errno EPERM if there is none.
int base_access_file(const char *name, int flags); // with mode 0666 and O_CLOEXEC
int base_access_remove(const char *name);
int base_access_set_mode(const char *name, mode_t mode);
int base_access_check(const char *name, mode_t mode);
int base_access_enter(const char *name); // closed: never
// As mkstemp.
int base_access_make(char *name_template);

// Why one of these failed.
const char *base_access_reason(int error);

#endif
