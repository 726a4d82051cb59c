// SPDX-License-Identifier: MIT
//
// `paf serve`: the store in a browser.

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paf/commands/command.h"
#include "paf/commands/store_command.h"

static const char help[] =
    "usage: paf serve [OPTION...] [FILE.paf...]\n"
    "Shows a store of runs in a browser, until it is interrupted. Nothing can be changed there. Traces are "
    "shown\n"
    "beside the store; without --store a store is made of them that is gone at the end.\n"
    "\n"
    "      --port N           (default: 8730, or any that is free if that is not)\n"
    "      --listen ADDRESS   of this machine (default: 127.0.0.1). If others can reach it, the address "
    "that is\n"
    "                         printed has a token that nobody can guess: it is needed for every "
    "page\n" PAF_STORE_HELP "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 when it is interrupted; 1 the store cannot be read, or the port is in use; 2 usage.\n";

#ifndef PAF_SERVE
int paf_command_serve(int argc, char **argv)
{
    const paf_option options[] = {{0}};
    const paf_usage usage = {"serve", help, options, 0, 1000000};
    int status;
    if (argc > 1 && !strcmp(argv[1], "--help") && !paf_read_options(&usage, argc, argv, &status))
        return status;
    paf_complain("serve", "this program was built without libmicrohttpd, so it answers no browser");
    return COMMAND_NOTHING;
}
#else

#include "paf/serve/site.h"

enum { USUAL_PORT = 8730, MOST_PORT = 65535 };

typedef struct {
    const char *where, *address;
    int64_t port;
    const char *const *files;
    int nfiles;
    char *folder, *made; // of the store that is made of the files
} serve_options;

static bool add_file(store *s, const char *path)
{
    int status = COMMAND_OK;
    trace *t = paf_open_trace("serve", path, &status);
    store_run *r = NULL;
    if (t && status == COMMAND_OK)
        r = store_run_from_trace(path, t, paf_tell_progress, (void *)"serve");
    paf_end_progress();
    char *error = NULL;
    int64_t trial;
    bool known = false;
    bool good = r && store_run_stamp(r, path, &error) && (store_add(s, r, &trial, &known) || known);
    if (r && !good)
        paf_complain("serve", "%s", error ? error : store_error(s));
    free(error);
    store_run_destroy(r);
    if (t)
        trace_close(t);
    return good;
}

// A store of the files, in a folder of its own that nobody else can read.
static bool make_store(serve_options *o)
{
    const char *tmp = getenv("TMPDIR");
    o->folder = base_format("%s/paf-serve-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(o->folder)) {
        paf_complain("serve", "%s: cannot create: %s", o->folder, strerror(errno));
        free(o->folder);
        o->folder = NULL;
        return false;
    }
    o->made = base_format("%s/store.db", o->folder);
    store *s = paf_open_store("serve", o->made, STORE_CREATE);
    bool good = s != NULL;
    for (int i = 0; good && i < o->nfiles; i++)
        good = add_file(s, o->files[i]);
    store_close(s);
    o->where = o->made;
    return good;
}

static void remove_store(const serve_options *o)
{
    if (o->made)
        unlink(o->made);
    if (o->folder)
        rmdir(o->folder);
}

static bool listen_somewhere(guard *g, const serve_options *o)
{
    char *error = NULL;
    int port = o->port >= 0 ? (int)o->port : USUAL_PORT;
    if (guard_listen(g, o->address, port, &error))
        return true;
    if (o->port < 0) {
        free(error);
        error = NULL;
        if (guard_listen(g, o->address, 0, &error))
            return true;
    }
    paf_complain("serve", "%s", error);
    free(error);
    return false;
}

// Signals that end it, taken by sigwait(): all threads that are made later block them, too.
static sigset_t ends(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static int serve(const serve_options *o, guard *g)
{
    site *pages = site_create(o->where, o->files, (size_t)o->nfiles);
    const http_service service = site_service(pages);
    const sigset_t end = ends();
    char *error = NULL;
    int got;
    server *s = server_start(g, &service, &error);
    if (s) {
        char *url = guard_url(g);
        printf("%s\n", url);
        fflush(stdout);
        free(url);
        sigwait(&end, &got);
        server_stop(s);
    } else {
        paf_complain("serve", "%s", error);
    }
    free(error);
    site_free(pages);
    return s ? COMMAND_OK : COMMAND_NOTHING;
}

// A wrong store is told before anything listens.
static bool check_store(const serve_options *o)
{
    store *s = paf_open_store("serve", o->where, STORE_READ);
    store_close(s);
    return s != NULL;
}

static int run(serve_options *o)
{
    const sigset_t end = ends();
    guard g;
    char *usual = NULL;
    bool good = o->nfiles && !o->where ? make_store(o) : true;
    if (!o->where)
        o->where = usual = store_default_path();
    int status = COMMAND_NOTHING;
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    if (good && check_store(o) && listen_somewhere(&g, o))
        status = serve(o, &g);
    remove_store(o);
    free(usual);
    free(o->made);
    free(o->folder);
    return status;
}

int paf_command_serve(int argc, char **argv)
{
    serve_options o = {.address = "127.0.0.1", .port = -1};
    const paf_option options[] = {{"port", 0, PAF_OPTION_NUMBER, {.number = &o.port}, 0},
                                  {"listen", 0, PAF_OPTION_TEXT, {.text = &o.address}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &o.where}, 0},
                                  {0}};
    const paf_usage usage = {"serve", help, options, 0, 1000};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    if (o.port > MOST_PORT) {
        paf_complain("serve", "--port: a number from 0 to %d", MOST_PORT);
        return COMMAND_USAGE;
    }
    o.files = (const char *const *)argv + optind;
    o.nfiles = argc - optind;
    return run(&o);
}
#endif
