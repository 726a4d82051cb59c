// SPDX-License-Identifier: MIT
//
// loader: an open trace with its analysis (a session), and the work on it that runs beside the
// window.
//
// A question to the trace or the analysis changes their caches. Each thread therefore holds
// session->lock while it asks:
//
//   - A worker holds the lock while it builds one tree or makes a new analysis. This may take long.
//   - The main thread never waits for the lock. It puts its questions into a function and passes
//     the function to paf_session_call(). If the lock is free, the function runs at once.
//     Otherwise the call waits in a queue until the worker releases the lock. A worker takes the
//     lock only if no call waits, so the window goes first.
//   - One worker does not hold the lock: it completes a model. Until the model is complete, the
//     window asks for nothing that this worker computes (model.h). If another analysis replaces
//     the worker's, the old one lives until the worker ends.
#ifndef PAF_LOADER_H
#define PAF_LOADER_H

#include "paf/model/model.h"

#include <gio/gio.h>

typedef struct {
    gint references;     // atomic
    unsigned generation; // counts analyses: trees of an older one are of no use
    GMutex lock;
    GQueue calls;      // that wait for the lock, in order; only the main thread looks
    gint has_calls;    // atomic: there are such calls
    GCond no_calls;    // has_calls became 0
    bool calling;      // the main thread has the lock and runs calls
    char *path, *name; // name: without folders
    char *damage;      // what could not be read, or NULL
    trace *t;
    iot *a; // analysis and model are NULL if the file has totals or samples and no history
    paf_model *m;
    char *partition; // as text
    struct paf_job *completing; // completes the model, or NULL; only the main thread looks
    // Questions of pricing.h that workers answer from an analysis, and analyses that the session has
    // left meanwhile, with their models. Only the main thread looks.
    unsigned asked;
    GPtrArray *left;
} paf_session;

paf_session *paf_session_ref(paf_session *s);
void paf_session_unref(paf_session *s); // NULL: nothing

// Between these two calls the analysis that the session has now stays.
void paf_session_begin_question(paf_session *s);
void paf_session_end_question(paf_session *s);

// What the summary of a trace tells of the whole run, which is there at once. NULL: it has none.
typedef struct {
    char *name; // of the file
    trace *t;
    iot *a; // an overview (iotree/overview.h)
    paf_model *m;
} paf_overview;
paf_overview *paf_overview_open(const char *path);
void paf_overview_close(paf_overview *o); // NULL: nothing

// Calls call(data) and then release(data) (NULL: nothing) with the lock held: now, or else as soon
// as no worker has the lock, after the calls that were given before. True: it has been done. Only
// for the main thread.
typedef void paf_call(void *data);
bool paf_session_call(paf_session *s, const void *owner, paf_call *call, void *data,
                      GDestroyNotify release);
// Forgets the calls of an owner that still wait; releases their data.
void paf_session_drop_calls(paf_session *s, const void *owner);

// A piece of work beside the window. Callbacks come in the main thread; a session that existed when
// the job began is locked then.
typedef struct paf_job paf_job;

// error: a text for the user; NULL if it went well or was cancelled.
typedef void paf_opened(void *data, paf_session *session, const char *error);
typedef void paf_analysed(void *data, bool done, const char *error);
typedef void paf_built(void *data);

// Opens a file and analyses it with the partition (NULL: the default one). The session is NULL if
// nothing was readable or the job was cancelled; otherwise the receiver owns a reference.
paf_job *paf_job_open(const char *path, const char *partition, paf_opened *opened, void *data);
// Analyses the session with another partition; the session changes just before the callback.
paf_job *paf_job_analyse(paf_session *s, const char *partition, paf_analysed *analysed, void *data);
// Builds trees (wants: of paf_want, copied) and gives them to the model.
paf_job *paf_job_build(paf_session *s, const GArray *wants, paf_built *built, void *data);

// Completes the session's model; no other job may be doing so. The callback comes once the model is
// complete, or the job has given up because it was cancelled or there is another analysis.
paf_job *paf_job_complete(paf_session *s, paf_built *built, void *data);

// Makes the model's real time (paf_model_make_real), with the lock. The callback comes when it is there
// or there is another analysis.
paf_job *paf_job_make_real(paf_session *s, paf_built *built, void *data);

double paf_job_progress(const paf_job *job); // 0..1
void paf_job_cancel(paf_job *job);           // the callback still comes

// Checks a partition without analysing, within a call. NULL if it is right, else what is wrong
// (g_free).
char *paf_session_check_partition(paf_session *s, const char *text);

#endif
