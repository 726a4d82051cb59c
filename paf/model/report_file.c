// SPDX-License-Identifier: MIT
//
// What another tool made is imported into a folder of its own, which is gone once the trace is read.
#include "paf/model/report_file.h"

#include "base/memory.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#define BRIDGE "kpx-bridge"

bool paf_is_report(const char *path)
{
    static const char *const endings[] = {".f66", ".otf2", ".json"};
    size_t n = strlen(path);
    for (unsigned i = 0; i < G_N_ELEMENTS(endings); i++) {
        size_t of = strlen(endings[i]);
        if (n > of && g_ascii_strcasecmp(path + n - of, endings[i]) == 0)
            return true;
    }
    return false;
}

// Beside this program, as both are installed; where both were built; in the PATH. g_free(); NULL: nowhere.
static char *find_bridge(void)
{
    char *self = g_file_read_link("/proc/self/exe", NULL), *folder = self ? g_path_get_dirname(self) : NULL;
    char *places[] = {folder ? g_build_filename(folder, BRIDGE, NULL) : NULL,
                      folder ? g_build_filename(folder, "..", BRIDGE, BRIDGE, NULL) : NULL,
                      g_find_program_in_path(BRIDGE)};
    char *found = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
        bool runs = places[i] && g_file_test(places[i], G_FILE_TEST_IS_REGULAR) &&
                    g_file_test(places[i], G_FILE_TEST_IS_EXECUTABLE);
        if (runs && !found)
            found = g_strdup(places[i]);
        g_free(places[i]);
    }
    g_free(folder);
    g_free(self);
    return found;
}

// What the command said of the report, which it was given by another name, without that and its own name.
static char *reason_of(const char *path, const char *given, const char *said, const GError *error)
{
    const char *own = said ? strstr(said, BRIDGE ": ") : NULL;
    char *line = g_strdup(own ? own + strlen(BRIDGE ": ") : said ? said : "");
    line[strcspn(line, "\n")] = 0;
    size_t n = g_str_has_prefix(line, given) ? strlen(given) : 0;
    n += n > 0 ? strspn(line + n, ": ") : 0;
    char *text = base_format("%s: %s", path,
                             error ? error->message : line[n] ? line + n : BRIDGE " could not read it");
    g_free(line);
    return text;
}

// NULL: done; else why not (malloc'ed).
static char *import(const char *path, const char *output)
{
    char *bridge = find_bridge(), *said = NULL, *text = NULL;
    GError *error = NULL;
    int status = 0;
    if (!bridge)
        return base_format("%s was made by another tool: the command " BRIDGE
                           ", which reads it, is not installed",
                           path);
    // A name that begins with a dash would be an option.
    char *given = g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(".", path, NULL);
    char *argv[] = {bridge, "import", "-o", (char *)output, given, NULL};
    bool ran = g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &said, &status,
                            &error);
    if (!ran || !g_spawn_check_wait_status(status, NULL))
        text = reason_of(path, given, said, error);
    g_clear_error(&error);
    g_free(given);
    g_free(said);
    g_free(bridge);
    return text;
}

static trace *open_report(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                          void *data, trace_error *ret_problem, char **ret_error)
{
    GError *error = NULL;
    char *folder = g_dir_make_tmp("paf-XXXXXX", &error);
    *ret_problem = (trace_error){.kind = TRACE_NOT_A_TRACE};
    if (!folder) {
        *ret_error = base_format("%s: %s", path, error->message);
        g_error_free(error);
        return NULL;
    }
    char *output = g_build_filename(folder, "report.paf", NULL);
    trace *t = NULL;
    *ret_error = import(path, output);
    if (!*ret_error)
        t = trace_open_explained(output, progress, data, ret_problem, ret_error);
    g_unlink(output);
    g_rmdir(folder);
    g_free(output);
    g_free(folder);
    return t;
}

trace *paf_trace_open(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                      void *data, trace_error *ret_problem, char **ret_error)
{
    trace_error problem;
    trace *t = paf_is_report(path) ? open_report(path, progress, data, &problem, ret_error)
                                   : trace_open_explained(path, progress, data, &problem, ret_error);
    if (ret_problem)
        *ret_problem = problem;
    return t;
}
