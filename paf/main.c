// SPDX-License-Identifier: MIT
//
// paf: the viewer, its reports and its exports.
#include "paf/window/app.h"
#include "paf/commands/commands.h"
#include "paf/commands/export.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: paf [OPTION...] [FILE.paf...]     the viewer; two files: side by side\n"
    "       paf report  [OPTION...] FILE.paf  work, span, modules, critical path, dependencies\n"
    "       paf iotree  [OPTION...] FILE.paf  the IO-Trees of a predicate or module\n"
    "       paf compare [OPTION...] A.paf B.paf  how two runs differ\n"
    "       paf export  [OPTION...] FILE.paf...  a picture, without a display\n"
    "       paf info    [OPTION...] FILE.paf  what the file holds\n"
    "\n"
    "Options of the viewer (`paf COMMAND --help` for those of a command):\n"
    "  -p, --partition P    modules, as NAME=p/2,q/3 ..., or a file of such lines\n"
    "  --theme light|dark   (default: as the desktop)\n"
    "  --size WxH           of the window (default: 1440x900)\n"
    "  --screenshot OUT.png write a picture of the window once all is drawn, and quit\n"
    "  --help, --version\n"
    "\n"
    "In the window: wheel zooms, shift-wheel or dragging pans, F shows the whole run, F1 the "
    "keys.\n"
    "Exit status: 0; 1 the file is damaged or nothing matches; 2 usage.\n";

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"report", paf_command_report}, {"iotree", paf_command_iotree},
        {"info", paf_command_info},     {"compare", paf_command_compare},
        {"export", paf_command_export},
    };
    setlocale(LC_CTYPE, ""); // numbers stay as in C
    const char *first = argc > 1 ? argv[1] : "";
    if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
        fputs(help, stdout);
        return 0;
    }
    if (!strcmp(first, "--version")) {
        printf("paf %s\n", FLENG_VERSION);
        return 0;
    }
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(first, commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    return paf_app_run(argc, argv);
}
