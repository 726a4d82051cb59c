// SPDX-License-Identifier: MIT
//
// Of very many processes each can be reached: one that is selected has a lane, scrolling comes by all of
// them, and ordered by waiting the one that waited longest comes first.
//
//   check_processes FILE.paf PARTITION MODULE
#include "paf/layout/lanes.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool holds, const char *what, uint32_t process)
{
    if (!holds && failures++ < 20)
        fprintf(stderr, "%s (%u)\n", what, process);
}

static paf_lanes *plan(const paf_model *m, const paf_view *view, paf_layout *layout)
{
    paf_drawing d = {.m = m,
                     .v = view,
                     .theme = paf_theme_get(false),
                     .pic = layout->picture,
                     .out = layout,
                     .f = layout->frame,
                     .zoom = layout->frame.plot_w / (view->to - view->from)};
    return paf_lanes_plan(&d);
}

// Marks the processes that have a lane; returns the first one of them in the module, or IOT_NONE.
static uint32_t mark(const paf_model *m, const paf_view *view, paf_shaped_text *text, uint32_t module,
                     uint8_t *seen)
{
    uint32_t first = IOT_NONE;
    paf_layout *layout = paf_layout_create(m, view, text);
    paf_lanes *l = plan(m, view, layout);
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        for (uint32_t k = s->first_lane; k < s->first_lane + s->nlanes; k++) {
            uint32_t process = paf_lane_at(l, k)->process;
            if (process == IOT_NONE)
                continue;
            seen[process] = 1;
            if (s->module == module && first == IOT_NONE)
                first = process;
        }
    }
    paf_lanes_free(l);
    paf_layout_destroy(layout);
    return first;
}

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 4 ? trace_open(argv[1], NULL, NULL, &error) : NULL;
    iot_partition *p = t ? iot_partition_parse(t, argv[2], &error) : NULL;
    if (!p) {
        fprintf(stderr, "%s\n", error ? error : "usage");
        return 2;
    }
    iot *a = iot_analyse(t, p, NULL, NULL);
    iot_partition_destroy(p);
    paf_model *m = paf_model_create(a, NULL, NULL);
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    uint32_t n = iot_nprocesses(a), module = 0;
    while (module + 1 < m->nmodules && strcmp(iot_get_module(a, module)->name, argv[3]) != 0)
        module++;
    uint8_t *seen = g_new0(uint8_t, n + 1);
    paf_view view = paf_view_fit(m, 1440, 900);
    for (uint32_t i = 0; i < n; i += 37) { // one that is selected
        const uint32_t *members;
        iot_members(a, i, &members);
        memset(seen, 0, n);
        view.selected = members[0];
        mark(m, &view, text, module, seen);
        expect(seen[i], "a selected process has no lane", i);
    }
    view.selected = IOT_NONE;
    memset(seen, 0, n);
    view.scrolled = module;
    for (view.first_process = 0; view.first_process < n; view.first_process += 3)
        mark(m, &view, text, module, seen);
    for (uint32_t i = 0; i < n; i++)
        expect(seen[i] || iot_get_process(a, i)->module != module, "scrolling does not come by", i);
    view.first_process = 0;
    view.by_wait = true;
    uint32_t first = mark(m, &view, text, module, seen);
    for (uint32_t i = 0; i < n; i++)
        expect(iot_get_process(a, i)->module != module || first == IOT_NONE ||
                   m->process_waits[i] <= m->process_waits[first],
               "another one waited longer than the first", i);
    expect(first != IOT_NONE, "no lane by waiting", 0);
    paf_shaped_text_destroy(text);
    paf_model_destroy(m);
    iot_destroy(a);
    trace_close(t);
    g_free(seen);
    return failures ? 1 : 0;
}
