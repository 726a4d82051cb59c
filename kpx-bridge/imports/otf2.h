// SPDX-License-Identifier: MIT
//
// What is kept of an archive while it is read (private to imports/). Definitions come first, then
// the events of all locations in order of time, twice: the first reading finds which collectives
// belong together, since the beginning of one does not name its communicator.
//
//   otf2.c              opens the archive, reads it, and says what is wrong
//   otf2_definitions.c  strings, regions, locations, communicators
//   otf2_events.c       events to lanes
#ifndef KPX_OTF2_H
#define KPX_OTF2_H

#include <otf2/otf2.h>

#include "base/table.h"
#include "kpx-bridge/imports/imports.h"
#include "kpx-bridge/imports/lanes.h"
#include "kpx-bridge/log/store.h"

typedef struct {
    uint32_t construct, waiting; // KPX_NONE: not used yet; it never waits
    OTF2_StringRef name, file;
    uint32_t line;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
} kpx_otf2_region;

typedef struct {
    OTF2_LocationRef id;
    OTF2_StringRef name;
    OTF2_LocationType type;
    uint64_t events;
    uint32_t process;  // index of its location group
    uint32_t lane;     // KPX_NONE: it has none
    uint32_t rank;     // of its process, or KPX_NONE
    bool begun, based; // has an event; the slice below all others is open
    bool in_collective;
    uint64_t last;     // nanoseconds: its last event
    uint32_t team;     // it is in, or KPX_NONE
    uint32_t barriers; // it has come to in this team
    uint32_t done; // the last activity of the tasks it created and that are complete, or KPX_NONE
    uint32_t collectives;         // it has come to
    STORE_OF(uint32_t) instances; // the collectives it takes part in, in order
} kpx_otf2_location;

// A location group: a process. Its last fork, and who has left the team since.
typedef struct {
    OTF2_LocationGroupRef id;
    OTF2_StringRef name;
    uint32_t fork, forks, construct; // activity; how many; of the region that forked
    ARRAY_OF(uint32_t) left;
} kpx_otf2_process;

typedef struct {
    OTF2_GroupRef group;
} kpx_otf2_communicator;

typedef struct {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    bool global; // members are locations, not ranks
    ARRAY_OF(uint64_t) members;
} kpx_otf2_group;

// A collective that all members of a communicator take part in.
typedef struct {
    uint32_t last,
        root;       // activities before the last one came, and before the root came; or KPX_NONE
    uint32_t older; // of a prefix operation: the arrival that came last, or KPX_NONE
} kpx_otf2_collective;

typedef struct {
    uint32_t rank, activity, older;
} kpx_otf2_arrival;

// Messages of one sender to one receiver with one tag arrive in their order.
typedef struct {
    uint32_t first, last; // that are on their way, or KPX_NONE
    uint64_t owed;        // were received before they were sent: clocks disagree
} kpx_otf2_channel;

typedef struct {
    uint32_t activity, next;
} kpx_otf2_message;

typedef struct {
    uint32_t created, by; // activity; location
    bool begun;
} kpx_otf2_task;

typedef struct {
    kpx_activities *m;
    kpx_lanes lanes;
    char *error;                 // the first one
    char *library;               // what libotf2 said first, or NULL
    uint64_t resolution, offset; // ticks in a second; the first tick
    uint64_t end;                // nanoseconds: the last event
    ARRAY_OF(char *) strings;
    ARRAY_OF(kpx_otf2_region) regions;
    ARRAY_OF(kpx_otf2_location) locations;
    ARRAY_OF(kpx_otf2_process) processes;
    ARRAY_OF(kpx_otf2_communicator) communicators;
    ARRAY_OF(kpx_otf2_group) groups;
    // By the archive's number: places in the arrays above.
    base_map string_of, region_of, location_of, process_of, communicator_of, group_of;
    base_map rank_of; // place of a group and a location: its rank
    base_map ranks;   // a location: its rank of all
    STORE_OF(kpx_otf2_collective) collectives;
    STORE_OF(kpx_otf2_arrival) arrivals;
    base_map collective_of, joined; // communicator and number; communicator and location: how many
    ARRAY_OF(kpx_otf2_channel) channels;
    STORE_OF(kpx_otf2_message) messages;
    uint32_t unused_message; // chain of those that arrived
    base_map channel_of;
    uint32_t teams;
    base_map team_of, barrier_of; // team: its number; team and number of a barrier: who came last
    base_map released;            // lock: activity that ended when it was given back
    ARRAY_OF(kpx_otf2_task) tasks;
    base_map task_of, created, ended; // threads: activities
    uint64_t taken, all, unmatched, unfinished;
} kpx_otf2;

// The first error counts. Always OTF2_CALLBACK_INTERRUPT.
OTF2_CallbackCode kpx_otf2_fail(kpx_otf2 *x, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *kpx_otf2_text(const kpx_otf2 *x, OTF2_StringRef string); // "" if it is not defined

OTF2_GlobalDefReaderCallbacks *kpx_otf2_definition_callbacks(void);
// Places, ranks and constructs of all that was defined. False: x->error.
bool kpx_otf2_define(kpx_otf2 *x);
uint32_t kpx_otf2_rank_in(const kpx_otf2 *x, OTF2_CommRef communicator, OTF2_LocationRef location);
// The rank of all of a rank in a communicator; KPX_NONE: unknown.
uint32_t kpx_otf2_global_rank(const kpx_otf2 *x, OTF2_CommRef communicator, uint32_t rank);
// The region's constructs are made when it is used first. NULL: it is not defined.
const kpx_otf2_region *kpx_otf2_region_of(kpx_otf2 *x, OTF2_RegionRef region);

OTF2_GlobalEvtReaderCallbacks *kpx_otf2_collective_callbacks(void); // of the first reading
OTF2_GlobalEvtReaderCallbacks *kpx_otf2_event_callbacks(void);      // of the second one
void kpx_otf2_end_events(kpx_otf2 *x);

#endif
