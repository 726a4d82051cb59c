// SPDX-License-Identifier: MIT
//
// Which page an address means, and what a worker has: a connection to the store of its own.
#include "paf/serve/site.h"

#include <stdlib.h>
#include <string.h>

#include "paf/http/cache.h"
#include "paf/serve/page.h"

extern const char serve_style_text[], serve_script_text[], serve_icon_text[]; // the build makes them

enum { QUICK_WORKERS = 4, LONG_WORKERS = 3, KEPT_BYTES = 64 << 20 };

struct site {
    char *where;
    const char *const *files;
    size_t nfiles;
    cache *kept;
};

typedef struct {
    site *of;
    store *s; // NULL: it could not be opened; the next request tries again
} worker;

typedef struct {
    const char *path;
    void (*write)(page *p);
    bool is_long; // it may take more than a moment
} place;

static const place places[] = {
    {"", page_applications, false},
    {"conditions", page_conditions, false},
    {"compare", page_compare, false},
    {"messages", page_messages, false},
    {"function", page_function, false},
    {"run", page_run, false},
    {"jobs", page_jobs, false},
    {"accesses", page_accesses, false},
    {"trace", page_trace, true},
    {"source", page_source, true},
    {"sql", page_sql, true},
};

typedef struct {
    const char *path, *type, *text;
} asset;

static const asset assets[] = {
    {"style.css", "text/css; charset=utf-8", serve_style_text},
    {"script.js", "text/javascript; charset=utf-8", serve_script_text},
    {"icon.svg", "image/svg+xml", serve_icon_text},
};

static const place *find_place(const char *path)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(places[i].path, path))
            return &places[i];
    return NULL;
}

static bool is_long(const http_request *r)
{
    const place *x = find_place(r->path);
    return x && x->is_long;
}

static void *begin(void *data)
{
    worker *w = base_allocate(1, sizeof *w);
    w->of = data;
    return w;
}

static void end(void *data)
{
    worker *w = data;
    store_close(w->s);
    free(w);
}

// What an answer is made of is its path and parameters, in their order.
static char *key_of(const http_request *r)
{
    base_text key = {0};
    text_add_string(&key, r->path);
    for (size_t i = 0; i < r->nparameters; i++) {
        text_add_char(&key, i ? '&' : '?');
        html_add_part(&key, r->parameters[i].name);
        text_add_char(&key, '=');
        html_add_part(&key, r->parameters[i].value);
    }
    return text_finish(&key);
}

static bool stop(void *data)
{
    return http_is_abandoned(data);
}

// An answer with a policy of its own has that under another key.
static void keep(const site *s, const char *key, int64_t state, const http_answer *a)
{
    char *of_policy = base_format("policy of %s", key);
    cache_put(s->kept, of_policy, state, a->policy ? a->policy : "", a->policy ? strlen(a->policy) : 0);
    cache_put(s->kept, key, state, a->text.at, a->text.n);
    free(of_policy);
}

static bool get_kept(const site *s, const char *key, int64_t state, http_answer *ret)
{
    base_text policy = {0};
    char *of_policy = base_format("policy of %s", key);
    bool found =
        cache_get(s->kept, of_policy, state, &policy) && cache_get(s->kept, key, state, &ret->text);
    if (found && policy.n) {
        ret->policy = text_finish(&policy);
        policy.at = NULL;
    }
    free(policy.at);
    free(of_policy);
    return found;
}

static void write_page(worker *w, const place *what, const http_request *r, http_answer *ret)
{
    page p = {.r = r,
              .s = w->s,
              .files = w->of->files,
              .nfiles = w->of->nfiles,
              .order = "order",
              .turned = "turned",
              .out = &ret->text};
    char *key = key_of(r);
    int64_t state = store_changes(w->s);
    if (state < 0) {
        page_store_failed(&p);
    } else if (!get_kept(w->of, key, state, ret)) {
        store_stop_when(w->s, stop, (void *)(uintptr_t)r);
        what->write(&p);
        store_stop_when(w->s, NULL, NULL);
        store_leave_out(w->s, NULL, 0);
        ret->policy = p.policy;
        if (!p.status && !p.passing)
            keep(w->of, key, state, ret);
    }
    ret->status = p.status;
    free(key);
}

static bool write_asset(const http_request *r, http_answer *ret)
{
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (!strcmp(assets[i].path, r->path)) {
            text_add_string(&ret->text, assets[i].text);
            ret->type = assets[i].type;
            ret->stays = true;
            return true;
        }
    return false;
}

static void answer(void *data, const http_request *r, http_answer *ret)
{
    worker *w = data;
    const place *what = find_place(r->path);
    page p = {.r = r, .out = &ret->text};
    char *error = NULL;
    if (write_asset(r, ret))
        return;
    if (!what)
        page_fail(&p, 404, "There is no such page.");
    else if (!w->s && !(w->s = store_open(w->of->where, STORE_READ, &error)))
        page_fail(&p, 500, "The store cannot be read: %s", error);
    free(error);
    ret->status = p.status;
    if (!p.status)
        write_page(w, what, r, ret);
}

site *site_create(const char *where, const char *const *files, size_t nfiles)
{
    site *s = base_allocate(1, sizeof *s);
    *s = (site){base_copy(where), files, nfiles, cache_create(KEPT_BYTES)};
    return s;
}

void site_free(site *s)
{
    if (!s)
        return;
    cache_free(s->kept);
    free(s->where);
    free(s);
}

http_service site_service(site *s)
{
    return (http_service){.nquick = QUICK_WORKERS,
                          .nlong = LONG_WORKERS,
                          .is_long = is_long,
                          .begin = begin,
                          .end = end,
                          .answer = answer,
                          .data = s};
}
