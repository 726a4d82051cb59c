// SPDX-License-Identifier: MIT
//
// pricing: questions about what the run would take if something were different, answered beside the
// window. A worker answers from the analysis alone and does not hold the session's lock: all that it asks
// for is made once, under locks of the analysis that no view takes (iotree/graph/model.h). The model must
// be complete. Answers come in the main thread.
#ifndef PAF_PRICING_H
#define PAF_PRICING_H

#include "iotree/rerun.h"
#include "paf/model/loader.h"

typedef struct paf_question paf_question;

// What comes of it. Everything may be empty: the question was cancelled, or there is an error.
typedef struct {
    iot_rerun *run;           // of paf_ask_run; the receiver takes it
    const iot_class *classes; // of paf_ask_classes: the analysis's
    uint32_t nclasses;
    const double *spans;      // of paf_ask_speed_up, by machine
    const char *error;        // for the user; NULL if there is none
} paf_answer;
typedef void paf_answered(void *data, const paf_question *question, paf_answer *answer);

// operations are copied, with their texts.
paf_question *paf_ask_run(paf_session *s, const iot_operation *operations, uint32_t n,
                          uint32_t processors, paf_answered *answered, void *data);
paf_question *paf_ask_classes(paf_session *s, paf_answered *answered, void *data);
paf_question *paf_ask_speed_up(paf_session *s, const iot_operation *operations, uint32_t n,
                               const uint32_t *processors, uint32_t nmachines,
                               paf_answered *answered, void *data);
double paf_question_progress(const paf_question *q); // 0..1
void paf_question_cancel(paf_question *q);           // the answer still comes, an empty one

// Frees a run with what is in it; NULL is allowed.
void paf_run_free(iot_rerun *run);

#endif
