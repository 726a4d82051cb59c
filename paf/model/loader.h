// SPDX-License-Identifier: MIT
//
// session: an open trace with its analysis, and the work on it that runs beside the window.
//
// Threads: trace and analysis keep caches that change when they are asked, so whoever asks holds
// session->lock. The window takes it for a layout and lets the layout wait when a worker has it;
// a worker holds it while it builds trees or analyses anew. The worker that completes a model does
// not hold it: until it has come the window asks for nothing that it computes (model.h), and an
// analysis that is replaced meanwhile lives until that worker ends.
#ifndef PAF_LOADER_H
#define PAF_LOADER_H

#include "paf/model/model.h"

#include <gio/gio.h>

typedef struct {
    gint references;     // atomic
    unsigned generation; // counts analyses: trees of an older one are of no use
    GMutex lock;
    char *path, *name; // name: without folders
    char *damage;      // what could not be read, or NULL
    trace *t;
    iot *a; // it and the model: NULL of a file that has totals and no history
    paf_model *m;
    char *partition; // as text
    struct paf_job *completing; // the model, or NULL; only the main thread looks
} paf_session;

paf_session *paf_session_ref(paf_session *s);
void paf_session_unref(paf_session *s); // NULL: nothing

// A piece of work under way. Callbacks come in the main thread.
typedef struct paf_job paf_job;

// error: to be shown, NULL if it went well or was cancelled.
typedef void paf_opened(void *data, paf_session *session, const char *error);
typedef void paf_analysed(void *data, bool done, const char *error);
typedef void paf_built(void *data);

// Opens a file and analyses it with the partition (NULL: the default one). session is NULL if
// nothing was readable or it was cancelled; otherwise the receiver owns a reference.
paf_job *paf_job_open(const char *path, const char *partition, paf_opened *opened, void *data);
// Analyses the session with another partition; the session changes just before the callback.
paf_job *paf_job_analyse(paf_session *s, const char *partition, paf_analysed *analysed, void *data);
// Builds trees (wants: paf_want, copied) and gives them to the model.
paf_job *paf_job_build(paf_session *s, const GArray *wants, paf_built *built, void *data);

// Completes the session's model, which must not be under way already. The callback comes once it is
// complete or given up, because there is another analysis or it was cancelled.
paf_job *paf_job_complete(paf_session *s, paf_built *built, void *data);

double paf_job_progress(const paf_job *job); // 0..1
void paf_job_cancel(paf_job *job);           // the callback still comes

// Checks a partition without analysing. NULL if it is right, else what is wrong (g_free).
char *paf_session_check_partition(paf_session *s, const char *text);

#endif
