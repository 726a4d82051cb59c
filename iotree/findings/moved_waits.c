// SPDX-License-Identifier: MIT
//
// The change that removes an early read. It leaves the wait out and gives it to whoever looks at a
// part of the value: a built-in, or a clause that has a pattern or a guard where the part is. Parts
// go on as arguments of goals, and inside terms: of `Out = line(A, B)` where B is a part, a clause
// that matches line(X, Y) has X at once and hands Y on. A clause that takes the next part apart by
// the same pattern hands the wait on in turn: so do loops over a list.
#include "iotree/findings/early_reads.h"
#include "iotree/findings/late_items.h"
#include "iotree/terms/values.h"

enum { MANY_ARGUMENTS = 63 };

// What a goal has among its arguments that is not known yet.
typedef struct {
    uint64_t arguments; // bits: it is a part; the last one: wherever it looks
    uint32_t maker;     // latest of what the parts come from
    uint32_t inside;    // there are parts inside arguments: of the parent's holes, as of a binding
    uint32_t kept;      // the same of parts that have makers of their own; 0: all have `maker`
} held;

// A place of the head, the term there, and the text that made it: a node of the body of a clause,
// some of whose holes are parts.
typedef struct {
    uint32_t node;
    trace_value value;
    const trace_clause *maker_clause; // NULL: the text is not known
    uint32_t text, maker, inside;
} inner_step;

typedef struct {
    early_search *s;
    uint32_t group;
    uint8_t *tested; // by clause: it has a test of the group
    uint32_t *holds; // by goal that is not reduced yet: its place in `held`, plus one; 0: nothing
    ARRAY_OF(held) held;
    ARRAY_OF(uint32_t) unused; // places in `held`
    uint32_t *bound;  // by binding: its term has a part that comes from this maker; 0: none
    uint32_t *inside; // by binding: the number of the reduction whose parts are kept, plus one; 0:
                      // the term is a part itself
    ARRAY_OF(uint8_t) kept;  // by hole: it is a part
    ARRAY_OF(uint32_t) kept_makers; // by hole, of joined groups
    ARRAY_OF(size_t) begins; // in `kept`, by number of the reductions whose parts are kept
    uint32_t keeping;        // the number of the reduction in hand, plus one; 0: it has none yet
    ARRAY_OF(inner_step) stack; // scratch
    trace_value *arguments;     // scratch: of the goal in hand
    size_t narguments;
    uint8_t *parts; // scratch: by hole of the clause in hand, then by unused variable
    uint32_t *part_makers; // the same: what the part comes from
    size_t nparts;
    bool joined;        // parts of one clause have makers of their own
    uint32_t marking;   // scratch: the maker of parts that are marked
    uint32_t *of_tests; // by test, of the reduction in hand: the maker of what it reads
    uint32_t nholes;
    bool found;      // scratch
    uint32_t maker;  // of the parts of the reduction in hand
    bool taken;      // it has them from reads of the group
    bool unfinished; // it reads terms with parts inside
    ARRAY_OF(wait_edit) waits;
    ARRAY_OF(wait_added) added;
    ARRAY_OF(reduction_edit) slower;
} move;

// What follows from a decision comes a step after the value: somebody tests it.
static void add_wait(move *m, uint32_t reader, uint32_t maker)
{
    if (maker == 0 || maker >= reader)
        return;
    ARRAY_PUSH(m->added, (wait_added){reader, maker});
    bool counted = m->slower.n > 0 && m->slower.at[m->slower.n - 1].reduction == reader;
    if (!counted && m->s->groups.at[m->group].decides)
        ARRAY_PUSH(m->slower,
                   (reduction_edit){reader, IOT_NONE, (double)wait_cost(m->s->g, reader) + 1});
}

static void mark_part(void *data, head_variable v)
{
    move *m = data;
    uint32_t variable = v.used ? v.index : m->nholes + v.index;
    m->parts[variable] = 1;
    if (m->marking > m->part_makers[variable])
        m->part_makers[variable] = m->marking;
}

static void mark_parts(move *m, clause_test test, uint32_t maker)
{
    m->marking = maker;
    test_variables(m->s->t, test, mark_part, m);
}

