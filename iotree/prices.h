// SPDX-License-Identifier: MIT
//
// Prices: what the run would take if something were different. Exact on the recorded graph of
// dependencies: all times are computed again, and nothing else changes (merges keep their order, no
// other clause is chosen).
#ifndef IOTREE_PRICES_H
#define IOTREE_PRICES_H

#include "iotree/iotree.h"

// What is changed, each with its argument as the command line has it.
typedef enum {
    IOT_SPEED_UP,  // MODULE=K: what its members cost is divided by K
    IOT_WITHOUT,   // CLASS: its reads wait for nothing
    IOT_TREE,      // PREDICATE: a chain of its goals becomes a tree
    IOT_EVEN,      // PREDICATE: siblings with more work than their mean have the mean
    IOT_UNORDERED, // PREDICATE: its goals do not wait for the ones before
    IOT_WINDOW,    // CLASS=N: a read waits for what the one N - 1 before it waited for
} iot_operation_kind;

typedef struct {
    iot_operation_kind kind;
    const char *argument;
} iot_operation;

typedef enum {
    IOT_PRICED,
    IOT_NOTHING_MATCHES, // the run has no such thing
    IOT_NOT_UNDERSTOOD,  // the argument is not as it must be
    IOT_PRICE_CANCELLED,
} iot_price_status;

typedef struct {
    double span;         // as it ran; on so many processors: as simulated
    double span_without; // not a whole number if costs are divided
    char **said;         // by operation: what was changed, as "10 reads wait for nothing"
    uint32_t nsaid;
} iot_price_answer;

// The span with all operations at once; processors 0: unlimited. Unless it is IOT_PRICED,
// *ret_error (malloc'ed; not set if cancelled) says why, and nothing is to be freed but that.
iot_price_status iot_price(const iot *a, const iot_operation *operations, uint32_t n,
                           uint32_t processors, iot_progress progress, void *data,
                           iot_price_answer *ret,
                           char **ret_error);
void iot_free_price(iot_price_answer *answer);

// Classes of reads that are on the critical path, and the span without each: at most 64 by their
// predicates, the most frequent there, and finer ones (by place, by line) that are not the same
// reads. Most saving first, then most reads.
typedef struct {
    char *name;     // as iot_price() reads it
    uint64_t reads; // of the whole run
    double span_without;
} iot_class;
// Computed when first asked for. False if cancelled.
bool iot_classes(const iot *a, iot_progress progress, void *data, const iot_class **ret,
                 uint32_t *ret_n);

#endif
