// SPDX-License-Identifier: MIT
//
// Associative combinations, by the text of the clauses.
#include "iotree/findings/combine.h"

#include "iotree/findings/accumulate.h"
#include "iotree/findings/combine_structures.h"
#include "iotree/findings/evaluate.h"

#include "iotree/terms/values.h"

enum {
    DEEPEST = 3,      // predicates that call each other to combine
    SAMPLES = 6,      // operands of the run that are combined in both orders, three at a time
    FEWEST_SAMPLES = 3,
    SAMPLE_STEPS = 20000,
};

// ---------------------------------------------------------------------------------------------
// Arithmetic

typedef struct {
    const char *name, *group, *verb;
} operation;

// Operators of one group may be mixed. "-" and "//" pass on what stands on their left only.
static const operation operations[] = {
    {"+", "+", "adds up"},
    {"-", "+", "adds up"},
    {"*", "*", "multiplies"},
    {"max", "max", "takes the largest of"},
    {"min", "min", "takes the least of"},
    {"/\\", "/\\", "takes the common bits of"},
    {"\\/", "\\/", "joins the bits of"},
    {"xor", "xor", "takes xor of"},
};

static const operation *operation_of(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

const char *iot_associative_group(const char *name, const char **ret_verb)
{
    const operation *op = operation_of(name);
    *ret_verb = op ? op->verb : NULL;
    return op ? op->group : NULL;
}

// Bytes by node: 1 where the nodes below hold the value of the variable once, 2 where more often.
static uint8_t *nodes_with(const trace *t, const trace_clause *c, uint32_t reduction,
                           uint32_t variable, uint32_t last)
{
    uint8_t *with = base_allocate(last + 1, 1);
    for (uint32_t i = 0; i <= last; i++) {
        const trace_node *node = &c->nodes[i];
        uint32_t times = 0;
        if (node->kind == TN_HOLE || node->kind == TN_FRESH)
            times = iot_leads_to(t, trace_node_value(t, reduction, i), variable);
        else
            for (uint32_t k = 0; k < node->n && times < 2; k++)
                times += with[c->children[node->first + k]];
        with[i] = (uint8_t)(times > 2 ? 2 : times);
    }
    return with;
}

// The child of a node that holds the variable; IOT_NONE: none, or several.
static uint32_t child_with(const trace_clause *c, const uint8_t *with, uint32_t node, uint32_t *ret)
{
    const trace_node *n = &c->nodes[node];
    uint32_t found = IOT_NONE;
    for (uint32_t k = 0; k < n->n; k++) {
        if (with[c->children[n->first + k]] > 1 ||
            (with[c->children[n->first + k]] && found != IOT_NONE))
            return IOT_NONE;
        if (with[c->children[n->first + k]])
            found = k;
    }
    if (found == IOT_NONE)
        return IOT_NONE;
    *ret = c->children[n->first + found];
    return found;
}

// `R := E` where E is A + ..., max(A, ...) and so on for the value A that came from the one before;
// `(A * ...) mod M`, too.
static bool is_associative_expression(const trace *t, const trace_clause *c, const uint8_t *with,
                                      uint32_t node, const char **ret_verb)
{
    const char *group = NULL;
    for (bool top = true; c->nodes[node].kind == TN_STRUCT; top = false) {
        const char *name = trace_string(t, c->nodes[node].value.id, NULL);
        const operation *op = operation_of(name);
        uint32_t child, place = child_with(c, with, node, &child);
        if (place == IOT_NONE || c->nodes[node].n != 2)
            return false;
        if (!op && !(top && strcmp(name, "mod") == 0 && place == 0))
            return false;
        if (op &&
            ((group && strcmp(group, op->group) != 0) || (strcmp(name, "-") == 0 && place == 1)))
            return false;
        if (op) {
            group = op->group;
            *ret_verb = op->verb;
        }
        node = child;
    }
    return group != NULL;
}

static bool is_associative_arithmetic(const loops *l, uint32_t r, uint32_t variable,
                                      const char **ret_verb)
{
    uint32_t parent = l->g->parents[r], item = loops_item(l, r);
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, parent));
    if (c->dynamic || item == TRACE_NONE || c->items[item].n != 2)
        return false;
    uint32_t expression = c->children[c->items[item].first + 1];
    uint8_t *with = nodes_with(l->t, c, parent, variable, expression);
    bool is =
        with[expression] == 1 && is_associative_expression(l->t, c, with, expression, ret_verb);
    free(with);
    return is;
}

