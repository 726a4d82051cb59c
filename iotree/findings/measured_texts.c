// SPDX-License-Identifier: MIT
//
// Causes of measured runs as sentences: the place to change, what waits for what, and the edit.
#include "iotree/findings/measured_run.h"

// ---------------------------------------------------------------------------------------------
// Places

static iot_location location_of(const measured_run *m, uint32_t clause)
{
    return iot_clause_location(m->a, clause);
}

const source_text *iot_text_of(measured_run *m, uint32_t source)
{
    static const source_text none;
    if (source == TRACE_NONE)
        return &none;
    if (!m->have_text[source]) {
        m->have_text[source] = true;
        m->texts[source] = iot_source_text(m->t, source);
    }
    return &m->texts[source];
}

// What stands for a place whose line is not known: "main+0x1f" of the module "region main+0x1f". malloc'ed.
static char *at_module(const measured_run *m, uint32_t predicate)
{
    if (predicate == IOT_NONE)
        return base_copy("a place that is not known");
    uint32_t module = trace_get_predicate(m->t, predicate)->module;
    const char *name = trace_name(m->t, trace_get_module(m->t, module)->name), *word = strrchr(name, ' ');
    return base_copy(word && word[1] != '\0' ? word + 1 : name);
}

// "heat.c:20", or a name. malloc'ed.
static char *at(const measured_run *m, const iot_location *l)
{
    if (l->source == TRACE_NONE || l->line == 0)
        return at_module(m, l->predicate);
    const char *file = trace_name(m->t, trace_get_source(m->t, l->source)->name);
    return base_format("%s:%u", file, l->line);
}

// "thread 1". malloc'ed.
static char *place_name(const measured_run *m, uint32_t place)
{
    const char *name = place == IOT_NONE ? NULL : trace_place_name(m->t, place);
    return name ? base_copy(name)
           : place == IOT_NONE ? base_copy("one thread")
                               : base_format("place %u", place);
}

// The routine's name and line: "MPI_Send (ring.f90:20)". malloc'ed.
static char *call_text(const measured_run *m, uint32_t clause)
{
    iot_location l = location_of(m, clause);
    char *place = iot_place_text(m->t, l.source, l.line);
    char *text = base_format("%s%s", name_of_clause(m, clause), place);
    free(place);
    return text;
}

enum { MOST_ALSO = 8 }; // places of a cause at several lines

// The call after the activity, or the one before it; IOT_NONE if there is none.
static uint32_t call_at(const measured_run *m, uint32_t activity, bool next)
{
    for (int i = 0; i < 64 && activity != IOT_NONE; i++) {
        activity = next ? m->after[activity] : m->r->before[activity];
        if (activity == IOT_NONE)
            break;
        trace_kind kind = kind_of(m, activity);
        if (kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE)
            return clause_of(m, activity);
    }
    return IOT_NONE;
}

// The line in the function around a line that calls another source's function. 0: none.
static uint32_t line_that_calls(measured_run *m, const iot_location *around, const text_function *called,
                                bool further_on)
{
    const text_function *f = iot_text_function(iot_text_of(m, around->source), around->line);
    return f && called ? iot_line_that_calls(m->t, around, f, called->name, further_on) : 0;
}

// The same as iot_text_between() of calls in two sources, one of which calls a function of the other one.
static iot_location between_sources(measured_run *m, iot_location from, iot_location to, uint32_t *ret_inner)
{
    const source_text *left = iot_text_of(m, from.source), *entered = iot_text_of(m, to.source);
    const text_function *f = iot_text_function(left, from.line), *g = iot_text_function(entered, to.line);
    iot_location found = to;
    uint32_t line = line_that_calls(m, &to, f, false);
    if (line > 0) {
        found.line = iot_text_between(entered, line, to.line, ret_inner);
        return found;
    }
    found = from;
    line = line_that_calls(m, &from, g, true);
    found.line = line > 0 ? iot_text_between(left, from.line, line, ret_inner) : 0;
    if (line > 0 && found.line == 0) {
        found = to;
        found.line = iot_text_work(entered, g->first, to.line, ret_inner);
    }
    return found;
}

// Where the activity between two calls computes. The line of the call that follows if the text does
// not tell. *ret_inner: the loop of the function that is called there.
static iot_location computed_at(measured_run *m, uint32_t activity, iot_location *ret_call,
                                iot_location *ret_inner)
{
    uint32_t next = call_at(m, activity, true), before = call_at(m, activity, false), inner = 0;
    iot_location none = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    iot_location to = next == IOT_NONE ? none : location_of(m, next);
    iot_location from = before == IOT_NONE ? none : location_of(m, before);
    *ret_call = to;
    *ret_inner = none;
    if (to.source == TRACE_NONE)
        return to;
    iot_location found = to;
    if (before != IOT_NONE && from.source == TRACE_NONE)
        found.line = 0; // a call of a library
    else if (before != IOT_NONE && from.source != to.source)
        found = between_sources(m, from, to, &inner);
    else
        found.line = iot_text_between(iot_text_of(m, to.source), from.line, to.line, &inner);
    if (found.line == 0)
        found = to;
    *ret_inner = found;
    ret_inner->line = inner;
    return found;
}

static void also(candidate *to, iot_location place)
{
    if (place.source != TRACE_NONE && place.line > 0)
        candidate_also(to, place);
}

// ---------------------------------------------------------------------------------------------
// Balance

