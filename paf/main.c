// SPDX-License-Identifier: MIT
//
// paf: the viewer and its options, and the table of the commands.
#include "base/output.h"
#include "paf/commands/command.h"
#include "paf/commands/viewed.h"
#include "paf/draw/surface.h"
#include "paf/window/window.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: paf [OPTION...] [FILE.paf...]     the viewer; two files: side by side\n"
    "                                         (a report @@k_tool.f66 or @@m_tool.f66 does, too)\n"
    "       paf report  [OPTION...] FILE.paf  work, span, modules, critical path, dependencies\n"
    "       paf iotree  [OPTION...] FILE.paf  the IO-Trees of a predicate or module\n"
    "       paf simulate [OPTION...] FILE.paf the run on other numbers of processors\n"
    "       paf whatif  [OPTION...] FILE.paf  what the run would take if something were different\n"
    "       paf compare [OPTION...] A.paf B.paf  how two runs differ\n"
    "       paf export  [OPTION...] FILE.paf...  a picture, without a display\n"
    "       paf info    [OPTION...] FILE.paf  what the file holds\n"
    "       paf store   WORD [OPTION...] ...  runs of several conditions, kept and compared\n"
    "       paf serve   [OPTION...] [FILE.paf...]  the same in a browser\n"
    "\n"
    "Options of the viewer (`paf COMMAND --help` for those of a command):\n"
    "  -p, --partition P    modules, as NAME=p/2,q/3 ..., or a file of such lines\n"
    "  --what-if            with the pane that asks what the run would take otherwise\n"
    "  --without CLASS, --speed-up MODULE=K, --processors P\n"
    "                       the same, asking for this, as in paf whatif; as often as you like\n"
    "  --clock real|virtual the clock that the window begins with; C changes it\n"
    "  --bookmark NOTE      of a FILE.view in place of a trace: the one whose note begins so (default:\n"
    "                       the first one)\n"
    "  --desktop            as a file manager starts it: errors are told in a window, and each file has\n"
    "                       one of its own\n"
    "  --theme light|dark   (default: as the desktop)\n"
    "  --size WxH           of the window (default: 1440x900)\n"
    "  --screenshot OUT.png write a picture of the window once all is drawn, and quit\n"
    "  --memory SIZE        that may be taken, as in 500M or 2G (default: three quarters of what\n"
    "                       the machine has); every command takes it, too\n"
    "  --help, --version\n"
    "\n"
    "In the window: wheel zooms, shift-wheel or dragging boxes pans, F shows the whole run, F1 the "
    "keys.\n"
    "Exit status: 0; 1 the file is damaged or nothing matches; 2 usage.\n";

// argv[0] of a command is its name.
typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"report", paf_command_report},   {"iotree", paf_command_iotree},
    {"compare", paf_command_compare}, {"export", paf_command_export},
    {"info", paf_command_info},       {"whatif", paf_command_whatif},
    {"simulate", paf_command_simulate}, {"store", paf_command_store},
    {"serve", paf_command_serve},
};

// ---------------------------------------------------------------------------------------------
// The viewer: what the command line asks for

typedef struct {
    paf_window_options window;
    const char *partition; // as asked for
    char *partitions[2];   // of each file, as text
    const char *const *paths;
    int npaths;
    bool desktop; // errors are for the window to tell, and each file has one of its own
    ARRAY_OF(iot_operation) operations;
} launch;

static void on_activate(GtkApplication *application, gpointer data)
{
    const launch *l = data;
    for (int i = 0; l->desktop && i + 1 < l->npaths; i++)
        paf_window_open(paf_window_create(application, &l->window), &l->paths[i], 1);
    paf_window *w = paf_window_create(application, &l->window);
    if (l->desktop && l->npaths > 0)
        paf_window_open(w, &l->paths[l->npaths - 1], 1);
    else
        paf_window_open(w, l->paths, l->npaths);
}

static bool parse_size(const char *text, paf_window_options *o)
{
    int used = 0;
    return sscanf(text, "%dx%d%n", &o->width, &o->height, &used) == 2 && !text[used] &&
           o->width >= 480 && o->height >= 320 && o->width <= 16000 && o->height <= 16000;
}

enum {
    THEME = 256,
    SIZE,
    SCREENSHOT,
    MEMORY,
    CLOCK,
    BOOKMARK,
    DESKTOP,
    WHAT_IF,
    WITHOUT,
    SPEED_UP,
    PROCESSORS
};

