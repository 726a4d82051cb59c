// SPDX-License-Identifier: MIT
//
// Reports a deadlock or an interrupted run: the goals that wait, the variables they wait for, the
// clauses that made these and the goals that could still bind them. If another waiting goal could
// bind the variable, the goal is listed below that one, so causes come first:
//
//     a.fl:1:9: p(X,Y)
//       waits for X, made by clause 1 of main/0 (a.fl:1:11); no writer of it remains
//       a.fl:1:18: c(Y)
//         waits for Y, made by clause 1 of main/0 (a.fl:1:13); p/2 could bind it, and waits itself
#include "fleng/explain/waiting_goals.h"

#include "fleng/compile/compile.h"
#include "fleng/reader/terms.h"
#include "vm/look.h"
#include "vm/run.h"

#include <inttypes.h>
#include <signal.h>

enum {
    SHOWN_ALONE = 20, // as many goals are shown one by one, more in groups
    SHOWN_GROUPS = 40,
    SHOWN_EXCERPTS = 3, // of the causes
    SHOWN_LEVELS = 10,  // of indentation
};

// ---- Who made a variable ------------------------------------------------------------------------

// A variable that occurs once in its clause is often misspelt.
static const char *meant_instead(const fl_variable_origin *o)
{
    const fl_clause *c = o->clause;
    const fl_variable *v = c ? &c->variables[o->variable] : NULL;
    if (!c || v->head + v->guard + v->body != 1 || *v->name == '_')
        return "";
    const char **others = vm_alloc((c->nvariables + 1) * sizeof *others);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nvariables; i++)
        if (i != o->variable)
            others[n++] = c->variables[i].name;
    const char *near = fl_nearest_variable(v->name, others, n);
    if (near)
        return fl_format(" (%s occurs only once there: is %s meant?)", v->name, near);
    return c->number > 0 ? fl_format(" (%s occurs only once there)", v->name) : "";
}

static void print_maker(const fl_report_context *c, const fl_variable_origin *o, bool typed)
{
    if (o->builtin)
        fputs(", made by a built-in", c->out);
    if (!o->clause)
        return;
    const fl_variable *variable = &o->clause->variables[o->variable];
    if (o->clause->number == 0)
        fprintf(c->out, typed ? ", of a goal typed here" : ", of the goal that the run began with");
    else
        fprintf(c->out, ", made by clause %u of %s (%s:%u:%u)", o->clause->number,
                fl_predicate_text(o->clause->predicate), c->code->sources[o->clause->source],
                variable->line, variable->column);
}

// ---- The goals ----------------------------------------------------------------------------------

static void print_wait(fl_waiting_goals *w, const fl_awaited *a, const char *indent)
{
    fl_report_context *c = w->context;
    fprintf(c->out, "%s  waits for %s", indent, fl_name_variable(&c->namer, a->variable));
    fl_variable_origin origin = fl_find_variable_origin(&c->namer, a->variable);
    print_maker(c, &origin, w->typed);
    if (a->holder != FL_NOBODY)
        fprintf(c->out, "; %s could bind it, and waits itself\n",
                fl_called_text(c, w->goals[a->holder]));
    else if (w->searched_all && !w->interrupted)
        fprintf(c->out, "; no %s%s\n", w->typed ? "goal that waits binds it" : "writer of it remains", meant_instead(&origin));
    else
        fputs("\n", c->out);
}

static void print_group(fl_waiting_goals *w, const fl_wait_group *g, const char *indent,
                        bool excerpt)
{
    fl_report_context *c = w->context;
    const vm_goal *goal = w->goals[g->goal];
    const fl_wait_state *state = &w->states[g->goal];
    fprintf(c->out, "%s%s%s%s: %s", indent, c->colour ? "\033[1m" : "",
            fl_place_text(c, goal->site), c->colour ? "\033[0m" : "", fl_goal_text(c, goal));
    if (g->count > 1)
        fprintf(c->out, ", and %zu more goals of %s from there", g->count - 1,
                fl_predicate_text(goal->predicate));
    fputs("\n", c->out);
    if (excerpt) {
        fl_report_excerpt(c, goal->site, indent);
        fl_report_library_callers(c, goal->site, fl_format("%s  ", indent));
    }
    for (uint32_t i = 0; i < state->nwaits; i++)
        print_wait(w, &w->awaited.at[state->waits[i]], indent);
    if (state->more > 0)
        fprintf(c->out, "%s  and for %u more variables\n", indent, state->more);
    if (g->circle)
        fprintf(c->out, "%s  in a circle: each of these waits for the next\n", indent);
}

typedef struct {
    uint32_t group;
    uint32_t level;
} shown;

