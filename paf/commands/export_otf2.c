// SPDX-License-Identifier: MIT
//
// A trace with real times as an archive of OTF2. A predicate becomes a region, a place a location,
// a reduction the time between an ENTER and a LEAVE. A call that waits and then goes on is one
// call. The archive is made in a folder of its own and takes its names when it is whole.
#include "paf/commands/export_otf2.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "paf/say/numbers.h"
#include "profiler/kinds.h"

enum {
    CHUNK = 1 << 20,
    DEFINITIONS = 4 << 20,
    WORLD = 0,
    NAME_NONE = 0,
    NAME_SYSTEM,
    NAME_MPI,
    NAMES
};

typedef struct {
    const trace *t;
    OTF2_Archive *archive;
    OTF2_ErrorCode code; // the first error
    uint32_t nplaces;
    GArray **reductions;   // by place, in order of their beginnings
    uint64_t *counts;      // events by place
    int64_t *ranks;        // by place; -1: none
    uint64_t *rank_places; // by rank: its first place
    uint32_t nranks;
    uint32_t strings; // how many were written
} writing;

static void check(writing *w, OTF2_ErrorCode code)
{
    if (w->code == OTF2_SUCCESS)
        w->code = code;
}

// ---- What is where ------------------------------------------------------------------------------

static int by_begin(const void *x, const void *y, void *data)
{
    const trace *t = data;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int64_t begins[] = {trace_start(t, a), trace_start(t, b)},
            ends[] = {trace_end(t, a), trace_end(t, b)};
    if (begins[0] != begins[1])
        return begins[0] < begins[1] ? -1 : 1;
    if (ends[0] != ends[1])
        return ends[0] < ends[1] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void sort_reductions(writing *w)
{
    w->reductions = g_new(GArray *, w->nplaces);
    for (uint32_t p = 0; p < w->nplaces; p++)
        w->reductions[p] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t r = 0; r < trace_nreductions(w->t); r++)
        if (trace_reduction_goal(w->t, r) != TRACE_NONE && trace_place(w->t, r) < w->nplaces)
            g_array_append_val(w->reductions[trace_place(w->t, r)], r);
    for (uint32_t p = 0; p < w->nplaces; p++)
        g_array_sort_with_data(w->reductions[p], by_begin, (void *)w->t);
}

// Ranks are those of the places' names, "rank 3 thread 1"; they count only if all from 0 on are
// there.
static void find_ranks(writing *w)
{
    w->ranks = g_new(int64_t, w->nplaces + 1);
    w->rank_places = g_new(uint64_t, w->nplaces + 1);
    for (uint32_t i = 0; i <= w->nplaces; i++)
        w->rank_places[i] = UINT64_MAX;
    for (uint32_t p = 0; p < w->nplaces; p++) {
        const char *name = trace_place_name(w->t, p);
        int rank;
        bool has =
            name && sscanf(name, "rank %d", &rank) == 1 && rank >= 0 && (uint32_t)rank < w->nplaces;
        w->ranks[p] = has ? rank : -1;
        if (has && w->rank_places[rank] == UINT64_MAX)
            w->rank_places[rank] = p;
    }
    while (w->nranks < w->nplaces && w->rank_places[w->nranks] != UINT64_MAX)
        w->nranks++;
    for (uint32_t p = 0; p < w->nplaces; p++)
        w->nranks = w->ranks[p] >= w->nranks ? 0 : w->nranks;
}

static uint32_t predicate_of(const writing *w, uint32_t reduction)
{
    return trace_goal_predicate(w->t, trace_reduction_goal(w->t, reduction));
}

static bool waits(const writing *w, uint32_t reduction)
{
    return trace_get_clause(w->t, trace_reduction_clause(w->t, reduction))->waits;
}

// ---- Events -------------------------------------------------------------------------------------

typedef struct {
    int64_t to, from, tag;
} message;

