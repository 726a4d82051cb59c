// SPDX-License-Identifier: MIT
//
// The list of findings, and those of every run: how it ended. Each says only what was counted.
#include "iotree/findings/findings.h"

void iot_add_finding(iot *a, iot_finding f)
{
    a->findings.list = base_resize(a->findings.list, a->findings.n + 1, sizeof *a->findings.list);
    a->findings.list[a->findings.n++] = f;
}

int iot_percent(uint64_t part, uint64_t whole)
{
    int p = (int)(100.0 * (double)part / (double)whole + 0.5);
    if (p == 100 && part < whole)
        return 99;
    return p == 0 && part > 0 ? 1 : p;
}

char *iot_time_text(uint64_t nanoseconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    double n = (double)nanoseconds;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (n >= units[i].size * 0.9995) // what rounds to 1000 is 1 of the next unit
            return base_format("%.3g %s", n / units[i].size, units[i].name);
    return base_format("%llu ns", (unsigned long long)nanoseconds);
}

// ---------------------------------------------------------------------------------------------
// How it ended

static uint32_t first_suspended(const iot *a)
{
    uint32_t g = 0;
    while (g < trace_ngoals(a->t) && trace_goal_reduction(a->t, g) != TRACE_NONE)
        g++;
    return g < trace_ngoals(a->t) ? g : IOT_NONE;
}

// "3 goals were never reduced, 2 of them of q/2". malloc'ed.
static char *suspended_text(const iot *a)
{
    uint32_t *counts = base_allocate(trace_npredicates(a->t), sizeof *counts), most = 0;
    for (uint32_t g = 0; g < trace_ngoals(a->t); g++) {
        uint32_t p = trace_goal_predicate(a->t, g);
        if (trace_goal_reduction(a->t, g) == TRACE_NONE && ++counts[p] > counts[most])
            most = p;
    }
    char *name = iot_predicate_text(a->t, most), *text;
    if (a->nsuspended == 1)
        text = base_format("a goal of %s was never reduced", name);
    else if (counts[most] == a->nsuspended)
        text = base_format("%u goals of %s were never reduced", a->nsuspended, name);
    else
        text = base_format("%u goals were never reduced, %u of them of %s", a->nsuspended,
                          counts[most], name);
    free(name);
    free(counts);
    return text;
}

static const char *ending_title(trace_ending ending)
{
    switch (ending) {
    case TRACE_FAILED:
        return "the run failed";
    case TRACE_DEADLOCK:
        return "deadlock: goals wait that nothing can wake";
    case TRACE_HALTED:
        return "the program halted the run";
    case TRACE_STOPPED:
        return "the run was stopped at its limit";
    case TRACE_INTERRUPTED:
        return "the run was interrupted";
    case TRACE_UNFINISHED:
        return "the file ends before the run did";
    default:
        return "goals were left over";
    }
}

bool iot_ran_to_end(const trace *t)
{
    trace_ending ending = trace_get_ending(t);
    if (trace_get_cut(t) || iot_lost_events(t, NULL) > 0)
        return false;
    return ending == TRACE_NORMAL || (ending == TRACE_HALTED && trace_exit_status(t) == 0);
}

// The run went on, so its ending says nothing of the goals that are left here.
static void say_cut(iot *a, const trace_cut *cut)
{
    iot_add_finding(
        a, (iot_finding){
               .title = base_format("the trace ends before the run: it has reached its size"),
               .detail = base_format(
                   "steps 1 to %lld of %lld, %llu of %llu reductions; what is not "
                   "reduced here was later, or never",
                   (long long)cut->last, (long long)cut->span, (unsigned long long)cut->recorded,
                   (unsigned long long)cut->reductions),
               .module = IOT_NONE,
               .reduction = IOT_NONE,
               .clause = IOT_NONE,
           });
}

// Where it ended that way. malloc'ed.
static char *how_far(const iot *a)
{
    if (!trace_is_measured(a->t))
        return base_format("after %llu reduction%s", (unsigned long long)a->work,
                          a->work == 1 ? "" : "s");
    char *time = iot_time_text((uint64_t)trace_elapsed(a->t));
    char *text = base_format("after %s", time);
    free(time);
    return text;
}

static void say_ending(iot *a)
{
    const trace_cut *cut = trace_get_cut(a->t);
    if (cut) {
        say_cut(a, cut);
        return;
    }
    trace_ending ending = trace_get_ending(a->t);
    const char *message = trace_message(a->t);
    uint32_t failed = trace_failed_goal(a->t), goal = failed;
    if (ending == TRACE_NORMAL && !a->nsuspended)
        return;
    iot_finding f = {.title = base_copy(ending_title(ending)),
                     .module = IOT_NONE,
                     .reduction = IOT_NONE,
                     .clause = IOT_NONE};
    if (goal == TRACE_NONE && a->nsuspended)
        goal = first_suspended(a);
    if (goal != TRACE_NONE && trace_goal_parent(a->t, goal)) {
        f.module = iot_module_of_goal(a, goal);
        f.reduction = trace_goal_parent(a->t, goal);
        f.clause = trace_reduction_clause(a->t, f.reduction);
    }
    if (ending == TRACE_FAILED && *message)
        f.detail = base_format("%.*s", (int)strcspn(message, "\n"), message);
    else if (a->nsuspended)
        f.detail = suspended_text(a);
    else
        f.detail = how_far(a);
    iot_add_finding(a, f);
}

static void say_races(iot *a)
{
    uint32_t n = trace_raced(a->t);
    if (!n)
        return;
    iot_add_finding(a, (iot_finding){
               .title = base_format("%u reduction%s raced", n, n == 1 ? "" : "s"),
               .detail = base_format("another clause would have fitted, or = met a binding from "
                                    "later: another run may answer and take its time differently"),
               .module = IOT_NONE,
               .reduction = IOT_NONE,
               .clause = IOT_NONE,
           });
}

void iot_ensure_findings(iot *a)
{
    if (a->findings.known)
        return;
    iot_say_dropped(a);
    say_ending(a);
    say_races(a);
    if (trace_is_measured(a->t))
        iot_say_measured(a);
    else
        iot_say_fleng(a);
    a->findings.known = true;
}

uint32_t iot_nfindings(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    iot_ensure_findings(a);
    pthread_mutex_unlock(&a->lock);
    return a->findings.n;
}

const iot_finding *iot_get_finding(const iot *a, uint32_t i)
{
    return iot_nfindings(a) > i ? &a->findings.list[i] : NULL;
}