// ---------------------------------------------------------------------------------------------
// Predicates of the program

static bool is_comparison(const char *name)
{
    static const char *const names[] = {"<", ">", "=<", ">=", "=:=", "@<", "@>", "@=<", "@>="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

// What one predicate's clauses do.
typedef struct {
    const trace *t;
    uint32_t open[DEEPEST + 1]; // predicates that are looked at, each called by the one before
    const char *verb;
} combiner;

static bool is_combiner(combiner *x, uint32_t predicate, int depth);

// Does the expression combine with one associative operator, and nothing but variables?
static bool combines_variables(const trace *t, const trace_clause *c, uint32_t node,
                               const char **ret_verb)
{
    const trace_node *n = &c->nodes[node];
    const operation *op =
        n->kind == TN_STRUCT ? operation_of(trace_string(t, n->value.id, NULL)) : NULL;
    if (!op || n->n != 2 || strcmp(op->name, "-") == 0)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        trace_node_kind kind = c->nodes[c->children[n->first + i]].kind;
        if (kind != TN_HOLE && kind != TN_FRESH)
            return false;
    }
    *ret_verb = op->verb;
    return true;
}

static bool compares(const trace *t, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nguards; i++)
        if (is_comparison(trace_string(t, c->guards[i].name, NULL)))
            return true;
    return false;
}

// Compares only two of its arguments, as they are.
static bool compares_plainly(const trace *t, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nguards; i++) {
        const trace_guard *g = &c->guards[i];
        if (strcmp(trace_string(t, g->name, NULL), ":=") == 0)
            return false;
        for (uint32_t k = 0; k < g->n && is_comparison(trace_string(t, g->name, NULL)); k++) {
            trace_node_kind kind = c->patterns[c->pattern_children[g->first + k]].kind;
            if (kind != TN_HOLE && kind != TN_FRESH)
                return false;
        }
    }
    return true;
}

static bool item_combines(combiner *x, const trace_clause *c, uint32_t item, int depth)
{
    const trace *t = x->t;
    uint32_t predicate = c->items[item].predicate;
    const trace_predicate *p = trace_get_predicate(t, predicate);
    const char *name = trace_string(t, p->name, NULL);
    if (c->items[item].kind == TI_UNIFY)
        return true;
    for (int i = 0; i <= depth; i++)
        if (x->open[i] == predicate)
            return true;
    if (p->origin != TRACE_BUILTIN)
        return depth < DEEPEST && is_combiner(x, predicate, depth + 1);
    if (strcmp(name, ":=") == 0 && c->items[item].n == 2)
        return !compares(t, c) &&
               combines_variables(t, c, c->children[c->items[item].first + 1], &x->verb);
    return strcmp(name, "string_concat") == 0 || strcmp(name, "$compare") == 0;
}

static bool is_combiner(combiner *x, uint32_t predicate, int depth)
{
    bool is = true;
    x->open[depth] = predicate;
    for (uint32_t i = 0; is && i < trace_nclauses(x->t); i++) {
        const trace_clause *c = trace_get_clause(x->t, i);
        if (c->predicate != predicate)
            continue;
        is = compares_plainly(x->t, c);
        for (uint32_t k = 0; is && k < c->nitems; k++)
            is = item_combines(x, c, k, depth);
    }
    return is;
}

// Values that could be combined with each other: two numbers, two lists, two structures of a name.
// Two atoms only if they are the same one: a table of states is no operation.
enum { SORT_NUMBER = 1, SORT_STRING, SORT_LIST, SORT_ATOM };
static uint64_t sort_of(const trace *t, trace_value v)
{
    v = iot_end_value(t, v);
    if (v.kind == TV_INT || v.kind == TV_BIG || v.kind == TV_FLOAT)
        return SORT_NUMBER;
    if (v.kind == TV_STRING)
        return SORT_STRING;
    if (v.kind == TV_ATOM)
        return strcmp(trace_string(t, v.id, NULL), "[]") == 0 ? SORT_LIST : SORT_ATOM;
    if (is_cell_kind(t, v, TC_CONS))
        return SORT_LIST;
    if (is_cell_kind(t, v, TC_STRUCT))
        return (uint64_t)trace_cell_name(t, v.id) << 32 | trace_cell_arity(t, v.id);
    return 0;
}

