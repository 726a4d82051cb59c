// SPDX-License-Identifier: MIT
//
// `paf store derive`: runs made of runs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/commands/store_command.h"

static const char help[] =
    "usage: paf store derive [OPTION...] mean CONDITION\n"
    "       paf store derive [OPTION...] difference CONDITION CONDITION\n"
    "       paf store derive [OPTION...] merge CONDITION CONDITION...\n"
    "Adds a run made of the trials that are enabled: their mean; the mean of the first condition less that "
    "of\n"
    "the second; or all functions and metrics of several, where the first that has a figure counts. Its\n"
    "condition has the key `derived`, and it compares like any other.\n"
    "\n"
    "      --application A   if the store has several\n" PAF_STORE_HELP
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0; 1 there is nothing to derive it from, or it is there already; 2 usage.\n";

static const char *const words[] = {
    [STORE_MEAN] = "mean", [STORE_DIFFERENCE] = "difference", [STORE_MERGE] = "merge"};

// -1, with a complaint: the words ask for nothing.
static int read_words(char **argv, int n)
{
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
        if (strcmp(argv[0], words[i]))
            continue;
        if (i == STORE_MEAN ? n == 2 : i == STORE_DIFFERENCE ? n == 3 : n >= 3)
            return i;
        paf_complain("store derive", "%s takes %s", words[i],
                     i == STORE_MEAN         ? "one condition"
                     : i == STORE_DIFFERENCE ? "two conditions"
                                             : "two conditions or more");
        return -1;
    }
    paf_complain("store derive", "%s is none of mean, difference and merge", argv[0]);
    return -1;
}

static int derive(store *s, const char *application, store_derivation how, char **conditions, size_t n)
{
    store_run *r;
    int64_t trial;
    bool known;
    if (!store_derive(s, application, how, (const char *const *)conditions, n, &r))
        return paf_store_failed("store derive", s);
    int status = store_add(s, r, &trial, &known) ? COMMAND_OK : paf_store_failed("store derive", s);
    if (status == COMMAND_OK)
        paf_store_tell_run(r, r->source, trial);
    store_run_destroy(r);
    return status;
}

int paf_store_derive(int argc, char **argv)
{
    const char *application = NULL, *where = NULL;
    const paf_option options[] = {{"application", 0, PAF_OPTION_TEXT, {.text = &application}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &where}, 0},
                                  {0}};
    const paf_usage usage = {"store derive", help, options, 2, 1000};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    int how = read_words(argv + optind, argc - optind);
    if (how < 0)
        return COMMAND_USAGE;
    store *s = paf_open_store("store derive", where, STORE_WRITE);
    if (!s)
        return COMMAND_NOTHING;
    status = derive(s, application, (store_derivation)how, argv + optind + 1, (size_t)(argc - optind - 1));
    store_close(s);
    return status;
}