static trace_schedule schedule_of(const measured_run *m, uint32_t activity)
{
    int64_t name;
    return iot_activity_value(m->t, activity, TRACE_KEY_SCHEDULE, &name)
               ? trace_string_schedule(m->t, (uint32_t)name)
               : TRACE_SCHEDULE_NONE;
}

static bool line_has(const measured_run *m, const iot_location *l, const char *word)
{
    return iot_line_has(m->t, l->source, l->line, word);
}

static char *loop_advice(const measured_run *m, const cause *c, const char *where)
{
    switch (schedule_of(m, c->example)) {
    case TRACE_SCHEDULE_SECTIONS:
        return base_format("divide the longest section at %s, or make tasks of the sections",
                           where);
    case TRACE_SCHEDULE_DYNAMIC:
    case TRACE_SCHEDULE_GUIDED:
        return base_format("give the loop at %s smaller chunks, or begin with the long iterations",
                           where);
    default:
        return base_format("add schedule(dynamic) to the loop at %s", where);
    }
}

// The line between the region's and its barrier that lets one thread alone do what follows, after
// other barriers: gcc tells nothing of a master construct. 0: there is none.
static uint32_t line_of_one(const measured_run *m, iot_location region, uint32_t barrier)
{
    static const char *const words[] = {"omp master", "omp masked", "omp_get_thread_num"};
    for (iot_location l = region; barrier > region.line + 1; barrier--) {
        l.line = barrier - 1;
        if (line_has(m, &l, "omp barrier") || line_has(m, &l, "omp for") ||
            line_has(m, &l, "omp do"))
            return 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (line_has(m, &l, words[i]))
                return l.line;
    }
    return 0;
}

// Where most is computed between the lines, in the innermost loop that does not contain the last.
static uint32_t work_before(const source_text *text, uint32_t line, uint32_t end)
{
    uint32_t inner, found = iot_text_work(text, line, end, &inner), around = found;
    while (around > 0 && iot_text_end_of_loops(text, around) > end) {
        found = around;
        around = iot_text_work(text, around, end, &inner);
    }
    return around > 0 ? around : found;
}

static void describe_region(measured_run *m, const iot_location *end, candidate *to,
                            const char *where)
{
    const source_text *text = iot_text_of(m, to->place.source);
    const text_function *f = iot_text_function(text, to->place.line);
    uint32_t last = f ? f->last + 1 : 0;
    if (f && end->source == to->place.source && end->line > to->place.line && end->line < last)
        last = end->line;
    uint32_t line = f ? work_before(text, to->place.line, last) : 0;
    if (line > 0) {
        iot_location loop = to->place;
        also(to, loop);
        to->place.line = line;
    }
    char *changed = at(m, &to->place);
    to->advice = base_format("give the threads of the region at %s equal parts of the work at %s",
                             where, changed);
    free(changed);
}

// One thread does all of it where the text says so.
static bool describe_one(measured_run *m, const cause *c, const iot_location *end, candidate *to)
{
    if (end->source != to->place.source || c->mean <= 0 || c->most / c->mean < 0.95 * c->team)
        return false;
    uint32_t line = line_of_one(m, to->place, end->line);
    if (line == 0)
        return false;
    uint32_t inner = 0, work = iot_text_work(iot_text_of(m, end->source), line, end->line, &inner);
    iot_location region = to->place, loop = to->place;
    to->kind = FINDING_SERIAL;
    to->place.line = line;
    loop.line = inner > 0 ? inner : work;
    also(to, loop);
    also(to, region);
    char *where = at(m, &to->place), *who = place_name(m, c->place);
    to->text = base_format("%s alone does the work at %s, and the other threads of the "
                           "region wait for it", who, where);
    to->advice = base_format("share the work at %s among the threads (omp for, or omp taskloop)",
                             where);
    free(where);
    free(who);
    return true;
}

// The line of a barrier that ends a loop of the region. gcc gives such a barrier the line of what is
// computed before it, which may be in another function; then the loop in which most is computed.
static uint32_t line_in_region(measured_run *m, const iot_location *region, uint32_t line)
{
    const source_text *text = iot_text_of(m, region->source);
    uint32_t last = iot_text_end_of_loops(text, region->line), best = 0, found = region->line;
    if (last <= region->line || (line >= region->line && line <= last))
        return line;
    for (iot_location l = *region; l.line < last; l.line++) {
        uint32_t nest = 0;
        if (line_has(m, &l, "omp for") || line_has(m, &l, "omp do"))
            nest = iot_text_spot(text, l.line, iot_text_end_of_loops(text, l.line) + 1).nest;
        if (nest > best) {
            best = nest;
            found = l.line;
        }
    }
    return found;
}

// In a single or master construct that makes tasks: where most is computed besides. 0: nowhere.
static uint32_t work_beside_tasks(measured_run *m, const iot_location *construct)
{
    const source_text *text = iot_text_of(m, construct->source);
    uint32_t end = iot_text_end_of_loops(text, construct->line) + 1, since = construct->line;
    text_spot best = {0, 0, 0};
    bool tasks = false;
    for (iot_location l = *construct; l.line <= end; l.line++) {
        bool task = line_has(m, &l, "omp task") && !line_has(m, &l, "omp taskwait");
        if (l.line < end && !task)
            continue;
        text_spot found = iot_text_spot(text, since, l.line);
        best = found.nest > best.nest ? found : best;
        tasks = tasks || task;
        since = iot_text_end_of_loops(text, l.line);
        since = since > l.line ? since : l.line + 1; // the statement of the task
    }
    return tasks ? best.line : 0;
}

