// SPDX-License-Identifier: MIT
//
// Reads a report line by line, and finds out which one it is.
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/reports/import_private.h"
#include "profiler/trace_reader.h"

// ---- Lines ------------------------------------------------------------------------------------

void kpx_rewind(kpx_reading *r)
{
    r->at = r->bytes;
    r->line = 0;
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

static void split(kpx_reading *r)
{
    char *at = r->text;
    r->n = 0;
    while (r->n < KPX_MOST_WORDS) {
        at += strspn(at, " ");
        if (!*at)
            return;
        r->words[r->n++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
}

bool kpx_next_line(kpx_reading *r)
{
    const char *from = r->at;
    if (from >= r->end)
        return false;
    while (r->at < r->end && !ends_line(*r->at))
        r->at++;
    size_t size = (size_t)(r->at - from);
    if (r->at < r->end) {
        bool both = *r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n';
        r->at += both ? 2 : 1;
    }
    if (size >= r->capacity) {
        free(r->text);
        r->capacity = 2 * size + 256;
        r->text = base_allocate(r->capacity, 1);
    }
    for (size_t i = 0; i < size; i++)
        r->text[i] = (unsigned char)from[i] < ' ' ? ' ' : from[i];
    r->text[size] = '\0';
    r->line++;
    split(r);
    return true;
}

bool kpx_bad_line(kpx_reading *r, const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (!r->error)
        r->error = base_format("line %u: %s", r->line, reason);
    return false;
}

bool kpx_has(const kpx_reading *r, const char *text)
{
    size_t length = strlen(text);
    for (uint32_t i = 0; i < r->n; i++) { // words of the text stand one after the other
        const char *at = text;
        for (uint32_t k = i; k < r->n; k++) {
            const char *word = r->words[k] + (k == i ? strspn(r->words[k], "<") : 0);
            size_t n = strlen(word);
            if (strncmp(at, word, n) != 0 && strncmp(at, word, strlen(at)) != 0)
                break;
            if ((size_t)(at - text) + n >= length)
                return true;
            at += n;
            if (*at++ != ' ')
                break;
        }
    }
    return false;
}

bool kpx_is_title(const kpx_reading *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (strncmp(r->words[i], "<<<", 3) == 0)
            return true;
    return false;
}

bool kpx_is_remark(const kpx_reading *r)
{
    if (r->n == 0)
        return true;
    const char *first = r->words[0];
    if (*first == '(' || *first == '.' || *first == '<' || (unsigned char)*first >= 0x80)
        return true;
    if (strspn(first, "-=*+#") < 3)
        return false;
    for (uint32_t i = 0; i < r->n; i++) // a rule, with numbers of columns
        if (r->words[i][strspn(r->words[i], "-=*+#.0123456789")])
            return false;
    return true;
}

// ---- Words ------------------------------------------------------------------------------------

const char *kpx_get_name(const char *word)
{
    return strcmp(word, "-") == 0 ? NULL : word;
}

const char *kpx_get_file(const char *word)
{
    const char *name = kpx_get_name(word);
    return name ? kpx_base_name(name) : NULL;
}

static bool is_unobserved(const char *word)
{
    return strcmp(word, "-") == 0 || word[strspn(word, "*")] == '\0';
}

bool kpx_get_count(kpx_reading *r, const char *word, const char *what, int64_t *ret)
{
    int64_t number = 0;
    *ret = KPX_UNOBSERVED;
    if (is_unobserved(word))
        return true;
    for (const char *at = word; *at; at++) {
        if (!isdigit((unsigned char)*at))
            return kpx_bad_line(r, "%s: `%.40s` is no number", what, word);
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *at - '0', &number))
            return kpx_bad_line(r, "%s: `%.40s` is too large", what, word);
    }
    *ret = number;
    return true;
}

bool kpx_get_small(kpx_reading *r, const char *word, const char *what, uint32_t *ret)
{
    int64_t number;
    if (!kpx_get_count(r, word, what, &number))
        return false;
    if (number > INT32_MAX)
        return kpx_bad_line(r, "%s: `%.40s` is too large", what, word);
    *ret = number < 0 ? 0 : (uint32_t)number;
    return true;
}

// The exponent behind digits (`E+03`, `D-1`), or false.
static bool get_exponent(const char *at, int *power)
{
    if (!*at)
        return true;
    if (!strchr("EeDd", *at))
        return false;
    at++;
    bool below = *at == '-';
    at += *at == '-' || *at == '+';
    size_t n = strspn(at, "0123456789");
    if (n == 0 || n > 2 || at[n])
        return false;
    *power += below ? -atoi(at) : atoi(at);
    return true;
}

bool kpx_get_decimal(kpx_reading *r, const char *word, const char *what, int power, int64_t *ret)
{
    int64_t number = 0;
    bool behind = false, beyond = false, round_up = false, any = false;
    const char *at = word;
    *ret = KPX_UNOBSERVED;
    if (is_unobserved(word))
        return true;
    const char *exponent = word + strspn(word, "0123456789.");
    if (!get_exponent(exponent, &power))
        return kpx_bad_line(r, "%s: `%.40s` is no number", what, word);
    for (; at < exponent; at++) {
        if (*at == '.' && behind)
            return kpx_bad_line(r, "%s: `%.40s` is no number", what, word);
        if (*at == '.') {
            behind = true;
            continue;
        }
        any = true;
        if (behind && power <= 0) { // beyond what is kept
            round_up = round_up || (power == 0 && !beyond && *at >= '5');
            beyond = true;
            continue;
        }
        power -= behind;
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *at - '0', &number))
            return kpx_bad_line(r, "%s: `%.40s` is too large", what, word);
    }
    if (!any)
        return kpx_bad_line(r, "%s: `%.40s` is no number", what, word);
    for (; power > 0 && number > 0; power--)
        if (__builtin_mul_overflow(number, 10, &number))
            return kpx_bad_line(r, "%s: `%.40s` is too large", what, word);
    for (; power < 0; power++)
        number /= 10;
    if (round_up && number < INT64_MAX)
        number++;
    *ret = number;
    return true;
}

