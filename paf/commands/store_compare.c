// SPDX-License-Identifier: MIT
//
// `paf store compare`: conditions side by side, as text, CSV and JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "paf/commands/store_command.h"
#include "paf/commands/store_details.h"
#include "paf/model/comparison_words.h"
#include "paf/say/numbers.h"
#include "store/comparison.h"
#include "store/expressions.h"

static const char help[] =
    "usage: paf store compare [OPTION...] CONDITION CONDITION [CONDITION...]\n"
    "How conditions of an application differ: how long they take, and function by function the mean over\n"
    "trials, the standard deviation of a trial, difference, ratio and share; what got slower comes first.\n"
    "A condition is named by as many of its keys as are needed: nodes=4 or nodes=4,size=B.\n"
    "\n"
    "      --application A   if the store has several\n"
    "      --kind KIND       only functions of a kind: routine, loop, mpi, module, predicate, region ...\n"
    "      --metric M        exclusive (default), inclusive, calls, or a metric of the store: bytes, "
    "waiting ...\n"
    "                        (default of runs on the ideal machine: critical, steps on the critical path)\n"
    "      --order ORDER     m (default), difference, ratio, share, or any expression of SQL\n"
    "      --column NAME=E   another column, an expression of SQL; may be given several times\n"
    "      --top N           functions that are shown as text (default: 20; 0: all)\n"
    "      --of WHAT         CSV: functions (default), messages, files or jobs; as text and JSON all are told\n"
    "      --json, --csv     in another form, with all functions; times in nanoseconds\n"
    "      --raw             CSV: texts as they are\n" PAF_STORE_HELP "  -h, --help            this text\n"
    "\n"
    "m = t_a log(t_a / t_b), with a the slower condition; what only one condition has counts with its own "
    "time.\n"
    "noise: a rank test over the trials (Mann-Whitney, 5 %) tells no difference; +N: so many more trials "
    "of each\n"
    "condition would tell one as large as this. Exit status: 0; 1 there is nothing to compare; 2 usage.\n";

typedef struct {
    const char *application, *kind, *metric, *order, *where, *of;
    paf_texts columns;
    int64_t top;
    bool json, csv, raw;
} compare_options;

// A column that was asked for: its name, and a value for each function.
typedef struct {
    char *name;
    double *values;
} column;

typedef struct {
    const compare_options *o;
    const store_comparison *c;
    uint32_t *rows; // functions in the order in which they are shown
    ARRAY_OF(column) columns;
    char **names; // of the conditions, short
    ARRAY_OF(store_details *) details;
} shown;

// ---------------------------------------------------------------------------------------------
// Text

// Elapsed time of all places in which no processor ran them: they waited, also for input and output.
static double without_processor(const store_condition *k)
{
    double rest = k->total - k->cpu.mean;
    return isnan(k->elapsed.mean) || !(rest >= 0) ? NAN : rest;
}

