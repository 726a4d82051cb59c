// SPDX-License-Identifier: MIT
//
// Sessions, calls that wait for them, and jobs.
#include "paf/model/loader.h"

#include "base/output.h"
#include "iotree/overview.h"
#include "paf/model/report_file.h"
#include "profiler/profile.h"

#include <stdlib.h>
#include <string.h>

struct paf_job {
    gint permille;        // atomic: progress
    gint cancelled;       // atomic
    double from, to;      // the part of the whole that the present stage is
    paf_session *session; // a reference, but for one that is being opened
    unsigned generation;  // of the session when the job began
    char *path, *partition, *error;
    GArray *wants;
    GPtrArray *trees; // built, not yet taken
    iot *a;           // made by a new analysis, not yet the session's; one that the session left
    paf_model *m;     // to the job that completes it
    const iot *completed;
    paf_model *rest;
    char *text;
    paf_opened *opened;
    paf_analysed *analysed;
    paf_built *built;
    void *data;
};

paf_session *paf_session_ref(paf_session *s)
{
    g_atomic_int_inc(&s->references);
    return s;
}

typedef struct {
    iot *a;
    paf_model *m;
} left_analysis;

static void free_left(gpointer data)
{
    left_analysis *l = data;
    paf_model_destroy(l->m);
    iot_destroy(l->a);
    g_free(l);
}

static void leave_analysis(paf_session *s)
{
    left_analysis *l = g_new(left_analysis, 1);
    *l = (left_analysis){s->a, s->m};
    if (!s->left)
        s->left = g_ptr_array_new_with_free_func(free_left);
    g_ptr_array_add(s->left, l);
}

void paf_session_begin_question(paf_session *s)
{
    paf_session_ref(s);
    s->asked++;
}

void paf_session_end_question(paf_session *s)
{
    if (--s->asked == 0)
        g_clear_pointer(&s->left, g_ptr_array_unref);
    paf_session_unref(s);
}

void paf_session_unref(paf_session *s)
{
    if (!s || !g_atomic_int_dec_and_test(&s->references))
        return;
    g_clear_pointer(&s->left, g_ptr_array_unref);
    paf_model_destroy(s->m);
    iot_destroy(s->a);
    if (s->t)
        trace_close(s->t);
    g_mutex_clear(&s->lock);
    g_cond_clear(&s->no_calls);
    g_free(s->path);
    g_free(s->name);
    g_free(s->damage);
    g_free(s->partition);
    g_free(s);
}

paf_overview *paf_overview_open(const char *path)
{
    trace *t = trace_open_head(path);
    iot *a = t ? iot_overview(t) : NULL;
    if (!a) {
        trace_close(t);
        return NULL;
    }
    paf_overview *o = g_new0(paf_overview, 1);
    *o = (paf_overview){g_path_get_basename(path), t, a, paf_model_begin(a, NULL, NULL)};
    return o;
}

void paf_overview_close(paf_overview *o)
{
    if (!o)
        return;
    paf_model_destroy(o->m);
    iot_destroy(o->a);
    trace_close(o->t);
    g_free(o->name);
    g_free(o);
}

// ---------------------------------------------------------------------------------------------
// Calls. A call that waits holds a reference to the session by the source that looks for the lock.

#define LOOK_AGAIN 8 // milliseconds

typedef struct {
    const void *owner;
    paf_call *call;
    void *data;
    GDestroyNotify release;
} waiting_call;

static void release_call(waiting_call *c)
{
    if (c->release)
        c->release(c->data);
    g_free(c);
}

// Calls may add others, which are run as well. Afterwards workers go on.
static bool run_calls(paf_session *s)
{
    if (!g_mutex_trylock(&s->lock))
        return false;
    s->calling = true;
    for (waiting_call *c; (c = g_queue_pop_head(&s->calls));) {
        c->call(c->data);
        release_call(c);
    }
    s->calling = false;
    g_atomic_int_set(&s->has_calls, 0);
    g_cond_broadcast(&s->no_calls);
    g_mutex_unlock(&s->lock);
    return true;
}

static gboolean on_look(gpointer data)
{
    if (!run_calls(data))
        return G_SOURCE_CONTINUE;
    paf_session_unref(data);
    return G_SOURCE_REMOVE;
}

bool paf_session_call(paf_session *s, const void *owner, paf_call *call, void *data,
                      GDestroyNotify release)
{
    waiting_call *c = g_new(waiting_call, 1);
    *c = (waiting_call){owner, call, data, release};
    g_queue_push_tail(&s->calls, c);
    if (s->calling || g_atomic_int_get(&s->has_calls))
        return false; // its turn comes
    paf_session_ref(s);
    bool done = run_calls(s);
    if (done) {
        paf_session_unref(s);
    } else {
        g_atomic_int_set(&s->has_calls, 1);
        g_timeout_add(LOOK_AGAIN, on_look, s);
    }
    return done;
}

void paf_session_drop_calls(paf_session *s, const void *owner)
{
    for (GList *l = s->calls.head, *next; l; l = next) {
        waiting_call *c = l->data;
        next = l->next;
        if (c->owner != owner)
            continue;
        g_queue_delete_link(&s->calls, l);
        release_call(c);
    }
}

