// SPDX-License-Identifier: MIT
#include "paf/app.h"
#include "paf/window.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    paf_window_options window;
    char *partition;
    const char *const *paths;
    int npaths;
} launch;

static void on_activate(GtkApplication *application, gpointer data)
{
    const launch *l = data;
    paf_window *w = paf_window_create(application, &l->window);
    paf_window_open(w, l->paths, l->npaths);
}

// A partition on the command line, or a file of that name.
static char *read_partition(const char *option)
{
    char *text = NULL;
    if (!strchr(option, '=') && g_file_get_contents(option, &text, NULL, NULL))
        return text;
    return g_strdup(option);
}

static bool parse_size(const char *text, paf_window_options *o)
{
    int used = 0;
    return sscanf(text, "%dx%d%n", &o->width, &o->height, &used) == 2 && !text[used] &&
           o->width >= 480 && o->height >= 320 && o->width <= 16000 && o->height <= 16000;
}

enum { PARTITION = 256, THEME, SIZE, SCREENSHOT };

static bool parse_option(int c, launch *l)
{
    switch (c) {
    case PARTITION:
        l->partition = read_partition(optarg);
        return true;
    case THEME:
        l->window.dark = !strcmp(optarg, "dark");
        l->window.light = !strcmp(optarg, "light");
        if (l->window.dark || l->window.light)
            return true;
        fprintf(stderr, "paf: no such theme: %s\n", optarg);
        return false;
    case SIZE:
        if (parse_size(optarg, &l->window))
            return true;
        fprintf(stderr, "paf: not a size: %s\n", optarg);
        return false;
    case SCREENSHOT:
        l->window.screenshot = optarg;
        return true;
    }
    fprintf(stderr, "paf: try 'paf --help'\n");
    return false;
}

static bool parse_options(int argc, char **argv, launch *l)
{
    static const struct option options[] = {{"partition", required_argument, NULL, PARTITION},
                                            {"theme", required_argument, NULL, THEME},
                                            {"size", required_argument, NULL, SIZE},
                                            {"screenshot", required_argument, NULL, SCREENSHOT},
                                            {0}};
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (!parse_option(c, l))
            return false;
    l->paths = (const char *const *)argv + optind;
    l->npaths = argc - optind;
    if (l->npaths > 2) {
        fprintf(stderr, "paf: one trace, or two to compare, not %d\n", l->npaths);
        return false;
    }
    if (l->window.screenshot && l->npaths == 0) {
        fprintf(stderr, "paf: --screenshot needs a trace\n");
        return false;
    }
    return true;
}

int paf_app_run(int argc, char **argv)
{
    launch l = {.window = {.width = 1440, .height = 900}};
    if (!parse_options(argc, argv, &l)) {
        g_free(l.partition);
        return 2;
    }
    l.window.partition = l.partition;
    gtk_disable_setlocale(); // numbers are written as in C, on every desktop alike
    if (!gtk_init_check(NULL, NULL)) {
        fprintf(stderr, "paf: no display to open a window on.\n"
                        "To draw without one: paf export -o OUT.png FILE.paf\n");
        g_free(l.partition);
        return 2;
    }
    GtkApplication *application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(on_activate), &l);
    int status = g_application_run(G_APPLICATION(application), 0, NULL);
    g_object_unref(application);
    g_free(l.partition);
    return status == 0 && paf_window_failed() ? 1 : status;
}