// What threads of one function do, at the line of the function that computes most.
static void describe_thread(measured_run *m, const cause *c, candidate *to, const char *who)
{
    const source_text *text = iot_text_of(m, to->place.source);
    const text_function *f = iot_text_function(text, to->place.line);
    uint32_t inner = 0, line = f ? iot_text_work(text, f->first, f->last + 1, &inner) : 0;
    if (line > 0) {
        iot_location begin = to->place, loop = to->place, within = to->place;
        uint32_t deeper = 0;
        loop.line = inner;
        within.line = iot_text_work(text, line, iot_text_end_of_loops(text, line) + 1, &deeper);
        also(to, loop);
        also(to, within);
        within.line = deeper;
        also(to, within);
        also(to, begin);
        to->place.line = line;
    }
    char *where = at(m, &to->place);
    to->text = base_format("%s works %.1f times the mean of the %u threads that do the work at %s, and the "
                           "others have nothing to do meanwhile", who,
                           c->mean > 0 ? c->most / c->mean : 0, c->team, where);
    to->advice = base_format("give the threads equal parts of the work at %s, or let each take the next part "
                             "from a common counter", where);
    free(where);
}

static void describe_even_threads(measured_run *m, const cause *c, candidate *to)
{
    trace_kind kind = kind_of_clause(m, c->clause);
    to->place = location_of(m, c->clause);
    iot_location end = c->other == IOT_NONE ? to->place : location_of(m, c->other);
    to->condition = base_copy("with equal shares");
    if (kind == TRACE_KIND_REGION && describe_one(m, c, &end, to))
        return;
    if (end.source == to->place.source && end.line != to->place.line &&
        !line_has(m, &end, "barrier")) { // the loop of a compiler that tells no loops
        end.line = line_in_region(m, &to->place, end.line);
        also(to, to->place);
        to->place = end;
    }
    char *where = at(m, &to->place), *who = place_name(m, c->place);
    bool alone = c->mean > 0 && c->most / c->mean > 0.95 * c->team;
    bool loop = kind == TRACE_KIND_LOOP || kind == TRACE_KIND_SECTIONS ||
                line_has(m, &to->place, "for") || line_has(m, &to->place, " do");
    const char *name = trace_kind_name(kind);
    to->kind = kind == TRACE_KIND_SINGLE || kind == TRACE_KIND_MASTER ? FINDING_SERIAL
                                                                       : FINDING_IMBALANCE;
    uint32_t beside = to->kind == FINDING_SERIAL ? work_beside_tasks(m, &to->place) : 0;
    if (beside > 0) {
        iot_location construct = to->place;
        to->place.line = beside;
        also(to, construct);
        char *work = at(m, &to->place);
        to->text = base_format("one of %u threads does the work at %s in the %s at %s between making "
                               "tasks, and the others wait for it", c->team, work, name, where);
        to->advice = base_format("make a task of the work at %s, or do it while the tasks of the "
                                 "step before run", work);
        free(work);
    } else if (to->kind == FINDING_SERIAL) {
        to->text = base_format("one of %u threads does all work of the %s at %s, and the others "
                               "wait for it", c->team, name, where);
        to->advice = base_format("share the work of the %s at %s among the threads (omp for, or "
                                 "omp taskloop)", name, where);
    } else if (kind == TRACE_KIND_THREAD) {
        describe_thread(m, c, to, who);
    } else {
        to->text =
            alone ? base_format("%s does all work of the %s at %s, and the other threads wait for "
                                "it", who, name, where)
                  : base_format("%s works %.1f times the mean of the team in the %s at %s, and the "
                                "other threads wait for it", who,
                                c->mean > 0 ? c->most / c->mean : 0, name, where);
        if (kind == TRACE_KIND_REGION && !loop)
            describe_region(m, &end, to, where);
        else if (kind == TRACE_KIND_TASK)
            to->advice = base_format("make the tasks at %s smaller, or create the long ones first",
                                     where);
        else
            to->advice = loop_advice(m, c, where);
    }
    free(where);
    free(who);
}

// The phase of ranks in which the activity is; IOT_NONE if it is in none.
static uint32_t phase_of(const measured_run *m, uint32_t activity)
{
    int64_t start = replay_start(m->r, activity);
    for (size_t i = 0; i < m->ranks.list.n; i++) {
        const segment *s = &m->ranks.list.at[i];
        if (s->place == trace_place(m->t, activity) && s->from < s->to &&
            replay_start(m->r, m->r->by_place[s->from]) <= start &&
            replay_start(m->r, m->r->by_place[s->to - 1]) >= start)
            return s->phase;
    }
    return IOT_NONE;
}

static uint32_t longest_computation(const measured_run *m, const segment *s)
{
    uint32_t longest = IOT_NONE;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = m->r->by_place[i];
        if (computes(m, x) && (longest == IOT_NONE || m->r->costs[x] > m->r->costs[longest]))
            longest = x;
    }
    return longest;
}

