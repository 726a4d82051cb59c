// SPDX-License-Identifier: MIT
//
// What became of the findings of one run in another: predicted, achieved, and why the two differ.
//
// A finding of the first run and one of the second are the same cause if mechanism and predicate are
// the same (in a measured run: mechanism, file and kind of construct). Where several are, the one
// whose line reads the same comes first, then the one with the same number of its line, then the
// nearest one: an edit shifts lines.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "iotree/findings.h"
#include "paf/commands/compare.h"
#include "paf/say/numbers.h"

typedef enum { FATE_GONE, FATE_SMALLER, FATE_THERE } fate_kind;

static const char *const fate_names[] = {"gone", "smaller", "still there"};

typedef struct {
    const iot_finding *before, *after; // after: NULL if the second run has no such finding
    int64_t cost_before, cost_after;   // of the span; of a measured run of the elapsed time
    fate_kind kind;
    // What the edits that were made were to bring: with the other finding, if that is gone, too, and A prices both
    // together; else of IOT_NONE, and what this one was to bring.
    uint32_t with;
    int64_t span;
    double saving;
    char *why; // malloc'ed
} fate;

typedef struct {
    const compared_run *a, *b;
    bool comparable;
    double achieved; // 1 - span(B) / span(A)
    fate *fates;     // of the findings of A that are shown by default
    uint32_t n;
    bool *taken; // by finding of B: it is one of A's
} fates;

// What is less than this much of a run is gone; what a prediction may differ by without a reason.
static const double gone_below = 0.01, as_predicted = 0.05;

// Of the second run's findings and of the rows of a critical path, the first ones, which are the
// largest, decide.
enum { MOST_FINDINGS = 100, MOST_ROWS = 20 };

// ---------------------------------------------------------------------------------------------
// Matching

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *source_name(const trace *t, uint32_t source)
{
    return source == TRACE_NONE ? "" : trace_name(t, trace_get_source(t, source)->name);
}

bool paf_is_own_module(const trace *t, const char *module)
{
    const char *program = trace_program(t);
    size_t n = strlen(module);
    return !strncmp(program, module, n) && (program[n] == '.' || !program[n]);
}

static bool same_module(const trace *ta, uint32_t a, const trace *tb, uint32_t b)
{
    const char *x = trace_module_name(ta, a), *y = trace_module_name(tb, b);
    return !strcmp(x, y) || (paf_is_own_module(ta, x) && paf_is_own_module(tb, y));
}

static bool same_predicate(const trace *ta, uint32_t a, const trace *tb, uint32_t b)
{
    if (a == IOT_NONE || b == IOT_NONE)
        return a == b;
    const trace_predicate *x = trace_get_predicate(ta, a), *y = trace_get_predicate(tb, b);
    if (trace_is_measured(ta)) // there the name has the line
        return x->kind == y->kind;
    return x->arity == y->arity &&
           !strcmp(trace_string(ta, x->name, NULL), trace_string(tb, y->name, NULL)) &&
           same_module(ta, x->module, tb, y->module);
}

static bool has_file(const trace *t, const char *name)
{
    for (uint32_t i = 0; i < trace_nsources(t); i++)
        if (!strcmp(base_name(source_name(t, i)), name))
            return true;
    return false;
}

// Of one name; or each run has only one of the two, which may be the repaired version of the other.
static bool same_file(const trace *ta, uint32_t a, const trace *tb, uint32_t b)
{
    const char *x = base_name(source_name(ta, a)), *y = base_name(source_name(tb, b));
    return !strcmp(x, y) || (*x && *y && !has_file(tb, x) && !has_file(ta, y));
}

static bool same_cause(const fates *f, const iot_finding *x, const iot_finding *y)
{
    const trace *ta = f->a->t, *tb = f->b->t;
    if (x->kind != y->kind ||
        !same_predicate(ta, x->place.predicate, tb, y->place.predicate))
        return false;
    return !trace_is_measured(ta) || same_file(ta, x->place.source, tb, y->place.source);
}

