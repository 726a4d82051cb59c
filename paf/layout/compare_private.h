// SPDX-License-Identifier: MIT
//
// What the parts of a comparison share.
#ifndef PAF_COMPARE_PRIVATE_H
#define PAF_COMPARE_PRIVATE_H

#include "paf/layout/compare_picture.h"
#include "paf/layout/layout_private.h"

typedef struct {
    const paf_model *const *m;
    const char *const *titles;
    const paf_compare_view *v;
    const paf_theme *theme;
    paf_picture *pic;
    paf_comparison *out;
    bool apart; // one has seconds, the other one steps
    iot_module *modules[2]; // by the clock
    paf_rect table;
} paf_compared;

// The number of the module of this name, or IOT_NONE.
uint32_t paf_compare_find_module(const paf_model *m, const char *name);

uint32_t paf_compare_rows(const paf_compared *c); // of the table
double paf_compare_table_height(uint32_t rows);
void paf_compare_draw_table(const paf_compared *c);

// One sentence: which is faster and by how much; another one: where the critical path changed most, empty if
// nowhere. g_free().
char *paf_compare_verdict(const paf_compared *c);
char *paf_compare_moved(const paf_compared *c);

#endif
