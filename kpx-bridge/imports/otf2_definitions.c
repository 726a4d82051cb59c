// SPDX-License-Identifier: MIT
//
// What an archive defines: regions become constructs, locations places.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/imports/otf2.h"
#include "kpx-bridge/log/names.h"

// ---- Records ------------------------------------------------------------------------------------

static OTF2_CallbackCode take_clock(void *data, uint64_t resolution, uint64_t offset,
                                    uint64_t length, uint64_t realtime)
{
    kpx_otf2 *x = data;
    (void)length;
    (void)realtime;
    if (resolution == 0)
        return kpx_otf2_fail(x, "definitions: a clock with 0 ticks in a second");
    x->resolution = resolution;
    x->offset = offset;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_string(void *data, OTF2_StringRef self, const char *string)
{
    kpx_otf2 *x = data;
    map_set(&x->string_of, self, x->strings.n);
    ARRAY_PUSH(x->strings, kpx_import_name(string));
    return OTF2_CALLBACK_SUCCESS;
}

const char *kpx_otf2_text(const kpx_otf2 *x, OTF2_StringRef string)
{
    uint64_t i = map_get(&x->string_of, string);
    return i == MAP_ABSENT ? "" : x->strings.at[i];
}

static OTF2_CallbackCode take_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                     OTF2_StringRef canonical, OTF2_StringRef description,
                                     OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                     OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                     uint32_t end)
{
    kpx_otf2 *x = data;
    (void)canonical;
    (void)description;
    (void)flags;
    (void)end;
    map_set(&x->region_of, self, x->regions.n);
    ARRAY_PUSH(x->regions, ((kpx_otf2_region){.construct = KPX_NONE,
                                              .waiting = KPX_NONE,
                                              .name = name,
                                              .file = file,
                                              .line = begin,
                                              .role = role,
                                              .paradigm = paradigm}));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_process(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                      OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                      OTF2_LocationGroupRef creator)
{
    kpx_otf2 *x = data;
    (void)type;
    (void)parent;
    (void)creator;
    map_set(&x->process_of, self, x->processes.n);
    ARRAY_PUSH(x->processes, ((kpx_otf2_process){.id = self, .name = name, .fork = KPX_NONE}));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    kpx_otf2 *x = data;
    uint64_t process = map_get(&x->process_of, group);
    if (process == MAP_ABSENT)
        return kpx_otf2_fail(
            x, "definitions: location %" PRIu64 " is of group %" PRIu32 ", which is not defined",
            self, group);
    if (map_get(&x->location_of, self) != MAP_ABSENT)
        return kpx_otf2_fail(x, "definitions: location %" PRIu64 " is defined twice", self);
    map_set(&x->location_of, self, x->locations.n);
    ARRAY_PUSH(x->locations, ((kpx_otf2_location){.id = self,
                                                  .name = name,
                                                  .type = type,
                                                  .events = events,
                                                  .process = (uint32_t)process,
                                                  .lane = KPX_NONE,
                                                  .rank = KPX_NONE,
                                                  .team = KPX_NONE,
                                                  .done = KPX_NONE}));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm,
                                    OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    kpx_otf2 *x = data;
    kpx_otf2_group g = {.type = type,
                        .paradigm = paradigm,
                        .global = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0};
    (void)name;
    for (uint32_t i = 0; i < n; i++)
        ARRAY_PUSH(g.members, members[i]);
    map_set(&x->group_of, self, x->groups.n);
    ARRAY_PUSH(x->groups, g);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_communicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                           OTF2_GroupRef group, OTF2_CommRef parent,
                                           OTF2_CommFlag flags)
{
    kpx_otf2 *x = data;
    (void)name;
    (void)parent;
    (void)flags;
    map_set(&x->communicator_of, self, x->communicators.n);
    ARRAY_PUSH(x->communicators, ((kpx_otf2_communicator){.group = group}));
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalDefReaderCallbacks *kpx_otf2_definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, take_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, take_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, take_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, take_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, take_communicator);
    return c;
}

// ---- Ranks --------------------------------------------------------------------------------------

static uint64_t pair(uint64_t a, uint64_t b)
{
    return hash_word(hash_word(0, a), b);
}

static const kpx_otf2_group *group_of(const kpx_otf2 *x, OTF2_GroupRef group)
{
    uint64_t i = map_get(&x->group_of, group);
    return i == MAP_ABSENT ? NULL : &x->groups.at[i];
}

