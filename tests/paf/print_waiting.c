// SPDX-License-Identifier: MIT
//
// Prints what the views say of the goals that a run left waiting, as fleng prints it.   print_waiting FILE.paf
#include "paf/model/waiting_goals.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 2 ? trace_open(argv[1], NULL, NULL, &error) : NULL;
    if (!t || error)
        return 2;
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    iot_partition_destroy(p);
    paf_waiting_goals *w = paf_waiting_goals_find(a);
    for (uint32_t i = 0; i < w->n; i++) {
        char *place = paf_waiting_place(w, i), *title = paf_waiting_title(w, i);
        char *lines = paf_waiting_lines(w, i), **each = g_strsplit(lines, "\n", -1);
        int indent = (int)(2 + 2 * w->groups[i].level);
        printf("%*s%s: %s\n", indent, "", place, title);
        for (char **line = each; *line; line++)
            printf("%*s  %s\n", indent, "", *line);
        g_strfreev(each);
        g_free(lines);
        g_free(title);
        g_free(place);
    }
    paf_waiting_goals_free(w);
    iot_destroy(a);
    trace_close(t);
    return 0;
}
