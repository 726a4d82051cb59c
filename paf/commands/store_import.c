// SPDX-License-Identifier: MIT
//
// `paf store import`: profiles and logs of other tools become runs of the store.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "paf/commands/store_command.h"
#include "paf/model/report_file.h"
#include "store/imports.h"

static const char help[] =
    "usage: paf store import [OPTION...] FILE...\n"
    "Adds profiles and logs of other tools to the store, each as a whole or not at all.\n"
    "\n"
    "      --format F         what the files are (default: what they look like)\n"
    "      --application A    (default: the name of the file)\n"
    "      --condition KEYS   as nodes=4,size=B\n" PAF_STORE_HELP "  -h, --help             this text\n"
    "\n"
    "Formats:\n";

typedef struct {
    const char *format, *application, *condition, *where;
} import_options;

// What kpx-bridge reads; it finds out itself which of them a file is.
static const store_format by_bridge[] = {
    {"otf2", "an archive of OTF2, by its anchor X.otf2"},
    {"chrome", "a Chrome trace, X.json"},
    {"ktool", "@@k_tool.f66: routines, loops, input and output"},
    {"mtool", "@@m_tool.f66: calls of MPI"},
};

// The help, with the formats of the tables.
static char *whole_help(void)
{
    GString *text = g_string_new(help);
    for (size_t i = 0; i < store_nformats(); i++)
        g_string_append_printf(text, "  %-8s %s\n", store_get_format(i)->name, store_get_format(i)->about);
    for (unsigned i = 0; i < G_N_ELEMENTS(by_bridge); i++)
        g_string_append_printf(text, "  %-8s %s\n", by_bridge[i].name, by_bridge[i].about);
    g_string_append(text, "Exit status: 0; 1 a file could not be read or added; 2 usage.\n");
    return g_string_free(text, FALSE);
}

static bool is_by_bridge(const import_options *o, const char *path)
{
    if (!o->format)
        return paf_is_report(path);
    for (unsigned i = 0; i < G_N_ELEMENTS(by_bridge); i++)
        if (!strcmp(by_bridge[i].name, o->format))
            return true;
    return false;
}

// By way of a trace, which kpx-bridge makes. NULL: why was told.
static store_run *read_trace(const char *path)
{
    int status = COMMAND_OK;
    store_run *r = NULL;
    trace *t = paf_open_trace("store import", path, &status);
    if (t && status == COMMAND_OK)
        r = store_run_from_trace(path, t, paf_tell_progress, (void *)"store import");
    paf_end_progress();
    if (t)
        trace_close(t);
    return r;
}

static store_run *read_file(const import_options *o, const char *path)
{
    char *error;
    if (is_by_bridge(o, path))
        return read_trace(path);
    store_run *r = store_import(path, o->format, &error);
    if (!r) {
        paf_complain("store import", "%s", error);
        free(error);
    }
    return r;
}

static bool import_file(store *s, const import_options *o, const char *path)
{
    store_run *r = read_file(o, path);
    if (!r)
        return false;
    if (o->application) {
        free(r->application);
        r->application = base_copy(o->application);
    }
    bool good = (!o->condition || paf_store_read_keys("store import", o->condition, r)) &&
                paf_store_add_run("store import", s, r, path, o->application || o->condition);
    store_run_destroy(r);
    return good;
}

int paf_store_import(int argc, char **argv)
{
    import_options o = {0};
    const paf_option options[] = {{"format", 0, PAF_OPTION_TEXT, {.text = &o.format}, 0},
                                  {"application", 0, PAF_OPTION_TEXT, {.text = &o.application}, 0},
                                  {"condition", 0, PAF_OPTION_TEXT, {.text = &o.condition}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &o.where}, 0},
                                  {0}};
    char *text = whole_help();
    const paf_usage usage = {"store import", text, options, 1, 1000000};
    int status;
    bool go_on = paf_read_options(&usage, argc, argv, &status);
    g_free(text);
    if (!go_on)
        return status;
    store *s = paf_open_store("store import", o.where, STORE_CREATE);
    if (!s)
        return COMMAND_NOTHING;
    for (int i = optind; i < argc; i++)
        if (!import_file(s, &o, argv[i]))
            status = COMMAND_NOTHING;
    store_close(s);
    return status;
}