// The text of a line without the blanks around it. Empty if it is not known.
static const char *line_text(const trace *t, const iot_location *place, size_t *ret_n)
{
    *ret_n = 0;
    if (place->source == TRACE_NONE || place->line == 0)
        return "";
    size_t left;
    const char *at = trace_string(t, trace_get_source(t, place->source)->text, &left);
    for (uint32_t line = 1; line < place->line; line++) {
        const char *end = memchr(at, '\n', left);
        if (!end)
            return "";
        left -= (size_t)(end + 1 - at);
        at = end + 1;
    }
    const char *end = memchr(at, '\n', left);
    size_t n = end ? (size_t)(end - at) : left;
    while (n && (*at == ' ' || *at == '\t')) {
        at++;
        n--;
    }
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r'))
        n--;
    *ret_n = n;
    return at;
}

static bool lines_read_the_same(const fates *f, const iot_location *x, const iot_location *y)
{
    size_t nx, ny;
    const char *tx = line_text(f->a->t, x, &nx), *ty = line_text(f->b->t, y, &ny);
    return nx && nx == ny && !memcmp(tx, ty, nx);
}

static uint32_t line_distance(const iot_location *x, const iot_location *y)
{
    return x->line > y->line ? x->line - y->line : y->line - x->line;
}

// How sure it is that the two are one: 2 the line reads the same, 1 it has the same number, 0 neither.
static int likeness(const fates *f, const iot_location *x, const iot_location *y)
{
    return lines_read_the_same(f, x, y) ? 2 : x->line == y->line;
}

static uint32_t nearest_partner(const fates *f, const fate *of, int like)
{
    uint32_t n = iot_nfindings(f->b->a, true), found = IOT_NONE, nearest = 0;
    for (uint32_t i = 0; i < n && i < MOST_FINDINGS; i++) {
        const iot_finding *x = of->before, *y = iot_get_finding(f->b->a, true, i);
        if (f->taken[i] || !same_cause(f, x, y) || likeness(f, &x->place, &y->place) < like)
            continue;
        uint32_t distance = line_distance(&x->place, &y->place);
        if (found == IOT_NONE || distance < nearest) {
            nearest = distance;
            found = i;
        }
    }
    return found;
}

// Pairs each finding of A that has no partner yet with the nearest of that likeness.
static void match_by(fates *f, int like)
{
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t partner = f->fates[i].after ? IOT_NONE : nearest_partner(f, &f->fates[i], like);
        if (partner == IOT_NONE)
            continue;
        f->fates[i].after = iot_get_finding(f->b->a, true, partner);
        f->taken[partner] = true;
    }
}

static int64_t cost_of(const compared_run *r, const iot_finding *finding)
{
    return finding ? iot_whole(r->a) - finding->span_without : 0;
}

static void decide(fates *f, fate *of)
{
    of->cost_before = cost_of(f->a, of->before);
    of->cost_after = cost_of(f->b, of->after);
    if (!of->after || of->after->saving < gone_below)
        of->kind = FATE_GONE;
    else if ((double)of->cost_after <= 0.8 * (double)of->cost_before)
        of->kind = FATE_SMALLER;
    else
        of->kind = FATE_THERE;
}