// The locations that are the ranks of MPI, or NULL.
static const kpx_otf2_group *world_of(const kpx_otf2 *x)
{
    for (uint32_t i = 0; i < x->groups.n; i++)
        if (x->groups.at[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            x->groups.at[i].paradigm == OTF2_PARADIGM_MPI)
            return &x->groups.at[i];
    return NULL;
}

// The location of a member of a group, or OTF2_UNDEFINED_LOCATION.
static OTF2_LocationRef member_of(const kpx_otf2 *x, const kpx_otf2_group *g, uint64_t i)
{
    const kpx_otf2_group *world = world_of(x);
    if (i >= g->members.n)
        return OTF2_UNDEFINED_LOCATION;
    uint64_t member = g->members.at[i];
    if (g->global || g->type != OTF2_GROUP_TYPE_COMM_GROUP)
        return member;
    return world && member < world->members.n ? world->members.at[member] : OTF2_UNDEFINED_LOCATION;
}

uint32_t kpx_otf2_rank_in(const kpx_otf2 *x, OTF2_CommRef communicator, OTF2_LocationRef location)
{
    uint64_t c = map_get(&x->communicator_of, communicator);
    uint64_t group =
        c == MAP_ABSENT ? MAP_ABSENT : map_get(&x->group_of, x->communicators.at[c].group);
    uint64_t rank = group == MAP_ABSENT ? MAP_ABSENT : map_get(&x->rank_of, pair(group, location));
    return rank == MAP_ABSENT ? KPX_NONE : (uint32_t)rank;
}

uint32_t kpx_otf2_global_rank(const kpx_otf2 *x, OTF2_CommRef communicator, uint32_t rank)
{
    uint64_t c = map_get(&x->communicator_of, communicator);
    const kpx_otf2_group *g = c == MAP_ABSENT ? NULL : group_of(x, x->communicators.at[c].group);
    if (!g)
        return KPX_NONE;
    uint64_t found = map_get(&x->ranks, member_of(x, g, rank));
    return found == MAP_ABSENT ? KPX_NONE : (uint32_t)found;
}

static void find_ranks(kpx_otf2 *x)
{
    const kpx_otf2_group *world = world_of(x);
    for (uint32_t i = 0; world && i < world->members.n; i++) {
        uint64_t location = map_get(&x->location_of, world->members.at[i]);
        map_set(&x->ranks, world->members.at[i], i);
        if (location != MAP_ABSENT)
            x->locations.at[location].rank = i;
    }
    for (uint32_t i = 0; i < x->groups.n; i++)
        for (uint64_t k = 0; k < x->groups.at[i].members.n; k++)
            map_set(&x->rank_of, pair(i, member_of(x, &x->groups.at[i], k)), k);
}

// ---- Places -------------------------------------------------------------------------------------

static uint32_t rank_of_process(const kpx_otf2 *x, uint32_t process)
{
    for (uint32_t i = 0; i < x->locations.n; i++)
        if (x->locations.at[i].process == process && x->locations.at[i].rank != KPX_NONE)
            return x->locations.at[i].rank;
    return KPX_NONE;
}

// "rank 2", "rank 2 OMP thread 1", or without ranks "Process Master thread".
static char *name_of_place(const kpx_otf2 *x, const kpx_otf2_location *l, uint32_t rank, bool alone)
{
    const char *own = kpx_otf2_text(x, l->name),
               *process = kpx_otf2_text(x, x->processes.at[l->process].name);
    char *number = base_format("location %" PRIu64, l->id);
    own = *own ? own : number;
    bool ranked = strncmp(own, "rank ", 5) == 0; // Paf wrote it
    char *name = rank != KPX_NONE && ranked         ? base_copy(own)
                 : rank != KPX_NONE && alone        ? base_format("rank %u", rank)
                 : rank != KPX_NONE                 ? base_format("rank %u %s", rank, own)
                 : x->processes.n == 1 || !*process ? base_copy(own)
                                                    : base_format("%s %s", process, own);
    free(number);
    return name;
}

static void add_places(kpx_otf2 *x)
{
    uint32_t *threads = base_allocate(x->processes.n + 1, sizeof *threads);
    uint32_t *ranks = base_allocate(x->processes.n + 1, sizeof *ranks);
    for (uint32_t i = 0; i < x->locations.n; i++)
        threads[x->locations.at[i].process] += x->locations.at[i].type != OTF2_LOCATION_TYPE_METRIC;
    for (uint32_t i = 0; i < x->processes.n; i++)
        ranks[i] = rank_of_process(x, i);
    for (uint32_t i = 0; i < x->locations.n; i++) {
        kpx_otf2_location *l = &x->locations.at[i];
        if (l->type == OTF2_LOCATION_TYPE_METRIC)
            continue;
        char *name = name_of_place(x, l, ranks[l->process], threads[l->process] == 1);
        l->lane = kpx_lane_add(&x->lanes, name);
        free(name);
    }
    free(threads);
    free(ranks);
}

// ---- Regions ------------------------------------------------------------------------------------

static trace_kind kind_of_mpi(const char *name)
{
    static const struct {
        const char *name;
        trace_kind kind;
    } routines[] = {
#define ROUTINE(name, kind, flow, construct) {"MPI_" #name, TRACE_KIND_MPI_##construct},
#include "kpx-bridge/log/mpi_routines.def"
    };
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (!strcmp(routines[i].name, name))
            return routines[i].kind;
    return TRACE_KIND_MPI_CALL;
}

// The kind of a region, and of its waiting (TRACE_KIND_NONE: the same).
static trace_kind kind_of(const kpx_otf2_region *r, const char *name, trace_kind *ret_waiting)
{
    *ret_waiting = TRACE_KIND_NONE;
    if (r->paradigm == OTF2_PARADIGM_MPI)
        return kind_of_mpi(name);
    switch (r->role) {
    case OTF2_REGION_ROLE_PARALLEL:
        return TRACE_KIND_REGION;
    case OTF2_REGION_ROLE_LOOP:
        return r->paradigm == OTF2_PARADIGM_OPENMP ? TRACE_KIND_LOOP : TRACE_KIND_DO_LOOP;
    case OTF2_REGION_ROLE_SECTIONS:
    case OTF2_REGION_ROLE_SECTION:
        return TRACE_KIND_SECTIONS;
    case OTF2_REGION_ROLE_WORKSHARE:
        return TRACE_KIND_WORKSHARE;
    case OTF2_REGION_ROLE_SINGLE:
    case OTF2_REGION_ROLE_SINGLE_SBLOCK:
        return TRACE_KIND_SINGLE;
    case OTF2_REGION_ROLE_MASTER:
        return TRACE_KIND_MASTER;
    case OTF2_REGION_ROLE_CRITICAL:
    case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
        *ret_waiting = TRACE_KIND_CRITICAL_WAIT;
        return TRACE_KIND_CRITICAL;
    case OTF2_REGION_ROLE_ATOMIC:
        *ret_waiting = TRACE_KIND_ATOMIC_WAIT;
        return TRACE_KIND_ATOMIC;
    case OTF2_REGION_ROLE_ORDERED:
    case OTF2_REGION_ROLE_ORDERED_SBLOCK:
        *ret_waiting = TRACE_KIND_ORDERED_WAIT;
        return TRACE_KIND_ORDERED;
    case OTF2_REGION_ROLE_BARRIER:
        return TRACE_KIND_BARRIER;
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return TRACE_KIND_IMPLIED_BARRIER;
    case OTF2_REGION_ROLE_TASK:
    case OTF2_REGION_ROLE_TASK_UNTIED:
        return TRACE_KIND_TASK;
    case OTF2_REGION_ROLE_TASK_WAIT:
        return TRACE_KIND_TASKWAIT;
    case OTF2_REGION_ROLE_THREAD_WAIT:
        return TRACE_KIND_THREAD_JOIN;
    case OTF2_REGION_ROLE_FILE_IO:
    case OTF2_REGION_ROLE_FILE_IO_METADATA:
        return TRACE_KIND_IO;
    default:
        if (r->paradigm == OTF2_PARADIGM_OPENMP || r->paradigm == OTF2_PARADIGM_PTHREAD)
            *ret_waiting = TRACE_KIND_LOCK_WAIT;
        return TRACE_KIND_ROUTINE;
    }
}

// Whether a slice of the kind may wait under the kind's own name.
static bool is_call(trace_kind kind)
{
    return (kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE) || trace_kind_waits(kind);
}

// The source is named without its folder: what has that name here becomes part of the trace, and an
// archive must not choose what that is.
static void make_constructs(kpx_otf2 *x, kpx_otf2_region *r)
{
    const char *name = kpx_otf2_text(x, r->name), *path = kpx_otf2_text(x, r->file);
    const char *file = *path ? kpx_base_name(path) : NULL;
    trace_kind wait, kind = kind_of(r, name, &wait);
    bool mpi = kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE;
    name = *name ? name : "(no name)";
    char *module = file && r->line && !strchr(name, '@')
                       ? base_format("%s %s:%u", name, file, r->line)
                       : base_copy(name);
    kpx_doing runs = {kind, mpi ? name : trace_kind_name(kind), false}, waits = runs;
    waits.waits = true;
    if (wait != TRACE_KIND_NONE)
        waits = kpx_doing_of(wait);
    r->construct = kpx_add_construct(x->m, module, kind, runs,
                                     kpx_add_source(x->m, r->line ? file : NULL), r->line);
    if (is_call(kind) || wait != TRACE_KIND_NONE)
        r->waiting = kpx_add_sibling(x->m, r->construct, waits);
    free(module);
}

const kpx_otf2_region *kpx_otf2_region_of(kpx_otf2 *x, OTF2_RegionRef region)
{
    uint64_t i = map_get(&x->region_of, region);
    if (i == MAP_ABSENT)
        return NULL;
    kpx_otf2_region *r = &x->regions.at[i];
    if (r->construct == KPX_NONE)
        make_constructs(x, r);
    return r;
}

bool kpx_otf2_define(kpx_otf2 *x)
{
    if (x->resolution == 0)
        kpx_otf2_fail(x, "definitions: no clock");
    if (x->locations.n == 0)
        kpx_otf2_fail(x, "definitions: no locations");
    if (x->error)
        return false;
    find_ranks(x);
    add_places(x);
    return true;
}
