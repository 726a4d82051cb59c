// SPDX-License-Identifier: MIT
//
// Findings of a measured run: its wait states, with the construct to blame for each. Shares of the
// critical path are shares of its time. Shares of waiting are shares of the time of all locations
// together, and only the time that activities cover counts: the trace does not tell an idle
// location from an absent one.
#include "base/text.h"
#include "iotree/findings/findings.h"
#include "profiler/regions.h"

// Real time of one module, and its wait states.
typedef struct {
    uint64_t ran, waited;
    uint32_t waits_in; // predicate that most of it was waited in
    uint64_t most;
} module_time;

typedef struct {
    module_time *modules;
    uint64_t ran, waited;
    uint64_t *by_predicate; // waited
} times;

static times measure(const iot *a)
{
    times x = {.modules = base_allocate(a->nmodules, sizeof *x.modules),
               .by_predicate = base_allocate(trace_npredicates(a->t), sizeof *x.by_predicate)};
    for (uint32_t r = 1; r < a->n; r++) {
        const trace_clause *c = trace_get_clause(a->t, trace_reduction_clause(a->t, r));
        module_time *m = &x.modules[a->processes[process_of(a, r)].module];
        uint64_t took = (uint64_t)(trace_end(a->t, r) - trace_start(a->t, r));
        if (!c->waits) {
            m->ran += took;
            x.ran += took;
            continue;
        }
        m->waited += took;
        x.waited += took;
        uint64_t sum = x.by_predicate[c->predicate] += took;
        if (sum >= m->most) {
            m->most = sum;
            m->waits_in = c->predicate;
        }
    }
    return x;
}

// "implied barrier" of implied_barrier. malloc'ed.
static char *plain_name(const trace *t, uint32_t predicate)
{
    char *name = base_format("%s", trace_string(t, trace_get_predicate(t, predicate)->name, NULL));
    for (char *s = name; *s; s++)
        if (*s == '_')
            *s = ' ';
    return name;
}

// Whether the module is the construct in which the predicate waits: a taskwait, but not a loop at
// whose barrier is waited. Then the module's name says what is waited for.
static bool says_itself(const iot *a, uint32_t module, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(a->t, predicate);
    return p->kind != TRACE_KIND_NONE && p->kind == trace_get_module(a->t, p->module)->kind &&
           iot_keeps_module(a, module, predicate);
}

// The longest reduction of the module, of waits or of others; IOT_NONE if there is none.
static uint32_t longest(const iot *a, uint32_t module, bool waits)
{
    uint32_t best = IOT_NONE;
    int64_t most = -1;
    for (uint32_t r = 1; r < a->n; r++) {
        int64_t took = trace_end(a->t, r) - trace_start(a->t, r);
        if (a->processes[process_of(a, r)].module == module && took > most &&
            trace_get_clause(a->t, trace_reduction_clause(a->t, r))->waits == waits) {
            most = took;
            best = r;
        }
    }
    return best;
}

static iot_note about(const iot *a, uint32_t module, uint32_t reduction)
{
    return (iot_note){.module = module,
                         .reduction = reduction,
                         .clause = reduction == IOT_NONE ? IOT_NONE
                                                         : trace_reduction_clause(a->t, reduction)};
}

// What the name of a predicate says beyond the name of its module: " before MPI_Send a.c:5".
static const char *rest_of_name(const iot *a, uint32_t module, uint32_t predicate)
{
    size_t length, shown = strlen(a->modules[module].name);
    const char *name = trace_string(a->t, trace_get_predicate(a->t, predicate)->name, &length);
    return length > shown ? name + shown : "";
}

// "; 31 % of thread time waits at its implied barrier": the longest waits in the module or for it.
// *ret_module: the module of the waits, or IOT_NONE.
static char *waits_for(const iot *a, const times *x, uint32_t module, uint32_t *ret_module)
{
    *ret_module = IOT_NONE;
    uint64_t all = x->ran + x->waited, most = 0;
    const iot_waiting *wait = NULL;
    for (uint32_t i = 0; i < iot_nwaiting(a); i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        if ((w->module == module || w->cause == module) && w->time > most) {
            most = w->time;
            wait = w;
        }
    }
    uint64_t time = 0; // for other causes, too
    for (uint32_t i = 0; wait && i < iot_nwaiting(a); i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        time += w->module == wait->module && w->predicate == wait->predicate ? w->time : 0;
    }
    if (!wait || time * 100 < all || all == 0)
        return base_copy("");
    *ret_module = wait->module;
    char *name = plain_name(a->t, wait->predicate);
    int percent = iot_percent(time, all);
    const char *where = a->modules[wait->module].name;
    bool known = wait->cause_predicate != IOT_NONE;
    const char *what = known ? rest_of_name(a, wait->cause, wait->cause_predicate) : "";
    const char *for_what = known ? ", for what is" : "";
    char *text;
    if (wait->module == module)
        text = base_format("; %d %% of thread time waits at its %s%s%s", percent, name, for_what,
                          what);
    else if (says_itself(a, wait->module, wait->predicate))
        text =
            base_format("; %d %% of thread time waits at %s%s%s", percent, where, for_what, what);
    else
        text = base_format("; %d %% of thread time waits at the %s of %s%s%s", percent, name, where,
                           for_what, what);
    free(name);
    return text;
}

