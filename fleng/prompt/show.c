// SPDX-License-Identifier: MIT
//
// Shows the values of variables, and the goals that wait.
#include "fleng/prompt/prompt.h"

#include "fleng/explain/waiting_goals.h"
#include "vm/look.h"
#include "vm/memory.h"

#include <stdlib.h>

enum {
    VALUE_CELLS = 1000, // shown of a value; print/1 writes the whole of it
    WAITING_SHOWN = 5,  // goals, after an entry
    WAITS_SHOWN = 4,    // variables of one goal
};

static uint64_t hash(const char *text) // FNV-1a; never 0
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h | 1;
}

static void show_if_changed(fl_prompt *p, fl_session_variable *v)
{
    if (v->whole || !fl_session_is_bound(v))
        return;
    uint64_t unbound = p->session->nvariables_shown;
    char *shape = fl_session_shape(p->session, v->variable, VALUE_CELLS);
    v->whole = p->session->nvariables_shown == unbound;
    uint64_t now = hash(shape);
    free(shape);
    if (now != v->shown)
        fl_show_variable(p, v);
    v->shown = now;
}

void fl_show_values(fl_prompt *p)
{
    fl_session *s = p->session;
    for (uint32_t i = 0; i < s->mentioned.n; i++)
        show_if_changed(p, &s->variables.at[s->mentioned.at[i]]);
    for (uint32_t i = 0; i < s->variables.n; i++)
        show_if_changed(p, &s->variables.at[i]);
}

void fl_show_variable(fl_prompt *p, const fl_session_variable *v)
{
    if (!fl_session_is_bound(v)) {
        printf("%s is unbound\n", v->name);
        return;
    }
    char *text = fl_session_text(p->session, v->variable, VALUE_CELLS);
    printf("%s = %s\n", v->name, text);
    free(text);
}

// ---- Goals that wait --------------------------------------------------------------------------

const char *fl_show_waits(fl_prompt *p, vm_goal *goal)
{
    size_t n;
    vm_var **variables = vm_goal_waits(p->session->machine, goal, &n);
    size_t size = 1, shown = 0;
    const char *names[WAITS_SHOWN];
    for (size_t i = 0; i < n && shown < WAITS_SHOWN; i++) {
        const char *name = fl_session_variable_name(p->session, variables[i]);
        bool again = false;
        for (size_t k = 0; k < shown; k++)
            again |= strcmp(names[k], name) == 0;
        if (again)
            continue;
        names[shown++] = name;
        size += strlen(name) + 6;
    }
    char *text = vm_alloc_atomic(size + 4);
    *text = '\0';
    for (size_t i = 0; i < shown; i++)
        strcat(strcat(text, i > 0 ? " or " : ""), names[i]);
    return text;
}

static void show_goal(fl_prompt *p, vm_goal *goal, vm_goal *cause)
{
    char *text = fl_session_goal_text(p->session, goal);
    char *binder = cause ? fl_session_goal_text(p->session, cause) : NULL;
    printf("  %s   waits for %s", text, fl_show_waits(p, goal));
    printf(binder ? ", which %s would bind\n" : "%s\n", binder ? binder : "");
    free(text);
    free(binder);
}

// All goals that wait, each with the one that could bind what it waits for.
void fl_show_goals(fl_prompt *p)
{
    fl_report_context report = fl_session_report(p->session, stdout, p->colour);
    fl_waiting_goals w = {.context = &report};
    w.goals = vm_suspended(p->session->machine, &w.ngoals);
    if (w.ngoals == 0)
        puts("no goal waits");
    if (w.ngoals > 0)
        fl_find_causes(&w, false);
    for (size_t i = 0; i < w.ngoals; i++) {
        uint32_t cause = w.states[i].cause;
        show_goal(p, w.goals[i], cause == FL_NOBODY ? NULL : w.goals[cause]);
    }
}

void fl_show_waiting(fl_prompt *p)
{
    size_t n, new = 0;
    vm_goal **goals = vm_suspended(p->session->machine, &n);
    for (size_t i = 0; i < n; i++)
        new += goals[i]->id >= p->session->first_goal;
    if (new == 0)
        return;
    printf(n == 1 ? "%zu goal waits%s\n" : "%zu goals wait%s\n", n,
           n > WAITING_SHOWN ? "; :goals lists them" : ":");
    for (size_t i = 0; i < n && n <= WAITING_SHOWN; i++)
        show_goal(p, goals[i], NULL);
}
