// SPDX-License-Identifier: MIT
//
// How the views write numbers and things.
#include "paf/say/numbers.h"
#include "profiler/workers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

char *paf_number(uint64_t n)
{
    char digits[24];
    int length = g_snprintf(digits, sizeof digits, "%" PRIu64, n);
    GString *s = g_string_new(NULL);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            g_string_append_c(s, ',');
        g_string_append_c(s, digits[i]);
    }
    return g_string_free(s, FALSE);
}

// A count stands between blanks: a word, a comma or a parenthesis is before it, no operator.
static bool is_count(const char *text, const char *digits, const char *end)
{
    if (*end && !strchr(" ,;)", *end))
        return false;
    const char *before = digits;
    while (before > text && before[-1] == ' ')
        before--;
    if (before == text)
        return true;
    char last = before[-1];
    return before < digits ? g_ascii_isalnum(last) || strchr(",;:)", last) : last == '(';
}

char *paf_sentence(const char *text)
{
    GString *s = g_string_new(NULL);
    for (const char *at = text; *at;) {
        size_t n = strspn(at, "0123456789");
        if (n > 3 && n < 20 && is_count(text, at, at + n)) {
            char *number = paf_number(g_ascii_strtoull(at, NULL, 10));
            g_string_append(s, number);
            g_free(number);
        } else {
            g_string_append_len(s, at, (gssize)MAX(n, 1));
        }
        at += MAX(n, 1);
    }
    return g_string_free(s, FALSE);
}

char *paf_short_number(uint64_t n)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (n < 10000)
        return paf_number(n);
    unsigned i = 0;
    while ((double)n < units[i].unit * 0.9995) // what rounds to 1000 of a unit is 1 of the next
        i++;
    double v = (double)n / units[i].unit;
    return g_strdup_printf(v < 9.95 ? "%.1f%s" : "%.0f%s", v, units[i].name);
}

char *paf_count(uint64_t n, const char *one, const char *many)
{
    char *number = paf_number(n);
    char *text = g_strdup_printf("%s %s", number, n == 1 ? one : many);
    g_free(number);
    return text;
}

char *paf_percent(double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.1)
        return g_strdup("< 0.1 %");
    if (percent > 99.9 && percent < 100)
        return g_strdup("> 99.9 %");
    if ((percent > 0 && percent < 0.95) || (percent > 99 && percent < 100))
        return g_strdup_printf("%.1f %%", percent);
    return g_strdup_printf("%.0f %%", floor(percent + 0.5)); // as findings round
}

static char *nanoseconds(double ns)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    if (ns >= 999.5e9) {
        char *seconds = paf_number((uint64_t)llround(fmin(ns / 1e9, 1e18)));
        char *text = g_strdup_printf("%s s", seconds);
        g_free(seconds);
        return text;
    }
    // What rounds to 1000 of a unit is 1 of the next.
    for (unsigned i = 0; i < G_N_ELEMENTS(units); i++)
        if (ns >= units[i].unit * 0.9995)
            return g_strdup_printf("%.3g %s", ns / units[i].unit, units[i].name);
    return g_strdup_printf("%.0f ns", ns);
}

char *paf_duration(const trace *t, int64_t time)
{
    if (trace_is_measured(t))
        return nanoseconds((double)MAX(time, 0));
    return paf_count((uint64_t)MAX(time, 0), "step", "steps");
}

char *paf_nanoseconds(int64_t n)
{
    if (n == 0)
        return g_strdup("0");
    char *size = nanoseconds(fabs((double)n));
    char *text = g_strdup_printf("%s%s", n < 0 ? "-" : "", size);
    g_free(size);
    return text;
}

char *paf_amount(const trace *t, int64_t n)
{
    return trace_is_measured(t) ? paf_nanoseconds(n) : g_strdup_printf("%" PRId64, n);
}

char *paf_work(const trace *t, uint64_t work)
{
    if (trace_is_measured(t))
        return nanoseconds((double)work);
    return paf_count(work, "reduction", "reductions");
}

// Is this clock's time in nanoseconds?
static bool has_nanoseconds(const trace *t, iot_clock clock)
{
    return trace_is_measured(t) || (clock == IOT_REAL_TIME && iot_has_real_time(t));
}

char *paf_duration_by(const trace *t, iot_clock clock, int64_t time)
{
    return has_nanoseconds(t, clock) ? nanoseconds((double)MAX(time, 0)) : paf_duration(t, time);
}

// Of many seconds thousands are separated.
static char *seconds(double nanoseconds, int digits)
{
    double whole = floor(nanoseconds / 1e9);
    if (whole < 1000)
        return g_strdup_printf("%.*g s", digits, nanoseconds / 1e9);
    char *before = paf_number((uint64_t)whole);
    char *behind = g_strdup_printf("%.*g", MAX(digits - (int)floor(log10(whole)) - 1, 1),
                                   nanoseconds / 1e9 - whole);
    char *text = g_strdup_printf("%s%s s", before, *behind == '0' && behind[1] == '.' ? behind + 1 : "");
    g_free(before);
    g_free(behind);
    return text;
}

static char *moment_of(double whole, double at, int digits)
{
    if (whole >= 1e9)
        return seconds(at, digits);
    if (whole >= 1e6)
        return g_strdup_printf("%.*g ms", digits, at / 1e6);
    return g_strdup_printf("%.*g µs", digits, at / 1e3);
}

// As many digits as tell nanoseconds of one moment from another, in a unit that fits the whole run.
static char *moment(const trace *t, iot_clock clock, int64_t time, int digits)
{
    if (!has_nanoseconds(t, clock))
        return paf_number((uint64_t)MAX(time, 0));
    uint32_t n = trace_is_measured(t) ? trace_nreductions(t) : 0;
    double whole = n ? (double)trace_time(t, n - 1) : 0;
    return moment_of(fmax(whole, (double)trace_elapsed(t)), (double)MAX(time, 0), digits);
}

