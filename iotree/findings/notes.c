// SPDX-License-Identifier: MIT
//
// Notes of every run: how it ended, races and losses. Each says only what was counted.
#include "iotree/findings/findings.h"

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
static void note_cut(notes *n, const trace_cut *cut)
{
    ARRAY_PUSH(n->list,
               (iot_note){
                   .title = base_copy("the trace ends before the run: it has reached its size"),
                   .detail = base_format(
                       "steps 1 to %lld of %lld, %llu of %llu reductions; what is not "
                       "reduced here was later, or never",
                       (long long)cut->last, (long long)cut->span,
                       (unsigned long long)cut->recorded, (unsigned long long)cut->reductions),
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

static void note_ending(const iot *a, notes *n)
{
    const trace_cut *cut = trace_get_cut(a->t);
    if (cut) {
        note_cut(n, cut);
        return;
    }
    trace_ending ending = trace_get_ending(a->t);
    const char *message = trace_message(a->t);
    uint32_t failed = trace_failed_goal(a->t), goal = failed;
    if (ending == TRACE_NORMAL && !a->nsuspended)
        return;
    iot_note f = {.title = base_copy(ending_title(ending)),
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
    if ((ending == TRACE_FAILED || ending == TRACE_INTERRUPTED) && *message)
        f.detail = base_format("%.*s", (int)strcspn(message, "\n"), message);
    else if (a->nsuspended)
        f.detail = suspended_text(a);
    else
        f.detail = how_far(a);
    ARRAY_PUSH(n->list, f);
}

static void note_races(const iot *a, notes *n)
{
    uint32_t raced = trace_raced(a->t);
    if (!raced)
        return;
    ARRAY_PUSH(
        n->list,
        (iot_note){
            .title = base_format("%u reduction%s raced", raced, raced == 1 ? "" : "s"),
            .detail = base_copy("another clause would have fitted, or = met a binding from later: "
                                "another run may answer and take its time differently"),
            .module = IOT_NONE,
            .reduction = IOT_NONE,
            .clause = IOT_NONE,
        });
}

static void note_nothing(const iot *a, notes *n)
{
    if (a->work)
        return;
    uint32_t goals = trace_ngoals(a->t);
    ARRAY_PUSH(n->list, (iot_note){
                            .title = base_copy("nothing was reduced"),
                            .detail = base_format("%u goal%s created", goals,
                                                  goals == 1 ? " was" : "s were"),
                            .module = IOT_NONE,
                            .reduction = IOT_NONE,
                            .clause = IOT_NONE,
                        });
}

void iot_note_run(const iot *a, notes *n)
{
    iot_note_dropped(a, n);
    note_ending(a, n);
    note_races(a, n);
    note_nothing(a, n);
}
