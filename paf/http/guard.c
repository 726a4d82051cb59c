// SPDX-License-Identifier: MIT
#include "paf/http/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static bool make_token(guard *g)
{
    unsigned char bytes[GUARD_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(g->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

// Binds and listens; errno says what was wrong.
static bool open_socket(guard *g, const struct addrinfo *a)
{
    const int yes = 1;
    g->socket = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (g->socket < 0)
        return false;
    setsockopt(g->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(g->socket, a->ai_addr, a->ai_addrlen) == 0 && listen(g->socket, 128) == 0)
        return true;
    int why = errno;
    close(g->socket);
    g->socket = -1;
    errno = why;
    return false;
}

static void name_socket(guard *g)
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[NI_MAXHOST], service[NI_MAXSERV];
    if (getsockname(g->socket, (struct sockaddr *)&at, &n) != 0 ||
        getnameinfo((struct sockaddr *)&at, n, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    g->address = base_copy(host);
    g->port = atoi(service);
    g->loopback = is_loopback((struct sockaddr *)&at);
}

bool guard_listen(guard *g, const char *address, int port, char **ret_error)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char service[16];
    *g = (guard){.socket = -1};
    snprintf(service, sizeof service, "%d", port);
    int status = getaddrinfo(address, service, &hints, &found);
    if (status) {
        *ret_error = base_format("%s is no address of this machine: %s", address, gai_strerror(status));
        return false;
    }
    if (!open_socket(g, found)) {
        *ret_error =
            errno == EADDRINUSE
                ? base_format("port %d of %s is in use already; --port names another one", port, address)
                : base_format("cannot listen on %s, port %d: %s", address, port, strerror(errno));
        freeaddrinfo(found);
        return false;
    }
    freeaddrinfo(found);
    name_socket(g);
    if (g->address && (g->loopback || make_token(g)))
        return true;
    *ret_error = base_format("%s", g->address ? "the machine has no random numbers" : "no address");
    guard_close(g);
    return false;
}

void guard_close(guard *g)
{
    if (g->socket >= 0)
        close(g->socket);
    g->socket = -1;
    free(g->address);
    g->address = NULL;
}

// An address that stands for all of the machine is no place to go to: its name is.
static bool is_any(const guard *g)
{
    return !strcmp(g->address, "0.0.0.0") || !strcmp(g->address, "::");
}

char *guard_url(const guard *g)
{
    char name[256] = "";
    if (is_any(g) && gethostname(name, sizeof name - 1) != 0)
        *name = 0;
    const char *host = *name ? name : g->address;
    bool six = strchr(host, ':') != NULL;
    return base_format("http://%s%s%s:%d/%s%s", six ? "[" : "", host, six ? "]" : "", g->port, g->token,
                       *g->token ? "/" : "");
}

static bool is_numeric(const char *host, bool *ret_loopback)
{
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, host, &four) == 1) {
        *ret_loopback = ntohl(four.s_addr) >> 24 == 127;
        return true;
    }
    if (inet_pton(AF_INET6, host, &six) != 1)
        return false;
    *ret_loopback = IN6_IS_ADDR_LOOPBACK(&six) != 0;
    return true;
}

static bool is_own_name(const char *host)
{
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0 || !*name)
        return false;
    size_t n = strcspn(name, ".");
    return !strcasecmp(host, name) || (!strncasecmp(host, name, n) && (!host[n] || host[n] == '.'));
}

// A port is any: it may have been forwarded from another machine.
bool guard_knows_host(const guard *g, const char *host)
{
    char name[256];
    bool loopback = false;
    if (!host || !*host)
        return false;
    bool bracket = *host == '[';
    size_t n = bracket ? strcspn(++host, "]") : strcspn(host, ":");
    const char *rest = host + n + (bracket && host[n] == ']');
    if (n == 0 || n >= sizeof name || (bracket && host[n] != ']') ||
        (*rest == ':' && (!rest[1] || rest[1 + strspn(rest + 1, "0123456789")])) || (*rest && *rest != ':'))
        return false;
    memcpy(name, host, n);
    name[n] = 0;
    if (is_numeric(name, &loopback))
        return loopback || !g->loopback;
    return !strcasecmp(name, "localhost") || (!g->loopback && is_own_name(name));
}

// Looks at all characters, so that time does not tell how many were right.
static bool is_token(const guard *g, const char *text, size_t n)
{
    unsigned different = n != GUARD_TOKEN;
    for (size_t i = 0; i < GUARD_TOKEN; i++)
        different |= (unsigned char)g->token[i] ^ (unsigned char)(i < n ? text[i] : 0);
    return !different;
}

const char *guard_path(const guard *g, const char *path, bool *ret_bare)
{
    *ret_bare = false;
    if (*path != '/')
        return NULL;
    if (!*g->token)
        return path + 1;
    size_t n = strcspn(path + 1, "/");
    if (!is_token(g, path + 1, n))
        return NULL;
    *ret_bare = !path[1 + n];
    return path + 1 + n + !*ret_bare;
}
