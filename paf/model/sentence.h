// SPDX-License-Identifier: MIT
//
// sentence: what a run is about, in one line.
#ifndef PAF_SENTENCE_H
#define PAF_SENTENCE_H

#include "paf/model/model.h"

// "evaluator holds 58 % of the critical path of 209 steps; answer waits longest for it; without the server
// at a.fl:70 it would take about 29 % less." Of a model that is not complete only the first part. brief:
// 1 leaves out who waits, 2 says only who holds it, 3 only with what share. g_free().
char *paf_run_sentence(const paf_model *m, iot_clock clock, int brief);

#endif