// ", 97 % of it at thread 1": the location with two thirds or more of the module's share of the
// critical path; empty if there is none.
static char *busiest_place(const iot *a, uint32_t module)
{
    uint32_t n = trace_nplaces(a->t), most = 0;
    uint64_t *costs = base_allocate(n, sizeof *costs), sum = 0;
    for (uint32_t i = 0; i < a->path.n; i++) {
        uint32_t r = a->path.steps[i];
        if (r == 0 || a->processes[process_of(a, r)].module != module)
            continue;
        uint64_t cost = (uint64_t)trace_cost(a->t, r);
        costs[trace_place(a->t, r)] += cost;
        sum += cost;
    }
    for (uint32_t p = 1; p < n; p++)
        most = costs[p] > costs[most] ? p : most;
    bool mostly = n > 1 && sum > 0 && costs[most] * 3 >= sum * 2;
    const char *name = mostly ? trace_place_name(a->t, most) : NULL;
    int percent = iot_percent(costs[most], sum);
    char *text = !mostly ? base_copy("")
                 : name  ? base_format(", %d %% of it at %s", percent, name)
                         : base_format(", %d %% of it at place %u", percent, most);
    free(costs);
    return text;
}

// ", 61 % before MPI_Send a.c:5": where most of this module's share of the critical path is spent,
// if the module occurs at several call sites; empty if no single site dominates or if the time is
// after the last call.
static char *busiest_predicate(const iot *a, uint32_t module)
{
    uint64_t *costs = base_allocate(trace_npredicates(a->t), sizeof *costs);
    uint64_t untold = 0;
    uint32_t most = IOT_NONE;
    for (uint32_t i = 0; i < a->path.n; i++) {
        uint32_t r = a->path.steps[i];
        if (r == 0 || a->processes[process_of(a, r)].module != module)
            continue;
        uint32_t predicate = iot_telling_predicate(a, r);
        if (predicate == IOT_NONE) {
            untold += (uint64_t)trace_cost(a->t, r);
            continue;
        }
        costs[predicate] += (uint64_t)trace_cost(a->t, r);
        if (most == IOT_NONE || costs[predicate] > costs[most])
            most = predicate;
    }
    char *text = most == IOT_NONE || costs[most] <= untold
                     ? base_copy("")
                     : base_format(", %d %%%s", iot_percent(costs[most], a->path.cost),
                                  rest_of_name(a, module, most));
    free(costs);
    return text;
}

// The module with the largest share of the critical path, and the waits for it. Returns the module
// of these waits, or IOT_NONE.
static uint32_t say_path(const iot *a, notes *n, const times *x)
{
    uint32_t most = 0;
    for (uint32_t m = 0; m < a->nmodules; m++)
        if (a->modules[m].critical > a->modules[most].critical)
            most = m;
    uint32_t said;
    if (!a->path.cost || !a->modules[most].critical)
        return IOT_NONE;
    char *waits = waits_for(a, x, most, &said);
    iot_note f = about(a, most, longest(a, most, false));
    char *path = iot_time_text(a->modules[most].critical);
    char *whole = iot_time_text(a->path.cost);
    char *part = busiest_predicate(a, most);
    f.title = base_format("%d %% of the critical path is %s%s%s",
                         iot_percent(a->modules[most].critical, a->path.cost),
                         a->modules[most].name, part, waits);
    free(part);
    char *place = busiest_place(a, most);
    f.detail = base_format("%s of %s%s", path, whole, place);
    ARRAY_PUSH(n->list, f);
    free(place);
    free(waits);
    free(path);
    free(whole);
    return said;
}