// Does another rank compute at the place, too? If all others do something else, as those who make
// what one rank takes, they cannot have parts of its work.
static bool is_done_by_others(measured_run *m, const cause *c, const iot_location *place)
{
    const phases *all = &m->ranks;
    uint32_t phase = phase_of(m, c->example);
    if (phase == IOT_NONE || place->source == TRACE_NONE)
        return true;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++) {
        uint32_t x = longest_computation(m, &all->list.at[k]);
        iot_location call, inner;
        if (x == IOT_NONE || trace_place(m->t, x) == trace_place(m->t, c->example))
            continue;
        iot_location there = computed_at(m, x, &call, &inner);
        if (there.source == place->source && there.line == place->line)
            return true;
    }
    return false;
}

static void describe_even_ranks(measured_run *m, const cause *c, candidate *to)
{
    iot_location call, inner;
    bool alone = c->mean > 0 && c->most / c->mean > 0.95 * c->team;
    to->place = computed_at(m, c->example, &call, &inner);
    if (!alone && !is_done_by_others(m, c, &to->place))
        return;
    also(to, call);
    also(to, inner);
    uint32_t next = call_at(m, c->example, true);
    char *where = at(m, &to->place), *who = place_name(m, c->place);
    char *waits = next == IOT_NONE ? base_copy("the next call") : call_text(m, next);
    to->kind = alone ? FINDING_SERIAL : FINDING_IMBALANCE;
    if (alone)
        to->text = base_format("%s alone computes at %s, before %s, and the other ranks wait for "
                               "it", who, where, waits);
    else
        to->text = base_format("%s computes %.1f times the mean of the ranks at %s, before %s, and "
                               "the other ranks wait for it", who,
                               c->mean > 0 ? c->most / c->mean : 0, where, waits);
    to->advice = base_format("give all ranks equal parts of the work at %s", where);
    to->condition = base_copy("with equal shares");
    free(where);
    free(who);
    free(waits);
}

// ---------------------------------------------------------------------------------------------
// One thread

static void describe_stretch(measured_run *m, const cause *c, candidate *to)
{
    iot_location none = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    iot_location from = c->clause == IOT_NONE ? none : location_of(m, c->clause);
    iot_location next = c->other == IOT_NONE ? none : location_of(m, c->other);
    uint32_t source = next.source != TRACE_NONE ? next.source : from.source, inner = 0, line;
    const source_text *text = iot_text_of(m, source);
    if (c->other == IOT_NONE) {
        const text_function *f = iot_text_function(text, from.line);
        line = f ? iot_text_work(text, iot_text_end_of_loops(text, from.line), f->last + 1, &inner)
                 : 0;
    } else {
        uint32_t left = from.source == source ? iot_text_end_of_loops(text, from.line) : 0;
        line = iot_text_between(text, left, next.line, &inner);
    }
    if (line == 0 && (c->clause == IOT_NONE || c->other == IOT_NONE))
        return; // a program that is loaded, or that ends, is no part of the text
    to->kind = FINDING_SERIAL;
    to->place = next.source != TRACE_NONE ? next : from;
    iot_location loop = to->place;
    if (line > 0) {
        to->place.line = inner > 0 ? inner : line;
        loop.line = line;
        also(to, loop);
    }
    also(to, from);
    also(to, next);
    const text_function *f = line > 0 ? iot_text_function(text, to->place.line) : NULL;
    char *where = at(m, &to->place), *a = at(m, &from), *b = at(m, &next);
    char *between = c->clause == IOT_NONE ? base_format("before the region at %s", b)
                    : c->other == IOT_NONE ? base_format("after the region at %s", a)
                                           : base_format("between the regions at %s and %s", a, b);
    to->text = base_format("one thread works alone %s%s%s%s, and the other threads of the team "
                           "have nothing to do", between, line > 0 ? ", at " : "",
                           line > 0 ? where : "", "");
    to->advice =
        line > 0 ? base_format("share the loop at %s%s%s%s among the threads (omp parallel for)",
                               where, f ? " in " : "", f ? f->name : "", f ? "()" : "")
                 : base_format("make what is done %s parallel", between);
    to->condition = base_copy("shared by the team");
    free(where);
    free(a);
    free(b);
    free(between);
}

static void describe_lone_region(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_SINGLE_TEAM;
    to->place = location_of(m, c->clause);
    char *where = at(m, &to->place);
    bool others = m->threads.n > 0;
    to->text = base_format("the parallel region at %s has a team of one thread, where %s %u", where,
                           others ? "other regions have" : "the run could have", c->team);
    to->advice = base_format("let the region at %s have a team: see its if and num_threads "
                             "clauses, and within another region omp_set_max_active_levels()",
                             where);
    to->condition = base_copy("shared by the team");
    free(where);
}

// ---------------------------------------------------------------------------------------------
// Waits

enum { LONG_WAIT = 4 }; // times as long as all others hold the lock once

static int64_t wait_of_turns(const cause *c)
{
    int64_t turns = (int64_t)c->count * TURN_COST;
    return c->weight > turns ? c->weight - turns : 0;
}

