// SPDX-License-Identifier: MIT
//
// A folder of this process for readers of folders, whose files an input replaces. It goes with the process.
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/fuzz-folder-XXXXXX";

static void remove_files(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));)
        unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
}

static void remove_folder(void)
{
    remove_files();
    rmdir(folder);
}

// Its path, with no files.
static const char *empty_folder(void)
{
    static bool made;
    if (made) {
        remove_files();
    } else {
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
        made = true;
    }
    return folder;
}

static const char *put_file(const char *name, const void *data, size_t size)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0)
        abort();
    return path;
}

#endif
