// SPDX-License-Identifier: MIT
//
// focus: what a view is about, besides the window of time: a finding, the chain of causes of a reduction,
// one arrow, a pair of modules, or a stretch of time. It says which reductions and links are lit, while
// all else is dimmed. It never changes, except that a chain gets longer when more of it is asked for.
#ifndef PAF_FOCUS_H
#define PAF_FOCUS_H

#include "iotree/findings.h"
#include "paf/model/model.h"
#include "paf/model/stretch_waits.h"

typedef enum {
    PAF_FOCUS_FINDING,
    PAF_FOCUS_CHAIN,
    PAF_FOCUS_ARROW,
    PAF_FOCUS_PAIR,
    PAF_FOCUS_STRETCH,
} paf_focus_kind;

// Part of a chain of causes: reductions of one predicate and process one after the other, each decided when
// the next one could be. A row follows from the row after it.
typedef struct {
    uint32_t reduction, first; // the last one and the first one of them
    uint32_t n;
    uint32_t variable; // that it gave to the row before; TRACE_NONE: it made its goal
    int64_t from, to;  // from when the row after it was reduced until this one was
} paf_chain_row;

// How much of a finding is in a stretch, of 1.
typedef struct {
    uint32_t finding;
    double share;
} paf_share;

typedef struct {
    gint references;
    paf_focus_kind kind;
    const paf_model *model; // that it is of
    iot_clock clock;   // of the times
    uint32_t finding;  // its number among the notes and findings
    int64_t from, to;  // finding: the shortest stretch that holds most of it; stretch
    uint32_t longest;  // finding: the reduction that cost most; or IOT_NONE
    uint32_t count;    // finding: its reductions, on the critical path if any is there
    bool on_path;
    uint8_t *clauses;  // finding: which clauses it is about, by number
    iot_location *places;
    uint32_t nplaces;
    uint32_t asked;     // chain: the reduction that came so late
    GArray *rows;       // chain: paf_chain_row, from the latest on
    GArray *members;    // chain: all reductions of the rows, latest first
    bool ended;         // chain: it is known back to the beginning of the run
    uint32_t link;      // arrow
    uint32_t from_module, to_module; // pair
    GArray *findings;   // stretch: paf_share of those that have a part there
    GArray *waits;      // stretch: paf_waited, the longest first; NULL: the model was not complete
    uint64_t *path_of;  // stretch: steps of the critical path that are there, by module
    uint64_t path_steps; // all of them
    GArray *links;      // pair: those waited for longest, longest first
} paf_focus;

// The place of a note or finding (notes are counted first) in the run. NULL: it has none.
paf_focus *paf_focus_on_finding(const paf_model *m, iot_clock clock, uint32_t finding);
paf_focus *paf_focus_on_chain(const paf_model *m, iot_clock clock, uint32_t reduction);
paf_focus *paf_focus_on_arrow(const paf_model *m, iot_clock clock, uint32_t link);
paf_focus *paf_focus_on_pair(const paf_model *m, iot_clock clock, uint32_t from, uint32_t to);
// findings: whether to look which findings are there.
paf_focus *paf_focus_on_stretch(const paf_model *m, iot_clock clock, int64_t from, int64_t to, bool findings);
// "finding 1", "chain 123", "arrow 45 123" (binding, reader), "pair a > b", "stretch 20 40"; g_free(). And
// the focus of such a text; NULL: there is none in this run.
char *paf_focus_text(const paf_focus *f, const paf_model *m);
paf_focus *paf_focus_of_text(const paf_model *m, iot_clock clock, const char *text);
paf_focus *paf_focus_ref(paf_focus *f);
void paf_focus_unref(paf_focus *f); // NULL: nothing

// Makes the chain go further back, as long as that is done at once.
void paf_focus_extend(const paf_model *m, paf_focus *f);
// The row that the reduction is in, or IOT_NONE.
uint32_t paf_focus_row_of(const paf_focus *f, uint32_t reduction);

// Does it dim what is not lit?
bool paf_focus_dims(const paf_focus *f);
bool paf_focus_lights(const paf_focus *f, const paf_model *m, uint32_t reduction);
// Is the node lit: does a lit reduction read what it needs, or make what it gives?
bool paf_focus_lights_node(const paf_focus *f, const paf_model *m, const paf_tree *tree, uint32_t node);
bool paf_focus_lights_link(const paf_focus *f, const paf_model *m, uint32_t link);

#endif