// Behind decide() of all.
static void predict(const fates *f, fate *of)
{
    uint32_t own = (uint32_t)(of - f->fates);
    of->with = IOT_NONE;
    of->span = of->before->span_without;
    of->saving = of->before->saving;
    for (uint32_t i = 0; of->kind == FATE_GONE && i < iot_ntogether(f->a->a); i++) {
        const iot_together *both = iot_get_together(f->a->a, i);
        uint32_t other = both->first == own ? both->second : both->first;
        bool has_own = both->first == own || both->second == own;
        if (has_own && other < f->n && f->fates[other].kind == FATE_GONE && both->saving > of->saving) {
            of->with = other;
            of->span = both->span_without;
            of->saving = both->saving;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Why

// "reached/7"; of a measured run the construct, "loop". malloc'ed.
static char *predicate_text(const trace *t, uint32_t predicate)
{
    if (!trace_is_measured(t))
        return iot_predicate_text(t, predicate);
    return base_copy(trace_name(t, trace_get_predicate(t, predicate)->name));
}

// "reached/7 (c.fl:95)"; of a measured run "heat.c:21". malloc'ed.
static char *place_text(const compared_run *r, const iot_location *place)
{
    bool known = place->line && place->source != TRACE_NONE;
    const char *file = base_name(source_name(r->t, place->source));
    if (place->predicate == IOT_NONE || (trace_is_measured(r->t) && known))
        return known ? base_format("%s:%u", file, place->line) : base_copy("the whole run");
    char *name = predicate_text(r->t, place->predicate);
    char *text = known ? base_format("%s (%s:%u)", name, file, place->line) : base_copy(name);
    free(name);
    return text;
}

// "1,117"; of a measured run a time. To be freed with g_free().
static char *bare_amount(const compared_run *r, int64_t n)
{
    return trace_is_measured(r->t) ? paf_amount(r->t, n) : paf_number((uint64_t)n);
}

static void separate(base_text *out)
{
    if (out->n)
        text_add_string(out, "; ");
}

static uint64_t critical_of(const compared_run *r, const trace *of, uint32_t predicate)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < iot_ncritical_rows(r->a); i++) {
        const iot_critical_row *row = iot_get_critical_row(r->a, i);
        if (same_predicate(r->t, row->predicate, of, predicate))
            sum += row->control + row->data;
    }
    return sum;
}

// The predicate whose part of the critical path of `more` exceeds that of `less` most, if by `least`.
// Rows come largest first: the first ones decide.
static uint32_t longer_on_path(const compared_run *more, const compared_run *less, double least,
                               uint64_t *ret_more, uint64_t *ret_less)
{
    uint32_t n = iot_ncritical_rows(more->a), found = IOT_NONE;
    double most = least;
    for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) {
        uint32_t predicate = iot_get_critical_row(more->a, i)->predicate;
        uint64_t here = critical_of(more, more->t, predicate);
        uint64_t there = critical_of(less, more->t, predicate);
        if ((double)here - (double)there >= most) {
            most = (double)here - (double)there;
            found = predicate;
            *ret_more = here;
            *ret_less = there;
        }
    }
    return found;
}

static void say_path(base_text *out, const fates *f, bool grew, double least)
{
    const compared_run *more = grew ? f->b : f->a, *less = grew ? f->a : f->b;
    uint64_t here = 0, there = 0;
    uint32_t predicate = longer_on_path(more, less, least, &here, &there);
    if (predicate == IOT_NONE)
        return;
    char *name = predicate_text(more->t, predicate);
    char *now = paf_duration(f->b->t, (int64_t)(grew ? here : there));
    char *before = bare_amount(f->a, (int64_t)(grew ? there : here));
    separate(out);
    text_add_format(out, "%s has %s of the critical path instead of %s", name, now, before);
    free(name);
    g_free(now);
    g_free(before);
}

// The findings of A that B lacks.
static uint32_t count_gone(const fates *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++)
        n += f->fates[i].kind == FATE_GONE;
    return n;
}

static void say_others(base_text *out, const fates *f, const fate *of)
{
    uint32_t others = count_gone(f) - (of->kind == FATE_GONE);
    if (!others)
        return;
    separate(out);
    text_add_format(out, others == 1 ? "finding" : "findings");
    for (uint32_t i = 0, n = 0; i < f->n; i++)
        if (&f->fates[i] != of && f->fates[i].kind == FATE_GONE)
            text_add_format(out, "%s %u", n++ ? "," : "", i + 1);
    text_add_string(out, others == 1 ? " is gone, too" : " are gone, too");
}

static void say_work(base_text *out, const fates *f)
{
    double before_work = (double)iot_work(f->a->a), after_work = (double)iot_work(f->b->a);
    double ratio = before_work > 0 ? after_work / before_work : 1;
    if (fabs(ratio - 1) < as_predicted)
        return;
    char *now = paf_work(f->b->t, (uint64_t)after_work);
    char *before = bare_amount(f->a, (int64_t)before_work);
    separate(out);
    text_add_format(out, "the work is %s instead of %s", now, before);
    g_free(now);
    g_free(before);
}

static void say_places(base_text *out, const fates *f)
{
    uint32_t a = trace_nplaces(f->a->t), b = trace_nplaces(f->b->t);
    if (!trace_is_measured(f->a->t) || a == b)
        return;
    separate(out);
    text_add_format(out, "it ran at %u place%s instead of %u", b, b == 1 ? "" : "s", a);
}