// For workers: the lock, once no call waits for it.
static void lock_behind_calls(paf_session *s)
{
    g_mutex_lock(&s->lock);
    while (g_atomic_int_get(&s->has_calls))
        g_cond_wait(&s->no_calls, &s->lock);
}

// ---------------------------------------------------------------------------------------------
// Jobs

static void free_job(paf_job *job)
{
    g_free(job->path);
    g_free(job->partition);
    g_free(job->error);
    g_free(job->text);
    if (job->wants)
        g_array_unref(job->wants);
    if (job->trees)
        g_ptr_array_unref(job->trees); // those not taken
    paf_model_destroy(job->rest);
    paf_model_destroy(job->m);
    iot_destroy(job->a);
    g_free(job);
}

// ---------------------------------------------------------------------------------------------
// In the worker

static bool note_fraction(void *data, double fraction)
{
    paf_job *job = data;
    double whole = job->from + (job->to - job->from) * fraction;
    g_atomic_int_set(&job->permille, (gint)(whole * 1000));
    return !g_atomic_int_get(&job->cancelled);
}

static bool note_bytes(void *data, uint64_t done, uint64_t total)
{
    return note_fraction(data, total ? (double)done / (double)total : 1);
}

static void enter_stage(paf_job *job, double from, double to)
{
    job->from = from;
    job->to = to;
}

