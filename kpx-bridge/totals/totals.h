// SPDX-License-Identifier: MIT
//
// Totals (a flat profile): how often units (program, subroutines, functions), DO loops, I/O
// statements and calls of MPI were executed, and how long, by process. Recorders fill them, reports
// (@@k_tool.f66, @@m_tool.f66) are read into them and written from them, and a trace holds them.
//
//   node     where something was measured: a process (a rank of MPI) or one of its threads
//   item     what was measured: a place in the program
//   measure  one item at one node
//
// A number that was not observed is KPX_UNOBSERVED, never 0: 0 says that it was observed and there
// was nothing. An example is the time of a DO loop that was counted and not timed; that time is
// part of the enclosing item.
//
// Own times add up: at any moment the clock of a node runs for one unit and, within it, for at most
// one loop, statement or call. So with all of a unit's items
//     own time of the unit = own times of its loops + of its I/O + of its MPI calls + the rest
//     inclusive time of the unit = its own time + inclusive times of the units that it calls
// and of a loop
//     inclusive time = its own time + the time of everything within (inner loops, I/O, MPI, units).
#ifndef KPX_TOTALS_H
#define KPX_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "profiler/totals.h"

#define KPX_UNOBSERVED INT64_C(-1)
#define KPX_NO_ITEM    UINT32_MAX // no unit, no source, no node

typedef enum { KPX_UNIT, KPX_LOOP, KPX_IO, KPX_CALL, KPX_ITEM_KINDS } kpx_item_kind;

// Figures that a report gives though they follow from others. They are kept because they were made
// from times that were exact, while the report's are rounded; recorders leave them out.
// KPX_UNOBSERVED: none.
typedef struct {
    int64_t share;   // of the table's total, in 1/1000 %
    int64_t mean;    // KPX_CALL: over the nodes, nanoseconds
    int64_t average; // KPX_CALL: the same in the table of averages
} kpx_reported;

typedef struct {
    kpx_item_kind kind;
    const char *name;  // UNIT: its name. CALL: the routine (`MPI_Send`). IO: name of the file that
                       // was read or written. LOOP: NULL. Any may be NULL: not known
    const char *type;  // UNIT: `program`, `subroutine`, `function`. IO: `read`, `write`, `open` ...
                       // CALL: `Subroutine`, `Function`. LOOP: NULL. NULL: not known
    const char *label; // LOOP: statement label, NULL: none. IO: the unit as the source has it where
                       // it is no number (`*`, a variable). Else NULL
    uint32_t unit;     // LOOP, IO, CALL: the item of the unit it stands in, or KPX_NO_ITEM
    uint32_t file;     // source, or KPX_NO_ITEM
    uint32_t line;     // 0: not known
    uint32_t seq;      // LOOP, IO, CALL: from 1 in order of the text, within the unit. 0: not known
    int64_t number;    // IO: logical unit, or KPX_UNOBSERVED. CALL: place among all calls, from 1
    int definite;      // LOOP: 1: the number of iterations is known when the loop begins; 0: the
                       // loop may be left by GOTO, RETURN, STOP; -1: not known
    kpx_reported reported;
} kpx_item;

typedef struct {
    int64_t times;     // how often it was executed (a loop: begun)
    int64_t time;      // own time, nanoseconds
    int64_t inclusive; // with what ran within, nanoseconds
    int64_t rotation;  // LOOP: iterations of all executions
    int64_t bytes;     // IO, CALL: read, written or sent
} kpx_measure;

typedef struct {
    int64_t rank;     // of MPI, or KPX_UNOBSERVED
    int64_t pid;      // or KPX_UNOBSERVED
    int64_t thread;   // from 0, or KPX_UNOBSERVED: the whole process
    int64_t elapsed;  // nanoseconds from its begin to its end
    int64_t overhead; // a report's total of all calls at this node, or KPX_UNOBSERVED: their sum
} kpx_node;

// Messages from one node to another.
typedef struct {
    uint32_t from, to;
    int64_t messages, bytes;
} kpx_traffic;

// What was read or written: a file that a logical unit was connected to, or a unit whose file is
// not known.
typedef struct {
    const char *name;  // NULL: not known, or none
    const char *label; // the unit where it is no number, as in kpx_item
    int64_t number;    // or KPX_UNOBSERVED
    int64_t share;     // as a report gives it: 1/1000 %
} kpx_data_file;

typedef struct kpx_totals kpx_totals;

typedef enum { KPX_CLOCK_ELAPSED, KPX_CLOCK_CPU, KPX_CLOCK_UNKNOWN } kpx_totals_clock;

