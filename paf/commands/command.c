// SPDX-License-Identifier: MIT
#include "paf/commands/command.h"
#include "paf/draw/numbers.h"
#include "profiler/profile.h"
#include "profiler/regions.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// Options and files

void command_complain(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, *command ? "paf %s: " : "paf%s: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int command_option(const char *command, int argc, char **argv, const char *letters,
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
        command_complain(command, "option %s needs a value; see paf%s%s --help", word, gap, command);
    else if (optopt && strncmp(word, "--", 2))
        command_complain(command, "unknown option -%c; see paf%s%s --help", optopt, gap, command);
    else if (optopt)
        command_complain(command, "option %s takes no value", word);
    else
        command_complain(command, "unknown or ambiguous option %s; see paf%s%s --help", word, gap,
                         command);
    return '?';
}

bool command_files(const char *command, int argc, int least, int most)
{
    int n = argc - optind;
    if (n < least)
        command_complain(command,
                         n ? "another file is needed; see paf %s --help"
                           : "no file given; see paf %s --help",
                         command);
    else if (n > most)
        command_complain(command, "too many files; see paf %s --help", command);
    return n >= least && n <= most;
}

bool command_number(const char *command, const char *option, const char *text, int64_t least,
                    int64_t *ret)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno || n < least) {
        command_complain(command, "%s: `%s` is not a whole number of at least %lld", option, text,
                         (long long)least);
        return false;
    }
    *ret = n;
    return true;
}

bool command_is_indicator(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash && slash > text && slash[1] && !slash[1 + strspn(slash + 1, "0123456789")];
}

trace *command_open(const char *command, const char *path, int *status)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    if (!t || error) {
        // A damaged file of which nothing is left is told from one that never was a trace (offset
        // 0).
        bool damaged = !t && error && strstr(error, ": offset ") && !strstr(error, ": offset 0: ");
        command_complain(command, damaged ? "nothing is readable: %s" : "%s", error ? error : path);
        *status = COMMAND_NOTHING;
    }
    free(error);
    return t;
}

bool command_history(const char *command, const char *path, const trace *t)
{
    if (trace_nreductions(t) > 0)
        return true;
    if (!trace_get_profile(t)) {
        command_complain(command,
                         "%s: no timeline was recorded: it holds totals (paf report tells them, "
                         "paf export --view table draws them)",
                         path);
        return false;
    }
    command_complain(command,
                     "%s is a profile: figures by module, without causes; record with "
                     "fleng -trace instead of -profile",
                     path);
    return false;
}

// The whole file, malloc'ed, if there is one of this name; a directory is none.
static char *read_whole(const char *path)
{
    struct stat status;
    if (stat(path, &status) || S_ISDIR(status.st_mode))
        return NULL;
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    char *text = NULL, block[4096];
    size_t size, n;
    FILE *out = open_memstream(&text, &size);
    while (out && (n = fread(block, 1, sizeof block, f)) > 0)
        fwrite(block, 1, n, out);
    if (out)
        fclose(out);
    fclose(f);
    return text;
}

iot_partition *command_partition(const char *command, const trace *t, const char *text)
{
    return command_partition_among(command, t, NULL, text);
}

iot_partition *command_partition_among(const char *command, const trace *t, const trace *other,
                                       const char *text)
{
    if (!text)
        return iot_partition_default(t);
    char *error = NULL, *content = read_whole(text);
    if (!content && !strchr(text, '=')) {
        command_complain(command,
                         "--partition: %s is neither NAME=PREDICATE/N,... nor a file that "
                         "can be read",
                         text);
        return NULL;
    }
    iot_partition *p = iot_partition_parse_among(t, other, content ? content : text, &error);
    if (!p)
        command_complain(command, "--partition: %s", error);
    free(error);
    free(content);
    return p;
}

const char *clock_name(const trace *t)
{
    return trace_get_clock(t) == TRACE_VIRTUAL ? "virtual" : "real";
}

const char *ending_name(trace_ending ending)
{
    static const char *const names[] = {
        [TRACE_NORMAL] = "normal",           [TRACE_FAILED] = "failed",
        [TRACE_HALTED] = "halted",           [TRACE_STOPPED] = "stopped",
        [TRACE_INTERRUPTED] = "interrupted", [TRACE_DEADLOCK] = "deadlock",
        [TRACE_UNFINISHED] = "unfinished",
    };
    return names[ending];
}

const char *trace_end_name(const trace *t)
{
    return trace_get_cut(t) ? "cut at its size" : ending_name(trace_get_ending(t));
}

json_t *cut_json(const trace_cut *cut)
{
    json_t *o = json_object();
    json_object_set_new(o, "work", json_count(cut->reductions));
    json_object_set_new(o, "span", json_integer(cut->span));
    json_object_set_new(o, "bytes", json_count(cut->bytes));
    return o;
}

