// SPDX-License-Identifier: MIT
//
// What a deadlock, or an interrupted run, says: the goals that wait, for which variables, who made
// these and who could still bind them.
#include "ending.h"

#include "array.h"

#include <inttypes.h>

enum {
    SHOWN_ALONE = 20, // as many goals are shown one by one, more in groups
    SHOWN_GROUPS = 40,
    SHOWN_WAITS = 4,       // variables of one goal
    SEARCHED = 2000000,    // cells looked at for who else holds a variable
    SEARCHED_EACH = 50000, // in the arguments of one goal
};

// A variable that a shown goal waits for.
typedef struct {
    const vm_var *variable;
    const vm_goal *holder; // a goal that has it in its arguments and does not wait for it
} awaited;

typedef struct {
    const vm_goal *goal;
    size_t count; // goals of the predicate created at the same place
    uint32_t nwaits;
    uint32_t waits[SHOWN_WAITS]; // indices of awaited
    uint32_t more;
} entry;

typedef struct {
    fl_report_context *context;
    vm_goal **goals;
    size_t ngoals;
    bool grouped;
    bool interrupted; // goals that do not wait may bind the variables
    FL_ARRAY(entry) entries;
    fl_map groups; // by predicate and place: entry + 1
    FL_ARRAY(awaited) awaited;
    fl_map numbers; // by variable: awaited + 1
    bool searched_all;
} deadlock;

// ---- What the goals wait for --------------------------------------------------------------------

static uint32_t number_of(deadlock *d, const vm_var *v)
{
    uintptr_t known = fl_map_get(&d->numbers, (const char *)&v, sizeof v);
    if (known)
        return (uint32_t)known - 1;
    const vm_var **key = vm_alloc(sizeof *key);
    *key = v;
    FL_PUSH(d->awaited, (awaited){.variable = v});
    fl_map_put(&d->numbers, (const char *)key, sizeof v, d->awaited.n);
    return d->awaited.n - 1;
}

static void add_waits(deadlock *d, entry *e, vm_goal *goal)
{
    size_t n;
    vm_var **variables = vm_goal_waits(d->context->machine, goal, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = number_of(d, variables[i]);
        bool listed = false;
        for (uint32_t k = 0; k < e->nwaits; k++)
            listed |= e->waits[k] == number;
        if (!listed && e->nwaits < SHOWN_WAITS)
            e->waits[e->nwaits++] = number;
        else
            e->more += !listed;
    }
}

typedef struct {
    const vm_predicate *predicate;
    vm_origin site;
} group_key;

static void add_goal(deadlock *d, vm_goal *goal)
{
    group_key *key = vm_alloc(sizeof *key);
    *key = (group_key){goal->predicate, goal->site};
    uintptr_t known = d->grouped ? fl_map_get(&d->groups, (char *)key, sizeof *key) : 0;
    if (known) {
        d->entries.at[known - 1].count++;
        return;
    }
    FL_PUSH(d->entries, (entry){.goal = goal, .count = 1});
    fl_map_put(&d->groups, (char *)key, sizeof *key, d->entries.n);
    if (d->entries.n <= SHOWN_GROUPS)
        add_waits(d, &d->entries.at[d->entries.n - 1], goal);
}

// ---- Who else holds the variables ---------------------------------------------------------------

static bool waits_for(deadlock *d, vm_goal *goal, const vm_var *v)
{
    size_t n;
    vm_var **variables = vm_goal_waits(d->context->machine, goal, &n);
    for (size_t i = 0; i < n; i++)
        if (variables[i] == v)
            return true;
    return false;
}

typedef FL_ARRAY(vm_word) word_stack;

static void push_parts(word_stack *stack, vm_word w)
{
    switch (vm_tag(w)) {
    case TAG_CONS:
        FL_PUSH(*stack, vm_words(w)[1]);
        FL_PUSH(*stack, vm_words(w)[0]);
        break;
    case TAG_STRUCT:
        for (uint32_t i = vm_functor_arity(vm_words(w)[0]); i > 0; i--)
            FL_PUSH(*stack, vm_words(w)[i]);
        break;
    case TAG_BOX:
        if (vm_as_box(w)->kind == BOX_VECTOR) {
            const vm_vector *v = (const vm_vector *)vm_as_box(w);
            for (; v->newer; v = v->newer)
                FL_PUSH(*stack, v->old);
            for (size_t i = v->length; i > 0; i--)
                FL_PUSH(*stack, v->elements[i - 1]);
        }
        break;
    default:
        break;
    }
}