kpx_totals *kpx_totals_create(const char *program, kpx_totals_clock clock);
void kpx_totals_destroy(kpx_totals *t); // NULL is accepted

// Says that items of the kind were looked for: without one there were none. kpx_totals_measure() of
// one says it, too.
void kpx_totals_observe(kpx_totals *t, kpx_item_kind kind);

// Indices count from 0 in order of the calls. Texts are copied.
uint32_t kpx_totals_add_node(kpx_totals *t, const kpx_node *node);
// The same path gives the same index. KPX_NO_ITEM for NULL. The file is read when a trace is
// written, if it is there; reports name it without its folder.
uint32_t kpx_totals_file(kpx_totals *t, const char *path);
uint32_t kpx_totals_add_file(kpx_totals *t, const char *path); // always another one

// An item with nothing known but its kind, to be filled in.
kpx_item kpx_item_of(kpx_item_kind kind);
// The item that agrees in everything but `reported`, a new one if there is none.
uint32_t kpx_totals_item(kpx_totals *t, const kpx_item *item);
uint32_t kpx_totals_add_item(kpx_totals *t, const kpx_item *item); // always another one

// To be filled in; everything is KPX_UNOBSERVED at first. Valid until the next call.
kpx_measure *kpx_totals_measure(kpx_totals *t, uint32_t item, uint32_t node);

// A file, and what all statements took that read or wrote it: to be filled in as above. Texts are
// copied.
uint32_t kpx_totals_add_data_file(kpx_totals *t, const kpx_data_file *file);
kpx_measure *kpx_totals_data_measure(kpx_totals *t, uint32_t file, uint32_t node);
// Adds the files of all statements with their sums, if there are no files yet. After the last item.
void kpx_totals_sum_data_files(kpx_totals *t);
void kpx_totals_report_data_total(kpx_totals *t, int64_t nanoseconds); // as below, of all files

// Adds to the pair's messages. A pair without messages has 0 of them after
// kpx_totals_observe_messages was called; otherwise it is not observed.
void kpx_totals_observe_messages(kpx_totals *t);
void kpx_totals_message(kpx_totals *t, uint32_t from, uint32_t to, int64_t messages, int64_t bytes);

// What a report gives as the sum of a table (CALL: mean of the nodes' overheads), or
// KPX_UNOBSERVED.
void kpx_totals_report_total(kpx_totals *t, kpx_item_kind kind, int64_t nanoseconds);

// Writes totals into a trace. sources: by file, its source in the trace.
void kpx_put_totals(tw *w, const kpx_totals *t, const uint32_t *sources);
// The totals of a trace, or NULL if it has none. by_process: the threads of a process are added up.
kpx_totals *kpx_totals_of_trace(const trace *t, bool by_process);

// Adds an observed number; a sum that would be too large becomes the largest number.
void kpx_add_amount(int64_t *sum, int64_t number);

// ---- Asking -----------------------------------------------------------------------------

const char *kpx_totals_program(const kpx_totals *t);
kpx_totals_clock kpx_totals_get_clock(const kpx_totals *t);
uint32_t kpx_totals_nnodes(const kpx_totals *t);
uint32_t kpx_totals_nfiles(const kpx_totals *t);
uint32_t kpx_totals_nitems(const kpx_totals *t);
uint32_t kpx_totals_ntraffic(const kpx_totals *t);
const kpx_node *kpx_totals_get_node(const kpx_totals *t, uint32_t node);
const char *kpx_totals_get_file(const kpx_totals *t, uint32_t file);
const kpx_item *kpx_totals_get_item(const kpx_totals *t, uint32_t item);
kpx_measure kpx_totals_get(const kpx_totals *t, uint32_t item, uint32_t node);
// The sum over all nodes that observed it; KPX_UNOBSERVED if no node did.
kpx_measure kpx_totals_sum(const kpx_totals *t, uint32_t item);
uint32_t kpx_totals_ndata_files(const kpx_totals *t);
const kpx_data_file *kpx_totals_get_data_file(const kpx_totals *t, uint32_t file);
kpx_measure kpx_totals_get_data(const kpx_totals *t, uint32_t file, uint32_t node);
int64_t kpx_totals_reported_data_total(const kpx_totals *t);
const kpx_traffic *kpx_totals_get_traffic(const kpx_totals *t, uint32_t i);
uint32_t kpx_totals_find_unit(const kpx_totals *t, const char *name); // the first, or KPX_NO_ITEM
bool kpx_totals_observed(const kpx_totals *t, kpx_item_kind kind);
bool kpx_totals_messages_observed(const kpx_totals *t);
int64_t kpx_totals_reported_total(const kpx_totals *t, kpx_item_kind kind); // or KPX_UNOBSERVED

#endif