char *paf_moment_by(const trace *t, iot_clock clock, int64_t time)
{
    return moment(t, clock, time, 6);
}

char *paf_moment(const trace *t, int64_t time)
{
    return moment(t, IOT_VIRTUAL_TIME, time, 6);
}

char *paf_tick_by(const trace *t, iot_clock clock, int64_t time)
{
    return moment(t, clock, time, 15);
}

char *paf_tick_of(int64_t whole, int64_t time)
{
    return moment_of((double)whole, (double)MAX(time, 0), 15);
}

// The libraries' texts come from malloc(); here everything is GLib's.
static char *adopt(char *text)
{
    char *copy = g_strdup(text ? text : "");
    free(text);
    return copy;
}

char *paf_term_text(const trace *t, trace_value value, int64_t at, uint32_t cells)
{
    iot_names *names = iot_names_create(t);
    iot_names_add(names, value, at, cells);
    iot_names_finish(names);
    char *text = adopt(iot_term(t, names, value, at, cells));
    iot_names_destroy(names);
    return text;
}

char *paf_goal_text(const trace *t, uint32_t goal, int64_t at, uint32_t cells)
{
    iot_names *names = iot_names_create(t);
    uint32_t n = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < n && i < cells; i++)
        iot_names_add(names, trace_goal_arg(t, goal, i), at, cells);
    iot_names_finish(names);
    char *text = adopt(iot_goal_text(t, names, goal, at, cells));
    iot_names_destroy(names);
    return text;
}

char *paf_binding_text(const trace *t, uint32_t binding, int64_t at, uint32_t cells)
{
    uint32_t variable = trace_binding_variable(t, binding);
    trace_value value = trace_binding_value(t, binding);
    iot_names *names = iot_names_create(t);
    iot_names_add_variable(names, variable);
    iot_names_add(names, value, at, cells);
    iot_names_finish(names);
    char *term = iot_term(t, names, value, at, cells);
    char *text = g_strdup_printf("%s = %s", iot_name(names, variable), term);
    free(term);
    iot_names_destroy(names);
    return text;
}

char *paf_predicate_name(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    return g_strdup_printf("%s/%" PRIu32, trace_name(t, p->name), p->arity);
}

char *paf_workers(const trace *t)
{
    const trace_worker *threads;
    uint32_t n = trace_nplaces(t);
    if (n > 1 && trace_get_workers(t, &threads) == 1)
        return paf_count(n, "virtual worker", "virtual workers on one thread");
    return paf_count(n, "worker", "workers");
}

// "ideal machine", or the workers and the time that a real run took.
static char *machine(const trace *t)
{
    if (trace_get_clock(t) == TRACE_VIRTUAL)
        return g_strdup("ideal machine");
    char *workers = trace_is_measured(t) ? paf_count(trace_nplaces(t), "place", "places")
                                         : paf_workers(t);
    char *took = nanoseconds((double)trace_elapsed(t));
    char *text = g_strdup_printf("%s · %s", workers, took);
    g_free(workers);
    g_free(took);
    return text;
}

char *paf_run_summary(const iot *a)
{
    const trace *t = iot_trace(a);
    char *on = machine(t), *amount = paf_work(t, iot_work(a));
    char *work = g_strdup_printf(trace_is_measured(t) ? "work %s" : "%s", amount);
    char *span = trace_is_measured(t) ? paf_duration(t, iot_span(a))
                                      : paf_number((uint64_t)iot_span(a));
    double parallelism = iot_span(a) > 0 ? (double)iot_work(a) / (double)iot_span(a) : 0;
    GString *s = g_string_new(NULL);
    g_string_append_printf(s, "%s · %s · span %s", on, work, span);
    g_string_append_printf(s, parallelism < 100 ? " · parallelism %.1f" : " · parallelism %.0f",
                           parallelism);
    g_free(on);
    static const char *const endings[] = {
        [TRACE_FAILED] = "failed",     [TRACE_HALTED] = "halted",
        [TRACE_STOPPED] = "stopped",   [TRACE_INTERRUPTED] = "interrupted",
        [TRACE_DEADLOCK] = "deadlock", [TRACE_UNFINISHED] = "unfinished",
    };
    trace_ending ending = trace_get_ending(t);
    if (trace_get_cut(t))
        g_string_append(s, " · cut at its size");
    else if ((unsigned)ending < G_N_ELEMENTS(endings) && endings[ending])
        g_string_append_printf(s, " · %s", endings[ending]);
    if (trace_is_older_definition(t))
        g_string_append(s, " · figures of the older definition");
    uint64_t lost = iot_lost_events(t, NULL);
    if (lost > 0) {
        char *n = paf_number(lost);
        g_string_append_printf(s, " · %s events not kept", n);
        g_free(n);
    }
    if (iot_suspended(a)) {
        char *n = paf_number(iot_suspended(a));
        g_string_append_printf(s, " · %s suspended", n);
        g_free(n);
    }
    g_free(work);
    g_free(amount);
    g_free(span);
    return g_string_free(s, FALSE);
}

char *paf_reduction_place(const trace *t, uint32_t reduction)
{
    uint32_t source, line = iot_reduction_line(t, reduction, &source);
    if (source == TRACE_NONE)
        return g_strdup("built-in");
    char *name = g_path_get_basename(trace_name(t, trace_get_source(t, source)->name));
    char *place = g_strdup_printf("%s:%" PRIu32, name, line);
    g_free(name);
    return place;
}