// Arguments to(R) or from(R), tag(T), bytes(B) of each message, one after the other.
static void write_messages(writing *w, OTF2_EvtWriter *e, uint32_t reduction, uint64_t begin,
                           uint64_t end)
{
    const trace *t = w->t;
    uint32_t goal = trace_reduction_goal(t, reduction), string;
    uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    trace_value *args = g_new(trace_value, arity + 1), v;
    message m = {-1, -1, 0};
    trace_goal_args(t, goal, args);
    for (uint32_t i = 0; i < arity && w->nranks > 0; i++) {
        if (args[i].kind != TV_CELL || !trace_cell_pair(t, args[i].id, &string, &v) ||
            v.kind != TV_INT)
            continue;
        trace_key key = trace_string_key(t, string);
        m = key == TRACE_KEY_TO     ? (message){v.i, -1, 0}
            : key == TRACE_KEY_FROM ? (message){-1, v.i, 0}
                                    : m;
        m.tag = key == TRACE_KEY_TAG ? v.i : m.tag;
        if (key != TRACE_KEY_BYTES)
            continue;
        uint64_t bytes = v.i < 0 ? 0 : (uint64_t)v.i;
        if (m.to >= 0 && m.to < w->nranks)
            check(w, OTF2_EvtWriter_MpiSend(e, NULL, begin, (uint32_t)m.to, WORLD, (uint32_t)m.tag,
                                            bytes));
        if (m.from >= 0 && m.from < w->nranks)
            check(w, OTF2_EvtWriter_MpiRecv(e, NULL, end, (uint32_t)m.from, WORLD, (uint32_t)m.tag,
                                            bytes));
        m = (message){-1, -1, 0};
    }
    g_free(args);
}

// Whether the second reduction is the rest of the call that the first one has waited in.
static bool goes_on(const writing *w, uint32_t a, uint32_t b)
{
    const trace_predicate *p = trace_get_predicate(w->t, predicate_of(w, a)),
                          *q = trace_get_predicate(w->t, predicate_of(w, b));
    return trace_end(w->t, a) == trace_start(w->t, b) && p->module == q->module && waits(w, a) &&
           !waits(w, b);
}

static void write_place(writing *w, uint32_t place)
{
    OTF2_EvtWriter *e = OTF2_Archive_GetEvtWriter(w->archive, place);
    const GArray *list = w->reductions[place];
    int64_t last = 0;
    for (guint i = 0; e && i < list->len && w->code == OTF2_SUCCESS; i++) {
        uint32_t r = g_array_index(list, uint32_t, i), rest = r;
        if (i + 1 < list->len && goes_on(w, r, g_array_index(list, uint32_t, i + 1)))
            rest = g_array_index(list, uint32_t, ++i);
        int64_t begin = MAX(trace_start(w->t, r), last), end = MAX(trace_end(w->t, rest), begin);
        check(w, OTF2_EvtWriter_Enter(e, NULL, (uint64_t)begin, predicate_of(w, r)));
        write_messages(w, e, r, (uint64_t)begin, (uint64_t)end);
        check(w, OTF2_EvtWriter_Leave(e, NULL, (uint64_t)end, predicate_of(w, r)));
        last = end;
    }
    check(w, e ? OTF2_EvtWriter_GetNumberOfEvents(e, &w->counts[place]) : OTF2_ERROR_INVALID);
    if (e)
        check(w, OTF2_Archive_CloseEvtWriter(w->archive, e));
}

// ---- Definitions --------------------------------------------------------------------------------

static OTF2_StringRef string(writing *w, OTF2_GlobalDefWriter *d, const char *text)
{
    check(w, OTF2_GlobalDefWriter_WriteString(d, w->strings, text));
    return w->strings++;
}

