// SPDX-License-Identifier: MIT
//
// place_groups: the places of a timeline by node and by process, as the bridge names them: "rank 3@node7
// thread 1". A group has two members at least, and there are no groups unless there are two.
#ifndef PAF_PLACE_GROUPS_H
#define PAF_PLACE_GROUPS_H

#include "profiler/trace_reader.h"

typedef struct {
    char *name;      // "node7", "rank 3"
    bool node;       // else it is a process
    uint32_t parent; // the node of a process, or TRACE_NONE
    uint32_t first;  // its first place
    uint32_t n;      // its places
    int64_t waited;  // all of them together
} paf_place_group;

typedef struct {
    uint32_t nplaces, ngroups;
    paf_place_group *groups; // a parent comes before what is in it
    uint32_t *group_of;      // by place: the innermost, or TRACE_NONE
    char **names;            // by place: within its groups
    int64_t *waited;         // by place
} paf_place_groups;

// waited (by place) is taken over.
paf_place_groups *paf_place_groups_create(const trace *t, int64_t *waited);
void paf_place_groups_destroy(paf_place_groups *g); // NULL: nothing

// All places, those of a group one after the other: by number, or whatever waited longest first. g_free().
uint32_t *paf_places_in_order(const paf_place_groups *g, bool by_wait);
// The group of that name, or TRACE_NONE.
uint32_t paf_place_group_named(const paf_place_groups *g, const char *name);

#endif