static void print_conditions(const shown *s)
{
    const store_comparison *c = s->c;
    paf_table *table = paf_table_create("lrrrrr");
    const char *titles[] = {"condition", "trials", "elapsed", "processor time", "waiting, I/O", "span"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        paf_table_add(table, "%s", titles[i]);
    for (size_t i = 0; i < c->nconditions; i++) {
        const store_condition *k = &c->conditions[i];
        char *elapsed = paf_mean_text("ns", &k->elapsed), *cpu = paf_mean_text("ns", &k->cpu);
        char *span = paf_mean_text("steps", &k->span), *idle = paf_store_amount("ns", without_processor(k));
        paf_store_add_name(table, *k->name ? k->name : "(no keys)");
        paf_table_add(table, "%zu", k->ntrials);
        paf_table_add(table, "%s", elapsed);
        paf_table_add(table, "%s", cpu);
        paf_table_add(table, "%s", idle);
        paf_table_add(table, "%s", span);
        g_free(elapsed);
        g_free(cpu);
        g_free(idle);
        g_free(span);
    }
    paf_table_print(table);
}

static void add_verdict(paf_table *table, const store_compared *f)
{
    static const char *const words[] = {
        [STORE_NO_TEST] = "", [STORE_NOISE] = "noise", [STORE_DIFFERENT] = "different"};
    bool alone = f->only_slower || f->only_faster;
    base_text text = {0};
    text_add_format(&text, "%s%s%s", words[f->test.verdict], *words[f->test.verdict] && alone ? ", " : "",
                    alone ? "one side only" : "");
    if (f->test.more && f->difference != 0)
        text_add_format(&text, "%s+%u", text.n ? " " : "", f->test.more);
    paf_table_add(table, "%s", text.n ? text_finish(&text) : "-");
    free(text.at);
}

static void add_number(paf_table *table, double n)
{
    if (isnan(n))
        paf_table_add(table, "-");
    else if (isinf(n))
        paf_table_add(table, "%s", n > 0 ? "∞" : "-∞");
    else
        paf_table_add(table, "%.4g", n);
}

static void add_titles(paf_table *table, const shown *s)
{
    paf_table_add(table, "function");
    paf_table_add(table, "kind");
    for (size_t i = 0; i < s->c->nconditions; i++)
        paf_table_add(table, "%s", s->names[i]);
    paf_table_add(table, "difference");
    paf_table_add(table, "ratio");
    paf_table_add(table, "share");
    paf_table_add(table, "m");
    for (size_t i = 0; i < s->columns.n; i++)
        paf_store_add_name(table, s->columns.at[i].name);
    paf_table_add(table, "trials say");
}

static void add_function(paf_table *table, const shown *s, uint32_t row)
{
    const store_comparison *c = s->c;
    const store_compared *f = &c->functions[row];
    char *name = paf_function_text(f), *difference = paf_store_amount(c->unit, f->difference);
    char *order = paf_store_amount(c->unit, round(f->order));
    paf_table_add(table, "%s", name);
    paf_store_add_name(table, f->kind);
    for (size_t i = 0; i < c->nconditions; i++) {
        char *text = paf_mean_text(c->unit, &f->figures[i]);
        paf_table_add(table, "%s", text);
        g_free(text);
    }
    paf_table_add(table, "%s", difference);
    add_number(table, f->ratio);
    char *share = isnan(f->share) ? g_strdup("-") : paf_percent(f->share, 1);
    paf_table_add(table, "%s", share);
    paf_table_add(table, "%s", order);
    for (size_t i = 0; i < s->columns.n; i++)
        add_number(table, s->columns.at[i].values[row]);
    add_verdict(table, f);
    free(name);
    g_free(difference);
    g_free(order);
    g_free(share);
}

// Runs that did not end as their program does are not comparable, whatever their times.
static void print_endings(const shown *s)
{
    for (size_t i = 0; i < s->c->nconditions; i++)
        if (s->c->conditions[i].nabnormal)
            printf("%snote: %zu of %zu trials of %s did not end normally%s\n", paf_style_begin(STYLE_NOTE),
                   s->c->conditions[i].nabnormal, s->c->conditions[i].ntrials, s->names[i],
                   paf_style_end(STYLE_NOTE));
}

static void print_text(const shown *s)
{
    const store_comparison *c = s->c;
    size_t n = s->o->top && (uint64_t)s->o->top < c->nfunctions ? (size_t)s->o->top : c->nfunctions;
    char *sentence = paf_length_sentence(c, s->names), *moved = paf_moved_sentence(c, s->names);
    char *alignment = g_strnfill(7 + c->nconditions + s->columns.n, 'r');
    printf("%s%s%s\n", paf_style_begin(STYLE_STRONG), sentence, paf_style_end(STYLE_STRONG));
    fputs(moved, stdout);
    print_endings(s);
    putchar('\n');
    print_conditions(s);
    printf("\nFunctions%s%s", s->o->metric ? " by " : "", s->o->metric ? s->o->metric : "");
    if (c->nconditions > 2)
        printf("; difference, ratio, share and m are of %s and %s, the slowest and the fastest",
               s->names[c->slower], s->names[c->faster]);
    putchar('\n');
    alignment[0] = alignment[1] = alignment[strlen(alignment) - 1] = 'l';
    paf_table *table = paf_table_create(alignment);
    add_titles(table, s);
    for (size_t i = 0; i < n; i++)
        add_function(table, s, s->rows[i]);
    paf_table_print(table);
    if (n < c->nfunctions)
        printf("  %zu more (--top 0 shows all)\n", c->nfunctions - n);
    for (size_t i = 0; i < s->details.n; i++)
        paf_store_print_details(s->details.at[i], c, s->names, s->o->top ? (size_t)s->o->top / 2 : 0);
    free(sentence);
    free(moved);
    g_free(alignment);
}

// ---------------------------------------------------------------------------------------------
// CSV and JSON

static void csv_number(double n, char after)
{
    if (isfinite(n))
        printf("%.15g", n);
    if (after)
        putchar(after);
}

static void print_csv(const shown *s)
{
    const store_comparison *c = s->c;
    printf("kind,name,signature,ordinal");
    for (size_t i = 0; i < c->nconditions; i++) {
        putchar(',');
        paf_csv_text(s->names[i], ',');
        char *title = g_strdup_printf("deviation of %s", s->names[i]);
        paf_csv_text(title, 0);
        g_free(title);
    }
    printf(",difference,ratio,share,m,p,verdict");
    for (size_t i = 0; i < s->columns.n; i++) {
        putchar(',');
        paf_csv_text(s->columns.at[i].name, 0);
    }
    putchar('\n');
    for (size_t i = 0; i < c->nfunctions; i++) {
        const store_compared *f = &c->functions[s->rows[i]];
        static const char *const verdicts[] = {
            [STORE_NO_TEST] = "", [STORE_NOISE] = "noise", [STORE_DIFFERENT] = "different"};
        paf_csv_text(f->kind, ',');
        paf_csv_text(f->name, ',');
        paf_csv_text(f->signature, ',');
        printf("%lld,", (long long)f->ordinal);
        for (size_t j = 0; j < c->nconditions; j++) {
            csv_number(f->figures[j].mean, ',');
            csv_number(f->figures[j].deviation, ',');
        }
        csv_number(f->difference, ',');
        csv_number(f->ratio, ',');
        csv_number(f->share, ',');
        csv_number(f->order, ',');
        csv_number(f->test.p, ',');
        fputs(verdicts[f->test.verdict], stdout);
        for (size_t j = 0; j < s->columns.n; j++) {
            putchar(',');
            csv_number(s->columns.at[j].values[s->rows[i]], 0);
        }
        putchar('\n');
    }
}

static json_t *json_number(double n)
{
    return isfinite(n) ? json_real(n) : json_null();
}

static json_t *json_figure(const store_figure *f)
{
    json_t *o = json_object(), *trials = json_array();
    for (size_t i = 0; i < f->ntrials; i++)
        json_array_append_new(trials, json_number(f->trials[i]));
    json_object_set_new(o, "mean", json_number(f->mean));
    json_object_set_new(o, "deviation", json_number(f->deviation));
    json_object_set_new(o, "trials", trials);
    return o;
}

static json_t *json_test(const store_test *test)
{
    static const char *const verdicts[] = {
        [STORE_NO_TEST] = "untested", [STORE_NOISE] = "noise", [STORE_DIFFERENT] = "different"};
    json_t *o = json_object();
    json_object_set_new(o, "verdict", json_string(verdicts[test->verdict]));
    json_object_set_new(o, "p", json_number(test->p));
    json_object_set_new(o, "more_trials", json_integer(test->more));
    return o;
}

static json_t *json_conditions(const store_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->nconditions; i++) {
        const store_condition *k = &c->conditions[i];
        json_t *o = json_object();
        json_object_set_new(o, "application", paf_json_text(k->application));
        json_object_set_new(o, "condition", paf_json_text(k->name));
        json_object_set_new(o, "trials", json_integer((json_int_t)k->ntrials));
        json_object_set_new(o, "ended_abnormally", json_integer((json_int_t)k->nabnormal));
        json_object_set_new(o, "elapsed", json_figure(&k->elapsed));
        json_object_set_new(o, "processor_time", json_figure(&k->cpu));
        json_object_set_new(o, "span", json_figure(&k->span));
        json_object_set_new(o, "without_processor", json_number(without_processor(k)));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *json_function(const shown *s, uint32_t row)
{
    const store_compared *f = &s->c->functions[row];
    json_t *o = json_object(), *figures = json_array();
    for (size_t i = 0; i < s->c->nconditions; i++)
        json_array_append_new(figures, json_figure(&f->figures[i]));
    json_object_set_new(o, "kind", paf_json_text(f->kind));
    json_object_set_new(o, "name", paf_json_text(f->name));
    json_object_set_new(o, "signature", paf_json_text(f->signature));
    json_object_set_new(o, "ordinal", json_integer(f->ordinal));
    json_object_set_new(o, "figures", figures);
    json_object_set_new(o, "difference", json_number(f->difference));
    json_object_set_new(o, "ratio", json_number(f->ratio));
    json_object_set_new(o, "share", json_number(f->share));
    json_object_set_new(o, "m", json_number(f->order));
    json_object_set_new(o, "test", json_test(&f->test));
    for (size_t i = 0; i < s->columns.n; i++)
        json_object_set_new(o, s->columns.at[i].name, json_number(s->columns.at[i].values[row]));
    return o;
}

static void print_json(const shown *s)
{
    const store_comparison *c = s->c;
    json_t *answer = paf_json_answer(), *functions = json_array();
    char *sentence = paf_length_sentence(c, s->names);
    for (size_t i = 0; i < c->nfunctions; i++)
        json_array_append_new(functions, json_function(s, s->rows[i]));
    json_object_set_new(answer, "sentence", paf_json_text(sentence));
    json_object_set_new(answer, "unit", paf_json_text(c->unit));
    json_object_set_new(answer, "slower", json_integer((json_int_t)c->slower));
    json_object_set_new(answer, "faster", json_integer((json_int_t)c->faster));
    json_object_set_new(answer, "test", json_test(&c->test));
    json_object_set_new(answer, "conditions", json_conditions(c));
    json_object_set_new(answer, "functions", functions);
    for (size_t i = 0; i < s->details.n; i++)
        json_object_set_new(answer, s->details.at[i]->aspect->name, paf_store_details_json(s->details.at[i]));
    free(sentence);
    paf_json_print(answer);
}

// ---------------------------------------------------------------------------------------------
// Columns and order

static bool add_column(shown *s, const char *name, size_t n, const char *expression)
{
    char *error;
    column c = {g_strndup(name, n), base_allocate(s->c->nfunctions, sizeof *c.values)};
    ARRAY_PUSH(s->columns, c);
    if (store_evaluate(s->c, expression, c.values, &error))
        return true;
    paf_complain("store compare", "%s", error);
    free(error);
    return false;
}

static bool choose_order(shown *s)
{
    char *error;
    s->rows = base_allocate(s->c->nfunctions, sizeof *s->rows);
    if (store_order(s->c, s->o->order, s->rows, &error))
        return true;
    paf_complain("store compare", "%s", error);
    free(error);
    return false;
}

static bool add_columns(shown *s)
{
    for (size_t i = 0; i < s->o->columns.n; i++) {
        const char *text = s->o->columns.at[i], *equals = strchr(text, '=');
        if (!equals || equals == text) {
            paf_complain("store compare", "--column: `%s` is no NAME=EXPRESSION", text);
            return false;
        }
        if (!add_column(s, text, (size_t)(equals - text), equals + 1))
            return false;
    }
    return choose_order(s);
}

// NULL: functions, or there is no such thing.
static const store_details *details_named(const shown *s, const char *name)
{
    for (size_t i = 0; name && i < s->details.n; i++)
        if (!strcmp(s->details.at[i]->aspect->name, name))
            return s->details.at[i];
    return NULL;
}

static bool read_details(shown *s, store *st)
{
    for (size_t i = 0; i < store_naspects(); i++) {
        store_details *d = store_compare_details(st, s->c, store_get_aspect(i));
        if (!d)
            return false;
        ARRAY_PUSH(s->details, d);
    }
    return true;
}

static void show(const shown *s)
{
    const store_details *of = details_named(s, s->o->of);
    if (s->o->json)
        print_json(s);
    else if (s->o->csv && of)
        paf_store_details_csv(of, s->names);
    else if (s->o->csv)
        print_csv(s);
    else
        print_text(s);
}

static int compare(store *st, const compare_options *o, const char *const *conditions, size_t n)
{
    store_comparison *c = store_compare(st, o->application, conditions, n, o->kind, o->metric);
    int status = COMMAND_OK;
    if (!c)
        return paf_store_failed("store compare", st);
    shown s = {.o = o, .c = c, .names = base_allocate(n + 1, sizeof *s.names)};
    for (size_t i = 0; i < n; i++)
        s.names[i] = paf_condition_name(c, i);
    if (c->nfunctions == 0 && o->kind) {
        paf_complain("store compare", "no function is of the kind %s", o->kind);
        status = COMMAND_NOTHING;
    } else if (!read_details(&s, st)) {
        status = paf_store_failed("store compare", st);
    } else if (o->of && strcmp(o->of, "functions") && !details_named(&s, o->of)) {
        paf_complain("store compare", "--of %s: functions, messages, files or jobs are compared", o->of);
        status = COMMAND_USAGE;
    } else if (add_columns(&s)) {
        show(&s);
    } else {
        status = COMMAND_USAGE;
    }
    for (size_t i = 0; i < s.columns.n; i++) {
        g_free(s.columns.at[i].name);
        free(s.columns.at[i].values);
    }
    free(s.columns.at);
    for (size_t i = 0; i < s.details.n; i++)
        store_details_free(s.details.at[i]);
    free(s.details.at);
    g_strfreev(s.names);
    free(s.rows);
    store_comparison_free(c);
    return status;
}

int paf_store_compare(int argc, char **argv)
{
    compare_options o = {.top = 20};
    const paf_option options[] = {{"application", 0, PAF_OPTION_TEXT, {.text = &o.application}, 0},
                                  {"kind", 0, PAF_OPTION_TEXT, {.text = &o.kind}, 0},
                                  {"metric", 0, PAF_OPTION_TEXT, {.text = &o.metric}, 0},
                                  {"order", 0, PAF_OPTION_TEXT, {.text = &o.order}, 0},
                                  {"column", 0, PAF_OPTION_TEXTS, {.texts = &o.columns}, 0},
                                  {"top", 0, PAF_OPTION_NUMBER, {.number = &o.top}, 0},
                                  {"of", 0, PAF_OPTION_TEXT, {.text = &o.of}, 0},
                                  {"json", 0, PAF_OPTION_FLAG, {.flag = &o.json}, 0},
                                  {"csv", 0, PAF_OPTION_FLAG, {.flag = &o.csv}, 0},
                                  {"raw", 0, PAF_OPTION_FLAG, {.flag = &o.raw}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &o.where}, 0},
                                  {0}};
    const paf_usage usage = {"store compare", help, options, 2, 100};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    if (o.raw)
        paf_csv_keep_raw();
    store *s = paf_open_store("store compare", o.where, STORE_READ);
    if (!s)
        return COMMAND_NOTHING;
    status = compare(s, &o, (const char *const *)argv + optind, (size_t)(argc - optind));
    free(o.columns.at);
    store_close(s);
    return status;
}
