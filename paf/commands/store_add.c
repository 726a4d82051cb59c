// SPDX-License-Identifier: MIT
//
// `paf store add`: traces become runs of the store.
#include <stdio.h>
#include <stdlib.h>

#include "paf/commands/store_command.h"

static const char help[] =
    "usage: paf store add [OPTION...] FILE.paf...\n"
    "Adds traces to the store. Traces of one application under one condition are its trials; a file that "
    "is\n"
    "there already is left out. Each file is added as a whole or not at all.\n"
    "\n"
    "      --application A    (default: the name of the program)\n"
    "      --condition KEYS   as nodes=4,size=B, beside what the trace tells: ranks, threads or "
    "workers\n" PAF_STORE_HELP "      --memory SIZE      that may be taken, as in 500M or 2G\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 a file could not be added; 2 usage.\n";

typedef struct {
    const char *application, *condition, *where;
} add_options;

static bool add_file(store *s, const add_options *o, const char *path)
{
    int status = COMMAND_OK;
    trace *t = paf_open_trace("store add", path, &status);
    store_run *r = NULL;
    if (t && status == COMMAND_OK)
        r = store_run_from_trace(path, t, paf_tell_progress, (void *)"store add");
    paf_end_progress();
    bool good = r != NULL;
    if (good && o->application) {
        free(r->application);
        r->application = base_copy(o->application);
    }
    if (good && o->condition)
        good = paf_store_read_keys("store add", o->condition, r);
    good = good && paf_store_add_run("store add", s, r, path, o->application || o->condition);
    store_run_destroy(r);
    if (t)
        trace_close(t);
    return good;
}

int paf_store_add(int argc, char **argv)
{
    add_options o = {0};
    const paf_option options[] = {{"application", 0, PAF_OPTION_TEXT, {.text = &o.application}, 0},
                                  {"condition", 0, PAF_OPTION_TEXT, {.text = &o.condition}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &o.where}, 0},
                                  {0}};
    const paf_usage usage = {"store add", help, options, 1, 1000000};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    // A wrong condition is told before the store is made.
    store_run *probe = store_run_create("", "");
    bool good = !o.condition || paf_store_read_keys("store add", o.condition, probe);
    store_run_destroy(probe);
    if (!good)
        return COMMAND_USAGE;
    store *s = paf_open_store("store add", o.where, STORE_CREATE);
    if (!s)
        return COMMAND_NOTHING;
    for (int i = optind; i < argc; i++)
        if (!add_file(s, &o, argv[i]))
            status = COMMAND_NOTHING;
    store_close(s);
    return status;
}
