// SPDX-License-Identifier: MIT
//
// Opens an archive of OTF2 and reads it: definitions, then all events twice (otf2.h).
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "kpx-bridge/imports/otf2.h"

OTF2_CallbackCode kpx_otf2_fail(kpx_otf2 *x, const char *format, ...)
{
    base_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_add_arguments(&text, format, arguments);
    va_end(arguments);
    if (x->error)
        free(text.at);
    else
        x->error = text_finish(&text);
    return OTF2_CALLBACK_INTERRUPT;
}

// libotf2 would print what is wrong. Its first message is the cause of the others.
static OTF2_ErrorCode note_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    kpx_otf2 *x = data;
    base_text text = {0};
    (void)file;
    (void)line;
    (void)function;
    if (x->library)
        return code;
    text_add_string(&text, OTF2_Error_GetDescription(code));
    if (format && *format) {
        text_add_string(&text, ": ");
        text_add_arguments(&text, format, arguments);
    }
    x->library = text_finish(&text);
    return code;
}

// ---- Reading ------------------------------------------------------------------------------------

static bool good(kpx_otf2 *x, OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS && !x->error)
        return true;
    if (x->library)
        kpx_otf2_fail(x, "%s: %s", what, x->library);
    else
        kpx_otf2_fail(x, "%s: %s", what, OTF2_Error_GetDescription(code));
    return false;
}

static bool read_definitions(kpx_otf2 *x, OTF2_Reader *reader)
{
    uint64_t n, taken = 0;
    OTF2_GlobalDefReader *r = OTF2_Reader_GetGlobalDefReader(reader);
    if (!r || !good(x, OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &n), "definitions"))
        return good(x, OTF2_ERROR_INVALID_DATA, "definitions");
    OTF2_GlobalDefReaderCallbacks *c = kpx_otf2_definition_callbacks();
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, r, c, x);
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, r, &taken);
    OTF2_Reader_CloseGlobalDefReader(reader, r);
    if (!good(x, code, "definitions"))
        return false;
    if (taken < n)
        kpx_otf2_fail(x, "definitions: %" PRIu64 " of %" PRIu64 " are there", taken, n);
    return !x->error;
}

// Definitions of a location map its numbers to those of the whole archive.
static bool open_location(kpx_otf2 *x, OTF2_Reader *reader, const kpx_otf2_location *l,
                          bool definitions)
{
    uint64_t n;
    char *what = base_format("location %" PRIu64, l->id);
    OTF2_DefReader *d = definitions ? OTF2_Reader_GetDefReader(reader, l->id) : NULL;
    bool well = !d || good(x, OTF2_Reader_ReadAllLocalDefinitions(reader, d, &n), what);
    if (d)
        OTF2_Reader_CloseDefReader(reader, d);
    if (well && !OTF2_Reader_GetEvtReader(reader, l->id))
        well = good(x, OTF2_ERROR_INVALID_DATA, what);
    free(what);
    return well;
}

static bool read_all(kpx_otf2 *x, OTF2_Reader *reader, OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    uint64_t taken = 0;
    OTF2_GlobalEvtReader *r = OTF2_Reader_GetGlobalEvtReader(reader);
    if (!r)
        return good(x, OTF2_ERROR_INVALID_DATA, "events");
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, r, callbacks, x);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalEvents(reader, r, &taken);
    OTF2_Reader_CloseGlobalEvtReader(reader, r);
    if (!good(x, code, "events"))
        return false;
    if (taken != x->all)
        kpx_otf2_fail(x, "events: %" PRIu64 " of %" PRIu64 " are there", taken, x->all);
    return !x->error;
}

static bool read_events(kpx_otf2 *x, OTF2_Reader *reader, OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    x->all = 0;
    for (size_t i = 0; i < x->locations.n; i++) {
        x->all += x->locations.at[i].events;
        if (!good(x, OTF2_Reader_SelectLocation(reader, x->locations.at[i].id), "locations"))
            return false;
    }
    bool definitions = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    bool well = good(x, OTF2_Reader_OpenEvtFiles(reader), "events");
    for (size_t i = 0; well && i < x->locations.n; i++)
        well = open_location(x, reader, &x->locations.at[i], definitions);
    if (definitions)
        OTF2_Reader_CloseDefFiles(reader);
    well = well && read_all(x, reader, callbacks);
    OTF2_Reader_CloseEvtFiles(reader);
    return well;
}

