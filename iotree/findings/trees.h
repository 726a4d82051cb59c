// SPDX-License-Identifier: MIT
//
// What the files share that find chains which could be trees: processes created one after another
// (creation.c), operations that combine one value after the other (folds.c), lists made item by item
// (list_makers.c), ranges cut unevenly (uneven_parts.c). trees.c joins what belongs together.
#ifndef IOTREE_FINDINGS_TREES_H
#define IOTREE_FINDINGS_TREES_H

#include "iotree/findings/shapes.h"
#include "iotree/findings/steps.h"

enum {
    MOST_LOOPS = 24,  // that are looked at: those with most of the critical path
    MOST_LEVELS = 24, // of a tree
    MOST_MAKERS = 4,  // loops, each of which makes the list that the one before takes
};

// Loops that make lists, the first one that which a loop takes its items from. A list of which no item
// depends on the one before can be made as a tree, with what becomes of its items.
typedef struct {
    loop_study made[MOST_MAKERS];
    uint32_t n;
    uint32_t critical; // steps of the critical path
} list_makers;
// The loop whose steps make the cells of the list that most steps of this loop take; IOT_NONE: none.
uint32_t iot_list_maker(const loops *l, uint32_t loop);
void iot_find_list_makers(const loop_study *s, list_makers *m);
void iot_free_list_makers(list_makers *m);
bool iot_is_own_clause(const loops *l, uint32_t clause); // of the program
// "weights/2 (x.fl:5) makes item by item from the list of accounts/3 (x.fl:3)"; malloc'ed. They are further
// places of the candidate.
char *iot_makers_text(const list_makers *makers, candidate *x);
// Do the goals that the loop creates work for some time? What only computes one item of a list is no
// process: a list of such items is as good as any.
bool iot_creates_processes(const loop_study *s);

// Do enough of the loop's steps create a worker, and is a tree of them worth it? `whole`: nothing but the
// numbers of the steps holds the steps back.
bool iot_steps_create(const loop_study *s, bool whole);
bool iot_creates_one_by_one(const loop_study *s, const list_makers *m);
// The loop takes its items as a vector, which is there when the last one is.
void iot_draft_vector(const loop_study *s, change_draft *d);
// f: the fold that the tree combines, too; NULL: none. makers: of the list that the loop takes, which are in
// the change, too.
void iot_say_creation(const loop_study *s, const fold *f, const list_makers *makers, candidates *c,
                      change_draft *d);

const fold *iot_biggest_fold(const loop_study *s);
// The fold that is worth a tree; NULL: none.
const fold *iot_long_fold(const loop_study *s);
void iot_draft_fold(const loop_study *s, const fold *f, change_draft *d);
// Who takes a list in pairs takes half as many steps.
void iot_draft_pairs(const loop_study *s, change_draft *d);
void iot_say_chain(const loop_study *s, candidates *c, change_draft *d, bool whole);

// A loop that combines the items of a list which another loop makes one by one (listed_folds.c).
void iot_propose_listed(const loop_study *s, candidates *c);
// Of loops whose steps combine by themselves. Returns how many values they combine.
uint64_t iot_draft_accumulations(const loop_study *s, change_draft *d);

// A loop that calls itself for parts of a range of numbers, of which one is much larger than the others.
bool iot_propose_even_parts(const loop_study *s, candidates *c);

#endif
