// SPDX-License-Identifier: MIT
//
// Clauses that are typed: they stand in a file of the session, which is loaded anew with each of them,
// as any other is.
#include "prompt.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

// The path of the file; NULL: reported.
static const char *typed_path(fl_prompt *p)
{
    const char *folder = getenv("TMPDIR");
    if (p->typed_path)
        return p->typed_path;
    if (asprintf(&p->typed_folder, "%s/fleng-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        abort();
    if (!mkdtemp(p->typed_folder)) {
        fl_prompt_error(p, ":add needs a file in %s: %s", p->typed_folder, strerror(errno));
        free(p->typed_folder);
        p->typed_folder = NULL;
        return NULL;
    }
    if (asprintf(&p->typed_path, "%s/typed.fl", p->typed_folder) < 0)
        abort();
    return p->typed_path;
}

static bool write_typed(fl_prompt *p, const char *text)
{
    FILE *f = fopen(p->typed_path, "w");
    bool good = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0)
        good = false;
    if (!good)
        fl_prompt_error(p, "%s: %s", p->typed_path, strerror(errno));
    return good;
}

void fl_prompt_add(fl_prompt *p, const char *clause)
{
    const char *path = typed_path(p), *before = p->typed ? p->typed : "";
    size_t length = strlen(clause);
    while (length > 0 && (clause[length - 1] == ' ' || clause[length - 1] == '\t'))
        length--;
    bool stopped = length > 0 && clause[length - 1] == '.';
    char *text;
    if (!path)
        return;
    if (asprintf(&text, "%s%.*s%s\n", before, (int)length, clause, stopped ? "" : " .") < 0)
        abort();
    fl_messages *messages = fl_messages_create();
    if (write_typed(p, text) && fl_session_load(p->session, &path, 1, messages)) {
        free(p->typed);
        p->typed = text;
        puts("added");
    } else {
        fl_prompt_complain(p, messages);
        write_typed(p, before);
        free(text);
    }
    fl_messages_destroy(messages);
}

void fl_prompt_forget_typed(fl_prompt *p)
{
    if (p->typed_path)
        unlink(p->typed_path);
    if (p->typed_folder)
        rmdir(p->typed_folder);
    free(p->typed_path);
    free(p->typed_folder);
    free(p->typed);
}
