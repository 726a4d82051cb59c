// SPDX-License-Identifier: MIT
//
// `paf store`: the table of its words, and what they share.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "paf/commands/store_command.h"
#include "paf/say/numbers.h"

static const char help[] =
    "usage: paf store WORD [OPTION...] ...\n"
    "Runs of applications under conditions, several trials each, kept and compared.\n"
    "\n"
    "  add FILE.paf...          adds traces; what they tell becomes the condition\n"
    "  import FILE...           adds profiles and logs of other tools\n"
    "  list                     what is there\n"
    "  enable|disable RUN...    whether comparisons count a run\n"
    "  remove RUN...            takes runs away, for good\n"
    "  compare CONDITION CONDITION [CONDITION...]\n"
    "                           function by function: means, what differs, and whether that is noise\n"
    "  derive mean|difference|merge CONDITION...  adds a run that is made of others\n"
    "  sql 'SELECT ...'         any question about the tables and views of docs/store.md\n"
    "\n" PAF_STORE_HELP
    "  -h, --help         this text; `paf store WORD --help` has the options of a word\n"
    "\n"
    "Exit status: 0; 1 something could not be read, or nothing matches; 2 usage.\n";

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
} word;

static const word words[] = {
    {"add", paf_store_add},         {"import", paf_store_import},   {"list", paf_store_list},
    {"enable", paf_store_enable},   {"disable", paf_store_disable}, {"remove", paf_store_remove},
    {"compare", paf_store_compare}, {"derive", paf_store_derive},   {"sql", paf_store_sql},
};
enum { WORDS = sizeof words / sizeof *words };

int paf_command_store(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "--help", *near = NULL;
    const char *names[WORDS];
    if (!strcmp(wanted, "--help") || !strcmp(wanted, "-h")) {
        fputs(help, stdout);
        return argc > 1 ? COMMAND_OK : COMMAND_USAGE;
    }
    if (wanted[0] == '-') {
        paf_complain("store", "the word comes first, then its options: paf store list --store FILE");
        return COMMAND_USAGE;
    }
    for (size_t i = 0; i < WORDS; i++) {
        names[i] = words[i].name;
        if (!strcmp(words[i].name, wanted))
            return words[i].run(argc - 1, argv + 1);
    }
    near = nearest_of(wanted, names, WORDS);
    paf_complain("store",
                 near ? "no such word: %s (did you mean %s?)" : "no such word: %s (`paf store --help`)",
                 wanted, near);
    return COMMAND_USAGE;
}

store *paf_open_store(const char *command, const char *where, store_mode mode)
{
    char *path = where ? g_strdup(where) : store_default_path(), *error;
    store *s = store_open(path, mode, &error);
    if (!s && mode == STORE_READ) {
        char *why = NULL;
        if (store_bring_up(path, &why)) { // it was an older one
            free(error);
            s = store_open(path, mode, &error);
        }
        free(why);
    }
    if (!s)
        paf_complain(command, "%s", error);
    if (!s && !where)
        paf_complain(command, "`paf store add FILE.paf` makes the store; --store names another one");
    if (!s)
        free(error);
    free(path);
    return s;
}

int paf_store_failed(const char *command, const store *s)
{
    char *printable = base_printable(store_error(s)); // it may have names of somebody else
    paf_complain(command, "%s", printable ? printable : store_error(s));
    free(printable);
    return COMMAND_NOTHING;
}

bool paf_store_read_keys(const char *command, const char *text, store_run *r)
{
    char **pairs = g_strsplit(text, ",", -1);
    bool good = true, known = false;
    for (size_t i = 0; pairs[i] && good; i++) {
        char *equals = strchr(pairs[i], '=');
        good = equals && equals > pairs[i] && equals[1];
        if (!good)
            break;
        *equals = 0;
        g_strstrip(pairs[i]);
        for (size_t k = 0; k < r->keys.n; k++)
            known |=
                !strcmp(r->keys.at[k].key, pairs[i]) && strcmp(r->keys.at[k].value, g_strstrip(equals + 1));
        if (known) {
            paf_complain(command, "--condition: %s has another value already%s", pairs[i],
                         r->application ? ": the file tells it, or it is given twice" : "");
            break;
        }
        store_run_set_key(r, pairs[i], g_strstrip(equals + 1));
    }
    if (!good)
        paf_complain(command, "--condition: `%s` is no list like nodes=4,size=B", text);
    good &= !known;
    g_strfreev(pairs);
    return good;
}

void paf_store_tell_run(const store_run *r, const char *path, int64_t trial)
{
    base_text text = {0};
    text_add_format(&text, "%s: %s", path, r->application);
    for (size_t i = 0; i < r->keys.n; i++)
        text_add_format(&text, "%s%s=%s", i ? "," : " ", r->keys.at[i].key, r->keys.at[i].value);
    text_add_format(&text, ", trial %lld: %zu functions at %zu %s", (long long)trial, r->functions.n,
                    r->places.n, r->places.n == 1 ? "place" : "places");
    char *printable = base_printable(text_finish(&text));
    puts(printable ? printable : text.at);
    free(printable);
    free(text.at);
}

bool paf_store_add_run(const char *command, store *s, store_run *r, const char *path, bool named)
{
    char *error;
    int64_t trial;
    bool known;
    if (!store_run_stamp(r, path, &error)) {
        paf_complain(command, "%s", error);
        free(error);
        return false;
    }
    if (!store_add(s, r, &trial, &known)) {
        paf_store_failed(command, s);
        return known && !named;
    }
    paf_store_tell_run(r, path, trial);
    return true;
}

void paf_store_add_name(paf_table *table, const char *name)
{
    char *printable = name ? base_printable(name) : NULL;
    paf_table_add(table, "%s", printable ? printable : name ? name : "-");
    free(printable);
}