// Has the goal another argument of the kind that the value from the one before has?
static bool has_like_argument(const trace *t, uint32_t reduction, uint32_t variable)
{
    uint32_t goal = trace_reduction_goal(t, reduction), n;
    n = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    uint32_t mine = IOT_NONE, like = 0;
    trace_value value = iot_end_value(t, (trace_value){.kind = TV_CELL, .id = variable});
    uint64_t sort = sort_of(t, value);
    for (uint32_t i = 0; i < n; i++)
        if (mine == IOT_NONE && iot_leads_to(t, trace_goal_arg(t, goal, i), variable))
            mine = i;
    for (uint32_t i = 0; i + 1 < n; i++) { // the last one is the result
        trace_value other = iot_end_value(t, trace_goal_arg(t, goal, i));
        like += i != mine && sort && sort_of(t, other) == sort &&
                (sort != SORT_ATOM || other.id == value.id);
    }
    return mine != IOT_NONE && like > 0;
}

// Does a goal of two structures of one name make a third one? It may be a product or a best of two.
static bool makes_like_structure(const trace *t, uint32_t reduction, uint32_t variable)
{
    uint32_t goal = trace_reduction_goal(t, reduction);
    uint32_t n = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    trace_value value = {.kind = TV_CELL, .id = variable};
    trace_value result = iot_end_value(t, trace_goal_arg(t, goal, n - 1));
    return is_cell_kind(t, iot_end_value(t, value), TC_STRUCT) &&
           sort_of(t, result) == sort_of(t, value);
}

static bool accumulates(const trace *t, uint32_t reduction, uint32_t variable, const char **ret_verb)
{
    uint32_t goal = trace_reduction_goal(t, reduction), predicate = trace_goal_predicate(t, goal);
    uint32_t n = trace_get_predicate(t, predicate)->arity;
    for (uint32_t i = 0; i < n; i++)
        if (iot_leads_to(t, trace_goal_arg(t, goal, i), variable))
            return iot_predicate_accumulates(t, predicate, i, ret_verb);
    return false;
}

// ---------------------------------------------------------------------------------------------
// Numbers

// Which arguments of a goal of three are combined, if all are integers; the last one is the result.
static bool is_of_numbers(const trace *t, uint32_t goal)
{
    for (uint32_t i = 0; i < 3; i++)
        if (iot_end_value(t, trace_goal_arg(t, goal, i)).kind != TV_INT)
            return false;
    return true;
}

// Different operands that goals of the predicate have in this argument. Returns how many.
static uint32_t find_samples(const loops *l, uint32_t predicate, uint32_t argument, int64_t *samples)
{
    uint32_t n = 0;
    for (uint32_t r = 1; r < l->g->n && n < SAMPLES; r++) {
        uint32_t goal = trace_reduction_goal(l->t, r), k = 0;
        if (trace_goal_predicate(l->t, goal) != predicate || !is_of_numbers(l->t, goal))
            continue;
        int64_t value = iot_end_value(l->t, trace_goal_arg(l->t, goal, argument)).i;
        while (k < n && samples[k] != value)
            k++;
        samples[k] = value;
        n += k == n;
    }
    return n;
}

// Operands of the run, and the predicate whose clauses are followed for them.
typedef struct {
    const clause_facts *facts;
    uint32_t predicate;
    bool first; // the value so far is the first argument
    int64_t x[SAMPLES];
    uint32_t n;
    uint32_t steps; // that are left
} trial;

static bool result_of(trial *y, int64_t a, int64_t b, int64_t *ret)
{
    return iot_evaluate(y->facts, y->predicate, (int64_t[]){a, b}, &y->steps, ret);
}

// Is (X o Y) o Z the same as X o (Y o Z)? By the clauses, which are followed for both.
static bool is_same_in_both_orders(trial *y, int64_t x1, int64_t x2, int64_t x3)
{
    int64_t x12, x23, left, right;
    return result_of(y, x1, x2, &x12) && result_of(y, x2, x3, &x23) &&
           result_of(y, x12, x3, &left) && result_of(y, x1, x23, &right) && left == right;
}

static bool always_same(trial *y)
{
    bool same = y->n >= FEWEST_SAMPLES;
    for (uint32_t i = 0; i < y->n && same; i++)
        for (uint32_t j = 0; j < y->n && same; j++)
            for (uint32_t k = 0; k < y->n && same; k++)
                same = is_same_in_both_orders(y, y->x[i], y->x[j], y->x[k]);
    return same;
}

