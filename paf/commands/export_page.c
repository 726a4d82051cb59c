// SPDX-License-Identifier: MIT
//
// One run, or two compared, as a page.
#include "paf/commands/export_page.h"
#include "paf/commands/compare.h"
#include "paf/page/page.h"

void paf_export_page(const paf_page_source *sources, int n, FILE *file)
{
    paf_page_run runs[2];
    paf_page_options options = {0};
    base_text text = {0};
    char *titles[2] = {NULL, NULL};
    for (int i = 0; i < n; i++) {
        titles[i] = g_path_get_basename(sources[i].path);
        runs[i] = (paf_page_run){sources[i].m, titles[i]};
    }
    if (n == 2) {
        const char *names[2] = {titles[0], titles[1]};
        trace *traces[2] = {sources[0].t, sources[1].t};
        iot *analyses[2] = {sources[0].a, sources[1].a};
        options.comparison = paf_comparison_json(names, traces, analyses);
    }
    paf_page_write(&text, runs, (uint32_t)n, &options);
    fwrite(text.at, 1, text.n, file);
    json_decref(options.comparison);
    free(text.at);
    g_free(titles[0]);
    g_free(titles[1]);
}
