// SPDX-License-Identifier: MIT
//
// Built without libedit: lines are read as the terminal gives them.
#include "fleng/prompt/lines.h"

fl_editor *fl_editor_create(const char *file, fl_completer complete, void *data)
{
    (void)file, (void)complete, (void)data;
    return NULL;
}

void fl_editor_destroy(fl_editor *e)
{
    (void)e;
}

fl_line_result fl_editor_read(fl_editor *e, const char *prompt, const char **ret_line,
                              size_t *ret_length)
{
    (void)e, (void)prompt, (void)ret_line, (void)ret_length;
    return LINE_END;
}
