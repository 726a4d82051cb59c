// SPDX-License-Identifier: MIT
//
// Which arguments of a loop accumulate. Starts with one argument and follows it through the clauses
// of the loop, as often as it finds another argument that gets it.
#include "iotree/findings/accumulate.h"

#include "iotree/findings/combine.h"
#include "iotree/terms/values.h"

enum {
    MOST_PARTS = 8, // of a structure that accumulates
};

static const char replaced[] = "replaced"; // the operator of "the largest so far"

// What an argument of a predicate holds.
typedef enum { ROLE_OTHER, ROLE_ITEM, ROLE_ACCUMULATOR } argument_role;

typedef struct {
    argument_role role;
    const char *group[MOST_PARTS]; // its operators; NULL: it was not combined with anything yet
} argument_fact;

typedef struct {
    const trace *t;
    const uint32_t *loop_of; // by predicate; NULL: of an operation
    uint32_t loop;
    uint32_t *first_argument; // by predicate, in `arguments`
    argument_fact *arguments;
    const char *verb;
    bool combines, changed;
    bool strict;  // arguments that are no accumulators are looked at, too
    bool several; // predicates call each other: all operators must be the same
} accumulation;

// One clause. Its variables are numbered: holes, then those that the body does not use, then those
// of the body.
typedef struct {
    bool accumulates; // it is a part of an accumulator, or made of one
    bool item;        // it is what an item of the step holds
    uint32_t part;
    const char *group; // by which it was combined here; NULL: it is as it was
} variable_fact;

typedef struct {
    accumulation *s;
    const trace_clause *c;
    variable_fact *variables;
    bool selects; // a guard compares an item with an accumulator
    bool begins;  // the accumulator is an atom, as none: the first item takes its place
} clause_look;

// ---------------------------------------------------------------------------------------------
// Terms of head and guards, and of the body

typedef struct {
    const trace_clause *c;
    bool body;
    uint32_t at;
} clause_term;

static const trace_node *node_of(clause_term x)
{
    return x.body ? &x.c->nodes[x.at] : &x.c->patterns[x.at];
}

static clause_term child_of(clause_term x, uint32_t i)
{
    uint32_t at = node_of(x)->first + i;
    x.at = x.body ? x.c->children[at] : x.c->pattern_children[at];
    return x;
}

// IOT_NONE: it is no variable.
static uint32_t variable_in(clause_term x)
{
    const trace_node *n = node_of(x);
    if (n->kind == TN_HOLE)
        return n->index;
    if (n->kind == TN_FRESH)
        return x.c->nholes + (x.body ? x.c->nunused : 0) + n->index;
    return IOT_NONE;
}

// How many variables in a term accumulate.
static uint32_t count_accumulators(const clause_look *k, clause_term x)
{
    ARRAY_OF(clause_term) stack = {0};
    uint32_t count = 0;
    ARRAY_PUSH(stack, x);
    while (stack.n) {
        x = stack.at[--stack.n];
        uint32_t v = variable_in(x);
        count += v != IOT_NONE && k->variables[v].accumulates;
        for (uint32_t i = 0; i < node_of(x)->n; i++)
            ARRAY_PUSH(stack, child_of(x, i));
    }
    free(stack.at);
    return count;
}

static bool item_mentions(const clause_look *k, const trace_item *item)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < item->n; i++)
        count += count_accumulators(k, (clause_term){k->c, true, k->c->children[item->first + i]});
    return count > 0;
}

static bool is_assignment(const trace *t, const trace_clause *c, const trace_item *item)
{
    (void)c;
    return item->kind == TI_GOAL && item->n == 2 &&
           trace_get_predicate(t, item->predicate)->origin == TRACE_BUILTIN &&
           strcmp(trace_string(t, trace_get_predicate(t, item->predicate)->name, NULL), ":=") == 0;
}

// ---------------------------------------------------------------------------------------------
// What is made of accumulators

