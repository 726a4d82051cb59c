// SPDX-License-Identifier: MIT
//
// model: what the views need of one analysis. It is prepared once, so that a layout only looks
// things up.
//
//   order      modules, those with the largest share of the critical path first; the order of the
//              cards, of the stack in the chart, and of the sections below it
//   links      every external input whose binding another process made, in order of time
//   pairs      the links by producing and reading module; two binary searches tell which of them
//              a bundle stands for, and how long these were waited for
//   trees      IO-Trees that a view asked for: whole, or (of a long process) around a window
//
// A model is made in two steps, because links take far longer than the rest: paf_model_begin()
// makes what the first picture shows; paf_model_rest(), in any thread, and paf_model_join() add the
// rest. Until then the model is not `complete`: it has no links, and nobody may ask its analysis
// for inputs, outputs, dependencies or findings, which a worker is computing. Views say that these
// are being computed.
//
// Once complete, all of the model is constant except its trees and what its profiles remember. Drawing does
// not build trees: a layout notes the trees that it would like to have (paf_want), somebody builds them
// (paf_tree_build, in any thread), and the model takes them (paf_model_take).
#ifndef PAF_MODEL_H
#define PAF_MODEL_H

#include "iotree/iotree.h"
#include "paf/model/profiles.h"
#include "paf/model/timeline.h"
#include "paf/model/waiting_goals.h"

#include <glib.h>

typedef struct {
    uint32_t process; // the reader
    uint32_t input;   // its index in iot_inputs
} paf_link;

// Every so many links of a pair have the sum of the waits before them.
#define PAF_PAIR_BLOCK 64u

// When the first wait of such a block began, and the last one ended. since > until: nobody waited.
typedef struct {
    int64_t since, until;
} paf_wait_span;

typedef struct {
    uint32_t from, to; // modules
    uint32_t n;
    uint32_t *links;  // in order of the time read
    uint64_t *waited; // waited[i]: of the first i * PAF_PAIR_BLOCK links
    paf_wait_span *spans; // by block
} paf_pair;

// The index of an output (or input) of the process, and the node that it belongs to.
typedef struct {
    uint32_t index, node;
} paf_place;

// The first and the last input and output of a node.
typedef struct {
    int64_t input_from, input_to, output_from, output_to;
} paf_node_times;

typedef struct paf_real_times paf_real_times;

typedef struct {
    uint32_t process;
    int64_t from, to; // the tree is exact for outputs in these steps
    bool whole;       // the window is the whole process
    iot_tree *tree;   // NULL: it is too large to be held and must not be built again
    uint32_t nnodes;
    paf_place *outputs; // sorted by index
    paf_place *inputs;  // sorted by index; a join's input is listed once for each of its nodes
    uint32_t noutputs, ninputs;
    paf_node_times *real; // by node; NULL unless it is of a real run of Fleng
    // Rows of the nodes at one zoom level of one clock (see pack.h).
    int level;
    iot_clock clock;
    uint32_t nrows;
    uint8_t *rows;
} paf_tree;

typedef struct {
    const iot *a;
    const trace *t;
    bool complete; // else the members marked * are empty
    int64_t span;
    uint32_t nmodules;
    uint32_t ncards; // modules that did anything: the first ones by rank
    uint32_t *order; // modules by rank
    uint32_t *rank;  // rank by module
    uint32_t *hue;   // by module (paf_hues_of())
    // * Processes of module m that take or give anything, in order of creation:
    // processes[first_process[m] .. first_process[m + 1]).
    uint32_t *first_process, *processes;
    uint64_t *waits;   // * per module: how long it waited for outputs of others,
    uint64_t *awaited; // *             and others for its outputs
    uint64_t *process_waits; // * per process: how long its goals waited for inputs that others made
    uint32_t nlinks;
    paf_link *links;      // *
    uint32_t *by_binding; // * links in order of the binding they read
    uint32_t npairs;
    paf_pair *pairs;       // * most links first
    paf_waiting_goals *waiting; // * the goals that the run left waiting
    uint64_t *clause_work; // reductions of each clause
    uint32_t *clause_module; // the module of the last of them, or IOT_NONE
    paf_timeline *timeline;  // of a measured run; of a real run of Fleng once it is made; or NULL
    paf_timeline *replayed;  // of a measured run, by the virtual clock; or NULL
    paf_real_times *real;    // of a real run of Fleng, made with its timeline; or NULL
    GHashTable *trees;     // process -> paf_tree *
    paf_profiles *profiles; // remembers what was asked of the analysis
} paf_model;

// A complete model. NULL if progress (which may be NULL) cancels it; the same holds below. The
// analysis must outlive the model.
paf_model *paf_model_create(const iot *a, iot_progress progress, void *data);
// A model with what the first picture needs; it is not complete.
paf_model *paf_model_begin(const iot *a, iot_progress progress, void *data);
// The rest of a model of this analysis. Meanwhile models of it may be used.
paf_model *paf_model_rest(const iot *a, iot_progress progress, void *data);
// Completes m with the rest, which it frees.
void paf_model_join(paf_model *m, paf_model *rest);
void paf_model_destroy(paf_model *m);
// Real time of a real run of Fleng is made when a view asks for it. A measured run has it at once. False:
// the run has none. Whoever calls this has the model for himself.
bool paf_model_make_real(paf_model *m);
bool paf_model_has_real(const paf_model *m); // a view by real time can be drawn now

static inline uint32_t paf_module_of_clause(const paf_model *m, uint32_t clause)
{
    return m->clause_module[clause] == IOT_NONE ? 0 : m->clause_module[clause];
}

const iot_input *paf_link_input(const paf_model *m, uint32_t link);
// The reads of one binding by other processes: by_binding[*ret_first ..].
uint32_t paf_links_of_binding(const paf_model *m, uint32_t binding, uint32_t *ret_first);

// ---------------------------------------------------------------------------------------------
// Trees

// A request for the tree of a process, exact in [from, to].
typedef struct {
    uint32_t process;
    int64_t from, to;
} paf_want;

// The tree of a process if there is one that is exact in [from, to] of the clock; else NULL.
paf_tree *paf_model_tree(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                         int64_t to);
// True if a tree should be built: there is none, it is not known to be too large, and the window
// has few enough outputs to be drawn as boxes. *ret_want is then what to ask for.
bool paf_model_wants(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                     int64_t to, paf_want *ret_want);
paf_tree *paf_tree_build(const paf_model *m, const paf_want *want);
void paf_tree_destroy(paf_tree *tree);
void paf_model_take(paf_model *m, paf_tree *tree); // owns it; replaces an older one

// The node of a held tree that makes the output (index into iot_outputs), or IOT_NONE.
uint32_t paf_tree_node_of_output(const paf_tree *tree, uint32_t output);
// The nodes that need the input: tree->inputs[*ret_first ..].node.
uint32_t paf_tree_nodes_of_input(const paf_tree *tree, uint32_t input, uint32_t *ret_first);
// The node of a held tree in which the reduction gives or reads something; IOT_NONE: in none.
uint32_t paf_tree_node_with(const paf_model *m, const paf_tree *tree, uint32_t reduction);
// The index of the output of a process that is this binding, or IOT_NONE.
uint32_t paf_output_of_binding(const iot *a, uint32_t process, uint32_t binding);
// The rows of places by a clock, or NULL.
static inline const paf_timeline *paf_timeline_by(const paf_model *m, iot_clock clock)
{
    return clock == IOT_REAL_TIME ? m->timeline : m->replayed;
}

#endif