static OTF2_RegionRole role_of(trace_kind kind)
{
    switch (kind) {
    case TRACE_KIND_REGION:
        return OTF2_REGION_ROLE_PARALLEL;
    case TRACE_KIND_LOOP:
    case TRACE_KIND_DO_LOOP:
        return OTF2_REGION_ROLE_LOOP;
    case TRACE_KIND_CRITICAL:
    case TRACE_KIND_CRITICAL_WAIT:
        return OTF2_REGION_ROLE_CRITICAL;
    case TRACE_KIND_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case TRACE_KIND_IMPLIED_BARRIER:
        return OTF2_REGION_ROLE_IMPLICIT_BARRIER;
    case TRACE_KIND_TASK:
        return OTF2_REGION_ROLE_TASK;
    case TRACE_KIND_TASKWAIT:
        return OTF2_REGION_ROLE_TASK_WAIT;
    case TRACE_KIND_MPI_SEND:
    case TRACE_KIND_MPI_RECEIVE:
    case TRACE_KIND_MPI_WAIT:
        return OTF2_REGION_ROLE_POINT2POINT;
    case TRACE_KIND_MPI_COLLECTIVE:
        return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}

static OTF2_Paradigm paradigm_of(trace_kind kind)
{
    if (kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE)
        return OTF2_PARADIGM_MPI;
    return kind >= TRACE_KIND_REGION && kind <= TRACE_KIND_TASKGROUP ? OTF2_PARADIGM_OPENMP
                                                                     : OTF2_PARADIGM_USER;
}

// Routines and loops are told apart by their modules, other constructs by both.
static char *name_of(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    char *own = paf_predicate_name(t, predicate);
    const char *module = trace_module_name(t, p->module);
    if (!trace_is_measured(t) || !strcmp(own, module))
        return own;
    bool mpi = paradigm_of(p->kind) == OTF2_PARADIGM_MPI;
    char *name = mpi || p->kind == TRACE_KIND_ROUTINE || p->kind == TRACE_KIND_LOOP ||
                         p->kind == TRACE_KIND_DO_LOOP || p->kind == TRACE_KIND_REGION
                     ? g_strdup(module)
                     : g_strdup_printf("%s of %s", trace_kind_name(p->kind), module);
    g_free(own);
    return name;
}

static void write_regions(writing *w, OTF2_GlobalDefWriter *d)
{
    for (uint32_t i = 0; i < trace_npredicates(w->t); i++) {
        trace_kind kind = trace_get_predicate(w->t, i)->kind;
        char *text = name_of(w->t, i);
        OTF2_StringRef name = string(w, d, text);
        g_free(text);
        check(w, OTF2_GlobalDefWriter_WriteRegion(d, i, name, name, NAME_NONE, role_of(kind),
                                                  paradigm_of(kind), OTF2_REGION_FLAG_NONE,
                                                  OTF2_UNDEFINED_STRING, 0, 0));
    }
}

// A process for each rank, or one for all places.
static void write_places(writing *w, OTF2_GlobalDefWriter *d)
{
    uint32_t groups = w->nranks ? w->nranks : 1;
    check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, NAME_SYSTEM, NAME_SYSTEM,
                                                      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < groups; i++) {
        char *text = w->nranks ? g_strdup_printf("rank %u", i) : g_strdup(trace_program(w->t));
        check(w, OTF2_GlobalDefWriter_WriteLocationGroup(d, i, string(w, d, text),
                                                         OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                         OTF2_UNDEFINED_LOCATION_GROUP));
        g_free(text);
    }
    for (uint32_t p = 0; p < w->nplaces; p++) {
        const char *own = trace_place_name(w->t, p);
        char *text = own ? g_strdup(own) : g_strdup_printf("worker %u", p);
        uint32_t group = w->nranks && w->ranks[p] >= 0 ? (uint32_t)w->ranks[p] : 0;
        check(w, OTF2_GlobalDefWriter_WriteLocation(
                     d, p, string(w, d, text), OTF2_LOCATION_TYPE_CPU_THREAD, w->counts[p], group));
        g_free(text);
    }
}

static void write_ranks(writing *w, OTF2_GlobalDefWriter *d)
{
    uint64_t *members = g_new(uint64_t, w->nranks + 1);
    for (uint32_t i = 0; i < w->nranks; i++)
        members[i] = i;
    check(w, OTF2_GlobalDefWriter_WriteGroup(d, 0, NAME_MPI, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->nranks,
                                             w->rank_places));
    check(w, OTF2_GlobalDefWriter_WriteGroup(d, 1, NAME_MPI, OTF2_GROUP_TYPE_COMM_GROUP,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->nranks,
                                             members));
    check(w, OTF2_GlobalDefWriter_WriteComm(d, WORLD, NAME_MPI, 1, OTF2_UNDEFINED_COMM,
                                            OTF2_COMM_FLAG_NONE));
    g_free(members);
}

