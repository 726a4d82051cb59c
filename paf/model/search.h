// SPDX-License-Identifier: MIT
//
// search: looking for a text in the names of a run and in the terms that its goals show. It goes on in slices
// of time, so that a window answers meanwhile, however long the run is.
//
//   "evaluator"   modules, and reductions whose predicate, goal or bindings show the text
//   "Answer"      among them those that bind a variable of that name
//   "#123"        the goal of that number: its reduction, or what it waits for
#ifndef PAF_SEARCH_H
#define PAF_SEARCH_H

#include "paf/model/model.h"

typedef enum { PAF_FOUND_REGION, PAF_FOUND_MODULE, PAF_FOUND_WAITING, PAF_FOUND_REDUCTION } paf_found_kind;

typedef struct {
    paf_found_kind kind;
    uint32_t index; // parallel region, module, group of waiting goals, reduction
} paf_found;

typedef struct {
    const paf_model *model;
    char *text, *folded; // folded: without the difference of capitals
    GArray *found;       // paf_found, in order of time behind those that have none
    uint32_t next;       // the reduction at which it goes on
    GHashTable *names;   // name -> whether it shows the text
    uint8_t *predicates; // whether the name does: 0 not known, 1 no, 2 yes
} paf_search;

// Modules and waiting goals are looked through at once.
paf_search *paf_search_create(const paf_model *m, const char *text);
void paf_search_free(paf_search *s); // NULL: nothing
// For about so long. False: all is looked through.
bool paf_search_continue(paf_search *s, int64_t microseconds);
double paf_search_done(const paf_search *s); // 0..1
// Does the name show the text, whatever the capitals?
bool paf_search_shows(const paf_search *s, const char *name);

#endif