static void clear_parts(move *m, const trace_clause *c)
{
    size_t n = (size_t)c->nholes + c->nunused;
    if (n > m->nparts) {
        m->parts = base_resize(m->parts, n, 1);
        m->part_makers = base_resize(m->part_makers, n, sizeof *m->part_makers);
        m->nparts = n;
    }
    if (n) {
        memset(m->parts, 0, n);
        memset(m->part_makers, 0, n * sizeof *m->part_makers);
    }
    m->nholes = c->nholes;
    m->maker = 0;
    m->keeping = 0;
}

// Which holes of the clause in hand are parts, for those who get its terms.
static uint32_t keep_parts(move *m)
{
    if (m->keeping == 0) {
        ARRAY_PUSH(m->begins, m->kept.n);
        m->keeping = (uint32_t)m->begins.n;
        for (uint32_t i = 0; i < m->nholes; i++)
            ARRAY_PUSH(m->kept, m->parts[i]);
        for (uint32_t i = 0; i < m->nholes && m->joined; i++)
            ARRAY_PUSH(m->kept_makers, m->part_makers[i]);
    }
    return m->keeping;
}

// The parts that are kept under a number, plus one.
static const uint8_t *kept_parts(const move *m, uint32_t inside)
{
    return m->kept.at + m->begins.at[inside - 1];
}

// The latest of what the parts in a term come from; `makers`: by hole.
static uint32_t latest_in(const trace_clause *c, uint32_t root, const uint32_t *makers)
{
    uint32_t latest = 0;
    ARRAY_OF(uint32_t) stack = {0};
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        if (n->kind == TN_HOLE && makers[n->index] > latest)
            latest = makers[n->index];
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return latest;
}

// The same of a term whose holes are kept under a number; `maker`: of all parts there.
static uint32_t latest_kept(const move *m, const trace_clause *c, uint32_t root, uint32_t number,
                            uint32_t maker)
{
    return m->joined && number ? latest_in(c, root, m->kept_makers.at + m->begins.at[number - 1])
                               : maker;
}

// The same of an item of the clause in hand.
static uint32_t latest_of_item(const move *m, const trace_clause *c, const trace_item *item)
{
    uint32_t latest = m->joined ? 0 : m->maker;
    for (uint32_t i = 0; m->joined && i < item->n; i++) {
        uint32_t maker = latest_in(c, c->children[item->first + i], m->part_makers);
        latest = maker > latest ? maker : latest;
    }
    return latest;
}

// What the goal holds; all zero: nothing.
static held held_by(const move *m, uint32_t goal)
{
    return m->holds[goal] ? m->held.at[m->holds[goal] - 1] : (held){0};
}

static void hold(move *m, uint32_t goal, held h)
{
    uint32_t place = m->unused.n ? m->unused.at[--m->unused.n] : (uint32_t)m->held.n;
    if (place == m->held.n)
        ARRAY_PUSH(m->held, h);
    m->held.at[place] = h;
    m->holds[goal] = place + 1;
}

static void let_go(move *m, uint32_t goal)
{
    if (m->holds[goal] != 0)
        ARRAY_PUSH(m->unused, m->holds[goal] - 1);
    m->holds[goal] = 0;
}

static bool has_part(const move *m, const trace_clause *c, uint32_t root)
{
    return node_has_hole_of(c, root, m->parts);
}

static bool item_has_part(const move *m, const trace_clause *c, const trace_item *item)
{
    return item_has_hole_of(c, item, m->parts);
}

// What the test reads comes from these makers.
static void note_maker(move *m, uint32_t test, const uint32_t *makers, uint64_t n, uint32_t bound)
{
    uint32_t *latest = &m->of_tests[test];
    *latest = bound > *latest ? bound : *latest;
    for (uint64_t i = 0; i < n; i++)
        *latest = makers[i] > *latest ? makers[i] : *latest;
}

// The reads of the reduction that belong to the group are left out; what they read the parts need.
static bool take_reads(move *m, uint32_t r, uint32_t clause)
{
    early_search *s = m->s;
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads);
    uint64_t next = s->g->first[r], first;
    bool taken = false, tested = m->tested[clause];
    if (tested && n > 0)
        read_tests(&s->reader, r, clause, &s->by_clause[clause]);
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
            continue;
        uint32_t binding = trace_cell_binding(s->t, reads[i]), test = NO_TEST;
        if (tested)
            test = test_of_read(&s->reader, r, reads[i]);
        bool ours = iot_is_in_group(s, test, m->group);
        if (ours) {
            taken = true;
            for (uint64_t w = first; w < next; w++) {
                ARRAY_PUSH(m->waits, (wait_edit){w, IOT_NONE});
                m->maker = s->g->makers[w] > m->maker ? s->g->makers[w] : m->maker;
            }
            m->maker = m->bound[binding] > m->maker ? m->bound[binding] : m->maker;
            note_maker(m, test, s->g->makers + first, next - first, m->bound[binding]);
        } else if (!m->inside[binding] || !clause_is_told(s->facts, clause)) {
            add_wait(m, r, m->bound[binding]);
        } else {
            m->unfinished = true;
        }
    }
    return taken;
}