// `V := E`. False: E uses an accumulator otherwise than by one associative operator.
static bool look_at_assignment(clause_look *k, clause_term result, clause_term e)
{
    uint32_t v = variable_in(result);
    if (count_accumulators(k, e) == 0)
        return true;
    const char *group = NULL, *verb = NULL;
    while (node_of(e)->kind == TN_STRUCT) {
        const char *name = trace_string(k->s->t, node_of(e)->value.id, NULL), *g, *w;
        uint32_t place = 0;
        if (node_of(e)->n != 2 || !(g = iot_associative_group(name, &w)) ||
            (group && strcmp(group, g) != 0) || count_accumulators(k, e) != 1)
            return false;
        place = count_accumulators(k, child_of(e, 1)) ? 1 : 0;
        if (place == 1 && strcmp(name, "-") == 0)
            return false;
        group = g;
        verb = w;
        e = child_of(e, place);
    }
    uint32_t from = variable_in(e);
    if (v == IOT_NONE || from == IOT_NONE || !group ||
        (k->variables[from].group && k->variables[from].group != group))
        return false;
    k->variables[v] =
        (variable_fact){.accumulates = true, .part = k->variables[from].part, .group = group};
    k->s->verb = verb;
    return true;
}

static bool is_order(const char *name)
{
    static const char *const names[] = {"<", ">", "=<", ">=", "@<", "@>", "@=<", "@>="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool look_at_guard(clause_look *k, const trace_guard *g)
{
    const char *name = trace_string(k->s->t, g->name, NULL);
    clause_term x[2] = {{k->c, false, 0}, {k->c, false, 0}};
    uint32_t count = 0, plain = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        clause_term y = {k->c, false, k->c->pattern_children[g->first + i]};
        count += count_accumulators(k, y);
        plain += variable_in(y) != IOT_NONE;
        if (i < 2)
            x[i] = y;
    }
    if (count == 0 || iot_is_type_test(name))
        return true;
    if (g->n == 2 && strcmp(name, ":=") == 0)
        return look_at_assignment(k, x[0], x[1]);
    if (count != 1 || plain != 2 || g->n != 2 || !is_order(name))
        return false;
    k->selects = true;
    return true;
}

static bool look_at_goals(clause_look *k)
{
    const trace_clause *c = k->c;
    for (uint32_t round = 0; round < 2; round++) // a goal may stand behind one that uses its result
        for (uint32_t i = 0; i < c->nitems; i++) {
            const trace_item *item = &c->items[i];
            if (is_assignment(k->s->t, c, item) &&
                !look_at_assignment(k, (clause_term){c, true, c->children[item->first]},
                                    (clause_term){c, true, c->children[item->first + 1]}))
                return false;
        }
    return true;
}

static void begin_look(clause_look *k, accumulation *s, const trace_clause *c)
{
    *k = (clause_look){.s = s, .c = c};
    k->variables = base_allocate(c->nholes + c->nunused + c->nfresh, sizeof *k->variables);
}

// The variables of an accumulator in the head. False: the head takes it apart otherwise.
static bool take_accumulator(clause_look *k, uint32_t argument)
{
    clause_term x = {k->c, false, k->c->head[argument]};
    const trace_node *n = node_of(x);
    uint32_t v = variable_in(x);
    if (v != IOT_NONE) {
        k->variables[v] = (variable_fact){.accumulates = true};
        return true;
    }
    if (n->kind == TN_CONST && n->value.kind == TV_ATOM)
        return k->begins = true;
    if (n->kind != TN_STRUCT || n->n > MOST_PARTS)
        return false;
    for (uint32_t i = 0; i < n->n; i++) {
        if ((v = variable_in(child_of(x, i))) == IOT_NONE || k->variables[v].accumulates)
            return false;
        k->variables[v] = (variable_fact){.accumulates = true, .part = i};
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Where accumulators go

static bool set_group(accumulation *s, argument_fact *to, uint32_t part, const char *group)
{
    for (uint32_t i = 0; s->several && i < MOST_PARTS; i++)
        if (to->group[i] && to->group[i] != group)
            return false;
    if (to->group[part] && to->group[part] != group)
        return false;
    to->group[part] = group;
    s->combines = true;
    return true;
}

// One part of what an argument gets.
static bool part_goes_to(clause_look *k, clause_term x, uint32_t part, argument_fact *to,
                         bool *ret_stays)
{
    uint32_t v = variable_in(x);
    if (v == IOT_NONE || !k->variables[v].accumulates) {
        *ret_stays = false;
        return count_accumulators(k, x) == 0 && k->selects && set_group(k->s, to, part, replaced);
    }
    if (k->variables[v].part != part)
        return false;
    if (k->variables[v].group)
        return !k->selects && set_group(k->s, to, part, k->variables[v].group);
    return true;
}

// Of an accumulator's argument: the term must be the accumulator, combined part by part.
static bool goes_to(clause_look *k, clause_term x, argument_fact *to)
{
    const trace_node *n = node_of(x);
    bool stays = true;
    if (k->begins)
        return n->kind != TN_CONST && count_accumulators(k, x) == 0;
    if (n->kind != TN_STRUCT || count_accumulators(k, x) == 0)
        return part_goes_to(k, x, 0, to, &stays);
    for (uint32_t i = 0; i < n->n && n->n <= MOST_PARTS; i++)
        if (!part_goes_to(k, child_of(x, i), i, to, &stays))
            return false;
    return n->n <= MOST_PARTS;
}

// ---------------------------------------------------------------------------------------------
// Arguments that are no accumulators

static bool is_rest_of_list(const trace_clause *c, uint32_t hole)
{
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind != TN_CONS)
            continue;
        const trace_node *rest = &c->patterns[c->pattern_children[n->first + 1]];
        if (rest->kind == TN_HOLE && rest->index == hole)
            return true;
    }
    return false;
}

static bool is_whole_argument(const clause_look *k, uint32_t hole)
{
    const trace_clause *c = k->c;
    const argument_fact *facts = &k->s->arguments[k->s->first_argument[c->predicate]];
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind == TN_HOLE && n->index == hole)
            return facts[i].role == ROLE_OTHER;
    }
    return false;
}

