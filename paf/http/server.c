// SPDX-License-Identifier: MIT
#include "paf/http/server.h"

#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/utf8.h"

enum {
    MOST_CONNECTIONS = 500,
    MOST_WAITING = 300,         // requests in a queue
    SECONDS_OF_SILENCE = 30,    // of a client that asks nothing or takes nothing
    BYTES_A_CONNECTION = 65536, // of memory, which bounds headers and addresses
};

// Nothing from elsewhere, nothing that stands in the page itself, nothing around the page.
static const char usual_policy[] =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'";

typedef struct waiting {
    http_request r; // first: http_is_abandoned() gets this one
    server *of;
    struct MHD_Connection *connection;
    int socket;
    bool head, answered;
    ARRAY_OF(http_parameter) parameters;
    http_answer answer;
    struct waiting *next;
} waiting;

typedef struct {
    waiting *first, **end;
    size_t n;
    pthread_cond_t some;
} queue;

typedef struct {
    server *of;
    queue *from;
    pthread_t thread;
} worker;

struct server {
    guard *g;
    http_service service;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    queue quick, slow;
    worker *workers;
    unsigned nworkers;
    _Atomic bool ending;
};

const char *http_value(const http_request *r, const char *name)
{
    for (size_t i = 0; i < r->nparameters; i++)
        if (!strcmp(r->parameters[i].name, name))
            return r->parameters[i].value;
    return NULL;
}

bool http_is_abandoned(const http_request *r)
{
    const waiting *w = (const waiting *)r;
    struct pollfd client = {.fd = w->socket, .events = POLLRDHUP};
    return atomic_load(&w->of->ending) ||
           (poll(&client, 1, 0) > 0 && (client.revents & (POLLRDHUP | POLLHUP | POLLERR)));
}

// ---------------------------------------------------------------------------------------------
// Workers

static void queue_begin(queue *q)
{
    q->first = NULL;
    q->end = &q->first;
    pthread_cond_init(&q->some, NULL);
}

// The next request, or NULL when the server ends.
static waiting *take(server *s, queue *q)
{
    pthread_mutex_lock(&s->lock);
    while (!q->first && !atomic_load(&s->ending))
        pthread_cond_wait(&q->some, &s->lock);
    waiting *w = q->first;
    if (w) {
        q->first = w->next;
        q->n--;
        if (!q->first)
            q->end = &q->first;
    }
    pthread_mutex_unlock(&s->lock);
    return w;
}

static void plain(http_answer *a, int status, const char *text)
{
    a->status = status;
    a->type = "text/plain; charset=utf-8";
    a->text.n = 0;
    text_add_string(&a->text, text);
}