// ---- Which report it is -----------------------------------------------------------------------

typedef enum { NEITHER, KTOOL, MTOOL } report_kind;

static report_kind kind_of(kpx_reading *r)
{
    static const struct {
        const char *title;
        report_kind kind;
    } titles[] = {
        {"PROGRAM UNIT RESULTS", KTOOL},  {"I/O PROCESS RESULTS", KTOOL},
        {"DO LOOP RESULTS", KTOOL},       {"Cost List", MTOOL}, // of MPI; vtool: of PVM; ptool: of NX
        {"call lines", MTOOL},            {"call name", MTOOL},
    };
    while (kpx_next_line(r))
        for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
            if (kpx_has(r, titles[i].title) && (titles[i].kind == MTOOL || kpx_is_title(r)))
                return titles[i].kind;
    return NEITHER;
}

kpx_totals *kpx_import(const char *bytes, size_t size, const char *program, char **ret_error)
{
    kpx_reading r = {.bytes = bytes, .end = bytes + size};
    kpx_rewind(&r);
    report_kind kind = kind_of(&r);
    r.totals = kpx_totals_create(program, kind == MTOOL ? KPX_CLOCK_ELAPSED : KPX_CLOCK_UNKNOWN);
    kpx_rewind(&r);
    if (kind == KTOOL)
        kpx_import_ktool(&r);
    else if (kind == MTOOL)
        kpx_import_mtool(&r);
    else
        r.error = base_copy("line 1: no table of ktool or mtool follows");
    free(r.text);
    if (!r.error)
        return r.totals;
    kpx_totals_destroy(r.totals);
    *ret_error = r.error;
    return NULL;
}

// ---- Files ------------------------------------------------------------------------------------

enum { MOST_BYTES = 256 << 20 }; // of a report; a device may have no end

// All of it, or of a trace its beginning. NULL: errno, which may be 0.
static char *read_whole(const char *path, size_t *ret_size, bool *ret_trace)
{
    char *bytes = NULL, block[65536];
    size_t n;
    base_output_protect(path, "it is read");
    errno = 0;
    FILE *in = fopen(path, "re"), *out = in ? open_memstream(&bytes, ret_size) : NULL;
    *ret_trace = false;
    while (out && !*ret_trace && ftello(out) <= MOST_BYTES && (n = fread(block, 1, sizeof block, in)) > 0) {
        *ret_trace = ftello(out) == 0 && trace_begins(block, n);
        fwrite(block, 1, n, out);
    }
    bool good = in && !ferror(in);
    if (good && out && ftello(out) > MOST_BYTES) {
        good = false;
        errno = EFBIG;
    }
    int reason = errno;
    if (out && fclose(out) != 0)
        good = false;
    if (in)
        fclose(in);
    errno = reason;
    if (good)
        return bytes;
    free(bytes);
    return NULL;
}

kpx_totals *kpx_import_file(const char *path, bool *ret_trace, char **ret_error)
{
    size_t size = 0;
    char *reason = NULL, *bytes = read_whole(path, &size, ret_trace);
    if (!bytes) {
        *ret_error = base_format("%s: cannot read: %s", path, strerror(errno ? errno : EIO));
        return NULL;
    }
    kpx_totals *t = *ret_trace ? NULL : kpx_import(bytes, size, kpx_base_name(path), &reason);
    free(bytes);
    if (reason)
        *ret_error = base_format("%s: %s", path, reason);
    free(reason);
    return t;
}
