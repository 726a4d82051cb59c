// SPDX-License-Identifier: MIT
//
// messages: which rank sent how much to which, and how long that was waited for, in a stretch of a measured
// run or, where there are totals only, in all of it.
#ifndef PAF_MESSAGES_H
#define PAF_MESSAGES_H

#include "paf/model/timeline.h"
#include "profiler/totals.h"

typedef enum {
    PAF_MESSAGES_COUNT,
    PAF_MESSAGES_BYTES,
    PAF_MESSAGES_WAITED,
    PAF_MESSAGE_FIGURES
} paf_message_figure;

// Of more ranks several share a row and a column.
#define PAF_MESSAGE_CELLS 256u

typedef struct paf_messages {
    int64_t from, to;        // the stretch
    bool whole;              // figures are of the whole run
    bool timed;              // waiting is known
    uint32_t nranks, each, n; // n rows of `each` ranks
    int64_t *numbers;        // by row and column: its first rank's
    double *cells[PAF_MESSAGE_FIGURES]; // [sender * n + receiver]; of waiting: the receiver waited
    double most[PAF_MESSAGE_FIGURES], sums[PAF_MESSAGE_FIGURES];
    uint32_t *longest;       // by cell: the reduction of the longest wait, or IOT_NONE; NULL without waiting
} paf_messages;

// Whether a run has messages to show. l, totals: NULL if there is none.
bool paf_has_messages(paf_timeline *l, const trace_totals *totals);
// The timeline keeps it until another stretch is asked for. NULL: it has none.
const paf_messages *paf_messages_within(paf_timeline *l, int64_t from, int64_t to);
paf_messages *paf_messages_of_totals(const trace_totals *totals);
void paf_messages_free(paf_messages *m); // NULL: nothing
void paf_message_log_free(struct paf_message_log *log); // a timeline's; NULL: nothing

#endif