static void describe_turns(measured_run *m, const cause *c, candidate *to)
{
    trace_kind kind = kind_of_clause(m, c->clause);
    bool ordered = kind == TRACE_KIND_ORDERED_WAIT;
    to->kind = ordered ? FINDING_ORDERED : FINDING_LOCK;
    to->place = location_of(m, c->example == IOT_NONE ? c->clause : clause_of(m, c->example));
    for (uint32_t i = 0, others = 0; i < trace_nclauses(m->t) && others < MOST_ALSO; i++)
        if (m->lock_group[i] == c->clause && m->same[i] == i && c->example != IOT_NONE &&
            i != clause_of(m, c->example)) {
            also(to, location_of(m, i));
            others++;
        }
    const char *name = kind == TRACE_KIND_CRITICAL_WAIT ? "critical section"
                       : ordered                        ? "ordered part"
                       : kind == TRACE_KIND_ATOMIC_WAIT ? "atomic update"
                                                        : "lock";
    char *where = at(m, &to->place);
    char *each = iot_time_text(c->count > 0 ? (uint64_t)(c->mean / c->count) : 0);
    char *wait = iot_time_text((uint64_t)(wait_of_turns(c) / (c->count > 0 ? c->count : 1)));
    // Who leaves a lock takes it again before a thread that waits for it has awoken: nobody sees those turns.
    if (!c->small && !ordered && (double)wait_of_turns(c) > LONG_WAIT * c->team * c->mean)
        to->text = base_format("threads wait for the %s at %s, %u time%s for %s each, while another one "
                               "holds it again and again", name, where, c->count,
                               c->count == 1 ? "" : "s", wait);
    else
        to->text = base_format("threads take turns in the %s at %s, %u times for %s each%s", name, where,
                               c->count, each, c->small ? ", which is less than taking turns costs" : "");
    if (c->small)
        to->advice = base_format("collect in each thread and combine once: a reduction in place of "
                                 "the %s at %s", name, where);
    else
        to->advice = base_format("compute before the %s at %s, and keep only the update in it",
                                 name, where);
    to->condition = base_copy(ordered && !c->small ? "with nothing computed in order"
                                                   : "without taking turns");
    to->estimate = c->small;
    free(where);
    free(each);
    free(wait);
}

// A collective call in a loop that does not need its result.
static void describe_early_result(measured_run *m, const cause *c, candidate *to, const char *where)
{
    iot_location loop = to->place;
    loop.line = iot_text_loop_around(iot_text_of(m, to->place.source), to->place.line);
    also(to, loop);
    const char *name = name_of_clause(m, c->clause);
    to->text = base_format("in %s at %s all ranks wait each time for another one, and the loop around "
                           "it does not use the result", name, where);
    to->advice = base_format("collect the values in an array, and call %s once after the loop, or "
                             "start it at %s with a nonblocking call", name, where);
    to->condition = base_copy("with one call after the loop");
    to->estimate = true;
}

// Whether a barrier is the end of sections. What gcc does not tell, the text does.
static bool are_sections(const measured_run *m, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(m->t, clause);
    trace_kind within = trace_get_module(m->t, trace_get_predicate(m->t, c->predicate)->module)->kind;
    return within == TRACE_KIND_SECTIONS ||
           (c->source != TRACE_NONE && iot_line_has(m->t, c->source, c->line, "sections"));
}

static void describe_barrier(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_BARRIER;
    to->place = location_of(m, c->clause);
    char *where = at(m, &to->place);
    bool mpi = kind_of_clause(m, c->clause) == TRACE_KIND_MPI_COLLECTIVE;
    if (mpi && strcmp(name_of_clause(m, c->clause), "MPI_Barrier") != 0) {
        describe_early_result(m, c, to, where);
        free(where);
        return;
    }
    const char *construct = are_sections(m, c->clause) ? "sections" : "loop";
    to->text = base_format("at the %s%s at %s all wait %sfor one %s, and for another one %s",
                           c->implied ? "end of the " : "barrier", c->implied ? construct : "", where,
                           c->again ? "mostly " : "", mpi ? "rank" : "thread",
                           c->again ? "the next time" : "after it");
    to->advice = c->implied
                     ? base_format("add nowait to the %s at %s unless what follows needs what "
                                   "others did in %s", construct, where, *construct == 's' ? "them" : "it")
                     : base_format("remove the barrier at %s unless what follows needs what "
                                   "others did before it", where);
    to->condition = base_copy("without the barrier");
    free(where);
}

static void describe_taskwait(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_DEPENDENCE;
    to->place = location_of(m, c->clause);
    bool loop = c->later == c->other || c->later == IOT_NONE;
    iot_location task = location_of(m, c->other), later = loop ? task : location_of(m, c->later);
    also(to, task);
    if (!loop)
        also(to, later);
    char *where = at(m, &to->place), *made = at(m, &task), *then = at(m, &later);
    to->text = base_format("the taskwait at %s waits %u times for a single task made at %s just "
                           "before, so the tasks run one after the other", where, c->count, made);
    to->advice = loop ? base_format("make all tasks at %s first, and move the taskwait at %s after "
                                    "the loop that makes them", made, where)
                      : base_format("leave out the taskwait at %s, so that the tasks made at %s "
                                    "begin before those made at %s are done", where, then, made);
    to->condition = base_copy("with all tasks made first");
    to->estimate = true;
    free(where);
    free(made);
    free(then);
}

static void describe_dependence(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_DEPENDENCE;
    to->place = location_of(m, c->clause);
    uint32_t others = 0;
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++)
        if (m->task_group[i] == c->clause && m->same[i] == i && i != c->clause &&
            others++ < MOST_ALSO)
            also(to, location_of(m, i));
    char *where = at(m, &to->place);
    to->text = base_format("%u tasks made at %s%s wait for tasks that they depend on, one after the "
                           "other", c->count, where,
                           others > 0 ? " and by the constructs that share its variables" : "");
    to->advice = base_format("let the depend clause%s at %s%s name only what a task really needs",
                             others > 0 ? "s" : "", where,
                             others > 0 ? " and of the constructs below" : "");
    to->condition = base_copy("if they were independent");
    to->estimate = true;
    free(where);
}