static bool parse_option(int c, launch *l)
{
    switch (c) {
    case 'p':
        l->partition = optarg;
        return true;
    case THEME:
        l->window.dark = !strcmp(optarg, "dark");
        l->window.light = !strcmp(optarg, "light");
        if (l->window.dark || l->window.light)
            return true;
        paf_complain("", "no such theme: %s (light or dark)", optarg);
        return false;
    case WHAT_IF:
        l->window.what_if.open = true;
        return true;
    case WITHOUT:
    case SPEED_UP:
        l->window.what_if.open = true;
        ARRAY_PUSH(l->operations,
                   (iot_operation){c == WITHOUT ? IOT_WITHOUT : IOT_SPEED_UP, optarg});
        return true;
    case PROCESSORS:
        l->window.what_if.open = true;
        l->window.what_if.processors = (uint32_t)g_ascii_strtoull(optarg, NULL, 10);
        if (l->window.what_if.processors > 0)
            return true;
        paf_complain("", "--processors: not a number from 1 on: %s", optarg);
        return false;
    case CLOCK:
        l->window.clock = optarg;
        return paf_is_clock("", optarg);
    case DESKTOP:
        l->desktop = true;
        return true;
    case BOOKMARK:
        l->window.bookmark = optarg;
        return true;
    case MEMORY:
        return paf_set_memory("", optarg);
    case SIZE:
        if (parse_size(optarg, &l->window))
            return true;
        paf_complain("", "not a size: %s (WxH, from 480x320 to 16000x16000)", optarg);
        return false;
    case SCREENSHOT:
        l->window.screenshot = optarg;
        if (paf_file_kind_of(optarg) == PAF_FILE_PNG)
            return true;
        paf_complain("", "--screenshot: %s: the name must end in .png", optarg);
        return false;
    }
    return false; // paf_next_option() has said why
}

static bool parse_options(int argc, char **argv, launch *l)
{
    static const struct option options[] = {{"partition", required_argument, NULL, 'p'},
                                            {"theme", required_argument, NULL, THEME},
                                            {"size", required_argument, NULL, SIZE},
                                            {"screenshot", required_argument, NULL, SCREENSHOT},
                                            {"clock", required_argument, NULL, CLOCK},
                                            {"what-if", no_argument, NULL, WHAT_IF},
                                            {"without", required_argument, NULL, WITHOUT},
                                            {"speed-up", required_argument, NULL, SPEED_UP},
                                            {"processors", required_argument, NULL, PROCESSORS},
                                            {"memory", required_argument, NULL, MEMORY},
                                            {"bookmark", required_argument, NULL, BOOKMARK},
                                            {"desktop", no_argument, NULL, DESKTOP},
                                            {0}};
    optind = 0;
    for (int c; (c = paf_next_option("", argc, argv, ":p:", options)) != -1;)
        if (!parse_option(c, l))
            return false;
    l->window.what_if.operations = l->operations.at;
    l->window.what_if.n = (uint32_t)l->operations.n;
    l->paths = (const char *const *)argv + optind;
    l->npaths = argc - optind;
    if (l->npaths > 2 && !l->desktop) {
        paf_complain("", "one trace, or two to compare, not %d", l->npaths);
        return false;
    }
    if (l->window.screenshot && l->npaths == 0) {
        paf_complain("", "--screenshot needs a trace");
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------

// What can be told without a display.
static int check_arguments(launch *l)
{
    const char *names[G_N_ELEMENTS(commands)];
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    const paf_viewed v = {.paths = l->paths,
                          .npaths = l->npaths,
                          .commands = names,
                          .ncommands = G_N_ELEMENTS(names),
                          .partition = l->partition,
                          .bookmark = l->window.bookmark,
                          .operations = l->operations.at,
                          .noperations = (uint32_t)l->operations.n,
                          .desktop = l->desktop};
    int status = paf_check_viewed(&v, l->partitions);
    for (int i = 0; i < 2; i++)
        l->window.partitions[i] = l->partitions[i];
    return status;
}

static int run_window(launch *l)
{
    gtk_disable_setlocale(); // numbers are written as in C, on every desktop alike
    if (!gtk_init_check(NULL, NULL)) {
        fprintf(stderr, "paf: no display to open a window on.\n"
                        "To draw without one: paf export -o OUT.png FILE.paf\n");
        return COMMAND_USAGE;
    }
    GtkApplication *application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(on_activate), l);
    int status = g_application_run(G_APPLICATION(application), 0, NULL);
    g_object_unref(application);
    return status == 0 && paf_window_failed() ? COMMAND_NOTHING : status;
}

static int run_viewer(int argc, char **argv)
{
    launch l = {.window = {.width = 1440, .height = 900}};
    if (!parse_options(argc, argv, &l))
        return COMMAND_USAGE;
    int status = check_arguments(&l);
    if (status == COMMAND_OK)
        status = run_window(&l);
    free(l.partitions[0]);
    free(l.partitions[1]);
    free(l.operations.at);
    return status;
}

// ---------------------------------------------------------------------------------------------

static int run_command(const command *c, int argc, char **argv)
{
    char *name = base_format("paf %s", c->name);
    base_memory_doing(name);
    int status = base_output_end(name, c->run(argc, argv));
    base_memory_doing("paf");
    free(name);
    return status;
}

int main(int argc, char **argv)
{
    base_output_begin();
    base_output_mind_signals();
    paf_limit_memory();
    setlocale(LC_CTYPE, ""); // numbers stay as in C
    const char *first = argc > 1 ? argv[1] : "";
    if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
        fputs(help, stdout);
        return base_output_end("paf", COMMAND_OK);
    }
    if (!strcmp(first, "--version")) {
        printf("paf %s\n", FLENG_VERSION);
        return base_output_end("paf", COMMAND_OK);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        if (!strcmp(first, commands[i].name))
            return run_command(&commands[i], argc - 1, argv + 1);
    return run_viewer(argc, argv);
}