json_t *losses_json(const trace *t)
{
    const trace_dropped *losses;
    uint32_t n = trace_get_dropped(t, &losses);
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const char *name = trace_place_name(t, losses[i].place);
        json_t *o = json_object();
        json_object_set_new(o, "place", json_count(losses[i].place));
        json_object_set_new(o, "name", name ? json_text(name) : json_null());
        json_object_set_new(o, "kept", json_count(losses[i].kept));
        json_object_set_new(o, "events", json_count(losses[i].seen));
        json_object_set_new(o, "capped", json_boolean(losses[i].capped));
        json_array_append_new(array, o);
    }
    return array;
}

// ---------------------------------------------------------------------------------------------
// Style

bool text_styled(void)
{
    static int styled = -1;
    if (styled < 0) {
        const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
        styled = isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb");
    }
    return styled;
}

const char *style_begin(text_style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",        [STYLE_STRONG] = "\033[1m", [STYLE_DIM] = "\033[2m",
        [STYLE_NOTE] = "\033[33m", [STYLE_BAD] = "\033[31m",
    };
    return text_styled() ? codes[style] : "";
}

const char *style_end(text_style style)
{
    return text_styled() && style != STYLE_PLAIN ? "\033[0m" : "";
}

// ---------------------------------------------------------------------------------------------
// Tables

struct text_table {
    const char *alignment;
    size_t ncolumns, ncells, capacity;
    char **cells;
};

text_table *table_create(const char *alignment)
{
    text_table *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->alignment = alignment;
    t->ncolumns = strlen(alignment);
    return t;
}

void table_add(text_table *t, const char *format, ...)
{
    if (t->ncells == t->capacity) {
        t->capacity = 2 * t->capacity + 32;
        t->cells = realloc(t->cells, t->capacity * sizeof *t->cells);
        if (!t->cells)
            abort();
    }
    va_list args;
    va_start(args, format);
    if (vasprintf(&t->cells[t->ncells++], format, args) < 0)
        abort();
    va_end(args);
}

void table_add_amount(text_table *t, const trace *of, int64_t n)
{
    char *text = paf_amount(of, n);
    table_add(t, "%s", text);
    g_free(text);
}

static size_t text_width(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void print_cell(const text_table *t, size_t cell, size_t width)
{
    size_t column = cell % t->ncolumns, gap = width - text_width(t->cells[cell]);
    bool right = t->alignment[column] == 'r', last = column + 1 == t->ncolumns;
    printf("  %*s%s", right ? (int)gap : 0, "", t->cells[cell]);
    if (!right && !last)
        printf("%*s", (int)gap, "");
}

void table_print(text_table *t)
{
    size_t *widths = calloc(t->ncolumns, sizeof *widths);
    if (!widths)
        abort();
    for (size_t i = 0; i < t->ncells; i++) {
        size_t width = text_width(t->cells[i]), *widest = &widths[i % t->ncolumns];
        *widest = width > *widest ? width : *widest;
    }
    for (size_t i = 0; i < t->ncells; i++) {
        text_style style = i < t->ncolumns ? STYLE_DIM : STYLE_PLAIN;
        if (i % t->ncolumns == 0)
            fputs(style_begin(style), stdout);
        print_cell(t, i, widths[i % t->ncolumns]);
        if ((i + 1) % t->ncolumns == 0)
            printf("%s\n", style_end(style));
        free(t->cells[i]);
    }
    free(widths);
    free(t->cells);
    free(t);
}

// ---------------------------------------------------------------------------------------------
// CSV

void csv_text(const char *text, char after)
{
    bool quoted = text[strcspn(text, ",\"\r\n")];
    if (quoted)
        putchar('"');
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

// Length of the UTF-8 character at s, 0 if there is none.
static size_t character_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80   ? 1
               : s[0] < 0xc2 ? 0
               : s[0] < 0xe0 ? 2
               : s[0] < 0xf0 ? 3
               : s[0] < 0xf5 ? 4
                             : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    bool wrong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                 (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return wrong ? 0 : n;
}

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *clean = NULL;
    size_t size;
    FILE *f = open_memstream(&clean, &size);
    if (!f)
        abort();
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = character_length(s);
        if (n)
            fwrite(s, 1, n, f);
        else
            fputs("\xef\xbf\xbd", f);
        s += n ? n : 1;
    }
    fclose(f);
    return json_take(clean);
}

json_t *json_take(char *text)
{
    json_t *value = json_text(text);
    free(text);
    return value;
}

json_t *json_count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

bool json_print(json_t *value)
{
    bool written = !json_dumpf(value, stdout, 0) && putchar('\n') != EOF && !fflush(stdout);
    json_decref(value);
    return written;
}