uint32_t test_in(const early_search *s, uint32_t clause, bool guard, uint32_t at)
{
    const clause_tests *tests = &s->by_clause[clause];
    return !tests->by_pattern ? NO_TEST : guard ? tests->by_guard[at] : tests->by_pattern[at];
}

static bool is_in_group(const move *m, uint32_t test)
{
    return iot_is_in_group(m->s, test, m->group);
}

static bool is_repeated(const trace_clause *c, const trace_node *variable)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->npatterns; i++)
        n += c->patterns[i].kind == variable->kind && c->patterns[i].index == variable->index;
    return n > 1;
}

// Do guards compute something from what the test takes apart?
static bool computes_from(const move *m, uint32_t clause, const trace_clause *c, uint32_t test)
{
    bool computes = false;
    for (uint32_t g = 0; g < c->nguards; g++)
        computes |= test_in(m->s, clause, true, g) == test && guard_computes(m->s->t, clause, g);
    return computes;
}

// Does the clause look at what is there in its head, other than by a test of the group?
static bool looks_at(const move *m, uint32_t clause, const trace_clause *c, uint32_t node)
{
    const early_search *s = m->s;
    const trace_node *n = &c->patterns[node];
    uint32_t test = test_in(s, clause, false, node);
    if (is_in_group(m, test))
        return computes_from(m, clause, c, test);
    if (n->kind != TN_HOLE && n->kind != TN_FRESH)
        return true;
    bool looked = false, ours = false; // by a guard
    for (uint32_t g = 0; g < c->nguards; g++) {
        if (!test_has_variable(s->t, (clause_test){clause, true, g}, n))
            continue;
        bool in_group =
            is_in_group(m, test_in(s, clause, true, g)) && !guard_computes(s->t, clause, g);
        ours |= in_group;
        looked |= !in_group;
    }
    if (looked || ours)
        return looked;
    for (uint32_t i = 0; i < c->nlooks; i++) // a variable that is repeated in the head
        looked |= c->head[c->looks[i]] == node && is_repeated(c, n);
    return looked;
}

// A part is at this place of the head.
static void take_part(move *m, uint32_t r, uint32_t clause, uint32_t node, uint32_t maker)
{
    const trace_clause *c = trace_get_clause(m->s->t, clause);
    if (looks_at(m, clause, c, node)) {
        add_wait(m, r, maker);
        return;
    }
    mark_parts(m, (clause_test){clause, false, node}, maker);
    m->maker = maker > m->maker ? maker : m->maker;
}

// What the part comes from that is an argument of the goal.
static uint32_t maker_of_argument(const move *m, uint32_t r, uint32_t argument, const held *h)
{
    const trace *t = m->s->t;
    if (!h->kept)
        return h->maker;
    const trace_clause *d = trace_get_clause(t, trace_reduction_clause(t, m->s->g->parents[r]));
    uint32_t item = trace_goal_item(t, trace_reduction_goal(t, r));
    return latest_kept(m, d, d->children[d->items[item].first + argument], h->kept, h->maker);
}

// What the goal holds goes on to the variables of the clause, or is waited for.
static void take_held(move *m, uint32_t r, uint32_t clause)
{
    const held h = held_by(m, trace_reduction_goal(m->s->t, r));
    const trace_clause *c = trace_get_clause(m->s->t, clause);
    if (!h.arguments)
        return;
    if (c->dynamic || !clause_is_told(m->s->facts, clause) || h.arguments >> MANY_ARGUMENTS) {
        add_wait(m, r, h.maker);
        return;
    }
    for (uint32_t i = 0; i < c->nhead && i < MANY_ARGUMENTS; i++)
        if (h.arguments >> i & 1)
            take_part(m, r, clause, c->head[i], maker_of_argument(m, r, i, &h));
}

// ---------------------------------------------------------------------------------------------
// Parts inside terms

static bool is_part(const move *m, const inner_step *x)
{
    const trace_node *n = &x->maker_clause->nodes[x->text];
    return n->kind == TN_HOLE && kept_parts(m, x->inside)[n->index];
}