// The first finding of B that A did not have.
static void say_next(base_text *out, const fates *f)
{
    for (uint32_t i = 0; i < iot_nfindings(f->b->a, false); i++) {
        const iot_finding *next = iot_get_finding(f->b->a, false, i);
        if (f->taken[i])
            continue;
        char *place = place_text(f->b, &next->place);
        separate(out);
        text_add_format(out, "now %s holds the run up (%s, %.0f %%)", place,
                        iot_mechanism_name(next->kind), 100 * next->saving);
        free(place);
        return;
    }
}

// What the place of a finding still costs.
static void say_cost(base_text *out, const fates *f, const fate *of)
{
    char *now = paf_duration(f->b->t, of->cost_after);
    char *before = bare_amount(f->a, of->cost_before);
    separate(out);
    if (of->cost_after == of->cost_before)
        text_add_format(out, "it costs %s, as before", now);
    else
        text_add_format(out, "it costs %s instead of %s", now, before);
    if (of->after->place.line != of->before->place.line && of->after->place.line)
        text_add_format(out, ", now in line %u", of->after->place.line);
    g_free(now);
    g_free(before);
}

// Why the run did not become as short as the removal of the finding was to make it.
static void say_less(base_text *out, const fates *f, const fate *of)
{
    double missing = (double)(iot_whole(f->b->a) - of->span);
    say_path(out, f, true, missing / 4);
    say_work(out, f);
    say_places(out, f);
    say_next(out, f);
}

static void say_more(base_text *out, const fates *f, const fate *of)
{
    double extra = (double)(of->span - iot_whole(f->b->a));
    say_others(out, f, of);
    say_path(out, f, false, extra / 4);
    say_work(out, f);
    say_places(out, f);
}

// malloc'ed.
static char *why(const fates *f, const fate *of)
{
    base_text out = {0};
    double difference = f->achieved - of->saving;
    if (of->kind != FATE_GONE)
        say_cost(&out, f, of);
    if (!f->comparable) {
        separate(&out);
        text_add_string(&out, "the lengths of the two runs do not compare");
    } else if (of->kind == FATE_GONE && fabs(difference) <= as_predicted) {
        text_add_string(&out, "as predicted");
    } else if (difference < -as_predicted) {
        say_less(&out, f, of);
    } else if (difference > as_predicted) {
        say_more(&out, f, of);
    }
    return text_finish(&out);
}

// ---------------------------------------------------------------------------------------------

static bool runs_compare(const compared_run runs[2])
{
    const compared_run *a = &runs[0], *b = &runs[1];
    return trace_is_measured(a->t) == trace_is_measured(b->t) && iot_ran_to_end(a->t) &&
           iot_ran_to_end(b->t) && iot_whole(a->a) > 0;
}

static fates find_fates(const compared_run runs[2])
{
    fates f = {.a = &runs[0], .b = &runs[1], .comparable = runs_compare(runs)};
    if (f.comparable)
        f.achieved = 1 - (double)iot_whole(f.b->a) / (double)iot_whole(f.a->a);
    f.n = iot_nfindings(f.a->a, false);
    f.fates = base_allocate(f.n, sizeof *f.fates);
    f.taken = base_allocate(iot_nfindings(f.b->a, true), sizeof *f.taken);
    for (uint32_t i = 0; i < f.n; i++)
        f.fates[i].before = iot_get_finding(f.a->a, false, i);
    if (trace_is_measured(f.a->t) == trace_is_measured(f.b->t))
        for (int like = 2; like >= 0; like--)
            match_by(&f, like);
    for (uint32_t i = 0; i < f.n; i++)
        decide(&f, &f.fates[i]);
    for (uint32_t i = 0; i < f.n; i++)
        predict(&f, &f.fates[i]);
    for (uint32_t i = 0; i < f.n; i++)
        f.fates[i].why = why(&f, &f.fates[i]);
    return f;
}

static void free_fates(fates *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        free(f->fates[i].why);
    free(f->fates);
    free(f->taken);
}

// ---------------------------------------------------------------------------------------------
// Text and JSON

