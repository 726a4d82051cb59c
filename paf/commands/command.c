// SPDX-License-Identifier: MIT
//
// What the commands share.
#include "paf/commands/command.h"
#include "base/array.h"
#include "base/output.h"
#include "base/text.h"
#include "base/utf8.h"
#include "paf/model/report_file.h"
#include "paf/say/numbers.h"
#include "profiler/profile.h"
#include "profiler/regions.h"
#include "profiler/samples.h"

#include <sys/stat.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// Options and files

void paf_complain(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, *command ? "paf %s: " : "paf%s: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int paf_next_option(const char *command, int argc, char **argv, const char *letters,
                    const struct option *options)
{
    opterr = 0;
    int before = optind ? optind : 1;
    int c = getopt_long(argc, argv, letters, options, NULL);
    if (c != '?' && c != ':')
        return c;
    // An unknown letter within a word leaves optind at the word.
    const char *word = optind > before ? argv[optind - 1] : argv[before];
    const char *gap = *command ? " " : "";
    if (c == ':')
        paf_complain(command, "option %s needs a value; see paf%s%s --help", word, gap, command);
    else if (optopt && strncmp(word, "--", 2))
        paf_complain(command, "unknown option -%c; see paf%s%s --help", optopt, gap, command);
    else if (optopt)
        paf_complain(command, "option %s takes no value", word);
    else
        paf_complain(command, "unknown or ambiguous option %s; see paf%s%s --help", word, gap,
                     command);
    return '?';
}

static bool expect_files(const paf_usage *usage, int argc)
{
    const char *command = usage->command;
    int n = argc - optind;
    if (n < usage->least_files)
        paf_complain(command,
                     n ? "another file is needed; see paf %s --help"
                       : "no file given; see paf %s --help",
                     command);
    else if (n > usage->most_files)
        paf_complain(command, "too many files; see paf %s --help", command);
    return n >= usage->least_files && n <= usage->most_files;
}

static bool read_number(const char *command, const paf_option *option)
{
    char *end;
    errno = 0;
    long long n = strtoll(optarg, &end, 10);
    if (end == optarg || *end || errno || n < option->least) {
        paf_complain(command, "--%s: `%s` is not a whole number of at least %lld", option->name,
                     optarg, (long long)option->least);
        return false;
    }
    *option->to.number = n;
    return true;
}

static bool take_option(const char *command, const paf_option *option)
{
    if (option->kind == PAF_OPTION_NUMBER)
        return read_number(command, option);
    if (option->kind == PAF_OPTION_TEXT)
        *option->to.text = optarg;
    else if (option->kind == PAF_OPTION_TEXTS)
        ARRAY_PUSH(*option->to.texts, optarg);
    else
        *option->to.flag = true;
    return true;
}

enum { MOST_OPTIONS = 16, MEMORY = 255, FIRST_CODE = 256 }; // what getopt_long() returns for options[0]

// The options as getopt_long() wants them; --help and --memory come last. letters: of the short forms.
static void convert_options(const paf_option *options, struct option *ret_long, char *ret_letters)
{
    int n = 0;
    *ret_letters++ = ':'; // a missing value is told from an unknown option
    for (; options[n].name; n++) {
        if (n == MOST_OPTIONS)
            base_bug("too many options");
        int has_value = options[n].kind == PAF_OPTION_FLAG ? no_argument : required_argument;
        ret_long[n] = (struct option){options[n].name, has_value, NULL, FIRST_CODE + n};
        if (options[n].letter)
            *ret_letters++ = options[n].letter;
        if (options[n].letter && has_value == required_argument)
            *ret_letters++ = ':';
    }
    ret_long[n] = (struct option){"help", no_argument, NULL, 'h'};
    ret_long[n + 1] = (struct option){"memory", required_argument, NULL, MEMORY};
    ret_long[n + 2] = (struct option){0};
    *ret_letters++ = 'h';
    *ret_letters = 0;
}

static const paf_option *option_of(const paf_option *options, int code)
{
    if (code >= FIRST_CODE)
        return &options[code - FIRST_CODE];
    while (options->letter != code)
        options++;
    return options;
}