// An anchor has some lines. Of a damaged one libotf2 may count for very long: it may take so much processor
// time, and then SIGPROF ends the process.
static OTF2_Reader *open_anchor(const char *path)
{
    enum { SECONDS = 5 };
    struct itimerval limit = {.it_value.tv_sec = SECONDS}, none = {0};
    setitimer(ITIMER_PROF, &limit, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    setitimer(ITIMER_PROF, &none, NULL);
    return reader;
}

static bool read_archive(kpx_otf2 *x, const char *path, bool second)
{
    OTF2_Reader *reader = open_anchor(path);
    if (!reader)
        return good(x, OTF2_ERROR_INVALID_DATA, "the anchor");
    OTF2_GlobalEvtReaderCallbacks *c =
        second ? kpx_otf2_event_callbacks() : kpx_otf2_collective_callbacks();
    bool well = good(x, OTF2_Reader_SetSerialCollectiveCallbacks(reader), "the anchor");
    well = well && (second || (read_definitions(x, reader) && kpx_otf2_define(x)));
    well = well && read_events(x, reader, c);
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
    OTF2_Reader_Close(reader);
    return well;
}

// ---- All ----------------------------------------------------------------------------------------

static void free_all(kpx_otf2 *x)
{
    base_map *maps[] = {
        &x->string_of,  &x->region_of, &x->location_of, &x->process_of, &x->communicator_of,
        &x->group_of,   &x->rank_of,   &x->ranks,       &x->joined,     &x->collective_of,
        &x->channel_of, &x->team_of,   &x->barrier_of,  &x->released,   &x->task_of,
        &x->created,    &x->ended};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    for (size_t i = 0; i < x->strings.n; i++)
        free(x->strings.at[i]);
    for (size_t i = 0; i < x->locations.n; i++)
        STORE_FREE(x->locations.at[i].instances);
    for (size_t i = 0; i < x->processes.n; i++)
        free(x->processes.at[i].left.at);
    for (size_t i = 0; i < x->groups.n; i++)
        free(x->groups.at[i].members.at);
    kpx_lanes_finish(&x->lanes, x->end);
    free(x->strings.at);
    free(x->regions.at);
    free(x->locations.at);
    free(x->processes.at);
    free(x->communicators.at);
    free(x->groups.at);
    free(x->channels.at);
    free(x->tasks.at);
    STORE_FREE(x->collectives);
    STORE_FREE(x->arrivals);
    STORE_FREE(x->messages);
    free(x->error);
    free(x->library);
}

static void tell(const kpx_otf2 *x, FILE *notes)
{
    if (x->all > x->taken)
        fprintf(notes,
                "%" PRIu64
                " events of other kinds are left out: metrics, parameters, remote access, files\n",
                x->all - x->taken);
    if (x->unmatched)
        fprintf(notes,
                "%" PRIu64 " messages were received before they were sent, or were not sent\n",
                x->unmatched);
    if (x->lanes.unbegun)
        fprintf(notes, "%" PRIu64 " ends of regions that had not begun are left out\n",
                x->lanes.unbegun);
    if (x->unfinished)
        fprintf(notes,
                "%" PRIu64 " regions had not ended; they end with the archive's last event\n",
                x->unfinished);
}

bool kpx_import_otf2(kpx_activities *m, const char *path, FILE *notes, char **ret_error)
{
    struct stat about;
    base_output_protect(path, "it is read");
    if (stat(path, &about) != 0) {
        *ret_error = base_format("%s: cannot read: %s", path, strerror(errno));
        return false;
    }
    kpx_otf2 x = {.m = m, .lanes = {.m = m}, .unused_message = KPX_NONE};
    OTF2_Error_RegisterCallback(note_error, &x);
    bool well = read_archive(&x, path, false) && read_archive(&x, path, true);
    if (well)
        kpx_otf2_end_events(&x);
    if (well && kpx_nactivities(m) == 0) {
        kpx_otf2_fail(&x, "no regions are in it");
        well = false;
    }
    if (well)
        tell(&x, notes);
    else
        *ret_error = base_format("%s: %s", path, x.error ? x.error : "it is damaged");
    OTF2_Error_RegisterCallback(NULL, NULL);
    free_all(&x);
    return well;
}