// What comes of the value so far and an item.
static bool combine(trial *y, int64_t so_far, int64_t item, int64_t *ret)
{
    return result_of(y, y->first ? so_far : item, y->first ? item : so_far, ret);
}

static bool differs_by_order(trial *y)
{
    int64_t xy, xz, left, right;
    const int64_t *x = y->x;
    for (uint32_t i = 0; i < y->n; i++)
        for (uint32_t j = 0; j < y->n; j++)
            for (uint32_t k = 0; k < j; k++)
                if (combine(y, x[i], x[j], &xy) && combine(y, x[i], x[k], &xz) &&
                    combine(y, xy, x[k], &left) && combine(y, xz, x[j], &right) && left != right)
                    return true;
    return false;
}

// Tries the predicate of the goal for operands of the run, once for all goals alike.
static bool try_operands(const loops *l, uint32_t reduction, uint32_t variable,
                         bool (*test)(trial *y), base_map *tried)
{
    const trace *t = l->t;
    uint32_t goal = trace_reduction_goal(t, reduction), p = trace_goal_predicate(t, goal);
    if (trace_get_predicate(t, p)->arity != 3 || !is_of_numbers(t, goal))
        return false;
    bool first = iot_leads_to(t, trace_goal_arg(t, goal, 0), variable);
    uint64_t *known = map_at(tried, (uint64_t)p << 2 | first << 1 | (test == always_same));
    if (*known != MAP_ABSENT)
        return *known;
    clause_facts *facts = clause_facts_create(t);
    trial y = {.facts = facts, .predicate = p, .first = first, .steps = SAMPLE_STEPS};
    y.n = find_samples(l, p, first, y.x);
    *known = test(&y);
    clause_facts_destroy(facts);
    return *known;
}

// Does a predicate of the program, such as the least common multiple, combine two numbers so that the
// order does not matter for any three operands of the run?
static bool combines_numbers(const loops *l, uint32_t reduction, uint32_t variable, base_map *tried)
{
    return try_operands(l, reduction, variable, always_same, tried);
}

// Does what a predicate accumulates depend on the order of the operands? By its clauses, for three operands
// of the run at a time; false: it does not, or that is not known.
static bool order_matters(const loops *l, uint32_t reduction, uint32_t variable, base_map *tried)
{
    return try_operands(l, reduction, variable, differs_by_order, tried);
}

bool iot_is_associative(const loops *l, uint32_t reduction, uint32_t variable,
                        base_map *tried, const char **ret_verb)
{
    uint32_t predicate = loops_predicate(l, reduction);
    const trace_predicate *p = trace_get_predicate(l->t, predicate);
    const char *name = trace_string(l->t, p->name, NULL);
    *ret_verb = "combines";
    if (p->origin == TRACE_BUILTIN && strcmp(name, ":=") == 0)
        return is_associative_arithmetic(l, reduction, variable, ret_verb);
    if (p->origin == TRACE_BUILTIN) {
        *ret_verb = "joins";
        return strcmp(name, "string_concat") == 0;
    }
    combiner x = {.t = l->t, .verb = "combines"};
    if (accumulates(l->t, reduction, variable, ret_verb))
        return !order_matters(l, reduction, variable, tried);
    *ret_verb = x.verb;
    grouping structures = iot_grouping_of_structures(l, reduction, tried);
    if (structures != GROUPING_NOT_KNOWN || !has_like_argument(l->t, reduction, variable))
        return structures == GROUPING_DOES_NOT_MATTER;
    if (!is_combiner(&x, predicate, 0))
        return makes_like_structure(l->t, reduction, variable) ||
               combines_numbers(l, reduction, variable, tried);
    *ret_verb = x.verb;
    return true;
}

bool iot_combines_numbers(const loops *l, uint32_t goal, uint32_t variable, base_map *tried)
{
    return iot_grouping_of_structures(l, goal, tried) == GROUPING_DOES_NOT_MATTER ||
           combines_numbers(l, goal, variable, tried);
}

bool iot_numbers_keep_order(const loops *l, uint32_t goal, uint32_t variable, base_map *tried)
{
    return order_matters(l, goal, variable, tried);
}

bool iot_combines_likes(const loops *l, uint32_t reduction, uint32_t variable)
{
    uint32_t predicate = loops_predicate(l, reduction);
    return trace_get_predicate(l->t, predicate)->origin != TRACE_BUILTIN &&
           has_like_argument(l->t, reduction, variable);
}

