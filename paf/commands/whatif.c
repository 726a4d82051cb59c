// SPDX-License-Identifier: MIT
//
// `paf whatif`: what the run would take if something were different.
#include "iotree/prices.h"
#include "paf/commands/command.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: paf whatif [OPTION...] FILE.paf\n"
    "The span that the run would have if something were different. Give as many as you like; they\n"
    "count together. The recorded dependencies are computed again; nothing else changes.\n"
    "\n"
    "      --without CLASS      reads that wait for nothing, as READER<-MAKER: what clauses of\n"
    "                           READER read of what clauses of MAKER made. Each is p/n, m:p/n or\n"
    "                           p/n@FILE:LINE (the clause's head; of a built-in its goal; #2: the\n"
    "                           second on that line). READER also with .arg2 (read by the second\n"
    "                           argument) or .guard1. `paf report --classes` lists them\n"
    "      --speed-up MODULE=K  what the module's reductions cost is divided by K\n"
    "      --tree PRED/N        goals that each make, or await in one read, another: as a tree\n"
    "      --even PRED/N        siblings that have more work than their mean have the mean\n"
    "      --unordered PRED/N   a goal that follows another of PRED/N does not wait for that\n"
    "      --window CLASS=N     a process's read waits for what the one N - 1 before waited for\n"
    "      --processors P       on P processors instead of unlimited ones\n"
    "  -p, --partition P        modules, as NAME=p/2,q/3 ..., or a file of such lines\n"
    "      --json               as JSON\n"
    "      --memory SIZE        that may be taken, as in 500M or 2G\n"
    "  -h, --help               this text\n"
    "\n"
    "Of a program with OpenMP or MPI a CLASS is a wait state, STATE, STATE@FILE:LINE or @FILE:LINE\n"
    "(barrier@heat.c:20); --even FILE:LINE gives a construct equal shares in each team. The other\n"
    "changes are of Fleng programs. On P processors those that compute share them.\n"
    "\n"
    "Exit status: 0; 1 the file is damaged or nothing matches; 2 usage.\n";

static const char *const names[] = {
    [IOT_SPEED_UP] = "speed-up", [IOT_WITHOUT] = "without",     [IOT_TREE] = "tree",
    [IOT_EVEN] = "even",         [IOT_UNORDERED] = "unordered", [IOT_WINDOW] = "window",
};

enum { KINDS = sizeof names / sizeof *names };

typedef struct {
    paf_texts given[KINDS];
    const char *partition;
    int64_t processors; // 0: unlimited
    bool json;
    ARRAY_OF(iot_operation) operations;
} whatif_options;

static bool read_options(int argc, char **argv, whatif_options *o, int *ret_status)
{
    const paf_option options[] = {
        {"speed-up", 0, PAF_OPTION_TEXTS, {.texts = &o->given[IOT_SPEED_UP]}, 0},
        {"without", 0, PAF_OPTION_TEXTS, {.texts = &o->given[IOT_WITHOUT]}, 0},
        {"tree", 0, PAF_OPTION_TEXTS, {.texts = &o->given[IOT_TREE]}, 0},
        {"even", 0, PAF_OPTION_TEXTS, {.texts = &o->given[IOT_EVEN]}, 0},
        {"unordered", 0, PAF_OPTION_TEXTS, {.texts = &o->given[IOT_UNORDERED]}, 0},
        {"window", 0, PAF_OPTION_TEXTS, {.texts = &o->given[IOT_WINDOW]}, 0},
        {"processors", 0, PAF_OPTION_NUMBER, {.number = &o->processors}, 1},
        {"partition", 'p', PAF_OPTION_TEXT, {.text = &o->partition}, 0},
        {"json", 0, PAF_OPTION_FLAG, {.flag = &o->json}, 0},
        {0},
    };
    const paf_usage usage = {"whatif", help, options, 1, 1};
    if (!paf_read_options(&usage, argc, argv, ret_status))
        return false;
    for (int k = 0; k < KINDS; k++)
        for (size_t i = 0; i < o->given[k].n; i++)
            ARRAY_PUSH(o->operations, (iot_operation){(iot_operation_kind)k, o->given[k].at[i]});
    return true;
}

