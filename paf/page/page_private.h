// SPDX-License-Identifier: MIT
//
// What the files of this room share: the JSON of a page.
#ifndef PAF_PAGE_PRIVATE_H
#define PAF_PAGE_PRIVATE_H

#include "base/table.h"
#include "paf/page/page.h"
#include "paf/say/numbers.h"

#define PAF_PAGE_FORMAT 1

// A run whose page is being made.
typedef struct {
    paf_model *m;
    const iot *a;
    const trace *t;
    base_map spot_of; // clause and line -> its number in spots
    json_t *spots;    // places in the source, with what happens there
    json_t *remarks;  // what was left out, for readers
    uint32_t *rank;   // of modules: m->rank
} paf_page_maker;

json_t *paf_page_text(const char *text); // control characters and invalid bytes are replaced
json_t *paf_page_take(char *text);       // the same; g_free()
void paf_page_add(json_t *array, int64_t n);
// The number of the spot of a reduction.
uint32_t paf_page_spot(paf_page_maker *p, uint32_t reduction);
void paf_page_remark(paf_page_maker *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

json_t *paf_page_run_json(const paf_page_run *run);
json_t *paf_page_view(paf_page_maker *p, iot_clock clock); // views.c
json_t *paf_page_tables(paf_page_maker *p);                // tables.c
// The trees of the processes that the page shows as boxes; processes.c.
void paf_page_processes(paf_page_maker *p, iot_clock clock, json_t *view);
void paf_page_places(paf_page_maker *p, json_t *view); // places.c

#endif