// "−22 %", or "+5 %" where a run takes longer.
static void print_change(double saving)
{
    int percent = (int)lround(100 * saving);
    printf("%s%d %%", percent > 0 ? "−" : percent < 0 ? "+" : "", abs(percent));
}

static void print_fate(const fates *f, uint32_t i)
{
    const fate *of = &f->fates[i];
    char *place = place_text(f->a, &of->before->place);
    printf("%u. %s at %s%s%s: %s; predicted ", i + 1, iot_mechanism_name(of->before->kind),
           paf_style_begin(STYLE_NOTE), place, paf_style_end(STYLE_NOTE), fate_names[of->kind]);
    print_change(of->before->saving);
    if (of->with != IOT_NONE) {
        printf(", with %u together ", of->with + 1);
        print_change(of->saving);
    }
    if (f->comparable) {
        printf(", achieved ");
        print_change(f->achieved);
    }
    printf("\n");
    if (*of->why)
        printf("   %s\n", of->why);
    free(place);
}

static void print_new(const fates *f)
{
    bool any = false;
    for (uint32_t i = 0; i < iot_nfindings(f->b->a, false); i++) {
        const iot_finding *finding = iot_get_finding(f->b->a, false, i);
        if (f->taken[i])
            continue;
        if (!any)
            printf("\nNew in %s\n", f->b->path);
        any = true;
        printf("%s%s%s\n", paf_style_begin(STYLE_NOTE), finding->text, paf_style_end(STYLE_NOTE));
        if (*finding->advice)
            printf("   Change: %s\n", finding->advice);
    }
}

void paf_print_fates(const compared_run runs[2])
{
    fates f = find_fates(runs);
    printf("\nWhat became of the findings of %s\n", f.a->path);
    if (!f.n)
        printf("It has none of 5 %% or more.\n");
    for (uint32_t i = 0; i < f.n; i++)
        print_fate(&f, i);
    print_new(&f);
    free_fates(&f);
}

static void set_place(json_t *row, const compared_run *r, const iot_finding *finding)
{
    const iot_location *place = &finding->place;
    bool known = place->source != TRACE_NONE && place->line != 0;
    json_object_set_new(row, "kind", json_string(iot_mechanism_name(finding->kind)));
    json_object_set_new(row, "file",
                        known ? paf_json_text(source_name(r->t, place->source)) : json_null());
    json_object_set_new(row, "line", known ? json_integer(place->line) : json_null());
    json_object_set_new(row, "predicate",
                        place->predicate == IOT_NONE
                            ? json_null()
                            : paf_json_take(iot_predicate_text(r->t, place->predicate)));
}

static json_t *fate_json(const fates *f, const fate *of)
{
    json_t *row = json_object();
    set_place(row, f->a, of->before);
    json_object_set_new(row, "predicted", json_real(of->before->saving));
    json_object_set_new(row, "predicted_together",
                        of->with == IOT_NONE ? json_null() : json_real(of->saving));
    json_object_set_new(row, "achieved", f->comparable ? json_real(f->achieved) : json_null());
    json_object_set_new(row, "left", json_real(of->after ? of->after->saving : 0));
    json_object_set_new(row, "fate", json_string(fate_names[of->kind]));
    json_object_set_new(row, "why", paf_json_text(of->why));
    return row;
}

void paf_set_fates_json(json_t *root, const compared_run runs[2])
{
    fates f = find_fates(runs);
    json_t *findings = json_array(), *more = json_array();
    for (uint32_t i = 0; i < f.n; i++)
        json_array_append_new(findings, fate_json(&f, &f.fates[i]));
    for (uint32_t i = 0; i < iot_nfindings(f.b->a, false); i++) {
        const iot_finding *finding = iot_get_finding(f.b->a, false, i);
        if (f.taken[i])
            continue;
        json_t *row = json_object();
        set_place(row, f.b, finding);
        json_object_set_new(row, "saving", json_real(finding->saving));
        json_object_set_new(row, "text", paf_json_text(finding->text));
        json_array_append_new(more, row);
    }
    json_object_set_new(root, "achieved", f.comparable ? json_real(f.achieved) : json_null());
    json_object_set_new(root, "findings", findings);
    json_object_set_new(root, "new", more);
    free_fates(&f);
}