// ---------------------------------------------------------------------------------------------
// Grain

// The places of the regions that are begun in turn with the first one.
static uint32_t add_other_regions(measured_run *m, const cause *c, candidate *to)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++)
        if (m->region_group[i] == c->clause && m->same[i] == i && i != c->clause &&
            kind_of_clause(m, i) == TRACE_KIND_FORK && others++ < MOST_ALSO)
            also(to, location_of(m, i));
    return others;
}

static void describe_regions(measured_run *m, const cause *c, candidate *to, const char *where,
                             const char *each)
{
    uint32_t others = c->later == IOT_NONE ? 0 : add_other_regions(m, c, to);
    iot_location later = others > 0 ? location_of(m, c->later) : to->place;
    char *there = at(m, &later);
    char *more = others == 0   ? base_copy("")
                 : others == 1 ? base_format(" and the one at %s", there)
                               : base_format(" and %u others, as the one at %s", others, there);
    to->text = base_format("the parallel region at %s%s%s %s begun %u times and take%s %s each, "
                           "much of which is beginning and ending %s", where, more, others > 1 ? "," : "",
                           others > 0 ? "are" : "is", c->count, others > 0 ? "" : "s", each,
                           others > 0 ? "them" : "it");
    to->advice = base_format("begin one region outside of the loop that contains the region "
                             "at %s%s, or share the outer loop", where, more);
    to->condition = base_copy("with one region");
    free(there);
    free(more);
}

static void describe_grain(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_GRAIN;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    char *where = at(m, &to->place);
    char *each = iot_time_text(c->count > 0 ? (uint64_t)(c->mean / c->count) : 0);
    if (c->kind == LARGER_TASKS) {
        iot_location other = c->later == IOT_NONE ? to->place : location_of(m, c->later);
        char *there = at(m, &other);
        if (c->later != IOT_NONE)
            also(to, other);
        to->text = base_format("%u tasks made at %s%s%s take %s each, less than making a task costs",
                               c->count, where, c->later != IOT_NONE ? ", and those made at " : "",
                               c->later != IOT_NONE ? there : "", each);
        free(there);
        to->advice = base_format("give a task at %s more work: many iterations (grainsize), or "
                                 "no tasks below a certain size (if, final)", where);
        to->condition = base_copy("with large tasks");
    } else if (c->kind == LARGER_CHUNKS) {
        to->text = base_format("the loop at %s is handed out in %u chunks of %s each, most of "
                               "which is handing out", where, c->count, each);
        to->advice = base_format("use schedule(static), or larger chunks, for the loop at %s",
                                 where);
        to->condition = base_copy("with large chunks");
    } else {
        const source_text *text = iot_text_of(m, to->place.source);
        iot_location loop = to->place;
        loop.line = iot_text_loop_around(text, to->place.line);
        also(to, loop);
        describe_regions(m, c, to, where, each);
    }
    free(where);
    free(each);
}

// ---------------------------------------------------------------------------------------------
// Messages

static const double MOSTLY = 0.7; // of the time that somebody computes

// Does the receiver do nothing while the sender computes, and then the same work with what it got?
static bool computes_the_same_later(measured_run *m, const cause *c, const iot_location *work)
{
    uint32_t x = m->after[c->example];
    iot_location call, inner;
    while (x != IOT_NONE && kind_of(m, x) == TRACE_KIND_TRANSFER)
        x = m->after[x];
    if (x == IOT_NONE || !computes(m, x) || c->weight < MOSTLY * c->most)
        return false;
    iot_location there = computed_at(m, x, &call, &inner);
    return there.source == work->source && there.line == work->line;
}

static void describe_one_after_other(measured_run *m, const cause *c, candidate *to,
                                     const iot_location *work)
{
    uint32_t send = call_at(m, c->source, true);
    if (send == IOT_NONE || !computes_the_same_later(m, c, work))
        return;
    to->kind = FINDING_LATE_SENDER;
    to->estimate = true;
    to->place = location_of(m, send);
    also(to, *work);
    also(to, location_of(m, c->clause));
    char *waiting = call_text(m, c->clause), *sent = call_text(m, send), *where = at(m, work);
    char *who = place_name(m, trace_place(m->t, c->source));
    char *next = place_name(m, trace_place(m->t, c->example));
    to->text = base_format("the ranks compute one after the other: %s waits in %s until %s has done all of "
                           "its work at %s, and then does the same with what it got", next, waiting, who,
                           where);
    to->advice = base_format("divide the work at %s into parts, and call %s after each, so that the next "
                             "rank begins with the first part", where, sent);
    to->condition = base_copy("with many parts");
    free(waiting);
    free(sent);
    free(where);
    free(who);
    free(next);
}