// The text of the term that a binding has, which has parts inside.
static void begin_text(const move *m, inner_step *x, uint32_t binding)
{
    const trace *t = m->s->t;
    uint32_t r = trace_binding_maker(t, binding);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
    const trace_item *item = &c->items[trace_binding_item(t, binding)];
    x->maker_clause = NULL;
    if (!m->inside[binding])
        return;
    for (uint32_t i = 0; i < 2; i++) {
        trace_node_kind kind = c->nodes[c->children[item->first + i]].kind;
        if (kind == TN_HOLE || kind == TN_FRESH)
            continue;
        *x = (inner_step){x->node,           x->value,          c, c->children[item->first + i],
                          m->bound[binding], m->inside[binding]};
    }
}

// To the end of a chain of variables, with the text of the last term that is told.
static void follow(const move *m, inner_step *x, uint32_t r)
{
    const trace *t = m->s->t;
    while (is_variable(t, x->value)) {
        uint32_t binding = trace_cell_binding(t, x->value.id);
        if (binding == TRACE_NONE || !trace_bound_before(t, binding, r))
            return;
        begin_text(m, x, binding);
        x->value = trace_binding_value(t, binding);
    }
}

static bool text_has_part(const move *m, const inner_step *x)
{
    return node_has_hole_of(x->maker_clause, x->text, kept_parts(m, x->inside));
}

static void take_inner(move *m, uint32_t r, uint32_t clause, inner_step x)
{
    const trace *t = m->s->t;
    const trace_clause *c = trace_get_clause(t, clause);
    m->stack.n = 0;
    ARRAY_PUSH(m->stack, x);
    while (m->stack.n > 0) {
        x = m->stack.at[--m->stack.n];
        const trace_node *n = &c->patterns[x.node];
        bool variable = n->kind == TN_HOLE || n->kind == TN_FRESH;
        if (x.maker_clause && (is_part(m, &x) || (variable && text_has_part(m, &x)))) {
            uint32_t maker = latest_kept(m, x.maker_clause, x.text, x.inside, x.maker);
            take_part(m, r, clause, x.node, maker);
            continue;
        }
        if (variable)
            continue;
        follow(m, &x, r);
        const trace_node *made = x.maker_clause ? &x.maker_clause->nodes[x.text] : NULL;
        bool told = made && made->kind == n->kind && made->n == n->n;
        for (uint32_t i = 0; x.value.kind == TV_CELL && !is_variable(t, x.value) && i < n->n; i++) {
            if (i >= trace_cell_arity(t, x.value.id))
                break;
            inner_step y = {c->pattern_children[n->first + i],
                            trace_cell_arg(t, x.value.id, i),
                            told ? x.maker_clause : NULL,
                            0,
                            x.maker,
                            x.inside};
            y.text = told ? x.maker_clause->children[made->first + i] : 0;
            ARRAY_PUSH(m->stack, y);
        }
    }
}

// Parts that come inside arguments of the goal, or inside what the clause reads.
static void take_inside(move *m, uint32_t r, uint32_t clause)
{
    const trace *t = m->s->t;
    const trace_clause *c = trace_get_clause(t, clause), *d = NULL;
    uint32_t goal = trace_reduction_goal(t, r), item = trace_goal_item(t, goal);
    const held h = held_by(m, goal);
    if (!m->unfinished && !h.inside)
        return;
    if (!clause_is_told(m->s->facts, clause) || c->nhead == 0) {
        add_wait(m, r, h.maker);
        return;
    }
    if (c->nhead > m->narguments) {
        m->narguments = c->nhead;
        m->arguments = base_resize(m->arguments, m->narguments, sizeof *m->arguments);
    }
    trace_goal_args(t, goal, m->arguments);
    if (h.inside)
        d = trace_get_clause(t, trace_reduction_clause(t, m->s->g->parents[r]));
    for (uint32_t i = 0; i < c->nhead; i++) {
        inner_step x = {c->head[i], m->arguments[i], d, 0, h.maker, h.inside};
        if (d)
            x.text = d->children[d->items[item].first + i];
        take_inner(m, r, clause, x);
    }
}

// ---------------------------------------------------------------------------------------------
// What goes on

// Does the clause's choice follow from a test of the group?
static bool is_chosen(const move *m, uint32_t clause)
{
    return m->s->groups.at[m->group].decides && m->s->by_clause[clause].by_pattern &&
           trace_get_clause(m->s->t, clause)->predicate == m->s->groups.at[m->group].predicate;
}