// Wait states of other modules that take a tenth of all time or more. said: the module that
// say_path() named.
static void say_waiting(const iot *a, notes *n, const times *x, uint32_t said)
{
    uint32_t critical = 0;
    for (uint32_t m = 0; m < a->nmodules; m++)
        if (a->modules[m].critical > a->modules[critical].critical)
            critical = m;
    uint64_t all = x->ran + x->waited;
    for (uint32_t m = 0; m < a->nmodules; m++) {
        const module_time *time = &x->modules[m];
        if (m == critical || m == said || time->waited == 0 || time->waited * 10 < all)
            continue;
        char *name = plain_name(a->t, time->waits_in), *waited = iot_time_text(time->waited);
        iot_note f = about(a, m, longest(a, m, true));
        bool plain = says_itself(a, m, time->waits_in);
        f.title =
            base_format("%d %% of thread time waits in %s%s%s%s", iot_percent(time->waited, all),
                        a->modules[m].name, plain ? "" : " (", plain ? "" : name, plain ? "" : ")");
        f.detail = base_format("%s in all", waited);
        ARRAY_PUSH(n->list, f);
        free(name);
        free(waited);
    }
}

// ---- Losses ---------------------------------------------------------------------------------

enum { SHOWN_LOSSES = 4 }; // places told one by one

// "thread 0 kept 1000 of 8000". malloc'ed.
static char *loss_text(const trace *t, const trace_dropped *l)
{
    const char *name = trace_place_name(t, l->place);
    char *place = name ? base_copy(name) : base_format("place %u", l->place);
    char *text = base_format("%s kept %llu of %llu", place, (unsigned long long)l->kept,
                            (unsigned long long)l->seen);
    free(place);
    return text;
}

// "thread 0 kept 1000 of 8000, thread 1 kept ...; --events 8000 would have been enough". malloc'ed.
static char *dropped_text(const trace *t, const trace_dropped *dropped, uint32_t n, uint64_t enough)
{
    base_text text = {0};
    for (uint32_t i = 0; i < n && i < SHOWN_LOSSES; i++) {
        char *one = loss_text(t, &dropped[i]);
        text_add_format(&text, "%s%s", i > 0 ? ", " : "", one);
        free(one);
    }
    if (n > SHOWN_LOSSES)
        text_add_format(&text, ", and so %u more", n - SHOWN_LOSSES);
    if (enough > 0)
        text_add_format(&text, "; --events %llu would have been enough",
                        (unsigned long long)enough);
    return text_finish(&text);
}

uint64_t iot_lost_events(const trace *t, char **ret_text)
{
    const trace_dropped *dropped;
    uint32_t n = trace_get_dropped(t, &dropped);
    uint64_t lost = 0, enough = 0;
    for (uint32_t i = 0; i < n; i++) {
        lost += dropped[i].seen - dropped[i].kept;
        if (dropped[i].capped && dropped[i].seen > enough)
            enough = dropped[i].seen;
    }
    if (n > 0 && ret_text)
        *ret_text = dropped_text(t, dropped, n, enough);
    return lost;
}

void iot_note_dropped(const iot *a, notes *n)
{
    char *text;
    uint64_t lost = iot_lost_events(a->t, &text);
    if (lost == 0)
        return;
    iot_note f = about(a, IOT_NONE, IOT_NONE);
    f.title =
        base_format("%llu event%s of the run %s not kept: what came later is not known",
                    (unsigned long long)lost, lost == 1 ? "" : "s", lost == 1 ? "was" : "were");
    f.detail = text;
    ARRAY_PUSH(n->list, f);
}

// ---- Balance --------------------------------------------------------------------------------

// How the loop is scheduled that the activity is a part of: a string, or TRACE_NONE.
static uint32_t schedule_of(const iot *a, uint32_t reduction)
{
    uint32_t goal = trace_reduction_goal(a->t, reduction), name;
    const trace_predicate *p = trace_get_predicate(a->t, trace_goal_predicate(a->t, goal));
    for (uint32_t i = 0; i < p->arity; i++) {
        trace_value v = trace_goal_arg(a->t, goal, i), schedule;
        if (v.kind == TV_CELL && trace_cell_pair(a->t, v.id, &name, &schedule) &&
            trace_string_key(a->t, name) == TRACE_KEY_SCHEDULE)
            return schedule.kind == TV_ATOM ? schedule.id : TRACE_NONE;
    }
    return TRACE_NONE;
}

