// SPDX-License-Identifier: MIT
//
// Runs one generation at a time and shows which goals ran, which variables they bound, which goals
// are ready now, and which wait for which variables.
#include "fleng/prompt/prompt.h"

#include "vm/look.h"
#include "vm/session.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 40 }; // lines of each kind

typedef struct {
    uint32_t id;
    char *text;
} ready_goal;

// The goals of the next generation, as they are before it.
typedef struct {
    size_t n; // of all
    ARRAY_OF(ready_goal) goals;
} pool;

static pool look_at_pool(fl_prompt *p)
{
    pool made = {0};
    vm_goal **goals = vm_ready(p->session->machine, &made.n);
    for (size_t i = 0; i < made.n && i < SHOWN; i++)
        FL_PUSH(made.goals,
                (ready_goal){goals[i]->id, fl_session_goal_text(p->session, goals[i])});
    return made;
}

static void free_pool(const pool *made)
{
    for (uint32_t i = 0; i < made->goals.n; i++)
        free(made->goals.at[i].text);
}

static void show_rest(size_t n)
{
    if (n > SHOWN)
        printf("          and %zu more\n", n - SHOWN);
}

// ---- What a generation did --------------------------------------------------------------------

static void show_clause(const fl_prompt *p, const vm_clause *clause)
{
    if (!clause)
        puts("   built in");
    else
        printf("   clause %u, %s:%u\n", clause->number, p->session->code->sources[clause->source],
               clause->line);
}

static void show_ran(fl_prompt *p, const pool *before)
{
    const fl_step_log *log = &p->session->log;
    for (uint32_t i = 0; i < log->reductions.n && i < SHOWN; i++) {
        const fl_step_reduction *r = &log->reductions.at[i];
        uint32_t k = 0;
        while (k < before->goals.n && before->goals.at[k].id != r->goal)
            k++;
        if (k == before->goals.n)
            continue; // beyond those looked at
        printf("  ran     %s", before->goals.at[k].text);
        show_clause(p, r->clause);
    }
    show_rest(log->reductions.n);
}

static void show_bound(fl_prompt *p)
{
    const fl_step_log *log = &p->session->log;
    for (uint32_t i = 0; i < log->bindings.n && i < SHOWN; i++) {
        const vm_binding *b = &log->bindings.at[i];
        char *value = fl_session_text(p->session, b->value, SHOWN);
        printf("  bound   %s = %s\n", fl_session_variable_name(p->session, b->variable), value);
        free(value);
    }
    show_rest(log->bindings.n);
}

static void show_pool(fl_prompt *p, const pool *now)
{
    for (uint32_t i = 0; i < now->goals.n; i++)
        printf("  ready   %s\n", now->goals.at[i].text);
    show_rest(now->n);
    size_t n;
    vm_goal **goals = vm_suspended(p->session->machine, &n);
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        char *text = fl_session_goal_text(p->session, goals[i]);
        printf("  waits   %s   for %s\n", text, fl_show_waits(p, goals[i]));
        free(text);
    }
    show_rest(n);
}

// ---- Steps ------------------------------------------------------------------------------------

// Takes one; false: the entry is over. added: it makes a goal that was added to the entry.
static bool step(fl_prompt *p, bool added)
{
    vm_ending ending;
    pool before = look_at_pool(p);
    p->session->log.wanted = true;
    bool goes_on = fl_session_step(p->session, &ending);
    p->session->log.wanted = false;
    if (goes_on) {
        if (vm_flush_output(p->session->machine))
            putchar('\n');
        if (added)
            printf("generation %" PRIu64 ", one more goal\n", p->generation - 1);
        else
            printf("generation %" PRIu64 "\n", p->generation++);
        show_ran(p, &before);
        show_bound(p);
        pool now = look_at_pool(p);
        show_pool(p, &now);
        goes_on = now.n > 0 || (fl_session_step(p->session, &ending) && now.n == 0);
        free_pool(&now);
    }
    free_pool(&before);
    if (!goes_on)
        fl_prompt_ended(p, ending);
    return goes_on;
}

void fl_step_begin(fl_prompt *p, fl_source *source, const fl_sentence *goal)
{
    fl_messages *messages = fl_messages_create();
    bool added = p->session->entered;
    p->stepping = true;
    if (!added)
        p->generation = 0;
    if (fl_session_enter(p->session, source, goal, messages))
        step(p, added);
    else
        fl_prompt_complain(p, messages);
    p->stepping &= p->session->entered;
    fl_messages_destroy(messages);
}

void fl_step_on(fl_prompt *p, uint64_t generations)
{
    while (generations-- > 0 && step(p, false))
        continue;
}