// Looks through the arguments of one goal; returns how many cells that took.
static size_t search_goal(deadlock *d, vm_goal *goal, word_stack *stack)
{
    size_t seen = 0;
    stack->n = 0;
    for (uint32_t i = goal->nargs; i > 0; i--)
        FL_PUSH(*stack, goal->args[i - 1]);
    while (stack->n > 0 && seen++ < SEARCHED_EACH) {
        vm_word w = stack->at[--stack->n];
        while (vm_tag(w) == TAG_REF && vm_is_bound(vm_as_var(w)))
            w = vm_as_var(w)->value;
        if (vm_tag(w) != TAG_REF) {
            push_parts(stack, w);
            continue;
        }
        const vm_var *v = vm_as_var(w);
        uintptr_t number = fl_map_get(&d->numbers, (const char *)&v, sizeof v);
        if (number && !d->awaited.at[number - 1].holder && !waits_for(d, goal, v))
            d->awaited.at[number - 1].holder = goal;
    }
    d->searched_all &= stack->n == 0;
    return seen;
}

static void search_holders(deadlock *d)
{
    word_stack stack = {0};
    size_t budget = SEARCHED;
    d->searched_all = true;
    for (size_t i = 0; i < d->ngoals; i++) {
        size_t seen = search_goal(d, d->goals[i], &stack);
        if (seen >= budget) {
            d->searched_all &= i + 1 == d->ngoals;
            return;
        }
        budget -= seen;
    }
}

// ---- In words -----------------------------------------------------------------------------------

static void print_maker(deadlock *d, const vm_var *v)
{
    fl_report_context *c = d->context;
    vm_origin origin;
    if (!vm_get_origin(v, &origin))
        return;
    if (origin.clause >= c->code->nclauses) {
        fputs(", made by a built-in", c->out);
        return;
    }
    const vm_clause *clause = c->code->clauses[origin.clause];
    const char *source = c->code->sources[clause->source];
    if (clause->number == 0)
        fprintf(c->out, ", of the goal that the run began with");
    else
        fprintf(c->out, ", made by clause %u of %s (%s:%u)", clause->number,
                fl_predicate_text(clause->predicate), source, clause->line);
}

static void print_wait(deadlock *d, const awaited *a)
{
    fl_report_context *c = d->context;
    fprintf(c->out, "    waits for %s", fl_name_variable(&c->namer, a->variable));
    print_maker(d, a->variable);
    if (a->holder)
        fprintf(c->out, "; %s could bind it, and waits itself\n",
                fl_predicate_text(a->holder->predicate));
    else if (d->searched_all && !d->interrupted)
        fputs("; no writer of it remains\n", c->out);
    else
        fputs("\n", c->out);
}

static void print_entry(deadlock *d, const entry *e)
{
    fl_report_context *c = d->context;
    fprintf(c->out, "  %s: %s", fl_place_text(c, e->goal->site), fl_goal_text(c, e->goal));
    if (e->count > 1)
        fprintf(c->out, ", and %zu more goals of %s from there", e->count - 1,
                fl_predicate_text(e->goal->predicate));
    fputs("\n", c->out);
    for (uint32_t i = 0; i < e->nwaits; i++)
        print_wait(d, &d->awaited.at[e->waits[i]]);
    if (e->more > 0)
        fprintf(c->out, "    and for %u more variables\n", e->more);
}

static const char *headline(const deadlock *d)
{
    enum { SIZE = 120 };
    char *text = vm_alloc_atomic(SIZE);
    const char *wait = d->ngoals == 1 ? "goal waits" : "goals wait";
    if (d->interrupted)
        snprintf(text, SIZE, "interrupted after %" PRIu64 " reductions; %zu %s",
                 vm_reductions(d->context->machine), d->ngoals, wait);
    else
        snprintf(text, SIZE, "deadlock: %zu %s and none can ever run", d->ngoals, wait);
    return text;
}

void fl_report_waiting(fl_report_context *c, bool interrupted, const char **ret_message)
{
    deadlock d = {.context = c, .interrupted = interrupted};
    d.goals = vm_suspended(c->machine, &d.ngoals);
    d.grouped = d.ngoals > SHOWN_ALONE;
    const char *message = headline(&d);
    *ret_message = message;
    fprintf(c->out, c->colour ? "\033[1mfleng: \033[31merror:\033[0m %s\n" : "fleng: error: %s\n",
            message);
    for (size_t i = 0; i < d.ngoals; i++)
        add_goal(&d, d.goals[i]);
    search_holders(&d);
    size_t others = 0;
    for (uint32_t i = 0; i < d.entries.n; i++) {
        if (i < SHOWN_GROUPS)
            print_entry(&d, &d.entries.at[i]);
        else
            others += d.entries.at[i].count;
    }
    if (others > 0)
        fprintf(c->out, "  and %zu more goals\n", others);
}
