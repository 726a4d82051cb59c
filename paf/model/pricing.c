// SPDX-License-Identifier: MIT
//
// Questions for prices and the workers that answer them.
#include "paf/model/pricing.h"

#include <stdlib.h>

typedef enum { ASK_RUN, ASK_CLASSES, ASK_SPEED_UP } question_kind;

struct paf_question {
    question_kind kind;
    gint permille, cancelled; // atomic
    paf_session *session;
    const iot *a;             // the session's when it was asked
    iot_operation *operations;
    uint32_t n, processors, nmachines;
    uint32_t *machines;
    double *spans;
    iot_rerun *run;
    paf_answer answer;
    char *error;
    paf_answered *answered;
    void *data;
};

void paf_run_free(iot_rerun *run)
{
    if (run)
        iot_free_rerun(run);
    g_free(run);
}

static void free_question(paf_question *q)
{
    for (uint32_t i = 0; i < q->n; i++)
        g_free((char *)q->operations[i].argument);
    g_free(q->operations);
    g_free(q->machines);
    g_free(q->spans);
    g_free(q->error);
    paf_run_free(q->answer.run);
    paf_session_end_question(q->session);
    g_free(q);
}

static bool note_progress(void *data, double fraction)
{
    paf_question *q = data;
    g_atomic_int_set(&q->permille, (gint)(fraction * 1000));
    return !g_atomic_int_get(&q->cancelled);
}

// In the worker.
static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    paf_question *q = data;
    char *error = NULL;
    iot_price_status status = IOT_PRICED;
    if (q->kind == ASK_CLASSES) {
        iot_classes(q->a, note_progress, q, &q->answer.classes, &q->answer.nclasses);
    } else if (q->kind == ASK_RUN) {
        q->run = g_new0(iot_rerun, 1);
        status = iot_run_again(q->a, q->operations, q->n, q->processors, note_progress, q, q->run,
                               &error);
    } else {
        status = iot_times_on(q->a, q->operations, q->n, q->machines, q->nmachines, note_progress, q,
                              q->spans, &error);
    }
    if (status != IOT_PRICED && status != IOT_PRICE_CANCELLED)
        q->error = g_strdup(error);
    free(error);
    bool good = status == IOT_PRICED;
    if (q->run && good)
        q->answer.run = q->run;
    else
        g_free(q->run);
    q->answer.spans = good && q->kind == ASK_SPEED_UP ? q->spans : NULL;
    q->answer.error = q->error;
    g_task_return_boolean(task, TRUE);
}

static void finish(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source, (void)result;
    paf_question *q = data;
    if (g_atomic_int_get(&q->cancelled)) {
        paf_run_free(q->answer.run);
        q->answer = (paf_answer){0};
    }
    q->answered(q->data, q, &q->answer);
    free_question(q);
}

static paf_question *ask(question_kind kind, paf_session *s, const iot_operation *operations,
                         uint32_t n, paf_answered *answered, void *data)
{
    paf_question *q = g_new0(paf_question, 1);
    paf_session_begin_question(s);
    *q = (paf_question){.kind = kind, .session = s, .a = s->a, .answered = answered, .data = data};
    q->n = n;
    q->operations = g_new(iot_operation, n);
    for (uint32_t i = 0; i < n; i++)
        q->operations[i] =
            (iot_operation){operations[i].kind, g_strdup(operations[i].argument)};
    return q;
}

static paf_question *start(paf_question *q)
{
    GTask *task = g_task_new(NULL, NULL, finish, q);
    g_task_set_task_data(task, q, NULL);
    g_task_run_in_thread(task, work);
    g_object_unref(task);
    return q;
}

paf_question *paf_ask_run(paf_session *s, const iot_operation *operations, uint32_t n,
                          uint32_t processors, paf_answered *answered, void *data)
{
    paf_question *q = ask(ASK_RUN, s, operations, n, answered, data);
    q->processors = processors;
    return start(q);
}

paf_question *paf_ask_classes(paf_session *s, paf_answered *answered, void *data)
{
    return start(ask(ASK_CLASSES, s, NULL, 0, answered, data));
}

paf_question *paf_ask_speed_up(paf_session *s, const iot_operation *operations, uint32_t n,
                               const uint32_t *processors, uint32_t nmachines,
                               paf_answered *answered, void *data)
{
    paf_question *q = ask(ASK_SPEED_UP, s, operations, n, answered, data);
    q->machines = g_memdup2(processors, nmachines * sizeof *processors);
    q->nmachines = nmachines;
    q->spans = g_new0(double, nmachines);
    return start(q);
}

double paf_question_progress(const paf_question *q)
{
    return g_atomic_int_get(&q->permille) / 1000.0;
}

void paf_question_cancel(paf_question *q)
{
    g_atomic_int_set(&q->cancelled, 1);
}