// Is the item made whatever the group's tests find? *ret_differs: bits of the arguments that follow
// from what they find.
static bool is_common(const move *m, uint32_t clause, uint32_t item, uint64_t *ret_differs)
{
    const early_search *s = m->s;
    const trace_clause *c = trace_get_clause(s->t, clause);
    *ret_differs = 0;
    if (!is_chosen(m, clause))
        return true;
    for (uint32_t i = 0; i < c->npatterns + c->nguards; i++) {
        bool guard = i >= c->npatterns;
        uint32_t test = test_in(s, clause, guard, guard ? i - c->npatterns : i);
        uint64_t differs = 0;
        if (!iot_is_in_group(s, test, m->group))
            continue;
        if (!item_is_common(s->facts, s->tests.at[test], item, &differs))
            return false;
        *ret_differs |= differs;
    }
    return true;
}

// A signal comes when its clause has waited for all that it waits for: it says that.
static bool is_signal(const move *m, uint32_t clause, uint32_t item)
{
    return m->taken && item_is_signal(m->s->facts, clause, item);
}

// Does the term say anything but parts? The rest of a list does not count: [line(A, B)|Rest].
static bool says_more(const move *m, const trace_clause *c, uint32_t root)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool more = false;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        more |= n->kind == TN_FRESH || (n->kind == TN_HOLE && !m->parts[n->index]);
        for (uint32_t i = 0; i < (n->kind == TN_CONS ? 1 : n->n); i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return more;
}

// A variable and a term that is none, which says more than the parts inside.
static bool is_more(const move *m, const trace_clause *c, const trace_item *item)
{
    uint32_t variables = 0;
    bool more = false;
    for (uint32_t i = 0; i < item->n; i++) {
        trace_node_kind kind = c->nodes[c->children[item->first + i]].kind;
        if (kind == TN_HOLE || kind == TN_FRESH)
            variables++;
        else
            more = says_more(m, c, c->children[item->first + i]);
    }
    return item->kind == TI_UNIFY && variables == 1 && more;
}

static void hold_bindings(move *m, uint32_t r, const trace_clause *c)
{
    uint32_t clause = trace_reduction_clause(m->s->t, r);
    uint64_t differs;
    const trace *t = m->s->t;
    uint32_t end = trace_first_binding(t, r + 1);
    for (uint32_t b = trace_first_binding(t, r); b < end; b++) {
        const uint32_t *passed;
        uint32_t n = trace_passed(t, b, &passed);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t from = trace_cell_binding(t, passed[i]);
            if (from != TRACE_NONE && !m->inside[from] && m->bound[from] > m->bound[b])
                m->bound[b] = m->bound[from];
        }
        uint32_t item = trace_binding_item(t, b);
        if (m->maker <= m->bound[b] || c->dynamic)
            continue;
        if (is_signal(m, clause, item) || !is_common(m, clause, item, &differs))
            m->bound[b] = m->maker;
        else if (item_has_part(m, c, &c->items[item])) {
            m->inside[b] = m->bound[b] || !is_more(m, c, &c->items[item]) ? 0 : keep_parts(m);
            uint32_t maker = latest_of_item(m, c, &c->items[item]);
            m->bound[b] = maker > m->bound[b] ? maker : m->bound[b];
        }
    }
}

// Does the goal get the term of the group's pattern made again, in a clause that hands it on?
// Without the pattern it gets the term as it is.
static bool is_handed_on(const move *m, const trace_clause *c, const trace_item *item, uint32_t i)
{
    const read_group *g = &m->s->groups.at[m->group];
    return g->handed_on && item->kind == TI_GOAL && i == g->argument && i < c->nhead &&
           item->predicate == g->predicate && c->predicate == g->predicate &&
           iot_is_made_again(c, c->head[i], c->children[item->first + i]);
}

// Bits of the arguments of an item that are not known until the value comes. *ret_inside: there is
// a part inside another argument.
static uint64_t unknown_arguments(const move *m, uint32_t clause, const trace_clause *c,
                                  uint32_t item, bool *ret_inside)
{
    uint64_t unknown;
    if (!is_common(m, clause, item, &unknown))
        return 1ull << MANY_ARGUMENTS;
    for (uint32_t i = 0; i < c->items[item].n; i++) {
        uint32_t root = c->children[c->items[item].first + i];
        bool waits = i >= MANY_ARGUMENTS || m->s->groups.at[m->group].guard;
        if (!has_part(m, c, root))
            continue;
        if (c->nodes[root].kind == TN_HOLE || waits || is_handed_on(m, c, &c->items[item], i))
            unknown |= 1ull << (waits ? MANY_ARGUMENTS : i);
        else
            *ret_inside = true;
    }
    return unknown;
}