// ---------------------------------------------------------------------------------------------
// Answers

static double saving(const iot_price_answer *answer)
{
    return answer->span > 0 ? (answer->span - answer->span_without) / answer->span : 0;
}

static void print_json(const iot_price_answer *answer)
{
    json_t *root = paf_json_answer();
    json_object_set_new(root, "span", paf_json_time(answer->span));
    json_object_set_new(root, "span_without", paf_json_time(answer->span_without));
    json_object_set_new(root, "saving", json_real(saving(answer)));
    paf_json_print(root);
}

// "120 steps", "7.5 steps"; of a measured run "1.2 ms".
static char *time_text(const trace *t, double time)
{
    if (trace_is_measured(t)) {
        char *amount = paf_amount(t, llround(time)), *text = base_copy(amount);
        g_free(amount);
        return text;
    }
    return base_format("%.12g step%s", time, time == 1 ? "" : "s");
}

static void print_text(const trace *t, const whatif_options *o, const iot_price_answer *answer)
{
    for (size_t i = 0; i < o->operations.n; i++) {
        const iot_operation *operation = &o->operations.at[i];
        printf("%s %s: %s\n", names[operation->kind], operation->argument, answer->said[i]);
    }
    char *before = time_text(t, answer->span), *after = time_text(t, answer->span_without);
    double saved = 100 * saving(answer);
    printf("%s%s instead of %s%s", paf_style_begin(STYLE_STRONG), after, before,
           paf_style_end(STYLE_STRONG));
    if (answer->span_without == answer->span)
        printf(": that brings nothing");
    else if (fabs(saved) < 0.05)
        printf(" (%s0.1 %% or less)", saved >= 0 ? "-" : "+");
    else
        printf(" (%s%.1f %%)", saved >= 0 ? "-" : "+", fabs(saved));
    if (o->processors)
        printf(", on %lld processor%s", (long long)o->processors, o->processors == 1 ? "" : "s");
    putchar('\n');
    free(before);
    free(after);
}

// ---------------------------------------------------------------------------------------------
// The command

static int ask(const iot *a, const whatif_options *o)
{
    iot_price_answer answer;
    char *error = NULL, name[] = "whatif";
    iot_price_status status =
        iot_price(a, o->operations.at, (uint32_t)o->operations.n, (uint32_t)o->processors,
                  paf_tell_progress, name, &answer, &error);
    paf_end_progress();
    if (status != IOT_PRICED) {
        paf_complain("whatif", "%s", error ? error : "cancelled");
        free(error);
        return status == IOT_NOT_UNDERSTOOD ? COMMAND_USAGE : COMMAND_NOTHING;
    }
    if (o->json)
        print_json(&answer);
    else
        print_text(iot_trace(a), o, &answer);
    iot_free_price(&answer);
    return COMMAND_OK;
}

static int whatif(const char *path, const whatif_options *o)
{
    int status = COMMAND_OK;
    trace *t = paf_open_trace("whatif", path, &status);
    if (!t)
        return status;
    int asked = COMMAND_NOTHING;
    if (paf_expect_history("whatif", path, t)) {
        iot_partition *p = paf_read_partition("whatif", t, o->partition);
        iot *a = p ? iot_analyse(t, p, NULL, NULL) : NULL;
        asked = a ? ask(a, o) : COMMAND_USAGE;
        iot_destroy(a);
        iot_partition_destroy(p);
    }
    trace_close(t);
    return asked == COMMAND_OK ? status : asked;
}

int paf_command_whatif(int argc, char **argv)
{
    whatif_options o = {0};
    int status;
    if (read_options(argc, argv, &o, &status))
        status = whatif(argv[optind], &o);
    for (int k = 0; k < KINDS; k++)
        free(o.given[k].at);
    free(o.operations.at);
    return status;
}
