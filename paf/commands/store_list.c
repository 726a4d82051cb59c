// SPDX-License-Identifier: MIT
//
// `paf store list`, and switching runs on and off.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "paf/commands/store_command.h"
#include "paf/say/numbers.h"

static const char list_help[] =
    "usage: paf store list [OPTION...]\n"
    "The runs of the store, by application, condition and trial.\n"
    "\n"
    "      --application A  of one application\n"
    "      --json, --csv    in another form\n" PAF_STORE_HELP "  -h, --help         this text\n";

static const char enable_help[] = "usage: paf store enable|disable|remove [OPTION...] RUN...\n"
                                  "Comparisons count a run, leave it out, or it is taken away for good. "
                                  "`paf store list` has the numbers.\n"
                                  "\n" PAF_STORE_HELP "  -h, --help         this text\n"
                                  "\n"
                                  "Exit status: 0; 1 there is no such run; 2 usage.\n";

static void print_text(const store_listed *runs, size_t n)
{
    paf_table *table = paf_table_create("rllrrrlll");
    const char *cells[] = {"run",  "application", "condition", "trial", "elapsed",
                           "span", "ended",       "date",      "from"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        paf_table_add(table, "%s", cells[i]);
    for (size_t i = 0; i < n; i++) {
        const store_listed *r = &runs[i];
        char *elapsed = r->elapsed < 0 ? g_strdup("-") : paf_nanoseconds(r->elapsed);
        paf_table_add(table, "%lld%s", (long long)r->id, r->enabled ? "" : " off");
        paf_store_add_name(table, r->application);
        paf_store_add_name(table, *r->condition ? r->condition : NULL);
        paf_table_add(table, "%lld", (long long)r->trial);
        paf_table_add(table, "%s", elapsed);
        if (r->span < 0)
            paf_table_add(table, "-");
        else
            paf_table_add(table, "%lld steps", (long long)r->span);
        paf_store_add_name(table, r->ending);
        paf_store_add_name(table, r->date);
        paf_store_add_name(table, r->source);
        g_free(elapsed);
    }
    paf_table_print(table);
}

static void csv_number(int64_t n, char after)
{
    if (n >= 0)
        printf("%lld", (long long)n);
    putchar(after);
}

static void print_csv(const store_listed *runs, size_t n)
{
    puts("run,application,condition,trial,enabled,elapsed_ns,span_steps,ending,date,source");
    for (size_t i = 0; i < n; i++) {
        const store_listed *r = &runs[i];
        csv_number(r->id, ',');
        paf_csv_text(r->application, ',');
        paf_csv_text(r->condition, ',');
        csv_number(r->trial, ',');
        csv_number(r->enabled, ',');
        csv_number(r->elapsed, ',');
        csv_number(r->span, ',');
        paf_csv_text(r->ending ? r->ending : "", ',');
        paf_csv_text(r->date ? r->date : "", ',');
        paf_csv_text(r->source, '\n');
    }
}

static json_t *number_or_null(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *text_or_null(const char *text)
{
    return text ? paf_json_text(text) : json_null();
}

static void print_json(const store_listed *runs, size_t n)
{
    json_t *answer = paf_json_answer(), *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const store_listed *r = &runs[i];
        json_t *row = json_object();
        json_object_set_new(row, "run", json_integer(r->id));
        json_object_set_new(row, "application", paf_json_text(r->application));
        json_object_set_new(row, "condition", paf_json_text(r->condition));
        json_object_set_new(row, "trial", json_integer(r->trial));
        json_object_set_new(row, "enabled", json_boolean(r->enabled));
        json_object_set_new(row, "elapsed", number_or_null(r->elapsed));
        json_object_set_new(row, "span", number_or_null(r->span));
        json_object_set_new(row, "unit", paf_json_text(r->unit));
        json_object_set_new(row, "ending", text_or_null(r->ending));
        json_object_set_new(row, "date", text_or_null(r->date));
        json_object_set_new(row, "source", paf_json_text(r->source));
        json_array_append_new(list, row);
    }
    json_object_set_new(answer, "runs", list);
    paf_json_print(answer);
}

int paf_store_list(int argc, char **argv)
{
    const char *application = NULL, *where = NULL;
    bool json = false, csv = false;
    const paf_option options[] = {{"application", 0, PAF_OPTION_TEXT, {.text = &application}, 0},
                                  {"json", 0, PAF_OPTION_FLAG, {.flag = &json}, 0},
                                  {"csv", 0, PAF_OPTION_FLAG, {.flag = &csv}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &where}, 0},
                                  {0}};
    const paf_usage usage = {"store list", list_help, options, 0, 0};
    int status;
    store_listed *runs;
    size_t n;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    store *s = paf_open_store("store list", where, STORE_READ);
    if (!s)
        return COMMAND_NOTHING;
    if (!store_list(s, application, &runs, &n))
        status = paf_store_failed("store list", s);
    else if (json)
        print_json(runs, n);
    else if (csv)
        print_csv(runs, n);
    else
        print_text(runs, n);
    if (status == COMMAND_OK && n == 0 && application) {
        paf_complain("store list", "the store has no runs of %s", application);
        status = COMMAND_NOTHING;
    }
    store_listed_free(runs, n);
    store_close(s);
    return status;
}

typedef bool change(store *s, int64_t run);

static bool enable(store *s, int64_t run)
{
    return store_enable(s, run, true);
}

static bool disable(store *s, int64_t run)
{
    return store_enable(s, run, false);
}

static int change_runs(const char *command, int argc, char **argv, change *what)
{
    const char *where = NULL;
    const paf_option options[] = {{"store", 0, PAF_OPTION_TEXT, {.text = &where}, 0}, {0}};
    const paf_usage usage = {command, enable_help, options, 1, 1000000};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    for (int i = optind; i < argc; i++) {
        char *end;
        errno = 0;
        if (strtoll(argv[i], &end, 10) < 1 || *end || errno) {
            paf_complain(command, "not the number of a run: %s", argv[i]);
            return COMMAND_USAGE;
        }
    }
    store *s = paf_open_store(command, where, STORE_WRITE);
    if (!s)
        return COMMAND_NOTHING;
    for (int i = optind; i < argc; i++)
        if (!what(s, strtoll(argv[i], NULL, 10)))
            status = paf_store_failed(command, s);
    store_close(s);
    return status;
}

int paf_store_enable(int argc, char **argv)
{
    return change_runs("store enable", argc, argv, enable);
}

int paf_store_disable(int argc, char **argv)
{
    return change_runs("store disable", argc, argv, disable);
}

int paf_store_remove(int argc, char **argv)
{
    return change_runs("store remove", argc, argv, store_remove);
}