// ---------------------------------------------------------------------------------------------
// Copies

// `Z = Y`, both from the head: what follows the copy. It may also tell that it is made: `Ok = ok`.
static bool ends_a_copy(const trace *t, const trace_clause *c)
{
    uint32_t lists = 0;
    for (uint32_t k = 0; k < c->nitems; k++) {
        const trace_item *i = &c->items[k];
        if (i->kind != TI_UNIFY)
            return false;
        trace_node_kind x = c->nodes[c->children[i->first]].kind;
        trace_node_kind y = c->nodes[c->children[i->first + 1]].kind;
        if ((x != TN_HOLE && x != TN_CONST) || (y != TN_HOLE && y != TN_CONST))
            return false;
        const trace_node *constant = &c->nodes[c->children[i->first + (x == TN_HOLE)]];
        if (constant->kind == TN_CONST && constant->value.kind == TV_ATOM &&
            strcmp(trace_string(t, constant->value.id, NULL), "[]") == 0)
            return false;
        lists += x == TN_HOLE && y == TN_HOLE;
    }
    return lists == 1;
}

// `Z = [H|Z1]` with H from the head, and the goal p(..., Z1, ...) itself; nothing else.
static bool copies_a_cell(const trace_clause *c)
{
    const trace_item *cell = NULL, *call = NULL;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_UNIFY && !cell)
            cell = item;
        else if (item->kind == TI_GOAL && item->predicate == c->predicate && !call)
            call = item;
        else
            return false;
    }
    if (!cell || !call || c->nguards)
        return false;
    const trace_node *list = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const trace_node *side = &c->nodes[c->children[cell->first + i]];
        list = side->kind == TN_CONS ? side : list;
    }
    if (!list || c->nodes[c->children[list->first]].kind != TN_HOLE)
        return false;
    const trace_node *rest = &c->nodes[c->children[list->first + 1]];
    for (uint32_t i = 0; i < call->n; i++) {
        const trace_node *argument = &c->nodes[c->children[call->first + i]];
        if (rest->kind == TN_FRESH && argument->kind == TN_FRESH && argument->index == rest->index)
            return true;
    }
    return false;
}

static bool is_same_hole(const trace_node *node, const trace_node *hole)
{
    return node->kind == TN_HOLE && node->index == hole->index;
}

// The goal p(..., T, ..., [H|A], ...) itself, of a head p(..., [H|T], ..., A, ...); nothing else.
static bool turns_a_cell(const trace_clause *c)
{
    const trace_item *call = &c->items[0];
    if (c->nitems != 1 || call->kind != TI_GOAL || call->predicate != c->predicate || c->nguards)
        return false;
    for (uint32_t i = 0; i < c->nhead; i++)
        for (uint32_t k = 0; k < c->nhead; k++) {
            const trace_node *taken = &c->patterns[c->head[i]], *so_far = &c->patterns[c->head[k]];
            const trace_node *made = &c->nodes[c->children[call->first + k]];
            const trace_node *rest = &c->nodes[c->children[call->first + i]];
            if (taken->kind != TN_CONS || so_far->kind != TN_HOLE || made->kind != TN_CONS)
                continue;
            const trace_node *item = &c->patterns[c->pattern_children[taken->first]];
            const trace_node *tail = &c->patterns[c->pattern_children[taken->first + 1]];
            const trace_node *first = &c->nodes[c->children[made->first]];
            const trace_node *then = &c->nodes[c->children[made->first + 1]];
            if (item->kind == TN_HOLE && is_same_hole(first, item) && is_same_hole(then, so_far) &&
                tail->kind == TN_HOLE && is_same_hole(rest, tail))
                return true;
        }
    return false;
}

bool iot_only_turns(const trace *t, uint32_t predicate)
{
    uint32_t turning = 0, ends = 0;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (c->predicate != predicate)
            continue;
        bool turns = turns_a_cell(c), end = !turns && ends_a_copy(t, c);
        if (!turns && !end)
            return false;
        turning += turns;
        ends += end;
    }
    return turning > 0 && ends > 0;
}

bool iot_only_copies(const trace *t, uint32_t predicate)
{
    uint32_t copying = 0, ends = 0;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (c->predicate != predicate)
            continue;
        if (copies_a_cell(c))
            copying++;
        else if (ends_a_copy(t, c))
            ends++;
        else
            return false;
    }
    return copying > 0 && ends > 0;
}