// Does a guard `V := Y + c` or a goal like that make the variable?
static bool is_counted(const clause_look *k, uint32_t variable)
{
    const trace_clause *c = k->c;
    for (uint32_t i = 0; i < c->nguards; i++) {
        const trace_guard *g = &c->guards[i];
        clause_term result = {c, false, g->n == 2 ? c->pattern_children[g->first] : 0};
        if (g->n != 2 || strcmp(trace_string(k->s->t, g->name, NULL), ":=") != 0 ||
            variable_in(result) != variable)
            continue;
        clause_term e = {c, false, c->pattern_children[g->first + 1]};
        const trace_node *n = node_of(e);
        const char *op = n->kind == TN_STRUCT ? trace_string(k->s->t, n->value.id, NULL) : "";
        return n->n == 2 && (strcmp(op, "+") == 0 || strcmp(op, "-") == 0) &&
               node_of(child_of(e, 1))->kind == TN_CONST &&
               variable_in(child_of(e, 0)) < c->nholes &&
               is_whole_argument(k, variable_in(child_of(e, 0)));
    }
    for (uint32_t i = 0; i < c->nitems; i++)
        if (iot_is_counter(k->s->t, c, i) &&
            variable_in((clause_term){c, true, c->children[c->items[i].first]}) == variable)
            return true;
    return false;
}

