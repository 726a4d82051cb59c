// SPDX-License-Identifier: MIT
//
// Findings: causes with prices. Each is a place in the program, a mechanism, what the run would take
// without it, and the edit to make. Most saving first.
#ifndef IOTREE_FINDINGS_PUBLIC_H
#define IOTREE_FINDINGS_PUBLIC_H

#include "iotree/iotree.h"

// The mechanisms: `mechanisms.def` says what each is called in JSON.
typedef enum {
#define MECHANISM(id, name, text) FINDING_##id,
#include "iotree/mechanisms.def"
} iot_finding_kind;

typedef struct {
    uint32_t source, line; // trace source; TRACE_NONE and 0 if unknown
    uint32_t predicate;    // IOT_NONE: none
    uint32_t module;       // IOT_NONE: about the whole
} iot_location;

typedef struct {
    iot_finding_kind kind;
    iot_location place;
    const iot_location *also; // other places of the same cause
    uint32_t nalso;
    int64_t span_without; // steps; of a measured run nanoseconds of elapsed time
    double saving;        // 0 to 1, of the span; of a measured run of the elapsed time
    bool estimate;        // not exact on the recorded graph: the text says "about"
    const char *text;     // one or two sentences, with the price
    const char *advice;   // the edit in one line, or ""
    uint32_t reduction;   // where a click goes: a reduction, or IOT_NONE
    uint32_t clause;      // trace index or IOT_NONE
} iot_finding;

// Those that save 5 % and five steps or more, at most five; all: every cause that saves anything.
// The first ones of all are the same.
uint32_t iot_nfindings(const iot *a, bool all);
const iot_finding *iot_get_finding(const iot *a, bool all, uint32_t i);
// "wait": the name in JSON.
const char *iot_mechanism_name(iot_finding_kind kind);

// What a finding is compared with: the span; of a measured run the elapsed time; of one on a busy
// machine what it would have taken with its processors.
int64_t iot_whole(const iot *a);
// Of a measured run: other programs had its processors for a notable time.
bool iot_is_disturbed(const iot *a);

// What the reader must know of the run and what is no cause: how it ended, races, losses.
typedef struct {
    const char *title;
    const char *detail;
    uint32_t module, reduction, clause; // where a click goes; each may be IOT_NONE
} iot_note;
uint32_t iot_nnotes(const iot *a);
const iot_note *iot_get_note(const iot *a, uint32_t i);

// Two of the findings that are shown by default, both removed at once.
typedef struct {
    uint32_t first, second; // indices of findings
    int64_t span_without;
    double saving; // 0 to 1
} iot_together;
uint32_t iot_ntogether(const iot *a);
const iot_together *iot_get_together(const iot *a, uint32_t i);

#endif