static void describe_late(measured_run *m, const cause *c, candidate *to)
{
    bool sender = c->kind == SENT_EARLIER;
    iot_location call = {TRACE_NONE, 0, IOT_NONE, IOT_NONE}, inner = call, work = call;
    uint32_t next = c->source == IOT_NONE ? IOT_NONE : call_at(m, c->source, true);
    to->kind = sender ? FINDING_LATE_SENDER : FINDING_LATE_RECEIVER;
    if (c->source != IOT_NONE)
        work = computed_at(m, c->source, &call, &inner);
    if (sender && iot_line_makes(m, &work, &call)) {
        const source_text *text = iot_text_of(m, call.source);
        uint32_t end = iot_text_end_of_loops(text, work.line);
        end = end > work.line && end < call.line ? end : work.line;
        text_spot later = iot_text_spot(text, end, call.line);
        if (later.line == 0) { // the message is what is computed there, and nothing comes after it
            describe_one_after_other(m, c, to, &work);
            return;
        }
        work.line = later.line;
        inner.line = later.inner;
    }
    if (next == c->clause && work.line == call.line)
        return; // both sides make the same call, and the text does not tell what one does longer
    to->place = call.source != TRACE_NONE ? call : location_of(m, c->clause);
    also(to, work);
    also(to, inner);
    also(to, location_of(m, c->clause));
    char *waiting = call_text(m, c->clause), *where = at(m, &work);
    char *who = place_name(m, c->source == IOT_NONE ? IOT_NONE : trace_place(m->t, c->source));
    char *late = next == IOT_NONE ? base_copy("the other side") : call_text(m, next);
    to->text = base_format("%s waits for %s, which %s comes to only after its computation at %s",
                           waiting, late, who, where);
    to->advice = sender ? base_format("call %s before the computation at %s", late, where)
                        : base_format("post the receive %s before the computation at %s "
                                      "(MPI_Irecv)", late, where);
    to->condition = sender ? base_copy("with the messages sent in time")
                           : base_copy("with the receives posted in time");
    free(waiting);
    free(where);
    free(who);
    free(late);
}

static void describe_early_wait(measured_run *m, const cause *c, candidate *to)
{
    iot_location call, inner, work = computed_at(m, m->after[c->example], &call, &inner);
    to->kind = FINDING_LATE_SENDER;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    also(to, work);
    also(to, inner);
    uint32_t post = call_at(m, c->example, false);
    if (post != IOT_NONE)
        also(to, location_of(m, post));
    char *waiting = call_text(m, c->clause), *where = at(m, &to->place), *later = at(m, &work);
    to->text = base_format("%s waits %u times for messages of requests that were made just before, "
                           "and the rank computes only afterwards, at %s",
                           waiting, c->count, later);
    to->advice = base_format("do what needs no message at %s before the wait at %s", later, where);
    to->condition = base_copy("with the wait after the computation");
    free(waiting);
    free(where);
    free(later);
}

// What a rank computes after it got a message is mostly its answer to that.
static bool computes_with_message(const measured_run *m, uint32_t activity)
{
    uint32_t before = activity == IOT_NONE ? IOT_NONE : call_at(m, activity, false);
    return before != IOT_NONE && kind_of_clause(m, before) == TRACE_KIND_MPI_RECEIVE;
}

// The root of a collective call that the others wait for, or that waits for the others.
static void describe_root(measured_run *m, const cause *c, candidate *to)
{
    bool late = c->kind == ROOT_EARLIER;
    iot_location call = {TRACE_NONE, 0, IOT_NONE, IOT_NONE}, inner = call, work = call;
    if (c->source != IOT_NONE)
        work = computed_at(m, c->source, &call, &inner);
    if (late && computes_with_message(m, c->source))
        return;
    to->kind = late ? FINDING_LATE_BROADCAST : FINDING_EARLY_REDUCE;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    also(to, work);
    also(to, inner);
    char *waiting = call_text(m, c->clause), *where = at(m, &to->place), *first = at(m, &work);
    uint32_t last = c->source == IOT_NONE ? IOT_NONE : trace_place(m->t, c->source);
    char *who = place_name(m, last), *root = place_name(m, c->place);
    if (late) {
        to->text = base_format("%s comes to %s only after its computation at %s, and the other "
                               "ranks wait for it", who, waiting, first);
        to->advice = base_format("call it at %s before the computation at %s if the message does "
                                 "not need that", where, first);
        to->condition = base_copy("with the root in time");
    } else {
        to->text = base_format("%s waits in %s for the other ranks, the longest for %s, before it "
                               "goes on", root, waiting, who);
        to->advice = base_format("let the root do meanwhile what needs no result: a nonblocking "
                                 "call at %s, and MPI_Wait where the result is used", where);
        to->condition = base_copy("without that wait");
    }
    free(waiting);
    free(where);
    free(first);
    free(who);
    free(root);
}

static void describe_order(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_RECEIVE_ORDER;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    char *call = call_text(m, c->clause), *where = at(m, &to->place);
    char *who = place_name(m, c->source == IOT_NONE ? IOT_NONE : trace_place(m->t, c->source));
    to->text = base_format("%s waits %u time%s for one rank (the longest for %s) while a message of "
                           "another rank is there", call, c->count, c->count == 1 ? "" : "s", who);
    to->advice = base_format("receive from MPI_ANY_SOURCE at %s, or post all receives and use "
                             "MPI_Waitany", where);
    to->condition = base_copy("in order of arrival");
    free(call);
    free(where);
    free(who);
}

static void describe_join(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_SERIAL;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    char *where = at(m, &to->place), *who = place_name(m, c->place);
    to->text = base_format("%s waits at %s for the thread that it has made just before, and computes only "
                           "afterwards, %u time%s", who, where, c->count, c->count == 1 ? "" : "s");
    to->advice = base_format("do what needs nothing of that thread before the join at %s", where);
    to->condition = base_copy("with the join after that");
    free(where);
    free(who);
}