bool paf_read_options(const paf_usage *usage, int argc, char **argv, int *ret_status)
{
    struct option long_options[MOST_OPTIONS + 3];
    char letters[2 * MOST_OPTIONS + 3];
    convert_options(usage->options, long_options, letters);
    optind = 0;
    *ret_status = COMMAND_USAGE;
    for (int c; (c = paf_next_option(usage->command, argc, argv, letters, long_options)) != -1;) {
        if (c == 'h') {
            fputs(usage->help, stdout);
            *ret_status = COMMAND_OK;
            return false;
        }
        if (c == MEMORY && paf_set_memory(usage->command, optarg))
            continue;
        if (c == '?' || c == MEMORY || !take_option(usage->command, option_of(usage->options, c)))
            return false;
    }
    if (!expect_files(usage, argc))
        return false;
    *ret_status = COMMAND_OK;
    return true;
}

bool paf_is_indicator(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash && slash > text && slash[1] && !slash[1 + strspn(slash + 1, "0123456789")];
}

static bool tell_reading(void *data, uint64_t done, uint64_t total)
{
    return paf_tell_progress(data, total ? (double)done / (double)total : 1);
}

trace *paf_open_trace(const char *command, const char *path, int *status)
{
    base_output_protect(path, "it is read");
    if (!paf_admit(command, path)) {
        *status = COMMAND_NOTHING;
        return NULL;
    }
    char *error = NULL, *reading = g_strdup_printf("%s: reading", command);
    trace_error problem;
    trace *t = paf_trace_open(path, tell_reading, reading, &problem, &error);
    paf_end_progress();
    g_free(reading);
    if (problem.kind == TRACE_NO_MEMORY) { // what has been read would pass for all
        trace_close(t);
        t = NULL;
    }
    if (!t || error) {
        bool damaged = !t && problem.kind == TRACE_DAMAGED;
        const char *more = problem.kind == TRACE_NO_MEMORY ? " (--memory SIZE sets how much)" : "";
        paf_complain(command, damaged ? "nothing is readable: %s%s" : "%s%s", error ? error : path, more);
        *status = COMMAND_NOTHING;
    }
    free(error);
    return t;
}

static struct {
    gint64 begun;      // microseconds; 0: no work is under way
    const char *shown; // what is on the terminal; NULL: nothing
    int percent;
} telling;

bool paf_tell_progress(void *data, double fraction)
{
    gint64 now = g_get_monotonic_time();
    int percent = (int)(100 * fraction);
    if (!isatty(STDERR_FILENO))
        return true;
    if (!telling.begun)
        telling.begun = now;
    if (now - telling.begun > G_USEC_PER_SEC / 4 &&
        (percent != telling.percent || data != telling.shown)) {
        fprintf(stderr, "\rpaf %s: %d %%\033[K ", (const char *)data, percent);
        telling.shown = data;
        telling.percent = percent;
    }
    return true;
}

void paf_end_progress(void)
{
    if (telling.shown)
        fputs("\r\033[K", stderr);
    telling.begun = 0;
    telling.shown = NULL;
}

bool paf_expect_history(const char *command, const char *path, const trace *t)
{
    if (trace_nreductions(t) > 0)
        return true;
    if (trace_get_samples(t) && trace_nreductions(t) == 0) {
        paf_complain(command,
                     "%s has samples: what each worker did, without reductions (paf report tells "
                     "them); record with fleng -trace, without -trace-sample",
                     path);
        return false;
    }
    if (!trace_get_profile(t)) {
        paf_complain(command,
                     "%s: no timeline was recorded: it holds totals (paf report tells them, "
                     "paf export --view table draws them)",
                     path);
        return false;
    }
    paf_complain(command,
                 "%s is a profile: figures by module, without causes; record with "
                 "fleng -trace instead of -profile",
                 path);
    return false;
}

iot_partition *paf_read_partition(const char *command, const trace *t, const char *text)
{
    return paf_read_partition_among(command, t, NULL, text);
}

