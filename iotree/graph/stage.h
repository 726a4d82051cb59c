// SPDX-License-Identifier: MIT
//
// A stage of some work: its share of the progress, as an iot_progress of its own.
#ifndef IOTREE_GRAPH_STAGE_H
#define IOTREE_GRAPH_STAGE_H

#include "iotree/iotree.h"

typedef struct {
    iot_progress progress; // of all work; NULL: nobody is told
    void *data;
    double from, to;
} stage;

// data: a stage. fraction: of the stage.
static inline bool tell_stage(void *data, double fraction)
{
    const stage *s = data;
    return !s->progress || s->progress(s->data, s->from + (s->to - s->from) * fraction);
}

#endif