static void write_definitions(writing *w)
{
    static const char *const names[NAMES] = {"", "machine", "MPI_COMM_WORLD"};
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(w->archive);
    int64_t end = 0;
    if (!d) {
        check(w, OTF2_ERROR_INVALID);
        return;
    }
    for (uint32_t r = 0; r < trace_nreductions(w->t); r++)
        end = MAX(end, trace_end(w->t, r));
    check(w, OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 0, (uint64_t)end + 1,
                                                       OTF2_UNDEFINED_TIMESTAMP));
    for (int i = 0; i < NAMES; i++)
        string(w, d, names[i]);
    write_regions(w, d);
    write_places(w, d);
    if (w->nranks > 0)
        write_ranks(w, d);
    check(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, d));
    check(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (uint32_t p = 0; p < w->nplaces; p++)
        check(w, OTF2_Archive_CloseDefWriter(w->archive, OTF2_Archive_GetDefWriter(w->archive, p)));
    check(w, OTF2_Archive_CloseDefFiles(w->archive));
}

// ---- The archive --------------------------------------------------------------------------------

static OTF2_FlushType flush_before(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush_before};

static OTF2_ErrorCode be_silent(void *data, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static OTF2_ErrorCode write_archive(const trace *t, const char *folder, const char *name)
{
    writing w = {.t = t, .nplaces = trace_nplaces(t), .code = OTF2_SUCCESS};
    OTF2_Error_RegisterCallback(be_silent, NULL);
    w.archive = OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, CHUNK, DEFINITIONS,
                                  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!w.archive)
        return OTF2_ERROR_INVALID;
    w.counts = g_new0(uint64_t, w.nplaces + 1);
    sort_reductions(&w);
    find_ranks(&w);
    check(&w, OTF2_Archive_SetFlushCallbacks(w.archive, &flushes, NULL));
    check(&w, OTF2_Archive_SetSerialCollectiveCallbacks(w.archive));
    check(&w, OTF2_Archive_OpenEvtFiles(w.archive));
    for (uint32_t p = 0; p < w.nplaces; p++)
        write_place(&w, p);
    check(&w, OTF2_Archive_CloseEvtFiles(w.archive));
    write_definitions(&w);
    check(&w, OTF2_Archive_Close(w.archive));
    for (uint32_t p = 0; p < w.nplaces; p++)
        g_array_free(w.reductions[p], TRUE);
    g_free(w.reductions);
    g_free(w.counts);
    g_free(w.ranks);
    g_free(w.rank_places);
    return w.code;
}

static void remove_all(const char *path)
{
    GDir *d = g_dir_open(path, 0, NULL);
    const char *name;
    while (d && (name = g_dir_read_name(d))) {
        char *below = g_build_filename(path, name, NULL);
        remove_all(below);
        g_free(below);
    }
    if (d)
        g_dir_close(d);
    g_remove(path);
}

// The parts of the archive take their names; the anchor, which others open, comes last.
static char *take_names(const char *made, const char *folder, const char *name)
{
    static const char *const endings[] = {"", ".def", ".otf2"};
    char *wrong = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(endings) && !wrong; i++) {
        char *file = g_strconcat(name, endings[i], NULL);
        char *from = g_build_filename(made, file, NULL), *to = g_build_filename(folder, file, NULL);
        if (g_file_test(to, G_FILE_TEST_EXISTS))
            wrong = base_format("%s is there already", to);
        else if (g_rename(from, to) != 0)
            wrong = base_format("%s: cannot write: %s", to, g_strerror(errno));
        g_free(file);
        g_free(from);
        g_free(to);
    }
    return wrong;
}

char *paf_write_otf2(const trace *t, const char *path)
{
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path), *wrong = NULL;
    name[strlen(name) - strlen(".otf2")] = 0;
    char *made = g_build_filename(folder, ".paf-otf2-XXXXXX", NULL);
    if (trace_nplaces(t) == 0)
        wrong = base_format("%s: the run has no places with real times", path);
    else if (g_file_test(path, G_FILE_TEST_EXISTS))
        wrong = base_format("%s is there already", path);
    else if (!g_mkdtemp(made))
        wrong = base_format("%s: cannot write: %s", path, g_strerror(errno));
    if (!wrong) {
        OTF2_ErrorCode code = write_archive(t, made, name);
        wrong = code == OTF2_SUCCESS
                    ? take_names(made, folder, name)
                    : base_format("%s: cannot write: %s", path, OTF2_Error_GetDescription(code));
        remove_all(made);
    }
    g_free(made);
    g_free(folder);
    g_free(name);
    return wrong;
}
