// SPDX-License-Identifier: MIT
//
// The viewer's files, partition, bookmark and operations of what if. Damage and files without a history are
// the window's to tell.
#include "paf/commands/viewed.h"
#include "base/nearest.h"
#include "paf/commands/command.h"
#include "paf/model/bookmarks.h"
#include "paf/model/report_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_file(const paf_viewed *v, int index)
{
    char byte;
    const char *path = v->paths[index];
    FILE *f = fopen(path, "r");
    bool good = f && (fread(&byte, 1, 1, f) == 1 || !ferror(f));
    int reason = errno;
    if (f)
        fclose(f);
    if (good)
        return COMMAND_OK;
    const char *meant = index == 0 && reason == ENOENT ? nearest_of(path, v->commands, v->ncommands) : NULL;
    if (meant) {
        paf_complain("", "unknown command %s; did you mean %s?", path, meant);
        return COMMAND_USAGE;
    }
    paf_complain("", "%s: cannot read: %s", path, strerror(reason));
    return COMMAND_NOTHING;
}

static trace *open_viewed(const char *path)
{
    char *error = NULL;
    trace *t = paf_trace_open(path, NULL, NULL, NULL, &error);
    if (!t)
        paf_complain("", "%s", error ? error : path);
    free(error);
    return t;
}

// The partition as it is for each of the files.
static int read_partitions(const paf_viewed *v, char *ret_partitions[2])
{
    trace *traces[2] = {NULL};
    int status = COMMAND_OK;
    for (int i = 0; i < v->npaths; i++) {
        traces[i] = open_viewed(v->paths[i]);
        status = traces[i] ? status : COMMAND_NOTHING;
    }
    for (int i = 0; i < v->npaths && status == COMMAND_OK; i++) {
        if (trace_nreductions(traces[i]) == 0)
            continue;
        iot_partition *p = paf_read_partition_among("", traces[i], traces[1 - i], v->partition);
        status = p ? COMMAND_OK : COMMAND_USAGE;
        if (p)
            ret_partitions[i] = iot_partition_text(traces[i], p);
        iot_partition_destroy(p);
    }
    for (int i = 0; i < 2; i++)
        trace_close(traces[i]);
    return status;
}

// ---------------------------------------------------------------------------------------------
// A file of bookmarks

// *ret: if the file is one that can be read; what is wrong with another one its reader tells later.
static int check_bookmark(const paf_viewed *v, paf_bookmarks **ret)
{
    const char *path = v->npaths == 1 ? v->paths[0] : NULL;
    char *error = NULL;
    if (path && paf_is_bookmarks(path))
        *ret = paf_bookmarks_read(path, &error);
    g_free(error);
    if (!v->bookmark || error)
        return COMMAND_OK;
    if (!path || !paf_is_bookmarks(path)) {
        paf_complain("", "--bookmark %s: it takes a FILE.view in place of a trace", v->bookmark);
        return COMMAND_USAGE;
    }
    if (*ret && paf_bookmarks_find(*ret, v->bookmark))
        return COMMAND_OK;
    paf_complain("", "%s: no bookmark begins with %s", path, v->bookmark);
    return COMMAND_NOTHING;
}

// ---------------------------------------------------------------------------------------------
// What if

static int price(const paf_viewed *v, const iot *a)
{
    char *error = NULL;
    for (uint32_t i = 0; i < v->noperations; i++) {
        iot_price_answer answer;
        const iot_operation *o = &v->operations[i];
        iot_price_status status = iot_price(a, o, 1, 0, NULL, NULL, &answer, &error);
        if (status == IOT_PRICED) {
            iot_free_price(&answer);
            continue;
        }
        const char *option = o->kind == IOT_WITHOUT ? "--without" : "--speed-up";
        paf_complain("", "%s %s: %s", option, o->argument, error);
        free(error);
        return status == IOT_NOT_UNDERSTOOD ? COMMAND_USAGE : COMMAND_NOTHING;
    }
    return COMMAND_OK;
}

// Whether a run has what is asked about, its analysis knows. path, partition: of the trace.
static int check_operations(const paf_viewed *v, const char *path, const char *partition)
{
    trace *t = open_viewed(path);
    if (!t)
        return COMMAND_NOTHING;
    int status = COMMAND_NOTHING;
    if (paf_expect_history("", path, t)) {
        iot_partition *p = paf_read_partition("", t, partition);
        iot *a = p ? iot_analyse(t, p, NULL, NULL) : NULL;
        status = a ? price(v, a) : COMMAND_USAGE;
        iot_destroy(a);
        iot_partition_destroy(p);
    }
    trace_close(t);
    return status;
}

static int check_what_if(const paf_viewed *v, const paf_bookmarks *views)
{
    if (v->noperations == 0 || v->npaths == 0)
        return COMMAND_OK;
    if (v->npaths > 1) {
        paf_complain("", "--without and --speed-up ask about one run, not %d", v->npaths);
        return COMMAND_USAGE;
    }
    char *named = views ? paf_bookmarks_trace(views, v->paths[0]) : NULL;
    const char *kept = views ? views->partition : NULL;
    int status = check_operations(v, named ? named : v->paths[0], v->partition ? v->partition : kept);
    g_free(named);
    return status;
}

int paf_check_viewed(const paf_viewed *v, char *ret_partitions[2])
{
    paf_bookmarks *views = NULL;
    int status = COMMAND_OK;
    for (int i = 0; i < v->npaths && status == COMMAND_OK && !v->desktop; i++)
        status = check_file(v, i);
    if (status == COMMAND_OK)
        status = check_bookmark(v, &views);
    if (status == COMMAND_OK && v->partition)
        status = read_partitions(v, ret_partitions);
    if (status == COMMAND_OK)
        status = check_what_if(v, views);
    paf_bookmarks_free(views);
    return status;
}