iot_partition *paf_read_partition_among(const char *command, const trace *t, const trace *other,
                                        const char *text)
{
    if (!text)
        return iot_partition_default(t);
    char *error = NULL, *content = NULL;
    GError *unread = NULL;
    struct stat s;
    bool is_file = stat(text, &s) == 0 && (S_ISREG(s.st_mode) || S_ISFIFO(s.st_mode)); // no device
    if (is_file)
        base_output_protect(text, "the partition is read from it");
    if (is_file && !g_file_get_contents(text, &content, NULL, &unread)) {
        paf_complain(command, "--partition: %s", unread->message);
        g_error_free(unread);
        return NULL;
    }
    if (!is_file && !strchr(text, '=')) {
        paf_complain(command,
                     "--partition: %s is neither NAME=PREDICATE/N,... nor a file that "
                     "can be read",
                     text);
        return NULL;
    }
    iot_partition *p = iot_partition_parse_among(t, other, content ? content : text, &error);
    if (!p)
        paf_complain(command, "--partition: %s", error);
    free(error);
    g_free(content);
    return p;
}

const char *paf_clock_name(const trace *t)
{
    return trace_get_clock(t) == TRACE_VIRTUAL ? "virtual" : "real";
}

bool paf_is_clock(const char *command, const char *name)
{
    if (!name || !strcmp(name, "real") || !strcmp(name, "virtual"))
        return true;
    if (!strcmp(name, "cpu"))
        paf_complain(command, "the clock cpu is for paf report");
    else
        paf_complain(command, "no such clock: %s (real or virtual; for a report also cpu)", name);
    return false;
}

iot_clock paf_choose_clock(const char *command, const trace *t, const char *name)
{
    bool real = name ? !strcmp(name, "real") : trace_is_measured(t);
    if (real && iot_has_real_time(t))
        return IOT_REAL_TIME;
    if (real)
        paf_complain(command, "a run of the ideal machine has no real time: times are virtual");
    return IOT_VIRTUAL_TIME;
}

const char *paf_ending_name(trace_ending ending)
{
    static const char *const names[] = {
        [TRACE_NORMAL] = "normal",           [TRACE_FAILED] = "failed",
        [TRACE_HALTED] = "halted",           [TRACE_STOPPED] = "stopped",
        [TRACE_INTERRUPTED] = "interrupted", [TRACE_DEADLOCK] = "deadlock",
        [TRACE_UNFINISHED] = "unfinished",
    };
    return names[ending];
}

const char *paf_end_name(const trace *t)
{
    return trace_get_cut(t) ? "cut at its size" : paf_ending_name(trace_get_ending(t));
}

// ---------------------------------------------------------------------------------------------
// Style

static bool is_styled(void)
{
    static int styled = -1;
    if (styled < 0) {
        const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
        styled = isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb");
    }
    return styled;
}

