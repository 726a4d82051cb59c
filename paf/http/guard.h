// SPDX-License-Identifier: MIT
//
// guard: whom a server answers.
//
// On a loopback address anybody on the machine may ask; a page of somebody else that a browser shows must
// not, even if its name was made to mean 127.0.0.1 afterwards ("DNS rebinding"): the browser then tells
// that name in `Host`, and only names of this machine are answered. On any other address the path begins
// with a token that nobody can guess.
#ifndef PAF_GUARD_H
#define PAF_GUARD_H

#include <stdbool.h>

enum { GUARD_TOKEN = 32 }; // digits

typedef struct {
    int socket;    // that listens
    char *address; // as it was given, numeric
    int port;
    bool loopback;
    char token[GUARD_TOKEN + 1]; // "": none is needed
} guard;

// Listens on an address (a number or a name) and a port; 0: any that is free. False and *ret_error
// (malloc'ed).
bool guard_listen(guard *g, const char *address, int port, char **ret_error);
void guard_close(guard *g);
// The address for a browser, "http://127.0.0.1:8730/"; malloc'ed.
char *guard_url(const guard *g);
// host: the header; NULL: there is none.
bool guard_knows_host(const guard *g, const char *host);
// The path behind the token and its slash, or NULL if that is wrong. *ret_bare: the slash alone is missing.
const char *guard_path(const guard *g, const char *path, bool *ret_bare);

#endif
