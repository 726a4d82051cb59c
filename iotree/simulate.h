// SPDX-License-Identifier: MIT
//
// A Fleng run again on P processors, and the outputs that the span depends on.
//
// The machine: at each step up to P of the ready goals reduce, older goals first. A goal is ready
// when its parent and the makers of what its commit read have reduced. What another processor made,
// the goal itself among it, is there `delay` steps later; what `-e` made is everywhere at once. A
// goal goes to the processor that made the latest of what it needs (of several the older maker's)
// if that is free; else, once everything could have come there, to the lowest free processor.
//
// Grain: a goal that costs less than `grain`, with all its descendants, stays on the processor of
// its parent. There such goals come first, before goals that may run anywhere, older goals first;
// so they follow their parent, but none holds the processor while it waits for a value.
//
// What came through a chain of more than 16 aliases counts as made where the latest of it was made.
//
// "Older" is the order of creation in the recorded run. With delay 0 and grain 0 the time T_P obeys
// max(T1 / P, span) <= T_P <= T1 / P + span; one processor takes T1, unlimited ones the span.
#ifndef IOTREE_SIMULATE_H
#define IOTREE_SIMULATE_H

#include "iotree/iotree.h"

#define IOT_UNLIMITED UINT32_MAX

typedef struct {
    uint32_t processors;  // at least 1; or IOT_UNLIMITED
    int64_t delay, grain; // steps; 0: none
} iot_machine;

// One simulated run. Sums over all processors, of unlimited ones over those that did something:
// busy + waiting + idle = processors * span. A processor *waits* while all that its next goal needs
// was made, but is still on its way; a free processor that does not wait is idle.
typedef struct {
    uint32_t processors; // that did something
    int64_t span;        // when the last goal has reduced
    int64_t busy, waiting, idle;
} iot_simulated;

// Where and when each reduction ran: steps [start, start + cost) after the beginning.
typedef struct iot_schedule {
    iot_machine machine;
    iot_simulated sums;
    uint32_t n;       // reductions, the beginning included (place IOT_NONE)
    uint32_t *places; // by reduction: processor from 0
    int64_t *starts;
    int64_t *waited;  // since when the processor waited for it; its start if it did not
    int64_t *costs;   // NULL: a step each
    int64_t unit;     // so many parts of a step are what these times count; 1 for a run as it is
} iot_schedule;

// Its processors; of unlimited ones those that did something.
static inline uint32_t iot_schedule_processors(const iot_schedule *s)
{
    return s->machine.processors == IOT_UNLIMITED ? s->sums.processors : s->machine.processors;
}

static inline int64_t iot_schedule_end(const iot_schedule *s, uint32_t reduction)
{
    return s->starts[reduction] + (s->costs ? s->costs[reduction] : s->unit);
}

// What simulations of one run share. The analysis must outlive it. NULL if cancelled. Not for
// measured runs, whose activities keep their places.
typedef struct iot_simulation iot_simulation;
iot_simulation *iot_simulation_create(const iot *a, iot_progress progress, void *data);
// The run on a machine. ret_schedule may be NULL; else iot_schedule_free() releases what is in it.
// False, and nothing is set, if cancelled.
bool iot_simulation_run(const iot_simulation *s, const iot_machine *m, iot_progress progress,
                        void *data, iot_simulated *ret, iot_schedule *ret_schedule);
void iot_simulation_destroy(iot_simulation *s);
void iot_schedule_free(iot_schedule *s);

// From now on findings and classes are priced on so many processors, at least 1, and compared with
// the time that the run takes there. To be called before the first question for them, not of
// measured runs. False if cancelled.
bool iot_choose_processors(iot *a, uint32_t processors, iot_progress progress, void *data);

// ---------------------------------------------------------------------------------------------
// Slack: how much later something could come without a longer span, with unlimited processors

// Of a binding: its readers, and the readers of what passed it on, wait for it; nothing waits
// beyond the end of the run. At least 0.
int64_t iot_slack(const iot *a, uint32_t binding);

// The outputs that one body goal or `=` of the program made, in processes of one module.
typedef struct {
    uint32_t module;
    uint32_t clause, item;     // that made them; of a built-in its own clause
    uint32_t source, line;     // TRACE_NONE and 0 if unknown
    uint32_t binding;          // the first of those with the least slack
    uint32_t outputs, critical; // how many; how many have no slack
    int64_t slack;             // the least
    // What is left of the span if nobody had to wait for them: so much hastening them brings at
    // most.
    int64_t span_without;
    bool priced; // else too many places were on the critical path, and span_without is the span
} iot_hasten;

#define IOT_MOST_HASTENED 32u // places that are priced: those with the most bindings on the path

// Most saving first, then least slack. Not for measured runs, which have none.
uint32_t iot_nhasten(const iot *a);
const iot_hasten *iot_get_hasten(const iot *a, uint32_t i);
// Finds all of it now; the functions above do if nobody did. False: cancelled.
bool iot_find_slack(const iot *a, iot_progress progress, void *data);

#endif
