// SPDX-License-Identifier: MIT
//
// Following what a commit read: chains of bindings, whole terms, and comparisons of two.
#include "iotree/prices/look.h"

#include "iotree/terms/values.h"

uint32_t iot_read_of(const looker *l, uint32_t variable)
{
    if (l->nreads > FEW_READS) {
        uint64_t found = map_get(&l->many, variable);
        return found == MAP_ABSENT ? IOT_NONE : (uint32_t)found;
    }
    for (uint32_t i = 0; i < l->nreads; i++)
        if (l->reads[i] == variable)
            return i;
    return IOT_NONE;
}

// Takes from the allowance; false if it is used up.
static bool spend(looker *l, uint64_t n)
{
    if (l->allowance < n)
        return false;
    l->allowance -= n;
    return true;
}

// Also true if it would take too long to find out.
static bool has_place(looker *l, uint64_t read, place_code place)
{
    if (l->places->codes[read] == place)
        return true;
    if (l->places->codes[read] == 0)
        return false;
    if (!spend(l, l->places->more.n - l->more))
        return true;
    for (size_t i = l->more; i < l->places->more.n; i++)
        if (l->places->more.at[i].read == read && l->places->more.at[i].code == place)
            return true;
    return false;
}

void iot_mark_read(looker *l, uint32_t read, place_code place)
{
    uint64_t i = l->first_read + read;
    if (place == 0 || has_place(l, i, place))
        return;
    if (l->places->codes[i] == 0)
        l->places->codes[i] = place;
    else
        ARRAY_PUSH(l->places->more, (more_place){i, place});
}

// The same variable or the same compound term.
static bool is_same_cell(look_term a, look_term b)
{
    return !a.node && !b.node && a.value.kind == TV_CELL && b.value.kind == TV_CELL &&
           a.value.id == b.value.id;
}

// Where the commit read one binding only, nothing behind it was read: the value is not asked for, since
// terms far away in a trace take long to decode. A node stands for it.
static bool is_last(const looker *l)
{
    return l->nreads == 1;
}

// The next value of a chain; false if v is no variable that was read.
static bool next_of(const looker *l, trace_value v, uint32_t *ret_read, trace_value *ret_next)
{
    if (v.kind != TV_CELL)
        return false;
    uint32_t read = iot_read_of(l, v.id);
    uint32_t binding = read == IOT_NONE ? TRACE_NONE : trace_cell_binding(l->t, v.id);
    if (binding == TRACE_NONE)
        return false;
    *ret_read = read;
    *ret_next = trace_binding_value(l->t, binding);
    return true;
}

trace_value iot_follow(looker *l, trace_value v, place_code place)
{
    uint32_t read;
    if (is_last(l) && v.kind == TV_CELL && v.id == l->reads[0]) {
        iot_mark_read(l, 0, place);
        return (trace_value){.kind = TV_NODE};
    }
    for (uint32_t i = 0; i < l->nreads && next_of(l, v, &read, &v); i++)
        iot_mark_read(l, read, place);
    return v;
}

uint32_t iot_variable_of(const looker *l, const trace_node *n)
{
    return n->kind == TN_HOLE ? n->index : l->c->nholes + n->index;
}

look_term iot_term_of(const looker *l, uint32_t pattern)
{
    const trace_node *n = &l->c->patterns[pattern];
    if (is_pattern_variable(n) && l->known[iot_variable_of(l, n)] == 1)
        return (look_term){NULL, l->values[iot_variable_of(l, n)]};
    if (n->kind == TN_CONST)
        return (look_term){NULL, n->value};
    return (look_term){n, {0}};
}

// ---------------------------------------------------------------------------------------------
// Terms as trees

static bool is_compound_cell(const looker *l, trace_value v)
{
    return v.kind == TV_CELL && trace_cell_get_kind(l->t, v.id) != TC_VARIABLE;
}

static uint32_t arity_of(const looker *l, look_term x)
{
    if (x.node)
        return is_pattern_variable(x.node) ? 0 : x.node->n;
    return is_compound_cell(l, x.value) ? trace_cell_arity(l->t, x.value.id) : 0;
}

static look_term arg_of(const looker *l, look_term x, uint32_t i)
{
    if (x.node)
        return iot_term_of(l, l->c->pattern_children[x.node->first + i]);
    return (look_term){NULL, trace_cell_arg(l->t, x.value.id, i)};
}

void iot_reach(looker *l, look_term term, place_code place)
{
    l->stack.n = 0;
    ARRAY_PUSH(l->stack, term);
    while (l->stack.n > 0) {
        look_term x = l->stack.at[--l->stack.n];
        uint32_t read;
        if (is_last(l) && !x.node && x.value.kind == TV_CELL && x.value.id == l->reads[0]) {
            iot_mark_read(l, 0, place);
            continue;
        }
        while (!x.node && next_of(l, x.value, &read, &x.value)) {
            if (has_place(l, l->first_read + read, place)) { // what it leads to was visited
                x.value.kind = TV_INT;
                break;
            }
            iot_mark_read(l, read, place);
        }
        uint32_t n = arity_of(l, x);
        if (n > 0 && spend(l, n))
            for (uint32_t i = n; i > 0; i--)
                ARRAY_PUSH(l->stack, arg_of(l, x, i - 1));
    }
}

