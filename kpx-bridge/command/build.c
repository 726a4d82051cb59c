// SPDX-License-Identifier: MIT
//
// kpx-bridge build: runs a compiler of GCC with the plugin added to its arguments.
#include "kpx-bridge/command/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "kpx-bridge/command/record.h"

#define PLUGIN "kpx_hooks" // no hyphen: its name ends at the first one in arguments

// What `compiler --version` says, cut off at `size`; false if it cannot be run.
static bool ask_version(const char *compiler, char *text, size_t size)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        execlp(compiler, compiler, "--version", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t got;
    while (n + 1 < size && (got = read(ends[0], text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    close(ends[0]);
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

static bool is_gcc(const char *compiler, char **ret_error)
{
    char text[4096];
    errno = 0;
    if (!ask_version(compiler, text, sizeof text)) {
        *ret_error = base_format("%s: cannot be run", compiler);
        return false;
    }
    if (strstr(text, "Free Software Foundation"))
        return true;
    text[strcspn(text, "\n")] = 0;
    *ret_error =
        base_format("%s is not a compiler of GCC (%s): the plugin needs one", compiler, text);
    return false;
}

int kpx_build(const kpx_build_options *o, char **command, char **ret_error)
{
    char *plugin = kpx_find_recorder(PLUGIN ".so", ret_error);
    if (!plugin) {
        free(*ret_error);
        *ret_error =
            base_format("this build has no compiler plugin: gcc-12-plugin-dev was missing");
        return 2;
    }
    if (!is_gcc(command[0], ret_error)) {
        free(plugin);
        return 2;
    }
    uint32_t n = 0;
    while (command[n])
        n++;
    ARRAY_OF(char *) words = {0};
    ARRAY_PUSH(words, command[0]);
    ARRAY_PUSH(words, base_format("-fplugin=%s", plugin));
    if (o->no_routines)
        ARRAY_PUSH(words, base_copy("-fplugin-arg-" PLUGIN "-no-routines"));
    if (o->no_loops)
        ARRAY_PUSH(words, base_copy("-fplugin-arg-" PLUGIN "-no-loops"));
    if (o->no_io)
        ARRAY_PUSH(words, base_copy("-fplugin-arg-" PLUGIN "-no-io"));
    if (o->except)
        ARRAY_PUSH(words, base_format("-fplugin-arg-" PLUGIN "-except=%s", o->except));
    for (uint32_t i = 1; i < n; i++) {
        ARRAY_PUSH(words, command[i]);
        // The plugin does not run for code that is made at link time.
        if (strncmp(command[i], "-flto", 5) == 0)
            words.at[words.n - 1] = base_copy("-fno-lto");
    }
    ARRAY_PUSH(words, NULL);
    execvp(command[0], words.at);
    *ret_error = base_format("%s: cannot run: %s", command[0], strerror(errno));
    return 127;
}