// strdup'ed text of the libraries as one of GLib's.
static char *adopt(char *text)
{
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

// Analysis and model of a trace into job->a, job->m, and the partition's text into job->text.
static bool analyse(paf_job *job, const trace *t)
{
    char *error = NULL;
    iot_partition *p =
        job->partition ? iot_partition_parse(t, job->partition, &error) : iot_partition_default(t);
    if (!p) {
        job->error = error ? adopt(error) : g_strdup("The partition cannot be read.");
        return false;
    }
    job->text = adopt(iot_partition_text(t, p));
    job->a = iot_analyse(t, p, note_fraction, job);
    iot_partition_destroy(p);
    if (!job->a)
        return false;
    enter_stage(job, job->to, 1);
    job->m = paf_model_begin(job->a, note_fraction, job);
    return job->m != NULL;
}

static void install(paf_job *job, paf_session *s)
{
    if (s->completing) { // it needs the analysis until it ends, which is soon now
        paf_job_cancel(s->completing);
        s->completing->a = s->a;
        s->completing->m = s->m;
        s->completing = NULL;
    } else if (s->asked) {
        leave_analysis(s);
    } else {
        paf_model_destroy(s->m);
        iot_destroy(s->a);
    }
    g_free(s->partition);
    s->a = job->a;
    s->m = job->m;
    s->partition = job->text;
    s->generation++;
    job->a = NULL;
    job->m = NULL;
    job->text = NULL;
}

static void run_open(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    paf_job *job = data;
    paf_session *s = g_new0(paf_session, 1);
    s->references = 1;
    g_mutex_init(&s->lock);
    g_cond_init(&s->no_calls);
    g_queue_init(&s->calls);
    s->path = g_strdup(job->path);
    s->name = g_path_get_basename(job->path);
    char *error = NULL;
    enter_stage(job, 0, 0.35);
    base_output_protect(job->path, "it is read");
    s->t = paf_trace_open(job->path, note_bytes, job, NULL, &error);
    if (s->t && error)
        s->damage = adopt(error);
    else if (error)
        job->error = adopt(error);
    enter_stage(job, 0.35, 0.8);
    if (s->t && trace_get_profile(s->t))
        job->error = g_strdup_printf("%s is a profile: figures by module, without a history to "
                                     "show. `paf report %s` tells them.",
                                     s->name, s->name);
    else if (s->t && trace_nreductions(s->t) == 0)
        job->session = s; // totals or samples alone
    else if (s->t && !g_atomic_int_get(&job->cancelled) && analyse(job, s->t)) {
        install(job, s);
        job->session = s;
    }
    if (!job->session) {
        if (!job->error && !g_atomic_int_get(&job->cancelled))
            job->error = g_strdup_printf("%s cannot be read.", s->name);
        paf_session_unref(s);
    }
    g_task_return_boolean(task, TRUE);
}

static void run_analyse(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    paf_job *job = data;
    enter_stage(job, 0, 0.7);
    lock_behind_calls(job->session);
    bool done = analyse(job, job->session->t);
    g_mutex_unlock(&job->session->lock);
    g_task_return_boolean(task, done);
}

static void free_tree(gpointer tree)
{
    paf_tree_destroy(tree);
}

static void run_build(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    paf_job *job = data;
    for (guint i = 0; i < job->wants->len && !g_atomic_int_get(&job->cancelled); i++) {
        // Let go between trees, so that the window may draw and answer.
        lock_behind_calls(job->session);
        if (job->session->generation == job->generation)
            g_ptr_array_add(job->trees, paf_tree_build(job->session->m,
                                                       &g_array_index(job->wants, paf_want, i)));
        g_mutex_unlock(&job->session->lock);
    }
    g_task_return_boolean(task, TRUE);
}

static void run_make_real(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    paf_job *job = data;
    lock_behind_calls(job->session);
    if (job->session->generation == job->generation)
        paf_model_make_real(job->session->m);
    g_mutex_unlock(&job->session->lock);
    g_task_return_boolean(task, TRUE);
}

static void run_complete(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    (void)source, (void)cancellable;
    paf_job *job = data;
    enter_stage(job, 0, 1);
    job->rest = paf_model_rest(job->completed, note_fraction, job);
    g_task_return_boolean(task, TRUE);
}

// ---------------------------------------------------------------------------------------------
// In the main thread

static void finish_open(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source, (void)result;
    paf_job *job = data;
    job->opened(job->data, job->session, job->error);
    free_job(job);
}

// With the lock, as are the next two.
static void end_analyse(void *data)
{
    paf_job *job = data;
    bool done = job->m && !g_atomic_int_get(&job->cancelled);
    if (done)
        install(job, job->session);
    job->analysed(job->data, done, job->error);
}

static void end_build(void *data)
{
    paf_job *job = data;
    bool current = job->session->generation == job->generation;
    for (guint i = 0; i < job->trees->len && current; i++) {
        paf_model_take(job->session->m, job->trees->pdata[i]);
        job->trees->pdata[i] = NULL;
    }
    job->built(job->data);
}

static void end_complete(void *data)
{
    paf_job *job = data;
    paf_session *s = job->session;
    bool current = s->completing == job;
    if (current && job->rest) {
        paf_model_join(s->m, job->rest);
        job->rest = NULL;
    }
    if (current)
        s->completing = NULL;
    job->built(job->data);
}

static void release_job(gpointer data)
{
    paf_job *job = data;
    paf_session *s = job->session;
    free_job(job);
    paf_session_unref(s);
}

static void finish_analyse(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source, (void)result;
    paf_job *job = data;
    paf_session_call(job->session, job, end_analyse, job, release_job);
}

static void finish_build(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source, (void)result;
    paf_job *job = data;
    paf_session_call(job->session, job, end_build, job, release_job);
}

static void end_make_real(void *data)
{
    paf_job *job = data;
    job->built(job->data);
}

static void finish_make_real(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source, (void)result;
    paf_job *job = data;
    paf_session_call(job->session, job, end_make_real, job, release_job);
}

static void finish_complete(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source, (void)result;
    paf_job *job = data;
    paf_session_call(job->session, job, end_complete, job, release_job);
}

static paf_job *start(paf_job *job, GAsyncReadyCallback finish, GTaskThreadFunc run)
{
    GTask *task = g_task_new(NULL, NULL, finish, job);
    g_task_set_task_data(task, job, NULL);
    g_task_run_in_thread(task, run);
    g_object_unref(task);
    return job;
}

paf_job *paf_job_open(const char *path, const char *partition, paf_opened *opened, void *data)
{
    paf_job *job = g_new0(paf_job, 1);
    job->path = g_strdup(path);
    job->partition = g_strdup(partition);
    job->opened = opened;
    job->data = data;
    return start(job, finish_open, run_open);
}

paf_job *paf_job_analyse(paf_session *s, const char *partition, paf_analysed *analysed, void *data)
{
    paf_job *job = g_new0(paf_job, 1);
    job->session = paf_session_ref(s);
    job->partition = g_strdup(partition);
    job->analysed = analysed;
    job->data = data;
    return start(job, finish_analyse, run_analyse);
}

paf_job *paf_job_build(paf_session *s, const GArray *wants, paf_built *built, void *data)
{
    paf_job *job = g_new0(paf_job, 1);
    job->session = paf_session_ref(s);
    job->generation = s->generation;
    job->wants = g_array_copy((GArray *)wants);
    job->trees = g_ptr_array_new_with_free_func(free_tree);
    job->built = built;
    job->data = data;
    return start(job, finish_build, run_build);
}

paf_job *paf_job_complete(paf_session *s, paf_built *built, void *data)
{
    paf_job *job = g_new0(paf_job, 1);
    job->session = paf_session_ref(s);
    job->completed = s->a;
    job->built = built;
    job->data = data;
    s->completing = job;
    return start(job, finish_complete, run_complete);
}

paf_job *paf_job_make_real(paf_session *s, paf_built *built, void *data)
{
    paf_job *job = g_new0(paf_job, 1);
    job->session = paf_session_ref(s);
    job->generation = s->generation;
    job->built = built;
    job->data = data;
    return start(job, finish_make_real, run_make_real);
}

double paf_job_progress(const paf_job *job)
{
    return g_atomic_int_get(&job->permille) / 1000.0;
}

void paf_job_cancel(paf_job *job)
{
    g_atomic_int_set(&job->cancelled, 1);
}

char *paf_session_check_partition(paf_session *s, const char *text)
{
    char *error = NULL;
    iot_partition *p = iot_partition_parse(s->t, text, &error);
    iot_partition_destroy(p);
    if (p)
        return NULL;
    return error ? adopt(error) : g_strdup("The partition cannot be read.");
}