static void *work(void *data)
{
    worker *me = data;
    server *s = me->of;
    void *own = s->service.begin ? s->service.begin(s->service.data) : NULL;
    for (waiting *w; (w = take(s, me->from));) {
        if (http_is_abandoned(&w->r))
            plain(&w->answer, 503, "nobody waits for this any more\n");
        else
            s->service.answer(own, &w->r, &w->answer);
        w->answered = true;
        MHD_resume_connection(w->connection);
    }
    if (s->service.end)
        s->service.end(own);
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Requests

static enum MHD_Result add_parameter(void *data, enum MHD_ValueKind kind, const char *name,
                                     size_t name_size, const char *value, size_t value_size)
{
    waiting *w = data;
    (void)kind;
    const char *text = value ? value : "";
    bool good = strlen(name) == name_size && (!value || strlen(value) == value_size) &&
                utf8_valid(name, name_size) && utf8_valid(text, strlen(text));
    if (good)
        ARRAY_PUSH(w->parameters, ((http_parameter){name, text}));
    else
        plain(&w->answer, 400, "the address has bytes that are no text\n");
    return good ? MHD_YES : MHD_NO;
}

static enum MHD_Result send_answer(waiting *w)
{
    http_answer *a = &w->answer;
    size_t n = a->text.n;
    struct MHD_Response *r =
        MHD_create_response_from_buffer(n, text_finish(&a->text), MHD_RESPMEM_MUST_FREE);
    a->text = (base_text){0};
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", a->type ? a->type : "text/html; charset=utf-8");
    MHD_add_response_header(r, "Content-Security-Policy", a->policy ? a->policy : usual_policy);
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-Frame-Options", "DENY");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(r, "Cache-Control", a->stays ? "private, max-age=3600" : "no-store");
    if (a->location)
        MHD_add_response_header(r, "Location", a->location);
    if (a->status == 405)
        MHD_add_response_header(r, "Allow", "GET, HEAD");
    enum MHD_Result good = MHD_queue_response(w->connection, (unsigned)(a->status ? a->status : 200), r);
    MHD_destroy_response(r);
    return good;
}

// Whether the request is one that may be answered at all; if not, says why.
static bool admit(waiting *w, const char *url, const char *method)
{
    server *s = w->of;
    const char *length = MHD_lookup_connection_value(w->connection, MHD_HEADER_KIND, "Content-Length");
    bool bare = false;
    w->head = !strcmp(method, "HEAD");
    w->r.path = guard_path(s->g, url, &bare);
    if (!guard_knows_host(s->g, MHD_lookup_connection_value(w->connection, MHD_HEADER_KIND, "Host")))
        plain(&w->answer, 403, "this server does not have the name that was asked for\n");
    else if (!w->r.path)
        plain(&w->answer, 403, "the address lacks its token: take it from where `paf serve` was started\n");
    else if (!w->head && strcmp(method, "GET"))
        plain(&w->answer, 405, "this server can only be read\n");
    else if ((length && strcmp(length, "0")) ||
             MHD_lookup_connection_value(w->connection, MHD_HEADER_KIND, "Transfer-Encoding"))
        plain(&w->answer, 400, "a question has no body\n");
    else if (bare) {
        plain(&w->answer, 301, "");
        w->answer.location = base_format("/%s/", s->g->token);
    } else
        MHD_get_connection_values_n(w->connection, MHD_GET_ARGUMENT_KIND, add_parameter, w);
    return !w->answer.status;
}

// Gives it to the workers; false: there are too many.
static bool enqueue(waiting *w)
{
    server *s = w->of;
    queue *q = s->service.is_long && s->service.is_long(&w->r) ? &s->slow : &s->quick;
    pthread_mutex_lock(&s->lock);
    bool room = q->n < MOST_WAITING && !atomic_load(&s->ending);
    if (room) {
        MHD_suspend_connection(w->connection);
        *q->end = w;
        q->end = &w->next;
        q->n++;
        pthread_cond_signal(&q->some);
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *nupload, void **state)
{
    waiting *w = *state;
    (void)version, (void)upload, (void)nupload;
    if (w && w->answered)
        return send_answer(w);
    if (w) {
        w->r.parameters = w->parameters.at;
        w->r.nparameters = w->parameters.n;
        if (enqueue(w))
            return MHD_YES;
        plain(&w->answer, 503, "too many questions at once\n");
        return send_answer(w);
    }
    const union MHD_ConnectionInfo *about =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *state = w = base_allocate(1, sizeof *w);
    *w = (waiting){.of = data, .connection = connection, .socket = about ? about->connect_fd : -1};
    return admit(w, url, method) ? MHD_YES : send_answer(w);
}

static void on_end(void *data, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    waiting *w = *state;
    (void)data, (void)connection, (void)code;
    if (!w)
        return;
    free(w->parameters.at);
    free(w->answer.text.at);
    free(w->answer.policy);
    free(w->answer.location);
    free(w);
    *state = NULL;
}

// What a client does wrong is the client's matter.
static void ignore_log(void *data, const char *format, va_list arguments)
{
    (void)data, (void)format, (void)arguments;
}

// ---------------------------------------------------------------------------------------------

static void start_workers(server *s)
{
    s->nworkers = s->service.nquick + s->service.nlong;
    s->workers = base_allocate(s->nworkers, sizeof *s->workers);
    for (unsigned i = 0; i < s->nworkers; i++) {
        s->workers[i] = (worker){.of = s, .from = i < s->service.nquick ? &s->quick : &s->slow};
        if (pthread_create(&s->workers[i].thread, NULL, work, &s->workers[i]) != 0) {
            s->nworkers = i;
            return;
        }
    }
}

static void stop_workers(server *s)
{
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->ending, true);
    pthread_cond_broadcast(&s->quick.some);
    pthread_cond_broadcast(&s->slow.some);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->nworkers; i++)
        pthread_join(s->workers[i].thread, NULL);
}

static void free_server(server *s)
{
    pthread_cond_destroy(&s->quick.some);
    pthread_cond_destroy(&s->slow.some);
    pthread_mutex_destroy(&s->lock);
    guard_close(s->g);
    free(s->workers);
    free(s);
}

server *server_start(guard *g, const http_service *service, char **ret_error)
{
    server *s = base_allocate(1, sizeof *s);
    s->g = g;
    s->service = *service;
    pthread_mutex_init(&s->lock, NULL);
    queue_begin(&s->quick);
    queue_begin(&s->slow);
    start_workers(s);
    if (s->nworkers == service->nquick + service->nlong)
        s->daemon = MHD_start_daemon(
            MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
            0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
            MHD_OPTION_LISTEN_SOCKET, g->socket, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)SECONDS_OF_SILENCE, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)BYTES_A_CONNECTION,
            MHD_OPTION_END);
    if (s->daemon) {
        g->socket = -1; // the daemon closes it
        return s;
    }
    *ret_error = base_copy("the server cannot be started: too few threads or descriptors");
    stop_workers(s);
    free_server(s);
    return NULL;
}

void server_stop(server *s)
{
    stop_workers(s);
    MHD_stop_daemon(s->daemon);
    free_server(s);
}