// What an argument that is no accumulator gets must follow from where the loop is, or be an item
// that the next clause looks at.
static bool follows(clause_look *k, clause_term x, argument_fact *to)
{
    uint32_t v = variable_in(x);
    if (v == IOT_NONE)
        return node_of(x)->kind == TN_CONST;
    if (is_counted(k, v))
        return true;
    if (v < k->c->nholes)
        return is_rest_of_list(k->c, v) || is_whole_argument(k, v);
    if (!k->s->several || to->role == ROLE_ACCUMULATOR)
        return false;
    k->s->changed |= to->role != ROLE_ITEM;
    to->role = ROLE_ITEM;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Clauses

static bool look_at_call(clause_look *k, const trace_item *call)
{
    argument_fact *to = &k->s->arguments[k->s->first_argument[call->predicate]];
    for (uint32_t i = 0; i < call->n; i++) {
        clause_term x = {k->c, true, k->c->children[call->first + i]};
        if (to[i].role != ROLE_ACCUMULATOR && count_accumulators(k, x) > 0) {
            if (to[i].role == ROLE_ITEM)
                return false;
            to[i].role = ROLE_ACCUMULATOR;
            k->s->changed = true;
        }
        if (to[i].role == ROLE_ACCUMULATOR ? !goes_to(k, x, &to[i])
                                           : k->s->strict && !follows(k, x, &to[i]))
            return false;
    }
    return true;
}

static bool look_at_body(clause_look *k)
{
    const trace_clause *c = k->c;
    const trace_item *call = NULL;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        bool goes_on = item->kind == TI_GOAL && k->s->loop_of[item->predicate] == k->s->loop;
        if (goes_on && call)
            return false;
        call = goes_on ? item : call;
    }
    if (!call) // the end
        return true;
    if (!look_at_goals(k))
        return false;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item == call || is_assignment(k->s->t, c, item))
            continue;
        if (item->kind == TI_UNIFY || item_mentions(k, item))
            return false;
    }
    return look_at_call(k, call);
}

static bool ends_loop(const accumulation *s, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL && s->loop_of[c->items[i].predicate] == s->loop)
            return false;
    return true;
}

// Does the loop end where a guard finds an item that it looks for? Then it is a search: how many
// items it goes over is not known.
static bool ends_at_item(const accumulation *s, const trace_clause *c)
{
    bool takes = false;
    for (uint32_t i = 0; i < c->nhead; i++)
        takes |= c->patterns[c->head[i]].kind == TN_CONS;
    return takes && c->nguards > 0 && ends_loop(s, c);
}

static bool look_at_clause(accumulation *s, const trace_clause *c)
{
    clause_look k;
    const argument_fact *facts = &s->arguments[s->first_argument[c->predicate]];
    bool good = !c->dynamic && !ends_at_item(s, c);
    begin_look(&k, s, c);
    for (uint32_t i = 0; i < c->nhead && good; i++)
        if (facts[i].role == ROLE_ACCUMULATOR)
            good = take_accumulator(&k, i) || ends_loop(s, c);
    for (uint32_t i = 0; i < c->nguards && good; i++)
        good = look_at_guard(&k, &c->guards[i]);
    good = good && !(k.selects && ends_loop(s, c)) && look_at_body(&k);
    free(k.variables);
    return good;
}