static void hold_goals(move *m, uint32_t r, const trace_clause *c)
{
    const trace *t = m->s->t;
    uint32_t clause = trace_reduction_clause(t, r), end = trace_first_goal(t, r + 1);
    for (uint32_t g = trace_first_goal(t, r); g < end; g++) {
        uint32_t item = trace_goal_item(t, g);
        bool inside = false;
        uint64_t unknown = item == TRACE_NONE ? 1ull << MANY_ARGUMENTS
                                              : unknown_arguments(m, clause, c, item, &inside);
        if (!unknown && !inside)
            continue;
        bool differ = item == TRACE_NONE || is_chosen(m, clause);
        hold(m, g, (held){.arguments = unknown,
                          .maker = differ ? m->maker : latest_of_item(m, c, &c->items[item]),
                          .inside = inside ? keep_parts(m) : 0,
                          .kept = m->joined && !differ ? keep_parts(m) : 0});
    }
}

static void find_part(void *data, head_variable v)
{
    move *m = data;
    m->found |= m->parts[v.used ? v.index : m->nholes + v.index];
}

// What guards compute from the parts are parts, too.
static void compute_parts(move *m, uint32_t clause, const trace_clause *c)
{
    for (uint32_t g = 0; g < c->nguards; g++) {
        clause_test guard = {clause, true, g};
        m->found = false;
        if (guard_computes(m->s->t, clause, g))
            test_variables(m->s->t, guard, find_part, m);
        if (m->found)
            mark_parts(m, guard, m->maker);
    }
}

static void move_reduction(move *m, uint32_t r)
{
    early_search *s = m->s;
    uint32_t clause = trace_reduction_clause(s->t, r);
    const trace_clause *c = trace_get_clause(s->t, clause);
    clear_parts(m, c);
    m->unfinished = false;
    m->taken = take_reads(m, r, clause);
    if (m->taken) {
        bool guards = s->groups.at[m->group].guard;
        for (uint32_t i = 0; i < (guards ? c->nguards : c->npatterns); i++) {
            uint32_t test = test_in(s, clause, guards, i);
            if (!iot_is_in_group(s, test, m->group))
                continue;
            mark_parts(m, s->tests.at[test], m->of_tests[test]);
            m->of_tests[test] = 0;
        }
        compute_parts(m, clause, c);
    }
    take_held(m, r, clause);
    take_inside(m, r, clause);
    hold_bindings(m, r, c);
    let_go(m, trace_reduction_goal(s->t, r));
    if (m->maker && !c->dynamic)
        hold_goals(m, r, c);
}

// The added waits of a reader are found in order of readers, since every reduction adds only its
// own.
wait_change iot_move_waits(early_search *s, uint32_t group)
{
    move m = {.s = s, .group = group, .joined = s->groups.at[group].joined, .tested = base_allocate(trace_nclauses(s->t), 1)};
    for (uint32_t i = 0; i < s->tests.n; i++)
        m.tested[s->tests.at[i].clause] |= iot_is_in_group(s, i, group);
    m.of_tests = base_allocate(s->tests.n, sizeof *m.of_tests);
    m.holds = base_allocate(trace_ngoals(s->t), sizeof *m.holds);
    m.bound = base_allocate(trace_nbindings(s->t), sizeof *m.bound);
    m.inside = base_allocate(trace_nbindings(s->t), sizeof *m.inside);
    for (uint32_t r = 1; r < s->a->n; r++)
        move_reduction(&m, r);
    free(m.tested);
    free(m.holds);
    free(m.held.at);
    free(m.unused.at);
    free(m.bound);
    free(m.inside);
    free(m.kept.at);
    free(m.begins.at);
    free(m.stack.at);
    free(m.arguments);
    free(m.parts);
    free(m.part_makers);
    free(m.kept_makers.at);
    free(m.of_tests);
    return (wait_change){
        .waits = m.waits.at, .nwaits = m.waits.n, .added = m.added.at, .nadded = m.added.n,
        .reductions = m.slower.at, .nreductions = m.slower.n};
}
