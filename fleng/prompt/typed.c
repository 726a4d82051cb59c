// SPDX-License-Identifier: MIT
//
// Clauses that are typed: they are a source of the session, which is loaded anew with each of them,
// as a file is.
#include "fleng/prompt/prompt.h"

#include "fleng/reader/source.h"

#include <stdlib.h>

static const char *const typed_name = "typed";

void fl_prompt_add(fl_prompt *p, const char *clause)
{
    const char *before = p->typed ? p->typed : "";
    size_t length = strlen(clause);
    while (length > 0 && (clause[length - 1] == ' ' || clause[length - 1] == '\t'))
        length--;
    bool stopped = length > 0 && clause[length - 1] == '.';
    char *text;
    if (asprintf(&text, "%s%.*s%s\n", before, (int)length, clause, stopped ? "" : " .") < 0)
        abort();
    fl_messages *messages = fl_messages_create();
    fl_source_define(typed_name, text);
    if (fl_session_load(p->session, &typed_name, 1, messages)) {
        free(p->typed);
        p->typed = text;
        puts("added");
    } else {
        fl_prompt_complain(p, messages);
        fl_source_define(typed_name, before);
        free(text);
    }
    fl_messages_destroy(messages);
}

void fl_prompt_forget_typed(fl_prompt *p)
{
    fl_source_define(NULL, NULL);
    free(p->typed);
}