static void describe_step(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_ROUNDS;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    iot_location others = location_of(m, c->other);
    also(to, others);
    char *where = at(m, &to->place), *there = at(m, &others), *who = place_name(m, c->place);
    char *whom = place_name(m, c->source == IOT_NONE ? IOT_NONE : trace_place(m->t, c->source));
    to->text = base_format("%s waits at %s, %u times, until %s is done with what it has been given, and that "
                           "waits at %s for more: the two threads work in turn", who, where, c->count, whom,
                           there);
    to->advice = base_format("let %s go on without the wait at %s: put what it hands on into a queue that "
                             "takes several", who, where);
    to->condition = base_copy("with both at work at the same time");
    free(where);
    free(there);
    free(who);
    free(whom);
}

static void describe_tree(measured_run *m, const cause *c, candidate *to)
{
    to->kind = FINDING_COLLECTIVE;
    to->estimate = true;
    to->place = location_of(m, c->clause);
    iot_location loop = to->place;
    loop.line = iot_text_loop_around(iot_text_of(m, to->place.source), to->place.line);
    also(to, loop);
    char *call = call_text(m, c->clause), *where = at(m, &to->place);
    char *who = place_name(m, c->place);
    to->text = base_format("%s sends to %u ranks one after the other by %s, and the last ones wait "
                           "for all sends before theirs", who, c->team, call);
    to->advice = base_format("use a collective call (MPI_Bcast, MPI_Scatter) in place of the sends "
                             "at %s", where);
    to->condition = base_copy("as a tree");
    free(call);
    free(where);
    free(who);
}

// The clause of the group that is changed: a send if there is one.
static uint32_t clause_to_change(const measured_run *m, const cause *c)
{
    uint32_t found = c->example == IOT_NONE ? c->clause : clause_of(m, c->example);
    for (size_t i = 0; i < m->rows.n; i++)
        for (int k = 0; k < 2; k++) {
            uint32_t clause = m->rows.at[i].clauses[k];
            if (clause != IOT_NONE && iot_row_group(m, clause) == c->clause &&
                kind_of_clause(m, clause) == TRACE_KIND_MPI_SEND &&
                kind_of_clause(m, found) != TRACE_KIND_MPI_SEND)
                found = clause;
        }
    return found;
}

static void describe_row(measured_run *m, const cause *c, candidate *to)
{
    uint32_t clause = clause_to_change(m, c);
    bool collective = kind_of_clause(m, clause) == TRACE_KIND_MPI_COLLECTIVE;
    to->kind = FINDING_GRAIN;
    to->estimate = true;
    to->place = location_of(m, clause);
    iot_location loop = to->place;
    loop.line = iot_text_loop_around(iot_text_of(m, to->place.source), to->place.line);
    also(to, loop);
    for (size_t i = 0; i < m->rows.n; i++)
        for (int k = 0; k < 2; k++)
            if (m->rows.at[i].clauses[k] != IOT_NONE &&
                iot_row_group(m, m->rows.at[i].clauses[k]) == c->clause)
                also(to, location_of(m, m->rows.at[i].clauses[k]));
    char *call = call_text(m, clause), *where = at(m, &to->place);
    char *who = place_name(m, c->place);
    char *each = iot_time_text(c->count > 0 ? (uint64_t)(c->mean / c->count) : 0);
    if (c->kind == MORE_AT_ONCE) {
        to->text = base_format("%s hands out one item in each message by %s, %u messages of %s "
                               "each, and the other ranks wait for each item", who, call, c->count,
                               each);
        to->advice = base_format("send many items in each message at %s", where);
        to->condition = base_copy("with many items in a message");
    } else {
        to->text = base_format("%s is called up to %u times in a row, for %s each, with next to "
                               "nothing computed in between", call, c->team, each);
        to->advice = base_format("collect the values in an array, and %s once for all of them in "
                                 "place of the loop around %s",
                                 collective ? "make the call" : "send them", where);
        to->condition = base_copy("with one call for each row");
    }
    free(call);
    free(where);
    free(who);
    free(each);
}

bool iot_describe_cause(measured_run *m, const cause *c, candidate *to)
{
    static void (*const describe[CAUSES])(measured_run *, const cause *, candidate *) = {
        [EVEN_THREADS] = describe_even_threads, [EVEN_RANKS] = describe_even_ranks,
        [SHARE_SERIAL] = describe_stretch,      [SHARE_REGION] = describe_lone_region,
        [NO_TURNS] = describe_turns,            [NO_BARRIER] = describe_barrier,
        [NO_TASKWAIT] = describe_taskwait,      [NO_DEPENDENCE] = describe_dependence,
        [LARGER_TASKS] = describe_grain,        [LARGER_CHUNKS] = describe_grain,
        [FEWER_REGIONS] = describe_grain,       [SENT_EARLIER] = describe_late,
        [POSTED_EARLIER] = describe_late,       [WAITED_LATER] = describe_early_wait,
        [ROOT_EARLIER] = describe_root,         [ROOT_LATER] = describe_root,
        [ANY_ORDER] = describe_order,           [SERVED_AS_THEY_COME] = describe_order,
        [JOINED_LATER] = describe_join,         [NOT_IN_STEP] = describe_step,
        [SENT_AS_TREE] = describe_tree,         [ONE_CALL] = describe_row,
        [MORE_AT_ONCE] = describe_row,
    };
    describe[c->kind](m, c, to);
    to->reduction = c->example;
    to->clause = c->example == IOT_NONE ? IOT_NONE : clause_of(m, c->example);
    return to->text != NULL;
}
