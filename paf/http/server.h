// SPDX-License-Identifier: MIT
//
// server: requests to answers.
//
// One thread has all connections, so a slow client holds nobody up. A request waits in a queue for a
// worker, its connection suspended; workers that answer long requests are others than those that answer
// quick ones:
//
//     connection --> request --> queue of quick ones --> workers --+
//         ^                 \--> queue of long ones ---> workers --+--> answer
//         +---------------------- resumed <-----------------------+
#ifndef PAF_SERVER_H
#define PAF_SERVER_H

#include "base/text.h"
#include "paf/http/guard.h"

typedef struct server server;

typedef struct {
    const char *name, *value; // UTF-8
} http_parameter;

typedef struct {
    const char *path; // without the token, without a slash: "", "compare"
    const http_parameter *parameters;
    size_t nparameters;
} http_request;

typedef struct {
    int status;       // 200 if nobody sets it
    const char *type; // of the text; "text/html; charset=utf-8" if nobody sets it
    char *policy;     // what a page may load and run, if it is not the usual; malloc'ed
    char *location;   // where else to go; malloc'ed
    bool stays;       // the browser may keep it for a while
    base_text text;
} http_answer;

typedef struct {
    unsigned nquick, nlong; // workers
    bool (*is_long)(const http_request *r);
    // What a worker has for itself; may be NULL.
    void *(*begin)(void *data);
    void (*end)(void *worker);
    void (*answer)(void *worker, const http_request *r, http_answer *ret);
    void *data;
} http_service;

// The value of a parameter; NULL if there is none of that name. Of several the first one.
const char *http_value(const http_request *r, const char *name);
// Nobody waits for the answer any more: the client left, or the server ends. May be asked often.
bool http_is_abandoned(const http_request *r);

// Takes the guard's socket. NULL and *ret_error (malloc'ed).
server *server_start(guard *g, const http_service *service, char **ret_error);
// Requests in progress are abandoned.
void server_stop(server *s);

#endif