// The groups that hang on the group, last first, so that the first is on top of the stack.
static uint32_t print_tree(fl_waiting_goals *w)
{
    ARRAY_OF(shown) todo = {0};
    uint32_t printed = 0, excerpts = 0;
    for (uint32_t g = w->last_root; g != FL_NOBODY; g = w->groups.at[g].before)
        FL_PUSH(todo, (shown){g, 0});
    while (todo.n > 0 && printed < SHOWN_GROUPS) {
        shown next = todo.at[--todo.n];
        fl_wait_group *g = &w->groups.at[next.group];
        uint32_t level = next.level < SHOWN_LEVELS ? next.level : SHOWN_LEVELS;
        bool excerpt = next.level == 0 && excerpts++ < SHOWN_EXCERPTS && !w->interrupted;
        print_group(w, g, fl_format("%*s", (int)(2 + 2 * level), ""), excerpt);
        g->printed = true;
        printed++;
        for (uint32_t k = g->last_below; k != FL_NOBODY; k = w->groups.at[k].before)
            FL_PUSH(todo, (shown){k, next.level + 1});
    }
    return printed;
}

// ---- The goals that ran, or could have, when the run was interrupted
// -----------------------------

typedef struct {
    const vm_predicate *predicate;
    vm_origin site;
} running_key;

typedef struct {
    const vm_goal *goal;
    size_t count; // goals of its predicate that were created at the same place
} running_group;

typedef ARRAY_OF(running_group) running_groups;

static running_groups group_goals(vm_goal **goals, size_t n)
{
    running_groups found = {0};
    fl_dictionary known = {0};
    for (size_t i = 0; i < n; i++) {
        running_key *key = vm_alloc(sizeof *key);
        *key = (running_key){goals[i]->predicate, goals[i]->site};
        uintptr_t index = n > SHOWN_ALONE ? fl_look_up(&known, (char *)key, sizeof *key) : 0;
        if (index) {
            found.at[index - 1].count++;
            continue;
        }
        FL_PUSH(found, (running_group){goals[i], 1});
        fl_enter(&known, (char *)key, sizeof *key, found.n);
    }
    return found;
}

static void report_running(fl_report_context *c, vm_goal **goals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        goals[i] = fl_goal_of_text(c->code, goals[i]);
    running_groups found = group_goals(goals, n);
    size_t others = 0;
    for (uint32_t i = 0; i < found.n; i++) {
        const running_group *g = &found.at[i];
        if (i >= SHOWN_GROUPS) {
            others += g->count;
            continue;
        }
        fprintf(c->out, "  runs: %s: %s", fl_place_text(c, g->goal->site),
                fl_goal_text(c, g->goal));
        if (g->count > 1)
            fprintf(c->out, ", and %zu more goals of %s from there", g->count - 1,
                    fl_predicate_text(g->goal->predicate));
        fputs("\n", c->out);
    }
    if (others > 0)
        fprintf(c->out, "  and %zu more goals run\n", others);
}

// ---- The report ---------------------------------------------------------------------------------

static const char *by_signal(void)
{
    int number = vm_interrupted_by();
    const char *name = sigabbrev_np(number);
    switch (number) {
    case SIGINT:
        return ""; // ^C
    case SIGALRM:
        return ": the limit of time is reached (see -time-limit)";
    case SIGXCPU:
        return " by SIGXCPU (the limit of processor time is reached)";
    case SIGPIPE:
        return " by SIGPIPE (nobody reads its output)";
    }
    return name ? fl_format(" by SIG%s", name) : "";
}

static const char *headline(const fl_waiting_goals *w, size_t nready)
{
    const char *wait = w->ngoals == 1 ? "goal waits" : "goals wait";
    if (w->interrupted)
        return fl_format("interrupted%s after %" PRIu64 " reductions; %zu %s, %zu %s",
                         by_signal(), vm_reductions(w->context->machine), nready,
                         nready == 1 ? "goal runs" : "goals run", w->ngoals, wait);
    return fl_format("deadlock: %zu %s and none can ever run", w->ngoals, wait);
}

// Who waits for what, below who should bind it.
static void print_causes(fl_waiting_goals *w)
{
    size_t others = 0;
    fl_find_causes(w, w->ngoals > SHOWN_ALONE);
    print_tree(w);
    for (uint32_t i = 0; i < w->groups.n; i++)
        others += w->groups.at[i].printed ? 0 : w->groups.at[i].count;
    if (others > 0)
        fprintf(w->context->out, "  and %zu more goals\n", others);
}

static fl_waiting_goals list_waiting(fl_report_context *c, bool interrupted)
{
    fl_waiting_goals w = {.context = c, .interrupted = interrupted};
    w.goals = vm_suspended(c->machine, &w.ngoals);
    for (size_t i = 0; i < w.ngoals; i++)
        w.goals[i] = fl_goal_of_text(c->code, w.goals[i]);
    return w;
}

void fl_report_waiting(fl_report_context *c, bool interrupted, const char **ret_message)
{
    fl_waiting_goals w = list_waiting(c, interrupted);
    size_t nready;
    vm_goal **ready = vm_ready(c->machine, &nready);
    const char *message = headline(&w, nready);
    *ret_message = message;
    fprintf(c->out, c->colour ? "\033[1mfleng: \033[31merror:\033[0m %s\n" : "fleng: error: %s\n",
            message);
    if (interrupted)
        report_running(c, ready, nready);
    print_causes(&w);
}

bool fl_report_causes(fl_report_context *c)
{
    c->namer = (fl_namer){.code = c->code};
    fl_waiting_goals w = list_waiting(c, false);
    w.typed = true;
    if (w.ngoals > 0)
        print_causes(&w);
    return w.ngoals > 0;
}