// The largest team that the place was ever in, or NULL.
static const trace_team *team_of(const trace *t, uint32_t place)
{
    const trace_regions *all = trace_get_regions(t);
    const trace_team *best = NULL;
    for (uint32_t i = 0; all && i < all->nregions; i++)
        for (uint32_t k = 0; k < all->regions[i].nteams; k++) {
            const trace_team *team = &all->regions[i].teams[k];
            for (uint32_t n = 0; n < team->nplaces; n++)
                if (team->places[n] == place && (!best || team->nplaces > best->nplaces))
                    best = team;
        }
    return best;
}

static void say_balance_of(const iot *a, notes *n, uint32_t module, const uint64_t *by_place, uint32_t schedule)
{
    uint32_t places = trace_nplaces(a->t), worked = 0, slowest = 0;
    uint64_t sum = 0;
    for (uint32_t p = 0; p < places; p++) {
        worked += by_place[p] > 0;
        sum += by_place[p];
        slowest = by_place[p] > by_place[slowest] ? p : slowest;
    }
    if (worked == 0 || places < 2 || sum * 20 < a->work)
        return;
    const trace_team *team = team_of(a->t, slowest);
    if (team) { // other teams do not share its loops
        sum = 0;
        for (uint32_t i = 0; i < team->nplaces; i++)
            sum += by_place[team->places[i]];
        places = team->nplaces;
    }
    double mean = (double)sum / (double)places, ratio = (double)by_place[slowest] / mean;
    if (ratio < 1.25)
        return;
    const char *known = trace_place_name(a->t, slowest);
    char *name = known ? base_copy(known) : base_format("place %u", slowest);
    iot_note f = about(a, module, longest(a, module, false));
    trace_schedule kind = trace_string_schedule(a->t, schedule);
    bool sections = kind == TRACE_SCHEDULE_SECTIONS;
    bool told = kind != TRACE_SCHEDULE_NOT_OBSERVED && !sections;
    f.title = base_format("%s is unbalanced%s%s: %s works %.1f times the mean",
                         a->modules[module].name, told ? " with schedule " : "",
                         told ? trace_string(a->t, schedule, NULL) : "", name, ratio);
    free(name);
    f.detail = base_copy(kind == TRACE_SCHEDULE_STATIC
                             ? "schedule(dynamic) or smaller chunks would share the work"
                         : sections ? "sections of equal length, or tasks, would share the work"
                                    : "smaller chunks would share the work");
    ARRAY_PUSH(n->list, f);
}

static void say_balance(const iot *a, notes *n)
{
    uint32_t places = trace_nplaces(a->t);
    uint64_t *by_place = base_allocate((size_t)a->nmodules * places, sizeof *by_place);
    uint32_t *schedules = base_allocate(a->nmodules, sizeof *schedules);
    memset(schedules, 0xff, a->nmodules * sizeof *schedules);
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t module = a->processes[process_of(a, r)].module;
        by_place[(size_t)module * places + trace_place(a->t, r)] += (uint64_t)trace_cost(a->t, r);
        if (schedules[module] == TRACE_NONE)
            schedules[module] = schedule_of(a, r);
    }
    for (uint32_t m = 0; m < a->nmodules; m++)
        if (schedules[m] != TRACE_NONE)
            say_balance_of(a, n, m, by_place + (size_t)m * places, schedules[m]);
    free(by_place);
    free(schedules);
}

static void say_measured_whole(const iot *a, notes *n, const times *x)
{
    iot_note f = about(a, IOT_NONE, IOT_NONE);
    char *work = iot_time_text(a->work), *span = iot_time_text((uint64_t)a->span);
    char *elapsed = iot_time_text((uint64_t)trace_elapsed(a->t));
    char *waited = iot_time_text(x->waited);
    f.title = base_format("parallelism %.1f: %s of work in %s",
                         a->span > 0 ? (double)a->work / (double)a->span : 0, work, span);
    f.detail = base_format("it took %s on %u place%s, with %s of waiting", elapsed,
                          trace_nplaces(a->t), trace_nplaces(a->t) == 1 ? "" : "s", waited);
    ARRAY_PUSH(n->list, f);
    free(work);
    free(span);
    free(elapsed);
    free(waited);
}

void iot_note_measured(const iot *a, notes *n)
{
    times x = measure(a);
    say_waiting(a, n, &x, say_path(a, n, &x));
    say_balance(a, n);
    say_measured_whole(a, n, &x);
    free(x.modules);
    free(x.by_predicate);
}
