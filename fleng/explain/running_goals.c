// SPDX-License-Identifier: MIT
//
// The goals that ran, or could have, when a run was interrupted.
#include "fleng/explain/run_end.h"

#include "fleng/reader/array.h"
#include "vm/goal.h"

enum {
    SHOWN_ALONE = 20, // as many goals are shown one by one, more in groups
    SHOWN_GROUPS = 40,
};

typedef struct {
    const vm_predicate *predicate;
    vm_origin site;
} group_key;

typedef struct {
    const vm_goal *goal;
    size_t count; // goals of its predicate that were created at the same place
} group;

typedef FL_ARRAY(group) groups;

static groups group_goals(vm_goal **goals, size_t n)
{
    groups found = {0};
    fl_map known = {0};
    for (size_t i = 0; i < n; i++) {
        group_key *key = vm_alloc(sizeof *key);
        *key = (group_key){goals[i]->predicate, goals[i]->site};
        uintptr_t index = n > SHOWN_ALONE ? fl_map_get(&known, (char *)key, sizeof *key) : 0;
        if (index) {
            found.at[index - 1].count++;
            continue;
        }
        FL_PUSH(found, (group){goals[i], 1});
        fl_map_put(&known, (char *)key, sizeof *key, found.n);
    }
    return found;
}

void fl_report_ready(fl_report_context *c, vm_goal **goals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        goals[i] = fl_goal_of_text(c->code, goals[i]);
    groups found = group_goals(goals, n);
    size_t others = 0;
    for (uint32_t i = 0; i < found.n; i++) {
        const group *g = &found.at[i];
        if (i >= SHOWN_GROUPS) {
            others += g->count;
            continue;
        }
        fprintf(c->out, "  runs: %s: %s", fl_place_text(c, g->goal->site), fl_goal_text(c, g->goal));
        if (g->count > 1)
            fprintf(c->out, ", and %zu more goals of %s from there", g->count - 1,
                    fl_predicate_text(g->goal->predicate));
        fputs("\n", c->out);
    }
    if (others > 0)
        fprintf(c->out, "  and %zu more goals run\n", others);
}