const char *paf_style_begin(paf_style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",        [STYLE_STRONG] = "\033[1m", [STYLE_DIM] = "\033[2m",
        [STYLE_NOTE] = "\033[33m", [STYLE_BAD] = "\033[31m",
    };
    return is_styled() ? codes[style] : "";
}

const char *paf_style_end(paf_style style)
{
    return is_styled() && style != STYLE_PLAIN ? "\033[0m" : "";
}

// ---------------------------------------------------------------------------------------------
// Tables

struct paf_table {
    const char *alignment;
    size_t ncolumns;
    ARRAY_OF(char *) cells;
};

paf_table *paf_table_create(const char *alignment)
{
    paf_table *t = base_allocate(1, sizeof *t);
    t->alignment = alignment;
    t->ncolumns = strlen(alignment);
    return t;
}

void paf_table_add(paf_table *t, const char *format, ...)
{
    base_text cell = {0};
    va_list args;
    va_start(args, format);
    text_add_arguments(&cell, format, args);
    va_end(args);
    ARRAY_PUSH(t->cells, text_finish(&cell));
}

void paf_table_add_nanoseconds(paf_table *t, int64_t n)
{
    char *text = paf_nanoseconds(n);
    paf_table_add(t, "%s", text);
    g_free(text);
}

void paf_table_add_time(paf_table *t, const trace *of, iot_clock clock, int64_t n)
{
    if (clock == IOT_REAL_TIME)
        paf_table_add_nanoseconds(t, n);
    else
        paf_table_add_amount(t, of, n);
}

void paf_table_add_amount(paf_table *t, const trace *of, int64_t n)
{
    char *text = paf_amount(of, n);
    paf_table_add(t, "%s", text);
    g_free(text);
}

static size_t width_of(const char *s)
{
    return utf8_count(s, strlen(s));
}

static void print_cell(const paf_table *t, size_t cell, size_t width)
{
    size_t column = cell % t->ncolumns, gap = width - width_of(t->cells.at[cell]);
    bool right = t->alignment[column] == 'r', last = column + 1 == t->ncolumns;
    printf("  %*s%s", right ? (int)gap : 0, "", t->cells.at[cell]);
    if (!right && !last)
        printf("%*s", (int)gap, "");
}

void paf_table_print(paf_table *t)
{
    size_t *widths = base_allocate(t->ncolumns, sizeof *widths);
    for (size_t i = 0; i < t->cells.n; i++) {
        size_t width = width_of(t->cells.at[i]), *widest = &widths[i % t->ncolumns];
        *widest = width > *widest ? width : *widest;
    }
    for (size_t i = 0; i < t->cells.n; i++) {
        paf_style style = i < t->ncolumns ? STYLE_DIM : STYLE_PLAIN;
        if (i % t->ncolumns == 0)
            fputs(paf_style_begin(style), stdout);
        print_cell(t, i, widths[i % t->ncolumns]);
        if ((i + 1) % t->ncolumns == 0)
            printf("%s\n", paf_style_end(style));
        free(t->cells.at[i]);
    }
    free(widths);
    free(t->cells.at);
    free(t);
}

// ---------------------------------------------------------------------------------------------
// CSV

static bool csv_is_raw;

void paf_csv_keep_raw(void)
{
    csv_is_raw = true;
}

void paf_csv_text(const char *text, char after)
{
    // A spreadsheet would compute it.
    bool computed = !csv_is_raw && *text && strchr("=+-@\t\r", *text);
    bool quoted = text[strcspn(text, ",\"\r\n")];
    if (quoted)
        putchar('"');
    if (computed)
        putchar('\'');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    if (quoted)
        putchar('"');
    if (after)
        putchar(after);
}

// ---------------------------------------------------------------------------------------------
// JSON

json_t *paf_json_text(const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
    json_t *value = json_string(valid);
    g_free(valid);
    return value;
}

json_t *paf_json_take(char *text)
{
    json_t *value = paf_json_text(text);
    free(text);
    return value;
}

json_t *paf_json_time(double time)
{
    return time == floor(time) && fabs(time) < 0x1p53 ? json_integer((json_int_t)time)
                                                      : json_real(time);
}

json_t *paf_json_answer(void)
{
    json_t *object = json_object();
    json_object_set_new(object, "format", json_integer(PAF_JSON_FORMAT));
    return object;
}

json_t *paf_json_count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

json_t *paf_json_cut(const trace_cut *cut)
{
    json_t *o = json_object();
    json_object_set_new(o, "work", paf_json_count(cut->reductions));
    json_object_set_new(o, "span", json_integer(cut->span));
    json_object_set_new(o, "bytes", paf_json_count(cut->bytes));
    return o;
}

json_t *paf_json_dropped(const trace *t)
{
    const trace_dropped *dropped;
    uint32_t n = trace_get_dropped(t, &dropped);
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const char *name = trace_place_name(t, dropped[i].place);
        json_t *o = json_object();
        json_object_set_new(o, "place", paf_json_count(dropped[i].place));
        json_object_set_new(o, "name", name ? paf_json_text(name) : json_null());
        json_object_set_new(o, "kept", paf_json_count(dropped[i].kept));
        json_object_set_new(o, "events", paf_json_count(dropped[i].seen));
        json_object_set_new(o, "capped", json_boolean(dropped[i].capped));
        json_array_append_new(array, o);
    }
    return array;
}

void paf_json_print(json_t *value)
{
    char *text = json_dumps(value, 0); // whole before any of it is printed
    json_decref(value);
    puts(text);
    free(text);
}