// Follows the accumulators until no further argument is one. False: one is used otherwise.
static bool look_at_loop(accumulation *s)
{
    do {
        s->changed = false;
        for (uint32_t i = 0; i < trace_nclauses(s->t); i++) {
            const trace_clause *c = trace_get_clause(s->t, i);
            if (s->loop_of[c->predicate] == s->loop && !look_at_clause(s, c))
                return false;
        }
    } while (s->changed);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Loops

static uint32_t number_arguments(accumulation *s)
{
    uint32_t n = 0;
    s->first_argument = base_allocate(trace_npredicates(s->t), sizeof *s->first_argument);
    for (uint32_t p = 0; p < trace_npredicates(s->t); p++) {
        s->first_argument[p] = n;
        if (s->loop_of[p] == s->loop)
            n += trace_get_predicate(s->t, p)->arity;
    }
    return n;
}

// Tries each argument of the loop alone, then all that accumulate together.
static bool find_accumulators(accumulation *s, uint32_t predicate, uint32_t n)
{
    uint8_t *good = bits_allocate(n);
    uint32_t first = s->first_argument[predicate];
    uint32_t arity = trace_get_predicate(s->t, predicate)->arity;
    bool any = false;
    for (uint32_t i = 0; i < arity; i++) {
        memset(s->arguments, 0, n * sizeof *s->arguments);
        s->arguments[first + i].role = ROLE_ACCUMULATOR;
        s->combines = false;
        if (!look_at_loop(s) || !s->combines)
            continue;
        bit_set(good, i);
        any = true;
    }
    memset(s->arguments, 0, n * sizeof *s->arguments);
    for (uint32_t i = 0; i < arity; i++)
        if (bit_get(good, i))
            s->arguments[first + i].role = ROLE_ACCUMULATOR;
    s->strict = true;
    free(good);
    return any && look_at_loop(s);
}

bool iot_loop_accumulates(const loops *l, uint32_t loop, const char **ret_verb)
{
    accumulation s = {.t = l->t,
                      .loop_of = l->loop_of,
                      .loop = loop,
                      .verb = "takes the best of",
                      .several = l->predicates[loop] > 1};
    uint32_t n = number_arguments(&s);
    s.arguments = base_allocate(n, sizeof *s.arguments);
    bool is = find_accumulators(&s, loops_predicate(l, l->chains.at[l->biggest[loop]].first), n);
    *ret_verb = s.verb;
    free(s.arguments);
    free(s.first_argument);
    return is;
}

// ---------------------------------------------------------------------------------------------
// Operations

// The item that makes the last argument; NULL: none, or several.
static const trace_item *result_of(const trace *t, const trace_clause *c, clause_term *ret)
{
    const trace_node *last = &c->patterns[c->head[c->nhead - 1]];
    const trace_item *found = NULL;
    for (uint32_t i = 0; i < c->nitems && last->kind == TN_HOLE; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_GOAL && !is_assignment(t, c, item))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            clause_term x = {c, true, c->children[item->first + k]};
            if (variable_in(x) != last->index)
                continue;
            if (found)
                return NULL;
            found = item;
            *ret = item->kind == TI_GOAL ? x
                                         : (clause_term){c, true, c->children[item->first + 1 - k]};
        }
    }
    return found;
}

static bool look_at_operation(accumulation *s, const trace_clause *c, uint32_t argument,
                              argument_fact *to)
{
    clause_look k;
    clause_term result;
    const trace_item *makes = c->dynamic || c->nhead < 2 ? NULL : result_of(s->t, c, &result);
    begin_look(&k, s, c);
    bool good = makes && argument + 1 < c->nhead && take_accumulator(&k, argument);
    for (uint32_t i = 0; i < c->nguards && good; i++)
        good = look_at_guard(&k, &c->guards[i]);
    good = good && look_at_goals(&k);
    for (uint32_t i = 0; i < c->nitems && good; i++)
        good = &c->items[i] == makes || is_assignment(s->t, c, &c->items[i]) ||
               !item_mentions(&k, &c->items[i]);
    good = good && goes_to(&k, result, to);
    free(k.variables);
    return good;
}

bool iot_predicate_accumulates(const trace *t, uint32_t predicate, uint32_t argument,
                               const char **ret_verb)
{
    accumulation s = {.t = t, .verb = "takes the best of"};
    argument_fact to = {.role = ROLE_ACCUMULATOR};
    bool good = trace_get_predicate(t, predicate)->arity > 2; // it has an item, too
    for (uint32_t i = 0; i < trace_nclauses(t) && good; i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (c->predicate == predicate)
            good = look_at_operation(&s, c, argument, &to);
    }
    *ret_verb = s.verb;
    return good && s.combines;
}