// ---------------------------------------------------------------------------------------------
// Comparisons

// Puts the chain of x into the path, and x at its end.
static void follow_into_path(looker *l, look_term *x)
{
    uint32_t read;
    for (uint32_t i = 0; !x->node && i < l->nreads && next_of(l, x->value, &read, &x->value); i++)
        ARRAY_PUSH(l->path, read);
}

// Where a read stands in the path of the left side; IOT_NONE: nowhere.
static uint32_t find_in_path(looker *l, const look_pair *p, uint32_t read)
{
    if (!spend(l, p->first_b - p->first_a))
        return IOT_NONE;
    for (uint32_t i = p->first_a; i < p->first_b; i++)
        if (l->path.at[i] == read)
            return i;
    return IOT_NONE;
}

// Follows both sides of a pair. True if they meet at a bound variable; then only what leads to it
// is in the path.
static bool follow_pair(looker *l, look_pair *p)
{
    p->first_a = (uint32_t)l->path.n;
    follow_into_path(l, &p->a);
    p->first_b = (uint32_t)l->path.n;
    uint32_t read, meeting = IOT_NONE;
    trace_value next;
    for (uint32_t i = 0; !p->b.node && i < l->nreads && next_of(l, p->b.value, &read, &next); i++) {
        meeting = find_in_path(l, p, read);
        if (meeting != IOT_NONE)
            break;
        ARRAY_PUSH(l->path, read);
        p->b.value = next;
    }
    if (meeting != IOT_NONE) {
        uint32_t gone = p->first_b - meeting;
        memmove(l->path.at + meeting, l->path.at + p->first_b,
                (l->path.n - p->first_b) * sizeof *l->path.at);
        p->first_b -= gone;
        l->path.n -= gone;
    }
    p->end = (uint32_t)l->path.n;
    return meeting != IOT_NONE;
}

static bool is_unbound(const looker *l, look_term x)
{
    return x.node ? is_pattern_variable(x.node)
                  : x.value.kind == TV_CELL && !is_compound_cell(l, x.value);
}

// Kind and name of a compound term; of the rest the value decides.
static bool has_other_functor(const looker *l, look_term a, look_term b)
{
    uint32_t na = arity_of(l, a), nb = arity_of(l, b);
    bool cell_a = a.node || is_compound_cell(l, a.value);
    bool cell_b = b.node || is_compound_cell(l, b.value);
    if (cell_a != cell_b || na != nb)
        return true;
    if (!cell_a && (a.value.kind == TV_NODE || b.value.kind == TV_NODE))
        return false; // a constant that nobody needs to know
    if (!cell_a)
        return !is_same_value(a.value, b.value);
    trace_cell_kind ka = a.node ? (trace_cell_kind)(a.node->kind - TN_CONS + TC_CONS)
                                : trace_cell_get_kind(l->t, a.value.id);
    trace_cell_kind kb = b.node ? (trace_cell_kind)(b.node->kind - TN_CONS + TC_CONS)
                                : trace_cell_get_kind(l->t, b.value.id);
    if (ka != kb || ka != TC_STRUCT)
        return ka != kb;
    uint32_t name_a = a.node ? a.node->value.id : trace_cell_name(l->t, a.value.id);
    uint32_t name_b = b.node ? b.node->value.id : trace_cell_name(l->t, b.value.id);
    return name_a != name_b;
}

static void mark_pair(looker *l, const look_pair *p, place_code place_a, place_code place_b)
{
    for (uint32_t i = p->first_a; i < p->first_b; i++)
        iot_mark_read(l, l->path.at[i], place_a);
    for (uint32_t i = p->first_b; i < p->end; i++)
        iot_mark_read(l, l->path.at[i], place_b);
}

void iot_compare(looker *l, look_term a, look_term b, place_code place_a, place_code place_b)
{
    ARRAY_OF(look_pair) open = {0};
    uint32_t difference = IOT_NONE;
    l->pairs.n = l->path.n = 0;
    ARRAY_PUSH(open, (look_pair){.a = a, .b = b, .above = IOT_NONE});
    while (open.n > 0) {
        look_pair p = open.at[--open.n];
        uint32_t here = (uint32_t)l->pairs.n;
        bool met = follow_pair(l, &p);
        ARRAY_PUSH(l->pairs, p);
        if (met || is_unbound(l, p.a) || is_unbound(l, p.b))
            continue;
        if (has_other_functor(l, p.a, p.b)) {
            difference = here;
            break;
        }
        uint32_t n = arity_of(l, p.a);
        if (is_same_cell(p.a, p.b) || !spend(l, n))
            continue;
        for (uint32_t i = n; i > 0; i--)
            ARRAY_PUSH(open, (look_pair){.a = arg_of(l, p.a, i - 1),
                                         .b = arg_of(l, p.b, i - 1),
                                         .above = here});
    }
    free(open.at);
    if (difference == IOT_NONE)
        for (size_t i = 0; i < l->pairs.n; i++)
            mark_pair(l, &l->pairs.at[i], place_a, place_b);
    for (; difference != IOT_NONE; difference = l->pairs.at[difference].above)
        mark_pair(l, &l->pairs.at[difference], place_a, place_b);
}
